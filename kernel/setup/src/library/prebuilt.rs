//! Prebuilt crates that cells may link: the description that a kernel leaves in its folder for the compiler calls.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::library::interface::Interface;

/// Folder of the toolchain's libraries without the dynamic standard library.
pub const SYSROOT: &str = "sysroot";

/// A folder of prebuilt crates that a kernel's cells link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prebuilt {
    /// Where the files are.
    pub folder: PathBuf,
    /// The folder of the project's workspace.
    pub root: PathBuf,
    /// The folder of the project's library, the only `path` that resolves here.
    pub crate_dir: PathBuf,
    /// The name of the library.
    pub library: String,
    /// Whether cells have it without a `:dep` line.
    pub at_hand: bool,
    /// The target folder of this project's build, as the kernel found it: evcxr names its own to cargo.
    pub target: PathBuf,
    /// Crates that cells may name, by crate name.
    pub crates: BTreeMap<String, Linked>,
    /// A quicker way to link, where there is one.
    pub interface: Option<Interface>,
    /// Digest of the compiler, of what it has to know of this project's crate, and of the cells' runtime.
    pub identity: String,
    /// Where compiled cells are kept.
    pub kept: PathBuf,
    /// Where the linker finds what the crates need of the system.
    #[serde(default)]
    pub search: Vec<PathBuf>,
    /// Variables that every build of the crates is given.
    #[serde(default)]
    pub environment: Vec<(String, String)>,
}

/// How a cell is linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Against the interface: all symbols are the compiler's, so all of them will be found.
    Quick,
    /// Against the libraries themselves: a symbol that nobody has ends the build, where it would end the process for cells.
    Full,
}

/// A prebuilt crate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// The file to link.
    pub file: PathBuf,
    /// Its version.
    pub version: semver::Version,
    /// The features that it was built with.
    #[serde(default)]
    pub features: Vec<String>,
}

impl Prebuilt {
    fn file(dir: &Path) -> PathBuf {
        dir.join("prebuilt.json")
    }

    /// Reads the description that a kernel wrote into its folder.
    pub fn load(dir: &Path) -> Result<Prebuilt> {
        let path = Self::file(dir);
        let bytes = fs::read(&path)
            .with_context(|| format!("the kernel's build folder is gone ({}): restart the kernel", path.display()))?;
        serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged: restart the kernel", path.display()))
    }

    /// Writes the description into a kernel's own folder.
    pub fn save(&self, dir: &Path) -> Result<()> {
        fs::write(Self::file(dir), serde_json::to_vec(self)?)?;
        Ok(())
    }

    /// Whether a dependency written as `name = spec` is one of the prebuilt crates. A version that the lock file does
    /// not have, another source or a choice of features is for cargo. Features of this project's crate are seen to before
    /// (`lacks` of the session).
    pub fn serves(&self, name: &str, spec: &toml::Value) -> bool {
        let Some(linked) = self.crates.get(&name.replace('-', "_")) else {
            return false;
        };
        if let Some(path) = spec.get("path").and_then(toml::Value::as_str) {
            return Path::new(path).canonicalize().is_ok_and(|p| p == self.crate_dir);
        }
        let other = ["git", "features", "default-features", "package", "registry"];
        let version = spec.as_str().or_else(|| spec.get("version").and_then(toml::Value::as_str));
        name.replace('-', "_") != self.library
            && other.iter().all(|key| spec.get(key).is_none())
            && version.is_some_and(|v| semver::VersionReq::parse(v).is_ok_and(|req| req.matches(&linked.version)))
    }

    /// What tells the crate `name` from another build of it. This project's own crate is part of the folder's identity.
    pub fn identity_of(&self, name: &str) -> Option<String> {
        let name = name.replace('-', "_");
        let file = &self.crates.get(&name)?.file;
        if name == self.library {
            return Some(name);
        }
        let meta = file.metadata().ok()?;
        Some(format!("{} {} {:?}", file.file_name()?.display(), meta.len(), meta.modified().ok()?))
    }

