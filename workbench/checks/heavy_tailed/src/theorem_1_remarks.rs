//! Theorem 1, its last two sentences: weights p, and equal weights.
//!
//! **Claims.** (`heavy-tailed/thm-1-rho-1`) For rho = 1 the error, printed E(f_0), scales as d^(-(alpha-1)/2 alpha). (`heavy-tailed/thm-1-rho-0`) For
//! rho = 0 it can be read as (d/N)^(-infinity), which goes to zero if and only if d is bigger than N.
//!
//! "Scales" has two sides, so the slope must equal the exponent; both readings of the index are run. The second remark is about growing N,
//! and up to logarithms and constants, as the theorem is. So where d is bigger than N by a logarithm the error has to fall; where d is a part of
//! N it must not. A Gaussian tail gives the power of N with which it falls, -M/4, which the estimator must meet. Whether bigger by a constant,
//! d = 2N, suffices is asked beside.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, Scheme, Zipf, power_law, powers_of_two, untruncated_exponent};

use super::exponents::{CLASSES, EXPONENT_IN_D, target};
use super::scaling_curves::{GAUSSIAN_TAIL, draws, untruncated};

const FALLS: Margin = Margin::statistical(
    "falls",
    -0.02,
    "the margin of every exponent in d, on the side on which the error goes to zero",
);

/// Weights p, and the index as printed.
pub const BY_FREQUENCY: Check = Check {
    claim: "heavy-tailed/thm-1-rho-1",
    metric: "slope of ln error in ln d, of exact expected errors with infinite data",
    against: "another slope than -(α-1)/2α, on either side",
    choices: &["M = 5; ρ = 1: N = ∞, d = 2^32 to 2^60; index as printed: N = 2^40, d = 2^16 to 2^36"],
    run: by_frequency,
    ..Check::DEFAULT
};

/// Equal weights on all inputs.
pub const EQUAL_WEIGHTS: Check = Check {
    claim: "heavy-tailed/thm-1-rho-0",
    metric: "slope in ln N of ln error, exact expectation, where d is 2N, N ln N and N/2",
    against: "an error at d = N ln N that does not vanish; an error at d = N/2 that does",
    protocol: &["ρ = 0"],
    choices: &["infinite data; M = 5, N = 2^10 to 2^40; the figure has N = 50 to 2^40 and d/N = 1/10 to 20"],
    run: equal_weights,
    ..Check::DEFAULT
};

fn by_frequency(s: &Sheet) -> Done {
    let (draws, target, dims) = (draws(s)?, target()?, powers_of_two(16, 36, 4)?);
    let equal = draws.curve(&Zipf::new(2.0, 1 << 40)?, &target, &Scheme::uniform(), &dims)?;
    let weighted = draws.curve(&Zipf::infinite(2.0)?, &target, &Scheme::power(1.0)?, &dims)?;
    let slope = equal.slope(&mut s.stream("bootstrap, index as printed")?)?;
    let exponent = -untruncated_exponent(2.0, 1.0)?;
    s.printed(EXPONENT_IN_D).of("draws").equals("slope of E(f_0), index as printed, α = 2", exponent, slope);
    s.misprint("the error is that of f_1, not of f_0");
    for alpha in [2.0, 1.5, 3.0] {
        let (exponent, slope) = (-untruncated_exponent(alpha, 1.0)?, untruncated(s, alpha, 1.0)?.slope);
        s.changed(EXPONENT_IN_D).of("draws").equals(format!("slope of E(f_1), α = {alpha}"), exponent, slope);
    }
    let squared = untruncated(s, 2.0, 2.0)?.slope;
    s.twin(EXPONENT_IN_D).of("draws").equals("weights p² in place of p: slope, α = 2", exponent, squared);

    let (x, weighted) = (equal.x(), weighted.means());
    let panel = Panel::new("α = 2")
        .x_label("d")
        .y_label("error")
        .log_x()
        .log_y()
        .line("ρ = 0 (index as printed)", x, &equal.means())
        .line("ρ = 1", x, &weighted)
        .theory("d^{−1/4}", x, &power_law(x, weighted[0] * x[0].powf(0.25), -0.25))
        .legend_below();
    s.figure(
        Figure::new("With ρ = 1 the error falls as stated, with ρ = 0 hardly at all")
            .panel(panel)
            .caption("The dashed line has the printed exponent. N = 2^{40} for ρ = 0, and N = ∞ for ρ = 1."),
    );
    Ok(())
}

