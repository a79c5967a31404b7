//! Figure 16: Mnemosyne and the expert of its training.
//!
//! **Claim** (`mnemosyne/fig-16`). The expert, Adam with the rate 0.03 of meta-training, is substantially worse than both versions in all
//! cases, so Mnemosyne does not learn to imitate it.
//!
//! The first half is a comparison of losses and of accuracies in ten cases. The conclusion is asked of the updates themselves: how well do
//! they point along those that the expert would make of the same gradients, held against optimizers that learnt nothing but imitation. Against
//! it: a case in which the expert is as good; updates as near to the expert's as those of an imitator.

use std::sync::Arc;

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_optimizer::Optimizer;
use workbench_optimizer::score::{Purpose, run};

use super::section_b_1::{
    BANK, LOST, OPEN, RATE, SCALED, SIMILAR, TRAINED, lab, layout, logs, protocol, scaled_down, widest,
};
use super::section_b_7_1::{
    ByCase, Case, EXPERT, RUNS, Runs, STAND_INS, Version, WIDTHS, accuracies, adam, against, case, least,
};
use crate::vocabulary::largest_of;

/// Both versions against their expert.
#[derive(Clone, Debug, Default)]
pub struct Expert {
    /// Cases, length and number of the runs.
    pub runs: Runs,
}

