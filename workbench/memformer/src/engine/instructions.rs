//! The arithmetic of a pass, and what the processor has for it.

use serde::{Deserialize, Serialize};
#[cfg(target_arch = "x86_64")]
use workbench_ground::lanes::{Lanes, S8, S16};

/// Arithmetic of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// 32 bits, 16 prompts per register with AVX-512.
    Single,
    /// 64 bits.
    Double,
}

/// The processor's registers that the passes use here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// 512 bits.
    Avx512,
    /// 256 bits with fused multiply-add.
    Avx2,
    /// Whatever the compiler makes of small arrays.
    Portable,
}

impl Instructions {
    /// The widest that this processor has.
    pub fn best() -> Instructions {
        [Instructions::Avx512, Instructions::Avx2]
            .into_iter()
            .find(|i| i.available())
            .unwrap_or(Instructions::Portable)
    }

    /// Whether this processor has them.
    pub fn available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => S16::available(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => S8::available(),
            Instructions::Portable => true,
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }
}
