//! Small records for tests, of this crate and of those above it, which take this file in, too.

use std::path::Path;
use std::process::Command;

use workbench_queries::present::Present;
use workbench_record::table::{Line, to_csv};
use workbench_record::{FindingLine, Outcome, Registry, Role, Row, Run, Scale, Tables, Verdict};
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
            "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"Lemma 1 | <x>\"\nkind = \"lemma\"\nsays = \"s\"\n\
             setup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"{notebook}\"\nopen = \"{open}\"\n"
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
    let present = Present::read(workspace).unwrap();
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
        source: Present::read(workspace).unwrap().source,
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
pub fn save(folder: &Path, tables: &Tables) {
    fn put<L: Line>(folder: &Path, lines: &[L]) {
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

/// Two claims, `m/a` and `m/b`.
pub fn two_claims() -> Registry {
    let claim = |id: &str| {
        format!(
            "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\nsetup = \"s\"\ncheck = \"c\"\n\
             reach = \"cpu-seconds\"\nnotebook = \"n\"\n"
        )
    };
    let text = format!("[[paper]]\nid = \"m\"\ntitle = \"t\"\n{}{}", claim("m/a"), claim("m/b"));
    Registry::parse(&text, Path::new("claims.toml")).unwrap()
}

/// Makes `folder` a repository with everything in it committed.
pub fn commit_all(folder: &Path) {
    let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    for words in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-q", "--allow-empty", "-m", "m"]] {
        let output = Command::new("git").arg("-C").arg(folder).args(author).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
