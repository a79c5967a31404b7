//! Theorem A.1, second part: the exact variance of the energy change, term by term.

use super::{Error, Patterns, SignedLog, Signs};
use crate::MapKind;
use workbench_ground::check::{not_negative, position, positive, same, within};
use workbench_ground::stats::log_sum_exp;
use workbench_ground::work;

/// $\ln\Psi(x)$ with $\Psi(x)=D^4e^{-2N}(1+8\widehat A)^{-N/2}\exp\frac{B^2\lVert x\rVert^2}{2(1+8\widehat A)}$.
///
/// **Source**: Eq. 14 with the denominator $1+8\widehat A$, which Eq. 36 gives; printed is $1-8\widehat A$.
///
/// **Errors**: `a_hat` below 0 or not finite, a negative `norm2`, `n` of zero.
pub fn log_psi(n: usize, a_hat: f64, norm2: f64) -> Result<f64, Error> {
    check_psi("log_psi", n, a_hat, norm2)?;
    Ok(psi(n, a_hat, norm2, 1.0 + 8.0 * a_hat))
}

/// $\ln\Psi(x)$ as printed in Eqs. 14 and 37, with $1-8\widehat A$ in the exponent.
///
/// **Source**: Eqs. 14 and 37.
///
/// **Errors**: as [`log_psi`], and $\widehat A=\frac18$, where the printed form divides by zero.
pub fn log_psi_as_printed(n: usize, a_hat: f64, norm2: f64) -> Result<f64, Error> {
    const OP: &str = "log_psi_as_printed";
    check_psi(OP, n, a_hat, norm2)?;
    let allowed = "another value than 1/8, where Eq. 14 divides by zero";
    within(OP, "A-hat", a_hat, a_hat != 0.125, allowed)?;
    Ok(psi(n, a_hat, norm2, 1.0 - 8.0 * a_hat))
}

fn check_psi(op: &'static str, n: usize, a_hat: f64, norm2: f64) -> Result<(), Error> {
    positive(op, "the dimension N", n)?;
    not_negative(op, "A-hat", a_hat)?;
    within(op, "squared norm", norm2, norm2 >= 0.0, "a finite number of at least 0")
}

fn psi(n: usize, a_hat: f64, norm2: f64, denominator: f64) -> f64 {
    let n = n as f64;
    let b2 = 1.0 + 4.0 * a_hat;
    n * b2.ln() - 2.0 * n - 0.5 * n * (1.0 + 8.0 * a_hat).ln() + b2 * norm2 / (2.0 * denominator)
}

/// The exact first two moments of $\Delta_i(E_{\mathrm{rand}})$ for one feature ($r=1$), with the six sums of Eq. 13.
///
/// $$ r\operatorname{Var}\Delta=V_1+V_2-2V_3-V_4-V_5+2V_6 $$
///
/// Squared norms of sums of sign vectors are integers, so the sums over all $M^2$ pairs are kept as counts of each integer, and one
/// $\Psi$ is computed for each. **Source**: Eqs. 12 to 14, with $V_4$ as Eq. 32 defines it:
/// $V_4=\sum e^{\xi^{\mu_1\top}\hat\xi}e^{\xi^{\mu_2\top}\hat\xi}$.
///
/// **Cost**: $M^2N/64$ once, then O(N).
///
/// ```
/// use workbench_features::MapKind;
/// use workbench_features::compact::{FlipVariance, Patterns};
/// let code = Patterns::reed_muller(1, 3)?;
/// let flip = FlipVariance::new(&code, &code.pattern(0)?.flipped(1)?, 1, 0.5)?;
/// assert_eq!(flip.mean().sign, -1.0); // towards the pattern
/// // The relative variance of one feature: this many features bring the standard deviation down to the mean.
/// assert!(flip.log_relative_variance(false)? > 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FlipVariance {
    n: usize,
    a_hat: f64,
    /// How many pairs have each squared norm: arguments of V1, V2, V3, and of the two sums for opposite projections.
    counts: [Vec<u64>; 5],
    log_kernels: f64,
    log_kernels_flipped: f64,
    mean: SignedLog,
    log_second: f64,
    log_range: f64,
}

