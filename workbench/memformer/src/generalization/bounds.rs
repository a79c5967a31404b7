//! Finite-sample bounds on $\sup\lvert R_N-R\rvert$, empirical against population risk, with their constants.

use super::class::LinearClass;
use super::faces;
use crate::Error;
use workbench_ground::check::{above_zero, positive, within};

/// The bound of Appendix A.5 made explicit: for losses in [0, `loss`] that are Lipschitz in $\theta$ with constant `lipschitz`, over a ball
/// of radius `radius` in p dimensions, with probability at least $1-\delta$
///
/// $$ \sup\,\lvert R_N-R\rvert\le\min_\eta\;2L\eta+C\sqrt{\frac{p\ln(1+2r/\eta)+\ln(2/\delta)}{2N}} $$
///
/// with the constants C for `loss`, L for `lipschitz`, r for `radius`.
///
/// Hoeffding's inequality on a net of width $\eta$, which has at most $(1+2r/\eta)^p$ points.
///
/// **Source**: ours; the document names the theory and no constants. **Errors**: N or p of 0, delta outside (0, 1), constants that are not
/// positive.
///
/// ```
/// use workbench_memformer::covering_bound;
/// let at = |n: usize| covering_bound(1.0, 1.0, 1.0, 2, n, 0.1);
/// assert!(at(40_000)? < 0.12 * at(400)?);
/// # Ok::<(), workbench_memformer::Error>(())
/// ```
pub fn covering_bound(
    loss: f64,
    lipschitz: f64,
    radius: f64,
    p: usize,
    count: usize,
    delta: f64,
) -> Result<f64, Error> {
    const OP: &str = "covering_bound";
    check(OP, count, delta)?;
    positive(OP, "the number of parameters (p)", p)?;
    for (name, value) in
        [("the bound on the loss", loss), ("the Lipschitz constant", lipschitz), ("the radius", radius)]
    {
        above_zero(OP, name, value)?;
    }
    let at = |eta: f64| {
        let net = p as f64 * (1.0 + 2.0 * radius / eta).ln() + (2.0 / delta).ln();
        2.0 * lipschitz * eta + loss * (net / (2.0 * count as f64)).sqrt()
    };
    // The best width, to a tenth of an octave.
    Ok((-20..600).map(|k| at(radius * 2f64.powf(-0.1 * f64::from(k)))).fold(f64::INFINITY, f64::min))
}

impl LinearClass {
    /// Largest |t|^2 of t = (1, -theta) over the box [low, high]^p.
    fn reach(&self, op: &'static str, low: f64, high: f64) -> Result<f64, Error> {
        faces::check_box(op, low, high)?;
        Ok(1.0 + self.parameters() as f64 * low.abs().max(high.abs()).powi(2))
    }

    /// With probability at least $1-\delta$, $\sup\lvert R_N-R\rvert$ over the box is at most this, for data of finite variance:
    ///
    /// $$ \tau^2\sqrt{\frac{\mathbb E\lVert g\rVert^4-\lVert G\rVert_F^2}{N\delta}},
    /// \qquad\tau^2=\max_{\theta\in\mathrm{box}}\bigl(1+\lVert\theta\rVert^2\bigr) $$
    ///
    /// $R_N-R=t^\top(G_N-G)\,t$ is at most $\lVert t\rVert^2\lVert G_N-G\rVert_F$, whose mean square is the variance over N; then
    /// Chebyshev's inequality. No bound on the loss and no sub-Gaussian tail is needed, and the constants are exact.
    ///
    /// **Source**: ours, in place of condition (i) of Theorem 5.1. **Errors**: signs, an empty box, N of 0, delta outside (0, 1).
    ///
    /// ```
    /// use workbench_memformer::LinearClass;
    /// let class = LinearClass::one_step(20, 5, 2)?;
    /// let ratio = class.variance_bound(0.0, 1.0, 400, 0.1)? / class.variance_bound(0.0, 1.0, 100, 0.1)?;
    /// assert!((ratio - 0.5).abs() < 1e-12);
    /// # Ok::<(), workbench_memformer::Error>(())
    /// ```
    pub fn variance_bound(&self, low: f64, high: f64, count: usize, delta: f64) -> Result<f64, Error> {
        const OP: &str = "LinearClass::variance_bound";
        check(OP, count, delta)?;
        let squares: f64 = self.moments().iter().map(|v| v * v).sum();
        let variance = self.fourth_moment()? - squares;
        Ok(self.reach(OP, low, high)? * (variance / (count as f64 * delta)).sqrt())
    }

