//! Families of nearly orthogonal unit vectors: the predicate, families with known coherence, and how many fit.

use crate::theory::lemma_2::cap::cap_probability;
use ndarray::{Array2, Axis, s};
use rayon::prelude::*;
use workbench_ground::Error;
use workbench_ground::check::{fraction, positive, within};
use workbench_ground::work;

/// How far a norm may be from one.
const NORM_TOLERANCE: f64 = 1e-12;
/// Rows compared at a time.
const BLOCK: usize = 256;

/// The coherence of a family: the largest $\lvert\langle u_z,u_{z'}\rangle\rvert$ over pairs, the smallest $\eta$ for which it is quasi
/// orthogonal.
///
/// **Source**: Definition 1, Eq. 17.
///
/// **Shapes**: `vectors` is `(P, d)`, rows of norm one.
///
/// **Errors**: fewer than two rows, a row whose norm is not one (to 1e-12), a request to stop.
///
/// Cost: `P^2 d / 2` multiplications on all cores, `BLOCK P` numbers of memory.
///
/// ```
/// use workbench_memory::{coherence, simplex};
/// assert!((coherence(&simplex(3)?)? - 1.0 / 3.0).abs() < 1e-14);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn coherence(vectors: &Array2<f64>) -> Result<f64, Error> {
    const OP: &str = "coherence";
    let p = vectors.nrows();
    within(OP, "P (vectors)", p as f64, p >= 2, "at least two vectors")?;
    for row in vectors.axis_iter(Axis(0)) {
        let norm = row.dot(&row).sqrt();
        if norm.is_nan() || (norm - 1.0).abs() > NORM_TOLERANCE {
            let allowed = "1, as Definition 1 asks; divide each row by its norm";
            return Err(Error::parameter(OP, "norm of a vector", norm, allowed));
        }
    }
    let blocks = p.div_ceil(BLOCK);
    let largest = (0..blocks)
        .into_par_iter()
        .map(|i| {
            work::check(OP, i, blocks)?;
            let first = i * BLOCK;
            let rows = vectors.slice(s![first..(first + BLOCK).min(p), ..]);
            let mut worst = 0.0f64;
            for j in i..blocks {
                let start = j * BLOCK;
                let columns = vectors.slice(s![start..(start + BLOCK).min(p), ..]);
                for (a, line) in rows.dot(&columns.t()).outer_iter().enumerate() {
                    let skip = if i == j { a + 1 } else { 0 };
                    worst = line.iter().skip(skip).fold(worst, |w, x| w.max(x.abs()));
                }
            }
            Ok(worst)
        })
        .collect::<Result<Vec<f64>, Error>>()?;
    Ok(largest.into_iter().fold(0.0, f64::max))
}

