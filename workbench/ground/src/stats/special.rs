//! Normal, beta and binomial probabilities behind the intervals.
//!
//! `statrs` supplies ln gamma and the start for the normal quantile, `libm` erfc (the one of statrs 0.18 is off by 1e-10 in relative
//! terms). The incomplete beta of statrs stops after 140 terms of the continued fraction, too few from about 10,000 units on, so
//! beta and binomial probabilities are computed here.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::{erf, gamma::ln_gamma};

/// P(Z <= x) for Z ~ N(0, 1), with small relative error in the lower tail; NaN for NaN.
///
/// ```
/// assert_eq!(workbench_ground::stats::normal_cdf(0.0), 0.5);
/// ```
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// The x with P(Z <= x) = p for Z ~ N(0, 1); infinite at p = 0 and 1, NaN for p outside [0, 1].
///
/// ```
/// assert!((workbench_ground::stats::normal_quantile(0.975) - 1.959963984540054).abs() < 1e-12);
/// ```
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p > 0.5 {
        // 1 - p is exact here.
        return -normal_quantile(1.0 - p);
    }
    let x = -SQRT_2 * erf::erfc_inv(2.0 * p);
    // One Newton step on ln P removes the error of the rational approximation.
    let cdf = normal_cdf(x);
    let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    if cdf > 0.0 && density > 0.0 { x - (cdf / p).ln() * cdf / density } else { x }
}

/// The regularised incomplete beta function and what it leaves, (I_x(a, b), 1 - I_x(a, b)), for a, b > 0, x in [0, 1] and y = 1 - x.
///
/// y is given beside x so that neither loses digits near its end. Relative error of the smaller one below 1e-11 down to 1e-50 and 1e-10
/// beyond, for a and b up to 1e8. NaN for a or b that are not positive and finite, and for x or y outside [0, 1]. Cost
/// O(sqrt(max(a, b))).
///
/// ```
/// let (below, above) = workbench_ground::stats::beta_tails(2.0, 3.0, 0.25, 0.75);
/// assert!((below - 67.0 / 256.0).abs() < 1e-15 && (above - 189.0 / 256.0).abs() < 1e-15);
/// ```
#[doc(alias = "incomplete beta")]
pub fn beta_tails(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    let parameters = [a, b].iter().all(|v| v.is_finite() && *v > 0.0);
    if !parameters || ![x, y].iter().all(|v| (0.0..=1.0).contains(v)) {
        return (f64::NAN, f64::NAN);
    }
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if y <= 0.0 {
        return (1.0, 0.0);
    }
    if x <= (a + 1.0) / (a + b + 2.0) {
        let lower = beta_fraction(a, b, x, y).min(1.0);
        (lower, 1.0 - lower)
    } else {
        let upper = beta_fraction(b, a, y, x).min(1.0);
        (1.0 - upper, upper)
    }
}

/// I_x(a, b) by the even part of its continued fraction (DiDonato and Morris, TOMS 708, Eq. 9), for x up to about a / (a + b).
///
/// Every partial denominator is of the size of its terms: with y given beside x, nothing cancels where a or b is large, as the plain
/// fraction does, of which each other denominator is of the size of y. Needs O(sqrt(max(a, b))) terms.
fn beta_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    // 1 + a - (a + b) x, from the smaller one of x and y.
    let first = 1.0 + if a > b { (a + b) * y - b } else { a - (a + b) * x };
    let terms = 1000 + 20 * a.max(b).sqrt().min(1e7) as usize;
    let (mut above, mut below) = ([0.0, 1.0], [1.0, first / (1.0 + 1.0 / a)]);
    let mut value = above[1] / below[1];
    for n in 1..terms {
        let n = n as f64;
        let (s, w) = (a + 2.0 * n - 1.0, n * (b - n) * x);
        let e = a / s;
        let before = 1.0 + (n - 1.0) / a;
        let numerator = before * (before + b / a) * e * e * w * x;
        let denominator = n + w / s + (a + n) / (s + 2.0) * (first + n * (1.0 + y));
        above = [above[1], numerator * above[0] + denominator * above[1]];
        below = [below[1], numerator * below[0] + denominator * below[1]];
        let next = above[1] / below[1];
        let done = (next - value).abs() <= 2.0 * f64::EPSILON * next.abs();
        value = next;
        if done {
            break;
        }
        // Only ratios matter.
        above = [above[0] / below[1], value];
        below = [below[0] / below[1], 1.0];
    }
    beta_front(a, b, x, y) * value
}

