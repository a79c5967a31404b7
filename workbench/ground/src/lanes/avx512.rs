//! Lanes of AVX-512.

use super::{Instructions, Lanes};
use std::arch::x86_64::*;

macro_rules! wide {
    ($name:ident, $t:ty, $n:literal, $register:ty, $set:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident,
     $plus:ident, $minus:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $name($register);

        // SAFETY of every block below: a value of this type is made only after `available` has said that the processor knows the
        // instructions, see `Batch`; pointers come from slices whose length has just been checked.
        impl Lanes for $name {
            type Scalar = $t;
            const N: usize = $n;
            const ROWS: usize = 5;

            fn available() -> bool {
                Instructions::here() == Instructions::Avx512
            }
            #[inline]
            fn vectorize<R>(work: impl FnOnce() -> R) -> R {
                #[inline]
                #[target_feature(enable = "avx512f")]
                fn inner<R>(work: impl FnOnce() -> R) -> R {
                    work()
                }
                unsafe { inner(work) }
            }
            #[inline(always)]
            fn splat(value: $t) -> Self {
                $name(unsafe { $set(value) })
            }
            #[inline(always)]
            fn from_slice(values: &[$t]) -> Self {
                assert_eq!(values.len(), $n);
                $name(unsafe { $load(values.as_ptr()) })
            }
            #[inline(always)]
            fn write(self, out: &mut [$t]) {
                assert_eq!(out.len(), $n);
                unsafe { $store(out.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                $name(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $name(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn plus(self, a: Self, b: Self) -> Self {
                $name(unsafe { $plus(a.0, b.0, self.0) })
            }
            #[inline(always)]
            fn minus(self, a: Self, b: Self) -> Self {
                $name(unsafe { $minus(a.0, b.0, self.0) })
            }
        }
    };
}

wide!(
    S16,
    f32,
    16,
    __m512,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_fmadd_ps,
    _mm512_fnmadd_ps,
    "Sixteen numbers in single precision."
);
wide!(
    D8,
    f64,
    8,
    __m512d,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_fmadd_pd,
    _mm512_fnmadd_pd,
    "Eight numbers in double precision."
);
