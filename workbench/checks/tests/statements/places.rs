//! Places of a claim: its file, its check and its notebook's cell lead to each other.

use workbench_checks::all;
use workbench_ledger::{Cells, Registry};

use super::root;

#[test]
fn claim_file_and_cell_lead_to_each_other() {
    let registry = Registry::read(&root().join("notebooks/claims.toml")).unwrap();
    let known: Vec<String> = registry.checks().iter().map(|check| check.claim.clone()).collect();
    let mut listed: Vec<String> = all().iter().map(|check| check.claim.to_string()).collect();
    listed.sort();
    assert_eq!(known, listed, "checks in files, and in the list of all");
    for check in all() {
        let claim = registry.get(check.claim).unwrap();
        let found = registry.checks().of(check.claim).unwrap();
        let text = std::fs::read_to_string(root().join(&found.file)).unwrap();
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let names_it = head.iter().any(|line| line.contains(&format!("`{}`", check.claim)));
        assert!(names_it, "{}: its head does not name {}", found.file.display(), check.claim);
        let notebook = root().join(format!("notebooks/{}.ipynb", claim.notebook));
        let cells = Cells::read(&notebook).unwrap();
        let recorded =
            cells.code().iter().any(|(_, source)| registry.recorded_in(&claim.notebook, source).contains(&claim.id));
        assert!(recorded, "{}: no cell of {} runs it", claim.id, claim.notebook);
        assert!(!check.metric.is_empty() && !check.against.is_empty(), "{}", claim.id);
    }
}
