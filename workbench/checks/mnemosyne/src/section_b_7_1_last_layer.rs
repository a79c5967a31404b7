//! B.7.1: Mnemosyne on the last layer.
//!
//! **Claim** (`mnemosyne/b7-1-last-layer`). Coordinate-wise Mnemosyne fine-tunes the last layer of three sizes of ViT on three data sets; the
//! expert of its meta-training is Adam at 0.03, not tuned.
//!
//! Two parts. What is done: only the last layer moves, which is the same as training one layer on fixed features; and the expert's rate is
//! in the recipe before any last layer is seen. That it works: the loss falls in each of the ten cases, under optimizers that were finished
//! before. Against it: a frozen number that changes, another gradient on features than in the network, a case in which the loss does not
//! fall or no class is learnt.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, Stream, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::bank::Recipe;
use workbench_optimizer::task::{Split, Task};
use workbench_optimizer::{Groups, Optimizer, Rule};

use super::section_b_1::{BANK, LOST, OPEN, RATE, SCALED, lab, layout, logs, runs, scaled_down, times, widest};
use super::section_b_7_1::{
    Below, ByCase, Case, EXPERT, RECIPE, RUNS, Runs, STAND_INS, Version, WIDTHS, accuracies, adam, case, largest, least,
};
use crate::vocabulary::{Largest, ROUNDING};

/// Last layers by Mnemosyne.
#[derive(Clone, Debug, Default)]
pub struct LastLayer {
    /// Cases, length and number of the runs.
    pub runs: Runs,
}

/// Starts of the last layer, and a batch of the same images through network and features.
fn gradients(case: &Case, below: &Below, body_of: &[f64], stream: &mut Stream) -> Result<[Vec<f64>; 2], Failure> {
    let last = case.task.start(stream);
    let whole = [body_of, &last].concat();
    let mut other = stream.clone();
    let (features, images) = (case.task.batch(Split::Training, stream), below.whole.batch(Split::Training, &mut other));
    let (mut on_features, mut in_network) = (vec![0.0; last.len()], vec![0.0; whole.len()]);
    case.task.gradient(&last, &features, &mut on_features)?;
    below.whole.gradient(&whole, &images, &mut in_network)?;
    Ok([on_features, in_network.split_off(below.body)])
}

/// The largest difference of two gradients, as a part of the largest entry.
fn apart(pair: &[Vec<f64>; 2]) -> f64 {
    let (mut off, mut size) = (Largest::default(), Largest::default());
    for (a, b) in pair[0].iter().zip(&pair[1]) {
        off.see((a - b).abs());
        size.see(b.abs());
    }
    off.0 / size.0.max(f64::MIN_POSITIVE)
}

