//! Theorem A.1 by exhaustion: every memory, every input of its ball, every flip.

use super::{Error, Guarantee, Patterns, Signs};
use rayon::prelude::*;
use workbench_ground::check::same;
use workbench_ground::stats::{largest_of, least_of};
use workbench_ground::work;

/// Most terms an enumeration may touch.
const MOST_TERMS: f64 = 2e11;

/// Changes below this share of their terms count as zero; sums of up to a million terms are accurate to about 1e-13.
pub(crate) const TIE: f64 = 1e-12;

/// What an exhaustive enumeration found, in units that hold no constant of the document's bounds: signals and changes over the kernel at
/// the edge of the ball, $e^{N(1-2\rho)}$, noise over the largest kernel of another memory, $e^{N(1-2(\tau-\rho))}$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan {
    /// Pairs of a memory and an input in its ball.
    pub inputs: u64,
    /// Flips away from the memory (first case of the proof).
    pub away: u64,
    /// Flips towards it (second case).
    pub towards: u64,
    /// Flips whose expected energy change has the wrong sign, or is zero.
    pub wrong: u64,
    /// Smallest $|\Delta|$ over the sum of the absolute values of its terms: far above 1e-12 means that no sign is in doubt.
    pub least_margin: f64,
    /// Smallest signal in the first case: what Eq. 24 bounds from below.
    pub least_signal: f64,
    /// Largest signal in the second case, a negative number: what Eq. 27 bounds from above.
    pub largest_signal: f64,
    /// Largest $\lvert\mathrm{noise}\rvert$: the left of Eq. 23.
    pub largest_noise: f64,
    /// Largest sum of the kernels of all others before and after the flip: the right of the first sign in Eq. 23.
    pub largest_terms: f64,
    /// Smallest change in the first case: what Eq. 25 bounds from below.
    pub least_away: f64,
    /// Largest change in the second case: what Eq. 28 bounds from above.
    pub largest_towards: f64,
}

impl Scan {
    fn nothing() -> Scan {
        Scan {
            inputs: 0,
            away: 0,
            towards: 0,
            wrong: 0,
            least_margin: f64::INFINITY,
            least_signal: f64::INFINITY,
            largest_signal: f64::NEG_INFINITY,
            largest_noise: 0.0,
            largest_terms: 0.0,
            least_away: f64::INFINITY,
            largest_towards: f64::NEG_INFINITY,
        }
    }

    fn join(self, other: Scan) -> Scan {
        Scan {
            inputs: self.inputs + other.inputs,
            away: self.away + other.away,
            towards: self.towards + other.towards,
            wrong: self.wrong + other.wrong,
            least_margin: least_of([self.least_margin, other.least_margin]),
            least_signal: least_of([self.least_signal, other.least_signal]),
            largest_signal: largest_of([self.largest_signal, other.largest_signal]),
            largest_noise: largest_of([self.largest_noise, other.largest_noise]),
            largest_terms: largest_of([self.largest_terms, other.largest_terms]),
            least_away: least_of([self.least_away, other.least_away]),
            largest_towards: largest_of([self.largest_towards, other.largest_towards]),
        }
    }

    /// All flips seen.
    pub fn flips(&self) -> u64 {
        self.away + self.towards
    }
}

/// Number of inputs within `radius` flips of a vector of length `n`; infinite where f64 ends.
///
/// **Source**: A.2, the ball $\mathcal B(\xi^l,\rho N)$ of Theorem A.1.
pub fn ball_size(n: usize, radius: usize) -> f64 {
    let mut term = 1.0;
    (0..=radius.min(n))
        .map(|j| {
            if j > 0 {
                term *= (n - j + 1) as f64 / j as f64;
            }
            term
        })
        .sum()
}

