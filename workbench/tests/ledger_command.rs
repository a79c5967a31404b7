//! The command `workbench-ledger`: exit status, one line per problem, coverage.

use std::path::Path;
use std::process::{Command, Output};

const CLAIMS: &str = "\
[[paper]]
id = \"memory\"
title = \"A memory\"
[[claim]]
id = \"memory/rate\"
paper = \"memory\"
where = \"Theorem 2\"
kind = \"theorem\"
says = \"The rate is 1/2.\"
setup = \"Not given.\"
check = \"Fit it.\"
reach = \"cpu-seconds\"
notebook = \"memory-model\"
";

fn project(cell: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("claims.toml"), CLAIMS).unwrap();
    let notebook = serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [], "source": cell}]
    });
    std::fs::write(folder.path().join("memory-model.ipynb"), notebook.to_string()).unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_workbench-ledger"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("WORKBENCH_NOTEBOOKS")
        .env_remove("WORKBENCH_RESULTS")
        .env_remove("WORKBENCH_SCALE")
        .env_remove("WORKBENCH_SEED")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn audit_of_a_sound_project() {
    let folder = project("ledger.record(\"memory/rate\", e)?");
    let (code, out, err) = command(folder.path(), &["audit"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("paper   claims  holds"), "{out}");
    assert!(out.contains("1 notebooks, 0 problems"), "{out}");
}

#[test]
fn audit_prints_one_line_per_problem_and_fails() {
    let folder = project("ledger.record(\"memory/rats\", e)?");
    let here = folder.path().display().to_string();
    let (code, _, err) = command(Path::new("/"), &["audit", "--notebooks", &here, "--scale=quick"]);
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 2, "{err}");
    assert!(lines[0].contains("did you mean `memory/rate`?"), "{err}");
    assert!(lines[1].contains("no cell of notebook memory-model"), "{err}");
}

#[test]
fn coverage_and_export() {
    let folder = project("");
    let (code, out, _) = command(folder.path(), &["coverage"]);
    assert_eq!((code, out.lines().count()), (Some(0), 3));
    let (code, out, err) = command(folder.path(), &["export", "--out", "tables"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for name in ["ledger.csv", "ledger.parquet", "ledger.md", "ledger.tex"] {
        assert!(out.contains(name));
        assert!(folder.path().join("tables").join(name).is_file());
    }
}

#[test]
fn usage_errors_have_their_own_status() {
    let folder = project("");
    for arguments in [
        &[][..],
        &["dance"],
        &["audit", "--scale"],
        &["audit", "--scale", "huge"],
        &["audit", "--loud"],
        &["export"],
    ] {
        let (code, _, err) = command(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(err.contains("usage:"), "{err}");
    }
    let (code, out, _) = command(folder.path(), &["--help"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("--notebooks DIR"));
    let empty = tempfile::tempdir().unwrap();
    let (code, _, err) = command(empty.path(), &["audit"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("WORKBENCH_NOTEBOOKS"), "{err}");
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let folder = project("");
    for (name, value, part) in [
        ("WORKBENCH_SCALE", "huge", "use `quick` or `paper`"),
        ("WORKBENCH_SEED", "-3", "a seed is a whole number"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_workbench-ledger"))
            .arg("audit")
            .current_dir(folder.path())
            .env(name, value)
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(err.contains(name) && err.contains(part), "{err}");
    }
}
