//! Cargo at work, and what is said meanwhile: how many packages are compiled and for how long, or that another build is waited for.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::cargo::no_cargo;
use workbench_base::error::Result;
use workbench_base::progress;
use workbench_base::text::count;

/// How long a build goes on without a line where there is no terminal.
const SILENCE: Duration = Duration::from_secs(10);

/// A build that has ended.
pub struct Work {
    /// How it ended.
    pub status: ExitStatus,
    /// What cargo wrote for people to read.
    pub said: String,
    /// What it wrote for programs, a line each.
    pub messages: Vec<String>,
    pub(super) tally: Tally,
}

impl Work {
    /// What the compiler had to say, without cargo's lines on what it did.
    pub fn complaints(&self) -> String {
        self.said.split_inclusive('\n').filter(|line| doing(line).is_none()).collect()
    }
}

enum Heard {
    /// A line for programs.
    Message(String),
    /// A line for people.
    Said(String),
}

/// Runs a build with `--message-format=json-render-diagnostics` to its end and shows how far it is; `total` is the number of packages that
/// it needs, 0 where that is not known.
///
/// # Errors
/// No cargo, or one that cannot be started.
pub fn watched(command: &mut Command, total: usize) -> Result<Work> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(no_cargo)?;
    let (tell, heard) = mpsc::channel();
    if let Some(pipe) = child.stdout.take() {
        read(pipe, tell.clone(), Heard::Message);
    }
    if let Some(pipe) = child.stderr.take() {
        read(pipe, tell.clone(), Heard::Said);
    }
    drop(tell);
    let (mut tally, mut said, mut messages) = (Tally::new(total), String::new(), Vec::new());
    loop {
        match heard.recv_timeout(Duration::from_millis(500)) {
            Ok(Heard::Message(line)) => {
                tally.finished(&line);
                messages.push(line);
            }
            Ok(Heard::Said(line)) => {
                tally.said(&line);
                said += &line;
                said.push('\n');
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        tally.show();
    }
    tally.end();
    Ok(Work { status: child.wait().map_err(no_cargo)?, said, messages, tally })
}

fn read(pipe: impl Read + Send + 'static, tell: Sender<Heard>, of: fn(String) -> Heard) {
    std::thread::spawn(move || {
        // A pipe that breaks ends the text; the exit status says whether that matters.
        for line in BufReader::new(pipe).split(b'\n').map_while(std::result::Result::ok) {
            if tell.send(of(String::from_utf8_lossy(&line).into_owned())).is_err() {
                break;
            }
        }
    });
}

/// Counts packages from cargo's lines.
pub(super) struct Tally {
    total: usize,
    seen: BTreeSet<String>,
    /// Those that were compiled now.
    pub(super) compiled: BTreeSet<String>,
    /// Names of those that are being compiled and when each began, the first begun first, and then of those that have their build script.
    running: Vec<(String, Duration)>,
    /// Whether another build is waited for.
    waits: bool,
    took: BTreeMap<String, Duration>,
    last: Instant,
    started: Instant,
    next: Duration,
    bar: Option<ProgressBar>,
}

impl Tally {
    fn new(total: usize) -> Self {
        Tally {
            total,
            seen: BTreeSet::new(),
            compiled: BTreeSet::new(),
            running: Vec::new(),
            waits: false,
            took: BTreeMap::new(),
            last: Instant::now(),
            started: Instant::now(),
            next: SILENCE,
            bar: None,
        }
    }

    /// A line of cargo for people: what it begins, or waits for.
    fn said(&mut self, line: &str) {
        match doing(line) {
            // The registry's own lock is held for moments; that of the folder where cargo builds, for as long as a build.
            Some(("Blocking", what)) if !what.contains("package cache") => {
                self.waits = true;
                progress::note("another build of this project is under way; this one waits for its end");
            }
            Some(("Compiling" | "Checking", what)) => {
                self.waits = false;
                let begun = self.started.elapsed();
                self.running.extend(what.split(' ').next().map(|name| (name.to_owned(), begun)));
            }
            _ => {}
        }
    }

    /// A line of cargo for programs: a package is finished.
    fn finished(&mut self, line: &str) {
        let Some((package, fresh, script)) = finished_package(line) else {
            return;
        };
        self.waits = false;
        let name = package.split('@').next().unwrap_or_default();
        if let Some(at) = self.running.iter().position(|(other, _)| other == name) {
            let (name, _) = self.running.remove(at);
            // What has its build script may wait for others before it goes on.
            self.running.extend(script.then(|| (name, self.started.elapsed())));
        }
        if script {
            return;
        }
        if !fresh {
            *self.took.entry(package.clone()).or_default() += self.last.elapsed();
            self.compiled.insert(package.clone());
        }
        self.last = Instant::now();
        self.seen.insert(package);
    }

    /// Shows how far it is: a bar where there is a terminal, else a line now and then.
    fn show(&mut self) {
        if !progress::is_terminal() {
            if let Some(line) = self.due(self.started.elapsed()) {
                eprintln!("{line}");
            }
        } else if !self.running.is_empty() || self.waits {
            let (told, seen) = (self.told(self.started.elapsed()), self.seen.len().min(self.total));
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::new(self.total as u64);
                let form = if self.total > 0 { "  {bar:30} {msg}  {elapsed}" } else { "  {spinner} {msg}  {elapsed}" };
                bar.set_style(ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar()));
                bar.enable_steady_tick(Duration::from_millis(200));
                bar
            });
            bar.set_position(seen as u64);
            bar.set_message(told);
        }
    }

    /// The line that is due after this time, if one is.
    fn due(&mut self, elapsed: Duration) -> Option<String> {
        if elapsed < self.next {
            return None;
        }
        self.next = elapsed + SILENCE;
        Some(format!("  {}, {} in all", self.told(elapsed), whole(elapsed)))
    }

    /// How far it is, and since when the package is compiled that has taken longest.
    fn told(&self, elapsed: Duration) -> String {
        if self.waits {
            return "waiting for the other build".into();
        }
        let so_far = match self.total {
            0 => format!("{} compiled", count(self.compiled.len(), "package")),
            total => format!("{} of {total} packages", self.seen.len().min(total)),
        };
        match self.running.first() {
            None => so_far,
            Some((name, begun)) => {
                format!("{so_far}, compiling {name} for {}", whole(elapsed.saturating_sub(*begun)))
            }
        }
    }

    fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// The longest waits between two finished packages, and the package that ended each.
    pub(super) fn longest(&self, count: usize) -> Vec<(String, Duration)> {
        let mut waits: Vec<(String, Duration)> = self
            .took
            .iter()
            .filter(|(_, wait)| wait.as_secs() >= 1)
            .map(|(name, wait)| (name.clone(), *wait))
            .collect();
        waits.sort_by_key(|(_, wait)| std::cmp::Reverse(*wait));
        waits.truncate(count);
        waits
    }
}

