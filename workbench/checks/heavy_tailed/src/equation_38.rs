//! Eq. 38: the lower bound with its constants put in.
//!
//! **Claim** (`heavy-tailed/eq-38`). When d > 8 ln M one can take eta < 1/2 with eta^2 d > 4 ln M, "which leads to (eta-1)/(eta+1) > 1/3"
//! and, for M >= 4, 1 - failure(eta) >= 1 - 1/(2 sqrt pi sqrt(2 ln M)) > 2/3; hence E_{e,u}[E(f_q)] >= c_1 sum_x p(x) 1[(d+1) q^2 <= c_2
//! Q_inf] with c_1 > .052 and c_2 > 1/3 for d >= 8 ln M.
//!
//! eta^2 d > 4 ln M with eta < 1/2 means d > 16 ln M, so between 8 and 16 ln M there is no such eta; and the printed fraction is
//! negative. Against the bound itself would count an error below it at its threshold, from d = 8 ln M on.

use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};
use workbench_memory::{Profile, SURVIVAL_CONSTANT, eta_window, output_failure_bound, survival_lower};

use super::many_classes_b_1::at_threshold;
use super::proof_of_lemma_3::{BOUND, Broken, above, draws, expected_error};
use crate::vocabulary::{EXACT, Largest, Least, ROUNDING, least_of};

const THIRD: Margin = Margin::new("one third", 1.0 / 3.0, "the number that the document prints");
const TWO_THIRDS: Margin = Margin::new("two thirds", 2.0 / 3.0, "the number that the document prints");
const C_1: Margin = Margin::new("c₁", 0.052, "the number that the document prints");

/// The choice of eta, the fractions, and the bound at its threshold.
#[derive(Clone, Debug)]
pub struct WithConstants {
    /// Draws of output embeddings; by scale if 0.
    pub draws: usize,
    /// The choice of eta is tried for M = 4 to this, and d up to `dims`.
    pub classes: usize,
    /// See `classes`.
    pub dims: usize,
}

impl Default for WithConstants {
    fn default() -> WithConstants {
        WithConstants { draws: 0, classes: 64, dims: 100 }
    }
}

/// `1 - 1 / (2 sqrt pi sqrt(2 ln M))`.
fn two_thirds(m: usize) -> f64 {
    1.0 - 1.0 / (2.0 * std::f64::consts::PI.sqrt() * (2.0 * (m as f64).ln()).sqrt())
}

/// The same against Eq. 34 at eta^2 d = 4 ln M, M = 4 to 1000.
fn by_substitution() -> Result<Largest, Failure> {
    let mut off = Largest::default();
    for m in 4..=1000usize {
        let log_m = (m as f64).ln();
        let d = (20.0 * log_m).ceil();
        let failure = output_failure_bound(m, d as usize, (4.0 * log_m / d).sqrt())?;
        off.see((1.0 - failure - two_thirds(m)).abs());
    }
    Ok(off)
}

/// The smallest of a fraction over eta below one half.
fn least_fraction(fraction: impl Fn(f64) -> f64) -> f64 {
    least_of((1..500).map(|i| fraction(f64::from(i) / 1000.0)))
}

impl WithConstants {
    /// Pairs (M, d) with d > factor ln M for which there is no eta.
    fn without_eta(&self, factor: f64) -> Broken {
        let mut without = Broken::default();
        for m in 4..=self.classes {
            for d in (1..=self.dims).filter(|&d| d as f64 > factor * (m as f64).ln()) {
                without.see(eta_window(m, d).is_none());
            }
        }
        without
    }

