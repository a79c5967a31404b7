//! Compilations in flight: a text that is being compiled is waited for, and not compiled beside it.
//!
//! The calls of a kernel's cells and those that compile ahead of them ([`super::compile_ahead`]) meet here, in a folder of the kernel's: a locked
//! file for each text that is being compiled, and a log of what each call came to. A call that is ended leaves no lock behind.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use workbench_base::control::Control;

/// How long the compilation of a text may have been going when a cell that needs it still waits for it. What compiles ahead does so
/// at the lowest priority: where others keep the machine busy it may hardly get on, and the cell is quicker by itself.
const PATIENCE: Duration = Duration::from_millis(600);
/// How often a call that waits looks again.
const EVERY: Duration = Duration::from_millis(4);

/// On whose behalf a call compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A cell that is to run now.
    Cell,
    /// One that is expected to run.
    Ahead,
}

/// What a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The text was compiled before.
    Found,
    /// The compiler was asked.
    Compiled,
}

/// The folder in which the calls of a kernel meet.
#[derive(Debug, Clone)]
pub struct Compiling {
    folder: PathBuf,
}

/// A text's turn to be compiled, which ends when this is dropped.
#[derive(Debug)]
pub struct Turn {
    _lock: Option<File>,
    waited: bool,
    begun: u128,
}

impl Compiling {
    /// The calls of the kernel whose folder this is.
    pub fn of(kernel: &Path) -> Compiling {
        Compiling { folder: kernel.join("compiling") }
    }

    /// Waits until nobody else compiles the text of `key`, as long as that is worth it.
    pub fn turn(&self, key: &str, who: Who) -> Turn {
        let mut turn = Turn { _lock: None, waited: false, begun: now() };
        let path = self.folder.join(key);
        // Without the folder or the file, two calls may compile the same text: a waste, and no fault.
        let _ = fs::create_dir_all(&self.folder);
        let Ok(file) = OpenOptions::new().create(true).append(true).open(&path) else {
            return turn;
        };
        let control = Control::look();
        let stopped = || control.as_ref().is_some_and(|control| control.stop_requests() > 0);
        loop {
            match file.try_lock() {
                Ok(()) => {
                    // Since when it is being compiled, for those who come.
                    let _ = file.set_modified(SystemTime::now());
                    turn._lock = Some(file);
                    break;
                }
                Err(fs::TryLockError::WouldBlock) if stopped() || who == Who::Cell && age(&file) > PATIENCE => break,
                Err(fs::TryLockError::WouldBlock) => {
                    turn.waited = true;
                    std::thread::sleep(EVERY);
                }
                Err(fs::TryLockError::Error(_)) => break,
            }
        }
        turn.begun = now();
        turn
    }

    /// Writes down what a call came to, with when its turn began and when it ended, in milliseconds.
    pub fn note(&self, key: &str, who: Who, what: What, turn: Option<&Turn>) {
        let now = now();
        let begun = turn.map_or(now, |turn| turn.begun);
        let _ = fs::create_dir_all(&self.folder);
        // The log tells a kernel whether compiling ahead is of use; without it, it is not tried.
        if let Ok(mut log) = OpenOptions::new().create(true).append(true).open(self.log()) {
            let _ = log.write_all(format!("{who} {what} {key} {begun} {now}\n").as_bytes());
        }
    }

    /// How many texts were compiled while their cells waited.
    pub fn waited_for(&self) -> usize {
        let text = fs::read_to_string(self.log()).unwrap_or_default();
        let compiled = format!("{} {} ", Who::Cell, What::Compiled);
        text.lines().filter(|line| line.starts_with(&compiled)).count()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Who::Cell => "cell",
            Who::Ahead => "ahead",
        })
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            What::Found => "found",
            What::Compiled => "compiled",
        })
    }
}

/// How long ago a file was last written to.
fn age(file: &File) -> Duration {
    let modified = file.metadata().and_then(|meta| meta.modified()).ok();
    modified.and_then(|at| at.elapsed().ok()).unwrap_or_default()
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_being_compiled_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let compiling = Compiling::of(folder.path());
        let first = compiling.turn("k", Who::Ahead);
        assert!(!first.waited);
        assert!(!compiling.turn("other", Who::Cell).waited);
        let second = {
            let compiling = compiling.clone();
            std::thread::spawn(move || compiling.turn("k", Who::Ahead))
        };
        std::thread::sleep(10 * EVERY);
        assert!(!second.is_finished());
        drop(first);
        assert!(second.join().unwrap().waited);
    }

    #[test]
    fn a_cell_does_not_wait_for_what_hardly_gets_on() {
        let folder = tempfile::tempdir().unwrap();
        let compiling = Compiling::of(folder.path());
        let first = compiling.turn("k", Who::Ahead);
        let file = OpenOptions::new().append(true).open(compiling.folder.join("k")).unwrap();
        file.set_modified(SystemTime::now() - 2 * PATIENCE).unwrap();
        let second = compiling.turn("k", Who::Cell);
        assert!(!second.waited && second._lock.is_none());
        drop(first);
    }

    #[test]
    fn what_cells_waited_for_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let compiling = Compiling::of(folder.path());
        assert_eq!(compiling.waited_for(), 0);
        let turn = compiling.turn("k", Who::Cell);
        compiling.note("k", Who::Cell, What::Compiled, Some(&turn));
        compiling.note("k", Who::Ahead, What::Compiled, Some(&turn));
        compiling.note("k", Who::Cell, What::Found, None);
        assert_eq!(compiling.waited_for(), 1);
    }
}
