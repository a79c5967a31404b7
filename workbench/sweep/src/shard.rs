//! A shard: a part of the tasks, in one Parquet file that says whose it is.

use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use workbench_record::Run;

use crate::error::{Error, Result};
use crate::origin::Machine;
use crate::plan::{Plan, shards_folder};
use crate::sweep::{AnySweep, Kind, Rows, Values};
use crate::table;

/// Columns of a shard before those of its sweep: the task, and the row within it.
const OWN: [&str; 2] = ["#task", "#row"];

/// What a file of a shard says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// Digest of what is computed.
    pub work: String,
    pub commit: String,
    pub source: String,
    pub index: u64,
    pub shards: u64,
    /// The tasks whose rows it holds, ascending.
    pub tasks: Vec<u64>,
    /// Seconds that each of them took.
    pub seconds: Vec<f64>,
    /// Seconds from start to end of all that were computed for it, interruptions left out.
    pub wall: f64,
    pub machine: Machine,
    /// Digest of the numbers.
    pub rows: String,
}

/// A shard, or what there is of it.
#[derive(Debug)]
pub(crate) struct Shard {
    pub facts: Facts,
    pub frame: DataFrame,
}

/// What one task gave.
pub(crate) struct Done {
    pub task: u64,
    pub rows: Rows,
    pub seconds: f64,
}

/// The file of a finished shard.
pub fn file(plan: &Plan, index: u64, folder: &Path) -> PathBuf {
    shards_folder(folder).join(format!("{}.parquet", stem(plan, index)))
}

/// The file of what there is of one that is computed.
pub(crate) fn part(plan: &Plan, index: u64, folder: &Path) -> PathBuf {
    shards_folder(folder).join(format!("{}.part", stem(plan, index)))
}

/// `00003-of-00008`.
fn stem(plan: &Plan, index: u64) -> String {
    format!("{index:05}-of-{:05}", plan.shards)
}

/// The command that computes a shard.
pub(crate) fn again(index: u64, folder: &Path) -> String {
    format!("cargo workbench sweep shard --folder {} --index {index}", folder.display())
}

impl Shard {
    /// From the tasks that are done, in any order.
    pub fn of(plan: &Plan, index: u64, mut done: Vec<Done>, wall: f64, machine: Machine) -> Result<Shard> {
        const OP: &str = "sweep shard";
        done.sort_by_key(|done| done.task);
        let repeated = |of: fn(&Done, usize) -> u64| -> Vec<u64> {
            let each = done.iter().flat_map(|done| (0..done.rows.height()).map(move |row| of(done, row)));
            each.collect()
        };
        let mut columns = vec![
            table::counts(OWN[0], repeated(|done, _| done.task)),
            table::counts(OWN[1], repeated(|_, row| row as u64)),
        ];
        for (at, column) in plan.columns.iter().enumerate() {
            let (name, kind) = column.split_once(": ").unwrap_or((column, ""));
            let mut numbers: (Vec<f64>, Vec<u64>) = Default::default();
            for done in &done {
                match &done.rows.0[at] {
                    Values::Number(values) => numbers.0.extend(values),
                    Values::Count(values) => numbers.1.extend(values),
                }
            }
            columns.push(match kind == format!("{:?}", Kind::Count) {
                true => table::counts(name, numbers.1),
                false => table::numbers(name, numbers.0),
            });
        }
        let frame = table::frame(OP, columns)?;
        let facts = Facts {
            work: plan.work(),
            commit: plan.commit.clone(),
            source: plan.source.clone(),
            index,
            shards: plan.shards,
            tasks: done.iter().map(|done| done.task).collect(),
            seconds: done.iter().map(|done| done.seconds).collect(),
            wall,
            machine,
            rows: table::digest(&frame).map_err(|problem| Error::table(OP, problem))?,
        };
        Ok(Shard { facts, frame })
    }

    /// Writes it in one step.
    pub fn write(&mut self, path: &Path) -> Result<()> {
        table::write("sweep shard", path, &mut self.frame, &self.facts)
    }

    /// The finished shard; `None` if its file is not there.
    pub fn read(plan: &Plan, index: u64, folder: &Path, op: &'static str) -> Result<Option<Shard>> {
        let path = file(plan, index, folder);
        let Some(shard) = Shard::open(plan, index, folder, (&path, op))? else {
            return Ok(None);
        };
        if shard.facts.tasks != plan.tasks_of(index) {
            let problem = format!("it holds {} of {} tasks", shard.facts.tasks.len(), plan.tasks_of(index).len());
            return Err(damaged(op, &path, problem, index, folder));
        }
        Ok(Some(shard))
    }

