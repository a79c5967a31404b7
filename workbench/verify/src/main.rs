//! Checks of all documents without a kernel: `workbench-verify GLOB ..`.

mod swept;

use std::process::ExitCode;

use clap::Parser;
use workbench_program::verify;

/// Runs checks without a kernel and compares their verdicts with the committed ones.
#[derive(Parser)]
#[command(name = "cargo workbench verify")]
struct Command {
    #[command(flatten)]
    options: verify::Options,
}

fn main() -> ExitCode {
    let command = Command::parse();
    verify::verify(&workbench_checks::all(), &command.options, |notebooks| {
        swept::Folder::of(command.options.sweeps.as_deref(), notebooks)
    })
}
