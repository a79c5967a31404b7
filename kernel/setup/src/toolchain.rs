//! Toolchain: the compiler there is. One that is updated stays at its path, and what the old one made is of no use to the new one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::UNIX_EPOCH;

/// The beginning of the name of the library that most of the compiler is in; a word of its own version follows.
const DRIVER: &str = "librustc_driver";

/// What to say where there is none.
pub const NONE: &str = "cells and checks are compiled, and no Rust toolchain was found on the PATH or in ~/.cargo/bin: install one from \
                        https://rustup.rs, then try again; restart a kernel that runs";

/// rustup, where it is on the PATH, or where it installs itself: programs that a desktop starts have another PATH than a terminal.
pub fn rustup() -> PathBuf {
    let name = Path::new("rustup");
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let own = home.map(|home| home.join("bin/rustup")).filter(|file| file.is_file());
    match on_path(name).is_file() {
        true => name.to_path_buf(),
        false => own.unwrap_or_else(|| name.to_path_buf()),
    }
}

/// The tools themselves rather than rustup's proxies, which would decide anew at each call. It is asked for all of them at once.
pub fn real_tools<const N: usize>(names: [&str; N]) -> [PathBuf; N] {
    let asked = names.map(|name| {
        let mut rustup = Command::new(rustup());
        rustup.args(["which", name]).stdin(Stdio::null()).stderr(Stdio::null());
        (name, rustup.stdout(Stdio::piped()).spawn())
    });
    asked.map(|(name, rustup)| {
        let from_rustup = rustup.and_then(Child::wait_with_output).ok().and_then(|output| {
            let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
            (output.status.success() && path.is_file()).then_some(path)
        });
        from_rustup.unwrap_or_else(|| PathBuf::from(name))
    })
}

/// Whether a compiler understands what cells are made of.
///
/// # Errors
/// Its version, the one that is needed, and what to do.
pub fn is_new_enough(rustc: &Path) -> Result<(), String> {
    let said = Command::new(rustc).arg("--version").output().map_err(|_| NONE.to_owned())?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let version = |text: &str| -> Option<(u64, u64)> {
        let mut parts = text.split(['.', '-', ' ']).map(str::parse::<u64>);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    };
    let needed = env!("CARGO_PKG_RUST_VERSION");
    match (said.strip_prefix("rustc ").and_then(version), version(needed)) {
        (Some(there), Some(least)) if there < least => Err(format!(
            "cells need Rust {needed} or later, and {} is {}: run `rustup update stable`, then restart the kernel",
            rustc.display(),
            said.trim()
        )),
        _ => Ok(()),
    }
}

/// What tells a compiler from the one that was there before: the program's place, length and time, and the library behind it. No
/// process is started for it.
pub fn fingerprint(rustc: &Path) -> String {
    let program = on_path(rustc);
    let program = program.canonicalize().unwrap_or(program);
    let meta = program.metadata().ok();
    let length = meta.as_ref().map_or(0, fs::Metadata::len);
    let time = meta
        .and_then(|meta| meta.modified().ok())
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .unwrap_or_default();
    let mut drivers: Vec<String> = program
        .ancestors()
        .nth(2)
        .and_then(|root| fs::read_dir(root.join("lib")).ok())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(DRIVER))
        .collect();
    drivers.sort();
    format!("{} {length} {} {}", program.display(), time.as_nanos(), drivers.join(" "))
}

/// A program that is named without its folder, looked for as a shell would.
fn on_path(program: &Path) -> PathBuf {
    if program.components().count() > 1 {
        return program.to_path_buf();
    }
    let path = std::env::var_os("WORKBENCH_REAL_PATH").or_else(|| std::env::var_os("PATH"));
    let folders = path.iter().flat_map(std::env::split_paths);
    let mut found = folders.map(|folder| folder.join(program)).filter(|file| file.is_file());
    found.next().unwrap_or_else(|| program.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_compiler_is_told_with_what_to_do() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let rustc = folder.path().join("rustc");
        for (version, told) in [("1.70.0 (90c541806 2023-05-31)", true), ("1.999.0-nightly (x)", false), ("?", false)] {
            fs::write(&rustc, format!("#!/bin/sh\necho 'rustc {version}'\n")).unwrap();
            fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(is_new_enough(&rustc).is_err_and(|said| said.contains("rustup update")), told, "{version}");
        }
        assert_eq!(is_new_enough(&folder.path().join("none")).unwrap_err(), NONE);
    }

    #[test]
    fn another_compiler_at_the_same_path_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let rustc = folder.path().join("bin/rustc");
        fs::create_dir_all(rustc.parent().unwrap()).unwrap();
        fs::create_dir_all(folder.path().join("lib")).unwrap();
        fs::write(&rustc, "one").unwrap();
        let first = fingerprint(&rustc);
        assert_eq!(fingerprint(&rustc), first);
        fs::write(folder.path().join("lib/librustc_driver-1a.so"), "").unwrap();
        let second = fingerprint(&rustc);
        assert_ne!(second, first);
        fs::write(&rustc, "other").unwrap();
        assert_ne!(fingerprint(&rustc), second);
        // One that is not there is told apart from one that is.
        assert_ne!(fingerprint(Path::new("/nowhere/rustc")), first);
    }
}
