//! Figure 12, right: ten classes in the plane.
//!
//! **Claim** (`heavy-tailed/fig-12-right`). With M = 10 learned embeddings allow again a zero generalization error. Reaching it with d = 2
//! greatly contrasts with the condition d >= N that is needed when the embeddings are random.
//!
//! "Needed" is asked of random embeddings with the best W that is found, with the best weights q(x), any real ones as in Lemma 3, and with
//! equal weights, the scheme of Theorem 1: what is needed has no exception, so with fewer dimensions than inputs no random embeddings may
//! reach zero error. Refuted by a seed that misses an input at d = 2, or random embeddings that reach zero error at d = N/2.

use workbench_display::{Figure, Table, frame};
use workbench_ground::stats::{Estimate, difference};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Embeddings, Freedom, best_trained_errors, threshold_errors};

use super::figure_12::{Seen, first, panel, seeds, seen};
use super::learned_embeddings::{INPUTS, NEARLY_ALL, law, share, target};
use crate::vocabulary::EXACT;

const MORE_THAN_HALF: Margin = Margin::ours("more than half of them", 0.5, "more of the random embeddings than not");

/// Right panel: ten classes.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-12-right",
    metric: "seeds with zero error at d = 2; random embeddings that reach it at d = N/2, with the best W found, the best q(x) found and equal weights",
    against: "a seed that misses an input; random embeddings that reach zero error with fewer dimensions than inputs",
    protocol: &["N = 100, M = 10, α = 2, d = 2"],
    choices: &[
        "learned as on the left; random embeddings on the unit sphere, d from 2 to 100",
        "neither rule nor updates are given: Adam at 0.1 and the budget of Figure 11",
    ],
    rivals: &[
        "any W, by minimising the cross-entropy of all inputs, and at d = 2 of the first 2, 4, 8 and 100; any q(x) in the same way, at d = N/2; equal weights on all inputs",
    ],
    run,
    ..Check::DEFAULT
};

/// Classes.
const TEN: usize = 10;
/// Dimensions in which random embeddings get the best W that is found.
const SCAN: [usize; 8] = [2, 8, 12, 16, 20, 25, HALF, 100];
/// N/2.
const HALF: usize = 50;

fn run(s: &Sheet) -> Done {
    let (p, labels) = (law()?.probabilities(INPUTS), target(TEN)?.labels(INPUTS));
    let count = s.knob("random embeddings", s.scale().pick(20, 60), 2..)?;
    // Shares with zero error in each dimension.
    let (mut best, mut equal, mut in_the_plane) = (Vec::new(), Vec::new(), Vec::new());
    let [printed, changed] = [s.printed(EXACT), s.changed(EXACT)].map(|says| says.of("embeddings"));
    s.condition("for equal weights, the scheme of Theorem 1 (ρ = 0), whose condition this is: weights q(x) or a W that are trained for the embeddings reach zero error at d = N/2 and below, still with many more dimensions than two");
    for d in SCAN {
        let draw = |i: usize| -> Result<Embeddings, Failure> {
            let mut stream = s.streams().replicate(&format!("random, d = {d}"), i)?;
            Ok(Embeddings::spherical(INPUTS, TEN, d, &mut stream)?)
        };
        let drawn = (0..count).map(draw).collect::<Result<Vec<_>, Failure>>()?;
        let stored: &[usize] = if d == 2 { &[2, 4, 8, INPUTS] } else { &[INPUTS] };
        let errors = best_trained_errors(Freedom::Memory, &drawn, &labels, &p, stored, &[0.0])?;
        if d == 2 {
            in_the_plane.clone_from(&errors);
        }
        let by_equal = drawn.iter().map(|e| Ok(threshold_errors(e, &labels, &p, &[INPUTS])?[0]));
        let by_equal = by_equal.collect::<Result<Vec<f64>, Failure>>()?;
        if d == HALF {
            let of_weights = best_trained_errors(Freedom::Weights, &drawn, &labels, &p, stored, &[0.0])?;
            for ((error, of_q), of_equal) in errors.iter().zip(&of_weights).zip(&by_equal) {
                printed.never("best W, d = N/2: random embeddings with zero error", *error == 0.0);
                printed.never("best q(x), d = N/2: random embeddings with zero error", *of_q == 0.0);
                changed.never("equal weights, d = N/2: random embeddings with zero error", *of_equal == 0.0);
            }
        }
        let zeros = |errors: &[f64]| share(errors.iter().filter(|error| **error == 0.0).count(), count);
        best.push(zeros(&errors)?);
        equal.push(zeros(&by_equal)?);
    }
    // The first in which more than half of the embeddings reach zero error, with confidence.
    let reached = SCAN.into_iter().zip(&best).find(|(_, share)| share.low > MORE_THAN_HALF.value);
    s.note(reached.map_or_else(
        || "the best W reaches zero error for more than half of the embeddings in none of the dimensions".to_string(),
        |(d, _)| format!("the best W reaches zero error for more than half of the embeddings from d = {d} on"),
    ));
    let rarely = s.aside(MORE_THAN_HALF).of("embeddings");
    rarely.at_most("equal weights, d = N: random embeddings with zero error", equal[7]);
    rarely.at_most("best W, d = 8: random embeddings with zero error", best[1]);

    let (plane, line) = (seen(s, TEN, 2, seeds(s)?)?, seen(s, TEN, 1, 20)?);
    let without_error = |of: &Seen| share(of.without_error(), of.errors.len());
    let [both, twin] = [s.both_forms(NEARLY_ALL), s.twin(NEARLY_ALL)].map(|says| says.of("seeds"));
    both.at_least("M = 10, d = 2: seeds with zero error", without_error(plane.on(s))?);
    let label = "d = 2: error of the best W found for random embeddings minus that of learned ones";
    s.both_forms(Margin::ZERO).of("embeddings").at_least(label, difference(&in_the_plane, &plane.on(s).errors)?);
    twin.at_least("a line in place of the plane, d = 1: seeds with zero error", without_error(&line.value)?);
    s.figure(
        Figure::new("Ten classes find a sector each in the plane")
            .panel(panel("M = 10, with the inputs", &*first(s, TEN)?, true))
            .caption("The first seed. Colour: the class with the largest score in this direction."),
    );
    let values = |shares: &[Estimate]| shares.iter().map(|share| share.value).collect::<Vec<f64>>();
    let frame = frame!("d" => SCAN, "best W found" => values(&best), "equal weights" => values(&equal))?;
    let table = Table::new(frame)
        .title("Share of random embeddings with zero error")
        .caption("N = 100 inputs, ten classes.")
        .rows(20)
        .digits(3);
    s.table(table);
    Ok(())
}
