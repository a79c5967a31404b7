//! Figure 11: training with the task's loss, with imitation, with both.
//!
//! **Claim** (`mnemosyne/fig-11`). Training the optimizer with the combined loss improves generalisation to long roll-outs and stability
//! there; all variants were trained on roll-outs of length 100.
//!
//! Trainings from the same seeds, which differ in the loss alone. Beyond step 100 none of them has been. "The benefit of using expert
//! imitation-loss" is one against the task's loss alone: refuted by such a training that ends as low, on the networks of Figure 10 or on
//! tasks far from them after 5,000 steps, or rises there no more after step 100. On the near networks neither rises enough to tell: that
//! stands beside it, as imitation alone does, of which the text says nothing.

use std::ops::RangeInclusive;

use workbench_display::Figure;
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_optimizer::score::Run;

use super::far_tasks::{FAR, FAR_TASKS, FULL, far_difference, far_means, far_steps};
use super::optimizer_laboratory::{
    BANK, CAP, DATA, KEPT, LIGHT, LOST, OPEN, RATE, SCALED, TRAINED, TRAININGS, by_training, by_training_times,
    horizon, log_loss, many, means, networks, over_tasks, side_by_side,
};

/// The three losses.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-11",
    metric: "log validation loss at the end of a roll-out beyond the length of training, combined minus task alone; the same and its largest rise after step 100 on three far tasks; runs that diverge",
    against: "the task's loss alone ends as low, or rises no more",
    protocol: &["roll-outs of 100 in training, the same for all variants"],
    choices: &["twice as long in the test at quick scale, ten times at paper scale", FAR_TASKS, DATA, TRAININGS],
    departures: &[
        SCALED,
        LIGHT,
        RATE,
        OPEN,
        LOST,
        BANK,
        "the caption names no optimizee: the four networks of Figure 10",
    ],
    rivals: &["the task's loss alone and imitation alone, the same seeds, batches and meta-steps"],
    settled: FULL,
    run,
    ..Check::DEFAULT
};

const VARIANTS: [(&str, &str); 3] =
    [("light", "combined"), ("task-only", "task alone"), ("imitation-only", "imitation alone")];

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let (steps, tasks) = (horizon(s)?, networks(s));
    let of = |recipe: &'static str| move |task: &str| by_training(s, recipe, task, steps);
    let lower = s.printed(Margin::ZERO).of("trainings").scaled_down();
    let end = |recipe| over_tasks(s, recipe, tasks, steps, steps);
    let label = format!("log loss at the end, combined minus task alone, mean of {} networks", many(s));
    lower.at_most(label, paired_difference(&end("light")?, &end("task-only")?)?);
    let label = "log loss at the end, combined minus imitation alone";
    let apart = paired_difference(&end("light")?, &end("imitation-only")?)?;
    let beside = s.aside(Margin::ZERO).of("trainings").scaled_down();
    beside.at_most(label, apart);
    let rises = |recipe| means(tasks, of(recipe), |run| rise(run, TRAINED..=steps));
    let label = "largest rise of the log loss after step 100, combined minus task alone";
    beside.at_most(label, paired_difference(&rises("light")?, &rises("task-only")?)?);
    let far = far_steps(s)?;
    let label = format!("three far tasks: log loss after {far} steps, combined minus task alone");
    lower.at_most(label, far_difference(s, ["light-64", "task-only-64"], far)?);
    let rises = |recipe| far_means(s, recipe, &FAR, far, |run| rise(run, TRAINED..=far));
    let label = "three far tasks: largest rise of the log loss after step 100, combined minus task alone";
    lower.at_most(label, paired_difference(&rises("light-64")?, &rises("task-only-64")?)?);
    let lost = |recipe| means(tasks, of(recipe), |run| f64::from(u8::from(run.diverged.is_some())));
    let [with, without] = [lost("light")?, lost("task-only")?];
    // Nothing that diverges on either side is no evidence for either.
    if with.iter().chain(&without).any(|share| *share > 0.0) {
        let label = "share of runs that diverge, combined minus task alone";
        lower.at_most(label, paired_difference(&with, &without)?);
    }

    let uphill = |task: &str| by_training_times(s, "light", task, steps, -1.0);
    let uphill = means(tasks, uphill, |run| log_loss(run, steps))?;
    let label = "gradients with the sign turned, combined loss: log loss at the end, minus task alone";
    s.twin(Margin::ZERO).of("trainings").at_most(label, paired_difference(&uphill, &end("task-only")?)?);
    let [ours, theirs] = [with, without].map(|shares| {
        let many = tasks.len() as f64;
        format!("{} of {}", shares.iter().sum::<f64>() * many, shares.len() as f64 * many)
    });
    s.note(format!("runs that diverge: {ours} with the combined loss, {theirs} with the task's alone"));

    let mut figure = Figure::new("Three losses of meta-training, in roll-outs beyond their length")
        .columns(2)
        .caption("Light cell, geometric means of the validation loss over the trainings of each; trained on roll-outs of length 100, the upright.");
    for task in tasks {
        let panel = side_by_side(s, task, &VARIANTS, steps)?;
        figure = figure.panel(panel.vline("length in training", TRAINED as f64));
    }
    s.figure(figure);
    Ok(())
}

/// The largest rise of the log loss above the lowest value before it, at looks within these steps.
pub(super) fn rise(run: &Run, steps: RangeInclusive<usize>) -> f64 {
    let mut lowest = f64::INFINITY;
    let mut largest = 0.0f64;
    for (look, loss) in run.looks.iter().zip(&run.validation) {
        let now = loss.min(CAP).ln();
        lowest = lowest.min(now);
        if steps.contains(look) {
            largest = largest.max(now - lowest);
        }
    }
    largest
}
