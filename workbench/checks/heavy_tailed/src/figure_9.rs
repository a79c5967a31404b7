//! Figure 9: the dashed curves beside two schemes at N = 1000.
//!
//! **Claims.** `heavy-tailed/fig-9-orange`: weights p follow E = .35 d^(-1/4); `heavy-tailed/fig-9-green`: equal weights on the top d/8 follow E = 3.5 d^(-1); together
//! they validate scalings derived with N = infinity.
//!
//! A dashed curve beside another in a logarithmic figure says so much about a constant as the eye sees: a tenth. The amplitude is fitted with the
//! printed slope, the slope with the amplitude free, of the exact expectation and of 100 runs. Against a curve speaks half or twice its exponent,
//! and a constant that is more than a tenth off. For the green curve the constant can also be predicted: unstored inputs are guessed, so the
//! error is (1 - 1/M) times the exact tail beyond d/8.

use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{ErrorCurve, Samples, Scheme, chance_error};

use super::figures_8_and_9::{GREEN, ORANGE, ThreeSchemes, as_drawn, schemes};
use super::sections_b_2_to_b_4::CLASSES;
use super::theorems_1_to_3::{DRAWN_CONSTANT, DRAWN_EXPONENT, top_power};

/// A dashed curve `constant * d^-exponent`.
struct Dashed {
    constant: f64,
    exponent: f64,
    scheme: usize,
}

const ORANGE_LINE: Dashed = Dashed { constant: 0.35, exponent: 0.25, scheme: ORANGE };
const GREEN_LINE: Dashed = Dashed { constant: 3.5, exponent: 1.0, scheme: GREEN };

impl Dashed {
    /// What both rows ask, and a twin with weights or a threshold of a wrong form.
    fn evidence(&self, figure: &ThreeSchemes, setting: &Setting, wrong: (&str, &Scheme)) -> Result<Evidence, Failure> {
        let exact = &figure.exact(setting)?[self.scheme];
        let runs = figure.simulated(setting)?;
        let seen = runs.value.over_dims(&schemes()?[self.scheme], Samples::Population)?;
        let mut boot = setting.stream("bootstrap, figure 9")?;
        let mut over_printed = |curve: &ErrorCurve| -> Result<Estimate, Failure> {
            Ok(curve.amplitude(self.exponent, &mut boot)?.affine(1.0 / self.constant, 0.0)?)
        };
        let (expected, measured) = (over_printed(exact)?, over_printed(&seen)?);
        let slopes = [exact.slope(&mut boot)?, seen.slope(&mut boot)?];
        let other = figure.of(setting, wrong.1)?.slope(&mut boot)?;
        let near = |label: &str, value: f64, margin, found| Finding::near(label, value, margin, found).unit("runs");
        let evidence = Evidence::of(
            Finding::equals("amplitude over the printed one, exact expectation", 1.0, DRAWN_CONSTANT, expected)
                .unit("draws"),
        )
        .and(near("amplitude over the printed one, 100 runs", 1.0, DRAWN_CONSTANT, measured))
        .and(as_drawn("slope, exact expectation", -self.exponent, slopes[0], "draws"))
        .and(near("slope, 100 runs", -self.exponent, DRAWN_EXPONENT, slopes[1]))
        .twin(as_drawn(wrong.0, -self.exponent, other, "draws"));
        Ok(runs.noted(evidence))
    }
}

/// The orange dashed curve.
#[derive(Clone, Debug)]
pub struct OrangeDashed(
    /// The setting.
    pub ThreeSchemes,
);

impl Default for OrangeDashed {
    fn default() -> OrangeDashed {
        OrangeDashed(ThreeSchemes::figure_9())
    }
}

impl TypedCheck for OrangeDashed {
    const CLAIM: &'static str = "heavy-tailed/fig-9-orange";
    const PLAN: Plan = Plan::new(
        "amplitude with slope -1/4 over .35, and slope with free amplitude, for 8 ≤ d ≤ 1024",
        "a constant that is more than a tenth off; half or twice the exponent",
        &[DRAWN_CONSTANT, DRAWN_EXPONENT],
    )
    .protocol(&["N = 1000, α = 2, M = 5, T = ∞, 100 runs, as printed"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let half = Scheme::power(0.5)?;
        let wrong = ("weights p^(1/2) in place of p: slope", &half);
        let evidence = ORANGE_LINE.evidence(&self.0, setting, wrong)?;
        let figure = self.0.figure(setting, "Both printed curves lie on the measured ones")?;
        Ok(Checked::from(evidence).figure(figure))
    }
}

/// The green dashed curve.
#[derive(Clone, Debug)]
pub struct GreenDashed(
    /// The setting.
    pub ThreeSchemes,
);

impl Default for GreenDashed {
    fn default() -> GreenDashed {
        GreenDashed(ThreeSchemes::figure_9())
    }
}

impl GreenDashed {
    /// Geometric mean over d of the prediction without any fit, `guess` times the exact tail beyond d/8, over the printed curve.
    fn predicted(&self, guess: f64) -> Result<f64, Failure> {
        let (law, dims) = (self.0.law()?, &self.0.dims);
        let one = |d: &usize| (guess * law.tail(d / 8) * *d as f64 / GREEN_LINE.constant).ln();
        Ok((dims.iter().map(one).sum::<f64>() / dims.len() as f64).exp())
    }
}

impl TypedCheck for GreenDashed {
    const CLAIM: &'static str = "heavy-tailed/fig-9-green";
    const PLAN: Plan = Plan::new(
        "amplitude with slope -1 over 3.5, measured and from the exact tail, and slope with free amplitude, for 8 ≤ d ≤ 1024",
        "a constant that is more than a tenth off; half or twice the exponent",
        &[DRAWN_CONSTANT, DRAWN_EXPONENT],
    )
    .protocol(&["N = 1000, α = 2, M = 5, P = d/8, T = ∞, 100 runs, as printed"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let root = top_power(0.0, 0.5)?;
        let evidence = GREEN_LINE.evidence(&self.0, setting, ("P = √d in place of d/8: slope", &root))?;
        let of_tail = |label: &str, guess: f64| -> Result<Finding, Failure> {
            let found = Estimate::exact(self.predicted(guess)?);
            Ok(Finding::equals(label, 1.0, DRAWN_CONSTANT, found))
        };
        let evidence = evidence
            .and(of_tail(
                "amplitude over the printed one, (1 - 1/M) of the exact tail beyond d/8",
                chance_error(CLASSES),
            )?)
            .twin(of_tail("every unstored input counted as wrong: amplitude over the printed one", 1.0)?);
        Ok(evidence.into())
    }
}
