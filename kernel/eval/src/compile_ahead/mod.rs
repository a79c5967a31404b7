//! Cells are compiled ahead: while one runs, those that have been asked for behind it.
//!
//! A front end sends all cells of a notebook at once, and a runner tells which come next. What evcxr will write for the next cell
//! depends on what the running one leaves: its variables with their types, its definitions, whether it moved something. All of that is
//! known once the running cell is compiled, if it runs to its end. A process of the lowest priority, the [`worker`], therefore goes
//! through the same cells with an evcxr of its own, which takes each for having run, and so compiles the next one into the store of compiled
//! cells (`compile_cache`), where the session finds it. It goes on to the one after that while there is time.
//!
//! Nothing rests on the guess. What is kept is kept under the digest of all that it depends on, so a cell that failed, moved a variable or was
//! interrupted only makes what was compiled behind it useless: the worker is ended, and the next one is given what really happened. It runs
//! no cell and shows nothing; commands, and crates that would have to be built, are not for it. It ends with the kernel.
//!
//! A worker is started where a cell had to be compiled and others wait behind it: a notebook whose cells are all kept needs none. When
//! a cell comes whose compilation has begun, it waits for that (`compiling`). `WORKBENCH_COMPILE_AHEAD=0` turns it off.

mod plan;
pub mod worker;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::compile_cache::COMPILE_ENV;
use super::compiling::Compiling;
use plan::{Next, Plan};
use worker::Said;

pub use plan::How;

/// Set to `0` where nothing shall be compiled ahead.
pub const AHEAD_ENV: &str = "WORKBENCH_COMPILE_AHEAD";
/// How often is looked whether a worker is worth its start, while a cell runs and others wait.
const EVERY: Duration = Duration::from_millis(50);
/// How long a kernel that ends waits for its worker to be gone.
const PATIENCE: Duration = Duration::from_millis(200);

/// What compiles ahead, as the rest of the kernel sees it: told what happens, and never waited for.
#[derive(Clone, Debug)]
pub struct CompileAhead {
    news: mpsc::Sender<News>,
}

enum News {
    /// The session is a new one.
    Anew,
    Expect(Vec<String>),
    Begin(String, usize),
    End(Option<How>),
    Stop,
    Close(mpsc::Sender<()>),
    /// A worker, by its number, has said something, or is gone.
    Said(u64, Option<Said>),
}

impl CompileAhead {
    /// For the kernel whose folder this is. Scouts live as long as the thread that this starts.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start(kernel: &Path) -> std::io::Result<CompileAhead> {
        let (news, heard) = mpsc::channel();
        let off =
            std::env::var_os(AHEAD_ENV).is_some_and(|value| value == "0") || std::env::var_os(COMPILE_ENV).is_some();
        let guide = Guide {
            compiling: Compiling::of(kernel),
            folder: kernel.join("ahead"),
            news: news.clone(),
            plan: Plan::default(),
            worker: None,
            workers: 0,
            compiled: 0,
            off,
        };
        std::thread::Builder::new().name("ahead".to_owned()).spawn(move || guide.run(&heard))?;
        Ok(CompileAhead { news })
    }

    /// A session has started in place of the one before.
    pub fn anew(&self) {
        self.tell(News::Anew);
    }

    /// These cells have been asked for: the one that is next or running, and those behind it.
    pub fn expect(&self, sources: Vec<String>) {
        self.tell(News::Expect(sources));
    }

    /// The session begins with a cell, whose first placeholder has this number.
    pub fn begin(&self, source: &str, from: usize) {
        self.tell(News::Begin(source.to_owned(), from));
    }

    /// The cell has ended; with nothing where none of it ran.
    pub fn end(&self, how: Option<How>) {
        self.tell(News::End(how));
    }

    /// What is expected will not come: the reader has interrupted.
    pub fn stop(&self) {
        self.tell(News::Stop);
    }

    /// The kernel ends: returns when the worker has.
    pub fn close(&self) {
        let (gone, done) = mpsc::channel();
        self.tell(News::Close(gone));
        let _ = done.recv_timeout(PATIENCE);
    }

    fn tell(&self, news: News) {
        // Without the thread nothing is compiled ahead, and nothing else is missed.
        let _ = self.news.send(news);
    }
}

