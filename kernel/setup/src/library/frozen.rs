//! The folder that a build is frozen in for kernels: links to its files, a sysroot for cells, and the cells' runtime.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use workbench_record::digest::Digest;

use crate::features::Features;
use crate::library::interface::metadata_of;
use crate::library::prebuilt::Prebuilt;
use crate::library::sources::Sources;
use crate::project::Project;
use crate::toolchain;
use workbench_base::scratch::Scratch;

/// The sources of the cells' runtime, under the names that they have in a frozen folder.
pub(super) const RUNTIME: [(&str, &str); 2] =
    [("evcxr_cell.rs", include_str!("runtime/cell.rs")), ("store.rs", include_str!("runtime/store.rs"))];

/// A frozen build, kept from being removed while this value lives.
#[derive(Debug)]
pub struct Frozen {
    /// What cells link.
    pub prebuilt: Prebuilt,
    /// Where the process for cells finds what the crate loads, beside the usual places.
    pub load: Vec<PathBuf>,
    /// Where the compiler's own libraries are.
    pub libraries: PathBuf,
    pub(super) sources: Sources,
    pub(super) rustc: PathBuf,
    pub(super) compiler: String,
    pub(super) _in_use: File,
}

impl Frozen {
    /// Whether what cells link is still there; someone may have deleted `.workbench/`.
    pub fn is_there(&self) -> bool {
        self.prebuilt.folder.join("complete").is_file()
    }

    /// Whether the compiler is no longer the one that built this.
    pub fn has_another_compiler(&self) -> bool {
        toolchain::fingerprint(&self.rustc) != self.compiler
    }

    /// The features of the crate.
    pub fn features(&self) -> Features {
        let linked = self.prebuilt.crates.get(&self.prebuilt.library);
        linked.into_iter().flat_map(|linked| linked.features.clone()).collect()
    }

    /// A source or the lock file of `project`, if it has changed since this build.
    pub fn outdated_by(&self, project: &Project) -> Option<PathBuf> {
        self.sources.changed(project)
    }
}

/// A digest of all that a compiled cell depends on beside its text: the compiler, what it has to know of the crate, the runtime.
pub(super) fn identity_of(object: &Path, rustc: &Path) -> Result<String> {
    let version =
        Command::new(rustc).arg("-vV").output().with_context(|| format!("could not run {}", rustc.display()))?;
    let mut digest = Digest::default();
    digest.add(version.stdout);
    digest.add(metadata_of(object)?);
    for (name, source) in RUNTIME {
        digest.add(name);
        digest.add(source);
    }
    Ok(digest.finish())
}

/// Takes a lock file, waiting for whoever has it.
pub(super) fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("could not write {}", path.display()))?;
    file.lock()?;
    Ok(file)
}

/// Removes frozen builds that no live kernel uses.
pub(super) fn collect_garbage(root: &Path, keep: &str) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path();
        if !path.is_dir() || entry.file_name() == keep {
            continue;
        }
        let unused = match File::open(path.join("in-use")) {
            Ok(file) => file.try_lock().is_ok(),
            Err(_) => true,
        };
        if unused {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// A folder of a kernel's own: the temporary one of the system, or where that runs no programs, one among what is kept for the project.
pub fn working_folder(state: &Path) -> Result<Scratch> {
    let mut place = std::env::temp_dir();
    if !workbench_machine::runs_programs(&place) {
        place = state.join("tmp");
    }
    fs::create_dir_all(&place)
        .and_then(|()| Scratch::make(&place, "workbench-kernel-", ""))
        .with_context(|| {
            format!(
                "could not create the kernel's build folder in {}: is the disk full, or does it know no locks? `TMPDIR` names another place",
                place.display()
            )
        })
}

/// Links a file into a folder, or copies it.
pub(super) fn link(file: &Path, folder: &Path) -> Result<()> {
    let Some(name) = file.file_name() else {
        return Ok(());
    };
    let to = folder.join(name);
    if to.exists() {
        return Ok(());
    }
    // Another file system refuses hard links.
    fs::hard_link(file, &to)
        .or_else(|_| fs::copy(file, &to).map(|_| ()))
        .with_context(|| format!("could not link {} into {}", file.display(), folder.display()))
}

/// The shared object carries the standard library. rustc would also link the toolchain's dynamic one because it is
/// there, and refuse to have both, so cells see a sysroot without it. Returns the folders of the toolchain's own tools and libraries.
pub(super) fn link_sysroot(rustc: &Path, to: &Path) -> Result<(PathBuf, PathBuf)> {
    let print = |what: &str| -> Result<PathBuf> {
        let output = Command::new(rustc)
            .args(["--print", what])
            .output()
            .with_context(|| format!("could not run {}", rustc.display()))?;
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    };
    let real = print("sysroot")?;
    let libraries = print("target-libdir")?;
    let inside = libraries
        .strip_prefix(&real)
        .with_context(|| format!("{} is not inside {}", libraries.display(), real.display()))?;
    let folder = to.join(inside);
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(&libraries)? {
        let path = entry?.path();
        if path.extension().is_none_or(|e| e != "so")
            && let Some(name) = path.file_name()
        {
            std::os::unix::fs::symlink(&path, folder.join(name))?;
        }
    }
    let tools = libraries.with_file_name("bin");
    if tools.is_dir() {
        std::os::unix::fs::symlink(&tools, folder.with_file_name("bin"))?;
    }
    Ok((tools, libraries))
}

/// Compiles the cells' runtime into a frozen folder.
pub(super) fn compile_cell_runtime(rustc: &Path, folder: &Path) -> Result<()> {
    for (name, source) in RUNTIME {
        fs::write(folder.join(name), source)?;
    }
    let source = folder.join(RUNTIME[0].0);
    let output = Command::new(rustc)
        .args(["--crate-name=evcxr_cell", "--crate-type=rlib", "--edition=2024", "-Copt-level=2"])
        .args(["-Cdebuginfo=0", "-Cpanic=unwind"])
        .arg("--out-dir")
        .arg(folder)
        .arg(&source)
        .output()
        .with_context(|| format!("could not run {}", rustc.display()))?;
    if !output.status.success() {
        bail!(
            "the cell runtime does not compile with {}: {}",
            rustc.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// What the store calls in the cells' runtime.
#[cfg(test)]
fn protocol(_line: &str) {}

#[cfg(test)]
#[path = "runtime/store.rs"]
#[allow(dead_code)]
mod store;

#[cfg(test)]
mod tests {
    use super::store::VariableStore;

    #[test]
    fn variables_are_kept_by_name_and_type() {
        let mut store = VariableStore::default();
        store.put_variable("v", vec![1.5]);
        assert!(store.check_variable::<Vec<f64>>("v") && store.check_variable::<u8>("absent"));
        assert!(!store.check_variable::<Vec<f32>>("v"));
        let taken: Vec<f64> = store.take_variable("v");
        store.put_variable("v", taken.len());
        assert_eq!(store.take_variable::<usize>("v"), 1);
    }

    #[test]
    fn what_a_cell_makes_for_itself_outlives_it() {
        let mut store = VariableStore::default();
        let first = store.lazy_arc("runtime", || String::from("first"));
        let second = store.lazy_arc("runtime", || String::from("second"));
        assert_eq!((first.as_str(), second.as_str()), ("first", "second"));
        let kept = std::sync::Arc::downgrade(&first);
        drop(first);
        assert_eq!(kept.upgrade().as_deref().map(String::as_str), Some("first"));
    }
}
