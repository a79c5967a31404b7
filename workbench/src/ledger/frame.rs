//! The ledger as a polars frame: the one form that tables are shown and exported from.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::Error;
use super::row::Row;

/// The rows as a frame with the columns of `ledger.csv`: text, `f64`, and `u64` for `n` and `seed`.
///
/// # Errors
/// [`Error::Table`] if polars refuses the columns.
pub fn frame(rows: &[Row]) -> Result<DataFrame, Error> {
    let text = |name: &str, f: fn(&Row) -> &str| -> Column {
        let values: Vec<&str> = rows.iter().map(f).collect();
        Series::new(name.into(), values).into()
    };
    let number = |name: &str, f: fn(&Row) -> Option<f64>| -> Column {
        let values: Vec<Option<f64>> = rows.iter().map(f).collect();
        Series::new(name.into(), values).into()
    };
    let whole = |name: &str, f: fn(&Row) -> Option<u64>| -> Column {
        let values: Vec<Option<u64>> = rows.iter().map(f).collect();
        Series::new(name.into(), values).into()
    };
    DataFrame::new(
        rows.len(),
        vec![
            text("claim", |r| &r.claim),
            text("verdict", |r| r.verdict.text()),
            text("expected", |r| &r.expected),
            number("measured", |r| r.measured),
            number("low", |r| r.low),
            number("high", |r| r.high),
            whole("n", |r| r.n),
            whole("seed", |r| Some(r.seed)),
            text("scale", |r| r.scale.text()),
            number("seconds", |r| Some(r.seconds)),
            text("notebook", |r| &r.notebook),
            text("cell", |r| &r.cell),
            text("finding", |r| &r.finding),
            text("change", |r| &r.change),
            text("note", |r| &r.note),
        ],
    )
    .map_err(|cause| Error::Table {
        operation: "building the ledger's frame",
        problem: cause.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::row::{COLUMNS, tests::blank};
    use super::*;
    use crate::ledger::Scale;

    #[test]
    fn columns_are_those_of_the_file() {
        let mut row = blank("m/a", Scale::Quick);
        row.measured = Some(0.5);
        let frame = frame(&[row, blank("m/b", Scale::Paper)]).unwrap();
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|n| n.as_str()).collect();
        assert_eq!(names, COLUMNS);
        assert_eq!(frame.height(), 2);
        assert_eq!(frame.column("measured").unwrap().null_count(), 1);
        assert_eq!(frame.column("measured").unwrap().f64().unwrap().get(0), Some(0.5));
    }
}
