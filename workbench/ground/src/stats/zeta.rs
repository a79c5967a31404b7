//! Sums of powers over ranges of integers, finite or infinite, by Euler-Maclaurin.
//!
//! Everything exact about Zipf laws rests on them: normalisers, tails, class energies and unseen mass, also at sizes such as N = 2^60 that
//! nobody can enumerate.

/// Coefficients `B_{2k} / (2k)!` of the Euler-Maclaurin formula, k = 1, 2, ...
const BERNOULLI: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3_617.0 / 10_670_622_842_880_000.0,
];

/// Tail of the zeta series: sum over integers x >= `from` of x^-`alpha`, the Hurwitz zeta function at `from`.
///
/// **Ranges**: `alpha > 1`; infinite for `alpha <= 1` (the series diverges) and for `from = 0` (its first term is infinite);
/// NaN for NaN. Relative error about 1e-14. Cost: at most 24 + 2 alpha powers.
///
/// ```
/// use std::f64::consts::PI;
/// assert!((workbench_ground::stats::zeta_tail(2.0, 1) - PI * PI / 6.0).abs() < 1e-15);
/// ```
#[doc(alias = "Hurwitz zeta")]
pub fn zeta_tail(alpha: f64, from: usize) -> f64 {
    if alpha.is_nan() {
        return f64::NAN;
    }
    if alpha <= 1.0 || from == 0 {
        return f64::INFINITY;
    }
    sum_of_powers(alpha, 0.0, from, None)
}

/// `sum_{x=from}^{to} (x + shift)^-s`, with `to = None` for an infinite sum: the Hurwitz zeta function `zeta(s, from + shift)`.
///
/// **Ranges**, which are not checked: `s >= 0`, above 1 for infinite sums; `from + shift > 0`. An empty range gives 0. Relative error about
/// 1e-14. Cost: at most 24 + 2 s powers.
pub fn sum_of_powers(s: f64, shift: f64, from: usize, to: Option<usize>) -> f64 {
    if to.is_some_and(|to| to < from) {
        return 0.0;
    }
    // Direct terms first: Euler-Maclaurin needs a base well above the exponent.
    let wanted = 24.0 + 2.0 * s - (from as f64 + shift);
    let direct = if wanted > 0.0 { wanted.ceil() as usize } else { 0 };
    let split = from.saturating_add(direct);
    // Of steep powers the first few terms are the sum.
    let (first, reach) = (from as f64 + shift, (46.0 / s).exp_m1());
    if s > 0.0 && first * reach < direct as f64 {
        let most = from.saturating_add((first * reach).ceil() as usize);
        let end = to.map_or(most, |to| most.min(to));
        return (from..=end).rev().map(|x| (x as f64 + shift).powf(-s)).sum();
    }
    let head_end = to.map_or(split, |to| split.min(to.saturating_add(1)));
    // Small terms are added first.
    let head: f64 = (from..head_end).rev().map(|x| (x as f64 + shift).powf(-s)).sum();
    if to.is_some_and(|to| to < split) {
        return head;
    }
    let low = split as f64 + shift;
    let tail = match to {
        None => low.powf(1.0 - s) / (s - 1.0) + 0.5 * low.powf(-s) + corrections(s, low),
        Some(to) => {
            let high = to as f64 + shift;
            integral(s, low, high) + 0.5 * (low.powf(-s) + high.powf(-s)) + corrections(s, low) - corrections(s, high)
        }
    };
    head + tail
}

/// `int_a^b t^-s dt` without cancellation near s = 1.
fn integral(s: f64, a: f64, b: f64) -> f64 {
    let log_ratio = (b / a).ln();
    let z = (1.0 - s) * log_ratio;
    let factor = if z.abs() < 1e-5 { 1.0 + z / 2.0 + z * z / 6.0 } else { z.exp_m1() / z };
    a.powf(1.0 - s) * log_ratio * factor
}

/// The derivative terms of Euler-Maclaurin at the base `a`.
fn corrections(s: f64, a: f64) -> f64 {
    let mut factor = s * a.powf(-s - 1.0);
    let mut total = 0.0;
    for (k, b) in BERNOULLI.iter().enumerate() {
        total += b * factor;
        let order = 2.0 * k as f64 + 1.0;
        factor *= (s + order) * (s + order + 1.0) / (a * a);
    }
    total
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
            close(sum_of_powers(alpha, 0.0, 1, Some(n)), want, 1e-14);
        }
    }

    #[test]
    fn sums_match_a_plain_loop_for_every_small_n() {
        for alpha in [0.0, 0.3, 1.0, 1.0 + 1e-12, 1.5, 2.0, 7.3, 40.0, 300.0] {
            let mut slow = 0.0;
            for n in 1..400usize {
                slow += (n as f64).powf(-alpha);
                close(sum_of_powers(alpha, 0.0, 1, Some(n)), slow, 4e-14);
            }
        }
    }

    #[test]
    fn head_and_tail_make_the_whole() {
        for alpha in [1.01, 1.5, 2.0, 3.3] {
            for n in [1, 10, 25, 1000, 1_000_000] {
                let head = sum_of_powers(alpha, 0.0, 1, Some(n));
                close(head + zeta_tail(alpha, n + 1), zeta_tail(alpha, 1), 1e-14);
            }
        }
    }

    #[test]
    fn edges() {
        assert_eq!(zeta_tail(1.0, 5), f64::INFINITY);
        assert_eq!(zeta_tail(0.5, 5), f64::INFINITY);
        assert_eq!(zeta_tail(2.0, 0), f64::INFINITY);
        assert!(zeta_tail(f64::NAN, 1).is_nan());
        assert_eq!(zeta_tail(f64::INFINITY, 1), 1.0);
        assert_eq!(zeta_tail(1e6, 1), 1.0);
        assert_eq!(zeta_tail(1e6, 2), 0.0);
        assert!(zeta_tail(2.0, usize::MAX) > 0.0);
        assert_eq!(sum_of_powers(1.5, 0.0, 1, Some(0)), 0.0);
    }
}
