//! Footnote 2: convex combinations.
//!
//! **Claim** (`memformer/footnote-2`). If sum_h alpha_{m,h} = 1 the gated output is a convex combination of the heads. Such linear updates
//! also appear in momentum and AdamW, where (1 - eta lambda) theta + eta lambda (gradient-based step) is itself a convex combination.
//!
//! A sum of one makes an affine combination; convexity needs gates of zero or more as well. An example decides, and trained experts show
//! that it matters. AdamW is theta - eta (m / (sqrt v + eps) + lambda theta), so the "step" must be -m / (lambda (sqrt v + eps)), a point,
//! and the weights lie in [0, 1] for 0 <= eta lambda <= 1. Momentum is a linear update with weights of sum one in Adam, beta and 1 - beta;
//! the weights of Appendix B.2, 0.9 and 0.005, add up to less, which is shown and charged to nobody: the formula is AdamW's.

use workbench_ground::stats::Stream;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memformer::{Batch, GateKind, Gated, Precision, best_layer_gates};

use super::expert_heads::variances;
use super::independent_runs::tuned;
use super::task_law::EXAMPLES;
use crate::vocabulary::{EXACT, largest_of, least_of};

const STEP: Margin = Margin::rounding(
    "one step",
    1e-14,
    "sums of four numbers of order one in double precision, with two digits to spare",
);
const EVEN: Margin = Margin::rounding("even", 1.0, "as much loss as the rival's");

/// AdamW on noisy gradients, and gates with sum one.
pub const CHECK: Check = Check {
    claim: "memformer/footnote-2",
    metric: "distance of an output from the interval that the heads span; difference of AdamW from its rewriting",
    against: "gates with sum one whose output leaves the interval; a step of AdamW or of momentum that is no such combination",
    protocol: &["gates of any sign, as in Section 4.2"],
    choices: &["AdamW with rate 0.01, decay 0.1, β = 0.9 and 0.999 on noisy gradients"],
    rivals: &["on trained experts at σ² = 6: the best gates with sum one, and the best convex ones"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.condition("the gates are also zero or more");
    let label = "gates (2, -1), sum one, heads 1 and 2: distance of the output from the interval of the heads";
    s.printed(EXACT).same(label, outside(&[1.0, 2.0], &[2.0, -1.0]));
    let mut stream = s.stream("footnote 2")?;
    for _ in s.each("draws", 0..1000) {
        let outputs: Vec<f64> = (0..3).map(|_| stream.normal()).collect();
        let raw: Vec<f64> = (0..3).map(|_| stream.uniform()).collect();
        let sum: f64 = raw.iter().sum();
        let gates: Vec<f64> = raw.iter().map(|r| r / sum).collect();
        let label = "gates of zero or more with sum one: distance from the interval of the heads";
        s.changed(STEP).same(label, outside(&outputs, &gates));
    }
    adam(s, &mut stream);

    let trained = variances(s)?;
    let law = trained[0].law.scaled(6.0)?;
    let batch = Batch::draw(&law, EXAMPLES, tuned(s), Precision::Double, &mut s.stream("sum-one gates")?)?;
    let model = Gated::uniform(trained[0].experts.clone())?;
    let affine = best_layer_gates(&model, &batch, GateKind::SumToOne)?;
    let convex = best_layer_gates(&model, &batch, GateKind::Convex)?;
    let label = "trained experts at σ² = 6: least of the best gates with sum one";
    s.aside(Margin::ZERO).over(affine.gates.len(), "gates").at_most(label, least_of(&affine.gates));
    let label = "the same: loss of the best convex gates over that of the best with sum one";
    s.aside(EVEN).at_least(label, convex.loss / affine.loss);
    s.note("gates of Section 4.2 are any real numbers: neither convex nor affine");
    Ok(())
}

/// Distance of the gated output from the interval between the least and the largest output.
fn outside(outputs: &[f64], gates: &[f64]) -> f64 {
    let output: f64 = outputs.iter().zip(gates).map(|(o, g)| o * g).sum();
    let (low, high) = (least_of(outputs), largest_of(outputs));
    largest_of([low - output, output - high, 0.0])
}

/// Steps of AdamW against their rewriting, and moving averages against the interval between their old value and the gradient.
fn adam(s: &Sheet, stream: &mut Stream) {
    let (eta, lambda, betas, epsilon) = (0.01, 0.1, (0.9f64, 0.999f64), 1e-8f64);
    let (mut theta, mut m, mut v, mut velocity) = (1.0f64, 0.0f64, 0.0f64, 0.0f64);
    let (printed, twin, shown) = (s.printed(STEP), s.twin(STEP).largest(), s.aside(STEP));
    for t in s.each("steps", 1..=500) {
        let g = theta + stream.normal();
        let weights = [betas.0, 1.0 - betas.0];
        let label = "momentum in Adam: distance from the interval between its old value and the gradient";
        printed.same(label, outside(&[m, g], &weights));
        let label = "Adam's moving average with the gradient weighted by β too: distance from that interval";
        twin.same(label, outside(&[m, g], &[betas.0, betas.0]));
        let label = "momentum with the weights 0.9 and 0.005 of Appendix B.2: distance from that interval";
        shown.same(label, outside(&[velocity, -g], &[0.9, 0.005]));
        velocity = 0.9 * velocity - 0.005 * g;
        (m, v) = (weights[0] * m + weights[1] * g, betas.1 * v + (1.0 - betas.1) * g * g);
        let root = (v / (1.0 - betas.1.powi(t))).sqrt() + epsilon;
        let direction = m / (1.0 - betas.0.powi(t)) / root;
        let next = theta - eta * (direction + lambda * theta);
        let off = |step: f64| (next - ((1.0 - eta * lambda) * theta + eta * lambda * step)).abs();
        printed.same("AdamW against its rewriting, 500 steps: largest difference", off(-direction / lambda));
        let label = "AdamW rewritten without dividing the step by λ: largest difference";
        twin.same(label, off(-direction));
        theta = next;
    }
}
