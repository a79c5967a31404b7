//! Dependency graph as cargo resolves it: which packages the reader's crates need, and what speaks against them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::OURS;
use super::wrapper::{Packages, Wanted, is_ours};

/// The packages that the reader's crates are and need.
pub(super) struct Graph<'a> {
    pub(super) packages: BTreeMap<&'a str, &'a Value>,
    nodes: BTreeMap<&'a str, &'a Value>,
    pub(super) wanted: Wanted,
}

impl<'a> Graph<'a> {
    pub(super) fn of(metadata: &'a Value) -> Option<Graph<'a>> {
        let by_id = |all: &'a Value| -> Option<BTreeMap<&str, &Value>> {
            let all = all.as_array()?.iter();
            Some(all.filter_map(|one| Some((one["id"].as_str()?, one))).collect())
        };
        let mut graph = Graph {
            packages: by_id(&metadata["packages"])?,
            nodes: by_id(&metadata["resolve"]["nodes"])?,
            wanted: Wanted::new(),
        };
        for dependency in graph.below(metadata["resolve"]["root"].as_str()?) {
            let (name, id) = (dependency["name"].as_str()?, dependency["pkg"].as_str()?);
            if !name.starts_with(OURS) {
                graph.wanted.entry(id.to_owned()).or_default().push(name.to_owned());
            }
        }
        Some(graph)
    }

    fn below(&self, id: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        let node = self.nodes.get(id).copied();
        node.and_then(|node| node["deps"].as_array()).into_iter().flatten()
    }

    /// What is reached from some packages, with themselves.
    fn reached(&self, from: impl Iterator<Item = &'a str>, follow: impl Fn(&str, &Value) -> bool) -> BTreeSet<&'a str> {
        let mut reached: BTreeSet<&str> = from.collect();
        let mut open: Vec<&str> = reached.iter().copied().collect();
        while let Some(id) = open.pop() {
            let more = self.below(id).filter(|dependency| follow(id, dependency));
            let more = more.filter_map(|dependency| dependency["pkg"].as_str());
            open.extend(more.filter(|id| reached.insert(id)));
        }
        reached
    }

    fn roots(&self) -> impl Iterator<Item = &'a str> {
        self.packages.keys().copied().filter(|id| self.wanted.contains_key(*id))
    }

    /// What ends up in cells, and does not only make it.
    pub(super) fn linked(&self) -> BTreeSet<&'a str> {
        self.reached(self.roots(), |id, dependency| {
            let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            let makes = self.packages.get(id).and_then(|package| library(package));
            kinds.any(|kind| kind["kind"].is_null()) && !makes.is_some_and(|library| is_a(library, &["proc-macro"]))
        })
    }

    /// Packages of a folder, which cargo does not know by a digest.
    fn of_folders(&self, ids: &BTreeSet<&'a str>) -> Vec<&'a Value> {
        let all = ids.iter().filter_map(|id| self.packages.get(id).copied());
        all.filter(|package| package["source"].is_null()).collect()
    }

    pub(super) fn manifests(&self) -> Vec<(PathBuf, String)> {
        let hers = self.reached(self.roots(), |_, _| true);
        let paths = self.of_folders(&hers).into_iter().filter_map(|package| package["manifest_path"].as_str());
        paths.filter_map(|path| Some((path.into(), std::fs::read_to_string(path).ok()?))).collect()
    }

    /// Why these crates cannot be built beside the project.
    pub(super) fn complaint(&self, project: &Packages, root: &Path) -> Option<String> {
        let mut libraries = BTreeMap::new();
        for (id, names) in &self.wanted {
            let (id, package) = self.packages.get_key_value(id.as_str())?;
            let name = names.first()?;
            let hers = self.reached(std::iter::once(*id), |_, _| true);
            let of_a_registry =
                |package: &Value| package["source"].as_str().is_some_and(|of| of.starts_with("registry+"));
            let mut all = hers.iter().filter_map(|id| self.packages.get(id));
            let ours = all.find(|package| {
                package["name"].as_str().is_some_and(|name| project.0.contains_key(name)) && !of_a_registry(package)
            });
            if let Some(own) = ours.and_then(|package| package["name"].as_str()) {
                return Some(is_ours(&format!("`{name}` needs `{own}`, which is"), root));
            }
            let shared = self.of_folders(&hers).into_iter();
            let mut shared =
                shared.filter(|package| library(package).is_some_and(|library| is_a(library, &["dylib", "cdylib"])));
            if let Some(own) = shared.find_map(|package| package["name"].as_str()) {
                return Some(format!(
                    "`{own}` is a shared library as well (`crate-type` in its manifest), and cargo gives that one name for all kernels: \
                     leave `dylib` and `cdylib` out, or put them into a package of their own that depends on this one"
                ));
            }
            let library = library(package).and_then(|library| library["name"].as_str()).unwrap_or(name);
            if let Some(other) = libraries.insert(library.to_owned(), name) {
                return Some(format!(
                    "`{other}` and `{name}` are libraries of one name (`{library}`), which one kernel cannot tell apart: ask for one of them"
                ));
            }
        }
        None
    }
}

/// The library of a package.
pub(super) fn library(package: &Value) -> Option<&Value> {
    const KINDS: [&str; 6] = ["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"];
    package["targets"].as_array()?.iter().find(|target| is_a(target, &KINDS))
}

fn is_a(target: &Value, kinds: &[&str]) -> bool {
    let mut all = target["kind"].as_array().into_iter().flatten();
    all.any(|kind| kinds.iter().any(|of| kind == of))
}
