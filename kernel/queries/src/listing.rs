//! The list of claims as a table and as JSON.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use workbench_record::table::{Key, Line};
use workbench_record::{
    FindingLine, Kind, Row, Run, Scale, Tables, Verdict, expected_text, number, number_of_change, program,
};

use super::findings::by_key;
use super::fit::{self, Column};
use super::list::Item;
use super::present::{Present, runs};
use workbench_base::text::count;

const COLUMNS: [Column; 10] = [
    Column::whole("claim"),
    Column::cut("place", 8).spare(),
    Column::cut("verdict", 12),
    Column::whole("scale"),
    Column::whole("seed"),
    Column::cut("measured", 10),
    Column::cut("expected", 10),
    Column::cut("right", 10).spare(),
    Column::whole("computed").spare(),
    Column::cut("marks", 12),
];

/// The list as text, cut to `width` if there is one, and the counts below it.
pub fn text(items: &[Item], tables: &Tables, present: &Present, width: Option<usize>) -> String {
    let (runs, findings) = (runs(tables), by_key(&tables.findings));
    let lines: Vec<Vec<String>> = items.iter().map(|item| line(item, &runs, &findings, present)).collect();
    let counts = counts(items, &runs, present);
    if lines.is_empty() {
        return counts;
    }
    format!("{}\n\n{counts}", fit::table(&COLUMNS, &lines, width))
}

/// The number of the changed form, which answers that of the printed one.
fn right<'a>(row: &Row, findings: &HashMap<Key, Vec<&'a FindingLine>>) -> Option<&'a FindingLine> {
    findings.get(&row.key()).and_then(|lines| number_of_change(row, lines))
}

fn line(
    item: &Item,
    runs: &HashMap<&str, &Run>,
    findings: &HashMap<Key, Vec<&FindingLine>>,
    present: &Present,
) -> Vec<String> {
    let place = present.place(item.claim()).to_string();
    let group = match item {
        Item::Rows(group) => group,
        Item::Open(claim, reason) => {
            let mut cells = vec![claim.id.clone(), place, "open".to_string()];
            cells.resize(COLUMNS.len() - 1, String::new());
            cells.push(format!("open: {reason}"));
            return cells;
        }
    };
    let row = group.first;
    let mut marks = Vec::new();
    if group.split {
        marks.push("seeds differ".to_string());
    }
    marks.extend(group.remarks(|row| present.stale(row).map(|why| format!("stale: {why}"))));
    marks.extend(group.remarks(|row| older(row, runs, present).then(|| "older source".to_string())));
    if row.verdict == Verdict::NotTested && !row.note.is_empty() {
        marks.push(format!("not tested: {}", row.note));
    }
    if !row.see.is_empty() {
        marks.push(format!("see {}", row.see));
    }
    if !row.settled.is_empty() {
        marks.push(format!("settled by {}", row.settled));
    }
    // The date of the run, or its name where nothing describes it.
    let computed = match runs.get(row.run.as_str()) {
        Some(run) => run.start.split('T').next().unwrap_or_default().to_string(),
        None => row.run.clone(),
    };
    vec![
        row.claim.clone(),
        place,
        shown(row),
        row.scale.to_string(),
        group.seeds(),
        row.measured_text(),
        row.expected.clone(),
        right(row, findings).map_or(String::new(), |line| {
            format!("{}{}", number::with_interval(line.measured, line.low, line.high), expected_text(line))
        }),
        computed,
        marks.join("; "),
    ]
}

/// A verdict; of what is open, which of the two it is.
fn shown(row: &Row) -> String {
    match row.verdict {
        Verdict::Inconclusive => row.verdict.word(row.kind).to_string(),
        verdict => verdict.to_string(),
    }
}

fn older(row: &Row, runs: &HashMap<&str, &Run>, present: &Present) -> bool {
    present.is_older(runs.get(row.run.as_str()).copied())
}

