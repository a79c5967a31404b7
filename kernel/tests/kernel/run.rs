//! The runner as its users meet it: the binary, a workspace, a scripted kernel.

use std::process::{Command, Stdio};

use crate::common::workspace::Workspace;
use workbench_record::{Tables, Verdict};

#[test]
fn a_reader_who_goes_away_ends_the_command_without_a_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_workbench"))
        .arg("doctor")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(141), "{told}");
    assert!(!told.contains("panicked"), "{told}");
}

#[test]
fn a_quick_run_writes_beside_the_tables_and_leaves_the_notebook() {
    let workspace = Workspace::new();
    workspace.claims(&[("a/1", "tour")]);
    let before = workspace.notebook("tour", &[("print hello", &[]), ("record a/1 holds", &[]), ("result 42", &[])]);
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("1 holds; 1 notebook, 0 problems"), "{text}");
    assert!(text.contains("--accept commits what is found"), "{text}");
    assert_eq!(workspace.read("notebooks/tour.ipynb"), before);
    let written = workspace.json("notebooks/results/quick/tour.ipynb");
    assert_eq!(written["cells"][0]["outputs"][0]["text"][0], "hello\n");
    assert_eq!(written["cells"][0]["metadata"]["kept"]["by"], "another tool");
    assert_eq!(written["cells"][1]["outputs"], serde_json::json!([]));
    assert_eq!(written["cells"][2]["execution_count"], 3);
    assert_eq!(written["metadata"]["language_info"]["name"], "rust");
    let tables = Tables::read(&workspace.path("notebooks/results")).unwrap();
    let [row] = tables.rows.as_slice() else { panic!("{:?}", tables.rows) };
    assert_eq!((row.cell.as_str(), row.verdict), ("c2", Verdict::Holds));
    let run = tables.run_of(row).expect("the run is described");
    assert!(run.compiler.starts_with("rustc") && run.seconds > 0.0, "{run:?}");
    assert!(!row.code.is_empty());
}

#[test]
fn displays_are_saved_in_their_last_state_and_questions_are_declined() {
    let workspace = Workspace::new();
    workspace.notebook(
        "tour",
        &[
            ("live 0\nlive 1\nlive 2\nprint a\nlive 3", &[]),
            ("show gone\nclear\nshow stays\nask", &[]),
            ("live 4", &[]),
        ],
    );
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(0), "{text}");
    let written = workspace.json("notebooks/results/quick/tour.ipynb");
    let outputs = |cell: usize| written["cells"][cell]["outputs"].as_array().unwrap().clone();
    assert_eq!(outputs(0).len(), 2, "{:?}", outputs(0));
    assert_eq!(outputs(0)[0]["data"]["text/plain"][0], "4");
    assert_eq!(outputs(1)[0]["data"]["text/plain"][0], "stays");
    let answer = outputs(1)[1]["text"][0].as_str().unwrap().to_owned();
    assert!(answer.starts_with("Error: this is a headless run"), "{answer}");
    assert!(outputs(2).is_empty());
}

#[test]
fn a_paper_run_writes_into_the_notebook() {
    let workspace = Workspace::new();
    workspace.notebook("tour", &[("print hello", &[])]);
    let (status, text) = workspace.run(&["--scale", "paper"]);
    assert_eq!(status, Some(0), "{text}");
    let written = workspace.json("notebooks/tour.ipynb");
    assert_eq!(written["cells"][0]["outputs"][0]["text"][0], "hello\n");
}

#[test]
fn an_error_fails_the_run_with_notebook_cell_and_message() {
    let workspace = Workspace::new();
    let before =
        workspace.notebook("tour", &[("print ok", &[]), ("error assertion failed: 1 < 0", &[]), ("print never", &[])]);
    for args in [&[][..], &["--scale", "paper"]] {
        let (status, text) = workspace.run(args);
        assert_eq!(status, Some(3), "{text}");
        let line = "FAILED tour, cell c2: Panic: assertion failed: 1 < 0";
        assert!(text.contains(line), "{text}");
        assert_eq!(workspace.read("notebooks/tour.ipynb"), before);
    }
    let failed = workspace.json("notebooks/results/failed/tour.ipynb");
    assert_eq!(failed["cells"][1]["outputs"][0]["output_type"], "error");
    assert_eq!(failed["cells"][2]["outputs"], serde_json::json!([]));
    assert_eq!(failed["cells"][2]["execution_count"], serde_json::Value::Null);
}

#[test]
fn tags_allow_a_failure_and_skip_a_cell() {
    let workspace = Workspace::new();
    workspace.notebook(
        "tour",
        &[("error expected", &["raises-exception"]), ("error never run", &["skip-execution"]), ("print after", &[])],
    );
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(0), "{text}");
    let written = workspace.json("notebooks/results/quick/tour.ipynb");
    assert_eq!(written["cells"][0]["outputs"][0]["evalue"], "expected");
    assert_eq!(written["cells"][1]["outputs"][0]["text"][0], "old\n");
    assert_eq!(written["cells"][2]["outputs"][0]["text"][0], "after\n");
}

