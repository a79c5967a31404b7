//! Capacity for random patterns: theory for each interaction, and a simulation that is exact in law and reaches any M.

use super::scan::TIE;
use super::sign_rate::crossing;
use super::{Error, Interaction};
use rand_distr::{Binomial, Distribution};
use rayon::prelude::*;
use workbench_ground::check::{position, positive, within};
use workbench_ground::stats::{Estimate, Streams, normal_quantile, proportion};
use workbench_ground::work::{self, Observer, Step, Unwatched};

/// $I(m)=\tfrac12\bigl((1+m)\ln(1+m)+(1-m)\ln(1-m)\bigr)$: the probability that two random patterns have overlap mN or more falls as
/// $e^{-NI(m)}$.
///
/// **Source**: not in the document; Cramér's theorem for a sum of fair signs.
///
/// **Errors**: `m` outside [-1, 1].
pub fn binary_rate(m: f64) -> Result<f64, Error> {
    let allowed = "an overlap in [-1, 1]";
    within("binary_rate", "m", m, (-1.0..=1.0).contains(&m), allowed)?;
    let part = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
    Ok(0.5 * (part(1.0 + m) + part(1.0 - m)))
}

/// $\lim\frac1N\ln M$ up to which the exponential energy holds a random pattern against M others at inputs $\rho N$ flips away.
///
/// With $m=1-2\rho$: $I(m)$ if $m<\tanh1$, where one rival decides, and $m-\ln\cosh1$ above it, where the sum of many does.
///
/// **Source**: not in the document; the random energy argument of Lucibello and Mézard (2024). **Units and ranges**: a single flip and a
/// typical pattern, $N\to\infty$; $0\le\rho<\frac12$.
///
/// ```
/// use workbench_features::compact::exponential_capacity_exponent;
/// let at_zero = exponential_capacity_exponent(0.0)?;
/// assert!((at_zero - (1.0 - 1f64.cosh().ln())).abs() < 1e-15 && at_zero < 2f64.ln());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Errors**: `rho` outside its range.
pub fn exponential_capacity_exponent(rho: f64) -> Result<f64, Error> {
    let op = "exponential_capacity_exponent";
    within(op, "rho", rho, (0.0..0.5).contains(&rho), "a fraction in [0, 1/2)")?;
    let m = 1.0 - 2.0 * rho;
    if m < 1f64.tanh() { binary_rate(m) } else { Ok(m - 1f64.cosh().ln()) }
}

/// $I(1-2\rho)/2$: the exponent that Demircigil, Heusel, Löwe, Upgang and Vermet (2017) prove for the exponential energy.
///
/// **Source**: not in the document; Demircigil et al. (2017), "On a model of associative memory with huge storage capacity".
///
/// **Errors**: `rho` outside [0, 1/2).
pub fn proved_capacity_exponent(rho: f64) -> Result<f64, Error> {
    let inside = (0.0..0.5).contains(&rho);
    within("proved_capacity_exponent", "rho", rho, inside, "a fraction in [0, 1/2)")?;
    Ok(0.5 * binary_rate(1.0 - 2.0 * rho)?)
}

/// Law of the overlap of a random pattern with a state on the N - 1 entries that are not flipped: ln P(d differences), d = 0..N-1.
fn log_law(n: usize) -> Vec<f64> {
    let mut log = -(n as f64 - 1.0) * 2f64.ln();
    (0..n)
        .map(|d| {
            if d > 0 {
                log += ((n - d) as f64 / d as f64).ln();
            }
            log
        })
        .collect()
}

/// What one pattern adds to the energy change, in units of the memory's own kernel: `d` differences elsewhere, and agreement or not
/// at the flipped entry. The memory itself has `k` differences and agrees.
fn share(interaction: Interaction, n: usize, k: usize, d: usize, agrees: bool) -> f64 {
    let here = if agrees { d } else { d + 1 };
    let there = if agrees { d + 1 } else { d };
    match interaction {
        Interaction::Exponential => {
            let f = |x: usize| (2.0 * (k as f64 - x as f64)).exp();
            f(here) - f(there)
        }
        Interaction::Polynomial(degree) => {
            let f = |x: usize| (1.0 - 2.0 * x as f64 / n as f64).powi(degree as i32);
            f(here) - f(there)
        }
    }
}

