
pub mod stats;
