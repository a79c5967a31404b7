//! Eq. 3: the error is the probability of a wrong answer.
//!
//! **Claim** (`heavy-tailed/eq-3`). E(f) = E over (X, Y) ~ p of 1{f(X) != Y}.
//!
//! For given embeddings this is a finite sum, and fresh samples must agree with it within an exact binomial interval. The definition leaves
//! open what counts when several classes share the highest score, as in an empty memory. Three rules are in use: each tie is an error, the
//! lowest index wins, the tied classes share. Refuted by a sum that samples do not meet. The check stands on the rules: on an empty memory
//! they must give 1, 1 - p(f_* = 0) and 1 - 1/M, and on one with content they must agree, so that no rule decides.

use workbench_ground::stats::proportion;
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{AssociativeMemory, Embeddings, Scheme, Ties, Zipf, chance_error};

use super::gaussian_model::{CLASSES, target};
use crate::vocabulary::ROUNDING;

/// One memory, judged exactly and on fresh samples, and an empty one under three rules for ties.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-3",
    metric: "exact sum over inputs against the share of wrong answers among fresh samples, exact binomial interval",
    against: "an interval that misses the exact sum",
    choices: &["N = 200, d = 40, α = 1.2, weights p^(1/2)", "the document has no rule for ties: three are run"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (n, d) = (s.knob("inputs N", 200, CLASSES..)?, s.knob("dimension d", 40, 1..)?);
    let (mut stream, law) = (s.stream("eq 3")?, Zipf::new(1.2, n)?);
    let (labels, p, even) = (target()?.labels(n), law.probabilities(n), vec![1.0 / n as f64; n]);
    let e = Embeddings::draw(n, CLASSES, d, &mut stream)?;
    let q = Scheme::power(0.5)?.population_weights(&law, d)?;
    let memory = AssociativeMemory::store(&e, &q, &labels)?;
    let (exact, answers) = (memory.generalization_error(&e, &labels, &p)?, memory.predict(&e.inputs)?);

    let fresh = law.sample_counts(s.scale().pick(100_000, 10_000_000), &mut stream)?;
    let wrong = fresh.seen.iter().filter(|(x, _)| answers[x - 1] != labels[x - 1]).map(|(_, count)| count).sum();
    let sampled = proportion(wrong, fresh.total)?;
    s.printed(Margin::ZERO).of("samples").near("sampled error reaches the exact sum", exact, sampled);
    let shifted: Vec<usize> = labels.iter().map(|y| (y + 1) % CLASSES).collect();
    let twin = s.twin(Margin::ZERO).of("samples");
    twin.near("judged with labels shifted by one", memory.generalization_error(&e, &shifted, &p)?, sampled);
    twin.near("averaged over inputs and not over p", memory.generalization_error(&e, &labels, &even)?, sampled);

    let empty = AssociativeMemory::store(&e, &vec![0.0; n], &labels)?;
    let not_zero: f64 = labels.iter().zip(&p).filter(|(y, _)| **y != 0).map(|(_, p)| p).sum();
    let rules = [
        (Ties::Errors, "empty memory, ties are errors: distance from 1", 1.0),
        (Ties::LowestIndex, "empty memory, the lowest index wins: distance from 1 − p(f_* = 0)", not_zero),
        (Ties::Shared, "empty memory, ties share: distance from 1 − 1/M", chance_error(CLASSES)),
    ];
    for (ties, label, error) in s.each("rules", rules) {
        let off = (empty.error_with_ties(&e, &labels, &p, ties)? - error).abs();
        s.support(ROUNDING).over(n, "inputs").same(label, off);
        let off = (memory.error_with_ties(&e, &labels, &p, ties)? - exact).abs();
        s.support(ROUNDING).same("a memory with content: largest difference of the three rules", off);
    }
    let label = "empty memory, the lowest index wins, averaged over inputs: distance from 1 − p(f_* = 0)";
    let off = (empty.error_with_ties(&e, &labels, &even, Ties::LowestIndex)? - not_zero).abs();
    s.twin(ROUNDING).over(n, "inputs").same(label, off);
    Ok(())
}
