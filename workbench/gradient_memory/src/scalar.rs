//! Numbers that a loss can be evaluated in: floats, exact fractions, and dual numbers over either.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use workbench_ground::exact::Fraction;

/// A field with an order, and with the functions of our losses where it has them.
///
/// `exp`, `ln` and `tanh` are `None` in a field that cannot hold their values, as the fractions.
pub trait Scalar:
    Clone
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The integer.
    fn whole(value: i64) -> Self;
    /// The float, exactly; `None` in a field without such a number, as NaN among the fractions.
    fn from_f64(x: f64) -> Option<Self>;
    /// The exponential.
    fn exp(self) -> Option<Self>;
    /// The natural logarithm.
    fn ln(self) -> Option<Self>;
    /// The hyperbolic tangent.
    fn tanh(self) -> Option<Self>;

    /// Zero.
    fn zero() -> Self {
        Self::whole(0)
    }

    /// One.
    fn one() -> Self {
        Self::whole(1)
    }

    /// The absolute value; at 0 a dual number keeps its slope.
    fn abs(self) -> Self {
        if self < Self::zero() { -self } else { self }
    }
}

impl Scalar for f64 {
    fn whole(value: i64) -> f64 {
        value as f64
    }
    fn from_f64(x: f64) -> Option<f64> {
        Some(x)
    }
    fn exp(self) -> Option<f64> {
        Some(f64::exp(self))
    }
    fn ln(self) -> Option<f64> {
        Some(f64::ln(self))
    }
    fn tanh(self) -> Option<f64> {
        Some(f64::tanh(self))
    }
}

impl Scalar for Fraction {
    fn whole(value: i64) -> Fraction {
        Fraction::from(value)
    }
    fn from_f64(x: f64) -> Option<Fraction> {
        Fraction::from_f64(x)
    }
    fn exp(self) -> Option<Fraction> {
        None
    }
    fn ln(self) -> Option<Fraction> {
        None
    }
    fn tanh(self) -> Option<Fraction> {
        None
    }
}

/// A dual number $\mathrm{value}+\mathrm{slope}\cdot e$ with $e^2=0$: arithmetic on it carries the derivative along, without a step size.
///
/// ```
/// use workbench_gradient_memory::Dual;
/// let x = Dual { value: 3.0, slope: 1.0 };
/// assert_eq!((x * x).slope, 6.0); // d/dx x^2
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<S> {
    /// The value.
    pub value: S,
    /// The derivative in the chosen direction.
    pub slope: S,
}

impl<S: Scalar> Dual<S> {
    /// A number that does not change: its slope is 0.
    pub(crate) fn constant(value: S) -> Dual<S> {
        Dual { value, slope: S::zero() }
    }
}

impl<S: PartialOrd> PartialOrd for Dual<S> {
    fn partial_cmp(&self, other: &Dual<S>) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<S: Scalar> Add for Dual<S> {
    type Output = Dual<S>;
    fn add(self, b: Dual<S>) -> Dual<S> {
        Dual { value: self.value + b.value, slope: self.slope + b.slope }
    }
}

impl<S: Scalar> Sub for Dual<S> {
    type Output = Dual<S>;
    fn sub(self, b: Dual<S>) -> Dual<S> {
        Dual { value: self.value - b.value, slope: self.slope - b.slope }
    }
}

impl<S: Scalar> Mul for Dual<S> {
    type Output = Dual<S>;
    fn mul(self, b: Dual<S>) -> Dual<S> {
        Dual { slope: self.slope * b.value.clone() + self.value.clone() * b.slope, value: self.value * b.value }
    }
}

impl<S: Scalar> Div for Dual<S> {
    type Output = Dual<S>;
    fn div(self, b: Dual<S>) -> Dual<S> {
        let value = self.value / b.value.clone();
        let slope = (self.slope - value.clone() * b.slope) / b.value;
        Dual { value, slope }
    }
}

impl<S: Scalar> Neg for Dual<S> {
    type Output = Dual<S>;
    fn neg(self) -> Dual<S> {
        Dual { value: -self.value, slope: -self.slope }
    }
}

impl<S: Scalar> Scalar for Dual<S> {
    fn whole(value: i64) -> Dual<S> {
        Dual::constant(S::whole(value))
    }
    fn from_f64(x: f64) -> Option<Dual<S>> {
        S::from_f64(x).map(Dual::constant)
    }
    fn exp(self) -> Option<Dual<S>> {
        let value = self.value.exp()?;
        let slope = value.clone() * self.slope;
        Some(Dual { value, slope })
    }
    fn ln(self) -> Option<Dual<S>> {
        let slope = self.slope / self.value.clone();
        let value = self.value.ln()?;
        Some(Dual { value, slope })
    }
    fn tanh(self) -> Option<Dual<S>> {
        let value = self.value.tanh()?;
        let slope = (S::one() - value.clone() * value.clone()) * self.slope;
        Some(Dual { value, slope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64) -> Dual<f64> {
        Dual { value: x, slope: 1.0 }
    }

    #[test]
    fn derivatives_by_hand() {
        let x = at(0.7);
        let one = Dual::one();
        assert_eq!((x / (one + x)).slope, (1.0 - 0.7 / 1.7) / 1.7);
        assert_eq!(x.exp().unwrap().slope, 0.7f64.exp());
        assert_eq!(x.ln().unwrap().slope, 1.0 / 0.7);
        assert!((x.tanh().unwrap().slope - 1.0 / 0.7f64.cosh().powi(2)).abs() < 1e-15);
        assert_eq!((-x).abs().slope, 1.0);
        assert_eq!((x - one).slope, 1.0);
        assert!(at(1.0) < Dual::whole(2));
    }
}
