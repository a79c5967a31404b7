//! Linear attention in single precision: tiles of tokens, one matrix product and one pass of exponentials at a time.

use ndarray::Array2;
use rayon::prelude::*;
use std::f64::consts::LOG2_E;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

mod causal;

use super::Direction;
use crate::lanes::{
    divide_rows, exp_query_rows, exp_rows, lower_query_rows, raise_shifts, reaches, row_beyond, scaled_norms,
};
use crate::map::beyond_log_space;
use crate::{Error, FeatureMap};
use workbench_ground::check::{above_zero, positive, same};
use workbench_ground::lanes::{multiply, product_in};

/// Tokens whose features are held at once: 64 x 256 features take 64 KiB, a small part of a core's second-level cache, whoever else uses it.
const TILE: usize = 64;
/// Tokens of one partial sum. Fixed, so that sums over all keys do not depend on the number of threads.
const BLOCK: usize = 2048;
/// Least sum of features for which a bound is near enough: what then underflows is less than 2^-62 of it.
const FAINT: f32 = f32::from_bits((127 - 64) << 23);
/// Largest shift that [`exp_query_rows`] takes.
const SHIFTS: f32 = 1_048_576.0;

/// Linear attention through a feature map, forward, in single precision: it estimates [`softmax_attention`](crate::softmax_attention)
/// with its $1/\sqrt N$, or [`unscaled_attention`](crate::unscaled_attention) if made by [`LinearAttention::unscaled`].
///
/// $$ o_i=\frac{\sum_k\phi_k(q_i)\,N_k}{\sum_k\phi_k(q_i)\,\Psi_k},\qquad N_k=\sum_j\phi_k(k_j)\,v_j,\quad \Psi_k=\sum_j\phi_k(k_j) $$
///
/// Logarithms, to the base of two, are kept until a shift for each feature (keys) and each row (queries) is known; the shifts cancel in
/// the quotient, so norms for which every feature under- or overflows are fine. A shift is a bound, $|w||x|-|x|^2/2$ at its largest, or
/// the largest logarithm itself where the bound lies so far above it that digits would be lost.
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
    /// B s w / ln 2, (dim, r): in this order products read it by rows; a hyperbolic map has -w as features of their own.
    weights: Vec<f32>,
    offsets: Vec<f32>,
    dim: usize,
    /// The logarithm of a feature is w.x plus this times |x|^2.
    of_norm: f32,
}

/// N and Psi of some tokens, each feature divided by 2^shift; shifts are whole, so that this changes no digit.
#[derive(Clone)]
struct Sums {
    shifts: Vec<f32>,
    normaliser: Vec<f32>,
    numerator: Vec<f32>,
}

