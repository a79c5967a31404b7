//! Crates of the reader's own choice (`:dep NAME`), built so that they fit what cells link already.
//!
//! Types of one crate are the same only if it was compiled once. The reader's crates are therefore built with this project's
//! lock file, profile and target folder, as dependencies beside all of this project's packages, and they alone are built: cargo
//! then decides on the features of every crate as in this project, those of macros and build scripts too, and finds what both
//! need compiled. A function of theirs takes an array of ours. Where a crate of theirs asks for more features, there are two of
//! it, and the compiler says which types do not fit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::Value;
use workbench_record::digest::Digest;

use super::prebuilt::{CRATE, Prebuilt};
use super::shim::{code_of, real_cargo};
use super::stoppable;

/// Where the crate that asks for them is, in a kernel's folder; and how it calls the crates that cells link already.
pub const SIDE: &str = "extra";
/// See [`SIDE`].
pub const OURS: &str = "ours_";

/// Lets cargo look at a manifest of the crates that `lines` ask for; its status.
pub fn metadata(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<i32> {
    let side = side_crate(folder, lines, prebuilt)?;
    Ok(wanted_of(&side)?.err().unwrap_or(0))
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
    let wanted = match wanted_of(&side)? {
        Ok(wanted) => wanted,
        Err(code) => return Ok(Err(code)),
    };
    let target = match prebuilt.target.is_dir() {
        true => prebuilt.target.clone(),
        false => side.join("target"),
    };
    let mut cargo = real_cargo();
    cargo
        .args(["build", "--message-format=json-render-diagnostics"])
        .args(wanted.keys().flat_map(|id| ["--package", id]))
        // evcxr's, with which nothing of ours was compiled.
        .env_remove("CARGO_BUILD_BUILD_DIR")
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
    let mut args = vec![
        "-L".to_owned(),
        format!("dependency={}", target.join("debug/deps").display()),
    ];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let Some(name) = message["package_id"].as_str().and_then(|id| wanted.get(id)) else {
            continue;
        };
        if message["reason"] != "compiler-artifact" {
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

/// What the crate in `side` depends on for the reader: packages, and the names that cells call them by. Or cargo's status.
fn wanted_of(side: &Path) -> Result<Result<BTreeMap<String, String>, i32>> {
    let mut cargo = real_cargo();
    cargo
        .args(["metadata", "--format-version=1"])
        .current_dir(side)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let output = stoppable::output(&mut cargo).context("could not run cargo")?;
    if !output.status.success() {
        return Ok(Err(code_of(output.status)));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo's metadata cannot be read")?;
    let root = &metadata["resolve"]["root"];
    let nodes = metadata["resolve"]["nodes"].as_array().into_iter().flatten();
    let below = nodes
        .filter(|node| &node["id"] == root)
        .filter_map(|node| node["deps"].as_array());
    let of_hers = below.flatten().filter_map(|dep| {
        let name = dep["name"].as_str().filter(|name| !name.starts_with(OURS))?;
        Some((dep["pkg"].as_str()?.to_owned(), name.to_owned()))
    });
    Ok(Ok(of_hers.collect()))
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
    let locked = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let settings = settings_of(root, &hers_alone(lines, &locked)).unwrap_or_default();
    let ours = packages_of(root, prebuilt, lines).unwrap_or_default();
    let text = format!(
        "[package]\nname = \"extra\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n[workspace]\nresolver = \"3\"\n\n{settings}\n\
         [dependencies]\n{}\n{ours}\n",
        lines.join("\n")
    );
    std::fs::write(side.join("Cargo.toml"), text)?;
    std::fs::write(side.join("src/lib.rs"), "")?;
    let lock = side.join("Cargo.lock");
    if !lock.exists() && !locked.is_empty() {
        std::fs::write(lock, locked)?;
    }
    std::fs::write(side.join(ASKED), asked)?;
    Ok(side)
}

/// The packages that `lines` ask for and the project does not have.
fn hers_alone(lines: &[String], locked: &str) -> Vec<String> {
    let names = lines.iter().filter_map(|line| package_of(line));
    names
        .filter(|name| !locked.contains(&format!("\nname = {name:?}\n")))
        .collect()
}

/// The project's profiles, and the packages that it has in place of others, as text that says the same in another folder. What the reader
/// chose computes for her: the packages `fast` are optimised as cells are.
fn settings_of(root: &Path, fast: &[String]) -> Option<String> {
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
    let mut settings = toml::Table::new();
    for name in ["profile", "patch"] {
        settings.extend(manifest.get(name).map(|table| (name.to_owned(), table.clone())));
    }
    let patches = settings.get_mut("patch").and_then(toml::Value::as_table_mut);
    let specs = patches
        .into_iter()
        .flat_map(toml::Table::iter_mut)
        .filter_map(|(_, source)| source.as_table_mut())
        .flat_map(toml::Table::iter_mut);
    for (_, spec) in specs {
        if let Some(toml::Value::String(path)) = spec.get_mut("path") {
            *path = root.join(&*path).to_str()?.to_owned();
        }
    }
    for name in fast {
        let profile = table_in(table_in(table_in(&mut settings, "profile")?, "dev")?, "package")?;
        table_in(profile, name)?.insert("opt-level".to_owned(), 3.into());
    }
    toml::to_string(&settings).ok()
}

fn table_in<'a>(table: &'a mut toml::Table, name: &str) -> Option<&'a mut toml::Table> {
    let entry = table.entry(name.to_owned());
    entry.or_insert_with(|| toml::Table::new().into()).as_table_mut()
}

/// The package that a line asks for.
fn package_of(line: &str) -> Option<String> {
    let table: toml::Table = line.parse().ok()?;
    let (name, spec) = table.into_iter().next()?;
    let renamed = spec.get("package").and_then(toml::Value::as_str).map(str::to_owned);
    Some(renamed.unwrap_or(name))
}

/// This project's packages, as dependencies with the features that the build of cells gives them. One that the reader asks for as well
/// is hers alone: cargo knows a package under one name.
fn packages_of(root: &Path, prebuilt: &Prebuilt, asked: &[String]) -> Option<String> {
    let asked: Vec<String> = asked.iter().filter_map(|line| package_of(line)).collect();
    let mut cargo = real_cargo();
    cargo
        .args(["metadata", "--format-version=1", "--offline", "--no-deps"])
        .current_dir(root)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let output = stoppable::output(&mut cargo)
        .ok()
        .filter(|output| output.status.success())?;
    let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
    let features = prebuilt.crates.get(CRATE).map(|linked| linked.features.clone());
    let line = |package: &Value| {
        let name = package["name"].as_str()?;
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?.to_str()?;
        let mut kinds = package["targets"].as_array()?.iter().map(|target| &target["kind"]);
        // Another package can depend on no other target.
        let libraries = ["lib", "rlib", "dylib", "proc-macro"];
        let is_library = kinds.any(|kinds| {
            let mut kinds = kinds.as_array().into_iter().flatten();
            kinds.any(|kind| libraries.iter().any(|library| kind == library))
        });
        let mut spec = toml::Table::new();
        spec.insert("package".to_owned(), name.into());
        spec.insert("path".to_owned(), folder.into());
        if name == CRATE {
            spec.insert("features".to_owned(), features.clone().unwrap_or_default().into());
        }
        let own = asked.iter().any(|asked| asked == name);
        (is_library && !own).then(|| format!("{OURS}{} = {}\n", name.replace('-', "_"), toml::Value::Table(spec)))
    };
    Some(metadata["packages"].as_array()?.iter().filter_map(line).collect())
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