#[test]
fn a_dead_kernel_and_a_cell_over_its_time_fail_the_run() {
    let workspace = Workspace::new();
    workspace.notebook("tour", &[("die", &["raises-exception"])]);
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("cell c1: the kernel died: exit status: 7"), "{text}");
    workspace.notebook("tour", &[("sleep 60", &["raises-exception"])]);
    let (status, text) = workspace.run(&["--timeout", "0.4"]);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("cell c1: the cell ran longer than 0.4 s"), "{text}");
}

#[test]
fn a_verdict_that_differs_from_the_committed_one_fails_the_run() {
    let workspace = Workspace::new();
    workspace.claims(&[("a/1", "tour"), ("a/2", "tour")]);
    workspace.notebook("tour", &[("record a/1 holds", &[]), ("record a/2 fails", &[])]);
    let (status, text) = workspace.run(&["--strict"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("a/1: no committed verdict"), "{text}");
    let (status, text) = workspace.run(&["--accept", "--strict"]);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(
        workspace.read("notebooks/results/expected.csv"),
        "claim,scale,verdict\na/1,quick,holds\na/2,quick,fails\n"
    );
    workspace.notebook("tour", &[("record a/1 fails", &[])]);
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(1), "{text}");
    let differs = "FAILED tour, cell c1: a/1: verdict is \"fails\", committed is \"holds\"";
    assert!(text.contains(differs), "{text}");
    assert!(text.contains("a/2: no cell recorded it (committed as \"fails\""), "{text}");
    // Accepting takes the committed verdict out, and the claim is still one that nobody checks.
    let (status, text) = workspace.run(&["--accept"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("a/2: no cell recorded it"), "{text}");
    assert_eq!(workspace.read("notebooks/results/expected.csv"), "claim,scale,verdict\na/1,quick,fails\n");
}

#[test]
fn several_notebooks_side_by_side_each_get_their_own_outcome() {
    let workspace = Workspace::new();
    workspace.claims(&[("a/1", "tour")]);
    workspace.notebook("tour", &[("record a/1 holds", &[])]);
    workspace.notebook("second", &[("error no", &[])]);
    workspace.notebook("third", &[("sleep 0.2", &[]), ("print x", &[])]);
    let (status, text) = workspace.run(&["--jobs", "3"]);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("FAILED second, cell c1: Panic: no"), "{text}");
    assert!(text.contains("3 notebooks, 1 problem"), "{text}");
    assert!(workspace.path("notebooks/results/quick/third.ipynb").is_file());
    let (status, text) = workspace.run(&["--notebook", "third", "--notebook", "tour.ipynb"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("2 notebooks"), "{text}");
}

#[test]
fn bad_notebooks_are_refused_before_a_kernel_starts() {
    let workspace = Workspace::new();
    workspace.notebook("tour", &[]);
    let bad = |name: &str, text: &str| {
        std::fs::write(workspace.path(&format!("notebooks/{name}.ipynb")), text).unwrap();
        workspace.run(&["--notebook", name])
    };
    let cases = [
        ("broken", "{\"cells\": [", "is not valid JSON"),
        ("old", "{\"nbformat\": 3, \"worksheets\": []}", "--nbformat 4"),
        (
            "foreign",
            "{\"cells\": [], \"metadata\": {\"kernelspec\": {\"name\": \"python3\", \"display_name\": \"P\"}}, \"nbformat\": 4, \"nbformat_minor\": 5}",
            "asks for the kernel \"python3\"",
        ),
    ];
    for (name, text, message) in cases {
        let (status, told) = bad(name, text);
        assert_eq!(status, Some(2), "{told}");
        assert!(told.contains(message) && told.contains(name), "{told}");
    }
    let (status, told) = workspace.run(&["--notebook", "nowhere"]);
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("no notebook \"nowhere\"") && told.contains("tour"), "{told}");
    assert!(workspace.runs().is_empty(), "a kernel was started");
}

#[test]
fn a_results_folder_that_cannot_be_written_is_said_before_a_kernel_starts() {
    let workspace = Workspace::new();
    workspace.notebook("tour", &[("print a", &[])]);
    std::fs::write(workspace.path("file"), "").unwrap();
    let place = workspace.path("file/results").display().to_string();
    let (status, text) = workspace.run(&["--results", &place]);
    assert_eq!(status, Some(4), "{text}");
    assert!(text.contains(&place), "{text}");
    assert!(workspace.runs().is_empty(), "a kernel was started");
}
