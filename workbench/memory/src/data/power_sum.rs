//! Sums of powers $(x+\mathrm{shift})^{-s}$ over ranges of integers, finite or infinite, with their ranges checked.

use crate::data::zipf::not_summable;
use workbench_ground::Error;
use workbench_ground::check::within;
use workbench_ground::stats::sum_of_powers;

/// $\sum_{x=\mathrm{from}}^{\mathrm{to}}(x+\mathrm{shift})^{-s}$, with `to = None` for an infinite sum.
///
/// **Source**: Euler-Maclaurin summation; the infinite sum is the Hurwitz zeta function $\zeta(s,\mathrm{from}+\mathrm{shift})$.
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
/// use workbench_memory::power_sum;
/// let basel = power_sum(2.0, 0.0, 1, None)?;
/// assert!((basel - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-14);
/// assert_eq!(power_sum(1.0, 0.0, 1, Some(4))?, 1.0 + 0.5 + 1.0 / 3.0 + 0.25);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[doc(alias = "Hurwitz zeta")]
pub fn power_sum(s: f64, shift: f64, from: usize, to: Option<usize>) -> Result<f64, Error> {
    const OP: &str = "power_sum";
    within(OP, "s", s, s >= 0.0, "a finite exponent s >= 0")?;
    let first = from as f64 + shift;
    within(OP, "from + shift", first, first > 0.0, "a positive first base")?;
    if to.is_none() && s <= 1.0 {
        return Err(not_summable(OP, s));
    }
    Ok(sum_of_powers(s, shift, from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direct(s: f64, shift: f64, from: usize, to: usize) -> f64 {
        (from..=to).rev().map(|x| (x as f64 + shift).powf(-s)).sum()
    }

    #[test]
    fn agrees_with_direct_sums() {
        for s in [0.0, 0.3, 0.5, 1.0, 1.0 + 1e-9, 1.5, 2.0, 7.5, 40.0] {
            for shift in [0.0, 0.4, 3.0] {
                for (from, to) in [(1, 1), (1, 7), (1, 1000), (30, 5000), (90, 100)] {
                    let fast = power_sum(s, shift, from, Some(to)).unwrap();
                    let slow = direct(s, shift, from, to);
                    assert!((fast / slow - 1.0).abs() < 2e-13, "s {s} shift {shift} [{from},{to}]: {fast} {slow}");
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
    fn refuses_bad_input() {
        assert!(matches!(power_sum(f64::NAN, 0.0, 1, Some(3)), Err(Error::Parameter { .. })));
        assert!(matches!(power_sum(-1.0, 0.0, 1, Some(3)), Err(Error::Parameter { .. })));
        assert!(matches!(power_sum(2.0, -1.0, 1, None), Err(Error::Parameter { .. })));
        assert!(
            matches!(power_sum(1.0, 0.0, 1, None), Err(Error::Refused { problem, .. }) if problem.contains("has no normaliser"))
        );
        assert_eq!(power_sum(2.0, 0.0, 5, Some(4)).unwrap(), 0.0);
    }
}
