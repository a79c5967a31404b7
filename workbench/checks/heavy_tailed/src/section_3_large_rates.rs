//! Section 3, Effect of key hyperparameters: large learning rates.
//!
//! **Claim** (`heavy-tailed/large-learning-rate`). For d > N, Eq. 11 and the resulting q_gamma show that a large learning rate gamma is
//! beneficial. The same holds for limited capacity, d < N, although interference breaks the approximation of Eq. 10.
//!
//! Large and small are the rates of Figures 3 and 4: 10 and 1 against 0.1, and at one place 0.001. The sentence points at Figure 5, left,
//! so the same descents as in `heavy-tailed/fig-5-left` are read, after 1000 and after 10^4 samples. A higher error at the larger of two of
//! these rates counts against it, and an Eq. 11 that is as near to descent for d < N as for d > N against its last part. Since Eq. 11
//! itself is to show it for d > N, the memory that it leaves is asked as well, at both rates.

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Method, Parametrization, TrainingStudy};

use super::section_3_hyperparameters::{SAMPLES, StepSizes, at_rate, figure_5, higher, lower, of_inputs, study};
use crate::vocabulary::by_scale;

/// Descents with the step sizes of Figure 4.
#[derive(Clone, Debug, Default)]
pub struct LargeRates {
    /// The sweep.
    pub sweep: StepSizes,
    /// Runs of descent beside Eq. 11; by scale if 0.
    pub beside: usize,
}

/// Positions of the rates 0.001, 0.1, 1 and 10 in the sweep.
const TINY: usize = 0;
const SMALL: usize = 1;
const ONE: usize = 2;
const BIG: usize = 3;
/// Comparisons at d = N/10 that share the level, as in Figure 5, left.
const AMONG: usize = 17;
/// Methods that are set side by side.
const DESCENT: &str = "descent";
const IDEAL: &str = "Eq. 11";

impl LargeRates {
    /// Error of Eq. 11 minus that of descent at rate 1 from W = 0, for d = N/10 and d = 10N; and the first minus the second.
    fn approximation(&self, setting: &Setting) -> Result<[Estimate; 3], Failure> {
        let (law, target) = figure_5()?;
        let runs = TrainingStudy::new(law, target)
            .methods(vec![
                Method::sgd(1.0)?.steps(SAMPLES).label(DESCENT),
                Method::ideal(1.0, 5)?.steps(SAMPLES).label(IDEAL),
            ])
            .dims(vec![10, 1000])
            .runs(by_scale(self.beside, setting.scale().pick(50, 200)))
            .parametrization(Parametrization::Unit)
            .run(setting.streams(), "beside Eq. 11")?;
        let gaps = |d: usize| -> Result<Vec<f64>, Failure> {
            let (descent, ideal) = (runs.final_errors(DESCENT, d)?, runs.final_errors(IDEAL, d)?);
            Ok(ideal.iter().zip(&descent).map(|(a, b)| a - b).collect())
        };
        Ok([
            runs.difference(IDEAL, DESCENT, 10)?,
            runs.difference(IDEAL, DESCENT, 1000)?,
            paired_difference(&gaps(10)?, &gaps(1000)?)?,
        ])
    }
}

impl LargeRates {
    /// Errors of the memories that Eq. 11 leaves, at the big rate minus at the small one, for d = 2N and d = 10N.
    fn by_equation_11(&self, setting: &Setting) -> Result<Vec<Finding>, Failure> {
        let (law, target) = figure_5()?;
        let (rates, dims, reads) = (self.sweep.rates, [200, 1000], self.sweep.samples);
        let method = |rate: f64| -> Result<Method, Failure> {
            let method = Method::ideal(rate, 5)?.steps(reads[1]).without_moments();
            Ok(method.record(reads.to_vec()).label(&at_rate(rate)))
        };
        let runs = TrainingStudy::new(law, target)
            .methods(vec![method(rates[BIG])?, method(rates[SMALL])?])
            .dims(dims.to_vec())
            .runs(by_scale(self.beside, setting.scale().pick(30, 100)))
            .parametrization(Parametrization::Unit)
            .run(setting.streams(), "by Eq. 11")?;
        let mut found = Vec::new();
        for d in dims {
            let errors = |rate: f64| runs.errors(&at_rate(rate), d);
            let (big, small) = (errors(rates[BIG])?, errors(rates[SMALL])?);
            for (read, samples) in reads.into_iter().enumerate() {
                let (big, small) = (big.column(read).to_vec(), small.column(read).to_vec());
                let label = format!(
                    "by Eq. 11, {}, {samples} samples: γ = {} minus γ = {}",
                    of_inputs(d),
                    rates[BIG],
                    rates[SMALL]
                );
                found.push(lower(label, paired_difference(&big, &small)?));
            }
        }
        Ok(found)
    }

