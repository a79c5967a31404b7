//! Staleness of rows: whether they speak of today's registry and notebook.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::cells::Cells;
use super::{Registry, Row, digest};

/// Why a row says nothing any more about today's statement or check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stale {
    /// The registry has no such claim.
    NoClaim,
    /// The registry's text of claim or check is another one.
    Statement,
    /// The code of the check, or of a cell before it, is another one.
    Code,
    /// The notebook or the cell that recorded it is gone.
    NoCell,
    /// The row does not say what it was computed from.
    NoDigest,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stale::NoClaim => "the registry does not have this claim",
            Stale::Statement => "its text in the registry has changed since it was computed",
            Stale::Code => "the code of its check has changed since it was computed",
            Stale::NoCell => "the cell that computed it is gone",
            Stale::NoDigest => "it does not say from which statement and code it was computed",
        })
    }
}

/// The digests of today's registry and notebooks.
#[derive(Clone, Debug, Default)]
pub struct Today {
    statements: HashMap<String, String>,
    codes: HashMap<(String, String), String>,
    checks: HashMap<String, String>,
}

impl Today {
    /// Takes the digests of a registry and of notebooks by name.
    pub fn new(registry: &Registry, notebooks: &BTreeMap<String, Cells>) -> Today {
        let statements = registry.claims().iter().map(|claim| (claim.id.clone(), digest::of_claim(claim)));
        let codes = notebooks
            .iter()
            .flat_map(|(name, cells)| cells.digests().into_iter().map(move |(id, code)| ((name.clone(), id), code)));
        let checks = registry.checks().iter();
        Today {
            statements: statements.collect(),
            codes: codes.collect(),
            checks: checks.map(|check| (check.claim.clone(), check.digest.clone())).collect(),
        }
    }

    /// The digest of a claim's row in the registry; empty if it has none.
    pub fn statement(&self, claim: &str) -> String {
        self.statements.get(claim).cloned().unwrap_or_default()
    }

    /// Why a row is stale, or nothing.
    pub fn stale(&self, row: &Row) -> Option<Stale> {
        if row.statement.is_empty() || row.code.is_empty() {
            return Some(Stale::NoDigest);
        }
        match self.statements.get(&row.claim) {
            None => return Some(Stale::NoClaim),
            Some(now) if *now != row.statement => return Some(Stale::Statement),
            Some(_) => {}
        }
        // A check in a file of its own is that file, whichever cell or program ran it.
        let now = self.checks.get(&row.claim);
        match now.or_else(|| self.codes.get(&(row.notebook.clone(), row.cell.clone()))) {
            None => Some(Stale::NoCell),
            Some(now) if *now != row.code => Some(Stale::Code),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;
    use std::path::Path;

    fn today(says: &str, cells: &[(&str, &str)]) -> Today {
        let text = format!(
            "[[paper]]\nid = \"m\"\ntitle = \"M\"\n[[claim]]\nid = \"m/a\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"lemma\"\n\
             says = \"{says}\"\nsetup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"n\"\n"
        );
        let registry = Registry::parse(&text, Path::new("claims.toml")).unwrap();
        let code = cells.iter().map(|(id, source)| (id.to_string(), source.to_string()));
        Today::new(&registry, &BTreeMap::from([("n".to_string(), Cells::new(code.collect()))]))
    }

    #[test]
    fn a_row_is_stale_when_its_statement_or_the_code_up_to_its_cell_changed() {
        let cells = [("c1", "let x = 1;"), ("c2", "record(x)"), ("c3", "plot(x)")];
        let before = today("says", &cells);
        let mut row = Row::blank("m/a", Scale::Quick, 1);
        row.notebook = "n".into();
        row.cell = "c2".into();
        assert_eq!(before.stale(&row), Some(Stale::NoDigest));
        row.statement = before.statement("m/a");
        row.code = before.codes[&("n".to_string(), "c2".to_string())].clone();
        assert_eq!(before.stale(&row), None);
        assert_eq!(today("other", &cells).stale(&row), Some(Stale::Statement));
        let with = |at: usize, source| {
            let mut changed = cells;
            changed[at].1 = source;
            today("says", &changed).stale(&row)
        };
        assert_eq!(with(0, "let x = 2;"), Some(Stale::Code));
        assert_eq!(with(0, "let x = 1; // the same"), None);
        assert_eq!(with(2, "plot(2 * x)"), None, "what comes after it does not matter");
        assert_eq!(today("says", &cells[..1]).stale(&row), Some(Stale::NoCell));
        row.claim = "m/b".into();
        assert_eq!(before.stale(&row), Some(Stale::NoClaim));
    }
}
