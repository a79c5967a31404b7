//! Eq. 10: hyperbolic cosine features.
//!
//! **Claim** (`mnemosyne/eq-10`). phi_HF+(z) = Gamma(z, r) times the pairs (exp(w_i'z), exp(-w_i'z)), i = 1, ..., r/2, one after the other;
//! it is phi_F+ with the antithetic Monte Carlo trick.
//!
//! The text announces concatenation and the display prints a product sign; the reading is the announced one. Then the map must be, entry by
//! entry, the display, and FAVOR+ on the projections and their mirror images; that its estimate is a mean of cosh w_i'(x + y), which the
//! document does not say, is a footing. Refuted by an entry that differs.

use ndarray::{Array1, Axis, concatenate};
use workbench_features::{Draws, FeatureMap};
use workbench_ground::stats::{log_mean_exp, unit_sphere};
use workbench_ledger::{Check, Done, Sheet};

use crate::vocabulary::{EXACT, ROUNDING, apart, least_of};

/// One draw of the projections, vectors of several lengths.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-10",
    metric: "largest difference of ln of features; that from the display, and ln of the estimate minus ln of the mean of cosh, over the larger of 1 and the squared lengths",
    against: "an entry that is not that of the display, or not that of FAVOR+ on mirrored projections",
    choices: &["12 projections in 6 dimensions, three lengths from 0.3 to 20"],
    departures: &["the product sign is read as the concatenation that the sentence before it announces"],
    run,
    ..Check::DEFAULT
};

/// $\ln\cosh t$ without overflow.
pub fn log_cosh(t: f64) -> f64 {
    t.abs() + (-2.0 * t.abs()).exp().ln_1p() - std::f64::consts::LN_2
}

fn run(s: &Sheet) -> Done {
    let (projections, dim) = (s.knob("projections", 12, 1..)?, s.knob("dimension N", 6, 1..)?);
    let mut stream = s.stream("eq 10")?;
    let half = Draws::block_orthogonal(projections, dim, &mut stream)?;
    let hyperbolic = FeatureMap::hyperbolic(half.clone())?;
    let antithetic = FeatureMap::favor_plus(half.with_mirror_images())?;
    let rows = half.rows().view();
    let twice = FeatureMap::favor_plus(Draws::from_rows(concatenate![Axis(0), rows, rows])?)?;
    let mut not_mirrored = Vec::new();
    for norm in s.each("lengths", [0.3, 2.0, 20.0]) {
        let u = unit_sphere(&mut stream, 2, dim) * norm;
        let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
        let features = hyperbolic.log_features(&x)?;
        for (a, b) in s.each("features", features.iter().zip(&antithetic.log_features(&x)?)) {
            s.printed(EXACT).same("entries against FAVOR+ on mirrored projections", (a - b).abs());
        }
        not_mirrored.push(apart(&features, &twice.log_features(&x)?));
        let logs: Vec<f64> = half.rows().dot(&(&x + &y)).iter().map(|t| log_cosh(*t)).collect();
        let norms = 0.5 * (x.dot(&x) + y.dot(&y));
        let estimate = hyperbolic.log_kernel_estimate(&x, &y)?;
        let error = |log: f64| (estimate - log).abs() / norms.max(1.0);
        let label = "ln of the estimate against ln of the mean of cosh, relative";
        s.support(ROUNDING).same(label, error(log_mean_exp(&logs) - norms));
        // The display: all entries with plus, then all with minus, as the crate orders them.
        let display = |sign: f64| sign * half.rows().dot(&x) - 0.5 * x.dot(&x) - 0.5 * (2.0 * projections as f64).ln();
        let pairs = concatenate![Axis(0), display(1.0), display(-1.0)];
        let label = "ln of entries against the display, relative";
        s.printed(ROUNDING).same(label, apart(&features, &pairs) / norms.max(1.0));
        // Γ(z, r) times the product of all pairs, one number and no vector.
        let product = |z: &Array1<f64>| {
            let along = half.rows().dot(z);
            along.iter().flat_map(|t| [*t, -t]).sum::<f64>() - 0.5 * (z.dot(z) + (2.0 * projections as f64).ln())
        };
        s.twin(ROUNDING)
            .same("∏ taken as a product: ln of the estimate, least error", error(product(&x) + product(&y)));
    }
    let features = s.twin(EXACT).over(not_mirrored.len() * 2 * projections, "features");
    features.same("each projection twice instead of mirrored: entries", least_of(not_mirrored));
    Ok(())
}
