//! Gaussian orthant probabilities of up to three variables, and the chain of Eq. 27 for the maximum of such variables.

use crate::theory::lemma_3::outputs::MarginLaw;
use ndarray::Array2;
use workbench_ground::Error;
use workbench_ground::check::{finite, finite_matrix, same, within};
use workbench_ground::stats::{integrate_between, normal_cdf};

/// Values beyond this many standard deviations carry less than 1e-33.
const REACH: f64 = 12.0;
/// Conditional variances below this share are rounding: the variable is a function of those before it.
const SINGULAR: f64 = 1e-13;

/// $\mathbb P(Z_i\le0\ \forall i)$ for a Gaussian vector of one, two or three coordinates, singular ones included.
///
/// Coordinates are conditioned one after the other (Cholesky), the last is a normal distribution function, the others are integrated
/// adaptively.
///
/// **Source**: the last line of the display before Eq. 24, whose probability is one minus this one.
///
/// **Shapes**: `mean` (n), `covariance` (n, n), n up to 3.
///
/// **Errors**: other sizes, entries that are not finite, a covariance that is not positive semidefinite, a request to stop.
///
/// ```
/// use workbench_memory::orthant_below;
/// use ndarray::array;
/// // Correlation 1/2: 1/4 + asin(1/2) / (2 pi) = 1/3.
/// let p = orthant_below(&[0.0, 0.0], &array![[1.0, 0.5], [0.5, 1.0]])?;
/// assert!((p - 1.0 / 3.0).abs() < 1e-11);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn orthant_below(mean: &[f64], covariance: &Array2<f64>) -> Result<f64, Error> {
    const OP: &str = "orthant_below";
    let n = mean.len();
    let allowed = "one to three coordinates; simulate beyond";
    within(OP, "coordinates", n as f64, (1..=3).contains(&n), allowed)?;
    let square = ("coordinates by coordinates", (n, n));
    same(OP, ("covariance", covariance.dim()), square)?;
    finite(OP, "mean", mean)?;
    finite_matrix(OP, "covariance", covariance)?;
    let factor = cholesky(OP, covariance)?;
    below(mean, &factor, &mut Vec::new())
}

/// Lower triangular factor of a positive semidefinite matrix; a zero pivot gives a zero column, where LAPACK would refuse.
fn cholesky(op: &'static str, a: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let n = a.nrows();
    let mut l = Array2::<f64>::zeros((n, n));
    for j in 0..n {
        let pivot = a[[j, j]] - (0..j).map(|k| l[[j, k]] * l[[j, k]]).sum::<f64>();
        if pivot < -1e-9 * a[[j, j]].abs() || a[[j, j]] < 0.0 {
            let allowed = "a positive semidefinite covariance";
            return Err(Error::parameter(op, "pivot of the covariance", pivot, allowed));
        }
        if pivot <= SINGULAR * a[[j, j]] {
            continue;
        }
        l[[j, j]] = pivot.sqrt();
        for i in j + 1..n {
            let dot: f64 = (0..j).map(|k| l[[i, k]] * l[[j, k]]).sum();
            l[[i, j]] = (a[[i, j]] - dot) / l[[j, j]];
        }
    }
    Ok(l)
}

/// Integrates over coordinate `done.len()` and those after it, given the standard normals of those before.
fn below(mean: &[f64], factor: &Array2<f64>, done: &mut Vec<f64>) -> Result<f64, Error> {
    let i = done.len();
    let n = mean.len();
    let shift = mean[i] + done.iter().enumerate().map(|(k, z)| factor[[i, k]] * z).sum::<f64>();
    let spread = factor[[i, i]];
    if spread == 0.0 {
        if shift > 0.0 {
            return Ok(0.0);
        }
        if i + 1 == n {
            return Ok(1.0);
        }
        done.push(0.0);
        let rest = below(mean, factor, done);
        done.pop();
        return rest;
    }
    let limit = -shift / spread;
    if i + 1 == n {
        return Ok(normal_cdf(limit));
    }
    let top = limit.min(REACH);
    if top <= -REACH {
        return Ok(0.0);
    }
    // Jumps of the inner probability where the next coordinate is a function of this one.
    let mut points = vec![-REACH, top];
    for j in i + 1..n {
        let slope = factor[[j, i]];
        let base = mean[j] + done.iter().enumerate().map(|(k, z)| factor[[j, k]] * z).sum::<f64>();
        let crossing = -base / slope;
        if slope != 0.0 && crossing > -REACH && crossing < top {
            points.push(crossing);
        }
    }
    points.push(top.min(0.0));
    points.sort_by(f64::total_cmp);
    points.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
    let failed = std::cell::RefCell::new(None);
    let inner = |z: f64| {
        let mut given = done.clone();
        given.push(z);
        match below(mean, factor, &mut given) {
            Ok(p) => p * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt(),
            Err(error) => {
                failed.borrow_mut().get_or_insert(error);
                0.0
            }
        }
    };
    // Nested integrals need a looser outer tolerance than their integrand's error.
    let tol = if i + 2 == n { 1e-11 } else { 1e-9 };
    let value = integrate_between(&inner, &points, tol)?.value;
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(value),
    }
}

