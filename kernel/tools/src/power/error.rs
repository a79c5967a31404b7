//! Errors of measuring the power of verdicts. Each message names what was asked for, its value, and the next thing to try.

use std::path::PathBuf;

use workbench_base::error::Error;
use workbench_base::text::agree;
use workbench_record::program;

/// What keeps faults from being hunted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PowerError {
    /// Without a fault the checks do not say what is committed.
    #[error(
        "without a fault {count} of {all} claims {} not say what is committed ({first}); make the record and the sources agree first: \
         `{} verify ID --full` shows such a claim",
        agree(*count, "does", "do"),
        program()
    )]
    NotCommitted {
        /// How many.
        count: usize,
        /// Of how many that were asked.
        all: usize,
        /// The first of them, and what they say.
        first: String,
    },
    /// A number that no fault has.
    #[error("--only {number}: the faults have the numbers 1 to {count}; `{} power --list` shows them", program())]
    NoFault {
        /// The number.
        number: u32,
        /// How many faults there are.
        count: usize,
    },
    /// A folder with something else in it.
    #[error("--out {}: it holds `{holds}`, which is none of this command's; name a new or an empty folder", folder.display())]
    NotOurs {
        /// The folder.
        folder: PathBuf,
        /// What else is there.
        holds: String,
    },
    /// Nothing can be planted.
    #[error("no fault can be planted: {why}")]
    NoSite {
        /// Why not.
        why: String,
    },
}

impl From<PowerError> for Error {
    fn from(cause: PowerError) -> Error {
        match cause {
            PowerError::NoFault { .. } | PowerError::NotOurs { .. } => Error::Asked(cause.into()),
            _ => Error::Room(cause.into()),
        }
    }
}