/// Random patterns and how often one of them is asked for, by [`wrong_flip_rate`] and [`measured_capacity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlipTrials {
    /// Length N of the patterns, at most 1000; 64 by default.
    pub length: usize,
    /// Flips k between the input and its pattern, below N; 8 by default.
    pub flips: usize,
    /// Independent runs; 20000 by default.
    pub runs: usize,
}

impl Default for FlipTrials {
    fn default() -> FlipTrials {
        FlipTrials { length: 64, flips: 8, runs: 20_000 }
    }
}

/// Probability that flipping an entry on which input and pattern agree lowers the energy, with `m` random patterns stored.
///
/// Exact in law: only how many rivals have each overlap matters, and these counts are multinomial, so M may be $2^{60}$.
///
/// **Source**: ours; the exponential energy is $E_\mathrm{reg}$ of A.2.
///
/// **Errors**: a zero count, flips not below the length, a length above 1000, stopped. **Cost** runs x N.
///
/// ```
/// use workbench_features::compact::{FlipTrials, Interaction, wrong_flip_rate};
/// use workbench_ground::stats::Streams;
/// let trials = FlipTrials { length: 32, flips: 4, runs: 500 };
/// let few = wrong_flip_rate(Interaction::Exponential, 100, trials, &Streams::new(1), "few")?;
/// let many = wrong_flip_rate(Interaction::Exponential, 1 << 24, trials, &Streams::new(1), "many")?;
/// assert!(few.value < 0.02 && many.value > 0.4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn wrong_flip_rate(
    interaction: Interaction,
    m: u64,
    trials: FlipTrials,
    streams: &Streams,
    name: &str,
) -> Result<Estimate, Error> {
    const OP: &str = "wrong_flip_rate";
    let (n, k, runs) = (trials.length, trials.flips, trials.runs);
    check_sizes(OP, n, k)?;
    positive(OP, "the number of patterns M", m)?;
    positive(OP, "the number of runs", runs)?;
    let log = log_law(n);
    // P(d' = d | d' >= d): the counts are drawn from the most similar rivals on.
    let mut rest = 0.0;
    let mut conditional: Vec<f64> = Vec::new();
    for l in log.iter().rev() {
        rest += l.exp();
        conditional.push((l.exp() / rest).min(1.0));
    }
    conditional.reverse();
    let shares: Vec<[f64; 2]> =
        (0..n).map(|d| [share(interaction, n, k, d, true), share(interaction, n, k, d, false)]).collect();
    let own = shares[k][0];
    const BLOCK: usize = 64;
    let block = |b: usize| -> Result<usize, Error> {
        work::check(OP, b * BLOCK, runs)?;
        let mut stream = streams.restart_replicate(name, b).map_err(Error::during(OP))?;
        // p is in [0, 1] by construction, the only thing that Binomial asks for.
        let mut count = |n: u64, p: f64| Binomial::new(n, p).map_or(0, |law| law.sample(&mut stream));
        let mut wrong = 0;
        for _ in 0..BLOCK.min(runs - b * BLOCK) {
            let agreeing = count(m - 1, 0.5);
            let (mut sum, mut size) = (own, own.abs());
            for (side, mut left) in [(0, agreeing), (1, m - 1 - agreeing)] {
                for d in 0..n {
                    if left == 0 {
                        break;
                    }
                    let here = count(left, conditional[d]);
                    left -= here;
                    let term = here as f64 * shares[d][side];
                    sum += term;
                    size += term.abs();
                }
            }
            wrong += usize::from(sum <= TIE * size);
        }
        Ok(wrong)
    };
    let wrong: Result<Vec<usize>, Error> = (0..runs.div_ceil(BLOCK)).into_par_iter().map(block).collect();
    proportion(wrong?.iter().sum(), runs).map_err(Error::during(OP))
}

