//! Laws of the inputs, targets, counts, and a real corpus.

pub(in crate::memory) mod corpus;
pub(in crate::memory) mod enumeration;
pub(in crate::memory) mod goodness;
pub(in crate::memory) mod power_sum;
pub(in crate::memory) mod target;
pub(in crate::memory) mod zipf;
