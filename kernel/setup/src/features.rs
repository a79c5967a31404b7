//! The features of the crate that cells link: which there are, which a text asks for, and which it is built with.
//!
//! Two notebooks may ask for different ones. What was asked for once stays recorded, so that they share one build and do not make each
//! other's anew; the one for GPUs goes by the setting ([`cuda`](super::cuda)) alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::cuda::{FEATURE, Setting, TURN_ON};
use super::paths::Workspace;
use workbench_base::error::{Error, Result};
use workbench_base::names::CRATE;
use workbench_base::notebook::{Notebook, find_all};

/// Name of the record, inside a state folder.
const RECORD: &str = "features";

/// The packages that a kernel and its cells need. Those on candle are among them with or without its feature: what
/// they ask of common dependencies is then the same in each build, and nothing is compiled twice.
const PACKAGES: [&str; 4] = [CRATE, "workbench-kernel", "workbench-tensors", "workbench-variables"];

/// Name of the file, inside a state folder, that says for which GPU setting the crate was last built.
pub const BUILT: &str = "built-for";

/// Features by name.
pub type Features = BTreeSet<String>;

/// The features that the crate of the checkout at `root` declares, without the one that stands for its defaults.
pub fn declared(root: &Path) -> Features {
    let manifest = std::fs::read_to_string(root.join(CRATE).join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    let features = manifest.get("features").and_then(toml::Value::as_table);
    features.into_iter().flat_map(toml::Table::keys).filter(|name| *name != "default").cloned().collect()
}

/// What the lines `:dep workbench = { ... }` of a cell ask for, those whose right-hand side is of this project's crate.
pub fn asked(code: &str, library: &str, is_ours: &dyn Fn(&toml::Value) -> bool) -> Features {
    let mut asked = Features::new();
    for line in code.lines() {
        let Some(rest) = line.trim_start().strip_prefix(":dep ") else {
            continue;
        };
        let Ok(line) = rest.trim().parse::<toml::Table>() else {
            continue;
        };
        let features = line
            .get(library)
            .filter(|spec| is_ours(spec))
            .and_then(|spec| spec.get("features"))
            .and_then(toml::Value::as_array);
        asked.extend(features.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)));
    }
    asked
}

/// Whether the crate at `root` can have the features `asked`, with the setting as it is.
///
/// # Errors
/// Why not, and what to do.
pub fn allowed(root: &Path, asked: &Features, setting: Option<&Setting>) -> Result<(), String> {
    let declared = declared(root);
    let unknown: Vec<String> = asked.difference(&declared).map(|name| format!("`{name}`")).collect();
    if !unknown.is_empty() {
        let there: Vec<String> = declared.iter().map(|name| format!("`{name}`")).collect();
        return Err(format!(
            "the crate `{CRATE}` has no feature {}; {}",
            unknown.join(", "),
            match there.is_empty() {
                true => "it has none".to_owned(),
                false => format!("it has {}", there.join(", ")),
            }
        ));
    }
    if asked.contains(FEATURE) && setting.is_none() {
        return Err(format!(
            "the feature `{FEATURE}` needs a CUDA toolkit and minutes of compiling, so it goes by a setting of this checkout, which is \
             off: run `{TURN_ON}` in a terminal, then restart the kernel. Without it `tensors` computes on the machine's own cores"
        ));
    }
    Ok(())
}

/// The features that the crate at `root` is built with: those recorded in the state folders, and the setting's.
///
/// # Errors
/// A record of the setting that cannot be read.
pub fn wanted(root: &Path, states: &[PathBuf]) -> Result<Features> {
    let declared = declared(root);
    let mut wanted: Features = states.iter().flat_map(|state| recorded(state)).collect();
    wanted.remove(FEATURE);
    for state in states {
        if Setting::read(state)?.is_some() {
            wanted.insert(FEATURE.to_owned());
        }
    }
    // A record may be of another revision of the crate.
    wanted.retain(|name| declared.contains(name));
    Ok(wanted)
}