/// Whether a family is $\eta$-quasi orthogonal: norms one, and $\lvert\langle u_z,u_{z'}\rangle\rvert\le\eta$ for every pair.
///
/// **Source**: Definition 1, Eq. 17.
///
/// **Errors**: a negative or non-finite eta, and those of [`coherence`] but for the norms, which answer `false`.
pub fn is_quasi_orthogonal(vectors: &Array2<f64>, eta: f64) -> Result<bool, Error> {
    within("is_quasi_orthogonal", "eta", eta, eta >= 0.0, "a finite eta >= 0")?;
    match coherence(vectors) {
        Ok(c) => Ok(c <= eta),
        Err(Error::Parameter { name: "norm of a vector", .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The Welch bound $\sqrt{\frac{P-d}{d\,(P-1)}}$: no family of P unit vectors in $\mathbb R^d$ has a smaller coherence; 0 for $P\le d$.
///
/// **Source**: Welch's bound, on the $\eta$ of Definition 1, Eq. 17.
///
/// **Errors**: zero sizes.
pub fn welch_bound(p: usize, d: usize) -> Result<f64, Error> {
    positive("welch_bound", "P (vectors)", p)?;
    positive("welch_bound", "dim (d)", d)?;
    if p <= d {
        return Ok(0.0);
    }
    let (p, d) = (p as f64, d as f64);
    Ok(((p - d) / (d * (p - 1.0))).sqrt())
}

/// The $d+1$ corners of a regular simplex, `(d + 1, d)`: every inner product is $-1/d$, which meets the Welch bound.
///
/// **Source**: a family of Definition 1, Eq. 17, with $\eta=1/d$.
///
/// **Errors**: `d = 0`.
pub fn simplex(d: usize) -> Result<Array2<f64>, Error> {
    positive("simplex", "dim (d)", d)?;
    let n = d + 1;
    // Rows of the Helmert matrix without the constant one: an orthonormal basis of the vectors that sum to zero.
    let mut corners = Array2::zeros((n, d));
    for k in 1..=d {
        let scale = 1.0 / ((k * (k + 1)) as f64).sqrt();
        for i in 0..k {
            corners[[i, k - 1]] = scale;
        }
        corners[[k, k - 1]] = -(k as f64) * scale;
    }
    corners *= (n as f64 / d as f64).sqrt();
    Ok(corners)
}

/// $n$ unit vectors in $\mathbb R^n$ with every inner product equal to $c$, the Cholesky factor of $(1-c)I+c\,\mathbf 1\mathbf 1^\top$.
///
/// **Source**: a family of Definition 1, Eq. 17, with $\eta=c$.
///
/// **Errors**: no vectors, `c` outside `[0, 1)`, a request to stop. Cost: `n^3 / 3`.
pub fn equiangular(n: usize, c: f64) -> Result<Array2<f64>, Error> {
    positive("equiangular", "n (vectors)", n)?;
    fraction("equiangular", "c", c)?;
    let mut factor = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        work::check("equiangular", i, n)?;
        for j in 0..=i {
            let done: f64 = (0..j).map(|k| factor[[i, k]] * factor[[j, k]]).sum();
            factor[[i, j]] = if i == j { (1.0 - done).sqrt() } else { (c - done) / factor[[j, j]] };
        }
    }
    Ok(factor)
}

/// The $\eta$ that Lemma 2 grants to P vectors in d dimensions, $2\sqrt{\ln P/d}$.
///
/// **Source**: Lemma 2 and Eq. 20. Informative when below 1, that is for $P< e^{d/4}$.
///
/// **Errors**: zero sizes.
pub fn granted_eta(p: usize, d: usize) -> Result<f64, Error> {
    positive("granted_eta", "P (vectors)", p)?;
    positive("granted_eta", "dim (d)", d)?;
    Ok(2.0 * ((p as f64).ln() / d as f64).sqrt())
}

/// $1-\tfrac{P(P-1)}2\,\mathbb P(\lvert\langle X_1,X_2\rangle\rvert\ge\eta)$: random directions are $\eta$-quasi orthogonal at least this
/// often. Can be negative.
///
/// **Source**: the union bound before Eq. 18, with the exact pair probability.
///
/// **Errors**: zero sizes, eta outside `[0, 1]`.
pub fn union_bound(p: usize, d: usize, eta: f64) -> Result<f64, Error> {
    positive("union_bound", "P (vectors)", p)?;
    let pairs = 0.5 * p as f64 * (p as f64 - 1.0);
    Ok(1.0 - pairs * cap_probability(d, eta)?)
}

/// The bound $P^2e^{-d\eta^2/2}$ on the probability that P random directions are not $\eta$-quasi orthogonal.
///
/// **Source**: Appendix A, first fact after Eq. 13. It is one at $P=e^{\eta^2d/4}$, the size that Eq. 13 claims.
pub fn failure_bound(p: f64, d: f64, eta: f64) -> f64 {
    (2.0 * p.ln() - 0.5 * d * eta * eta).exp()
}

/// The number of associations $e^{\eta^2d/4}$ of Eq. 13.
///
/// **Source**: Appendix A, Eq. 13.
pub fn relu_capacity(eta: f64, d: f64) -> f64 {
    (0.25 * eta * eta * d).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::{Streams, unit_sphere};

    #[test]
    fn known_families() {
        assert_eq!(coherence(&Array2::eye(6)).unwrap(), 0.0);
        assert_eq!(coherence(&array![[1.0, 0.0], [1.0, 0.0]]).unwrap(), 1.0);
        assert_eq!(coherence(&array![[0.6, 0.8], [-1.0, 0.0]]).unwrap(), 0.6);
        for d in [1, 2, 5, 40] {
            let corners = simplex(d).unwrap();
            assert_eq!(corners.dim(), (d + 1, d));
            assert!((coherence(&corners).unwrap() - 1.0 / d as f64).abs() < 1e-13);
            assert!((welch_bound(d + 1, d).unwrap() - 1.0 / d as f64).abs() < 1e-14);
        }
        for c in [0.0, 0.3, 0.99] {
            assert!((coherence(&equiangular(300, c).unwrap()).unwrap() - c).abs() < 1e-12);
        }
    }

    #[test]
    fn blocks_agree_with_the_double_loop() {
        let v = unit_sphere(&mut Streams::new(1).stream("v").unwrap(), 700, 9);
        let mut slow = 0.0f64;
        for i in 0..700 {
            for j in 0..i {
                slow = slow.max(v.row(i).dot(&v.row(j)).abs());
            }
        }
        assert!((coherence(&v).unwrap() - slow).abs() < 1e-14);
        assert!(slow >= welch_bound(700, 9).unwrap());
    }

    #[test]
    fn the_predicate_needs_norms() {
        assert!(is_quasi_orthogonal(&Array2::eye(3), 0.0).unwrap());
        assert!(!is_quasi_orthogonal(&(Array2::eye(3) * 1.01), 0.5).unwrap());
        assert!(!is_quasi_orthogonal(&array![[1.0, 0.0], [0.6, 0.8]], 0.59).unwrap());
        assert!(is_quasi_orthogonal(&array![[1.0, 0.0], [0.6, 0.8]], 0.6).unwrap());
    }

    #[test]
    fn bounds_by_hand() {
        assert!((union_bound(2, 3, 0.25).unwrap() - 0.25).abs() < 1e-14); // one pair, P = 1 - eta
        assert!((failure_bound(relu_capacity(0.5, 64.0), 64.0, 0.5) - 1.0).abs() < 1e-12);
        assert!((granted_eta(20, 16).unwrap() - 2.0 * (20f64.ln() / 16.0).sqrt()).abs() < 1e-15);
        assert_eq!(welch_bound(3, 7).unwrap(), 0.0);
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(coherence(&Array2::eye(1)), Err(Error::Parameter { .. })));
        assert!(matches!(coherence(&(Array2::eye(2) * 2.0)), Err(Error::Parameter { .. })));
        assert!(matches!(coherence(&array![[f64::NAN], [1.0]]), Err(Error::Parameter { .. })));
        assert!(matches!(is_quasi_orthogonal(&Array2::eye(2), -0.1), Err(Error::Parameter { .. })));
        assert!(is_quasi_orthogonal(&Array2::eye(1), 0.5).is_err());
        assert!(matches!(welch_bound(0, 2), Err(Error::Zero { .. })));
        assert!(matches!(granted_eta(2, 0), Err(Error::Zero { .. })));
        assert!(matches!(simplex(0), Err(Error::Zero { .. })));
        assert!(matches!(equiangular(3, 1.0), Err(Error::Parameter { .. })));
        assert!(union_bound(3, 3, 1.5).is_err());
    }
}
