//! A table made from a frame: what is shown, how many digits, which units.

use polars::prelude::{AnyValue, DataFrame};

mod html;
mod text;

use super::{Bundle, Error, Mime, bundle, number};

/// Longest string shown in full, in characters.
const LONGEST: usize = 80;
/// Longest full value kept for the hover text, in characters.
const LONGEST_HOVER: usize = 500;

/// A frame with a title, units and the number of rows and digits to show. The frame itself is never changed: what is
/// exported is the whole frame.
///
/// As the last expression of a cell it shows an HTML table with a plain-text twin. Numbers have a fixed count of
/// significant digits (the full value on hover) and are right-aligned; a column whose shown values are all whole is shown
/// without decimals; nulls, cut rows and cut columns are visible and counted.
///
/// ```
/// use workbench_display::{Table, frame};
/// let frame = frame(&[("d", &[64.0, 128.0]), ("error", &[0.123456, 0.0617])])?;
/// let table = Table::new(frame).title("Errors").digits(3).units(&[("error", "nats")]);
/// assert!(table.to_text()?.contains("0.123"));
/// assert!(table.to_text()?.contains("error (nats)"));
/// # Ok::<(), workbench_display::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    frame: DataFrame,
    title: String,
    caption: String,
    rows: usize,
    columns: usize,
    digits: usize,
    units: Vec<(String, String)>,
    types: bool,
    error: Option<Error>,
}

impl Table {
    /// A table of the whole frame: 20 rows and 16 columns shown, 4 significant digits.
    pub fn new(frame: DataFrame) -> Table {
        Table {
            frame,
            title: String::new(),
            caption: String::new(),
            rows: 20,
            columns: 16,
            digits: 4,
            units: Vec::new(),
            types: false,
            error: None,
        }
    }

    /// A title above the table.
    pub fn title(mut self, title: &str) -> Table {
        self.title = title.to_string();
        self
    }

    /// A line below the title that says how to read the table.
    pub fn caption(mut self, caption: &str) -> Table {
        self.caption = caption.to_string();
        self
    }

    /// Most rows shown, at least 1. A longer frame shows its head and tail.
    pub fn rows(mut self, rows: usize) -> Table {
        if rows == 0 {
            self.fail("rows", rows.to_string(), "1 or more");
        }
        self.rows = rows;
        self
    }

    /// Most columns shown, at least 1.
    pub fn columns(mut self, columns: usize) -> Table {
        if columns == 0 {
            self.fail("columns", columns.to_string(), "1 or more");
        }
        self.columns = columns;
        self
    }

    /// Significant digits of floats, 1 to 17.
    pub fn digits(mut self, digits: usize) -> Table {
        if !(1..=17).contains(&digits) {
            self.fail("digits", digits.to_string(), "1 to 17");
        }
        self.digits = digits;
        self
    }

    /// Units by column name, shown in the header as `name (unit)`.
    pub fn units(mut self, units: &[(&str, &str)]) -> Table {
        for (name, unit) in units {
            let names: Vec<&str> = self.frame.columns().iter().map(|c| c.name().as_str()).collect();
            if !names.contains(name) && self.error.is_none() {
                let known = names.join(", ");
                self.error = Some(Error::NoColumn { name: (*name).to_string(), known });
            }
            self.units.push(((*name).to_string(), (*unit).to_string()));
        }
        self
    }

    /// A row below the header with the type of each column, as polars calls it.
    pub fn types(mut self) -> Table {
        self.types = true;
        self
    }

    fn fail(&mut self, name: &'static str, value: String, allowed: &'static str) {
        if self.error.is_none() {
            self.error = Some(Error::Setting { operation: "table", name, value, allowed });
        }
    }

    /// The frame behind the table.
    pub fn frame(&self) -> &DataFrame {
        &self.frame
    }

    /// The plain-text form, aligned with spaces.
    ///
    /// **Errors**: the first bad setting given to the builder, or a cell polars cannot read.
    pub fn to_text(&self) -> Result<String, Error> {
        Ok(text::render(&self.grid(self.rows, self.columns)?))
    }

    /// The HTML form. No scripts; styling that sanitising viewers drop is never needed to read it.
    ///
    /// **Errors**: as for [`Table::to_text`].
    pub fn to_html(&self) -> Result<String, Error> {
        Ok(html::render(&self.grid(self.rows, self.columns)?))
    }

    /// Both forms as a bundle.
    ///
    /// **Errors**: as for [`Table::to_text`].
    pub fn to_bundle(&self) -> Result<Bundle, Error> {
        let grid = self.grid(self.rows, self.columns)?;
        Ok(Bundle::new(&text::render(&grid)).with(Mime::Html, &html::render(&grid)))
    }

