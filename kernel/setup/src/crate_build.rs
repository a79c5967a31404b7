//! Builds the crate that notebooks load, once, with a progress bar over the packages that cargo still has to compile.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::cargo::{cargo, no_cargo};
use super::cuda::Setting;
use super::features;
use super::own;
use super::packages::{metadata, needed_packages};
use super::paths::{SHARED_OBJECT, Workspace, build_folder};
use crate::project::Project;
use workbench_base::error::{Error, Result};
use workbench_base::text::{count, tail};

/// What a build gave and how long its parts took.
#[derive(Clone, Debug)]
pub struct Built {
    /// The shared object that cells link.
    pub shared_object: PathBuf,
    /// Packages that were compiled now; 0 when everything was fresh.
    pub compiled: usize,
    /// Time to download packages.
    pub download: Duration,
    /// Time to compile and link.
    pub compile: Duration,
    /// The longest waits between two finished packages, and the package that ended each.
    pub longest: Vec<(String, Duration)>,
}

/// Builds what cells and their kernel need: of a checkout in the profile and with the features of common dependencies that `cargo run`
/// uses, so that nothing is compiled twice; of a reader's own project its library, by its own lock file and profile. Where a kernel has seen
/// a build of today's sources, there is nothing to do.
///
/// **Errors**: [`Error::NoNetwork`] when packages have to be downloaded and cannot be; [`Error::Failed`] with the
/// compiler's last lines otherwise.
pub fn build(workspace: &Workspace, environment: &[(String, String)]) -> Result<Built> {
    let project = Project::at(workspace.root());
    if let Some(shared_object) = project.current_object() {
        return Ok(Built {
            shared_object,
            compiled: 0,
            download: Duration::ZERO,
            compile: Duration::ZERO,
            longest: Vec::new(),
        });
    }
    let started = Instant::now();
    let own = workspace.is_own();
    let (mut command, needed) = if own {
        project.usable().map_err(|why| Error::Room(why.into()))?;
        let needed = needed_packages(&own::metadata(workspace)?, &[&project.library.package]);
        (project.cargo_build(), needed)
    } else {
        let features = features::args_of(workspace)?;
        let metadata = metadata(workspace, &features)?;
        let mut command = cargo(workspace);
        command
            .args(["build", "--locked", "--offline", "--message-format=json-render-diagnostics"])
            .args(features::package_args(workspace.root()))
            .args(&features);
        (command, needed_packages(&metadata, &features::packages(workspace.root())))
    };
    let download = started.elapsed();

    let started = Instant::now();
    let mut child = command
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(no_cargo)?;
    let mut errors = child.stderr.take();
    let stderr = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(pipe) = errors.as_mut() {
            // A pipe that breaks ends the text; the exit status below says whether that matters.
            let _ = pipe.read_to_string(&mut text);
        }
        text
    });
    let mut tally = Tally::new(needed.len());
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
            tally.line(&line);
        }
    }
    let status = child.wait().map_err(|source| Error::io("wait for cargo in", workspace.root(), source))?;
    let stderr = stderr.join().unwrap_or_default();
    tally.finish();
    write_log(workspace, &stderr);
    if !status.success() {
        return Err(Error::Failed {
            what: format!("building {}", project.told()),
            status: status.to_string(),
            hint: "the whole log is in .workbench/logs/build.log".into(),
            tail: tail(&stderr, 25),
        });
    }
    let shared_object = match own {
        true => project.built().join(project.shared_object()),
        false => build_folder()?.join(SHARED_OBJECT),
    };
    if !shared_object.is_file() {
        return Err(Error::Failed {
            what: "the build ended well but left no library for cells".into(),
            status: shared_object.display().to_string(),
            hint: match own {
                true => "see that the profile `dev` builds into `debug`".into(),
                false => "run through `cargo workbench`, which uses the profile that the build uses".into(),
            },
            tail: String::new(),
        });
    }
    if !own {
        note_setting(workspace)?;
    }
    Ok(Built {
        shared_object,
        compiled: tally.compiled.len(),
        download,
        compile: started.elapsed(),
        longest: tally.longest(5),
    })
}

/// Notes for which GPU setting the crate is built now, for `doctor`.
fn note_setting(workspace: &Workspace) -> Result<()> {
    let file = workspace.state().join(features::BUILT);
    let Some(setting) = Setting::read(&workspace.state())? else {
        // It may never have been there.
        let _ = std::fs::remove_file(file);
        return Ok(());
    };
    std::fs::write(&file, setting.describe()).map_err(|source| Error::io("write", &file, source))
}

