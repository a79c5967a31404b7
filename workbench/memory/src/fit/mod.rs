//! Fits to errors: the best threshold, the sum of two terms.

pub(crate) mod best_threshold;
mod deviation;
pub(crate) mod two_term;
