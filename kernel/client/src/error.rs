//! Errors of a kernel that cannot be used.

use std::path::PathBuf;

use jupyter_zmq_client::RuntimeError;

use workbench_base::error::Error;

/// Why a kernel cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The program did not start.
    #[error("cannot start the kernel {program:?}: {source}; the command `doctor` says what this machine lacks")]
    Start {
        /// The program.
        program: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The process ended before it answered.
    #[error("the kernel ended before it answered ({status}); its log is {log:?}{tail}")]
    EndedEarly {
        /// How it ended.
        status: String,
        /// Where it wrote.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
    /// The process runs and does not answer.
    #[error(
        "the kernel did not answer within {seconds:.0} s; its log is {log:?} (give it more time with --start-timeout){tail}"
    )]
    NoAnswer {
        /// How long we waited.
        seconds: f64,
        /// Where it writes.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
    /// A connection failed.
    #[error("cannot {operation}: {source}; another program may block connections on 127.0.0.1")]
    Connection {
        /// What was tried.
        operation: &'static str,
        /// Why not.
        source: RuntimeError,
    },
    /// A file of the session could not be written.
    #[error("cannot write {path:?} for the kernel: {source}; check the disk and the folder's permissions")]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

impl ClientError {
    /// Whether the kernel ended because another program was quicker to take one of its ports: worth another start.
    pub fn is_port_taken(&self) -> bool {
        matches!(self, ClientError::EndedEarly { tail, .. } if tail.contains("in use"))
    }
}

impl From<ClientError> for Error {
    fn from(error: ClientError) -> Error {
        Error::Room(Box::new(error))
    }
}
