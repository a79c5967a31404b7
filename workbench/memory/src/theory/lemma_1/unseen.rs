//! Lemma 1 step by step: sums over ranks, the integrals they are compared with, and the change of variable.

use crate::data::zipf::Zipf;
use crate::data::zipf::not_summable;
use statrs::function::gamma::{gamma, gamma_lr};
use std::f64::consts::LN_2;
use workbench_ground::Error;
use workbench_ground::check::{above_zero, not_negative, within};
use workbench_ground::stats::{integrate, integrate_between};
use workbench_ground::tabulated::{Columns, Tabulated};

/// The factor $2\ln2$ of $\ln(1-a)\ge-2\ln2\cdot a$ on $0\le a\le\tfrac12$.
pub const LOG_FACTOR: f64 = 2.0 * LN_2;

/// The members of the exponential sandwich around the unseen mass.
///
/// **Source**: proof of Lemma 1, second display.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnseenSandwich {
    /// $\sum_x1\{p(x)\le\tfrac12\}\,p(x)\,e^{-2\ln2\,p(x)T}$.
    pub indicated: f64,
    /// $\sum_{x\ge2}p(x)\,e^{-2\ln2\,p(x)T}$.
    pub from_second: f64,
    /// $\sum_xp(x)(1-p(x))^T$.
    pub error: f64,
    /// $\sum_xp(x)\,e^{-p(x)T}$.
    pub upper: f64,
}

/// One row: the members in the order of the display.
impl Tabulated for UnseenSandwich {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Unseen mass between exponentials")
            .with("indicated", [self.indicated])
            .with("from second", [self.from_second])
            .with("error", [self.error])
            .with("upper", [self.upper]))
    }
}

/// The four members for a law on finitely many inputs.
///
/// **Source**: proof of Lemma 1, second display.
///
/// **Errors**: infinitely many inputs, or more than can be listed.
///
/// ```
/// use workbench_memory::{Zipf, unseen_sandwich};
/// let s = unseen_sandwich(&Zipf::new(2.0, 100)?, 50)?;
/// assert!(s.from_second <= s.error && s.error <= s.upper);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn unseen_sandwich(law: &Zipf, t: usize) -> Result<UnseenSandwich, Error> {
    let n = law.enumerable("unseen_sandwich")?;
    let t_real = t as f64;
    let damped = |p: f64, factor: f64| p * (-factor * p * t_real).exp();
    let (mut indicated, mut from_second, mut upper) = (0.0, 0.0, 0.0);
    for x in (1..=n).rev() {
        let p = law.probability(x);
        let low = damped(p, LOG_FACTOR);
        if p <= 0.5 {
            indicated += low;
        }
        if x >= 2 {
            from_second += low;
        }
        upper += damped(p, 1.0);
    }
    Ok(UnseenSandwich { indicated, from_second, error: law.unseen_mass(t), upper })
}

/// The members of the comparison of series and integrals.
///
/// **Source**: proof of Lemma 1, the display before Eq. 15; $k=2\ln2$ is [`LOG_FACTOR`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesAndIntegrals {
    /// $\int_1^Np\,e^{-kpT}\,dx-\frac1T$.
    pub whole: f64,
    /// $\int_2^cp(x-1)\,e^{-kp(x-1)T}\,dx+\int_c^Np\,e^{-kpT}\,dx$, $p(c)=1/T$.
    pub split: f64,
    /// $\sum_{x\ge2}p\,e^{-kpT}$.
    pub series: f64,
    /// $\sum_xp\,(1-p)^T$.
    pub error: f64,
    /// $\sum_xp\,e^{-pT}$.
    pub upper_series: f64,
    /// The last member as printed, $\int_1^Np\,e^{-kpT}\,dx+\frac1T$.
    pub upper_printed: f64,
    /// The last member with the exponent of the series it bounds, $\int_1^Np\,e^{-pT}\,dx+\frac1T$.
    pub upper: f64,
}

