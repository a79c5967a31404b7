//! Means, quantiles and proportions of independent units, each with an interval.

use super::special::{beta_quantile, binomial_tails};
use super::student::student_quantile;
use super::{CONFIDENCE, Error, Estimate};
use crate::check;

/// Mean of independent values with Student's t interval, at the house confidence.
///
/// x̄ ± t_{n-1} s / sqrt(n).
///
/// **Shapes**: `values` (n), n >= 2. The interval is exact for normal values and good for means of many values of finite
/// variance; for heavy or exponential tails it is too narrow. Equal values give an interval of no width.
///
/// **Errors**: [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`]. Cost O(n).
///
/// ```
/// let m = workbench_ground::stats::mean(&[1.0, 2.0, 3.0, 4.0])?;
/// assert_eq!((m.value, m.n), (2.5, 4));
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn mean(values: &[f64]) -> Result<Estimate, Error> {
    mean_at(values, CONFIDENCE)
}

/// [`mean`] at another confidence in (0, 1).
///
/// **Errors**: as [`mean`], and [`Error::Parameter`] for the confidence.
pub fn mean_at(values: &[f64], confidence: f64) -> Result<Estimate, Error> {
    t_interval("mean", "values", values, confidence)
}

pub(crate) fn t_interval(
    op: &'static str,
    name: &'static str,
    values: &[f64],
    confidence: f64,
) -> Result<Estimate, Error> {
    check::confidence(op, confidence)?;
    check::data(op, name, values, 2)?;
    let (mean, variance) = moments(values);
    let n = values.len() as f64;
    let t = student_quantile(0.5 + 0.5 * confidence, n - 1.0);
    let half = t * (variance / n).sqrt();
    Estimate::new(mean, mean - half, mean + half, values.len() as u64, confidence)
}

/// Mean and sample variance (divisor n - 1), in two passes.
pub(crate) fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    // The second pass over deviations removes the rounding of the first.
    let rough = values.iter().sum::<f64>() / n;
    let mean = rough + values.iter().map(|x| x - rough).sum::<f64>() / n;
    let squares = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    (mean, squares / (n - 1.0))
}

/// The `q` quantile of independent values with a distribution-free interval, at the house confidence.
///
/// The value interpolates between order statistics at (n - 1) q (the default of NumPy and R). The interval runs from the l-th to
/// the u-th smallest value with P(B < l) <= a/2 and P(B >= u) <= a/2 for B ~ Binomial(n, q), a = 1 - confidence.
///
/// **Ranges**: q in (0, 1). The median at 99.9 % needs 11 values, the 0.9 quantile 73.
///
/// **Errors**: [`Error::Parameter`] for q; [`Error::TooFew`] if no order statistics reach the confidence, with the number that do;
/// [`Error::Empty`], [`Error::NotFinite`]. Cost O(n log n).
///
/// ```
/// let values: Vec<f64> = (1..=101).map(f64::from).collect();
/// let median = workbench_ground::stats::quantile(&values, 0.5)?;
/// assert_eq!((median.value, median.low, median.high), (51.0, 34.0, 68.0));
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn quantile(values: &[f64], q: f64) -> Result<Estimate, Error> {
    quantile_at(values, q, CONFIDENCE)
}

/// The median with its interval: [`quantile`] at q = 1/2.
///
/// **Errors**: as [`quantile`].
pub fn median(values: &[f64]) -> Result<Estimate, Error> {
    quantile_at(values, 0.5, CONFIDENCE)
}

/// [`quantile`] at another confidence in (0, 1).
///
/// **Errors**: as [`quantile`], and [`Error::Parameter`] for the confidence.
pub fn quantile_at(values: &[f64], q: f64, confidence: f64) -> Result<Estimate, Error> {
    let op = "quantile";
    check::confidence(op, confidence)?;
    check::within(op, "q", q, q > 0.0 && q < 1.0, "a number inside (0, 1)")?;
    check::data(op, "values", values, 1)?;
    let alpha = 1.0 - confidence;
    let n = values.len();
    let needed = units_for_quantile(q, alpha);
    if (n as f64) < needed {
        // A q so near 0 or 1 that the count does not fit is capped, not wrapped.
        let (found, needed) = (values.len(), needed as usize);
        return Err(Error::too_few(op, "values", found, needed, check::MORE_DATA));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // 1-based ranks. l - 1 is the largest k with P(B <= k) <= alpha / 2; u the smallest k with P(B >= k) <= alpha / 2.
    let below = first_rank(n, |k| binomial_tails(k, n, q).0 > 0.5 * alpha);
    let low = below.clamp(1, n);
    let high = (first_rank(n, |k| binomial_tails(k, n, q).1 <= 0.5 * alpha) + 1).clamp(low, n);
    let at = (n - 1) as f64 * q;
    let (k, part) = (at.floor() as usize, at - at.floor());
    let next = sorted[(k + 1).min(sorted.len() - 1)];
    let value = sorted[k] + part * (next - sorted[k]);
    let (low, high) = (sorted[low - 1], sorted[high - 1]);
    Estimate::new(value.clamp(low, high), low, high, n as u64, confidence)
}

/// Smallest k in 0..=n at which a predicate that turns true once is true; n if it never is.
fn first_rank(n: usize, is_true: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let mid = low + (high - low) / 2;
        if is_true(mid) { high = mid } else { low = mid + 1 }
    }
    low
}

