//! Lemma 1: the mass of inputs that no sample shows.
//!
//! | step | here |
//! | --- | --- |
//! | sums over ranks, the integrals beside them, the change of variable | [`unseen`] |
//! | small cases by listing all samples | [`enumeration`] |

pub(crate) mod enumeration;
pub(crate) mod unseen;
