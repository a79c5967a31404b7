//! Splitting the error by an event of the data: B.2, finite data, first displays.
//!
//! **Claim** (`heavy-tailed/b2-decomposition`). For any sets E_x the error is sum p(x) P(q^ not in E_x) + sum p(x) P(wrong | q^ in E_x),
//! printed as an equality. The second term is at most inf_gamma 2 d^-gamma + P(d q^^2 <= 16 c (Q^_inf + 8 c ||q^||^2/d) | E_x), hence at
//! most the same with c' ||q^||^2, c' = 16 c (1 + 8 c/d), as Q_inf <= ||q||^2.
//!
//! All data sets of small problems are listed. With two classes the error of each is a Student probability, so both sides are exact.
//! Refuted by a side that differs, and by a failure above its bound.

use workbench_ground::stats::{least_of, mean};
use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{ConditionalDraws, DataSets, Profile, Scheme, Zipf, cut_level, proof_cut_level};

use super::exponents::SUM_ROUNDING;
use crate::vocabulary::ROUNDING;

const SAYS_SOMETHING: Margin =
    Margin::ours("says something", 0.1, "a bound near one on a probability would say nothing");

/// Both displays on every data set of small problems.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/b2-decomposition",
    metric: "difference of both sides over all data sets; lower end of a failure minus its bound",
    against: "two sides that differ; a failure above its bound",
    protocol: &["any sets E_x"],
    choices: &[
        "E_x: x was seen at least once, twice, three times",
        "for the bound of one failure four classes, five inputs, four samples, d = 64 to 2^14, γ from 0.05 to 3",
    ],
    departures: &["tiny N and T, so that every data set can be listed; two classes where both sides have to be exact"],
    run,
    ..Check::DEFAULT
};

/// `(alpha, N, T)`, two classes.
const PROBLEMS: [(f64, usize, usize); 4] = [(1.0, 2, 6), (1.5, 3, 5), (2.0, 3, 8), (1.2, 4, 6)];
/// `(rho, d)` for each problem.
const MEMORIES: [(f64, usize); 4] = [(0.0, 4), (0.5, 10), (1.0, 10), (1.0, 100)];

fn run(s: &Sheet) -> Done {
    s.misprint("≤ in place of the second =; the equality is the law of total probability");
    for (alpha, n, size) in PROBLEMS {
        let p = Zipf::new(alpha, n)?.probabilities(n);
        for (rho, d) in MEMORIES {
            let sets = DataSets::two_classes(&p, size, &Scheme::power(rho)?, d)?;
            for rank in 1..=n {
                for often in s.each("splits", 1..=3usize) {
                    // E_x: x was seen at least so often.
                    let split = sets.split(rank, &|set| set.counts[rank - 1] >= often)?;
                    let (left, right) = (split.error, split.printed());
                    s.printed(ROUNDING).same("left minus right side, worst split", (right - left).abs());
                    s.changed(Margin::ZERO).never("≤: splits that break it", left > right + 1e-14);
                    let off = (split.exact() - left).abs();
                    s.changed(SUM_ROUNDING).same("law of total probability, worst split", off);
                    let label = "the conditional error alone as a bound: largest excess of the error";
                    s.twin(Margin::ZERO).largest().at_most(label, left - split.error_inside);
                }
            }
        }
    }
    bounds(s)
}

/// The failure of one input against its bound: every data set that shows it, four classes, five inputs, four samples.
fn bounds(s: &Sheet) -> Done {
    let p = Zipf::new(1.0, 5)?.probabilities(5);
    let draws = ConditionalDraws::new(4, 200, &mut s.stream("draws, M = 4")?)?;
    let (mut pairs, mut between) = (0, 0);
    for d in s.knobs("dimensions", &[64usize, 384, 1 << 14], 1..)? {
        for set in DataSets::two_classes(&p, 4, &Scheme::power(0.5)?, d)?.list() {
            let shown = (0..p.len()).filter(|x| set.counts[*x] > 0);
            for x in s.each("data sets with a seen input", shown) {
                let mut only_x = [0.0; 5];
                only_x[x] = 1.0;
                let profile = Profile::from_weights(&only_x, &set.weights, &[0, 1, 2, 3, 0], 4)?;
                let failure = mean(&draws.expected_error(&profile, d)?.to_vec())?;
                let (dim, q2) = (d as f64, set.weights[x].powi(2));
                let (norm, top) = (profile.total_energy(), profile.largest_energy());
                s.support(SUM_ROUNDING).at_most("largest Q∞ − ‖q‖²", top - norm);

                let (mut bound, mut outside, mut outside_16) = (1.0f64, false, false);
                for gamma in (1..=60).map(|i| 0.05 * f64::from(i)) {
                    let (c, whole) = (cut_level(4, dim, gamma), proof_cut_level(4, dim, gamma) * norm);
                    let off = (16.0 * c * (norm + 8.0 * c * norm / dim) / whole - 1.0).abs();
                    s.support(SUM_ROUNDING).same("16 c (1 + 8c/d) ‖q‖² against c'‖q‖², relative", off);
                    let inside = dim * q2 <= 16.0 * c * (top + 8.0 * c * norm / dim);
                    outside |= inside && dim * q2 > whole;
                    outside_16 |= inside && dim * q2 > 16.0 * c * norm;
                    bound = least_of([bound, 2.0 * dim.powf(-gamma) + f64::from(u8::from(inside))]);
                }
                let label = "lower end of the failure minus the bound, worst pair";
                s.printed(Margin::ZERO).at_most(label, failure.low - bound);
                s.aside(SAYS_SOMETHING).least().at_most("smallest bound", bound);
                let label = "first set inside the second: pairs that break it";
                s.changed(Margin::ZERO).of("pairs").never(label, outside);
                s.twin(Margin::ZERO).of("pairs").never("16 c in place of c': pairs that break it", outside_16);
                pairs += 1;
                between += usize::from((0.01..0.5).contains(&bound));
            }
        }
    }
    s.note(format!(
        "{between} of the {pairs} bounds lie between 0.01 and 0.5; the others say nothing or next to nothing is lost"
    ));
    Ok(())
}
