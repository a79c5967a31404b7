//! Back through all layers, and the sums that make the gradient.
//!
//! X_l is the adjoint of T_l, and that of G_j is sum_l Gamma_lj o X_{l+1}: the sum of `pass` over the stack of adjoints. With the adjoint D
//! of M^T, the gradient of Q_h is sum R_h^T D and that of P_h is sum D U_h^T, over the prompts of all layers in one product each; for the
//! second one D is kept both ways round. Keys get T (dS + dS^T) / n.

use super::kernels::Pairs;
use super::pass::{Apart, Chunk, Factors, Room, each};
use super::plan::Sizes;
use super::product::{Block, Product};
use super::weights::Places;
use candle_core::{Result, Tensor};

impl Room {
    /// From the errors, which are the adjoint of T_L, to the sums by groups.
    pub(super) fn backward(&self, chunk: &Chunk, path: &[Tensor], weights: &Tensor, first: bool) -> Result<()> {
        let sizes = self.sizes;
        let (w, t, b, state) = (sizes.width, sizes.tokens, sizes.prompts, sizes.state());
        let (tokens, places) = (Block::new(t, w).every(state), Places::new(sizes));
        let mut ahead = &self.seed;
        if let (Factors::Scored(_), None) = (&self.factors, &self.registers) {
            ahead = &self.turns[1];
            ahead.slice_set(&self.seed, 0, 0)?;
        }
        for l in (0..sizes.depth).rev() {
            let now = &path[l];
            let given = match &self.registers {
                None => ahead,
                Some((_, adjoints, given)) => {
                    self.weigh(given, adjoints, (l, sizes.depth - l), weights, places.of(l))?;
                    given
                }
            };
            if let Factors::Scored(scores) = &self.factors {
                // Without registers the adjoint of T_l is that of T_{l+1} and more.
                let to = match &self.registers {
                    Some((_, adjoints, _)) => (adjoints, (l.max(1) - 1) * b * state),
                    None => (given, 0),
                };
                self.attend_back(scores, chunk, (l, now), given, (l > 0).then_some(to), weights)?;
                continue;
            }
            self.of_map(l, now, given)?;
            if l == 0 {
                break; // Nothing is asked of T_0.
            }
            let (to, at) = match &self.registers {
                Some((_, adjoints, _)) => (adjoints, (l - 1) * b * state),
                None => (&self.turns[l % 2], 0),
            };
            let map = self.map_block(l).transposed();
            Product::new(b, tokens.at(at), tokens, map).run(to, given, &self.maps)?;
            self.through_moments(chunk, (l, now), (to, at), weights)?;
            ahead = to;
        }
        self.finish(first)
    }

    /// The adjoint of M_l; with heads apart, both ways round.
    fn of_map(&self, l: usize, now: &Tensor, given: &Tensor) -> Result<()> {
        let Sizes { width: w, tokens: t, prompts: b, depth, .. } = self.sizes;
        let (square, tokens) = (self.sizes.square(), Block::new(t, w).every(self.sizes.state()));
        let to = |which: usize| Block::new(w, w).at((which * depth + l) * b * square).every(square);
        match &self.factors {
            Factors::Joined(of_maps, _) => Product::new(b, to(0), tokens.transposed(), tokens).run(of_maps, now, given),
            Factors::Apart(Apart { of_maps, .. }) => {
                Product::new(b, to(0), tokens.transposed(), tokens).run(of_maps, given, now)?;
                Product::new(b, to(1), tokens.transposed(), tokens).run(of_maps, now, given)
            }
            Factors::Scored(_) => Ok(()),
        }
    }

