//! Eq. 18: the terms of one feature.
//!
//! **Claim** (`mnemosyne/eq-18`). W_k = a_k b_k and Z_k = a_k c_k with a_k = D exp(-N/2) exp(B w_k'xi - A-hat |w_k|^2), and b_k, c_k the
//! same at the input and the flipped input.
//!
//! Averaged over k these must be the kernel estimates of FAVOR++, of which the factor exp(-N/2) is C|x|^2 for sign vectors. Refuted by a
//! mean of a b that is not the estimate of the feature map at the input, or of a c that is not the one at the flipped input.

use ndarray::Array1;
use workbench_features::compact::Signs;
use workbench_features::{Ensemble, FeatureMap, MapKind};
use workbench_ground::stats::log_mean_exp;
use workbench_ledger::{Check, Done, Sheet};

use super::energy_terms::{Factor, LOGS};

/// Products of Eq. 18 beside the feature map.
pub const CHECK: Check = Check {
    claim: "mnemosyne/eq-18",
    metric: "ln of the mean of a b, and of a c, minus ln of the kernel estimate at the input, and at the flipped one",
    against: "a mean of the products that is not the estimate of the feature map",
    choices: &[
        "N = 4, 16 and 100 with 8, 64 and 256 features, Â = 0.1, 1 and 3; each entry of the input flipped in turn",
    ],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("eq 18")?;
    for (n, r, a_hat) in s.each("maps", [(4, 8, 0.1), (16, 64, 1.0), (100, 256, 3.0)]) {
        let map = FeatureMap::draw(MapKind::FavorPlusPlus { a_hat }, Ensemble::Independent, r, n, &mut stream)?;
        let x = Signs::random(n, &mut stream)?.to_array();
        let input = Signs::random(n, &mut stream)?;
        let y = input.to_array();
        let estimate = map.log_kernel_estimate(&x, &y)?;
        let log_mean = |form: Factor, at: &Array1<f64>| {
            let rows = map.draws().rows();
            let products: Vec<f64> = rows.outer_iter().map(|w| form.log(w, &x) + form.log(w, at)).collect();
            log_mean_exp(&products)
        };
        let (form, error) = (Factor::printed(n, a_hat), |form: Factor| (log_mean(form, &y) - estimate).abs());
        s.printed(LOGS).same("ln of the mean of a b minus ln of the kernel estimate", error(form));
        let without = Factor { half: 0.0, ..form };
        s.twin(LOGS).same("without the factor exp(-N/2), least difference", error(without));
        let no_root = Factor { b: 1.0 + 4.0 * a_hat, ..form };
        s.twin(LOGS).same("B without its square root, least difference", error(no_root));
        for i in s.each("flips", 0..n) {
            let flipped = input.flipped_at(&[i])?.to_array();
            let there = map.log_kernel_estimate(&x, &flipped)?;
            let label = "ln of the mean of a c minus ln of the kernel estimate at the flipped input";
            s.printed(LOGS).same(label, (log_mean(form, &flipped) - there).abs());
            let label = "c_k at the input as it was, least difference";
            s.twin(LOGS).same(label, (log_mean(form, &y) - there).abs());
        }
    }
    Ok(())
}
