//! Prerequisites of a machine, before anything is built. Compiled without a dependency, so that it is told in seconds and not at the end of
//! a build of minutes; `cargo workbench doctor` says the same and more.
//!
//! [`look`] looks at it. A system that is not served does not get past this crate.

#![warn(missing_docs)]

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
compile_error!(
    "Workbench runs on Linux with glibc. On another system use the container: its first lines, in .devcontainer/Containerfile, say how \
     to build and start it."
);

/// Oldest compiler that builds the workspace.
const RUST: (u32, u32) = (1, 95);
/// Oldest Python that the locked packages run on.
const PYTHON: (u32, u32) = (3, 11);
/// Free space that a build from nothing needs, in GiB.
const BUILD_GIB: f64 = 6.0;
/// Free space that runs need once everything is built, in GiB.
const RUN_GIB: f64 = 1.0;
/// Memory that a build needs, in GiB: polars' largest crates, two at a time.
const MEMORY_GIB: f64 = 3.0;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What it is.
    pub name: &'static str,
    /// Whether `run` needs it; the rest is for `lab`, `bench` and pages.
    pub needed: bool,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub found: String,
    /// What to do about it; nothing where all is well.
    pub remedy: String,
}

impl Check {
    /// A check with its remedy, which is told where it is not `ok`.
    pub fn new(name: &'static str, needed: bool, ok: bool, found: impl Into<String>, remedy: &str) -> Self {
        Check { name, needed, ok, found: found.into(), remedy: if ok { String::new() } else { remedy.into() } }
    }

    /// The word of its line: `ok`, `MISSING`, or `absent` where only other commands need it.
    pub fn mark(&self) -> &'static str {
        match (self.ok, self.needed) {
            (true, _) => "ok",
            (false, true) => "MISSING",
            (false, false) => "absent",
        }
    }
}

/// The exit status that tells whether something that `run` needs is missing.
pub fn status(checks: &[Check]) -> i32 {
    i32::from(checks.iter().any(|check| check.needed && !check.ok))
}

/// What a program with these words says in its first line, if it is there and ends well.
pub type Ask<'a> = &'a dyn Fn(&str, &[&str]) -> Option<String>;

/// Asks the programs of this machine.
pub fn ask(program: &str, words: &[&str]) -> Option<String> {
    let output = std::process::Command::new(program).args(words).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next().unwrap_or_default().to_owned();
    output.status.success().then_some(line)
}

/// Looks at the programs that `ask` finds, and at the folders of a checkout at `root` whose builds go to `target`.
pub fn look(ask: Ask<'_>, root: &Path, target: &Path) -> Vec<Check> {
    let mut checks = programs(ask);
    checks.extend(places(root, target));
    checks
}

fn programs(ask: Ask<'_>) -> Vec<Check> {
    let of = |program, words: &[&str]| ask(program, words);
    let (rustc, cargo) = (of("rustc", &["--version"]), of("cargo", &["--version"]));
    let (linker, python) = (of("cc", &["--version"]), of("python3", &["--version"]));
    let at_least = |line: &Option<String>, least| line.as_deref().and_then(version).is_some_and(|found| found >= least);
    let shown = |line: &Option<String>| line.clone().unwrap_or_else(|| "not found".into());
    let known = ["x86_64", "aarch64"].contains(&std::env::consts::ARCH);
    vec![
        Check::new(
            "system",
            true,
            known,
            format!("Linux with glibc, {}", std::env::consts::ARCH),
            "only x86_64 and aarch64 are served",
        ),
        Check::new(
            "rustc",
            true,
            at_least(&rustc, RUST),
            shown(&rustc),
            "install Rust 1.95 or later with rustup: `rustup update stable`",
        ),
        Check::new("cargo", true, cargo.is_some(), shown(&cargo), "install rustup"),
        Check::new("linker", true, linker.is_some(), shown(&linker), "`sudo apt-get install build-essential`"),
        Check::new(
            "python3",
            false,
            at_least(&python, PYTHON),
            shown(&python),
            "Python 3.11 or later (`sudo apt-get install python3 python3-venv`); only `test`, `lab`, `site`, `bench` and pages need it",
        ),
    ]
}

