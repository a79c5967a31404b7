//! A.1.1, first display: FAVOR++.
//!
//! **Claim** (`mnemosyne/favor-plus-plus`). phi_F++(z) = D / sqrt(r) times exp(-A-hat |w_i|^2 + B w_i'z + C |z|^2), i = 1, ..., r, with
//! A-hat = -A, B = sqrt(1 + 4 A-hat), C = -1/2, D = (1 + 4 A-hat)^{N/4}, A = 1 - 1/rho and rho in (0, 1).
//!
//! The product sign of the display stands for concatenation, as in Eq. 10. Checked as printed: A-hat > 0, rho near 1 gives FAVOR+, and
//! the map of this crate, which works in logarithms, is the display evaluated directly. What would count against it: a rho without
//! A-hat > 0, or a feature that is not the displayed one.

use ndarray::Array1;
use workbench_features::{Draws, FeatureMap, printed_a_hat};
use workbench_ground::stats::Estimate;
use workbench_ledger::{Checked, Evidence, Failure, Finding, Margin, Plan, Setting, TypedCheck};

use crate::vocabulary::{Largest, Least, ROUNDING, largest};

const LIMIT: Margin = Margin::new(
    "limit",
    1e-10,
    "ρ is 1e-12 below one, which moves a logarithm by that times the squared length of a projection, some tens",
);

/// Distance of ρ from 1 in the limit.
const NEAR_ONE: f64 = 1e-12;

/// One draw of the projections, one vector, several parameters.
#[derive(Clone, Debug)]
pub struct Display {
    /// Features r.
    pub r: usize,
    /// Dimension N.
    pub dim: usize,
    /// Values of the parameter.
    pub rhos: Vec<f64>,
}

impl Default for Display {
    fn default() -> Display {
        Display { r: 10, dim: 5, rhos: vec![0.01, 0.1, 0.5, 0.9, 0.99] }
    }
}

#[derive(Default)]
struct Seen {
    least: Least,
    /// ln of a feature against ln of the display, all of them; the display itself where it is a number.
    logs: Largest,
    direct: Largest,
    evaluated: u64,
    /// D with the exponent N/2, B without its root.
    square: Least,
    no_root: Least,
}

impl Display {
    fn see(&self, draws: &Draws, z: &Array1<f64>) -> Result<Seen, Failure> {
        let (mut seen, n) = (Seen::default(), self.dim as f64);
        for rho in &self.rhos {
            let a = printed_a_hat(*rho)?;
            seen.least.see(a);
            let logs = FeatureMap::favor_plus_plus(draws.clone(), a)?.log_features(z)?;
            for (w, log) in draws.rows().rows().into_iter().zip(&logs) {
                let power = |b: f64| -a * w.dot(&w) + b * w.dot(z) - 0.5 * z.dot(z);
                let b = (1.0 + 4.0 * a).sqrt();
                let display =
                    |b: f64, exponent: f64| exponent * (1.0 + 4.0 * a).ln() - 0.5 * (self.r as f64).ln() + power(b);
                // Rounding of a logarithm is a part of its size, which is some hundreds where ρ is small.
                let error = |other: f64| (log - other).abs() / log.abs().max(1.0);
                seen.logs.see(error(display(b, n / 4.0)));
                seen.square.see(error(display(b, n / 2.0)));
                seen.no_root.see(error(display(b * b, n / 4.0)));
                let feature = (1.0 + 4.0 * a).powf(n / 4.0) / (self.r as f64).sqrt() * power(b).exp();
                // Where the display itself leaves the range of f64 there is nothing to compare with.
                if feature > 1e-290 {
                    seen.direct.see(error(feature.ln()));
                    seen.evaluated += 1;
                }
            }
        }
        Ok(seen)
    }
}

impl TypedCheck for Display {
    const CLAIM: &'static str = "mnemosyne/favor-plus-plus";
    const PLAN: Plan = Plan::new(
        "ln of a feature minus ln of the display, over the larger of 1 and its size: term by term in logarithms, and evaluated directly where that is a number",
        "a ρ in (0, 1) without Â > 0; a feature that is not the displayed one; a limit that is not FAVOR+",
        &[ROUNDING, LIMIT],
    )
    .protocol(&["Â = 1/ρ - 1 as printed"])
    .departures(&["the product sign is read as concatenation, as in Eq. 10"]);

    fn run(&self, setting: &Setting) -> Result<Checked, Failure> {
        let mut stream = setting.stream("favor++")?;
        let draws = Draws::independent(self.r, self.dim, &mut stream)?;
        let z = Array1::from_vec((0..self.dim).map(|_| 0.5 * stream.normal()).collect());
        let seen = self.see(&draws, &z)?;
        let near_one = FeatureMap::favor_plus_plus(draws.clone(), printed_a_hat(1.0 - NEAR_ONE)?)?;
        let gap = near_one.log_features(&z)? - FeatureMap::favor_plus(draws)?.log_features(&z)?;
        let limit = largest(&gap);
        let features = (self.r * self.rhos.len()) as u64;
        let of = |label: &str, error: f64| Finding::identity(label, error, ROUNDING).cases(features).unit("features");
        let evidence = Evidence::of(of("ln of a feature against the display", seen.logs.0))
            .and(
                Finding::identity("the display evaluated directly, where it is above 10⁻²⁹⁰", seen.direct.0, ROUNDING)
                    .cases(seen.evaluated)
                    .unit("features"),
            )
            .and(
                Finding::identity("ρ = 1 - 10⁻¹²: ln of a feature against FAVOR+", limit, LIMIT)
                    .cases(self.r as u64)
                    .unit("features"),
            )
            .and(
                Finding::at_least("least Â over the values of ρ", 0.0, Estimate::exact(seen.least.0))
                    .cases(self.rhos.len() as u64)
                    .unit("values of ρ"),
            )
            .twin(of("D with the exponent N/2, least error", seen.square.0))
            .twin(of("B without its root, least error", seen.no_root.0));
        Ok(evidence.into())
    }
}
