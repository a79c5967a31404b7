//! The two numbers of a claim that does not hold as printed: the one that speaks against the printed form, and the one that answers it.

use std::collections::BTreeSet;

use super::number::rounded;
use super::{FindingLine, Outcome, Role, Row};

/// Of the findings of a row, the one that speaks most plainly against the printed form, and the one that answers it for the changed form.
///
/// Against it speaks the finding that decided, or else the first; the answer is the changed one whose words are mostly the same, or else
/// the first.
pub fn printed_and_right<'a>(
    row: &Row,
    lines: &[&'a FindingLine],
) -> (Option<&'a FindingLine>, Option<&'a FindingLine>) {
    let against = |line: &&&FindingLine| line.role == Role::Printed && line.outcome == Outcome::Contradicts;
    let deciding = lines.iter().filter(against).find(|line| line.what == row.finding);
    let printed = deciding.or_else(|| lines.iter().find(against)).copied();
    (printed, answer(lines, printed))
}

/// The number of the changed form; nothing of a claim that holds as printed.
pub fn number_of_change<'a>(row: &Row, lines: &[&'a FindingLine]) -> Option<&'a FindingLine> {
    printed_and_right(row, lines).1.filter(|_| !row.change.is_empty())
}

/// What a finding should come to, where that is one number: behind a number of a changed form, ` (expected 0.368)`, and nothing else.
pub fn expected_text(line: &FindingLine) -> String {
    match (line.relation.as_str(), line.expected_low, line.expected_high) {
        ("equals" | "near", Some(low), Some(high)) => format!(" (expected {})", rounded(0.5 * (low + high), 4)),
        _ => String::new(),
    }
}

fn answer<'a>(lines: &[&'a FindingLine], against: Option<&'a FindingLine>) -> Option<&'a FindingLine> {
    fn words(text: &str) -> BTreeSet<&str> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
    }
    let asked = words(against.map_or("", |line| &line.what));
    // Words in common, in thousandths of all; what is said of the printed form once more is no answer.
    let alike = |line: &&&FindingLine| {
        let own = words(&line.what);
        let common = 1000 * asked.intersection(&own).count() / asked.union(&own).count().max(1);
        if common < 500 || own.contains("printed") { 0 } else { common }
    };
    // What holds as printed too says nothing of the change.
    let is_printed = |line: &&&FindingLine| {
        let mut printed = lines.iter().filter(|l| (l.role, l.outcome) == (Role::Printed, Outcome::Supports));
        printed.any(|l| (&l.what, l.measured.to_bits()) == (&line.what, line.measured.to_bits()))
    };
    let supports = |line: &&&FindingLine| line.role == Role::Corrected && line.outcome == Outcome::Supports;
    let changed = lines.iter().filter(|line| supports(line) && !is_printed(line));
    // Of those that are alike, the last of the reversed, which is the first.
    changed.rev().max_by_key(alike).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;

    fn line(what: &str, role: Role, outcome: Outcome) -> FindingLine {
        FindingLine {
            claim: "m/a".into(),
            scale: Scale::Paper,
            seed: 1,
            role,
            what: what.into(),
            relation: "at most".into(),
            expected_low: None,
            expected_high: Some(1.0),
            measured: 3.0,
            low: 3.0,
            high: 3.0,
            n: 1,
            unit: String::new(),
            outcome,
        }
    }

    #[test]
    fn the_answer_to_a_number_is_the_changed_one_that_speaks_of_the_same() {
        let changed = |what: &str| line(what, Role::Corrected, Outcome::Supports);
        let against = line("last sign as printed, r = 2: ln of the quotient", Role::Printed, Outcome::Contradicts);
        let first = changed("second sign with 1/r: largest quotient");
        let same = changed("last sign with 1/r: ln of the quotient");
        let printed = changed("last sign as printed, r = 3: ln of the quotient");
        let row = Row::blank("m/a", Scale::Paper, 1);
        let found = |lines: &[&FindingLine]| {
            let lines = [&[&against], lines].concat();
            let (printed, right) = printed_and_right(&row, &lines);
            assert_eq!(printed, Some(&against));
            right.map(|line| line.what.clone())
        };
        assert_eq!(found(&[&first, &printed, &same]), Some(same.what.clone()));
        assert_eq!(found(&[&first, &printed]), Some(first.what.clone()));
        let twice = line(&same.what, Role::Printed, Outcome::Supports);
        assert_eq!(found(&[&twice, &same, &first]), Some(first.what.clone()));
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn against_the_printed_form_speaks_what_decided() {
        let mut row = Row::blank("m/a", Scale::Paper, 1);
        let against = |what: &str| line(what, Role::Printed, Outcome::Contradicts);
        let (first, second) = (against("slope"), against("height"));
        let lines = [&first, &second];
        assert_eq!(printed_and_right(&row, &lines).0, Some(&first));
        row.finding = "height".into();
        assert_eq!(printed_and_right(&row, &lines), (Some(&second), None));
    }
}
