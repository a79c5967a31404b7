//! Eqs. 19 and 33: what the terms are on average.
//!
//! **Claim** (`mnemosyne/eq-19`). For Gaussian projections E[W_k] = exp(xi' input) and E[Z_k] = exp(xi' neg(input, i)). X_k and Y_k in
//! Eq. 19 are not defined; they stand where W_k and Z_k of the near memory belong.
//!
//! The expectation is a product over coordinates, and the sum of two sign vectors at distance d has N - d entries of +-2 and d zeros, so
//! two one-dimensional integrals cover every overlap that can occur. What would count against it: an overlap whose expectation is not
//! its exponential.

use workbench_features::moments::log_gaussian_moment_by_quadrature;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2::{Factor, LOGS};
use crate::vocabulary::{Largest, Least, largest_of};

/// Expectations of all overlaps.
#[derive(Clone, Debug)]
pub struct Expectations {
    /// Lengths N.
    pub lengths: Vec<usize>,
    /// Parameters of FAVOR++; 0 is FAVOR+.
    pub a_hats: Vec<f64>,
}

impl Default for Expectations {
    fn default() -> Expectations {
        Expectations { lengths: vec![4, 16, 64], a_hats: vec![0.0, 0.2, 1.0, 5.0] }
    }
}

/// $\ln\mathbb E[W]$ at distance 0, 1, ..., N by quadrature, with these constants.
pub fn log_expectations(n: usize, form: Factor) -> Result<Vec<f64>, Failure> {
    let integral = |x: f64| log_gaussian_moment_by_quadrature(-2.0 * form.a_hat, form.b * x);
    let (two, zero) = (integral(2.0)?, integral(0.0)?);
    let of = |d: usize| 2.0 * (form.log_d + form.half) + (n - d) as f64 * two + d as f64 * zero;
    Ok((0..=n).map(of).collect())
}

fn farthest(n: usize, logs: &[f64]) -> f64 {
    let error = |(d, log): (usize, &f64)| (log - (n as f64 - 2.0 * d as f64)).abs();
    largest_of(logs.iter().enumerate().map(error))
}

impl TypedCheck for Expectations {
    const CLAIM: &'static str = "mnemosyne/eq-19";
    const PLAN: Plan = Plan::new(
        "ln of the expectation minus the overlap, every overlap from -N to N",
        "an overlap whose expectation, by quadrature, is not its exponential",
        &[LOGS],
    );

    fn run(&self, _: &Setting) -> Result<Checked, Failure> {
        let mut printed = Largest::default();
        let (mut wider, mut squared) = (Least::default(), Least::default());
        let (mut cases, mut with_a) = (0, 0);
        for &n in &self.lengths {
            for &a_hat in &self.a_hats {
                let form = Factor::printed(n, a_hat);
                let error = |form: Factor| Ok::<f64, Failure>(farthest(n, &log_expectations(n, form)?));
                printed.see(error(form)?);
                let b = 1.01 * form.b;
                wider.see(error(Factor { b, ..form })?);
                if a_hat > 0.0 {
                    let log_d = 2.0 * form.log_d;
                    squared.see(error(Factor { log_d, ..form })?);
                    with_a += n as u64 + 1;
                }
                cases += n as u64 + 1;
            }
        }
        let of = |label: &str, value: f64| Finding::identity(label, value, LOGS).cases(cases).unit("overlaps");
        let evidence = Evidence::of(of("ln E[W] minus the overlap, by quadrature", printed.0))
            .twin(of("B one percent larger, least of the settings", wider.0))
            .twin(of("D with N/2 for N/4, least of the settings with Â > 0", squared.0).cases(with_a));
        Ok(evidence.into())
    }
}
