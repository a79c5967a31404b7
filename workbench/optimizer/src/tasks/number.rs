//! The numbers that models are written in.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use workbench_ground::lanes::exp64;

use super::network::{self, Network};
use super::{Examples, matrix};

/// A number that a model can be evaluated in: `f64`, `f32`, [`super::Dual`] over either for exact derivatives along a direction,
/// [`super::Complex`] for complex steps.
///
/// All operations are plain multiplications and additions in a fixed order: the same bits on every machine, whatever its registers.
pub trait ModelNumber:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + 'static
{
    /// From a float; `f32` rounds.
    fn of(value: f64) -> Self;
    /// The value that decides which way a branch goes: the value of a dual number, the real part of a complex one.
    fn value(self) -> f64;
    /// $e^x$. The exponent is held in [-708, 708] (`f32`: [-87, 88]), so that the result is never zero or infinite.
    fn exp(self) -> Self;
    /// $\ln x$, for $x>0$.
    fn ln(self) -> Self;
    /// $\sqrt x$, for $x>0$.
    fn sqrt(self) -> Self;

    /// $C\leftarrow C+AB$ with $A$ of `m` rows and `k` columns, $B$ of `k` and `n`; all row by row. With `TRANSPOSED`, `a` holds
    /// $A^\top$, `k` rows of `m` numbers. Cost: $mkn$ multiplications; of dual numbers three times as much.
    fn multiply<const TRANSPOSED: bool>([m, k, n]: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self]) {
        matrix::multiply::<Self, TRANSPOSED>([m, k, n], a, b, c);
    }

    /// [`Model::scores`](super::Model::scores) of any network.
    #[doc(hidden)]
    fn network_scores(network: &Network, theta: &[Self], batch: &Examples) -> Vec<Self> {
        network::scores(network, theta, batch)
    }

    /// [`Model::gradient`](super::Model::gradient) of any network.
    #[doc(hidden)]
    fn network_gradient(network: &Network, theta: &[Self], batch: &Examples, share: f64, out: &mut [Self]) -> Self {
        network::gradient(network, theta, batch, share, out)
    }
}

/// The two again for a kind of number, word by word: what is generic no more is compiled in this crate, and not, with less care, in each
/// cell that runs a network.
macro_rules! compiled_here {
    () => {
        fn network_scores(network: &Network, theta: &[Self], batch: &Examples) -> Vec<Self> {
            network::scores(network, theta, batch)
        }
        fn network_gradient(network: &Network, theta: &[Self], batch: &Examples, share: f64, out: &mut [Self]) -> Self {
            network::gradient(network, theta, batch, share, out)
        }
    };
}

/// Exponents of sigmoids, tanh and softmax are held in ±40: $e^{-40}$ is 4e-18, far below what rounding leaves of their values, and
/// products of several such numbers stay clear of the smallest floats, which processors are slow with.
const HELD: f64 = 40.0;

/// $1/(1+e^{-x})$, with an absolute error of one unit in the last place of 1.
#[inline(always)]
pub(super) fn sigmoid<N: ModelNumber>(x: N) -> N {
    let one = N::of(1.0);
    one / (one + held(-x).exp())
}

/// $\tanh x=1-2/(e^{2x}+1)$, with the same error.
#[inline(always)]
pub(super) fn tanh<N: ModelNumber>(x: N) -> N {
    let (one, two) = (N::of(1.0), N::of(2.0));
    one - two / (held(two * x).exp() + one)
}

/// `x` in ±40; NaN stays NaN. Where it is held, its derivative is 0.
#[inline(always)]
pub(super) fn held<N: ModelNumber>(x: N) -> N {
    if x.value() > HELD {
        N::of(HELD)
    } else if x.value() < -HELD {
        N::of(-HELD)
    } else {
        x
    }
}

impl ModelNumber for f64 {
    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn exp(self) -> f64 {
        exp64::<false>(hold(self, -708.0, 708.0))
    }
    #[inline(always)]
    fn ln(self) -> f64 {
        libm::log(self)
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    compiled_here!();
}

impl ModelNumber for f32 {
    #[inline(always)]
    fn of(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn value(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn exp(self) -> f32 {
        exp64::<false>(f64::from(hold(self, -87.0, 88.0))) as f32
    }
    #[inline(always)]
    fn ln(self) -> f32 {
        libm::log(f64::from(self)) as f32
    }
    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }
    compiled_here!();
}

/// `x` in [low, high]; NaN stays NaN, which `clamp` would not promise for a future of the compiler's vector code.
#[inline(always)]
fn hold<N: PartialOrd>(x: N, low: N, high: N) -> N {
    if x > high {
        high
    } else if x < low {
        low
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_two_units() {
        let mut worst = 0.0f64;
        for i in -708_000..=708_000 {
            let x = f64::from(i) * 1e-3 + 1e-5;
            let exact = libm::exp(x.min(708.0));
            worst = worst.max((ModelNumber::exp(x) / exact - 1.0).abs());
        }
        assert!(worst < 2.0 * f64::EPSILON, "{worst:e}");
        assert_eq!(ModelNumber::exp(0.0f64), 1.0);
        assert!(ModelNumber::exp(f64::NAN).is_nan() && ModelNumber::exp(f32::NAN).is_nan());
        assert!(ModelNumber::exp(1e300f64).is_finite() && ModelNumber::exp(f64::NEG_INFINITY) > 0.0);
        assert!(ModelNumber::exp(1e30f32).is_finite() && ModelNumber::exp(f32::NEG_INFINITY) > 0.0);
    }

    #[test]
    fn sigmoid_and_tanh_meet_the_library() {
        for i in -4000..=4000 {
            let x = f64::from(i) * 0.01;
            assert!((tanh(x) - libm::tanh(x)).abs() < 4e-16, "{x}");
            assert!((sigmoid(x) + sigmoid(-x) - 1.0).abs() < 4e-16, "{x}");
        }
        assert_eq!((tanh(1e9), tanh(-1e9)), (1.0, -1.0));
        assert!(sigmoid(-1e9) > 0.0 && sigmoid(-1e9) < 1e-17 && sigmoid(1e9) == 1.0);
        assert!(sigmoid(f64::NAN).is_nan() && tanh(f64::NAN).is_nan());
    }
}
