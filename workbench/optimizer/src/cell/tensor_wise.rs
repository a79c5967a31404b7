//! The tensor-wise cell: one memory for each chunk of a tensor.

use workbench_ground::check::{above_zero, positive};
use workbench_ground::lanes::Precision;
use workbench_ground::stats::Stream;

use super::layers::Linear;
use super::places::{Places, uniform};
use super::stack::Stack;
use super::{Cell, Downward, Form, Gathered, Runner, Tapes, Window};
use crate::number::CellNumber;
use crate::{Error, Layout};

/// Chunks of a tensor, pooled into one token each, with one memory for each token:
///
/// $$ e_i=W_\mathrm{in}\operatorname{pre}(g_i)+b_\mathrm{in},\quad y=\operatorname{encoders}\Bigl(\frac1n\sum_{i\le n}e_i\Bigr),\quad
/// u_i=s\,\bigl(w^\top\max(0,W(e_i+y)+b)+c\bigr) $$
///
/// for the $n$ coordinates of a chunk. **This form is ours**: B.8 to B.10 name a tensor-wise optimizer, and its definition stands in the
/// main body, which the excerpt does not have. What it shares with the name: state and attention belong to pieces of tensors, every
/// weight is shared by all tensors, and the state is smaller by the size of a chunk.
///
/// **State** of one chunk: that of one coordinate of [`Mnemosyne`](super::Mnemosyne) in the same form. A chunk never crosses from one
/// tensor into the next; the last of a tensor may be shorter.
///
/// ```
/// use workbench_optimizer::cell::{Cell, Form, TensorWise};
/// let cell = TensorWise::new(Form::default(), 64)?;
/// assert_eq!((cell.unit(), cell.state_len()), (64, 544));
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TensorWise {
    form: Form,
    chunk: usize,
    layout: Layout,
    trained: usize,
    input: Linear,
    stack: Stack,
    mixed: Linear,
    head: Linear,
}

impl TensorWise {
    /// A cell of this form for chunks of at most `chunk` coordinates. The width of the mixing layer is `feed_forward`, or `hidden` where
    /// that is zero.
    ///
    /// **Errors**: a chunk of no coordinates, and those of [`Mnemosyne::new`](super::Mnemosyne::new).
    pub fn new(form: Form, chunk: usize) -> Result<TensorWise, Error> {
        const OP: &str = "TensorWise::new";
        positive(OP, "hidden", form.hidden)?;
        positive(OP, "encoders", form.encoders)?;
        positive(OP, "coordinates of a chunk", chunk)?;
        above_zero(OP, "output_scale", form.output_scale)?;
        form.preprocess.check()?;
        let mut places = Places::default();
        let input = places.linear("input", form.hidden, form.preprocess.inputs(), true);
        let mut stack = Stack::new(OP, &form, &mut places)?;
        let wide = if form.feed_forward > 0 { form.feed_forward } else { form.hidden };
        let mixed = places.linear("mixed", wide, form.hidden, true);
        let head = places.linear("head", 1, wide, true);
        let trained = places.len();
        stack.fix(&mut places);
        Ok(TensorWise { form, chunk, layout: places.layout()?, trained, input, stack, mixed, head })
    }

    /// Its form.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Numbers on the tape for one coordinate: gradient, inputs, embedding, what is mixed of embedding and token, the mixing layer.
    fn each(&self) -> usize {
        1 + self.form.preprocess.inputs() + 2 * self.form.hidden + self.mixed.rows
    }

    /// Where the parts of one coordinate end within [`TensorWise::each`]: inputs, embedding, mixture.
    fn ends(&self) -> (usize, usize, usize) {
        let inputs = 1 + self.form.preprocess.inputs();
        (inputs, inputs + self.form.hidden, inputs + 2 * self.form.hidden)
    }
}

