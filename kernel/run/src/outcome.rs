//! Outcome of a run, and the exit status that says so.

use std::collections::BTreeMap;

use serde::Serialize;
use workbench_record::{Row, Verdict};

use super::judge::{Fault, Problem, Verdicts};
use super::session::SessionReport;

/// Exit status after Ctrl-C.
pub const INTERRUPTED: i32 = 130;

/// What a run gave.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Its identity.
    pub run: String,
    /// Its seed.
    pub seed: u64,
    /// Notebooks that ran to their end.
    pub passed: Vec<String>,
    /// Verdicts that it computed, and what is wrong with them.
    pub verdicts: Verdicts,
    /// Everything that went wrong.
    pub problems: Vec<Problem>,
    /// The notebooks and their times.
    pub notebooks: Vec<NotebookTime>,
    /// Committed verdicts that it was compared with.
    pub expected: BTreeMap<String, Verdict>,
    /// Claims of one's own, kept apart from the record.
    pub scratch: Vec<Row>,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Whether it was stopped from outside.
    pub cancelled: bool,
}

impl Outcome {
    /// The exit status: 0, or that of the worst fault.
    pub fn status(&self) -> i32 {
        if self.cancelled {
            return INTERRUPTED;
        }
        let worst = self.problems.iter().map(|problem| problem.fault).max();
        worst.map_or(0, Fault::status)
    }
}

/// A notebook of a run and how long it took.
#[derive(Clone, Debug, Serialize)]
pub struct NotebookTime {
    /// Its name.
    pub notebook: String,
    /// Whether a cell failed.
    pub failed: bool,
    /// Whether it was stopped from outside before its end.
    pub stopped: bool,
    /// Cells that were run.
    pub cells: usize,
    /// Time until the kernel answered.
    pub kernel_start_seconds: f64,
    /// Time of all.
    pub seconds: f64,
    /// The slowest cell and its time.
    pub slowest: Option<(String, f64)>,
}

impl NotebookTime {
    /// Of a session.
    pub fn of(report: &SessionReport) -> NotebookTime {
        NotebookTime {
            notebook: report.notebook.name(),
            failed: report.failure.is_some(),
            stopped: report.cancelled,
            cells: report.cells.len(),
            kernel_start_seconds: report.start_seconds,
            seconds: report.seconds,
            slowest: report.cells.iter().max_by(|a, b| a.1.total_cmp(&b.1)).cloned(),
        }
    }
}
