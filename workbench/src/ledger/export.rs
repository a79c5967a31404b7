//! The ledger as CSV, Parquet, Markdown and LaTeX, all from one frame.

use std::path::{Path, PathBuf};

use crate::display::escape;
use polars::prelude::{AnyValue, DataFrame};
use polars_io::parquet::write::{ParquetCompression, ParquetWriter};

use super::Error;
use super::frame::frame;
use super::number::{rounded, shortest};
use super::row::Row;
use super::store::{replace_file, to_csv};

/// Columns of the LaTeX table; the texts that do not fit on a page follow it as remarks.
const LATEX_COLUMNS: [&str; 10] = [
    "claim", "verdict", "expected", "measured", "low", "high", "n", "seed", "scale", "seconds",
];
/// Significant digits of numbers in the LaTeX table; the other three formats keep all.
const LATEX_DIGITS: usize = 6;

/// Writes `ledger.csv`, `.parquet`, `.md` and `.tex` into `folder`, each in one step; returns the paths.
///
/// # Errors
/// [`Error::Io`] if the folder or a file cannot be written, [`Error::Table`] if polars refuses.
pub fn export(rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>, Error> {
    std::fs::create_dir_all(folder).map_err(|cause| Error::io("making the export folder", folder, cause))?;
    let frame = frame(rows)?;
    let files = [
        ("ledger.csv", to_csv(rows).into_bytes()),
        ("ledger.parquet", parquet(&frame)?),
        ("ledger.md", markdown(&frame)?.into_bytes()),
        ("ledger.tex", latex(&frame)?.into_bytes()),
    ];
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        replace_file(&path, &bytes)?;
        paths.push(path);
    }
    Ok(paths)
}

/// The frame as a Parquet file, uncompressed so that every reader opens it.
fn parquet(frame: &DataFrame) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes)
        .with_compression(ParquetCompression::Uncompressed)
        .finish(&mut frame.clone())
        .map_err(|cause| table("writing Parquet", &cause))?;
    Ok(bytes)
}

/// The frame as a Markdown table with all columns and exact numbers.
pub fn markdown(frame: &DataFrame) -> Result<String, Error> {
    let names = names(frame);
    let mut out = format!("| {} |\n", names.join(" | "));
    let rules: Vec<&str> = frame
        .columns()
        .iter()
        .map(|c| if c.dtype().is_numeric() { "---:" } else { ":---" })
        .collect();
    out += &format!("| {} |\n", rules.join(" | "));
    for row in 0..frame.height() {
        let cells = cells(frame, &names, row, shortest)?;
        let cells: Vec<String> = cells.iter().map(|c| escape_markdown(c)).collect();
        out += &format!("| {} |\n", cells.join(" | "));
    }
    Ok(out)
}

/// The frame as a LaTeX `tabular` with booktabs rules and escaped text, remarks below it.
pub fn latex(frame: &DataFrame) -> Result<String, Error> {
    let mut out = String::from("% needs \\usepackage{booktabs}\n\\begin{tabular}{lllrrrrrlr}\n\\toprule\n");
    out += &format!("{} \\\\\n\\midrule\n", LATEX_COLUMNS.join(" & "));
    let short = |x: f64| rounded(x, LATEX_DIGITS);
    let mut remarks = String::new();
    for row in 0..frame.height() {
        let texts: Vec<String> = cells(frame, &LATEX_COLUMNS, row, short)?
            .iter()
            .map(|c| latex_words(c))
            .collect();
        out += &format!("{} \\\\\n", texts.join(" & "));
        let long = cells(frame, &["change", "note"], row, short)?;
        let long: Vec<String> = long.iter().filter(|t| !t.is_empty()).map(|t| latex_words(t)).collect();
        if !long.is_empty() {
            remarks += &format!("\\item[{}] {}\n", texts[0], long.join("; "));
        }
    }
    out += "\\bottomrule\n\\end{tabular}\n";
    if !remarks.is_empty() {
        out += &format!("\\begin{{description}}\n{remarks}\\end{{description}}\n");
    }
    Ok(out)
}

fn names(frame: &DataFrame) -> Vec<&str> {
    frame.get_column_names().into_iter().map(|n| n.as_str()).collect()
}

