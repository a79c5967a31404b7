//! The parameter of FAVOR++: what $\rho$ means, its best value, and $\gamma$ in linear time.

use super::{Error, MapKind, moments};
use crate::map::beyond_log_space;
use crate::memory::empty_memory;
use ndarray::{Array1, Array2, Axis};
use workbench_ground::check::{finite, not_negative, positive, same, within};

/// $\widehat A=\frac1{\kappa}\bigl(\frac1\rho-1\bigr)$ with $\kappa=8$: the reading under which Eq. 11 is the optimum.
///
/// The document prints $\kappa=1$ ([`printed_a_hat`]); with it Eq. 11 minimises nothing. With $\kappa=8$, $1+8\widehat A=1/\rho$.
///
/// **Source**: A.1.1, the constants below the display of FAVOR++, with the factor that Eq. 11 needs.
///
/// **Errors**: `rho` outside (0, 1).
///
/// ```
/// use workbench_features::{a_hat, printed_a_hat};
/// assert_eq!(a_hat(0.2)?, 0.5);
/// assert_eq!(printed_a_hat(0.2)?, 4.0);
/// assert!(a_hat(1.0).is_err() && a_hat(0.0).is_err());
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn a_hat(rho: f64) -> Result<f64, Error> {
    a_hat_with(rho, 8.0)
}

/// $\widehat A=\frac1\rho-1$, as printed in A.1.1 ($\widehat A=-A$, $A=1-1/\rho$).
///
/// **Source**: A.1.1, the constants below the display of FAVOR++.
///
/// **Errors**: `rho` outside (0, 1).
pub fn printed_a_hat(rho: f64) -> Result<f64, Error> {
    a_hat_with(rho, 1.0)
}

/// $\widehat A=\frac1\kappa\bigl(\frac1\rho-1\bigr)$.
///
/// **Source**: A.1.1, the constants below the display of FAVOR++; $\kappa$ is ours.
///
/// **Errors**: `rho` outside (0, 1), `kappa` not above 0.
pub fn a_hat_with(rho: f64, kappa: f64) -> Result<f64, Error> {
    let allowed = "0 < rho < 1 (rho = 1 is FAVOR+)";
    within("a_hat", "rho", rho, rho > 0.0 && rho < 1.0, allowed)?;
    let allowed = "kappa > 0; the document prints 1, the optimum needs 8";
    within("a_hat", "kappa", kappa, kappa > 0.0, allowed)?;
    Ok((1.0 / rho - 1.0) / kappa)
}

/// The parameter of Eq. 11,
///
/// $$ \rho^*=\frac{\sqrt{(2\gamma+N)^2+8N\gamma}-2\gamma-N}{4\gamma}, $$
///
/// written as $2N/\bigl(\sqrt{(2\gamma+N)^2+8N\gamma}+2\gamma+N\bigr)$, which loses no digits for small $\gamma$ and is right at 0.
///
/// It is the positive root of $2\gamma\rho^2+(2\gamma+N)\rho-N$. Over many pairs with mean $\gamma$ it minimises the mean of the
/// *logarithms* of the second moments (their geometric mean), with [`a_hat`], not their sum.
///
/// **Source**: A.1.1, Eq. 11. **Ranges**: $\gamma\ge0$; the result is in (0, 1), and 1 at $\gamma=0$.
///
/// **Errors**: a negative or infinite `gamma`, `dim` of zero.
///
/// ```
/// let rho = workbench_features::rho_star(4.0, 8)?;
/// assert!((2.0 * 4.0 * rho * rho + 16.0 * rho - 8.0).abs() < 1e-14);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn rho_star(gamma: f64, dim: usize) -> Result<f64, Error> {
    positive("rho_star", "dimension N", dim)?;
    not_negative("rho_star", "gamma", gamma)?;
    let n = dim as f64;
    let linear = 2.0 * gamma + n;
    let root = linear.hypot((8.0 * n * gamma).sqrt());
    Ok(2.0 * n / (root + linear))
}

/// Eq. 11 in the order in which it is printed: loses digits for small $\gamma$ and is 0/0 at 0. For comparison.
///
/// **Source**: A.1.1, Eq. 11.
pub fn rho_star_as_printed(gamma: f64, dim: usize) -> f64 {
    let n = dim as f64;
    (((2.0 * gamma + n).powi(2) + 8.0 * n * gamma).sqrt() - 2.0 * gamma - n) / (4.0 * gamma)
}

