pub mod display;
pub mod stats;
