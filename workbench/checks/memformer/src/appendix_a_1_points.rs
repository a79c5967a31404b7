//! Appendix A.1, points 1 and 2: additive in the label, linear in the query.
//!
//! **Claim** (`memformer/a1-additive-linear`). For g(x, y, k), the last label after k layers when the last token is (x, y):
//! g(x, y, k) = g(x, 0, k) + y, because labels of examples do not depend on it, with the induction g(x, y, k+1) - y = g(x, y, k) - y; and
//! g(x, 0, k) is linear in x.
//!
//! The updates behind it are displayed: token i moves by -(1/n) sum_j <x(i), A_k x(j)> y(j). Eq. A.1 has A_k on the other side; for general
//! A the forward pass says which. Read as it stands, the induction makes g the same at every layer. What it needs is that the *step* from
//! layer to layer does not depend on y. Against the claim counts an answer that is not additive or not linear, a label of an example that
//! moves with the query, a label that a display does not give, a layer that changes g.

use ndarray::{Array1, Array2, s};
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, fraction_vector, literal_forward, matrix_vector, query_outputs,
};

use super::appendix_a_1::{cases, general, layers_of, moved, symmetric, transposes};
use super::exact::{Tally, dot, part, token, whole};
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
    displayed: Tally,
    transposed: Tally,
    even: Tally,
}

/// Labels of all tokens that one layer does not move by -(1/n) sum_j <x(i), A_k x(j)> y(j), with these A_k in the display.
fn display_off(
    prompt: &Instance<Fraction>,
    states: &[Array2<Fraction>],
    displayed: &[Array2<Fraction>],
) -> Result<Tally, Failure> {
    let (d, n) = (prompt.dim(), prompt.examples());
    let mut seen = Tally::default();
    for (k, a) in displayed.iter().enumerate() {
        for i in 0..=n {
            let x = token(&prompt.tokens, i);
            let mut sum = whole(0);
            for j in 0..n {
                let pull = dot(&x, &matrix_vector(a, &token(&prompt.tokens, j))?)?;
                sum = sum.plus(&pull.times(&states[k][[d, j]]));
            }
            let label = states[k][[d, i]].minus(&part(1, n as i64).times(&sum));
            seen.see(states[k + 1][[d, i]] != label);
        }
    }
    Ok(seen)
}

impl AdditiveAndLinear {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("points 1 and 2")?;
        let mut seen = Seen::default();
        for case in 0..cases(setting, self.prompts) {
            let (d, n) = (2 + case % 2, 3 + case % 2);
            let prompt = Instance::draw(&mut stream, d, n)?;
            let blocks = general(&mut stream, LAYERS, d);
            let layers = layers_of(&blocks)?;
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
            let asked = prompt.with_query(&x, &y)?;
            let states = literal_forward(&layers, &asked.tokens, Mask::Printed)?;
            let alike = symmetric(&blocks);
            let of_alike = literal_forward(&layers_of(&alike)?, &asked.tokens, Mask::Printed)?;
            for (tally, off) in [
                (&mut seen.displayed, display_off(&asked, &states, &blocks)?),
                (&mut seen.transposed, display_off(&asked, &states, &transposes(&blocks))?),
                (&mut seen.even, display_off(&asked, &of_alike, &alike)?),
            ] {
                tally.add(off.off, off.of);
            }
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

impl TypedCheck for AdditiveAndLinear {
    const CLAIM: &'static str = "memformer/a1-additive-linear";
    const PLAN: Plan = Plan::new(
        "answers, labels and layers that differ, in fractions",
        "an answer that is not additive in its label or not linear in the query, a label that a displayed update does not give, a layer that changes g",
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
        .and(
            seen.displayed
                .none("general A: labels of all tokens that differ from y - (1/n) Σ_j <x(i), A x(j)> y(j)", "labels"),
        )
        .misprint(
            "the updates have x(j)ᵀ A x(i), summed over j, and the induction reads g(x, y, k+1) - g(x, y, k) = g(x, 0, k+1) - g(x, 0, k); both conclusions stand",
            vec![
                seen.step
                    .none("layers whose step depends on the label of the query", "layers"),
                seen.transposed
                    .none("general A: labels of all tokens that differ from y - (1/n) Σ_j <x(j), A x(i)> y(j)", "labels"),
                seen.even
                    .none("symmetric A, as displayed: labels of all tokens that differ", "labels"),
            ],
        )
        .twin(seen.open_additive.none("additivity without the mask", "answers"))
        .twin(seen.open_linear.none("linearity without the mask", "answers"))
        .note("the sum is printed with index i, which is also the free index; here it runs over j");
        Ok(evidence.into())
    }
}
