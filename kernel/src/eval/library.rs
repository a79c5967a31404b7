//! What cells link: this project's crate as one shared object, and a frozen copy of it for each live kernel.
//!
//! A rebuild of the crate must not reach a kernel that has the old code in memory, or two versions would meet in
//! one process. Each kernel therefore links from a folder of hard links made when it started (no copies: the same
//! files under other names), and notices when the sources have moved on.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

const CRATE: &str = "workbench";
const SHARED_OBJECT: &str = "libworkbench.so";
/// Folder of the toolchain's libraries without the dynamic standard library.
const SYSROOT: &str = "sysroot";
const CELL_SOURCE: &str = include_str!("runtime/cell.rs");

/// A folder of prebuilt crates that a kernel's cells link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prebuilt {
    /// Where the files are.
    pub folder: PathBuf,
    /// The folder of this project's crate, the only `path` that resolves here.
    pub crate_dir: PathBuf,
    /// Crates that cells may name, by crate name, with their file.
    pub crates: BTreeMap<String, PathBuf>,
}

impl Prebuilt {
    fn file(dir: &Path) -> PathBuf {
        dir.join("prebuilt.json")
    }

    /// Reads the description that a kernel wrote into its folder.
    pub fn load(dir: &Path) -> Result<Prebuilt> {
        let path = Self::file(dir);
        let bytes = fs::read(&path).with_context(|| {
            format!(
                "the kernel's build folder is gone ({}): restart the kernel",
                path.display()
            )
        })?;
        serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged: restart the kernel", path.display()))
    }

    /// Writes the description into a kernel's own folder.
    pub fn save(&self, dir: &Path) -> Result<()> {
        fs::write(Self::file(dir), serde_json::to_vec(self)?)?;
        Ok(())
    }

    /// Whether a dependency written as `name = spec` is one of the prebuilt crates.
    pub fn serves(&self, name: &str, spec: &toml::Value) -> bool {
        if !self.crates.contains_key(&name.replace('-', "_")) {
            return false;
        }
        match spec.get("path").and_then(toml::Value::as_str) {
            Some(path) => Path::new(path).canonicalize().is_ok_and(|p| p == self.crate_dir),
            None => spec.get("git").is_none() && name != CRATE,
        }
    }

    /// Arguments that let rustc find the crates `names` and the cell's runtime.
    pub fn rustc_args(&self, names: &[String]) -> Vec<String> {
        let mut args = vec![
            "--sysroot".to_owned(),
            self.folder.join(SYSROOT).display().to_string(),
            "-L".to_owned(),
            format!("dependency={}", self.folder.display()),
            "--extern".to_owned(),
            format!("evcxr_cell={}", self.folder.join("libevcxr_cell.rlib").display()),
        ];
        for name in names {
            let name = name.replace('-', "_");
            if let Some(file) = self.crates.get(&name) {
                args.push("--extern".to_owned());
                args.push(format!("{name}={}", file.display()));
            }
        }
        args
    }
}

/// The project that a kernel serves, and its build.
#[derive(Debug, Clone)]
pub struct Project {
    /// Folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
}

/// Called with a line about each step of a build.
pub type Progress<'a> = &'a mut dyn FnMut(&str);

impl Project {
    /// The project around `from`, or the one named by `WORKBENCH_ROOT`.
    pub fn find(from: &Path) -> Result<Project> {
        if let Some(root) = std::env::var_os("WORKBENCH_ROOT") {
            return Ok(Project {
                root: PathBuf::from(root),
            });
        }
        let from = from.canonicalize().unwrap_or_else(|_| from.to_path_buf());
        from.ancestors()
            .find(|dir| dir.join("workbench/Cargo.toml").is_file() && dir.join("Cargo.lock").is_file())
            .map(|dir| Project { root: dir.to_path_buf() })
            .with_context(|| {
                format!(
                    "{} is not inside a Workbench checkout: start the kernel from the project's folder, or set WORKBENCH_ROOT",
                    from.display()
                )
            })
    }

    fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.root.join("target"), |dir| self.root.join(dir))
            .join("debug")
    }

    fn state(&self) -> PathBuf {
        self.root.join(".workbench")
    }

    /// Time of the newest source of the crate.
    pub fn newest_source(&self) -> Option<(SystemTime, PathBuf)> {
        let mut newest: Option<(SystemTime, PathBuf)> = None;
        let mut folders = vec![self.root.join("workbench/src")];
        let mut files = vec![self.root.join("workbench/Cargo.toml"), self.root.join("Cargo.lock")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                    Ok(_) => files.push(entry.path()),
                    Err(_) => {}
                }
            }
        }
        for file in files {
            if let Ok(time) = file.metadata().and_then(|m| m.modified())
                && newest.as_ref().is_none_or(|(t, _)| time > *t)
            {
                newest = Some((time, file));
            }
        }
        newest
    }

    /// Builds what is missing or stale and freezes it for a kernel.
    pub fn freeze(&self, rustc: &Path, progress: Progress<'_>) -> Result<Frozen> {
        let artifacts = self.artifacts(progress)?;
        let object = artifacts
            .get(CRATE)
            .and_then(|files| files.iter().find(|f| f.ends_with(SHARED_OBJECT)))
            .context("cargo did not report libworkbench.so: run `cargo build --workspace` and look at its messages")?;
        let built = object.metadata()?.modified()?;
        let key = key_of(object, rustc)?;
        let frozen_root = self.state().join("frozen");
        fs::create_dir_all(&frozen_root)?;
        let _guard = lock(&frozen_root.join("lock"))?;
        collect_garbage(&frozen_root, &key);
        let folder = frozen_root.join(&key);
        let finished = folder.join("complete");
        if !finished.is_file() {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder)?;
            for file in artifacts.values().flatten() {
                link(file, &folder)?;
            }
            link_sysroot(rustc, &folder.join(SYSROOT))?;
            compile_cell_runtime(rustc, &folder)?;
            File::create(&finished)?;
        }
        let in_use = File::create(folder.join("in-use"))?;
        in_use.lock_shared()?;
        let mut crates = BTreeMap::new();
        for (name, files) in &artifacts {
            // Two versions under one name: which one is meant is for cargo to say.
            if artifacts.contains_key(&format!("{name}+")) {
                continue;
            }
            if let Some(file) = files
                .iter()
                .find(|f| f.extension().is_some_and(|e| e == "so") && name == CRATE)
                .or_else(|| files.iter().find(|f| f.extension().is_some_and(|e| e == "rlib")))
                .and_then(|f| f.file_name())
            {
                crates.insert(name.clone(), folder.join(file));
            }
        }
        Ok(Frozen {
            prebuilt: Prebuilt {
                folder: folder.clone(),
                crate_dir: self.root.join("workbench"),
                crates,
            },
            built,
            _in_use: in_use,
        })
    }

    /// Files of every library in the build, by crate name; direct dependencies of the crate win over namesakes.
    fn artifacts(&self, progress: Progress<'_>) -> Result<BTreeMap<String, Vec<PathBuf>>> {
        let stamp = self.state().join("artifacts.json");
        if let Some(artifacts) = self.fresh_artifacts(&stamp) {
            return Ok(artifacts);
        }
        let mut child = super::shim::real_cargo()
            .args([
                "build",
                "--workspace",
                "--offline",
                "--message-format=json-render-diagnostics",
            ])
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("could not run cargo: is the Rust toolchain on the PATH?")?;
        let stderr = child.stderr.take().context("cargo's messages are not readable")?;
        let errors = std::thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
        let mut artifacts: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        if let Some(stdout) = child.stdout.take() {
            for line in std::io::BufReader::new(stdout).lines() {
                let Ok(message) = serde_json::from_str::<Value>(&line?) else {
                    continue;
                };
                if message["reason"] == "compiler-artifact" {
                    collect(&message, &mut artifacts);
                    // Silent when there was nothing to do, or saved notebooks would tell of it.
                    if message["fresh"] == false
                        && let Some(name) = message["target"]["name"].as_str()
                    {
                        progress(&format!("building the workbench crate: {name}"));
                    }
                }
            }
        }
        let status = child.wait()?;
        let errors = errors.join().unwrap_or_default();
        if !status.success() {
            bail!(
                "the workbench crate does not build, so cells cannot use it. Mend it (`cargo build --workspace` shows the \
                 same messages), then restart the kernel.\n{}",
                errors.trim()
            );
        }
        fs::create_dir_all(self.state())?;
        let pending = stamp.with_extension("json.tmp");
        fs::write(&pending, serde_json::to_vec(&artifacts)?)?;
        fs::rename(pending, stamp)?;
        Ok(artifacts)
    }

    /// The list of the last build, where nothing has changed since.
    fn fresh_artifacts(&self, stamp: &Path) -> Option<BTreeMap<String, Vec<PathBuf>>> {
        let made = stamp.metadata().and_then(|m| m.modified()).ok()?;
        let artifacts: BTreeMap<String, Vec<PathBuf>> = serde_json::from_slice(&fs::read(stamp).ok()?).ok()?;
        let (newest, _) = self.newest_source()?;
        let object = artifacts.get(CRATE)?.iter().find(|f| f.ends_with(SHARED_OBJECT))?;
        let built = object.metadata().and_then(|m| m.modified()).ok()?;
        let complete = artifacts.values().flatten().all(|f| f.is_file());
        (newest < built && newest < made && built <= made && object.starts_with(self.target()) && complete)
            .then_some(artifacts)
    }
}

