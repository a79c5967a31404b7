//! Dual numbers, and complex ones as numbers of models: exact derivatives along a direction.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::ModelNumber;
use crate::number::Complex;

/// $a+b\varepsilon$ with $\varepsilon^2=0$: a function's value, and its derivative along the direction in which its arguments' slopes
/// point. A hand-written gradient evaluated in these numbers gives, as slopes, the product of the Hessian with that direction: exact,
/// without a step size. Cost: a product of matrices costs three of plain ones, everything else two to four operations for one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dual<N> {
    /// The value.
    pub value: N,
    /// The derivative.
    pub slope: N,
}

impl<N: ModelNumber> Add for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Dual { value: self.value + o.value, slope: self.slope + o.slope }
    }
}

impl<N: ModelNumber> Sub for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Dual { value: self.value - o.value, slope: self.slope - o.slope }
    }
}

impl<N: ModelNumber> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { value: -self.value, slope: -self.slope }
    }
}

/// The assigning form of an operator that is there.
macro_rules! assigning {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<N: ModelNumber> $trait for Dual<N> {
            #[inline(always)]
            fn $method(&mut self, o: Self) {
                *self = *self $op o;
            }
        }
        impl $trait for Complex {
            #[inline(always)]
            fn $method(&mut self, o: Self) {
                *self = *self $op o;
            }
        }
    };
}

assigning!(AddAssign, add_assign, +);
assigning!(SubAssign, sub_assign, -);
assigning!(MulAssign, mul_assign, *);
assigning!(DivAssign, div_assign, /);

impl<N: ModelNumber> Mul for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Dual { value: self.value * o.value, slope: self.slope * o.value + self.value * o.slope }
    }
}

impl<N: ModelNumber> Div for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let value = self.value / o.value;
        let slope = (self.slope - value * o.slope) / o.value;
        Dual { value, slope }
    }
}

impl<N: ModelNumber> ModelNumber for Dual<N> {
    #[inline(always)]
    fn of(value: f64) -> Self {
        Dual { value: N::of(value), slope: N::default() }
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self.value.value()
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let value = self.value.exp();
        let slope = value * self.slope;
        Dual { value, slope }
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Dual { value: self.value.ln(), slope: self.slope / self.value }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        let slope = self.slope / (value + value);
        Dual { value, slope }
    }

    /// Values and slopes apart, three products of plain matrices: $AB$, $A'B$ and $AB'$.
    fn multiply<const TRANSPOSED: bool>(sizes: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self]) {
        let values = |x: &[Self]| -> Vec<N> { x.iter().map(|x| x.value).collect() };
        let slopes = |x: &[Self]| -> Vec<N> { x.iter().map(|x| x.slope).collect() };
        let (a, a_slope, b, b_slope) = (values(a), slopes(a), values(b), slopes(b));
        let (mut value, mut slope) = (vec![N::default(); c.len()], vec![N::default(); c.len()]);
        N::multiply::<TRANSPOSED>(sizes, &a, &b, &mut value);
        N::multiply::<TRANSPOSED>(sizes, &a_slope, &b, &mut slope);
        N::multiply::<TRANSPOSED>(sizes, &a, &b_slope, &mut slope);
        for ((c, value), slope) in c.iter_mut().zip(value).zip(slope) {
            c.value += value;
            c.slope += slope;
        }
    }
}

/// For complex steps: $f'(x)=\operatorname{Im} f(x+ih)/h$ with $h$ as small as one likes. Branches look at $x$.
impl ModelNumber for Complex {
    fn of(value: f64) -> Complex {
        Complex { re: value, im: 0.0 }
    }
    fn value(self) -> f64 {
        self.re
    }
    fn exp(self) -> Complex {
        let size = ModelNumber::exp(self.re);
        Complex { re: size * libm::cos(self.im), im: size * libm::sin(self.im) }
    }
    fn ln(self) -> Complex {
        Complex { re: libm::log(libm::hypot(self.re, self.im)), im: libm::atan2(self.im, self.re) }
    }
    fn sqrt(self) -> Complex {
        // The branch with a positive real part.
        let re = ((libm::hypot(self.re, self.im) + self.re) / 2.0).sqrt();
        Complex { re, im: self.im / (2.0 * re) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// $e^{x/2}\ln x+\sqrt x/x-x$, with every operation of the trait.
    fn sample<N: ModelNumber>(x: N) -> N {
        let mut sum = (x / N::of(2.0)).exp() * x.ln() + x.sqrt() / x;
        sum -= x;
        sum *= N::of(3.0);
        sum /= N::of(3.0);
        sum += -N::default();
        sum
    }

    #[test]
    fn slopes_and_imaginary_parts_are_the_derivative() {
        for x in [0.3f64, 1.0, 2.7] {
            let half = (x / 2.0).exp();
            let exact = half / 2.0 * x.ln() + half / x - 0.5 * x.powf(-1.5) - 1.0;
            let dual = sample(Dual { value: x, slope: 1.0 });
            let step = 1e-30;
            let complex = sample(Complex { re: x, im: step });
            assert!((dual.value - sample(x)).abs() < 1e-15 && (complex.re - sample(x)).abs() < 1e-15);
            assert!((dual.slope - exact).abs() < 1e-14 && (complex.im / step - exact).abs() < 1e-14);
        }
    }

    #[test]
    fn a_dual_of_a_dual_has_second_derivatives() {
        let (x, one) = (1.7f64, 1.0);
        let inner = Dual { value: x, slope: one };
        let outer = Dual { value: inner, slope: Dual { value: one, slope: 0.0 } };
        let second = (outer * outer * outer).slope.slope;
        assert!((second - 6.0 * x).abs() < 1e-14);
    }
}
