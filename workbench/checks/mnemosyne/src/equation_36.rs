//! Eq. 36: a Gaussian moment.
//!
//! **Claim** (`mnemosyne/eq-36`). For A < 0: E exp(A |w|^2 + B w'x) = (1 - 2A)^{-N/2} exp(B^2 |x|^2 / 2(1 - 2A)), w standard normal.
//!
//! Adaptive quadrature, coordinate by coordinate. The condition is stricter than needed: up to A < 1/2 the formula holds all the same,
//! and that is noted. What would count against it: a vector for which formula and integral differ.

use workbench_features::moments::log_gaussian_moment_by_quadrature;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2::LOGS;
use crate::vocabulary::{Largest, Least};

/// A grid of A, B and x.
#[derive(Clone, Debug)]
pub struct GaussianMoment {
    /// Values of A, below 0 as the statement asks, and up to 1/2.
    pub a: Vec<f64>,
    /// Values of B.
    pub b: Vec<f64>,
    /// Vectors x.
    pub x: Vec<Vec<f64>>,
}

impl Default for GaussianMoment {
    fn default() -> GaussianMoment {
        GaussianMoment {
            a: vec![-40.0, -8.0, -2.0, -0.5, -0.05, 0.1, 0.3, 0.45],
            b: vec![0.5, 2.0, 5.0],
            x: vec![vec![2.0; 4], vec![4.0, -4.0, 0.0, 2.0, 0.0, -2.0, 4.0, 4.0], vec![0.3, -1.7]],
        }
    }
}

#[derive(Default)]
struct Seen {
    negative: Largest,
    positive: Largest,
    other_sign: Least,
    no_power: Least,
    cases: u64,
}

impl GaussianMoment {
    fn see(&self) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        for &a in &self.a {
            for b in &self.b {
                for x in &self.x {
                    let mut integral = 0.0;
                    for entry in x {
                        integral += log_gaussian_moment_by_quadrature(a, b * entry)?;
                    }
                    let norm2: f64 = x.iter().map(|x| x * x).sum();
                    let power = -0.5 * x.len() as f64 * (1.0 - 2.0 * a).ln();
                    let exponent = |denominator: f64| b * b * norm2 / (2.0 * denominator);
                    let error = |log: f64| (log - integral).abs() / integral.abs().max(1.0);
                    let of_formula = error(power + exponent(1.0 - 2.0 * a));
                    if a < 0.0 {
                        seen.negative.see(of_formula);
                        seen.cases += 1;
                    } else {
                        seen.positive.see(of_formula);
                    }
                    seen.other_sign.see(error(power + exponent(1.0 + 2.0 * a)));
                    seen.no_power.see(error(exponent(1.0 - 2.0 * a)));
                }
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for GaussianMoment {
    const CLAIM: &'static str = "mnemosyne/eq-36";
    const PLAN: Plan = Plan::new(
        "ln of the formula minus ln of the integral, over the larger of 1 and that logarithm",
        "a vector for which the two differ",
        &[LOGS],
    );

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let seen = self.see()?;
        let of = |label: &str, error: f64| Finding::identity(label, error, LOGS).cases(seen.cases);
        let evidence = Evidence::of(of("A < 0: ln of the formula minus ln of the integral", seen.negative.0))
            .twin(of("denominator 1 + 2A in the exponent, least difference", seen.other_sign.0))
            .twin(of("without the power of 1 - 2A, least difference", seen.no_power.0))
            .note(format!(
                "beyond the stated range, for 0 < A < 1/2, the largest difference is {:.1e}",
                seen.positive.0
            ));
        Ok(evidence.into())
    }
}
