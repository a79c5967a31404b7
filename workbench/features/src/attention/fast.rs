//! Linear attention in single precision: tiles of tokens, one matrix product and one pass of exponentials at a time.

use ndarray::Array2;
use rayon::prelude::*;

mod causal;

use super::Direction;
use crate::lanes::{column_max, exp_queries, exp_rows};
use crate::map::beyond_log_space;
use crate::product::{View, product};
use crate::{Error, FeatureMap};
use workbench_ground::check::{above_zero, positive, same};

/// Tokens whose features are held at once: 256 x 256 features take 256 KiB, within a core's second-level cache.
const TILE: usize = 256;
/// Tokens of one partial sum. Fixed, so that sums over all keys do not depend on the number of threads.
const BLOCK: usize = 2048;

/// Linear attention through a feature map, forward, in single precision: it estimates [`softmax_attention`](crate::softmax_attention)
/// with its $1/\sqrt N$, or [`unscaled_attention`](crate::unscaled_attention) if made by [`LinearAttention::unscaled`].
///
/// $$ o_i=\frac{\sum_k\phi_k(q_i)\,N_k}{\sum_k\phi_k(q_i)\,\Psi_k},\qquad N_k=\sum_j\phi_k(k_j)\,v_j,\quad \Psi_k=\sum_j\phi_k(k_j) $$
///
/// Logarithms are kept until the largest one of each feature (keys) and of each row (queries) is known; these shifts cancel in the
/// quotient, so norms for which every feature under- or overflows are fine.
///
/// On few threads the causal form divides the features among them, on many the tokens: its last bits depend on the number of threads.
///
/// **Source**: "Rethinking Attention with Performers", which A.1 builds on.
///
/// **Shapes**: queries `(n, dim)`, keys `(m, dim)`, values `(m, dim_v)`. **Units**: the kernel is $e^{s^2q^\top k}$ with the scale s,
/// which is $N^{-1/4}$ unless set. **Cost** O((n + m) r (dim + dim_v)) time, O(threads + m/2048) r dim_v memory beside the result
/// (causal: and n r dim_v / 128). Threads: rayon's.
///
/// ```
/// use workbench_features::{Direction, Draws, FeatureMap, LinearAttention};
/// use workbench_ground::stats::{Streams, normal_array2};
/// let streams = Streams::new(1);
/// let map = FeatureMap::favor_plus(Draws::block_orthogonal(32, 4, &mut streams.stream("w")?)?)?;
/// let x = normal_array2(&mut streams.stream("x")?, 100, 4).mapv(|x| x as f32);
/// let out = LinearAttention::new(&map)?.forward(&x, &x, &x, Direction::Causal)?;
/// assert_eq!(out.dim(), (100, 4));
/// assert!((out[(0, 0)] - x[(0, 0)]).abs() < 1e-5); // the first token sees itself only
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "Performer")]
pub struct LinearAttention {
    /// B s w, (dim, r): in this order the product need not copy it; a hyperbolic map has -w as features of their own.
    weights: Vec<f32>,
    offsets: Vec<f32>,
    dim: usize,
    scale2: f32,
}

/// N and Psi of some tokens, each feature divided by exp(shift).
#[derive(Clone)]
struct Sums {
    shifts: Vec<f32>,
    normaliser: Vec<f32>,
    numerator: Vec<f32>,
}

/// Buffers of one thread.
struct Scratch {
    logs: Vec<f32>,
    half_norms: Vec<f32>,
    /// Per query: sum of its features times the normaliser, relative to exp(top).
    totals: Vec<f32>,
    tops: Vec<f32>,
}

impl LinearAttention {
    /// Attention with the usual kernel $e^{q^\top k/\sqrt N}$, N the dimension of the map.
    ///
    /// **Errors**: none for maps made by [`FeatureMap`].
    pub fn new(map: &FeatureMap) -> Result<LinearAttention, Error> {
        LinearAttention::with_scale(map, (map.dim() as f64).powf(-0.25))
    }

    /// Attention with the kernel $e^{q^\top k}$ of the map itself, as the document has it.
    ///
    /// **Errors**: none for maps made by [`FeatureMap`].
    pub fn unscaled(map: &FeatureMap) -> Result<LinearAttention, Error> {
        LinearAttention::with_scale(map, 1.0)
    }

    /// The same with queries and keys multiplied by `scale`: the kernel is $e^{s^2q^\top k}$.
    ///
    /// **Errors**: a scale that is not above 0.
    pub fn with_scale(map: &FeatureMap, scale: f64) -> Result<LinearAttention, Error> {
        above_zero("LinearAttention::with_scale", "scale", scale)?;
        let factor = map.scale() * scale;
        let signs: &[f64] = if map.kind().is_hyperbolic() { &[1.0, -1.0] } else { &[1.0] };
        let rows = map.draws().rows();
        let offsets = map.offsets().iter().map(|o| *o as f32);
        let offsets: Vec<f32> = signs.iter().flat_map(|_| offsets.clone()).collect();
        let column = |j: usize| {
            let row = rows.column(j);
            signs.iter().flat_map(move |sign| row.into_iter().map(move |w| (sign * factor * w) as f32))
        };
        let weights = (0..map.dim()).flat_map(column).collect();
        Ok(LinearAttention { weights, offsets, dim: map.dim(), scale2: (scale * scale) as f32 })
    }

