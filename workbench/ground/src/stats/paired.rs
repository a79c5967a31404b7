//! Comparisons of two methods, paired (the same problems or seeds) and unpaired.

use super::means::{moments, t_interval};
use super::student::student_quantile;
use super::{CONFIDENCE, Error, Estimate};
use crate::check;

/// Mean of a - b over pairs with Student's t interval, at the house confidence.
///
/// **Shapes**: a, b (n), n >= 2; `a[i]` and `b[i]` belong to the same unit. What the units share cancels.
///
/// **Errors**: [`Error::Shape`], [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`]. Cost O(n).
///
/// ```
/// let d = workbench_ground::stats::paired_difference(&[10.0, 20.0, 30.0], &[9.0, 19.0, 29.0])?;
/// assert_eq!((d.value, d.low, d.high), (1.0, 1.0, 1.0));
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn paired_difference(a: &[f64], b: &[f64]) -> Result<Estimate, Error> {
    paired_difference_at(a, b, CONFIDENCE)
}

/// [`paired_difference`] at another confidence in (0, 1).
///
/// **Errors**: as [`paired_difference`], and [`Error::Parameter`] for the confidence.
pub fn paired_difference_at(a: &[f64], b: &[f64], confidence: f64) -> Result<Estimate, Error> {
    let op = "paired_difference";
    let differences = differences(op, a, b)?;
    t_interval(op, "a - b", &differences, confidence)
}

fn differences(op: &'static str, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Error> {
    check::same(op, ("a", a.len()), ("b", b.len()))?;
    check::data(op, "a", a, 1)?;
    check::data(op, "b", b, 1)?;
    Ok(a.iter().zip(b).map(|(a, b)| a - b).collect())
}

/// Difference of the means of two independent samples, mean(a) - mean(b), with Welch's t interval, at the house confidence.
///
/// The degrees of freedom are those of Welch and Satterthwaite; variances and sizes may differ.
///
/// **Shapes**: a (m), b (n), both at least 2. `n` of the result is the smaller size.
///
/// **Errors**: [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`]. Cost O(m + n).
///
/// ```
/// let d = workbench_ground::stats::difference(&[1.0, 2.0, 3.0], &[1.0, 1.0])?;
/// assert_eq!((d.value, d.n), (1.0, 2));
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn difference(a: &[f64], b: &[f64]) -> Result<Estimate, Error> {
    difference_at(a, b, CONFIDENCE)
}

/// [`difference`] at another confidence in (0, 1).
///
/// **Errors**: as [`difference`], and [`Error::Parameter`] for the confidence.
pub fn difference_at(a: &[f64], b: &[f64], confidence: f64) -> Result<Estimate, Error> {
    let op = "difference";
    check::confidence(op, confidence)?;
    check::data(op, "a", a, 2)?;
    check::data(op, "b", b, 2)?;
    let (m, n) = (a.len() as f64, b.len() as f64);
    let ((mean_a, var_a), (mean_b, var_b)) = (moments(a), moments(b));
    let (part_a, part_b) = (var_a / m, var_b / n);
    let variance = part_a + part_b;
    let half = if variance == 0.0 {
        0.0
    } else {
        // Shares of the variance, so that squares of tiny variances do not vanish.
        let (share_a, share_b) = (part_a / variance, part_b / variance);
        let dof = 1.0 / (share_a * share_a / (m - 1.0) + share_b * share_b / (n - 1.0));
        student_quantile(0.5 + 0.5 * confidence, dof) * variance.sqrt()
    };
    let value = mean_a - mean_b;
    Estimate::new(value, value - half, value + half, a.len().min(b.len()) as u64, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Streams;

    include!("testdata/paired.in");

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got} against {want}");
    }

    /// SciPy values and full enumeration; see `testdata/outside.py`.
    #[test]
    fn match_outside_values() {
        let d = paired_difference(&A, &B).unwrap();
        close(d.value, PAIRED[0].0, 1e-12);
        close(d.low, PAIRED[0].1, 1e-11);
        close(d.high, PAIRED[0].2, 1e-11);
        let d = difference(&A, &BIG).unwrap();
        close(d.value, WELCH[0].0, 1e-12);
        close(d.low, WELCH[0].1, 1e-11);
        close(d.high, WELCH[0].2, 1e-11);
    }

    #[test]
    fn swapping_the_sides_flips_the_difference() {
        let mut s = Streams::new(1).stream("swap").unwrap();
        let a: Vec<f64> = (0..30).map(|_| s.normal()).collect();
        let b: Vec<f64> = (0..30).map(|_| s.normal() + 0.5).collect();
        let (x, y) = (paired_difference(&a, &b).unwrap(), paired_difference(&b, &a).unwrap());
        close(x.low, -y.high, 1e-14);
    }

    #[test]
    fn bad_input_is_refused() {
        let bad = [1.0, f64::NAN];
        assert!(matches!(paired_difference(&[1.0], &[2.0]), Err(Error::TooFew { .. })));
        assert!(matches!(paired_difference(&[1.0, 2.0], &[2.0]), Err(Error::Shape { .. })));
        assert!(matches!(paired_difference(&[], &[]), Err(Error::Empty { .. })));
        assert!(matches!(paired_difference(&bad, &[0.0; 2]), Err(Error::NotFinite { .. })));
        assert!(matches!(
            paired_difference_at(&[1.0, 2.0], &[0.0; 2], 1.0),
            Err(Error::Parameter { name: "confidence", .. })
        ));
        assert!(matches!(difference(&[1.0], &[1.0, 2.0]), Err(Error::TooFew { .. })));
        assert!(matches!(difference(&[1.0, 2.0], &[]), Err(Error::Empty { .. })));
        assert!(matches!(difference(&bad, &[1.0, 2.0]), Err(Error::NotFinite { name: "a", .. })));
        assert!(matches!(
            difference_at(&[1.0, 2.0], &[1.0, 2.0], f64::NAN),
            Err(Error::Parameter { name: "confidence", .. })
        ));
        assert_eq!(difference(&[2.0; 3], &[1.0; 4]).unwrap().half_width(), 0.0);
        let huge = paired_difference(&[f64::MAX, 0.0], &[-f64::MAX, 0.0]);
        assert!(matches!(huge, Err(Error::NotFinite { name: "a - b", .. })));
    }
}
