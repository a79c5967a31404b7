//! Bounds and rates of the paper as functions, and the objects of its useful lemmas.

pub(crate) mod cap;
pub(crate) mod enumeration;
pub(crate) mod gradient;
pub(crate) mod orthant;
pub(crate) mod outputs;
pub(crate) mod proofs;
pub(crate) mod quasi_orthogonal;
pub(crate) mod rates;
pub(crate) mod ratio_chain;
pub(crate) mod student;
pub(crate) mod survival;
pub(crate) mod unseen;
