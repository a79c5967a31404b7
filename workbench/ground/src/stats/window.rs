//! Windows of log-log plots, and the slopes in them.

use super::Error;
use crate::check;

pub(crate) fn check_window(op: &'static str, (low, high): (f64, f64)) -> Result<(), Error> {
    if low > 0.0 && low < high && high.is_finite() {
        Ok(())
    } else {
        let problem = format!("the window ({low}, {high}) is not positive, finite and increasing");
        Err(Error::refused(op, problem, "give it in units of x"))
    }
}

/// What has a logarithm.
pub(super) const POSITIVE: &str = "positive numbers: narrow the window, or average more runs so that they are";

/// Slopes between neighbours of points sorted by ln x; neighbours with equal x are skipped.
pub(crate) fn slopes_between(ln_x: &[f64], ln_y: &[f64]) -> Vec<(f64, f64)> {
    ln_x.windows(2)
        .zip(ln_y.windows(2))
        .filter(|(a, _)| a[1] > a[0])
        .map(|(a, b)| ((0.5 * (a[0] + a[1])).exp(), (b[1] - b[0]) / (a[1] - a[0])))
        .collect()
}

/// Positive points by rising x, as (x, ln x, ln y).
fn sorted_logs(op: &'static str, x: &[f64], y: &[f64]) -> Result<Vec<(f64, f64, f64)>, Error> {
    check::same(op, ("x", x.len()), ("y", y.len()))?;
    check::data(op, "x", x, 2)?;
    check::data(op, "y", y, 2)?;
    check::entries(op, "x", x, |v| v > 0.0, POSITIVE)?;
    check::entries(op, "y", y, |v| v > 0.0, POSITIVE)?;
    let mut points: Vec<_> = x.iter().zip(y).map(|(&x, &y)| (x, x.ln(), y.ln())).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(points)
}

/// Local exponents: d ln y / d ln x between neighbouring points, as (geometric mean of the two x, slope), by rising x.
///
/// **Shapes**: x, y (m), any order, m >= 2; at most m - 1 slopes, fewer where x repeats.
///
/// **Errors**: [`Error::Shape`], [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`], [`Error::Entry`] for what is not positive.
///
/// ```
/// let slopes = workbench_ground::stats::local_slopes(&[1.0, 4.0, 16.0], &[1.0, 2.0, 2.0])?;
/// assert!((slopes[0].0 - 2.0).abs() < 1e-12 && (slopes[0].1 - 0.5).abs() < 1e-12 && slopes[1].1 == 0.0);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn local_slopes(x: &[f64], y: &[f64]) -> Result<Vec<(f64, f64)>, Error> {
    let points = sorted_logs("local_slopes", x, y)?;
    let ln_x: Vec<f64> = points.iter().map(|p| p.1).collect();
    let ln_y: Vec<f64> = points.iter().map(|p| p.2).collect();
    Ok(slopes_between(&ln_x, &ln_y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: i32) -> Vec<f64> {
        (0..n).map(|k| 1.5f64.powi(k)).collect()
    }

    #[test]
    fn local_slopes_of_a_power_law_are_its_exponent() {
        let mut x = grid(8);
        x.reverse();
        let y: Vec<f64> = x.iter().map(|v| 2.0 * v.powf(1.3)).collect();
        let slopes = local_slopes(&x, &y).unwrap();
        assert_eq!(slopes.len(), 7);
        assert!(slopes.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(slopes.iter().all(|s| (s.1 - 1.3).abs() < 1e-12));
        assert_eq!(local_slopes(&[1.0, 1.0, 2.0], &[1.0, 2.0, 4.0]).unwrap().len(), 1, "equal x are skipped");
    }

    #[test]
    fn bad_input_is_refused() {
        let x = grid(8);
        let y = grid(8);
        assert!(matches!(local_slopes(&x, &y[1..]), Err(Error::Shape { .. })));
        assert!(matches!(local_slopes(&[], &[]), Err(Error::Empty { .. })));
        assert!(matches!(local_slopes(&[1.0], &[1.0]), Err(Error::TooFew { .. })));
        assert!(matches!(local_slopes(&[1.0, f64::NAN], &[1.0, 1.0]), Err(Error::NotFinite { name: "x", .. })));
        assert!(matches!(local_slopes(&[1.0, 2.0], &[0.0, 1.0]), Err(Error::Entry { name: "y", .. })));
    }
}
