//! Batches packed for the passes, and the passes over them.

use super::ops::triangle;
use super::weights::{Mixing, Weights};
use super::{matrix, plain, scalar, vector};
use crate::{Error, Parameters, Part, RegisterKind, RegisterWeight, Statistics};
use ndarray::Array2;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use workbench_ground::by_registers;
use workbench_ground::check::{positive, same_shape};
#[cfg(target_arch = "x86_64")]
use workbench_ground::lanes::{D4, D8, S8, S16};
use workbench_ground::lanes::{Instructions, Lanes, PortableDouble, PortableSingle, Precision, Real};
use workbench_ground::work;

/// Prompts whose sums are formed together. Fixed, so that results do not depend on the number of threads.
const CHUNK: usize = 1024;
/// Prompts times multiplications from which other threads are woken: about a millisecond of one core's work. Below it, waiting for a
/// thread on a busy machine costs more than the thread saves.
const PARALLEL: usize = 50_000_000;

/// Groups of prompts, one per lane.
pub(super) struct Pack<V: Lanes> {
    /// `stride(dim)` registers per group.
    pub(super) data: Vec<V>,
    pub(super) dim: usize,
    scratch: Mutex<Vec<vector::Scratch<V>>>,
}

/// A batch of prompts as the passes read it.
///
/// Per prompt it holds the lower triangle of $H=XX^\top/n$, $Hw^\ast$, $w^\ast$ and the query, in the chosen precision.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Batch, Parameters, Precision, Prompts, TaskLaw};
/// let prompts = Prompts::draw(&TaskLaw::isotropic(5)?, 20, 64, &mut Streams::new(1).stream("p")?)?;
/// let batch = Batch::new(&prompts.statistics()?, Precision::Double)?;
/// let model = Parameters::random(Architecture::new(3, 5)?, 0.1, &mut Streams::new(1).stream("a")?)?;
/// let (loss, gradient) = batch.loss_and_gradient(&model)?;
/// let definition = model.transformer(20)?.loss(&prompts)?;
/// assert!((loss / definition - 1.0).abs() < 1e-12);
/// assert_eq!(gradient.values().len(), 75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Batch {
    packed: Packed,
    dim: usize,
    prompts: usize,
    precision: Precision,
}

enum Packed {
    #[cfg(target_arch = "x86_64")]
    S16(Pack<S16>),
    #[cfg(target_arch = "x86_64")]
    D8(Pack<D8>),
    #[cfg(target_arch = "x86_64")]
    S8(Pack<S8>),
    #[cfg(target_arch = "x86_64")]
    D4(Pack<D4>),
    PortableSingle(Pack<PortableSingle>),
    PortableDouble(Pack<PortableDouble>),
}

macro_rules! each {
    ($packed:expr, $pack:ident => $body:expr) => {
        match $packed {
            #[cfg(target_arch = "x86_64")]
            Packed::S16($pack) => $body,
            #[cfg(target_arch = "x86_64")]
            Packed::D8($pack) => $body,
            #[cfg(target_arch = "x86_64")]
            Packed::S8($pack) => $body,
            #[cfg(target_arch = "x86_64")]
            Packed::D4($pack) => $body,
            Packed::PortableSingle($pack) => $body,
            Packed::PortableDouble($pack) => $body,
        }
    };
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch")
            .field("prompts", &self.prompts)
            .field("dim", &self.dim)
            .field("precision", &self.precision)
            .finish()
    }
}

impl Batch {
    /// The prompts with these statistics.
    ///
    /// **Errors**: none that statistics allow.
    pub fn new(statistics: &Statistics, precision: Precision) -> Result<Batch, Error> {
        Batch::with_instructions(statistics, precision, Instructions::here())
    }

    /// As [`Batch::new`], for chosen instructions, to compare them.
    ///
    /// **Errors**: instructions that this processor does not have.
    pub fn with_instructions(
        statistics: &Statistics,
        precision: Precision,
        instructions: Instructions,
    ) -> Result<Batch, Error> {
        Batch::of_range(statistics, 0..statistics.batch(), precision, instructions)
    }

