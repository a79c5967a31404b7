//! Weighting schemes: how much of each association a memory stores.

use crate::blocks::watched_blocks;
use crate::data::zipf::{Counts, Zipf};
use workbench_ground::Error;
use workbench_ground::check::{above_zero, finite, not_negative, position, positive, within};

/// A power or a logarithm, in units of an addition.
const OPERATIONS_PER_WEIGHT: usize = 64;

/// How ties in an empirical top-P are broken.
///
/// The paper gives no rule. Any rule lies between these two extremes: `Frequent` keeps the inputs that are truly more
/// frequent (lower rank), `Rare` those that are truly less frequent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// Among equal counts the lower rank is kept. The default.
    #[default]
    Frequent,
    /// Among equal counts the higher rank is kept.
    Rare,
}

/// How many of the most frequent inputs are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// Every input (or every input seen).
    All,
    /// The top P.
    Top(usize),
    /// The top $\lfloor\mathrm{scale}\cdot d\rfloor$, at least 1, at most N.
    PerDimension(f64),
    /// The top $\lceil\mathrm{scale}\cdot d/\ln d\rceil$, at least 1, at most N.
    PerLogDimension(f64),
    /// The top $\lceil\mathrm{scale}\cdot d^{\mathrm{exponent}}\rceil$, at least 1, at most N.
    PowerOfDimension {
        /// Factor.
        scale: f64,
        /// Power of d.
        exponent: f64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Weighting {
    Power(f64),
    Graded(f64),
    Explicit(Vec<f64>),
}

/// A weighting scheme $q$: weights per input, and a threshold that may depend on d.
///
/// **Source**: Eq. 4 (powers), Eq. 5 (top-P), Eq. 2 (any q). Weights need not sum to one: predictions do not change under
/// $q\mapsto cq$.
///
/// ```
/// use workbench_memory::{Scheme, Zipf};
/// let law = Zipf::new(2.0, 4)?;
/// let q = Scheme::power(0.5)?.top(2)?.population_weights(&law, 64)?;
/// assert!((q[1] / q[0] - 0.5).abs() < 1e-15 && q[2] == 0.0 && q[3] == 0.0);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    pub(crate) weighting: Weighting,
    threshold: Threshold,
    ties: TieBreak,
}

impl Scheme {
    /// $q(x)=p(x)^\rho$, and from counts $q(x)=\hat p(x)^\rho$ with $0^0=0$: only seen inputs are stored.
    ///
    /// **Errors**: negative or non-finite `rho`.
    pub fn power(rho: f64) -> Result<Scheme, Error> {
        within("Scheme::power", "rho", rho, rho >= 0.0, "a finite rho >= 0")?;
        Ok(Scheme::of(Weighting::Power(rho)))
    }

    /// $q(x)=1$, the scheme $\rho=0$.
    pub fn uniform() -> Scheme {
        Scheme::of(Weighting::Power(0.0))
    }

    /// $q(x)^2=\mathrm{offset}+\ln(P/x)$ for the top P: frequent inputs get just the signal that makes their errors as costly as
    /// those of rare ones. Not in the paper; it shows which logarithms belong to the scheme and which to the model.
    ///
    /// It needs a threshold; with [`Threshold::All`] the number of stored inputs takes the place of P.
    ///
    /// **Errors**: a negative or non-finite offset.
    pub fn graded(offset: f64) -> Result<Scheme, Error> {
        not_negative("Scheme::graded", "offset", offset)?;
        Ok(Scheme::of(Weighting::Graded(offset)))
    }

    /// Weights given one by one for the ranks 1, 2, ...; the same with and without data, but unseen inputs are not stored.
    ///
    /// **Errors**: non-finite weights, or none that differs from zero.
    pub fn explicit(weights: &[f64]) -> Result<Scheme, Error> {
        finite("Scheme::explicit", "weights", weights)?;
        if weights.iter().all(|&w| w == 0.0) {
            return Err(bad_weights("Scheme::explicit", "are all zero"));
        }
        Ok(Scheme::of(Weighting::Explicit(weights.to_vec())))
    }

