//! Blocks of a transformer with their gradients, by hand.

use workbench_ground::check;

use super::ModelNumber;
use super::layers::{Linear, Norm, Normed, gelu, gelu_backward, softmax};
use super::layout::InitialLayout;
use super::matrix::multiply_by_transpose;
use crate::Error;

/// Sizes of a transformer: the columns of the document's Tables 1 and 2, and the head dimension that B.1 draws apart from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Numbers in each position, the document's "hidden dimension".
    pub width: usize,
    /// Blocks, "layers".
    pub layers: usize,
    /// Heads of each attention.
    pub heads: usize,
    /// Numbers that one head compares; `heads` times it need not be the width.
    pub head_width: usize,
    /// Hidden units of the fully connected part, "MLP dimension".
    pub mlp_width: usize,
}

impl Sizes {
    pub(super) fn check(&self, op: &'static str) -> Result<(), Error> {
        check::positive(op, "width", self.width)?;
        check::positive(op, "number of layers", self.layers)?;
        check::positive(op, "number of heads", self.heads)?;
        check::positive(op, "head width", self.head_width)?;
        check::positive(op, "mlp width", self.mlp_width)
    }

    /// Parameters of the blocks and of the norm after them. With $d$ the width, $e$ heads times head width, $f$ the mlp width:
    /// $l\,(3e(d+1)+d(e+1)+f(d+1)+d(f+1)+4d)+2d$.
    pub fn parameters(&self) -> usize {
        let (d, e, f) = (self.width, self.heads * self.head_width, self.mlp_width);
        self.layers * (3 * e * (d + 1) + d * (e + 1) + f * (d + 1) + d * (f + 1) + 4 * d) + 2 * d
    }
}

/// Rows that are computed at once: with them, what a pass keeps is some hundred kilobytes.
pub(super) const ROWS: usize = 256;

/// $x\leftarrow x+A(\operatorname{norm} x)$, $x\leftarrow x+M(\operatorname{norm} x)$ for each block, and a norm at the end; no dropout,
/// every position attends to every other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transformer {
    blocks: Vec<Block>,
    norm: Norm,
}

#[derive(Clone, Debug, PartialEq)]
struct Block {
    before_attention: Norm,
    attention: Attention,
    before_mlp: Norm,
    up: Linear,
    down: Linear,
}

/// What a forward pass keeps for the gradient.
pub(super) struct Kept<N> {
    blocks: Vec<KeptBlock<N>>,
    norm: Normed<N>,
}

struct KeptBlock<N> {
    before_attention: Normed<N>,
    attended: Vec<N>,
    attention: KeptAttention<N>,
    before_mlp: Normed<N>,
    normed: Vec<N>,
    hidden: Vec<N>,
    gated: Vec<N>,
}

impl Transformer {
    pub fn new(layout: &mut InitialLayout, sizes: &Sizes) -> Transformer {
        let Sizes { width, mlp_width, .. } = *sizes;
        let blocks = (0..sizes.layers).map(|at| Block {
            before_attention: Norm::new(layout, &format!("blocks.{at}.norm1"), width),
            attention: Attention::new(layout, &format!("blocks.{at}.attention"), sizes),
            before_mlp: Norm::new(layout, &format!("blocks.{at}.norm2"), width),
            up: Linear::new(layout, &format!("blocks.{at}.mlp.up"), width, mlp_width),
            down: Linear::new(layout, &format!("blocks.{at}.mlp.down"), mlp_width, width),
        });
        let blocks = blocks.collect();
        let norm = Norm::new(layout, "norm", width);
        Transformer { blocks, norm }
    }

    /// `x` has `length` rows for each example, one after the other.
    pub fn forward<N: ModelNumber>(&self, theta: &[N], mut x: Vec<N>, length: usize) -> (Vec<N>, Kept<N>) {
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            blocks.push(block.forward(theta, &mut x, length));
        }
        let (y, norm) = self.norm.forward(theta, &x);
        (y, Kept { blocks, norm })
    }

    /// Gives back the gradient in what came in. Without `gradient`, the weights count as constants.
    pub fn backward<N: ModelNumber>(
        &self,
        theta: &[N],
        kept: &Kept<N>,
        dy: &[N],
        length: usize,
        mut gradient: Option<&mut [N]>,
    ) -> Vec<N> {
        let mut dx = self.norm.backward(theta, &kept.norm, dy, gradient.as_deref_mut());
        for (block, kept) in self.blocks.iter().zip(&kept.blocks).rev() {
            block.backward(theta, kept, &mut dx, length, gradient.as_deref_mut());
        }
        dx
    }
}

