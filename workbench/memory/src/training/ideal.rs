//! The idealised update of one coefficient, which knows nothing of the other memories.

use workbench_ground::Error;
use workbench_ground::check::{above_zero, entries};

/// What one visit of an input does to its coefficient when memories do not interfere.
///
/// $$ f(q)=q+\frac{\gamma w}{1+c^{-1}e^{sq}} $$
///
/// **Source**: Eq. 11 ($w=1$, $c=M$, $s=1$), Eq. 45 ($w=b\,p(x)$), and the display after Eq. 44, which has $c=M-1$. With
/// embeddings of squared norm $s$ the score of a pair with coefficient q is $sq$; the paper's form has $s=1$.
///
/// ```
/// use workbench_memory::IdealUpdate;
/// let f = IdealUpdate::printed(1.0, 5)?;
/// assert!((f.apply(0.0) - 5.0 / 6.0).abs() < 1e-15);
/// assert_eq!(f.iterates(2)[2], f.apply(f.apply(0.0)));
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdealUpdate {
    rate: f64,
    competitors: f64,
    squared_norm: f64,
}

impl IdealUpdate {
    /// The map of Eq. 11 as printed, with $c=M$ and $s=1$.
    ///
    /// **Errors**: a rate that is not finite and positive, no classes.
    pub fn printed(rate: f64, n_classes: usize) -> Result<IdealUpdate, Error> {
        IdealUpdate::new(rate, n_classes as f64, 1.0)
    }

    /// The map with any rate `gamma`, number of competitors `c` and squared norm `s`.
    ///
    /// **Errors**: a value that is not finite and positive.
    pub fn new(rate: f64, competitors: f64, squared_norm: f64) -> Result<IdealUpdate, Error> {
        for (name, value) in [("rate (gamma)", rate), ("competitors (M)", competitors), ("squared norm", squared_norm)]
        {
            above_zero("IdealUpdate", name, value)?;
        }
        Ok(IdealUpdate { rate, competitors, squared_norm })
    }

    /// `f(q)`.
    pub fn apply(&self, q: f64) -> f64 {
        q + self.rate * missing(self.squared_norm * q, self.competitors)
    }

    /// $f^0(0),f^1(0),\dots,f^n(0)$.
    pub fn iterates(&self, n: usize) -> Vec<f64> {
        std::iter::successors(Some(0.0), |&q| Some(self.apply(q))).take(n + 1).collect()
    }

    /// $f^n(0)$ for each entry n of `counts`; between whole numbers the line through the two neighbours.
    ///
    /// **Errors**: a count that is negative or not finite, or above 1e9.
    ///
    /// Cost: the largest count.
    pub fn after(&self, counts: &[f64]) -> Result<Vec<f64>, Error> {
        const LARGEST: f64 = 1e9;
        let allowed = "numbers between 0 and 1e9";
        let op = "IdealUpdate::after";
        entries(op, "count", counts, |n| (0.0..=LARGEST).contains(&n), allowed)?;
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by(|&a, &b| counts[a].total_cmp(&counts[b]));
        let mut result = vec![0.0; counts.len()];
        let (mut q, mut n) = (0.0, 0usize);
        for i in order {
            let whole = counts[i].floor() as usize;
            while n < whole {
                if n.is_multiple_of(1 << 16) {
                    workbench_ground::work::check("IdealUpdate::after", n, whole)?;
                }
                q = self.apply(q);
                n += 1;
            }
            result[i] = q + (counts[i] - counts[i].floor()) * (self.apply(q) - q);
        }
        Ok(result)
    }

    /// The solution of the flow $\frac{dq}{dn}=\frac\gamma{1+e^{sq}/c}$ from zero at the time `n`.
    ///
    /// It satisfies $q+\frac{e^{sq}}{sc}=\gamma n+\frac1{sc}$, solved to rounding by Newton steps from above.
    pub fn flow(&self, n: f64) -> f64 {
        let (s, c) = (self.squared_norm, self.competitors);
        let target = self.rate * n + 1.0 / (s * c);
        // Both terms on the left are below the target at the solution, so this start lies above it; the left side is convex.
        let mut q = target.min((target * s * c).max(1.0).ln() / s);
        for _ in 0..100 {
            let term = (s * q).exp() / (s * c);
            let next = q - (q + term - target) / (1.0 + s * term);
            if (next - q).abs() <= 1e-15 * (1.0 + q.abs()) {
                return next;
            }
            q = next;
        }
        q
    }
}

/// `1 / (1 + exp(score) / competitors)`: the probability that is missing at the right class when all others score zero.
pub(crate) fn missing(score: f64, competitors: f64) -> f64 {
    // exp overflows to infinity, whose reciprocal is the right limit.
    1.0 / (1.0 + score.exp() / competitors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterates_by_hand() {
        let f = IdealUpdate::new(2.0, 3.0, 1.0).unwrap();
        assert_eq!(f.iterates(0), vec![0.0]);
        assert!((f.iterates(1)[1] - 1.5).abs() < 1e-15);
        let counts = [3.0, 0.0, 1.5, 10.0, 3.0];
        let direct = f.iterates(10);
        let after = f.after(&counts).unwrap();
        assert_eq!((after[0], after[1], after[3], after[4]), (direct[3], 0.0, direct[10], direct[3]));
        assert!((after[2] - 0.5 * (direct[1] + direct[2])).abs() < 1e-15);
        // A large rate stores at once and then adds next to nothing.
        let f = IdealUpdate::new(100.0, 4.0, 100.0).unwrap();
        assert_eq!(f.apply(f.apply(0.0)), f.apply(0.0));
    }

    #[test]
    fn small_rates_follow_the_flow() {
        for (c, s) in [(5.0, 1.0), (4.0, 1.0), (9.0, 3.0)] {
            let f = IdealUpdate::new(1e-3, c, s).unwrap();
            let iterates = f.iterates(20_000);
            for n in [1, 10, 1000, 20_000] {
                let flow = f.flow(n as f64);
                let residual = flow + (s * flow).exp() / (s * c) - 1e-3 * n as f64 - 1.0 / (s * c);
                assert!(residual.abs() < 1e-13 * (1.0 + 1e-3 * n as f64), "{residual}");
                // Explicit Euler lies above a decelerating flow, by less than one step.
                assert!(iterates[n] >= flow - 1e-12 && iterates[n] - flow < 1e-3);
            }
        }
        assert_eq!(IdealUpdate::printed(1.0, 5).unwrap().flow(0.0), 0.0);
        // Far in saturation q = ln(gamma M n) to first order.
        let q = IdealUpdate::printed(10.0, 5).unwrap().flow(1e12);
        assert!((q - 5e13f64.ln()).abs() < 1e-10);
    }

    #[test]
    fn refuses_bad_input() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(IdealUpdate::new(bad, 5.0, 1.0).is_err());
            assert!(IdealUpdate::new(1.0, bad, 1.0).is_err());
            assert!(IdealUpdate::new(1.0, 5.0, bad).is_err());
        }
        let f = IdealUpdate::printed(1.0, 5).unwrap();
        assert!(IdealUpdate::printed(1.0, 0).is_err());
        for bad in [-1.0, f64::NAN, 2e9] {
            assert!(matches!(f.after(&[1.0, bad]), Err(Error::Entry { .. })));
        }
    }
}
