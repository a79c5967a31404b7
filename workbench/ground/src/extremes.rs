//! The largest and the least of computed values.

use std::borrow::Borrow;

/// The largest of some values; NaN if there are none or one is, where `f64::max` would pass over it.
///
/// ```
/// use workbench_ground::stats::largest_of;
/// assert_eq!(largest_of([1.0, 3.0, 2.0]), 3.0);
/// assert!(largest_of([1.0, f64::NAN]).is_nan());
/// ```
pub fn largest_of(values: impl IntoIterator<Item = impl Borrow<f64>>) -> f64 {
    let larger = |m: f64, x: f64| if m.is_nan() || x.is_nan() { f64::NAN } else { m.max(x) };
    let values = values.into_iter().map(|x| *x.borrow());
    values.reduce(larger).unwrap_or(f64::NAN)
}

/// The least of some values; NaN if there are none or one is.
///
/// ```
/// assert_eq!(workbench_ground::stats::least_of(&[1.0, 3.0, 2.0]), 1.0);
/// ```
pub fn least_of(values: impl IntoIterator<Item = impl Borrow<f64>>) -> f64 {
    -largest_of(values.into_iter().map(|x| -x.borrow()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_passed_over() {
        for values in [vec![f64::NAN, 1.0], vec![1.0, f64::NAN], vec![]] {
            assert!(largest_of(&values).is_nan() && least_of(&values).is_nan());
        }
        assert_eq!((largest_of([-2.0, 1.0]), least_of([-2.0, 1.0])), (1.0, -2.0));
        assert_eq!((largest_of([f64::INFINITY, 0.0]), least_of([0.0])), (f64::INFINITY, 0.0));
    }
}