fn places(root: &Path, target: &Path) -> Vec<Check> {
    let built = target.join("debug/libworkbench.so").is_file();
    let wanted = if built { RUN_GIB } else { BUILD_GIB };
    let (free, memory) = (free_gib(existing(target)), memory_gib());
    let temporary = std::env::temp_dir();
    let runs_there = runs_programs(&temporary);
    vec![
        Check::new(
            "disk space",
            true,
            free.is_none_or(|free| free >= wanted),
            free.map_or("unknown".to_string(), |free| format!("{free:.1} GiB free")),
            "free some space: a build from nothing needs 6 GiB, runs need 1",
        ),
        Check::new(
            "memory",
            true,
            built || memory.is_none_or(|memory| memory >= MEMORY_GIB),
            memory.map_or("unknown".to_string(), |memory| format!("{memory:.1} GiB to be had")),
            "a build needs 3 GiB with two jobs: close programs, or set CARGO_BUILD_JOBS=1",
        ),
        build_folder(target, built, is_writable(existing(target)), runs_programs(existing(target))),
        Check::new(
            "temporary folder",
            true,
            is_writable(&temporary),
            if runs_there {
                temporary.display().to_string()
            } else {
                format!(
                    "{} runs no programs (mounted noexec): kernels use {} instead",
                    temporary.display(),
                    root.join(".workbench/tmp").display()
                )
            },
            "make it writable, or set TMPDIR to a folder that is",
        ),
        Check::new("network", true, true, proxies(&|name| std::env::var(name).ok()), ""),
    ]
}

/// What is built is used where nothing can be written, too.
fn build_folder(target: &Path, built: bool, writable: bool, runs: bool) -> Check {
    let folder = target.display();
    Check::new(
        "build folder",
        true,
        (built || writable) && runs,
        match (runs, writable, built) {
            (false, ..) => format!("{folder} runs no programs (mounted noexec)"),
            (_, false, false) => format!("{folder} cannot be written"),
            (_, false, true) => format!("{folder} cannot be written, and is built"),
            _ => folder.to_string(),
        },
        "set CARGO_TARGET_DIR to a folder that can be written and runs programs",
    )
}

/// What stands between this machine and the network, as cargo, pip and apt-get read it.
fn proxies(variable: &dyn Fn(&str) -> Option<String>) -> String {
    const NAMES: [&str; 6] = ["CARGO_HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    let set: Vec<&str> =
        NAMES.into_iter().filter(|name| variable(name).is_some_and(|value| !value.is_empty())).collect();
    if set.is_empty() {
        return "needed once, to download packages; no proxy is set".into();
    }
    // Its address may hold a password.
    format!("needed once, to download packages; through the proxy of {}", set.join(", "))
}

/// The folder itself, or the nearest one above it that is there.
fn existing(folder: &Path) -> &Path {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"))
}

fn is_writable(folder: &Path) -> bool {
    // SAFETY: the path ends in a zero byte; the call writes nothing.
    CString::new(folder.as_os_str().as_bytes()).is_ok_and(|path| unsafe { access(path.as_ptr(), W_OK) == 0 })
}

/// Whether programs and libraries that lie in a folder can be run: not where its disk is mounted `noexec`.
pub fn runs_programs(folder: &Path) -> bool {
    mount_of(folder).is_none_or(|options| !options.split(',').any(|option| option == "noexec"))
}

/// The options of the mount that holds a folder.
fn mount_of(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    options_of(&folder, &std::fs::read_to_string("/proc/self/mounts").ok()?)
}

/// The last of the longest mount points above a folder counts.
fn options_of(folder: &Path, mounts: &str) -> Option<String> {
    let of = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let point = PathBuf::from(words.next()?.replace("\\040", " "));
        let options = words.nth(1)?.to_owned();
        folder.starts_with(&point).then(|| (point.components().count(), options))
    };
    let found = mounts.lines().filter_map(of).max_by_key(|(depth, _)| *depth);
    found.map(|(_, options)| options)
}

