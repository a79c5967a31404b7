//! Frames from plain vectors, slices and matrices.

use ndarray::Array2;
use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use workbench_ground::stats::Estimate;
use workbench_ground::tabulated::Values;

use super::Error;

/// The columns of a frame that these values are: three for estimates, else one.
fn into_columns(name: &str, values: Values) -> Vec<Column> {
    let series = match values {
        Values::Floats(v) => Series::new(name.into(), v),
        Values::Integers(v) => Series::new(name.into(), v),
        Values::Strings(v) => Series::new(name.into(), v),
        Values::Booleans(v) => Series::new(name.into(), v),
        Values::Estimates(v) => {
            let part = |ending: &str, f: fn(&Estimate) -> f64| {
                let part: Vec<Option<f64>> = v.iter().map(|e| e.as_ref().map(f)).collect();
                Column::from(Series::new(format!("{name}{ending}").into(), part))
            };
            return vec![part("", |e| e.value), part("_low", |e| e.low), part("_high", |e| e.high)];
        }
    };
    vec![Column::from(series)]
}

/// A frame of columns of any kind, as `frame!("d" => d, "error" => errors)`.
///
/// Takes vectors, slices and arrays of floats, integers, `bool` and strings, with or without `Option`, by value or by reference, and moves
/// none of them. A vector of [`Estimate`](workbench_ground::stats::Estimate)s named `error` becomes three columns: `error`, `error_low` and
/// `error_high`.
///
/// **Errors**: those of [`columns`].
///
/// ```
/// use workbench_display::frame;
/// use workbench_ground::stats::Estimate;
/// let (d, kept) = (vec![64_usize, 128], [true, false]);
/// let errors = [Estimate::new(0.5, 0.4, 0.6, 20, 0.999)?, Estimate::new(0.25, 0.2, 0.3, 20, 0.999)?];
/// let table = frame!("d" => d, "method" => ["exact", "sketch"], "error" => errors, "kept" => kept)?;
/// assert_eq!(table.get_column_names(), ["d", "method", "error", "error_low", "error_high", "kept"]);
/// assert_eq!(d.len(), table.height());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! frame {
    ($($name:expr => $values:expr),* $(,)?) => {
        $crate::columns(vec![$(($name, $crate::Values::from(&$values))),*])
    };
}

/// A frame of float columns; [`frame!`](crate::frame!) takes columns of any kind.
///
/// **Errors**: columns of different length ([`Error::ColumnLength`]) or a repeated name ([`Error::ColumnTwice`]).
///
/// ```
/// let d = vec![64.0, 128.0];
/// let frame = workbench_display::frame(&[("d", &d), ("error", &[0.5, 0.25])])?;
/// assert_eq!(frame.shape(), (2, 2));
/// # Ok::<(), workbench_display::Error>(())
/// ```
pub fn frame(floats: &[(&str, &[f64])]) -> Result<DataFrame, Error> {
    columns(floats.iter().map(|(name, values)| (*name, Values::from(*values))).collect())
}

/// A frame of columns of any supported type, in the order given. Estimates become three columns, as in [`frame!`](crate::frame!).
///
/// **Errors**: columns of different length ([`Error::ColumnLength`]) or a repeated name ([`Error::ColumnTwice`]).
///
/// ```
/// let frame = workbench_display::columns(vec![
///     ("method", ["exact", "sketch"].into()),
///     ("features", [64_i64, 128].into()),
///     ("error", vec![Some(0.5), None].into()),
/// ])?;
/// assert_eq!(frame.shape(), (2, 3));
/// # Ok::<(), workbench_display::Error>(())
/// ```
pub fn columns(list: Vec<(&str, Values)>) -> Result<DataFrame, Error> {
    let (first, expected) =
        list.first().map_or((String::new(), 0), |(name, values)| ((*name).to_string(), values.len()));
    let mut built: Vec<Column> = Vec::with_capacity(list.len());
    for (name, values) in list {
        let found = values.len();
        for column in into_columns(name, values) {
            if built.iter().any(|other| other.name() == column.name()) {
                let name = column.name().to_string();
                return Err(Error::ColumnTwice { name });
            }
            if found != expected {
                let name = name.to_string();
                return Err(Error::ColumnLength { name, found, first, expected });
            }
            built.push(column);
        }
    }
    DataFrame::new(expected, built).map_err(|e| Error::polars("frame", e))
}