    /// Some of the prompts.
    fn of_range(
        statistics: &Statistics,
        range: Range<usize>,
        precision: Precision,
        instructions: Instructions,
    ) -> Result<Batch, Error> {
        let dim = statistics.dim();
        let mut batch = Batch::empty(range.len(), dim, precision, instructions)?;
        let triangle = triangle(dim);
        let mut values = vec![0.0; super::vector::stride(dim)];
        for (place, b) in range.enumerate() {
            let h = statistics.gram().index_axis(ndarray::Axis(0), b);
            let mut at = 0;
            for i in 0..dim {
                for j in 0..=i {
                    values[at] = h[[i, j]];
                    at += 1;
                }
            }
            let (w, q) = (statistics.truth().row(b), statistics.query().row(b));
            let cross = h.dot(&w);
            for (to, from) in values[triangle..].iter_mut().zip(cross.iter().chain(&w).chain(&q)) {
                *to = *from;
            }
            batch.set(place, &values);
        }
        Ok(batch)
    }

    /// A batch of zeros.
    pub(super) fn empty(
        prompts: usize,
        dim: usize,
        precision: Precision,
        instructions: Instructions,
    ) -> Result<Batch, Error> {
        const OP: &str = "Batch::new";
        positive(OP, "the batch size (B)", prompts)?;
        positive(OP, "d", dim)?;
        if !instructions.available() {
            let what = "an instruction set that this processor lacks";
            return Err(Error::unavailable(OP, what, "use `Instructions::here()`"));
        }
        macro_rules! zeros {
            ($registers:ident) => {
                Packed::$registers(Pack::zeros(prompts, dim))
            };
        }
        let packed = by_registers!(precision, instructions, zeros);
        Ok(Batch { packed, dim, prompts, precision })
    }

    /// Number of prompts B.
    pub fn prompts(&self) -> usize {
        self.prompts
    }

    /// Dimension d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Precision of the passes.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Mean squared error of the model's predictions.
    ///
    /// **Source**: Eq. 2.7, with the sign explained at [`crate::LinearTransformer::loss`]. **Errors**: another dimension, B trained
    /// with weights that are not scalar, a stop request.
    pub fn loss(&self, parameters: &Parameters) -> Result<f64, Error> {
        each!(&self.packed, pack => self.run(pack, parameters, false)).map(|(loss, _)| loss)
    }

    /// The loss and its gradient, as parameters of the same architecture.
    ///
    /// **Errors**: as [`Batch::loss`]. Cost with B = 0: about 6 L d^2 multiplications a prompt.
    pub fn loss_and_gradient(&self, parameters: &Parameters) -> Result<(f64, Parameters), Error> {
        let (loss, values) = self.pass(parameters)?;
        let mut gradient = parameters.clone();
        gradient.values_mut().copy_from_slice(&values);
        Ok((loss, gradient))
    }

    /// The loss and the numbers of its gradient.
    pub(crate) fn pass(&self, parameters: &Parameters) -> Result<(f64, Vec<f64>), Error> {
        each!(&self.packed, pack => self.run(pack, parameters, true))
    }

    /// Squared errors after each layer for each prompt.
    ///
    /// **Shapes**: `(L + 1, B)`. **Errors**: as [`Batch::loss`].
    pub fn losses(&self, parameters: &Parameters) -> Result<Array2<f64>, Error> {
        each!(&self.packed, pack => self.traces(pack, parameters))
    }

    /// w* - w_l for some of the prompts: `see(b, l, miss)` for the b-th of them after each layer l, in double precision.
    ///
    /// **Errors**: as [`Batch::loss`].
    pub(crate) fn misses(
        statistics: &Statistics,
        range: Range<usize>,
        parameters: &Parameters,
        see: &mut dyn FnMut(usize, usize, &[f64]),
    ) -> Result<(), Error> {
        let batch = Batch::of_range(statistics, range, Precision::Double, Instructions::here())?;
        each!(&batch.packed, pack => pack.misses(&batch.weights(parameters)?, batch.prompts, see))
    }

    /// Writes prompt `b`: triangle of H, H w*, w*, query.
    pub(super) fn set(&mut self, b: usize, values: &[f64]) {
        each!(&mut self.packed, pack => pack.set(b, values));
    }

    /// Fills all prompts: `start(chunk)` gives what writes the prompts of a chunk, one after the other.
    pub(super) fn fill(&mut self, op: &'static str, start: &Start<'_>) -> Result<(), Error> {
        let prompts = self.prompts;
        each!(&mut self.packed, pack => pack.fill(op, prompts, start))
    }

