//! The cell of B.1, and its controls: an input layer, temporal encoders, a head.

use std::ops::Range;

use workbench_features::{Draws, Ensemble, FeatureMap};
use workbench_ground::check::{above_zero, positive};
use workbench_ground::stats::Stream;

use super::encoder::{Encoder, Spans};
use super::layers::{Linear, Norm};
use super::memory::{Compact, Kept};
use super::{Cell, Downward, Memory, Window};
use crate::number::Number;
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
        Form {
            hidden: 8,
            encoders: 1,
            feed_forward: 16,
            ..Form::default()
        }
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
    encoders: Vec<Encoder>,
    head: Linear,
}

/// Gives out places for weights.
#[derive(Default)]
pub(crate) struct Places {
    named: Vec<(String, Vec<usize>)>,
    next: usize,
}

impl Places {
    pub(crate) fn take(&mut self, name: String, shape: &[usize]) -> Range<usize> {
        let start = self.next;
        self.next += shape.iter().product::<usize>();
        self.named.push((name, shape.to_vec()));
        start..self.next
    }

    pub(crate) fn linear(&mut self, name: &str, rows: usize, columns: usize, bias: bool) -> Linear {
        Linear {
            weight: self.take(format!("{name}.weight"), &[rows, columns]),
            bias: bias.then(|| self.take(format!("{name}.bias"), &[rows])),
            rows,
            columns,
        }
    }

    fn norm(&mut self, name: &str, width: usize) -> Norm {
        Norm {
            gain: self.take(format!("{name}.gain"), &[width]),
            bias: self.take(format!("{name}.bias"), &[width]),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.next
    }

    pub(crate) fn layout(&self) -> Result<Layout, Error> {
        let named: Vec<(&str, &[usize])> = self
            .named
            .iter()
            .map(|(name, shape)| (name.as_str(), &shape[..]))
            .collect();
        Layout::of(&named)
    }
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
        let encoders = (0..form.encoders).map(|e| encoder(OP, &form, e, &mut places));
        let mut encoders = encoders.collect::<Result<Vec<Encoder>, Error>>()?;
        let head = places.linear("head", 1, form.hidden, true);
        let trained = places.len();
        for (e, encoder) in encoders.iter_mut().enumerate() {
            if let Kept::Compact(Compact { projections, .. }) = encoder.memory {
                let rows = places.take(format!("encoders.{e}.projections"), &[projections, form.hidden]);
                let offsets = places.take(format!("encoders.{e}.offsets"), &[projections]);
                encoder.fixed = rows.start..offsets.end;
            }
        }
        Ok(Mnemosyne {
            form,
            layout: places.layout()?,
            trained,
            input,
            encoders,
            head,
        })
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
        for encoder in &self.encoders {
            if let Kept::Compact(compact) = &encoder.memory {
                let (p, d) = (compact.projections, self.form.hidden);
                let draws = Draws::draw(Ensemble::BlockOrthogonal, p, d, stream)?;
                let map = FeatureMap::over(compact.map, draws)?;
                let (rows, offsets) = weights[encoder.fixed.clone()].split_at_mut(p * d);
                rows.iter_mut()
                    .zip(map.draws().rows())
                    .for_each(|(to, from)| *to = *from);
                offsets.iter_mut().zip(map.offsets()).for_each(|(to, from)| *to = *from);
            }
        }
        Ok(())
    }

    fn inputs(&self) -> usize {
        self.form.preprocess.inputs()
    }

    /// Where the input of encoder `e` stands on the tape.
    fn place(&self, e: usize) -> usize {
        1 + self.inputs() + self.encoders[..e].iter().map(Encoder::tape_len).sum::<usize>()
    }

    fn encoder_state(&self) -> usize {
        self.form.memory.state_len(self.form.hidden)
    }
}

fn encoder(op: &'static str, form: &Form, e: usize, places: &mut Places) -> Result<Encoder, Error> {
    let (d, bias) = (form.hidden, form.attention_bias);
    let name = |part: &str| format!("encoders.{e}.{part}");
    let first = form.norm.then(|| places.norm(&name("attention.norm"), d));
    let queries = form.memory.has_queries();
    let asking = queries.then(|| ["query", "key"].map(|part| places.linear(&name(part), d, d, bias)));
    let value = places.linear(&name("value"), d, d, bias);
    let output = places.linear(&name("output"), d, d, bias);
    let fed = form.feed_forward > 0;
    let second = (form.norm && fed).then(|| places.norm(&name("feed_forward.norm"), d));
    let feed_forward = fed.then(|| {
        [
            places.linear(&name("up"), form.feed_forward, d, true),
            places.linear(&name("down"), d, form.feed_forward, true),
        ]
    });
    let encoder = Encoder {
        // Without a feed-forward part the second norm is never asked.
        norms: first.map(|first| [first.clone(), second.unwrap_or(first)]),
        asking,
        value,
        output,
        feed_forward,
        fixed: 0..0,
        memory: Kept::new(op, form.memory, d)?,
        hidden: d,
        scale: 1.0,
        spans: Spans::default(),
    };
    Ok(encoder.placed())
}

