//! Random prompts, matrices A and layers in fractions, for Lemma 2.1 and its proof (Appendix A.1).

use ndarray::{Array1, Array2};
use workbench_ground::stats::Stream;
use workbench_ledger::{Failure, Says};
use workbench_memformer::{Fraction, Instance, Layer, Number, fraction_matrix, preconditioned_descent};

use super::exact::dot;

/// Dimension and examples of prompt number `case`: d = 2 or 3, n = 3 to 5.
pub fn sizes(case: usize) -> (usize, usize) {
    (2 + case % 2, 3 + case % 3)
}

/// Matrices A that are not symmetric, one for each layer.
pub fn general(stream: &mut Stream, layers: usize, d: usize) -> Vec<Array2<Fraction>> {
    (0..layers).map(|_| fraction_matrix(stream, d, d)).collect()
}

/// A + A^T of each.
pub fn symmetric(a: &[Array2<Fraction>]) -> Vec<Array2<Fraction>> {
    let even = |a: &Array2<Fraction>| Array2::from_shape_fn(a.dim(), |(i, j)| a[[i, j]].plus(&a[[j, i]]));
    a.iter().map(even).collect()
}

/// A^T of each.
pub fn transposes(a: &[Array2<Fraction>]) -> Vec<Array2<Fraction>> {
    a.iter().map(|a| a.t().to_owned()).collect()
}

/// c A of each.
pub fn scaled(c: &Fraction, a: &[Array2<Fraction>]) -> Vec<Array2<Fraction>> {
    a.iter().map(|a| a.mapv(|v| c.times(&v))).collect()
}

/// Layers of Eq. 2.8 with B = 0.
pub fn layers_of(a: &[Array2<Fraction>]) -> Result<Vec<Layer<Fraction>>, Failure> {
    Ok(a.iter().map(Layer::restricted).collect::<Result<_, _>>()?)
}

/// u + c v.
pub fn moved(u: &Array1<Fraction>, c: &Fraction, v: &Array1<Fraction>) -> Array1<Fraction> {
    Array1::from_shape_fn(u.len(), |i| u[i].plus(&c.times(&v[i])))
}

/// States that the query's label is `-<x, w_l>` after every layer, with w_l from descent by these steps; returns how often it is not.
pub fn answers(
    says: Says,
    label: &str,
    prompt: &Instance<Fraction>,
    states: &[Array2<Fraction>],
    steps: &[Array2<Fraction>],
) -> Result<usize, Failure> {
    let f = prompt.quadratic();
    let w = preconditioned_descent(&f, &f.origin(), steps)?.iterates;
    let mut off = 0;
    for l in 1..states.len() {
        let answer = &states[l][[prompt.dim(), prompt.examples()]];
        let differs = *answer != dot(&prompt.query(), &w[l])?.negated();
        says.of("answers").never(label, differs);
        off += usize::from(differs);
    }
    Ok(off)
}
