//! B.1: what the imitation loss is for.
//!
//! **Claims**. `mnemosyne/imitation-on-policy`: the expert is asked on the states that the learned optimizer visits, unlike in off-policy
//! imitation; this mitigates the divergence from the expert's trajectory known from behaviour cloning. `mnemosyne/imitation-regularises`:
//! the imitation loss keeps the optimizer from over-fitting the task on which it is meta-trained.
//!
//! Both speak about a method of training, so their unit is the training: pairs from the same seeds. The first is refuted if, cloned on the
//! expert's path, the optimizer stays as near to it; the second, if without imitation the step from known to far tasks costs no more.

use std::sync::Arc;

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_optimizer::score::Run;
use workbench_optimizer::tasks::TRAINING;

use super::far_tasks::{FAR, FAR_TASKS, FULL, far_difference, far_means, far_steps};
use super::optimizer_laboratory::{
    BANK, DATA, KEPT, LIGHT, LOST, OPEN, RATE, SCALED, TRAINED, TRAININGS, by_training, by_training_times, horizon,
    log_loss, many, means, networks, over_tasks, untrained,
};
use super::tuned_rivals::{Rival, at_rate};

/// The rate of the expert.
const EXPERT: f64 = 3e-2;

/// Unseen networks and images that are quick to train; the first four are those of quick scale.
const UNSEEN: [&str; 6] = [
    "mlp-20-relu@mnist-7",
    "linear@mnist-7",
    "mlp-20-relu@fashion-7",
    "mlp-20-relu@digits-8",
    "mlp-20-20-sigmoid@mnist-7",
    "mlp-20-tanh@mnist-7",
];

fn unseen(setting: &Setting) -> &'static [&'static str] {
    &UNSEEN[..setting.scale().pick(4, UNSEEN.len())]
}

/// Supervision on its own path.
pub const ON_POLICY: Check = Check {
    claim: "mnemosyne/imitation-on-policy",
    metric: "logarithm of the distance between the parameters of the learned optimizer and those of the expert, same start and batches, mean of four networks, at quick scale two; own path minus expert's path",
    against: "cloning on the expert's path stays as near to it",
    protocol: &["imitation of Adam at 0.03, on the path of the learned updates or on that of Adam's"],
    choices: &["networks of Figure 10", DATA, TRAININGS],
    departures: &[
        SCALED,
        LIGHT,
        RATE,
        OPEN,
        LOST,
        BANK,
        "imitation without the task loss on both sides, so that only the path differs",
    ],
    settled: "log distance from the expert after 100 and 1,000 steps over some hundred and fifty pairs of trainings, by their own variances, since fifty leave ±0.13 around 0.09 after 1,000; or a training of the printed size, whose trainings differ less",
    rivals: &["behaviour cloning: the same cell, seeds, meta-steps and loss on roll-outs of the expert"],
    run: on_policy,
    ..Check::DEFAULT
};

fn on_policy(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let end = horizon(s)?;
    let nearer = |to: &str, steps| -> Result<Estimate, Failure> {
        Ok(paired_difference(&from_expert(s, "imitation-only", steps)?, &from_expert(s, to, steps)?)?)
    };
    let lower = s.printed(Margin::ZERO).of("trainings").scaled_down();
    for steps in [end, TRAINED] {
        let label = format!("after {steps} steps: log distance from the expert, own path minus expert's path");
        lower.at_most(label, nearer("expert-path", steps)?);
    }
    let label = "at the end: log distance from the expert, own path minus no imitation";
    s.aside(Margin::ZERO).of("trainings").scaled_down().at_most(label, nearer("task-only", end)?);
    let raw = distances(s, TRAINED, |task| untrained(s, "light", task, TRAINED))?;
    let label = "untrained weights for those trained on their own path, after 100 steps: log distance";
    let wrong = paired_difference(&raw, &from_expert(s, "expert-path", TRAINED)?)?;
    s.twin(Margin::ZERO).of("trainings").at_most(label, wrong);
    s.figure(figure(s, end)?);
    Ok(())
}

/// $\ln(\|\theta-\theta_A\|/\sqrt p)$ after so many steps, mean over the networks of Figure 10: for each training.
fn distances(
    setting: &Setting,
    steps: usize,
    runs: impl Fn(&str) -> Result<Arc<Vec<Run>>, Failure>,
) -> Result<Vec<f64>, Failure> {
    let (tasks, mut sums) = (networks(setting), Vec::new());
    for task in tasks {
        let ours = runs(task)?;
        let expert = at_rate(setting, (Rival::Adam, EXPERT), task, steps, ours.len() as u64)?;
        sums.resize(ours.len(), 0.0);
        for ((sum, run), expert) in sums.iter_mut().zip(ours.iter()).zip(expert.iter()) {
            let square: f64 = run.theta.iter().zip(&expert.theta).map(|(a, b)| (a - b).powi(2)).sum();
            let far = (square / run.theta.len() as f64).sqrt();
            // A diverged run is as far as the largest loss that counts is high.
            *sum += if far.is_finite() { far.ln() } else { 10f64.ln() } / tasks.len() as f64;
        }
    }
    Ok(sums)
}

fn from_expert(setting: &Setting, recipe: &str, steps: usize) -> Result<Vec<f64>, Failure> {
    distances(setting, steps, |task| by_training(setting, recipe, task, steps))
}

