//! Losses of one layer $y=Wx$, their output gradients, and the gradient in W in two ways.

use ndarray::Array2;

use super::exact::Fraction;
use super::scalar::{Dual, Scalar};
use crate::Error;
use crate::pairs::{fits, fits_finite};
use workbench_ground::check::{above_zero, finite_matrix};
use workbench_ground::work;

/// How an output y is scored against a value v. A batch is the *sum* over its pairs.
///
/// | loss | $L(y,v)$ | $u=dL/dy$ | values |
/// | --- | --- | --- | --- |
/// | `Squared` | $\frac12\sum(y-v)^2$ | $y-v$ | any |
/// | `Inner` | $-\langle y,v\rangle$ | $-v$ | any |
/// | `Huber` | $\frac12r^2$ for $\lvert r\rvert\le\delta$, else $\delta(\lvert r\rvert-\frac\delta2)$ | $r=y-v$ cut at $\delta$ | any |
/// | `Logistic` | $\sum\ln(1+e^y)-vy$ | $\sigma(y)-v$ | in [0, 1] |
/// | `CrossEntropy` | $-\sum v\ln\operatorname{softmax}(y)$ | $\operatorname{softmax}(y)-v$ | probabilities |
/// | `TanhSquared` | $\frac12\sum(\tanh y-v)^2$ | $(\tanh y-v)(1-\tanh^2y)$ | any |
///
/// **Source**: the document leaves the loss free (Simple MLP Example); the choice is ours.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// Half the squared error.
    Squared,
    /// Minus the inner product: the objective of a correlation memory.
    Inner,
    /// Squared near zero, absolute beyond `delta` > 0.
    Huber {
        /// Where the loss turns linear.
        delta: f64,
    },
    /// Binary cross-entropy of each output.
    Logistic,
    /// Cross-entropy of the softmax of the outputs.
    CrossEntropy,
    /// Half the squared error after an activation.
    TanhSquared,
}

impl Loss {
    /// The sum of the losses of all pairs at the memory `w`.
    ///
    /// **Source**: Simple MLP Example, first display. **Shapes**: w (d_v, d_k), keys (n, d_k), values (n, d_v).
    ///
    /// **Errors**: shapes, an empty batch, entries that are not finite, values the loss has no meaning for. Cost O(n d_v d_k).
    ///
    /// ```
    /// use workbench_gradient_memory::Loss;
    /// use ndarray::array;
    /// let loss = Loss::Squared.total(&array![[1.0, 0.0]], &array![[3.0, 5.0]], &array![[1.0]])?;
    /// assert_eq!(loss, 2.0); // (3 - 1)^2 / 2
    /// # Ok::<(), workbench_gradient_memory::Error>(())
    /// ```
    pub fn total(&self, w: &Array2<f64>, keys: &Array2<f64>, values: &Array2<f64>) -> Result<f64, Error> {
        self.check(w, keys, values)?;
        self.sum(w, keys, values)
    }

    /// $U$, the gradient of the loss in the output, one row for each pair, at $y=Wx$.
    ///
    /// **Source**: gradient descent display, the factor $\nabla_yL(W_t,x_{t+1})$; $u_{t+1}$ in the reformulation.
    ///
    /// **Shapes**: (n, d_v). **Errors**: as [`Loss::total`].
    pub fn output_gradient(
        &self,
        w: &Array2<f64>,
        keys: &Array2<f64>,
        values: &Array2<f64>,
    ) -> Result<Array2<f64>, Error> {
        self.check(w, keys, values)?;
        self.slopes(w, keys, values)
    }

