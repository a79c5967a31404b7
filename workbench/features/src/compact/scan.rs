//! Theorem A.1 by exhaustion: every memory, every input of its ball, every flip.

use super::{Error, Guarantee, Patterns, Signs};
use rayon::prelude::*;
use workbench_ground::check::same;
use workbench_ground::work;

/// Most terms an enumeration may touch.
const MOST_TERMS: f64 = 2e11;

/// Changes below this share of their terms count as zero; sums of up to a million terms are accurate to about 1e-13.
pub(crate) const TIE: f64 = 1e-12;

/// What an exhaustive enumeration saw. Logarithms are natural; `*_ratio` are quotients with the bound of the named equation.
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
    /// Eq. 23: largest first line over last, with the true noise as first line.
    pub noise_ratio: f64,
    /// Eq. 23: largest sum of absolute values (right of the first sign) over the middle line with $1/r$.
    pub absolute_ratio: f64,
    /// Eq. 24: smallest signal over its bound; 1 when the bound is attained.
    pub away_ratio: f64,
    /// Eq. 27: smallest signal over its bound (both negative); 1 when the bound is attained.
    pub towards_ratio: f64,
    /// Eq. 25: smallest change minus bound, over $e^{N(1-2\rho)}$; not negative if the inequality holds.
    pub away_slack: f64,
    /// Eq. 28: smallest bound minus change, over $e^{N(1-2\rho)}$.
    pub towards_slack: f64,
    /// Smallest change in the first case over $e^{N(1-2\rho)}$: what the theorem bounds from below by 0.
    pub least_away: f64,
    /// Largest change in the second case over $e^{N(1-2\rho)}$.
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
            noise_ratio: 0.0,
            absolute_ratio: 0.0,
            away_ratio: f64::INFINITY,
            towards_ratio: f64::INFINITY,
            away_slack: f64::INFINITY,
            towards_slack: f64::INFINITY,
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
            least_margin: self.least_margin.min(other.least_margin),
            noise_ratio: self.noise_ratio.max(other.noise_ratio),
            absolute_ratio: self.absolute_ratio.max(other.absolute_ratio),
            away_ratio: self.away_ratio.min(other.away_ratio),
            towards_ratio: self.towards_ratio.min(other.towards_ratio),
            away_slack: self.away_slack.min(other.away_slack),
            towards_slack: self.towards_slack.min(other.towards_slack),
            least_away: self.least_away.min(other.least_away),
            largest_towards: self.largest_towards.max(other.largest_towards),
        }
    }
}

/// Number of inputs within `radius` flips of a vector of length `n`; infinite where f64 ends.
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
/// **Errors**: more than a million of them.
///
/// ```
/// use workbench::features::compact::{Signs, ball};
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

/// Enumerates all memories, all inputs of their balls and all flips, and compares every line of the proof of Theorem A.1.
///
/// The expected change is the exact one, $\Delta_i=\sum_\mu(e^{\xi^{\mu\top}\hat\xi}-e^{\xi^{\mu\top}\mathrm{neg}(\hat\xi,i)})$: the random
/// features are unbiased, so r drops out.
///
/// **Source**: A.2, Eqs. 22 to 28. **Errors**: another length, more than 2e11 terms, stopped. **Cost** $M^2N$ times the size of a ball.
///
/// ```
/// use workbench::features::compact::{Guarantee, Patterns, scan};
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
/// **Errors**: as [`scan`], a memory that does not exist.
pub fn scan_of(patterns: &Patterns, guarantee: &Guarantee, memories: &[usize]) -> Result<Scan, Error> {
    const OP: &str = "scan";
    let (n, m, radius) = (patterns.dim(), patterns.len(), guarantee.radius());
    let guarantee_dim = ("N of the guarantee", guarantee.dim());
    same(OP, ("length N of the patterns", n), guarantee_dim)?;
    let count = ball_size(n, radius) * (m * n * memories.len()) as f64;
    few(OP, "terms", count, MOST_TERMS)?;
    let of = memories.len() as u64;
    let mut seen = Scan::nothing();
    for (done, &l) in memories.iter().enumerate() {
        let center = patterns.pattern(l)?;
        let inputs = ball(&center, radius)?;
        // Chunks small enough that a stop is noticed in time.
        let chunk = (2_000_000 / (m * n)).clamp(1, 4096);
        let parts: Result<Vec<Scan>, Error> = inputs
            .par_chunks(chunk)
            .map(|inputs| {
                work::check(OP, done as u64, of)?;
                Ok(inputs
                    .iter()
                    .fold(Scan::nothing(), |s, input| s.join(one(patterns, guarantee, l, input))))
            })
            .collect();
        seen = parts?.into_iter().fold(seen, Scan::join);
    }
    Ok(seen)
}

