//! Requirements of benchmarks: built examples, PyTorch, and nobody else at work.

use std::path::PathBuf;

use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::tail;
use workbench_setup::cargo::{cargo, no_cargo};
use workbench_setup::system::Machine;
use workbench_setup::{Ready, python};

/// PyTorch, in an environment of its own: it is large, and nothing else needs it.
const TORCH: &str = "torch==2.15.0";

/// The environment with PyTorch in it, installed on demand.
pub fn torch(ready: &Ready) -> Result<PathBuf> {
    let venv = ready.workspace.state().join("torch");
    python::ensure_in(&venv, TORCH, "PyTorch (several gigabytes, once)", &Machine, &mut progress::step)?;
    Ok(venv)
}

/// Builds an example of the crate.
pub fn build(ready: &Ready, example: &str) -> Result<()> {
    build_with(ready, example, &[])
}

/// Builds an example of the crate with further options of cargo.
pub fn build_with(ready: &Ready, example: &str, options: &[&str]) -> Result<()> {
    progress::step(&format!("building the example {example}"));
    let output = cargo(&ready.workspace)
        .args(["build", "--workspace", "--example", example])
        .args(options)
        .envs(ready.environment.iter().cloned())
        .output()
        .map_err(no_cargo)?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Failed {
        what: "building the example".into(),
        status: output.status.to_string(),
        hint: "run `cargo build --workspace --examples`".into(),
        tail: tail(&String::from_utf8_lossy(&output.stderr), 8),
    })
}

/// Says so when other programs hold the processors: the times would be theirs too.
pub fn warn_if_busy() {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let load = std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|load| load.parse::<f64>().ok()));
    if let Some(load) = load.filter(|load| *load > cores as f64) {
        progress::note(&format!("the load is {load:.1} on {cores} cores: measure again on a quiet machine"));
    }
}
