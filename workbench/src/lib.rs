//! Associative memories, random features and learned first-order methods for Rust notebooks.
#![warn(missing_docs)]

pub mod display;
pub mod ledger;
