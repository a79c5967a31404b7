use super::*;
use crate::{FindingLine, Outcome, Role, Run, Verdict, table};
use std::path::PathBuf;

struct Project {
    folder: tempfile::TempDir,
}

/// Two claims of `memory-model`, one of `memory-proofs`, which has no notebook.
fn project() -> Project {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "[[paper]]\nid = \"m\"\ntitle = \"M\"\n".to_string();
    for (id, notebook) in [("m/a", "memory-model"), ("m/b", "memory-model"), ("m/c", "memory-proofs")] {
        text += &format!(
            "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\n\
                 setup = \"s\"\ncheck = \"c\"\nreach = \"gpu\"\nnotebook = \"{notebook}\"\n"
        );
    }
    std::fs::write(folder.path().join("claims.toml"), text).unwrap();
    std::fs::create_dir(folder.path().join("results")).unwrap();
    let project = Project { folder };
    project.notebook("memory-model", &["ledger.record(\"m/a\", e)?", "ledger.not_tested(\"m/b\", \"r\")?"]);
    project
}

impl Project {
    fn notebook(&self, name: &str, sources: &[&str]) {
        let mut cells = vec![serde_json::json!({
            "cell_type": "markdown", "id": "p", "metadata": {},
            "source": "`ledger.record(\"m/zzz\")`"
        })];
        for (i, source) in sources.iter().enumerate() {
            let lines: Vec<&str> = source.split_inclusive('\n').collect();
            cells.push(serde_json::json!({
                "cell_type": "code", "id": format!("c{}", i + 1), "metadata": {},
                "outputs": [], "source": lines
            }));
        }
        let json = serde_json::json!({
            "nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells
        });
        self.file(&format!("{name}.ipynb"), &json.to_string());
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    /// A row as a run of today's notebooks would leave it.
    fn row(&self, claim: &str, cell: &str, scale: Scale) -> Row {
        let registry = Registry::read(&self.folder.path().join("claims.toml")).unwrap();
        let cells = Cells::read(&self.folder.path().join("memory-model.ipynb")).unwrap();
        let notebooks = BTreeMap::from([("memory-model".to_string(), cells.clone())]);
        Row {
            notebook: "memory-model".into(),
            cell: cell.into(),
            run: "r1".into(),
            statement: Today::new(&registry, &notebooks).statement(claim),
            code: cells.digest_to(cell),
            ..Row::blank(claim, scale, 1)
        }
    }

    fn rows(&self, rows: &[Row]) {
        let run = Run {
            run: "r1".into(),
            commit: String::new(),
            dirty: false,
            lock: String::new(),
            source: String::new(),
            compiler: String::new(),
            processor: String::new(),
            cores: 1,
            blas: String::new(),
            device: "cpu".into(),
            start: String::new(),
            seconds: 1.0,
            scale: Scale::Quick,
            seed: 1,
        };
        std::fs::write(self.results().join("ledger.csv"), table::to_csv(rows)).unwrap();
        std::fs::write(self.results().join("runs.csv"), table::to_csv(&[run])).unwrap();
    }

    fn problems(&self, scale: Option<Scale>) -> Vec<String> {
        let audit = Audit::run(self.folder.path(), &self.results(), scale).unwrap();
        audit.problems.iter().map(Problem::to_string).collect()
    }
}

#[test]
fn a_consistent_project_has_no_problems() {
    let project = project();
    project.rows(&[project.row("m/a", "c1", Scale::Quick)]);
    project.file("results/expected.csv", "claim,scale,verdict\nm/a,quick,not tested\nm/b,paper,holds\n");
    assert_eq!(project.problems(None), Vec::<String>::new());
    let audit = Audit::run(project.folder.path(), &project.results(), Some(Scale::Quick)).unwrap();
    assert_eq!(audit.problems, []);
    assert_eq!(audit.notebooks, ["memory-model"]);
    assert_eq!(audit.coverage.papers[0].open, 2);
}

#[test]
fn ids_in_cells_are_checked() {
    let project = project();
    project.notebook(
        "memory-model",
        &[
            "ledger.record(\"m/a\", e)?;\nledger.record(\"m/aa\", e)?;",
            "ledger.record(\"m/a\", e)?",
            "ledger.record(name, e)?",
            "ledger.record(\"m/c\", e)?",
        ],
    );
    let problems = project.problems(None);
    assert_eq!(
        problems,
        [
            "notebook memory-model, code cell 1 `c1`: claim `m/aa` is not in the registry; did you mean `m/a`?",
            "notebook memory-model, code cell 3 `c3`: `ledger.record` needs the claim id as a string literal",
            "claim m/c: recorded in notebook memory-model, code cell 4 `c4`, but the registry gives it to memory-proofs",
            "claim m/a: recorded 2 times: memory-model, code cell 1 `c1`; memory-model, code cell 2 `c2`",
            "claim m/b: no cell of notebook memory-model records it; add record or not_tested",
        ]
    );
}

#[test]
fn a_claim_that_is_open_needs_no_cell() {
    let project = project();
    project.notebook("memory-model", &["ledger.record(\"m/a\", e)?"]);
    assert!(project.problems(None)[0].contains("claim m/b: no cell"));
    let claims = std::fs::read_to_string(project.folder.path().join("claims.toml")).unwrap();
    let (before, b) = claims.split_once("id = \"m/b\"").unwrap();
    project.file("claims.toml", &format!("{before}id = \"m/b\"\nopen = \"Not trained yet.\"{b}"));
    assert_eq!(project.problems(None), Vec::<String>::new());
}

#[test]
fn two_branches_of_one_cell_are_one_place() {
    let project = project();
    let cell = "if quick { ledger.not_tested(\"m/a\", r)? } else { ledger.record(\"m/a\", e)? };\n\
                    ledger.record(\"m/b\", e)?";
    project.notebook("memory-model", &[cell]);
    assert_eq!(project.problems(None), Vec::<String>::new());
}

#[test]
fn notebooks_that_are_none_are_named() {
    let project = project();
    project.file("broken.ipynb", "{");
    project.file("list.ipynb", "{\"nbformat\": 4, \"cells\": 3}");
    project.file("old.ipynb", "{\"nbformat\": 3, \"worksheets\": []}");
    let problems = project.problems(None);
    assert_eq!(problems.len(), 3);
    assert!(problems[0].starts_with("notebook broken: not valid JSON"));
    assert!(problems[1].contains("no list of cells"));
    assert!(problems[2].contains("notebook format 3"));
}

#[test]
fn rows_must_point_at_what_exists_and_be_of_today() {
    let project = project();
    let gone = Row { cell: "gone".into(), ..project.row("m/a", "c1", Scale::Quick) };
    let foreign = Row { notebook: "memory-proofs".into(), ..project.row("m/c", "c1", Scale::Quick) };
    let old = Row { code: "0".into(), ..project.row("m/b", "c2", Scale::Quick) };
    project.rows(&[gone, project.row("m/x", "c1", Scale::Paper), foreign, old]);
    let problems = project.problems(None);
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(problems[0].contains("m/a (quick, seed 1): stale: the cell that computed it is gone"));
    assert!(problems[1].contains("m/x (paper, seed 1): claim `m/x` is not in the registry"));
    assert!(problems[2].contains("notebook memory-proofs does not exist"));
    assert!(problems[3].contains("m/b (quick, seed 1): stale: the code of its check has changed"));
    assert!(problems[3].contains("--notebook memory-model --scale quick --seed 1"), "{}", problems[3]);
    assert_eq!(project.problems(Some(Scale::Paper)).len(), 1);
}

#[test]
fn rows_name_a_run_and_findings_a_row() {
    let project = project();
    let nameless = Row { run: String::new(), ..project.row("m/a", "c1", Scale::Quick) };
    let unknown = Row { run: "r2".into(), ..project.row("m/b", "c2", Scale::Quick) };
    project.rows(&[nameless, unknown]);
    let finding = FindingLine {
        claim: "m/a".into(),
        scale: Scale::Quick,
        seed: 2,
        role: Role::Printed,
        what: "x".into(),
        relation: "at most".into(),
        expected_low: None,
        expected_high: Some(1.0),
        measured: 0.5,
        low: 0.5,
        high: 0.5,
        n: 1,
        unit: String::new(),
        outcome: Outcome::Supports,
    };
    std::fs::write(project.results().join("findings.csv"), table::to_csv(&[finding])).unwrap();
    let problems = project.problems(None);
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].contains("m/a (quick, seed 1): it does not say which run"));
    assert!(problems[1].contains("runs.csv does not describe"));
    assert!(problems[2].contains("1 finding belongs to no row"));
}

#[test]
fn verdicts_are_compared_with_the_committed_ones() {
    let project = project();
    let other_seed = Row { seed: 2, verdict: Verdict::Holds, ..project.row("m/a", "c1", Scale::Quick) };
    project.rows(&[project.row("m/a", "c1", Scale::Quick), other_seed]);
    project.file("results/expected.csv", "claim,scale,verdict\nm/a,quick,holds\nm/b,quick,fails\nm/zz,paper,holds\n");
    assert_eq!(
        project.problems(Some(Scale::Quick)),
        ["claim m/a (quick, seed 1): not tested, committed is holds", "claim m/b (quick): no row, committed is fails"]
    );
    let all = project.problems(None);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[1].starts_with("expected.csv (paper): claim `m/zz`"));
}

#[test]
fn corrupt_files_are_problems_and_a_corrupt_registry_is_an_error() {
    let project = project();
    project.file("results/ledger.csv", "nonsense\n");
    project.file("results/expected.csv", "nonsense\n");
    assert_eq!(project.problems(None).len(), 2);
    project.file("claims.toml", "[[");
    let audit = Audit::run(project.folder.path(), &project.results(), None);
    assert!(matches!(audit, Err(Error::NotToml { .. })));
}
