//! Predictions of the paper, and the sharp constants next to it.

use crate::data::zipf::Zipf;
use statrs::function::gamma::gamma;
use workbench_ground::Error;
use workbench_ground::check::within;

/// What all three theorems assume: a finite `alpha > 1` and a finite `rho >= 0`.
fn assumed(op: &'static str, alpha: f64, rho: f64) -> Result<(), Error> {
    let allowed = "a finite alpha > 1, which the theorem assumes";
    within(op, "alpha", alpha, alpha > 1.0, allowed)?;
    within(op, "rho", rho, rho >= 0.0, "a finite rho >= 0")
}

/// The exponent $\frac{\alpha-1}{2\rho\alpha}$ of d in Theorem 1; infinite for $\rho=0$.
///
/// **Source**: Eq. 6.
///
/// **Errors**: an `alpha` that is not finite and above 1, a `rho` that is negative or not finite. So for every exponent here.
///
/// ```
/// use workbench_memory::untruncated_exponent;
/// assert_eq!(untruncated_exponent(2.0, 1.0)?, 0.25);
/// let message = untruncated_exponent(1.0, 1.0).unwrap_err().to_string();
/// assert!(message.contains("alpha = 1 is not allowed; use a finite alpha > 1"));
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn untruncated_exponent(alpha: f64, rho: f64) -> Result<f64, Error> {
    assumed("untruncated_exponent (Theorem 1)", alpha, rho)?;
    Ok((alpha - 1.0) / (2.0 * rho * alpha))
}

/// The load $\varphi(N)$ of Eq. 6: 1, $\ln N$ or $N^{1-2\rho\alpha}$ as $2\rho\alpha$ is above, at or below 1.
///
/// **Source**: Eq. 6.
pub fn memory_load(alpha: f64, rho: f64, n_inputs: f64) -> f64 {
    let s = 2.0 * rho * alpha;
    if (s - 1.0).abs() < 1e-12 {
        n_inputs.ln()
    } else if s > 1.0 {
        1.0
    } else {
        n_inputs.powf(1.0 - s)
    }
}

/// The memory term of Theorem 1.
///
/// $$ \Bigl(\frac{d}{\varphi(N)}\Bigr)^{-(\alpha-1)/(2\rho\alpha)} $$
///
/// **Source**: Eq. 6, without the constants and powers of logarithms that it leaves open.
///
/// **Errors**: as for [`untruncated_exponent`].
pub fn untruncated_rate(alpha: f64, rho: f64, n_inputs: f64, dim: f64) -> Result<f64, Error> {
    Ok((dim / memory_load(alpha, rho, n_inputs)).powf(-untruncated_exponent(alpha, rho)?))
}

/// The exponent $\frac{\alpha-1}{2\rho\alpha+1}$ of d printed in Theorem 2.
///
/// **Source**: Eq. 7.
///
/// **Errors**: as for [`untruncated_exponent`].
pub fn truncated_exponent(alpha: f64, rho: f64) -> Result<f64, Error> {
    assumed("truncated_exponent (Theorem 2)", alpha, rho)?;
    Ok((alpha - 1.0) / (2.0 * rho * alpha + 1.0))
}

/// The exponent $\frac1{2\alpha\rho+1}$ of d in the threshold P that Theorem 2 calls optimal.
///
/// **Source**: Theorem 2.
///
/// **Errors**: as for [`untruncated_exponent`].
pub fn stated_threshold_exponent(alpha: f64, rho: f64) -> Result<f64, Error> {
    assumed("stated_threshold_exponent (Theorem 2)", alpha, rho)?;
    Ok(1.0 / (2.0 * rho * alpha + 1.0))
}

/// The exponent $\frac1{\max(1,2\rho\alpha)}$ of d in the best threshold.
///
/// The last stored input is recalled while $dP^{-2\rho\alpha}\ge\varphi(P)$. With $\varphi(P)=P^{1-2\rho\alpha}$ for $2\rho\alpha<1$ this
/// is $P\le d$, and with $\varphi=1$ beyond it is $P\le d^{1/(2\rho\alpha)}$. The derivation in B.3 puts $\varphi(P)=P$ in all cases,
/// which is right for $\rho=0$ only.
///
/// **Source**: derived here, as B.3 but with $\varphi$ of Eq. 6.
///
/// **Errors**: as for [`untruncated_exponent`].
pub fn best_threshold_exponent(alpha: f64, rho: f64) -> Result<f64, Error> {
    assumed("best_threshold_exponent", alpha, rho)?;
    Ok(1.0 / (2.0 * rho * alpha).max(1.0))
}

/// The exponent $\frac{\alpha-1}{\max(1,2\rho\alpha)}$ of d at the best threshold.
///
/// **Source**: derived here, the tail $P^{-\alpha+1}$ of B.3 at [`best_threshold_exponent`].
///
/// **Errors**: as for [`untruncated_exponent`].
pub fn best_truncated_exponent(alpha: f64, rho: f64) -> Result<f64, Error> {
    Ok((alpha - 1.0) * best_threshold_exponent(alpha, rho)?)
}

/// The exponent $\alpha-1$ of d in Theorem 3 and in the second row of Table 1.
///
/// **Source**: Eq. 8.
///
/// **Errors**: as for [`untruncated_exponent`].
pub fn minimax_exponent(alpha: f64) -> Result<f64, Error> {
    assumed("minimax_exponent (Theorem 3)", alpha, 0.0)?;
    Ok(alpha - 1.0)
}

