//! The model without registers in moments alone: forward and back through all layers for one group of prompts.
//!
//! $Z_{l+1}=(I+R_l)Z_l$ for all columns alike, so with $T_l=(I+R_l)^\top=I+\sum_hQ_h^\top S_lP_h^\top$ the moments and the query's column go
//! on by $S_{l+1}=T_l^\top S_lT_l$ and $z_{l+1}=T_l^\top z_l$: no product runs over the tokens. The factors stand so that a product reads its
//! second one by rows and, where it can, its first one by columns; a row takes `stride` entries, of which those after the width are zero.

use super::products::{Cell, Matrix};
use crate::parameters::FullParameters;
use workbench_ground::lanes::{Real, transpose};
use workbench_memformer::Part;

/// Parameters as the recursion reads them: rounded, one copy per lane, rows `stride` apart.
pub(crate) struct Layers<V> {
    depth: usize,
    heads: usize,
    width: usize,
    stride: usize,
    p: Vec<V>,
    /// Each P and each Q transposed.
    turned_p: Vec<V>,
    turned_q: Vec<V>,
    q: Vec<V>,
}

impl<V: Cell> Layers<V> {
    pub(crate) fn new(parameters: &FullParameters) -> Layers<V> {
        let architecture = parameters.architecture();
        let (width, stride) = (architecture.dim() + 1, V::stride(architecture.dim() + 1));
        V::vectorize(|| {
            let matrices = |part: Part, turned: bool| {
                let values = &parameters.values()[architecture.range(part)];
                let mut out = vec![V::zero(); values.len() / width * stride];
                let (row, column) = if turned { (1, stride) } else { (stride, 1) };
                for (from, to) in values.chunks_exact(width * width).zip(out.chunks_exact_mut(width * stride)) {
                    for (i, from) in from.chunks_exact(width).enumerate() {
                        for (to, value) in to[i * row..].iter_mut().step_by(column).zip(from) {
                            *to = V::splat(V::Scalar::of(*value));
                        }
                    }
                }
                out
            };
            Layers {
                depth: architecture.depth(),
                heads: architecture.heads(),
                width,
                stride,
                p: matrices(Part::UpperBlocks, false),
                turned_p: matrices(Part::UpperBlocks, true),
                turned_q: matrices(Part::Preconditioners, true),
                q: matrices(Part::Preconditioners, false),
            }
        })
    }

    /// Multiplications for one group, about.
    pub(crate) fn cost(&self) -> usize {
        self.depth * (6 * self.heads + 5) * self.width.pow(3) * V::N
    }

    /// Entries of all P; as many are of all Q.
    pub(crate) fn entries(&self) -> usize {
        self.p.len()
    }

    fn square(&self) -> usize {
        self.width * self.stride
    }

    /// Where the matrices of a head begin.
    fn head(&self, l: usize, h: usize) -> usize {
        (l * self.heads + h) * self.square()
    }

    fn matrix<'a>(&self, entries: &'a [V]) -> Matrix<'a, V> {
        Matrix::rows(entries, self.stride)
    }

    /// c = a b, or c += a b, for squares.
    fn product(&self, a: Matrix<'_, V>, b: &[V], c: &mut [V], add: bool) {
        V::multiply([self.width, self.width, V::columns(self.width)], a, self.matrix(b), c, self.stride, add);
    }

    /// The row a^T b.
    fn row(&self, a: &[V], b: &[V], c: &mut [V], add: bool) {
        V::multiply([1, self.width, self.stride], self.matrix(a), self.matrix(b), c, self.stride, add);
    }

    /// c = a b^T, or c += a b^T, for columns a and b.
    fn outer(&self, a: &[V], b: &[V], c: &mut [V], add: bool) {
        let column = Matrix { entries: a, steps: [1, 1] };
        V::multiply([self.width, 1, self.stride], column, self.matrix(b), c, self.stride, add);
    }

    fn transpose(&self, from: &[V], to: &mut [V]) {
        transpose([self.width; 2], (from, self.stride), (to, self.stride));
    }
}

