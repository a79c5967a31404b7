//! One notebook, top to bottom, through one kernel.

use std::time::{Duration, Instant};

use jupyter_protocol::{JupyterMessageContent, MediaType};
use nbformat::v4::Output;
use tokio::sync::watch;

use super::judge::Fault;
use super::outputs::SessionOutputs;
use workbench_base::notebook::{CodeCell, Notebook};
use workbench_client::{Client, KernelCommand, Outcome};

/// Tag of a cell that may fail.
const MAY_FAIL: &str = "raises-exception";
/// Tag of a cell that is not run.
const SKIP: &str = "skip-execution";

/// How long the outputs of a finished cell may wait to be saved; writing a notebook takes a while.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// How long a kernel may take to end by itself after Ctrl-C.
const ON_STOP: Duration = Duration::from_secs(1);

/// What happens in a session, for progress displays.
#[derive(Clone, Debug)]
pub enum Event {
    /// The kernel answers.
    KernelReady {
        /// Time from its start.
        seconds: f64,
    },
    /// A cell begins.
    Cell {
        /// Its place among the code cells, from 1.
        number: usize,
        /// How many there are.
        total: usize,
        /// Its id.
        id: String,
    },
    /// A display that changes while a cell runs: a line of its text.
    Live {
        /// The line.
        text: String,
    },
    /// A cell ended.
    Done {
        /// Its id.
        id: String,
        /// Time it took.
        seconds: f64,
    },
}

/// The kind of error that is the kernel's own: it could not start what runs cells.
const KERNEL: &str = "kernel";

/// What made a notebook fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whether the cell is at fault or what it needs to run.
    pub fault: Fault,
    /// Cell id, or what came before the first cell.
    pub cell: String,
    /// Message of the kernel or of the runner.
    pub message: String,
}

/// A notebook after its session.
#[derive(Clone, Debug)]
pub struct SessionReport {
    /// The notebook with its outputs.
    pub notebook: Notebook,
    /// Cells executed, with the time each took.
    pub cells: Vec<(String, f64)>,
    /// The first failure, if any.
    pub failure: Option<Failure>,
    /// Whether the run was stopped from outside.
    pub cancelled: bool,
    /// Time from the kernel's start to its end.
    pub seconds: f64,
    /// Time from the kernel's start to its first answer.
    pub start_seconds: f64,
}

/// Limits of a session.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many of the code cells to run, from the first.
    pub cells: usize,
    /// Per cell; `None` for no limit.
    pub cell: Option<Duration>,
    /// For the kernel's first answer.
    pub start: Duration,
    /// How many of the cells to come are told to the kernel with each, for it to compile them meanwhile.
    pub ahead: usize,
}

/// Who watches a session.
pub struct Watch<'a> {
    /// Is told what happens.
    pub tell: &'a mut (dyn FnMut(Event) + Send),
    /// Keeps the notebook with the outputs so far, after each cell.
    pub save: &'a mut (dyn FnMut(&Notebook) + Send),
}

/// Runs a notebook. Stops at the first failing cell unless the cell is tagged `raises-exception`.
pub async fn run(
    mut notebook: Notebook,
    command: &KernelCommand,
    limits: Limits,
    cancel: &mut watch::Receiver<bool>,
    mut watch: Watch<'_>,
) -> SessionReport {
    let started = Instant::now();
    let mut cells = Vec::new();
    let mut failure = None;
    let mut cancelled = false;
    let mut start_seconds = 0.0;
    let client = tokio::select! {
        client = Client::start(command, limits.start) => Some(client),
        _ = stopped(cancel) => None,
    };
    match client {
        None => cancelled = true,
        Some(Err(error)) => {
            failure =
                Some(Failure { fault: Fault::Machine, cell: "(kernel start)".into(), message: error.to_string() });
        }
        Some(Ok(mut client)) => {
            start_seconds = started.elapsed().as_secs_f64();
            (watch.tell)(Event::KernelReady { seconds: start_seconds });
            notebook.set_language(client.language().clone());
            let end = run_cells(&mut notebook, &mut client, limits, cancel, &mut watch, &mut cells).await;
            // However it ended, what the last cells gave is saved.
            (watch.save)(&notebook);
            match end {
                End::Finished => client.shutdown().await,
                End::Failed(found) => {
                    failure = Some(found);
                    client.shutdown().await;
                }
                End::Cancelled => {
                    cancelled = true;
                    client.shutdown_within(ON_STOP).await;
                }
            }
        }
    }
    SessionReport { notebook, cells, failure, cancelled, seconds: started.elapsed().as_secs_f64(), start_seconds }
}

