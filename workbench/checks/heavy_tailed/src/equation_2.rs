//! Eq. 2: a memory is a weighted sum of outer products.
//!
//! **Claim** (`heavy-tailed/eq-2`). W_q = sum_x q(x) u_{f_*(x)} e_x^T.
//!
//! The room keeps the class sums S_y = sum_{f_*(x) = y} q(x) e_x. The matrix that it makes of them is held against the sum of outer
//! products, entry by entry, and its scores against inner products alone: u_y^T W_q e_z = sum_x q(x) <u_y, u_{f_*(x)}> <e_x, e_z>. Refuted
//! by an entry or a score that differs. The check stands on what follows: answers that do not depend on the scale of q, and, with
//! orthonormal e and distinct unit u, where <u_y, u_f> < <u_f, u_f>, each stored pair recalled.

use ndarray::Array2;
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};
use workbench_memory::{AssociativeMemory, Embeddings, Scheme, Zipf};

use super::gaussian_model::{CLASSES, answers, same_answers, target};
use crate::vocabulary::{ROUNDING, apart, largest};

/// One memory, scored in three ways.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-2",
    metric: "largest difference of entries, and of scores, over the largest; answers that differ, counted",
    against: "an entry that is not that of the sum of outer products, a score that is not that of inner products",
    choices: &["N = 60, M = 5, d = 40 and q ~ p^0.7, with sum one as in the equation"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (n, d) = (s.knob("inputs N", 60, CLASSES..)?, s.knob("dimension d", 40, 1..)?);
    let (mut stream, labels) = (s.stream("eq 2")?, target()?.labels(n));
    let e = Embeddings::draw(n, CLASSES, d, &mut stream)?;
    let weights = Scheme::power(0.7)?.population_weights(&Zipf::new(1.0, n)?, d)?;
    let total: f64 = weights.iter().sum();
    let q: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let memory = AssociativeMemory::store(&e, &q, &labels)?;
    let (fast, w) = (memory.scores(&e.inputs)?, memory.matrix());

    let scores = |w: &Array2<f64>| e.inputs.dot(&w.t()).dot(&e.outputs.t());
    let same = |says: Says, label: &str, other: Array2<f64>| {
        says.over(n * CLASSES, "scores").same(label, apart(&fast, &other) / largest(&fast));
    };
    let (printed, twin, support) = (s.printed(ROUNDING), s.twin(ROUNDING), s.support(ROUNDING));
    let outer = Array2::from_shape_fn((d, d), |(i, j)| {
        (0..n).map(|x| q[x] * e.outputs[[labels[x], i]] * e.inputs[[x, j]]).sum::<f64>()
    });
    let entries = |w: &Array2<f64>| apart(w, &outer) / largest(&outer);
    printed.over(d * d, "entries").same("the matrix against the sum of outer products, relative", entries(&w));
    let label = "the matrix transposed against the sum of outer products, relative";
    twin.over(d * d, "entries").same(label, entries(&w.t().to_owned()));
    same(support, "class sums against the matrix, relative", scores(&w));
    same(printed, "class sums against inner products, relative", by_products(&e, &q, &labels));
    same(twin, "the matrix transposed, relative", scores(&w.t().to_owned()));
    same(twin, "inner products without the weights, relative", by_products(&e, &vec![1.0; n], &labels));

    let answered = memory.predict(&e.inputs)?;
    let none = s.support(Margin::ZERO);
    same_answers(none, "answers by Eq. 1 with the matrix that differ", &answers(&w, &e), &answered);
    let small: Vec<f64> = q.iter().map(|w| 1e-3 * w).collect();
    let small = AssociativeMemory::store(&e, &small, &labels)?.predict(&e.inputs)?;
    same_answers(none, "q → q/1000: answers that change", &small, &answered);

    let mut right = Embeddings::orthonormal(n, CLASSES, n + 4, &mut stream)?;
    recalled(none, "orthonormal inputs, unit outputs: stored pairs not recalled", &right, &q, &labels)?;
    // One output twice as long, and almost parallel to another.
    let long = &right.outputs.row(1) * 2.0 + &right.outputs.row(2) * 0.01;
    right.outputs.row_mut(0).assign(&long);
    let label = "orthonormal inputs, an output of length two: stored pairs not recalled";
    recalled(s.twin(Margin::ZERO), label, &right, &q, &labels)
}

/// Scores from inner products alone, `(N, M)`.
fn by_products(e: &Embeddings, q: &[f64], labels: &[usize]) -> Array2<f64> {
    let (products, gram) = (e.inputs.dot(&e.inputs.t()), e.outputs.dot(&e.outputs.t()));
    Array2::from_shape_fn((q.len(), gram.nrows()), |(z, y)| {
        (0..q.len()).map(|x| q[x] * gram[[y, labels[x]]] * products[[x, z]]).sum()
    })
}

/// States that every stored pair is recalled.
fn recalled(says: Says, label: &str, e: &Embeddings, q: &[f64], labels: &[usize]) -> Result<(), Failure> {
    let margins = AssociativeMemory::store(e, q, labels)?.margins(e, labels)?;
    margins.iter().for_each(|margin| says.of("pairs").never(label, *margin <= 0.0));
    Ok(())
}
