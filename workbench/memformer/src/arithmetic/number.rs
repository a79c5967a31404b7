//! The numbers that constructions and methods are evaluated in.

use std::fmt;

use ndarray::{Array2, ArrayView2};
use ndarray_linalg::c64;
use workbench_ground::counted::Counted;
pub use workbench_ground::exact::{Fraction, fraction_matrix, fraction_vector};

/// A field: what the forward pass and the classical methods need of a number.
///
/// Methods take references, because exact fractions are not `Copy`.
///
/// ```
/// use workbench_memformer::{Fraction, Number};
/// let third = Fraction::whole(1).over(&Fraction::whole(3)).unwrap();
/// assert_eq!(third.plus(&third).plus(&third), Fraction::one());
/// assert!(third.over(&Fraction::zero()).is_none());
/// ```
pub trait Number: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The integer.
    fn whole(value: i64) -> Self;
    /// `self + other`.
    fn plus(&self, other: &Self) -> Self;
    /// `self - other`.
    fn minus(&self, other: &Self) -> Self;
    /// `self * other`.
    fn times(&self, other: &Self) -> Self;
    /// `self / other`; `None` exactly if `other` is zero.
    fn over(&self, other: &Self) -> Option<Self>;
    /// The absolute value as a float, for reports and pivots.
    fn magnitude(&self) -> f64;
    /// Whether `self` is zero beside `scale`: exactly zero for fractions, below 1e-30 of it for floats.
    fn vanishes_beside(&self, scale: &Self) -> bool;

    /// Zero.
    fn zero() -> Self {
        Self::whole(0)
    }

    /// One.
    fn one() -> Self {
        Self::whole(1)
    }

    /// `-self`.
    fn negated(&self) -> Self {
        Self::zero().minus(self)
    }

    /// The product of two matrices known to fit: entry by entry, and for `f64` in the order that is fastest.
    #[doc(hidden)]
    fn matrix_product(a: &ArrayView2<Self>, b: &ArrayView2<Self>) -> Array2<Self> {
        entry_by_entry(a, b)
    }
}

/// The product of two matrices known to fit: each entry a sum from left to right.
pub(crate) fn entry_by_entry<T: Number>(a: &ArrayView2<T>, b: &ArrayView2<T>) -> Array2<T> {
    Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| {
        (0..a.ncols()).fold(T::zero(), |sum, k| sum.plus(&a[[i, k]].times(&b[[k, j]])))
    })
}

/// Rounding leaves squares of residuals near 1e-32 of their start.
const VANISHED: f64 = 1e-30;

impl Number for f64 {
    fn whole(value: i64) -> f64 {
        value as f64
    }
    fn plus(&self, other: &f64) -> f64 {
        self + other
    }
    fn minus(&self, other: &f64) -> f64 {
        self - other
    }
    fn times(&self, other: &f64) -> f64 {
        self * other
    }
    fn over(&self, other: &f64) -> Option<f64> {
        (*other != 0.0).then(|| self / other)
    }
    fn magnitude(&self) -> f64 {
        self.abs()
    }
    fn vanishes_beside(&self, scale: &f64) -> bool {
        self.abs() <= VANISHED * scale.abs()
    }
    fn matrix_product(a: &ArrayView2<f64>, b: &ArrayView2<f64>) -> Array2<f64> {
        a.dot(b)
    }
}

impl Number for c64 {
    fn whole(value: i64) -> c64 {
        c64::new(value as f64, 0.0)
    }
    fn plus(&self, other: &c64) -> c64 {
        self + other
    }
    fn minus(&self, other: &c64) -> c64 {
        self - other
    }
    fn times(&self, other: &c64) -> c64 {
        self * other
    }
    fn over(&self, other: &c64) -> Option<c64> {
        (*other != c64::new(0.0, 0.0)).then(|| self / other)
    }
    fn magnitude(&self) -> f64 {
        self.norm()
    }
    fn vanishes_beside(&self, scale: &c64) -> bool {
        self.norm() <= VANISHED * scale.norm()
    }
}

impl Number for Fraction {
    fn whole(value: i64) -> Fraction {
        Fraction::from(value)
    }
    fn plus(&self, other: &Fraction) -> Fraction {
        self + other
    }
    fn minus(&self, other: &Fraction) -> Fraction {
        self - other
    }
    fn times(&self, other: &Fraction) -> Fraction {
        self * other
    }
    fn over(&self, other: &Fraction) -> Option<Fraction> {
        (!other.is_zero()).then(|| self / other)
    }
    fn magnitude(&self) -> f64 {
        self.to_f64().abs()
    }
    fn vanishes_beside(&self, _: &Fraction) -> bool {
        self.is_zero()
    }
}