    /// The gradient in W as a sum of outer products, $\sum_iu_ix_i^\top$.
    ///
    /// **Source**: gradient descent display, second line; the sum over a batch is ours.
    ///
    /// **Shapes**: (d_v, d_k). **Errors**: as [`Loss::total`].
    ///
    /// ```
    /// use workbench_gradient_memory::Loss;
    /// use ndarray::array;
    /// let g = Loss::Squared.gradient(&array![[1.0, 0.0]], &array![[3.0, 5.0]], &array![[1.0]])?;
    /// assert_eq!(g, array![[6.0, 10.0]]); // (y - v) x^T with y = 3
    /// # Ok::<(), workbench_gradient_memory::Error>(())
    /// ```
    pub fn gradient(&self, w: &Array2<f64>, keys: &Array2<f64>, values: &Array2<f64>) -> Result<Array2<f64>, Error> {
        Ok(self.output_gradient(w, keys, values)?.t().dot(keys))
    }

    /// The gradient in W, entry by entry, by dual numbers, from the definition of the loss alone.
    ///
    /// **Errors**: as [`Loss::total`], [`Error::Stopped`]. Cost O(n d_v^2 d_k^2).
    pub fn gradient_by_duals(
        &self,
        w: &Array2<f64>,
        keys: &Array2<f64>,
        values: &Array2<f64>,
    ) -> Result<Array2<f64>, Error> {
        self.check(w, keys, values)?;
        self.duals(w, keys, values)
    }

    /// The gradient in W by central differences of width `step`, for comparison; error O(step^2).
    ///
    /// **Errors**: as [`Loss::total`]; a step that is not positive, [`Error::Stopped`].
    pub fn gradient_by_differences(
        &self,
        w: &Array2<f64>,
        keys: &Array2<f64>,
        values: &Array2<f64>,
        step: f64,
    ) -> Result<Array2<f64>, Error> {
        self.check(w, keys, values)?;
        above_zero(OP, "step", step)?;
        let mut result = Array2::zeros(w.dim());
        for (done, (at, slope)) in result.indexed_iter_mut().enumerate() {
            work::check(OP, done, w.len())?;
            let moved = |h: f64| {
                let mut w = w.clone();
                w[at] += h;
                self.sum(&w, keys, values)
            };
            *slope = (moved(step)? - moved(-step)?) / (2.0 * step);
        }
        Ok(result)
    }

    /// [`Loss::gradient`] in exact arithmetic, for `Squared`, `Inner` and `Huber`.
    ///
    /// **Errors**: shapes, an empty batch, [`Error::Unavailable`] for the other losses.
    pub fn exact_gradient(
        &self,
        w: &Array2<Fraction>,
        keys: &Array2<Fraction>,
        values: &Array2<Fraction>,
    ) -> Result<Array2<Fraction>, Error> {
        fits(OP, w, keys, values)?;
        self.check_parameters()?;
        let u = self.slopes(w, keys, values)?;
        Ok(Array2::from_shape_fn(w.dim(), |(i, j)| {
            (0..keys.nrows()).fold(Fraction::zero(), |sum, n| sum + &u[[n, i]] * &keys[[n, j]])
        }))
    }

    /// [`Loss::output_gradient`] in exact arithmetic.
    ///
    /// **Errors**: as [`Loss::exact_gradient`].
    pub fn exact_output_gradient(
        &self,
        w: &Array2<Fraction>,
        keys: &Array2<Fraction>,
        values: &Array2<Fraction>,
    ) -> Result<Array2<Fraction>, Error> {
        fits(OP, w, keys, values)?;
        self.check_parameters()?;
        self.slopes(w, keys, values)
    }

    /// [`Loss::gradient_by_duals`] in exact arithmetic.
    ///
    /// **Errors**: as [`Loss::exact_gradient`], [`Error::Stopped`].
    pub fn exact_gradient_by_duals(
        &self,
        w: &Array2<Fraction>,
        keys: &Array2<Fraction>,
        values: &Array2<Fraction>,
    ) -> Result<Array2<Fraction>, Error> {
        fits(OP, w, keys, values)?;
        self.check_parameters()?;
        self.duals(w, keys, values)
    }