enum End {
    Finished,
    Failed(Failure),
    Cancelled,
}

async fn run_cells(
    notebook: &mut Notebook,
    client: &mut Client,
    limits: Limits,
    cancel: &mut watch::Receiver<bool>,
    watch: &mut Watch<'_>,
    done: &mut Vec<(String, f64)>,
) -> End {
    let cells: Vec<CodeCell> = notebook.cells().iter().take(limits.cells).cloned().collect();
    let mut outputs = SessionOutputs::default();
    let mut places: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let (mut saved, mut unsaved) = (Instant::now(), false);
    // An old output under a run that was cut off would pass for a new one.
    notebook.clear_outputs(|cell| cell.has_tag(SKIP));
    for (number, cell) in cells.iter().enumerate() {
        if !is_run(cell) {
            continue;
        }
        (watch.tell)(Event::Cell { number: number + 1, total: cells.len(), id: cell.id.clone() });
        let next = cells[number + 1..].iter().filter(|cell| is_run(cell));
        client.announce(next.take(limits.ahead).map(|cell| cell.source.clone()).collect());
        let slot = outputs.begin();
        let mut live = LiveLine::default();
        let executed = {
            let mut each = |content: &_| {
                outputs.take(content);
                if let Some(text) = live.line(content) {
                    (watch.tell)(Event::Live { text });
                }
            };
            let execution = client.execute(&cell.source, &cell.id, limits.cell, &mut each);
            tokio::pin!(execution);
            loop {
                tokio::select! {
                    executed = &mut execution => break Some(executed),
                    _ = stopped(cancel) => break None,
                    () = tokio::time::sleep_until((saved + SAVE_EVERY).into()), if unsaved => {
                        (watch.save)(notebook);
                        (saved, unsaved) = (Instant::now(), false);
                    }
                }
            }
        };
        let Some(executed) = executed else {
            notebook.set_outputs(cell.index, &outputs.cell(slot), None);
            return End::Cancelled;
        };
        let (outcome, count) = match executed {
            Ok(executed) => {
                done.push((cell.id.clone(), executed.seconds));
                (watch.tell)(Event::Done { id: cell.id.clone(), seconds: executed.seconds });
                (executed.outcome, executed.count)
            }
            Err(error) => (Outcome::Died { how: error.to_string() }, None),
        };
        places.push((cell.index, slot, count));
        for (index, slot, count) in &places {
            // An update may have reached back to an earlier cell.
            if *index == cell.index || outputs.changed(*slot) {
                notebook.set_outputs(*index, &outputs.cell(*slot), *count);
            }
        }
        outputs.seen();
        unsaved = true;
        let allowed = cell.has_tag(MAY_FAIL) && matches!(outcome, Outcome::Error { .. });
        if let Some(message) = message(&outcome)
            && !allowed
        {
            let message = message + &pointers(&outputs.cell(slot));
            return End::Failed(Failure { fault: fault(&outcome), cell: cell.id.clone(), message });
        }
    }
    End::Finished
}

fn is_run(cell: &CodeCell) -> bool {
    !cell.has_tag(SKIP) && !cell.source.trim().is_empty()
}

/// How often a changing display is shown in the terminal.
const LIVE_EVERY: Duration = Duration::from_millis(100);

