//! Sweeps: the same bytes however they are cut into shards, what is refused, and the program.

mod bad_input;
mod common;
mod program;
mod shards;
