//! Appendix A.1, third fact: one vector for all tokens.
//!
//! **Claim** (`memformer/a1-shared-theta`). There is theta_k, theta_0 = 0, with g(x, y, k) = <theta_k, x> + y, and the same theta_k gives
//! every example: y_k(i) = <theta_k, x(i)> + y(i).
//!
//! theta_k is found from d queries and predicts everything else. Without the mask, or with Q reading the labels, the same recipe must
//! fail. Against the claim counts a token that theta does not predict.

use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{Fraction, Instance, Layer, Mask, Number, identity, literal_forward, recovered_theta};

use super::appendix_a_1::{cases, general, layers_of};
use super::exact::{Tally, dot, token, whole};
use crate::vocabulary::EXACT;

/// theta from d queries against all tokens of two layers.
#[derive(Clone, Debug, Default)]
pub struct OneVector {
    /// Prompts; by scale if 0.
    pub prompts: usize,
}

const LAYERS: usize = 2;

/// Tokens that theta does not predict, at all layers, and whether theta_0 is not zero.
fn missed(prompt: &Instance<Fraction>, layers: &[Layer<Fraction>], mask: Mask) -> Result<(Tally, bool), Failure> {
    let d = prompt.dim();
    let theta = recovered_theta(layers, prompt, &identity(d), mask)?;
    let mut seen = Tally::default();
    for (z, theta) in literal_forward(layers, &prompt.tokens, mask)?.iter().zip(&theta) {
        for i in 0..z.ncols() {
            let predicted = dot(theta, &token(&prompt.tokens, i))?.plus(&prompt.tokens[[d, i]]);
            seen.see(z[[d, i]] != predicted);
        }
    }
    Ok((seen, theta[0].iter().any(|v| *v != whole(0))))
}

impl TypedCheck for OneVector {
    const CLAIM: &'static str = "memformer/a1-shared-theta";
    const PLAN: Plan = Plan::new(
        "tokens that theta does not predict, in fractions",
        "a token, after any layer, that the theta of d other queries does not predict",
        &[EXACT],
    )
    .departures(&["d = 2 or 3, n = 4, two layers with general A, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("theta")?;
        let [mut printed, mut open, mut reading, mut starts] = [Tally::default(); 4];
        for case in 0..cases(setting, self.prompts) {
            let d = 2 + case % 2;
            let prompt = Instance::draw(&mut stream, d, 4)?;
            let layers = layers_of(&general(&mut stream, LAYERS, d))?;
            let mut with_labels = layers.clone();
            for layer in &mut with_labels {
                layer.q_mut()[[d, 0]] = whole(1);
                layer.q_mut()[[0, d]] = whole(2);
            }
            let (wrong, nonzero) = missed(&prompt, &layers, Mask::Printed)?;
            printed.add(wrong.off, wrong.of);
            starts.see(nonzero);
            for (tally, layers, mask) in
                [(&mut open, &layers, Mask::Absent), (&mut reading, &with_labels, Mask::Printed)]
            {
                let (wrong, _) = missed(&prompt, layers, mask)?;
                tally.add(wrong.off, wrong.of);
            }
        }
        let evidence = Evidence::of(printed.none("tokens not predicted by θ from d other queries", "tokens"))
            .and(starts.none("prompts with θ₀ ≠ 0", "prompts"))
            .twin(open.none("without the mask: tokens not predicted", "tokens"))
            .twin(reading.none("with labels entering Q: tokens not predicted", "tokens"));
        Ok(evidence.into())
    }
}
