//! Meta-training: the weights of a cell learned from roll-outs of the optimizer on tasks.
//!
//! | in the document (B.1) | here |
//! | --- | --- |
//! | sum of losses over a truncated roll-out of 5 steps | [`RolloutObjective`], [`Rollout::window`] |
//! | imitation of Adam's updates for the same inputs | [`RolloutObjective::imitation`], [`RolloutObjective::expert`] |
//! | random scaling, as in \[42\] | [`scales`] |
//! | gradient descent by Adam at $3\cdot10^{-4}$ on roll-outs of 100 steps | [`Training`], [`MetaTrainer`] |
//!
//! Gradients come from the adjoint of a window, with the inputs of the cell held fixed or not ([`Derivative`]), or without truncation
//! from [`Evolution`].

mod evolution;
mod problem;
mod rollout;
#[cfg(test)]
pub(crate) mod tests;
mod training;

pub use crate::cell::Tapes;
pub use evolution::{Evolution, EvolutionSettings, Noise};
pub use problem::{Drawn, Problem, ScaledProblem, scales};
pub use rollout::{Derivative, LossScale, Path, Rollout, RolloutObjective, WindowOutcome};
pub use training::{MetaTrainer, Training};
pub use workbench_ground::lanes::Precision;
