//! B.1 with energy in many classes at once.
//!
//! Beside one heavy input `Q_inf` and `||q||^2` are one number, and with a handful of classes the term of the upper bounds in `||q||^2/d` is
//! small: a bound with one of the two in the place of the other, or without that term, would pass. Here every class but that of the probe holds
//! the energy one, so that `Q_inf = 1` and `||q||^2` is the number of classes.

use ndarray::{Array1, Array2};
use workbench_ground::stats::{Estimate, Stream, normal_array2, proportion, unit_sphere};
use workbench_ledger::{Failure, Setting};
use workbench_memory::{GivenOutputs, Profile};

/// A dimension in which random outputs are orthogonal to four digits.
pub const FAR: usize = 1 << 30;

/// Energy one in each of the classes 1 to `k`, without mass; in class 0 a probe of mass one and weight `q`.
///
/// # Errors
/// A weight that is not finite.
pub fn equal_classes(k: usize, q: f64) -> Result<Profile, Failure> {
    let (mut masses, mut weights) = (vec![0.0; k + 1], vec![1.0; k + 1]);
    (masses[0], weights[0]) = (1.0, q);
    let labels: Vec<usize> = (0..=k).collect();
    Ok(Profile::from_weights(&masses, &weights, &labels, k + 1)?)
}

/// The error of the probe with `factor (d + 1) q^2 = energy`, orthonormal outputs, `d = FAR`: largest single tail, and sum of tails.
///
/// # Errors
/// None.
pub fn at_threshold(k: usize, factor: f64, energy: f64) -> Result<(f64, f64), Failure> {
    let q = (energy / factor / (FAR as f64 + 1.0)).sqrt() * (1.0 - 1e-9);
    Ok(GivenOutputs::equiangular(k + 1, 0.0, FAR)?.error_between(&equal_classes(k, q)?)?)
}

/// Whether the probe of class 0 and weight `q` is lost among inputs of weight one, one in each other class. One draw of the input embeddings,
/// through the scores alone: given the probe's embedding, of length r, an input adds `r g u` with a normal g.
fn lost(u: &Array2<f64>, q: f64, stream: &mut Stream) -> bool {
    let probe = normal_array2(stream, 1, u.ncols());
    let square = probe.row(0).dot(&probe.row(0));
    let mut pulls: Array1<f64> = normal_array2(stream, 1, u.nrows()).row(0).to_owned() * square.sqrt();
    pulls[0] = q * square;
    let scores = u.dot(&pulls.dot(u));
    scores.iter().skip(1).any(|score| *score >= scores[0])
}

/// The share of lost probes among `runs` draws: all embeddings drawn again, or only those of the inputs where outputs are given.
///
/// # Errors
/// No runs.
pub fn share_lost(
    given: Option<&Array2<f64>>,
    (m, d): (usize, usize),
    q: f64,
    runs: usize,
    stream: &mut Stream,
) -> Result<Estimate, Failure> {
    let mut count = 0;
    for _ in 0..runs {
        let drawn = given.is_none().then(|| unit_sphere(stream, m, d));
        count += given.or(drawn.as_ref()).map_or(0, |u| usize::from(lost(u, q, stream)));
    }
    Ok(proportion(count, runs)?)
}

/// Five thousand classes with energy one, d = 300, a probe with d q^2 = 16 c_1 Q_inf: its error less 2/d, all that the right sides of
/// Eqs. 21 and 41 have at gamma = 1 without their term in ||q||^2.
///
/// # Errors
/// None.
pub fn five_thousand(setting: &Setting, stream: &str) -> Result<Estimate, Failure> {
    let (m, d, runs) = (5000usize, 300usize, setting.scale().pick(30, 80));
    let q = (16.0 * ((m as f64).ln() + (d as f64).ln()) / d as f64).sqrt() * (1.0 + 1e-9);
    Ok(share_lost(None, (m, d), q, runs, &mut setting.stream(stream)?)?.affine(1.0, -2.0 / d as f64)?)
}
