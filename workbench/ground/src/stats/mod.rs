//! Statistics that the notebooks stand on: intervals, slope fits, paired tests, quadrature, named random streams.
//!
//! Every interval is returned as an [`Estimate`] at the house confidence [`CONFIDENCE`]; the `_at` variants take another.
//! Every random number comes from a named [`Stream`] of [`Streams`].
//!
//! | question | call |
//! | --- | --- |
//! | what is the mean, and how sure | [`mean`] |
//! | a median or another quantile | [`quantile`] |
//! | how often does it succeed | [`proportion`] |
//! | any other statistic of independent units | [`bootstrap()`] |
//! | the exponent of a power law | [`power_fit`], [`power_fit_runs`] |
//! | where is the log-log plot straight | [`local_slopes`] |
//! | is A better than B on the same problems | [`paired_difference`] |
//! | the same with different problems or seeds for each | [`difference`] |
//! | runs on a grid of methods, dimensions and the like, found by name | [`Runs`] |
//! | an expectation under N(0, 1) | [`gauss_hermite`] |
//! | any other integral | [`integrate`], [`integrate_between`] |
//! | sums of numbers too large or small to write down | [`log_sum_exp`], [`LogSum`] |
//! | the largest or the least of what was computed, one of which may be NaN | [`largest_of`], [`least_of`] |
//! | tails of the beta and of Student's law | [`beta_tails`], [`student_tail`] |
//! | Zipf sums and tails | [`zeta_tail`], [`sum_of_powers`] |

mod adaptive;
mod arrays;
mod bootstrap;
mod logspace;
mod means;
mod paired;
#[cfg(test)]
mod properties;
mod quadrature;
mod runs;
mod slope;
mod slope_runs;
mod special;
#[cfg(test)]
mod stopping;
mod streams;
mod student;
mod window;
mod zeta;

pub use crate::Error;
pub use crate::estimate::{CONFIDENCE, Estimate};
pub use crate::extremes::{largest_of, least_of};
pub use adaptive::{Integral, integrate, integrate_between};
pub use arrays::{normal_array2, normal_f32, orthonormal, orthonormalized, unit_sphere};
pub use bootstrap::{bootstrap, bootstrap_at};
pub use logspace::{LogSum, log_add_exp, log_diff_exp, log_mean_exp, log_sum_exp, log1m_exp};
pub use means::{mean, mean_at, median, proportion, proportion_at, quantile, quantile_at};
pub use paired::{difference, difference_at, paired_difference, paired_difference_at};
pub use quadrature::gauss_hermite;
pub use runs::{Label, Runs};
pub use slope::{PowerFit, power_fit, power_fit_at};
pub use slope_runs::{power_fit_runs, power_fit_runs_at};
pub use special::{beta_tails, normal_cdf, normal_quantile};
pub use streams::{Stream, Streams};
pub use student::{student_quantile, student_tail};
pub use window::local_slopes;
pub use zeta::{sum_of_powers, zeta_tail};
