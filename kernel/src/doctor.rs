//! `cargo workbench doctor`: what this machine has, and what to do about what it lacks.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::progress::table;
use crate::setup::cuda::{Setting, TURN_ON};
use crate::setup::features;
use crate::setup::openblas::{self, OpenBlas};
use crate::setup::paths::{SHARED_OBJECT, Workspace, build_folder};
use crate::setup::python;
use crate::setup::system::{Machine, System};

/// Oldest compiler that builds the workspace.
const RUST: (u32, u32) = (1, 95);
/// Free space that a build from nothing needs, in GiB.
const BUILD_GIB: f64 = 6.0;
/// Free space that runs need once everything is built, in GiB.
const RUN_GIB: f64 = 1.0;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq)]
struct Check {
    name: &'static str,
    /// Whether `run` needs it; the rest is for `lab`, `bench` and HTML.
    needed: bool,
    ok: bool,
    found: String,
    remedy: String,
}

impl Check {
    fn new(name: &'static str, needed: bool, ok: bool, found: impl Into<String>, remedy: &str) -> Self {
        Check {
            name,
            needed,
            ok,
            found: found.into(),
            remedy: if ok { String::new() } else { remedy.into() },
        }
    }
}

/// Prints the table; the exit status is 1 when something that `run` needs is missing.
pub fn command() -> i32 {
    let mut checks = programs(&Machine);
    match Workspace::find() {
        Ok(workspace) => {
            checks.extend(project(&workspace));
            checks.push(gpu(&workspace, &Machine));
        }
        Err(error) => checks.push(Check::new("workspace", true, false, "not found", &error.to_string())),
    }
    println!("{}", render(&checks));
    status(&checks)
}

fn status(checks: &[Check]) -> i32 {
    i32::from(checks.iter().any(|check| check.needed && !check.ok))
}

fn render(checks: &[Check]) -> String {
    let rows: Vec<Vec<String>> = checks
        .iter()
        .map(|check| {
            let mark = match (check.ok, check.needed) {
                (true, _) => "ok",
                (false, true) => "MISSING",
                (false, false) => "absent",
            };
            vec![
                check.name.into(),
                mark.into(),
                check.found.clone(),
                check.remedy.clone(),
            ]
        })
        .collect();
    table(&["check", "", "found", "what to do"], &rows, &[])
}

fn programs(system: &dyn System) -> Vec<Check> {
    let first_line = |program: &str, args: &[&str]| {
        system
            .run(program, args)
            .filter(|ran| ran.ok)
            .and_then(|ran| ran.output.lines().next().map(str::to_string))
    };
    let rustc = first_line("rustc", &["--version"]);
    let new_enough = rustc.as_deref().and_then(version).is_some_and(|v| v >= RUST);
    let cargo = first_line("cargo", &["--version"]);
    let linker = first_line("cc", &["--version"]);
    let blas = openblas::detect(system);
    let python = first_line("python3", &["--version"]);
    let shown = |line: &Option<String>| line.clone().unwrap_or_else(|| "not found".into());
    vec![
        Check::new(
            "rustc",
            true,
            new_enough,
            shown(&rustc),
            "install Rust 1.95 or later with rustup: `rustup update stable`",
        ),
        Check::new("cargo", true, cargo.is_some(), shown(&cargo), "install rustup"),
        Check::new(
            "linker",
            true,
            linker.is_some(),
            shown(&linker),
            "`sudo apt-get install build-essential`",
        ),
        Check::new(
            "OpenBLAS",
            true,
            blas != OpenBlas::Missing,
            match &blas {
                OpenBlas::System => "linked and found".to_string(),
                OpenBlas::Conda(folder) => format!("conda's, in {}", folder.display()),
                OpenBlas::Missing => "not found by the linker".to_string(),
            },
            "`sudo apt-get install libopenblas-dev`; `cargo workbench run` does it when it may",
        ),
        Check::new(
            "python3",
            false,
            python.is_some(),
            shown(&python),
            "`sudo apt-get install python3 python3-venv`; only `lab`, `bench` and HTML need it",
        ),
    ]
}

