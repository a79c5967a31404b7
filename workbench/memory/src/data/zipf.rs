//! Zipf laws on finitely or infinitely many inputs, with exact tails, samples and unseen mass.

use rand::Rng;
use rand_distr::{Binomial, Distribution};
use workbench_ground::Error;
use workbench_ground::check::{positive, within};
use workbench_ground::stats::Stream;
use workbench_ground::stats::sum_of_powers;
use workbench_ground::work;

/// The largest number of inputs that a law lists one by one.
pub(crate) const ENUMERATION_LIMIT: usize = 1 << 24;

/// Zipf law $p(x)=\frac1Z\,(x+\mathrm{shift})^{-\alpha}$ on the ranks $x=1,\dots,N$, N finite or infinite.
///
/// **Source**: Section 2, Data (`shift = 0`, `alpha > 1`); Fig. 4 uses `shift = 3`, Fig. 8 uses `alpha = 0.5`, which only a
/// finite N allows.
///
/// **Units and ranges**: ranks start at 1, as in the paper; `alpha > 0`, and `alpha > 1` when N is infinite.
///
/// ```
/// use workbench_memory::Zipf;
/// let law = Zipf::infinite(2.0)?;
/// let pi2 = std::f64::consts::PI.powi(2);
/// assert!((law.probability(1) - 6.0 / pi2).abs() < 1e-14);
/// assert!((law.tail(1) - (1.0 - 6.0 / pi2)).abs() < 1e-14);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "power law")]
pub struct Zipf {
    alpha: f64,
    shift: f64,
    n_inputs: Option<usize>,
    norm: f64,
}

impl Zipf {
    /// Law on `n_inputs` ranks.
    ///
    /// **Errors**: non-positive or non-finite `alpha`, no inputs.
    pub fn new(alpha: f64, n_inputs: usize) -> Result<Zipf, Error> {
        positive("Zipf law", "n_inputs (N)", n_inputs)?;
        Zipf::build(alpha, 0.0, Some(n_inputs))
    }

    /// Law on infinitely many ranks.
    ///
    /// **Errors**: `alpha <= 1` (no normaliser) or non-finite.
    pub fn infinite(alpha: f64) -> Result<Zipf, Error> {
        Zipf::build(alpha, 0.0, None)
    }

    /// The same law with $p(x)$ proportional to $(x+\mathrm{shift})^{-\alpha}$.
    ///
    /// **Errors**: a shift of -1 or below, or non-finite.
    pub fn with_shift(&self, shift: f64) -> Result<Zipf, Error> {
        Zipf::build(self.alpha, shift, self.n_inputs)
    }

    fn build(alpha: f64, shift: f64, n_inputs: Option<usize>) -> Result<Zipf, Error> {
        within("Zipf law", "alpha", alpha, alpha > 0.0, "a finite alpha > 0")?;
        within("Zipf law", "shift", shift, shift > -1.0, "a finite shift > -1")?;
        if n_inputs.is_none() && alpha <= 1.0 {
            return Err(not_summable("Zipf law", alpha));
        }
        let norm = sum_of_powers(alpha, shift, 1, n_inputs);
        Ok(Zipf { alpha, shift, n_inputs, norm })
    }

    /// The exponent $\alpha$.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The shift added to every rank.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// The number of inputs N, `None` when infinite.
    pub fn n_inputs(&self) -> Option<usize> {
        self.n_inputs
    }

    /// The constant $C$ of $p(x)=C\,(x+\mathrm{shift})^{-\alpha}$.
    pub fn constant(&self) -> f64 {
        1.0 / self.norm
    }

    /// $p(x)$; zero outside `1..=N`.
    pub fn probability(&self, x: usize) -> f64 {
        if x == 0 || self.n_inputs.is_some_and(|n| x > n) {
            return 0.0;
        }
        (x as f64 + self.shift).powf(-self.alpha) / self.norm
    }

