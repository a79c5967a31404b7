//! `cargo workbench test`: everything that has to hold before a change is taken, with the time of each step and one closing line.

mod beside;
mod browsers;
mod cargo_step;
pub mod device;
mod slurm;
mod tally;
pub mod worst;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::{Args, ValueEnum};
use workbench_record::{Audit, Scale};

use beside::Beside;
use tally::Tally;
use workbench_base::args::{jobs, seconds};
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::count;
use workbench_pages::rustdoc;
use workbench_run::args::RunArgs;
use workbench_setup::paths::Workspace;
use workbench_setup::paths::build_folder;
use workbench_setup::system::Machine;
use workbench_setup::{Ready, features};

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
    /// Write the times of this test into the table that later ones are compared with; from a bare clone, with --complete
    #[arg(long)]
    pub keep_times: bool,
    /// Leave what was found in this file for the test that this one runs beside
    #[arg(long, hide = true, value_name = "FILE")]
    pub hand_over: Option<PathBuf>,
    /// Skip nothing: install Slurm where it is missing and may be installed, and fail without a browser
    #[arg(long)]
    pub complete: bool,
}

/// Runs all steps, also after one that failed; returns the exit status.
pub fn command(args: &TestArgs) -> Result<i32> {
    let started = Instant::now();
    let mut tally = Tally::default();
    Workspace::checkout("test")?;
    let ready = workbench_setup::for_notebooks()?;
    let wanted = |part: Part| args.only.is_empty() || args.only.contains(&part);
    if args.hand_over.is_none() {
        tally.add("set-up and build", true, started.elapsed().as_secs_f64());
    }

    if wanted(Part::Code) || wanted(Part::Cuda) {
        code(args, &ready, &wanted, &mut tally)?;
    }
    if wanted(Part::Spelling) {
        spelling(&ready, &mut tally)?;
    }

    // What waits for browsers, sockets and nodes runs while notebooks compute.
    const WAITING: [Part; 4] = [Part::Record, Part::Site, Part::Lab, Part::Sweep];
    let waiting: Vec<Part> = WAITING.into_iter().filter(|part| wanted(*part)).collect();
    let mut results = None;
    if wanted(Part::Notebooks) {
        let folder = results.insert(scratch()?);
        let beside = match waiting.as_slice() {
            [] => None,
            parts => Some(Beside::start(parts, args, folder)?),
        };
        let stopped = notebooks(args, &ready, folder, &mut tally);
        if let Some(beside) = beside {
            beside.end(&mut tally);
        }
        if stopped? {
            return Ok(workbench_run::outcome::INTERRUPTED);
        }
    } else {
        alone(args, &ready, &waiting, &mut tally)?;
    }
    close(args, &ready, results.as_deref(), &tally, started.elapsed().as_secs_f64())
}

/// These parts one after another, the sweep beside them.
fn alone(args: &TestArgs, ready: &Ready, parts: &[Part], tally: &mut Tally) -> Result<()> {
    let wanted = |part: Part| parts.contains(&part);
    let sweep = match wanted(Part::Sweep) {
        true => slurm::start(ready, args.complete)?,
        false => None,
    };
    if wanted(Part::Record) {
        record(ready, tally)?;
    }
    if wanted(Part::Site) || wanted(Part::Lab) {
        browsers::steps(ready, args.complete, &wanted, tally)?;
    }
    if let Some(sweep) = sweep {
        sweep.end(tally);
    }
    Ok(())
}

/// Prints the times, what failed and the closing line; the exit status.
fn close(args: &TestArgs, ready: &Ready, results: Option<&Path>, tally: &Tally, took: f64) -> Result<i32> {
    let failed = tally.failed().count();
    if let Some(file) = &args.hand_over {
        tally.hand_over(file)?;
        return Ok(i32::from(failed > 0));
    }
    let root = ready.workspace.root();
    println!("\n{}", tally.times(root)?);
    println!("took {}", progress::seconds(took));
    if args.keep_times {
        println!("these times are in {}", tally.keep_times(root)?.display());
    }
    tally.failed().for_each(|name| println!("FAILED {name}"));
    match results {
        // What cannot be taken away is only disk space.
        Some(results) if failed == 0 => drop(std::fs::remove_dir_all(results)),
        Some(results) => println!("tables and outputs of this test are in {}", results.display()),
        None => {}
    }
    println!("{}", tally.closing_line());
    Ok(i32::from(failed > 0))
}

