//! Training runs of the model with learned embeddings.

mod descent;

use self::descent::Descent;
use super::learned::{LearnedMemory, Readout};
use super::learned_runs::{Divergence, LearnedRuns};
use super::method::BatchSize;
use super::rule::DescentRule;
use super::schedule::Schedule;
use super::task::TrainingTask;
use crate::data::target::Target;
use crate::data::zipf::Zipf;
use crate::store::embedding::Embeddings;
use ndarray::Array2;
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::{positive, within};
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::work::{Finished, Observer, Unwatched};

const OP: &str = "LearnedTraining";
/// A norm of all parameters beyond which a run counts as diverged.
const NORM_LIMIT: f64 = 1e9;

/// The parts of the model that descend; the others stay at their start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainedParts {
    /// W alone.
    Memory,
    /// $e_x$ and $u_y$.
    Embeddings,
    /// W, $e_x$ and $u_y$.
    Everything,
}

/// Where W starts. Embeddings start on the unit sphere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryStart {
    /// Entries $\mathcal N(0,1/d)$, Appendix C.1.
    Gaussian,
    /// The identity, as in Eq. 12.
    Identity,
    /// Zero.
    Zero,
}

/// Training of W, of the embeddings, or of both, with the widths' rates of Appendix C.1.
///
/// The gradient is that of the *mean* loss over the batch, so that its size does not depend on the batch size. A base rate $\gamma$ means
/// $\gamma$ for every part under plain descent, and $\gamma/d$ for W and $\gamma/\sqrt d$ for embeddings under sign or Adam updates.
///
/// **Source**: Section 3 (Learning the embeddings), Fig. 11 and 12, Appendix C.1.
///
/// Replicate `i` draws its start and its data from the streams `name: start` and `name: data`, so that trainings run under one name on one
/// seed share both, and can be compared pair by pair.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{DescentRule, LearnedTraining, Readout, Target, TrainedParts, Zipf};
/// let training = LearnedTraining::new(Zipf::new(2.0, 20)?, Target::modulo(5)?, 2, Readout::Linear, TrainedParts::Embeddings)
///     .rule(DescentRule::ADAM).rate(0.1)?.steps(300);
/// let runs = training.run(&Streams::new(1), "two dimensions", 4)?;
/// assert!(runs.errors().column(0).mean().unwrap() < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LearnedTraining {
    law: Zipf,
    target: Target,
    dim: usize,
    readout: Readout,
    parts: TrainedParts,
    start: MemoryStart,
    rule: DescentRule,
    schedule: Schedule,
    powers: (f64, f64),
    batch: BatchSize,
    steps: usize,
    record: Vec<usize>,
    look_every: usize,
}

impl LearnedTraining {
    /// Plain descent at rate one, batches of 1000 samples, 1000 steps (the budget of Fig. 11), W from its Gaussian start.
    pub fn new(law: Zipf, target: Target, dim: usize, readout: Readout, parts: TrainedParts) -> LearnedTraining {
        LearnedTraining {
            law,
            target,
            dim,
            readout,
            parts,
            start: MemoryStart::Gaussian,
            rule: DescentRule::Sgd,
            schedule: one(),
            powers: (0.0, 0.0),
            batch: BatchSize::Samples(1000),
            steps: 1000,
            record: Vec::new(),
            look_every: 10,
        }
    }

    /// Another rule; the powers of d in its rates become those of Appendix C.1.
    pub fn rule(self, rule: DescentRule) -> LearnedTraining {
        let powers = match rule {
            DescentRule::Sign | DescentRule::Adam { .. } => (-1.0, -0.5),
            _ => (0.0, 0.0),
        };
        LearnedTraining { rule, powers, ..self }
    }

    /// Other powers of d in the rates of W and of the embeddings.
    pub fn width_powers(self, memory: f64, embeddings: f64) -> LearnedTraining {
        LearnedTraining { powers: (memory, embeddings), ..self }
    }

    /// A constant base rate.
    ///
    /// **Errors**: a rate that is not finite and positive.
    pub fn rate(self, rate: f64) -> Result<LearnedTraining, Error> {
        Ok(LearnedTraining { schedule: Schedule::constant(rate)?, ..self })
    }

