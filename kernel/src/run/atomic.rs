//! Whole files or none: written beside their place, synced, renamed.

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

/// Replaces `path` by `bytes` in one step; on any failure the old file stays and no other file is left.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_with(path, &mut |file| file.write_all(bytes))
}

/// As [`write`], with the content written by `fill`.
pub fn write_with(path: &Path, fill: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make", folder, source))?;
    let failed = |source| Error::io("write", path, source);
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .tempfile_in(folder)
        .map_err(failed)?;
    fill(file.as_file_mut()).map_err(failed)?;
    keep_mode(path, file.as_file()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A temporary file is private; the file it replaces was not, and a new one should be readable as usual.
#[cfg(unix)]
fn keep_mode(path: &Path, file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0o644, |old| old.permissions().mode() & 0o777);
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_mode(_path: &Path, _file: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_in_one_step_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ipynb");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(files(folder.path()), vec!["a.ipynb"]);
    }

    #[test]
    fn a_full_disk_in_the_middle_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ipynb");
        write(&path, b"old and whole").unwrap();
        let error = write_with(&path, &mut |file| {
            file.write_all(b"half")?;
            Err(std::io::ErrorKind::StorageFull.into())
        })
        .unwrap_err();
        assert!(error.to_string().contains("disk is full"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"old and whole");
        assert_eq!(files(folder.path()), vec!["a.ipynb"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_readable_and_an_old_mode_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ipynb");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write(&path, b"1").unwrap();
        assert_eq!(mode(), 0o644);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"2").unwrap();
        assert_eq!(mode(), 0o640);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = write(&file.join("a.ipynb"), b"x").unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
