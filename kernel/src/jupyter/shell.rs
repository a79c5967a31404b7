//! Requests of the shell channel, one after the other.

use std::sync::Arc;

use jupyter_protocol::{
    CommClose, CompleteReply, CompleteRequest, ExecuteReply, ExecutionCount, ExecutionState, InspectReply,
    InspectRequest, IsCompleteReply, JupyterMessageContent, Media, MediaType, ReplyStatus,
};
use jupyter_zmq_client::RouterSendConnection;
use tokio::sync::{Notify, mpsc, oneshot};

use super::engine::{Engine, Job};
use super::history::History;
use super::info;
use super::server::{Publisher, answer};
use super::stdin::Questions;
use super::wire::Incoming;
use crate::eval::cell::is_too_deep;

/// State of the shell channel.
pub struct Shell {
    pub(super) engine: Engine,
    pub(super) publisher: Publisher,
    pub(super) questions: Questions,
    pub(super) count: usize,
    pub(super) history: History,
    finished: Arc<Notify>,
}

impl Shell {
    /// A shell that evaluates with `engine` and tells `finished` when a client asks for shutdown.
    pub fn new(engine: Engine, publisher: Publisher, questions: Questions, finished: Arc<Notify>) -> Shell {
        Shell {
            engine,
            publisher,
            questions,
            count: 0,
            history: History::default(),
            finished,
        }
    }

    /// Serves requests until the queue closes.
    pub async fn serve(mut self, mut requests: mpsc::UnboundedReceiver<Incoming>, mut socket: RouterSendConnection) {
        while let Some(incoming) = requests.recv().await {
            if !self.handle(incoming, &mut socket, false).await {
                // After a failure, cells that already wait are not run.
                while let Ok(incoming) = requests.try_recv() {
                    self.handle(incoming, &mut socket, true).await;
                }
            }
        }
    }

    /// Answers one request; false when waiting cells must not run. With `abort` no cell is run.
    async fn handle(&mut self, incoming: Incoming, socket: &mut RouterSendConnection, abort: bool) -> bool {
        let message = match incoming {
            Incoming::Message(message) => message,
            Incoming::Unreadable(message, why) => {
                eprintln!("refused {} on the shell channel: {why}", message.header.msg_type);
                self.publisher.status(ExecutionState::Busy, &message);
                let reply = info::failed(&message.header.msg_type, "BadRequest", &why);
                answer(socket, reply, &message).await;
                self.publisher.status(ExecutionState::Idle, &message);
                return true;
            }
        };
        let mut go_on = true;
        self.publisher.status(ExecutionState::Busy, &message);
        match &message.content {
            JupyterMessageContent::ExecuteRequest(_) if abort => {
                let reply = ExecuteReply {
                    status: ReplyStatus::Aborted,
                    execution_count: ExecutionCount::new(self.count),
                    user_expressions: Some(Default::default()),
                    ..ExecuteReply::default()
                };
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::ExecuteRequest(request) => {
                self.engine.interrupts().begin();
                let reply = self.execute(request, &message).await;
                self.engine.interrupts().end();
                go_on = reply.status == ReplyStatus::Ok || !request.stop_on_error;
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::KernelInfoRequest(_) => answer(socket, info::kernel_info(), &message).await,
            // What a parser cannot descend into is no question for it.
            JupyterMessageContent::IsCompleteRequest(request) if is_too_deep(&request.code) => {
                answer(socket, IsCompleteReply::unknown(), &message).await;
            }
            JupyterMessageContent::CompleteRequest(request) if is_too_deep(&request.code) => {
                let nothing = CompleteReply {
                    cursor_start: request.cursor_pos,
                    cursor_end: request.cursor_pos,
                    ..CompleteReply::default()
                };
                answer(socket, nothing, &message).await;
            }
            JupyterMessageContent::InspectRequest(request) if is_too_deep(&request.code) => {
                answer(socket, InspectReply::default(), &message).await;
            }
            JupyterMessageContent::IsCompleteRequest(request) => {
                answer(socket, info::is_complete(&request.code), &message).await;
            }
            JupyterMessageContent::CompleteRequest(request) => {
                let reply = self.complete(request).await;
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::InspectRequest(request) => {
                let reply = self.inspect(request).await;
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::HistoryRequest(request) => {
                let reply = super::wire::unknown("history_reply", self.history.reply(request));
                answer(socket, reply, &message).await;
            }
            JupyterMessageContent::CommInfoRequest(_) => answer(socket, info::comm_info(), &message).await,
            JupyterMessageContent::CommOpen(open) => {
                // No target is known here, and the specification asks to close what cannot be served.
                let close = CommClose {
                    comm_id: open.comm_id.clone(),
                    data: Default::default(),
                };
                self.publisher.publish(close, &message);
            }
            // Of a comm that was closed at once.
            JupyterMessageContent::CommMsg(_) | JupyterMessageContent::CommClose(_) => {}
            JupyterMessageContent::DebugRequest(request) => answer(socket, info::debug_reply(request), &message).await,
            JupyterMessageContent::ShutdownRequest(request) => {
                let reply = info::shutdown_reply(request.restart);
                self.publisher.publish(reply.clone(), &message);
                answer(socket, reply, &message).await;
                self.finished.notify_one();
            }
            other => eprintln!("no answer to {} on the shell channel", other.message_type()),
        }
        self.publisher.status(ExecutionState::Idle, &message);
        go_on
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

    #[test]
    fn words_are_found_from_any_place_in_them() {
        let code = "let größe = alpha + 1;";
        for offset in code.find("alpha").unwrap()..=code.find("alpha").unwrap() + 5 {
            assert_eq!(word_at(code, offset), "alpha");
        }
        assert_eq!(byte_offset(code, char_offset(code, 12)), 12);
    }
}