    /// A base rate that changes over the steps.
    pub fn schedule(self, schedule: Schedule) -> LearnedTraining {
        LearnedTraining { schedule, ..self }
    }

    /// The data of one step.
    pub fn batch(self, batch: BatchSize) -> LearnedTraining {
        LearnedTraining { batch, ..self }
    }

    /// Where W starts.
    pub fn memory_start(self, start: MemoryStart) -> LearnedTraining {
        LearnedTraining { start, ..self }
    }

    /// The number of steps.
    pub fn steps(self, steps: usize) -> LearnedTraining {
        LearnedTraining { steps, ..self }
    }

    /// Numbers of finished steps at which the error is kept, ascending; without it only the end.
    pub fn record(self, record: Vec<usize>) -> LearnedTraining {
        LearnedTraining { record, ..self }
    }

    /// How often a run looks whether its error is zero, in steps.
    pub fn look_every(self, steps: usize) -> LearnedTraining {
        LearnedTraining { look_every: steps, ..self }
    }

    /// Trains `runs` models. The result does not depend on the number of threads.
    ///
    /// A run whose parameters diverge is stopped; step and norm are in [`LearnedRuns::diverged`] and its error stays at its last value.
    ///
    /// **Errors**: zero sizes, rates or records out of range, infinitely many inputs, [`Error::Stopped`].
    ///
    /// Cost per run: `steps (M d^2 + (distinct inputs of a batch) M d)`, and `N d` a step for Adam.
    pub fn run(&self, streams: &Streams, name: &str, runs: usize) -> Result<LearnedRuns, Error> {
        self.run_watched(streams, name, runs, &mut Unwatched)
    }

