//! Figure 12, right: ten classes in the plane.
//!
//! **Claim** (`heavy-tailed/fig-12-right`). With M = 10 learned embeddings allow again a zero generalization error. Reaching it with d = 2
//! greatly contrasts with the condition d >= N that is needed when the embeddings are random.
//!
//! "Needed" is asked of random embeddings with the best W that is found, and with equal weights, the scheme of Theorem 1: the smallest d of a
//! scan at which more than half of the embeddings reach zero error, with confidence. Refuted by a seed that misses an input at d = 2,
//! or random embeddings that reach zero error with fewer dimensions than inputs.

use workbench_display::{Figure, Table, frame};
use workbench_ground::stats::{Estimate, mean};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};
use workbench_memory::{Embeddings, Freedom, best_trained_errors, threshold_errors};

use super::figure_12::{Seen, first, panel, seeds, seen};
use super::learned_embeddings::{HALF, INPUTS, NEARLY_ALL, law, share, target};

const USELESS: Margin =
    Margin::new("large error", 0.1, "a tenth of all answers wrong, where learned embeddings have none");
const FULL: Margin = Margin::new("N", 100.0, "the condition as printed, as many dimensions as inputs");

/// Right panel: ten classes.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/fig-12-right",
    metric: "seeds with zero error at d = 2; smallest scanned d at which random embeddings reach it, with the best W found and with equal weights",
    against: "a seed that misses an input; random embeddings that reach zero error with fewer dimensions than inputs",
    protocol: &[
        "N = 100, M = 10, α = 2, d = 2; learned as on the left; random embeddings on the unit sphere, d from 2 to 100",
    ],
    departures: &["the caption gives neither rule nor updates: Adam at 0.1 and the budget of Figure 11"],
    rivals: &[
        "any W, by minimising the cross-entropy of all inputs, and at d = 2 of the first 2, 4, 8 and 100; equal weights on all inputs",
    ],
    run,
    ..Check::DEFAULT
};

/// Classes.
const TEN: usize = 10;
/// Dimensions in which random embeddings get the best W that is found.
const SCAN: [usize; 8] = [2, 8, 12, 16, 20, 25, 50, 100];

fn run(s: &Sheet) -> Done {
    let (p, labels) = (law()?.probabilities(INPUTS), target(TEN)?.labels(INPUTS));
    let count = s.knob("random embeddings", s.scale().pick(20, 60), 2..)?;
    // Shares with zero error in each dimension.
    let (mut best, mut equal) = (Vec::new(), Vec::new());
    let rarely = s.changed(HALF).of("embeddings");
    s.weaker("random embeddings need d of at least N with equal weights; a trained W reaches zero error with fewer, though far more than two");
    for d in SCAN {
        let draw = |i: usize| -> Result<Embeddings, Failure> {
            let mut stream = s.streams().replicate(&format!("random, d = {d}"), i)?;
            Ok(Embeddings::spherical(INPUTS, TEN, d, &mut stream)?)
        };
        let drawn = (0..count).map(draw).collect::<Result<Vec<_>, Failure>>()?;
        let stored: &[usize] = if d == 2 { &[2, 4, 8, INPUTS] } else { &[INPUTS] };
        let errors = best_trained_errors(Freedom::Memory, &drawn, &labels, &p, stored, &[0.0])?;
        if d == 2 {
            let label = "random embeddings at d = 2: error of the best W found";
            s.changed(USELESS).of("embeddings").at_least(label, mean(&errors)?);
        }
        let by_equal = drawn.iter().map(|e| Ok(threshold_errors(e, &labels, &p, &[INPUTS])?[0]));
        let by_equal = by_equal.collect::<Result<Vec<f64>, Failure>>()?;
        let zeros = |errors: &[f64]| share(errors.iter().filter(|error| **error == 0.0).count(), count);
        best.push(zeros(&errors)?);
        equal.push(zeros(&by_equal)?);
    }
    // The first in which more than half of the embeddings reach zero error, with confidence; if none does the last, which is then too low.
    let reached = SCAN.into_iter().zip(&best).find(|(_, share)| share.low > HALF.value);
    let label = "smallest scanned d with zero error for random embeddings and the best W";
    s.printed(FULL).at_least(label, reached.map_or(SCAN[7], |(d, _)| d) as f64);
    rarely.at_most("equal weights, d = N: random embeddings with zero error", equal[7]);
    rarely.at_most("best W, d = 8: random embeddings with zero error", best[1]);

    let (plane, line) = (seen(s, TEN, 2, seeds(s)?)?, seen(s, TEN, 1, 20)?);
    let without_error = |of: &Seen| share(of.without_error(), of.errors.len());
    let [changed, twin] = [s.changed(NEARLY_ALL), s.twin(NEARLY_ALL)].map(|says| says.of("seeds"));
    changed.at_least("M = 10, d = 2: seeds with zero error", without_error(plane.on(s))?);
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
