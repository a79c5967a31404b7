//! A stream of pairs: predict with the memory as it is, then update it. And the same in exact arithmetic.

use ndarray::{Array2, Axis};

use super::exact::Fraction;
use super::loss::product;
use super::objective::norm;
use super::scalar::{Dual, Scalar};
use super::{Loss, UpdateRule};
use crate::Error;
use crate::pairs::fits;
use workbench_ground::check::{above_zero, same, within};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// What a stream of pairs left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamTrace {
    /// Prediction $y_{t+1}=W_tx_{t+1}$, made before the update; row t (T, d_v).
    pub predictions: Array2<f64>,
    /// Output gradient $u_{t+1}$ of the loss at that prediction; row t (T, d_v).
    pub output_gradients: Array2<f64>,
    /// The memory before each step and after the last: T + 1 matrices (d_v, d_k).
    pub weights: Vec<Array2<f64>>,
}

/// One row for each step, from 1: norms of the prediction, of the output gradient and of the memory after the step.
impl Tabulated for StreamTrace {
    fn columns(&self) -> Result<Columns, Error> {
        let rows = |of: &Array2<f64>| of.rows().into_iter().map(|row| row.dot(&row).sqrt()).collect::<Vec<f64>>();
        let memory: Vec<f64> = self.weights.iter().skip(1).map(norm).collect();
        Ok(Columns::new("A stream of pairs")
            .x("step", (1..=memory.len()).collect::<Vec<usize>>())
            .with("prediction", rows(&self.predictions))
            .with("output gradient", rows(&self.output_gradients))
            .with("memory", memory))
    }
}

/// Feeds the pairs to `rule` one by one, in the order predict, then update.
///
/// **Source**: NOTE on online learning. **Shapes**: keys (T, d_k), values (T, d_v). The `loss` only serves to report `u`.
///
/// **Errors**: as [`UpdateRule::step`]; [`Error::Stopped`]. Cost O(T d_v d_k) time beside the rule's steps, and O(T d_v d_k) memory, since
/// the weights of all times are kept.
///
/// ```
/// use workbench_gradient_memory::{DeltaRule, Loss, UpdateRule, run_stream};
/// use ndarray::array;
/// let mut rule: Box<dyn UpdateRule> = Box::new(DeltaRule::new(1, 1, 0.5)?);
/// let trace = run_stream(&mut rule, Loss::Squared, &array![[1.0], [1.0]], &array![[2.0], [2.0]])?;
/// assert_eq!(trace.predictions, array![[0.0], [1.0]]);
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn run_stream(
    rule: &mut Box<dyn UpdateRule>,
    loss: Loss,
    keys: &Array2<f64>,
    values: &Array2<f64>,
) -> Result<StreamTrace, Error> {
    fits("stream", rule.weights(), keys, values)?;
    let mut trace = StreamTrace {
        predictions: Array2::zeros(values.dim()),
        output_gradients: Array2::zeros(values.dim()),
        weights: vec![rule.weights().clone()],
    };
    for t in 0..keys.nrows() {
        work::check("stream", t, keys.nrows())?;
        let (key, value) = (row(keys, t), row(values, t));
        let prediction = rule.recall(&key)?;
        let slope = loss.output_gradient(rule.weights(), &key, &value)?;
        rule.step(&key, &value)?;
        trace.predictions.row_mut(t).assign(&prediction.row(0));
        trace.output_gradients.row_mut(t).assign(&slope.row(0));
        trace.weights.push(rule.weights().clone());
    }
    Ok(trace)
}

/// Row t as a batch of one.
pub(crate) fn row(a: &Array2<f64>, t: usize) -> Array2<f64> {
    a.row(t).to_owned().insert_axis(Axis(0))
}

/// The closed-form recursion for squared error, $W(I-\eta xx^\top)+\eta vx^\top$, with the matrix $I-\eta xx^\top$ formed.
///
/// **Source**: the gradient descent display with squared error, multiplied out. **Shapes**: w (d_v, d_k), key (1, d_k),
/// value (1, d_v).
///
/// **Errors**: shapes, `eta` not above 0.
pub fn closed_form_step(
    w: &Array2<f64>,
    key: &Array2<f64>,
    value: &Array2<f64>,
    eta: f64,
) -> Result<Array2<f64>, Error> {
    fits("closed-form step", w, key, value)?;
    above_zero("closed-form step", "eta", eta)?;
    let projector = Array2::<f64>::eye(w.ncols()) - eta * key.t().dot(key);
    Ok(w.dot(&projector) + eta * value.t().dot(key))
}

