//! Temporary folders that are removed also where whoever made them was killed: the next one that makes such a folder does it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::private;

/// Held by the process whose folder it is: process ids mean nothing between containers that share a temporary folder.
const LOCK: &str = "in-use";
/// A folder without a lock was just made, or is of an older version.
const FORGOTTEN: Duration = Duration::from_secs(24 * 3600);

/// A folder of this process alone, which only its owner can read. It is removed with this value.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    _lock: File,
}

impl Scratch {
    /// Makes a folder in `place` whose name begins with `kind` and goes on with `more`, and removes those of this kind that nobody uses.
    ///
    /// # Errors
    /// A place that cannot be written.
    pub fn make(place: &Path, kind: &str, more: &str) -> io::Result<Scratch> {
        sweep(place, kind);
        let folder = private::temporary().prefix(&format!("{kind}{more}")).tempdir_in(place)?;
        // Under its name it is locked from the first moment on.
        let unnamed = folder.path().join("lock");
        let lock = File::create(&unnamed)?;
        lock.lock()?;
        fs::rename(unnamed, folder.path().join(LOCK))?;
        Ok(Scratch { folder, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn sweep(place: &Path, kind: &str) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(kind) {
            continue;
        }
        let Ok(meta) = entry.metadata() else { continue };
        // Another user's is theirs to remove.
        // SAFETY: it only asks.
        if !meta.is_dir() || meta.uid() != unsafe { libc::geteuid() } {
            continue;
        }
        let dead = match File::open(entry.path().join(LOCK)) {
            Ok(lock) => lock.try_lock().is_ok(),
            Err(_) => {
                let age = meta.modified().ok().and_then(|time| time.elapsed().ok());
                age.is_some_and(|age| age > FORGOTTEN)
            }
        };
        if dead {
            // What cannot be removed costs room, no more.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_are_swept_and_others_stay() {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = place.path().join(name);
            fs::create_dir(&path).unwrap();
            let lock = File::create(path.join(LOCK)).unwrap();
            (path, lock)
        };
        let (dead, lock) = folder("kind-a");
        drop(lock);
        let (alive, lock) = folder("kind-b");
        lock.lock().unwrap();
        let (other, _) = folder("something-else");
        let new = place.path().join("kind-c");
        fs::create_dir(&new).unwrap();
        let made = Scratch::make(place.path(), "kind-", "7-").unwrap();
        assert!(!dead.exists());
        assert!(alive.exists() && other.exists() && new.exists() && made.path().exists());
        let path = made.path().to_owned();
        let second = Scratch::make(place.path(), "kind-", "").unwrap();
        assert!(path.exists() && second.path() != path);
        assert!(!private::is_open(&path).unwrap(), "a session's key lies there");
        drop(made);
        assert!(!path.exists());
    }
}
