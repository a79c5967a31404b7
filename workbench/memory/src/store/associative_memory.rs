//! The associative memory itself: store, score, predict, and its exact error.

use crate::blocks::watched_blocks;
use crate::store::embedding::Embeddings;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, s};
use std::array;
use workbench_ground::Error;
use workbench_ground::check::{finite, positions, same};

/// Inputs of a column that are summed at a time, or as many as there are classes.
const ROWS: usize = 1024;
/// Columns that are summed at a time.
const COLUMNS: usize = 4;

/// The memory: a sum of outer products, kept as one sum of inputs for each class.
///
/// $$ W_q=\sum_xq(x)\,u_{f_*(x)}e_x^\top=\sum_yu_yS_y^\top,\qquad S_y=\sum_{x:f_*(x)=y}q(x)\,e_x,\qquad
/// f_q(x)=\arg\max_yu_y^\top W_qe_x $$
///
/// Scores are $(UU^\top)(Se_x)$: the matrix of size d by d is never formed.
///
/// **Source**: Eq. 1, Eq. 2 and Eq. 3.
///
/// **Ties** count as errors: an input is recalled when the score of its class is strictly above all others. A memory that
/// stores nothing scores zero everywhere and is always wrong.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{AssociativeMemory, Embeddings, Scheme, Target, Zipf};
/// let (law, target) = (Zipf::new(2.0, 20)?, Target::modulo(5)?);
/// let embeddings = Embeddings::draw(20, 5, 1000, &mut Streams::new(1).stream("e")?)?;
/// let weights = Scheme::uniform().population_weights(&law, 1000)?;
/// let labels = target.labels(20);
/// let memory = AssociativeMemory::store(&embeddings, &weights, &labels)?;
/// // 20 associations in 1000 dimensions are all recalled.
/// assert_eq!(memory.generalization_error(&embeddings, &labels, &law.probabilities(20))?, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "outer product memory")]
#[doc(alias = "Hebbian")]
pub struct AssociativeMemory {
    class_sums: Array2<f64>,
    gram: Array2<f64>,
    outputs: Array2<f64>,
}

/// Adds the weighted entries of at most [`COLUMNS`] columns to the sums of their classes, in the order of `stored`.
fn add_columns(
    class_sums: &mut ArrayViewMut2<'_, f64>,
    inputs: &ArrayView2<'_, f64>,
    stored: &[usize],
    class_and_weight: impl Fn(usize) -> (usize, f64),
) {
    // In the place of columns beyond the last stands the last, and what it adds up to is not kept.
    let columns: [_; COLUMNS] = array::from_fn(|c| inputs.column(c.min(inputs.ncols() - 1)));
    let held = |row: ArrayView1<'_, f64>| array::from_fn(|c| row.get(c).copied().unwrap_or_default());
    let mut sums: Vec<[f64; COLUMNS]> = class_sums.outer_iter().map(held).collect();
    for &x in stored {
        let (class, weight) = class_and_weight(x);
        sums[class].iter_mut().zip(&columns).for_each(|(sum, column)| *sum += weight * column[x]);
    }
    for (mut row, sum) in class_sums.outer_iter_mut().zip(&sums) {
        row.iter_mut().zip(sum).for_each(|(held, sum)| *held = *sum);
    }
}

impl AssociativeMemory {
    /// Stores every pair `(x, labels[x])` with weight `weights[x]`.
    ///
    /// Weights that are all zero give the empty memory $W=0$, the start of every training: all its scores tie, and ties count as
    /// errors. A [`Scheme`](crate::Scheme) and a [`Profile`](crate::Profile) refuse such weights.
    ///
    /// **Shapes**: `weights` and `labels` have one entry per input of `embeddings`.
    ///
    /// **Errors**: lengths that do not match, labels beyond the classes, weights that are not finite, [`Error::Stopped`].
    ///
    /// Cost: `N d`.
    pub fn store(embeddings: &Embeddings, weights: &[f64], labels: &[usize]) -> Result<AssociativeMemory, Error> {
        const OP: &str = "AssociativeMemory::store";
        let (n, d) = embeddings.inputs.dim();
        let m = embeddings.outputs.nrows();
        same_length(OP, "weights", weights.len(), n)?;
        check_labels(OP, labels, n, m)?;
        finite(OP, "weights", weights)?;
        let mut class_sums = Array2::zeros((m, d));
        for inputs in watched_blocks(OP, n, 2 * d) {
            let stored: Vec<usize> = inputs?.filter(|&x| weights[x] != 0.0).collect();
            if embeddings.inputs.is_standard_layout() {
                for x in stored {
                    class_sums.row_mut(labels[x]).scaled_add(weights[x], &embeddings.inputs.row(x));
                }
                continue;
            }
            // Drawn embeddings lie by columns: a row is then as many far reads, which for N a power of two meet in one place of a cache.
            for (stored, from) in
                stored.chunks(ROWS.max(m)).flat_map(|rows| (0..d).step_by(COLUMNS).map(move |from| (rows, from)))
            {
                let mut sums = class_sums.slice_mut(s![.., from..d.min(from + COLUMNS)]);
                add_columns(&mut sums, &embeddings.inputs.slice(s![.., from..]), stored, |x| (labels[x], weights[x]));
            }
        }
        let outputs = embeddings.outputs.clone();
        Ok(AssociativeMemory { gram: outputs.dot(&outputs.t()), class_sums, outputs })
    }