    /// What there is of a shard that was stopped; nothing of it is used that does not fit.
    pub fn read_part(plan: &Plan, index: u64, folder: &Path) -> Option<Shard> {
        let path = part(plan, index, folder);
        let shard = Shard::open(plan, index, folder, (&path, "sweep shard")).ok().flatten()?;
        let own = plan.tasks_of(index);
        shard.facts.tasks.iter().all(|task| own.binary_search(task).is_ok()).then_some(shard)
    }

    /// A sound file of this plan and this index.
    fn open(plan: &Plan, index: u64, folder: &Path, (path, op): (&Path, &'static str)) -> Result<Option<Shard>> {
        let read = match table::read::<Facts>(path) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(op, path, error)),
        };
        let damaged = |problem: String| damaged(op, path, problem, index, folder);
        let (facts, frame) = read.map_err(damaged)?;
        let foreign = |problem: String| Error::Foreign { op, path: path.to_path_buf(), problem };
        if facts.commit != plan.commit || facts.source != plan.source {
            let of = |commit: &str, source: &str| format!("commit {commit}, sources {source}");
            let problem = format!(
                "it was computed from {}, the plan is of {}",
                of(&facts.commit, &facts.source),
                of(&plan.commit, &plan.source)
            );
            return Err(foreign(problem));
        }
        if facts.work != plan.work() {
            return Err(foreign(format!("it is of another plan ({}, this one is {})", facts.work, plan.work())));
        }
        if (facts.index, facts.shards) != (index, plan.shards) {
            return Err(foreign(format!("it is shard {} of {}", facts.index, facts.shards)));
        }
        if table::digest(&frame).map_err(damaged)? != facts.rows {
            return Err(damaged("its numbers are not those that were written".into()));
        }
        if !holds(&frame, &facts.tasks) {
            return Err(damaged("its rows are not those of its tasks".into()));
        }
        Ok(Some(Shard { facts, frame }))
    }

    /// The tasks that are done, to go on from.
    pub fn done(&self, sweep: &AnySweep) -> Option<Vec<Done>> {
        let tasks: Vec<u64> = self.frame.column(OWN[0]).ok()?.u64().ok()?.into_no_null_iter().collect();
        let column = |at: usize| self.frame.columns().get(OWN.len() + at);
        let mut done = Vec::new();
        for (task, seconds) in self.facts.tasks.iter().zip(&self.facts.seconds) {
            let (from, to) = (tasks.partition_point(|t| t < task), tasks.partition_point(|t| t <= task));
            let mut rows = Rows::default();
            for (at, (_, kind)) in sweep.columns.iter().enumerate() {
                let part = column(at)?.slice(i64::try_from(from).ok()?, to - from);
                rows = match kind {
                    Kind::Number => rows.numbers(part.f64().ok()?.into_no_null_iter()),
                    Kind::Count => rows.counts(part.u64().ok()?.into_no_null_iter().map(|n| n as usize)),
                };
            }
            let (task, seconds) = (*task, *seconds);
            done.push(Done { task, rows, seconds });
        }
        Some(done)
    }

    /// Who computed it, as a line of the runs' table.
    pub fn run(&self, plan: &Plan) -> Run {
        let (facts, machine) = (&self.facts, self.facts.machine.clone());
        Run {
            run: format!("{}/{:05}-of-{:05}@{}", plan.sweep, facts.index, facts.shards, machine.host),
            commit: plan.commit.clone(),
            dirty: plan.dirty,
            lock: plan.lock.clone(),
            source: plan.source.clone(),
            compiler: plan.compiler.clone(),
            processor: machine.processor,
            cores: machine.cores,
            blas: machine.blas,
            device: "cpu".into(),
            start: machine.start,
            seconds: facts.wall,
            scale: plan.scale,
            seed: plan.seed,
        }
    }
}

fn damaged(op: &'static str, path: &Path, problem: String, index: u64, folder: &Path) -> Error {
    Error::Damaged { op, path: path.to_path_buf(), problem, again: again(index, folder) }
}

/// Whether the rows are those of the tasks, ascending, each task with its rows from 0 on.
fn holds(frame: &DataFrame, tasks: &[u64]) -> bool {
    let column =
        |name: &str| -> Option<Vec<u64>> { Some(frame.column(name).ok()?.u64().ok()?.into_no_null_iter().collect()) };
    let (Some(of), Some(rows)) = (column(OWN[0]), column(OWN[1])) else {
        return false;
    };
    let mut seen = Vec::new();
    for (at, (task, row)) in of.iter().zip(&rows).enumerate() {
        let next = if at > 0 && of[at - 1] == *task { rows[at - 1] + 1 } else { 0 };
        if *row != next {
            return false;
        }
        if next == 0 {
            seen.push(*task);
        }
    }
    seen == tasks && tasks.windows(2).all(|pair| pair[0] < pair[1])
}
