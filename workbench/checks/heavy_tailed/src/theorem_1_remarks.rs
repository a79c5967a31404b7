//! Theorem 1, its last two sentences: weights p, and equal weights.
//!
//! **Claims.** (`heavy-tailed/thm-1-rho-1`) For rho = 1 the error, printed E(f_0), scales as d^(-(alpha-1)/2 alpha). (`heavy-tailed/thm-1-rho-0`) For
//! rho = 0 it can be read as (d/N)^(-infinity), which goes to zero if and only if d is bigger than N.
//!
//! "Scales" has two sides, so the slope must equal the exponent; both readings of the index are run. The second remark is about growing N: at a
//! fixed ratio d/N above one the error would have to vanish. Refuted by an error at d = 2N that does not depend on N.

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, Stream, bootstrap};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, Scheme, Zipf, power_law, powers_of_two, untruncated_exponent};

use super::exponents::{CLASSES, EXPONENT_IN_D, target};
use super::scaling_curves::{TINY, draws, untruncated};

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

/// Weights p, and the index as printed.
pub const BY_FREQUENCY: Check = Check {
    claim: "heavy-tailed/thm-1-rho-1",
    metric: "slope of ln error in ln d, of exact expected errors with infinite data",
    against: "another slope than -(α-1)/2α, on either side",
    protocol: &["M = 5; ρ = 1: N = ∞, d = 2^32 to 2^60; index as printed: N = 2^40, d = 2^16 to 2^36"],
    run: by_frequency,
    ..Check::DEFAULT
};

/// Equal weights on all inputs.
pub const EQUAL_WEIGHTS: Check = Check {
    claim: "heavy-tailed/thm-1-rho-0",
    metric: "exact expected error at fixed d/N, as N grows from 800 to 2^40; fall of its logarithm per unit of d/N",
    against: "an error at d = 2N that N does not change; an error at d = N/2 that does vanish",
    protocol: &["ρ = 0, infinite data, M = 5, N = 50 to 2^40, d/N = 1/10 to 20"],
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

/// Ratios d/N, and the positions of d = N/2, d = 2N and d = 20N.
const RATIOS: [f64; 9] = [0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 4.0, 10.0, 20.0];
const HALF: usize = 2;
const TWICE: usize = 5;
const END: usize = 8;
const INPUTS: [usize; 6] = [50, 100, 200, 400, 800, 1 << 40];

fn equal_weights(s: &Sheet) -> Done {
    let (curves, light) = (over_inputs(s, &Scheme::uniform())?, over_inputs(s, &Scheme::power(0.125)?)?);
    let mut boot = s.stream("bootstrap, equal weights")?;
    let (twice, half) = (last_over_before(&curves, TWICE, &mut boot)?, last_over_before(&curves, HALF, &mut boot)?);
    s.printed(NO_LONGER).of("draws").at_most("d = 2N: error at N = 2^40 over that at N = 800", twice);

    s.weaker("the error is a function of d/N that falls exponentially; it is small if d is many times N, and there is no step at d = N");
    let same = s.changed(SAME).of("draws");
    same.equals("d = 2N: the two errors are one", 1.0, twice);
    same.equals("d = N/2: error at N = 2^40 over that at N = 800", 1.0, half);
    let last = &curves[INPUTS.len() - 1];
    s.changed(SEEN).of("draws").at_least("error at d = 2N, N = 2^40", last.at(TWICE)?);
    s.changed(SEEN).of("draws").at_least("error at d = N/2, N = 2^40", last.at(HALF)?);
    s.changed(TINY).of("draws").at_most("error at d = 20N, N = 2^40", last.at(END)?);
    let means = last.means();
    let fall = (means[END - 1] / means[END]).ln() / (RATIOS[END] - RATIOS[END - 1]);
    let label = "fall of ln error per unit of d/N from 10 to 20, against M/4";
    s.changed(RATE).equals(label, CLASSES as f64 / 4.0, fall);
    let label = "weights p^(1/8) in place of equal ones, d = 2N: the two errors are one";
    s.twin(SAME).of("draws").equals(label, 1.0, last_over_before(&light, TWICE, &mut boot)?);
    s.figure(figure(&curves));
    Ok(())
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
