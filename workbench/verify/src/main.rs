//! Checks of all documents without a kernel: `workbench-verify GLOB ..`.

mod swept;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use workbench_program::verify;

/// Runs checks without a kernel and compares their verdicts with the committed ones.
#[derive(Parser)]
#[command(name = "cargo workbench verify")]
struct Command {
    #[command(flatten)]
    options: verify::Options,
    /// Folder with merged sweeps, each under its name, as DIR/error-curves: checks take them in place of computing where they are of
    /// this commit, scale and seed; WORKBENCH_SWEEPS if not given
    #[arg(long, value_name = "DIR")]
    sweeps: Option<PathBuf>,
}

fn main() -> ExitCode {
    let command = Command::parse();
    verify::verify(&workbench_checks::all(), &command.options, |notebooks| {
        swept::Folder::of(command.sweeps.as_deref(), notebooks)
    })
}
