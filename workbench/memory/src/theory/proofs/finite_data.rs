//! The finite-data part of the proof of Theorem 1: binomial tails, the data term, and the bound that comes out.

use super::load::{data_load, first_at_most};
use crate::data::zipf::Zipf;
use statrs::function::gamma::ln_gamma;
use workbench_ground::Error;
use workbench_ground::check::{above_zero, not_negative, positive, within};
use workbench_ground::work;

/// Values of gamma that an infimum looks at.
const GAMMAS: usize = 400;
/// Ranks summed between two checks for a request to stop.
const RANKS_BETWEEN_LOOKS: usize = 1 << 16;

/// $\ln\mathbb P(\mathrm{Bin}(T,p)\ge m)$, exact also where the probability is too small to write down.
///
/// Terms are summed from the largest of the tail outwards until they no longer count.
///
/// **Source**: B.2, finite data, where $T\hat p(x)$ is binomial.
///
/// **Errors**: a probability outside `[0, 1]`.
///
/// ```
/// use workbench_memory::ln_binomial_tail;
/// assert!((ln_binomial_tail(3, 0.5, 2)?.exp() - 0.5).abs() < 1e-14);
/// assert!((ln_binomial_tail(100_000, 1e-9, 90)? + 1147.1).abs() < 0.1);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn ln_binomial_tail(total: usize, p: f64, least: usize) -> Result<f64, Error> {
    ln_binomial("ln_binomial_tail", total, p, least, total)
}

/// $\ln\mathbb P(\mathrm{Bin}(T,p)< m)$.
///
/// **Source**: B.2, finite data, the probability that Chernoff's inequality bounds.
///
/// **Errors**: a probability outside `[0, 1]`.
pub fn ln_binomial_below(total: usize, p: f64, below: usize) -> Result<f64, Error> {
    match below.checked_sub(1) {
        None => Ok(f64::NEG_INFINITY),
        Some(to) => ln_binomial("ln_binomial_below", total, p, 0, to.min(total)),
    }
}

fn ln_binomial(op: &'static str, total: usize, p: f64, from: usize, to: usize) -> Result<f64, Error> {
    within(op, "p", p, (0.0..=1.0).contains(&p), "probabilities between 0 and 1")?;
    if from > to {
        return Ok(f64::NEG_INFINITY);
    }
    if p == 0.0 || p == 1.0 {
        let sure = if p == 0.0 { 0 } else { total };
        let inside = (from..=to).contains(&sure);
        return Ok(if inside { 0.0 } else { f64::NEG_INFINITY });
    }
    let t = total as f64;
    let centre = (((t + 1.0) * p) as usize).clamp(from, to);
    let odds = p / (1.0 - p);
    let (mut sum, mut term) = (1.0, 1.0);
    for k in centre..to {
        term *= (t - k as f64) / (k as f64 + 1.0) * odds;
        sum += term;
        if term < 1e-18 * sum {
            break;
        }
    }
    term = 1.0;
    for k in (from + 1..=centre).rev() {
        term *= k as f64 / ((t - k as f64 + 1.0) * odds);
        sum += term;
        if term < 1e-18 * sum {
            break;
        }
    }
    let c = centre as f64;
    let ln_choose = ln_gamma(t + 1.0) - ln_gamma(c + 1.0) - ln_gamma(t - c + 1.0);
    Ok((ln_choose + c * p.ln() + (t - c) * (-p).ln_1p() + sum.ln()).min(0.0))
}

/// $\sum_xp(x)\,e^{-\mathrm{rate}\cdot p(x)}$, exact for infinite laws too.
///
/// **Source**: B.2, first term of the display after Chernoff, with $\mathrm{rate}=T/8$. For a Zipf law it tends to
/// $\mathrm{rate}^{-1+1/\alpha}$ times the constant of [`crate::unseen_mass_constant`].
///
/// **Errors**: a negative or non-finite rate, [`Error::Stopped`].
///
/// Cost: `rate^(1/alpha)` exponentials.
///
/// ```
/// use workbench_memory::{Zipf, damped_mass};
/// let law = Zipf::new(1.0, 2)?; // p = (2/3, 1/3)
/// let by_hand = 2.0 / 3.0 * (-2.0f64).exp() + 1.0 / 3.0 * (-1.0f64).exp();
/// assert!((damped_mass(&law, 3.0)? - by_hand).abs() < 1e-15);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn damped_mass(law: &Zipf, rate: f64) -> Result<f64, Error> {
    const OP: &str = "damped_mass";
    not_negative(OP, "rate", rate)?;
    let cut = ((rate * law.constant()).powf(1.0 / law.alpha()) - law.shift()).ceil().max(0.0) as usize;
    let cut = law.n_inputs().map_or(cut, |n| cut.min(n));
    let mut head = 0.0;
    for x in 1..=cut {
        if x.is_multiple_of(RANKS_BETWEEN_LOOKS) {
            work::check(OP, x, cut)?;
        }
        let p = law.probability(x);
        head += p * (-rate * p).exp();
    }
    let (mut tail, mut coefficient) = (0.0, 1.0);
    for k in 0..60 {
        let term = coefficient * law.moment(k as f64 + 1.0, cut + 1, None);
        tail += term;
        if term.abs() <= 1e-17 * f64::abs(tail) {
            break;
        }
        coefficient *= -rate / (k as f64 + 1.0);
    }
    Ok(head + tail)
}

