//! Sweep: a name, a grid of typed points, replicates, and one function from a point and its draws to columns.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use workbench_record::Scale;

use crate::draws::Draws;
use crate::result::{Taken, taken};

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `f64`; infinite and NaN are kept as they are.
    Number,
    /// Whole numbers from 0 on; `u64` in the table.
    Count,
}

/// A column of the result: its name and what its numbers are.
pub type Column = (&'static str, Kind);

/// The rows of one task, column by column, in the order of [`Sweep::COLUMNS`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows(pub(crate) Vec<Values>);

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    Number(Vec<f64>),
    Count(Vec<u64>),
}

impl Values {
    pub(crate) fn len(&self) -> usize {
        match self {
            Values::Number(values) => values.len(),
            Values::Count(values) => values.len(),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Values::Number(_) => Kind::Number,
            Values::Count(_) => Kind::Count,
        }
    }
}

impl Rows {
    /// Adds a column of numbers.
    #[must_use]
    pub fn numbers(mut self, values: impl IntoIterator<Item = f64>) -> Rows {
        self.0.push(Values::Number(values.into_iter().collect()));
        self
    }

    /// Adds a column of counts.
    #[must_use]
    pub fn counts(mut self, values: impl IntoIterator<Item = usize>) -> Rows {
        let values = values.into_iter().map(|value| value as u64);
        self.0.push(Values::Count(values.collect()));
        self
    }

    /// How many rows; 0 without a column.
    pub(crate) fn height(&self) -> usize {
        self.0.first().map_or(0, Values::len)
    }

    /// What is wrong with these rows for such columns.
    pub(crate) fn problem(&self, columns: &[Column]) -> Option<String> {
        if self.0.len() != columns.len() {
            return Some(format!("{} columns where {} are declared", self.0.len(), columns.len()));
        }
        for (values, (name, kind)) in self.0.iter().zip(columns) {
            if values.kind() != *kind {
                return Some(format!("column `{name}` holds {:?}, declared {kind:?}", values.kind()));
            }
            if values.len() != self.height() || values.len() == 0 {
                return Some(format!("column `{name}` has {} of {} rows", values.len(), self.height()));
            }
        }
        None
    }
}

/// A grid of parameters times replicates.
///
/// A *task* is one point with one replicate. It draws from [`Draws`] alone, so that its rows depend on the seed, the sweep, the point and
/// the replicate, and on nothing else: not on the shard that computes it, nor on what was computed before.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use workbench_ground::Error;
/// use workbench_record::Scale;
/// use workbench_sweep::{Column, Draws, Kind, Rows, Sweep};
///
/// /// The mean of n coins.
/// struct Coins;
///
/// #[derive(Serialize, Deserialize)]
/// struct Point {
///     coins: usize,
/// }
///
/// impl Sweep for Coins {
///     type Point = Point;
///     const NAME: &'static str = "coins";
///     const TITLE: &'static str = "the mean of n coins";
///     const COLUMNS: &'static [Column] = &[("mean", Kind::Number)];
///
///     fn grid(scale: Scale) -> Vec<Point> {
///         [10, 100].map(|coins| Point { coins: coins * scale.pick(1, 100) }).into()
///     }
///     fn replicates(scale: Scale) -> usize {
///         scale.pick(4, 400)
///     }
///     fn at(point: &Point, draws: &Draws) -> Result<Rows, Error> {
///         let mut coins = draws.stream("coins")?;
///         let sum: f64 = (0..point.coins).map(|_| coins.sign()).sum();
///         Ok(Rows::default().numbers([sum / point.coins as f64]))
///     }
/// }
/// # let _ = workbench_sweep::AnySweep::of::<Coins>();
/// ```
pub trait Sweep {
    /// The parameters of a grid point: a struct of numbers, words and truth values.
    type Point: Serialize + DeserializeOwned;
    /// Its name in commands, in files, and in the names of its draws.
    const NAME: &'static str;
    /// What it computes, in a line.
    const TITLE: &'static str;
    /// The columns of its rows; those of the point and the replicate come before them.
    const COLUMNS: &'static [Column];
    /// Files of `datasets/` that it reads; they travel with the plan.
    const FILES: &'static [&'static str] = &[];

    /// The grid. Each point's replicates follow each other in the result.
    fn grid(scale: Scale) -> Vec<Self::Point>;

    /// Replicates of each point.
    fn replicates(scale: Scale) -> usize;

    /// The rows of one task.
    ///
    /// # Errors
    /// Those of the room that computes. A task that fails is computed anew when its shard is.
    fn at(point: &Self::Point, draws: &Draws) -> Result<Rows, workbench_ground::Error>;

    /// The merged result in `folder`, for a check that takes it in place of computing: there, missing, or stale. It is stale if the grid
    /// of today, its columns, the sources that this crate is compiled from, or `commit` are not those that it was planned with.
    fn result(folder: &Path, commit: &str) -> Taken
    where
        Self: Sized,
    {
        AnySweep::of::<Self>().result(folder, commit)
    }
}

