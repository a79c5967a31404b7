//! Embeddings that are computed when needed instead of stored, and the exact error of a memory built on them.

use crate::generalization::normals::row_of_normals;
use crate::store::embedding::Embeddings;
use ndarray::{Array1, Array2};
use rand::RngCore;
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::{finite, position, positions, positive, same};
use workbench_ground::lanes::Precision;
use workbench_ground::stats::Stream;
use workbench_ground::{vectorized, work};

/// Embeddings kept between the two passes, as numbers; beyond this they are computed twice.
const KEPT: usize = 1 << 24;
/// Partial sums of S that are kept side by side.
const MOST_PARTS: usize = 128;
/// Rows handled by one job at least.
const LEAST_ROWS: usize = 32;
/// Accumulators of a dot product.
const LANES: usize = 16;

/// Random embeddings $e_x\sim\mathcal N(0,I_d)$ and $u_y$ uniform on the sphere, as a function of a key: nothing is stored.
///
/// **Source**: Section 2, Eq. 1; the error is that of Eq. 3, exactly.
///
/// Coordinates are single-precision Gaussians from a counter-based generator, so any row can be computed again: the same numbers in both
/// precisions, which are those of sums and scores. Results do not depend on the machine's vector width nor on the number of threads.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{EmbeddingField, Precision, Scheme, Target, Zipf};
/// let (law, labels) = (Zipf::new(2.0, 300)?, Target::modulo(5)?.labels(300));
/// let field = EmbeddingField::new(300, 5, 100, &mut Streams::new(1).stream("field")?)?;
/// let q = Scheme::power(1.0)?.population_weights(&law, 100)?;
/// let p = law.probabilities(300);
/// let single = field.generalization_error(&q, &labels, &p, Precision::Single)?;
/// let double = field.generalization_error(&q, &labels, &p, Precision::Double)?;
/// assert!((single - double).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingField {
    key: [u32; 8],
    n_inputs: usize,
    n_classes: usize,
    dim: usize,
}

/// The two float types.
trait Real: Copy + Send + Sync + Default + PartialOrd + std::ops::AddAssign + std::ops::Add<Output = Self> {
    fn of(value: f64) -> Self;
    fn times(self, coordinate: f32) -> Self;
    fn product(self, other: Self) -> Self;
    fn wide(self) -> f64;
}

