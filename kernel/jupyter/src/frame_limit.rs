//! The kernel's ports or sockets, guarded: what comes in is looked at frame by frame before the message library sees it.
//!
//! The library reads a frame of any announced length into memory, before any signature can be checked: one stranger on this
//! machine who announces a petabyte would end the kernel and take all variables along. Behind each port or socket of the connection file
//! therefore stands a socket in a private folder; the proxy passes bytes on, empties frames that are too long (the message is
//! then refused, because its signature is wrong) and closes connections that announce the absurd.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use jupyter_protocol::ConnectionInfo;
use jupyter_protocol::connection_info::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener, UnixStream};

use super::wire::LIMIT;
use workbench_base::private::LONGEST_SOCKET;

/// A frame that is longer than a message may be, but not longer than this, is read and thrown away; the connection lives on.
const ABSURD: u64 = 4 << 30;
/// Most frames of one message.
const FRAMES: usize = 2000;
/// Most bytes that wait for a client to read them: the outputs of two cells that say as much as a cell may.
const WAITING: usize = 256 << 20;
/// Most messages of a client that only listens: it subscribes, and each subscription is remembered.
const SUBSCRIPTIONS: u64 = 1000;
/// How long a port that is taken is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The ports, taken but not yet open. The folder of the inner sockets goes when it is dropped.
pub struct Proxy {
    ports: Vec<(&'static str, String, Listener)>,
    folder: tempfile::TempDir,
}

/// Takes the ports or sockets of `info` and returns where the kernel's own sockets belong; [`Proxy::open`] lets clients in when they are
/// there.
///
/// # Errors
/// A port or socket is taken, or the temporary folder cannot be used.
pub async fn take(info: &ConnectionInfo) -> std::io::Result<(ConnectionInfo, Proxy)> {
    let folder = private_folder()?;
    let base = folder.path().join("s").display().to_string();
    let channels = [
        ("shell", info.shell_port),
        ("control", info.control_port),
        ("stdin", info.stdin_port),
        ("output", info.iopub_port),
        ("heartbeat", info.hb_port),
    ];
    let mut ports = Vec::new();
    for (channel, port) in channels {
        // The name that the library gives to the socket of this port.
        let inner = format!("{base}-{port}");
        let listener = match info.transport {
            Transport::TCP => Listener::Port(bind(&info.ip, port).await?),
            Transport::IPC => Listener::Socket(bind_socket(&format!("{}-{port}", info.ip))?),
        };
        ports.push((channel, inner, listener));
    }
    let inner = ConnectionInfo { transport: Transport::IPC, ip: base, ..info.clone() };
    let proxy = Proxy { ports, folder };
    Ok((inner, proxy))
}

/// A port that is taken is tried again for a while: what kept it free for this kernel may have been copied into a process that
/// is being started and is not yet its own program.
async fn bind(ip: &str, port: u16) -> std::io::Result<TcpListener> {
    let until = Instant::now() + PATIENCE;
    loop {
        match TcpListener::bind((ip, port)).await {
            Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            bound => return bound,
        }
    }
}

/// A socket in the place of one that a kernel before this one has left there.
fn bind_socket(path: &str) -> std::io::Result<UnixListener> {
    let left = std::os::unix::net::UnixStream::connect(path);
    if left.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
        std::fs::remove_file(path)?;
    }
    UnixListener::bind(path)
}

/// Where clients come in.
enum Listener {
    Port(TcpListener),
    Socket(UnixListener),
}

impl Listener {
    /// The next client: what is read from it, and what is written to it.
    async fn accept(&self) -> std::io::Result<(Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>)> {
        match self {
            Listener::Port(listener) => {
                let (client, _) = listener.accept().await?;
                // Small messages must not wait for larger ones.
                let _ = client.set_nodelay(true);
                let (from, to) = client.into_split();
                Ok((Box::new(from), Box::new(to)))
            }
            Listener::Socket(listener) => {
                let (from, to) = listener.accept().await?.0.into_split();
                Ok((Box::new(from), Box::new(to)))
            }
        }
    }
}

impl Proxy {
    /// Lets clients in, also those that came before; returns what must be kept for as long as the kernel lives.
    #[must_use]
    pub fn open(self) -> tempfile::TempDir {
        for (channel, inner, listener) in self.ports {
            tokio::spawn(async move {
                loop {
                    match listener.accept().await {
                        Ok((from_client, to_client)) => {
                            tokio::spawn(serve(from_client, to_client, inner.clone(), channel));
                        }
                        // Out of descriptors: others may be given back.
                        Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                    }
                }
            });
        }
        self.folder
    }
}

