//! Present state of registry, notebooks and sources, to judge rows by.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use workbench_record::{Cells, Registry, Row, Run, Stale, Tables, Today, cells, digest};

use workbench_base::error::Result;
use workbench_base::progress;
use workbench_setup::paths::Workspace;
use workbench_setup::paths::sources;

/// Registry, notebooks and sources as they are now.
#[derive(Clone, Debug)]
pub struct Present {
    /// All claims.
    pub registry: Registry,
    /// Names of the notebooks that can be read.
    pub notebooks: BTreeSet<String>,
    /// Digest of the sources.
    pub source: String,
    today: Today,
}

impl Present {
    /// Reads all three; a notebook that cannot be read is said on standard error, and rows from it count as stale.
    ///
    /// # Errors
    /// If the registry cannot be used or a source file cannot be read.
    pub fn read(workspace: &Workspace) -> Result<Present> {
        // Most of the time goes into digests, half of it into that of the sources.
        std::thread::scope(|scope| {
            let source = scope.spawn(|| digest::of_sources(workspace.root(), &sources(workspace.root())));
            let registry = Registry::read(&workspace.notebooks().join("claims.toml"))?;
            let (notebooks, broken) = cells::read_all(&workspace.notebooks())?;
            for (notebook, problem) in broken {
                progress::note(&format!("notebook {notebook} cannot be read: {problem}; its rows count as stale"));
            }
            let present = Present::new(registry, &notebooks, String::new());
            let source = source.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok(Present { source, ..present })
        })
    }

    /// From a registry, notebooks by name and the digest of the sources.
    pub fn new(registry: Registry, notebooks: &BTreeMap<String, Cells>, source: String) -> Present {
        Present {
            today: Today::new(&registry, notebooks),
            notebooks: notebooks.keys().cloned().collect(),
            registry,
            source,
        }
    }

    /// Why a row says nothing any more about today's statement or check, or nothing.
    pub fn stale(&self, row: &Row) -> Option<Stale> {
        self.today.stale(row)
    }

    /// Whether a run used other sources than today's. A mark, not a fault: most changes of the sources touch few checks.
    pub fn is_older(&self, run: Option<&Run>) -> bool {
        run.is_some_and(|run| !run.source.is_empty() && run.source != self.source)
    }

    /// Where the registry has a claim; behind all others if it does not have it.
    pub fn position(&self, claim: &str) -> usize {
        self.registry.position(claim).unwrap_or(usize::MAX)
    }

    /// The place of a claim in its document; empty if the registry does not have it.
    pub fn place(&self, claim: &str) -> &str {
        self.registry.get(claim).map_or("", |claim| claim.place.as_str())
    }
}

/// The runs of the tables by their identity.
pub fn runs(tables: &Tables) -> HashMap<&str, &Run> {
    tables.runs.iter().map(|run| (run.run.as_str(), run)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{row, run, workspace};
    use workbench_record::Scale;

    #[test]
    fn rows_and_runs_are_judged_by_what_stands_there() {
        let (folder, workspace) = workspace();
        let row = row(&workspace, "m/b", Scale::Quick, 1, "r1");
        let run = run(&workspace, "r1", Scale::Quick, 1);
        let before = Present::read(&workspace).unwrap();
        assert_eq!(before.stale(&row), None);
        assert!(!before.is_older(Some(&run)) && !before.is_older(None));
        assert_eq!((before.position("m/b"), before.position("m/zz")), (1, usize::MAX));
        assert_eq!(before.place("m/b"), "Lemma 1 | <x>");
        std::fs::write(folder.path().join("workbench/src/lib.rs"), "fn two() {}").unwrap();
        std::fs::write(folder.path().join("notebooks/memory-model.ipynb"), "{").unwrap();
        let after = Present::read(&workspace).unwrap();
        assert_eq!(after.stale(&row), Some(Stale::NoCell));
        assert!(after.is_older(Some(&run)));
        assert!(after.notebooks.is_empty());
    }

    #[test]
    fn a_registry_that_cannot_be_used_is_an_error() {
        let (folder, workspace) = workspace();
        std::fs::write(folder.path().join("notebooks/claims.toml"), "[[claim]").unwrap();
        assert!(Present::read(&workspace).unwrap_err().to_string().contains("claims.toml"));
    }
}
