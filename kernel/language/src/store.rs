//! Store of crate indexes: which crates, their sources, the index on disk.
//!
//! `cargo metadata` names versions, features and folders of the project's dependencies (without network). Crates of a
//! registry never change: each is read once and kept in `.workbench/index/`. The project's own crate is read again when
//! one of its files has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::item::{Crate, File};
use super::source::{Collector, stamp};
use super::standard::standard;
use super::world::World;
use workbench_setup::features;
use workbench_setup::project::Project;

/// Changes when the format or what is collected changes.
const VERSION: &str = "2";
/// Dependencies whose own parts are indexed too: their interfaces are spread over several crates. The first are the project's rooms.
const FAMILIES: [&str; 6] = ["workbench", "polars", "ndarray", "candle", "plotters", "rand"];
/// Parts of those that no cell names.
const INNER: [&str; 10] = [
    "polars-parquet",
    "polars-parquet-format",
    "polars-stream",
    "polars-mem-engine",
    "polars-async",
    "polars-ooc",
    "polars-arrow-format",
    "polars-row",
    "polars-config",
    "polars-expr",
];
/// Small crates whose types appear in interfaces.
const ALSO: [&str; 3] = ["num-complex", "num-traits", "rand_core"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Option<Resolve>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    targets: Vec<Target>,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
    features: Vec<String>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// Lets everything else go first.
pub fn lower_priority() {
    // SAFETY: changes the priority of the calling thread only; 0 means the caller, which on Linux is a thread.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 19);
    }
}

/// The crates of a project; stops when `wanted` says no.
///
/// # Errors
/// Cargo does not answer, or does not know the project's library.
pub fn load(project: &Project, wanted: &mut dyn FnMut() -> bool) -> Result<World> {
    let folder = project.state().join("index");
    // Not being able to keep the index only costs time at the next start.
    let _ = std::fs::create_dir_all(&folder);
    let metadata = metadata(project, &folder)?;
    let (packages, nodes) = (by_id(metadata.packages, |p| &p.id), metadata.resolve.map(|r| r.nodes));
    let nodes = by_id(nodes.unwrap_or_default(), |n| &n.id);
    let chosen = chosen(&project.library.package, &packages, &nodes)?;
    let mut world = World::new(standard());
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut read = Vec::new();
    for id in &chosen {
        if !wanted() {
            bail!("the kernel ended");
        }
        let Some((package, node)) = packages.get(id).zip(nodes.get(id)) else {
            continue;
        };
        if let Some(krate) = one(package, node, &folder) {
            numbers.insert(id, 1 + read.len());
            read.push((krate, node));
        }
    }
    for (mut krate, node) in read {
        krate.externs =
            node.deps.iter().filter_map(|d| Some((d.name.clone(), *numbers.get(d.pkg.as_str())?))).collect();
        for name in ["std", "core", "alloc"] {
            krate.externs.insert(name.to_owned(), 0);
        }
        world.add(krate);
    }
    Ok(world)
}

/// The crates that the crate in `folder` depends on, but those that it calls by names that begin with `known`.
///
/// # Errors
/// Cargo does not answer.
pub fn others(folder: &Path, known: &str) -> Result<Vec<Crate>> {
    let found: Metadata =
        serde_json::from_slice(&ask_cargo(folder, &[])?).context("cargo metadata answered something else")?;
    let packages = by_id(found.packages, |p| &p.id);
    let nodes = by_id(found.resolve.map(|r| r.nodes).unwrap_or_default(), |n| &n.id);
    let start = packages.values().find(|p| p.targets.iter().any(|t| t.src_path.starts_with(folder)));
    let node = start.and_then(|package| nodes.get(&package.id)).context("cargo does not know its own crate")?;
    let wanted = node.deps.iter().filter(|dependency| !dependency.name.starts_with(known));
    let read = wanted.filter_map(|dependency| {
        let mut krate = one(packages.get(&dependency.pkg)?, nodes.get(&dependency.pkg)?, folder)?;
        krate.name.clone_from(&dependency.name);
        krate.externs = ["std", "core", "alloc"].map(|name| (name.to_owned(), 0)).into();
        Some(krate)
    });
    Ok(read.collect())
}

fn by_id<T>(all: Vec<T>, id: fn(&T) -> &String) -> BTreeMap<String, T> {
    all.into_iter().map(|one| (id(&one).clone(), one)).collect()
}

