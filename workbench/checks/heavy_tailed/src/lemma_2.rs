//! Lemma 2: how many nearly orthogonal vectors fit.
//!
//! **Claim** (`heavy-tailed/lemma-2`). For any d and P >= 3 there are P unit vectors in R^d with coherence at most eta = 2 sqrt(ln P / d).
//!
//! For P >= e^(d/4) eta is at least one and any unit vectors serve. Below, families are exhibited: random directions, drawn until one meets
//! the bound, its coherence computed over all pairs; the hard cases are the smallest P and those just below e^(d/4). Beyond what can be
//! drawn the union bound over pairs decides: where it is positive a family exists. Against the lemma would count a pair (d, P) without a
//! family, which a union bound below zero would leave open.

use std::sync::Arc;

use workbench_display::{Figure, Panel};
use workbench_ground::stats::{Estimate, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{cap_bound, coherence, granted_eta, union_bound, welch_bound};

use super::sections_b_2_to_b_4::ONE;
use crate::vocabulary::{Largest, Least, least_of};

/// Families found at random.
#[derive(Clone, Debug)]
pub struct Families {
    /// Dimensions; by scale if empty.
    pub dims: Vec<usize>,
    /// Small numbers of vectors, beside the largest informative one.
    pub small: Vec<usize>,
    /// Draws before the search gives up.
    pub draws: usize,
}

impl Default for Families {
    fn default() -> Families {
        Families { dims: Vec::new(), small: vec![3, 4, 5, 10], draws: 1000 }
    }
}

/// The exact union bound at the granted eta, over all informative pairs P = 3 to 200, d = 2 to 400.
pub struct Granted {
    /// The smallest.
    pub least: f64,
    /// The smallest at eta / sqrt(2), that is with sqrt(2 ln P / d).
    pub halved: f64,
    /// Pairs (P, d).
    pub cases: usize,
}

/// Computes [`Granted`] once.
pub fn granted(setting: &Setting) -> Result<Arc<Granted>, Failure> {
    setting.shared("lemma 2: union bounds at the granted eta", |_| {
        let (mut least, mut halved, mut cases) = (Least::default(), Least::default(), 0);
        for p in 3..=200usize {
            for d in 2..=400usize {
                let eta = granted_eta(p, d)?;
                if eta < 1.0 {
                    least.see(union_bound(p, d, eta)?);
                    halved.see(union_bound(p, d, eta / 2f64.sqrt())?);
                    cases += 1;
                }
            }
        }
        Ok(Granted { least: least.0, halved: halved.0, cases })
    })
}

/// Pairs times the bound on their probability, P^2/2 cap_bound(d, eta), largest for real P from 3 to e^(d/4) or e^200, d up to 2000.
fn pairs_times_bound() -> Result<(f64, usize), Failure> {
    let (mut largest, mut cases) = (Largest::default(), 0);
    for d in 5..=2000usize {
        let (from, to) = (3f64.ln(), (0.25 * d as f64).min(200.0));
        for log_p in (0..200).map(|k| from + (to - from) * f64::from(k) / 200.0) {
            let eta = 2.0 * (log_p / d as f64).sqrt();
            largest.see((2.0 * log_p).exp() / 2.0 * cap_bound(d, eta)?);
            cases += 1;
        }
    }
    Ok((largest.0, cases))
}

/// A dimension with its largest informative P.
struct Edge {
    d: f64,
    found: f64,
    granted: f64,
    welch: f64,
}

struct Search {
    worst: Largest,
    cases: usize,
    tries: usize,
    edges: Vec<Edge>,
}

impl Families {
    fn search(&self, setting: &Setting) -> Result<Search, Failure> {
        let mut stream = setting.stream("lemma 2")?;
        let quick = vec![6, 8, 12, 16, 20, 24, 28, 32];
        let dims = match self.dims.is_empty() {
            true => setting.scale().pick(quick.clone(), [quick, vec![36, 40]].concat()),
            false => self.dims.clone(),
        };
        let mut found = Search { worst: Largest::default(), cases: 0, tries: 0, edges: Vec::new() };
        for d in dims {
            let most = (d as f64 / 4.0).exp().ceil() as usize - 1;
            let small = self.small.iter().copied().filter(|p| *p < most);
            for p in small.chain([most]) {
                let eta = granted_eta(p, d)?;
                let mut best = f64::INFINITY;
                for _ in 0..self.draws {
                    found.tries += 1;
                    best = least_of([best, coherence(&unit_sphere(&mut stream, p, d))?]);
                    if best <= eta {
                        break;
                    }
                }
                found.worst.see(best / eta);
                found.cases += 1;
                if p == most {
                    found.edges.push(Edge { d: d as f64, found: best, granted: eta, welch: welch_bound(p, d)? });
                }
            }
        }
        Ok(found)
    }

    /// The best of ten families just below e^(d/4), over sqrt(2 ln P / d).
    fn with_half_the_constant(&self, setting: &Setting) -> Result<f64, Failure> {
        let (p, d) = (2980, 32);
        let mut stream = setting.stream("lemma 2, half the constant")?;
        let mut best = Least::default();
        for _ in 0..10 {
            best.see(coherence(&unit_sphere(&mut stream, p, d))?);
        }
        Ok(best.0 / (granted_eta(p, d)? / 2f64.sqrt()))
    }
}

fn figure(edges: &[Edge]) -> Figure {
    let column = |of: fn(&Edge) -> f64| edges.iter().map(of).collect::<Vec<f64>>();
    let d = column(|edge| edge.d);
    let panel = Panel::new("P just below e^{d/4}")
        .x_label("d")
        .y_label("coherence")
        .y_limits(0.0, 1.05)
        .points("a family found at random", &d, &column(|edge| edge.found))
        .theory("η of Lemma 2", &d, &column(|edge| edge.granted))
        .line("Welch bound: none below", &d, &column(|edge| edge.welch));
    Figure::new("Random families stay below the overlap that Lemma 2 grants").panel(panel).caption(
        "The dots have to lie below the dashed line. The room between them and the Welch bound is what cleverer families could still gain.",
    )
}

impl TypedCheck for Families {
    const CLAIM: &'static str = "heavy-tailed/lemma-2";
    const PLAN: Plan = Plan::new(
        "coherence of exhibited families over eta, over all pairs; the union bound with exact and with bounded pair probability",
        "a pair (d, P) for which no family is found; a union bound that leaves existence open",
        &[ONE],
    )
    .protocol(&["families: P = 3, 4, 5, 10 and just below e^(d/4), d = 6 to 40; union bounds: P up to 200, and up to e^200"])
    .departures(&["pairs with eta >= 1 are left out: any unit vectors serve there"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let found = self.search(setting)?;
        let granted = granted(setting)?;
        let (bounded, cells) = pairs_times_bound()?;
        let over = |label: &str, value: f64| Finding::at_most(label, ONE, Estimate::exact(value));
        let evidence = Evidence::of(
            over("families found: coherence over η, worst case", found.worst.0)
                .cases(found.cases)
                .unit("pairs of d and P"),
        )
        .and(
            Finding::at_least(
                "exact union bound at η, smallest for P ≤ 200 and d ≤ 400",
                0.0,
                Estimate::exact(granted.least),
            )
            .cases(granted.cases)
            .unit("pairs of d and P"),
        )
        .and(
            over("number of pairs times the bound on one, largest for d ≤ 2000", bounded)
                .cases(cells)
                .unit("pairs of d and P"),
        )
        .twin(over(
            "√(2 ln P/d) in the place of η: best of ten families at d = 32, P = 2980",
            self.with_half_the_constant(setting)?,
        ))
        .note(format!("{} informative pairs (d, P), {} random families drawn", found.cases, found.tries));
        Ok(Checked::from(evidence).figure(figure(&found.edges)))
    }
}
