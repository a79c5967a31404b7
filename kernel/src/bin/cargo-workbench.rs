//! `cargo workbench ..` outside of a checkout: cargo's way to the program `workbench`, which stands beside this one.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    // Cargo tells a command its own name first.
    let mut words = std::env::args_os().skip(1).peekable();
    words.next_if(|word| word == "workbench");
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("workbench"));
    let program = beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("workbench"));
    // `workbench_record::program` reads it.
    let why = Command::new(&program).args(words).env("WORKBENCH_CALLED", "cargo workbench").exec();
    eprintln!("cannot start {}: {why}; install it with `cargo install --path kernel`", program.display());
    ExitCode::from(4)
}
