//! The sockets of one client: sending, receiving, and the first greeting.

use std::time::{Duration, Instant};

use bytes::Bytes;
use jupyter_protocol::ConnectionInfo;
use jupyter_zmq_client::{
    Connection, RuntimeError, create_client_control_connection, create_client_heartbeat_connection,
    create_client_iopub_connection, create_client_shell_connection_with_identity,
    create_client_stdin_connection_with_identity, peer_identity_for_session,
};
use ring::hmac;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use zeromq::{DealerSendHalf, SocketRecv, SocketSend, ZmqMessage};

use super::error::ClientError;
use super::message::{Channel, Message, read, signed};
use super::process::{Interrupt, Process};

/// How long the broadcasts of a kernel that has answered may stay unheard.
const UNHEARD: Duration = Duration::from_secs(2);
/// How soon a connection that broke while it was made is tried again.
const CONNECT_EVERY: Duration = Duration::from_millis(100);
/// How often a kernel is asked who it is.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// One client of a kernel: its own session, connected to all sockets.
pub struct Peer {
    session: String,
    key: Option<hmac::Key>,
    shell: DealerSendHalf,
    control: DealerSendHalf,
    stdin: DealerSendHalf,
    incoming: UnboundedReceiver<Message>,
    listeners: [JoinHandle<()>; 4],
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.listeners.iter().for_each(JoinHandle::abort);
    }
}

impl Peer {
    /// Connects, whether the kernel likes it or not.
    ///
    /// # Errors
    /// A socket cannot be connected.
    pub async fn connect(info: &ConnectionInfo, session: &str) -> Result<Peer, ClientError> {
        let failed = |operation| move |source| ClientError::Connection { operation, source };
        // The same identity on shell and stdin is how a kernel knows whom to ask for input.
        let identity = peer_identity_for_session(session).map_err(failed("name the session"))?;
        let shell = create_client_shell_connection_with_identity(info, session, identity.clone())
            .await
            .map_err(failed("connect to the kernel's shell channel"))?;
        let stdin = create_client_stdin_connection_with_identity(info, session, identity)
            .await
            .map_err(failed("connect to the kernel's stdin channel"))?;
        let iopub = create_client_iopub_connection(info, "", session)
            .await
            .map_err(failed("connect to the kernel's output channel"))?;
        let control = create_client_control_connection(info, session)
            .await
            .map_err(failed("connect to the kernel's control channel"))?;
        let (to, incoming) = unbounded_channel();
        let (shell, shell_in) = shell.split();
        let (control, control_in) = control.split();
        let (stdin, stdin_in) = stdin.split();
        Ok(Peer {
            session: session.to_string(),
            key: shell.mac,
            shell: shell.socket,
            control: control.socket,
            stdin: stdin.socket,
            incoming,
            listeners: [
                tokio::spawn(listen(shell_in, Channel::Shell, to.clone())),
                tokio::spawn(listen(control_in, Channel::Control, to.clone())),
                tokio::spawn(listen(stdin_in, Channel::Stdin, to.clone())),
                tokio::spawn(listen(iopub, Channel::Iopub, to)),
            ],
        })
    }

    /// Connects to a kernel that may still be starting, or end while it does.
    ///
    /// A connection that breaks while it is made is tried again: a process that starts at the same moment may hold a copy of a
    /// listener that kept the port free, take the connection and be gone.
    ///
    /// # Errors
    /// It ended, or there was no connection `patience` after `started`.
    pub async fn reach(
        process: &mut Process,
        session: &str,
        started: Instant,
        patience: Duration,
    ) -> Result<Peer, ClientError> {
        let info = process.info().clone();
        loop {
            let left = patience.saturating_sub(started.elapsed());
            let connected = tokio::select! {
                connected = timeout(left, Peer::connect(&info, session)) => connected,
                status = process.wait() => return Err(process.ended_early(status)),
            };
            match connected {
                Ok(Err(_)) if started.elapsed() + CONNECT_EVERY < patience => sleep(CONNECT_EVERY).await,
                Ok(connected) => return connected,
                Err(_) => return Err(process.no_answer(started)),
            }
        }
    }

