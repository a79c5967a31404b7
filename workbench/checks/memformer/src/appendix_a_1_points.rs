//! Appendix A.1, points 1 and 2: additive in the label, linear in the query.
//!
//! **Claim** (`memformer/a1-additive-linear`). For g(x, y, k), the last label after k layers when the last token is (x, y):
//! g(x, y, k) = g(x, 0, k) + y, because labels of examples do not depend on it, with the induction g(x, y, k+1) - y = g(x, y, k) - y; and
//! g(x, 0, k) is linear in x.
//!
//! Read as it stands, the induction makes g the same at every layer. What it needs is that the *step* from layer to layer does not depend
//! on y. Against the claim counts an answer that is not additive or not linear, a label of an example that moves with the query, a layer
//! that changes g.

use ndarray::{Array1, s};
use workbench_ledger::{Check, Checked, Evidence, Failure, Plan, Setting};
use workbench_memformer::{Fraction, Instance, Mask, Number, fraction_vector, literal_forward, query_outputs};

use super::appendix_a_1::{cases, general, layers_of, moved};
use super::exact::{Tally, part, whole};
use crate::vocabulary::EXACT;

/// Answers to random queries with random labels.
#[derive(Clone, Debug, Default)]
pub struct AdditiveAndLinear {
    /// Prompts; by scale if 0.
    pub prompts: usize,
}

const LAYERS: usize = 3;

#[derive(Default)]
struct Seen {
    additive: Tally,
    linear: Tally,
    printed: Tally,
    step: Tally,
    examples: Tally,
    open_additive: Tally,
    open_linear: Tally,
}

impl AdditiveAndLinear {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("points 1 and 2")?;
        let mut seen = Seen::default();
        for case in 0..cases(setting, self.prompts) {
            let (d, n) = (2 + case % 2, 3 + case % 2);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let layers = layers_of(&general(&mut stream, LAYERS, d))?;
            let (x, other) = (fraction_vector(&mut stream, d), fraction_vector(&mut stream, d));
            let y = Fraction::draw(&mut stream).plus(&part(1, 7));
            let (a, b) = (Fraction::draw(&mut stream), part(5, 3));
            let mixed = moved(&x.mapv(|v| a.times(&v)), &b, &other);
            let g = |x: &Array1<Fraction>, y: &Fraction, mask| query_outputs(&layers, &prompt, x, y, mask);
            let zero = whole(0);
            let with = g(&x, &y, Mask::Printed)?;
            for (mask, additive, linear) in [
                (Mask::Printed, &mut seen.additive, &mut seen.linear),
                (Mask::Absent, &mut seen.open_additive, &mut seen.open_linear),
            ] {
                let (with, without) = (g(&x, &y, mask)?, g(&x, &zero, mask)?);
                let (second, mix) = (g(&other, &zero, mask)?, g(&mixed, &zero, mask)?);
                for k in 1..=LAYERS {
                    additive.see(with[k] != without[k].plus(&y));
                    linear.see(mix[k] != a.times(&without[k]).plus(&b.times(&second[k])));
                }
            }
            let without = g(&x, &zero, Mask::Printed)?;
            let labels = |x: &Array1<Fraction>, y: &Fraction| -> Result<Vec<_>, Failure> {
                let states = literal_forward(&layers, &prompt.with_query(x, y)?.tokens, Mask::Printed)?;
                Ok(states.iter().map(|z| z.slice(s![d, ..n]).to_owned()).collect())
            };
            let (here, there) = (labels(&x, &y)?, labels(&other, &zero)?);
            for k in 1..=LAYERS {
                let step = |g: &[Fraction]| g[k].minus(&g[k - 1]);
                seen.printed.see(with[k].minus(&y) != with[k - 1].minus(&y));
                seen.step.see(step(&with) != step(&without));
                for i in 0..n {
                    seen.examples.see(here[k][i] != there[k][i]);
                }
            }
        }
        Ok(seen)
    }
}

impl Check for AdditiveAndLinear {
    const CLAIM: &'static str = "memformer/a1-additive-linear";
    const PLAN: Plan = Plan::new(
        "answers, labels and layers that differ, in fractions",
        "an answer that is not additive in its label or not linear in the query, a layer that changes g",
        &[EXACT],
    )
    .departures(&["d = 2 or 3, n = 3 or 4, three layers with general A, so that equal means equal"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.see(setting)?;
        let evidence = Evidence::of(
            seen.printed
                .none("layers at which g(x, y, k+1) - y ≠ g(x, y, k) - y", "layers"),
        )
        .and(seen.additive.none("answers that are not g(x, 0, k) + y", "answers"))
        .and(seen.linear.none("answers that are not linear in the query", "answers"))
        .and(
            seen.examples
                .none("labels of examples that move with the query and its label", "labels"),
        )
        .misprint(
            "the induction reads g(x, y, k+1) - g(x, y, k) = g(x, 0, k+1) - g(x, 0, k); both conclusions stand",
            vec![
                seen.step
                    .none("layers whose step depends on the label of the query", "layers"),
            ],
        )
        .twin(seen.open_additive.none("additivity without the mask", "answers"))
        .twin(seen.open_linear.none("linearity without the mask", "answers"))
        .note("the sum over examples is printed with index i, which is also the free index; it runs over j");
        Ok(evidence.into())
    }
}
