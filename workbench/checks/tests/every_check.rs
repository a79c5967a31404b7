//! Every check, as a test: at quick scale it gives the committed verdict, its wrong twins are told apart, and claim, file and notebook
//! cell lead to each other.

use std::path::{Path, PathBuf};

use workbench::checks::gradient_memory::{
    beyond_budget, beyond_frequency, beyond_once_seen, beyond_preconditioning, beyond_retention, beyond_update_rules,
};
use workbench::checks::{all, file_of};
use workbench::ledger::{Committed, Ledger, OwnCheck, Registry, Settings, Verdict};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn registry() -> Registry {
    Registry::read(&root().join("notebooks/claims.toml")).unwrap()
}

#[test]
fn every_check_gives_the_committed_verdict() {
    let (registry, results) = (registry(), tempfile::tempdir().unwrap());
    // Read once, before the copies are made.
    registry.checks();
    for check in all() {
        let mut settings = Settings::new(root().join("notebooks"));
        settings.results = results.path().to_path_buf();
        let notebook = &registry.get(check.claim).unwrap().notebook;
        let ledger = Ledger::with_registry(notebook, settings, registry.clone()).unwrap();
        let shown = ledger
            .check_any(&check)
            .unwrap_or_else(|error| panic!("{check:?}: {error}"));
        assert_eq!(
            shown.card().committed(),
            &Committed::Same,
            "{}: {}",
            file_of(&check),
            shown.card().text()
        );
    }
}

#[test]
fn claim_file_and_cell_lead_to_each_other() {
    let registry = registry();
    let known: Vec<String> = registry.checks().iter().map(|check| check.claim.clone()).collect();
    let mut listed: Vec<String> = all().iter().map(|check| check.claim.to_string()).collect();
    listed.sort();
    assert_eq!(known, listed, "checks in files, and in the list of all");
    for check in all() {
        let claim = registry.get(check.claim).unwrap();
        let found = registry.checks().of(check.claim).unwrap();
        assert_eq!(found.file, Path::new(&file_of(&check)));
        assert!(check.path.ends_with(&found.name), "{} {}", check.path, found.name);
        let text = std::fs::read_to_string(root().join(&found.file)).unwrap();
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let names_it = head.iter().any(|line| line.contains(&format!("`{}`", check.claim)));
        assert!(
            names_it,
            "{}: its head does not name {}",
            found.file.display(),
            check.claim
        );
        let notebook = root().join(format!("notebooks/{}.ipynb", claim.notebook));
        let cells = workbench::ledger::Cells::read(&notebook).unwrap();
        let recorded = cells
            .code()
            .iter()
            .any(|(_, source)| workbench::ledger::recorded_in(source, registry.checks()).contains(&claim.id));
        assert!(recorded, "{}: no cell of {} runs it", claim.id, claim.notebook);
        assert!(!check.plan.metric.is_empty() && !check.plan.against.is_empty());
        for margin in check.plan.margins {
            assert!(
                margin.reason.split_whitespace().count() > 3,
                "{}: margin {}",
                claim.id,
                margin.name
            );
        }
    }
}

#[test]
fn every_claim_of_our_own_holds_too() {
    fn holds<C: OwnCheck>(results: &Path) {
        let mut settings = Settings::new(root().join("notebooks"));
        settings.results = results.to_path_buf();
        let ledger = Ledger::with("gradient-memory-beyond", settings).unwrap();
        let shown = ledger
            .own(C::default())
            .unwrap_or_else(|error| panic!("{}: {error}", C::ID));
        assert_eq!(shown.card().verdict(), Verdict::Holds, "{}", shown.card().text());
    }
    let results = tempfile::tempdir().unwrap();
    holds::<beyond_update_rules::EveryRule>(results.path());
    holds::<beyond_update_rules::RulesThatAreOne>(results.path());
    holds::<beyond_retention::ByAge>(results.path());
    holds::<beyond_budget::Budget>(results.path());
    holds::<beyond_preconditioning::RatesAlongEigenvectors>(results.path());
    holds::<beyond_frequency::ByFrequency>(results.path());
    holds::<beyond_once_seen::OnceSeen>(results.path());
}