    /// Shows the table as the output of a notebook cell; an error is shown as its message.
    pub fn evcxr_display(&self) {
        bundle::show(self.to_bundle());
    }

    /// All rows and columns as text, for exports.
    pub(crate) fn full_grid(&self) -> Result<Grid, Error> {
        self.grid(usize::MAX, usize::MAX)
    }

    fn grid(&self, most_rows: usize, most_columns: usize) -> Result<Grid, Error> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let (height, width) = self.frame.shape();
        let shown_columns = width.min(most_columns);
        let picked: Vec<usize> = if height <= most_rows {
            (0..height).collect()
        } else {
            let tail = most_rows / 2;
            (0..most_rows - tail).chain(height - tail..height).collect()
        };
        let head = if height <= most_rows { height } else { most_rows - most_rows / 2 };
        let mut columns = Vec::with_capacity(shown_columns);
        for column in self.frame.columns().iter().take(shown_columns) {
            let series = column.as_materialized_series();
            let mut values = Vec::with_capacity(picked.len());
            for &row in &picked {
                values.push(series.get(row).map_err(|e| Error::polars("table", e))?);
            }
            let name = column.name().to_string();
            let unit = self.units.iter().find(|(n, _)| *n == name).map(|(_, unit)| unit.as_str());
            let heading = match unit {
                Some(unit) if !unit.is_empty() => format!("{name} ({unit})"),
                _ => name,
            };
            columns.push(GridColumn {
                heading,
                kind: self.types.then(|| column.dtype().to_string()),
                right: column.dtype().is_primitive_numeric(),
                cells: cells(&values, self.digits),
            });
        }
        Ok(Grid {
            title: self.title.clone(),
            caption: self.caption.clone(),
            columns,
            shown_rows: picked.len(),
            head,
            height,
            width,
        })
    }
}

/// The shown part of a table as text, shared by all renderers.
pub(crate) struct Grid {
    pub title: String,
    pub caption: String,
    pub columns: Vec<GridColumn>,
    /// Rows in `columns`, cut rows not counted.
    pub shown_rows: usize,
    /// Rows before the cut.
    pub head: usize,
    pub height: usize,
    pub width: usize,
}

pub(crate) struct GridColumn {
    pub heading: String,
    /// The type, where it is asked for.
    pub kind: Option<String>,
    pub right: bool,
    pub cells: Vec<Cell>,
}

pub(crate) struct Cell {
    pub text: String,
    /// The whole value when `text` is shortened.
    pub full: Option<String>,
    pub null: bool,
}

impl Grid {
    /// The types of the columns, where they are asked for.
    pub fn kinds(&self) -> Option<Vec<&str>> {
        self.columns.iter().map(|column| column.kind.as_deref()).collect()
    }

    pub fn cut_rows(&self) -> usize {
        self.height - self.shown_rows
    }

    /// "1000 rows × 5 columns, 20 rows shown"; nothing for a single row that is shown as a whole.
    pub fn shape_line(&self) -> Option<String> {
        if self.height == 1 && self.columns.len() == self.width {
            return None;
        }
        let mut line = format!("{} × {}", count(self.height, "row"), count(self.width, "column"));
        if self.cut_rows() > 0 {
            line.push_str(&format!(", {} shown", count(self.shown_rows, "row")));
        }
        if self.columns.len() < self.width {
            line.push_str(&format!(", {} shown", count(self.columns.len(), "column")));
        }
        Some(line)
    }

    /// "… 980 rows not shown", if rows are cut.
    pub fn cut_line(&self) -> Option<String> {
        (self.cut_rows() > 0).then(|| format!("… {} not shown …", count(self.cut_rows(), "row")))
    }
}

fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn cells(values: &[AnyValue], digits: usize) -> Vec<Cell> {
    let floats = values.iter().filter_map(as_float);
    let whole = floats.clone().all(|v| !v.is_finite() || (v.fract() == 0.0 && v.abs() < 1e9));
    values
        .iter()
        .map(|value| match (value, as_float(value)) {
            (AnyValue::Null, _) => Cell { text: "null".to_string(), full: None, null: true },
            (_, Some(v)) if v.is_finite() => {
                let full = match value {
                    AnyValue::Float32(single) => single.to_string(),
                    _ => v.to_string(),
                };
                let text = if whole { format!("{v:.0}") } else { number::significant(v, digits) };
                let text = if text == "-0" { "0".to_string() } else { text };
                let same = text.parse() == Ok(v) || text == full;
                Cell { text, full: (!same).then_some(full), null: false }
            }
            (_, Some(v)) => Cell { text: number::significant(v, digits), full: None, null: false },
            (AnyValue::String(s), _) => string_cell(s),
            (AnyValue::StringOwned(s), _) => string_cell(s.as_str()),
            (other, _) => string_cell(&other.to_string()),
        })
        .collect()
}