    fn of(weighting: Weighting) -> Scheme {
        Scheme { weighting, threshold: Threshold::All, ties: TieBreak::default() }
    }

    /// Keeps the `P` most frequent inputs only.
    ///
    /// **Errors**: `P = 0`.
    pub fn top(self, threshold: usize) -> Result<Scheme, Error> {
        positive("Scheme::top", "threshold (P)", threshold)?;
        Ok(Scheme { threshold: Threshold::Top(threshold), ..self })
    }

    /// Keeps the inputs that a threshold rule allows; see [`Threshold`].
    ///
    /// **Errors**: `P = 0`, a non-positive or non-finite scale or exponent.
    pub fn threshold(self, threshold: Threshold) -> Result<Scheme, Error> {
        let (name, value) = match threshold {
            Threshold::All => ("threshold", 1.0),
            Threshold::Top(p) => ("threshold (P)", p as f64),
            Threshold::PerDimension(scale) | Threshold::PerLogDimension(scale) => ("scale", scale),
            Threshold::PowerOfDimension { scale, exponent } => {
                if !(exponent.is_finite() && exponent >= 0.0) {
                    ("exponent", f64::NAN)
                } else {
                    ("scale", scale)
                }
            }
        };
        above_zero("Scheme::threshold", name, value)?;
        Ok(Scheme { threshold, ..self })
    }

    /// Sets how ties in an empirical top-P are broken.
    pub fn ties(self, ties: TieBreak) -> Scheme {
        Scheme { ties, ..self }
    }

    /// Whether the stored set depends on d.
    pub fn depends_on_dimension(&self) -> bool {
        !matches!(self.threshold, Threshold::All | Threshold::Top(_))
    }

    /// The threshold P at dimension `d`, `None` when every input is stored. Not yet cut at N.
    pub fn stored_at(&self, d: usize) -> Option<usize> {
        let d = d as f64;
        let count = match self.threshold {
            Threshold::All => return None,
            Threshold::Top(p) => return Some(p),
            Threshold::PerDimension(scale) => (scale * d).floor(),
            Threshold::PerLogDimension(scale) => {
                (scale * d / d.ln().max(f64::MIN_POSITIVE)).ceil().min(scale * d.powi(2) + 1.0)
            }
            Threshold::PowerOfDimension { scale, exponent } => (scale * d.powf(exponent)).ceil(),
        };
        Some((count as usize).max(1))
    }

