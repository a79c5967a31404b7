//! Errors of building the site. Each message names the claim, cell or file, and the next thing to try.

use std::path::PathBuf;

use workbench_record::Stale;

use workbench_base::error::Error;

/// What keeps a site from being built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// The folder holds something that is no site.
    #[error(
        "{path:?} holds something that is no site of Workbench, and stays as it is; name an empty or a new folder with --out"
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// The record speaks about another registry or about other checks.
    #[error("the record is not of today's sources: `{claim}` ({scale}, seed {seed}): {why}{more}; {next}")]
    OtherRecord {
        /// The first claim.
        claim: String,
        /// Its scale.
        scale: workbench_record::Scale,
        /// Its seed.
        seed: u64,
        /// Why.
        why: Stale,
        /// How many rows more, in words, or nothing.
        more: String,
        /// What to do about all of them.
        next: String,
    },
    /// A claim's row names a cell that its notebook does not have.
    #[error(
        "the page of `{claim}` has no cell to lead to: {notebook}.ipynb has no cell `{cell}`; run the notebook with \
         `{} run --notebook {notebook}`, or give the cell its id back",
        workbench_record::program()
    )]
    NoCell {
        /// The claim.
        claim: String,
        /// Its notebook.
        notebook: String,
        /// The cell that is missing.
        cell: String,
    },
    /// A text links a claim that the registry does not have.
    #[error(
        "{place} links `{claim}`, which the registry does not have; `{} lint notebooks` names all such links",
        workbench_record::program()
    )]
    UnknownLink {
        /// Notebook and cell, or the map.
        place: String,
        /// The id.
        claim: String,
    },
    /// A notebook has a name that no page can have.
    #[error(
        "notebook {notebook:?} can have no page of its name: it has other signs than letters, digits, blanks and `-_.+,()`; rename the file"
    )]
    Name {
        /// Its name.
        notebook: String,
    },
    /// A notebook cannot be read.
    #[error(
        "notebook {notebook} cannot be made a chapter: {why}; restore it with `git checkout`, or open and save it in JupyterLab"
    )]
    Notebook {
        /// Its name.
        notebook: String,
        /// Why not.
        why: String,
    },
    /// A file that a page shows is not there.
    #[error("the page of `{claim}` cannot show {path:?}: {why}; restore it with `git checkout`")]
    Source {
        /// The claim.
        claim: String,
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

impl From<SiteError> for Error {
    fn from(error: SiteError) -> Error {
        match error {
            SiteError::Occupied { .. } => Error::Asked(Box::new(error)),
            _ => Error::Room(Box::new(error)),
        }
    }
}
