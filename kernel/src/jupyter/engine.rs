//! The thread that evaluates. It starts the session when the kernel starts, so that the first cell finds it ready,
//! and starts it again when the crate did not build the first time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use tokio::sync::oneshot;

use crate::eval::diagnose::Failure;
use crate::eval::library::Project;
use crate::eval::output::Stream;
use crate::eval::{CellName, Event, Session, Sink};

/// Work for the evaluating thread.
pub enum Job {
    /// Run a cell.
    Execute {
        /// Its source.
        code: String,
        /// What it is called.
        name: CellName,
        /// Where its output goes.
        sink: Box<Sink>,
        /// Where the outcome goes.
        done: oneshot::Sender<Result<(), Failure>>,
    },
    /// Candidates for the word at a byte offset: start, end, candidates.
    Complete {
        /// The cell.
        code: String,
        /// Byte offset of the cursor.
        offset: usize,
        /// Where the answer goes.
        done: oneshot::Sender<(usize, usize, Vec<String>)>,
    },
    /// Variables and their types.
    Variables {
        /// Where the answer goes.
        done: oneshot::Sender<Vec<(String, String)>>,
    },
}

/// The evaluating thread, as the rest of the kernel sees it.
#[derive(Clone)]
pub struct Engine {
    jobs: mpsc::Sender<Job>,
    process: Arc<Mutex<Option<Arc<Mutex<Child>>>>>,
    interrupted: Arc<AtomicBool>,
    running: Arc<AtomicBool>,
}

impl Engine {
    /// Starts the thread.
    pub fn start(folder: PathBuf, project: Project) -> std::io::Result<Engine> {
        let (jobs, queue) = mpsc::channel();
        let engine = Engine {
            jobs,
            process: Arc::default(),
            interrupted: Arc::default(),
            running: Arc::default(),
        };
        let worker = Worker {
            folder,
            project,
            process: engine.process.clone(),
            interrupted: engine.interrupted.clone(),
            running: engine.running.clone(),
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
        let _ = self.jobs.send(job);
    }

    /// Stops the running cell, if there is one.
    pub fn interrupt(&self) {
        if self.running.load(Ordering::SeqCst) && !self.interrupted.swap(true, Ordering::SeqCst) {
            self.kill();
        }
    }

    /// Ends the process for cells.
    pub fn kill(&self) {
        let handle = self.process.lock().ok().and_then(|p| p.clone());
        if let Some(handle) = handle
            && let Ok(mut child) = handle.lock()
        {
            let _ = child.kill();
        }
    }
}

struct Worker {
    folder: PathBuf,
    project: Project,
    process: Arc<Mutex<Option<Arc<Mutex<Child>>>>>,
    interrupted: Arc<AtomicBool>,
    running: Arc<AtomicBool>,
    session: Option<Session>,
}

impl Worker {
    fn run(mut self, queue: &mpsc::Receiver<Job>) {
        // Lines about a build wait for the first cell, the only place where they can be shown.
        let mut waiting = Vec::new();
        let mut problem = self.open(&mut |line| waiting.push(line.to_owned())).err();
        while let Ok(job) = queue.recv() {
            match job {
                Job::Execute { code, name, sink, done } => {
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
                        None => self.execute(&code, &name, &*sink),
                    };
                    let _ = done.send(outcome);
                }
                Job::Complete { code, offset, done } => {
                    let found = self.session.as_mut().map(|s| s.complete(&code, offset));
                    let _ = done.send(found.unwrap_or((offset, offset, Vec::new())));
                }
                Job::Variables { done } => {
                    let found = self.session.as_ref().map(Session::variables);
                    let _ = done.send(found.unwrap_or_default());
                }
            }
        }
    }

    fn open(&mut self, progress: &mut dyn FnMut(&str)) -> Result<(), Failure> {
        let started = Session::start(&self.folder, self.project.clone(), self.interrupted.clone(), progress);
        let session = started.map_err(|e| Failure::new("kernel", format!("{e:#}")))?;
        if let Ok(mut process) = self.process.lock() {
            *process = Some(session.process());
        }
        self.session = Some(session);
        Ok(())
    }

    fn execute(&mut self, code: &str, name: &CellName, sink: &Sink) -> Result<(), Failure> {
        let Some(session) = &mut self.session else {
            return Err(Failure::new(
                "kernel",
                "the session has not started: run the cell again",
            ));
        };
        self.running.store(true, Ordering::SeqCst);
        let outcome = catch_unwind(AssertUnwindSafe(|| session.execute(code, name, sink)));
        self.running.store(false, Ordering::SeqCst);
        outcome.unwrap_or_else(|_| {
            Err(Failure::new(
                "kernel",
                "evcxr failed on this cell (its message is in the kernel's log). The variables may be damaged: restart the kernel.",
            ))
        })
    }
}
