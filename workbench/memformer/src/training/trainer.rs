//! A training run.

use super::adam::{Adam, clip};
use super::divergence::{Divergence, diverged};
use super::prompts::Prompts;
use super::protocol::TrainingProtocol;
use super::trainable::Trainable;
use crate::{Architecture, Error, Parameters, TaskLaw};
use rand::RngCore;
use std::path::PathBuf;
use workbench_ground::check::same_shape;
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{self, Observer, RunStatus, Step, Unwatched};

/// Steps between two calls of the observer.
const TELL: usize = 16;

/// The loss on a batch that no step has seen yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreshLoss {
    /// Steps taken before.
    pub step: usize,
    /// Mean squared error, an unbiased estimate of the test loss.
    pub loss: f64,
}

/// A training run: parameters, moments and where it stands.
///
/// `M` is what is trained: [`Parameters`] of the restricted form, or `tensors::FullParameters` with free P and Q
/// (`workbench_tensors`).
///
/// Everything is decided by one number taken from the stream at the start: the k-th batch and the initial values are derived from it, so
/// that a run taken up again from a checkpoint follows the same path, bit for bit on the same machine.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Part, Phase, TaskLaw, Trainer, TrainingProtocol};
/// let protocol = TrainingProtocol::document().with_phases(vec![Phase::new(&[Part::Preconditioners], 300, 0.05)]);
/// let mut trainer = Trainer::new(
///     Architecture::new(2, 3)?,
///     TaskLaw::isotropic(3)?,
///     protocol,
///     &mut Streams::new(1).stream("run")?,
/// )?;
/// trainer.run()?;
/// let fresh = trainer.fresh_losses();
/// assert!(fresh[2].loss < 0.5 * fresh[0].loss);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trainer<M: Trainable = Parameters> {
    pub(super) law: TaskLaw,
    pub(super) protocol: TrainingProtocol,
    pub(super) seed: u64,
    pub(super) parameters: M,
    pub(super) processor: M::Processor,
    pub(super) adam: Adam,
    pub(super) step: usize,
    pub(super) fresh: Vec<FreshLoss>,
    prompts: Prompts<M>,
    held: bool,
    keep: Option<(PathBuf, usize)>,
    divergence: Divergence,
}

impl Trainer {
    /// A run from random initial values.
    ///
    /// **Errors**: a protocol that cannot be run, a law of another dimension, upper blocks with weights that are not scalar.
    pub fn new(
        architecture: Architecture,
        law: TaskLaw,
        protocol: TrainingProtocol,
        stream: &mut Stream,
    ) -> Result<Trainer, Error> {
        let seed = stream.next_u64();
        let mut start = Streams::new(seed).stream("start")?;
        let parameters = Parameters::random(architecture, protocol.initial_scale, &mut start)?;
        Trainer::from_parts(law, protocol, seed, parameters, ())
    }

    /// A run from given values, such as those of another run.
    ///
    /// **Errors**: as [`Trainer::new`].
    pub fn from_parameters(
        parameters: Parameters,
        law: TaskLaw,
        protocol: TrainingProtocol,
        stream: &mut Stream,
    ) -> Result<Trainer, Error> {
        parameters.architecture().check("Trainer::from_parameters")?;
        Trainer::from_parts(law, protocol, stream.next_u64(), parameters, ())
    }
}

impl<M: Trainable> Trainer<M> {
    /// A run of any [`Trainable`] model, with its batches kept at `processor` and drawn from `seed`.
    ///
    /// **Errors**: a protocol that cannot be run, a law of another dimension.
    pub fn from_parts(
        law: TaskLaw,
        protocol: TrainingProtocol,
        seed: u64,
        parameters: M,
        processor: M::Processor,
    ) -> Result<Trainer<M>, Error> {
        protocol.check()?;
        same_shape("Trainer::new", "the law's covariance", law.covariance().shape(), &[parameters.dim(); 2])?;
        Ok(Trainer {
            law,
            protocol,
            seed,
            adam: Adam::new(parameters.values().len()),
            parameters,
            processor,
            step: 0,
            fresh: Vec::new(),
            prompts: Prompts::none(),
            held: false,
            keep: None,
            divergence: Divergence::default(),
        })
    }

    /// Trains on these prompts only, and never draws others: what a small batch teaches can then be read off its own losses.
    ///
    /// Prompts given later take their place. What the run had learned of the former ones may serve the new ones badly, which is no
    /// divergence: the loss is compared with those on the new prompts only.
    ///
    /// Such a run cannot be saved. **Errors**: prompts of another dimension.
    pub fn hold(&mut self, batch: M::Batch) -> Result<(), Error> {
        let (dim, prompts, precision) = M::sizes(&batch);
        let op = "Trainer::hold";
        same_shape(op, "the batch's dimension", &[dim], &[self.parameters.dim()])?;
        self.protocol.resample_every = 0;
        self.protocol.batch = prompts;
        self.protocol.precision = precision;
        self.prompts = Prompts::given(batch);
        self.divergence = Divergence::default();
        self.held = true;
        Ok(())
    }

    /// Whether the prompts were given by [`Trainer::hold`].
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Writes a checkpoint to `path` every `steps` steps, when a stop is requested, and at the end.
    pub fn keep(&mut self, path: impl Into<PathBuf>, steps: usize) {
        self.keep = Some((path.into(), steps.max(1)));
    }

    /// The model as it stands.
    pub fn parameters(&self) -> &M {
        &self.parameters
    }

