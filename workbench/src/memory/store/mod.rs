//! What stores the pairs: embeddings, weighting schemes and the memories themselves.

pub(in crate::memory) mod chosen_embeddings;
pub(in crate::memory) mod embedding;
pub(in crate::memory) mod interference;
pub(in crate::memory) mod memory;
pub(in crate::memory) mod relu_memory;
pub(in crate::memory) mod scheme;
