//! Artifacts of a build, by cargo's own account: libraries, and where the linker finds what they need of the system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::library::integrity::is_complete;
use crate::library::interface::Interface;
use crate::library::prebuilt::SYSROOT;

/// A library that cargo built.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Artifact {
    /// Its version.
    pub version: semver::Version,
    /// The features that it was built with.
    #[serde(default)]
    pub features: Vec<String>,
    /// Its files.
    pub files: Vec<PathBuf>,
}

/// Every library of the build, by crate name.
pub(super) type Artifacts = BTreeMap<String, Artifact>;

/// Whether a frozen folder still holds what was put there: every file, with the length of the one it stands for.
pub(super) fn is_intact(folder: &Path, artifacts: &Artifacts, interface: Option<&Interface>) -> bool {
    let length = |file: &Path| file.metadata().map(|m| m.len()).ok();
    let linked = artifacts.values().flat_map(|a| &a.files).all(|file| {
        file.file_name().is_some_and(|name| length(file).is_some() && length(&folder.join(name)) == length(file))
    });
    linked
        && is_complete(&folder.join("libevcxr_cell.rlib"))
        && folder.join(SYSROOT).is_dir()
        && interface.is_none_or(|interface| is_complete(&interface.file))
}

/// Notes the files of a library that cargo reports.
pub(super) fn collect(message: &Value, artifacts: &mut Artifacts) {
    let Some(name) = message["target"]["name"].as_str() else {
        return;
    };
    let is_library = message["target"]["kind"]
        .as_array()
        .is_some_and(|kinds| kinds.iter().any(|k| matches!(k.as_str(), Some("lib" | "rlib" | "dylib" | "proc-macro"))));
    let files: Vec<PathBuf> = message["filenames"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(PathBuf::from)
        .filter(|f| f.extension().is_some_and(|e| e == "rlib" || e == "rmeta" || e == "so"))
        .collect();
    if !is_library || files.is_empty() {
        return;
    }
    // A second version of a crate goes under a name of its own: its files are needed, its name is not offered.
    let mut name = name.replace('-', "_");
    while artifacts.contains_key(&name) {
        name.push('+');
    }
    let version = message["package_id"]
        .as_str()
        .and_then(|id| id.rsplit(['#', '@']).next())
        .and_then(|v| semver::Version::parse(v).ok())
        .unwrap_or(semver::Version::new(0, 0, 0));
    let features = message["features"].as_array().into_iter().flatten();
    let features = features.filter_map(|feature| feature.as_str().map(str::to_owned)).collect();
    artifacts.insert(name, Artifact { version, features, files });
}

/// The folders in which a build script has the linker look for libraries.
pub(super) fn search_paths(message: &Value) -> impl Iterator<Item = PathBuf> {
    let paths = message["linked_paths"].as_array().into_iter().flatten();
    paths.filter_map(|path| {
        let path = path.as_str()?;
        let (kind, folder) = path.split_once('=').unwrap_or(("all", path));
        matches!(kind, "native" | "all").then(|| PathBuf::from(folder))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_native_libraries_are_taken() {
        let message = serde_json::json!({"linked_paths": ["native=/n", "/plain", "dependency=/d", "framework=/f"]});
        let paths: Vec<PathBuf> = search_paths(&message).collect();
        assert_eq!(paths, [PathBuf::from("/n"), PathBuf::from("/plain")]);
        assert_eq!(search_paths(&serde_json::json!({})).count(), 0);
    }
}
