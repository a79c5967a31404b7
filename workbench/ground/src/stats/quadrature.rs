//! Gauss-Hermite quadrature for expectations under N(0, 1).
//!
//! Written here rather than taken from `gauss-quad`, which would bring in a second linear algebra library and computes weights from
//! eigenvectors, where the outer ones lose all relative accuracy. Exponential integrands live on the outer nodes.

use super::Error;
use crate::{check, work};

/// Largest rule; beyond it the outer weights are all below the smallest double.
const MOST_NODES: usize = 2000;

/// Nodes and weights of the n-point Gauss-Hermite rule for N(0, 1).
///
/// E f(Z) ≈ sum_i w_i f(z_i), exact for polynomials of degree at most 2n - 1; sum_i w_i = 1.
///
/// The nodes are the eigenvalues of the Jacobi matrix with zero diagonal and off-diagonal sqrt(1), ..., sqrt(n - 1), found by bisection
/// on Sturm counts; the weights are 1 / sum_{k<n} h_k(z_i)^2 with the orthonormal Hermite polynomials h_k.
///
/// **Source**: Golub and Welsch (1969), for the weight e^{-z^2/2} / sqrt(2 pi).
/// **Shapes**: two vectors (n), nodes rising. **Accuracy**: nodes to about 1e-15 sqrt(n), weights to a relative 1e-12 as far as they
/// are representable (outer weights of n > 370 underflow to zero).
///
/// **Errors**: [`Error::Parameter`] unless 1 <= n <= 2000. Cost O(n^2).
///
/// ```
/// let (z, w) = workbench_ground::stats::gauss_hermite(20)?;
/// let fourth: f64 = z.iter().zip(&w).map(|(z, w)| w * z.powi(4)).sum();
/// assert!((fourth - 3.0).abs() < 1e-13);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn gauss_hermite(n: usize) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let allowed = "1 to 2000 nodes";
    check::within("gauss_hermite", "n", n as f64, (1..=MOST_NODES).contains(&n), allowed)?;
    let mut nodes = vec![0.0; n];
    let mut weights = vec![0.0; n];
    // The rule is symmetric: compute the nodes above zero and mirror them.
    for i in n / 2..n {
        work::check("gauss_hermite", i - n / 2, n - n / 2)?;
        let z = if 2 * i + 1 == n { 0.0 } else { node(n, i) };
        let weight = weight(n, z);
        (nodes[i], weights[i]) = (z, weight);
        (nodes[n - 1 - i], weights[n - 1 - i]) = (-z, weight);
    }
    Ok((nodes, weights))
}

/// The i-th eigenvalue (from 0, rising) of the n x n Jacobi matrix, by bisection and one Newton step.
fn node(n: usize, i: usize) -> f64 {
    // All eigenvalues lie within 2 sqrt(n - 1) by Gershgorin.
    let (mut low, mut high) = (0.0, 2.0 * (n as f64).sqrt());
    while high - low > 1e-9 {
        let mid = 0.5 * (low + high);
        if below(n, mid) > i { high = mid } else { low = mid }
    }
    let z = 0.5 * (low + high);
    // h_n'(z) = sqrt(n) h_{n-1}(z); the ratio needs no scale. From 1e-9 one step reaches rounding; two for safety.
    let polish = |z: f64| {
        let (last, before) = hermite_pair(n, z);
        z - last / (before * (n as f64).sqrt())
    };
    polish(polish(z))
}

/// Number of eigenvalues below x: negative pivots of T - x I.
fn below(n: usize, x: f64) -> usize {
    let mut pivot = -x;
    let mut count = usize::from(pivot < 0.0);
    for k in 1..n {
        if pivot == 0.0 {
            pivot = f64::MIN_POSITIVE;
        }
        pivot = -x - k as f64 / pivot;
        count += usize::from(pivot < 0.0);
    }
    count
}

