//! Runs by their id, or by a beginning of it that no other run has.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;

use workbench_record::table::{self, Line};
use workbench_record::{Run, Tables};

use super::source::{Kind, Source};
use workbench_base::error::{Error, Result};
use workbench_base::text::{agree, count};
use workbench_run::folder::Plan;
use workbench_setup::paths::Workspace;

/// How many runs a message names.
const NAMED: usize = 5;

/// The run, or why there is none of that name. Only an ambiguous name is an error.
pub fn find_run(name: &str, option: &'static str, workspace: &Workspace) -> Result<Result<Source, String>> {
    let results = workspace.results();
    let folders = folders(&results.join("runs"))?;
    let mut ids = folders.clone();
    // A run whose own folder is gone may have rows in the record.
    let mut problem = String::new();
    match table::read::<Run>(&results) {
        Ok(runs) => ids.extend(runs.into_iter().map(|run| run.run)),
        Err(cause) => problem = format!(" ({cause})"),
    }
    let fitting: Vec<&String> = match ids.get(name) {
        Some(exact) => vec![exact],
        None if name.is_empty() => Vec::new(),
        None => ids.iter().filter(|id| id.starts_with(name)).collect(),
    };
    let id = match fitting[..] {
        [] => return Ok(Err(format!("none begins with it, {}{problem}", known(&ids)))),
        [one] => one.clone(),
        _ => {
            return Err(Error::Option {
                option,
                value: name.to_string(),
                why: format!(
                    "{} begin with it: {}; write more of the one you mean",
                    count(fitting.len(), "run"),
                    latest(fitting.into_iter())
                ),
            });
        }
    };
    let folder = results.join("runs").join(&id);
    if !folders.contains(&id) {
        let tables = rows_of(Tables::read(&results)?, &id);
        return Ok(Ok(Source::new(Kind::Run, &id, None, tables)));
    }
    let mut source = Source::new(Kind::Run, &id, Some(folder.clone()), Tables::read(&folder)?);
    if let Some(plan) = plan(&folder)? {
        source.cut_off = !plan.complete;
        source.knobs = plan.knobs;
    }
    Ok(Ok(source))
}

/// What a run set out to do, where its folder says so.
fn plan(folder: &Path) -> Result<Option<Plan>> {
    let path = folder.join("run.json");
    let failed = |source| Error::io("read the plan of the run", &path, source);
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|cause| failed(cause.into())),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(failed(cause)),
    }
}

/// What a record still holds of one run.
fn rows_of(mut tables: Tables, id: &str) -> Tables {
    tables.rows.retain(|row| row.run == id);
    tables.runs.retain(|run| run.run == id);
    let keys: HashSet<_> = tables.rows.iter().map(Line::key).collect();
    tables.findings.retain(|line| keys.contains(&line.key()));
    tables.notes.retain(|line| keys.contains(&line.key()));
    tables
}

/// Names of the folders in `folder`; none if it does not exist.
fn folders(folder: &Path) -> Result<BTreeSet<String>> {
    let failed = |source| Error::io("list the runs in", folder, source);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(cause) => return Err(failed(cause)),
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.path().is_dir() {
            names.insert(name);
        }
    }
    Ok(names)
}

fn known(ids: &BTreeSet<String>) -> String {
    match ids.len() {
        0 => "there are no runs yet".to_string(),
        n => format!("there {} {}: {}", agree(n, "is", "are"), count(n, "run"), latest(ids.iter())),
    }
}

/// The last few, newest first: ids begin with the time.
fn latest<'a>(ids: impl DoubleEndedIterator<Item = &'a String> + ExactSizeIterator) -> String {
    let more = ids.len() > NAMED;
    let named: Vec<&str> = ids.rev().take(NAMED).map(String::as_str).collect();
    format!("{}{}", named.join(", "), if more { ", ..." } else { "" })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fixtures::{record, run, save, workspace};
    use workbench_record::Scale;

    /// What `run.json` holds of a run that was cut off, with one knob turned.
    pub fn plan_text(id: &str) -> String {
        let run = serde_json::json!({
            "run": id, "commit": "", "dirty": false, "lock": "", "source": "", "compiler": "", "processor": "",
            "cores": 2, "blas": "", "device": "cpu", "start": "", "seconds": "0", "scale": "quick", "seed": 1
        });
        serde_json::json!({
            "run": run, "claims": [], "knobs": [["n", "3"]], "parts": [], "seeds_left": [], "complete": false
        })
        .to_string()
    }

    #[test]
    fn a_run_whose_folder_is_gone_is_read_from_the_record() {
        let (_folder, workspace) = workspace();
        let mut tables = record(&workspace);
        tables.rows[0].run = "20261122T10".into();
        tables.runs.push(run(&workspace, "20261122T10", Scale::Quick, 1));
        save(&workspace.results(), &tables);
        let found = Source::run("2026", "--run", &workspace).unwrap();
        let told = (found.tables.rows.len(), found.tables.findings.len(), found.tables.runs.len());
        assert_eq!((found.name.as_str(), told), ("20261122T10", (1, 1, 1)));
    }

    #[test]
    fn the_plan_says_which_knobs_were_turned_and_whether_it_came_to_its_end() {
        let (_folder, workspace) = workspace();
        let folder = workspace.results().join("runs/r1");
        save(&folder, &record(&workspace));
        let find = || Source::run("r1", "--run", &workspace);
        assert!(find().unwrap().knobs.is_empty() && !find().unwrap().cut_off);
        std::fs::write(folder.join("run.json"), plan_text("r1")).unwrap();
        let found = find().unwrap();
        assert!(found.cut_off);
        assert_eq!(found.title(), "run r1: 3 rows, 3 findings, with n = 3, not come to its end");
        std::fs::write(folder.join("run.json"), "{").unwrap();
        assert!(find().unwrap_err().to_string().contains("run.json"));
    }
}
