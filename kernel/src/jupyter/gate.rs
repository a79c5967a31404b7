//! The gate before the sockets: frames that are too long do not reach them.
//!
//! ZeroMQ announces the length of a frame before its bytes, and the socket library makes room for what is announced, before any
//! signature can be looked at. Whoever reaches the port could so make the kernel ask for more memory than there is and end. The
//! public ports are therefore listened on here; each connection is passed on to the library's sockets, which lie in the session's
//! private folder, and is closed when it announces too much.

use std::path::Path;

use anyhow::{Context, Result};
use jupyter_protocol::ConnectionInfo;
use jupyter_protocol::connection_info::Transport;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use super::wire::LIMIT;

/// Longest path of a socket in the file system, the same on all systems that matter, less one port number.
const PATH_LIMIT: usize = 90;
const GREETING: u64 = 64;
/// What may pass. A message that is only somewhat too long is refused later, without closing the connection of its sender.
const PASSING: u64 = 4 * LIMIT as u64;

/// Listens on the ports of `info`; returns where the library's own sockets are to be bound. A client that asks for sockets in the
/// file system is already at a private place, and gets them as they are.
///
/// # Errors
/// A port is taken.
pub async fn open(info: &ConnectionInfo, folder: &Path) -> Result<ConnectionInfo> {
    let place = folder.join("socket").display().to_string();
    if info.transport != Transport::TCP || place.len() > PATH_LIMIT {
        return Ok(info.clone());
    }
    let inner = ConnectionInfo {
        transport: Transport::IPC,
        ip: place.clone(),
        ..info.clone()
    };
    for port in [
        info.shell_port,
        info.iopub_port,
        info.stdin_port,
        info.control_port,
        info.hb_port,
    ] {
        let listener = TcpListener::bind((info.ip.as_str(), port))
            .await
            .with_context(|| format!("port {port} of the connection file cannot be used"))?;
        let path = format!("{place}-{port}");
        tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((client, _)) => drop(tokio::spawn(pass(client, path.clone()))),
                    // Out of descriptors: others may be given back.
                    Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
                }
            }
        });
    }
    Ok(inner)
}

/// Passes one connection on until one of its ends closes.
async fn pass(client: TcpStream, path: String) {
    // Small messages in both directions, and somebody waits for each.
    let _ = client.set_nodelay(true);
    // The library's socket is bound a moment after the port.
    let mut kernel = None;
    for _ in 0..200 {
        match UnixStream::connect(&path).await {
            Ok(stream) => {
                kernel = Some(stream);
                break;
            }
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
    let Some(kernel) = kernel else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_kernel, mut to_kernel) = kernel.into_split();
    let inward = async {
        let mut frames = Frames::default();
        let mut bytes = vec![0; 64 << 10];
        loop {
            let count = match from_client.read(&mut bytes).await {
                Ok(0) | Err(_) => return,
                Ok(count) => count,
            };
            if let Err(announced) = frames.look(&bytes[..count]) {
                eprintln!(
                    "closed a connection that announced a message of {announced} bytes: the limit is {PASSING} bytes"
                );
                return;
            }
            if to_kernel.write_all(&bytes[..count]).await.is_err() {
                return;
            }
        }
    };
    let outward = tokio::io::copy(&mut from_kernel, &mut to_client);
    tokio::select! {
        () = inward => {}
        _ = outward => {}
    }
}

/// Follows the frames of one connection.
#[derive(Debug)]
pub struct Frames {
    state: State,
    /// Bytes of the message so far.
    message: u64,
}

#[derive(Debug)]
enum State {
    /// So many bytes are passed on without being looked at.
    Pass(u64),
    Flags,
    /// The length, of which so many bytes are still to come.
    Length {
        left: u8,
        value: u64,
        more: bool,
    },
}

impl Default for Frames {
    fn default() -> Self {
        Frames {
            state: State::Pass(GREETING),
            message: 0,
        }
    }
}

impl Frames {
    /// Looks at the next bytes.
    ///
    /// # Errors
    /// The length that a message announces, when it is too long.
    pub fn look(&mut self, mut bytes: &[u8]) -> Result<(), u64> {
        while !bytes.is_empty() {
            match &mut self.state {
                State::Pass(left) => {
                    let count = (*left).min(bytes.len() as u64);
                    bytes = &bytes[count as usize..];
                    *left -= count;
                    if *left == 0 {
                        self.state = State::Flags;
                    }
                }
                State::Flags => {
                    let (more, long) = (bytes[0] & 1 != 0, bytes[0] & 2 != 0);
                    let left = if long { 8 } else { 1 };
                    self.state = State::Length { left, value: 0, more };
                    bytes = &bytes[1..];
                }
                State::Length { left, value, more } => {
                    *value = *value << 8 | u64::from(bytes[0]);
                    *left -= 1;
                    bytes = &bytes[1..];
                    if *left == 0 {
                        // Each frame costs its receiver a little, too.
                        let announced = self.message.saturating_add(*value).saturating_add(64);
                        if announced > PASSING {
                            return Err(announced);
                        }
                        self.message = if *more { announced } else { 0 };
                        self.state = if *value == 0 { State::Flags } else { State::Pass(*value) };
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(more: bool, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![u8::from(more) | 2];
        bytes.extend((content.len() as u64).to_be_bytes());
        bytes.extend(content);
        bytes
    }

    #[test]
    fn messages_pass_however_they_are_cut() {
        let mut bytes = vec![0xff; 64];
        bytes.extend([4, 3, b'a', b'b', b'c']);
        for _ in 0..5 {
            bytes.extend(frame(true, &[2; 300]));
            bytes.extend([1, 0, 0, 2, b'x', b'y']);
        }
        for chunk in [1, 2, 3, 7, 64, 10_000] {
            let mut frames = Frames::default();
            assert!(bytes.chunks(chunk).all(|part| frames.look(part).is_ok()), "{chunk}");
            assert!(
                matches!(frames.state, State::Flags) && frames.message == 0,
                "{frames:?}"
            );
        }
    }

    #[test]
    fn an_announcement_that_is_too_long_is_refused_before_its_bytes() {
        let mut bytes = vec![0xff; 64];
        bytes.extend([2, 0, 0, 1, 0, 0, 0, 0, 0]);
        assert_eq!(Frames::default().look(&bytes), Err((1 << 40) + 64));
        // In many parts, too.
        let part = frame(true, &vec![0; 1 << 20]);
        let mut frames = Frames::default();
        frames.look(&[0xff; 64]).unwrap();
        assert!((0..300).any(|_| frames.look(&part).is_err()));
        let mut frames = Frames::default();
        frames.look(&[0xff; 64]).unwrap();
        assert!((0..5_000_000).any(|_| frames.look(&[1, 0]).is_err()));
    }
}
