//! Lemma 2: how many directions are nearly orthogonal in d dimensions.
//!
//! | step | here |
//! | --- | --- |
//! | the probability that two random directions are nearly parallel | [`cap`] |
//! | the predicate, families of known coherence, how many fit | [`quasi_orthogonal`] |

pub(crate) mod cap;
pub(crate) mod quasi_orthogonal;