/// Buffers of one thread.
struct Scratch<'a> {
    /// Set when a tile holds entries that are to be refused: they are looked at where they are in a cache anyway.
    broken: &'a AtomicBool,
    /// (tokens, r).
    logs: Vec<f32>,
    /// Per query: sum of its features times the normaliser, relative to 2^top.
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
        let factor = map.scale() * scale * LOG2_E;
        let signs: &[f64] = if map.kind().is_hyperbolic() { &[1.0, -1.0] } else { &[1.0] };
        let rows = map.draws().rows();
        let offsets = map.offsets().iter().map(|o| (o * LOG2_E) as f32);
        let offsets: Vec<f32> = signs.iter().flat_map(|_| offsets.clone()).collect();
        let column = |j: usize| {
            let row = rows.column(j);
            signs.iter().flat_map(move |sign| row.into_iter().map(move |w| (sign * factor * w) as f32))
        };
        let weights = (0..map.dim()).flat_map(column).collect();
        Ok(LinearAttention { weights, offsets, dim: map.dim(), of_norm: (-0.5 * scale * scale * LOG2_E) as f32 })
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
        let (mut out, broken) = (Array2::uninit((queries.nrows(), values.ncols())), AtomicBool::new(false));
        if let Some(slice) = out.as_slice_mut() {
            match direction {
                Direction::Bidirectional => self.bidirectional(q, k, v, values.ncols(), slice, &broken),
                Direction::Causal => self.causal(q, k, v, values.ncols(), slice, &broken),
            }
        }
        // SAFETY: a new array lies in one piece, and either form writes all of it.
        let out = unsafe { out.assume_init() };
        if broken.into_inner() {
            for (name, x, width) in [("queries", q, self.dim), ("keys", k, self.dim), ("values", v, 0)] {
                check_entries(OP, name, x, width)?;
            }
        }
        workbench_ground::work::check(OP, 0, queries.nrows())?;
        Ok(out)
    }

    fn bidirectional(&self, q: &[f32], k: &[f32], v: &[f32], width: usize, out: &mut Room, broken: &AtomicBool) {
        let mut sums = Sums::empty(self.r(), width);
        self.block_sums(k, v, width, broken).iter().for_each(|block| sums.merge(block));
        let offsets: Vec<f32> = self.offsets.iter().zip(&sums.shifts).map(|(o, s)| o + s).collect();
        let largest = |x: &[f32]| x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        // Whether the bound is near enough is found with the first queries; a tile for which it is not falls back by itself.
        let first = &q[..q.len().min(8 * self.dim)];
        let bound = Some([largest(&self.lengths()), largest(&offsets)])
            .filter(|_| !reaches(&offsets, SHIFTS))
            .filter(|bound| self.query_features(first, &offsets, &sums, &mut self.scratch(8, broken), Some(*bound)));
        out.par_chunks_mut(TILE * width).zip(q.par_chunks(TILE * self.dim)).for_each_init(
            || self.scratch(TILE, broken),
            |scratch, (out, q)| {
                match workbench_ground::work::stop_requested() {
                    true => zeroed(out),
                    false => self.read(q, &offsets, &sums, bound, scratch, out),
                };
            },
        );
    }

    /// Sums over fixed blocks of keys, in order.
    fn block_sums(&self, k: &[f32], v: &[f32], width: usize, broken: &AtomicBool) -> Vec<Sums> {
        let lengths = self.lengths();
        k.par_chunks(BLOCK * self.dim)
            .zip(v.par_chunks(BLOCK * width))
            .map_init(
                || self.scratch(TILE, broken),
                |scratch, (k, v)| {
                    let levels = self.levels(k, broken);
                    let (bounds, mut sums) = (self.bounds(&levels, &lengths), Sums::empty(self.r(), width));
                    if reaches(&bounds, SHIFTS) || !self.block(k, v, &levels, Some(&bounds), scratch, &mut sums) {
                        sums = Sums::empty(self.r(), width);
                        self.block(k, v, &levels, None, scratch, &mut sums);
                    }
                    scratch.look_at(&sums);
                    sums
                },
            )
            .collect()
    }

    /// Adds keys and values to the sums. With bounds for their shifts a pass over all logarithms is spared; false where these lie so far
    /// above the keys that digits are lost. Without, shifts are raised as far as each tile needs.
    fn block(
        &self,
        k: &[f32],
        v: &[f32],
        levels: &[f32],
        bounds: Option<&[f32]>,
        scratch: &mut Scratch<'_>,
        sums: &mut Sums,
    ) -> bool {
        let width = v.len() / levels.len();
        if let Some(bounds) = bounds {
            sums.shift_to(bounds);
        }
        let tiles = k.chunks(TILE * self.dim).zip(v.chunks(TILE * width)).zip(levels.chunks(TILE));
        for ((k, v), levels) in tiles {
            if workbench_ground::work::stop_requested() {
                break;
            }
            self.key_logs(k, scratch);
            if bounds.is_none() {
                sums.shift_to(&self.raised(levels, scratch, &sums.shifts));
            }
            self.key_exponentials(levels, scratch, sums);
            if bounds.is_some() && !sums.normaliser.iter().all(|sum| *sum >= FAINT) {
                return false;
            }
            scratch.add_values([self.r(), levels.len(), width], v, sums);
        }
        if bounds.is_some() {
            sums.settle();
        }
        true
    }

    /// The lengths of the features' vectors.
    fn lengths(&self) -> Vec<f32> {
        let mut squares = vec![0.0f32; self.r()];
        for row in self.weights.chunks_exact(self.r()) {
            squares.iter_mut().zip(row).for_each(|(square, w)| *square += w * w);
        }
        squares.into_iter().map(f32::sqrt).collect()
    }

    /// What the norm of each key adds to its logarithms.
    fn levels(&self, k: &[f32], broken: &AtomicBool) -> Vec<f32> {
        let mut levels = vec![0.0; k.len() / self.dim];
        scaled_norms(k, self.of_norm, &mut levels);
        if !levels.iter().all(|level| level.is_finite()) {
            broken.store(true, Relaxed);
        }
        levels
    }

    /// Whole numbers that no logarithm of these keys exceeds: $|w|x-cx^2$ at the x, up to the longest key, where it is largest.
    fn bounds(&self, levels: &[f32], lengths: &[f32]) -> Vec<f32> {
        let longest = (levels.iter().copied().fold(0.0, f32::min) / self.of_norm).sqrt();
        let bound = |(length, offset): (&f32, &f32)| {
            let x = longest.min(length / (-2.0 * self.of_norm));
            (length * x + self.of_norm * x * x + offset).ceil()
        };
        lengths.iter().zip(&self.offsets).map(bound).collect()
    }

    fn scratch<'a>(&self, tile: usize, broken: &'a AtomicBool) -> Scratch<'a> {
        Scratch { broken, logs: vec![0.0; tile * self.r()], totals: vec![0.0; tile], tops: vec![0.0; tile] }
    }

    /// Logarithms of the features of a tile of keys without their offsets and levels, into `scratch.logs`.
    fn key_logs(&self, k: &[f32], scratch: &mut Scratch<'_>) {
        let (t, r) = (k.len() / self.dim, self.r());
        multiply([t, self.dim, r], (k, [self.dim, 1]), (&self.weights, r), (&mut scratch.logs, r), false);
    }

    /// The shifts that the logarithms in `scratch.logs` ask for.
    fn raised(&self, levels: &[f32], scratch: &Scratch<'_>, shifts: &[f32]) -> Vec<f32> {
        let mut top = shifts.to_vec();
        raise_shifts(&scratch.logs[..levels.len() * self.r()], levels, &self.offsets, &mut top);
        top
    }

    /// Features of the tile whose logarithms are in `scratch.logs`, in their place, and their sums.
    fn key_exponentials(&self, levels: &[f32], scratch: &mut Scratch<'_>, sums: &mut Sums) {
        let offsets: Vec<f32> = self.offsets.iter().zip(&sums.shifts).map(|(o, s)| o - s).collect();
        exp_rows(&mut scratch.logs[..levels.len() * self.r()], levels, &offsets, &mut sums.normaliser);
    }

    /// Features of queries in `scratch.logs` with their totals and shifts: those of a bound `[length, offset]`, false where that is too
    /// far above them, or the largest logarithms.
    fn query_features(
        &self,
        q: &[f32],
        offsets: &[f32],
        sums: &Sums,
        scratch: &mut Scratch<'_>,
        bound: Option<[f32; 2]>,
    ) -> bool {
        let (t, r) = (q.len() / self.dim, self.r());
        multiply([t, self.dim, r], (q, [self.dim, 1]), (&self.weights, r), (&mut scratch.logs, r), false);
        let (logs, totals, tops) = (&mut scratch.logs[..t * r], &mut scratch.totals[..t], &mut scratch.tops[..t]);
        let Some([length, offset]) = bound else {
            lower_query_rows(logs, offsets, tops);
            exp_query_rows(logs, offsets, &sums.normaliser, &vec![0.0; t], totals);
            scratch.look_at_queries(q);
            return true;
        };
        scaled_norms(q, 1.0, tops);
        tops.iter_mut().for_each(|top| *top = (length * top.sqrt() + offset).ceil());
        exp_query_rows(logs, offsets, &sums.normaliser, tops, totals);
        !reaches(tops, SHIFTS) && totals.iter().all(|total| *total >= FAINT)
    }

    fn read<'a>(
        &self,
        q: &[f32],
        offsets: &[f32],
        sums: &Sums,
        bound: Option<[f32; 2]>,
        scratch: &mut Scratch<'_>,
        out: &'a mut Room,
    ) -> &'a mut [f32] {
        let (t, r, width) = (q.len() / self.dim, self.r(), sums.numerator.len() / self.r());
        if bound.is_none() || !self.query_features(q, offsets, sums, scratch, bound) {
            self.query_features(q, offsets, sums, scratch, None);
        }
        let out = product_in([t, r, width], (&scratch.logs, [r, 1]), (&sums.numerator, width), out);
        divide_rows(out, &scratch.totals[..t]);
        out
    }
}

