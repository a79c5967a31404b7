//! Exact moments of the kernel estimates, in log space.
//!
//! One projection contributes one term $X(x,y)$ with $\mathbb E X=e^{x^\top y}$; the estimate is the mean of the terms. All moments follow
//! from one Gaussian integral (Eq. 36), and relative to the kernel they depend on $v=\lVert x+y\rVert^2$, N and $\widehat A$ only.
//! Sampling is no way to check them: the variance of a term sits in draws that are too rare to be seen (see the notebook).

use super::{Ensemble, Error, MapKind};
use crate::map::beyond_log_space;
use ndarray::Array1;
use workbench_ground::check::{finite, not_negative, positive, same, within};
use workbench_ground::stats::{integrate, log_sum_exp, log1m_exp};

/// $\ln\mathbb E\exp(a\lVert\omega\rVert^2+b^\top\omega)=-\frac N2\ln(1-2a)+\frac{\lVert b\rVert^2}{2(1-2a)}$ for $\omega\sim\mathcal N(0,I_N)$.
///
/// **Source**: A.2, Eq. 36. **Ranges**: `b_norm2` is $\lVert b\rVert^2\ge0$; $a<\frac12$.
///
/// **Errors**: $a\ge\frac12$, where the expectation is infinite; a negative `b_norm2`.
///
/// ```
/// use workbench_features::moments::log_gaussian_moment;
/// assert_eq!(log_gaussian_moment(0.0, 3.0, 5)?, 1.5); // log-normal mean
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn log_gaussian_moment(a: f64, b_norm2: f64, dim: usize) -> Result<f64, Error> {
    const OP: &str = "log_gaussian_moment";
    within(OP, "a", a, a < 0.5, "a < 1/2: the expectation is infinite above")?;
    not_negative(OP, "squared norm of b", b_norm2)?;
    Ok(-0.5 * dim as f64 * (-2.0 * a).ln_1p() + b_norm2 / (2.0 * (1.0 - 2.0 * a)))
}

/// $\ln\mathbb E\exp(a g^2+b g)$ for one $g\sim\mathcal N(0,1)$ by adaptive integration: the independent check of Eq. 36.
///
/// A sum of N of them, one for each coordinate of b, checks any dimension.
///
/// **Source**: A.2, Eq. 36; the integration is ours.
///
/// **Errors**: $a\ge\frac12$, or an integral that does not converge. Accuracy about 1e-13.
///
/// ```
/// use workbench_features::moments::{log_gaussian_moment, log_gaussian_moment_by_quadrature};
/// let (a, b) = (-36.0, 20.0);
/// let error = log_gaussian_moment_by_quadrature(a, b)? - log_gaussian_moment(a, b * b, 1)?;
/// assert!(error.abs() < 1e-13);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn log_gaussian_moment_by_quadrature(a: f64, b: f64) -> Result<f64, Error> {
    const OP: &str = "log_gaussian_moment_by_quadrature";
    within(OP, "a", a, a < 0.5, "a < 1/2: the expectation is infinite above")?;
    within(OP, "b", b, true, "a finite number")?;
    let precision = 1.0 - 2.0 * a;
    let (peak, width) = (b / precision, precision.sqrt().recip());
    let exponent = |g: f64| (a - 0.5) * g * g + b * g;
    let top = exponent(peak);
    // Twelve widths to each side leave out less than 1e-32 of the whole.
    let area = integrate(&|t: f64| (exponent(peak + width * t) - top).exp(), -12.0, 12.0, 1e-13)?;
    Ok(top + (area.value * width / (2.0 * std::f64::consts::PI).sqrt()).ln())
}

/// $\ln\mathbb E[X^k]-k\,x^\top y$ for the term X of one projection: the k-th moment relative to the kernel.
///
/// $$ \frac{Nk}2\ln(1+4\widehat A)-\frac N2\ln(1+4k\widehat A)-\frac{kv}2+\frac{k^2(1+4\widehat A)\,v}{2(1+4k\widehat A)} $$
///
/// for one sign; a hyperbolic term is the mean of both signs and its moment a binomial sum of such terms.
///
/// **Source**: A.1 with Eq. 36; not printed. **Ranges**: `v` is $\lVert x+y\rVert^2\ge0$, `k` at least 1.
///
/// **Errors**: `k` or `dim` of zero, a negative `v` or `a_hat`.
pub fn log_relative_term_moment(kind: MapKind, k: u32, dim: usize, v: f64) -> Result<f64, Error> {
    const OP: &str = "log_relative_term_moment";
    check(OP, kind, dim, v)?;
    positive(OP, "order k", k)?;
    let (a, order) = (kind.a_hat(), f64::from(k));
    let constant = 0.5 * dim as f64 * order * (4.0 * a).ln_1p() - 0.5 * order * v;
    let along = |times: f64| log_gaussian_moment(-2.0 * order * a, times * times * (1.0 + 4.0 * a) * v, dim);
    if !kind.is_hyperbolic() {
        return Ok(constant + along(order)?);
    }
    let mut log_binomial = -order * std::f64::consts::LN_2;
    let mut terms = Vec::with_capacity(k as usize + 1);
    for plus in 0..=k {
        terms.push(log_binomial + along(order - 2.0 * f64::from(plus))?);
        log_binomial += (f64::from(k - plus) / f64::from(plus + 1)).ln();
    }
    Ok(constant + log_sum_exp(&terms))
}

