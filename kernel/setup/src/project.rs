//! Project that a kernel serves: the library that its cells have at hand, and where what kernels need is kept.
//!
//! A kernel serves the nearest of these around the folder that it starts in:
//!
//! | around it | cells have at hand | kept in |
//! | --- | --- | --- |
//! | a cargo package with `[package.metadata.jupyter]` and `library = true` | its library, by its own lock file and profile | the user's cache |
//! | a checkout of this project | the crate `workbench` | `.workbench/` of the checkout |
//! | neither | nothing but what they ask for with `:dep` | the user's cache |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cargo::real_cargo;
use crate::features;
use crate::paths::{crates, offers_its_library};
use crate::toolchain;
use workbench_base::fingerprint::fingerprint;
use workbench_base::names::CRATE;

/// The library of cells that ask for none: an empty one, which carries the standard library.
const EMPTY: &str = "notebook_without_library";
const EMPTY_MANIFEST: &str = "[package]\nname = \"notebook_without_library\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                              [profile.dev]\ndebug = false\n";

/// Whose library it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// This project's own: `workbench`, with features that cells may ask for.
    Checkout,
    /// A reader's cargo package.
    Package,
    /// Nobody's: it is empty.
    Nobody,
}

/// The library that cells link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Its name in Rust.
    pub name: String,
    /// The package that it is of.
    pub package: String,
    /// The folder of the package's `Cargo.toml`.
    pub folder: PathBuf,
    /// Whose it is.
    pub owner: Owner,
}

/// The project that a kernel serves.
#[derive(Debug, Clone)]
pub struct Project {
    /// Folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// What cells have at hand.
    pub library: Library,
    target: PathBuf,
    /// Why it cannot be served, for the first cell to say.
    trouble: Option<String>,
}

impl Project {
    /// The checkout at `root`.
    pub fn checkout(root: &Path) -> Project {
        let folder = root.join(CRATE);
        let trouble = (!folder.join("Cargo.toml").is_file()).then(|| {
            format!(
                "{} is not a Workbench checkout, so there is no crate for cells to use: set WORKBENCH_ROOT to the folder of one, or \
                 take it away, and cells use what `:dep` asks for",
                root.display()
            )
        });
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        let library = Library { name: CRATE.into(), package: CRATE.into(), folder, owner: Owner::Checkout };
        Project { root: root.to_path_buf(), library, target, trouble }
    }

    /// The project at `root`: a package that offers its library, or else a checkout.
    pub fn at(root: &Path) -> Project {
        if offers_its_library(root) { Project::package(root) } else { Project::checkout(root) }
    }

    /// The project around `from`, or the one named by `WORKBENCH_ROOT`. What it cannot serve, the first cell says: a kernel that
    /// died would leave the reader with nothing.
    pub fn find(from: &Path) -> Project {
        if let Some(root) = std::env::var_os("WORKBENCH_ROOT") {
            return Project::at(Path::new(&root));
        }
        let from = from.canonicalize().unwrap_or_else(|_| from.to_path_buf());
        for folder in from.ancestors() {
            if offers_its_library(folder) {
                return Project::package(folder);
            }
            if folder.join(CRATE).join("Cargo.toml").is_file() && folder.join("Cargo.lock").is_file() {
                return Project::checkout(folder);
            }
        }
        Project::empty()
    }

    /// The cargo package in `folder`.
    fn package(folder: &Path) -> Project {
        let unusable = |trouble: String| Project {
            root: folder.to_path_buf(),
            library: Library {
                name: EMPTY.into(),
                package: EMPTY.into(),
                folder: folder.to_path_buf(),
                owner: Owner::Package,
            },
            target: folder.join("target"),
            trouble: Some(trouble),
        };
        let manifest = folder.join("Cargo.toml");
        let asked = real_cargo()
            .args(["metadata", "--no-deps", "--format-version=1"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .output();
        let metadata: Value = match asked {
            Ok(output) if output.status.success() => serde_json::from_slice(&output.stdout).unwrap_or_default(),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                return unusable(format!("cargo cannot read {}:\n{}", manifest.display(), said.trim()));
            }
            Err(_) => return unusable(toolchain::NONE.to_owned()),
        };
        let of_folder = |package: &&Value| {
            let path = package["manifest_path"].as_str().map(Path::new).and_then(|path| path.canonicalize().ok());
            path.is_some() && path == manifest.canonicalize().ok()
        };
        let package = metadata["packages"].as_array().into_iter().flatten().find(of_folder);
        let is_library = |target: &&Value| {
            target["kind"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("lib")))
        };
        let library = package.and_then(|package| {
            let target = package["targets"].as_array()?.iter().find(is_library)?;
            Some(Library {
                name: target["name"].as_str()?.replace('-', "_"),
                package: package["name"].as_str()?.to_owned(),
                folder: folder.to_path_buf(),
                owner: Owner::Package,
            })
        });
        let path = |key: &str| metadata[key].as_str().map(PathBuf::from);
        match (library, path("workspace_root"), path("target_directory")) {
            (Some(library), Some(root), Some(target)) => Project { root, library, target, trouble: None },
            _ => unusable(format!(
                "{} asks for a library in cells (`[package.metadata.jupyter]`), and the package has none: write one in src/lib.rs, or take it back \
                 from version control; a package without a library asks for none",
                manifest.display()
            )),
        }
    }

