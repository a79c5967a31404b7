//! The correlation memory: the inner product as objective.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, UpdateRule};
use workbench_ground::check::above_zero;

const OP: &str = "Hebbian rule";

/// The correlation memory.
///
/// $$ W_{t+1}=W_t+\eta\sum_iv_ix_i^\top=\arg\min_W-\sum_i\langle Wx_i,v_i\rangle+\frac1{2\eta}\lVert W-W_t\rVert_F^2 $$
///
/// Alignment is rewarded, whatever the memory already answers.
///
/// **Source**: ours, after the reformulation with the inner product as loss. Nothing is forgotten; interference only grows.
///
/// ```
/// use workbench_gradient_memory::{Hebbian, UpdateRule};
/// use ndarray::array;
/// let mut rule = Hebbian::new(1, 1, 1.0)?;
/// for _ in 0..3 {
///     rule.step(&array![[1.0]], &array![[2.0]])?;
/// }
/// assert_eq!(rule.weights(), &array![[6.0]]); // overshoots the value 2
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hebbian {
    weights: Weights,
    eta: f64,
}

impl Hebbian {
    /// An empty memory (d_v, d_k) with step size `eta` > 0.
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, eta: f64) -> Result<Hebbian, Error> {
        let eta = above_zero(OP, "eta", eta)?;
        let weights = Weights::zeros(OP, d_v, d_k)?;
        Ok(Hebbian { weights, eta })
    }
}

impl UpdateRule for Hebbian {
    shared!();

    fn name(&self) -> String {
        format!("Hebbian, η = {}", self.eta)
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        self.weights.check(OP, keys, values)?;
        Ok(vec![
            InnerObjective::new("weights").linear(-values.t().dot(keys)).anchor(1.0 / self.eta, self.weights.w.clone()),
        ])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        self.weights.check(OP, keys, values)?;
        let next = &self.weights.w + &(self.eta * values.t().dot(keys));
        self.weights.commit(OP, next)
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)
    }
}