/// Every vector within `radius` flips of `center`, nearest first.
///
/// **Source**: A.2, the ball $\mathcal B(\xi^l,\rho N)$ of Theorem A.1.
///
/// **Errors**: more than a million of them.
///
/// ```
/// use workbench_features::compact::{Signs, ball};
/// assert_eq!(ball(&Signs::plus(10)?, 2)?.len(), 1 + 10 + 45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ball(center: &Signs, radius: usize) -> Result<Vec<Signs>, Error> {
    few("ball", "inputs", ball_size(center.dim(), radius), 1e6)?;
    let mut all = vec![center.clone()];
    let mut shell = vec![(center.clone(), 0usize)]; // a vector and the first entry that may still be flipped
    for _ in 0..radius.min(center.dim()) {
        let mut next = Vec::new();
        for (vector, from) in &shell {
            for i in *from..center.dim() {
                let mut other = vector.clone();
                other.flip(i);
                next.push((other, i + 1));
            }
        }
        all.extend(next.iter().map(|(vector, _)| vector.clone()));
        shell = next;
    }
    Ok(all)
}

/// Enumerates all memories, all inputs of their balls and all flips, and keeps the extremes that the lines of the proof of Theorem A.1
/// bound. Every kernel is the exponential of an overlap, before and after the flip; the bounds are not used.
///
/// The expected change is the exact one, $\Delta_i=\sum_\mu(e^{\xi^{\mu\top}\hat\xi}-e^{\xi^{\mu\top}\mathrm{neg}(\hat\xi,i)})$: the random
/// features are unbiased, so r drops out.
///
/// **Source**: A.2, Eqs. 22 to 28. **Errors**: another length, more than 2e11 terms, stopped. **Cost** $M^2N$ times the size of a ball.
///
/// ```
/// use workbench_features::compact::{Guarantee, Patterns, scan};
/// let code = Patterns::reed_muller(1, 3)?;
/// let seen = scan(&code, &Guarantee::of(&code, 1)?)?;
/// assert_eq!((seen.inputs, seen.wrong), (16 * 9, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scan(patterns: &Patterns, guarantee: &Guarantee) -> Result<Scan, Error> {
    let all: Vec<usize> = (0..patterns.len()).collect();
    scan_of(patterns, guarantee, &all)
}

/// [`scan`] of the balls around some of the memories only; the others still compete.
///
/// For a linear code the ball around one word looks like the ball around any other, and one is enough.
///
/// **Source**: A.2, Eqs. 22 to 28.
///
/// **Errors**: as [`scan`], a memory that does not exist.
pub fn scan_of(patterns: &Patterns, guarantee: &Guarantee, memories: &[usize]) -> Result<Scan, Error> {
    const OP: &str = "scan";
    let (n, m, radius) = (patterns.dim(), patterns.len(), guarantee.radius());
    let guarantee_dim = ("N of the guarantee", guarantee.dim());
    same(OP, ("length N of the patterns", n), guarantee_dim)?;
    let count = ball_size(n, radius) * (m * n * memories.len()) as f64;
    few(OP, "terms", count, MOST_TERMS)?;
    let of = memories.len();
    let mut seen = Scan::nothing();
    for (done, &l) in memories.iter().enumerate() {
        let center = patterns.pattern(l)?;
        let inputs = ball(&center, radius)?;
        // Chunks small enough that a stop is noticed in time.
        let chunk = (2_000_000 / (m * n)).clamp(1, 4096);
        let parts: Result<Vec<Scan>, Error> = inputs
            .par_chunks(chunk)
            .map(|inputs| {
                work::check(OP, done, of)?;
                Ok(inputs.iter().fold(Scan::nothing(), |s, input| s.join(one(patterns, guarantee, l, input))))
            })
            .collect();
        seen = parts?.into_iter().fold(seen, Scan::join);
    }
    Ok(seen)
}

