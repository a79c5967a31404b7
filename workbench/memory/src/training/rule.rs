//! Descent rules: plain descent, Adam, its sign limit, and descent scaled by the gradient's variance.

use ndarray::{Array2, Zip};
use workbench_ground::check::{fraction, not_negative, same, within};
use workbench_ground::{AdamStep, Error};

/// How a gradient changes the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DescentRule {
    /// $W\leftarrow W-\mathrm{rate}\cdot g$. **Source**: Eq. 44.
    Sgd,
    /// $W\leftarrow W-\mathrm{rate}\cdot\frac m{\sqrt v+\epsilon}$ with bias-corrected running means $m$ of $g$ and $v$ of $g^2$, entry by
    /// entry.
    ///
    /// Bias correction divides the means after t steps by $1-\beta^t$; epsilon is added outside the root, as in PyTorch.
    Adam {
        /// Memory of the first moment, in `[0, 1)`.
        beta1: f64,
        /// Memory of the second moment, in `[0, 1)`.
        beta2: f64,
        /// Added to the root of the second moment, at least 0.
        epsilon: f64,
    },
    /// $W\leftarrow W-\mathrm{rate}\cdot\operatorname{sign}(g)$, with $\operatorname{sign}(0)=0$: Adam with both memories and epsilon
    /// zero. **Source**: Fig. 5 and 15.
    Sign,
    /// $W\leftarrow W-\mathrm{rate}\cdot g/V^{\mathrm{power}}$ with V the variance $\mathbb E\lVert g_X-\mathbb E g_X\rVert^2$ of the
    /// gradient of one input X drawn from the law.
    ///
    /// **Source**: C.2, Adam: "dividing the gradient by the variance"; that is power 1. Power 0.5 divides by the standard deviation.
    Rescaled {
        /// The power of the variance.
        power: f64,
    },
}

impl DescentRule {
    /// Adam with the usual memories 0.9 and 0.999 and epsilon 1e-8.
    pub const ADAM: DescentRule = DescentRule::Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

    /// Whether updates are sums of `u_z e_x^T`, so that the weights need not be formed.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self, DescentRule::Sgd | DescentRule::Rescaled { .. })
    }

    pub(crate) fn check(&self, op: &'static str) -> Result<(), Error> {
        match *self {
            DescentRule::Adam { beta1, beta2, epsilon } => {
                fraction(op, "beta1", beta1)?;
                fraction(op, "beta2", beta2)?;
                not_negative(op, "epsilon", epsilon).map(|_| ())
            }
            DescentRule::Rescaled { power } => within(op, "power", power, true, "a finite number"),
            _ => Ok(()),
        }
    }
}

/// The state of a rule for one matrix of parameters: Adam's moments and the number of updates.
///
/// ```
/// use workbench_memory::{DescentRule, Moments};
/// use ndarray::array;
/// let (mut w, mut moments) = (array![[1.0, 1.0]], Moments::new((1, 2)));
/// moments.update(DescentRule::Sign, 0.5, &mut w, &array![[-3.0, 0.0]])?;
/// assert_eq!(w, array![[1.5, 1.0]]);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    first: Array2<f64>,
    second: Array2<f64>,
    updates: usize,
}

impl Moments {
    /// The state before the first update of parameters of this shape.
    pub fn new(shape: (usize, usize)) -> Moments {
        Moments { first: Array2::zeros(shape), second: Array2::zeros(shape), updates: 0 }
    }

