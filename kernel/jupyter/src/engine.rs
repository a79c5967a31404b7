//! The thread that evaluates. It starts the session when the kernel starts, so that the first cell finds it ready,
//! and starts it again when the crate did not build the first time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::Duration;

use tokio::sync::oneshot;

use workbench_base::ending::told;
use workbench_base::source::without_commands;
use workbench_eval::compile_ahead::CompileAhead;
use workbench_eval::dependencies::{OURS, WRAPPER};
use workbench_eval::interrupt::Interrupts;
use workbench_eval::outcome::INTERRUPTED;
use workbench_eval::output::Stream;
use workbench_eval::{CellName, Event, Failure, Session, Sink};
use workbench_language::Language;
use workbench_setup::project::Project;

/// Work for the evaluating thread.
pub enum Job {
    /// Run a cell.
    Execute {
        /// Its source.
        code: String,
        /// What it is called.
        name: CellName,
        /// Whether its questions can be passed on.
        may_ask: bool,
        /// Where its output goes.
        sink: Box<Sink>,
        /// Where the outcome goes.
        done: oneshot::Sender<Result<(), Failure>>,
    },
}

/// The evaluating thread, as the rest of the kernel sees it.
#[derive(Clone)]
pub struct Engine {
    jobs: mpsc::Sender<Job>,
    interrupts: Interrupts,
    ahead: CompileAhead,
    language: Arc<Language>,
    busy: Arc<Busy>,
}

/// Whether the thread works on a job.
#[derive(Default)]
struct Busy {
    jobs: Mutex<usize>,
    done: Condvar,
}

impl Busy {
    fn add(&self, change: isize) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        *jobs = jobs.saturating_add_signed(change);
        self.done.notify_all();
    }
}

impl Engine {
    /// Starts the thread.
    pub fn start(folder: PathBuf, project: Project, interrupts: Interrupts) -> std::io::Result<Engine> {
        let (jobs, queue) = mpsc::channel();
        let engine = Engine {
            jobs,
            interrupts: interrupts.clone(),
            ahead: CompileAhead::start(&folder)?,
            language: Arc::default(),
            busy: Arc::default(),
        };
        engine.language.learn(&project);
        // Starting the session is work, too.
        engine.busy.add(1);
        let worker = Worker {
            folder,
            project,
            interrupts,
            ahead: engine.ahead.clone(),
            language: engine.language.clone(),
            busy: engine.busy.clone(),
            session: None,
        };
        std::thread::Builder::new()
            .name("evaluation".to_owned())
            .stack_size(16 << 20)
            .spawn(move || worker.run(&queue))?;
        Ok(engine)
    }

    /// Hands over a job. The answer's channel closes without an answer when the thread is gone.
    pub fn submit(&self, job: Job) {
        self.busy.add(1);
        if self.jobs.send(job).is_err() {
            self.busy.add(-1);
        }
    }

    /// What answers questions about code.
    pub fn language(&self) -> &Arc<Language> {
        &self.language
    }

    /// What stops cells.
    pub fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    /// What compiles cells ahead.
    pub fn ahead(&self) -> &CompileAhead {
        &self.ahead
    }

    /// Ends the process for cells and waits a moment for the thread, which may be in the middle of a cell.
    pub fn close(&self) {
        self.interrupts.close();
        self.ahead.close();
        let jobs = self.busy.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.busy.done.wait_timeout_while(jobs, Duration::from_secs(1), |jobs| *jobs > 0);
        // evcxr may have started a new process in place of the one that was ended.
        self.interrupts.close();
    }
}

struct Worker {
    folder: PathBuf,
    project: Project,
    interrupts: Interrupts,
    ahead: CompileAhead,
    language: Arc<Language>,
    busy: Arc<Busy>,
    session: Option<Session>,
}

