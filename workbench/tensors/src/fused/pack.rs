//! Prompts in groups of one per lane, in chunks and on threads.

use super::folded::Folded;
use super::pass::{Model, Scratch};
use super::products::Cell;
use crate::architecture::TokenRegisters;
use crate::parameters::FullParameters;
use ndarray::Array2;
use rayon::prelude::*;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use workbench_ground::Error;
use workbench_ground::by_registers;
#[cfg(target_arch = "x86_64")]
use workbench_ground::lanes::{D4, D8, S8, S16};
use workbench_ground::lanes::{PortableDouble, PortableSingle, Real};
use workbench_ground::work;
use workbench_memformer::{Instructions, Part, Precision, Prompts};

/// Sums are formed over at most this many chunks, whatever the number of threads, so that results do not depend on it.
const CHUNKS: usize = 64;
/// Groups of a chunk at least, of one prompt and of several: sums of a chunk cost about as much as one group.
const GROUPS: [usize; 2] = [2, 8];
/// Multiplications from which other threads are woken.
pub(super) const PARALLEL: usize = 4_000_000;
/// Matrices up to this width are kept one prompt per lane, larger ones fill registers by themselves.
const WIDEST: usize = 28;
/// Bytes of one group's states up to which they are kept in lanes; beyond, they would leave the cache.
const MOST: usize = 1 << 20;

/// A batch of prompts as the pass reads it, whatever it is made of.
pub(crate) trait Fused: Send + Sync {
    /// Mean squared error, and the numbers of its gradient if they are wanted.
    fn loss(&self, parameters: &FullParameters, wanted: bool) -> Result<(f64, Vec<f64>), Error>;
    /// [Z_l]_{d+1, n+1} after each layer, `(L + 1, B)`.
    fn responses(&self, parameters: &FullParameters) -> Result<Array2<f64>, Error>;
    /// Z_0 of prompt `b`, by rows.
    fn tokens(&self, b: usize) -> Vec<f64>;
    /// Plans with so many bytes at most; a pass that takes one group at a time needs no plan.
    fn limit(&self, _bytes: usize) {}
}

/// Packs prompts for the given instructions.
pub(crate) fn pack(
    prompts: &Prompts,
    precision: Precision,
    instructions: Instructions,
) -> Result<Arc<dyn Fused>, Error> {
    let (width, count) = (prompts.dim() + 1, prompts.examples() + 1);
    let large = width > WIDEST || 4 * width * count * 64 > MOST;
    macro_rules! packed {
        ($registers:ident) => {
            Arc::new(Pack::<$registers>::new(prompts)?)
        };
    }
    Ok(match precision {
        Precision::Single if large => packed!(f32),
        Precision::Double if large => packed!(f64),
        _ => by_registers!(precision, instructions, packed),
    })
}

/// Groups of a chunk.
pub(super) fn chunk<V: Cell>(groups: usize) -> usize {
    groups.div_ceil(CHUNKS).max(GROUPS[usize::from(V::N > 1)])
}

/// Groups of prompts.
struct Pack<V> {
    tokens: Vec<V>,
    answers: Vec<V>,
    prompts: usize,
    width: usize,
    count: usize,
    scratch: Mutex<Vec<Scratch<V>>>,
    folded: OnceLock<Folded<V>>,
}

impl<V: Cell> Pack<V> {
    fn new(prompts: &Prompts) -> Result<Pack<V>, Error> {
        const OP: &str = "TokenBatch::new";
        let (batch, width, count) = (prompts.batch(), prompts.dim() + 1, prompts.examples() + 1);
        let (tokens, groups) = (width * count, batch.div_ceil(V::N));
        let zero = V::vectorize(|| V::zero());
        let mut pack = Pack {
            tokens: vec![zero; groups * tokens],
            answers: vec![zero; groups],
            prompts: batch,
            width,
            count,
            scratch: Mutex::new(Vec::new()),
            folded: OnceLock::new(),
        };
        let answers = prompts.answers();
        // Values of a group, one row per prompt; lanes without a prompt stay zero.
        let mut rows = vec![V::Scalar::of(0.0); V::N * tokens];
        let mut lanes = vec![V::Scalar::of(0.0); V::N];
        for g in 0..groups {
            if g.is_multiple_of(32) {
                work::check(OP, g * V::N, batch)?;
            }
            let present = (batch - g * V::N).min(V::N);
            rows[present * tokens..].fill(V::Scalar::of(0.0));
            lanes.fill(V::Scalar::of(0.0));
            for (b, row) in rows.chunks_exact_mut(tokens).take(present).enumerate() {
                for (i, (to, from)) in row.iter_mut().zip(&prompts.tokens(g * V::N + b)?).enumerate() {
                    *to = V::Scalar::of(*from);
                    if !to.wide().is_finite() {
                        let at = [g * V::N + b, i];
                        return Err(Error::not_finite(OP, "prompts in the chosen precision", &at, to.wide()));
                    }
                }
                lanes[b] = V::Scalar::of(answers[g * V::N + b]);
            }
            pack.answers[g] = V::from_slice(&lanes);
            for (k, place) in pack.tokens[g * tokens..][..tokens].iter_mut().enumerate() {
                for (lane, row) in lanes.iter_mut().zip(rows.chunks_exact(tokens)) {
                    *lane = row[k];
                }
                *place = V::from_slice(&lanes);
            }
        }
        Ok(pack)
    }

