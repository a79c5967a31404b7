//! The runner as its users meet it: the binary, a workspace, a scripted kernel.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

#[path = "../src/run/fake_kernel.rs"]
mod fake_kernel;

/// A workspace in a temporary folder.
struct Workspace {
    root: tempfile::TempDir,
}

impl Workspace {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for part in ["workbench", "kernel", "notebooks"] {
            std::fs::create_dir_all(root.path().join(part)).unwrap();
        }
        for part in ["workbench", "kernel"] {
            std::fs::write(root.path().join(part).join("Cargo.toml"), "").unwrap();
        }
        let claims: String = ["a/1", "a/2"]
            .iter()
            .map(|id| format!("[[claim]]\nid = \"{id}\"\nnotebook = \"tour\"\n"))
            .collect();
        std::fs::write(root.path().join("notebooks/claims.toml"), claims).unwrap();
        Workspace { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Writes a notebook whose cells `c1`, `c2`, ... hold these orders, each with an old output.
    fn notebook(&self, name: &str, cells: &[(&str, &[&str])]) -> String {
        let cells: Vec<serde_json::Value> = cells
            .iter()
            .enumerate()
            .map(|(index, (source, tags))| {
                serde_json::json!({
                    "cell_type": "code", "id": format!("c{}", index + 1), "execution_count": 99,
                    "metadata": {"tags": tags, "kept": {"by": "another tool"}},
                    "outputs": [{"output_type": "stream", "name": "stdout", "text": ["old\n"]}],
                    "source": [source],
                })
            })
            .collect();
        let text = serde_json::json!({
            "cells": cells, "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "workbench", "display_name": "Rust (Workbench)"}},
        })
        .to_string();
        std::fs::write(self.path(&format!("notebooks/{name}.ipynb")), &text).unwrap();
        text
    }

    fn command(&self, args: &[&str]) -> Command {
        let argv = serde_json::to_string(&fake_kernel::argv("fake_kernel::process")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
        command
            .args(["run", "--no-coverage", "--kernel-argv", &argv])
            .args(args)
            .env("WORKBENCH_ROOT", self.root.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        told(self.command(args).output().unwrap())
    }

    /// Starts a run and waits until the kernel works on the cell `id`.
    fn start_until(&self, cell: &str) -> Child {
        let mut command = self.command(&[]);
        let log = std::fs::File::create(self.path("stderr.txt")).unwrap();
        let child = command.stderr(log).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while !self.read("stderr.txt").contains(cell) {
            assert!(Instant::now() < deadline, "{}", self.read("stderr.txt"));
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(200));
        child
    }

    fn leftovers(&self) -> Vec<PathBuf> {
        let mut open = vec![self.path("notebooks")];
        let mut found = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "tmp") {
                    found.push(path);
                }
            }
        }
        found
    }
}

fn told(output: Output) -> (Option<i32>, String) {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    (output.status.code(), text)
}

