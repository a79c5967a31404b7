//! The tables of the record as polars frames: the one form in which they are queried, shown and exported.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use workbench_record::{FindingLine, Note, Row, Run, Tables};

use super::Error;

/// Verdicts, findings, notes and runs as frames with the columns of their files.
#[derive(Clone, Debug)]
pub struct Frames {
    /// `ledger.csv`: a line for each claim, scale and seed.
    pub verdicts: DataFrame,
    /// `findings-quick.csv` and `findings-paper.csv`: a line for each comparison.
    pub findings: DataFrame,
    /// `notes.csv`: remarks of the checks.
    pub notes: DataFrame,
    /// `runs.csv`: who computed, from which source, where, when.
    pub runs: DataFrame,
}

impl Frames {
    /// # Errors
    /// [`Error::Table`] if polars refuses the columns.
    pub(crate) fn new(tables: &Tables) -> Result<Frames, Error> {
        Ok(Frames {
            verdicts: verdicts(&tables.rows)?,
            findings: findings(&tables.findings)?,
            notes: notes(&tables.notes)?,
            runs: runs(&tables.runs)?,
        })
    }
}

fn text<L>(lines: &[L], name: &str, of: impl Fn(&L) -> &str) -> Column {
    let values: Vec<&str> = lines.iter().map(of).collect();
    Series::new(name.into(), values).into()
}

fn number<L>(lines: &[L], name: &str, of: impl Fn(&L) -> Option<f64>) -> Column {
    let values: Vec<Option<f64>> = lines.iter().map(of).collect();
    Series::new(name.into(), values).into()
}

fn whole<L>(lines: &[L], name: &str, of: impl Fn(&L) -> Option<u64>) -> Column {
    let values: Vec<Option<u64>> = lines.iter().map(of).collect();
    Series::new(name.into(), values).into()
}

fn made(height: usize, columns: Vec<Column>) -> Result<DataFrame, Error> {
    DataFrame::new(height, columns)
        .map_err(|cause| Error::Table { operation: "building a frame of the record", problem: cause.to_string() })
}

/// The rows as a frame with the columns of `ledger.csv`: text, `f64`, and `u64` for `n` and `seed`.
///
/// # Errors
/// [`Error::Table`] if polars refuses the columns.
pub(crate) fn verdicts(rows: &[Row]) -> Result<DataFrame, Error> {
    made(
        rows.len(),
        vec![
            text(rows, "claim", |r| &r.claim),
            text(rows, "verdict", |r| r.verdict.text()),
            text(rows, "expected", |r| &r.expected),
            number(rows, "measured", |r| r.measured),
            number(rows, "low", |r| r.low),
            number(rows, "high", |r| r.high),
            whole(rows, "n", |r| r.n),
            whole(rows, "seed", |r| Some(r.seed)),
            text(rows, "scale", |r| r.scale.text()),
            number(rows, "seconds", |r| Some(r.seconds)),
            text(rows, "notebook", |r| &r.notebook),
            text(rows, "cell", |r| &r.cell),
            text(rows, "finding", |r| &r.finding),
            text(rows, "change", |r| &r.change),
            text(rows, "kind", |r| r.kind.map_or("", |kind| kind.text())),
            text(rows, "see", |r| &r.see),
            text(rows, "settled", |r| &r.settled),
            text(rows, "note", |r| &r.note),
            text(rows, "run", |r| &r.run),
            text(rows, "statement", |r| &r.statement),
            text(rows, "code", |r| &r.code),
        ],
    )
}

fn findings(lines: &[FindingLine]) -> Result<DataFrame, Error> {
    made(
        lines.len(),
        vec![
            text(lines, "claim", |l| &l.claim),
            text(lines, "scale", |l| l.scale.text()),
            whole(lines, "seed", |l| Some(l.seed)),
            text(lines, "role", |l| l.role.text()),
            text(lines, "what", |l| &l.what),
            text(lines, "relation", |l| &l.relation),
            number(lines, "expected_low", |l| l.expected_low),
            number(lines, "expected_high", |l| l.expected_high),
            number(lines, "measured", |l| Some(l.measured)),
            number(lines, "low", |l| Some(l.low)),
            number(lines, "high", |l| Some(l.high)),
            whole(lines, "n", |l| Some(l.n)),
            text(lines, "unit", |l| &l.unit),
            text(lines, "outcome", |l| l.outcome.text()),
        ],
    )
}

fn notes(lines: &[Note]) -> Result<DataFrame, Error> {
    made(
        lines.len(),
        vec![
            text(lines, "claim", |l| &l.claim),
            text(lines, "scale", |l| l.scale.text()),
            whole(lines, "seed", |l| Some(l.seed)),
            whole(lines, "place", |l| Some(l.place)),
            text(lines, "text", |l| &l.text),
        ],
    )
}

fn runs(lines: &[Run]) -> Result<DataFrame, Error> {
    let dirty: Vec<bool> = lines.iter().map(|l| l.dirty).collect();
    made(
        lines.len(),
        vec![
            text(lines, "run", |l| &l.run),
            text(lines, "commit", |l| &l.commit),
            Series::new("dirty".into(), dirty).into(),
            text(lines, "lock", |l| &l.lock),
            text(lines, "source", |l| &l.source),
            text(lines, "compiler", |l| &l.compiler),
            text(lines, "processor", |l| &l.processor),
            whole(lines, "cores", |l| Some(l.cores)),
            text(lines, "blas", |l| &l.blas),
            text(lines, "device", |l| &l.device),
            text(lines, "start", |l| &l.start),
            number(lines, "seconds", |l| Some(l.seconds)),
            text(lines, "scale", |l| l.scale.text()),
            whole(lines, "seed", |l| Some(l.seed)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::super::entry::{decide, tests::blank};
    use super::*;
    use crate::{Evidence, Finding};
    use workbench_record::{Entry, Line, Scale};

    fn columns<L: Line>(frame: &DataFrame) {
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|n| n.as_str()).collect();
        assert_eq!(names, L::COLUMNS);
    }

    #[test]
    fn columns_are_those_of_the_files() {
        let evidence = Evidence::of(Finding::identity("x", 0.5, 1.0)).note("a note");
        let Entry { row, findings, notes } = decide(blank("m/a", Scale::Quick), &evidence).unwrap();
        let tables = Tables { rows: vec![row, blank("m/b", Scale::Paper)], findings, notes, runs: Vec::new() };
        let frames = Frames::new(&tables).unwrap();
        columns::<Row>(&frames.verdicts);
        columns::<FindingLine>(&frames.findings);
        columns::<Note>(&frames.notes);
        columns::<Run>(&frames.runs);
        assert_eq!(frames.verdicts.height(), 2);
        assert_eq!(frames.verdicts.column("measured").unwrap().null_count(), 1);
        assert_eq!(frames.findings.column("measured").unwrap().f64().unwrap().get(0), Some(0.5));
        assert_eq!(frames.notes.height(), 1);
    }
}
