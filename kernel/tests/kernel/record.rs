//! Record of a run: only what it computed, whatever else goes on in the checkout; and what it leaves when it is cut off.

use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::common::workspace::{Workspace, kernels_of, told, wait_until_gone};
use workbench_record::{Tables, Verdict};

/// Two claims of two notebooks, committed as holding.
fn two_notebooks() -> Workspace {
    let workspace = Workspace::new();
    workspace.claims(&[("a/1", "first"), ("a/2", "second")]);
    workspace.notebook("first", &[("record a/1 holds", &[]), ("print done", &[])]);
    workspace.notebook("second", &[("record a/2 holds", &[])]);
    let (status, text) = workspace.run(&["--accept"]);
    assert_eq!(status, Some(0), "{text}");
    workspace
}

fn interrupt(child: &Child) {
    // SAFETY: sends SIGINT to a child that this test started and has not reaped.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
}

fn claims(workspace: &Workspace) -> Vec<String> {
    workspace.record().into_iter().map(|row| row.claim).collect()
}

#[test]
fn a_claim_that_no_cell_recorded_is_missed_while_another_notebook_writes() {
    let workspace = two_notebooks();
    // The row of the run before names this cell, and the record changes while it runs.
    workspace.notebook("first", &[("sleep 0.6", &[]), ("print done", &[])]);
    workspace.notebook("second", &[("sleep 0.2\nrecord a/2 holds\nsleep 0.2", &[])]);
    for jobs in ["1", "2"] {
        let (status, text) = workspace.run(&["--jobs", jobs]);
        assert_eq!(status, Some(1), "{text}");
        assert!(text.contains("a/1: no cell recorded it (committed as \"holds\""), "{text}");
        assert!(text.contains("1 holds; 2 notebooks"), "{text}");
    }
}

#[test]
fn a_row_of_another_run_never_counts() {
    let workspace = two_notebooks();
    workspace.notebook("first", &[("record a/1 holds as 20200101T000000Z-quick-1-abcdef", &[])]);
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("a/1: recorded for run \"20200101T000000Z-quick-1-abcdef\""), "{text}");
    assert!(text.contains("a/1: no cell recorded it"), "{text}");
}

#[test]
fn a_second_run_is_told_who_runs_or_waits_and_both_are_right() {
    let workspace = two_notebooks();
    workspace.notebook("first", &[("record a/1 fails", &[]), ("wait-for go", &[])]);
    let first = workspace.start_with(&["--notebook", "first"], "c2");
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(4), "{text}");
    assert!(text.contains("is being written by `workbench run` since"), "{text}");
    assert!(text.contains("--wait") && text.contains(&first.id().to_string()), "{text}");

    // Elsewhere there is room, at the same time; the record of the first does not see it.
    let other = workspace.path("other").display().to_string();
    let (status, text) = workspace.run(&["--notebook", "second", "--results", &other]);
    assert_eq!(status, Some(0), "{text}");

    let mut waiting = workspace.command(&["--wait", "--notebook", "second"]);
    let waiting = waiting.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(workspace.path("notebooks/go"), "").unwrap();
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "the first computed \"fails\" and says so");
    let (status, text) = told(waiting.wait_with_output().unwrap());
    assert_eq!(status, Some(0), "{text}");
    let verdicts: Vec<Verdict> = workspace.record().iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::Fails, Verdict::Holds]);
}

