//! Commands that only read the record: `list`, `diff` and `certify`.
//!
//! None of them builds anything, starts a kernel, or needs Python or the network, so they answer at once and on any clone.
//!
//! | file | holds |
//! | --- | --- |
//! | `list`, `listing` | which claims are asked for; the table and the JSON of them |
//! | `diff`, `changes`, `findings`, `comparison` | two records side by side: rows, findings, and both as text |
//! | `certify`, `certificate`, `origin`, `seal`, `page` | what a certificate says, its digest, and its two forms on disk |
//! | `source`, `runs`, `older`, `git` | where a record comes from: the results folder, a run, another folder, a revision |
//! | `present`, `groups`, `fit` | what counts as stale today, rows that agree over seeds, tables that fit a terminal |

pub mod certificate;
pub mod certify;
pub mod changes;
pub mod comparison;
pub mod diff;
pub mod findings;
pub mod fit;
pub mod git;
pub mod groups;
pub mod list;
pub mod listing;
pub mod older;
pub mod origin;
pub mod page;
pub mod present;
pub mod runs;
pub mod seal;
pub mod source;

use std::collections::HashSet;

use workbench_record::{Registry, Verdict};

use workbench_base::error::Result;

/// Writes JSON for other programs to standard output, and nothing else.
fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|cause| {
        workbench_base::error::Error::io("write JSON to", std::path::Path::new("standard output"), cause.into())
    })?;
    println!("{text}");
    Ok(())
}

/// The ids that match at least one of the patterns; none stands for all.
///
/// # Errors
/// For a pattern that is none, or that no claim of the registry matches.
fn chosen<'a>(registry: &'a Registry, patterns: &[String]) -> Result<Option<HashSet<&'a str>>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut ids = HashSet::new();
    for pattern in patterns {
        ids.extend(registry.matching(pattern)?.into_iter().map(|claim| claim.id.as_str()));
    }
    Ok(Some(ids))
}

