//! Whether registry, notebooks, ledger and committed verdicts agree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::baseline::Baseline;
use super::coverage::Coverage;
use super::problem::Problem;
use super::registry::Registry;
use super::row::Row;
use super::scan::{Call, calls};
use super::store::Store;
use super::{Error, Scale, Settings};

/// The result of an audit.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// What disagrees; empty if all is well.
    pub problems: Vec<Problem>,
    /// How much of each document is checked.
    pub coverage: Coverage,
    /// Notebooks that were read.
    pub notebooks: Vec<String>,
}

/// What the audit needs of a notebook.
struct Scanned {
    ids: BTreeSet<String>,
    cells: Vec<(String, Vec<Call>)>,
}

impl Audit {
    /// Audits a notebooks folder and a results folder. `scale` restricts rows and committed verdicts to
    /// one scale, and then a committed verdict without a row is a problem too.
    ///
    /// # Errors
    /// Only if `claims.toml` cannot be used ([`Registry::read`]) or the folder cannot be listed; all
    /// else is a [`Problem`].
    pub fn run(settings: &Settings, scale: Option<Scale>) -> Result<Audit, Error> {
        let registry = Registry::read(&settings.notebooks.join("claims.toml"))?;
        let mut problems = Vec::new();
        let mut scanned = BTreeMap::new();
        for path in notebook_paths(&settings.notebooks)? {
            let name = path
                .file_stem()
                .map_or(String::new(), |s| s.to_string_lossy().into_owned());
            match scan_notebook(&path) {
                Ok(notebook) => {
                    scanned.insert(name, notebook);
                }
                Err(problem) => problems.push(Problem::Notebook {
                    notebook: name,
                    problem,
                }),
            }
        }
        problems.extend(check_cells(&registry, &scanned));
        let store = Store::new(&settings.results);
        let rows = store.read().unwrap_or_else(|cause| {
            problems.push(Problem::File(cause.to_string()));
            Vec::new()
        });
        let baseline = Baseline::read(&settings.expected()).unwrap_or_else(|cause| {
            problems.push(Problem::File(cause.to_string()));
            Baseline::default()
        });
        let rows: Vec<Row> = rows
            .into_iter()
            .filter(|r| scale.is_none_or(|s| s == r.scale))
            .collect();
        problems.extend(check_rows(&registry, &scanned, &rows));
        problems.extend(check_baseline(&registry, &baseline, &rows, scale));
        Ok(Audit {
            problems,
            coverage: Coverage::of(&registry, &rows, scale),
            notebooks: scanned.into_keys().collect(),
        })
    }
}

fn check_cells(registry: &Registry, scanned: &BTreeMap<String, Scanned>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, notebook) in scanned {
        for (cell, calls) in &notebook.cells {
            for call in calls {
                let id = match call {
                    Call::Id(id) => id,
                    Call::Opaque(method) => {
                        problems.push(Problem::OpaqueId {
                            notebook: name.clone(),
                            cell: cell.clone(),
                            method: method.clone(),
                        });
                        continue;
                    }
                };
                // Branches of one cell, as for two scales, are one place.
                let place = format!("{name}, {cell}");
                let known = places.entry(id).or_default();
                if known.contains(&place) {
                    continue;
                }
                known.push(place);
                match registry.get(id) {
                    Err(cause) => problems.push(Problem::UnknownId {
                        notebook: name.clone(),
                        cell: cell.clone(),
                        problem: cause.to_string(),
                    }),
                    Ok(claim) if claim.notebook != *name => problems.push(Problem::WrongNotebook {
                        claim: id.clone(),
                        right: claim.notebook.clone(),
                        here: name.clone(),
                        cell: cell.clone(),
                    }),
                    Ok(_) => {}
                }
            }
        }
    }
    for (claim, cells) in &places {
        if cells.len() > 1 {
            problems.push(Problem::Repeated {
                claim: claim.to_string(),
                cells: cells.clone(),
            });
        }
    }
    for claim in registry.claims() {
        if scanned.contains_key(&claim.notebook) && !places.contains_key(claim.id.as_str()) {
            problems.push(Problem::NoCell {
                claim: claim.id.clone(),
                notebook: claim.notebook.clone(),
            });
        }
    }
    problems
}

fn check_rows(registry: &Registry, scanned: &BTreeMap<String, Scanned>, rows: &[Row]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for row in rows {
        let mut add = |problem: String| {
            problems.push(Problem::Row {
                claim: row.claim.clone(),
                scale: row.scale,
                problem,
            });
        };
        if let Err(cause) = registry.get(&row.claim) {
            add(cause.to_string());
        }
        match scanned.get(&row.notebook) {
            None => add(format!("notebook {} does not exist", row.notebook)),
            Some(notebook) if !row.cell.is_empty() && !notebook.ids.contains(&row.cell) => {
                add(format!(
                    "notebook {} has no cell `{}` any more; run it again",
                    row.notebook, row.cell
                ));
            }
            Some(_) => {}
        }
    }
    problems
}

fn check_baseline(registry: &Registry, baseline: &Baseline, rows: &[Row], scale: Option<Scale>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (claim, at, expected) in baseline.entries() {
        if scale.is_some_and(|s| s != at) {
            continue;
        }
        if let Err(cause) = registry.get(&claim) {
            problems.push(Problem::File(format!("expected.csv ({at}): {cause}")));
        }
        let found = rows
            .iter()
            .find(|r| r.claim == claim && r.scale == at)
            .map(|r| r.verdict);
        if found != Some(expected) && (found.is_some() || scale.is_some()) {
            problems.push(Problem::Differs {
                claim,
                scale: at,
                expected,
                found,
            });
        }
    }
    problems
}

