//! The messaging protocol as bytes: a kernel process, and clients that see every message as the JSON that was sent.
//!
//! The runner's own client knows message types and drops what it does not know. A table that compares kernels must see
//! what each of them really sends, and tests of refusal must send what no honest client sends.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use ring::hmac;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use zeromq::util::PeerIdentity;
use zeromq::{
    DealerSendHalf, DealerSocket, ReqSocket, Socket, SocketOptions, SocketRecv, SocketSend, SubSocket, ZmqMessage,
};

/// Why a scenario could not talk to its kernel.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The process did not start.
    #[error("cannot start {program}: {source}; build or install it first")]
    Start {
        /// The program.
        program: String,
        /// Why not.
        source: std::io::Error,
    },
    /// A file or a port of the session could not be had.
    #[error("cannot prepare a session: {0}; check the disk and the temporary folder")]
    Prepare(#[from] std::io::Error),
    /// A socket failed.
    #[error("cannot {operation}: {why}; is the kernel still running?")]
    Socket {
        /// What was tried.
        operation: String,
        /// Why not.
        why: String,
    },
    /// The kernel ended or did not answer.
    #[error("no answer from the kernel within {seconds:.0} s; its log is {log:?}{tail}")]
    Silent {
        /// How long we waited.
        seconds: f64,
        /// Where it writes.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
}

/// Sockets that a client writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Requests in turn.
    Shell,
    /// Requests that do not wait.
    Control,
    /// Answers to input requests.
    Stdin,
    /// Broadcasts of the kernel (only received).
    Iopub,
}

/// One message from a kernel.
#[derive(Clone, Debug)]
pub struct Message {
    /// Where it came in.
    pub channel: Channel,
    /// Its type, from the header.
    pub kind: String,
    /// Message id of the request that it belongs to; empty if none.
    pub parent: String,
    /// Its header.
    pub header: Value,
    /// Its metadata.
    pub metadata: Value,
    /// Its content.
    pub content: Value,
    /// Whether its signature is right.
    pub signed: bool,
    /// Bytes of all of its frames.
    pub size: usize,
    /// When it came in.
    pub at: Instant,
    /// The same on the wall clock, in seconds since 1970: comparable with times that a cell prints.
    pub wall: f64,
}

/// How to start a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Program and arguments; `{connection_file}` stands for the path of the connection file.
    pub argv: Vec<String>,
    /// Working folder.
    pub folder: PathBuf,
    /// Variables on top of our own environment.
    pub environment: Vec<(String, String)>,
    /// Whether an interrupt is SIGINT instead of a message.
    pub interrupt_by_signal: bool,
}

/// The five ports and the key of a session.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Shell, iopub, stdin, control, heartbeat.
    pub ports: [u16; 5],
    /// Key that signs messages.
    pub key: String,
}

/// A kernel process. Dropping it kills the kernel and what it started.
pub struct Process {
    child: Child,
    /// Where it listens.
    pub connection: Connection,
    /// What the kernel itself writes.
    pub log: PathBuf,
    /// Folder that holds the connection file, the log and the kernel's temporary files.
    pub folder: tempfile::TempDir,
    launch: Launch,
}

/// One runtime for all sockets of this program.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        // Only a machine without threads or file descriptors refuses.
        #[allow(clippy::expect_used)]
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime needs a thread and a file descriptor")
    })
}

fn socket_error(operation: &str) -> impl Fn(zeromq::ZmqError) -> WireError + '_ {
    move |error| WireError::Socket {
        operation: operation.to_string(),
        why: error.to_string(),
    }
}

impl Process {
    /// Starts a kernel; it may not answer yet.
    pub fn start(launch: &Launch) -> Result<Process, WireError> {
        let folder = tempfile::Builder::new().prefix("workbench-session-").tempdir()?;
        let connection = Connection {
            ports: free_ports()?,
            key: uuid::Uuid::new_v4().to_string(),
        };
        let log = folder.path().join("kernel.log");
        std::fs::write(&log, "")?;
        let child = spawn(launch, &connection, folder.path(), &log)?;
        Ok(Process {
            child,
            connection,
            log,
            folder,
            launch: launch.clone(),
        })
    }

