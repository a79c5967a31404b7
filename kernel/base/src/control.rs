//! The kernel's requests to the running cell, in a file that both sides map.
//!
//! A computation looks many times a second at whether it should stop, so the request is a word of shared memory: reading it
//! costs one load. The file has 64 bytes, little-endian `u32` words:
//!
//! | word | meaning |
//! | --- | --- |
//! | 0 | version of this layout, 1 |
//! | 1 | how often the running cell was asked to stop: 0 before each cell, one more at each interrupt |
//! | 2 | number of the cell, one more before each cell |
//!
//! The other words are 0 and for later versions. A reader that finds another version, or no file, is never asked to stop. The
//! compiler calls of a cell look at the same word.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use memmap2::{MmapOptions, MmapRaw};

/// Names the file to the process for cells and to the compiler calls.
pub const CONTROL_ENV: &str = "WORKBENCH_CONTROL";
/// Version of the layout.
pub const VERSION: u32 = 1;

const BYTES: u64 = 64;
const FILE: &str = "control";
const STOP: usize = 1;
const CELL: usize = 2;

/// The mapped file.
pub struct Control {
    map: MmapRaw,
}

impl Control {
    /// Where the file of a session is.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// Makes the file in the session's folder; the kernel's side.
    ///
    /// # Errors
    /// The file cannot be written or mapped.
    pub fn create(folder: &Path) -> std::io::Result<Control> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(Self::path(folder))?;
        file.set_len(BYTES)?;
        let control = Control { map: MmapOptions::new().map_raw(&file)? };
        control.word(0).store(VERSION.to_le(), Ordering::SeqCst);
        Ok(control)
    }

    /// Looks at the file named in the environment; nothing where there is none of this version.
    pub fn look() -> Option<Control> {
        let file = File::open(std::env::var_os(CONTROL_ENV)?).ok()?;
        if file.metadata().ok()?.len() < BYTES {
            return None;
        }
        let control = Control { map: MmapOptions::new().map_raw_read_only(&file).ok()? };
        (u32::from_le(control.word(0).load(Ordering::Relaxed)) == VERSION).then_some(control)
    }

    /// How often the running cell was asked to stop.
    pub fn stop_requests(&self) -> u32 {
        u32::from_le(self.word(STOP).load(Ordering::Relaxed))
    }

    /// Before a cell: nobody has asked it to stop.
    pub fn next_cell(&self) {
        self.word(STOP).store(0, Ordering::SeqCst);
        let cell = u32::from_le(self.word(CELL).load(Ordering::Relaxed)).wrapping_add(1);
        self.word(CELL).store(cell.to_le(), Ordering::SeqCst);
    }

    /// Asks the running cell to stop.
    pub fn request_stop(&self) {
        let requests = self.stop_requests().saturating_add(1);
        self.word(STOP).store(requests.to_le(), Ordering::SeqCst);
    }

    fn word(&self, number: usize) -> &AtomicU32 {
        debug_assert!(number * 4 < BYTES as usize);
        // SAFETY: the map is page-aligned, longer than the word's place and lives as long as the reference. Both sides touch
        // its words only through atomics. A file that someone else cuts short would fault; it lies in a private folder.
        unsafe { AtomicU32::from_ptr(self.map.as_mut_ptr().add(number * 4).cast()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(folder: &Path) -> Vec<u32> {
        let bytes = std::fs::read(Control::path(folder)).unwrap();
        let words = bytes.chunks_exact(4);
        words.map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
    }

    #[test]
    fn the_file_has_the_documented_words() {
        let folder = tempfile::tempdir().unwrap();
        let control = Control::create(folder.path()).unwrap();
        assert_eq!(words(folder.path()).len(), 16);
        control.next_cell();
        control.request_stop();
        control.request_stop();
        assert_eq!(words(folder.path())[..4], [1, 2, 1, 0]);
        control.next_cell();
        assert_eq!(words(folder.path())[..4], [1, 0, 2, 0]);
        assert_eq!(control.stop_requests(), 0);
    }
}