    /// The first `n` probabilities, entry `i` belonging to rank `i + 1`.
    pub fn probabilities(&self, n: usize) -> Vec<f64> {
        (1..=n).map(|x| self.probability(x)).collect()
    }

    /// $\mathbb P(X>x)$, the risk of knowing exactly the `x` most frequent inputs.
    pub fn tail(&self, x: usize) -> f64 {
        self.mass(x.saturating_add(1), self.n_inputs)
    }

    /// $\mathbb P(\mathrm{from}\le X\le\mathrm{to})$, `to = None` for no upper end.
    pub fn mass(&self, from: usize, to: Option<usize>) -> f64 {
        self.moment(1.0, from, to)
    }

    /// $\sum_{x=\mathrm{from}}^{\mathrm{to}}p(x)^s$, cut at N; `to = None` sums to N.
    ///
    /// Infinite when the sum diverges ($s\alpha\le1$ on infinitely many inputs).
    pub fn moment(&self, s: f64, from: usize, to: Option<usize>) -> f64 {
        let end = match (to, self.n_inputs) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let exponent = s * self.alpha;
        if end.is_none() && exponent <= 1.0 {
            return f64::INFINITY;
        }
        sum_of_powers(exponent, self.shift, from.max(1), end) * self.norm.powf(-s)
    }

    /// As [`Zipf::moment`], over the ranks `x` of the range with `x mod period = residue`.
    pub(crate) fn moment_of_residue(
        &self,
        s: f64,
        from: usize,
        to: Option<usize>,
        period: usize,
        residue: usize,
    ) -> f64 {
        let end = match (to, self.n_inputs) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let exponent = s * self.alpha;
        if end.is_none() && exponent <= 1.0 {
            return f64::INFINITY;
        }
        let from = from.max(1);
        // First multiplier k with k * period + residue >= from, and the last one within the range.
        let first = if residue >= from { 0 } else { (from - residue).div_ceil(period) };
        let last = match end {
            None => None,
            Some(end) if end < residue => return 0.0,
            Some(end) => Some((end - residue) / period),
        };
        let shift = (residue as f64 + self.shift) / period as f64;
        let scale = (period as f64).powf(-exponent);
        let skip_zero = first == 0 && residue as f64 + self.shift <= 0.0;
        sum_of_powers(exponent, shift, if skip_zero { 1 } else { first }, last) * scale * self.norm.powf(-s)
    }

    /// Expected mass of the inputs that `t` samples did not show, $\sum_xp(x)(1-p(x))^t$.
    ///
    /// **Source**: proof of Lemma 1. Ranks with $t\,p(x)>1$ are summed directly; the rest through the binomial series
    /// $\sum_k\binom tk(-1)^k\sum_xp(x)^{k+1}$, whose inner sums are exact, so that $N=\infty$ needs no cut.
    ///
    /// Cost: `t^(1/alpha)` powers. Relative error about 1e-12.
    ///
    /// ```
    /// use workbench_memory::Zipf;
    /// let law = Zipf::new(1.0, 2)?; // p = (2/3, 1/3)
    /// let by_hand = 2.0 / 3.0 * (1.0f64 / 3.0).powi(3) + 1.0 / 3.0 * (2.0f64 / 3.0).powi(3);
    /// assert!((law.unseen_mass(3) - by_hand).abs() < 1e-15);
    /// # Ok::<(), workbench_memory::Error>(())
    /// ```
    pub fn unseen_mass(&self, t: usize) -> f64 {
        let t = t as f64;
        let cut = ((t / self.norm).powf(1.0 / self.alpha) - self.shift).ceil().max(0.0) as usize;
        let cut = self.n_inputs.map_or(cut, |n| cut.min(n));
        let head: f64 = (1..=cut)
            .map(|x| {
                let p = self.probability(x);
                if p >= 1.0 { 0.0 } else { p * (t * (-p).ln_1p()).exp() }
            })
            .sum();
        let mut tail = 0.0;
        let mut coefficient = 1.0;
        for k in 0..60 {
            let term = coefficient * self.moment(k as f64 + 1.0, cut + 1, None);
            tail += term;
            // A zero term ends the sum too: nothing lies beyond the cut, or all of it has been counted.
            if term.abs() <= 1e-17 * tail.abs() {
                break;
            }
            coefficient *= -(t - k as f64) / (k as f64 + 1.0);
            if coefficient == 0.0 {
                break;
            }
        }
        head + tail
    }