impl Scratch<'_> {
    /// Adds the values `v` of a tile of keys, whose features are in `logs`, to the sums.
    fn add_values(&self, sizes: [usize; 3], v: &[f32], sums: &mut Sums) {
        multiply(sizes, (&self.logs, [1, sizes[0]]), (v, sizes[2]), (&mut sums.numerator, sizes[2]), true);
    }

    /// Flags queries that may have to be refused: their squared norms overflow long after this.
    fn look_at_queries(&self, q: &[f32]) {
        if reaches(q, 1e15) {
            self.broken.store(true, Relaxed);
        }
    }

    /// A value that is not finite makes every feature's sum in its column such: it is enough to look at the sums.
    fn look_at(&self, sums: &Sums) {
        if reaches(&sums.numerator, f32::INFINITY) {
            self.broken.store(true, Relaxed);
        }
    }
}

impl Sums {
    fn empty(r: usize, width: usize) -> Sums {
        Sums { shifts: vec![f32::NEG_INFINITY; r], normaliser: vec![0.0; r], numerator: vec![0.0; r * width] }
    }

    /// Divides each feature by 2^(top - shift), so that its shift becomes `top`, which is whole.
    fn shift_to(&mut self, top: &[f32]) {
        let width = self.numerator.len() / top.len();
        for (i, (shift, top)) in self.shifts.iter_mut().zip(top).enumerate() {
            if *top != *shift {
                let factor = (*shift - top).exp2();
                self.normaliser[i] *= factor;
                self.numerator[i * width..(i + 1) * width].iter_mut().for_each(|x| *x *= factor);
                *shift = *top;
            }
        }
    }

