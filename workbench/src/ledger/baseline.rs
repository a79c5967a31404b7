//! The committed verdicts, `results/expected.csv`, that a run is compared with.

use std::collections::BTreeMap;
use std::path::Path;

use super::store::read_table;
use super::{Error, Scale, Verdict};

/// The columns of `expected.csv`.
pub const EXPECTED_COLUMNS: [&str; 3] = ["claim", "scale", "verdict"];

/// The committed verdict of each claim and scale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    verdicts: BTreeMap<(String, Scale), Verdict>,
}

impl Baseline {
    /// Reads `expected.csv`; a missing file expects nothing.
    ///
    /// # Errors
    /// [`Error::Corrupt`] or [`Error::Io`].
    pub fn read(path: &Path) -> Result<Baseline, Error> {
        let mut verdicts = BTreeMap::new();
        for (line, fields) in read_table(path, &EXPECTED_COLUMNS)? {
            let corrupt = |problem: String| Error::Corrupt {
                path: path.to_path_buf(),
                line,
                problem,
            };
            let scale: Scale = fields[1].parse().map_err(corrupt)?;
            let verdict: Verdict = fields[2].parse().map_err(corrupt)?;
            if verdicts.insert((fields[0].clone(), scale), verdict).is_some() {
                return Err(corrupt(format!(
                    "a second verdict for `{}` at scale {scale}",
                    fields[0]
                )));
            }
        }
        Ok(Baseline { verdicts })
    }

    /// The committed verdict of a claim at a scale, if there is one.
    pub fn get(&self, claim: &str, scale: Scale) -> Option<Verdict> {
        self.verdicts.get(&(claim.to_string(), scale)).copied()
    }

    /// All committed verdicts, by claim, then scale.
    pub fn entries(&self) -> Vec<(String, Scale, Verdict)> {
        self.verdicts
            .iter()
            .map(|((claim, scale), verdict)| (claim.clone(), *scale, *verdict))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_committed_and_refuses_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("expected.csv");
        assert_eq!(Baseline::read(&path).unwrap(), Baseline::default());
        std::fs::write(&path, "claim,scale,verdict\nm/a,quick,holds\nm/a,paper,fails\n").unwrap();
        let baseline = Baseline::read(&path).unwrap();
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
            assert!(matches!(Baseline::read(&path), Err(Error::Corrupt { .. })));
        }
    }

    #[test]
    fn the_committed_file_reads() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../notebooks/results/expected.csv");
        assert!(path.is_file());
        Baseline::read(&path).unwrap();
    }
}
