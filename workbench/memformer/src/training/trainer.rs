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
use workbench_ground::work::{self, Observer, Step, Unwatched};

/// Steps between two words to the observer.
const TELL: u64 = 16;

/// The loss on a batch that no step has seen yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreshLoss {
    /// Steps taken before.
    pub step: u64,
    /// Mean squared error, an unbiased estimate of the test loss.
    pub loss: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// All steps of the protocol are done.
    Done,
    /// A stop was requested; the run goes on from here when asked again.
    Stopped,
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
/// use workbench::memformer::{Architecture, Part, Phase, TaskLaw, Trainer, TrainingProtocol};
/// use workbench::stats::Streams;
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
    pub(super) place: M::Place,
    pub(super) adam: Adam,
    pub(super) step: u64,
    pub(super) fresh: Vec<FreshLoss>,
    prompts: Prompts<M>,
    held: bool,
    keep: Option<(PathBuf, u64)>,
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
    /// A run of any [`Trainable`] model, with its batches kept at `place` and drawn from `seed`.
    ///
    /// **Errors**: a protocol that cannot be run, a law of another dimension.
    pub fn from_parts(
        law: TaskLaw,
        protocol: TrainingProtocol,
        seed: u64,
        parameters: M,
        place: M::Place,
    ) -> Result<Trainer<M>, Error> {
        protocol.check()?;
        same_shape(
            "Trainer::new",
            "the law's covariance",
            law.covariance().shape(),
            &[parameters.dim(); 2],
        )?;
        Ok(Trainer {
            law,
            protocol,
            seed,
            adam: Adam::new(parameters.values().len()),
            parameters,
            place,
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
    pub fn keep(&mut self, path: impl Into<PathBuf>, steps: u64) {
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
    pub fn steps_taken(&self) -> u64 {
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
    /// a checkpoint that cannot be written. The parameters before that step stay.
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
    pub fn run_for(&mut self, steps: u64) -> Result<RunStatus, Error> {
        self.run_for_watched(steps, &mut Unwatched)
    }

    /// [`Trainer::run_for`], telling `observer` the training loss every few steps.
    ///
    /// **Errors**: as [`Trainer::run`].
    pub fn run_for_watched(&mut self, steps: u64, observer: &mut dyn Observer) -> Result<RunStatus, Error> {
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
            if self
                .divergence
                .sees(loss, &gradient, start, self.protocol.resample_every)
            {
                let best = self.fresh.iter().map(|f| f.loss).fold(f64::INFINITY, f64::min);
                return Err(diverged(OP, self.step, loss, best, rate));
            }
            if first {
                self.fresh.push(FreshLoss { step: self.step, loss });
            }
            clip(&mut gradient, self.protocol.clip, &groups, &ranges);
            let (betas, epsilon) = (self.protocol.betas, self.protocol.epsilon);
            self.adam
                .step(self.parameters.values_mut(), &gradient, &ranges, rate, betas, epsilon);
            self.step += 1;
            if self.step.is_multiple_of(TELL) || self.step == end {
                observer.observe(Step {
                    done: self.step,
                    of,
                    value: Some(loss),
                });
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
        let batch = self
            .prompts
            .of(index, self.seed, &self.law, &self.protocol, &self.place);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Part, Phase, RegisterKind, RegisterWeight};

    fn stream(name: &str) -> Stream {
        Streams::new(31).stream(name).unwrap()
    }

    fn phases(first: u64, second: u64) -> Vec<Phase> {
        vec![
            Phase::new(&[Part::Preconditioners, Part::UpperBlocks], first, 0.03).halving_every(200),
            Phase::new(&[Part::Registers], second, 0.01),
        ]
    }

    fn model(tied: bool) -> Architecture {
        let weight = RegisterWeight::Scalar;
        Architecture::new(3, 3)
            .unwrap()
            .with_registers(RegisterKind::Separate { weight, tied })
    }

    fn trainer(architecture: Architecture, protocol: TrainingProtocol) -> Trainer {
        Trainer::new(
            architecture,
            TaskLaw::isotropic(3).unwrap(),
            protocol,
            &mut stream("run"),
        )
        .unwrap()
    }

    fn small() -> TrainingProtocol {
        TrainingProtocol::document()
            .with_batch(300)
            .with_phases(phases(400, 300))
    }

    struct Record(Vec<Step>);
    impl Observer for Record {
        fn observe(&mut self, step: Step) {
            self.0.push(step);
        }
    }

    #[test]
    fn each_phase_moves_its_own_parameters_only() {
        let mut trainer = trainer(model(false), small());
        let start = trainer.parameters().clone();
        trainer.run_for(400).unwrap();
        let middle = trainer.parameters().clone();
        assert_eq!(middle.registers(), start.registers());
        assert_ne!(middle.a(0).unwrap(), start.a(0).unwrap());
        assert_eq!(trainer.run().unwrap(), RunStatus::Done);
        let end = trainer.parameters();
        assert_eq!(
            (0..3).map(|l| end.a(l).unwrap()).collect::<Vec<_>>(),
            (0..3).map(|l| middle.a(l).unwrap()).collect::<Vec<_>>()
        );
        assert_ne!(end.registers(), middle.registers());
        let fresh = trainer.fresh_losses();
        assert_eq!(fresh.len(), 7);
        assert!((fresh[0].loss - 3.0).abs() < 1.5, "E <w, x>^2 = d: {fresh:?}");
        assert!(
            fresh[4].loss < 0.2 * fresh[0].loss && fresh[6].loss < 0.2 * fresh[0].loss,
            "{fresh:?}"
        );
    }

    #[test]
    fn runs_repeat_and_parts_of_a_run_are_the_run() {
        let mut whole = trainer(model(true), small());
        whole.run().unwrap();
        let mut parts = trainer(model(true), small());
        for steps in [1, 57, 250, 10_000] {
            parts.run_for(steps).unwrap();
        }
        assert_eq!(parts.parameters(), whole.parameters());
        assert_eq!(parts.fresh_losses(), whole.fresh_losses());
        let mut other = Trainer::new(
            model(true),
            TaskLaw::isotropic(3).unwrap(),
            small(),
            &mut stream("other"),
        )
        .unwrap();
        other.run().unwrap();
        assert_ne!(other.parameters(), whole.parameters());
    }

    #[test]
    fn the_batch_of_the_last_step_is_at_hand() {
        let mut run = trainer(model(false), small());
        assert!(run.batch_loss().unwrap_err().to_string().contains("steps taken"));
        run.run_for(1).unwrap();
        let (before, after) = (run.fresh_losses()[0].loss, run.batch_loss().unwrap());
        assert!(after < before && after > 0.5 * before, "{before} {after}");
    }

    #[test]
    fn a_single_layer_finds_the_known_optimum() {
        // With w ~ N(0, I) and x ~ N(0, I) one layer is best at a = n / (n + d + 1) times the identity.
        let (n, d) = (20, 3);
        let mut protocol = TrainingProtocol::document().with_batch(20_000).with_examples(n);
        protocol.phases = vec![Phase::new(&[Part::Preconditioners], 600, 0.05).halving_every(100)];
        let mut trainer = trainer(Architecture::new(1, d).unwrap(), protocol);
        trainer.run().unwrap();
        let a = trainer.parameters().a(0).unwrap().to_owned();
        let want = n as f64 / (n + d + 1) as f64;
        for ((i, j), v) in a.indexed_iter() {
            let want = if i == j { want } else { 0.0 };
            // The optimum of one batch scatters by about 1 / sqrt(B n).
            assert!((v - want).abs() < 0.02, "{a}");
        }
    }

    #[test]
    fn divergence_is_seen_early_and_named() {
        let mut protocol = small();
        protocol.phases = vec![Phase::new(&[Part::Preconditioners], 500, 50.0)];
        let mut trainer = trainer(model(false), protocol);
        let error = trainer.run().unwrap_err();
        assert!(matches!(error, Error::Diverged { rate: Some(50.0), .. }), "{error}");
        assert!(error.to_string().contains("lower the learning rate"));
        assert!(trainer.parameters().values().iter().all(|v| v.is_finite()));
    }

    #[test]
    fn one_prompt_far_out_is_no_divergence() {
        // With A = B = I a layer maps a curvature h to h (1 - h)^2: prompts with h above 2 blow up, the others do not.
        let mut model = Parameters::neutral(Architecture::new(3, 2).unwrap().with_upper_block());
        for l in 0..3 {
            model.set_a(l, &ndarray::Array2::eye(2)).unwrap();
            model.set_b(l, &ndarray::Array2::eye(2)).unwrap();
        }
        let mut protocol = small().with_batch(1).with_examples(4);
        protocol.resample_every = 1;
        protocol.phases = vec![Phase::new(&[Part::Preconditioners], 300, 1e-9)];
        let mut stream = Streams::new(3).stream("far out").unwrap();
        let law = TaskLaw::isotropic(2).unwrap();
        let mut trainer = Trainer::from_parameters(model, law, protocol, &mut stream).unwrap();
        assert_eq!(trainer.run().unwrap(), RunStatus::Done);
        let losses: Vec<f64> = trainer.fresh_losses().iter().map(|f| f.loss).collect();
        let largest = losses.iter().copied().fold(0.0, f64::max);
        assert!(largest > 1e6 * losses[0], "{largest} {}", losses[0]);
    }

    #[test]
    fn observers_hear_of_it_and_stops_keep_the_state() {
        let mut trainer = trainer(model(false), small());
        let mut record = Record(Vec::new());
        trainer.run_for_watched(100, &mut record).unwrap();
        assert_eq!(record.0.last().map(|s| (s.done, s.of)), Some((100, 700)));
        assert!(record.0.iter().all(|s| s.value.is_some_and(f64::is_finite)));
        let end = workbench_ground::rehearsal::stop_after(40, || trainer.run()).unwrap();
        assert_eq!(end, RunStatus::Stopped);
        let taken = trainer.steps_taken();
        assert!(taken > 100 && taken < 140, "{taken}");
        trainer.run().unwrap();
        let mut whole = super::tests::trainer(model(false), small());
        whole.run().unwrap();
        assert_eq!(trainer.parameters(), whole.parameters());
    }

    #[test]
    fn held_prompts_are_the_only_ones() {
        let law = TaskLaw::isotropic(3).unwrap();
        let batch = || Batch::draw(&law, 20, 1, crate::Precision::Double, &mut stream("one")).unwrap();
        let mut run = trainer(Architecture::new(3, 3).unwrap(), small());
        run.hold(batch()).unwrap();
        run.run_for(390).unwrap();
        assert_eq!(run.fresh_losses().len(), 1);
        // One prompt can be learned by heart.
        assert!(batch().loss(run.parameters()).unwrap() < 1e-2 * run.fresh_losses()[0].loss);
        let error = run.save(std::env::temp_dir().join("held.json")).unwrap_err();
        assert!(error.to_string().contains("given prompts"), "{error}");
        // A loss out of all proportion counts anew for another prompt.
        run.divergence.sees(1e9, &[0.0], 1.0, 0);
        run.hold(batch()).unwrap();
        assert_eq!(run.divergence, Divergence::default());
        let wide = Batch::draw(
            &TaskLaw::isotropic(2).unwrap(),
            2,
            1,
            crate::Precision::Double,
            &mut stream("two"),
        );
        assert!(
            run.hold(wide.unwrap())
                .unwrap_err()
                .to_string()
                .contains("= 2 does not match the shape needed = 3;")
        );
    }

    #[test]
    fn bad_starts_are_named() {
        let law = TaskLaw::isotropic(4).unwrap();
        let error = Trainer::new(model(true), law, small(), &mut stream("run")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("(4, 4) does not match the shape needed = (3, 3)"),
            "{error}"
        );
    }
}
