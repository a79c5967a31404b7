//! The bounds inside the proof of Lemma 3, from Eq. 31 to Eq. 41, as printed and as corrected.
//!
//! All take a [`Profile`], so that the energies $Q_y$ come from one place. With $\eta$ and no output embeddings at hand they speak about
//! every $\eta$-quasi orthogonal family (Eq. 31, 33, 40) or about uniformly random outputs (Eq. 36, 37, 38, 41).

use crate::store::profile::Profile;
use crate::theory::lemma_2::cap::cap_bound_printed;
use workbench_ground::Error;
use workbench_ground::check::{above_zero, positive, within};

/// The constant c of Eq. 29 as printed, `0.158 / 2`.
pub const SURVIVAL_CONSTANT: f64 = 0.079;

/// Mass of the inputs with `q(x)^2 <= limit`.
fn mass_up_to(profile: &Profile, limit: f64) -> f64 {
    profile.groups().iter().filter(|g| g.weight * g.weight <= limit).map(|g| g.mass).sum()
}

fn coherence_range(op: &'static str, eta: f64, from_zero: bool) -> Result<(), Error> {
    let allowed = "a finite positive coherence";
    within(op, "eta", eta, eta > 0.0 || (from_zero && eta == 0.0), allowed)
}

fn log_terms(op: &'static str, profile: &Profile, dim: usize, gamma: f64) -> Result<(f64, f64), Error> {
    positive(op, "dim (d)", dim)?;
    above_zero(op, "gamma", gamma)?;
    Ok(((profile.n_classes() as f64).ln(), gamma * (dim as f64).ln()))
}

/// Upper bound for $\eta$-quasi orthogonal outputs.
///
/// $$ \sum_xp(x)\min\Bigl\{1,\;M\exp\Bigl(-\frac{d\,(1-\eta)^2}2\,\frac{q(x)^2}{4\eta^2\lVert q\rVert^2+2Q_\infty}\Bigr)\Bigr\} $$
///
/// **Source**: Eq. 31. The inequality $(1+x)^n\le e^{nx}$ quoted for it turns at $n=-d/2$; the bound itself follows from
/// $\frac1{1+R}=1-\frac R{1+R}\le e^{-R/(1+R)}$. Needs weights that are not negative, and $\eta$ below 1.
///
/// **Errors**: `dim = 0`, eta negative or not finite.
pub fn quasi_upper(profile: &Profile, dim: usize, eta: f64) -> Result<f64, Error> {
    positive("quasi_upper", "dim (d)", dim)?;
    coherence_range("quasi_upper", eta, true)?;
    let (d, m) = (dim as f64, profile.n_classes() as f64);
    let noise = 4.0 * eta * eta * profile.total_energy() + 2.0 * profile.largest_energy();
    let term = |q: f64| (m * (-0.5 * d * (1.0 - eta).powi(2) * q * q / noise).exp()).min(1.0);
    Ok(profile.groups().iter().map(|g| g.mass * term(g.weight)).sum())
}

/// Lower bound for $\eta$-quasi orthogonal outputs, with $c=0.079$.
///
/// $$ c\,p\Bigl(\Bigl\{x:(d+1)\,q(x)^2\le\Bigl(\frac{1-\eta}{1+\eta}\Bigr)^{\mathrm{power}}Q_\infty\Bigr\}\Bigr) $$
///
/// **Source**: Eq. 33 has `power = 1`; its display gives `power = 2`, and the ratio itself allows 0.
///
/// **Errors**: `dim = 0`, eta negative or not finite.
pub fn quasi_lower(profile: &Profile, dim: usize, eta: f64, power: i32) -> Result<f64, Error> {
    positive("quasi_lower", "dim (d)", dim)?;
    coherence_range("quasi_lower", eta, true)?;
    let factor = ((1.0 - eta) / (1.0 + eta)).powi(power);
    Ok(SURVIVAL_CONSTANT * mass_up_to(profile, factor * profile.largest_energy() / (dim as f64 + 1.0)))
}

