//! What several checks say in the same words.

use ndarray::{Array2, ArrayBase, Data, Dimension, s};
pub use workbench_ground::stats::{largest_of, least_of};
use workbench_ledger::Margin;

/// Rounding in a few hundred operations on numbers of order one, with two digits to spare.
pub const ROUNDING: Margin = Margin::new(
    "rounding",
    1e-12,
    "sums of some hundred products of numbers of order one, in double precision, with two digits to spare",
);

/// Equal in exact arithmetic: no entry may differ.
pub const EXACT: Margin = Margin::new("exact", 0.0, "fractions, so equal means equal");

/// The reader's number, or where she gave none (0) the one of the scale.
pub fn by_scale(given: usize, of_scale: usize) -> usize {
    match given {
        0 => of_scale,
        given => given,
    }
}

/// The largest entry in absolute value; NaN if one is.
pub fn largest<D: Dimension>(a: &ArrayBase<impl Data<Elem = f64>, D>) -> f64 {
    largest_of(a.iter().map(|x| x.abs()))
}

/// The largest difference of two arrays of one shape.
pub fn apart<D: Dimension>(a: &ArrayBase<impl Data<Elem = f64>, D>, b: &ArrayBase<impl Data<Elem = f64>, D>) -> f64 {
    largest(&(a - b))
}

/// Row `t` as a batch of one.
pub fn row<T: Clone>(a: &Array2<T>, t: usize) -> Array2<T> {
    a.slice(s![t..=t, ..]).to_owned()
}

/// The largest of what an experiment gave over its cases: NaN as long as it saw none, and infinite once it saw a NaN, so that neither can
/// be reported as a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Largest(pub f64);

impl Default for Largest {
    fn default() -> Largest {
        Largest(f64::NAN)
    }
}

impl Largest {
    /// Takes one more.
    pub fn see(&mut self, value: f64) {
        self.0 = match value.is_nan() {
            true => f64::INFINITY,
            false => value.max(self.0),
        };
    }
}

/// The least of what an experiment gave over its cases: NaN as long as it saw none, and infinitely negative once it saw a NaN.
#[derive(Clone, Copy, Debug)]
pub struct Least(pub f64);

impl Default for Least {
    fn default() -> Least {
        Least(f64::NAN)
    }
}

impl Least {
    /// Takes one more.
    pub fn see(&mut self, value: f64) {
        self.0 = match value.is_nan() {
            true => f64::NEG_INFINITY,
            false => value.min(self.0),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_saw_nothing_or_no_number_is_no_measurement() {
        assert!(!Largest::default().0.is_finite() && !Least::default().0.is_finite());
        let (mut largest, mut least) = (Largest::default(), Least::default());
        for value in [-2.0, 1.0, -3.0] {
            largest.see(value);
            least.see(value);
        }
        assert_eq!((largest.0, least.0), (1.0, -3.0));
        for value in [f64::NAN, 0.0] {
            largest.see(value);
            least.see(value);
        }
        assert!(!largest.0.is_finite() && !least.0.is_finite());
        assert!(super::largest(&ndarray::array![[f64::NAN, 1.0]]).is_nan());
        assert_eq!(super::largest(&ndarray::array![[-2.0, 1.0]]), 2.0);
        let a = ndarray::array![1.0, 2.0, -4.0];
        assert_eq!((super::largest(&a), apart(&a.view(), &ndarray::array![1.0, 0.5, 0.0])), (4.0, 4.0));
    }
}
