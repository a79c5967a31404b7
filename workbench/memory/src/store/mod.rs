//! What stores the pairs: embeddings, weighting schemes and the memories themselves.

pub(crate) mod chosen_embeddings;
pub(crate) mod embedding;
pub(crate) mod interference;
pub(crate) mod memory;
pub(crate) mod relu_memory;
pub(crate) mod scheme;
