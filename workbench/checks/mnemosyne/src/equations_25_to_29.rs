//! Eqs. 25, 26, 28 and 29: signal and noise together, and the limits on M.
//!
//! **Claims** (`mnemosyne/eq-25-26`, `mnemosyne/eq-28-29`). In Case 1 E[Delta] >= e^{N(1-2rho)} (1 - e^-2) - 2 M e^{N(1-2(tau-rho))+2}, and
//! M <= e^{2N(tau-2rho)} (1 - e^-2) / 2 e^2 makes it positive. In Case 2 E[Delta] <= e^{N(1-2rho)} (1 - e^2) + the same noise, and
//! M <= e^{2N(tau-2rho)} (e^2 - 1) / 2 e^2 makes it negative; the first limit is the stronger one.
//!
//! The inequalities meet the extreme changes of all scans, also beyond the limit, where they must hold all the same. The rearrangements
//! are tried on a grid, with M at the limit and one above. What would count against it: a change beyond the bound, a bound that changes
//! its sign elsewhere.

use workbench_features::compact::Guarantee;
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Plan, Setting, TypedCheck};

use super::section_a_2_scans::{Scanned, flips, scans};
use crate::vocabulary::{EXACT, largest_of, least_of};

/// Case 1, Eqs. 25 and 26.
#[derive(Clone, Debug, Default)]
pub struct LimitAway {
    /// Where the rearrangement is tried.
    pub grid: Grid,
}

/// Case 2, Eqs. 28 and 29.
#[derive(Clone, Debug, Default)]
pub struct LimitTowards {
    /// Where the rearrangement is tried.
    pub grid: Grid,
}

/// Settings N, tau, rho.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Lengths N.
    pub lengths: Vec<usize>,
    /// Relative distances tau.
    pub taus: Vec<f64>,
    /// Radii as shares of tau / 2.
    pub shares: Vec<f64>,
}

impl Default for Grid {
    fn default() -> Grid {
        Grid { lengths: vec![8, 16, 32, 64], taus: vec![0.25, 0.4, 0.5], shares: vec![0.3, 0.6, 0.9] }
    }
}

