//! Appendix A.1, points 1 and 2: additive in the label, linear in the query.
//!
//! **Claim** (`memformer/a1-additive-linear`). For g(x, y, k), the last label after k layers when the last token is (x, y):
//! g(x, y, k) = g(x, 0, k) + y, because labels of examples do not depend on it, with the induction g(x, y, k+1) - y = g(x, y, k) - y; and
//! g(x, 0, k) is linear in x.
//!
//! The updates behind it are displayed: token i moves by -(1/n) sum_j <x(i), A_k x(j)> y(j). For general A it is the transpose, which is
//! charged in Lemma 2.1 and mended here. Read as it stands, the induction makes g the same at every layer. What it needs is that the *step* from
//! layer to layer does not depend on y. Refuted by an answer that is not additive or not linear, a label of an example that moves with the
//! query, a label that a display does not give, a layer that changes g.

use ndarray::{Array1, Array2};
use workbench_ledger::{Check, Done, Says, Sheet};
use workbench_memformer::{
    Fraction, Instance, Mask, Number, fraction_vector, literal_forward, matrix_vector, query_outputs,
};

use super::exact::{dot, part, token, whole};
use super::exact_layers::{general, layers_of, moved, symmetric, transposes};
use crate::vocabulary::EXACT;

/// Answers to random queries with random labels.
pub const CHECK: Check = Check {
    claim: "memformer/a1-additive-linear",
    metric: "answers, labels and layers that differ, in fractions",
    against: "an answer that is not additive in its label or not linear in the query, a label that a displayed update does not give, a layer that changes g",
    departures: &["d = 2 or 3, n = 3 or 4, three layers with general A, so that equal means equal"],
    run,
    ..Check::DEFAULT
};

const LAYERS: usize = 3;

fn run(s: &Sheet) -> Done {
    s.misprint(
        "the induction reads g(x, y, k+1) - g(x, y, k) = g(x, 0, k+1) - g(x, 0, k), and the sum runs over j; both conclusions stand",
    );
    s.see("memformer/lemma-2-1");
    s.note("the sum is printed with index i, which is also the free index; here it runs over j");
    let mut stream = s.stream("points 1 and 2")?;
    for case in s.cases("prompts", 20, 100)? {
        let (d, n) = (2 + case % 2, 3 + case % 2);
        let prompt = Instance::draw(&mut stream, d, n)?;
        let blocks = general(&mut stream, LAYERS, d);
        let layers = layers_of(&blocks)?;
        let (x, other) = (fraction_vector(&mut stream, d), fraction_vector(&mut stream, d));
        let y = Fraction::draw(&mut stream).plus(&part(1, 7));
        let (a, b) = (Fraction::draw(&mut stream), part(5, 3));
        let mixed = moved(&x.mapv(|v| a.times(&v)), &b, &other);
        let zero = whole(0);

        let g = |x: &Array1<Fraction>, y: &Fraction, mask| query_outputs(&layers, &prompt, x, y, mask);
        let with = g(&x, &y, Mask::Printed)?;
        for k in 1..=LAYERS {
            let label = "layers at which g(x, y, k+1) - y ≠ g(x, y, k) - y";
            s.printed(EXACT).of("layers").never(label, with[k].minus(&y) != with[k - 1].minus(&y));
        }
        // Of two queries, each with a label and without.
        for x in [&x, &other] {
            let (with, without) = (g(x, &y, Mask::Printed)?, g(x, &zero, Mask::Printed)?);
            for k in 1..=LAYERS {
                let step = |g: &[Fraction]| g[k].minus(&g[k - 1]);
                let label = "layers whose step depends on the label of the query";
                s.changed(EXACT).of("layers").never(label, step(&with) != step(&without));
            }
        }
        for (says, mask, additive, linear) in [
            (
                s.printed(EXACT),
                Mask::Printed,
                "answers that are not g(x, 0, k) + y",
                "answers that are not linear in the query",
            ),
            (s.twin(EXACT), Mask::Absent, "additivity without the mask", "linearity without the mask"),
        ] {
            let (with, without) = (g(&x, &y, mask)?, g(&x, &zero, mask)?);
            let (second, mix) = (g(&other, &zero, mask)?, g(&mixed, &zero, mask)?);
            for k in 1..=LAYERS {
                says.of("answers").never(additive, with[k] != without[k].plus(&y));
                says.of("answers").never(linear, mix[k] != a.times(&without[k]).plus(&b.times(&second[k])));
            }
        }

        let asked = prompt.with_query(&x, &y)?;
        let states = literal_forward(&layers, &asked.tokens, Mask::Printed)?;
        let elsewhere = literal_forward(&layers, &prompt.with_query(&other, &zero)?.tokens, Mask::Printed)?;
        for k in 1..=LAYERS {
            for i in 0..n {
                let label = "labels of examples that move with the query and its label";
                s.printed(EXACT).of("labels").never(label, states[k][[d, i]] != elsewhere[k][[d, i]]);
            }
        }
        let label =
            "general A without its transpose: labels of all tokens that differ from y - (1/n) Σ_j <x(i), A x(j)> y(j)";
        displayed(s.twin(EXACT), label, &asked, &states, &blocks)?;
        let label = "general A: labels of all tokens that differ from y - (1/n) Σ_j <x(i), Aᵀ x(j)> y(j)";
        displayed(s.printed(EXACT), label, &asked, &states, &transposes(&blocks))?;
        let alike = symmetric(&blocks);
        let states = literal_forward(&layers_of(&alike)?, &asked.tokens, Mask::Printed)?;
        let label = "symmetric A, as displayed: labels of all tokens that differ";
        displayed(s.printed(EXACT), label, &asked, &states, &alike)?;
    }
    Ok(())
}

/// States that each layer moves the label of token i by -(1/n) sum_j <x(i), A_k x(j)> y(j), with these A_k in the display.
fn displayed(
    says: Says,
    label: &str,
    prompt: &Instance<Fraction>,
    states: &[Array2<Fraction>],
    a: &[Array2<Fraction>],
) -> Done {
    let (d, n) = (prompt.dim(), prompt.examples());
    for (k, a) in a.iter().enumerate() {
        for i in 0..=n {
            let x = token(&prompt.tokens, i);
            let mut sum = whole(0);
            for j in 0..n {
                let pull = dot(&x, &matrix_vector(a, &token(&prompt.tokens, j))?)?;
                sum = sum.plus(&pull.times(&states[k][[d, j]]));
            }
            let moved = states[k][[d, i]].minus(&part(1, n as i64).times(&sum));
            says.of("labels").never(label, states[k + 1][[d, i]] != moved);
        }
    }
    Ok(())
}
