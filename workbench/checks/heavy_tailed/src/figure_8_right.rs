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
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, Samples, Scheme};

use super::exponents::EXPONENT_IN_D;
use super::scaling_curves::{DRAWN_EXPONENT, TINY, top_power, untruncated};
use super::schemes_along_d::{BLUE, FIGURE_8, GREEN, NAMES, ORANGE, exponent, lowest, schemes};

const NEARLY_ALL: Margin = Margin::new(
    "nearly all runs",
    0.9,
    "a hundred runs without a single error prove no more than nine in ten at this confidence",
);

/// Position of d = 1024 in the figure.
const D_1024: usize = 14;

/// Blue: equal weights.
pub const BLUE_CURVE: Check = Check {
    claim: "heavy-tailed/fig-8-right-q0",
    metric: "exact expected error against that of the other two curves for d < N; slope of its logarithm from N to 4N against theirs; error at 10N",
    against: "another curve above it below N, another curve that falls faster above N, an error at 10N that is not tiny",
    protocol: PRINTED,
    rivals: &["the other two curves of the figure, on the same draws"],
    run: blue,
    ..Check::DEFAULT
};

/// Orange: weights by frequency.
pub const ORANGE_CURVE: Check = Check {
    claim: "heavy-tailed/fig-8-right-q1",
    metric: "slope of ln error in ln d for 8 ≤ d ≤ 1024, of the exact expectation and of 100 runs; its limit for N = ∞",
    against: "half or twice the exponent; runs that do not agree with the expectation; another limit",
    protocol: PRINTED,
    run: orange,
    ..Check::DEFAULT
};

/// Green: equal weights on the top d/8.
pub const GREEN_CURVE: Check = Check {
    claim: "heavy-tailed/fig-8-right-q0P",
    metric: "slope of ln error in ln d as drawn, up to the tipping point; as drawn up to d = 2N, and with the exact tail divided out; runs without any error beyond it",
    against: "half or twice the exponent; errors beyond the tipping point",
    protocol: &["T = ∞, N = 100, α = 2, M = 5, P = d/8, 100 runs, as printed"],
    departures: &[
        "with N = 100 the tail beyond P ends; the theory's slope, in the repair, is that of the error over (tail beyond P)/(C/P)",
    ],
    run: green,
    ..Check::DEFAULT
};

const PRINTED: &[&str] = &["T = ∞, N = 100, α = 2, M = 5, 100 runs, as printed"];

fn blue(s: &Sheet) -> Done {
    let (exact, n) = (FIGURE_8.exact(s)?, FIGURE_8.inputs as f64);
    s.printed(TINY).of("draws").at_most("error at d ≈ 10 N", exact[BLUE].at(D_1024)?);
    let mut boot = s.stream("bootstrap, blue")?;
    let mut fall = |curve: &ErrorCurve| exponent(curve, (n, 4.0 * n), &mut boot);
    let (blue, orange, green) = (fall(&exact[BLUE])?, fall(&exact[ORANGE])?, fall(&exact[GREEN])?);
    let root = fall(&FIGURE_8.of(s, &Scheme::power(0.5)?)?)?;
    for (k, name, other) in [(GREEN, "top d/8", green), (ORANGE, "q₁", orange)] {
        // Both intervals count, so that the sign does not rest on one of them.
        let label = format!("N ≤ d ≤ 4N: slope of q₀ less that of {name}, upper end");
        s.printed(Margin::ZERO).at_most(label, blue.high - other.low);
        let above = ErrorCurve::new(exact[BLUE].x().to_vec(), exact[BLUE].runs() - exact[k].runs())?;
        let label = format!("d < N: error of q₀ less that of {name}, the least over d");
        s.printed(Margin::ZERO).of("draws").at_least(label, lowest(&above.between(0.0, n - 1.0)?)?);
    }
    let label = "weights p^(1/2) in place of equal ones: slope less that of top d/8, upper end";
    s.twin(Margin::ZERO).at_most(label, root.high - green.low);
    s.note("zero-one in shape and not a step: the fall takes a decade of d around N");
    // The findings are exact expectations; the runs are the dots of the figure.
    FIGURE_8.simulated(s)?.on(s);
    s.figure(FIGURE_8.figure(s, "One scheme falls at N, one as d^{−1/4}, one as 1/d")?);
    s.table(local_slopes(s, &exact)?);
    Ok(())
}

