//! Laboratory of the learned optimizer (B.1): data, trained optimizers, and how runs are compared and shown.
//!
//! Sizes are scaled down: digits at 7 x 7 instead of 28 x 28, meta-training of minutes on a processor instead of a pod. A rival that is
//! ahead at this size says little about the large system, so where a comparison is of that kind it is marked as scaled down: unmet, it
//! stays a finding against the claim and leaves the verdict open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use workbench_display::{Panel, Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Failure, Margin, Setting, Sheet};
use workbench_optimizer::bank::{Bank, Recipe, Trained};
use workbench_optimizer::data::Images;
use workbench_optimizer::score::{Protocol, Purpose, Run, run_each};
use workbench_optimizer::task::Task;
use workbench_optimizer::tasks::{FIGURE_10, Suite};
use workbench_optimizer::{Error, Layout, Optimizer};

use crate::vocabulary::{largest_of, least_of};

/// Losses above this, and diverged runs, count as this: four times the loss of guessing among ten classes.
pub const CAP: f64 = 10.0;
/// Steps of the roll-outs in training.
pub const TRAINED: usize = 100;

/// When two losses are alike, to the eye.
pub const SIMILAR: Margin = Margin::ours(
    "a tenth of the loss",
    0.1,
    "curves a tenth apart lie on each other in a figure with a linear axis from 0 to 2.3",
);

/// What all choices say.
pub const DATA: &str = "10,000 images of MNIST at 7 x 7, batches of 64; 8 validation batches, the same at each look";
/// What all departures say.
pub const SCALED: &str = "scaled down: images 7 x 7 for 28 x 28, 1,000 or 1,500 meta-steps (windows) on three MLPs; the document gives no number of meta-steps";
/// Which cell was trained, where it is not that of B.1.
pub const LIGHT: &str = "the light cell of B.7.2, one encoder of width 8, for the cell of B.1 with two of width 16";
/// What becomes of a comparison that is lost at this size.
pub const LOST: &str = "a comparison between optimizers that goes against the document at this size leaves the verdict open: it says little about the large system";
/// Why the rate differs.
pub const RATE: &str = "meta-optimizer Adam at 1e-3 and not 3e-4: with so few meta-steps the printed rate leaves the weights a third of the way";
/// What the document leaves open.
pub const OPEN: &str = "weight of the imitation 1000 for a mean over coordinates, scaling by exp U(-3, 3), gradients of the inputs not followed: the document gives none of them";
/// Where the bank's own choices were made.
pub const BANK: &str = "the bank's protocol (rates, weights, lengths) was chosen while looking at draws of master seed 1, which are those of the record at paper scale; no weight was trained on them";
/// What is random and kept.
pub const KEPT: &str = "the trainings of the optimizers, kept in `datasets/`; seeds differ in the starts and batches of the networks that are then trained";
/// How many trainings are tested.
pub const TRAININGS: &str = "the first six trainings of each recipe at quick scale, all of them at paper scale; means over the networks of Figure 10 take the first and the last of them at quick scale";
/// Data and trained optimizers.
#[derive(Debug)]
pub struct Lab {
    folder: PathBuf,
    /// Tasks by name.
    pub suite: Suite,
    /// Optimizers by name.
    pub bank: Bank,
}

impl Lab {
    /// The images of MNIST with this side.
    pub fn images(&self, side: usize) -> Result<Images, Failure> {
        Ok(Images::mnist(&self.folder)?.pooled(14 / side)?)
    }
}

/// The folder `datasets/`: above the working folder, or where this crate was compiled.
fn datasets() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().map(|folder| folder.join("datasets"));
    let found = above.into_iter().find(|folder| folder.join("manifest.toml").exists());
    found.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets"))
}

/// The laboratory, opened once.
pub fn lab(setting: &Setting) -> Result<Arc<Lab>, Failure> {
    setting.shared("B.1: data and trained optimizers", |_| {
        let folder = datasets();
        Ok(Lab { suite: Suite::new(&folder), bank: Bank::new(&folder), folder })
    })
}