/// All members for a law on finitely many inputs, integrals by adaptive quadrature.
///
/// **Source**: proof of Lemma 1, the display before Eq. 15.
///
/// **Units and ranges**: the split point $c=(CT)^{1/\alpha}$ has to lie in `[2, N]`, which the display presupposes.
///
/// **Errors**: infinitely many inputs, a split point outside `[2, N]`, quadrature that does not converge.
pub fn series_and_integrals(law: &Zipf, t: usize) -> Result<SeriesAndIntegrals, Error> {
    const OP: &str = "series_and_integrals";
    let n = law.enumerable(OP)? as f64;
    let t_real = t as f64;
    let split_at = (law.constant() * t_real).powf(1.0 / law.alpha()) - law.shift();
    let allowed = "a rank between 2 and N; raise T, or N";
    let inside = (2.0..=n).contains(&split_at);
    within(OP, "rank c with p(c) = 1/T", split_at, inside, allowed)?;
    let sums = unseen_sandwich(law, t)?;
    let area = |from: f64, to: f64, factor: f64| rank_integral(law, factor * t_real, from, to);
    let whole = area(1.0, n, LOG_FACTOR)?;
    Ok(SeriesAndIntegrals {
        whole: whole - 1.0 / t_real,
        split: area(1.0, split_at - 1.0, LOG_FACTOR)? + area(split_at, n, LOG_FACTOR)?,
        series: sums.from_second,
        error: sums.error,
        upper_series: sums.upper,
        upper_printed: whole + 1.0 / t_real,
        upper: area(1.0, n, 1.0)? + 1.0 / t_real,
    })
}

/// $\int_{\mathrm{from}}^{\mathrm{to}}p(x)\,e^{-sp(x)}\,dx$ with p continued to real ranks; `to` may be infinite.
///
/// **Source**: Eq. 15, with $s=T$.
///
/// **Errors**: `from < 1`, an exponent `s` that is negative or not finite, an infinite end with `alpha <= 1`.
///
/// ```
/// use workbench_memory::{Zipf, rank_integral};
/// let law = Zipf::infinite(2.0)?;
/// let t = 1e6;
/// assert!((rank_integral(&law, t, 1.0, f64::INFINITY)? / law.unseen_mass(1_000_000) - 1.0).abs() < 1e-5);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn rank_integral(law: &Zipf, s: f64, from: f64, to: f64) -> Result<f64, Error> {
    const OP: &str = "rank_integral";
    not_negative(OP, "s", s)?;
    if !(from >= 1.0 && to >= from) {
        return Err(Error::parameter(OP, "from", from, "ranks 1 <= from <= to"));
    }
    if to.is_infinite() && law.alpha() <= 1.0 {
        return Err(not_summable(OP, law.alpha()));
    }
    let (c, alpha, shift) = (law.constant(), law.alpha(), law.shift());
    // In z = ln(x + shift) the integrand is smooth, with one bend where s p = 1.
    let f = |z: f64| {
        let p = c * (-alpha * z).exp();
        if p == 0.0 { 0.0 } else { p * (z - s * p).exp() }
    };
    let (low, high) = ((from + shift).ln(), (to + shift).ln());
    let bend = ((s * c).max(1e-300)).ln() / alpha;
    let mut points = vec![low];
    for offset in [-3.0 / alpha, 0.0, 5.0 / alpha] {
        if bend + offset > low && bend + offset < high {
            points.push(bend + offset);
        }
    }
    points.push(high);
    Ok(integrate_between(&f, &points, 1e-12)?.value)
}

/// The integral of the proof, with $\gamma$ the lower incomplete gamma function.
///
/// $$ \int_1^\infty x^{-\alpha}e^{-Tx^{-\alpha}}\,dx=\frac1\alpha\,\gamma\Bigl(1-\frac1\alpha,T\Bigr)\,T^{-(1-1/\alpha)} $$
///
/// **Source**: the last display of the proof of Lemma 1, corrected; the substitution is $u=Tx^{-\alpha}$. For large T the incomplete
/// function is $\Gamma(1-1/\alpha)$, up to $e^{-T}$.
///
/// **Errors**: `alpha <= 1`, T not positive and finite.
///
/// ```
/// use workbench_memory::unseen_integral;
/// // alpha = 2: sqrt(pi)/2 erf(sqrt T) / sqrt T.
/// assert!((unseen_integral(2.0, 4.0)? - 0.44104069538121077).abs() < 1e-12);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn unseen_integral(alpha: f64, t: f64) -> Result<f64, Error> {
    let a = gamma_order("unseen_integral", alpha)?;
    above_zero("unseen_integral", "T", t)?;
    Ok(gamma_lr(a, t) * gamma(a) / alpha * t.powf(-a))
}

/// The constant $\Gamma(1-1/\alpha)/\alpha$ of $T^{-(1-1/\alpha)}$ in [`unseen_integral`].
///
/// **Source**: the last display of the proof of Lemma 1, corrected.
///
/// **Errors**: `alpha <= 1`.
pub fn unseen_integral_constant(alpha: f64) -> Result<f64, Error> {
    Ok(gamma(gamma_order("unseen_integral_constant", alpha)?) / alpha)
}

/// The constant as printed, $\alpha/\Gamma((\alpha-1)/\alpha)$.
///
/// **Source**: last display of the proof of Lemma 1. It equals the right one only where $\Gamma(1-1/\alpha)=\alpha$, near $\alpha=1.9$.
///
/// **Errors**: `alpha <= 1`.
pub fn unseen_integral_constant_printed(alpha: f64) -> Result<f64, Error> {
    Ok(alpha / gamma(gamma_order("unseen_integral_constant_printed", alpha)?))
}

