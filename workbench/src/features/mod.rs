//! Positive random features of the softmax kernel, and memories made of them.
//!
//! Source: appendix A.1 of "Mnemosyne" (Jain et al.), after "Rethinking Attention with Performers" and "Chefs' Random Tables".
//!
//! | in the paper | here | shape | meaning |
//! | --- | --- | --- | --- |
//! | `N`, `r`, `M` | `dim`, `r`, rows of a matrix | | dimension, features, patterns |
//! | `w_1, ..., w_r` | [`Draws`], [`Ensemble`] | `(projections, dim)` | projections, independent or orthogonal in blocks |
//! | `phi_F+`, `phi_HF+`, `phi_F++` | [`FeatureMap`], [`MapKind`] | `(dim)` to `(r)` | feature maps, as logarithms |
//! | `A-hat`, `rho` | `a_hat`, [`a_hat`], [`printed_a_hat`] | | parameter of FAVOR++ and the two readings of rho |
//! | `rho*`, `gamma`, `gamma_t` | [`rho_star`], [`gamma`], [`KeySums`] | | Eq. 11 and what it takes |
//! | `Psi(x)`, variances | [`moments`] | | exact moments in log space |

pub mod compact;
mod draws;
mod error;
mod map;
pub mod moments;
mod optimum;

pub use draws::{Draws, Ensemble};
pub use error::Error;
pub use map::{FeatureMap, MapKind};
pub use optimum::{
    KeySums, PairNorms, a_hat, a_hat_with, best_a_hat, best_a_hat_for_pair, gamma, log_total_variance,
    log_total_variance_of, printed_a_hat, rho_star, rho_star_as_printed,
};
