//! The house from its front: which room sees which, and what rooms show together.

mod directions;
mod first_lines;
mod house;
mod retention_theories;
mod shown_results;