/// The text of a display that can be updated, as a line for the terminal.
#[derive(Default)]
struct LiveLine {
    shown: Option<Instant>,
}

impl LiveLine {
    fn line(&mut self, content: &JupyterMessageContent) -> Option<String> {
        let media = match content {
            JupyterMessageContent::UpdateDisplayData(update) => &update.data,
            JupyterMessageContent::DisplayData(shown) => {
                shown.transient.as_ref()?.display_id.as_ref()?;
                &shown.data
            }
            _ => return None,
        };
        if self.shown.is_some_and(|at| at.elapsed() < LIVE_EVERY) {
            return None;
        }
        let text = media.content.iter().find_map(|media| match media {
            MediaType::Plain(text) => text.lines().map(str::trim).find(|line| !line.is_empty()),
            _ => None,
        })?;
        self.shown = Some(Instant::now());
        Some(text.to_owned())
    }
}

/// One line on how a cell ended; nothing when it ended well.
fn message(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Ok => None,
        Outcome::Error { name, message } => Some(format!("{name}: {message}")),
        Outcome::TimedOut { seconds, killed } => {
            let how =
                if *killed { "did not stop when interrupted, and its kernel was killed" } else { "was interrupted" };
            Some(format!("the cell ran longer than {seconds} s and {how}; give it more with --timeout"))
        }
        Outcome::Died { how } => Some(format!("the kernel died: {how}")),
    }
}

/// Lines that are told of a cell's error below its message.
const POINTERS: usize = 8;

/// Where a cell failed and what the compiler proposes, as lines below the message; nothing if its error does not say.
fn pointers(outputs: &[Output]) -> String {
    let tracebacks = outputs.iter().filter_map(|output| match output {
        Output::Error(error) => Some(&error.traceback),
        _ => None,
    });
    let lines: Vec<String> = tracebacks.flatten().flat_map(|text| text.lines()).map(without_colours).collect();
    let told = lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| ["--> ", "help: ", "note: "].iter().any(|begin| line.starts_with(begin)));
    let mut told: Vec<&str> = told.collect();
    told.dedup();
    told.into_iter().take(POINTERS).map(|line| format!("\n  {line}")).collect()
}

/// A text without the colours of a terminal.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest))
}

fn fault(outcome: &Outcome) -> Fault {
    match outcome {
        Outcome::Error { name, .. } if name == KERNEL => Fault::Machine,
        _ => Fault::Cell,
    }
}

async fn stopped(cancel: &mut watch::Receiver<bool>) {
    if cancel.wait_for(|stop| *stop).await.is_err() {
        // Nobody is left who could stop the run.
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nbformat::v4::ErrorOutput;

    #[test]
    fn a_failure_is_told_with_its_place_and_what_the_compiler_proposes() {
        let failed = |traceback: &[&str]| {
            let traceback = traceback.iter().map(|line| line.to_string()).collect();
            pointers(&[Output::Error(ErrorOutput { ename: "e".into(), evalue: "v".into(), traceback })])
        };
        let told = failed(&[
            "\u{1b}[31merror[E0425]\u{1b}[0m: cannot find value `x`",
            "\u{1b}[34m -->\u{1b}[0m cell, line 2, column 5",
            "\u{1b}[34m2 |\u{1b}[0m x",
            "  \u{1b}[34mhelp\u{1b}[0m: a local variable is near: `y`",
        ]);
        assert_eq!(told, "\n  --> cell, line 2, column 5\n  help: a local variable is near: `y`");
        assert_eq!(failed(&["\u{1b}[34m-->\u{1b}[0m src/eq_1.rs, line 12"]), "\n  --> src/eq_1.rs, line 12");
        assert_eq!(failed(&["panic: boom"]), "");
        assert_eq!(failed(&["--> a"; 20]), "\n  --> a");
        assert_eq!(pointers(&[]), "");
    }
}
