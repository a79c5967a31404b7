//! The delta rule: write only what the memory does not yet answer.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, UpdateRule};
use workbench_ground::check::above_zero;

const OP: &str = "delta rule";

/// The delta rule.
///
/// $$ W_{t+1}=W_t+\eta\sum_i(v_i-W_tx_i)\,x_i^\top $$
///
/// That is $W_t(I-\eta xx^\top)+\eta vx^\top$ for one pair. It minimises
/// $\sum_i\langle Wx_i,W_tx_i-v_i\rangle+\frac1{2\eta}\lVert W-W_t\rVert_F^2$. The same step minimises the squared error itself,
/// $\frac12\lVert Wx-v\rVert^2$, held by the metric $I/\eta-xx^\top$ in place of $I/\eta$.
///
/// **Source**: ours; the gradient descent display with squared error.
///
/// ```
/// use workbench_gradient_memory::{DeltaRule, UpdateRule};
/// use ndarray::array;
/// let mut rule = DeltaRule::new(1, 1, 1.0)?;
/// for _ in 0..3 {
///     rule.step(&array![[1.0]], &array![[2.0]])?;
/// }
/// assert_eq!(rule.weights(), &array![[2.0]]); // stays at the value
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "Widrow-Hoff")]
#[doc(alias = "LMS")]
pub struct DeltaRule {
    weights: Weights,
    eta: f64,
}

impl DeltaRule {
    /// An empty memory (d_v, d_k) with step size `eta` > 0; stable for $\eta\lVert x\rVert^2<2$.
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, eta: f64) -> Result<DeltaRule, Error> {
        let eta = above_zero(OP, "eta", eta)?;
        let weights = Weights::zeros(OP, d_v, d_k)?;
        Ok(DeltaRule { weights, eta })
    }
}

impl UpdateRule for DeltaRule {
    shared!();

    fn name(&self) -> String {
        format!("delta rule, η = {}", self.eta)
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        self.weights.check(OP, keys, values)?;
        let w = &self.weights.w;
        let slope = w.dot(&keys.t().dot(keys)) - values.t().dot(keys);
        Ok(vec![InnerObjective::new("weights").linear(slope).anchor(1.0 / self.eta, w.clone())])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        self.weights.check(OP, keys, values)?;
        let surprise = values - &keys.dot(&self.weights.w.t());
        let next = &self.weights.w + &(self.eta * surprise.t().dot(keys));
        self.weights.commit(OP, next)
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)
    }
}