impl MarginLaw {
    /// $\mathbb P(\max_yZ_y>0)$: the error of the input given the length of its embedding, for two to four classes.
    ///
    /// **Source**: the last line of the display before Eq. 24.
    ///
    /// **Errors**: more than three rivals.
    pub fn failure(&self) -> Result<f64, Error> {
        Ok(1.0 - orthant_below(&self.mean.to_vec(), &self.covariance)?)
    }
}

/// Both readings of Eq. 27: the four members with the events $Z\le0$ as printed, and with $Z>0$.
///
/// **Source**: Eq. 27.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaximumChain {
    /// $\max_y\mathbb P(Z_y\le0)$, $\mathbb P(\max_yZ_y\le0)$, $\sum_y\mathbb P(Z_y\le0)$, $M\max_y\mathbb P(Z_y\le0)$.
    pub printed: [f64; 4],
    /// The same with $Z_y>0$ and $\max_yZ_y>0$.
    pub complement: [f64; 4],
}

/// Evaluates Eq. 27 for a Gaussian vector; the number of coordinates plays the part of M.
///
/// **Source**: Eq. 27.
///
/// **Errors**: as [`orthant_below`].
pub fn maximum_chain(mean: &[f64], covariance: &Array2<f64>) -> Result<MaximumChain, Error> {
    let joint = orthant_below(mean, covariance)?;
    let singles: Vec<f64> = (0..mean.len())
        .map(|i| {
            let s = covariance[[i, i]].sqrt();
            if s > 0.0 { normal_cdf(-mean[i] / s) } else { f64::from(u8::from(mean[i] <= 0.0)) }
        })
        .collect();
    let members = |single: &dyn Fn(f64) -> f64, joint: f64| {
        let most = singles.iter().map(|p| single(*p)).fold(0.0, f64::max);
        let sum = singles.iter().map(|p| single(*p)).sum();
        [most, joint, sum, mean.len() as f64 * most]
    };
    Ok(MaximumChain { printed: members(&|p| p, joint), complement: members(&|p| 1.0 - p, 1.0 - joint) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use std::f64::consts::PI;

    #[test]
    fn closed_forms() {
        for rho in [-1.0, -0.7, 0.0, 0.3, 0.99, 1.0f64] {
            let p = orthant_below(&[0.0, 0.0], &array![[1.0, rho], [rho, 1.0]]).unwrap();
            assert!((p - 0.25 - rho.asin() / (2.0 * PI)).abs() < 1e-10, "{rho} {p}");
        }
        let cov = array![[1.0, 0.2, 0.4], [0.2, 1.0, -0.3], [0.4, -0.3, 1.0]];
        let p = orthant_below(&[0.0; 3], &cov).unwrap();
        let angles = 0.2f64.asin() + 0.4f64.asin() + (-0.3f64).asin();
        assert!((p - 0.125 - angles / (4.0 * PI)).abs() < 1e-9);
        // Independent coordinates with means and scales.
        let p = orthant_below(&[0.5, -1.0, 2.0], &Array2::from_diag(&array![1.0, 4.0, 9.0])).unwrap();
        let want = normal_cdf(-0.5) * normal_cdf(0.5) * normal_cdf(-2.0 / 3.0);
        assert!((p / want - 1.0).abs() < 1e-9);
        // Perfect dependence: the smaller of two, or what both leave.
        let one = orthant_below(&[0.3, -0.4], &array![[1.0, 1.0], [1.0, 1.0]]).unwrap();
        assert!((one - normal_cdf(-0.3)).abs() < 1e-10);
        let two = orthant_below(&[-0.3, -0.4], &array![[1.0, -1.0], [-1.0, 1.0]]).unwrap();
        assert!((two - (normal_cdf(0.3) + normal_cdf(0.4) - 1.0)).abs() < 1e-10);
    }

    #[test]
    fn the_printed_chain_breaks_and_its_complement_holds() {
        let chain = maximum_chain(&[0.0, 0.0], &Array2::eye(2)).unwrap();
        assert_eq!(chain.printed[0], 0.5);
        assert!((chain.printed[1] - 0.25).abs() < 1e-11);
        let c = chain.complement;
        assert!(c[0] <= c[1] && c[1] <= c[2] && c[2] <= c[3]);
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(orthant_below(&[], &Array2::eye(1)), Err(Error::Parameter { .. })));
        assert!(matches!(orthant_below(&[0.0; 4], &Array2::eye(4)), Err(Error::Parameter { .. })));
        assert!(matches!(orthant_below(&[0.0; 2], &Array2::eye(3)), Err(Error::Shape { .. })));
        assert!(matches!(orthant_below(&[0.0; 2], &array![[1.0, 2.0], [2.0, 1.0]]), Err(Error::Parameter { .. })));
        assert!(matches!(orthant_below(&[f64::NAN], &Array2::eye(1)), Err(Error::NotFinite { .. })));
    }
}
