//! Eq. 18 and the union bound before it.
//!
//! **Claim** (`heavy-tailed/eq-18`). P random directions are eta-quasi orthogonal with probability at least 1 - P(P-1)/2 P(|<X_1, X_2>| >=
//! eta |X_1| |X_2|), so that a family exists if that pair probability is below 2/(P(P-1)).
//!
//! The pair probability is exact, the left side simulated. An upper end of the interval below the bound, anywhere, would refute it; so
//! would a cell that meets Eq. 18 and in which no draw is a family. The text is "looking to maximize" eta under Eq. 18: the largest eta
//! that meets it would have to say something, which an eta of one, that equal vectors meet as well, does not.

use workbench_ground::stats::{Estimate, proportion_at, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{cap_probability, coherence, granted_eta, union_bound};

use super::sections_b_2_to_b_4::{Cases, ONE};
use crate::vocabulary::{EXACT, Largest, Least, by_scale};

const BELOW_ONE: Margin =
    Margin::new("below one", 0.99, "any vectors are 1-quasi orthogonal, so an eta says something only below one");

/// Shares of families that are quasi orthogonal.
#[derive(Clone, Debug)]
pub struct UnionBound {
    /// Numbers of vectors.
    pub vectors: Vec<usize>,
    /// Dimensions.
    pub dims: Vec<usize>,
    /// Values of eta, from 0 to 1.
    pub etas: Vec<f64>,
    /// Families of each cell; by scale if 0.
    pub runs: usize,
}

impl Default for UnionBound {
    fn default() -> UnionBound {
        UnionBound { vectors: vec![3, 5, 10, 30], dims: vec![2, 3, 5, 10, 30], etas: vec![0.3, 0.5, 0.7, 0.9], runs: 0 }
    }
}

#[derive(Default)]
struct Room {
    bound: Least,
    half: Least,
    missing: Cases,
}

impl UnionBound {
    fn room(&self, setting: &Setting) -> Result<Room, Failure> {
        let mut stream = setting.stream("eq 18")?;
        let runs = by_scale(self.runs, setting.scale().pick(2000, 20_000));
        let cells = self.vectors.len() * self.dims.len() * self.etas.len();
        let confidence = 1.0 - 1e-3 / cells as f64;
        let mut found = Room::default();
        for &p in &self.vectors {
            for &d in &self.dims {
                for &eta in &self.etas {
                    let mut hits = 0;
                    for _ in 0..runs {
                        hits += usize::from(coherence(&unit_sphere(&mut stream, p, d))? <= eta);
                    }
                    let share = proportion_at(hits, runs, confidence)?;
                    let bound = union_bound(p, d, eta)?;
                    found.bound.see(share.high - bound);
                    found.half.see(share.high - (1.0 - 0.5 * (1.0 - bound)));
                    let pair = cap_probability(d, eta)?;
                    found.missing.see(pair < 2.0 / (p * (p - 1)) as f64 && hits == 0);
                }
            }
        }
        Ok(found)
    }
}

/// Whether eta meets Eq. 18.
fn admitted(p: usize, d: usize, eta: f64) -> Result<bool, Failure> {
    Ok(cap_probability(d, eta)? < 2.0 / (p * (p - 1)) as f64)
}

/// The least of the largest thousandths in (0, 1] that Eq. 18 admits.
fn maximized(vectors: &[usize], dims: &[usize]) -> Result<f64, Failure> {
    let mut least = Least::default();
    for &p in vectors {
        for &d in dims {
            let mut largest = Largest::default();
            for eta in (1..=1000).map(|i| f64::from(i) / 1000.0) {
                if admitted(p, d, eta)? {
                    largest.see(eta);
                }
            }
            least.see(largest.0);
        }
    }
    Ok(least.0)
}

/// The least eta that Eq. 18 admits, by bisection, over that of Lemma 2 where this is below one: the largest quotient, and the pairs (P, d).
fn minimized() -> Result<(f64, usize), Failure> {
    let (mut worst, mut pairs) = (Largest::default(), 0);
    for p in [3usize, 4, 5, 10, 30, 100, 200] {
        for d in (2..=40).chain((50..=400).step_by(50)) {
            let granted = granted_eta(p, d)?;
            if granted >= 1.0 {
                continue;
            }
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if admitted(p, d, middle)? {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            worst.see(high / granted);
            pairs += 1;
        }
    }
    Ok((worst.0, pairs))
}

impl TypedCheck for UnionBound {
    const CLAIM: &'static str = "heavy-tailed/eq-18";
    const PLAN: Plan = Plan::new(
        "upper end of the interval of the share of quasi-orthogonal families, minus the bound; largest and least eta that Eq. 18 admits",
        "an upper end below the bound; a cell that meets Eq. 18 without a family; a largest eta that says nothing",
        &[EXACT, ONE, BELOW_ONE],
    )
    .protocol(&[
        "P = 3 to 30, d = 2 to 30, eta = 0.3 to 0.9; uniform directions, pair probability by the incomplete beta function",
        "the least eta beside that of Lemma 2: P = 3 to 200, d up to 400",
    ])
    .departures(&["the intervals of all cells hold together with 99.9 %"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let found = self.room(setting)?;
        let room = |label: &str, value: f64| {
            Finding::at_least(label, 0.0, Estimate::exact(value)).cases(found.missing.count()).unit("cells")
        };
        let (least, pairs) = minimized()?;
        let mended = vec![
            Finding::at_most(
                "least η that meets Eq. 18 over 2√(ln P/d), largest where the latter is below one",
                ONE,
                Estimate::exact(least),
            )
            .cases(pairs)
            .unit("pairs of P and d"),
            room("upper end of the share minus the bound, smallest", found.bound.0),
            found.missing.none("pair probability below 2/(P(P − 1)) and no family found", "cells"),
        ];
        Ok(Evidence::of(
            Finding::at_most(
                "largest η in (0, 1] that meets Eq. 18, smallest over P and d (an η of use is below one)",
                BELOW_ONE,
                Estimate::exact(maximized(&self.vectors, &self.dims)?),
            )
            .cases(self.vectors.len() * self.dims.len())
            .unit("pairs of P and d"),
        )
        .misprint("minimize η, in the place of maximize", mended)
        .twin(room("half of the pairs: upper end of the share minus that bound", found.half.0))
        .into())
    }
}
