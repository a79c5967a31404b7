//! Theory of a memory as the document states and proves it: theorem by theorem and lemma by lemma.
//!
//! | in the document | here |
//! | --- | --- |
//! | Theorems 1 to 3, Eq. 6 to 8 and 14 | [`theorems`] |
//! | Lemma 1: inputs that no sample shows | [`lemma_1`] |
//! | Lemma 2: nearly orthogonal families | [`lemma_2`] |
//! | Lemma 3: the error of given output embeddings | [`lemma_3`] |
//! | Lemma 4 and Eq. 9: the cross-entropy loss and its gradient | [`lemma_4`] |
//! | the proofs of the theorems, B.2 to B.4 | [`proofs`] |

pub(crate) mod lemma_1;
pub(crate) mod lemma_2;
pub(crate) mod lemma_3;
pub(crate) mod lemma_4;
pub(crate) mod proofs;
pub(crate) mod theorems;
