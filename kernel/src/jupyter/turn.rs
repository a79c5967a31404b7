//! Turning a knob: the cell runs with another value, and its outputs are replaced where they stand.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use jupyter_protocol::{CommClose, CommId, CommMsg, CommOpen, ExecutionCount, JupyterMessage, JupyterMessageContent};
use serde_json::{Map, Value, json};

use super::board::{Board, PROTOCOL, TARGET, VIEW};
use super::execute::publish;
use super::info;
use super::shell::Shell;
use super::shown::Shown;
use super::stale::{Follower, follows};
use crate::eval::channel::{Output, Role};
use crate::eval::traffic::Traffic;
use crate::eval::{CellName, Event, Failure};

/// The knobs of a cell that has run, and the ids of its outputs in their order.
#[derive(Debug)]
pub struct Played {
    board: Board,
    ids: Vec<String>,
}

/// A cell that is to run with another value of a knob.
#[derive(Debug)]
pub struct Turned {
    name: CellName,
    source: String,
    ids: Vec<String>,
}

/// Failures of cells that did not run, so that nothing was made again.
const NOT_RUN: [&str; 3] = ["compile error", "restart needed", "kernel"];

impl Shell {
    /// Shows the knobs of a cell, if it has any: as widgets to a person, as a table to everybody else.
    pub(super) fn show_knobs(
        &mut self,
        code: &str,
        name: &CellName,
        interactive: bool,
        parent: &JupyterMessage,
    ) -> bool {
        if let Some(old) = self.boards.remove(&name.id) {
            for model in old.board.models() {
                let close = CommClose {
                    comm_id: CommId(model.id.clone()),
                    data: Map::new(),
                };
                self.publisher.publish(close, parent);
            }
        }
        let Some(board) = Board::of(code, name) else {
            return false;
        };
        let mut view = board.view();
        if interactive {
            for model in board.models() {
                let data = json!({"state": model.state, "buffer_paths": []});
                let open = CommOpen {
                    comm_id: CommId(model.id.clone()),
                    target_name: TARGET.to_owned(),
                    data: data.as_object().cloned().unwrap_or_default(),
                    target_module: None,
                };
                self.publisher.publish_with(open, json!({"version": PROTOCOL}), parent);
            }
            let ids = Vec::new();
            self.boards.insert(name.id.clone(), Played { board, ids });
        } else {
            view.data.remove(VIEW);
        }
        publish(view, ExecutionCount::new(name.count), &self.publisher, parent);
        interactive
    }

    /// Notes what a cell has shown, and marks what rested on what it made before.
    pub(super) fn has_run(
        &mut self,
        name: &CellName,
        code: &str,
        shown: Shown,
        failure: Option<&Failure>,
        seconds: f64,
        parent: &JupyterMessage,
    ) {
        if let Some(played) = self.boards.get_mut(&name.id) {
            played.ids.clone_from(&shown.ids);
        }
        if failure.is_some_and(|failure| NOT_RUN.contains(&failure.name.as_str())) {
            return;
        }
        let follower = follows(code).then(|| Follower {
            name: name.clone(),
            source: code.to_owned(),
            ids: shown.ids,
            seconds,
        });
        let traffic = Traffic::of(code);
        for marked in self.stale.ran(&name.id, name.count, &traffic, shown.kept, follower) {
            publish(marked, ExecutionCount::new(name.count), &self.publisher, parent);
        }
    }

    /// Runs the cells that want to follow what was made again.
    pub(super) async fn follow(&mut self, parent: &JupyterMessage) {
        let mut done = HashSet::new();
        while let Some(Follower { name, source, ids, .. }) = self.stale.due(&done) {
            done.insert(name.id.clone());
            self.turn(Turned { name, source, ids }, parent).await;
        }
    }

    /// The models that front ends may ask for.
    pub(super) fn comm_info(&self, target: Option<&str>) -> JupyterMessageContent {
        let asked = target.is_none_or(|target| target == TARGET);
        let models = self.boards.values().flat_map(|played| played.board.models());
        info::comm_info(models.filter(|_| asked).map(|model| model.id.as_str()), TARGET)
    }

    /// Answers a message of a front end's model; what comes back is to be run.
    pub(super) fn comm(&mut self, request: &CommMsg, parent: &JupyterMessage) -> Option<Turned> {
        let id = &request.comm_id.0;
        let played = self
            .boards
            .values_mut()
            .find(|played| played.board.model(id).is_some())?;
        match request.data.get("method").and_then(Value::as_str) {
            Some("request_state") => {
                let state = &played.board.model(id)?.state;
                let data = json!({"method": "update", "state": state, "buffer_paths": []});
                let answer = CommMsg {
                    comm_id: request.comm_id.clone(),
                    data: data.as_object().cloned().unwrap_or_default(),
                };
                self.publisher
                    .publish_with(answer, json!({"version": PROTOCOL}), parent);
                None
            }
            Some("update") => {
                let source = played.board.update(id, request.data.get("state")?.as_object()?)?;
                Some(Turned {
                    name: played.board.name.clone(),
                    source,
                    ids: played.ids.clone(),
                })
            }
            _ => None,
        }
    }

    /// Runs a cell with another value and replaces its outputs one by one. Text that it prints has no place to be replaced in.
    pub(super) async fn turn(&mut self, turned: Turned, parent: &JupyterMessage) {
        let Turned { name, source, ids } = turned;
        let count = ExecutionCount::new(name.count);
        let kept = std::sync::Arc::new(std::sync::Mutex::new(Shown::new(Some(String::new()), false)));
        let sink = {
            let (publisher, parent, ids, kept) = (self.publisher.clone(), parent.clone(), ids.clone(), kept.clone());
            let next = AtomicUsize::new(0);
            move |event: Event| match event {
                Event::Show(mut output) => {
                    if output.id.is_none() {
                        // More than there were the first time have no place.
                        let Some(id) = ids.get(next.fetch_add(1, Ordering::SeqCst)) else {
                            return;
                        };
                        output.id = Some(id.clone());
                        output.role = Role::Show;
                    }
                    if let Ok(mut kept) = kept.lock() {
                        kept.take(&mut output);
                    }
                    output.role = Role::Update;
                    publish(output, count, &publisher, &parent);
                }
                Event::Ask(question) => (question.answer)(Err("a cell that a knob runs asks nothing".to_owned())),
                Event::Text(..) | Event::Clear(_) => {}
            }
        };
        let started = Instant::now();
        let outcome = self.run(source.clone(), name.clone(), false, Box::new(sink)).await;
        let mut shown = kept
            .lock()
            .map(|mut kept| std::mem::take(&mut *kept))
            .unwrap_or_default();
        if let (Err(failure), Some(last)) = (&outcome, ids.last()) {
            let told = Output {
                id: Some(last.clone()),
                role: Role::Update,
                ..Output::text(format!("{}: {}", failure.name, failure.message))
            };
            publish(told, count, &self.publisher, parent);
        }
        shown.ids = ids;
        let seconds = started.elapsed().as_secs_f64();
        self.has_run(&name, &source, shown, outcome.as_ref().err(), seconds, parent);
    }
}
