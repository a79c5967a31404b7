//! Exact fractions of any size.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use dashu_ratio::RBig;
use ndarray::{Array1, Array2};

use crate::stats::Stream;

/// An exact fraction of any size, in lowest terms with a positive denominator.
///
/// Sums, products and quotients are exact however long they get, so two sides of an identity either are equal or are not.
///
/// **Panics**: division by zero, as for integers.
///
/// ```
/// use workbench_ground::exact::Fraction;
/// let third = Fraction::new(1, 3);
/// assert_eq!(&(&third + &third) + &third, Fraction::from(1));
/// assert_eq!(format!("{}", third / Fraction::new(-2, 5)), "-5/6");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fraction(RBig);

impl Fraction {
    /// `numerator / denominator`.
    ///
    /// **Panics**: a denominator of zero.
    pub fn new(numerator: i64, denominator: i64) -> Fraction {
        Fraction(RBig::from(numerator) / RBig::from(denominator))
    }

    /// The float as a fraction, without rounding; `None` for NaN and infinities.
    pub fn from_f64(x: f64) -> Option<Fraction> {
        RBig::try_from(x).ok().map(Fraction)
    }

    /// A small random fraction: a numerator from -9 to 9 over 1, 2 or 3.
    pub fn draw(stream: &mut Stream) -> Fraction {
        let numerator = stream.below(19) as i64 - 9;
        Fraction::new(numerator, 1 + stream.below(3) as i64)
    }

    /// The nearest float.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl From<i64> for Fraction {
    fn from(value: i64) -> Fraction {
        Fraction(RBig::from(value))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident),*) => {$(
        impl $operator for Fraction {
            type Output = Fraction;
            fn $method(self, other: Fraction) -> Fraction {
                Fraction(self.0.$method(other.0))
            }
        }
        impl $operator for &Fraction {
            type Output = Fraction;
            fn $method(self, other: &Fraction) -> Fraction {
                Fraction((&self.0).$method(&other.0))
            }
        }
    )*};
}
operators!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Fraction {
    type Output = Fraction;
    fn neg(self) -> Fraction {
        Fraction(-self.0)
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
    use proptest::prelude::*;

    fn fraction() -> impl Strategy<Value = Fraction> {
        (-1000i64..1000, 1i64..1000).prop_map(|(numerator, denominator)| Fraction::new(numerator, denominator))
    }

    #[test]
    fn arithmetic_by_hand() {
        let r = Fraction::new;
        assert_eq!(r(1, 2) + r(1, 3), r(5, 6));
        assert_eq!(r(1, 2) - r(1, 2), r(0, 7));
        assert_eq!(r(2, -4) * r(-3, 5), r(3, 10));
        assert_eq!(r(2, 3) / r(-4, 9), r(-3, 2));
        assert!(r(1, 3) < r(1, 2) && r(-1, 2) < r(-1, 3));
        assert_eq!(format!("{} {:?}", r(6, 3), -r(1, 2)), "2 -1/2");
        assert!(r(0, -3).is_zero() && !r(1, i64::MAX).is_zero());
        assert_eq!(Fraction::from_f64(-0.375), Some(r(-3, 8)));
        assert_eq!((Fraction::from_f64(f64::NAN), Fraction::from_f64(f64::INFINITY)), (None, None));
    }

    #[test]
    fn fractions_do_not_overflow() {
        let mut x = Fraction::from(i64::MAX);
        for _ in 0..6 {
            x = &x * &x;
        }
        assert_eq!(&(&x + &Fraction::new(1, 3)) - &x, Fraction::new(1, 3));
        assert_eq!(x.to_f64(), f64::INFINITY);
        assert_eq!(Fraction::new(1, 3).to_f64(), 1.0 / 3.0);
    }

    #[test]
    #[should_panic]
    fn a_denominator_of_zero_is_refused() {
        Fraction::new(1, 0);
    }

    proptest! {
        #[test]
        fn fractions_are_a_field(x in fraction(), y in fraction(), z in fraction()) {
            prop_assert_eq!(&x * &(&y + &z), &x * &y + &x * &z);
            prop_assert_eq!(&(&x + &y) + &z, &x + &(&y + &z));
            prop_assert_eq!(&(&x + &y) - &y, x.clone());
            prop_assert!((&x - &x).is_zero());
            if !y.is_zero() {
                prop_assert_eq!(&(&x / &y) * &y, x.clone());
            }
            prop_assert_eq!(x < y, x.to_f64() < y.to_f64());
        }

        /// A float is kept bit for bit.
        #[test]
        fn floats_are_kept(mantissa in -(1i64 << 53)..(1i64 << 53), power in -1000i32..900) {
            let x = mantissa as f64 * 2f64.powi(power);
            prop_assert_eq!(Fraction::from_f64(x).unwrap().to_f64(), x);
        }
    }
}
