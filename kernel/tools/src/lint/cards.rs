//! The cards that a notebook shows, held to the record: a reader must not find another verdict in a page than in its table.
//!
//! A card's plain text begins with its verdict in words and the claim's id, gives a line to each finding, and ends with the seed and
//! the scale at which it was computed. A preview, which never enters the record, is no such card.

use std::collections::BTreeSet;

use workbench_record::{FindingLine, Outcome, Registry, Role, Row, Scale, Tables, program};

use workbench_base::notebook::Notebook;

/// A card as a cell shows it.
struct Card<'a> {
    cell: &'a str,
    claim: String,
    seed: u64,
    scale: Scale,
    text: String,
}

impl Card<'_> {
    /// The card in a text; none if it is something else.
    fn read<'a>(cell: &'a str, text: String, registry: &Registry) -> Option<Card<'a>> {
        if text.lines().any(|line| line.starts_with("  Preview, not written")) {
            return None;
        }
        let claim = text.lines().nth(1)?.strip_prefix("  ")?.split_once(" (")?.0;
        let claim = registry.get(claim).ok()?.id.clone();
        let mut circumstances = text.lines().last()?.trim().split(" · ");
        let seed = circumstances.next()?.strip_prefix("seed ")?.parse().ok()?;
        let scale = circumstances.next()?.strip_prefix("scale ")?.parse().ok()?;
        Some(Card { cell, claim, seed, scale, text })
    }

    /// What is not as in the record.
    fn wrong(&self, tables: &Tables) -> Option<String> {
        let own = |claim: &str, seed, scale| claim == self.claim && (seed, scale) == (self.seed, self.scale);
        let Some(row) = tables.rows.iter().find(|row| own(&row.claim, row.seed, row.scale)) else {
            return Some(format!("the record has no row of scale {} and seed {}", self.scale, self.seed));
        };
        let said = row.verdict.said(row.kind);
        let begins = self.text.split_once(' ').is_some_and(|(_, text)| text.starts_with(said));
        if !begins {
            let first = self.text.lines().next().unwrap_or_default();
            let shown: String = first.chars().take(60).collect();
            return Some(format!("it begins with \"{shown}\", the record's verdict is \"{said}\""));
        }
        if self.text.lines().any(|line| line.starts_with("  Differs from the committed")) {
            return Some("it says that it differs from the committed verdict, and does not".into());
        }
        let mut findings = tables.findings.iter().filter(|finding| own(&finding.claim, finding.seed, finding.scale));
        let other = findings.find(|finding| !self.shows(finding))?;
        Some(format!("it has no line \"{}\" that {}", other.what, outcome(other.outcome)))
    }

    /// Whether a line has the finding, with its outcome.
    fn shows(&self, finding: &FindingLine) -> bool {
        if finding.role == Role::Twin {
            // A twin's words say what should have come out; its label is enough.
            return self.text.contains(&format!("{}: ", finding.what));
        }
        let mut lines = self.text.lines();
        lines.any(|line| {
            line.contains(&format!(" {}: ", finding.what)) && line.ends_with(&format!(": {}", finding.outcome.text()))
        })
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Supports => "supports the claim",
        Outcome::Contradicts => "contradicts it",
        Outcome::Undecided => "is undecided",
    }
}

/// What of a notebook's cards is not as in the record: another verdict, other findings, or no card where a row of paper scale names a
/// cell of this notebook.
pub fn cards(notebook: &Notebook, registry: &Registry, tables: &Tables) -> Vec<String> {
    let shown: Vec<Card> = notebook.shown().filter_map(|(cell, text)| Card::read(cell, text, registry)).collect();
    let name = notebook.name();
    let hint = format!("`{} run --scale paper --notebook {name}` shows it anew", program());
    let mut wrong: Vec<String> = shown
        .iter()
        .filter_map(|card| {
            let why = card.wrong(tables)?;
            Some(format!("cell {}: the card of {} is not the record's: {why}; {hint}", card.cell, card.claim))
        })
        .collect();
    let seen: BTreeSet<&str> = shown.iter().map(|card| card.claim.as_str()).collect();
    let missing = |row: &&Row| row.scale == Scale::Paper && row.notebook == name && !seen.contains(row.claim.as_str());
    let rows: BTreeSet<(&str, &str)> =
        tables.rows.iter().filter(missing).map(|row| (row.claim.as_str(), row.cell.as_str())).collect();
    wrong.extend(rows.into_iter().map(|(claim, cell)| match registry.get(claim) {
        Ok(_) => format!("cell {cell}: shows no card of {claim}; {hint}"),
        Err(_) => format!(
            "cell {cell}: the record has rows of {claim}, which claims.toml does not have; write its entry again, or take the cell out \
             and `{} run --accept`",
            program()
        ),
    }));
    for (cell, text) in notebook.shown() {
        let other = other_verdicts(&text, &name, tables);
        wrong.extend(other.into_iter().map(|why| format!("cell {cell}: {why}; {hint}")));
    }
    wrong
}

