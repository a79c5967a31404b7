//! Workbench: the Jupyter kernel, the headless runner and the front door of the project, in one binary. The benchmarks are a program
//! of their own, in `bench/`, that [`handover`] calls.
//!
//! [`eval`] evaluates cells with evcxr, [`language`] answers completion and inspection, [`jupyter`] serves the messaging
//! protocol, [`client`] is the other end of it, [`notebook`] is a file, [`run`] runs it through that, and [`setup`] prepares a machine; the other
//! modules are one command each.
//! Nothing here depends on the `workbench` crate: a notebook that changes the crate does not rebuild the kernel.

#![warn(missing_docs)]

#[cfg(test)]
#[allow(dead_code, reason = "these tests need a part of it")]
#[path = "../setup/src/system/fake.rs"]
mod fake;
#[cfg(test)]
#[allow(dead_code, reason = "these tests need a part of it")]
#[path = "../queries/src/fixtures.rs"]
mod fixtures;

pub mod bundle;
pub mod cli;
pub mod doctor;
mod install;
pub mod lint;
pub mod new;
pub mod power;
pub mod test;

/// Runs the binary, in whichever role it was started.
pub fn main() -> std::process::ExitCode {
    // The same binary serves as the process for cells and as the cargo that evcxr sees.
    workbench_eval::shim::hook();
    workbench_eval::process::hook();
    cli::main()
}
