//! Registers as numbers: the same quantity of several coordinates, in single precision.

use std::fmt::{Debug, Formatter, Result as Written};
use std::ops::{Add, Div, Mul, Neg, Sub};

use workbench_ground::lanes::Lanes;

use super::{CellNumber, Packed};

/// Lanes of the widest register.
const MOST: usize = 16;
/// Below this $e^x$ is zero, above [`TOP`] it is that of [`TOP`].
const BOTTOM: f32 = -87.0;
const TOP: f32 = 88.0;
/// Adding it rounds to an integer, which then stands in the lowest bits.
const MAGIC: f32 = 12_582_912.0;
/// Taylor coefficients of $e^x$ from the seventh down to the zeroth.
const TAYLOR: [f32; 8] = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
/// Coefficients of $(\ln(1+t)-t+t^2/2)/t^3$ on $[\sqrt{1/2}-1,\sqrt2-1]$, highest power first (Cephes).
const LOG: [f32; 9] = [
    7.037_683_6e-2,
    -1.151_461e-1,
    1.167_699_9e-1,
    -1.242_014_1e-1,
    1.424_932_3e-1,
    -1.666_805_8e-1,
    2.000_071_5e-1,
    -2.499_999_4e-1,
    3.333_333e-1,
];

/// A register of `V` as one [`CellNumber`].
///
/// Values exist only on processors that have the instructions (see [`Lanes`]); exponentials and logarithms are right to a few units of
/// the last place.
#[derive(Clone, Copy)]
pub struct Wide<V>(pub V);

impl<V: Lanes<Scalar = f32>> Debug for Wide<V> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Written {
        let mut lanes = [0.0; MOST];
        self.0.write(&mut lanes[..V::N]);
        write!(out, "{:?}", &lanes[..V::N])
    }
}

impl<V: Lanes<Scalar = f32>> Wide<V> {
    /// Lane by lane; the loop has no branches, so the compiler keeps it in registers.
    #[inline(always)]
    fn each(self, f: impl Fn(f32) -> f32) -> Wide<V> {
        let mut lanes = [0.0; MOST];
        self.0.write(&mut lanes[..V::N]);
        for lane in &mut lanes[..V::N] {
            *lane = f(*lane);
        }
        Wide(V::from_slice(&lanes[..V::N]))
    }

    #[inline(always)]
    fn zip(self, other: Wide<V>, f: impl Fn(f32, f32) -> f32) -> Wide<V> {
        let (mut a, mut b) = ([0.0; MOST], [0.0; MOST]);
        self.0.write(&mut a[..V::N]);
        other.0.write(&mut b[..V::N]);
        for (a, b) in a[..V::N].iter_mut().zip(&b[..V::N]) {
            *a = f(*a, *b);
        }
        Wide(V::from_slice(&a[..V::N]))
    }
}

impl<V: Lanes<Scalar = f32>> Add for Wide<V> {
    type Output = Wide<V>;
    #[inline(always)]
    fn add(self, other: Wide<V>) -> Wide<V> {
        Wide(self.0.add(other.0))
    }
}

impl<V: Lanes<Scalar = f32>> Sub for Wide<V> {
    type Output = Wide<V>;
    #[inline(always)]
    fn sub(self, other: Wide<V>) -> Wide<V> {
        Wide(self.0.sub(other.0))
    }
}

impl<V: Lanes<Scalar = f32>> Mul for Wide<V> {
    type Output = Wide<V>;
    #[inline(always)]
    fn mul(self, other: Wide<V>) -> Wide<V> {
        Wide(self.0.mul(other.0))
    }
}

impl<V: Lanes<Scalar = f32>> Div for Wide<V> {
    type Output = Wide<V>;
    #[inline(always)]
    fn div(self, other: Wide<V>) -> Wide<V> {
        self.zip(other, |a, b| a / b)
    }
}

impl<V: Lanes<Scalar = f32>> Neg for Wide<V> {
    type Output = Wide<V>;
    #[inline(always)]
    fn neg(self) -> Wide<V> {
        Wide(V::zero().sub(self.0))
    }
}

impl<V: Lanes<Scalar = f32>> CellNumber for Wide<V> {
    type Shared = f32;

    #[inline(always)]
    fn of(value: f64) -> Wide<V> {
        Wide(V::splat(value as f32))
    }

    #[inline(always)]
    fn shared(value: f64) -> f32 {
        value as f32
    }

    #[inline(always)]
    fn spread(weight: f32) -> Wide<V> {
        Wide(V::splat(weight))
    }

    /// $x=n\ln2+f$ with $|f|\le\frac12\ln2$; a polynomial in $f$; $n$ goes into the bits of the exponent.
    #[inline(always)]
    fn exp(self) -> Wide<V> {
        let inside = self.each(|x| {
            let x = if x > BOTTOM { x } else { BOTTOM };
            if x < TOP { x } else { TOP }
        });
        let magic = V::splat(MAGIC);
        let rounded = magic.plus(inside.0, V::splat(std::f32::consts::LOG2_E));
        let n = rounded.sub(magic);
        let f = inside.0.plus(n, V::splat(-0.693_359_4)).plus(n, V::splat(2.121_944_4e-4));
        let mut p = V::splat(TAYLOR[0]);
        for c in &TAYLOR[1..] {
            p = V::splat(*c).plus(p, f);
        }
        let power = Wide(rounded).each(|x| f32::from_bits(x.to_bits().wrapping_add(127) << 23));
        let value = Wide(p) * power;
        value.zip(self, |value, x| if x > BOTTOM { value } else { 0.0 })
    }