impl Cell for Mnemosyne {
    fn name(&self) -> &'static str {
        self.form.memory.name()
    }

    fn settings(&self) -> Vec<f64> {
        let f = &self.form;
        let flags = [f64::from(u8::from(f.norm)), f64::from(u8::from(f.attention_bias))];
        let sizes = [f.hidden, f.encoders, f.feed_forward].map(|size| size as f64);
        let mut all = f.preprocess.numbers().to_vec();
        all.extend(sizes);
        all.extend(flags);
        all.push(f.output_scale);
        all.extend(f.memory.numbers());
        all
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
        self.form.encoders * self.encoder_state()
    }

    fn tape_len(&self) -> usize {
        self.place(self.form.encoders) + self.form.hidden
    }

    fn carry_len(&self, steps: usize) -> usize {
        steps * self.encoders.iter().map(Encoder::carry_len).sum::<usize>()
    }

    fn scratch_len(&self) -> usize {
        let encoder = self.encoders.iter().map(Encoder::scratch_len).max().unwrap_or(0);
        self.form.hidden + self.inputs() + encoder
    }

    #[inline(always)]
    fn step<N: Number>(
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
        let (mut start, each) = (1 + inputs, self.encoder_state());
        for (e, encoder) in self.encoders.iter().enumerate() {
            let state = &mut state[e * each..(e + 1) * each];
            encoder.forward(weights, time, state, &mut tape[start..start + d + encoder.tape_len()]);
            start += encoder.tape_len();
        }
        self.head.forward(weights, &tape[start..start + d], update);
        update[0] = update[0] * N::of(self.form.output_scale);
    }

    #[inline(always)]
    fn adjoint<N: Number>(&self, weights: &[N::Shared], window: Window<'_, N>, at: usize, down: Downward<'_, N>) {
        let (inputs, d, len) = (self.inputs(), self.form.hidden, self.tape_len());
        let tape = window.tape(at, len);
        let (d_hidden, rest) = down.scratch.split_at_mut(d);
        let (d_inputs, scratch) = rest.split_at_mut(inputs);
        let d_head = [down.update[0] * N::of(self.form.output_scale)];
        d_hidden.fill(N::zero());
        let last = self.place(self.form.encoders);
        self.head.adjoint(
            weights,
            &tape[last..last + d],
            &d_head,
            Some(&mut *d_hidden),
            down.weights,
        );
        let each = self.encoder_state();
        let (mut end, steps) = (down.carry.len(), window.tapes.len() / len);
        for (e, encoder) in self.encoders.iter().enumerate().rev() {
            let carry = steps * encoder.carry_len();
            let own = Window {
                state: &window.state[e * each..(e + 1) * each],
                ..window
            };
            let below = Downward {
                update: &[],
                gradient: &mut [],
                weights: &mut *down.weights,
                carry: &mut down.carry[end - carry..end],
                scratch: &mut *scratch,
            };
            encoder.adjoint(weights, (own, at, self.place(e)), len, d_hidden, below);
            end -= carry;
        }
        d_inputs.fill(N::zero());
        self.input.adjoint(
            weights,
            &tape[1..1 + inputs],
            d_hidden,
            Some(&mut *d_inputs),
            down.weights,
        );
        down.gradient[0] = self.form.preprocess.adjoint(tape[0], d_inputs);
    }
}

/// Matrices uniform within $\pm1/\sqrt{\text{columns}}$, vectors zero, gains one.
pub(crate) fn uniform(layout: &Layout, stream: &mut Stream) -> Vec<f64> {
    let mut weights = vec![0.0; layout.len()];
    for tensor in layout.tensors() {
        let values = &mut weights[tensor.range.clone()];
        if let [_, columns] = tensor.shape[..] {
            let bound = (columns as f64).powf(-0.5);
            values
                .iter_mut()
                .for_each(|w| *w = bound * (2.0 * stream.uniform() - 1.0));
        } else if tensor.name.ends_with(".gain") {
            values.fill(1.0);
        }
    }
    weights
}