/// $\ln\bigl(\operatorname{Var}X/e^{2x^\top y}\bigr)$ for the term of one projection, accurate where the variance is tiny or huge.
///
/// With $L=\frac N2\ln\frac{(1+4\widehat A)^2}{1+8\widehat A}+\frac v{1+8\widehat A}$: $e^L-1$ for one sign, half of
/// $(e^L-1)+(e^{L_0-v}-1)$ with $L_0=L|_{v=0}$ for both signs. For $\widehat A=0$ these are $e^v-1$ and $2\sinh^2(v/2)$.
///
/// **Source**: A.2, Eq. 36 at $x+y$ and at $2(x+y)$.
///
/// **Errors**: as [`log_relative_term_moment`]. Minus infinity where the variance is zero ($v=0$ and $\widehat A=0$).
pub fn log_relative_term_variance(kind: MapKind, dim: usize, v: f64) -> Result<f64, Error> {
    check("log_relative_term_variance", kind, dim, v)?;
    let a = kind.a_hat();
    let flat = 0.5 * dim as f64 * (16.0 * a * a / (1.0 + 8.0 * a)).ln_1p();
    let top = flat + v / (1.0 + 8.0 * a);
    if !kind.is_hyperbolic() {
        return Ok(top + log1m_exp(-top));
    }
    let ln2 = std::f64::consts::LN_2;
    Ok(if a == 0.0 {
        v + 2.0 * log1m_exp(-v) - ln2
    } else if top < 1.0 {
        (top.exp_m1() + (flat - v).exp_m1()).ln() - ln2
    } else {
        top + ((flat - v - top).exp() - 2.0 * (-top).exp()).ln_1p() - ln2
    })
}

/// $\operatorname{Cov}(X_i,X_j)/e^{2x^\top y}$ for two projections of one orthogonal block:
/// $e^{-v}\,{}_1F_1(N;\tfrac N2;\tfrac v2)-1\le0$.
///
/// The same for every $\widehat A$ and for hyperbolic terms: the sum of two orthogonal Gaussian vectors has a uniform direction and a
/// chi-squared length with $2N$ degrees of freedom, and its weight $e^{-2\widehat A\lVert\cdot\rVert^2}$ is undone by D and B. Not in the
/// document.
///
/// **Source**: ours, for the block-orthogonal ensemble of the sentence after Eq. 9.
///
/// **Errors**: `dim` of zero, a negative `v`. **Cost** O(v + sqrt(v)).
///
/// ```
/// let c = workbench_features::moments::orthogonal_covariance(8, 2.0)?;
/// assert!(c < 0.0 && c > -1.0);
/// assert_eq!(workbench_features::moments::orthogonal_covariance(8, 0.0)?, 0.0);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn orthogonal_covariance(dim: usize, v: f64) -> Result<f64, Error> {
    check("orthogonal_covariance", MapKind::FavorPlus, dim, v)?;
    if v == 0.0 {
        return Ok(0.0);
    }
    // sum_k Poisson(k; v) (a_k - 1) with a_k = prod_{i<k} (N + i) / (N + 2i).
    let n = dim as f64;
    let (mut log_weight, mut log_a, mut sum) = (-v, 0.0f64, 0.0);
    let last = (v + 40.0 * v.sqrt() + 60.0) as u64;
    for k in 0..last {
        sum += log_weight.exp() * log_a.exp_m1();
        let i = k as f64;
        log_weight += (v / (i + 1.0)).ln();
        log_a += ((n + i) / (n + 2.0 * i)).ln();
    }
    Ok(sum.max(-1.0)) // a probability-weighted mean of values above -1; rounding may pass it
}

