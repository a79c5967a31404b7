//! Positive random features of the softmax kernel, and memories made of them.
//!
//! Source: appendix A.1 of "Mnemosyne" (Jain et al.), after "Rethinking Attention with Performers" and "Chefs' Random Tables".
//!
//! | in the paper | here | shape | meaning |
//! | --- | --- | --- | --- |
//! | $N$, $r$, $M$ | `dim`, `r`, rows of a matrix | | dimension, features, patterns |
//! | $\omega_1,\dots,\omega_r$ | [`Draws`], [`Ensemble`] | `(projections, dim)` | projections, independent or orthogonal in blocks |
//! | $\phi_{F+}$, $\phi_{HF+}$, $\phi_{F++}$ | [`FeatureMap`], [`MapKind`] | `(dim)` to `(r)` | feature maps, as logarithms |
//! | $\widehat A$, $\rho$ | `a_hat`, [`a_hat`], [`printed_a_hat`] | | parameter of FAVOR++ and the two readings of $\rho$ |
//! | $\rho^\ast$, $\gamma$, $\gamma_t$ | [`rho_star`], [`gamma`], [`KeySums`] | | Eq. 11 and what it takes |
//! | $h(t)=(\mathbf N_t,\Psi_t)$, $H(t)$ | [`KernelMemory`], [`ThickMemory`] | `(r, dim_v)`, `(r)` | memories of constant size |
//! | attention | [`LinearAttention`], [`unscaled_attention`], [`softmax_attention`] | `(n, dim)` to `(n, dim_v)` | fast in f32; exact in f64 |
//! | $\sigma$, $\xi^\mu$, $E$ | [`compact`] | `(N)`, `(M, N)` | Hopfield networks and dense memories of signs, and the compact ones of Theorem A.1 |
//! | $\Psi(x)$, variances | [`moments`] | | exact moments in log space |
//!
//! Two pairs in a memory of r (d + 2) numbers, read as softmax attention would read them:
//!
//! ```
//! use ndarray::array;
//! use workbench_features::{Draws, FeatureMap, KernelMemory};
//! use workbench_ground::stats::Streams;
//! let draws = Draws::independent(20_000, 2, &mut Streams::new(1).stream("front page")?)?;
//! let mut memory = KernelMemory::new(FeatureMap::hyperbolic(draws)?, 1, 1.0)?;
//! memory.absorb(&array![1.0, 0.0], &array![10.0])?;
//! memory.absorb(&array![0.0, 1.0], &array![20.0])?;
//! let read = memory.read(&array![1.0, 0.0])?[0];
//! let exact = (1f64.exp() * 10.0 + 20.0) / (1f64.exp() + 1.0);
//! assert!((read - exact).abs() < 0.2, "{read} for {exact}");
//! # Ok::<(), workbench_features::Error>(())
//! ```
//!
#![doc = include_str!("../statements.md")]
#![warn(missing_docs)]

mod attention;
mod collision;
pub mod compact;
mod counted;
mod draws;
mod lanes;
mod map;
mod memory;
pub mod moments;
mod optimum;
#[cfg(test)]
mod properties;
mod recall;
mod thick;

pub use attention::{
    Direction, LinearAttention, attention_error_constants, estimated_attention, mean_squared_distance,
    softmax_attention, unscaled_attention,
};
pub use collision::{History, colliding_history};
pub use counted::{StreamCosts, operations_of_double_sum, operations_of_gamma, operations_of_thick_memory};
pub use draws::{Draws, Ensemble};
pub use map::{FeatureMap, MapKind};
pub use memory::{KernelMemory, discount_of};
pub use optimum::{
    KeySums, PairNorms, a_hat, a_hat_with, best_a_hat, best_a_hat_for_pair, gamma, log_total_variance_of,
    printed_a_hat, rho_star, rho_star_as_printed,
};
pub use recall::{RecallErrors, RecallMap, RecallTask, kendall};
pub use thick::{ThickAnswer, ThickMemory, rho_grid};
pub use workbench_ground::Error;