/// Steps of a run: twice the roll-outs of training, or ten times.
pub fn horizon(s: &Sheet) -> Result<usize, Failure> {
    s.knob("steps", s.scale().pick(2 * TRAINED, 10 * TRAINED), TRAINED..)
}

/// How many of these trainings are tested: all of them, or at quick scale six at most.
pub fn tested(setting: &Setting, trainings: usize) -> u64 {
    setting.scale().pick(trainings.min(6), trainings) as u64
}

/// How many trainings meet every draw, where each does: all of them, or at quick scale two.
pub fn repeated(setting: &Setting) -> usize {
    setting.scale().pick(2, usize::MAX)
}

/// Networks of Figure 10 over which light cells are averaged: at quick scale those two that figures show.
pub fn networks(setting: &Setting) -> &'static [&'static str] {
    const SHOWN: [&str; 2] = [FIGURE_10[0], FIGURE_10[3]];
    setting.scale().pick(&SHOWN[..], &FIGURE_10[..])
}

/// Their number, in words.
pub fn many(setting: &Setting) -> &'static str {
    setting.scale().pick("two", "four")
}

/// A run of so many steps, looked at after each ten.
pub fn protocol(steps: usize) -> Protocol {
    Protocol { steps, every: 10, batches: 8 }
}

/// The logarithm of the validation loss after a step.
pub fn log_loss(run: &Run, step: usize) -> f64 {
    run.at(step).min(CAP).ln()
}

/// [`log_loss`] of each run.
pub fn logs(runs: &[Run], step: usize) -> Vec<f64> {
    runs.iter().map(|run| log_loss(run, step)).collect()
}

/// The layout of a task's parameters.
pub fn layout<T: Task>(task: &T) -> Result<Layout, Error> {
    Layout::new(task.tensors())
}

/// Runs of a task from as many draws of start and batches, the n-th with the n-th optimizer.
pub fn runs<T: Task>(
    setting: &Setting,
    task: &T,
    steps: usize,
    seeds: u64,
    make: impl Fn(u64) -> Result<Box<dyn Optimizer>, Error> + Sync,
) -> Result<Vec<Run>, Failure> {
    let seeds: Vec<u64> = (0..seeds).collect();
    let streams = (setting.streams(), Purpose::Evaluation);
    Ok(run_each(task, &protocol(steps), streams, &seeds, make)?)
}

/// One run for each training of a recipe, the n-th training on the n-th draw of the task: pairs between recipes.
pub fn by_training(setting: &Setting, recipe: &str, task: &str, steps: usize) -> Result<Arc<Vec<Run>>, Failure> {
    by_training_times(setting, recipe, task, steps, 1.0)
}

/// The same with a loss that is multiplied by a number; validation losses are those of the loss as it is.
pub fn by_training_times(
    setting: &Setting,
    recipe: &str,
    task: &str,
    steps: usize,
    factor: f64,
) -> Result<Arc<Vec<Run>>, Failure> {
    let kept = lab(setting)?.bank.get(recipe)?.len();
    by_draws(setting, recipe, task, (steps, factor), (tested(setting, kept), 1))
}

/// The same as [`by_training`] with every training at any scale, for questions that six leave open.
pub fn by_every_training(setting: &Setting, recipe: &str, task: &str, steps: usize) -> Result<Arc<Vec<Run>>, Failure> {
    let kept = lab(setting)?.bank.get(recipe)?.len();
    by_draws(setting, recipe, task, (steps, 1.0), (kept as u64, 1))
}

/// Several draws of the task for each training: run `i` is that of training `i` modulo their number, of which there are `trainings`.
fn by_draws(
    setting: &Setting,
    recipe: &str,
    task: &str,
    (steps, factor): (usize, f64),
    (trainings, draws): (u64, u64),
) -> Result<Arc<Vec<Run>>, Failure> {
    setting.shared(
        &format!("{recipe} on {task} times {factor}, {steps} steps, {trainings} trainings, {draws} draws"),
        |own| {
            let lab = lab(own)?;
            let (trained, task) = (lab.bank.get(recipe)?, lab.suite.task(task)?);
            let make = |seed: u64| -> Result<Box<dyn Optimizer>, Error> {
                let rule = trained[(seed % trainings) as usize].optimizer(layout(&task)?)?;
                Ok(times(rule, factor))
            };
            runs(own, &task, steps, trainings * draws, make)
        },
    )
}

