//! The program that knows the tables: `workbench-ledger`, which ships with the crate, or the one of a reader's own project.

use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::Ready;
use crate::paths::build_folder;
use crate::programs;
use workbench_base::error::{Error, Result};

/// A call of the program with the folders it works on.
fn call(ready: &Ready, results: &Path, args: &[&str]) -> Result<Command> {
    let program = match ready.workspace.is_own() {
        true => programs::own_program(&ready.workspace)?,
        false => build_folder()?.join("workbench-ledger"),
    };
    if !program.is_file() {
        return Err(Error::Start {
            program: program.display().to_string(),
            source: std::io::ErrorKind::NotFound.into(),
            hint: format!("`{} setup` builds it", workbench_record::program()),
        });
    }
    let mut command = Command::new(program);
    command
        .args(args)
        .arg("--notebooks")
        .arg(ready.workspace.notebooks())
        .arg("--results")
        .arg(results)
        .current_dir(ready.workspace.root())
        .envs(ready.environment.iter().cloned());
    Ok(command)
}

/// Runs the program with our own output streams.
pub fn run(ready: &Ready, results: &Path, args: &[&str]) -> Result<ExitStatus> {
    let mut command = call(ready, results, args)?;
    command.status().map_err(|source| Error::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
        hint: format!("`{} setup` builds it", workbench_record::program()),
    })
}
