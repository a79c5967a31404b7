//! Lemma 4: gradient of the cross-entropy.
//!
//! **Claim** (`heavy-tailed/lemma-4`, Eq. 43). grad_W l(x, y; W) = -(1 - p_W(y|x)) (u_y - eps) e_x^T with eps = sum_z p_W(z|x, z != y) u_z.
//!
//! Complex steps, Im l(W + i h E_jk) / h with h = 1e-200, give every entry of the gradient without cancellation. Each of the five lines of
//! the proof is evaluated on its own against them. Where the pair is stored so well that p_W rounds to one, 1 - p_W has to come from the
//! sum over the other classes. Refuted by one entry beyond rounding.

use ndarray::{Array1, Axis, s};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Check, Done, Sheet};
use workbench_memory::{Embeddings, GradientLines};

use super::population_gradient::within;
use crate::vocabulary::ROUNDING;

/// The gradient and each line of its proof.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/lemma-4",
    metric: "largest entry of the difference from complex steps over the norm of the gradient",
    against: "one entry of any line of the proof that differs beyond rounding",
    protocol: &["embeddings of Eq. 1"],
    choices: &["six dimensions, five classes, W with entries of order one"],
    run,
    ..Check::DEFAULT
};

/// The pair that is looked at: the second input and the third of five classes.
const PAIR: (usize, usize) = (1, 2);
/// Score of the right class where it is far ahead.
const FAR: f64 = 40.0;

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("lemma 4")?;
    let (x, y) = PAIR;
    let (printed, twin) = (s.printed(ROUNDING), s.twin(ROUNDING));
    for _ in s.cases("memories", 40, 40)? {
        let e = Embeddings::draw(3, 5, 6, &mut stream)?;
        let g = GradientLines::at(&normal_array2(&mut stream, 6, 6), &e, x, y)?;
        let line = |i: usize| within(&g.lines[i - 1], &g.complex_step);
        printed.same("Eq. 43 against complex steps, largest entry, relative", line(5));
        printed.same("line 1 of the proof, exponentials", line(1));
        printed.same("line 2 of the proof, probabilities", line(2));
        printed.same("line 3 of the proof, right class split off", line(3));
        printed.same("line 4 of the proof, 1 − p factored out", line(4));
        s.support(ROUNDING).same("conditional probabilities sum to one", (g.conditional.sum() - 1.0).abs());

        let (u, missing) = (e.outputs.row(y).to_owned(), g.log_missing.exp());
        let outer = |left: Array1<f64>| left.insert_axis(Axis(1)).dot(&e.inputs.slice(s![x..x + 1, ..])) * -missing;
        let unconditional = &u - &(g.conditional.dot(&e.outputs) * missing);
        twin.same("ε dropped", within(&outer(u), &g.complex_step));
        twin.same("p(z|x) in the place of p(z|x, z ≠ y)", within(&outer(unconditional), &g.complex_step));
        saturated(s, &e)?;
    }
    Ok(())
}

/// A memory that gives the right class a score of 40, so that 1 - p is near 1e-17.
fn saturated(s: &Sheet, e: &Embeddings) -> Done {
    let (x, y) = PAIR;
    let (u, input) = (e.outputs.row(y), e.inputs.row(x));
    let strong = u.insert_axis(Axis(1)).dot(&input.insert_axis(Axis(0))) * (FAR / input.dot(&input));
    let scores = e.outputs.dot(&strong.dot(&input));
    let others: f64 = (0..scores.len()).filter(|z| *z != y).map(|z| (scores[z] - scores[y]).exp()).sum();
    let missing = others / (1.0 + others);
    let found = GradientLines::at(&strong, e, x, y)?.log_missing.exp();
    s.support(ROUNDING).same("1 − p in log space at a score of 40, relative", (found / missing - 1.0).abs());
    let subtracted = 1.0 - 1.0 / (1.0 + others);
    let label = "1 − p by subtraction at a score of 40, relative";
    s.aside(ROUNDING).largest().same(label, (subtracted / missing - 1.0).abs());
    Ok(())
}
