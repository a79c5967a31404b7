//! Reports of runs: as text, as JSON, as JUnit's XML.

use std::collections::BTreeMap;
use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use workbench_record::{Row, atomic, program};

use super::args::RunArgs;
use super::claims::coverage;
use super::judge::{Fault, Problem, disagreements};
use super::outcome::{INTERRUPTED, Outcome};
use workbench_base::error::{Error, Result};
use workbench_base::progress;
use workbench_base::text::{agree, count};
use workbench_setup::Ready;

/// Tells what the runs gave, in the forms that were asked for; returns the exit status.
pub fn tell(args: &RunArgs, ready: &Ready, results: &Path, outcomes: &[Outcome]) -> Result<i32> {
    let mut text = String::new();
    for outcome in outcomes {
        text += &in_words(outcome, outcomes.len() > 1);
    }
    let seeds = agreement(outcomes);
    text += &seeds.text;
    let mut status = outcomes.iter().map(Outcome::status).max().unwrap_or(0);
    if status == 0 && !seeds.differ.is_empty() {
        status = Fault::Verdict.status();
    }
    let scale = super::choose::scale(args.scale);
    if !args.no_coverage && status != INTERRUPTED && args.param.is_empty() {
        let earlier = if status == 0 { "" } else { ", with earlier rows for what this run did not compute" };
        text += &format!("\ncoverage of the record at scale {scale}{earlier}\n");
        text += &coverage(results, &ready.workspace, scale)?;
    }
    if args.json {
        eprint!("{text}");
        println!("{}", json(outcomes, &seeds, status));
    } else {
        print!("{text}");
    }
    if let Some(path) = &args.junit {
        let xml = junit(outcomes).to_string().map_err(|error| Error::Results {
            operation: "write the JUnit report",
            path: path.clone(),
            why: error.to_string(),
            hint: "report it",
        })?;
        atomic::write(path, xml.as_bytes()).map_err(|source| Error::io("write", path, source))?;
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.cancelled) {
        eprintln!(
            "stopped; notebooks and tables are whole. What was computed is kept: `{} run --resume {}` goes on",
            program(),
            outcome.run
        );
    }
    Ok(status)
}

/// Whether a report can be written to this file.
///
/// **Errors**: [`Error::Io`] if a folder stands there, or nothing can be written beside it.
pub fn has_place(file: &Path) -> Result<()> {
    let failed = |source| Error::io("write", file, source);
    if file.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    tempfile::tempfile_in(folder).map(drop).map_err(failed)
}

/// The verdicts, times and problems of one run.
fn in_words(outcome: &Outcome, one_of_many: bool) -> String {
    let mut text = String::from("\n");
    if one_of_many {
        text += &format!("seed {}\n\n", outcome.seed);
    }
    if !outcome.verdicts.rows.is_empty() {
        text += &format!("{}\n\n", outcome.verdicts.table(&outcome.expected));
    }
    if !outcome.scratch.is_empty() {
        let rows: Vec<Vec<String>> = outcome
            .scratch
            .iter()
            .map(|row| {
                vec![
                    row.claim.clone(),
                    row.verdict.to_string(),
                    row.note.clone(),
                    row.expected.clone(),
                    row.measured_text(),
                ]
            })
            .collect();
        let header = ["claim of one's own", "verdict", "statement", "expected", "measured"];
        text += &format!("{}\n\n", progress::table(&header, &rows, &[]));
    }
    let rows: Vec<Vec<String>> = outcome
        .notebooks
        .iter()
        .map(|time| {
            let slowest = time.slowest.as_ref();
            vec![
                time.notebook.clone(),
                match (time.failed, time.stopped) {
                    (true, _) => "FAILED",
                    (_, true) => "stopped",
                    _ => "ok",
                }
                .into(),
                time.cells.to_string(),
                progress::seconds(time.kernel_start_seconds),
                progress::seconds(time.seconds),
                slowest.map_or(String::new(), |(id, seconds)| format!("{id} {}", progress::seconds(*seconds))),
            ]
        })
        .collect();
    let header = ["notebook", "", "cells", "kernel start", "time", "slowest cell"];
    text += &format!("{}\n", progress::table(&header, &rows, &[2, 3, 4]));
    for remark in &outcome.verdicts.remarks {
        text += &format!("note: {remark}\n");
    }
    for problem in &outcome.problems {
        let Problem { notebook, cell, message, .. } = problem;
        let seed = if one_of_many { format!(", seed {}", outcome.seed) } else { String::new() };
        text += &format!("FAILED {notebook}, cell {cell}{seed}: {message}\n");
    }
    text + &format!(
        "\nrun {}: {}; {}, {}, {}\n",
        outcome.run,
        outcome.verdicts.counts(),
        count(outcome.notebooks.len(), "notebook"),
        count(outcome.problems.len(), "problem"),
        progress::seconds(outcome.seconds)
    )
}

