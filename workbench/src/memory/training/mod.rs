//! Training by descent on the cross-entropy loss: the matrix W with embeddings fixed, or embeddings too.
//!
//! **Source**: Section 3, B.5 and C of the paper.
//!
//! | in the paper | here | meaning |
//! | --- | --- | --- |
//! | `l(x, y; W)`, Eq. 9 | [`Trainer::loss`](super::Trainer::loss) | cross-entropy |
//! | Eq. 44 | [`Trainer::step`](super::Trainer::step) | one update on a batch |
//! | Eq. 10 | [`Gradient::Leading`](super::Gradient::Leading) | the update without its other classes |
//! | `f`, Eq. 11 and 45 | [`IdealUpdate`](super::IdealUpdate), [`Gradient::Ideal`](super::Gradient::Ideal) | the update without interference |
//! | `gamma` | [`Schedule`](super::Schedule) | learning rate |
//! | Adam, `beta_1 = beta_2 = 0` | [`Rule`](super::Rule) | what is done with a gradient |
//! | C.1 | [`Parametrization`](super::Parametrization) | scales of embeddings, first weights and rates |
//! | learned `e`, `u`; `u_y^T ReLU(e_x)` | [`LearnedTraining`](super::LearnedTraining) | the models of Fig. 11 and 12 |

#[cfg(test)]
mod agreement;
pub(in crate::memory) mod best_weights;
pub(in crate::memory) mod capacity;
pub(in crate::memory) mod curvature;
mod dense;
mod descent;
pub(in crate::memory) mod ideal;
mod kernels;
pub(in crate::memory) mod leading;
pub(in crate::memory) mod learned;
pub(in crate::memory) mod learned_run;
pub(in crate::memory) mod learned_runs;
pub(in crate::memory) mod measures;
pub(in crate::memory) mod method;
pub(in crate::memory) mod parametrization;
mod project;
mod readout;
pub(in crate::memory) mod rule;
pub(in crate::memory) mod runs;
pub(in crate::memory) mod schedule;
pub(in crate::memory) mod sectors;
pub(in crate::memory) mod study;
pub(in crate::memory) mod task;
pub(in crate::memory) mod trainer;
pub(in crate::memory) mod visits;
pub(in crate::memory) mod width;