/// (h_n(z), h_{n-1}(z)) up to a common positive factor.
fn hermite_pair(n: usize, z: f64) -> (f64, f64) {
    let (mut before, mut last) = (0.0, 1.0);
    for k in 0..n {
        (before, last) = (last, (z * last - (k as f64).sqrt() * before) / (k as f64 + 1.0).sqrt());
        if last.abs() > 1e150 {
            (before, last) = (before * 1e-150, last * 1e-150);
        }
    }
    (last, before)
}

/// 1 / sum_{k<n} h_k(z)^2, with the sum kept in range by powers of 1e-150.
fn weight(n: usize, z: f64) -> f64 {
    let (mut before, mut last, mut sum, mut scalings) = (0.0, 1.0, 1.0, 0);
    for k in 0..n - 1 {
        (before, last) = (last, (z * last - (k as f64).sqrt() * before) / (k as f64 + 1.0).sqrt());
        sum += last * last;
        if sum > 1e150 {
            (before, last, sum) = (before * 1e-75, last * 1e-75, sum * 1e-150);
            scalings += 1;
        }
    }
    (0..scalings).fold(1.0 / sum, |w, _| w * 1e-150)
}

#[cfg(test)]
mod tests {
    use super::*;

    include!("testdata/hermite.in");

    /// mpmath values at 40 digits; see `testdata/outside.py`.
    #[test]
    fn rules_match_mpmath_in_relative_accuracy() {
        let check = |rule: &[(f64, f64)]| {
            let (nodes, weights) = gauss_hermite(rule.len()).unwrap();
            for (i, (z, w)) in rule.iter().enumerate() {
                assert!((nodes[i] - z).abs() < 4e-15, "{} against {z}", nodes[i]);
                assert!((weights[i] / w - 1.0).abs() < 1e-12, "{} against {w}", weights[i]);
            }
        };
        check(&RULE_5);
        check(&RULE_40);
    }

    #[test]
    fn exact_small_rules() {
        assert_eq!(gauss_hermite(1).unwrap(), (vec![0.0], vec![1.0]));
        let (z, w) = gauss_hermite(2).unwrap();
        assert!((z[1] - 1.0).abs() < 1e-15 && (w[1] - 0.5).abs() < 1e-15 && z[0] == -z[1]);
        let (z, w) = gauss_hermite(3).unwrap();
        assert!((z[2] - 3f64.sqrt()).abs() < 1e-15 && (w[1] - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn moments_are_exact_up_to_degree_2n_minus_1_and_not_beyond() {
        for n in [4usize, 9, 16] {
            let mut moment = 1.0; // E Z^(2j) = (2j - 1)!!
            for j in 1..=n {
                moment *= 2.0 * j as f64 - 1.0;
                let (z, w) = gauss_hermite(n).unwrap();
                let got: f64 = z.iter().zip(&w).map(|(z, w)| w * z.powi(2 * j as i32)).sum();
                if j < n {
                    assert!((got / moment - 1.0).abs() < 1e-12, "n {n} j {j}");
                } else {
                    // The error of the first wrong moment is exactly n!.
                    let factorial: f64 = (1..=n).map(|k| k as f64).product();
                    assert!(((moment - got) / factorial - 1.0).abs() < 1e-6, "n {n}: {}", moment - got);
                }
            }
        }
    }

    #[test]
    fn large_rules_stay_whole() {
        for n in [100, 370, 801, 2000] {
            let (z, w) = gauss_hermite(n).unwrap();
            assert!(z.windows(2).all(|p| p[0] < p[1]), "n {n}");
            assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12, "n {n}");
            let mgf: f64 = z.iter().zip(&w).map(|(z, w)| w * (5.0 * z).exp()).sum();
            assert!((mgf / 12.5f64.exp() - 1.0).abs() < 1e-11, "n {n}: {mgf}");
        }
    }

    #[test]
    fn bad_input_is_refused() {
        for n in [0, 2001, usize::MAX] {
            assert!(matches!(gauss_hermite(n), Err(Error::Parameter { name: "n", .. })));
        }
    }
}
