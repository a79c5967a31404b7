//! The command line: `cargo workbench COMMAND`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::queries::certify::CertifyArgs;
use crate::queries::diff::DiffArgs;
use crate::queries::list::ListArgs;
use crate::verify::VerifyArgs;

/// Rust notebooks that recompute what papers claim.
#[derive(Debug, Parser)]
#[command(name = "workbench", bin_name = "cargo workbench", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run notebooks headless and print the verdict of every claim
    Run(RunArgs),
    /// Run checks of claims without a kernel and compare their verdicts with the committed ones
    #[command(disable_help_flag = true)]
    Verify(VerifyArgs),
    /// Open the notebooks in JupyterLab on this machine
    Lab(LabArgs),
    /// Check everything: format, lints, tests, every notebook, the ledger
    Test(TestArgs),
    /// List claims with their verdicts, numbers and seeds, and what is stale or open
    List(ListArgs),
    /// Compare two records, runs or revisions: verdicts and findings
    Diff(DiffArgs),
    /// Write a page that says who ran what, where, when, with which result
    Certify(CertifyArgs),
    /// Write the record as CSV and Parquet, the table of claims as Markdown and LaTeX, and notebooks as pages if asked
    Export(ExportArgs),
    /// Check this machine and say what to do about what is missing
    Doctor,
    /// Measure the kernel beside stock evcxr and Python
    Bench(BenchArgs),
    /// Build everything and install JupyterLab into the project, without starting anything
    Setup(SetupArgs),
    /// The Jupyter kernel
    #[command(hide = true)]
    Kernel(ConnectionArgs),
    /// The kernel of evcxr_jupyter, as it comes
    #[command(hide = true)]
    StockKernel(ConnectionArgs),
}

/// How large the notebooks' computations are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Minutes for all notebooks
    #[default]
    Quick,
    /// The papers' own sizes and run counts
    Paper,
}

impl Scale {
    /// The word that notebooks and tables use.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Paper => "paper",
        }
    }

    /// Whether this is the scale whose outputs are committed.
    pub fn is_paper(self) -> bool {
        self == Scale::Paper
    }
}

/// Options of `run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// How large the computations are
    #[arg(long, value_enum, default_value_t)]
    pub scale: Scale,
    /// Run only this notebook (repeatable): a name without .ipynb, or a path
    #[arg(long, value_name = "NAME")]
    pub notebook: Vec<String>,
    /// Run only what these claims need, up to the cell that records them (repeatable): an id, or a pattern as `memformer/fig-*`
    #[arg(long, value_name = "GLOB")]
    pub claim: Vec<String>,
    /// Run only notebooks with a verdict that is missing or stale, or that was computed with other sources of the crate
    #[arg(long)]
    pub changed: bool,
    /// Give a knob of the notebooks another value (repeatable); the verdicts stay out of the record
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// Notebooks to run side by side
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = jobs)]
    pub jobs: usize,
    /// Longest time for one cell in seconds; 0 for no limit
    #[arg(long, default_value_t = 3600.0, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: f64,
    /// Longest time for a kernel to start in seconds
    #[arg(long, default_value_t = 120.0, value_name = "SECONDS", value_parser = seconds)]
    pub start_timeout: f64,
    /// Seed of every random stream
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Run once for each of these seeds, and compare the verdicts: `1..=3`, `1,2,5`
    #[arg(long, value_name = "SEEDS", conflicts_with = "seed")]
    pub seeds: Option<String>,
    /// Go on with a run that was cut off: the latest, or the one of this identity
    #[arg(
        long, value_name = "RUN", num_args = 0..=1,
        conflicts_with_all = ["claim", "changed", "param", "notebook", "seed", "seeds", "scale"]
    )]
    pub resume: Option<Option<String>>,
    /// Wait for another run in this results folder to end, instead of saying that there is one
    #[arg(long)]
    pub wait: bool,
    /// Write outputs into the notebooks also at quick scale
    #[arg(long)]
    pub in_place: bool,
    /// Write this run's verdicts to notebooks/results/expected.csv
    #[arg(long)]
    pub accept: bool,
    /// Folder for tables and outputs instead of notebooks/results
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Fail also on verdicts that have no committed one to compare with
    #[arg(long)]
    pub strict: bool,
    /// Leave out the table of coverage
    #[arg(long)]
    pub no_coverage: bool,
    /// Print verdicts, times and problems as one JSON document on standard output, and all else on standard error
    #[arg(long)]
    pub json: bool,
    /// Write verdicts and problems as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Command line of another kernel, as a JSON list
    #[arg(long, hide = true, value_name = "JSON")]
    pub kernel_argv: Option<String>,
}

impl Default for RunArgs {
    fn default() -> Self {
        RunArgs {
            scale: Scale::Quick,
            notebook: Vec::new(),
            claim: Vec::new(),
            changed: false,
            param: Vec::new(),
            jobs: 1,
            timeout: 3600.0,
            start_timeout: 120.0,
            seed: 1,
            seeds: None,
            resume: None,
            wait: false,
            in_place: false,
            accept: false,
            results: None,
            strict: false,
            no_coverage: false,
            json: false,
            junit: None,
            kernel_argv: None,
        }
    }
}

/// Options of `lab`.
#[derive(Args, Clone, Debug)]
pub struct LabArgs {
    /// Port on 127.0.0.1; without it the first free one from 8888
    #[arg(long)]
    pub port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub no_browser: bool,
    /// Make the Python environment with conda
    #[arg(long)]
    pub conda: bool,
}

