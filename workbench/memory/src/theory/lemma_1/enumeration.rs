//! Small cases by listing everything: all samples of a data set, all count vectors, every set that a threshold can keep.

use crate::data::zipf::too_many_inputs;
use crate::store::scheme::TieBreak;
use crate::store::scheme::{bad_weights, check_threshold};
use statrs::function::factorial::ln_factorial;
use std::collections::BTreeMap;
use workbench_ground::Error;
use workbench_ground::check::positive;
use workbench_ground::work;

/// Samples or count vectors that are listed at most.
const MOST: usize = 20_000_000;
/// Factorials whose logarithms are looked up.
const LISTED: usize = 1000;

/// The error of a memory that knows what it has seen, over all $N^T$ samples, as fractions with one denominator.
///
/// **Source**: proof of Lemma 1, first display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnseenFraction {
    /// Sum over all samples of their probability times the mass that they do not show.
    pub enumerated: u128,
    /// $\sum_xp(x)(1-p(x))^T$.
    pub formula: u128,
    /// As `enumerated`, for a memory that answers unseen inputs with a default class.
    pub with_default: u128,
    /// The denominator $K^{T+1}$ of all three, K the sum of the weights.
    pub denominator: u128,
}

/// Lists every sample of length `t` from $p(x)=w_x/\sum_{x'}w_{x'}$ with $w$ = `weights`, in integers.
///
/// `in_default[x]` says whether x belongs to the default class of the third number.
///
/// **Source**: proof of Lemma 1, first display.
///
/// **Errors**: no weights, weights that are all zero, lengths that differ, more than 2 * 10^7 samples, numbers beyond 128 bits.
///
/// ```
/// use workbench_memory::unseen_by_enumeration;
/// let f = unseen_by_enumeration(&[2, 1], &[true, false], 3)?;
/// assert_eq!((f.enumerated, f.formula, f.with_default, f.denominator), (10, 10, 8, 81));
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn unseen_by_enumeration(weights: &[usize], in_default: &[bool], t: u32) -> Result<UnseenFraction, Error> {
    const OP: &str = "unseen_by_enumeration";
    let n = weights.len();
    positive(OP, "N (weights)", n)?;
    crate::store::associative_memory::same_length(OP, "in_default", in_default.len(), n)?;
    let total: u128 = weights.iter().map(|&w| w as u128).sum();
    if total == 0 {
        return Err(bad_weights(OP, "are all zero"));
    }
    let too_large = || {
        let allowed = "a length for which N^T <= 2e7 and (sum of weights)^(T + 1) < 2^127";
        Error::parameter(OP, "T (sample length)", f64::from(t), allowed)
    };
    let samples = n.checked_pow(t).filter(|&s| s <= MOST).ok_or_else(too_large)?;
    let denominator = total.checked_pow(t + 1).filter(|&d| d < 1 << 127).ok_or_else(too_large)?;
    let (mut enumerated, mut with_default) = (0u128, 0u128);
    for code in 0..samples {
        if code.is_multiple_of(65_536) {
            work::check(OP, code, samples)?;
        }
        let (mut rest, mut seen, mut probability) = (code, 0u64, 1u128);
        for _ in 0..t {
            let x = rest % n;
            rest /= n;
            seen |= 1 << x;
            probability *= weights[x] as u128;
        }
        for (x, &w) in weights.iter().enumerate().filter(|(x, _)| seen >> x & 1 == 0) {
            enumerated += probability * w as u128;
            if !in_default[x] {
                with_default += probability * w as u128;
            }
        }
    }
    let formula = weights.iter().map(|&w| w as u128 * (total - w as u128).pow(t)).sum();
    Ok(UnseenFraction { enumerated, formula, with_default, denominator })
}

