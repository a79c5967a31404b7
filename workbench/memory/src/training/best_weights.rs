//! The best memory for given embeddings, over three classes of memories of growing freedom.

use super::descent::minimise;
use crate::store::associative_memory::AssociativeMemory;
use crate::store::associative_memory::{check_labels, margin, same_length};
use crate::store::embedding::Embeddings;
use crate::store::scheme::check_threshold;
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::positive;

/// Steps of one minimisation.
const ITERATIONS: usize = 150;

/// How freely a memory may be chosen once embeddings and labels are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// $W=\sum_xq(x)\,u_{f_\ast(x)}e_x^\top$ with any real weights $q(x)$, optimised for these embeddings and labels.
    Weights,
    /// Any W. The same as $W=\sum_{x,y}q(x,y)\,u_ye_x^\top$ with any $q(x,y)$: what these sums do not reach does not change a score.
    Memory,
}

/// Errors of the memories that minimise a weighted cross-entropy, one for each set of inputs that it asks to be stored.
///
/// The zero-one error has no gradient; its surrogate is the cross-entropy of the first P inputs with weights $p^\rho$. Every pair
/// $(P,\rho)$ is minimised and the least error over all inputs is kept, so the result is an upper bound on the least error of the class.
///
/// **Source**: C.2, second bullet: whether schemes optimised with respect to $f_\ast$ beat the rate of Theorem 3.
///
/// **Shapes**: `labels` and `p` have one entry per input; `stored` lists values of P.
///
/// **Errors**: sizes that do not match, an empty list, P of zero or beyond N, [`Error::Stopped`].
///
/// Cost: per pair `150` times `N M d` for [`Freedom::Memory`], `N^2 M` for [`Freedom::Weights`].
pub fn best_trained_error(
    freedom: Freedom,
    embeddings: &Embeddings,
    labels: &[usize],
    p: &[f64],
    stored: &[usize],
    rhos: &[f64],
) -> Result<f64, Error> {
    const OP: &str = "best_trained_error";
    let n = embeddings.inputs.nrows();
    check_labels(OP, labels, n, embeddings.outputs.nrows())?;
    same_length(OP, "p", p.len(), n)?;
    positive(OP, "stored (list of P)", stored.len())?;
    positive(OP, "rhos", rhos.len())?;
    for &threshold in stored {
        positive(OP, "stored (P)", threshold)?;
        check_threshold(OP, threshold, n)?;
    }
    let mut best = f64::INFINITY;
    for &rho in rhos {
        for &threshold in stored {
            let mut weights: Vec<f64> = p.iter().map(|p| p.powf(rho)).collect();
            weights[threshold..].fill(0.0);
            let total: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|w| *w /= total);
            let scores = trained_scores(freedom, embeddings, labels, &weights)?;
            best = best.min(error_of(&scores, labels, p));
        }
    }
    Ok(best)
}

/// [`best_trained_error`] of many embeddings with the same labels and law, side by side and in order.
///
/// **Source**: C.2, second bullet.
///
/// **Errors**: as [`best_trained_error`].
pub fn best_trained_errors(
    freedom: Freedom,
    embeddings: &[Embeddings],
    labels: &[usize],
    p: &[f64],
    stored: &[usize],
    rhos: &[f64],
) -> Result<Vec<f64>, Error> {
    let one = |e: &Embeddings| best_trained_error(freedom, e, labels, p, stored, rhos);
    embeddings.par_iter().map(one).collect()
}

/// Errors of the thresholded scheme $q_{0,P}$ for each P: the best scheme designed by hand.
///
/// **Source**: Eq. 5 with $\rho=0$, Fig. 11 (left).
///
/// **Errors**: sizes that do not match, P beyond N.
pub fn threshold_errors(
    embeddings: &Embeddings,
    labels: &[usize],
    p: &[f64],
    stored: &[usize],
) -> Result<Vec<f64>, Error> {
    let n = embeddings.inputs.nrows();
    stored
        .iter()
        .map(|&threshold| {
            check_threshold("threshold_errors", threshold, n)?;
            let mut weights = vec![1.0; n];
            weights[threshold..].fill(0.0);
            AssociativeMemory::store(embeddings, &weights, labels)?.generalization_error(embeddings, labels, p)
        })
        .collect()
}

