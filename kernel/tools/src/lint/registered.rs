//! Claims of the registry whose notebook, or whose cell in it, is not there.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use workbench_base::notebook::Notebook;
use workbench_record::{Claim, Registry};

/// The claims that the cells of each notebook record.
#[derive(Clone, Debug, Default)]
pub struct Recorded(HashMap<String, HashSet<String>>);

impl Recorded {
    /// Adds those of a notebook.
    pub fn add(&mut self, notebook: &Notebook, registry: &Registry) {
        let name = notebook.name();
        let claims = notebook.cells().iter().flat_map(|cell| registry.recorded_in(&name, &cell.source)).collect();
        self.0.insert(name, claims);
    }

    /// Claims that no cell of their notebook records, and that do not say why.
    pub fn without_cells(&self, registry: &Registry) -> Vec<String> {
        let is_due = |claim: &&Claim| {
            claim.open.is_empty() && self.0.get(&claim.notebook).is_some_and(|claims| !claims.contains(&claim.id))
        };
        let told = registry.claims().iter().filter(is_due).map(|Claim { id, notebook, .. }| {
            format!(
                "claims.toml, {id}: no cell of `{notebook}` records it; call `ledger.check(...)` with its check there, or say in `open` \
                 why none does yet"
            )
        });
        told.collect()
    }
}

/// Claims whose notebook is not there, and that do not say why.
pub fn missing_notebooks(registry: &Registry, folder: &Path) -> Vec<String> {
    let is_there = |claim: &Claim| folder.join(format!("{}.ipynb", claim.notebook)).is_file();
    let missing = registry.claims().iter().filter(|claim| claim.open.is_empty() && !is_there(claim));
    let told = missing.map(|claim| {
        format!(
            "claims.toml, {}: there is no notebook `{}`; write it, correct the name, or say in `open` why none checks the claim yet",
            claim.id, claim.notebook
        )
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::super::style::tests::notebook;
    use super::*;

    #[test]
    fn a_claim_without_its_notebook_or_its_cell_is_named_unless_it_says_why() {
        let claim = |name: &str, notebook: &str, open: &str| {
            format!(
                "[[claim]]\nid = \"m/{name}\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\nsetup = \"s\"\n\
                 check = \"c\"\nreach = \"gpu\"\nnotebook = \"{notebook}\"\nopen = \"{open}\"\n"
            )
        };
        let claims =
            [("a", "n", ""), ("b", "n", ""), ("c", "n", "no data"), ("d", "gone", ""), ("e", "later", "no data")];
        let claims: String = claims.map(|(name, notebook, open)| claim(name, notebook, open)).concat();
        let text = format!("[[paper]]\nid = \"m\"\ntitle = \"M\"\n{claims}");
        let registry = Registry::parse(&text, Path::new("claims.toml")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("n.ipynb"), "").unwrap();
        let told = missing_notebooks(&registry, folder.path());
        assert!(told.len() == 1 && told[0].starts_with("claims.toml, m/d: there is no notebook `gone`"), "{told:?}");
        let mut recorded = Recorded::default();
        assert_eq!(recorded.without_cells(&registry), [""; 0], "no notebook was looked at");
        recorded.add(&notebook(&[("code", "ledger.record(\"m/a\", evidence)?")]), &registry);
        let told = recorded.without_cells(&registry);
        assert!(told.len() == 1 && told[0].starts_with("claims.toml, m/b: no cell of `n` records it"), "{told:?}");
    }
}
