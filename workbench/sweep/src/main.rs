//! The program behind `cargo workbench sweep`; it runs by itself too, on nodes that have nothing of the project.

fn main() -> std::process::ExitCode {
    workbench_sweep::cli::main()
}
