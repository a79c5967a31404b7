//! Questions about code: completion, inspection, whether a cell is finished. They are answered while a cell runs.

use std::sync::Arc;
use std::time::Duration;

use jupyter_protocol::{
    CompleteReply, CompleteRequest, ExecutionState, InspectReply, InspectRequest, IsCompleteReply, JupyterMessage,
    JupyterMessageContent, Media, MediaType,
};
use jupyter_zmq_client::RouterSendConnection;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::publish::{Publisher, answer};
use super::wire::Incoming;
use workbench_base::source::is_too_deep;
use workbench_language::{Completeness, Language, is_complete};

/// Deeply nested code needs a deep stack.
const STACK: usize = 32 << 20;
/// How long a question waits for crates that are being read, in the first second of a kernel or after a `:dep`. Front ends wait no longer.
const READING: Duration = Duration::from_secs(1);

/// Answers questions about code.
#[derive(Clone)]
pub struct Introspection {
    language: Arc<Language>,
    publisher: Publisher,
}

impl Introspection {
    /// Answers from `language`.
    pub fn new(language: Arc<Language>, publisher: Publisher) -> Introspection {
        Introspection { language, publisher }
    }

    /// Answers a question about code, and gives anything else back. `running` is the request of the cell that runs.
    pub async fn answer(
        &self,
        incoming: Incoming,
        socket: &mut RouterSendConnection,
        running: Option<&JupyterMessage>,
    ) -> Option<Incoming> {
        let Incoming::Message(message) = &incoming else {
            return Some(incoming);
        };
        let question = matches!(
            message.content,
            JupyterMessageContent::CompleteRequest(_)
                | JupyterMessageContent::InspectRequest(_)
                | JupyterMessageContent::IsCompleteRequest(_)
        );
        if !question {
            return Some(incoming);
        }
        self.publisher.status(ExecutionState::Busy, message);
        let reply = self.reply(message.content.clone()).await;
        answer(socket, reply, message).await;
        self.publisher.status(ExecutionState::Idle, message);
        if let Some(running) = running {
            // The last status is what front ends show: the kernel still works on the cell.
            self.publisher.status(ExecutionState::Busy, running);
        }
        None
    }

    async fn reply(&self, question: JupyterMessageContent) -> JupyterMessageContent {
        let (done, reply) = oneshot::channel();
        let language = self.language.clone();
        let nothing: JupyterMessageContent = match &question {
            JupyterMessageContent::CompleteRequest(request) => CompleteReply {
                cursor_start: request.cursor_pos,
                cursor_end: request.cursor_pos,
                ..CompleteReply::default()
            }
            .into(),
            JupyterMessageContent::InspectRequest(_) => InspectReply::default().into(),
            _ => IsCompleteReply::unknown().into(),
        };
        // What a parser cannot descend into is no question for it.
        if is_too_deep(code_of(&question)) {
            return nothing;
        }
        // A thread of its own: code may be nested deeper than a worker's stack, and a failure ends nothing else.
        let spawned = std::thread::Builder::new().name("question".to_owned()).stack_size(STACK).spawn(move || {
            if !matches!(question, JupyterMessageContent::IsCompleteRequest(_)) {
                language.settle(READING);
            }
            let _ = done.send(match question {
                JupyterMessageContent::CompleteRequest(request) => complete(&language, &request).into(),
                JupyterMessageContent::InspectRequest(request) => inspect(&language, &request).into(),
                JupyterMessageContent::IsCompleteRequest(request) => completeness(&request.code).into(),
                _ => return,
            });
        });
        if let Err(error) = spawned {
            eprintln!("a question was not answered: {error}");
            return nothing;
        }
        reply.await.unwrap_or(nothing)
    }
}

fn code_of(question: &JupyterMessageContent) -> &str {
    match question {
        JupyterMessageContent::CompleteRequest(request) => &request.code,
        JupyterMessageContent::InspectRequest(request) => &request.code,
        JupyterMessageContent::IsCompleteRequest(request) => &request.code,
        _ => "",
    }
}

fn complete(language: &Language, request: &CompleteRequest) -> CompleteReply {
    let found = language.complete(&request.code, request.cursor_pos);
    let types: Vec<Value> = found
        .items
        .iter()
        .map(|item| {
            json!({
                "start": found.start, "end": found.end, "text": item.text, "type": item.kind,
                "signature": item.signature, "documentation": item.doc
            })
        })
        .collect();
    let mut metadata = serde_json::Map::new();
    metadata.insert("_jupyter_types_experimental".to_owned(), Value::Array(types));
    CompleteReply {
        matches: found.items.into_iter().map(|item| item.text).collect(),
        cursor_start: found.start,
        cursor_end: found.end,
        metadata,
        ..CompleteReply::default()
    }
}

fn inspect(language: &Language, request: &InspectRequest) -> InspectReply {
    let detail = u32::from(request.detail_level.unwrap_or(0) > 0);
    match language.inspect(&request.code, request.cursor_pos, detail) {
        Some(found) => InspectReply {
            found: true,
            data: Media::new(vec![MediaType::Plain(found.plain), MediaType::Markdown(found.markdown)]),
            ..InspectReply::default()
        },
        None => InspectReply::default(),
    }
}

fn completeness(code: &str) -> IsCompleteReply {
    match is_complete(code) {
        Completeness::Complete => IsCompleteReply::complete(),
        Completeness::Incomplete(indent) => IsCompleteReply::incomplete(indent),
        Completeness::Invalid => IsCompleteReply::invalid(),
    }
}
