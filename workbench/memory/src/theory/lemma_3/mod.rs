//! Lemma 3: the error of a memory whose output embeddings are given, between two bounds.
//!
//! | step | here |
//! | --- | --- |
//! | the bounds, Eq. 21 and 22 | [`bounds`] |
//! | the law of the margins, signal-to-noise ratios, the error between two closed forms, Chernoff's bound | [`outputs`] |
//! | Gaussian orthants and the chain of Eq. 27 for a maximum | [`orthant`] |
//! | the tail of Student's law, Eq. 27 to 29 | [`student_tail`](workbench_ground::stats::student_tail) |
//! | Eq. 31 to 41, as printed and as corrected | [`survival`] |
//! | the ratio of quasi orthogonal outputs, line by line | [`ratio_chain`] |

pub(crate) mod bounds;
pub(crate) mod orthant;
pub(crate) mod outputs;
pub(crate) mod ratio_chain;
pub(crate) mod survival;
