//! A.1.1, after the first display: bounded random variables.
//!
//! **Claim** (`mnemosyne/favor-plus-plus-bounded`). Unlike the maps before it, FAVOR++ estimates with bounded random variables, since
//! A-hat > 0.
//!
//! Completing the square, a feature is at most D exp(|z|^2 ((1 + 4 A-hat) / 4 A-hat - 1/2)) / sqrt(r), reached at w = B z / 2 A-hat. It is
//! evaluated there and climbed to by gradient steps from elsewhere; no drawn feature may be higher. For FAVOR+ and its hyperbolic
//! variant the feature along w = t z must pass any threshold. What would count against the claim: a feature above the bound, a bound that
//! is not reached, or a bound for the other maps.

use ndarray::{Array1, Axis};
use workbench_features::moments::log_feature_bound;
use workbench_features::{Draws, FeatureMap, printed_a_hat};
use workbench_ground::stats::{Estimate, unit_sphere};
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{EXACT, Largest, Least, ROUNDING};

const ANY: Margin = Margin::new(
    "any threshold",
    100.0,
    "features of size e^100 stand for any threshold; ten times as far out it is e^1000",
);

/// Three dimensions and parameters, with drawn features at each.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// Dimension N, length of the vector, ρ.
    pub cases: Vec<(usize, f64, f64)>,
    /// Features drawn in each case.
    pub draws: usize,
}

impl Default for Bounded {
    fn default() -> Bounded {
        Bounded { cases: vec![(2, 0.5, 0.2), (8, 2.0, 0.6), (32, 1.0, 0.9)], draws: 20_000 }
    }
}

#[derive(Default)]
struct Seen {
    reached: Largest,
    climbed: Largest,
    above: usize,
    /// ln of a feature at w = 1000 z.
    plain: Least,
    hyperbolic: Least,
    /// The maximiser with A-hat for 2 A-hat, and the bound without the square completed.
    elsewhere: Least,
    d_alone: Least,
}

/// $\ln$ of the FAVOR++ feature of `z` at the projection `w`, for r = 1.
fn feature(a: f64, w: &Array1<f64>, z: &Array1<f64>) -> Result<f64, Failure> {
    let draws = Draws::from_rows(w.clone().insert_axis(Axis(0)))?;
    Ok(FeatureMap::favor_plus_plus(draws, a)?.log_features(z)?[0])
}

impl Bounded {
    fn see(&self, setting: &Setting) -> Result<Seen, Failure> {
        let (mut stream, mut seen) = (setting.stream("bounded")?, Seen::default());
        for &(dim, norm, rho) in &self.cases {
            let (a, z) = (printed_a_hat(rho)?, unit_sphere(&mut stream, 1, dim).row(0).to_owned() * norm);
            let (b, bound) = ((1.0 + 4.0 * a).sqrt(), log_feature_bound(a, 1, dim, z.dot(&z))?);
            let best = &z * (b / (2.0 * a));
            let at_best = feature(a, &best, &z)?;
            seen.reached.see((at_best - bound).abs());
            seen.elsewhere.see((feature(a, &(2.0 * &best), &z)? - bound).abs());
            seen.d_alone.see((at_best - 0.25 * dim as f64 * (1.0 + 4.0 * a).ln()).abs());
            let mut w = Array1::from_vec((0..dim).map(|_| stream.normal()).collect());
            for _ in 0..200 {
                w = &w + &((&z * b - &w * (2.0 * a)) * (0.25 / a)); // ascent on the logarithm
            }
            seen.climbed.see((feature(a, &w, &z)? - bound).abs());
            let drawn = Draws::independent(self.draws, dim, &mut stream)?;
            let logs = FeatureMap::favor_plus_plus(drawn, a)?.log_features(&z)? + 0.5 * (self.draws as f64).ln();
            seen.above += logs.iter().filter(|log| **log > bound).count();
            let far = Draws::from_rows((&z * 1000.0).insert_axis(Axis(0)))?;
            seen.plain.see(FeatureMap::favor_plus(far.clone())?.log_features(&z)?[0]);
            seen.hyperbolic.see(FeatureMap::hyperbolic(far)?.log_features(&z)?[0]);
        }
        Ok(seen)
    }
}

impl TypedCheck for Bounded {
    const CLAIM: &'static str = "mnemosyne/favor-plus-plus-bounded";
    const PLAN: Plan = Plan::new(
        "ln of a feature minus ln of its bound",
        "a feature above the bound; a bound that is not reached; a bound for FAVOR+ or its hyperbolic variant",
        &[ROUNDING, EXACT, ANY],
    )
    .protocol(&["Â = 1/ρ - 1 as printed, ρ = 0.2, 0.6, 0.9 in 2, 8 and 32 dimensions"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let (seen, cases) = (self.see(setting)?, self.cases.len() as u64);
        let of = |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(cases).unit("settings");
        let far =
            |label: &str, log: f64| Finding::at_least(label, ANY, Estimate::exact(log)).cases(cases).unit("settings");
        let evidence = Evidence::of(
            Finding::identity("drawn features above the bound", seen.above as f64, EXACT)
                .cases(cases * self.draws as u64)
                .unit("features"),
        )
        .and(of("ln of the feature at w = B z / 2Â minus ln of the bound", seen.reached.0))
        .and(of("ln of the feature after gradient ascent minus ln of the bound", seen.climbed.0))
        .and(far("ln of a FAVOR+ feature at w = 1000 z, least", seen.plain.0))
        .and(far("ln of a hyperbolic feature at w = 1000 z, least", seen.hyperbolic.0))
        .twin(of("the maximiser at w = B z / Â: ln of the feature minus ln of the bound, least", seen.elsewhere.0))
        .twin(of("D alone as the bound, least error", seen.d_alone.0));
        Ok(evidence.into())
    }
}
