//! Planted faults: which one is live, which sites were reached. Written by `cargo workbench power` into its copy of the sources.

use std::io::Write;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Sites that can be told apart; those beyond are live and never written down.
const SITES: usize = 4096;
static REACHED: [AtomicU64; SITES / 64] = [const { AtomicU64::new(0) }; SITES / 64];
static LIVE: AtomicU32 = AtomicU32::new(0);

/// Whether the fault of this number is the live one.
#[inline]
pub fn planted(fault: u32) -> bool {
    let (word, bit) = (fault as usize % SITES / 64, 1u64 << (fault % 64));
    // What is known as reached was reached after the live one was read.
    if REACHED[word].load(Ordering::Acquire) & bit == 0 {
        reach(fault, word, bit);
    }
    LIVE.load(Ordering::Relaxed) == fault
}

#[cold]
#[inline(never)]
fn reach(fault: u32, word: usize, bit: u64) {
    let live = std::env::var("WORKBENCH_FAULT").ok();
    LIVE.store(live.and_then(|text| text.parse().ok()).unwrap_or(0), Ordering::Relaxed);
    let before = REACHED[word].fetch_or(bit, Ordering::AcqRel);
    if before & bit == 0
        && let Some(path) = std::env::var_os("WORKBENCH_FAULT_REACHED")
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path)
    {
        // One write for one line: threads and processes may write at once.
        let _ = file.write_all(format!("{fault}\n").as_bytes());
    }
}
