//! B.1: what the imitation loss is for.
//!
//! **Claims**. `mnemosyne/imitation-on-policy`: the expert is asked on the states that the learned optimizer visits, unlike in off-policy
//! imitation; this mitigates the divergence from the expert's trajectory known from behaviour cloning. `mnemosyne/imitation-regularises`:
//! the imitation loss keeps the optimizer from over-fitting the task on which it is meta-trained.
//!
//! Both speak about a method of training, so their unit is the training: twelve pairs from the same seeds. Against the first: cloned on
//! the expert's path, the optimizer stays as near to it. Against the second: without imitation the step from known to unknown networks
//! costs no more.

use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::score::Run;
use workbench_optimizer::tasks::TRAINING;

use super::section_b_1::{
    BANK, DATA, LIGHT, LOST, OPEN, RATE, RIVALS, Rival, SCALED, TRAINED, TRAININGS, at_rate, by_training,
    by_training_times, horizon, logs, lower, many, networks, over_tasks, scaled_down, untrained,
};

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

/// Parameters at the end of each run on a task.
type Ends<'a> = dyn Fn(&str) -> Result<Vec<Vec<f64>>, Failure> + 'a;

/// Supervision on its own path.
#[derive(Clone, Debug, Default)]
pub struct OnPolicy {
    /// Steps of the test; by scale if 0.
    pub steps: usize,
}

/// $\ln(\|\theta-\theta_A\|/\sqrt p)$ after so many steps, mean over the networks of Figure 10: for each training.
fn distances(setting: &Setting, steps: usize, runs: &Ends<'_>) -> Result<Vec<f64>, Failure> {
    let mut sums = Vec::new();
    for task in networks(setting) {
        let ours = runs(task)?;
        let expert = at_rate(setting, (Rival::Adam, EXPERT), task, steps, ours.len() as u64)?;
        sums.resize(ours.len(), 0.0);
        for ((sum, theta), expert) in sums.iter_mut().zip(&ours).zip(expert.iter()) {
            let square: f64 = theta.iter().zip(&expert.theta).map(|(a, b)| (a - b).powi(2)).sum();
            let far = (square / theta.len() as f64).sqrt();
            // A diverged run is as far as the largest loss that counts is high.
            *sum += if far.is_finite() { far.ln() } else { 10f64.ln() } / networks(setting).len() as f64;
        }
    }
    Ok(sums)
}

fn ends(runs: &[Run]) -> Vec<Vec<f64>> {
    runs.iter().map(|run| run.theta.clone()).collect()
}

fn from_expert(setting: &Setting, recipe: &str, steps: usize) -> Result<Vec<f64>, Failure> {
    distances(setting, steps, &|task| Ok(ends(&by_training(setting, recipe, task, steps)?)))
}

impl OnPolicy {
    /// After the length of the trainings and at the end, at paper scale half way as well.
    fn times(&self, setting: &Setting) -> Vec<usize> {
        let end = horizon(setting, self.steps);
        setting.scale().pick(vec![TRAINED, end], vec![TRAINED / 2, TRAINED, end])
    }

    fn figure(&self, setting: &Setting) -> Result<Figure, Failure> {
        let times = self.times(setting);
        let x: Vec<f64> = times.iter().map(|t| *t as f64).collect();
        let mut panel = Panel::new(&format!("mean of {} networks", many(setting)))
            .x_label("step")
            .y_label("distance for each parameter")
            .log_x()
            .log_y();
        for (recipe, name) in [
            ("imitation-only", "on its own path"),
            ("expert-path", "on the expert's path"),
            ("task-only", "no imitation"),
        ] {
            let each = times.iter().map(|steps| Ok(mean(&from_expert(setting, recipe, *steps)?)?));
            let each = each.collect::<Result<Vec<Estimate>, Failure>>()?;
            let of = |f: fn(&Estimate) -> f64| each.iter().map(|e| f(e).exp()).collect::<Vec<f64>>();
            panel = panel.error_bars(name, &x, &of(|e| e.value), &of(|e| e.low), &of(|e| e.high)).line(
                name,
                &x,
                &of(|e| e.value),
            );
        }
        Ok(Figure::new("Distance from the trajectory of the expert, by where it was asked")
            .panel(panel)
            .caption("Root mean square over parameters between learned optimizer and Adam at 0.03, same start and batches; light cell, 99.9 % intervals."))
    }
}

