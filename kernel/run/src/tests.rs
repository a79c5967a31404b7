//! Tests of what is looked at before anything is computed, and of what a run that was cut off goes on with.

use super::*;

/// A project with two notebooks, the first of which has a knob, and a kernel that is not there.
fn project() -> (tempfile::TempDir, Ready, RunArgs) {
    let root = tempfile::tempdir().unwrap();
    for part in ["workbench", "kernel", "notebooks/results"] {
        std::fs::create_dir_all(root.path().join(part)).unwrap();
        std::fs::write(root.path().join(part).join("Cargo.toml"), "").unwrap();
    }
    for (name, tags) in [("first", &["parameters"][..]), ("second", &[])] {
        let text = serde_json::json!({
            "nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "workbench", "display_name": "W"}},
            "cells": [{"cell_type": "code", "id": "k", "execution_count": null, "metadata": {"tags": tags},
                       "outputs": [], "source": "let d = 10;"}]
        });
        let path = root.path().join(format!("notebooks/{name}.ipynb"));
        std::fs::write(path, text.to_string()).unwrap();
    }
    let ready = Ready { workspace: Workspace::at(root.path()).unwrap(), environment: Vec::new() };
    let args = RunArgs { kernel_argv: Some("[\"/nowhere/kernel\"]".into()), ..RunArgs::default() };
    (root, ready, args)
}

#[test]
fn a_damaged_table_is_told_before_anything_is_computed() {
    let (_root, ready, args) = project();
    let results = ready.workspace.results();
    for file in ["ledger.csv", "findings-quick.csv", "findings-paper.csv", "notes.csv", "runs.csv", "expected.csv"] {
        std::fs::write(results.join(file), "half a li").unwrap();
        let error = run(&args, &ready).unwrap_err();
        assert_eq!(error.status(), 4, "{error}");
        assert!(error.to_string().contains(file), "{error}");
        assert!(!results.join("runs").exists(), "{file}: a run has begun");
        std::fs::remove_file(results.join(file)).unwrap();
    }
}

#[test]
fn options_that_are_none_are_wrong_use() {
    let (root, ready, args) = project();
    let status = |args: &RunArgs| look_at(args, &ready.workspace).map_err(|error| error.status());
    assert_eq!(status(&args), Ok(()));
    for wrong in [
        RunArgs { param: vec!["d=1 2".into()], ..args.clone() },
        RunArgs { seeds: Some("3..1".into()), ..args.clone() },
        // A name that nothing has is not told after minutes of building.
        RunArgs { notebook: vec!["third".into()], ..args.clone() },
        RunArgs { claim: vec!["m/none".into()], ..args.clone() },
        RunArgs { resume: Some(Some("none".into())), ..args.clone() },
    ] {
        assert_eq!(status(&wrong), Err(2), "{wrong:?}");
    }
    let folder = RunArgs { junit: Some(root.path().to_path_buf()), ..args };
    assert_eq!(status(&folder), Err(4));
}

#[test]
fn a_run_with_a_knob_goes_on_when_the_notebook_of_the_knob_is_done() {
    let (_root, ready, args) = project();
    let results = ready.workspace.results();
    let args = RunArgs { param: vec!["d=20".into()], notebook: vec!["first".into(), "second".into()], ..args };
    let (mut folder, jobs) = begin(&args, &ready, &results, 1, &[]).unwrap().unwrap();
    let sources =
        |jobs: &[Job]| -> Vec<String> { jobs.iter().map(|job| job.notebook.cells()[0].source.clone()).collect() };
    assert_eq!(sources(&jobs), ["let d = 20;", "let d = 10;"]);
    folder.plan.parts[0].state = State::Done;
    folder.save().unwrap();
    let folder = RunFolder::reopen(&results, None).unwrap();
    let (_, jobs) = again(folder, &ready).unwrap();
    assert_eq!((jobs.len(), jobs[0].part), (1, 1));
    assert_eq!(sources(&jobs), ["let d = 10;"]);
}
