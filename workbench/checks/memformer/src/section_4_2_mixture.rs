//! Section 4.2: the Gaussian mixture.
//!
//! **Claim** (`memformer/gmm-setup`). Means {2.5, 0, -1}, variances {0.5, 1, 2}, weights {0.2, 0.3, 0.5}; each of three heads specialises
//! in one component.
//!
//! Two readings: a *prompt* belongs to a component, as in Theorem 4.1, or each *token* does, as in samples of a mixture. Either way a
//! token has mean 0.2 * 2.5 - 0.5 = 0 and covariance 1.4 Sigma + 1.75 11^T. Samples of both are compared with the printed numbers.

use ndarray::Array2;
use workbench_display::{Table, columns};
use workbench_ground::stats::{Estimate, mean, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memformer::{GaussianMixture, Level, Prompts, answer_power};

use super::figures_9_and_10::READINGS;
use super::section_3_3::{DIM, EXAMPLES};
use super::section_4::of_run;
use super::section_4_2::rotated;
use crate::vocabulary::{EXACT, ROUNDING, apart, by_scale, largest};

const WEIGHTS: [f64; 3] = [0.2, 0.3, 0.5];
const MEANS: [f64; 3] = [2.5, 0.0, -1.0];
const VARIANCES: [f64; 3] = [0.5, 1.0, 2.0];

/// Samples of the mixture.
#[derive(Clone, Debug, Default)]
pub struct Mixture {
    /// Prompts of each reading; by scale if 0.
    pub prompts: usize,
}

/// One reading's samples; for each component its share, mean and variance over that of Sigma.
#[derive(Default)]
struct Reading {
    shares: Vec<Estimate>,
    means: Vec<Estimate>,
    variances: Vec<Estimate>,
    /// Product of two coordinates of a token.
    second: Option<Estimate>,
    /// Share of prompts whose tokens and target have one component.
    whole: f64,
}

impl Reading {
    /// One token of each prompt, so that draws are independent.
    fn of(setting: &Setting, mixture: &GaussianMixture, prompts: usize, k: usize) -> Result<Reading, Failure> {
        let mut stream = setting.streams().replicate("mixture draws", k)?;
        let drawn = mixture.draw(EXAMPLES, prompts, READINGS[k], &mut stream)?;
        let x = drawn.prompts.x();
        let mut seen = Reading::default();
        for (m, law) in mixture.components().iter().enumerate() {
            let own: Vec<usize> = (0..prompts).filter(|b| drawn.tokens[[*b, 0]] == m).collect();
            let centred = |b: &usize| (x[[*b, 0, 1]] - law.mean()[1]).powi(2);
            let variance = law.covariance()[[1, 1]] / VARIANCES[m];
            seen.shares.push(proportion(own.len(), prompts)?);
            seen.means.push(mean(&own.iter().map(|b| x[[*b, 0, 1]]).collect::<Vec<f64>>())?);
            seen.variances.push(mean(&own.iter().map(|b| centred(b) / variance).collect::<Vec<f64>>())?);
        }
        let products: Vec<f64> = (0..prompts).map(|b| x[[b, 0, 0]] * x[[b, 0, 1]]).collect();
        seen.second = Some(mean(&products)?);
        let one = |b: &usize| drawn.tokens.row(*b).iter().all(|m| *m == drawn.targets[*b]);
        seen.whole = (0..prompts).filter(one).count() as f64 / prompts as f64;
        Ok(seen)
    }
}

/// Intervals that do not hold their number.
fn misses<'a>(label: &str, lists: impl Iterator<Item = &'a Vec<Estimate>>, wanted: [f64; 3]) -> Finding {
    let (mut off, mut of) = (0, 0);
    for list in lists {
        off += list.iter().zip(wanted).filter(|(e, w)| !e.contains(*w)).count();
        of += list.len();
    }
    Finding::identity(label, off as f64, EXACT).cases(of).unit("intervals")
}

/// Prompts of a reading whose tokens and target do not share one component.
fn together(label: &str, reading: &Reading, prompts: usize) -> Finding {
    Finding::identity(label, ((1.0 - reading.whole) * prompts as f64).round(), EXACT).cases(prompts).unit("prompts")
}

