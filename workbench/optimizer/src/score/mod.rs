//! Score of an optimizer on a task: runs with named seeds, losses against steps and against CPU time, rates tuned on seeds of
//! their own.
//!
//! **Source**: Mnemosyne appendix, B.1 and Figs. 10 and 11, which print losses against steps; CPU time is ours.
//!
//! | item | what it is |
//! | --- | --- |
//! | [`Protocol`] | how long, how often validated, on how many batches |
//! | [`run`] | one optimizer on one task with one seed: a [`Run`] |
//! | [`run_with`], [`run_each`] | the same with an [`Optimizer`](crate::Optimizer), from one seed or from many, side by side |
//! | [`rates`], [`tune`], [`tune_watched`] | a grid of learning rates, and the best of them on tuning seeds |
//! | [`Purpose`] | keeps tuning, training and evaluation on different streams |
//! | [`cpu_seconds`] | time that this thread was computing |

mod clock;
mod each;
mod grid;
mod runs;

pub use clock::cpu_seconds;
pub use each::run_each;
pub use grid::{Tuned, rates, tune, tune_watched};
pub use runs::{Protocol, Purpose, Run, run, run_with};
