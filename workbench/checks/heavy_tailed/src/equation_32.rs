//! Eqs. 30 and 32: the energies of the classes.
//!
//! **Claim** (`heavy-tailed/eq-30-32`). Q_y = sum_{x: f_*(x) = y} q(x)^2 and Q_inf = max_y Q_y.
//!
//! Definitions; what can be wrong is the function that computes them, and all other checks of Lemma 3 use it. Integer weights make the
//! sums exact. Against it would count a sum that differs, or a Q_inf outside of [||q||^2 / M, ||q||^2].

use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};
use workbench_memory::{Profile, Scheme, Target, Zipf};

use super::proof_of_lemma_3::{Broken, even, in_turn};
use crate::vocabulary::{EXACT, Largest, ROUNDING};

/// Energies against direct sums.
#[derive(Clone, Debug)]
pub struct Energies {
    /// Random profiles.
    pub profiles: usize,
    /// Support of the Zipf law whose grouped sums are compared.
    pub n_inputs: usize,
}

impl Default for Energies {
    fn default() -> Energies {
        Energies { profiles: 300, n_inputs: 5000 }
    }
}

#[derive(Default)]
struct Seen {
    gap: Largest,
    outside: Broken,
    unsquared: Largest,
    other_class: Largest,
}

impl Energies {
    fn random(&self, setting: &Setting) -> Result<Seen, Failure> {
        let mut stream = setting.stream("energies")?;
        let mut seen = Seen::default();
        for _ in 0..self.profiles {
            let (n, m) = (1 + stream.below(40) as usize, 1 + stream.below(8) as usize);
            let weights: Vec<f64> = (0..n).map(|k| if k == 0 { 3.0 } else { stream.below(9) as f64 - 4.0 }).collect();
            let labels: Vec<usize> = (0..n).map(|_| stream.below(m as u64) as usize).collect();
            let profile = even(&weights, &labels, m)?;
            let sum = |power: i32, y: usize| -> f64 {
                let of_class = weights.iter().zip(&labels).filter(|(_, label)| **label == y);
                of_class.map(|(q, _)| q.powi(power)).sum()
            };
            for y in 0..m {
                seen.gap.see((profile.energy()[y] - sum(2, y)).abs());
                seen.unsquared.see((profile.energy()[y] - sum(1, y)).abs());
                seen.other_class.see((profile.energy()[y] - sum(2, (y + 1) % m)).abs());
            }
            let norm: f64 = weights.iter().map(|q| q * q).sum();
            seen.gap.see((profile.total_energy() - norm).abs());
            let top = profile.largest_energy();
            seen.outside.see(!(norm <= m as f64 * top && top <= norm));
        }
        Ok(seen)
    }

    /// The grouped sums of a Zipf law with weights sqrt(p), against the listed ones.
    fn of_zipf(&self) -> Result<f64, Failure> {
        let law = Zipf::new(2.0, self.n_inputs)?;
        let profile = Profile::population(&law, &Target::modulo(5)?, &Scheme::power(0.5)?, 100)?;
        let listed: f64 = law.probabilities(self.n_inputs).iter().sum();
        Ok((profile.total_energy() - listed).abs())
    }
}

impl TypedCheck for Energies {
    const CLAIM: &'static str = "heavy-tailed/eq-30-32";
    const PLAN: Plan = Plan::new(
        "differences of sums of integers; of grouped and listed sums of a Zipf law",
        "a sum that differs; a largest energy outside of its range",
        &[EXACT, ROUNDING],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let seen = self.random(setting)?;
        let one_class = even(&[1.0, 2.0, 3.0], &[1, 1, 1], 4)?.largest_energy();
        let equal = in_turn(&[1.0; 12], 4)?.largest_energy();
        let exact =
            |label: &str, off: Largest| Finding::identity(label, off.0, EXACT).cases(self.profiles).unit("profiles");
        let evidence = Evidence::of(exact("Q_y against direct sums and Σ Q_y against ‖q‖², integers", seen.gap))
            .and(seen.outside.none("‖q‖²/M ≤ Q∞ ≤ ‖q‖²"))
            .and(Finding::identity(
                "both ends are reached: one class, and equal classes",
                (one_class - 14.0).abs() + (equal - 3.0).abs(),
                EXACT,
            ))
            .and(Finding::identity("grouped sums of a Zipf law, Σ p^(2ρ) with ρ = 1/2", self.of_zipf()?, ROUNDING))
            .twin(exact("q in the place of q²", seen.unsquared))
            .twin(exact("the next class in the place of y", seen.other_class));
        Ok(evidence.into())
    }
}
