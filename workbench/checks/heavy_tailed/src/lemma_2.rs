//! Lemma 2: how many nearly orthogonal vectors fit.
//!
//! **Claim** (`heavy-tailed/lemma-2`). For any d and P >= 3 there are P unit vectors in R^d with coherence at most eta = 2 sqrt(ln P / d).
//!
//! For P >= e^(d/4) eta is at least one and any unit vectors serve. Below, families are exhibited: random directions, drawn until one meets
//! the bound, its coherence computed over all pairs; the hard cases are the smallest P and those just below e^(d/4). Beyond what can be
//! drawn the union bound over pairs decides: where it is positive a family exists. Refuted by a pair (d, P) without a family, which a union
//! bound below zero would leave open. The wrong form has no root, eta = 2 ln P / d: there Welch's bound forbids families. That ten random
//! families miss a smaller eta forbids none, and stands beside it.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::unit_sphere;
use workbench_ledger::{Check, Done, Failure, Margin, Setting, Sheet};
use workbench_memory::{cap_bound, coherence, granted_eta, union_bound, welch_bound};

use super::exponents::ONE;
use crate::vocabulary::least_of;

/// Families found at random, and union bounds.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/lemma-2",
    metric: "coherence of exhibited families over eta, over all pairs; the union bound with exact and with bounded pair probability",
    against: "a pair (d, P) for which no family is found; a union bound that leaves existence open",
    protocol: &["P at least 3"],
    choices: &[
        "families: P = 3, 4, 5, 10 and just below e^(d/4), d = 6 to 40; union bounds: P up to 200, and up to e^200",
    ],
    departures: &["pairs with eta >= 1 are left out: any unit vectors serve there"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    exhibited(s)?;
    let granted = granted(s)?;
    let pairs = s.printed(Margin::ZERO).over(granted.cases, "pairs of d and P");
    pairs.at_least("exact union bound at η, smallest for P ≤ 200 and d ≤ 400", granted.least);
    // P^2/2 cap_bound(d, eta) for real P from 3 to e^(d/4) or e^200.
    for d in 5..=2000usize {
        let (from, to) = (3f64.ln(), (0.25 * d as f64).min(200.0));
        for log_p in s.each("pairs of d and P", (0..200).map(|k| from + (to - from) * f64::from(k) / 200.0)) {
            let eta = 2.0 * (log_p / d as f64).sqrt();
            let label = "number of pairs times the bound on one, largest for d ≤ 2000";
            s.printed(ONE).at_most(label, (2.0 * log_p).exp() / 2.0 * cap_bound(d, eta)?);
        }
    }
    let (p, d, mut stream) = (2980, 32, s.stream("lemma 2, half the constant")?);
    let families = (0..10).map(|_| coherence(&unit_sphere(&mut stream, p, d))).collect::<Result<Vec<f64>, _>>()?;
    let label = "√(2 ln P/d) in the place of η: best of ten families at d = 32, P = 2980";
    s.aside(ONE)
        .over(families.len(), "families")
        .at_most(label, least_of(families) / (granted_eta(p, d)? / 2f64.sqrt()));
    let (p, d) = (100_000usize, 10_000usize);
    let label = "2 ln P/d, without the root: Welch bound over it, P = 10^5, d = 10^4";
    s.twin(ONE).of("pairs of d and P").at_most(label, welch_bound(p, d)? / (2.0 * (p as f64).ln() / d as f64));
    Ok(())
}

/// Families of random directions, drawn until one meets the bound.
fn exhibited(s: &Sheet) -> Done {
    let mut stream = s.stream("lemma 2")?;
    let dims: &[usize] = s.scale().pick(&[6, 8, 12, 16, 20, 24, 28, 32], &[6, 8, 12, 16, 20, 24, 28, 32, 36, 40]);
    let draws = s.knob("draws before the search gives up", 1000usize, 1..)?;
    let (mut cases, mut tries, mut edges) = (0, 0, Vec::new());
    for d in s.knobs("dimensions", dims, 4..=48)? {
        let most = (d as f64 / 4.0).exp().ceil() as usize - 1;
        for p in s.each("pairs of d and P", [3, 4, 5, 10].into_iter().filter(|p| *p < most).chain([most])) {
            let (eta, mut best) = (granted_eta(p, d)?, f64::INFINITY);
            for _ in 0..draws {
                tries += 1;
                best = least_of([best, coherence(&unit_sphere(&mut stream, p, d))?]);
                if best <= eta {
                    break;
                }
            }
            s.printed(ONE).at_most("families found: coherence over η, worst case", best / eta);
            cases += 1;
            if p == most {
                edges.push([d as f64, best, eta, welch_bound(p, d)?]);
            }
        }
    }
    s.note(format!("{cases} informative pairs (d, P), {tries} random families drawn"));
    s.figure(figure(&edges));
    Ok(())
}

/// The exact union bound at the granted eta, over all informative pairs P = 3 to 200, d = 2 to 400.
pub struct Granted {
    /// The smallest.
    pub least: f64,
    /// Pairs (P, d).
    pub cases: usize,
}

/// Computes [`Granted`] once.
pub fn granted(setting: &Setting) -> Result<Arc<Granted>, Failure> {
    setting.shared("lemma 2: union bounds at the granted eta", |_| {
        let mut least = Vec::new();
        for p in 3..=200usize {
            for d in 2..=400usize {
                let eta = granted_eta(p, d)?;
                if eta < 1.0 {
                    least.push(union_bound(p, d, eta)?);
                }
            }
        }
        Ok(Granted { cases: least.len(), least: least_of(least) })
    })
}

/// Dimension, coherence found, eta and Welch bound of the largest informative P.
fn figure(edges: &[[f64; 4]]) -> Figure {
    let column = |k: usize| edges.iter().map(|edge| edge[k]).collect::<Vec<f64>>();
    let d = column(0);
    let panel = Panel::new("P just below e^{d/4}")
        .x_label("d")
        .y_label("coherence")
        .y_limits(0.0, 1.05)
        .points("a family found at random", &d, &column(1))
        .theory("η of Lemma 2", &d, &column(2))
        .line("Welch bound: none below", &d, &column(3));
    Figure::new("Random families stay below the overlap that Lemma 2 grants").panel(panel).caption(
        "The dots have to lie below the dashed line. The room between them and the Welch bound is what cleverer families could still gain.",
    )
}
