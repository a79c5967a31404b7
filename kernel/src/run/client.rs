//! A Jupyter client: starts a kernel as a child process and has it run cells.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use jupyter_protocol::connection_info::{ConnectionInfo, Transport};
use jupyter_protocol::{
    ExecuteReply, ExecuteRequest, ExecutionState, InputReply, InterruptRequest, JupyterMessage, JupyterMessageContent,
    KernelInfoRequest, ReplyError, ReplyStatus, ShutdownRequest,
};
use jupyter_zmq_client::{
    ClientControlConnection, ClientStdinConnection, DealerSendConnection, RuntimeError,
    create_client_control_connection, create_client_iopub_connection, create_client_shell_connection_with_identity,
    create_client_stdin_connection_with_identity, peek_ports_with_listeners, peer_identity_for_session,
};
use serde_json::{Value, json};
use tokio::process::Child;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep, sleep_until, timeout};

mod error;
mod process;

pub use error::ClientError;
use process::{
    describe, ended_early, kill_group, log_tail, no_answer, says_in_use, signal_group, spawn, write_connection,
};

/// How a kernel wants to be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// By an `interrupt_request` on the control channel.
    Message,
    /// By SIGINT.
    Signal,
}

/// How to start a kernel.
#[derive(Clone, Debug)]
pub struct KernelCommand {
    /// Program and arguments; `{connection_file}` stands for the path of the connection file.
    pub argv: Vec<String>,
    /// Working folder, which relative paths in cells start from.
    pub folder: PathBuf,
    /// Variables set on top of our own environment.
    pub environment: Vec<(String, String)>,
    /// How it wants to be interrupted.
    pub interrupt: Interrupt,
    /// File that takes what the kernel itself writes to its output and error streams.
    pub log: PathBuf,
}

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

/// A running kernel and the connections to it. Dropping it kills the kernel.
pub struct Client {
    child: Child,
    group: i32,
    shell: DealerSendConnection,
    replies: UnboundedReceiver<JupyterMessage>,
    broadcasts: UnboundedReceiver<JupyterMessage>,
    control: ClientControlConnection,
    interrupt: Interrupt,
    log: PathBuf,
    language: Value,
    // Holds the connection file; the folder goes when the client goes.
    _folder: tempfile::TempDir,
}

/// Held from the choice of ports until the kernel has bound them, so that two kernels of ours never choose the same.
static STARTING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
/// How long an interrupted cell may take to stop before its kernel is killed.
const GRACE: Duration = Duration::from_secs(10);
/// How long the idle message may come after the reply.
const AFTER_REPLY: Duration = Duration::from_secs(5);

impl Client {
    /// Starts a kernel and waits until it answers on all channels.
    pub async fn start(command: &KernelCommand, patience: Duration) -> Result<Self, ClientError> {
        // Ports are found free and then released for the kernel; another program may be quicker.
        for _ in 0..2 {
            match Self::start_once(command, patience).await {
                Err(ClientError::EndedEarly { log, .. }) if says_in_use(&log) => {}
                other => return other,
            }
        }
        Self::start_once(command, patience).await
    }

    async fn start_once(command: &KernelCommand, patience: Duration) -> Result<Self, ClientError> {
        let alone = STARTING.lock().await;
        let started = Instant::now();
        let localhost = std::net::Ipv4Addr::LOCALHOST;
        let connection = |operation| move |source| ClientError::Connection { operation, source };
        let (ports, listeners) = peek_ports_with_listeners(localhost.into(), 5)
            .await
            .map_err(connection("find free ports on 127.0.0.1"))?;
        let info = ConnectionInfo {
            transport: Transport::TCP,
            ip: localhost.to_string(),
            shell_port: ports[0],
            iopub_port: ports[1],
            stdin_port: ports[2],
            control_port: ports[3],
            hb_port: ports[4],
            key: uuid::Uuid::new_v4().to_string(),
            signature_scheme: "hmac-sha256".into(),
            kernel_name: Some(crate::setup::kernelspec::KERNEL_NAME.into()),
        };
        let (folder, file) = write_connection(&info)?;
        let mut child = spawn(command, &file)?;
        drop(listeners);
        let group = child.id().map_or(0, |id| id as i32);

        let session = uuid::Uuid::new_v4().to_string();
        let connected = async {
            let identity = peer_identity_for_session(&session).map_err(connection("name the session"))?;
            let shell = create_client_shell_connection_with_identity(&info, &session, identity.clone())
                .await
                .map_err(connection("connect to the kernel's shell channel"))?;
            let stdin = create_client_stdin_connection_with_identity(&info, &session, identity)
                .await
                .map_err(connection("connect to the kernel's stdin channel"))?;
            let iopub = create_client_iopub_connection(&info, "", &session)
                .await
                .map_err(connection("connect to the kernel's output channel"))?;
            let control = create_client_control_connection(&info, &session)
                .await
                .map_err(connection("connect to the kernel's control channel"))?;
            Ok::<_, ClientError>((shell, stdin, iopub, control))
        };
        let connected = tokio::select! {
            connected = timeout(patience, connected) => connected,
            status = child.wait() => return Err(ended_early(status, command).await),
        };
        drop(alone);
        let (shell, stdin, mut iopub, control) = match connected {
            Ok(connected) => connected?,
            Err(_) => {
                kill_group(group);
                return Err(no_answer(started, command));
            }
        };
        let (shell, mut shell_replies) = shell.split();
        let (to_replies, replies) = unbounded_channel();
        let (to_broadcasts, broadcasts) = unbounded_channel();
        tokio::spawn(async move { while forward(shell_replies.read().await, &to_replies) {} });
        tokio::spawn(async move { while forward(iopub.read().await, &to_broadcasts) {} });
        tokio::spawn(decline(stdin));

        let mut client = Client {
            child,
            group,
            shell,
            replies,
            broadcasts,
            control,
            interrupt: command.interrupt,
            log: command.log.clone(),
            language: Value::Null,
            _folder: folder,
        };
        client.greet(started, patience, command).await?;
        Ok(client)
    }

