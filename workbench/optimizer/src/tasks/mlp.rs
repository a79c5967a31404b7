//! Fully connected networks.

use workbench_ground::check;

use super::layers::{Linear, cross_entropy};
use super::layout::InitialLayout;
use super::model::{BatchShape, Model};
use super::{Activation, Examples, ModelNumber};
use crate::Error;

/// Fully connected layers of any widths with one activation between them, none at the end; softmax cross entropy. Without hidden layers
/// it is logistic regression, and the last layer on fixed features that B.7.1 of the document tunes.
///
/// **Source**: B.1, "MLPs". **Shapes**: widths $n_0,\dots,n_L$; $\sum_i n_i(n_{i-1}+1)$ parameters, as `layers.0.weight` ($n_1,n_0$) and
/// `layers.0.bias`. **Start**: PyTorch's `Linear`, uniform in $\pm1/\sqrt{n_{i-1}}$, biases too. **Cost** of a gradient: $3b\sum_i
/// n_in_{i-1}$ multiplications for $b$ examples, less those for the inputs.
///
/// ```
/// use workbench_optimizer::tasks::{Activation, Mlp, Model};
/// let mlp = Mlp::new(&[784, 20, 10], Activation::Sigmoid)?;
/// assert_eq!(mlp.layout().len(), 15_910);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp {
    layout: InitialLayout,
    layers: Vec<Linear>,
    activation: Activation,
}

impl Mlp {
    /// Layers between these widths: inputs, hidden ones, classes.
    ///
    /// **Errors**: fewer than two widths, a width of zero.
    pub fn new(widths: &[usize], activation: Activation) -> Result<Mlp, Error> {
        const OP: &str = "Mlp::new";
        if widths.len() < 2 {
            return Err(Error::too_few(OP, "widths", widths.len(), 2, "give inputs and classes at least"));
        }
        widths.iter().try_for_each(|&width| check::positive(OP, "width", width))?;
        let mut layout = InitialLayout::default();
        let layers = widths.windows(2).enumerate();
        let layers = layers.map(|(at, pair)| Linear::new(&mut layout, &format!("layers.{at}"), pair[0], pair[1]));
        Ok(Mlp { layers: layers.collect(), layout, activation })
    }

    /// The activation between layers.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// What comes before the last layer, one row for each target: fixed features of B.7.1. The batch's shape was checked. Without hidden
    /// layers these are the inputs.
    pub fn features<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        let mut values = self.forward(theta, rows(batch, self.batch_shape().inputs));
        values.pop();
        values.pop().unwrap_or_default()
    }

    /// The width of [`Mlp::features`].
    pub fn feature_width(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.inputs)
    }

    /// What comes out of each layer; the last are the scores.
    fn forward<N: ModelNumber>(&self, theta: &[N], inputs: Vec<N>) -> Vec<Vec<N>> {
        let mut values = vec![inputs];
        for (at, layer) in self.layers.iter().enumerate() {
            let mut next = layer.forward(theta, &values[at]);
            if at + 1 < self.layers.len() {
                self.activation.forward(&mut next);
            }
            values.push(next);
        }
        values
    }
}

/// Inputs of a batch as numbers, one row for each target.
pub(super) fn rows<N: ModelNumber>(batch: &Examples, width: usize) -> Vec<N> {
    let mut out = Vec::with_capacity(batch.targets.len() * width);
    for target in &batch.targets {
        let row = &batch.inputs[target.row * width..(target.row + 1) * width];
        out.extend(row.iter().map(|&value| N::of(value)));
    }
    out
}

impl Model for Mlp {
    fn layout(&self) -> &InitialLayout {
        &self.layout
    }

    fn batch_shape(&self) -> BatchShape {
        BatchShape {
            inputs: self.layers.first().map_or(0, |layer| layer.inputs),
            symbols: 0,
            vocabulary: 0,
            rows: 1,
            classes: self.layers.last().map_or(0, |layer| layer.outputs),
        }
    }

    fn scores<N: ModelNumber>(&self, theta: &[N], batch: &Examples) -> Vec<N> {
        let inputs = rows(batch, self.batch_shape().inputs);
        self.forward(theta, inputs).pop().unwrap_or_default()
    }

    fn gradient<N: ModelNumber>(&self, theta: &[N], batch: &Examples, share: f64, gradient: &mut [N]) -> N {
        let BatchShape { inputs, classes, .. } = self.batch_shape();
        let mut values = self.forward(theta, rows(batch, inputs));
        let mut dy = values.pop().unwrap_or_default();
        let loss = cross_entropy(&mut dy, classes, &batch.targets, share);
        for (at, layer) in self.layers.iter().enumerate().rev() {
            layer.weights_backward(&values[at], &dy, gradient);
            if at > 0 {
                dy = layer.inputs_backward(theta, &dy);
                self.activation.backward(&values[at], &mut dy);
            }
        }
        loss
    }
}