/// Bound $\frac{M^2}{2\sqrt\pi}\sqrt{\frac2{\eta^2d}}\,e^{-\eta^2d/2}$ on the chance that M random outputs are not $\eta$-quasi orthogonal.
///
/// **Source**: Eq. 34.
///
/// **Errors**: zero sizes, eta outside `(0, 1]`.
///
/// ```
/// use workbench_memory::output_failure_bound;
/// // With d eta^2 = 4 ln M it is 1 / (2 sqrt(pi) sqrt(2 ln M)), whatever d is.
/// let (m, d) = (16usize, 1024usize);
/// let eta = (4.0 * 16f64.ln() / 1024.0).sqrt();
/// let want = 1.0 / (2.0 * std::f64::consts::PI.sqrt() * (2.0 * 16f64.ln()).sqrt());
/// assert!((output_failure_bound(m, d, eta)? / want - 1.0).abs() < 1e-12);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn output_failure_bound(n_classes: usize, dim: usize, eta: f64) -> Result<f64, Error> {
    positive("output_failure_bound", "n_classes (M)", n_classes)?;
    Ok(0.5 * (n_classes as f64).powi(2) * cap_bound_printed(dim, eta)?)
}

/// As [`output_failure_bound`] for every positive eta: the formula does not stop at 1.
fn failure_term(n_classes: usize, dim: usize, eta: f64) -> f64 {
    let s = 0.5 * eta * eta * dim as f64;
    0.5 * (n_classes as f64).powi(2) / (std::f64::consts::PI * s).sqrt() * (-s).exp()
}

/// Upper bound for random outputs, with [`output_failure_bound`] as the failure.
///
/// $$ \mathrm{failure}(\eta)+\sum_xp(x)\,(M-1)\Bigl(1+\frac{(1-\eta)^2}4\,\frac{q(x)^2}{\lVert q\rVert^2}\Bigr)^{-d/2} $$
///
/// **Source**: Eq. 36, for any positive $\eta$ as printed. It is a bound for $\eta$ up to 1: beyond, $(1-\eta)^2$ grows again and the right
/// side falls to zero.
///
/// **Errors**: `dim = 0`, eta not positive.
pub fn random_upper(profile: &Profile, dim: usize, eta: f64) -> Result<f64, Error> {
    positive("random_upper", "dim (d)", dim)?;
    coherence_range("random_upper", eta, false)?;
    let front = 0.25 * (1.0 - eta).powi(2) / profile.total_energy();
    let rivals = profile.n_classes() as f64 - 1.0;
    let sum: f64 = profile
        .groups()
        .iter()
        .map(|g| g.mass * rivals * (-0.5 * dim as f64 * (front * g.weight * g.weight).ln_1p()).exp())
        .sum();
    Ok(failure_term(profile.n_classes(), dim, eta) + sum)
}

/// Lower bound for random outputs at one $\eta$.
///
/// $$ c\,(1-\mathrm{failure}(\eta))\,p\Bigl(\Bigl\{x:(d+1)\,q(x)^2\le\mathrm{factor}\cdot\frac{1-\eta}{1+\eta}\,Q_\infty\Bigr\}\Bigr) $$
///
/// **Source**: Eq. 37 prints `factor = 2`; Eq. 33, from which it is taken, gives 1.
///
/// **Errors**: `dim = 0`, eta not positive.
pub fn random_lower(profile: &Profile, dim: usize, eta: f64, factor: f64) -> Result<f64, Error> {
    positive("random_lower", "dim (d)", dim)?;
    coherence_range("random_lower", eta, false)?;
    let limit = factor * (1.0 - eta) / (1.0 + eta) * profile.largest_energy() / (dim as f64 + 1.0);
    Ok(SURVIVAL_CONSTANT * (1.0 - failure_term(profile.n_classes(), dim, eta)) * mass_up_to(profile, limit))
}

/// The lower bound with its constants put in: $0.052\,p(\{x:(d+1)\,q(x)^2\le Q_\infty/3\})$.
///
/// **Source**: Eq. 38, with $c_1=0.052$ and $c_2=\tfrac13$.
///
/// **Errors**: `dim = 0`.
pub fn survival_lower(profile: &Profile, dim: usize) -> Result<f64, Error> {
    positive("survival_lower", "dim (d)", dim)?;
    Ok(0.052 * mass_up_to(profile, profile.largest_energy() / (3.0 * (dim as f64 + 1.0))))
}

