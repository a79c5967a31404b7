//! Comparisons of two methods, paired (the same problems or seeds) and unpaired.

use super::means::{moments, t_interval};
use super::special::{binomial_tails, normal_cdf, student_quantile};
use super::{CONFIDENCE, Error, Estimate};
use crate::check;

/// Result of a test of "no difference".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// What the test counts: pairs with a > b (sign test), or the rank sum of those pairs (Wilcoxon).
    pub statistic: f64,
    /// Two-sided probability of a statistic at least as far out if there is no difference.
    pub p_value: f64,
    /// Pairs that differ; the others carry no information and are dropped.
    pub n: u64,
}

/// Mean of a - b over pairs with Student's t interval, at the house confidence.
///
/// **Shapes**: a, b (n), n >= 2; `a[i]` and `b[i]` belong to the same unit. What the units share cancels.
///
/// **Errors** [`Error::Shape`], [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`]. Cost O(n).
///
/// ```
/// let d = workbench::stats::paired_difference(&[10.0, 20.0, 30.0], &[9.0, 19.0, 29.0])?;
/// assert_eq!((d.value, d.low, d.high), (1.0, 1.0, 1.0));
/// # Ok::<(), workbench::stats::Error>(())
/// ```
pub fn paired_difference(a: &[f64], b: &[f64]) -> Result<Estimate, Error> {
    paired_difference_at(a, b, CONFIDENCE)
}

/// [`paired_difference`] at another confidence in (0, 1).
///
/// **Errors** as [`paired_difference`], and [`Error::Parameter`] for the confidence.
pub fn paired_difference_at(a: &[f64], b: &[f64], confidence: f64) -> Result<Estimate, Error> {
    let op = "paired_difference";
    let differences = differences(op, a, b)?;
    t_interval(op, "a - b", &differences, confidence)
}

fn differences(op: &'static str, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Error> {
    check::same(op, ("a", a.len()), ("b", b.len()))?;
    check::data(op, "a", a, 1)?;
    check::data(op, "b", b, 1)?;
    Ok(a.iter().zip(b).map(|(a, b)| a - b).collect())
}

/// Difference of the means of two independent samples, mean(a) - mean(b), with Welch's t interval, at the house confidence.
///
/// The degrees of freedom are those of Welch and Satterthwaite; variances and sizes may differ.
///
/// **Shapes**: a (m), b (n), both at least 2. `n` of the result is the smaller size.
///
/// **Errors** [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`]. Cost O(m + n).
///
/// ```
/// let d = workbench::stats::difference(&[1.0, 2.0, 3.0], &[1.0, 1.0])?;
/// assert_eq!((d.value, d.n), (1.0, 2));
/// # Ok::<(), workbench::stats::Error>(())
/// ```
pub fn difference(a: &[f64], b: &[f64]) -> Result<Estimate, Error> {
    difference_at(a, b, CONFIDENCE)
}

/// [`difference`] at another confidence in (0, 1).
///
/// **Errors** as [`difference`], and [`Error::Parameter`] for the confidence.
pub fn difference_at(a: &[f64], b: &[f64], confidence: f64) -> Result<Estimate, Error> {
    let op = "difference";
    check::confidence(op, confidence)?;
    check::data(op, "a", a, 2)?;
    check::data(op, "b", b, 2)?;
    let (m, n) = (a.len() as f64, b.len() as f64);
    let ((mean_a, var_a), (mean_b, var_b)) = (moments(a), moments(b));
    let (part_a, part_b) = (var_a / m, var_b / n);
    let variance = part_a + part_b;
    let half = if variance == 0.0 {
        0.0
    } else {
        // Shares of the variance, so that squares of tiny variances do not vanish.
        let (share_a, share_b) = (part_a / variance, part_b / variance);
        let dof = 1.0 / (share_a * share_a / (m - 1.0) + share_b * share_b / (n - 1.0));
        student_quantile(0.5 + 0.5 * confidence, dof) * variance.sqrt()
    };
    let value = mean_a - mean_b;
    Estimate::new(
        value,
        value - half,
        value + half,
        a.len().min(b.len()) as u64,
        confidence,
    )
}

/// Sign test: is a > b as often as a < b? Assumes only that pairs are independent.
///
/// p = min(1, 2 min(P(B <= k), P(B >= k))), B ~ Binomial(n, 1/2), over the n pairs that differ, k of them with a > b.
///
/// **Errors** [`Error::Shape`], [`Error::Empty`], [`Error::NotFinite`]; [`Error::TooFew`] if no pair differs.
///
/// ```
/// let t = workbench::stats::sign_test(&[1.0; 10], &[0.0; 10])?;
/// assert!((t.p_value - 2.0 / 1024.0).abs() < 1e-15);
/// # Ok::<(), workbench::stats::Error>(())
/// ```
pub fn sign_test(a: &[f64], b: &[f64]) -> Result<Test, Error> {
    let d = differing("sign_test", a, b)?;
    let n = d.len() as u64;
    let above = d.iter().filter(|&&v| v > 0.0).count() as u64;
    let fewer = above.min(n - above);
    let p_value = (2.0 * binomial_tails(fewer, n, 0.5).0).min(1.0);
    Ok(Test {
        statistic: above as f64,
        p_value,
        n,
    })
}

