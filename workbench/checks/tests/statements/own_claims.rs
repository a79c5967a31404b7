//! Claims of our own, which the registry does not have and no committed verdict stands for: they hold.

use workbench_checks::gradient_memory::{
    beyond_budget, beyond_frequency, beyond_once_seen, beyond_preconditioning, beyond_retention, beyond_update_rules,
};
use workbench_ledger::{Ledger, Settings, Turned, Verdict};

use super::root;

#[test]
fn every_claim_of_our_own_holds_too() {
    let results = tempfile::tempdir().unwrap();
    let holds = |check: Turned| {
        let mut settings = Settings::new(root().join("notebooks"));
        settings.results = results.path().to_path_buf();
        let shown = Ledger::with("gradient-memory-beyond", settings).unwrap().own(check).unwrap();
        assert_eq!(shown.card().verdict(), Verdict::Holds, "{}", shown.card().text());
    };
    holds(beyond_update_rules::EveryRule::default().into());
    holds(beyond_update_rules::RulesThatAreOne::default().into());
    holds(beyond_retention::ByAge::default().into());
    holds(beyond_budget::Budget::default().into());
    holds(beyond_preconditioning::RatesAlongEigenvectors::default().into());
    holds(beyond_frequency::ByFrequency::default().into());
    holds(beyond_once_seen::OnceSeen::default().into());
}
