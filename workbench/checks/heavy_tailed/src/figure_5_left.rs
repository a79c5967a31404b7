//! Figure 5, left: the effect of the step size.
//!
//! **Claim** (`heavy-tailed/fig-5-left`). Larger steps do better, for d < N too; Appendix C.2 explains it by storing easily at the price of
//! overwriting, against needing many visits.
//!
//! The steps are those that the document uses: 0.1, 1 and 10. Against the claim counts a pair of them of which the larger ends with the
//! higher error. Levels are divided among the comparisons (Bonferroni).

use workbench_display::{Figure, Panel};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::ErrorCurve;

use super::section_3_hyperparameters::{Descents, StepSizes, higher, lower, of_inputs};

/// Descents with the step sizes of the document.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// The sweep.
    pub sweep: StepSizes,
}

/// Positions of the rates 0.001, 0.1, 1 and 10 in the sweep.
const TINY: usize = 0;
const SMALL: usize = 1;
const ONE: usize = 2;
const BIG: usize = 3;
/// Comparisons that share the level.
const AMONG: usize = 17;
/// A lead that is gone.
const GONE: Margin = Margin::new(
    "no lead left",
    -0.01,
    "a hundredth of the mass of all inputs, a tenth of what is wrong with ten dimensions for a hundred inputs",
);
/// Position of d = N, the first dimension in which the corrected claim goes up to a step of ten.
const FULL: usize = 3;

impl Left {
    fn compare(&self, runs: &Descents, [a, b]: [usize; 2], dim: usize) -> Result<Finding, Failure> {
        let difference = self.sweep.difference(runs, [a, b], dim, 0, AMONG)?;
        let (d, rates) = (of_inputs(self.sweep.dims[dim]), self.sweep.rates);
        let samples = self.sweep.samples[0];
        Ok(lower(format!("{d}, {samples} samples: γ = {} minus γ = {}", rates[a], rates[b]), difference))
    }

    fn figure(&self, runs: &Descents) -> Result<Figure, Failure> {
        let mut panel = Panel::new("").x_label("d").y_label("error").log_x().log_y();
        let dims = self.sweep.dims.map(|d| d as f64);
        for (k, rate) in self.sweep.rates.iter().enumerate() {
            let errors = |dim: usize| Ok(self.sweep.errors(runs, k, dim, 0)?.into());
            let list = (0..dims.len()).map(errors).collect::<Result<Vec<_>, Failure>>()?;
            let curve = ErrorCurve::from_columns(dims.to_vec(), &list)?;
            panel = panel
                .band("", &dims, &curve.low()?, &curve.high()?)
                .colour(k)
                .line(&format!("γ = {rate}"), &dims, &curve.means())
                .colour(k);
        }
        let caption = format!(
            "After {} samples with batch one. Bands are 99.9 % intervals of the mean over runs.",
            self.sweep.samples[0]
        );
        Ok(Figure::new("From 0.1 to 1 larger is better; beyond that it depends on d")
            .panel(panel.vline("d = N", 100.0).legend_below())
            .caption(&caption))
    }
}

impl TypedCheck for Left {
    const CLAIM: &'static str = "heavy-tailed/fig-5-left";
    const PLAN: Plan = Plan::new(
        "generalization error, a larger step minus a smaller one, paired by runs, level divided among seventeen comparisons",
        "a dimension in which the larger of two steps of the document ends with the higher error",
        &[GONE],
    )
    .protocol(&[
        "N = 100, M = 5, alpha = 2, f_*(x) = x mod M, batch one; parameters and rates as in Appendix C.1; steps 0.1, 1, 10",
    ])
    .departures(&[
        "the caption gives neither samples nor steps: 1000 samples as in Figure 10, and 10000; steps from Figures 3, 4, 6 and 7",
        "more than ten runs, because ten do not decide the order for small d",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let runs = self.sweep.descents(setting)?;
        let last = self.sweep.dims.len() - 1;
        let narrow = |small: usize, read: usize| self.sweep.narrow(setting, [BIG, small], read, AMONG);
        let turn = narrow(ONE, 1)?;
        let late = format!("d = N/10, {} samples: γ = 10 minus γ =", self.sweep.samples[1]);
        let late_lead = narrow(SMALL, 1)?;
        let mut evidence = Evidence::of(lower(format!("{late} 1"), turn)).and(lower(format!("{late} 0.1"), late_lead));
        let early = format!("d = N/10, {} samples: γ = 10 minus γ = 0.1", self.sweep.samples[0]);
        let mut corrected = vec![lower(early, narrow(SMALL, 0)?), self.compare(&runs, [BIG, SMALL], 1)?];
        for dim in 0..=last {
            corrected.push(self.compare(&runs, [ONE, SMALL], dim)?);
            let up_to_ten = self.compare(&runs, [BIG, ONE], dim)?;
            match dim < FULL {
                true => evidence = evidence.and(up_to_ten),
                false => corrected.push(up_to_ten),
            }
        }
        corrected.push(higher(format!("{late} 1, the larger is worse"), turn));
        let gone = format!(
            "d = N/10: lead of γ = 10 on γ = 0.1 after {} samples, no more than a hundredth",
            self.sweep.samples[1]
        );
        corrected.push(Finding::at_least(gone, GONE, late_lead).unit("runs"));
        for dim in FULL..=last {
            let difference = self.sweep.difference(&runs, [BIG, ONE], dim, 1, AMONG)?;
            let label =
                format!("{}, {} samples: γ = 10 minus γ = 1", of_inputs(self.sweep.dims[dim]), self.sweep.samples[1]);
            corrected.push(lower(label, difference));
        }
        let fifth = self.sweep.difference(&runs, [BIG, ONE], 1, 1, AMONG)?;
        let evidence =
            evidence.and(lower(format!("d = N/5, {} samples: γ = 10 minus γ = 1", self.sweep.samples[1]), fifth));
        let wrong = self.sweep.counted_from_zero(setting, [ONE, TINY])?;
        let evidence = evidence
            .condition(
                "up to a step of one in every dimension, and from one to ten for d at least N; for d = N/10 a step of ten overwrites: it beats 0.1 while samples are few, and not a step of one",
                corrected,
            )
            .twin(lower("inputs counted from zero, d = N/10: γ = 1 minus γ = 0.001", wrong));
        Ok(Checked::from(evidence).table(self.sweep.table(&runs, 1)?).figure(self.figure(&runs)?))
    }
}
