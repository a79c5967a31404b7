//! What the crate was built from, told by content. Times alone do not tell: a clock that was set back, an archive that was
//! unpacked and a version control that restores files all make new sources look old.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::setup::paths::crates;

/// One source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    /// Size, inode and the times of the last change to content and to anything: while these stay, the content does.
    state: [i64; 6],
    /// Fingerprint of the content.
    content: u64,
}

/// The sources of the crate and the workspace's lock file, as they were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    files: BTreeMap<PathBuf, Source>,
}

impl Sources {
    /// Reads the sources of the project at `root`.
    pub fn read(root: &Path) -> Sources {
        let files = list(root)
            .into_iter()
            .filter_map(|file| {
                let state = state(&file)?;
                let content = fingerprint(&fs::read(&file).ok()?);
                Some((file, Source { state, content }))
            })
            .collect();
        Sources { files }
    }

    /// A file that is new, gone or has another content now; nothing when all is as it was. Cost: a look at each file's
    /// metadata, and the content of those that were touched.
    pub fn changed(&self, root: &Path) -> Option<PathBuf> {
        let now = list(root);
        if let Some(file) = now.iter().find(|file| self.differs(file)) {
            return Some(file.clone());
        }
        self.files.keys().find(|file| !now.contains(file)).cloned()
    }

    /// Whether `later` differs in what the crate is compiled from, the lock file aside.
    pub fn changed_crate(&self, later: &Sources) -> bool {
        let crate_only = |sources: &Sources| -> Vec<(PathBuf, u64)> {
            let kept = sources.files.iter().filter(|(file, _)| !file.ends_with("Cargo.lock"));
            kept.map(|(file, source)| (file.clone(), source.content)).collect()
        };
        crate_only(self) != crate_only(later)
    }

    /// Takes one file as it is now.
    pub fn read_again(&mut self, file: &Path) {
        self.files.remove(file);
        if let (Some(state), Ok(bytes)) = (state(file), fs::read(file)) {
            let content = fingerprint(&bytes);
            self.files.insert(file.to_path_buf(), Source { state, content });
        }
    }

    fn differs(&self, file: &Path) -> bool {
        let Some(known) = self.files.get(file) else {
            return true;
        };
        if state(file).is_some_and(|state| state == known.state) {
            return false;
        }
        fs::read(file).map_or(true, |bytes| fingerprint(&bytes) != known.content)
    }
}

fn state(file: &Path) -> Option<[i64; 6]> {
    let meta = file.metadata().ok()?;
    Some([
        i64::try_from(meta.size()).unwrap_or(i64::MAX),
        meta.ino().cast_signed(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
    ])
}

fn list(root: &Path) -> Vec<PathBuf> {
    let crates = crates(root);
    let mut folders: Vec<PathBuf> = crates.iter().map(|folder| root.join(folder).join("src")).collect();
    let manifests = crates.iter().map(|folder| root.join(folder).join("Cargo.toml"));
    let mut files: Vec<PathBuf> = manifests
        .chain([root.join("Cargo.lock")])
        .filter(|file| file.is_file())
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => files.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    files.sort();
    files
}

/// FNV-1a: tells one file from another, and proves nothing.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("workbench/src/deep")).unwrap();
        for file in [
            "workbench/Cargo.toml",
            "Cargo.lock",
            "workbench/src/lib.rs",
            "workbench/src/deep/a.rs",
        ] {
            fs::write(folder.path().join(file), file).unwrap();
        }
        folder
    }

    fn set_time(file: &Path, time: SystemTime) {
        fs::File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_modified(time)
            .unwrap();
    }

    #[test]
    fn times_alone_change_nothing_and_an_old_looking_edit_is_a_change() {
        let folder = project();
        let file = folder.path().join("workbench/src/deep/a.rs");
        let before = Sources::read(folder.path());
        for time in [SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(1 << 30)] {
            set_time(&file, time);
            assert_eq!(before.changed(folder.path()), None);
        }
        // The same length, and a time before everything else.
        fs::write(&file, "workbench/src/deep/b.rs").unwrap();
        set_time(&file, SystemTime::UNIX_EPOCH);
        assert_eq!(before.changed(folder.path()), Some(file));
    }

    #[test]
    fn new_and_missing_files_are_changes() {
        let folder = project();
        let before = Sources::read(folder.path());
        let new = folder.path().join("workbench/src/new.rs");
        fs::write(&new, "").unwrap();
        assert_eq!(before.changed(folder.path()), Some(new.clone()));
        fs::remove_file(new).unwrap();
        assert_eq!(before.changed(folder.path()), None);
        let gone = folder.path().join("Cargo.lock");
        fs::remove_file(&gone).unwrap();
        assert_eq!(before.changed(folder.path()), Some(gone));
    }

    #[test]
    fn what_was_read_survives_being_written_down() {
        let folder = project();
        let before = Sources::read(folder.path());
        let text = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<Sources>(&text).unwrap(), before);
    }
}
