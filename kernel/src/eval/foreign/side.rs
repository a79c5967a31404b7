//! The crate that stands for what the reader asks for: its manifest, and what cargo makes of that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::prebuilt::{CRATE, Prebuilt};
use super::super::shim::{code_of, real_cargo};
use super::super::stoppable;
use super::{OURS, SIDE};

/// What is asked of cargo for the reader.
#[derive(Debug)]
pub struct Side {
    /// Where the crate is.
    pub folder: PathBuf,
    /// What `cargo build --package` takes, and the name that cells call it by.
    pub wanted: BTreeMap<String, String>,
}

/// The requirements that the manifest was written for, and what cargo made of them.
#[derive(Serialize, Deserialize)]
struct Asked {
    lines: Vec<String>,
    /// Of crates that are in a folder: what they need may change.
    manifests: Vec<String>,
    beside: PathBuf,
    wanted: BTreeMap<String, String>,
}

/// Beside the manifest.
const ASKED: &str = "asked.json";

impl Side {
    /// The crate for `lines`, or the status of a refusal, which has been told. Cargo is asked where they have changed.
    pub fn of(folder: &Path, lines: &[String], prebuilt: &Prebuilt) -> Result<Result<Side, i32>> {
        let folder = folder.join(SIDE);
        let old = std::fs::read(folder.join(ASKED)).ok();
        let old: Option<Asked> = old.and_then(|text| serde_json::from_slice(&text).ok());
        let manifests: Vec<String> = lines.iter().filter_map(|line| manifest_of(line)).collect();
        let same = |old: &Asked| old.lines == lines && old.manifests == manifests && old.beside == prebuilt.folder;
        if let Some(Asked { wanted, .. }) = old.filter(same) {
            return Ok(Ok(Side { folder, wanted }));
        }
        let root = prebuilt.root().context("the crate has no folder around it")?;
        let project = Packages::of(root).unwrap_or_default();
        for line in lines {
            if let Some(own) = package_of(line).filter(|name| project.0.contains_key(name)) {
                eprintln!("error: {}", is_ours(&own, prebuilt));
                return Ok(Err(REFUSED));
            }
        }
        std::fs::create_dir_all(folder.join("src"))?;
        let _ = std::fs::remove_file(folder.join(super::BUILT));
        let locked = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
        let mut manifest = manifest(root, lines, &project, prebuilt);
        std::fs::write(folder.join("Cargo.toml"), &manifest)?;
        std::fs::write(folder.join("src/lib.rs"), "")?;
        let lock = folder.join("Cargo.lock");
        if !lock.exists() && !locked.is_empty() {
            std::fs::write(lock, &locked)?;
        }
        let metadata = match metadata(&folder)? {
            Ok(metadata) => metadata,
            Err(code) => return Ok(Err(code)),
        };
        let graph = Graph::of(&metadata).context("cargo's metadata has no graph of packages")?;
        if let Some(own) = graph.reached.iter().find_map(|id| graph.name_of_path(id, &project)) {
            eprintln!("error: {}", is_ours(own, prebuilt));
            return Ok(Err(REFUSED));
        }
        for (name, version) in graph.added(&locked) {
            write!(
                manifest,
                "\n[profile.dev.package.\"{name}@{version}\"]\nopt-level = 3\n"
            )?;
        }
        std::fs::write(folder.join("Cargo.toml"), manifest)?;
        let asked = Asked {
            lines: lines.to_vec(),
            manifests,
            beside: prebuilt.folder.clone(),
            wanted: graph.wanted,
        };
        std::fs::write(folder.join(ASKED), serde_json::to_vec(&asked)?)?;
        Ok(Ok(Side {
            folder,
            wanted: asked.wanted,
        }))
    }
}

/// As cargo ends where it refuses something.
const REFUSED: i32 = 101;

fn is_ours(name: &str, prebuilt: &Prebuilt) -> String {
    format!(
        "`{name}` is a package of this kernel's project ({}), which cells link already: a second one would be compiled, with types of \
         its own. Load `{CRATE}`, which has all of them, and let a crate of yours depend on what it stands on (`ndarray`, `polars`); \
         for `{CRATE}` of another checkout start that one's kernel",
        prebuilt.crate_dir.display()
    )
}

/// The packages of the project by name, each with its folder and whether others can depend on it.
#[derive(Default)]
struct Packages(BTreeMap<String, (PathBuf, bool)>);