fn recorded(state: &Path) -> Features {
    let text = std::fs::read_to_string(state.join(RECORD)).unwrap_or_default();
    text.lines().map(str::to_owned).filter(|name| !name.is_empty()).collect()
}

/// Adds features to the record.
///
/// # Errors
/// A folder that cannot be written.
pub fn record(state: &Path, asked: &Features) -> Result<()> {
    let old = recorded(state);
    let mut all: Features = old.union(asked).cloned().collect();
    all.remove(FEATURE);
    if all == old {
        return Ok(());
    }
    let path = state.join(RECORD);
    let text: String = all.iter().map(|name| format!("{name}\n")).collect();
    workbench_record::atomic::write(&path, text.as_bytes()).map_err(|source| Error::io("write", &path, source))
}

/// Records what the notebooks of the checkout and those in `more` ask for, so that the crate is built once for all of them.
///
/// Features that there are not, and notebooks that cannot be read, are left to the run, which says so at their cells.
///
/// # Errors
/// A folder that cannot be written.
pub fn record_of_notebooks(workspace: &Workspace, more: &[PathBuf]) -> Result<()> {
    let declared = declared(workspace.root());
    let mut all = Features::new();
    for path in find_all(&workspace.notebooks()).iter().chain(more) {
        let Ok(notebook) = Notebook::read(path) else { continue };
        for cell in notebook.cells() {
            all.extend(asked(&cell.source, CRATE, &|_| true));
        }
    }
    all.retain(|name| declared.contains(name));
    record(&workspace.state(), &all)
}

/// Arguments that have cargo build with features of the crate; nothing for none.
pub fn cargo_args(features: &Features) -> Vec<String> {
    if features.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = features.iter().map(|name| format!("{CRATE}/{name}")).collect();
    vec!["--features".to_owned(), names.join(",")]
}

/// The packages that a kernel and its cells need, of those that the workspace at `root` has.
pub fn packages(root: &Path) -> Vec<&'static str> {
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let has = |name: &&str| lock.contains(&format!("name = \"{name}\"\n"));
    PACKAGES.into_iter().filter(has).collect()
}

/// Arguments that have cargo build these packages and no others: programs that no cell needs (benchmarks, sweeps) wait for their call.
pub fn package_args(root: &Path) -> Vec<&'static str> {
    packages(root).into_iter().flat_map(|name| ["-p", name]).collect()
}

/// The same for what a workspace is built with.
///
/// # Errors
/// A record of the setting that cannot be read.
pub fn args_of(workspace: &Workspace) -> Result<Vec<String>> {
    Ok(cargo_args(&wanted(workspace.root(), &[workspace.state()])?))
}

#[cfg(test)]
mod tests {
    use super::super::cuda::capability::Capability;
    use super::super::cuda::toolkit::Toolkit;
    use super::super::cuda::version::Version;
    use super::*;