fn gamma_order(op: &'static str, alpha: f64) -> Result<f64, Error> {
    within(op, "alpha", alpha, alpha > 1.0, "a finite alpha > 1")?;
    Ok(1.0 - 1.0 / alpha)
}

/// A falling function f on the positive ranks, for the change of variable $u=f(x)$.
///
/// **Source**: proof of Lemma 1, around Eq. 16.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Falling {
    /// $f(x)=x^{-\alpha}$.
    Power(f64),
    /// $f(x)=e^{-x}/x$.
    Exponential,
}

impl Falling {
    /// `f(x)`.
    pub fn value(&self, x: f64) -> f64 {
        match self {
            Falling::Power(alpha) => x.powf(-alpha),
            Falling::Exponential => (-x).exp() / x,
        }
    }

    /// `f'(x)`.
    pub fn derivative(&self, x: f64) -> f64 {
        match self {
            Falling::Power(alpha) => -alpha * x.powf(-alpha - 1.0),
            Falling::Exponential => -(-x).exp() * (1.0 + x) / (x * x),
        }
    }

    /// $f^{-1}(u)$ for $u>0$: $u^{-1/\alpha}$, or the x with $x\,e^x=1/u$, by Newton's method.
    pub fn inverse(&self, u: f64) -> f64 {
        match self {
            Falling::Power(alpha) => u.powf(-1.0 / alpha),
            Falling::Exponential => {
                // g(x) = x + ln x + ln u is concave and rising; from the left Newton's method climbs without overshooting.
                let target = -u.ln();
                let mut x = if target > 1.0 { target - target.ln() } else { target.exp().min(0.5) };
                for _ in 0..60 {
                    let step = (target - x - x.ln()) / (1.0 + 1.0 / x);
                    let next = if x + step > 0.0 { x + step } else { 0.5 * x };
                    let moved = (next - x).abs();
                    x = next;
                    if moved <= 1e-16 * x {
                        break;
                    }
                }
                x
            }
        }
    }

    /// The derivative of the inverse by a complex step, $\operatorname{Im}f^{-1}(u+ih)/h$, independent of $f'$. Only for powers; `None`
    /// otherwise.
    pub fn inverse_slope(&self, u: f64) -> Option<f64> {
        match self {
            Falling::Power(alpha) => {
                let h = 1e-30 * u;
                let angle = (h / u).atan();
                Some(u.hypot(h).powf(-1.0 / alpha) * (-angle / alpha).sin() / h)
            }
            Falling::Exponential => None,
        }
    }

    /// $\int_{\mathrm{from}}^{\mathrm{to}}f(x)\,e^{-Tf(x)}\,dx$ over ranks.
    ///
    /// **Errors**: quadrature that does not converge.
    pub fn over_ranks(&self, t: f64, from: f64, to: f64) -> Result<f64, Error> {
        // x = e^z turns powers into exponentials.
        let bend = self.inverse(1.0 / t).ln();
        let mut points = vec![from.ln()];
        for offset in [-1.0, -0.3, 0.0, 0.7, 2.0] {
            if bend + offset > from.ln() && bend + offset < to.ln() {
                points.push(bend + offset);
            }
        }
        points.push(to.ln());
        let f = |z: f64| {
            let value = self.value(z.exp());
            if value == 0.0 { 0.0 } else { value * (z - t * value).exp() }
        };
        Ok(integrate_between(&f, &points, 1e-12)?.value)
    }

