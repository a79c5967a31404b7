//! Training task: embeddings, labels, the law of the inputs and where the weights start.

use crate::blocks::watched_blocks;
use crate::store::associative_memory::{check_labels, same_length};
use crate::store::embedding::Embeddings;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, Axis, s};
use rand::RngCore;
use std::sync::{Arc, OnceLock};
use workbench_ground::Error;
use workbench_ground::check::{entries, finite_matrix, positive, same, within};
use workbench_ground::stats::Stream;

const OP: &str = "TrainingTask::new";

/// A classification task of the associative memory: fixed embeddings, labels, law, and the weights at the start.
///
/// Clones share their data, so one task can serve many runs.
///
/// **Shapes**: `labels` and `p` have one entry per row of `embeddings.inputs`. Inputs are named by their row: row `x - 1` is rank x.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{Embeddings, Method, Target, TrainingRun, TrainingTask, Zipf};
/// let streams = Streams::new(1);
/// let (law, target) = (Zipf::new(2.0, 20)?, Target::modulo(5)?);
/// let embeddings = Embeddings::draw(20, 5, 100, &mut streams.stream("e")?)?;
/// let task = TrainingTask::new(embeddings, &target.labels(20), &law.probabilities(20))?;
/// let mut descent = TrainingRun::new(&task, &Method::sgd(10.0)?)?;
/// descent.advance(5000, &mut streams.stream("data")?)?;
/// assert!(descent.error()? < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrainingTask {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    embeddings: Embeddings,
    labels: Vec<usize>,
    p: Vec<f64>,
    sampler: Sampler,
    gram: Array2<f64>,
    squared_norms: Vec<f64>,
    start: Option<Start>,
    kernel: OnceLock<Array2<f64>>,
}

/// Weights before the first step and what follows from them.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub weights: Array2<f64>,
    /// $UW_0$, `(M, d)`.
    pub classes: Array2<f64>,
    pub square: f64,
}

impl TrainingTask {
    /// A task whose weights start at zero.
    ///
    /// **Errors**: lengths that do not match, labels beyond the classes, embeddings that are not finite, probabilities that are negative,
    /// not finite or do not sum to one (to 1e-9).
    pub fn new(embeddings: Embeddings, labels: &[usize], p: &[f64]) -> Result<TrainingTask, Error> {
        let (n, d) = embeddings.inputs.dim();
        let m = embeddings.outputs.nrows();
        for (name, size) in [("inputs (N)", n), ("classes (M)", m), ("dim (d)", d)] {
            positive(OP, name, size)?;
        }
        same(OP, ("output dim", embeddings.outputs.ncols()), ("input dim", d))?;
        check_labels(OP, labels, n, m)?;
        same_length(OP, "p", p.len(), n)?;
        let allowed = "finite probabilities, 0 or above";
        entries(OP, "p", p, |p| p.is_finite() && p >= 0.0, allowed)?;
        let sum: f64 = p.iter().sum();
        let allowed = "probabilities that sum to one";
        within(OP, "sum of p", sum, (sum - 1.0).abs() <= 1e-9, allowed)?;
        finite_matrix(OP, "input embeddings", &embeddings.inputs)?;
        finite_matrix(OP, "output embeddings", &embeddings.outputs)?;
        // One input after the other in memory: descent walks along rows.
        let embeddings = Embeddings {
            inputs: embeddings.inputs.as_standard_layout().into_owned(),
            outputs: embeddings.outputs.as_standard_layout().into_owned(),
        };
        Ok(TrainingTask {
            inner: Arc::new(Inner {
                labels: labels.to_vec(),
                p: p.to_vec(),
                sampler: Sampler::new(p),
                gram: embeddings.outputs.dot(&embeddings.outputs.t()),
                squared_norms: embeddings.inputs.map_axis(Axis(1), |e| e.dot(&e)).to_vec(),
                start: None,
                kernel: OnceLock::new(),
                embeddings,
            }),
        })
    }

