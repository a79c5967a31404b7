//! Sums of numbers given by their logarithms, where the numbers themselves would overflow or vanish.
//!
//! Logarithms are natural. Negative infinity stands for zero; NaN in gives NaN out.

/// ln sum_i exp(x_i), by taking out the largest term.
///
/// Negative infinity for an empty slice (an empty sum is zero). Cost: one exponential per term.
///
/// ```
/// use workbench_ground::stats::log_sum_exp;
/// assert_eq!(log_sum_exp(&[1000.0, 1000.0]), 1000.0 + 2f64.ln());
/// assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
/// ```
#[doc(alias = "logsumexp")]
pub fn log_sum_exp(x: &[f64]) -> f64 {
    if x.iter().any(|v| v.is_nan()) {
        return f64::NAN;
    }
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top.is_infinite() {
        return top;
    }
    // The largest term counts 1 exactly; the others are added first and joined by ln(1 + rest).
    let mut rest = 0.0;
    let mut seen = false;
    for &v in x {
        if v == top && !seen {
            seen = true;
        } else {
            rest += (v - top).exp();
        }
    }
    top + rest.ln_1p()
}

/// ln of the mean of exp(x_i); NaN for an empty slice (no mean exists).
///
/// ```
/// assert_eq!(workbench_ground::stats::log_mean_exp(&[-800.0, -800.0]), -800.0);
/// ```
pub fn log_mean_exp(x: &[f64]) -> f64 {
    if x.is_empty() { f64::NAN } else { log_sum_exp(x) - (x.len() as f64).ln() }
}

/// ln(exp(a) + exp(b)).
///
/// ```
/// assert_eq!(workbench_ground::stats::log_add_exp(-2000.0, f64::NEG_INFINITY), -2000.0);
/// ```
pub fn log_add_exp(a: f64, b: f64) -> f64 {
    log_sum_exp(&[a, b])
}

/// ln(1 - exp(x)) for x <= 0, accurate at both ends; NaN for x > 0.
///
/// **Source**: Mächler (2012), "Accurately computing log(1 - exp(-|a|))": switch formula at x = -ln 2.
///
/// ```
/// assert!((workbench_ground::stats::log1m_exp(-1e-20) - 1e-20f64.ln()).abs() < 1e-13);
/// ```
pub fn log1m_exp(x: f64) -> f64 {
    if x > 0.0 || x.is_nan() {
        f64::NAN
    } else if x > -std::f64::consts::LN_2 {
        (-x.exp_m1()).ln()
    } else {
        (-x.exp()).ln_1p()
    }
}

/// ln(exp(a) - exp(b)) for a >= b; negative infinity for a = b, NaN for a < b.
///
/// ```
/// let x = workbench_ground::stats::log_diff_exp(1000.0 + 3f64.ln(), 1000.0 + 2f64.ln());
/// assert!((x - 1000.0).abs() < 1e-12);
/// ```
pub fn log_diff_exp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || a < b {
        f64::NAN
    } else if a == b {
        f64::NEG_INFINITY
    } else if a == f64::INFINITY {
        a
    } else {
        a + log1m_exp(b - a)
    }
}

/// A running ln sum exp, for sums too long to hold in memory.
///
/// ```
/// let mut sum = workbench_ground::stats::LogSum::new();
/// for k in 0..1000 {
///     sum.add(-f64::from(k));
/// }
/// assert!((sum.value() + (1.0 - (-1f64).exp()).ln()).abs() < 1e-14);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogSum {
    top: f64,
    scaled: f64,
    count: u64,
}

impl LogSum {
    /// An empty sum, whose logarithm is negative infinity.
    pub fn new() -> LogSum {
        LogSum { top: f64::NEG_INFINITY, scaled: 0.0, count: 0 }
    }