    /// $\int_{\mathrm{from}}^{\mathrm{to}}\frac{-u}{f'(f^{-1}(u))}\,e^{-uT}\,du$ over values, the right side of Eq. 16.
    ///
    /// The printed limits are 1 and infinity; the image of the ranks `[1, inf)` is `(0, f(1)]`.
    ///
    /// **Errors**: quadrature that does not converge.
    pub fn over_values(&self, t: f64, from: f64, to: f64) -> Result<f64, Error> {
        // u = e^z tames the singularity at zero.
        let f = |z: f64| {
            let u = z.exp();
            let slope = self.derivative(self.inverse(u));
            if slope == 0.0 { 0.0 } else { -u / slope * (-u * t).exp() * u }
        };
        let low = if from > 0.0 { from.ln() } else { -(600.0f64) };
        let high = if to.is_finite() { to.ln() } else { (800.0 / t).ln().max(low + 1.0) };
        let bend = -t.ln();
        if bend > low && bend < high {
            Ok(integrate_between(&f, &[low, bend, high], 1e-12)?.value)
        } else {
            Ok(integrate(&f, low, high, 1e-12)?.value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_agree_with_the_closed_form() {
        for alpha in [1.1, 1.5, 2.0, 3.0, 5.0] {
            for t in [1.0, 10.0, 1e4, 1e8] {
                let closed = unseen_integral(alpha, t).unwrap();
                let ranks = Falling::Power(alpha).over_ranks(t, 1.0, f64::INFINITY).unwrap();
                assert!((ranks / closed - 1.0).abs() < 1e-9, "{alpha} {t}: {ranks} {closed}");
                let values = Falling::Power(alpha).over_values(t, 0.0, 1.0).unwrap();
                assert!((values / closed - 1.0).abs() < 1e-9, "{alpha} {t}: {values} {closed}");
            }
        }
        let law = Zipf::infinite(3.0).unwrap();
        let c = law.constant();
        let direct = c * unseen_integral(3.0, c * 1000.0).unwrap();
        assert!((rank_integral(&law, 1000.0, 1.0, f64::INFINITY).unwrap() / direct - 1.0).abs() < 1e-11);
    }

    #[test]
    fn the_substitution_is_right_with_its_own_limits() {
        let f = Falling::Exponential;
        for t in [1.0, 100.0, 1e6] {
            let ranks = f.over_ranks(t, 1.0, f64::INFINITY).unwrap();
            let values = f.over_values(t, 0.0, f.value(1.0)).unwrap();
            assert!((ranks / values - 1.0).abs() < 1e-8, "{t}: {ranks} {values}");
        }
        for u in [1e-200, 1e-5, 0.3, 1.0, 50.0] {
            assert!((f.value(f.inverse(u)) / u - 1.0).abs() < 1e-12, "{u}");
            let power = Falling::Power(2.5);
            let slope = power.inverse_slope(u).unwrap();
            assert!((slope * power.derivative(power.inverse(u)) - 1.0).abs() < 1e-12);
        }
        assert_eq!(f.inverse_slope(0.5), None);
    }

    #[test]
    fn sandwich_by_hand() {
        // p = (2/3, 1/3), T = 3: only rank 2 is at most one half.
        let s = unseen_sandwich(&Zipf::new(1.0, 2).unwrap(), 3).unwrap();
        let low = 1.0 / 3.0 * (-LOG_FACTOR).exp();
        assert!((s.indicated - low).abs() < 1e-15 && (s.from_second - low).abs() < 1e-15);
        let columns = s.columns().unwrap().list;
        assert_eq!((columns.len(), &columns[3].1), (4, &[s.upper].into()));
        assert!((s.upper - (2.0 / 3.0 * (-2f64).exp() + 1.0 / 3.0 * (-1f64).exp())).abs() < 1e-15);
    }

    #[test]
    fn right_members_of_the_chain_hold_and_the_printed_last_fails() {
        let chain = series_and_integrals(&Zipf::new(2.0, 100_000).unwrap(), 10_000).unwrap();
        assert!(chain.whole <= chain.split && chain.split <= chain.series);
        assert!(chain.series <= chain.error && chain.error <= chain.upper_series && chain.upper_series <= chain.upper);
        assert!(chain.upper_series > chain.upper_printed);
    }

    #[test]
    fn refuses_bad_input() {
        let law = Zipf::infinite(2.0).unwrap();
        assert!(
            matches!(unseen_sandwich(&law, 3), Err(Error::Refused { problem, .. }) if problem == "needs finitely many inputs")
        );
        let finite = Zipf::new(2.0, 10).unwrap();
        assert!(matches!(series_and_integrals(&finite, 1), Err(Error::Parameter { .. })));
        assert!(matches!(series_and_integrals(&finite, 1_000_000), Err(Error::Parameter { .. })));
        assert!(matches!(rank_integral(&law, -1.0, 1.0, 2.0), Err(Error::Parameter { .. })));
        assert!(matches!(rank_integral(&law, 1.0, 0.5, 2.0), Err(Error::Parameter { .. })));
        let slow = Zipf::new(1.0, 10).unwrap();
        assert!(matches!(
            rank_integral(&slow, 1.0, 1.0, f64::INFINITY),
            Err(Error::Refused { problem, .. }) if problem.contains("has no normaliser")
        ));
        for alpha in [1.0, 0.5, f64::NAN, f64::INFINITY] {
            assert!(matches!(unseen_integral(alpha, 1.0), Err(Error::Parameter { name: "alpha", .. })));
            assert!(unseen_integral_constant(alpha).is_err() && unseen_integral_constant_printed(alpha).is_err());
        }
        assert!(matches!(unseen_integral(2.0, 0.0), Err(Error::Parameter { name: "T", .. })));
    }
}
