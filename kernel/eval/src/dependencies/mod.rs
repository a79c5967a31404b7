//! Crates of the reader's own choice (`:dep NAME`), built so that they fit what cells link already.
//!
//! Types of one crate are the same only if it was compiled once. The reader's crates are therefore built with this project's
//! lock file and profile, as dependencies of a crate that has this project's libraries beside them (`wrapper`), and they alone are
//! built: cargo then decides on the features of every crate as in this project, those of macros and build scripts too. What it builds
//! of registries lies under names with a hash, in the project's own build folder, where what both need is found compiled; the libraries
//! that cells are given, under names of their own, in the kernel's. A function of theirs takes an array of ours. Where a crate of theirs
//! asks for more features, there are two of it, and the compiler says which types do not fit. A crate that needs a package of this
//! project is refused: it would be compiled a second time.

mod graph;
mod wrapper;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workbench_record::digest::Digest;

use self::wrapper::Wrapper;
use workbench_base::stoppable::{self, code_of};
use workbench_setup::cargo::{BUILD_DIR, OF_THE_USER, REAL_BUILD_DIR, real_cargo};
use workbench_setup::library::prebuilt::Prebuilt;

/// Where the crate that asks for them is, in a kernel's folder; and how it calls the packages of this project.
pub const WRAPPER: &str = "extra";
/// See [`WRAPPER`].
pub const OURS: &str = "of_this_project_";

/// Lets cargo look at a manifest of the crates that `lines` ask for; its status.
pub fn metadata(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<i32> {
    Ok(Wrapper::of(folder, lines, prebuilt)?.err().unwrap_or(0))
}

/// Builds the crates that `lines` ask for; arguments that let rustc find them, or cargo's status. Cargo is not asked again where all of
/// them are of a registry, which does not change.
pub fn build(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<Result<Vec<String>, i32>> {
    let wrapper = match Wrapper::of(folder, lines, prebuilt)? {
        Ok(wrapper) => wrapper,
        Err(code) => return Ok(Err(code)),
    };
    let built = wrapper.folder.join(BUILT);
    let settled = lines.iter().all(|line| is_of_a_registry(line));
    if settled && let Some(args) = built_before(&built) {
        return Ok(Ok(args));
    }
    if wrapper.wanted.is_empty() {
        bail!("cargo knows none of the crates that were asked for ({})", lines.join(", "));
    }
    let own = wrapper.folder.join("target");
    let mut cargo = real_cargo();
    for (name, kept) in OF_THE_USER {
        // evcxr has its own, with which nothing of ours was compiled.
        match std::env::var_os(kept) {
            Some(value) => cargo.env(name, value),
            None => cargo.env_remove(name),
        };
    }
    cargo
        .args(["build", "--lib", "--message-format=json-render-diagnostics"])
        .args(wrapper.wanted.keys().flat_map(|package| ["--package", package]))
        .env(BUILD_DIR, shared_with(prebuilt).unwrap_or_else(|| own.clone()))
        .env("CARGO_TARGET_DIR", &own)
        .envs(prebuilt.environment.iter().cloned())
        .current_dir(&wrapper.folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let output = stoppable::output(&mut cargo).context("could not run cargo")?;
    if !output.status.success() {
        return Ok(Err(code_of(output.status)));
    }
    let made = Built::of(&output.stdout, &wrapper, &own);
    if settled {
        // Without it cargo is asked again.
        let _ = std::fs::write(built, serde_json::to_vec(&made)?);
    }
    Ok(Ok(made.args))
}

/// The build folder in which the project's crates lie compiled, if it can be used.
fn shared_with(prebuilt: &Prebuilt) -> Option<PathBuf> {
    let of_the_user = std::env::var_os(REAL_BUILD_DIR);
    let root = &prebuilt.root;
    let folder = of_the_user.map_or_else(|| prebuilt.target.clone(), |folder| root.join(folder));
    (folder.is_dir() && tempfile::tempfile_in(&folder).is_ok()).then_some(folder)
}

/// What cargo made.
#[derive(Serialize, Deserialize)]
struct Built {
    /// Arguments for rustc.
    args: Vec<String>,
    /// All files that it may read for them.
    files: Vec<PathBuf>,
}

impl Built {
    /// From what cargo says. The libraries that were asked for stand in the folder `own`; one of the same package that only a macro needs
    /// does not.
    fn of(said: &[u8], wrapper: &Wrapper, own: &Path) -> Built {
        let (mut files, mut crates) = (Vec::new(), Vec::new());
        for line in String::from_utf8_lossy(said).lines() {
            let Ok(message) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            if message["reason"] != "compiler-artifact" {
                continue;
            }
            let made = message["filenames"].as_array().into_iter().flatten();
            let made: Vec<PathBuf> = made.filter_map(Value::as_str).map(PathBuf::from).collect();
            let names = message["package_id"].as_str().and_then(|id| wrapper.wanted.get(id));
            let is_library = |file: &&PathBuf| {
                file.starts_with(own) && file.extension().is_some_and(|kind| kind == "rlib" || kind == "so")
            };
            for file in made.iter().filter(is_library) {
                crates.extend(names.into_iter().flatten().map(|name| format!("{name}={}", file.display())));
            }
            files.extend(made);
        }
        let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
        let folders = folders.into_iter().map(|folder| format!("dependency={}", folder.display()));
        let option = |flag: &'static str| move |value: String| [flag.to_owned(), value];
        let args = folders.flat_map(option("-L")).chain(crates.into_iter().flat_map(option("--extern")));
        Built { args: args.collect(), files }
    }
}

/// What a cell that links these crates depends on: what was asked for, and the files that `args` name. Nothing where one of the crates is
/// not of a registry: a file that it is made of may change without a trace in its library.
pub fn identity(lines: &[String], args: &[String]) -> Option<Vec<String>> {
    if !lines.iter().all(|line| is_of_a_registry(line)) {
        return None;
    }
    let mut words = lines.to_vec();
    for (_, argument) in args.iter().zip(args.iter().skip(1)).filter(|(flag, _)| *flag == "--extern") {
        let (name, file) = argument.split_once('=')?;
        let mut digest = Digest::default();
        // It names the versions of all crates below it.
        digest.add(std::fs::read(file).ok()?);
        words.extend([name.to_owned(), digest.finish()]);
    }
    Some(words)
}

/// What an earlier build made, beside its manifest.
const BUILT: &str = "built.json";

fn built_before(file: &Path) -> Option<Vec<String>> {
    let built: Built = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    built.files.iter().all(|file| file.exists()).then_some(built.args)
}

fn is_of_a_registry(line: &str) -> bool {
    let table: Option<toml::Table> = line.parse().ok();
    table.is_some_and(|table| table.values().all(|spec| spec.get("path").is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_depends_on_the_library_of_a_crate_from_a_registry() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libeither.rlib");
        let args = ["-L", "dependency=a", "--extern", &format!("either={}", file.display())].map(str::to_owned);
        let line = |text: &str| vec![text.to_owned()];
        let of = |lines: Vec<String>| identity(&lines, &args);
        assert_eq!(of(line("either = \"1\"")), None);
        std::fs::write(&file, "one").unwrap();
        let one = of(line("either = \"1\""));
        assert!(one.is_some() && one == of(line("either = \"1\"")));
        assert_ne!(one, of(line("either = \"1.2\"")));
        std::fs::write(&file, "two").unwrap();
        assert_ne!(one, of(line("either = \"1\"")));
        assert_eq!(of(line("either = { path = \"../either\" }")), None);
    }
}