impl Grid {
    /// Those whose limits are small enough that M and M + 1 differ in double precision.
    fn settings(&self) -> Result<Vec<Guarantee>, Failure> {
        let mut all = Vec::new();
        for &n in &self.lengths {
            for &tau in &self.taus {
                for &share in &self.shares {
                    let g = Guarantee::new(n, tau, 0.5 * share * tau)?;
                    if g.log_limit_towards().exp() <= 1e9 {
                        all.push(g);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Settings in which `bound`, as a function of M, is not of one sign up to `log_limit` and of the other beyond.
    fn mistakes(
        &self,
        label: &str,
        log_limit: impl Fn(&Guarantee) -> f64,
        good: impl Fn(&Guarantee, usize) -> bool,
    ) -> Result<Finding, Failure> {
        let settings = self.settings()?;
        let turns = |g: &&Guarantee| {
            let last = log_limit(g).exp().floor() as usize;
            !good(g, last) || good(g, last + 1)
        };
        let mistakes = settings.iter().filter(turns).count();
        Ok(Finding::identity(label, mistakes as f64, EXACT).cases(settings.len() as u64).unit("settings"))
    }
}

/// $2Me^{N(1-2(\tau-\rho))}$ over $e^{N(1-2\rho)}$: the noise bound without 2/N in its exponent.
fn noise_without_step(scan: &Scanned) -> f64 {
    (scan.guarantee.log_noise_bound(scan.size) - 2.0 - scan.guarantee.log_edge()).exp()
}

fn least(label: &str, value: f64, flips: u64) -> Finding {
    Finding::at_least(label, 0.0, Estimate::exact(value)).cases(flips).unit("flips")
}

fn of_those(scans: &[Scanned], which: impl Fn(&Scanned) -> bool) -> Vec<Scanned> {
    scans.iter().filter(|scan| which(scan)).cloned().collect()
}

const METRIC: &str =
    "distance of the extreme change from the bound, over e^{N(1-2ρ)}; settings whose bound turns elsewhere";

impl TypedCheck for LimitAway {
    const CLAIM: &'static str = "mnemosyne/eq-25-26";
    const PLAN: Plan = Plan::new(
        METRIC,
        "a change below the bound; a bound that is negative at the limit on M, or not negative one above it",
        &[EXACT],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let scans = scans(setting)?;
        let good = |g: &Guarantee, m: usize| g.away_bound(m) >= 0.0;
        let within = of_those(&scans, Scanned::within_limit);
        let evidence = Evidence::of(least(
            "Eq. 25: change minus bound over e^{N(1-2ρ)}, least",
            least_of(scans.iter().map(|s| s.seen.least_away - s.guarantee.away_bound(s.size))),
            scans.iter().map(|s| s.seen.away).sum(),
        ))
        .and(self.grid.mistakes(
            "settings in which the bound does not turn at the limit",
            Guarantee::log_limit,
            good,
        )?)
        .and(least(
            "codes within the limit: least change over e^{N(1-2ρ)}",
            least_of(within.iter().map(|s| s.seen.least_away)),
            flips(&within),
        ))
        .twin(least(
            "noise bound without 2/N in its exponent: change minus bound, least",
            least_of(scans.iter().map(|s| s.seen.least_away - (-(-2f64).exp_m1() - noise_without_step(s)))),
            flips(&scans),
        ))
        .twin(self.grid.mistakes(
            "limit without its factor e⁻²: settings in which the bound does not turn there",
            |g| g.log_limit() + 2.0,
            good,
        )?);
        Ok(evidence.into())
    }
}

impl TypedCheck for LimitTowards {
    const CLAIM: &'static str = "mnemosyne/eq-28-29";
    const PLAN: Plan = Plan::new(
        METRIC,
        "a change above the bound; a bound that is positive at the limit on M, or not positive one above it; a first limit that is weaker",
        &[EXACT],
    );

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let scans = scans(setting)?;
        let good = |g: &Guarantee, m: usize| g.towards_bound(m) <= 0.0;
        let within = of_those(&scans, Scanned::within_limit_towards);
        let settings = self.grid.settings()?;
        let weaker = settings.iter().filter(|g| g.log_limit() >= g.log_limit_towards()).count();
        let evidence = Evidence::of(least(
            "Eq. 28: bound minus change over e^{N(1-2ρ)}, least",
            least_of(scans.iter().map(|s| s.guarantee.towards_bound(s.size) - s.seen.largest_towards)),
            scans.iter().map(|s| s.seen.towards).sum(),
        ))
        .and(self.grid.mistakes(
            "settings in which the bound does not turn at the limit",
            Guarantee::log_limit_towards,
            good,
        )?)
        .and(
            Finding::identity("settings in which Eq. 26 is not the stronger limit", weaker as f64, EXACT)
                .cases(settings.len() as u64)
                .unit("settings"),
        )
        .and(
            Finding::at_most(
                "codes within the limit: largest change over e^{N(1-2ρ)}",
                0.0,
                Estimate::exact(largest_of(within.iter().map(|s| s.seen.largest_towards))),
            )
            .cases(flips(&within))
            .unit("flips"),
        )
        .twin(least(
            "signal with e^{N(1-ρ)}: bound minus change, least",
            least_of(scans.iter().map(|s| {
                let edge = (s.guarantee.rho() * s.guarantee.dim() as f64).exp();
                s.guarantee.towards_bound(s.size) - 2f64.exp_m1() * (edge - 1.0) - s.seen.largest_towards
            })),
            flips(&scans),
        ))
        .twin(self.grid.mistakes(
            "limit of Case 1 in place of that of Case 2: settings in which the bound does not turn there",
            Guarantee::log_limit,
            good,
        )?);
        Ok(evidence.into())
    }
}
