//! A gradient step held by another metric than the Frobenius norm.

use ndarray::Array2;
use ndarray_linalg::{Cholesky, Inverse, UPLO};

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, Loss, UpdateRule};
use workbench_ground::check::{above_zero, finite_matrix, same};

const OP: &str = "preconditioned step";

/// A gradient step for a fixed symmetric positive metric H on the keys, (d_k, d_k).
///
/// $$ W_{t+1}=W_t-\eta\,G_tH^{-1} $$
///
/// It minimises $\langle W,G_t\rangle+\frac1{2\eta}\operatorname{tr}\bigl((W-W_t)H(W-W_t)^\top\bigr)$. With H the second moment of the
/// keys all key directions are learned, and forgotten, at one rate.
///
/// **Source**: ours.
///
/// ```
/// use workbench_gradient_memory::{Loss, Preconditioned, UpdateRule};
/// use ndarray::array;
/// let mut rule = Preconditioned::new(1, array![[1.0, 0.0], [0.0, 4.0]], 1.0, Loss::Inner)?;
/// rule.step(&array![[1.0, 1.0]], &array![[1.0]])?;
/// assert_eq!(rule.weights(), &array![[1.0, 0.25]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Preconditioned {
    weights: Weights,
    metric: Array2<f64>,
    inverse: Array2<f64>,
    eta: f64,
    loss: Loss,
}

impl Preconditioned {
    /// An empty memory (d_v, d_k) for a symmetric positive definite metric (d_k, d_k) and `eta` > 0.
    ///
    /// **Errors**: [`Error::Parameter`]; [`Error::Shape`] or [`Error::NotFinite`] for the metric, [`Error::Outside`] if it is not
    /// positive definite.
    pub fn new(d_v: usize, metric: Array2<f64>, eta: f64, loss: Loss) -> Result<Preconditioned, Error> {
        let eta = above_zero(OP, "eta", eta)?;
        let columns = ("its columns", metric.ncols());
        same(OP, ("rows of the metric", metric.nrows()), columns)?;
        finite_matrix(OP, "metric", &metric)?;
        let weights = Weights::zeros(OP, d_v, metric.ncols())?;
        let metric = 0.5 * (&metric + &metric.t());
        metric.cholesky(UPLO::Lower).map_err(Error::linear_algebra(OP))?;
        let inverse = metric.inv().map_err(Error::linear_algebra(OP))?;
        Ok(Preconditioned { weights, metric, inverse, eta, loss })
    }
}

impl UpdateRule for Preconditioned {
    shared!();

    fn name(&self) -> String {
        format!("preconditioned step, η = {}, {:?}", self.eta, self.loss)
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        let w = &self.weights.w;
        Ok(vec![
            InnerObjective::new("weights")
                .linear(self.loss.gradient(w, keys, values)?)
                .metric(&self.metric / self.eta, w.clone()),
        ])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        let gradient = self.loss.gradient(&self.weights.w, keys, values)?;
        let next = &self.weights.w - &(self.eta * gradient.dot(&self.inverse));
        self.weights.commit(OP, next)
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)
    }
}
