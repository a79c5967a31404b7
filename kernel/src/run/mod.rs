//! Runs notebooks headless: kernel, outputs, verdicts, exit status. No Python is involved.

pub mod atomic;
pub mod client;
pub mod display;
pub mod notebook;
pub mod outputs;
pub mod report;
pub mod session;
pub mod tables;

#[cfg(test)]
pub(crate) mod fake_kernel;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::cli::RunArgs;
use crate::error::{Error, Result};
use crate::setup::paths::{Workspace, this_binary};
use crate::setup::{self, Ready};
use crate::{ledger_program, progress};
use client::{Interrupt, KernelCommand};
use display::Display;
use notebook::Notebook;
use report::{Baseline, Problem, Recorded, Verdicts};
use session::{Event, Limits, SessionReport};

/// Exit status after Ctrl-C.
pub const INTERRUPTED: i32 = 130;

/// What a run gave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Notebooks that ran to their end.
    pub passed: Vec<String>,
    /// What went wrong.
    pub problems: Vec<Problem>,
    /// Whether it was stopped from outside.
    pub cancelled: bool,
}

/// `cargo workbench run`: returns the exit status.
pub fn command(args: &RunArgs) -> Result<i32> {
    let ready = if args.kernel_argv.is_some() {
        Ready {
            workspace: Workspace::find()?,
            environment: Vec::new(),
        }
    } else {
        setup::for_notebooks()?
    };
    let outcome = run(args, &ready)?;
    if outcome.cancelled {
        eprintln!("stopped; notebooks and tables are whole");
        return Ok(INTERRUPTED);
    }
    Ok(i32::from(!outcome.problems.is_empty()))
}

/// Runs the notebooks that `args` names and prints the verdicts.
pub fn run(args: &RunArgs, ready: &Ready) -> Result<Outcome> {
    let workspace = &ready.workspace;
    let started = Instant::now();
    let paths = chosen(workspace, &args.notebook)?;
    let mut notebooks = Vec::new();
    for path in &paths {
        notebooks.push(Notebook::read_ours(path)?);
    }
    let results = results_folder(args, workspace)?;
    tables::check_writable(&results)?;
    let committed = workspace.results().join("expected.csv");
    let scale = args.scale.name();
    let expected = tables::expected(&committed, scale)?;
    let notebook_of = tables::notebooks_of_claims(&workspace.notebooks().join("claims.toml"))?;
    progress::step(&format!(
        "running {} notebook{} at scale {scale}, seed {}",
        notebooks.len(),
        if notebooks.len() == 1 { "" } else { "s" },
        args.seed
    ));

    let shared = Shared {
        display: Display::start(),
        recorded: Arc::new(Mutex::new(Recorded::new(&tables::ledger(&results)?))),
        results: results.clone(),
    };
    let plan = Plan {
        args: args.clone(),
        ready: ready.clone(),
        results: results.clone(),
    };
    let reports = run_all(notebooks, plan, &shared)?;

    let mut outcome = Outcome::default();
    let mut finished = Vec::new();
    for report in &reports {
        let name = report.notebook.name();
        outcome.cancelled |= report.cancelled;
        if let Some(failure) = &report.failure {
            outcome.problems.push(Problem {
                notebook: name,
                cell: failure.cell.clone(),
                message: failure.message.clone(),
            });
        } else if !report.cancelled {
            outcome.passed.push(name.clone());
            finished.push(name);
        }
    }
    if outcome.cancelled {
        return Ok(outcome);
    }
    let rows = tables::ledger(&results)?;
    let recorded = shared
        .recorded
        .lock()
        .map(|recorded| recorded.clone())
        .unwrap_or_default();
    let baseline = Baseline {
        scale,
        expected: &expected,
        notebook_of: &notebook_of,
        strict: args.strict,
    };
    let mut verdicts = report::compare(&rows, &recorded, &finished, &baseline);
    let mut gone = BTreeSet::new();
    let accepted = if args.accept {
        let accepted: BTreeMap<String, String> = verdicts
            .rows
            .iter()
            .map(|row| (row.claim.clone(), row.verdict.clone()))
            .collect();
        gone = expected
            .keys()
            .filter(|claim| !accepted.contains_key(*claim))
            .filter(|claim| {
                notebook_of
                    .get(*claim)
                    .is_some_and(|notebook| finished.contains(notebook))
            })
            .cloned()
            .collect();
        tables::accept(&committed, scale, &accepted, &gone)?;
        tables::expected(&committed, scale)?
    } else {
        expected.clone()
    };
    if args.accept {
        let baseline = Baseline {
            expected: &accepted,
            ..baseline
        };
        verdicts = report::compare(&rows, &recorded, &finished, &baseline);
        verdicts.remarks.push(format!(
            "{} verdicts written to {}",
            verdicts.rows.len(),
            committed.display()
        ));
        for claim in gone {
            verdicts.remarks.push(format!(
                "{claim} is no longer recorded: its committed verdict was taken out"
            ));
        }
    }
    outcome.problems.extend(verdicts.problems.clone());
    print_report(&reports, &verdicts, &accepted, &outcome.problems, started);
    if !args.no_coverage {
        coverage(ready, &results, scale);
    }
    Ok(outcome)
}

