//! `cargo workbench test`: everything that has to hold before a change is taken, in order, with one closing line.

mod browsers;
pub mod device;
mod slurm;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::{Args, ValueEnum};
use workbench_record::{Audit, Scale};

use crate::args::{jobs, seconds};
use crate::error::{Error, Result};
use crate::run::args::RunArgs;
use crate::setup::crate_build::{cargo, no_cargo};
use crate::setup::paths::build_folder;
use crate::setup::system::{Machine, tail};
use crate::setup::{self, Ready, features};
use crate::{progress, run, rustdoc};

/// What `test` looks at, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Format, lints, unit and integration tests, documentation
    Code,
    /// What is compiled for GPUs only
    Cuda,
    /// Spelling
    Spelling,
    /// Every notebook at quick scale, and the ledger of that run
    Notebooks,
    /// The record, and how the notebooks read
    Record,
    /// The site of the record, in a browser
    Site,
    /// JupyterLab in a browser
    Lab,
    /// A sweep on Slurm
    Sweep,
}

/// Options of `test`.
#[derive(Args, Clone, Debug)]
pub struct TestArgs {
    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS")]
    pub only: Vec<Part>,
    /// Notebooks to run side by side
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = jobs)]
    pub jobs: usize,
    /// Longest time for one cell in seconds
    #[arg(long, default_value_t = 1200.0, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: f64,
    /// Check the feature `cuda` with a real compiler, installed where there is none (0.7 GB), and not with a stand-in
    #[arg(long)]
    pub real_cuda: bool,
    /// Skip nothing: install Slurm where it is missing and may be installed, and fail without a browser
    #[arg(long)]
    pub complete: bool,
}

/// A step that is one call of cargo: its name, the arguments, more of the environment.
type CargoStep<'a> = (&'a str, &'a [&'a str], &'a [(String, String)]);

/// What passed and what did not.
#[derive(Debug, Default)]
struct Tally {
    passed: Vec<String>,
    failed: Vec<String>,
    times: Vec<(String, f64)>,
}

impl Tally {
    fn add(&mut self, name: &str, ok: bool, seconds: f64) {
        let list = if ok { &mut self.passed } else { &mut self.failed };
        list.push(name.to_string());
        self.times.push((name.to_string(), seconds));
        println!(
            "{} {name} ({})",
            if ok { "ok    " } else { "FAILED" },
            progress::seconds(seconds)
        );
    }

    fn closing_line(&self) -> String {
        format!("{} passed, {} failed", self.passed.len(), self.failed.len())
    }
}