/// Ratios d/N and inputs N of the figure.
const RATIOS: [f64; 9] = [0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 4.0, 10.0, 20.0];
const INPUTS: [usize; 6] = [50, 100, 200, 400, 800, 1 << 40];

fn equal_weights(s: &Sheet) -> Done {
    s.see("heavy-tailed/table-1");
    let (equal, mut boot) = (Scheme::uniform(), s.stream("bootstrap, equal weights")?);
    let mut slope = |scheme: &Scheme, dim: fn(f64) -> f64| -> Result<Estimate, Failure> {
        Ok(growing_inputs(s, scheme, dim)?.slope(&mut boot)?)
    };
    let twice = slope(&equal, |n| 2.0 * n)?;
    let power = -(CLASSES as f64) / 4.0;
    let log = slope(&equal, |n| n * n.ln())?;
    s.printed(FALLS).of("draws").at_most("d = N ln N: slope of the error in N", log);
    let label = "d = N ln N: slope of the error in N, against -M/4";
    s.support(GAUSSIAN_TAIL).of("draws").equals(label, power, log);
    let half = slope(&equal, |n| n / 2.0)?;
    s.printed(EXPONENT_IN_D).of("draws").equals("d = N/2: slope of the error in N", 0.0, half);
    s.aside(FALLS).of("draws").at_most("d = 2N: slope of the error in N", twice);
    let label = "d = N/ln N in place of N ln N: slope of the error in N";
    s.twin(FALLS).of("draws").at_most(label, slope(&equal, |n| n / n.ln())?);
    let label = "weights p^(1/2) in place of equal ones, d = N ln N: slope of the error in N";
    s.twin(GAUSSIAN_TAIL).of("draws").equals(label, power, slope(&Scheme::power(0.5)?, |n| n * n.ln())?);
    let level = s.aside(Margin::ZERO).of("draws");
    level.at_least("error at d = 2N, N = 2^40", growing_inputs(s, &equal, |n| 2.0 * n)?.at(3)?);
    level.at_least("error at d = N/2, N = 2^40", growing_inputs(s, &equal, |n| n / 2.0)?.at(3)?);
    s.figure(figure(&over_inputs(s, &equal)?));
    Ok(())
}

/// Error along N = 2^10 to 2^40, the dimension a function of N.
fn growing_inputs(s: &Sheet, scheme: &Scheme, dim: fn(f64) -> f64) -> Result<ErrorCurve, Failure> {
    let (draws, target, mut columns) = (draws(s)?, target()?, Vec::new());
    let inputs = powers_of_two(10, 40, 10)?;
    for n in &inputs {
        let d = dim(*n as f64).round() as usize;
        columns.push(draws.curve(&Zipf::new(2.0, *n)?, &target, scheme, &[d])?.runs().column(0).to_owned());
    }
    Ok(ErrorCurve::from_columns(inputs.iter().map(|n| *n as f64).collect(), &columns)?)
}

/// Error against d/N, one curve for each N.
fn over_inputs(s: &Sheet, scheme: &Scheme) -> Result<Vec<ErrorCurve>, Failure> {
    let (draws, target) = (draws(s)?, target()?);
    let one = |n: usize| {
        let dims = RATIOS.map(|r| (r * n as f64).round() as usize);
        Ok(draws.curve(&Zipf::new(2.0, n)?, &target, scheme, &dims)?.over(&RATIOS)?)
    };
    INPUTS.into_iter().map(one).collect()
}

fn figure(curves: &[ErrorCurve]) -> Figure {
    let panel = Panel::new("equal weights, infinite data").x_label("d / N").y_label("error");
    let mut panel = panel.log_x().log_y().y_limits(1e-6, 1.0);
    for (n, curve) in INPUTS.iter().zip(curves) {
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
