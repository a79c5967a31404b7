//! Figure 12, right: ten classes in the plane.
//!
//! **Claim** (`heavy-tailed/fig-12-right`). With M = 10 learned embeddings allow again a zero generalization error. Reaching it with d = 2
//! greatly contrasts with the condition d >= N that is needed when the embeddings are random.
//!
//! "Needed" is asked of random embeddings with the best W that is found, and with equal weights, the scheme of Theorem 1: the smallest d of a
//! scan at which more than half of the embeddings reach zero error, with confidence. A seed that misses an input at d = 2, or random
//! embeddings that reach zero error with fewer dimensions than inputs, counts against the claim.

use workbench_display::{Figure, Table, columns};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Embeddings, Freedom, best_trained_errors, threshold_errors};

use super::figure_12::{Planes, Seen, panel};
use super::section_3_learning::{HALF, INPUTS, NEARLY_ALL, law, share, target};
use crate::vocabulary::by_scale;

const USELESS: Margin =
    Margin::new("large error", 0.1, "a tenth of all answers wrong, where learned embeddings have none");
const FULL: Margin = Margin::new("N", 100.0, "the condition as printed, as many dimensions as inputs");

/// Classes.
const TEN: usize = 10;
/// Position of d = 8 in the scan.
const EIGHT: usize = 1;

/// Right panel: ten classes.
#[derive(Clone, Debug)]
pub struct Right {
    /// The trained planes.
    pub planes: Planes,
    /// Dimensions in which random embeddings get the best W that is found.
    pub scan: [usize; 8],
    /// Random embeddings in each; by scale if 0.
    pub embeddings: usize,
}

impl Default for Right {
    fn default() -> Right {
        Right { planes: Planes::default(), scan: [2, 8, 12, 16, 20, 25, 50, 100], embeddings: 0 }
    }
}

/// Random embeddings: errors of the best W at d = 2, shares with zero error by W and by equal weights at each d.
#[derive(Default)]
struct Random {
    at_two: Vec<f64>,
    best: Vec<Estimate>,
    equal: Vec<Estimate>,
}

impl Right {
    fn random(&self, setting: &Setting) -> Result<Random, Failure> {
        let (p, labels) = (law()?.probabilities(INPUTS), target(TEN)?.labels(INPUTS));
        let count = by_scale(self.embeddings, setting.scale().pick(20, 60));
        let mut random = Random::default();
        for d in self.scan {
            let stored: &[usize] = if d == 2 { &[2, 4, 8, INPUTS] } else { &[INPUTS] };
            let draw = |i: usize| -> Result<Embeddings, Failure> {
                let mut stream = setting.streams().replicate(&format!("random, d = {d}"), i)?;
                Ok(Embeddings::spherical(INPUTS, TEN, d, &mut stream)?)
            };
            let drawn = (0..count).map(draw).collect::<Result<Vec<_>, Failure>>()?;
            let errors = best_trained_errors(Freedom::Memory, &drawn, &labels, &p, stored, &[0.0])?;
            let mut equal = 0;
            for e in &drawn {
                equal += usize::from(threshold_errors(e, &labels, &p, &[INPUTS])?[0] == 0.0);
            }
            let zeros = errors.iter().filter(|error| **error == 0.0).count();
            if d == 2 {
                random.at_two = errors;
            }
            random.best.push(share(zeros, count)?);
            random.equal.push(share(equal, count)?);
        }
        Ok(random)
    }

    /// The smallest scanned dimension in which more than half of the embeddings reach zero error, with confidence; if none does the
    /// largest, which is then too low.
    fn first(&self, shares: &[Estimate]) -> f64 {
        let reached = self.scan.iter().zip(shares).find(|(_, share)| share.low > HALF.value);
        reached.map_or(self.scan[self.scan.len() - 1], |(d, _)| *d) as f64
    }

    fn table(&self, random: &Random) -> Result<Table, Failure> {
        let values = |shares: &[Estimate]| shares.iter().map(|share| share.value).collect::<Vec<f64>>();
        Ok(Table::new(columns(vec![
            ("d", self.scan.map(|d| d as f64).to_vec().into()),
            ("best W found", values(&random.best).into()),
            ("equal weights", values(&random.equal).into()),
        ])?)
        .title("Share of random embeddings with zero error")
        .caption("N = 100 inputs, ten classes.")
        .rows(20)
        .digits(3))
    }
}

impl TypedCheck for Right {
    const CLAIM: &'static str = "heavy-tailed/fig-12-right";
    const PLAN: Plan = Plan::new(
        "seeds with zero error at d = 2; smallest scanned d at which random embeddings reach it, with the best W found and with equal weights",
        "a seed that misses an input; random embeddings that reach zero error with fewer dimensions than inputs",
        &[NEARLY_ALL, HALF, USELESS, FULL],
    )
    .protocol(&["N = 100, M = 10, α = 2, d = 2; learned as on the left; random embeddings on the unit sphere, d from 2 to 100"])
    .departures(&["the caption gives neither rule nor updates: Adam at 0.1 and the budget of Figure 11"])
    .rivals(&[
        "any W, by minimising the cross-entropy of all inputs, and at d = 2 of the first 2, 4, 8 and 100; equal weights on all inputs",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let ten = self.planes.seen(setting, TEN, 2)?;
        let line = Planes { seeds: 20, ..self.planes.clone() }.seen(setting, TEN, 1)?;
        let random = self.random(setting)?;
        let reached = |label: &str, of: &Seen| -> Result<Finding, Failure> {
            let reached = share(of.without_error(), of.errors.len())?;
            Ok(Finding::at_least(label, NEARLY_ALL, reached).unit("seeds"))
        };
        let needed = Finding::at_least(
            "smallest scanned d with zero error for random embeddings and the best W",
            FULL,
            Estimate::exact(self.first(&random.best)),
        );
        let in_the_plane = reached("M = 10, d = 2: seeds with zero error", &ten.value)?;
        let contrast =
            Finding::at_least("random embeddings at d = 2: error of the best W found", USELESS, mean(&random.at_two)?)
                .unit("embeddings");
        let rarely = |label: &str, share: Estimate| Finding::at_most(label, HALF, share).unit("embeddings");
        let last = self.scan.len() - 1;
        let evidence = Evidence::of(needed)
            .weaker(
                "random embeddings need d of at least N with equal weights; a trained W reaches zero error with fewer, though far more than two",
                vec![
                    in_the_plane,
                    rarely("equal weights, d = N: random embeddings with zero error", random.equal[last]),
                    rarely("best W, d = 8: random embeddings with zero error", random.best[EIGHT]),
                    contrast,
                ],
            )
            .twin(reached(
                "a line in place of the plane, d = 1: seeds with zero error",
                &line.value,
            )?);
        Ok(Checked::from(ten.noted(evidence))
            .figure(
                Figure::new("Ten classes find a sector each in the plane")
                    .panel(panel("M = 10, with the inputs", &*self.planes.first(setting, TEN)?, true))
                    .caption("The first seed. Colour: the class with the largest score in this direction."),
            )
            .table(self.table(&random)?))
    }
}
