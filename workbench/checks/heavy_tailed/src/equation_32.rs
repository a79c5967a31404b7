//! Eqs. 30 and 32: the energies of the classes.
//!
//! **Claim** (`heavy-tailed/eq-30-32`). Q_y = sum_{x: f_*(x) = y} q(x)^2 and Q_inf = max_y Q_y.
//!
//! Definitions; what can be wrong is the function that computes them, and all other checks of Lemma 3 use it. Integer weights make the sums
//! exact. Refuted by a Q_y, or a Q_inf, that differs from the direct sum, or the largest of them. That the Q_y add up to ||q||^2, and what
//! follows for Q_inf, the check stands on.

use workbench_ledger::{Check, Done, Sheet};
use workbench_memory::{Profile, Scheme, Target, Zipf};

use super::profiles::{even, in_turn};
use crate::vocabulary::{EXACT, ROUNDING, largest_of};

/// Energies against direct sums.
pub const CHECK: Check = Check {
    claim: "heavy-tailed/eq-30-32",
    metric: "differences of sums of integers; of grouped and listed sums of a Zipf law",
    against: "a sum, or a largest sum, that differs",
    choices: &["up to forty inputs and eight classes, integer weights of either sign"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("energies")?;
    let (printed, known, twin) = (s.printed(EXACT), s.support(EXACT), s.twin(EXACT).largest());
    for _ in s.cases("profiles", 300, 300)? {
        let (n, m) = (1 + stream.below(40) as usize, 1 + stream.below(8) as usize);
        let weights: Vec<f64> = (0..n).map(|k| if k == 0 { 3.0 } else { stream.below(9) as f64 - 4.0 }).collect();
        let labels: Vec<usize> = (0..n).map(|_| stream.below(m as u64) as usize).collect();
        let profile = even(&weights, &labels, m)?;
        let sum = |power: i32, y: usize| -> f64 {
            let of_class = weights.iter().zip(&labels).filter(|(_, label)| **label == y);
            of_class.map(|(q, _)| q.powi(power)).sum()
        };
        for (y, energy) in profile.energy().iter().enumerate() {
            printed.same("Q_y against direct sums, integers", (energy - sum(2, y)).abs());
            twin.same("q in the place of q²", (energy - sum(1, y)).abs());
            twin.same("the next class in the place of y", (energy - sum(2, (y + 1) % m)).abs());
        }
        let (norm, top) = (weights.iter().map(|q| q * q).sum::<f64>(), profile.largest_energy());
        let largest = largest_of((0..m).map(|y| sum(2, y)));
        printed.same("Q∞ against the largest of the direct sums, integers", (top - largest).abs());
        twin.same("the mean of the Q_y in the place of the largest", (norm / m as f64 - largest).abs());
        known.same("Σ Q_y against ‖q‖², integers", (profile.total_energy() - norm).abs());
        let outside = !(norm <= m as f64 * top && top <= norm);
        known.of("cases").never("‖q‖²/M ≤ Q∞ ≤ ‖q‖²: cases that break it", outside);
    }
    let (one_class, equal) = (even(&[1.0, 2.0, 3.0], &[1, 1, 1], 4)?, in_turn(&[1.0; 12], 4)?);
    let off = (one_class.largest_energy() - 14.0).abs() + (equal.largest_energy() - 3.0).abs();
    known.same("both ends are reached: one class, and equal classes", off);

    // The grouped sums of a Zipf law with weights sqrt(p), against the listed ones.
    let law = Zipf::new(2.0, 5000)?;
    let grouped = Profile::population(&law, &Target::modulo(5)?, &Scheme::power(0.5)?, 100)?.total_energy();
    let off = (grouped - law.probabilities(5000).iter().sum::<f64>()).abs();
    s.support(ROUNDING).same("grouped sums of a Zipf law, Σ p^(2ρ) with ρ = 1/2", off);
    Ok(())
}
