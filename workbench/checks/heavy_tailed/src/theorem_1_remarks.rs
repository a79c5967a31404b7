//! Theorem 1, its last two sentences: weights p, and equal weights.
//!
//! **Claims.** (`heavy-tailed/thm-1-rho-1`) For rho = 1 the error, printed E(f_0), scales as d^(-(alpha-1)/2 alpha). (`heavy-tailed/thm-1-rho-0`) For
//! rho = 0 it can be read as (d/N)^(-infinity), which goes to zero if and only if d is bigger than N.
//!
//! "Scales" has two sides, so the slope must equal the exponent; both readings of the index are run. The second remark is about growing N: at a
//! fixed ratio d/N above one the error would have to vanish. Against it speaks an error at d = 2N that does not depend on N.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, bootstrap};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{ErrorCurve, Scheme, Zipf, power_law, powers_of_two, untruncated_exponent};

use super::sections_b_2_to_b_4::{CLASSES, EXPONENT_IN_D, target};
use super::theorems_1_to_3::{TINY, draws, in_d, untruncated};

/// Weights p, and the index as printed.
#[derive(Clone, Debug)]
pub struct ByFrequency {
    /// Exponents of the law.
    pub alphas: Vec<f64>,
    /// Inputs N for the printed index, whose load is N.
    pub inputs: usize,
}

impl Default for ByFrequency {
    fn default() -> ByFrequency {
        ByFrequency { alphas: vec![2.0, 1.5, 3.0], inputs: 1 << 40 }
    }
}

impl ByFrequency {
    fn figure(&self, equal: &ErrorCurve, weighted: &ErrorCurve) -> Result<Figure, Failure> {
        let x = equal.x();
        let constant = weighted.means()[0] * x[0].powf(0.25);
        let panel = Panel::new("α = 2")
            .x_label("d")
            .y_label("error")
            .log_x()
            .log_y()
            .line("ρ = 0 (index as printed)", x, &equal.means())
            .line("ρ = 1", x, &weighted.means())
            .theory("d^{−1/4}", x, &power_law(x, constant, -0.25))
            .legend_below();
        Ok(Figure::new("With ρ = 1 the error falls as stated, with ρ = 0 hardly at all")
            .panel(panel)
            .caption("The dashed line has the printed exponent. N = 2^{40} for ρ = 0, and N = ∞ for ρ = 1."))
    }
}

impl TypedCheck for ByFrequency {
    const CLAIM: &'static str = "heavy-tailed/thm-1-rho-1";
    const PLAN: Plan = Plan::new(
        "slope of ln error in ln d, of exact expected errors with infinite data",
        "another slope than -(α-1)/2α, on either side",
        &[EXPONENT_IN_D],
    )
    .protocol(&["M = 5; ρ = 1: N = ∞, d = 2^32 to 2^60; index as printed: N = 2^40, d = 2^16 to 2^36"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let dims = powers_of_two(16, 36, 4)?;
        let (draws, target) = (draws(setting)?, target()?);
        let equal = draws.curve(&Zipf::new(2.0, self.inputs)?, &target, &Scheme::uniform(), &dims)?;
        let weighted = draws.curve(&Zipf::infinite(2.0)?, &target, &Scheme::power(1.0)?, &dims)?;
        let printed = equal.slope(&mut setting.stream("bootstrap, index as printed")?)?;
        let exponent = untruncated_exponent(2.0, 1.0)?;
        let mut mended = Vec::new();
        for alpha in &self.alphas {
            mended.push(in_d(
                format!("slope of E(f_1), α = {alpha}"),
                untruncated_exponent(*alpha, 1.0)?,
                untruncated(setting, *alpha, 1.0)?.slope,
            ));
        }
        let evidence = Evidence::of(in_d("slope of E(f_0), index as printed, α = 2", exponent, printed))
            .misprint("the error is that of f_1, not of f_0", mended)
            .twin(in_d("weights p² in place of p: slope, α = 2", exponent, untruncated(setting, 2.0, 2.0)?.slope));
        Ok(Checked::from(evidence).figure(self.figure(&equal, &weighted)?))
    }
}

const NO_LONGER: Margin =
    Margin::new("on the way to zero", 0.5, "an error that vanishes as N grows by nine decades is at least halved");
const SAME: Margin =
    Margin::new("does not depend on N", 0.05, "a twentieth of the error, where N changes by nine decades");
const SEEN: Margin =
    Margin::new("an error that is there", 0.01, "one query in a hundred; an error that vanishes is below any number");
const RATE: Margin = Margin::new(
    "rate of the fall",
    0.1,
    "the algebraic factor of a Gaussian tail adds (ln 2)/20 = 0.03 between 10N and 20N",
);

/// Equal weights on all inputs.
#[derive(Clone, Debug)]
pub struct EqualWeights {
    /// Ratios d/N.
    pub ratios: Vec<f64>,
    /// Numbers of inputs N; the first two from the end are compared.
    pub inputs: Vec<usize>,
}

impl Default for EqualWeights {
    fn default() -> EqualWeights {
        EqualWeights {
            ratios: vec![0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 4.0, 10.0, 20.0],
            inputs: vec![50, 100, 200, 400, 800, 1 << 40],
        }
    }
}

impl EqualWeights {
    fn curves(&self, setting: &Setting, scheme: &Scheme) -> Result<Vec<ErrorCurve>, Failure> {
        let (draws, target) = (draws(setting)?, target()?);
        let one = |n: &usize| {
            let dims: Vec<usize> = self.ratios.iter().map(|r| (r * *n as f64).round() as usize).collect();
            draws.curve(&Zipf::new(2.0, *n)?, &target, scheme, &dims)?.over(&self.ratios)
        };
        Ok(self.inputs.iter().map(one).collect::<Result<Vec<_>, _>>()?)
    }

