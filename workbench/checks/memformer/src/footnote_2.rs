//! Footnote 2: convex combinations.
//!
//! **Claim** (`memformer/footnote-2`). If sum_h alpha_{m,h} = 1 the gated output is a convex combination of the heads. Such linear updates
//! also appear in momentum and AdamW, where (1 - eta lambda) theta + eta lambda (gradient-based step) is itself a convex combination.
//!
//! A sum of one makes an affine combination; convexity needs gates of zero or more as well. An example decides, and trained experts show
//! that it matters. AdamW is theta - eta (m / (sqrt v + eps) + lambda theta), so the "step" must be -m / (lambda (sqrt v + eps)), a point,
//! and the weights lie in [0, 1] for 0 <= eta lambda <= 1. Momentum is such an update in Adam, with weights beta and 1 - beta; the
//! document's own momentum, with the weights 0.9 and 0.005 of Appendix B.2, is not.

use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memformer::{Batch, GateKind, Gated, Precision, best_layer_gates};

use super::section_3_3::EXAMPLES;
use super::section_4::tuned;
use super::section_4_2::variances;
use crate::vocabulary::{EXACT, Largest, largest_of, least_of};

const STEP: Margin =
    Margin::new("one step", 1e-14, "sums of four numbers of order one in double precision, with two digits to spare");
const WORSE: Margin = Margin::new("worse", 1.1, "a tenth more than the rival's loss");

/// AdamW on noisy gradients, and gates with sum one.
#[derive(Clone, Debug)]
pub struct ConvexCombinations {
    /// Rate of AdamW.
    pub eta: f64,
    /// Its decay of weights.
    pub lambda: f64,
    /// The variance at which trained experts are gated.
    pub variance: f64,
}

impl Default for ConvexCombinations {
    fn default() -> ConvexCombinations {
        ConvexCombinations { eta: 0.01, lambda: 0.1, variance: 6.0 }
    }
}

/// Distance of the gated output from the interval between the least and the largest output.
fn outside(outputs: &[f64], gates: &[f64]) -> f64 {
    let output: f64 = outputs.iter().zip(gates).map(|(o, g)| o * g).sum();
    let (low, high) = (least_of(outputs), largest_of(outputs));
    largest_of([low - output, output - high, 0.0])
}

/// What 500 steps of AdamW showed, each the largest over the steps.
#[derive(Default)]
struct Steps {
    /// Difference of theta from its rewriting, and from the one whose step is not divided by lambda.
    rewritten: Largest,
    undivided: Largest,
    /// Distance of the moving average from the interval between its old value and the gradient: Adam's, and with the weights 0.9 and
    /// 0.005 of Appendix B.2.
    adam: Largest,
    appendix: Largest,
    /// The same for Adam's with the weight beta on both.
    doubled: Largest,
}

impl ConvexCombinations {
    fn steps(&self, stream: &mut Stream) -> Steps {
        let (eta, lambda, betas, epsilon) = (self.eta, self.lambda, (0.9f64, 0.999f64), 1e-8f64);
        let mut seen = Steps::default();
        let (mut theta, mut m, mut v, mut velocity) = (1.0f64, 0.0f64, 0.0f64, 0.0f64);
        for t in 1..=500 {
            let g = theta + stream.normal();
            let weights = [betas.0, 1.0 - betas.0];
            seen.adam.see(outside(&[m, g], &weights));
            seen.doubled.see(outside(&[m, g], &[betas.0, betas.0]));
            seen.appendix.see(outside(&[velocity, -g], &[0.9, 0.005]));
            velocity = 0.9 * velocity - 0.005 * g;
            (m, v) = (weights[0] * m + weights[1] * g, betas.1 * v + (1.0 - betas.1) * g * g);
            let root = (v / (1.0 - betas.1.powi(t))).sqrt() + epsilon;
            let direction = m / (1.0 - betas.0.powi(t)) / root;
            let printed = theta - eta * (direction + lambda * theta);
            let form = |step: f64| (printed - ((1.0 - eta * lambda) * theta + eta * lambda * step)).abs();
            seen.rewritten.see(form(-direction / lambda));
            seen.undivided.see(form(-direction));
            theta = printed;
        }
        seen
    }
}

impl TypedCheck for ConvexCombinations {
    const CLAIM: &'static str = "memformer/footnote-2";
    const PLAN: Plan = Plan::new(
        "distance of an output from the interval that the heads span; difference of AdamW from its rewriting",
        "gates with sum one whose output leaves the interval; a step of AdamW or of momentum that is no such combination",
        &[EXACT, STEP, WORSE],
    )
    .protocol(&[
        "gates of any sign, as in Section 4.2; AdamW with rate 0.01, decay 0.1, β = 0.9 and 0.999 on noisy gradients",
    ])
    .rivals(&["on trained experts at σ² = 6: the best gates with sum one, and the best convex ones"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("footnote 2")?;
        let mut inside = Largest::default();
        for _ in 0..1000 {
            let outputs: Vec<f64> = (0..3).map(|_| stream.normal()).collect();
            let raw: Vec<f64> = (0..3).map(|_| stream.uniform()).collect();
            let sum: f64 = raw.iter().sum();
            let gates: Vec<f64> = raw.iter().map(|r| r / sum).collect();
            inside.see(outside(&outputs, &gates));
        }
        let steps = self.steps(&mut stream);
        let trained = variances(setting)?;
        let law = trained[0].law.scaled(self.variance)?;
        let mut stream = setting.stream("sum-one gates")?;
        let batch = Batch::draw(&law, EXAMPLES, tuned(setting), Precision::Double, &mut stream)?;
        let model = Gated::uniform(trained[0].experts.clone())?;
        let affine = best_layer_gates(&model, &batch, GateKind::SumToOne)?;
        let convex = best_layer_gates(&model, &batch, GateKind::Convex)?;
        let least = least_of(&affine.gates);
        let identity = |label: &str, value: f64, steps: usize| {
            let finding = Finding::identity(label, value, STEP).cases(steps);
            finding.unit(if steps == 1000 { "draws" } else { "steps" })
        };
        let evidence = Evidence::of(Finding::identity(
            "gates (2, -1), sum one, heads 1 and 2: distance of the output from the interval of the heads",
            outside(&[1.0, 2.0], &[2.0, -1.0]),
            EXACT,
        ))
        .and(identity("AdamW against its rewriting, 500 steps: largest difference", steps.rewritten.0, 500))
        .and(identity(
            "momentum with the weights 0.9 and 0.005 of Appendix B.2: distance from that interval",
            steps.appendix.0,
            500,
        ))
        .condition(
            "the gates are also zero or more, and momentum is Adam's, with weights that add up to one",
            vec![
                identity("gates of zero or more with sum one: distance from the interval of the heads", inside.0, 1000),
                identity(
                    "momentum in Adam: distance from the interval between its old value and the gradient",
                    steps.adam.0,
                    500,
                ),
                Finding::at_most(
                    "trained experts at σ² = 6: least of the best gates with sum one",
                    0.0,
                    Estimate::exact(least),
                ),
                Finding::at_least(
                    "the same: loss of the best convex gates over that of the best with sum one",
                    WORSE,
                    Estimate::exact(convex.loss / affine.loss),
                ),
            ],
        )
        .twin(identity("AdamW rewritten without dividing the step by λ: largest difference", steps.undivided.0, 500))
        .twin(identity(
            "Adam's moving average with the gradient weighted by β too: distance from that interval",
            steps.doubled.0,
            500,
        ))
        .note("gates of Section 4.2 are any real numbers: neither convex nor affine");
        Ok(evidence.into())
    }
}
