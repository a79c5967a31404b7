//! Plain loops, compiled several times: which of them the processor can run is asked when they are called.

/// Instruction sets that loops and kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// Those of every machine.
    Portable,
    /// AVX2 with fused multiply-adds: 256 bits.
    Avx2,
    /// AVX-512 with its parts for bytes, words and shorter vectors: 512 bits.
    Avx512,
}

impl Instructions {
    /// The widest ones that this processor has.
    pub fn here() -> Instructions {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            return match wide {
                true => Instructions::Avx512,
                false => Instructions::Avx2,
            };
        }
        Instructions::Portable
    }

    /// Whether this processor has them.
    pub fn available(self) -> bool {
        self <= Instructions::here()
    }
}

/// Defines a function whose body is compiled for each of [`Instructions`](crate::lanes::Instructions); a call runs the widest form
/// that the processor has.
///
/// The body is plain Rust that the compiler turns into vector code. It is never fused by itself, so a body of plain operations gives
/// the same bits in all forms. `FMA` is a constant inside the body that says whether `mul_add` is one instruction there.
///
/// Functions that the body calls are compiled with it only where they are inlined: mark them `#[inline(always)]`, and pass no
/// closures into them from outside, which keep the instructions of every machine.
///
/// ```
/// workbench_ground::vectorized! {
///     /// Adds `a x` to `y`.
///     pub fn add_scaled(a: f64, x: &[f64], y: &mut [f64]) {
///         for (y, x) in y.iter_mut().zip(x) {
///             *y = if FMA { a.mul_add(*x, *y) } else { a * x + *y };
///         }
///     }
/// }
/// let mut y = [1.0, 2.0];
/// add_scaled(2.0, &[3.0, 4.0], &mut y);
/// assert_eq!(y, [7.0, 10.0]);
/// ```
#[macro_export]
macro_rules! vectorized {
    ($(#[$meta:meta])* $vis:vis fn $name:ident $(<$t:ident: $bound:path>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        $vis fn $name $(<$t: $bound>)? ($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            fn body<const FMA: bool $(, $t: $bound)?>($($arg: $ty),*) $(-> $ret)? $body
            #[cfg(target_arch = "x86_64")]
            {
                use $crate::lanes::Instructions;
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                #[inline(never)]
                fn avx512 $(<$t: $bound>)? ($($arg: $ty),*) $(-> $ret)? { body::<true $(, $t)?>($($arg),*) }
                #[target_feature(enable = "avx2,fma")]
                #[inline(never)]
                fn avx2 $(<$t: $bound>)? ($($arg: $ty),*) $(-> $ret)? { body::<true $(, $t)?>($($arg),*) }
                match Instructions::here() {
                    // SAFETY: the processor has just said that it has these instructions.
                    Instructions::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: as above.
                    Instructions::Avx2 => return unsafe { avx2($($arg),*) },
                    Instructions::Portable => {}
                }
            }
            body::<false $(, $t)?>($($arg),*)
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    vectorized! {
        /// The sum of a x + y, and whether it was fused.
        fn total<T: Into<f64>>(a: f64, x: &[f64], first: T) -> (f64, bool) {
            (x.iter().fold(first.into(), |sum, x| if FMA { a.mul_add(*x, sum) } else { a * x + sum }), FMA)
        }
    }

    #[test]
    fn a_loop_runs_in_the_widest_form_that_the_processor_has() {
        let (sum, fused) = total(2.0, &[1.0, 2.0, 3.0], 1.0f32);
        assert_eq!(sum, 13.0);
        assert_eq!(fused, Instructions::here() > Instructions::Portable);
    }
}
