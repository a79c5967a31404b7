//! Eq. 23: the bound on the noise, in three lines.
//!
//! **Claim** (`mnemosyne/eq-23`). |E[E_noise]| <= (1/r) sum_k sum_mu (kernel before + kernel after the flip)
//! <= sum_k sum_mu (e^{N(1-2(tau-rho))} + e^{N(1-2(tau-rho))+2}) <= 2 M e^{N(1-2(tau-rho))+2}.
//!
//! The second line has lost the 1/r of the first. The step into it is then generous by r, and the step out of it fails as soon as r exceeds
//! what 2M e^2 leaves over (M - 1)(1 + e^2). Each step is taken on its own, over all flips of the scanned codes; the first is the triangle
//! inequality, which cannot fail, and a footing. Refuted by a step that some flip, or some r, breaks.

use workbench_ledger::{Check, Done, Margin, Sheet};

use super::code_scans::{ALL_ALIKE, Scanned, flips, scans};
use crate::vocabulary::{ROUNDING, largest_of};

/// The three lines over all scans.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-23",
    metric: "ln of the quotient of neighbouring lines, largest over all flips; the largest quotient where it is attained",
    against: "a step that some flip or some number of features breaks",
    protocol: &["memories at least τN apart, all inputs of a ball, all flips"],
    choices: &["codes of known distance, and sunflowers, the worst case that the theorem allows; r = 1, 2 and 16"],
    departures: &[ALL_ALIKE],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.misprint("the second line needs the factor 1/r of the first");
    let scans = scans(s)?;
    let n = flips(&*scans);
    let (printed, twin) = (s.printed(Margin::ZERO).over(n, "flips"), s.twin(Margin::ZERO).over(n, "flips"));
    let largest = |quotient: &dyn Fn(&Scanned) -> f64| largest_of(scans.iter().map(quotient));

    let of_noise = largest(&|scan| scan.seen.largest_noise / scan.seen.largest_terms);
    let label = "first sign: ln of the largest |noise| over the largest right side";
    s.support(Margin::ZERO).over(n, "flips").at_most(label, of_noise.ln());
    let ends = largest(&|scan| scan.seen.largest_noise / last(scan));
    printed.at_most("whole chain: ln of |noise| over the last line", ends.ln());
    for r in s.knobs("features r", &[1, 2, 16], 1..)? {
        let out = largest(&|scan| {
            let second = scan.guarantee.log_noise_middle_as_printed(scan.size, r);
            (second - scan.guarantee.log_noise_bound(scan.size)).exp()
        });
        let label = format!("last sign as printed, r = {r}: ln of the quotient");
        s.printed(Margin::ZERO).over(scans.len(), "codes").at_most(label, out.ln());
        let into = largest(&|scan| {
            let second = scan.guarantee.log_noise_middle_as_printed(scan.size, r) - scan.guarantee.log_other();
            scan.seen.largest_terms / second.exp()
        });
        let label = format!("second sign as printed, r = {r}: largest quotient minus 1");
        s.printed(ROUNDING).over(n, "flips").at_most(label, into - 1.0);
    }

    let attained = largest(&|scan| scan.seen.largest_terms / middle(scan));
    let label = "second sign with 1/r: largest quotient, attained, minus 1";
    s.changed(ROUNDING).over(n, "flips").same(label, (attained - 1.0).abs());
    let over_last = largest(&|scan| middle(scan) / last(scan));
    let label = "last sign with 1/r: ln of the quotient";
    s.changed(Margin::ZERO).over(scans.len(), "codes").at_most(label, over_last.ln());

    let without_step = largest(&|scan| scan.seen.largest_noise / (2.0 * scan.size as f64));
    twin.at_most("last line without 2/N in its exponent: ln of |noise| over it", without_step.ln());
    let without_rho = largest(&|scan| {
        let radius = scan.guarantee.rho() * scan.guarantee.dim() as f64;
        scan.seen.largest_terms / (middle(scan) * (-2.0 * radius).exp())
    });
    twin.at_most("second line with τ for τ - ρ: ln of the first line over it", without_rho.ln());
    Ok(())
}

/// The last line over $e^{N(1-2(\tau-\rho))}$: $2Me^2$.
fn last(scan: &Scanned) -> f64 {
    (scan.guarantee.log_noise_bound(scan.size) - scan.guarantee.log_other()).exp()
}

/// The second line with 1/r, in the same unit: $(M-1)(1+e^2)$.
fn middle(scan: &Scanned) -> f64 {
    (scan.guarantee.log_noise_middle(scan.size) - scan.guarantee.log_other()).exp()
}
