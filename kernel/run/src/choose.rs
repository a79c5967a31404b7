//! Choice of the notebooks of a run, how far each is run, and which claims it has to record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use workbench_record::{Cells, Registry, Row, Run, Scale, Tables, Today};

use workbench_base::error::{Error, Result};
use workbench_base::notebook::{self, Notebook};

/// A notebook with what is asked of it.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The notebook.
    pub notebook: Notebook,
    /// How many of its code cells are run, from the first.
    pub cells: usize,
    /// The claims that it has to record.
    pub due: BTreeSet<String>,
    /// Why it is run, where it was not simply asked for.
    pub why: Option<String>,
}

/// What selects.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// Names of notebooks; all if empty.
    pub notebooks: &'a [String],
    /// Patterns of claims; all if empty.
    pub claims: &'a [String],
}

/// The notebooks that are wished for.
///
/// With patterns of claims a notebook is run up to the last cell that records one of them. A claim that is open is not asked of its
/// notebook.
///
/// **Errors**: a name or pattern that fits nothing, a notebook that cannot be read or is not ours, two notebooks of one name.
pub fn choose(folder: &Path, registry: &Registry, wish: Wish) -> Result<Vec<Chosen>> {
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    for pattern in wish.claims {
        wanted.extend(registry.matching(pattern)?.iter().map(|claim| claim.id.as_str()));
    }
    let mut chosen = Vec::new();
    for path in paths(folder, wish.notebooks)? {
        let notebook = Notebook::read_ours(&path)?;
        let name = notebook.name();
        let mut due: BTreeSet<String> = registry
            .of_notebook(&name)
            .iter()
            .filter(|claim| claim.open.is_empty())
            .map(|claim| claim.id.clone())
            .collect();
        let mut cells = notebook.cells().len();
        if !wish.claims.is_empty() {
            due.retain(|claim| wanted.contains(claim.as_str()));
            if due.is_empty() {
                continue;
            }
            let last = notebook.cells().iter().rposition(|cell| {
                let recorded = registry.recorded_in(&name, &cell.source);
                recorded.iter().any(|claim| due.contains(claim))
            });
            // Without such a cell all are run, and the verdict is reported as missing.
            cells = last.map_or(cells, |last| last + 1);
        }
        chosen.push(Chosen { notebook, cells, due, why: None });
    }
    if chosen.is_empty() {
        return Err(nothing(registry, wish, &wanted));
    }
    Ok(chosen)
}

/// Leaves out notebooks whose verdicts stand: each claim has a row at this scale and seed, of today's statement and code, computed
/// with today's sources and packages.
pub fn only_changed(chosen: Vec<Chosen>, record: &Tables, registry: &Registry, now: &Run) -> Vec<Chosen> {
    let cells: BTreeMap<String, Cells> = chosen
        .iter()
        .map(|one| {
            let code = one.notebook.cells().iter().map(|cell| (cell.id.clone(), cell.source.clone()));
            (one.notebook.name(), Cells::new(code.collect()))
        })
        .collect();
    let today = Today::new(registry, &cells);
    let rows: BTreeMap<&str, &Row> = record
        .rows
        .iter()
        .filter(|row| row.scale == now.scale && row.seed == now.seed)
        .map(|row| (row.claim.as_str(), row))
        .collect();
    let reason = |claim: &str| {
        let Some(row) = rows.get(claim) else {
            return Some(format!("{claim} has no row"));
        };
        if let Some(stale) = today.stale(row) {
            return Some(format!("{claim}: {stale}"));
        }
        match record.run_of(row) {
            None => Some(format!("{claim}: its run is not described")),
            Some(run) if run.source != now.source => Some("the crate's code has changed since".to_string()),
            Some(run) if run.lock != now.lock => Some("Cargo.lock has changed since".to_string()),
            Some(_) => None,
        }
    };
    chosen
        .into_iter()
        .filter_map(|mut one| {
            one.why = one.due.iter().find_map(|claim| reason(claim));
            one.why.is_some().then_some(one)
        })
        .collect()
}