/// Room for one group.
pub(crate) struct MomentScratch<V> {
    /// S_l and T_l of each layer but the last, of which there is S only; S P^T of every head.
    moments: Vec<V>,
    maps: Vec<V>,
    read: Vec<V>,
    /// S T on the way forward, T times the adjoint of S on the way back.
    carried: Vec<V>,
    /// z_0 to z_{L-1}, and [z_L]_{d+1}.
    queries: Vec<V>,
    answer: V,
    /// Of the last layer: the last row of P S for each head, Q z, and the last row of R.
    last_read: Vec<V>,
    last_query: Vec<V>,
    last_map: Vec<V>,
    /// Something transposed.
    turned: Vec<V>,
    /// Adjoints: of T; of S P^T; of S, times two; what a layer's heads add to that, before its symmetric part is taken; of z.
    of_map: Vec<V>,
    of_read: Vec<V>,
    of_moments: Vec<V>,
    part: Vec<V>,
    of_query: Vec<V>,
    row: Vec<V>,
}

impl<V: Cell> MomentScratch<V> {
    /// Room for one model.
    pub(crate) fn new(layers: &Layers<V>) -> MomentScratch<V> {
        let (square, stride, depth) = (layers.square(), layers.stride, layers.depth);
        V::vectorize(|| {
            let room = |len: usize| vec![V::zero(); len];
            MomentScratch {
                moments: room(depth * square),
                maps: room((depth - 1) * square),
                carried: room(square),
                read: room((depth - 1) * layers.heads * square),
                queries: room(depth * stride),
                answer: V::zero(),
                last_read: room(layers.heads * stride),
                last_query: room(layers.width),
                last_map: room(stride),
                of_map: room(square),
                turned: room(square),
                of_read: room(square),
                of_moments: room(square),
                part: room(square),
                of_query: room(stride),
                row: room(stride),
            }
        })
    }

    /// Whether the room is that of a model.
    pub(crate) fn fits(&self, layers: &Layers<V>) -> bool {
        self.moments.len() == layers.depth * layers.square() && self.last_read.len() == layers.heads * layers.stride
    }

    /// [z_L]_{d+1} after the forward pass.
    #[inline(always)]
    pub(crate) fn answer(&self) -> V {
        self.answer
    }

    /// [z_l]_{d+1} after the forward pass.
    #[inline(always)]
    pub(crate) fn response(&self, layers: &Layers<V>, l: usize) -> V {
        if l == layers.depth { self.answer } else { self.queries[l * layers.stride + layers.width - 1] }
    }

    /// From the moments and the query's column of Z_0 to the response.
    #[inline(always)]
    pub(crate) fn forward(&mut self, layers: &Layers<V>, moments: &[V], query: &[V]) {
        let (w, stride, square) = (layers.width, layers.stride, layers.square());
        self.moments[..square].copy_from_slice(moments);
        self.queries[..stride].copy_from_slice(query);
        for l in 0..layers.depth - 1 {
            let (before, after) = self.moments.split_at_mut((l + 1) * square);
            let symmetric = layers.matrix(&before[l * square..]).transposed();
            let (map, carried) = (&mut self.maps[l * square..][..square], &mut self.carried);
            for h in 0..layers.heads {
                let at = layers.head(l, h);
                let read = &mut self.read[at..][..square];
                layers.product(symmetric, &layers.turned_p[at..], read, false);
                layers.product(layers.matrix(&layers.q[at..]).transposed(), read, map, h > 0);
            }
            for diagonal in map.iter_mut().step_by(stride + 1) {
                *diagonal = diagonal.add(V::splat(V::Scalar::of(1.0)));
            }
            layers.product(symmetric, map, carried, false);
            layers.product(layers.matrix(map).transposed(), carried, &mut after[..square], false);
            let (query, next) = self.queries.split_at_mut((l + 1) * stride);
            layers.row(&query[l * stride..], map, &mut next[..stride], false);
        }
        let l = layers.depth - 1;
        let (moments, query) = (&self.moments[l * square..], &self.queries[l * stride..]);
        for h in 0..layers.heads {
            let (at, read) = (layers.head(l, h), &mut self.last_read[h * stride..][..stride]);
            layers.row(&layers.p[at + (w - 1) * stride..], moments, read, false);
            layers.row(read, &layers.q[at..], &mut self.last_map, h > 0);
        }
        self.answer = self.last_map.iter().zip(query).fold(query[w - 1], |sum, (r, z)| sum.plus(*r, *z));
    }