impl TypedCheck for Mixture {
    const CLAIM: &'static str = "memformer/gmm-setup";
    const PLAN: Plan = Plan::new(
        "frequencies, means, variances and second moments of samples against the printed numbers; prompts whose tokens and target do not share one component",
        "an interval that misses its printed number; a prompt of the first reading with two components",
        &[EXACT, ROUNDING],
    )
    .protocol(&["a mean is taken for all coordinates, a variance as a factor of Σ; targets have the mean of the covariates (Theorem 4.1)"])
    .departures(&["both readings are drawn: a component for each prompt, or for each token"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        // The law of the first run of the trained components.
        let base = rotated(&of_run(setting, "mixture run", 0)?)?;
        let mixture = GaussianMixture::document(&base)?;
        let prompts = by_scale(self.prompts, setting.scale().pick(20_000, 100_000));
        let readings = (0..2).map(|k| Reading::of(setting, &mixture, prompts, k)).collect::<Result<Vec<_>, _>>()?;
        let formula = 1.4 * base.covariance() + 1.75 * Array2::<f64>::ones((DIM, DIM));
        let powers: Vec<f64> = mixture.components().iter().map(answer_power).collect();
        let mut stream = setting.stream("powers")?;
        let third = Prompts::draw(&mixture.components()[2], 1, prompts, &mut stream)?;
        let squared = mean(&third.answers().mapv(|a| a * a).to_vec())?;
        let moment = |label: &str, reading: &Reading, expected: f64| -> Result<Finding, Failure> {
            let measured = reading.second.ok_or("no sample was drawn")?;
            Ok(Finding::near(label, expected, 0.0, measured).unit("prompts"))
        };
        let covariance = mixture.covariance()[[0, 1]];
        let shares = || readings.iter().map(|r| &r.shares);
        let evidence = Evidence::of(misses("frequencies whose interval misses 0.2, 0.3, 0.5", shares(), WEIGHTS))
            .and(misses("means whose interval misses 2.5, 0, -1", readings.iter().map(|r| &r.means), MEANS))
            .and(misses(
                "variances over those of Σ whose interval misses 0.5, 1, 2",
                readings.iter().map(|r| &r.variances),
                VARIANCES,
            ))
            .and(moment("second moment of a token, by prompt, entry (1, 2)", &readings[0], covariance)?)
            .and(moment("second moment of a token, by token, entry (1, 2)", &readings[1], covariance)?)
            .and(Finding::near("E⟨w*, x⟩² of the third component", powers[2], 0.0, squared).unit("prompts"))
            .and(Finding::identity(
                "mean of the mixture, largest entry",
                largest(&mixture.mean().insert_axis(ndarray::Axis(0))),
                ROUNDING,
            ))
            .and(Finding::identity(
                "covariance of the mixture against 1.4 Σ + 1.75 11ᵀ",
                apart(&mixture.covariance(), &formula),
                ROUNDING,
            ))
            .and(together(
                "by prompt: prompts whose tokens and target do not share one component",
                &readings[0],
                prompts,
            ))
            .twin(together(
                "a component for each token, read as one for each prompt: prompts that do not share one",
                &readings[1],
                prompts,
            ))
            .twin(moment(
                "second moment without the spread of the means",
                &readings[0],
                1.4 * base.covariance()[[0, 1]],
            )?)
            .twin(misses("equal weights: frequencies whose interval misses 1/3", shares(), [1.0 / 3.0; 3]));
        Ok(Checked::from(evidence).table(table(&readings, &powers)?))
    }
}

fn table(readings: &[Reading], powers: &[f64]) -> Result<Table, Failure> {
    let value = |of: fn(&Reading) -> &Vec<Estimate>| -> Vec<f64> {
        readings.iter().flat_map(|r| of(r).iter().map(|e| e.value)).collect()
    };
    let name = |level: Level| match level {
        Level::Prompt => "by prompt",
        Level::Token => "by token",
    };
    let names: Vec<&str> = READINGS.iter().flat_map(|level| [name(*level); 3]).collect();
    let component: Vec<f64> = readings.iter().flat_map(|_| [1.0, 2.0, 3.0]).collect();
    let power: Vec<f64> = readings.iter().flat_map(|_| powers.to_vec()).collect();
    Ok(Table::new(columns(vec![
        ("reading", names.into()),
        ("component", component.into()),
        ("share", value(|r| &r.shares).into()),
        ("mean", value(|r| &r.means).into()),
        ("variance / Σ", value(|r| &r.variances).into()),
        ("E⟨w*, x⟩², exact", power.into()),
    ])?)
    .title("Samples of the mixture")
    .digits(3))
}
