//! The moments of the energy change by integration over the projections, without the closed forms.

use super::scan::few;
use super::{Error, Patterns, Signs};
use crate::moments::log_gaussian_moment_by_quadrature;
use workbench_ground::check::{not_negative, position, positive, same};
use workbench_ground::stats::gauss_hermite;
use workbench_ground::work;

/// Most points of a grid.
const MOST_POINTS: f64 = 2e8;

/// The summand of one feature, $Z(\omega)=\sum_\mu(W^\mu-Z^\mu)$ of Eq. 30, straight from Eq. 18.
#[derive(Clone, Debug)]
pub(crate) struct Summand {
    rows: Vec<Vec<f64>>,
    near: Vec<f64>,
    far: Vec<f64>,
    a_hat: f64,
    b: f64,
    log_constant: f64,
}

impl Summand {
    pub(crate) fn new(
        op: &'static str,
        patterns: &Patterns,
        input: &Signs,
        i: usize,
        a_hat: f64,
    ) -> Result<Summand, Error> {
        same(op, ("length of the input", input.dim()), ("N", patterns.dim()))?;
        position(op, "entry", i, patterns.dim())?;
        not_negative(op, "A-hat", a_hat)?;
        let n = patterns.dim() as f64;
        Ok(Summand {
            rows: patterns.rows().iter().map(|row| row.to_array().to_vec()).collect(),
            near: input.to_array().to_vec(),
            far: input.flipped(i)?.to_array().to_vec(),
            a_hat,
            b: (1.0 + 4.0 * a_hat).sqrt(),
            // ln D - N/2, once for each of the two factors.
            log_constant: 0.25 * n * (1.0 + 4.0 * a_hat).ln() - 0.5 * n,
        })
    }

    /// sum_mu a^mu (b - c) at one projection.
    pub(crate) fn at(&self, w: &[f64]) -> f64 {
        let dot = |x: &[f64]| x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
        let base = self.log_constant - self.a_hat * dot(w);
        let a: f64 = self.rows.iter().map(|row| (base + self.b * dot(row)).exp()).sum();
        a * ((base + self.b * dot(&self.near)).exp() - (base + self.b * dot(&self.far)).exp())
    }
}

/// Moments of the summand of one feature, integrated over the projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMoments {
    /// $\mathbb E Z$.
    pub mean: f64,
    /// $\mathbb E Z^2$.
    pub second: f64,
    /// $\mathbb E[Z(\omega)Z(-\omega)]$.
    pub opposite: f64,
}

/// The moments of Eq. 31 by a Gauss-Hermite grid over all N coordinates of the projection, for $N\le5$.
///
/// The integrand is Eq. 18 itself: no product is expanded and no expectation is taken by formula. The nodes are narrowed to the width
/// of the integrand (a change of variable), so that `nodes` = 40 reaches about 1e-12; compare two values.
///
/// **Source**: A.2, Eqs. 18 and 31; the integration is ours.
///
/// **Errors**: another length, `i` out of range, a grid of more than 2e8 points, stopped.
///
/// ```
/// use workbench_features::compact::{Patterns, joint_moments};
/// let set = Patterns::reed_muller(1, 1)?.first(2)?;
/// let seen = joint_moments(&set, &set.pattern(0)?, 0, 0.5, 40)?;
/// let finer = joint_moments(&set, &set.pattern(0)?, 0, 0.5, 60)?;
/// assert!((seen.mean / finer.mean - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn joint_moments(
    patterns: &Patterns,
    input: &Signs,
    i: usize,
    a_hat: f64,
    nodes: usize,
) -> Result<JointMoments, Error> {
    const OP: &str = "joint_moments";
    let summand = Summand::new(OP, patterns, input, i, a_hat)?;
    let n = patterns.dim();
    few(OP, "grid points", (nodes as f64).powi(n as i32), MOST_POINTS)?;
    let mean = grid(OP, n, nodes, 4.0 * a_hat, &|w| [summand.at(w), 0.0])?[0];
    let [second, opposite] = grid(OP, n, nodes, 8.0 * a_hat, &|w| {
        let mirrored: Vec<f64> = w.iter().map(|x| -x).collect();
        let z = summand.at(w);
        [z * z, z * summand.at(&mirrored)]
    })?;
    Ok(JointMoments { mean, second, opposite })
}

