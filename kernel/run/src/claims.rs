//! The claims of a run: which its notebooks had to record, which verdicts are committed, how many are covered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use workbench_record::{Baseline, Coverage, Family, Registry, Row, Scale, Tables, Verdict};

use super::folder::{Plan, RunFolder, State};
use super::judge::disagreements;
use super::outcome::Outcome;
use workbench_base::error::Result;
use workbench_base::text::count;
use workbench_setup::paths::Workspace;

/// The claims that each notebook that came to its end had to record: its own, but for those that are open.
pub fn due(plan: &Plan, registry: &Registry) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut wanted: Option<BTreeSet<&str>> = None;
    for pattern in &plan.claims {
        let found = registry.matching(pattern)?;
        wanted.get_or_insert_default().extend(found.iter().map(|claim| claim.id.as_str()));
    }
    let done = plan.parts.iter().filter(|part| part.state == State::Done);
    let due = done.map(|part| {
        let claims = registry
            .of_notebook(&part.notebook)
            .into_iter()
            .filter(|claim| claim.open.is_empty())
            .map(|claim| claim.id.clone());
        let claims = claims.filter(|id| wanted.as_ref().is_none_or(|wanted| wanted.contains(id.as_str())));
        (part.notebook.clone(), claims.collect())
    });
    Ok(due.collect())
}

/// Commits the verdicts of a run; returns what to say about it.
pub fn accept(
    baseline: &mut Baseline,
    workspace: &Workspace,
    rows: &[Row],
    due: &BTreeMap<String, BTreeSet<String>>,
    scale: Scale,
) -> Result<Vec<String>> {
    let computed: BTreeMap<String, Verdict> = rows.iter().map(|row| (row.claim.clone(), row.verdict)).collect();
    let due_now = due.values().flatten();
    let gone: BTreeSet<String> = due_now
        .filter(|claim| !computed.contains_key(*claim) && baseline.get(claim, scale).is_some())
        .cloned()
        .collect();
    baseline.accept(scale, &computed, &gone);
    baseline.write(&workspace.results())?;
    let mut said = vec![format!("{} written to expected.csv", count(computed.len(), "verdict"))];
    said.extend(gone.iter().map(|claim| format!("{claim} is no longer recorded: its committed verdict was taken out")));
    Ok(said)
}

/// A verdict on which the seeds do not agree is none to commit: what was committed `before` the first of them ran stands again.
pub fn take_back(before: &Baseline, workspace: &Workspace, outcomes: &mut [Outcome]) -> Result<()> {
    let rows = |outcome: &Outcome| (outcome.seed, outcome.verdicts.rows.clone());
    let (differ, _) = disagreements(&outcomes.iter().map(rows).collect::<Vec<_>>());
    let Some((row, _)) = differ.first() else {
        return Ok(());
    };
    let scale = row.scale;
    let (mut again, mut none) = (BTreeMap::new(), BTreeSet::new());
    for (Row { claim, .. }, _) in differ {
        let remark = match before.get(&claim, scale) {
            Some(verdict) => {
                again.insert(claim.clone(), verdict);
                format!("{claim}: the seeds do not agree, so \"{verdict}\" stays the committed verdict")
            }
            None => {
                none.insert(claim.clone());
                format!("{claim}: the seeds do not agree, so no verdict is committed")
            }
        };
        outcomes[0].verdicts.remarks.push(remark);
    }
    let mut baseline = Baseline::read(&workspace.results())?;
    baseline.accept(scale, &again, &none);
    Ok(baseline.write(&workspace.results())?)
}

/// The claims of one's own that the notebooks of a run stated.
pub fn scratch(folder: &RunFolder) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for part in 0..folder.plan.parts.len() {
        rows.extend(Tables::read(&folder.attempt(part).join("scratch"))?.rows);
    }
    Ok(rows)
}

/// How many claims of each document have a verdict in the record, and the level of all its findings together.
pub fn coverage(results: &Path, workspace: &Workspace, scale: Scale) -> Result<String> {
    let tables = Tables::read(results)?;
    let mut text = Coverage::of(&registry(workspace)?, &tables.rows, Some(scale)).text();
    for family in Family::all(&tables.findings) {
        if family.scale == scale {
            text += &format!("{}\n", family.text());
        }
    }
    Ok(text)
}

/// The registry; a workspace without one has no claims.
pub fn registry(workspace: &Workspace) -> Result<Registry> {
    let path = workspace.notebooks().join("claims.toml");
    if !path.exists() {
        return Ok(Registry::empty());
    }
    Ok(Registry::read(&path)?)
}