/// Distances after the length of the trainings and at the end, at paper scale half way as well.
fn figure(setting: &Setting, end: usize) -> Result<Figure, Failure> {
    let times = setting.scale().pick(vec![TRAINED, end], vec![TRAINED / 2, TRAINED, end]);
    let x: Vec<f64> = times.iter().map(|t| *t as f64).collect();
    let mut panel = Panel::new(&format!("mean of {} networks", many(setting)))
        .x_label("step")
        .y_label("distance for each parameter")
        .log_x()
        .log_y();
    for (recipe, name) in
        [("imitation-only", "on its own path"), ("expert-path", "on the expert's path"), ("task-only", "no imitation")]
    {
        let each = times.iter().map(|steps| Ok(mean(&from_expert(setting, recipe, *steps)?)?));
        let each = each.collect::<Result<Vec<Estimate>, Failure>>()?;
        let of = |f: fn(&Estimate) -> f64| each.iter().map(|e| f(e).exp()).collect::<Vec<f64>>();
        let value = of(|e| e.value);
        panel = panel.error_bars(name, &x, &value, &of(|e| e.low), &of(|e| e.high)).line(name, &x, &value);
    }
    Ok(Figure::new("Distance from the trajectory of the expert, by where it was asked")
        .panel(panel)
        .caption("Root mean square over parameters between learned optimizer and Adam at 0.03, same start and batches; light cell, 99.9 % intervals."))
}

/// Imitation against over-fitting.
pub const REGULARISES: Check = Check {
    claim: "mnemosyne/imitation-regularises",
    metric: "log validation loss on three far tasks less that on the three tasks of the training, after as many steps, with imitation minus without; the loss on the far tasks itself",
    against: "without imitation the step to unseen tasks costs no more",
    choices: &[
        FAR_TASKS,
        "in the table weights 0 and 1000 with twelve trainings each; 10, 100 and 10^4 with four, at paper scale",
        "unseen, beside it: a network of Figure 10, logistic regression, clothes at 7 x 7, digits at 8 x 8, and at paper scale another network of Figure 10 and tanh",
        DATA,
        TRAININGS,
    ],
    departures: &[SCALED, LIGHT, RATE, OPEN, LOST, BANK],
    settled: FULL,
    rivals: &["the same trainings without imitation"],
    run: regularises,
    ..Check::DEFAULT
};

fn regularises(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let (steps, unknown) = (horizon(s)?, unseen(s));
    let losses = |recipe, tasks: &[&str]| over_tasks(s, recipe, tasks, steps, steps);
    let gap = |recipe| -> Result<Vec<f64>, Failure> {
        let (unseen, seen) = (losses(recipe, unknown)?, losses(recipe, &TRAINING[..3])?);
        Ok(unseen.iter().zip(seen).map(|(a, b)| a - b).collect())
    };
    let lower = s.printed(Margin::ZERO).of("trainings").scaled_down();
    let far = far_steps(s)?;
    let far_gap = |recipe| -> Result<Vec<f64>, Failure> {
        let ends = |tasks: &[&str]| far_means(s, recipe, tasks, far, |run| log_loss(run, far));
        Ok(ends(&FAR)?.iter().zip(ends(&TRAINING[..3])?).map(|(a, b)| a - b).collect())
    };
    let label =
        format!("gap between far tasks and those of the training after {far} steps, with imitation minus without");
    lower.at_most(label, paired_difference(&far_gap("light-64")?, &far_gap("task-only-64")?)?);
    let label = format!("three far tasks: log loss after {far} steps, with imitation minus without");
    lower.at_most(label, far_difference(s, ["light-64", "task-only-64"], far)?);
    let beside = s.aside(Margin::ZERO).of("trainings").scaled_down();
    let label = "gap between unseen tasks and those of the training, at the end, with imitation minus without";
    beside.at_most(label, paired_difference(&gap("light")?, &gap("task-only")?)?);
    let without = losses("task-only", unknown)?;
    let label = "log loss on unseen tasks at the end, with imitation minus without";
    beside.at_most(label, paired_difference(&losses("light", unknown)?, &without)?);
    let uphill = |task: &str| by_training_times(s, "light", task, steps, -1.0);
    let uphill = means(unknown, uphill, |run| log_loss(run, steps))?;
    let label = "gradients with the sign turned, with imitation: log loss on unseen tasks at the end, minus without";
    s.twin(Margin::ZERO).of("trainings").at_most(label, paired_difference(&uphill, &without)?);
    s.table(sweep(s, steps)?);
    Ok(())
}

/// Weights of the imitation; at quick scale the two that were trained twelve times, the others four times.
const SWEEP: [(f64, &str); 5] =
    [(0.0, "task-only"), (10.0, "imitation-10"), (100.0, "imitation-100"), (1000.0, "light"), (1e4, "imitation-10000")];

fn sweep(setting: &Setting, steps: usize) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for (weight, recipe) in setting.scale().pick(vec![SWEEP[0], SWEEP[3]], SWEEP.to_vec()) {
        let mut row = vec![weight];
        for tasks in [&TRAINING[..3], unseen(setting)] {
            for step in [TRAINED, steps] {
                let found = mean(&over_tasks(setting, recipe, tasks, steps, step)?)?;
                if row.len() == 1 {
                    row.push(found.n as f64);
                }
                row.push(found.value);
            }
        }
        rows.push(row);
    }
    let headings = ["weight", "trainings", "known, 100", "known, end", "unknown, 100", "unknown, end"];
    let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<f64>>().into();
    let frame = columns(headings.into_iter().enumerate().map(|(at, heading)| (heading, column(at))).collect())?;
    Ok(Table::new(frame)
        .title("Log validation loss along the weight of the imitation")
        .caption("Means over trainings and tasks, after 100 steps and at the end; known: the three networks of the training; unknown: others.")
        .digits(3))
}