fn cells(frame: &DataFrame, columns: &[&str], row: usize, number: fn(f64) -> String) -> Result<Vec<String>, Error> {
    columns
        .iter()
        .map(|name| {
            let value = frame.column(name).and_then(|c| c.get(row));
            Ok(match value.map_err(|cause| table("reading a cell", &cause))? {
                AnyValue::Null => String::new(),
                AnyValue::String(text) => text.to_string(),
                AnyValue::Float64(x) => number(x),
                other => other.to_string(),
            })
        })
        .collect()
}

fn table(operation: &'static str, cause: &polars::prelude::PolarsError) -> Error {
    Error::Table {
        operation,
        problem: cause.to_string(),
    }
}

pub(crate) fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '$' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text and sets its numbers as mathematics: minus signs, powers of ten.
fn latex_words(text: &str) -> String {
    let word = |word: &str| match word.parse::<f64>() {
        Ok(x) if x.is_finite() && (x < 0.0 || word.contains('e')) => match word.split_once('e') {
            Some((digits, power)) => format!("${digits}\\times 10^{{{power}}}$"),
            None => format!("${word}$"),
        },
        _ => escape::latex(word),
    };
    let words: Vec<String> = text.split(' ').map(word).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::blank;
    use super::*;
    use crate::ledger::{Evidence, Finding, Scale};
    use crate::stats::Estimate;

    fn rows() -> Vec<Row> {
        let measured = Estimate {
            value: 1.0 / 3.0,
            low: 0.33,
            high: 0.34,
            n: 7,
            confidence: 0.999,
        };
        let evidence = Evidence::of(Finding::equals("ratio a|b", 0.33, 0.05, measured)).note("100 % of $x_i$ & more");
        let first = blank("m/rate_1", Scale::Paper).decide(&evidence).unwrap();
        let mut second = blank("m/b", Scale::Quick);
        second.note = String::new();
        vec![first, second]
    }

    #[test]
    fn four_files_of_one_frame() {
        use polars_io::SerReader;
        let folder = tempfile::tempdir().unwrap();
        let paths = export(&rows(), &folder.path().join("tables")).unwrap();
        assert_eq!(paths.len(), 4);
        let file = std::fs::File::open(&paths[1]).unwrap();
        let back = polars_io::parquet::read::ParquetReader::new(file).finish().unwrap();
        assert!(back.equals_missing(&frame(&rows()).unwrap()));
        assert_eq!(super::super::store::read_rows(&paths[0]).unwrap(), rows());
        for path in paths {
            assert!(std::fs::metadata(path).unwrap().len() > 0);
        }
    }

    #[test]
    fn markdown_has_every_column_and_is_escaped() {
        let text = markdown(&frame(&rows()).unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].starts_with("| :--- | :--- | :--- | ---: |"));
        assert!(lines[2].contains("ratio a\\|b"));
        assert!(lines[2].contains("m/rate\\_1"));
        assert!(lines[2].contains("0.3333333333333333"));
        let bars = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(lines.iter().all(|l| bars(l) == 16));
    }

    #[test]
    fn latex_is_escaped_with_remarks_below() {
        let text = latex(&frame(&rows()).unwrap()).unwrap();
        assert!(
            text.contains("m/rate\\_1 & holds & 0.33 $\\pm$ 0.05 & 0.333333 & 0.33 & 0.34 & 7 & 1 & paper & 0.25 \\\\")
        );
        assert!(text.contains("\\item[m/rate\\_1] 100 \\% of \\$x\\_i\\$ \\& more"));
        assert!(text.contains("m/b & not tested &  &  &  &  &  & 1 & quick"));
        assert_eq!(
            latex_words("-0.5 ± 2.5e-3 on a-b"),
            "$-0.5$ $\\pm$ $2.5\\times 10^{-3}$ on a-b"
        );
        assert_eq!(
            escape::latex("\\^~"),
            "\\textbackslash{}\\textasciicircum{}\\textasciitilde{}"
        );
        assert_eq!(text.matches("\\begin").count(), text.matches("\\end").count());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(export(&rows(), &file), Err(Error::Io { .. })));
    }
}
