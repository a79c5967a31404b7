//! Eq. 3: the error is the probability of a wrong answer.
//!
//! **Claim** (`heavy-tailed/eq-3`). E(f) = E over (X, Y) ~ p of 1{f(X) != Y}.
//!
//! For given embeddings this is a finite sum, and fresh samples must agree with it within an exact binomial interval. The definition
//! leaves open what counts when several classes share the highest score, as in an empty memory. Three rules are in use: each tie is an
//! error, the lowest index wins, the tied classes share. On an empty memory they must give 1, 1 - p(f_* = 0) and 1 - 1/M; on a memory
//! with content they must agree. A sum that samples do not meet would count against it.

use workbench_ground::stats::{Estimate, proportion};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{AssociativeMemory, Embeddings, Scheme, Ties, Zipf, chance_error};

use super::section_2_model::{CLASSES, target};
use crate::vocabulary::{Largest, ROUNDING};

/// One memory, judged exactly and on fresh samples, and an empty one under three rules for ties.
#[derive(Clone, Debug)]
pub struct WrongAnswers {
    /// Inputs N.
    pub inputs: usize,
    /// Dimension d.
    pub dim: usize,
    /// Exponent of the law.
    pub alpha: f64,
    /// Weights are p^ρ.
    pub rho: f64,
}

impl Default for WrongAnswers {
    fn default() -> WrongAnswers {
        WrongAnswers { inputs: 200, dim: 40, alpha: 1.2, rho: 0.5 }
    }
}

const RULES: [Ties; 3] = [Ties::Errors, Ties::LowestIndex, Ties::Shared];

impl TypedCheck for WrongAnswers {
    const CLAIM: &'static str = "heavy-tailed/eq-3";
    const PLAN: Plan = Plan::new(
        "exact sum over inputs against the share of wrong answers among fresh samples, exact binomial interval",
        "an interval that misses the exact sum; an empty memory whose error is not what its rule for ties says",
        &[ROUNDING],
    )
    .departures(&["the document has no rule for ties; everywhere else each tie is an error"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("eq 3")?;
        let n = self.inputs;
        let law = Zipf::new(self.alpha, n)?;
        let (labels, p) = (target()?.labels(n), law.probabilities(n));
        let e = Embeddings::draw(n, CLASSES, self.dim, &mut stream)?;
        let q = Scheme::power(self.rho)?.population_weights(&law, self.dim)?;
        let memory = AssociativeMemory::store(&e, &q, &labels)?;
        let exact = memory.generalization_error(&e, &labels, &p)?;
        let answers = memory.predict(&e.inputs)?;
        let fresh = law.sample_counts(setting.scale().pick(100_000, 10_000_000), &mut stream)?;
        let is_wrong = |x: usize| answers[x - 1] != labels[x - 1];
        let wrong = fresh.seen.iter().filter(|(x, _)| is_wrong(*x)).map(|(_, count)| count).sum();
        let sampled = proportion(wrong, fresh.total)?;
        let reaches =
            |label: &str, sum: f64, sampled: Estimate| Finding::near(label, sum, 0.0, sampled).unit("samples");
        let shifted: Vec<usize> = labels.iter().map(|y| (y + 1) % CLASSES).collect();
        let mut spread = Largest::default();
        for ties in RULES {
            spread.see((memory.error_with_ties(&e, &labels, &p, ties)? - exact).abs());
        }
        let empty = AssociativeMemory::store(&e, &vec![0.0; n], &labels)?;
        let constant: f64 = labels.iter().zip(&p).filter(|(y, _)| **y != 0).map(|(_, p)| p).sum();
        let under = |label: &str, ties, error: f64, p: &[f64]| -> Result<Finding, Failure> {
            let off = (empty.error_with_ties(&e, &labels, p, ties)? - error).abs();
            Ok(Finding::identity(label, off, ROUNDING).cases(n).unit("inputs"))
        };
        let even = vec![1.0 / n as f64; n];
        let evidence = Evidence::of(reaches("sampled error reaches the exact sum", exact, sampled))
            .and(under("empty memory, ties are errors: distance from 1", Ties::Errors, 1.0, &p)?)
            .and(under(
                "empty memory, the lowest index wins: distance from 1 − p(f_* = 0)",
                Ties::LowestIndex,
                constant,
                &p,
            )?)
            .and(under("empty memory, ties share: distance from 1 − 1/M", Ties::Shared, chance_error(CLASSES), &p)?)
            .and(
                Finding::identity("a memory with content: largest difference of the three rules", spread.0, ROUNDING)
                    .cases(RULES.len())
                    .unit("rules"),
            )
            .twin(reaches("judged with labels shifted by one", memory.generalization_error(&e, &shifted, &p)?, sampled))
            .twin(reaches(
                "averaged over inputs and not over p",
                memory.generalization_error(&e, &labels, &even)?,
                sampled,
            ))
            .twin(under(
                "empty memory, the lowest index wins, averaged over inputs: distance from 1 − p(f_* = 0)",
                Ties::LowestIndex,
                constant,
                &even,
            )?);
        Ok(evidence.into())
    }
}
