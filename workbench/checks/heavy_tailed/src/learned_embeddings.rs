//! Learned embeddings (Section 3 and its figures in Appendix C.2): the task and the margins of the checks.

use workbench_ground::stats::{Estimate, proportion};
use workbench_ledger::{Failure, Margin};
use workbench_memory::{ErrorCurve, Target, Zipf};

/// An exponent in d, or in N, on one decade or two.
pub const EXPONENT: Margin = Margin::statistical(
    "exponent on a decade",
    0.25,
    "half of what tells a power of one from none, from a half and a half, or from two; what one logarithm adds on these ranges stays below",
);
/// A share of seeds that is one as far as sixty of them can tell.
pub const NEARLY_ALL: Margin = Margin::statistical(
    "no failure in sixty seeds",
    0.85,
    "the interval of a share without a failure in sixty seeds ends at 0.88; one failure moves it below this",
);

/// Inputs of Figures 5, 8, 11 and 12.
pub const INPUTS: usize = 100;
/// Their classes.
pub const CLASSES: usize = 5;

/// Their law, alpha = 2.
///
/// # Errors
/// None.
pub fn law() -> Result<Zipf, Failure> {
    Ok(Zipf::new(2.0, INPUTS)?)
}

/// Their classes, `f_*(x) = x mod M`.
///
/// # Errors
/// No classes.
pub fn target(classes: usize) -> Result<Target, Failure> {
    Ok(Target::modulo(classes)?)
}

/// A share with its exact interval.
///
/// # Errors
/// None of none.
pub fn share(hits: usize, of: usize) -> Result<Estimate, Failure> {
    Ok(proportion(hits, of)?)
}

/// The difference of two independent estimates, with both half-widths.
///
/// # Errors
/// None for intervals that hold their values.
pub fn apart(a: Estimate, b: Estimate) -> Result<Estimate, Failure> {
    let (low, high) = (a.low - b.high, a.high - b.low);
    Ok(Estimate::new(a.value - b.value, low, high, a.n.min(b.n), a.confidence.min(b.confidence))?)
}

/// The quotient of two independent positive estimates, with the ends of both.
///
/// # Errors
/// A denominator whose interval reaches zero.
pub fn over(a: Estimate, b: Estimate) -> Result<Estimate, Failure> {
    let (low, high) = (a.low.max(0.0) / b.high, a.high / b.low);
    Ok(Estimate::new(a.value / b.value, low, high, a.n.min(b.n), a.confidence.min(b.confidence))?)
}

/// Means to draw on a logarithmic axis: what is below stands on `floor`.
pub fn drawn(curve: &ErrorCurve, floor: f64) -> Vec<f64> {
    curve.means().iter().map(|e| e.max(floor)).collect()
}
