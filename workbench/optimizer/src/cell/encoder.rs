//! A temporal encoder: attention to the past of its own coordinate, and a feed-forward part, each added to what came in.
//!
//! $$ h'=h+W_o\operatorname{read}(W_qa,W_ka,W_va)+b_o,\quad a=\operatorname{norm}(h),\qquad
//! h''=h'+W_\downarrow\max(0,W_\uparrow b+b_\uparrow)+b_\downarrow,\quad b=\operatorname{norm}(h') $$
//!
//! with queries and keys divided by $d^{1/4}$ each.
//!
//! Loops over registers are written with `for`: what a method like `for_each` calls is compiled on its own, without the instructions
//! that the registers need.

use std::ops::Range;

use super::layers::{Linear, Norm, split};
use super::memory::{Asked, Asking, Kept, Past};
use super::{Downward, Gathered, Window};
use crate::number::CellNumber;

/// Where the weights of one encoder stand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Encoder {
    pub norms: Option<[Norm; 2]>,
    /// Of query and key; a memory without queries has none.
    pub asking: Option<[Linear; 2]>,
    pub value: Linear,
    pub output: Linear,
    /// Up and down.
    pub feed_forward: Option<[Linear; 2]>,
    /// Projections and offsets of the features.
    pub fixed: Range<usize>,
    pub memory: Kept,
    pub hidden: usize,
    /// What queries and keys are multiplied by.
    pub scale: f64,
    pub spans: Spans,
}

/// Where an encoder keeps its numbers on the tape, counted from its own first number; what comes in stands just before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spans {
    first: usize,
    asked: usize,
    query: usize,
    key: usize,
    value: usize,
    memory: usize,
    read: usize,
    middle: usize,
    second: usize,
    fed: usize,
    up: usize,
    out: usize,
    len: usize,
}

impl Encoder {
    fn wide(&self) -> usize {
        self.feed_forward.as_ref().map_or(0, |[up, _]| up.rows)
    }

    /// With its places on the tape worked out.
    pub fn placed(self) -> Encoder {
        Encoder { spans: self.places(), scale: (self.hidden as f64).powf(-0.25), ..self }
    }

    fn places(&self) -> Spans {
        let d = self.hidden;
        let norm = if self.norms.is_some() { d + 1 } else { 0 };
        let asked = norm;
        let query = asked + d;
        let key = query + d;
        let value = key + d;
        let memory = value + d;
        let read = memory + self.memory.tape_len();
        let middle = read + d;
        let second = middle + d;
        let fed = second + norm;
        let up = fed + d;
        let out = up + self.wide();
        Spans { first: 0, asked, query, key, value, memory, read, middle, second, fed, up, out, len: out + d }
    }

    /// Numbers on the tape, the outcome at the end.
    pub fn tape_len(&self) -> usize {
        self.spans.len
    }

    /// Numbers that the adjoint hands back to one step.
    pub fn carry_len(&self) -> usize {
        self.memory.carry_len(self.hidden)
    }

    /// Numbers of scratch.
    pub fn scratch_len(&self) -> usize {
        2 * self.hidden + self.memory.scratch_len()
    }

    /// Derivatives by what the matrices give: down, output, value, query and key, and up.
    pub fn derived_len(&self) -> usize {
        5 * self.hidden + self.wide()
    }

    /// `tape` begins with the $d$ numbers that come in.
    #[inline(always)]
    pub fn forward<N: CellNumber>(&self, weights: &[N::Shared], time: u64, state: &mut [N], tape: &mut [N]) {
        let (d, s) = (self.hidden, self.spans);
        let at = |from: usize| d + from..2 * d + from;
        let (input, own) = tape.split_at_mut(d);
        self.norm(0, weights, input, &mut own[s.first..s.query], s.asked - s.first);
        if let Some(asking) = &self.asking {
            let scale = N::of(self.scale);
            for (linear, to) in asking.iter().zip([s.query, s.key]) {
                let (x, y) = split(tape, at(s.asked), at(to));
                linear.forward(weights, x, y);
                for y in y {
                    *y = *y * scale;
                }
            }
        }
        let (x, y) = split(tape, at(s.asked), at(s.value));
        self.value.forward(weights, x, y);
        let (asked, rest) = tape.split_at_mut(d + s.memory);
        let (memory, rest) = rest.split_at_mut(s.read - s.memory);
        let asked = Asked { query: &asked[at(s.query)], key: &asked[at(s.key)], value: &asked[at(s.value)] };
        let fixed = &weights[self.fixed.clone()];
        self.memory.forward(fixed, time, asked, state, memory, &mut rest[..d]);
        let (x, y) = split(tape, at(s.read), at(s.middle));
        self.output.forward(weights, x, y);
        add(tape, 0..d, at(s.middle));
        let (x, y) = split(tape, at(s.middle), d + s.second..d + s.up);
        self.norm(1, weights, x, y, s.fed - s.second);
        if let Some([up, down]) = &self.feed_forward {
            let wide = d + s.up..d + s.out;
            let (x, y) = split(tape, at(s.fed), wide.clone());
            up.forward(weights, x, y);
            for y in y {
                *y = y.relu();
            }
            let (x, y) = split(tape, wide, at(s.out));
            down.forward(weights, x, y);
        } else {
            tape[at(s.out)].fill(N::zero());
        }
        add(tape, at(s.middle), at(s.out));
    }

