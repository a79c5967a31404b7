//! A reader's own project: where it has the crates of this one that it depends on.
//!
//! Its manifest asks for `workbench-ledger = "0.1"` and the like, as for any package. As long as no registry has them, this program brings
//! their sources: an installed one has them inside and writes them into the user's cache; one that was built in a checkout names that. Cargo
//! is told by `.cargo/config.toml` of the project, which is this machine's own and stays out of version control.

use std::path::{Path, PathBuf};

use serde_json::Value;
use workbench_record::{atomic, digest};

use super::cargo::{cargo, no_cargo};
use super::packages::host_triple;
use super::paths::Workspace;
use crate::project::cache;
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::tail;

include!(concat!(env!("OUT_DIR"), "/crates.rs"));

/// What a project depends on, and where it stands below the root of ours.
pub const CRATES: [(&str, &str); 5] = [
    ("workbench-checks-list", "workbench/checks/list"),
    ("workbench-display", "workbench/display"),
    ("workbench-ground", "workbench/ground"),
    ("workbench-ledger", "workbench/ledger"),
    ("workbench-program", "workbench/program"),
];
/// The first line of the configuration that this program writes and may write anew.
const OURS: &str =
    "# Written by `workbench`: where this machine has the crates that no registry has yet. Not for version control.";

/// Writes where the crates are, if the project's configuration does not say it yet.
///
/// # Errors
/// A configuration that is the reader's and names other places, or files that cannot be written.
pub fn ensure_crates(workspace: &Workspace) -> Result<()> {
    let place = crates()?;
    let wanted = configuration(&place);
    let path = workspace.root().join(".cargo/config.toml");
    match std::fs::read_to_string(&path) {
        Ok(found) if found == wanted => return Ok(()),
        Ok(found) if !found.starts_with(OURS) => {
            let names = |(name, _): &(&str, &str)| found.contains(&format!("{name} "));
            if CRATES.iter().all(names) {
                return Ok(());
            }
            let why = format!(
                "{} is yours, and does not say where the crates of Workbench are: add to it\n\n{}",
                path.display(),
                wanted.split_once('\n').map_or("", |(_, rest)| rest)
            );
            return Err(Error::Room(why.into()));
        }
        _ => {}
    }
    let folder = workspace.root().join(".cargo");
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
    atomic::write(&path, wanted.as_bytes()).map_err(|source| Error::io("write", &path, source))?;
    progress::note(&format!("the crates of Workbench are taken from {}", place.display()));
    Ok(())
}

/// The versions of packages that this project is tested with, for a new one to begin with.
///
/// # Errors
/// Crates that cannot be written or read.
pub fn lock() -> Result<String> {
    let path = crates()?.join("Cargo.lock");
    std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))
}

fn configuration(place: &Path) -> String {
    let mut text = format!("{OURS}\n[patch.crates-io]\n");
    for (name, folder) in CRATES {
        let path = toml::Value::String(place.join(folder).display().to_string());
        text += &format!("{name} = {{ path = {path} }}\n");
    }
    text
}

/// The folder of the crates' workspace: the checkout that this program was built in, or the user's cache.
///
/// # Errors
/// A checkout that is gone, or a cache that cannot be written.
pub fn crates() -> Result<PathBuf> {
    if SOURCES.is_empty() {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        return checkout
            .canonicalize()
            .map_err(|source| Error::io("open the checkout of this program", &checkout, source));
    }
    let all: Vec<u8> = SOURCES.iter().flat_map(|(name, text)| [name.as_bytes(), &[0], text, &[0]].concat()).collect();
    let place = cache().join("crates").join(&digest::of(all)[..16]);
    if place.is_dir() {
        return Ok(place);
    }
    // Whole or not at all: beside it first.
    let failed = |source| Error::io("write the crates into", &place, source);
    let above = place.parent().unwrap_or(&place);
    std::fs::create_dir_all(above).map_err(failed)?;
    let new = tempfile::tempdir_in(above).map_err(failed)?;
    for (name, text) in SOURCES {
        let path = new.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(failed)?;
        std::fs::write(&path, manifest_of_a_dependency(name, text)).map_err(failed)?;
    }
    match std::fs::rename(new.keep(), &place) {
        // Another program of this user was faster.
        Err(_) if place.is_dir() => Ok(place),
        renamed => renamed.map(|()| place.clone()).map_err(failed),
    }
}

