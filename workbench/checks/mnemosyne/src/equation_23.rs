//! Eq. 23: the bound on the noise, in three lines.
//!
//! **Claim** (`mnemosyne/eq-23`). |E[E_noise]| <= (1/r) sum_k sum_mu (kernel before + kernel after the flip)
//! <= sum_k sum_mu (e^{N(1-2(tau-rho))} + e^{N(1-2(tau-rho))+2}) <= 2 M e^{N(1-2(tau-rho))+2}.
//!
//! The second line has lost the 1/r of the first. The step into it is then generous by r, and the step out of it fails as soon as r
//! exceeds what 2M e^2 leaves over (M - 1)(1 + e^2). Each step is taken on its own, over all flips of the scanned codes. What would
//! count against it: a step that some flip, or some r, breaks.

use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2_scans::{Scanned, flips, scans};
use crate::vocabulary::{ROUNDING, largest_of};

/// The three lines over all scans.
#[derive(Clone, Debug)]
pub struct NoiseBound {
    /// Numbers of features, which the second line as printed depends on.
    pub features: Vec<usize>,
}

impl Default for NoiseBound {
    fn default() -> NoiseBound {
        NoiseBound { features: vec![1, 2, 16] }
    }
}

/// The last line over $e^{N(1-2(\tau-\rho))}$: $2Me^2$.
fn last(scan: &Scanned) -> f64 {
    (scan.guarantee.log_noise_bound(scan.size) - scan.guarantee.log_other()).exp()
}

/// The second line with 1/r, in the same unit: $(M-1)(1+e^2)$.
fn middle(scan: &Scanned) -> f64 {
    (scan.guarantee.log_noise_middle(scan.size) - scan.guarantee.log_other()).exp()
}

impl TypedCheck for NoiseBound {
    const CLAIM: &'static str = "mnemosyne/eq-23";
    const PLAN: Plan = Plan::new(
        "ln of the quotient of neighbouring lines, largest over all flips; the largest quotient where it is attained",
        "a step that some flip or some number of features breaks",
        &[ROUNDING],
    )
    .protocol(&[
        "codes of known distance and the worst case that the theorem allows, all inputs of the balls, all flips",
    ]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let scans = scans(setting)?;
        let flips = flips(&scans);
        let below = |label: &str, quotient: f64| {
            Finding::at_most(label, 0.0, Estimate::exact(quotient.ln())).cases(flips).unit("flips")
        };
        let out = |r: usize| {
            largest_of(scans.iter().map(|s| {
                let printed = s.guarantee.log_noise_middle_as_printed(s.size, r);
                (printed - s.guarantee.log_noise_bound(s.size)).exp()
            }))
        };
        let of_noise = largest_of(scans.iter().map(|s| s.seen.largest_noise / s.seen.largest_terms));
        let ends = largest_of(scans.iter().map(|s| s.seen.largest_noise / last(s)));
        let attained = largest_of(scans.iter().map(|s| s.seen.largest_terms / middle(s)));
        let over_last = largest_of(scans.iter().map(|s| middle(s) / last(s)));
        let mut evidence =
            Evidence::of(below("first sign: ln of the largest |noise| over the largest right side", of_noise))
                .and(below("whole chain: ln of |noise| over the last line", ends));
        for &r in &self.features {
            evidence = evidence.and(below(&format!("last sign as printed, r = {r}: ln of the quotient"), out(r)));
        }
        let evidence = evidence
            .misprint(
                "the second line needs the factor 1/r of the first",
                vec![
                    Finding::identity(
                        "second sign with 1/r: largest quotient, attained, minus 1",
                        (attained - 1.0).abs(),
                        ROUNDING,
                    )
                    .cases(flips)
                    .unit("flips"),
                    below("last sign with 1/r: ln of the quotient", over_last),
                ],
            )
            .twin(below(
                "last line without 2/N in its exponent: ln of |noise| over it",
                largest_of(scans.iter().map(|s| s.seen.largest_noise / (2.0 * s.size as f64))),
            ))
            .twin(below(
                "second line with τ for τ - ρ: ln of the first line over it",
                largest_of(scans.iter().map(|s| {
                    let radius = s.guarantee.rho() * s.guarantee.dim() as f64;
                    s.seen.largest_terms / (middle(s) * (-2.0 * radius).exp())
                })),
            ));
        Ok(evidence.into())
    }
}
