//! Powers of the width, as Appendix C.1 asks for them.

use workbench_ground::stats::{Estimate, Stream, mean};
use workbench_ledger::{Done, Failure, Margin, Says};
use workbench_memory::ErrorCurve;

/// How near a measured power has to be to a stated one.
pub const POWER: Margin = Margin::statistical(
    "power",
    0.1,
    "a fifth of what tells the next power that anybody would state, half a unit off; fits at these sizes leave less",
);

/// States that the slope of a curve in d is the power, over runs.
///
/// # Errors
/// A curve that has no slope.
pub fn in_d(says: Says, label: impl Into<String>, stated: f64, curve: &ErrorCurve, boot: &mut Stream) -> Done {
    says.of("runs").equals(label, stated, curve.slope(boot)?);
    Ok(())
}

/// Power of x in the units of a curve, fitted unit by unit to logarithms: the median unit counts, not the largest, where some explode.
///
/// # Errors
/// Fewer than two units.
pub fn typical_power(curve: &ErrorCurve) -> Result<Estimate, Failure> {
    let x: Vec<f64> = curve.x().iter().map(|x| x.ln()).collect();
    let centre = x.iter().sum::<f64>() / x.len() as f64;
    let square: f64 = x.iter().map(|x| (x - centre).powi(2)).sum();
    let powers: Vec<f64> = curve
        .runs()
        .outer_iter()
        .map(|run| x.iter().zip(run).map(|(x, y)| (x - centre) * y.ln()).sum::<f64>() / square)
        .collect();
    Ok(mean(&powers)?)
}
