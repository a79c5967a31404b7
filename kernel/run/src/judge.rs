//! The verdicts of a run against the registry and the committed ones, and what went wrong, by notebook, cell and message.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use workbench_record::number::rounded;
use workbench_record::{FindingLine, Row, Scale, Verdict, expected_text, number_of_change};

use workbench_base::progress::table;
use workbench_base::text::count;

/// What kind of thing went wrong; the most serious one decides the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// A verdict is another one than the committed, differs between seeds, or is missing.
    Verdict,
    /// A cell failed, and what comes after it did not run.
    Cell,
    /// Something outside the notebooks: a disk, a file in the way.
    Machine,
}

impl Fault {
    /// The exit status of a run whose worst fault this is.
    pub fn status(self) -> i32 {
        match self {
            Fault::Verdict => 1,
            Fault::Cell => 3,
            Fault::Machine => 4,
        }
    }
}

/// One reason why a run fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What kind of reason.
    pub fault: Fault,
    /// Notebook.
    pub notebook: String,
    /// Cell id, or where else it happened.
    pub cell: String,
    /// What happened.
    pub message: String,
}

/// What a run is held to.
pub struct Demands<'a> {
    /// Scale of the run.
    pub scale: Scale,
    /// Committed verdicts of that scale.
    pub expected: &'a BTreeMap<String, Verdict>,
    /// The claims that each notebook that ran to its end had to record.
    pub due: &'a BTreeMap<String, BTreeSet<String>>,
    /// Whether a claim without a committed verdict is a failure.
    pub strict: bool,
    /// Whether knobs were turned: then nothing is compared.
    pub turned: bool,
}

/// Verdicts of a run.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Rows that this run computed.
    pub rows: Vec<Row>,
    /// Of each claim that holds with a change, the number of the changed form.
    pub right: BTreeMap<String, String>,
    /// What is wrong with them.
    pub problems: Vec<Problem>,
    /// Things worth saying that do not fail the run.
    pub remarks: Vec<String>,
}

/// Holds the rows that a run computed to what was demanded of it.
pub fn judge(rows: Vec<Row>, demands: &Demands) -> Verdicts {
    let mut verdicts = Verdicts::default();
    let mut new = Vec::new();
    for row in &rows {
        let problem = |message| Problem {
            fault: Fault::Verdict,
            notebook: row.notebook.clone(),
            cell: row.cell.clone(),
            message,
        };
        match demands.expected.get(&row.claim) {
            Some(verdict) if *verdict == row.verdict => {}
            Some(verdict) => verdicts.problems.push(problem(format!(
                "{}: verdict is \"{}\", committed is \"{verdict}\" ({})",
                row.claim,
                row.verdict,
                deciding(row)
            ))),
            None if demands.strict => verdicts.problems.push(problem(format!(
                "{}: no committed verdict for scale {}; look at it and run with --accept",
                row.claim, demands.scale
            ))),
            None => new.push(row.claim.as_str()),
        }
    }
    if demands.turned {
        let none = "knobs were turned, so no verdict is compared with a committed one, and none is committed";
        verdicts.remarks.push(none.to_string());
    } else if !new.is_empty() {
        verdicts.remarks.push(format!(
            "{} without a committed one at scale {} to compare with ({}); --accept commits what is found",
            count(new.len(), "verdict"),
            demands.scale,
            first_few(&new)
        ));
    }
    let computed: BTreeSet<&str> = rows.iter().map(|row| row.claim.as_str()).collect();
    for (notebook, due) in demands.due {
        for claim in due.iter().filter(|claim| !computed.contains(claim.as_str())) {
            let committed = match demands.expected.get(claim) {
                Some(verdict) => format!(" (committed as \"{verdict}\" at scale {})", demands.scale),
                None => String::new(),
            };
            verdicts.problems.push(Problem {
                fault: Fault::Verdict,
                notebook: notebook.clone(),
                cell: "(none)".into(),
                message: format!("{claim}: no cell recorded it{committed}"),
            });
        }
    }
    verdicts.rows = rows;
    verdicts
}