/// $\gamma=\frac1{M_qM_k}\sum_{ij}\lVert q^i+k^j\rVert^2$ in linear time:
/// $\frac1{M_q}\sum_i\lVert q^i\rVert^2+\frac1{M_k}\sum_j\lVert k^j\rVert^2+2\bar q^\top\bar k$.
///
/// **Source**: A.1.1, below Eq. 11, where the sums of squares have the weight $1/M^2$; it must be $1/M$.
///
/// **Shapes**: `(M_q, dim)` and `(M_k, dim)`. **Errors**: no rows, different dimensions, entries that are not finite. **Cost** O(M dim).
///
/// ```
/// use ndarray::array;
/// let gamma = workbench_features::gamma(&array![[1.0], [3.0]], &array![[2.0], [0.0]])?;
/// assert_eq!(gamma, (9.0 + 1.0 + 25.0 + 9.0) / 4.0);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn gamma(queries: &Array2<f64>, keys: &Array2<f64>) -> Result<f64, Error> {
    check_pairs("gamma", queries, keys)?;
    let mean_square = |x: &Array2<f64>| x.iter().map(|v| v * v).sum::<f64>() / x.nrows() as f64;
    let mean = |x: &Array2<f64>| x.sum_axis(Axis(0)) / x.nrows() as f64;
    Ok(mean_square(queries) + mean_square(keys) + 2.0 * mean(queries).dot(&mean(keys)))
}

/// The running sums behind $\gamma_t$: $\Sigma_t=\sum_{j\le t}k^j$ and $\Lambda_t=\sum_{j\le t}\lVert k^j\rVert^2$.
///
/// $$ \gamma_t=\frac1t\sum_{j\le t}\lVert q+k^j\rVert^2=\lVert q\rVert^2+\frac{\Lambda_t+2q^\top\Sigma_t}t $$
///
/// **Source**: A.1.1, uni-directional display, where $\lVert q^t\rVert^2$ lacks the factor t inside the bracket.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySums {
    /// $\Sigma_t$, shape `(dim)`.
    pub sum: Array1<f64>,
    /// $\Lambda_t$.
    pub squares: f64,
    /// t, the number of keys.
    pub count: u64,
}

impl KeySums {
    /// No keys yet.
    ///
    /// **Errors**: `dim` of zero.
    pub fn new(dim: usize) -> Result<KeySums, Error> {
        positive("KeySums::new", "dimension N", dim)?;
        Ok(KeySums { sum: Array1::zeros(dim), squares: 0.0, count: 0 })
    }

    /// Adds one key. **Errors**: another length, an entry that is not finite. **Cost** O(dim).
    pub fn absorb(&mut self, key: &Array1<f64>) -> Result<(), Error> {
        const OP: &str = "KeySums::absorb";
        same(OP, ("length of the key", key.len()), ("dimension N", self.sum.len()))?;
        finite(OP, "key", key)?;
        self.sum += key;
        self.squares += key.dot(key);
        self.count += 1;
        Ok(())
    }

    /// $\gamma_t$ for one query. **Errors**: no keys yet, another length, an entry that is not finite. **Cost** O(dim).
    pub fn gamma(&self, query: &Array1<f64>) -> Result<f64, Error> {
        const OP: &str = "KeySums::gamma";
        if self.count == 0 {
            return Err(empty_memory(OP));
        }
        let sums_dim = ("dimension N", self.sum.len());
        same(OP, ("length of the query", query.len()), sums_dim)?;
        finite(OP, "query", query)?;
        let t = self.count as f64;
        let gamma = query.dot(query) + (self.squares + 2.0 * query.dot(&self.sum)) / t;
        if !gamma.is_finite() {
            return Err(beyond_log_space(OP, gamma));
        }
        Ok(gamma.max(0.0)) // a mean of squares; rounding may leave -1e-16
    }
}

/// The minimiser over $\ln\widehat A$ of the exact log second moment of one pair, by golden section: no formula assumed.
///
/// **Source**: A.1.1, the variance that $\rho$ is to reduce; the search is ours.
///
/// Returns $\widehat A$. **Ranges**: searches $10^{-8}\le\widehat A\le10^{8}$. **Errors**: a negative `v`, `dim` of zero.
pub fn best_a_hat_for_pair(dim: usize, v: f64) -> Result<f64, Error> {
    minimise(|a_hat| moments::log_relative_term_moment(MapKind::FavorPlusPlus { a_hat }, 2, dim, v))
}

