//! Errors of a sweep. Every message names the operation, the value and the next thing to try.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What a sweep refuses or cannot finish.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A room refused or could not finish a task.
    #[error("{sweep}: at {point}, replicate {replicate}: {source}")]
    Task {
        /// The sweep.
        sweep: String,
        /// The grid point, as its draws are named.
        point: String,
        /// The replicate, from 0.
        replicate: u64,
        /// What the room said.
        source: Box<workbench_ground::Error>,
    },
    /// A name of no sweep.
    #[error("sweep plan: `{name}` names no sweep; one of {known}")]
    Unknown {
        /// The name.
        name: String,
        /// Those there are.
        known: String,
    },
    /// An option has no sensible value.
    #[error("{op}: {option} = {value} cannot be used: {next}")]
    Option {
        /// The operation.
        op: &'static str,
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What to give.
        next: String,
    },
    /// A shard that the plan does not have.
    #[error("sweep shard: no shard {index} in {folder}, the plan has {shards}; use 0 to {last}", last = shards - 1)]
    Index {
        /// The index asked for.
        index: u64,
        /// The plan's folder.
        folder: PathBuf,
        /// How many shards it has.
        shards: u64,
    },
    /// A folder without a plan.
    #[error("{op}: no plan in {folder}; make one with `cargo workbench sweep plan NAME --folder {folder}`")]
    NoPlan {
        /// The operation.
        op: &'static str,
        /// The folder.
        folder: PathBuf,
    },
    /// A plan that is not the one that was written.
    #[error("{op}: {path}: {problem}; restore the file, or plan anew in another folder")]
    Edited {
        /// The operation.
        op: &'static str,
        /// The plan.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A folder that holds another plan.
    #[error("sweep plan: {folder} holds another plan ({held}); choose another --folder, or remove that one")]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// The plan that is there, in words.
        held: String,
    },
    /// A program that was compiled from other sources than the one that planned.
    #[error(
        "{op}: {folder} was planned by a program of other sources ({planned}, this one {own}); use {folder}/workbench-sweep, or plan anew"
    )]
    OtherProgram {
        /// The operation.
        op: &'static str,
        /// The plan's folder.
        folder: PathBuf,
        /// Digest of the sources of the program that planned.
        planned: String,
        /// Digest of the sources of this program.
        own: String,
    },
    /// A file of data that does not read, or does not hold what it says.
    #[error("{op}: {path}: {problem}; remove it, and compute it again: `{again}`")]
    Damaged {
        /// The operation.
        op: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// The command that computes it again.
        again: String,
    },
    /// A sound file that does not belong where it stands.
    #[error("{op}: {path}: {problem}; move it away, it is no part of this plan")]
    Foreign {
        /// The operation.
        op: &'static str,
        /// The file.
        path: PathBuf,
        /// To what it belongs.
        problem: String,
    },
    /// Shards that are not there yet.
    #[error(
        "sweep merge: {missing} of {of} shards of {folder} are missing ({which}); `sweep shard --index K`, `sweep shard --all` or `sweep submit --slurm` computes them"
    )]
    Gaps {
        /// The plan's folder.
        folder: PathBuf,
        /// How many are missing.
        missing: u64,
        /// Of how many.
        of: u64,
        /// Which, as ranges.
        which: String,
    },
    /// Another process merges this plan.
    #[error("sweep merge: {folder} is being merged by {holder}; wait until it has ended, the result is the same")]
    Merging {
        /// The folder.
        folder: PathBuf,
        /// Who does.
        holder: String,
    },
    /// A scheduler that is not there, or refused.
    #[error("sweep submit: {problem}; {next}")]
    Scheduler {
        /// What is wrong.
        problem: String,
        /// The next thing to try.
        next: String,
    },
    /// A file operation failed.
    #[error("{op}: {path}: {source}; {next}")]
    Io {
        /// The operation.
        op: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
        /// The next thing to try.
        next: &'static str,
    },
    /// A table could not be built or encoded.
    #[error("{op}: {problem}; this is a fault of the sweep's definition, report it")]
    Table {
        /// The operation.
        op: &'static str,
        /// What polars or the definition said.
        problem: String,
    },
    /// The user, or a scheduler, asked to stop.
    #[error(
        "sweep shard: stopped as you asked, {done} of {of} tasks of shard {index} are kept; the same command goes on from there"
    )]
    Stopped {
        /// The shard.
        index: u64,
        /// Tasks that are kept.
        done: usize,
        /// Tasks of the shard.
        of: usize,
    },
    /// The lock or a table of the record could not be used.
    #[error(transparent)]
    Record(#[from] workbench_record::Error),
}

/// Result of an operation on a sweep.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The exit status that tells it from other failures, as those of the other commands.
    pub fn status(&self) -> u8 {
        match self {
            Error::Gaps { .. } => 1,
            Error::Unknown { .. }
            | Error::Option { .. }
            | Error::Index { .. }
            | Error::NoPlan { .. }
            | Error::OtherPlan { .. } => 2,
            Error::Task { .. } => 3,
            Error::Stopped { .. } => 130,
            _ => 4,
        }
    }

    /// A file operation that failed, with the next thing to try chosen from its kind.
    pub fn io(op: &'static str, path: impl AsRef<Path>, source: io::Error) -> Error {
        let next = match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "free some space and give the same command again: finished shards are kept"
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "make the folder writable, or plan in another"
            }
            ErrorKind::NotFound => "check the spelling of the path",
            _ => "give the same command again, finished shards are kept",
        };
        Error::Io { op, path: path.as_ref().to_path_buf(), source, next }
    }

    /// What polars or a definition said.
    pub fn table(op: &'static str, problem: impl ToString) -> Error {
        Error::Table { op, problem: problem.to_string() }
    }
}
