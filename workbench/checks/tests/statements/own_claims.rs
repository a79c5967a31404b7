//! Claims of our own, which the registry does not have and no committed verdict stands for: they hold.

use std::path::Path;

use workbench_checks::gradient_memory::{
    beyond_budget, beyond_frequency, beyond_once_seen, beyond_preconditioning, beyond_retention, beyond_update_rules,
};
use workbench_ledger::{Ledger, OwnCheck, Settings, Verdict};

use super::root;

#[test]
fn every_claim_of_our_own_holds_too() {
    fn holds<C: OwnCheck>(results: &Path) {
        let mut settings = Settings::new(root().join("notebooks"));
        settings.results = results.to_path_buf();
        let ledger = Ledger::with("gradient-memory-beyond", settings).unwrap();
        let shown = ledger.own(C::default()).unwrap_or_else(|error| panic!("{}: {error}", C::ID));
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