    fn groups(&self) -> usize {
        self.answers.len()
    }

    /// The prompts as moments, for models which those suffice and with which they cost least.
    fn folded(&self, parameters: &FullParameters) -> Option<&Folded<V>> {
        let alike = parameters.architecture().registers() == TokenRegisters::None;
        (alike && self.count > self.width)
            .then(|| self.folded.get_or_init(|| Folded::new(&self.tokens, self.width, self.count)))
    }

    fn group(&self, g: usize) -> &[V] {
        let tokens = self.width * self.count;
        &self.tokens[g * tokens..][..tokens]
    }

    /// Sum of squared errors over groups and half its gradient.
    fn chunk(&self, model: &Model<V>, groups: std::ops::Range<usize>, wanted: bool) -> Result<(f64, Vec<f64>), Error> {
        let mut scratch = self.take(model);
        let mut total = 0.0;
        for g in groups {
            work::check("TokenBatch::loss", g, self.groups())?;
            let (z, answer) = (self.group(g), self.answers[g]);
            V::vectorize(
                #[inline(always)]
                || {
                    scratch.forward(model, z);
                    let error = answer.add(scratch.response(model, model.depth()));
                    total += error.mul(error).total();
                    if wanted {
                        scratch.backward(model, error);
                    }
                },
            );
        }
        let sums = match wanted {
            true => scratch.sums.iter().map(|sum| sum.total()).collect(),
            false => Vec::new(),
        };
        self.locked().push(scratch);
        Ok((total, sums))
    }

    fn take(&self, model: &Model<V>) -> Scratch<V> {
        let held = self.locked().pop();
        match held {
            Some(mut scratch) if scratch.fits(model) => {
                V::vectorize(|| scratch.sums.fill(V::zero()));
                scratch
            }
            _ => Scratch::new(model),
        }
    }

    /// A panic elsewhere cannot leave the list half-changed: what is in it is whole.
    fn locked(&self) -> std::sync::MutexGuard<'_, Vec<Scratch<V>>> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Cell> Fused for Pack<V> {
    fn loss(&self, parameters: &FullParameters, wanted: bool) -> Result<(f64, Vec<f64>), Error> {
        if let Some(folded) = self.folded(parameters) {
            return folded.loss(parameters, &self.answers, self.prompts, wanted);
        }
        let model = Model::<V>::new(parameters, self.count);
        let groups = self.groups();
        let size = chunk::<V>(groups);
        let range = |i: usize| i * size..((i + 1) * size).min(groups);
        let chunks = groups.div_ceil(size);
        let parts: Vec<(f64, Vec<f64>)> = if chunks > 1 && model.cost() * groups >= PARALLEL {
            (0..chunks).into_par_iter().map(|i| self.chunk(&model, range(i), wanted)).collect::<Result<_, _>>()?
        } else {
            (0..chunks).map(|i| self.chunk(&model, range(i), wanted)).collect::<Result<_, _>>()?
        };
        let mean = 1.0 / self.prompts as f64;
        let loss = parts.iter().map(|(loss, _)| loss).sum::<f64>() * mean;
        if !wanted {
            return Ok((loss, Vec::new()));
        }
        let mut gradient = vec![0.0; model.gradient_len()];
        for (_, part) in &parts {
            gradient.iter_mut().zip(part).for_each(|(sum, g)| *sum += 2.0 * mean * g);
        }
        let weights = gradient.split_off(parameters.architecture().range(Part::Registers).start);
        gradient.extend(parameters.fold(&weights));
        Ok((loss, gradient))
    }

    fn responses(&self, parameters: &FullParameters) -> Result<Array2<f64>, Error> {
        if let Some(folded) = self.folded(parameters) {
            return folded.responses(parameters, self.prompts);
        }
        let model = Model::<V>::new(parameters, self.count);
        let mut scratch = self.take(&model);
        let depth = parameters.architecture().depth();
        let mut out = Array2::zeros((depth + 1, self.prompts));
        let mut lanes = vec![V::Scalar::of(0.0); V::N];
        for g in 0..self.groups() {
            work::check("TokenBatch::losses", g, self.groups())?;
            V::vectorize(
                #[inline(always)]
                || scratch.forward(&model, self.group(g)),
            );
            for l in 0..=depth {
                scratch.response(&model, l).write(&mut lanes);
                for (to, from) in out.row_mut(l).iter_mut().skip(g * V::N).zip(&lanes) {
                    *to = from.wide();
                }
            }
        }
        self.locked().push(scratch);
        Ok(out)
    }

    fn tokens(&self, b: usize) -> Vec<f64> {
        let mut lanes = vec![V::Scalar::of(0.0); V::N];
        let entry = |v: &V| {
            v.write(&mut lanes);
            lanes[b % V::N].wide()
        };
        self.group(b / V::N).iter().map(entry).collect()
    }
}
