//! Eqs. 20 to 22: the expected energy change.
//!
//! **Claim** (`mnemosyne/eq-20-22`). E[Delta] = E[E_signal] + E[E_noise], with signal exp(xi_l' input) - exp(xi_l' neg(input, i)) and
//! noise the same summed over all other memories; the averages over k drop out.
//!
//! Every input, every flip: expectations of the random features by quadrature on one side, exponentials of integers on the other. What
//! would count against it: a flip where they differ in the signal, the noise or the whole.

use workbench_features::compact::{DenseMemory, Interaction, Patterns, Signs};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::equation_19::log_expectations;
use super::section_a_2::Factor;
use crate::vocabulary::{Largest, ROUNDING, largest_of};

/// All inputs of the cube of dimension 8, and the 16 words of RM(1,3).
#[derive(Clone, Debug)]
pub struct ExpectedChange {
    /// The parameter of FAVOR++; no expectation depends on it.
    pub a_hat: f64,
}

impl Default for ExpectedChange {
    fn default() -> ExpectedChange {
        ExpectedChange { a_hat: 0.7 }
    }
}

#[derive(Default)]
struct Seen {
    signal: Largest,
    noise: Largest,
    whole: Largest,
    no_noise: Largest,
    one_step: Largest,
    flips: u64,
}

impl ExpectedChange {
    fn see(&self) -> Result<Seen, Failure> {
        const N: usize = 8;
        let code = Patterns::reed_muller(1, 3)?;
        let exact = DenseMemory::new(code.clone(), Interaction::Exponential);
        let logs = log_expectations(N, Factor::printed(N, self.a_hat))?;
        let kernel = |log: f64| log.exp();
        let overlap = |d: usize| N as f64 - 2.0 * d as f64;
        let mut seen = Seen::default();
        for bits in 0..1u64 << N {
            let input = Signs::from_bits(N, bits)?;
            let before = code.distances(&input)?;
            for i in 0..N {
                let after = code.distances(&input.flipped(i)?)?;
                let pairs = || before.iter().zip(&after);
                let ours: Vec<f64> = pairs().map(|(b, a)| kernel(logs[*b]) - kernel(logs[*a])).collect();
                let printed: Vec<f64> = pairs().map(|(b, a)| overlap(*b).exp() - overlap(*a).exp()).collect();
                // An overlap that moves by one, as if a flip took an entry to zero.
                let half: f64 =
                    pairs().map(|(b, a)| overlap(*b).exp() - (0.5 * (overlap(*a) + overlap(*b))).exp()).sum();
                let size = largest_of(ours.iter().map(|part| part.abs()));
                let change = exact.flip_change(&input, i)?.value();
                let sum = |parts: &[f64]| parts.iter().sum::<f64>();
                seen.signal.see((ours[0] - printed[0]).abs() / size);
                seen.noise.see((sum(&ours[1..]) - sum(&printed[1..])).abs() / size);
                seen.whole.see((sum(&ours) - change).abs() / size);
                seen.no_noise.see((ours[0] - change).abs() / size);
                seen.one_step.see((sum(&ours) - half).abs() / size);
                seen.flips += 1;
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for ExpectedChange {
    const CLAIM: &'static str = "mnemosyne/eq-20-22";
    const PLAN: Plan = Plan::new(
        "quadrature minus exponentials of integers, over the largest term; all 256 inputs, all 8 flips",
        "a flip where signal, noise or the whole change differ",
        &[ROUNDING],
    );

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let seen = self.see()?;
        let of = |label: &str, value: f64| Finding::identity(label, value, ROUNDING).cases(seen.flips).unit("flips");
        let evidence = Evidence::of(of("whole change (20): quadrature minus the exact energy", seen.whole.0))
            .and(of("signal (21): quadrature minus exponentials", seen.signal.0))
            .and(of("noise (22): quadrature minus exponentials", seen.noise.0))
            .twin(of("without the noise", seen.no_noise.0))
            .twin(of("overlaps that move by one at a flip, not by two", seen.one_step.0));
        Ok(evidence.into())
    }
}
