//! Eq. 18 and the union bound before it.
//!
//! **Claim** (`heavy-tailed/eq-18`). P random directions are eta-quasi orthogonal with probability at least 1 - P(P-1)/2 P(|<X_1, X_2>| >=
//! eta |X_1| |X_2|), so that a family exists if that pair probability is below 2/(P(P-1)).
//!
//! The pair probability is exact, the left side simulated. Refuted by an upper end of the interval below the bound, anywhere, and
//! by a cell that meets Eq. 18 and in which no draw is a family. The text is "looking to maximize" eta under Eq. 18: the largest eta that meets
//! it, and the least one, stand beside the eta of Lemma 2, which is what the proof is to arrive at. Equal vectors meet the largest one, which is one.

use workbench_ground::stats::{proportion_at, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{cap_probability, coherence, granted_eta, union_bound};

use super::exponents::ONE;
use crate::vocabulary::EXACT;

/// Shares of families that are quasi orthogonal.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-18",
    metric: "upper end of the interval of the share of quasi-orthogonal families, minus the bound; largest and least eta that Eq. 18 admits, over that of Lemma 2",
    against: "an upper end below the bound; a cell that meets Eq. 18 without a family; a largest eta above that of Lemma 2",
    protocol: &["uniform directions"],
    choices: &[
        "P = 3 to 30, d = 2 to 30, eta = 0.3 to 0.9; pair probability by the incomplete beta function",
        "largest and least eta beside that of Lemma 2: P = 3 to 200, d up to 400",
        "the intervals of all cells hold together with 99.9 %",
    ],
    run,
    ..Check::DEFAULT
};

const VECTORS: [usize; 4] = [3, 5, 10, 30];
const DIMS: [usize; 5] = [2, 3, 5, 10, 30];
const ETAS: [f64; 4] = [0.3, 0.5, 0.7, 0.9];

fn run(s: &Sheet) -> Done {
    s.misprint("minimize η, in the place of maximize");
    for p in [3usize, 4, 5, 10, 30, 100, 200] {
        for d in s.each("pairs of P and d", (2..=40).chain((50..=400).step_by(50))) {
            let granted = granted_eta(p, d)?;
            if granted < 1.0 {
                let label = "largest η that meets Eq. 18 over 2√(ln P/d), smallest where the latter is below one";
                s.printed(ONE).least().at_most(label, largest_admitted(p, d)? / granted);
                let label = "least η that meets Eq. 18 over 2√(ln P/d), largest where the latter is below one";
                s.changed(ONE).at_most(label, least_admitted(p, d)? / granted);
            }
        }
    }
    let mut stream = s.stream("eq 18")?;
    let families = s.knob("families of each cell", s.scale().pick(2000usize, 20_000), 100..)?;
    let confidence = 1.0 - 1e-3 / (VECTORS.len() * DIMS.len() * ETAS.len()) as f64;
    for p in VECTORS {
        for d in DIMS {
            for eta in s.each("cells", ETAS) {
                let mut hits = 0;
                for _ in 0..families {
                    hits += usize::from(coherence(&unit_sphere(&mut stream, p, d))? <= eta);
                }
                let (share, bound) = (proportion_at(hits, families, confidence)?, union_bound(p, d, eta)?);
                let label = "upper end of the share minus the bound, smallest";
                s.both_forms(Margin::ZERO).at_least(label, share.high - bound);
                let half = share.high - (1.0 - 0.5 * (1.0 - bound));
                let label = "half of the pairs: upper end of the share minus that bound";
                s.twin(Margin::ZERO).least().at_least(label, half);
                let label = "pair probability below 2/(P(P − 1)) and no family found";
                s.both_forms(EXACT).never(label, admitted(p, d, eta)? && hits == 0);
            }
        }
    }
    Ok(())
}

/// Whether eta meets Eq. 18.
fn admitted(p: usize, d: usize, eta: f64) -> Result<bool, Failure> {
    Ok(cap_probability(d, eta)? < 2.0 / (p * (p - 1)) as f64)
}

/// The largest thousandth in (0, 1] that Eq. 18 admits.
fn largest_admitted(p: usize, d: usize) -> Result<f64, Failure> {
    for eta in (1..=1000).rev().map(|i| f64::from(i) / 1000.0) {
        if admitted(p, d, eta)? {
            return Ok(eta);
        }
    }
    Ok(f64::NAN)
}

/// The least eta that Eq. 18 admits, by bisection.
fn least_admitted(p: usize, d: usize) -> Result<f64, Failure> {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        match admitted(p, d, middle)? {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(high)
}
