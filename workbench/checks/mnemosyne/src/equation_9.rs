//! Eq. 9: FAVOR+, positive features.
//!
//! **Claim** (`mnemosyne/eq-9`). phi_F+(z) = Gamma(z, r) (exp(w_1'z), ..., exp(w_r'z)) with Gamma(z, r) = exp(-|z|^2 / 2) / sqrt(r) and
//! standard normal projections w_i.
//!
//! A definition is checked by what it must give: positive features, and phi(x)'phi(y) = exp(-(|x|^2 + |y|^2) / 2) times the mean of
//! exp(w_i'(x + y)), for every draw and also at lengths for which only the logarithm is a number. Refuted by a feature that is zero, a draw
//! at which the two sides differ.

use workbench_features::{Draws, FeatureMap};
use workbench_ground::stats::{log_sum_exp, unit_sphere};
use workbench_ledger::{Check, Done, Sheet};

use crate::vocabulary::{EXACT, ROUNDING};

/// One draw of the projections, vectors of several lengths.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-9",
    metric: "ln of the inner product of features minus ln of the printed sum, over the larger of 1 and the squared lengths",
    against: "a feature that is not positive; a draw at which the two sides differ",
    protocol: &["r = 16 as in B.1; the document gives no dimension for this statement"],
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
        let sum = log_sum_exp(&map.draws().rows().dot(&(&x + &y)).to_vec());
        let half = 0.5 * (x.dot(&x) + y.dot(&y));
        let estimate = map.log_kernel_estimate(&x, &y)?;
        let error = |printed: f64| (estimate - printed).abs() / half.max(1.0);
        let label = "ln of the inner product against ln of the sum over draws, relative";
        s.printed(ROUNDING).same(label, error(sum - log_r - half));
        for log in map.log_features(&x)? {
            s.printed(EXACT).of("features").never("features that are not positive", !log.is_finite());
        }
        s.twin(ROUNDING).same("Γ without its one half, least error", error(sum - log_r - 2.0 * half));
        s.twin(ROUNDING).largest().same("1/r for 1/√r, largest error", error(sum - 2.0 * log_r - half));
    }
    Ok(())
}