/// How updates of a run lie to those of an expert on the same gradients: mean cosine, and mean log of the ratio of sizes.
#[derive(Clone, Copy, Debug)]
struct Along {
    cosine: f64,
    size: f64,
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// One training of a recipe on a case; the expert is given the same gradients.
fn along(setting: &Setting, recipe: &str, case: &Case, at: u64) -> Result<Along, Failure> {
    let bank = lab(setting)?.bank.get(recipe)?;
    let mut rule = bank[at as usize].optimizer(layout(&case.task)?)?;
    let mut expert = adam(EXPERT, layout(&case.task)?)?;
    let (mut cosine, mut size) = (0.0, 0.0);
    run(&case.task, &protocol(TRAINED), (setting.streams(), Purpose::Evaluation, at), |_, theta, gradient| {
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
    let steps = TRAINED as f64;
    Ok(Along { cosine: cosine / steps, size: size / steps })
}

impl Expert {
    /// Log loss at the end, Adam minus a version: the expert, or Adam at its best rate.
    fn ahead(&self, setting: &Setting, version: Version, best: bool) -> Result<ByCase, Failure> {
        let steps = self.runs.steps();
        self.runs.by_case(setting, |at| {
            let adam = match best {
                true => self.runs.best(setting, at)?,
                false => self.runs.adam(setting, EXPERT, at)?,
            };
            let versus = against(&self.runs.ends(setting, version, at)?, &logs(&adam, steps))?;
            Ok(versus.affine(-1.0, 0.0)?)
        })
    }

    /// Share of images that are right at the end, a version minus the expert.
    fn more(&self, setting: &Setting, version: Version) -> Result<ByCase, Failure> {
        self.runs.by_case(setting, |at| {
            let (case, expert) = (case(setting, at.0, at.1)?, self.runs.adam(setting, EXPERT, at)?);
            let (all, theirs) = (self.runs.learned(setting, version, at)?, accuracies(&case, &expert)?);
            let each = all.iter().map(|runs| Ok(paired_difference(&accuracies(&case, runs)?, &theirs)?));
            widest(&each.collect::<Result<Vec<_>, Failure>>()?)
        })
    }

    /// Of each training of a recipe, on the fourth case: all of them at any scale, since six leave the order of imitators open.
    fn alongs(&self, setting: &Setting, recipe: &str) -> Result<Arc<Vec<Along>>, Failure> {
        let at = self.runs.cases(setting)[3];
        let name = format!("B.7.1: {recipe} beside the expert, {} through {} features", at.0, at.1);
        setting.shared(&name, |own| {
            let case = case(own, at.0, at.1)?;
            let trainings = lab(own)?.bank.get(recipe)?.len() as u64;
            (0..trainings).map(|n| along(own, recipe, &case, n)).collect()
        })
    }

    /// Cosine with the expert's update, one recipe minus another, by training.
    fn nearer(&self, setting: &Setting, one: &str, other: &str) -> Result<Estimate, Failure> {
        let of = |recipe| -> Result<Vec<f64>, Failure> {
            Ok(self.alongs(setting, recipe)?.iter().map(|one| one.cosine).collect())
        };
        Ok(paired_difference(&of(one)?, &of(other)?)?)
    }

    fn table(&self, setting: &Setting) -> Result<Table, Failure> {
        let (mut names, mut cosines, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for (recipe, name) in [
            ("default", "cell of B.1, hybrid loss"),
            ("light", "light cell, hybrid loss"),
            ("task-only", "light cell, no imitation"),
            ("imitation-only", "light cell, imitation alone"),
        ] {
            let all = self.alongs(setting, recipe)?;
            names.push(name);
            cosines.push(mean(&all.iter().map(|one| one.cosine).collect::<Vec<f64>>())?.value);
            sizes.push(mean(&all.iter().map(|one| one.size).collect::<Vec<f64>>())?.value.exp());
        }
        let frame = columns(vec![
            ("optimizer", names.into()),
            ("cosine with the expert's update", cosines.into()),
            ("size of the update over the expert's", sizes.into()),
        ])?;
        Ok(Table::new(frame)
            .title("Learned updates beside those that Adam at 0.03 would make of the same gradients")
            .caption("Means over a hundred steps of last-layer tuning and over trainings.")
            .digits(3))
    }
}

impl TypedCheck for Expert {
    const CLAIM: &'static str = "mnemosyne/fig-16";
    const PLAN: Plan = Plan::new(
        "log validation loss at the end, the expert minus each version, and share of images that are right, each version minus the expert: the least of the ten cases; cosine of learned updates with the expert's, hybrid loss minus imitation alone",
        "a case in which the expert is not at least a tenth worse, or in which as many images are right; updates that point along the expert's as those of an imitator do",
        &[SIMILAR],
    )
    .protocol(&[RUNS, "updates: clothes through the narrowest features, a hundred steps, the light cell by all its trainings at any scale, the expert given the same gradients"])
    .departures(&[STAND_INS, WIDTHS, SCALED, RATE, OPEN, LOST, BANK, "substantially is read as a tenth of the loss; the figure prints gains that the text does not repeat"])
    .rivals(&["Adam at 0.03; light cells that were trained to imitate it and nothing else"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut findings = Vec::new();
        for version in Version::ALL {
            findings.push(
                Finding::at_least(
                    format!("{}: log loss of the expert minus its own, least of the ten cases", version.name()),
                    SIMILAR,
                    least(&self.ahead(setting, version, false)?)?,
                )
                .unit("draws"),
            );
        }
        findings.push(
            Finding::at_most(
                "cosine with the expert's update, hybrid loss minus imitation alone",
                0.0,
                self.nearer(setting, "light", "imitation-only")?,
            )
            .unit("trainings"),
        );
        for version in Version::ALL {
            findings.push(
                Finding::at_least(
                    format!("{}: share right less that of the expert, least of the ten cases", version.name()),
                    0.0,
                    least(&self.more(setting, version)?)?,
                )
                .unit("draws"),
            );
        }
        let best = least(&self.ahead(setting, Version::Alone, true)?)?;
        let evidence = scaled_down(findings)?
            .twin(
                Finding::at_least(
                    "Adam at its best rate in the place of the expert: log loss minus that of Mnemosyne alone",
                    SIMILAR,
                    best,
                )
                .unit("draws"),
            )
            .twin(
                Finding::at_most(
                    "imitation alone in the place of the hybrid loss: cosine, minus that without any imitation",
                    0.0,
                    self.nearer(setting, "imitation-only", "task-only")?,
                )
                .unit("trainings"),
            );
        Ok(Checked::from(evidence).table(self.table(setting)?))
    }
}
