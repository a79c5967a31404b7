//! Toolchain: the compiler there is. One that is updated stays at its path, and what the old one made is of no use to the new one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The beginning of the name of the library that most of the compiler is in; a word of its own version follows.
const DRIVER: &str = "librustc_driver";

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
