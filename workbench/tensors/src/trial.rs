//! Models trained under the same conditions and watched on the same fresh prompts.

use super::architecture::FullArchitecture;
use super::batch::TokenBatch;
use super::parameters::FullParameters;
use std::time::{Duration, Instant};
use workbench_ground::Error;
use workbench_ground::stats::{Stream, median};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{self, Observer, Unwatched};
use workbench_memformer::{TaskLaw, TrainingProtocol};

/// Looks at the fresh prompts in a run.
const LOOKS: usize = 10;

/// What stays the same where models are compared: law, protocol, scale of the start, and the fresh prompts that all are tested on.
///
/// A prompt far out can blow up in a model of linear attention, and one such prompt rules a mean. So a trial has the median of the
/// squared errors beside their mean, ten times in a run.
///
/// ```
/// use workbench_tensors::{FullArchitecture, Processor, TokenBatch, Trial};
/// use workbench_memformer::{Part, Phase, Precision, TaskLaw, TrainingProtocol};
/// use workbench_ground::stats::Streams;
/// let (streams, law) = (Streams::new(1), TaskLaw::isotropic(2)?);
/// let fresh = TokenBatch::draw(&law, 10, 200, Precision::Single, Processor::Cpu, &mut streams.stream("fresh")?)?;
/// let parts = [Part::UpperBlocks, Part::Preconditioners];
/// let phase = Phase::new(&parts, 200, 0.01);
/// let protocol = TrainingProtocol::document().with_examples(10).with_batch(100).with_phases(vec![phase]);
/// let trial = Trial::new(&law, &protocol, 0.01, fresh);
/// let curve = trial.run(FullArchitecture::new(2, 2)?, &mut streams.stream("run")?)?;
/// assert_eq!((curve.steps[0], curve.steps[9]), (20.0, 200.0));
/// assert!(curve.medians[9] < curve.medians[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trial {
    law: TaskLaw,
    protocol: TrainingProtocol,
    scale: f64,
    fresh: TokenBatch,
}

/// How a run of a [`Trial`] went.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialCurve {
    /// Steps taken at each look, as numbers for an axis.
    pub steps: Vec<f64>,
    /// Median of the squared errors on the fresh prompts at each look.
    pub medians: Vec<f64>,
    /// Their mean at each look.
    pub means: Vec<f64>,
    /// Mean squared error at the end on the run's own batch: the held prompts, or those of the last steps.
    pub own: f64,
    /// Seconds that a step took in the mean, looks apart.
    pub seconds_a_step: f64,
}

impl Tabulated for TrialCurve {
    fn columns(&self) -> Result<Columns, Error> {
        let columns = Columns::new("Errors on fresh prompts").x("step", &self.steps);
        let columns = columns.with("median", &self.medians).with("mean", &self.means);
        Ok(columns.log_y())
    }
}

impl Trial {
    /// Runs under this protocol from values around zero, with the given scale (see [`FullParameters::random`]), on the processor of the
    /// fresh prompts.
    pub fn new(law: &TaskLaw, protocol: &TrainingProtocol, scale: f64, fresh: TokenBatch) -> Trial {
        let (law, protocol) = (law.clone(), protocol.clone());
        Trial { law, protocol, scale, fresh }
    }

    /// A run of this model over the whole protocol. Streams that begin alike give models of the same shape the same start and the same
    /// batches.
    ///
    /// **Errors**: as [`FullParameters::trainer`], divergence, a model for other prompts than the fresh ones, too few of these for a
    /// median, a stop request: part of a run compares with no other. Cost: that of the run, and ten passes forward over the fresh prompts.
    pub fn run(&self, model: FullArchitecture, stream: &mut Stream) -> Result<TrialCurve, Error> {
        self.run_watched(model, stream, &mut Unwatched)
    }

    /// [`Trial::run`], telling `observer` the training loss every few steps.
    ///
    /// **Errors** and cost: as there.
    pub fn run_watched(
        &self,
        model: FullArchitecture,
        stream: &mut Stream,
        observer: &mut dyn Observer,
    ) -> Result<TrialCurve, Error> {
        self.run_with(self.protocol.batch, None, model, stream, observer)
    }

    /// [`Trial::run`] with batches of another size.
    ///
    /// **Errors** and cost: as there.
    pub fn run_in_batches(
        &self,
        prompts: usize,
        model: FullArchitecture,
        stream: &mut Stream,
    ) -> Result<TrialCurve, Error> {
        self.run_in_batches_watched(prompts, model, stream, &mut Unwatched)
    }

    /// [`Trial::run_in_batches`], telling `observer` the training loss every few steps.
    ///
    /// **Errors** and cost: as there.
    pub fn run_in_batches_watched(
        &self,
        prompts: usize,
        model: FullArchitecture,
        stream: &mut Stream,
        observer: &mut dyn Observer,
    ) -> Result<TrialCurve, Error> {
        self.run_with(prompts, None, model, stream, observer)
    }

    /// [`Trial::run`] on one batch, held for the whole run.
    ///
    /// **Errors** and cost: as there; prompts of another size, see [`Trainer::hold`](workbench_memformer::Trainer::hold).
    pub fn run_on(&self, held: TokenBatch, model: FullArchitecture, stream: &mut Stream) -> Result<TrialCurve, Error> {
        self.run_on_watched(held, model, stream, &mut Unwatched)
    }