/// The derivatives of all outputs in row `i` of W: entry (j, k) is $\partial y_j/\partial W_{ik}$ for $y=Wx$, by dual numbers.
///
/// **Source**: chain-rule remark. It is x in row i and zero elsewhere. **Shapes**: w (d_v, d_k), key (1, d_k), result
/// (d_v, d_k). Exact.
///
/// **Errors**: shapes, a row that W does not have, [`Error::Stopped`].
pub fn output_jacobian(w: &Array2<Fraction>, key: &Array2<Fraction>, i: usize) -> Result<Array2<Fraction>, Error> {
    let op = "output jacobian";
    let outputs = Array2::from_elem((key.nrows(), w.nrows()), Fraction::zero());
    fits(op, w, key, &outputs)?;
    within(op, "row", i as f64, i < w.nrows(), "a row of W, counted from 0")?;
    let mut lifted = w.mapv(Dual::constant);
    let x: Vec<Dual<Fraction>> = key.row(0).iter().cloned().map(Dual::constant).collect();
    let mut jacobian = Array2::from_elem(w.dim(), Fraction::zero());
    for k in 0..w.ncols() {
        work::check(op, k, w.ncols())?;
        lifted[[i, k]].slope = Fraction::one();
        for (j, y) in product(&lifted, &x).into_iter().enumerate() {
            jacobian[[j, k]] = y.slope;
        }
        lifted[[i, k]].slope = Fraction::zero();
    }
    Ok(jacobian)
}

/// One gradient step in exact arithmetic, $W-\eta\sum_iu_ix_i^\top$.
///
/// **Source**: gradient descent display. **Errors**: as [`Loss::exact_gradient`].
pub fn exact_gradient_step(
    loss: Loss,
    w: &Array2<Fraction>,
    keys: &Array2<Fraction>,
    values: &Array2<Fraction>,
    eta: &Fraction,
) -> Result<Array2<Fraction>, Error> {
    let gradient = loss.exact_gradient(w, keys, values)?;
    Ok(Array2::from_shape_fn(w.dim(), |at| &w[at] - &(eta * &gradient[at])))
}

