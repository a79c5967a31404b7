//! Sums of powers `(x + shift)^-s` over ranges of integers, finite or infinite, by Euler-Maclaurin.
//!
//! Everything exact in this room rests on them: normalisers, tails, class energies and unseen mass of Zipf laws, also at
//! sizes such as N = 2^60 that nobody can enumerate.

use crate::Error;
use crate::data::zipf::not_summable;
use workbench_ground::check::within;

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

/// `sum_{x=from}^{to} (x + shift)^-s`, with `to = None` for an infinite sum.
///
/// **Source**: Euler-Maclaurin summation; the infinite sum is the Hurwitz zeta function `zeta(s, from + shift)`.
///
/// **Units and ranges**: any real `s >= 0` for finite sums, `s > 1` for infinite ones; `from + shift > 0`. Relative error about
/// 1e-14 where the sum does not cancel. An empty range (`to < from`) gives 0.
///
/// **Errors**: [`Error::Parameter`] for a non-finite or negative exponent or a non-positive first term's base,
/// [`Error::Refused`] for an infinite sum with `s <= 1`.
///
/// Cost: a few dozen powers, whatever the range.
///
/// ```
/// use workbench::memory::power_sum;
/// let basel = power_sum(2.0, 0.0, 1, None)?;
/// assert!((basel - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-14);
/// assert_eq!(power_sum(1.0, 0.0, 1, Some(4))?, 1.0 + 0.5 + 1.0 / 3.0 + 0.25);
/// # Ok::<(), workbench::memory::Error>(())
/// ```
#[doc(alias = "Hurwitz zeta")]
pub fn power_sum(s: f64, shift: f64, from: u64, to: Option<u64>) -> Result<f64, Error> {
    const OP: &str = "power_sum";
    within(OP, "s", s, s >= 0.0, "a finite exponent s >= 0")?;
    let first = from as f64 + shift;
    within(OP, "from + shift", first, first > 0.0, "a positive first base")?;
    if to.is_none() && s <= 1.0 {
        return Err(not_summable(OP, s));
    }
    Ok(sum_unchecked(s, shift, from, to))
}

/// The sum without input checks; see [`power_sum`].
pub(crate) fn sum_unchecked(s: f64, shift: f64, from: u64, to: Option<u64>) -> f64 {
    if to.is_some_and(|to| to < from) {
        return 0.0;
    }
    // Direct terms first: Euler-Maclaurin needs a base well above the exponent.
    let wanted = 24.0 + 2.0 * s - (from as f64 + shift);
    let direct = if wanted > 0.0 { wanted.ceil() as u64 } else { 0 };
    let split = from.saturating_add(direct);
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
    let factor = if z.abs() < 1e-5 {
        1.0 + z / 2.0 + z * z / 6.0
    } else {
        z.exp_m1() / z
    };
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

    fn direct(s: f64, shift: f64, from: u64, to: u64) -> f64 {
        (from..=to).rev().map(|x| (x as f64 + shift).powf(-s)).sum()
    }

    #[test]
    fn agrees_with_direct_sums() {
        for s in [0.0, 0.3, 0.5, 1.0, 1.0 + 1e-9, 1.5, 2.0, 7.5, 40.0] {
            for shift in [0.0, 0.4, 3.0] {
                for (from, to) in [(1, 1), (1, 7), (1, 1000), (30, 5000), (90, 100)] {
                    let fast = power_sum(s, shift, from, Some(to)).unwrap();
                    let slow = direct(s, shift, from, to);
                    assert!(
                        (fast / slow - 1.0).abs() < 2e-13,
                        "s {s} shift {shift} [{from},{to}]: {fast} {slow}"
                    );
                }
            }
        }
    }

    #[test]
    fn known_zeta_values() {
        let pi = std::f64::consts::PI;
        assert!((power_sum(4.0, 0.0, 1, None).unwrap() - pi.powi(4) / 90.0).abs() < 1e-14);
        // Apery's constant, OEIS A002117.
        assert!((power_sum(3.0, 0.0, 1, None).unwrap() - 1.202_056_903_159_594_3).abs() < 1e-14);
        // zeta(3/2), OEIS A078434.
        assert!((power_sum(1.5, 0.0, 1, None).unwrap() - 2.612_375_348_685_488).abs() < 1e-13);
        // An infinite sum is a finite one plus its tail.
        let parts = power_sum(1.2, 0.0, 1, Some(999)).unwrap() + power_sum(1.2, 0.0, 1000, None).unwrap();
        assert!((parts - power_sum(1.2, 0.0, 1, None).unwrap()).abs() < 1e-12);
    }

    #[test]
    fn agrees_with_the_statistics_room() {
        for (s, from) in [(1.1, 1), (1.5, 7), (2.0, 1000), (3.0, 123_456)] {
            let other = workbench_ground::stats::zeta_tail(s, from);
            assert!((power_sum(s, 0.0, from, None).unwrap() / other - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(
            power_sum(f64::NAN, 0.0, 1, Some(3)),
            Err(Error::Parameter { .. })
        ));
        assert!(matches!(power_sum(-1.0, 0.0, 1, Some(3)), Err(Error::Parameter { .. })));
        assert!(matches!(power_sum(2.0, -1.0, 1, None), Err(Error::Parameter { .. })));
        assert!(
            matches!(power_sum(1.0, 0.0, 1, None), Err(Error::Refused { problem, .. }) if problem.contains("has no normaliser"))
        );
        assert_eq!(power_sum(2.0, 0.0, 5, Some(4)).unwrap(), 0.0);
    }
}