    /// Changes the parameters by one step along the gradient and returns the squared norm of the change.
    ///
    /// [`DescentRule::Rescaled`] moves as [`DescentRule::Sgd`]: its factor depends on the whole law and belongs into `rate`.
    ///
    /// **Errors**: shapes that differ, parameters of the rule out of range.
    ///
    /// Cost: a few operations per entry.
    pub fn update(
        &mut self,
        rule: DescentRule,
        rate: f64,
        parameters: &mut Array2<f64>,
        gradient: &Array2<f64>,
    ) -> Result<f64, Error> {
        const OP: &str = "Moments::update";
        rule.check(OP)?;
        let shape = ("gradient", gradient.dim());
        same(OP, ("parameters", parameters.dim()), shape)?;
        same(OP, ("moments", self.first.dim()), shape)?;
        self.updates += 1;
        let mut square = 0.0;
        match rule {
            DescentRule::Adam { beta1, beta2, epsilon } => {
                let adam = AdamStep::new(self.updates, rate, (beta1, beta2), epsilon);
                let (first, second) = (self.first.as_slice_mut(), self.second.as_slice_mut());
                if let (Some(w), Some(g), Some(m), Some(v)) =
                    (parameters.as_slice_mut(), gradient.as_slice(), first, second)
                {
                    return Ok(adam.apply(w, g, m, v));
                }
                Zip::from(parameters).and(gradient).and(&mut self.first).and(&mut self.second).for_each(
                    |w, &g, m, v| {
                        let change = adam.change(g, m, v);
                        *w -= change;
                        square += change * change;
                    },
                );
            }
            DescentRule::Sign => Zip::from(parameters).and(gradient).for_each(|w, &g| {
                if g != 0.0 {
                    *w -= rate.copysign(g);
                    square += rate * rate;
                }
            }),
            DescentRule::Sgd | DescentRule::Rescaled { .. } => Zip::from(parameters).and(gradient).for_each(|w, &g| {
                *w -= rate * g;
                square += (rate * g) * (rate * g);
            }),
        }
        Ok(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn adam_agrees_with_its_definition_by_hand() {
        let gradients = [[0.5, -1.0], [0.25, 3.0], [-2.0, 0.0], [1e-3, 1e-6]];
        let rule = DescentRule::Adam { beta1: 0.8, beta2: 0.9, epsilon: 1e-3 };
        let (mut w, mut moments) = (array![[1.0, -2.0]], Moments::new((1, 2)));
        for g in gradients {
            moments.update(rule, 0.1, &mut w, &array![[g[0], g[1]]]).unwrap();
        }
        for (j, start) in [1.0f64, -2.0].into_iter().enumerate() {
            let mut twin = start;
            for t in 1..=4 {
                // Moments as explicit weighted sums of the past gradients.
                let weight = |beta: f64, i: usize| (1.0 - beta) * beta.powi(t - i as i32) / (1.0 - beta.powi(t));
                let m: f64 = (1..=t as usize).map(|i| weight(0.8, i) * gradients[i - 1][j]).sum();
                let v: f64 = (1..=t as usize).map(|i| weight(0.9, i) * gradients[i - 1][j].powi(2)).sum();
                twin -= 0.1 * m / (v.sqrt() + 1e-3);
            }
            assert!((w[[0, j]] - twin).abs() < 1e-14, "{} {twin}", w[[0, j]]);
        }
    }

    #[test]
    fn memoryless_adam_is_the_sign() {
        let rule = DescentRule::Adam { beta1: 0.0, beta2: 0.0, epsilon: 0.0 };
        let gradient = array![[3.0, -1e-12, 0.0]];
        let (mut a, mut b) = (array![[1.0, 1.0, 1.0]], array![[1.0, 1.0, 1.0]]);
        let (mut ma, mut mb) = (Moments::new((1, 3)), Moments::new((1, 3)));
        for _ in 0..3 {
            let sa = ma.update(rule, 0.25, &mut a, &gradient).unwrap();
            let sb = mb.update(DescentRule::Sign, 0.25, &mut b, &gradient).unwrap();
            assert!((sa - 0.125).abs() < 1e-15 && sb == 0.125);
        }
        assert_eq!(b, array![[0.25, 1.75, 1.0]]);
        assert!((&a - &b).iter().all(|x| x.abs() < 1e-15));
    }

    #[test]
    fn refuses_bad_input() {
        let (mut w, mut moments) = (array![[1.0]], Moments::new((1, 1)));
        assert!(matches!(
            moments.update(DescentRule::Sgd, 1.0, &mut w, &array![[1.0, 2.0]]),
            Err(Error::Shape { left, right, .. }) if left == [1, 1] && right == [1, 2]
        ));
        for (beta1, beta2, epsilon) in [(1.0, 0.0, 0.0), (0.0, -0.1, 0.0), (0.0, 0.0, f64::NAN), (f64::NAN, 0.0, 0.0)] {
            let rule = DescentRule::Adam { beta1, beta2, epsilon };
            assert!(matches!(moments.update(rule, 1.0, &mut w, &array![[1.0]]), Err(Error::Parameter { .. })));
        }
        assert!(DescentRule::Rescaled { power: f64::INFINITY }.check("x").is_err());
    }
}
