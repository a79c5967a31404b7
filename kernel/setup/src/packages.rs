//! The packages that a build needs: which they are, and that they are on this machine.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::cargo::{cargo, no_cargo};
use super::paths::Workspace;
use workbench_base::error::{Error, Result};
use workbench_base::text::tail;

/// Packages that a build of these members needs: everything reachable without development dependencies.
pub(super) fn needed_packages(metadata: &Value, members: &[&str]) -> BTreeSet<String> {
    let mut edges: HashMap<&str, Vec<&str>> = HashMap::new();
    let nodes = metadata["resolve"]["nodes"].as_array();
    for node in nodes.into_iter().flatten() {
        let Some(id) = node["id"].as_str() else {
            continue;
        };
        let wanted = node["deps"].as_array().into_iter().flatten().filter(|dep| {
            dep["dep_kinds"].as_array().is_none_or(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
        });
        edges.insert(id, wanted.filter_map(|dep| dep["pkg"].as_str()).collect());
    }
    let packages = metadata["packages"].as_array();
    let local = packages.into_iter().flatten().filter(|package| package["source"].is_null());
    let mut open: Vec<&str> = local
        .filter(|package| package["name"].as_str().is_some_and(|name| members.contains(&name)))
        .filter_map(|package| package["id"].as_str())
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id.to_string()) {
            open.extend(edges.get(id).into_iter().flatten());
        }
    }
    reached
}

/// How many packages a build of this member needs, 0 where cargo does not say it.
pub fn needed(workspace: &Workspace, member: &str) -> usize {
    ask(workspace, &[]).map_or(0, |metadata| needed_packages(&metadata, &[member]).len())
}

/// What cargo says of the workspace and the packages that it needs with `features`; they are downloaded where they are missing.
pub(super) fn metadata(workspace: &Workspace, features: &[String]) -> Result<Value> {
    if let Ok(metadata) = ask(workspace, features) {
        return Ok(metadata);
    }
    eprintln!("==> downloading the packages that Cargo.lock names");
    fetch(workspace)?;
    ask(workspace, features)
}

fn ask(workspace: &Workspace, features: &[String]) -> Result<Value> {
    let mut command = cargo(workspace);
    command.args(["metadata", "--format-version", "1", "--locked", "--offline"]).args(features);
    if let Some(host) = host_triple() {
        command.args(["--filter-platform", &host]);
    }
    let output = command.output().map_err(no_cargo)?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let failed = |status: String, tail: String| Error::Failed {
        what: "`cargo metadata --locked`".into(),
        status,
        hint: "check Cargo.toml and Cargo.lock".into(),
        tail,
    };
    if !output.status.success() {
        return Err(failed(output.status.to_string(), tail(&stderr, 8)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string(), String::new()))
}

/// Downloads what `Cargo.lock` names.
fn fetch(workspace: &Workspace) -> Result<()> {
    let mut command = cargo(workspace);
    command.args(["fetch", "--locked"]);
    if let Some(host) = host_triple() {
        command.args(["--target", &host]);
    }
    let output = command.output().map_err(no_cargo)?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let lock = workspace.root().join("Cargo.lock");
    let text = std::fs::read_to_string(&lock).map_err(|source| Error::io("read", &lock, source))?;
    Err(fetch_error(&stderr, &text, &cargo_home()))
}

/// Says why a download failed: no network (with what is missing), or something else (with cargo's last lines).
fn fetch_error(stderr: &str, lock: &str, cargo_home: &Path) -> Error {
    const SIGNS: [&str; 8] = [
        "Could not resolve host",
        "Couldn't resolve host",
        "failed to download",
        "spurious network error",
        "Couldn't connect",
        "Could not connect",
        "Timeout was reached",
        "failed to query replaced source",
    ];
    if !SIGNS.iter().any(|sign| stderr.contains(sign)) {
        return Error::Failed {
            what: "`cargo fetch --locked`".into(),
            status: "see below".into(),
            hint: "check Cargo.toml and Cargo.lock".into(),
            tail: tail(stderr, 8),
        };
    }
    let packages = locked_packages(lock);
    let missing: Vec<&String> = packages.iter().filter(|name| !in_cache(cargo_home, name)).collect();
    let mut first = missing.iter().take(4).map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    if missing.len() > 4 {
        first.push_str(", ...");
    }
    Error::NoNetwork { count: missing.len(), total: packages.len(), first, cargo_home: cargo_home.to_path_buf() }
}

/// `name-version` of every registry package of a lock file.
fn locked_packages(lock: &str) -> Vec<String> {
    let table: toml::Table = match lock.parse() {
        Ok(table) => table,
        Err(_) => return Vec::new(),
    };
    let packages = table.get("package").and_then(|list| list.as_array());
    packages
        .into_iter()
        .flatten()
        .filter(|package| package.get("source").is_some())
        .filter_map(|package| {
            let name = package.get("name")?.as_str()?;
            let version = package.get("version")?.as_str()?;
            Some(format!("{name}-{version}"))
        })
        .collect()
}

fn in_cache(cargo_home: &Path, package: &str) -> bool {
    let Ok(registries) = std::fs::read_dir(cargo_home.join("registry/cache")) else {
        return false;
    };
    registries.filter_map(|entry| entry.ok()).any(|entry| entry.path().join(format!("{package}.crate")).is_file())
}

fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME").map_or_else(
        || {
            let home = std::env::var_os("HOME").unwrap_or_default();
            PathBuf::from(home).join(".cargo")
        },
        PathBuf::from,
    )
}

