//! Temporal encoders, one above the other, with their projections.

use workbench_features::{Draws, Ensemble, FeatureMap};
use workbench_ground::stats::Stream;

use super::encoder::{Encoder, Spans};
use super::memory::{Compact, Kept};
use super::places::Places;
use super::{Downward, Form, Gathered, Window};
use crate::Error;
use crate::number::CellNumber;

/// The encoders of a form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stack {
    encoders: Vec<Encoder>,
    hidden: usize,
    /// Numbers that one encoder remembers.
    each: usize,
}

impl Stack {
    /// **Errors**: those of the memory.
    pub fn new(op: &'static str, form: &Form, places: &mut Places) -> Result<Stack, Error> {
        let encoders = (0..form.encoders).map(|e| encoder(op, form, e, places));
        Ok(Stack {
            encoders: encoders.collect::<Result<_, Error>>()?,
            hidden: form.hidden,
            each: form.memory.state_len(form.hidden),
        })
    }

    /// Takes places for what is drawn and kept, after all that is trained.
    pub fn fix(&mut self, places: &mut Places) {
        for (e, encoder) in self.encoders.iter_mut().enumerate() {
            if let Kept::Compact(Compact { projections, .. }) = encoder.memory {
                let rows = places.take(format!("encoders.{e}.projections"), &[projections, self.hidden]);
                let offsets = places.take(format!("encoders.{e}.offsets"), &[projections]);
                encoder.fixed = rows.start..offsets.end;
            }
        }
    }

    /// Draws the projections, orthogonal in blocks.
    pub fn redraw(&self, weights: &mut [f64], stream: &mut Stream) -> Result<(), Error> {
        for encoder in &self.encoders {
            if let Kept::Compact(compact) = &encoder.memory {
                let (p, d) = (compact.projections, self.hidden);
                let map = FeatureMap::over(compact.map, Draws::draw(Ensemble::BlockOrthogonal, p, d, stream)?)?;
                let (rows, offsets) = weights[encoder.fixed.clone()].split_at_mut(p * d);
                rows.iter_mut().zip(map.draws().rows()).for_each(|(to, from)| *to = *from);
                offsets.iter_mut().zip(map.offsets()).for_each(|(to, from)| *to = *from);
            }
        }
        Ok(())
    }

    /// Numbers that all encoders remember.
    pub fn state_len(&self) -> usize {
        self.encoders.len() * self.each
    }

    /// Numbers on the tape: what comes in first, what goes out last.
    pub fn tape_len(&self) -> usize {
        self.hidden + self.encoders.iter().map(Encoder::tape_len).sum::<usize>()
    }

    pub fn carry_len(&self, steps: usize) -> usize {
        steps * self.encoders.iter().map(Encoder::carry_len).sum::<usize>()
    }

    pub fn scratch_len(&self) -> usize {
        self.encoders.iter().map(Encoder::scratch_len).max().unwrap_or(0)
    }

    /// Numbers that the adjoint leaves for [`Stack::gather`].
    pub fn derived_len(&self) -> usize {
        self.encoders.iter().map(Encoder::derived_len).sum()
    }

    #[inline(always)]
    pub fn forward<N: CellNumber>(&self, weights: &[N::Shared], time: u64, state: &mut [N], tape: &mut [N]) {
        let mut start = 0;
        for (e, encoder) in self.encoders.iter().enumerate() {
            let state = &mut state[e * self.each..(e + 1) * self.each];
            let end = start + self.hidden + encoder.tape_len();
            encoder.forward(weights, time, state, &mut tape[start..end]);
            start += encoder.tape_len();
        }
    }

    /// `d_hidden` comes in as the derivative of what goes out and leaves as that of what came in. The stack's numbers begin at `start`
    /// of each tape of `tape_len`.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(
        &self,
        weights: &[N::Shared],
        (window, at, start): (Window<'_, N>, usize, usize),
        tape_len: usize,
        d_hidden: &mut [N],
        down: Downward<'_, N>,
    ) {
        let steps = window.tapes.len() / tape_len;
        let mut place = start + self.tape_len() - self.hidden;
        let mut end = down.carry.len();
        let mut derived_end = down.derived.len();
        for (e, encoder) in self.encoders.iter().enumerate().rev() {
            place -= encoder.tape_len();
            let (carry, derived) = (steps * encoder.carry_len(), encoder.derived_len());
            let own = Window { state: &window.state[e * self.each..(e + 1) * self.each], ..window };
            let below = Downward {
                update: &[],
                gradient: &mut [],
                weights: &mut *down.weights,
                carry: &mut down.carry[end - carry..end],
                scratch: &mut *down.scratch,
                derived: &mut down.derived[derived_end - derived..derived_end],
            };
            encoder.adjoint(weights, (own, at, place), tape_len, d_hidden, below);
            end -= carry;
            derived_end -= derived;
        }
    }

    /// Derivatives by the matrices of all encoders; the stack's numbers begin at `start` of each tape.
    #[inline(always)]
    pub fn gather<N: CellNumber>(&self, from: Gathered<'_, N>, mut start: usize, d_weights: &mut [N]) {
        let mut derived = 0;
        for encoder in &self.encoders {
            encoder.gather(from, (start, derived), d_weights);
            start += encoder.tape_len();
            derived += encoder.derived_len();
        }
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