    /// How often each input occurs among `t` independent samples, drawn from the exact multinomial law.
    ///
    /// Frequent inputs are drawn by conditional binomials, the few samples beyond rank $t^{1/\alpha}$ one by one by inversion
    /// of the exact tail, so that the cost grows as $t^{1/\alpha}$ and not as `t`.
    ///
    /// **Errors**: `t = 0`, [`Error::Stopped`].
    pub fn sample_counts(&self, t: usize, stream: &mut Stream) -> Result<Counts, Error> {
        positive("Zipf::sample_counts", "t (number of samples)", t)?;
        let head_end = ((t as f64 / self.norm).powf(1.0 / self.alpha).ceil() as usize).max(16);
        let head_end = self.n_inputs.map_or(head_end, |n| head_end.min(n));
        let mut seen = Vec::new();
        let mut left = t;
        let mut remaining_mass = 1.0;
        for x in 1..=head_end {
            if left == 0 {
                break;
            }
            work::check("Zipf::sample_counts", t - left, t)?;
            let p = self.probability(x);
            let share = if self.n_inputs == Some(x) { 1.0 } else { (p / remaining_mass).clamp(0.0, 1.0) };
            // `share` is in [0, 1], the only thing that `Binomial::new` checks.
            let count = Binomial::new(left as u64, share).map_or(0, |b| b.sample(stream)) as usize;
            if count > 0 {
                seen.push((x, count));
            }
            left -= count;
            // The exact tail now and then, so that subtractions do not pile up rounding errors.
            remaining_mass = if x % 64 == 0 { self.tail(x) } else { remaining_mass - p };
        }
        let mut rest = Vec::new();
        for done in t - left..t {
            work::check("Zipf::sample_counts", done, t)?;
            rest.push(self.sample_beyond(head_end, stream));
        }
        rest.sort_unstable();
        for x in rest {
            match seen.last_mut() {
                Some((last, count)) if *last == x => *count += 1,
                _ => seen.push((x, 1)),
            }
        }
        Ok(Counts { seen, total: t })
    }

    /// One sample of X given X > `x0`, by inversion.
    fn sample_beyond(&self, x0: usize, stream: &mut Stream) -> usize {
        let target = self.tail(x0) * (1.0 - stream.random::<f64>());
        // Smallest x with tail(x) < target, bracketed by doubling.
        let top = self.n_inputs.unwrap_or(usize::MAX / 4);
        let (mut low, mut high) = (x0, (2 * x0.max(1)).min(top));
        while high < top && self.tail(high) >= target {
            low = high;
            high = high.saturating_mul(2).min(top);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.tail(middle) >= target { low = middle } else { high = middle }
        }
        high
    }

    /// N as `usize`, for operations that list the inputs.
    pub(crate) fn enumerable(&self, op: &'static str) -> Result<usize, Error> {
        match self.n_inputs {
            None => Err(Error::refused(
                op,
                "needs finitely many inputs",
                "build the law with `Zipf::new(alpha, n_inputs)` or use `expected_error`",
            )),
            Some(n) if n > ENUMERATION_LIMIT => Err(too_many_inputs(op, n, ENUMERATION_LIMIT)),
            Some(n) => Ok(n),
        }
    }
}