fn notebook_paths(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |cause| Error::io("listing the notebooks folder", folder, cause);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|e| e == "ipynb") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn scan_notebook(path: &Path) -> Result<Scanned, String> {
    let text = std::fs::read_to_string(path).map_err(|cause| cause.to_string())?;
    let json: Value = serde_json::from_str(&text).map_err(|cause| format!("not valid JSON: {cause}"))?;
    let format = json.get("nbformat").and_then(Value::as_u64);
    if format != Some(4) {
        let found = format.map_or("none".to_string(), |v| v.to_string());
        return Err(format!(
            "notebook format {found}, needs 4; open and save it in JupyterLab"
        ));
    }
    let cells = json
        .get("cells")
        .and_then(Value::as_array)
        .ok_or("it has no list of cells")?;
    let mut scanned = Scanned {
        ids: BTreeSet::new(),
        cells: Vec::new(),
    };
    for (place, cell) in cells.iter().enumerate() {
        let id = cell.get("id").and_then(Value::as_str).unwrap_or_default();
        if !id.is_empty() {
            scanned.ids.insert(id.to_string());
        }
        if cell.get("cell_type").and_then(Value::as_str) != Some("code") {
            continue;
        }
        let name = match id {
            "" => format!("cell {}", place + 1),
            id => format!("cell {} `{id}`", place + 1),
        };
        let found = calls(&source(cell));
        if !found.is_empty() {
            scanned.cells.push((name, found));
        }
    }
    Ok(scanned)
}

/// The source of a cell, which the format allows as one string or as a list of lines.
fn source(cell: &Value) -> String {
    match cell.get("source") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::blank;
    use super::super::store::{replace_file, to_csv};
    use super::*;

    struct Project {
        _folder: tempfile::TempDir,
        settings: Settings,
    }

    /// Two claims of `memory-model`, one of `memory-proofs`, which has no notebook.
    fn project() -> Project {
        let folder = tempfile::tempdir().unwrap();
        let mut text = "[[paper]]\nid = \"m\"\ntitle = \"M\"\n".to_string();
        for (id, notebook) in [
            ("m/a", "memory-model"),
            ("m/b", "memory-model"),
            ("m/c", "memory-proofs"),
        ] {
            text += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"m\"\nwhere = \"w\"\nkind = \"k\"\nsays = \"s\"\n\
                 setup = \"s\"\ncheck = \"c\"\nreach = \"r\"\nnotebook = \"{notebook}\"\n"
            );
        }
        std::fs::write(folder.path().join("claims.toml"), text).unwrap();
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let settings = Settings::new(folder.path());
        let project = Project {
            _folder: folder,
            settings,
        };
        project.notebook(
            "memory-model",
            &["ledger.record(\"m/a\", e)?", "ledger.not_tested(\"m/b\", \"r\")?"],
        );
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
            std::fs::write(self.settings.notebooks.join(name), text).unwrap();
        }

        fn rows(&self, rows: &[Row]) {
            replace_file(&Store::new(&self.settings.results).path(), to_csv(rows).as_bytes()).unwrap();
        }

        fn problems(&self, scale: Option<Scale>) -> Vec<String> {
            let audit = Audit::run(&self.settings, scale).unwrap();
            audit.problems.iter().map(Problem::to_string).collect()
        }
    }

    #[test]
    fn a_consistent_project_has_no_problems() {
        let project = project();
        project.rows(&[blank("m/a", Scale::Quick)]);
        project.file(
            "results/expected.csv",
            "claim,scale,verdict\nm/a,quick,not tested\nm/b,paper,holds\n",
        );
        assert_eq!(project.problems(None), Vec::<String>::new());
        let audit = Audit::run(&project.settings, Some(Scale::Quick)).unwrap();
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
                "notebook memory-model, cell 2 `c1`: claim `m/aa` is not in the registry; did you mean `m/a` or `m/b` or `m/c`?",
                "notebook memory-model, cell 4 `c3`: `ledger.record` needs the claim id as a string literal",
                "claim m/c: recorded in notebook memory-model, cell 5 `c4`, but the registry gives it to memory-proofs",
                "claim m/a: recorded 2 times: memory-model, cell 2 `c1`; memory-model, cell 3 `c2`",
                "claim m/b: no cell of notebook memory-model records it; add record or not_tested",
            ]
        );
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
    fn rows_must_point_at_what_exists() {
        let project = project();
        let mut cell = blank("m/a", Scale::Quick);
        cell.cell = "gone".to_string();
        let mut notebook = blank("m/c", Scale::Quick);
        notebook.notebook = "memory-proofs".to_string();
        project.rows(&[cell, blank("m/x", Scale::Paper), notebook]);
        let problems = project.problems(None);
        assert_eq!(problems.len(), 3);
        assert!(problems[0].contains("m/a (quick): notebook memory-model has no cell `gone`"));
        assert!(problems[1].contains("m/x (paper): claim `m/x` is not in the registry"));
        assert!(problems[2].contains("notebook memory-proofs does not exist"));
        assert_eq!(project.problems(Some(Scale::Paper)).len(), 1);
    }

    #[test]
    fn verdicts_are_compared_with_the_committed_ones() {
        let project = project();
        project.rows(&[blank("m/a", Scale::Quick)]);
        project.file(
            "results/expected.csv",
            "claim,scale,verdict\nm/a,quick,holds\nm/b,quick,fails\nm/zz,paper,holds\n",
        );
        assert_eq!(
            project.problems(Some(Scale::Quick)),
            [
                "claim m/a (quick): not tested, committed is holds",
                "claim m/b (quick): no row, committed is fails"
            ]
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
        assert!(matches!(
            Audit::run(&project.settings, None),
            Err(Error::NotToml { .. })
        ));
    }
}