/// A frame from a matrix, one column per matrix column.
///
/// **Shapes** `matrix`: (n_rows, n_columns); `names`: n_columns.
///
/// **Errors**: [`Error::MatrixNames`] when the counts differ, [`Error::ColumnTwice`] for a repeated name.
///
/// ```
/// let matrix = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let frame = workbench_display::matrix_frame(&matrix, &["a", "b"])?;
/// assert_eq!(frame.shape(), (3, 2));
/// # Ok::<(), workbench_display::Error>(())
/// ```
pub fn matrix_frame(matrix: &Array2<f64>, names: &[&str]) -> Result<DataFrame, Error> {
    if names.len() != matrix.ncols() {
        return Err(Error::MatrixNames { names: names.len(), rows: matrix.nrows(), columns: matrix.ncols() });
    }
    let list = names
        .iter()
        .zip(matrix.columns())
        .map(|(name, column)| (*name, Values::Floats(column.iter().map(|&x| Some(x)).collect())))
        .collect();
    columns(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_keeps_order_types_and_nulls() {
        let frame = columns(vec![
            ("s", vec!["a".to_string(), "b".to_string()].into()),
            ("n", vec![1_usize, 2].into()),
            ("x", vec![Some(1.5), None].into()),
            ("ok", [true, false].into()),
        ])
        .unwrap();
        let types: Vec<String> = frame.columns().iter().map(|c| c.dtype().to_string()).collect();
        assert_eq!(types, ["str", "i64", "f64", "bool"]);
        assert_eq!(frame.columns()[2].null_count(), 1);
    }

    #[test]
    fn lengths_and_names_are_checked() {
        let error = frame(&[("a", &[1.0, 2.0]), ("b", &[1.0])]).unwrap_err();
        assert!(matches!(error, Error::ColumnLength { found: 1, expected: 2, .. }));
        let error = frame(&[("a", &[1.0]), ("a", &[1.0])]).unwrap_err();
        assert!(matches!(error, Error::ColumnTwice { .. }));
        let error = matrix_frame(&Array2::zeros((2, 3)), &["a"]).unwrap_err();
        assert!(matches!(error, Error::MatrixNames { names: 1, rows: 2, columns: 3 }));
    }

    #[test]
    fn an_empty_list_gives_an_empty_frame() {
        assert_eq!(columns(Vec::new()).unwrap().shape(), (0, 0));
        assert_eq!(frame(&[("a", &[])]).unwrap().shape(), (0, 1));
    }

    #[test]
    fn estimates_become_three_columns() {
        let estimates = vec![Some(Estimate::new(0.5, 0.4, 0.7, 9, 0.999).unwrap()), None];
        let x: &[f64] = &[1.0, 2.0];
        let frame = crate::frame!("x" => x, "error" => estimates, "n" => &ndarray::array![1_u64, 2]).unwrap();
        assert_eq!(frame.get_column_names(), ["x", "error", "error_low", "error_high", "n"]);
        assert_eq!(frame.column("error_high").unwrap().f64().unwrap().get(0), Some(0.7));
        assert_eq!(frame.column("error_low").unwrap().null_count(), 1);
        assert_eq!(estimates.len(), 2, "the macro takes references");
        let error = crate::frame!("error_low" => x, "error" => estimates).unwrap_err();
        assert!(matches!(error, Error::ColumnTwice { name } if name == "error_low"));
        assert_eq!(crate::frame!().unwrap().shape(), (0, 0));
    }

    #[test]
    fn matrix_columns_land_in_their_places() {
        let matrix = Array2::from_shape_fn((3, 2), |(i, j)| (10 * i + j) as f64);
        let frame = matrix_frame(&matrix, &["a", "b"]).unwrap();
        let b = frame.column("b").unwrap().f64().unwrap();
        assert_eq!(b.get(2), Some(21.0));
    }
}
