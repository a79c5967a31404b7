//! Weight decay: each step starts from a memory that is shrunk a little.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, Loss, UpdateRule};
use workbench_ground::check::{above_zero, not_negative, within};

const OP: &str = "weight decay";

/// A gradient step from a memory that has faded a little.
///
/// $$ W_{t+1}=(1-\eta\lambda)\,W_t-\eta\sum_iu_ix_i^\top $$
///
/// It minimises $\langle W,\sum_iu_ix_i^\top\rangle+\frac1{2\eta}\lVert W-(1-\eta\lambda)W_t\rVert_F^2$: the anchor is the faded memory.
/// Penalising $\frac\lambda2\lVert W\rVert^2$ inside the argmin is another rule, $(W_t-\eta G)/(1+\eta\lambda)$, which also fades the new
/// gradient.
///
/// **Source**: ours.
///
/// ```
/// use workbench_gradient_memory::{Loss, UpdateRule, WeightDecay};
/// use ndarray::array;
/// let mut rule = WeightDecay::new(1, 2, 1.0, 0.5, Loss::Inner)?;
/// rule.step(&array![[1.0, 0.0]], &array![[1.0]])?;
/// rule.step(&array![[0.0, 1.0]], &array![[1.0]])?;
/// assert_eq!(rule.weights(), &array![[0.5, 1.0]]); // the older pair has faded by half
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightDecay {
    weights: Weights,
    eta: f64,
    lambda: f64,
    loss: Loss,
}

impl WeightDecay {
    /// An empty memory (d_v, d_k) with `eta` > 0, `lambda` at least 0 and $\eta\lambda<1$.
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, eta: f64, lambda: f64, loss: Loss) -> Result<WeightDecay, Error> {
        let (eta, lambda) = (above_zero(OP, "eta", eta)?, not_negative(OP, "lambda", lambda)?);
        let allowed = "eta lambda below 1, or nothing of the memory is left";
        within(OP, "eta lambda", eta * lambda, eta * lambda < 1.0, allowed)?;
        let weights = Weights::zeros(OP, d_v, d_k)?;
        Ok(WeightDecay { weights, eta, lambda, loss })
    }
}

impl UpdateRule for WeightDecay {
    shared!();

    fn name(&self) -> String {
        format!("weight decay, η = {}, λ = {}, {:?}", self.eta, self.lambda, self.loss)
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        let w = &self.weights.w;
        Ok(vec![
            InnerObjective::new("weights")
                .linear(self.loss.gradient(w, keys, values)?)
                .anchor(1.0 / self.eta, (1.0 - self.eta * self.lambda) * w),
        ])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        let w = &self.weights.w;
        let gradient = self.loss.gradient(w, keys, values)?;
        let next = w - &(self.eta * (gradient + self.lambda * w));
        self.weights.commit(OP, next)
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)
    }
}
