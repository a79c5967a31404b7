//! Figure 13, left: discount factors, with Adam beside them.
//!
//! **Claim** (`mnemosyne/fig-13-left`), not tested: meta-training curves for different discount factors, compared with Adam, on MLPs. B.4 and
//! the caption name no winner and print no number.
//!
//! What the kept trainings show is in the tables: of five discounts the document's 0.1 ends lowest, and no memory far above all of them. Adam,
//! which has no meta-training, takes the same roll-outs at its default rate, at the expert's and at its best, and stands beside the others.

use workbench_display::Table;
use workbench_ground::stats::paired_difference;
use workbench_ledger::{Check, Done, Failure, Setting, Sheet};
use workbench_optimizer::curves::{MetaTrainingCurve, SHORT, later};
use workbench_optimizer::score::rates;

use super::expert_cell::AdamCell;
use super::meta_curves::{DATA, OPEN, PICTURE, SCALED, best, figure, kept, late, table};
use super::optimizer_laboratory::{lab, table_of};
use super::tuned_rivals::Rival;

const SHOWN: [(&str, &str); 6] = [
    ("k-2", "tau = 0.1"),
    ("tau-0", "tau = 0"),
    ("tau-0.01", "tau = 0.01"),
    ("tau-0.5", "tau = 0.5"),
    ("tau-1", "tau = 1"),
    ("no-memory", "no memory"),
];

/// The first seed on which Adam's rate is chosen.
const TUNING: u64 = 101;

/// The first of the last ten roll-outs.
const LATE: usize = SHORT - SHORT / 3;

/// Six memories, and Adam.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-13-left",
    metric: "late log meta-loss by the discount; late log loss of the task beside that of Adam on the same roll-outs",
    against: "nothing that is printed",
    protocol: &["tau = 0.1, the document's own, and others; MLPs"],
    choices: &[
        "tau = 0, 0.01, 0.1, 0.5, 1, of which the best other is taken, and no memory, which is an infinite tau; between 0.01 and 0.5 there is no other, so that 0.1 is the best of these five and not of all",
        DATA,
        "the best other discount is chosen on the trainings that are compared, which is to the disadvantage of 0.1",
    ],
    departures: &[
        SCALED,
        OPEN,
        PICTURE,
        "the values of tau are ours",
        "Adam is read as a curve beside the others; the words also allow the optimizer of the meta-training, which is Adam in all of them",
    ],
    rivals: &[
        "Adam on the same roll-outs, at its default rate, at the expert's 0.03, and at the best on a grid from 1e-3 to 1, chosen on other seeds by the loss that is compared",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let best = best(s, &["tau-0", "tau-0.01", "tau-0.5", "tau-1"])?;
    let apart = late(s, "k-2", best)?;
    let trainings = s.scale().pick(5, 12);
    let learned = |name: &str| -> Result<Vec<f64>, Failure> {
        Ok(kept(s)?.get(name)?[..trainings].iter().map(task_level).collect())
    };
    let at = |rate| adam(s, rate, 1..trainings as u64 + 1);
    let (rate, default) = (best_rate(s)?, Rival::Adam.default_rate());
    let tuned = paired_difference(&learned("k-2")?, &at(rate)?)?;
    let untuned = paired_difference(&learned("k-2")?, &at(default)?)?;
    s.not_tested(format!(
        "B.4 and the caption compare discounts and Adam, name no winner and print no number; shown instead, scaled down: late log meta-loss, tau = 0.1 minus tau = {}, the best other, {:.4} [{:.4}, {:.4}]; late log loss of the task on the same roll-outs, tau = 0.1 minus Adam at its best rate, {rate:.3}, {:.4} [{:.4}, {:.4}]; minus Adam at its default rate, {default:.3}, {:.4} [{:.4}, {:.4}]",
        &best[4..],
        apart.value,
        apart.low,
        apart.high,
        tuned.value,
        tuned.low,
        tuned.high,
        untuned.value,
        untuned.low,
        untuned.high
    ));
    s.table(table(s, "Discounts, late in training", &SHOWN)?);
    let mut rows = Vec::new();
    for (name, label) in SHOWN {
        rows.push((label.to_string(), vec![mean_of(&learned(name)?)]));
    }
    let expert = s.scale().pick(None, Some(("the expert", 3e-2)));
    for (label, rate) in [("Adam at its best", rate), ("Adam at its default", default)].into_iter().chain(expert) {
        rows.push((format!("{label}, {rate:.3}"), vec![mean_of(&at(rate)?)]));
    }
    s.table(adam_table(&rows)?);
    s.figure(figure(s, "Five discounts and no memory in meta-training", &SHOWN)?);
    Ok(())
}

/// The mean log loss of the task, over the last ten roll-outs.
fn task_level(curve: &MetaTrainingCurve) -> f64 {
    let last = &curve.task[curve.task.len() - (SHORT - LATE)..];
    last.iter().map(|loss| loss.ln()).sum::<f64>() / last.len() as f64
}

/// Adam at a rate on the roll-outs of these trainings.
fn adam(setting: &Setting, rate: f64, seeds: std::ops::Range<u64>) -> Result<Vec<f64>, Failure> {
    let name = format!("Adam at {rate:e} on roll-outs {seeds:?}");
    let found = setting.shared(&name, |own| {
        let (lab, cell) = (lab(own)?, AdamCell::new(rate)?);
        let level =
            |seed: u64| -> Result<f64, Failure> { Ok(task_level(&later(&cell, &lab.suite, LATE..SHORT, seed)?)) };
        seeds.map(level).collect::<Result<Vec<f64>, Failure>>()
    })?;
    Ok(found.to_vec())
}

/// The rate on the grid with the lowest loss on the tuning seeds.
fn best_rate(setting: &Setting) -> Result<f64, Failure> {
    let (count, seeds) = setting.scale().pick((3, 1), (13, 3));
    let mut found = (0.0, f64::INFINITY);
    for rate in rates(1e-3, 1.0, count)? {
        let level = mean_of(&adam(setting, rate, TUNING..TUNING + seeds)?);
        if level < found.1 {
            found = (rate, level);
        }
    }
    Ok(found.0)
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn adam_table(rows: &[(String, Vec<f64>)]) -> Result<Table, Failure> {
    Ok(table_of(&["rule", "log loss of the task"], rows)?
        .title("The task's loss alone, late in training, and Adam on the same roll-outs")
        .caption("Means over roll-outs of 100 steps and over trainings.")
        .digits(3))
}
