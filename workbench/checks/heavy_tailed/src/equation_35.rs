//! Eqs. 34 and 35: random outputs, the two cases.
//!
//! **Claim** (`heavy-tailed/eq-34-35`). Random outputs fail to be eta-quasi orthogonal with probability at most M^2 / (2 sqrt pi) sqrt(2 /
//! (eta^2 d)) exp(-eta^2 d / 2). For any Z bounded by one, P(E) E[Z|E] <= E[Z] = (1 - P(E)) E[Z|not E] + P(E) E[Z|E] <= (1 - P(E)) +
//! E[Z|E].
//!
//! The first inequality drops E[Z|not E] and the last replaces P(E) by one: both need Z >= 0. Z stands for an error, which lies between 0 and 1
//! throughout the document, so this is part of the statement; what |Z| <= 1 would do stands beside it. Probability spaces of four atoms are
//! enumerated. Eq. 34 is refuted by a share of failures above the bound, Eq. 35 by one event for which a sign is wrong.

use workbench_ground::stats::{proportion, unit_sphere};
use workbench_ledger::{Check, Done, Sheet};
use workbench_memory::{cap_probability, coherence, output_failure_bound};

use super::profiles::BOUND;
use crate::vocabulary::EXACT;

/// Failure shares, and all events of small spaces.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-34-35",
    metric: "share of families with a larger coherence over the bound; events for which a sign is wrong",
    against: "a share, with its interval, above the bound; one event for which a sign is wrong",
    protocol: &["Z bounded by one and, as the error that it stands for, not below 0"],
    choices: &[
        "ten equally likely outcomes in four atoms of .1 to .4, values in steps of one half",
        "M = 4 to 16, d = 12 to 100; M = 2, d = 3 to 300",
    ],
    run,
    ..Check::DEFAULT
};

/// M, d, eta.
const SIZES: [(usize, usize, f64); 6] =
    [(4, 12, 0.5), (4, 12, 0.8), (4, 40, 0.4), (8, 20, 0.6), (8, 60, 0.4), (16, 100, 0.35)];

fn run(s: &Sheet) -> Done {
    let aside = s.aside(EXACT).of("cases");
    for [p, inside, _, all] in events(&[-1.0, -0.5, 0.0, 0.5, 1.0]) {
        aside.never("first ≤ of Eq. 35, |Z| ≤ 1: cases that break it", p * inside > all + SUMS);
        aside.never("last ≤ of Eq. 35, |Z| ≤ 1: cases that break it", all > 1.0 - p + inside + SUMS);
    }
    let (printed, twin) = (s.printed(EXACT).of("cases"), s.twin(EXACT).of("cases"));
    for [p, inside, outside, all] in events(&[0.0, 0.5, 1.0]) {
        printed.never("first ≤ of Eq. 35, 0 ≤ Z ≤ 1: cases that break it", p * inside > all + SUMS);
        printed.never("last ≤ of Eq. 35, 0 ≤ Z ≤ 1: cases that break it", all > 1.0 - p + inside + SUMS);
        let split = |p: f64, q: f64| q * outside + p * inside;
        printed.never("= of Eq. 35: cases that break it", (all - split(p, 1.0 - p)).abs() > SUMS);
        twin.never("= of Eq. 35, P(E) for 1 - P(E): cases that break it", (all - split(p, p)).abs() > SUMS);
        twin.never("without 1 - P(E), 0 ≤ Z ≤ 1: cases that break it", all > inside + SUMS);
    }
    s.note("for Z of either sign, say -1 everywhere with P(E) = 1/2, the first sign would say -1/2 ≤ -1");

    let mut stream = s.stream("failures")?;
    let families = s.knob("families", s.scale().pick(4000, 30_000), 1..)?;
    for (m, d, eta) in s.each("cells", SIZES) {
        let mut failures = 0;
        for _ in 0..families {
            failures += usize::from(coherence(&unit_sphere(&mut stream, m, d))? > eta);
        }
        let share = proportion(failures, families)?;
        let label = "upper end of the failure share over the bound, worst (M, d, η)";
        s.printed(BOUND).at_most(label, share.high / output_failure_bound(m, d, eta)?);
        let label = "exponent -η²d in the place of -η²d/2";
        // The bound for 2d has another prefactor as well, less by the root of two.
        let wrong = 2f64.sqrt() * output_failure_bound(m, 2 * d, eta)?;
        s.twin(BOUND).largest().at_most(label, share.low / wrong);
    }
    for d in 3..=300 {
        for eta in s.each("cells", (1..100).map(|i| f64::from(i) / 100.0)) {
            let label = "M = 2: exact cap probability over the bound, d = 3 to 300";
            s.printed(BOUND).at_most(label, cap_probability(d, eta)? / output_failure_bound(2, d, eta)?);
        }
    }
    Ok(())
}

/// The atom of each of ten equally likely outcomes.
const OUTCOMES: [usize; 10] = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3];
/// Means of ten such numbers.
const SUMS: f64 = 1e-12;

/// P(E), E[Z|E], E[Z|not E] and E[Z], each counted or averaged over outcomes, of all events E of atoms, neither empty nor sure, and all Z
/// with these values on the atoms.
fn events(values: &[f64]) -> Vec<[f64; 4]> {
    let (n, mut found) = (values.len(), Vec::new());
    for code in 0..n.pow(4) {
        let z: Vec<f64> = (0..4).map(|i| values[code / n.pow(i) % n]).collect();
        for event in 1..15u32 {
            let (inside, outside): (Vec<usize>, Vec<usize>) = OUTCOMES.into_iter().partition(|i| event >> i & 1 == 1);
            let mean = |of: &[usize]| of.iter().map(|i| z[*i]).sum::<f64>() / of.len() as f64;
            let p = inside.len() as f64 / OUTCOMES.len() as f64;
            found.push([p, mean(&inside), mean(&outside), mean(&OUTCOMES)]);
        }
    }
    found
}
