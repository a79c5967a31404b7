//! The error of a memory: simulated, integrated exactly, and per input.

pub(in crate::memory) mod expected_error;
pub(in crate::memory) mod experiment;
pub(in crate::memory) mod normals;
pub(in crate::memory) mod probe;
pub(in crate::memory) mod profile;
pub(in crate::memory) mod recall;
pub(in crate::memory) mod regenerated;
pub(in crate::memory) mod results;
