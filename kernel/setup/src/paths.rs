//! Paths of the project: the workspace, its state folder, the results.
//!
//! A workspace is a checkout of this project, or a project of a reader's own: a cargo package that offers its library to notebooks
//! (`[package.metadata.jupyter]`) and has a registry in `notebooks/claims.toml`.

use std::path::{Path, PathBuf};

use workbench_record::is_checkout;

use workbench_base::error::{Error, Result};

/// The project and the folders in it that the front door uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Finds the workspace from `WORKBENCH_ROOT`, or from the current folder upward.
    pub fn find() -> Result<Self> {
        if let Some(root) = std::env::var_os("WORKBENCH_ROOT").filter(|root| !root.is_empty()) {
            return Self::at(Path::new(&root));
        }
        let here = std::env::current_dir()
            .map_err(|source| Error::io("read the current folder of", Path::new("."), source))?;
        Self::find_from(&here)
    }

    /// Finds the checkout, for a command that a reader's own project does not have.
    ///
    /// # Errors
    /// Around the current folder is no checkout, or another project.
    pub fn checkout(command: &str) -> Result<Self> {
        let workspace = Self::find()?;
        if !workspace.is_own() {
            return Ok(workspace);
        }
        let problem = format!(
            "`{command}` belongs to the repository of Workbench, and {} is a project of its own, which has new, run, verify, list, diff, \
             lint, export, site, certify, power, doc, lab, setup and doctor",
            workspace.root.display()
        );
        Err(Error::Asked(problem.into()))
    }

    /// Finds the workspace from `start` upward.
    pub fn find_from(start: &Path) -> Result<Self> {
        start
            .ancestors()
            .find(|folder| is_root(folder))
            .map(|root| Workspace { root: root.to_path_buf() })
            .ok_or_else(|| none(start))
    }

    /// The workspace at exactly `root`.
    pub fn at(root: &Path) -> Result<Self> {
        let root = root.canonicalize().map_err(|source| Error::io("open the workspace", root, source))?;
        if is_root(&root) { Ok(Workspace { root }) } else { Err(none(&root)) }
    }

    /// Root of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether it is a reader's own project, and not a checkout of this one.
    pub fn is_own(&self) -> bool {
        !is_checkout(&self.root)
    }

    /// Folder of the notebooks and of `claims.toml`.
    pub fn notebooks(&self) -> PathBuf {
        self.root.join("notebooks")
    }

    /// Folder of the committed tables.
    pub fn results(&self) -> PathBuf {
        self.notebooks().join("results")
    }

    /// State that can be deleted at any time: Python environment, logs, stamps.
    pub fn state(&self) -> PathBuf {
        self.root.join(".workbench")
    }

    /// The small Python environment with the public Jupyter clients that the tests use.
    pub fn clients(&self) -> PathBuf {
        self.state().join("clients")
    }

    /// The project's own Python environment.
    pub fn venv(&self) -> PathBuf {
        self.state().join("venv")
    }

    /// A program of the Python environment.
    pub fn venv_program(&self, name: &str) -> PathBuf {
        self.venv().join("bin").join(name)
    }

    /// Folder of our kernelspec inside the Python environment.
    pub fn kernelspec(&self) -> PathBuf {
        self.venv().join("share/jupyter/kernels").join(workbench_base::names::KERNEL_NAME)
    }

    /// Folder of build and kernel logs, made if it is missing. What programs say there is their user's alone, where the disk knows such
    /// rights.
    pub fn logs(&self) -> Result<PathBuf> {
        let logs = self.state().join("logs");
        std::fs::create_dir_all(&logs).map_err(|source| Error::io("make", &logs, source))?;
        // A build must not fail because its log can be read; JupyterLab, whose token is at stake, is not started then.
        let _ = workbench_base::private::make(&logs);
        Ok(logs)
    }
}

/// Folder of the running binary, which is where cargo puts the shared object and the ledger program too.
pub fn build_folder() -> Result<PathBuf> {
    let exe = this_binary()?;
    let mut folder = exe.parent().unwrap_or(Path::new(".")).to_path_buf();
    if folder.file_name().is_some_and(|name| name == "deps") {
        folder.pop();
    }
    Ok(folder)
}

/// Path of the running binary.
pub fn this_binary() -> Result<PathBuf> {
    std::env::current_exe()
        .map(|path| without_mark(&path))
        .map_err(|source| Error::io("find the running binary", Path::new("workbench"), source))
}

/// Path of the program that is the front door and the kernel: the one beside this program, which may be another of the project's.
pub fn kernel_binary() -> Result<PathBuf> {
    let beside = build_folder()?.join("workbench");
    if beside.is_file() { Ok(beside) } else { this_binary() }
}

/// A binary that a build has replaced while it runs is known to Linux as `NAME (deleted)`; the new one stands in its place.
fn without_mark(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    match text.strip_suffix(" (deleted)") {
        Some(place) if !path.exists() => PathBuf::from(place),
        _ => path.to_path_buf(),
    }
}

/// Name of the shared object that cells link.
pub const SHARED_OBJECT: &str = if cfg!(target_os = "macos") { "libworkbench.dylib" } else { "libworkbench.so" };