/// The gradient, in exact arithmetic, of the reformulated objective $\sum_i\langle Ax_i,u_i\rangle+\frac1{2\eta}\lVert A-W\rVert_F^2$ at
/// $A$, with $u_i$ held at W. Zero in every entry is the first-order condition.
///
/// It is taken by dual numbers of the objective itself, so it uses the definition alone.
///
/// **Source**: reformulation display. **Errors**: as [`Loss::exact_gradient`]; shapes, `eta` of 0, [`Error::Stopped`].
pub fn exact_first_order_condition(
    loss: Loss,
    a: &Array2<Fraction>,
    w: &Array2<Fraction>,
    keys: &Array2<Fraction>,
    values: &Array2<Fraction>,
    eta: &Fraction,
) -> Result<Array2<Fraction>, Error> {
    let op = "first-order condition";
    if eta.is_zero() {
        return Err(Error::parameter(op, "eta", 0.0, "a step size that is not 0"));
    }
    fits(op, w, keys, values)?;
    same(op, ("A", a.dim()), ("W", w.dim()))?;
    let u = loss.exact_output_gradient(w, keys, values)?;
    let weight = Dual::constant(&Fraction::new(1, 2) / eta);
    let mut lifted = a.mapv(Dual::constant);
    let mut result = a.mapv(|_| Fraction::zero());
    let entries = result.len();
    for (done, (at, slope)) in result.indexed_iter_mut().enumerate() {
        work::check(op, done, entries)?;
        lifted[at].slope = Fraction::one();
        let mut objective = Dual::<Fraction>::zero();
        for (x, u) in keys.rows().into_iter().zip(u.rows()) {
            let x: Vec<Dual<Fraction>> = x.iter().cloned().map(Dual::constant).collect();
            for (y, u) in product(&lifted, &x).into_iter().zip(u) {
                objective = objective + y * Dual::constant(u.clone());
            }
        }
        for (a, w) in lifted.iter().zip(w) {
            let moved = a.clone() - Dual::constant(w.clone());
            objective = objective + weight.clone() * moved.clone() * moved;
        }
        *slope = objective.slope;
        lifted[at].slope = Fraction::zero();
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeltaRule, entries_that_differ, fraction_matrix};
    use workbench_ground::rehearsal::stop_after;
    use workbench_ground::stats::{Streams, normal_array2};
    use workbench_ground::tabulated::Values;

    #[test]
    fn the_stream_predicts_before_it_updates() {
        let streams = Streams::new(1);
        let keys = normal_array2(&mut streams.stream("k").unwrap(), 20, 4) / 2.0;
        let values = normal_array2(&mut streams.stream("v").unwrap(), 20, 3);
        let mut rule: Box<dyn UpdateRule> = Box::new(DeltaRule::new(3, 4, 0.3).unwrap());
        let trace = run_stream(&mut rule, Loss::Squared, &keys, &values).unwrap();
        assert_eq!(trace.weights.len(), 21);
        let columns = trace.columns().unwrap();
        let names: Vec<&str> = columns.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["step", "prediction", "output gradient", "memory"]);
        assert!(columns.list.iter().all(|(_, values)| values.len() == 20) && columns.x == Some(0));
        let memory: Vec<f64> = trace.weights[1..].iter().map(norm).collect();
        assert_eq!(columns.list[3].1, Values::from(memory));
        for t in 0..20 {
            let (key, value) = (row(&keys, t), row(&values, t));
            let near =
                |a: ndarray::ArrayView1<f64>, b: ndarray::ArrayView1<f64>| (&a - &b).iter().all(|e| e.abs() < 1e-14);
            assert!(near(trace.predictions.row(t), key.dot(&trace.weights[t].t()).row(0)));
            let closed = closed_form_step(&trace.weights[t], &key, &value, 0.3).unwrap();
            assert!((closed - &trace.weights[t + 1]).iter().all(|e| e.abs() < 1e-14));
            let u = &trace.predictions.row(t) - &values.row(t);
            assert!(near(trace.output_gradients.row(t), u.view()));
        }
        assert!(run_stream(&mut rule, Loss::Squared, &keys, &keys).is_err());
    }

    #[test]
    fn the_exact_step_meets_the_first_order_condition_and_its_twins_do_not() {
        let streams = Streams::new(2);
        let draw = |name: &str, r, c| fraction_matrix(&mut streams.stream(name).unwrap(), r, c);
        let (w, keys, values) = (draw("w", 3, 4), draw("k", 2, 4), draw("v", 2, 3));
        let zero = w.mapv(|_| Fraction::zero());
        let (eta, other) = (Fraction::new(2, 7), Fraction::new(3, 7));
        for loss in [Loss::Squared, Loss::Inner, Loss::Huber { delta: 1.5 }] {
            let wrong = |a: &Array2<Fraction>, eta: &Fraction| {
                let foc = exact_first_order_condition(loss, a, &w, &keys, &values, eta).unwrap();
                entries_that_differ(&foc, &zero).unwrap()
            };
            let step = exact_gradient_step(loss, &w, &keys, &values, &eta).unwrap();
            assert_eq!(wrong(&step, &eta), 0);
            assert!(wrong(&step, &other) > 0, "another step size");
            assert!(wrong(&w, &eta) > 0, "no step at all");
        }
        let stopped = stop_after(5, || exact_first_order_condition(Loss::Squared, &w, &w, &keys, &values, &eta));
        assert!(matches!(stopped, Err(Error::Stopped(stopped)) if stopped.of == 12));
    }

    #[test]
    fn the_jacobian_has_the_key_in_one_row() {
        let streams = Streams::new(3);
        let w = fraction_matrix(&mut streams.stream("w").unwrap(), 3, 4);
        let key = fraction_matrix(&mut streams.stream("k").unwrap(), 1, 4);
        for i in 0..3 {
            let jacobian = output_jacobian(&w, &key, i).unwrap();
            for ((j, k), entry) in jacobian.indexed_iter() {
                assert_eq!(*entry, if j == i { key[[0, k]].clone() } else { Fraction::zero() });
            }
        }
        let stopped = stop_after(2, || output_jacobian(&w, &key, 0));
        assert!(matches!(stopped, Err(Error::Stopped(stopped)) if (stopped.done, stopped.of) == (2, 4)));
        assert!(matches!(output_jacobian(&w, &key, 3), Err(Error::Parameter { .. })));
        assert!(matches!(output_jacobian(&w, &w.t().to_owned(), 0), Err(Error::Shape { .. })));
    }

    #[test]
    fn bad_input_is_refused() {
        let mut rule: Box<dyn UpdateRule> = Box::new(DeltaRule::new(1, 1, 0.3).unwrap());
        let wrong = closed_form_step(rule.weights(), &Array2::ones((1, 1)), &Array2::ones((1, 1)), 0.0);
        assert!(matches!(wrong, Err(Error::Parameter { .. })));
        let none = Array2::<f64>::zeros((0, 1));
        assert!(matches!(run_stream(&mut rule, Loss::Squared, &none, &none), Err(Error::Empty { .. })));
    }
}