    fn figure(&self, curves: &[ErrorCurve]) -> Figure {
        let mut panel = Panel::new("equal weights, infinite data")
            .x_label("d / N")
            .y_label("error")
            .log_x()
            .log_y()
            .y_limits(1e-6, 1.0);
        for (n, curve) in self.inputs.iter().zip(curves) {
            let name = match n {
                0..1_000_000 => format!("N = {n}"),
                _ => format!("N = 2^{{{:.0}}}", (*n as f64).log2()),
            };
            panel = panel.line(&name, curve.x(), &curve.means());
        }
        Figure::new("The error of equal weights is a function of d/N, without a step")
            .panel(panel.vline("d = N", 1.0).legend_below())
            .caption("One curve for each N, from fifty inputs to a million millions.")
    }
}

/// Mean of the last curve over mean of the one before, at one ratio d/N; draws are paired.
fn last_over_before(curves: &[ErrorCurve], at: usize, boot: &mut Stream) -> Result<Estimate, Failure> {
    let n = curves.len();
    let (large, small) = (curves[n - 1].runs().column(at), curves[n - 2].runs().column(at));
    let ratio = |units: &[usize]| {
        let (a, b) = units.iter().fold((0.0, 0.0), |(a, b), u| (a + large[*u], b + small[*u]));
        a / b
    };
    Ok(bootstrap(large.len(), 2000, boot, &mut { ratio })?)
}

impl TypedCheck for EqualWeights {
    const CLAIM: &'static str = "heavy-tailed/thm-1-rho-0";
    const PLAN: Plan = Plan::new(
        "exact expected error at fixed d/N, as N grows from 800 to 2^40; fall of its logarithm per unit of d/N",
        "an error at d = 2N that N does not change; an error at d = N/2 that does vanish",
        &[NO_LONGER, SAME, SEEN, RATE, TINY],
    )
    .protocol(&["ρ = 0, infinite data, M = 5, N = 50 to 2^40, d/N = 1/10 to 20"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let curves = self.curves(setting, &Scheme::uniform())?;
        let wrong = self.curves(setting, &Scheme::power(0.125)?)?;
        let mut boot = setting.stream("bootstrap, equal weights")?;
        let position = |ratio: f64| self.ratios.iter().position(|r| *r == ratio);
        let (half, two) = position(0.5).zip(position(2.0)).ok_or("d/N = 1/2 and 2 are asked")?;
        let end = self.ratios.len() - 1;
        let last = curves.last().ok_or("no N to look at")?;
        let (at_two, at_half) =
            (last_over_before(&curves, two, &mut boot)?, last_over_before(&curves, half, &mut boot)?);
        let means = last.means();
        let fall = (means[end - 1] / means[end]).ln() / (self.ratios[end] - self.ratios[end - 1]);
        let there = |label: &str, at: usize| -> Result<Finding, Failure> {
            Ok(Finding::at_least(label, SEEN, last.at(at)?).unit("draws"))
        };
        let same = |label: &str, ratio| Finding::equals(label, 1.0, SAME, ratio).unit("draws");
        let evidence = Evidence::of(
            Finding::at_most("d = 2N: error at N = 2^40 over that at N = 800", NO_LONGER, at_two).unit("draws"),
        )
        .weaker(
            "the error is a function of d/N that falls exponentially; it is small if d is many times N, and there is no step at d = N",
            vec![
                same("d = 2N: the two errors are one", at_two),
                there("error at d = 2N, N = 2^40", two)?,
                there("error at d = N/2, N = 2^40", half)?,
                same("d = N/2: error at N = 2^40 over that at N = 800", at_half),
                Finding::equals(
                    "fall of ln error per unit of d/N from 10 to 20, against M/4",
                    CLASSES as f64 / 4.0,
                    RATE,
                    Estimate::exact(fall),
                ),
                Finding::at_most("error at d = 20N, N = 2^40", TINY, last.at(end)?).unit("draws"),
            ],
        )
        .twin(same(
            "weights p^(1/8) in place of equal ones, d = 2N: the two errors are one",
            last_over_before(&wrong, two, &mut boot)?,
        ));
        Ok(Checked::from(evidence).figure(self.figure(&curves)))
    }
}
