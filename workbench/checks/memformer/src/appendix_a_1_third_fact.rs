//! Appendix A.1, third fact: one vector for all tokens.
//!
//! **Claim** (`memformer/a1-shared-theta`). There is theta_k, theta_0 = 0, with g(x, y, k) = <theta_k, x> + y, and the same theta_k gives
//! every example: y_k(i) = <theta_k, x(i)> + y(i).
//!
//! theta_k is found from d queries and predicts everything else. Without the mask, or with Q reading the labels, the same recipe must
//! fail. Refuted by a token that theta does not predict.

use workbench_ledger::{Check, Done, Says, Sheet};
use workbench_memformer::{Fraction, Instance, Layer, Mask, Number, identity, literal_forward, recovered_theta};

use super::exact::{dot, token, whole};
use super::exact_layers::{general, layers_of};
use crate::vocabulary::EXACT;

/// theta from d queries against all tokens of two layers.
pub const CHECK: Check = Check {
    claim: "memformer/a1-shared-theta",
    metric: "tokens that theta does not predict, in fractions",
    against: "a token, after any layer, that the theta of d other queries does not predict",
    departures: &["d = 2 or 3, n = 4, two layers with general A, so that equal means equal"],
    run,
    ..Check::DEFAULT
};

const LAYERS: usize = 2;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("theta")?;
    for case in s.cases("prompts", 20, 100)? {
        let d = 2 + case % 2;
        let prompt = Instance::draw(&mut stream, d, 4)?;
        let layers = layers_of(&general(&mut stream, LAYERS, d))?;
        let label = "tokens not predicted by θ from d other queries";
        predicted(s.printed(EXACT), label, &prompt, &layers, Mask::Printed)?;
        let start = &recovered_theta(&layers, &prompt, &identity(d), Mask::Printed)?[0];
        s.support(EXACT).never("prompts with θ₀ ≠ 0", start.iter().any(|v| *v != whole(0)));
        predicted(s.twin(EXACT), "without the mask: tokens not predicted", &prompt, &layers, Mask::Absent)?;
        let mut with_labels = layers;
        for layer in &mut with_labels {
            layer.q_mut()[[d, 0]] = whole(1);
            layer.q_mut()[[0, d]] = whole(2);
        }
        let label = "with labels entering Q: tokens not predicted";
        predicted(s.twin(EXACT), label, &prompt, &with_labels, Mask::Printed)?;
    }
    Ok(())
}

/// States that theta predicts every token, at all layers.
fn predicted(says: Says, label: &str, prompt: &Instance<Fraction>, layers: &[Layer<Fraction>], mask: Mask) -> Done {
    let d = prompt.dim();
    let theta = recovered_theta(layers, prompt, &identity(d), mask)?;
    for (z, theta) in literal_forward(layers, &prompt.tokens, mask)?.iter().zip(&theta) {
        for i in 0..z.ncols() {
            let predicted = dot(theta, &token(&prompt.tokens, i))?.plus(&prompt.tokens[[d, i]]);
            says.of("tokens").never(label, z[[d, i]] != predicted);
        }
    }
    Ok(())
}
