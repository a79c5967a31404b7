//! Floating-point precision of the rooms' passes.

use serde::{Deserialize, Serialize};

/// Arithmetic of a computation that can be done in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    /// 32 bits: twice as many numbers in a register.
    Single,
    /// 64 bits.
    Double,
}
