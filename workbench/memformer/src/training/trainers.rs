//! Several training runs at a time, watched as one.

use super::trainer::Trainer;
use crate::{Error, Parameters};
use rayon::prelude::*;
use workbench_ground::check::positive;
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{self, Finished, Observer, RunStatus, Step, Unwatched};

/// Steps that every run takes between two calls of the observer.
const ROUND: usize = 200;

/// Independent training runs that advance side by side, one thread each.
///
/// Each run is the same as it would be alone, bit for bit. A stop request ends all of them after the step they are in; asked again, they go
/// on from there.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memformer::{Architecture, Part, Phase, TaskLaw, Trainer, Trainers, TrainingProtocol};
/// let protocol = TrainingProtocol::document().with_phases(vec![Phase::new(&[Part::Preconditioners], 300, 0.05)]);
/// let streams = Streams::new(1);
/// let mut runs = Vec::new();
/// for i in 0..3 {
///     let law = TaskLaw::isotropic(3)?;
///     runs.push(Trainer::new(Architecture::new(2, 3)?, law, protocol.clone(), &mut streams.replicate("run", i)?)?);
/// }
/// let mut trainers = Trainers::new(runs)?;
/// trainers.run()?;
/// assert_eq!(trainers.runs()[2].steps_taken(), 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trainers {
    runs: Vec<Trainer>,
}

impl Trainers {
    /// The given runs, wherever they stand.
    ///
    /// **Errors**: no run.
    pub fn new(runs: Vec<Trainer>) -> Result<Trainers, Error> {
        positive("Trainers::new", "the number of runs", runs.len())?;
        Ok(Trainers { runs })
    }

    /// The runs, in the order given.
    pub fn runs(&self) -> &[Trainer] {
        &self.runs
    }

    /// The models as they stand, in the order of the runs.
    pub fn models(&self) -> Vec<Parameters> {
        self.runs.iter().map(|run| run.parameters().clone()).collect()
    }

    /// Runs all of them to their ends, and says of each whether it came there: a run that diverges keeps its last sound parameters, and the
    /// others go on.
    ///
    /// What follows does not need them side by side: each goes at its own pace, so that large and small batches can be trained together.
    /// **Errors**: those of [`Trainer::run`] other than a divergence, a stop request.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memformer::{Architecture, Part, Phase, TaskLaw, Trainer, Trainers, TrainingProtocol};
    /// let streams = Streams::new(1);
    /// let mut runs = Vec::new();
    /// for (i, rate) in [0.05, 1e200].into_iter().enumerate() {
    ///     let protocol = TrainingProtocol::document().with_phases(vec![Phase::new(&[Part::Preconditioners], 300, rate)]);
    ///     let stream = &mut streams.replicate("run", i)?;
    ///     runs.push(Trainer::new(Architecture::new(2, 3)?, TaskLaw::isotropic(3)?, protocol, stream)?);
    /// }
    /// assert_eq!(Trainers::new(runs)?.run_each()?, [true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_each(&mut self) -> Result<Vec<bool>, Error> {
        self.run_each_watched(&mut Unwatched)
    }

    /// [`Trainers::run_each`], telling `observer` after each run that has ended.
    ///
    /// **Errors**: as there.
    pub fn run_each_watched(&mut self, observer: &mut (dyn Observer + Send)) -> Result<Vec<bool>, Error> {
        const OP: &str = "Trainers::run_each";
        let finished = Finished::new(OP, self.runs.len(), observer);
        let to_the_end = |run: &mut Trainer| {
            let came = match run.run() {
                Ok(RunStatus::Done) => true,
                Ok(RunStatus::Stopped) => {
                    work::check(OP, run.steps_taken(), run.protocol().steps())?;
                    false
                }
                Err(Error::Diverged { .. }) => false,
                Err(other) => return Err(other),
            };
            finished.one();
            Ok(came)
        };
        self.runs.par_iter_mut().map(to_the_end).collect()
    }

    /// Runs all of them to their ends, or to a stop request.
    ///
    /// **Errors**: those of [`Trainer::run`], from the first run that has one.
    pub fn run(&mut self) -> Result<RunStatus, Error> {
        self.run_watched(&mut Unwatched)
    }

    /// [`Trainers::run`], telling `observer` the steps of all runs together, and the geometric mean of their latest losses on fresh
    /// batches.
    ///
    /// **Errors**: as [`Trainers::run`].
    pub fn run_watched(&mut self, observer: &mut dyn Observer) -> Result<RunStatus, Error> {
        const OP: &str = "Trainers::run";
        observer.value_is("loss");
        let of: usize = self.runs.iter().map(|run| run.protocol().steps()).sum();
        // Whoever watches the time needs to know when it began.
        let done = self.runs.iter().map(Trainer::steps_taken).sum();
        observer.observe(Step { done, of, value: None });
        loop {
            let left = |run: &Trainer| run.steps_taken() < run.protocol().steps();
            if !self.runs.iter().any(left) {
                return Ok(RunStatus::Done);
            }
            let ends: Vec<RunStatus> =
                self.runs.par_iter_mut().map(|run| run.run_for(ROUND)).collect::<Result<_, Error>>()?;
            let done = self.runs.iter().map(Trainer::steps_taken).sum();
            let logs: Vec<f64> =
                self.runs.iter().filter_map(|run| run.fresh_losses().last().map(|fresh| fresh.loss.ln())).collect();
            let value = (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp());
            observer.observe(Step { done, of, value });
            if ends.contains(&RunStatus::Stopped) {
                work::stopped(OP, done, Some(of));
                return Ok(RunStatus::Stopped);
            }
        }
    }
}