fn differing(op: &'static str, a: &[f64], b: &[f64]) -> Result<Vec<f64>, Error> {
    let mut d = differences(op, a, b)?;
    d.retain(|&v| v != 0.0);
    if d.is_empty() {
        return Err(Error::too_few(op, "pairs that differ", 0, 1, check::MORE_DATA));
    }
    Ok(d)
}

/// Pairs up to which the Wilcoxon distribution is enumerated.
const EXACT_PAIRS: usize = 200;

/// Wilcoxon signed-rank test: are the differences a - b symmetric about zero?
///
/// The statistic is the sum of the ranks of |a - b| over pairs with a > b, ties sharing their mean rank. Up to 200 differing pairs the
/// null distribution given the ties is exact; beyond, normal with the tie and continuity
/// corrections, which gives a p up to 15 % too large near p = 1e-4.
///
/// **Errors** as [`sign_test`]. Cost O(n^3) up to 200 pairs, O(n log n) beyond.
///
/// ```
/// // Five pairs, all with a > b: 2 of the 32 sign patterns are as extreme.
/// let t = workbench::stats::wilcoxon(&[1.0, 2.0, 3.0, 4.0, 5.0], &[0.0; 5])?;
/// assert_eq!((t.statistic, t.p_value), (15.0, 2.0 / 32.0));
/// # Ok::<(), workbench::stats::Error>(())
/// ```
pub fn wilcoxon(a: &[f64], b: &[f64]) -> Result<Test, Error> {
    let mut d = differing("wilcoxon", a, b)?;
    d.sort_by(|x, y| x.abs().total_cmp(&y.abs()));
    let ranks = doubled_ranks(&d);
    let plus: usize = d.iter().zip(&ranks).filter(|(v, _)| **v > 0.0).map(|(_, r)| r).sum();
    let total: usize = ranks.iter().sum();
    let smaller = plus.min(total - plus);
    let p_value = if d.len() <= EXACT_PAIRS {
        exact_p(&ranks, smaller)
    } else {
        normal_p(&ranks, smaller)
    };
    Ok(Test {
        statistic: 0.5 * plus as f64,
        p_value: p_value.min(1.0),
        n: d.len() as u64,
    })
}

/// Twice the mean rank of each |d|, for d sorted by |d|; doubling keeps shared ranks whole.
fn doubled_ranks(d: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(d.len());
    for tied in d.chunk_by(|x, y| x.abs() == y.abs()) {
        let before = ranks.len();
        ranks.extend(std::iter::repeat_n(2 * before + tied.len() + 1, tied.len()));
    }
    ranks
}

/// 2 P(W <= smaller), by adding one pair at a time with sign probability 1/2.
fn exact_p(ranks: &[usize], smaller: usize) -> f64 {
    let mut probability = vec![0.0; ranks.iter().sum::<usize>() + 1];
    probability[0] = 1.0;
    let mut top = 0;
    for &rank in ranks {
        top += rank;
        for w in (0..=top).rev() {
            let from = if w >= rank { probability[w - rank] } else { 0.0 };
            probability[w] = 0.5 * (probability[w] + from);
        }
    }
    2.0 * probability[..=smaller].iter().sum::<f64>()
}

