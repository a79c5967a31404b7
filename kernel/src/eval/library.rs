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
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::control::Control;
use super::prebuilt::{CRATE, Linked, Prebuilt, SYSROOT};
use super::stoppable;

const SHARED_OBJECT: &str = "libworkbench.so";
const NO_OBJECT: &str = "cargo did not report libworkbench.so: run `cargo build --workspace` and look at its messages";
const CELL_SOURCE: &str = include_str!("runtime/cell.rs");

/// A library that cargo built.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Artifact {
    version: semver::Version,
    files: Vec<PathBuf>,
}

/// Every library of the build, by crate name.
type Artifacts = BTreeMap<String, Artifact>;

/// The last build that cargo called fresh.
#[derive(Debug, Serialize, Deserialize)]
struct Build {
    /// When cargo was asked: sources changed later are not in it.
    asked: SystemTime,
    /// Fingerprint of the lock file as cargo left it. Its time does not tell: cargo may write it during a build.
    lock: u64,
    /// Time of the shared object, to notice builds by others.
    object: SystemTime,
    artifacts: Artifacts,
}

impl Build {
    fn shared_object(artifacts: &Artifacts) -> Option<&PathBuf> {
        artifacts.get(CRATE)?.files.iter().find(|f| f.ends_with(SHARED_OBJECT))
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

    /// Fingerprint of the lock file; 0 where there is none.
    fn lock_fingerprint(&self) -> u64 {
        fs::read(self.root.join("Cargo.lock")).map_or(0, |bytes| fingerprint(&bytes))
    }

    /// Time of the newest source of the crate.
    fn newest_source(&self) -> Option<(SystemTime, PathBuf)> {
        let mut newest: Option<(SystemTime, PathBuf)> = None;
        let mut folders = vec![self.root.join("workbench/src")];
        let mut files = vec![self.root.join("workbench/Cargo.toml")];
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
    ///
    /// A build ends early when a stop is requested in `control`.
    pub fn freeze(&self, rustc: &Path, control: Option<Arc<Control>>, progress: Progress<'_>) -> Result<Frozen> {
        let Build {
            asked,
            lock: versions,
            artifacts,
            ..
        } = self.build(control, progress)?;
        let object = Build::shared_object(&artifacts).context(NO_OBJECT)?;
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
            for file in artifacts.values().flat_map(|a| &a.files) {
                link(file, &folder)?;
            }
            link_sysroot(rustc, &folder.join(SYSROOT))?;
            compile_cell_runtime(rustc, &folder)?;
            File::create(&finished)?;
        }
        let in_use = File::create(folder.join("in-use"))?;
        in_use.lock_shared()?;
        let mut crates = BTreeMap::new();
        for (name, artifact) in &artifacts {
            // Two versions under one name: which one is meant is for cargo to say.
            if artifacts.contains_key(&format!("{name}+")) {
                continue;
            }
            let kind = if name == CRATE { "so" } else { "rlib" };
            let file = artifact.files.iter().find(|f| f.extension().is_some_and(|e| e == kind));
            if let Some(file) = file.and_then(|f| f.file_name()) {
                let linked = Linked {
                    file: folder.join(file),
                    version: artifact.version.clone(),
                };
                crates.insert(name.clone(), linked);
            }
        }
        Ok(Frozen {
            prebuilt: Prebuilt {
                folder: folder.clone(),
                crate_dir: self.root.join("workbench"),
                crates,
            },
            current: asked,
            versions,
            _in_use: in_use,
        })
    }

    /// Builds the crate where anything has changed since the last build.
    fn build(&self, control: Option<Arc<Control>>, progress: Progress<'_>) -> Result<Build> {
        let stamp = self.state().join("build.json");
        if let Some(build) = self.last_build(&stamp) {
            return Ok(build);
        }
        let asked = SystemTime::now();
        let mut cargo = super::shim::real_cargo();
        cargo
            .args([
                "build",
                "--workspace",
                "--offline",
                "--message-format=json-render-diagnostics",
            ])
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        stoppable::own_group(&mut cargo);
        let mut child = cargo
            .spawn()
            .context("could not run cargo: is the Rust toolchain on the PATH?")?;
        let watch = stoppable::Watch::new(child.id(), control.clone());
        let stderr = child.stderr.take().context("cargo's messages are not readable")?;
        let errors = std::thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
        let mut artifacts = Artifacts::new();
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
        drop(watch);
        let errors = errors.join().unwrap_or_default();
        if !status.success() && control.is_some_and(|control| control.stop_requests() > 0) {
            bail!(stoppable::STOPPED);
        }
        if !status.success() {
            bail!(
                "the workbench crate does not build, so cells cannot use it. Mend it (`cargo build --workspace` shows the \
                 same messages), then restart the kernel.\n{}",
                errors.trim()
            );
        }
        let object = Build::shared_object(&artifacts)
            .context(NO_OBJECT)?
            .metadata()?
            .modified()?;
        let build = Build {
            asked,
            lock: self.lock_fingerprint(),
            object,
            artifacts,
        };
        fs::create_dir_all(self.state())?;
        let pending = tempfile::NamedTempFile::new_in(self.state())?;
        serde_json::to_writer(&pending, &build)?;
        pending.persist(stamp)?;
        Ok(build)
    }

    /// The last build, where nothing has changed since.
    fn last_build(&self, stamp: &Path) -> Option<Build> {
        let build: Build = serde_json::from_slice(&fs::read(stamp).ok()?).ok()?;
        let (newest, _) = self.newest_source()?;
        let object = Build::shared_object(&build.artifacts)?;
        let modified = object.metadata().and_then(|m| m.modified()).ok()?;
        let complete = build.artifacts.values().flat_map(|a| &a.files).all(|f| f.is_file());
        let same_lock = build.lock == self.lock_fingerprint();
        (newest < build.asked && same_lock && modified == build.object && object.starts_with(self.target()) && complete)
            .then_some(build)
    }
}

/// Notes the files of a library that cargo reports.
fn collect(message: &Value, artifacts: &mut Artifacts) {
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
    let version = message["package_id"]
        .as_str()
        .and_then(|id| id.rsplit(['#', '@']).next())
        .and_then(|v| semver::Version::parse(v).ok())
        .unwrap_or(semver::Version::new(0, 0, 0));
    artifacts.insert(name, Artifact { version, files });
}

impl Frozen {
    /// A source or the lock file of `project`, if it has changed since this build.
    pub fn outdated_by(&self, project: &Project) -> Option<PathBuf> {
        if project.lock_fingerprint() != self.versions {
            return Some(project.root.join("Cargo.lock"));
        }
        let (time, file) = project.newest_source()?;
        // A clock that was set back leaves files from the future; they say nothing.
        let credible = time <= SystemTime::now() + std::time::Duration::from_secs(60);
        (time > self.current && credible).then_some(file)
    }
}

/// A frozen build, kept from being removed while this value lives.
#[derive(Debug)]
pub struct Frozen {
    /// What cells link.
    pub prebuilt: Prebuilt,
    current: SystemTime,
    versions: u64,
    _in_use: File,
}

fn key_of(object: &Path, rustc: &Path) -> Result<String> {
    let meta = object.metadata()?;
    let nanos = meta
        .modified()?
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let words = format!("{} {nanos} {} {}", meta.len(), rustc.display(), CELL_SOURCE);
    Ok(format!("{:016x}", fingerprint(words.as_bytes())))
}

/// FNV-1a: tells one file from another, and proves nothing.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
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