/// A folder that only this user can enter, with a path that is short enough for sockets.
fn private_folder() -> std::io::Result<tempfile::TempDir> {
    let builder = || {
        let mut builder = workbench_base::private::temporary();
        builder.prefix("wb-");
        builder
    };
    let folder = builder().tempdir()?;
    if folder.path().as_os_str().len() + "/s-65535".len() < LONGEST_SOCKET {
        return Ok(folder);
    }
    builder().tempdir_in(Path::new("/tmp"))
}

async fn serve(
    mut from_client: impl AsyncRead + Unpin,
    to_client: impl AsyncWrite + Unpin,
    inner: String,
    channel: &'static str,
) {
    let Ok(kernel) = UnixStream::connect(&inner).await else {
        return;
    };
    let (from_kernel, mut to_kernel) = kernel.into_split();
    tokio::select! {
        passed = pass(&mut from_client, &mut to_kernel, if channel == "output" { SUBSCRIPTIONS } else { u64::MAX }) => {
            if let Err(Ended::Refused(why)) = passed {
                eprintln!("refused a connection on the {channel} channel: {why}");
            }
        }
        // Either side that ends takes the other along.
        drained = drain(from_kernel, to_client, WAITING) => {
            if let Err(Ended::Refused(why)) = drained {
                eprintln!("closed a connection on the {channel} channel: {why}");
            }
        }
    }
}

/// Passes on what the kernel says. The kernel never waits for a client that does not read: what it has not read yet is kept up to
/// `limit` bytes; beyond, the connection is closed, and the client may come back.
async fn drain<R, W>(mut from: R, mut to: W, limit: usize) -> Result<(), Ended>
where
    R: AsyncReadExt + Unpin,
    W: AsyncWriteExt + Unpin,
{
    let mut waiting = VecDeque::<u8>::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        tokio::select! {
            read = from.read(&mut chunk) => {
                let read = read?;
                if read == 0 {
                    // The last words of a kernel that ends.
                    to.write_all(waiting.make_contiguous()).await?;
                    return Err(Ended::Closed);
                }
                waiting.extend(&chunk[..read]);
                if waiting.len() > limit {
                    return Err(Ended::Refused(format!("the client left more than {limit} bytes unread")));
                }
            }
            written = to.write(waiting.as_slices().0), if !waiting.is_empty() => {
                waiting.drain(..written?);
                if waiting.is_empty() && waiting.capacity() > 1 << 20 {
                    waiting.shrink_to_fit();
                }
            }
        }
    }
}

/// Why nothing more is passed on.
#[derive(Debug)]
enum Ended {
    /// The client is gone, or the kernel is.
    Closed,
    /// The client sends what must not come in.
    Refused(String),
}

impl From<std::io::Error> for Ended {
    fn from(_: std::io::Error) -> Ended {
        Ended::Closed
    }
}

/// What passes of all that a client sends, and whether it was refused. For tests and fuzzing.
pub fn passes(bytes: &[u8], most: u64) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let mut from = bytes;
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let ended = runtime.map(|runtime| runtime.block_on(pass(&mut from, &mut out, most)));
    (out, matches!(ended, Ok(Err(Ended::Refused(_)))))
}

