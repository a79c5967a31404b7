//! A layer of softmax attention (Eq. 2.2), forward and back, for all prompts at once.
//!
//! With tokens in rows T `(t, w)`, U_h = T Q_h^T and V_h = T P_h^T, a layer adds G = sum_h A_h V_h / n, where A_h is the softmax of U_h T^T
//! over all tokens, with zeros for the query. All heads go together: rows of tokens and heads are multiplied by keys, and columns of keys
//! and heads by values, so that a product sums over heads where the sum is wanted. One product makes U and V, and one reads their adjoints,
//! which take their place.

use super::pass::{Chunk, Room};
use super::plan::Sizes;
use super::product::{Block, Product};
use super::soften::{Harden, Keys, Soften};
use super::weights::Places;
use candle_core::{Device, Result, Tensor};

/// Room for what belongs to scores.
pub(super) struct Scores {
    /// T_0 to T_{L-1}, one after the other.
    pub(super) states: Tensor,
    /// U and V of all layers, later their adjoints: `(L, B, t, H, 2, w)`.
    pub(super) both: Tensor,
    /// A of all layers, `(L, B, t, H, t)`: by keys, then by heads and tokens that read them.
    weights: Tensor,
    /// The adjoint of A of a layer.
    of_weights: Tensor,
    /// The scores of a layer, later their adjoint, `(B, t, t, H)`: by keys, then by tokens that read them and heads.
    scores: Tensor,
}

impl Scores {
    /// Empty room.
    pub(super) fn new(sizes: &Sizes, device: &Device) -> Result<Scores> {
        let dtype = crate::device::processor::dtype(sizes.precision);
        let room = |numbers: usize| Tensor::zeros(numbers * sizes.prompts, dtype, device);
        Ok(Scores {
            states: room(sizes.depth * sizes.state())?,
            both: room(2 * sizes.depth * sizes.heads * sizes.state())?,
            weights: room(sizes.depth * sizes.scores())?,
            of_weights: room(sizes.scores())?,
            scores: room(sizes.scores())?,
        })
    }

    /// T_l, if it is one of those that a layer reads.
    pub(super) fn state(&self, sizes: &Sizes, l: usize) -> Result<Tensor> {
        let all = sizes.prompts * sizes.state();
        self.states.narrow(0, l * all, all)
    }
}

/// Where the blocks of a layer lie.
struct At<'a>(&'a Sizes, usize);

impl At<'_> {
    /// U and V of all heads as rows of all tokens.
    fn both(&self) -> Block {
        let Sizes { width: w, tokens: t, prompts: b, heads, .. } = *self.0;
        Block::new(b * t, 2 * heads * w).at(self.1 * b * t * 2 * heads * w)
    }

    /// The matrix that makes them, `(w, 2 H w)`.
    fn maps(&self) -> Block {
        Block::new(self.0.width, 2 * self.0.heads * self.0.width).at(Places::new(*self.0).map(self.1))
    }

    /// U (`which` 0) or V (1) of each prompt: a row for each token and head.
    fn one(&self, which: usize) -> Block {
        let (w, rows) = (self.0.width, self.0.tokens * self.0.heads);
        Block::new(rows, w).rows_every(2 * w).every(2 * rows * w).at(self.both().from + which * w)
    }

    /// Scores, or their adjoint: a row for each key, with columns for each token and head.
    fn scores(&self) -> Block {
        let t = self.0.tokens;
        Block::new(t, t * self.0.heads).every(self.0.scores())
    }

    /// Weights, or their adjoint: a row for each key and head.
    fn weights(&self) -> Block {
        let t = self.0.tokens;
        Block::new(t * self.0.heads, t).every(self.0.scores())
    }

    /// The rows of those keys that are read.
    fn read(&self, mut rows: Block) -> Block {
        rows.size[0] -= self.0.heads;
        rows
    }

    /// Where the weights of all prompts begin.
    fn first(&self) -> usize {
        self.1 * self.0.prompts * self.0.scores()
    }

    fn keys(&self) -> Keys {
        Keys { prompts: self.0.prompts, count: self.0.tokens, keys: self.0.tokens - 1, heads: self.0.heads }
    }
}

