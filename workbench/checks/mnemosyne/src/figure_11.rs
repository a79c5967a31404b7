//! Figure 11: training with the task's loss, with imitation, with both.
//!
//! **Claim** (`mnemosyne/fig-11`). Training the optimizer with the combined loss improves generalisation to long roll-outs and stability
//! there; all variants were trained on roll-outs of length 100.
//!
//! Three trainings from each of twelve seeds, which differ in the loss alone. Beyond step 100 none of them has been. Against it: a
//! training with the task's loss alone, or by imitation alone, that ends as low; one with the task's loss alone that rises no more after
//! step 100.

use std::ops::RangeInclusive;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Checked, Failure, Plan, Setting, TypedCheck};
use workbench_optimizer::score::Run;

use super::section_b_1::{
    BANK, CAP, DATA, LIGHT, LOST, OPEN, OfTask, RATE, SCALED, TRAINED, TRAININGS, by_training, by_training_times,
    curve, horizon, log_loss, lower, many, networks, over_tasks, scaled_down,
};

/// The three losses.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Steps of the test; by scale if 0.
    pub steps: usize,
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

/// A number of each run, mean over the networks of Figure 10: for each training.
fn means(tasks: &[&str], runs: &OfTask<'_>, number: &dyn Fn(&Run) -> f64) -> Result<Vec<f64>, Failure> {
    let mut sums = Vec::new();
    for task in tasks {
        let runs = runs(task)?;
        sums.resize(runs.len(), 0.0);
        sums.iter_mut().zip(runs.iter()).for_each(|(sum, run)| *sum += number(run) / tasks.len() as f64);
    }
    Ok(sums)
}

/// How many runs diverge, and of how many.
fn tested_runs(setting: &Setting, runs: &OfTask<'_>) -> Result<[usize; 2], Failure> {
    let mut count = [0; 2];
    for task in networks(setting) {
        for run in runs(task)?.iter() {
            count[0] += usize::from(run.diverged.is_some());
            count[1] += 1;
        }
    }
    Ok(count)
}

const VARIANTS: [(&str, &str); 3] =
    [("light", "combined"), ("task-only", "task alone"), ("imitation-only", "imitation alone")];

fn figure(setting: &Setting, steps: usize) -> Result<Figure, Failure> {
    let mut figure = Figure::new("With imitation long roll-outs end lower")
        .columns(2)
        .caption("Light cell, geometric means of the validation loss over the trainings of each; trained on roll-outs of length 100, the upright.");
    for &task in networks(setting) {
        let mut panel = Panel::new(task).x_label("step").y_label("validation loss, nats").log_x().log_y();
        for (recipe, name) in VARIANTS {
            let runs = by_training(setting, recipe, task, steps)?;
            let (x, y) = curve(&runs.iter().collect::<Vec<_>>());
            panel = panel.line(name, &x[1..], &y[1..]);
        }
        figure = figure.panel(panel.vline("length in training", TRAINED as f64));
    }
    Ok(figure)
}

impl TypedCheck for Losses {
    const CLAIM: &'static str = "mnemosyne/fig-11";
    const PLAN: Plan = Plan::new(
        "log validation loss at the end of a roll-out beyond the length of training, combined minus task alone and minus imitation alone; largest rise after step 100; runs that diverge",
        "the task's loss alone, or imitation alone, ends as low; the task's loss alone rises no more",
        &[],
    )
    .protocol(&["roll-outs of 100 in training; twice as long in the test at quick scale, ten times at paper scale; networks of Figure 10", DATA])
    .departures(&[SCALED, LIGHT, RATE, OPEN, LOST, BANK, TRAININGS, "the caption names no optimizee: the four networks of Figure 10"])
    .rivals(&["the task's loss alone and imitation alone, the same seeds, batches and meta-steps"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let steps = horizon(setting, self.steps);
        let of = |recipe: &'static str| move |task: &str| by_training(setting, recipe, task, steps);
        let end = |recipe| over_tasks(setting, recipe, networks(setting), steps, steps);
        let lost = |recipe| means(networks(setting), &of(recipe), &|run| f64::from(u8::from(run.diverged.is_some())));
        let ends = paired_difference(&end("light")?, &end("task-only")?)?;
        let imitated = paired_difference(&end("light")?, &end("imitation-only")?)?;
        let beyond = |run: &Run| rise(run, TRAINED..=steps);
        let rises = paired_difference(
            &means(networks(setting), &of("light"), &beyond)?,
            &means(networks(setting), &of("task-only"), &beyond)?,
        )?;
        let uphill =
            means(networks(setting), &|task| by_training_times(setting, "light", task, steps, -1.0), &|run| {
                log_loss(run, steps)
            })?;
        let wrong = paired_difference(&uphill, &end("task-only")?)?;
        let runs = (tested_runs(setting, &of("light"))?, tested_runs(setting, &of("task-only"))?);
        let mut findings = vec![
            lower(
                format!("log loss at the end, combined minus task alone, mean of {} networks", many(setting)),
                ends,
                "trainings",
            ),
            lower("log loss at the end, combined minus imitation alone", imitated, "trainings"),
            lower("largest rise of the log loss after step 100, combined minus task alone", rises, "trainings"),
        ];
        let [with, without] = [lost("light")?, lost("task-only")?];
        // Nothing that diverges on either side is no evidence for either.
        if with.iter().chain(&without).any(|share| *share > 0.0) {
            findings.push(lower(
                "share of runs that diverge, combined minus task alone",
                paired_difference(&with, &without)?,
                "trainings",
            ));
        }
        let evidence = scaled_down(findings)?
            .twin(lower(
                "gradients with the sign turned, combined loss: log loss at the end, minus task alone",
                wrong,
                "trainings",
            ))
            .note(format!(
                "runs that diverge: {} of {} with the combined loss, {} of {} with the task's alone",
                runs.0[0], runs.0[1], runs.1[0], runs.1[1]
            ));
        Ok(Checked::from(evidence).figure(figure(setting, steps)?))
    }
}