fn project(workspace: &Workspace) -> Vec<Check> {
    let object = build_folder().unwrap_or_default().join(SHARED_OBJECT);
    let built = modified(&object);
    let newest = newest_source(workspace);
    let fresh = built.is_some_and(|built| newest.is_none_or(|source| built >= source));
    let free = free_gib(workspace.root());
    let wanted = if built.is_some() { RUN_GIB } else { BUILD_GIB };
    let results = workspace.results();
    let writable = tempfile::tempfile_in(&results);
    // What other systems need is downloaded by none.
    let platform = crate::setup::packages::host_triple().map(|host| ["--filter-platform".to_owned(), host]);
    let cached = std::process::Command::new("cargo")
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(platform.into_iter().flatten())
        .current_dir(workspace.root())
        .output()
        .is_ok_and(|output| output.status.success());
    let spec = workspace.kernelspec().join("kernel.json");
    let spec_ok = std::fs::read_to_string(&spec).is_ok_and(|text| {
        serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|spec| {
            spec["argv"][0]
                .as_str()
                .is_some_and(|binary| Path::new(binary).is_file())
        })
    });
    vec![
        Check::new(
            "shared object",
            true,
            fresh,
            match (built, fresh) {
                (None, _) => "not built".to_string(),
                (Some(_), false) => "older than the crate's source".to_string(),
                (Some(_), true) => object.display().to_string(),
            },
            "`cargo workbench setup` builds it (minutes the first time)",
        ),
        Check::new(
            "packages",
            true,
            cached,
            if cached {
                "all in the local cache, no network needed"
            } else {
                "some are not downloaded yet"
            },
            "connect to the network and run `cargo fetch --locked`",
        ),
        Check::new(
            "disk space",
            true,
            free.is_none_or(|free| free >= wanted),
            free.map_or("unknown".to_string(), |free| format!("{free:.1} GiB free")),
            "free some space: a build from nothing needs 6 GiB, runs need 1",
        ),
        Check::new(
            "results folder",
            true,
            writable.is_ok(),
            results.display().to_string(),
            "make it writable, or run with --results DIR",
        ),
        Check::new(
            "Python environment",
            false,
            python::matches(workspace),
            ".workbench/venv",
            "`cargo workbench lab` makes it",
        ),
        Check::new(
            "kernelspec",
            false,
            spec_ok,
            spec.display().to_string(),
            "`cargo workbench lab` installs it",
        ),
    ]
}

/// The GPU setting, the driver and its devices, the toolkit, and whether the crate is built for them.
fn gpu(workspace: &Workspace, system: &dyn System) -> Check {
    let state = workspace.state();
    let driver = system.driver();
    let machine = driver
        .as_ref()
        .map_or("no NVIDIA driver".to_owned(), |driver| driver.describe());
    let setting = match Setting::read(&state) {
        Ok(setting) => setting,
        Err(error) => return Check::new("GPU", true, false, machine, &error.to_string()),
    };
    let Some(setting) = setting else {
        // Nothing is missing where nothing was asked for; a device that lies idle is worth a word.
        let idle = driver.is_some_and(|driver| driver.devices.is_ok_and(|devices| !devices.is_empty()));
        let remedy = format!("`{TURN_ON}` puts it under the notebooks");
        return Check::new("GPU", false, !idle, format!("setting off; {machine}"), &remedy);
    };
    let built = std::fs::read_to_string(state.join(features::BUILT)).is_ok_and(|text| text == setting.describe());
    let found = format!(
        "setting on: {}; {machine}; {}",
        setting.describe(),
        if built { "built" } else { "not built" }
    );
    if !setting.toolkit.nvcc().is_file() {
        let remedy = format!("the toolkit is gone: `{TURN_ON}` finds or installs one");
        return Check::new("GPU", true, false, found, &remedy);
    }
    if !built {
        return Check::new(
            "GPU",
            true,
            false,
            found,
            "`cargo workbench setup` builds the crate for it (minutes)",
        );
    }
    let complaint = setting.complaint(driver.as_ref());
    Check::new("GPU", false, complaint.is_none(), found, &complaint.unwrap_or_default())
}

/// Major and minor version in a line such as `rustc 1.95.0 (…)`.
fn version(line: &str) -> Option<(u32, u32)> {
    let number = line.split_whitespace().nth(1)?;
    let mut parts = number.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor))
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn newest_source(workspace: &Workspace) -> Option<SystemTime> {
    let mut open: Vec<PathBuf> = crate::setup::paths::sources(workspace.root())
        .iter()
        .map(|folder| workspace.root().join(folder))
        .collect();
    let mut newest = modified(&workspace.root().join("Cargo.lock"));
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                newest = newest.max(modified(&path));
            }
        }
    }
    newest
}

