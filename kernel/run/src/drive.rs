//! Drives the notebooks of one run through their kernels, some side by side, and keeps what they give.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::args::RunArgs;
use super::display::Display;
use super::folder::{RunFolder, State};
use super::judge::{Fault, Problem};
use super::recorder::Recorder;
use super::session::{self, Event, Limits, SessionReport, Watch};
use workbench_base::error::{Error, Result};
use workbench_base::names::UNASKED_ENV;
use workbench_base::notebook::{Kept, Notebook};
use workbench_base::progress;
use workbench_base::text::count;
use workbench_client::{Interrupt, KernelCommand, Transport};
use workbench_setup::Ready;
use workbench_setup::paths::this_binary;

/// A notebook and its number in the run's plan.
pub struct Job {
    /// Number of its part.
    pub part: usize,
    /// The notebook, with knobs turned.
    pub notebook: Notebook,
}

/// What the tasks of a run share.
#[derive(Clone)]
pub struct Shared {
    /// Options.
    pub args: Arc<RunArgs>,
    /// The machine.
    pub ready: Ready,
    /// Where tables and outputs go.
    pub results: PathBuf,
    /// The terminal.
    pub display: Display,
    state: Arc<Mutex<Live>>,
}

/// What changes while the run goes on.
pub struct Live {
    /// The run's folder and plan.
    pub folder: RunFolder,
    /// What cells recorded.
    pub recorder: Recorder,
    /// What went wrong beside the cells.
    pub problems: Vec<Problem>,
    /// Things worth saying.
    pub remarks: Vec<String>,
}

impl Shared {
    /// Begins a run.
    pub fn new(args: &RunArgs, ready: &Ready, results: &Path, folder: RunFolder, recorder: Recorder) -> Shared {
        Shared {
            args: Arc::new(args.clone()),
            ready: ready.clone(),
            results: results.to_path_buf(),
            display: Display::start(),
            state: Arc::new(Mutex::new(Live { folder, recorder, problems: Vec::new(), remarks: Vec::new() })),
        }
    }

    /// The state; a task that panicked while it held it left whole values behind.
    pub fn live(&self) -> MutexGuard<'_, Live> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a notebook recorded; whether that was possible. What fails is a problem of the run, and the rows wait in the
    /// notebook's own tables.
    fn take(&self, job: usize, notebook: &Notebook, at_once: bool) -> bool {
        let mut live = self.live();
        let attempt = live.folder.attempt(job);
        let Live { recorder, problems, .. } = &mut *live;
        let taken = recorder.take(notebook, &attempt).and_then(|()| recorder.flush(at_once));
        if let Err(error) = taken {
            let problem = machine(&notebook.name(), "(tables)", &error);
            if !problems.contains(&problem) {
                self.display.line(&format!("  {}: {error}", notebook.name()));
                problems.push(problem);
            }
            return false;
        }
        true
    }

    fn save(&self, job: usize, notebook: &Notebook) {
        let path = self.live().folder.attempt(job).join("outputs.ipynb");
        if let Err(error) = notebook.write(&path) {
            let problem = machine(&notebook.name(), "(outputs)", &error);
            let mut live = self.live();
            if !live.problems.contains(&problem) {
                live.problems.push(problem);
            }
        }
    }
}

fn machine(notebook: &str, cell: &str, error: &Error) -> Problem {
    Problem {
        fault: Fault::Machine,
        notebook: notebook.to_string(),
        cell: cell.to_string(),
        message: error.to_string(),
    }
}

