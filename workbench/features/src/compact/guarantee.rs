//! Theorem A.1, first part: its numbers and every line of its proof.

use super::{Error, Patterns};
use workbench_ground::check::{position, positive, within};
use workbench_ground::tabulated::{Columns, Tabulated};

/// What Theorem A.1 is about: memories at least $\tau N$ apart and inputs within $\rho N$ of one of them, $0<\rho<\tau/2$.
///
/// All bounds are natural logarithms. Distances that can occur are integers; `radius` and `distance` are the ones allowed.
///
/// ```
/// use workbench_features::compact::{Guarantee, Patterns};
/// let code = Patterns::reed_muller(1, 4)?;
/// let g = Guarantee::of(&code, 3)?; // inputs up to 3 flips away
/// assert_eq!((g.dim(), g.tau(), g.rho()), (16, 0.5, 0.1875));
/// // 2 N (tau - 2 rho) = 4, so the printed limit on M is e^4 (1 - e^-2) / 2 e^2 = 3.19.
/// assert!((g.log_limit().exp() - 3.1945).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guarantee {
    n: usize,
    tau: f64,
    rho: f64,
}

impl Guarantee {
    /// The setting with these numbers.
    ///
    /// **Units and ranges**: `tau` and `rho` are fractions of N, $0<\tau\le1$ and $0<\rho<\tau/2$.
    ///
    /// **Errors**: `n` of zero, numbers outside their ranges or not finite.
    pub fn new(n: usize, tau: f64, rho: f64) -> Result<Guarantee, Error> {
        const OP: &str = "Guarantee::new";
        positive(OP, "the length N", n)?;
        within(OP, "tau", tau, tau > 0.0 && tau <= 1.0, "a relative distance in (0, 1]")?;
        within(OP, "rho", rho, rho > 0.0, "a relative radius above 0 and below tau / 2")?;
        let half = 0.5 * tau;
        if rho >= half {
            let problem = format!("rho = {rho} is not below tau / 2 = {half}");
            let next = "shrink the ball, or take patterns that are further apart";
            return Err(Error::refused(OP, problem, next));
        }
        Ok(Guarantee { n, tau, rho })
    }

    /// The setting of these patterns, with their true distance, and inputs up to `radius` flips away.
    ///
    /// **Errors**: `radius` of zero, or so large that balls may meet.
    pub fn of(patterns: &Patterns, radius: usize) -> Result<Guarantee, Error> {
        let n = patterns.dim() as f64;
        let tau = (patterns.min_distance()? as f64 / n).min(1.0);
        Guarantee::new(patterns.dim(), tau, radius as f64 / n)
    }

    /// The length N.
    pub fn dim(&self) -> usize {
        self.n
    }

    /// Relative distance of the memories.
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// Relative radius of the ball.
    pub fn rho(&self) -> f64 {
        self.rho
    }

    /// The largest whole number of flips within $\rho N$.
    pub fn radius(&self) -> usize {
        // A radius given as k / N must come back as k.
        (self.rho * self.n as f64 + 1e-9).floor() as usize
    }

    /// $N(1-2\rho)$: the logarithm of the kernel at the edge of the ball.
    pub fn log_edge(&self) -> f64 {
        self.n as f64 * (1.0 - 2.0 * self.rho)
    }

    /// $N(1-2(\tau-\rho))$: the logarithm of the largest kernel of another memory.
    pub fn log_other(&self) -> f64 {
        self.n as f64 * (1.0 - 2.0 * (self.tau - self.rho))
    }

    /// $\ln$ of the printed limit on M, Eq. 26: $2N(\tau-2\rho)+\ln\frac{1-e^{-2}}{2e^2}$. Both signs are right below it.
    pub fn log_limit(&self) -> f64 {
        self.exponent() + (-(-2f64).exp_m1()).ln() - 2f64.ln() - 2.0
    }