    /// The same task with weights that start at `weights`, `(d, d)`.
    ///
    /// **Errors**: another shape, entries that are not finite.
    pub fn starting_at(&self, weights: Array2<f64>) -> Result<TrainingTask, Error> {
        const OP: &str = "TrainingTask::starting_at";
        let d = self.dim();
        for (left_name, left) in [("rows of W", weights.nrows()), ("columns of W", weights.ncols())] {
            same(OP, (left_name, left), ("dim (d)", d))?;
        }
        finite_matrix(OP, "first weights", &weights)?;
        let inner = &self.inner;
        Ok(TrainingTask {
            inner: Arc::new(Inner {
                embeddings: inner.embeddings.clone(),
                labels: inner.labels.clone(),
                p: inner.p.clone(),
                sampler: inner.sampler.clone(),
                gram: inner.gram.clone(),
                squared_norms: inner.squared_norms.clone(),
                kernel: inner.kernel.clone(),
                start: Some(Start {
                    classes: inner.embeddings.outputs.dot(&weights),
                    square: weights.iter().map(|w| w * w).sum(),
                    weights,
                }),
            }),
        })
    }

    /// The embeddings.
    pub fn embeddings(&self) -> &Embeddings {
        &self.inner.embeddings
    }

    /// $f_\ast(x)$ of each input.
    pub fn labels(&self) -> &[usize] {
        &self.inner.labels
    }

    /// `p(x)` of each input.
    pub fn probabilities(&self) -> &[f64] {
        &self.inner.p
    }

    /// The number of inputs N.
    pub fn n_inputs(&self) -> usize {
        self.inner.embeddings.inputs.nrows()
    }

    /// The number of classes M.
    pub fn n_classes(&self) -> usize {
        self.inner.embeddings.outputs.nrows()
    }

    /// The dimension d.
    pub fn dim(&self) -> usize {
        self.inner.embeddings.dim()
    }

    /// Inner products of the outputs, `(M, M)`.
    pub fn gram(&self) -> &Array2<f64> {
        &self.inner.gram
    }

    /// One input drawn from the law, by its row.
    pub fn sample(&self, stream: &mut Stream) -> usize {
        self.inner.sampler.sample(stream)
    }

    /// The shares of the inputs in a batch of `size` draws, in `out`.
    pub(super) fn shares(&self, size: usize, stream: &mut Stream, out: &mut [f64]) {
        // Two lists of counts: a frequent input comes often twice in a row, and its next count need not wait for the last one.
        let mut counts = vec![[0u32; 2]; out.len()];
        let sampler = &self.inner.sampler;
        for i in 0..size {
            counts[sampler.sample(stream)][i & 1] += 1;
        }
        for (out, [even, odd]) in out.iter_mut().zip(counts) {
            *out = (f64::from(even) + f64::from(odd)) / size as f64;
        }
    }

    pub(super) fn start(&self) -> Option<&Start> {
        self.inner.start.as_ref()
    }

    pub(super) fn squared_norms(&self) -> &[f64] {
        &self.inner.squared_norms
    }

    /// Inner products of the inputs, `(N, N)`; computed once.
    ///
    /// **Errors**: [`Error::Stopped`].
    ///
    /// Cost: `N^2 d` the first time.
    pub fn kernel(&self) -> Result<&Array2<f64>, Error> {
        if let Some(kernel) = self.inner.kernel.get() {
            return Ok(kernel);
        }
        let inputs = &self.inner.embeddings.inputs;
        let (n, d) = inputs.dim();
        let mut kernel = Array2::zeros((n, n));
        for rows in watched_blocks("TrainingTask::kernel", n, 2 * n * d) {
            let rows = s![rows?, ..];
            general_mat_mul(1.0, &inputs.slice(rows), &inputs.t(), 0.0, &mut kernel.slice_mut(rows));
        }
        Ok(self.inner.kernel.get_or_init(|| kernel))
    }
}

/// Draws positions from a list of probabilities, one word of the stream a draw (Walker's alias table).
#[derive(Clone, Debug)]
struct Sampler {
    /// Position kept when the low half of `word * n` is below the threshold, and the alias.
    cells: Vec<(u64, u32)>,
}

