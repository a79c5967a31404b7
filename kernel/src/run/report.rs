//! The verdicts of a run against the committed ones, and what went wrong, by notebook, cell and message.

use std::collections::{BTreeMap, BTreeSet};

use super::tables::Row;
use crate::progress::table;

/// One reason why a run fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Notebook.
    pub notebook: String,
    /// Cell id, or where else it happened.
    pub cell: String,
    /// What happened.
    pub message: String,
}

/// Which ledger rows were recorded during this run.
///
/// The ledger replaces rows, so a row of this run is one that differs from the row before the run, or one of a cell
/// that rewrote the ledger.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    before: BTreeMap<(String, String), Row>,
    claims: BTreeSet<(String, String)>,
    last: BTreeMap<String, String>,
}

impl Recorded {
    /// Starts from the ledger as it is before the run.
    pub fn new(rows: &[Row]) -> Self {
        Recorded {
            before: rows.iter().map(|row| (key(row), row.clone())).collect(),
            ..Default::default()
        }
    }

    /// Looks at the ledger after something was recorded; `cell` is the cell of `notebook` that rewrote it, if known.
    pub fn look(&mut self, rows: &[Row], notebook: &str, cell: Option<&str>) {
        for row in rows.iter().filter(|row| row.notebook == notebook) {
            let changed = self.before.get(&key(row)) != Some(row);
            if changed {
                self.last.insert(notebook.into(), row.claim.clone());
                self.before.insert(key(row), row.clone());
            }
            if changed || cell == Some(row.cell.as_str()) {
                self.claims.insert(key(row));
            }
        }
    }

    /// The claim that `notebook` recorded last.
    pub fn last_claim(&self, notebook: &str) -> Option<&str> {
        self.last.get(notebook).map(String::as_str)
    }

    /// Whether this row was recorded in this run.
    pub fn has(&self, row: &Row) -> bool {
        self.claims.contains(&key(row))
    }
}

fn key(row: &Row) -> (String, String) {
    (row.claim.clone(), row.scale.clone())
}

/// What a run is held to.
pub struct Baseline<'a> {
    /// Scale of the run.
    pub scale: &'a str,
    /// Committed verdicts of that scale.
    pub expected: &'a BTreeMap<String, String>,
    /// Notebook of each claim, from the registry.
    pub notebook_of: &'a BTreeMap<String, String>,
    /// Whether a claim without a committed verdict is a failure.
    pub strict: bool,
}

/// Verdicts of the notebooks that were run to their end.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Rows of this run.
    pub rows: Vec<Row>,
    /// Differences from the committed verdicts.
    pub problems: Vec<Problem>,
    /// Things worth saying that do not fail the run.
    pub remarks: Vec<String>,
}

/// Compares the ledger with the committed verdicts for the notebooks that finished.
pub fn compare(rows: &[Row], recorded: &Recorded, finished: &[String], baseline: &Baseline) -> Verdicts {
    let mut verdicts = Verdicts::default();
    let ours = rows
        .iter()
        .filter(|row| row.scale == baseline.scale && finished.contains(&row.notebook));
    let mut new = Vec::new();
    for row in ours {
        if !recorded.has(row) {
            verdicts.remarks.push(format!(
                "{}: {} has a row from an earlier run (cell {}) that this run did not renew",
                row.notebook, row.claim, row.cell
            ));
            continue;
        }
        let problem = |message| Problem {
            notebook: row.notebook.clone(),
            cell: row.cell.clone(),
            message,
        };
        match baseline.expected.get(&row.claim) {
            Some(verdict) if *verdict == row.verdict => {}
            Some(verdict) => verdicts.problems.push(problem(format!(
                "{}: verdict is \"{}\", committed is \"{verdict}\" ({}){}",
                row.claim,
                row.verdict,
                measured(row),
                if row.finding.is_empty() {
                    String::new()
                } else {
                    format!("; {}", row.finding)
                }
            ))),
            None if baseline.strict => verdicts.problems.push(problem(format!(
                "{}: no committed verdict for scale {}; look at it and run with --accept",
                row.claim, baseline.scale
            ))),
            None => new.push(row.claim.clone()),
        }
        verdicts.rows.push(row.clone());
    }
    if !new.is_empty() {
        verdicts.remarks.push(format!(
            "{} verdicts have no committed one at scale {} to compare with ({}); --accept commits them",
            new.len(),
            baseline.scale,
            first_few(&new)
        ));
    }
    for (claim, verdict) in baseline.expected {
        let Some(notebook) = baseline.notebook_of.get(claim) else {
            continue;
        };
        let there = verdicts.rows.iter().any(|row| row.claim == *claim);
        if finished.contains(notebook) && !there {
            verdicts.problems.push(Problem {
                notebook: notebook.clone(),
                cell: "(none)".into(),
                message: format!(
                    "{claim}: committed as \"{verdict}\" at scale {}, and no cell recorded it",
                    baseline.scale
                ),
            });
        }
    }
    verdicts
}

impl Verdicts {
    /// The table of verdicts.
    pub fn table(&self, expected: &BTreeMap<String, String>) -> String {
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let mark = match expected.get(&row.claim) {
                    Some(verdict) if *verdict == row.verdict => "",
                    Some(_) => "differs",
                    None => "new",
                };
                vec![
                    row.claim.clone(),
                    row.verdict.clone(),
                    row.expected.clone(),
                    measured(row),
                    mark.into(),
                ]
            })
            .collect();
        table(&["claim", "verdict", "document", "measured", ""], &rows, &[])
    }

    /// How many rows carry each verdict, as `12 holds, 1 fails`.
    pub fn counts(&self) -> String {
        const ORDER: [&str; 5] = [
            "holds",
            "holds with stated change",
            "fails",
            "inconclusive",
            "not tested",
        ];
        let count = |verdict: &str| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let parts: Vec<String> = ORDER
            .iter()
            .map(|verdict| (count(verdict), verdict))
            .filter(|(count, _)| *count > 0)
            .map(|(count, verdict)| format!("{count} {verdict}"))
            .collect();
        if parts.is_empty() {
            "no verdicts".into()
        } else {
            parts.join(", ")
        }
    }
}

