//! "Gradient steps as associative memory": its nine statements, and seven of our own that go on from them.

pub mod beyond_budget;
pub mod beyond_frequency;
pub mod beyond_once_seen;
pub mod beyond_preconditioning;
pub mod beyond_retention;
pub mod beyond_update_rules;
pub mod chain_rule;
pub mod definition_1;
pub mod gradient_step;
pub mod memory_is_map;
pub mod mlp_objective;
pub mod note_on_streaming;
pub mod reformulation;
pub mod reformulation_shorthand;
pub mod step_as_memory;

use workbench_checks_vocabulary as vocabulary;
use workbench_ledger::Check;

/// Its checks, in the order of the text.
pub fn all() -> Vec<Check> {
    vec![
        definition_1::CHECK,
        memory_is_map::CHECK,
        mlp_objective::CHECK,
        gradient_step::CHECK,
        chain_rule::CHECK,
        note_on_streaming::CHECK,
        reformulation::CHECK,
        reformulation_shorthand::CHECK,
        step_as_memory::CHECK,
    ]
}
