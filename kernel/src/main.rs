//! The `workbench` binary; everything is in the library beside it, where tests can reach it.

fn main() -> std::process::ExitCode {
    workbench_kernel::main()
}
