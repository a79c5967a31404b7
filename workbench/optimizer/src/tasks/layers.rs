//! Layers with their gradients, by hand: fully connected, normalisation, activations, and the loss of a classification.

use super::layout::{InitialLayout, Law};
use super::matrix::multiply_by_transpose;
use super::number::{held, sigmoid, tanh};
use super::{ClassLabel, ModelNumber};
use workbench_ground::lanes::wide;

/// $y=xW^\top+b$ for rows $x$: $W$ has `outputs` rows and `inputs` columns, then comes $b$.
///
/// **Start**: both uniform in $\pm1/\sqrt{\text{inputs}}$, as PyTorch's `Linear` has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Linear {
    start: usize,
    pub inputs: usize,
    pub outputs: usize,
}

impl Linear {
    pub fn new(layout: &mut InitialLayout, name: &str, inputs: usize, outputs: usize) -> Linear {
        Linear::shaped(layout, name, &[inputs], outputs)
    }

    /// With inputs that have several axes, as the patches of a convolution.
    pub fn shaped(layout: &mut InitialLayout, name: &str, axes: &[usize], outputs: usize) -> Linear {
        let inputs: usize = axes.iter().product();
        let shape = [&[outputs], axes].concat();
        let bound = 1.0 / f64::sqrt(inputs as f64);
        let start = layout.add(format!("{name}.weight"), &shape, Law::Uniform { bound });
        layout.add(format!("{name}.bias"), &[outputs], Law::Uniform { bound });
        Linear { start, inputs, outputs }
    }

    fn middle(&self) -> usize {
        self.start + self.inputs * self.outputs
    }

    pub fn weight<'a, N>(&self, theta: &'a [N]) -> &'a [N] {
        &theta[self.start..self.middle()]
    }

    pub fn forward<N: ModelNumber>(&self, theta: &[N], x: &[N]) -> Vec<N> {
        let rows = x.len() / self.inputs;
        let bias = &theta[self.middle()..self.middle() + self.outputs];
        let mut y = Vec::with_capacity(rows * self.outputs);
        (0..rows).for_each(|_| y.extend_from_slice(bias));
        multiply_by_transpose([rows, self.inputs, self.outputs], x, self.weight(theta), &mut y);
        y
    }

    /// $\partial W\mathrel+=\mathrm dy^\top x$ and $\partial b\mathrel+=\sum\mathrm dy$.
    pub fn weights_backward<N: ModelNumber>(&self, x: &[N], dy: &[N], gradient: &mut [N]) {
        let rows = x.len() / self.inputs;
        let (before, bias) = gradient[..self.middle() + self.outputs].split_at_mut(self.middle());
        N::multiply::<true>([self.outputs, rows, self.inputs], dy, x, &mut before[self.start..]);
        for row in dy.chunks_exact(self.outputs) {
            bias.iter_mut().zip(row).for_each(|(sum, &value)| *sum += value);
        }
    }

    /// $\mathrm dx=\mathrm dy\,W$.
    pub fn inputs_backward<N: ModelNumber>(&self, theta: &[N], dy: &[N]) -> Vec<N> {
        let rows = dy.len() / self.outputs;
        let mut dx = vec![N::default(); rows * self.inputs];
        N::multiply::<false>([rows, self.outputs, self.inputs], dy, self.weight(theta), &mut dx);
        dx
    }

    /// Both, the first if there is a gradient to add to.
    pub fn backward<N: ModelNumber>(&self, theta: &[N], x: &[N], dy: &[N], gradient: Option<&mut [N]>) -> Vec<N> {
        if let Some(gradient) = gradient {
            self.weights_backward(x, dy, gradient);
        }
        self.inputs_backward(theta, dy)
    }
}

/// $y=\gamma\hat x+\beta$ with $\hat x=(x-\bar x)/\sqrt{\overline{(x-\bar x)^2}+10^{-5}}$ over each row.
///
/// **Start**: $\gamma=1$, $\beta=0$, as PyTorch's `LayerNorm` has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Norm {
    start: usize,
    width: usize,
}

