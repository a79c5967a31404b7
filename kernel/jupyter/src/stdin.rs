//! Questions of the running cell to the client that ran it, on the stdin channel.

use std::sync::{Arc, Mutex, PoisonError};

use jupyter_protocol::{InputRequest, JupyterMessage, JupyterMessageContent, ReplyStatus};
use jupyter_zmq_client::{KernelStdinConnection, RouterSendConnection};
use tokio::sync::mpsc;

use super::wire::{self, Incoming, Refused};
use workbench_eval::input::{Answer, Question};

/// What a cell is told when its reader interrupts instead of answering.
const INTERRUPTED: &str = "interrupted";

/// The questions that wait for an answer: at most one, the newest.
#[derive(Clone)]
pub struct Questions {
    waiting: Arc<Mutex<Option<Waiting>>>,
    outgoing: mpsc::UnboundedSender<JupyterMessage>,
}

struct Waiting {
    id: String,
    client: Vec<bytes::Bytes>,
    answer: Answer,
}

impl Questions {
    /// Serves the socket until the kernel ends.
    pub fn serve(socket: KernelStdinConnection) -> Questions {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let questions = Questions { waiting: Arc::default(), outgoing };
        let (send, mut receive) = socket.split();
        tokio::spawn(questions.clone().send(send, queue));
        let reader = questions.clone();
        tokio::spawn(async move {
            let mut seen = wire::Seen::default();
            loop {
                match wire::read(&mut receive, &mut seen).await {
                    Ok(Incoming::Message(message)) => reader.take(&message),
                    Ok(Incoming::Unreadable(_, why)) => eprintln!("refused an answer on the stdin channel: {why}"),
                    Err(error) => {
                        eprintln!("refused a message on the stdin channel: {error}");
                        if matches!(error, Refused::Socket(_)) {
                            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                        }
                    }
                }
            }
        });
        questions
    }

    async fn send(self, mut socket: RouterSendConnection, mut queue: mpsc::UnboundedReceiver<JupyterMessage>) {
        while let Some(message) = queue.recv().await {
            let id = message.header.msg_id.clone();
            if let Err(error) = socket.send(message).await {
                self.finish(
                    |waiting| waiting.id == id,
                    Err(format!("the client that ran the cell is not connected for questions ({error})")),
                );
            }
        }
    }

    /// Introspection the client that sent `parent`.
    pub fn ask(&self, question: Question, parent: &JupyterMessage) {
        let request = InputRequest { prompt: question.prompt, password: question.password };
        let message = JupyterMessage::new(request, Some(parent));
        let waiting = Waiting {
            id: message.header.msg_id.clone(),
            client: parent.zmq_identities.clone(),
            answer: question.answer,
        };
        let before = self.waiting().replace(waiting);
        if let Some(before) = before {
            (before.answer)(Err("another question of the same cell came after it".to_owned()));
        }
        // The receiver lives as long as the kernel.
        let _ = self.outgoing.send(message);
    }

    fn take(&self, message: &JupyterMessage) {
        let JupyterMessageContent::InputReply(reply) = &message.content else {
            eprintln!("no use for {} on the stdin channel", message.message_type());
            return;
        };
        let answer = match reply.status {
            ReplyStatus::Ok => Ok(reply.value.clone()),
            _ => Err(reply.error.as_ref().map_or_else(|| "no answer".to_owned(), |e| e.evalue.clone())),
        };
        // Some clients name the question, some do not; an answer to an earlier question is none to this one.
        self.finish(
            |waiting| match &message.parent_header {
                Some(parent) => parent.msg_id == waiting.id,
                None => message.zmq_identities == waiting.client,
            },
            answer,
        );
    }

    fn finish(&self, fits: impl Fn(&Waiting) -> bool, answer: Result<String, String>) {
        let found = self.waiting().take_if(|waiting| fits(waiting));
        if let Some(waiting) = found {
            (waiting.answer)(answer);
        }
    }

    /// The reader interrupts: the question has no answer.
    pub fn interrupt(&self) {
        self.finish(|_| true, Err(INTERRUPTED.to_owned()));
    }

    /// The cell is over: nobody waits any more.
    pub fn forget(&self) {
        *self.waiting() = None;
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Option<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
