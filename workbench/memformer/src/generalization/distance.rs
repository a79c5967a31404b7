//! Dist(M, I) of Appendix D: how far a matrix is from the line of multiples of the identity.

use crate::Error;
use ndarray::Array2;
use workbench_ground::check::{finite, positive, same_shape};

/// $\lVert M-\alpha I\rVert_F/\lVert M\rVert_F$ for a given $\alpha$.
///
/// **Source**: Appendix D, Dist before its minimum.
/// **Shapes**: (d, d). **Errors**: not square, entries that are not finite, a matrix of zeros, for which the ratio is not defined.
pub fn distance_at(m: &Array2<f64>, alpha: f64) -> Result<f64, Error> {
    const OP: &str = "distance_at";
    let size = check(OP, m)?;
    let off = m.indexed_iter().map(|((i, j), v)| (v - if i == j { alpha } else { 0.0 }).powi(2));
    Ok(off.sum::<f64>().sqrt() / size)
}

/// The $\alpha$ that Appendix D prints: the mean of the diagonal.
///
/// It is also the minimiser, since $\lVert M-\alpha I\rVert_F^2=\lVert M\rVert_F^2-2\alpha\operatorname{tr}M+d\alpha^2$.
///
/// **Source**: Appendix D, the value printed for the minimum of Dist.
/// **Errors**: as [`distance_at`].
pub fn mean_diagonal(m: &Array2<f64>) -> Result<f64, Error> {
    check("mean_diagonal", m)?;
    Ok(m.diag().sum() / m.nrows() as f64)
}

/// Distance to the multiples of the identity.
///
/// $$ \mathrm{Dist}(M,I)=\min_\alpha\frac{\lVert M-\alpha I\rVert_F}{\lVert M\rVert_F}
/// =\sqrt{1-\frac{(\operatorname{tr}M)^2}{d\,\lVert M\rVert_F^2}}: $$
///
/// 0 for multiples of I, 1 for matrices without trace.
///
/// Formed from the difference itself, so that small distances keep their digits.
///
/// **Source**: Appendix D. **Errors**: as [`distance_at`].
///
/// ```
/// use workbench_memformer::distance_to_identity;
/// use ndarray::array;
/// assert_eq!(distance_to_identity(&array![[3.0, 0.0], [0.0, 3.0]])?, 0.0);
/// assert_eq!(distance_to_identity(&array![[1.0, 0.0], [0.0, -1.0]])?, 1.0);
/// assert!((distance_to_identity(&array![[2.0, 0.0], [0.0, 1.0]])? - 0.1f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn distance_to_identity(m: &Array2<f64>) -> Result<f64, Error> {
    distance_at(m, mean_diagonal(m)?)
}

/// $\mathbb E\,\mathrm{Dist}(M,I)$ for a matrix of independent $\mathcal N(0,s^2)$ entries, any s: where the curves of Figs. 18 to 20 would
/// start for $\Sigma=I$.
///
/// $(\operatorname{tr}M)^2/(d\,\lVert M\rVert_F^2)$ is the squared cosine between a uniform direction in $d^2$ dimensions and one fixed
/// direction, so 1 - it has the $\mathrm{Beta}(\tfrac{d^2-1}2,\tfrac12)$ law:
///
/// $$ \mathbb E\,\mathrm{Dist}=\frac{\Gamma(\tfrac{d^2}2)^2}{\Gamma(\tfrac{d^2-1}2)\,\Gamma(\tfrac{d^2+1}2)} $$
///
/// **Source**: ours, for Figs. 18 to 20 of Appendix D.
/// **Errors**: d = 0.
///
/// ```
/// use workbench_memformer::expected_distance;
/// assert_eq!(expected_distance(1)?, 0.0);
/// assert!((expected_distance(5)? - 0.9794).abs() < 1e-4);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn expected_distance(d: usize) -> Result<f64, Error> {
    positive("expected_distance", "d", d)?;
    if d == 1 {
        return Ok(0.0);
    }
    let m = d * d;
    Ok(half_step(m - 1) / half_step(m))
}

/// Gamma(x + 1/2) / Gamma(x) at x = k / 2, from its values at 1/2 and 1.
fn half_step(k: usize) -> f64 {
    let root = std::f64::consts::PI.sqrt();
    let (mut ratio, mut x) = if k.is_multiple_of(2) { (root / 2.0, 1.0) } else { (root.recip(), 0.5) };
    while x < k as f64 / 2.0 - 0.25 {
        ratio *= (x + 0.5) / x;
        x += 1.0;
    }
    ratio
}

/// $RMR$, for instance $\Sigma^{1/2}A\Sigma^{1/2}$.
///
/// **Source**: Theorem 3 of Ahn et al. as quoted in Appendix D.
/// **Errors**: shapes that do not agree.
pub fn conjugated(m: &Array2<f64>, root: &Array2<f64>) -> Result<Array2<f64>, Error> {
    same_shape("conjugated", "the root", root.shape(), m.shape())?;
    same_shape("conjugated", "the matrix", m.shape(), &[m.nrows(), m.nrows()])?;
    Ok(root.dot(m).dot(root))
}

/// The norm of a matrix for which a distance is defined.
fn check(op: &'static str, m: &Array2<f64>) -> Result<f64, Error> {
    positive(op, "d", m.nrows())?;
    same_shape(op, "the matrix", m.shape(), &[m.nrows(), m.nrows()])?;
    finite(op, "the matrix", m)?;
    let size = m.iter().map(|v| v * v).sum::<f64>().sqrt();
    if size == 0.0 {
        let allowed = "a matrix that is not zero";
        return Err(Error::parameter(op, "the norm of the matrix", size, allowed));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::{Streams, mean, normal_array2};

    #[test]
    fn the_mean_of_the_diagonal_is_the_minimiser() {
        let mut stream = Streams::new(4).stream("m").unwrap();
        for d in 1..6 {
            let m = normal_array2(&mut stream, d, d);
            let best = distance_to_identity(&m).unwrap();
            let alpha = mean_diagonal(&m).unwrap();
            for by in [-1e-3, 1e-3] {
                assert!(distance_at(&m, alpha + by).unwrap() > best);
            }
            let trace = m.diag().sum();
            let closed = 1.0 - trace * trace / (d as f64 * m.iter().map(|v| v * v).sum::<f64>());
            assert!((best * best - closed).abs() < 1e-14);
            assert!((distance_to_identity(&(-7.0 * &m)).unwrap() - best).abs() < 1e-14);
        }
    }

    #[test]
    fn the_expected_distance_of_random_matrices() {
        let mut stream = Streams::new(4).stream("random").unwrap();
        for d in [2, 3, 5] {
            let seen: Vec<f64> =
                (0..20_000).map(|_| distance_to_identity(&normal_array2(&mut stream, d, d)).unwrap()).collect();
            let seen = mean(&seen).unwrap();
            assert!(seen.contains(expected_distance(d).unwrap()), "{d}: {seen}");
        }
    }

    #[test]
    fn bad_matrices_are_named() {
        assert!(distance_to_identity(&Array2::zeros((2, 2))).unwrap_err().to_string().contains("not zero"));
        assert!(distance_to_identity(&Array2::zeros((2, 3))).is_err());
        assert!(distance_to_identity(&Array2::zeros((0, 0))).is_err());
        assert!(distance_to_identity(&array![[f64::NAN]]).is_err());
        assert!(conjugated(&array![[1.0]], &Array2::eye(2)).is_err());
        assert!(expected_distance(0).is_err());
    }
}
