//! Appendix A.1: the constants of a term, its mean by quadrature, and the pairs of vectors it is asked at.

use ndarray::Array1;
use workbench_features::MapKind;
use workbench_features::moments::log_gaussian_moment_by_quadrature;
use workbench_ground::stats::{log_mean_exp, unit_sphere};
use workbench_ledger::{Failure, Setting};

/// The constants of a map as multiples of the printed ones; anything but ones is a wrong form.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Of C, the factor of the squared norm.
    pub c: f64,
    /// Of B, the factor of the projection.
    pub b: f64,
    /// Of the exponent of D.
    pub d: f64,
}

/// The constants as printed.
pub const PRINTED: Times = Times { c: 1.0, b: 1.0, d: 1.0 };

/// $\ln\mathbb EX-x^\top y$ of the term of one projection, coordinate by coordinate with adaptive quadrature: zero if the map is unbiased.
/// A hyperbolic term is the mean of both signs.
pub fn log_bias(kind: MapKind, (x, y): (&Array1<f64>, &Array1<f64>), times: Times) -> Result<f64, Failure> {
    let a_hat = kind.a_hat();
    let b = times.b * (1.0 + 4.0 * a_hat).sqrt();
    let signs: &[f64] = if kind.is_hyperbolic() { &[1.0, -1.0] } else { &[1.0] };
    let mut logs = Vec::new();
    for sign in signs {
        let mut along = 0.0;
        for entry in &(x + y) {
            along += log_gaussian_moment_by_quadrature(-2.0 * a_hat, sign * b * entry)?;
        }
        logs.push(along);
    }
    let log_d2 = 0.5 * times.d * x.len() as f64 * (1.0 + 4.0 * a_hat).ln();
    let norms = 0.5 * times.c * (x.dot(x) + y.dot(y));
    Ok(log_mean_exp(&logs) + log_d2 - norms - x.dot(y))
}

/// Two vectors of one dimension.
pub type Pair = (Array1<f64>, Array1<f64>);

/// Pairs of vectors in 1, 4 and 16 dimensions, of five lengths: at a random angle, equal, and opposite.
pub fn vector_pairs(setting: &Setting) -> Result<Vec<Pair>, Failure> {
    let mut stream = setting.stream("unbiased")?;
    let mut pairs = Vec::new();
    for dim in [1, 4, 16] {
        for norm in [0.1, 0.5, 1.0, 2.0, 4.0] {
            let u = unit_sphere(&mut stream, 3, dim) * norm;
            let [a, b, c] = [0, 1, 2].map(|i| u.row(i).to_owned());
            pairs.extend([(a, b), (c.clone(), c.clone()), (c.clone(), -c)]);
        }
    }
    Ok(pairs)
}

/// The middle one of a list, the upper one of two.
pub fn middle(list: &[f64]) -> f64 {
    let mut list = list.to_vec();
    let at = list.len() / 2;
    *list.select_nth_unstable_by(at, f64::total_cmp).1
}
