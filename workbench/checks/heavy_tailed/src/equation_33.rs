//! Eq. 33: the lower bound for quasi-orthogonal outputs.
//!
//! **Claim** (`heavy-tailed/eq-33`). R_y <= q^2 (1+eta)^2 / sum q(x)^2 (1[f_*(x) = y] (1-eta)^2 + 1[f_*(x) = f] (1+eta)^2) <= q^2 /
//! ((1-eta)/(1+eta) Q_y + Q_f - q^2), hence with c = .079 E_e[E(f_q)] >= c sum_x p(x) 1[(d+1) q^2 <= (1-eta)/(1+eta) Q_inf].
//!
//! Dividing the middle member by (1+eta)^2 gives the fraction squared, which is smaller: the second sign should break. But for unit vectors
//! R_y <= q^2 / (Q_y + Q_f - q^2), so the last member and Eq. 33 are reached by a shorter way. Refuted by an error below it just inside of
//! its set, also where the tested input's own class holds the largest energy.

use workbench_ground::stats::unit_sphere;
use workbench_ledger::{Check, Done, Failure, Sheet};
use workbench_memory::{GivenOutputs, Profile, SURVIVAL_CONSTANT, quasi_lower};

use super::many_classes::{FAR, at_threshold, equal_classes};
use super::profiles::{BOUND, even, exceeds, simulate};
use super::quasi_orthogonal_ratio::{certified, links};
use crate::vocabulary::{EXACT, ROUNDING};

/// The two signs, and the bound at its threshold.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-33",
    metric: "one member of the chain over the next; error over the right side at its threshold",
    against: "a member above the next one; an error below the right side",
    protocol: &["c = .079; eta-quasi orthogonal outputs"],
    choices: &[
        "eta is the exact coherence; weights just inside of the set, with the heaviest class another one or the tested input's own",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.step(
        "R ≤ q²/(Q_y + Q_f - q²) ≤ the printed last member, for unit vectors; the second ≤ would need the fraction squared, and Eq. 33 stands as printed",
    );
    for link in s.each("cells", links(s)?) {
        let c = &link.chain;
        s.printed(BOUND).at_most("second ≤ as printed: left over right, largest", c.upper_first / c.upper_printed);
        let label = "second ≤ with the fraction squared: relative difference of the two sides";
        s.aside(ROUNDING).same(label, (c.upper_first / c.upper_squared - 1.0).abs());
        let first = exceeds(c.ratio, c.upper_first);
        s.both_forms(EXACT).of("cases").never("first ≤: cases that break it", first);
        let shorter = s.changed(ROUNDING);
        shorter.at_most("R over q²/(Q_y + Q_f - q²), less one, largest", c.ratio / c.upper_direct - 1.0);
        let label = "q²/(Q_y + Q_f - q²) over the printed last member, less one, largest";
        shorter.at_most(label, c.upper_direct / c.upper_printed - 1.0);
    }
    for given in certified(s)?.iter() {
        for d in s.each("cells", [given.n_classes() + 1, 40, 1000, 1 << 30]) {
            at_the_threshold(s, given, d.max(given.n_classes()))?;
        }
    }

    // Seven weak inputs and a heavy one, M = 4, d = 20.
    let mut stream = s.stream("eq 33")?;
    let outputs = unit_sphere(&mut stream, 4, 20);
    let (weights, labels) = ([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0], [1, 2, 3, 0, 1, 2, 3, 0]);
    let runs = s.knob("memories", s.scale().pick(1000, 5000), 2..)?;
    let seen = simulate(&outputs, &weights, &labels, runs, &mut stream)?;
    let bound = quasi_lower(&even(&weights, &labels, 4)?, 20, GivenOutputs::new(&outputs)?.coherence(), 1)?;
    let label = "simulated error over the right side, M = 4, d = 20";
    s.both_forms(BOUND).of("memories").at_least(label, seen.affine(1.0 / bound, 0.0)?);

    let (k, q) = (16, (1.0 / (FAR as f64 + 1.0)).sqrt() * (1.0 - 1e-9));
    let right = quasi_lower(&equal_classes(k, q)?, FAR, 0.0, 1)?;
    let label = "16 classes of equal energy, at the threshold: largest tail over the right side";
    s.both_forms(BOUND).of("cells").at_least(label, at_threshold(k, 1.0, 1.0)?.0 / right);
    let label = "‖q‖² in the place of Q∞, 16 classes of equal energy: sum of tails over the right side";
    s.twin(BOUND).of("cells").at_least(label, at_threshold(k, 1.0, k as f64)?.1 / SURVIVAL_CONSTANT);
    Ok(())
}

/// Error over the bound just inside of its set.
fn at_the_threshold(s: &Sheet, given: &GivenOutputs, d: usize) -> Done {
    let (at_d, m, eta) = (GivenOutputs::from_gram(given.gram().clone(), d)?, given.n_classes(), given.coherence());
    let edge = |factor: f64, power: i32| {
        let fraction = ((1.0 - eta) / (1.0 + eta)).powi(power);
        (factor * fraction / (d as f64 + 1.0)).sqrt() * (1.0 - 1e-9)
    };
    for own in s.each("cells", [false, true]) {
        for (power, label) in [
            (1, "error over the bound of Eq. 33 at its threshold, smallest"),
            (0, "the same bound with the fraction to the power 0, smallest"),
        ] {
            let weight = edge(1.0, power);
            // In the heavy input's class the tested input adds to the energy.
            let weight = if own { weight / (1.0 - weight * weight).sqrt() } else { weight };
            let profile = beside(weight, own, m)?;
            let bound = quasi_lower(&profile, d, eta, power)?;
            if bound > 0.0 {
                let says = if power == 1 { s.both_forms(BOUND) } else { s.aside(BOUND) };
                says.at_least(label, at_d.error_between(&profile)?.0 / bound);
            }
        }
    }
    if m > 2 && eta < 0.05 {
        // The sum of tails, which the error does not exceed.
        let error = at_d.error_between(&beside(edge(4.0, 1), false, m)?)?.1;
        s.twin(BOUND).least().at_least("threshold four times as far", error / SURVIVAL_CONSTANT);
    }
    Ok(())
}

/// A tested input of mass one and weight `q`, of class 0 or of that of the heavy input.
fn beside(q: f64, own: bool, m: usize) -> Result<Profile, Failure> {
    Ok(Profile::from_weights(&[0.0, 1.0], &[1.0, q], &[0, usize::from(!own)], m)?)
}
