//! B.7.1: Mnemosyne on the matrix, Adam on the bias.
//!
//! **Claim** (`mnemosyne/b7-1-hybrid`). Two versions: Mnemosyne alone on the last layer, and a hybrid in which Mnemosyne updates its matrix
//! and Adam with $\eta=e^{-3}$ its bias. Used purely within Adam that rate is not the best, and neither is the expert's 0.03.
//!
//! The document writes $3e^{-4}$ for $3\cdot10^{-4}$ elsewhere, so $e^{-3}$ is read twice, as 0.0498 and as 0.001. Against it: a number
//! of the matrix that Mnemosyne alone would move otherwise, or one of the bias that Adam would; a version that does not lower the loss; Adam at
//! one of these rates as good as at its best.

use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, Stream, mean, paired_difference};
use workbench_ledger::{Checked, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_optimizer::bank::Trained;
use workbench_optimizer::{Error, Groups, Layout, Optimizer, Rule};

use super::section_b_1::{BANK, LOST, OPEN, RATE, SCALED, lab, layout, logs, runs, scaled_down, times, widest};
use super::section_b_7_1::{
    ByCase, EXPERT, LITERAL, POWER_OF_TEN, RECIPE, RUNS, Runs, STAND_INS, TUNED, Version, WIDTHS, adam, against, case,
    largest, least, rate_name,
};

/// When a rate is not the best.
pub const WORSE: Margin = Margin::new(
    "a hundredth of the loss",
    0.01,
    "a curve that is less than a hundredth above the best one lies on it in any figure",
);

/// Both versions, and Adam at the rate of the bias.
#[derive(Clone, Debug, Default)]
pub struct Hybrid {
    /// Cases, length and number of the runs.
    pub runs: Runs,
}

const SHAPE: [(&str, &[usize]); 2] = [("layers.0.weight", &[10, 24]), ("layers.0.bias", &[10])];

fn shape(parts: &[(&str, &[usize])]) -> Result<Layout, Error> {
    Layout::of(parts)
}

/// Twenty gradients of a layer, of many sizes.
fn gradients(stream: &mut Stream) -> Vec<Vec<f64>> {
    let one = |stream: &mut Stream| (0..250).map(|_| stream.normal() * (-6.0 * stream.uniform()).exp()).collect();
    (0..20).map(|_| one(stream)).collect()
}

/// The parameters after these gradients, from zero.
fn walk(rule: &mut dyn Optimizer, gradients: &[Vec<f64>], part: std::ops::Range<usize>) -> Result<Vec<f64>, Failure> {
    let mut theta = vec![0.0; part.len()];
    for gradient in gradients {
        rule.step(&mut theta, &gradient[part.clone()])?;
    }
    Ok(theta)
}

fn unlike(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a.to_bits() != b.to_bits()).count() as f64
}

/// Numbers of matrix and of bias at which a rule differs from Mnemosyne alone and from Adam alone.
fn differing(
    rule: &mut dyn Optimizer,
    trained: &Trained,
    rate: f64,
    gradients: &[Vec<f64>],
) -> Result<[f64; 2], Failure> {
    let (matrix, bias) = (0..240, 240..250);
    let both = walk(rule, gradients, 0..250)?;
    let mut ours = trained.optimizer(shape(&SHAPE[..1])?)?;
    let mut theirs = adam(rate, shape(&SHAPE[1..])?)?;
    Ok([
        unlike(&both[matrix.clone()], &walk(&mut ours, gradients, matrix)?),
        unlike(&both[bias.clone()], &walk(&mut theirs, gradients, bias)?),
    ])
}

/// The hybrid the wrong way round: Adam on the matrix, Mnemosyne on the bias.
fn exchanged(trained: &Trained, rate: f64) -> Result<Groups, Failure> {
    let rules = vec![
        ("*.weight", Rule::by(move |own| adam(rate, own))),
        ("*.bias", Rule::By(Box::new(|own| trained.optimizer(own)))),
    ];
    Ok(Groups::new(shape(&SHAPE)?, rules)?)
}

impl Hybrid {
    /// Change of the log loss from start to end.
    fn falls(&self, setting: &Setting, version: Version) -> Result<ByCase, Failure> {
        let steps = self.runs.steps();
        self.runs.by_case(setting, |at| {
            let all = self.runs.learned(setting, version, at)?;
            let each = all.iter().map(|runs| Ok(paired_difference(&logs(runs, steps), &logs(runs, 0))?));
            widest(&each.collect::<Result<Vec<_>, Failure>>()?)
        })
    }

    /// The same change in the first case when both rules see gradients with the wrong sign.
    fn uphill(&self, setting: &Setting) -> Result<Estimate, Failure> {
        let (bank, at) = (lab(setting)?.bank.get(RECIPE)?, self.runs.cases(setting)[0]);
        let (case, steps) = (case(setting, at.0, at.1)?, self.runs.steps());
        let make = |seed: u64| {
            let rule = Version::Hybrid(LITERAL).rule(&bank[seed as usize], layout(&case.task)?)?;
            Ok(times(rule, -1.0))
        };
        let found = runs(setting, &case.task, steps, bank.len() as u64, make)?;
        Ok(paired_difference(&logs(&found, steps), &logs(&found, 0))?)
    }