#[test]
fn a_notebook_edited_during_a_run_keeps_the_edit_and_gets_the_outputs() {
    let workspace = Workspace::new();
    workspace.claims(&[]);
    workspace.notebook("tour", &[("print one", &[]), ("wait-for go", &[]), ("print two", &[])]);
    let child = workspace.start_with(&["--scale", "paper"], "c2");
    let mut edited = workspace.json("notebooks/tour.ipynb");
    edited["cells"][2]["source"] = serde_json::json!(["print three"]);
    let new = serde_json::json!({"cell_type": "markdown", "id": "new", "metadata": {}, "source": ["A new text."]});
    edited["cells"].as_array_mut().unwrap().insert(0, new);
    std::fs::write(workspace.path("notebooks/tour.ipynb"), edited.to_string()).unwrap();
    std::fs::write(workspace.path("notebooks/go"), "").unwrap();
    let (status, text) = told(child.wait_with_output().unwrap());
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("edited during the run") && text.contains("all cells but c3"), "{text}");
    let now = workspace.json("notebooks/tour.ipynb");
    assert_eq!(now["cells"][0]["source"][0], "A new text.");
    assert_eq!(now["cells"][1]["outputs"][0]["text"][0], "one\n");
    assert_eq!(now["cells"][3]["source"][0], "print three");
    assert_eq!(now["cells"][3]["outputs"][0]["text"][0], "old\n", "what it showed is not what ran");
}

