//! Vocabulary of the checks: margins and extremes that several share.

use ndarray::{Array2, ArrayBase, Data, Dimension, s};
pub use workbench_ground::stats::{largest_of, least_of};
use workbench_ledger::Margin;

/// Rounding in a few hundred operations on numbers of order one, with two digits to spare.
pub const ROUNDING: Margin = Margin::rounding(
    "rounding",
    1e-12,
    "sums of some hundred products of numbers of order one, in double precision, with two digits to spare",
);

/// Equal in exact arithmetic: no entry may differ.
pub const EXACT: Margin = Margin::rounding("exact", 0.0, "fractions, so equal means equal");

/// A quotient of two numbers that are alike.
pub const EVEN: Margin = Margin::rounding("even", 1.0, "a quotient of one is no difference: the sign of its logarithm");

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_is_the_largest_entry_and_signs_do_not_count() {
        assert!(super::largest(&ndarray::array![[f64::NAN, 1.0]]).is_nan());
        assert_eq!(super::largest(&ndarray::array![[-2.0, 1.0]]), 2.0);
        let a = ndarray::array![1.0, 2.0, -4.0];
        assert_eq!((super::largest(&a), apart(&a.view(), &ndarray::array![1.0, 0.5, 0.0])), (4.0, 4.0));
    }
}
