//! Tables and figures as files, written atomically: a reader sees the old file or the new one, never half of one.

use std::path::Path;

use polars_io::prelude::{CsvWriter, ParquetWriter, SerWriter};

use super::table::{Cell, Grid};
use super::{Error, Table, escape};

/// Saves a drawing in the format named by the ending of `path`.
pub(crate) fn save_image(
    path: &Path,
    svg: impl FnOnce() -> Result<String, Error>,
    png: impl FnOnce() -> Result<Vec<u8>, Error>,
) -> Result<(), Error> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => write_atomically(path, svg()?.as_bytes()),
        Some("png") => write_atomically(path, &png()?),
        _ => Err(Error::Format { path: path.to_path_buf(), allowed: ".svg or .png" }),
    }
}

/// Replaces `path` by `content` in one step.
pub(crate) fn write_atomically(path: &Path, content: &[u8]) -> Result<(), Error> {
    let fail = |e: std::io::Error| Error::Write { path: path.to_path_buf(), message: e.to_string() };
    workbench_record::atomic::write(path, content).map_err(fail)
}

impl Table {
    /// Saves all rows, in the format named by the ending. Missing folders are made.
    ///
    /// `.csv` has a header line, floats in full precision and empty nulls; `.parquet` keeps types; `.md` and `.tex` (a `tabular` with plain
    /// rules) have the digits and units of this table.
    ///
    /// **Errors**: [`Error::Format`] for another ending, [`Error::Write`] if the file cannot be written, [`Error::Polars`] for a type that
    /// the format cannot hold, the first bad setting of the builder.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.save_at(path.as_ref())
    }

    fn save_at(&self, path: &Path) -> Result<(), Error> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("csv") => write_atomically(path, &self.csv()?),
            Some("parquet") => write_atomically(path, &self.parquet()?),
            Some("md") => write_atomically(path, self.markdown()?.as_bytes()),
            Some("tex") => write_atomically(path, self.latex()?.as_bytes()),
            _ => Err(Error::Format { path: path.to_path_buf(), allowed: ".csv, .parquet, .md or .tex" }),
        }
    }

    fn csv(&self) -> Result<Vec<u8>, Error> {
        let mut content = Vec::new();
        let mut frame = self.frame().clone();
        CsvWriter::new(&mut content).finish(&mut frame).map_err(|e| Error::polars("save", e))?;
        Ok(content)
    }

    fn parquet(&self) -> Result<Vec<u8>, Error> {
        let mut content = Vec::new();
        let mut frame = self.frame().clone();
        ParquetWriter::new(&mut content).finish(&mut frame).map_err(|e| Error::polars("save", e))?;
        Ok(content)
    }

    fn markdown(&self) -> Result<String, Error> {
        Ok(markdown(&self.full_grid()?))
    }

    fn latex(&self) -> Result<String, Error> {
        Ok(latex(&self.full_grid()?))
    }
}

/// The text of a cell for an export: numbers as shown, strings in full.
fn exported(cell: &Cell, right: bool) -> &str {
    if cell.null {
        return "";
    }
    match &cell.full {
        Some(full) if !right => full,
        _ => &cell.text,
    }
}

fn markdown(grid: &Grid) -> String {
    let safe =
        |text: &str| text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ");
    let mut out = String::new();
    if !grid.title.is_empty() {
        out.push_str(&format!("**{}**\n\n", grid.title));
    }
    if !grid.caption.is_empty() {
        out.push_str(&format!("{}\n\n", grid.caption));
    }
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    out.push_str(&row(grid.columns.iter().map(|c| safe(&c.heading)).collect()));
    out.push_str(&row(grid.columns.iter().map(|c| if c.right { "---:" } else { ":---" }.to_string()).collect()));
    for i in 0..grid.shown_rows {
        out.push_str(&row(grid.columns.iter().map(|c| safe(exported(&c.cells[i], c.right))).collect()));
    }
    out
}

fn latex(grid: &Grid) -> String {
    let sides: String = grid.columns.iter().map(|c| if c.right { 'r' } else { 'l' }).collect();
    let mut out = String::new();
    if !grid.title.is_empty() {
        out.push_str(&format!("% {}\n", grid.title.replace(['\n', '\r'], " ")));
    }
    out.push_str(&format!("\\begin{{tabular}}{{{sides}}}\n\\hline\n"));
    let row = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    out.push_str(&row(grid.columns.iter().map(|c| escape::latex(&c.heading)).collect()));
    out.push_str("\\hline\n");
    for i in 0..grid.shown_rows {
        let cells = grid.columns.iter().map(|c| escape::latex(exported(&c.cells[i], c.right)));
        out.push_str(&row(cells.collect()));
    }
    out.push_str("\\hline\n\\end{tabular}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::super::columns;
    use super::*;
    use polars_io::SerReader;
    use polars_io::prelude::ParquetReader;

    fn table() -> Table {
        let frame =
            columns(vec![("a_b", ["x|y", "50 % & more"].into()), ("v", vec![Some(1.0 / 3.0), None].into())]).unwrap();
        Table::new(frame).title("T").rows(1).digits(3)
    }

    #[test]
    fn the_exported_frame_is_the_whole_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/t.parquet");
        table().save(&path).unwrap();
        let back = ParquetReader::new(std::fs::File::open(&path).unwrap()).finish().unwrap();
        assert!(back.equals_missing(table().frame()));
        let csv = folder.path().join("t.csv");
        table().save(&csv).unwrap();
        let text = std::fs::read_to_string(csv).unwrap();
        assert_eq!(text, "a_b,v\nx|y,0.3333333333333333\n50 % & more,\n");
    }

    #[test]
    fn markdown_and_latex_escape_their_own_signs() {
        let grid = table().full_grid().unwrap();
        let expected = "**T**\n\n| a_b | v |\n| :--- | ---: |\n| x\\|y | 0.333 |\n| 50 % & more |  |\n";
        assert_eq!(markdown(&grid), expected);
        let text = latex(&grid);
        assert!(text.contains("a\\_b & v \\\\") && text.contains("50 \\% \\& more &  \\\\"), "{text}");
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "old").unwrap();
        // A folder stands where the file's folder should be made.
        let error = table().save(path.join("inner.csv")).unwrap_err();
        assert!(matches!(&error, Error::Write { .. }) && error.to_string().contains("inner.csv"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert!(matches!(table().save(folder.path().join("t.xls")), Err(Error::Format { .. })));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