/// $\ln M$ at which [`wrong_flip_rate`] reaches `level`, found on a grid of factors $2^{1/2}$ around [`predicted_capacity`].
///
/// **Source**: ours, as [`wrong_flip_rate`].
///
/// **Errors**: as [`wrong_flip_rate`] and [`predicted_capacity`]; a prediction of $e^{40}$ patterns or more; a level that is not crossed
/// within a factor $2^5$ of the prediction.
///
/// ```
/// use workbench_features::compact::{FlipTrials, Interaction, measured_capacity, predicted_capacity};
/// let (energy, streams) = (Interaction::Polynomial(2), workbench_ground::stats::Streams::new(4));
/// let trials = FlipTrials { runs: 2000, ..FlipTrials::default() };
/// let measured = measured_capacity(energy, 0.05, trials, &streams, "quadratic")?;
/// assert!((measured.value - predicted_capacity(energy, 64, 8, 0.05)?).abs() < 0.5);
/// # Ok::<(), workbench_features::Error>(())
/// ```
pub fn measured_capacity(
    interaction: Interaction,
    level: f64,
    trials: FlipTrials,
    streams: &Streams,
    name: &str,
) -> Result<Estimate, Error> {
    measured_capacity_watched(interaction, level, trials, streams, name, &mut Unwatched)
}

/// [`measured_capacity`], telling `observer` the rate at each number of patterns of the grid. Rates far above the level end the grid,
/// and count as its last step.
///
/// **Source**: ours, as [`wrong_flip_rate`]. **Errors**: as [`measured_capacity`].
pub fn measured_capacity_watched(
    interaction: Interaction,
    level: f64,
    trials: FlipTrials,
    streams: &Streams,
    name: &str,
    observer: &mut dyn Observer,
) -> Result<Estimate, Error> {
    const OP: &str = "measured_capacity";
    /// Steps of the grid below the prediction, and as many above it.
    const SIDE: i32 = 10;
    observer.value_is("rate of wrong flips");
    let predicted = predicted_capacity(interaction, trials.length, trials.flips, level)?;
    let inside = (0.0..40.0).contains(&predicted);
    within(OP, "predicted ln M", predicted, inside, "a number in [0, 40)")?;
    let (mut x, mut rates) = (Vec::new(), Vec::new());
    let of = 2 * SIDE as usize + 1;
    for (done, step) in (1..).zip(-SIDE..=SIDE) {
        let m = (predicted + 0.5 * f64::from(step) * 2f64.ln()).exp().round();
        if m < 1.0 || x.last().is_some_and(|last| m.ln() <= *last) {
            continue;
        }
        let rate = wrong_flip_rate(interaction, m as u64, trials, streams, &format!("{name}, M = {m}"))?;
        x.push(m.ln());
        rates.push(rate);
        let last = rate.low > 3.0 * level;
        observer.observe(Step { done: if last { of } else { done }, of, value: Some(rate.value) });
        if last {
            break;
        }
    }
    let at = |value: fn(&Estimate) -> f64| {
        let y: Vec<f64> = rates.iter().map(value).collect();
        let allowed = "a rate that is reached near the predicted capacity; more runs may reach it";
        crossing(&x, &y, level).ok_or(Error::parameter(OP, "level", level, allowed))
    };
    let (value, low, high) = (at(|e| e.value)?, at(|e| e.high)?, at(|e| e.low)?);
    Estimate::new(value, low.min(value), high.max(value), trials.runs as u64, rates[0].confidence)
        .map_err(Error::during(OP))
}

