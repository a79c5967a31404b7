//! Eqs. 34 and 35: random outputs, the two cases.
//!
//! **Claim** (`heavy-tailed/eq-34-35`). Random outputs fail to be eta-quasi orthogonal with probability at most M^2 / (2 sqrt pi) sqrt(2 /
//! (eta^2 d)) exp(-eta^2 d / 2). For any Z bounded by one, P(E) E[Z|E] <= E[Z] = (1 - P(E)) E[Z|not E] + P(E) E[Z|E] <= (1 - P(E)) +
//! E[Z|E].
//!
//! The first inequality drops E[Z|not E] and the last replaces P(E) by one: both need Z >= 0, which an error is and which "any random
//! variable bounded by one" is not. Probability spaces of four atoms are enumerated. Against Eq. 34 would count a share of failures
//! above the bound, against Eq. 35 one event for which a sign is wrong.

use workbench_ground::stats::{Stream, proportion, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Plan, Setting, TypedCheck};
use workbench_memory::{cap_probability, coherence, output_failure_bound};

use super::proof_of_lemma_3::{BOUND, Broken, below};
use crate::vocabulary::{EXACT, Largest, by_scale};

/// Failure shares, and all events of small spaces.
#[derive(Clone, Debug)]
pub struct TwoCases {
    /// M, d, eta.
    pub sizes: Vec<(usize, usize, f64)>,
    /// Families for each; by scale if 0.
    pub families: usize,
}

impl Default for TwoCases {
    fn default() -> TwoCases {
        TwoCases {
            sizes: vec![(4, 12, 0.5), (4, 12, 0.8), (4, 40, 0.4), (8, 20, 0.6), (8, 60, 0.4), (16, 100, 0.35)],
            families: 0,
        }
    }
}

impl TwoCases {
    /// Upper end of the share of failures over the bound; lower end over the bound with exponent -eta^2 d.
    fn failures(&self, setting: &Setting, stream: &mut Stream) -> Result<(Largest, Largest), Failure> {
        let runs = by_scale(self.families, setting.scale().pick(4000, 30_000));
        let (mut printed, mut steeper) = (Largest::default(), Largest::default());
        for &(m, d, eta) in &self.sizes {
            let mut failures = 0usize;
            for _ in 0..runs {
                failures += usize::from(coherence(&unit_sphere(stream, m, d))? > eta);
            }
            let share = proportion(failures, runs)?;
            printed.see(share.high / output_failure_bound(m, d, eta)?);
            steeper.see(share.low / output_failure_bound(m, 2 * d, eta)?);
        }
        Ok((printed, steeper))
    }
}

/// For two classes: the exact probability over the bound, d = 3 to 300, eta = .01 to .99.
fn exact_pairs() -> Result<(Largest, usize), Failure> {
    let (mut largest, mut of) = (Largest::default(), 0);
    for d in 3..=300usize {
        for i in 1..100 {
            let eta = f64::from(i) / 100.0;
            largest.see(cap_probability(d, eta)? / output_failure_bound(2, d, eta)?);
            of += 1;
        }
    }
    Ok((largest, of))
}

/// Probabilities of the atoms.
const ATOMS: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
/// Sums of four products of such numbers.
const SUMS: f64 = 1e-12;

#[derive(Default)]
struct Signs {
    first: Broken,
    last: Broken,
    /// The last sign without 1 - P(E).
    last_without: Broken,
}

/// All events, neither empty nor sure, and all Z with these values on the atoms.
fn enumerate(values: &[f64]) -> Signs {
    let (n, mut signs) = (values.len(), Signs::default());
    for code in 0..n.pow(4) {
        let z: Vec<f64> = (0..4).map(|i| values[code / n.pow(i) % n]).collect();
        for event in 1..15u32 {
            let inside = |i: &usize| event >> i & 1 == 1;
            let p: f64 = (0..4).filter(inside).map(|i| ATOMS[i]).sum();
            let on: f64 = (0..4).filter(inside).map(|i| ATOMS[i] * z[i]).sum();
            let all: f64 = (0..4).map(|i| ATOMS[i] * z[i]).sum();
            signs.first.see(on > all + SUMS);
            signs.last.see(all > 1.0 - p + on / p + SUMS);
            signs.last_without.see(all > on / p + SUMS);
        }
    }
    signs
}

impl TypedCheck for TwoCases {
    const CLAIM: &'static str = "heavy-tailed/eq-34-35";
    const PLAN: Plan = Plan::new(
        "share of families with a larger coherence over the bound; events for which a sign is wrong",
        "a share, with its interval, above the bound; one event for which a sign is wrong",
        &[BOUND, EXACT],
    )
    .departures(&["four atoms with probabilities .1 to .4, values in steps of one half"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (printed, steeper) = self.failures(setting, &mut setting.stream("failures")?)?;
        let (pairs, of) = exact_pairs()?;
        let (errors, any) = (enumerate(&[0.0, 0.5, 1.0]), enumerate(&[-1.0, -0.5, 0.0, 0.5, 1.0]));
        let sizes = self.sizes.len();
        let frequencies = below("upper end of the failure share over the bound, worst (M, d, η)", printed.0, sizes);
        let caps = below("M = 2: exact cap probability over the bound, d = 3 to 300", pairs.0, of);
        let evidence = Evidence::of(any.first.none("first ≤ of Eq. 35, |Z| ≤ 1"))
            .and(any.last.none("last ≤ of Eq. 35, |Z| ≤ 1"))
            .condition(
                "Z lies between 0 and 1, as an error does",
                vec![
                    errors.first.none("first ≤ of Eq. 35, 0 ≤ Z ≤ 1"),
                    errors.last.none("last ≤ of Eq. 35, 0 ≤ Z ≤ 1"),
                    frequencies,
                    caps,
                ],
            )
            .twin(below("exponent -η²d in the place of -η²d/2", steeper.0, sizes))
            .twin(errors.last_without.none("without 1 - P(E), 0 ≤ Z ≤ 1"))
            .note("Z = -1 everywhere, P(E) = 1/2: the first sign says -1/2 ≤ -1");
        Ok(evidence.into())
    }
}