/// Runs all steps, also after one that failed; returns the exit status.
pub fn command(args: &TestArgs) -> Result<i32> {
    let started = Instant::now();
    let mut tally = Tally::default();
    let ready = setup::for_notebooks()?;
    // One of the tests drives the kernel with public clients; installed here, so that the wait is told.
    let clients = setup::python::ensure_clients(&ready.workspace, &Machine, &mut progress::step)?;
    tally.add("set-up and build", true, started.elapsed().as_secs_f64());

    let wanted = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let features = features::args_of(&ready.workspace)?;
    let features: Vec<&str> = features.iter().map(String::as_str).collect();
    let test = [&["test", "--workspace", "--locked", "--no-fail-fast"], &features[..]].concat();
    let denied = [(rustdoc::DENIED.0.to_owned(), rustdoc::DENIED.1.to_owned())];
    let steps: [CargoStep<'_>; 4] = [
        ("cargo fmt --check", &["fmt", "--check"], &[]),
        (
            "cargo clippy",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                // The façade's rooms on candle; the rooms themselves are members, which all steps see.
                "--features",
                "workbench/tensors",
                "--locked",
                "--",
                "-D",
                "warnings",
            ],
            &[],
        ),
        ("cargo test", &test, &[]),
        ("cargo doc", &rustdoc::CARGO, &denied),
    ];
    for (name, line, more) in steps.into_iter().filter(|_| wanted(Part::Code)) {
        println!("\n==> {name}");
        let started = Instant::now();
        let ok = cargo_step(&ready, name, line, more)?;
        tally.add(name, ok, started.elapsed().as_secs_f64());
    }
    if wanted(Part::Code) {
        equations(&ready, &mut tally);
    }

    if wanted(Part::Cuda) {
        println!("\n==> the feature cuda");
        without_a_gpu(&ready, args.real_cuda, &mut tally)?;
    }
    if wanted(Part::Spelling) {
        println!("\n==> spelling");
        let started = Instant::now();
        let ok = spelling(&clients.join("bin/typos"), ready.workspace.root());
        tally.add("spelling", ok, started.elapsed().as_secs_f64());
    }

    let mut left = None;
    if wanted(Part::Notebooks) {
        let results = scratch()?;
        if notebooks(args, &ready, &results, &mut tally)? == run::outcome::INTERRUPTED {
            return Ok(run::outcome::INTERRUPTED);
        }
        left = Some(results);
    }
    if wanted(Part::Record) {
        record(&ready, &mut tally)?;
    }
    if wanted(Part::Site) || wanted(Part::Lab) {
        browsers::steps(&ready, args.complete, &wanted, &mut tally)?;
    }
    if wanted(Part::Sweep) {
        slurm::step(&ready, args.complete, &mut tally)?;
    }

    println!("\ntook {}", progress::seconds(tally_time(&tally)));
    for name in &tally.failed {
        println!("FAILED {name}");
    }
    if let Some(results) = left {
        if tally.failed.is_empty() {
            // What cannot be taken away is only disk space.
            let _ = std::fs::remove_dir_all(&results);
        } else {
            println!("tables and outputs of this test are in {}", results.display());
        }
    }
    println!("{}", tally.closing_line());
    Ok(i32::from(!tally.failed.is_empty()))
}

/// Sets the equations of the pages that cargo has just written; fails if one stays as text.
fn equations(ready: &Ready, tally: &mut Tally) {
    println!("\n==> equations of the pages");
    let started = Instant::now();
    let set = rustdoc::folder().and_then(|folder| rustdoc::typeset_all(ready.workspace.root(), &folder));
    let ok = match set {
        Ok(set) => {
            set.wrong.iter().for_each(|text| println!("{text}"));
            println!("{}", set.line());
            set.wrong.is_empty()
        }
        Err(error) => {
            println!("{error}");
            false
        }
    };
    tally.add("equations of the pages", ok, started.elapsed().as_secs_f64());
}

/// Runs every notebook, and audits what the run has written; the status of a run that was stopped, or 0.
fn notebooks(args: &TestArgs, ready: &Ready, results: &Path, tally: &mut Tally) -> Result<i32> {
    println!("\n==> every notebook at quick scale");
    let run_args = RunArgs {
        jobs: args.jobs,
        timeout: args.timeout,
        results: Some(results.to_path_buf()),
        strict: true,
        // The audit below prints it.
        no_coverage: true,
        ..RunArgs::default()
    };
    let started = Instant::now();
    match run::run(&run_args, ready) {
        Ok(outcomes) if outcomes.iter().any(|outcome| outcome.cancelled) => return Ok(run::outcome::INTERRUPTED),
        Ok(outcomes) => {
            run::report::tell(&run_args, ready, results, &outcomes)?;
            let outcome = outcomes.into_iter().next().unwrap_or_default();
            let mut bad: Vec<&str> = Vec::new();
            for problem in &outcome.problems {
                if !bad.contains(&problem.notebook.as_str()) {
                    bad.push(&problem.notebook);
                }
            }
            let seconds = started.elapsed().as_secs_f64();
            for name in outcome.passed.iter().filter(|name| !bad.contains(&name.as_str())) {
                tally.add(&format!("notebook {name}"), true, seconds);
            }
            for name in bad {
                tally.add(&format!("notebook {name}"), false, seconds);
            }
        }
        Err(error) => {
            println!("{error}");
            tally.add("notebooks", false, started.elapsed().as_secs_f64());
        }
    }
    println!("\n==> ledger of this run");
    let started = Instant::now();
    let sound = audit(ready, results, Some(Scale::Quick))?;
    tally.add("audit of this run", sound, started.elapsed().as_secs_f64());
    Ok(0)
}

