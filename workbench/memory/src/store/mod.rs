//! Stores of pairs: embeddings, weighting schemes, the memories themselves and the energy that they store.

pub(crate) mod associative_memory;
pub(crate) mod chosen_embeddings;
pub(crate) mod embedding;
pub(crate) mod interference;
pub(crate) mod profile;
pub(crate) mod relu_memory;
pub(crate) mod scheme;
mod words;