/// The law of the stored set $\mathrm{top}_P$ of Eq. 5: each set of ranks with its probability, the most probable first.
///
/// Unseen inputs are not stored, so a set can be smaller than P. Every vector of counts is listed with its multinomial probability.
///
/// **Source**: Eq. 5.
///
/// **Shapes**: `p` has one probability per rank, summing to one.
///
/// **Errors**: zero sizes, probabilities that are negative or do not sum to one, P beyond N, too many count vectors.
///
/// ```
/// use workbench_memory::{TieBreak, top_set_law};
/// // Two inputs, one sample: the set is the input seen.
/// let law = top_set_law(&[0.75, 0.25], 1, 1, TieBreak::Frequent)?;
/// assert_eq!(law, vec![(vec![1], 0.75), (vec![2], 0.25)]);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn top_set_law(p: &[f64], t: usize, threshold: usize, ties: TieBreak) -> Result<Vec<(Vec<usize>, f64)>, Error> {
    const OP: &str = "top_set_law";
    let n = p.len();
    for (name, value) in [("N (inputs)", n), ("T (number of samples)", t), ("threshold (P)", threshold)] {
        positive(OP, name, value)?;
    }
    check_threshold(OP, threshold, n)?;
    let sum: f64 = p.iter().sum();
    if p.iter().any(|&p| p.is_nan() || p < 0.0) || (sum - 1.0).abs() > 1e-9 {
        return Err(Error::parameter(OP, "sum of p", sum, "probabilities that sum to one"));
    }
    // C(T + N - 1, N - 1) count vectors.
    let vectors = (1..n).fold(1.0, |c, k| c * (t + k) as f64 / k as f64);
    if vectors > MOST as f64 || n > 64 {
        return Err(too_many_inputs(OP, n, 64));
    }
    let logs: Vec<f64> = p.iter().map(|p| p.ln()).collect();
    // Asked for N times by each of millions of vectors.
    let small: Vec<f64> = (0..=t.min(LISTED) as u64).map(ln_factorial).collect();
    let ln_factorial = |c: usize| small.get(c).copied().unwrap_or_else(|| ln_factorial(c as u64));
    let mut sets: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    let mut counts = vec![0usize; n];
    counts[n - 1] = t;
    let mut done = 0usize;
    loop {
        if done.is_multiple_of(65_536) {
            work::check(OP, done, vectors as usize)?;
        }
        done += 1;
        let mut log = ln_factorial(t);
        for (&c, &l) in counts.iter().zip(&logs).filter(|(c, _)| **c > 0) {
            log += c as f64 * l - ln_factorial(c);
        }
        if log > f64::NEG_INFINITY {
            *sets.entry(top_set(&counts, threshold, ties)).or_default() += log.exp();
        }
        // The next composition of t: move one unit left from the first nonzero entry beyond the front, the rest to the end.
        let Some(i) = (0..n - 1).rev().find(|&i| counts[i + 1..].iter().any(|&c| c > 0)) else {
            break;
        };
        counts[i] += 1;
        let used: usize = counts[..=i].iter().sum();
        counts[i + 1..].fill(0);
        counts[n - 1] = t - used;
    }
    let mut list: Vec<(Vec<usize>, f64)> = sets.into_iter().collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(list)
}