    /// Scores $u_y^\top We_x$ of every row $e_x$ of `inputs`: `(n_inputs, n_classes)`.
    ///
    /// **Errors**: inputs of another dimension, [`Error::Stopped`].
    ///
    /// Cost: `N M d + N M^2`; up to twice as long for drawn inputs whose number is a power of two, since their columns then meet in one
    /// place of a cache.
    pub fn scores(&self, inputs: &Array2<f64>) -> Result<Array2<f64>, Error> {
        let memory_dim = ("memory dim", self.class_sums.ncols());
        same("AssociativeMemory::scores", ("input dim", inputs.ncols()), memory_dim)?;
        let (n, (m, d)) = (inputs.nrows(), self.class_sums.dim());
        let mut scores = Array2::zeros((n, m));
        for rows in watched_blocks("AssociativeMemory::scores", n, 2 * m * (d + m)) {
            let rows = rows?;
            let block = inputs.slice(s![rows.clone(), ..]).dot(&self.class_sums.t());
            general_mat_mul(1.0, &block, &self.gram, 0.0, &mut scores.slice_mut(s![rows, ..]));
        }
        Ok(scores)
    }

    /// $f_W(x)$: the class of the highest score, the lowest index among equal ones.
    pub fn predict(&self, inputs: &Array2<f64>) -> Result<Vec<usize>, Error> {
        let scores = self.scores(inputs)?;
        Ok(scores
            .outer_iter()
            .map(|row| row.iter().enumerate().fold(0, |best, (y, &s)| if s > row[best] { y } else { best }))
            .collect())
    }

    /// Score of the right class minus the best other score; an input is recalled when this is positive.
    ///
    /// With one class there is no other score and the margin is infinite.
    pub fn margins(&self, embeddings: &Embeddings, labels: &[usize]) -> Result<Array1<f64>, Error> {
        let scores = self.scores(&embeddings.inputs)?;
        check_labels("AssociativeMemory::margins", labels, scores.nrows(), scores.ncols())?;
        Ok(scores.outer_iter().zip(labels).map(|(row, &y)| margin(row.iter().copied(), y)).collect())
    }

    /// The generalization error of Eq. 3, the mass of the inputs that are not recalled: $\mathcal E(f)=\sum_xp(x)\,1_{f(x)\ne f_*(x)}$.
    ///
    /// **Shapes**: `labels` and `p` have one entry per input.
    pub fn generalization_error(&self, embeddings: &Embeddings, labels: &[usize], p: &[f64]) -> Result<f64, Error> {
        let margins = self.margins(embeddings, labels)?;
        same_length("AssociativeMemory::generalization_error", "p", p.len(), margins.len())?;
        Ok(margins.iter().zip(p).filter(|(m, _)| **m <= 0.0).map(|(_, p)| p).sum())
    }

    /// The matrix W, `(d, d)`; for pictures and cross-checks only.
    pub fn matrix(&self) -> Array2<f64> {
        self.outputs.t().dot(&self.class_sums)
    }
}

/// Margin of class `y` within one row of scores.
pub(crate) fn margin(scores: impl Iterator<Item = f64>, y: usize) -> f64 {
    let (mut right, mut best) = (f64::NAN, f64::NEG_INFINITY);
    for (k, s) in scores.enumerate() {
        if k == y { right = s } else { best = best.max(s) }
    }
    right - best
}

pub(crate) fn same_length(op: &'static str, name: &'static str, len: usize, n: usize) -> Result<(), Error> {
    same(op, (name, len), ("number of inputs", n))
}