/// Formatting, lints, documentation and tests; the feature for GPUs with what stands in for a toolkit.
fn code(args: &TestArgs, ready: &Ready, wanted: &dyn Fn(Part) -> bool, tally: &mut Tally) -> Result<()> {
    let folder = build_folder()?.join("../workbench-test/cuda");
    let started = Instant::now();
    let gpu = device::prepare(ready, &folder, args.real_cuda).inspect_err(|error| println!("{error}")).ok();
    if gpu.is_none() {
        tally.add("a toolkit for the feature cuda", false, started.elapsed().as_secs_f64());
    }
    let mut step = |name: &str, line: &[&str], more: &[(String, String)]| -> Result<()> {
        println!("\n==> {name}");
        let started = Instant::now();
        let ok = cargo_step::run(ready, name, line, more)?;
        tally.add(name, ok, started.elapsed().as_secs_f64());
        Ok(())
    };
    if wanted(Part::Code) {
        step("cargo fmt --check", &["fmt", "--check"], &[])?;
    }
    // Lints and pages see all features, so that both read the same checked dependencies.
    let all = ["--features", "workbench/cuda", "--locked"];
    if let Some(gpu) = &gpu {
        let lints = [&["clippy", "--workspace", "--all-targets"], &all[..], &["--", "-D", "warnings"]].concat();
        step("cargo clippy", &lints, &gpu.build)?;
        if wanted(Part::Code) {
            let denied = (rustdoc::DENIED.0.to_owned(), rustdoc::DENIED.1.to_owned());
            let more = [&gpu.build[..], &[denied]].concat();
            step("cargo doc", &[&rustdoc::CARGO[..], &all[..2]].concat(), &more)?;
        }
    }
    if wanted(Part::Code) {
        equations(ready, tally);
        tests(ready, tally)?;
    }
    match &gpu {
        Some(gpu) if wanted(Part::Cuda) => without_a_gpu(ready, gpu, &folder, tally),
        _ => Ok(()),
    }
}