    /// Asks for `kernel_info` until the reply is there and the output channel has been heard.
    async fn greet(
        &mut self,
        started: Instant,
        patience: Duration,
        command: &KernelCommand,
    ) -> Result<(), ClientError> {
        let mut heard = false;
        let mut answered: Option<Instant> = None;
        let mut asked: Option<Instant> = None;
        loop {
            if answered.is_some_and(|at| heard || at.elapsed() > Duration::from_secs(2)) {
                return Ok(());
            }
            if started.elapsed() > patience {
                self.kill().await;
                return Err(no_answer(started, command));
            }
            if asked.is_none_or(|at| at.elapsed() > Duration::from_millis(500)) {
                asked = Some(Instant::now());
                let request: JupyterMessage = KernelInfoRequest {}.into();
                self.shell
                    .send(request)
                    .await
                    .map_err(|source| ClientError::Connection {
                        operation: "ask the kernel who it is",
                        source,
                    })?;
            }
            tokio::select! {
                Some(message) = self.replies.recv() => {
                    if let JupyterMessageContent::KernelInfoReply(info) = message.content {
                        self.language = without_nulls(json!(info.language_info));
                        answered.get_or_insert_with(Instant::now);
                    }
                }
                Some(_) = self.broadcasts.recv() => heard = true,
                status = self.child.wait() => return Err(ended_early(status, command).await),
                () = sleep(Duration::from_millis(50)) => {}
            }
        }
    }

    /// The kernel's `language_info`.
    pub fn language(&self) -> &Value {
        &self.language
    }

