//! The numbers that constructions and methods are evaluated in.

use std::fmt;

use dashu_ratio::RBig;
use ndarray::{Array1, Array2};
use ndarray_linalg::c64;

use workbench_ground::stats::Stream;

/// A field: what the forward pass and the classical methods need of a number.
///
/// Methods take references, because exact fractions are not `Copy`.
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

/// An exact fraction of any size.
///
/// Sums, products and quotients are exact however long they get, so two sides of an identity either are equal or are not.
///
/// ```
/// use workbench::memformer::{Fraction, Number};
/// let third = Fraction::whole(1).over(&Fraction::whole(3)).unwrap();
/// assert_eq!(third.plus(&third).plus(&third), Fraction::one());
/// assert!(third.over(&Fraction::zero()).is_none());
/// assert_eq!(format!("{third}"), "1/3");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fraction(RBig);

impl Fraction {
    /// A small random fraction: a numerator from -9 to 9 over 1, 2 or 3.
    pub fn draw(stream: &mut Stream) -> Fraction {
        let (top, bottom) = (stream.below(19) as i64 - 9, 1 + stream.below(3) as i64);
        Fraction(RBig::from(top) / RBig::from(bottom))
    }

    /// The nearest float.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }
}

impl Number for Fraction {
    fn whole(value: i64) -> Fraction {
        Fraction(RBig::from(value))
    }
    fn plus(&self, other: &Fraction) -> Fraction {
        Fraction(&self.0 + &other.0)
    }
    fn minus(&self, other: &Fraction) -> Fraction {
        Fraction(&self.0 - &other.0)
    }
    fn times(&self, other: &Fraction) -> Fraction {
        Fraction(&self.0 * &other.0)
    }
    fn over(&self, other: &Fraction) -> Option<Fraction> {
        (!other.0.is_zero()).then(|| Fraction(&self.0 / &other.0))
    }
    fn magnitude(&self) -> f64 {
        self.to_f64().abs()
    }
    fn vanishes_beside(&self, _: &Fraction) -> bool {
        self.0.is_zero()
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A matrix of small random fractions, see [`Fraction::draw`].
pub fn fraction_matrix(stream: &mut Stream, rows: usize, cols: usize) -> Array2<Fraction> {
    Array2::from_shape_simple_fn((rows, cols), || Fraction::draw(stream))
}

/// A vector of small random fractions, see [`Fraction::draw`].
pub fn fraction_vector(stream: &mut Stream, len: usize) -> Array1<Fraction> {
    Array1::from_shape_simple_fn(len, || Fraction::draw(stream))
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn fractions_do_not_overflow() {
        let mut x = Fraction::whole(i64::MAX);
        for _ in 0..6 {
            x = x.times(&x);
        }
        let third = Fraction::one().over(&Fraction::whole(3)).unwrap();
        assert_eq!(x.plus(&third).minus(&x), third);
        assert!((third.to_f64() - 1.0 / 3.0).abs() < 1e-16 && third.magnitude() > 0.33);
        assert!(third < Fraction::one() && format!("{:?}", third.negated()) == "-1/3");
    }

    #[test]
    fn what_counts_as_zero() {
        assert!(1e-31.vanishes_beside(&1.0) && !1e-29.vanishes_beside(&1.0));
        assert!(
            !Fraction::one()
                .over(&Fraction::whole(i64::MAX))
                .unwrap()
                .vanishes_beside(&Fraction::one())
        );
        assert!(c64::new(0.0, 1e-31).vanishes_beside(&c64::new(1.0, 0.0)));
    }
}
