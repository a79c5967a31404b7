//! Effect of a fault on the answer of a claim: its verdict, the outcome of a finding, a number, or nothing.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use workbench_record::{FindingLine, Tables};

use super::ask::{Answer, End};

/// The most that a fault did to one answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// Another verdict.
    Verdict {
        /// Without the fault.
        before: String,
        /// With it.
        after: String,
    },
    /// A finding says something else, and the verdict is the same.
    Outcome {
        /// What it compares.
        what: String,
        /// Without the fault.
        before: String,
        /// With it.
        after: String,
    },
    /// The check panicked, or was ended by a signal.
    Panic(String),
    /// The check refused its own numbers, or a method did.
    Error(String),
    /// The check did not end.
    Endless,
    /// A number moved, and nothing that is decided by it.
    Moved(Moved),
    /// Numbers moved by their rounding.
    Rounded,
    /// Nothing.
    Nothing,
}

/// The finding that came nearest to saying something else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// What it compares.
    pub what: String,
    /// Measured without the fault.
    pub before: f64,
    /// Measured with it.
    pub after: f64,
    /// How far it moved, as a share of the way to another outcome; nothing where no bound is in the way.
    pub share: Option<f64>,
}

/// Places of the findings that two computations of the same check do not share: times, for example.
pub fn restless(one: &Tables, other: &Tables) -> BTreeSet<usize> {
    let pairs = one.findings.iter().zip(&other.findings).enumerate();
    pairs.filter(|(_, (a, b))| numbers(a) != numbers(b)).map(|(at, _)| at).collect()
}

/// Whether two computations wrote the same numbers down.
pub fn same_numbers(one: &[&FindingLine], other: &[&FindingLine]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| numbers(a) == numbers(b))
}

fn numbers(line: &FindingLine) -> [u64; 3] {
    [line.measured, line.low, line.high].map(f64::to_bits)
}

/// What the answer with a fault has that the one without has not; numbers of the findings in `restless` do not count.
pub fn difference(before: &Answer, after: &Answer, restless: &BTreeSet<usize>) -> Difference {
    match &after.end {
        End::Panicked(why) => return Difference::Panic(why.clone()),
        End::Refused(why) => return Difference::Error(why.clone()),
        End::Endless => return Difference::Endless,
        End::Judged => {}
    }
    let (old, new) = (&before.tables, &after.tables);
    let verdict = |tables: &Tables| tables.rows.first().map(|row| row.verdict.to_string()).unwrap_or_default();
    if verdict(old) != verdict(new) {
        return Difference::Verdict { before: verdict(old), after: verdict(new) };
    }
    let outcomes =
        |tables: &Tables| -> Vec<_> { tables.findings.iter().map(|line| (line.role, line.outcome)).collect() };
    if outcomes(old) != outcomes(new) {
        return outcome(old, new);
    }
    let pairs = old.findings.iter().zip(&new.findings).enumerate();
    let moved: Vec<_> = pairs.filter(|(at, (a, b))| !restless.contains(at) && numbers(a) != numbers(b)).collect();
    let beyond = moved.iter().filter(|(_, (a, b))| !is_rounding(a, b));
    let nearest = beyond.map(|(_, (a, b))| moved_of(a, b)).max_by(|a, b| {
        let key = |moved: &Moved| moved.share.unwrap_or(0.0);
        key(a).total_cmp(&key(b))
    });
    match nearest {
        Some(moved) => Difference::Moved(moved),
        None if !moved.is_empty() => Difference::Rounded,
        // What is said about numbers counts as a number, where the check says the same twice.
        None if restless.is_empty() && old.notes != new.notes => {
            Difference::Moved(Moved { what: "a remark".to_string(), before: 0.0, after: 0.0, share: None })
        }
        None => Difference::Nothing,
    }
}

fn outcome(old: &Tables, new: &Tables) -> Difference {
    let mut pairs = old.findings.iter().zip(&new.findings);
    let first = pairs.find(|(a, b)| (a.role, a.outcome) != (b.role, b.outcome));
    match first {
        Some((a, b)) => Difference::Outcome {
            what: a.what.clone(),
            before: a.outcome.text().to_string(),
            after: b.outcome.text().to_string(),
        },
        None => Difference::Outcome {
            what: "how many findings there are".to_string(),
            before: old.findings.len().to_string(),
            after: new.findings.len().to_string(),
        },
    }
}

/// Whether a finding's numbers are the same to ten digits; or, where an error of rounding is all that was measured, to twelve decimals and
/// without coming nearer to its bound by more than a hundredth of the way.
fn is_rounding(before: &FindingLine, after: &FindingLine) -> bool {
    let pairs = [(before.measured, after.measured), (before.low, after.low), (before.high, after.high)];
    let within = |digits: f64, decimals: f64| {
        pairs.iter().all(|(a, b)| {
            a.to_bits() == b.to_bits() || (a - b).abs() <= f64::max(digits * a.abs().max(b.abs()), decimals)
        })
    };
    within(1e-10, 0.0) || (within(0.0, 1e-12) && moved_of(before, after).share.is_none_or(|share| share < 0.01))
}

