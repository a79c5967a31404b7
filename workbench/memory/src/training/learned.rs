//! The memory whose embeddings are trained too: scores, loss and hand-written gradients.

use crate::store::associative_memory::{check_labels, margin, same_length};
use crate::store::embedding::Embeddings;
use ndarray::{Array1, Array2, ArrayView2, Axis, Zip};
use workbench_ground::Error;
use workbench_ground::check::positive;
use workbench_ground::stats::{Stream, normal_array2};

/// How the scores of a trained model are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readout {
    /// $u_y^\top We_x$, Eq. 1.
    Linear,
    /// $u_y^\top\mathrm{ReLU}(e_x)$, the non-linear model of Fig. 11; it has no W.
    Relu,
}

/// A model of which any part can be trained.
///
/// **Source**: Eq. 1 and Fig. 11 (middle, right).
///
/// **Shapes**: `memory` is `(d, d)` and not used by [`Readout::Relu`]; `inputs` is `(N, d)`, `outputs` is `(M, d)`.
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_memory::{Embeddings, LearnedMemory, Readout, Target};
/// let start = Embeddings::spherical(20, 5, 4, &mut Streams::new(1).stream("e")?)?;
/// let model = LearnedMemory::with_identity(start, Readout::Linear);
/// let labels = Target::modulo(5)?.labels(20);
/// let step = model.gradient(&labels, &[1.0 / 20.0; 20])?;
/// assert_eq!(step.inputs.dim(), (20, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedMemory {
    /// W.
    pub memory: Array2<f64>,
    /// $e_x$, one row per input.
    pub inputs: Array2<f64>,
    /// $u_y$, one row per class.
    pub outputs: Array2<f64>,
    /// How scores are formed.
    pub readout: Readout,
}

/// Gradient of a weighted cross-entropy in all three parts.
///
/// **Shapes**: `active` lists the inputs whose weight is not zero; row `i` of `inputs` belongs to `active[i]`. `memory` is zero for
/// [`Readout::Relu`].
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedGradient {
    /// `sum_x c(x) l(x)`, the loss itself.
    pub loss: f64,
    /// The inputs of the batch, ascending.
    pub active: Vec<usize>,
    /// Gradient in W, `(d, d)`.
    pub memory: Array2<f64>,
    /// Gradient in $e_x$, `(active, d)`.
    pub inputs: Array2<f64>,
    /// Gradient in $u_y$, `(M, d)`.
    pub outputs: Array2<f64>,
}

impl LearnedMemory {
    /// Embeddings with $W=I$, as in Eq. 12.
    pub fn with_identity(embeddings: Embeddings, readout: Readout) -> LearnedMemory {
        LearnedMemory {
            memory: Array2::eye(embeddings.dim()),
            inputs: embeddings.inputs,
            outputs: embeddings.outputs,
            readout,
        }
    }

    /// The start of Appendix C.1: embeddings on the unit sphere and W with entries of variance 1/d.
    ///
    /// **Errors**: a zero size.
    pub fn start(
        n_inputs: usize,
        n_classes: usize,
        dim: usize,
        readout: Readout,
        stream: &mut Stream,
    ) -> Result<LearnedMemory, Error> {
        positive("LearnedMemory::start", "dim (d)", dim)?;
        let embeddings = Embeddings::spherical(n_inputs, n_classes, dim, stream)?;
        let mut model = LearnedMemory::with_identity(embeddings, readout);
        if readout == Readout::Linear {
            model.memory = normal_array2(stream, dim, dim) / (dim as f64).sqrt();
        }
        Ok(model)
    }

    /// Scores `(N, M)` of all inputs.
    pub fn scores(&self) -> Array2<f64> {
        self.scores_of(self.inputs.view())
    }

