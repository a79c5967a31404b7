//! LSTM optimizers.

use workbench_ground::check::{above_zero, fraction, positive};
use workbench_ground::lanes::Precision;
use workbench_ground::stats::Stream;

use super::scaled::Scaled;
use crate::cell::{Cell, Downward, Linear, Places, Runner, Tapes, Window, uniform};
use crate::number::CellNumber;
use crate::{Error, Layout, Preprocess};

/// What an LSTM optimizer sees of a gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inputs {
    /// The gradient alone, preprocessed.
    Gradient(Preprocess),
    /// Running mean and gradient over the root of the running mean square: RNNprop.
    Scaled {
        /// Decay of the mean; 0.95.
        beta1: f64,
        /// Decay of the mean square; 0.95.
        beta2: f64,
        /// Added to the root; 1e-8.
        epsilon: f64,
    },
}

/// What becomes of the head's number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// It is multiplied by this.
    Times(f64),
    /// $a\tanh$ of it: no update is longer than $a$.
    Bounded(f64),
}

/// The form of an [`Lstm`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LstmForm {
    /// What it sees.
    pub inputs: Inputs,
    /// Width of each layer.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Whether the inputs pass a layer $\operatorname{elu}(Wx+b)$ of the same width first.
    pub embedding: bool,
    /// What becomes of the head's number.
    pub output: Output,
}

impl Default for LstmForm {
    /// The optimizer of \[2\]: two layers of 20, gradients preprocessed as printed there, output times 0.01.
    fn default() -> LstmForm {
        LstmForm {
            inputs: Inputs::Gradient(Preprocess::paper()),
            hidden: 20,
            layers: 2,
            embedding: false,
            output: Output::Times(0.01),
        }
    }
}

impl LstmForm {
    /// RNNprop (Lv et al. 2017): scaled inputs through an embedding, two layers of 20, updates $0.1\tanh$.
    #[doc(alias = "RNNprop")]
    pub fn rnnprop() -> LstmForm {
        LstmForm {
            inputs: Inputs::Scaled { beta1: 0.95, beta2: 0.95, epsilon: 1e-8 },
            embedding: true,
            output: Output::Bounded(0.1),
            ..LstmForm::default()
        }
    }

    /// The same form with the width whose number of trained weights is nearest to `trained`.
    ///
    /// ```
    /// use workbench_optimizer::rivals::LstmForm;
    /// let form = LstmForm::default().matching(4385);
    /// assert_eq!((form.hidden, form.trained()), (18, 4195));
    /// ```
    pub fn matching(self, trained: usize) -> LstmForm {
        let of = |hidden| LstmForm { hidden, ..self };
        let mut best = of(1);
        for hidden in 2.. {
            let form = of(hidden);
            if form.trained().abs_diff(trained) < best.trained().abs_diff(trained) {
                best = form;
            }
            if form.trained() > trained {
                break;
            }
        }
        best
    }

    /// Trained weights: $4h(i+h+1)$ for the first layer, $4h(2h+1)$ for each other, $h+1$ for the head, $h(i+1)$ for an embedding.
    pub fn trained(&self) -> usize {
        let (h, seen) = (self.hidden, self.seen());
        let first = if self.embedding { h } else { seen };
        let embedding = if self.embedding { h * (seen + 1) } else { 0 };
        embedding + 4 * h * (first + h + 1) + self.layers.saturating_sub(1) * 4 * h * (2 * h + 1) + h + 1
    }

    fn seen(&self) -> usize {
        match self.inputs {
            Inputs::Gradient(preprocess) => preprocess.inputs(),
            Inputs::Scaled { .. } => 2,
        }
    }

    fn check(&self) -> Result<(), Error> {
        const OP: &str = "Lstm::new";
        positive(OP, "hidden", self.hidden)?;
        positive(OP, "layers", self.layers)?;
        let (Output::Times(scale) | Output::Bounded(scale)) = self.output;
        above_zero(OP, "output", scale)?;
        match self.inputs {
            Inputs::Gradient(preprocess) => preprocess.check(),
            Inputs::Scaled { beta1, beta2, epsilon } => {
                fraction(OP, "beta1", beta1)?;
                fraction(OP, "beta2", beta2)?;
                above_zero(OP, "epsilon", epsilon).map(|_| ())
            }
        }
    }
}

