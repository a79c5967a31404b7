//! The `workbench-bench` binary, which `cargo workbench bench` hands over to.

fn main() -> std::process::ExitCode {
    workbench_bench::main()
}
