//! Changes between two records: rows and their verdicts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use workbench_record::table::{Key, Line};
use workbench_record::{Row, Scale, Tables, Verdict};

use super::findings::{Findings, by_key};

/// A row that both records have, or one of them: claim, scale and seed. Scale and seed are left out where claims alone are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct At {
    /// Claim id.
    pub claim: String,
    /// Scale.
    pub scale: Option<Scale>,
    /// Seed.
    pub seed: Option<u64>,
}

/// Something that is one way in A and another in B.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change<P, T> {
    /// Where.
    #[serde(flatten)]
    pub at: P,
    /// In A.
    pub a: T,
    /// In B.
    pub b: T,
}

/// Rows at a scale and seed at which the other record has none at all: it says nothing about them, so nothing is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Beside {
    /// `A` or `B`.
    pub only_in: &'static str,
    /// Scale.
    pub scale: Scale,
    /// Seed.
    pub seed: u64,
    /// How many.
    pub rows: usize,
}

/// What is different between records A and B.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Changes {
    /// Whether claims alone are compared, because each record is of one scale and one seed, and these differ.
    pub by_claim: bool,
    /// Rows that both have.
    pub compared: usize,
    /// Verdicts that differ.
    pub verdicts: Vec<Change<At, Verdict>>,
    /// Rows that only A has.
    pub only_a: Vec<At>,
    /// Rows that only B has.
    pub only_b: Vec<At>,
    /// Rows that are not compared.
    pub beside: Vec<Beside>,
    /// Findings of the rows that both have; nothing where a record has none to compare.
    pub findings: Option<Findings>,
}

impl Changes {
    /// Compares the rows that `keep` keeps, and their findings if `findings`.
    pub fn between(a: &Tables, b: &Tables, keep: impl Fn(&Row) -> bool, findings: bool) -> Changes {
        let rows = |tables| -> Vec<&Row> { kept(tables, &keep) };
        let (mut rows_a, mut rows_b) = (rows(a), rows(b));
        let (pairs_a, pairs_b) = (pairs(&rows_a), pairs(&rows_b));
        let by_claim = pairs_a.len() == 1 && pairs_b.len() == 1 && pairs_a.keys().ne(pairs_b.keys());
        let mut changes = Changes { by_claim, ..Changes::default() };
        let shared: BTreeSet<(Scale, u64)> =
            pairs_a.keys().filter(|pair| pairs_b.contains_key(pair)).copied().collect();
        // Records without a scale and seed in common differ altogether.
        if !by_claim && !shared.is_empty() {
            for (only_in, pairs) in [("A", &pairs_a), ("B", &pairs_b)] {
                let beside = pairs.iter().filter(|(pair, _)| !shared.contains(pair));
                changes.beside.extend(beside.map(|((scale, seed), rows)| Beside {
                    only_in,
                    scale: *scale,
                    seed: *seed,
                    rows: *rows,
                }));
            }
            rows_a.retain(|row| shared.contains(&(row.scale, row.seed)));
            rows_b.retain(|row| shared.contains(&(row.scale, row.seed)));
        }
        let at = |row: &Row| At {
            claim: row.claim.clone(),
            scale: (!by_claim).then_some(row.scale),
            seed: (!by_claim).then_some(row.seed),
        };
        let in_a: HashMap<At, &Row> = rows_a.iter().map(|row| (at(row), *row)).collect();
        let in_b: HashMap<At, &Row> = rows_b.iter().map(|row| (at(row), *row)).collect();
        changes.only_b = rows_b.iter().map(|row| at(row)).filter(|at| !in_a.contains_key(at)).collect();
        let lines_a = by_key(&a.findings);
        let lines_b = by_key(&b.findings);
        let mut told = Findings::default();
        for row in rows_a {
            let at = at(row);
            let Some(other) = in_b.get(&at) else {
                changes.only_a.push(at);
                continue;
            };
            changes.compared += 1;
            let of = |lines: &HashMap<Key, Vec<_>>, row: &Row| lines.get(&row.key()).cloned().unwrap_or_default();
            told.compare(&at, &of(&lines_a, row), &of(&lines_b, other));
            if row.verdict != other.verdict {
                changes.verdicts.push(Change { at, a: row.verdict, b: other.verdict });
            }
        }
        if findings {
            told.sort();
            changes.findings = Some(told);
        }
        changes
    }