/// Whether the seeds agree.
#[derive(Default)]
struct Agreement {
    text: String,
    differ: Vec<(String, String)>,
}

fn agreement(outcomes: &[Outcome]) -> Agreement {
    if outcomes.len() < 2 {
        return Agreement::default();
    }
    let runs: Vec<(u64, Vec<_>)> =
        outcomes.iter().map(|outcome| (outcome.seed, outcome.verdicts.rows.clone())).collect();
    let (differ, compared) = disagreements(&runs);
    let seeds: Vec<String> = outcomes.iter().map(|outcome| outcome.seed.to_string()).collect();
    let same = compared - differ.len();
    let mut text = format!(
        "\nseeds {}: {same} of {} {} the same verdict from each\n",
        seeds.join(", "),
        count(compared, "claim"),
        agree(same, "has", "have")
    );
    for (row, each) in &differ {
        text += &format!("FAILED {}: {}: {each}\n", row.notebook, row.claim);
    }
    Agreement { text, differ: differ.into_iter().map(|(row, each)| (row.claim, each)).collect() }
}

fn json(outcomes: &[Outcome], seeds: &Agreement, status: i32) -> String {
    let runs: Vec<serde_json::Value> = outcomes
        .iter()
        .map(|outcome| {
            serde_json::json!({
                "run": outcome.run,
                "seed": outcome.seed,
                "seconds": outcome.seconds,
                "stopped": outcome.cancelled,
                "verdicts": outcome.verdicts.rows,
                "right": outcome.verdicts.right,
                "scratch": outcome.scratch,
                "notebooks": outcome.notebooks,
                "problems": outcome.problems,
                "remarks": outcome.verdicts.remarks,
            })
        })
        .collect();
    let differ: BTreeMap<&str, &str> =
        seeds.differ.iter().map(|(claim, each)| (claim.as_str(), each.as_str())).collect();
    serde_json::json!({"status": status, "runs": runs, "seeds_differ": differ}).to_string()
}

/// A suite for each notebook and seed, a case for each claim and for each problem that is no claim's.
fn junit(outcomes: &[Outcome]) -> Report {
    let mut report = Report::new("workbench");
    for outcome in outcomes {
        for time in &outcome.notebooks {
            let name = format!("{} (seed {})", time.notebook, outcome.seed);
            let mut suite = TestSuite::new(name);
            suite.set_time(std::time::Duration::from_secs_f64(time.seconds));
            let problems = outcome.problems.iter().filter(|problem| problem.notebook == time.notebook);
            let (of_claims, others): (Vec<&Problem>, Vec<&Problem>) =
                problems.partition(|problem| problem.fault == Fault::Verdict);
            for row in outcome.verdicts.rows.iter().filter(|row| row.notebook == time.notebook) {
                let wrong = of_claims.iter().find(|problem| problem.message.starts_with(&format!("{}: ", row.claim)));
                let mut case = TestCase::new(row.claim.as_str(), status(wrong.copied(), NonSuccessKind::Failure));
                case.set_time(std::time::Duration::try_from_secs_f64(row.seconds).unwrap_or_default());
                case.set_system_out(told(row, outcome.verdicts.right.get(&row.claim)));
                suite.add_test_case(case);
            }
            let missing = of_claims.iter().filter(|problem| problem.cell == "(none)");
            for problem in others.iter().chain(missing) {
                let kind = match problem.fault {
                    Fault::Verdict => NonSuccessKind::Failure,
                    Fault::Cell | Fault::Machine => NonSuccessKind::Error,
                };
                suite.add_test_case(TestCase::new(format!("cell {}", problem.cell), status(Some(problem), kind)));
            }
            report.add_test_suite(suite);
        }
    }
    report
}

/// The verdict with the number that decided, and for a claim that holds with a change the change and its number.
fn told(row: &Row, right: Option<&String>) -> String {
    let right = right.map_or(String::new(), |right| format!("; with the change: {}: {right}", row.change));
    let expected = if row.expected.is_empty() { String::new() } else { format!(" (expected {})", row.expected) };
    format!("{}: {}{expected}{right}", row.verdict, row.measured_text())
}

