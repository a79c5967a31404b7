//! One optimizer on one task.

use workbench_ground::stats::Streams;
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::{check, work};

use super::cpu_seconds;
use crate::task::{Split, Task};
use crate::{Error, Optimizer};

/// What draws are for. Streams of different purposes share no numbers, whatever their seeds: a rate tuned on one is not tested on the
/// draws that chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Choosing the rates of rivals.
    Tuning,
    /// Training an optimizer.
    Training,
    /// The comparison that is reported.
    Evaluation,
}

impl Purpose {
    /// Its name in the names of streams.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Tuning => "tuning",
            Purpose::Training => "training",
            Purpose::Evaluation => "evaluation",
        }
    }
}

/// How a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Steps of the optimizer.
    pub steps: usize,
    /// The validation loss is taken before the first step, after each so many steps, and after the last.
    pub every: usize,
    /// Validation batches, drawn once and the same at each of these times.
    pub batches: usize,
}

impl Protocol {
    fn check(&self, op: &'static str) -> Result<(), Error> {
        check::positive(op, "number of steps", self.steps)?;
        check::positive(op, "steps between validations", self.every)?;
        check::positive(op, "number of validation batches", self.batches)
    }

    /// The steps after which the validation loss is taken.
    pub fn looks(&self) -> Vec<usize> {
        let mut looks: Vec<usize> = (0..self.steps).step_by(self.every.max(1)).collect();
        looks.push(self.steps);
        looks
    }
}

/// What a run gave. Losses are in nats, times in seconds of this thread's CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// For each step, the loss on its training batch before the step.
    pub training: Vec<f64>,
    /// The steps after which the validation loss was taken.
    pub looks: Vec<usize>,
    /// The mean validation losses there; infinite from a divergence on.
    pub validation: Vec<f64>,
    /// CPU time until then for gradients and batches.
    pub gradient_seconds: Vec<f64>,
    /// CPU time until then in the optimizer.
    pub optimizer_seconds: Vec<f64>,
    /// The step whose training loss, or whose parameters after it, were not finite; the run ended there.
    pub diverged: Option<usize>,
    /// The parameters at the end.
    pub theta: Vec<f64>,
}

impl Run {
    /// The validation loss at the end; infinite if the run diverged.
    pub fn last(&self) -> f64 {
        self.validation.last().copied().unwrap_or(f64::INFINITY)
    }

    /// The validation loss after the first look that is at or after `step`; infinite if there is none.
    pub fn at(&self, step: usize) -> f64 {
        let found = self.looks.iter().zip(&self.validation).find(|(look, _)| **look >= step);
        found.map_or(f64::INFINITY, |(_, loss)| *loss)
    }

    /// CPU time at each look, gradients and optimizer together: the other axis of the curve.
    pub fn seconds(&self) -> Vec<f64> {
        let pairs = self.gradient_seconds.iter().zip(&self.optimizer_seconds);
        pairs.map(|(gradient, optimizer)| gradient + optimizer).collect()
    }

    /// The first look at which the validation loss is at most `level`.
    pub fn reaches(&self, level: f64) -> Option<usize> {
        let found = self.looks.iter().zip(&self.validation).find(|(_, loss)| **loss <= level);
        found.map(|(look, _)| *look)
    }
}

impl Tabulated for Run {
    fn columns(&self) -> Result<Columns, Error> {
        let columns = Columns::new("Validation loss").x("step", &self.looks);
        Ok(columns.with("validation loss", &self.validation).log_y())
    }
}