/// Numbers of the body that change in ten steps of the whole network, with the body frozen or given to Adam.
fn moved(setting: &Setting, below: &Below, frozen: bool) -> Result<f64, Failure> {
    let trained = lab(setting)?.bank.get(RECIPE)?;
    let rules = vec![
        ("layers.0.*", if frozen { Rule::Frozen } else { Rule::by(|own| adam(EXPERT, own)) }),
        ("layers.1.*", Rule::By(Box::new(|own| trained[0].optimizer(own)))),
    ];
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

impl LastLayer {
    /// Change of the log loss from start to end, trainings apart.
    fn falls(&self, setting: &Setting) -> Result<ByCase, Failure> {
        let steps = self.runs.steps();
        self.runs.by_case(setting, |at| {
            let all = self.runs.learned(setting, Version::Alone, at)?;
            let each = all.iter().map(|runs| Ok(paired_difference(&logs(runs, steps), &logs(runs, 0))?));
            widest(&each.collect::<Result<Vec<_>, Failure>>()?)
        })
    }

    /// Share of validation images that are right at the end, less that of the commonest class.
    fn learnt(&self, setting: &Setting) -> Result<ByCase, Failure> {
        self.runs.by_case(setting, |at| {
            let case = case(setting, at.0, at.1)?;
            let all = self.runs.learned(setting, Version::Alone, at)?;
            let guess = commonest(&case)?;
            let each = all.iter().map(|runs| {
                let right = accuracies(&case, runs)?;
                Ok(paired_difference(&right, &vec![guess; right.len()])?)
            });
            widest(&each.collect::<Result<Vec<_>, Failure>>()?)
        })
    }

    /// The same change in the first case when the gradients have the wrong sign.
    fn uphill(&self, setting: &Setting) -> Result<Estimate, Failure> {
        let (bank, at) = (lab(setting)?.bank.get(RECIPE)?, self.runs.cases(setting)[0]);
        let (case, steps) = (case(setting, at.0, at.1)?, self.runs.steps());
        let make = |seed: u64| Ok(times(bank[seed as usize].optimizer(layout(&case.task)?)?, -1.0));
        let found = runs(setting, &case.task, steps, bank.len() as u64, make)?;
        Ok(paired_difference(&logs(&found, steps), &logs(&found, 0))?)
    }

    fn table(&self, setting: &Setting) -> Result<Table, Failure> {
        let (steps, mut names) = (self.runs.steps(), Vec::new());
        let (mut widths, mut before, mut after, mut right) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for at in self.runs.cases(setting) {
            let (case, all) = (case(setting, at.0, at.1)?, self.runs.learned(setting, Version::Alone, at)?);
            let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
            let at_step = |step| mean(all.iter().flat_map(|runs| logs(runs, step)).collect()).exp();
            let shares = all.iter().map(|runs| accuracies(&case, runs));
            names.push(at.0);
            widths.push(at.1 as f64);
            before.push(at_step(0));
            after.push(at_step(steps));
            right.push(mean(shares.collect::<Result<Vec<_>, _>>()?.concat()));
        }
        let frame = columns(vec![
            ("data", names.into()),
            ("features", widths.into()),
            ("loss at the start", before.into()),
            ("loss at the end", after.into()),
            ("share right at the end", right.into()),
        ])?;
        Ok(Table::new(frame)
            .title("Last layers under an optimizer that has seen none: validation loss and share that is right")
            .caption("Geometric means of the loss, means of the share, over trainings and draws.")
            .digits(3))
    }
}

/// The share of the commonest class among the validation images.
fn commonest(case: &Case) -> Result<f64, Failure> {
    let all = case.task.all(Split::Validation).ok_or("images have a validation part")?;
    let mut counts = [0usize; 10];
    all.targets.iter().for_each(|target| counts[target.class] += 1);
    Ok(counts.into_iter().max().unwrap_or(0) as f64 / all.targets.len() as f64)
}

impl TypedCheck for LastLayer {
    const CLAIM: &'static str = "mnemosyne/b7-1-last-layer";
    const PLAN: Plan = Plan::new(
        "log validation loss at the end minus that at the start, and share that is right less that of the commonest class, each of the ten cases; frozen numbers that change; gradient in the network against that on features",
        "a case in which the loss does not fall or no class is learnt; a frozen number that changes; another gradient",
        &[ROUNDING],
    )
    .protocol(&[RUNS, "the optimizers were finished before and nothing about them is chosen here"])
    .departures(&[STAND_INS, WIDTHS, SCALED, RATE, OPEN, LOST, BANK]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let first = self.runs.cases(setting)[0];
        let (case, mut stream) = (case(setting, first.0, first.1)?, setting.stream("one gradient")?);
        let below = case.below.as_ref().ok_or("the first case has its network")?;
        let right = apart(&gradients(&case, below, &below.frozen[..below.body], &mut stream.clone())?);
        let fresh = below.whole.start(&mut setting.stream("another network")?);
        let wrong = apart(&gradients(&case, below, &fresh[..below.body], &mut stream)?);
        let rate = Recipe::named(RECIPE)?.training.objective.expert.rate;
        let falls = self.falls(setting)?;
        let evidence = scaled_down(vec![
            Finding::at_most(
                "log loss at the end minus that at the start, largest of the ten cases",
                0.0,
                largest(&falls)?,
            )
            .unit("draws"),
            Finding::at_least(
                "share right, less the commonest class, least of the ten cases",
                0.0,
                least(&self.learnt(setting)?)?,
            )
            .unit("draws"),
        ])?
        .and(count("frozen numbers that change in ten steps of the whole network", moved(setting, below, true)?))
        .and(Finding::identity(
            "gradient of the last layer in the network against that on fixed features, relative",
            right,
            ROUNDING,
        ))
        .and(count("expert's rate in the recipe less 0.03", (rate - EXPERT).abs()))
        .twin(Finding::at_most(
            "gradients with the wrong sign: log loss at the end minus that at the start",
            0.0,
            self.uphill(setting)?,
        ))
        .twin(count("body given to Adam: its numbers that change", moved(setting, below, false)?))
        .twin(Finding::identity(
            "features of a network that was not trained: gradient off by",
            wrong,
            ROUNDING,
        ));
        Ok(Checked::from(evidence).table(self.table(setting)?))
    }
}

fn count(label: &str, number: f64) -> Finding {
    Finding::identity(label, number, 0.0)
}
