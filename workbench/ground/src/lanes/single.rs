//! Plain numbers as registers of one lane.

use super::Lanes;

macro_rules! numbers {
    ($($t:ty),*) => {$(
        /// One prompt, for matrices large enough to fill registers by themselves.
        impl Lanes for $t {
            type Scalar = $t;
            const N: usize = 1;
            const ROWS: usize = 1;

            fn available() -> bool {
                true
            }
            fn vectorize<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
            #[inline(always)]
            fn splat(value: $t) -> $t {
                value
            }
            #[inline(always)]
            fn from_slice(values: &[$t]) -> $t {
                values[0]
            }
            #[inline(always)]
            fn write(self, out: &mut [$t]) {
                out[0] = self;
            }
            #[inline(always)]
            fn add(self, other: $t) -> $t {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: $t) -> $t {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: $t) -> $t {
                self * other
            }
            #[inline(always)]
            fn plus(self, a: $t, b: $t) -> $t {
                self + a * b
            }
            #[inline(always)]
            fn minus(self, a: $t, b: $t) -> $t {
                self - a * b
            }
        }
    )*};
}
numbers!(f32, f64);
