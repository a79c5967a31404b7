//! Training of the weights, step by step, with checkpoints that resume to the same bits.

use workbench_ground::check::{above_zero, not_negative, positive};
use workbench_ground::stats::{Stream, Streams};
use workbench_ground::work::{self, Observer, RunStatus, Step, Unwatched};

use super::{
    Derivative, Evolution, EvolutionSettings, LossScale, Noise, Path, Precision, Problem, Rollout, RolloutObjective,
    ScaledProblem, WindowOutcome,
};
use crate::cell::Cell;
use crate::classical::{Adam, AdamSettings};
use crate::layout::first_not_finite;
use crate::{Error, Layout, Optimizer, Saved};

/// Settings of a [`MetaTrainer`]; the defaults are those of B.1 where it has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// Every random number follows from it.
    pub seed: u64,
    /// Steps of a window: 5.
    pub window: usize,
    /// Steps of a roll-out: 100.
    pub rollout: usize,
    /// Rate of the meta-optimizer, Adam: $3\cdot10^{-4}$.
    pub rate: f64,
    /// The loss of a window.
    pub objective: RolloutObjective,
    /// The bound of random scaling, if there is one: 3 in the code of \[42\].
    pub scaling: Option<f64>,
    /// The longest gradient that is not shortened, if there is a limit. B.1 does not say.
    pub clip: Option<f64>,
    /// The numbers over which the cell is run.
    pub precision: Precision,
    /// Roll-outs of other lengths than `rollout`: each draws its own between these two, its logarithm uniform. Celo trains on horizons
    /// that are drawn so; B.1 has one.
    pub horizons: Option<[usize; 2]>,
    /// A meta-step by [`Evolution`] over whole roll-outs of all problems, in place of the adjoint of one window: what pays only later counts.
    /// Its gradient is that of the mean loss of a step. VeLO and Celo are trained so; B.1 is not.
    pub evolution: Option<EvolutionSettings>,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            seed: 1,
            window: 5,
            rollout: 100,
            rate: 3e-4,
            objective: RolloutObjective::default(),
            scaling: Some(3.0),
            clip: Some(1.0),
            precision: Precision::Single,
            horizons: None,
            evolution: None,
        }
    }
}

impl Training {
    fn check(&self) -> Result<(), Error> {
        const OP: &str = "MetaTrainer::new";
        positive(OP, "window", self.window)?;
        if self.window > self.rollout {
            let problem = format!("a window of {} steps in a roll-out of {}", self.window, self.rollout);
            return Err(Error::refused(OP, problem, "make the roll-out at least as long as its windows"));
        }
        if let Some([least, most]) = self.horizons
            && !(self.window..=most).contains(&least)
        {
            let problem = format!("horizons from {least} to {most} with windows of {}", self.window);
            return Err(Error::refused(OP, problem, "give the shorter one first, at least one window long"));
        }
        above_zero(OP, "rate", self.rate)?;
        not_negative(OP, "imitation", self.objective.imitation)?;
        not_negative(OP, "task", self.objective.task)?;
        if let Some(bound) = self.scaling {
            not_negative(OP, "scaling", bound)?;
        }
        if let Some(clip) = self.clip {
            above_zero(OP, "clip", clip)?;
        }
        if let Some(evolution) = self.evolution {
            evolution.check(OP)?;
        }
        Ok(())
    }

    /// For checkpoints. The seed is a whole number of 64 bits, so it is kept in two halves.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let (o, none) = (&self.objective, -1.0);
        let mut all = vec![
            f64::from((self.seed >> 32) as u32),
            f64::from(self.seed as u32),
            self.window as f64,
            self.rollout as f64,
            self.rate,
            o.imitation,
            o.expert.rate,
            f64::from(u8::from(o.derivative == Derivative::Exact)),
            self.scaling.unwrap_or(none),
            self.clip.unwrap_or(none),
            f64::from(u8::from(self.precision == Precision::Single)),
            o.task,
            f64::from(u8::from(o.path == Path::Expert)),
        ];
        // What B.1 has not is only told where it is used: files of other recipes stay as they are.
        let [least, most] = self.horizons.unwrap_or_default();
        if (o.measure, self.horizons) != (LossScale::Plain, None) {
            all.extend([f64::from(u8::from(o.measure == LossScale::Log)), least as f64, most as f64]);
        }
        if let Some(EvolutionSettings { noise, sigma, pairs }) = self.evolution {
            all.extend([f64::from(u8::from(noise == Noise::Reused)), sigma, pairs as f64]);
        }
        all
    }
}

/// Trains the weights of a cell on a list of problems.
///
/// A meta-step is one window of a roll-out and one step of Adam. A roll-out takes a problem at random, starts it anew, and is scaled anew;
/// after its last window the next one begins. All draws follow from the seed and the number of the roll-out or window, so a checkpoint
/// needs no random state and resumes to the same bits.
///
/// **Source**: B.1, meta-training. **Errors**: of a step that diverges leave the weights as the last good step left them.
#[derive(Debug)]
pub struct MetaTrainer<'a, C: Cell> {
    cell: C,
    training: Training,
    problems: Vec<&'a dyn Problem>,
    layouts: Vec<Layout>,
    weights: Vec<f64>,
    adam: Adam,
    /// The roll-out under way.
    open: Option<Open<'a>>,
    rollouts: u64,
}