    /// Whether a verdict differs, or a row is missing on one side.
    pub fn differ(&self) -> bool {
        !(self.verdicts.is_empty() && self.only_a.is_empty() && self.only_b.is_empty())
    }
}

fn kept<'a>(tables: &'a Tables, keep: &impl Fn(&Row) -> bool) -> Vec<&'a Row> {
    tables.rows.iter().filter(|row| keep(row)).collect()
}

/// The scales and seeds of the rows, with how many each has.
fn pairs(rows: &[&Row]) -> BTreeMap<(Scale, u64), usize> {
    let mut pairs = BTreeMap::new();
    for row in rows {
        *pairs.entry((row.scale, row.seed)).or_insert(0) += 1;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::finding;

    fn row(claim: &str, scale: Scale, seed: u64) -> Row {
        Row { verdict: Verdict::Holds, ..Row::blank(claim, scale, seed) }
    }

    fn tables(rows: Vec<Row>) -> Tables {
        Tables { findings: rows.iter().map(|row| finding(row, "slope", 1.0)).collect(), rows, ..Tables::default() }
    }

    fn between(a: &Tables, b: &Tables) -> Changes {
        Changes::between(a, b, |_| true, true)
    }

    fn at(claim: &str, scale: Scale, seed: u64) -> At {
        At { claim: claim.into(), scale: Some(scale), seed: Some(seed) }
    }

    const Q: Scale = Scale::Quick;

    #[test]
    fn a_record_equals_itself_and_two_empty_ones_are_alike() {
        let a = tables(vec![row("m/a", Q, 1), row("m/a", Scale::Paper, 2)]);
        let changes = between(&a, &a);
        assert!(!changes.differ());
        assert_eq!((changes.compared, changes.findings.unwrap().same), (2, 2));
        assert!(!between(&Tables::default(), &Tables::default()).differ());
        let gone = between(&a, &Tables::default());
        assert!(gone.differ());
        assert_eq!((gone.only_a.len(), gone.beside.len()), (2, 0));
    }

    #[test]
    fn verdicts_and_missing_rows_are_told_at_scales_and_seeds_that_both_have() {
        let a = tables(vec![row("m/a", Q, 1), row("m/b", Q, 1), row("m/c", Q, 1), row("m/a", Q, 2)]);
        let mut b = tables(vec![row("m/a", Q, 1), row("m/b", Q, 1), row("m/d", Q, 1), row("m/a", Scale::Paper, 1)]);
        b.rows[1].verdict = Verdict::Fails;
        let changes = between(&a, &b);
        assert!(changes.differ() && !changes.by_claim);
        assert_eq!(changes.verdicts, [Change { at: at("m/b", Q, 1), a: Verdict::Holds, b: Verdict::Fails }]);
        assert_eq!((changes.only_a, changes.only_b), (vec![at("m/c", Q, 1)], vec![at("m/d", Q, 1)]));
        let beside: Vec<_> = changes.beside.iter().map(|x| (x.only_in, x.scale, x.seed, x.rows)).collect();
        assert_eq!(beside, [("A", Q, 2, 1), ("B", Scale::Paper, 1, 1)]);
        // Rows beside those compared are no difference.
        let narrowed = Changes::between(&a, &b, |row| row.claim == "m/a", true);
        assert!(!narrowed.differ());
        assert_eq!(narrowed.beside.len(), 2);
    }

    #[test]
    fn runs_of_two_seeds_are_compared_by_claim() {
        let a = tables(vec![row("m/a", Q, 1), row("m/b", Q, 1)]);
        let mut b = tables(vec![row("m/a", Q, 2), row("m/b", Q, 2)]);
        b.rows[0].verdict = Verdict::Inconclusive;
        b.findings[1].measured = 1.005;
        let changes = between(&a, &b);
        assert!(changes.by_claim);
        assert_eq!(changes.verdicts[0].at, At { claim: "m/a".into(), scale: None, seed: None });
        let moved = &changes.findings.unwrap().moved;
        assert_eq!(moved.len(), 1);
        assert!((moved[0].half_widths.unwrap() - 0.5).abs() < 1e-9);
        // Records of several seeds that have none in common have nothing to compare.
        let several = tables(vec![row("m/a", Q, 2), row("m/a", Q, 3)]);
        let changes = between(&a, &several);
        assert!(changes.differ() && !changes.by_claim);
        assert_eq!((changes.only_a.len(), changes.only_b.len(), changes.compared), (2, 2, 0));
    }
}
