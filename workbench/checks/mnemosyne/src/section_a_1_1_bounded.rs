//! A.1.1, after the first display: bounded random variables.
//!
//! **Claim** (`mnemosyne/favor-plus-plus-bounded`). Unlike the maps before it, FAVOR++ estimates with bounded random variables, since
//! A-hat > 0.
//!
//! Completing the square, a feature is at most D exp(|z|^2 ((1 + 4 A-hat) / 4 A-hat - 1/2)) / sqrt(r), reached at w = B z / 2 A-hat. No drawn
//! feature may be higher, and none of a projection next to that one, where a bound that is a little too low would show. The document does not
//! give the bound; that it is reached there, and climbed to by gradient steps from elsewhere, is a footing. For FAVOR+ and its hyperbolic
//! variant the logarithm of the feature along w = t z must grow by more with each doubling of t, as it does not for FAVOR++. Refuted by a
//! feature above the bound, or by a growth that stops for the other maps.

use ndarray::{Array1, Axis};
use workbench_features::moments::log_feature_bound;
use workbench_features::{Draws, FeatureMap, MapKind, printed_a_hat};
use workbench_ground::stats::{normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Margin, Sheet};

use crate::vocabulary::{EXACT, ROUNDING};

/// Three dimensions and parameters, with drawn features at each.
pub const CHECK: Check = Check {
    claim: "mnemosyne/favor-plus-plus-bounded",
    metric: "ln of a feature minus ln of its bound; for the maps before it, ln of the feature along w = t z minus that bound, and how its growth changes along t",
    against: "a feature above the bound; a growth that stops for FAVOR+ or its hyperbolic variant",
    protocol: &["Â = 1/ρ - 1"],
    choices: &[
        "ρ = 0.2, 0.6, 0.9 in 2, 8 and 32 dimensions; t up to 1000; projections around the maximiser at a tenth of the width of their law",
    ],
    run,
    ..Check::DEFAULT
};

/// $\ln$ of the FAVOR++ feature of `z` at the projection `w`, for r = 1.
fn feature(a: f64, w: &Array1<f64>, z: &Array1<f64>) -> Result<f64, Failure> {
    let draws = Draws::from_rows(w.clone().insert_axis(Axis(0)))?;
    Ok(FeatureMap::favor_plus_plus(draws, a)?.log_features(z)?[0])
}

fn run(s: &Sheet) -> Done {
    let (mut stream, mut close) = (s.stream("bounded")?, s.stream("bounded, around the maximiser")?);
    let drawn = s.knob("features drawn", 20_000, 1..)?;
    for (dim, norm, rho) in s.each("settings", [(2, 0.5, 0.2), (8, 2.0, 0.6), (32, 1.0, 0.9)]) {
        let (a, z) = (printed_a_hat(rho)?, unit_sphere(&mut stream, 1, dim).row(0).to_owned() * norm);
        let (b, bound) = ((1.0 + 4.0 * a).sqrt(), log_feature_bound(a, 1, dim, z.dot(&z))?);
        let mut w = Array1::from_vec((0..dim).map(|_| stream.normal()).collect());
        let draws = Draws::independent(drawn, dim, &mut stream)?;
        for log in FeatureMap::favor_plus_plus(draws, a)?.log_features(&z)? + 0.5 * (drawn as f64).ln() {
            s.printed(EXACT).of("features").never("drawn features above the bound", log > bound);
        }
        let best = &z * (b / (2.0 * a));
        let at_best = feature(a, &best, &z)?;
        let around = Draws::from_rows(normal_array2(&mut close, drawn, dim) * 0.1 + &best)?;
        for log in FeatureMap::favor_plus_plus(around, a)?.log_features(&z)? + 0.5 * (drawn as f64).ln() {
            s.printed(EXACT).of("features").never("features around the maximiser above the bound", log > bound);
        }
        let reached = s.support(ROUNDING);
        reached.same("ln of the feature at w = B z / 2Â minus ln of the bound", (at_best - bound).abs());
        for _ in 0..200 {
            w = &w + &((&z * b - &w * (2.0 * a)) * (0.25 / a)); // ascent on the logarithm
        }
        let climbed = feature(a, &w, &z)?;
        reached.same("ln of the feature after gradient ascent minus ln of the bound", (climbed - bound).abs());

        // Of three logarithms along w = t z, each t twice the one before.
        let growth = |[near, middle, last]: [f64; 3]| (last - middle) - (middle - near);
        for kind in [MapKind::FavorPlus, MapKind::Hyperbolic] {
            let along = |t: f64| -> Result<f64, Failure> {
                let draws = Draws::from_rows((&z * t).insert_axis(Axis(0)))?;
                Ok(FeatureMap::over(kind, draws)?.log_features(&z)?[0])
            };
            let logs = [along(250.0)?, along(500.0)?, along(1000.0)?];
            let label = format!("{} at w = 1000 z: ln of the feature minus that bound, least", kind.name());
            s.support(Margin::ZERO).at_least(label, logs[2] - bound);
            let label =
                format!("{}: growth of ln of a feature for t = 500 to 1000 minus 250 to 500, least", kind.name());
            s.printed(Margin::ZERO).at_least(label, growth(logs));
        }
        let bounded = [feature(a, &(&z * 250.0), &z)?, feature(a, &(&z * 500.0), &z)?, feature(a, &(&z * 1000.0), &z)?];
        let label = "FAVOR++ as if it had no bound: the same growth, largest";
        s.twin(Margin::ZERO).at_least(label, growth(bounded));

        let elsewhere = feature(a, &(2.0 * &best), &z)?;
        let label = "the maximiser at w = B z / Â: ln of the feature minus ln of the bound, least";
        s.twin(ROUNDING).same(label, (elsewhere - bound).abs());
        let d_alone = 0.25 * dim as f64 * (1.0 + 4.0 * a).ln();
        s.twin(ROUNDING).same("D alone as the bound, least error", (at_best - d_alone).abs());
    }
    Ok(())
}
