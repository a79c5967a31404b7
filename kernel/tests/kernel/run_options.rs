//! Ways to ask for a run: claims, changes, seeds, knobs, and forms for machines.

use crate::common::workspace::Workspace;
use workbench_record::{Tables, Verdict};

fn three_claims() -> Workspace {
    let workspace = Workspace::new();
    workspace.claims(&[("a/1", "first"), ("a/2", "first"), ("a/3", "second")]);
    workspace.notebook(
        "first",
        &[
            // What the scanner reads stands in a comment to the scripted kernel, and the other way round.
            ("ledger.record(\"a/1\", e)\nrecord a/1 holds", &[]),
            ("print between", &[]),
            ("ledger.record(\"a/2\", e)\nrecord a/2 holds", &[]),
        ],
    );
    workspace.notebook("second", &[("record a/3 holds", &[])]);
    workspace
}

#[test]
fn a_claim_is_run_up_to_its_cell() {
    let workspace = three_claims();
    let (status, text) = workspace.run(&["--claim", "a/1"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("1 holds; 1 notebook, 0 problems"), "{text}");
    assert!(!text.contains("cell 2/"), "{text}");
    let rows: Vec<String> = workspace.record().into_iter().map(|row| row.claim).collect();
    assert_eq!(rows, ["a/1"]);
    assert!(!workspace.path("notebooks/results/quick").exists(), "a part is no notebook");
    let (status, text) = workspace.run(&["--claim", "a/*", "--notebook", "second"]);
    assert_eq!(status, Some(0), "{text}");
    let (status, text) = workspace.run(&["--claim", "a/9"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("no claim matches"), "{text}");
}

#[test]
fn a_part_renews_its_cells_in_the_notebook() {
    let workspace = three_claims();
    let (status, text) = workspace.run(&["--scale", "paper", "--accept"]);
    assert_eq!(status, Some(0), "{text}");
    let path = workspace.path("notebooks/first.ipynb");
    let read = |path: &std::path::Path| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    // What was shown before is told from what a run shows.
    let mut before = read(&path);
    for cell in before["cells"].as_array_mut().unwrap() {
        cell["outputs"] = serde_json::json!([]);
        cell["execution_count"] = serde_json::json!(99);
    }
    std::fs::write(&path, before.to_string()).unwrap();
    let (status, text) = workspace.run(&["--scale", "paper", "--claim", "a/1"]);
    assert_eq!(status, Some(0), "{text}");
    let now = read(&path);
    let counts: Vec<i64> =
        now["cells"].as_array().unwrap().iter().map(|cell| cell["execution_count"].as_i64().unwrap()).collect();
    assert_eq!(counts, [1, 99, 99], "the first cell ran, the others keep what they showed");
}

#[test]
fn only_what_changed_is_run_again() {
    let workspace = three_claims();
    let (status, text) = workspace.run(&["--changed"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("3 holds; 2 notebooks"), "{text}");
    // The scripted kernel does not digest statements.
    let path = workspace.path("notebooks/results");
    let mut tables = Tables::read(&path).unwrap();
    let registry = workbench_record::Registry::read(&workspace.path("notebooks/claims.toml")).unwrap();
    for row in &mut tables.rows {
        row.statement = workbench_record::digest::of_claim(registry.get(&row.claim).unwrap());
    }
    std::fs::write(path.join("ledger.csv"), workbench_record::table::to_csv(&tables.rows)).unwrap();
    let (status, text) = workspace.run(&["--changed"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("nothing has changed"), "{text}");
    workspace.notebook("second", &[("record a/3 fails", &[])]);
    let (_, text) = workspace.run(&["--changed"]);
    assert!(text.contains("second: a/3: the code of its check has changed"), "{text}");
    assert!(text.contains("1 fails; 1 notebook"), "{text}");
}

#[test]
fn seeds_are_compared_and_stand_side_by_side() {
    let workspace = three_claims();
    let (status, text) = workspace.run(&["--seeds", "1..=3"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("seeds 1, 2, 3: 3 of 3 claims have the same verdict"), "{text}");
    let tables = Tables::read(&workspace.path("notebooks/results")).unwrap();
    assert_eq!((tables.rows.len(), tables.runs.len()), (9, 3));
    let seeds: Vec<u64> = tables.rows.iter().take(3).map(|row| row.seed).collect();
    assert_eq!(seeds, [1, 2, 3]);
    // From the second seed on it is another verdict.
    workspace.notebook("second", &[("record-seed a/3 1 holds fails", &[])]);
    let (status, text) = workspace.run(&["--seeds", "1,2", "--notebook", "second"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("FAILED second: a/3: seed 1: holds"), "{text}");
    // Neither becomes the committed one.
    let accept = ["--seeds", "1,2", "--accept"];
    let (status, text) = workspace.run(&accept);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("a/3: the seeds do not agree, so no verdict"), "{text}");
    let committed = || workspace.read("notebooks/results/expected.csv");
    assert_eq!(committed(), "claim,scale,verdict\na/1,quick,holds\na/2,quick,holds\n");
    // Nor does it take the place of one.
    workspace.notebook("second", &[("record a/3 holds", &[])]);
    let (status, text) = workspace.run(&accept);
    assert_eq!(status, Some(0), "{text}");
    workspace.notebook("second", &[("record-seed a/3 1 fails holds", &[])]);
    let (status, text) = workspace.run(&accept);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("\"holds\" stays the committed verdict"), "{text}");
    assert!(committed().contains("a/3,quick,holds"), "{}", committed());
}

#[test]
fn a_knob_is_turned_for_one_run_and_the_record_does_not_see_it() {
    let workspace = three_claims();
    workspace.notebook("second", &[("let verdict = \"holds\";", &["parameters"]), ("record a/3 holds", &[])]);
    let (status, text) = workspace.run(&["--notebook", "second", "--param", "verdict=\"fails\""]);
    assert_eq!(status, Some(0), "{text}");
    assert!(workspace.record().is_empty(), "{text}");
    let run = workspace.runs().pop().unwrap();
    assert_eq!(Tables::read(&run).unwrap().rows[0].verdict, Verdict::Holds);
    let outputs = std::fs::read_to_string(run.join("second/1/outputs.ipynb")).unwrap();
    assert!(outputs.contains("let verdict = \\\"fails\\\";"), "{outputs}");
    assert!(workspace.read("notebooks/second.ipynb").contains("holds"));
    let (status, text) = workspace.run(&["--notebook", "second", "--param", "n=3"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("the knobs are verdict (second)"), "{text}");
}

#[test]
fn machines_read_json_and_junit() {
    let workspace = three_claims();
    workspace.notebook("second", &[("error no", &[])]);
    let junit = workspace.path("junit.xml").display().to_string();
    let output = workspace.command(&["--json", "--junit", &junit]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["status"], 3);
    assert_eq!(json["runs"][0]["verdicts"][0]["claim"], "a/1");
    assert_eq!(json["runs"][0]["problems"][0]["notebook"], "second");
    let xml = workspace.read("junit.xml");
    assert!(xml.contains("tests=\"3\" failures=\"0\" errors=\"1\""), "{xml}");
}