/// Runs all jobs; returns a report for each that was started.
pub fn all(jobs: Vec<Job>, shared: &Shared) -> Result<Vec<SessionReport>> {
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
        let mut waiting: VecDeque<Job> = jobs.into();
        let mut tasks = JoinSet::new();
        let mut reports: Vec<SessionReport> = Vec::new();
        let mut first_error = None;
        loop {
            while tasks.len() < shared.args.jobs && !*cancel.borrow() {
                let Some(job) = waiting.pop_front() else {
                    break;
                };
                tasks.spawn(one(job, shared.clone(), cancel.clone()));
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

async fn one(job: Job, shared: Shared, mut cancel: watch::Receiver<bool>) -> Result<SessionReport> {
    let name = job.notebook.name();
    let (cells, attempt) = {
        let mut live = shared.live();
        live.folder.plan.parts[job.part].attempts += 1;
        live.folder.save()?;
        (live.folder.plan.parts[job.part].cells, live.folder.attempt(job.part))
    };
    std::fs::create_dir_all(&attempt).map_err(|source| Error::io("make", &attempt, source))?;
    let command = kernel_command(&job.notebook, &shared, &attempt)?;
    let limits = Limits {
        cells,
        cell: (shared.args.timeout > 0.0).then(|| Duration::from_secs_f64(shared.args.timeout)),
        start: Duration::from_secs_f64(shared.args.start_timeout),
        ahead: cells_ahead(shared.args.jobs),
    };
    let (events, mut incoming) = tokio::sync::mpsc::unbounded_channel::<Event>();
    let mut show = shared.display.begin(&name, cells);
    let watcher = {
        let (shared, notebook, part) = (shared.clone(), job.notebook.clone(), job.part);
        tokio::spawn(async move {
            while let Some(event) = incoming.recv().await {
                if matches!(event, Event::Done { .. }) {
                    shared.take(part, &notebook, false);
                    if let Some(claim) = shared.live().recorder.last_claim(&notebook.name()) {
                        show.claim(claim);
                    }
                }
                show.event(&event);
            }
            show.end();
        })
    };
    let saver = shared.clone();
    let watch = Watch {
        tell: &mut |event| {
            // The watcher ends only after this sender is dropped.
            let _ = events.send(event);
        },
        save: &mut |notebook| saver.save(job.part, notebook),
    };
    let report = session::run(job.notebook, &command, limits, &mut cancel, watch).await;
    drop(events);
    // The watcher only draws; a panic in it must not hide the report.
    let _ = watcher.await;
    // A cell that was cut off may have recorded before; all rows go into the record now.
    let taken = shared.take(job.part, &report.notebook, true);
    let end = match (&report.failure, report.cancelled) {
        (_, true) => "stopped".to_string(),
        (Some(failure), _) => format!("FAILED in cell {}", failure.cell),
        (None, _) => "ok".into(),
    };
    shared.display.line(&format!(
        "  {name}: {end}, {} in {}",
        count(report.cells.len(), "cell"),
        progress::seconds(report.seconds)
    ));
    keep(&report, job.part, &shared, taken);
    Ok(report)
}

/// Writes a notebook's outputs to where they belong: into itself at paper scale, beside the tables at quick scale, and under
/// `failed/` when a cell failed. A run cut short by `--claim` renews the cells that it ran, in the notebook itself alone. Of a run that
/// was stopped or run with other knobs, they stay in the run's folder. A notebook counts as done only if its rows were taken and its
/// outputs written.
fn keep(report: &SessionReport, part: usize, shared: &Shared, taken: bool) {
    let args = &shared.args;
    let file = format!("{}.ipynb", report.notebook.name());
    let (turned, ran) = {
        let plan = &shared.live().folder.plan;
        (!plan.knobs.is_empty(), plan.parts[part].cells)
    };
    let whole = ran == report.notebook.cells().len();
    let mut state = State::Done;
    let mut remark = None;
    let written = if report.cancelled {
        state = State::Open;
        Ok(())
    } else if report.failure.is_some() {
        state = State::Failed;
        let path = shared.results.join("failed").join(file);
        let written = report.notebook.write(&path);
        shared.display.line(&format!("  outputs up to the failure: {}", path.display()));
        written
    } else if turned {
        Ok(())
    } else if (args.in_place || args.scale.is_paper()) && args.results.is_none() {
        write_back(&report.notebook, ran, &mut remark)
    } else if !whole {
        Ok(())
    } else {
        let path = shared.results.join(args.scale.name()).join(file);
        report.notebook.write(&path)
    };
    let mut live = shared.live();
    if state == State::Done && (written.is_err() || !taken) {
        state = State::Open;
    }
    if let Err(error) = written {
        live.problems.push(machine(&report.notebook.name(), "(outputs)", &error));
    }
    match remark {
        Some(Ok(remark)) => live.remarks.push(remark),
        Some(Err(problem)) => {
            let outputs = live.folder.attempt(part).join("outputs.ipynb");
            live.problems.push(Problem {
                message: format!("{}; the outputs are in {}", problem.message, outputs.display()),
                ..problem
            });
        }
        None => {}
    }
    live.folder.plan.parts[part].state = state;
    live.folder.plan.run = live.recorder.run();
    if let Err(error) = live.folder.save() {
        live.problems.push(machine(&report.notebook.name(), "(run.json)", &error));
    }
}

fn write_back(notebook: &Notebook, ran: usize, remark: &mut Option<Result<String, Problem>>) -> Result<()> {
    match notebook.write_back(ran)? {
        Kept::Plain => {}
        Kept::Merged(other) if other.is_empty() => {
            *remark = Some(Ok(format!(
                "{}: the file was edited during the run; it has the edits and the outputs",
                notebook.name()
            )));
        }
        Kept::Merged(other) => {
            *remark = Some(Ok(format!(
                "{}: the file was edited during the run; it has the edits, and the outputs of all cells but {}, whose code was not \
                 run as it stands now",
                notebook.name(),
                other.join(", ")
            )));
        }
        Kept::LeftAlone(why) => {
            *remark = Some(Err(Problem {
                fault: Fault::Machine,
                notebook: notebook.name(),
                cell: "(outputs)".into(),
                message: format!(
                    "the file was changed during the run and cannot be read any more ({why}), so it was left alone"
                ),
            }));
        }
    }
    Ok(())
}

fn kernel_command(notebook: &Notebook, shared: &Shared, attempt: &Path) -> Result<KernelCommand> {
    let workspace = &shared.ready.workspace;
    let argv = match &shared.args.kernel_argv {
        Some(text) => serde_json::from_str(text).map_err(|error| Error::Option {
            option: "--kernel-argv",
            value: text.clone(),
            why: format!("it is not a JSON list of texts ({error})"),
        })?,
        None => vec![this_binary()?.display().to_string(), "kernel".into(), "-f".into(), "{connection_file}".into()],
    };
    let folder = notebook.path().parent().map_or_else(|| workspace.notebooks(), Path::to_path_buf);
    let run = shared.live().recorder.run();
    let verdicts = if shared.args.accept { "accept" } else { "collect" };
    let mut environment = shared.ready.environment.clone();
    let set = [
        ("WORKBENCH_ROOT", workspace.root().display().to_string()),
        ("WORKBENCH_SCALE", run.scale.to_string()),
        ("WORKBENCH_SEED", run.seed.to_string()),
        ("WORKBENCH_RUN", run.run),
        // Tables of this attempt at this notebook alone: no other process writes there, whatever else goes on in the checkout.
        ("WORKBENCH_RESULTS", attempt.display().to_string()),
        ("WORKBENCH_NOTEBOOKS", workspace.notebooks().display().to_string()),
        // Verdicts are compared with the committed ones when all cells have run.
        ("WORKBENCH_VERDICTS", verdicts.to_string()),
        (UNASKED_ENV, "1".to_string()),
    ];
    environment.extend(set.map(|(name, value)| (name.to_string(), value)));
    environment.extend(blas_threads(shared.args.jobs));
    Ok(KernelCommand {
        argv,
        folder,
        environment,
        interrupt: Interrupt::Message,
        transport: Transport::IPC,
        log: Some(attempt.join("kernel.log")),
    })
}

/// Kernels side by side share the cores: OpenBLAS would start as many threads as there are cores in each, and they wait for one another
/// in loops. What the user has set stays.
fn blas_threads(jobs: usize) -> Option<(String, String)> {
    const THREADS: &str = "OPENBLAS_NUM_THREADS";
    if jobs < 2 || std::env::var_os(THREADS).is_some() {
        return None;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Some((THREADS.to_string(), (cores / jobs).max(1).to_string()))
}

/// How many cells a kernel is told ahead, so that it compiles them while one runs: none where kernels side by side have no core to spare.
fn cells_ahead(jobs: usize) -> usize {
    const FEW: usize = 4;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if jobs < cores { FEW } else { 0 }
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