/// The exponent $1-\frac1\alpha$ of T in all three theorems.
///
/// **Source**: Eq. 6, 7, 8 and 14.
///
/// **Errors**: as for [`untruncated_exponent`].
#[doc(alias = "Hutter")]
#[doc(alias = "scaling law")]
pub fn data_exponent(alpha: f64) -> Result<f64, Error> {
    assumed("data_exponent", alpha, 0.0)?;
    Ok(1.0 - 1.0 / alpha)
}

/// The constant of the mass that T samples do not show, for a law with $p(x)\sim C x^{-\alpha}$.
///
/// $$ \lim_{T\to\infty}T^{1-1/\alpha}\sum_xp(x)\,(1-p(x))^T=\frac{C^{1/\alpha}}\alpha\,\Gamma\Bigl(1-\frac1\alpha\Bigr) $$
///
/// **Source**: Lemma 1, by the substitution $u=TCx^{-\alpha}$. The constant $\alpha/\Gamma(1-1/\alpha)$ printed there for the integral is
/// not this one; both are free of T, so the rate is not touched.
///
/// **Errors**: finitely many inputs, for which the unseen mass falls exponentially in the end.
///
/// ```
/// use workbench_memory::{Zipf, unseen_mass_constant};
/// let law = Zipf::infinite(2.0)?;
/// let t = 1_000_000usize;
/// assert!((law.unseen_mass(t) * (t as f64).sqrt() / unseen_mass_constant(&law)? - 1.0).abs() < 1e-3);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn unseen_mass_constant(law: &Zipf) -> Result<f64, Error> {
    if let Some(n) = law.n_inputs() {
        let allowed = "infinitely many inputs, `Zipf::infinite`";
        return Err(Error::parameter("unseen_mass_constant", "N", n as f64, allowed));
    }
    let alpha = law.alpha();
    Ok(law.constant().powf(1.0 / alpha) * gamma(1.0 - 1.0 / alpha) / alpha)
}

/// The constant of the tail, $\lim_{P\to\infty}P^{\alpha-1}\sum_{x>P}p(x)=\frac C{\alpha-1}$.
///
/// **Source**: the risk of storing the P most frequent inputs, observation after Theorem 3. B.4 prints $\alpha+1$ below the bar.
///
/// **Errors**: a law with `alpha <= 1`, which has finitely many inputs and no such limit.
pub fn tail_constant(law: &Zipf) -> Result<f64, Error> {
    assumed("tail_constant", law.alpha(), 0.0)?;
    Ok(law.constant() / (law.alpha() - 1.0))
}

/// The error `1 - 1/M` of a memory that guesses among M exchangeable classes.
///
/// **Source**: Eq. 3, for a guess.
pub fn chance_error(n_classes: usize) -> f64 {
    1.0 - 1.0 / n_classes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_by_hand() {
        assert_eq!(untruncated_exponent(2.0, 1.0).unwrap(), 0.25);
        assert_eq!(truncated_exponent(2.0, 0.5).unwrap(), 1.0 / 3.0);
        assert_eq!(best_truncated_exponent(2.0, 0.5).unwrap(), 0.5);
        assert_eq!(best_truncated_exponent(2.0, 0.1).unwrap(), 1.0);
        assert_eq!(truncated_exponent(2.0, 0.0).unwrap(), minimax_exponent(2.0).unwrap());
        assert_eq!(memory_load(2.0, 1.0, 1e6), 1.0);
        assert_eq!(memory_load(2.0, 0.25, 100.0), 100f64.ln());
        assert_eq!(memory_load(2.0, 0.125, 100.0), 10.0);
        assert_eq!(chance_error(5), 0.8);
    }

    #[test]
    fn constants_are_limits_of_exact_sums() {
        for alpha in [1.5, 2.0, 3.0] {
            let law = Zipf::infinite(alpha).unwrap();
            let t = 10_000_000usize;
            let scaled = law.unseen_mass(t) * (t as f64).powf(data_exponent(alpha).unwrap());
            assert!((scaled / unseen_mass_constant(&law).unwrap() - 1.0).abs() < 1e-3);
            let p = 1usize << 30;
            assert!((law.tail(p) * (p as f64).powf(alpha - 1.0) / tail_constant(&law).unwrap() - 1.0).abs() < 1e-6);
        }
        assert!(unseen_mass_constant(&Zipf::new(2.0, 9).unwrap()).is_err());
    }

    #[test]
    fn refuses_bad_input() {
        for alpha in [1.0, 0.5, 0.0, -2.0, f64::NAN, f64::INFINITY] {
            let exponents = [
                untruncated_exponent(alpha, 1.0),
                untruncated_rate(alpha, 1.0, 1e6, 10.0),
                truncated_exponent(alpha, 1.0),
                stated_threshold_exponent(alpha, 1.0),
                best_threshold_exponent(alpha, 1.0),
                best_truncated_exponent(alpha, 1.0),
                minimax_exponent(alpha),
                data_exponent(alpha),
            ];
            for exponent in exponents {
                let error = exponent.unwrap_err();
                assert!(matches!(error, Error::Parameter { name: "alpha", .. }));
                assert!(error.to_string().contains("use a finite alpha > 1"), "{error}");
            }
        }
        for rho in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(untruncated_exponent(2.0, rho), Err(Error::Parameter { name: "rho", .. })));
            assert!(truncated_exponent(2.0, rho).is_err() && best_truncated_exponent(2.0, rho).is_err());
        }
        assert!(tail_constant(&Zipf::new(1.0, 10).unwrap()).is_err());
    }
}