/// Processes whose environment or command line names this folder: kernels that outlived their runner.
fn kernels_of(folder: &Path) -> Vec<String> {
    let wanted = format!("WORKBENCH_ROOT={}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == wanted.as_bytes())
        {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

fn wait_until_gone(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !kernels_of(folder).is_empty() {
        assert!(Instant::now() < deadline, "{:?}", kernels_of(folder));
        std::thread::sleep(Duration::from_millis(50));
    }
}

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
    let before = workspace.notebook(
        "tour",
        &[("print hello", &[]), ("record a/1 holds", &[]), ("result 42", &[])],
    );
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("1 holds; 1 notebooks, 0 problems"), "{text}");
    assert!(text.contains("--accept commits them"), "{text}");
    assert_eq!(workspace.read("notebooks/tour.ipynb"), before);
    let written = workspace.json("notebooks/results/quick/tour.ipynb");
    assert_eq!(written["cells"][0]["outputs"][0]["text"][0], "hello\n");
    assert_eq!(written["cells"][0]["metadata"]["kept"]["by"], "another tool");
    assert_eq!(written["cells"][1]["outputs"], serde_json::json!([]));
    assert_eq!(written["cells"][2]["execution_count"], 3);
    assert_eq!(written["metadata"]["language_info"]["name"], "rust");
    assert!(workspace.read("notebooks/results/ledger.csv").contains(",c2,"));
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
    let before = workspace.notebook(
        "tour",
        &[
            ("print ok", &[]),
            ("error assertion failed: 1 < 0", &[]),
            ("print never", &[]),
        ],
    );
    for args in [&[][..], &["--scale", "paper"]] {
        let (status, text) = workspace.run(args);
        assert_eq!(status, Some(1), "{text}");
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
        &[
            ("error expected", &["raises-exception"]),
            ("error never run", &["skip-execution"]),
            ("print after", &[]),
        ],
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
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("cell c1: the kernel died: exit status: 7"), "{text}");
    workspace.notebook("tour", &[("sleep 60", &["raises-exception"])]);
    let (status, text) = workspace.run(&["--timeout", "0.4"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("cell c1: the cell ran longer than 0.4 s"), "{text}");
}

#[test]
fn a_verdict_that_differs_from_the_committed_one_fails_the_run() {
    let workspace = Workspace::new();
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
    std::fs::remove_file(workspace.path("notebooks/results/ledger.csv")).unwrap();
    workspace.notebook("tour", &[("record a/1 fails", &[])]);
    let (status, text) = workspace.run(&[]);
    assert_eq!(status, Some(1), "{text}");
    let differs = "FAILED tour, cell c1: a/1: verdict is \"fails\", committed is \"holds\"";
    assert!(text.contains(differs), "{text}");
    assert!(text.contains("a/2: committed as \"fails\""), "{text}");
    let (status, text) = workspace.run(&["--accept"]);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(
        workspace.read("notebooks/results/expected.csv"),
        "claim,scale,verdict\na/1,quick,fails\n"
    );
}

#[test]
fn several_notebooks_side_by_side_each_get_their_own_outcome() {
    let workspace = Workspace::new();
    workspace.notebook("tour", &[("record a/1 holds", &[])]);
    workspace.notebook("second", &[("error no", &[])]);
    workspace.notebook("third", &[("sleep 0.2", &[]), ("print x", &[])]);
    let (status, text) = workspace.run(&["--jobs", "3"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("FAILED second, cell c1: Panic: no"), "{text}");
    assert!(text.contains("3 notebooks, 1 problems"), "{text}");
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
        assert_eq!(status, Some(1), "{told}");
        assert!(told.contains(message) && told.contains(name), "{told}");
    }
    let (status, told) = workspace.run(&["--notebook", "nowhere"]);
    assert_eq!(status, Some(1), "{told}");
    assert!(
        told.contains("no notebook \"nowhere\"") && told.contains("tour"),
        "{told}"
    );
    assert!(!workspace.path(".workbench/logs").exists(), "a kernel was started");
}

#[test]
fn a_results_folder_that_cannot_be_written_is_said_before_a_kernel_starts() {
    let workspace = Workspace::new();
    workspace.notebook("tour", &[("print a", &[])]);
    std::fs::write(workspace.path("file"), "").unwrap();
    let place = workspace.path("file/results").display().to_string();
    let (status, text) = workspace.run(&["--results", &place]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains(&place), "{text}");
    assert!(!workspace.path(".workbench/logs").exists(), "a kernel was started");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_the_kernels_and_leaves_everything_whole() {
    let workspace = Workspace::new();
    let before = workspace.notebook("tour", &[("record a/1 holds", &[]), ("sleep 60", &[])]);
    let mut child = workspace.start_until("c2");
    assert!(!kernels_of(workspace.root.path()).is_empty());
    let ledger = workspace.read("notebooks/results/ledger.csv");
    // SAFETY: sends SIGINT to the child that this test started and has not reaped.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{}", workspace.read("stderr.txt"));
    wait_until_gone(workspace.root.path());
    assert_eq!(workspace.read("notebooks/tour.ipynb"), before);
    assert_eq!(workspace.read("notebooks/results/ledger.csv"), ledger);
    assert!(!workspace.path("notebooks/results/quick").exists());
    assert_eq!(workspace.leftovers(), Vec::<PathBuf>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_runner_takes_its_kernels_along() {
    let workspace = Workspace::new();
    let before = workspace.notebook("tour", &[("record a/1 holds", &[]), ("hang 60", &[])]);
    let mut child = workspace.start_until("c2");
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until_gone(workspace.root.path());
    assert_eq!(workspace.read("notebooks/tour.ipynb"), before);
    assert!(workspace.read("notebooks/results/ledger.csv").contains("a/1,holds"));
    assert_eq!(workspace.leftovers(), Vec::<PathBuf>::new());
}
