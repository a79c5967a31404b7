//! Errors of the command line. Every message names the operation, the value and the next thing to try.
//!
//! This page knows none of the rooms above it: a room that has errors of its own turns them into [`Error::Asked`] or
//! [`Error::Room`] where it declares them, and thereby says which exit status they have.

use std::path::{Path, PathBuf};

/// Errors of set-up, runner, lab, export, doctor and bench.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No folder above the current one is the workspace.
    #[error("no Workbench workspace that can be read at or above {from:?}: {hint}")]
    NoWorkspace {
        /// Where the search began.
        from: PathBuf,
        /// What a folder lacks that is nearly one, or else where to go.
        hint: String,
    },
    /// A file or folder could not be read or written.
    #[error("cannot {operation} {path:?}: {source}; {hint}")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On which path.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
        /// The next thing to try.
        hint: &'static str,
    },
    /// A program could not be started.
    #[error("cannot start {program:?}: {source}; {hint}")]
    Start {
        /// The program.
        program: String,
        /// Why not.
        source: std::io::Error,
        /// The next thing to try.
        hint: String,
    },
    /// A program ended with a failure.
    #[error("{what} failed ({status}); {hint}{tail}")]
    Failed {
        /// What was being done.
        what: String,
        /// How the program ended.
        status: String,
        /// The next thing to try.
        hint: String,
        /// The last lines that the program wrote, with a leading newline, or nothing.
        tail: String,
    },
    /// OpenBLAS is needed and cannot be installed from here.
    #[error("OpenBLAS was not found by the linker and cannot be installed from here: {why}; {hint}")]
    NoOpenBlas {
        /// Why not.
        why: String,
        /// The next thing to try.
        hint: String,
    },
    /// Something of the GPU setting is missing or does not fit.
    #[error("cannot {what}: {why}; {hint}")]
    Cuda {
        /// What was tried.
        what: String,
        /// Why not.
        why: String,
        /// The next thing to try.
        hint: String,
    },
    /// Packages are missing and the network does not answer.
    #[error(
        "no network, and {count} of {total} packages of Cargo.lock are not in the local cargo cache ({first}); connect once and run `cargo fetch --locked`, or copy `registry/` of a cargo home that has them into {cargo_home:?}"
    )]
    NoNetwork {
        /// How many packages are missing.
        count: usize,
        /// How many the lock file names.
        total: usize,
        /// The first few of them.
        first: String,
        /// The cargo home that was looked into.
        cargo_home: PathBuf,
    },
    /// The Python environment cannot be made.
    #[error("cannot make the Python environment {path:?}: {why}; {hint}")]
    Python {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        why: String,
        /// The next thing to try.
        hint: String,
    },
    /// No free port for JupyterLab.
    #[error(
        "port {port} on 127.0.0.1 is in use{tried}; choose another with `--port N`, or stop the program that holds it (`ss -ltnp | grep {port}` names it)"
    )]
    PortInUse {
        /// The port asked for.
        port: u16,
        /// Which others were tried, or nothing.
        tried: String,
    },
    /// What was asked for is not there, or not what it has to be; a room says so in its own words.
    #[error(transparent)]
    Asked(Box<dyn std::error::Error + Send + Sync>),
    /// A room could not do its work; it says why in its own words.
    #[error(transparent)]
    Room(Box<dyn std::error::Error + Send + Sync>),
    /// The registry or a table of the record could not be used.
    #[error(transparent)]
    Record(#[from] workbench_record::Error),
    /// A table in the results folder could not be used.
    #[error("cannot {operation} {path:?}: {why}; {hint}")]
    Results {
        /// What was tried.
        operation: &'static str,
        /// On which table.
        path: PathBuf,
        /// Why not.
        why: String,
        /// The next thing to try.
        hint: &'static str,
    },
    /// An option has no sensible value.
    #[error("{option} = {value:?} cannot be used: {why}")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// Why not, and what to give.
        why: String,
    },
}

/// Result of a front-door operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The exit status that tells it from other failures: 2 for wrong use, 4 for a machine or a project that is not in order.
    pub fn status(&self) -> u8 {
        use workbench_record::Error as Record;
        match self {
            Error::NoWorkspace { .. }
            | Error::Asked(_)
            | Error::Option { .. }
            | Error::Record(Record::Pattern { .. } | Record::UnknownClaim { .. }) => 2,
            _ => 4,
        }
    }

    /// A file operation failed.
    pub fn io(operation: &'static str, path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind::*;
        let hint = match source.kind() {
            NotFound => "check the spelling of the path",
            PermissionDenied if ["read", "open"].contains(&operation) => "see that you may read it",
            PermissionDenied | ReadOnlyFilesystem => "make the folder writable, or name another one",
            AlreadyExists | NotADirectory | IsADirectory => {
                "a file stands where a folder is wanted, or the other way round: name another path"
            }
            StorageFull => "the disk is full: free some space (the command `doctor` shows how much is left)",
            _ => "the command `doctor` checks the usual causes",
        };
        Error::Io { operation, path: path.to_path_buf(), source, hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rooms_own_words_stay_and_their_kind_decides_the_status() {
        let (asked, room) = (Error::Asked("no such page".into()), Error::Room("no such machine".into()));
        assert_eq!((asked.to_string().as_str(), asked.status()), ("no such page", 2));
        assert_eq!((room.to_string().as_str(), room.status()), ("no such machine", 4));
    }

    #[test]
    fn a_full_disk_and_a_read_only_folder_are_named() {
        let full = Error::io("write", Path::new("a.csv"), std::io::ErrorKind::StorageFull.into());
        assert!(full.to_string().contains("disk is full"), "{full}");
        let read_only = Error::io("write", Path::new("a.csv"), std::io::ErrorKind::PermissionDenied.into());
        assert!(read_only.to_string().contains("writable"), "{read_only}");
        let file = Error::io("make", Path::new("a.csv"), std::io::ErrorKind::AlreadyExists.into());
        assert!(file.to_string().contains("name another path"), "{file}");
    }
}
