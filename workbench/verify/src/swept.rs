//! Merged sweeps for checks: the one place that knows both. Checks ask for rows by a sweep's name, sweeps know no checks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use workbench_ledger::{Scale, Sweeps, Swept};
use workbench_program::verify::Merged;
use workbench_sweep::{Taken, commit, sweeps};

/// Names the folder where no option does.
const VARIABLE: &str = "WORKBENCH_SWEEPS";

/// A folder with a folder for each sweep, and the commit that they have to be of.
#[derive(Clone, Debug)]
pub struct Folder {
    folder: PathBuf,
    commit: String,
}

impl Folder {
    /// The folder of the option, or else of the environment; today's commit is that of the work tree of `notebooks`.
    ///
    /// # Errors
    /// A folder that is none: it would make every sweep missing.
    pub fn of(option: Option<&Path>, notebooks: &Path) -> Result<Merged, String> {
        let (folder, named) = match (option, std::env::var_os(VARIABLE)) {
            (Some(folder), _) => (folder.to_path_buf(), "--sweeps"),
            (None, Some(folder)) if !folder.is_empty() => (folder.into(), VARIABLE),
            _ => return Ok(None),
        };
        if !folder.is_dir() {
            return Err(format!(
                "verify: {named} names {}, which is no folder; name the one that holds the sweeps' folders, as DIR in DIR/error-curves",
                folder.display()
            ));
        }
        let commit = commit(notebooks);
        Ok(Some(Arc::new(Folder { folder, commit })))
    }
}

impl Sweeps for Folder {
    fn result(&self, sweep: &str, scale: Scale, seed: u64) -> Result<Swept, String> {
        let sweep = sweeps::named(sweep).map_err(|error| format!("sweep missing: {error}"))?;
        let taken = sweep.result(&self.folder.join(sweep.name), &self.commit).of(scale, seed);
        match &taken {
            Taken::Found(found) => Ok(Swept::new(taken.sentence(), found.numbers())),
            Taken::Missing(_) | Taken::Stale(_) => Err(taken.sentence()),
        }
    }
}
