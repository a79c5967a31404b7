//! Eq. 2: a memory is a weighted sum of outer products.
//!
//! **Claim** (`heavy-tailed/eq-2`). W_q = sum_x q(x) u_{f_*(x)} e_x^T.
//!
//! Scores come from the matrix, or from inner products alone: u_y^T W_q e_z = sum_x q(x) <u_y, u_{f_*(x)}> <e_x, e_z>. The room uses
//! neither: it keeps the class sums S_y = sum_{f_*(x) = y} q(x) e_x. The three must agree, and answers must not depend on the scale of
//! q. With orthonormal e and distinct unit u each stored pair is recalled, for then <u_y, u_f> < <u_f, u_f>; one lost pair would count
//! against it.

use ndarray::Array2;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, Embeddings, Scheme, Zipf};

use super::section_2_model::{CLASSES, answers, differing, none, target};
use crate::vocabulary::{ROUNDING, apart, largest};

/// One memory, scored in three ways.
#[derive(Clone, Debug)]
pub struct OuterProducts {
    /// Inputs N.
    pub inputs: usize,
    /// Dimension d.
    pub dim: usize,
    /// Exponent of the law.
    pub alpha: f64,
    /// Weights are p^ρ.
    pub rho: f64,
}

impl Default for OuterProducts {
    fn default() -> OuterProducts {
        OuterProducts { inputs: 60, dim: 40, alpha: 1.0, rho: 0.7 }
    }
}

/// Scores from inner products alone, `(N, M)`.
fn by_products(e: &Embeddings, q: &[f64], labels: &[usize]) -> Array2<f64> {
    let (products, gram) = (e.inputs.dot(&e.inputs.t()), e.outputs.dot(&e.outputs.t()));
    Array2::from_shape_fn((q.len(), gram.nrows()), |(z, y)| {
        (0..q.len()).map(|x| q[x] * gram[[y, labels[x]]] * products[[x, z]]).sum()
    })
}

/// Stored pairs that are not recalled.
fn lost(e: &Embeddings, q: &[f64], labels: &[usize]) -> Result<usize, Failure> {
    let margins = AssociativeMemory::store(e, q, labels)?.margins(e, labels)?;
    Ok(margins.iter().filter(|margin| **margin <= 0.0).count())
}

/// The same embeddings with one output twice as long, and almost parallel to another.
fn with_long_output(e: &Embeddings) -> Embeddings {
    let mut long = e.clone();
    let row = &e.outputs.row(1) * 2.0 + &e.outputs.row(2) * 0.01;
    long.outputs.row_mut(0).assign(&row);
    long
}

impl TypedCheck for OuterProducts {
    const CLAIM: &'static str = "heavy-tailed/eq-2";
    const PLAN: Plan = Plan::new(
        "largest difference of scores over the largest score; answers that differ, counted",
        "scores on which the three ways disagree, an answer that depends on the scale of q, a pair lost among orthonormal inputs",
        &[ROUNDING],
    )
    .departures(&[
        "the document leaves sizes open; N = 60, M = 5, d = 40 and q = p^0.7 are ours",
        "q need not sum to one: its scale changes no answer, which is tested",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("eq 2")?;
        let (n, labels) = (self.inputs, target()?.labels(self.inputs));
        let e = Embeddings::draw(n, CLASSES, self.dim, &mut stream)?;
        let q = Scheme::power(self.rho)?.population_weights(&Zipf::new(self.alpha, n)?, self.dim)?;
        let memory = AssociativeMemory::store(&e, &q, &labels)?;
        let (fast, w) = (memory.scores(&e.inputs)?, memory.matrix());
        let gap = |other: &Array2<f64>| apart(&fast, other) / largest(&fast);
        let scores = |w: &Array2<f64>| e.inputs.dot(&w.t()).dot(&e.outputs.t());
        let answered = memory.predict(&e.inputs)?;
        let small: Vec<f64> = q.iter().map(|w| 1e-3 * w).collect();
        let small = AssociativeMemory::store(&e, &small, &labels)?.predict(&e.inputs)?;
        let ortho = Embeddings::orthonormal(n, CLASSES, n + 4, &mut stream)?;
        let long = with_long_output(&ortho);
        let same = |label: &str, other: &Array2<f64>| {
            Finding::identity(label, gap(other), ROUNDING).cases(n * CLASSES).unit("scores")
        };
        let no_weights = by_products(&e, &vec![1.0; n], &labels);
        let evidence = Evidence::of(same("class sums against the matrix, relative", &scores(&w)))
            .and(same("class sums against inner products, relative", &by_products(&e, &q, &labels)))
            .and(none(
                "answers by Eq. 1 with the matrix that differ",
                differing(&answers(&w, &e), &answered),
                n,
                "answers",
            ))
            .and(none("q → q/1000: answers that change", differing(&small, &answered), n, "answers"))
            .and(none(
                "orthonormal inputs, unit outputs: stored pairs not recalled",
                lost(&ortho, &q, &labels)?,
                n,
                "pairs",
            ))
            .twin(same("the matrix transposed, relative", &scores(&w.t().to_owned())))
            .twin(same("inner products without the weights, relative", &no_weights))
            .twin(none(
                "orthonormal inputs, an output of length two: stored pairs not recalled",
                lost(&long, &q, &labels)?,
                n,
                "pairs",
            ));
        Ok(evidence.into())
    }
}
