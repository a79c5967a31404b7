//! One family-wise level for all findings of a run, by Holm's step-down.
//!
//! Every interval is stated at 99.9 % or more, so a decision that comes out wrong has a chance of at most one in 2,000. Over a thousand
//! findings that alone promises little. Holm's procedure turns the chances into one promise for all of them together, whatever depends
//! on what: in the order of their chances p₁ ≤ p₂ ≤ … ≤ pₘ the i-th decision stands as long as pᵢ ≤ α / (m − i + 1). With
//! [`LEVEL`] for α, the chance that *any* decision that stands is wrong is at most 5 %.
//!
//! A finding's chance is read off its interval: the distance of the estimate from the nearest bound of what is expected, in half-widths
//! on that side, as multiples of the quantile of Student's t with n − 1 degrees of freedom (at most 1,000, which errs on the safe side).
//! This takes the interval for one of a mean; for bootstrap intervals and proportions it is an approximation away from its ends.
//!
//! What is only shown beside (the role `aside`) turns no verdict, and is no member of a family.

use std::collections::HashMap;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Scale;
use super::finding::{FindingLine, Outcome, Role};
use super::words::{agree, count};

/// The chance that some decision that stands is wrong.
pub const LEVEL: f64 = 0.05;
/// The chance on each side of the intervals that findings state.
const TAIL: f64 = 0.0005;
/// Degrees of freedom beyond which Student's t is not followed.
const MOST: u64 = 1_000;

/// The findings of one scale and seed that have an interval and a say in a verdict, as one family.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Scale of the runs.
    pub scale: Scale,
    /// Their seed.
    pub seed: u64,
    /// Findings with an interval, none of them only shown.
    pub findings: usize,
    /// Those that their own interval decides.
    pub decided: usize,
    /// Decisions that do not stand at the level of the family: claim, what is compared, and the chance of a wrong one.
    pub lost: Vec<(String, String, f64)>,
}

impl Family {
    /// The families in a table, by scale and seed.
    ///
    /// Cost: one sort of the findings, and a tail of Student's t for each.
    pub fn all(findings: &[FindingLine]) -> Vec<Family> {
        let mut runs: Vec<(Scale, u64)> = findings.iter().map(|line| (line.scale, line.seed)).collect();
        runs.sort_unstable();
        runs.dedup();
        runs.into_iter().map(|(scale, seed)| Family::of(findings, scale, seed)).collect()
    }

    fn of(findings: &[FindingLine], scale: Scale, seed: u64) -> Family {
        let mut tails = Tails::default();
        let mut chances: Vec<(f64, bool, &FindingLine)> = findings
            .iter()
            .filter(|line| (line.scale, line.seed) == (scale, seed) && line.role != Role::Aside)
            .filter_map(|line| {
                let (chance, decided) = tails.chance(line)?;
                Some((chance, decided, line))
            })
            .collect();
        chances.sort_by(|a, b| a.0.total_cmp(&b.0));
        let m = chances.len();
        let stand = (0..m).find(|&i| chances[i].0 > LEVEL / (m - i) as f64).unwrap_or(m);
        let lost = chances[stand..].iter().filter(|(_, decided, _)| *decided);
        Family {
            scale,
            seed,
            findings: m,
            decided: chances.iter().filter(|(_, decided, _)| *decided).count(),
            lost: lost.map(|(chance, _, line)| (line.claim.clone(), line.what.clone(), *chance)).collect(),
        }
    }

    /// One line for a summary.
    pub fn text(&self) -> String {
        let (scale, seed) = (self.scale, self.seed);
        let stand = self.decided - self.lost.len();
        let all = match self.lost.len() {
            0 => format!("all {} {}", count(stand, "decided one"), agree(stand, "stands", "stand")),
            lost => format!("{} {}, {lost} would not", count(stand, "decided one"), agree(stand, "stands", "stand")),
        };
        format!(
            "scale {scale}, seed {seed}: of {} with an interval {all} at a family-wise level of {} % (Holm)",
            count(self.findings, "finding"),
            100.0 * LEVEL
        )
    }
}

/// Student's t for each number of units.
#[derive(Default)]
struct Tails {
    known: HashMap<u64, (StudentsT, f64)>,
}

impl Tails {
    /// The chance that a finding's decision is wrong, and whether its interval decides it; none if it has no interval.
    fn chance(&mut self, line: &FindingLine) -> Option<(f64, bool)> {
        let FindingLine { measured, low, high, .. } = *line;
        if low == high || !(low.is_finite() && high.is_finite() && measured.is_finite()) {
            return None;
        }
        let bounds: Vec<f64> = [line.expected_low, line.expected_high].into_iter().flatten().collect();
        // In half-widths on the side of the bound.
        let far = |bound: &f64| {
            let half = if measured > *bound { measured - low } else { high - measured };
            match measured == *bound {
                true => 0.0,
                false => (measured - bound).abs() / half,
            }
        };
        let distances: Vec<f64> = bounds.iter().filter(|bound| bound.is_finite()).map(far).collect();
        let inside = line.expected_low.is_none_or(|bound| measured >= bound)
            && line.expected_high.is_none_or(|bound| measured <= bound);
        let decided = line.outcome != Outcome::Undecided && distances.iter().all(|&distance| distance >= 1.0 - 1e-9);
        let tails = distances.into_iter().map(|distance| self.tail(line.n, distance));
        let chance = match inside {
            true => tails.sum(),
            false => tails.fold(0.0, f64::max),
        };
        Some((chance, decided))
    }