fn as_float(value: &AnyValue) -> Option<f64> {
    match value {
        AnyValue::Float64(v) => Some(*v),
        AnyValue::Float32(v) => Some(f64::from(*v)),
        _ => None,
    }
}

fn string_cell(value: &str) -> Cell {
    // Line breaks would break the text twin; they show as a return sign and stay in the full value.
    let one_line = value.replace(['\n', '\r'], "↵").replace('\t', " ");
    let cut = one_line.chars().count() > LONGEST;
    let text = if cut { one_line.chars().take(LONGEST - 1).chain(std::iter::once('…')).collect() } else { one_line };
    let full = (text != value).then(|| {
        let mut full: String = value.chars().take(LONGEST_HOVER).collect();
        if full.len() < value.len() {
            full.push('…');
        }
        full
    });
    Cell { text, full, null: false }
}

#[cfg(test)]
mod tests {
    use super::super::{columns, frame};
    use super::*;

    fn long(n: usize) -> DataFrame {
        let x: Vec<f64> = (0..n).map(|i| i as f64 + 0.5).collect();
        frame(&[("x", &x)]).unwrap()
    }

    #[test]
    fn a_long_frame_shows_head_tail_and_the_number_cut() {
        let text = Table::new(long(1000)).to_text().unwrap();
        assert!(text.contains("1000 rows × 1 column, 20 rows shown"), "{text}");
        assert!(text.contains("… 980 rows not shown …"));
        assert!(text.contains("999.5") && text.contains("0.5000") && !text.contains("500.5"));
    }

    #[test]
    fn a_frame_of_exactly_the_limit_is_not_cut() {
        let text = Table::new(long(20)).to_text().unwrap();
        assert!(!text.contains("not shown"));
        let text = Table::new(long(21)).to_text().unwrap();
        assert!(text.contains("… 1 row not shown …"));
        assert!(Table::new(long(3)).rows(1).to_text().unwrap().contains("… 2 rows not shown …"));
    }

    #[test]
    fn whole_floats_have_no_decimals_and_nulls_show() {
        let frame = columns(vec![
            ("d", [64.0, 128.0].into()),
            ("x", vec![Some(1.0 / 3.0), None].into()),
            ("s", ["a\nb", "c"].into()),
        ])
        .unwrap();
        let text = Table::new(frame).to_text().unwrap();
        assert!(text.contains(" 64 ") && text.contains("0.3333") && text.contains("null") && text.contains("a↵b"));
    }

    #[test]
    fn hover_has_the_full_value_only_when_shortened() {
        let shown = cells(&[AnyValue::Float64(0.123456789), AnyValue::Float64(0.5)], 4);
        assert_eq!(shown[0].full.as_deref(), Some("0.123456789"));
        assert_eq!(shown[1].full, None);
        let long = "x".repeat(100);
        let shown = cells(&[AnyValue::String(&long)], 4);
        assert_eq!(shown[0].text.chars().count(), LONGEST);
        assert_eq!(shown[0].full.as_deref(), Some(long.as_str()));
    }

    #[test]
    fn bad_settings_are_reported_when_shown() {
        let error = Table::new(long(2)).units(&[("y", "s")]).to_html().unwrap_err();
        assert!(matches!(error, Error::NoColumn { .. }) && error.to_string().contains("the frame has: x"));
        assert!(matches!(Table::new(long(2)).rows(0).to_text(), Err(Error::Setting { name: "rows", .. })));
        assert!(matches!(Table::new(long(2)).digits(18).to_text(), Err(Error::Setting { name: "digits", .. })));
    }

    #[test]
    fn wide_and_empty_frames_work() {
        let names: Vec<String> = (0..40).map(|i| format!("c{i}")).collect();
        let list = names.iter().map(|n| (n.as_str(), Values::from([1.0]))).collect();
        let text = Table::new(columns(list).unwrap()).to_text().unwrap();
        assert!(text.contains("1 row × 40 columns, 16 columns shown"));
        let empty = Table::new(columns(Vec::new()).unwrap());
        assert!(empty.to_text().unwrap().contains("0 rows × 0 columns"));
        assert!(empty.to_html().unwrap().contains("0 rows × 0 columns"));
        let single = Table::new(long(1));
        assert!(!single.to_text().unwrap().contains("1 row"));
        assert!(!single.to_html().unwrap().contains("<small>"));
    }

    use super::super::Values;
}