/// A rule that is shown multiples of the gradients; with -1 it goes uphill.
pub fn times(rule: Box<dyn Optimizer>, factor: f64) -> Box<dyn Optimizer> {
    Box::new(Times { rule, factor, seen: Vec::new() })
}

#[derive(Debug)]
struct Times {
    rule: Box<dyn Optimizer>,
    factor: f64,
    seen: Vec<f64>,
}

impl Optimizer for Times {
    fn name(&self) -> &'static str {
        self.rule.name()
    }
    fn layout(&self) -> &Layout {
        self.rule.layout()
    }
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) -> Result<(), Error> {
        self.seen.clear();
        self.seen.extend(gradient.iter().map(|g| self.factor * g));
        self.rule.step(theta, &self.seen)
    }
    fn may_refuse_updates(&self) -> bool {
        self.rule.may_refuse_updates()
    }
    fn steps(&self) -> u64 {
        self.rule.steps()
    }
    fn state_len(&self) -> usize {
        self.rule.state_len()
    }
    fn save(&self) -> workbench_optimizer::Saved {
        self.rule.save()
    }
    fn restore(&mut self, saved: &workbench_optimizer::Saved) -> Result<(), Error> {
        self.rule.restore(saved)
    }
}

/// Several draws of a task for each training of a recipe: training by training.
pub fn finished(
    setting: &Setting,
    recipe: &str,
    task: &str,
    steps: usize,
    seeds: u64,
) -> Result<Arc<Vec<Vec<Run>>>, Failure> {
    setting.shared(&format!("{recipe} on {task}, {steps} steps, {seeds} seeds"), |own| {
        let lab = lab(own)?;
        let (trained, task) = (lab.bank.get(recipe)?, lab.suite.task(task)?);
        let of = |one: &Trained| runs(own, &task, steps, seeds, |_| one.optimizer(layout(&task)?));
        trained.iter().take(repeated(own)).map(of).collect()
    })
}

/// The mean of what each training gives, with the interval that all their intervals span, so that it supports or contradicts only what
/// each of them does.
pub fn widest<E: Into<Failure>>(each: impl IntoIterator<Item = Result<Estimate, E>>) -> Result<Estimate, Failure> {
    let each = each.into_iter().collect::<Result<Vec<_>, E>>().map_err(Into::into)?;
    let middle = each.iter().map(|one| one.value).sum::<f64>() / each.len().max(1) as f64;
    let low = least_of(each.iter().map(|one| one.low));
    let high = largest_of(each.iter().map(|one| one.high));
    let (n, confidence) = each.first().map_or((0, 0.0), |one| (one.n, one.confidence));
    Ok(Estimate::new(middle, low, high, n, confidence)?)
}

/// A number of each run, mean over the tasks: for each training.
pub fn means(
    tasks: &[&str],
    runs: impl Fn(&str) -> Result<Arc<Vec<Run>>, Failure>,
    number: impl Fn(&Run) -> f64,
) -> Result<Vec<f64>, Failure> {
    let (share, mut sums) = (1.0 / tasks.len() as f64, Vec::new());
    for task in tasks {
        let runs = runs(task)?;
        sums.resize(runs.len(), 0.0);
        sums.iter_mut().zip(runs.iter()).for_each(|(sum, run)| *sum += share * number(run));
    }
    Ok(sums)
}

/// For each training the mean over tasks of log losses after `step`.
pub fn over_tasks(
    setting: &Setting,
    recipe: &str,
    tasks: &[&str],
    steps: usize,
    step: usize,
) -> Result<Vec<f64>, Failure> {
    over_tasks_and_draws(setting, recipe, tasks, (steps, 1), step)
}

