//! All shards as one table, in the order of the plan.

use std::path::{Path, PathBuf};
use std::time::Duration;

use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workbench_record::{Error as RecordError, Lock, Run, atomic, table as tables};

use crate::draws::name_of;
use crate::error::{Error, Result};
use crate::plan::{Plan, kinds, shards_folder};
use crate::shard::{self, Done, Shard};
use crate::status::ranges;
use crate::sweep::{AnySweep, Kind, Values};
use crate::table;

const OP: &str = "sweep merge";

/// The merged table.
pub const DATA: &str = "data.parquet";
/// How long each point took.
pub const TIMES: &str = "times.csv";

/// What the merged file says of itself. Nothing of where, when or in how many shards it was computed: that is in the runs' table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub sweep: String,
    pub work: String,
    pub commit: String,
    pub source: String,
    pub rows: String,
}

/// What was merged.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The table.
    pub path: PathBuf,
    /// Its rows.
    pub rows: usize,
    /// Seconds that the shards took, all together.
    pub seconds: f64,
    /// Kinds of processors that computed; the last bits may depend on the kind.
    pub processors: Vec<String>,
}

/// Merges all shards into [`DATA`], with the runs' table and [`TIMES`] beside it.
///
/// The columns are the point's parameters in the order of the alphabet, `replicate`, and those of the sweep.
///
/// # Errors
/// Shards that are missing, damaged, double, or of another plan or commit; another process that merges; a file that cannot be written.
pub fn merge(sweep: &AnySweep, plan: &Plan, folder: &Path) -> Result<Merged> {
    let _lock = Lock::take(folder, "sweep merge", Duration::ZERO).map_err(|error| match error {
        RecordError::Locked { folder, holder, .. } => Error::Merging { folder, holder },
        other => other.into(),
    })?;
    plan.same_program(folder, OP)?;
    if kinds(sweep) != plan.columns {
        return Err(Error::table(OP, "the columns of the plan are not those of the sweep"));
    }
    refuse_strangers(plan, folder)?;
    let (mut done, mut runs, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..plan.shards {
        match Shard::read(plan, index, folder, OP)? {
            None => missing.push(index),
            Some(shard) => {
                runs.push(shard.run(plan));
                done.extend(shard.done(sweep).ok_or_else(|| Error::table(OP, "a shard's columns do not read"))?);
            }
        }
    }
    if !missing.is_empty() {
        return Err(Error::Gaps {
            folder: folder.to_path_buf(),
            missing: missing.len() as u64,
            of: plan.shards,
            which: ranges(&missing),
        });
    }
    done.sort_by_key(|done| done.task);
    let mut frame = joined(sweep, plan, &done)?;
    let facts = Facts {
        sweep: plan.sweep.clone(),
        work: plan.work(),
        commit: plan.commit.clone(),
        source: plan.source.clone(),
        rows: table::digest(&frame).map_err(|problem| Error::table(OP, problem))?,
    };
    let path = folder.join(DATA);
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        atomic::write(&path, bytes).map_err(|error| Error::io(OP, path, error))
    };
    write(<Run as tables::Line>::FILE, &tables::to_csv(&runs))?;
    write(TIMES, times(plan, &done).as_bytes())?;
    table::write(OP, &path, &mut frame, &facts)?;
    let mut processors: Vec<String> = runs.iter().map(|run| run.processor.clone()).collect();
    processors.sort();
    processors.dedup();
    Ok(Merged { path, rows: frame.height(), seconds: runs.iter().map(|run| run.seconds).sum(), processors })
}

/// Files of shards that the plan does not have: those of another division, or copies.
fn refuse_strangers(plan: &Plan, folder: &Path) -> Result<()> {
    let shards = shards_folder(folder);
    let own: Vec<PathBuf> = (0..plan.shards).map(|index| shard::file(plan, index, folder)).collect();
    let entries = std::fs::read_dir(&shards).map_err(|error| Error::io(OP, &shards, error))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.sort();
    let is_shard = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "parquet");
    match found.iter().filter(is_shard).find(|path| !own.contains(path)) {
        None => Ok(()),
        Some(path) => Err(Error::Foreign {
            op: OP,
            path: path.clone(),
            problem: format!(
                "the plan has {} shards and none of this name: a double, or one of another division",
                plan.shards
            ),
        }),
    }
}