/// Ranks of the at most `threshold` largest counts, ascending.
fn top_set(counts: &[usize], threshold: usize, ties: TieBreak) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).filter(|&x| counts[x] > 0).collect();
    if ties == TieBreak::Rare {
        order.reverse();
    }
    order.sort_by_key(|&x| std::cmp::Reverse(counts[x]));
    order.truncate(threshold);
    let mut set: Vec<usize> = order.into_iter().map(|x| x + 1).collect();
    set.sort_unstable();
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::zipf::Zipf;
    use crate::store::scheme::Scheme;
    use workbench_ground::stats::{Streams, proportion};

    #[test]
    fn enumeration_is_the_formula() {
        for weights in [vec![1], vec![3, 1], vec![4, 2, 1], vec![5, 3, 3, 1]] {
            let default = vec![false; weights.len()];
            for t in 0..=6 {
                let f = unseen_by_enumeration(&weights, &default, t).unwrap();
                assert_eq!(f.enumerated, f.formula);
                assert_eq!(f.enumerated, f.with_default);
            }
        }
        let law = Zipf::new(1.0, 3).unwrap(); // p = (6, 3, 2) / 11
        let f = unseen_by_enumeration(&[6, 3, 2], &[true, false, false], 5).unwrap();
        assert!((f.enumerated as f64 / f.denominator as f64 - law.unseen_mass(5)).abs() < 1e-15);
        assert!(f.with_default < f.enumerated);
    }

    #[test]
    fn set_probabilities_sum_to_one_and_agree_with_samples() {
        let law = Zipf::new(1.0, 4).unwrap();
        let streams = Streams::new(6);
        for ties in [TieBreak::Frequent, TieBreak::Rare] {
            let exact = top_set_law(&law.probabilities(4), 6, 2, ties).unwrap();
            assert!((exact.iter().map(|s| s.1).sum::<f64>() - 1.0).abs() < 1e-12);
            let scheme = Scheme::uniform().top(2).unwrap().ties(ties);
            let runs = 4000;
            let mut hits = 0;
            for i in 0..runs {
                let counts = law.sample_counts(6, &mut streams.replicate(&format!("{ties:?}"), i).unwrap()).unwrap();
                let mut set: Vec<usize> = scheme.empirical_entries(&counts, 1).unwrap().iter().map(|e| e.0).collect();
                set.sort_unstable();
                hits += usize::from(set == exact[0].0);
            }
            assert!(proportion(hits, runs).unwrap().contains(exact[0].1));
        }
    }

    #[test]
    fn many_count_vectors_are_all_listed() {
        // T = 30 on three inputs: the probability that rank 1 leads alone, against a double loop.
        let p = [0.5, 0.3, 0.2];
        let law = top_set_law(&p, 30, 1, TieBreak::Rare).unwrap();
        let mut slow = 0.0;
        for a in 0..=30u64 {
            for b in 0..=30 - a {
                let c = 30 - a - b;
                if a > b && a > c {
                    let log = ln_factorial(30) - ln_factorial(a) - ln_factorial(b) - ln_factorial(c)
                        + a as f64 * p[0].ln()
                        + b as f64 * p[1].ln()
                        + c as f64 * p[2].ln();
                    slow += log.exp();
                }
            }
        }
        let fast = law.iter().find(|s| s.0 == [1]).unwrap().1;
        assert!((fast - slow).abs() < 1e-12, "{fast} {slow}");
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(unseen_by_enumeration(&[], &[], 2), Err(Error::Zero { .. })));
        assert!(matches!(
            unseen_by_enumeration(&[0, 0], &[false; 2], 2),
            Err(Error::Refused { problem, .. }) if problem.starts_with("the weights ")
        ));
        assert!(matches!(unseen_by_enumeration(&[1, 1], &[false], 2), Err(Error::Shape { .. })));
        assert!(matches!(unseen_by_enumeration(&[1; 9], &[false; 9], 30), Err(Error::Parameter { .. })));
        assert!(matches!(top_set_law(&[1.0], 0, 1, TieBreak::Rare), Err(Error::Zero { .. })));
        assert!(matches!(top_set_law(&[1.0], 2, 0, TieBreak::Rare), Err(Error::Zero { .. })));
        assert!(matches!(
            top_set_law(&[1.0], 2, 2, TieBreak::Rare),
            Err(Error::Refused { problem, .. }) if problem.starts_with("threshold P = ")
        ));
        assert!(matches!(top_set_law(&[0.5, 0.4], 2, 1, TieBreak::Rare), Err(Error::Parameter { .. })));
        assert!(matches!(top_set_law(&[0.1; 10], 1000, 1, TieBreak::Rare), Err(Error::TooMany { what: "inputs", .. })));
    }
}
