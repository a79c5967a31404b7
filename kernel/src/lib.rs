//! The program `workbench`: Jupyter kernel, headless runner and front door of the project, in one binary. This crate is its command line;
//! what the commands do stands in the crates below, each of which says on its front page how a cell or a verdict passes through it.
//!
//! | crate | holds |
//! | --- | --- |
//! | [`workbench_base`] | names, errors, progress, private folders, notebook files |
//! | [`workbench_setup`] | the machine made ready; the library that cells link |
//! | `workbench-language`, [`workbench_eval`] | questions about code; cells compiled and run |
//! | [`workbench_jupyter`] | the messaging protocol over both |
//! | [`workbench_client`], [`workbench_run`] | its other end; notebooks run through it, verdicts into the record |
//! | `workbench-record`, [`workbench_queries`] | what runs leave on disk; questions to it |
//! | [`workbench_pages`], [`workbench_tools`] | the record and notebooks as pages; tools for who works on claims |
//!
//! A process that is started under the name `cargo` inside a kernel, or as the process for its cells, ends in [`workbench_eval`]; any other
//! goes to [`cli`]. The benchmarks are a program of their own, in `bench/`, which the command line builds and becomes.
//! Nothing here depends on the `workbench` crate: a notebook that changes the crate does not rebuild the kernel.

#![warn(missing_docs)]

pub mod cli;
pub mod doctor;
mod install;

#[cfg(test)]
#[allow(dead_code, reason = "these tests need a part of it")]
#[path = "../setup/src/system/fake.rs"]
mod fake;

/// Runs the binary, in whichever role it was started.
pub fn main() -> std::process::ExitCode {
    // The same binary serves as the process for cells and as the cargo that evcxr sees.
    workbench_eval::hook();
    cli::main()
}