/// Integrates over N(0, I_n), with nodes scaled for an integrand that falls like exp(-extra |w|^2 / 2).
fn grid(
    op: &'static str,
    n: usize,
    nodes: usize,
    extra: f64,
    f: &dyn Fn(&[f64]) -> [f64; 2],
) -> Result<[f64; 2], Error> {
    let (v, weights) = gauss_hermite(nodes).map_err(Error::during(op))?;
    let scale = (1.0 + extra).sqrt().recip();
    let w: Vec<f64> = v.iter().map(|v| scale * v).collect();
    let logs = v.iter().zip(&weights).map(|(v, w)| w.ln() + scale.ln() + 0.5 * (1.0 - scale * scale) * v * v);
    let logs: Vec<f64> = logs.collect();
    let (mut index, mut point, mut sum) = (vec![0usize; n], vec![w[0]; n], [0.0; 2]);
    let mut visited = 0usize;
    loop {
        let weight = index.iter().map(|&k| logs[k]).sum::<f64>().exp();
        let value = f(&point);
        sum = [sum[0] + weight * value[0], sum[1] + weight * value[1]];
        visited += 1;
        if visited.is_multiple_of(4096) {
            work::check(op, visited, (nodes as f64).powi(n as i32) as usize)?;
        }
        // The next point, as an odometer.
        let Some(j) = (0..n).find(|&j| index[j] + 1 < nodes) else {
            return Ok(sum);
        };
        for k in 0..=j {
            index[k] = if k == j { index[k] + 1 } else { 0 };
            point[k] = w[index[k]];
        }
    }
}

/// $\ln\mathbb E[D^4e^{-2N}e^{B\omega^\top x-4\widehat A\lVert\omega\rVert^2}]$ as a product of one-dimensional integrals, for any N.
///
/// **Source**: A.2, the expectation of Eq. 34; the integration is ours.
///
/// **Errors**: no entries, entries that are not finite, a bad `a_hat`.
pub fn log_psi_by_quadrature(x: &[f64], a_hat: f64) -> Result<f64, Error> {
    const OP: &str = "log_psi_by_quadrature";
    positive(OP, "the dimension N", x.len())?;
    not_negative(OP, "A-hat", a_hat)?;
    let (n, b2) = (x.len() as f64, 1.0 + 4.0 * a_hat);
    let mut known: Vec<(f64, f64)> = Vec::new(); // sums of sign vectors have few different entries
    let mut total = n * b2.ln() - 2.0 * n;
    for &entry in x {
        let integral = match known.iter().find(|(at, _)| *at == entry.abs()) {
            Some((_, integral)) => *integral,
            None => {
                let integral =
                    log_gaussian_moment_by_quadrature(-4.0 * a_hat, b2.sqrt() * entry).map_err(Error::during(OP))?;
                known.push((entry.abs(), integral));
                integral
            }
        };
        total += integral;
    }
    Ok(total)
}

