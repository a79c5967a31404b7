//! Stock evcxr as it comes: the version whose text our kernel matches, installed by itself. What this workspace puts in place of parts of
//! it (`kernel/analysis`) does not reach there.

use std::path::{Path, PathBuf};
use std::process::Command;

use workbench_base::error::{Error, Result};
use workbench_base::progress;

/// The version of `evcxr_jupyter`, which is that of the evcxr that the kernel is built on. It is no dependency of this workspace: nothing
/// here calls it, and it would bring a second protocol library into each build.
const VERSION: &str = "0.22.0";
/// The option by which it is told its connection file.
pub const CONTROL_FILE: &str = "--control_file";

/// The program of its kernel, kept in `folder`; it is compiled where it is not there yet.
pub fn program(folder: &Path) -> Result<PathBuf> {
    let place = folder.join(format!("stock-{VERSION}"));
    let program = place.join("bin/evcxr_jupyter");
    if program.is_file() {
        return Ok(program);
    }
    progress::step("stock evcxr: compiling its kernel (some 6 minutes, once)");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["install", "evcxr_jupyter", "--locked", "--version"])
        .arg(format!("={VERSION}"))
        .arg("--root")
        .arg(&place)
        .arg("--target-dir")
        .arg(place.join("target"));
    workbench_setup::cargo::forget_cargo_run(&mut cargo);
    let status = cargo.status().map_err(|source| Error::Start {
        program: "cargo".into(),
        source,
        hint: "install Rust from https://rustup.rs, or leave stock evcxr out with --no-stock".into(),
    })?;
    if !status.success() {
        return Err(Error::Failed {
            what: "installing stock evcxr".into(),
            status: status.to_string(),
            hint: "it needs the network once; leave it out with --no-stock".into(),
            tail: String::new(),
        });
    }
    // It is large, and was needed for this alone.
    let _ = std::fs::remove_dir_all(place.join("target"));
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_version_that_the_kernel_is_built_on() {
        let lock = include_str!("../../../Cargo.lock");
        assert!(lock.contains(&format!("name = \"evcxr\"\nversion = \"{VERSION}\"\n")));
    }
}
