//! Gauss quadrature for chi-squared variables: exact expectations of polynomials.

use crate::Error;
use ndarray::Array2;
use ndarray_linalg::{EigValsh, UPLO};
use workbench_ground::check::within;

/// Beyond this degree the outer weights leave the range of doubles.
const MOST: usize = 180;

/// Nodes and weights of a rule for a random variable.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) nodes: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

/// The Gauss rule for a chi-squared variable, exact for polynomials up to `degree`; zero degrees of freedom give the variable 0.
///
/// Half of the variable has the Gamma law of shape a = freedom / 2. Nodes are eigenvalues of its Jacobi matrix, with diagonal 2j + a and
/// off-diagonal sqrt(j (j + a - 1)); weights are 1 / sum_j p_j^2 with the orthonormal polynomials p_j, which keeps small outer weights
/// accurate.
pub(super) fn rule(op: &'static str, freedom: usize, degree: usize) -> Result<Rule, Error> {
    let allowed = "a lower moment or fewer layers (degree at most 180)";
    let name = "the degree of the polynomial in one variable";
    within(op, name, degree as f64, degree <= MOST, allowed)?;
    if freedom == 0 {
        return Ok(Rule { nodes: vec![0.0], weights: vec![1.0] });
    }
    let (m, shape) = (degree / 2 + 1, freedom as f64 / 2.0);
    let centre = |j: usize| 2.0 * j as f64 + shape;
    let off = |j: usize| (j as f64 * (j as f64 + shape - 1.0)).sqrt();
    let jacobi = Array2::from_shape_fn((m, m), |(i, j)| match i.abs_diff(j) {
        0 => centre(i),
        1 => off(i.max(j)),
        _ => 0.0,
    });
    let values = jacobi.eigvalsh(UPLO::Lower).map_err(Error::linear_algebra(op))?;
    let weight = |y: f64| {
        let (mut before, mut last, mut sum) = (0.0, 1.0, 1.0);
        for j in 0..m - 1 {
            let below = if j == 0 { 0.0 } else { off(j) };
            (before, last) = (last, ((y - centre(j)) * last - below * before) / off(j + 1));
            sum += last * last;
        }
        1.0 / sum
    };
    Ok(Rule { nodes: values.iter().map(|y| 2.0 * y).collect(), weights: values.iter().map(|y| weight(*y)).collect() })
}

/// E X^k of a chi-squared variable.
pub(super) fn moment(freedom: usize, k: usize) -> f64 {
    (0..k).map(|i| (freedom + 2 * i) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_give_all_moments_up_to_their_degree() {
        for (freedom, degree) in [(1, 5), (2, 8), (20, 40), (19, 90), (4, 0), (0, 6)] {
            let rule = rule("test", freedom, degree).unwrap();
            for k in 0..=degree {
                let got: f64 = rule.nodes.iter().zip(&rule.weights).map(|(x, w)| w * x.powi(k as i32)).sum();
                let want = moment(freedom, k);
                assert!((got - want).abs() <= 1e-10 * want.abs().max(1e-300), "{freedom} {k}: {got} {want}");
            }
        }
        let short = rule("test", 3, 4).unwrap();
        let sixth: f64 = short.nodes.iter().zip(&short.weights).map(|(x, w)| w * x.powi(6)).sum();
        assert!(sixth < 0.99 * moment(3, 6), "beyond its degree a rule is not exact");
        assert!(rule("test", 3, 1000).unwrap_err().to_string().contains("1000"));
    }
}