pub(crate) fn check_labels(op: &'static str, labels: &[usize], n: usize, m: usize) -> Result<(), Error> {
    same_length(op, "labels", labels.len(), n)?;
    positions(op, "class", labels, m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use crate::store::scheme::Scheme;
    use ndarray::array;
    use workbench_ground::stats::Streams;

    #[test]
    fn rows_and_columns_are_stored_with_the_same_bits() {
        for (n, d) in [(1, 1), (ROWS + 3, 2 * COLUMNS - 1), (2 * ROWS, COLUMNS)] {
            let drawn = Embeddings::draw(n, 7, d, &mut Streams::new(1).stream("embeddings").unwrap()).unwrap();
            let by_rows = Embeddings { inputs: drawn.inputs.as_standard_layout().into_owned(), ..drawn.clone() };
            let labels: Vec<usize> = (0..n).map(|x| x * x % 7).collect();
            let weights: Vec<f64> = (0..n).map(|x| if x % 5 == 2 { 0.0 } else { 1.0 / (1 + x) as f64 }).collect();
            let stored = |e: &Embeddings| AssociativeMemory::store(e, &weights, &labels).unwrap();
            assert!(n == 1 || !drawn.inputs.is_standard_layout());
            assert_eq!(stored(&drawn), stored(&by_rows), "{n} inputs of dimension {d}");
        }
    }

    /// The slow twin: forms W entry by entry and scores with it.
    fn slow_error(e: &Embeddings, q: &[f64], labels: &[usize], p: &[f64]) -> f64 {
        let (n, d) = e.inputs.dim();
        let m = e.outputs.nrows();
        let mut w = Array2::<f64>::zeros((d, d));
        for x in 0..n {
            for i in 0..d {
                for j in 0..d {
                    w[[i, j]] += q[x] * e.outputs[[labels[x], i]] * e.inputs[[x, j]];
                }
            }
        }
        let mut error = 0.0;
        for x in 0..n {
            let we = w.dot(&e.inputs.row(x));
            let score = |y: usize| e.outputs.row(y).dot(&we);
            if (0..m).any(|y| y != labels[x] && score(y) >= score(labels[x])) {
                error += p[x];
            }
        }
        error
    }

    #[test]
    fn agrees_with_the_matrix_form() {
        let streams = Streams::new(2);
        for (i, (n, m, d)) in [(1, 2, 1), (7, 3, 2), (20, 5, 4), (30, 5, 30), (12, 4, 50)].into_iter().enumerate() {
            let mut stream = streams.replicate("twin", i).unwrap();
            let e = Embeddings::draw(n, m, d, &mut stream).unwrap();
            let law = Zipf::new(1.5, n).unwrap();
            let labels = Target::modulo(m).unwrap().labels(n);
            for scheme in [Scheme::uniform(), Scheme::power(1.0).unwrap()] {
                let q = scheme.population_weights(&law, d).unwrap();
                let memory = AssociativeMemory::store(&e, &q, &labels).unwrap();
                let p = law.probabilities(n);
                let fast = memory.generalization_error(&e, &labels, &p).unwrap();
                assert!((fast - slow_error(&e, &q, &labels, &p)).abs() < 1e-12);
                let by_matrix = e.inputs.dot(&memory.matrix().t()).dot(&e.outputs.t());
                let scores = memory.scores(&e.inputs).unwrap();
                assert!((&by_matrix - &scores).iter().all(|x| x.abs() < 1e-9 * d as f64));
                for (x, y) in memory.predict(&e.inputs).unwrap().into_iter().enumerate() {
                    assert_eq!(y == labels[x], memory.margins(&e, &labels).unwrap()[x] > 0.0);
                }
            }
        }
    }

    #[test]
    fn three_associations_by_hand() {
        // Orthonormal inputs and outputs: everything stored is recalled, whatever the positive weights.
        let e = Embeddings { inputs: Array2::eye(3), outputs: Array2::eye(3) };
        let memory = AssociativeMemory::store(&e, &[0.1, 5.0, 1.0], &[0, 1, 2]).unwrap();
        assert_eq!(memory.margins(&e, &[0, 1, 2]).unwrap(), array![0.1, 5.0, 1.0]);
        // A negative weight stores the opposite.
        let memory = AssociativeMemory::store(&e, &[-1.0, 1.0, 1.0], &[0, 1, 2]).unwrap();
        assert_eq!(memory.generalization_error(&e, &[0, 1, 2], &[0.5, 0.3, 0.2]).unwrap(), 0.5);
    }

    #[test]
    fn empty_memory_is_always_wrong() {
        let e = Embeddings::draw(4, 2, 3, &mut Streams::new(1).stream("e").unwrap()).unwrap();
        let memory = AssociativeMemory::store(&e, &[0.0; 4], &[0, 1, 0, 1]).unwrap();
        assert_eq!(memory.generalization_error(&e, &[0, 1, 0, 1], &[0.25; 4]).unwrap(), 1.0);
    }

    #[test]
    fn refuses_bad_input() {
        let e = Embeddings::draw(4, 2, 3, &mut Streams::new(1).stream("e").unwrap()).unwrap();
        assert!(matches!(
            AssociativeMemory::store(&e, &[1.0; 3], &[0; 4]),
            Err(Error::Shape { left, right, .. }) if left == [3] && right == [4]
        ));
        assert!(matches!(
            AssociativeMemory::store(&e, &[1.0; 4], &[0; 5]),
            Err(Error::Shape { left, .. }) if left == [5]
        ));
        assert!(matches!(
            AssociativeMemory::store(&e, &[1.0; 4], &[2; 4]),
            Err(Error::NoSuch { index: 2, len: 2, .. })
        ));
        assert!(matches!(
            AssociativeMemory::store(&e, &[f64::NAN; 4], &[0; 4]),
            Err(Error::NotFinite { name: "weights", .. })
        ));
        let memory = AssociativeMemory::store(&e, &[1.0; 4], &[0; 4]).unwrap();
        assert!(matches!(memory.scores(&Array2::zeros((2, 4))), Err(Error::Shape { .. })));
        assert!(memory.generalization_error(&e, &[0; 4], &[0.5; 2]).is_err());
    }
}