    /// Number of features.
    pub fn r(&self) -> usize {
        self.offsets.len()
    }

    /// The attention output, `(n, dim_v)`.
    ///
    /// **Errors**: no rows, shapes that do not match, entries that are not finite or whose squared norm overflows single precision,
    /// a stop asked for.
    pub fn forward(
        &self,
        queries: &Array2<f32>,
        keys: &Array2<f32>,
        values: &Array2<f32>,
        direction: Direction,
    ) -> Result<Array2<f32>, Error> {
        const OP: &str = "LinearAttention::forward";
        positive(OP, "number of queries", queries.nrows())?;
        positive(OP, "number of keys", keys.nrows())?;
        positive(OP, "columns of the values", values.ncols())?;
        let map_dim = ("dimension N of the map", self.dim);
        same(OP, ("dimension of the queries", queries.ncols()), map_dim)?;
        same(OP, ("dimension of the keys", keys.ncols()), map_dim)?;
        let n_values = ("number of values", values.nrows());
        same(OP, ("number of keys", keys.nrows()), n_values)?;
        if direction == Direction::Causal {
            let n_keys = ("number of keys", keys.nrows());
            same(OP, ("number of queries", queries.nrows()), n_keys)?;
        }
        let (queries, keys, values) = (standard(queries), standard(keys), standard(values));
        // Standard layout by the line above, so the slices exist.
        let (Some(q), Some(k), Some(v)) = (queries.as_slice(), keys.as_slice(), values.as_slice()) else {
            return Err(Error::zero(OP, "stride"));
        };
        for (name, x, width) in [("queries", q, self.dim), ("keys", k, self.dim), ("values", v, 0)] {
            check_entries(OP, name, x, width)?;
        }
        let mut out = Array2::zeros((queries.nrows(), values.ncols()));
        if let Some(slice) = out.as_slice_mut() {
            match direction {
                Direction::Bidirectional => self.bidirectional(q, k, v, values.ncols(), slice),
                Direction::Causal => self.causal(q, k, v, values.ncols(), slice),
            }
        }
        workbench_ground::work::check(OP, 0, queries.nrows())?;
        Ok(out)
    }

    fn bidirectional(&self, q: &[f32], k: &[f32], v: &[f32], width: usize, out: &mut [f32]) {
        let mut blocks = self.block_sums(k, v, width).into_iter();
        let Some(mut sums) = blocks.next() else { return };
        blocks.for_each(|block| sums.merge(&block));
        let offsets: Vec<f32> = self.offsets.iter().zip(&sums.shifts).map(|(o, s)| o + s).collect();
        out.par_chunks_mut(TILE * width).zip(q.par_chunks(TILE * self.dim)).for_each_init(
            || self.scratch(TILE),
            |scratch, (out, q)| {
                if !workbench_ground::work::stop_requested() {
                    self.read(q, &offsets, &sums, width, scratch, out);
                }
            },
        );
    }

    /// Sums over fixed blocks of keys, in order.
    fn block_sums(&self, k: &[f32], v: &[f32], width: usize) -> Vec<Sums> {
        k.par_chunks(BLOCK * self.dim)
            .zip(v.par_chunks(BLOCK * width))
            .map_init(
                || self.scratch(TILE),
                |scratch, (k, v)| {
                    let mut sums = Sums::empty(self.r(), width);
                    for (k, v) in k.chunks(TILE * self.dim).zip(v.chunks(TILE * width)) {
                        if !workbench_ground::work::stop_requested() {
                            self.store(k, v, width, scratch, &mut sums);
                        }
                    }
                    sums
                },
            )
            .collect()
    }

    fn scratch(&self, tile: usize) -> Scratch {
        Scratch {
            logs: vec![0.0; tile * self.r()],
            half_norms: vec![0.0; tile],
            totals: vec![0.0; tile],
            tops: vec![0.0; tile],
        }
    }

    /// B s w.z for the tokens of a tile, into `scratch.logs`.
    fn project(&self, z: &[f32], logs: &mut [f32]) {
        let (t, r) = (z.len() / self.dim, self.r());
        product(
            (&mut logs[..t * r], View::rows(t, r)),
            (z, View::rows(t, self.dim)),
            (&self.weights, View::rows(self.dim, r)),
            false,
        );
    }

    /// Logarithms of the features of a tile of keys without their offsets, into `scratch.logs`; returns the shifts that they ask for.
    fn key_logs(&self, k: &[f32], scratch: &mut Scratch, shifts: &[f32]) -> Vec<f32> {
        let (t, r) = (k.len() / self.dim, self.r());
        self.project(k, &mut scratch.logs);
        for (norm, row) in scratch.half_norms.iter_mut().zip(k.chunks_exact(self.dim)) {
            *norm = -0.5 * self.scale2 * squared_norm(row);
        }
        let mut top = shifts.to_vec();
        column_max(&scratch.logs[..t * r], &scratch.half_norms[..t], &self.offsets, &mut top);
        top
    }