fn memory_gib() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / f64::from(1 << 20))
}

/// Free space of the disk that holds `path`, in GiB, as `df` tells it.
fn free_gib(path: &Path) -> Option<f64> {
    let output = std::process::Command::new("df").arg("-Pk").arg(path).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let kib: f64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kib / f64::from(1 << 20))
}

/// Major and minor version in a line such as `rustc 1.95.0 (…)`.
fn version(line: &str) -> Option<(u32, u32)> {
    let number = line.split_whitespace().nth(1)?;
    let mut parts = number.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor))
}

const W_OK: i32 = 2;

unsafe extern "C" {
    fn access(path: *const std::ffi::c_char, mode: i32) -> i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_machine_fails_with_a_remedy_for_each_program() {
        let checks = programs(&|_, _| None);
        assert_eq!(status(&checks), 1);
        for check in &checks[1..] {
            assert!(!check.ok && !check.remedy.is_empty(), "{check:?}");
        }
    }

    #[test]
    fn an_old_compiler_is_refused_and_an_old_python_only_told() {
        let with = |rustc: &'static str, python: &'static str| {
            programs(&move |program, _| {
                Some(match program {
                    "rustc" => rustc.into(),
                    "python3" => python.into(),
                    other => format!("{other} 1"),
                })
            })
        };
        assert_eq!(status(&with("rustc 1.95.0 (abc 2026-04-01)", "Python 3.9.2")), 0);
        assert_eq!(with("rustc 1.95.0", "Python 3.9.2")[4].mark(), "absent");
        assert_eq!(with("rustc 1.95.0", "Python 3.11.2")[4].mark(), "ok");
        assert_eq!(status(&with("rustc 1.80.1 (x)", "Python 3.11.2")), 1);
        assert_eq!(version("nothing"), None);
    }

    #[test]
    fn the_mount_that_holds_a_folder_says_whether_programs_run_there() {
        let mounts = "overlay / overlay rw,relatime 0 0\ntmpfs /scratch tmpfs rw,nosuid,noexec 0 0\ntmpfs /scratch/a\\040b tmpfs rw 0 0\n";
        let runs = |folder: &str| !options_of(Path::new(folder), mounts).unwrap().contains("noexec");
        assert!(runs("/home/x") && !runs("/scratch/x") && runs("/scratch/a b/c") && runs("/scratches"));
    }

    #[test]
    fn what_is_built_serves_from_a_folder_that_cannot_be_written() {
        let of = |built, writable, runs| build_folder(Path::new("/opt/target"), built, writable, runs);
        assert_eq!(status(&[of(true, false, true)]), 0);
        assert!(of(true, false, true).found.contains("cannot be written"));
        assert_eq!(status(&[of(false, false, true)]), 1);
        assert_eq!(status(&[of(true, true, false)]), 1);
        assert!(of(false, true, true).ok);
    }

    #[test]
    fn a_proxy_is_named_without_its_address() {
        let set = |name: &str| (name == "https_proxy").then(|| "http://user:secret@proxy:3128".to_owned());
        let told = proxies(&set);
        assert!(told.contains("https_proxy") && !told.contains("secret"), "{told}");
        assert!(proxies(&|_| None).contains("no proxy"));
    }

    #[test]
    fn this_machine_is_looked_at() {
        let free = free_gib(&std::env::temp_dir()).unwrap();
        assert!((0.0..1e9).contains(&free), "{free}");
        assert!(memory_gib().unwrap() > 0.0);
        let places = places(Path::new("/nowhere"), &std::env::temp_dir().join("nowhere/target"));
        assert!(places.iter().any(|check| check.name == "build folder" && check.ok), "{places:?}");
        assert!(!is_writable(Path::new("/nowhere")) && runs_programs(&std::env::current_dir().unwrap()));
    }
}
