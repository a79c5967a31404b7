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
use workbench_ledger::AnyCheck;

/// Its checks, in the order of the text.
pub fn all() -> Vec<AnyCheck> {
    vec![
        AnyCheck::of::<definition_1::BestMap>(),
        AnyCheck::of::<memory_is_map::MemoryIsMap>(),
        AnyCheck::of::<mlp_objective::TrainingProblem>(),
        AnyCheck::of::<gradient_step::OuterProduct>(),
        AnyCheck::of::<chain_rule::ChainRule>(),
        AnyCheck::of::<note_on_streaming::PredictThenUpdate>(),
        AnyCheck::of::<reformulation::Argmin>(),
        AnyCheck::of::<reformulation_shorthand::Shorthand>(),
        AnyCheck::of::<step_as_memory::ManySteps>(),
    ]
}