/// For each training the mean over tasks, and so many draws of each, of log losses after `step`.
pub fn over_tasks_and_draws(
    setting: &Setting,
    recipe: &str,
    tasks: &[&str],
    (steps, draws): (usize, u64),
    step: usize,
) -> Result<Vec<f64>, Failure> {
    let trainings = tested(setting, lab(setting)?.bank.get(recipe)?.len());
    let mut sums = vec![0.0; trainings as usize];
    for task in tasks {
        let runs = by_draws(setting, recipe, task, (steps, 1.0), (trainings, draws))?;
        for (i, log) in logs(&runs, step).into_iter().enumerate() {
            sums[i % trainings as usize] += log / (tasks.len() as u64 * draws) as f64;
        }
    }
    Ok(sums)
}

/// The geometric mean over runs of the validation loss at each look, for figures.
pub fn curve(runs: &[&Run]) -> (Vec<f64>, Vec<f64>) {
    let looks = runs.first().map_or(&[][..], |run| &run.looks);
    let at = |k: usize| runs.iter().map(|run| run.validation[k].min(CAP).ln()).sum::<f64>() / runs.len() as f64;
    (looks.iter().map(|look| *look as f64).collect(), (0..looks.len()).map(|k| at(k).exp()).collect())
}

/// Adds a curve without its start, which has no place on a logarithmic axis.
pub fn line<'a>(panel: Panel, name: &str, runs: impl IntoIterator<Item = &'a Run>) -> Panel {
    let (x, y) = curve(&runs.into_iter().collect::<Vec<_>>());
    panel.line(name, &x[1..], &y[1..])
}

/// An empty panel for curves of losses.
pub fn losses(title: &str) -> Panel {
    Panel::new(title).x_label("step").y_label("validation loss, nats").log_x().log_y()
}

/// Curves of recipes on a task, over the trainings of each.
pub fn side_by_side(setting: &Setting, task: &str, recipes: &[(&str, &str)], steps: usize) -> Result<Panel, Failure> {
    let mut panel = losses(task);
    for (recipe, name) in recipes {
        panel = line(panel, name, by_training(setting, recipe, task, steps)?.iter());
    }
    Ok(panel)
}

/// A table of rows, each with a name and numbers.
pub fn table_of(headings: &[&str], rows: &[(impl ToString, Vec<f64>)]) -> Result<Table, Failure> {
    let names: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
    let mut list = vec![(headings[0], names.into())];
    for (at, heading) in headings[1..].iter().enumerate() {
        list.push((heading, rows.iter().map(|row| row.1[at]).collect::<Vec<f64>>().into()));
    }
    Ok(Table::new(columns(list)?))
}

/// The same as [`by_training`] with the weights that the trainings began with.
pub fn untrained(setting: &Setting, recipe: &str, task: &str, steps: usize) -> Result<Arc<Vec<Run>>, Failure> {
    let kept = Recipe::named(recipe)?.seeds as usize;
    untrained_times(setting, recipe, task, steps, tested(setting, kept))
}

/// The same, so many times.
pub fn untrained_times(
    setting: &Setting,
    recipe: &str,
    task: &str,
    steps: usize,
    trainings: u64,
) -> Result<Arc<Vec<Run>>, Failure> {
    setting.shared(&format!("{recipe} untrained on {task}, {steps} steps, {trainings} times"), |own| {
        let lab = lab(own)?;
        let task = lab.suite.task(task)?;
        let make = |seed: u64| -> Result<Box<dyn Optimizer>, Error> {
            untrained_rule(&lab, recipe, seed + 1)?.optimizer(layout(&task)?)
        };
        runs(own, &task, steps, trainings, make)
    })
}

/// The weights that a training of a recipe begins with.
///
/// **Errors**: a name of no recipe, data that cannot be used.
pub fn untrained_rule(lab: &Lab, recipe: &str, seed: u64) -> Result<Trained, Error> {
    let start = Recipe { steps: 0, ..Recipe::named(recipe)? };
    start.train(&lab.suite, seed)
}