/// The factor $2^{-\rho}$ with $\{\hat p< p/2\}=\{\hat p^\rho<2^{-\rho}p^\rho\}$.
///
/// **Source**: B.2, Chernoff bound; printed $2^{-1/\rho}$, see [`half_factor_printed`].
#[doc(alias = "Chernoff")]
pub fn half_factor(rho: f64) -> f64 {
    (-rho).exp2()
}

/// The factor $2^{-1/\rho}$ printed in B.2 for [`half_factor`]; the two agree at $\rho=1$ only.
///
/// **Source**: B.2, Chernoff bound.
pub fn half_factor_printed(rho: f64) -> f64 {
    (-1.0 / rho).exp2()
}

/// $c_\gamma=\ln M+\gamma\ln d$.
///
/// **Source**: Lemma 3.
pub fn cut_level(n_classes: usize, dim: f64, gamma: f64) -> f64 {
    (n_classes as f64).ln() + gamma * dim.ln()
}

/// $c'_\gamma=16\,c_\gamma(1+8c_\gamma/d)$.
///
/// **Source**: B.2, finite data, from $Q_\infty\le\lVert q\rVert^2$.
pub fn proof_cut_level(n_classes: usize, dim: f64, gamma: f64) -> f64 {
    let c = cut_level(n_classes, dim, gamma);
    16.0 * c * (1.0 + 8.0 * c / dim)
}

/// $\inf_\gamma\;2d^{-\gamma}+p(\{x:d\,f^2q(x)^2\le c'_\gamma\,\mathrm{load}\})$ for $q=p^\rho$, with f the factor of [`half_factor`].
///
/// **Source**: B.2, last displays, with $\mathrm{load}=\psi(N)$ ([`data_load`]). The infimum is taken over 400 values of $\gamma$ between 0
/// and $60/\ln d$, so it is an upper value, close for smooth tails.
///
/// **Units and ranges**: `dim > 1`, a real number; at most one.
///
/// **Errors**: sizes, `rho`, factor or load that are not positive.
pub fn memory_term(law: &Zipf, rho: f64, n_classes: usize, dim: f64, factor: f64, load: f64) -> Result<f64, Error> {
    const OP: &str = "memory_term";
    positive(OP, "n_classes (M)", n_classes)?;
    for (name, value) in [("rho", rho), ("ln d", dim.ln()), ("factor", factor), ("load", load)] {
        above_zero(OP, name, value)?;
    }
    let mut best: f64 = 1.0;
    for i in 1..=GAMMAS {
        let gamma = 60.0 / dim.ln() * (i as f64 / GAMMAS as f64).powi(2);
        let level = proof_cut_level(n_classes, dim, gamma) * load / (dim * factor * factor);
        let set = first_at_most(law, 2.0 * rho, level, law.n_inputs()).map_or(0.0, |from| law.mass(from, None));
        best = best.min(2.0 * dim.powf(-gamma) + set);
    }
    Ok(best)
}

/// The bound on the error with data, $\mathrm{data}+\mathrm{memory}$, at one $(d,T)$.
///
/// **Source**: B.2, last displays. Printed is $T^{-1+1/\alpha}$ for the data term and $2^{-1/\rho}$ in the set; the proof gives
/// $\sum_xp(x)\,e^{-Tp(x)/8}$ and $2^{-\rho}$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataBound {
    /// The data term.
    pub data: f64,
    /// The memory term.
    pub memory: f64,
}

impl DataBound {
    /// The middle member as printed.
    ///
    /// **Errors**: as [`memory_term`]; infinitely many inputs with $\rho<\tfrac12$, for which $\psi(N)$ is infinite.
    pub fn printed(law: &Zipf, rho: f64, n_classes: usize, dim: f64, total: f64) -> Result<DataBound, Error> {
        Ok(DataBound {
            data: total.powf(-1.0 + 1.0 / law.alpha()),
            memory: memory_term(law, rho, n_classes, dim, half_factor_printed(rho), psi(law, rho))?,
        })
    }