impl FlipVariance {
    /// The moments for flip `i` of `input`, features of FAVOR++ with `a_hat` (0 for FAVOR+).
    ///
    /// **Errors**: another length, `i` beyond the vector, a negative or infinite `a_hat`, stopped.
    pub fn new(patterns: &Patterns, input: &Signs, i: usize, a_hat: f64) -> Result<FlipVariance, Error> {
        const OP: &str = "FlipVariance::new";
        let n = patterns.dim();
        same(OP, ("length of the input", input.dim()), ("N", n))?;
        position(OP, "entry", i, n)?;
        not_negative(OP, "A-hat", a_hat)?;
        let rows = patterns.rows();
        let flipped = input.flipped(i)?;
        let overlap = |a: &Signs, b: &Signs| n as i64 - 2 * a.apart(b) as i64;
        let near: Vec<i64> = rows.iter().map(|row| overlap(row, input)).collect();
        let far: Vec<i64> = rows.iter().map(|row| overlap(row, &flipped)).collect();
        let mut counts: [Vec<u64>; 5] = std::array::from_fn(|_| vec![0; 16 * n + 1]);
        let h = input.get(i) as i64;
        // Pairs (p, p + 2 h e_i): how often each occurs, for the second moment without cancellation.
        let mut shifted = vec![0u64; (16 * n + 1) * 3];
        for (a, left) in rows.iter().enumerate() {
            work::check(OP, a, rows.len())?;
            for (b, right) in rows.iter().enumerate() {
                let inner = overlap(left, right);
                let (sum, difference) = (2 * n as i64 + 2 * inner, 2 * n as i64 - 2 * inner);
                let (four, own) = (4 * n as i64, near[a] + near[b]);
                let other = far[a] + far[b];
                let third = sum + four - 4 + 2 * (own + other);
                counts[0][(sum + four + 4 * own) as usize] += 1;
                counts[1][(sum + four + 4 * other) as usize] += 1;
                counts[2][third as usize] += 1;
                let (x, y) = (left.get(i) as i64, right.get(i) as i64);
                counts[3][difference as usize] += 1;
                counts[4][(difference + 4 * h * (x - y) + 4) as usize] += 1;
                shifted[third as usize * 3 + ((x + y) * h / 2 + 1) as usize] += 1;
            }
        }
        let logs = |overlaps: &[i64]| log_sum_exp(&overlaps.iter().map(|o| *o as f64).collect::<Vec<_>>());
        let (log_kernels, log_kernels_flipped) = (logs(&near), logs(&far));
        // Sum of kernels at the input minus that at the flipped input, from differences of single patterns.
        let top = log_kernels.max(log_kernels_flipped);
        let difference = |(o, f): (&i64, &i64)| (*o as f64 - top).exp() * -((f - o) as f64).exp_m1();
        let mean = SignedLog::new(near.iter().zip(&far).map(difference).sum(), top);
        // Psi(x1) + Psi(x2) - 2 Psi(x3) = Psi(x3) (e^{4g} 2 cosh(4 g p h) - 2) with g = B^2 / 2(1 + 8 A), all terms positive.
        let g = (1.0 + 4.0 * a_hat) / (2.0 * (1.0 + 8.0 * a_hat));
        let mut seconds = Vec::new();
        for (at, &count) in shifted.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (norm2, p) = ((at / 3) as f64, 2.0 * (at % 3) as f64 - 2.0);
            let bracket = (4.0 * g + 4.0 * g * p).exp_m1() + (4.0 * g - 4.0 * g * p).exp_m1();
            seconds.push((count as f64 * bracket).ln() + psi(n, a_hat, norm2, 1.0 + 8.0 * a_hat));
        }
        let b2 = 1.0 + 4.0 * a_hat;
        let bounds = near.iter().chain(&far).map(|o| {
            let norm2 = 2.0 * (n as f64 + *o as f64);
            0.5 * n as f64 * b2.ln() - n as f64 + b2 * norm2 / (8.0 * a_hat)
        });
        Ok(FlipVariance {
            n,
            a_hat,
            counts,
            log_kernels,
            log_kernels_flipped,
            mean,
            log_second: log_sum_exp(&seconds),
            log_range: if a_hat > 0.0 { log_sum_exp(&bounds.collect::<Vec<_>>()) } else { f64::INFINITY },
        })
    }

    /// $\mathbb E\,\Delta_i$, the exact energy change.
    pub fn mean(&self) -> SignedLog {
        self.mean
    }

    /// $\ln\mathbb E[\Delta_i^2]$ for one feature, computed without cancellation.
    pub fn log_second_moment(&self) -> f64 {
        self.log_second
    }

    /// $\ln V_1,\dots,\ln V_6$ with $V_4$ by its role in Eq. 32 and $\Psi$ with $1+8\widehat A$.
    pub fn log_terms(&self) -> [f64; 6] {
        let [v1, v2, v3] = [0, 1, 2].map(|j| self.sum(j, 1.0 + 8.0 * self.a_hat));
        let (near, far) = (self.log_kernels, self.log_kernels_flipped);
        [v1, v2, v3, 2.0 * near, 2.0 * far, near + far]
    }

    /// $\ln V_4$ as printed in Eq. 13, with the flipped vector in its first factor.
    pub fn log_v4_as_printed(&self) -> f64 {
        self.log_kernels + self.log_kernels_flipped
    }

    /// $\ln V_1,\ln V_2,\ln V_3$ with $\Psi$ as printed, $1-8\widehat A$ in the exponent.
    ///
    /// **Errors**: $\widehat A=\frac18$.
    pub fn log_psi_terms_as_printed(&self) -> Result<[f64; 3], Error> {
        log_psi_as_printed(self.n, self.a_hat, 0.0)?;
        Ok([0, 1, 2].map(|j| self.sum(j, 1.0 - 8.0 * self.a_hat)))
    }

    /// $\ln(r\operatorname{Var}\Delta_i/(\mathbb E\Delta_i)^2)$ for r features: what r must exceed for the sign to stand out.
    ///
    /// With `hyperbolic`, r features come from r/2 projections used with both signs, and the products at opposite projections,
    /// $\mathbb E[\Delta(\omega)\Delta(-\omega)]<0$, join in.
    ///
    /// **Errors**: a mean of zero, which has no relative variance.
    pub fn log_relative_variance(&self, hyperbolic: bool) -> Result<f64, Error> {
        let allowed = "a flip whose expected energy change is not zero";
        let op = "FlipVariance::log_relative_variance";
        within(op, "mean", self.mean.sign, self.mean.sign != 0.0, allowed)?;
        let square = 2.0 * self.mean.log_abs;
        let second = (self.log_second - square).exp();
        if !hyperbolic {
            let log = self.log_second - square;
            return Ok(if log > 30.0 { log } else { (second - 1.0).ln() });
        }
        let opposite = self.log_opposite() - square;
        let top = self.log_second - square;
        Ok(top + (1.0 - (opposite - top).exp() - 2.0 * (-top).exp()).ln())
    }

    /// $\ln(-\mathbb E[\Delta(\omega)\Delta(-\omega)])$: what using a projection with both signs saves.
    pub fn log_opposite(&self) -> f64 {
        let right = 1.0 + 8.0 * self.a_hat;
        let (plain, moved) = (self.sum(3, right), self.sum(4, right));
        2f64.ln() + workbench_ground::stats::log_diff_exp(moved, plain)
    }

    /// $\ln$ of the features that Chebyshev's inequality asks for so that the sign is wrong with probability at most `wrong`.
    ///
    /// **Errors**: `wrong` outside (0, 1), a mean of zero.
    pub fn log_features_by_chebyshev(&self, hyperbolic: bool, wrong: f64) -> Result<f64, Error> {
        check_wrong("FlipVariance::log_features_by_chebyshev", wrong)?;
        Ok(self.log_relative_variance(hyperbolic)? - wrong.ln())
    }

    /// $\ln$ of the features that Hoeffding's inequality asks for, from the bound of the FAVOR++ features; infinite for FAVOR+.
    ///
    /// $r=R^2\ln(1/\delta)/2(\mathbb E\Delta)^2$ with the range $R\le\sum_\mu(\sup W^\mu+\sup Z^\mu)$.
    ///
    /// **Errors**: `wrong` outside (0, 1), a mean of zero.
    pub fn log_features_by_hoeffding(&self, wrong: f64) -> Result<f64, Error> {
        check_wrong("FlipVariance::log_features_by_hoeffding", wrong)?;
        self.log_relative_variance(false)?;
        Ok(2.0 * (self.log_range - self.mean.log_abs) + (-wrong.ln()).ln() - 2f64.ln())
    }

    fn sum(&self, which: usize, denominator: f64) -> f64 {
        let counts = self.counts[which].iter().enumerate().filter(|(_, count)| **count > 0);
        let logs: Vec<f64> = counts
            .map(|(norm2, &count)| (count as f64).ln() + psi(self.n, self.a_hat, norm2 as f64, denominator))
            .collect();
        log_sum_exp(&logs)
    }
}