/// Runs an optimizer, given as a closure that changes the parameters when it is given their gradient and the number of the step (from
/// 0). Its own state is whatever the closure keeps.
///
/// Start, training batches and validation batches come from the streams `"PURPOSE: start"`, `"PURPOSE: batches"` and
/// `"PURPOSE: validation"`, replicate `seed`, of `streams`: the same for every optimizer, so that comparisons are paired.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::score::{Protocol, Purpose, run};
/// use workbench_optimizer::tasks::NoisyQuadratic;
/// let task = NoisyQuadratic::new(10, 10.0, 0.0, 1)?;
/// let protocol = Protocol { steps: 100, every: 10, batches: 1 };
/// let done = run(&task, &protocol, (&Streams::new(1), Purpose::Evaluation, 0), |_, theta, gradient| {
///     theta.iter_mut().zip(gradient).for_each(|(t, g)| *t -= 0.5 * g);
///     Ok(())
/// })?;
/// assert!(done.last() < 1e-3 * done.validation[0]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// A divergence ends the run and is no error.
///
/// **Errors**: a protocol with zeros, errors of the task or the optimizer, a request to stop. Cost: `steps` gradients and optimizer
/// steps, and `batches` losses for each look, which are in no time of the [`Run`].
pub fn run<T: Task + ?Sized>(
    task: &T,
    protocol: &Protocol,
    (streams, purpose, seed): (&Streams, Purpose, u64),
    mut optimizer: impl FnMut(usize, &mut [f64], &[f64]) -> Result<(), Error>,
) -> Result<Run, Error> {
    const OP: &str = "score::run";
    protocol.check(OP)?;
    let stream = |what: &str| streams.restart_replicate(&format!("{}: {what}", purpose.name()), seed as usize);
    let (mut batches, mut draw) = (stream("batches")?, stream("validation")?);
    let unseen: Vec<T::Batch> = (0..protocol.batches).map(|_| task.batch(Split::Validation, &mut draw)).collect();
    let looks = protocol.looks();
    let mut run = Run {
        seed,
        training: Vec::with_capacity(protocol.steps),
        validation: Vec::with_capacity(looks.len()),
        gradient_seconds: Vec::with_capacity(looks.len()),
        optimizer_seconds: Vec::with_capacity(looks.len()),
        looks,
        diverged: None,
        theta: task.start(&mut stream("start")?),
    };
    let mut gradient = vec![0.0; task.len()];
    let (mut on_gradients, mut on_steps) = (0.0, 0.0);
    for step in 0..=protocol.steps {
        work::check(OP, step, protocol.steps)?;
        if run.looks[run.validation.len()] == step {
            let mut loss = 0.0;
            for batch in &unseen {
                loss += task.loss(&run.theta, batch)? / unseen.len() as f64;
            }
            run.validation.push(if loss.is_finite() { loss } else { f64::INFINITY });
            run.gradient_seconds.push(on_gradients);
            run.optimizer_seconds.push(on_steps);
        }
        if step == protocol.steps {
            break;
        }
        let begin = cpu_seconds();
        let batch = task.batch(Split::Training, &mut batches);
        let loss = task.gradient(&run.theta, &batch, &mut gradient)?;
        let middle = cpu_seconds();
        run.training.push(loss);
        if loss.is_finite() {
            optimizer(step, &mut run.theta, &gradient)?;
        }
        on_gradients += middle - begin;
        on_steps += cpu_seconds() - middle;
        if !loss.is_finite() || run.theta.iter().any(|x| !x.is_finite()) {
            run.diverged = Some(step);
            run.validation.resize(run.looks.len(), f64::INFINITY);
            run.gradient_seconds.resize(run.looks.len(), on_gradients);
            run.optimizer_seconds.resize(run.looks.len(), on_steps);
            break;
        }
    }
    Ok(run)
}

