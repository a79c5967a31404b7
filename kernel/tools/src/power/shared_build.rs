//! Packages from elsewhere, lent by the build folder of this program to that of the copy, so that only the rooms are compiled there.
//!
//! What cargo and the compiler replace whole is linked; the small files that cargo writes into are copied with their times. What belongs
//! to the workspace itself stays behind: the copy has its own.

use std::ffi::OsStr;
use std::fs::{File, FileTimes};
use std::path::Path;

use workbench_base::error::{Error, Result};

/// Lends what is not there yet and belongs to no package whose name begins with `own`; returns how many files that were. A build folder
/// that does not exist lends nothing.
///
/// # Errors
/// [`Error::Io`] if a file cannot be copied.
pub fn link(from: &Path, to: &Path, own: &str) -> Result<usize> {
    let mut lent = 0;
    for (part, linked) in [("deps", true), ("build", false), (".fingerprint", false)] {
        lent += folder(&from.join(part), &to.join(part), linked, Some(own))?;
    }
    Ok(lent)
}

/// Whether a file or folder belongs to a package whose name begins with `own`; files have underscores where folders have hyphens.
fn belongs(name: &OsStr, own: &str) -> bool {
    let name = name.to_string_lossy().replace('-', "_");
    name.strip_prefix("lib").unwrap_or(&name).starts_with(own)
}

/// `top` names the packages that stay behind, in a folder that has one entry for each.
fn folder(from: &Path, to: &Path, linked: bool, top: Option<&str>) -> Result<usize> {
    let entries = match std::fs::read_dir(from) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(cause) => return Err(Error::io("list", from, cause)),
    };
    std::fs::create_dir_all(to).map_err(|source| Error::io("make", to, source))?;
    let mut lent = 0;
    for entry in entries {
        let entry = entry.map_err(|source| Error::io("list", from, source))?;
        let (path, place) = (entry.path(), to.join(entry.file_name()));
        if top.is_some_and(|own| belongs(&entry.file_name(), own)) {
            continue;
        }
        if path.is_dir() {
            // A package whose folder is there was lent before, or compiled there.
            if !(top.is_some() && place.exists()) {
                lent += folder(&path, &place, linked, None)?;
            }
        } else if !place.exists() {
            one(&path, &place, linked).map_err(|source| Error::io("link", &path, source))?;
            lent += 1;
        }
    }
    Ok(lent)
}

fn one(from: &Path, to: &Path, linked: bool) -> std::io::Result<()> {
    if linked && std::fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    std::fs::copy(from, to)?;
    // Cargo tells by the time whether a package is fresh.
    let times = FileTimes::new().set_modified(std::fs::metadata(from)?.modified()?);
    File::options().write(true).open(to)?.set_times(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_from_elsewhere_are_lent_once_with_their_times() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str| {
            let path = from.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, name).unwrap();
        };
        for name in [
            "deps/libpolars-1.rlib",
            "deps/libworkbench_memory-1.rlib",
            "deps/workbench_verify-1",
            ".fingerprint/polars-1/lib-polars",
            ".fingerprint/workbench-memory-1/lib",
            "build/lax-1/output",
            "examples/a",
        ] {
            write(name);
        }
        assert_eq!(link(from.path(), to.path(), "workbench").unwrap(), 3);
        for (name, there) in [
            ("deps/libpolars-1.rlib", true),
            ("deps/libworkbench_memory-1.rlib", false),
            (".fingerprint/polars-1/lib-polars", true),
            (".fingerprint/workbench-memory-1", false),
            ("examples", false),
        ] {
            assert_eq!(to.path().join(name).exists(), there, "{name}");
        }
        let time = |folder: &Path| std::fs::metadata(folder.join("build/lax-1/output")).unwrap().modified().unwrap();
        assert_eq!(time(from.path()), time(to.path()));
        assert_eq!(link(from.path(), to.path(), "workbench").unwrap(), 0, "nothing twice");
        assert_eq!(link(&from.path().join("none"), to.path(), "workbench").unwrap(), 0);
    }
}
