//! Recursive least squares: the online ridge, and with forgetting its fading form.

use ndarray::Array2;

use super::shared;
use crate::Error;
use crate::rule::Weights;
use crate::{InnerObjective, UpdateRule};
use workbench_ground::check::{above_zero, within};

const OP: &str = "recursive least squares";

/// Recursive least squares, kept up to date in O(d_k^2) for each pair.
///
/// $$ W_t=\arg\min_W\sum_{s\le t}f^{t-s}\lVert Wx_s-v_s\rVert^2+f^t\,\mathrm{ridge}\,\lVert W\rVert_F^2 $$
///
/// One step minimises $\frac12\sum_i\lVert Wx_i-v_i\rVert^2+\frac12\operatorname{tr}\bigl((W-W_t)\,fR_t\,(W-W_t)^\top\bigr)$, where the
/// correlation of keys R is a memory of its own: $R_{t+1}=fR_t+\sum_ix_ix_i^\top$ minimises
/// $-\langle R,\sum_ix_ix_i^\top\rangle+\frac12\lVert R-fR_t\rVert^2$, $R_0=\mathrm{ridge}\,I$. It is a preconditioned implicit step
/// whose metric is what the memory has seen.
///
/// **Source**: ours. Cost of a step O(n d_k (d_v + d_k)).
///
/// ```
/// use workbench_gradient_memory::{RecursiveLeastSquares, UpdateRule};
/// use ndarray::array;
/// let mut rule = RecursiveLeastSquares::new(1, 1, 1.0, 1e-9)?;
/// rule.step(&array![[1.0]], &array![[1.0]])?;
/// rule.step(&array![[1.0]], &array![[2.0]])?;
/// assert!((rule.weights()[[0, 0]] - 1.5).abs() < 1e-8); // the mean: nothing is forgotten
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "RLS")]
pub struct RecursiveLeastSquares {
    weights: Weights,
    correlation: Array2<f64>,
    inverse: Array2<f64>,
    forgetting: f64,
    ridge: f64,
}

impl RecursiveLeastSquares {
    /// An empty memory (d_v, d_k) with `forgetting` f in (0, 1] (1 forgets nothing) and `ridge` > 0.
    ///
    /// **Errors**: [`Error::Parameter`], [`Error::Empty`] for a dimension of 0.
    pub fn new(d_v: usize, d_k: usize, forgetting: f64, ridge: f64) -> Result<RecursiveLeastSquares, Error> {
        let allowed = "a number in (0, 1]; 1 forgets nothing";
        let inside = forgetting > 0.0 && forgetting <= 1.0;
        within(OP, "forgetting", forgetting, inside, allowed)?;
        let ridge = above_zero(OP, "ridge", ridge)?;
        Ok(RecursiveLeastSquares {
            weights: Weights::zeros(OP, d_v, d_k)?,
            correlation: ridge * Array2::<f64>::eye(d_k),
            inverse: Array2::eye(d_k) / ridge,
            forgetting,
            ridge,
        })
    }

    fn next_correlation(&self, keys: &Array2<f64>) -> Array2<f64> {
        self.forgetting * &self.correlation + keys.t().dot(keys)
    }
}

impl UpdateRule for RecursiveLeastSquares {
    shared!();

    fn name(&self) -> String {
        format!("recursive least squares, forgetting {}, ridge {:e}", self.forgetting, self.ridge)
    }

    fn memories(&self) -> Vec<(&'static str, Array2<f64>)> {
        vec![("correlation", self.correlation.clone()), ("weights", self.weights.w.clone())]
    }

    fn objectives(&self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Vec<InnerObjective>, Error> {
        self.weights.check(OP, keys, values)?;
        let faded = self.forgetting * &self.correlation;
        Ok(vec![
            InnerObjective::new("correlation").linear(-keys.t().dot(keys)).anchor(1.0, faded.clone()),
            InnerObjective::new("weights").fit(1.0, keys.clone(), values.clone()).metric(faded, self.weights.w.clone()),
        ])
    }

    fn step(&mut self, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        self.weights.check(OP, keys, values)?;
        let mut w = self.weights.w.clone();
        let mut inverse = &self.inverse / self.forgetting;
        for (x, v) in keys.rows().into_iter().zip(values.rows()) {
            let image = inverse.dot(&x);
            let gain = &image / (1.0 + x.dot(&image));
            let surprise = &v - &w.dot(&x);
            // Of rank one, row by row in place.
            w.rows_mut().into_iter().zip(&surprise).for_each(|(mut row, surprise)| row.scaled_add(*surprise, &gain));
            inverse.rows_mut().into_iter().zip(&image).for_each(|(mut row, image)| row.scaled_add(-image, &gain));
        }
        self.weights.commit(OP, w)?;
        self.correlation = self.next_correlation(keys);
        self.inverse = inverse;
        Ok(())
    }

    fn restart(&mut self, weights: &Array2<f64>) -> Result<(), Error> {
        self.weights.restart(OP, weights)?;
        let d_k = self.weights.w.ncols();
        self.correlation = self.ridge * Array2::<f64>::eye(d_k);
        self.inverse = Array2::eye(d_k) / self.ridge;
        Ok(())
    }
}

#[cfg(test)]
impl RecursiveLeastSquares {
    /// What the two recursions must keep at the identity.
    pub(crate) fn inverse_times_correlation(&self) -> Array2<f64> {
        self.inverse.dot(&self.correlation)
    }
}
