//! Interrupts: a request first, the end of the process when the request is not heard.
//!
//! An interrupt counts only while a cell is being worked on. The first one raises the word that computations and compiler
//! calls look at (see [`workbench_base::control`]) and starts the grace period; later ones raise the word again and neither shorten nor
//! extend that period, so that an impatient reader loses nothing. A cell that has not stopped after a second is left by a panic where
//! a loop in its own text goes round ([`super::marks::TURN`]): that is a place to unwind from, and the variables of earlier cells stay. What
//! runs elsewhere when the period is over loses its process, and with it the variables.
//!
//! Two other ways were weighed. A process that is forked before each cell would keep the variables, and lack all threads but one: the pools
//! of rayon and polars would be waited for, and never answer. A signal that unwinds from wherever the code is finds no way out: the compiler
//! leaves ways out at calls only, and elsewhere an unwinding ends the process.

use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use workbench_base::control::Control;

/// Sets the grace period, in seconds.
pub const GRACE_ENV: &str = "WORKBENCH_GRACE_SECONDS";
const GRACE: f64 = 5.0;

/// A handle of the process that runs cells; it stays valid when the process is replaced.
pub type Process = Arc<Mutex<Child>>;

/// The interrupts of a session.
#[derive(Clone)]
pub struct Interrupts {
    control: Arc<Control>,
    state: Arc<Mutex<State>>,
    grace: Duration,
}

#[derive(Default)]
struct State {
    process: Option<Process>,
    /// A request is being worked on.
    working: bool,
    /// Counts requests, to tell a late alarm from a timely one.
    cell: u64,
    requests: u32,
    /// The cell's own code runs.
    in_code: bool,
    /// The process for cells has the cell's function, of which the code is the middle: variables that it replaced are dropped
    /// after it.
    in_process: bool,
    /// The cell's process was ended because it did not listen.
    ended: bool,
    closing: bool,
}

impl Interrupts {
    /// No interrupt yet; requests are written to `control`.
    pub fn new(control: Control) -> Interrupts {
        let grace = std::env::var(GRACE_ENV)
            .ok()
            .and_then(|text| text.parse::<f64>().ok())
            .filter(|seconds| seconds.is_finite() && (0.0..=1e6).contains(seconds))
            .unwrap_or(GRACE);
        Interrupts { control: Arc::new(control), state: Arc::default(), grace: Duration::from_secs_f64(grace) }
    }

    /// How long a cell may take to end after an interrupt.
    pub fn grace(&self) -> Duration {
        self.grace
    }

    /// Work on a cell begins: earlier interrupts do not concern it.
    pub fn begin(&self) {
        let mut state = self.state();
        state.working = true;
        state.cell += 1;
        state.requests = 0;
        state.in_code = false;
        state.in_process = false;
        state.ended = false;
        if !state.closing {
            self.control.next_cell();
        }
    }

    /// Work on the cell is over.
    pub fn end(&self) {
        let mut state = self.state();
        state.working = false;
        state.in_code = false;
        state.in_process = false;
    }

    /// Interrupts the cell that is worked on. False when there is none.
    pub fn interrupt(&self) -> bool {
        let mut state = self.state();
        if !state.working {
            return false;
        }
        state.requests += 1;
        self.control.request_stop();
        if !state.in_code {
            end_commands(state.process.as_ref());
        }
        if state.requests == 1 {
            let (this, cell) = (self.clone(), state.cell);
            // Without the thread there is no end by force; the request stands.
            let _ = std::thread::Builder::new().name("grace period".to_owned()).spawn(move || {
                std::thread::sleep(this.grace);
                this.grace_is_over(cell);
            });
        }
        true
    }

    fn grace_is_over(&self, cell: u64) {
        let mut state = self.state();
        if !state.working || state.cell != cell {
            return;
        }
        if state.in_process {
            state.ended = true;
            kill(state.process.as_ref());
        } else {
            end_commands(state.process.as_ref());
        }
    }

    /// How often the current cell was interrupted.
    pub fn requests(&self) -> u32 {
        self.state().requests
    }

    /// Whether the cell's process was ended because it did not listen.
    pub fn process_was_ended(&self) -> bool {
        self.state().ended
    }

