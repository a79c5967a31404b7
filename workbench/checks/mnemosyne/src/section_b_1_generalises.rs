//! B.1: a simple training that carries far.
//!
//! **Claim** (`mnemosyne/simple-meta-training-generalises`). With minimal input features and a meta-training much simpler than in the
//! literature, the optimizer applies to a variety of tasks *because of its efficient memory*; its cells can replace LSTMs in existing
//! methods that learn to learn.
//!
//! Two parts: it applies, which is asked on seven tasks that differ from those of the training; and the memory is why, which is asked by
//! taking the memory out, or putting a plain average in its place, with all else equal. Against it: a task on which the loss does not fall;
//! controls that do as well.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Checked, Failure, Plan, Setting, TypedCheck};

use super::section_b_1::{
    BANK, DATA, LIGHT, LOST, OPEN, OfTask, RATE, SCALED, TRAINED, TRAININGS, by_training, by_training_times, horizon,
    logs, lower, over_tasks, scaled_down, widest,
};

/// Tasks none of which was seen.
pub const VARIETY: [&str; 7] = [
    "mlp-20-20-sigmoid@mnist-7",
    "mlp-20-relu@mnist-7",
    "mlp-20-tanh@mnist-7",
    "linear@mnist-7",
    "mlp-20-relu@fashion-7",
    "mlp-20-relu@digits-8",
    "mlp-20-sigmoid@mnist-14",
];

const CONTROLS: [(&str, &str); 3] = [("no-memory", "no memory"), ("average", "a plain average"), ("lstm", "an LSTM")];

/// The memory and its controls.
#[derive(Clone, Debug, Default)]
pub struct Memories {
    /// Steps of the test; by scale if 0.
    pub steps: usize,
}

impl Memories {
    /// Change of the log loss since the start: the widest interval over the tasks.
    fn falls(runs: &OfTask<'_>, step: usize) -> Result<Estimate, Failure> {
        let each = VARIETY.iter().map(|task| -> Result<Estimate, Failure> {
            let runs = runs(task)?;
            Ok(paired_difference(&logs(&runs, step), &logs(&runs, 0))?)
        });
        widest(&each.collect::<Result<Vec<_>, _>>()?)
    }

    fn table(setting: &Setting, steps: usize) -> Result<Table, Failure> {
        let mut list = vec![("task", VARIETY.map(String::from).to_vec().into())];
        for (recipe, name) in [("light", "compact memory")].into_iter().chain(CONTROLS) {
            let each = VARIETY.iter().map(|task| -> Result<f64, Failure> {
                let found = logs(&by_training(setting, recipe, task, steps)?, steps);
                Ok(found.iter().sum::<f64>() / found.len() as f64)
            });
            list.push((name, each.collect::<Result<Vec<_>, _>>()?.into()));
        }
        Ok(Table::new(columns(list)?)
            .title("Log validation loss at the end, by what the cell remembers")
            .caption("Means over the trainings; everything but the memory is the same.")
            .digits(3))
    }
}

impl TypedCheck for Memories {
    const CLAIM: &'static str = "mnemosyne/simple-meta-training-generalises";
    const PLAN: Plan = Plan::new(
        "log validation loss minus that at the start, each of seven unseen tasks; memory minus controls, mean of the seven, after 200 steps and at the end",
        "a task on which the loss does not fall; controls without the memory that do as well",
        &[],
    )
    .protocol(&["light cell, twelve trainings; unseen: other networks, logistic regression, clothes, digits of another source, larger images", DATA])
    .departures(&[SCALED, LIGHT, RATE, OPEN, LOST, BANK, TRAININGS, "a convolution and texts, forty times as slow, are left out"])
    .rivals(&["the same cell without a memory, with a plain discounted average, and an LSTM of as many weights: the same seeds, losses and meta-steps"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let steps = horizon(setting, self.steps);
        let light = |task: &str| by_training(setting, "light", task, steps);
        let mut findings = vec![
            lower(
                "log loss after 100 steps minus that at the start, each of seven tasks",
                Memories::falls(&light, TRAINED)?,
                "trainings",
            ),
            lower(
                "log loss at the end minus that at the start, each of seven tasks",
                Memories::falls(&light, steps)?,
                "trainings",
            ),
        ];
        // Soon after the length of the training, and at the end where that is later.
        let soon = 2 * TRAINED;
        for (at, when) in [(soon, "after 200 steps"), (steps, "at the end")] {
            if at > steps || (at == steps && when != "at the end") {
                continue;
            }
            for (recipe, name) in CONTROLS {
                let of = |recipe| over_tasks(setting, recipe, &VARIETY, steps, at);
                findings.push(lower(
                    format!("log loss {when}, compact memory minus {name}, mean of seven tasks"),
                    paired_difference(&of("light")?, &of(recipe)?)?,
                    "trainings",
                ));
            }
        }
        let uphill = |task: &str| by_training_times(setting, "light", task, TRAINED, -1.0);
        let evidence = scaled_down(findings)?.twin(lower(
            "gradients with the sign turned: log loss after 100 steps minus that at the start",
            Memories::falls(&uphill, TRAINED)?,
            "trainings",
        ));
        Ok(Checked::from(evidence).table(Memories::table(setting, steps)?))
    }
}
