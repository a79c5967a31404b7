//! Fits to errors: the best threshold, deviations.

pub(crate) mod best_threshold;
mod deviation;
