//! Command line of a project's checks, for the program that each project has: `verify` and `export`.
//!
//! A project of one's own has a `main.rs` of one line, and `workbench verify` and `workbench export` call what it makes:
//!
//! ```no_run
//! # fn all() -> Vec<workbench_ledger::Check> { Vec::new() }
//! fn main() -> std::process::ExitCode {
//!     workbench_program::main(&all())
//! }
//! ```

#![warn(missing_docs)]

mod options;
mod panics;
pub mod verify;

use std::process::ExitCode;

use clap::Parser;
use workbench_ledger::Check;

/// What a project's program does.
#[derive(Parser)]
#[command(name = "workbench")]
enum Command {
    /// Run checks of claims without a kernel and compare their verdicts with the committed ones
    Verify(verify::Options),
    /// Write the record as CSV and Parquet, the table of claims as Markdown and LaTeX
    #[command(disable_help_flag = true)]
    Export {
        /// What `export` of the ledger takes
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

/// The whole program of a project with these checks.
pub fn main(checks: &[Check]) -> ExitCode {
    match Command::parse() {
        Command::Verify(options) => verify::verify(checks, &options, |_| Ok(None)),
        Command::Export { words } => workbench_ledger::command(&[vec!["export".to_string()], words].concat()),
    }
}