/// Unit and integration tests, then the examples of the documentation. Programs that are only examples are linted and not linked.
fn tests(ready: &Ready, tally: &mut Tally) -> Result<()> {
    // One of the tests drives the kernel with public clients; installed here, so that the wait is told.
    workbench_setup::python::ensure_clients(&ready.workspace, &Machine, &mut progress::step)?;
    let features = features::args_of(&ready.workspace)?;
    let features: Vec<&str> = features.iter().map(String::as_str).collect();
    for (name, which) in [("cargo test", "--tests"), ("cargo test --doc", "--doc")] {
        println!("\n==> {name}");
        let started = Instant::now();
        let line = [&["test", "--workspace", "--locked", "--no-fail-fast", which], &features[..]].concat();
        let ok = cargo_step::run(ready, name, &line, &[])?;
        tally.add(name, ok, started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Sets the equations of the pages that cargo has just written; fails if one stays as text.
fn equations(ready: &Ready, tally: &mut Tally) {
    println!("\n==> equations of the pages");
    let started = Instant::now();
    let set = rustdoc::folder().and_then(|folder| rustdoc::typeset_checkout(ready.workspace.root(), &folder));
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

/// Runs every notebook, and audits what the run has written; whether the run was stopped.
fn notebooks(args: &TestArgs, ready: &Ready, results: &Path, tally: &mut Tally) -> Result<bool> {
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
    let ended = workbench_run::run(&run_args, ready);
    let seconds = started.elapsed().as_secs_f64();
    match ended {
        Ok(outcomes) if outcomes.iter().any(|outcome| outcome.cancelled) => return Ok(true),
        Ok(outcomes) => {
            workbench_run::report::tell(&run_args, ready, results, &outcomes)?;
            let outcome = outcomes.into_iter().next().unwrap_or_default();
            let bad: BTreeSet<&str> = outcome.problems.iter().map(|problem| problem.notebook.as_str()).collect();
            tally.add("notebooks", bad.is_empty(), seconds);
            for name in outcome.passed.iter().filter(|name| !bad.contains(name.as_str())) {
                tally.count(&format!("notebook {name}"), true);
            }
            for name in bad {
                tally.count(&format!("notebook {name}"), false);
            }
        }
        Err(error) => {
            println!("{error}");
            tally.add("notebooks", false, seconds);
        }
    }
    println!("\n==> ledger of this run");
    let started = Instant::now();
    let sound = audit(ready, results, Some(Scale::Quick))?;
    tally.add("audit of this run", sound, started.elapsed().as_secs_f64());
    Ok(false)
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
    println!("{}", count(wrong.len(), "complaint"));
    tally.add("prose and maps", wrong.is_empty(), started.elapsed().as_secs_f64());
    Ok(())
}

/// Runs what is compiled for GPUs only on libraries that compute nothing.
fn without_a_gpu(ready: &Ready, gpu: &device::Gpu, folder: &Path, tally: &mut Tally) -> Result<()> {
    println!("\n==> the feature cuda, with {}", gpu.toolkit);
    let started = Instant::now();
    let line = ["test", "--workspace", "--features", "workbench/cuda", "--locked", "--test", "null_driver"];
    let ok = cargo_step::run(ready, "null driver", &line, &gpu.count)?;
    tally.add("null driver", ok, started.elapsed().as_secs_f64());
    if let Some(compiler) = &gpu.compiler {
        let started = Instant::now();
        let said = device::kernels_compile(ready, compiler, folder)?;
        let ok = said.inspect_err(|said| println!("{said}")).is_ok();
        tally.add("kernels of our own", ok, started.elapsed().as_secs_f64());
    }
    let started = Instant::now();
    let ok = match device::bundle_runs(ready, gpu, &folder.join("bundle")) {
        Ok(said) => said.inspect_err(|said| println!("{said}")).is_ok(),
        Err(error) => {
            println!("{error}");
            false
        }
    };
    tally.add("bundle under the null driver", ok, started.elapsed().as_secs_f64());
    Ok(())
}

/// Has the spell checker read the project; it prints what it finds.
fn spelling(ready: &Ready, tally: &mut Tally) -> Result<()> {
    println!("\n==> spelling");
    let clients = workbench_setup::python::ensure_clients(&ready.workspace, &Machine, &mut progress::step)?;
    let started = Instant::now();
    let program = clients.join("bin/typos");
    let status = Command::new(&program)
        .args(["--format", "brief", "."])
        .current_dir(ready.workspace.root())
        .stdin(Stdio::null())
        .status();
    if let Err(error) = &status {
        println!("could not start {}: {error}", program.display());
    }
    let ok = status.is_ok_and(|status| status.success());
    tally.add("spelling", ok, started.elapsed().as_secs_f64());
    Ok(())
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
    println!("{}, {}", count(audit.notebooks.len(), "notebook"), count(audit.problems.len(), "problem"));
    Ok(audit.problems.is_empty())
}

/// A results folder of this process alone in the build folder, so that a test leaves the tables alone and two tests each other.
fn scratch() -> Result<PathBuf> {
    let mut folder = build_folder()?;
    folder.pop();
    let folder = folder.join("workbench-test");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    let made = tempfile::Builder::new().prefix("results-").tempdir_in(&folder);
    // Kept while a step looks at it; taken away at the end of a test that passed.
    Ok(made.map_err(|source| Error::io("make a folder in", &folder, source))?.keep())
}