/// An LSTM of a few layers, applied to each coordinate alike:
///
/// $$ (i,f,\tilde c,o)=W_xx+W_hh_{t-1}+b,\qquad c_t=\sigma(f)c_{t-1}+\sigma(i)\tanh\tilde c,\qquad h_t=\sigma(o)\tanh c_t $$
///
/// **Source**: the document's \[2\] ("LSTM optimizer", B.1 and Fig. 10) and RNNprop. The bias of $f$ starts at 1. **State** of one
/// coordinate: $2Lh$ numbers, 80 in the default form, and 2 more for scaled inputs.
///
/// ```
/// use workbench_optimizer::cell::Cell;
/// use workbench_optimizer::rivals::{Lstm, LstmForm};
/// let lstm = Lstm::new(LstmForm::default())?;
/// assert_eq!((lstm.trained(), lstm.state_len()), (5141, 80));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "learning to learn by gradient descent by gradient descent")]
pub struct Lstm {
    form: LstmForm,
    layout: Layout,
    embedding: Option<Linear>,
    /// $W_x$ with $b$, and $W_h$, of each layer.
    layers: Vec<[Linear; 2]>,
    head: Linear,
}

/// Blocks of the hidden width that a layer keeps on the tape, in this order.
const GATES: usize = 0;
const CELL_BEFORE: usize = 4;
const CURVED: usize = 5;
const HIDDEN_BEFORE: usize = 6;
const HIDDEN: usize = 7;
const KEPT: usize = 8;

impl Lstm {
    /// A cell of this form.
    ///
    /// **Errors**: no width or layers, an output that is not positive, decays outside [0, 1), a bad $p$ or epsilon.
    pub fn new(form: LstmForm) -> Result<Lstm, Error> {
        form.check()?;
        let (h, mut places) = (form.hidden, Places::default());
        let embedding = form.embedding.then(|| places.linear("embedding", h, form.seen(), true));
        let layer = |l: usize| {
            let columns = if l > 0 || form.embedding { h } else { form.seen() };
            [
                places.linear(&format!("layers.{l}.input"), 4 * h, columns, true),
                places.linear(&format!("layers.{l}.hidden"), 4 * h, h, false),
            ]
        };
        let layers = (0..form.layers).map(layer).collect();
        let head = places.linear("head", 1, h, true);
        Ok(Lstm { form, layout: places.layout()?, embedding, layers, head })
    }

    /// Its form.
    pub fn form(&self) -> &LstmForm {
        &self.form
    }

    /// Numbers before the first layer's own on the tape: gradient, running means, inputs, embedding.
    fn front(&self) -> usize {
        let embedding = if self.form.embedding { self.form.hidden } else { 0 };
        3 + self.form.seen() + embedding
    }

    /// Where the first layer finds its inputs on the tape, and how many there are.
    fn first(&self) -> (usize, usize) {
        match self.form.embedding {
            true => (self.front() - self.form.hidden, self.form.hidden),
            false => (3, self.form.seen()),
        }
    }

    fn scaled(&self) -> Option<Scaled> {
        match self.form.inputs {
            Inputs::Gradient(_) => None,
            Inputs::Scaled { beta1, beta2, epsilon } => Some(Scaled { beta1, beta2, epsilon }),
        }
    }

    /// Where the inputs of layer `l` stand on the tape.
    fn below(&self, l: usize) -> std::ops::Range<usize> {
        let h = self.form.hidden;
        if l == 0 {
            let (start, len) = self.first();
            return start..start + len;
        }
        let start = self.front() + (l - 1) * KEPT * h + HIDDEN * h;
        start..start + h
    }
}