/// `0.52 [0.50, 0.54]`, with four significant digits.
fn measured(row: &Row) -> String {
    let short = |text: &str| match text.parse::<f64>() {
        Ok(value) => significant(value),
        Err(_) => text.to_string(),
    };
    let value = short(&row.measured);
    if row.low.is_empty() || row.low == row.high {
        return value;
    }
    format!("{value} [{}, {}]", short(&row.low), short(&row.high))
}

/// A number with four significant digits, in the shorter of the two usual forms.
fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let power = value.abs().log10().floor() as i32;
    if (-4..6).contains(&power) {
        let decimals = (3 - power).max(0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            text
        }
    } else {
        format!("{value:.3e}")
    }
}

fn first_few(names: &[String]) -> String {
    let mut text = names.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > 3 {
        text.push_str(", ...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(claim: &str, verdict: &str, cell: &str) -> Row {
        Row {
            claim: claim.into(),
            verdict: verdict.into(),
            measured: "0.5".into(),
            low: "0.4".into(),
            high: "0.6".into(),
            scale: "quick".into(),
            seconds: "0.1".into(),
            notebook: "tour".into(),
            cell: cell.into(),
            ..Row::default()
        }
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect()
    }

    fn judge(rows: &[Row], expected: &[(&str, &str)], strict: bool) -> Verdicts {
        let mut recorded = Recorded::new(&[]);
        recorded.look(rows, "tour", None);
        let baseline = Baseline {
            scale: "quick",
            expected: &map(expected),
            notebook_of: &map(&[("a/1", "tour"), ("a/2", "tour"), ("b/1", "other")]),
            strict,
        };
        compare(rows, &recorded, &["tour".into()], &baseline)
    }

    #[test]
    fn a_verdict_that_differs_is_named_with_notebook_cell_and_numbers() {
        let verdicts = judge(&[row("a/1", "fails", "c1")], &[("a/1", "holds")], false);
        assert_eq!(verdicts.problems.len(), 1);
        let problem = &verdicts.problems[0];
        assert_eq!((problem.notebook.as_str(), problem.cell.as_str()), ("tour", "c1"));
        assert!(
            problem
                .message
                .contains("a/1: verdict is \"fails\", committed is \"holds\" (0.5 [0.4, 0.6])"),
            "{}",
            problem.message
        );
    }

    #[test]
    fn the_same_verdict_is_no_problem() {
        let verdicts = judge(&[row("a/1", "fails", "c1")], &[("a/1", "fails")], true);
        assert!(verdicts.problems.is_empty(), "{:?}", verdicts.problems);
        assert_eq!(verdicts.counts(), "1 fails");
    }

    #[test]
    fn a_committed_claim_that_no_cell_recorded_is_a_problem_of_its_own_notebook_only() {
        let committed = [("a/1", "holds"), ("a/2", "holds"), ("b/1", "holds")];
        let verdicts = judge(&[row("a/1", "holds", "c1")], &committed, false);
        assert_eq!(verdicts.problems.len(), 1);
        assert!(verdicts.problems[0].message.starts_with("a/2: committed"));
    }

    #[test]
    fn a_new_claim_is_a_remark_and_a_problem_when_strict() {
        let rows = [row("a/1", "holds", "c1")];
        let verdicts = judge(&rows, &[], false);
        assert!(verdicts.problems.is_empty());
        assert!(verdicts.remarks[0].contains("--accept"), "{:?}", verdicts.remarks);
        assert_eq!(judge(&rows, &[], true).problems.len(), 1);
    }

    #[test]
    fn rows_of_an_earlier_run_do_not_count() {
        let old = [row("a/1", "holds", "gone"), row("a/2", "holds", "c2")];
        let mut recorded = Recorded::new(&old);
        let mut now = old.to_vec();
        now[1].seconds = "0.2".into();
        recorded.look(&now, "tour", None);
        assert_eq!(recorded.last_claim("tour"), Some("a/2"));
        let baseline = Baseline {
            scale: "quick",
            expected: &map(&[("a/1", "holds"), ("a/2", "holds")]),
            notebook_of: &map(&[("a/1", "tour"), ("a/2", "tour")]),
            strict: false,
        };
        let verdicts = compare(&now, &recorded, &["tour".into()], &baseline);
        assert_eq!(verdicts.rows.len(), 1);
        assert_eq!(verdicts.problems.len(), 1);
        assert!(verdicts.remarks[0].contains("did not renew"));
    }

    #[test]
    fn a_cell_that_wrote_the_same_row_again_counts() {
        let rows = [row("a/1", "holds", "c1")];
        let mut recorded = Recorded::new(&rows);
        recorded.look(&rows, "tour", Some("c1"));
        assert!(recorded.has(&rows[0]));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(significant(0.123456), "0.1235");
        assert_eq!(significant(1234.56), "1235");
        assert_eq!(significant(2.0), "2");
        assert_eq!(significant(100000.0), "100000");
        assert_eq!(significant(1.5e-9), "1.500e-9");
    }
}