impl Built {
    /// A line or two on where the time went; nothing when everything was fresh.
    pub fn report(&self) -> Vec<String> {
        if self.compiled == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "compiled {} in {:.0} s (download {:.0} s)",
            count(self.compiled, "package"),
            self.compile.as_secs_f64(),
            self.download.as_secs_f64()
        )];
        if !self.longest.is_empty() {
            let waits: Vec<String> =
                self.longest.iter().map(|(name, wait)| format!("{name} {:.0} s", wait.as_secs_f64())).collect();
            lines.push(format!("longest waits ended with: {}", waits.join(", ")));
        }
        lines
    }
}

/// Counts finished packages from cargo's JSON lines.
struct Tally {
    total: usize,
    seen: BTreeSet<String>,
    compiled: BTreeSet<String>,
    waits: BTreeMap<String, Duration>,
    last: Instant,
    started: Instant,
    bar: Option<ProgressBar>,
    next_plain: usize,
}

impl Tally {
    fn new(total: usize) -> Self {
        Tally {
            total,
            seen: BTreeSet::new(),
            compiled: BTreeSet::new(),
            waits: BTreeMap::new(),
            last: Instant::now(),
            started: Instant::now(),
            bar: None,
            next_plain: 0,
        }
    }

    fn line(&mut self, line: &str) {
        let Some((name, fresh)) = finished_package(line) else {
            return;
        };
        if !fresh {
            *self.waits.entry(name.clone()).or_default() += self.last.elapsed();
            self.compiled.insert(name.clone());
        }
        self.last = Instant::now();
        self.seen.insert(name.clone());
        if !fresh {
            self.show(&name);
        }
    }

    fn show(&mut self, name: &str) {
        let done = self.seen.len().min(self.total);
        if workbench_base::progress::is_terminal() {
            let total = self.total as u64;
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::new(total);
                bar.set_style(
                    ProgressStyle::with_template("  building {bar:30} {pos}/{len} packages  {elapsed}  {msg}")
                        .unwrap_or_else(|_| ProgressStyle::default_bar()),
                );
                bar.enable_steady_tick(Duration::from_millis(200));
                bar
            });
            bar.set_position(done as u64);
            bar.set_message(name.to_string());
        } else if done >= self.next_plain {
            eprintln!(
                "  building {done}/{} packages, {:.0} s, {name}",
                self.total,
                self.started.elapsed().as_secs_f64()
            );
            self.next_plain = done + 25;
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn longest(&self, count: usize) -> Vec<(String, Duration)> {
        let mut waits: Vec<(String, Duration)> = self
            .waits
            .iter()
            .filter(|(_, wait)| wait.as_secs() >= 1)
            .map(|(name, wait)| (name.clone(), *wait))
            .collect();
        waits.sort_by_key(|(_, wait)| std::cmp::Reverse(*wait));
        waits.truncate(count);
        waits
    }
}

/// Name of the package that a JSON line says is finished, and whether it was fresh.
fn finished_package(line: &str) -> Option<(String, bool)> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message.get("reason")?.as_str()? != "compiler-artifact" {
        return None;
    }
    let id = message.get("package_id")?.as_str()?;
    Some((package_name(id), message.get("fresh")?.as_bool()?))
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

fn write_log(workspace: &Workspace, text: &str) {
    // The log is a convenience: a build must not fail because its log could not be kept.
    if let Ok(logs) = workspace.logs() {
        let _ = std::fs::write(logs.join("build.log"), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tally_counts_packages_once_and_fresh_ones_apart() {
        let mut tally = Tally::new(3);
        let line = |name: &str, fresh: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"registry+https://x#{name}@1.0.0","fresh":{fresh}}}"#
            )
        };
        tally.line(&line("a", true));
        tally.line(&line("b", false));
        tally.line(&line("b", false));
        tally.line("not json");
        tally.line(r#"{"reason":"build-finished","success":true}"#);
        assert_eq!(tally.seen.len(), 2);
        assert_eq!(tally.compiled.iter().collect::<Vec<_>>(), vec!["b@1.0.0"]);
    }

    #[test]
    fn package_names_come_out_of_ids() {
        assert_eq!(package_name("registry+https://x#serde@1.0.1"), "serde@1.0.1");
        assert_eq!(package_name("path+file:///a/workbench#0.1.0"), "workbench@0.1.0");
    }
}