/// A roll-out under way.
#[derive(Debug)]
struct Open<'a> {
    rollout: Rollout,
    setting: ScaledProblem<'a>,
    /// Its length.
    horizon: usize,
}

impl<'a, C: Cell> MetaTrainer<'a, C> {
    /// At the start, with weights drawn from the seed.
    ///
    /// **Errors**: no problems, bad settings, windows longer than the roll-out.
    pub fn new(cell: C, problems: Vec<&'a dyn Problem>, training: Training) -> Result<MetaTrainer<'a, C>, Error> {
        training.check()?;
        if problems.is_empty() {
            return Err(Error::empty("MetaTrainer::new", "the list of problems", "pass at least one task"));
        }
        let layouts = problems.iter().map(|problem| Layout::new(problem.parts()));
        let layouts = layouts.collect::<Result<Vec<Layout>, Error>>()?;
        let weights = cell.start(&mut Streams::new(training.seed).restart("weights")?)?;
        let trained = Layout::of(&[("trained", &[cell.trained()])])?;
        let settings = AdamSettings { rate: training.rate, ..AdamSettings::default() };
        Ok(MetaTrainer {
            adam: Adam::new(trained, settings)?,
            cell,
            training,
            problems,
            layouts,
            weights,
            open: None,
            rollouts: 0,
        })
    }

    /// The weights so far.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The cell.
    pub fn cell(&self) -> &C {
        &self.cell
    }

    /// Meta-steps taken.
    pub fn steps(&self) -> u64 {
        self.adam.steps()
    }

    /// Whether no roll-out is under way: a checkpoint is then small, since it holds no state of the optimizer.
    pub fn is_between_rollouts(&self) -> bool {
        self.open.is_none()
    }

    fn stream(&self, name: &str, number: u64) -> Result<Stream, Error> {
        Streams::new(self.training.seed).restart_replicate(name, number as usize)
    }

    /// A problem at its beginning: its setting, and the parameters as the optimizer sees them.
    fn start(&self, problem: &'a dyn Problem, stream: &mut Stream) -> Result<(ScaledProblem<'a>, Vec<f64>), Error> {
        let theta = problem.begin(stream);
        let setting = match self.training.scaling {
            None => ScaledProblem::plain(problem),
            Some(bound) => ScaledProblem::scaled(problem, bound, stream)?,
        };
        let theta = setting.seen(theta);
        Ok((setting, theta))
    }

    /// The length of a roll-out.
    fn horizon(&self, stream: &mut Stream) -> usize {
        match self.training.horizons {
            None => self.training.rollout,
            Some([least, most]) => (least as f64 * (most as f64 / least as f64).powf(stream.uniform())) as usize,
        }
    }

    /// The roll-out of a number, at its beginning.
    fn begin(&self, number: u64) -> Result<Open<'a>, Error> {
        let mut stream = self.stream("roll-out", number)?;
        let which = stream.below(self.problems.len() as u64) as usize;
        let (setting, theta) = self.start(self.problems[which], &mut stream)?;
        let horizon = self.horizon(&mut stream);
        let (layout, expert) = (&self.layouts[which], self.training.objective.expert);
        let precision = self.training.precision;
        let rollout = Rollout::new(&self.cell, &self.weights, layout, theta, expert, precision)?;
        Ok(Open { rollout, setting, horizon })
    }