impl Cell for Lstm {
    fn name(&self) -> &'static str {
        match self.form.inputs {
            Inputs::Gradient(_) => "lstm",
            Inputs::Scaled { .. } => "rnnprop",
        }
    }

    fn settings(&self) -> Vec<f64> {
        let f = &self.form;
        let mut all = match f.inputs {
            Inputs::Gradient(preprocess) => preprocess.numbers().to_vec(),
            Inputs::Scaled { beta1, beta2, epsilon } => vec![beta1, beta2, epsilon],
        };
        all.extend([f.hidden as f64, f.layers as f64, f64::from(u8::from(f.embedding))]);
        all.extend(match f.output {
            Output::Times(scale) => [0.0, scale],
            Output::Bounded(most) => [1.0, most],
        });
        all
    }

    fn weights(&self) -> &Layout {
        &self.layout
    }

    fn trained(&self) -> usize {
        self.layout.len()
    }

    fn start(&self, stream: &mut Stream) -> Result<Vec<f64>, Error> {
        let (mut weights, h) = (uniform(&self.layout, stream), self.form.hidden);
        for [input, _] in &self.layers {
            if let Some(bias) = &input.bias {
                weights[bias.start + h..bias.start + 2 * h].fill(1.0);
            }
        }
        Ok(weights)
    }

    fn state_len(&self) -> usize {
        let means = if self.scaled().is_some() { 2 } else { 0 };
        2 * self.form.layers * self.form.hidden + means
    }

    fn tape_len(&self) -> usize {
        self.front() + self.form.layers * KEPT * self.form.hidden + 1
    }

    fn carry_len(&self, _: usize) -> usize {
        2 * self.form.layers * self.form.hidden + 2
    }

    fn scratch_len(&self) -> usize {
        5 * self.form.hidden + self.form.hidden.max(2) + 2
    }

    fn runner(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Runner {
        Runner::of(self, weights, layout, precision)
    }

    fn tapes(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Tapes {
        Tapes::of(self, weights, layout, precision)
    }

    #[inline(always)]
    fn step<N: CellNumber>(
        &self,
        weights: &[N::Shared],
        time: u64,
        gradient: &[N],
        state: &mut [N],
        tape: &mut [N],
        update: &mut [N],
    ) {
        let h = self.form.hidden;
        let (state, means) = state.split_at_mut(2 * self.form.layers * h);
        tape[0] = gradient[0];
        match (self.scaled(), self.form.inputs) {
            (Some(scaled), _) => scaled.forward(time, gradient[0], means, &mut tape[1..5]),
            (None, Inputs::Gradient(preprocess)) => preprocess.apply(gradient[0], &mut tape[3..]),
            (None, Inputs::Scaled { .. }) => {}
        }
        if let Some(embedding) = &self.embedding {
            let (x, y) = tape.split_at_mut(3 + self.form.seen());
            embedding.forward(weights, &x[3..], &mut y[..h]);
            for y in &mut y[..h] {
                *y = y.at_least(N::zero(), *y, y.exp() - N::one());
            }
        }
        for (l, [input, hidden]) in self.layers.iter().enumerate() {
            let (below, own) = tape.split_at_mut(self.front() + l * KEPT * h);
            let own = &mut own[..KEPT * h];
            let (past_h, past_c) = state[2 * l * h..2 * (l + 1) * h].split_at_mut(h);
            own[CELL_BEFORE * h..CURVED * h].copy_from_slice(past_c);
            own[HIDDEN_BEFORE * h..HIDDEN * h].copy_from_slice(past_h);
            let gates = &mut own[GATES * h..CELL_BEFORE * h];
            input.forward(weights, &below[self.below(l)], gates);
            crate::cell::product(&weights[hidden.weight.clone()], past_h, gates);
            for (i, gate) in gates.iter_mut().enumerate() {
                *gate = if i / h == 2 { gate.tanh() } else { gate.sigmoid() };
            }
            for i in 0..h {
                past_c[i] = (own[h + i] * past_c[i]).plus(own[i], own[2 * h + i]);
                own[CURVED * h + i] = past_c[i].tanh();
                past_h[i] = own[3 * h + i] * own[CURVED * h + i];
                own[HIDDEN * h + i] = past_h[i];
            }
        }
        let last = self.tape_len() - 1;
        self.head.forward(weights, &tape[last - h..last], update);
        update[0] = match self.form.output {
            Output::Times(scale) => update[0] * N::of(scale),
            Output::Bounded(most) => {
                tape[last] = update[0].tanh();
                tape[last] * N::of(most)
            }
        };
    }

    #[inline(always)]
    fn adjoint<N: CellNumber>(&self, weights: &[N::Shared], window: Window<'_, N>, at: usize, down: Downward<'_, N>) {
        let (h, len) = (self.form.hidden, self.tape_len());
        let tape = window.tape(at, len);
        let (d_gates, rest) = down.scratch.split_at_mut(4 * h);
        let (d_hidden, rest) = rest.split_at_mut(h);
        let (d_below, d_inputs) = rest.split_at_mut(h.max(2));
        let d_head = match self.form.output {
            Output::Times(scale) => [down.update[0] * N::of(scale)],
            Output::Bounded(most) => {
                let curved = tape[len - 1];
                [down.update[0] * N::of(most) * (N::one() - curved * curved)]
            }
        };
        d_hidden.fill(N::zero());
        let top = &tape[len - 1 - h..len - 1];
        self.head.adjoint(weights, top, &d_head, Some(&mut *d_hidden), down.weights);
        for (l, [input, hidden]) in self.layers.iter().enumerate().rev() {
            let start = self.front() + l * KEPT * h;
            let own = &tape[start..start + KEPT * h];
            let (carry_h, carry_c) = down.carry[2 * l * h..2 * (l + 1) * h].split_at_mut(h);
            for i in 0..h {
                let (entry, forget, new, out) = (own[i], own[h + i], own[2 * h + i], own[3 * h + i]);
                let (before, curved) = (own[CELL_BEFORE * h + i], own[CURVED * h + i]);
                let d_h = d_hidden[i] + carry_h[i];
                let d_c = carry_c[i].plus(d_h * out, N::one() - curved * curved);
                carry_c[i] = d_c * forget;
                d_gates[i] = d_c * new * entry * (N::one() - entry);
                d_gates[h + i] = d_c * before * forget * (N::one() - forget);
                d_gates[2 * h + i] = d_c * entry * (N::one() - new * new);
                d_gates[3 * h + i] = d_h * curved * out * (N::one() - out);
            }
            carry_h.fill(N::zero());
            let past = &own[HIDDEN_BEFORE * h..HIDDEN * h];
            hidden.adjoint(weights, past, d_gates, Some(carry_h), down.weights);
            let x = &tape[self.below(l)];
            d_below.fill(N::zero());
            input.adjoint(weights, x, d_gates, Some(&mut d_below[..x.len()]), down.weights);
            d_hidden[..x.len().min(h)].copy_from_slice(&d_below[..x.len().min(h)]);
        }
        let seen = self.form.seen();
        d_inputs.fill(N::zero());
        if let Some(embedding) = &self.embedding {
            for (d, y) in d_below.iter_mut().zip(&tape[self.below(0)]) {
                *d = *d * y.at_least(N::zero(), N::one(), *y + N::one());
            }
            let d_x = Some(&mut d_inputs[..seen]);
            embedding.adjoint(weights, &tape[3..3 + seen], &d_below[..h], d_x, down.weights);
        } else {
            d_inputs[..seen].copy_from_slice(&d_below[..seen]);
        }
        let means = &mut down.carry[2 * self.form.layers * h..];
        down.gradient[0] = match (self.scaled(), self.form.inputs) {
            (None, Inputs::Gradient(preprocess)) => preprocess.adjoint(tape[0], d_inputs),
            (Some(scaled), _) => scaled.adjoint(window.time + at as u64, tape[0], &tape[1..5], d_inputs, means),
            (None, Inputs::Scaled { .. }) => N::zero(),
        };
    }
}