/// [`run`] with the steps of an optimizer. A learned rule that refuses an update counts as a divergence.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::classical::{Adam, AdamSettings};
/// use workbench_optimizer::score::{Protocol, Purpose, run_with};
/// use workbench_optimizer::{Layout, task::Task, tasks::NoisyQuadratic};
/// let task = NoisyQuadratic::new(4, 2.0, 0.0, 1)?;
/// let protocol = Protocol { steps: 200, every: 50, batches: 1 };
/// let mut adam = Adam::new(Layout::new(task.tensors())?, AdamSettings { rate: 0.1, ..AdamSettings::default() })?;
/// let done = run_with(&task, &protocol, (&Streams::new(1), Purpose::Evaluation, 0), &mut adam)?;
/// assert!(done.last() < 0.1 * done.validation[0]);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// **Errors** and cost: as [`run`].
pub fn run_with<T: Task + ?Sized>(
    task: &T,
    protocol: &Protocol,
    (streams, purpose, seed): (&Streams, Purpose, u64),
    optimizer: &mut dyn Optimizer,
) -> Result<Run, Error> {
    run(task, protocol, (streams, purpose, seed), |_, theta, gradient| {
        match optimizer.step(theta, gradient) {
            Err(_) if optimizer.may_refuse_updates() => theta.fill(f64::NAN),
            other => other?,
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::NoisyQuadratic;

    fn descend(rate: f64) -> impl FnMut(usize, &mut [f64], &[f64]) -> Result<(), Error> {
        move |_, theta, gradient| {
            theta.iter_mut().zip(gradient).for_each(|(t, g)| *t -= rate * g);
            Ok(())
        }
    }

    const PROTOCOL: Protocol = Protocol { steps: 25, every: 10, batches: 2 };

    #[test]
    fn looks_and_losses_are_those_of_the_iteration() {
        let task = NoisyQuadratic::new(6, 5.0, 0.2, 1).unwrap();
        let streams = Streams::new(4);
        let done = run(&task, &PROTOCOL, (&streams, Purpose::Evaluation, 3), descend(0.3)).unwrap();
        assert_eq!(done.looks, [0, 10, 20, 25]);
        assert_eq!((done.training.len(), done.validation.len(), done.diverged), (25, 4, None));
        assert!(done.seconds().windows(2).all(|pair| pair[0] <= pair[1]) && done.seconds()[0] == 0.0);
        // The same iteration by hand.
        let mut theta = task.start(&mut streams.restart_replicate("evaluation: start", 3).unwrap());
        let mut batches = streams.restart_replicate("evaluation: batches", 3).unwrap();
        let mut gradient = vec![0.0; 6];
        for step in 0..25 {
            let batch = task.batch(Split::Training, &mut batches);
            assert_eq!(task.gradient(&theta, &batch, &mut gradient).unwrap(), done.training[step]);
            theta.iter_mut().zip(&gradient).for_each(|(t, g)| *t -= 0.3 * g);
        }
        assert_eq!(theta, done.theta);
        let last = task.loss(&theta, &vec![0.0; 6]).unwrap();
        assert!((done.last() - last).abs() < 1e-14 && done.at(21) == done.last() && done.at(20) == done.validation[2]);
        assert_eq!(done.reaches(done.validation[1]), Some(10));
        assert_eq!(done.reaches(0.0), None);
        let [steps, losses] = &done.columns().unwrap().list[..] else { panic!() };
        assert_eq!((&steps.1, &losses.1), (&(&done.looks).into(), &(&done.validation).into()));
    }

    #[test]
    fn seeds_and_purposes_differ_and_repeat() {
        let task = NoisyQuadratic::new(6, 5.0, 0.2, 1).unwrap();
        let one = |purpose, seed| {
            let streams = Streams::new(4);
            run(&task, &PROTOCOL, (&streams, purpose, seed), descend(0.3)).unwrap().theta
        };
        assert_eq!(one(Purpose::Tuning, 0), one(Purpose::Tuning, 0));
        assert_ne!(one(Purpose::Tuning, 0), one(Purpose::Tuning, 1));
        assert_ne!(one(Purpose::Tuning, 0), one(Purpose::Evaluation, 0));
        assert_ne!(one(Purpose::Training, 0), one(Purpose::Evaluation, 0));
    }

    #[test]
    fn a_divergence_ends_the_run_and_counts_as_infinite() {
        let task = NoisyQuadratic::new(3, 2.0, 0.0, 1).unwrap();
        let protocol = Protocol { steps: 3000, every: 1000, batches: 1 };
        let done = run(&task, &protocol, (&Streams::new(1), Purpose::Evaluation, 0), descend(100.0)).unwrap();
        let step = done.diverged.unwrap();
        assert!((50..500).contains(&step), "{step}");
        assert_eq!((done.validation.len(), done.looks.len(), done.last()), (4, 4, f64::INFINITY));
        let done = run(&task, &protocol, (&Streams::new(1), Purpose::Evaluation, 0), |_, theta, _| {
            theta[0] = f64::NAN;
            Ok(())
        });
        assert_eq!(done.unwrap().diverged, Some(0));
    }

    #[test]
    fn stops_and_errors_come_through() {
        let task = NoisyQuadratic::new(3, 2.0, 0.0, 1).unwrap();
        let go = |protocol| run(&task, &protocol, (&Streams::new(1), Purpose::Evaluation, 0), descend(0.1));
        for bad in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
            let protocol = Protocol { steps: bad.0, every: bad.1, batches: bad.2 };
            assert!(matches!(go(protocol), Err(Error::Zero { .. })));
        }
        let stopped = workbench_ground::rehearsal::stop_after(1, || go(PROTOCOL));
        assert!(matches!(stopped, Err(Error::Stopped(stop)) if stop.done == 1));
        let refused = run(&task, &PROTOCOL, (&Streams::new(1), Purpose::Evaluation, 0), |_, _, _| {
            Err(Error::refused("optimizer", "it would not", "ask again"))
        });
        assert!(refused.unwrap_err().to_string().contains("it would not"));
    }
}
