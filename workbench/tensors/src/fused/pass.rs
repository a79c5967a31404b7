//! Forward and back through all layers for one group of prompts.
//!
//! Tokens are columns, `(d + 1, n + 1)` by rows, as in the document. Of the last layer only the query's response is needed: its products
//! have one row and one column.

use super::products::{Cell, Matrix};
use crate::architecture::{FullArchitecture, HadamardWeight, TokenRegisters};
use crate::parameters::FullParameters;
use workbench_ground::lanes::Real;
use workbench_memformer::Part;

/// How a weight is laid over a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cover {
    /// No registers.
    None,
    /// One number for each row, the same one if `every` is false.
    Rows { every: bool },
    /// One number for each entry.
    Entries,
}

/// Parameters as the pass reads them: rounded, one copy per lane.
pub(crate) struct Model<V> {
    depth: usize,
    heads: usize,
    /// d + 1.
    width: usize,
    /// n + 1.
    count: usize,
    p: Vec<V>,
    q: Vec<V>,
    cover: Cover,
    /// Weights of the pairs (l, j), `size` numbers each.
    weights: Vec<V>,
    size: usize,
}

impl<V: Cell> Model<V> {
    /// The parameters for prompts of `count` tokens.
    pub(crate) fn new(parameters: &FullParameters, count: usize) -> Model<V> {
        let architecture = parameters.architecture();
        V::vectorize(|| {
            let lanes = |values: &[f64]| values.iter().map(|v| V::splat(V::Scalar::of(*v))).collect::<Vec<V>>();
            let part = |part: Part| lanes(&parameters.values()[architecture.range(part)]);
            Model {
                depth: architecture.depth(),
                heads: architecture.heads(),
                width: architecture.dim() + 1,
                count,
                p: part(Part::UpperBlocks),
                q: part(Part::Preconditioners),
                cover: cover(&architecture),
                weights: lanes(&parameters.weights()),
                size: architecture.weight_width(),
            }
        })
    }

    /// Numbers in a gradient: all P, all Q, the weights of all pairs.
    pub(crate) fn gradient_len(&self) -> usize {
        2 * self.p.len() + self.weights.len()
    }

    /// Multiplications for one group, about.
    pub(crate) fn cost(&self) -> usize {
        let (w, t) = (self.width, self.count);
        self.depth * (6 * self.heads * w * w * w + 5 * w * w * t) * V::N
    }

    /// Layers L.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    fn square(&self) -> usize {
        self.width * self.width
    }

    fn tokens(&self) -> usize {
        self.width * self.count
    }

    /// The first row and column that later layers or the output read.
    fn corner(&self, l: usize) -> (usize, usize) {
        if l + 1 == self.depth { (self.width - 1, self.count - 1) } else { (0, 0) }
    }

    /// Where P, Q and P S of a head begin.
    fn head(&self, l: usize, h: usize) -> usize {
        (l * self.heads + h) * self.square()
    }

    /// Where the weight of a pair begins.
    fn pair(&self, l: usize, j: usize) -> usize {
        (l * (l + 1) / 2 + j) * self.size
    }
}

fn cover(architecture: &FullArchitecture) -> Cover {
    match architecture.registers() {
        TokenRegisters::None => Cover::None,
        TokenRegisters::Single => Cover::Rows { every: false },
        TokenRegisters::Separate { weight, .. } => match weight {
            HadamardWeight::Scalar => Cover::Rows { every: false },
            HadamardWeight::Rows => Cover::Rows { every: true },
            HadamardWeight::Full { .. } => Cover::Entries,
        },
    }
}

/// Room for one group, and the sums over the groups of a chunk.
pub(crate) struct Scratch<V> {
    /// Z_0 to Z_L.
    states: Vec<V>,
    /// Attn(Z_l) / n, and the adjoints of these; empty without registers.
    registers: Vec<V>,
    back: Vec<V>,
    /// S_l; P S of every head; R_l.
    moments: Vec<V>,
    read: Vec<V>,
    maps: Vec<V>,
    /// Adjoints: of the state, before and after a layer; of R; of P S, dR Q^T; of S.
    left: Vec<V>,
    next: Vec<V>,
    of_map: Vec<V>,
    of_read: Vec<V>,
    of_moments: Vec<V>,
    /// Sums of gradients.
    pub(crate) sums: Vec<V>,
}