impl Worker {
    fn run(mut self, queue: &mpsc::Receiver<Job>) {
        // Lines about a build wait for the first cell, the only place where they can be shown.
        let mut waiting = Vec::new();
        let mut problem = self.open(&mut |line| waiting.push(line.to_owned())).err();
        self.busy.add(-1);
        while let Ok(job) = queue.recv() {
            if self.interrupts.closing() {
                self.busy.add(-1);
                continue;
            }
            match job {
                Job::Execute { code, name, may_ask, sink, done } => {
                    let tell = |line: &str| sink(Event::Text(Stream::Err, format!("{line}\n")));
                    waiting.drain(..).for_each(|line: String| tell(&line));
                    if self.session.is_none() {
                        problem = match problem.take() {
                            // The first failure is from before the client could mend anything: tell it as it is.
                            Some(failure) if name.count <= 1 => Some(failure),
                            _ => self.open(&mut |line| tell(line)).err(),
                        };
                    }
                    let outcome = match &problem {
                        Some(failure) => Err(failure.clone()),
                        None => self.execute(&code, &name, may_ask, &*sink),
                    };
                    let _ = done.send(outcome.map_err(Failure::with_remedy));
                }
            }
            self.busy.add(-1);
        }
    }

    fn open(&mut self, progress: &mut dyn FnMut(&str)) -> Result<(), Failure> {
        let started =
            Session::start(&self.folder, self.project.clone(), self.interrupts.clone(), self.ahead.clone(), progress);
        let session = started.map_err(|e| match self.interrupts.requests() {
            0 => Failure::new("kernel", told(&e)),
            _ => Failure::new(
                INTERRUPTED,
                "the kernel was stopped while it was building the crate: nothing ran. The next cell goes on with the build.",
            ),
        })?;
        self.interrupts.set_process(session.process());
        self.session = Some(session);
        Ok(())
    }

    /// Sees to it that the crate has the features that a cell asks for, with another build and a session in place of one that is new.
    fn see_to_features(&mut self, code: &str, sink: &Sink) -> Result<(), Failure> {
        let Some(session) = &self.session else { return Ok(()) };
        let lacks = session.lacks(code)?;
        if lacks.is_empty() {
            return Ok(());
        }
        let names = lacks.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        self.project.ask_for(&lacks).map_err(|error| Failure::new("kernel", told(&error)))?;
        if session.has_run() {
            return Err(Failure::new(
                "restart needed",
                format!(
                    "this kernel's crate was built without {names}, which this cell asks for. Restart the kernel: it builds the crate \
                     with it, once for all notebooks. Until then the variables of this session are kept."
                ),
            ));
        }
        if let Some(session) = self.session.take() {
            let process = session.process();
            let mut process = process.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = process.kill().and_then(|()| process.wait());
        }
        let mut tell = |line: &str| sink(Event::Text(Stream::Err, format!("{line}\n")));
        tell(&format!("this cell asks for {names}: building the workbench crate with it, once for all notebooks"));
        self.open(&mut tell)?;
        self.language.learn(&self.project);
        Ok(())
    }

    fn execute(&mut self, code: &str, name: &CellName, may_ask: bool, sink: &Sink) -> Result<(), Failure> {
        self.see_to_features(code, sink)?;
        let Some(session) = &mut self.session else {
            return Err(Failure::new("kernel", "the session has not started: run the cell again"));
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| session.execute(code, name, may_ask, sink)));
        if outcome.is_ok() {
            let ran = matches!(outcome, Ok(Ok(()))).then_some(code);
            let others = self.folder.join(WRAPPER);
            if ran.is_some_and(|code| !without_commands(code).1.is_empty()) && others.is_dir() {
                self.language.learn_others(&others, OURS);
            }
            self.language.ran(ran.unwrap_or_default(), session.variables());
        }
        outcome.unwrap_or_else(|_| {
            Err(Failure::new(
                "kernel",
                "evcxr failed on this cell (its message is in the kernel's log). The variables may be damaged: restart the kernel.",
            ))
        })
    }
}