fn add<N: ModelNumber>(x: &mut [N], y: &[N]) {
    x.iter_mut().zip(y).for_each(|(x, &y)| *x += y);
}

impl Block {
    fn forward<N: ModelNumber>(&self, theta: &[N], x: &mut [N], length: usize) -> KeptBlock<N> {
        let (attended, before_attention) = self.before_attention.forward(theta, x);
        let (y, attention) = self.attention.forward(theta, &attended, length);
        add(x, &y);
        let (normed, before_mlp) = self.before_mlp.forward(theta, x);
        let hidden = self.up.forward(theta, &normed);
        let gated = gelu(&hidden);
        add(x, &self.down.forward(theta, &gated));
        KeptBlock { before_attention, attended, attention, before_mlp, normed, hidden, gated }
    }

    fn backward<N: ModelNumber>(
        &self,
        theta: &[N],
        kept: &KeptBlock<N>,
        dx: &mut [N],
        length: usize,
        mut gradient: Option<&mut [N]>,
    ) {
        let mut dy = self.down.backward(theta, &kept.gated, dx, gradient.as_deref_mut());
        gelu_backward(&kept.hidden, &mut dy);
        let dy = self.up.backward(theta, &kept.normed, &dy, gradient.as_deref_mut());
        add(dx, &self.before_mlp.backward(theta, &kept.before_mlp, &dy, gradient.as_deref_mut()));
        let attention = (&kept.attended[..], &kept.attention);
        let dy = self.attention.backward(theta, attention, dx, length, gradient.as_deref_mut());
        add(dx, &self.before_attention.backward(theta, &kept.before_attention, &dy, gradient));
    }
}

/// $\operatorname{softmax}(QK^\top/\sqrt{w})\,V$ for each head of width $w$, then a fully connected layer. $Q$, $K$ and $V$ of all heads
/// are one fully connected layer, in this order.
///
/// **Start**: both layers as `Linear`; PyTorch's `MultiheadAttention` differs (Xavier for the first, biases 0).
#[derive(Clone, Debug, PartialEq)]
struct Attention {
    inner: Linear,
    outer: Linear,
    heads: usize,
    width: usize,
}

struct KeptAttention<N> {
    inner: Vec<N>,
    /// For each example and head, `length` rows.
    weights: Vec<N>,
    mixed: Vec<N>,
}

impl Attention {
    fn new(layout: &mut InitialLayout, name: &str, sizes: &Sizes) -> Attention {
        let all = sizes.heads * sizes.head_width;
        Attention {
            inner: Linear::new(layout, &format!("{name}.qkv"), sizes.width, 3 * all),
            outer: Linear::new(layout, &format!("{name}.out"), all, sizes.width),
            heads: sizes.heads,
            width: sizes.head_width,
        }
    }

    fn scale<N: ModelNumber>(&self) -> N {
        N::of(1.0 / (self.width as f64).sqrt())
    }

    /// Numbers of one row of queries, keys or values, over all heads.
    fn all(&self) -> usize {
        self.heads * self.width
    }

    /// Queries, keys or values (`which`) of one head of one example: `length` rows.
    fn gather<N: ModelNumber>(&self, rows: &[N], which: usize, head: usize) -> Vec<N> {
        let at = which * self.all() + head * self.width;
        let mut out = Vec::with_capacity(rows.len() / 3 / self.heads);
        for row in rows.chunks_exact(3 * self.all()) {
            out.extend_from_slice(&row[at..at + self.width]);
        }
        out
    }

