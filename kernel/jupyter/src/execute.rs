//! `execute_request`: one cell, its outputs, its reply.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use jupyter_protocol::{
    ClearOutput, DisplayData, ErrorOutput, ExecuteInput, ExecuteReply, ExecuteRequest, ExecuteResult, ExecutionCount,
    ExpressionResult, JupyterMessage, JupyterMessageContent, Media, MediaType, ReplyError, ReplyStatus, StreamContent,
    Transient, UpdateDisplayData,
};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::display_ids::DisplayIds;
use super::engine::Job;
use super::fallback_display::{self, FallbackDisplay};
use super::note;
use super::publish::Publisher;
use super::shell::Shell;
use super::stale::follows;
use workbench_eval::channel::{Output, Role};
use workbench_eval::output::Stream;
use workbench_eval::{CellName, Event, Failure, Sink};

/// Why a question of a cell has no answer.
const NO_STDIN: &str =
    "the front end that ran this cell answers no questions (allow_stdin is false); put the value into the cell";

/// The command that runs what is out of date.
const RUN_STALE: &str = ":stale";

impl Shell {
    /// Runs a cell and makes its reply.
    ///
    /// Cells are numbered from 1; those that are silent, empty or not for the history do not count. A silent cell shows
    /// nothing: its reply says how it ended.
    pub async fn execute(&mut self, request: &ExecuteRequest, message: &JupyterMessage) -> ExecuteReply {
        let code = request.code.clone();
        let empty = code.trim().is_empty();
        let stored = request.store_history && !request.silent && !empty;
        if stored {
            self.count += 1;
        }
        let count = ExecutionCount::new(self.count);
        if !request.silent {
            let input = ExecuteInput { code: code.clone(), execution_count: count };
            self.publisher.publish(input, message);
        }
        let id = message.metadata.get("cellId").and_then(Value::as_str).unwrap_or_default();
        let name = CellName { id: id.to_owned(), count: self.count };
        let deleted = message.metadata.get("deletedCells").and_then(Value::as_array);
        for id in deleted.into_iter().flatten().filter_map(Value::as_str) {
            self.stale.was_deleted(id);
        }
        let value = Arc::new(Mutex::new(None));
        let interactive = has_reader(message) && !request.silent && !name.id.is_empty();
        let outcome = if empty {
            Ok(())
        } else if code.trim() == RUN_STALE {
            self.run_stale(message).await
        } else {
            let has_knobs = !request.silent && self.show_knobs(&code, &name, interactive, message);
            let prefix = interactive.then(|| self.run_id(&name));
            let shown = Arc::new(Mutex::new(DisplayIds::new(prefix, has_knobs || follows(&code))));
            self.moved.by(&name.id, HashMap::new());
            if interactive {
                self.notes.begins(&name.id);
            }
            let started = Instant::now();
            let sink = self.sink(request, message, value.clone(), shown.clone());
            let outcome = self.run(code.clone(), name.clone(), request.allow_stdin, sink).await;
            let mut shown = std::mem::take(&mut *shown.lock().unwrap_or_else(PoisonError::into_inner));
            if let Some(output) = shown.places.rest.as_mut().and_then(FallbackDisplay::show) {
                publish(output, count, &self.publisher, message);
            }
            shown.places.failed = outcome.is_err();
            if interactive {
                let seconds = started.elapsed().as_secs_f64();
                self.has_run(&name, &code, shown, outcome.as_ref().err(), seconds, message);
            }
            outcome
        };
        let mut reply =
            ExecuteReply { execution_count: count, user_expressions: Some(HashMap::new()), ..ExecuteReply::default() };
        match outcome {
            Ok(()) => {
                for (key, expression) in request.user_expressions.iter().flatten() {
                    let result = self.expression(expression, &name).await;
                    reply.user_expressions.get_or_insert_default().insert(key.clone(), result);
                }
            }
            Err(failure) => {
                let error = ReplyError { ename: failure.name, evalue: failure.message, traceback: failure.traceback };
                if !request.silent {
                    let shown = ErrorOutput {
                        ename: error.ename.clone(),
                        evalue: error.evalue.clone(),
                        traceback: error.traceback.clone(),
                    };
                    self.publisher.publish(shown, message);
                }
                reply.status = ReplyStatus::Error;
                reply.error = Some(Box::new(error));
            }
        }
        if stored {
            let value = value.lock().unwrap_or_else(PoisonError::into_inner).take();
            self.history.add(self.count, code, value);
        }
        reply
    }

    /// Runs code on the evaluating thread.
    pub(super) async fn run(
        &self,
        code: String,
        name: CellName,
        may_ask: bool,
        sink: Box<Sink>,
    ) -> Result<(), Failure> {
        let (done, answer) = oneshot::channel();
        self.engine.submit(Job::Execute { code, name, may_ask, sink, done });
        let outcome = answer.await;
        self.questions.forget();
        outcome.unwrap_or_else(|_| Err(Failure::new("kernel", "the evaluating thread is gone: restart the kernel")))
    }