fn check_wrong(op: &'static str, wrong: f64) -> Result<(), Error> {
    let allowed = "a probability in (0, 1)";
    within(op, "wrong", wrong, wrong > 0.0 && wrong < 1.0, allowed)
}

/// $\sum_jc_je^{x_j}$ for six terms given by their logarithms: any reading of Eq. 12 or Eq. 32.
///
/// **Source**: A.2, Eqs. 12 and 32.
pub fn combination(coefficients: [f64; 6], log_terms: [f64; 6]) -> SignedLog {
    let top = log_terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum = coefficients.iter().zip(log_terms).map(|(c, log)| c * (log - top).exp()).sum();
    SignedLog::new(sum, top)
}

/// $\ln r$ that separates where a mean of r terms can be trusted from where it cannot: the relative entropy
/// $\frac12\bigl(\frac Nc-N+N\ln c+\frac vc\bigr)$, $c=1+4\widehat A$, of the law under which the mean arises from $\mathcal N(0,I)$.
///
/// For the kernel of two vectors with $\lVert x+y\rVert^2=v$. Below $e^{\text{entropy}}$ draws the largest terms are not among them
/// (Chatterjee and Diaconis, "The sample size required in importance sampling", 2018). Far smaller than the relative variance.
///
/// **Source**: not in the document; Chatterjee and Diaconis (2018), Theorem 1.1.
///
/// **Errors**: `n` of zero, a negative `v`, a bad `a_hat`.
///
/// ```
/// use workbench_features::MapKind;
/// use workbench_features::compact::log_draws_for_mean;
/// // FAVOR+ at x = y = a sign vector, v = 4 N: e^{2 N} draws, where the variance asks for e^{4 N}.
/// assert_eq!(log_draws_for_mean(MapKind::FavorPlus, 10, 40.0)?, 20.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn log_draws_for_mean(kind: MapKind, n: usize, v: f64) -> Result<f64, Error> {
    check_psi("log_draws_for_mean", n, kind.a_hat(), v)?;
    let (n, c) = (n as f64, 1.0 + 4.0 * kind.a_hat());
    Ok(0.5 * (n / c - n + n * c.ln() + v / c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::log_gaussian_moment_by_quadrature;
    use workbench_ground::stats::Streams;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() < tolerance, "{a} {b}");
    }

    /// Eq. 36 by quadrature decides between the two denominators.
    #[test]
    fn psi_is_the_expectation() {
        for a_hat in [0.05f64, 0.125, 0.5, 2.0] {
            let x = [4.0, -2.0, 0.0, 2.0];
            let b = (1.0 + 4.0 * a_hat).sqrt();
            let integral: f64 = x.iter().map(|x| log_gaussian_moment_by_quadrature(-4.0 * a_hat, b * x).unwrap()).sum();
            let expected = 4.0 * (1.0 + 4.0 * a_hat).ln() - 8.0 + integral; // N ln(B^2) - 2N
            close(log_psi(4, a_hat, 24.0).unwrap(), expected, 1e-11);
            if a_hat != 0.125 {
                assert!((log_psi_as_printed(4, a_hat, 24.0).unwrap() - expected).abs() > 1.0);
            }
        }
    }

    #[test]
    fn six_terms_agree_with_the_second_moment_and_with_slow_sums() {
        let mut stream = Streams::new(2).stream("v").unwrap();
        for (m, n, a_hat) in [(1, 3, 0.0), (4, 6, 0.3), (9, 12, 1.1), (5, 70, 0.8)] {
            let set = Patterns::random(m, n, &mut stream).unwrap();
            let input = set.pattern(0).unwrap().corrupted(n / 6, &mut stream).unwrap();
            for i in [0, n - 1] {
                let flip = FlipVariance::new(&set, &input, i, a_hat).unwrap();
                let v = flip.log_terms();
                let second = combination([1.0, 1.0, -2.0, 0.0, 0.0, 0.0], v);
                close(second.log_abs, flip.log_second_moment(), 1e-10);
                // Pair by pair, with vectors.
                let (x, h) = (set.to_array(), input.to_array());
                let f = input.flipped(i).unwrap().to_array();
                let slow = |shift: &ndarray::Array1<f64>, minus: bool| -> f64 {
                    let mut logs = Vec::new();
                    for a in x.rows() {
                        for b in x.rows() {
                            let s = if minus { &a - &b + shift } else { &a + &b + shift };
                            logs.push(log_psi(n, a_hat, s.dot(&s)).unwrap());
                        }
                    }
                    log_sum_exp(&logs)
                };
                close(v[0], slow(&(&h * 2.0), false), 1e-11);
                close(v[1], slow(&(&f * 2.0), false), 1e-11);
                close(v[2], slow(&(&h + &f), false), 1e-11);
                let (same, moved) = (slow(&(&h * 0.0), true), slow(&(&h - &f), true));
                close(flip.log_opposite(), 2f64.ln() + workbench_ground::stats::log_diff_exp(moved, same), 1e-9);
                let kernels = |y: &ndarray::Array1<f64>| log_sum_exp(&x.dot(y).to_vec());
                close(v[3], 2.0 * kernels(&h), 1e-11);
                close(v[4], 2.0 * kernels(&f), 1e-11);
                close(v[5], kernels(&h) + kernels(&f), 1e-11);
                let memory = crate::compact::DenseMemory::new(set.clone(), crate::compact::Interaction::Exponential);
                let change = memory.flip_change(&input, i).unwrap();
                assert_eq!(change.sign, flip.mean().sign);
                close(change.log_abs, flip.mean().log_abs, 1e-10);
                let all = combination([1.0, 1.0, -2.0, -1.0, -1.0, 2.0], v);
                let relative = all.log_abs - 2.0 * flip.mean().log_abs;
                close(relative, flip.log_relative_variance(false).unwrap(), 1e-9);
                assert!(flip.log_relative_variance(true).unwrap() < relative);
            }
        }
    }

    #[test]
    fn hoeffding_needs_bounded_features() {
        let code = Patterns::reed_muller(1, 3).unwrap();
        let flip = |a_hat| FlipVariance::new(&code, &code.pattern(0).unwrap(), 0, a_hat).unwrap();
        assert_eq!(flip(0.0).log_features_by_hoeffding(0.05).unwrap(), f64::INFINITY);
        assert!(flip(1.0).log_features_by_hoeffding(0.05).unwrap().is_finite());
        let r = flip(1.0).log_features_by_chebyshev(false, 0.05).unwrap();
        close(r, flip(1.0).log_relative_variance(false).unwrap() + 20f64.ln(), 1e-12);
    }

    #[test]
    fn refuses_bad_input() {
        let code = Patterns::reed_muller(1, 3).unwrap();
        let x = code.pattern(0).unwrap();
        assert!(matches!(FlipVariance::new(&code, &Signs::plus(9).unwrap(), 0, 0.1), Err(Error::Shape { .. })));
        assert!(matches!(FlipVariance::new(&code, &x, 8, 0.1), Err(Error::NoSuch { .. })));
        for bad in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(FlipVariance::new(&code, &x, 0, bad), Err(Error::Parameter { name: "A-hat", .. })));
            assert!(matches!(log_psi(2, bad, 1.0), Err(Error::Parameter { .. })));
            assert!(matches!(log_psi(2, 1.0, bad), Err(Error::Parameter { .. })));
        }
        assert!(matches!(log_psi(0, 1.0, 1.0), Err(Error::Zero { .. })));
        assert!(matches!(log_psi_as_printed(2, 0.125, 1.0), Err(Error::Parameter { .. })));
        let flip = FlipVariance::new(&code, &x, 0, 0.125).unwrap();
        assert!(flip.log_psi_terms_as_printed().is_err());
        for bad in [0.0, 1.0, f64::NAN] {
            assert!(matches!(flip.log_features_by_chebyshev(false, bad), Err(Error::Parameter { .. })));
            assert!(matches!(flip.log_features_by_hoeffding(bad), Err(Error::Parameter { .. })));
        }
        assert!(log_draws_for_mean(MapKind::FavorPlus, 0, 1.0).is_err());
    }
}
