//! Eqs. 20 to 22: the expected energy change.
//!
//! **Claim** (`mnemosyne/eq-20-22`). E[Delta] = E[E_signal] + E[E_noise], with signal exp(xi_l' input) - exp(xi_l' neg(input, i)) and
//! noise the same summed over all other memories; the averages over k drop out.
//!
//! Every input, every flip: expectations of the random features by quadrature on one side, exponentials of integers on the other. Refuted by
//! a flip where they differ in the signal, the noise or the whole.

use workbench_features::compact::{DenseMemory, Interaction, Patterns, Signs};
use workbench_ledger::{Check, Done, Sheet};

use super::energy_terms::Factor;
use super::equation_19::log_expectations;
use crate::vocabulary::{ROUNDING, largest_of};

/// All inputs of the cube of dimension 8, and the 16 words of RM(1,3).
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-20-22",
    metric: "quadrature minus exponentials of integers, over the largest term; all 256 inputs, all 8 flips",
    against: "a flip where signal, noise or the whole change differ",
    choices: &["N = 8, the 16 words of RM(1,3), Â = 0.7"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    const N: usize = 8;
    let code = Patterns::reed_muller(1, 3)?;
    let exact = DenseMemory::new(code.clone(), Interaction::Exponential);
    // No expectation depends on the parameter.
    let logs = log_expectations(N, Factor::printed(N, s.knob("Â", 0.7, 0.0..=10.0)?))?;
    let overlap = |d: usize| N as f64 - 2.0 * d as f64;
    let sum = |parts: &[f64]| parts.iter().sum::<f64>();
    for bits in 0..1u64 << N {
        let input = Signs::from_bits(N, bits)?;
        let before = code.distances(&input)?;
        for i in s.each("flips", 0..N) {
            let after = code.distances(&input.flipped(i)?)?;
            let pairs = || before.iter().zip(&after);
            let ours: Vec<f64> = pairs().map(|(b, a)| logs[*b].exp() - logs[*a].exp()).collect();
            let printed: Vec<f64> = pairs().map(|(b, a)| overlap(*b).exp() - overlap(*a).exp()).collect();
            let change = exact.flip_change(&input, i)?.value();
            let size = largest_of(ours.iter().map(|part| part.abs()));
            let off = |difference: f64| difference.abs() / size;
            let (same, twin) = (s.printed(ROUNDING), s.twin(ROUNDING).largest());
            same.same("whole change (20): quadrature minus the exact energy", off(sum(&ours) - change));
            same.same("signal (21): quadrature minus exponentials", off(ours[0] - printed[0]));
            same.same("noise (22): quadrature minus exponentials", off(sum(&ours[1..]) - sum(&printed[1..])));
            twin.same("without the noise", off(ours[0] - change));
            // As if a flip took an entry to zero.
            let half = pairs().map(|(b, a)| overlap(*b).exp() - (0.5 * (overlap(*a) + overlap(*b))).exp());
            twin.same("overlaps that move by one at a flip, not by two", off(sum(&ours) - half.sum::<f64>()));
        }
    }
    Ok(())
}
