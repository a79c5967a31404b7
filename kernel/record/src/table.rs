//! A typed table as a CSV file: read strictly, written whole.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Error, Scale};

/// What a line is about: a claim (or a run) at a scale with a seed. Lines of one key are replaced together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Claim id, or identity of a run.
    pub name: String,
    /// Scale.
    pub scale: Scale,
    /// Seed.
    pub seed: u64,
}

impl Key {
    /// A key.
    pub fn new(name: &str, scale: Scale, seed: u64) -> Key {
        Key { name: name.to_string(), scale, seed }
    }
}

/// A line of one of the tables.
pub trait Line: Serialize + DeserializeOwned + Clone {
    /// The table's name, and its file where it is kept as one.
    const FILE: &'static str;
    /// The files that it is kept in, each with the lines that [`Line::file`] puts there.
    const FILES: &'static [&'static str] = &[Self::FILE];
    /// Its columns, in order.
    const COLUMNS: &'static [&'static str];
    /// Columns that came later: a table written before them reads as if they were empty.
    const LATER: &'static [&'static str] = &[];
    /// Whether a key may stand on one line only.
    const SINGLE: bool;

    /// What the line is about.
    fn key(&self) -> Key;

    /// Which of the files it stands in.
    fn file(&self) -> &'static str {
        Self::FILE
    }

    /// What the types do not say about a sound line.
    ///
    /// # Errors
    /// A sentence that names the column.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The lines as the text of a table.
pub fn to_csv<L: Line>(lines: &[L]) -> Vec<u8> {
    let mut writer =
        csv::WriterBuilder::new().has_headers(false).terminator(csv::Terminator::Any(b'\n')).from_writer(Vec::new());
    // Writing to memory cannot fail, and every record has the length of the header.
    let _ = writer.write_record(L::COLUMNS);
    for line in lines {
        let _ = writer.serialize(line);
    }
    writer.into_inner().unwrap_or_default()
}

/// The table of that kind in `folder`; a file that does not exist has no lines.
///
/// # Errors
/// [`Error::Corrupt`] with the line at fault, or [`Error::Io`].
pub fn read<L: Line>(folder: &Path) -> Result<Vec<L>, Error> {
    let parts = parts::<L, _>(|name| {
        let path = folder.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Error::io("reading", path, cause)),
        }
    })?;
    let mut parsed = Vec::new();
    for (name, bytes) in parts {
        parsed.push(parse::<L>(&bytes, &folder.join(name))?);
    }
    Ok(joined(parsed))
}

/// The lines of all parts of a table. Where one file has lines of all kinds, as every table had once, what it says of a key counts: it
/// is taken away last when its lines are put into several files, and a program that knows no other form has written it later than these.
pub fn joined<L: Line>(parts: Vec<Vec<L>>) -> Vec<L> {
    let mut parts = parts.into_iter();
    let mut lines = parts.next().unwrap_or_default();
    let keys: HashSet<Key> = lines.iter().map(Line::key).collect();
    lines.extend(parts.flatten().filter(|line| !keys.contains(&line.key())));
    lines
}

/// The files that hold a table, by name, as `file` gives them: the one with lines of all kinds first, if it is there.
///
/// # Errors
/// Those of `file`.
pub fn parts<L: Line, E>(file: impl Fn(&str) -> Result<Option<Vec<u8>>, E>) -> Result<Vec<(&'static str, Vec<u8>)>, E> {
    let mut parts = Vec::new();
    let apart = L::FILES.iter().filter(|name| **name != L::FILE);
    for &name in std::iter::once(&L::FILE).chain(apart) {
        parts.extend(file(name)?.map(|bytes| (name, bytes)));
    }
    Ok(parts)
}