    /// Starts it again with the same ports and key, as a client does for a restart.
    pub fn start_again(&mut self) -> Result<(), WireError> {
        self.kill();
        self.child = spawn(&self.launch, &self.connection, self.folder.path(), &self.log)?;
        Ok(())
    }

    /// Process id, which is also that of its group.
    pub fn id(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or(0)
    }

    /// What the kernel wrote itself.
    pub fn log_text(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Waits until the process has ended; false when it has not.
    pub fn ended_within(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        loop {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends it and its group by force.
    pub fn kill(&mut self) {
        let group = self.id();
        if group > 1 {
            // SAFETY: kill takes two integers; a group that is gone changes nothing.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        // Reaps it; a process that is gone already has nothing to tell.
        let _ = self.child.wait();
    }

    /// Asks it to stop what it is doing, in the way its kernelspec names.
    pub fn interrupt(&self, client: &mut Peer) -> Result<(), WireError> {
        if self.launch.interrupt_by_signal {
            // SAFETY: a signal to a process that this value owns and has not reaped.
            unsafe { libc::kill(self.id(), libc::SIGINT) };
            return Ok(());
        }
        client
            .send(Channel::Control, "interrupt_request", json!({}))
            .map(|_| ())
    }

    fn silent(&self, patience: Duration) -> WireError {
        WireError::Silent {
            seconds: patience.as_secs_f64(),
            log: self.log.clone(),
            tail: crate::setup::system::tail(&self.log_text(), 5),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Ports that are free now. Another program may take one before the kernel does; the caller sees a kernel that ends.
fn free_ports() -> std::io::Result<[u16; 5]> {
    let listeners: Vec<std::net::TcpListener> = (0..5)
        .map(|_| std::net::TcpListener::bind("127.0.0.1:0"))
        .collect::<std::io::Result<_>>()?;
    let mut ports = [0; 5];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}

fn spawn(launch: &Launch, connection: &Connection, folder: &Path, log: &Path) -> Result<Child, WireError> {
    let [shell, iopub, stdin, control, heartbeat] = connection.ports;
    let file = folder.join("connection.json");
    let text = json!({
        "transport": "tcp", "ip": "127.0.0.1", "shell_port": shell, "iopub_port": iopub, "stdin_port": stdin,
        "control_port": control, "hb_port": heartbeat, "key": connection.key, "signature_scheme": "hmac-sha256",
        "kernel_name": crate::setup::kernelspec::KERNEL_NAME,
    });
    std::fs::write(&file, text.to_string())?;
    let output = std::fs::File::options().append(true).open(log)?;
    let scratch = folder.join("tmp");
    std::fs::create_dir_all(&scratch)?;
    let file = file.display().to_string();
    let mut argv = launch.argv.iter().map(|part| part.replace("{connection_file}", &file));
    let program = argv.next().unwrap_or_default();
    let mut command = Command::new(&program);
    command
        .args(argv)
        .current_dir(&launch.folder)
        .env("JPY_PARENT_PID", std::process::id().to_string())
        .env("TMPDIR", scratch)
        .envs(launch.environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(|source| WireError::Start { program, source })
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
        let mut context = hmac::Context::with_key(&self.key);
        parts.iter().take(4).for_each(|part| context.update(part));
        let signature: String = context.sign().as_ref().iter().map(|b| format!("{b:02x}")).collect();
        let mut frames = vec![b"<IDS|MSG>".to_vec(), signature.into_bytes()];
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

fn read(frames: &[Bytes], channel: Channel, key: &hmac::Key) -> Option<Message> {
    let delimiter = frames.iter().position(|frame| &frame[..] == b"<IDS|MSG>")?;
    let [signature, header, parent, metadata, content, ..] = &frames[delimiter + 1..] else {
        return None;
    };
    let mut context = hmac::Context::with_key(key);
    for part in [header, parent, metadata, content] {
        context.update(part);
    }
    let right: String = context.sign().as_ref().iter().map(|b| format!("{b:02x}")).collect();
    let json = |bytes: &Bytes| serde_json::from_slice::<Value>(bytes).unwrap_or(Value::Null);
    let header = json(header);
    Some(Message {
        channel,
        kind: header["msg_type"].as_str().unwrap_or_default().to_string(),
        parent: json(parent)["msg_id"].as_str().unwrap_or_default().to_string(),
        metadata: json(metadata),
        content: json(content),
        signed: signature[..] == *right.as_bytes(),
        size: frames.iter().map(Bytes::len).sum(),
        at: Instant::now(),
        wall: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |d| d.as_secs_f64()),
        header,
    })
}

/// Everything that belongs to one request.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Its messages, in the order in which they came in (order between channels is not told by the protocol).
    pub messages: Vec<Message>,
}

impl Exchange {
    /// The reply.
    pub fn reply(&self) -> Option<&Message> {
        self.messages
            .iter()
            .find(|m| m.channel != Channel::Iopub && m.kind.ends_with("_reply"))
    }

    /// `status` of the reply; empty when there is none.
    pub fn status(&self) -> &str {
        self.reply()
            .and_then(|m| m.content["status"].as_str())
            .unwrap_or_default()
    }

    /// The idle message.
    pub fn idle(&self) -> Option<&Message> {
        self.messages
            .iter()
            .find(|m| m.kind == "status" && m.content["execution_state"] == "idle")
    }

    /// Outputs, in order: streams, displays, updates, results, errors and clears.
    pub fn outputs(&self) -> Vec<&Message> {
        const OUTPUTS: [&str; 6] = [
            "stream",
            "display_data",
            "update_display_data",
            "execute_result",
            "error",
            "clear_output",
        ];
        self.messages
            .iter()
            .filter(|m| m.channel == Channel::Iopub && OUTPUTS.contains(&m.kind.as_str()))
            .collect()
    }

    /// Text of a stream.
    pub fn stream(&self, name: &str) -> String {
        self.messages
            .iter()
            .filter(|m| m.kind == "stream" && m.content["name"] == name)
            .filter_map(|m| m.content["text"].as_str())
            .collect()
    }

    /// Plain text of the value of the last expression.
    pub fn value(&self) -> String {
        self.messages
            .iter()
            .filter(|m| m.kind == "execute_result")
            .filter_map(|m| m.content["data"]["text/plain"].as_str())
            .collect()
    }

    /// Name and message of the error, if there was one.
    pub fn error(&self) -> Option<(String, String)> {
        let error = self.messages.iter().find(|m| m.kind == "error")?;
        let text = |key: &str| error.content[key].as_str().unwrap_or_default().to_string();
        Some((text("ename"), text("evalue")))
    }

    /// The traceback without terminal colours.
    pub fn traceback(&self) -> String {
        let lines: Vec<&str> = self
            .messages
            .iter()
            .filter(|m| m.kind == "error")
            .flat_map(|m| m.content["traceback"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        without_colours(&lines.join("\n"))
    }
}

/// Text without the escape sequences that colour it in a terminal.
pub fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // Ends with the first letter.
            let _ = chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_reads_back_as_signed_and_damage_shows() {
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"k");
        let parts: Vec<Vec<u8>> = [r#"{"msg_type":"status"}"#, r#"{"msg_id":"7"}"#, "{}", r#"{"a":1}"#]
            .map(|p| p.as_bytes().to_vec())
            .into();
        let mut context = hmac::Context::with_key(&key);
        parts.iter().for_each(|p| context.update(p));
        let signature: String = context.sign().as_ref().iter().map(|b| format!("{b:02x}")).collect();
        let mut frames = vec![Bytes::from("topic"), Bytes::from("<IDS|MSG>"), Bytes::from(signature)];
        frames.extend(parts.into_iter().map(Bytes::from));
        let message = read(&frames, Channel::Iopub, &key).unwrap();
        assert_eq!((message.kind.as_str(), message.parent.as_str()), ("status", "7"));
        assert!(message.signed);
        frames[6] = Bytes::from(r#"{"a":2}"#);
        assert!(!read(&frames, Channel::Iopub, &key).unwrap().signed);
        assert!(read(&frames[..4], Channel::Iopub, &key).is_none());
    }

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(without_colours("\u{1b}[1;31merror\u{1b}[0m: x"), "error: x");
    }
}
