//! Figure 16: Mnemosyne and the expert of its training.
//!
//! **Claim** (`mnemosyne/fig-16`). The expert, Adam with the rate 0.03 of meta-training, is substantially worse than both versions in all
//! cases, so Mnemosyne does not learn to imitate it.
//!
//! The first half is a comparison of losses and of accuracies in ten cases. The conclusion is asked of the updates themselves: how well do
//! they point along those that the expert would make of the same gradients, held against optimizers that learnt nothing but imitation. Refuted
//! by a case in which the expert is as good; updates as near to the expert's as those of an imitator.

use std::sync::Arc;

use workbench_display::Table;
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_optimizer::Optimizer;
use workbench_optimizer::score::{Purpose, Run, run as train};

use super::frozen_features::{
    At, Case, EXPERT, RUNS, STAND_INS, Version, WIDTHS, accuracies, adam, against, best, by_adam, by_case, case, cases,
    ends, learned, least,
};
use super::optimizer_laboratory::{
    BANK, KEPT, LOST, OPEN, RATE, SCALED, SIMILAR, TRAINED, lab, layout, logs, protocol, table_of, widest,
};
use crate::vocabulary::largest_of;

/// Both versions against their expert.
pub const CHECK: Check = Check {
    claim: "mnemosyne/fig-16",
    metric: "log validation loss at the end, the expert minus each version, and share of images that are right, each version minus the expert: the least of the ten cases; cosine of learned updates with the expert's, hybrid loss minus imitation alone",
    against: "a case in which the expert is as good, or in which it finds as many images; updates that point along the expert's as those of an imitator do",
    protocol: &["both versions, nothing tuned; Adam at the expert's rate 0.03"],
    choices: &[
        RUNS,
        "updates: clothes through the narrowest features, a hundred steps, the light cell by all its trainings at any scale, the expert given the same gradients",
    ],
    departures: &[
        STAND_INS,
        WIDTHS,
        SCALED,
        RATE,
        OPEN,
        LOST,
        BANK,
        "how much is substantial the text does not say: a tenth of the loss stands beside the sign; the figure prints gains that the text does not repeat",
    ],
    rivals: &["Adam at 0.03; light cells that were trained to imitate it and nothing else"],
    settled: "the least of the ten cases by twelve trainings on 32 draws, each case at a level for ten questions; the cosine by some fifteen trainings in place of twelve",
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let printed = s.printed(Margin::ZERO).of("draws").scaled_down();
    for version in Version::ALL {
        let name = version.name();
        let ahead = ahead(s, version, |at| by_adam(s, EXPERT, at))?;
        let label = format!("{name}: log loss of the expert minus its own, least of the ten cases");
        printed.at_least(label, ahead);
        let label = format!("{name}, by a tenth: log loss of the expert minus its own, least of the ten cases");
        s.aside(SIMILAR).of("draws").scaled_down().at_least(label, ahead);
        let label = format!("{name}: share right less that of the expert, least of the ten cases");
        printed.at_least(label, more(s, version)?);
    }
    let best = ahead(s, Version::Alone, |at| best(s, at))?;
    let label = "Adam at its best rate in the place of the expert: log loss minus that of Mnemosyne alone";
    s.aside(Margin::ZERO).of("draws").at_least(label, best);

    let nearer = |one, other| -> Result<Estimate, Failure> {
        let cosines =
            |recipe| -> Result<Vec<f64>, Failure> { Ok(along(s, recipe)?.iter().map(|one| one[0]).collect()) };
        Ok(paired_difference(&cosines(one)?, &cosines(other)?)?)
    };
    let label = "cosine with the expert's update, hybrid loss minus imitation alone";
    s.printed(Margin::ZERO).of("trainings").scaled_down().at_most(label, nearer("light", "imitation-only")?);
    let label = "imitation alone in the place of the hybrid loss: cosine, minus that without any imitation";
    s.twin(Margin::ZERO).of("trainings").at_most(label, nearer("imitation-only", "task-only")?);
    s.table(table(s)?);
    Ok(())
}

