//! Options of `run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use workbench_base::args::{jobs, seconds, whole};

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
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub seed: u64,
    /// Run once for each of these seeds, and compare the verdicts: `1..=3`, `1,2,5`
    #[arg(long, value_name = "SEEDS", conflicts_with = "seed", allow_hyphen_values = true)]
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
    /// Write this run's verdicts to notebooks/results/expected.csv; of several seeds, those on which they agree
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
