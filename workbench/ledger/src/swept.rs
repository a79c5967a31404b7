//! Results of sweeps that a check may take in place of computing: the merged rows of a sweep, from whoever runs the check.
//!
//! Checks and this crate know no sweeps. The program that runs checks hands down where results lie, as [`Sweeps`]; a check that can use one
//! asks [`super::Setting::swept`] with two functions, one that takes its numbers from the rows and one that computes them. Both give the
//! same type, so that the findings are made by the same code.

use std::collections::BTreeMap;
use std::fmt::Debug;

use workbench_record::Scale;

use super::sheet::Sheet;

/// Where merged results of sweeps are found. Its `Debug` form tells one place from another.
pub trait Sweeps: Debug + Send + Sync {
    /// The rows of a sweep at a scale and a seed.
    ///
    /// # Errors
    /// The sentence for a reader, "sweep missing: .." or "sweep stale: ..", with the reason.
    fn result(&self, sweep: &str, scale: Scale, seed: u64) -> Result<Swept, String>;
}

/// The merged rows of a sweep: its columns of numbers, as long as each other.
#[derive(Clone, Debug)]
pub struct Swept {
    from: String,
    columns: BTreeMap<String, Vec<f64>>,
}

impl Swept {
    /// Columns by name, and the sentence that says where they are from.
    pub fn new(from: impl Into<String>, columns: BTreeMap<String, Vec<f64>>) -> Swept {
        Swept { from: from.into(), columns }
    }

    /// The first `count` numbers of a column among the rows with these values, in the order of the rows: replicate by replicate.
    ///
    /// # Errors
    /// What is not there, in words.
    pub fn first(&self, count: usize, column: &str, at: &[(&str, f64)]) -> Result<Vec<f64>, String> {
        let of = |name: &str| {
            let found = self.columns.get(name);
            found.ok_or_else(|| format!("it has no column `{name}`"))
        };
        let values = of(column)?;
        let mut here = Vec::new();
        for (name, value) in at {
            here.push((of(name)?, *value));
        }
        let fits = |row: &usize| here.iter().all(|(column, value)| column.get(*row) == Some(value));
        let found: Vec<f64> = (0..values.len()).filter(fits).take(count).map(|row| values[row]).collect();
        if found.len() == count {
            return Ok(found);
        }
        let place: Vec<String> = at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        Err(format!("{} of the {count} replicates asked for are there at {}", found.len(), place.join(", ")))
    }
}

/// What a check works with, computed by itself or taken from a sweep.
#[derive(Clone, Debug)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it is from, or why it was computed after all; nothing where no sweeps were offered.
    note: Option<String>,
}

impl<T> Sourced<T> {
    /// Computed, with nothing to say.
    pub(crate) fn computed(value: T) -> Sourced<T> {
        Sourced { value, note: None }
    }

    /// Computed, although sweeps were offered: the sentence says why.
    pub(crate) fn in_spite_of(value: T, sentence: String) -> Sourced<T> {
        let note = format!("{sentence}; the check computed its runs itself");
        Sourced { value, note: Some(note) }
    }

    /// Taken from these rows.
    pub(crate) fn taken(value: T, rows: &Swept) -> Sourced<T> {
        let note = format!("runs {}; their draws are the sweep's own, not those of this check", rows.from);
        Sourced { value, note: Some(note) }
    }

    /// The value; the sheet notes where it is from, where there is something to say.
    pub fn on(&self, sheet: &Sheet) -> &T {
        if let Some(note) = &self.note {
            sheet.note(note);
        }
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Failure, Margin, Setting};

    /// Rows at scale quick only, named by a number so that tests do not share what they keep.
    #[derive(Debug)]
    struct Rows(#[expect(dead_code, reason = "its Debug form tells places apart")] u8);

    impl Sweeps for Rows {
        fn result(&self, sweep: &str, scale: Scale, _: u64) -> Result<Swept, String> {
            match (sweep, scale) {
                ("curves", Scale::Quick) => Ok(rows()),
                _ => Err(format!("sweep missing: no {sweep}")),
            }
        }
    }

    fn rows() -> Swept {
        let columns = [("d", [5.0, 7.0, 5.0, 7.0]), ("error", [0.5, 0.25, 0.75, f64::INFINITY])];
        let columns = columns.map(|(name, values)| (name.to_string(), values.to_vec()));
        Swept::new("taken from the sweep curves", columns.into())
    }

    fn asked(setting: &Setting, take: impl FnOnce(&Swept) -> Result<f64, String>) -> (f64, Vec<String>) {
        let compute = |_: &Setting| -> Result<f64, Failure> { Ok(-1.0) };
        let sourced = setting.swept("tests::asked", "curves", take, compute).unwrap();
        let sheet = Sheet::new(setting.clone(), Vec::new());
        sheet.printed(Margin::ZERO).same("x", sourced.on(&sheet).abs());
        (sourced.value, sheet.read().unwrap().0.evidence.notes)
    }

    #[test]
    fn rows_are_found_by_their_values_and_what_is_not_there_is_said() {
        let rows = rows();
        assert_eq!(rows.first(2, "error", &[("d", 5.0)]).unwrap(), [0.5, 0.75]);
        assert_eq!(rows.first(1, "error", &[("d", 7.0)]).unwrap(), [0.25]);
        assert_eq!(rows.first(1, "d", &[("d", 7.0), ("error", f64::INFINITY)]).unwrap(), [7.0]);
        for (count, column, d, said) in [
            (3, "error", 5.0, "2 of the 3 replicates asked for are there at d = 5"),
            (1, "error", 6.0, "0 of the 1"),
            (1, "err", 5.0, "no column `err`"),
        ] {
            let why = rows.first(count, column, &[("d", d)]).unwrap_err();
            assert!(why.contains(said), "{why}");
        }
    }

    #[test]
    fn a_check_takes_it_or_computes_and_says_which() {
        let first = |rows: &Swept| Ok(rows.first(1, "error", &[("d", 5.0)])?[0]);
        let alone = Setting::new(Scale::Quick, 1);
        assert_eq!(asked(&alone, first), (-1.0, vec![]), "nobody offered sweeps");

        let (value, notes) = asked(&alone.clone().with_sweeps(Arc::new(Rows(1))), first);
        assert_eq!(value, 0.5);
        assert!(notes[0].starts_with("runs taken from the sweep curves; "), "{notes:?}");

        let none = Setting::new(Scale::Paper, 1).with_sweeps(Arc::new(Rows(1)));
        let (value, notes) = asked(&none, first);
        assert_eq!(value, -1.0);
        assert!(notes[0].starts_with("sweep missing: no curves"), "{notes:?}");

        let other = |rows: &Swept| Ok(rows.first(1, "error", &[("d", 6.0)])?[0]);
        let (value, notes) = asked(&alone.with_sweeps(Arc::new(Rows(2))), other);
        assert_eq!(value, -1.0);
        assert!(notes[0].starts_with("sweep missing: 0 of the 1"), "{notes:?}");
    }
}
