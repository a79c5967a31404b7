//! Figure 8, right: three schemes with infinite data, N = 100, alpha = 2, M = 5, 100 runs.
//!
//! **Claims.** `heavy-tailed/fig-8-right-q0`, blue, equal weights: a zero-one shape, the error is high for d < N and falls fast to zero for d > N.
//! `heavy-tailed/fig-8-right-q1`, orange, weights p: d^(-(alpha-1)/2 alpha) = d^(-1/4), as predicted. `heavy-tailed/fig-8-right-q0P`, green, equal weights on the
//! top P = d/8: d^(-(alpha-1)) = d^(-1) until the tipping point d/8 > N.
//!
//! "High" is read against the other two curves, on the same axis; "fast" by a fall steeper than theirs, to a tiny error at 10N. The exponents are
//! asked of exact expectations, and of the runs, with the margin of every exponent that a figure gives. Beyond N = 100 there is no tail, so the
//! green curve bends below 1/d before its tipping point, while the caption has 1/d until there: it is asked as drawn over that whole range, and
//! beside it as drawn to 2N and with the exact tail divided out.

use workbench_display::{Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{ErrorCurve, Samples, Scheme};

use super::figures_8_and_9::{BLUE, GREEN, NAMES, ORANGE, ThreeSchemes, as_drawn, exponent, schemes};
use super::sections_b_2_to_b_4::EXPONENT_IN_D;
use super::theorems_1_to_3::{DRAWN_EXPONENT, TINY, in_d, top_power, untruncated};

const NEARLY_ALL: Margin = Margin::new(
    "nearly all runs",
    0.9,
    "a hundred runs without a single error prove no more than nine in ten at this confidence",
);

/// Position of d = 1024 in the figure.
const D_1024: usize = 14;

fn steeper(label: &str, fall: Estimate, other: Estimate) -> Finding {
    // Both intervals count, so that the sign does not rest on one of them.
    Finding::at_most(label, 0.0, Estimate::exact(fall.high - other.low))
}

/// Slopes of the three exact curves on four windows.
fn local_slopes(exact: &[ErrorCurve], setting: &Setting) -> Result<Table, Failure> {
    let mut boot = setting.stream("bootstrap, windows")?;
    let mut list = vec![("scheme", NAMES.map(str::to_string).to_vec().into())];
    for (name, window) in [
        ("8 to 64", (8.0, 64.0)),
        ("64 to 256", (64.0, 256.0)),
        ("256 to 724", (256.0, 724.0)),
        ("8 to 1024", (8.0, 1024.0)),
    ] {
        let mut slopes = Vec::new();
        for curve in exact {
            slopes.push(exponent(curve, window, &mut boot)?.value);
        }
        list.push((name, slopes.into()));
    }
    Ok(Table::new(columns(list)?)
        .title("Slopes of the three curves, window by window")
        .caption("Exact expectations, N = 100. A window is a range of d.")
        .digits(3))
}

/// Blue: equal weights.
#[derive(Clone, Debug)]
pub struct Blue(
    /// The setting.
    pub ThreeSchemes,
);

impl Default for Blue {
    fn default() -> Blue {
        Blue(ThreeSchemes::figure_8())
    }
}

impl TypedCheck for Blue {
    const CLAIM: &'static str = "heavy-tailed/fig-8-right-q0";
    const PLAN: Plan = Plan::new(
        "exact expected error against that of the other two curves for d < N; slope of its logarithm from N to 4N against theirs; error at 10N",
        "another curve above it below N, another curve that falls faster above N, an error at 10N that is not tiny",
        &[TINY],
    )
    .protocol(&["T = ∞, N = 100, α = 2, M = 5, 100 runs, as printed"])
    .rivals(&["the other two curves of the figure, on the same draws"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (figure, exact) = (&self.0, self.0.exact(setting)?);
        let n = figure.inputs as f64;
        let mut boot = setting.stream("bootstrap, blue")?;
        let mut fall = |curve: &ErrorCurve| exponent(curve, (n, 4.0 * n), &mut boot);
        let falls = [fall(&exact[BLUE])?, fall(&exact[ORANGE])?, fall(&exact[GREEN])?];
        let wrong = fall(&figure.of(setting, &Scheme::power(0.5)?)?)?;
        let mut evidence =
            Evidence::of(Finding::at_most("error at d ≈ 10 N", TINY, exact[BLUE].at(D_1024)?).unit("draws"));
        for (k, name) in [(GREEN, "top d/8"), (ORANGE, "q₁")] {
            let label = format!("N ≤ d ≤ 4N: slope of q₀ less that of {name}, upper end");
            evidence = evidence.and(steeper(&label, falls[BLUE], falls[k]));
        }
        for (k, name) in [(GREEN, "top d/8"), (ORANGE, "q₁")] {
            let above = exact[BLUE].runs() - exact[k].runs();
            let gaps = ErrorCurve::new(exact[BLUE].x().to_vec(), above)?.between(0.0, n - 1.0)?;
            let mut least = gaps.at(0)?;
            for i in 1..gaps.x().len() {
                let gap = gaps.at(i)?;
                if gap.low < least.low {
                    least = gap;
                }
            }
            let label = format!("d < N: error of q₀ less that of {name}, the least over d");
            evidence = evidence.and(Finding::at_least(label, 0.0, least).unit("draws"));
        }
        let evidence = evidence
            .twin(steeper(
                "weights p^(1/2) in place of equal ones: slope less that of top d/8, upper end",
                wrong,
                falls[GREEN],
            ))
            .note("zero-one in shape and not a step: the fall takes a decade of d around N");
        // The findings are exact expectations; the runs are the dots of the figure.
        Ok(Checked::from(figure.simulated(setting)?.noted(evidence))
            .figure(figure.figure(setting, "One scheme falls at N, one as d^{−1/4}, one as 1/d")?)
            .table(local_slopes(&exact, setting)?))
    }
}

/// Orange: weights by frequency.
#[derive(Clone, Debug)]
pub struct Orange(
    /// The setting.
    pub ThreeSchemes,
);

impl Default for Orange {
    fn default() -> Orange {
        Orange(ThreeSchemes::figure_8())
    }
}

impl TypedCheck for Orange {
    const CLAIM: &'static str = "heavy-tailed/fig-8-right-q1";
    const PLAN: Plan = Plan::new(
        "slope of ln error in ln d for 8 ≤ d ≤ 1024, of the exact expectation and of 100 runs; its limit for N = ∞",
        "half or twice the exponent; runs that do not agree with the expectation; another limit",
        &[DRAWN_EXPONENT, EXPONENT_IN_D],
    )
    .protocol(&["T = ∞, N = 100, α = 2, M = 5, 100 runs, as printed"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (figure, exact) = (&self.0, self.0.exact(setting)?);
        let mut boot = setting.stream("bootstrap, orange")?;
        let window = (8.0, 1024.0);
        let mut on_window = |curve: &ErrorCurve| exponent(curve, window, &mut boot);
        let found = on_window(&exact[ORANGE])?;
        let runs = figure.simulated(setting)?;
        let seen = on_window(&runs.value.over_dims(&schemes()?[ORANGE], Samples::Population)?)?;
        let wrong = on_window(&figure.of(setting, &Scheme::power(0.5)?)?)?;
        let evidence = Evidence::of(as_drawn("slope for 8 ≤ d ≤ 1024, exact expectation", -0.25, found, "draws"))
            .and(Finding::near("slope for 8 ≤ d ≤ 1024, 100 runs", -0.25, DRAWN_EXPONENT, seen).unit("runs"))
            .and(in_d("limit of the slope, N = ∞, d up to 2^60", 0.25, untruncated(setting, 2.0, 1.0)?.slope))
            .twin(as_drawn("weights p^(1/2) in place of p: slope for 8 ≤ d ≤ 1024", -0.25, wrong, "draws"));
        Ok(runs.noted(evidence).into())
    }
}

/// Green: equal weights on the top d/8.
#[derive(Clone, Debug)]
pub struct Green(
    /// The setting.
    pub ThreeSchemes,
);

impl Default for Green {
    fn default() -> Green {
        Green(ThreeSchemes::figure_8())
    }
}

impl TypedCheck for Green {
    const CLAIM: &'static str = "heavy-tailed/fig-8-right-q0P";
    const PLAN: Plan = Plan::new(
        "slope of ln error in ln d as drawn, up to the tipping point; as drawn up to d = 2N, and with the exact tail divided out; runs without any error beyond it",
        "half or twice the exponent; errors beyond the tipping point",
        &[DRAWN_EXPONENT, NEARLY_ALL],
    )
    .protocol(&["T = ∞, N = 100, α = 2, M = 5, P = d/8, 100 runs, as printed"])
    .departures(&["with N = 100 the tail beyond P ends; the theory's slope, in the repair, is that of the error over (tail beyond P)/(C/P)"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (figure, exact) = (&self.0, self.0.exact(setting)?);
        let law = figure.law()?;
        let mut boot = setting.stream("bootstrap, green")?;
        let without_end = |curve: &ErrorCurve| -> Result<ErrorCurve, Failure> {
            let below = curve.between(16.0, 600.0)?;
            let as_if: Vec<f64> =
                below.x().iter().map(|d| 8.0 * law.constant() / d / law.tail((d / 8.0) as usize)).collect();
            Ok(below.times(&as_if)?)
        };
        let straight = without_end(&exact[GREEN])?.slope(&mut boot)?;
        let runs = figure.simulated(setting)?;
        let green = &schemes()?[GREEN];
        let seen = runs.value.over_dims(green, Samples::Population)?;
        let seen = without_end(&seen)?.slope(&mut boot)?;
        let drawn = exponent(&exact[GREEN], (16.0, 200.0), &mut boot)?;
        let whole = exponent(&exact[GREEN], (16.0, 8.0 * figure.inputs as f64 - 1.0), &mut boot)?;
        let root = figure.of(setting, &top_power(0.0, 0.5)?)?;
        let wrong = exponent(&root, (16.0, 200.0), &mut boot)?;
        let zero = Finding::at_least(
            "share of runs with error exactly zero at d = 1024 > 8N",
            NEARLY_ALL,
            runs.value.zero_share(green, 1024, Samples::Population)?,
        )
        .unit("runs");
        let evidence = Evidence::of(as_drawn("slope as drawn, 16 ≤ d < 8N", -1.0, whole, "draws"))
        .condition(
            "up to about d = 2N; beyond, the tail of N = 100 inputs ends and the curve bends below 1/d, as it does not at N = 1000 (Figure 9)",
            vec![
                as_drawn("slope as drawn, 16 ≤ d ≤ 200", -1.0, drawn, "draws"),
                as_drawn("slope for 16 ≤ d ≤ 600, the end of the tail divided out", -1.0, straight, "draws"),
                Finding::near("the same, 100 runs", -1.0, DRAWN_EXPONENT, seen).unit("runs"),
                zero,
            ],
        )
        .twin(as_drawn(
            "P = √d in place of d/8: slope, 16 ≤ d ≤ 200",
            -1.0,
            wrong,
            "draws",
        ));
        Ok(runs.noted(evidence).into())
    }
}
