//! Claims of our own, which the registry does not have and no committed verdict stands for: they hold.

use workbench_checks::gradient_memory::{
    beyond_budget, beyond_frequency, beyond_once_seen, beyond_preconditioning, beyond_retention, beyond_update_rules,
};
use workbench_ledger::{Check, Ledger, Settings, Verdict};

use super::root;

#[test]
fn every_claim_of_our_own_holds_too() {
    let results = tempfile::tempdir().unwrap();
    let holds = |check: Check| {
        let mut settings = Settings::new(root().join("notebooks"));
        settings.results = results.path().to_path_buf();
        let shown = Ledger::with("gradient-memory-beyond", settings).unwrap().own(check).unwrap();
        assert_eq!(shown.card().verdict(), Verdict::Holds, "{}", shown.card().text());
    };
    holds(beyond_update_rules::EVERY_RULE);
    holds(beyond_update_rules::RULES_THAT_ARE_ONE);
    holds(beyond_retention::CHECK);
    holds(beyond_budget::CHECK);
    holds(beyond_preconditioning::CHECK);
    holds(beyond_frequency::CHECK);
    holds(beyond_once_seen::CHECK);
}