impl Cell for TensorWise {
    fn name(&self) -> &'static str {
        "tensor-wise"
    }

    fn settings(&self) -> Vec<f64> {
        let mut all = self.form.numbers();
        all.push(self.chunk as f64);
        all
    }

    fn weights(&self) -> &Layout {
        &self.layout
    }

    fn trained(&self) -> usize {
        self.trained
    }

    fn start(&self, stream: &mut Stream) -> Result<Vec<f64>, Error> {
        let mut weights = uniform(&self.layout, stream);
        self.stack.redraw(&mut weights, stream)?;
        Ok(weights)
    }

    fn unit(&self) -> usize {
        self.chunk
    }

    fn state_len(&self) -> usize {
        self.stack.state_len()
    }

    fn tape_len(&self) -> usize {
        self.stack.tape_len() + self.chunk * self.each()
    }

    fn carry_len(&self, steps: usize) -> usize {
        self.stack.carry_len(steps)
    }

    fn scratch_len(&self) -> usize {
        let (d, inputs) = (self.form.hidden, self.form.preprocess.inputs());
        2 * d + inputs + self.mixed.rows + self.chunk * d + self.stack.scratch_len()
    }

    fn derived_len(&self) -> usize {
        self.stack.derived_len()
    }

    fn runner(&self, weights: &[f64], layout: &Layout, _: Precision) -> Runner {
        Runner::double(self, weights, layout)
    }

    fn tapes(&self, weights: &[f64], layout: &Layout, _: Precision) -> Tapes {
        Tapes::double(self, weights, layout)
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
        let (d, (inputs, embedded, both)) = (self.form.hidden, self.ends());
        let (token, own) = tape.split_at_mut(self.stack.tape_len());
        token[..d].fill(N::zero());
        let share = N::of(1.0 / gradient.len() as f64);
        for (g, own) in gradient.iter().zip(own.chunks_exact_mut(self.each())) {
            own[0] = *g;
            self.form.preprocess.apply(*g, &mut own[1..inputs]);
            let (x, e) = own.split_at_mut(inputs);
            self.input.forward(weights, &x[1..], &mut e[..d]);
            for (sum, e) in token[..d].iter_mut().zip(e.iter()) {
                *sum = sum.plus(share, *e);
            }
        }
        self.stack.forward(weights, time, state, token);
        let y = &token[token.len() - d..];
        for (u, own) in update.iter_mut().zip(own.chunks_exact_mut(self.each())) {
            for i in 0..d {
                own[embedded + i] = own[inputs + i] + y[i];
            }
            let (mixture, after) = own.split_at_mut(both);
            self.mixed.forward(weights, &mixture[embedded..], after);
            for after in after.iter_mut() {
                *after = after.relu();
            }
            self.head.forward(weights, after, std::slice::from_mut(u));
            *u = *u * N::of(self.form.output_scale);
        }
    }

    #[inline(always)]
    fn adjoint<N: CellNumber>(&self, weights: &[N::Shared], window: Window<'_, N>, at: usize, down: Downward<'_, N>) {
        let (d, (inputs, embedded, both)) = (self.form.hidden, self.ends());
        let (len, n) = (self.tape_len(), down.update.len());
        let own = &window.tape(at, len)[self.stack.tape_len()..];
        let (d_token, rest) = down.scratch.split_at_mut(d);
        let (d_x, rest) = rest.split_at_mut(inputs - 1);
        let (d_after, rest) = rest.split_at_mut(self.mixed.rows);
        let (d_embedded, scratch) = rest.split_at_mut(self.chunk * d);
        d_token.fill(N::zero());
        let each = own.chunks_exact(self.each()).take(n);
        for ((own, d_u), d_e) in each.zip(down.update).zip(d_embedded.chunks_exact_mut(d)) {
            let d_head = [*d_u * N::of(self.form.output_scale)];
            d_after.fill(N::zero());
            self.head.adjoint(weights, &own[both..], &d_head, Some(&mut *d_after), down.weights);
            for (d, after) in d_after.iter_mut().zip(&own[both..]) {
                *d = (-*after).at_least(N::zero(), N::zero(), *d);
            }
            d_e.fill(N::zero());
            self.mixed.adjoint(weights, &own[embedded..both], d_after, Some(&mut *d_e), down.weights);
            for (sum, d) in d_token.iter_mut().zip(d_e.iter()) {
                *sum = *sum + *d;
            }
        }
        let below = Downward {
            update: &[],
            gradient: &mut [],
            weights: &mut *down.weights,
            carry: down.carry,
            scratch,
            derived: down.derived,
        };
        self.stack.adjoint(weights, (window, at, 0), len, d_token, below);
        let share = N::of(1.0 / n as f64);
        let each = own.chunks_exact(self.each()).take(n).zip(down.gradient);
        for ((own, d_g), d_e) in each.zip(d_embedded.chunks_exact_mut(d)) {
            for (d, token) in d_e.iter_mut().zip(d_token.iter()) {
                *d = d.plus(share, *token);
            }
            d_x.fill(N::zero());
            self.input.adjoint(weights, &own[1..inputs], d_e, Some(&mut *d_x), down.weights);
            *d_g = self.form.preprocess.adjoint(own[0], d_x);
        }
    }

    #[inline(always)]
    fn gather<N: CellNumber>(&self, from: Gathered<'_, N>, d_weights: &mut [N]) {
        self.stack.gather(from, 0, d_weights);
    }
}
