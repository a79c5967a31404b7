//! Tables as they were before findings and runs had files of their own, for comparisons with the past.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use workbench_record::table::{self, Key, Line};
use workbench_record::{Error, Row, Scale, Tables, Verdict};

/// Tables of today's columns or of older ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// What they say.
    pub tables: Tables,
    /// Why findings cannot be compared, if they cannot.
    pub no_findings: Option<String>,
}

/// Reads the tables that `file` gives by name, today's strictly, a ledger of other columns as far as it names what a verdict is.
///
/// # Errors
/// Those of `file`, and [`Error::Corrupt`].
pub fn read<E: From<Error>>(folder: &Path, file: impl Fn(&str) -> Result<Option<Vec<u8>>, E>) -> Result<Read, E> {
    let mut read = Read::default();
    if let Some(bytes) = file(Row::FILE)? {
        let path = folder.join(Row::FILE);
        if has_columns_of::<Row>(&bytes) {
            read.tables.rows = table::parse(&bytes, &path)?;
        } else {
            read.tables.rows = rows(&bytes, &path)?;
            read.no_findings = Some("it is from before findings had a table".to_string());
        }
    }
    (read.tables.findings, read.no_findings) = match of_today(folder, &file)? {
        Ok(lines) if read.no_findings.is_none() || !lines.is_empty() => (lines, None),
        Ok(_) => (Vec::new(), read.no_findings),
        Err(why) => (Vec::new(), Some(why)),
    };
    read.tables.runs = of_today(folder, &file)?.unwrap_or_default();
    Ok(read)
}

/// The lines of a table of today's columns, none if there is no file, or the reason why it cannot be read as one.
fn of_today<L: Line, E: From<Error>>(
    folder: &Path,
    file: impl Fn(&str) -> Result<Option<Vec<u8>>, E>,
) -> Result<Result<Vec<L>, String>, E> {
    let mut parsed = Vec::new();
    for (name, bytes) in table::parts::<L, E>(file)? {
        if !has_columns_of::<L>(&bytes) {
            return Ok(Err(format!("its {name} has other columns than today's")));
        }
        parsed.push(table::parse::<L>(&bytes, &folder.join(name))?);
    }
    Ok(Ok(table::joined(parsed)))
}

fn has_columns_of<L: Line>(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = first.strip_suffix(b"\r").unwrap_or(first);
    first == L::COLUMNS.join(",").as_bytes()
}

