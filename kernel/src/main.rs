//! The `workbench` binary; everything is in the library beside it, where tests can reach it.

/// The allocator that evcxr's own kernel has, and with it every measurement so far.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    workbench_kernel::main()
}
