//! Options of `verify`. The front door reads them too, so that help and a wrong word are answered before anything is built.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use workbench_record::Scale;

/// Options of `verify`.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Ids of claims, or patterns as `gradient-memory/*`; all checks without one
    pub globs: Vec<String>,
    /// How much is computed: quick or paper
    #[arg(long, default_value = "quick")]
    pub scale: Scale,
    /// Seeds, one run each: `1..=3`, `1,2,5`
    #[arg(long, default_value = "1", value_parser = seeds)]
    pub seeds: Seeds,
    /// Checks side by side
    #[arg(long, default_value = "1", value_parser = jobs)]
    pub jobs: NonZeroUsize,
    /// Seconds after which a check counts as one without an end, and ends the program; 0 for no limit, as if not given
    #[arg(long, value_name = "SECONDS", value_parser = workbench_record::seconds)]
    pub timeout: Option<f64>,
    /// Print the whole card of each check
    #[arg(long)]
    pub full: bool,
    /// Folder of claims.toml; `workbench verify` gives it
    #[arg(long, value_name = "DIR", hide = true, default_value = "notebooks")]
    pub notebooks: PathBuf,
    /// Folder for the tables of what was computed
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Folder with merged sweeps, each under its name, as DIR/error-curves: checks take them in place of computing where they are of
    /// this commit, scale and seed; WORKBENCH_SWEEPS if not given
    #[arg(long, value_name = "DIR")]
    pub sweeps: Option<PathBuf>,
}

/// Seeds from one argument; a bare list would be read as one argument for each.
#[derive(Clone, Debug)]
pub struct Seeds(
    /// The seeds.
    pub Vec<u64>,
);

fn seeds(text: &str) -> Result<Seeds, String> {
    workbench_record::seeds(text).map(Seeds)
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "give a whole number, 1 or more".to_string())
}
