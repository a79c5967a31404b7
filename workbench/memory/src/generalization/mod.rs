//! The error of a memory: simulated, integrated exactly, and per input.

pub(crate) mod expected_error;
pub(crate) mod experiment;
mod noise_draw;
pub(crate) mod normals;
pub(crate) mod probe;
pub(crate) mod recall;
pub(crate) mod recalls;
pub(crate) mod regenerated;
pub(crate) mod results;
