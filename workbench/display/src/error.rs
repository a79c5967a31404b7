//! Errors of building, drawing and saving tables and figures.

use std::path::PathBuf;

/// An error of the display room. Its message names the operation, the offending value and the next thing to try.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two columns of one frame have different lengths.
    #[error(
        "frame: column \"{name}\" has {found} values but column \"{first}\" has {expected}; give every column the same length"
    )]
    ColumnLength {
        /// The column that does not fit.
        name: String,
        /// Its length.
        found: usize,
        /// The first column of the frame.
        first: String,
        /// The length of the first column.
        expected: usize,
    },
    /// Two columns of one frame have the same name.
    #[error("frame: column name \"{name}\" is used twice; rename one of the two columns")]
    ColumnTwice {
        /// The repeated name.
        name: String,
    },
    /// A column was asked for that the frame does not have.
    #[error("table: no column \"{name}\"; the frame has: {known}")]
    NoColumn {
        /// The name asked for.
        name: String,
        /// The names that exist, joined by commas.
        known: String,
    },
    /// The number of names differs from the number of matrix columns.
    #[error("matrix_frame: {names} names for a matrix of shape {rows} x {columns}; give one name per matrix column")]
    MatrixNames {
        /// Names given.
        names: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A setting is outside its allowed range.
    #[error("{operation}: {name} = {value} is outside {allowed}; choose a value in that range")]
    Setting {
        /// The builder or function.
        operation: &'static str,
        /// The setting.
        name: &'static str,
        /// The value given.
        value: String,
        /// The allowed range.
        allowed: &'static str,
    },
    /// polars refused an operation.
    #[error("{operation}: polars says: {message}; check the column types of the frame")]
    Polars {
        /// What was being done.
        operation: &'static str,
        /// The message of polars.
        message: String,
    },
    /// A series of a figure has no values.
    #[error("figure: series \"{series}\" is empty; give it at least one point or leave it out")]
    EmptySeries {
        /// Name of the series.
        series: String,
    },
    /// Two inputs of one series have different lengths.
    #[error("figure: series \"{series}\" has {found} values of {what} but {expected} of x; give both the same length")]
    SeriesLength {
        /// Name of the series.
        series: String,
        /// Which input does not fit.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length of x.
        expected: usize,
    },
    /// No value of a series can be drawn.
    #[error("figure: none of the {total} points of \"{series}\" can be drawn ({reason}); {remedy}")]
    NothingToDraw {
        /// Name of the series.
        series: String,
        /// How many points it has.
        total: usize,
        /// Why they were left out, with counts.
        reason: String,
        /// The next thing to try.
        remedy: &'static str,
    },
    /// A heat map has no cells, or its centres do not fit its shape.
    #[error("heatmap \"{label}\": {problem}")]
    HeatMap {
        /// Label of the colour bar.
        label: String,
        /// What is wrong and what to try.
        problem: String,
    },
    /// A result that cannot be written as columns.
    #[error(transparent)]
    Result(#[from] workbench_ground::Error),
    /// A figure without panels, or a panel without series.
    #[error("figure \"{title}\": {problem}")]
    EmptyFigure {
        /// Title of the figure or panel.
        title: String,
        /// What is missing and what to try.
        problem: &'static str,
    },
    /// A drawing that has nothing in it, a part of it that does not exist, or one that cannot be drawn where it is.
    #[error("sketch \"{title}\": {problem}")]
    Sketch {
        /// Title of the sketch.
        title: String,
        /// What is wrong and what to try.
        problem: String,
    },
    /// Axis limits that are not finite, not increasing or not positive on a log axis.
    #[error("figure: {axis} limits ({low}, {high}) are not usable; {remedy}")]
    Limits {
        /// "x" or "y".
        axis: &'static str,
        /// Lower limit.
        low: f64,
        /// Upper limit.
        high: f64,
        /// The next thing to try.
        remedy: &'static str,
    },
    /// The drawing backend failed.
    #[error("figure: drawing failed: {message}; try a larger size")]
    Draw {
        /// The message of the backend.
        message: String,
    },
    /// A name that is no MIME type.
    #[error("mime: \"{name}\" is no MIME type; write type/subtype without parameters, as in \"application/json\"")]
    Mime {
        /// The name given.
        name: String,
    },
    /// A line was asked for and nobody can answer, or the answer did not come.
    #[error("input \"{prompt}\": {problem}")]
    Input {
        /// What was asked.
        prompt: String,
        /// Why there is no answer, and what to try.
        problem: String,
    },
    /// A path whose ending names no format that can be written.
    #[error("save: cannot tell the format of {}; end the name with {allowed}", path.display())]
    Format {
        /// The path given.
        path: PathBuf,
        /// The endings that work.
        allowed: &'static str,
    },
    /// A file could not be written. The old file, if there was one, is untouched.
    #[error("save: cannot write {}: {message}; check that the folder exists, is writable and has space", path.display())]
    Write {
        /// The path given.
        path: PathBuf,
        /// The system's message.
        message: String,
    },
}

impl Error {
    pub(crate) fn polars(operation: &'static str, error: polars::error::PolarsError) -> Error {
        Error::Polars { operation, message: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_value_and_the_next_step() {
        let error = Error::SeriesLength { series: "error".into(), what: "y", found: 3, expected: 4 };
        let text = error.to_string();
        assert!(text.contains("\"error\"") && text.contains('3') && text.contains("same length"));
        let error = Error::Format { path: "a.tiff".into(), allowed: ".svg or .png" };
        assert_eq!(error.to_string(), "save: cannot tell the format of a.tiff; end the name with .svg or .png");
    }
}
