//! First moments of prompts in groups, and the pass over them.

use super::moments::{Layers, MomentScratch};
use super::pack::{PARALLEL, chunk};
use super::products::{Cell, Matrix};
use crate::parameters::FullParameters;
use ndarray::Array2;
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};
use workbench_ground::Error;
use workbench_ground::lanes::Real;
use workbench_ground::work;

/// Prompts as far as a model without registers sees them: ZMZ^T / n and the query's column, rows `stride` apart.
pub(super) struct Folded<V> {
    moments: Vec<V>,
    queries: Vec<V>,
    width: usize,
    stride: usize,
    scratch: Mutex<Vec<MomentScratch<V>>>,
    /// Sums of gradients of each chunk, kept from one pass to the next.
    sums: Mutex<Vec<V>>,
}

impl<V: Cell> Folded<V> {
    /// From the tokens of groups, `(width, count)` by rows.
    pub(super) fn new(tokens: &[V], width: usize, count: usize) -> Folded<V> {
        let (stride, groups) = (V::stride(width), tokens.len() / (width * count));
        let zero = V::vectorize(|| V::zero());
        let (mut moments, mut queries) = (vec![zero; groups * width * stride], vec![zero; groups * stride]);
        let share = V::splat(V::Scalar::of(1.0 / (count - 1) as f64));
        moments
            .par_chunks_exact_mut(width * stride)
            .zip(queries.par_chunks_exact_mut(stride))
            .zip(tokens.par_chunks_exact(width * count))
            .for_each(|((moments, query), tokens)| {
                let keys = Matrix::rows(tokens, count);
                V::multiply([width, count - 1, width], keys, keys.transposed(), moments, stride, false);
                V::vectorize(|| moments.iter_mut().for_each(|s| *s = s.mul(share)));
                for (to, row) in query.iter_mut().zip(tokens.chunks_exact(count)) {
                    *to = row[count - 1];
                }
            });
        Folded { moments, queries, width, stride, scratch: Mutex::default(), sums: Mutex::default() }
    }

    /// Mean squared error, and the numbers of its gradient if they are wanted.
    pub(super) fn loss(
        &self,
        parameters: &FullParameters,
        answers: &[V],
        prompts: usize,
        wanted: bool,
    ) -> Result<(f64, Vec<f64>), Error> {
        let layers = Layers::<V>::new(parameters);
        let (groups, size) = (answers.len(), chunk::<V>(answers.len()));
        let (chunks, len) = (groups.div_ceil(size), 2 * layers.entries());
        let mut sums = if wanted { std::mem::take(&mut *locked(&self.sums)) } else { Vec::new() };
        V::vectorize(|| sums.resize(if wanted { chunks * len } else { chunks }, V::zero()));
        let part = |(i, sums): (usize, &mut [V])| {
            let range = i * size..((i + 1) * size).min(groups);
            self.chunk(&layers, answers, range, if wanted { Some(sums) } else { None })
        };
        let each = sums.len() / chunks;
        let parallel = chunks > 1 && layers.cost() * groups >= PARALLEL;
        let losses: Vec<f64> = match parallel {
            true => sums.par_chunks_exact_mut(each).enumerate().map(part).collect::<Result<_, _>>()?,
            false => sums.chunks_exact_mut(each).enumerate().map(part).collect::<Result<_, _>>()?,
        };
        let mean = 1.0 / prompts as f64;
        let loss = losses.iter().sum::<f64>() * mean;
        if !wanted {
            return Ok((loss, Vec::new()));
        }
        let square = self.width * self.width;
        let mut gradient = vec![0.0; len / self.stride * self.width];
        let half = gradient.len() / 2 / square;
        let add_up = |(at, out): (usize, &mut [f64])| {
            let parts = sums.chunks_exact(len).map(|sums| &sums[at * self.width * self.stride..]);
            self.add_up(parts, at < half, 2.0 * mean, out);
        };
        match parallel {
            true => gradient.par_chunks_exact_mut(square).enumerate().for_each(add_up),
            false => gradient.chunks_exact_mut(square).enumerate().for_each(add_up),
        }
        *locked(&self.sums) = sums;
        Ok((loss, gradient))
    }

    /// One matrix of the gradient from what the chunks have of it, transposed or not.
    fn add_up<'a>(&self, parts: impl Iterator<Item = &'a [V]>, turned: bool, scale: f64, out: &mut [f64]) {
        let mut sums = vec![0.0; self.width * self.stride];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, value)| *sum += value.total());
        }
        let (row, column) = if turned { (1, self.width) } else { (self.width, 1) };
        for (i, sums) in sums.chunks_exact(self.stride).enumerate() {
            for (out, sum) in out[i * row..].iter_mut().step_by(column).zip(&sums[..self.width]) {
                *out = scale * sum;
            }
        }
    }

    /// Sum of squared errors over groups; half its gradient, if there is room for it.
    fn chunk(
        &self,
        layers: &Layers<V>,
        answers: &[V],
        groups: std::ops::Range<usize>,
        mut sums: Option<&mut [V]>,
    ) -> Result<f64, Error> {
        let mut scratch = self.take(layers);
        let mut total = 0.0;
        let first = groups.start;
        for g in groups {
            work::check("TokenBatch::loss", g, answers.len())?;
            V::vectorize(
                #[inline(always)]
                || {
                    self.forward(&mut scratch, layers, g);
                    let error = answers[g].add(scratch.answer());
                    total += error.mul(error).total();
                    if let Some(sums) = &mut sums {
                        scratch.backward(layers, error, sums, g == first);
                    }
                },
            );
        }
        locked(&self.scratch).push(scratch);
        Ok(total)
    }

    #[inline(always)]
    fn forward(&self, scratch: &mut MomentScratch<V>, layers: &Layers<V>, g: usize) {
        let square = self.width * self.stride;
        scratch.forward(layers, &self.moments[g * square..][..square], &self.queries[g * self.stride..][..self.stride]);
    }

    /// [Z_l]_{d+1, n+1} after each layer, `(L + 1, B)`.
    pub(super) fn responses(&self, parameters: &FullParameters, prompts: usize) -> Result<Array2<f64>, Error> {
        let layers = Layers::<V>::new(parameters);
        let mut scratch = self.take(&layers);
        let mut out = Array2::zeros((parameters.architecture().depth() + 1, prompts));
        let mut lanes = vec![V::Scalar::of(0.0); V::N];
        let groups = prompts.div_ceil(V::N);
        for g in 0..groups {
            work::check("TokenBatch::losses", g, groups)?;
            V::vectorize(
                #[inline(always)]
                || self.forward(&mut scratch, &layers, g),
            );
            for (l, mut row) in out.outer_iter_mut().enumerate() {
                scratch.response(&layers, l).write(&mut lanes);
                for (to, from) in row.iter_mut().skip(g * V::N).zip(&lanes) {
                    *to = from.wide();
                }
            }
        }
        locked(&self.scratch).push(scratch);
        Ok(out)
    }

    fn take(&self, layers: &Layers<V>) -> MomentScratch<V> {
        let held = locked(&self.scratch).pop();
        held.filter(|scratch| scratch.fits(layers)).unwrap_or_else(|| MomentScratch::new(layers))
    }
}

/// A panic elsewhere cannot leave the room half-changed: what is in it is whole, or written anew.
fn locked<T>(room: &Mutex<T>) -> MutexGuard<'_, T> {
    room.lock().unwrap_or_else(PoisonError::into_inner)
}