    /// [`LearnedTraining::run`], telling `observer` after each finished run.
    ///
    /// **Errors**: as [`LearnedTraining::run`].
    pub fn run_watched(
        &self,
        streams: &Streams,
        name: &str,
        runs: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<LearnedRuns, Error> {
        let n = self.check(runs)?;
        let jobs = (0..runs)
            .map(|i| {
                Ok((
                    streams.restart_replicate(&format!("{name}: start"), i)?,
                    streams.restart_replicate(&format!("{name}: data"), i)?,
                ))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let finished = Finished::new(OP, runs, observer);
        let results = jobs
            .into_par_iter()
            .map(|(mut start, mut data)| {
                let run = self.one_run(n, &mut start, &mut data, &finished)?;
                finished.one();
                Ok(run)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let record = self.recorded();
        let mut all = LearnedRuns {
            errors: Array2::zeros((runs, record.len())),
            record,
            first_zero: Vec::new(),
            diverged: Vec::new(),
            starts: Vec::new(),
            models: Vec::new(),
        };
        for (i, run) in results.into_iter().enumerate() {
            all.errors.row_mut(i).assign(&ndarray::Array1::from(run.errors));
            all.first_zero.push(run.first_zero);
            all.diverged.push(run.diverged);
            all.starts.push(run.start);
            all.models.push(run.model);
        }
        Ok(all)
    }

    fn recorded(&self) -> Vec<usize> {
        if self.record.is_empty() { vec![self.steps] } else { self.record.clone() }
    }

    fn check(&self, runs: usize) -> Result<usize, Error> {
        for (name, value) in
            [("runs", runs), ("dim (d)", self.dim), ("steps", self.steps), ("look_every", self.look_every)]
        {
            positive(OP, name, value)?;
        }
        if let BatchSize::Samples(b) = self.batch {
            positive(OP, "batch size", b)?;
        }
        self.rule.check(OP)?;
        if matches!(self.rule, DescentRule::Rescaled { .. }) {
            let instead =
                "use DescentRule::Sgd, DescentRule::Sign or DescentRule::Adam; the variance rule is for W alone";
            return Err(Error::unavailable(OP, "this rule", instead));
        }
        for power in [self.powers.0, self.powers.1] {
            within(OP, "power of d in a rate", power, true, "a finite number")?;
        }
        if let Some(w) = self.record.windows(2).find(|w| w[0] >= w[1]) {
            return Err(Error::parameter(OP, "recorded step", w[1] as f64, "ascending steps"));
        }
        if let Some(&last) = self.record.last().filter(|&&last| last > self.steps) {
            let allowed = "steps up to the last one of the run";
            return Err(Error::parameter(OP, "recorded step", last as f64, allowed));
        }
        if self.readout == Readout::Relu && self.parts == TrainedParts::Memory {
            let instead = "train the embeddings; the ReLU model has no W";
            return Err(Error::unavailable(OP, "this trained part", instead));
        }
        self.law.enumerable(OP)
    }

    fn one_run(
        &self,
        n: usize,
        start: &mut Stream,
        data: &mut Stream,
        finished: &Finished<'_>,
    ) -> Result<OneRun, Error> {
        let mut model = LearnedMemory::start(n, self.target.n_classes(), self.dim, self.readout, start)?;
        match self.start {
            MemoryStart::Gaussian => (),
            MemoryStart::Identity => model.memory = Array2::eye(self.dim),
            MemoryStart::Zero => model.memory.fill(0.0),
        }
        let (labels, p) = (self.target.labels(n), self.law.probabilities(n));
        let everyone: Vec<usize> = (0..n).collect();
        // For its sampler only.
        let task = TrainingTask::new(Embeddings::from_parts(Array2::zeros((n, 1)), Array2::eye(1))?, &vec![0; n], &p)?;
        let mut run = OneRun { errors: Vec::new(), first_zero: None, diverged: None, start: model.clone(), model };
        let mut descent = Descent::new(self, &run.model);
        let mut weights = p.clone();
        let record = self.recorded();
        let mut error = run.model.generalization_error(&labels, &p)?;
        let keep = |step: usize, error: f64, run: &mut OneRun| {
            if record.binary_search(&step).is_ok() {
                run.errors.push(error);
            }
            if error == 0.0 && run.first_zero.is_none() {
                run.first_zero = Some(step);
            }
        };
        keep(0, error, &mut run);
        for step in 0..self.steps {
            finished.go_on()?;
            if run.diverged.is_none() {
                let active = match self.batch {
                    BatchSize::Population => everyone.clone(),
                    BatchSize::Samples(b) => {
                        task.shares(b, data, &mut weights);
                        (0..n).filter(|&x| weights[x] > 0.0).collect()
                    }
                };
                descent.step(&mut run.model, active, &labels, &weights, self.schedule.rate(step))?;
            }
            let due = record.binary_search(&(step + 1)).is_ok();
            if due || (step + 1) % self.look_every == 0 || step + 1 == self.steps {
                if run.diverged.is_none() {
                    if run.model.norm() < NORM_LIMIT {
                        error = run.model.generalization_error(&labels, &p)?;
                    } else {
                        let norm = run.model.norm();
                        run.diverged = Some(Divergence { step: step + 1, norm });
                    }
                }
                keep(step + 1, error, &mut run);
            }
        }
        Ok(run)
    }
}

/// The schedule of a rate of one at every step.
fn one() -> Schedule {
    Schedule::constant(1.0).expect("one is a positive rate")
}

struct OneRun {
    errors: Vec<f64>,
    first_zero: Option<usize>,
    diverged: Option<Divergence>,
    start: LearnedMemory,
    model: LearnedMemory,
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::rehearsal::{count, stop_after};
    use workbench_ground::work::Seen;

    fn training(parts: TrainedParts) -> LearnedTraining {
        let (law, target) = (Zipf::new(2.0, 12).unwrap(), Target::modulo(3).unwrap());
        LearnedTraining::new(law, target, 4, Readout::Linear, parts).steps(20)
    }

    #[test]
    fn only_the_named_parts_move() {
        let streams = Streams::new(1);
        for (parts, moves) in [
            (TrainedParts::Memory, [true, false, false]),
            (TrainedParts::Embeddings, [false, true, true]),
            (TrainedParts::Everything, [true, true, true]),
        ] {
            for rule in [DescentRule::Sgd, DescentRule::Sign, DescentRule::ADAM] {
                let runs = training(parts).rule(rule).run(&streams, "parts", 2).unwrap();
                let (a, b) = (runs.start(0).unwrap(), runs.model(0).unwrap());
                assert_eq!([a.memory != b.memory, a.inputs != b.inputs, a.outputs != b.outputs], moves);
            }
        }
    }

    #[test]
    fn a_population_step_is_the_gradient() {
        let training = training(TrainedParts::Everything).batch(BatchSize::Population).rate(0.5).unwrap().steps(1);
        let runs = training.run(&Streams::new(2), "one", 1).unwrap();
        let start = runs.start(0).unwrap();
        let p = Zipf::new(2.0, 12).unwrap().probabilities(12);
        let g = start.gradient(&Target::modulo(3).unwrap().labels(12), &p).unwrap();
        let expected = &start.memory - &(0.5 * &g.memory);
        assert!((&runs.model(0).unwrap().memory - &expected).iter().all(|v| v.abs() < 1e-15));
        let expected = &start.inputs - &(0.5 * &g.inputs);
        assert!((&runs.model(0).unwrap().inputs - &expected).iter().all(|v| v.abs() < 1e-15));
    }

    #[test]
    fn runs_share_start_and_data_under_one_name() {
        let streams = Streams::new(1);
        let a = training(TrainedParts::Memory).run(&streams, "pair", 3).unwrap();
        let b = training(TrainedParts::Memory).run(&streams, "pair", 3).unwrap();
        assert_eq!(a.errors(), b.errors());
        assert_eq!(a.surviving(&[0, 20])[0], 1.0);
        let last = a.steps()[a.steps().len() - 1];
        assert_eq!(a.labelled().unwrap().select("step", last).unwrap().cell().unwrap(), a.last());
    }

    #[test]
    fn every_run_is_told_and_a_run_stops_between_steps() {
        let (streams, training, mut seen) = (Streams::new(1), training(TrainedParts::Memory), Seen::default());
        let watched = training.run_watched(&streams, "told", 3, &mut seen).unwrap();
        let plain = training.run(&streams, "told", 3).unwrap();
        assert_eq!((watched.errors, watched.models), (plain.errors, plain.models));
        let told: Vec<(usize, usize)> = seen.0.iter().map(|step| (step.done, step.of)).collect();
        assert_eq!(told, [(1, 3), (2, 3), (3, 3)]);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (_, looks) = pool.install(|| count(|| training.run(&streams, "told", 3)));
        assert!(looks >= 3 * 20, "{looks}");
        let stopped = pool.install(|| stop_after(25, || training.run(&streams, "told", 3)));
        assert!(matches!(stopped, Err(Error::Stopped(stopped)) if stopped.of == 3));
    }

    #[test]
    fn divergence_is_named_not_spread() {
        let runs = training(TrainedParts::Everything).rate(1e6).unwrap().steps(300);
        let runs = runs.run(&Streams::new(1), "wild", 2).unwrap();
        let stopped = |d: &Option<Divergence>| d.is_some_and(|d| (1..=300).contains(&d.step) && d.norm >= NORM_LIMIT);
        assert!(runs.diverged().iter().all(stopped), "{:?}", runs.diverged());
        assert!(runs.errors().iter().all(|e| e.is_finite()));
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(1);
        let base = || training(TrainedParts::Memory);
        for bad in [
            base().steps(0),
            base().record(vec![5, 5]),
            base().record(vec![21]),
            base().batch(BatchSize::Samples(0)),
            base().rule(DescentRule::Rescaled { power: 1.0 }),
            base().width_powers(f64::NAN, 0.0),
            base().look_every(0),
        ] {
            assert!(bad.run(&streams, "bad", 1).is_err());
        }
        assert!(base().rate(-1.0).is_err() && base().rate(f64::NAN).is_err());
        assert!(base().run(&streams, "none", 0).is_err());
        let relu = LearnedTraining { readout: Readout::Relu, ..base() };
        assert!(relu.run(&streams, "relu", 1).is_err());
        let runs = base().run(&streams, "few", 1).unwrap();
        assert!(matches!(runs.model(1), Err(Error::NoSuch { .. })));
    }
}