    /// Shifts at which the sum of each feature lies between one and two, as if they had been chosen for these keys.
    fn settle(&mut self) {
        let near = |(sum, shift): (&f32, &f32)| shift + sum.log2().floor();
        let top: Vec<f32> = self.normaliser.iter().zip(&self.shifts).map(near).collect();
        self.shift_to(&top);
    }

    fn merge(&mut self, other: &Sums) {
        let top: Vec<f32> = self.shifts.iter().zip(&other.shifts).map(|(a, b)| a.max(*b)).collect();
        self.shift_to(&top);
        let width = self.numerator.len() / top.len();
        for (i, (top, shift)) in top.iter().zip(&other.shifts).enumerate() {
            let (factor, row) = ((shift - top).exp2(), i * width..(i + 1) * width);
            self.normaliser[i] += factor * other.normaliser[i];
            let rows = self.numerator[row.clone()].iter_mut().zip(&other.numerator[row]);
            rows.for_each(|(a, b)| *a += factor * b);
        }
    }
}

/// Room for results: the thread that needs a page of it is the first to touch it.
type Room = [MaybeUninit<f32>];

/// The numbers in a room.
///
/// # Safety
/// All of them have been written.
unsafe fn written(room: &mut Room) -> &mut [f32] {
    // SAFETY: as promised by the caller; the two types lie in memory alike.
    unsafe { &mut *(std::ptr::from_mut(room) as *mut [f32]) }
}

/// The room with zeros in it.
fn zeroed(room: &mut Room) -> &mut [f32] {
    room.fill(MaybeUninit::new(0.0));
    // SAFETY: every number has just been written.
    unsafe { written(room) }
}

fn standard(x: &Array2<f32>) -> ndarray::CowArray<'_, f32, ndarray::Ix2> {
    x.as_standard_layout()
}

/// Refuses entries that are not finite and, for a width, rows whose squared norm is not.
fn check_entries(op: &'static str, name: &'static str, x: &[f32], width: usize) -> Result<(), Error> {
    if width > 0 {
        let Some(row) = row_beyond(x, width) else { return Ok(()) };
        let row = &x[row * width..][..width];
        if row.iter().all(|x| x.is_finite()) {
            return Err(beyond_log_space(op, row.iter().map(|x| f64::from(*x).powi(2)).sum()));
        }
    }
    if let Some(index) = x.iter().position(|x| !x.is_finite()) {
        return Err(Error::not_finite(op, name, &[index], f64::from(x[index])));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