impl<V: Cell> Scratch<V> {
    /// Room for one model.
    pub(crate) fn new(model: &Model<V>) -> Scratch<V> {
        let (square, tokens, depth) = (model.square(), model.tokens(), model.depth);
        let registers = if model.cover == Cover::None { 0 } else { depth * tokens };
        V::vectorize(|| {
            let room = |len: usize| vec![V::zero(); len];
            Scratch {
                states: room((depth + 1) * tokens),
                registers: room(registers),
                back: room(registers),
                moments: room(depth * square),
                read: room(depth * model.heads * square),
                maps: room(depth * square),
                left: room(tokens),
                next: room(tokens),
                of_map: room(square),
                of_read: room(square),
                of_moments: room(square),
                sums: room(model.gradient_len()),
            }
        })
    }

    /// Whether the room is that of `model`.
    pub(crate) fn fits(&self, model: &Model<V>) -> bool {
        let registers = if model.cover == Cover::None { 0 } else { model.depth };
        self.states.len() == (model.depth + 1) * model.tokens()
            && self.maps.len() == model.depth * model.square()
            && self.read.len() == model.p.len()
            && self.registers.len() == registers * model.tokens()
            && self.sums.len() == model.gradient_len()
    }

    /// [Z_l]_{d+1, n+1} after the forward pass.
    #[inline(always)]
    pub(crate) fn response(&self, model: &Model<V>, l: usize) -> V {
        self.states[(l + 1) * model.tokens() - 1]
    }

    /// Z_0 to Z_L; of Z_L only the query's response.
    #[inline(always)]
    pub(crate) fn forward(&mut self, model: &Model<V>, z: &[V]) {
        let (w, t, square, tokens) = (model.width, model.count, model.square(), model.tokens());
        let share = V::splat(V::Scalar::of(1.0 / (t - 1) as f64));
        self.states[..tokens].copy_from_slice(z);
        for l in 0..model.depth {
            let (row, column) = model.corner(l);
            let (rows, columns) = (w - row, t - column);
            let (before, after) = self.states.split_at_mut((l + 1) * tokens);
            let z = &before[l * tokens..];
            let next = &mut after[..tokens];
            let keys = Matrix::rows(z, t);
            let moments = &mut self.moments[l * square..][..square];
            V::multiply([w, t - 1, w], keys, keys.transposed(), moments, w, false);
            moments.iter_mut().for_each(|s| *s = s.mul(share));
            let map = &mut self.maps[l * square + row * w..(l + 1) * square];
            for h in 0..model.heads {
                let at = model.head(l, h) + row * w;
                let (p, q) = (Matrix::rows(&model.p[at..], w), Matrix::rows(&model.q[model.head(l, h)..], w));
                let read = &mut self.read[at..];
                V::multiply([rows, w, w], p, Matrix::rows(moments, w), read, w, false);
                V::multiply([rows, w, w], Matrix::rows(read, w), q, map, w, h > 0);
            }
            let from = row * t + column;
            let (map, z) = (Matrix::rows(map, w), &z[column..]);
            next[from..].copy_from_slice(&before[l * tokens + from..]);
            if model.cover == Cover::None {
                V::multiply([rows, w, columns], map, Matrix::rows(z, t), &mut next[from..], t, true);
                continue;
            }
            let register = &mut self.registers[l * tokens + from..];
            V::multiply([rows, w, columns], map, Matrix::rows(z, t), register, t, false);
            for j in 0..=l {
                let register = &self.registers[j * tokens..][..tokens];
                let weights = &model.weights[model.pair(l, j)..][..model.size];
                add_weighted(model.cover, weights, register, next, (row, column), t);
            }
        }
    }