/// That there is no workspace, with what the nearest folder lacks that has a part of one.
fn none(from: &Path) -> Error {
    let lacks = from.ancestors().find_map(|folder| {
        let (claims, manifest) = (folder.join("notebooks/claims.toml"), folder.join("Cargo.toml"));
        let text = std::fs::read_to_string(&manifest);
        match (claims.is_file(), text.as_deref().map(str::parse::<toml::Table>)) {
            (false, Err(why)) if why.kind() == std::io::ErrorKind::PermissionDenied => Some(format!(
                "what is in {} is closed to this user; have its owner open it, or work in a clone of your own",
                folder.display()
            )),
            (true, Err(why)) => {
                Some(format!("{} cannot be read ({why}); restore it with git or from a copy", manifest.display()))
            }
            (true, Ok(Err(why))) => Some(format!("{} is damaged; correct it there:\n{why}", manifest.display())),
            (true, Ok(Ok(_))) => Some(format!(
                "{} does not offer its library to cells; write into it\n[package.metadata.jupyter]\nlibrary = true",
                manifest.display()
            )),
            (false, _) if offers_its_library(folder) => {
                Some(format!("{} is missing; restore it with git or from a copy", claims.display()))
            }
            (false, _) => None,
        }
    });
    const GO: &str = "change into the cloned repository or a project of your own (`workbench new project` begins one), or set \
                      WORKBENCH_ROOT to it";
    Error::NoWorkspace { from: from.to_path_buf(), hint: lacks.unwrap_or_else(|| GO.into()) }
}

fn is_root(folder: &Path) -> bool {
    is_checkout(folder) || is_own_project(folder)
}

fn is_own_project(folder: &Path) -> bool {
    folder.join("notebooks/claims.toml").is_file() && offers_its_library(folder)
}

/// The package of a reader's own project at `root`; nothing in a checkout.
pub fn own_package(root: &Path) -> Option<String> {
    if is_checkout(root) || !is_own_project(root) {
        return None;
    }
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
    Some(manifest.get("package")?.get("name")?.as_str()?.to_string())
}

/// Whether the package in a folder has its library loaded by notebooks.
pub fn offers_its_library(folder: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join("Cargo.toml")) else { return false };
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let asked = manifest.get("package").and_then(|package| package.get("metadata")?.get("jupyter")?.get("library"));
    asked.and_then(toml::Value::as_bool) == Some(true)
}

/// The crates that cells link, as folders below the root: the one that notebooks load, its rooms, and the record; of a reader's own project
/// its package.
pub fn crates(root: &Path) -> Vec<PathBuf> {
    if !is_checkout(root) && is_own_project(root) {
        return vec![PathBuf::new()];
    }
    let rooms = std::fs::read_dir(root.join("workbench")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = rooms
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| Path::new("workbench").join(entry.file_name()))
        .collect();
    found.push("workbench".into());
    found.push("kernel/record".into());
    found.sort();
    found
}

/// The rooms of the papers, as folders of `workbench/`: crates with a table from statement to item on their front page.
pub fn paper_rooms(root: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(root.join("workbench")).into_iter().flatten().flatten();
    let rooms = folders.filter(|entry| entry.path().join("statements.md").is_file());
    let mut found: Vec<String> = rooms.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    found
}

/// The folders of their code, on which the verdicts depend beside the notebooks themselves.
pub fn sources(root: &Path) -> Vec<PathBuf> {
    crates(root).into_iter().map(|folder| folder.join("src")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fake_root() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel"] {
            std::fs::create_dir_all(root.path().join(part)).unwrap();
            std::fs::write(root.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        root
    }

    #[test]
    fn found_from_a_folder_below() {
        let root = fake_root();
        let deep = root.path().join("notebooks/results");
        std::fs::create_dir_all(&deep).unwrap();
        let found = Workspace::find_from(&deep).unwrap();
        assert_eq!(found.root(), root.path());
        assert_eq!(found.results(), deep);
    }

    #[test]
    fn a_package_with_a_library_for_notebooks_and_a_registry_is_a_project_of_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("notebooks")).unwrap();
        std::fs::write(root.join("notebooks/claims.toml"), "").unwrap();
        std::fs::write(root.join("Cargo.toml"), "[package]\nname = \"p\"\n").unwrap();
        let said = |root: &Path| Workspace::find_from(root).unwrap_err().to_string();
        assert!(said(root).contains("[package.metadata.jupyter]\nlibrary = true"), "it offers no library");
        std::fs::write(root.join("Cargo.toml"), "[package\n").unwrap();
        assert!(said(root).contains("Cargo.toml is damaged") && said(root).contains("line 1"), "{}", said(root));
        std::fs::write(root.join("Cargo.toml"), "[package.metadata.jupyter]\nlibrary = true\n").unwrap();
        let own = Workspace::find_from(&root.join("notebooks")).unwrap();
        assert!(own.is_own());
        std::fs::rename(root.join("notebooks/claims.toml"), root.join("notebooks/moved")).unwrap();
        assert!(said(root).contains("claims.toml is missing; restore it"), "{}", said(root));
        std::fs::rename(root.join("notebooks/moved"), root.join("notebooks/claims.toml")).unwrap();
        assert_eq!(sources(own.root()), [PathBuf::from("src")]);
        assert!(!Workspace::find_from(fake_root().path()).unwrap().is_own());
    }

    #[test]
    fn a_binary_that_was_replaced_is_found_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("workbench");
        assert_eq!(without_mark(&folder.path().join("workbench (deleted)")), path);
        assert_eq!(without_mark(&path), path);
    }

    #[test]
    fn outside_a_workspace_says_what_to_do() {
        let elsewhere = tempfile::tempdir().unwrap();
        let error = Workspace::find_from(elsewhere.path()).unwrap_err();
        assert!(error.to_string().contains("WORKBENCH_ROOT"), "{error}");
        let error = Workspace::at(elsewhere.path()).unwrap_err();
        assert!(matches!(error, Error::NoWorkspace { .. }), "{error}");
    }
}
