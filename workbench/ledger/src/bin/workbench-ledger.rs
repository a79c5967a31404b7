//! Command line of the tables, as a program.

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    workbench_ledger::command(&arguments)
}