/// Covariance of the summands of two orthogonal projections for N = 2: two angles a right angle apart and two independent
/// Rayleigh lengths.
///
/// Zero for independent projections; what a block-orthogonal ensemble adds to the variance is this times $1-1/r$ within a block.
///
/// **Source**: ours, for the block-orthogonal ensemble of the sentence after Eq. 9.
///
/// **Errors**: another dimension than 2, another length, `i` out of range, a bad `a_hat`.
pub fn orthogonal_pair_covariance(patterns: &Patterns, input: &Signs, i: usize, a_hat: f64) -> Result<f64, Error> {
    const OP: &str = "orthogonal_pair_covariance";
    same(OP, ("N", patterns.dim()), ("the dimension it is computed for", 2))?;
    let summand = Summand::new(OP, patterns, input, i, a_hat)?;
    // A multiple of four, so that a right angle is a whole number of steps; the integrand is smooth and periodic. Simpson's rule, not an
    // adaptive one, because along some angles the integral vanishes and has no relative accuracy to aim at.
    const ANGLES: usize = 128;
    const STEPS: usize = 4000;
    const REACH: f64 = 20.0;
    let h = REACH / STEPS as f64;
    let mut along = Vec::with_capacity(ANGLES);
    for k in 0..ANGLES {
        work::check(OP, k, ANGLES)?;
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / ANGLES as f64).sin_cos();
        let at = |r: f64| r * (-0.5 * r * r).exp() * summand.at(&[r * cos, r * sin]);
        // The ends contribute nothing: r = 0, and a Gaussian 20 standard deviations out.
        let inner = (1..STEPS).map(|j| if j % 2 == 1 { 4.0 } else { 2.0 } * at(j as f64 * h));
        along.push(inner.sum::<f64>() * h / 3.0);
    }
    let mean = along.iter().sum::<f64>() / ANGLES as f64;
    let product = (0..ANGLES).map(|k| along[k] * along[(k + ANGLES / 4) % ANGLES]).sum::<f64>() / ANGLES as f64;
    Ok(product - mean * mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::{FlipVariance, log_psi};
    use workbench_ground::stats::Streams;

    #[test]
    fn grid_agrees_with_the_closed_form_and_has_converged() {
        let mut stream = Streams::new(6).stream("joint").unwrap();
        for (m, n, a_hat) in [(1, 1, 0.2), (2, 2, 0.5), (4, 2, 0.05), (3, 3, 1.0), (2, 3, 0.0)] {
            let set = Patterns::random(m, n, &mut stream).unwrap();
            let input = set.pattern(0).unwrap();
            let flip = FlipVariance::new(&set, &input, n - 1, a_hat).unwrap();
            let seen = joint_moments(&set, &input, n - 1, a_hat, 44).unwrap();
            let coarse = joint_moments(&set, &input, n - 1, a_hat, 36).unwrap();
            assert!((seen.second / coarse.second - 1.0).abs() < 1e-10, "{n} {a_hat}");
            assert!((seen.second.ln() - flip.log_second_moment()).abs() < 1e-10);
            assert!((seen.mean - flip.mean().value()).abs() < 1e-9 * seen.second.sqrt());
            assert!((-seen.opposite / flip.log_opposite().exp() - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn products_of_integrals_agree_with_psi() {
        for (x, a_hat) in [(vec![4.0; 8], 0.3), (vec![0.0, -2.0, 2.0, 4.0], 1.0), (vec![3.3], 0.0)] {
            let norm2 = x.iter().map(|v| v * v).sum();
            let difference = log_psi_by_quadrature(&x, a_hat).unwrap() - log_psi(x.len(), a_hat, norm2).unwrap();
            assert!(difference.abs() < 1e-11);
        }
    }

    /// The same covariance by brute force: a grid over angle and both lengths, each feature evaluated on its own.
    #[test]
    fn orthogonal_covariance_against_a_plain_sum() {
        let set = Patterns::reed_muller(1, 1).unwrap().first(2).unwrap();
        let input = set.pattern(0).unwrap();
        let summand = Summand::new("t", &set, &input, 1, 0.4).unwrap();
        let (steps, top) = (240, 6.0);
        let mut sum = [0.0; 2];
        for angle in 0..32 {
            let (s, c) = (std::f64::consts::TAU * f64::from(angle) / 32.0).sin_cos();
            let radial = |c: f64, s: f64| -> f64 {
                (0..steps)
                    .map(|k| {
                        let r = (f64::from(k) + 0.5) * top / f64::from(steps);
                        top / f64::from(steps) * r * (-0.5 * r * r).exp() * summand.at(&[r * c, r * s])
                    })
                    .sum()
            };
            let first = radial(c, s);
            sum[0] += first / 32.0;
            sum[1] += 0.5 * first * (radial(-s, c) + radial(s, -c)) / 32.0;
        }
        let brute = sum[1] - sum[0] * sum[0];
        let exact = orthogonal_pair_covariance(&set, &input, 1, 0.4).unwrap();
        assert!((brute / exact - 1.0).abs() < 1e-3, "{brute} {exact}");
    }

    #[test]
    fn refuses_bad_input() {
        let code = Patterns::reed_muller(1, 3).unwrap();
        let x = code.pattern(0).unwrap();
        assert!(matches!(joint_moments(&code, &x, 0, 0.1, 40), Err(Error::TooMany { .. })));
        assert!(matches!(joint_moments(&code, &x, 9, 0.1, 40), Err(Error::NoSuch { .. })));
        assert!(matches!(joint_moments(&code, &Signs::plus(2).unwrap(), 0, 0.1, 40), Err(Error::Shape { .. })));
        assert!(matches!(orthogonal_pair_covariance(&code, &x, 0, 0.1), Err(Error::Shape { .. })));
        let one = Patterns::reed_muller(1, 1).unwrap();
        assert!(matches!(joint_moments(&one, &one.pattern(0).unwrap(), 0, -1.0, 40), Err(Error::Parameter { .. })));
        assert!(matches!(joint_moments(&one, &one.pattern(0).unwrap(), 0, 1.0, 0), Err(Error::During { .. })));
        assert!(matches!(log_psi_by_quadrature(&[], 1.0), Err(Error::Zero { .. })));
        assert!(matches!(log_psi_by_quadrature(&[f64::NAN], 1.0), Err(Error::During { .. })));
    }
}