/// The crate itself first, then what it depends on directly, then their families.
fn chosen(library: &str, packages: &BTreeMap<String, Package>, nodes: &BTreeMap<String, Node>) -> Result<Vec<String>> {
    let start = packages
        .values()
        .find(|p| p.name == library && p.source.is_none())
        .with_context(|| format!("cargo knows no crate `{library}` here"))?;
    let mut chosen = vec![start.id.clone()];
    let mut at = 0;
    while at < chosen.len() {
        let id = chosen[at].clone();
        let direct = at == 0;
        let Some(node) = nodes.get(&id) else { break };
        for dependency in &node.deps {
            let Some(package) = packages.get(&dependency.pkg) else {
                continue;
            };
            let ours = dependency.dep_kinds.iter().any(|k| k.kind.is_none());
            let family = FAMILIES.iter().any(|f| package.name.starts_with(f)) || ALSO.contains(&package.name.as_str());
            let library = package.targets.iter().any(|t| t.kind.iter().any(|k| k == "lib" || k.ends_with("lib")));
            if ours
                && library
                && (direct || family)
                && !INNER.contains(&package.name.as_str())
                && !chosen.contains(&package.id)
            {
                chosen.push(package.id.clone());
            }
        }
        at += 1;
    }
    Ok(chosen)
}

/// What cargo says of the project, kept as long as the manifests are the same.
fn metadata(project: &Project, folder: &Path) -> Result<Metadata> {
    let root = &project.root;
    let own = project.library.folder.join("Cargo.toml");
    let manifests = [root.join("Cargo.toml"), root.join("Cargo.lock"), own];
    let mut text = String::from(VERSION);
    for path in &manifests {
        text.push_str(&std::fs::read_to_string(path).unwrap_or_default());
    }
    // Items behind a feature are completed where cells can name them.
    let features = features::cargo_args(&features::wanted(root, &[project.state()]).unwrap_or_default());
    text.push_str(&features.join(" "));
    let file = folder.join(format!("metadata-{:016x}.json", fingerprint(text.as_bytes())));
    if let Some(kept) = std::fs::read(&file).ok().and_then(|b| serde_json::from_slice::<Metadata>(&b).ok())
        && kept.packages.iter().flat_map(|p| &p.targets).all(|t| t.src_path.is_file() || t.kind == ["custom-build"])
    {
        return Ok(kept);
    }
    let told = ask_cargo(root, &features)?;
    let found: Metadata = serde_json::from_slice(&told).context("cargo metadata answered something else")?;
    for old in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if old.file_name().to_string_lossy().starts_with("metadata-") {
            let _ = std::fs::remove_file(old.path());
        }
    }
    keep(&file, &told);
    Ok(found)
}

fn ask_cargo(root: &Path, features: &[String]) -> Result<Vec<u8>> {
    let output = cargo()
        .args(["metadata", "--format-version=1", "--offline", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .args(features)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .context("could not run cargo")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

fn cargo() -> Command {
    workbench_setup::cargo::real_cargo()
}

/// FNV-1a: tells one text from another.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Writes a file whole or not at all.
fn keep(path: &Path, bytes: &[u8]) {
    let Some(folder) = path.parent() else { return };
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|file| {
        std::fs::write(file.path(), bytes)?;
        file.persist(path).map_err(|e| e.error)
    });
    // A full disk only costs time at the next start.
    drop(written);
}

fn one(package: &Package, node: &Node, folder: &Path) -> Option<Crate> {
    let target = package.targets.iter().find(|t| t.kind.iter().any(|k| k == "lib" || k.ends_with("lib")))?;
    let features: BTreeSet<String> = node.features.iter().cloned().collect();
    let words = format!("{VERSION} {} {:?} {}", env!("CARGO_PKG_VERSION"), features, target.src_path.display());
    let file = folder.join(format!("{}-{}-{:016x}.json", package.name, package.version, fingerprint(words.as_bytes())));
    let kept = std::fs::read(&file).ok();
    let kept = kept.and_then(|bytes| serde_json::from_slice::<Crate>(&bytes).ok());
    // Sources of a registry do not change.
    if let Some(kept) = kept
        && (package.source.is_some() || is_current(&kept))
    {
        return Some(kept.finish());
    }
    let name = target.name.replace('-', "_");
    let read = Collector::new(&name, features).read(&target.src_path);
    if read.files.is_empty() {
        return None;
    }
    if let Ok(bytes) = serde_json::to_vec(&read) {
        keep(&file, &bytes);
    }
    Some(read)
}

fn is_current(krate: &Crate) -> bool {
    krate.files.iter().all(|file| match file {
        File::Disk(path, length, time) => stamp(path) == (*length, *time),
        File::Text(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_kept_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("lib.rs");
        std::fs::write(&lib, "pub fn first() {}").unwrap();
        let package = Package {
            id: "demo".into(),
            name: "demo".into(),
            version: "0.1.0".into(),
            targets: vec![Target { name: "demo".into(), kind: vec!["lib".into()], src_path: lib.clone() }],
            source: None,
        };
        let node = Node { id: "demo".into(), deps: Vec::new(), features: Vec::new() };
        let names = || {
            let krate = one(&package, &node, folder.path()).unwrap();
            let items = krate.modules[0].items.iter().map(|i| i.name.clone());
            items.collect::<Vec<_>>()
        };
        assert_eq!(names(), ["first"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(names(), ["first"]);
        std::fs::write(&lib, "pub fn second_now() {}").unwrap();
        assert_eq!(names(), ["second_now"]);
    }
}