impl TypedCheck for OnPolicy {
    const CLAIM: &'static str = "mnemosyne/imitation-on-policy";
    const PLAN: Plan = Plan::new(
        "logarithm of the distance between the parameters of the learned optimizer and those of the expert, same start and batches, mean of four networks; own path minus expert's path",
        "cloning on the expert's path stays as near to it",
        &[],
    )
    .protocol(&["imitation of Adam at 0.03 alone, on the path of the learned updates or on that of Adam's; networks of Figure 10", DATA])
    .departures(&[SCALED, LIGHT, RATE, OPEN, LOST, BANK, TRAININGS, "imitation without the task loss on both sides, so that only the path differs"])
    .rivals(&["behaviour cloning: the same cell, seeds, meta-steps and loss on roll-outs of the expert"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let end = horizon(setting, self.steps);
        let nearer = |steps: usize| -> Result<Finding, Failure> {
            let difference = paired_difference(
                &from_expert(setting, "imitation-only", steps)?,
                &from_expert(setting, "expert-path", steps)?,
            )?;
            Ok(lower(
                format!("after {steps} steps: log distance from the expert, own path minus expert's path"),
                difference,
                "trainings",
            ))
        };
        let follows =
            paired_difference(&from_expert(setting, "imitation-only", end)?, &from_expert(setting, "task-only", end)?)?;
        let raw = distances(setting, TRAINED, &|task| Ok(ends(&untrained(setting, "light", task, TRAINED)?)))?;
        let wrong = paired_difference(&raw, &from_expert(setting, "expert-path", TRAINED)?)?;
        let findings = vec![
            nearer(end)?,
            nearer(TRAINED)?,
            lower("at the end: log distance from the expert, own path minus no imitation", follows, "trainings"),
        ];
        let evidence = scaled_down(findings)?.twin(lower(
            "untrained weights for those trained on their own path, after 100 steps: log distance",
            wrong,
            "trainings",
        ));
        Ok(Checked::from(evidence).figure(self.figure(setting)?))
    }
}

/// Imitation against over-fitting.
#[derive(Clone, Debug, Default)]
pub struct Regularises {
    /// Steps of the test; by scale if 0.
    pub steps: usize,
}

/// Log loss on unseen tasks less that on the tasks of the training: for each training.
fn gap(setting: &Setting, recipe: &str, steps: usize, step: usize) -> Result<Vec<f64>, Failure> {
    let unseen = over_tasks(setting, recipe, self::unseen(setting), steps, step)?;
    let seen = over_tasks(setting, recipe, &TRAINING[..3], steps, step)?;
    Ok(unseen.iter().zip(seen).map(|(a, b)| a - b).collect())
}

/// Weights of the imitation; the last three were trained four times, for the table at paper scale.
const SWEEP: [(f64, &str); 5] =
    [(0.0, "task-only"), (1000.0, "light"), (10.0, "imitation-10"), (100.0, "imitation-100"), (1e4, "imitation-10000")];

fn sweep(setting: &Setting, steps: usize) -> Result<Table, Failure> {
    let mut list: Vec<(&str, Vec<f64>)> =
        ["weight", "trainings", "known, 100", "known, end", "unknown, 100", "unknown, end"]
            .map(|name| (name, Vec::new()))
            .to_vec();
    let mut shown = SWEEP[..setting.scale().pick(2, SWEEP.len())].to_vec();
    shown.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (weight, recipe) in shown {
        let mut row = vec![weight];
        for tasks in [&TRAINING[..3], unseen(setting)] {
            for step in [TRAINED, steps] {
                let found = over_tasks(setting, recipe, tasks, steps, step)?;
                if row.len() == 1 {
                    row.push(found.len() as f64);
                }
                row.push(found.iter().sum::<f64>() / found.len() as f64);
            }
        }
        list.iter_mut().zip(row).for_each(|(column, value)| column.1.push(value));
    }
    let frame = columns(list.into_iter().map(|(name, values)| (name, values.into())).collect())?;
    Ok(Table::new(frame)
        .title("Log validation loss along the weight of the imitation")
        .caption("Means over trainings and tasks, after 100 steps and at the end; known: the three networks of the training; unknown: others.")
        .digits(3))
}

impl TypedCheck for Regularises {
    const CLAIM: &'static str = "mnemosyne/imitation-regularises";
    const PLAN: Plan = Plan::new(
        "log validation loss on six unseen tasks less that on the three tasks of the training, with imitation minus without; the loss on unseen tasks itself",
        "without imitation the step to unseen tasks costs no more",
        &[],
    )
    .protocol(&["weights 0 and 1000 with twelve trainings each; 10, 100 and 10^4 with four, in the table at paper scale", "unseen: a network of Figure 10, logistic regression, clothes at 7 x 7, digits at 8 x 8, and at paper scale another network of Figure 10 and tanh", DATA])
    .departures(&[SCALED, LIGHT, RATE, OPEN, LOST, BANK, TRAININGS])
    .rivals(&["the same trainings without imitation", RIVALS]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let steps = horizon(setting, self.steps);
        let gaps = paired_difference(&gap(setting, "light", steps, steps)?, &gap(setting, "task-only", steps, steps)?)?;
        let losses = |recipe| over_tasks(setting, recipe, unseen(setting), steps, steps);
        let loss = paired_difference(&losses("light")?, &losses("task-only")?)?;
        // Gradients with the sign turned, mean over the unseen tasks, for each training.
        let mut uphill = Vec::new();
        for task in unseen(setting) {
            let found = logs(&by_training_times(setting, "light", task, steps, -1.0)?, steps);
            uphill.resize(found.len(), 0.0);
            let share = 1.0 / unseen(setting).len() as f64;
            uphill.iter_mut().zip(found).for_each(|(sum, log)| *sum += share * log);
        }
        let wrong = paired_difference(&uphill, &losses("task-only")?)?;
        let evidence = scaled_down(vec![
            lower(
                "gap between unseen tasks and those of the training, at the end, with imitation minus without",
                gaps,
                "trainings",
            ),
            lower("log loss on unseen tasks at the end, with imitation minus without", loss, "trainings"),
        ])?
        .twin(lower(
            "gradients with the sign turned, with imitation: log loss on unseen tasks at the end, minus without",
            wrong,
            "trainings",
        ));
        Ok(Checked::from(evidence).table(sweep(setting, steps)?))
    }
}