/// $\ln M$ at which Gaussian noise with the exact mean and variance of the rivals makes the flip wrong with probability `level`.
///
/// For degree n at large N: $M\approx\frac{(1-2\rho)^{2(n-1)}}{z^2(2n-3)!!}N^{n-1}$ with z the normal quantile of `level`; $n=2$ is
/// Hopfield's linear law. Not for the exponential, whose noise is nothing like Gaussian.
///
/// **Source**: not in the document; the signal-to-noise argument for polynomial energies.
///
/// **Errors**: `k` not below `n`, a level outside (0, 1/2), an input so far away that even a single pattern fails.
pub fn gaussian_capacity(degree: u32, n: usize, k: usize, level: f64) -> Result<f64, Error> {
    const OP: &str = "gaussian_capacity";
    check_sizes(OP, n, k)?;
    let allowed = "a probability in (0, 1/2)";
    within(OP, "level", level, level > 0.0 && level < 0.5, allowed)?;
    let (log, f) = (log_law(n), Interaction::Polynomial(degree));
    let own = share(f, n, k, k, true);
    let (mut mean, mut square) = (0.0, 0.0);
    for (d, l) in log.iter().enumerate() {
        for agrees in [true, false] {
            let term = share(f, n, k, d, agrees);
            mean += 0.5 * l.exp() * term;
            square += 0.5 * l.exp() * term * term;
        }
    }
    within(OP, "signal", own, own > 0.0, "an input nearer to the pattern")?;
    // own + (M - 1) mean = z sd sqrt(M - 1), a quadratic in sqrt(M - 1); the mean is negative for even degrees.
    let (z, sd) = (-normal_quantile(level), (square - mean * mean).sqrt());
    let root = if mean < 0.0 {
        (-z * sd + (z * z * sd * sd - 4.0 * mean * own).sqrt()) / (-2.0 * mean)
    } else {
        own / (z * sd)
    };
    Ok((1.0 + root * root).ln())
}

/// $\ln M$ at which the probability that some rival alone turns the flip, because it is no further from the input than the pattern
/// and disagrees with it at the entry, reaches `level`.
///
/// Exact for the exponential energy where one rival decides, $1-2\rho<\tanh1$; above what is measured elsewhere.
///
/// **Source**: ours.
///
/// **Errors**: `k` not below `n`, a level outside (0, 1/2).
pub fn single_rival_capacity(n: usize, k: usize, level: f64) -> Result<f64, Error> {
    const OP: &str = "single_rival_capacity";
    check_sizes(OP, n, k)?;
    let allowed = "a probability in (0, 1/2)";
    within(OP, "level", level, level > 0.0 && level < 0.5, allowed)?;
    // It disagrees here and differs in d < k other places: at d = k the two cancel exactly.
    let tail: f64 = log_law(n).iter().take(k).map(|l| 0.5 * l.exp()).sum();
    Ok((1.0 + (-level).ln_1p() / (-tail).ln_1p()).ln())
}

/// $\ln M$ as theory has it, without a fitted constant: [`gaussian_capacity`] for a polynomial, [`single_rival_capacity`] for the
/// exponential.
///
/// **Source**: as [`gaussian_capacity`] and [`single_rival_capacity`]; not in the document.
///
/// **Errors**: as there.
///
/// ```
/// use workbench_features::compact::{Interaction, predicted_capacity};
/// let of = |energy| predicted_capacity(energy, 64, 8, 0.05);
/// assert!(of(Interaction::Polynomial(2))? < of(Interaction::Polynomial(3))?);
/// assert!(of(Interaction::Polynomial(3))? < of(Interaction::Exponential)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn predicted_capacity(interaction: Interaction, n: usize, k: usize, level: f64) -> Result<f64, Error> {
    match interaction {
        Interaction::Polynomial(degree) => gaussian_capacity(degree, n, k, level),
        Interaction::Exponential => single_rival_capacity(n, k, level),
    }
}

