//! The memory with a ReLU between query and stored inputs, which keeps every stored vector.

use crate::store::associative_memory::{check_labels, margin};
use crate::store::embedding::Embeddings;
use ndarray::{Array1, Array2, s};
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::{same, within};
use workbench_ground::work;

/// Queries handled at a time.
const BLOCK: usize = 128;

/// The memory with a ReLU between query and the P stored inputs.
///
/// $$ f_1(x)=\arg\max_yu_y^\top\sum_{x'}u_{f_*(x')}\,(e_{x'}^\top e_x-\eta)_+ $$
///
/// **Source**: Appendix A, Eq. 13.
///
/// **Shapes**: stored inputs `(P, d)`, outputs `(M, d)`. The stored vectors have to be kept: `P (d + 1)` numbers beside the outputs,
/// where the linear memory keeps `M d` class sums or a `d x d` matrix.
///
/// **Ties** count as errors, and a query that activates nothing ties at zero.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{Embeddings, ReluMemory, Target};
/// let embeddings = Embeddings::spherical(500, 5, 60, &mut Streams::new(1).stream("e")?)?;
/// let labels = Target::modulo(5)?.labels(500);
/// let memory = ReluMemory::store(&embeddings, &labels, 0.7)?;
/// // 500 associations in 60 dimensions, all recalled.
/// assert!(memory.margins(&embeddings.inputs, &labels)?.iter().all(|m| *m > 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReluMemory {
    stored: Array2<f64>,
    labels: Vec<usize>,
    gram: Array2<f64>,
    eta: f64,
}

impl ReluMemory {
    /// Stores every input of `embeddings` with its label.
    ///
    /// **Errors**: labels that do not match, a negative or non-finite eta.
    pub fn store(embeddings: &Embeddings, labels: &[usize], eta: f64) -> Result<ReluMemory, Error> {
        const OP: &str = "ReluMemory::store";
        check_labels(OP, labels, embeddings.inputs.nrows(), embeddings.outputs.nrows())?;
        let allowed = "a finite eta >= 0; below 1 for unit inputs, or nothing is active";
        within(OP, "eta", eta, eta >= 0.0, allowed)?;
        Ok(ReluMemory {
            stored: embeddings.inputs.clone(),
            labels: labels.to_vec(),
            gram: embeddings.outputs.dot(&embeddings.outputs.t()),
            eta,
        })
    }

    /// Scores of every row of `queries`: `(n_queries, n_classes)`.
    ///
    /// **Errors**: queries of another dimension, a request to stop.
    ///
    /// Cost: `n_queries P d` multiplications on all cores.
    pub fn scores(&self, queries: &Array2<f64>) -> Result<Array2<f64>, Error> {
        const OP: &str = "ReluMemory::scores";
        same(OP, ("query dim", queries.ncols()), ("memory dim", self.stored.ncols()))?;
        let (n, m) = (queries.nrows(), self.gram.nrows());
        let parts = (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|k| {
                let range = k * BLOCK..((k + 1) * BLOCK).min(n);
                let block = queries.slice(s![range.clone(), ..]);
                let mut classes = Array2::<f64>::zeros((block.nrows(), m));
                for (j, stored) in self.stored.axis_chunks_iter(ndarray::Axis(0), 4 * BLOCK).enumerate() {
                    work::check(OP, range.start, n)?;
                    let products = block.dot(&stored.t());
                    let labels = &self.labels[j * 4 * BLOCK..];
                    for (row, mut sums) in products.outer_iter().zip(classes.outer_iter_mut()) {
                        for (&product, &y) in row.iter().zip(labels) {
                            if product > self.eta {
                                sums[y] += product - self.eta;
                            }
                        }
                    }
                }
                Ok(classes.dot(&self.gram))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let mut scores = Array2::zeros((n, m));
        for (k, part) in parts.into_iter().enumerate() {
            scores.slice_mut(s![k * BLOCK..k * BLOCK + part.nrows(), ..]).assign(&part);
        }
        Ok(scores)
    }

    /// Score of the right class minus the best other score, for every row of `queries`.
    ///
    /// **Errors**: labels that do not match, and those of [`ReluMemory::scores`].
    pub fn margins(&self, queries: &Array2<f64>, labels: &[usize]) -> Result<Array1<f64>, Error> {
        let scores = self.scores(queries)?;
        check_labels("ReluMemory::margins", labels, scores.nrows(), scores.ncols())?;
        Ok(scores.outer_iter().zip(labels).map(|(row, &y)| margin(row.iter().copied(), y)).collect())
    }

    /// Whether every stored input is recalled.
    ///
    /// **Errors**: those of [`ReluMemory::scores`].
    pub fn recalls_all(&self) -> Result<bool, Error> {
        Ok(self.margins(&self.stored, &self.labels)?.iter().all(|m| *m > 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::theory::lemma_2::quasi_orthogonal::equiangular;
    use workbench_ground::stats::Streams;

    #[test]
    fn agrees_with_the_formula() {
        let e = Embeddings::spherical(300, 4, 6, &mut Streams::new(1).stream("e").unwrap()).unwrap();
        let labels = Target::modulo(4).unwrap().labels(300);
        let memory = ReluMemory::store(&e, &labels, 0.4).unwrap();
        let scores = memory.scores(&e.inputs).unwrap();
        for x in [0, 127, 128, 299] {
            let mut w = Array1::<f64>::zeros(6);
            for (stored, &y) in e.inputs.outer_iter().zip(&labels) {
                let active = (stored.dot(&e.inputs.row(x)) - 0.4).max(0.0);
                w.scaled_add(active, &e.outputs.row(y));
            }
            for y in 0..4 {
                assert!((scores[[x, y]] - e.outputs.row(y).dot(&w)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn quasi_orthogonal_inputs_are_recalled_and_a_crowd_just_above_is_not() {
        let (eta, crowd) = (0.5, 12);
        let outputs = Array2::eye(crowd + 1);
        let mut labels = vec![1; crowd + 1];
        labels[0] = 0;
        let at = |c: f64| {
            let e = Embeddings::from_parts(equiangular(crowd + 1, c).unwrap(), outputs.clone()).unwrap();
            ReluMemory::store(&e, &labels, eta).unwrap().recalls_all().unwrap()
        };
        assert!(at(0.4999));
        assert!(!at(0.55)); // 12 (0.55 - 0.5) > 1 - 0.5
        assert!(at(0.54)); // 12 (0.54 - 0.5) < 1 - 0.5
    }

    #[test]
    fn nothing_active_is_a_tie() {
        let e = Embeddings::from_parts(Array2::eye(3), Array2::eye(3)).unwrap();
        let memory = ReluMemory::store(&e, &[0, 1, 2], 1.0).unwrap();
        assert!(!memory.recalls_all().unwrap());
    }

    #[test]
    fn refuses_bad_input() {
        let e = Embeddings::from_parts(Array2::eye(3), Array2::eye(3)).unwrap();
        for eta in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(ReluMemory::store(&e, &[0, 1, 2], eta), Err(Error::Parameter { .. })));
        }
        assert!(matches!(ReluMemory::store(&e, &[0, 1], 0.1), Err(Error::Shape { .. })));
        assert!(matches!(ReluMemory::store(&e, &[0, 1, 3], 0.1), Err(Error::NoSuch { .. })));
        let memory = ReluMemory::store(&e, &[0, 1, 2], 0.1).unwrap();
        assert!(matches!(memory.scores(&Array2::eye(4)), Err(Error::Shape { .. })));
    }
}