/// $\ln\bigl(\operatorname{Var}\widehat K/e^{2x^\top y}\bigr)$ for the estimate with `r` features.
///
/// Independent projections divide the variance of a term by their number; orthogonal blocks add [`orthogonal_covariance`] for each pair
/// within a block.
///
/// **Source**: A.1, Eqs. 9 and 10, by Eq. 36; the part of orthogonal blocks is ours.
///
/// **Shapes**: `v` is $\lVert x+y\rVert^2$. **Errors**: `r` or `dim` of zero, odd `r` for a hyperbolic kind, a negative `v`, and
/// [`Ensemble::FixedNorm`], which has a bias ([`fixed_norm_bias`]) beside its variance.
///
/// ```
/// use workbench_features::{Ensemble, MapKind, moments::log_relative_variance};
/// let plain = log_relative_variance(MapKind::FavorPlus, Ensemble::Independent, 10, 4, 1.5)?;
/// assert!((plain.exp() - 1.5f64.exp_m1() / 10.0).abs() < 1e-15);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn log_relative_variance(kind: MapKind, ensemble: Ensemble, r: usize, dim: usize, v: f64) -> Result<f64, Error> {
    let p = kind.projections(r)?;
    let term = log_relative_term_variance(kind, dim, v)?;
    let partners = match ensemble {
        Ensemble::Independent => return Ok(term - (p as f64).ln()),
        Ensemble::BlockOrthogonal => {
            let (full, rest) = (p / dim, p % dim);
            (full * dim * (dim - 1) + rest * rest.saturating_sub(1)) as f64 / p as f64
        }
        Ensemble::FixedNorm => {
            let (op, bias) = ("log_relative_variance", fixed_norm_bias(dim, v)?);
            let allowed = "an unbiased ensemble";
            return Err(Error::parameter(op, "ensemble with fixed norms, bias", bias, allowed));
        }
    };
    if term == f64::NEG_INFINITY {
        return Ok(term);
    }
    let gain = partners * orthogonal_covariance(dim, v)? * (-term).exp();
    Ok(term + gain.ln_1p() - (p as f64).ln())
}

/// $\ln\mathbb E[(\phi(x)^\top\phi(y))^2]$ for the estimate with `r` features.
///
/// **Source**: A.1, as [`log_relative_variance`].
///
/// **Errors**: as [`log_relative_variance`], vectors of different length or with entries that are not finite.
pub fn log_second_moment(
    kind: MapKind,
    ensemble: Ensemble,
    r: usize,
    x: &Array1<f64>,
    y: &Array1<f64>,
) -> Result<f64, Error> {
    let v = squared_sum("log_second_moment", x, y)?;
    let relative = log_relative_variance(kind, ensemble, r, x.len(), v)?;
    Ok(2.0 * x.dot(y) + log_sum_exp(&[0.0, relative]))
}

/// $\ln\operatorname{Var}\phi(x)^\top\phi(y)$ for the estimate with `r` features.
///
/// **Source**: A.1, as [`log_relative_variance`].
///
/// **Errors**: as [`log_second_moment`].
pub fn log_variance(
    kind: MapKind,
    ensemble: Ensemble,
    r: usize,
    x: &Array1<f64>,
    y: &Array1<f64>,
) -> Result<f64, Error> {
    let v = squared_sum("log_variance", x, y)?;
    Ok(2.0 * x.dot(y) + log_relative_variance(kind, ensemble, r, x.len(), v)?)
}

/// $\ln\mathbb E[X(x,y)\,X(x',y')]$ for the terms of one projection at two pairs.
///
/// With $s=x+y$, $s'=x'+y'$: $\exp\frac{B^2\lVert s+s'\rVert^2}{2(1+8\widehat A)}$ times constants; a hyperbolic kind has the mean of
/// $s+s'$ and $s-s'$. The covariance of two kernel estimates with p independent projections is this minus the product, over p.
///
/// **Source**: A.2, Eqs. 34 to 36, for any two pairs of vectors.
///
/// **Errors**: vectors of different length, entries that are not finite, a negative `a_hat`.
pub fn log_cross_moment(
    kind: MapKind,
    (x, y): (&Array1<f64>, &Array1<f64>),
    (x2, y2): (&Array1<f64>, &Array1<f64>),
) -> Result<f64, Error> {
    const OP: &str = "log_cross_moment";
    kind.check(OP)?;
    for (name, other) in [("y", y), ("x'", x2), ("y'", y2)] {
        same(OP, ("length of x", x.len()), (name, other.len()))?;
    }
    for (name, vector) in [("x", x), ("y", y), ("x'", x2), ("y'", y2)] {
        finite(OP, name, vector)?;
    }
    let (a, dim) = (kind.a_hat(), x.len());
    let b2 = 1.0 + 4.0 * a;
    let norms: f64 = [x, y, x2, y2].iter().map(|z| z.dot(*z)).sum();
    let constant = dim as f64 * b2.ln() - 0.5 * norms;
    let (s, s2) = (x + y, x2 + y2);
    let moment = |sum: Array1<f64>| log_gaussian_moment(-4.0 * a, b2 * sum.dot(&sum), dim);
    let plus = moment(&s + &s2)?;
    if !kind.is_hyperbolic() {
        return Ok(constant + plus);
    }
    let minus = moment(&s - &s2)?;
    Ok(constant + log_sum_exp(&[plus, minus]) - std::f64::consts::LN_2)
}

