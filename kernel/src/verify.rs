//! `cargo workbench verify`: checks without a kernel, through the program `workbench-verify` that knows them.

use clap::Args;

use crate::error::{Error, Result};
use crate::progress;
use crate::setup::crate_build::cargo;
use crate::setup::openblas;
use crate::setup::paths::{Workspace, build_folder};
use crate::setup::system::Machine;

/// What `verify` hands on.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// Ids of claims, or patterns as `gradient-memory/*`, and options; `cargo workbench verify --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub rest: Vec<String>,
}

const PROGRAM: &str = "workbench-verify";

/// Builds the program where anything has changed, and runs it; returns its exit status.
pub fn command(args: &VerifyArgs) -> Result<i32> {
    let workspace = Workspace::find()?;
    let environment = openblas::ensure(&Machine, &mut progress::step)?.environment(&Machine);
    let start = |source| Error::Start {
        program: PROGRAM.into(),
        source,
        hint: format!("run `cargo build --workspace --bin {PROGRAM}`"),
    };
    // Not the shared object that cells link: nothing here needs it.
    let built = cargo(&workspace)
        .args(["build", "--workspace", "--locked", "--quiet", "--bin", PROGRAM])
        .envs(environment.iter().cloned())
        .status()
        .map_err(start)?;
    if !built.success() {
        return Err(Error::Failed {
            what: "building the checks".into(),
            status: built.to_string(),
            hint: "mend what the compiler says above".into(),
            tail: String::new(),
        });
    }
    let status = std::process::Command::new(build_folder()?.join(PROGRAM))
        .args(&args.rest)
        .arg("--notebooks")
        .arg(workspace.notebooks())
        .envs(environment)
        .status()
        .map_err(start)?;
    Ok(status.code().unwrap_or(4))
}