    /// The norm of `x`, or `x` itself; `own` has what the norm keeps, `kept` numbers, in front.
    #[inline(always)]
    fn norm<N: CellNumber>(&self, which: usize, weights: &[N::Shared], x: &[N], own: &mut [N], kept: usize) {
        let (kept, y) = own.split_at_mut(kept);
        match &self.norms {
            None => y[..x.len()].copy_from_slice(x),
            Some(norms) => norms[which].forward(weights, x, kept, y),
        }
    }

    /// `d_out` comes in as the derivative of what goes out and leaves as that of what came in. `start` is where the encoder's input
    /// stands on the tape of a step.
    #[inline(always)]
    pub fn adjoint<N: CellNumber>(
        &self,
        weights: &[N::Shared],
        (window, at, start): (Window<'_, N>, usize, usize),
        tape_len: usize,
        d_out: &mut [N],
        down: Downward<'_, N>,
    ) {
        let (d, s) = (self.hidden, self.spans);
        let base = start + d;
        let past = Past {
            window,
            tape_len,
            query: base + s.query,
            key: base + s.key,
            value: base + s.value,
            memory: base + s.memory,
            read: base + s.read,
        };
        let kept = |from: usize, len: usize| past.at(at, base + from, len);
        let (d_a, rest) = down.scratch.split_at_mut(d);
        let (d_read, scratch) = rest.split_at_mut(d);
        let (d_down, rest) = down.derived.split_at_mut(d);
        let (d_output, rest) = rest.split_at_mut(d);
        let (d_value, rest) = rest.split_at_mut(d);
        let (d_query, rest) = rest.split_at_mut(d);
        let (d_key, d_up) = rest.split_at_mut(d);
        if let Some([up, down_again]) = &self.feed_forward {
            let after = kept(s.up, self.wide());
            d_up.fill(N::zero());
            down_again.back(weights, d_out, Some(&mut *d_up), down.weights);
            d_down.copy_from_slice(d_out);
            for (d, after) in d_up.iter_mut().zip(after) {
                *d = (-*after).at_least(N::zero(), N::zero(), *d);
            }
            d_a.fill(N::zero());
            up.back(weights, d_up, Some(&mut *d_a), down.weights);
            self.norm_adjoint(1, weights, kept(s.second, s.fed - s.second), d_a, d_out, down.weights);
        }
        d_read.fill(N::zero());
        self.output.back(weights, d_out, Some(&mut *d_read), down.weights);
        d_output.copy_from_slice(d_out);
        let asking = Asking {
            read: d_read,
            query: &mut *d_query,
            key: &mut *d_key,
            value: &mut *d_value,
            carry: down.carry,
            scratch,
        };
        self.memory.adjoint(&weights[self.fixed.clone()], past, at, asking);
        d_a.fill(N::zero());
        self.value.back(weights, d_value, Some(&mut *d_a), down.weights);
        if let Some(asking) = &self.asking {
            let scale = N::of(self.scale);
            for (linear, d_z) in asking.iter().zip([d_query, d_key]) {
                for d in d_z.iter_mut() {
                    *d = *d * scale;
                }
                linear.back(weights, d_z, Some(&mut *d_a), down.weights);
            }
        }
        self.norm_adjoint(0, weights, kept(s.first, s.asked - s.first), d_a, d_out, down.weights);
    }

    /// Derivatives by the matrices; the encoder's input stands at `start` of a step's tape, its derivatives at `derived` of a unit's.
    #[inline(always)]
    pub fn gather<N: CellNumber>(&self, from: Gathered<'_, N>, (start, derived): (usize, usize), d_weights: &mut [N]) {
        let (d, s) = (self.hidden, self.spans);
        // A closure would be compiled on its own.
        let at =
            |linear: &Linear, x: usize, y: usize| (linear.weight.clone(), linear.columns, start + d + x, derived + y);
        let attention = [at(&self.output, s.read, d), at(&self.value, s.asked, 2 * d)];
        for (weight, columns, x, y) in attention {
            from.add(&mut d_weights[weight], columns, x, y);
        }
        if let Some([query, key]) = &self.asking {
            for (weight, columns, x, y) in [at(query, s.asked, 3 * d), at(key, s.asked, 4 * d)] {
                from.add(&mut d_weights[weight], columns, x, y);
            }
        }
        if let Some([up, down]) = &self.feed_forward {
            for (weight, columns, x, y) in [at(up, s.fed, 5 * d), at(down, s.up, 0)] {
                from.add(&mut d_weights[weight], columns, x, y);
            }
        }
    }

    #[inline(always)]
    fn norm_adjoint<N: CellNumber>(
        &self,
        which: usize,
        weights: &[N::Shared],
        kept: &[N],
        d_y: &mut [N],
        d_x: &mut [N],
        d_weights: &mut [N],
    ) {
        match &self.norms {
            Some(norms) => norms[which].adjoint(weights, kept, d_y, d_x, d_weights),
            None => {
                for (x, y) in d_x.iter_mut().zip(d_y) {
                    *x = *x + *y;
                }
            }
        }
    }
}

/// Adds one stretch of the tape to a later one.
#[inline(always)]
fn add<N: CellNumber>(tape: &mut [N], from: Range<usize>, to: Range<usize>) {
    let (x, y) = split(tape, from, to);
    for (y, x) in y.iter_mut().zip(x) {
        *y = *y + *x;
    }
}