/// All flips of one input in the ball of memory `l`.
fn one(patterns: &Patterns, guarantee: &Guarantee, l: usize, input: &Signs) -> Scan {
    let (n, m) = (patterns.dim(), patterns.len());
    let edge = guarantee.log_edge();
    let (up, down) = (-(-2f64).exp_m1(), 2f64.exp_m1()); // 1 - e^-2 and e^2 - 1
    // Sums over the competitors of exp(overlap - edge), split by agreement at each entry.
    let (mut agree, mut differ) = (vec![0.0; n], vec![0.0; n]);
    for (mu, row) in patterns.rows().iter().enumerate() {
        if mu == l {
            continue;
        }
        let kernel = (n as f64 - 2.0 * row.apart(input) as f64 - edge).exp();
        for i in 0..n {
            if row.bit(i) == input.bit(i) {
                agree[i] += kernel
            } else {
                differ[i] += kernel
            }
        }
    }
    let memory = &patterns.rows()[l];
    let own = (n as f64 - 2.0 * memory.apart(input) as f64 - edge).exp();
    let (last, middle) = (
        guarantee.log_noise_bound(m) - edge,
        guarantee.log_noise_middle(m) - edge,
    );
    let mut seen = Scan {
        inputs: 1,
        ..Scan::nothing()
    };
    for i in 0..n {
        let away = memory.bit(i) == input.bit(i);
        let signal = if away { own * up } else { -own * down };
        let noise = agree[i] * up - differ[i] * down;
        let change = signal + noise;
        let size = signal.abs() + agree[i] * up + differ[i] * down;
        // A change that rounding cannot tell from zero is a tie, and the theorem says that there is none.
        let tie = TIE * size;
        seen.wrong += u64::from(if away { change <= tie } else { change >= -tie });
        seen.least_margin = seen.least_margin.min(change.abs() / size);
        seen.noise_ratio = seen.noise_ratio.max(noise.abs() / last.exp());
        if m > 1 {
            // e^o + e^(o -+ 2) for those that agree and those that differ.
            let absolute = agree[i] * (1.0 + (-2f64).exp()) + differ[i] * (1.0 + 2f64.exp());
            seen.absolute_ratio = seen.absolute_ratio.max(absolute / middle.exp());
        }
        if away {
            seen.away += 1;
            seen.away_ratio = seen.away_ratio.min(signal / up);
            seen.away_slack = seen.away_slack.min(change - guarantee.away_bound(m));
            seen.least_away = seen.least_away.min(change);
        } else {
            seen.towards += 1;
            seen.towards_ratio = seen.towards_ratio.min(signal / -down);
            seen.towards_slack = seen.towards_slack.min(guarantee.towards_bound(m) - change);
            seen.largest_towards = seen.largest_towards.max(change);
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
        assert!(matches!(
            ball(&Signs::plus(64).unwrap(), 32),
            Err(Error::TooMany { .. })
        ));
    }

    /// The same numbers from the energies, one flip at a time.
    #[test]
    fn agrees_with_energies() {
        let code = Patterns::reed_muller(1, 3).unwrap(); // distance 4, balls of one flip
        let g = Guarantee::of(&code, 1).unwrap();
        let seen = scan(&code, &g).unwrap();
        let memory = DenseMemory::new(code.clone(), Interaction::Exponential);
        let (mut wrong, mut away, mut least) = (0, 0, f64::INFINITY);
        for l in 0..code.len() {
            let center = code.pattern(l).unwrap();
            for input in ball(&center, 1).unwrap() {
                for i in 0..8 {
                    let change = memory.flip_change(&input, i).unwrap().value() / 6f64.exp();
                    if input.get(i) == center.get(i) {
                        away += 1;
                        wrong += u64::from(change <= 0.0);
                        least = least.min(change);
                    } else {
                        wrong += u64::from(change >= 0.0);
                    }
                }
            }
        }
        assert_eq!((seen.away, seen.wrong, seen.inputs), (away, wrong, 16 * 9));
        assert!((seen.least_away - least).abs() < 1e-12);
        assert!((seen.away_ratio - 1.0).abs() < 1e-12 && (seen.towards_ratio - 1.0).abs() < 1e-12);
        assert!(seen.away_slack >= 0.0 && seen.towards_slack >= 0.0);
        assert!(seen.noise_ratio <= 1.0 && seen.absolute_ratio <= 1.0);
    }

    /// One competitor fewer than the sharp limit is safe, one more is not.
    #[test]
    fn the_sunflower_turns_at_the_sharp_limit() {
        for (radius, gap) in [(1, 2), (2, 2), (1, 3)] {
            let most = (2.0 * gap as f64 - 2.0).exp().floor() as usize; // competitors
            let wrong = |petals| {
                let set = Patterns::sunflower(petals, radius, gap).unwrap();
                let g = Guarantee::of(&set, radius).unwrap();
                assert!((g.log_sharp_limit() - (2.0 * gap as f64 - 2.0)).abs() < 1e-9);
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
        assert!((first.noise_ratio - last.noise_ratio).abs() < 1e-12);
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
