//! A disk that does not take the row: the verdict is not lost and nothing on disk is harmed.

use std::path::Path;

use workbench_ledger::{Error, Finding, Ledger, RecordError, Settings, Store, Verdict};

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

fn project() -> (tempfile::TempDir, Settings) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("claims.toml"), CLAIMS).unwrap();
    let settings = Settings::new(folder.path());
    (folder, settings)
}

fn finding() -> Finding {
    Finding::identity("difference", 1e-14, 1e-12)
}

/// Records, expects a refusal by the disk, and checks that all of it is still at hand.
fn refused(settings: &Settings) -> Error {
    let ledger = Ledger::with("memory-model", settings.clone()).unwrap();
    let error = ledger.record("memory/rate", finding()).unwrap_err();
    let card = error.card().expect("the card is carried");
    assert_eq!(card.verdict(), Verdict::Holds);
    assert_eq!(card.row().measured, Some(1e-14));
    let Error::NotWritten { path, fallback, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(path, &Store::new(&settings.results).path());
    let message = error.to_string();
    let copy = fallback.as_ref().expect("the temp folder takes a copy");
    assert!(message.contains(&copy.display().to_string()), "{message}");
    assert!(message.contains(&path.display().to_string()), "{message}");
    assert!(message.contains("\"holds\""), "{message}");
    let copied = Store::new(copy.parent().unwrap()).read().unwrap();
    assert!(copied.contains(card.row()));
    std::fs::remove_dir_all(copy.parent().unwrap()).unwrap();
    error
}

#[cfg(unix)]
#[test]
fn a_read_only_results_folder() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, settings) = project();
    std::fs::create_dir_all(&settings.results).unwrap();
    let mode = |m| std::fs::set_permissions(&settings.results, PermissionsExt::from_mode(m));
    mode(0o555).unwrap();
    // The superuser may write anywhere; then the next test stands for this one.
    if std::fs::write(settings.results.join("probe"), "").is_err() {
        let message = refused(&settings).to_string();
        assert!(message.contains("WORKBENCH_RESULTS"), "{message}");
    }
    mode(0o755).unwrap();
}

#[test]
fn a_results_folder_that_cannot_be_made() {
    let (folder, mut settings) = project();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    settings.results = file.join("results");
    let message = refused(&settings).to_string();
    assert!(message.contains("WORKBENCH_RESULTS"), "{message}");
}

#[test]
fn a_corrupt_ledger_is_kept() {
    let (_folder, settings) = project();
    std::fs::create_dir_all(&settings.results).unwrap();
    let path = Store::new(&settings.results).path();
    std::fs::write(&path, "claim,verdict\nmemory/rate,ho").unwrap();
    let error = refused(&settings);
    assert!(matches!(
        &error,
        Error::NotWritten { cause, .. } if matches!(**cause, RecordError::Corrupt { .. })
    ));
    assert!(error.to_string().contains("left untouched"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "claim,verdict\nmemory/rate,ho");
}

#[test]
fn after_the_disk_is_mended_the_same_cell_writes() {
    let (_folder, mut settings) = project();
    let cell = settings.notebooks.join("cell.json");
    std::fs::write(&cell, r#"{"cell_id": "c", "execution_count": 1, "started_unix_ms": 0}"#).unwrap();
    settings.cell_file = Some(cell);
    std::fs::create_dir(settings.record()).unwrap();
    std::fs::write(&settings.results, "in the way").unwrap();
    let ledger = Ledger::with("memory-model", settings.clone()).unwrap();
    let error = ledger.record("memory/rate", finding()).unwrap_err();
    if let Error::NotWritten { fallback: Some(copy), .. } = error {
        std::fs::remove_dir_all(copy.parent().unwrap()).unwrap();
    }
    std::fs::remove_file(&settings.results).unwrap();
    ledger.record("memory/rate", finding()).unwrap();
    assert_eq!(Store::new(&settings.results).read().unwrap().len(), 1);
}

/// Several kernels write at once; each has its own ledger on the same folder.
#[test]
fn notebooks_that_run_at_once_lose_no_row() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "[[paper]]\nid = \"m\"\ntitle = \"M\"\n".to_string();
    for notebook in 0..8 {
        for claim in 0..4 {
            text += &format!(
                "[[claim]]\nid = \"m/n{notebook}-c{claim}\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"lemma\"\n\
                 says = \"s\"\nsetup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"n{notebook}\"\n"
            );
        }
    }
    std::fs::write(folder.path().join("claims.toml"), text).unwrap();
    let root: &Path = folder.path();
    std::thread::scope(|scope| {
        for notebook in 0..8 {
            scope.spawn(move || {
                let name = format!("n{notebook}");
                let ledger = Ledger::with(&name, Settings::new(root)).unwrap();
                for claim in 0..4 {
                    let id = format!("m/{name}-c{claim}");
                    ledger.record(&id, finding()).unwrap();
                }
                assert!(ledger.summary().unwrap().open().is_empty());
            });
        }
    });
    assert_eq!(Store::new(root.join("results/lab")).read().unwrap().len(), 32);
}

/// A process that writes without end is killed again and again; what it leaves is always a whole file
/// and a free lock.
#[cfg(unix)]
#[test]
fn a_killed_writer_leaves_a_whole_file() {
    const CHILD: &str = "WORKBENCH_TEST_WRITES_TO";
    if let Some(folder) = std::env::var_os(CHILD) {
        let ledger = Ledger::with("memory-model", Settings::new(folder)).unwrap();
        loop {
            ledger.record("memory/rate", finding()).unwrap();
        }
    }
    let (folder, settings) = project();
    let store = Store::new(&settings.results);
    for round in 0..12 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "disk::a_killed_writer_leaves_a_whole_file"])
            .env(CHILD, folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let begun = std::time::Instant::now();
        while !store.path().exists() && begun.elapsed().as_secs() < 20 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_micros(10_000 + 700 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(store.read().unwrap().len(), 1, "round {round}");
    }
    let ledger = Ledger::with("memory-model", settings).unwrap();
    ledger.record("memory/rate", finding()).unwrap();
}
