//! Crates of the reader's own choice (`:dep NAME`), built so that they fit what cells link already.
//!
//! Types of one crate are the same only if it was compiled once. The reader's crates are therefore built with this project's
//! lock file, profile and target folder, and each crate that both need is asked for with the version and the features that it
//! has here: cargo then finds it compiled, and a function of theirs takes an array of ours. Where a crate of theirs asks for
//! more features, there are two of it, and the compiler says which types do not fit.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::Value;
use workbench_record::digest::Digest;

use super::prebuilt::{CRATE, Prebuilt};
use super::shim::{code_of, real_cargo};
use super::stoppable;
use crate::setup::features;

/// Where the crate that asks for them is, in a kernel's folder; and how it calls the crates that cells link already.
pub const SIDE: &str = "extra";
/// See [`SIDE`].
pub const OURS: &str = "ours_";

/// Lets cargo look at a manifest of the crates that `lines` ask for; its status.
pub fn metadata(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<i32> {
    let mut cargo = real_cargo();
    cargo
        .args(["metadata", "--format-version=1"])
        .current_dir(side_crate(folder, lines, prebuilt)?)
        .stdout(Stdio::null())
        .stderr(Stdio::inherit());
    let status = stoppable::output(&mut cargo).context("could not run cargo")?.status;
    Ok(code_of(status))
}

/// Builds the crates that `lines` ask for; arguments that let rustc find them, or cargo's status. Cargo is not asked again where all of
/// them are of a registry, which does not change.
pub fn build(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<Result<Vec<String>, i32>> {
    let side = side_crate(folder, lines, prebuilt)?;
    let built = side.join(BUILT);
    let settled = lines.iter().all(|line| is_of_a_registry(line));
    if settled && let Some(args) = built_before(&built) {
        return Ok(Ok(args));
    }
    let target = target(prebuilt).unwrap_or_else(|| side.join("target"));
    let mut cargo = real_cargo();
    cargo
        .args(["build", "--message-format=json-render-diagnostics"])
        // evcxr's, with which nothing of ours was compiled.
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC_WRAPPER")
        .env("CARGO_TARGET_DIR", &target)
        .envs(prebuilt.environment.iter().cloned())
        .current_dir(&side)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let output = stoppable::output(&mut cargo).context("could not run cargo")?;
    if !output.status.success() {
        return Ok(Err(code_of(output.status)));
    }
    let name_of = |line: &String| {
        line.split(' ')
            .next()
            .unwrap_or_default()
            .trim_matches('"')
            .replace('-', "_")
    };
    let names: Vec<String> = lines.iter().map(name_of).collect();
    let mut args = vec![
        "-L".to_owned(),
        format!("dependency={}", target.join("debug/deps").display()),
    ];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let Some(name) = message["target"]["name"].as_str().map(|name| name.replace('-', "_")) else {
            continue;
        };
        if message["reason"] != "compiler-artifact" || !names.contains(&name) {
            continue;
        }
        let files = message["filenames"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        for file in files.filter(|file| file.ends_with(".rlib") || file.ends_with(".so")) {
            args.push("--extern".to_owned());
            args.push(format!("{name}={file}"));
        }
    }
    if settled {
        // Without it cargo is asked again.
        let _ = std::fs::write(built, serde_json::to_vec(&args)?);
    }
    Ok(Ok(args))
}

/// What a cell that links these crates depends on: what was asked for, and the files that `args` name. Nothing where one of the crates is
/// not of a registry: a file that it is made of may change without a trace in its library.
pub fn identity(lines: &[String], args: &[String]) -> Option<Vec<String>> {
    if !lines.iter().all(|line| is_of_a_registry(line)) {
        return None;
    }
    let mut words = lines.to_vec();
    for (_, argument) in args
        .iter()
        .zip(args.iter().skip(1))
        .filter(|(flag, _)| *flag == "--extern")
    {
        let (name, file) = argument.split_once('=')?;
        let mut digest = Digest::default();
        // It names the versions of all crates below it.
        digest.add(std::fs::read(file).ok()?);
        words.extend([name.to_owned(), digest.finish()]);
    }
    Some(words)
}

/// Arguments of an earlier build, beside its manifest; and the requirements that the manifest was written for.
const BUILT: &str = "built.json";
const ASKED: &str = "asked";

fn built_before(file: &Path) -> Option<Vec<String>> {
    let args: Vec<String> = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let mut files = args.iter().filter_map(|arg| Some(Path::new(arg.split_once('=')?.1)));
    files.all(Path::exists).then_some(args)
}

fn is_of_a_registry(line: &str) -> bool {
    let table: Option<toml::Table> = line.parse().ok();
    table.is_some_and(|table| table.values().all(|spec| spec.get("path").is_none()))
}

/// The folder of this project's build.
fn target(prebuilt: &Prebuilt) -> Option<PathBuf> {
    let root = prebuilt.crate_dir.parent()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
    target.is_dir().then_some(target)
}

/// Writes a crate that holds the reader's dependencies, and ours beside them as they are.
fn side_crate(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<PathBuf> {
    let side = folder.join(SIDE);
    let asked = format!("{}\n{}", prebuilt.folder.display(), lines.join("\n"));
    if std::fs::read_to_string(side.join(ASKED)).is_ok_and(|old| old == asked) {
        return Ok(side);
    }
    std::fs::create_dir_all(side.join("src"))?;
    let _ = std::fs::remove_file(side.join(BUILT));
    let root = prebuilt
        .crate_dir
        .parent()
        .context("the crate has no folder around it")?;
    let profile = profile_of(root).unwrap_or_default();
    let ours = shared_crates(root, prebuilt, lines).unwrap_or_default().join("\n");
    let text = format!(
        "[package]\nname = \"extra\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n[workspace]\nresolver = \"3\"\n\n{profile}\n\
         [dependencies]\n{}\n{ours}\n",
        lines.join("\n")
    );
    std::fs::write(side.join("Cargo.toml"), text)?;
    std::fs::write(side.join("src/lib.rs"), "")?;
    let lock = side.join("Cargo.lock");
    if !lock.exists() {
        // Absent in a plain checkout of the kernel alone; cargo then resolves afresh.
        let _ = std::fs::copy(root.join("Cargo.lock"), lock);
    }
    std::fs::write(side.join(ASKED), asked)?;
    Ok(side)
}

/// The project's profiles, as text.
fn profile_of(root: &Path) -> Option<String> {
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
    let profile = manifest.get("profile")?.clone();
    toml::to_string(&toml::Table::from_iter([("profile".to_owned(), profile)])).ok()
}

/// Arguments that have cargo see the features that this project's crate was built with.
fn features_of_ours(prebuilt: &Prebuilt) -> Vec<String> {
    let linked = prebuilt.crates.get(CRATE);
    features::cargo_args(&linked.into_iter().flat_map(|linked| linked.features.clone()).collect())
}

/// The package that a line asks for.
fn package_of(line: &str) -> Option<String> {
    let table: toml::Table = line.parse().ok()?;
    let (name, spec) = table.into_iter().next()?;
    let renamed = spec.get("package").and_then(toml::Value::as_str).map(str::to_owned);
    Some(renamed.unwrap_or(name).replace('-', "_"))
}

/// The crates of registries that this project's crate is made of, as dependencies with their version and features. One that the reader
/// asks for as well is hers alone: cargo knows a package under one name.
fn shared_crates(root: &Path, prebuilt: &Prebuilt, asked: &[String]) -> Option<Vec<String>> {
    let asked: BTreeSet<String> = asked.iter().filter_map(|line| package_of(line)).collect();
    let mut cargo = real_cargo();
    cargo
        .args(["metadata", "--format-version=1", "--offline"])
        .args(features_of_ours(prebuilt))
        .current_dir(root)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let output = stoppable::output(&mut cargo)
        .ok()
        .filter(|output| output.status.success())?;
    let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
    let nodes: HashMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()?
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let packages: HashMap<&str, &Value> = metadata["packages"]
        .as_array()?
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let is_ours = |id: &&&str| {
        packages
            .get(**id)
            .is_some_and(|package| package["name"] == CRATE && package["source"].is_null())
    };
    let mut open: Vec<&str> = nodes.keys().filter(is_ours).copied().collect();
    let mut seen: BTreeSet<&str> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        for next in nodes
            .get(id)
            .and_then(|node| node["deps"].as_array())
            .into_iter()
            .flatten()
        {
            let linked = next["dep_kinds"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()));
            if let Some(id) = next["pkg"].as_str().filter(|id| linked && seen.insert(id)) {
                open.push(id);
            }
        }
    }
    let line = |id: &&str| {
        let package = packages.get(id)?;
        let name = package["name"].as_str()?;
        let version = package["version"].as_str()?;
        // Of what was built: what was not, or in two versions, is for cargo to say.
        let linked = prebuilt.crates.get(&name.replace('-', "_"))?;
        let fits = package["source"].as_str()?.starts_with("registry+")
            && linked.version.to_string() == version
            && !asked.contains(&name.replace('-', "_"));
        let features: Vec<String> = linked.features.iter().map(|feature| format!("{feature:?}")).collect();
        fits.then(|| {
            format!(
                "{OURS}{} = {{ package = {name:?}, version = \"={version}\", default-features = false, features = [{}] }}",
                name.replace('-', "_"),
                features.join(", ")
            )
        })
    };
    Some(seen.iter().filter_map(line).collect())
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