impl Verdicts {
    /// Takes the numbers of the changed forms from the findings of the run.
    pub fn answer(&mut self, findings: &[FindingLine]) {
        let of = |row: &Row| findings.iter().filter(|line| line.claim == row.claim).collect::<Vec<_>>();
        let right = |row: &Row| {
            let line = number_of_change(row, &of(row))?;
            Some((row.claim.clone(), format!("{}{}", rounded(line.measured, 4), expected_text(line))))
        };
        self.right = self.rows.iter().filter_map(right).collect();
    }

    /// The table of verdicts.
    pub fn table(&self, expected: &BTreeMap<String, Verdict>) -> String {
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| {
                let mark = match expected.get(&row.claim) {
                    Some(verdict) if *verdict == row.verdict => "",
                    Some(_) => "differs",
                    None => "new",
                };
                let right = self.right.get(&row.claim).cloned().unwrap_or_default();
                vec![
                    row.claim.clone(),
                    row.verdict.to_string(),
                    row.expected.clone(),
                    measured(row),
                    right,
                    mark.into(),
                ]
            })
            .collect();
        table(&["claim", "verdict", "document", "measured", "right", ""], &rows, &[])
    }

    /// How many rows carry each verdict, as `12 holds, 1 fails`.
    pub fn counts(&self) -> String {
        let count = |verdict: Verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        let parts: Vec<String> = Verdict::ALL
            .into_iter()
            .filter(|verdict| count(*verdict) > 0)
            .map(|verdict| format!("{} {verdict}", count(verdict)))
            .collect();
        if parts.is_empty() { "no verdicts".into() } else { parts.join(", ") }
    }
}

/// The claims on which runs of several seeds do not agree, with the verdict of each seed; and how many were compared.
pub fn disagreements(runs: &[(u64, Vec<Row>)]) -> (Vec<(Row, String)>, usize) {
    let mut by_claim: BTreeMap<&str, Vec<(u64, &Row)>> = BTreeMap::new();
    for (seed, rows) in runs {
        for row in rows {
            by_claim.entry(&row.claim).or_default().push((*seed, row));
        }
    }
    let differ =
        by_claim.values().filter(|rows| rows.iter().any(|(_, row)| row.verdict != rows[0].1.verdict)).map(|rows| {
            let each: Vec<String> =
                rows.iter().map(|(seed, row)| format!("seed {seed}: {} ({})", row.verdict, deciding(row))).collect();
            (rows[0].1.clone(), each.join("; "))
        });
    (differ.collect(), by_claim.len())
}

/// `slope: 0.52 [0.50, 0.54], expected 0.5 ± 0.1`, or why it was not tested.
fn deciding(row: &Row) -> String {
    if row.verdict == Verdict::NotTested {
        return row.note.clone();
    }
    format!("{}: {}, expected {}", row.finding, measured(row), row.expected)
}

/// `0.52 [0.50, 0.54]`, with four significant digits.
fn measured(row: &Row) -> String {
    let Some(value) = row.measured else {
        return String::new();
    };
    let value = rounded(value, 4);
    match (row.low, row.high) {
        (Some(low), Some(high)) if low != high => format!("{value} [{}, {}]", rounded(low, 4), rounded(high, 4)),
        _ => value,
    }
}

