//! Errors of a notebook that cannot be used.

use std::path::PathBuf;

use crate::error::Error;
use crate::names::{DISPLAY_NAME, KERNEL_NAME};

/// Why a notebook cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotebookError {
    /// No such file.
    #[error("no notebook {name:?}; there are: {known}")]
    Missing {
        /// What was asked for.
        name: String,
        /// The notebooks that exist.
        known: String,
    },
    /// The file cannot be read.
    #[error("cannot read notebook {path:?}: {source}; check the path and its permissions")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is not JSON.
    #[error(
        "notebook {path:?} is not valid JSON ({source}); restore it with `git checkout -- {path:?}` if it was committed, or mend that line: merge marks may stand there"
    )]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The format is older than 4.
    #[error(
        "notebook {path:?} has format {major}.{minor}, and 4.5 is needed: upgrade it with `jupyter nbconvert --to notebook --nbformat 4 --inplace {path:?}`, or open and save it in JupyterLab"
    )]
    OldFormat {
        /// The file.
        path: PathBuf,
        /// Format found.
        major: i64,
        /// Format found.
        minor: i64,
    },
    /// The format is newer than this program knows.
    #[error(
        "notebook {path:?} has format {major}.{minor}, newer than the 4.5 that this program knows: save it as 4.5 (`jupyter nbconvert --to notebook --nbformat 4`)"
    )]
    NewFormat {
        /// The file.
        path: PathBuf,
        /// Format found.
        major: i64,
        /// Format found.
        minor: i64,
    },
    /// JSON, but not a notebook.
    #[error(
        "notebook {path:?} does not follow its format: {why}; open and save it in JupyterLab, or restore it from the repository"
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The notebook asks for another kernel.
    #[error(
        "notebook {path:?} asks for {found}, not for {KERNEL_NAME:?}: choose \"{DISPLAY_NAME}\" in JupyterLab (Kernel, Change Kernel) and save it"
    )]
    ForeignKernel {
        /// The file.
        path: PathBuf,
        /// What it asks for.
        found: String,
    },
}

/// A notebook that cannot be used was asked for.
impl From<NotebookError> for Error {
    fn from(error: NotebookError) -> Error {
        Error::Asked(Box::new(error))
    }
}
