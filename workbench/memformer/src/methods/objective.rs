//! Objective of a first-order method: gradients, exact or from a few examples.

use ndarray::{Array1, Array2};

use super::quadratic::Quadratic;
use crate::Error;
use crate::arithmetic::number::Number;
use workbench_ground::check::{finite, positions, positive, same_shape};

/// A function seen through its gradients.
pub trait Objective<T: Number> {
    /// Dimension d.
    fn dim(&self) -> usize;
    /// The gradient at `w` that the method is given in its step number `step`; a stochastic function answers differently in every
    /// step, and always the same in the same step.
    fn gradient(&self, step: usize, w: &Array1<T>) -> Array1<T>;
}

impl<T: Number> Objective<T> for Quadratic<T> {
    fn dim(&self) -> usize {
        Quadratic::dim(self)
    }
    fn gradient(&self, _: usize, w: &Array1<T>) -> Array1<T> {
        Quadratic::gradient(self, w)
    }
}

/// $f(w)=\sum_i\ln\cosh(\langle a_i,w\rangle-b_i)$: smooth and convex, and not a quadratic.
///
/// **Shapes**: a (m, d), b (m). Ours, to tell what holds for quadratics from what holds in general.
#[derive(Clone, Debug)]
pub struct LogCosh {
    a: Array2<f64>,
    b: Array1<f64>,
}

impl LogCosh {
    /// The function with rows `a` and offsets `b`.
    ///
    /// **Errors**: an empty matrix, lengths, entries that are not finite.
    pub fn new(a: Array2<f64>, b: Array1<f64>) -> Result<LogCosh, Error> {
        const OP: &str = "LogCosh::new";
        positive(OP, "the number of rows", a.nrows())?;
        positive(OP, "d", a.ncols())?;
        same_shape(OP, "b", b.shape(), &[a.nrows()])?;
        finite(OP, "a", &a)?;
        finite(OP, "b", &b)?;
        Ok(LogCosh { a, b })
    }

    /// f(w).
    pub fn value(&self, w: &Array1<f64>) -> f64 {
        // ln cosh t = |t| - ln 2 + ln(1 + e^(-2|t|)), which does not overflow.
        let value = |t: f64| t.abs() - std::f64::consts::LN_2 + (-2.0 * t.abs()).exp().ln_1p();
        (self.a.dot(w) - &self.b).mapv(value).sum()
    }
}

impl Objective<f64> for LogCosh {
    fn dim(&self) -> usize {
        self.a.ncols()
    }
    fn gradient(&self, _: usize, w: &Array1<f64>) -> Array1<f64> {
        self.a.t().dot(&(self.a.dot(w) - &self.b).mapv(f64::tanh))
    }
}

/// Least squares seen through one example at a time: step k is given the gradient of the example `order[k % order.len()]`.
///
/// **Shapes**: x (d, n), y (n), order any length of indices below n.
#[derive(Clone, Debug)]
pub struct SingleExamples {
    x: Array2<f64>,
    y: Array1<f64>,
    order: Vec<usize>,
}

impl SingleExamples {
    /// The examples in the order in which they come.
    ///
    /// **Errors**: shapes; an empty order, or one that names an example which does not exist.
    pub fn new(x: Array2<f64>, y: Array1<f64>, order: Vec<usize>) -> Result<SingleExamples, Error> {
        const OP: &str = "SingleExamples::new";
        positive(OP, "d", x.nrows())?;
        positive(OP, "the length of the order", order.len())?;
        same_shape(OP, "y", y.shape(), &[x.ncols()])?;
        positions(OP, "example", &order, x.ncols())?;
        Ok(SingleExamples { x, y, order })
    }
}

impl Objective<f64> for SingleExamples {
    fn dim(&self) -> usize {
        self.x.nrows()
    }
    fn gradient(&self, step: usize, w: &Array1<f64>) -> Array1<f64> {
        let i = self.order[step % self.order.len()];
        let x = self.x.column(i);
        let miss = x.dot(w) - self.y[i];
        &x * miss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_gradient_of_log_cosh_is_its_slope() {
        let f = LogCosh::new(array![[1.0, 2.0], [-0.5, 1.0], [3.0, 0.1]], array![0.3, -1.0, 2.0]).unwrap();
        let w = array![0.2, -0.7];
        let g = f.gradient(0, &w);
        for i in 0..2 {
            let at = |h: f64| {
                let mut v = w.clone();
                v[i] += h;
                f.value(&v)
            };
            assert!(((at(1e-5) - at(-1e-5)) / 2e-5 - g[i]).abs() < 1e-9);
        }
        assert!((f.value(&array![1000.0, 0.0]) - (999.7 + 499.0 + 2998.0 - 3.0 * std::f64::consts::LN_2)).abs() < 1e-9);
        assert!(LogCosh::new(array![[1.0]], array![1.0, 2.0]).is_err());
    }

    #[test]
    fn examples_come_in_order_and_add_up() {
        let (x, y) = (array![[1.0, 2.0], [0.0, 1.0]], array![1.0, -1.0]);
        let f = SingleExamples::new(x.clone(), y.clone(), vec![0, 1]).unwrap();
        let w = array![0.5, 0.5];
        let whole = Quadratic::of_prompt(&x, &y).unwrap().gradient(&w);
        let mean = (f.gradient(0, &w) + f.gradient(1, &w)) / 2.0;
        assert!((mean - whole).iter().all(|v| v.abs() < 1e-15));
        assert_eq!(f.gradient(3, &w), f.gradient(1, &w));
        let refused = SingleExamples::new(x, y, vec![0, 2]).unwrap_err();
        assert!(refused.to_string().contains("position 2"));
    }
}