/// What a line of cargo says that it does, and with what. The word stands at the right of twelve columns; it may be coloured.
fn doing(line: &str) -> Option<(&'static str, String)> {
    const WORDS: [&str; 12] = [
        "Adding",
        "Blocking",
        "Checking",
        "Compiling",
        "Dirty",
        "Downloaded",
        "Downloading",
        "Finished",
        "Fresh",
        "Locking",
        "Replacing",
        "Updating",
    ];
    let mut plain = String::new();
    for (at, part) in line.split("\x1b[").enumerate() {
        plain += if at == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) };
    }
    let word = WORDS.into_iter().find(|word| plain.get(..12).is_some_and(|begin| begin.trim_start() == *word))?;
    Some((word, plain[12..].trim().to_owned()))
}

/// A time without parts of a second.
fn whole(time: Duration) -> String {
    progress::seconds(time.as_secs() as f64).replace(".0 s", " s")
}

/// The package that a line says is finished, whether it was fresh, and whether it is its build script alone.
fn finished_package(line: &str) -> Option<(String, bool, bool)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let kinds = message["target"]["kind"].as_array();
    let script = kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "custom-build"));
    if message.get("reason")?.as_str()? != "compiler-artifact" {
        return None;
    }
    let id = message.get("package_id")?.as_str()?;
    Some((package_name(id), message.get("fresh")?.as_bool()?, script))
}

