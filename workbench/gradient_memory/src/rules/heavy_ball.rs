//! Momentum: a second memory, of past gradients.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, Loss, UpdateRule};
use workbench_ground::check::{above_zero, fraction};

const OP: &str = "heavy ball";

/// Momentum.
///
/// $$ M_{t+1}=\beta M_t+G_t,\qquad W_{t+1}=W_t-\eta M_{t+1},\qquad G_t=\sum_iu_ix_i^\top $$
///
/// The momentum minimises $-\langle M,G_t\rangle+\frac12\lVert M-\beta M_t\rVert_F^2$: a correlation memory of gradients that fades by
/// $\beta$. The weights then minimise $\langle W,M_{t+1}\rangle+\frac1{2\eta}\lVert W-W_t\rVert_F^2$.
///
/// **Source**: ours.
///
/// ```
/// use workbench_gradient_memory::{HeavyBall, Loss, UpdateRule};
/// use ndarray::array;
/// let mut rule = HeavyBall::new(1, 1, 1.0, 0.5, Loss::Inner)?;
/// rule.step(&array![[1.0]], &array![[1.0]])?;
/// rule.step(&array![[0.0]], &array![[0.0]])?; // no new gradient, and still the weights move
/// assert_eq!(rule.weights(), &array![[1.5]]);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "momentum")]
#[doc(alias = "Polyak")]
pub struct HeavyBall {
    weights: Weights,
    momentum: Array2<f64>,
    eta: f64,
    beta: f64,
    loss: Loss,
}

impl HeavyBall {
    /// An empty memory (d_v, d_k) with `eta` > 0 and `beta` in [0, 1).
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, eta: f64, beta: f64, loss: Loss) -> Result<HeavyBall, Error> {
        Ok(HeavyBall {
            eta: above_zero(OP, "eta", eta)?,
            beta: fraction(OP, "beta", beta)?,
            weights: Weights::zeros(OP, d_v, d_k)?,
            momentum: Array2::zeros((d_v, d_k)),
            loss,
        })
    }

    fn next_momentum(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Array2<f64>, Error> {
        Ok(self.beta * &self.momentum + self.loss.gradient(&self.weights.w, keys, values)?)
    }
}

impl UpdateRule for HeavyBall {
    shared!();

    fn name(&self) -> String {
        format!("heavy ball, η = {}, β = {}, {:?}", self.eta, self.beta, self.loss)
    }

    fn memories(&self) -> Vec<(&'static str, Array2<f64>)> {
        vec![("momentum", self.momentum.clone()), ("weights", self.weights.w.clone())]
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        let gradient = self.loss.gradient(&self.weights.w, keys, values)?;
        let momentum = InnerObjective::new("momentum").linear(-gradient).anchor(1.0, self.beta * &self.momentum);
        let weights = InnerObjective::new("weights")
            .linear(self.next_momentum(keys, values)?)
            .anchor(1.0 / self.eta, self.weights.w.clone());
        Ok(vec![momentum, weights])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        let momentum = self.next_momentum(keys, values)?;
        self.weights.commit(OP, &self.weights.w - &(self.eta * &momentum))?;
        self.momentum = momentum;
        Ok(())
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)?;
        self.momentum.fill(0.0);
        Ok(())
    }
}
