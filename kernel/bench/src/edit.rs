//! `cargo workbench bench edit`: from an edit of a check, or of a method that it uses, to the verdict on screen.
//!
//! The edit is real: a statement that the compiler has not seen before at the head of the check's `run`, or a function that it has not
//! seen before at the end of the method's file. The file is put back when a round ends, however it ends, and the clock runs for what a
//! reader waits for: `cargo workbench verify CLAIM`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime};

use workbench_base::error::{Error, Result};
use workbench_base::progress::{self, table};
use workbench_base::text::tail;
use workbench_record::{Checks, atomic};
use workbench_setup::Ready;

use super::args::{BenchEditArgs, at_least_one};
use super::machine;
use super::measure::quantile;

/// Where a check's own code begins.
const RUN: &str = "fn run(s: &Sheet) -> Done ";

/// What is edited, and the longest median that is asked for, in seconds.
const LIMITS: [(&str, f64); 2] = [("a check", 20.0), ("a method", 40.0)];

/// Runs the benchmark; returns the exit status.
pub fn command(args: &BenchEditArgs) -> Result<i32> {
    let option = |option: &'static str, value: &str, why: String| Error::Option { option, value: value.into(), why };
    at_least_one(&[("--repeats", args.repeats)])?;
    let ready = workbench_setup::for_notebooks()?;
    let root = ready.workspace.root();
    let checks = Checks::read(root);
    let check = checks.of(&args.claim).ok_or_else(|| {
        option(
            "--claim",
            &args.claim,
            "no check of it stands in the crate: `cargo workbench list` names the claims".into(),
        )
    })?;
    let files = [root.join(&check.file), root.join(&args.method)];
    if !files[1].is_file() {
        let value = args.method.display().to_string();
        return Err(option("--method", &value, "there is no such file in the project".into()));
    }
    machine::warn_if_busy();
    progress::step(&format!("a first `verify {}`, which is not counted", args.claim));
    verdict(&ready, &args.claim)?;
    let mut rows = Vec::new();
    for ((what, limit), file) in LIMITS.iter().zip(&files) {
        progress::step(&format!("{} edits of {}", args.repeats, file.display()));
        let mut seconds = Vec::new();
        for round in 0..args.repeats {
            let edit = Edit::make(file, round)?;
            let begun = Instant::now();
            verdict(&ready, &args.claim)?;
            seconds.push(begun.elapsed().as_secs_f64());
            drop(edit);
        }
        rows.push(row(what, &args.claim, &seconds, *limit));
    }
    let header = ["edited", "to the verdict of", "median, s", "least", "most", "limit", ""];
    println!("\n{}", table(&header, &rows, &[2, 3, 4, 5]));
    Ok(0)
}

fn row(what: &str, claim: &str, seconds: &[f64], limit: f64) -> Vec<String> {
    let at = |q: f64| quantile(seconds, q).unwrap_or(f64::NAN);
    let number = |value: f64| format!("{value:.1}");
    vec![
        what.to_string(),
        claim.to_string(),
        number(at(0.5)),
        number(at(0.0)),
        number(at(1.0)),
        format!("{limit:.0}"),
        if at(0.5) <= limit { "met" } else { "MISSED" }.to_string(),
    ]
}

/// The verdict of a claim, computed by what is built from the sources as they stand.
fn verdict(ready: &Ready, claim: &str) -> Result<()> {
    let program = std::env::current_exe()
        .ok()
        .and_then(|bench| Some(bench.parent()?.join("workbench")))
        .unwrap_or_else(|| PathBuf::from("workbench"));
    let output = Command::new(&program)
        .args(["verify", claim])
        .current_dir(ready.workspace.root())
        .envs(ready.environment.iter().cloned())
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Start {
            program: program.display().to_string(),
            source,
            hint: "build it with `cargo workbench setup`".into(),
        })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Failed {
        what: format!("verify {claim}"),
        status: output.status.to_string(),
        hint: "run it by hand to see its message".into(),
        tail: tail(&String::from_utf8_lossy(&output.stderr), 8),
    })
}

/// A file with an edit in it, which is put back when this value is dropped.
struct Edit {
    file: PathBuf,
    text: String,
}

impl Edit {
    fn make(file: &Path, round: usize) -> Result<Edit> {
        let text = fs::read_to_string(file).map_err(|source| Error::io("read", file, source))?;
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let edit = Edit { file: file.to_path_buf(), text };
        write(file, &edited(&edit.text, round, now))?;
        Ok(edit)
    }
}

impl Drop for Edit {
    fn drop(&mut self) {
        if let Err(error) = write(&self.file, &self.text) {
            progress::note(&format!("{error}; `git checkout {}` puts it back", self.file.display()));
        }
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    atomic::write(file, text.as_bytes()).map_err(|source| Error::io("write", file, source))
}

/// The text with something new in it: in `run` where there is one, else at the end.
fn edited(text: &str, round: usize, now: u128) -> String {
    let inside = text.find(RUN).and_then(|run| Some(run + text[run..].find("{\n")? + "{\n".len()));
    match inside {
        Some(at) => {
            let (before, after) = text.split_at(at);
            format!("{before}    std::hint::black_box({now}_u128);\n{after}")
        }
        None => format!(
            "{text}\n/// Round {round} of the benchmark.\npub fn edited_by_the_benchmark() -> u128 {{\n    {now}\n}}\n"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_something_new_where_the_work_is() {
        let check = "fn run(s: &Sheet) -> Done {\n    work()\n}\n";
        assert_eq!(edited(check, 0, 7).lines().nth(1), Some("    std::hint::black_box(7_u128);"));
        let method = "/// f\npub fn f() {}\n";
        let text = edited(method, 1, 7);
        assert!(text.starts_with(method) && text.contains("-> u128 {\n    7\n}"), "{text}");
        assert_ne!(text, edited(method, 1, 8));
    }

    #[test]
    fn the_file_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("method.rs");
        fs::write(&file, "pub fn f() {}\n").unwrap();
        let edit = Edit::make(&file, 0).unwrap();
        assert_ne!(fs::read_to_string(&file).unwrap(), "pub fn f() {}\n");
        drop(edit);
        assert_eq!(fs::read_to_string(&file).unwrap(), "pub fn f() {}\n");
    }

    #[test]
    fn rows_say_whether_the_limit_is_met() {
        assert_eq!(row("a check", "m/1", &[3.0, 1.0, 2.0], 20.0)[2..], ["2.0", "1.0", "3.0", "20", "met"]);
        assert_eq!(row("a check", "m/1", &[21.0], 20.0)[6], "MISSED");
    }
}
