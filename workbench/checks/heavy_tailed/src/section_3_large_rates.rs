//! Section 3, Effect of key hyperparameters: large learning rates.
//!
//! **Claim** (`heavy-tailed/large-learning-rate`). For d > N, Eq. 11 and the resulting q_gamma show that a large learning rate gamma is
//! beneficial. The same holds for limited capacity, d < N, although interference breaks the approximation of Eq. 10.
//!
//! Large and small are the three rates of Figure 4: 10 against 0.1 and 0.001. That the largest is the best of all is not said; where the
//! optimum lies is asked with `heavy-tailed/fig-5-left`. A higher error at rate 10 than at one of the small ones counts against it, and an
//! Eq. 11 that is as near to descent for d < N as for d > N against its last part.

use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Check, Checked, Evidence, Failure, Plan, Setting};
use workbench_memory::{Method, Parametrization, TrainingStudy};

use super::section_3_hyperparameters::{SAMPLES, StepSizes, figure_5, higher, lower, of_inputs};
use crate::vocabulary::by_scale;

/// Descents with the step sizes of Figure 4.
#[derive(Clone, Debug, Default)]
pub struct LargeRates {
    /// The sweep.
    pub sweep: StepSizes,
    /// Runs of descent beside Eq. 11; by scale if 0.
    pub beside: usize,
}

/// Positions of the rates 0.001, 0.1 and 10 in the sweep.
const TINY: usize = 0;
const SMALL: usize = 1;
const BIG: usize = 3;

impl LargeRates {
    /// Error of Eq. 11 minus that of descent at rate 1 from W = 0, for d = N/10 and d = 10N; and the first minus the second.
    fn approximation(&self, setting: &Setting) -> Result<[Estimate; 3], Failure> {
        let (law, target) = figure_5()?;
        let runs = TrainingStudy::new(law, target)
            .methods(vec![
                Method::sgd(1.0)?.steps(SAMPLES),
                Method::ideal(1.0, 5)?.steps(SAMPLES),
            ])
            .dims(vec![10, 1000])
            .runs(by_scale(self.beside, setting.scale().pick(100, 200)))
            .parametrization(Parametrization::Unit)
            .run(setting.streams(), "beside Eq. 11")?;
        let gaps = |dim: usize| -> Result<Vec<f64>, Failure> {
            let (descent, ideal) = (runs.final_errors(0, dim)?, runs.final_errors(1, dim)?);
            Ok(ideal.iter().zip(&descent).map(|(a, b)| a - b).collect())
        };
        Ok([
            runs.difference(1, 0, 0)?,
            runs.difference(1, 0, 1)?,
            paired_difference(&gaps(0)?, &gaps(1)?)?,
        ])
    }
}

impl Check for LargeRates {
    const CLAIM: &'static str = "heavy-tailed/large-learning-rate";
    const PLAN: Plan = Plan::new(
        "generalization error after 1000 samples, rate 10 minus a small rate, paired by runs",
        "a dimension in which the large rate ends with the higher error",
        &[],
    )
    .protocol(&[
        "N = 100, M = 5, alpha = 2, f_*(x) = x mod M, batch one, parameters started as in Appendix C.1; rates 10, 0.1 and 0.001 of Figure 4",
    ])
    .departures(&[
        "the number of samples is not given: 1000 as in Figure 10; what 10000 change is asked with Figure 5, left",
        "Eq. 11 runs beside descent from W = 0 at rate 1, since it has no other start",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = self.sweep.descents(setting)?;
        let samples = self.sweep.samples[0];
        let lead = |dim: usize, small: usize| -> Result<_, Failure> {
            let difference = match (dim, small) {
                (0, SMALL) => self.sweep.narrow(setting, [BIG, small], 0, 1)?,
                _ => self.sweep.difference(&runs, [BIG, small], dim, 0, 1)?,
            };
            let (d, rates) = (of_inputs(self.sweep.dims[dim]), self.sweep.rates);
            let label = format!("{d}, {samples} samples: γ = {} minus γ = {}", rates[BIG], rates[small]);
            Ok(lower(label, difference))
        };
        let last = self.sweep.dims.len() - 1;
        let mut evidence = Evidence::of(lead(last, SMALL)?).and(lead(0, SMALL)?);
        for dim in 1..last {
            evidence = evidence.and(lead(dim, SMALL)?);
        }
        for dim in (0..=last).rev() {
            evidence = evidence.and(lead(dim, TINY)?);
        }
        let [narrow, wide, apart] = self.approximation(setting)?;
        let wrong = self.sweep.counted_from_zero(setting, [BIG, TINY])?;
        let evidence = evidence
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
        Ok(Checked::from(evidence)
            .table(self.sweep.table(&runs, 0)?)
            .figure(self.sweep.figure(&runs)?))
    }
}
