//! A sweep's merged result, for a check that takes it in place of computing.

use std::collections::BTreeMap;
use std::path::Path;

use polars::prelude::{DataFrame, DataType};
use workbench_record::{Run, Scale, table as tables};

use crate::error::Error;
use crate::merge::{DATA, Facts};
use crate::origin;
use crate::plan::{Plan, kinds};
use crate::sweep::AnySweep;
use crate::table;

/// A merged result that is what it says.
#[derive(Clone, Debug)]
pub struct Found {
    /// What was planned: scale, seed, grid, replicates.
    pub plan: Plan,
    /// The rows: parameters, `replicate`, and the sweep's columns.
    pub frame: DataFrame,
    /// Who computed which shard.
    pub runs: Vec<Run>,
}

impl Found {
    /// The columns of numbers as such, counts and truth values too; words are left out.
    pub fn numbers(&self) -> BTreeMap<String, Vec<f64>> {
        let mut numbers = BTreeMap::new();
        for column in self.frame.columns() {
            let series = column.as_materialized_series();
            let cast = (series.dtype() != &DataType::String).then(|| series.cast(&DataType::Float64));
            if let Some(Ok(series)) = cast
                && let Ok(values) = series.f64()
                && values.null_count() == 0
            {
                numbers.insert(column.name().to_string(), values.into_no_null_iter().collect());
            }
        }
        numbers
    }
}

/// What a check gets.
#[derive(Clone, Debug)]
pub enum Taken {
    /// The result.
    Found(Box<Found>),
    /// There is none; why, and what makes it.
    Missing(String),
    /// There is one, of another grid, other sources or another commit; how it differs, and what makes it anew.
    Stale(String),
}

impl Taken {
    /// The same if it is of this scale and seed; a result of others is none for this one.
    #[must_use]
    pub fn of(self, scale: Scale, seed: u64) -> Taken {
        match self {
            Taken::Found(found) if (found.plan.scale, found.plan.seed) != (scale, seed) => {
                Taken::Missing(format!("what is there is {}; asked for scale {scale}, seed {seed}", found.plan.words()))
            }
            other => other,
        }
    }

    /// The sentence for a reader: where the result is from, or "sweep missing", or "sweep stale", with the reason.
    pub fn sentence(&self) -> String {
        match self {
            Taken::Found(found) => format!("taken from the sweep {}, commit {}", found.plan.words(), found.plan.commit),
            Taken::Missing(why) => format!("sweep missing: {why}"),
            Taken::Stale(why) => format!("sweep stale: {why}"),
        }
    }
}

/// As [`crate::Sweep::result`].
pub(crate) fn taken(sweep: &AnySweep, folder: &Path, commit: &str) -> Taken {
    const OP: &str = "sweep result";
    let again = format!("`cargo workbench sweep plan {} --folder {}`", sweep.name, folder.display());
    let plan = match Plan::read(folder, OP) {
        Ok(plan) => plan,
        Err(Error::NoPlan { .. }) => {
            return Taken::Missing(format!("no plan in {}; {again} begins one", folder.display()));
        }
        Err(error) => return Taken::Stale(error.to_string()),
    };
    if let Some(other) = differs(sweep, &plan, commit) {
        return Taken::Stale(format!("{other}; in a new folder, {again} begins one of today"));
    }
    let path = folder.join(DATA);
    let (facts, frame) = match table::read::<Facts>(&path) {
        Ok(Ok(read)) => read,
        Ok(Err(problem)) => return Taken::Missing(format!("{}: {problem}; merge again", path.display())),
        Err(_) => {
            let next = "`sweep status` says which shards are left, `sweep merge` makes the table";
            return Taken::Missing(format!("the shards in {} are not merged; {next}", folder.display()));
        }
    };
    if facts.work != plan.work() {
        return Taken::Stale(format!("{} was merged from another plan; merge again", path.display()));
    }
    if table::digest(&frame).ok() != Some(facts.rows) {
        let problem = "its numbers are not those that were written; merge again";
        return Taken::Missing(format!("{}: {problem}", path.display()));
    }
    match tables::read::<Run>(folder) {
        Ok(runs) => Taken::Found(Box::new(Found { plan, frame, runs })),
        Err(error) => Taken::Missing(format!("{error}; merge again")),
    }
}

/// In what a plan is not the one that would be made today.
fn differs(sweep: &AnySweep, plan: &Plan, commit: &str) -> Option<String> {
    if plan.sweep != sweep.name {
        return Some(format!("the plan is of the sweep {}, asked for {}", plan.sweep, sweep.name));
    }
    if plan.dirty {
        return Some(format!("it was planned from a tree that differed from its commit {}", plan.commit));
    }
    if plan.commit != commit {
        return Some(format!("it is of commit {}, asked for {commit}", plan.commit));
    }
    if plan.source != origin::SOURCE {
        return Some(format!("it is of other sources ({}, today {})", plan.source, origin::SOURCE));
    }
    let grid = sweep.grid(plan.scale).unwrap_or_default();
    let same = (&grid, sweep.replicates(plan.scale) as u64, kinds(sweep))
        == (&plan.points, plan.replicates, plan.columns.clone());
    (!same).then(|| format!("the grid of {} at scale {} has changed since, or this is a pilot", sweep.name, plan.scale))
}
