//! The benchmarks: `cargo workbench bench ...`, a program of its own that the front door hands over to.
//!
//! `bench kernel` measures our kernel, stock evcxr and Python's ipykernel side by side by one client, [`features`] compares what they
//! can do. `bench attention` measures linear attention beside PyTorch, `bench sgd` gradient descent beside PyTorch, `bench memory` the
//! exact error of a memory beside NumPy, `bench lfom` training of memformers beside PyTorch, `bench optimizer` learned optimizers beside
//! PyTorch. `bench edit` measures how long one waits from an edit of a check to its verdict, `bench site` how long the site takes,
//! `bench sweep` what a shard costs beside its task, `bench growth` how time and memory of the crate's computations grow with their sizes.

#![warn(missing_docs)]

pub mod args;
mod attention;
mod cells;
mod duel;
mod edit;
pub mod features;
mod growth;
mod kernel;
mod lfom;
mod machine;
mod measure;
mod memory;
mod optimizer;
mod routine;
mod run_all;
mod sgd;
mod site;
mod stock;
mod subjects;
mod sweep;

/// The scripted kernel of the client's tests, in this test program too.
#[cfg(test)]
#[path = "../../client/src/fake_kernel.rs"]
mod fake_kernel;

use std::process::ExitCode;

use clap::Parser;
use workbench_base::ending::{end_with_the_reader, status};
use workbench_base::error::Result;

use args::{Bench, Cli};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let what = Cli::parse().what;
    end_with_the_reader();
    status(command(&what).map_err(anyhow::Error::from))
}

/// Runs a benchmark; returns the exit status.
fn command(what: &Bench) -> Result<i32> {
    match what {
        Bench::Kernel(args) => kernel::command(args),
        Bench::Features(args) => features::command(args),
        Bench::Attention(args) => attention::command(args),
        Bench::Sgd(args) => sgd::command(args),
        Bench::Memory(args) => memory::command(args),
        Bench::Lfom(args) => lfom::command(args),
        Bench::Optimizer(args) => optimizer::command(args),
        Bench::Edit(args) => edit::command(args),
        Bench::Site(args) => site::command(args),
        Bench::Sweep => sweep::command(),
        Bench::Growth(args) => growth::command(args),
    }
}
