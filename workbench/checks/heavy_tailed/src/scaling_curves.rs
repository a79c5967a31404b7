//! Curves, draws and margins of Theorems 1 to 3, the observations after them, Table 1 and Figures 1, 8 and 9.

use std::sync::Arc;

use workbench_ground::stats::{Estimate, Stream};
use workbench_ledger::{Failure, Margin, Setting};
use workbench_memory::{ConditionalDraws, ErrorCurve, Scheme, Threshold, Zipf, powers_of_two, unseen_mass_constant};

use super::exponents::{CLASSES, target};

/// An exponent that a figure or its caption gives.
pub const DRAWN_EXPONENT: Margin = Margin::statistical(
    "exponent of a figure",
    0.1,
    "what N of a hundred or a thousand bends an exponent on two decades of d, 0.07, and what 100 runs leave; half and twice of the smallest exponent asked, 1/4, stay out",
);
/// A constant that a caption gives.
pub const DRAWN_CONSTANT: Margin = Margin::statistical(
    "constant of a figure",
    0.1,
    "an exponent that finite N bends by 0.03 moves the constant by 0.06 within two decades of d, and the printed two digits by 0.015",
);
/// A ratio of two sides that agree up to constants, from above.
pub const UP_TO_CONSTANTS: Margin = Margin::ours(
    "constants, above",
    3.0,
    "half a decade for constants that the document leaves open, where the law itself spans two decades and more",
);
/// A ratio of two sides that agree up to constants, from below.
pub const DOWN_TO_CONSTANTS: Margin = Margin::ours(
    "constants, below",
    1.0 / 3.0,
    "half a decade for constants that the document leaves open, where the law itself spans two decades and more",
);
/// A tiny error.
pub const TINY: Margin =
    Margin::ours("tiny", 1e-3, "one query in a thousand; the document says tiny, or zero, and gives no number");
/// A power of d that a Gaussian tail exp(-(M/4) d/N) has, or a rate per unit of d/N.
pub const GAUSSIAN_TAIL: Margin = Margin::statistical(
    "rate of a Gaussian tail",
    0.1,
    "its algebraic factor, one over the root of the exponent, adds 0.03 to 0.05 on these ranges",
);

/// Draws for exact expectations, the same for all checks.
///
/// # Errors
/// None but a wish to stop.
pub fn draws(setting: &Setting) -> Result<Arc<ConditionalDraws>, Failure> {
    setting.shared("theorems 1 to 3: draws", |own| {
        let n = own.scale().pick(200, 4000);
        Ok(ConditionalDraws::new(CLASSES, n, &mut own.stream("draws")?)?)
    })
}

/// Fewer draws, for searches over thresholds.
///
/// # Errors
/// None but a wish to stop.
pub fn few_draws(setting: &Setting) -> Result<Arc<ConditionalDraws>, Failure> {
    setting.shared("theorems 1 to 3: few draws", |own| {
        let n = own.scale().pick(64, 800);
        Ok(ConditionalDraws::new(CLASSES, n, &mut own.stream("draws, theorem 2")?)?)
    })
}

/// `2^32` to `2^60`: dimensions far enough for limits.
///
/// # Errors
/// None.
pub fn far() -> Result<Vec<usize>, Failure> {
    Ok(powers_of_two(32, 60, 4)?)
}

/// Sample sizes `2^6` to `2^16`.
///
/// # Errors
/// None.
pub fn sample_sizes() -> Result<Vec<usize>, Failure> {
    Ok(powers_of_two(6, 16, 2)?)
}

/// A dimension at which only the data limit the memory.
pub const ALMOST_INFINITE: usize = 1 << 60;

/// Equal weights on the top d/8, the scheme of the figures.
///
/// # Errors
/// None.
pub fn top_eighth() -> Result<Scheme, Failure> {
    Ok(Scheme::uniform().threshold(Threshold::PerDimension(0.125))?)
}