    fn forward<N: ModelNumber>(&self, theta: &[N], x: &[N], length: usize) -> (Vec<N>, KeptAttention<N>) {
        let (all, width) = (self.all(), self.width);
        let inner = self.inner.forward(theta, x);
        let mut mixed = vec![N::default(); inner.len() / 3];
        let mut weights = vec![N::default(); inner.len() / (3 * all) * length * self.heads];
        let mut each = weights.chunks_exact_mut(length * length);
        for (rows, mixed) in inner.chunks_exact(3 * all * length).zip(mixed.chunks_exact_mut(all * length)) {
            for (head, weights) in each.by_ref().take(self.heads).enumerate() {
                let mut queries = self.gather(rows, 0, head);
                queries.iter_mut().for_each(|value| *value *= self.scale());
                multiply_by_transpose([length, width, length], &queries, &self.gather(rows, 1, head), weights);
                softmax(weights, length);
                let mut values = vec![N::default(); length * width];
                N::multiply::<false>([length, length, width], weights, &self.gather(rows, 2, head), &mut values);
                for (out, row) in mixed.chunks_exact_mut(all).zip(values.chunks_exact(width)) {
                    out[head * width..(head + 1) * width].copy_from_slice(row);
                }
            }
        }
        let y = self.outer.forward(theta, &mixed);
        (y, KeptAttention { inner, weights, mixed })
    }

    fn backward<N: ModelNumber>(
        &self,
        theta: &[N],
        (x, kept): (&[N], &KeptAttention<N>),
        dy: &[N],
        length: usize,
        mut gradient: Option<&mut [N]>,
    ) -> Vec<N> {
        let (all, width) = (self.all(), self.width);
        let dmixed = self.outer.backward(theta, &kept.mixed, dy, gradient.as_deref_mut());
        let mut dinner = vec![N::default(); kept.inner.len()];
        let mut each = kept.weights.chunks_exact(length * length);
        let examples = kept.inner.chunks_exact(3 * all * length).zip(dmixed.chunks_exact(all * length));
        for ((rows, dmixed), dinner) in examples.zip(dinner.chunks_exact_mut(3 * all * length)) {
            for (head, weights) in each.by_ref().take(self.heads).enumerate() {
                let mut dhead = Vec::with_capacity(length * width);
                for row in dmixed.chunks_exact(all) {
                    dhead.extend_from_slice(&row[head * width..(head + 1) * width]);
                }
                let parts = self.head_backward(rows, head, weights, &dhead, length);
                for (at, row) in dinner.chunks_exact_mut(3 * all).enumerate() {
                    for (which, part) in parts.iter().enumerate() {
                        let start = which * all + head * width;
                        row[start..start + width].copy_from_slice(&part[at * width..(at + 1) * width]);
                    }
                }
            }
        }
        self.inner.backward(theta, x, &dinner, gradient)
    }

    /// Gradients in queries, keys and values of one head of one example:
    /// $\mathrm dV=P^\top\mathrm dO$, $\mathrm dS=P\circ(\mathrm dO\,V^\top-\text{row sums of }P\circ\mathrm dO\,V^\top)$,
    /// $\mathrm dQ=\mathrm dS\,K/\sqrt w$, $\mathrm dK=\mathrm dS^\top Q/\sqrt w$.
    fn head_backward<N: ModelNumber>(
        &self,
        rows: &[N],
        head: usize,
        weights: &[N],
        dhead: &[N],
        length: usize,
    ) -> [Vec<N>; 3] {
        let width = self.width;
        let [mut dq, mut dk, mut dv] = [0; 3].map(|_| vec![N::default(); length * width]);
        N::multiply::<true>([length, length, width], weights, dhead, &mut dv);
        let mut scores = vec![N::default(); length * length];
        multiply_by_transpose([length, width, length], dhead, &self.gather(rows, 2, head), &mut scores);
        for (row, weights) in scores.chunks_exact_mut(length).zip(weights.chunks_exact(length)) {
            let mut mean = N::default();
            row.iter().zip(weights).for_each(|(&d, &weight)| mean += d * weight);
            row.iter_mut().zip(weights).for_each(|(d, &weight)| *d = weight * (*d - mean) * self.scale());
        }
        N::multiply::<false>([length, length, width], &scores, &self.gather(rows, 1, head), &mut dq);
        N::multiply::<true>([length, length, width], &scores, &self.gather(rows, 0, head), &mut dk);
        [dq, dk, dv]
    }
}