    /// By way of S_l to the keys: adds T (dS + dS^T) / n.
    fn through_moments(
        &self,
        chunk: &Chunk,
        (l, now): (usize, &Tensor),
        (to, at): (&Tensor, usize),
        weights: &Tensor,
    ) -> Result<()> {
        let places = Places::new(self.sizes);
        let Sizes { width: w, tokens: t, prompts: b, heads, .. } = self.sizes;
        let (square, state) = (self.sizes.square(), self.sizes.state());
        let (keys, of_s) = (Block::new(t - 1, w).every(state), Block::new(w, w).every(square));
        let part = Product::new(b, keys.at(at), keys, of_s).adding(true);
        match &self.factors {
            Factors::Joined(of_maps, of_moments) => {
                // The joined map is the same for S and its transpose, so its adjoint is one half of the sum.
                let from = Block::new(b, square).at(l * b * square);
                let joined = Block::new(square, square).at(places.map(l)).transposed();
                let back = Product::new(1, Block::new(b, square), from, joined).times(2.0 * chunk.share);
                back.run(of_moments, of_maps, weights)?;
                part.run(to, now, of_moments)
            }
            Factors::Apart(apart) => {
                let (from, all) = (Block::new(b * w, w).at(l * b * square), Block::new(b * w, heads * w));
                Product::new(1, all, from, self.q_block(l)).run(&apart.of_read, &apart.of_maps, weights)?;
                let p = Block::new(heads * w, w).at(places.p(l)).transposed();
                let of_read = Block::new(heads * w, w).every(heads * square);
                Product::new(b, of_s, p, of_read).run(&apart.of_moments, weights, &apart.of_read)?;
                let part = part.times(chunk.share);
                part.run(to, now, &apart.of_moments)?;
                let transposed = Product { b: of_s.transposed(), ..part };
                transposed.run(to, now, &apart.of_moments)
            }
            Factors::Scored(_) => Ok(()),
        }
    }

    /// The sums by groups, of all layers at once.
    fn finish(&self, first: bool) -> Result<()> {
        let sizes = self.sizes;
        let (b, w, depth, groups) = (sizes.prompts, sizes.width, sizes.depth, sizes.groups);
        let (square, state, per) = (sizes.square(), sizes.state(), b / groups);
        let len = Places::new(sizes).map_sum_len();
        match &self.factors {
            Factors::Joined(of_maps, _) => {
                let each = each(&sizes);
                let moments = Block::new(per, square).rows_every(each).every(per * each).transposed();
                let adjoints = Block::new(per, square).every(per * square);
                let to = Block::new(square, square).every(len);
                Product::new(depth * groups, to, moments, adjoints).adding(!first).run(
                    &self.of_maps,
                    &self.moments,
                    of_maps,
                )?;
            }
            Factors::Apart(apart) => {
                let across = sizes.heads * w;
                let read = self.read_block(0, per * w).every(per * w * 2 * across);
                let adjoints = Block::new(per * w, w).every(per * square).transposed();
                let to = Block::new(w, across).every(len);
                // Of P, from the adjoints of M and U; of Q, from those of M^T and R.
                let of_p = Product::new(depth * groups, to, adjoints.at(depth * b * square), read.at(across));
                let of_q = Product::new(depth * groups, to.at(w * across), adjoints, read);
                for sum in [of_p, of_q] {
                    sum.adding(!first).run(&self.of_maps, &apart.of_maps, &apart.read)?;
                }
            }
            Factors::Scored(scores) => self.attended(scores, first)?,
        }
        let Some((stack, adjoints, _)) = &self.registers else {
            return Ok(());
        };
        let entries = sizes.weight();
        let pairs =
            Pairs { rows: b * state / entries, entries, lanes: sizes.lanes(), depth, from: b * state, adds: !first };
        pairs.run(&self.of_weights, adjoints, stack)
    }

    /// The groups' sums together: the gradient, to be read from `sums`.
    pub(super) fn add_up(&self) -> Result<()> {
        let (places, groups, depth) = (Places::new(self.sizes), self.sizes.groups, self.sizes.depth);
        let len = places.map_sum_len();
        let (to, from) =
            (Block::new(1, len).at(places.map_sum(0)).every(len), Block::new(groups, len).every(groups * len));
        Product::new(depth, to, Block::new(1, groups), from).run(&self.sums, &self.ones, &self.of_maps)?;
        match (places.weight_sum_len(), self.sizes.lanes()) {
            (0, _) => Ok(()),
            (len, lanes) => {
                let (to, from) = (Block::new(1, len).at(places.weight_sum()), Block::new(lanes, len));
                Product::new(1, to, Block::new(1, lanes), from).run(&self.sums, &self.ones, &self.of_weights)
            }
        }
    }
}
