//! Normalised least mean squares: the step size follows the length of the key.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, UpdateRule};
use workbench_ground::check::{not_negative, within};

const OP: &str = "normalised update";

/// Normalised least mean squares, one pair at a time.
///
/// $$ W_{t+1}=W_t+\frac\mu{\epsilon+\lVert x\rVert^2}(v-W_tx)\,x^\top $$
///
/// It minimises $\langle Wx,W_tx-v\rangle+\frac{\epsilon+\lVert x\rVert^2}{2\mu}\lVert W-W_t\rVert_F^2$: long keys are held more firmly.
/// With $\mu=1$ and $\epsilon=0$ the pair is stored exactly by the smallest change (a projection); with $\mu=1$ and $\epsilon>0$ it is
/// [`ImplicitStep`](super::ImplicitStep) with $\eta=1/\epsilon$.
///
/// **Source**: ours.
///
/// ```
/// use workbench_gradient_memory::{Nlms, UpdateRule};
/// use ndarray::array;
/// let mut rule = Nlms::new(1, 2, 1.0, 0.0)?;
/// rule.step(&array![[3.0, 4.0]], &array![[1.0]])?;
/// assert!((rule.recall(&array![[3.0, 4.0]])?[[0, 0]] - 1.0).abs() < 1e-15);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Nlms {
    weights: Weights,
    mu: f64,
    epsilon: f64,
}

impl Nlms {
    /// An empty memory (d_v, d_k) with `mu` in (0, 2) and `epsilon` at least 0.
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, mu: f64, epsilon: f64) -> Result<Nlms, Error> {
        let allowed = "a number in (0, 2); beyond 2 the error of the pair itself grows";
        within(OP, "mu", mu, mu > 0.0 && mu < 2.0, allowed)?;
        let epsilon = not_negative(OP, "epsilon", epsilon)?;
        let weights = Weights::zeros(OP, d_v, d_k)?;
        Ok(Nlms { weights, mu, epsilon })
    }

    /// `epsilon + |x|^2` of the only key.
    fn length(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<f64, Error> {
        self.weights.check(OP, keys, values)?;
        if keys.nrows() != 1 {
            let problem = format!("a batch of {} pairs", keys.nrows());
            let next = "give one pair at a time, in the order of the stream";
            return Err(Error::refused(OP, problem, next));
        }
        let length = self.epsilon + keys.iter().map(|x| x * x).sum::<f64>();
        if length == 0.0 {
            let problem = "key 0 is zero and has no direction";
            return Err(Error::refused(OP, problem, "drop it or use a positive epsilon"));
        }
        Ok(length)
    }
}

impl UpdateRule for Nlms {
    shared!();

    fn name(&self) -> String {
        format!("NLMS, μ = {}, ε = {}", self.mu, self.epsilon)
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        let length = self.length(keys, values)?;
        let w = &self.weights.w;
        let slope = w.dot(&keys.t().dot(keys)) - values.t().dot(keys);
        Ok(vec![InnerObjective::new("weights").linear(slope).anchor(length / self.mu, w.clone())])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        let rate = self.mu / self.length(keys, values)?;
        let surprise = values - &keys.dot(&self.weights.w.t());
        let next = &self.weights.w + &(rate * surprise.t().dot(keys));
        self.weights.commit(OP, next)
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)
    }
}