    /// Adds exp(x).
    pub fn add(&mut self, x: f64) {
        self.count += 1;
        if x.is_nan() || self.top.is_nan() {
            self.top = f64::NAN;
        } else if x == f64::INFINITY || self.top == f64::INFINITY {
            self.top = f64::INFINITY;
        } else if x > self.top {
            self.scaled = self.scaled * (self.top - x).exp() + 1.0;
            self.top = x;
        } else if x > f64::NEG_INFINITY {
            self.scaled += (x - self.top).exp();
        }
    }

    /// ln of the sum so far.
    pub fn value(&self) -> f64 {
        if self.top.is_finite() { self.top + self.scaled.ln() } else { self.top }
    }

    /// ln of the mean so far; NaN before the first term.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.value() - (self.count as f64).ln() }
    }

    /// Terms added so far.
    pub fn count(&self) -> u64 {
        self.count
    }
}

impl Default for LogSum {
    fn default() -> LogSum {
        LogSum::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Streams;

    const NEG: f64 = f64::NEG_INFINITY;

    #[test]
    fn small_sums_agree_with_plain_arithmetic() {
        let mut stream = Streams::new(1).stream("logs").unwrap();
        for n in 1..30 {
            let x: Vec<f64> = (0..n).map(|_| 3.0 * stream.normal()).collect();
            let plain = x.iter().map(|v| v.exp()).sum::<f64>();
            assert!((log_sum_exp(&x) - plain.ln()).abs() < 1e-13);
            assert!((log_mean_exp(&x) - (plain / f64::from(n)).ln()).abs() < 1e-13);
            let mut sum = LogSum::new();
            x.iter().for_each(|&v| sum.add(v));
            assert!((sum.value() - plain.ln()).abs() < 1e-13 && sum.count() == n as u64);
            assert!((sum.mean() - log_mean_exp(&x)).abs() < 1e-13);
            // A common shift moves the result by the shift.
            let moved: Vec<f64> = x.iter().map(|v| v - 5000.0).collect();
            assert!((log_sum_exp(&moved) + 5000.0 - plain.ln()).abs() < 1e-11);
        }
    }

    #[test]
    fn a_small_term_beside_a_large_one_is_not_lost() {
        assert_eq!(log_sum_exp(&[0.0, -40.0]), (-40f64).exp());
        assert_eq!(log_add_exp(0.0, -40.0), (-40f64).exp());
    }

    #[test]
    fn zero_infinity_and_nan() {
        assert_eq!(log_sum_exp(&[NEG, NEG]), NEG);
        assert_eq!(log_sum_exp(&[1.0, f64::INFINITY]), f64::INFINITY);
        assert!(log_sum_exp(&[f64::INFINITY, f64::NAN]).is_nan());
        assert!(log_mean_exp(&[]).is_nan());
        let mut sum = LogSum::default();
        assert_eq!(sum.value(), NEG);
        assert!(sum.mean().is_nan());
        sum.add(NEG);
        assert_eq!(sum.value(), NEG);
        sum.add(f64::INFINITY);
        sum.add(2.0);
        assert_eq!(sum.value(), f64::INFINITY);
        sum.add(f64::NAN);
        assert!(sum.value().is_nan());
    }

    #[test]
    fn differences_keep_digits() {
        assert_eq!(log1m_exp(0.0), NEG);
        assert_eq!(log1m_exp(NEG), 0.0);
        assert!(log1m_exp(0.1).is_nan() && log1m_exp(f64::NAN).is_nan());
        assert_eq!(log1m_exp(-50.0), -(-50f64).exp());
        assert!((log_diff_exp(2.0, 1.0) - (2f64.exp() - 1f64.exp()).ln()).abs() < 1e-15);
        assert_eq!(log_diff_exp(3.0, NEG), 3.0);
        assert_eq!(log_diff_exp(NEG, NEG), NEG);
        assert_eq!(log_diff_exp(f64::INFINITY, 1.0), f64::INFINITY);
        assert!(log_diff_exp(1.0, 2.0).is_nan());
    }
}
