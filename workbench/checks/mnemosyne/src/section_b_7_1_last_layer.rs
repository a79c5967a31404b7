//! B.7.1: Mnemosyne on the last layer.
//!
//! **Claim** (`mnemosyne/b7-1-last-layer`). Coordinate-wise Mnemosyne fine-tunes the last layer of three sizes of ViT on three data sets; the
//! expert of its meta-training is Adam at 0.03, not tuned.
//!
//! Two parts. What is done: only the last layer moves. That it works: over the ten cases the loss falls, under optimizers that were finished
//! before. The paragraph prints no result of a single case, so the worst of them stands beside the mean. Refuted by a frozen number that
//! changes, a loss that does not fall. What the check stands on: a last layer on fixed features has the gradient that it has in the network,
//! classes are learnt in each case, and the expert's rate is in the recipe before any last layer is seen.

use workbench_display::Table;
use workbench_ground::stats::{Estimate, Stream, paired_difference};
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_optimizer::bank::Recipe;
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::{Groups, Optimizer, Rule};

use super::frozen_features::{
    Below, Case, EXPERT, RECIPE, RUNS, STAND_INS, Version, WIDTHS, accuracies, adam, beyond, by_case, case, cases,
    falls, largest, learned, least, middle, uphill,
};
use super::optimizer_laboratory::{BANK, KEPT, LOST, OPEN, RATE, SCALED, TRAINED, lab, layout, logs, table_of, widest};
use crate::vocabulary::{ROUNDING, largest_of};

/// Last layers by Mnemosyne.
pub const CHECK: Check = Check {
    claim: "mnemosyne/b7-1-last-layer",
    metric: "log validation loss at the end minus that at the start, mean of the ten cases; share that is right less that of the commonest class, each of them; frozen numbers that change; gradient in the network against that on features",
    against: "a loss that does not fall over the ten cases; a frozen number that changes",
    protocol: &["the last layer alone, by the coordinate-wise rule; an expert at 0.03 that is not tuned"],
    choices: &[
        RUNS,
        "last layers begin anew: the text does not say how they begin",
        "the optimizers were finished before and nothing about them is chosen here",
    ],
    departures: &[STAND_INS, WIDTHS, SCALED, RATE, OPEN, LOST, BANK],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.shared_draw(KEPT);
    let together = middle(s, |at| {
        Ok(learned(s, Version::Alone, at)?.iter().map(|runs| beyond(&logs(runs, TRAINED), &logs(runs, 0))).collect())
    })?;
    let label = "log loss at the end minus that at the start, mean of the ten cases";
    s.printed(Margin::ZERO).of("draws").scaled_down().at_most(label, together);
    let beside = s.aside(Margin::ZERO).of("draws").scaled_down();
    let label = "log loss at the end minus that at the start, largest of the ten cases";
    beside.at_most(label, largest(&falls(s, Version::Alone)?)?);
    let label = "share right, less the commonest class, least of the ten cases";
    s.support(Margin::ZERO).of("draws").at_least(label, least(&learnt(s)?)?);
    let label = "gradients with the wrong sign: log loss at the end minus that at the start";
    s.twin(Margin::ZERO).at_most(label, uphill(s, Version::Alone)?);

    let first = cases(s)[0];
    let (case, mut stream) = (case(s, first.0, first.1)?, s.stream("one gradient")?);
    let below = case.below.as_ref().ok_or("the first case has its network")?;
    let label = "frozen numbers that change in ten steps of the whole network";
    s.printed(Margin::ZERO).over(below.body, "numbers").same(label, moved(s, below, Rule::Frozen)?);
    let by_adam = moved(s, below, Rule::by(|own| adam(EXPERT, own)))?;
    s.twin(Margin::ZERO).same("body given to Adam: its numbers that change", by_adam);
    let label = "gradient of the last layer in the network against that on fixed features, relative";
    s.support(ROUNDING).same(label, apart(&case, below, &below.frozen[..below.body], &mut stream.clone())?);
    let fresh = below.whole.start(&mut s.stream("another network")?);
    let wrong = apart(&case, below, &fresh[..below.body], &mut stream)?;
    s.twin(ROUNDING).same("features of a network that was not trained: gradient off by", wrong);
    let rate = Recipe::named(RECIPE)?.training.objective.expert.rate;
    s.support(Margin::ZERO).same("expert's rate in the recipe less 0.03", (rate - EXPERT).abs());
    s.table(table(s)?);
    Ok(())
}

