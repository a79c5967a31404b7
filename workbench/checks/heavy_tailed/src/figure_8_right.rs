//! Figure 8, right: three schemes with infinite data, N = 100, alpha = 2, M = 5, 100 runs.
//!
//! **Claims.** `heavy-tailed/fig-8-right-q0`, blue, equal weights: a zero-one shape, the error is high for d < N and falls fast to zero for
//! d > N. `heavy-tailed/fig-8-right-q1`, orange, weights p: d^(-(alpha-1)/2 alpha) = d^(-1/4), as predicted.
//! `heavy-tailed/fig-8-right-q0P`, green, equal weights on the top P = d/8: d^(-(alpha-1)) = d^(-1) until the tipping point d/8 > N.
//!
//! "High" is read against the other two curves, on the same axis; "fast" by a fall steeper than theirs. That it grows steeper the farther d
//! is from N, and that the orange curve has its limit at N = infinity, is what the checks stand on. The exponents are asked of exact
//! expectations, and of the runs, with the margin of every exponent that a figure gives. "Until the tipping point" is asked as printed, up
//! to d/8 = N. Beyond N = 100 there is no tail, so the green curve should leave 1/d on its way there: where it keeps to it, up to 2N and,
//! with the N = 1000 of Figure 9, up to 1024, is asked as the repair; that the tail is what bends it, by dividing its end out.

use workbench_display::{Table, columns};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, Samples, Scheme};

use super::exponents::EXPONENT_IN_D;
use super::scaling_curves::{DRAWN_EXPONENT, TINY, top_power, untruncated};
use super::schemes_along_d::{BLUE, FIGURE_8, FIGURE_9, GREEN, NAMES, ORANGE, exponent, lowest, schemes};

const NEARLY_ALL: Margin = Margin::statistical(
    "nearly all runs",
    0.9,
    "a hundred runs without a single error prove no more than nine in ten at this confidence",
);

/// Position of d = 1024 in the figure.
const D_1024: usize = 14;

/// Blue: equal weights.
pub const BLUE_CURVE: Check = Check {
    claim: "heavy-tailed/fig-8-right-q0",
    metric: "exact expected error against that of the other two curves for d < N; slope of its logarithm from N to 4N against theirs",
    against: "another curve above it below N, another curve that falls faster above N",
    protocol: PRINTED,
    departures: &[
        "no finding is of runs: all are exact expectations, over 4000 draws of everything but the inputs (quick: 200)",
    ],
    rivals: &["the other two curves of the figure, on the same draws"],
    run: blue,
    ..Check::DEFAULT
};

/// Orange: weights by frequency.
pub const ORANGE_CURVE: Check = Check {
    claim: "heavy-tailed/fig-8-right-q1",
    metric: "slope of ln error in ln d for 8 ≤ d ≤ 1024, of the exact expectation and of 100 runs",
    against: "half or twice the exponent",
    protocol: PRINTED,
    choices: &[EXACT_TOO],
    run: orange,
    ..Check::DEFAULT
};

/// Green: equal weights on the top d/8.
pub const GREEN_CURVE: Check = Check {
    claim: "heavy-tailed/fig-8-right-q0P",
    metric: "slope of ln error in ln d up to d/8 = N, and as the repair up to 2N and with N = 1000, of the exact expectation and of 100 runs; runs without any error beyond the tipping point",
    against: "another exponent than -1 before the tipping point; errors beyond it",
    protocol: &["T = ∞, N = 100, α = 2, M = 5, P = d/8, 100 runs, as printed"],
    choices: &[
        EXACT_TOO,
        "slopes from d = 16 on; the caption gives no range",
        "that the end of the tail is what bends the curve: the error up to 6N over (tail beyond P)/(C/P)",
    ],
    run: green,
    ..Check::DEFAULT
};

const PRINTED: &[&str] = &["T = ∞, N = 100, α = 2, M = 5, 100 runs, as printed"];
const EXACT_TOO: &str =
    "beside the 100 runs the exact expectation, over 4000 draws of everything but the inputs (quick: 200)";

