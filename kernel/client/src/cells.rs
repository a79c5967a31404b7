//! One cell after the other through one kernel, each with a limit and an outcome.

use std::time::{Duration, Instant};

use jupyter_protocol::JupyterMessageContent;
use serde_json::{Value, json};
use tokio::time::{sleep_until, timeout};

use super::error::ClientError;
use super::message::{Channel, Message, execute_request};
use super::peer::Peer;
use super::process::{KernelCommand, Process, describe};
use workbench_base::names::NEXT_CELLS;

/// How a cell ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The kernel said that all is well.
    Ok,
    /// The kernel reported an error: a panic, a failed `assert!`, an error through `?`, a compile error.
    Error {
        /// Kind of error.
        name: String,
        /// Its message.
        message: String,
    },
    /// The cell ran too long and was stopped.
    TimedOut {
        /// The limit in seconds.
        seconds: f64,
        /// Whether the kernel had to be killed because an interrupt did not stop it.
        killed: bool,
    },
    /// The kernel died under the cell.
    Died {
        /// How the process ended, and its last lines.
        how: String,
    },
}

/// One executed cell.
#[derive(Clone, Debug)]
pub struct Executed {
    /// How it ended.
    pub outcome: Outcome,
    /// The number that the kernel gave it.
    pub count: Option<usize>,
    /// Wall-clock time from request to the last message.
    pub seconds: f64,
}

/// A running kernel that runs cells. Dropping it kills the kernel.
pub struct Client {
    pub(super) process: Process,
    peer: Peer,
    language: Value,
    next: Vec<String>,
}

/// Held from the choice of ports until the kernel has bound them, so that two kernels of ours never choose the same.
static STARTING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
/// How long an interrupted cell may take to stop before its kernel is killed.
const GRACE: Duration = Duration::from_secs(10);
/// How long the idle message may come after the reply.
const AFTER_REPLY: Duration = Duration::from_secs(5);
/// How long messages of a kernel that has died may still be on their way.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long a request may take to leave that only asks for what force brings about too.
const POLITE: Duration = Duration::from_secs(1);

impl Client {
    /// Starts a kernel and waits until it answers on all channels.
    ///
    /// # Errors
    /// The kernel does not start, ends early, or does not answer in time.
    pub async fn start(command: &KernelCommand, patience: Duration) -> Result<Self, ClientError> {
        // Ports are found free and then released for the kernel; another program may be quicker.
        for _ in 0..2 {
            match Self::start_once(command, patience).await {
                Err(error) if error.is_port_taken() => {}
                other => return other,
            }
        }
        Self::start_once(command, patience).await
    }

    async fn start_once(command: &KernelCommand, patience: Duration) -> Result<Self, ClientError> {
        let alone = STARTING.lock().await;
        let started = Instant::now();
        let session = uuid::Uuid::new_v4().to_string();
        let mut process = Process::start(command)?;
        let mut peer = Peer::reach(&mut process, &session, started, patience).await?;
        drop(alone);
        let came = peer.greet(&mut process, started, patience).await?;
        let info = came.into_iter().find(|message| message.kind == "kernel_info_reply");
        let language = info.map(|mut message| message.content["language_info"].take());
        Ok(Client { process, peer, language: without_nulls(language.unwrap_or_default()), next: Vec::new() })
    }

    /// The kernel's `language_info`.
    pub fn language(&self) -> &Value {
        &self.language
    }

    /// Tells with the next cell which ones come after it, for a kernel that compiles them meanwhile.
    pub fn announce(&mut self, next: Vec<String>) {
        self.next = next;
    }

