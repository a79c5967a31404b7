//! Eq. 36: a Gaussian moment.
//!
//! **Claim** (`mnemosyne/eq-36`). For A < 0: E exp(A |w|^2 + B w'x) = (1 - 2A)^{-N/2} exp(B^2 |x|^2 / 2(1 - 2A)), w standard normal.
//!
//! Adaptive quadrature, coordinate by coordinate. The condition is stricter than needed: up to A < 1/2 the formula holds all the same, and
//! that is noted. Refuted by a vector for which formula and integral differ.

use workbench_features::moments::log_gaussian_moment_by_quadrature;
use workbench_ledger::{Check, Done, Sheet};

use super::energy_terms::LOGS;
use crate::vocabulary::largest_of;

/// A grid of A, B and x.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-36",
    metric: "ln of the formula minus ln of the integral, over the larger of 1 and that logarithm",
    against: "a vector for which the two differ",
    protocol: &["A < 0"],
    choices: &["A from -40 to -0.05, B = 0.5, 2 and 5, three vectors; above zero it is a note"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let vectors: [&[f64]; 3] = [&[2.0; 4], &[4.0, -4.0, 0.0, 2.0, 0.0, -2.0, 4.0, 4.0], &[0.3, -1.7]];
    let mut beyond = Vec::new();
    for a in s.knobs("A", &[-40.0, -8.0, -2.0, -0.5, -0.05, 0.1, 0.3, 0.45], -100.0..0.5)? {
        for b in [0.5, 2.0, 5.0] {
            for x in s.each("settings", vectors) {
                let mut integral = 0.0;
                for entry in x {
                    integral += log_gaussian_moment_by_quadrature(a, b * entry)?;
                }
                let norm2: f64 = x.iter().map(|x| x * x).sum();
                let power = -0.5 * x.len() as f64 * (1.0 - 2.0 * a).ln();
                let exponent = |denominator: f64| b * b * norm2 / (2.0 * denominator);
                let error = |log: f64| (log - integral).abs() / integral.abs().max(1.0);
                let formula = error(power + exponent(1.0 - 2.0 * a));
                if a < 0.0 {
                    s.printed(LOGS).same("A < 0: ln of the formula minus ln of the integral", formula);
                } else {
                    beyond.push(formula);
                }
                // At A = -1/2 this divides by zero.
                if a != -0.5 {
                    let other_sign = error(power + exponent(1.0 + 2.0 * a));
                    s.twin(LOGS).same("denominator 1 + 2A in the exponent, least difference", other_sign);
                }
                let no_power = error(exponent(1.0 - 2.0 * a));
                s.twin(LOGS).same("without the power of 1 - 2A, least difference", no_power);
            }
        }
    }
    let largest = largest_of(beyond);
    s.note(format!("beyond the stated range, for 0 < A < 1/2, the largest difference is {largest:.1e}"));
    Ok(())
}
