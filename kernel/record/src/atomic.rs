//! Whole files or none: written beside their place, synced, renamed, the folder synced.
//!
//! The one writer of the workspace. A reader sees the old file or the new one, never half of one; after a crash of the machine too.
//! A link stays a link and what it points to is replaced; an existing file keeps its mode, a new one gets what the umask leaves.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// Names of files that are being written: this, some letters, `.tmp`.
const WRITING: &str = ".workbench-";

/// Replaces `path` by `bytes` in one step; missing folders are made.
///
/// # Errors
/// What the system said; the old file stays as it was and no other file is left.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, &mut |file| file.write_all(bytes))
}

/// As [`write()`], with the content written by `fill`.
///
/// # Errors
/// As for [`write()`], and those of `fill`.
pub fn write_with(path: &Path, fill: &mut dyn FnMut(&mut File) -> io::Result<()>) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(WRITING).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As an ordinary new file: the umask decides who may read it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    if let Ok(old) = std::fs::metadata(&path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    // The new name is on disk only once the folder is; some file systems cannot sync a folder.
    if let Ok(open) = File::open(folder) {
        let _ = open.sync_all();
    }
    Ok(())
}

/// Tells one version of a file from the next: files are replaced, never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(SystemTime, u64);

impl Stamp {
    /// Of the file at `path`, if there is one.
    pub fn of(path: &Path) -> Option<Stamp> {
        let metadata = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let identity = std::os::unix::fs::MetadataExt::ino(&metadata) ^ metadata.len().rotate_left(32);
        #[cfg(not(unix))]
        let identity = metadata.len();
        Some(Stamp(metadata.modified().ok()?, identity))
    }
}

/// Takes away what writers that were killed left in `folder`. Only for who knows that nobody writes there now.
pub fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(WRITING) && name.ends_with(".tmp") {
            // What cannot be taken away is litter, and harms nobody.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_in_one_step_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/on/demand.csv");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(files(path.parent().unwrap()), vec!["demand.csv"]);
    }

    #[test]
    fn a_full_disk_in_the_middle_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        write(&path, b"old and whole").unwrap();
        let error = write_with(&path, &mut |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        })
        .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(std::fs::read(&path).unwrap(), b"old and whole");
        assert_eq!(files(folder.path()), vec!["a.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_follows_the_umask_an_old_mode_and_a_link_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        write(&path, b"1").unwrap();
        assert_eq!(mode(&path), mode(&plain));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link.csv");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, b"2").unwrap();
        assert_eq!(mode(&path), 0o640);
        assert_eq!(std::fs::read(&path).unwrap(), b"2");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn what_a_killed_writer_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".workbench-a7.tmp", ".other.tmp", "a.csv"] {
            std::fs::write(folder.path().join(name), "half").unwrap();
        }
        sweep(folder.path());
        assert_eq!(files(folder.path()), [".other.tmp", "a.csv"]);
        sweep(&folder.path().join("nowhere"));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(write(&file.join("a.csv"), b"x").is_err());
    }
}
