//! Library that cells link: a project's crate as one shared object, and a frozen copy of it for each live kernel.
//!
//! A rebuild of the crate must not reach a kernel that has the old code in memory, or two versions would meet in
//! one process. Each kernel therefore links from a folder of hard links made when it started (no copies: the same
//! files under other names), and notices when the sources have moved on.

mod artifacts;
mod frozen;
pub mod integrity;
pub mod interface;
pub mod prebuilt;
pub mod sources;

pub use frozen::{Frozen, working_folder};

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cuda::{Setting, probe};
use crate::features::{self, Features};
use crate::library::artifacts::{Artifacts, collect, is_intact, search_paths};
use crate::library::frozen::{RUNTIME, collect_garbage, compile_cell_runtime, identity_of, link, link_sysroot, lock};
use crate::library::integrity::{asks_for_std, is_complete};
use crate::library::interface::Interface;
use crate::library::prebuilt::{Linked, Prebuilt, SYSROOT};
use crate::library::sources::Sources;
use crate::project::{Owner, Project};
use crate::toolchain;
use workbench_base::control::Control;
use workbench_base::fingerprint::fingerprint;
use workbench_base::stoppable;

/// The last build that cargo called fresh.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Build {
    /// The compiler that built it.
    #[serde(default)]
    compiler: String,
    /// The sources before cargo was asked (what changes during a build is not in it), the lock file as cargo left it.
    sources: Sources,
    /// Time and length of the shared object, to notice builds by others and files that end too early.
    object: (SystemTime, u64),
    artifacts: Artifacts,
    /// What was asked of it.
    #[serde(default)]
    wanted: Wanted,
    /// Where the linker finds what it needs of the system.
    #[serde(default)]
    search: Vec<PathBuf>,
}

/// What is asked of a build beside the sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Wanted {
    features: Features,
    setting: Option<Setting>,
}

impl Build {
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.artifacts.values().flat_map(|a| &a.files)
    }
}

/// Form of [`Finished`]: another form is another folder, because kernels that run may use the old one.
const FORM: u32 = 2;

/// What is written when a frozen folder is complete.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Finished {
    interface: Option<Interface>,
    identity: String,
    libraries: PathBuf,
}