fn orange(s: &Sheet) -> Done {
    let (exact, runs, mut boot) = (FIGURE_8.exact(s)?, FIGURE_8.simulated(s)?, s.stream("bootstrap, orange")?);
    let mut slope = |curve: &ErrorCurve| exponent(curve, (8.0, 1024.0), &mut boot);
    let drawn = s.printed(DRAWN_EXPONENT);
    drawn.of("draws").equals("slope for 8 ≤ d ≤ 1024, exact expectation", -0.25, slope(&exact[ORANGE])?);
    let seen = runs.on(s).over_dims(&schemes()?[ORANGE], Samples::Population)?;
    drawn.of("runs").near("slope for 8 ≤ d ≤ 1024, 100 runs", -0.25, slope(&seen)?);
    let limit = untruncated(s, 2.0, 1.0)?.slope;
    s.printed(EXPONENT_IN_D).of("draws").equals("limit of the slope, N = ∞, d up to 2^60", -0.25, limit);
    let label = "weights p^(1/2) in place of p: slope for 8 ≤ d ≤ 1024";
    let wrong = slope(&FIGURE_8.of(s, &Scheme::power(0.5)?)?)?;
    s.twin(DRAWN_EXPONENT).of("draws").equals(label, -0.25, wrong);
    Ok(())
}

fn green(s: &Sheet) -> Done {
    let (exact, runs, law) = (FIGURE_8.exact(s)?, FIGURE_8.simulated(s)?, FIGURE_8.law()?);
    let (runs, green, mut boot) = (runs.on(s), &schemes()?[GREEN], s.stream("bootstrap, green")?);
    let without_end = |curve: &ErrorCurve| -> Result<ErrorCurve, Failure> {
        let below = curve.between(16.0, 600.0)?;
        let as_if: Vec<f64> =
            below.x().iter().map(|d| 8.0 * law.constant() / d / law.tail((d / 8.0) as usize)).collect();
        Ok(below.times(&as_if)?)
    };
    let straight = without_end(&exact[GREEN])?.slope(&mut boot)?;
    let seen = without_end(&runs.over_dims(green, Samples::Population)?)?.slope(&mut boot)?;
    let drawn = exponent(&exact[GREEN], (16.0, 200.0), &mut boot)?;
    let whole = exponent(&exact[GREEN], (16.0, 8.0 * FIGURE_8.inputs as f64 - 1.0), &mut boot)?;
    s.printed(DRAWN_EXPONENT).of("draws").equals("slope as drawn, 16 ≤ d < 8N", -1.0, whole);

    s.condition("up to about d = 2N; beyond, the tail of N = 100 inputs ends and the curve bends below 1/d, as it does not at N = 1000 (Figure 9)");
    let up_to = s.changed(DRAWN_EXPONENT);
    up_to.of("draws").equals("slope as drawn, 16 ≤ d ≤ 200", -1.0, drawn);
    up_to.of("draws").equals("slope for 16 ≤ d ≤ 600, the end of the tail divided out", -1.0, straight);
    up_to.of("runs").near("the same, 100 runs", -1.0, seen);
    let label = "share of runs with error exactly zero at d = 1024 > 8N";
    s.changed(NEARLY_ALL).of("runs").at_least(label, runs.zero_share(green, 1024, Samples::Population)?);

    let root = exponent(&FIGURE_8.of(s, &top_power(0.0, 0.5)?)?, (16.0, 200.0), &mut boot)?;
    s.twin(DRAWN_EXPONENT).of("draws").equals("P = √d in place of d/8: slope, 16 ≤ d ≤ 200", -1.0, root);
    Ok(())
}

/// Slopes of the three exact curves on four windows.
fn local_slopes(s: &Sheet, exact: &[ErrorCurve]) -> Result<Table, Failure> {
    let mut boot = s.stream("bootstrap, windows")?;
    let mut list = vec![("scheme", NAMES.map(str::to_string).to_vec().into())];
    for (name, window) in [
        ("8 to 64", (8.0, 64.0)),
        ("64 to 256", (64.0, 256.0)),
        ("256 to 724", (256.0, 724.0)),
        ("8 to 1024", (8.0, 1024.0)),
    ] {
        let slopes = exact.iter().map(|curve| Ok(exponent(curve, window, &mut boot)?.value));
        list.push((name, slopes.collect::<Result<Vec<f64>, Failure>>()?.into()));
    }
    Ok(Table::new(columns(list)?)
        .title("Slopes of the three curves, window by window")
        .caption("Exact expectations, N = 100. A window is a range of d.")
        .digits(3))
}