    /// $x=2^e(1+t)$ with $1+t$ between the roots of one half and two; a polynomial in $t$.
    #[inline(always)]
    fn ln(self) -> Wide<V> {
        self.each(|x| {
            let bits = x.to_bits();
            let (exponent, mantissa) = ((bits >> 23) as i32 - 127, f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000));
            let large = mantissa > std::f32::consts::SQRT_2;
            let t = if large { 0.5 * mantissa } else { mantissa } - 1.0;
            let e = exponent as f32 + if large { 1.0 } else { 0.0 };
            let (square, mut p) = (t * t, LOG[0]);
            for c in &LOG[1..] {
                p = p * t + c;
            }
            let small = t * square * p - 2.121_944_4e-4 * e - 0.5 * square;
            0.693_359_4 * e + (t + small)
        })
    }

    #[inline(always)]
    fn sqrt(self) -> Wide<V> {
        self.each(f32::sqrt)
    }

    #[inline(always)]
    fn at_least(self, y: Wide<V>, then: Wide<V>, otherwise: Wide<V>) -> Wide<V> {
        let mut out = [0.0; MOST];
        let (mut a, mut b, mut c) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
        self.0.write(&mut out[..V::N]);
        y.0.write(&mut a[..V::N]);
        then.0.write(&mut b[..V::N]);
        otherwise.0.write(&mut c[..V::N]);
        for i in 0..V::N {
            out[i] = if out[i] >= a[i] { b[i] } else { c[i] };
        }
        Wide(V::from_slice(&out[..V::N]))
    }

    #[inline(always)]
    fn plus(self, a: Wide<V>, b: Wide<V>) -> Wide<V> {
        Wide(self.0.plus(a.0, b.0))
    }
}

impl<V: Lanes<Scalar = f32>> Packed for Wide<V> {
    const WIDTH: usize = V::N;

    /// Numbers beyond the range of single precision become the largest in it.
    #[inline(always)]
    fn pack(values: &[f64]) -> Wide<V> {
        let mut lanes = [0.0; MOST];
        for (lane, value) in lanes[..V::N].iter_mut().zip(values) {
            *lane = value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
        }
        Wide(V::from_slice(&lanes[..V::N]))
    }

    #[inline(always)]
    fn unpack(self, out: &mut [f64]) {
        let mut lanes = [0.0; MOST];
        self.0.write(&mut lanes[..V::N]);
        for (out, lane) in out.iter_mut().zip(&lanes[..V::N]) {
            *out = f64::from(*lane);
        }
    }

    #[inline(always)]
    fn total(self) -> f64 {
        self.0.total()
    }

    fn exact(weight: f32) -> f64 {
        f64::from(weight)
    }

    fn vectorize<R>(work: impl FnOnce() -> R) -> R {
        V::vectorize(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::lanes::PortableSingle;

    fn agrees<V: Lanes<Scalar = f32>>() {
        if !V::available() {
            return;
        }
        V::vectorize(|| {
            for i in 0..20_000 {
                let x: Vec<f32> = (0..V::N).map(|lane| -95.0 + 0.009 * i as f32 + 0.3 * lane as f32).collect();
                let check = |got: Wide<V>, right: &dyn Fn(f64) -> f64, within: f64| {
                    let mut out = vec![0.0; V::N];
                    got.0.write(&mut out);
                    for (x, y) in x.iter().zip(out) {
                        let right = right(f64::from(*x));
                        let wrong = (f64::from(y) - right).abs();
                        assert!(wrong <= within * (1e-30 + right.abs()), "{x} {y} {right}");
                    }
                };
                let wide = Wide(V::from_slice(&x));
                check(wide.exp(), &|x| if x > -87.0 { x.min(88.0).exp() } else { 0.0 }, 3e-7);
                check(
                    wide.magnitude().ln().exp(),
                    &|x| if x.abs() < 1e-3 { 0.0 } else { x.abs() },
                    if x.iter().any(|x| x.abs() < 1e-3) { 1e30 } else { 2e-6 },
                );
                check(wide.relu(), &|x| x.max(0.0), 0.0);
                check(wide.magnitude().sqrt(), &|x| x.abs().sqrt(), 2e-7);
                check(-wide / Wide::of(3.0), &|x| -x / 3.0, 2e-7);
            }
        });
    }

    #[test]
    fn functions_of_lanes_are_right() {
        agrees::<PortableSingle>();
        #[cfg(target_arch = "x86_64")]
        {
            agrees::<workbench_ground::lanes::S8>();
            agrees::<workbench_ground::lanes::S16>();
        }
    }

    #[test]
    fn logarithms_are_right_to_the_last_digits() {
        for i in 0..400_000 {
            let x = (-87.0 + 0.00043 * f64::from(i)).exp() as f32;
            let mut out = [0.0; 8];
            Wide(PortableSingle::splat(x)).ln().0.write(&mut out);
            let right = f64::from(x).ln();
            assert!((f64::from(out[0]) - right).abs() < 2e-7 * (0.1 + right.abs()), "{x} {}", out[0]);
        }
    }
}