    fn check_parameters(&self) -> Result<(), Error> {
        match self {
            Loss::Huber { delta } => above_zero(OP, "delta", *delta).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Refuses parameters and targets that the loss has no meaning for.
    fn check(&self, w: &Array2<f64>, keys: &Array2<f64>, values: &Array2<f64>) -> Result<(), Error> {
        fits_finite(OP, w, keys, values)?;
        finite_matrix(OP, "W", w)?;
        self.check_parameters()?;
        let bad = |allowed: &'static str, good: &dyn Fn(&[f64]) -> bool| match values
            .rows()
            .into_iter()
            .position(|row| !good(&row.to_vec()))
        {
            None => Ok(()),
            Some(row) => {
                let problem = format!("row {row} of the values is no target for this loss");
                Err(Error::refused(OP, problem, format!("use {allowed}")))
            }
        };
        let unit = |v: &[f64]| v.iter().all(|p| (0.0..=1.0).contains(p));
        match self {
            Loss::Logistic => bad("numbers in [0, 1]", &unit),
            Loss::CrossEntropy => bad("probabilities: not negative, with sum 1", &|v| {
                unit(v) && (v.iter().sum::<f64>() - 1.0).abs() < 1e-9
            }),
            _ => Ok(()),
        }
    }

    fn sum<S: Scalar>(&self, w: &Array2<S>, keys: &Array2<S>, values: &Array2<S>) -> Result<S, Error> {
        let mut total = S::zero();
        for (x, v) in keys.rows().into_iter().zip(values.rows()) {
            total = total + self.value(&product(w, &x.to_vec()), &v.to_vec())?;
        }
        Ok(total)
    }

    fn slopes<S: Scalar>(&self, w: &Array2<S>, keys: &Array2<S>, values: &Array2<S>) -> Result<Array2<S>, Error> {
        let mut u = Array2::from_elem(values.dim(), S::zero());
        for (n, mut row) in u.rows_mut().into_iter().enumerate() {
            let slope = self.slope(&product(w, &keys.row(n).to_vec()), &values.row(n).to_vec())?;
            row.iter_mut().zip(slope).for_each(|(into, s)| *into = s);
        }
        Ok(u)
    }

    fn duals<S: Scalar>(&self, w: &Array2<S>, keys: &Array2<S>, values: &Array2<S>) -> Result<Array2<S>, Error> {
        let constant = |a: &Array2<S>| a.mapv(Dual::constant);
        let (keys, values) = (constant(keys), constant(values));
        let mut lifted = constant(w);
        let mut result = Array2::from_elem(w.dim(), S::zero());
        for (done, (at, slope)) in result.indexed_iter_mut().enumerate() {
            work::check(OP, done, w.len())?;
            lifted[at].slope = S::one();
            *slope = self.sum(&lifted, &keys, &values)?.slope;
            lifted[at].slope = S::zero();
        }
        Ok(result)
    }

    /// L(y, v) in any field that has the functions it needs.
    fn value<S: Scalar>(&self, y: &[S], v: &[S]) -> Result<S, Error> {
        let half = S::one() / S::whole(2);
        let pairs = || y.iter().cloned().zip(v.iter().cloned());
        let sum = |terms: &mut dyn Iterator<Item = S>| terms.fold(S::zero(), |a, b| a + b);
        Ok(match *self {
            Loss::Squared => {
                half * sum(&mut pairs().map(|(y, v)| {
                    let r = y - v;
                    r.clone() * r
                }))
            }
            Loss::Inner => -sum(&mut pairs().map(|(y, v)| y * v)),
            Loss::Huber { delta } => {
                let delta = exact(delta)?;
                sum(&mut pairs().map(|(y, v)| {
                    let r = (y - v).abs();
                    if r <= delta {
                        half.clone() * r.clone() * r
                    } else {
                        delta.clone() * (r - half.clone() * delta.clone())
                    }
                }))
            }
            Loss::Logistic => {
                let mut total = S::zero();
                for (y, v) in pairs() {
                    let positive = if y > S::zero() { y.clone() } else { S::zero() };
                    total = total + positive + ln(S::one() + exp(-y.clone().abs())?)? - v * y;
                }
                total
            }
            Loss::CrossEntropy => {
                let (largest, total) = softmax_parts(y)?;
                let log_total = largest + ln(sum(&mut total.into_iter()))?;
                sum(&mut pairs().map(|(y, v)| v * (log_total.clone() - y)))
            }
            Loss::TanhSquared => {
                let mut total = S::zero();
                for (y, v) in pairs() {
                    let r = tanh(y)? - v;
                    total = total + half.clone() * r.clone() * r;
                }
                total
            }
        })
    }

    /// dL/dy, by hand.
    fn slope<S: Scalar>(&self, y: &[S], v: &[S]) -> Result<Vec<S>, Error> {
        let pairs = y.iter().cloned().zip(v.iter().cloned());
        match *self {
            Loss::Squared => Ok(pairs.map(|(y, v)| y - v).collect()),
            Loss::Inner => Ok(pairs.map(|(_, v)| -v).collect()),
            Loss::Huber { delta } => {
                let (upper, lower): (S, S) = (exact(delta)?, exact(-delta)?);
                let cut = |r: S| match () {
                    () if r > upper => upper.clone(),
                    () if r < lower => lower.clone(),
                    () => r,
                };
                Ok(pairs.map(|(y, v)| cut(y - v)).collect())
            }
            Loss::Logistic => pairs
                .map(|(y, v)| {
                    // e^-|y| never overflows.
                    let e = exp(-y.clone().abs())?;
                    let numerator = if y < S::zero() { e.clone() } else { S::one() };
                    Ok(numerator / (S::one() + e) - v)
                })
                .collect(),
            Loss::CrossEntropy => {
                let (_, parts) = softmax_parts(y)?;
                let total = parts.iter().cloned().fold(S::zero(), |a, b| a + b);
                let mass = v.iter().cloned().fold(S::zero(), |a, b| a + b);
                let slope = |(p, v): (S, &S)| mass.clone() * p / total.clone() - v.clone();
                Ok(parts.into_iter().zip(v).map(slope).collect())
            }
            Loss::TanhSquared => pairs
                .map(|(y, v)| {
                    let a = tanh(y)?;
                    Ok((a.clone() - v) * (S::one() - a.clone() * a))
                })
                .collect(),
        }
    }
}

const OP: &str = "loss of one layer";

/// `W x`.
pub(crate) fn product<S: Scalar>(w: &Array2<S>, x: &[S]) -> Vec<S> {
    w.rows()
        .into_iter()
        .map(|row| row.iter().zip(x).fold(S::zero(), |sum, (w, x)| sum + w.clone() * x.clone()))
        .collect()
}

/// The largest output and `e^(y - largest)`.
fn softmax_parts<S: Scalar>(y: &[S]) -> Result<(S, Vec<S>), Error> {
    let largest = y.iter().cloned().fold(y[0].clone(), |a, b| if b > a { b } else { a });
    let parts: Result<Vec<S>, Error> = y.iter().map(|y| exp(y.clone() - largest.clone())).collect();
    Ok((largest, parts?))
}

/// A number that is no fraction was asked for exactly.
fn not_exact(what: &'static str) -> Error {
    Error::unavailable(OP, what, "use a polynomial loss here, or f64")
}

/// A parameter of a loss.
fn exact<S: Scalar>(x: f64) -> Result<S, Error> {
    S::from_f64(x).ok_or_else(|| not_exact("a parameter that is not finite"))
}

fn exp<S: Scalar>(x: S) -> Result<S, Error> {
    x.exp().ok_or_else(|| not_exact("an exact exp of a fraction"))
}

fn ln<S: Scalar>(x: S) -> Result<S, Error> {
    x.ln().ok_or_else(|| not_exact("an exact ln of a fraction"))
}

fn tanh<S: Scalar>(x: S) -> Result<S, Error> {
    x.tanh().ok_or_else(|| not_exact("an exact tanh of a fraction"))
}

#[cfg(test)]
mod tests;
