//! Frames from plain vectors, slices and matrices.

use ndarray::{Array1, Array2};
use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::Error;

/// The values of one column, with their type.
///
/// Made with `.into()` from vectors, slices and arrays of `f64`, `f32`, integers, `bool` and strings; a vector of
/// `Option` gives nulls.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// 64-bit floats, `None` is null.
    Floats(Vec<Option<f64>>),
    /// 64-bit integers, `None` is null.
    Integers(Vec<Option<i64>>),
    /// Strings, `None` is null.
    Strings(Vec<Option<String>>),
    /// Booleans, `None` is null.
    Booleans(Vec<Option<bool>>),
}

impl Values {
    /// Number of values, nulls included.
    pub fn len(&self) -> usize {
        match self {
            Values::Floats(v) => v.len(),
            Values::Integers(v) => v.len(),
            Values::Strings(v) => v.len(),
            Values::Booleans(v) => v.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn into_column(self, name: &str) -> Column {
        let series = match self {
            Values::Floats(v) => Series::new(name.into(), v),
            Values::Integers(v) => Series::new(name.into(), v),
            Values::Strings(v) => Series::new(name.into(), v),
            Values::Booleans(v) => Series::new(name.into(), v),
        };
        Column::from(series)
    }
}

macro_rules! values_from {
    ($variant:ident, $target:ty, $($source:ty),+) => {$(
        impl From<Vec<$source>> for Values {
            fn from(v: Vec<$source>) -> Values {
                Values::$variant(v.into_iter().map(|x| Some(<$target>::from(x))).collect())
            }
        }
        impl From<&Vec<$source>> for Values {
            fn from(v: &Vec<$source>) -> Values { Values::from(v.as_slice()) }
        }
        impl From<&[$source]> for Values {
            fn from(v: &[$source]) -> Values {
                Values::$variant(v.iter().map(|x| Some(<$target>::from(x.clone()))).collect())
            }
        }
        impl<const N: usize> From<[$source; N]> for Values {
            fn from(v: [$source; N]) -> Values { Values::from(v.as_slice()) }
        }
        impl<const N: usize> From<&[$source; N]> for Values {
            fn from(v: &[$source; N]) -> Values { Values::from(v.as_slice()) }
        }
        impl From<Vec<Option<$source>>> for Values {
            fn from(v: Vec<Option<$source>>) -> Values {
                Values::$variant(v.into_iter().map(|x| x.map(<$target>::from)).collect())
            }
        }
    )+};
}

values_from!(Floats, f64, f64, f32);
values_from!(Integers, i64, i64, i32, u32);
values_from!(Strings, String, String, &str);
values_from!(Booleans, bool, bool);

impl From<Vec<usize>> for Values {
    /// Counts beyond `i64::MAX` become null.
    fn from(v: Vec<usize>) -> Values {
        Values::Integers(v.into_iter().map(|x| i64::try_from(x).ok()).collect())
    }
}

impl From<Vec<u64>> for Values {
    /// Counts beyond `i64::MAX` become null.
    fn from(v: Vec<u64>) -> Values {
        Values::Integers(v.into_iter().map(|x| i64::try_from(x).ok()).collect())
    }
}

impl From<&Array1<f64>> for Values {
    fn from(v: &Array1<f64>) -> Values {
        Values::Floats(v.iter().map(|&x| Some(x)).collect())
    }
}

/// A frame of float columns.
///
/// **Errors** columns of different length ([`Error::ColumnLength`]) or a repeated name ([`Error::ColumnTwice`]).
///
/// ```
/// let d = vec![64.0, 128.0];
/// let frame = workbench::display::frame(&[("d", &d), ("error", &[0.5, 0.25])])?;
/// assert_eq!(frame.shape(), (2, 2));
/// # Ok::<(), workbench::display::Error>(())
/// ```
pub fn frame(floats: &[(&str, &[f64])]) -> Result<DataFrame, Error> {
    columns(
        floats
            .iter()
            .map(|(name, values)| (*name, Values::from(*values)))
            .collect(),
    )
}

/// A frame of columns of any supported type, in the order given.
///
/// **Errors** columns of different length ([`Error::ColumnLength`]) or a repeated name ([`Error::ColumnTwice`]).
///
/// ```
/// let frame = workbench::display::columns(vec![
///     ("method", ["exact", "sketch"].into()),
///     ("features", [64_i64, 128].into()),
///     ("error", vec![Some(0.5), None].into()),
/// ])?;
/// assert_eq!(frame.shape(), (2, 3));
/// # Ok::<(), workbench::display::Error>(())
/// ```
pub fn columns(list: Vec<(&str, Values)>) -> Result<DataFrame, Error> {
    let mut seen: Vec<&str> = Vec::with_capacity(list.len());
    let (first, expected) = list.first().map_or(("", 0), |(name, values)| (*name, values.len()));
    for (name, values) in &list {
        if seen.contains(name) {
            return Err(Error::ColumnTwice {
                name: (*name).to_string(),
            });
        }
        seen.push(name);
        if values.len() != expected {
            return Err(Error::ColumnLength {
                name: (*name).to_string(),
                found: values.len(),
                first: first.to_string(),
                expected,
            });
        }
    }
    let built = list
        .into_iter()
        .map(|(name, values)| values.into_column(name))
        .collect();
    DataFrame::new(expected, built).map_err(|e| Error::polars("frame", e))
}

/// A frame from a matrix, one column per matrix column.
///
/// **Shapes** `matrix`: (n_rows, n_columns); `names`: n_columns.
///
/// **Errors** [`Error::MatrixNames`] when the counts differ, [`Error::ColumnTwice`] for a repeated name.
///
/// ```
/// let matrix = ndarray::array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let frame = workbench::display::matrix_frame(&matrix, &["a", "b"])?;
/// assert_eq!(frame.shape(), (3, 2));
/// # Ok::<(), workbench::display::Error>(())
/// ```
pub fn matrix_frame(matrix: &Array2<f64>, names: &[&str]) -> Result<DataFrame, Error> {
    if names.len() != matrix.ncols() {
        return Err(Error::MatrixNames {
            names: names.len(),
            rows: matrix.nrows(),
            columns: matrix.ncols(),
        });
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
        assert!(matches!(
            error,
            Error::ColumnLength {
                found: 1,
                expected: 2,
                ..
            }
        ));
        let error = frame(&[("a", &[1.0]), ("a", &[1.0])]).unwrap_err();
        assert!(matches!(error, Error::ColumnTwice { .. }));
        let error = matrix_frame(&Array2::zeros((2, 3)), &["a"]).unwrap_err();
        assert!(matches!(
            error,
            Error::MatrixNames {
                names: 1,
                rows: 2,
                columns: 3
            }
        ));
    }

    #[test]
    fn an_empty_list_gives_an_empty_frame() {
        assert_eq!(columns(Vec::new()).unwrap().shape(), (0, 0));
        assert_eq!(frame(&[("a", &[])]).unwrap().shape(), (0, 1));
    }

    #[test]
    fn matrix_columns_land_in_their_places() {
        let matrix = Array2::from_shape_fn((3, 2), |(i, j)| (10 * i + j) as f64);
        let frame = matrix_frame(&matrix, &["a", "b"]).unwrap();
        let b = frame.column("b").unwrap().f64().unwrap();
        assert_eq!(b.get(2), Some(21.0));
    }
}
