//! Lemma 4: the gradient of the loss.
//!
//! **Claim** (`heavy-tailed/lemma-4`, Eq. 43). grad_W l(x, y; W) = -(1 - p_W(y|x)) (u_y - eps) e_x^T with eps = sum_z p_W(z|x, z != y) u_z.
//!
//! Complex steps, Im l(W + i h E_jk) / h with h = 1e-200, give every entry of the gradient without cancellation. Each of the five lines of
//! the proof is evaluated on its own against them. Where the pair is stored so well that p_W rounds to one, 1 - p_W has to come from the
//! sum over the other classes. One entry beyond rounding counts against it.

use ndarray::{Array1, Axis, s};
use workbench_ground::stats::normal_array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Embeddings, GradientLines};

use super::section_3_gradient::within;
use crate::vocabulary::{Largest, Least, ROUNDING};

/// The pair that is looked at: the second input and the third of five classes.
const PAIR: (usize, usize) = (1, 2);
/// Score of the right class where it is far ahead.
const FAR: f64 = 40.0;

/// Random memories.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// How many.
    pub cases: usize,
}

impl Default for Gradient {
    fn default() -> Gradient {
        Gradient { cases: 40 }
    }
}

#[derive(Default)]
struct Seen {
    lines: [Largest; 5],
    sums: Largest,
    saturated: Largest,
    subtracted: Largest,
    without_epsilon: Least,
    unconditional: Least,
}

impl Seen {
    fn look(&mut self, e: &Embeddings, w: &ndarray::Array2<f64>) -> Result<(), Failure> {
        let (x, y) = PAIR;
        let g = GradientLines::at(w, e, x, y)?;
        for (worst, line) in self.lines.iter_mut().zip(&g.lines) {
            worst.see(within(line, &g.complex_step));
        }
        self.sums.see((g.conditional.sum() - 1.0).abs());
        let (u, missing) = (e.outputs.row(y).to_owned(), g.log_missing.exp());
        let outer = |left: Array1<f64>| left.insert_axis(Axis(1)).dot(&e.inputs.slice(s![x..x + 1, ..])) * -missing;
        self.without_epsilon.see(within(&outer(u.clone()), &g.complex_step));
        let unconditional = &u - &(g.conditional.dot(&e.outputs) * missing);
        self.unconditional.see(within(&outer(unconditional), &g.complex_step));
        Ok(())
    }

    /// A memory that gives the right class a score of 40, so that 1 - p is near 1e-17.
    fn look_far(&mut self, e: &Embeddings) -> Result<(), Failure> {
        let (x, y) = PAIR;
        let (u, input) = (e.outputs.row(y), e.inputs.row(x));
        let strong = u.insert_axis(Axis(1)).dot(&input.insert_axis(Axis(0))) * (FAR / input.dot(&input));
        let scores = e.outputs.dot(&strong.dot(&input));
        let others: f64 = (0..scores.len()).filter(|z| *z != y).map(|z| (scores[z] - scores[y]).exp()).sum();
        let missing = others / (1.0 + others);
        let far = GradientLines::at(&strong, e, x, y)?;
        self.saturated.see((far.log_missing.exp() / missing - 1.0).abs());
        self.subtracted.see(((1.0 - 1.0 / (1.0 + others)) / missing - 1.0).abs());
        Ok(())
    }
}

impl TypedCheck for Gradient {
    const CLAIM: &'static str = "heavy-tailed/lemma-4";
    const PLAN: Plan = Plan::new(
        "largest entry of the difference from complex steps over the norm of the gradient",
        "one entry of any line of the proof that differs beyond rounding",
        &[ROUNDING],
    )
    .protocol(&["embeddings of Eq. 1 in six dimensions, five classes, W with entries of order one"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("lemma 4")?;
        let mut seen = Seen::default();
        for _ in 0..self.cases {
            let e = Embeddings::draw(3, 5, 6, &mut stream)?;
            let w = normal_array2(&mut stream, 6, 6);
            seen.look(&e, &w)?;
            seen.look_far(&e)?;
        }
        let same = |label: &str, gap: f64| Finding::identity(label, gap, ROUNDING).cases(self.cases).unit("memories");
        let [first, second, third, fourth, last] = seen.lines.map(|line| line.0);
        let evidence = Evidence::of(same("Eq. 43 against complex steps, largest entry, relative", last))
            .and(same("line 1 of the proof, exponentials", first))
            .and(same("line 2 of the proof, probabilities", second))
            .and(same("line 3 of the proof, right class split off", third))
            .and(same("line 4 of the proof, 1 − p factored out", fourth))
            .and(same("conditional probabilities sum to one", seen.sums.0))
            .and(same("1 − p in log space at a score of 40, relative", seen.saturated.0))
            .twin(same("ε dropped", seen.without_epsilon.0))
            .twin(same("p(z|x) in the place of p(z|x, z ≠ y)", seen.unconditional.0))
            .twin(same("1 − p by subtraction at a score of 40, relative", seen.subtracted.0));
        Ok(evidence.into())
    }
}