/// $\lVert q^i+k^j\rVert^2$ and $q^{i\top}k^j$ of all pairs, computed once for a search over $\widehat A$.
#[derive(Clone, Debug, PartialEq)]
pub struct PairNorms {
    /// $\lVert q^i+k^j\rVert^2$, row-major over pairs.
    pub v: Vec<f64>,
    /// $q^{i\top}k^j$.
    pub dot: Vec<f64>,
    /// N.
    pub dim: usize,
}

impl PairNorms {
    /// All pairs. **Shapes**: `(M_q, dim)`, `(M_k, dim)`. **Errors**: as [`gamma`]. **Cost** O(M_q M_k dim).
    pub fn of(queries: &Array2<f64>, keys: &Array2<f64>) -> Result<PairNorms, Error> {
        check_pairs("PairNorms::of", queries, keys)?;
        let dots = queries.dot(&keys.t());
        let squares = |x: &Array2<f64>| x.map_axis(Axis(1), |row| row.dot(&row));
        let (q2, k2) = (squares(queries), squares(keys));
        let mut v = Vec::with_capacity(dots.len());
        for ((i, j), dot) in dots.indexed_iter() {
            v.push((q2[i] + k2[j] + 2.0 * dot).max(0.0));
        }
        Ok(PairNorms { v, dot: dots.iter().copied().collect(), dim: queries.ncols() })
    }

    /// Mean of $\lVert q^i+k^j\rVert^2$ over the pairs: $\gamma$ by its definition, in quadratic time.
    pub fn gamma(&self) -> f64 {
        self.v.iter().sum::<f64>() / self.v.len() as f64
    }
}

/// $\ln$ of the mean over all pairs of the variance of one FAVOR++ term at `a_hat`: the exact objective that Eq. 11 stands in for.
///
/// **Source**: A.1.1, the variance that the choice of $\rho$ is to reduce; the exact mean is ours. **Errors**: a negative `a_hat`.
/// **Cost** O(pairs).
pub fn log_total_variance_of(a_hat: f64, pairs: &PairNorms) -> Result<f64, Error> {
    let kind = MapKind::FavorPlusPlus { a_hat };
    let mut logs = Vec::with_capacity(pairs.v.len());
    for (v, dot) in pairs.v.iter().zip(&pairs.dot) {
        logs.push(2.0 * dot + moments::log_relative_term_variance(kind, pairs.dim, *v)?);
    }
    Ok(workbench_ground::stats::log_mean_exp(&logs))
}

/// The $\widehat A$ that minimises [`log_total_variance_of`], by golden section. **Errors**: as there; stopped.
///
/// **Source**: A.1.1, the variance that $\rho$ is to reduce; the search is ours.
pub fn best_a_hat(pairs: &PairNorms) -> Result<f64, Error> {
    minimise(|a_hat| log_total_variance_of(a_hat, pairs))
}

/// Golden section over ln A-hat in [1e-8, 1e8].
fn minimise(f: impl Fn(f64) -> Result<f64, Error>) -> Result<f64, Error> {
    /// Sections from a width of ln 1e16 to one of 1e-9.
    const SECTIONS: usize = 51;
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut low, mut high) = (1e-8f64.ln(), 1e8f64.ln());
    let (mut x1, mut x2) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut f1, mut f2) = (f(x1.exp())?, f(x2.exp())?);
    let mut section = 0;
    while high - low > 1e-9 {
        workbench_ground::work::check("best_a_hat", section, SECTIONS)?;
        section += 1;
        if f1 <= f2 {
            (high, x2, f2) = (x2, x1, f1);
            x1 = high - ratio * (high - low);
            f1 = f(x1.exp())?;
        } else {
            (low, x1, f1) = (x1, x2, f2);
            x2 = low + ratio * (high - low);
            f2 = f(x2.exp())?;
        }
    }
    Ok((0.5 * (low + high)).exp())
}