/// 2 P(W <= smaller) by the normal limit: variance sum r^2 / 4 (ties included), half a rank of continuity.
fn normal_p(ranks: &[usize], smaller: usize) -> f64 {
    let mean = 0.25 * ranks.iter().sum::<usize>() as f64;
    let sd = ranks.iter().map(|&r| (0.5 * r as f64).powi(2)).sum::<f64>().sqrt() / 2.0;
    2.0 * normal_cdf((0.5 * smaller as f64 + 0.5 - mean) / sd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Streams;

    include!("testdata/paired.in");

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got} against {want}");
    }

    /// SciPy values and full enumeration; see `testdata/outside.py`.
    #[test]
    fn match_outside_values() {
        let d = paired_difference(&A, &B).unwrap();
        close(d.value, PAIRED[0].0, 1e-12);
        close(d.low, PAIRED[0].1, 1e-11);
        close(d.high, PAIRED[0].2, 1e-11);
        let d = difference(&A, &BIG[..9]).unwrap();
        close(d.value, WELCH[0].0, 1e-12);
        close(d.low, WELCH[0].1, 1e-11);
        close(d.high, WELCH[0].2, 1e-11);
        close(sign_test(&A, &B).unwrap().p_value, SIGN, 1e-12);
        let zeros = [0.0; 12];
        let t = wilcoxon(&DIFFERENCES, &zeros).unwrap();
        close(t.statistic, WILCOXON[0].0, 1e-14);
        close(t.p_value, WILCOXON[0].1, 1e-12);
        let t = wilcoxon(&TIES_A, &TIES_B).unwrap();
        close(t.statistic, WILCOXON[1].0, 1e-14);
        close(t.p_value, WILCOXON[1].1, 1e-12);
        assert_eq!(t.n, 8, "one pair is equal");
        close(wilcoxon(&BIG, &[0.0; 400]).unwrap().p_value, WILCOXON[2].1, 1e-10);
    }

    #[test]
    fn swapping_the_sides_keeps_p_and_flips_the_difference() {
        let mut s = Streams::new(1).stream("swap").unwrap();
        let a: Vec<f64> = (0..30).map(|_| s.normal()).collect();
        let b: Vec<f64> = (0..30).map(|_| s.normal() + 0.5).collect();
        close(
            wilcoxon(&a, &b).unwrap().p_value,
            wilcoxon(&b, &a).unwrap().p_value,
            1e-14,
        );
        close(
            sign_test(&a, &b).unwrap().p_value,
            sign_test(&b, &a).unwrap().p_value,
            1e-14,
        );
        let (x, y) = (paired_difference(&a, &b).unwrap(), paired_difference(&b, &a).unwrap());
        close(x.low, -y.high, 1e-14);
    }

    #[test]
    fn exact_and_normal_wilcoxon_meet_at_the_border() {
        let ranks: Vec<usize> = (1..=200).map(|r| 2 * r).collect();
        // The excess kurtosis, -3.6 / n, makes the normal p too large: by 12 % at p = 2e-4, by less further in.
        for (smaller, relative) in [(14_000, 0.15), (16_000, 0.02), (19_000, 0.002)] {
            let (normal, exact) = (normal_p(&ranks, smaller), exact_p(&ranks, smaller));
            close(normal, exact, relative);
            assert!(smaller > 14_000 || normal > exact, "errs on the careful side");
        }
    }

    #[test]
    fn p_values_are_not_too_small_without_a_difference() {
        // 3000 tests of 12 pairs: P(p <= 0.05) <= 0.05, so at most 150 + 5 * 12.
        let mut s = Streams::new(4).stream("null").unwrap();
        let zeros = [0.0; 12];
        let (mut sign, mut rank) = (0, 0);
        for _ in 0..3000 {
            let d: Vec<f64> = (0..12).map(|_| s.normal()).collect();
            sign += usize::from(sign_test(&d, &zeros).unwrap().p_value <= 0.05);
            rank += usize::from(wilcoxon(&d, &zeros).unwrap().p_value <= 0.05);
        }
        assert!(
            (20..=210).contains(&sign) && (60..=210).contains(&rank),
            "{sign} {rank}"
        );
    }

    #[test]
    fn bad_input_is_refused() {
        let bad = [1.0, f64::NAN];
        for test in [sign_test, wilcoxon] {
            assert!(matches!(
                test(&[1.0], &[1.0, 2.0]),
                Err(Error::Shape { left, right, .. }) if left == [1] && right == [2]
            ));
            assert!(matches!(test(&[], &[]), Err(Error::Empty { .. })));
            assert!(matches!(
                test(&bad, &[0.0; 2]),
                Err(Error::NotFinite { name: "a", at, .. }) if at == [1]
            ));
            assert!(matches!(test(&[0.0; 2], &bad), Err(Error::NotFinite { name: "b", .. })));
            assert!(matches!(
                test(&[1.0; 3], &[1.0; 3]),
                Err(Error::TooFew { found: 0, .. })
            ));
        }
        assert!(matches!(paired_difference(&[1.0], &[2.0]), Err(Error::TooFew { .. })));
        assert!(matches!(
            paired_difference(&[1.0, 2.0], &[2.0]),
            Err(Error::Shape { .. })
        ));
        assert!(matches!(paired_difference(&[], &[]), Err(Error::Empty { .. })));
        assert!(matches!(
            paired_difference(&bad, &[0.0; 2]),
            Err(Error::NotFinite { .. })
        ));
        assert!(matches!(
            paired_difference_at(&[1.0, 2.0], &[0.0; 2], 1.0),
            Err(Error::Parameter { name: "confidence", .. })
        ));
        assert!(matches!(difference(&[1.0], &[1.0, 2.0]), Err(Error::TooFew { .. })));
        assert!(matches!(difference(&[1.0, 2.0], &[]), Err(Error::Empty { .. })));
        assert!(matches!(
            difference(&bad, &[1.0, 2.0]),
            Err(Error::NotFinite { name: "a", .. })
        ));
        assert!(matches!(
            difference_at(&[1.0, 2.0], &[1.0, 2.0], f64::NAN),
            Err(Error::Parameter { name: "confidence", .. })
        ));
        assert_eq!(difference(&[2.0; 3], &[1.0; 4]).unwrap().half_width(), 0.0);
        let huge = paired_difference(&[f64::MAX, 0.0], &[-f64::MAX, 0.0]);
        assert!(matches!(huge, Err(Error::NotFinite { name: "a - b", .. })));
    }
}
