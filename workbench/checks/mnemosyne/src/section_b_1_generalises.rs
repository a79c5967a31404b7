//! B.1: a simple training that carries far.
//!
//! **Claim** (`mnemosyne/simple-meta-training-generalises`). With minimal input features and a meta-training much simpler than in the
//! literature, the optimizer applies to a variety of tasks *because of its efficient memory*; its cells can replace LSTMs in existing
//! methods that learn to learn.
//!
//! Two parts: it applies, which is asked on seven tasks that differ from those of the training; and the memory is why, which is asked by
//! taking the memory out, or putting a plain average in its place, with all else equal. Refuted by a task on which the loss does not fall;
//! controls that do as well. That its cells can be put where LSTMs are is no comparison with them: the LSTM stands beside it.

use std::sync::Arc;

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_optimizer::score::Run;

use super::optimizer_laboratory::{
    BANK, DATA, KEPT, LIGHT, LOST, OPEN, RATE, SCALED, TRAINED, TRAININGS, by_training, by_training_times, horizon,
    logs, over_tasks, table_of, widest,
};

/// Tasks none of which was seen.
const VARIETY: [&str; 7] = [
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
pub const CHECK: Check = Check {
    claim: "mnemosyne/simple-meta-training-generalises",
    metric: "log validation loss minus that at the start, each of seven unseen tasks; memory minus controls, mean of the seven, after 200 steps and at the end",
    against: "a task on which the loss does not fall; controls without the memory that do as well",
    choices: &[
        "light cell, twelve trainings; unseen: other networks, logistic regression, clothes, digits of another source, larger images",
        DATA,
        TRAININGS,
    ],
    departures: &[SCALED, LIGHT, RATE, OPEN, LOST, BANK, "a convolution and texts, forty times as slow, are left out"],
    rivals: &[
        "the same cell without a memory, with a plain discounted average, and an LSTM of as many weights: the same seeds, losses and meta-steps",
    ],
    settled: "memory minus no memory and minus a plain average after 1,000 steps over some forty trainings, by their own variances, which leave open whether it is ahead of no memory in the end; that needs a training whose memory binds: the cell of B.1 and longer roll-outs",
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let steps = horizon(s)?;
    let light = |task: &str| by_training(s, "light", task, steps);
    let lower = s.printed(Margin::ZERO).of("trainings").scaled_down();
    let beside = s.aside(Margin::ZERO).of("trainings").scaled_down();
    lower.at_most("log loss after 100 steps minus that at the start, each of seven tasks", falls(light, TRAINED)?);
    lower.at_most("log loss at the end minus that at the start, each of seven tasks", falls(light, steps)?);
    // Soon after the length of the training, and at the end where that is later.
    let soon = (steps > 2 * TRAINED).then_some((2 * TRAINED, "after 200 steps"));
    for (at, when) in soon.into_iter().chain([(steps, "at the end")]) {
        for (recipe, name) in CONTROLS {
            let of = |recipe| over_tasks(s, recipe, &VARIETY, steps, at);
            let label = format!("log loss {when}, compact memory minus {name}, mean of seven tasks");
            let says = if recipe == "lstm" { beside } else { lower };
            says.at_most(label, paired_difference(&of("light")?, &of(recipe)?)?);
        }
    }
    let uphill = |task: &str| by_training_times(s, "light", task, TRAINED, -1.0);
    let label = "gradients with the sign turned: log loss after 100 steps minus that at the start";
    s.twin(Margin::ZERO).of("trainings").at_most(label, falls(uphill, TRAINED)?);

    let mut rows = Vec::new();
    for task in VARIETY {
        let level = |recipe| -> Result<f64, Failure> {
            let found = logs(&by_training(s, recipe, task, steps)?, steps);
            Ok(found.iter().sum::<f64>() / found.len() as f64)
        };
        let recipes = ["light"].into_iter().chain(CONTROLS.map(|(recipe, _)| recipe));
        rows.push((task, recipes.map(level).collect::<Result<Vec<_>, _>>()?));
    }
    let table = table_of(&["task", "compact memory", CONTROLS[0].1, CONTROLS[1].1, CONTROLS[2].1], &rows)?;
    s.table(
        table
            .title("Log validation loss at the end, by what the cell remembers")
            .caption("Means over the trainings; everything but the memory is the same.")
            .digits(3),
    );
    Ok(())
}

/// Change of the log loss since the start: the widest interval over the tasks.
fn falls(runs: impl Fn(&str) -> Result<Arc<Vec<Run>>, Failure>, step: usize) -> Result<Estimate, Failure> {
    widest(VARIETY.iter().map(|task| -> Result<Estimate, Failure> {
        let runs = runs(task)?;
        Ok(paired_difference(&logs(&runs, step), &logs(&runs, 0))?)
    }))
}
