//! Distance of a law from laws that rank an input outside the top P: the exchange of B.3, and the information projection.

use crate::data::zipf::Zipf;
use crate::store::scheme::check_threshold;
use crate::theory::proofs::finite_data::{ln_binomial_below, ln_binomial_tail};
use statrs::function::gamma::ln_gamma;
use workbench_ground::Error;
use workbench_ground::check::{above_zero, positive, within};
use workbench_ground::work;

/// $(a-b)\ln(a/b)$: the divergence between a law with two probabilities a, b and the same law with the two exchanged.
///
/// **Source**: B.3, information projection; the same in both orders of the arguments.
///
/// ```
/// use workbench_memory::{divergence, exchange_divergence, exchanged};
/// let p = [0.5, 0.3, 0.2];
/// let moved = exchanged(&p, 1, 3)?;
/// assert_eq!(moved, vec![0.2, 0.3, 0.5]);
/// assert!((divergence(&moved, &p)? - exchange_divergence(0.5, 0.2)).abs() < 1e-15);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn exchange_divergence(a: f64, b: f64) -> f64 {
    (a - b) * (a / b).ln()
}

/// The law with the probabilities of two ranks (from 1) exchanged.
///
/// **Source**: B.3, information projection, "one should switch $p(x)$ with $p(P)$".
///
/// **Errors**: ranks that do not exist.
pub fn exchanged(p: &[f64], first: usize, second: usize) -> Result<Vec<f64>, Error> {
    let mut list = p.to_vec();
    let (i, j) = (rank("exchanged", p, first)?, rank("exchanged", p, second)?);
    list.swap(i, j);
    Ok(list)
}

/// The law closest to $p$ in $\mathrm{KL}(a\Vert p)$ among those that rank an input outside the top P.
#[derive(Clone, Debug, PartialEq)]
pub struct TopProjection {
    /// $\min_a\mathrm{KL}(a\Vert p)$.
    pub divergence: f64,
    /// The minimiser on the listed inputs.
    pub law: Vec<f64>,
    /// Ranks that share one probability in the minimiser, the input itself first.
    pub pooled: Vec<usize>,
}

/// The information projection of `p` onto the laws in which at least P other inputs are as probable as input `rank` or more so.
///
/// The cheapest way lets ranks `rank + 1, ..., P + 1` catch up. In the minimiser the input and those of them that are below the common level g
/// have the same probability, all others are scaled by one factor:
///
/// $$ \min_a\mathrm{KL}(a\Vert p)=-\ln\Bigl(1-\Bigl(\sum_{k\in\mathrm{pool}}p_k-\lvert\mathrm{pool}\rvert\,g\Bigr)\Bigr), $$
///
/// with g the geometric mean of p over the pool.
///
/// **Source**: derived here by exponential tilting, $a=p\,e^{\lambda\cdot\phi}/Z$ with $\min\mathrm{KL}=-\ln Z$; B.3 takes the exchange of
/// two probabilities instead.
///
/// **Shapes**: `p` lists the first probabilities of a law, not increasing; they may sum to less than one, the rest is scaled with the others.
///
/// **Errors**: probabilities that increase, are not positive or sum to more than one, a rank beyond P, fewer than P + 1 inputs.
///
/// ```
/// use workbench_memory::top_projection;
/// // Two inputs: the closest law that does not prefer the first is the fair one.
/// let to = top_projection(&[0.8, 0.2], 1, 1)?;
/// assert!((to.law[0] - 0.5).abs() < 1e-15 && (to.divergence - -(0.8f64).ln()).abs() < 1e-12);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn top_projection(p: &[f64], rank: usize, threshold: usize) -> Result<TopProjection, Error> {
    const OP: &str = "top_projection";
    positive(OP, "rank", rank)?;
    within(OP, "rank", rank as f64, rank <= threshold, "a rank within the top P")?;
    check_threshold(OP, threshold + 1, p.len())?;
    let mass: f64 = p.iter().rev().sum();
    let ordered = p.windows(2).all(|w| w[0] >= w[1]) && p.iter().all(|p| *p > 0.0);
    let allowed = "positive probabilities in falling order with a sum of at most one";
    within(OP, "sum of p", mass, ordered && mass <= 1.0 + 1e-9, allowed)?;
    // From the smallest contender up, as long as it is below the level that it would have to share.
    let mut pooled = vec![rank];
    let mut log_sum = p[rank - 1].ln();
    for k in (rank + 1..=threshold + 1).rev() {
        if p[k - 1].ln() >= log_sum / pooled.len() as f64 {
            break;
        }
        log_sum += p[k - 1].ln();
        pooled.push(k);
    }
    let level = (log_sum / pooled.len() as f64).exp();
    let saved: f64 = pooled.iter().map(|&k| p[k - 1] - level).sum();
    let norm = 1.0 - saved;
    let mut law: Vec<f64> = p.iter().map(|p| p / norm).collect();
    for &k in &pooled {
        law[k - 1] = level / norm;
    }
    Ok(TopProjection { divergence: -(-saved).ln_1p(), law, pooled })
}

