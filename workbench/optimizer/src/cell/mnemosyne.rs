//! The cell of B.1, and its controls: an input layer, temporal encoders, a head.

use workbench_ground::check::{above_zero, positive};
use workbench_ground::lanes::Precision;
use workbench_ground::stats::Stream;

use super::layers::Linear;
use super::places::{Places, uniform};
use super::stack::Stack;
use super::{Cell, Downward, Gathered, Memory, Runner, Tapes, Window};
use crate::number::CellNumber;
use crate::{Error, Layout, Preprocess};

/// The form of a [`Mnemosyne`]: what the document gives, and our readings of what it leaves open.
///
/// | field | the document | default |
/// | --- | --- | --- |
/// | `preprocess` | "as in \[2\]" | as printed in \[2\], $p=10$ |
/// | `hidden`, `encoders` | 16 and 2; light: 8 and 1 | 16, 2 |
/// | `memory` | $r=16$, $\tau=0.1$, one head, hyperbolic | the same; $\lambda=e^{-\tau}$, projections drawn once |
/// | `feed_forward` | open | $2d$, rectified; 0 leaves the part out |
/// | `norm` | open | before each part |
/// | `attention_bias` | open | none on query, key, value and output |
/// | `output_scale` | open | 0.01, as \[2\] |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// What the cell sees of a gradient.
    pub preprocess: Preprocess,
    /// $d$, the width of encoders.
    pub hidden: usize,
    /// How many encoders there are.
    pub encoders: usize,
    /// What each of them remembers.
    pub memory: Memory,
    /// The width inside the feed-forward part; 0 for none.
    pub feed_forward: usize,
    /// Whether each part sees a normed input.
    pub norm: bool,
    /// Whether query, key, value and output have biases.
    pub attention_bias: bool,
    /// What the head is multiplied by.
    pub output_scale: f64,
}

impl Default for Form {
    fn default() -> Form {
        Form {
            preprocess: Preprocess::paper(),
            hidden: 16,
            encoders: 2,
            memory: Memory::default_compact(),
            feed_forward: 32,
            norm: true,
            attention_bias: false,
            output_scale: 0.01,
        }
    }
}

impl Form {
    /// The light form of B.7.2: one encoder of width 8. The feed-forward part keeps its ratio of 2.
    pub fn light() -> Form {
        Form { hidden: 8, encoders: 1, feed_forward: 16, ..Form::default() }
    }
}

impl Form {
    /// What tells one form from another.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let f = self;
        let flags = [f64::from(u8::from(f.norm)), f64::from(u8::from(f.attention_bias))];
        let sizes = [f.hidden, f.encoders, f.feed_forward].map(|size| size as f64);
        let mut all = f.preprocess.numbers().to_vec();
        all.extend(sizes);
        all.extend(flags);
        all.push(f.output_scale);
        all.extend(f.memory.numbers());
        all
    }
}

/// The memory cell of the learned optimizer, applied to each coordinate alike:
///
/// $$ x=\operatorname{pre}(g_t),\quad h_0=W_\mathrm{in}x+b_\mathrm{in},\quad h_e=\operatorname{encoder}_e(h_{e-1}),\quad
/// u_t=s\,(w^\top h_E+b) $$
///
/// **Source**: B.1, preliminaries; A.1.1 for the memory. What the document leaves open is listed at [`Form`].
///
/// **State** of one coordinate: $E\,r\,(d+1)$ numbers, 544 in the default form, whatever the number of steps. **Cost** of a step of one
/// coordinate: about $E\,(4d^2+2df+3rd+rd)$ multiplications and additions, $f$ the width of the feed-forward part.
///
/// ```
/// use workbench_optimizer::cell::{Cell, Form, Mnemosyne};
/// let cell = Mnemosyne::new(Form::default())?;
/// assert_eq!((cell.state_len(), cell.trained()), (544, 4385));
/// assert_eq!(Mnemosyne::new(Form::light())?.state_len(), 144);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mnemosyne {
    form: Form,
    layout: Layout,
    trained: usize,
    input: Linear,
    stack: Stack,
    head: Linear,
}