/// What every notebook's task needs to know.
#[derive(Clone)]
struct Plan {
    args: RunArgs,
    ready: Ready,
    results: PathBuf,
}

/// What the tasks share.
#[derive(Clone)]
struct Shared {
    display: Display,
    recorded: Arc<Mutex<Recorded>>,
    results: PathBuf,
}

impl Shared {
    /// Reads the ledger again and returns the claim that `notebook` recorded last.
    fn look(&self, notebook: &str, cell: Option<&str>) -> Option<String> {
        // A ledger that cannot be read now is reported at the end of the run, where it counts.
        let rows = tables::ledger(&self.results).ok()?;
        let mut recorded = self.recorded.lock().ok()?;
        recorded.look(&rows, notebook, cell);
        recorded.last_claim(notebook).map(str::to_string)
    }

    fn ledger_stamp(&self) -> Option<(SystemTime, u64)> {
        let metadata = std::fs::metadata(self.results.join("ledger.csv")).ok()?;
        #[cfg(unix)]
        let identity = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let identity = metadata.len();
        Some((metadata.modified().ok()?, identity))
    }
}

fn run_all(notebooks: Vec<Notebook>, plan: Plan, shared: &Shared) -> Result<Vec<SessionReport>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::io("start the runner in", Path::new("."), source))?;
    runtime.block_on(async {
        let (stop, cancel) = watch::channel(false);
        let listener = tokio::spawn(async move {
            stop_signal().await;
            eprintln!("\nstopping the kernels");
            // The receivers live as long as the tasks; without any there is nothing to stop.
            let _ = stop.send(true);
            // Keeps the sender, so that the tasks see a value and not a closed channel.
            std::future::pending::<()>().await;
        });
        let mut waiting: VecDeque<Notebook> = notebooks.into();
        let mut tasks = JoinSet::new();
        let mut reports: Vec<SessionReport> = Vec::new();
        let mut first_error = None;
        loop {
            while tasks.len() < plan.args.jobs.max(1) && !*cancel.borrow() {
                let Some(notebook) = waiting.pop_front() else {
                    break;
                };
                let (plan, shared, cancel) = (plan.clone(), shared.clone(), cancel.clone());
                tasks.spawn(one(notebook, plan, shared, cancel));
            }
            match tasks.join_next().await {
                None => break,
                Some(Ok(Ok(report))) => reports.push(report),
                Some(Ok(Err(error))) => {
                    first_error.get_or_insert(error);
                }
                Some(Err(error)) => {
                    first_error.get_or_insert(Error::Failed {
                        what: "a notebook's task".into(),
                        status: error.to_string(),
                        hint: "run again with --jobs 1 and report it".into(),
                        tail: String::new(),
                    });
                }
            }
        }
        listener.abort();
        reports.sort_by(|a, b| a.notebook.path().cmp(b.notebook.path()));
        match first_error {
            Some(error) => Err(error),
            None => Ok(reports),
        }
    })
}