/// A verdict by its words, with hyphens or spaces, or by a part that only one verdict has: `change`, `not-tested`, `inc`.
///
/// # Errors
/// For words that no verdict has, or several have.
pub fn verdict(word: &str) -> Result<Verdict, String> {
    let word = word.trim().to_lowercase().replace(['-', '_'], " ");
    if let Ok(exact) = word.parse() {
        return Ok(exact);
    }
    let found: Vec<Verdict> =
        Verdict::ALL.into_iter().filter(|verdict| !word.is_empty() && verdict.text().contains(&word)).collect();
    match found[..] {
        [one] => Ok(one),
        _ => {
            Err("give one of `holds`, `change` (holds with stated change), `fails`, `inconclusive`, `not-tested`"
                .into())
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use workbench_record::table::{Line, to_csv};
    use workbench_record::{FindingLine, Outcome, Role, Row, Run, Scale, Tables};
    use workbench_setup::paths::Workspace;

    /// The notebook of all claims of [`workspace`]: one cell for each of them.
    pub const CELLS: [(&str, &str); 3] =
        [("ca", "record(\"m/a\", 1)"), ("cb", "record(\"m/b\", 2)"), ("cc", "record(\"m/c\", 3)")];

    /// Three claims of `memory-model` (`m/a`, `m/b`, `m/c`) and an open one of a notebook that does not exist.
    pub fn registry_text() -> String {
        let mut text = "[[paper]]\nid = \"m\"\ntitle = \"A <small> memory\"\n".to_string();
        for (id, notebook, open) in [
            ("m/a", "memory-model", ""),
            ("m/b", "memory-model", ""),
            ("m/c", "memory-model", ""),
            ("m/open", "memory-later", "needs data that nobody has"),
        ] {
            text += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"Lemma 1 | <x>\"\nkind = \"k\"\nsays = \"s\"\n\
                 setup = \"s\"\ncheck = \"c\"\nreach = \"r\"\nnotebook = \"{notebook}\"\nopen = \"{open}\"\n"
            );
        }
        text
    }

    /// A workspace with that registry, its notebook, one source file, and no record.
    pub fn workspace() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("workbench/Cargo.toml", "");
        write("kernel/Cargo.toml", "");
        write("workbench/src/lib.rs", "fn one() {}");
        write("notebooks/claims.toml", &registry_text());
        let cells: Vec<_> = CELLS
            .iter()
            .map(|(id, source)| {
                serde_json::json!({"cell_type": "code", "id": id, "metadata": {}, "outputs": [], "source": source})
            })
            .collect();
        let notebook = serde_json::json!({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells});
        write("notebooks/memory-model.ipynb", &notebook.to_string());
        std::fs::create_dir_all(folder.path().join("notebooks/results")).unwrap();
        let found = Workspace::at(folder.path()).unwrap();
        (folder, found)
    }

    /// A row as run `RUN` of today's notebook would leave it; `claim` is one of `m/a`, `m/b`, `m/c`.
    pub fn row(workspace: &Workspace, claim: &str, scale: Scale, seed: u64, run: &str) -> Row {
        let present = present::Present::read(workspace).unwrap();
        let cell = claim.replace("m/", "c");
        let (notebooks, _) = workbench_record::cells::read_all(&workspace.notebooks()).unwrap();
        Row {
            verdict: Verdict::Holds,
            expected: "1 ± 0.1".into(),
            measured: Some(1.02),
            low: Some(1.01),
            high: Some(1.03),
            n: Some(9),
            seconds: 0.5,
            notebook: "memory-model".into(),
            finding: "slope".into(),
            run: run.into(),
            statement: workbench_record::digest::of_claim(present.registry.get(claim).unwrap()),
            code: notebooks["memory-model"].digest_to(&cell),
            cell,
            ..Row::blank(claim, scale, seed)
        }
    }

    pub fn finding(row: &Row, what: &str, measured: f64) -> FindingLine {
        FindingLine {
            claim: row.claim.clone(),
            scale: row.scale,
            seed: row.seed,
            role: Role::Printed,
            what: what.into(),
            relation: "equals".into(),
            expected_low: Some(0.9),
            expected_high: Some(1.1),
            measured,
            low: measured - 0.01,
            high: measured + 0.01,
            n: 9,
            unit: "runs".into(),
            outcome: Outcome::Supports,
        }
    }

    /// A run of today's sources.
    pub fn run(workspace: &Workspace, id: &str, scale: Scale, seed: u64) -> Run {
        Run {
            run: id.into(),
            commit: "0123456789abcdef0123456789abcdef01234567".into(),
            dirty: false,
            lock: "1111".into(),
            source: present::Present::read(workspace).unwrap().source,
            compiler: "rustc 1.95.0".into(),
            processor: "A processor".into(),
            cores: 2,
            blas: "OpenBLAS 0.3".into(),
            device: "cpu".into(),
            start: "2026-11-22T09:45:12Z".into(),
            seconds: 61.0,
            scale,
            seed,
        }
    }

    /// Writes the tables into a folder, as a run does.
    pub fn save(folder: &std::path::Path, tables: &Tables) {
        fn put<L: Line>(folder: &std::path::Path, lines: &[L]) {
            for file in L::FILES {
                let part: Vec<L> = lines.iter().filter(|line| line.file() == *file).cloned().collect();
                std::fs::write(folder.join(file), to_csv(&part)).unwrap();
            }
        }
        std::fs::create_dir_all(folder).unwrap();
        put(folder, &tables.rows);
        put(folder, &tables.findings);
        put(folder, &tables.notes);
        put(folder, &tables.runs);
    }

    /// Two seeds of `m/a`, one of `m/b`, all at quick scale, each with one finding, by run `r1`.
    pub fn record(workspace: &Workspace) -> Tables {
        let rows: Vec<Row> = [("m/a", 1), ("m/a", 2), ("m/b", 1)]
            .iter()
            .map(|(claim, seed)| row(workspace, claim, Scale::Quick, *seed, "r1"))
            .collect();
        Tables {
            findings: rows.iter().map(|row| finding(row, "slope", 1.02)).collect(),
            rows,
            notes: Vec::new(),
            runs: vec![run(workspace, "r1", Scale::Quick, 1)],
        }
    }

    #[test]
    fn a_verdict_is_known_by_a_part_that_no_other_has() {
        assert_eq!(verdict("holds"), Ok(Verdict::Holds));
        assert_eq!(verdict("Change"), Ok(Verdict::HoldsWithChange));
        assert_eq!(verdict("not-tested"), Ok(Verdict::NotTested));
        assert_eq!(verdict("holds with stated change"), Ok(Verdict::HoldsWithChange));
        for bad in ["", "hold", "true", "t"] {
            assert!(verdict(bad).unwrap_err().contains("`fails`"), "{bad}");
        }
    }

    #[test]
    fn patterns_are_united_and_a_wrong_one_is_an_error() {
        let registry = Registry::parse(&registry_text(), std::path::Path::new("claims.toml")).unwrap();
        let ids = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|p| p.to_string()).collect();
            chosen(&registry, &patterns).map(|found| found.map(|ids| ids.len()))
        };
        assert_eq!(ids(&[]).unwrap(), None);
        assert_eq!(ids(&["m/a", "m/[ab]"]).unwrap(), Some(2));
        for bad in ["m/zz*", "[", "n/*"] {
            let error = ids(&["m/a", bad]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }
}