    fn features(names: &[&str]) -> Features {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn checkout() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("workbench")).unwrap();
        std::fs::create_dir_all(root.path().join("kernel")).unwrap();
        let manifest = "[features]\ndefault = []\ntensors = []\ncuda = [\"tensors\"]\n";
        std::fs::write(root.path().join("workbench/Cargo.toml"), manifest).unwrap();
        std::fs::write(root.path().join("kernel/Cargo.toml"), "").unwrap();
        root
    }

    fn setting() -> Setting {
        Setting { toolkit: Toolkit { root: "/t".into(), version: Version(13, 0) }, capability: Capability::new(9, 0) }
    }

    #[test]
    fn only_the_lines_of_the_crate_count() {
        let code = "// why\n:dep workbench = { path = \"../workbench\", features = [\"tensors\", \"x\"] }\n\
            :dep other = { version = \"1\", features = [\"y\"] }\n :dep workbench = { path = \"p\" }\nlet features = [\"z\"];";
        assert_eq!(asked(code, CRATE, &|_| true), features(&["tensors", "x"]));
        assert_eq!(asked(code, CRATE, &|spec| spec["path"].as_str() == Some("p")), Features::new());
        assert_eq!(asked(":dep workbench\n:dep workbench = {", CRATE, &|_| true), Features::new());
    }

    #[test]
    fn unknown_features_are_told_with_those_that_there_are() {
        let root = checkout();
        let told = allowed(root.path(), &features(&["gpu"]), None).unwrap_err();
        assert!(told.contains("no feature `gpu`") && told.contains("`cuda`, `tensors`"), "{told}");
        assert!(allowed(root.path(), &features(&["tensors"]), None).is_ok());
    }

    #[test]
    fn the_gpus_feature_goes_by_the_setting() {
        let root = checkout();
        let told = allowed(root.path(), &features(&["cuda"]), None).unwrap_err();
        assert!(told.contains(TURN_ON), "{told}");
        assert!(allowed(root.path(), &features(&["cuda"]), Some(&setting())).is_ok());
        let state = [root.path().join(".workbench")];
        record(&state[0], &features(&["cuda", "tensors"])).unwrap();
        assert_eq!(wanted(root.path(), &state).unwrap(), features(&["tensors"]));
        setting().write(&state[0]).unwrap();
        assert_eq!(wanted(root.path(), &state).unwrap(), features(&["cuda", "tensors"]));
        Setting::forget(&state[0]).unwrap();
        assert_eq!(wanted(root.path(), &state).unwrap(), features(&["tensors"]));
    }

    #[test]
    fn what_was_asked_for_stays_and_what_is_gone_from_the_crate_does_not() {
        let root = checkout();
        let state = [root.path().join(".workbench")];
        record(&state[0], &features(&["tensors"])).unwrap();
        record(&state[0], &features(&["old"])).unwrap();
        record(&state[0], &Features::new()).unwrap();
        assert_eq!(recorded(&state[0]), features(&["old", "tensors"]));
        assert_eq!(wanted(root.path(), &state).unwrap(), features(&["tensors"]));
    }

    #[test]
    fn notebooks_are_asked_before_anything_is_built() {
        let root = checkout();
        let workspace = Workspace::at(root.path()).unwrap();
        std::fs::create_dir_all(workspace.notebooks()).unwrap();
        let notebook = |line: &str| {
            serde_json::json!({
                "nbformat": 4, "nbformat_minor": 5, "metadata": {},
                "cells": [{"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": null, "source": line}]
            })
            .to_string()
        };
        let asks = |name: &str| format!(":dep workbench = {{ path = \"../workbench\", features = [\"{name}\"] }}");
        std::fs::write(workspace.notebooks().join("one.ipynb"), notebook(&asks("gone"))).unwrap();
        std::fs::write(workspace.notebooks().join("damaged.ipynb"), "{").unwrap();
        let elsewhere = root.path().join("two.ipynb");
        std::fs::write(&elsewhere, notebook(&asks("tensors"))).unwrap();
        record_of_notebooks(&workspace, &[]).unwrap();
        assert_eq!(args_of(&workspace).unwrap(), Vec::<String>::new());
        record_of_notebooks(&workspace, &[elsewhere]).unwrap();
        assert_eq!(args_of(&workspace).unwrap(), ["--features", "workbench/tensors"]);
    }

    /// Another choice of packages may be another choice of features, and then polars is compiled a second time.
    #[test]
    fn what_a_run_builds_has_the_features_that_the_whole_workspace_gives_it() {
        let workspace = Workspace::find().unwrap();
        let tree = |packages: &[&str]| -> BTreeSet<String> {
            let output = super::super::cargo::cargo(&workspace)
                .args(["tree", "--locked", "--offline", "--edges", "normal,build"])
                .args(["--prefix", "none", "--format", "{p} {f}"])
                .args(packages)
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            // What was listed before is marked.
            text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
        };
        let (whole, run) = (tree(&["--workspace"]), tree(&package_args(workspace.root())));
        assert!(run.iter().any(|line| line.starts_with("polars-core ")));
        let other: Vec<&String> = run.difference(&whole).collect();
        assert!(other.is_empty(), "{other:#?}");
    }
}