async fn one(
    notebook: Notebook,
    plan: Plan,
    shared: Shared,
    mut cancel: watch::Receiver<bool>,
) -> Result<SessionReport> {
    let name = notebook.name();
    let command = kernel_command(&notebook, &plan)?;
    let limits = Limits {
        cell: (plan.args.timeout > 0.0).then(|| Duration::from_secs_f64(plan.args.timeout)),
        start: Duration::from_secs_f64(plan.args.start_timeout),
    };
    let (events, mut incoming) = tokio::sync::mpsc::unbounded_channel::<Event>();
    let mut show = shared.display.begin(&name, notebook.cells().len());
    let watcher = {
        let (shared, name) = (shared.clone(), name.clone());
        tokio::spawn(async move {
            let mut stamp = shared.ledger_stamp();
            let mut cell: Option<String> = None;
            loop {
                let event = tokio::select! {
                    event = incoming.recv() => match event {
                        Some(event) => Some(event),
                        None => break,
                    },
                    () = tokio::time::sleep(Duration::from_millis(500)) => None,
                };
                let now = shared.ledger_stamp();
                if now != stamp {
                    stamp = now;
                    if let Some(claim) = shared.look(&name, cell.as_deref()) {
                        show.claim(&claim);
                    }
                }
                if let Some(event) = event {
                    if let Event::Cell { id, .. } = &event {
                        cell = Some(id.clone());
                    }
                    show.event(&event);
                }
            }
            show.end();
        })
    };
    let report = session::run(notebook, &command, limits, &mut cancel, &mut |event| {
        // The watcher ends only after this sender is dropped.
        let _ = events.send(event);
    })
    .await;
    drop(events);
    // The watcher only draws; a panic in it must not hide the report.
    let _ = watcher.await;
    shared.look(&name, None);
    let end = match (&report.failure, report.cancelled) {
        (_, true) => "stopped".to_string(),
        (Some(failure), _) => format!("FAILED in cell {}", failure.cell),
        (None, _) => "ok".into(),
    };
    shared.display.line(&format!(
        "  {name}: {end}, {} cells in {}",
        report.cells.len(),
        progress::seconds(report.seconds)
    ));
    keep(&report, &plan, &shared)?;
    Ok(report)
}

/// Writes a notebook's outputs to where they belong: into itself at paper scale, beside the tables at quick scale, and
/// under `failed/` when the run did not reach the end. A stopped run writes nothing.
fn keep(report: &SessionReport, plan: &Plan, shared: &Shared) -> Result<()> {
    if report.cancelled {
        return Ok(());
    }
    let file = format!("{}.ipynb", report.notebook.name());
    let in_place = plan.args.in_place || plan.args.scale.is_paper();
    if report.failure.is_some() {
        let path = plan.results.join("failed").join(file);
        report.notebook.write(&path)?;
        shared
            .display
            .line(&format!("  outputs up to the failure: {}", path.display()));
    } else if in_place && plan.args.results.is_none() {
        report.notebook.write(report.notebook.path())?;
    } else {
        let path = plan.results.join(plan.args.scale.name()).join(file);
        report.notebook.write(&path)?;
    }
    Ok(())
}

