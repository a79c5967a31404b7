//! The committed verdicts, `results/expected.csv`, that a run is compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::table::{self, Key, Line};
use super::{Error, Scale, Verdict, atomic};

/// A line of `expected.csv`: a verdict is the same for every seed, so it names none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Expected {
    claim: String,
    scale: Scale,
    verdict: Verdict,
}

impl Line for Expected {
    const FILE: &'static str = "expected.csv";
    const COLUMNS: &'static [&'static str] = &["claim", "scale", "verdict"];
    const SINGLE: bool = true;

    fn key(&self) -> Key {
        Key::new(&self.claim, self.scale, 0)
    }
}

/// The committed verdict of each claim and scale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    verdicts: BTreeMap<(String, Scale), Verdict>,
}

impl Baseline {
    /// Reads `expected.csv` of a results folder; a missing file expects nothing.
    ///
    /// # Errors
    /// [`Error::Corrupt`] or [`Error::Io`].
    pub fn read(results: &Path) -> Result<Baseline, Error> {
        let lines: Vec<Expected> = table::read(results)?;
        let verdicts = lines.into_iter().map(|line| ((line.claim, line.scale), line.verdict));
        Ok(Baseline { verdicts: verdicts.collect() })
    }

    /// Writes `expected.csv` of a results folder.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, results: &Path) -> Result<(), Error> {
        let lines: Vec<Expected> =
            self.entries().into_iter().map(|(claim, scale, verdict)| Expected { claim, scale, verdict }).collect();
        let path = results.join(Expected::FILE);
        atomic::write(&path, &table::to_csv(&lines)).map_err(|cause| Error::io("writing", path, cause))
    }

    /// Commits these verdicts of a scale and takes out the claims in `gone`; other claims and the other scale stay.
    pub fn accept(&mut self, scale: Scale, verdicts: &BTreeMap<String, Verdict>, gone: &BTreeSet<String>) {
        self.verdicts.retain(|(claim, at), _| *at != scale || !gone.contains(claim));
        let new = verdicts.iter().map(|(claim, verdict)| ((claim.clone(), scale), *verdict));
        self.verdicts.extend(new);
    }

    /// Keeps the verdicts of these claims.
    pub fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.verdicts.retain(|(claim, _), _| is_kept(claim));
    }

    /// The committed verdicts of one scale, by claim.
    pub fn at(&self, scale: Scale) -> BTreeMap<String, Verdict> {
        let ours = self.verdicts.iter().filter(|((_, at), _)| *at == scale);
        ours.map(|((claim, _), verdict)| (claim.clone(), *verdict)).collect()
    }

    /// The committed verdict of a claim at a scale, if there is one.
    pub fn get(&self, claim: &str, scale: Scale) -> Option<Verdict> {
        self.verdicts.get(&(claim.to_string(), scale)).copied()
    }

    /// All committed verdicts, by claim, then scale.
    pub fn entries(&self) -> Vec<(String, Scale, Verdict)> {
        self.verdicts.iter().map(|((claim, scale), verdict)| (claim.clone(), *scale, *verdict)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_committed_and_refuses_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("expected.csv");
        assert_eq!(Baseline::read(folder.path()).unwrap(), Baseline::default());
        std::fs::write(&path, "claim,scale,verdict\nm/a,quick,holds\nm/a,paper,fails\n").unwrap();
        let baseline = Baseline::read(folder.path()).unwrap();
        assert_eq!(baseline.get("m/a", Scale::Paper), Some(Verdict::Fails));
        assert_eq!(baseline.get("m/b", Scale::Paper), None);
        assert_eq!(baseline.entries().len(), 2);
        for text in [
            "claim,scale\n",
            "claim,scale,verdict\nm/a,quick,yes\n",
            "claim,scale,verdict\nm/a,full,holds\n",
            "claim,scale,verdict\nm/a,quick,holds\nm/a,quick,holds\n",
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(Baseline::read(folder.path()), Err(Error::Corrupt { .. })));
        }
    }

    #[test]
    fn accepting_replaces_one_scale_and_keeps_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let map = |pairs: &[(&str, Verdict)]| pairs.iter().map(|(c, v)| (c.to_string(), *v)).collect();
        let mut baseline = Baseline::default();
        let none = BTreeSet::new();
        let first = map(&[("a/1", Verdict::Holds), ("a/2", Verdict::Fails), ("a/3", Verdict::Fails)]);
        baseline.accept(Scale::Quick, &first, &none);
        baseline.accept(Scale::Paper, &map(&[("a/1", Verdict::Inconclusive), ("a/3", Verdict::Holds)]), &none);
        let gone = BTreeSet::from(["a/3".to_string()]);
        baseline.accept(Scale::Quick, &map(&[("a/2", Verdict::HoldsWithChange)]), &gone);
        baseline.write(folder.path()).unwrap();
        assert_eq!(Baseline::read(folder.path()).unwrap(), baseline);
        assert_eq!(
            std::fs::read_to_string(folder.path().join("expected.csv")).unwrap(),
            "claim,scale,verdict\na/1,quick,holds\na/1,paper,inconclusive\na/2,quick,holds with stated change\na/3,paper,holds\n"
        );
    }

    #[test]
    fn the_committed_file_reads() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks/results");
        assert!(!Baseline::read(&results).unwrap().entries().is_empty());
    }
}
