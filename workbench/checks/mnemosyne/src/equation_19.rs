//! Eqs. 19 and 33: what the terms are on average.
//!
//! **Claim** (`mnemosyne/eq-19`). For Gaussian projections E[W_k] = exp(xi' input) and E[Z_k] = exp(xi' neg(input, i)). X_k and Y_k in
//! Eq. 19 are not defined; they stand where W_k and Z_k of the near memory belong.
//!
//! The expectation is a product over coordinates, and the sum of two sign vectors at distance d has N - d entries of +-2 and d zeros, so two
//! one-dimensional integrals cover every overlap that can occur. Refuted by an overlap whose expectation is not its exponential.

use workbench_features::moments::log_gaussian_moment_by_quadrature;
use workbench_ledger::{Check, Done, Failure, Sheet};

use super::energy_terms::{Factor, LOGS};
use crate::vocabulary::{largest_of, least_of};

/// Expectations of all overlaps.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-19",
    metric: "ln of the expectation minus the overlap, every overlap from -N to N",
    against: "an overlap whose expectation, by quadrature, is not its exponential",
    choices: &["N = 4, 16 and 64, Â = 0, 0.2, 1 and 5"],
    departures: &["X_k and Y_k, which have no definition, are read as W_k and Z_k of the near memory"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (mut wider, mut squared) = (Vec::new(), Vec::new());
    let lengths = [4, 16, 64];
    for n in lengths {
        // FAVOR+, then FAVOR++.
        for a_hat in [0.0, 0.2, 1.0, 5.0] {
            let form = Factor::printed(n, a_hat);
            for error in s.each("overlaps", errors(n, form)?) {
                s.printed(LOGS).same("ln E[W] minus the overlap, by quadrature", error);
            }
            wider.push(largest_of(errors(n, Factor { b: 1.01 * form.b, ..form })?));
            if a_hat > 0.0 {
                squared.push(largest_of(errors(n, Factor { log_d: 2.0 * form.log_d, ..form })?));
            }
        }
    }
    let overlaps: usize = lengths.iter().map(|n| n + 1).sum();
    let wrong = |parameters: usize| s.twin(LOGS).over(parameters * overlaps, "overlaps");
    wrong(4).same("B one percent larger, least of the settings", least_of(wider));
    wrong(3).same("D with N/2 for N/4, least of the settings with Â > 0", least_of(squared));
    Ok(())
}

/// $\ln\mathbb E[W]$ at distance 0, 1, ..., N by quadrature, with these constants.
pub fn log_expectations(n: usize, form: Factor) -> Result<Vec<f64>, Failure> {
    let integral = |x: f64| log_gaussian_moment_by_quadrature(-2.0 * form.a_hat, form.b * x);
    let (two, zero) = (integral(2.0)?, integral(0.0)?);
    let of = |d: usize| 2.0 * (form.log_d + form.half) + (n - d) as f64 * two + d as f64 * zero;
    Ok((0..=n).map(of).collect())
}

fn errors(n: usize, form: Factor) -> Result<Vec<f64>, Failure> {
    let error = |(d, log): (usize, &f64)| (log - (n as f64 - 2.0 * d as f64)).abs();
    Ok(log_expectations(n, form)?.iter().enumerate().map(error).collect())
}