    /// P at dimension `d`, cut at N; a fixed threshold beyond N is refused.
    pub(crate) fn stored_under(&self, law: &Zipf, d: usize) -> Result<Option<usize>, Error> {
        let explicit = match &self.weighting {
            Weighting::Explicit(w) => Some(w.len()),
            _ => None,
        };
        if let (Threshold::Top(threshold), Some(n_inputs)) = (self.threshold, law.n_inputs()) {
            check_threshold("Scheme", threshold, n_inputs)?;
        }
        let stored = match law.n_inputs() {
            Some(n) => self.stored_at(d).map(|p| p.min(n)),
            None => self.stored_at(d),
        };
        Ok(match (stored, explicit) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        })
    }

    /// Weight of the input at position `rank` (1-based) of the stored order with relative frequency `p`.
    pub(crate) fn weight(&self, rank: usize, p: f64, n_stored: usize) -> f64 {
        match &self.weighting {
            Weighting::Power(rho) if *rho == 0.0 => 1.0,
            Weighting::Power(rho) => p.powf(*rho),
            Weighting::Graded(offset) => (offset + (n_stored as f64 / rank as f64).ln()).max(0.0).sqrt(),
            Weighting::Explicit(w) => w.get(rank - 1).copied().unwrap_or(0.0),
        }
    }

    /// $q(x)$ for the ranks `1..=N` in the limit of infinite data, at dimension `d` (which matters only for thresholds that
    /// depend on it).
    ///
    /// **Errors**: infinitely many inputs, a fixed threshold beyond N, weights that store nothing, [`Error::Stopped`].
    pub fn population_weights(&self, law: &Zipf, d: usize) -> Result<Vec<f64>, Error> {
        let n = law.enumerable("Scheme::population_weights")?;
        let stored = self.stored_under(law, d)?.unwrap_or(n);
        let mut weights = Vec::with_capacity(n);
        for ranks in watched_blocks("Scheme::population_weights", n, OPERATIONS_PER_WEIGHT) {
            weights.extend(ranks?.map(|i| {
                let x = i + 1;
                if x <= stored { self.weight(x, law.probability(x), stored) } else { 0.0 }
            }));
        }
        if weights.iter().all(|&w| w == 0.0) {
            return Err(bad_weights("Scheme::population_weights", "are all zero"));
        }
        Ok(weights)
    }

    /// The seen inputs that are stored, most frequent first, with their weights.
    ///
    /// **Errors**: weights that store nothing (only explicit ones can).
    pub fn empirical_entries(&self, counts: &Counts, d: usize) -> Result<Vec<(usize, f64)>, Error> {
        let mut order = counts.seen.clone();
        // Ranks arrive ascending; a stable sort keeps that among equal counts.
        if self.ties == TieBreak::Rare {
            order.reverse();
        }
        order.sort_by_key(|entry| std::cmp::Reverse(entry.1));
        let stored = self.stored_at(d).map_or(order.len(), |p| order.len().min(p));
        order.truncate(stored);
        let total = counts.total as f64;
        let entries: Vec<(usize, f64)> = order
            .iter()
            .enumerate()
            .map(|(i, &(x, count))| {
                let rank = if matches!(self.weighting, Weighting::Explicit(_)) { x } else { i + 1 };
                (x, self.weight(rank, count as f64 / total, stored))
            })
            .collect();
        if entries.iter().all(|e| e.1 == 0.0) {
            return Err(bad_weights("Scheme::empirical_entries", "are all zero"));
        }
        Ok(entries)
    }

    /// $\hat q(x)$ for the ranks `1..=n`; entries beyond `n` are an error.
    pub fn empirical_weights(&self, counts: &Counts, n: usize, d: usize) -> Result<Vec<f64>, Error> {
        let mut weights = vec![0.0; n];
        for (x, w) in self.empirical_entries(counts, d)? {
            let x = x - 1;
            position("Scheme::empirical_weights", "input", x, n)?;
            weights[x] = w;
        }
        Ok(weights)
    }

    /// A short name such as `p^0.5, top d/8`.
    pub fn label(&self) -> String {
        let weights = match &self.weighting {
            Weighting::Power(rho) if *rho == 0.0 => "1".to_string(),
            Weighting::Power(rho) => format!("p^{rho}"),
            Weighting::Graded(offset) => format!("graded {offset}"),
            Weighting::Explicit(w) => format!("explicit ({})", w.len()),
        };
        match self.threshold {
            Threshold::All => weights,
            Threshold::Top(p) => format!("{weights}, top {p}"),
            Threshold::PerDimension(s) => format!("{weights}, top {s} d"),
            Threshold::PerLogDimension(s) => format!("{weights}, top {s} d/ln d"),
            Threshold::PowerOfDimension { scale, exponent } => format!("{weights}, top {scale} d^{exponent:.3}"),
        }
    }
}

/// Refuses a threshold above the number of inputs.
pub(crate) fn check_threshold(op: &'static str, threshold: usize, n_inputs: usize) -> Result<(), Error> {
    if threshold <= n_inputs {
        return Ok(());
    }
    let problem = format!("threshold P = {threshold} exceeds the number of inputs N = {n_inputs}");
    let next = "lower P or use the scheme without threshold";
    Err(Error::refused(op, problem, next))
}

