//! Numbers that a loss can be evaluated in: floats, exact rationals, and dual numbers over either.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A field with an order, and with the functions of our losses where it has them.
///
/// `exp`, `ln` and `tanh` are `None` in a field that cannot hold their values, as the rationals.
pub trait Scalar:
    Copy
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The float, exactly.
    fn from_f64(x: f64) -> Self;
    /// The exponential.
    fn exp(self) -> Option<Self>;
    /// The natural logarithm.
    fn ln(self) -> Option<Self>;
    /// The hyperbolic tangent.
    fn tanh(self) -> Option<Self>;

    /// Zero.
    fn zero() -> Self {
        Self::from_f64(0.0)
    }

    /// One.
    fn one() -> Self {
        Self::from_f64(1.0)
    }

    /// The absolute value; at 0 a dual number keeps its slope.
    fn abs(self) -> Self {
        if self < Self::zero() { -self } else { self }
    }
}

impl Scalar for f64 {
    fn from_f64(x: f64) -> f64 {
        x
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

/// A dual number $\mathrm{value}+\mathrm{slope}\cdot e$ with $e^2=0$: arithmetic on it carries the derivative along, without a step width.
///
/// ```
/// use workbench::gradient_memory::Dual;
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

impl<S: PartialOrd> PartialOrd for Dual<S> {
    fn partial_cmp(&self, other: &Dual<S>) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<S: Scalar> Add for Dual<S> {
    type Output = Dual<S>;
    fn add(self, b: Dual<S>) -> Dual<S> {
        Dual {
            value: self.value + b.value,
            slope: self.slope + b.slope,
        }
    }
}

impl<S: Scalar> Sub for Dual<S> {
    type Output = Dual<S>;
    fn sub(self, b: Dual<S>) -> Dual<S> {
        Dual {
            value: self.value - b.value,
            slope: self.slope - b.slope,
        }
    }
}

impl<S: Scalar> Mul for Dual<S> {
    type Output = Dual<S>;
    fn mul(self, b: Dual<S>) -> Dual<S> {
        Dual {
            value: self.value * b.value,
            slope: self.slope * b.value + self.value * b.slope,
        }
    }
}

impl<S: Scalar> Div for Dual<S> {
    type Output = Dual<S>;
    fn div(self, b: Dual<S>) -> Dual<S> {
        let value = self.value / b.value;
        let slope = (self.slope - value * b.slope) / b.value;
        Dual { value, slope }
    }
}

impl<S: Scalar> Neg for Dual<S> {
    type Output = Dual<S>;
    fn neg(self) -> Dual<S> {
        Dual {
            value: -self.value,
            slope: -self.slope,
        }
    }
}

impl<S: Scalar> Scalar for Dual<S> {
    fn from_f64(x: f64) -> Dual<S> {
        Dual {
            value: S::from_f64(x),
            slope: S::from_f64(0.0),
        }
    }
    fn exp(self) -> Option<Dual<S>> {
        let value = self.value.exp()?;
        let slope = value * self.slope;
        Some(Dual { value, slope })
    }
    fn ln(self) -> Option<Dual<S>> {
        let slope = self.slope / self.value;
        let value = self.value.ln()?;
        Some(Dual { value, slope })
    }
    fn tanh(self) -> Option<Dual<S>> {
        let value = self.value.tanh()?;
        let slope = (S::one() - value * value) * self.slope;
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
        assert!(at(1.0) < Dual::from_f64(2.0));
    }
}
