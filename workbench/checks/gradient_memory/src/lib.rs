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

include!(concat!(env!("OUT_DIR"), "/all.rs"));
