//! Showing frames, series and structs that hold a frame as the last expression of a cell.

use polars::prelude::{Column, DataFrame, Series};

use super::{Error, Table, bundle};

/// Something that can be shown as a table. Implement it for a struct that holds a frame and the struct shows itself.
///
/// ```
/// use polars::prelude::DataFrame;
/// use workbench::display::{Error, ShowTable, Tabular, frame};
/// struct Fit { slope: f64 }
/// impl Tabular for Fit {
///     fn to_frame(&self) -> Result<DataFrame, Error> { frame(&[("slope", &[self.slope])]) }
/// }
/// assert_eq!(Fit { slope: -0.5 }.table()?.frame().shape(), (1, 1));
/// # Ok::<(), Error>(())
/// ```
pub trait Tabular {
    /// The frame to show.
    ///
    /// **Errors** whatever keeps the value from being a frame.
    fn to_frame(&self) -> Result<DataFrame, Error>;

    /// A title for the table; none by default.
    fn table_title(&self) -> String {
        String::new()
    }
}

impl Tabular for DataFrame {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        Ok(self.clone())
    }
}

impl Tabular for Series {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        Column::from(self.clone()).to_frame()
    }
}

impl Tabular for Column {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        DataFrame::new(self.len(), vec![self.clone()]).map_err(|e| Error::polars("show", e))
    }
}

/// Gives every [`Tabular`] value the method a notebook calls on the last expression of a cell.
pub trait ShowTable {
    /// The value as a [`Table`], to set title, rows, digits or units.
    ///
    /// **Errors** those of [`Tabular::to_frame`].
    fn table(&self) -> Result<Table, Error>;

    /// Shows the value as a table; an error is shown as its message.
    fn evcxr_display(&self);
}

impl<T: Tabular + ?Sized> ShowTable for T {
    fn table(&self) -> Result<Table, Error> {
        Ok(Table::new(self.to_frame()?).title(&self.table_title()))
    }

    fn evcxr_display(&self) {
        match self.table() {
            Ok(table) => table.evcxr_display(),
            Err(error) => bundle::emit_error(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame;
    use super::*;
    use polars::prelude::NamedFrom;

    #[test]
    fn frames_series_and_columns_become_tables() {
        let frame = frame(&[("x", &[1.0, 2.5])]).unwrap();
        assert!(frame.table().unwrap().to_text().unwrap().contains("2.500"));
        let series = Series::new("y".into(), vec![1_i64, 2, 3]);
        assert_eq!(series.table().unwrap().frame().shape(), (3, 1));
        assert_eq!(Column::from(series).table().unwrap().frame().shape(), (3, 1));
    }

    #[test]
    fn a_struct_without_a_frame_reports_its_error() {
        struct Broken;
        impl Tabular for Broken {
            fn to_frame(&self) -> Result<DataFrame, Error> {
                super::super::frame(&[("a", &[1.0]), ("a", &[2.0])])
            }
        }
        assert!(matches!(Broken.table(), Err(Error::ColumnTwice { .. })));
        Broken.evcxr_display();
    }
}