    /// Lower end of the error over the right side just inside of its set, for M = 4 and 16 from d = 8 ln M on.
    fn tightest(&self, setting: &Setting) -> Result<(Least, usize), Failure> {
        let draws = draws(setting, self.draws)?;
        let (mut tightest, mut of) = (Least::default(), 0);
        for (draws, m) in [(&draws.four, 4usize), (&draws.sixteen, 16)] {
            let from = |factor: f64| (factor * (m as f64).ln()).ceil() as usize;
            for d in [from(8.0), from(12.0), from(16.0), 1000, 1 << 40] {
                let edge = (1.0 / (3.0 * (d as f64 + 1.0))).sqrt() * (1.0 - 1e-9);
                for class in [0usize, 1] {
                    let profile = Profile::from_weights(&[0.0, 1.0], &[1.0, edge], &[0, class], m)?;
                    tightest.see(expected_error(draws, &profile, d)?.low / survival_lower(&profile, d)?);
                    of += 1;
                }
            }
        }
        Ok((tightest, of))
    }

    /// The same with c_2 = 3 in the place of 1/3, M = 4, d = 2^40, for an input beside a heavy one of another class.
    fn with_three(&self, setting: &Setting) -> Result<f64, Failure> {
        let (draws, d) = (draws(setting, self.draws)?, 1usize << 40);
        let weight = (3.0 / (d as f64 + 1.0)).sqrt();
        let profile = Profile::from_weights(&[0.0, 1.0], &[1.0, weight], &[0, 1], 4)?;
        Ok(expected_error(&draws.four, &profile, d)?.low / C_1.value)
    }
}

impl TypedCheck for WithConstants {
    const CLAIM: &'static str = "heavy-tailed/eq-38";
    const PLAN: Plan = Plan::new(
        "pairs (M, d) without an eta; fractions in absolute numbers; lower end of the error over the right side",
        "one pair without an eta; a fraction below its number; an error below the right side",
        &[BOUND, THIRD, TWO_THIRDS, C_1, EXACT, ROUNDING],
    )
    .departures(&["the choice of eta is enumerated for M up to 64 and d up to 100"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (tightest, of) = self.tightest(setting)?;
        let stands =
            above("lower end of the error over Eq. 38 at its threshold, smallest, d from 8 ln M", tightest.0, of);
        let at_least =
            |label: &str, margin: Margin, value: f64| Finding::at_least(label, margin, Estimate::exact(value));
        let ((largest, _), (_, sum)) = (at_threshold(64, 3.0, 1.0)?, at_threshold(64, 3.0, 64.0)?);
        let from_two = least_of((2..=10_000).map(two_thirds));
        let evidence = Evidence::of(self.without_eta(8.0).none("an η for every (M, d) with d > 8 ln M"))
            .and(at_least(
                "(η-1)/(η+1), smallest over η < 1/2",
                THIRD,
                least_fraction(|h| (h - 1.0) / (h + 1.0)),
            ))
            .and(at_least("1 - 1/(2√π √(2 ln M)), M = 4", TWO_THIRDS, two_thirds(4)))
            .misprint(
                "the fraction is (1-η)/(1+η), and the choice of η needs d > 16 ln M; Eq. 38 itself holds from 8 ln M on",
                vec![
                    self.without_eta(16.0).none("an η for every (M, d) with d > 16 ln M"),
                    at_least(
                        "(1-η)/(1+η), smallest over η < 1/2",
                        THIRD,
                        least_fraction(|h| (1.0 - h) / (1.0 + h)),
                    ),
                    at_least("1 - 1/(2√π √(2 ln M)), smallest over M = 2 to 10⁴", TWO_THIRDS, from_two).cases(9999),
                    Finding::identity("the same against Eq. 34 at η²d = 4 ln M", by_substitution()?.0, ROUNDING).cases(997),
                    at_least(".079 · 2/3", C_1, SURVIVAL_CONSTANT * 2.0 / 3.0),
                    stands,
                    above(
                        "64 classes of equal energy, at the threshold: largest tail over Eq. 38",
                        largest / C_1.value,
                        1,
                    ),
                ],
            )
            .twin(above(
                "‖q‖² in the place of Q∞, 64 classes of equal energy: sum of tails over Eq. 38",
                sum / C_1.value,
                1,
            ))
            .twin(above(
                "c₂ = 3 in the place of 1/3: lower end of the error over the right side, d = 2⁴⁰",
                self.with_three(setting)?,
                1,
            ));
        Ok(evidence.into())
    }
}
