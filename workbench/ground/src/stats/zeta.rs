//! Sums of powers: the Hurwitz zeta tail and generalized harmonic numbers, without long loops.
//!
//! Both use the Euler-Maclaurin formula from a point `m >= 20 + |alpha|` on. With 12 correction terms its remainder is below
//! 1e-16 of the term at `m`, because term j + 1 is about ((|alpha| + 2j) / (2 pi m))^2 < 0.04 of term j.

/// B_2j for j = 1..=12 as (numerator, denominator).
const BERNOULLI: [(f64, f64); 12] = [
    (1.0, 6.0),
    (-1.0, 30.0),
    (1.0, 42.0),
    (-1.0, 30.0),
    (5.0, 66.0),
    (-691.0, 2730.0),
    (7.0, 6.0),
    (-3617.0, 510.0),
    (43867.0, 798.0),
    (-174611.0, 330.0),
    (854513.0, 138.0),
    (-236364091.0, 2730.0),
];

/// sum_j B_2j / (2j)! * alpha (alpha + 1) ... (alpha + 2j - 2) * x^(1 - 2j): the end correction in units of x^-alpha.
fn end_correction(alpha: f64, x: f64) -> f64 {
    // `step` is alpha ... (alpha + 2j - 2) / ((2j)! x^(2j - 1)).
    let mut step = alpha / (2.0 * x);
    let mut sum = 0.0;
    for (j, (top, bottom)) in BERNOULLI.iter().enumerate() {
        sum += top / bottom * step;
        let k = 2.0 * (j as f64 + 1.0);
        step *= (alpha + k - 1.0) * (alpha + k) / ((k + 1.0) * (k + 2.0) * x * x);
    }
    sum
}

/// First point at which the Euler-Maclaurin formula is used.
fn start(alpha: f64) -> u64 {
    (20.0 + alpha.abs()).ceil() as u64 // a cast from a float saturates
}

/// Tail of the zeta series: sum over integers x >= `from` of x^-`alpha`, the Hurwitz zeta function at `from`.
///
/// **Ranges**: `alpha > 1`; infinite for `alpha <= 1` (the series diverges) and for `from = 0` (its first term is infinite);
/// NaN for NaN. Relative error about 1e-15. Cost: at most 20 + alpha powers.
///
/// ```
/// use std::f64::consts::PI;
/// assert!((workbench::stats::zeta_tail(2.0, 1) - PI * PI / 6.0).abs() < 1e-15);
/// ```
#[doc(alias = "Hurwitz zeta")]
pub fn zeta_tail(alpha: f64, from: u64) -> f64 {
    if alpha.is_nan() {
        return f64::NAN;
    }
    if alpha <= 1.0 || from == 0 {
        return f64::INFINITY;
    }
    let first = from as f64;
    let m = start(alpha).max(from);
    // In units of the first term, so that a tiny tail keeps its digits.
    let mut sum = 0.0;
    for k in from..m {
        let term = (k as f64 / first).powf(-alpha);
        sum += term;
        if term < 1e-18 {
            return sum * first.powf(-alpha);
        }
    }
    let x = m as f64;
    sum += (x / first).powf(-alpha) * (x / (alpha - 1.0) + 0.5 + end_correction(alpha, x));
    sum * first.powf(-alpha)
}

/// Generalized harmonic number: sum over k = 1..=`n` of k^-`alpha`, for any real `alpha`.
///
/// **Ranges**: any finite `alpha`, also 1, below 1 and negative; 0 for `n = 0`; infinite on overflow; NaN for NaN. Relative error
/// about 1e-15 for alpha >= 0. Cost: at most 20 + |alpha| powers, whatever `n`.
///
/// ```
/// use workbench::stats::harmonic;
/// assert_eq!(harmonic(3, 1.0), 1.0 + 0.5 + 1.0 / 3.0);
/// assert!((harmonic(1_000_000_000, 1.0) - 21.300481502347942).abs() < 1e-13);
/// ```
pub fn harmonic(n: u64, alpha: f64) -> f64 {
    if alpha.is_nan() {
        return f64::NAN;
    }
    if n <= 1 {
        return n as f64;
    }
    let last = n as f64;
    if last.powf(-alpha).is_infinite() {
        return f64::INFINITY; // from here on |alpha| is small enough to loop over
    }
    let m = start(alpha).min(n);
    let mut sum = 0.0;
    for k in 1..m {
        let term = (k as f64).powf(-alpha);
        sum += term;
        if term < 1e-18 {
            return sum;
        }
    }
    let x = m as f64;
    if m == n {
        return sum + x.powf(-alpha);
    }
    let ends =
        x.powf(-alpha) * (0.5 + end_correction(alpha, x)) + last.powf(-alpha) * (0.5 - end_correction(alpha, last));
    sum + (power_integral(x, last, alpha) + ends)
}

/// Integral of t^-alpha from a to b, without cancellation near alpha = 1.
fn power_integral(a: f64, b: f64, alpha: f64) -> f64 {
    let (s, l) = (1.0 - alpha, (b / a).ln());
    if (s * l).abs() > 1.0 {
        (b.powf(s) - a.powf(s)) / s
    } else if s == 0.0 {
        l
    } else {
        a.powf(s) * (s * l).exp_m1() / s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    include!("testdata/zeta.in");

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got:e} against {want:e}");
    }

    /// mpmath values at 40 digits; see `testdata/outside.py`.
    #[test]
    fn tails_match_mpmath() {
        for (alpha, from, want) in ZETA_TAIL {
            close(zeta_tail(alpha, from), want, 1e-14);
        }
        for (n, alpha, want) in HARMONIC {
            close(harmonic(n, alpha), want, 1e-14);
        }
    }

    #[test]
    fn harmonic_matches_a_plain_loop_for_every_small_n() {
        for alpha in [-3.7, -2.0, -0.5, 0.0, 0.3, 1.0, 1.0 + 1e-12, 1.5, 2.0, 7.3, 40.0] {
            let mut slow = 0.0;
            for n in 1..400u64 {
                slow += (n as f64).powf(-alpha);
                close(harmonic(n, alpha), slow, 4e-14);
            }
        }
    }

    #[test]
    fn head_and_tail_make_the_whole() {
        for alpha in [1.01, 1.5, 2.0, 3.3] {
            for n in [1, 10, 25, 1000, 1_000_000] {
                close(harmonic(n, alpha) + zeta_tail(alpha, n + 1), zeta_tail(alpha, 1), 1e-14);
            }
        }
    }

    #[test]
    fn edges() {
        assert_eq!(zeta_tail(1.0, 5), f64::INFINITY);
        assert_eq!(zeta_tail(0.5, 5), f64::INFINITY);
        assert_eq!(zeta_tail(2.0, 0), f64::INFINITY);
        assert!(zeta_tail(f64::NAN, 1).is_nan() && harmonic(5, f64::NAN).is_nan());
        assert_eq!(zeta_tail(f64::INFINITY, 1), 1.0);
        assert_eq!(zeta_tail(1e6, 1), 1.0);
        assert_eq!(zeta_tail(1e6, 2), 0.0);
        assert!(zeta_tail(2.0, u64::MAX) > 0.0);
        assert_eq!(harmonic(0, 1.5), 0.0);
        assert_eq!(harmonic(1, -1e300), 1.0);
        assert_eq!(harmonic(2, -1e300), f64::INFINITY);
        assert_eq!(harmonic(1_000_000_000, 0.0), 1e9);
        assert_eq!(harmonic(5, f64::INFINITY), 1.0);
    }
}
