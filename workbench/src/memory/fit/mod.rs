//! Error curves, their exponents and their optima.

pub(in crate::memory) mod curve;
pub(in crate::memory) mod optimum;
pub(in crate::memory) mod two_term;