    /// Features of the tile whose logarithms are in `scratch.logs`, in their place, and their sums.
    fn key_exponentials(&self, t: usize, scratch: &mut Scratch, sums: &mut Sums) {
        let (logs, norms) = (&mut scratch.logs[..t * self.r()], &scratch.half_norms[..t]);
        let offsets: Vec<f32> = self.offsets.iter().zip(&sums.shifts).map(|(o, s)| o - s).collect();
        exp_rows(logs, norms, &offsets, &mut sums.normaliser);
    }

    /// Adds a tile of keys and values to the sums, which are shifted as far as the tile needs.
    fn store(&self, k: &[f32], v: &[f32], width: usize, scratch: &mut Scratch, sums: &mut Sums) {
        let (t, r) = (k.len() / self.dim, self.r());
        let top = self.key_logs(k, scratch, &sums.shifts);
        sums.shift_to(&top);
        self.key_exponentials(t, scratch, sums);
        product(
            (&mut sums.numerator, View::rows(r, width)),
            (&scratch.logs[..t * r], View::rows(t, r).t()),
            (v, View::rows(t, width)),
            true,
        );
    }

    fn read(&self, q: &[f32], offsets: &[f32], sums: &Sums, width: usize, scratch: &mut Scratch, out: &mut [f32]) {
        let (t, r) = (q.len() / self.dim, self.r());
        self.project(q, &mut scratch.logs);
        let logs = &mut scratch.logs[..t * r];
        let totals = (&mut scratch.totals[..t], &mut scratch.tops[..t]);
        exp_queries(logs, offsets, &sums.normaliser, totals.0, totals.1);
        product((out, View::rows(t, width)), (logs, View::rows(t, r)), (&sums.numerator, View::rows(r, width)), false);
        for (row, total) in out.chunks_exact_mut(width).zip(&scratch.totals) {
            let factor = 1.0 / total;
            row.iter_mut().for_each(|x| *x *= factor);
        }
    }
}

impl Sums {
    fn empty(r: usize, width: usize) -> Sums {
        Sums { shifts: vec![f32::NEG_INFINITY; r], normaliser: vec![0.0; r], numerator: vec![0.0; r * width] }
    }

    /// Divides each feature by exp(top - shift), so that its shift becomes `top`.
    fn shift_to(&mut self, top: &[f32]) {
        let width = self.numerator.len() / top.len();
        for (i, (shift, top)) in self.shifts.iter_mut().zip(top).enumerate() {
            if *top > *shift {
                let factor = (*shift - top).exp();
                self.normaliser[i] *= factor;
                self.numerator[i * width..(i + 1) * width].iter_mut().for_each(|x| *x *= factor);
                *shift = *top;
            }
        }
    }

    fn merge(&mut self, other: &Sums) {
        let top: Vec<f32> = self.shifts.iter().zip(&other.shifts).map(|(a, b)| a.max(*b)).collect();
        let mut other = other.clone();
        self.shift_to(&top);
        other.shift_to(&top);
        for (a, b) in self.normaliser.iter_mut().zip(&other.normaliser) {
            *a += b;
        }
        for (a, b) in self.numerator.iter_mut().zip(&other.numerator) {
            *a += b;
        }
    }
}

fn standard(x: &Array2<f32>) -> ndarray::CowArray<'_, f32, ndarray::Ix2> {
    x.as_standard_layout()
}

/// |x|^2 in sixteen partial sums, which run side by side where one sum would wait for itself.
fn squared_norm(x: &[f32]) -> f32 {
    let mut parts = [0.0f32; 16];
    let chunks = x.chunks_exact(16);
    let rest: f32 = chunks.remainder().iter().map(|x| x * x).sum();
    for chunk in chunks {
        for (part, x) in parts.iter_mut().zip(chunk) {
            *part += x * x;
        }
    }
    parts.iter().sum::<f32>() + rest
}

/// Refuses entries that are not finite and, for a width, rows whose squared norm is not.
fn check_entries(op: &'static str, name: &'static str, x: &[f32], width: usize) -> Result<(), Error> {
    // The exponent's bits are all ones for infinities and NaN only; an OR of flags has no order, so the compiler makes vectors of it.
    let broken = |x: &f32| u32::from(x.to_bits() & 0x7f80_0000 == 0x7f80_0000);
    let clean = x.par_chunks(1 << 16).all(|part| part.iter().fold(0, |any, x| any | broken(x)) == 0);
    if !clean && let Some(index) = x.iter().position(|x| !x.is_finite()) {
        return Err(Error::not_finite(op, name, &[index], f64::from(x[index])));
    }
    if width > 0
        && let Some(row) = x.par_chunks_exact(width).with_min_len(1024).find_first(|row| !squared_norm(row).is_finite())
    {
        let norm2 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
        return Err(beyond_log_space(op, norm2));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
