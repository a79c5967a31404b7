//! The method of types: count vectors, their probabilities, and the chance that an input leaves the top P.

use crate::data::zipf::too_many_inputs;
use crate::store::scheme::TieBreak;
use crate::store::scheme::check_threshold;
use statrs::function::factorial::ln_factorial;
use workbench_ground::Error;
use workbench_ground::check::{positive, same, within};
use workbench_ground::stats::LogSum;
use workbench_ground::work;

/// Count vectors that are listed at most.
const MOST: u128 = 20_000_000;

/// The number of count vectors of `total` samples on `n_inputs` inputs, $\binom{T+N-1}{N-1}$; `None` beyond 128 bits.
///
/// **Source**: B.3, number of types. The text says "at most $(N+1)^T$" and then uses $(T+1)^N$.
///
/// ```
/// use workbench_memory::type_count;
/// assert_eq!(type_count(3, 2), Some(6)); // 2+0+0, 1+1+0, ...
/// ```
pub fn type_count(n_inputs: usize, total: usize) -> Option<u128> {
    (1..n_inputs).try_fold(1u128, |count, k| Some(count.checked_mul((total + k) as u128)? / k as u128))
}

/// Every count vector of `total` samples on `n_inputs` inputs.
///
/// **Source**: B.3, the type templates $a$.
///
/// **Errors**: zero inputs, more than 2 * 10^7 vectors, [`Error::Stopped`].
pub fn types(n_inputs: usize, total: usize) -> Result<Vec<Vec<usize>>, Error> {
    let mut list = Vec::new();
    visit("types", n_inputs, total, |counts| list.push(counts.to_vec()))?;
    Ok(list)
}

/// Calls `f` with every count vector, in lexical order.
pub(super) fn visit(op: &'static str, n: usize, total: usize, mut f: impl FnMut(&[usize])) -> Result<(), Error> {
    positive(op, "N (inputs)", n)?;
    let all = type_count(n, total).filter(|&c| c <= MOST).ok_or(too_many_inputs(op, n, 64))?;
    let mut counts = vec![0usize; n];
    counts[n - 1] = total;
    let mut done = 0usize;
    loop {
        if done.is_multiple_of(65_536) {
            work::check(op, done, all as usize)?;
        }
        done += 1;
        f(&counts);
        // The next composition: one unit moves left from the first position with something behind it, the rest to the end.
        let Some(i) = (0..n - 1).rev().find(|&i| counts[i + 1..].iter().any(|&c| c > 0)) else {
            return Ok(());
        };
        counts[i] += 1;
        let used: usize = counts[..=i].iter().sum();
        counts[i + 1..].fill(0);
        counts[n - 1] = total - used;
    }
}

/// A type class under a law.
///
/// **Source**: B.3, $\mathbb P((x_t)\in T(a))=\lvert T(a)\rvert\,e^{-T(H(a)+\mathrm{KL}(a\Vert p))}\le e^{-T\,\mathrm{KL}(a\Vert p)}$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeClass {
    /// $\ln\lvert T(a)\rvert$, a multinomial coefficient.
    pub ln_size: f64,
    /// $\ln\prod_xp(x)^{Ta(x)}$, the log-probability of one sequence of the class.
    pub ln_sequence: f64,
    /// The entropy $H(a)$, natural logarithm.
    pub entropy: f64,
    /// $\mathrm{KL}(a\Vert p)$, natural logarithm; infinite if a charges an input that p does not.
    pub divergence: f64,
}

impl TypeClass {
    /// $\ln\mathbb P((x_t)\in T(a))$, from its definition.
    pub fn ln_probability(&self) -> f64 {
        self.ln_size + self.ln_sequence
    }
}

/// Size, probability, entropy and divergence of a type.
///
/// **Source**: B.3, the display with $\lvert T(a)\rvert$.
///
/// **Errors**: lengths that differ, no samples.
///
/// ```
/// use workbench_memory::type_class;
/// let a = type_class(&[2, 1], &[0.5, 0.5])?;
/// assert!((a.ln_probability().exp() - 3.0 / 8.0).abs() < 1e-15);
/// assert!((a.entropy + a.divergence - 2f64.ln()).abs() < 1e-15);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn type_class(counts: &[usize], p: &[f64]) -> Result<TypeClass, Error> {
    const OP: &str = "type_class";
    same_length(OP, counts.len(), p.len())?;
    let total: usize = counts.iter().sum();
    positive(OP, "T (number of samples)", total)?;
    let a: Vec<f64> = counts.iter().map(|&c| c as f64 / total as f64).collect();
    let seen = || counts.iter().zip(p).filter(|(c, _)| **c > 0);
    Ok(TypeClass {
        ln_size: ln_factorial(total as u64) - counts.iter().map(|&c| ln_factorial(c as u64)).sum::<f64>(),
        ln_sequence: seen().map(|(&c, p)| c as f64 * p.ln()).sum(),
        entropy: -a.iter().filter(|a| **a > 0.0).map(|a| a * a.ln()).sum::<f64>(),
        divergence: divergence(&a, p)?,
    })
}

