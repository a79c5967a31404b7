//! Errors of the registry and of the tables.

use std::path::PathBuf;

/// What went wrong, with the value at fault and the next thing to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // ---- the registry
    /// `claims.toml` cannot be parsed.
    #[error("reading the registry {path}: {problem}; correct the file at that place")]
    NotToml {
        /// The file.
        path: PathBuf,
        /// What the parser said, with line and column.
        problem: String,
    },
    /// Two rows of the registry carry the same id.
    #[error("registry {path}: {kind} id `{id}` occurs twice; ids are never reused, rename the later row")]
    DuplicateId {
        /// The file.
        path: PathBuf,
        /// `claim` or `paper`.
        kind: &'static str,
        /// The repeated id.
        id: String,
    },
    /// A row of the registry lacks a value.
    #[error(
        "registry {path}: field `{field}` of `{id}` is empty; write the value, or \"not given\" where the document gives none"
    )]
    EmptyField {
        /// The file.
        path: PathBuf,
        /// The row, or `row 12` where the id itself is empty.
        id: String,
        /// The field.
        field: &'static str,
    },
    /// A field whose values are a list has another value.
    #[error("registry {path}: `{field}` of `{id}` is `{value}`, and can be {known}")]
    UnknownWord {
        /// The file.
        path: PathBuf,
        /// The claim.
        id: String,
        /// The field.
        field: &'static str,
        /// Its value as written.
        value: String,
        /// The values that it can have, and the nearest of them as a question, if any is near.
        known: String,
    },
    /// A claim belongs to a document that the registry does not list.
    #[error(
        "registry {path}: `{id}` belongs to paper `{paper}`, which has no [[paper]] row (known: {known}); add the row or correct the name"
    )]
    UnknownPaper {
        /// The file.
        path: PathBuf,
        /// The claim.
        id: String,
        /// The paper as written.
        paper: String,
        /// The papers that exist.
        known: String,
    },
    /// The id of a document is no name.
    #[error(
        "registry {path}: the id of paper `{id}` must be letters, digits, `-`, `_` and `.`, not first; files and links are named after it"
    )]
    MalformedPaper {
        /// The file.
        path: PathBuf,
        /// The id as written.
        id: String,
    },
    /// A claim id is not `<paper>/<name>`.
    #[error(
        "registry {path}: id `{id}` must read `{paper}/<name>`, with one slash and a name of letters, digits, `-`, `_` and `.`, not first; \
         files and links are named after it"
    )]
    MalformedId {
        /// The file.
        path: PathBuf,
        /// The id as written.
        id: String,
        /// The paper of the row.
        paper: String,
    },
    /// A claim rests on a claim that the registry does not hold.
    #[error("registry {path}: `{id}` uses `{used}`, which is not in the registry{suggestion}")]
    UnknownUse {
        /// The file.
        path: PathBuf,
        /// The claim.
        id: String,
        /// What it names.
        used: String,
        /// The nearest ids as a question, or what to do when nothing is near.
        suggestion: String,
    },
    /// Claims rest on each other in a circle.
    #[error("registry {path}: claims use each other in a circle: {circle}; take one of these out of `uses`")]
    Circle {
        /// The file.
        path: PathBuf,
        /// `a -> b -> a`.
        circle: String,
    },
    /// A claim id that the registry does not hold.
    #[error("claim `{id}` is not in the registry{suggestion}")]
    UnknownClaim {
        /// The id as asked for.
        id: String,
        /// The nearest ids as a question, or what to do when nothing is near.
        suggestion: String,
    },
    /// A pattern of claim ids that selects nothing.
    #[error("pattern `{pattern}`: {problem}; `{} list` shows all ids", crate::program())]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        problem: String,
    },

    // ---- files
    /// An operation on a file failed.
    #[error("{operation} {path}: {cause}{hint}")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
        /// The next thing to try, with its leading separator.
        hint: &'static str,
    },
    /// A results file that exists does not read as one. It is left as it is.
    #[error(
        "{path}, line {line}: {problem}; the file is left untouched: restore it from version control, or move it away to begin a new one"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// Somebody else writes these tables.
    #[error("{folder} is being written by {holder}; {hint}")]
    Locked {
        /// The results folder.
        folder: PathBuf,
        /// Who holds the lock, as it said when it took it.
        holder: String,
        /// The next thing to try.
        hint: String,
    },
}

impl Error {
    /// An input/output error with the next thing to try chosen from its kind.
    pub fn io(operation: &'static str, path: impl Into<PathBuf>, cause: std::io::Error) -> Error {
        use std::io::ErrorKind as K;
        let hint = match cause.kind() {
            K::PermissionDenied if operation.starts_with("read") => "; see that you may read it",
            K::PermissionDenied | K::ReadOnlyFilesystem => {
                "; make the folder writable or name another one, with an option or, in a notebook, WORKBENCH_RESULTS"
            }
            K::StorageFull | K::QuotaExceeded => {
                "; free some space, or name a folder on another disk, in a notebook with WORKBENCH_RESULTS"
            }
            K::NotFound => "; check the path",
            K::NotADirectory => {
                "; a file is in the way of the folder: name another one, in a notebook with WORKBENCH_RESULTS"
            }
            K::InvalidData => "; it is no text in UTF-8: restore it from version control",
            K::IsADirectory => "; a folder is in the way of the file, take it away",
            _ => "",
        };
        Error::Io { operation, path: path.into(), cause, hint }
    }
}
