//! Laws of the inputs, targets, counts, and a real corpus.

pub(crate) mod corpus;
pub(crate) mod goodness;
pub(crate) mod power_sum;
pub(crate) mod samples;
pub(crate) mod target;
pub(crate) mod zipf;