    fn scores_of(&self, inputs: ArrayView2<f64>) -> Array2<f64> {
        match self.readout {
            // Through the classes: M d^2 + N M d, never N d^2.
            Readout::Linear => inputs.dot(&self.outputs.dot(&self.memory).t()),
            Readout::Relu => inputs.mapv(|v| v.max(0.0)).dot(&self.outputs.t()),
        }
    }

    /// Score of the right class minus the best other one; an input is recalled when this is positive.
    ///
    /// **Errors**: labels that do not match.
    pub fn margins(&self, labels: &[usize]) -> Result<Vec<f64>, Error> {
        check_labels("LearnedMemory::margins", labels, self.inputs.nrows(), self.outputs.nrows())?;
        let scores = self.scores();
        Ok(scores.outer_iter().zip(labels).map(|(row, &y)| margin(row.iter().copied(), y)).collect())
    }

    /// The generalization error of Eq. 3; ties count as errors.
    ///
    /// **Errors**: labels or probabilities that do not match.
    pub fn generalization_error(&self, labels: &[usize], p: &[f64]) -> Result<f64, Error> {
        same_length("LearnedMemory::generalization_error", "p", p.len(), self.inputs.nrows())?;
        let margins = self.margins(labels)?;
        // NaN margins are no recall either.
        let recalled: f64 = margins.iter().zip(p).filter(|(m, _)| **m > 0.0).map(|(_, p)| p).sum();
        let lost: f64 = margins.iter().zip(p).filter(|(m, _)| **m <= 0.0).map(|(_, p)| p).sum();
        Ok(if margins.iter().any(|m| m.is_nan()) { 1.0 - recalled } else { lost })
    }

    /// Gradient of $\sum_xc(x)\,\ell(x,f_\ast(x))$ with the cross-entropy $\ell$ of Eq. 9.
    ///
    /// With $r=c\,(\mathrm{softmax}-\mathrm{onehot})$: $dW=U^\top r^\top E$, $dE=rUW$, $dU=r^\top EW^\top$; the ReLU model has
    /// $dE=(rU)\odot1\{E>0\}$ and $dU=r^\top\mathrm{ReLU}(E)$.
    ///
    /// **Source**: Lemma 4 for W; Appendix C.1, Updates to embeddings.
    ///
    /// **Shapes**: `weights` and `labels` have one entry per input: `p` for the population, shares of a batch, counts for a sum over it.
    ///
    /// **Errors**: sizes that do not match. Cost: `M d^2 + (active) M d`.
    pub fn gradient(&self, labels: &[usize], weights: &[f64]) -> Result<LearnedGradient, Error> {
        const OP: &str = "LearnedMemory::gradient";
        check_labels(OP, labels, self.inputs.nrows(), self.outputs.nrows())?;
        same_length(OP, "weights", weights.len(), self.inputs.nrows())?;
        let active: Vec<usize> = (0..weights.len()).filter(|&x| weights[x] != 0.0).collect();
        Ok(self.gradient_on(active, labels, weights))
    }

    /// As [`LearnedMemory::gradient`] with the active inputs known and sizes checked.
    pub(crate) fn gradient_on(&self, active: Vec<usize>, labels: &[usize], weights: &[f64]) -> LearnedGradient {
        let rows = self.inputs.select(Axis(0), &active);
        let through = match self.readout {
            Readout::Linear => self.outputs.dot(&self.memory),
            Readout::Relu => self.outputs.clone(),
        };
        let hidden = match self.readout {
            Readout::Linear => rows,
            Readout::Relu => rows.mapv_into(|v| v.max(0.0)),
        };
        let mut r = hidden.dot(&through.t());
        let mut loss = 0.0;
        for (mut row, &x) in r.outer_iter_mut().zip(&active) {
            let top = row.fold(f64::NEG_INFINITY, |m, v| m.max(*v));
            let right = row[labels[x]];
            row.mapv_inplace(|s| (s - top).exp());
            let total = row.sum();
            loss += weights[x] * (total.ln() + top - right);
            row *= weights[x] / total;
            row[labels[x]] -= weights[x];
        }
        let by_class = r.t().dot(&hidden); // (M, d)
        let mut inputs = r.dot(&through);
        let (memory, outputs) = match self.readout {
            Readout::Linear => (self.outputs.t().dot(&by_class), by_class.dot(&self.memory.t())),
            Readout::Relu => {
                Zip::from(&mut inputs).and(&hidden).for_each(|g, h| {
                    if *h <= 0.0 {
                        *g = 0.0;
                    }
                });
                (Array2::zeros((0, 0)), by_class)
            }
        };
        LearnedGradient { loss, active, memory, inputs, outputs }
    }