/// $\mathrm{KL}(a\Vert p)=\sum_xa(x)\ln\frac{a(x)}{p(x)}$, with $0\ln0=0$.
///
/// **Source**: B.3, the exponent of the method of types.
///
/// **Errors**: lengths that differ.
pub fn divergence(a: &[f64], p: &[f64]) -> Result<f64, Error> {
    same_length("divergence", a.len(), p.len())?;
    Ok(a.iter().zip(p).filter(|(a, _)| **a > 0.0).map(|(a, p)| a * (a / p).ln()).sum())
}

/// Whether input `rank` (from 1) is outside the `threshold` most frequent inputs of a count vector. An input that was not seen is outside.
///
/// **Source**: B.3, the set $\mathcal A$ of templates; Eq. 5 for the top P.
pub fn leaves_top(counts: &[usize], rank: usize, threshold: usize, ties: TieBreak) -> bool {
    let Some(&own) = rank.checked_sub(1).and_then(|x| counts.get(x)) else {
        return true;
    };
    let ahead = |(k, &c): (usize, &usize)| {
        c > own
            || c == own
                && match ties {
                    TieBreak::Frequent => k + 1 < rank,
                    TieBreak::Rare => k + 1 > rank,
                }
    };
    own == 0 || counts.iter().enumerate().filter(|&(k, c)| ahead((k, c))).count() >= threshold
}

/// How likely an input leaves the top P, exactly and through the method of types. Natural logarithms.
///
/// **Source**: B.3, probability of leaving the top P.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeavingTop {
    /// $\ln\mathbb P(x\notin\mathrm{top}_P)$.
    pub ln_probability: f64,
    /// $\ln\sum_{a\in A}e^{-T\,\mathrm{KL}(a\Vert p)}$.
    pub ln_type_sum: f64,
    /// $-T\min_{a\in A}\mathrm{KL}(a\Vert p)$.
    pub ln_largest: f64,
    /// The number of types in A.
    pub types: usize,
    /// Inputs N.
    pub n_inputs: usize,
    /// Samples T.
    pub total: usize,
}

impl LeavingTop {
    /// $N\ln(T+1)$.
    pub fn ln_count_bound(&self) -> f64 {
        self.n_inputs as f64 * (self.total as f64).ln_1p()
    }

    /// The last member as printed: $\sup e^{-T\,\mathrm{KL}}+N\ln(T+1)$, the logarithm outside the exponential.
    pub fn bound_printed(&self) -> f64 {
        self.ln_largest.exp() + self.ln_count_bound()
    }

    /// The logarithm of the last member with the logarithm inside: $-T\min\mathrm{KL}+N\ln(T+1)$.
    pub fn ln_bound(&self) -> f64 {
        self.ln_largest + self.ln_count_bound()
    }
}