/// Passes a client's bytes on: the greeting of 64 bytes, then frames of a flag byte, a length and a body; at most `most` messages.
async fn pass<R, W>(from: &mut R, to: &mut W, most: u64) -> Result<(), Ended>
where
    R: AsyncReadExt + Unpin,
    W: AsyncWriteExt + Unpin,
{
    let mut from = tokio::io::BufReader::with_capacity(64 << 10, from);
    // Both sides greet in steps; each byte is passed on as it comes.
    let mut greeting = (&mut from).take(64);
    if tokio::io::copy(&mut greeting, to).await? < 64 {
        return Err(Ended::Closed);
    }
    let (mut total, mut frames, mut messages) = (0_u64, 0_usize, 0_u64);
    loop {
        let flags = from.read_u8().await?;
        let long = flags & 2 != 0;
        let length = if long { from.read_u64().await? } else { u64::from(from.read_u8().await?) };
        if length > ABSURD {
            return Err(Ended::Refused(format!("it announces a frame of {length} bytes")));
        }
        total += length;
        frames += 1;
        if frames > FRAMES || total > ABSURD {
            return Err(Ended::Refused(format!("a message of {frames} frames and {total} bytes")));
        }
        // A message ends with a frame that says that no more follow; commands are messages of their own.
        let message_so_far = total;
        if flags & 1 == 0 {
            (total, frames) = (0, 0);
            messages += 1;
            if messages > most {
                return Err(Ended::Refused(format!("it sent {messages} messages where one is enough")));
            }
        }
        if message_so_far > LIMIT as u64 {
            eprintln!("refused a message: it has at least {message_so_far} bytes, the limit is {LIMIT} bytes");
            to.write_all(&[flags & !2, 0]).await?;
            let mut body = (&mut from).take(length);
            if tokio::io::copy(&mut body, &mut tokio::io::sink()).await? < length {
                return Err(Ended::Closed);
            }
            continue;
        }
        let mut header = [flags, 0, 0, 0, 0, 0, 0, 0, 0];
        if long {
            header[1..].copy_from_slice(&length.to_be_bytes());
            to.write_all(&header).await?;
        } else {
            // Less than 256, or it would have been a long frame.
            header[1] = length as u8;
            to.write_all(&header[..2]).await?;
        }
        let mut body = (&mut from).take(length);
        if tokio::io::copy_buf(&mut body, to).await? < length {
            return Err(Ended::Closed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_can_reach_the_inner_sockets() {
        let folder = private_folder().unwrap();
        assert!(!workbench_base::private::is_open(folder.path()).unwrap());
    }

    #[tokio::test]
    async fn a_socket_that_was_left_behind_is_taken_and_one_in_use_is_not() {
        let folder = private_folder().unwrap();
        let path = folder.path().join("s-1").display().to_string();
        drop(bind_socket(&path).unwrap());
        let _used = bind_socket(&path).unwrap();
        assert_eq!(bind_socket(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_closed_and_the_kernel_goes_on() {
        let (mut kernel, inner) = tokio::io::duplex(1 << 10);
        let (outer, mut client) = tokio::io::duplex(1 << 10);
        let drained = tokio::spawn(drain(inner, outer, 1 << 20));
        // More than all buffers, and less than the limit: nobody waits.
        kernel.write_all(&vec![7; 1 << 19]).await.unwrap();
        let mut read = vec![0; 1 << 19];
        client.read_exact(&mut read).await.unwrap();
        assert!(read.iter().all(|byte| *byte == 7));
        let sent = kernel.write_all(&vec![8; 3 << 20]).await;
        assert!(sent.is_err());
        assert!(matches!(drained.await.unwrap(), Err(Ended::Refused(why)) if why.contains("unread")));
    }

    fn frame(flags: u8, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![flags];
        if flags & 2 != 0 {
            bytes.extend((body.len() as u64).to_be_bytes());
        } else {
            bytes.push(body.len() as u8);
        }
        bytes.extend(body);
        bytes
    }

    fn passed(bytes: &[u8]) -> (Vec<u8>, Ended) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut out = Vec::new();
        let ended = runtime.block_on(pass(&mut &*bytes, &mut out, 100)).unwrap_err();
        (out, ended)
    }

    fn greeted(frames: &[Vec<u8>]) -> Vec<u8> {
        [vec![7; 64], frames.concat()].concat()
    }

    #[test]
    fn honest_messages_pass_byte_for_byte() {
        let bytes = greeted(&[frame(4, b"READY"), frame(1, b"a"), frame(3, &vec![9; 100_000]), frame(0, b"")]);
        let (out, ended) = passed(&bytes);
        assert!(out == bytes && matches!(ended, Ended::Closed));
    }

    #[test]
    fn a_frame_that_is_too_long_is_emptied_and_the_next_message_passes() {
        let bytes = greeted(&[frame(1, b"id"), frame(2, &vec![1; LIMIT + 1]), frame(0, b"next")]);
        let (out, _) = passed(&bytes);
        assert!(out == greeted(&[frame(1, b"id"), frame(0, b""), frame(0, b"next")]), "{} bytes", out.len());
    }

    #[test]
    fn absurd_lengths_and_endless_messages_close_the_connection() {
        let mut bytes = greeted(&[]);
        bytes.push(2);
        bytes.extend((1_u64 << 50).to_be_bytes());
        let (out, ended) = passed(&bytes);
        assert!(out.len() == 64 && matches!(ended, Ended::Refused(_)));
        let (out, ended) = passed(&greeted(&vec![frame(1, b"x"); FRAMES + 10]));
        assert!(out.len() < 64 + 3 * (FRAMES + 1) && matches!(ended, Ended::Refused(_)));
        let (_, ended) = passed(&greeted(&vec![frame(0, b"\x01topic"); 101]));
        assert!(matches!(ended, Ended::Refused(why) if why.contains("101 messages")));
        for cut in 0..70 {
            let (out, ended) = passed(&greeted(&[frame(0, b"abcdef")])[..cut]);
            assert!(out.len() <= cut && matches!(ended, Ended::Closed));
        }
    }
}