fn first_few(names: &[&str]) -> String {
    let mut text = names.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    if names.len() > 3 {
        text.push_str(", ...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(claim: &str, verdict: Verdict) -> Row {
        Row {
            verdict,
            measured: Some(0.5),
            low: Some(0.4),
            high: Some(0.6),
            expected: "1 ± 0.1".into(),
            finding: "slope".into(),
            notebook: "tour".into(),
            cell: "c1".into(),
            ..Row::blank(claim, Scale::Quick, 1)
        }
    }

    fn judged(rows: &[Row], expected: &[(&str, Verdict)], strict: bool) -> Verdicts {
        let expected = expected.iter().map(|(claim, verdict)| (claim.to_string(), *verdict)).collect();
        let due = ["a/1".to_string(), "a/2".to_string()];
        judge(
            rows.to_vec(),
            &Demands {
                scale: Scale::Quick,
                expected: &expected,
                due: &BTreeMap::from([("tour".to_string(), BTreeSet::from(due))]),
                strict,
                turned: false,
            },
        )
    }

    fn both(first: Verdict) -> [Row; 2] {
        [row("a/1", first), row("a/2", Verdict::Holds)]
    }

    #[test]
    fn a_verdict_that_differs_is_named_with_notebook_cell_and_numbers() {
        let verdicts = judged(&both(Verdict::Fails), &[("a/1", Verdict::Holds)], false);
        assert_eq!(verdicts.problems.len(), 1);
        let problem = &verdicts.problems[0];
        assert_eq!((problem.notebook.as_str(), problem.cell.as_str()), ("tour", "c1"));
        let told = "a/1: verdict is \"fails\", committed is \"holds\" (slope: 0.5 [0.4, 0.6], expected 1 ± 0.1)";
        assert_eq!(problem.message, told);
    }

    #[test]
    fn the_same_verdict_is_no_problem() {
        let expected = [("a/1", Verdict::Fails), ("a/2", Verdict::Holds)];
        let verdicts = judged(&both(Verdict::Fails), &expected, true);
        assert!(verdicts.problems.is_empty(), "{:?}", verdicts.problems);
        assert_eq!(verdicts.counts(), "1 holds, 1 fails");
    }

    #[test]
    fn a_claim_that_no_cell_recorded_is_a_problem_with_and_without_a_committed_verdict() {
        let one = [row("a/1", Verdict::Holds)];
        for expected in [&[][..], &[("a/2", Verdict::Holds)]] {
            let verdicts = judged(&one, expected, false);
            assert_eq!(verdicts.problems.len(), 1, "{:?}", verdicts.problems);
            assert!(verdicts.problems[0].message.starts_with("a/2: no cell recorded it"));
        }
    }

    #[test]
    fn a_new_claim_is_a_remark_and_a_problem_when_strict() {
        let rows = both(Verdict::Holds);
        let verdicts = judged(&rows, &[], false);
        assert!(verdicts.problems.is_empty());
        assert!(verdicts.remarks[0].contains("--accept"), "{:?}", verdicts.remarks);
        assert_eq!(judged(&rows, &[], true).problems.len(), 2);
    }

    #[test]
    fn of_turned_knobs_nothing_is_compared_and_it_is_said() {
        let (expected, due) = (BTreeMap::new(), BTreeMap::new());
        let demands = Demands { scale: Scale::Quick, expected: &expected, due: &due, strict: false, turned: true };
        let verdicts = judge(both(Verdict::Holds).to_vec(), &demands);
        assert!(verdicts.problems.is_empty());
        let [remark] = &verdicts.remarks[..] else { panic!("{:?}", verdicts.remarks) };
        assert!(remark.contains("none is committed") && !remark.contains("--accept"), "{remark}");
    }

    #[test]
    fn seeds_that_disagree_are_named() {
        let runs = [(1, both(Verdict::Holds).to_vec()), (2, both(Verdict::Inconclusive).to_vec())];
        let (differ, compared) = disagreements(&runs);
        assert_eq!((differ.len(), compared), (1, 2));
        assert_eq!(differ[0].0.claim, "a/1");
        assert!(differ[0].1.starts_with("seed 1: holds (slope"), "{}", differ[0].1);
        assert!(differ[0].1.contains("seed 2: inconclusive"), "{}", differ[0].1);
    }

    #[test]
    fn the_worst_fault_decides() {
        assert!(Fault::Machine > Fault::Cell && Fault::Cell > Fault::Verdict);
        assert_eq!([Fault::Verdict, Fault::Cell, Fault::Machine].map(Fault::status), [1, 3, 4]);
    }
}