    fn run<V: Lanes>(&self, pack: &Pack<V>, parameters: &Parameters, wanted: bool) -> Result<(f64, Vec<f64>), Error> {
        let weights = self.weights::<V::Scalar>(parameters)?;
        let mut sums = vec![0.0; if wanted { weights.gradient_len() } else { 0 }];
        let loss = pack.pass(&weights, &mut sums)?;
        let mean = 1.0 / self.prompts as f64;
        sums.iter_mut().for_each(|v| *v *= -2.0 * mean);
        if wanted {
            let coefficients = sums.split_off(weights.mixing_from());
            sums.extend(parameters.fold(&coefficients));
        }
        Ok((loss * mean, sums))
    }

    fn traces<V: Lanes>(&self, pack: &Pack<V>, parameters: &Parameters) -> Result<Array2<f64>, Error> {
        let weights = self.weights::<V::Scalar>(parameters)?;
        let mut out = Array2::zeros((weights.depth + 1, self.prompts));
        pack.trace(&weights, &mut out)?;
        Ok(out)
    }

    /// Parameters rounded, registers as coefficients.
    fn weights<T: Real>(&self, parameters: &Parameters) -> Result<Weights<T>, Error> {
        const OP: &str = "Batch::loss";
        let architecture = parameters.architecture();
        let (dim, depth) = (architecture.dim(), architecture.depth());
        same_shape(OP, "the model's dimension", &[dim], &[self.dim])?;
        architecture.check(OP)?;
        let rounded = |values: &[f64]| -> Vec<T> { values.iter().map(|v| T::of(*v)).collect() };
        let coefficients = || rounded(&parameters.coefficients().into_raw_vec_and_offset().0);
        let mixing = match architecture.registers() {
            RegisterKind::None => Mixing::Plain,
            RegisterKind::Separate { weight: RegisterWeight::Diagonal, .. } => Mixing::Diagonal(coefficients()),
            RegisterKind::Separate { weight: RegisterWeight::Full, .. } => Mixing::Full(coefficients()),
            _ => Mixing::Scalar(coefficients()),
        };
        let part = |part: Part| rounded(&parameters.values()[architecture.range(part)]);
        Ok(Weights { depth, dim, a: part(Part::Preconditioners), b: part(Part::UpperBlocks), mixing })
    }
}

/// What begins a chunk of prompts: it gives what writes them, one after the other.
pub(super) type Start<'a> = dyn Fn(usize) -> Result<Box<dyn FnMut(&mut [f64]) + 'a>, Error> + Sync + 'a;

/// Runs `work(i)` for i < count on all threads. Not generic, so that it is compiled once.
fn in_parallel(count: usize, work: &(dyn Fn(usize) -> Result<(), Error> + Sync)) -> Result<(), Error> {
    match count {
        1 => work(0),
        _ => (0..count).into_par_iter().map(work).collect(),
    }
}