/// The file as a dependency has it: of a manifest no benchmarks and what they need, of the workspace's the members that are there.
fn manifest_of_a_dependency(name: &str, text: &[u8]) -> Vec<u8> {
    let parsed = std::str::from_utf8(text).ok().filter(|_| name.ends_with("Cargo.toml"));
    let Some(Ok(mut manifest)) = parsed.map(str::parse::<toml::Table>) else { return text.to_vec() };
    for section in ["bench", "dev-dependencies", "patch", "profile"] {
        manifest.remove(section);
    }
    if let Some(workspace) = manifest.get_mut("workspace").and_then(toml::Value::as_table_mut) {
        let members = SOURCES.iter().filter_map(|(name, _)| name.strip_suffix("/Cargo.toml"));
        workspace.insert("members".into(), members.collect::<Vec<_>>().into());
        workspace.remove("exclude");
    }
    manifest.to_string().into_bytes()
}

/// What cargo says of the project and the packages that it needs; they are downloaded where they are missing.
pub(super) fn metadata(workspace: &Workspace) -> Result<Value> {
    let mut command = cargo(workspace);
    command.args(["metadata", "--format-version", "1"]);
    if let Some(host) = host_triple() {
        command.args(["--filter-platform", &host]);
    }
    let output = command.output().map_err(no_cargo)?;
    let failed = |status: String, text: &str| Error::Failed {
        what: "`cargo metadata`".into(),
        status,
        hint: "check Cargo.toml; packages that this machine does not have yet need a network, once".into(),
        tail: tail(text, 12),
    };
    if !output.status.success() {
        return Err(failed(output.status.to_string(), &String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_stands_where_the_configuration_says() {
        let place = crates().unwrap();
        for (name, folder) in CRATES {
            let manifest = std::fs::read_to_string(place.join(folder).join("Cargo.toml")).unwrap();
            let manifest: toml::Table = manifest.parse().unwrap();
            assert_eq!(manifest["package"]["name"].as_str(), Some(name));
        }
        let configuration: toml::Table = configuration(&place).parse().unwrap();
        assert_eq!(configuration["patch"]["crates-io"].as_table().unwrap().len(), CRATES.len());
    }

    #[test]
    fn a_configuration_of_the_readers_own_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (file, text) in [
            ("notebooks/claims.toml", ""),
            ("Cargo.toml", "[package.metadata.jupyter]\nlibrary = true\n"),
            (".cargo/config.toml", "[build]\njobs = 1\n"),
        ] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), text).unwrap();
        }
        let workspace = Workspace::at(root).unwrap();
        let config = root.join(".cargo/config.toml");
        let said = ensure_crates(&workspace).unwrap_err().to_string();
        assert!(said.contains("is yours") && said.contains("[patch.crates-io]\nworkbench-checks-list = "), "{said}");
        assert_eq!(std::fs::read_to_string(&config).unwrap(), "[build]\njobs = 1\n");
        let added = format!("[build]\njobs = 1\n{}", said.split_once("\n\n").unwrap().1);
        std::fs::write(&config, &added).unwrap();
        ensure_crates(&workspace).unwrap();
        assert_eq!(std::fs::read_to_string(&config).unwrap(), added);
        std::fs::write(&config, format!("{OURS}\nold")).unwrap();
        ensure_crates(&workspace).unwrap();
        assert!(std::fs::read_to_string(&config).unwrap().contains("workbench-ledger = { path = "));
    }

    #[test]
    fn a_manifest_loses_what_a_dependency_does_not_need() {
        let text = b"[package]\nname = \"a\"\n[dev-dependencies]\nx = \"1\"\n[[bench]]\nname = \"b\"\n[dependencies]\ny = \"1\"\n";
        let written = manifest_of_a_dependency("a/Cargo.toml", text);
        let manifest: toml::Table = std::str::from_utf8(&written).unwrap().parse().unwrap();
        assert_eq!(manifest.keys().collect::<Vec<_>>(), ["dependencies", "package"]);
        assert_eq!(manifest_of_a_dependency("a/src/lib.rs", b"x"), b"x");
    }
}
