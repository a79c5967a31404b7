//! Sample size that a memory is built from.

/// How much data a memory is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// The limit of infinite data: population weights.
    Population,
    /// T independent samples.
    Draws(usize),
}

impl Samples {
    /// T as a number, infinite for the population.
    pub fn size(&self) -> f64 {
        match self {
            Samples::Population => f64::INFINITY,
            Samples::Draws(t) => *t as f64,
        }
    }
}