    /// The law of the prompts.
    pub fn law(&self) -> &TaskLaw {
        &self.law
    }

    /// The protocol.
    pub fn protocol(&self) -> &TrainingProtocol {
        &self.protocol
    }

    /// Steps taken.
    pub fn steps_taken(&self) -> usize {
        self.step
    }

    /// Losses on batches before any step on them, one per batch: a test loss over the run.
    pub fn fresh_losses(&self) -> &[FreshLoss] {
        &self.fresh
    }

    /// The loss of the model as it stands on the batch of its last step. **Errors**: no step yet, a stop request.
    pub fn batch_loss(&self) -> Result<f64, Error> {
        match self.prompts.now() {
            Some(batch) => Ok(self.parameters.pass(batch)?.0),
            None => Err(Error::zero("Trainer::batch_loss", "the number of steps taken")),
        }
    }

    /// Runs to the end of the protocol, or to a stop request.
    ///
    /// **Errors**: [`Error::Diverged`] for a loss that is not finite, or a million times that at the start for longer than one batch lasts;
    /// a checkpoint that cannot be written. The parameters before that step stay. Cost: for each step that of a pass with its gradient over
    /// the batch, as [`Batch::loss_and_gradient`](crate::Batch::loss_and_gradient), and for each fresh batch that of its draw.
    pub fn run(&mut self) -> Result<RunStatus, Error> {
        self.run_watched(&mut Unwatched)
    }

    /// [`Trainer::run`], telling `observer` the training loss every few steps.
    ///
    /// **Errors**: as [`Trainer::run`].
    pub fn run_watched(&mut self, observer: &mut dyn Observer) -> Result<RunStatus, Error> {
        self.run_for_watched(self.protocol.steps(), observer)
    }

    /// At most `steps` further steps; see [`Trainer::run`].
    pub fn run_for(&mut self, steps: usize) -> Result<RunStatus, Error> {
        self.run_for_watched(steps, &mut Unwatched)
    }

    /// [`Trainer::run_for`], telling `observer` the training loss every few steps.
    ///
    /// **Errors**: as [`Trainer::run`].
    pub fn run_for_watched(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<RunStatus, Error> {
        const OP: &str = "Trainer::run";
        observer.value_is("loss");
        let of = self.protocol.steps();
        let groups = self.parameters.groups();
        let end = of.min(self.step.saturating_add(steps));
        while self.step < end {
            // Steps below the protocol's end belong to a phase.
            let Some((index, within)) = self.protocol.phase_at(self.step) else {
                break;
            };
            let phase = &self.protocol.phases[index];
            let rate = phase.rate_at(within);
            let ranges: Vec<_> = phase.parts.iter().flat_map(|p| self.parameters.trained(*p)).collect();
            if within == 0 {
                self.adam = Adam::new(self.parameters.values().len());
            }
            let stop = work::stop_requested();
            let taken = if stop { None } else { self.gradient()? };
            let Some((loss, mut gradient, first)) = taken else {
                work::stopped(OP, self.step, Some(of));
                self.save_kept()?;
                return Ok(RunStatus::Stopped);
            };
            let start = self.fresh.first().map_or(loss, |f| f.loss);
            if self.divergence.sees(loss, &gradient, start, self.protocol.resample_every) {
                let best = self.fresh.iter().map(|f| f.loss).fold(f64::INFINITY, f64::min);
                return Err(diverged(OP, self.step, loss, best, rate));
            }
            if first {
                self.fresh.push(FreshLoss { step: self.step, loss });
            }
            clip(&mut gradient, self.protocol.clip, &groups, &ranges);
            let (betas, epsilon) = (self.protocol.betas, self.protocol.epsilon);
            self.adam.step(self.parameters.values_mut(), &gradient, &ranges, rate, betas, epsilon);
            self.step += 1;
            if self.step.is_multiple_of(TELL) || self.step == end {
                observer.observe(Step { done: self.step, of, value: Some(loss) });
            }
            if let Some((_, every)) = &self.keep
                && self.step.is_multiple_of(*every)
            {
                self.save_kept()?;
            }
        }
        self.save_kept()?;
        Ok(RunStatus::Done)
    }

    /// Loss and gradient on the batch of this step, and whether it is fresh; `None` after a stop request.
    fn gradient(&mut self) -> Result<Option<(f64, Vec<f64>, bool)>, Error> {
        let index = self.step.checked_div(self.protocol.resample_every).unwrap_or(0);
        let first = match self.protocol.resample_every {
            0 => self.step == 0,
            every => self.step.is_multiple_of(every),
        };
        let batch = self.prompts.of(index, self.seed, &self.law, &self.protocol, &self.processor);
        match batch.and_then(|batch| self.parameters.pass(batch)) {
            Ok((loss, gradient)) => Ok(Some((loss, gradient, first))),
            Err(Error::Stopped(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn save_kept(&self) -> Result<(), Error> {
        match &self.keep {
            Some((path, _)) => self.save(path),
            None => Ok(()),
        }
    }
}

/// The losses on fresh batches, each before the step that used it.
impl<M: Trainable> Tabulated for Trainer<M> {
    fn columns(&self) -> Result<Columns, Error> {
        let steps: Vec<usize> = self.fresh.iter().map(|fresh| fresh.step).collect();
        let losses: Vec<f64> = self.fresh.iter().map(|fresh| fresh.loss).collect();
        let columns = Columns::new("Losses on fresh batches").x("step", steps);
        Ok(columns.with("loss", losses).log_y())
    }
}

#[cfg(test)]
mod tests;
