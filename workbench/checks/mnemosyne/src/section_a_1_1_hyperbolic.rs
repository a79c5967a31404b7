//! A.1.1, last paragraph: hyperbolic FAVOR++.
//!
//! **Claim** (`mnemosyne/hyperbolic-favor-plus-plus`). FAVOR++ admits a hyperbolic cosine variant, as FAVOR+ does.
//!
//! It is built by concatenation, as Eq. 10 is: entry by entry it must be FAVOR++ on the projections and their mirror images, and its estimate
//! a mean of hyperbolic cosines. So it exists, and it is unbiased by symmetry. Whether it helps is not said, and the exact variances decide:
//! at equal r the covariance of the two terms of a pair, relative to the squared kernel, is ((1 + 4 A-hat)^2 / (1 + 8 A-hat))^{N/2} e^-v - 1,
//! which is negative for FAVOR+ at every v > 0 and for A-hat > 0 only for v > (N/2) ln(1 + 16 A-hat^2 / (1 + 8 A-hat)). Refuted by a bias
//! or an entry; the variances, which the claim does not speak of, by one parameter and v at which the better map is not the predicted one.

use ndarray::{Array2, ArrayView1, Axis, concatenate};
use workbench_display::{Figure, Panel};
use workbench_features::moments::log_relative_variance;
use workbench_features::{Draws, Ensemble, FeatureMap, MapKind, a_hat};
use workbench_ground::stats::{log_mean_exp, unit_sphere};
use workbench_ledger::{Check, Done, Failure, Sheet};

use super::equation_10::log_cosh;
use super::term_constants::{PRINTED, Times, log_bias, vector_pairs};
use crate::vocabulary::{EVEN, EXACT, ROUNDING, apart, least_of};

/// Dimension N of the grid.
const DIM: usize = 16;
/// Parts of v next to the edge where the two are equal, which rounding decides.
const EDGE: f64 = 1e-6;
/// Projections of the map that is built, half its features.
const PROJECTIONS: usize = 12;
/// Values of ρ at which the bias is integrated and the map is built.
const RHOS: [f64; 3] = [0.05, 0.4, 0.95];

/// A grid of parameters and v, and parameters for the quadrature.
pub const CHECK: Check = Check {
    claim: "mnemosyne/hyperbolic-favor-plus-plus",
    metric: "ln of the mean of a term minus x'y, by quadrature; entries of the map that is built against FAVOR++ on mirrored projections; exact variance of the variant over that of FAVOR++ at equal r",
    against: "a bias; an entry that is not that of FAVOR++ on mirrored projections",
    choices: &[
        "the pairs of the unbiasedness check at three parameters; the map built over 12 projections in 6 dimensions at these parameters, vectors of length 0.3 and 2; variances for N = 16 over ρ and v",
    ],
    departures: &["ρ is read with Â = (1/ρ-1)/8; every Â occurs under the printed reading as well"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    for (x, y) in &vector_pairs(s)? {
        for rho in s.each("settings", RHOS) {
            let kind = MapKind::HyperbolicPlusPlus { a_hat: a_hat(rho)? };
            let bias = log_bias(kind, (x, y), PRINTED)?.abs();
            s.printed(ROUNDING).same("bias of ln of the mean, by quadrature", bias);
            let wrong = log_bias(kind, (x, y), Times { b: 1.01, ..PRINTED })?.abs();
            s.twin(ROUNDING).largest().same("B one percent larger: bias of ln of the mean, largest", wrong);
        }
    }
    built(s)?;
    variances(s)
}

/// The map that is built, entry by entry and as an estimate.
fn built(s: &Sheet) -> Done {
    let mut stream = s.stream("hyperbolic FAVOR++")?;
    let (mut not_mirrored, mut by_projections) = (Vec::new(), Vec::new());
    for (rho, length) in s.each("maps", RHOS.iter().flat_map(|rho| [(*rho, 0.3), (*rho, 2.0)])) {
        let a_hat = a_hat(rho)?;
        let half = Draws::block_orthogonal(PROJECTIONS, 6, &mut stream)?;
        let map = FeatureMap::over(MapKind::HyperbolicPlusPlus { a_hat }, half.clone())?;
        let mirrored = FeatureMap::favor_plus_plus(half.with_mirror_images(), a_hat)?;
        let rows = half.rows().view();
        let twice = FeatureMap::favor_plus_plus(Draws::from_rows(concatenate![Axis(0), rows, rows])?, a_hat)?;
        let u = unit_sphere(&mut stream, 2, 6) * length;
        let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
        let (features, right) = (map.log_features(&x)?, mirrored.log_features(&x)?);
        for (a, b) in s.each("features", features.iter().zip(&right)) {
            s.printed(ROUNDING).same("ln of entries against FAVOR++ on mirrored projections", (a - b).abs());
        }
        not_mirrored.push(apart(&features, &twice.log_features(&x)?));
        by_projections.push(apart(&features, &(&right + 0.5 * std::f64::consts::LN_2)));
        // D^2 e^{-2 A |w|^2} cosh(B w'(x + y)), the mean over projections, in logarithms.
        let (b, sum) = ((1.0 + 4.0 * a_hat).sqrt(), &x + &y);
        let term = |w: ArrayView1<'_, f64>| {
            log_cosh(b * w.dot(&sum)) + 3.0 * (1.0 + 4.0 * a_hat).ln() - 2.0 * a_hat * w.dot(&w)
        };
        let terms: Vec<f64> = half.rows().rows().into_iter().map(term).collect();
        let wanted = log_mean_exp(&terms) - 0.5 * (x.dot(&x) + y.dot(&y));
        let error = (map.log_kernel_estimate(&x, &y)? - wanted).abs() / wanted.abs().max(1.0);
        s.printed(ROUNDING).same("ln of the estimate against ln of the mean of D² e^(−2Â|w|²) cosh, relative", error);
    }
    let wrong = s.twin(ROUNDING).over(not_mirrored.len(), "maps");
    let label = "each projection twice instead of mirrored: ln of entries, largest entry, least map";
    wrong.same(label, least_of(not_mirrored));
    wrong.same("1/√(r/2) for 1/√r: ln of entries, largest entry, least map", least_of(by_projections));
    Ok(())
}

