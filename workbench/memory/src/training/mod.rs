//! Training by descent on the cross-entropy loss: the matrix W with embeddings fixed, or embeddings too.
//!
//! **Source**: Section 3, B.5 and C of the paper; the table stands on the room's front page.

#[cfg(test)]
mod agreement;
pub(crate) mod best_weights;
pub(crate) mod capacity;
pub(crate) mod curvature;
mod dense;
mod descent;
pub(crate) mod hard_margin;
pub(crate) mod ideal;
mod kernels;
pub(crate) mod leading;
pub(crate) mod learned;
pub(crate) mod learned_runs;
pub(crate) mod learned_training;
pub(crate) mod measures;
pub(crate) mod method;
pub(crate) mod parametrization;
mod project;
mod readout;
pub(crate) mod rule;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schedule;
mod scratch;
pub(crate) mod sectors;
pub(crate) mod study;
pub(crate) mod task;
pub(crate) mod visits;
pub(crate) mod width;
