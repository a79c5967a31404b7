//! `verify --sweeps`: a result is taken if it is of today's commit, and otherwise the check computes and says why. What is damaged is told
//! before anything is computed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use workbench_ledger::Scale;
use workbench_sweep::{DATA, How, Plan, Wanted, compute, merge, sweeps};

const CHECKS: [&str; 7] = [
    "heavy-tailed/fig-8-left",
    "heavy-tailed/fig-8-middle",
    "heavy-tailed/fig-8-right-q0",
    "heavy-tailed/fig-8-right-q1",
    "heavy-tailed/fig-8-right-q0P",
    "heavy-tailed/fig-9-orange",
    "heavy-tailed/fig-9-green",
];

fn git(root: &Path, words: &[&str]) -> String {
    let who = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
    let said = Command::new("git").args(who).args(words).current_dir(root).output().unwrap();
    assert!(said.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8_lossy(&said.stdout).trim().to_string()
}

/// A repository with our registry, record and checks, at a commit of its own.
fn repository(root: &Path) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let notebooks = root.join("notebooks");
    std::fs::create_dir(&notebooks).unwrap();
    for name in ["claims.toml", "results"] {
        std::os::unix::fs::symlink(own.join("notebooks").join(name), notebooks.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(own.join("workbench"), root.join("workbench")).unwrap();
    git(root, &["init", "--quiet"]);
    git(root, &["commit", "--quiet", "--allow-empty", "--message", "first"]);
    notebooks
}

/// Checks of the other figures, with their sweeps.
const OTHERS: [(&str, &[&str]); 2] = [
    (
        "stored-memories",
        &[
            "heavy-tailed/fig-10-left",
            "heavy-tailed/fig-10-middle-left",
            "heavy-tailed/fig-10-middle-right",
            "heavy-tailed/fig-10-right",
        ],
    ),
    ("learned-planes", &["heavy-tailed/fig-12-left", "heavy-tailed/fig-12-middle", "heavy-tailed/fig-12-right"]),
];

/// A sweep in three shards, merged.
fn merged(root: &Path, name: &str, folder: &Path, seed: u64) {
    let sweep = sweeps::named(name).unwrap();
    let wanted = Wanted { scale: Scale::Quick, seed, shards: 3, replicates: None };
    let plan = Plan::new(&sweep, wanted, Some(root)).unwrap();
    assert!(!plan.dirty && !plan.commit.is_empty());
    plan.write(folder, Path::new("")).unwrap();
    for index in 0..3 {
        let how = How { threads: 2, ..How::default() };
        compute(&sweep, &plan, folder, index, how).unwrap();
    }
    merge(&sweep, &plan, folder).unwrap();
}

fn verify(notebooks: &Path, checks: &[&str], more: &[&str]) -> Output {
    let results = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_workbench-verify"));
    command.args(checks).arg("--notebooks").arg(notebooks).arg("--results").arg(results.path());
    command.args(more).env_remove("WORKBENCH_SWEEPS").output().unwrap()
}

/// What a run says that gives the committed verdicts.
fn said(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn a_result_is_taken_and_one_that_is_missing_stale_or_of_another_seed_is_said_to_be() {
    let root = tempfile::tempdir().unwrap();
    let notebooks = repository(root.path());
    let sweeps = root.path().join("sweeps");
    std::fs::create_dir(&sweeps).unwrap();
    let named = ["--sweeps", sweeps.to_str().unwrap()];
    let one = &CHECKS[..1];

    // Missing: the verdict is the committed one all the same.
    let told = said(&verify(&notebooks, one, &named));
    assert!(told.contains("sweep missing: no plan in") && told.contains("computed its runs itself"), "{told}");

    // Taken by each check, to the committed verdicts.
    let folder = sweeps.join("error-curves");
    merged(root.path(), "error-curves", &folder, 1);
    let told = said(&verify(&notebooks, &CHECKS, &named));
    let commit = git(root.path(), &["rev-parse", "HEAD"]);
    let taken = format!(
        "runs taken from the sweep error-curves at scale quick, seed 1, 300 tasks in 3 shards, commit {commit}"
    );
    assert_eq!(told.matches(&taken).count(), CHECKS.len(), "{told}");
    assert!(told.contains("the sweep's own, not those of this check"), "{told}");
    assert!(!told.contains("sweep missing") && !told.contains("sweep stale"), "{told}");

    // The numbers are the table's and no others: without it they are those of the check's own draws, and nothing is said.
    let own = said(&verify(&notebooks, one, &["--full"]));
    assert!(!own.contains("sweep"), "{own}");
    let other = said(&verify(&notebooks, one, &[&named[..], &["--full"]].concat()));
    let lowest = |told: &str| told.lines().find(|line| line.contains("error at d = 10, lowest")).unwrap().to_string();
    assert_ne!(lowest(&own), lowest(&other));

    // Of another seed: it is none for this one.
    let told = said(&verify(&notebooks, one, &[&named[..], &["--seeds", "2"]].concat()));
    assert!(told.contains("sweep missing: what is there is error-curves at scale quick, seed 1"), "{told}");

    // Not merged, or not in order.
    let table = std::fs::read(folder.join(DATA)).unwrap();
    std::fs::write(folder.join(DATA), &table[..table.len() / 2]).unwrap();
    let told = said(&verify(&notebooks, one, &named));
    assert!(told.contains("sweep missing: ") && told.contains("merge again"), "{told}");
    std::fs::write(folder.join(DATA), &table).unwrap();

    // Of another commit.
    git(root.path(), &["commit", "--quiet", "--allow-empty", "--message", "second"]);
    let told = said(&verify(&notebooks, one, &named));
    assert!(told.contains("sweep stale: it is of commit") && told.contains("computed its runs itself"), "{told}");
}

#[test]
fn the_checks_of_figures_10_and_12_take_theirs_too() {
    let root = tempfile::tempdir().unwrap();
    let notebooks = repository(root.path());
    let sweeps = root.path().join("sweeps");
    let named = ["--sweeps", sweeps.to_str().unwrap()];
    for (sweep, checks) in OTHERS {
        let folder = sweeps.join(sweep);
        std::fs::create_dir_all(&folder).unwrap();
        let told = said(&verify(&notebooks, &checks[..1], &named));
        assert!(told.contains("sweep missing: no plan in"), "{told}");
        merged(root.path(), sweep, &folder, 1);
        let told = said(&verify(&notebooks, checks, &named));
        let taken = format!("runs taken from the sweep {sweep} at scale quick, seed 1");
        assert_eq!(told.matches(&taken).count(), checks.len(), "{told}");
        assert!(!told.contains("sweep missing"), "{told}");
        let told = said(&verify(&notebooks, &checks[..1], &[&named[..], &["--seeds", "2"]].concat()));
        assert!(told.contains("sweep missing: what is there is"), "{told}");
    }
}

#[test]
fn the_variable_names_the_folder_too_and_one_that_is_none_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let notebooks = repository(root.path());
    let refused = verify(&notebooks, &CHECKS[..1], &["--sweeps", "no-such-folder"]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(told.contains("--sweeps names no-such-folder"), "{told}");

    let mut command = Command::new(env!("CARGO_BIN_EXE_workbench-verify"));
    command.arg(CHECKS[0]).arg("--notebooks").arg(&notebooks).arg("--results").arg(root.path().join("results"));
    let told = said(&command.env("WORKBENCH_SWEEPS", root.path()).output().unwrap());
    assert!(told.contains("sweep missing: no plan in"), "{told}");
}

#[test]
fn a_table_that_is_damaged_is_told_before_anything_is_computed() {
    let root = tempfile::tempdir().unwrap();
    let notebooks = root.path().join("notebooks");
    std::fs::create_dir_all(notebooks.join("results/lab")).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks/claims.toml");
    std::fs::copy(own, notebooks.join("claims.toml")).unwrap();
    for file in ["results/expected.csv", "results/lab/ledger.csv", "claims.toml"] {
        let path = notebooks.join(file);
        std::fs::write(&path, "half a li").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench-verify"));
        let output = command.args(CHECKS).arg("--notebooks").arg(&notebooks).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{file}: {told}");
        assert!(told.contains(file) && output.stdout.is_empty(), "{told}");
        std::fs::remove_file(path).unwrap();
    }
}