/// What the lock holds; a panic elsewhere cannot leave it half-changed in a way that matters, since its pass has failed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<V: Lanes> Pack<V> {
    fn zeros(prompts: usize, dim: usize) -> Pack<V> {
        let zero = V::vectorize(|| V::zero());
        Pack { data: vec![zero; prompts.div_ceil(V::N) * vector::stride(dim)], dim, scratch: Mutex::new(Vec::new()) }
    }

    fn set(&mut self, b: usize, values: &[f64]) {
        let stride = vector::stride(self.dim);
        let group = &mut self.data[b / V::N * stride..][..stride];
        let mut lanes = [V::Scalar::of(0.0); 16];
        for (place, value) in group.iter_mut().zip(values) {
            place.write(&mut lanes[..V::N]);
            lanes[b % V::N] = V::Scalar::of(*value);
            *place = V::from_slice(&lanes[..V::N]);
        }
    }

    fn fill(&mut self, op: &'static str, prompts: usize, start: &Start<'_>) -> Result<(), Error> {
        let stride = vector::stride(self.dim);
        let chunks = prompts.div_ceil(CHUNK);
        let parts: Vec<_> = self.data.chunks_mut(CHUNK / V::N * stride).map(Mutex::new).collect();
        in_parallel(parts.len(), &|i| {
            work::check(op, i, chunks)?;
            let mut data = locked(&parts[i]);
            let mut write = start(i)?;
            // Values of a group, one row per prompt; lanes without a prompt stay zero.
            let mut rows = vec![0.0; V::N * stride];
            let mut lanes = [V::Scalar::of(0.0); 16];
            for (g, group) in data.chunks_exact_mut(stride).enumerate() {
                let present = (prompts - i * CHUNK - g * V::N).min(V::N);
                rows[present * stride..].fill(0.0);
                for row in rows[..present * stride].chunks_exact_mut(stride) {
                    write(row);
                }
                for (k, place) in group.iter_mut().enumerate() {
                    for (lane, row) in lanes.iter_mut().zip(rows.chunks_exact(stride)) {
                        *lane = V::Scalar::of(row[k]);
                    }
                    *place = V::from_slice(&lanes[..V::N]);
                }
            }
            Ok(())
        })
    }

    /// Sum of squared errors; `gradient` is empty if not wanted.
    fn pass(&self, weights: &Weights<V::Scalar>, gradient: &mut [f64]) -> Result<f64, Error> {
        let d = self.dim;
        let chunk = CHUNK / V::N * vector::stride(d);
        let chunks = self.data.len().div_ceil(chunk);
        let len = gradient.len();
        let mut sums = vec![0.0; chunks * len];
        let mut losses = vec![0.0; chunks];
        let cost = weights.a.len() * 6 + weights.b.len() * 10 * d;
        let work = self.data.len() / vector::stride(d) * V::N * cost;
        let threads = if work < PARALLEL { 1 } else { rayon::current_num_threads().min(chunks) };
        if threads == 1 {
            self.range(&self.data, weights, &mut losses, &mut sums, len)?;
        } else {
            let per = chunks.div_ceil(threads);
            let mut rest: &mut [f64] = &mut sums;
            let parts: Vec<_> = self
                .data
                .chunks(per * chunk)
                .zip(losses.chunks_mut(per))
                .map(|(data, losses)| {
                    let (sums, others) = std::mem::take(&mut rest).split_at_mut(losses.len() * len);
                    rest = others;
                    Mutex::new((data, losses, sums))
                })
                .collect();
            in_parallel(parts.len(), &|i| {
                let mut part = locked(&parts[i]);
                let (data, losses, sums) = &mut *part;
                self.range(data, weights, losses, sums, len)
            })?;
        }
        if len > 0 {
            for row in sums.chunks_exact(len) {
                for (gradient, sum) in gradient.iter_mut().zip(row) {
                    *gradient += sum;
                }
            }
        }
        Ok(losses.iter().sum())
    }

    /// Some chunks, one after the other.
    fn range(
        &self,
        data: &[V],
        weights: &Weights<V::Scalar>,
        losses: &mut [f64],
        sums: &mut [f64],
        len: usize,
    ) -> Result<(), Error> {
        let (depth, d, wanted) = (weights.depth, self.dim, len > 0);
        let chunk = CHUNK / V::N * vector::stride(d);
        let of = losses.len();
        let mut rows = sums.chunks_exact_mut(len.max(1));
        let mut matrices = (!weights.b.is_empty()).then(|| matrix::Scratch::new(depth, d, weights.gradient_len()));
        let mut scratch = self.take(weights);
        for (i, (data, loss)) in data.chunks(chunk).zip(losses.iter_mut()).enumerate() {
            work::check("Batch::loss", i, of)?;
            let row = if wanted { rows.next() } else { None };
            *loss = V::vectorize(
                #[inline(always)]
                || match (&mut matrices, &weights.mixing) {
                    (Some(matrices), _) => matrix::pass(data, weights, matrices, row),
                    (None, Mixing::Plain) if d == 5 => plain::pass::<V, 5>(data, weights, &mut scratch, row),
                    (None, Mixing::Scalar(lambda)) if d == 5 => {
                        scalar::pass::<V, 5>(data, weights, lambda, &mut scratch, row)
                    }
                    (None, Mixing::Scalar(lambda)) if d == 10 => {
                        scalar::pass::<V, 10>(data, weights, lambda, &mut scratch, row)
                    }
                    _ => vector::pass(data, weights, &mut scratch, row),
                },
            );
        }
        locked(&self.scratch).push(scratch);
        Ok(())
    }

    pub(super) fn take(&self, weights: &Weights<V::Scalar>) -> vector::Scratch<V> {
        let (depth, len) = (weights.depth, weights.gradient_len());
        match locked(&self.scratch).pop() {
            Some(scratch) if scratch.fits(depth, self.dim, len) => scratch,
            _ => vector::Scratch::new(depth, self.dim, len),
        }
    }
}