/// How many rows and claims, with which verdicts, how many marked, and by which runs.
fn counts(items: &[Item], runs: &HashMap<&str, &Run>, present: &Present) -> String {
    let rows: Vec<&Row> = items
        .iter()
        .flat_map(|item| match item {
            Item::Rows(group) => group.rows.clone(),
            Item::Open(..) => Vec::new(),
        })
        .collect();
    let open = items.iter().filter(|item| matches!(item, Item::Open(..))).count();
    let claims: HashSet<&str> = rows.iter().map(|row| row.claim.as_str()).collect();
    let mut counted: Vec<(Verdict, String, usize)> = Vec::new();
    for row in &rows {
        let word = shown(row);
        match counted.iter_mut().find(|(_, known, _)| *known == word) {
            Some((.., n)) => *n += 1,
            None => counted.push((row.verdict, word, 1)),
        }
    }
    counted.sort();
    let mut parts: Vec<String> = counted.into_iter().map(|(_, word, n)| format!("{n} {word}")).collect();
    let split: HashSet<(&str, Scale)> = items
        .iter()
        .filter_map(|item| match item {
            Item::Rows(group) if group.split => Some((group.first.claim.as_str(), group.first.scale)),
            _ => None,
        })
        .collect();
    let stale = rows.iter().filter(|row| present.stale(row).is_some()).count();
    let older = rows.iter().filter(|row| older(row, runs, present)).count();
    for (n, what) in [(split.len(), "with seeds that differ"), (stale, "stale"), (older, "from an older source")] {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    }
    let mut text = format!("{} of {}", count(rows.len(), "row"), count(claims.len(), "claim"));
    if !parts.is_empty() {
        text += &format!(": {}", parts.join(", "));
    }
    text += &format!("; {} open", count(open, "claim"));
    if older > 0 {
        text += &format!(
            "\nolder source: other code of the crate has changed since, as it may without touching the check; \
             `{} run --changed` computes such rows again",
            program()
        );
    }
    let named: HashSet<&str> = rows.iter().map(|row| row.run.as_str()).filter(|run| !run.is_empty()).collect();
    // Names of runs begin with the time of their start.
    if let Some(latest) = named.iter().max() {
        text += &format!("\n{}, the latest {latest}", count(named.len(), "run"));
    }
    text
}

/// One row, or one claim without any (`verdict` is null there and `open` says why).
#[derive(Debug, Serialize)]
pub struct Object<'a> {
    claim: &'a str,
    place: &'a str,
    notebook: &'a str,
    verdict: Option<Verdict>,
    scale: Option<Scale>,
    seed: Option<u64>,
    seeds_differ: bool,
    measured: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    n: Option<u64>,
    expected: &'a str,
    right: Option<f64>,
    finding: &'a str,
    change: &'a str,
    kind: Option<Kind>,
    see: &'a str,
    settled: &'a str,
    note: &'a str,
    run: &'a str,
    start: Option<&'a str>,
    stale: Option<String>,
    older_source: bool,
    open: Option<&'a str>,
}