/// Parses `--seeds`: `1..=3`, `1..4`, `1,2,5` or `7`.
pub fn seeds(text: &str) -> Result<Vec<u64>> {
    workbench_record::seeds(text).map_err(|why| Error::Option { option: "--seeds", value: text.to_string(), why })
}

/// The files of the notebooks, each name once.
fn paths(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    if names.is_empty() {
        paths = notebook::find_all(folder);
        if paths.is_empty() {
            return Err(Error::Results {
                operation: "find a notebook in",
                path: folder.to_path_buf(),
                why: "there is none".into(),
                hint: "restore the notebooks from the repository",
            });
        }
    }
    for name in names {
        let path = notebook::find(folder, name)?;
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let mut seen: BTreeMap<String, &PathBuf> = BTreeMap::new();
    for path in &paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(first) = seen.insert(stem.clone(), path) {
            return Err(Error::Option {
                option: "--notebook",
                value: stem,
                why: format!(
                    "two notebooks have this name, {} and {}; verdicts go by the name, so give one of them another",
                    first.display(),
                    path.display()
                ),
            });
        }
    }
    Ok(paths)
}

/// Why no notebook was chosen.
fn nothing(registry: &Registry, wish: Wish, wanted: &BTreeSet<&str>) -> Error {
    let open = registry
        .claims()
        .iter()
        .filter(|claim| wanted.contains(claim.id.as_str()) && !claim.open.is_empty())
        .map(|claim| format!("{}: {}", claim.id, claim.open))
        .next();
    Error::Option {
        option: "--claim",
        value: wish.claims.join(" "),
        why: open.unwrap_or_else(|| "no chosen notebook checks such a claim; leave out --notebook".into()),
    }
}

