//! Eq. 9: FAVOR+, positive features.
//!
//! **Claim** (`mnemosyne/eq-9`). phi_F+(z) = Gamma(z, r) (exp(w_1'z), ..., exp(w_r'z)) with Gamma(z, r) = exp(-|z|^2 / 2) / sqrt(r) and
//! standard normal projections w_i.
//!
//! The features have to be those of the display, also at lengths for which only the logarithm is a number, and the projections to have
//! their law. What the definition must give is a footing: positive features, and phi(x)'phi(y) = exp(-(|x|^2 + |y|^2) / 2) times the mean of
//! exp(w_i'(x + y)). Refuted by a feature that is another one, an entry that is not standard normal or not independent of the next.

use ndarray::Array1;
use workbench_features::{Draws, FeatureMap};
use workbench_ground::stats::{log_sum_exp, normal_cdf, unit_sphere};
use workbench_ledger::{Check, Done, Sheet};

use super::equation_9_blocks::{CHANCE, kolmogorov};
use crate::vocabulary::{EXACT, ROUNDING, apart};

/// One draw of the projections, vectors of several lengths; entries of many projections.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-9",
    metric: "ln of a feature minus ln of the display, and ln of the inner product of features minus ln of the printed sum, over the larger of 1 and the squared lengths; root of n times Kolmogorov's distance",
    against: "a feature that is not that of the display; an entry that is not standard normal, or not independent of the next",
    protocol: &["r = 16, as in B.1"],
    choices: &[
        "N = 8 and six lengths from 0.1 to a million; the law of entries from 10,000 projections in four dimensions",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let (r, dim) = (s.knob("features r", 16, 1..)?, s.knob("dimension N", 8, 1..)?);
    let mut stream = s.stream("eq 9")?;
    let map = FeatureMap::favor_plus(Draws::independent(r, dim, &mut stream)?)?;
    let log_r = (r as f64).ln();
    for norm in s.each("lengths", [0.1, 1.0, 3.0, 10.0, 100.0, 1e6]) {
        let pair = unit_sphere(&mut stream, 2, dim) * norm;
        let (x, y) = (pair.row(0).to_owned(), pair.row(1).to_owned());
        let rows = map.draws().rows();
        let half = 0.5 * (x.dot(&x) + y.dot(&y));
        let scale = half.max(1.0);
        // The display, with Γ's two constants: the factor of |z|² and the power of r.
        let display = |z: &Array1<f64>, norm: f64, root: f64| rows.dot(z) - norm * z.dot(z) - root * log_r;
        let features = map.log_features(&x)?;
        let off = |norm: f64, root: f64| apart(&features, &display(&x, norm, root)) / scale;
        let entries = s.printed(ROUNDING).of("vectors");
        entries.same("ln of a feature against the display, relative", off(0.5, 0.5));
        for log in &features {
            s.support(EXACT).of("features").never("features that are not positive", !log.is_finite());
        }
        let estimate = map.log_kernel_estimate(&x, &y)?;
        let error =
            |ends: &Array1<f64>| (estimate - (log_sum_exp(&rows.dot(ends).to_vec()) - log_r - half)).abs() / scale;
        let label = "ln of the inner product against ln of the sum over draws, relative";
        s.support(ROUNDING).same(label, error(&(&x + &y)));
        s.twin(ROUNDING).largest().same("exp(w'(x - y)) in the sum, largest error", error(&(&x - &y)));
        // Features of a wrong display, and their inner product.
        let product = |norm: f64, root: f64| {
            let logs = display(&x, norm, root) + display(&y, norm, root);
            (log_sum_exp(&logs.to_vec()) - estimate).abs() / scale
        };
        s.twin(ROUNDING)
            .same("features with exp(-|z|²) in Γ: ln of their inner product, least error", product(1.0, 0.5));
        s.twin(ROUNDING).largest().same("features with 1/r in Γ: the same, largest error", product(0.5, 1.0));
    }
    law(s)
}

/// The law of the projections.
fn law(s: &Sheet) -> Done {
    let n = s.knob("projections for their law", 10_000, 2..)?;
    let draws = Draws::independent(n, 4, &mut s.stream("eq 9, law")?)?;
    let (first, second) = (draws.rows().column(0), draws.rows().column(1));
    let label = "√n times the distance of an entry's law from N(0, 1)";
    s.printed(CHANCE).over(n, "projections").at_most(label, kolmogorov(first.to_vec(), normal_cdf));
    let sums = (&first + &second) / 2f64.sqrt();
    let label = "the same of the sum of two entries over √2";
    s.printed(CHANCE).over(n, "projections").at_most(label, kolmogorov(sums.to_vec(), normal_cdf));
    let directions = unit_sphere(&mut s.stream("eq 9, directions")?, n, 4) * 2.0;
    let label = "directions of length √N in four dimensions: the same";
    s.twin(CHANCE).over(n, "projections").at_most(label, kolmogorov(directions.column(0).to_vec(), normal_cdf));
    Ok(())
}