/// All three members by listing every count vector.
///
/// **Source**: B.3, probability of leaving the top P.
///
/// **Shapes**: `p` has one positive probability per rank, summing to one.
///
/// **Errors**: zero sizes, a rank or threshold beyond N, an input that can never leave (P = N and T large leaves only unseen inputs),
/// probabilities that are not positive, too many count vectors, [`Error::Stopped`].
///
/// ```
/// use workbench_memory::{TieBreak, leaving_top};
/// // Two inputs, one sample: rank 1 leaves the top 1 when it is not the sample.
/// let out = leaving_top(&[0.75, 0.25], 1, 1, 1, TieBreak::Frequent)?;
/// assert!((out.ln_probability.exp() - 0.25).abs() < 1e-15 && out.types == 1);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn leaving_top(
    p: &[f64],
    total: usize,
    rank: usize,
    threshold: usize,
    ties: TieBreak,
) -> Result<LeavingTop, Error> {
    const OP: &str = "leaving_top";
    let n = p.len();
    positive(OP, "T (number of samples)", total)?;
    positive(OP, "threshold (P)", threshold)?;
    check_threshold(OP, threshold, n)?;
    if rank == 0 || rank > n {
        return Err(Error::no_such(OP, "rank", rank, n));
    }
    let (sum, charged) = (p.iter().sum::<f64>(), p.iter().all(|p| *p > 0.0));
    let allowed = "positive probabilities that sum to one";
    within(OP, "sum of p", sum, charged && (sum - 1.0).abs() <= 1e-9, allowed)?;
    let logs: Vec<f64> = p.iter().map(|p| p.ln()).collect();
    let factorials: Vec<f64> = (0..=total as u64).map(ln_factorial).collect();
    let own_logs: Vec<f64> = (0..=total).map(|c| if c == 0 { 0.0 } else { c as f64 * (c as f64).ln() }).collect();
    let (mut probability, mut type_sum) = (LogSum::new(), LogSum::new());
    let (mut largest, mut inside) = (f64::NEG_INFINITY, 0usize);
    visit(OP, n, total, |counts| {
        if !leaves_top(counts, rank, threshold, ties) {
            return;
        }
        let (mut multinomial, mut cross, mut own) = (factorials[total], 0.0, 0.0);
        for (&c, log) in counts.iter().zip(&logs) {
            cross += c as f64 * log;
            multinomial -= factorials[c];
            own += own_logs[c];
        }
        // T KL(a||p) = sum c ln c - T ln T - sum c ln p.
        let exponent = cross - own + own_logs[total];
        probability.add(multinomial + cross);
        type_sum.add(exponent);
        largest = largest.max(exponent);
        inside += 1;
    })?;
    Ok(LeavingTop {
        ln_probability: probability.value(),
        ln_type_sum: type_sum.value(),
        ln_largest: largest,
        types: inside,
        n_inputs: n,
        total,
    })
}

pub(super) fn same_length(op: &'static str, left: usize, right: usize) -> Result<(), Error> {
    same(op, ("entries of a", left), ("entries of p", right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::zipf::Zipf;
    use crate::theory::lemma_1::enumeration::top_set_law;

    #[test]
    fn all_types_are_listed_once() {
        for n in 1..=5usize {
            for t in 0..=7usize {
                let list = types(n, t).unwrap();
                assert_eq!(list.len() as u128, type_count(n, t).unwrap());
                assert!(list.iter().all(|a| a.iter().sum::<usize>() == t));
                let mut sorted = list.clone();
                sorted.sort();
                sorted.dedup();
                assert_eq!(sorted.len(), list.len());
            }
        }
        assert_eq!(type_count(200, 1_000_000), None);
    }

    #[test]
    fn types_have_all_the_probability() {
        let p = Zipf::new(1.5, 4).unwrap().probabilities(4);
        let total: f64 = types(4, 9).unwrap().iter().map(|a| type_class(a, &p).unwrap().ln_probability().exp()).sum();
        assert!((total - 1.0).abs() < 1e-12);
    }

    #[test]
    fn leaving_is_not_being_in_the_stored_set() {
        let p = Zipf::new(1.0, 4).unwrap().probabilities(4);
        for ties in [TieBreak::Frequent, TieBreak::Rare] {
            let sets = top_set_law(&p, 8, 2, ties).unwrap();
            for rank in 1..=4 {
                let stays: f64 = sets.iter().filter(|s| s.0.contains(&rank)).map(|s| s.1).sum();
                let out = leaving_top(&p, 8, rank, 2, ties).unwrap();
                assert!((out.ln_probability.exp() + stays - 1.0).abs() < 1e-12);
                assert!(out.ln_probability <= out.ln_type_sum && out.ln_type_sum <= out.ln_bound());
            }
        }
    }

    #[test]
    fn refuses_bad_input() {
        let p = [0.5, 0.5];
        let ties = TieBreak::Rare;
        assert!(matches!(leaving_top(&p, 0, 1, 1, ties), Err(Error::Zero { .. })));
        assert!(matches!(
            leaving_top(&p, 3, 1, 3, ties),
            Err(Error::Refused { problem, .. }) if problem.starts_with("threshold P = ")
        ));
        assert!(matches!(leaving_top(&p, 3, 3, 1, ties), Err(Error::NoSuch { .. })));
        assert!(matches!(leaving_top(&[0.5, 0.4], 3, 1, 1, ties), Err(Error::Parameter { .. })));
        assert!(matches!(types(12, 100), Err(Error::TooMany { what: "inputs", .. })));
        assert!(matches!(type_class(&[1], &p), Err(Error::Shape { .. })));
        assert!(matches!(type_class(&[0, 0], &p), Err(Error::Zero { .. })));
        assert!(matches!(divergence(&[1.0], &p), Err(Error::Shape { .. })));
        assert!(leaves_top(&[1, 2], 0, 1, ties));
    }
}