/// Share of validation images that are right at the end, less that of the commonest class.
fn learnt(setting: &Setting) -> Result<Vec<Estimate>, Failure> {
    by_case(setting, |at| {
        let (case, all) = (case(setting, at.0, at.1)?, learned(setting, Version::Alone, at)?);
        let guess = commonest(&case)?;
        widest(all.iter().map(|runs| -> Result<Estimate, Failure> {
            let right = accuracies(&case, runs)?;
            Ok(paired_difference(&right, &vec![guess; right.len()])?)
        }))
    })
}

/// The share of the commonest class among the validation images.
fn commonest(case: &Case) -> Result<f64, Failure> {
    let all = case.task.all(Split::Validation).ok_or("images have a validation part")?;
    let mut counts = [0usize; 10];
    all.targets.iter().for_each(|target| counts[target.class] += 1);
    Ok(counts.into_iter().max().unwrap_or(0) as f64 / all.targets.len() as f64)
}

/// The largest difference between the gradient of the last layer in a network with this body and that on fixed features, for one start and
/// one batch of the same images, as a part of the largest entry.
fn apart(case: &Case, below: &Below, body: &[f64], stream: &mut Stream) -> Result<f64, Failure> {
    let last = case.task.start(stream);
    let whole = [body, &last].concat();
    let mut other = stream.clone();
    let (features, images) = (case.task.batch(Split::Training, stream), below.whole.batch(Split::Training, &mut other));
    let (mut on_features, mut in_network) = (vec![0.0; last.len()], vec![0.0; whole.len()]);
    case.task.gradient(&last, &features, &mut on_features)?;
    below.whole.gradient(&whole, &images, &mut in_network)?;
    let in_network = &in_network[below.body..];
    let off = largest_of(on_features.iter().zip(in_network).map(|(a, b)| (a - b).abs()));
    Ok(off / largest_of(in_network.iter().map(|b| b.abs())).max(f64::MIN_POSITIVE))
}

/// Numbers of the body that change in ten steps of the whole network under a rule.
fn moved(setting: &Setting, below: &Below, body: Rule) -> Result<f64, Failure> {
    let trained = lab(setting)?.bank.get(RECIPE)?;
    let rules = vec![("layers.0.*", body), ("layers.1.*", Rule::By(Box::new(|own| trained[0].optimizer(own))))];
    let mut groups = Groups::new(layout(&below.whole)?, rules)?;
    let (mut theta, mut gradient) = (below.frozen.clone(), vec![0.0; below.frozen.len()]);
    let mut stream = setting.streams().restart("ten steps of the whole network")?;
    for _ in 0..10 {
        let batch = below.whole.batch(Split::Training, &mut stream);
        below.whole.gradient(&theta, &batch, &mut gradient)?;
        groups.step(&mut theta, &gradient)?;
    }
    let pairs = theta.iter().zip(&below.frozen).take(below.body);
    Ok(pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64)
}

fn table(setting: &Setting) -> Result<Table, Failure> {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let mut rows = Vec::new();
    for at in cases(setting) {
        let (case, all) = (case(setting, at.0, at.1)?, learned(setting, Version::Alone, at)?);
        let at_step = |step| mean(all.iter().flat_map(|runs| logs(runs, step)).collect()).exp();
        let right = all.iter().map(|runs| accuracies(&case, runs)).collect::<Result<Vec<_>, _>>()?;
        rows.push((at.0, vec![at.1 as f64, at_step(0), at_step(TRAINED), mean(right.concat())]));
    }
    let headings = ["data", "features", "loss at the start", "loss at the end", "share right at the end"];
    Ok(table_of(&headings, &rows)?
        .title("Last layers under an optimizer that has seen none: validation loss and share that is right")
        .caption("Geometric means of the loss, means of the share, over trainings and draws.")
        .digits(3))
}