/// Values needed so that both ends exist: q^n <= alpha / 2 and (1 - q)^n <= alpha / 2.
fn units_for_quantile(q: f64, alpha: f64) -> f64 {
    let ln_half = (0.5 * alpha).ln();
    (ln_half / q.ln()).max(ln_half / (-q).ln_1p()).ceil()
}

/// A success probability with the exact (Clopper-Pearson) interval, at the house confidence.
///
/// low solves P(B >= k) = a/2 and high solves P(B <= k) = a/2 for B ~ Binomial(n, p): coverage is at least nominal.
///
/// **Errors**: [`Error::Empty`] for n = 0, [`Error::Refused`] if `successes > n`. Cost O(sqrt(n)).
///
/// ```
/// let p = workbench_ground::stats::proportion(0, 1000)?;
/// assert_eq!((p.value, p.low), (0.0, 0.0));
/// assert!((p.high - (1.0 - 0.0005f64.powf(1e-3))).abs() < 1e-12);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn proportion(successes: usize, n: usize) -> Result<Estimate, Error> {
    proportion_at(successes, n, CONFIDENCE)
}

/// [`proportion`] at another confidence in (0, 1).
///
/// **Errors**: as [`proportion`], and [`Error::Parameter`] for the confidence.
pub fn proportion_at(successes: usize, n: usize, confidence: f64) -> Result<Estimate, Error> {
    check::confidence("proportion", confidence)?;
    if n == 0 {
        let next = "pass at least one value";
        return Err(Error::empty("proportion", "the list of trials", next));
    }
    if successes > n {
        let problem = format!("{successes} successes in {n} trials");
        let next = "check the order of the arguments (successes, n)";
        return Err(Error::refused("proportion", problem, next));
    }
    let tail = 0.5 * (1.0 - confidence);
    let lower = |k: usize| {
        if k == 0 { 0.0 } else { beta_quantile(tail, k as f64, (n - k) as f64 + 1.0) }
    };
    let value = successes as f64 / n as f64;
    Estimate::new(value, lower(successes), 1.0 - lower(n - successes), n as u64, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Streams;

    include!("testdata/means.in");

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got} against {want}");
    }

    /// SciPy, NumPy and statsmodels values; see `testdata/outside.py`.
    #[test]
    fn match_outside_values() {
        let m = mean(&SAMPLE).unwrap();
        close(m.value, MEAN[0].0, 1e-14);
        close(m.low, MEAN[0].1, 1e-12);
        close(m.high, MEAN[0].2, 1e-12);
        for (q, want) in QUANTILES {
            close(quantile_at(&SAMPLE, q, 0.2).unwrap().value, want, 1e-14);
        }
        for (k, n, low, high) in PROPORTIONS {
            let p = proportion(k, n).unwrap();
            close(p.low, low, 1e-8);
            close(p.high, high, 1e-8);
        }
    }

    #[test]
    fn exact_small_cases() {
        let two = mean_at(&[0.0, 2.0], 0.5).unwrap();
        close(two.half_width(), 1.0, 1e-12); // t with 1 degree of freedom at 0.75 is 1, s / sqrt 2 = 1
        let flat = mean(&[3.0; 5]).unwrap();
        assert_eq!((flat.low, flat.high), (3.0, 3.0));
        // n = 11: P(B = 0) = 2^-11 <= 0.0005 < P(B <= 1), so the interval is [min, max].
        let values: Vec<f64> = (0..11).rev().map(f64::from).collect();
        let m = median(&values).unwrap();
        assert_eq!((m.low, m.value, m.high, m.n), (0.0, 5.0, 10.0, 11));
        assert!(matches!(median(&values[..10]), Err(Error::TooFew { op: "quantile", found: 10, needed: 11, .. })));
        // One observed success in one trial at 50 %: p^1 = 0.25.
        close(proportion_at(1, 1, 0.5).unwrap().low, 0.25, 1e-14);
        // Far from zero the spread survives: s = 1, t with 2 degrees of freedom at 0.75 is sqrt(2 / 3).
        close(
            mean_at(&[1e9, 1e9 + 1.0, 1e9 + 2.0], 0.5).unwrap().half_width(),
            0.816_496_580_927_726 / 3f64.sqrt(),
            3e-7,
        ); // ends near 1e9 are 1e-7 apart
    }

    #[test]
    fn the_order_statistics_reach_their_coverage_by_direct_summation() {
        for n in [15usize, 40, 100] {
            for q in [0.3, 0.5, 0.62] {
                let values: Vec<f64> = (1..=n).map(|k| k as f64).collect();
                let e = quantile_at(&values, q, 0.95).unwrap();
                let (l, u) = (e.low as usize, e.high as usize);
                let mut pmf = (1.0 - q).powi(n as i32);
                let (mut below, mut above) = (0.0, 0.0);
                let (mut next_below, mut next_above) = (0.0, 0.0);
                for k in 0..=n {
                    below += if k < l { pmf } else { 0.0 };
                    above += if k >= u { pmf } else { 0.0 };
                    next_below += if k < l + 1 { pmf } else { 0.0 };
                    next_above += if k >= u - 1 { pmf } else { 0.0 };
                    pmf *= (n - k) as f64 / (k + 1) as f64 * q / (1.0 - q);
                }
                assert!(below <= 0.025 && above <= 0.025, "n {n} q {q}: {below} {above}");
                assert!(next_below > 0.025 && next_above > 0.025, "no narrower interval does: n {n} q {q}");
            }
        }
    }

    #[test]
    fn intervals_cover_as_often_as_they_say() {
        // 4000 experiments at 99 %: misses are Binomial(4000, 0.01), 40 +- 6.3; five standard deviations allow 8..=72.
        let mut stream = Streams::new(11).stream("coverage").unwrap();
        let (mut mean_misses, mut quantile_misses, mut proportion_misses) = (0, 0, 0);
        let q80 = crate::stats::normal_quantile(0.8);
        for _ in 0..4000 {
            let x: Vec<f64> = (0..40).map(|_| stream.normal()).collect();
            mean_misses += usize::from(!mean_at(&x[..6], 0.99).unwrap().contains(0.0));
            quantile_misses += usize::from(!quantile_at(&x, 0.8, 0.99).unwrap().contains(q80));
            let hits = x.iter().filter(|&&v| v < q80).count();
            proportion_misses += usize::from(!proportion_at(hits, 40, 0.99).unwrap().contains(0.8));
        }
        assert!((8..=72).contains(&mean_misses), "{mean_misses}");
        // Conservative by construction: only the upper bound binds.
        assert!((1..=72).contains(&quantile_misses), "{quantile_misses}");
        assert!((1..=72).contains(&proportion_misses), "{proportion_misses}");
    }

    #[test]
    fn bad_input_is_refused() {
        assert!(matches!(mean(&[]), Err(Error::Empty { op: "mean", .. })));
        assert!(matches!(mean(&[1.0]), Err(Error::TooFew { needed: 2, .. })));
        assert!(matches!(mean(&[1.0, f64::NAN]), Err(Error::NotFinite { at, .. }) if at == [1]));
        assert!(
            matches!(mean(&[f64::MAX, -f64::MAX, f64::MAX]), Err(Error::Refused { op: "estimate", .. })),
            "overflow"
        );
        assert!(matches!(quantile(&[], 0.5), Err(Error::Empty { op: "quantile", .. })));
        for q in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(matches!(quantile(&[1.0; 50], q), Err(Error::Parameter { name: "q", .. })));
        }
        assert!(matches!(quantile(&[1.0; 50], 1e-300), Err(Error::TooFew { .. })));
        assert!(matches!(proportion(0, 0), Err(Error::Empty { op: "proportion", .. })));
        let swapped = proportion(3, 2).unwrap_err().to_string();
        assert!(swapped.contains("3 successes in 2 trials"), "{swapped}");
        for c in [0.0, 1.0, 2.0, f64::NAN] {
            assert!(matches!(mean_at(&[1.0, 2.0], c), Err(Error::Parameter { name: "confidence", .. })));
            assert!(matches!(quantile_at(&[1.0; 50], 0.5, c), Err(Error::Parameter { name: "confidence", .. })));
            assert!(matches!(proportion_at(1, 2, c), Err(Error::Parameter { name: "confidence", .. })));
        }
    }
}
