//! A layer of softmax attention (Eq. 2.2), forward and back, for all prompts at once.
//!
//! With tokens in rows T `(t, w)`, U_h = T Q_h^T and V_h = T P_h^T, a layer adds G = sum_h A_h V_h / n, where A_h is the softmax of U_h T^T
//! over all tokens, with zeros for the query. One product makes U and V of all heads, and one reads their adjoints, which take their place;
//! scores, their weights and what they read are products for each head.

use super::kernels::{Columns, Harden, Soften};
use super::pass::{Chunk, Room};
use super::plan::Sizes;
use super::product::{Block, Product};
use super::weights::Places;
use candle_core::{Device, Result, Tensor};

/// Room for what belongs to scores.
pub(super) struct Scores {
    /// T_0 to T_{L-1}, one after the other.
    pub(super) states: Tensor,
    /// U and V of all layers, later their adjoints: `(L, B, t, 2, H, w)`.
    pub(super) both: Tensor,
    /// A of all layers, `(L, B, t, H, t)`: by keys, then by heads and tokens that read them.
    weights: Tensor,
    /// The scores of a layer, later the adjoint of A and of the scores.
    scores: Tensor,
}

impl Scores {
    /// Empty room.
    pub(super) fn new(sizes: &Sizes, device: &Device) -> Result<Scores> {
        let dtype = crate::processor::dtype(sizes.precision);
        let room = |numbers: usize| Tensor::zeros(numbers * sizes.prompts, dtype, device);
        Ok(Scores {
            states: room(sizes.depth * sizes.state())?,
            both: room(2 * sizes.depth * sizes.heads * sizes.state())?,
            weights: room(sizes.depth * sizes.scores())?,
            scores: room(sizes.scores())?,
        })
    }

    /// T_l, if it is one of those that a layer reads.
    pub(super) fn state(&self, sizes: &Sizes, l: usize) -> Result<Tensor> {
        let all = sizes.prompts * sizes.state();
        self.states.narrow(0, l * all, all)
    }
}

/// Where the blocks of a layer and a head lie.
struct At<'a>(&'a Sizes, usize);

impl At<'_> {
    /// U and V of all heads as rows of all tokens.
    fn both(&self) -> Block {
        let Sizes {
            width: w,
            tokens: t,
            prompts: b,
            heads,
            ..
        } = *self.0;
        Block::new(b * t, 2 * heads * w).at(self.1 * b * t * 2 * heads * w)
    }

    /// The matrix that makes them, `(w, 2 H w)`.
    fn maps(&self) -> Block {
        Block::new(self.0.width, 2 * self.0.heads * self.0.width).at(Places::new(*self.0).map(self.1))
    }

    /// U_h (`which` 0) or V_h (1) of each prompt.
    fn one(&self, which: usize, h: usize) -> Block {
        let Sizes {
            width: w,
            tokens: t,
            heads,
            ..
        } = *self.0;
        let row = 2 * heads * w;
        Block::new(t, w)
            .rows_every(row)
            .every(t * row)
            .at(self.both().from + (which * heads + h) * w)
    }

    /// Scores of a head, or what stands in their place: a row for each token that reads, which lie as columns.
    fn scores(&self, h: usize) -> Block {
        let (t, heads) = (self.0.tokens, self.0.heads);
        let by_keys = Block::new(t, t).rows_every(heads * t).every(self.0.scores());
        by_keys.at(h * t).turned()
    }

    fn weights(&self, h: usize) -> Block {
        let scores = self.scores(h);
        scores.at(scores.from + self.1 * self.0.prompts * self.0.scores())
    }

    fn columns(&self) -> Columns {
        let (t, heads) = (self.0.tokens, self.0.heads);
        Columns {
            all: self.0.prompts * heads * t,
            count: t,
            keys: t - 1,
            each: heads * t,
        }
    }
}

impl Room {
    /// G_l, from `now` = T_l into `to`, from entry `at` on.
    pub(super) fn attend(
        &self,
        scores: &Scores,
        chunk: &Chunk,
        (l, now): (usize, &Tensor),
        (to, at): (&Tensor, usize),
        weights: &Tensor,
    ) -> Result<()> {
        let (sizes, place) = (&self.sizes, At(&self.sizes, l));
        let (b, tokens) = (
            sizes.prompts,
            Block::new(sizes.tokens, sizes.width).every(sizes.state()),
        );
        let rows = Block::new(b * sizes.tokens, sizes.width);
        Product::new(1, place.both(), rows, place.maps()).run(&scores.both, now, weights)?;
        for h in 0..sizes.heads {
            Product::new(b, place.scores(h), place.one(0, h), tokens.turned()).run(
                &scores.scores,
                &scores.both,
                now,
            )?;
        }
        let soften = Soften {
            columns: place.columns(),
            to: l * b * sizes.scores(),
        };
        soften.run(&scores.weights, &scores.scores)?;
        for h in 0..sizes.heads {
            Product::new(b, tokens.at(at), place.weights(h), place.one(1, h))
                .times(chunk.share)
                .adding(h > 0)
                .run(to, &scores.weights, &scores.both)?;
        }
        Ok(())
    }

    /// From the adjoint `given` of G_l to those of U and V, and to that of T_l in `to` from entry `at` on, if there is one.
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
        let (b, tokens) = (
            sizes.prompts,
            Block::new(sizes.tokens, sizes.width).every(sizes.state()),
        );
        for h in 0..sizes.heads {
            Product::new(b, place.scores(h), tokens, place.one(1, h).turned())
                .times(chunk.share)
                .run(&scores.scores, given, &scores.both)?;
        }
        let harden = Harden {
            columns: place.columns(),
            from: l * b * sizes.scores(),
        };
        harden.run(&scores.scores, &scores.weights)?;
        for h in 0..sizes.heads {
            if let Some((to, at)) = to {
                Product::new(b, tokens.at(at), place.scores(h).turned(), place.one(0, h))
                    .adding(h > 0)
                    .run(to, &scores.scores, &scores.both)?;
            }
            Product::new(b, place.one(1, h), place.weights(h).turned(), tokens)
                .times(chunk.share)
                .run(&scores.both, &scores.weights, given)?;
            Product::new(b, place.one(0, h), place.scores(h), tokens).run(&scores.both, &scores.scores, now)?;
        }
        match to {
            Some((to, at)) => {
                let rows = Block::new(b * sizes.tokens, sizes.width).at(at);
                let maps = place.maps().turned();
                Product::new(1, rows, place.both(), maps)
                    .adding(true)
                    .run(to, &scores.both, weights)
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
        let states = Block::new(per, w).every(per * w).turned();
        let adjoints = Block::new(per, across).every(per * across);
        Product::new(sizes.depth * sizes.groups, to, states, adjoints)
            .adding(!first)
            .run(&self.of_maps, &scores.states, &scores.both)
    }
}
