//! The document's update: one gradient step.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, Loss, UpdateRule};
use workbench_ground::check::above_zero;

const OP: &str = "gradient step";

/// One gradient step: outer products of output gradients and keys.
///
/// $$ W_{t+1}=W_t-\eta\sum_iu_ix_i^\top
/// {}=\arg\min_W\Bigl\langle W,\sum_iu_ix_i^\top\Bigr\rangle+\frac1{2\eta}\lVert W-W_t\rVert_F^2,\qquad
/// u_i=\nabla_y\mathcal L(W_tx_i,v_i), $$
///
/// with every $u_i$ held at $W_t$.
///
/// **Source**: gradient descent display and reformulation; the sum over a batch is ours.
///
/// ```
/// use workbench_gradient_memory::{GradientStep, Loss, UpdateRule};
/// use ndarray::array;
/// let mut rule = GradientStep::new(1, 2, 0.5, Loss::Squared)?;
/// rule.step(&array![[1.0, 0.0]], &array![[2.0]])?;
/// assert_eq!(rule.weights(), &array![[1.0, 0.0]]);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "SGD")]
pub struct GradientStep {
    weights: Weights,
    eta: f64,
    loss: Loss,
}

impl GradientStep {
    /// An empty memory (d_v, d_k) with step size `eta` > 0.
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, eta: f64, loss: Loss) -> Result<GradientStep, Error> {
        let eta = above_zero(OP, "eta", eta)?;
        let weights = Weights::zeros(OP, d_v, d_k)?;
        Ok(GradientStep { weights, eta, loss })
    }
}

impl UpdateRule for GradientStep {
    shared!();

    fn name(&self) -> String {
        format!("gradient step, η = {}, {:?}", self.eta, self.loss)
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        let slope = self.loss.gradient(&self.weights.w, keys, values)?;
        Ok(vec![InnerObjective::new("weights").linear(slope).anchor(1.0 / self.eta, self.weights.w.clone())])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        let mut next = self.weights.w.clone();
        next.scaled_add(-self.eta, &self.loss.gradient(&self.weights.w, keys, values)?);
        self.weights.commit(OP, next)
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)
    }
}