/// Scores `(N, M)` of the memory that minimises the weighted cross-entropy; weights of zero are not looked at.
pub(super) fn trained_scores(
    freedom: Freedom,
    embeddings: &Embeddings,
    labels: &[usize],
    weights: &[f64],
) -> Result<Array2<f64>, Error> {
    const OP: &str = "best_trained_error";
    let (n, d) = embeddings.inputs.dim();
    let m = embeddings.outputs.nrows();
    let used: Vec<usize> = (0..n).filter(|&x| weights[x] > 0.0).collect();
    match freedom {
        Freedom::Memory => {
            // Scores are `E V^T` with `V = U W`; any V is reached if U has rank M, else W itself is the variable.
            let rows = embeddings.inputs.select(ndarray::Axis(0), &used);
            let outputs = (d < m).then(|| embeddings.outputs.clone());
            let width = if outputs.is_some() { d } else { m };
            let mut f = |x: &[f64], g: &mut [f64]| {
                let v = view(x, width, d);
                let classes = outputs.as_ref().map_or_else(|| v.to_owned(), |u| u.dot(&v));
                let mut r = rows.dot(&classes.t());
                let loss = residuals(&mut r, &used, labels, weights);
                let by_class = r.t().dot(&rows);
                let gradient = outputs.as_ref().map_or(by_class.clone(), |u| u.t().dot(&by_class));
                g.iter_mut().zip(gradient.iter()).for_each(|(g, v)| *g = *v);
                loss
            };
            let found = minimise(OP, &mut f, vec![0.0; width * d], ITERATIONS, 1e-9)?;
            let v = view(&found.at, width, d);
            let classes = outputs.as_ref().map_or_else(|| v.to_owned(), |u| u.dot(&v));
            Ok(embeddings.inputs.dot(&classes.t()))
        }
        Freedom::Weights => {
            let gram = embeddings.outputs.dot(&embeddings.outputs.t());
            let kernel = embeddings.inputs.dot(&embeddings.inputs.t()) / d as f64;
            let rows = kernel.select(ndarray::Axis(0), &used); // (used, N)
            let onehot = Array2::from_shape_fn((n, m), |(x, z)| gram[[labels[x], z]]);
            let mut f = |q: &[f64], g: &mut [f64]| {
                let mut stored = onehot.clone();
                stored.outer_iter_mut().zip(q).for_each(|(mut row, q)| row *= *q);
                let mut r = rows.dot(&stored); // (used, M)
                let loss = residuals(&mut r, &used, labels, weights);
                let back = rows.t().dot(&r); // (N, M)
                for ((g, back), u) in g.iter_mut().zip(back.outer_iter()).zip(onehot.outer_iter()) {
                    *g = back.dot(&u);
                }
                loss
            };
            let found = minimise(OP, &mut f, vec![0.0; n], ITERATIONS, 1e-9)?;
            let mut stored = onehot;
            stored.outer_iter_mut().zip(&found.at).for_each(|(mut row, q)| row *= *q);
            Ok(kernel.dot(&stored))
        }
    }
}

fn view(x: &[f64], rows: usize, columns: usize) -> ArrayView2<'_, f64> {
    ArrayView2::from_shape((rows, columns), x).expect("the variable has rows times columns entries")
}

/// Turns scores into `c (softmax - onehot)` and returns the loss.
fn residuals(scores: &mut Array2<f64>, used: &[usize], labels: &[usize], weights: &[f64]) -> f64 {
    let mut loss = 0.0;
    for (mut row, &x) in scores.outer_iter_mut().zip(used) {
        let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        let right = row[labels[x]];
        row.mapv_inplace(|s| (s - top).exp());
        let total = row.sum();
        loss += weights[x] * (total.ln() + top - right);
        row *= weights[x] / total;
        row[labels[x]] -= weights[x];
    }
    loss
}

pub(super) fn error_of(scores: &Array2<f64>, labels: &[usize], p: &[f64]) -> f64 {
    scores
        .outer_iter()
        .zip(labels)
        .zip(p)
        .filter(|((row, y), _)| margin(row.iter().copied(), **y) <= 0.0)
        .map(|(_, p)| p)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use workbench_ground::stats::Streams;

    fn task(n: usize, d: usize) -> (Embeddings, Vec<usize>, Vec<f64>) {
        let e = Embeddings::draw(n, 3, d, &mut Streams::new(2).stream("e").unwrap()).unwrap();
        (e, Target::modulo(3).unwrap().labels(n), Zipf::new(2.0, n).unwrap().probabilities(n))
    }

    #[test]
    fn more_freedom_never_hurts_much() {
        let (e, labels, p) = task(40, 8);
        let stored = [4, 8, 16, 24, 40];
        let hand = threshold_errors(&e, &labels, &p, &stored).unwrap();
        let hand = hand.into_iter().fold(f64::INFINITY, f64::min);
        let best = |freedom| best_trained_error(freedom, &e, &labels, &p, &stored, &[0.0, 0.5]).unwrap();
        let (weights, memory) = (best(Freedom::Weights), best(Freedom::Memory));
        assert!(weights <= hand && memory <= weights + 1e-3, "{memory} {weights} {hand}");
    }

    #[test]
    fn separable_inputs_are_all_recalled() {
        // As many dimensions as inputs: any labels can be had.
        let (e, labels, p) = task(12, 12);
        for freedom in [Freedom::Weights, Freedom::Memory] {
            assert_eq!(best_trained_error(freedom, &e, &labels, &p, &[12], &[0.0]).unwrap(), 0.0);
        }
        // Fewer dimensions than classes.
        let (e, labels, p) = task(9, 2);
        assert!(best_trained_error(Freedom::Memory, &e, &labels, &p, &[1, 3, 9], &[0.0]).unwrap() < 0.7);
    }

    #[test]
    fn many_embeddings_are_one_after_the_other() {
        let mut stream = Streams::new(4).stream("e").unwrap();
        let (_, labels, p) = task(20, 6);
        let list: Vec<Embeddings> = (0..5).map(|_| Embeddings::draw(20, 3, 6, &mut stream).unwrap()).collect();
        let of = |e: &Embeddings| best_trained_error(Freedom::Memory, e, &labels, &p, &[4, 8], &[0.0]).unwrap();
        let each: Vec<f64> = list.iter().map(of).collect();
        let all = best_trained_errors(Freedom::Memory, &list, &labels, &p, &[4, 8], &[0.0]).unwrap();
        assert_eq!(all, each);
        assert!(best_trained_errors(Freedom::Memory, &list, &labels, &p, &[21], &[0.0]).is_err());
    }

    #[test]
    fn refuses_bad_input() {
        let (e, labels, p) = task(12, 4);
        for (stored, rhos) in [(vec![], vec![0.0]), (vec![13], vec![0.0]), (vec![0], vec![0.0]), (vec![3], vec![])] {
            assert!(best_trained_error(Freedom::Memory, &e, &labels, &p, &stored, &rhos).is_err());
        }
        assert!(threshold_errors(&e, &labels, &p, &[13]).is_err());
        assert!(best_trained_error(Freedom::Memory, &e, &labels[1..], &p, &[3], &[0.0]).is_err());
    }
}
