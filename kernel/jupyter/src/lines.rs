//! Lines of knobs that a front end writes: JupyterLab, with the script that `lab` gives it (`assets/lab/lines.js`).
//!
//! The kernel cannot edit a cell. A front end that can opens a comm. After a knob was turned and its cell has run, the kernel names the
//! new values there, and the front end writes them into the lines and answers what these say now; `null` stands for a line that it did
//! not find.
//! ```text
//! kernel:    {"cell": ID, "lines": [{"name": "d", "value": "30"}]}
//! front end: {"cell": ID, "lines": [{"name": "d", "value": "30"}]}
//! ```
//! One that comes when cells have run, because its page was loaded again, may show what a file says. So it hears first what those cells show
//! that are out of date or have run by themselves, all notes, and the values of all knobs; with `"ran": "144"`, it writes only a line that
//! says this still, and not one that the reader has edited.
//!
//! It is expected to, so that no note appears for the moment that this takes. A page that was closed says nothing, and is not
//! expected to write any more until it does.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jupyter_protocol::{CommId, CommMsg, CommOpen, ExecutionCount, JupyterMessage};
use serde_json::{Value, json};

use super::execute::publish;
use super::note::{Line, With};
use super::shell::Shell;
use workbench_base::knobs;

/// Name of the comms that such front ends open.
const TARGET: &str = "workbench.lines";

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// A knob and the value that its line is to have.
pub type Written = (String, String);

/// Front ends that write lines.
#[derive(Debug, Default)]
pub struct Writers {
    /// Their comms, and whether each answers.
    comms: BTreeMap<String, bool>,
    /// What the line of a knob said, by cell and knob, where it is expected to be written and that was not answered yet.
    owed: BTreeMap<(String, String), String>,
    /// Until when answers are waited for, and what they are a consequence of.
    until: Option<(Instant, JupyterMessage)>,
}

impl Writers {
    /// Until when answers are waited for.
    pub fn until(&self) -> Option<Instant> {
        self.until.as_ref().map(|(until, _)| *until)
    }

    /// Forgets a front end that has closed its comm.
    pub fn close(&mut self, comm: &str) {
        self.comms.remove(comm);
    }
}

/// What a front end hears of the lines of a cell.
fn said(comm: &CommId, cell: &str, lines: impl Iterator<Item = Value>) -> CommMsg {
    let data = [("cell".to_owned(), json!(cell)), ("lines".to_owned(), lines.collect())];
    CommMsg { comm_id: comm.clone(), data: data.into_iter().collect() }
}

impl Shell {
    /// Whether a comm that a front end opens is an offer to write lines; then it is kept, and hears how everything stands.
    pub(super) fn offers_lines(&mut self, open: &CommOpen, parent: &JupyterMessage) -> bool {
        if open.target_name != TARGET {
            return false;
        }
        self.writers.comms.insert(open.comm_id.0.clone(), true);
        self.tell_notes(parent);
        for output in self.stale.standing().chain(self.notes.standing()) {
            publish(output, ExecutionCount::new(self.count), &self.publisher, parent);
        }
        for (cell, played) in &self.knob_cells {
            let lines = self.notes.own(cell).into_iter().filter_map(|(name, value)| {
                let (knob, _) = played.widgets.line(&name, &value)?;
                Some(json!({"name": name, "value": value, "ran": knob.ran}))
            });
            self.publisher.publish(said(&open.comm_id, cell, lines), parent);
        }
        true
    }

    /// The lines of a cell that ran as `source` and that front ends are to write now.
    pub(super) fn lines_to_write(&mut self, cell: &str, source: &str) -> Vec<Written> {
        let Writers { comms, owed, .. } = &mut self.writers;
        let Some(played) = self.knob_cells.get_mut(cell).filter(|_| !comms.is_empty()) else {
            return Vec::new();
        };
        let expected = comms.values().any(|answers| *answers);
        let mut lines = Vec::new();
        for knob in knobs::of(source) {
            let line = played.widgets.line(&knob.name, &knob.value);
            let Some(says) = line.map(|(_, says)| says.to_owned()).filter(|says| *says != knob.value) else {
                continue;
            };
            if expected {
                owed.entry((cell.to_owned(), knob.name.clone())).or_insert(says);
                played.widgets.heard(&knob.name, Some(&knob.value));
            }
            lines.push((knob.name, knob.value));
        }
        lines
    }

    /// Has front ends write lines.
    pub(super) fn write_lines(&mut self, cell: &str, lines: &[Written], parent: &JupyterMessage) {
        if lines.is_empty() {
            return;
        }
        for id in self.writers.comms.keys() {
            let lines = lines.iter().map(|(name, value)| json!({"name": name, "value": value}));
            self.publisher.publish(said(&CommId(id.clone()), cell, lines), parent);
        }
        if !self.writers.owed.is_empty() {
            self.writers.until = Some((Instant::now() + PATIENCE, parent.clone()));
        }
    }

    /// Takes what a front end says of lines; whether it was that.
    pub(super) fn heard_lines(&mut self, request: &CommMsg, parent: &JupyterMessage) -> bool {
        let Some(answers) = self.writers.comms.get_mut(&request.comm_id.0) else {
            return false;
        };
        *answers = true;
        let cell = request.data.get("cell").and_then(Value::as_str).unwrap_or_default();
        let lines = request.data.get("lines").and_then(Value::as_array);
        if let Some(played) = self.knob_cells.get_mut(cell) {
            for line in lines.into_iter().flatten() {
                if let Some(name) = line["name"].as_str() {
                    played.widgets.heard(name, line["value"].as_str());
                }
            }
        }
        self.writers.owed.retain(|(owed, _), _| owed != cell);
        if self.writers.owed.is_empty() {
            self.writers.until = None;
        }
        self.tell_notes(parent);
        true
    }

    /// Nobody has answered: lines say what they said.
    pub(super) fn lines_unanswered(&mut self) {
        let Some((_, parent)) = self.writers.until.take() else {
            return;
        };
        self.writers.comms.values_mut().for_each(|answers| *answers = false);
        for ((cell, name), says) in std::mem::take(&mut self.writers.owed) {
            if let Some(played) = self.knob_cells.get_mut(&cell) {
                played.widgets.heard(&name, Some(&says));
            }
        }
        self.tell_notes(&parent);
    }

    /// Has each cell's note say what holds now.
    pub(super) fn tell_notes(&mut self, parent: &JupyterMessage) {
        let (knob_cells, stale) = (&self.knob_cells, &self.stale);
        let line = |with: &With| {
            let widgets = &knob_cells.get(&with.cell)?.widgets;
            let (knob, says) = widgets.line(&with.name, &with.value)?;
            Some(Line { number: widgets.name.count, says: says.to_owned(), ran: knob.ran.clone() })
        };
        let lines = self.writers.comms.values().any(|answers| *answers);
        for output in self.notes.due(line, |cell| stale.is_marked(cell), lines) {
            publish(output, ExecutionCount::new(self.count), &self.publisher, parent);
        }
    }
}
