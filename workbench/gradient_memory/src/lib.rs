//! Gradient steps as associative memory.
//!
//! Source: the document "Gradient steps as associative memory", a notebook on Definition 1 (associative memory), the one-layer MLP
//! example and its reformulation as a regularised argmin. The document ends there; the rules beyond the gradient step and everything
//! about retention are ours and are marked so.
//!
//! | in the document | here | shape | meaning |
//! | --- | --- | --- | --- |
//! | $K$, $V$ | `keys`, `values` | `(n, d_k)`, `(n, d_v)` | the pairs, one in each row |
//! | $M$, $W$ | `w`, `weights` | `(d_v, d_k)` | the memory, a linear map from keys to values |
//! | $\tilde L(M(K),V)$ | [`Loss`] `total` | | what scores the map, summed over pairs |
//! | $M^\ast$ | [`pseudo_inverse_memory`], [`ridge_memory`], [`descend`] | `(d_v, d_k)` | the optimal memory |
//! | $x_{t+1}$ | a row of `keys` | `(1, d_k)` | the input of the step, which is the key |
//! | $y_{t+1}$ | `recall`, `predictions` | `(1, d_v)` | the prediction, not the label |
//! | $u_{t+1}$ | `output_gradient` | `(1, d_v)` | gradient of the loss in the output, held at $W_t$ |
//! | $\arg\min\langle Wx,u\rangle+\frac1{2\eta}\dots$ | [`InnerObjective`] | | what one step minimises |
//!
//! [`UpdateRule`] is the family: [`GradientStep`] is the document's; [`Hebbian`], [`DeltaRule`], [`ImplicitStep`], [`Nlms`],
//! [`WeightDecay`], [`HeavyBall`], [`Preconditioned`], [`Adam`] and [`RecursiveLeastSquares`] are the same idea with other inner
//! objectives. Derivatives are checked with dual numbers ([`Dual`]), in exact fractions ([`Fraction`]) where the loss allows.
//!
//! ```
//! use workbench_gradient_memory::{GradientStep, Loss, UpdateRule};
//! use ndarray::array;
//! let mut rule = GradientStep::new(1, 2, 0.1, Loss::Squared)?;
//! let (key, value) = (array![[1.0, 2.0]], array![[1.0]]);
//! let problem = rule.objectives(&key, &value)?.remove(0);
//! rule.step(&key, &value)?;
//! assert!((problem.minimise()? - rule.weights()).iter().all(|e| e.abs() < 1e-15));
//! # Ok::<(), workbench_gradient_memory::Error>(())
//! ```
//!
#![doc = include_str!("../statements.md")]
#![warn(missing_docs)]

mod exact;
mod frequencies;
mod loss;
mod objective;
mod optimum;
mod pairs;
#[cfg(test)]
mod properties;
mod retention;
mod rule;
mod rules;
mod scalar;
mod spectral;
mod stream;
mod theory;

pub use exact::{Fraction, entries_that_differ, fraction_matrix};
pub use frequencies::{Frequencies, Keys};
pub use loss::Loss;
pub use objective::{InnerObjective, Term};
pub use optimum::{Descent, descend, pseudo_inverse_memory, ridge_memory};
pub use retention::{Retention, retention_by_age, retention_by_age_watched};
pub use rule::UpdateRule;
pub use rules::{
    Adam, AdamSettings, DeltaRule, GradientStep, HeavyBall, Hebbian, ImplicitStep, Nlms, Preconditioned,
    RecursiveLeastSquares, WeightDecay,
};
pub use scalar::{Dual, Scalar};
pub use spectral::{singular_values, spectral_objective, spectral_step};
pub use stream::{
    StreamTrace, closed_form_step, exact_first_order_condition, exact_gradient_step, output_jacobian, run_stream,
};
pub use theory::{geometric_retention, least_squares_retention, momentum_retention};
pub use workbench_ground::Error;
