//! Training problem of one layer: the first display of the simple MLP example.
//!
//! **Claim** (`gradient-memory/mlp-objective`). W* = argmin L(W, D_tr) over the training set.
//!
//! For the squared error gradient descent must reach the closed form of Definition 1. Cross-entropy has no closed form; on labels that
//! cannot be separated its minimum exists, and the gradient vanishes there. W* belongs to this loss and to the whole of the training set:
//! the minimiser without some of its pairs, or of the other loss, is another matrix. That a vanishing gradient is a minimum rests on
//! convexity, which is checked beside it: every chord lies above the loss, and a loss with tanh in it shows what a chord below looks like.
//! Labels that can be separated are the way in which an argmin may be empty: the loss falls for ever along one direction.

use ndarray::{Array2, s};
use workbench_gradient_memory::{GradientStep, Loss, UpdateRule, descend, pseudo_inverse_memory, singular_values};
use workbench_ground::stats::{Stream, normal_array2};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use crate::vocabulary::{apart, largest};

const DESCENT: Margin = Margin::statistical(
    "descent",
    1e-10,
    "2000 steps at the best constant rate, on keys whose condition number is a few",
);
const STATIONARY: Margin =
    Margin::statistical("stationary", 1e-8, "descent stops at a gradient of 1e-9, with a digit to spare");

/// Squared error and cross-entropy over one training set.
pub const CHECK: Check = Check {
    claim: "gradient-memory/mlp-objective",
    metric: "largest entry of a difference, and of the gradient over the training set by dual numbers",
    against: "descent that misses the closed form, or a slope at the minimum",
    choices: &[
        "squared error and cross-entropy, summed over 60 random pairs, with labels unrelated to the keys; where labels can be separated cross-entropy has no minimum, which is shown beside it",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (n, d_k, classes) = (60, 5, 3);
    let mut draws = s.stream("one layer")?;
    let (keys, values) = (normal_array2(&mut draws, n, d_k), normal_array2(&mut draws, n, classes));
    let rate = 1.0 / singular_values(&keys)?[0].powi(2);
    let mut descent = GradientStep::new(classes, d_k, rate, Loss::Squared)?;
    for _ in 0..s.knob("steps of gradient descent", 2000, 1..)? {
        descent.step(&keys, &values)?;
    }
    let gap = apart(descent.weights(), &pseudo_inverse_memory(&keys, &values)?);
    s.printed(DESCENT).same("squared error: gradient descent against the closed form", gap);
    // The training set without its last six pairs.
    let fewer = |a: &Array2<f64>| a.slice(s![..n - 6, ..]).to_owned();
    let gap = apart(descent.weights(), &pseudo_inverse_memory(&fewer(&keys), &fewer(&values))?);
    s.twin(DESCENT).same("squared error: against the closed form of 54 of the 60 pairs", gap);

    let labels = Array2::from_shape_fn((n, classes), |(i, j)| f64::from(i % classes == j));
    let entropy = descend(Loss::CrossEntropy, &keys, &labels, 0.0, 1e-9, 100_000)?;
    let slope = |w: &Array2<f64>| Ok::<_, Failure>(largest(&Loss::CrossEntropy.gradient_by_duals(w, &keys, &labels)?));
    let label = "cross-entropy: largest entry of the gradient at the minimum, by dual numbers";
    s.printed(STATIONARY).same(label, slope(&entropy.weights)?);
    let of_fewer = descend(Loss::CrossEntropy, &fewer(&keys), &fewer(&labels), 0.0, 1e-9, 100_000)?;
    s.twin(STATIONARY).same("cross-entropy: the same at the minimum over 54 of the pairs", slope(&of_fewer.weights)?);
    let of_squares = pseudo_inverse_memory(&keys, &labels)?;
    s.twin(STATIONARY).same("cross-entropy: the same at the minimum of the squared error", slope(&of_squares)?);
    let over_guessing = entropy.value / n as f64 - (classes as f64).ln();
    let label = "cross-entropy a pair at the minimum, less that of guessing (ln of the classes)";
    // W = 0 guesses, so no minimum is above it: a known answer.
    s.support(Margin::ZERO).at_most(label, over_guessing);
    s.note(format!("{} steps to the minimum of the cross-entropy", entropy.steps));

    let chords = s.knob("random chords", 2000, 1..)?;
    for _ in s.each("chords", 0..chords) {
        let height = height_of_a_chord(Loss::CrossEntropy, &keys, &labels, &mut draws)?;
        s.support(Margin::ZERO).at_least("cross-entropy: least height of a chord above the loss", height);
    }
    for _ in s.each("chords", 0..chords) {
        let height = height_of_a_chord(Loss::TanhSquared, &keys, &values, &mut draws)?;
        let label = "squared error of tanh: least height of a chord above the loss";
        s.support(Margin::ZERO).least().at_most(label, height);
    }

    // Labels that a memory W gives, and W doubled again and again.
    let w = normal_array2(&mut draws, classes, d_k);
    let scores = keys.dot(&w.t());
    let separable =
        Array2::from_shape_fn((n, classes), |(i, j)| f64::from((0..classes).all(|k| scores[[i, k]] <= scores[[i, j]])));
    for k in s.each("lengths", 0..6) {
        let loss = |power: i32| Loss::CrossEntropy.total(&(2f64.powi(power) * &w), &keys, &separable);
        let label = "separable labels: cross-entropy of twice W less that of W";
        s.support(Margin::ZERO).at_most(label, loss(k + 1)? - loss(k)?);
    }
    s.note("for cross-entropy on labels that can be separated no W is best: the argmin is empty unless W is bounded or penalised");
    Ok(())
}

/// How far a random chord is above the loss, at a random point of it.
fn height_of_a_chord(
    loss: Loss,
    keys: &Array2<f64>,
    targets: &Array2<f64>,
    draws: &mut Stream,
) -> Result<f64, Failure> {
    let dim = (targets.ncols(), keys.ncols());
    let (a, b) = (normal_array2(draws, dim.0, dim.1), normal_array2(draws, dim.0, dim.1));
    let t = draws.uniform();
    let chord = t * loss.total(&a, keys, targets)? + (1.0 - t) * loss.total(&b, keys, targets)?;
    Ok(chord - loss.total(&(t * &a + (1.0 - t) * &b), keys, targets)?)
}
