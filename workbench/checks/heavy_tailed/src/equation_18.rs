//! Eq. 18 and the union bound before it.
//!
//! **Claim** (`heavy-tailed/eq-18`). P random directions are eta-quasi orthogonal with probability at least 1 - P(P-1)/2 P(|<X_1, X_2>| >=
//! eta |X_1| |X_2|), so that a family exists if that pair probability is below 2/(P(P-1)).
//!
//! The pair probability is exact, the left side simulated. An upper end of the interval below the bound, anywhere, would refute it; so would
//! a cell that meets Eq. 18 and in which no draw is a family. The document wants to "maximize" eta; what is wanted is the smallest.

use workbench_ground::stats::{Estimate, proportion_at, unit_sphere};
use workbench_ledger::{Check, Checked, Evidence, Failure, Finding, Plan, Setting};
use workbench_memory::{cap_probability, coherence, union_bound};

use super::sections_b_2_to_b_4::Cases;
use crate::vocabulary::{EXACT, Least, by_scale};

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
        UnionBound {
            vectors: vec![3, 5, 10, 30],
            dims: vec![2, 3, 5, 10, 30],
            etas: vec![0.3, 0.5, 0.7, 0.9],
            runs: 0,
        }
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
        let runs = by_scale(self.runs, setting.scale().pick(2000, 20_000)) as u64;
        let cells = self.vectors.len() * self.dims.len() * self.etas.len();
        let confidence = 1.0 - 1e-3 / cells as f64;
        let mut found = Room::default();
        for &p in &self.vectors {
            for &d in &self.dims {
                for &eta in &self.etas {
                    let mut hits = 0;
                    for _ in 0..runs {
                        hits += u64::from(coherence(&unit_sphere(&mut stream, p, d))? <= eta);
                    }
                    let share = proportion_at(hits, runs, confidence)?;
                    let bound = union_bound(p as u64, d as u64, eta)?;
                    found.bound.see(share.high - bound);
                    found.half.see(share.high - (1.0 - 0.5 * (1.0 - bound)));
                    let pair = cap_probability(d as u64, eta)?;
                    found.missing.see(pair < 2.0 / (p * (p - 1)) as f64 && hits == 0);
                }
            }
        }
        Ok(found)
    }
}

impl Check for UnionBound {
    const CLAIM: &'static str = "heavy-tailed/eq-18";
    const PLAN: Plan = Plan::new(
        "upper end of the interval of the share of quasi-orthogonal families, minus the bound",
        "an upper end below the bound; a cell that meets Eq. 18 without a family",
        &[EXACT],
    )
    .protocol(&["P = 3 to 30, d = 2 to 30, eta = 0.3 to 0.9; uniform directions, pair probability by the incomplete beta function"])
    .departures(&["the intervals of all cells hold together with 99.9 %"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let found = self.room(setting)?;
        let room = |label: &str, value: f64| {
            Finding::at_least(label, 0.0, Estimate::exact(value))
                .cases(found.missing.count())
                .unit("cells")
        };
        Ok(
            Evidence::of(room("upper end of the share minus the bound, smallest", found.bound.0))
                .and(
                    found
                        .missing
                        .none("pair probability below 2/(P(P − 1)) and no family found", "cells"),
                )
                .twin(room(
                    "half of the pairs: upper end of the share minus that bound",
                    found.half.0,
                ))
                .into(),
        )
    }
}