    /// Runs one cell and hands each message that belongs to it to `each`.
    ///
    /// # Errors
    /// The cell cannot be sent.
    pub async fn execute(
        &mut self,
        code: &str,
        cell_id: &str,
        limit: Option<Duration>,
        each: &mut (dyn FnMut(&JupyterMessageContent) + Send),
    ) -> Result<Executed, ClientError> {
        let started = Instant::now();
        let request = execute_request(code);
        let mut metadata = json!({"cellId": cell_id, "headless": true});
        if !self.next.is_empty() {
            metadata[NEXT_CELLS] = std::mem::take(&mut self.next).into();
        }
        let id = self
            .peer
            .send_with(Channel::Shell, "execute_request", request, metadata, json!({}))
            .await
            .map_err(|source| ClientError::Connection { operation: "send a cell to the kernel", source })?;

        let mut state = CellState::default();
        let mut deadline = limit.map(|limit| started + limit);
        let mut interrupted = false;
        let mut open = true;
        let outcome = loop {
            if let Some(reply) = &state.reply {
                let overdue = state.replied.is_some_and(|at| at.elapsed() >= AFTER_REPLY);
                if state.idle || overdue || !open {
                    break match (interrupted, limit) {
                        (true, Some(limit)) => Outcome::TimedOut { seconds: limit.as_secs_f64(), killed: false },
                        _ => state.outcome(reply),
                    };
                }
            }
            let wake = match (state.replied, deadline) {
                (Some(at), _) => Some(at + AFTER_REPLY),
                (None, deadline) => deadline,
            };
            tokio::select! {
                biased;
                message = self.peer.next(), if open => match message {
                    Some(message) if message.kind == "input_request" => self.decline(&message).await,
                    Some(message) if message.parent == id => state.take(message, each),
                    Some(_) => {}
                    None => open = false,
                },
                status = self.process.wait() => {
                    while let Ok(Some(message)) = timeout(LAST_WORDS, self.peer.next()).await {
                        if message.parent == id {
                            state.take(message, each);
                        }
                    }
                    break Outcome::Died { how: format!("{}{}", describe(status), self.process.log_tail()) };
                }
                () = wait_until(wake) => {
                    if state.reply.is_some() {
                        continue;
                    }
                    if interrupted {
                        self.process.kill().await;
                        let seconds = limit.map_or(0.0, |limit| limit.as_secs_f64());
                        break Outcome::TimedOut { seconds, killed: true };
                    }
                    interrupted = true;
                    deadline = Some(Instant::now() + GRACE);
                    // A kernel that cannot be reached is killed when the grace time is over.
                    let _ = timeout(POLITE, self.peer.interrupt(&self.process)).await;
                }
            }
        };
        Ok(Executed { outcome, count: state.count, seconds: started.elapsed().as_secs_f64() })
    }

    /// Answers a question of a cell: nobody is there who could.
    async fn decline(&mut self, question: &Message) {
        let refusal = json!({
            "value": "", "status": "error", "ename": "NoInput", "traceback": [],
            "evalue": "this is a headless run: nobody is there to answer; put the value into the cell",
        });
        let parent = question.header.clone();
        let sent = self.peer.send_with(Channel::Stdin, "input_reply", refusal, json!({}), parent);
        // A cell that is not answered runs into its limit.
        let _ = timeout(POLITE, sent).await;
    }

    /// Ends the kernel politely, or by force after three seconds.
    pub async fn shutdown(self) {
        self.shutdown_within(Duration::from_secs(3)).await;
    }

    /// Ends the kernel politely, or by force after `patience`.
    pub async fn shutdown_within(mut self, patience: Duration) {
        let request = self.peer.send(Channel::Control, "shutdown_request", json!({"restart": false}));
        // Unreachable is as good as gone: the kill below settles it.
        let _ = timeout(POLITE, request).await;
        // The kill also reaches what the kernel started and left behind.
        let _ = timeout(patience, self.process.wait()).await;
        self.process.kill().await;
    }

    /// Process id of the kernel.
    pub fn id(&self) -> i32 {
        self.process.id()
    }
}

/// What is known of the cell under way.
#[derive(Default)]
struct CellState {
    idle: bool,
    reply: Option<Value>,
    replied: Option<Instant>,
    error: Option<(String, String)>,
    count: Option<usize>,
}

impl CellState {
    /// Takes one message of the cell, and hands on what its reader sees.
    fn take(&mut self, message: Message, each: &mut (dyn FnMut(&JupyterMessageContent) + Send)) {
        let count = message.content["execution_count"]
            .as_u64()
            .and_then(|count| usize::try_from(count).ok())
            .filter(|count| *count > 0);
        match message.kind.as_str() {
            "status" => self.idle |= message.is_idle(),
            "execute_input" => self.count = count.or(self.count),
            "execute_reply" => {
                self.count = count.or(self.count);
                self.reply = Some(message.content);
                self.replied = Some(Instant::now());
            }
            kind => {
                if kind == "error" {
                    self.error = error_in(&message.content);
                }
                // The protocol allows kinds and forms that the protocol crate does not know; a notebook cannot keep them.
                if message.channel == Channel::Iopub
                    && let Ok(content) = message.typed()
                {
                    each(&content);
                }
            }
        }
    }

    fn outcome(&self, reply: &Value) -> Outcome {
        if reply["status"] == "ok" {
            return Outcome::Ok;
        }
        let told = error_in(reply).or_else(|| self.error.clone());
        let (name, message) = told.unwrap_or_else(|| {
            let what = match reply["status"].as_str() {
                Some("aborted") => "the kernel aborted the cell",
                _ => "the kernel reported an error without saying which",
            };
            ("Error".into(), what.into())
        });
        Outcome::Error { name, message }
    }
}

/// Name and message of an error, where a content has both.
fn error_in(content: &Value) -> Option<(String, String)> {
    let text = |key: &str| content[key].as_str().map(str::to_owned);
    Some((text("ename")?, text("evalue")?))
}

async fn wait_until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}