    /// The value of one of the request's `user_expressions`.
    async fn expression(&self, code: &str, name: &CellName) -> ExpressionResult {
        let shown = Arc::new(Mutex::new(Output::show(Map::new())));
        let to = shown.clone();
        let sink = move |event: Event| {
            if let Event::Show(output) = event {
                *to.lock().unwrap_or_else(PoisonError::into_inner) = output;
            }
        };
        match self.run(code.to_owned(), name.clone(), false, Box::new(sink)).await {
            Ok(()) => {
                let output = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
                ExpressionResult::Ok { data: media(output.data), metadata: output.metadata }
            }
            Err(failure) => {
                ExpressionResult::Error { ename: failure.name, evalue: failure.message, traceback: failure.traceback }
            }
        }
    }

    /// Publishes what the cell shows; `value` takes the text of its value.
    fn sink(
        &self,
        request: &ExecuteRequest,
        message: &JupyterMessage,
        value: Arc<Mutex<Option<String>>>,
        shown: Arc<Mutex<DisplayIds>>,
    ) -> Box<Sink> {
        let publisher = self.publisher.clone();
        let (questions, moved) = (self.questions.clone(), self.moved.clone());
        let parent = message.clone();
        let count = ExecutionCount::new(self.count);
        let runtime = Handle::current();
        let (silent, may_ask) = (request.silent, request.allow_stdin);
        Box::new(move |event| match event {
            Event::Ask(question) if may_ask => questions.ask(question, &parent),
            Event::Ask(question) => (question.answer)(Err(NO_STDIN.to_owned())),
            _ if silent => {}
            Event::Text(stream, text) => {
                let mut open = shown.lock().unwrap_or_else(PoisonError::into_inner);
                match (&mut open.places.rest, stream) {
                    (Some(rest), _) => {
                        if let Some(output) = rest.print(&text) {
                            publish(output, count, &publisher, &parent);
                        } else if rest.is_late() {
                            let (shown, publisher, parent) = (shown.clone(), publisher.clone(), parent.clone());
                            fallback_display::later(&runtime, move || {
                                let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                                if let Some(output) = shown.places.rest.as_mut().and_then(FallbackDisplay::show_late) {
                                    publish(output, count, &publisher, &parent);
                                }
                            });
                        }
                    }
                    (None, Stream::Out) => publisher.publish(StreamContent::stdout(&text), &parent),
                    (None, Stream::Err) => publisher.publish(StreamContent::stderr(&text), &parent),
                }
            }
            Event::Clear(wait) => {
                shown.lock().unwrap_or_else(PoisonError::into_inner).clear();
                publisher.publish(ClearOutput { wait }, &parent);
            }
            Event::Show(mut output) => {
                if output.role == Role::Value {
                    let text = output.data.get("text/plain").and_then(Value::as_str).map(str::to_owned);
                    *value.lock().unwrap_or_else(PoisonError::into_inner) = text;
                }
                let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                if !shown.has(output.id.as_ref()) {
                    moved.find(&mut output);
                }
                shown.take(&mut output);
                drop(shown);
                publish(output, count, &publisher, &parent);
            }
        })
    }
}

/// Whether somebody sees what comes of a message. Who takes no questions has nobody before it, nor has our own runner.
fn has_reader(message: &JupyterMessage) -> bool {
    let headless = message.metadata.get("headless").is_some_and(|headless| *headless == true);
    !headless && !matches!(&message.content, JupyterMessageContent::ExecuteRequest(request) if !request.allow_stdin)
}

/// Publishes an output. The metadata of one that can be replaced name its id, so that a page that is loaded again finds it.
pub(super) fn publish(output: Output, count: ExecutionCount, publisher: &Publisher, parent: &JupyterMessage) {
    let data = media(output.data);
    let mut metadata = output.metadata;
    if let Some(id) = output.id.as_ref().filter(|_| has_reader(parent))
        && let Some(own) = metadata.entry(note::KEY).or_insert_with(|| json!({})).as_object_mut()
    {
        own.insert("display".to_owned(), json!(id));
    }
    let transient = Transient { display_id: output.id };
    match output.role {
        Role::Value => {
            let result = ExecuteResult { execution_count: count, data, metadata, transient: Some(transient) };
            publisher.publish(result, parent);
        }
        Role::Show => {
            let shown = DisplayData { data, metadata, transient: Some(transient) };
            publisher.publish(shown, parent);
        }
        Role::Update => {
            let update = UpdateDisplayData { data, metadata, transient };
            publisher.publish(update, parent);
        }
    }
}

/// A MIME bundle. A type whose content is not what the protocol crate expects of it is passed on as it is.
fn media(data: Map<String, Value>) -> Media {
    let content = data.into_iter().map(|(mime, value)| {
        let one = Map::from_iter([(mime.clone(), value.clone())]);
        let typed = serde_json::from_value::<Media>(Value::Object(one)).ok();
        typed.and_then(|media| media.content.into_iter().next()).unwrap_or(MediaType::Other((mime, value)))
    });
    Media::new(content.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_type_and_content_is_passed_on() {
        let data = json!({
            "text/plain": "x", "application/json": {"a": [1]}, "application/vnd.dataresource+json": {"no": "schema"},
            "application/x-own": "y", "text/html": 5, "image/png": "aGk="
        });
        let media = media(data.as_object().unwrap().clone());
        assert_eq!(serde_json::to_value(&media).unwrap(), data);
    }
}
