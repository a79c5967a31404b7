//! Complex numbers, for derivatives without rounding of differences.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::CellNumber;

/// $x+iy$.
///
/// With a step of $h=10^{-20}$ in the imaginary direction, $\operatorname{Im}f(x+ih)/h$ is the derivative of an analytic $f$ to full
/// precision: nothing is subtracted.
///
/// ```
/// use workbench_optimizer::number::{CellNumber, Complex};
/// let z = Complex { re: 0.7, im: 1e-20 };
/// assert!((z.exp().im / 1e-20 - 0.7f64.exp()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Add for Complex {
    type Output = Complex;
    #[inline(always)]
    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;
    #[inline(always)]
    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;
    #[inline(always)]
    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex {
    type Output = Complex;
    #[inline(always)]
    fn div(self, other: Complex) -> Complex {
        let norm2 = other.re * other.re + other.im * other.im;
        Complex {
            re: (self.re * other.re + self.im * other.im) / norm2,
            im: (self.im * other.re - self.re * other.im) / norm2,
        }
    }
}

impl Neg for Complex {
    type Output = Complex;
    #[inline(always)]
    fn neg(self) -> Complex {
        Complex { re: -self.re, im: -self.im }
    }
}

impl CellNumber for Complex {
    type Shared = Complex;

    fn of(value: f64) -> Complex {
        Complex { re: value, im: 0.0 }
    }

    fn shared(value: f64) -> Complex {
        Complex::of(value)
    }

    fn spread(weight: Complex) -> Complex {
        weight
    }

    fn exp(self) -> Complex {
        let size = self.re.exp();
        Complex { re: size * self.im.cos(), im: size * self.im.sin() }
    }

    fn ln(self) -> Complex {
        Complex { re: self.re.hypot(self.im).ln(), im: self.im.atan2(self.re) }
    }

    /// By the square root of the length and half the angle; exact to first order in a small imaginary part.
    fn sqrt(self) -> Complex {
        let (size, angle) = (self.re.hypot(self.im).sqrt(), 0.5 * self.im.atan2(self.re));
        Complex { re: size * angle.cos(), im: size * angle.sin() }
    }

    fn at_least(self, y: Complex, then: Complex, otherwise: Complex) -> Complex {
        if self.re >= y.re { then } else { otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_exact() {
        const H: f64 = 1e-20;
        type Pair = (fn(Complex) -> Complex, fn(f64) -> f64);
        let f: [Pair; 7] = [
            (Complex::exp, f64::exp),
            (Complex::ln, |x| 1.0 / x),
            (Complex::sqrt, |x| 0.5 / x.sqrt()),
            (Complex::sigmoid, |x| {
                let s = 1.0 / (1.0 + (-x).exp());
                s * (1.0 - s)
            }),
            (Complex::tanh, |x| 1.0 - x.tanh() * x.tanh()),
            (|z| Complex::one() / (z * z), |x| -2.0 / (x * x * x)),
            (|z| (-z).magnitude().relu() - z * z, |x| 1.0 - 2.0 * x),
        ];
        for (i, (f, slope)) in f.iter().enumerate() {
            for x in [0.3, 1.0, 2.7] {
                let got = f(Complex { re: x, im: H }).im / H;
                assert!((got - slope(x)).abs() < 1e-14 * (1.0 + slope(x).abs()), "{i} {x} {got}");
            }
        }
    }
}