    /// Arguments that let rustc find the crates `names` and the cell's runtime, and link them.
    pub fn rustc_args(&self, names: &[String], link: Link) -> Vec<String> {
        let interface = self.interface.as_ref().filter(|_| link == Link::Quick);
        let mut args = vec![
            "--sysroot".to_owned(),
            self.folder.join(SYSROOT).display().to_string(),
            "-L".to_owned(),
            format!("dependency={}", self.folder.display()),
            "--extern".to_owned(),
            format!("evcxr_cell={}", self.folder.join("libevcxr_cell.rlib").display()),
        ];
        for folder in &self.search {
            args.push("-L".to_owned());
            args.push(format!("native={}", folder.display()));
        }
        for name in names {
            let name = name.replace('-', "_");
            if let Some(linked) = self.crates.get(&name) {
                let file = interface.filter(|_| name == self.library).map_or(&linked.file, |i| &i.file);
                args.push("--extern".to_owned());
                args.push(format!("{name}={}", file.display()));
            }
        }
        match interface {
            Some(interface) => {
                args.extend(interface.rustc_args(names.iter().any(|name| name.replace('-', "_") == self.library)))
            }
            None => args.push("-Clink-arg=-Wl,-z,defs".to_owned()),
        }
        args
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(name: &str, file: PathBuf) -> (String, Linked) {
        (name.to_owned(), Linked { file, version: semver::Version::new(0, 17, 2), features: Vec::new() })
    }

    fn prebuilt(dir: &Path) -> Prebuilt {
        Prebuilt {
            folder: dir.into(),
            root: dir.into(),
            library: "workbench".to_owned(),
            at_hand: false,
            crate_dir: dir.canonicalize().unwrap(),
            target: dir.join("target"),
            crates: [
                linked("workbench", dir.join("libworkbench.so")),
                linked("ndarray", dir.join("libndarray-1.rlib")),
            ]
            .into(),
            interface: None,
            identity: "a digest".to_owned(),
            kept: dir.join("cells"),
            search: vec!["/native".into()],
            environment: Vec::new(),
        }
    }

    #[test]
    fn only_this_projects_crate_is_served_by_path() {
        let here = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let prebuilt = prebuilt(here.path());
        let spec = |text: &str| text.parse::<toml::Table>().unwrap().remove("d").unwrap();
        let path = |p: &Path| spec(&format!("d = {{ path = {:?} }}", p.display().to_string()));
        assert!(prebuilt.serves("workbench", &path(here.path())));
        assert!(!prebuilt.serves("workbench", &path(elsewhere.path())));
        assert!(prebuilt.serves("ndarray", &spec("d = '0.17'")));
        assert!(prebuilt.serves("ndarray", &spec("d = { version = '0.17.1' }")));
        assert!(!prebuilt.serves("ndarray", &spec("d = '0.16'")));
        assert!(!prebuilt.serves("ndarray", &spec("d = { version = '0.17', features = ['serde'] }")));
        assert!(!prebuilt.serves("left-pad", &spec("d = '1'")));
    }

    #[test]
    fn the_linker_looks_where_the_build_did() {
        let dir = tempfile::tempdir().unwrap();
        for link in [Link::Quick, Link::Full] {
            let args = prebuilt(dir.path()).rustc_args(&["workbench".to_owned()], link);
            assert!(args.iter().any(|arg| arg == "native=/native"), "{args:?}");
        }
    }

    #[test]
    fn a_missing_build_folder_asks_for_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let message = Prebuilt::load(dir.path()).unwrap_err().to_string();
        assert!(message.contains("restart the kernel"), "{message}");
    }

    #[test]
    fn a_description_survives_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let prebuilt = prebuilt(dir.path());
        prebuilt.save(dir.path()).unwrap();
        assert_eq!(Prebuilt::load(dir.path()).unwrap(), prebuilt);
    }
}