/// Free space of the disk that holds `path`.
#[cfg(unix)]
fn free_gib(path: &Path) -> Option<f64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut data = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends in a zero byte and `data` is large enough for the call to fill; it is read only on success.
    let data = unsafe {
        if libc::statvfs(path.as_ptr(), data.as_mut_ptr()) != 0 {
            return None;
        }
        data.assume_init()
    };
    Some(data.f_bavail as f64 * data.f_frsize as f64 / f64::from(1u32 << 30))
}

#[cfg(not(unix))]
fn free_gib(_path: &Path) -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::system::fake::Fake;

    #[test]
    fn a_bare_machine_fails_with_a_remedy_for_each_thing() {
        let checks = programs(&Fake::default());
        assert_eq!(status(&checks), 1);
        for check in &checks {
            assert!(!check.ok && !check.remedy.is_empty(), "{check:?}");
        }
        let text = render(&checks);
        assert!(text.contains("libopenblas-dev"), "{text}");
    }

    #[test]
    fn a_missing_python_does_not_fail() {
        let mut machine = Fake::default()
            .answer("rustc --version", true, "rustc 1.95.0 (abc 2026-04-01)")
            .answer("cargo --version", true, "cargo 1.95.0")
            .answer("cc --version", true, "cc 12");
        machine.links_after = Some(String::new());
        let checks = programs(&machine);
        assert_eq!(status(&checks), 0, "{checks:?}");
        assert!(checks.iter().any(|check| check.name == "python3" && !check.ok));
    }

    #[test]
    fn an_old_compiler_is_refused() {
        assert_eq!(version("rustc 1.80.1 (x)"), Some((1, 80)));
        assert_eq!(version("nothing"), None);
        let machine = Fake::default().answer("rustc --version", true, "rustc 1.80.1 (x)");
        assert!(!programs(&machine)[0].ok);
    }

    #[test]
    fn the_gpus_row_says_what_to_do_next() {
        use crate::setup::cuda::capability::Capability;
        use crate::setup::cuda::driver::{Device, Driver};
        use crate::setup::cuda::toolkit::{Toolkit, Version};
        let folder = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel"] {
            std::fs::create_dir_all(folder.path().join(part)).unwrap();
            std::fs::write(folder.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let workspace = Workspace::at(folder.path()).unwrap();
        let device = Device {
            name: "NVIDIA H100".into(),
            capability: Capability::new(9, 0),
        };
        let with_device = Fake {
            driver: Some(Driver {
                version: Version(13, 0),
                devices: Ok(vec![device]),
            }),
            ..Fake::default()
        };
        let bare = Fake::default();
        let row = gpu(&workspace, &bare);
        assert!(row.ok && row.found == "setting off; no NVIDIA driver", "{row:?}");
        let row = gpu(&workspace, &with_device);
        assert!(!row.ok && !row.needed && row.remedy.contains(TURN_ON), "{row:?}");

        let root = folder.path().join("toolkit");
        let setting = Setting {
            toolkit: Toolkit {
                root: root.clone(),
                version: Version(13, 0),
            },
            capability: Capability::new(9, 0),
        };
        setting.write(&workspace.state()).unwrap();
        let row = gpu(&workspace, &with_device);
        assert!(
            row.needed && !row.ok && row.remedy.contains("toolkit is gone"),
            "{row:?}"
        );
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::write(root.join("bin/nvcc"), "").unwrap();
        let row = gpu(&workspace, &with_device);
        assert!(
            row.needed && !row.ok && row.remedy.contains("cargo workbench setup"),
            "{row:?}"
        );
        std::fs::write(workspace.state().join(features::BUILT), setting.describe()).unwrap();
        let row = gpu(&workspace, &with_device);
        assert!(
            row.ok && row.found.contains("H100") && row.found.ends_with("built"),
            "{row:?}"
        );
        let row = gpu(&workspace, &bare);
        assert!(
            !row.ok && !row.needed && row.remedy.contains("machine's own cores"),
            "{row:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn free_space_is_a_sensible_number() {
        let free = free_gib(&std::env::temp_dir()).unwrap();
        assert!((0.0..1e9).contains(&free), "{free}");
        assert_eq!(free_gib(Path::new("/no/such/folder")), None);
    }
}
