//! Problems that an audit finds, one line each.

use std::fmt;

use super::{Scale, Verdict};

/// One disagreement, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A notebook cannot be read as one.
    Notebook {
        /// Its name.
        notebook: String,
        /// Why.
        problem: String,
    },
    /// A cell names a claim that does not exist.
    UnknownId {
        /// The notebook.
        notebook: String,
        /// The cell.
        cell: String,
        /// The message with suggestions.
        problem: String,
    },
    /// A cell calls the ledger with an id that is not a string literal.
    OpaqueId {
        /// The notebook.
        notebook: String,
        /// The cell.
        cell: String,
        /// `record` or `not_tested`.
        method: String,
    },
    /// A cell runs a check that no file holds, or several.
    UnknownCheck {
        /// The notebook.
        notebook: String,
        /// The cell.
        cell: String,
        /// The path of its type, as written.
        path: String,
    },
    /// A claim is recorded in two places.
    Repeated {
        /// The claim.
        claim: String,
        /// Notebook and cell of each place.
        cells: Vec<String>,
    },
    /// A cell records a claim of another notebook.
    WrongNotebook {
        /// The claim.
        claim: String,
        /// The notebook of its registry row.
        right: String,
        /// The notebook of the cell.
        here: String,
        /// The cell.
        cell: String,
    },
    /// A claim of an existing notebook has no cell.
    NoCell {
        /// The claim.
        claim: String,
        /// The notebook.
        notebook: String,
    },
    /// A ledger row refers to something that is not there.
    Row {
        /// The claim.
        claim: String,
        /// The scale.
        scale: Scale,
        /// The seed.
        seed: u64,
        /// What is missing.
        problem: String,
    },
    /// A verdict is not the committed one.
    Differs {
        /// The claim.
        claim: String,
        /// The scale.
        scale: Scale,
        /// The seed.
        seed: u64,
        /// The committed verdict.
        expected: Verdict,
        /// The verdict of the row.
        found: Verdict,
    },
    /// A verdict is committed and no row has it.
    Missing {
        /// The claim.
        claim: String,
        /// The scale.
        scale: Scale,
        /// The committed verdict.
        expected: Verdict,
    },
    /// A finding at paper scale is decided by its own interval only, not at the level of the whole record.
    Family {
        /// The claim.
        claim: String,
        /// The seed.
        seed: u64,
        /// What is compared.
        what: String,
    },
    /// A file cannot be read or is not what it should be.
    File(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Notebook { notebook, problem } => {
                write!(f, "notebook {notebook}: {problem}")
            }
            Problem::UnknownId { notebook, cell, problem } => write!(f, "notebook {notebook}, {cell}: {problem}"),
            Problem::OpaqueId { notebook, cell, method } => {
                write!(f, "notebook {notebook}, {cell}: `ledger.{method}` needs the claim id as a string literal")
            }
            Problem::UnknownCheck { notebook, cell, path } => write!(
                f,
                "notebook {notebook}, {cell}: `ledger.check({path} ..)` names no check that stands in a file of the project, or several of them"
            ),
            Problem::Repeated { claim, cells } => {
                write!(f, "claim {claim}: recorded {} times: {}", cells.len(), cells.join("; "))
            }
            Problem::WrongNotebook { claim, right, here, cell } => {
                write!(f, "claim {claim}: recorded in notebook {here}, {cell}, but the registry gives it to {right}")
            }
            Problem::NoCell { claim, notebook } => {
                write!(f, "claim {claim}: no cell of notebook {notebook} records it; add record or not_tested")
            }
            Problem::Row { claim, scale, seed, problem } => {
                write!(f, "ledger row {claim} ({scale}, seed {seed}): {problem}")
            }
            Problem::Differs { claim, scale, seed, expected, found } => {
                write!(f, "claim {claim} ({scale}, seed {seed}): {found}, committed is {expected}")
            }
            Problem::Missing { claim, scale, expected } => {
                write!(f, "claim {claim} ({scale}): no row, committed is {expected}")
            }
            Problem::Family { claim, seed, what } => write!(
                f,
                "claim {claim} (paper, seed {seed}): \"{what}\" is decided by its own interval, but does not stand at the family-wise \
                 level of {} % (Holm); draw more",
                100.0 * super::LEVEL
            ),
            Problem::File(problem) => f.write_str(problem),
        }
    }
}