/// A sweep without its type, for those that go through many.
#[derive(Clone, Copy)]
pub struct AnySweep {
    /// Its name.
    pub name: &'static str,
    /// What it computes.
    pub title: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// Files that it reads.
    pub files: &'static [&'static str],
    grid: fn(Scale) -> serde_json::Result<Vec<Value>>,
    replicates: fn(Scale) -> usize,
    at: fn(&Value, &Draws) -> Result<Rows, workbench_ground::Error>,
}

impl AnySweep {
    /// The sweep `S`.
    pub const fn of<S: Sweep>() -> AnySweep {
        AnySweep {
            name: S::NAME,
            title: S::TITLE,
            columns: S::COLUMNS,
            files: S::FILES,
            grid: |scale| S::grid(scale).iter().map(serde_json::to_value).collect(),
            replicates: S::replicates,
            at: |point, draws| {
                let point = S::Point::deserialize(point).map_err(|error| {
                    workbench_ground::Error::refused("sweep", error.to_string(), "plan anew with this program")
                })?;
                S::at(&point, draws)
            },
        }
    }

    /// The points, each as an object of its parameters.
    pub(crate) fn grid(&self, scale: Scale) -> Result<Vec<Map<String, Value>>, String> {
        let points = (self.grid)(scale).map_err(|error| error.to_string())?;
        let object = |point: Value| match point {
            Value::Object(parameters) => Ok(parameters),
            other => Err(format!("a point has to be a struct, not {other}")),
        };
        points.into_iter().map(object).collect()
    }

    /// Replicates of each point.
    pub fn replicates(&self, scale: Scale) -> usize {
        (self.replicates)(scale)
    }

    /// As [`Sweep::result`].
    pub fn result(&self, folder: &Path, commit: &str) -> Taken {
        taken(self, folder, commit)
    }

    pub(crate) fn at(&self, point: &Map<String, Value>, draws: &Draws) -> Result<Rows, workbench_ground::Error> {
        (self.at)(&Value::Object(point.clone()), draws)
    }
}

impl std::fmt::Debug for AnySweep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sweep {}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_not_as_declared_are_named() {
        const COLUMNS: &[Column] = &[("a", Kind::Number), ("b", Kind::Count)];
        let problem = |rows: Rows| rows.problem(COLUMNS).unwrap_or_default();
        assert_eq!(problem(Rows::default().numbers([0.5]).counts([1])), "");
        assert!(problem(Rows::default().numbers([0.5])).contains("1 columns where 2"));
        assert!(problem(Rows::default().numbers([0.5]).numbers([1.0])).contains("`b` holds Number"));
        assert!(problem(Rows::default().numbers([0.5]).counts([1, 2])).contains("`b` has 2 of 1"));
        assert!(problem(Rows::default().numbers([]).counts([])).contains("`a` has 0"));
    }
}