/// Weights that store nothing.
pub(crate) fn bad_weights(op: &'static str, problem: &str) -> Error {
    let problem = format!("the weights {problem}");
    Error::refused(op, problem, "give finite weights that are not all zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empirical_top_breaks_ties_as_stated() {
        let counts = Counts { seen: vec![(1, 5), (2, 2), (3, 2), (7, 1)], total: 10 };
        let top2 = Scheme::uniform().top(2).unwrap();
        assert_eq!(top2.empirical_weights(&counts, 8, 1).unwrap(), vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let rare = top2.clone().ties(TieBreak::Rare);
        assert_eq!(rare.empirical_weights(&counts, 8, 1).unwrap(), vec![1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert!(matches!(
            top2.empirical_weights(&Counts { seen: vec![(9, 1)], total: 1 }, 8, 1),
            Err(Error::NoSuch { .. })
        ));
    }

    #[test]
    fn only_seen_inputs_are_stored_when_rho_is_zero() {
        let counts = Counts { seen: vec![(2, 1), (4, 9)], total: 10 };
        assert_eq!(Scheme::uniform().empirical_weights(&counts, 4, 1).unwrap(), vec![0.0, 1.0, 0.0, 1.0]);
        assert_eq!(Scheme::power(1.0).unwrap().empirical_weights(&counts, 4, 1).unwrap(), vec![0.0, 0.1, 0.0, 0.9]);
    }

    #[test]
    fn thresholds_follow_the_dimension() {
        let eighth = Scheme::uniform().threshold(Threshold::PerDimension(0.125)).unwrap();
        assert_eq!((eighth.stored_at(4), eighth.stored_at(64), eighth.stored_at(100)), (Some(1), Some(8), Some(12)));
        let law = Zipf::new(2.0, 10).unwrap();
        assert_eq!(eighth.population_weights(&law, 800).unwrap(), vec![1.0; 10]);
        let log = Scheme::uniform().threshold(Threshold::PerLogDimension(1.0)).unwrap();
        assert_eq!(log.stored_at(64), Some(16));
        assert_eq!(log.stored_at(1), Some(2));
        let root = Scheme::uniform().threshold(Threshold::PowerOfDimension { scale: 2.0, exponent: 0.5 }).unwrap();
        assert_eq!(root.stored_at(64), Some(16));
    }

    #[test]
    fn graded_weights_fall_to_the_offset() {
        let law = Zipf::new(2.0, 5).unwrap();
        let q = Scheme::graded(0.25).unwrap().top(4).unwrap().population_weights(&law, 9).unwrap();
        assert!((q[3] - 0.5).abs() < 1e-15 && q[4] == 0.0 && q[0] > q[1]);
    }

    #[test]
    fn refuses_bad_input() {
        let law = Zipf::new(2.0, 5).unwrap();
        assert!(matches!(Scheme::power(-0.1), Err(Error::Parameter { .. })));
        assert!(matches!(Scheme::power(f64::INFINITY), Err(Error::Parameter { .. })));
        assert!(matches!(Scheme::uniform().top(0), Err(Error::Zero { .. })));
        assert!(matches!(
            Scheme::uniform().top(6).unwrap().population_weights(&law, 10),
            Err(Error::Refused { problem, .. }) if problem.contains("P = 6") && problem.contains("N = 5")
        ));
        assert!(
            matches!(Scheme::explicit(&[0.0, 0.0]), Err(Error::Refused { problem, .. }) if problem.starts_with("the weights "))
        );
        assert!(matches!(Scheme::explicit(&[1.0, f64::NAN]), Err(Error::NotFinite { name: "weights", .. })));
        assert!(Scheme::uniform().threshold(Threshold::PerDimension(0.0)).is_err());
        assert!(matches!(
            Scheme::uniform().population_weights(&Zipf::infinite(2.0).unwrap(), 4),
            Err(Error::Refused { problem, .. }) if problem == "needs finitely many inputs"
        ));
    }
}