/// Audits the record, and holds prose and maps to it.
fn record(ready: &Ready, tally: &mut Tally) -> Result<()> {
    println!("\n==> the record");
    let started = Instant::now();
    let sound = audit(ready, &ready.workspace.results(), None)?;
    tally.add("audit of the record", sound, started.elapsed().as_secs_f64());

    println!("\n==> notebooks: how they read, prose and maps against the record");
    let started = Instant::now();
    let wrong = crate::lint::complaints(&ready.workspace)?;
    wrong.iter().for_each(|text| println!("{text}"));
    println!("{} complaints", wrong.len());
    tally.add("prose and maps", wrong.is_empty(), started.elapsed().as_secs_f64());
    Ok(())
}

/// Checks what is compiled for GPUs only.
fn without_a_gpu(ready: &Ready, real: bool, tally: &mut Tally) -> Result<()> {
    let folder = build_folder()?.join("../workbench-test/cuda");
    let started = Instant::now();
    let gpu = match device::prepare(ready, &folder, real) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("{error}");
            tally.add("null driver", false, started.elapsed().as_secs_f64());
            return Ok(());
        }
    };
    println!("with {}", gpu.toolkit);
    let mut step = |name: &str, verb: &str, more: &[&str], environment: &[(String, String)]| -> Result<()> {
        let started = Instant::now();
        let line = [&[verb, "--workspace", "--features", "workbench/cuda", "--locked"], more].concat();
        let ok = cargo_step(ready, name, &line, environment)?;
        tally.add(name, ok, started.elapsed().as_secs_f64());
        Ok(())
    };
    step(
        "cargo clippy with cuda",
        "clippy",
        &["--all-targets", "--", "-D", "warnings"],
        &gpu.build,
    )?;
    step("null driver", "test", &["--test", "null_driver"], &gpu.count)?;
    if let Some(compiler) = &gpu.compiler {
        let started = Instant::now();
        let said = device::kernels_compile(ready, compiler, &folder)?;
        let ok = said.inspect_err(|said| println!("{said}")).is_ok();
        tally.add("kernels of our own", ok, started.elapsed().as_secs_f64());
    }
    let started = Instant::now();
    let ok = match device::bundle_runs(ready, &gpu, &folder.join("bundle")) {
        Ok(said) => said.inspect_err(|said| println!("{said}")).is_ok(),
        Err(error) => {
            println!("{error}");
            false
        }
    };
    tally.add("bundle under the null driver", ok, started.elapsed().as_secs_f64());
    Ok(())
}

/// Whether the spell checker finds nothing in the project; it prints what it finds.
fn spelling(program: &Path, root: &Path) -> bool {
    let status = Command::new(program)
        .args(["--format", "brief", "."])
        .current_dir(root)
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            println!("could not start {}: {error}", program.display());
            false
        }
    }
}

/// Whether registry, notebooks, committed verdicts and the tables of a folder agree; prints what does not.
fn audit(ready: &Ready, results: &Path, scale: Option<Scale>) -> Result<bool> {
    let audit = Audit::run(&ready.workspace.notebooks(), results, scale)?;
    if scale.is_some() {
        print!("{}", audit.coverage.text());
    }
    for family in &audit.families {
        println!("{}", family.text());
    }
    const SHOWN: usize = 20;
    for problem in audit.problems.iter().take(SHOWN) {
        println!("{problem}");
    }
    if audit.problems.len() > SHOWN {
        println!("... and {} more", audit.problems.len() - SHOWN);
    }
    println!("{} notebooks, {} problems", audit.notebooks.len(), audit.problems.len());
    Ok(audit.problems.is_empty())
}

fn tally_time(tally: &Tally) -> f64 {
    // Notebooks share one time, the time of all of them.
    let mut seen_notebook = false;
    tally
        .times
        .iter()
        .filter(|(name, _)| {
            let notebook = name.starts_with("notebook ");
            !(notebook && std::mem::replace(&mut seen_notebook, true))
        })
        .map(|(_, seconds)| seconds)
        .sum()
}

