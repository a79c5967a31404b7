//! Simple MLP example, first display: the training problem of one layer.
//!
//! **Claim** (`gradient-memory/mlp-objective`). W* = argmin L(W, D_tr) over the training set.
//!
//! For the squared error gradient descent must reach the closed form of Definition 1. Cross-entropy has no closed form; on labels that
//! cannot be separated its minimum exists, the gradient vanishes there, and the problem is convex: every chord lies above the loss. An
//! activation before the squared error destroys that.

use ndarray::Array2;
use workbench_gradient_memory::{GradientStep, Loss, UpdateRule, descend, pseudo_inverse_memory, singular_values};
use workbench_ground::stats::{Estimate, Stream, normal_array2};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{Least, apart};

const DESCENT: Margin =
    Margin::new("descent", 1e-10, "2000 steps at the best constant rate, on keys whose condition number is a few");
const STATIONARY: Margin = Margin::new("stationary", 1e-8, "the registry asks for a gradient norm below 1e-8");

/// Squared error and cross-entropy over one training set.
#[derive(Clone, Debug)]
pub struct TrainingProblem {
    /// Pairs, dimension of keys, classes.
    pub size: (usize, usize, usize),
    /// Steps of gradient descent.
    pub steps: usize,
    /// Random chords.
    pub chords: usize,
}

impl Default for TrainingProblem {
    fn default() -> TrainingProblem {
        TrainingProblem { size: (60, 5, 3), steps: 2000, chords: 2000 }
    }
}

impl TrainingProblem {
    /// The least height of a chord above the loss, over random chords.
    fn least_height(
        &self,
        loss: Loss,
        keys: &Array2<f64>,
        targets: &Array2<f64>,
        draws: &mut Stream,
    ) -> Result<f64, Failure> {
        let (_, d_k, d_v) = self.size;
        let mut least = Least::default();
        for _ in 0..self.chords {
            let (a, b) = (normal_array2(draws, d_v, d_k), normal_array2(draws, d_v, d_k));
            let t = draws.uniform();
            let chord = t * loss.total(&a, keys, targets)? + (1.0 - t) * loss.total(&b, keys, targets)?;
            least.see(chord - loss.total(&(t * &a + (1.0 - t) * &b), keys, targets)?);
        }
        Ok(least.0)
    }
}

impl TypedCheck for TrainingProblem {
    const CLAIM: &'static str = "gradient-memory/mlp-objective";
    const PLAN: Plan = Plan::new(
        "largest entry of a difference; norm of the gradient; height of a chord above the loss",
        "descent that misses the closed form, a slope at the minimum, or a chord below the loss",
        &[DESCENT, STATIONARY, GUESSING],
    )
    .departures(&[
        "loss and data are left open; we take the sum over 60 random pairs, with labels unrelated to the keys",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (n, d_k, d_v) = self.size;
        let mut draws = setting.stream("one layer")?;
        let (keys, values) = (normal_array2(&mut draws, n, d_k), normal_array2(&mut draws, n, d_v));
        let rate = 1.0 / singular_values(&keys)?[0].powi(2);
        let mut descent = GradientStep::new(d_v, d_k, rate, Loss::Squared)?;
        for _ in 0..self.steps {
            descent.step(&keys, &values)?;
        }
        let gap = apart(descent.weights(), &pseudo_inverse_memory(&keys, &values)?);
        let labels = Array2::from_shape_fn((n, d_v), |(i, j)| f64::from(i % d_v == j));
        let entropy = descend(Loss::CrossEntropy, &keys, &labels, 0.0, 1e-9, 100_000)?;
        let convex = self.least_height(Loss::CrossEntropy, &keys, &labels, &mut draws)?;
        let with_tanh = self.least_height(Loss::TanhSquared, &keys, &values, &mut draws)?;
        let evidence =
            Evidence::of(Finding::identity("squared error: gradient descent against the closed form", gap, DESCENT))
                .and(Finding::at_most(
                    "cross-entropy: norm of the gradient at the minimum",
                    STATIONARY,
                    Estimate::exact(entropy.gradient_norm),
                ))
                .and(Finding::at_most(
                    "cross-entropy a pair at the minimum, over that of guessing (ln of the classes)",
                    GUESSING,
                    Estimate::exact(entropy.value / (n as f64 * (d_v as f64).ln())),
                ))
                .and(
                    Finding::at_least(
                        "cross-entropy: least height of a chord above the loss",
                        0.0,
                        Estimate::exact(convex),
                    )
                    .cases(self.chords),
                )
                .twin(
                    Finding::at_least(
                        "squared error of tanh: least height of a chord above the loss",
                        0.0,
                        Estimate::exact(with_tanh),
                    )
                    .cases(self.chords),
                )
                .note(format!("{} steps to the minimum of the cross-entropy", entropy.steps));
        Ok(evidence.into())
    }
}

const GUESSING: Margin = Margin::new("guessing", 1.0, "a minimum cannot lie above what guessing gives");
