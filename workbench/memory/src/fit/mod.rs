//! Error curves, their exponents and their optima.

pub(crate) mod curve;
mod deviation;
pub(crate) mod optimum;
pub(crate) mod two_term;
