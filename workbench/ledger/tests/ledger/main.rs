//! The ledger through its public API, its program, and what others make of its files.

mod claims_latex;
mod command;
mod disk;
mod session;
