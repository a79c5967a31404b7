//! A.1.1, first display: FAVOR++.
//!
//! **Claim** (`mnemosyne/favor-plus-plus`). phi_F++(z) = D / sqrt(r) times exp(-A-hat |w_i|^2 + B w_i'z + C |z|^2), i = 1, ..., r, with
//! A-hat = -A, B = sqrt(1 + 4 A-hat), C = -1/2, D = (1 + 4 A-hat)^{N/4}, A = 1 - 1/rho and rho in (0, 1).
//!
//! The product sign of the display stands for concatenation, as in Eq. 10. The map of this crate, which works in logarithms, has to be the
//! display with the printed constants, term by term and evaluated directly. That A-hat > 0, and that rho near 1 gives FAVOR+, follows from
//! the constants and is a footing. Refuted by a feature that is not the displayed one.

use ndarray::Array1;
use workbench_features::{Draws, FeatureMap, printed_a_hat};
use workbench_ledger::{Check, Done, Margin, Sheet};

use crate::vocabulary::{ROUNDING, largest};

const LIMIT: Margin = Margin::rounding(
    "limit",
    1e-10,
    "ρ is 1e-12 below one, which moves a logarithm by that times the squared length of a projection, some tens",
);

/// One draw of the projections, one vector, several parameters.
pub const CHECK: Check = Check {
    claim: "mnemosyne/favor-plus-plus",
    metric: "ln of a feature minus ln of the display, over the larger of 1 and its size: term by term in logarithms, and evaluated directly where that is a number",
    against: "a feature that is not the displayed one",
    protocol: &["Â = 1/ρ - 1 as printed"],
    choices: &["10 features in 5 dimensions, one vector, ρ from 0.01 to 0.99"],
    departures: &[
        "the product sign is read as concatenation, as in Eq. 10",
        "that Â lacks an eighth shows only with Eq. 11, and is charged there",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    s.see("mnemosyne/eq-11");
    let (r, dim) = (s.knob("features r", 10, 1..)?, s.knob("dimension N", 5, 1..)?);
    let mut stream = s.stream("favor++")?;
    let draws = Draws::independent(r, dim, &mut stream)?;
    let z = Array1::from_vec((0..dim).map(|_| 0.5 * stream.normal()).collect());
    let (n, root_r) = (dim as f64, (r as f64).sqrt());
    for rho in s.each("values of ρ", [0.01, 0.1, 0.5, 0.9, 0.99]) {
        let a = printed_a_hat(rho)?;
        let b = (1.0 + 4.0 * a).sqrt();
        let logs = FeatureMap::favor_plus_plus(draws.clone(), a)?.log_features(&z)?;
        for (w, log) in s.each("features", draws.rows().rows().into_iter().zip(&logs)) {
            let power = |b: f64| -a * w.dot(&w) + b * w.dot(&z) - 0.5 * z.dot(&z);
            let display = |b: f64, exponent: f64| exponent * (1.0 + 4.0 * a).ln() - 0.5 * (r as f64).ln() + power(b);
            // Rounding of a logarithm is a part of its size, which is some hundreds where ρ is small.
            let error = |other: f64| (log - other).abs() / log.abs().max(1.0);
            s.printed(ROUNDING).same("ln of a feature against the display", error(display(b, n / 4.0)));
            s.twin(ROUNDING).same("D with the exponent N/2, least error", error(display(b, n / 2.0)));
            s.twin(ROUNDING).same("B without its root, least error", error(display(b * b, n / 4.0)));
            let feature = (1.0 + 4.0 * a).powf(n / 4.0) / root_r * power(b).exp();
            // Where the display itself leaves the range of f64 there is nothing to compare with.
            if feature > 1e-290 {
                let label = "the display evaluated directly, where it is above 10⁻²⁹⁰";
                s.printed(ROUNDING).same(label, error(feature.ln()));
            }
        }
        s.support(Margin::ZERO).at_least("least Â over the values of ρ", a);
    }
    let near_one = FeatureMap::favor_plus_plus(draws.clone(), printed_a_hat(1.0 - 1e-12)?)?;
    let gap = near_one.log_features(&z)? - FeatureMap::favor_plus(draws)?.log_features(&z)?;
    s.support(LIMIT).over(r, "features").same("ρ = 1 - 10⁻¹²: ln of a feature against FAVOR+", largest(&gap));
    Ok(())
}