/// The constant of $\mathrm{KL}(\mathrm{exchange})\ge c'\,p(x)$ for $x< P/2$: $(1-2^{-\alpha})\,\alpha\ln2$.
///
/// **Source**: B.3, Zipf lower bound. There the constant carries a further factor $c_\alpha=p(1)$, which $p(x)$ already holds.
pub fn exchange_constant(alpha: f64) -> f64 {
    (1.0 - (-alpha).exp2()) * alpha * std::f64::consts::LN_2
}

/// A constant that the true minimum obeys: $\min\mathrm{KL}\ge(1-2^{-\alpha/2})^2p(x)$ for $x< P/2$.
///
/// An input outside the top P is passed by some $k\ge P+1>2x$. That constraint alone costs
/// $-\ln\bigl(1-(\sqrt{p(x)}-\sqrt{p(k)})^2\bigr)\ge(\sqrt{p(x)}-\sqrt{p(k)})^2$.
///
/// **Source**: derived here; it takes the place of [`exchange_constant`].
pub fn projection_constant(alpha: f64) -> f64 {
    (1.0 - (-0.5 * alpha).exp2()).powi(2)
}

/// An upper bound of $\mathbb P(x\notin\mathrm{top}_P)$ that does not know N.
///
/// $$ \min_m\;\mathbb P(\mathrm{Bin}(T,p(x))< m)+\sum_{k>P}\mathbb P(\mathrm{Bin}(T,p(k))\ge m): $$
///
/// if x has m samples and no input beyond rank P has as many, only $P-1$ inputs can
/// be ahead of x. Tails are exact up to rank $8P$ and bounded by $\binom Tm\,p(k)^m$ beyond.
///
/// **Source**: derived here; B.3 uses the method of types, whose factor $(T+1)^N$ is infinite for $N=\infty$.
///
/// **Errors**: a law with a shift, `rank > P`, zero sizes, [`Error::Stopped`].
///
/// Cost: 32 choices of m, each with 7 P binomial tails.
pub fn leaving_bound(law: &Zipf, rank: usize, threshold: usize, total: usize) -> Result<f64, Error> {
    const OP: &str = "leaving_bound";
    positive(OP, "rank", rank)?;
    positive(OP, "T (number of samples)", total)?;
    above_zero(OP, "alpha", law.alpha())?;
    within(OP, "rank", rank as f64, rank <= threshold, "a rank within the top P")?;
    within(OP, "shift", law.shift(), law.shift() == 0.0, "a law without shift")?;
    let t = total as f64;
    let (own, next) = (t * law.probability(rank), t * law.probability(threshold + 1));
    let last = 8 * threshold;
    let mut best: f64 = 1.0;
    for i in 0..=32usize {
        work::check(OP, i, 32)?;
        let m = (next + (own - next) * i as f64 / 32.0).ceil().max(2.0) as usize;
        let mut bound = ln_binomial_below(total, law.probability(rank), m)?.exp();
        for k in threshold + 1..=last {
            bound += ln_binomial_tail(total, law.probability(k), m)?.exp();
            if bound > best {
                break;
            }
        }
        // sum_{k > last} C(T, m) p(k)^m <= C(T, m) p(a)^m (1 + a / (alpha m - 1)), a = last + 1.
        let (a, mf, s) = ((last + 1) as f64, m as f64, law.alpha() * m as f64);
        if m <= total && s > 1.0 {
            let ln_choose = ln_gamma(t + 1.0) - ln_gamma(mf + 1.0) - ln_gamma(t - mf + 1.0);
            bound += (ln_choose + mf * law.probability(last + 1).ln()).exp() * (1.0 + a / (s - 1.0));
        }
        best = best.min(bound);
    }
    Ok(best)
}