/// One row for each run: the steps it has taken, and its latest loss on a fresh batch.
impl Tabulated for Trainers {
    fn columns(&self) -> Result<Columns, Error> {
        let latest = |run: &Trainer| run.fresh_losses().last().map(|fresh| fresh.loss);
        Ok(Columns::new("Training runs")
            .with("run", (0..self.runs.len()).collect::<Vec<usize>>())
            .with("steps", self.runs.iter().map(Trainer::steps_taken).collect::<Vec<usize>>())
            .with("loss", self.runs.iter().map(latest).collect::<Vec<Option<f64>>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Part, Phase, TaskLaw, TrainingProtocol};
    use workbench_ground::stats::Streams;
    use workbench_ground::work::Seen;

    fn drawn(depths: &[usize]) -> Vec<Trainer> {
        let streams = Streams::new(9);
        let protocol = TrainingProtocol::document().with_batch(200).with_phases(vec![Phase::new(
            &[Part::Preconditioners],
            500,
            0.03,
        )]);
        let law = TaskLaw::isotropic(3).unwrap();
        depths
            .iter()
            .enumerate()
            .map(|(i, depth)| {
                let mut stream = streams.replicate("run", i).unwrap();
                Trainer::new(Architecture::new(*depth, 3).unwrap(), law.clone(), protocol.clone(), &mut stream).unwrap()
            })
            .collect()
    }

    #[test]
    fn together_is_the_same_as_alone() {
        let mut trainers = Trainers::new(drawn(&[1, 2, 3])).unwrap();
        assert_eq!(trainers.columns().unwrap().list[2].1, [None::<f64>; 3].into());
        let mut record = Seen::default();
        assert_eq!(trainers.run_watched(&mut record).unwrap(), RunStatus::Done);
        for (mut alone, model) in drawn(&[1, 2, 3]).into_iter().zip(trainers.models()) {
            alone.run().unwrap();
            assert_eq!(alone.parameters(), &model);
        }
        assert_eq!(trainers.columns().unwrap().list[1].1, [500; 3].into());
        let last = record.0.last().unwrap();
        assert_eq!((last.done, last.of), (1500, 1500));
        assert!(last.value.is_some_and(f64::is_finite) && record.0.len() == 4);
        assert_eq!(trainers.run_watched(&mut record).unwrap(), RunStatus::Done);
    }

    #[test]
    fn each_at_its_own_pace_is_the_same_as_alone() {
        let mut trainers = Trainers::new(drawn(&[1, 3])).unwrap();
        let mut seen = Seen::default();
        assert_eq!(trainers.run_each_watched(&mut seen).unwrap(), [true, true]);
        assert!(seen.0.len() == 2 && seen.0[1].done == 2 && seen.0[1].of == 2);
        for (mut alone, model) in drawn(&[1, 3]).into_iter().zip(trainers.models()) {
            alone.run().unwrap();
            assert_eq!(alone.parameters(), &model);
        }
        let stopped = workbench_ground::rehearsal::stop_after(40, || Trainers::new(drawn(&[2])).unwrap().run_each());
        assert!(stopped.is_err());
    }

    #[test]
    fn a_stop_keeps_every_run() {
        let mut trainers = Trainers::new(drawn(&[2])).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let end = pool.install(|| workbench_ground::rehearsal::stop_after(40, || trainers.run()).unwrap());
        assert_eq!(end, RunStatus::Stopped);
        let taken = trainers.runs()[0].steps_taken();
        assert!(taken > 0 && taken < 100, "{taken}");
        trainers.run().unwrap();
        let mut whole = drawn(&[2]);
        whole[0].run().unwrap();
        assert_eq!(whole[0].parameters(), trainers.runs()[0].parameters());
        assert!(Trainers::new(Vec::new()).is_err());
    }
}