impl Sampler {
    fn new(p: &[f64]) -> Sampler {
        let n = p.len();
        let total: f64 = p.iter().sum();
        let mut share: Vec<f64> = p.iter().map(|p| p / total * n as f64).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| share[i] < 1.0);
        // What is left over by rounding keeps its own position.
        let mut cells: Vec<(u64, u32)> = (0..n).map(|i| (u64::MAX, i as u32)).collect();
        while let (Some(i), Some(&j)) = (small.pop(), large.last()) {
            cells[i] = ((share[i] * 2f64.powi(64)) as u64, j as u32);
            share[j] -= 1.0 - share[i];
            if share[j] < 1.0 {
                large.pop();
                small.push(j);
            }
        }
        Sampler { cells }
    }

    #[inline]
    fn sample(&self, stream: &mut Stream) -> usize {
        let product = u128::from(stream.next_u64()) * self.cells.len() as u128;
        let (i, rest) = ((product >> 64) as usize, product as u64);
        let (threshold, alias) = self.cells[i];
        if rest < threshold { i } else { alias as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::goodness::chi_square_fit;
    use crate::data::target::Target;
    use crate::data::zipf::{Counts, Zipf};
    use workbench_ground::stats::Streams;

    #[test]
    fn samples_follow_the_law() {
        // The table itself: the probability of each position, exactly.
        for p in [vec![1.0], vec![0.5, 0.0, 0.5], Zipf::new(2.0, 37).unwrap().probabilities(37)] {
            let sampler = Sampler::new(&p);
            let mut mass = vec![0.0; p.len()];
            for (i, &(threshold, alias)) in sampler.cells.iter().enumerate() {
                let kept = threshold as f64 / 2f64.powi(64);
                mass[i] += kept / p.len() as f64;
                mass[alias as usize] += (1.0 - kept) / p.len() as f64;
            }
            assert!(mass.iter().zip(&p).all(|(a, b)| (a - b).abs() < 1e-14), "{mass:?}");
        }
        let law = Zipf::new(1.0, 10).unwrap();
        let sampler = Sampler::new(&law.probabilities(10));
        let mut stream = Streams::new(3).stream("s").unwrap();
        let mut counts = [0usize; 10];
        (0..100_000).for_each(|_| counts[sampler.sample(&mut stream)] += 1);
        let counts = Counts { seen: (1..).zip(counts).collect(), total: 100_000 };
        let fit = chi_square_fit(&counts, &law, 10.0).unwrap();
        assert!(fit.p_value > 1e-3, "{fit:?}");
    }

    #[test]
    fn refuses_bad_input() {
        let e = Embeddings::draw(3, 2, 4, &mut Streams::new(1).stream("e").unwrap()).unwrap();
        let p = Zipf::new(1.0, 3).unwrap().probabilities(3);
        let labels = Target::modulo(2).unwrap().labels(3);
        assert!(TrainingTask::new(e.clone(), &labels, &p).is_ok());
        for (labels, p) in [
            (vec![0, 1], p.clone()),
            (vec![0, 1, 2], p.clone()),
            (labels.clone(), vec![0.5, 0.5]),
            (labels.clone(), vec![0.5, 0.6, -0.1]),
            (labels.clone(), vec![0.5, f64::NAN, 0.5]),
            (labels.clone(), vec![0.5, 0.2, 0.2]),
        ] {
            assert!(TrainingTask::new(e.clone(), &labels, &p).is_err());
        }
        let mut broken = e.clone();
        broken.inputs[[1, 1]] = f64::INFINITY;
        assert!(matches!(
            TrainingTask::new(broken, &labels, &p),
            Err(Error::NotFinite { name: "input embeddings", .. })
        ));
        let mut narrow = e.clone();
        narrow.outputs = Array2::ones((2, 3));
        assert!(matches!(
            TrainingTask::new(narrow, &labels, &p),
            Err(Error::Shape { left, right, .. }) if left == [3] && right == [4]
        ));
        let task = TrainingTask::new(e, &labels, &p).unwrap();
        assert!(task.starting_at(Array2::zeros((4, 3))).is_err());
        assert!(task.starting_at(Array2::from_elem((4, 4), f64::NAN)).is_err());
    }
}