/// $\ln\sup_\omega\phi_i(z)$ of one FAVOR++ feature, reached at $\omega=Bz/2\widehat A$:
/// $\ln D-\tfrac12\ln r+\lVert z\rVert^2\bigl(\tfrac{1+4\widehat A}{4\widehat A}-\tfrac12\bigr)$.
///
/// **Source**: A.1.1 ("bounded random variables"); completing the square. **Ranges**: `z_norm2` is $\lVert z\rVert^2$.
///
/// **Errors**: `a_hat` not above 0 (the feature is unbounded), `r` or `dim` of zero, a negative norm.
pub fn log_feature_bound(a_hat: f64, r: usize, dim: usize, z_norm2: f64) -> Result<f64, Error> {
    const OP: &str = "log_feature_bound";
    positive(OP, "number of features r", r)?;
    positive(OP, "dimension N", dim)?;
    let allowed = "A-hat > 0: at 0 the features are unbounded";
    within(OP, "A-hat", a_hat, a_hat > 0.0, allowed)?;
    not_negative(OP, "squared norm", z_norm2)?;
    let b2 = 1.0 + 4.0 * a_hat;
    Ok(0.25 * dim as f64 * b2.ln() - 0.5 * (r as f64).ln() + z_norm2 * (b2 / (4.0 * a_hat) - 0.5))
}

/// $\ln\sup_\omega X(x,y)-x^\top y$ of one FAVOR++ term: $\frac N2\ln(1+4\widehat A)+\frac v{8\widehat A}$.
///
/// **Source**: A.1.1 ("bounded random variables"); completing the square.
///
/// **Errors**: as [`log_feature_bound`].
pub fn log_relative_term_bound(a_hat: f64, dim: usize, v: f64) -> Result<f64, Error> {
    const OP: &str = "log_relative_term_bound";
    positive(OP, "dimension N", dim)?;
    let allowed = "A-hat > 0: at 0 the terms are unbounded";
    within(OP, "A-hat", a_hat, a_hat > 0.0, allowed)?;
    not_negative(OP, "v", v)?;
    Ok(0.5 * dim as f64 * (4.0 * a_hat).ln_1p() + v / (8.0 * a_hat))
}

/// Relative bias of FAVOR+ on projections of fixed length $\sqrt N$: $e^{-v/2}\,{}_0F_1(;\tfrac N2;\tfrac{Nv}4)-1\le0$.
///
/// **Source**: ours.
///
/// **Errors**: `dim` of zero, a negative `v`.
pub fn fixed_norm_bias(dim: usize, v: f64) -> Result<f64, Error> {
    check("fixed_norm_bias", MapKind::FavorPlus, dim, v)?;
    Ok((log_sphere_moment(dim, v) - 0.5 * v).exp_m1())
}

/// ln E exp(sqrt(N) u.s) for u uniform on the unit sphere and |s|^2 = v: ln 0F1(; N/2; N v / 4).
fn log_sphere_moment(dim: usize, v: f64) -> f64 {
    let (n, z) = (dim as f64, 0.25 * dim as f64 * v);
    let (mut log_term, mut k) = (0.0f64, 0.0f64);
    let mut terms = Vec::new();
    let mut top = f64::NEG_INFINITY;
    // Terms rise to their peak near sqrt(z) and fall faster than geometrically afterwards.
    while terms.len() < 4 || log_term > top - 45.0 {
        terms.push(log_term);
        top = top.max(log_term);
        log_term += (z / ((0.5 * n + k) * (k + 1.0))).ln();
        k += 1.0;
    }
    log_sum_exp(&terms)
}

fn check(op: &'static str, kind: MapKind, dim: usize, v: f64) -> Result<(), Error> {
    kind.check(op)?;
    positive(op, "dimension N", dim)?;
    within(op, "v = |x + y|^2", v, v >= 0.0, "a finite number of at least 0")
}

fn squared_sum(op: &'static str, x: &Array1<f64>, y: &Array1<f64>) -> Result<f64, Error> {
    same(op, ("length of x", x.len()), ("length of y", y.len()))?;
    finite(op, "x", x)?;
    finite(op, "y", y)?;
    let sum = x + y;
    let v = sum.dot(&sum);
    if v.is_finite() { Ok(v) } else { Err(beyond_log_space(op, v)) }
}

#[cfg(test)]
mod tests;
