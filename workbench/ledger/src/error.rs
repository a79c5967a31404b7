//! Everything that can go wrong between a cell and the ledger file.

use std::path::PathBuf;

use super::card::VerdictCard;

/// What went wrong in the ledger, with the value at fault and the next thing to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The registry or the tables cannot be used.
    #[error(transparent)]
    Record(#[from] workbench_record::Error),

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
    /// A knob of a check that cannot stand where it was turned to.
    #[error("knob \"{name}\": {problem}")]
    Knob {
        /// Its name.
        name: String,
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
    /// A notebook that is neither in the registry nor in the folder.
    #[error(
        "no claim of {} belongs to a notebook `{name}`, and there is no {name}.ipynb beside it{suggestion} For claims of your own there is \
         Ledger::scratch(\"{name}\")", registry.display()
    )]
    NoNotebook {
        /// The name as given.
        name: String,
        /// The registry.
        registry: PathBuf,
        /// The nearest names as a question.
        suggestion: String,
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

    /// A claim of one's own has the id of a registered one, or none.
    #[error("`{id}` cannot name a claim of your own: {problem}")]
    OwnClaim {
        /// The id as given.
        id: String,
        /// What is wrong and what would be right.
        problem: &'static str,
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
    /// The computation of a check came to no end.
    #[error("check of `{claim}`: {cause}")]
    CheckFailed {
        /// The claim.
        claim: String,
        /// The error of its computation.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The evidence for a claim was refused.
    #[error("claim `{claim}`: {cause}")]
    RefusedEvidence {
        /// The claim.
        claim: String,
        /// Why.
        cause: Box<Error>,
    },

    // ---- files
    /// The verdict was derived but its row could not be written.
    #[error("{}", not_written(card, path, cause, fallback.as_deref()))]
    NotWritten {
        /// The card with the row that would have been written.
        card: Box<VerdictCard>,
        /// Where the row would have gone.
        path: PathBuf,
        /// Why it did not.
        cause: Box<workbench_record::Error>,
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
}

fn not_written(
    card: &VerdictCard,
    path: &std::path::Path,
    cause: &workbench_record::Error,
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