/// All flips of one input in the ball of memory `l`.
fn one(patterns: &Patterns, guarantee: &Guarantee, l: usize, input: &Signs) -> Scan {
    let n = patterns.dim();
    let edge = guarantee.log_edge();
    // The kernel at distance d, in units of that at the edge.
    let kernel: Vec<f64> = (0..=n).map(|d| (n as f64 - 2.0 * d as f64 - edge).exp()).collect();
    let own = patterns.rows()[l].apart(input);
    // Over the competitors: sums of the kernel's differences, of their absolute values, and of both kernels.
    let (mut noise, mut absolute, mut terms) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for (mu, row) in patterns.rows().iter().enumerate() {
        if mu == l {
            continue;
        }
        let before = row.apart(input);
        for i in 0..n {
            // A flip takes a pattern that agrees at i one step away, and one that disagrees one step nearer.
            let after = if row.bit(i) == input.bit(i) { before + 1 } else { before - 1 };
            let change = kernel[before] - kernel[after];
            noise[i] += change;
            absolute[i] += change.abs();
            terms[i] += kernel[before] + kernel[after];
        }
    }
    let over_other = (edge - guarantee.log_other()).exp();
    let memory = &patterns.rows()[l];
    let mut seen = Scan { inputs: 1, ..Scan::nothing() };
    for i in 0..n {
        let away = memory.bit(i) == input.bit(i);
        let after = if away { own + 1 } else { own - 1 };
        let signal = kernel[own] - kernel[after];
        let change = signal + noise[i];
        let size = signal.abs() + absolute[i];
        // A change that rounding cannot tell from zero is a tie, and the theorem says that there is none.
        let tie = TIE * size;
        let right = if away { change > tie } else { change < -tie };
        seen.wrong += u64::from(!right);
        seen.least_margin = least_of([seen.least_margin, change.abs() / size]);
        seen.largest_noise = largest_of([seen.largest_noise, noise[i].abs() * over_other]);
        seen.largest_terms = largest_of([seen.largest_terms, terms[i] * over_other]);
        if away {
            seen.away += 1;
            seen.least_signal = least_of([seen.least_signal, signal]);
            seen.least_away = least_of([seen.least_away, change]);
        } else {
            seen.towards += 1;
            seen.largest_signal = largest_of([seen.largest_signal, signal]);
            seen.largest_towards = largest_of([seen.largest_towards, change]);
        }
    }
    seen
}