/// Lines of a notebook's summary, `✓ claim verdict ...` below `name, scale quick: ...`, that have another verdict than the record.
fn other_verdicts(text: &str, name: &str, tables: &Tables) -> Vec<String> {
    let mut lines = text.lines();
    let head = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(", scale ")?.split_once(':'));
    let Some(scale) = head.and_then(|(scale, _)| scale.parse::<Scale>().ok()) else { return Vec::new() };
    let wrong = |line: &str| {
        let (claim, said) = line.split_once(' ')?.1.split_once(' ')?;
        let row =
            tables.rows.iter().filter(|row| row.claim == claim && row.scale == scale).min_by_key(|row| row.seed)?;
        let right = said.trim_start().starts_with(&row.verdict.to_string());
        (!right).then(|| format!("the summary has another verdict of {claim} than the record, {}", row.verdict))
    };
    lines.filter_map(wrong).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;
    use workbench_record::Verdict;

    use super::*;
    use crate::fixtures::two_claims as registry;

    const CARD: &str = "✓ Holds as printed. A slope: 0.5 (expected: 0.5 ± 0.1).\n  m/a (Section 1)\n  ✓ a slope: 0.5, expected \
                        0.5 ± 0.1 (3 runs): supports\n  ✓ wrong form: a slope of one: 1, expected 0.5 ± 0.1: rejected, as it should \
                        be\n  seed 1 · scale paper · 0.1 s";

    fn tables() -> Tables {
        let mut tables = Tables::default();
        tables.rows.push(Row {
            verdict: Verdict::Holds,
            notebook: "n".into(),
            cell: "one".into(),
            ..Row::blank("m/a", Scale::Paper, 1)
        });
        for (role, what, outcome) in
            [(Role::Printed, "a slope", Outcome::Supports), (Role::Twin, "a slope of one", Outcome::Contradicts)]
        {
            tables.findings.push(FindingLine {
                claim: "m/a".into(),
                scale: Scale::Paper,
                seed: 1,
                role,
                what: what.into(),
                relation: "equals".into(),
                expected_low: None,
                expected_high: None,
                measured: 0.5,
                low: 0.4,
                high: 0.6,
                n: 3,
                unit: String::new(),
                outcome,
            });
        }
        tables
    }

    fn complaints(text: &str, tables: &Tables) -> Vec<String> {
        let notebook = json!({
            "cells": [{
                "cell_type": "code", "id": "one", "metadata": {}, "source": ["1"], "execution_count": 1,
                "outputs": [{"output_type": "display_data", "metadata": {}, "data": {"text/plain": [text]}}]
            }],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 5
        });
        let notebook = Notebook::parse(Path::new("n.ipynb"), &notebook.to_string()).unwrap();
        cards(&notebook, &registry(), tables)
    }

    #[test]
    fn a_card_says_what_the_record_says() {
        assert!(complaints(CARD, &tables()).is_empty(), "{:?}", complaints(CARD, &tables()));
        let mut other = tables();
        other.rows[0].verdict = Verdict::Inconclusive;
        let [said] = &complaints(CARD, &other)[..] else { panic!() };
        assert!(said.contains("cell one") && said.contains("Not decided"), "{said}");
        let mut other = tables();
        other.findings[0].outcome = Outcome::Undecided;
        let [said] = &complaints(CARD, &other)[..] else { panic!() };
        assert!(said.contains("\"a slope\" that is undecided"), "{said}");
        let mut other = tables();
        other.findings[1].what = "a slope of two".into();
        assert_eq!(complaints(CARD, &other).len(), 1);
    }

    #[test]
    fn a_summary_is_no_older_than_the_record() {
        let summary = "n, scale paper: 1 holds\n✓ m/a  holds  0.5, expected 0.5 ± 0.1\n✓ m/unknown  holds  1";
        assert!(other_verdicts(summary, "n", &tables()).is_empty());
        let mut other = tables();
        other.rows[0].verdict = Verdict::Fails;
        assert_eq!(other_verdicts(summary, "n", &other).len(), 1);
        assert!(other_verdicts(summary, "another", &other).is_empty());
    }

    #[test]
    fn old_remarks_other_seeds_and_missing_cards_are_told() {
        let differs = CARD.replace("  seed 1", "  Differs from the committed verdict: fails at scale paper\n  seed 1");
        assert!(complaints(&differs, &tables())[0].contains("says that it differs"));
        let seed = CARD.replace("seed 1", "seed 7");
        assert!(complaints(&seed, &tables())[0].contains("no row of scale paper and seed 7"));
        let preview = CARD.replace("  seed 1", "  Preview, not written to the ledger\n  seed 7");
        assert!(complaints(&preview, &tables())[0].contains("shows no card"));
        let missing = complaints("some table", &tables());
        assert!(missing[0].contains("shows no card of m/a") && missing.len() == 1, "{missing:?}");
        let mut gone = tables();
        gone.rows[0].claim = "m/gone".into();
        let said = complaints("some table", &gone);
        assert!(said[0].contains("rows of m/gone, which claims.toml does not have") && said.len() == 1, "{said:?}");
    }
}