    /// Runs one cell and hands each message that belongs to it to `each`.
    pub async fn execute(
        &mut self,
        code: &str,
        cell_id: &str,
        limit: Option<Duration>,
        each: &mut (dyn FnMut(&JupyterMessageContent) + Send),
    ) -> Result<Executed, ClientError> {
        let started = Instant::now();
        let request = ExecuteRequest {
            code: code.to_string(),
            allow_stdin: true,
            ..ExecuteRequest::default()
        };
        let request: JupyterMessage = JupyterMessage::new(request, None).with_metadata(json!({"cellId": cell_id}));
        let id = request.header.msg_id.clone();
        self.shell
            .send(request)
            .await
            .map_err(|source| ClientError::Connection {
                operation: "send a cell to the kernel",
                source,
            })?;

        let mut state = CellState::default();
        let mut deadline = limit.map(|limit| started + limit);
        let mut interrupted = false;
        let (mut shell_open, mut iopub_open) = (true, true);
        let outcome = loop {
            if let Some(reply) = &state.reply {
                let overdue = state.replied.is_some_and(|at| at.elapsed() >= AFTER_REPLY);
                if state.idle || overdue || !iopub_open {
                    break match (interrupted, limit) {
                        (true, Some(limit)) => Outcome::TimedOut {
                            seconds: limit.as_secs_f64(),
                            killed: false,
                        },
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
                message = self.broadcasts.recv(), if iopub_open => match message {
                    Some(message) if is_about(&message, &id) => state.broadcast(message.content, each),
                    Some(_) => {}
                    None => iopub_open = false,
                },
                message = self.replies.recv(), if shell_open => match message {
                    Some(message) if is_about(&message, &id) => state.reply(message.content),
                    Some(_) => {}
                    None => shell_open = false,
                },
                status = self.child.wait() => {
                    // What it sent before it died may still be on its way.
                    while let Ok(Some(message)) =
                        timeout(Duration::from_millis(300), self.broadcasts.recv()).await
                    {
                        if is_about(&message, &id) {
                            state.broadcast(message.content, each);
                        }
                    }
                    break Outcome::Died { how: format!("{}{}", describe(status), log_tail(&self.log)) };
                }
                () = wait_until(wake) => {
                    if state.reply.is_some() {
                        continue;
                    }
                    if interrupted {
                        self.kill().await;
                        let seconds = limit.map_or(0.0, |limit| limit.as_secs_f64());
                        break Outcome::TimedOut { seconds, killed: true };
                    }
                    interrupted = true;
                    deadline = Some(Instant::now() + GRACE);
                    self.interrupt().await;
                }
            }
        };
        Ok(Executed {
            outcome,
            count: state.count,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// Asks the kernel to stop what it is doing.
    pub async fn interrupt(&mut self) {
        match self.interrupt {
            Interrupt::Message => {
                let request: JupyterMessage = InterruptRequest {}.into();
                // A kernel that cannot be reached is killed when the grace time is over.
                let _ = timeout(Duration::from_secs(1), self.control.send(request)).await;
            }
            Interrupt::Signal => signal_group(self.group, libc::SIGINT),
        }
    }

    /// Ends the kernel politely, or by force after three seconds.
    pub async fn shutdown(self) {
        self.shutdown_within(Duration::from_secs(3)).await;
    }

    /// Ends the kernel politely, or by force after `patience`.
    pub async fn shutdown_within(mut self, patience: Duration) {
        let request: JupyterMessage = ShutdownRequest { restart: false }.into();
        // Unreachable is as good as gone: the kill below settles it.
        let _ = timeout(Duration::from_secs(1), self.control.send(request)).await;
        // The kill also reaches what the kernel started and left behind.
        let _ = timeout(patience, self.child.wait()).await;
        self.kill().await;
    }

    /// Ends the kernel and everything that it started, now.
    pub async fn kill(&mut self) {
        kill_group(self.group);
        // Reaped if it is still there; nothing is left to do if not.
        let _ = self.child.wait().await;
    }

    /// Process id of the kernel.
    pub fn id(&self) -> i32 {
        self.group
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        kill_group(self.group);
    }
}

/// What is known of the cell under way.
#[derive(Default)]
struct CellState {
    idle: bool,
    reply: Option<ExecuteReply>,
    replied: Option<Instant>,
    error: Option<(String, String)>,
    count: Option<usize>,
}

impl CellState {
    fn broadcast(&mut self, content: JupyterMessageContent, each: &mut (dyn FnMut(&JupyterMessageContent) + Send)) {
        match &content {
            JupyterMessageContent::Status(status) => {
                self.idle |= status.execution_state == ExecutionState::Idle;
            }
            JupyterMessageContent::ExecuteInput(input) => {
                self.count = Some(input.execution_count.0);
            }
            JupyterMessageContent::ErrorOutput(error) => {
                self.error = Some((error.ename.clone(), error.evalue.clone()));
                each(&content);
            }
            _ => each(&content),
        }
    }

    fn reply(&mut self, content: JupyterMessageContent) {
        if let JupyterMessageContent::ExecuteReply(reply) = content {
            if reply.execution_count.0 > 0 {
                self.count = Some(reply.execution_count.0);
            }
            self.reply = Some(reply);
            self.replied = Some(Instant::now());
        }
    }

    fn outcome(&self, reply: &ExecuteReply) -> Outcome {
        if reply.status == ReplyStatus::Ok {
            return Outcome::Ok;
        }
        let told = reply
            .error
            .as_ref()
            .map(|error| (error.ename.clone(), error.evalue.clone()))
            .or_else(|| self.error.clone());
        let (name, message) = told.unwrap_or_else(|| {
            let what = match reply.status {
                ReplyStatus::Aborted => "the kernel aborted the cell",
                _ => "the kernel reported an error without saying which",
            };
            ("Error".into(), what.into())
        });
        Outcome::Error { name, message }
    }
}

fn is_about(message: &JupyterMessage, id: &str) -> bool {
    message.parent_header.as_ref().is_some_and(|parent| parent.msg_id == id)
}

/// Passes a message on; false when the connection or the receiver is gone. A message that cannot be parsed is left out:
/// the protocol allows kinds that we do not know.
fn forward(message: Result<JupyterMessage, RuntimeError>, to: &UnboundedSender<JupyterMessage>) -> bool {
    match message {
        Ok(message) => to.send(message).is_ok(),
        Err(RuntimeError::ZmqError(_) | RuntimeError::IoError(_)) => false,
        Err(_) => !to.is_closed(),
    }
}

/// Answers each question of a cell: nobody is there who could.
async fn decline(mut stdin: ClientStdinConnection) {
    while let Ok(request) = stdin.read().await {
        if !matches!(request.content, JupyterMessageContent::InputRequest(_)) {
            continue;
        }
        let reply = InputReply {
            value: String::new(),
            status: ReplyStatus::Error,
            error: Some(Box::new(ReplyError {
                ename: "NoInput".into(),
                evalue: "this is a headless run: nobody is there to answer; put the value into the cell".into(),
                traceback: Vec::new(),
            })),
        };
        if stdin.send(JupyterMessage::new(reply, Some(&request))).await.is_err() {
            return;
        }
    }
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

#[cfg(test)]
mod tests;
