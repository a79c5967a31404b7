//! The program `workbench-ledger`: the files that it writes, its exit status, its messages.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use workbench_record::{Entry, Lock, Row, Scale, Store, Tables, Verdict};

const CLAIMS: &str = "\
[[paper]]
id = \"memory\"
title = \"A memory\"
[[claim]]
id = \"memory/rate\"
paper = \"memory\"
where = \"Theorem 2\"
kind = \"theorem\"
says = \"The rate is $1/2$.\"
setup = \"Not given.\"
check = \"Fit it.\"
reach = \"cpu-seconds\"
notebook = \"memory-model\"
";

/// A folder with `claims.toml` and tables of one row in `results`.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("claims.toml"), CLAIMS).unwrap();
    let row = Row { verdict: Verdict::Holds, ..Row::blank("memory/rate", Scale::Quick, 1) };
    let entry = Entry { row, findings: Vec::new(), notes: Vec::new() };
    Store::new(folder.path().join("results")).put(entry, None).unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_workbench-ledger")).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn every_file_is_written_and_named() {
    let folder = project();
    let arguments = ["export", "--notebooks=.", "--results", "results", "--out", "tables"];
    let (code, out, err) = command(folder.path(), &arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let tables = folder.path().join("tables");
    for name in ["ledger", "findings", "notes", "runs", "claims"] {
        for ending in ["csv", "parquet"] {
            assert!(out.contains(&format!("{name}.{ending}\n")), "{out}");
            assert!(tables.join(format!("{name}.{ending}")).is_file());
        }
    }
    assert!(out.ends_with("1 row from results\n"), "{out}");
    let page = std::fs::read_to_string(tables.join("claims.md")).unwrap();
    assert!(page.contains("| memory/rate | Theorem 2 (theorem) | The rate is $1/2$. | holds |"), "{page}");
    assert!(tables.join("claims.tex").is_file());
}

#[test]
fn without_a_registry_the_rows_are_listed() {
    let folder = project();
    let (code, _, err) = command(folder.path(), &["export", "--results", "results", "--out", "tables"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let text = std::fs::read_to_string(folder.path().join("tables/claims.csv")).unwrap();
    assert!(text.contains("\nmemory/rate,,,holds,"), "{text}");
}

#[test]
fn the_folder_of_the_tables_themselves_is_written_under_its_lock() {
    let folder = project();
    let results = folder.path().join("results");
    let before = Tables::read(&results).unwrap();
    let arguments = ["export", "--notebooks=.", "--results", "results", "--out", "./results"];
    let (code, _, err) = command(folder.path(), &arguments);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(Tables::read(&results).unwrap(), before);
    let _held = Lock::take(&results, "run r1", Duration::ZERO).unwrap();
    let (code, _, err) = command(folder.path(), &arguments);
    assert_eq!(code, Some(1));
    assert!(err.contains("run r1"), "{err}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = project();
    let arguments = ["export", "--notebooks=.", "--results", "results", "--out", "tables"];
    std::fs::write(folder.path().join("results/ledger.csv"), "half\n").unwrap();
    let (code, _, err) = command(folder.path(), &arguments);
    assert_eq!(code, Some(1));
    assert!(err.contains("ledger.csv, line 1"), "{err}");
    std::fs::remove_file(folder.path().join("claims.toml")).unwrap();
    let (code, _, err) = command(folder.path(), &arguments);
    assert_eq!(code, Some(1));
    assert!(err.contains("claims.toml"), "{err}");
}

#[test]
fn usage_errors_have_their_own_status() {
    let folder = project();
    for arguments in [
        &[][..],
        &["dance"],
        &["export"],
        &["export", "--results", "results"],
        &["export", "--results"],
        &["export", "--loud"],
    ] {
        let (code, _, err) = command(folder.path(), arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(err.contains("usage:"), "{err}");
    }
    let (code, out, _) = command(folder.path(), &["--help"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("--notebooks DIR"));
}
