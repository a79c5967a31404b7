//! Causal linear attention: every token sees itself and the tokens before it.
//!
//! Work can be divided in two ways. Features: each part runs through all tokens with its own features and yields an answer and the
//! logarithm of its normaliser for every token; nothing is computed twice, but there are only as many parts as features allow. Tokens: a first
//! pass sums the keys of every block, a second runs through the blocks with what lies before them; keys are mapped twice, but any number of
//! threads finds work.

use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicBool;
use workbench_ground::lanes::{multiply, product_in, transpose};

use super::{BLOCK, LinearAttention, Room, Scratch, Sums, written, zeroed};
use crate::lanes::exp_query_columns;

/// Tokens per tile; the products within a tile grow with it.
pub(super) const TILE: usize = 32;
/// Features of one part.
pub(super) const PART: usize = 128;
/// A row whose normaliser lies below this is computed again with shifts of its own.
const TINY: f32 = 1e-30;
/// Shifts raised by no more than this leave every normaliser above 2^-57, which is far above [`TINY`].
const HARMLESS: f32 = 57.0;

/// Buffers of one thread.
struct Buffers<'a> {
    keys: Scratch<'a>,
    /// With logarithms as (r, tokens): the maximum of a query then runs along registers, and `pairs` are a product by rows.
    queries: Scratch<'a>,
    /// Queries, (dim, tokens).
    turned: Vec<f32>,
    pairs: Vec<f32>,
}

/// Rows of one tile.
struct Tile<'a> {
    q: &'a [f32],
    k: &'a [f32],
    v: &'a [f32],
    width: usize,
}

impl LinearAttention {
    /// Writes all of `out`.
    pub(super) fn causal(&self, q: &[f32], k: &[f32], v: &[f32], width: usize, out: &mut Room, broken: &AtomicBool) {
        let parts = self.r().div_ceil(PART);
        if rayon::current_num_threads() <= 2 * parts {
            self.causal_by_features(q, k, v, width, out, broken);
        } else {
            self.causal_by_tokens(q, k, v, width, out, broken);
        }
    }

    /// The same map with the features `range` only.
    fn part(&self, range: std::ops::Range<usize>) -> LinearAttention {
        LinearAttention {
            weights: self.weights.chunks_exact(self.r()).flat_map(|row| row[range.clone()].to_vec()).collect(),
            offsets: self.offsets[range].to_vec(),
            ..*self
        }
    }

    pub(super) fn causal_by_features(
        &self,
        q: &[f32],
        k: &[f32],
        v: &[f32],
        width: usize,
        out: &mut Room,
        broken: &AtomicBool,
    ) {
        let (n, parts) = (q.len() / self.dim, self.r().div_ceil(PART));
        let share = self.r().div_ceil(parts);
        // The first part answers into `out`, the others into room of their own.
        let mut others: Vec<Box<Room>> = (1..parts).map(|_| Box::new_uninit_slice(n * width)).collect();
        let targets: Vec<&mut Room> =
            std::iter::once(&mut *out).chain(others.iter_mut().map(|other| &mut **other)).collect();
        let logs: Vec<Vec<f32>> = targets
            .into_par_iter()
            .enumerate()
            .map(|(p, out)| {
                let part = self.part(p * share..((p + 1) * share).min(self.r()));
                let (mut logs, mut sums) = (vec![0.0; n], Sums::empty(part.r(), width));
                part.causal_run(q, k, v, width, &mut part.buffers(broken), &mut sums, out, &mut logs);
                logs
            })
            .collect();
        let mut logs = logs.into_iter();
        let Some(mut total) = logs.next() else {
            zeroed(out);
            return;
        };
        // SAFETY, here and below: each part has written all of its room.
        let out = unsafe { written(out) };
        // o = (2^a o_a + 2^b o_b) / (2^a + 2^b), a and b being the logarithms of the normalisers.
        for (other, other_logs) in others.iter_mut().zip(logs) {
            let other = unsafe { written(other) };
            let rows = out.par_chunks_mut(width).zip(other.par_chunks(width));
            rows.zip(total.par_iter_mut().zip(&other_logs)).with_min_len(512).for_each(
                |((row, other), (log, other_log))| {
                    let top = log.max(*other_log);
                    let (a, b) = ((*log - top).exp2(), (other_log - top).exp2());
                    let share = b / (a + b);
                    row.iter_mut().zip(other).for_each(|(x, y)| *x += share * (y - *x));
                    *log = top + (a + b).log2();
                },
            );
        }
    }

    pub(super) fn causal_by_tokens(
        &self,
        q: &[f32],
        k: &[f32],
        v: &[f32],
        width: usize,
        out: &mut Room,
        broken: &AtomicBool,
    ) {
        // What each block finds before it: sums of all earlier blocks.
        let mut before = vec![Sums::empty(self.r(), width)];
        let blocks = self.block_sums(k, v, width, broken);
        for block in &blocks[..blocks.len().saturating_sub(1)] {
            let mut sums = before[before.len() - 1].clone();
            sums.merge(block);
            before.push(sums);
        }
        let mut logs = vec![0.0; q.len() / self.dim];
        out.par_chunks_mut(BLOCK * width)
            .zip(logs.par_chunks_mut(BLOCK))
            .zip(q.par_chunks(BLOCK * self.dim))
            .zip(k.par_chunks(BLOCK * self.dim).zip(v.par_chunks(BLOCK * width)))
            .zip(before.into_par_iter())
            .for_each_init(
                || self.buffers(broken),
                |buffers, ((((out, logs), q), (k, v)), mut sums)| {
                    self.causal_run(q, k, v, width, buffers, &mut sums, out, logs);
                },
            );
    }

