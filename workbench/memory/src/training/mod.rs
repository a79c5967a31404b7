//! Training by descent on the cross-entropy loss: the matrix W with embeddings fixed, or embeddings too.
//!
//! **Source**: Section 3, B.5 and C of the paper.
//!
//! | in the paper | here | meaning |
//! | --- | --- | --- |
//! | $\ell(x,y;W)$, Eq. 9 | [`TrainingRun::loss`](super::TrainingRun::loss) | cross-entropy |
//! | Eq. 44 | [`TrainingRun::step`](super::TrainingRun::step) | one update on a batch |
//! | Eq. 10 | [`Gradient::Leading`](super::Gradient::Leading) | the update without its other classes |
//! | $f$, Eq. 11 and 45 | [`IdealUpdate`](super::IdealUpdate), [`Gradient::Ideal`](super::Gradient::Ideal) | the update without interference |
//! | $\gamma$ | [`Schedule`](super::Schedule) | learning rate |
//! | Adam, $\beta_1=\beta_2=0$ | [`DescentRule`](super::DescentRule) | what is done with a gradient |
//! | C.1 | [`Parametrization`](super::Parametrization) | scales of embeddings, first weights and rates |
//! | learned $e$, $u$; $u_y^\top\mathrm{ReLU}(e_x)$ | [`LearnedTraining`](super::LearnedTraining) | the models of Fig. 11 and 12 |

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