/// The verdicts' scale for the option's.
pub fn scale(scale: super::args::Scale) -> Scale {
    if scale.is_paper() { Scale::Paper } else { Scale::Quick }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIMS: &str = "[[paper]]\nid = \"a\"\ntitle = \"A\"\n";

    fn project() -> (tempfile::TempDir, Registry) {
        let folder = tempfile::tempdir().unwrap();
        let mut claims = CLAIMS.to_string();
        for (id, notebook, open) in [
            ("a/1", "tour", ""),
            ("a/2", "tour", ""),
            ("a/3", "other", ""),
            ("a/4", "none", "Not built yet."),
            ("a/5", "tour", "Not trained yet."),
        ] {
            claims += &format!(
                "[[claim]]\nid = \"{id}\"\npaper = \"a\"\nwhere = \"w\"\nkind = \"lemma\"\nsays = \"s\"\nsetup = \"s\"\n\
                 check = \"c\"\nreach = \"gpu\"\nnotebook = \"{notebook}\"\nopen = \"{open}\"\n"
            );
        }
        let registry = Registry::parse(&claims, Path::new("claims.toml")).unwrap();
        for (name, sources) in [
            ("tour", &["1", "ledger.record(\"a/1\", e)?", "2", "ledger.record(\"a/2\", e)?"][..]),
            ("other", &["ledger.record(\"a/3\", e)?", "3"]),
        ] {
            let cells: Vec<serde_json::Value> = sources
                .iter()
                .enumerate()
                .map(|(at, source)| {
                    serde_json::json!({"cell_type": "code", "id": format!("c{at}"), "execution_count": null,
                                       "metadata": {}, "outputs": [], "source": source})
                })
                .collect();
            let text = serde_json::json!({"cells": cells, "nbformat": 4, "nbformat_minor": 5,
                "metadata": {"kernelspec": {"name": "workbench", "display_name": "W"}}});
            std::fs::write(folder.path().join(format!("{name}.ipynb")), text.to_string()).unwrap();
        }
        (folder, registry)
    }

    fn chosen(claims: &[&str], notebooks: &[&str]) -> Result<Vec<(String, usize, usize)>> {
        let (folder, registry) = project();
        let owned = |names: &[&str]| -> Vec<String> { names.iter().map(|name| name.to_string()).collect() };
        let (claims, notebooks) = (owned(claims), owned(notebooks));
        let wish = Wish { notebooks: &notebooks, claims: &claims };
        let chosen = choose(folder.path(), &registry, wish)?;
        Ok(chosen.iter().map(|one| (one.notebook.name(), one.cells, one.due.len())).collect())
    }

    #[test]
    fn a_claim_is_run_to_its_cell_and_no_further() {
        let all = [("other".to_string(), 2, 1), ("tour".to_string(), 4, 2)];
        assert_eq!(chosen(&[], &[]).unwrap(), all);
        assert_eq!(chosen(&["a/1"], &[]).unwrap(), [("tour".to_string(), 2, 1)]);
        assert_eq!(chosen(&["a/[12]"], &[]).unwrap(), [("tour".to_string(), 4, 2)]);
        assert_eq!(chosen(&["a/1", "a/3"], &[]).unwrap().len(), 2);
        let told = |claims: &[&str], notebooks: &[&str]| chosen(claims, notebooks).unwrap_err().to_string();
        assert!(told(&["a/4"], &[]).contains("Not built yet."), "{}", told(&["a/4"], &[]));
        assert!(told(&["a/5"], &[]).contains("Not trained yet."));
        assert!(told(&["a/9"], &[]).contains("no claim matches"));
        assert!(told(&["a/3"], &["tour"]).contains("leave out --notebook"));
        assert!(told(&[], &["nowhere"]).contains("no notebook \"nowhere\""));
    }

    #[test]
    fn two_notebooks_of_one_name_are_refused() {
        let (folder, registry) = project();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        std::fs::copy(folder.path().join("tour.ipynb"), folder.path().join("deep/tour.ipynb")).unwrap();
        let wish = Wish { notebooks: &[], claims: &[] };
        let error = choose(folder.path(), &registry, wish).unwrap_err().to_string();
        assert!(error.contains("two notebooks have this name"), "{error}");
    }

    #[test]
    fn only_what_changed_is_left() {
        let (folder, registry) = project();
        let wish = Wish { notebooks: &[], claims: &[] };
        let all = || choose(folder.path(), &registry, wish).unwrap();
        let mut run = crate::facts::describe(folder.path(), &[], Scale::Quick, 1).unwrap();
        run.run = "r1".into();
        let mut record = Tables { runs: vec![run.clone()], ..Tables::default() };
        let (cells, _) = workbench_record::cells::read_all(folder.path()).unwrap();
        let today = Today::new(&registry, &cells);
        for (claim, notebook, cell) in [("a/1", "tour", "c1"), ("a/2", "tour", "c3"), ("a/3", "other", "c0")] {
            record.rows.push(Row {
                notebook: notebook.into(),
                cell: cell.into(),
                run: "r1".into(),
                statement: today.statement(claim),
                code: cells[notebook].digest_to(cell),
                ..Row::blank(claim, Scale::Quick, 1)
            });
        }
        let names = |record: &Tables, now: &Run| -> Vec<String> {
            let left = only_changed(all(), record, &registry, now);
            left.iter().map(|one| one.notebook.name()).collect()
        };
        assert!(names(&record, &run).is_empty());
        assert_eq!(names(&record, &Run { seed: 2, ..run.clone() }), ["other", "tour"]);
        assert_eq!(names(&record, &Run { source: "s".into(), ..run.clone() }).len(), 2);
        assert_eq!(names(&record, &Run { lock: "l".into(), ..run.clone() }).len(), 2);
        let mut old = record.clone();
        old.rows[2].code = "0".into();
        assert_eq!(names(&old, &run), ["other"]);
        record.rows.remove(0);
        assert_eq!(names(&record, &run), ["tour"]);
    }
}