/// The list as objects.
pub fn json<'a>(items: &'a [Item<'a>], tables: &'a Tables, present: &'a Present) -> Vec<Object<'a>> {
    let (runs, findings) = (runs(tables), by_key(&tables.findings));
    let mut objects = Vec::new();
    for item in items {
        let place = present.place(item.claim());
        match item {
            Item::Rows(group) => objects.extend(group.rows.iter().map(|row| Object {
                claim: &row.claim,
                place,
                notebook: &row.notebook,
                verdict: Some(row.verdict),
                scale: Some(row.scale),
                seed: Some(row.seed),
                seeds_differ: group.split,
                measured: row.measured,
                low: row.low,
                high: row.high,
                n: row.n,
                expected: &row.expected,
                right: right(row, &findings).map(|line| line.measured),
                finding: &row.finding,
                change: &row.change,
                kind: row.kind,
                see: &row.see,
                settled: &row.settled,
                note: &row.note,
                run: &row.run,
                start: runs.get(row.run.as_str()).map(|run| run.start.as_str()),
                stale: present.stale(row).map(|why| why.to_string()),
                older_source: older(row, &runs, present),
                open: None,
            })),
            Item::Open(claim, reason) => objects.push(Object {
                claim: &claim.id,
                place,
                notebook: &claim.notebook,
                verdict: None,
                scale: None,
                seed: None,
                seeds_differ: false,
                measured: None,
                low: None,
                high: None,
                n: None,
                expected: "",
                right: None,
                finding: "",
                change: "",
                kind: None,
                see: "",
                settled: "",
                note: "",
                run: "",
                start: None,
                stale: None,
                older_source: false,
                open: Some(reason),
            }),
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::super::list::{ListArgs, select};
    use super::*;
    use crate::fixtures::{record, workspace};
    use workbench_record::{Outcome, Role};

    #[test]
    fn the_table_says_what_is_wrong_with_a_row() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let mut tables = record(&workspace);
        tables.rows[1].verdict = Verdict::NotTested;
        tables.rows[1].note = "no time".into();
        tables.rows[2].code = "another".into();
        tables.runs[0].source = "another".into();
        let items = select(&ListArgs::default(), &tables, &present).unwrap();
        let text = text(&items, &tables, &present, None);
        let line = |part: &str| text.lines().find(|line| line.contains(part)).unwrap();
        assert!(
            line("holds       quick  1")
                .contains("1.02 [1.01, 1.03]  1 ± 0.1   2026-11-22  seeds differ; older source")
        );
        assert!(line("not tested  quick  2").ends_with("seeds differ; older source; not tested: no time"), "{text}");
        // A column that no row fills is left out.
        assert!(!text.contains("right"), "{text}");
        assert!(line("m/b").contains("stale: the code of its check has changed since it was computed; older source"));
        assert!(line("m/open").ends_with("open: needs data that nobody has"));
        assert!(text.ends_with(
            "3 rows of 2 claims: 2 holds, 1 not tested, 1 with seeds that differ, 1 stale, 3 from an older source; \
             2 claims open\nolder source: other code of the crate has changed since, as it may without touching the check; \
             `cargo workbench run --changed` computes such rows again\n1 run, the latest r1"
        ));
    }

    #[test]
    fn a_run_that_nothing_describes_shows_by_name_and_an_empty_list_is_a_line() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let mut tables = record(&workspace);
        tables.runs.clear();
        let items = select(&ListArgs::default(), &tables, &present).unwrap();
        let told = text(&items, &tables, &present, None);
        assert!(told.lines().any(|line| line.starts_with("m/b") && line.ends_with("r1")), "{told}");
        assert_eq!(text(&[], &tables, &present, Some(80)), "0 rows of 0 claims; 0 claims open");
    }

    #[test]
    fn a_row_that_holds_when_changed_has_the_number_of_the_changed_form_beside_that_of_the_printed_one() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let mut tables = record(&workspace);
        tables.rows[0].verdict = Verdict::HoldsWithChange;
        tables.rows[0].change = "3 in the place of 2".into();
        let printed = FindingLine { outcome: Outcome::Contradicts, ..tables.findings[0].clone() };
        let (role, outcome) = (Role::Corrected, Outcome::Supports);
        let changed = FindingLine { role, outcome, measured: 0.25, low: 0.25, high: 0.25, ..printed.clone() };
        tables.findings = vec![printed, changed];
        let items = select(&ListArgs::default(), &tables, &present).unwrap();
        let text = text(&items, &tables, &present, None);
        assert!(text.lines().next().unwrap().contains("right"), "{text}");
        assert!(text.contains("0.25"), "{text}");
        let objects = serde_json::to_value(json(&items, &tables, &present)).unwrap();
        assert_eq!(objects[0]["right"], 0.25);
        assert!(objects[2]["right"].is_null());
    }

    #[test]
    fn objects_have_the_same_keys_for_rows_and_open_claims() {
        let (_folder, workspace) = workspace();
        let present = Present::read(&workspace).unwrap();
        let tables = record(&workspace);
        let items = select(&ListArgs::default(), &tables, &present).unwrap();
        let objects = serde_json::to_value(json(&items, &tables, &present)).unwrap();
        let objects = objects.as_array().unwrap();
        assert_eq!(objects.len(), 5);
        let keys = |at: usize| objects[at].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(0), keys(4));
        assert_eq!(objects[0]["verdict"], "holds");
        assert_eq!(objects[1]["seed"], 2);
        assert_eq!(objects[0]["start"], "2026-11-22T09:45:12Z");
        assert!(objects[4]["verdict"].is_null());
        assert_eq!(objects[4]["open"], "needs data that nobody has");
    }
}