/// The open interval $\sqrt{4\ln M/d}<\eta<\tfrac12$ from which the proof takes $\eta$, if it is not empty.
///
/// **Source**: before Eq. 38. It is empty unless $d>16\ln M$, twice what the text asks for.
pub fn eta_window(n_classes: usize, dim: usize) -> Option<(f64, f64)> {
    let low = (4.0 * (n_classes as f64).ln() / dim as f64).sqrt();
    (low < 0.5).then_some((low, 0.5))
}

/// The survival form at one t.
///
/// $$ e^{-t(1-\eta)^2/4+\ln M}+p(\{x:d\,q(x)^2\le t\,(2\eta^2\lVert q\rVert^2+Q_\infty)\}) $$
///
/// **Source**: last line of the first display of "Writing upper bounds as survival bounds". At least [`quasi_upper`] for every $t>0$.
///
/// **Errors**: `dim = 0`, eta negative, t not positive.
pub fn survival_form(profile: &Profile, dim: usize, eta: f64, t: f64) -> Result<f64, Error> {
    positive("survival_form", "dim (d)", dim)?;
    coherence_range("survival_form", eta, true)?;
    above_zero("survival_form", "t", t)?;
    let missed = (-0.25 * t * (1.0 - eta).powi(2)).exp() * profile.n_classes() as f64;
    let limit = t * (2.0 * eta * eta * profile.total_energy() + profile.largest_energy()) / dim as f64;
    Ok(missed + mass_up_to(profile, limit))
}

/// Upper bound for quasi orthogonal outputs with Eq. 39, at one $\gamma$.
///
/// $$ d^{-\gamma}+p(\{x:d\,q(x)^2\le48\,(\ln M+\gamma\ln d)\,Q_\infty\}) $$
///
/// **Source**: Eq. 40, for $\eta^2\le Q_\infty/\lVert q\rVert^2$ and $\eta<\tfrac12$.
///
/// **Errors**: `dim = 0`, gamma not positive.
pub fn quasi_survival(profile: &Profile, dim: usize, gamma: f64) -> Result<f64, Error> {
    let (log_m, log_d) = log_terms("quasi_survival", profile, dim, gamma)?;
    let limit = 48.0 * (log_m + log_d) * profile.largest_energy() / dim as f64;
    Ok((-log_d).exp() + mass_up_to(profile, limit))
}

/// How Eq. 41 is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurvivalSet {
    /// As printed: $d\,q^2\ge16\,c\,\frac{8\ln M+4\gamma\ln d}d\,\lVert q\rVert^2+Q_\infty$.
    Printed,
    /// The comparison turned, nothing else.
    Turned,
    /// $d\,q^2\le16\,c\,\bigl(\frac{8\ln M+4\gamma\ln d}d\,\lVert q\rVert^2+Q_\infty\bigr)$, which the line above it gives.
    Bracketed,
}

