//! Figure 11: training with the task's loss, with imitation, with both.
//!
//! **Claim** (`mnemosyne/fig-11`). Training the optimizer with the combined loss improves generalisation to long roll-outs and stability
//! there; all variants were trained on roll-outs of length 100.
//!
//! Three trainings from each of twelve seeds, which differ in the loss alone. Beyond step 100 none of them has been. "The benefit of using
//! expert imitation-loss" is one against the task's loss alone: refuted by such a training that ends as low, or rises no more after step
//! 100. Imitation alone stands beside it; the text says nothing of it.

use std::ops::RangeInclusive;

use workbench_display::Figure;
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_optimizer::score::Run;

use super::optimizer_laboratory::{
    BANK, CAP, DATA, KEPT, LIGHT, LOST, OPEN, RATE, SCALED, TRAINED, TRAININGS, by_training, by_training_times,
    horizon, log_loss, many, means, networks, over_tasks, side_by_side,
};

/// The three losses.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-11",
    metric: "log validation loss at the end of a roll-out beyond the length of training, combined minus task alone; largest rise after step 100; runs that diverge",
    against: "the task's loss alone ends as low, or rises no more",
    protocol: &["roll-outs of 100 in training, the same for all variants"],
    choices: &["twice as long in the test at quick scale, ten times at paper scale", DATA, TRAININGS],
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
    settled: "largest rise, and share of runs that diverge, on tasks far from those of the training, a convolution and texts, after 5,000 steps: twelve pairs; on the networks of Figure 10 neither loss rises enough to tell",
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
    s.aside(Margin::ZERO).of("trainings").scaled_down().at_most(label, apart);
    let rises = |recipe| means(tasks, of(recipe), |run| rise(run, TRAINED..=steps));
    let label = "largest rise of the log loss after step 100, combined minus task alone";
    lower.at_most(label, paired_difference(&rises("light")?, &rises("task-only")?)?);
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