/// The rows of a ledger with other columns than today's: claim, verdict, scale and seed it must have.
fn rows(bytes: &[u8], path: &Path) -> Result<Vec<Row>, Error> {
    let corrupt = |line: u64, problem: String| Error::Corrupt { path: PathBuf::from(path), line, problem };
    let told = |cause: csv::Error| corrupt(cause.position().map_or(1, csv::Position::line), cause.to_string());
    let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
    let header = reader.headers().map_err(told)?.clone();
    let column = |name: &str| header.iter().position(|column| column == name);
    let need =
        |name: &str| column(name).ok_or_else(|| corrupt(1, format!("it has no column `{name}`, so it is no ledger")));
    let (claim, verdict, scale, seed) = (need("claim")?, need("verdict")?, need("scale")?, need("seed")?);
    let (mut rows, mut seen) = (Vec::new(), HashSet::new());
    for record in reader.records() {
        let record = record.map_err(told)?;
        let line = record.position().map_or(1, csv::Position::line);
        let at = |column: usize| record.get(column).unwrap_or_default();
        let text = |name: &str| column(name).map_or("", at).to_string();
        let number = |name: &str| text(name).parse::<f64>().ok().filter(|x| x.is_finite());
        let verdict: Verdict = at(verdict).parse().map_err(|problem| corrupt(line, problem))?;
        let scale: Scale = at(scale).parse().map_err(|problem| corrupt(line, problem))?;
        let seed: u64 = at(seed).parse().map_err(|cause| corrupt(line, format!("column `seed`: {cause}")))?;
        let row = Row {
            verdict,
            expected: text("expected"),
            measured: number("measured"),
            low: number("low"),
            high: number("high"),
            n: text("n").parse().ok(),
            seconds: number("seconds").unwrap_or_default(),
            notebook: text("notebook"),
            cell: text("cell"),
            finding: text("finding"),
            change: text("change"),
            kind: text("kind").parse().ok(),
            see: text("see"),
            settled: text("settled"),
            note: text("note"),
            run: text("run"),
            statement: text("statement"),
            code: text("code"),
            ..Row::blank(at(claim), scale, seed)
        };
        let Key { name, .. } = row.key();
        if !seen.insert(row.key()) {
            return Err(corrupt(line, format!("a second row for `{name}` at scale {scale} with seed {seed}")));
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{record, workspace};
    use workbench_record::table::to_csv;
    use workbench_record::{FindingLine, Run};

    const OLD: &str = "claim,verdict,expected,measured,low,high,n,seed,scale,seconds,notebook,cell,finding,change,note\n\
                       m/a,holds,at most 1,0.5,inf,0.6,4,1,quick,0.6,memory-model,ca,\"a: measured 0.5, supports\",,\n\
                       m/b,fails,,,,,,2,paper,0.4,memory-model,cb,,,why\n";

    fn from(files: &[(&str, Vec<u8>)]) -> Result<Read, Error> {
        let find = |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, bytes)| bytes.clone());
        read(Path::new("then"), |name| Ok(find(name)))
    }

    #[test]
    fn a_ledger_of_fifteen_columns_still_gives_its_verdicts() {
        let read = from(&[("ledger.csv", OLD.into())]).unwrap();
        let told: Vec<_> = read.tables.rows.iter().map(|r| (r.claim.as_str(), r.verdict, r.scale, r.seed)).collect();
        assert_eq!(told, [("m/a", Verdict::Holds, Scale::Quick, 1), ("m/b", Verdict::Fails, Scale::Paper, 2)]);
        assert_eq!((read.tables.rows[0].measured, read.tables.rows[0].low), (Some(0.5), None));
        assert!(read.no_findings.unwrap().contains("before findings"));
    }

    #[test]
    fn tables_of_today_are_read_as_everywhere() {
        let (_folder, workspace) = workspace();
        let tables = record(&workspace);
        let files = [
            ("ledger.csv", to_csv(&tables.rows)),
            ("findings-quick.csv", to_csv(&tables.findings)),
            ("runs.csv", to_csv(&tables.runs)),
        ];
        let read = from(&files).unwrap();
        assert_eq!((&read.tables, &read.no_findings), (&tables, &None));
        let whole = [files[0].clone(), ("findings.csv", files[1].1.clone()), files[2].clone()];
        assert_eq!(from(&whole).unwrap(), read, "as all findings stood in one file before");
        // Findings and runs of some other form are left out, and that is said of findings.
        let other = [files[0].clone(), ("findings.csv", b"a,b\n".to_vec()), ("runs.csv", b"a,b\n".to_vec())];
        let read = from(&other).unwrap();
        assert_eq!((read.tables.findings.len(), read.tables.runs.len()), (0, 0));
        assert!(read.no_findings.unwrap().contains("findings.csv has other columns"));
        assert_eq!(from(&[]).unwrap(), Read::default());
        assert_ne!(FindingLine::COLUMNS, Run::COLUMNS);
    }

    #[test]
    fn what_is_no_ledger_is_refused_with_its_line() {
        let twice = format!("{OLD}{}\n", OLD.lines().nth(1).unwrap());
        for (text, part) in [
            (String::new(), "line 1: it has no column `claim`"),
            ("claim,scale,seed\n".to_string(), "no column `verdict`"),
            (OLD.replace(",holds,", ",true,"), "line 2: `true` is not a verdict"),
            (OLD.replace(",paper,", ",huge,"), "line 3: `huge` is not a scale"),
            (OLD.replace(",2,paper", ",two,paper"), "line 3: column `seed`"),
            (format!("{OLD}<<<<<<< HEAD\n"), "line 4"),
            (twice, "line 4: a second row for `m/a` at scale quick with seed 1"),
        ] {
            let error = from(&[("ledger.csv", text.into())]).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("ledger.csv"), "{error}");
        }
        let error = from(&[("findings.csv", format!("{}\nx\n", FindingLine::COLUMNS.join(",")).into())]).unwrap_err();
        assert!(error.to_string().contains("findings.csv, line 2"), "{error}");
    }
}
