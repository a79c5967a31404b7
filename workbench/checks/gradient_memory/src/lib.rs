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
use workbench_ledger::{Check, typed};

/// Its checks, in the order of the text.
pub fn all() -> Vec<Check> {
    vec![
        typed::<definition_1::BestMap>(),
        typed::<memory_is_map::MemoryIsMap>(),
        typed::<mlp_objective::TrainingProblem>(),
        typed::<gradient_step::OuterProduct>(),
        typed::<chain_rule::ChainRule>(),
        typed::<note_on_streaming::PredictThenUpdate>(),
        typed::<reformulation::Argmin>(),
        typed::<reformulation_shorthand::Shorthand>(),
        typed::<step_as_memory::ManySteps>(),
    ]
}