fn rank(op: &'static str, p: &[f64], rank: usize) -> Result<usize, Error> {
    if rank == 0 || rank > p.len() {
        return Err(Error::no_such(op, "rank", rank, p.len()));
    }
    Ok(rank - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::scheme::TieBreak;
    use crate::theory::proofs::types::{divergence, leaving_top};
    use workbench_ground::stats::{Streams, proportion};

    #[test]
    fn the_minimiser_is_a_law_with_the_stated_divergence() {
        for (alpha, n, rank, threshold) in [(2.0, 6, 1, 3), (1.1, 12, 3, 8), (3.0, 5, 2, 4), (1.5, 9, 8, 8)] {
            let p = Zipf::new(alpha, n).unwrap().probabilities(n);
            let to = top_projection(&p, rank, threshold).unwrap();
            assert!((to.law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((divergence(&to.law, &p).unwrap() - to.divergence).abs() < 1e-12);
            let own = to.law[rank - 1];
            assert!(to.law.iter().filter(|a| **a >= own * (1.0 - 1e-12)).count() > threshold);
            assert!(to.divergence <= exchange_divergence(p[rank - 1], p[threshold]));
        }
    }

    #[test]
    fn no_type_is_closer() {
        // Types of many samples come close to the minimum and never below it.
        for (p, rank, threshold) in
            [(Zipf::new(1.0, 4).unwrap().probabilities(4), 1, 2), (Zipf::new(2.0, 4).unwrap().probabilities(4), 2, 3)]
        {
            let to = top_projection(&p, rank, threshold).unwrap();
            let out = leaving_top(&p, 120, rank, threshold, TieBreak::Rare).unwrap();
            let least = -out.ln_largest / 120.0;
            assert!(least >= to.divergence - 1e-12 && least < 1.1 * to.divergence, "{least} {to:?}");
        }
    }

    #[test]
    fn a_part_of_a_law_gives_the_same() {
        let law = Zipf::infinite(2.0).unwrap();
        let few = top_projection(&law.probabilities(11), 3, 10).unwrap();
        let many = top_projection(&law.probabilities(500), 3, 10).unwrap();
        assert!((few.divergence - many.divergence).abs() < 1e-14);
        assert_eq!(few.pooled, many.pooled);
    }

    #[test]
    fn bounds_are_bounds() {
        let law = Zipf::infinite(2.0).unwrap();
        let streams = Streams::new(8);
        for (rank, threshold, total) in [(2usize, 8usize, 400usize), (4, 16, 3000)] {
            let runs = 2000;
            let mut out = 0;
            for i in 0..runs {
                let mut stream = streams.replicate(&format!("{rank}"), i).unwrap();
                let counts = law.sample_counts(total, &mut stream).unwrap();
                let own = counts.seen.iter().find(|s| s.0 == rank).map_or(0, |s| s.1);
                let ahead = counts.seen.iter().filter(|s| s.0 != rank && s.1 >= own).count();
                out += usize::from(own == 0 || ahead >= threshold);
            }
            let bound = leaving_bound(&law, rank, threshold, total).unwrap();
            let share = proportion(out, runs).unwrap();
            assert!(share.low <= bound && bound < 0.5, "{share:?} {bound}");
        }
        for alpha in [1.1, 2.0, 3.0] {
            assert!(projection_constant(alpha) < exchange_constant(alpha));
            let p = Zipf::infinite(alpha).unwrap().probabilities(101);
            for rank in 1..50 {
                assert!(top_projection(&p, rank, 100).unwrap().divergence >= projection_constant(alpha) * p[rank - 1]);
            }
        }
    }

    #[test]
    fn refuses_bad_input() {
        let p = [0.5, 0.3, 0.2];
        assert!(matches!(top_projection(&p, 3, 2), Err(Error::Parameter { .. })));
        assert!(matches!(
            top_projection(&p, 1, 3),
            Err(Error::Refused { problem, .. }) if problem.starts_with("threshold P = ")
        ));
        assert!(matches!(top_projection(&[0.2, 0.8], 1, 1), Err(Error::Parameter { .. })));
        assert!(matches!(top_projection(&p, 0, 2), Err(Error::Zero { .. })));
        assert!(matches!(exchanged(&p, 0, 2), Err(Error::NoSuch { .. })));
        let law = Zipf::infinite(2.0).unwrap();
        assert!(matches!(leaving_bound(&law, 3, 2, 10), Err(Error::Parameter { .. })));
        assert!(matches!(leaving_bound(&law, 1, 2, 0), Err(Error::Zero { .. })));
        assert!(matches!(leaving_bound(&law.with_shift(1.0).unwrap(), 1, 2, 10), Err(Error::Parameter { .. })));
    }
}
