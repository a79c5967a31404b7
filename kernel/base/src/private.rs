//! Folders that only their owner can enter: keys and tokens lie in them, and other programs choose the modes of their files.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

/// All for the owner, nothing for anybody else.
const OWNER: u32 = 0o700;
/// Longest path of a socket in such a folder; the system takes a few bytes more.
pub const LONGEST_SOCKET: usize = 100;
/// What the owner's group and all others may do.
const OTHERS: u32 = 0o077;

/// Makes a folder of this kind, or takes others' rights away from one that is there.
///
/// # Errors
/// It cannot be made, it is another user's, or its disk does not know such rights.
pub fn make(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    match DirBuilder::new().mode(OWNER).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    // SAFETY: geteuid has no arguments and cannot fail.
    if fs::metadata(folder)?.uid() != unsafe { libc::geteuid() } {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is another user's"));
    }
    if is_open(folder)? {
        fs::set_permissions(folder, Permissions::from_mode(OWNER))?;
        if is_open(folder)? {
            return Err(io::Error::other("its disk gives everybody the same rights"));
        }
    }
    Ok(())
}

/// What makes temporary folders of this kind; by itself it leaves their rights to the umask.
pub fn temporary<'a, 'b>() -> tempfile::Builder<'a, 'b> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(OWNER));
    builder
}

/// Whether anybody but its owner can do anything with it.
///
/// # Errors
/// There is nothing of this name, or it is no folder.
pub fn is_open(folder: &Path) -> io::Result<bool> {
    let found = fs::metadata(folder)?;
    if !found.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(found.permissions().mode() & OTHERS != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_its_owners_whether_it_is_new_or_was_open_before() {
        let place = tempfile::tempdir().unwrap();
        let new = place.path().join("made/on/demand");
        make(&new).unwrap();
        assert!(!is_open(&new).unwrap());
        let old = place.path().join("old");
        fs::create_dir(&old).unwrap();
        // As Jupyter left it under an ordinary umask: the sticky bit, and others may look.
        fs::set_permissions(&old, Permissions::from_mode(0o1755)).unwrap();
        assert!(is_open(&old).unwrap());
        make(&old).unwrap();
        assert!(!is_open(&old).unwrap());
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(make(&file).unwrap_err().kind(), io::ErrorKind::NotADirectory);
        assert!(!is_open(temporary().tempdir().unwrap().path()).unwrap());
    }
}