#[test]
fn ctrl_c_keeps_what_was_done_and_a_resumed_run_goes_on() {
    let workspace = Workspace::new();
    workspace.claims(&[("a/1", "first"), ("a/2", "second")]);
    workspace.notebook("first", &[("record a/1 holds", &[])]);
    let before = workspace.notebook(
        "second",
        &[("record a/2 holds\nprint early", &[]), ("print b\nwait-for go", &[]), ("print late", &[])],
    );
    let mut child = workspace.start_with(&["--scale", "paper", "--seed", "3"], "second: cell 2/3");
    assert!(!kernels_of(workspace.root.path()).is_empty());
    interrupt(&child);
    let status = child.wait().unwrap();
    let said = workspace.read("stderr.txt");
    assert_eq!(status.code(), Some(130), "{said}");
    wait_until_gone(workspace.root.path());
    let run = workspace.runs().pop().unwrap();
    let id = run.file_name().unwrap().to_str().unwrap().to_string();
    assert!(said.contains(&format!("--resume {id}")), "{said}");
    assert_eq!(workspace.read("notebooks/second.ipynb"), before);
    assert_eq!(claims(&workspace), ["a/1", "a/2"], "what was recorded is in the record");
    let outputs = std::fs::read_to_string(run.join("second/1/outputs.ipynb")).unwrap();
    assert!(outputs.contains("early") && outputs.contains("b\\n") && !outputs.contains("\"old"), "{outputs}");
    assert_eq!(workspace.leftovers(), Vec::<PathBuf>::new());

    std::fs::write(workspace.path("notebooks/go"), "").unwrap();
    let (status, text) = workspace.run(&["--resume"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("1 of 2 notebooks is done"), "{text}");
    assert!(text.contains("2 holds; 1 notebook, 0 problems"), "{text}");
    assert_eq!(workspace.runs().len(), 1, "it is the same run");
    assert!(workspace.record().iter().all(|row| row.run == id && row.seed == 3));
    assert!(!run.join("first/2").exists(), "what was done is not done again");
    assert!(workspace.read("notebooks/second.ipynb").contains("late"));
    let (status, text) = workspace.run(&["--resume"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("no run that was cut off"), "{text}");
}

#[test]
fn a_run_is_not_resumed_with_another_code() {
    let workspace = Workspace::new();
    workspace.claims(&[]);
    workspace.notebook("tour", &[("print a", &[]), ("wait-for go", &[])]);
    let mut child = workspace.start_until("c2");
    interrupt(&child);
    child.wait().unwrap();
    workspace.notebook("tour", &[("print b", &[]), ("wait-for go", &[])]);
    let (status, text) = workspace.run(&["--resume"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("notebook tour changed since it began"), "{text}");
}

#[test]
fn after_a_killed_runner_nothing_is_lost() {
    let workspace = Workspace::new();
    workspace.claims(&[("a/1", "tour")]);
    let before = workspace.notebook("tour", &[("record a/1 holds", &[]), ("wait-for go", &[]), ("print c", &[])]);
    let mut child = workspace.start_until("c2");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until_gone(workspace.root.path());
    assert_eq!(workspace.read("notebooks/tour.ipynb"), before);
    let run = workspace.runs().pop().unwrap();
    assert_eq!(Tables::read(&run).unwrap().rows.len(), 1);
    assert_eq!(workspace.leftovers(), Vec::<PathBuf>::new());
    std::fs::write(workspace.path("notebooks/go"), "").unwrap();
    let (status, text) = workspace.run(&["--resume"]);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(claims(&workspace), ["a/1"]);
}

#[test]
fn a_full_disk_is_a_machine_problem_and_the_rows_go_into_the_record_later() {
    let workspace = two_notebooks();
    workspace.notebook("first", &[("record a/1 holds", &[]), ("wait-for go", &[])]);
    let child = workspace.start_with(&["--notebook", "first"], "c2");
    // The table cannot be replaced: a folder stands in its place.
    let ledger = workspace.path("notebooks/results/ledger.csv");
    let aside = workspace.path("notebooks/results/aside.csv");
    std::fs::rename(&ledger, &aside).unwrap();
    std::fs::create_dir(&ledger).unwrap();
    std::fs::write(workspace.path("notebooks/go"), "").unwrap();
    let (status, text) = told(child.wait_with_output().unwrap());
    assert_eq!(status, Some(4), "{text}");
    assert!(text.contains("FAILED first, cell (tables)"), "{text}");
    std::fs::remove_dir(&ledger).unwrap();
    std::fs::rename(&aside, &ledger).unwrap();
    let old = workspace.record()[0].run.clone();
    let (status, text) = workspace.run(&["--resume"]);
    assert_eq!(status, Some(0), "{text}");
    assert_ne!(workspace.record()[0].run, old, "the rows that waited are there now");
}

#[test]
fn a_damaged_table_is_told_before_anything_is_done() {
    let workspace = two_notebooks();
    std::fs::write(workspace.path("notebooks/results/ledger.csv"), "claim,verdict\na/1,ho").unwrap();
    let runs = workspace.runs().len();
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(4), "{text}");
    assert!(text.contains("ledger.csv") && workspace.runs().len() == runs, "{text}");
    let out = workspace.path("out").display().to_string();
    for words in [
        &["list"][..],
        &["diff", "record", "record"],
        &["certify"],
        &["export", "--out", &out],
        &["site", "--out", &out],
        &["lint", "notebooks"],
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workbench"));
        command.args(words).env("WORKBENCH_ROOT", workspace.root.path());
        let (status, text) = told(command.output().unwrap());
        assert_eq!(status, Some(4), "{words:?}: {text}");
        assert!(text.contains("ledger.csv"), "{words:?}: {text}");
    }
    assert!(!workspace.path("out").exists());
}

#[test]
fn a_clock_that_jumps_changes_no_verdict() {
    let workspace = two_notebooks();
    // Files from the future, as a clock that was set back leaves them.
    let future = std::time::SystemTime::now() + Duration::from_secs(864_000);
    for name in ["ledger.csv", "findings-quick.csv", "runs.csv", "expected.csv"] {
        if let Ok(file) = std::fs::File::options().append(true).open(workspace.path("notebooks/results").join(name)) {
            file.set_modified(future).unwrap();
        }
    }
    workspace.notebook("first", &[("print nothing", &[])]);
    let (status, text) = workspace.run(&["--jobs", "2"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("a/1: no cell recorded it"), "{text}");
    assert!(text.contains("1 holds; 2 notebooks"), "{text}");
}

#[test]
fn many_runs_at_once_leave_one_whole_record() {
    let workspace = two_notebooks();
    let begun = Instant::now();
    let children: Vec<Child> = (0..4).map(|_| workspace.command(&["--wait", "--jobs", "2"]).spawn().unwrap()).collect();
    for child in children {
        let (status, text) = told(child.wait_with_output().unwrap());
        assert_eq!(status, Some(0), "{text}");
    }
    assert!(begun.elapsed() < Duration::from_secs(100));
    let tables = Tables::read(&workspace.path("notebooks/results")).unwrap();
    assert_eq!(tables.rows.len(), 2);
    assert_eq!(tables.rows[0].run, tables.rows[1].run, "the last run computed both");
    assert_eq!(tables.runs.len(), 1);
}