pub(crate) fn few(op: &'static str, what: &'static str, count: f64, limit: f64) -> Result<(), Error> {
    if count <= limit {
        return Ok(());
    }
    let next = "take a shorter code, a smaller ball or fewer memories";
    Err(Error::too_many(op, what, count, limit, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::{DenseMemory, Interaction};
    use std::collections::HashSet;

    #[test]
    fn a_ball_has_every_input_once() {
        let center = Signs::from_bits(9, 0b101).unwrap();
        let inputs = ball(&center, 3).unwrap();
        assert_eq!(inputs.len() as f64, ball_size(9, 3));
        assert!(inputs.iter().all(|x| x.distance(&center).unwrap() <= 3));
        assert_eq!(inputs.iter().collect::<HashSet<_>>().len(), inputs.len());
        assert_eq!(ball(&center, 20).unwrap().len(), 512);
        assert!(matches!(ball(&Signs::plus(64).unwrap(), 32), Err(Error::TooMany { .. })));
    }

    #[test]
    fn a_change_that_is_no_number_is_seen() {
        let nan = f64::NAN;
        let broken = Scan {
            least_margin: nan,
            least_signal: nan,
            largest_signal: nan,
            largest_noise: nan,
            largest_terms: nan,
            least_away: nan,
            largest_towards: nan,
            ..Scan::nothing()
        };
        for both in [broken.join(Scan::nothing()), Scan::nothing().join(broken)] {
            let least = [both.least_margin, both.least_signal, both.least_away];
            let largest = [both.largest_signal, both.largest_noise, both.largest_terms, both.largest_towards];
            assert!(least.iter().chain(&largest).all(|x| x.is_nan()), "{both:?}");
        }
    }

    /// The same numbers from the energies of both states, one flip at a time.
    #[test]
    fn agrees_with_energies() {
        let code = Patterns::reed_muller(1, 3).unwrap(); // distance 4, balls of one flip
        let g = Guarantee::of(&code, 1).unwrap();
        let seen = scan(&code, &g).unwrap();
        let memory = |rows: Vec<Signs>| DenseMemory::new(Patterns::from_signs(rows).unwrap(), Interaction::Exponential);
        let change = |memory: &DenseMemory, input: &Signs, i: usize| {
            let after = memory.energy(&input.flipped(i).unwrap()).unwrap();
            after.value() - memory.energy(input).unwrap().value()
        };
        let mut by_hand = Scan::nothing();
        for l in 0..code.len() {
            let center = code.pattern(l).unwrap();
            let others = (0..code.len()).filter(|mu| *mu != l).map(|mu| code.pattern(mu).unwrap());
            let (near, rest) = (memory(vec![center.clone()]), memory(others.collect()));
            for input in ball(&center, 1).unwrap() {
                for i in 0..8 {
                    let (signal, noise) = (change(&near, &input, i), change(&rest, &input, i));
                    let (signal, all) = (signal / 6f64.exp(), (signal + noise) / 6f64.exp());
                    let away = input.get(i) == center.get(i);
                    by_hand = by_hand.join(Scan {
                        away: u64::from(away),
                        towards: u64::from(!away),
                        wrong: u64::from((all > 0.0) != away),
                        least_signal: if away { signal } else { f64::INFINITY },
                        largest_signal: if away { f64::NEG_INFINITY } else { signal },
                        largest_noise: noise.abs() / 2f64.exp(), // N (1 - 2 (tau - rho)) = 2
                        least_away: if away { all } else { f64::INFINITY },
                        largest_towards: if away { f64::NEG_INFINITY } else { all },
                        ..Scan::nothing()
                    });
                }
            }
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * a.abs().max(1.0), "{a} {b}");
        assert_eq!((seen.away, seen.towards, seen.wrong), (by_hand.away, by_hand.towards, by_hand.wrong));
        assert_eq!((seen.inputs, seen.flips()), (16 * 9, 16 * 9 * 8));
        close(seen.least_signal, by_hand.least_signal);
        close(seen.largest_signal, by_hand.largest_signal);
        close(seen.largest_noise, by_hand.largest_noise);
        close(seen.least_away, by_hand.least_away);
        close(seen.largest_towards, by_hand.largest_towards);
        assert!(seen.largest_noise <= seen.largest_terms);
    }

    #[test]
    fn single_patterns_have_no_noise() {
        let one = Patterns::from_signs(vec![Signs::plus(10).unwrap()]).unwrap();
        let seen = scan(&one, &Guarantee::of(&one, 4).unwrap()).unwrap();
        assert_eq!((seen.wrong, seen.largest_noise, seen.largest_terms), (0, 0.0, 0.0));
    }

    /// Distances alone allow at most $e^{2N(\tau-2\rho)-2}$ competitors; the sunflower with so many is safe, with one more it is not.
    #[test]
    fn the_sunflower_turns_at_the_sharp_limit() {
        for (radius, gap) in [(1, 2), (2, 2), (1, 3)] {
            let most = (2.0 * gap as f64 - 2.0).exp().floor() as usize; // competitors
            let wrong = |petals| {
                let set = Patterns::sunflower(petals, radius, gap).unwrap();
                let g = Guarantee::of(&set, radius).unwrap();
                let few = scan_of(&set, &g, &[0]).unwrap();
                assert!(few.least_margin > 1e-6);
                few.wrong
            };
            assert_eq!(wrong(most), 0);
            assert!(wrong(most + 1) > 0);
        }
    }

    #[test]
    fn every_word_of_a_linear_code_sees_the_same() {
        let code = Patterns::reed_muller(1, 3).unwrap();
        let g = Guarantee::of(&code, 1).unwrap();
        let (first, last) = (scan_of(&code, &g, &[0]).unwrap(), scan_of(&code, &g, &[11]).unwrap());
        assert!((first.least_away - last.least_away).abs() < 1e-12);
        assert!((first.largest_noise - last.largest_noise).abs() < 1e-12);
    }

    /// In a perfect code the nearest competitor exactly cancels the signal at the edge of the ball.
    #[test]
    fn ties_of_a_perfect_code_are_seen() {
        let code = Patterns::cyclic(7, 0b1011).unwrap();
        let seen = scan(&code, &Guarantee::of(&code, 1).unwrap()).unwrap();
        assert!(seen.wrong > 0 && seen.least_margin < 1e-12);
    }

    #[test]
    fn refuses_bad_input() {
        let code = Patterns::reed_muller(1, 3).unwrap();
        let other = Guarantee::new(9, 0.5, 0.1).unwrap();
        assert!(matches!(scan(&code, &other), Err(Error::Shape { .. })));
        let g = Guarantee::of(&code, 1).unwrap();
        assert!(matches!(scan_of(&code, &g, &[16]), Err(Error::NoSuch { .. })));
    }
}