    /// $\ln$ of the limit of the second case, Eq. 29: $2N(\tau-2\rho)+\ln\frac{e^2-1}{2e^2}$.
    pub fn log_limit_towards(&self) -> f64 {
        self.exponent() + 2f64.exp_m1().ln() - 2f64.ln() - 2.0
    }

    /// $2N(\tau-2\rho)$.
    pub fn exponent(&self) -> f64 {
        2.0 * self.n as f64 * (self.tau - 2.0 * self.rho)
    }

    /// $\ln$ of the last line of Eq. 23, $2Me^{N(1-2(\tau-\rho)+2/N)}$.
    pub fn log_noise_bound(&self, m: usize) -> f64 {
        (2.0 * m as f64).ln() + self.log_other() + 2.0
    }

    /// $\ln$ of the middle line of Eq. 23 as printed, without its factor $1/r$:
    /// $\sum_{k=1}^r\sum_{\mu\ne l}(e^{N(1-2(\tau-\rho))}+e^{N(1-2(\tau-\rho)+2/N)})$.
    pub fn log_noise_middle_as_printed(&self, m: usize, r: usize) -> f64 {
        self.log_noise_middle(m) + (r as f64).ln()
    }

    /// $\ln$ of the middle line of Eq. 23 with the factor $1/r$. Minus infinity for a single memory.
    pub fn log_noise_middle(&self, m: usize) -> f64 {
        (m.saturating_sub(1) as f64).ln() + self.log_other() + 2f64.exp().ln_1p()
    }

    /// The right side of Eq. 25 over $e^{N(1-2\rho)}$: positive below the limit on M.
    pub fn away_bound(&self, m: usize) -> f64 {
        -(-2f64).exp_m1() - (self.log_noise_bound(m) - self.log_edge()).exp()
    }

    /// The right side of Eq. 28 over $e^{N(1-2\rho)}$: negative below the limit on M.
    pub fn towards_bound(&self, m: usize) -> f64 {
        -2f64.exp_m1() + (self.log_noise_bound(m) - self.log_edge()).exp()
    }
}

/// One row: the setting, and the logarithm of its printed limit on M.
impl Tabulated for Guarantee {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Setting of Theorem A.1")
            .with("N", [self.n])
            .with("tau", [self.tau])
            .with("rho", [self.rho])
            .with("ln limit on M", [self.log_limit()]))
    }
}