/// Equal weights on the top `c d / ln d`.
///
/// # Errors
/// A constant that is not positive.
pub fn top_with_logarithm(c: f64) -> Result<Scheme, Failure> {
    Ok(Scheme::uniform().threshold(Threshold::PerLogDimension(c))?)
}

/// `p^rho` on the top `d^exponent`.
///
/// # Errors
/// A negative power.
pub fn top_power(rho: f64, exponent: f64) -> Result<Scheme, Failure> {
    let scale = 1.0;
    Ok(Scheme::power(rho)?.threshold(Threshold::PowerOfDimension { scale, exponent })?)
}

/// Expected error of `p^rho` with infinite data and infinitely many inputs along [`far`], with the slope of its logarithm.
pub struct Untruncated {
    /// The curve.
    pub curve: ErrorCurve,
    /// Its slope.
    pub slope: Estimate,
}

/// The curve of weights `p^rho` at `N = infinity`; computed once for each pair.
///
/// # Errors
/// `2 rho alpha <= 1`, where the load of infinitely many inputs is infinite.
pub fn untruncated(setting: &Setting, alpha: f64, rho: f64) -> Result<Arc<Untruncated>, Failure> {
    let name = format!("theorem 1: α = {alpha}, ρ = {rho}, N = ∞");
    setting.shared(&name, |own| {
        let (law, scheme) = (Zipf::infinite(alpha)?, Scheme::power(rho)?);
        let curve = draws(own)?.curve(&law, &target()?, &scheme, &far()?)?;
        let slope = curve.slope(&mut own.stream("bootstrap")?)?;
        Ok(Untruncated { curve, slope })
    })
}

/// Expected error along the sample sizes where the memory does not limit, `d = 2^60`: weights `p^1` from data of a law.
///
/// # Errors
/// Laws that cannot be drawn from.
pub fn with_data(setting: &Setting, alpha: f64) -> Result<Arc<Untruncated>, Failure> {
    setting.shared(&format!("theorem 1: data, α = {alpha}"), |own| {
        let (law, scheme) = (Zipf::infinite(alpha)?, Scheme::power(1.0)?);
        let mut data = own.stream("theorem 1, data")?;
        let (dim, sizes) = (ALMOST_INFINITE, sample_sizes()?);
        let curve = draws(own)?.sample_curve(&law, &target()?, &scheme, dim, &sizes, &mut data)?;
        let slope = curve.slope(&mut own.stream("bootstrap")?)?;
        Ok(Untruncated { curve, slope })
    })
}

/// Error along pairs of a law and a dimension, each with its sample size, which is the curve's x; every draw has its own data sets.
///
/// # Errors
/// Laws that cannot be drawn from.
pub fn along(
    draws: &ConditionalDraws,
    scheme: &Scheme,
    path: &[(Zipf, usize, usize)],
    data: &mut Stream,
) -> Result<ErrorCurve, Failure> {
    let mut columns = Vec::new();
    for (law, d, t) in path {
        columns.push(draws.sample_curve(law, &target()?, scheme, *d, &[*t], data)?.runs().column(0).to_owned());
    }
    Ok(ErrorCurve::from_columns(path.iter().map(|(_, _, t)| *t as f64).collect(), &columns)?)
}

/// The curve over a law at its points.
///
/// # Errors
/// None.
pub fn over_law(curve: &ErrorCurve, law: impl Fn(f64) -> f64) -> Result<ErrorCurve, Failure> {
    Ok(curve.times(&curve.x().iter().map(|x| 1.0 / law(*x)).collect::<Vec<f64>>())?)
}

/// The constant of `T^(-1 + 1/alpha)` where the inputs that no sample shows are guessed.
///
/// # Errors
/// A law with finitely many inputs.
pub fn unseen_constant(law: &Zipf) -> Result<f64, Failure> {
    Ok(workbench_memory::chance_error(CLASSES) * unseen_mass_constant(law)?)
}