impl Real for f32 {
    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn times(self, coordinate: f32) -> f32 {
        self * coordinate
    }
    #[inline(always)]
    fn product(self, other: f32) -> f32 {
        self * other
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn times(self, coordinate: f32) -> f64 {
        self * f64::from(coordinate)
    }
    #[inline(always)]
    fn product(self, other: f64) -> f64 {
        self * other
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
}

/// `sum_i a_i b_i` with a fixed order of additions.
#[inline(always)]
fn dot<R: Real>(a: &[R], b: &[f32]) -> R {
    let mut sums = [R::default(); LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut rest = R::default();
    for (x, y) in a_chunks.remainder().iter().zip(b_chunks.remainder()) {
        rest += x.times(*y);
    }
    for (x, y) in a_chunks.zip(b_chunks) {
        for l in 0..LANES {
            sums[l] += x[l].times(y[l]);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            sums[l] += sums[l + width];
        }
        width /= 2;
    }
    sums[0] + rest
}

vectorized! {
    /// Adds `q(x) e_x` to the class sums for the rows `first..`; fills `kept` if it has room for them.
    fn add_rows<R: Real>(key: &[u32; 8], first: usize, weights: &[f64], labels: &[usize], sums: &mut [R], kept: &mut [f32], dim: usize) {
        let (mut row, keeps) = (vec![0.0f32; dim], !kept.is_empty());
        for (i, (&q, &y)) in weights.iter().zip(labels).enumerate() {
            let e: &mut [f32] = if keeps { &mut kept[i * dim..(i + 1) * dim] } else { &mut row };
            if q == 0.0 && !keeps {
                continue;
            }
            row_of_normals(key, (first + i) as u64, e);
            let q = R::of(q);
            for (s, &c) in sums[y * dim..(y + 1) * dim].iter_mut().zip(e.iter()) {
                *s += q.times(c);
            }
        }
    }
}

/// What scores are made of: class sums `(M, d)` and the Gram matrix of the outputs `(M, M)`, row by row.
#[derive(Clone, Copy)]
struct Scorer<'a, R> {
    sums: &'a [R],
    gram: &'a [R],
    dim: usize,
}

vectorized! {
    /// Margins of the rows `first..`; the embeddings are those in `kept`, or computed again if it is empty.
    fn margins_of_rows<R: Real>(key: &[u32; 8], first: usize, labels: &[usize], scorer: Scorer<'_, R>, kept: &[f32], out: &mut [f64]) {
        let Scorer { sums, gram, dim } = scorer;
        let m = sums.len() / dim;
        let mut row = vec![0.0f32; dim];
        let mut projections = vec![R::default(); m];
        for (i, (&label, slot)) in labels.iter().zip(out).enumerate() {
            let e: &[f32] = if kept.is_empty() {
                row_of_normals(key, (first + i) as u64, &mut row);
                &row
            } else {
                &kept[i * dim..(i + 1) * dim]
            };
            for (h, s) in projections.iter_mut().zip(sums.chunks_exact(dim)) {
                *h = dot(s, e);
            }
            let score = |y: usize| {
                let mut sum = R::default();
                for (g, h) in gram[y * m..(y + 1) * m].iter().zip(&projections) {
                    sum += g.product(*h);
                }
                sum.wide()
            };
            let mut best = f64::NEG_INFINITY;
            for y in (0..m).filter(|&y| y != label) {
                best = best.max(score(y));
            }
            *slot = score(label) - best;
        }
    }
}

impl EmbeddingField {
    /// Embeddings whose key is drawn from `stream`.
    ///
    /// **Errors**: a zero size.
    pub fn new(n_inputs: usize, n_classes: usize, dim: usize, stream: &mut Stream) -> Result<EmbeddingField, Error> {
        for (name, value) in [("n_inputs (N)", n_inputs), ("n_classes (M)", n_classes), ("dim (d)", dim)] {
            positive("EmbeddingField::new", name, value)?;
        }
        Ok(EmbeddingField { key: std::array::from_fn(|_| stream.next_u32()), n_inputs, n_classes, dim })
    }

    /// The number of inputs N.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// The embedding of the input at position `x` (0 for rank 1).
    ///
    /// **Errors**: a position beyond N.
    pub fn input(&self, x: usize) -> Result<Vec<f32>, Error> {
        position("EmbeddingField::input", "input", x, self.n_inputs)?;
        let mut row = vec![0.0; self.dim];
        row_of_normals(&self.key, x as u64, &mut row);
        Ok(row)
    }

    /// The output embeddings, `(n_classes, dim)`, rows of norm one in double precision.
    pub fn outputs(&self) -> Array2<f64> {
        let mut outputs = Array2::zeros((self.n_classes, self.dim));
        let mut row = vec![0.0f32; self.dim];
        for (y, mut line) in outputs.outer_iter_mut().enumerate() {
            // Rows from the end of the counter's range: no number of inputs reaches them.
            row_of_normals(&self.key, u64::MAX - y as u64, &mut row);
            let norm = row.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
            for (slot, &v) in line.iter_mut().zip(&row) {
                *slot = f64::from(v) / norm;
            }
        }
        outputs
    }

    /// The same embeddings as stored arrays, for everything else in this room. Costs `8 N d` bytes.
    pub fn embeddings(&self) -> Embeddings {
        let mut inputs = Array2::zeros((self.n_inputs, self.dim));
        let mut row = vec![0.0f32; self.dim];
        for (x, mut line) in inputs.outer_iter_mut().enumerate() {
            row_of_normals(&self.key, x as u64, &mut row);
            for (slot, &v) in line.iter_mut().zip(&row) {
                *slot = f64::from(v);
            }
        }
        Embeddings { inputs, outputs: self.outputs() }
    }

    /// Margin of each input: score of its class minus the best other score.
    ///
    /// Scores are $(UU^\top)(Se_x)$ with the class sums $S_y=\sum_{x:f_\ast(x)=y}q(x)\,e_x$; W is never formed. The embeddings are kept
    /// between the two passes while $Nd\le2^{24}$ and computed twice beyond.
    ///
    /// **Shapes**: `weights` and `labels` have one entry per input.
    ///
    /// **Errors**: lengths that do not match, labels beyond the classes, weights that are not finite, a request to stop.
    ///
    /// Cost: `N d` Gaussians (twice beyond 2^24) and `2 N M d` operations on all cores; memory `4 N d` bytes at most 64 MiB, `128 M d` numbers
    /// and a few numbers per input.
    pub fn margins(&self, weights: &[f64], labels: &[usize], precision: Precision) -> Result<Array1<f64>, Error> {
        const OP: &str = "EmbeddingField::margins";
        for (name, len) in [("weights", weights.len()), ("labels", labels.len())] {
            same(OP, (name, len), ("number of inputs", self.n_inputs))?;
        }
        positions(OP, "class", labels, self.n_classes)?;
        finite(OP, "weights", weights)?;
        match precision {
            Precision::Single => self.compute::<f32>(weights, labels),
            Precision::Double => self.compute::<f64>(weights, labels),
        }
    }

    /// The generalization error of Eq. 3 for these embeddings; ties count as errors.
    ///
    /// **Errors**: those of [`EmbeddingField::margins`], and a `p` of another length. Cost: as there, linear in N and in d; with weights,
    /// labels and `p` it holds five numbers per input, 4 GB for 10^8.
    pub fn generalization_error(
        &self,
        weights: &[f64],
        labels: &[usize],
        p: &[f64],
        precision: Precision,
    ) -> Result<f64, Error> {
        let inputs = ("number of inputs", self.n_inputs);
        same("EmbeddingField::generalization_error", ("p", p.len()), inputs)?;
        let margins = self.margins(weights, labels, precision)?;
        Ok(margins.iter().zip(p).filter(|(m, _)| **m <= 0.0).map(|(_, p)| p).sum())
    }

    fn compute<R: Real>(&self, weights: &[f64], labels: &[usize]) -> Result<Array1<f64>, Error> {
        const OP: &str = "exact error of a memory";
        let (n, m, d) = (self.n_inputs, self.n_classes, self.dim);
        // Predictions do not change under q -> c q; a largest weight of one keeps single precision in range.
        let largest = weights.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let weights: Vec<f64> = weights.iter().map(|w| w / scale).collect();
        let outputs = self.outputs();
        let gram: Vec<R> = outputs.dot(&outputs.t()).iter().map(|&g| R::of(g)).collect();
        // The partition depends on N alone, so the result does not depend on the number of threads.
        let rows = n.div_ceil(MOST_PARTS).max(LEAST_ROWS);
        let mut kept = vec![0.0f32; if n * d <= KEPT { n * d } else { 0 }];
        let keeps = !kept.is_empty();
        let parts = kept_chunks(&mut kept, rows * d, n.div_ceil(rows));
        let partial = parts
            .into_par_iter()
            .enumerate()
            .map(|(k, kept)| {
                let range = k * rows..((k + 1) * rows).min(n);
                let mut sums = vec![R::default(); m * d];
                self.in_steps(OP, range.clone(), n, |from, to| {
                    let room = if keeps {
                        &mut kept[(from - range.start) * d..(to - range.start) * d]
                    } else {
                        &mut kept[..0]
                    };
                    add_rows(&self.key, from, &weights[from..to], &labels[from..to], &mut sums, room, d);
                })?;
                Ok(sums)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let mut sums = vec![R::default(); m * d];
        for part in partial {
            for (total, value) in sums.iter_mut().zip(part) {
                *total += value;
            }
        }
        let scorer = Scorer { sums: &sums, gram: &gram, dim: d };
        let mut margins = vec![0.0; n];
        margins.par_chunks_mut(rows).enumerate().try_for_each(|(k, out)| {
            let range = k * rows..((k + 1) * rows).min(n);
            self.in_steps(OP, range.clone(), n, |from, to| {
                let room = if keeps { &kept[from * d..to * d] } else { &kept[..0] };
                let out = &mut out[from - range.start..to - range.start];
                margins_of_rows(&self.key, from, &labels[from..to], scorer, room, out);
            })
        })?;
        Ok(Array1::from(margins) * scale)
    }

    /// Cuts a range of rows into steps of about a millisecond and looks at requests to stop between them.
    fn in_steps(
        &self,
        op: &'static str,
        range: std::ops::Range<usize>,
        n: usize,
        mut step: impl FnMut(usize, usize),
    ) -> Result<(), Error> {
        let size = ((1 << 19) / self.dim).max(1);
        let mut from = range.start;
        while from < range.end {
            work::check(op, from, n)?;
            let to = (from + size).min(range.end);
            step(from, to);
            from = to;
        }
        Ok(())
    }
}

/// The kept embeddings, one piece per job; empty pieces when nothing is kept.
fn kept_chunks(kept: &mut [f32], size: usize, jobs: usize) -> Vec<&mut [f32]> {
    if kept.is_empty() { (0..jobs).map(|_| Default::default()).collect() } else { kept.chunks_mut(size).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use crate::data::zipf::Zipf;
    use crate::store::associative_memory::AssociativeMemory;
    use crate::store::scheme::Scheme;
    use workbench_ground::stats::Streams;

    fn field(n: usize, m: usize, d: usize) -> EmbeddingField {
        EmbeddingField::new(n, m, d, &mut Streams::new(5).stream("field").unwrap()).unwrap()
    }

    #[test]
    fn agrees_with_stored_embeddings() {
        for (n, m, d) in [(1, 1, 1), (7, 3, 2), (40, 5, 17), (100, 5, 128), (3000, 5, 300)] {
            let (field, law) = (field(n, m, d), Zipf::new(1.5, n).unwrap());
            let labels = Target::modulo(m).unwrap().labels(n);
            let q = Scheme::power(0.5).unwrap().population_weights(&law, d).unwrap();
            let embeddings = field.embeddings();
            let slow =
                AssociativeMemory::store(&embeddings, &q, &labels).unwrap().margins(&embeddings, &labels).unwrap();
            let double = field.margins(&q, &labels, Precision::Double).unwrap();
            let single = field.margins(&q, &labels, Precision::Single).unwrap();
            for x in 0..n {
                if m == 1 {
                    assert_eq!(double[x], f64::INFINITY);
                    continue;
                }
                assert!((double[x] - slow[x]).abs() < 1e-11 * d as f64, "{x}: {} {}", double[x], slow[x]);
                assert!((single[x] - slow[x]).abs() < 1e-4 * d as f64, "{x}: {} {}", single[x], slow[x]);
            }
        }
    }

    #[test]
    fn regenerating_equals_keeping() {
        // 66,000 rows of 256 numbers are beyond the limit; the first rows alone are not.
        let (n, d) = (66_000, 256);
        let big = field(n, 2, d);
        let labels = Target::modulo(2).unwrap().labels(n);
        let mut q = vec![0.0; n];
        q[..2000].fill(1.0);
        let all = big.margins(&q, &labels, Precision::Double).unwrap();
        let embeddings = field(2000, 2, d).embeddings();
        let few = AssociativeMemory::store(&embeddings, &q[..2000], &labels[..2000]).unwrap();
        let few = few.margins(&embeddings, &labels[..2000]).unwrap();
        for x in 0..2000 {
            assert!((all[x] - few[x]).abs() < 1e-9, "{x}");
        }
        assert_eq!(big.input(65_999).unwrap().len(), d);
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let field = field(500, 5, 70);
        let labels = Target::modulo(5).unwrap().labels(500);
        let q = vec![1.0; 500];
        let run = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(|| field.margins(&q, &labels, Precision::Single).unwrap())
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(5).stream("bad").unwrap();
        for (n, m, d) in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
            assert!(matches!(EmbeddingField::new(n, m, d, &mut stream), Err(Error::Zero { .. })));
        }
        let field = field(4, 2, 3);
        let p = [0.25; 4];
        assert!(matches!(field.margins(&[1.0; 3], &[0; 4], Precision::Single), Err(Error::Shape { .. })));
        assert!(matches!(field.margins(&[1.0; 4], &[0; 5], Precision::Single), Err(Error::Shape { .. })));
        assert!(matches!(field.margins(&[1.0; 4], &[2; 4], Precision::Single), Err(Error::NoSuch { .. })));
        assert!(matches!(
            field.margins(&[f64::NAN; 4], &[0; 4], Precision::Single),
            Err(Error::NotFinite { name: "weights", .. })
        ));
        assert!(matches!(
            field.generalization_error(&[1.0; 4], &[0; 4], &p[..2], Precision::Single),
            Err(Error::Shape { .. })
        ));
        assert!(matches!(field.input(4), Err(Error::NoSuch { .. })));
    }
}
