//! Theorem 1: weights without a threshold.
//!
//! **Claim** (`heavy-tailed/thm-1`, Eq. 6). With weights q = phat^rho, up to powers of logarithms and constants that depend on rho, alpha, M:
//! E E(f_rho) <= (d/phi(N))^(-(alpha-1)/2 rho alpha) + T^(-1+1/alpha), with phi(N) = 1, ln N or N^(1 - 2 rho alpha) as 2 rho alpha is above,
//! at or below one.
//!
//! It is an upper bound, so a slope in ln d, ln N or ln T that is flatter than the exponent would break it. We ask for more, that the slopes
//! *equal* the exponents; and on paths on which both terms have one size the error over their sum must not grow as a power.

use workbench_display::{Figure, Panel};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{ErrorCurve, Scheme, Zipf, data_exponent, memory_load, powers_of_two, untruncated_exponent};

use super::exponents::{EXPONENT_IN_D, EXPONENT_IN_T, target};
use super::scaling_curves::{ALMOST_INFINITE, along, draws, few_draws, over_law, untruncated, with_data};

const LOGARITHMIC_LOAD: Margin = Margin::statistical(
    "logarithmic load",
    0.05,
    "the load is ln N plus 0.58, which bends a slope in ln ln N by 0.02 where N is 2^24 to 2^60",
);

/// Slopes of the expected error in d, in N and in T.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/thm-1",
    metric: "slope of ln error in ln d, ln N, ln ln N and ln T, of exact expected errors; slope in ln T of the error over the bound where its two terms have one size",
    against: "a slope flatter than the exponent, or another one than it; an error over the two terms that grows as a power",
    choices: &[
        "M = 5, f(x) = x mod 5; d = 2^32 to 2^60 where N = ∞; N = 2^50 and d = 2^28 to 2^44, and d = 2^36 and N = 2^40 to 2^56, for 2ρα = 1/2",
        "data: each draw has its own data set, T = 2^6 to 2^16, d = 2^60; ρ = 1, and ρ = 3/8, where the proof's ψ(N) is not φ(N): \
         there N = 2^10 to 2^16 as well, T = 2^16, d = 2^4, so that forty samples lie beyond the smallest N and the memory limits",
        "both terms: d = T² at ρ = 1, d = T^(3/4) at ρ = 3/8, and N = T², d = N^(1/2) T^(1/4) at 2ρα = 1/2",
    ],
    departures: &[
        "expectations are exact given the draw and not simulated, so that d reaches the limits that exponents are about",
    ],
    run,
    ..Check::DEFAULT
};

/// `(alpha, rho)` with `2 rho alpha` above one; N is infinite.
const LAWS: [(f64, f64); 4] = [(2.0, 1.0), (1.5, 1.0), (3.0, 1.0), (2.0, 0.5)];

fn run(s: &Sheet) -> Done {
    let in_d = s.printed(EXPONENT_IN_D).of("draws");
    let mut along_d = Vec::new();
    for (alpha, rho) in LAWS {
        let found = untruncated(s, alpha, rho)?;
        in_d.equals(format!("slope in d, α = {alpha}, ρ = {rho}"), -untruncated_exponent(alpha, rho)?, found.slope);
        along_d.push(((alpha, rho), found.curve.clone()));
    }
    let squared = untruncated(s, 2.0, 2.0)?.slope;
    let label = "weights p² in place of p: slope in d, α = 2";
    s.twin(EXPONENT_IN_D).of("draws").equals(label, -untruncated_exponent(2.0, 1.0)?, squared);
    let data = in_data(s)?;
    let in_n = many_inputs(s)?;
    let square = path(&[6, 8, 10, 12, 14, 16], |t| (f64::INFINITY, t * t))?;
    both_terms(s, 1.0, "d^(-1/4) + T^(-1/2), d = T²", &square)?;
    let root = path(&[8, 12, 16], |t| (f64::INFINITY, t.powf(0.75)))?;
    both_terms(s, 0.375, "d^(-2/3) + T^(-1/2), ρ = 3/8, d = T^(3/4)", &root)?;
    let loaded = path(&[8, 12, 16], |t| (t * t, t.powf(1.25)))?;
    both_terms(s, 0.125, "(d/φ(N))^(-2) + T^(-1/2), 2ρα = 1/2, N = T², d = T^(5/4)", &loaded)?;
    between(s)?;
    s.figure(figure(&along_d, &in_n, &data)?);
    Ok(())
}