/// Log loss at the end, runs of Adam minus a version: the least of the cases.
fn ahead(
    setting: &Setting,
    version: Version,
    adam: impl Fn(At) -> Result<Arc<Vec<Run>>, Failure>,
) -> Result<Estimate, Failure> {
    least(&by_case(setting, |at| {
        Ok(against(&ends(setting, version, at)?, &logs(&adam(at)?, TRAINED))?.affine(-1.0, 0.0)?)
    })?)
}

/// Share of images that are right at the end, a version minus the expert: the least of the cases.
fn more(setting: &Setting, version: Version) -> Result<Estimate, Failure> {
    least(&by_case(setting, |at| {
        let (case, all) = (case(setting, at.0, at.1)?, learned(setting, version, at)?);
        let theirs = accuracies(&case, &by_adam(setting, EXPERT, at)?)?;
        widest(
            all.iter().map(|runs| -> Result<Estimate, Failure> {
                Ok(paired_difference(&accuracies(&case, runs)?, &theirs)?)
            }),
        )
    })?)
}

/// How updates lie to those of the expert on the same gradients, for each training of a recipe, on the fourth case: mean cosine, and mean
/// log of the ratio of sizes. All trainings at any scale, since six leave the order of imitators open.
fn along(setting: &Setting, recipe: &str) -> Result<Arc<Vec<[f64; 2]>>, Failure> {
    let at = cases(setting)[3];
    setting.shared(&format!("B.7.1: {recipe} beside the expert on {at:?}"), |own| {
        let case = case(own, at.0, at.1)?;
        let trainings = lab(own)?.bank.get(recipe)?.len() as u64;
        (0..trainings).map(|n| beside_the_expert(own, recipe, &case, n)).collect()
    })
}

fn beside_the_expert(setting: &Setting, recipe: &str, case: &Case, at: u64) -> Result<[f64; 2], Failure> {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let bank = lab(setting)?.bank.get(recipe)?;
    let mut rule = bank[at as usize].optimizer(layout(&case.task)?)?;
    let mut expert = adam(EXPERT, layout(&case.task)?)?;
    let (mut cosine, mut size) = (0.0, 0.0);
    train(&case.task, &protocol(TRAINED), (setting.streams(), Purpose::Evaluation, at), |_, theta, gradient| {
        let (before, mut theirs) = (theta.to_vec(), vec![0.0; theta.len()]);
        rule.step(theta, gradient)?;
        expert.step(&mut theirs, gradient)?;
        let ours: Vec<f64> = theta.iter().zip(&before).map(|(a, b)| a - b).collect();
        let sizes = [&ours, &theirs].map(|update| largest_of([norm(update), 1e-300]));
        let product: f64 = ours.iter().zip(&theirs).map(|(a, b)| a * b).sum();
        cosine += product / (sizes[0] * sizes[1]);
        size += (sizes[0] / sizes[1]).ln();
        Ok(())
    })?;
    Ok([cosine, size].map(|sum| sum / TRAINED as f64))
}

fn table(setting: &Setting) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    for (recipe, name) in [
        ("default", "cell of B.1, hybrid loss"),
        ("light", "light cell, hybrid loss"),
        ("task-only", "light cell, no imitation"),
        ("imitation-only", "light cell, imitation alone"),
    ] {
        let all = along(setting, recipe)?;
        let of = |part: usize| mean(&all.iter().map(|one| one[part]).collect::<Vec<f64>>());
        rows.push((name, vec![of(0)?.value, of(1)?.value.exp()]));
    }
    let headings = ["optimizer", "cosine with the expert's update", "size of the update over the expert's"];
    Ok(table_of(&headings, &rows)?
        .title("Learned updates beside those that Adam at 0.03 would make of the same gradients")
        .caption("Means over a hundred steps of last-layer tuning and over trainings.")
        .digits(3))
}
