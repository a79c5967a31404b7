//! Tables as Parquet files that say what they are: facts in the file's own metadata, and a digest of the numbers among them.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use polars::prelude::{Column, DataFrame, DataType, NamedFrom, Series};
use polars_io::SerReader;
use polars_io::parquet::read::ParquetReader;
use polars_io::parquet::write::{KeyValueMetadata, ParquetCompression, ParquetWriter};
use serde::Serialize;
use serde::de::DeserializeOwned;
use workbench_record::atomic;
use workbench_record::digest::Digest;

use crate::error::{Error, Result};

/// The key of the facts.
const KEY: &str = "workbench-sweep";

/// A frame of these columns.
pub(crate) fn frame(op: &'static str, columns: Vec<Column>) -> Result<DataFrame> {
    let height = columns.first().map_or(0, Column::len);
    DataFrame::new(height, columns).map_err(|error| Error::table(op, error))
}

/// A column of numbers.
pub(crate) fn numbers(name: &str, values: Vec<f64>) -> Column {
    Series::new(name.into(), values).into()
}

/// A column of counts.
pub(crate) fn counts(name: &str, values: Vec<u64>) -> Column {
    Series::new(name.into(), values).into()
}

/// Digest of names, kinds and every bit of the values, in order.
pub(crate) fn digest(frame: &DataFrame) -> Result<String, String> {
    let mut digest = Digest::default();
    let said = |error: polars::prelude::PolarsError| error.to_string();
    for column in frame.columns() {
        digest.add(column.name().as_str());
        digest.add(column.dtype().to_string());
        let series = column.as_materialized_series();
        if series.null_count() > 0 {
            return Err(format!("column `{}` has holes", column.name()));
        }
        let mut bytes = Vec::with_capacity(8 * series.len());
        match series.dtype() {
            DataType::Float64 => {
                let values = series.f64().map_err(said)?;
                values.into_no_null_iter().for_each(|x| bytes.extend(x.to_bits().to_le_bytes()));
            }
            DataType::UInt64 => {
                let values = series.u64().map_err(said)?;
                values.into_no_null_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            }
            DataType::Int64 => {
                let values = series.i64().map_err(said)?;
                values.into_no_null_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            }
            DataType::Boolean => {
                let values = series.bool().map_err(said)?;
                values.iter().flatten().for_each(|x| bytes.push(u8::from(x)));
            }
            DataType::String => {
                let values = series.str().map_err(said)?;
                values.iter().flatten().for_each(|x| {
                    bytes.extend((x.len() as u64).to_le_bytes());
                    bytes.extend(x.as_bytes());
                });
            }
            other => return Err(format!("column `{}` is of kind {other}", column.name())),
        }
        digest.add(bytes);
    }
    Ok(digest.finish())
}

/// Writes a frame with facts about it in one step: beside its place, then renamed. Uncompressed, so that every reader opens it; the same
/// frame and facts give the same bytes.
pub(crate) fn write(op: &'static str, path: &Path, frame: &mut DataFrame, facts: &impl Serialize) -> Result<()> {
    let facts = serde_json::to_string(facts).map_err(|error| Error::table(op, error))?;
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes)
        .with_compression(ParquetCompression::Uncompressed)
        .set_parallel(false)
        .with_key_value_metadata(Some(KeyValueMetadata::from_static(vec![(KEY.to_string(), facts)])))
        .finish(frame)
        .map_err(|error| Error::table(op, error))?;
    atomic::write(path, &bytes).map_err(|error| Error::io(op, path, error))
}

/// Facts and frame of a file; what is wrong with it, in words, if it does not read.
///
/// # Errors
/// What the system said, for a file that cannot be opened; that it does not exist is among it.
pub(crate) fn read<F: DeserializeOwned>(path: &Path) -> std::io::Result<Result<(F, DataFrame), String>> {
    let bytes = std::fs::read(path)?;
    // A reader of damaged bytes may panic; that is a damaged file like any other.
    let parsed = catch_unwind(AssertUnwindSafe(|| parse(bytes)));
    Ok(parsed.unwrap_or_else(|_| Err("it is no sound Parquet file".into())))
}

fn parse<F: DeserializeOwned>(bytes: Vec<u8>) -> Result<(F, DataFrame), String> {
    let short = "it is cut short or damaged: ";
    let mut reader = ParquetReader::new(Cursor::new(bytes));
    let metadata = reader.get_metadata().map_err(|error| format!("{short}{error}"))?;
    let pairs = metadata.key_value_metadata().as_deref().unwrap_or_default();
    let facts = pairs.iter().find(|pair| pair.key == KEY).and_then(|pair| pair.value.clone());
    let facts = facts.ok_or("it is no file of a sweep")?;
    let facts = serde_json::from_str(&facts).map_err(|error| format!("its facts do not read: {error}"))?;
    let frame = reader.finish().map_err(|error| format!("{short}{error}"))?;
    Ok((facts, frame))
}
