//! The numbers that cells are defined over.
//!
//! A cell is written once. Over `f64` it is its own definition, over [`Complex`] it is differentiated by complex steps, and over
//! [`Wide`] it is the fused kernel: a number is then a register that holds the same quantity of several coordinates.

mod complex;
mod wide;

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

pub use complex::Complex;
pub use wide::Wide;

/// A number, or several side by side that are treated alike.
pub trait CellNumber:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A weight of the cell: the same for all numbers side by side.
    type Shared: Copy + Debug + Send + Sync + 'static;

    /// Rounds.
    fn of(value: f64) -> Self;

    /// Rounds a weight.
    fn shared(value: f64) -> Self::Shared;

    /// A weight as a number.
    fn spread(weight: Self::Shared) -> Self;

    /// $e^x$.
    fn exp(self) -> Self;

    /// $\ln x$ for $x>0$; anything where $x\le0$.
    fn ln(self) -> Self;

    /// $\sqrt x$ for $x\ge0$.
    fn sqrt(self) -> Self;

    /// `then` where $x\ge y$ and `otherwise` elsewhere; complex numbers compare their real parts.
    fn at_least(self, y: Self, then: Self, otherwise: Self) -> Self;

    /// $x+ab$.
    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        self + a * b
    }

    /// 0.
    #[inline(always)]
    fn zero() -> Self {
        Self::of(0.0)
    }

    /// 1.
    #[inline(always)]
    fn one() -> Self {
        Self::of(1.0)
    }

    /// $\max(x,0)$.
    #[inline(always)]
    fn relu(self) -> Self {
        self.at_least(Self::zero(), self, Self::zero())
    }

    /// $|x|$, with the sign of the real part turned for complex numbers, so that it stays analytic.
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.at_least(Self::zero(), self, -self)
    }

    /// $1/(1+e^{-x})$.
    #[inline(always)]
    fn sigmoid(self) -> Self {
        Self::one() / (Self::one() + (-self).exp())
    }

    /// $\tanh x$.
    #[inline(always)]
    fn tanh(self) -> Self {
        Self::of(2.0) * (self + self).sigmoid() - Self::one()
    }
}

/// A number that is filled from, and emptied into, consecutive numbers of a slice.
pub trait Packed: CellNumber {
    /// How many numbers stand side by side.
    const WIDTH: usize;

    /// From at most [`Packed::WIDTH`] numbers; the rest is zero.
    fn pack(values: &[f64]) -> Self;

    /// Writes as many numbers as `out` takes.
    fn unpack(self, out: &mut [f64]);

    /// The sum of the numbers side by side, in a fixed order.
    fn total(self) -> f64;

    /// A weight in double precision.
    fn exact(weight: Self::Shared) -> f64;

    /// Runs `work` compiled for the instructions that these numbers need.
    fn vectorize<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
}

macro_rules! real {
    ($t:ty) => {
        impl CellNumber for $t {
            type Shared = $t;

            #[inline(always)]
            fn of(value: f64) -> $t {
                value as $t
            }
            #[inline(always)]
            fn shared(value: f64) -> $t {
                value as $t
            }
            #[inline(always)]
            fn spread(weight: $t) -> $t {
                weight
            }
            #[inline(always)]
            fn exp(self) -> $t {
                self.exp()
            }
            #[inline(always)]
            fn ln(self) -> $t {
                self.ln()
            }
            #[inline(always)]
            fn sqrt(self) -> $t {
                self.sqrt()
            }
            #[inline(always)]
            fn at_least(self, y: $t, then: $t, otherwise: $t) -> $t {
                if self >= y { then } else { otherwise }
            }
            #[inline(always)]
            fn tanh(self) -> $t {
                self.tanh()
            }
        }

        impl Packed for $t {
            const WIDTH: usize = 1;

            fn pack(values: &[f64]) -> $t {
                values.first().map_or(0.0, |value| *value as $t)
            }
            fn unpack(self, out: &mut [f64]) {
                if let Some(out) = out.first_mut() {
                    *out = f64::from(self);
                }
            }
            fn total(self) -> f64 {
                f64::from(self)
            }
            fn exact(weight: $t) -> f64 {
                f64::from(weight)
            }
        }
    };
}
real!(f32);
real!(f64);