fn status(problem: Option<&Problem>, kind: NonSuccessKind) -> TestCaseStatus {
    match problem {
        None => TestCaseStatus::success(),
        Some(problem) => {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_message(problem.message.as_str());
            status
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_record::{Scale, Verdict};

    use super::super::outcome::NotebookTime;

    fn outcome(seed: u64, verdict: Verdict) -> Outcome {
        let row = Row {
            verdict,
            notebook: "tour".into(),
            cell: "c1".into(),
            finding: "slope <a>".into(),
            ..Row::blank("a/1", Scale::Quick, seed)
        };
        let problems = if verdict == Verdict::Fails {
            vec![
                Problem {
                    fault: Fault::Verdict,
                    notebook: "tour".into(),
                    cell: "c1".into(),
                    message: "a/1: verdict is \"fails\"".into(),
                },
                Problem {
                    fault: Fault::Cell,
                    notebook: "tour".into(),
                    cell: "c2".into(),
                    message: "Panic: 1 < 0".into(),
                },
            ]
        } else {
            Vec::new()
        };
        Outcome {
            run: format!("r{seed}"),
            seed,
            problems,
            verdicts: super::super::judge::Verdicts { rows: vec![row], ..Default::default() },
            notebooks: vec![NotebookTime {
                notebook: "tour".into(),
                failed: false,
                stopped: false,
                cells: 2,
                kernel_start_seconds: 0.1,
                seconds: 1.5,
                slowest: Some(("c1".into(), 1.0)),
            }],
            ..Outcome::default()
        }
    }

    #[test]
    fn seeds_that_differ_are_said_in_words_and_in_json() {
        let outcomes = [outcome(1, Verdict::Holds), outcome(2, Verdict::Fails)];
        let seeds = agreement(&outcomes);
        assert!(seeds.text.contains("seeds 1, 2: 0 of 1 claim"), "{}", seeds.text);
        let json: serde_json::Value = serde_json::from_str(&json(&outcomes, &seeds, 3)).unwrap();
        assert_eq!(json["runs"][1]["verdicts"][0]["verdict"], "fails");
        assert_eq!(json["runs"][1]["problems"][1]["fault"], "cell");
        assert!(json["seeds_differ"]["a/1"].as_str().unwrap().contains("seed 2: fails"));
        assert!(agreement(&outcomes[..1]).text.is_empty());
        assert!(in_words(&outcomes[1], true).contains("FAILED tour, cell c1, seed 2: a/1: verdict is"));
        assert!(in_words(&outcomes[1], false).contains("FAILED tour, cell c1: a/1: verdict is"));
    }

    #[test]
    fn junit_has_a_case_for_each_claim_and_each_failed_cell() {
        let xml = junit(&[outcome(1, Verdict::Holds), outcome(2, Verdict::Fails)]).to_string().unwrap();
        assert!(xml.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{xml}");
        assert!(xml.contains("testsuite name=\"tour (seed 2)\""), "{xml}");
        assert!(xml.contains("Panic: 1 &lt; 0"), "{xml}");
    }

    #[test]
    fn a_misprint_has_both_numbers_in_json_and_xml() {
        let mut mended = outcome(1, Verdict::HoldsWithChange);
        mended.verdicts.rows[0].change = "2 should read 3".into();
        mended.verdicts.rows[0].expected = "2 ± 0.1".into();
        mended.verdicts.right.insert("a/1".into(), "0.25".into());
        let all = [mended];
        let xml = junit(&all).to_string().unwrap();
        assert!(xml.contains(" (expected 2 ± 0.1); with the change: 2 should read 3: 0.25</system-out>"), "{xml}");
        let json: serde_json::Value = serde_json::from_str(&json(&all, &Agreement::default(), 0)).unwrap();
        assert_eq!(json["runs"][0]["right"]["a/1"], "0.25");
    }

    #[test]
    fn a_notebook_that_was_stopped_is_not_ok() {
        let mut cut = outcome(1, Verdict::Holds);
        assert!(in_words(&cut, false).contains("tour      ok"));
        cut.notebooks[0].stopped = true;
        assert!(in_words(&cut, false).contains("tour      stopped"));
    }

    #[test]
    fn a_time_that_is_none_is_left_out_of_the_xml() {
        let mut strange = outcome(1, Verdict::Holds);
        for seconds in [-1.0, 1e300] {
            strange.verdicts.rows[0].seconds = seconds;
            assert!(junit(std::slice::from_ref(&strange)).to_string().is_ok());
        }
    }

    #[test]
    fn a_place_where_no_report_can_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        has_place(&folder.path().join("made/junit.xml")).unwrap();
        assert!(!folder.path().join("made/junit.xml").exists());
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        for wrong in [folder.path(), &file.join("junit.xml")] {
            let error = has_place(wrong).unwrap_err();
            assert!(error.to_string().starts_with("cannot write") && error.status() == 4, "{error}");
        }
    }

    #[test]
    fn the_worst_fault_is_the_status() {
        assert_eq!(outcome(1, Verdict::Holds).status(), 0);
        assert_eq!(outcome(1, Verdict::Fails).status(), 3);
    }
}
