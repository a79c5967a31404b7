//! The inputs that a memory forgets, as a set of ranks, its load, and the threshold that balances its two parts.

use crate::data::zipf::Zipf;
use crate::store::scheme::bad_weights;
use workbench_ground::Error;
use workbench_ground::check::{above_zero, within};
use workbench_ground::stats::sum_of_powers;

/// The set $\{x:d\,q(x)^2\le\mathrm{share}\cdot\lVert q\rVert^2\}$ of a thresholded power scheme.
///
/// **Source**: Eq. 42 with $\mathrm{share}=p_\ast$; B.3 for its split at the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForgottenSet {
    /// The first stored rank of the set; every later one belongs to it. `None` when no stored input does.
    pub first: Option<usize>,
    /// Mass of the stored inputs of the set.
    pub stored: f64,
    /// Mass of the inputs beyond the threshold, which are all in the set.
    pub beyond: f64,
}

impl ForgottenSet {
    /// Mass of the whole set.
    pub fn mass(&self) -> f64 {
        self.stored + self.beyond
    }
}

/// The exact [`ForgottenSet`] of $q(x)=p(x)^\rho\,1\{x\le P\}$; no threshold stores every input.
///
/// Weights fall with the rank, so the set is everything from some rank on: it is found in closed form and moved by at most a
/// rank or two for rounding.
///
/// **Source**: Eq. 42 with $\mathrm{share}=p_\ast$; B.3 for its split at the threshold.
///
/// **Units and ranges**: `dim` is a real number, so that dimensions beyond $2^{64}$ are allowed; `rho >= 0`.
///
/// **Errors**: a dimension or share that is not positive, a negative `rho`, weights that are not square-summable.
///
/// Cost: three power sums, whatever N.
///
/// ```
/// use workbench_memory::{Zipf, forgotten_set};
/// // Four equal weights: d <= p_* N or nothing.
/// let law = Zipf::new(1.0, 4)?;
/// assert_eq!(forgotten_set(&law, 0.0, None, 2.0, 0.5)?.first, Some(1));
/// assert_eq!(forgotten_set(&law, 0.0, None, 2.1, 0.5)?.mass(), 0.0);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn forgotten_set(
    law: &Zipf,
    rho: f64,
    threshold: Option<usize>,
    dim: f64,
    share: f64,
) -> Result<ForgottenSet, Error> {
    const OP: &str = "forgotten_set";
    above_zero(OP, "dim (d)", dim)?;
    above_zero(OP, "share (p_*)", share)?;
    power(OP, rho)?;
    let last = match (threshold, law.n_inputs()) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let norm = law.moment(2.0 * rho, 1, last);
    if !norm.is_finite() {
        return Err(bad_weights(OP, "are not square-summable on infinitely many inputs"));
    }
    let beyond = last.map_or(0.0, |last| law.tail(last));
    let first = first_at_most(law, 2.0 * rho, share * norm / dim, last);
    Ok(ForgottenSet { first, stored: first.map_or(0.0, |from| law.mass(from, last)), beyond })
}

/// The first rank up to `last` with `p(x)^power <= level`.
pub(super) fn first_at_most(law: &Zipf, power: f64, level: f64, last: Option<usize>) -> Option<usize> {
    if power == 0.0 {
        return (level >= 1.0).then_some(1);
    }
    let exponent = power * law.alpha();
    let top = law.constant().powf(power);
    let edge = ((top / level).powf(1.0 / exponent) - law.shift()).ceil().max(1.0);
    if last.is_some_and(|last| edge > last as f64 + 1.0) {
        return None;
    }
    // The cast saturates: an edge beyond 2^64 leaves nothing that a sum could see. One step each way makes up for rounding.
    let mut first = edge as usize;
    let inside = |x: usize| top * (x as f64 + law.shift()).powf(-exponent) <= level;
    if first > 1 && inside(first - 1) {
        first -= 1;
    } else if !inside(first) {
        first = first.saturating_add(1);
    }
    last.is_none_or(|last| first <= last).then_some(first)
}

