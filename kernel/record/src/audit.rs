//! Audit of registry, notebooks, ledger and committed verdicts.

use std::collections::BTreeMap;
use std::path::Path;

use super::baseline::Baseline;
use super::cells::{self, Cells};
use super::coverage::Coverage;
use super::family::Family;
use super::problem::Problem;
use super::program::program;
use super::registry::Registry;
use super::row::Row;
use super::scan::{Call, calls};
use super::stale::Today;
use super::store::Tables;
use super::table::Line;
use super::words::{agree, count};
use super::{Error, Scale};

/// The result of an audit.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// What disagrees; empty if all is well.
    pub problems: Vec<Problem>,
    /// How much of each document is checked.
    pub coverage: Coverage,
    /// The findings of each scale and seed at one family-wise level.
    pub families: Vec<Family>,
    /// Notebooks that were read.
    pub notebooks: Vec<String>,
}

impl Audit {
    /// Audits a notebooks folder, its registry and committed verdicts, and the tables of a results folder. `scale` restricts rows
    /// and committed verdicts to one scale, and then a committed verdict without a row is a problem too.
    ///
    /// # Errors
    /// Only if `claims.toml` cannot be used ([`Registry::read`]) or the folder cannot be listed; all
    /// else is a [`Problem`].
    pub fn run(notebooks: &Path, results: &Path, scale: Option<Scale>) -> Result<Audit, Error> {
        let registry = Registry::read(&notebooks.join("claims.toml"))?;
        let mut problems = Vec::new();
        let (scanned, broken) = cells::read_all(notebooks)?;
        problems.extend(broken.into_iter().map(|(notebook, problem)| Problem::Notebook { notebook, problem }));
        problems.extend(check_cells(&registry, &scanned));
        let tables = Tables::read(results).unwrap_or_else(|cause| {
            problems.push(Problem::File(cause.to_string()));
            Tables::default()
        });
        let baseline = Baseline::read(&notebooks.join("results")).unwrap_or_else(|cause| {
            problems.push(Problem::File(cause.to_string()));
            Baseline::default()
        });
        let rows: Vec<Row> = tables.rows.iter().filter(|r| scale.is_none_or(|s| s == r.scale)).cloned().collect();
        problems.extend(check_rows(&registry, &scanned, &rows));
        problems.extend(check_runs(&tables, &rows));
        problems.extend(check_baseline(&registry, &baseline, &rows, scale));
        let mut families = Family::all(&tables.findings);
        families.retain(|family| scale.is_none_or(|scale| scale == family.scale));
        problems.extend(families.iter().flat_map(check_family));
        Ok(Audit {
            problems,
            families,
            coverage: Coverage::of(&registry, &rows, scale),
            notebooks: scanned.into_keys().collect(),
        })
    }
}

/// At quick scale a decision may fall to the level of the family; at the documents' own scale it has to stand.
fn check_family(family: &Family) -> Vec<Problem> {
    let lost = family.lost.iter().filter(|_| family.scale == Scale::Paper);
    lost.map(|(claim, what, _)| Problem::Family { claim: claim.clone(), seed: family.seed, what: what.clone() })
        .collect()
}

fn check_cells(registry: &Registry, scanned: &BTreeMap<String, Cells>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, notebook) in scanned {
        for (place, (id, source)) in notebook.code().iter().enumerate() {
            let cell = match id.as_str() {
                "" => format!("code cell {}", place + 1),
                id => format!("code cell {} `{id}`", place + 1),
            };
            for call in calls(source) {
                let id = match call {
                    Call::Id(id) => id,
                    Call::Check(path) => match registry.check_in(&path, name) {
                        Some(check) => check.claim.clone(),
                        None => {
                            problems.push(Problem::UnknownCheck { notebook: name.clone(), cell: cell.clone(), path });
                            continue;
                        }
                    },
                    Call::Opaque(method) => {
                        problems.push(Problem::OpaqueId { notebook: name.clone(), cell: cell.clone(), method });
                        continue;
                    }
                };
                // Branches of one cell, as for two scales, are one place.
                let place = format!("{name}, {cell}");
                let known = places.entry(id.clone()).or_default();
                if known.contains(&place) {
                    continue;
                }
                known.push(place);
                match registry.get(&id) {
                    Err(cause) => problems.push(Problem::UnknownId {
                        notebook: name.clone(),
                        cell: cell.clone(),
                        problem: cause.to_string(),
                    }),
                    Ok(claim) if claim.notebook != *name => problems.push(Problem::WrongNotebook {
                        claim: id,
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
            problems.push(Problem::Repeated { claim: claim.clone(), cells: cells.clone() });
        }
    }
    for claim in registry.claims() {
        // One that is open says in the registry why no cell records it.
        let due = claim.open.is_empty() && scanned.contains_key(&claim.notebook);
        if due && !places.contains_key(claim.id.as_str()) {
            problems.push(Problem::NoCell { claim: claim.id.clone(), notebook: claim.notebook.clone() });
        }
    }
    problems
}

fn check_rows(registry: &Registry, scanned: &BTreeMap<String, Cells>, rows: &[Row]) -> Vec<Problem> {
    let today = Today::new(registry, scanned);
    let mut problems = Vec::new();
    for row in rows {
        let problem = if let Err(cause) = registry.get(&row.claim) {
            cause.to_string()
        } else if !scanned.contains_key(&row.notebook) {
            format!("notebook {} does not exist", row.notebook)
        } else if let Some(stale) = today.stale(row) {
            format!(
                "stale: {stale}; run `{} run --notebook {} --scale {} --seed {}`",
                program(),
                row.notebook,
                row.scale,
                row.seed
            )
        } else {
            continue;
        };
        problems.push(Problem::Row { claim: row.claim.clone(), scale: row.scale, seed: row.seed, problem });
    }
    problems
}

/// Every row names a run that is described, and every finding belongs to a row.
fn check_runs(tables: &Tables, rows: &[Row]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for row in rows {
        let problem = if row.run.is_empty() {
            "it does not say which run computed it"
        } else if tables.run_of(row).is_none() {
            "runs.csv does not describe the run that computed it"
        } else {
            continue;
        };
        problems.push(Problem::Row {
            claim: row.claim.clone(),
            scale: row.scale,
            seed: row.seed,
            problem: format!("{problem}; run the notebook again"),
        });
    }
    let keys: std::collections::HashSet<_> = tables.rows.iter().map(Line::key).collect();
    let orphans = tables.findings.iter().filter(|line| !keys.contains(&line.key())).count();
    if orphans > 0 {
        problems.push(Problem::File(format!(
            "{} {} to no row of ledger.csv; restore both tables from version control",
            count(orphans, "finding"),
            agree(orphans, "belongs", "belong")
        )));
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
        let ours: Vec<&Row> = rows.iter().filter(|r| r.claim == claim && r.scale == at).collect();
        if ours.is_empty() && scale.is_some() {
            problems.push(Problem::Missing { claim: claim.clone(), scale: at, expected });
        }
        for row in ours.into_iter().filter(|row| row.verdict != expected) {
            problems.push(Problem::Differs {
                claim: claim.clone(),
                scale: at,
                seed: row.seed,
                expected,
                found: row.verdict,
            });
        }
    }
    problems
}

#[cfg(test)]
mod tests;