/// The triple of the machine that compiles, as the compiler says it; nothing where there is no compiler.
pub fn host_triple() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().find_map(|line| line.strip_prefix("host: ").map(str::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4
[[package]]
name = "workbench"
version = "0.1.0"
[[package]]
name = "here"
version = "1.0.0"
source = "registry"
[[package]]
name = "absent"
version = "2.0.0"
source = "registry"
"#;

    #[test]
    fn no_network_names_what_is_missing() {
        let home = tempfile::tempdir().unwrap();
        let cache = home.path().join("registry/cache/index");
        std::fs::create_dir_all(&cache).unwrap();
        std::fs::write(cache.join("here-1.0.0.crate"), "").unwrap();
        let stderr = "error: failed to download from the registry\nCould not resolve host";
        let error = fetch_error(stderr, LOCK, home.path());
        let Error::NoNetwork { count, total, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!((*count, *total), (1, 2));
        let text = error.to_string();
        assert!(text.contains("absent-2.0.0"), "{text}");
        assert!(!text.contains("here-1.0.0"), "{text}");
        assert!(text.contains("cargo fetch --locked"), "{text}");
    }

    #[test]
    fn another_failure_keeps_cargos_words() {
        let error = fetch_error("error: the lock file needs to be updated", LOCK, Path::new("/"));
        assert!(error.to_string().contains("needs to be updated"), "{error}");
    }

    #[test]
    fn development_dependencies_and_other_members_are_not_waited_for() {
        let metadata = serde_json::json!({
            "packages": [
                {"name": "cells", "id": "m", "source": null}, {"name": "benchmarks", "id": "o", "source": null},
                {"name": "cells", "id": "n", "source": "registry"},
            ],
            "resolve": {"nodes": [
                {"id": "m", "deps": [
                    {"pkg": "n", "dep_kinds": [{"kind": null}]},
                    {"pkg": "d", "dep_kinds": [{"kind": "dev"}]},
                    {"pkg": "b", "dep_kinds": [{"kind": "build"}, {"kind": "dev"}]},
                ]},
                {"id": "n", "deps": []}, {"id": "d", "deps": []}, {"id": "b", "deps": []},
                {"id": "o", "deps": [{"pkg": "p", "dep_kinds": [{"kind": null}]}]}, {"id": "p", "deps": []},
            ]}
        });
        let needed: Vec<String> = needed_packages(&metadata, &["cells"]).into_iter().collect();
        assert_eq!(needed, vec!["b", "m", "n"]);
    }
}
