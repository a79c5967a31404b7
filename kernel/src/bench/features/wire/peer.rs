//! One client of a kernel: its sockets, requests, and waiting for what comes back.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use bytes::Bytes;
use ring::hmac;
use serde_json::{Value, json};
use zeromq::util::PeerIdentity;
use zeromq::{
    DealerSendHalf, DealerSocket, ReqSocket, Socket, SocketOptions, SocketRecv, SocketSend, SubSocket, ZmqMessage,
};

use super::message::{DELIMITER, read, signature};
use super::{Channel, Connection, Exchange, Message, Process, WireError, runtime};

fn socket_error(operation: &str) -> impl Fn(zeromq::ZmqError) -> WireError + '_ {
    move |error| WireError::Socket {
        operation: operation.to_string(),
        why: error.to_string(),
    }
}

/// One client of a kernel: its own session, connected to all sockets.
pub struct Peer {
    session: String,
    key: hmac::Key,
    shell: DealerSendHalf,
    control: DealerSendHalf,
    stdin: DealerSendHalf,
    incoming: Receiver<Message>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    connection: Connection,
    /// Every message received, in order.
    pub log: Vec<Message>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Peer {
    /// Connects and waits until the kernel answers on the shell channel and is heard on the output channel.
    pub fn connect(process: &mut Process, session: &str, patience: Duration) -> Result<Peer, WireError> {
        let connection = process.connection.clone();
        let mut peer = runtime().block_on(Peer::sockets(connection, session))?;
        let started = Instant::now();
        while started.elapsed() < patience {
            let id = peer.send(Channel::Shell, "kernel_info_request", json!({}))?;
            let (mut heard, mut answered) = (false, false);
            let found = peer.until(Duration::from_millis(500), |m| {
                heard |= m.channel == Channel::Iopub;
                answered |= m.parent == id && m.kind == "kernel_info_reply";
                heard && answered
            });
            if found {
                // Answers to the questions before this one may still be on their way.
                peer.until(Duration::from_millis(100), |_| false);
                return Ok(peer);
            }
            if process.ended_within(Duration::ZERO) {
                break;
            }
        }
        Err(process.silent(patience))
    }

    async fn sockets(connection: Connection, session: &str) -> Result<Peer, WireError> {
        let [shell, iopub, stdin, control, _] = connection.ports;
        let (to, incoming) = channel();
        let key = hmac::Key::new(hmac::HMAC_SHA256, connection.key.as_bytes());
        let mut tasks = Vec::new();
        let mut senders = Vec::new();
        for (kind, port) in [
            (Channel::Shell, shell),
            (Channel::Control, control),
            (Channel::Stdin, stdin),
        ] {
            // The same identity on shell and stdin is how a kernel knows whom to ask for input.
            let mut options = SocketOptions::default();
            let identity = PeerIdentity::try_from(Bytes::from(session.as_bytes().to_vec()));
            if let Ok(identity) = identity {
                options.peer_identity(identity);
            }
            let mut socket = DealerSocket::with_options(options);
            socket
                .connect(&format!("tcp://127.0.0.1:{port}"))
                .await
                .map_err(socket_error("connect to the kernel"))?;
            let (sender, receiver) = socket.split();
            senders.push(sender);
            tasks.push(tokio::spawn(listen(receiver, kind, key.clone(), to.clone())));
        }
        let mut socket = SubSocket::new();
        socket
            .connect(&format!("tcp://127.0.0.1:{iopub}"))
            .await
            .map_err(socket_error("connect to the kernel's output"))?;
        socket
            .subscribe("")
            .await
            .map_err(socket_error("subscribe to the kernel's output"))?;
        tasks.push(tokio::spawn(listen(socket, Channel::Iopub, key.clone(), to)));
        let mut senders = senders.into_iter();
        let (Some(shell), Some(control), Some(stdin)) = (senders.next(), senders.next(), senders.next()) else {
            unreachable!("three sockets were made above");
        };
        Ok(Peer {
            session: session.to_string(),
            key,
            shell,
            control,
            stdin,
            incoming,
            tasks,
            connection,
            log: Vec::new(),
        })
    }

    /// Sends a request; returns its message id.
    pub fn send(&mut self, channel: Channel, kind: &str, content: Value) -> Result<String, WireError> {
        self.send_about(channel, kind, content, json!({}))
    }

    /// Sends a message that answers another (an input reply).
    pub fn send_about(
        &mut self,
        channel: Channel,
        kind: &str,
        content: Value,
        parent: Value,
    ) -> Result<String, WireError> {
        let id = uuid::Uuid::new_v4().to_string();
        let frames = self.frames(&id, kind, &content, &parent);
        self.send_frames(channel, frames)?;
        Ok(id)
    }

    /// The frames of a signed message, for tests that damage them before they are sent.
    pub fn frames(&self, id: &str, kind: &str, content: &Value, parent: &Value) -> Vec<Vec<u8>> {
        let header = json!({
            "msg_id": id, "session": self.session, "username": "workbench", "msg_type": kind, "version": "5.3",
            "date": "2024-01-01T00:00:00.000000Z",
        });
        let parts: Vec<Vec<u8>> = [&header, parent, &json!({"cellId": "cell-1"}), content]
            .map(|part| part.to_string().into_bytes())
            .into();
        self.sign(parts)
    }

    /// Puts the delimiter and the right signature before four parts.
    pub fn sign(&self, parts: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let signature = signature(&self.key, parts.iter().take(4));
        let mut frames = vec![DELIMITER.to_vec(), signature.into_bytes()];
        frames.extend(parts);
        frames
    }

    /// Sends these frames as they are.
    pub fn send_frames(&mut self, channel: Channel, frames: Vec<Vec<u8>>) -> Result<(), WireError> {
        let frames: Vec<Bytes> = frames.into_iter().map(Bytes::from).collect();
        let failed = |why: String| WireError::Socket {
            operation: "send a message".into(),
            why,
        };
        let message = ZmqMessage::try_from(frames).map_err(|e| failed(e.to_string()))?;
        let socket = match channel {
            Channel::Control => &mut self.control,
            Channel::Stdin => &mut self.stdin,
            _ => &mut self.shell,
        };
        runtime()
            .block_on(async { tokio::time::timeout(Duration::from_secs(20), socket.send(message)).await })
            .map_err(|_| failed("the kernel does not read".into()))?
            .map_err(|e| failed(e.to_string()))
    }

    /// Takes messages in until `enough` says so of one; false when the time is over first.
    pub fn until(&mut self, patience: Duration, mut enough: impl FnMut(&Message) -> bool) -> bool {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(message) => {
                    let done = enough(&message);
                    self.log.push(message);
                    if done {
                        return true;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Waits for the reply and the idle message of a request that was sent; what belongs to it is returned.
    pub fn finish(&mut self, id: &str, patience: Duration) -> Exchange {
        let is_reply = |m: &Message| m.parent == id && m.channel != Channel::Iopub && m.kind.ends_with("_reply");
        let is_idle = |m: &Message| m.parent == id && m.kind == "status" && m.content["execution_state"] == "idle";
        let mut replied = self.log.iter().any(is_reply);
        let mut idle = self.log.iter().any(is_idle);
        if !(replied && idle) {
            self.until(patience, |m| {
                replied |= is_reply(m);
                idle |= is_idle(m);
                replied && idle
            });
        }
        let messages = self.log.iter().filter(|m| m.parent == id).cloned().collect();
        Exchange { messages }
    }

    /// Sends a request on the shell channel and waits for its end.
    pub fn ask(&mut self, kind: &str, content: Value, patience: Duration) -> Result<Exchange, WireError> {
        let id = self.send(Channel::Shell, kind, content)?;
        Ok(self.finish(&id, patience))
    }

    /// Sends a cell without waiting; returns the message id.
    pub fn start_cell(&mut self, code: &str) -> Result<String, WireError> {
        self.send(Channel::Shell, "execute_request", execute_request(code))
    }

    /// Whether the heartbeat answers in time.
    pub fn heart_beats(&self, patience: Duration) -> bool {
        let port = self.connection.ports[4];
        let beat = async {
            let mut socket = ReqSocket::new();
            socket.connect(&format!("tcp://127.0.0.1:{port}")).await.ok()?;
            socket.send(ZmqMessage::from("ping")).await.ok()?;
            socket.recv().await.ok()
        };
        runtime()
            .block_on(async { tokio::time::timeout(patience, beat).await })
            .is_ok_and(|answer| answer.is_some())
    }
}

/// Content of an ordinary request to run a cell.
pub fn execute_request(code: &str) -> Value {
    json!({
        "code": code, "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": true,
        "stop_on_error": true,
    })
}

async fn listen<S: SocketRecv>(mut socket: S, channel: Channel, key: hmac::Key, to: Sender<Message>) {
    while let Ok(message) = socket.recv().await {
        if let Some(message) = read(&message.into_vec(), channel, &key)
            && to.send(message).is_err()
        {
            return;
        }
    }
}
