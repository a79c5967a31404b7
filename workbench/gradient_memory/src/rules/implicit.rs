//! The implicit step: the squared error itself as inner objective, not its linearisation.

use ndarray::Array2;
use ndarray_linalg::SolveH;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, UpdateRule};
use workbench_ground::check::above_zero;

const OP: &str = "implicit step";

/// The implicit step.
///
/// $$ W_{t+1}=\arg\min_W\frac12\sum_i\lVert Wx_i-v_i\rVert^2+\frac1{2\eta}\lVert W-W_t\rVert_F^2 $$
///
/// For one pair it is $W_t+\frac\eta{1+\eta\lVert x\rVert^2}(v-W_tx)\,x^\top$; for a batch with keys X (n, d_k),
/// $W_t+\eta E^\top(I+\eta XX^\top)^{-1}X$ with $E=V-XW_t^\top$. It is what the streaming order of the document becomes when the gradient
/// is taken at $W_{t+1}$, after the update. Stable for every `eta`.
///
/// **Source**: ours (the swapped order of the NOTE on online learning).
///
/// ```
/// use workbench_gradient_memory::{ImplicitStep, UpdateRule};
/// use ndarray::array;
/// let mut rule = ImplicitStep::new(1, 1, 1.0)?;
/// rule.step(&array![[1.0]], &array![[2.0]])?;
/// assert_eq!(rule.weights(), &array![[1.0]]); // half way: eta / (1 + eta) = 1/2
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitStep {
    weights: Weights,
    eta: f64,
}

impl ImplicitStep {
    /// An empty memory (d_v, d_k) with step size `eta` > 0.
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, eta: f64) -> Result<ImplicitStep, Error> {
        let eta = above_zero(OP, "eta", eta)?;
        let weights = Weights::zeros(OP, d_v, d_k)?;
        Ok(ImplicitStep { weights, eta })
    }
}

impl UpdateRule for ImplicitStep {
    shared!();

    fn name(&self) -> String {
        format!("implicit step, η = {}", self.eta)
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        self.weights.check(OP, keys, values)?;
        Ok(vec![
            InnerObjective::new("weights")
                .fit(1.0, keys.clone(), values.clone())
                .anchor(1.0 / self.eta, self.weights.w.clone()),
        ])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        self.weights.check(OP, keys, values)?;
        let surprise = values - &keys.dot(&self.weights.w.t());
        // (I + eta X X^T) S = X, then W + eta E^T S.
        let mut gram = self.eta * keys.dot(&keys.t());
        gram.diag_mut().mapv_inplace(|g| g + 1.0);
        let mut solved = Array2::zeros(keys.dim());
        if keys.nrows() == 1 {
            solved.assign(&(keys / gram[[0, 0]]));
        } else {
            for (j, column) in keys.columns().into_iter().enumerate() {
                let part = gram.solveh(&column.to_owned()).map_err(Error::linear_algebra(OP))?;
                solved.column_mut(j).assign(&part);
            }
        }
        let next = &self.weights.w + &(self.eta * surprise.t().dot(&solved));
        self.weights.commit(OP, next)
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)
    }
}
