//! The crate that stands for what the reader asks for: its manifest, and what cargo makes of that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::graph::{Graph, library};
use super::{OURS, WRAPPER};
use workbench_base::names::CRATE;
use workbench_base::stoppable::{self, code_of};
use workbench_setup::cargo::real_cargo;
use workbench_setup::library::prebuilt::Prebuilt;

/// What is asked of cargo for the reader.
#[derive(Debug)]
pub struct Wrapper {
    /// Where the crate is.
    pub folder: PathBuf,
    /// Packages, as `cargo build --package` takes them, and the names that cells call them by.
    pub wanted: Wanted,
}

/// Names by the id of a package.
pub type Wanted = BTreeMap<String, Vec<String>>;

/// The requirements that the manifest was written for, and what cargo made of them.
#[derive(Serialize, Deserialize)]
struct Asked {
    lines: Vec<String>,
    beside: PathBuf,
    /// Manifests in folders, and their texts: what these crates need may change.
    manifests: Vec<(PathBuf, String)>,
    wanted: Wanted,
}

/// Beside the manifest.
const ASKED: &str = "asked.json";

impl Wrapper {
    /// The crate for `lines`, or the status of a refusal, which has been told. Cargo is asked where they have changed.
    pub fn of(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<Result<Wrapper, i32>> {
        let folder = folder.join(WRAPPER);
        if let Some(wanted) = known(&folder, lines, prebuilt) {
            return Ok(Ok(Wrapper { folder, wanted }));
        }
        for file in [ASKED, super::BUILT] {
            let _ = std::fs::remove_file(folder.join(file));
        }
        let root = &prebuilt.root;
        let project = Packages::of(root).unwrap_or_default();
        for line in lines {
            if let Some(own) = package_of(line).filter(|name| project.0.contains_key(name)) {
                return refused(&is_ours(&format!("`{own}` is"), root));
            }
        }
        std::fs::create_dir_all(folder.join("src"))?;
        let settings = settings_of(root).unwrap_or_default();
        let mut manifest = manifest(lines, &project, prebuilt, &settings);
        std::fs::write(folder.join("Cargo.toml"), &manifest)?;
        std::fs::write(folder.join("src/lib.rs"), "")?;
        let lock = folder.join("Cargo.lock");
        if !lock.exists() {
            // Absent in a plain checkout of the kernel alone; cargo then resolves afresh.
            let _ = std::fs::copy(root.join("Cargo.lock"), lock);
        }
        let metadata = match metadata(&folder)? {
            Ok(metadata) => metadata,
            Err(code) => return Ok(Err(code)),
        };
        let graph = Graph::of(&metadata).context("cargo's metadata has no graph of packages")?;
        if let Some(why) = graph.complaint(&project, root) {
            return refused(&why);
        }
        for spec in added(&graph, root, &settings) {
            write!(manifest, "\n[profile.dev.package.{spec:?}]\nopt-level = 3\n")?;
        }
        std::fs::write(folder.join("Cargo.toml"), manifest)?;
        let asked = Asked {
            lines: lines.to_vec(),
            beside: prebuilt.folder.clone(),
            manifests: graph.manifests(),
            wanted: graph.wanted,
        };
        std::fs::write(folder.join(ASKED), serde_json::to_vec(&asked)?)?;
        Ok(Ok(Wrapper { folder, wanted: asked.wanted }))
    }
}

/// What was asked before, if it is the same.
fn known(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Option<Wanted> {
    let asked: Asked = serde_json::from_slice(&std::fs::read(folder.join(ASKED)).ok()?).ok()?;
    let stands = |(path, text): &(PathBuf, String)| std::fs::read_to_string(path).is_ok_and(|now| now == *text);
    let same = asked.lines == lines && asked.beside == prebuilt.folder && asked.manifests.iter().all(stands);
    same.then_some(asked.wanted)
}

/// Tells why, and ends as cargo does.
fn refused<T>(why: &str) -> Result<Result<T, i32>> {
    eprintln!("error: {why}");
    Ok(Err(101))
}

pub(super) fn is_ours(who: &str, root: &Path) -> String {
    format!(
        "{who} a package of this kernel's project ({}): a second one would be compiled, with types of its own. Load this project's \
         `{CRATE}`, and let a crate of yours depend on what that stands on (`ndarray`, `polars`); for a package of another checkout \
         start that one's kernel",
        root.display()
    )
}

/// The packages of the project by name, each with its folder and whether others can depend on it.
#[derive(Default)]
pub(super) struct Packages(pub(super) BTreeMap<String, (PathBuf, bool)>);

impl Packages {
    fn of(root: &Path) -> Option<Packages> {
        let mut cargo = real_cargo();
        cargo
            .args(["metadata", "--format-version=1", "--offline", "--no-deps"])
            .current_dir(root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let output = stoppable::output(&mut cargo).ok().filter(|output| output.status.success())?;
        let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
        let package = |package: &Value| {
            let folder = Path::new(package["manifest_path"].as_str()?).parent()?.to_owned();
            let is_library = library(package).is_some();
            Some((package["name"].as_str()?.to_owned(), (folder, is_library)))
        };
        Some(Packages(metadata["packages"].as_array()?.iter().filter_map(package).collect()))
    }
}

/// The manifest of the crate in a folder that a line asks for.
fn manifest_of(line: &str) -> Option<String> {
    let table: toml::Table = line.parse().ok()?;
    let path = table.values().next()?.get("path")?.as_str()?;
    std::fs::read_to_string(Path::new(path).join("Cargo.toml")).ok()
}

/// The package that a line asks for.
fn package_of(line: &str) -> Option<String> {
    let manifest = manifest_of(line).and_then(|text| text.parse::<toml::Table>().ok());
    let there = manifest.and_then(|manifest| Some(manifest.get("package")?.get("name")?.as_str()?.to_owned()));
    let table: toml::Table = line.parse().ok()?;
    let (name, spec) = table.into_iter().next()?;
    let renamed = spec.get("package").and_then(toml::Value::as_str).map(str::to_owned);
    Some(there.or(renamed).unwrap_or(name))
}

/// A manifest with the reader's dependencies and, beside them, the project's packages with the features that the build of cells gives them.
fn manifest(lines: &[String], project: &Packages, prebuilt: &Prebuilt, settings: &toml::Table) -> String {
    let features = prebuilt.crates.get(&prebuilt.library).map(|linked| linked.features.clone());
    let ours = project.0.iter().filter_map(|(name, (folder, is_library))| {
        let mut spec = toml::Table::new();
        spec.insert("package".to_owned(), name.as_str().into());
        spec.insert("path".to_owned(), folder.to_str()?.into());
        if name.replace('-', "_") == prebuilt.library {
            spec.insert("features".to_owned(), features.clone().unwrap_or_default().into());
        }
        let name = name.replace('-', "_");
        is_library.then(|| format!("{OURS}{name} = {}\n", toml::Value::Table(spec)))
    });
    format!(
        "[package]\nname = \"extra\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n[workspace]\nresolver = \"3\"\n\n\
         [dependencies]\n{}\n{}\n{}",
        lines.join("\n"),
        ours.collect::<String>(),
        toml::to_string(settings).unwrap_or_default()
    )
}

/// The project's profiles, and the packages that it has in place of others, so that they say the same in another folder.
fn settings_of(root: &Path) -> Option<toml::Table> {
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
    Some(settings)
}

/// What cargo makes of the manifest in `wrapper`, or its status.
fn metadata(wrapper: &Path) -> Result<Result<Value, i32>> {
    let mut cargo = real_cargo();
    cargo
        .args(["metadata", "--format-version=1", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(wrapper)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let output = stoppable::output(&mut cargo).context("could not run cargo")?;
    match output.status.success() {
        true => Ok(Ok(serde_json::from_slice(&output.stdout).context("cargo's metadata cannot be read")?)),
        false => Ok(Err(code_of(output.status))),
    }
}

/// What cells link for the reader and the project's lock file does not have: it computes for her, and is optimised fully. A package
/// that the project's profiles name, in whatever version, has what they say.
fn added(graph: &Graph<'_>, root: &Path, settings: &toml::Table) -> BTreeSet<String> {
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let lock: toml::Table = lock.parse().unwrap_or_default();
    let Some(locked) = lock.get("package").and_then(toml::Value::as_array) else {
        return BTreeSet::new();
    };
    let profiles = settings.get("profile").and_then(|profiles| profiles.get("dev")?.get("package")?.as_table());
    let is_new = |package: &&Value| {
        let same = |locked: &toml::Value| {
            ["name", "version"].iter().all(|key| locked.get(key).and_then(toml::Value::as_str) == package[key].as_str())
        };
        let named = profiles.is_some_and(|named| package["name"].as_str().is_some_and(|name| named.contains_key(name)));
        !named && !locked.iter().any(same)
    };
    let linked = graph.linked().into_iter().filter_map(|id| graph.packages.get(id).copied());
    let specs = linked.filter(is_new).filter_map(|package| {
        let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
        Some(format!("{name}@{version}"))
    });
    specs.collect()
}