/// The data term where the memory term is nothing.
fn in_data(s: &Sheet) -> Result<ErrorCurve, Failure> {
    let (data, steep) = (with_data(s, 2.0)?, with_data(s, 3.0)?);
    let in_t = s.printed(EXPONENT_IN_T).of("draws");
    in_t.equals("slope in T, α = 2, d = 2^60", -data_exponent(2.0)?, data.slope);
    in_t.equals("slope in T, α = 3, d = 2^60", -data_exponent(3.0)?, steep.slope);
    Ok(data.curve.clone())
}

/// The regimes in which the number of inputs matters, at alpha = 2; the error against N at 2 rho alpha = 1/2.
fn many_inputs(s: &Sheet) -> Result<ErrorCurve, Failure> {
    let (draws, target, light) = (draws(s)?, target()?, Scheme::power(0.125)?);
    let mut boot = s.stream("bootstrap, load")?;
    let sizes = powers_of_two(40, 56, 2)?;
    let d = 1 << 36;
    let along_d = draws.curve(&Zipf::new(2.0, 1 << 50)?, &target, &light, &powers_of_two(28, 44, 2)?)?;
    let along_n = draws.curve_over_inputs(2.0, &target, &light, d, &sizes)?;
    let quarter = Scheme::power(0.25)?;
    let at_one = draws.curve_over_inputs(2.0, &target, &quarter, 1 << 12, &powers_of_two(24, 60, 4)?)?;
    let loads: Vec<f64> = at_one.x().iter().map(|n| memory_load(2.0, 0.25, *n)).collect();
    let squared = draws.curve_over_inputs(2.0, &target, &quarter, d, &powers_of_two(40, 56, 8)?)?;
    let slope = s.printed(EXPONENT_IN_D).of("draws");
    slope.equals("slope in d, 2ρα = 1/2", -untruncated_exponent(2.0, 0.125)?, along_d.slope(&mut boot)?);
    slope.equals("slope in N, 2ρα = 1/2", 1.0, along_n.slope(&mut boot)?);
    let in_log = at_one.over(&loads)?.slope(&mut boot)?;
    s.printed(LOGARITHMIC_LOAD).of("draws").equals("slope in ln N, 2ρα = 1", 1.0, in_log);
    let wrong = s.twin(EXPONENT_IN_D).of("draws");
    wrong.equals("weights p^(1/4) in place of p^(1/8): slope in N", 1.0, squared.slope(&mut boot)?);
    Ok(along_n)
}

/// Sample sizes 2^k with the inputs and the dimension that go with each, at alpha = 2.
fn path(powers: &[i32], of: impl Fn(f64) -> (f64, f64)) -> Result<Vec<(Zipf, usize, usize)>, Failure> {
    let one = |k: &i32| {
        let t = 2f64.powi(*k);
        let (n, d) = of(t);
        let law = if n.is_finite() { Zipf::new(2.0, n as usize)? } else { Zipf::infinite(2.0)? };
        Ok((law, d as usize, t as usize))
    };
    powers.iter().map(one).collect()
}

/// Along a path on which memory and data term are both T^(-1/2): the error over their sum must not grow.
fn both_terms(s: &Sheet, rho: f64, bound: &str, path: &[(Zipf, usize, usize)]) -> Done {
    let mut data = s.stream(&format!("theorem 1, both terms, {rho}"))?;
    let mut boot = s.stream(&format!("bootstrap, both terms, {rho}"))?;
    let curve = along(&*few_draws(s)?, &Scheme::power(rho)?, path, &mut data)?;
    let over_sum = over_law(&curve, |t| 2.0 * t.powf(-0.5))?.slope(&mut boot)?;
    s.printed(EXPONENT_IN_T).of("draws").at_most(format!("error over {bound}: slope in T"), over_sum);
    Ok(())
}