/// Upper bound for random outputs at one $\gamma$: $2d^{-\gamma}$ and the mass of a set of inputs, $c=\ln M+\gamma\ln d$.
///
/// **Source**: Eq. 41. The bracketed set lies inside that of Eq. 21.
///
/// **Errors**: `dim = 0`, gamma not positive.
pub fn random_survival(profile: &Profile, dim: usize, gamma: f64, set: SurvivalSet) -> Result<f64, Error> {
    let (log_m, log_d) = log_terms("random_survival", profile, dim, gamma)?;
    let d = dim as f64;
    let c = log_m + log_d;
    let quasi = (8.0 * log_m + 4.0 * log_d) / d * profile.total_energy();
    let top = profile.largest_energy();
    let mass = match set {
        SurvivalSet::Printed => {
            profile.groups().iter().filter(|g| d * g.weight * g.weight >= 16.0 * c * quasi + top).map(|g| g.mass).sum()
        }
        SurvivalSet::Turned => mass_up_to(profile, (16.0 * c * quasi + top) / d),
        SurvivalSet::Bracketed => mass_up_to(profile, 16.0 * c * (quasi + top) / d),
    };
    Ok(2.0 * (-log_d).exp() + mass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::lemma_3::bounds::lemma3_upper;

    /// Three classes with one input each, a fourth with nothing.
    fn profile(weights: [f64; 3]) -> Profile {
        Profile::from_weights(&[0.5, 0.3, 0.2], &weights, &[0, 1, 2], 4).unwrap()
    }

    #[test]
    fn values_by_hand() {
        let p = profile([2.0, 1.0, 0.5]);
        let d = 64usize;
        let by_hand: f64 = [(0.5, 2.0f64), (0.3, 1.0), (0.2, 0.5)]
            .iter()
            .map(|(mass, q)| mass * (4.0 * (-32.0 * q * q / 8.0).exp()).min(1.0))
            .sum();
        assert!((quasi_upper(&p, d, 0.0).unwrap() - by_hand).abs() < 1e-15);
        // 65 q^2 <= 4 holds for no input; with a weight of 0.2 for the last.
        assert_eq!(quasi_lower(&p, d, 0.0, 1).unwrap(), 0.0);
        assert!((quasi_lower(&profile([2.0, 1.0, 0.2]), d, 0.0, 1).unwrap() - 0.2 * SURVIVAL_CONSTANT).abs() < 1e-15);
        assert!(survival_form(&p, d, 0.0, 16.0).unwrap() >= by_hand);
        assert_eq!(survival_lower(&profile([2.0, 1.0, 0.1]), d).unwrap(), 0.052 * 0.2);
    }

    #[test]
    fn the_window_opens_at_sixteen_log_m() {
        let m = 10usize;
        let edge = 16.0 * 10f64.ln();
        assert!(eta_window(m, edge.floor() as usize).is_none());
        let (low, high) = eta_window(m, edge.ceil() as usize).unwrap();
        assert!(low < high && high == 0.5);
    }

    #[test]
    fn the_formula_beyond_one_is_no_bound() {
        let p = profile([1.0, 1.0, 1.0]);
        assert!(random_upper(&p, 30, 0.5).unwrap() > 0.5);
        assert!(random_upper(&p, 30, 100.0).unwrap() < 1e-20);
        let eta = 0.3;
        let (a, b) = (failure_term(4, 50, eta), output_failure_bound(4, 50, eta).unwrap());
        assert!((a / b - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_bracketed_set_is_inside_that_of_the_lemma() {
        let p = profile([1.0, 0.3, 0.01]);
        for d in [100usize, 10_000, 1_000_000] {
            let best = (1..2000)
                .map(|i| random_survival(&p, d, f64::from(i) * 0.01, SurvivalSet::Bracketed).unwrap())
                .fold(1.0, f64::min);
            assert!(best <= lemma3_upper(&p, d).unwrap() * 1.15, "{d}");
        }
        let turned = random_survival(&p, 1 << 20, 1.0, SurvivalSet::Turned).unwrap();
        let bracketed = random_survival(&p, 1 << 20, 1.0, SurvivalSet::Bracketed).unwrap();
        assert!(turned <= bracketed);
        assert!(random_survival(&p, 1 << 20, 1.0, SurvivalSet::Printed).unwrap() > 0.5);
    }

    #[test]
    fn refuses_bad_input() {
        let p = profile([1.0, 1.0, 1.0]);
        assert!(matches!(quasi_upper(&p, 0, 0.1), Err(Error::Zero { .. })));
        assert!(matches!(quasi_upper(&p, 5, -0.1), Err(Error::Parameter { .. })));
        assert!(matches!(random_upper(&p, 5, 0.0), Err(Error::Parameter { .. })));
        assert!(matches!(random_lower(&p, 5, f64::NAN, 1.0), Err(Error::Parameter { .. })));
        assert!(matches!(quasi_survival(&p, 5, 0.0), Err(Error::Parameter { .. })));
        assert!(matches!(survival_form(&p, 5, 0.1, 0.0), Err(Error::Parameter { .. })));
        assert!(matches!(random_survival(&p, 0, 1.0, SurvivalSet::Printed), Err(Error::Zero { .. })));
        assert!(matches!(output_failure_bound(0, 5, 0.1), Err(Error::Zero { .. })));
    }
}