    /// Asks the kernel who it is until it answers and is heard on the output channel; returns all that came in.
    ///
    /// # Errors
    /// It ended, or has not answered `patience` after `started`.
    pub async fn greet(
        &mut self,
        process: &mut Process,
        started: Instant,
        patience: Duration,
    ) -> Result<Vec<Message>, ClientError> {
        let mut came = Vec::new();
        let mut heard = false;
        let mut answered: Option<Instant> = None;
        let mut asked: Option<Instant> = None;
        while !answered.is_some_and(|at| heard || at.elapsed() > UNHEARD) {
            if started.elapsed() > patience {
                return Err(process.no_answer(started));
            }
            if asked.is_none_or(|at| at.elapsed() > ASK_EVERY) {
                asked = Some(Instant::now());
                self.send(Channel::Shell, "kernel_info_request", json!({}))
                    .await
                    .map_err(|source| ClientError::Connection { operation: "ask the kernel who it is", source })?;
            }
            tokio::select! {
                Some(message) = self.incoming.recv() => {
                    heard |= message.channel == Channel::Iopub;
                    if message.kind == "kernel_info_reply" {
                        answered.get_or_insert_with(Instant::now);
                    }
                    came.push(message);
                }
                status = process.wait() => return Err(process.ended_early(status)),
                () = sleep(Duration::from_millis(50)) => {}
            }
        }
        Ok(came)
    }

    /// The next message, on any channel; none when the connections are gone.
    pub async fn next(&mut self) -> Option<Message> {
        self.incoming.recv().await
    }

    /// Sends a request; returns its message id.
    ///
    /// # Errors
    /// Of the socket.
    pub async fn send(&mut self, channel: Channel, kind: &str, content: Value) -> Result<String, RuntimeError> {
        self.send_with(channel, kind, content, json!({}), json!({})).await
    }

    /// The same with metadata, or as an answer to a message with the header `parent`.
    ///
    /// # Errors
    /// Of the socket.
    pub async fn send_with(
        &mut self,
        channel: Channel,
        kind: &str,
        content: Value,
        metadata: Value,
        parent: Value,
    ) -> Result<String, RuntimeError> {
        let id = uuid::Uuid::new_v4().to_string();
        let frames = self.frames(&id, kind, &content, &metadata, &parent);
        self.send_frames(channel, frames).await?;
        Ok(id)
    }

    /// The frames of a signed message, for tests that damage them before they are sent.
    pub fn frames(&self, id: &str, kind: &str, content: &Value, metadata: &Value, parent: &Value) -> Vec<Vec<u8>> {
        let header = json!({
            "msg_id": id, "session": self.session, "username": "workbench", "msg_type": kind, "version": "5.3",
            "date": chrono::Utc::now().to_rfc3339(),
        });
        self.sign([&header, parent, metadata, content].map(|part| part.to_string().into_bytes()))
    }

    /// Puts the delimiter and the right signature before four parts.
    pub fn sign(&self, parts: [Vec<u8>; 4]) -> Vec<Vec<u8>> {
        signed(self.key.as_ref(), parts.into())
    }

    /// Sends these frames as they are.
    ///
    /// # Errors
    /// There are none, or the socket fails.
    pub async fn send_frames(&mut self, channel: Channel, frames: Vec<Vec<u8>>) -> Result<(), RuntimeError> {
        let frames: Vec<Bytes> = frames.into_iter().map(Bytes::from).collect();
        let message = ZmqMessage::try_from(frames).map_err(|error| RuntimeError::ZmqMessageError(error.to_string()))?;
        let socket = match channel {
            Channel::Control => &mut self.control,
            Channel::Stdin => &mut self.stdin,
            Channel::Shell | Channel::Iopub => &mut self.shell,
        };
        Ok(socket.send(message).await?)
    }

    /// Asks the kernel to stop what it is doing, in the way it was started for; returns the id of the request, if one was sent.
    ///
    /// # Errors
    /// Of the socket.
    pub async fn interrupt(&mut self, process: &Process) -> Result<Option<String>, RuntimeError> {
        match process.command().interrupt {
            Interrupt::Message => {
                let request = self.send(Channel::Control, "interrupt_request", json!({}));
                Ok(Some(request.await?))
            }
            Interrupt::Signal => {
                process.signal_interrupt();
                Ok(None)
            }
        }
    }
}

/// Whether the heartbeat answers in time.
pub(super) async fn heart_beats(info: &ConnectionInfo, patience: Duration) -> bool {
    let beat = async {
        let mut heart = create_client_heartbeat_connection(info).await?;
        heart.single_heartbeat().await
    };
    timeout(patience, beat).await.is_ok_and(|beaten| beaten.is_ok())
}

/// Passes on what comes in on one socket. What is no message of this session is left out.
async fn listen<S: SocketRecv>(mut connection: Connection<S>, channel: Channel, to: UnboundedSender<Message>) {
    while let Ok(frames) = connection.socket.recv().await {
        if let Some(message) = read(frames, channel, &connection.mac)
            && to.send(message).is_err()
        {
            return;
        }
    }
}