impl Mnemosyne {
    /// A cell of this form.
    ///
    /// **Errors**: no hidden numbers or encoders, an output scale that is not positive, a bad $p$; for the memory an odd or zero number
    /// of hyperbolic features, a negative $\tau$, a cache of length 0.
    pub fn new(form: Form) -> Result<Mnemosyne, Error> {
        const OP: &str = "Mnemosyne::new";
        positive(OP, "hidden", form.hidden)?;
        positive(OP, "encoders", form.encoders)?;
        above_zero(OP, "output_scale", form.output_scale)?;
        form.preprocess.check()?;
        let mut places = Places::default();
        let input = places.linear("input", form.hidden, form.preprocess.inputs(), true);
        let mut stack = Stack::new(OP, &form, &mut places)?;
        let head = places.linear("head", 1, form.hidden, true);
        let trained = places.len();
        stack.fix(&mut places);
        Ok(Mnemosyne { form, layout: places.layout()?, trained, input, stack, head })
    }

    /// Its form.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Draws the projections anew: orthogonal in blocks, as A.1 says. B.3 does not say whether they are drawn once or again and again;
    /// [`Cell::start`] draws them once.
    ///
    /// **Errors**: a factorisation that fails, other weights than those of this cell.
    pub fn redraw(&self, weights: &mut [f64], stream: &mut Stream) -> Result<(), Error> {
        const OP: &str = "Mnemosyne::redraw";
        workbench_ground::check::same(OP, ("weights", weights.len()), ("the cell's", self.layout.len()))?;
        self.stack.redraw(weights, stream)
    }

    fn inputs(&self) -> usize {
        self.form.preprocess.inputs()
    }
}

impl Cell for Mnemosyne {
    fn name(&self) -> &'static str {
        self.form.memory.name()
    }

    fn settings(&self) -> Vec<f64> {
        self.form.numbers()
    }

    fn weights(&self) -> &Layout {
        &self.layout
    }

    fn trained(&self) -> usize {
        self.trained
    }

    /// Matrices uniform within $\pm1/\sqrt{\text{columns}}$, biases zero, gains one.
    fn start(&self, stream: &mut Stream) -> Result<Vec<f64>, Error> {
        let mut weights = uniform(&self.layout, stream);
        self.redraw(&mut weights, stream)?;
        Ok(weights)
    }

    fn state_len(&self) -> usize {
        self.stack.state_len()
    }

    fn tape_len(&self) -> usize {
        1 + self.inputs() + self.stack.tape_len()
    }

    fn carry_len(&self, steps: usize) -> usize {
        self.stack.carry_len(steps)
    }

    fn scratch_len(&self) -> usize {
        self.form.hidden + self.inputs() + self.stack.scratch_len()
    }

    fn derived_len(&self) -> usize {
        self.stack.derived_len()
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
        let (inputs, d) = (self.inputs(), self.form.hidden);
        tape[0] = gradient[0];
        let (x, rest) = tape[1..].split_at_mut(inputs);
        self.form.preprocess.apply(gradient[0], x);
        self.input.forward(weights, x, &mut rest[..d]);
        self.stack.forward(weights, time, state, rest);
        self.head.forward(weights, &rest[rest.len() - d..], update);
        update[0] = update[0] * N::of(self.form.output_scale);
    }

    #[inline(always)]
    fn adjoint<N: CellNumber>(&self, weights: &[N::Shared], window: Window<'_, N>, at: usize, down: Downward<'_, N>) {
        let (inputs, d, len) = (self.inputs(), self.form.hidden, self.tape_len());
        let tape = window.tape(at, len);
        let (d_hidden, rest) = down.scratch.split_at_mut(d);
        let (d_inputs, scratch) = rest.split_at_mut(inputs);
        let d_head = [down.update[0] * N::of(self.form.output_scale)];
        d_hidden.fill(N::zero());
        let outcome = &tape[len - d..];
        self.head.adjoint(weights, outcome, &d_head, Some(&mut *d_hidden), down.weights);
        let below = Downward {
            update: &[],
            gradient: &mut [],
            weights: &mut *down.weights,
            carry: down.carry,
            scratch,
            derived: down.derived,
        };
        self.stack.adjoint(weights, (window, at, 1 + inputs), len, d_hidden, below);
        d_inputs.fill(N::zero());
        self.input.adjoint(weights, &tape[1..1 + inputs], d_hidden, Some(&mut *d_inputs), down.weights);
        down.gradient[0] = self.form.preprocess.adjoint(tape[0], d_inputs);
    }

    #[inline(always)]
    fn gather<N: CellNumber>(&self, from: Gathered<'_, N>, d_weights: &mut [N]) {
        self.stack.gather(from, 1 + self.inputs(), d_weights);
    }
}