/// A results folder of this process alone in the build folder, so that a test leaves the tables alone and two tests each other.
fn scratch() -> Result<PathBuf> {
    let mut folder = build_folder()?;
    folder.pop();
    let folder = folder.join("workbench-test");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    let made = tempfile::Builder::new().prefix("results-").tempdir_in(&folder);
    // Kept while a step looks at it; taken away at the end of a test that passed.
    Ok(made
        .map_err(|source| Error::io("make a folder in", &folder, source))?
        .keep())
}

/// Runs a cargo command, with variables of its own beside those of the machine; shows its headings and closing lines as they come, and the end of its output when it fails.
fn cargo_step(ready: &Ready, name: &str, args: &[&str], more: &[(String, String)]) -> Result<bool> {
    let mut command: Command = cargo(&ready.workspace);
    let mut child = command
        .args(args)
        .envs(ready.environment.iter().chain(more).cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(no_cargo)?;
    let file = format!("{}.log", name.replace([' ', '-'], "_"));
    let path = ready.workspace.logs()?.join(file);
    let mut log = std::fs::File::create(&path).map_err(|source| Error::io("write", &path, source))?;
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut lines = Vec::new();
        let mut packages = 0;
        if let Some(stderr) = stderr {
            for line in BufReader::new(stderr).lines().map_while(|line| line.ok()) {
                if is_heading(&line) {
                    println!("{line}");
                }
                if is_package(&line) {
                    packages += 1;
                    if packages % HEARTBEAT == 0 {
                        println!("    {packages} packages compiled or checked");
                    }
                }
                lines.push(line);
            }
        }
        lines
    });
    let mut output = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
            if line.starts_with("test result:") {
                println!("    {line}");
            }
            output.push(line);
        }
    }
    let status = child
        .wait()
        .map_err(|source| Error::io("wait for cargo in", ready.workspace.root(), source))?;
    let errors = reader.join().unwrap_or_default();
    let text = format!("{}\n{}\n", output.join("\n"), errors.join("\n"));
    log.write_all(text.as_bytes())
        .map_err(|source| Error::io("write", &path, source))?;
    if status.success() {
        return Ok(true);
    }
    let from = output
        .iter()
        .position(|line| line == "failures:")
        .unwrap_or(output.len());
    println!("{}", tail(&output[from..].join("\n"), 60));
    println!("{}", tail(&errors.join("\n"), 40));
    let missing = errors
        .iter()
        .any(|line| line.contains("is not installed for the toolchain") || line.contains("no such command"));
    if missing {
        println!("    run `rustup component add rustfmt clippy`, then try again");
    }
    println!("    the whole output is in {}", path.display());
    Ok(false)
}

/// After how many packages a line says that work goes on.
const HEARTBEAT: usize = 50;

/// Lines of cargo's error stream that say that a package is being built.
fn is_package(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Compiling ") || line.starts_with("Checking ")
}

/// Lines of cargo's error stream that say which test program runs.
fn is_heading(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Running ") || line.starts_with("Doc-tests ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_counts_every_step_and_notebook() {
        let mut tally = Tally::default();
        tally.add("cargo fmt", true, 1.0);
        tally.add("notebook a", true, 5.0);
        tally.add("notebook b", false, 5.0);
        assert_eq!(tally.closing_line(), "2 passed, 1 failed");
        assert_eq!(tally_time(&tally), 6.0);
    }

    #[test]
    fn headings_are_told_from_compiler_lines() {
        assert!(is_heading("     Running unittests src/lib.rs (target/debug/deps/x)"));
        assert!(is_heading("   Doc-tests workbench"));
        assert!(!is_heading("   Compiling polars v0.55.2"));
        assert!(is_package("   Compiling polars v0.55.2"));
        assert!(is_package("    Checking serde v1.0.0"));
        assert!(!is_package("   Doc-tests workbench"));
    }
}
