//! In-context linear regression: laws of the tasks, batches of prompts, and the few numbers per prompt that a model sees.

pub(super) mod batch;
pub(super) mod law;
pub(super) mod statistics;