    /// Error at rate 10 minus that at 1 for d = N/5 after 10^4 samples, from more runs than the sweep has.
    fn at_a_fifth(&self, setting: &Setting) -> Result<Estimate, Failure> {
        let sweep = &self.sweep;
        let method = |rate: f64| -> Result<Method, Failure> {
            let method = Method::sgd(rate)?.steps(sweep.samples[1]).without_moments();
            Ok(method.label(&at_rate(rate)))
        };
        let count = by_scale(sweep.narrow, setting.scale().pick(500, 1000));
        let (big, one, fifth) = (sweep.rates[BIG], sweep.rates[ONE], sweep.dims[1]);
        let runs = study(vec![method(big)?, method(one)?], &[fifth], count)?;
        let runs = runs.run(setting.streams(), "the turn at d = 20")?;
        Ok(runs.difference(&at_rate(big), &at_rate(one), fifth)?)
    }
}

impl TypedCheck for LargeRates {
    const CLAIM: &'static str = "heavy-tailed/large-learning-rate";
    const PLAN: Plan = Plan::new(
        "generalization error, a larger rate minus a smaller one, after 1000 samples and for small d after 10^4, paired by runs",
        "a dimension in which the larger rate ends with the higher error",
        &[],
    )
    .protocol(&[
        "N = 100, M = 5, alpha = 2, f_*(x) = x mod M, batch one, parameters started as in Appendix C.1; rates 10, 1 and 0.1 of Figures 3 and 4, and 0.001",
    ])
    .departures(&[
        "the number of samples is not given: 1000 as in Figure 10, and 10000 as with Figure 5, left",
        "Eq. 11 runs from W = 0, since it has no other start, with unit inputs: beside descent at rate 1, and at 10 against 0.1",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = self.sweep.descents(setting)?;
        let sweep = &self.sweep;
        let label = |dim: usize, [a, b]: [usize; 2], read: usize| {
            let (d, samples, rates) = (of_inputs(sweep.dims[dim]), sweep.samples[read], sweep.rates);
            format!("{d}, {samples} samples: γ = {} minus γ = {}", rates[a], rates[b])
        };
        let lead = |dim: usize, pair: [usize; 2], read: usize| -> Result<_, Failure> {
            let difference = match dim {
                0 if pair[1] != TINY => sweep.narrow(setting, pair, read, AMONG)?,
                _ => sweep.difference(&runs, pair, dim, read, 1)?,
            };
            Ok(lower(label(dim, pair, read), difference))
        };
        let last = sweep.dims.len() - 1;
        let turn = lead(0, [BIG, ONE], 1)?;
        let fifth = self.at_a_fifth(setting)?;
        let mut evidence = Evidence::of(turn.clone())
            .and(lead(0, [BIG, SMALL], 1)?)
            .and(lead(0, [BIG, ONE], 0)?)
            .and(lower(label(1, [BIG, ONE], 1), fifth));
        evidence = self.by_equation_11(setting)?.into_iter().fold(evidence, Evidence::and);
        let mut corrected = Vec::new();
        for dim in (0..=last).rev() {
            corrected.push(lead(dim, [BIG, SMALL], 0)?);
        }
        corrected.push(lead(0, [ONE, SMALL], 0)?);
        corrected.push(lead(0, [ONE, SMALL], 1)?);
        corrected.push(higher(format!("{}, the larger is worse", label(0, [BIG, ONE], 1)), turn.measured()));
        corrected.push(higher(format!("{}, the larger is worse", label(1, [BIG, ONE], 1)), fifth));
        evidence = evidence.and(lead(0, [BIG, TINY], 0)?);
        let [narrow, wide, apart] = self.approximation(setting)?;
        let wrong = self.sweep.counted_from_zero(setting, [BIG, TINY])?;
        let evidence = evidence
            .condition(
                "at d = N/10 and N/5 large means one: after 10⁴ samples a rate of ten is worse than one; after 1000 samples ten leads 0.1 in every dimension",
                corrected,
            )
            .and(higher(
                "error by Eq. 11 minus that of descent: d = N/10 minus d = 10N",
                apart,
            ))
            .and(higher("d = N/10: error by Eq. 11 minus that of descent", narrow))
            .twin(lower(
                "inputs counted from zero, d = N/10: γ = 10 minus γ = 0.001",
                wrong,
            ))
            .note(format!(
                "d = 10N: error by Eq. 11 minus that of descent {:.4}",
                wide.value
            ));
        Ok(Checked::from(evidence).table(self.sweep.table(&runs, 0)?).figure(self.sweep.figure(&runs)?))
    }
}