/// The thread that leads the worker.
struct Guide {
    compiling: Compiling,
    folder: PathBuf,
    news: mpsc::Sender<News>,
    plan: Plan,
    worker: Option<Worker>,
    /// How many there have been.
    workers: u64,
    /// How many cells had waited for the compiler when the running one began.
    compiled: usize,
    off: bool,
}

/// A worker that runs.
struct Worker {
    child: Child,
    orders: ChildStdin,
    /// It has an order that it has not answered.
    busy: bool,
}

impl Guide {
    fn run(mut self, heard: &mpsc::Receiver<News>) {
        loop {
            let looks = self.worker.is_none() && !self.off && self.plan.is_worth_a_worker();
            let news = match looks {
                true => heard.recv_timeout(EVERY),
                false => heard.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match news {
                Ok(news) => {
                    if !self.hear(news) {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) if self.compiling.waited_for() > self.compiled => self.send_a_scout(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.lead();
        }
    }

    /// Takes in what has happened; false where the kernel ends.
    fn hear(&mut self, news: News) -> bool {
        match news {
            News::Anew => {
                self.end_scout();
                self.plan.anew();
            }
            News::Expect(sources) => self.plan.expect(sources),
            News::Begin(source, from) => {
                if !self.off {
                    self.compiled = self.compiling.waited_for();
                }
                self.plan.begin(source, from);
            }
            News::End(how) => self.plan.end(how),
            News::Stop => {
                self.plan.stop();
                self.end_scout();
            }
            News::Close(gone) => {
                self.end_scout();
                let _ = gone.send(());
                return false;
            }
            News::Said(number, said) => {
                if number == self.workers && self.worker.is_some() {
                    self.said(said);
                }
            }
        }
        true
    }

    fn said(&mut self, said: Option<Said>) {
        match said {
            Some(Said { arrived: true, from }) => {
                self.plan.arrived(from);
                if let Some(worker) = &mut self.worker {
                    worker.busy = false;
                }
            }
            // A cell that will not compile either when its turn comes.
            Some(_) if !self.plan.is_behind() => {
                self.plan.stop();
                self.end_scout();
            }
            // A cell that ran, and the worker does not get through it; or it does not run.
            _ => {
                self.plan.give_up();
                self.end_scout();
            }
        }
    }

    /// Gives the worker what it can do, and ends it where that is nothing.
    fn lead(&mut self) {
        let Some(worker) = &mut self.worker else { return };
        match self.plan.next() {
            Next::Astray => self.end_scout(),
            _ if worker.busy => {}
            Next::Over => self.end_scout(),
            Next::Wait => {}
            Next::Go(step) => {
                let line = serde_json::to_string(&step).map(|line| line + "\n");
                worker.busy = true;
                // One that is gone has said so, and is ended when that is heard.
                let _ = line.map(|line| worker.orders.write_all(line.as_bytes()));
                self.plan.gave(step);
            }
        }
    }

    fn send_a_scout(&mut self) {
        // What the one before left there.
        let _ = std::fs::remove_dir_all(&self.folder);
        self.workers += 1;
        self.plan.start_anew();
        let started = worker::command(&self.folder).spawn();
        let Some((child, orders, answers)) = started.ok().and_then(|mut child| {
            let (orders, answers) = (child.stdin.take()?, child.stdout.take()?);
            Some((child, orders, answers))
        }) else {
            self.plan.give_up();
            return;
        };
        let (news, number) = (self.news.clone(), self.workers);
        let listen = move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                if let Ok(said) = serde_json::from_str(&line) {
                    let _ = news.send(News::Said(number, Some(said)));
                }
            }
            let _ = news.send(News::Said(number, None));
        };
        let heard = std::thread::Builder::new().name("worker".to_owned()).spawn(listen);
        self.worker = Some(Worker { child, orders, busy: false });
        if heard.is_err() {
            self.plan.give_up();
            self.end_scout();
        }
    }

    fn end_scout(&mut self) {
        let Some(mut worker) = self.worker.take() else { return };
        if let Ok(group) = i32::try_from(worker.child.id()) {
            // SAFETY: two integers. The child has not been waited for, so its id is still its own; it leads its group.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = worker.child.wait();
    }
}