/// Notes the files of a library that cargo reports.
fn collect(message: &Value, artifacts: &mut BTreeMap<String, Vec<PathBuf>>) {
    let Some(name) = message["target"]["name"].as_str() else {
        return;
    };
    let is_library = message["target"]["kind"].as_array().is_some_and(|kinds| {
        kinds
            .iter()
            .any(|k| matches!(k.as_str(), Some("lib" | "rlib" | "dylib" | "proc-macro")))
    });
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
    artifacts.insert(name, files);
}

/// A frozen build, kept from being removed while this value lives.
#[derive(Debug)]
pub struct Frozen {
    /// What cells link.
    pub prebuilt: Prebuilt,
    /// When the crate was built.
    pub built: SystemTime,
    _in_use: File,
}

fn key_of(object: &Path, rustc: &Path) -> Result<String> {
    let meta = object.metadata()?;
    let nanos = meta
        .modified()?
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    // FNV-1a over what tells one build from another; a name, not a proof.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let words = format!("{} {nanos} {} {}", meta.len(), rustc.display(), CELL_SOURCE);
    for byte in words.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    Ok(format!("{hash:016x}"))
}

fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("could not write {}", path.display()))?;
    file.lock()?;
    Ok(file)
}

/// Removes frozen builds that no live kernel uses.
fn collect_garbage(root: &Path, keep: &str) {
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

fn link(file: &Path, folder: &Path) -> Result<()> {
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
/// there, and refuse to have both, so cells see a sysroot without it.
fn link_sysroot(rustc: &Path, to: &Path) -> Result<()> {
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
    Ok(())
}

fn compile_cell_runtime(rustc: &Path, folder: &Path) -> Result<()> {
    let source = folder.join("evcxr_cell.rs");
    fs::write(&source, CELL_SOURCE)?;
    let output = Command::new(rustc)
        .args([
            "--crate-name=evcxr_cell",
            "--crate-type=rlib",
            "--edition=2024",
            "-Copt-level=2",
        ])
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

#[cfg(test)]
mod tests {
    use super::*;

    fn prebuilt(dir: &Path) -> Prebuilt {
        Prebuilt {
            folder: dir.into(),
            crate_dir: dir.canonicalize().unwrap(),
            crates: [
                ("workbench".to_owned(), dir.join("libworkbench.so")),
                ("ndarray".to_owned(), dir.join("libndarray-1.rlib")),
            ]
            .into(),
        }
    }

    #[test]
    fn only_this_projects_crate_is_served_by_path() {
        let here = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let prebuilt = prebuilt(here.path());
        let path = |p: &Path| {
            toml::Value::from(toml::toml! { path = "x" })
                .try_into::<toml::Table>()
                .map(|mut t| {
                    t.insert("path".into(), p.display().to_string().into());
                    toml::Value::Table(t)
                })
                .unwrap()
        };
        assert!(prebuilt.serves("workbench", &path(here.path())));
        assert!(!prebuilt.serves("workbench", &path(elsewhere.path())));
        assert!(prebuilt.serves("ndarray", &toml::Value::String("0.17".into())));
        assert!(!prebuilt.serves("left-pad", &toml::Value::String("1".into())));
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