fn check_sizes(op: &'static str, n: usize, k: usize) -> Result<(), Error> {
    positive(op, "the length N", n)?;
    position(op, "length N", n, 1001)?;
    position(op, "number of flips k", k, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::{DenseMemory, Patterns};
    use workbench_ground::work::Seen;

    #[test]
    fn rates_by_hand() {
        assert!((binary_rate(1.0).unwrap() - 2f64.ln()).abs() < 1e-15);
        assert_eq!(binary_rate(0.0).unwrap(), 0.0);
        assert_eq!(binary_rate(-0.4).unwrap(), binary_rate(0.4).unwrap());
        assert!((proved_capacity_exponent(0.0).unwrap() - 0.5 * 2f64.ln()).abs() < 1e-15);
        // The two branches meet with equal values where m = tanh 1.
        let rho = 0.5 * (1.0 - 1f64.tanh());
        let (a, b) = (exponential_capacity_exponent(rho - 1e-9), exponential_capacity_exponent(rho + 1e-9));
        assert!((a.unwrap() - b.unwrap()).abs() < 1e-8);
    }

    /// The simulation in law against memories that are really built.
    #[test]
    fn law_agrees_with_built_memories() {
        let streams = Streams::new(4);
        for (interaction, m) in
            [(Interaction::Exponential, 60u64), (Interaction::Polynomial(2), 8), (Interaction::Polynomial(3), 20)]
        {
            let (n, k, runs) = (16, 3, 4000);
            let trials = FlipTrials { length: n, flips: k, runs };
            let law = wrong_flip_rate(interaction, m, trials, &streams, "law").unwrap();
            let mut wrong = 0;
            for run in 0..runs {
                let mut stream = streams.restart_replicate("built", run).unwrap();
                let set = Patterns::random(m as usize, n, &mut stream).unwrap();
                let input = set.pattern(0).unwrap().flipped_at(&[1, 2, 3]).unwrap();
                let change = DenseMemory::new(set, interaction).flip_change(&input, 0).unwrap();
                wrong += usize::from(change.sign <= 0.0);
            }
            let built = proportion(wrong, runs).unwrap();
            assert!(law.low < built.high && built.low < law.high, "{interaction:?} {law} {built}");
            assert!(built.value > 0.02, "the comparison has something to compare: {built}");
        }
    }

    #[test]
    fn gaussian_capacity_has_its_textbook_limits() {
        for (degree, double_factorial) in [(2u32, 1.0), (3, 3.0), (4, 15.0)] {
            let log = |n: usize| gaussian_capacity(degree, n, n / 8, 0.01).unwrap();
            let n = 960f64;
            let z: f64 = -normal_quantile(0.01);
            let limit = 0.75f64.powi(2 * degree as i32 - 2) * n.powi(degree as i32 - 1) / (z * z * double_factorial);
            assert!((log(960) - limit.ln()).abs() < 0.1, "{degree}: {} {}", log(960), limit.ln());
        }
    }

    #[test]
    fn measured_capacity_meets_both_theories() {
        let streams = Streams::new(4);
        let measured = |interaction, length, flips, name: &str| {
            let trials = FlipTrials { length, flips, runs: 4000 };
            let mut seen = Seen::default();
            let found = measured_capacity_watched(interaction, 0.05, trials, &streams, name, &mut seen).unwrap();
            assert!(seen.0.windows(2).all(|pair| pair[0].done < pair[1].done));
            assert!(seen.0.last().is_some_and(|step| step.done == step.of));
            found
        };
        let theory = gaussian_capacity(2, 64, 8, 0.05).unwrap();
        let seen = measured(Interaction::Polynomial(2), 64, 8, "two");
        assert!((seen.value - theory).abs() < 0.3, "{seen} {theory}");
        let theory = single_rival_capacity(48, 14, 0.05).unwrap();
        let seen = measured(Interaction::Exponential, 48, 14, "exp");
        assert!((seen.value - theory).abs() < 0.6, "{seen} {theory}");
    }

    #[test]
    fn refuses_bad_input() {
        let streams = Streams::new(4);
        for bad in [-0.1, 0.5, f64::NAN] {
            assert!(matches!(exponential_capacity_exponent(bad), Err(Error::Parameter { .. })));
            assert!(matches!(proved_capacity_exponent(bad), Err(Error::Parameter { .. })));
        }
        assert!(binary_rate(1.1).is_err() && binary_rate(f64::NAN).is_err());
        let rate = |length, flips, m, runs| {
            let trials = FlipTrials { length, flips, runs };
            wrong_flip_rate(Interaction::Exponential, m, trials, &streams, "b")
        };
        assert!(matches!(rate(0, 0, 1, 1), Err(Error::Zero { .. })));
        assert!(matches!(rate(8, 8, 1, 1), Err(Error::NoSuch { .. })));
        assert!(matches!(rate(8, 1, 0, 1), Err(Error::Zero { .. })));
        assert!(matches!(rate(8, 1, 1, 0), Err(Error::Zero { .. })));
        assert!(matches!(gaussian_capacity(2, 8, 1, 0.7), Err(Error::Parameter { .. })));
        assert!(matches!(gaussian_capacity(2, 8, 5, 0.1), Err(Error::Parameter { name: "signal", .. })));
        assert!(matches!(single_rival_capacity(8, 1, 0.0), Err(Error::Parameter { .. })));
    }
}