fn kernel_command(notebook: &Notebook, plan: &Plan) -> Result<KernelCommand> {
    let workspace = &plan.ready.workspace;
    let argv = match &plan.args.kernel_argv {
        Some(text) => serde_json::from_str(text).map_err(|error| Error::Option {
            option: "--kernel-argv",
            value: text.clone(),
            why: format!("it is not a JSON list of texts ({error})"),
        })?,
        None => vec![
            this_binary()?.display().to_string(),
            "kernel".into(),
            "-f".into(),
            "{connection_file}".into(),
        ],
    };
    let folder = notebook
        .path()
        .parent()
        .map_or_else(|| workspace.notebooks(), Path::to_path_buf);
    let mut environment = plan.ready.environment.clone();
    let set = [
        ("WORKBENCH_ROOT", workspace.root().display().to_string()),
        ("WORKBENCH_SCALE", plan.args.scale.name().to_string()),
        ("WORKBENCH_SEED", plan.args.seed.to_string()),
        ("WORKBENCH_RESULTS", plan.results.display().to_string()),
        ("WORKBENCH_NOTEBOOKS", workspace.notebooks().display().to_string()),
        // Verdicts are compared with the committed ones when all cells have run.
        ("WORKBENCH_VERDICTS", "collect".to_string()),
    ];
    environment.extend(set.map(|(name, value)| (name.to_string(), value)));
    Ok(KernelCommand {
        argv,
        folder,
        environment,
        interrupt: Interrupt::Message,
        log: workspace.logs()?.join(format!("kernel-{}.log", notebook.name())),
    })
}

fn chosen(workspace: &Workspace, names: &[String]) -> Result<Vec<PathBuf>> {
    let folder = workspace.notebooks();
    if names.is_empty() {
        let all = notebook::find_all(&folder);
        if all.is_empty() {
            return Err(Error::Results {
                operation: "find a notebook in",
                path: folder,
                why: "there is none".into(),
                hint: "restore the notebooks from the repository",
            });
        }
        return Ok(all);
    }
    let mut paths = Vec::new();
    for name in names {
        let path = notebook::find(&folder, name)?;
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}

fn results_folder(args: &RunArgs, workspace: &Workspace) -> Result<PathBuf> {
    match &args.results {
        None => Ok(workspace.results()),
        Some(folder) => {
            std::path::absolute(folder).map_err(|source| Error::io("find the results folder", folder, source))
        }
    }
}

fn print_report(
    reports: &[SessionReport],
    verdicts: &Verdicts,
    expected: &BTreeMap<String, String>,
    problems: &[Problem],
    started: Instant,
) {
    println!();
    if !verdicts.rows.is_empty() {
        println!("{}\n", verdicts.table(expected));
    }
    let rows: Vec<Vec<String>> = reports
        .iter()
        .map(|report| {
            let slowest = report
                .cells
                .iter()
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .map_or(String::new(), |(id, seconds)| {
                    format!("{id} {}", progress::seconds(*seconds))
                });
            vec![
                report.notebook.name(),
                if report.failure.is_some() { "FAILED" } else { "ok" }.into(),
                report.cells.len().to_string(),
                progress::seconds(report.start_seconds),
                progress::seconds(report.seconds),
                slowest,
            ]
        })
        .collect();
    println!(
        "{}",
        progress::table(
            &["notebook", "", "cells", "kernel start", "time", "slowest cell"],
            &rows,
            &[2, 3, 4]
        )
    );
    for remark in &verdicts.remarks {
        println!("note: {remark}");
    }
    for problem in problems {
        println!(
            "FAILED {}, cell {}: {}",
            problem.notebook, problem.cell, problem.message
        );
    }
    println!(
        "\n{}; {} notebooks, {} problems, {}",
        verdicts.counts(),
        reports.len(),
        problems.len(),
        progress::seconds(started.elapsed().as_secs_f64())
    );
}

/// Prints how many claims of each document have a verdict, by the program that ships with the crate.
fn coverage(ready: &Ready, results: &Path, scale: &str) {
    println!("\ncoverage at scale {scale}");
    // The verdicts are printed and judged already; a missing table of coverage is said and does not change the status.
    match ledger_program::run(ready, results, &["coverage", "--scale", scale]) {
        Ok(status) if status.success() => {}
        Ok(status) => eprintln!("no table of coverage: the program ended with {status}"),
        Err(error) => eprintln!("no table of coverage: {error}"),
    }
}

/// Waits for Ctrl-C, or for a polite request to end.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut terminate), Ok(mut hangup)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