/// The rank $(d/\mathrm{load})^{1/(2\rho\alpha)}$ at which the signal meets the noise.
///
/// **Source**: B.2, infinite data; $\mathrm{load}=\lVert q\rVert^2$ in units of $q(1)^2$. The paper writes the set with $x\le$ this rank;
/// the weights fall, so it is $x\ge$.
pub fn critical_rank(alpha: f64, rho: f64, load: f64, dim: f64) -> f64 {
    (dim / load).powf(1.0 / (2.0 * rho * alpha))
}

/// $\int_1^nx^{-s}\,dx$, with `n` possibly infinite.
///
/// **Source**: B.2, the norm of q, with $s=2\rho\alpha$.
///
/// **Errors**: `n < 1`, an infinite `n` with `s <= 1`.
///
/// ```
/// use workbench_memory::{load_integral, load_integral_printed};
/// assert!((load_integral(2.0, 4.0)? - 0.75).abs() < 1e-15 && load_integral_printed(2.0, 4.0) == 0.75);
/// assert_eq!(load_integral(1.5, f64::INFINITY)?, 2.0); // not bounded by one
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn load_integral(s: f64, n: f64) -> Result<f64, Error> {
    if !(n >= 1.0 && s.is_finite() && (n.is_finite() || s > 1.0)) {
        let allowed = "an upper end n >= 1, finite when s <= 1";
        return Err(Error::parameter("load_integral", "n", n, allowed));
    }
    let z = (1.0 - s) * n.ln();
    Ok(if z.abs() < 1e-9 { n.ln() } else { z.exp_m1() / (1.0 - s) })
}

/// $1-n^{1-s}$, what B.2 prints for [`load_integral`] when $s>1$. The factor $1/(s-1)$ is missing.
///
/// **Source**: B.2, infinite data, the norm of q.
pub fn load_integral_printed(s: f64, n: f64) -> f64 {
    1.0 - n.powf(1.0 - s)
}

/// $\psi(N)$: $N^{1-2\rho}$ for $\rho\le\tfrac12$, one beyond. An upper bound of $\lVert\hat p^\rho\rVert^2$ over all data sets.
///
/// **Source**: B.2, Jensen step. It is larger than $\varphi(N)$ of Theorem 1 for $\rho<\tfrac12$ and $\alpha>1$.
pub fn data_load(rho: f64, n_inputs: f64) -> f64 {
    n_inputs.powf((1.0 - 2.0 * rho).max(0.0))
}

/// What stands for `phi(P)` in the balance of B.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// $\sum_{x\le P}x^{-2\rho\alpha}$.
    Sum,
    /// `P`, as the displays of B.3 have it.
    Count,
}

/// The threshold P at which $(d/\varphi(P))^{-(\alpha-1)/(2\rho\alpha)}=P^{1-\alpha}$, that is $d=\varphi(P)\,P^{2\rho\alpha}$.
///
/// **Source**: B.3, infinite data.
///
/// **Units and ranges**: `1 <= d <= 1e300`; P is a real number up to $2^{62}$.
///
/// **Errors**: parameters out of range, a balance beyond $2^{62}$.
///
/// ```
/// use workbench_memory::{Load, balanced_threshold};
/// assert!((balanced_threshold(2.0, 0.25, 1e6, Load::Count)? - 1e3).abs() < 1e-6);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn balanced_threshold(alpha: f64, rho: f64, dim: f64, load: Load) -> Result<f64, Error> {
    const OP: &str = "balanced_threshold";
    above_zero(OP, "alpha", alpha)?;
    power(OP, rho)?;
    let allowed = "dimensions from 1 to 1e300";
    within(OP, "dim (d)", dim, (1.0..=1e300).contains(&dim), allowed)?;
    let s = 2.0 * rho * alpha;
    let excess = |ln_p: f64| {
        let p = ln_p.exp();
        let phi = match load {
            Load::Count => p,
            Load::Sum => {
                let whole = p.floor();
                sum_of_powers(s, 0.0, 1, Some(whole as usize)) + (p - whole) * (whole + 1.0).powf(-s)
            }
        };
        phi.ln() + s * ln_p - dim.ln()
    };
    let (mut low, mut high) = (0.0, 62.0 * std::f64::consts::LN_2);
    if excess(high) < 0.0 {
        let allowed = "dimensions whose balance lies below 2^62; lower d";
        return Err(Error::parameter(OP, "dim (d)", dim, allowed));
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    Ok((0.5 * (low + high)).exp())
}