    /// The next window of the roll-out whose turn it is; the roll-out is given back, to be kept if the step is taken.
    fn adjoint_window(&mut self) -> Result<(WindowOutcome, Open<'a>), Error> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => {
                let open = self.begin(self.rollouts)?;
                self.rollouts += 1;
                open
            }
        };
        let (t, rollout) = (&self.training, &mut open.rollout);
        let left = open.horizon.saturating_sub(rollout.time() as usize);
        rollout.set_weights(&self.weights);
        let mut batches = self.stream("batches", self.steps())?;
        let outcome = rollout.window(&open.setting, &t.objective, t.window.min(left), true, &mut batches)?;
        Ok((outcome, open))
    }

    /// Whole roll-outs of all problems, with the gradient of the mean loss of a step.
    fn evolve(&mut self, settings: EvolutionSettings) -> Result<WindowOutcome, Error> {
        let (t, number) = (self.training, self.rollouts);
        self.rollouts += 1;
        let mut stream = self.stream("roll-out", number)?;
        let (horizon, mut directions) = (self.horizon(&mut stream), self.stream("directions", number)?);
        let mut batches = self.stream("batches", number)?;
        let share = 1.0 / (horizon * self.problems.len()) as f64;
        let (mut loss, mut gradient) = (0.0, vec![0.0; self.cell.trained()]);
        for (problem, layout) in self.problems.iter().zip(&self.layouts) {
            let (setting, theta) = self.start(*problem, &mut stream)?;
            let cell = (&self.cell, &self.weights[..]);
            let mut pairs = Evolution::new(cell, (layout, &theta), &t.objective, settings, t.precision)?;
            for begin in (0..horizon).step_by(t.window) {
                let steps = t.window.min(horizon - begin);
                let streams = (&mut batches, &mut directions);
                let (of, along) = pairs.window(&self.weights, &setting, &t.objective, steps, streams)?;
                loss += share * of;
                gradient.iter_mut().zip(along).for_each(|(sum, g)| *sum += share * g);
            }
        }
        Ok(WindowOutcome { loss, losses: vec![loss], imitation: 0.0, gradient })
    }

    /// One meta-step. The outcome's gradient is that before it was shortened.
    ///
    /// **Errors**: a task that fails, a loss or a gradient that is not finite: the weights are as they were, and the roll-out is given up,
    /// so that the next step begins another.
    pub fn step(&mut self) -> Result<WindowOutcome, Error> {
        let t = self.training;
        let (outcome, open) = match t.evolution {
            Some(settings) => (self.evolve(settings)?, None),
            None => {
                let (outcome, open) = self.adjoint_window()?;
                (outcome, Some(open))
            }
        };
        let mut gradient = outcome.gradient.clone();
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        if !outcome.loss.is_finite() || !norm.is_finite() {
            return Err(Error::Diverged {
                op: "MetaTrainer::step",
                step: self.steps() as usize,
                name: "meta-loss",
                value: outcome.loss,
                rate: Some(t.rate),
                next: "the weights are those of the last good step; lower the rate or the clip".into(),
            });
        }
        if let Some(clip) = t.clip.filter(|clip| norm > *clip) {
            gradient.iter_mut().for_each(|g| *g *= clip / norm);
        }
        let trained = self.cell.trained();
        self.adam.step(&mut self.weights[..trained], &gradient)?;
        self.open = open.filter(|open| (open.rollout.time() as usize) < open.horizon);
        Ok(outcome)
    }

    /// Takes meta-steps until there are `steps` in all. A request to stop ends it between two steps and keeps what was learned, which
    /// [`RunStatus::Stopped`] says.
    ///
    /// **Errors**: as [`MetaTrainer::step`].
    pub fn run(&mut self, steps: u64) -> Result<RunStatus, Error> {
        self.run_watched(steps, &mut Unwatched)
    }

    /// [`MetaTrainer::run`], telling `observer` the loss of each step.
    ///
    /// **Errors**: as [`MetaTrainer::step`].
    pub fn run_watched(&mut self, steps: u64, observer: &mut dyn Observer) -> Result<RunStatus, Error> {
        const OP: &str = "MetaTrainer::run";
        observer.value_is("loss");
        while self.steps() < steps {
            if work::stop_requested() {
                work::stopped(OP, self.steps() as usize, Some(steps as usize));
                return Ok(RunStatus::Stopped);
            }
            let value = Some(self.step()?.loss);
            observer.observe(Step { done: self.steps() as usize, of: steps as usize, value });
        }
        Ok(RunStatus::Done)
    }

    fn settings(&self) -> Vec<f64> {
        let sizes = self.layouts.iter().map(|layout| layout.len() as f64);
        self.training.numbers().into_iter().chain(self.cell.settings()).chain(sizes).collect()
    }

    /// A checkpoint: weights, the meta-optimizer, and the roll-out under way.
    pub fn save(&self) -> Saved {
        let mut parts = vec![self.adam.save()];
        parts.extend(self.open.as_ref().map(|open| open.rollout.save()));
        Saved {
            name: "training".into(),
            settings: self.settings(),
            steps: self.rollouts,
            tensors: self.cell.weights().tensors().to_vec(),
            numbers: self.weights.clone(),
            parts,
        }
    }

    /// Goes on from a checkpoint; what follows has the same bits as without it.
    ///
    /// **Errors**: a checkpoint of another training, cell or list of problems, or with a part missing; nothing has changed then.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        const OP: &str = "MetaTrainer::restore";
        let layout = self.cell.weights();
        saved.expect(OP, "training", &self.settings(), layout, layout.len())?;
        let refuse = |problem: &str| Error::refused(OP, problem, "pass what MetaTrainer::save gave");
        let (adam, rollout) = match &saved.parts[..] {
            [adam] => (adam, None),
            [adam, rollout] => (adam, Some(rollout)),
            _ => return Err(refuse("a part of the checkpoint is missing")),
        };
        if first_not_finite(&saved.numbers).is_some() {
            return Err(refuse("a weight of the checkpoint is not finite"));
        }
        let mut open = None;
        if let Some(rollout) = rollout {
            // The last that was begun.
            let number = saved.steps.checked_sub(1).ok_or_else(|| refuse("a roll-out without a number"))?;
            let mut begun = self.begin(number)?;
            begun.rollout.restore(rollout)?;
            open = Some(begun);
        }
        self.adam.restore(adam)?;
        self.weights.copy_from_slice(&saved.numbers);
        (self.open, self.rollouts) = (open, saved.steps);
        Ok(())
    }
}
