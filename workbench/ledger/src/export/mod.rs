//! The tables as files: the record as CSV and Parquet, and the table of claims that a person reads, also as Markdown and LaTeX.
//!
//! | file | holds |
//! | --- | --- |
//! | `claims` | the table of claims: a line for each claim of the registry |
//! | `markdown`, `latex` | that table as a page for code hosts and as a `longtable` |
//! | `prose` | texts with `$...$` in them, as Markdown and as LaTeX |
//! | `math`, `vocabulary` | whether LaTeX takes a formula: its commands with their arguments, its braces |
//! | `formula` | formulas for LaTeX and Markdown, signs outside ASCII as commands |

mod claims;
mod formula;
mod latex;
mod markdown;
mod math;
mod prose;
mod vocabulary;

use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;
use polars_io::parquet::write::{ParquetCompression, ParquetWriter};
use workbench_record::{Error as RecordError, FindingLine, Line, Note, Registry, Row, Run, Tables, atomic, table};

use super::Error;
use super::frame::Frames;
use claims::Claims;

/// Writes into `folder`, each file in one step, and returns the paths: `ledger`, `findings`, `notes` and `runs` as `.csv` and
/// `.parquet`, and `claims` as `.csv`, `.parquet`, `.md` and `.tex`, one line for each claim of the registry, then one for each
/// claim that the ledger alone knows.
///
/// # Errors
/// [`Error::Record`] if the folder or a file cannot be written, [`Error::Table`] if polars refuses.
pub fn export(tables: &Tables, registry: &Registry, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let frames = Frames::new(tables)?;
    let claims = Claims::of(tables, registry);
    let files = [
        (Row::FILE, table::to_csv(&tables.rows)),
        ("ledger.parquet", parquet(frames.verdicts)?),
        (FindingLine::FILE, table::to_csv(&tables.findings)),
        ("findings.parquet", parquet(frames.findings)?),
        (Note::FILE, table::to_csv(&tables.notes)),
        ("notes.parquet", parquet(frames.notes)?),
        (Run::FILE, table::to_csv(&tables.runs)),
        ("runs.parquet", parquet(frames.runs)?),
        ("claims.csv", claims.csv()?),
        ("claims.parquet", parquet(claims.frame()?)?),
        ("claims.md", markdown::page(&claims).into_bytes()),
        ("claims.tex", latex::longtable(&claims).into_bytes()),
    ];
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        atomic::write(&path, &bytes).map_err(|cause| RecordError::io("writing", &path, cause))?;
        paths.push(path);
    }
    Ok(paths)
}

/// The frame as a Parquet file, uncompressed so that every reader opens it.
fn parquet(mut frame: DataFrame) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes)
        .with_compression(ParquetCompression::Uncompressed)
        .finish(&mut frame)
        .map_err(|cause| Error::Table { operation: "writing Parquet", problem: cause.to_string() })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::entry::{decide, tests::blank};
    use super::*;
    use crate::{Evidence, Finding};
    use polars_io::SerReader;
    use workbench_record::Scale;

    /// The tables of a ledger with so many rows.
    fn tables(rows: usize) -> Tables {
        let evidence = Evidence::of(Finding::identity("worst \"gap\", of all", 0.5, 1.0)).note("one, \"two\"");
        let mut tables = Tables::default();
        tables.put((0..rows).map(|i| decide(blank(&format!("m/c{i}"), Scale::Quick), &evidence).unwrap()));
        tables
    }

    #[test]
    fn every_table_is_written_and_reads_back() {
        for rows in [0, 1, 2] {
            let tables = tables(rows);
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("made/on/demand");
            let paths = export(&tables, &Registry::empty(), &out).unwrap();
            assert_eq!(paths.len(), 12);
            assert_eq!(Tables::read(&out).unwrap(), tables);
            let frames = Frames::new(&tables).unwrap();
            for (name, frame) in [
                ("ledger", frames.verdicts),
                ("findings", frames.findings),
                ("notes", frames.notes),
                ("runs", frames.runs),
            ] {
                let file = std::fs::File::open(out.join(format!("{name}.parquet"))).unwrap();
                let back = polars_io::parquet::read::ParquetReader::new(file).finish().unwrap();
                assert!(back.equals_missing(&frame), "{name} of {rows} rows");
            }
            let file = std::fs::File::open(out.join("claims.parquet")).unwrap();
            let back = polars_io::parquet::read::ParquetReader::new(file).finish().unwrap();
            assert_eq!(back.shape(), (rows, claims::COLUMNS.len()));
        }
    }

    #[test]
    fn a_ledger_of_one_row_carries_no_quotes_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        export(&tables(1), &Registry::empty(), folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let page = read("claims.md");
        assert!(page.contains("| m/c0 |") && page.contains("worst \"gap\", of all: 0.5"), "{page}");
        assert_eq!(page.matches('"').count(), 2, "{page}");
        let tex = read("claims.tex");
        assert!(tex.contains("{m/\\allowbreak{}c0}"), "{tex}");
        assert_eq!(tex.matches("\\char34{}").count(), 2, "{tex}");
        assert!(!tex.contains('"'), "{tex}");
        let text = read("claims.csv");
        assert!(text.contains("\nm/c0,,"), "{text}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = export(&tables(1), &Registry::empty(), &file).unwrap_err();
        assert!(matches!(&error, Error::Record(RecordError::Io { .. })), "{error}");
        assert!(error.to_string().contains("ledger.csv"), "{error}");
    }
}