/// Options of `test`.
#[derive(Args, Clone, Debug)]
pub struct TestArgs {
    /// Notebooks to run side by side
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = jobs)]
    pub jobs: usize,
    /// Longest time for one cell in seconds
    #[arg(long, default_value_t = 1200.0, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: f64,
}

/// Options of `export`.
#[derive(Args, Clone, Debug)]
pub struct ExportArgs {
    /// Where to write the tables instead of notebooks/results
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Also render every notebook as a web page that works without a network, with an index
    #[arg(long)]
    pub html: bool,
    /// Also print these pages as PDF, with a Chromium of this machine
    #[arg(long)]
    pub pdf: bool,
    /// Also write every notebook as LaTeX; needs pandoc
    #[arg(long)]
    pub latex: bool,
}

/// Options of `setup`.
#[derive(Args, Clone, Debug)]
pub struct SetupArgs {
    /// Make the Python environment with conda
    #[arg(long)]
    pub conda: bool,
    /// Also install the kernelspec for all of this user's Jupyter
    #[arg(long)]
    pub user: bool,
}

/// Options of `bench`.
#[derive(Args, Clone, Debug)]
pub struct BenchArgs {
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
}

/// Options of `bench features`.
#[derive(Args, Clone, Debug)]
pub struct BenchFeaturesArgs {
    /// Leave out stock evcxr, whose first session compiles all dependencies (about 15 minutes)
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
    /// Leave out stock evcxr, whose first session compiles all dependencies (about 15 minutes)
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

/// Options of a kernel.
#[derive(Args, Clone, Debug)]
pub struct ConnectionArgs {
    /// Connection file that the client wrote
    #[arg(short = 'f', value_name = "FILE")]
    pub file: PathBuf,
    /// What clients such as `jupyter run` pass on to every kernel; nothing here is for us
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub rest: Vec<String>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && (0.0..=1e9).contains(&value) => Ok(value),
        _ => Err("give a number of seconds from 0 to 1e9".into()),
    }
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(jobs) if (1..=1024).contains(&jobs) => Ok(jobs),
        _ => Err("give a whole number from 1 to 1024".into()),
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("--control_file") {
        // evcxr_jupyter reads the rest of the command line itself; `stock-kernel` starts us in this form.
        return match evcxr_jupyter::main() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failure(&error),
        };
    }
    let command = Cli::parse().command;
    if !matches!(command, Command::Kernel(_) | Command::StockKernel(_)) {
        end_with_the_reader();
    }
    let status = match command {
        Command::Run(args) => crate::run::command(&args).map_err(anyhow::Error::from),
        Command::Verify(args) => crate::verify::command(&args).map_err(anyhow::Error::from),
        Command::Lab(args) => crate::lab::command(&args).map_err(anyhow::Error::from),
        Command::Test(args) => crate::test::command(&args).map_err(anyhow::Error::from),
        Command::Export(args) => crate::export::command(&args).map_err(anyhow::Error::from),
        Command::List(args) => crate::queries::list::command(&args).map_err(anyhow::Error::from),
        Command::Diff(args) => crate::queries::diff::command(&args).map_err(anyhow::Error::from),
        Command::Certify(args) => crate::queries::certify::command(&args).map_err(anyhow::Error::from),
        Command::Doctor => Ok(crate::doctor::command()),
        Command::Bench(args) => crate::bench::command(&args).map_err(anyhow::Error::from),
        Command::Setup(args) => crate::setup::command(args.conda, args.user)
            .map(|()| 0)
            .map_err(anyhow::Error::from),
        Command::Kernel(args) => crate::jupyter::serve(&args.file).map(|()| 0),
        Command::StockKernel(args) => crate::bench::stock::exec(&args.file)
            .map(|()| 0)
            .map_err(anyhow::Error::from),
    };
    match status {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(error) => failure(&error),
    }
}

/// `cargo workbench ... | head`: a reader who has seen enough is no reason for a panic.
fn end_with_the_reader() {
    let other = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let closed = |text: &str| text.starts_with("failed printing to stdout") && text.contains("Broken pipe");
        if info.payload_as_str().is_some_and(closed) {
            // As a shell tells a program that a closed pipe has ended: 128 and the signal's number.
            std::process::exit(128 + libc::SIGPIPE);
        }
        other(info);
    }));
}

fn failure(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    let ours = error.downcast_ref::<crate::error::Error>();
    ours.map_or(ExitCode::FAILURE, |error| ExitCode::from(error.status()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn defaults_of_the_parser_and_of_the_type_agree() {
        let Command::Run(parsed) = Cli::parse_from(["workbench", "run"]).command else {
            panic!("run did not parse as run");
        };
        assert_eq!(format!("{parsed:?}"), format!("{:?}", RunArgs::default()));
    }

    #[test]
    fn bad_numbers_are_refused() {
        for bad in ["-1", "nan", "inf", "soon"] {
            let parsed = Cli::try_parse_from(["workbench", "run", &format!("--timeout={bad}")]);
            assert!(parsed.is_err(), "{bad}");
        }
        for bad in [
            &["--scale", "huge"][..],
            &["--jobs", "0"],
            &["--seed", "-1"],
            &["--seed", "2", "--seeds", "1..3"],
            &["--resume", "r", "--claim", "a/1"],
        ] {
            let line = [&["workbench", "run"], bad].concat();
            assert!(Cli::try_parse_from(line).is_err(), "{bad:?}");
        }
        assert!(Cli::try_parse_from(["workbench", "run", "--resume", "--jobs", "2"]).is_ok());
    }
}
