//! Changes between the findings of two records.

use std::collections::HashMap;

use serde::Serialize;
use workbench_record::table::{Key, Line};
use workbench_record::{FindingLine, Outcome, Role};

use super::changes::{At, Change};

/// A finding of such a row: what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The row.
    #[serde(flatten)]
    pub at: At,
    /// Role of the finding.
    pub role: Role,
    /// What it compares.
    pub what: String,
}

/// A number that is another one in B.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    /// Where.
    #[serde(flatten)]
    pub at: Place,
    /// In A.
    pub a: f64,
    /// In B.
    pub b: f64,
    /// By how many half-widths of the wider interval; nothing where both numbers are exact.
    pub half_widths: Option<f64>,
    /// By which part of the larger number.
    pub relative: f64,
}

/// What is different between the findings of rows that both records have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// Findings whose number and interval have the same bits.
    pub same: usize,
    /// Findings that only A has.
    pub removed: Vec<Place>,
    /// Findings that only B has.
    pub added: Vec<Place>,
    /// Findings that say something else now.
    pub outcomes: Vec<Change<Place, Outcome>>,
    /// Findings that compare with something else now.
    pub predictions: Vec<Change<Place, String>>,
    /// Findings with another number or interval, the largest move first, exact numbers last.
    pub moved: Vec<Move>,
}

/// The findings of each row.
pub fn by_key(findings: &[FindingLine]) -> HashMap<Key, Vec<&FindingLine>> {
    let mut lines: HashMap<Key, Vec<&FindingLine>> = HashMap::new();
    for line in findings {
        lines.entry(line.key()).or_default().push(line);
    }
    lines
}

impl Findings {
    /// Puts the largest moves first.
    pub fn sort(&mut self) {
        self.moved.sort_by(|x, y| size(y).total_cmp(&size(x)));
    }

    /// Compares the findings of one row. Findings of one role and label are taken in their order.
    pub fn compare(&mut self, at: &At, a: &[&FindingLine], b: &[&FindingLine]) {
        let place = |line: &FindingLine| Place { at: at.clone(), role: line.role, what: line.what.clone() };
        let mut rest: HashMap<(Role, &str), Vec<&FindingLine>> = HashMap::new();
        for line in b.iter().rev() {
            rest.entry((line.role, &line.what)).or_default().push(line);
        }
        for line in a {
            let Some(other) = rest.get_mut(&(line.role, line.what.as_str())).and_then(Vec::pop) else {
                self.removed.push(place(line));
                continue;
            };
            if line.outcome != other.outcome {
                self.outcomes.push(Change { at: place(line), a: line.outcome, b: other.outcome });
            }
            let (before, after) = (prediction(line), prediction(other));
            if before != after {
                self.predictions.push(Change { at: place(line), a: before, b: after });
            }
            let bits = |line: &FindingLine| [line.measured, line.low, line.high].map(f64::to_bits);
            if bits(line) == bits(other) {
                self.same += 1;
                continue;
            }
            let by = (line.measured - other.measured).abs();
            let half = (line.high - line.low).abs().max((other.high - other.low).abs()) / 2.0;
            let largest = line.measured.abs().max(other.measured.abs());
            self.moved.push(Move {
                at: place(line),
                a: line.measured,
                b: other.measured,
                half_widths: (half > 0.0).then_some((by / half).min(f64::MAX)),
                relative: if by == 0.0 { 0.0 } else { (by / largest).min(f64::MAX) },
            });
        }
        // What was not taken, in the order of B.
        for line in b {
            let left = rest.get(&(line.role, line.what.as_str()));
            if left.is_some_and(|left| left.iter().any(|other| std::ptr::eq(*other, *line))) {
                self.added.push(place(line));
            }
        }
    }
}

/// `equals [0.9, 1.1]`, with `..` for an open end.
fn prediction(line: &FindingLine) -> String {
    let end = |end: Option<f64>| end.map_or("..".to_string(), workbench_record::number::shortest);
    format!("{} [{}, {}]", line.relation, end(line.expected_low), end(line.expected_high))
}

/// Half-widths first; exact numbers behind all of them, by their relative move.
fn size(moved: &Move) -> f64 {
    match moved.half_widths {
        Some(widths) => 1.0 + widths,
        None => (moved.relative / 4.0).min(0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::super::changes::Changes;
    use super::*;
    use crate::fixtures::finding;
    use workbench_record::{Row, Scale, Tables, Verdict};

    fn row(claim: &str, scale: Scale, seed: u64) -> Row {
        Row { verdict: Verdict::Holds, ..Row::blank(claim, scale, seed) }
    }

    fn between(a: &Tables, b: &Tables) -> Changes {
        Changes::between(a, b, |_| true, true)
    }

    const Q: Scale = Scale::Quick;

    #[test]
    fn findings_are_told_by_role_and_label_in_their_order() {
        let rows = vec![row("m/a", Q, 1)];
        let with = |findings: &[(&str, f64)]| Tables {
            findings: findings.iter().map(|(what, x)| finding(&rows[0], what, *x)).collect(),
            rows: rows.clone(),
            ..Tables::default()
        };
        let a = with(&[("twice", 1.0), ("twice", 2.0), ("gone", 1.0), ("bound", 1.0), ("says", 1.0)]);
        let mut b =
            with(&[("new", 1.0), ("twice", 1.0), ("twice", 2.5), ("bound", 1.0), ("says", 1.0), ("twice", 3.0)]);
        b.findings[3].expected_high = None;
        b.findings[4].outcome = Outcome::Contradicts;
        let found = between(&a, &b).findings.unwrap();
        let names = |places: &[Place]| places.iter().map(|place| place.what.clone()).collect::<Vec<_>>();
        assert_eq!(
            (names(&found.removed), names(&found.added)),
            (vec!["gone".into()], vec!["new".into(), "twice".into()])
        );
        assert_eq!((found.same, found.moved.len()), (3, 1));
        assert_eq!((found.outcomes[0].a, found.outcomes[0].b), (Outcome::Supports, Outcome::Contradicts));
        assert_eq!(found.predictions[0].b, "equals [0.9, ..]");
        assert!((found.moved[0].half_widths.unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(Changes::between(&a, &b, |_| true, false).findings, None);
    }

    #[test]
    fn exact_numbers_move_by_a_part_of_themselves_and_come_last() {
        let rows = vec![row("m/a", Q, 1)];
        let exact = |x: f64| {
            let mut line = finding(&rows[0], "exact", x);
            (line.low, line.high) = (x, x);
            line
        };
        let with = |x: f64, y: f64| Tables {
            findings: vec![exact(x), finding(&rows[0], "wide", y)],
            rows: rows.clone(),
            ..Tables::default()
        };
        let found = between(&with(1.0, 1.0), &with(4.0, 1.001)).findings.unwrap();
        let told: Vec<_> = found.moved.iter().map(|m| (m.at.what.as_str(), m.half_widths.is_some())).collect();
        assert_eq!(told, [("wide", true), ("exact", false)]);
        assert_eq!(found.moved[1].relative, 0.75);
        // The sign of a zero is no move, and neither number nor JSON becomes infinite.
        assert_eq!(between(&with(0.0, 1.0), &with(-0.0, 1.0)).findings.unwrap().moved[0].relative, 0.0);
        let huge = between(&with(f64::MIN, f64::MIN), &with(f64::MAX, f64::MAX)).findings.unwrap();
        assert!(huge.moved.iter().all(|m| m.relative.is_finite()));
    }
}