/// Data drawn at rho = 3/8, alpha = 2, between 1/(2 alpha) and 1/2, where the proof's psi(N) = N^(1/4) is not phi(N) = 1: with
/// psi the memory term d^(-2/3) would grow as N^(1/6).
fn between(s: &Sheet) -> Done {
    let (draws, law, scheme) = (few_draws(s)?, Zipf::infinite(2.0)?, Scheme::power(0.375)?);
    let mut data = s.stream("theorem 1, data, 3/8")?;
    let mut boot = s.stream("bootstrap, 3/8")?;
    let sizes = powers_of_two(6, 16, 5)?;
    let curve = draws.sample_curve(&law, &target()?, &scheme, ALMOST_INFINITE, &sizes, &mut data)?;
    let (sizes, d, t) = (powers_of_two(10, 16, 2)?, 1usize << 4, 1usize << 16);
    let mut columns = Vec::new();
    for n in &sizes {
        let law = Zipf::new(2.0, *n)?;
        let mut data = s.stream(&format!("theorem 1, data, 3/8, N = {n}"))?;
        let one = draws.sample_curve(&law, &target()?, &scheme, d, &[t], &mut data)?;
        columns.push(one.runs().column(0).to_owned());
    }
    let along_n = ErrorCurve::from_columns(sizes.iter().map(|n| *n as f64).collect(), &columns)?;
    let in_t = s.printed(EXPONENT_IN_T).of("draws");
    in_t.equals("slope in T, α = 2, ρ = 3/8, d = 2^60", -data_exponent(2.0)?, curve.slope(&mut boot)?);
    let in_n = s.printed(EXPONENT_IN_D).of("draws");
    in_n.equals("data, ρ = 3/8: slope in N, N = 2^10 to 2^16", 0.0, along_n.slope(&mut boot)?);
    Ok(())
}

fn panel(title: &str, x: &str) -> Panel {
    Panel::new(title).x_label(x).y_label("error").log_x().log_y().legend_below()
}

fn figure(along_d: &[((f64, f64), ErrorCurve)], in_n: &ErrorCurve, data: &ErrorCurve) -> Result<Figure, Failure> {
    let mut left = panel("2ρα > 1, N = ∞", "d");
    for (k, ((alpha, rho), curve)) in along_d.iter().enumerate() {
        let (x, exponent) = (curve.x(), -untruncated_exponent(*alpha, *rho)?);
        let constant = curve.means()[0] * x[0].powf(-exponent);
        left = left.line(&format!("α = {alpha}, ρ = {rho}"), x, &curve.means()).colour(k).theory(
            &format!("d^{{{exponent:.3}}}"),
            x,
            &curve.law(constant, exponent),
        );
    }
    let curve = in_n;
    let middle = panel("2ρα = 1/2, d = 2^{36}", "N").line("α = 2, ρ = 1/8", curve.x(), &curve.means()).theory(
        "φ(N)² = N",
        curve.x(),
        &curve.law(curve.means()[0] / curve.x()[0], 1.0),
    );
    let curve = data;
    let right = panel("data, d = 2^{60}", "T")
        .band("99.9 % band", curve.x(), &curve.low()?, &curve.high()?)
        .line("α = 2, ρ = 1", curve.x(), &curve.means())
        .theory("T^{−1/2}", curve.x(), &curve.law(curve.means()[0] * curve.x()[0].sqrt(), -0.5));
    Ok(Figure::new("Without a threshold the error has the printed slopes")
        .panel(left)
        .panel(middle)
        .panel(right)
        .columns(3)
        .size(1250, 460)
        .caption(
            "Exact expected errors. Each dashed line has the printed exponent and starts on its curve: lines that stay together \
             mean that the exponent is right.",
        ))
}