impl Packages {
    fn of(root: &Path) -> Option<Packages> {
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
        let package = |package: &Value| {
            let folder = Path::new(package["manifest_path"].as_str()?).parent()?.to_owned();
            let targets = package["targets"].as_array()?.iter();
            let mut kinds = targets.filter_map(|target| target["kind"].as_array()).flatten();
            let is_library = kinds.any(|kind| ["lib", "rlib", "dylib", "proc-macro"].iter().any(|of| kind == of));
            Some((package["name"].as_str()?.to_owned(), (folder, is_library)))
        };
        Some(Packages(
            metadata["packages"].as_array()?.iter().filter_map(package).collect(),
        ))
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
fn manifest(root: &Path, lines: &[String], project: &Packages, prebuilt: &Prebuilt) -> String {
    let features = prebuilt.crates.get(CRATE).map(|linked| linked.features.clone());
    let ours = project.0.iter().filter_map(|(name, (folder, is_library))| {
        let mut spec = toml::Table::new();
        spec.insert("package".to_owned(), name.as_str().into());
        spec.insert("path".to_owned(), folder.to_str()?.into());
        if name == CRATE {
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
        settings_of(root).unwrap_or_default()
    )
}

/// The project's profiles, and the packages that it has in place of others, as text that says the same in another folder.
fn settings_of(root: &Path) -> Option<String> {
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
    toml::to_string(&settings).ok()
}

/// What cargo makes of the manifest in `side`, or its status.
fn metadata(side: &Path) -> Result<Result<Value, i32>> {
    let mut cargo = real_cargo();
    cargo
        .args(["metadata", "--format-version=1", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(side)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let output = stoppable::output(&mut cargo).context("could not run cargo")?;
    match output.status.success() {
        true => Ok(Ok(
            serde_json::from_slice(&output.stdout).context("cargo's metadata cannot be read")?
        )),
        false => Ok(Err(code_of(output.status))),
    }
}

/// The packages that the reader's crates are and need.
struct Graph<'a> {
    packages: BTreeMap<&'a str, &'a Value>,
    reached: BTreeSet<&'a str>,
    /// Those that are not only for building.
    linked: BTreeSet<&'a str>,
    wanted: BTreeMap<String, String>,
}

impl<'a> Graph<'a> {
    fn of(metadata: &'a Value) -> Option<Graph<'a>> {
        let by_id = |all: &'a Value| -> Option<BTreeMap<&str, &Value>> {
            let all = all.as_array()?.iter();
            Some(all.filter_map(|one| Some((one["id"].as_str()?, one))).collect())
        };
        let (packages, nodes) = (by_id(&metadata["packages"])?, by_id(&metadata["resolve"]["nodes"])?);
        let below = |id: &str| {
            nodes
                .get(id)
                .and_then(|node| node["deps"].as_array())
                .into_iter()
                .flatten()
        };
        let mut wanted = BTreeMap::new();
        let mut hers = BTreeSet::new();
        for dependency in below(metadata["resolve"]["root"].as_str()?) {
            let (name, id) = (dependency["name"].as_str()?, dependency["pkg"].as_str()?);
            if !name.starts_with(OURS) {
                wanted.insert(id.to_owned(), name.to_owned());
                hers.insert(id);
            }
        }
        let walk = |follow: &dyn Fn(&Value) -> bool| {
            let mut reached = hers.clone();
            let mut open: Vec<&str> = hers.iter().copied().collect();
            while let Some(id) = open.pop() {
                let more = below(id).filter(|dependency| follow(dependency));
                let more = more.filter_map(|dependency| dependency["pkg"].as_str());
                open.extend(more.filter(|id| reached.insert(id)));
            }
            reached
        };
        let is_linked = |dependency: &Value| {
            let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            kinds.into_iter().any(|kind| kind["kind"].is_null())
        };
        Some(Graph {
            reached: walk(&|_| true),
            linked: walk(&is_linked),
            packages,
            wanted,
        })
    }

    /// The name of a package that is the project's own.
    fn name_of_path(&self, id: &str, project: &Packages) -> Option<&'a str> {
        let package = self.packages.get(id)?;
        let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
        let name = package["name"].as_str()?;
        project.0.get(name).filter(|(own, _)| own == folder).map(|_| name)
    }

    /// What cells link and the project's lock file does not have: it computes for the reader, and is optimised as cells are.
    fn added<'b>(&'b self, locked: &'b str) -> impl Iterator<Item = (&'b str, &'b str)> {
        let all = self.linked.iter().filter_map(|id| self.packages.get(id));
        let named = all.filter_map(|package| Some((package["name"].as_str()?, package["version"].as_str()?)));
        named.filter(move |(name, version)| !locked.contains(&format!("\nname = {name:?}\nversion = {version:?}\n")))
    }
}