    /// Whether all parameters are finite numbers.
    pub fn is_finite(&self) -> bool {
        let finite = |a: &Array2<f64>| a.iter().all(|v| v.is_finite());
        finite(&self.inputs) && finite(&self.outputs) && finite(&self.memory)
    }

    /// The root of the sum of squares of all parameters; infinite when one of them is not a finite number.
    pub fn norm(&self) -> f64 {
        let square = |a: &Array2<f64>| a.iter().map(|v| v * v).sum::<f64>();
        let all = square(&self.inputs) + square(&self.outputs) + square(&self.memory);
        if all.is_nan() { f64::INFINITY } else { all.sqrt() }
    }

    /// Cosine of $We_x$ (of $\mathrm{ReLU}(e_x)$) with each $u_y$, `(N, M)`; zero vectors have cosine zero.
    ///
    /// **Source**: Fig. 12 (middle), "the input embeddings match with the output ones".
    pub fn cosines(&self) -> Array2<f64> {
        let hidden = match self.readout {
            Readout::Linear => self.inputs.dot(&self.memory.t()),
            Readout::Relu => self.inputs.mapv(|v| v.max(0.0)),
        };
        let norms = |a: &Array2<f64>| a.map_axis(Axis(1), |v| v.dot(&v).sqrt().max(f64::MIN_POSITIVE));
        let (h, u): (Array1<f64>, Array1<f64>) = (norms(&hidden), norms(&self.outputs));
        let mut cosines = hidden.dot(&self.outputs.t());
        for ((x, y), c) in cosines.indexed_iter_mut() {
            *c /= h[x] * u[y];
        }
        cosines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::target::Target;
    use candle_core::{DType, Device, Tensor, Var};
    use workbench_ground::stats::Streams;

    fn model(readout: Readout) -> (LearnedMemory, Vec<usize>, Vec<f64>) {
        let mut stream = Streams::new(3).stream("model").unwrap();
        let model = LearnedMemory::start(7, 3, 4, readout, &mut stream).unwrap();
        let weights = vec![0.3, 0.0, 0.2, 0.1, 0.0, 0.25, 0.15];
        (model, Target::modulo(3).unwrap().labels(7), weights)
    }

    fn loss(model: &LearnedMemory, labels: &[usize], weights: &[f64]) -> f64 {
        model.gradient(labels, weights).unwrap().loss
    }

    /// Rows of the inputs that are not in the batch have gradient zero.
    fn dense(gradient: &LearnedGradient, n: usize) -> Array2<f64> {
        let mut all = Array2::zeros((n, gradient.inputs.ncols()));
        for (row, &x) in gradient.inputs.outer_iter().zip(&gradient.active) {
            all.row_mut(x).assign(&row);
        }
        all
    }

    #[test]
    fn gradients_agree_with_differences() {
        for readout in [Readout::Linear, Readout::Relu] {
            let (model, labels, weights) = model(readout);
            let gradient = model.gradient(&labels, &weights).unwrap();
            let h = 1e-5;
            let central = |part: fn(&mut LearnedMemory) -> &mut Array2<f64>, at: (usize, usize)| {
                let shifted = |h: f64| {
                    let mut moved = model.clone();
                    part(&mut moved)[at] += h;
                    loss(&moved, &labels, &weights)
                };
                (shifted(h) - shifted(-h)) / (2.0 * h)
            };
            for ((i, j), g) in dense(&gradient, 7).indexed_iter() {
                assert!((central(|m| &mut m.inputs, (i, j)) - g).abs() < 1e-9);
            }
            for ((i, j), g) in gradient.outputs.indexed_iter() {
                assert!((central(|m| &mut m.outputs, (i, j)) - g).abs() < 1e-9);
            }
            for ((i, j), g) in gradient.memory.indexed_iter() {
                assert!((central(|m| &mut m.memory, (i, j)) - g).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn gradients_agree_with_candle_autograd() {
        for readout in [Readout::Linear, Readout::Relu] {
            let (model, labels, weights) = model(readout);
            let gradient = model.gradient(&labels, &weights).unwrap();
            let tensor = |a: &Array2<f64>| {
                let data: Vec<f64> = a.iter().copied().collect();
                Tensor::from_vec(data, a.dim(), &Device::Cpu).unwrap()
            };
            let var = |a: &Array2<f64>| Var::from_tensor(&tensor(a)).unwrap();
            let (w, e, u) = (var(&model.memory), var(&model.inputs), var(&model.outputs));
            let hidden = match readout {
                Readout::Linear => e.matmul(&w.t().unwrap()).unwrap(),
                Readout::Relu => e.relu().unwrap(),
            };
            let scores = hidden.matmul(&u.t().unwrap()).unwrap();
            let log_total = scores.exp().unwrap().sum(1).unwrap().log().unwrap();
            let onehot = tensor(&Array2::from_shape_fn((7, 3), |(x, y)| f64::from(u8::from(labels[x] == y))));
            let right = (scores * onehot).unwrap().sum(1).unwrap();
            let c = Tensor::from_slice(&weights, 7, w.device()).unwrap();
            let loss = ((log_total - right).unwrap() * c).unwrap().sum_all().unwrap();
            assert!((loss.to_scalar::<f64>().unwrap() - gradient.loss).abs() < 1e-14);
            let grads = loss.backward().unwrap();
            let close = |var: &Var, ours: &Array2<f64>| {
                let theirs = grads.get(var).unwrap().to_dtype(DType::F64).unwrap();
                let theirs = theirs.flatten_all().unwrap().to_vec1::<f64>().unwrap();
                ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-14)
            };
            assert!(close(&e, &dense(&gradient, 7)) && close(&u, &gradient.outputs));
            if readout == Readout::Linear {
                assert!(close(&w, &gradient.memory));
            }
        }
    }

    #[test]
    fn aligned_embeddings_recall_everything() {
        let mut stream = Streams::new(4).stream("u").unwrap();
        let labels = Target::modulo(5).unwrap().labels(40);
        let outputs = workbench_ground::stats::unit_sphere(&mut stream, 5, 2);
        let learned = Embeddings::aligned(outputs, &labels).unwrap();
        let model = LearnedMemory::with_identity(learned, Readout::Linear);
        assert!(model.margins(&labels).unwrap().iter().all(|m| *m > 0.0));
        let cosines = model.cosines();
        assert!(labels.iter().enumerate().all(|(x, &y)| (cosines[[x, y]] - 1.0).abs() < 1e-14));
    }

    #[test]
    fn refuses_bad_input() {
        let (model, labels, weights) = model(Readout::Linear);
        assert!(matches!(model.gradient(&labels[1..], &weights), Err(Error::Shape { .. })));
        assert!(matches!(model.gradient(&labels, &weights[1..]), Err(Error::Shape { .. })));
        assert!(matches!(model.margins(&[7; 7]), Err(Error::NoSuch { .. })));
        let mut stream = Streams::new(3).stream("zero").unwrap();
        assert!(matches!(LearnedMemory::start(3, 2, 0, Readout::Linear, &mut stream), Err(Error::Zero { .. })));
    }
}