/// x^a y^b / B(a, b), without cancelling logarithms of size a ln a.
///
/// By Stirling's formula with remainder r, ln of it is -D + ln sqrt(ab / (2 pi (a + b))) + r(a + b) - r(a) - r(b), where
/// D = -a ln(x / p) - b ln(y / q) with p = a / (a + b), q = 1 - p. The terms of first order of the two logarithms cancel exactly and
/// are left out of each.
fn beta_front(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let beyond_first_order = |x: f64, p: f64| {
        let ratio = x / p;
        if (ratio - 1.0).abs() < 0.5 {
            let u = (x - p) / p;
            u.ln_1p() - u
        } else {
            ratio.ln() - (ratio - 1.0)
        }
    };
    let exponent = a * beyond_first_order(x, a / n) + b * beyond_first_order(y, b / n);
    let remainder = stirling_remainder(n) - stirling_remainder(a) - stirling_remainder(b);
    (a / n * b / (2.0 * PI)).sqrt() * (exponent + remainder).exp()
}

/// ln gamma(a) - ((a - 1/2) ln a - a + ln sqrt(2 pi)).
fn stirling_remainder(a: f64) -> f64 {
    if a < 15.0 {
        return ln_gamma(a) - ((a - 0.5) * a.ln() - a + 0.5 * (2.0 * PI).ln());
    }
    let v = 1.0 / (a * a);
    (1.0 / 12.0 - v * (1.0 / 360.0 - v * (1.0 / 1260.0 - v * (1.0 / 1680.0 - v / 1188.0)))) / a
}

/// The x with I_x(a, b) = p, by bisection, geometric where x is small.
pub(crate) fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..2000 {
        let mid = if low == 0.0 {
            0.1 * high
        } else if high > 4.0 * low {
            (low * high).sqrt()
        } else {
            0.5 * (low + high)
        };
        if mid <= low || mid >= high || high - low <= 1e-15 * high {
            break;
        }
        if beta_tails(a, b, mid, 1.0 - mid).0 < p { low = mid } else { high = mid }
    }
    0.5 * (low + high)
}

/// (P(B <= k), P(B > k)) for B binomial with n trials of probability q in (0, 1).
pub(crate) fn binomial_tails(k: usize, n: usize, q: f64) -> (f64, f64) {
    if k >= n {
        return (1.0, 0.0);
    }
    beta_tails((n - k) as f64, k as f64 + 1.0, 1.0 - q, q)
}

#[cfg(test)]
mod tests {
    use super::*;

    include!("testdata/normal.in");
    include!("testdata/beta.in");

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got} against {want}");
    }

    /// SciPy and mpmath values; see `testdata/outside.py`.
    #[test]
    fn normal_matches_outside_values() {
        for (x, p) in NORMAL_CDF {
            // Rounding x / sqrt(2) alone moves the tail by x^2 2^-53.
            close(normal_cdf(x), p, 4e-15 + x * x * 2.3e-16);
        }
        for (p, x) in NORMAL_QUANTILE {
            close(normal_quantile(p), x, 2e-14);
        }
        assert_eq!(normal_quantile(0.5), 0.0);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(normal_quantile(bad).is_nan());
        }
        assert!(normal_cdf(f64::NAN).is_nan());
    }

    #[test]
    fn beta_and_binomial_match_outside_values() {
        for (a, b, x, lower) in BETA {
            close(beta_tails(a, b, x, 1.0 - x).0, lower, 1e-11);
        }
        for (k, n, q, lower) in BINOMIAL {
            close(binomial_tails(k, n, q).0, lower, 1e-11);
        }
        assert!(beta_tails(0.0, 1.0, 0.5, 0.5).0.is_nan() && beta_tails(f64::INFINITY, 1.0, 0.5, 0.5).1.is_nan());
        assert!(beta_tails(1.0, 1.0, -0.5, 1.5).0.is_nan() && beta_tails(1.0, 1.0, f64::NAN, 0.5).0.is_nan());
    }

    #[test]
    fn beta_quantile_inverts() {
        for (a, b) in [(0.5, 0.5), (1.0, 1e6), (3.0, 8.0), (1e5, 2e5), (2000.0, 1.0)] {
            for p in [1e-6, 5e-4, 0.5, 0.9995] {
                let x = beta_quantile(p, a, b);
                close(beta_tails(a, b, x, 1.0 - x).0, p, 1e-6);
            }
        }
    }
}
