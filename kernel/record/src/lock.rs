//! Lock on the tables of a folder: one process writes at a time, and it says who it is.
//!
//! The lock is the kernel's lock on `.record.lock`, so it ends with its process however that ends. The holder stands beside it in
//! `.record.holder`, for the message only: what it says is never trusted as a lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Error, atomic};

const FILE: &str = ".record.lock";
const HOLDER: &str = ".record.holder";
const POLL: Duration = Duration::from_millis(5);

/// The right to write the tables of one folder, for as long as the value lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
    folder: PathBuf,
}

impl Lock {
    /// Takes the lock of `folder` for `holder` (a few words: which command, since when), waiting at most `patience` for others.
    ///
    /// # Errors
    /// [`Error::Locked`] with the words of the holder, [`Error::Io`].
    pub fn take(folder: &Path, holder: &str, patience: Duration) -> Result<Lock, Error> {
        std::fs::create_dir_all(folder).map_err(|cause| Error::io("making the results folder", folder, cause))?;
        let path = folder.join(FILE);
        let failed = |cause| Error::io("locking", &path, cause);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(cause)) => return Err(failed(cause)),
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => std::thread::sleep(POLL),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Locked {
                        folder: folder.to_path_buf(),
                        holder: holder_of(folder),
                        hint: "try again when that has ended (`run --wait` waits for it), or name another folder"
                            .into(),
                    });
                }
            }
        }
        let text = format!("{holder} (process {})", std::process::id());
        atomic::write(&folder.join(HOLDER), text.as_bytes())
            .map_err(|cause| Error::io("naming the holder of", folder, cause))?;
        Ok(Lock { file, folder: folder.to_path_buf() })
    }

    /// The folder whose tables may be written.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Only a courtesy: whoever takes the lock next writes its own name.
        let _ = std::fs::remove_file(self.folder.join(HOLDER));
        // A process that another thread has just forked has the file too, until it becomes its program.
        let _ = self.file.unlock();
    }
}

/// The words of the process that holds the lock.
fn holder_of(folder: &Path) -> String {
    match std::fs::read_to_string(folder.join(HOLDER)) {
        Ok(text) if !text.trim().is_empty() => text.trim().to_string(),
        _ => "another process".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_is_first_and_gets_its_turn() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path(), "run r1 since noon", Duration::ZERO).unwrap();
        let error = Lock::take(folder.path(), "run r2", Duration::from_millis(20)).unwrap_err();
        let told = error.to_string();
        assert!(told.contains("run r1 since noon") && told.contains("--wait"), "{told}");
        let waiting = std::thread::scope(|scope| {
            let second = scope.spawn(|| Lock::take(folder.path(), "run r2", Duration::from_secs(20)));
            std::thread::sleep(Duration::from_millis(30));
            drop(first);
            second.join().unwrap()
        });
        assert!(waiting.is_ok());
    }

    #[test]
    fn what_a_killed_process_leaves_does_not_lock() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "").unwrap();
        std::fs::write(folder.path().join(HOLDER), "run r0 (process 1)").unwrap();
        Lock::take(folder.path(), "run r1", Duration::ZERO).unwrap();
    }
}