/// What a [`Norm`] keeps for its gradient: $\hat x$, and the inverse deviation of each row.
pub(super) struct Normed<N> {
    rows: Vec<N>,
    inverse: Vec<N>,
}

impl Norm {
    pub fn new(layout: &mut InitialLayout, name: &str, width: usize) -> Norm {
        let start = layout.add(format!("{name}.weight"), &[width], Law::Constant(1.0));
        layout.add(format!("{name}.bias"), &[width], Law::Constant(0.0));
        Norm { start, width }
    }

    pub fn forward<N: ModelNumber>(&self, theta: &[N], x: &[N]) -> (Vec<N>, Normed<N>) {
        let width = self.width;
        let (scale, shift) = theta[self.start..self.start + 2 * width].split_at(width);
        let share = N::of(1.0 / width as f64);
        let mut rows = x.to_vec();
        let mut inverse = Vec::with_capacity(x.len() / width);
        let mut y = Vec::with_capacity(x.len());
        for row in rows.chunks_exact_mut(width) {
            let mean = total(row.iter().copied()) * share;
            row.iter_mut().for_each(|value| *value -= mean);
            let variance = total(row.iter().map(|&value| value * value)) * share;
            let factor = N::of(1.0) / (variance + N::of(1e-5)).sqrt();
            row.iter_mut().for_each(|value| *value *= factor);
            inverse.push(factor);
            y.extend(row.iter().zip(scale).zip(shift).map(|((&x, &scale), &shift)| x * scale + shift));
        }
        (y, Normed { rows, inverse })
    }

    /// $\mathrm dx=\big(\mathrm d\hat x-\overline{\mathrm d\hat x}-\hat x\,\overline{\mathrm d\hat x\,\hat x}\big)/\sigma$ with
    /// $\mathrm d\hat x=\gamma\,\mathrm dy$.
    pub fn backward<N: ModelNumber>(
        &self,
        theta: &[N],
        normed: &Normed<N>,
        dy: &[N],
        gradient: Option<&mut [N]>,
    ) -> Vec<N> {
        let width = self.width;
        let scale = &theta[self.start..self.start + width];
        let share = N::of(1.0 / width as f64);
        let mut dx: Vec<N> = Vec::with_capacity(dy.len());
        for ((dy, x), &inverse) in dy.chunks_exact(width).zip(normed.rows.chunks_exact(width)).zip(&normed.inverse) {
            let inner = || dy.iter().zip(scale).map(|(&dy, &scale)| dy * scale);
            let mean = total(inner()) * share;
            let along = total(inner().zip(x).map(|(dx, &x)| dx * x)) * share;
            dx.extend(inner().zip(x).map(|(dx, &x)| (dx - mean - x * along) * inverse));
        }
        if let Some(gradient) = gradient {
            let (scale, shift) = gradient[self.start..self.start + 2 * width].split_at_mut(width);
            for (dy, x) in dy.chunks_exact(width).zip(normed.rows.chunks_exact(width)) {
                for (at, (&dy, &x)) in dy.iter().zip(x).enumerate() {
                    scale[at] += dy * x;
                    shift[at] += dy;
                }
            }
        }
        dx
    }
}

fn total<N: ModelNumber>(values: impl Iterator<Item = N>) -> N {
    let mut sum = N::default();
    values.for_each(|value| sum += value);
    sum
}

/// A function of one number between layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// $\max(x,0)$, with slope 0 at 0 as PyTorch has it.
    Relu,
    /// $1/(1+e^{-x})$.
    Sigmoid,
    /// $\tanh x$.
    Tanh,
}

impl Activation {
    /// In place.
    pub(super) fn forward<N: ModelNumber>(self, x: &mut [N]) {
        wide(
            #[inline(always)]
            || match self {
                Activation::Relu => x.iter_mut().for_each(|x| {
                    if x.value() <= 0.0 {
                        *x = N::default();
                    }
                }),
                Activation::Sigmoid => x.iter_mut().for_each(|x| *x = sigmoid(*x)),
                Activation::Tanh => x.iter_mut().for_each(|x| *x = tanh(*x)),
            },
        );
    }