/// The lines of a table given as bytes; `path` serves the messages only.
///
/// # Errors
/// [`Error::Corrupt`] with the line at fault.
pub fn parse<L: Line>(bytes: &[u8], path: &Path) -> Result<Vec<L>, Error> {
    let corrupt = |line: u64, problem: String| Error::Corrupt { path: path.to_path_buf(), line, problem };
    let mut lines: Vec<L> = Vec::new();
    let mut seen = HashSet::new();
    for (at, record) in records(bytes, path, L::COLUMNS, L::LATER)? {
        let line: L = record.deserialize(None).map_err(|cause| corrupt(at, reason(&cause, &record, L::COLUMNS)))?;
        line.check().map_err(|problem| corrupt(at, problem))?;
        if L::SINGLE && !seen.insert(line.key()) {
            let Key { name, scale, seed } = line.key();
            let seed = if L::COLUMNS.contains(&"seed") { format!(" with seed {seed}") } else { String::new() };
            return Err(corrupt(at, format!("a second row for `{name}` at scale {scale}{seed}")));
        }
        lines.push(line);
    }
    Ok(lines)
}

/// The records of a CSV text with exactly these columns, each with its line number. Those of `later` may be missing, and read as empty.
pub(crate) fn records(
    bytes: &[u8],
    path: &Path,
    columns: &[&str],
    later: &[&str],
) -> Result<Vec<(u64, csv::StringRecord)>, Error> {
    let corrupt = |line: u64, problem: String| Error::Corrupt { path: path.to_path_buf(), line, problem };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
    let mut found = Vec::new();
    // Which columns the file has; none before its header is read.
    let mut present: Option<Vec<&str>> = None;
    for record in reader.records() {
        let record = record.map_err(|cause| {
            let line = cause.position().map_or(1, |p| p.line());
            corrupt(line, cause.to_string())
        })?;
        let line = record.position().map_or(1, |p| p.line());
        let Some(present) = &present else {
            let named = |column: &&&str| record.iter().any(|name| name == **column) || !later.contains(*column);
            let due: Vec<&str> = columns.iter().filter(named).copied().collect();
            if record.iter().ne(due.iter().copied()) {
                let names: Vec<&str> = record.iter().collect();
                return Err(corrupt(
                    line,
                    format!("the columns are `{}`, not `{}`", names.join(","), columns.join(",")),
                ));
            }
            present = Some(due);
            continue;
        };
        if record.len() != present.len() {
            return Err(corrupt(line, format!("{} fields where {} are due", record.len(), present.len())));
        }
        found.push((line, filled(&record, columns, present)));
    }
    if present.is_none() {
        return Err(corrupt(1, "the file is empty".to_string()));
    }
    Ok(found)
}

/// A record of the columns that are present, with nothing in the others.
fn filled(record: &csv::StringRecord, columns: &[&str], present: &[&str]) -> csv::StringRecord {
    let mut fields = record.iter();
    let field = |column: &&str| match present.contains(column) {
        true => fields.next().unwrap_or_default(),
        false => "",
    };
    columns.iter().map(field).collect()
}

