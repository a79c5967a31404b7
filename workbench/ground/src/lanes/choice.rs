//! Choice of registers (SIMD width): asked of the processor, and written once for kernels that are generic over them.

#[cfg(target_arch = "x86_64")]
use super::{D4, D8, Instructions, Lanes};

/// Runs `work` with the widest registers that this processor has. No product and sum are fused, so the bits are those of plain code.
///
/// `work` is a closure marked `#[inline(always)]`, as is what it calls: the rest keeps the instructions of every machine.
#[inline(always)]
pub fn wide<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    match Instructions::here() {
        Instructions::Avx512 => return D8::vectorize(work),
        Instructions::Avx2 => return D4::vectorize(work),
        Instructions::Portable => {}
    }
    work()
}

/// Calls a macro with the name of the registers for these [`Instructions`](crate::lanes::Instructions): of single numbers, of double
/// ones, or of those of a [`Precision`](crate::lanes::Precision). The names stand in [`lanes`](crate::lanes); where it is called, those
/// that the macro takes for types are in scope.
///
/// ```
/// use workbench_ground::lanes::*;
/// use workbench_ground::by_registers;
/// macro_rules! numbers {
///     ($registers:ident) => {
///         $registers::N
///     };
/// }
/// let single = by_registers!(Single, Instructions::here(), numbers);
/// let double = by_registers!(Precision::Double, Instructions::here(), numbers);
/// assert!(single == 2 * double && double >= 4);
/// ```
#[macro_export]
macro_rules! by_registers {
    (Single, $instructions:expr, $made:ident) => {
        match $instructions {
            #[cfg(target_arch = "x86_64")]
            $crate::lanes::Instructions::Avx512 => $made!(S16),
            #[cfg(target_arch = "x86_64")]
            $crate::lanes::Instructions::Avx2 => $made!(S8),
            _ => $made!(PortableSingle),
        }
    };
    (Double, $instructions:expr, $made:ident) => {
        match $instructions {
            #[cfg(target_arch = "x86_64")]
            $crate::lanes::Instructions::Avx512 => $made!(D8),
            #[cfg(target_arch = "x86_64")]
            $crate::lanes::Instructions::Avx2 => $made!(D4),
            _ => $made!(PortableDouble),
        }
    };
    ($precision:expr, $instructions:expr, $made:ident) => {
        match $precision {
            $crate::lanes::Precision::Single => $crate::by_registers!(Single, $instructions, $made),
            $crate::lanes::Precision::Double => $crate::by_registers!(Double, $instructions, $made),
        }
    };
}
