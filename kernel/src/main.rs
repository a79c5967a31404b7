//! Workbench: the Jupyter kernel, the headless runner and the front door of the project, in one binary.

#![warn(missing_docs)]

mod bench;
mod cli;
mod doctor;
mod error;
mod eval;
mod export;
mod jupyter;
mod lab;
mod ledger_program;
mod progress;
mod run;
mod setup;
mod test;

fn main() -> std::process::ExitCode {
    // The same binary serves as the process for cells and as the cargo that evcxr sees.
    eval::shim::hook();
    eval::process::hook();
    cli::main()
}