impl Room {
    /// G_l, from `now` = T_l into `to`, from entry `at` on; added to what is there without registers.
    pub(super) fn attend(
        &self,
        scores: &Scores,
        chunk: &Chunk,
        (l, now): (usize, &Tensor),
        (to, at): (&Tensor, usize),
        weights: &Tensor,
    ) -> Result<()> {
        let (sizes, place) = (&self.sizes, At(&self.sizes, l));
        let b = sizes.prompts;
        let tokens = Block::new(sizes.tokens, sizes.width).every(sizes.state());
        let rows = Block::new(b * sizes.tokens, sizes.width);
        Product::new(1, place.both(), rows, place.maps()).run(&scores.both, now, weights)?;
        Product::new(b, place.scores(), tokens, place.one(0).transposed()).run(&scores.scores, now, &scores.both)?;
        let soften = Soften { over: place.keys(), to: place.first() };
        soften.run(&scores.weights, &scores.scores)?;
        let reads = place.weights().at(place.first()).transposed();
        Product::new(b, tokens.at(at), reads, place.one(1)).times(chunk.share).adding(self.registers.is_none()).run(
            to,
            &scores.weights,
            &scores.both,
        )
    }

    /// From the adjoint `given` of G_l to those of U and V, and to that of T_l in `to` from entry `at` on, if there is one; without registers
    /// that is `given` itself, and is added to.
    pub(super) fn attend_back(
        &self,
        scores: &Scores,
        chunk: &Chunk,
        (l, now): (usize, &Tensor),
        given: &Tensor,
        to: Option<(&Tensor, usize)>,
        weights: &Tensor,
    ) -> Result<()> {
        let (sizes, place) = (&self.sizes, At(&self.sizes, l));
        let b = sizes.prompts;
        let tokens = Block::new(sizes.tokens, sizes.width).every(sizes.state());
        Product::new(b, place.read(place.weights()), place.read(place.one(1)), tokens.transposed())
            .times(chunk.share)
            .run(&scores.of_weights, &scores.both, given)?;
        let harden = Harden { over: place.keys(), from: place.first() };
        harden.run(&scores.scores, &scores.weights, &scores.of_weights)?;
        // The weights of the query as a key are zeros, and so is the adjoint of its value.
        Product::new(b, place.one(1), place.weights().at(place.first()), tokens).times(chunk.share).run(
            &scores.both,
            &scores.weights,
            given,
        )?;
        if let Some((to, at)) = to {
            Product::new(b, tokens.at(at), place.scores(), place.one(0)).adding(self.registers.is_none()).run(
                to,
                &scores.scores,
                &scores.both,
            )?;
        }
        Product::new(b, place.one(0), place.scores().transposed(), tokens).run(&scores.both, &scores.scores, now)?;
        match to {
            Some((to, at)) => {
                let rows = Block::new(b * sizes.tokens, sizes.width).at(at);
                let maps = place.maps().transposed();
                Product::new(1, rows, place.both(), maps).adding(true).run(to, &scores.both, weights)
            }
            None => Ok(()),
        }
    }

    /// The sums by groups of T^T (dU, dV), of all layers at once.
    pub(super) fn attended(&self, scores: &Scores, first: bool) -> Result<()> {
        let sizes = &self.sizes;
        let (w, per) = (sizes.width, sizes.prompts / sizes.groups * sizes.tokens);
        let across = 2 * sizes.heads * w;
        let to = Block::new(w, across).every(Places::new(*sizes).map_sum_len());
        let states = Block::new(per, w).every(per * w).transposed();
        let adjoints = Block::new(per, across).every(per * across);
        Product::new(sizes.depth * sizes.groups, to, states, adjoints).adding(!first).run(
            &self.of_maps,
            &scores.states,
            &scores.both,
        )
    }
}
