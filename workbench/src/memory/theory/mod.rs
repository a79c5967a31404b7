//! Bounds and rates of the paper as functions, and the objects of its useful lemmas.

pub(in crate::memory) mod cap;
pub(in crate::memory) mod gradient;
pub(in crate::memory) mod orthant;
pub(in crate::memory) mod outputs;
pub(in crate::memory) mod proofs;
pub(in crate::memory) mod quasi_orthogonal;
pub(in crate::memory) mod rates;
pub(in crate::memory) mod ratio_chain;
pub(in crate::memory) mod student;
pub(in crate::memory) mod survival;
pub(in crate::memory) mod unseen;
