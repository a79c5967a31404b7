//! Requests of the shell channel, one after the other.

use std::sync::Arc;

use jupyter_protocol::{
    CodeMirrorMode, CommInfoReply, CompleteReply, CompleteRequest, DisplayData, ErrorOutput, ExecuteInput,
    ExecuteReply, ExecuteRequest, ExecuteResult, ExecutionCount, ExecutionState, HelpLink, HistoryEntry, HistoryReply,
    HistoryRequest, InspectReply, InspectRequest, IsCompleteReply, JupyterMessage, JupyterMessageContent,
    KernelInfoReply, LanguageInfo, Media, MediaType, ReplyError, ReplyStatus, ShutdownReply, StreamContent,
};
use jupyter_zmq_client::RouterSendConnection;
use ra_ap_syntax::{Edition, SourceFile};
use serde_json::Value;
use tokio::sync::{Notify, mpsc, oneshot};

use super::engine::{Engine, Job};
use super::server::{Publisher, answer};
use crate::eval::diagnose::Failure;
use crate::eval::output::Stream;
use crate::eval::{CellName, Event, Sink};

/// State of the shell channel.
pub struct Shell {
    engine: Engine,
    publisher: Publisher,
    finished: Arc<Notify>,
    count: usize,
    history: Vec<String>,
}

impl Shell {
    /// A shell that evaluates with `engine` and tells `finished` when a client asks for shutdown.
    pub fn new(engine: Engine, publisher: Publisher, finished: Arc<Notify>) -> Shell {
        Shell {
            engine,
            publisher,
            finished,
            count: 0,
            history: Vec::new(),
        }
    }

    /// Serves requests until the queue closes.
    pub async fn serve(
        mut self,
        mut requests: mpsc::UnboundedReceiver<JupyterMessage>,
        mut socket: RouterSendConnection,
    ) {
        while let Some(message) = requests.recv().await {
            self.publisher.status(ExecutionState::Busy, &message);
            let keep_going = self.handle(&message, &mut socket).await;
            self.publisher.status(ExecutionState::Idle, &message);
            if !keep_going {
                self.abort_waiting(&mut requests, &mut socket).await;
            }
        }
    }

    /// After a failure, cells that already wait are not run.
    async fn abort_waiting(
        &mut self,
        requests: &mut mpsc::UnboundedReceiver<JupyterMessage>,
        socket: &mut RouterSendConnection,
    ) {
        while let Ok(message) = requests.try_recv() {
            self.publisher.status(ExecutionState::Busy, &message);
            if matches!(message.content, JupyterMessageContent::ExecuteRequest(_)) {
                let reply = ExecuteReply {
                    status: ReplyStatus::Aborted,
                    execution_count: ExecutionCount::new(self.count),
                    ..ExecuteReply::default()
                };
                answer(socket, reply, &message).await;
            } else {
                self.handle(&message, socket).await;
            }
            self.publisher.status(ExecutionState::Idle, &message);
        }
    }

    /// Answers one request; false when waiting cells must not run.
    async fn handle(&mut self, message: &JupyterMessage, socket: &mut RouterSendConnection) -> bool {
        match &message.content {
            JupyterMessageContent::ExecuteRequest(request) => {
                return self.execute(request, message, socket).await;
            }
            JupyterMessageContent::KernelInfoRequest(_) => answer(socket, kernel_info(), message).await,
            JupyterMessageContent::IsCompleteRequest(request) => {
                answer(socket, is_complete(&request.code), message).await;
            }
            JupyterMessageContent::CompleteRequest(request) => {
                let reply = self.complete(request).await;
                answer(socket, reply, message).await;
            }
            JupyterMessageContent::InspectRequest(request) => {
                let reply = self.inspect(request).await;
                answer(socket, reply, message).await;
            }
            JupyterMessageContent::HistoryRequest(request) => {
                answer(socket, self.history_reply(request), message).await;
            }
            JupyterMessageContent::CommInfoRequest(_) => answer(socket, CommInfoReply::default(), message).await,
            JupyterMessageContent::ShutdownRequest(request) => {
                let reply = ShutdownReply {
                    restart: request.restart,
                    status: ReplyStatus::Ok,
                    error: None,
                };
                answer(socket, reply, message).await;
                self.finished.notify_one();
            }
            other => eprintln!("no answer to {} on the shell channel", other.message_type()),
        }
        true
    }

