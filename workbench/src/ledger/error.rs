//! Everything that can go wrong between a cell and the ledger file.

use std::path::PathBuf;

use super::card::VerdictCard;

/// What went wrong in the ledger, with the value at fault and the next thing to try.
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
    /// A claim id is not `<paper>/<name>`.
    #[error("registry {path}: id `{id}` must read `{paper}/<name>`, with one slash and no spaces")]
    MalformedId {
        /// The file.
        path: PathBuf,
        /// The id as written.
        id: String,
        /// The paper of the row.
        paper: String,
    },
    /// A claim id that the registry does not hold.
    #[error("claim `{id}` is not in the registry{suggestion}")]
    UnknownClaim {
        /// The id as asked for.
        id: String,
        /// The nearest ids as a question, or what to do when nothing is near.
        suggestion: String,
    },

    // ---- the session
    /// The user has asked to stop, so what a cell has computed may be a part of what it was to compute.
    #[error(
        "nothing recorded for claim `{id}`: you asked to stop, and evidence computed so far may come from a part of the work; run the cell again to its end"
    )]
    StopRequested {
        /// The claim.
        id: String,
    },
    /// The notebooks folder was not found.
    #[error(
        "no `claims.toml` in {start}, in a `notebooks` folder there, or above; start the notebook from the project or set WORKBENCH_NOTEBOOKS"
    )]
    NoRegistry {
        /// Where the search began.
        start: PathBuf,
    },
    /// An environment variable, or the file it names, has an unusable value.
    #[error("{name} is `{value}`: {problem}")]
    Setting {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A notebook name that cannot be one.
    #[error(
        "`{name}` is not a notebook name; use the file's name without folder, as in Ledger::open(\"heavy-tailed-model\")"
    )]
    NotebookName {
        /// The name as given.
        name: String,
    },
    /// A claim is recorded in a notebook that the registry does not give it to.
    #[error(
        "claim `{claim}` belongs to notebook `{right}`, this is `{here}`; record it there, or change its `notebook` in claims.toml"
    )]
    WrongNotebook {
        /// The claim.
        claim: String,
        /// The notebook of its registry row.
        right: String,
        /// The notebook that tried.
        here: String,
    },
    /// A claim is recorded twice in a session.
    #[error(
        "claim `{claim}` is recorded twice: by cell {first} and by cell {second}; keep one (after moving a check, rerun the Ledger::open cell)"
    )]
    RecordedTwice {
        /// The claim.
        claim: String,
        /// The cell that recorded it first, with its execution count.
        first: String,
        /// The cell that tried again.
        second: String,
    },

    // ---- evidence
    /// A finding that decides nothing: not a number, empty, or unable to fail.
    #[error("finding `{label}`: {problem}")]
    BadFinding {
        /// The finding's label.
        label: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The evidence for a claim was refused.
    #[error("claim `{claim}`: {cause}")]
    RefusedEvidence {
        /// The claim.
        claim: String,
        /// Why.
        #[source]
        cause: Box<Error>,
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
        #[source]
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
    /// Another process holds the ledger for too long.
    #[error("{path} is locked by another process for {seconds} s; end that run, then rerun the cell")]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long we waited.
        seconds: u64,
    },
    /// The verdict was derived but its row could not be written.
    #[error("{}", not_written(card, path, cause, fallback.as_deref()))]
    NotWritten {
        /// The card with the row that would have been written.
        card: Box<VerdictCard>,
        /// Where the row would have gone.
        path: PathBuf,
        /// Why it did not.
        #[source]
        cause: Box<Error>,
        /// Where a copy of the row lies instead.
        fallback: Option<PathBuf>,
    },

    // ---- export
    /// A table could not be built or encoded.
    #[error("{operation}: {problem}")]
    Table {
        /// What was being built.
        operation: &'static str,
        /// What polars said.
        problem: String,
    },
}

impl Error {
    /// The card of a verdict that was derived but not written, so that nothing computed is lost.
    pub fn card(&self) -> Option<&VerdictCard> {
        match self {
            Error::NotWritten { card, .. } => Some(card),
            _ => None,
        }
    }

    /// An input/output error with the next thing to try chosen from its kind.
    pub(crate) fn io(operation: &'static str, path: impl Into<PathBuf>, cause: std::io::Error) -> Error {
        use std::io::ErrorKind as K;
        let hint = match cause.kind() {
            K::PermissionDenied | K::ReadOnlyFilesystem => {
                "; make the folder writable or set WORKBENCH_RESULTS to one that is"
            }
            K::StorageFull | K::QuotaExceeded => "; free some space or set WORKBENCH_RESULTS to another disk",
            K::NotFound => "; check the path",
            K::NotADirectory => "; a file is in the way of the folder, set WORKBENCH_RESULTS",
            _ => "",
        };
        Error::Io {
            operation,
            path: path.into(),
            cause,
            hint,
        }
    }
}

fn not_written(
    card: &VerdictCard,
    path: &std::path::Path,
    cause: &Error,
    fallback: Option<&std::path::Path>,
) -> String {
    let saved = match fallback {
        Some(copy) => format!("a copy of the row is in {}", copy.display()),
        None => "no copy could be saved in the temp folder either".to_string(),
    };
    format!(
        "the verdict of `{}` is \"{}\", but its row did not reach {}: {cause}; {saved}. Rerun the cell once that is mended.\n{}",
        card.row().claim,
        card.row().verdict,
        path.display(),
        card.text()
    )
}
