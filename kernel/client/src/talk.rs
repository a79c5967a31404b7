//! A client for programs that wait for what they hear: every message is kept until somebody takes it.

use std::time::{Duration, Instant};

use jupyter_protocol::ConnectionInfo;
use jupyter_zmq_client::RuntimeError;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::error::ClientError;
use super::message::{Channel, Exchange, Message, execute_request};
use super::peer::{Peer, heart_beats};
use super::process::{Process, runtime};

/// How long a kernel may leave a message unread before it counts as deaf.
const UNREAD: Duration = Duration::from_secs(20);

/// One client of a kernel, with all messages that it has heard.
pub struct Talk {
    peer: Peer,
    info: ConnectionInfo,
    /// Messages that nobody has taken yet, in the order in which they came in.
    pub log: Vec<Message>,
}

impl Talk {
    /// Connects and waits until the kernel answers and is heard.
    ///
    /// # Errors
    /// The kernel ended, or did not answer in time.
    pub fn connect(process: &mut Process, session: &str, patience: Duration) -> Result<Talk, ClientError> {
        let started = Instant::now();
        let (peer, log) = runtime().block_on(async {
            let mut peer = Peer::reach(process, session, started, patience).await?;
            let came = peer.greet(process, started, patience).await?;
            Ok::<_, ClientError>((peer, came))
        })?;
        let info = process.info().clone();
        let mut talk = Talk { peer, info, log };
        // Answers to the questions before the last one may still be on their way.
        talk.until(Duration::from_millis(100), |_| false);
        Ok(talk)
    }

    /// Connects, whether the kernel likes it or not.
    ///
    /// # Errors
    /// A socket cannot be connected.
    pub fn unheard(info: &ConnectionInfo, session: &str) -> Result<Talk, ClientError> {
        Ok(Talk { peer: runtime().block_on(Peer::connect(info, session))?, info: info.clone(), log: Vec::new() })
    }

    /// Sends a request; returns its message id.
    ///
    /// # Errors
    /// Of the socket, or the kernel does not read.
    pub fn send(&mut self, channel: Channel, kind: &str, content: Value) -> Result<String, ClientError> {
        in_time(self.peer.send(channel, kind, content))
    }

    /// Sends a message that answers another (an input reply).
    ///
    /// # Errors
    /// As [`Talk::send`].
    pub fn answer(&mut self, question: &Message, kind: &str, content: Value) -> Result<String, ClientError> {
        let parent = question.header.clone();
        in_time(self.peer.send_with(question.channel, kind, content, json!({}), parent))
    }

    /// Sends a cell without waiting; returns the message id.
    ///
    /// # Errors
    /// As [`Talk::send`].
    pub fn start_cell(&mut self, code: &str) -> Result<String, ClientError> {
        self.send(Channel::Shell, "execute_request", execute_request(code))
    }

    /// Asks the kernel to stop what it is doing; returns the id of the request, if one was sent.
    ///
    /// # Errors
    /// As [`Talk::send`].
    pub fn interrupt(&mut self, process: &Process) -> Result<Option<String>, ClientError> {
        in_time(self.peer.interrupt(process))
    }

    /// Sends a request on the shell channel and waits for its end.
    ///
    /// # Errors
    /// As [`Talk::send`].
    pub fn ask(&mut self, kind: &str, content: Value, patience: Duration) -> Result<Exchange, ClientError> {
        let id = self.send(Channel::Shell, kind, content)?;
        Ok(self.finish(&id, patience))
    }

    /// The frames of a signed message, and signatures for parts of one's own making.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Sends these frames as they are.
    ///
    /// # Errors
    /// As [`Talk::send`].
    pub fn send_frames(&mut self, channel: Channel, frames: Vec<Vec<u8>>) -> Result<(), ClientError> {
        in_time(self.peer.send_frames(channel, frames))
    }

    /// Takes messages in until `enough` says so of one; false when the time is over first.
    pub fn until(&mut self, patience: Duration, mut enough: impl FnMut(&Message) -> bool) -> bool {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(Some(message)) = runtime().block_on(async { timeout(left, self.peer.next()).await }) else {
                return false;
            };
            let done = enough(&message);
            self.log.push(message);
            if done {
                return true;
            }
        }
    }

    /// Takes the first message that fits out of those that came, or waits for it.
    pub fn wait_for(&mut self, patience: Duration, fits: impl Fn(&Message) -> bool) -> Option<Message> {
        let found = self.log.iter().position(&fits);
        let found = found.or_else(|| self.until(patience, &fits).then(|| self.log.len() - 1));
        found.map(|at| self.log.remove(at))
    }

    /// Waits for the reply and the idle message of a request that was sent, and takes what belongs to it.
    pub fn finish(&mut self, id: &str, patience: Duration) -> Exchange {
        let (mut replied, mut idle) = (false, false);
        let mut at_its_end = |m: &Message| {
            replied |= m.parent == id && m.is_reply();
            idle |= m.parent == id && m.is_idle();
            replied && idle
        };
        if !self.log.iter().any(&mut at_its_end) {
            self.until(patience, at_its_end);
        }
        let (messages, others) = std::mem::take(&mut self.log).into_iter().partition(|m| m.parent == id);
        self.log = others;
        Exchange { messages }
    }

    /// Whether the heartbeat answers in time.
    pub fn heart_beats(&self, patience: Duration) -> bool {
        runtime().block_on(heart_beats(&self.info, patience))
    }
}

fn in_time<T>(sending: impl Future<Output = Result<T, RuntimeError>>) -> Result<T, ClientError> {
    let deaf = RuntimeError::ZmqMessageError("the kernel does not read".into());
    let sent = runtime().block_on(async { timeout(UNREAD, sending).await });
    sent.unwrap_or(Err(deaf)).map_err(|source| ClientError::Connection { operation: "send a message", source })
}