    /// The member that the proof gives.
    ///
    /// **Errors**: as [`DataBound::printed`].
    pub fn derived(law: &Zipf, rho: f64, n_classes: usize, dim: f64, total: f64) -> Result<DataBound, Error> {
        Ok(DataBound {
            data: damped_mass(law, total / 8.0)?,
            memory: memory_term(law, rho, n_classes, dim, half_factor(rho), psi(law, rho))?,
        })
    }

    /// The sum of both terms.
    pub fn total(&self) -> f64 {
        self.data + self.memory
    }
}

fn psi(law: &Zipf, rho: f64) -> f64 {
    data_load(rho, law.n_inputs().map_or(f64::INFINITY, |n| n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::theorems::unseen_mass_constant;
    use statrs::distribution::{Binomial, DiscreteCDF};

    #[test]
    fn tails_agree_with_the_incomplete_beta_function() {
        for (t, p) in [(1usize, 0.3), (10, 0.5), (1000, 0.01), (10_000, 0.2)] {
            let law = Binomial::new(p, t as u64).unwrap();
            for m in [0, 1, t / 10, t / 5, t / 2, t] {
                let below = ln_binomial_below(t, p, m).unwrap().exp();
                let slow = if m == 0 { 0.0 } else { law.cdf(m as u64 - 1) };
                assert!((below - slow).abs() < 1e-10, "{t} {p} {m}: {below} {slow}");
                assert!((ln_binomial_tail(t, p, m).unwrap().exp() + below - 1.0).abs() < 1e-10);
            }
        }
        assert_eq!(ln_binomial_tail(5, 0.0, 1).unwrap(), f64::NEG_INFINITY);
        assert_eq!(ln_binomial_tail(5, 1.0, 5).unwrap(), 0.0);
        assert_eq!(ln_binomial_tail(5, 0.5, 6).unwrap(), f64::NEG_INFINITY);
    }

    #[test]
    fn the_data_term_has_its_limit() {
        for alpha in [1.5, 2.0, 3.0] {
            let law = Zipf::infinite(alpha).unwrap();
            let rate = 1e7;
            let limit = unseen_mass_constant(&law).unwrap();
            assert!(
                (damped_mass(&law, rate).unwrap() * rate.powf(1.0 - 1.0 / alpha) / limit - 1.0).abs() < 1e-3,
                "{alpha}"
            );
        }
        let law = Zipf::new(2.0, 500).unwrap();
        let direct: f64 = (1..=500).map(|x| law.probability(x)).map(|p| p * (-37.0 * p).exp()).sum();
        assert!((damped_mass(&law, 37.0).unwrap() - direct).abs() < 1e-14);
        assert!((damped_mass(&law, 0.0).unwrap() - 1.0).abs() < 1e-13);
    }

    #[test]
    fn the_memory_term_is_an_infimum() {
        let law = Zipf::infinite(2.0).unwrap();
        let term = memory_term(&law, 1.0, 5, 1e12, 0.5, 1.0).unwrap();
        for gamma in [0.1, 0.3, 0.6, 1.0] {
            let level = proof_cut_level(5, 1e12, gamma) / (1e12 * 0.25);
            let listed: f64 = (1..200_000usize)
                .filter(|&x| law.probability(x).powi(2) <= level)
                .map(|x| law.probability(x))
                .sum::<f64>()
                + law.tail(199_999);
            assert!(term <= 2.0 * 1e12f64.powf(-gamma) + listed + 1e-3, "{gamma}");
        }
        assert!(term > 0.0 && term < 0.1);
        assert_eq!(half_factor(1.0), half_factor_printed(1.0));
        let (a, b) = (
            DataBound::printed(&law, 0.5, 5, 1e18, 1e6).unwrap(),
            DataBound::derived(&law, 0.5, 5, 1e18, 1e6).unwrap(),
        );
        assert!(a.total() > 0.0 && b.data > a.data && b.memory < a.memory);
    }

    #[test]
    fn refuses_bad_input() {
        let law = Zipf::infinite(2.0).unwrap();
        assert!(matches!(ln_binomial_tail(3, 1.5, 1), Err(Error::Parameter { .. })));
        assert!(matches!(damped_mass(&law, -1.0), Err(Error::Parameter { .. })));
        assert!(matches!(DataBound::derived(&law, 0.25, 5, 1e6, 1e3), Err(Error::Parameter { .. })));
        assert!(matches!(memory_term(&law, 1.0, 5, 1.0, 0.5, 1.0), Err(Error::Parameter { .. })));
        assert!(matches!(memory_term(&law, 1.0, 0, 8.0, 0.5, 1.0), Err(Error::Zero { .. })));
    }
}