    /// The process for cells is this one.
    pub fn set_process(&self, process: Process) {
        self.state().process = Some(process);
    }

    /// The cell's own code begins.
    pub fn code_began(&self) {
        let mut state = self.state();
        state.in_code = true;
        state.in_process = true;
    }

    /// The cell's function has returned, or there was none.
    pub fn returned(&self) {
        let mut state = self.state();
        state.in_code = false;
        state.in_process = false;
    }

    /// The cell's own code has ended.
    pub fn code_ended(&self) {
        self.state().in_code = false;
    }

    /// Whether the cell's own code runs.
    pub fn in_code(&self) -> bool {
        self.state().in_code
    }

    /// The kernel ends: stops compiler calls and ends the process for cells.
    pub fn close(&self) {
        let mut state = self.state();
        state.closing = true;
        self.control.request_stop();
        end_commands(state.process.as_ref());
        kill(state.process.as_ref());
    }

    /// Whether the kernel ends.
    pub fn closing(&self) -> bool {
        self.state().closing
    }

    /// The shared file, for watching builds.
    pub fn control(&self) -> Arc<Control> {
        self.control.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is plain values that are whole at every moment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the process for cells and what it started in its group.
fn kill(process: Option<&Process>) {
    if let Some(process) = process
        && let Ok(mut child) = process.lock()
        && let Ok(None) = child.try_wait()
    {
        if let Ok(group) = i32::try_from(child.id()) {
            // SAFETY: two integers. The child has not been waited for, so its id is still its own; it leads its group.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = child.kill();
    }
}

/// Ends commands that evcxr runs itself (`!command` lines) with all that they started: children of this process that are
/// neither the process for cells nor compiler calls, which listen to the request by themselves.
fn end_commands(process: Option<&Process>) {
    let program = |id: u32| std::fs::metadata(format!("/proc/{id}/exe")).ok().map(|m| identity(&m));
    let ours = std::process::id();
    let cells = process.and_then(|p| p.lock().ok().map(|child| child.id()));
    let mut found: Vec<u32> = children(ours);
    found.retain(|id| Some(*id) != cells && program(*id) != program(ours));
    let mut next = 0;
    while let Some(id) = found.get(next) {
        found.extend(children(*id));
        next += 1;
    }
    for id in found {
        // SAFETY: two integers; a process that is gone gives an error that changes nothing.
        unsafe { libc::kill(id as i32, libc::SIGTERM) };
    }
}

/// The processes that a process has started and that still run.
fn children(id: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    threads
        .flat_map(|thread| {
            let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()
        })
        .collect()
}

fn identity(metadata: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interrupts() -> (Interrupts, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let mut interrupts = Interrupts::new(Control::create(folder.path()).unwrap());
        interrupts.grace = Duration::from_millis(50);
        (interrupts, folder)
    }

    #[test]
    fn an_interrupt_between_cells_does_not_reach_the_next() {
        let (interrupts, _folder) = interrupts();
        assert!(!interrupts.interrupt());
        interrupts.begin();
        assert_eq!((interrupts.requests(), interrupts.control.stop_requests()), (0, 0));
        assert!(interrupts.interrupt() && interrupts.interrupt());
        assert_eq!((interrupts.requests(), interrupts.control.stop_requests()), (2, 2));
        interrupts.end();
        interrupts.begin();
        assert_eq!(interrupts.control.stop_requests(), 0);
    }

    #[test]
    fn a_process_is_ended_only_while_its_code_runs() {
        use std::os::unix::process::CommandExt;
        let (interrupts, _folder) = interrupts();
        let child = std::process::Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let child = Arc::new(Mutex::new(child));
        interrupts.set_process(child.clone());
        interrupts.begin();
        interrupts.interrupt();
        std::thread::sleep(Duration::from_millis(150));
        assert!(!interrupts.process_was_ended());
        interrupts.end();

        // The code has ended, and what it replaced is still being dropped.
        interrupts.begin();
        interrupts.code_began();
        interrupts.code_ended();
        interrupts.interrupt();
        std::thread::sleep(Duration::from_millis(150));
        assert!(interrupts.process_was_ended());
        assert!(!child.lock().unwrap().wait().unwrap().success());
    }
}