    fn buffers<'a>(&self, broken: &'a AtomicBool) -> Buffers<'a> {
        let (keys, queries) = (self.scratch(TILE, broken), self.scratch(TILE, broken));
        Buffers { keys, queries, turned: vec![0.0; TILE * self.dim], pairs: vec![0.0; TILE * TILE] }
    }

    /// Tokens in order after those that are in `sums`. All of `out` is written; `logs` takes the logarithms of the normalisers, up to a constant of each query.
    #[allow(clippy::too_many_arguments)]
    fn causal_run(
        &self,
        q: &[f32],
        k: &[f32],
        v: &[f32],
        width: usize,
        buffers: &mut Buffers<'_>,
        sums: &mut Sums,
        out: &mut Room,
        logs: &mut [f32],
    ) {
        let tiles = q.chunks(TILE * self.dim).zip(k.chunks(TILE * self.dim));
        let rows = out.chunks_mut(TILE * width).zip(logs.chunks_mut(TILE));
        for (((q, k), v), (out, logs)) in tiles.zip(v.chunks(TILE * width)).zip(rows) {
            match workbench_ground::work::stop_requested() {
                true => {
                    zeroed(out);
                }
                false => self.causal_tile(Tile { q, k, v, width }, buffers, sums, out, logs),
            }
        }
        buffers.keys.look_at(sums);
    }

    fn causal_tile(
        &self,
        tile: Tile<'_>,
        buffers: &mut Buffers<'_>,
        sums: &mut Sums,
        out: &mut Room,
        logs: &mut [f32],
    ) {
        let Tile { q, k, v, width } = tile;
        let Buffers { keys, queries, turned, pairs } = buffers;
        let (t, r) = (k.len() / self.dim, self.r());
        let levels = self.levels(k, keys.broken);
        self.key_logs(k, keys);
        let top = self.raised(&levels, keys, &sums.shifts);
        let raised = top.iter().zip(&sums.shifts).any(|(new, old)| new - old > HARMLESS);
        let earlier = raised.then(|| sums.clone());
        sums.shift_to(&top);
        let normaliser = sums.normaliser.clone(); // of earlier tiles; so is the numerator until the end
        self.key_exponentials(&levels, keys, sums);
        let offsets: Vec<f32> = self.offsets.iter().zip(&sums.shifts).map(|(o, s)| o + s).collect();
        // Earlier tiles, without dividing yet.
        transpose([t, self.dim], (q, self.dim), (turned, t));
        queries.look_at_queries(q);
        multiply([r, self.dim, t], (&self.weights, [1, r]), (turned, t), (&mut queries.logs, t), false);
        let (totals, tops) = (&mut queries.totals[..t], &mut queries.tops[..t]);
        exp_query_columns(&mut queries.logs[..t * r], &offsets, &normaliser, totals, tops);
        let out = product_in([t, r, width], (&queries.logs, [1, t]), (&sums.numerator, width), out);
        // This tile: row j of `pairs` is phi(k_j).phi(q_i) for i >= j.
        multiply([t, r, t], (&keys.logs, [r, 1]), (&queries.logs, t), (pairs, t), false);
        let totals = &mut queries.totals[..t];
        for (j, row) in pairs.chunks_exact_mut(t).take(t).enumerate() {
            row[..j].fill(0.0);
            totals.iter_mut().zip(row).for_each(|(total, pair)| *total += *pair);
        }
        multiply([t, t, width], (pairs, [1, t]), (v, width), (out, width), true);
        let tops = &queries.tops;
        for (i, (row, log)) in out.chunks_exact_mut(width).zip(logs).enumerate() {
            match &earlier {
                // A later key of the tile set a shift at which all that this token sees vanishes.
                Some(earlier) if totals[i] <= TINY => {
                    let seen = (&k[..(i + 1) * self.dim], &v[..(i + 1) * width]);
                    *log = self.one_row(&q[i * self.dim..(i + 1) * self.dim], seen, earlier, width, row);
                }
                _ => {
                    let factor = 1.0 / totals[i];
                    row.iter_mut().for_each(|x| *x *= factor);
                    *log = tops[i] + totals[i].log2();
                }
            }
        }
        // The values of this tile join the numerator.
        keys.add_values([r, t, width], v, sums);
    }

    /// One row with shifts of its own; returns the logarithm of its normaliser.
    fn one_row(&self, q: &[f32], (k, v): (&[f32], &[f32]), earlier: &Sums, width: usize, out: &mut [f32]) -> f32 {
        let mut sums = earlier.clone();
        let aside = AtomicBool::new(false);
        let mut scratch = self.scratch(TILE, &aside);
        self.block(k, v, &self.levels(k, &aside), None, &mut scratch, &mut sums);
        let offsets: Vec<f32> = self.offsets.iter().zip(&sums.shifts).map(|(o, s)| o + s).collect();
        let mut row = vec![MaybeUninit::uninit(); width];
        out.copy_from_slice(self.read(q, &offsets, &sums, None, &mut scratch, &mut row));
        scratch.tops[0] + scratch.totals[0].log2()
    }
}
