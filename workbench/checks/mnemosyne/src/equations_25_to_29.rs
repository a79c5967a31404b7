//! Eqs. 25, 26, 28 and 29: signal and noise together, and the limits on M.
//!
//! **Claims** (`mnemosyne/eq-25-26`, `mnemosyne/eq-28-29`). In Case 1 E[Delta] >= e^{N(1-2rho)} (1 - e^-2) - 2 M e^{N(1-2(tau-rho))+2}, and
//! M <= e^{2N(tau-2rho)} (1 - e^-2) / 2 e^2 makes it positive. In Case 2 E[Delta] <= e^{N(1-2rho)} (1 - e^2) + the same noise, and
//! M <= e^{2N(tau-2rho)} (e^2 - 1) / 2 e^2 makes it negative; the first limit is the stronger one.
//!
//! The inequalities meet the extreme changes of all scans, also beyond the limit, where they must hold all the same. The rearrangements are
//! tried on a grid, with M at the limit; that the bound turns one above it, which the document does not say, is a footing. Refuted by a
//! change beyond the bound, a bound of the wrong sign at the limit.

use workbench_features::compact::Guarantee;
use workbench_ledger::{Check, Done, Failure, Margin, Says, Sheet};

use super::code_scans::{Scanned, scans};
use crate::vocabulary::{EXACT, largest_of, least_of};

const METRIC: &str = "distance of the extreme change from the bound, over e^{N(1-2ρ)}; settings whose bound has the wrong sign at the limit";

const CHOICES: &[&str] =
    &["codes of length 8 to 111; the limits at N = 8 to 64, τ = 0.25, 0.4 and 0.5, ρ at 0.3, 0.6 and 0.9 of τ/2"];

/// Case 1, Eqs. 25 and 26.
pub const LIMIT_AWAY: Check = Check {
    claim: "mnemosyne/eq-25-26",
    metric: METRIC,
    against: "a change below the bound; a bound that is negative at the limit on M",
    choices: CHOICES,
    run: limit_away,
    ..Check::DEFAULT
};

fn limit_away(s: &Sheet) -> Done {
    let scans = scans(s)?;
    let away = scans.iter().map(|scan| scan.seen.away).sum::<u64>() as usize;
    let over_bound = scans.iter().map(|scan| scan.seen.least_away - scan.guarantee.away_bound(scan.size));
    let label = "Eq. 25: change minus bound over e^{N(1-2ρ)}, least";
    s.printed(Margin::ZERO).over(away, "flips").at_least(label, least_of(over_bound));
    let within: Vec<&Scanned> = scans.iter().filter(|scan| scan.within_limit()).collect();
    let label = "codes within the limit: least change over e^{N(1-2ρ)}";
    let least = least_of(within.iter().map(|scan| scan.seen.least_away));
    let away_within = within.iter().map(|scan| scan.seen.away).sum::<u64>() as usize;
    s.printed(Margin::ZERO).over(away_within, "flips").at_least(label, least);
    let without_step = scans.iter().map(|scan| {
        let noise = (scan.guarantee.log_noise_bound(scan.size) - 2.0 - scan.guarantee.log_edge()).exp();
        scan.seen.least_away - (-(-2f64).exp_m1() - noise)
    });
    let label = "noise bound without 2/N in its exponent: change minus bound, least";
    s.twin(Margin::ZERO).over(away, "flips").at_least(label, least_of(without_step));

    for g in s.each("settings", settings()?) {
        let positive = |m: usize| g.away_bound(m) >= 0.0;
        s.printed(EXACT).never("settings whose bound is negative at the limit on M", !positive(whole(g.log_limit())));
        let label = "settings in which the bound does not turn at the limit";
        turns(s.support(EXACT), label, g.log_limit(), positive);
        let label = "limit without its factor e⁻²: settings in which the bound does not turn there";
        turns(s.twin(EXACT), label, g.log_limit() + 2.0, positive);
    }
    Ok(())
}

/// Case 2, Eqs. 28 and 29.
pub const LIMIT_TOWARDS: Check = Check {
    claim: "mnemosyne/eq-28-29",
    metric: METRIC,
    against: "a change above the bound; a bound that is positive at the limit on M; a first limit that is weaker",
    choices: CHOICES,
    run: limit_towards,
    ..Check::DEFAULT
};

fn limit_towards(s: &Sheet) -> Done {
    let scans = scans(s)?;
    let towards = scans.iter().map(|scan| scan.seen.towards).sum::<u64>() as usize;
    let under_bound = scans.iter().map(|scan| scan.guarantee.towards_bound(scan.size) - scan.seen.largest_towards);
    let label = "Eq. 28: bound minus change over e^{N(1-2ρ)}, least";
    s.printed(Margin::ZERO).over(towards, "flips").at_least(label, least_of(under_bound));
    let within: Vec<&Scanned> = scans.iter().filter(|scan| scan.within_limit_towards()).collect();
    let label = "codes within the limit: largest change over e^{N(1-2ρ)}";
    let largest = largest_of(within.iter().map(|scan| scan.seen.largest_towards));
    let towards_within = within.iter().map(|scan| scan.seen.towards).sum::<u64>() as usize;
    s.printed(Margin::ZERO).over(towards_within, "flips").at_most(label, largest);
    let without_the_two = scans.iter().map(|scan| {
        let edge = (scan.guarantee.rho() * scan.guarantee.dim() as f64).exp();
        scan.guarantee.towards_bound(scan.size) - 2f64.exp_m1() * (edge - 1.0) - scan.seen.largest_towards
    });
    let label = "signal with e^{N(1-ρ)}: bound minus change, least";
    s.twin(Margin::ZERO).over(towards, "flips").at_least(label, least_of(without_the_two));

    for g in s.each("settings", settings()?) {
        let negative = |m: usize| g.towards_bound(m) <= 0.0;
        let at_limit = whole(g.log_limit_towards());
        s.printed(EXACT).never("settings whose bound is positive at the limit on M", !negative(at_limit));
        let label = "settings in which the bound does not turn at the limit";
        turns(s.support(EXACT), label, g.log_limit_towards(), negative);
        let without = whole(g.log_limit_towards() + 2.0);
        let label = "limit without its factor e⁻²: settings whose bound is positive there";
        s.twin(EXACT).never(label, !negative(without));
        let label = "settings in which Eq. 26 is not the stronger limit";
        s.printed(EXACT).never(label, g.log_limit() >= g.log_limit_towards());
    }
    Ok(())
}

/// N, tau and rho whose limits are small enough that M and M + 1 differ in double precision.
fn settings() -> Result<Vec<Guarantee>, Failure> {
    let mut all = Vec::new();
    for n in [8, 16, 32, 64] {
        for tau in [0.25, 0.4, 0.5] {
            for share in [0.3, 0.6, 0.9] {
                all.push(Guarantee::new(n, tau, 0.5 * share * tau)?);
            }
        }
    }
    all.retain(|g| g.log_limit_towards().exp() <= 1e9);
    Ok(all)
}

/// The largest whole M within a limit.
fn whole(log_limit: f64) -> usize {
    log_limit.exp().floor() as usize
}

/// A setting breaks it in which the bound, as a function of M, is not good up to the limit and bad beyond.
fn turns(says: Says, label: &str, log_limit: f64, good: impl Fn(usize) -> bool) {
    let last = whole(log_limit);
    says.never(label, !good(last) || good(last + 1));
}
