//! Cache of what was found out so far, by the digest of the methods that it was found out about: nothing is computed twice.
//!
//! | in the folder | |
//! | --- | --- |
//! | `src`, `target` | the copy and its build, of the last call |
//! | `DIGEST/faults.json` | the sites that are planted, in the order of their numbers |
//! | `DIGEST/without` | each claim's answer without a live fault |
//! | `DIGEST/hunted.jsonl` | a line for each hunt, the last one of a fault counts |
//! | `DIGEST/power.csv`, `power.md` | the report |

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use workbench_record::{atomic, digest};

use super::error::PowerError;
use super::house::House;
use super::hunt::Hunted;
use super::sites::Site;
use workbench_base::error::{Error, Result};

/// The folder of one state of the sources.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What the methods are today and what judges, with the sites that are drawn first. Checks do not count: each claim's answer knows its own.
///
/// # Errors
/// [`Error::Record`] if a source cannot be read.
pub fn digest_of(root: &Path, drawn: &[Site]) -> Result<String> {
    let mut digest = digest::Digest::default();
    let house = House::of(root);
    let folders: Vec<String> = house.rooms.into_iter().map(|(_, sources)| sources).chain(house.judges).collect();
    digest.add(digest::of_sources(root, &folders)?);
    digest.add(std::fs::read(root.join("Cargo.lock")).unwrap_or_default());
    drawn.iter().for_each(|site| digest.add(site.name()));
    Ok(digest.finish())
}

impl Cache {
    /// The folder for this digest below `out`; it is made if it is missing.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be made, [`PowerError::NotOurs`] if `out` holds what this command does not write.
    pub fn open(out: &Path, digest: &str) -> Result<Cache> {
        let folder = out.join(digest);
        let names = std::fs::read_dir(out).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        let is_digest = |name: &str| name.len() == digest.len() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(other) = names.iter().find(|name| !matches!(name.as_str(), "src" | "target") && !is_digest(name)) {
            return Err(PowerError::NotOurs { folder: out.to_path_buf(), holds: other.clone() }.into());
        }
        std::fs::create_dir_all(&folder).map_err(|source| Error::io("make", &folder, source))?;
        Ok(Cache { folder })
    }

    /// Where answers without a fault are.
    pub fn without(&self) -> PathBuf {
        self.folder.join("without")
    }

    /// Where the answer with a fault is while it is looked at.
    pub fn with(&self, fault: u32) -> PathBuf {
        self.folder.join("with").join(fault.to_string())
    }

    /// A file of the report.
    pub fn report(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("power.{ending}"))
    }

    /// The planted sites, if they are settled.
    pub fn faults(&self) -> Option<Vec<Site>> {
        serde_json::from_slice(&std::fs::read(self.folder.join("faults.json")).ok()?).ok()
    }

    /// Settles them.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn settle(&self, sites: &[Site]) -> Result<()> {
        put(&self.folder.join("faults.json"), &serde_json::to_vec_pretty(sites).unwrap_or_default())
    }

    /// The last hunt of each fault.
    pub fn hunted(&self) -> BTreeMap<u32, Hunted> {
        let text = std::fs::read_to_string(self.folder.join("hunted.jsonl")).unwrap_or_default();
        // A line that a killed process left half is no hunt.
        let hunts = text.lines().filter_map(|line| serde_json::from_str::<Hunted>(line).ok());
        hunts.map(|hunted| (hunted.fault, hunted)).collect()
    }

    /// Adds a hunt.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn add(&self, hunted: &Hunted) -> Result<()> {
        let path = self.folder.join("hunted.jsonl");
        let failed = |source| Error::io("write", &path, source);
        let mut line = serde_json::to_string(hunted).unwrap_or_default();
        line.push('\n');
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.write_all(line.as_bytes()).map_err(failed)
    }
}

/// Writes a file whole.
///
/// # Errors
/// [`Error::Io`].
pub fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    atomic::write(path, bytes).map_err(|source| Error::io("write", path, source))
}

#[cfg(test)]
mod tests {
    use super::super::hunt::Outcome;
    use super::*;

    fn hunted(fault: u32, outcome: Outcome, asked: usize) -> Hunted {
        Hunted {
            fault,
            outcome,
            reached_by: 3,
            asked,
            claim: None,
            check: "c".into(),
            said: "a, b".into(),
            nearest: None,
            seconds: 1.5,
        }
    }

    #[test]
    fn hunts_are_kept_and_the_last_one_counts() {
        let out = tempfile::tempdir().unwrap();
        let kept = Cache::open(out.path(), "d").unwrap();
        assert!(kept.hunted().is_empty() && kept.faults().is_none());
        kept.add(&hunted(2, Outcome::Unfinished, 1)).unwrap();
        kept.add(&hunted(2, Outcome::Verdict, 2)).unwrap();
        std::fs::OpenOptions::new()
            .append(true)
            .open(out.path().join("d/hunted.jsonl"))
            .unwrap()
            .write_all(b"{\"fault\": 3, \"outc")
            .unwrap();
        let back = Cache::open(out.path(), "d").unwrap().hunted();
        assert_eq!(back.len(), 1);
        assert_eq!(back[&2], hunted(2, Outcome::Verdict, 2));
        kept.settle(&[]).unwrap();
        assert_eq!(kept.faults(), Some(Vec::new()));
    }

    #[test]
    fn other_sources_and_other_draws_have_other_digests() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("workbench/memory/src/a.rs");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "fn a() {}").unwrap();
        std::fs::write(root.path().join("workbench/memory/statements.md"), "").unwrap();
        let drawn = super::super::sites::of_file("memory", "a.rs", "fn f(x: f64) -> f64 { -x + (-x) }");
        let of = |drawn: &[Site]| digest_of(root.path(), drawn).unwrap();
        let first = of(&drawn);
        assert!(first == of(&drawn) && first != of(&drawn[1..]));
        std::fs::write(&path, "fn b() {}").unwrap();
        assert_ne!(first, of(&drawn));
    }
}