    async fn execute(
        &mut self,
        request: &ExecuteRequest,
        message: &JupyterMessage,
        socket: &mut RouterSendConnection,
    ) -> bool {
        let code = request.code.clone();
        if !request.silent {
            if !code.trim().is_empty() {
                self.count += 1;
            }
            if request.store_history {
                self.history.push(code.clone());
            }
            let input = ExecuteInput {
                code: code.clone(),
                execution_count: ExecutionCount::new(self.count),
            };
            self.publisher.publish(input, message);
        }
        let id = message
            .metadata
            .get("cellId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let name = CellName {
            id: id.to_owned(),
            count: self.count,
        };
        let outcome = if code.trim().is_empty() {
            Ok(())
        } else {
            let (done, answer) = oneshot::channel();
            let sink = self.sink(request.silent, message);
            self.engine.submit(Job::Execute { code, name, sink, done });
            answer.await.unwrap_or_else(|_| {
                Err(Failure::new(
                    "kernel",
                    "the evaluating thread is gone: restart the kernel",
                ))
            })
        };
        let reply = match outcome {
            Ok(()) => ExecuteReply {
                execution_count: ExecutionCount::new(self.count),
                user_expressions: Some(Default::default()),
                ..ExecuteReply::default()
            },
            Err(failure) => {
                let (ename, evalue, traceback) = (failure.name, failure.message, failure.traceback);
                let shown = ErrorOutput {
                    ename: ename.clone(),
                    evalue: evalue.clone(),
                    traceback: traceback.clone(),
                };
                self.publisher.publish(shown, message);
                ExecuteReply {
                    status: ReplyStatus::Error,
                    execution_count: ExecutionCount::new(self.count),
                    error: Some(Box::new(ReplyError {
                        ename,
                        evalue,
                        traceback,
                    })),
                    ..ExecuteReply::default()
                }
            }
        };
        let failed = matches!(reply.status, ReplyStatus::Error);
        answer(socket, reply, message).await;
        !(failed && request.stop_on_error)
    }

    fn sink(&self, silent: bool, message: &JupyterMessage) -> Box<Sink> {
        let publisher = self.publisher.clone();
        let parent = message.clone();
        let count = ExecutionCount::new(self.count);
        Box::new(move |event| match event {
            Event::Text(Stream::Out, text) => publisher.publish(StreamContent::stdout(&text), &parent),
            Event::Text(Stream::Err, text) => publisher.publish(StreamContent::stderr(&text), &parent),
            Event::Show(_, _) if silent => {}
            Event::Show(data, value) => match serde_json::from_value::<Media>(Value::Object(data)) {
                Ok(media) if value => publisher.publish(ExecuteResult::new(count, media), &parent),
                Ok(media) => publisher.publish(DisplayData::new(media), &parent),
                Err(error) => {
                    let text = format!("an output could not be shown: {error}\n");
                    publisher.publish(StreamContent::stderr(&text), &parent);
                }
            },
        })
    }

    async fn complete(&self, request: &CompleteRequest) -> CompleteReply {
        let offset = byte_offset(&request.code, request.cursor_pos);
        let (done, answer) = oneshot::channel();
        self.engine.submit(Job::Complete {
            code: request.code.clone(),
            offset,
            done,
        });
        let (start, end, matches) = answer.await.unwrap_or((offset, offset, Vec::new()));
        CompleteReply {
            matches,
            cursor_start: char_offset(&request.code, start),
            cursor_end: char_offset(&request.code, end),
            ..CompleteReply::default()
        }
    }

    /// The type of the variable under the cursor.
    async fn inspect(&self, request: &InspectRequest) -> InspectReply {
        let word = word_at(&request.code, byte_offset(&request.code, request.cursor_pos));
        let (done, answer) = oneshot::channel();
        self.engine.submit(Job::Variables { done });
        let variables = answer.await.unwrap_or_default();
        match variables.into_iter().find(|(name, _)| *name == word) {
            Some((name, ty)) => InspectReply {
                found: true,
                data: Media::new(vec![
                    MediaType::Plain(format!("{name}: {ty}")),
                    MediaType::Markdown(format!("```rust\n{name}: {ty}\n```")),
                ]),
                ..InspectReply::default()
            },
            None => InspectReply::default(),
        }
    }

