//! Options of the benchmarks.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use workbench_base::args::seconds;
use workbench_base::error::{Error, Result};

/// Measure the kernel beside stock evcxr and Python
#[derive(Debug, Parser)]
#[command(name = "workbench-bench", bin_name = "cargo workbench bench", max_term_width = 100)]
pub struct Cli {
    /// What to measure.
    #[command(subcommand)]
    pub what: Bench,
}

/// The benchmarks.
#[derive(Clone, Debug, Subcommand)]
pub enum Bench {
    /// Start, first table, first let and warm cells: our kernel, stock evcxr, ipykernel
    Kernel(BenchKernelArgs),
    /// Feature by feature, by scenarios that talk the protocol: our kernel, stock evcxr, ipykernel
    Features(BenchFeaturesArgs),
    /// Linear attention beside PyTorch, which is installed on demand, and beside its own matrix products
    Attention(BenchAttentionArgs),
    /// Gradient descent with batch one beside a PyTorch loop, which is installed on demand
    Sgd(BenchSgdArgs),
    /// The exact error of one associative memory beside the straightforward NumPy program
    Memory(BenchMemoryArgs),
    /// Training of memformers beside PyTorch, which is installed on demand, and the public code of preconditioned gradient descent
    Lfom(BenchLfomArgs),
    /// Learned optimizers beside PyTorch, eager and compiled, which is installed on demand, and beside what the machine can do at most
    Optimizer(BenchOptimizerArgs),
    /// From an edit of a check, or of a method that it uses, to its verdict
    Edit(BenchEditArgs),
    /// The site of the record: from nothing, after one claim has changed, and its size
    Site(BenchSiteArgs),
    /// What a shard of a sweep costs beside its task
    Sweep,
    /// How time and memory of the crate's computations grow with each of their sizes, beside what their documentation states
    Growth(BenchGrowthArgs),
}

/// Options of `bench features`.
#[derive(Args, Clone, Debug)]
pub struct BenchFeaturesArgs {
    /// Leave out stock evcxr, which is compiled once, and whose first session compiles all dependencies (some 20 minutes)
    #[arg(long)]
    pub no_stock: bool,
    /// Leave out Python
    #[arg(long)]
    pub no_python: bool,
    /// Only the rows whose name contains this; nothing is written
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Folder for features.csv and features.md instead of kernel/bench
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `bench kernel`.
#[derive(Args, Clone, Debug)]
pub struct BenchKernelArgs {
    /// Sessions to measure with each kernel
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub repeats: usize,
    /// Leave out stock evcxr, which is compiled once, and whose first session compiles all dependencies (some 20 minutes)
    #[arg(long)]
    pub no_stock: bool,
    /// Leave out Python
    #[arg(long)]
    pub no_python: bool,
    /// Where to write the table as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// Options of `bench attention`.
#[derive(Args, Clone, Debug)]
pub struct BenchAttentionArgs {
    /// Runs of each program that count
    #[arg(long, default_value_t = 25, value_name = "N")]
    pub repeats: usize,
    /// Threads of each program; several values are measured one after the other
    #[arg(long, value_delimiter = ',', default_value = "2,1", value_name = "N,...")]
    pub threads: Vec<usize>,
}

/// Options of `bench sgd`.
#[derive(Args, Clone, Debug)]
pub struct BenchSgdArgs {
    /// Runs of each program that count
    #[arg(long, default_value_t = 9, value_name = "N")]
    pub repeats: usize,
    /// Cores of each program: threads here, processes side by side there
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub cores: usize,
}

/// Options of `bench memory`.
#[derive(Args, Clone, Debug)]
pub struct BenchMemoryArgs {
    /// Runs of each program that count
    #[arg(long, default_value_t = 51, value_name = "N")]
    pub repeats: usize,
}

/// Options of `bench lfom`.
#[derive(Args, Clone, Debug)]
pub struct BenchLfomArgs {
    /// `linear_transformer.py` of github.com/chengxiang/LinearTransformer, instead of downloading it
    #[arg(long, value_name = "FILE")]
    pub public: Option<PathBuf>,
    /// Threads of each program
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub threads: usize,
    /// Seconds of each timed block; there are five for each program, model and size
    #[arg(long, default_value_t = 2.0, value_name = "S", value_parser = seconds)]
    pub seconds: f64,
}

/// Options of `bench optimizer`.
#[derive(Args, Clone, Debug)]
pub struct BenchOptimizerArgs {
    /// Turns of each pair of programs that count
    #[arg(long, default_value_t = 9, value_name = "N")]
    pub repeats: usize,
    /// Seconds of each turn
    #[arg(long, default_value_t = 0.2, value_name = "S", value_parser = seconds)]
    pub seconds: f64,
    /// Threads of each program; the limits are for one
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub threads: usize,
    /// Leave out torch.compile, which needs a C++ compiler and takes minutes
    #[arg(long)]
    pub no_compile: bool,
}

/// Options of `bench edit`.
#[derive(Args, Clone, Debug)]
pub struct BenchEditArgs {
    /// The claim whose check is edited
    #[arg(long, default_value = "heavy-tailed/fig-2", value_name = "ID")]
    pub claim: String,
    /// The file of the method that is edited
    #[arg(long, default_value = "workbench/memory/src/store/associative_memory.rs", value_name = "FILE")]
    pub method: PathBuf,
    /// Edits of each
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub repeats: usize,
}

/// Options of `bench site`.
#[derive(Args, Clone, Debug)]
pub struct BenchSiteArgs {
    /// Builds of each kind
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub repeats: usize,
}

/// Options of `bench growth`.
#[derive(Args, Clone, Debug)]
pub struct BenchGrowthArgs {
    /// Rounds over all points, of which each counts at its median
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub rounds: usize,
    /// Only the rows whose name contains this; nothing is written
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Go on with the points of a run that was cut off
    #[arg(long)]
    pub resume: bool,
    /// Folder for growth.csv, growth.md and growth.svg instead of kernel/bench
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Refuses the first of these options that is zero.
pub fn at_least_one(options: &[(&'static str, usize)]) -> Result<()> {
    match options.iter().find(|(_, value)| *value == 0) {
        None => Ok(()),
        Some((option, _)) => Err(Error::Option { option, value: "0".into(), why: "at least one is needed".into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
