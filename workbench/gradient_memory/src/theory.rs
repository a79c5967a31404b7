//! Expected retention of a pair under each rule, as a function of its age.
//!
//! Setting: keys uniform on the unit sphere in d dimensions, values of unit length with mean zero, all independent. The retention
//! of a pair (x, v) is $\langle Wx,v\rangle$: 1 when the pair is answered in full, 0 when nothing of it is left. Age 0 is the newest pair.
//! Since $\mathbb E[xx^\top]=I/d$, the expectations below are exact for the rules that are linear in the values.

use crate::Error;
use workbench_ground::check::{above_zero, fraction, within};
use workbench_ground::work;

/// $\mathrm{start}\cdot\mathrm{factor}^{\mathrm{age}}$ for every age.
///
/// | rule | start | factor |
/// | --- | --- | --- |
/// | Hebbian | $\eta$ | 1 |
/// | Hebbian with weight decay | $\eta$ | $1-\eta\lambda$ |
/// | delta rule, NLMS on unit keys | $\eta$ | $1-\eta/d$ |
/// | delta rule with weight decay | $\eta$ | $1-\eta\lambda-\eta/d$ |
/// | implicit step | $e=\eta/(1+\eta)$ | $1-e/d$ |
///
/// **Source**: ours. $W_Tx_s$ holds the pair s through $\eta\,v_sx_s^\top\prod_t(I-\eta x_tx_t^\top)\,x_s$, and the later keys are
/// independent of $x_s$.
///
/// ```
/// use workbench_gradient_memory::geometric_retention;
/// assert_eq!(geometric_retention(1.0, 0.5, &[0, 1, 2]), [1.0, 0.5, 0.25]);
/// ```
pub fn geometric_retention(start: f64, factor: f64, ages: &[usize]) -> Vec<f64> {
    ages.iter().map(|&a| start * factor.powf(a as f64)).collect()
}

/// Retention of the heavy ball with squared error, from $a_0=\eta$.
///
/// $$ a_{k+1}=\Bigl(1+\beta-\frac\eta d\Bigr)a_k-\beta a_{k-1} $$
///
/// With the roots $z_1,z_2$ of $z^2-(1+\beta-\eta/d)z+\beta$ this is the double exponential
/// $\eta\,(z_1^{k+1}-z_2^{k+1})/(z_1-z_2)$: a pair is still being written, at rate $z_2$, near $\beta$, when it begins to be
/// forgotten, at rate $z_1$, near $1-\frac\eta{d(1-\beta)}$. For $\eta/d>(1-\sqrt\beta)^2$ the roots are complex: retention swings
/// through zero, and a pair is answered with the opposite sign for a while. Summed over all ages it gives d in either case, as
/// without momentum.
///
/// **Source**: ours. **Errors**: `eta` not above 0, `beta` outside [0, 1), `dim` of 0.
///
/// ```
/// use workbench_gradient_memory::momentum_retention;
/// // Without momentum: the delta rule.
/// assert_eq!(momentum_retention(0.5, 0.0, 2, &[0, 1])?, [0.5, 0.375]);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn momentum_retention(eta: f64, beta: f64, dim: usize, ages: &[usize]) -> Result<Vec<f64>, Error> {
    let op = "momentum retention";
    above_zero(op, "eta", eta)?;
    fraction(op, "beta", beta)?;
    above_zero(op, "dim", dim as f64)?;
    let oldest = ages.iter().copied().max().unwrap_or(0);
    let mut kernel = vec![eta];
    let (mut before, mut now) = (0.0, eta);
    for _ in 0..oldest {
        (before, now) = (now, (1.0 + beta - eta / dim as f64) * now - beta * before);
        kernel.push(now);
    }
    Ok(ages.iter().map(|&a| kernel[a]).collect())
}