fn moved_of(before: &FindingLine, after: &FindingLine) -> Moved {
    let bounds = [before.expected_low, before.expected_high];
    let ways = bounds.into_iter().flatten().flat_map(|bound| {
        // Each end of the interval has its own way to the bound.
        [(before.low, after.low, bound), (before.high, after.high, bound)]
    });
    let shares = ways.filter_map(|(from, to, bound)| {
        let way = bound - from;
        let share = (to - from) / way;
        (way != 0.0 && share.is_finite() && share > 0.0).then_some(share)
    });
    Moved {
        what: before.what.clone(),
        before: before.measured,
        after: after.measured,
        share: shares.max_by(f64::total_cmp),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use workbench_record::{Outcome, Role, Row, Scale, Verdict};

    /// A judged answer with findings at most 1, one for each value.
    pub fn answer(verdict: Verdict, values: &[f64]) -> Answer {
        let row = Row { verdict, ..Row::blank("m/a", Scale::Quick, 1) };
        let findings = values.iter().map(|&value| FindingLine {
            claim: "m/a".into(),
            scale: Scale::Quick,
            seed: 1,
            role: Role::Printed,
            what: "error".into(),
            relation: "at most".into(),
            expected_low: None,
            expected_high: Some(1.0),
            measured: value,
            low: value,
            high: value,
            n: 1,
            unit: String::new(),
            outcome: if value <= 1.0 { Outcome::Supports } else { Outcome::Contradicts },
        });
        Answer {
            end: End::Judged,
            tables: Tables { rows: vec![row], findings: findings.collect(), ..Tables::default() },
            seconds: 1.0,
            reached: Vec::new(),
        }
    }

    #[test]
    fn the_most_that_a_fault_does_is_told() {
        let none = BTreeSet::new();
        let before = answer(Verdict::Holds, &[0.5, 0.2]);
        let of = |after: &Answer| difference(&before, after, &none);
        assert_eq!(of(&before.clone()), Difference::Nothing);
        assert!(
            matches!(of(&answer(Verdict::Fails, &[2.0, 0.2])), Difference::Verdict { after, .. } if after == "fails")
        );
        assert!(matches!(
            of(&answer(Verdict::Holds, &[2.0, 0.2])),
            Difference::Outcome { before, after, .. } if (before.as_str(), after.as_str()) == ("supports", "contradicts")
        ));
        assert!(matches!(of(&answer(Verdict::Holds, &[0.5])), Difference::Outcome { after, .. } if after == "1"));
        let Difference::Moved(moved) = of(&answer(Verdict::Holds, &[0.75, 0.3])) else {
            panic!("a number moved");
        };
        assert_eq!((moved.before, moved.after, moved.share), (0.5, 0.75, Some(0.5)));
    }

    #[test]
    fn rounding_is_told_apart_from_what_moved() {
        let of = |before: f64, after: f64| {
            difference(&answer(Verdict::Holds, &[before]), &answer(Verdict::Holds, &[after]), &BTreeSet::new())
        };
        assert_eq!(of(0.5, 0.5 + 1e-13), Difference::Rounded);
        assert_eq!(of(1e-15, 3e-14), Difference::Rounded);
        assert!(matches!(of(0.5, 0.5 + 1e-7), Difference::Moved(_)));
        assert!(matches!(of(1e-20, 1e-9), Difference::Moved(_)));
    }

    #[test]
    fn a_check_that_does_not_end_well_is_caught() {
        let before = answer(Verdict::Holds, &[0.5]);
        for end in [End::Panicked("p".into()), End::Refused("r".into()), End::Endless] {
            let after = Answer { end, ..answer(Verdict::Holds, &[0.5]) };
            let told = difference(&before, &after, &BTreeSet::new());
            assert!(!matches!(told, Difference::Moved(_) | Difference::Nothing), "{told:?}");
        }
    }

    #[test]
    fn numbers_that_never_are_the_same_do_not_count() {
        let (one, two) = (answer(Verdict::Holds, &[0.5, 0.2]), answer(Verdict::Holds, &[0.5, 0.3]));
        let times = restless(&one.tables, &two.tables);
        assert_eq!(times, BTreeSet::from([1]));
        assert_eq!(difference(&one, &two, &times), Difference::Nothing);
        let (a, b): (Vec<&FindingLine>, Vec<&FindingLine>) =
            (one.tables.findings.iter().collect(), two.tables.findings.iter().collect());
        assert!(same_numbers(&a, &a) && !same_numbers(&a, &b));
    }

    #[test]
    fn away_from_the_bound_is_no_share_of_the_way() {
        let (one, two) = (answer(Verdict::Holds, &[0.5]), answer(Verdict::Holds, &[0.25]));
        assert!(matches!(difference(&one, &two, &BTreeSet::new()), Difference::Moved(Moved { share: None, .. })));
    }
}