/// `column `seed`: invalid digit found in string`.
fn reason(cause: &csv::Error, record: &csv::StringRecord, columns: &[&str]) -> String {
    let csv::ErrorKind::Deserialize { err, .. } = cause.kind() else {
        return cause.to_string();
    };
    let told = err.kind().to_string();
    // Types of ours quote the value at fault and are not told its column.
    let quoted = || record.iter().position(|value| told.contains(&format!("`{value}`")));
    let at = err.field().and_then(|at| usize::try_from(at).ok()).or_else(quoted);
    match at.and_then(|at| columns.get(at)) {
        Some(column) => format!("column `{column}`: {told}"),
        None => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FindingLine, Note, Outcome, Role, Row, Run, Verdict};

    pub(crate) fn row(claim: &str) -> Row {
        Row {
            verdict: Verdict::Holds,
            measured: Some(0.1 + 0.2),
            low: Some(1e-300),
            high: Some(2.0 / 3.0),
            n: Some(12),
            seconds: 0.25,
            note: "a \"quoted\",\nnote".to_string(),
            ..Row::blank(claim, Scale::Paper, 7)
        }
    }

    fn back<L: Line + PartialEq + std::fmt::Debug>(lines: Vec<L>) {
        let text = to_csv(&lines);
        let header = String::from_utf8_lossy(&text).lines().next().unwrap().to_string();
        assert_eq!(header, L::COLUMNS.join(","));
        assert_eq!(parse::<L>(&text, Path::new(L::FILE)).unwrap(), lines);
    }

    #[test]
    fn every_table_reads_back_bit_for_bit() {
        back(vec![row("m/a"), Row::blank("m/a", Scale::Quick, 7)]);
        back(vec![FindingLine {
            claim: "m/a".into(),
            scale: Scale::Quick,
            seed: 1,
            role: Role::Twin,
            what: "a, b".into(),
            relation: "at most".into(),
            expected_low: None,
            expected_high: Some(1.0 / 3.0),
            measured: -5e-324,
            low: f64::MIN,
            high: 0.0,
            n: u64::MAX,
            unit: "prompts".into(),
            outcome: Outcome::Undecided,
        }]);
        back(vec![Note {
            claim: "m/a".into(),
            scale: Scale::Quick,
            seed: 1,
            place: 2,
            text: "semicolons; stay".into(),
        }]);
        back(vec![Run {
            run: "r".into(),
            commit: String::new(),
            dirty: true,
            lock: "l".into(),
            source: "s".into(),
            compiler: "rustc 1".into(),
            processor: "p".into(),
            cores: 2,
            blas: "OpenBLAS".into(),
            device: "cpu".into(),
            start: "2026-01-31T12:00:00Z".into(),
            seconds: 1.5,
            scale: Scale::Paper,
            seed: 3,
        }]);
        back(Vec::<Row>::new());
    }

    #[test]
    fn a_table_from_before_a_column_reads_with_nothing_in_it() {
        let rows = [row("m/a"), row("m/b")];
        let text = String::from_utf8(to_csv(&rows)).unwrap();
        let before = text.replacen(",see,settled,", ",", 1).replace(",,,\"a \"\"quoted", ",\"a \"\"quoted");
        assert_eq!(parse::<Row>(before.as_bytes(), Path::new("l")).unwrap(), rows);
        let older = before.replacen(",kind,", ",", 1).replace(",,\"a \"\"quoted", ",\"a \"\"quoted");
        assert!(older != before && before != text);
        assert_eq!(parse::<Row>(older.as_bytes(), Path::new("l")).unwrap(), rows);
        let short = older.replacen(",7,paper,", ",7,", 1);
        let error = parse::<Row>(short.as_bytes(), Path::new("l")).unwrap_err();
        assert!(error.to_string().contains("17 fields where 18 are due"), "{error}");
    }

    #[test]
    fn what_is_not_a_table_is_refused_with_its_line_and_column() {
        let good = String::from_utf8(to_csv(&[row("m/a")])).unwrap();
        let twice = String::from_utf8(to_csv(&[row("m/a"), row("m/a")])).unwrap();
        for (text, part) in [
            (String::new(), "line 1: the file is empty"),
            ("claim,verdict\n".to_string(), "line 1: the columns are"),
            (format!("{good}<<<<<<< HEAD\n"), "line 4: 1 fields"),
            (good.replace("holds", "perhaps"), "`perhaps` is not a verdict"),
            (good.replace("0.25", "NaN"), "column `seconds`: `NaN`"),
            (good.replace(",12,", ",1.5,"), "column `n`"),
            (good.replace("m/a", ""), "column `claim` is empty"),
            (twice, "a second row for `m/a` at scale paper with seed 7"),
        ] {
            let error = parse::<Row>(text.as_bytes(), Path::new("ledger.csv")).unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }));
            assert!(error.to_string().contains(part), "{error}");
        }
        assert!(parse::<Row>(&[0xff, 0xfe, b'\n'], Path::new("l")).is_err());
    }
}
