//! A.1.1, after the first display: FAVOR++ is still unbiased.
//!
//! **Claim** (`mnemosyne/favor-plus-plus-unbiased`). E[phi_F++(x)'phi_F++(y)] = exp(x'y) for every rho.
//!
//! Quadrature coordinate by coordinate, and single draws: projections from N(B (x + y) / (1 + 4 A-hat), I / (1 + 4 A-hat)) with likelihood
//! weights make the term constant. Nothing here depends on how rho and A-hat are related; both readings that Eq. 11 will need are in. Refuted
//! by a bias; a check that does not see a constant that is off by one percent would decide nothing.

use ndarray::Array1;
use workbench_features::{Draws, FeatureMap, MapKind, a_hat, printed_a_hat};
use workbench_ground::stats::{Stream, normal_array2, unit_sphere};
use workbench_ledger::{Check, Done, Sheet};

use super::term_constants::{PRINTED, Times, log_bias};
use crate::vocabulary::ROUNDING;

/// Vectors and parameters, and weighted draws at each.
pub const CHECK: Check = Check {
    claim: "mnemosyne/favor-plus-plus-unbiased",
    metric: "ln of the mean of a term minus x'y, by quadrature; ln of a weighted term minus x'y, over the size of its exponent",
    against: "a bias at any dimension, length or parameter",
    choices: &["five dimensions from 1 to 64, each with Â = 1/ρ - 1 and with an eighth of it"],
    run,
    ..Check::DEFAULT
};

fn run(s: &Sheet) -> Done {
    let mut stream = s.stream("favor++ unbiased")?;
    let draws = s.knob("weighted draws", 200, 1..)?;
    for (dim, norm, rho) in [(1, 1.0, 0.3), (3, 0.2, 0.9), (8, 3.0, 0.05), (16, 1.5, 0.5), (64, 2.0, 0.02)] {
        for a_hat in s.each("settings", [printed_a_hat(rho)?, a_hat(rho)?]) {
            let (u, kind) = (unit_sphere(&mut stream, 2, dim) * norm, MapKind::FavorPlusPlus { a_hat });
            let (x, y) = (u.row(0).to_owned(), u.row(1).to_owned());
            let bias = log_bias(kind, (&x, &y), PRINTED)?.abs();
            s.printed(ROUNDING).same("bias of ln of the mean, by quadrature", bias);
            for (label, times) in [
                ("B one percent larger: bias of ln of the mean", Times { b: 1.01, ..PRINTED }),
                ("C one percent larger: bias of ln of the mean", Times { c: 1.01, ..PRINTED }),
                ("exponent of D one percent larger: bias of ln of the mean", Times { d: 1.01, ..PRINTED }),
            ] {
                s.twin(ROUNDING).largest().same(label, log_bias(kind, (&x, &y), times)?.abs());
            }
            weighted(s, a_hat, (&x, &y), draws, &mut stream)?;
        }
    }
    Ok(())
}

/// Draws under which the weighted term is constant.
fn weighted(s: &Sheet, a: f64, (x, y): (&Array1<f64>, &Array1<f64>), draws: usize, stream: &mut Stream) -> Done {
    let (dim, b2) = (x.len(), 1.0 + 4.0 * a);
    let centre = (x + y) / b2.sqrt();
    let rows = normal_array2(stream, draws, dim) / b2.sqrt() + &centre;
    let map = FeatureMap::favor_plus_plus(Draws::from_rows(rows.clone())?, a)?;
    let terms = map.log_features(x)? + map.log_features(y)? + (draws as f64).ln();
    for (w, log) in s.each("draws", rows.rows().into_iter().zip(&terms)) {
        let gap = &w - &centre;
        let weight = -0.5 * w.dot(&w) + 0.5 * b2 * gap.dot(&gap) - 0.5 * dim as f64 * b2.ln();
        let error = (log + weight - x.dot(y)).abs() / (1.0 + a * w.dot(&w));
        s.printed(ROUNDING).same("ln of a weighted term minus x·y, over its exponent", error);
    }
    Ok(())
}
