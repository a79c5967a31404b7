//! Showing frames, series, structs that hold a frame and results of the rooms as the last expression of a cell.

use polars::prelude::{Column, DataFrame, Series};
use workbench_ground::tabulated::Tabulated;

use super::{Error, Figure, Table, bundle, columns};

/// Something that can be shown as a table. Implement it for a struct that holds a frame and the struct shows itself.
///
/// ```
/// use polars::prelude::DataFrame;
/// use workbench_display::{Error, ShowTable, Tabular, frame};
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
    /// **Errors**: whatever keeps the value from being a frame.
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
    /// **Errors**: those of [`Tabular::to_frame`].
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

/// Gives every [`Tabulated`] result a table, a figure if it has curves, and the method a notebook calls on the last expression of a
/// cell.
///
/// ```
/// use workbench_display::{Columns, ShowResult};
/// let integral = workbench_ground::stats::integrate(&|x| x * x, 0.0, 3.0, 1e-9)?;
/// assert_eq!(integral.table()?.frame().shape(), (1, 3));
/// let decay = Columns::new("Decay").x("step", [0, 10, 20]).with("loss", [1.0, 0.1, 0.01]).log_y();
/// assert!(decay.figure()?.text()?.contains("loss: line, 3 points"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ShowResult {
    /// The result as a frame.
    ///
    /// **Errors**: those of [`Tabulated::columns`], and those of [`columns`] for columns that do not fit together.
    fn to_frame(&self) -> Result<DataFrame, Error>;

    /// The result as a [`Table`], to set rows, digits or units.
    ///
    /// **Errors**: as [`ShowResult::to_frame`].
    fn table(&self) -> Result<Table, Error>;

    /// The curves of the result: a line for each column of numbers, a line with a band for estimates.
    ///
    /// **Errors**: those of [`Tabulated::columns`]; [`Error::EmptyFigure`] for a result without curves.
    fn figure(&self) -> Result<Figure, Error>;

    /// Shows the figure, if the result has curves, and the table; an error is shown as its message.
    fn evcxr_display(&self);
}

impl<T: Tabulated + ?Sized> ShowResult for T {
    fn to_frame(&self) -> Result<DataFrame, Error> {
        let list = self.columns()?.list;
        columns(list.iter().map(|(name, values)| (name.as_str(), values.clone())).collect())
    }

    fn table(&self) -> Result<Table, Error> {
        Ok(Table::new(self.to_frame()?).title(&self.columns()?.title))
    }

    fn figure(&self) -> Result<Figure, Error> {
        Figure::of_columns(&self.columns()?)
    }

    fn evcxr_display(&self) {
        if self.columns().is_ok_and(|columns| columns.x.is_some()) {
            match self.figure() {
                Ok(figure) => figure.evcxr_display(),
                Err(error) => bundle::emit_error(&error),
            }
        }
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

    #[test]
    fn a_result_is_a_table_and_a_figure_or_its_error() {
        use workbench_ground::tabulated::Columns;
        struct Curve(Vec<f64>);
        impl Tabulated for Curve {
            fn columns(&self) -> Result<Columns, workbench_ground::Error> {
                workbench_ground::check::data("Curve", "y", &self.0, 1)?;
                Ok(Columns::new("Decay").x("step", [0, 1]).with("loss", &self.0))
            }
        }
        let curve = Curve(vec![1.0, 0.5]);
        let text = curve.table().unwrap().to_text().unwrap();
        assert!(text.contains("Decay") && text.contains("step"), "{text}");
        assert!(curve.figure().unwrap().text().unwrap().contains("loss: line, 2 points"));
        assert!(matches!(Curve(vec![1.0]).table(), Err(Error::ColumnLength { .. })));
        assert!(matches!(Curve(Vec::new()).figure(), Err(Error::Result(_))));
        curve.evcxr_display();
        Curve(Vec::new()).evcxr_display();
    }
}
