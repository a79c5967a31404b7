//! A measured number with its interval and the number of independent units behind it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::check;
use crate::error::Error;
use crate::extremes::{largest_of, least_of};

/// House confidence of intervals: hundreds of checks run, so a 95 % interval would raise false alarms.
pub const CONFIDENCE: f64 = 0.999;

/// A value with a confidence interval.
///
/// **Units and ranges**: `low <= value <= high`, all finite; `n >= 1` counts independent units (runs, not steps inside a run);
/// `confidence` in (0, 1], where 1 is kept for exact values.
///
/// ```
/// use workbench_ground::stats::Estimate;
/// let slope = Estimate::new(-0.5, -0.53, -0.48, 20, 0.999)?;
/// assert!(slope.contains(-0.5) && !slope.contains(-0.4));
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Point estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Independent units behind the estimate.
    pub n: u64,
    /// Nominal coverage of the interval.
    pub confidence: f64,
}

impl Estimate {
    /// A value known without sampling error: no width, one unit, confidence 1.
    ///
    /// A NaN stays a NaN here; [`Estimate::new`] refuses it.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, low: value, high: value, n: 1, confidence: 1.0 }
    }

    /// A value with its interval.
    ///
    /// **Errors**: [`Error::Refused`] unless `low <= value <= high` are finite and `n >= 1`; [`Error::Parameter`] unless
    /// `0 < confidence <= 1`.
    pub fn new(value: f64, low: f64, high: f64, n: u64, confidence: f64) -> Result<Estimate, Error> {
        let ordered = low <= value && value <= high;
        if !(ordered && low.is_finite() && high.is_finite() && n >= 1) {
            let problem = format!("{value} with interval [{low}, {high}], n = {n}");
            let next = "need finite low <= value <= high and n >= 1";
            return Err(Error::refused("estimate", problem, next));
        }
        let allowed = "a number in (0, 1]; the house default is 0.999";
        let inside = confidence > 0.0 && confidence <= 1.0;
        check::within("estimate", "confidence", confidence, inside, allowed)?;
        Ok(Estimate { value, low, high, n, confidence })
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.high - self.low)
    }

    /// Whether `x` lies in the closed interval.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The estimate of `f(value)` for a monotone `f`; a falling `f` swaps the ends.
    ///
    /// **Errors**: [`Error::Refused`] if the three images are not finite or not in order, which a monotone `f` cannot cause by itself.
    pub fn map(&self, f: fn(f64) -> f64) -> Result<Estimate, Error> {
        let (a, b) = (f(self.low), f(self.high));
        Estimate::new(f(self.value), least_of([a, b]), largest_of([a, b]), self.n, self.confidence)
    }

    /// The estimate of `factor * value + shift`.
    ///
    /// **Errors**: [`Error::Refused`] if the result is not finite.
    pub fn affine(&self, factor: f64, shift: f64) -> Result<Estimate, Error> {
        let [v, a, b] = [self.value, self.low, self.high].map(|x| factor * x + shift);
        Estimate::new(v, least_of([a, b]), largest_of([a, b]), self.n, self.confidence)
    }
}

impl From<f64> for Estimate {
    fn from(value: f64) -> Estimate {
        Estimate::exact(value)
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.confidence == 1.0 && self.low == self.high {
            return write!(f, "{} (exact)", short(self.value));
        }
        // Rounding to 1e-6 of a percent hides the binary tail of, say, 100 * 0.999.
        let percent = (self.confidence * 1e8).round() / 1e6;
        let (v, l, h) = (short(self.value), short(self.low), short(self.high));
        write!(f, "{v} [{l}, {h}] ({percent} %, n = {})", self.n)
    }
}

/// Five significant digits, without exponent where that is readable.
fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let scale = x.abs().log10().floor();
    if (-4.0..6.0).contains(&scale) { format!("{x:.*}", (4.0 - scale).max(0.0) as usize) } else { format!("{x:.4e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_refuses_intervals_that_say_nothing() {
        let nan = f64::NAN;
        for (v, l, h, n) in [
            (nan, 0.0, 1.0, 1),
            (0.5, nan, 1.0, 1),
            (0.5, 0.0, nan, 1),
            (0.5, f64::NEG_INFINITY, 1.0, 1),
            (0.5, 0.0, f64::INFINITY, 1),
            (0.5, 1.0, 0.0, 1),
            (2.0, 0.0, 1.0, 1),
            (0.5, 0.0, 1.0, 0),
        ] {
            assert!(
                matches!(Estimate::new(v, l, h, n, 0.999), Err(Error::Refused { problem, .. }) if problem.contains("with interval")),
                "{v} {l} {h} {n}"
            );
        }
        for c in [0.0, -1.0, 1.1, nan] {
            assert!(
                matches!(Estimate::new(0.5, 0.0, 1.0, 1, c), Err(Error::Parameter { name: "confidence", .. })),
                "{c}"
            );
        }
        assert!(Estimate::new(0.0, 0.0, 0.0, 1, 1.0).is_ok());
    }

    #[test]
    fn map_and_affine_keep_the_interval_around_the_value() {
        let e = Estimate::new(2.0, 1.0, 4.0, 9, 0.99).unwrap();
        let falling = e.map(|x| 1.0 / x).unwrap();
        assert_eq!((falling.low, falling.value, falling.high, falling.n), (0.25, 0.5, 1.0, 9));
        let moved = e.affine(-1.0, 10.0).unwrap();
        assert_eq!((moved.low, moved.value, moved.high), (6.0, 8.0, 9.0));
        let around = Estimate::new(0.0, -1.0, 1.0, 2, 0.9).unwrap();
        assert!(around.map(|x| x * x).is_err(), "not monotone");
        assert!(e.map(|_| f64::NAN).is_err());
        let at_its_end = Estimate::new(1.0, 0.5, 1.0, 9, 0.999).unwrap();
        assert!(at_its_end.map(|x| if x < 1.0 { f64::NAN } else { x }).is_err(), "no width");
        assert!(e.affine(f64::INFINITY, 0.0).is_err());
    }

    #[test]
    fn shown_with_interval_confidence_and_n() {
        let e = Estimate::new(0.123456, 0.1, 0.15, 30, 0.999).unwrap();
        assert_eq!(e.to_string(), "0.12346 [0.10000, 0.15000] (99.9 %, n = 30)");
        assert_eq!(Estimate::exact(2.0).to_string(), "2.0000 (exact)");
        assert_eq!(Estimate::exact(1e-9).to_string(), "1.0000e-9 (exact)");
        assert_eq!(Estimate::exact(123456789.0).to_string(), "1.2346e8 (exact)");
    }

    #[test]
    fn survives_json() {
        let e = Estimate::new(0.1, 0.0, 0.3, 5, 0.999).unwrap();
        let text = serde_json::to_string(&e).unwrap();
        assert_eq!(serde_json::from_str::<Estimate>(&text).unwrap(), e);
    }
}