/// A law on infinitely many inputs that cannot be normalised.
pub(crate) fn not_summable(op: &'static str, alpha: f64) -> Error {
    let problem = format!("alpha = {alpha} has no normaliser on infinitely many inputs");
    Error::refused(op, problem, "take alpha > 1 or a finite N")
}

/// More inputs than are listed one by one.
pub(crate) fn too_many_inputs(op: &'static str, n_inputs: usize, limit: usize) -> Error {
    let next = "use a periodic target and a power scheme, which need no enumeration";
    Error::too_many(op, "inputs", n_inputs as f64, limit as f64, next)
}

/// The inputs seen in a data set and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// `(rank, count)` with positive counts, ranks ascending.
    pub seen: Vec<(usize, usize)>,
    /// The number of samples T.
    pub total: usize,
}

impl Counts {
    /// Counts of two data sets put together.
    pub fn merge(&self, other: &Counts) -> Counts {
        let mut seen: Vec<(usize, usize)> = self.seen.iter().chain(&other.seen).copied().collect();
        seen.sort_unstable();
        seen.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += b.1;
            }
            same
        });
        Counts { seen, total: self.total + other.total }
    }

    /// Mass under `law` of the inputs that do not occur.
    pub fn unseen_mass(&self, law: &Zipf) -> f64 {
        1.0 - self.seen.iter().rev().map(|&(x, _)| law.probability(x)).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn probabilities_sum_to_one() {
        for law in [Zipf::new(0.5, 100).unwrap(), Zipf::new(2.0, 7).unwrap().with_shift(3.0).unwrap()] {
            let n = law.n_inputs().unwrap();
            assert!((law.probabilities(n).iter().sum::<f64>() - 1.0).abs() < 1e-13);
            assert!((law.mass(1, Some(3)) + law.tail(3) - 1.0).abs() < 1e-13);
        }
        let law = Zipf::infinite(1.5).unwrap();
        assert!((law.mass(1, Some(20)) + law.tail(20) - 1.0).abs() < 1e-13);
        assert_eq!(law.probability(0), 0.0);
    }

    #[test]
    fn residues_partition_the_range() {
        let law = Zipf::new(1.7, 10_000).unwrap();
        for (from, to) in [(1, None), (3, Some(3)), (17, Some(900))] {
            let parts: f64 = (0..5).map(|r| law.moment_of_residue(2.0, from, to, 5, r)).sum();
            assert!((parts / law.moment(2.0, from, to) - 1.0).abs() < 1e-12);
        }
        let direct: f64 = (1..=900usize).filter(|x| x % 5 == 2 && *x >= 17).map(|x| law.probability(x)).sum();
        assert!((law.moment_of_residue(1.0, 17, Some(900), 5, 2) - direct).abs() < 1e-14);
    }

    #[test]
    fn unseen_mass_agrees_with_the_direct_sum() {
        for (alpha, n) in [(0.5, 300usize), (1.0, 1000), (2.0, 5000), (3.0, 50)] {
            let law = Zipf::new(alpha, n).unwrap();
            for t in [1usize, 2, 10, 1000, 1_000_000] {
                let direct: f64 = (1..=n)
                    .rev()
                    .map(|x| {
                        let p = law.probability(x);
                        p * (1.0 - p).powf(t as f64)
                    })
                    .sum();
                let fast = law.unseen_mass(t);
                // Rounding 1 - p costs the direct sum up to t * 1e-16 of itself.
                let tolerance = 1e-12 + 2e-16 * t as f64;
                assert!((fast - direct).abs() <= tolerance * direct + 1e-300, "alpha {alpha} t {t}: {fast} {direct}");
            }
        }
        // A t whose binomial coefficients overflow: only the last inputs stay unseen, and rounding in 1 - p is kept out of the sum.
        let law = Zipf::new(2.0, 1000).unwrap();
        let direct: f64 = (1..=1000usize).map(|x| law.probability(x)).map(|p| p * (1e8 * (-p).ln_1p()).exp()).sum();
        let fast = law.unseen_mass(100_000_000);
        assert!((fast / direct - 1.0).abs() < 1e-6, "{fast} {direct}");
        // One input has probability one: nothing is unseen after one sample.
        assert_eq!(Zipf::new(2.0, 1).unwrap().unseen_mass(1), 0.0);
    }

    #[test]
    fn infinite_unseen_mass_is_the_limit_of_finite_ones() {
        let infinite = Zipf::infinite(2.0).unwrap().unseen_mass(1000);
        let finite = Zipf::new(2.0, 10_000_000).unwrap().unseen_mass(1000);
        assert!((infinite - finite).abs() < 1e-6 && infinite > finite);
    }

    #[test]
    fn counts_follow_the_law() {
        let streams = Streams::new(11);
        for law in [Zipf::infinite(2.0).unwrap(), Zipf::new(0.5, 40).unwrap()] {
            let name = format!("counts {:?}", law.n_inputs());
            let t = 20_000usize;
            let runs = 40;
            let mut totals = [0usize; 30];
            let mut beyond = 0;
            for i in 0..runs {
                let mut stream = streams.replicate(&name, i).unwrap();
                let counts = law.sample_counts(t, &mut stream).unwrap();
                assert_eq!(counts.seen.iter().map(|c| c.1).sum::<usize>(), t);
                assert!(counts.seen.windows(2).all(|w| w[0].0 < w[1].0));
                for (x, c) in counts.seen {
                    if x <= 30 { totals[x - 1] += c } else { beyond += c }
                }
            }
            // Pearson's statistic over 31 bins; its 99.99 % point at 30 degrees of freedom is about 67.
            let draws = (t * runs) as f64;
            let mut chi2 = (beyond as f64 - draws * law.tail(30)).powi(2) / (draws * law.tail(30));
            for (i, c) in totals.iter().enumerate() {
                let expected = draws * law.probability(i + 1);
                chi2 += (*c as f64 - expected).powi(2) / expected;
            }
            assert!(chi2 < 67.0, "chi2 {chi2}");
        }
    }

    #[test]
    fn tail_samples_match_the_unseen_mass() {
        let law = Zipf::infinite(1.5).unwrap();
        let streams = Streams::new(3);
        let runs = 300;
        let mean = (0..runs)
            .map(|i| {
                let mut stream = streams.replicate("tail", i).unwrap();
                law.sample_counts(500, &mut stream).unwrap().unseen_mass(&law)
            })
            .sum::<f64>()
            / runs as f64;
        // The unseen mass of one data set has standard deviation about 0.007; five standard errors.
        assert!((mean - law.unseen_mass(500)).abs() < 5.0 * 0.007 / (runs as f64).sqrt());
    }

    #[test]
    fn merged_counts_add_up() {
        let a = Counts { seen: vec![(1, 3), (4, 1)], total: 4 };
        let b = Counts { seen: vec![(2, 1), (4, 2)], total: 3 };
        assert_eq!(a.merge(&b), Counts { seen: vec![(1, 3), (2, 1), (4, 3)], total: 7 });
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(Zipf::new(0.0, 5), Err(Error::Parameter { .. })));
        assert!(matches!(Zipf::new(f64::NAN, 5), Err(Error::Parameter { .. })));
        assert!(matches!(Zipf::new(1.0, 0), Err(Error::Zero { .. })));
        assert!(
            matches!(Zipf::infinite(1.0), Err(Error::Refused { problem, .. }) if problem.contains("has no normaliser"))
        );
        assert!(Zipf::infinite(2.0).unwrap().with_shift(-1.0).is_err());
        let mut stream = Streams::new(1).stream("none").unwrap();
        assert!(matches!(Zipf::infinite(2.0).unwrap().sample_counts(0, &mut stream), Err(Error::Zero { .. })));
    }
}