/// Retention of least squares with forgetting f and a vanishing ridge after `pairs` pairs: $f^aq/(1+f^aq)$, where q solves
/// $\sum_{a<\mathrm{pairs}}f^aq/(1+f^aq)=d$; 1 while $\mathrm{pairs}\le d$.
///
/// The retention is the leverage $f^ax^\top R^{-1}x$ of the pair, and leverages sum to d exactly. For $f=1$ they have one
/// expectation, $d/\mathrm{pairs}$, by symmetry; for $f<1$ the formula takes $x^\top R_{-s}^{-1}x=q$ for its mean, with an error of order
/// $1/d$.
///
/// **Source**: ours. **Errors**: `forgetting` outside (0, 1], `dim` or `pairs` of 0, [`Error::Stopped`]. Cost O(200 pairs).
///
/// ```
/// use workbench_gradient_memory::least_squares_retention;
/// let flat = least_squares_retention(1.0, 8, 32, &[0, 31])?;
/// assert!(flat.iter().all(|r| (r - 0.25).abs() < 1e-12));
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn least_squares_retention(forgetting: f64, dim: usize, pairs: usize, ages: &[usize]) -> Result<Vec<f64>, Error> {
    let op = "least-squares retention";
    above_zero(op, "dim", dim as f64)?;
    above_zero(op, "pairs", pairs as f64)?;
    let inside = forgetting > 0.0 && forgetting <= 1.0;
    within(op, "forgetting", forgetting, inside, "a number in (0, 1]")?;
    if pairs <= dim {
        return Ok(vec![1.0; ages.len()]);
    }
    let leverage = |q: f64, a: usize| {
        let weight = q * forgetting.powf(a as f64);
        weight / (1.0 + weight)
    };
    let total = |q: f64| (0..pairs).map(|a| leverage(q, a)).sum::<f64>();
    // The total rises from 0 to pairs > dim as q grows. Bisection in ln q.
    let (mut low, mut high) = (-700.0f64, 700.0f64);
    for round in 0..200 {
        work::check(op, round, 200)?;
        let middle = 0.5 * (low + high);
        if total(middle.exp()) < dim as f64 { low = middle } else { high = middle }
    }
    let q = (0.5 * (low + high)).exp();
    Ok(ages.iter().map(|&a| leverage(q, a)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::rehearsal::stop_after;

    #[test]
    fn momentum_is_a_double_exponential_that_sums_to_d() {
        let (eta, beta, d) = (0.3, 0.6, 16);
        let ages: Vec<usize> = (0..4000).collect();
        let kernel = momentum_retention(eta, beta, d, &ages).unwrap();
        let b = 1.0 + beta - eta / d as f64;
        let root = (b * b - 4.0 * beta).sqrt();
        let (z1, z2) = (0.5 * (b + root), 0.5 * (b - root));
        for (&k, a) in ages.iter().zip(&kernel).take(200) {
            let closed = eta * (z1.powi(k as i32 + 1) - z2.powi(k as i32 + 1)) / (z1 - z2);
            assert!((closed - a).abs() < 1e-13);
        }
        assert!((kernel.iter().sum::<f64>() - d as f64).abs() < 1e-9);
        // Complex roots: it swings below zero and still sums to d.
        let swing = momentum_retention(0.9, 0.9, d, &ages).unwrap();
        assert!(swing.iter().any(|a| *a < -0.1) && (swing.iter().sum::<f64>() - d as f64).abs() < 1e-9);
        let plain = geometric_retention(eta, 1.0 - eta / d as f64, &ages);
        assert!((plain.iter().sum::<f64>() - d as f64).abs() < 1e-9);
    }

    #[test]
    fn leverages_sum_to_d() {
        let ages: Vec<usize> = (0..300).collect();
        for f in [1.0, 0.99, 0.9] {
            let r = least_squares_retention(f, 10, 300, &ages).unwrap();
            assert!((r.iter().sum::<f64>() - 10.0).abs() < 1e-9);
            assert!(r.windows(2).all(|w| w[0] >= w[1]));
        }
        assert_eq!(least_squares_retention(0.9, 10, 10, &[0, 9]).unwrap(), [1.0, 1.0]);
    }

    #[test]
    fn limits_and_bad_input() {
        assert!(momentum_retention(0.0, 0.5, 4, &[1]).is_err());
        assert!(momentum_retention(0.1, 1.0, 4, &[1]).is_err());
        assert!(momentum_retention(0.1, 0.5, 0, &[1]).is_err());
        assert!(least_squares_retention(1.1, 4, 9, &[1]).is_err());
        assert!(least_squares_retention(0.9, 0, 9, &[1]).is_err());
        assert!(least_squares_retention(0.9, 4, 0, &[1]).is_err());
        assert!(momentum_retention(0.1, 0.5, 4, &[]).unwrap().is_empty());
        let stopped = stop_after(9, || least_squares_retention(0.9, 4, 9, &[1]));
        assert!(matches!(stopped, Err(Error::Stopped(stopped)) if stopped.done == 9));
    }
}