pub(super) fn power(op: &'static str, rho: f64) -> Result<(), Error> {
    within(op, "rho", rho, rho >= 0.0, "a finite rho >= 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_is_found_by_listing_too() {
        for (alpha, n) in [(0.5, 60usize), (1.5, 300), (2.0, 200)] {
            let law = Zipf::new(alpha, n).unwrap();
            for rho in [0.0, 0.1, 0.5, 1.0, 2.0] {
                for threshold in [None, Some(7), Some(n)] {
                    let last = threshold.unwrap_or(n);
                    let norm: f64 = (1..=last).map(|x| law.probability(x).powf(2.0 * rho)).sum();
                    for dim in [0.5, 3.0, 17.0, 250.0, 1e5] {
                        let set = forgotten_set(&law, rho, threshold, dim, 0.4).unwrap();
                        let listed: f64 = (1..=n)
                            .filter(|&x| x > last || dim * law.probability(x).powf(2.0 * rho) <= 0.4 * norm)
                            .map(|x| law.probability(x))
                            .sum();
                        assert!((set.mass() - listed).abs() < 1e-12, "{alpha} {rho} {threshold:?} {dim}");
                    }
                }
            }
        }
    }

    #[test]
    fn integrals_by_hand() {
        assert!((load_integral(0.0, 5.0).unwrap() - 4.0).abs() < 1e-14);
        assert!((load_integral(1.0, 10.0).unwrap() - 10f64.ln()).abs() < 1e-15);
        assert!((load_integral(1.0 + 1e-7, 10.0).unwrap() - 10f64.ln()).abs() < 1e-6);
        assert_eq!(load_integral(3.0, f64::INFINITY).unwrap(), 0.5);
        assert_eq!((data_load(0.25, 16.0), data_load(0.5, 16.0), data_load(2.0, 16.0)), (4.0, 1.0, 1.0));
        assert!((critical_rank(2.0, 0.5, 4.0, 64.0) - 4.0).abs() < 1e-14);
    }

    #[test]
    fn the_balance_balances() {
        for (alpha, rho) in [(2.0, 0.0), (2.0, 0.1), (1.5, 0.5), (2.0, 1.0)] {
            for load in [Load::Sum, Load::Count] {
                let p = balanced_threshold(alpha, rho, 1e12, load).unwrap();
                let s = 2.0 * rho * alpha;
                let phi = match load {
                    Load::Count => p,
                    Load::Sum => sum_of_powers(s, 0.0, 1, Some(p as usize)),
                };
                assert!((phi * p.powf(s) / 1e12 - 1.0).abs() < 0.01, "{alpha} {rho} {load:?} {p}");
            }
        }
        // Equal weights: the exact load is P, and both balances agree.
        let (a, b) = (Load::Sum, Load::Count);
        let both = [a, b].map(|load| balanced_threshold(1.7, 0.0, 1e9, load).unwrap());
        assert!((both[0] / both[1] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn refuses_bad_input() {
        let law = Zipf::infinite(2.0).unwrap();
        assert!(matches!(
            forgotten_set(&law, 0.25, None, 8.0, 0.5),
            Err(Error::Refused { problem, .. }) if problem.starts_with("the weights ")
        ));
        assert!(matches!(forgotten_set(&law, 1.0, None, 0.0, 0.5), Err(Error::Parameter { .. })));
        assert!(matches!(forgotten_set(&law, 1.0, None, 8.0, f64::NAN), Err(Error::Parameter { .. })));
        assert!(matches!(forgotten_set(&law, -1.0, None, 8.0, 0.5), Err(Error::Parameter { .. })));
        assert!(matches!(load_integral(1.0, f64::INFINITY), Err(Error::Parameter { .. })));
        assert!(matches!(load_integral(2.0, 0.5), Err(Error::Parameter { .. })));
        assert!(matches!(balanced_threshold(2.0, 0.0, 1e30, Load::Sum), Err(Error::Parameter { .. })));
        assert!(matches!(balanced_threshold(2.0, 0.5, 0.1, Load::Sum), Err(Error::Parameter { .. })));
    }
}
