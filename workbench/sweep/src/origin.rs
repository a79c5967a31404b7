//! From what and on what a sweep is computed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Digest of the sources that this crate is compiled from: the rooms that compute, the sweeps, the lock file; lines of comment left out.
pub const SOURCE: &str = env!("WORKBENCH_SWEEP_SOURCE");
/// `rustc --version` of the compiler that compiled it.
pub const COMPILER: &str = env!("WORKBENCH_SWEEP_COMPILER");

/// The commit of the work tree at `root`; empty outside version control.
pub fn commit(root: &Path) -> String {
    git(root, &["rev-parse", "HEAD"])
}

/// Whether tracked files other than results differ from the commit.
pub(crate) fn dirty(root: &Path) -> bool {
    let changes = git(root, &["status", "--porcelain", "--untracked-files=no"]);
    changes.lines().any(|line| !line.contains("notebooks/results/"))
}

fn git(root: &Path, args: &[&str]) -> String {
    let said = Command::new("git").args(args).current_dir(root).stdin(Stdio::null()).output();
    match said {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_string(),
        _ => String::new(),
    }
}

/// The repository: `WORKBENCH_ROOT`, or the first folder from here upward that holds a lock file and the rooms.
pub(crate) fn root() -> Option<PathBuf> {
    if let Some(root) = std::env::var_os("WORKBENCH_ROOT") {
        return Some(root.into());
    }
    let here = std::env::current_dir().ok()?;
    let is_root = |folder: &&Path| folder.join("Cargo.lock").is_file() && folder.join("workbench/sweep").is_dir();
    here.ancestors().find(is_root).map(Path::to_path_buf)
}

/// Who computes: the machine, and since when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub host: String,
    pub processor: String,
    pub cores: u64,
    pub blas: String,
    /// Start in universal time.
    pub start: String,
}

impl Machine {
    /// This one, now, with so many threads in use.
    pub fn here(threads: usize) -> Machine {
        Machine {
            host: read("/proc/sys/kernel/hostname").trim().to_string(),
            processor: processor(),
            cores: threads as u64,
            blas: crate::blas::config(),
            start: now(),
        }
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn processor() -> String {
    let told = read("/proc/cpuinfo");
    let model = told.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim().to_string())
    });
    model.unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// Universal time, as `2026-01-31T12:00:00Z`.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    written(since)
}

fn written(since: u64) -> String {
    let (days, second) = (since / 86_400, since % 86_400);
    // Civil date of a day count, with years that begin in March (Hinnant).
    let z = days + 719_468;
    let (era, of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_calendars_have_them() {
        for (since, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_795_435_200, "2026-11-23T12:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(written(since), text);
        }
    }

    #[test]
    fn the_sources_and_the_machine_are_named() {
        assert_eq!(SOURCE.len(), 32);
        assert!(COMPILER.starts_with("rustc "), "{COMPILER}");
        let here = Machine::here(3);
        assert!(!here.processor.is_empty() && here.cores == 3 && here.start.ends_with('Z'));
    }
}
