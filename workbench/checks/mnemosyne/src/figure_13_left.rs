//! Figure 13, left: discount factors, with Adam beside them.
//!
//! **Claim** (`mnemosyne/fig-13-left`). Meta-training curves for different discount factors, compared with Adam, on MLPs.
//!
//! The sentence names no winner. What follows from it is the choice that the document makes, tau = 0.1; against it: another tau that ends
//! lower, or Adam at its best that ends more than a tenth lower on the same roll-outs. Adam has no meta-training, so it takes them at its
//! default rate, at the expert's and at its best.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::curves::{MetaTrainingCurve, SHORT, later};
use workbench_optimizer::score::rates;

use super::section_b_1::{Rival, SIMILAR, lab, lower, scaled_down};
use super::section_b_1_expert::AdamCell;
use super::section_b_2_to_b_5::{
    AGAIN, DATA, OPEN, PICTURE, SCALED, all_seeds, best, figure, kept, late, table, with_again,
};

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

/// Six memories, and Adam.
#[derive(Clone, Debug, Default)]
pub struct Discounts;

/// The first of the last ten roll-outs.
const LATE: usize = SHORT - SHORT / 3;

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

/// The learned rules and Adam at three rates, in the loss of the task.
struct Beside {
    rows: Vec<(String, f64)>,
    /// The learned rule minus Adam at its default rate, and at its best.
    learned: [Estimate; 2],
    /// The rule without a memory minus Adam at its best.
    forgetful: Estimate,
    rate: f64,
}

fn beside(setting: &Setting) -> Result<Beside, Failure> {
    let seeds = setting.scale().pick(5, 12);
    let of = |name: &str| -> Result<Vec<f64>, Failure> {
        let kept = kept(setting)?;
        Ok(kept.get(name)?[..seeds].iter().map(task_level).collect())
    };
    let at = |rate| adam(setting, rate, 1..seeds as u64 + 1);
    let (rate, default) = (best_rate(setting)?, Rival::Adam.default_rate());
    let mut rows = Vec::new();
    for (name, label) in SHOWN {
        rows.push((label.to_string(), mean_of(&of(name)?)));
    }
    let expert = setting.scale().pick(None, Some(("the expert", 3e-2)));
    let ends = [("Adam at its best", rate), ("Adam at its default", default)];
    for (label, rate) in ends.into_iter().chain(expert) {
        rows.push((format!("{label}, {rate:.3}"), mean_of(&at(rate)?)));
    }
    Ok(Beside {
        rows,
        learned: [paired_difference(&of("k-2")?, &at(default)?)?, paired_difference(&of("k-2")?, &at(rate)?)?],
        forgetful: paired_difference(&of("no-memory")?, &at(rate)?)?,
        rate,
    })
}

fn adam_table(beside: &Beside) -> Result<Table, Failure> {
    let (labels, values): (Vec<String>, Vec<f64>) = beside.rows.iter().cloned().unzip();
    Ok(Table::new(columns(vec![("rule", labels.into()), ("log loss of the task", values.into())])?)
        .title("The task's loss alone, late in training, and Adam on the same roll-outs")
        .caption("Means over roll-outs of 100 steps and over trainings.")
        .digits(3))
}

impl TypedCheck for Discounts {
    const CLAIM: &'static str = "mnemosyne/fig-13-left";
    const PLAN: Plan = Plan::new(
        "late log meta-loss, tau = 0.1 minus the best of the other discounts; late log loss of the task beside that of Adam on the same roll-outs",
        "another discount that ends lower than the one that the document uses; tuned Adam more than a tenth lower than the learned rule",
        &[SIMILAR, AGAIN],
    )
    .protocol(&[
        "tau = 0, 0.01, 0.1, 0.5, 1, and no memory, which is an infinite tau",
        DATA,
        "the best other discount is chosen on the trainings that are compared, which is to the disadvantage of 0.1",
        "every seed reads the same kept curves: what is repeated are the twelve trainings",
    ])
    .departures(&[
        SCALED,
        OPEN,
        PICTURE,
        "the values of tau are ours",
        "Adam is read as a curve beside the others; the words also allow the optimizer of the meta-training, which is Adam in all of them",
    ])
    .rivals(&["Adam on the same roll-outs, at its default rate, at the expert's 0.03, and at the best on a grid from 1e-3 to 1, chosen on other seeds by the loss that is compared"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let others = ["tau-0", "tau-0.01", "tau-0.5", "tau-1"];
        let best = best(setting, &others, all_seeds())?;
        let beside = beside(setting)?;
        let below = |label: &str, estimate| lower(label, estimate, "trainings");
        let level = |label: &str, estimate| Finding::at_most(label, SIMILAR, estimate).unit("trainings");
        let [default, tuned] = beside.learned;
        let mut findings =
            vec![below("log meta-loss, tau = 0.1 minus the best other tau, late", late(setting, "k-2", best)?)];
        for other in others {
            let label = format!("log meta-loss, tau = 0.1 minus tau = {}, late", &other[4..]);
            findings.push(below(&label, late(setting, "k-2", other)?));
        }
        findings.push(level("log loss of the task, tau = 0.1 minus Adam at its best rate", tuned));
        findings.push(below("log loss of the task, tau = 0.1 minus Adam at its default rate", default));
        let evidence = scaled_down(findings)?
            .twin(below(
                "tau = 0.5 in the place of tau = 0.1: minus the best other tau",
                late(setting, "tau-0.5", best)?,
            ))
            .twin(below("tau = 1 in the place of tau = 0.1: minus the best other tau", late(setting, "tau-1", best)?))
            .twin(below(
                "no memory in the place of tau = 0.1: minus the best other tau",
                late(setting, "no-memory", best)?,
            ))
            .twin(level("log loss of the task, no memory minus Adam at its best rate", beside.forgetful))
            .note(format!(
                "Adam's best rate is {:.3}; the document names no winner; the best other discount is {best}",
                beside.rate
            ));
        let names = SHOWN.map(|(name, _)| name);
        Ok(Checked::from(with_again(setting, evidence, &names)?)
            .table(table(setting, "Discounts, late in training", &SHOWN)?)
            .table(adam_table(&beside)?)
            .figure(figure(setting, "τ = 0.1 ends lowest, no memory far above", &SHOWN)?))
    }
}