fn check_pairs(op: &'static str, queries: &Array2<f64>, keys: &Array2<f64>) -> Result<(), Error> {
    positive(op, "number of queries", queries.nrows())?;
    positive(op, "number of keys", keys.nrows())?;
    positive(op, "dimension N", queries.ncols())?;
    let key_dim = ("dimension of the keys", keys.ncols());
    same(op, ("dimension of the queries", queries.ncols()), key_dim)?;
    finite(op, "queries", queries)?;
    finite(op, "keys", keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use workbench_ground::stats::{Streams, normal_array2};

    fn vectors(name: &str, m: usize, dim: usize) -> Array2<f64> {
        normal_array2(&mut Streams::new(2).stream(name).unwrap(), m, dim)
    }

    #[test]
    fn equation_11_is_the_optimum_for_kappa_8_only() {
        for (dim, v) in [(1, 0.3), (4, 2.0), (64, 10.0), (64, 500.0)] {
            let rho = rho_star(v, dim).unwrap();
            let best = best_a_hat_for_pair(dim, v).unwrap();
            assert!((best / a_hat(rho).unwrap() - 1.0).abs() < 1e-6, "{dim} {v}");
            for kappa in [1.0, 2.0, 4.0, 16.0] {
                let off = best / a_hat_with(rho, kappa).unwrap();
                assert!((off - 1.0).abs() > 0.4, "kappa {kappa}: {off}");
            }
        }
    }

    #[test]
    fn rho_star_limits_and_its_printed_form() {
        assert_eq!(rho_star(0.0, 5).unwrap(), 1.0);
        assert!(rho_star(1e12, 5).unwrap() < 1e-11);
        for g in [1e-3, 0.5, 7.0, 1e4] {
            assert!((rho_star(g, 16).unwrap() / rho_star_as_printed(g, 16) - 1.0).abs() < 1e-9);
        }
        // The printed order of operations has no correct digit left at 1e-17.
        assert!((rho_star(1e-17, 16).unwrap() - 1.0).abs() < 1e-15);
        assert_eq!(rho_star_as_printed(1e-17, 16), 0.0);
    }

    #[test]
    fn gammas_equal_their_double_sums() {
        let (q, k) = (vectors("q", 7, 3), vectors("k", 5, 3));
        let direct = PairNorms::of(&q, &k).unwrap().gamma();
        assert!((gamma(&q, &k).unwrap() / direct - 1.0).abs() < 1e-14);
        let mut sums = KeySums::new(3).unwrap();
        for t in 0..5 {
            sums.absorb(&k.row(t).to_owned()).unwrap();
            let query = q.row(t).to_owned();
            let slow: f64 = (0..=t).map(|j| (&query + &k.row(j)).mapv(|x| x * x).sum()).sum::<f64>() / (t + 1) as f64;
            assert!((sums.gamma(&query).unwrap() / slow - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn one_pair_has_the_pair_optimum() {
        let (q, k) = (array![[1.0, 0.5]], array![[0.2, -0.1]]);
        let pairs = PairNorms::of(&q, &k).unwrap();
        let (a, b) = (best_a_hat(&pairs).unwrap(), best_a_hat_for_pair(2, pairs.v[0]).unwrap());
        assert!((a / b - 1.0).abs() < 1e-5);
    }

    #[test]
    fn refuses_bad_input() {
        for rho in [0.0, 1.0, -0.1, 1.5, f64::NAN] {
            assert!(matches!(a_hat(rho), Err(Error::Parameter { name: "rho", .. })), "{rho}");
            assert!(matches!(printed_a_hat(rho), Err(Error::Parameter { .. })));
        }
        assert!(a_hat_with(0.5, 0.0).is_err());
        assert!(matches!(rho_star(-1.0, 3), Err(Error::Parameter { .. })));
        assert!(matches!(rho_star(1.0, 0), Err(Error::Zero { .. })));
        assert!(matches!(KeySums::new(0), Err(Error::Zero { .. })));
        let mut sums = KeySums::new(2).unwrap();
        assert!(matches!(sums.gamma(&array![1.0, 2.0]), Err(Error::Empty { what: "the memory", .. })));
        assert!(matches!(sums.absorb(&array![1.0]), Err(Error::Shape { .. })));
        assert!(matches!(sums.absorb(&array![1.0, f64::NAN]), Err(Error::NotFinite { .. })));
        sums.absorb(&array![1.0, 0.0]).unwrap();
        assert!(matches!(sums.gamma(&array![1.0]), Err(Error::Shape { .. })));
        assert!(matches!(gamma(&array![[1.0]], &array![[1.0, 2.0]]), Err(Error::Shape { .. })));
        assert!(matches!(gamma(&Array2::zeros((0, 2)), &array![[1.0, 2.0]]), Err(Error::Zero { .. })));
    }
}