/// Short name with version out of a package id such as `registry+https://…#polars-core@0.55.2`.
fn package_name(id: &str) -> String {
    let (path, name) = id.rsplit_once('#').unwrap_or(("", id));
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        let folder = path.rsplit('/').next().unwrap_or(path);
        return format!("{folder}@{name}");
    }
    name.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(name: &str, fresh: bool) -> String {
        format!(r#"{{"reason":"compiler-artifact","package_id":"registry+https://x#{name}@1.0.0","fresh":{fresh}}}"#)
    }

    #[test]
    fn the_tally_counts_packages_once_and_fresh_ones_apart() {
        let mut tally = Tally::new(3);
        tally.finished(&finished("a", true));
        tally.finished(&finished("b", false));
        tally.finished(&finished("b", false));
        tally.finished("not json");
        tally.finished(r#"{"reason":"build-finished","success":true}"#);
        let script = finished("c", false).replace("\"fresh\"", r#""target":{"kind":["custom-build"]},"fresh""#);
        tally.finished(&script);
        assert_eq!(tally.seen.len(), 2);
        assert_eq!(tally.compiled.iter().collect::<Vec<_>>(), vec!["b@1.0.0"]);
    }

    #[test]
    fn a_long_build_says_every_ten_seconds_how_far_it_is() {
        let mut tally = Tally::new(3);
        tally.said("   Compiling long v1.0.0");
        tally.said("\x1b[1m\x1b[92m   Compiling\x1b[0m short v1.0.0 (/a/b)");
        tally.finished(&finished("short", false));
        let seconds = Duration::from_secs;
        assert_eq!(tally.due(seconds(9)), None, "a short build says nothing");
        assert_eq!(tally.due(seconds(10)).unwrap(), "  1 of 3 packages, compiling long for 9 s, 10 s in all");
        assert_eq!(tally.due(seconds(19)), None);
        tally.said("   Compiling other v1.0.0");
        tally.finished(&finished("long", false).replace("\"fresh\"", r#""target":{"kind":["custom-build"]},"fresh""#));
        assert_eq!(tally.told(seconds(20)), "1 of 3 packages, compiling other for 19 s");
        let long = tally.due(seconds(400)).unwrap();
        assert_eq!(
            long, "  1 of 3 packages, compiling other for 6 min 39 s, 6 min 40 s in all",
            "the time of a package goes on"
        );
    }

    #[test]
    fn a_build_that_waits_for_another_says_so() {
        let mut tally = Tally::new(3);
        tally.said("    Blocking waiting for file lock on package cache");
        assert!(!tally.waits);
        tally.said("    Blocking waiting for file lock on build directory");
        assert_eq!(tally.due(SILENCE).unwrap(), "  waiting for the other build, 10 s in all");
        tally.finished(&finished("a", true));
        assert_eq!(tally.told(SILENCE), "1 of 3 packages");
    }

    #[test]
    fn the_compilers_words_are_told_from_cargos() {
        for line in ["    Finished `dev` profile", " Downloading crates ...", "\x1b[1m\x1b[36m    Blocking\x1b[0m x"] {
            assert!(doing(line).is_some(), "{line}");
        }
        for line in ["error: x", "warning: unused", "   | Compiling a", "Finished", "  é", ""] {
            assert!(doing(line).is_none(), "{line}");
        }
    }

    #[test]
    fn package_names_come_out_of_ids() {
        assert_eq!(package_name("registry+https://x#serde@1.0.1"), "serde@1.0.1");
        assert_eq!(package_name("path+file:///a/workbench#0.1.0"), "workbench@0.1.0");
    }
}