    /// No library: cells use what they ask for.
    fn empty() -> Project {
        let root = cache().join("without-library");
        let write = |file: &str, text: &str| {
            let path = root.join(file);
            match fs::read_to_string(&path).is_ok_and(|old| old == text) {
                true => Ok(()),
                false => workbench_record::atomic::write(&path, text.as_bytes()),
            }
        };
        let written = fs::create_dir_all(root.join("src"))
            .and_then(|()| write("Cargo.toml", EMPTY_MANIFEST))
            .and_then(|()| write("src/lib.rs", "//! Nothing: a notebook outside of a project with a library.\n"));
        let trouble = written.err().map(|cause| {
            format!(
                "{} cannot be written ({cause}), and cells are compiled there: set XDG_CACHE_HOME to a folder that can be",
                root.display()
            )
        });
        let library = Library { name: EMPTY.into(), package: EMPTY.into(), folder: root.clone(), owner: Owner::Nobody };
        Project { target: root.join("target"), root, library, trouble }
    }

    /// What speaks against serving it.
    ///
    /// # Errors
    /// Why, and what to do.
    pub fn usable(&self) -> Result<(), String> {
        self.trouble.clone().map_or(Ok(()), Err)
    }

    /// Where cargo puts what it builds.
    pub fn target(&self) -> PathBuf {
        self.target.clone()
    }

    /// Where a build leaves what it made.
    pub fn built(&self) -> PathBuf {
        self.target.join("debug")
    }

    /// The file of the library.
    pub fn shared_object(&self) -> String {
        format!("lib{}.so", self.library.name)
    }

    /// The library as messages call it.
    pub fn told(&self) -> String {
        match self.library.owner {
            Owner::Checkout => "the workbench crate".to_owned(),
            Owner::Package => format!("the library `{}`", self.library.name),
            Owner::Nobody => "what cells are linked with".to_owned(),
        }
    }

    /// Where what kernels need is kept: in the checkout, or where that cannot be written, and for any other project, in the user's cache.
    pub fn state(&self) -> PathBuf {
        let own = self.root.join(".workbench");
        let ours = self.library.owner == Owner::Checkout;
        if ours && fs::create_dir_all(&own).is_ok() && tempfile::tempfile_in(&own).is_ok() {
            return own;
        }
        cache().join(format!("{:016x}", fingerprint(self.library.folder.as_os_str().as_encoded_bytes())))
    }

    /// The folders of the packages whose sources the library is compiled from, below the root, as far as they are known before a build.
    pub(super) fn packages(&self) -> Vec<PathBuf> {
        match self.library.owner {
            Owner::Checkout => crates(&self.root),
            _ => vec![self.library.folder.strip_prefix(&self.root).unwrap_or(&self.library.folder).to_path_buf()],
        }
    }

    /// The build of the library, with messages that a program reads.
    pub fn cargo_build(&self) -> Command {
        let mut cargo = real_cargo();
        match self.library.owner {
            Owner::Checkout => {
                cargo.args(["build", "--offline"]).args(features::package_args(&self.root));
            }
            owner => {
                cargo.args(["rustc", "--package", &self.library.package, "--lib", "--crate-type", "dylib"]);
                if owner == Owner::Nobody {
                    cargo.arg("--offline");
                }
            }
        }
        cargo.arg("--message-format=json-render-diagnostics").current_dir(&self.root);
        cargo
    }
}

/// The folder of this program in the user's cache.
pub fn cache() -> PathBuf {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    cache.unwrap_or_else(std::env::temp_dir).join("workbench")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_package_that_offers_its_library_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("my-notes");
        let inside = package.join("notebooks");
        fs::create_dir_all(&inside).unwrap();
        let manifest = "[package]\nname = \"my-notes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
        fs::write(package.join("Cargo.toml"), manifest).unwrap();
        assert!(!offers_its_library(&package));
        fs::write(package.join("Cargo.toml"), format!("{manifest}\n[package.metadata.jupyter]\nlibrary = true\n"))
            .unwrap();
        assert!(offers_its_library(&package));
        let without = Project::package(&package);
        assert!(without.usable().is_err(), "cargo refuses a package without a target");
        fs::create_dir_all(package.join("src")).unwrap();
        fs::write(package.join("src/main.rs"), "fn main() {}\n").unwrap();
        let said = Project::package(&package).usable().unwrap_err();
        assert!(said.contains("the package has none: write one in src/lib.rs"), "{said}");
        fs::write(package.join("src/lib.rs"), "").unwrap();
        let project = Project::package(&package);
        assert!(project.usable().is_ok());
        assert_eq!((project.library.name.as_str(), project.library.package.as_str()), ("my_notes", "my-notes"));
        assert_eq!(project.shared_object(), "libmy_notes.so");
        assert_eq!(project.packages(), [PathBuf::from("")]);
        assert!(
            project.state().ends_with(project.state().file_name().unwrap()) && !project.state().starts_with(&package)
        );
    }

    #[test]
    fn a_root_without_a_crate_says_what_to_set() {
        let folder = tempfile::tempdir().unwrap();
        let said = Project::checkout(folder.path()).usable().unwrap_err();
        assert!(said.contains("is not a Workbench checkout") && said.contains("WORKBENCH_ROOT"), "{said}");
    }
}
