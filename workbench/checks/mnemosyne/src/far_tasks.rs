//! Tasks far from those of the meta-training, and runs of fifty times its length (B.1).
//!
//! What was trained on small MLPs is tried on a convolution, on digits and on clothes, and on gaps in texts. Trainings differ most there, so
//! that twelve decide little: how many are needed was read off twelve of them on draws of another master seed, 77, and 64 were made before
//! one of the record's draws was looked at.

use std::sync::Arc;

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Failure, Setting, Sheet};
use workbench_optimizer::score::Run;

use super::optimizer_laboratory::{TRAINED, lab, layout, log_loss, means, runs};

/// The tasks.
pub const FAR: [&str; 3] = ["conv-4-8@mnist-7", "conv-4-8@fashion-7", "text-l1-h1-d16-k8-m16@letters-8"];

/// What choices say of them.
pub const FAR_TASKS: &str = "far tasks: a convolution of 4 and 8 channels on digits and on clothes of 7 x 7, a transformer of one layer on gaps in texts of 8 letters; 64 trainings, one draw each, 5,000 steps, at quick scale six and 500";
/// What would settle a question that is open.
pub const FULL: &str = "the same after 5,000 steps over 64 trainings, at paper scale; where these leave it open, over some hundred and fifty, by their own variances";

/// Steps of a run: five times the roll-outs of training, or fifty times.
pub fn far_steps(s: &Sheet) -> Result<usize, Failure> {
    s.knob("steps on far tasks", s.scale().pick(5 * TRAINED, 50 * TRAINED), TRAINED..)
}

/// Runs of a task, one for each of all trainings of a recipe, at quick scale of six.
pub fn far_runs(setting: &Setting, recipe: &str, task: &str, steps: usize) -> Result<Arc<Vec<Run>>, Failure> {
    setting.shared(&format!("{recipe} on {task}, {steps} steps, each training once"), |own| {
        let lab = lab(own)?;
        let (trained, task) = (lab.bank.get(recipe)?, lab.suite.task(task)?);
        let seeds = own.scale().pick(trained.len().min(6), trained.len()) as u64;
        runs(own, &task, steps, seeds, |seed| trained[seed as usize].optimizer(layout(&task)?))
    })
}

/// A number of each run, mean over these tasks, for each training.
pub fn far_means(
    setting: &Setting,
    recipe: &str,
    tasks: &[&str],
    steps: usize,
    number: impl Fn(&Run) -> f64,
) -> Result<Vec<f64>, Failure> {
    means(tasks, |task| far_runs(setting, recipe, task, steps), number)
}

/// The log loss at the end, one recipe minus another, mean over the far tasks, in pairs of trainings.
pub fn far_difference(setting: &Setting, [a, b]: [&str; 2], steps: usize) -> Result<Estimate, Failure> {
    let ends = |recipe| far_means(setting, recipe, &FAR, steps, |run| log_loss(run, steps));
    Ok(paired_difference(&ends(a)?, &ends(b)?)?)
}