    /// Adds the gradient of `seed` times the response to the sums, of all P transposed and of all Q, or begins them if it is the first.
    #[inline(always)]
    pub(crate) fn backward(&mut self, layers: &Layers<V>, seed: V, sums: &mut [V], first: bool) {
        let (of_p, of_q) = sums.split_at_mut(layers.entries());
        self.last_back(layers, seed, of_p, of_q, first);
        let (stride, square) = (layers.stride, layers.square());
        for l in (0..layers.depth - 1).rev() {
            let moments = layers.matrix(&self.moments[l * square..]).transposed();
            layers.transpose(&self.maps[l * square..], &mut self.turned);
            layers.product(layers.matrix(&self.turned).transposed(), &self.of_moments, &mut self.carried, false);
            layers.product(moments, &self.carried, &mut self.of_map, false);
            layers.outer(&self.queries[l * stride..], &self.of_query, &mut self.of_map, true);
            if l > 0 {
                layers.product(layers.matrix(&self.carried), &self.turned, &mut self.of_moments, false);
                layers.row(&self.of_query, &self.turned, &mut self.row, false);
                std::mem::swap(&mut self.of_query, &mut self.row);
            }
            layers.transpose(&self.of_map, &mut self.turned);
            for h in 0..layers.heads {
                let at = layers.head(l, h);
                let q = layers.matrix(&layers.turned_q[at..]).transposed();
                layers.product(q, &self.of_map, &mut self.of_read, false);
                layers.product(layers.matrix(&self.read[at..]), &self.turned, &mut of_q[at..], !first);
                layers.product(moments, &self.of_read, &mut of_p[at..], !first);
                if l > 0 {
                    layers.product(layers.matrix(&self.of_read), &layers.p[at..], &mut self.part, h > 0);
                }
            }
            // Nothing is asked of Z_0.
            if l > 0 {
                self.add_symmetric(layers);
            }
        }
    }

    /// Through the last layer, of which only the response counts.
    #[inline(always)]
    fn last_back(&mut self, layers: &Layers<V>, seed: V, of_p: &mut [V], of_q: &mut [V], first: bool) {
        let (w, stride, square, l) = (layers.width, layers.stride, layers.square(), layers.depth - 1);
        let (moments, query) = (&self.moments[l * square..], &self.queries[l * stride..]);
        self.row.iter_mut().zip(query).for_each(|(to, z)| *to = seed.mul(*z));
        if first {
            of_p[layers.head(l, 0)..].fill(V::zero());
        }
        for h in 0..layers.heads {
            let at = layers.head(l, h);
            let column = Matrix { entries: &self.row[..], steps: [1, 1] };
            V::multiply([w, w, 1], layers.matrix(&layers.q[at..]), column, &mut self.last_query, 1, false);
            layers.outer(&self.last_read[h * stride..], &self.row, &mut of_q[at..], !first);
            self.of_query[..w].copy_from_slice(&self.last_query);
            layers.outer(&layers.p[at + (w - 1) * stride..], &self.of_query, &mut self.part, h > 0);
            layers.row(&self.last_query, moments, &mut self.of_query, false);
            for (sum, value) in of_p[at + w - 1..].iter_mut().step_by(stride).zip(&self.of_query[..w]) {
                *sum = sum.add(*value);
            }
        }
        self.of_query.iter_mut().zip(&self.last_map).for_each(|(to, r)| *to = seed.mul(*r));
        self.of_query[w - 1] = self.of_query[w - 1].add(seed);
        self.of_moments.fill(V::zero());
        self.add_symmetric(layers);
    }

    /// Adds the part found for the adjoint of S, and its transpose.
    #[inline(always)]
    fn add_symmetric(&mut self, layers: &Layers<V>) {
        layers.transpose(&self.part, &mut self.turned);
        let both = self.part.iter().zip(&self.turned);
        self.of_moments.iter_mut().zip(both).for_each(|(sum, (part, turned))| *sum = sum.add(part.add(*turned)));
    }
}