    fn history_reply(&self, request: &HistoryRequest) -> HistoryReply {
        let all = self
            .history
            .iter()
            .enumerate()
            .map(|(i, code)| HistoryEntry::Input(0, i + 1, code.clone()));
        let chosen = match request {
            HistoryRequest::Tail { n, .. } => {
                let skip = self.history.len().saturating_sub(usize::try_from(*n).unwrap_or(0));
                all.skip(skip).collect()
            }
            HistoryRequest::Range { start, stop, .. } => all
                .skip(usize::try_from(*start - 1).unwrap_or(0))
                .take(usize::try_from(*stop - *start).unwrap_or(usize::MAX))
                .collect(),
            HistoryRequest::Search { pattern, .. } => {
                let needle = pattern.replace('*', "");
                all.filter(|e| matches!(e, HistoryEntry::Input(_, _, code) if code.contains(&needle)))
                    .collect()
            }
        };
        HistoryReply::new(chosen)
    }
}

/// What the kernel says of itself.
pub fn kernel_info() -> KernelInfoReply {
    KernelInfoReply {
        status: ReplyStatus::Ok,
        protocol_version: "5.3".to_owned(),
        implementation: "workbench".to_owned(),
        implementation_version: env!("CARGO_PKG_VERSION").to_owned(),
        language_info: LanguageInfo {
            name: "rust".to_owned(),
            version: "2024".to_owned(),
            mimetype: Some("text/rust".to_owned()),
            file_extension: Some(".rs".to_owned()),
            pygments_lexer: Some("rust".to_owned()),
            codemirror_mode: Some(CodeMirrorMode::Simple("rust".to_owned())),
            nbconvert_exporter: Some("rust".to_owned()),
        },
        banner: format!(
            "Workbench {}: Rust notebooks that recompute a paper's claims",
            env!("CARGO_PKG_VERSION")
        ),
        help_links: vec![HelpLink {
            text: "The Rust book".to_owned(),
            url: "https://doc.rust-lang.org/book/".to_owned(),
        }],
        debugger: false,
        error: None,
    }
}

fn is_complete(code: &str) -> IsCompleteReply {
    let parsed = SourceFile::parse(&format!("fn evcxr() {{\n{code}\n}}"), Edition::Edition2024);
    if parsed.errors().is_empty() {
        return IsCompleteReply::complete();
    }
    let depth = code.chars().fold(0i64, |depth, c| match c {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    });
    let open_end = code.trim_end().ends_with(['=', ',', '+', '-', '*', '.', '&', '|']);
    if depth > 0 || open_end {
        IsCompleteReply::incomplete(" ".repeat(4 * usize::try_from(depth.max(0)).unwrap_or(0)))
    } else {
        IsCompleteReply::invalid()
    }
}

fn byte_offset(code: &str, chars: usize) -> usize {
    code.char_indices().nth(chars).map_or(code.len(), |(at, _)| at)
}

fn char_offset(code: &str, bytes: usize) -> usize {
    code.char_indices().take_while(|(at, _)| *at < bytes).count()
}

/// The identifier around a byte offset.
fn word_at(code: &str, offset: usize) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before: String = code[..offset].chars().rev().take_while(|c| is_word(*c)).collect();
    let after: String = code[offset..].chars().take_while(|c| is_word(*c)).collect();
    before.chars().rev().chain(after.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jupyter_protocol::IsCompleteReplyStatus;

    #[test]
    fn words_are_found_from_any_place_in_them() {
        let code = "let größe = alpha + 1;";
        for offset in code.find("alpha").unwrap()..=code.find("alpha").unwrap() + 5 {
            assert_eq!(word_at(code, offset), "alpha");
        }
        assert_eq!(byte_offset(code, char_offset(code, 12)), 12);
    }

    #[test]
    fn completeness_follows_brackets() {
        assert_eq!(is_complete("let x = 1;").status, IsCompleteReplyStatus::Complete);
        assert_eq!(is_complete("fn f() {").status, IsCompleteReplyStatus::Incomplete);
        assert_eq!(is_complete("fn f() {").indent, "    ");
        assert_eq!(is_complete("let x = }").status, IsCompleteReplyStatus::Invalid);
    }
}