    /// [`Trial::run_on`], telling `observer` the training loss every few steps.
    ///
    /// **Errors** and cost: as there; prompts of another size, see [`Trainer::hold`](workbench_memformer::Trainer::hold).
    pub fn run_on_watched(
        &self,
        held: TokenBatch,
        model: FullArchitecture,
        stream: &mut Stream,
        observer: &mut dyn Observer,
    ) -> Result<TrialCurve, Error> {
        self.run_with(held.prompts(), Some(held), model, stream, observer)
    }

    fn run_with(
        &self,
        prompts: usize,
        held: Option<TokenBatch>,
        model: FullArchitecture,
        stream: &mut Stream,
        observer: &mut dyn Observer,
    ) -> Result<TrialCurve, Error> {
        const OP: &str = "Trial::run";
        let protocol = self.protocol.clone().with_batch(prompts);
        let of = protocol.steps();
        let start = FullParameters::random(model, self.scale, stream)?;
        let mut run = start.trainer(self.law.clone(), protocol, self.fresh.processor(), stream)?;
        if let Some(held) = held {
            run.hold(held)?;
        }
        let (mut steps, mut medians, mut means) = (Vec::new(), Vec::new(), Vec::new());
        let mut spent = Duration::ZERO;
        for look in 1..=LOOKS {
            let begun = Instant::now();
            run.run_for_watched(look * of / LOOKS - run.steps_taken(), observer)?;
            spent += begun.elapsed();
            work::check(OP, run.steps_taken(), of)?;
            let errors = self.fresh.losses(run.parameters())?.row(model.depth()).to_vec();
            steps.push(run.steps_taken() as f64);
            medians.push(median(&errors)?.value);
            means.push(errors.iter().sum::<f64>() / errors.len() as f64);
        }
        Ok(TrialCurve {
            steps,
            medians,
            means,
            own: run.batch_loss()?,
            seconds_a_step: spent.as_secs_f64() / of.max(1) as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::processor::Processor;
    use workbench_ground::stats::Streams;
    use workbench_memformer::{Part, Phase, Precision};

    fn prompts(count: usize, name: &str) -> TokenBatch {
        let (law, mut stream) = (TaskLaw::isotropic(2).unwrap(), Streams::new(71).stream(name).unwrap());
        TokenBatch::draw(&law, 8, count, Precision::Single, Processor::Cpu, &mut stream).unwrap()
    }

    fn trial(steps: usize) -> (Trial, FullArchitecture) {
        let parts = [Part::UpperBlocks, Part::Preconditioners];
        let protocol = TrainingProtocol::document()
            .with_examples(8)
            .with_batch(100)
            .with_phases(vec![Phase::new(&parts, steps, 0.02)]);
        let law = TaskLaw::isotropic(2).unwrap();
        let model = FullArchitecture::new(2, 2).unwrap();
        (Trial::new(&law, &protocol, 0.01, prompts(300, "fresh")), model)
    }

    #[test]
    fn looks_do_not_change_a_run() {
        let (trial, model) = trial(105);
        let streams = Streams::new(72);
        let curve = trial.run(model, &mut streams.restart("run").unwrap()).unwrap();
        let columns = curve.columns().unwrap().list;
        assert_eq!((columns.len(), &columns[1].1), (3, &(&curve.medians).into()));
        let mut stream = streams.restart("run").unwrap();
        let start = FullParameters::random(model, 0.01, &mut stream).unwrap();
        let mut run = start.trainer(trial.law.clone(), trial.protocol.clone(), Processor::Cpu, &mut stream).unwrap();
        run.run().unwrap();
        assert_eq!(curve.own, run.batch_loss().unwrap());
        let mean = trial.fresh.loss(run.parameters()).unwrap();
        assert!((curve.means[9] / mean - 1.0).abs() < 1e-4, "{curve:?} {mean}");
        assert_eq!((curve.steps.len(), curve.steps[0], curve.steps[9]), (10, 10.0, 105.0));
        assert!(curve.medians[9] < curve.means[9] && curve.seconds_a_step > 0.0);
    }

    #[test]
    fn few_prompts_are_learned_by_heart() {
        let (trial, model) = trial(400);
        let run = |held| {
            let mut stream = Streams::new(73).stream("run").unwrap();
            trial.run_on(held, model, &mut stream).unwrap()
        };
        let (few, many) = (run(prompts(3, "few")), run(prompts(600, "many")));
        assert!(few.own < 0.1 * many.own, "{few:?} {many:?}");
        assert!(few.medians[9] > many.medians[9], "{few:?} {many:?}");
    }

    #[test]
    fn batches_of_another_size_and_stops_are_seen() {
        let (trial, model) = trial(40);
        let streams = Streams::new(74);
        let run = |count| trial.run_in_batches(count, model, &mut streams.restart("run").unwrap());
        assert_ne!(run(10).unwrap().own, run(50).unwrap().own);
        assert!(run(0).is_err());
        let stopped = workbench_ground::rehearsal::stop_after(3, || run(100));
        assert!(matches!(stopped, Err(Error::Stopped(_))), "{stopped:?}");
        let wider = FullArchitecture::new(2, 3).unwrap();
        assert!(trial.run(wider, &mut streams.restart("run").unwrap()).is_err());
    }
}