    /// [`covering_bound`] for bounded data, with the loss at most $\tau^2K$, its slope at most $2\tau K$, and the ball around the box.
    ///
    /// **Source**: ours, as [`covering_bound`]. **Errors**: normal data, an empty box, N of 0, delta outside (0, 1).
    pub fn net_bound(&self, low: f64, high: f64, count: usize, delta: f64) -> Result<f64, Error> {
        const OP: &str = "LinearClass::net_bound";
        let (reach, features) = (self.reach(OP, low, high)?, self.feature_bound()?);
        let radius = 0.5 * (high - low) * (self.parameters() as f64).sqrt();
        let slope = 2.0 * reach.sqrt() * features;
        covering_bound(reach * features, slope, radius, self.parameters(), count, delta)
    }
}

fn check(op: &'static str, count: usize, delta: f64) -> Result<(), Error> {
    positive(op, "the number of prompts (N)", count)?;
    let allowed = "a probability inside (0, 1)";
    within(op, "delta", delta, delta > 0.0 && delta < 1.0, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn bounds_hold_and_fall_as_the_root_of_n() {
        let streams = Streams::new(12);
        let (low, high, delta) = (0.0, 1.0, 0.1);
        let normal = LinearClass::one_step(10, 3, 2).unwrap();
        let signs = LinearClass::one_step_of_signs(10, 3, 2).unwrap();
        for count in [16, 256] {
            let mut beyond = [0; 2];
            for run in 0..200 {
                let mut stream = streams.replicate(&format!("runs {count}"), run).unwrap();
                let mut sup = |class: &LinearClass| {
                    let mut sample = class.empty();
                    class.extend(&mut sample, count, &mut stream).unwrap();
                    sample.supremum(class, low, high).unwrap()
                };
                let (a, b) = (sup(&normal), sup(&signs));
                beyond[0] += usize::from(a > normal.variance_bound(low, high, count, delta).unwrap());
                beyond[1] += usize::from(b > signs.net_bound(low, high, count, delta).unwrap());
            }
            // 20 of 200 would be allowed.
            assert!(beyond.iter().all(|k| *k <= 20), "{beyond:?}");
        }
        let ratio =
            signs.net_bound(low, high, 1_000_000, delta).unwrap() / signs.net_bound(low, high, 10_000, delta).unwrap();
        assert!(ratio > 0.1 && ratio < 0.13, "{ratio}"); // a tenth, and the logarithm of the net
        let wide = normal.variance_bound(-10.0, 10.0, 100, delta).unwrap();
        let narrow = normal.variance_bound(-1.0, 1.0, 100, delta).unwrap();
        assert!((wide / narrow - 201.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn bad_input_is_named() {
        let class = LinearClass::one_step(10, 3, 2).unwrap();
        assert!(class.variance_bound(0.0, 1.0, 0, 0.1).is_err());
        assert!(class.variance_bound(0.0, 1.0, 10, 1.0).unwrap_err().to_string().contains("delta"));
        assert!(class.variance_bound(1.0, 0.0, 10, 0.1).is_err());
        assert!(class.net_bound(0.0, 1.0, 10, 0.1).is_err());
        assert!(covering_bound(0.0, 1.0, 1.0, 1, 1, 0.1).is_err());
        assert!(covering_bound(1.0, 1.0, 1.0, 0, 1, 0.1).is_err());
    }
}
