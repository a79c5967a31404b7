//! `cargo workbench bench kernel`: our kernel, stock evcxr and Python's ipykernel, measured side by side by one client;
//! [`features`] compares what they can do. `cargo workbench bench attention`: linear attention beside PyTorch; `bench sgd`: gradient descent
//! beside PyTorch; `bench memory`: the exact error of a memory beside NumPy; `bench lfom`: training of memformers beside PyTorch.

mod attention;
mod cells;
mod duel;
pub mod features;
mod kernel;
mod lfom;
mod measure;
mod memory;
mod routine;
mod sgd;
pub mod stock;
mod subjects;

use crate::cli::{Bench, BenchArgs};
use crate::error::Result;
use crate::progress;

/// Runs a benchmark; returns the exit status.
pub fn command(args: &BenchArgs) -> Result<i32> {
    match &args.what {
        Bench::Kernel(args) => kernel::command(args),
        Bench::Features(args) => features::command(args),
        Bench::Attention(args) => attention::command(args),
        Bench::Sgd(args) => sgd::command(args),
        Bench::Memory(args) => memory::command(args),
        Bench::Lfom(args) => lfom::command(args),
    }
}

/// Says so when other programs hold the processors: the times would be theirs too.
fn warn_if_busy() {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let load = std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|load| load.parse::<f64>().ok()));
    if let Some(load) = load.filter(|load| *load > cores as f64) {
        progress::note(&format!(
            "the load is {load:.1} on {cores} cores: measure again on a quiet machine"
        ));
    }
}