/// Time and length of a file.
fn state_of(file: &Path) -> Option<(SystemTime, u64)> {
    let meta = file.metadata().ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// Called with a line about each step of a build.
pub type Progress<'a> = &'a mut dyn FnMut(&str);

impl Project {
    /// The library's shared object among what was built.
    fn object<'a>(&self, artifacts: &'a Artifacts) -> Option<&'a PathBuf> {
        artifacts.get(&self.library.name)?.files.iter().find(|file| file.ends_with(self.shared_object()))
    }

    fn no_object(&self) -> String {
        format!(
            "cargo did not report {}: run `cargo build` in {} and look at its messages",
            self.shared_object(),
            self.root.display()
        )
    }

    fn is_ours(&self) -> bool {
        self.library.owner == Owner::Checkout
    }

    /// The folders in which choices may be recorded: set-up writes into the checkout, a kernel where it can.
    fn states(&self) -> Vec<PathBuf> {
        let mut states = vec![self.root.join(".workbench"), self.state()];
        states.dedup();
        states
    }

    /// The GPU setting, and the folder that it is recorded in.
    fn setting(&self) -> Result<Option<(Setting, PathBuf)>> {
        for state in self.states() {
            if let Some(setting) = Setting::read(&state)? {
                return Ok(Some((setting, state)));
            }
        }
        Ok(None)
    }

    fn wanted(&self) -> Result<Wanted> {
        if !self.is_ours() {
            return Ok(Wanted::default());
        }
        Ok(Wanted {
            features: features::wanted(&self.root, &self.states())?,
            setting: self.setting()?.map(|(setting, _)| setting),
        })
    }

    /// Whether the crate can have the features that a cell asks for.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn allows(&self, asked: &Features) -> Result<(), String> {
        if !self.is_ours() {
            return match asked.is_empty() {
                true => Ok(()),
                false => Err(format!(
                    "the features of `{}` are those of its Cargo.toml (`default = [..]`), since its notebooks share one build",
                    self.library.name
                )),
            };
        }
        let setting = self.setting().map_err(|error| error.to_string())?;
        features::allowed(&self.root, asked, setting.map(|(setting, _)| setting).as_ref())
    }

    /// Has this build and all later ones carry the features `asked`.
    pub fn ask_for(&self, asked: &Features) -> Result<()> {
        Ok(features::record(&self.state(), asked)?)
    }

    /// Builds what is missing or stale and freezes it for a kernel.
    ///
    /// A build ends early when a stop is requested in `control`.
    pub fn freeze(&self, rustc: &Path, control: Option<Arc<Control>>, progress: Progress<'_>) -> Result<Frozen> {
        self.usable().map_err(anyhow::Error::msg)?;
        let Build { sources, artifacts, compiler, wanted, search, .. } = self.build(rustc, control, progress)?;
        let object = self.object(&artifacts).with_context(|| self.no_object())?;
        let key = key_of(object, &compiler)?;
        let frozen_root = self.state().join("frozen");
        fs::create_dir_all(&frozen_root)?;
        let _guard = lock(&frozen_root.join("lock"))?;
        collect_garbage(&frozen_root, &key);
        let folder = frozen_root.join(&key);
        let finished = folder.join("complete");
        let kept = fs::read(&finished)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Finished>(&bytes).ok())
            .filter(|finished| is_intact(&folder, &artifacts, finished.interface.as_ref()));
        let Finished { interface, identity, libraries } = if let Some(kept) = kept {
            kept
        } else {
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder)?;
            for file in artifacts.values().flat_map(|a| &a.files) {
                link(file, &folder)?;
            }
            let (tools, libraries) = link_sysroot(rustc, &folder.join(SYSROOT))?;
            compile_cell_runtime(rustc, &folder)?;
            let made = Finished {
                interface: Interface::make(object, &folder, &tools)?,
                identity: identity_of(object, rustc)?,
                libraries,
            };
            fs::write(&finished, serde_json::to_vec(&made)?)?;
            made
        };
        let in_use = File::create(folder.join("in-use"))?;
        in_use.lock_shared()?;
        let mut crates = BTreeMap::new();
        for (name, artifact) in &artifacts {
            // Two versions under one name: which one is meant is for cargo to say.
            if artifacts.contains_key(&format!("{name}+")) {
                continue;
            }
            let kind = if *name == self.library.name { "so" } else { "rlib" };
            let file = artifact.files.iter().find(|f| f.extension().is_some_and(|e| e == kind));
            if let Some(file) = file.and_then(|f| f.file_name()) {
                let linked = Linked {
                    file: folder.join(file),
                    version: artifact.version.clone(),
                    features: artifact.features.clone(),
                };
                crates.insert(name.clone(), linked);
            }
        }
        let load = match self.setting()? {
            Some((setting, state)) => setting.load_folders(&state, probe::is_there()),
            None => Vec::new(),
        };
        Ok(Frozen {
            load,
            libraries,
            prebuilt: Prebuilt {
                folder: folder.clone(),
                root: self.root.clone(),
                crate_dir: self.library.folder.clone(),
                library: self.library.name.clone(),
                at_hand: self.library.owner == Owner::Package,
                target: self.target(),
                crates,
                interface,
                identity,
                kept: self.state().join("cells"),
                search,
                environment: wanted.setting.map_or_else(Vec::new, |setting| setting.build_environment()),
            },
            sources,
            rustc: rustc.to_path_buf(),
            compiler,
            _in_use: in_use,
        })
    }

    /// Builds the crate where anything has changed since the last build.
    fn build(&self, rustc: &Path, control: Option<Arc<Control>>, progress: Progress<'_>) -> Result<Build> {
        let wanted = self.wanted()?;
        let stamp = self.state().join("build.json");
        let last = self.last_build();
        if let Some(build) = &last
            && self.is_current(build, rustc)
        {
            if build.wanted == wanted {
                return Ok(build.clone());
            }
            progress(&match wanted.features.is_empty() {
                true => format!("building {} without features", self.told()),
                false => format!(
                    "building {} with {}, as was asked for",
                    self.told(),
                    wanted.features.iter().cloned().collect::<Vec<_>>().join(" and ")
                ),
            });
        }
        let mut build = self.run_cargo(rustc, &wanted, control.clone(), progress)?;
        let stale = last.is_some_and(|last| {
            // Cargo goes by times. Where the clock was set back it calls old code fresh.
            // A list that an earlier version of this program wrote is another list.
            !last.compiler.is_empty() && last.object == build.object && last.sources.changed_crate(&build.sources)
        });
        let damaged: Vec<&PathBuf> = build.files().filter(|file| !is_complete(file)).collect();
        let foreign = self.object(&build.artifacts).is_some_and(|object| asks_for_std(object));
        if stale || foreign || !damaged.is_empty() {
            for file in damaged {
                progress(&format!("{} ends too early: building it again", file.display()));
                // The same bytes stand under two names. What cannot be removed cannot be built again; cargo says so.
                let twin = file.file_name().map(|name| self.built().join("deps").join(name));
                for file in [Some(file.clone()), twin].into_iter().flatten() {
                    let _ = fs::remove_file(file);
                }
            }
            if stale {
                progress(&format!("a source has changed and looks old: building {} again", self.told()));
            }
            if foreign {
                progress("the crate was last built for something else than cells: building it again");
            }
            self.forget_crate();
            build = self.run_cargo(rustc, &wanted, control, progress)?;
            if let Some(file) = build.files().find(|file| !is_complete(file)) {
                bail!(
                    "{} is damaged, and cargo takes it for fresh: run `cargo clean`, look whether the disk is full (`df`), and \
                     restart the kernel",
                    file.display()
                );
            }
        }
        fs::create_dir_all(self.state())?;
        let pending = tempfile::NamedTempFile::new_in(self.state())?;
        serde_json::to_writer(&pending, &build)?;
        pending.persist(stamp)?;
        Ok(build)
    }

    fn last_build(&self) -> Option<Build> {
        let kept =
            fs::read(self.state().join("build.json")).or_else(|_| fs::read(self.root.join(".workbench/build.json")));
        serde_json::from_slice(&kept.ok()?).ok()
    }

    /// The shared object, where it is of today's sources and compiler, with the features and the GPU setting that are wanted. Content decides, which cargo does not look at: a source that was
    /// only touched costs nothing, and a checkout that cannot be written serves.
    pub fn current_object(&self) -> Option<PathBuf> {
        let build = self
            .last_build()
            .filter(|build| self.wanted().is_ok_and(|wanted| build.wanted == wanted))
            .filter(|build| self.is_current(build, &toolchain::real_tools(["rustc"])[0]))?;
        self.object(&build.artifacts).cloned()
    }

    /// Removes cargo's notes on the crate, so that it is built anew whatever its times say.
    fn forget_crate(&self) {
        let notes = self.built().join(".fingerprint");
        for entry in fs::read_dir(notes).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let ours = name.to_str().and_then(|n| n.rsplit_once('-')).is_some_and(|(of, hash)| {
                let room = of
                    .strip_prefix(self.library.package.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
                room && hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit())
            });
            if ours {
                // What stays is told by the check of sources in the next cell.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    fn run_cargo(
        &self,
        rustc: &Path,
        wanted: &Wanted,
        control: Option<Arc<Control>>,
        progress: Progress<'_>,
    ) -> Result<Build> {
        toolchain::is_new_enough(rustc).map_err(anyhow::Error::msg)?;
        let (compiler, started) = (toolchain::fingerprint(rustc), SystemTime::now());
        let mut sources = Sources::read(self);
        let mut cargo = self.cargo_build();
        cargo
            .args(features::cargo_args(&wanted.features))
            .envs(wanted.setting.iter().flat_map(Setting::build_environment))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        stoppable::own_group(&mut cargo);
        let mut child = cargo.spawn().context(toolchain::NONE)?;
        let watch = stoppable::Watch::new(child.id(), control.clone());
        let stderr = child.stderr.take().context("cargo's messages are not readable")?;
        let errors = std::thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
        let (mut artifacts, mut search) = (Artifacts::new(), Vec::new());
        if let Some(stdout) = child.stdout.take() {
            for line in std::io::BufReader::new(stdout).lines() {
                let Ok(message) = serde_json::from_str::<Value>(&line?) else {
                    continue;
                };
                if message["reason"] == "build-script-executed" {
                    search.extend(search_paths(&message));
                }
                if message["reason"] == "compiler-artifact" {
                    collect(&message, &mut artifacts);
                    // Silent when there was nothing to do, or saved notebooks would tell of it.
                    if message["fresh"] == false
                        && self.library.owner != Owner::Nobody
                        && let Some(name) = message["target"]["name"].as_str()
                    {
                        progress(&format!("building {}: {name}", self.told()));
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
                "{} does not build, so cells cannot use it. Mend it (`cargo build{}` shows the same messages), then restart the \
                 kernel.\n{}",
                self.told(),
                if self.is_ours() { " --workspace" } else { "" },
                errors.trim()
            );
        }
        let object = self.object(&artifacts).with_context(|| self.no_object())?;
        let object = state_of(object).with_context(|| format!("{} is gone: build again", object.display()))?;
        // Cargo may write the lock file during a build.
        sources.read_again(&self.root.join("Cargo.lock"));
        sources.add_read(&self.built().join(format!("lib{}.d", self.library.name)), &self.root, &self.built(), started);
        Ok(Build { compiler, sources, object, artifacts, wanted: wanted.clone(), search })
    }

    /// Whether nothing has changed since a build.
    fn is_current(&self, build: &Build, rustc: &Path) -> bool {
        let Some(object) = self.object(&build.artifacts) else {
            return false;
        };
        build.compiler == toolchain::fingerprint(rustc)
            && object.starts_with(self.built())
            && state_of(object) == Some(build.object)
            && build.files().all(|f| f.is_file())
            && build.sources.changed(self).is_none()
    }
}

fn key_of(object: &Path, compiler: &str) -> Result<String> {
    let meta = object.metadata()?;
    let nanos = meta.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let runtime = RUNTIME.map(|(_, source)| source).concat();
    // Where the linker looks for the system's libraries is kept with what is frozen.
    let folders = std::env::var_os("LIBRARY_PATH").unwrap_or_default();
    let words = format!("{} {nanos} {compiler} {} {runtime} {FORM}", meta.len(), folders.display());
    Ok(format!("{:016x}", fingerprint(words.as_bytes())))
}