/// The rows of all tasks with their points.
fn joined(sweep: &AnySweep, plan: &Plan, done: &[Done]) -> Result<DataFrame> {
    let heights: Vec<usize> = done.iter().map(|done| done.rows.height()).collect();
    let mut columns = Vec::new();
    let mut names: Vec<&String> = plan.points[0].keys().collect();
    names.sort();
    for name in names {
        let of_task = |done: &Done| plan.points[plan.place(done.task).0].get(name).unwrap_or(&Value::Null);
        let values: Vec<&Value> = done.iter().map(of_task).collect();
        columns.push(parameter(name, &values, &heights)?);
    }
    let replicates: Vec<u64> = done.iter().map(|done| plan.place(done.task).1).collect();
    columns.push(table::counts("replicate", spread(&replicates, &heights)));
    for (at, (name, kind)) in sweep.columns.iter().enumerate() {
        let (mut numbers, mut counts) = (Vec::new(), Vec::new());
        for done in done {
            match &done.rows.0[at] {
                Values::Number(values) => numbers.extend(values),
                Values::Count(values) => counts.extend(values),
            }
        }
        columns.push(match kind {
            Kind::Number => table::numbers(name, numbers),
            Kind::Count => table::counts(name, counts),
        });
    }
    table::frame(OP, columns)
}

/// Each value as often as its task has rows.
fn spread<T: Clone>(values: &[T], heights: &[usize]) -> Vec<T> {
    let each = values.iter().zip(heights);
    each.flat_map(|(value, height)| std::iter::repeat_n(value.clone(), *height)).collect()
}

/// A parameter as a column; all points have it in one kind.
fn parameter(name: &str, values: &[&Value], heights: &[usize]) -> Result<Column> {
    let all = |fits: fn(&Value) -> bool| values.iter().all(|value| fits(value));
    let of = |series: Series| -> Result<Column> { Ok(series.into()) };
    if all(Value::is_u64) {
        let values: Vec<u64> = values.iter().filter_map(|value| value.as_u64()).collect();
        Ok(table::counts(name, spread(&values, heights)))
    } else if all(Value::is_i64) {
        let values: Vec<i64> = values.iter().filter_map(|value| value.as_i64()).collect();
        of(Series::new(name.into(), spread(&values, heights)))
    } else if all(Value::is_number) {
        let values: Vec<f64> = values.iter().filter_map(|value| value.as_f64()).collect();
        Ok(table::numbers(name, spread(&values, heights)))
    } else if all(Value::is_boolean) {
        let values: Vec<bool> = values.iter().filter_map(|value| value.as_bool()).collect();
        of(Series::new(name.into(), spread(&values, heights)))
    } else if all(Value::is_string) {
        let values: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        of(Series::new(name.into(), spread(&values, heights)))
    } else {
        Err(Error::table(OP, format!("parameter `{name}` is no number, word or truth value at every point")))
    }
}

/// Seconds of each point: its tasks, their mean, the longest.
fn times(plan: &Plan, done: &[Done]) -> String {
    let mut text = "point,tasks,mean_seconds,longest_seconds\n".to_string();
    for (at, point) in plan.points.iter().enumerate() {
        let seconds = done.iter().filter(|done| plan.place(done.task).0 == at).map(|done| done.seconds);
        let seconds: Vec<f64> = seconds.collect();
        let (sum, most) = seconds.iter().fold((0.0, 0.0f64), |(sum, most), s| (sum + s, most.max(*s)));
        let mean = sum / seconds.len() as f64;
        text += &format!("{},{},{mean:.4},{most:.4}\n", name_of(point).replace(['"', ','], ""), seconds.len());
    }
    text
}
