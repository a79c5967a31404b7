//! The tables that a run reads: the ledger, the committed verdicts, the registry of claims.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomic;
use crate::error::{Error, Result};

/// One row of `ledger.csv`, all fields as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Row {
    /// Claim id.
    pub claim: String,
    /// Verdict in words.
    pub verdict: String,
    /// What the document says.
    #[serde(default)]
    pub expected: String,
    /// What came out.
    #[serde(default)]
    pub measured: String,
    /// Lower end of the interval.
    #[serde(default)]
    pub low: String,
    /// Upper end of the interval.
    #[serde(default)]
    pub high: String,
    /// Independent units behind it.
    #[serde(default)]
    pub n: String,
    /// Seed of the session.
    #[serde(default)]
    pub seed: String,
    /// `quick` or `paper`.
    #[serde(default)]
    pub scale: String,
    /// Time of the check.
    #[serde(default)]
    pub seconds: String,
    /// Notebook that recorded it.
    #[serde(default)]
    pub notebook: String,
    /// Cell that recorded it.
    #[serde(default)]
    pub cell: String,
    /// The comparison that decided it.
    #[serde(default)]
    pub finding: String,
    /// What had to change.
    #[serde(default)]
    pub change: String,
    /// Remark.
    #[serde(default)]
    pub note: String,
}

/// Reads `ledger.csv` of a results folder; a ledger that does not exist yet is empty.
pub fn ledger(results: &Path) -> Result<Vec<Row>> {
    read(
        &results.join("ledger.csv"),
        "restore it from the repository, or delete it and run again",
    )
}

/// One committed verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Expected {
    /// Claim id.
    pub claim: String,
    /// Scale at which it was found.
    pub scale: String,
    /// Verdict in words.
    pub verdict: String,
}

/// The committed verdicts of one scale, by claim.
pub fn expected(path: &Path, scale: &str) -> Result<BTreeMap<String, String>> {
    let rows: Vec<Expected> = read(path, "restore it from the repository, or make it anew with --accept")?;
    Ok(rows
        .into_iter()
        .filter(|row| row.scale == scale)
        .map(|row| (row.claim, row.verdict))
        .collect())
}

/// Puts these verdicts into the committed table and takes out the claims in `gone`; rows of other claims and scales stay.
pub fn accept(path: &Path, scale: &str, verdicts: &BTreeMap<String, String>, gone: &BTreeSet<String>) -> Result<()> {
    let old: Vec<Expected> = read(path, "restore it from the repository")?;
    let mut rows: Vec<Expected> = old
        .into_iter()
        .filter(|row| row.scale != scale || !(verdicts.contains_key(&row.claim) || gone.contains(&row.claim)))
        .collect();
    rows.extend(verdicts.iter().map(|(claim, verdict)| Expected {
        claim: claim.clone(),
        scale: scale.into(),
        verdict: verdict.clone(),
    }));
    rows.sort();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |why: String| Error::Results {
        operation: "write",
        path: path.to_path_buf(),
        why,
        hint: "check the disk and the folder's permissions",
    };
    for row in rows {
        writer.serialize(row).map_err(|error| failed(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    atomic::write(path, &bytes)
}

/// Which notebook checks each claim, from the registry; empty when there is no registry.
pub fn notebooks_of_claims(claims: &Path) -> Result<BTreeMap<String, String>> {
    let failed = |why: String| Error::Results {
        operation: "read",
        path: claims.to_path_buf(),
        why,
        hint: "restore it from the repository",
    };
    let text = match std::fs::read_to_string(claims) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(failed(error.to_string())),
    };
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| failed(error.to_string()))?;
    let rows = table.get("claim").and_then(|rows| rows.as_array());
    Ok(rows
        .into_iter()
        .flatten()
        .filter_map(|row| {
            let id = row.get("id")?.as_str()?;
            let notebook = row.get("notebook")?.as_str()?;
            Some((id.to_string(), notebook.to_string()))
        })
        .collect())
}

/// Refuses a results folder that cannot be written, before any kernel starts.
pub fn check_writable(results: &Path) -> Result<()> {
    std::fs::create_dir_all(results).map_err(|source| Error::io("make", results, source))?;
    tempfile::NamedTempFile::new_in(results)
        .map(|_| ())
        .map_err(|source| Error::io("write into the results folder", results, source))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path, hint: &'static str) -> Result<Vec<T>> {
    let failed = |why: String| Error::Results {
        operation: "read",
        path: PathBuf::from(path),
        why,
        hint,
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error.to_string())),
    };
    csv::Reader::from_reader(text.as_bytes())
        .deserialize()
        .collect::<std::result::Result<Vec<T>, _>>()
        .map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepting_replaces_only_what_was_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("expected.csv");
        let map = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(claim, verdict)| (claim.to_string(), verdict.to_string()))
                .collect::<BTreeMap<_, _>>()
        };
        let put = |scale: &str, pairs: &[(&str, &str)], gone: &[&str]| {
            let gone = gone.iter().map(|claim| claim.to_string()).collect();
            accept(&path, scale, &map(pairs), &gone).unwrap();
        };
        put("quick", &[("a/1", "holds"), ("a/2", "fails"), ("a/3", "fails")], &[]);
        put("paper", &[("a/1", "inconclusive"), ("a/3", "holds")], &[]);
        put("quick", &[("a/2", "holds with stated change")], &["a/3"]);
        let quick = expected(&path, "quick").unwrap();
        assert_eq!(quick, map(&[("a/1", "holds"), ("a/2", "holds with stated change")]));
        assert_eq!(
            expected(&path, "paper").unwrap(),
            map(&[("a/1", "inconclusive"), ("a/3", "holds")])
        );
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("claim,scale,verdict\na/1,paper,"), "{text}");
    }

    #[test]
    fn a_ledger_with_a_broken_row_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ledger(folder.path()).unwrap().is_empty());
        let path = folder.path().join("ledger.csv");
        std::fs::write(&path, "claim,verdict\na/1,holds\nhalf\n").unwrap();
        let error = ledger(folder.path()).unwrap_err().to_string();
        assert!(error.contains("line: 3"), "{error}");
    }

    #[test]
    fn the_registry_says_where_a_claim_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claims.toml");
        assert!(notebooks_of_claims(&path).unwrap().is_empty());
        std::fs::write(&path, "[[claim]]\nid = \"a/1\"\nnotebook = \"tour\"\n").unwrap();
        assert_eq!(notebooks_of_claims(&path).unwrap()["a/1"], "tour");
        std::fs::write(&path, "[[claim]\n").unwrap();
        assert!(notebooks_of_claims(&path).is_err());
    }

    #[test]
    fn a_results_folder_that_cannot_be_written_is_refused_early() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(&folder.path().join("new/results")).unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(check_writable(&file).is_err());
    }
}
