//! Lanes for any machine: small arrays, which the compiler turns into whatever vectors the target has.

use super::Lanes;

macro_rules! portable {
    ($name:ident, $t:ty, $n:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        #[repr(align(32))]
        pub struct $name([$t; $n]);

        impl $name {
            #[inline(always)]
            fn zip(self, other: Self, f: impl Fn($t, $t) -> $t) -> Self {
                let mut out = self.0;
                for (out, other) in out.iter_mut().zip(other.0) {
                    *out = f(*out, other);
                }
                $name(out)
            }
        }

        impl Lanes for $name {
            type Scalar = $t;
            const N: usize = $n;
            const ROWS: usize = 2;

            fn available() -> bool {
                true
            }
            fn vectorize<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            #[inline(always)]
            fn splat(value: $t) -> Self {
                $name([value; $n])
            }
            #[inline(always)]
            fn from_slice(values: &[$t]) -> Self {
                let mut out = [0.0; $n];
                out.copy_from_slice(values);
                $name(out)
            }
            #[inline(always)]
            fn write(self, out: &mut [$t]) {
                out.copy_from_slice(&self.0);
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.zip(other, |x, y| x + y)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.zip(other, |x, y| x - y)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.zip(other, |x, y| x * y)
            }
            #[inline(always)]
            fn plus(self, a: Self, b: Self) -> Self {
                self.add(a.mul(b))
            }
            #[inline(always)]
            fn minus(self, a: Self, b: Self) -> Self {
                self.sub(a.mul(b))
            }
        }
    };
}

portable!(PortableSingle, f32, 8, "Eight numbers in single precision.");
portable!(PortableDouble, f64, 4, "Four numbers in double precision.");