    /// P(T > k t) for Student's t of n units, where t is the quantile that the interval was made with.
    fn tail(&mut self, n: u64, k: f64) -> f64 {
        let dof = n.saturating_sub(1).clamp(1, MOST);
        let Some((student, quantile)) = self.student(dof) else {
            // Not reached: the degrees of freedom are positive.
            return 1.0;
        };
        match k.is_finite() {
            true => student.sf(k * quantile),
            false => 0.0,
        }
    }

    fn student(&mut self, dof: u64) -> Option<(StudentsT, f64)> {
        if let Some(&known) = self.known.get(&dof) {
            return Some(known);
        }
        let student = StudentsT::new(0.0, 1.0, dof as f64).ok()?;
        let (mut low, mut high) = (0.0, 1.0);
        while student.sf(high) > TAIL {
            high *= 2.0;
        }
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            match student.sf(middle) > TAIL {
                true => low = middle,
                false => high = middle,
            }
        }
        self.known.insert(dof, (student, high));
        Some((student, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    /// A finding "at most zero" that lies so many half-widths below it.
    fn below(what: &str, distance: f64) -> FindingLine {
        FindingLine {
            claim: "a/1".into(),
            scale: Scale::Paper,
            seed: 1,
            role: Role::Printed,
            what: what.into(),
            relation: "at most".into(),
            expected_low: None,
            expected_high: Some(0.0),
            measured: -distance,
            low: -distance - 1.0,
            high: -distance + 1.0,
            n: 100,
            unit: String::new(),
            outcome: match distance >= 1.0 {
                true => Outcome::Supports,
                false => Outcome::Undecided,
            },
        }
    }

    #[test]
    fn a_chance_is_that_of_the_interval_at_its_end_and_of_student_beyond() {
        let mut tails = Tails::default();
        let (chance, decided) = tails.chance(&below("x", 1.0)).unwrap();
        assert!((chance - TAIL).abs() < 1e-12 && decided, "{chance}");
        // 2 × 3.3909 with 99 degrees of freedom; 2 × 4.4370 with 11.
        let (chance, _) = tails.chance(&below("x", 2.0)).unwrap();
        assert!((4.0e-10..4.6e-10).contains(&chance), "{chance}");
        let (chance, _) = tails.chance(&FindingLine { n: 12, ..below("x", 2.0) }).unwrap();
        assert!((1.0e-6..1.3e-6).contains(&chance), "{chance}");
        // Inside two bounds either end may be wrong.
        let two = FindingLine { expected_low: Some(-2.0), ..below("x", 1.0) };
        assert!((tails.chance(&two).unwrap().0 - 2.0 * TAIL).abs() < 1e-12);
        let exact = FindingLine { low: -1.0, high: -1.0, ..below("x", 1.0) };
        assert_eq!(tails.chance(&exact), None);
        // An estimate on its bound decides nothing, even where its interval ends there.
        let on = FindingLine { high: 0.0, ..below("x", 0.0) };
        assert_eq!(tails.chance(&on), Some((0.5, false)));
    }

    #[test]
    fn decisions_stand_until_holms_bound_is_passed() {
        // At the very end of their intervals ninety-nine findings share 5 % and a hundred and one do not.
        for (count, lost) in [(99, 0), (101, 101)] {
            let findings: Vec<FindingLine> = (0..count).map(|i| below(&i.to_string(), 1.0)).collect();
            let [family] = &Family::all(&findings)[..] else { panic!() };
            assert_eq!((family.findings, family.decided, family.lost.len()), (count, count, lost));
        }
        // Many sure ones leave room for those at the end; undecided ones take it.
        let mut findings: Vec<FindingLine> = (0..1000).map(|i| below(&i.to_string(), 3.0)).collect();
        findings.push(below("close", 1.0));
        let [family] = &Family::all(&findings)[..] else { panic!() };
        assert!(family.lost.is_empty(), "{:?}", family.lost);
        assert!(family.text().contains("all 1001 decided ones stand"), "{}", family.text());
        findings.extend((0..150).map(|i| below(&format!("open {i}"), 0.5)));
        let [family] = &Family::all(&findings)[..] else { panic!() };
        assert_eq!((family.findings, family.decided, family.lost.len()), (1151, 1001, 1));
        assert_eq!(family.lost[0].1, "close");
        assert!(family.text().contains("1000 decided ones stand, 1 would not"), "{}", family.text());
    }

    #[test]
    fn scales_and_seeds_are_families_of_their_own() {
        let other = FindingLine { seed: 2, ..below("x", 2.0) };
        let families = Family::all(&[below("x", 2.0), other]);
        let seeds: Vec<u64> = families.iter().map(|family| family.seed).collect();
        assert_eq!(seeds, [1, 2]);
        assert!(Family::all(&[]).is_empty());
    }
}
