//! Eq. 38: the lower bound with its constants put in.
//!
//! **Claim** (`heavy-tailed/eq-38`). When d > 8 ln M one can take eta < 1/2 with eta^2 d > 4 ln M, "which leads to (eta-1)/(eta+1) > 1/3"
//! and, for M >= 4, 1 - failure(eta) >= 1 - 1/(2 sqrt pi sqrt(2 ln M)) > 2/3; hence E_{e,u}[E(f_q)] >= c_1 sum_x p(x) 1[(d+1) q^2 <= c_2
//! Q_inf] with c_1 > .052 and c_2 > 1/3 for d >= 8 ln M.
//!
//! eta^2 d > 4 ln M with eta < 1/2 means d > 16 ln M, so between 8 and 16 ln M there is no such eta; and the printed fraction is negative.
//! The shorter way of Eq. 33 asks for none: for unit vectors R <= q^2/(Q_y + Q_f - q^2), at most 1/d in the set of Eq. 38, so that Eq. 29 counts
//! all of it, with .079. The bound itself is refuted by an error below it at its threshold, from d = 8 ln M on.

use workbench_ledger::{Check, Done, Margin, Sheet};
use workbench_memory::{GivenOutputs, Profile, SURVIVAL_CONSTANT, eta_window, output_failure_bound, survival_lower};

use super::many_classes::at_threshold;
use super::profiles::{BOUND, draws, expected_error};
use crate::vocabulary::{EXACT, ROUNDING};

const THIRD: Margin = Margin::printed("one third", 1.0 / 3.0, "the number that the document prints");
const TWO_THIRDS: Margin = Margin::printed("two thirds", 2.0 / 3.0, "the number that the document prints");
const C_1: Margin = Margin::printed("c₁", 0.052, "the number that the document prints");

/// The choice of eta, the fractions, and the bound at its threshold.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-38",
    metric: "pairs (M, d) without an eta; fractions in absolute numbers; mass of the set of Eq. 38 with d R > 1; lower end of the error over the right side",
    against: "one pair without an eta; a fraction below its number; an error below the right side",
    protocol: &["M >= 4, d >= 8 ln M"],
    choices: &["the choice of eta is enumerated for M up to 64 and d up to 100"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.step(
        "no η is needed: R ≤ q²/(Q_y+Q_f-q²), as in Eq. 33, puts the set of Eq. 38 into that of Eq. 29; the η that is taken asks for \
         d > 16 ln M, and the fraction is (1-η)/(1+η)",
    );
    for m in 4..=s.knob("classes", 64, 4..)? {
        for d in 1..=100 {
            let (of_log, no_eta) = (d as f64 / (m as f64).ln(), eta_window(m, d).is_none());
            if of_log > 8.0 {
                let label = "an η for every (M, d) with d > 8 ln M: cases that break it";
                s.printed(EXACT).of("cases").never(label, no_eta);
            }
            if of_log > 16.0 {
                let label = "an η for every (M, d) with d > 16 ln M: cases that break it";
                s.changed(EXACT).of("cases").never(label, no_eta);
            }
        }
    }
    for h in s.each("values of η", (1..500).map(|i| f64::from(i) / 1000.0)) {
        s.printed(THIRD).at_least("(η-1)/(η+1), smallest over η < 1/2", (h - 1.0) / (h + 1.0));
        s.changed(THIRD).at_least("(1-η)/(1+η), smallest over η < 1/2", (1.0 - h) / (1.0 + h));
    }
    for m in s.each("values of M", 4..=10_000) {
        s.both_forms(TWO_THIRDS).at_least("1 - 1/(2√π √(2 ln M)), smallest over M = 4 to 10⁴", two_thirds(m));
    }
    for m in s.each("values of M", 4..=1000) {
        let log_m = (m as f64).ln();
        let d = (20.0 * log_m).ceil();
        let failure = output_failure_bound(m, d as usize, (4.0 * log_m / d).sqrt())?;
        let off = (1.0 - failure - two_thirds(m)).abs();
        s.both_forms(ROUNDING).same("the same against Eq. 34 at η²d = 4 ln M", off);
    }
    s.both_forms(C_1).at_least(".079 · 2/3", SURVIVAL_CONSTANT * 2.0 / 3.0);

    // Lower end of the error over the right side just inside of its set, from d = 8 ln M on; and with c_2 = 3, beside a heavy input of
    // another class.
    let (draws, far, mut stream) = (draws(s)?, 1usize << 40, s.stream("outputs without an η")?);
    for (draws, m) in [(&draws.four, 4usize), (&draws.sixteen, 16)] {
        let from = |factor: f64| (factor * (m as f64).ln()).ceil() as usize;
        for d in [from(8.0), from(12.0), from(16.0), 1000, far] {
            let edge = (1.0 / (3.0 * (d as f64 + 1.0))).sqrt() * (1.0 - 1e-9);
            for class in s.each("cells", [0usize, 1]) {
                let profile = Profile::from_weights(&[0.0, 1.0], &[1.0, edge], &[0, class], m)?;
                let over = expected_error(draws, &profile, d)?.low / survival_lower(&profile, d)?;
                let label = "lower end of the error over Eq. 38 at its threshold, smallest, d from 8 ln M";
                s.both_forms(BOUND).at_least(label, over);
                if d < far {
                    let inside = GivenOutputs::random(m, d, &mut stream)?.surviving_mass(&profile)?;
                    let label = "without an η: inputs at the threshold of Eq. 38 with d R > 1, d from 8 ln M";
                    s.changed(EXACT).of("cells").never(label, inside < 1.0);
                }
            }
        }
    }
    let weight = (3.0 / (far as f64 + 1.0)).sqrt();
    let profile = Profile::from_weights(&[0.0, 1.0], &[1.0, weight], &[0, 1], 4)?;
    let label = "c₂ = 3 in the place of 1/3: upper end of the error over the right side, d = 2⁴⁰";
    s.twin(BOUND).of("cells").at_least(label, expected_error(&draws.four, &profile, far)?.high / C_1.value);
    let label = "64 classes of equal energy, at the threshold: largest tail over Eq. 38";
    s.both_forms(BOUND).of("cells").at_least(label, at_threshold(64, 3.0, 1.0)?.0 / C_1.value);
    let label = "‖q‖² in the place of Q∞, 64 classes of equal energy: sum of tails over Eq. 38";
    s.twin(BOUND).of("cells").at_least(label, at_threshold(64, 3.0, 64.0)?.1 / C_1.value);
    Ok(())
}

/// `1 - 1 / (2 sqrt pi sqrt(2 ln M))`.
fn two_thirds(m: usize) -> f64 {
    1.0 - 1.0 / (2.0 * std::f64::consts::PI.sqrt() * (2.0 * (m as f64).ln()).sqrt())
}