/// $\ln$ of the most words that any code of length N and distance d can have, by the sphere packing bound
/// $M\le2^N/\sum_{j\le(d-1)/2}\binom Nj$, sharpened to $2d/(2d-N)$ where Plotkin's bound applies ($2d>N$, d even).
///
/// What Theorem A.1 asks of M is empty where its limit exceeds this.
///
/// **Source**: not in the document; the Hamming and Plotkin bounds of coding theory.
///
/// **Errors**: `n` or `d` of zero, `d` above `n`.
///
/// ```
/// use workbench_features::compact::log_most_words;
/// assert!((log_most_words(23, 7)?.exp() - 4096.0).abs() < 1e-6); // the Golay code is perfect
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn log_most_words(n: usize, d: usize) -> Result<f64, Error> {
    const OP: &str = "log_most_words";
    positive(OP, "the length N", n)?;
    positive(OP, "the distance d", d)?;
    position(OP, "distance", d, n + 1)?;
    let mut log_choose = 0.0;
    let mut volume = vec![0.0];
    for j in 1..=(d - 1) / 2 {
        log_choose += ((n - j + 1) as f64 / j as f64).ln();
        volume.push(log_choose);
    }
    let packing = n as f64 * 2f64.ln() - workbench_ground::stats::log_sum_exp(&volume);
    if 2 * d > n && d.is_multiple_of(2) {
        let words = 2 * (d / (2 * d - n));
        return Ok(packing.min((words as f64).ln()));
    }
    Ok(packing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_by_hand() {
        let g = Guarantee::new(18, 4.0 / 18.0, 1.0 / 18.0).unwrap();
        assert!((g.exponent() - 4.0).abs() < 1e-12 && g.radius() == 1);
        let e = |x: f64| x.exp();
        assert!((e(g.log_limit()) - e(4.0) * (1.0 - e(-2.0)) / (2.0 * e(2.0))).abs() < 1e-12);
        assert!((e(g.log_limit_towards()) - e(4.0) * (e(2.0) - 1.0) / (2.0 * e(2.0))).abs() < 1e-12);
        assert!((e(g.log_noise_bound(9)) - 18.0 * e(18.0 * (1.0 - 6.0 / 18.0) + 2.0)).abs() < 1e-6);
        assert!((e(g.log_noise_middle(9)) - 8.0 * (e(12.0) + e(14.0))).abs() < 1e-6);
        assert!((e(g.log_noise_middle_as_printed(9, 4)) - 32.0 * (e(12.0) + e(14.0))).abs() < 1e-5);
        assert_eq!(g.log_noise_middle(1), f64::NEG_INFINITY);
        let columns = g.columns().unwrap().list;
        assert_eq!((columns.len(), &columns[3].1), (4, &[g.log_limit()].into()));
    }

    /// Eqs. 26 and 29 are where the right sides of Eqs. 25 and 28 change sign.
    #[test]
    fn bounds_change_sign_at_the_limits() {
        for (n, tau, rho) in [(100, 0.3, 0.1), (40, 0.5, 0.2), (16, 0.5, 0.1)] {
            let g = Guarantee::new(n, tau, rho).unwrap();
            let (away, towards) = (g.log_limit().exp(), g.log_limit_towards().exp());
            assert!(g.away_bound(away.floor() as usize) >= 0.0 && g.away_bound(away.floor() as usize + 1) < 0.0);
            assert!(
                g.towards_bound(towards.floor() as usize) <= 0.0 && g.towards_bound(towards.floor() as usize + 1) > 0.0
            );
        }
    }

    #[test]
    fn radius_of_a_fraction_comes_back() {
        for n in 1..60 {
            for k in 1..n / 2 {
                let g = Guarantee::new(n, 1.0, k as f64 / n as f64).unwrap();
                assert_eq!(g.radius(), k);
            }
        }
    }

    #[test]
    fn most_words() {
        for (n, d, words) in [(7, 3, 16.0), (16, 8, 65536.0 / 697.0), (15, 8, 16.0), (3, 3, 2.0)] {
            assert!((log_most_words(n, d).unwrap().exp() - words).abs() < 1e-9, "{n} {d}");
        }
        assert!(matches!(log_most_words(3, 4), Err(Error::NoSuch { .. })));
        assert!(matches!(log_most_words(0, 1), Err(Error::Zero { .. })));
        assert!(matches!(log_most_words(3, 0), Err(Error::Zero { .. })));
    }

    #[test]
    fn refuses_bad_input() {
        assert!(matches!(Guarantee::new(0, 0.5, 0.1), Err(Error::Zero { .. })));
        for tau in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(Guarantee::new(8, tau, 0.1), Err(Error::Parameter { name: "tau", .. })));
        }
        for rho in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(Guarantee::new(8, 0.5, rho), Err(Error::Parameter { name: "rho", .. })));
        }
        for rho in [0.25, 0.3, 7.0] {
            assert!(
                matches!(Guarantee::new(8, 0.5, rho), Err(Error::Refused { problem, .. }) if problem.contains("not below tau / 2"))
            );
        }
        let code = Patterns::reed_muller(1, 4).unwrap();
        assert!(matches!(Guarantee::of(&code, 0), Err(Error::Parameter { .. })));
        assert!(
            matches!(Guarantee::of(&code, 4), Err(Error::Refused { problem, .. }) if problem.contains("not below tau / 2"))
        );
        assert!(Guarantee::of(&code.first(1).unwrap(), 2).unwrap().tau() == 1.0);
    }
}
