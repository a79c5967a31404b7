//! The messaging protocol as bytes: a kernel process, and clients that see every message as the JSON that was sent.
//!
//! The runner's own client knows message types and drops what it does not know. A table that compares kernels must see
//! what each of them really sends, and tests of refusal must send what no honest client sends.
//!
//! | file | what it has |
//! | --- | --- |
//! | `process` | a kernel process: start, restart, interrupt, end |
//! | `peer` | one client: sockets, requests, waiting |
//! | `message` | frames read as messages, and what belongs to one request |

mod message;
mod peer;
mod process;

use std::path::PathBuf;
use std::sync::OnceLock;

use tokio::runtime::Runtime;

pub use message::{Exchange, Message, without_colours};
pub use peer::{Peer, execute_request};
pub use process::{Connection, Launch, Process};

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