    /// Adds the gradient of `seed` times the query's response [Z_L]_{d+1, n+1} to the sums.
    #[inline(always)]
    pub(crate) fn backward(&mut self, model: &Model<V>, seed: V) {
        let (w, t, square, tokens) = (model.width, model.count, model.square(), model.tokens());
        let (in_q, in_weights) = (model.p.len(), 2 * model.p.len());
        let share = V::splat(V::Scalar::of(1.0 / (t - 1) as f64));
        self.left.fill(V::zero());
        self.left[tokens - 1] = seed;
        self.back.fill(V::zero());
        for l in (0..model.depth).rev() {
            let (row, column) = model.corner(l);
            let (rows, columns) = (w - row, t - column);
            let from = row * t + column;
            for j in 0..if model.cover == Cover::None { 0 } else { l + 1 } {
                let register = &self.registers[j * tokens..][..tokens];
                let sums = &mut self.sums[in_weights + model.pair(l, j)..][..model.size];
                add_products(model.cover, sums, register, &self.left, (row, column), t);
                let weights = &model.weights[model.pair(l, j)..][..model.size];
                let back = &mut self.back[j * tokens..][..tokens];
                add_weighted(model.cover, weights, &self.left, back, (row, column), t);
            }
            // The adjoint of Attn / n, the state, and what belongs to the layer.
            let share_of = match model.cover {
                Cover::None => &self.left[from..],
                _ => &self.back[l * tokens + from..(l + 1) * tokens],
            };
            let given = Matrix::rows(share_of, t);
            let z = &self.states[l * tokens..][..tokens];
            let moments = Matrix::rows(&self.moments[l * square..][..square], w);
            let map = Matrix::rows(&self.maps[l * square + row * w..(l + 1) * square], w);
            V::multiply(
                [rows, columns, w],
                given,
                Matrix::rows(&z[column..], t).transposed(),
                &mut self.of_map,
                w,
                false,
            );
            let of_map = Matrix::rows(&self.of_map, w);
            for h in 0..model.heads {
                let at = model.head(l, h);
                let p = Matrix::rows(&model.p[at + row * w..], w);
                let q = Matrix::rows(&model.q[at..], w);
                V::multiply([rows, w, w], of_map, q.transposed(), &mut self.of_read, w, false);
                let of_read = Matrix::rows(&self.of_read, w);
                V::multiply([rows, w, w], of_read, moments, &mut self.sums[at + row * w..], w, true);
                let read = Matrix::rows(&self.read[at + row * w..], w);
                V::multiply([w, rows, w], read.transposed(), of_map, &mut self.sums[in_q + at..], w, true);
                V::multiply([w, rows, w], p.transposed(), of_read, &mut self.of_moments, w, h > 0);
            }
            if l == 0 {
                break; // Nothing is asked of Z_0.
            }
            self.next.copy_from_slice(&self.left);
            V::multiply([w, rows, columns], map.transposed(), given, &mut self.next[column..], t, true);
            // dK = (dS + dS^T) K / n.
            for i in 0..w {
                for j in 0..=i {
                    let both = self.of_moments[i * w + j].add(self.of_moments[j * w + i]).mul(share);
                    self.of_moments[i * w + j] = both;
                    self.of_moments[j * w + i] = both;
                }
            }
            let both = Matrix::rows(&self.of_moments, w);
            V::multiply([w, w, t - 1], both, Matrix::rows(z, t), &mut self.next, t, true);
            std::mem::swap(&mut self.left, &mut self.next);
        }
    }
}

/// y += weights o x, from a row and a column on.
#[inline(always)]
fn add_weighted<V: Cell>(cover: Cover, weights: &[V], x: &[V], y: &mut [V], (row, column): (usize, usize), t: usize) {
    let rows = x.chunks_exact(t).zip(y.chunks_exact_mut(t)).enumerate().skip(row);
    for (i, (x, y)) in rows {
        let (x, y) = (&x[column..], &mut y[column..]);
        match cover {
            Cover::Entries => {
                let weights = &weights[i * t + column..][..x.len()];
                for ((y, x), weight) in y.iter_mut().zip(x).zip(weights) {
                    *y = y.plus(*weight, *x);
                }
            }
            Cover::Rows { every } => {
                let weight = weights[if every { i } else { 0 }];
                for (y, x) in y.iter_mut().zip(x) {
                    *y = y.plus(weight, *x);
                }
            }
            Cover::None => {}
        }
    }
}

/// sums += x o y, added up over the entries that share a weight.
#[inline(always)]
fn add_products<V: Cell>(cover: Cover, sums: &mut [V], x: &[V], y: &[V], (row, column): (usize, usize), t: usize) {
    let rows = x.chunks_exact(t).zip(y.chunks_exact(t)).enumerate().skip(row);
    for (i, (x, y)) in rows {
        let (x, y) = (&x[column..], &y[column..]);
        match cover {
            Cover::Entries => {
                let sums = &mut sums[i * t + column..][..x.len()];
                for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
                    *sum = sum.plus(*x, *y);
                }
            }
            Cover::Rows { every } => {
                let sum = &mut sums[if every { i } else { 0 }];
                *sum = x.iter().zip(y).fold(*sum, |sum, (x, y)| sum.plus(*x, *y));
            }
            Cover::None => {}
        }
    }
}