    /// Log loss of Adam at a rate minus that at its best.
    fn behind(&self, setting: &Setting, rate: f64) -> Result<ByCase, Failure> {
        let steps = self.runs.steps();
        self.runs.by_case(setting, |at| {
            let (plain, best) = (self.runs.adam(setting, rate, at)?, self.runs.best(setting, at)?);
            Ok(paired_difference(&logs(&plain, steps), &logs(&best, steps))?)
        })
    }

    fn table(&self, setting: &Setting) -> Result<Table, Failure> {
        let steps = self.runs.steps();
        let (mut names, mut numbers): (Vec<&str>, [Vec<f64>; 8]) = (Vec::new(), Default::default());
        for at in self.runs.cases(setting) {
            let loss = |values: Vec<f64>| -> Result<f64, Failure> { Ok(mean(&values)?.value.exp()) };
            let mut row = vec![at.1 as f64];
            for version in Version::ALL {
                row.push(loss(self.runs.ends(setting, version, at)?.concat())?);
            }
            for rate in [LITERAL, POWER_OF_TEN] {
                row.push(loss(logs(&self.runs.adam(setting, rate, at)?, steps))?);
            }
            row.push(loss(logs(&self.runs.best(setting, at)?, steps))?);
            row.push(self.runs.tuned(setting, at)?.best);
            names.push(at.0);
            numbers.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        let [widths, alone, literal, ten, adam, adam_ten, best, rate] = numbers;
        let frame = columns(vec![
            ("data", names.into()),
            ("features", widths.into()),
            ("Mnemosyne alone", alone.into()),
            ("hybrid, e⁻³", literal.into()),
            ("hybrid, 0.001", ten.into()),
            ("Adam, e⁻³", adam.into()),
            ("Adam, 0.001", adam_ten.into()),
            ("Adam, best", best.into()),
            ("its rate", rate.into()),
        ])?;
        Ok(Table::new(frame)
            .title("Validation loss at the end of last-layer tuning: both versions, and Adam at the rate of the bias")
            .caption("Geometric means over trainings and draws.")
            .digits(3))
    }
}

impl TypedCheck for Hybrid {
    const CLAIM: &'static str = "mnemosyne/b7-1-hybrid";
    const PLAN: Plan = Plan::new(
        "numbers of matrix and bias that differ, bit for bit, from Mnemosyne alone and Adam alone on the same gradients; log validation loss at the end, minus the start and Adam minus Adam at its best",
        "a number that another rule than the named one moves; a version that does not lower the loss; Adam at the rate of the bias or of the expert as good as at its best",
        &[WORSE],
    )
    .protocol(&[RUNS, "both readings of the printed rate, 0.0498 and 0.001; 0.03 for the expert"])
    .departures(&[STAND_INS, WIDTHS, SCALED, RATE, OPEN, LOST, BANK])
    .rivals(&[TUNED]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let bank = lab(setting)?.bank.get(RECIPE)?;
        let (trained, seen) = (&bank[0], gradients(&mut setting.stream("gradients of a layer")?));
        let mut findings = Vec::new();
        for rate in [EXPERT, LITERAL, POWER_OF_TEN] {
            let behind = self.behind(setting, rate)?;
            findings.push(
                Finding::at_least(
                    format!(
                        "Adam at {}: log loss minus that at its best rate, least of the ten cases",
                        rate_name(rate)
                    ),
                    WORSE,
                    least(&behind)?,
                )
                .unit("draws"),
            );
        }
        for version in Version::ALL {
            findings.push(
                Finding::at_most(
                    format!(
                        "{}: log loss at the end minus that at the start, largest of the ten cases",
                        version.name()
                    ),
                    0.0,
                    largest(&self.falls(setting, version)?)?,
                )
                .unit("draws"),
            );
        }
        let mut evidence = scaled_down(findings)?;
        for rate in [LITERAL, POWER_OF_TEN] {
            let mut rule = Version::Hybrid(rate).rule(trained, shape(&SHAPE)?)?;
            let [matrix, bias] = differing(&mut rule, trained, rate, &seen)?;
            let name = rate_name(rate);
            evidence = evidence
                .and(count(
                    &format!("rate {name}: numbers of the matrix that Mnemosyne alone would move otherwise"),
                    matrix,
                ))
                .and(count(&format!("rate {name}: numbers of the bias that Adam alone would move otherwise"), bias));
        }
        let [matrix, bias] = differing(&mut exchanged(trained, LITERAL)?, trained, LITERAL, &seen)?;
        let apart = self.runs.by_case(setting, |at| {
            let alone = self.runs.ends(setting, Version::Alone, at)?.concat();
            against(&[self.runs.ends(setting, Version::Hybrid(POWER_OF_TEN), at)?.concat()], &alone)
        })?;
        let evidence = evidence
            .twin(count("rules exchanged: numbers of the matrix moved otherwise", matrix))
            .twin(count("rules exchanged: numbers of the bias moved otherwise", bias))
            .twin(
                Finding::at_most(
                    "the hybrid on gradients with the wrong sign: log loss at the end minus that at the start",
                    0.0,
                    self.uphill(setting)?,
                )
                .unit("trainings"),
            )
            .note(format!(
                "the hybrid with rate 0.001 differs from Mnemosyne alone by {:.3} to {:.3} in the log loss over the ten cases",
                least(&apart)?.value,
                largest(&apart)?.value
            ));
        Ok(Checked::from(evidence).table(self.table(setting)?))
    }
}

fn count(label: &str, number: f64) -> Finding {
    Finding::identity(label, number, 0.0)
}