impl Number for Counted {
    fn whole(value: i64) -> Counted {
        Counted(value as f64)
    }
    fn plus(&self, other: &Counted) -> Counted {
        *self + *other
    }
    fn minus(&self, other: &Counted) -> Counted {
        *self - *other
    }
    fn times(&self, other: &Counted) -> Counted {
        *self * *other
    }
    fn over(&self, other: &Counted) -> Option<Counted> {
        let quotient = *self / *other;
        (other.0 != 0.0).then_some(quotient)
    }
    fn magnitude(&self) -> f64 {
        self.0.abs()
    }
    fn vanishes_beside(&self, scale: &Counted) -> bool {
        self.0.vanishes_beside(&scale.0)
    }
    fn negated(&self) -> Counted {
        -*self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quadratic, SingleMemory, conjugate_gradient, product};
    use ndarray::{Array1, Array2};
    use workbench_ground::counted::count_operations;
    use workbench_ground::stats::Streams;

    fn field_axioms<T: Number>(x: T, y: T, z: T) {
        assert_eq!(x.times(&y.plus(&z)), x.times(&y).plus(&x.times(&z)));
        assert_eq!(x.plus(&y).minus(&y), x);
        assert_eq!(x.plus(&x.negated()), T::zero());
        assert_eq!(x.times(&T::one()), x);
        assert!(x.over(&T::zero()).is_none());
        if let Some(q) = x.over(&y) {
            assert_eq!(q.times(&y), x);
        }
    }

    #[test]
    fn fields() {
        let mut stream = Streams::new(3).stream("axioms").unwrap();
        for row in fraction_matrix(&mut stream, 30, 3).rows() {
            field_axioms(row[0].clone(), row[1].clone(), row[2].clone());
        }
        field_axioms(1.5, 0.25, -8.0);
        field_axioms(c64::new(1.0, 2.0), c64::new(0.0, 1.0), c64::new(-3.0, 0.5));
    }

    #[test]
    fn what_counts_as_zero() {
        assert!(1e-31.vanishes_beside(&1.0) && !1e-29.vanishes_beside(&1.0));
        assert!(!Fraction::one().over(&Fraction::whole(i64::MAX)).unwrap().vanishes_beside(&Fraction::one()));
        assert!(c64::new(0.0, 1e-31).vanishes_beside(&c64::new(1.0, 0.0)));
    }

    #[test]
    fn products_of_matrices_are_counted() {
        let ones = |rows, columns| Array2::from_elem((rows, columns), Counted(1.0));
        let (result, done) = count_operations(|| product(&ones(2, 3), &ones(3, 4)));
        assert!(result.unwrap().iter().all(|v| v.0 == 3.0));
        assert_eq!((done.additions, done.multiplications, done.divisions), (24, 24, 0));
        assert_eq!(done.total(), 48);
        let (none, done) = count_operations(|| Counted(1.0).over(&Counted(0.0)));
        assert!(none.is_none() && done.divisions == 1);
    }

    #[test]
    fn counted_values_are_those_of_floats() {
        let mut stream = Streams::new(1).stream("counted").unwrap();
        let x = workbench_ground::stats::normal_array2(&mut stream, 3, 6);
        let y = Array1::from_shape_fn(6, |i| i as f64);
        let f = Quadratic::of_prompt(&x, &y).unwrap();
        let g = Quadratic::of_prompt(&x.mapv(Counted), &y.mapv(Counted)).unwrap();
        let own = conjugate_gradient(&f, &f.origin(), 3).unwrap();
        let (counted, done) = count_operations(|| conjugate_gradient(&g, &g.origin(), 3).unwrap());
        for (a, b) in own.iterates.iter().zip(&counted.iterates) {
            assert!(a.iter().zip(b).all(|(a, b)| *a == b.0));
        }
        // A step of gradient descent: H w - b, and w - eta g.
        let descent = SingleMemory::gradient_descent(Counted(0.1), 1).unwrap();
        let (_, step) = count_operations(|| descent.run(&g, &g.origin()).unwrap());
        assert!(done.total() > 3 * 18 && step.multiplications >= 9 + 3, "{done:?} {step:?}");
    }
}
