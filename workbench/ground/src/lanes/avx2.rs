//! Lanes of AVX2 with FMA.

use super::{Instructions, Lanes};
use std::arch::x86_64::*;

macro_rules! narrow {
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
            const ROWS: usize = 2;

            fn available() -> bool {
                Instructions::here() >= Instructions::Avx2
            }
            #[inline]
            fn vectorize<R>(work: impl FnOnce() -> R) -> R {
                #[inline]
                #[target_feature(enable = "avx2,fma")]
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

narrow!(
    S8,
    f32,
    8,
    __m256,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_fmadd_ps,
    _mm256_fnmadd_ps,
    "Eight numbers in single precision."
);
narrow!(
    D4,
    f64,
    4,
    __m256d,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_fmadd_pd,
    _mm256_fnmadd_pd,
    "Four numbers in double precision."
);