fn blue(s: &Sheet) -> Done {
    let (exact, n) = (FIGURE_8.exact(s)?, FIGURE_8.inputs as f64);
    let mut boot = s.stream("bootstrap, blue")?;
    let mut steeper = |curve: &ErrorCurve, other: &ErrorCurve| -> Result<Estimate, Failure> {
        let beyond = |curve: &ErrorCurve| curve.between(n, 4.0 * n);
        Ok(beyond(curve)?.relative_slope(&beyond(other)?, &mut boot)?)
    };
    for (k, name) in [(GREEN, "top d/8"), (ORANGE, "q₁")] {
        let label = format!("N ≤ d ≤ 4N: slope of q₀ less that of {name}, paired");
        s.printed(Margin::ZERO).of("draws").at_most(label, steeper(&exact[BLUE], &exact[k])?);
        let above = ErrorCurve::new(exact[BLUE].x().to_vec(), exact[BLUE].runs() - exact[k].runs())?;
        let label = format!("d < N: error of q₀ less that of {name}, the least over d");
        s.printed(Margin::ZERO).of("draws").at_least(label, lowest(&above.between(0.0, n - 1.0)?)?);
    }
    let root = FIGURE_8.of(s, &Scheme::power(0.5)?)?;
    let label = "weights p^(1/2) in place of equal ones: slope less that of top d/8, paired";
    s.twin(Margin::ZERO).of("draws").at_most(label, steeper(&root, &exact[GREEN])?);
    let mut fall = |from: f64, to: f64| exponent(&exact[BLUE], (from * n, to * n), &mut boot);
    let (near, far) = (fall(1.0, 4.0)?, fall(4.0, 10.5)?);
    // Both intervals count, so that the sign does not rest on one of them.
    s.support(Margin::ZERO)
        .at_most("slope of q₀ from 4N to 10N less that from N to 4N, upper end", far.high - near.low);
    s.aside(TINY).of("draws").at_most("error at d ≈ 10 N", exact[BLUE].at(D_1024)?);
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
    s.support(EXPONENT_IN_D).of("draws").equals("limit of the slope, N = ∞, d up to 2^60", -0.25, limit);
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
    let of_runs = runs.over_dims(green, Samples::Population)?;
    let seen = without_end(&of_runs)?.slope(&mut boot)?;
    let drawn = exponent(&exact[GREEN], (16.0, 200.0), &mut boot)?;
    let before_tipping = (16.0, 8.0 * FIGURE_8.inputs as f64 - 1.0);
    let whole = exponent(&exact[GREEN], before_tipping, &mut boot)?;
    let thousand = FIGURE_9.exact(s)?[GREEN].slope(&mut boot)?;
    s.printed(DRAWN_EXPONENT).of("draws").equals("slope as drawn, 16 ≤ d < 8N", -1.0, whole);
    s.condition(
        "up to d of about 2N, where a quarter of the inputs is stored; from there on the end of the tail of N inputs makes the curve steeper; with N = 1000 (Figure 9) it holds on the whole range that is drawn",
    );
    let changed = s.changed(DRAWN_EXPONENT).of("draws");
    changed.equals("slope as drawn, 16 ≤ d ≤ 200", -1.0, drawn);
    changed.equals("N = 1000, as in Figure 9: slope as drawn, 8 ≤ d ≤ 1024", -1.0, thousand);
    let tail = s.support(DRAWN_EXPONENT);
    tail.of("draws").equals("slope for 16 ≤ d ≤ 600, the end of the tail divided out", -1.0, straight);
    tail.of("runs").near("slope for 16 ≤ d ≤ 600, the end of the tail divided out, 100 runs", -1.0, seen);
    let label = "share of runs with error exactly zero at d = 1024 > 8N";
    s.both_forms(NEARLY_ALL).of("runs").at_least(label, runs.zero_share(green, 1024, Samples::Population)?);

    let root = exponent(&FIGURE_8.of(s, &top_power(0.0, 0.5)?)?, (16.0, 200.0), &mut boot)?;
    s.twin(DRAWN_EXPONENT).of("draws").equals("P = √d in place of d/8: slope, 16 ≤ d ≤ 200", -1.0, root);
    let label = "100 runs: slope before the tipping point, d < 8N";
    s.printed(DRAWN_EXPONENT).of("runs").near(label, -1.0, exponent(&of_runs, before_tipping, &mut boot)?);
    let label = "100 runs: slope up to d of 2N";
    s.changed(DRAWN_EXPONENT).of("runs").near(label, -1.0, exponent(&of_runs, (16.0, 200.0), &mut boot)?);
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