/// Exact variance of the hyperbolic variant over that of FAVOR++, and the edge between help and harm.
fn variances(s: &Sheet) -> Done {
    let rhos: Vec<f64> = (1..=39).map(|i| 0.025 * f64::from(i)).collect();
    let vs: Vec<f64> = (0..=50).map(|i| 10f64.powf(-2.0 + 0.07 * f64::from(i))).collect();
    let mut log_ratios = Array2::zeros((rhos.len(), vs.len()));
    for (i, rho) in rhos.iter().enumerate() {
        let a_hat = a_hat(*rho)?;
        for (j, &v) in s.each("points", vs.iter().enumerate()) {
            let log = |kind| log_relative_variance(kind, Ensemble::Independent, 2, DIM, v);
            let log_ratio = log(MapKind::HyperbolicPlusPlus { a_hat })? - log(MapKind::FavorPlusPlus { a_hat })?;
            log_ratios[(i, j)] = log_ratio;
            let (n, wrong) = (DIM as f64, |edge: f64| (log_ratio > 0.0) != (v < edge));
            let decided = (v / edge(a_hat, 0.5 * n) - 1.0).abs() > EDGE;
            let label = "points where the better map is not the predicted one";
            s.support(EXACT).never(label, decided && wrong(edge(a_hat, 0.5 * n)));
            let label = "N for N/2 in the edge: points that are not the predicted ones";
            s.twin(EXACT).never(label, decided && wrong(edge(a_hat, n)));
            let beside = s.aside(EVEN);
            beside.least().at_most("it can help: least ratio of variances", log_ratio.exp());
            beside.largest().at_least("it can hurt: largest ratio of variances", log_ratio.exp());
        }
    }
    s.figure(figure(&rhos, &vs, &log_ratios)?);
    Ok(())
}

/// Where the two terms of a pair are uncorrelated, with `half` for N/2.
fn edge(a: f64, half: f64) -> f64 {
    half * (16.0 * a * a / (1.0 + 8.0 * a)).ln_1p()
}

fn figure(rhos: &[f64], vs: &[f64], log_ratios: &Array2<f64>) -> Result<Figure, Failure> {
    let (mut at, mut of) = (Vec::new(), Vec::new());
    for rho in rhos {
        let v = edge(a_hat(*rho)?, 0.5 * DIM as f64);
        if vs[0] < v && v < vs[vs.len() - 1] {
            at.push(v);
            of.push(*rho);
        }
    }
    let (log10, what) = (log_ratios / std::f64::consts::LN_10, "log₁₀ variance: hyperbolic / plain");
    let panel = Panel::new("N = 16, equal r").x_label("v = ‖x + y‖²").y_label("ρ, with Â = (1/ρ − 1)/8").log_x();
    let panel = panel.heatmap(&log10, vs, rhos, what).signed_colour().colour_limits(-0.4, 0.4).theory(
        "v = N/2 ln(1 + 16Â²/(1+8Â))",
        &at,
        &of,
    );
    Ok(Figure::new("The hyperbolic variant of FAVOR++ helps only beyond an edge")
        .panel(panel)
        .caption(
            "Blue: the hyperbolic variant has the lower variance; vermilion: the higher one. On the dashed line the two terms of a \
             pair are uncorrelated.",
        ))
}