    /// Multiplies `dy` by the slope, which each of these functions knows from its value `y`.
    pub(super) fn backward<N: ModelNumber>(self, y: &[N], dy: &mut [N]) {
        wide(
            #[inline(always)]
            || {
                let one = N::of(1.0);
                let pairs = dy.iter_mut().zip(y);
                match self {
                    Activation::Relu => pairs.for_each(|(dy, y)| {
                        if y.value() <= 0.0 {
                            *dy = N::default();
                        }
                    }),
                    Activation::Sigmoid => pairs.for_each(|(dy, &y)| *dy *= y * (one - y)),
                    Activation::Tanh => pairs.for_each(|(dy, &y)| *dy *= one - y * y),
                }
            },
        );
    }
}

/// $x\,\sigma(2u)$ with $u=\sqrt{2/\pi}(x+0.044715x^3)$: PyTorch's `GELU(approximate='tanh')`.
pub(super) fn gelu<N: ModelNumber>(x: &[N]) -> Vec<N> {
    let mut y = x.to_vec();
    wide(
        #[inline(always)]
        || y.iter_mut().for_each(|y| *y *= gate(*y).0),
    );
    y
}

/// Multiplies `dy` by the slope of [`gelu`] at `x`.
pub(super) fn gelu_backward<N: ModelNumber>(x: &[N], dy: &mut [N]) {
    wide(
        #[inline(always)]
        || {
            for (dy, &x) in dy.iter_mut().zip(x) {
                let (gate, slope) = gate(x);
                *dy *= gate + x * slope;
            }
        },
    );
}

/// $\sigma(2u)$ and its slope in $x$.
#[inline(always)]
fn gate<N: ModelNumber>(x: N) -> (N, N) {
    const CUBIC: f64 = 0.044_715;
    let twice = N::of(2.0 * (2.0 / std::f64::consts::PI).sqrt());
    let square = x * x;
    let gate = sigmoid(twice * x * (N::of(1.0) + N::of(CUBIC) * square));
    let slope = gate * (N::of(1.0) - gate) * twice * (N::of(1.0) + N::of(3.0 * CUBIC) * square);
    (gate, slope)
}

/// Softmax of each row of `width` numbers, in place; gives back for each the largest number $m$ and $\sum e^{x-m}$. No weight falls below
/// 4e-18 of the largest.
pub(super) fn softmax<N: ModelNumber>(x: &mut [N], width: usize) -> Vec<(f64, N)> {
    let mut sums = Vec::with_capacity(x.len() / width.max(1));
    wide(
        #[inline(always)]
        || {
            for row in x.chunks_exact_mut(width.max(1)) {
                // A constant shift changes neither the result nor its derivatives.
                let top = row.iter().map(|x| x.value()).fold(f64::NEG_INFINITY, f64::max);
                row.iter_mut().for_each(|x| *x = held(*x - N::of(top)).exp());
                let sum = total(row.iter().copied());
                let share = N::of(1.0) / sum;
                row.iter_mut().for_each(|x| *x *= share);
                sums.push((top, sum));
            }
        },
    );
    sums
}

/// The sum over the targets of $\ln\sum_c e^{z_c}-z_y$, in nats, times `share`; and its gradient in the scores $z$ in place of them. Row
/// `i` of the scores belongs to target `i`.
pub(super) fn cross_entropy<N: ModelNumber>(scores: &mut [N], classes: usize, targets: &[ClassLabel], share: f64) -> N {
    let right = |at: usize, target: &ClassLabel| at * classes + target.class;
    let share = N::of(share);
    let chosen = total(targets.iter().enumerate().map(|(at, target)| scores[right(at, target)]));
    let sums = softmax(scores, classes).into_iter();
    let loss = (total(sums.map(|(top, sum)| sum.ln() + N::of(top))) - chosen) * share;
    for (at, target) in targets.iter().enumerate() {
        scores[right(at, target)] -= N::of(1.0);
    }
    scores.iter_mut().for_each(|score| *score *= share);
    loss
}
