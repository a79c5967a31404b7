//! Forward through all layers, for many prompts at once; the way back is in `back`.
//!
//! Tokens are rows T `(t, w)`, keys first, the query last. With S = T_keys^T T_keys / n and M = (sum_h P_h S Q_h)^T a layer adds G = T M,
//! or what registers make of it. Without registers T_{l+1} = T_l (I + M_l). With them T_{l+1} = T_0 + sum_j Gamma_lj o G_j, where
//! Gamma_lj adds up the weights Gamma_j^k of Eq. 3.4 over k = j..=l: one weighted sum of a stack, whatever the kind of register. Of T_L
//! the errors need the query's response only.
//!
//! Narrow matrices: all heads are one matrix that takes S to M. Wide ones: one product makes R_h = P_h S and U_h = Q_h^T S of all heads,
//! in an order in which M^T = sum_h R_h Q_h, and later the gradients of Q and of P, are single products too.

use super::kernels::{Respond, Weigh};
use super::plan::{Cover, Sizes};
use super::product::{Block, Product};
use super::scores::Scores;
use super::weights::Places;
use crate::device::processor::dtype;
use candle_core::{Device, Result, Tensor};

/// Room for one chunk, kept from step to step: a pass allocates next to nothing.
pub(super) struct Room {
    pub(super) sizes: Sizes,
    /// The chunk whose tokens are in the stack and whose first moments are known.
    held: Option<usize>,
    /// T_1 to T_L.
    states: Vec<Tensor>,
    /// T_0, G_0 to G_{L-1}; X_1 to X_L; the adjoint of one G.
    pub(super) registers: Option<(Tensor, Tensor, Tensor)>,
    /// X by turns, without registers; with scores T as it grows and its adjoint.
    pub(super) turns: [Tensor; 2],
    /// The adjoint of T_L without registers: nothing but the errors at the query's response.
    pub(super) seed: Tensor,
    /// S_l, followed by a one; M_l.
    pub(super) moments: Tensor,
    pub(super) maps: Tensor,
    pub(super) factors: Factors,
    /// Sums by groups.
    pub(super) of_maps: Tensor,
    pub(super) of_weights: Tensor,
    /// The squared errors and the gradient.
    pub(super) sums: Tensor,
    pub(super) ones: Tensor,
}

/// What belongs to P S Q, or to scores.
pub(super) enum Factors {
    /// The adjoints of all M and of one S, when heads are one matrix.
    Joined(Tensor, Tensor),
    /// When heads are apart.
    Apart(Apart),
    /// With softmax attention.
    Scored(Scores),
}

/// With wide matrices.
pub(super) struct Apart {
    /// R_h and U_h of all layers, `(L, B, w, 2, H, w)`: the rows of R_h and U_h by turns.
    pub(super) read: Tensor,
    /// The adjoints of all M^T, then those of all M.
    pub(super) of_maps: Tensor,
    /// The adjoints of R of one layer, `(B, w, H, w)`, and of its S.
    pub(super) of_read: Tensor,
    pub(super) of_moments: Tensor,
    /// What every M^T begins with, `(w, w)`: the identity, without registers.
    identity: Option<Tensor>,
}

impl Room {
    /// Empty room.
    pub(super) fn new(sizes: Sizes, device: &Device) -> Result<Room> {
        let (square, state, depth, heads) = (sizes.square(), sizes.state(), sizes.depth, sizes.heads);
        let (dtype, bare) = (dtype(sizes.precision), sizes.cover == Cover::None);
        let one = |numbers: usize| Tensor::zeros(numbers, dtype, device);
        let room = |numbers: usize| one(numbers * sizes.prompts);
        let places = Places::new(sizes);
        let registers = match bare {
            true => None,
            false => Some((room((depth + 1) * state)?, room(depth * state)?, room(state)?)),
        };
        let turning = if bare { state } else { 0 };
        let numbers = if sizes.scored() { 0 } else { depth * sizes.prompts };
        let moments = match numbers * each(&sizes) {
            0 => one(0)?,
            numbers => Tensor::ones(numbers, dtype, device)?, // a device refuses to fill nothing
        };
        let factors = match sizes.joined() {
            false if sizes.scored() => Factors::Scored(Scores::new(&sizes, device)?),
            true => Factors::Joined(room(depth * square)?, room(square)?),
            false => Factors::Apart(Apart {
                read: room(2 * depth * heads * square)?,
                of_maps: room(2 * depth * square)?,
                of_read: room(heads * square)?,
                of_moments: room(square)?,
                identity: match bare {
                    true => Some(Tensor::eye(sizes.width, dtype, &Device::Cpu)?.flatten_all()?.to_device(device)?),
                    false => None,
                },
            }),
        };
        let turns = [room(turning)?, room(turning)?];
        let at = |l: usize| match &factors {
            Factors::Scored(scores) if l < depth => scores.state(&sizes, l),
            Factors::Scored(_) if bare => Ok(turns[0].clone()),
            _ => room(state),
        };
        let states = (1..=depth).map(at).collect::<Result<_>>()?;
        Ok(Room {
            sizes,
            held: None,
            states,
            registers,
            turns,
            seed: room(turning)?,
            moments,
            maps: one(numbers * square)?,
            factors,
            of_maps: one(depth * sizes.groups * places.map_sum_len())?,
            of_weights: one(sizes.lanes() * places.weight_sum_len().max(1))?,
            sums: one(places.sums_len())?,
            ones: Tensor::ones(sizes.ones(), dtype, device)?,
        })
    }

    /// Through the layers: T_0 to T_L, without T_L itself if there are registers and no `last` is asked for.
    fn forward(&mut self, chunk: &Chunk, weights: &Tensor, last: bool) -> Result<Vec<Tensor>> {
        let (sizes, places) = (self.sizes, Places::new(self.sizes));
        let (w, t, b, state) = (sizes.width, sizes.tokens, sizes.prompts, sizes.state());
        let fresh = self.held != Some(chunk.id);
        if fresh && let Some((stack, ..)) = &self.registers {
            stack.slice_set(&chunk.tokens, 0, 0)?;
        }
        self.held = Some(chunk.id);
        if let Factors::Apart(Apart { identity: Some(identity), .. }) = &self.factors {
            let (column, row) = (Block::new(sizes.depth * b, 1), Block::new(1, sizes.square()));
            let to = Block::new(sizes.depth * b, sizes.square());
            Product::new(1, to, column, row).run(&self.maps, &self.ones, identity)?;
        }
        let mut path = vec![chunk.tokens.clone()];
        if let Factors::Scored(scores) = &self.factors {
            if fresh {
                scores.states.slice_set(&chunk.tokens, 0, 0)?;
            }
            path[0] = scores.state(&sizes, 0)?;
            if self.registers.is_none() {
                self.turns[0].slice_set(&chunk.tokens, 0, 0)?;
            }
        }
        for l in 0..sizes.depth {
            let now = path[l].clone();
            if let Factors::Scored(scores) = &self.factors {
                let at = (l + 1) * b * state;
                match &self.registers {
                    None => {
                        let grown = &self.turns[0];
                        self.attend(scores, chunk, (l, &now), (grown, 0), weights)?;
                        if l + 1 < sizes.depth {
                            scores.states.slice_set(grown, 0, at)?;
                        }
                    }
                    Some((stack, ..)) => {
                        self.attend(scores, chunk, (l, &now), (stack, at), weights)?;
                        if l + 1 < sizes.depth || last {
                            self.weigh(&self.states[l], stack, (0, l + 2), weights, places.after(l))?;
                        }
                    }
                }
                path.push(self.states[l].clone());
                continue;
            }
            if l > 0 || fresh {
                let keys = Block::new(t - 1, w).every(state);
                let to = Block::new(w, w).at(l * b * each(&sizes)).every(each(&sizes));
                Product::new(b, to, keys.transposed(), keys).times(chunk.share).run(&self.moments, &now, &now)?;
            }
            self.map(l, weights)?;
            let (next, tokens) = (&self.states[l], Block::new(t, w).every(state));
            match &self.registers {
                None => Product::new(b, tokens, tokens, self.map_block(l)).run(next, &now, &self.maps)?,
                Some((stack, ..)) => {
                    let to = tokens.at((l + 1) * b * state);
                    Product::new(b, to, tokens, self.map_block(l)).run(stack, &now, &self.maps)?;
                    if l + 1 < sizes.depth || last {
                        self.weigh(next, stack, (0, l + 2), weights, places.after(l))?;
                    }
                }
            }
            path.push(next.clone());
        }
        Ok(path)
    }

    /// M_l from S_l.
    fn map(&self, l: usize, weights: &Tensor) -> Result<()> {
        let (sizes, places) = (self.sizes, Places::new(self.sizes));
        let (w, b, heads, square) = (sizes.width, sizes.prompts, sizes.heads, sizes.square());
        let Factors::Apart(apart) = &self.factors else {
            let from = Block::new(b, square + 1).at(l * b * (square + 1));
            let (to, joined) =
                (Block::new(b, square).at(l * b * square), Block::new(square + 1, square).at(places.map(l)));
            return Product::new(1, to, from, joined).run(&self.maps, &self.moments, weights);
        };
        let both = 2 * heads * square;
        let to = Block::new(2 * heads * w, w).at(l * b * both).every(both);
        let of_moments = Block::new(w, w).at(l * b * square).every(square);
        let from = Block::new(2 * heads * w, w).at(places.map(l));
        Product::new(b, to, from, of_moments).run(&apart.read, weights, &self.moments)?;
        let (to, read) = (Block::new(b * w, w).at(l * b * square), self.read_block(l, b * w));
        Product::new(1, to, read, self.q_block(l).transposed()).adding(apart.identity.is_some()).run(
            &self.maps,
            &apart.read,
            weights,
        )
    }

    /// R of so many rows of a layer, all heads side by side; U begins `H w` numbers later.
    pub(super) fn read_block(&self, l: usize, rows: usize) -> Block {
        let (b, both, across) = (self.sizes.prompts, 2 * self.sizes.heads, self.sizes.heads * self.sizes.width);
        Block::new(rows, across).at(l * b * both * self.sizes.square()).rows_every(2 * across)
    }

    /// `(w, H w)`: the transposed Q_h side by side.
    pub(super) fn q_block(&self, l: usize) -> Block {
        let across = self.sizes.heads * self.sizes.width;
        let from = Places::new(self.sizes).map(l) + across;
        Block::new(self.sizes.width, across).at(from).rows_every(2 * across)
    }

    /// M_l: kept as it is with joined heads, transposed with heads apart.
    pub(super) fn map_block(&self, l: usize) -> Block {
        let (w, square) = (self.sizes.width, self.sizes.square());
        let block = Block::new(w, w).at(l * self.sizes.prompts * square).every(square);
        if self.sizes.joined() { block } else { block.transposed() }
    }

    /// Weighted sum of `count` states of a stack from `first` on.
    pub(super) fn weigh(
        &self,
        to: &Tensor,
        stack: &Tensor,
        (first, count): (usize, usize),
        weights: &Tensor,
        at: usize,
    ) -> Result<()> {
        let all = self.sizes.prompts * self.sizes.state();
        let sum = Weigh { all, count, each: self.sizes.weight(), at, from: first * all };
        sum.run(to, weights, stack)
    }

    /// Forward, and the sum of squared errors; the gradient's sums too if they are wanted. Later chunks add to earlier ones.
    pub(super) fn run(&mut self, chunk: &Chunk, weights: &Tensor, first: bool, wanted: bool) -> Result<()> {
        let path = self.forward(chunk, weights, false)?;
        let (sizes, depth) = (self.sizes, self.sizes.depth);
        let (b, state) = (sizes.prompts, sizes.state());
        // The response of the query is the last number of a prompt's state.
        let mut respond = Respond { prompts: b, state, count: 1, each: 1, at: 0, to: 0 };
        let errors = match &self.registers {
            None => {
                respond.run(&self.seed, &self.ones, &path[depth], &chunk.answers)?;
                &self.seed
            }
            Some((stack, adjoints, _)) => {
                (respond.count, respond.each) = (depth + 1, sizes.weight());
                respond.at = Places::new(sizes).after(depth - 1);
                respond.to = (depth - 1) * b * state;
                respond.run(adjoints, weights, stack, &chunk.answers)?;
                adjoints
            }
        };
        let column = Block::new(b, 1).rows_every(state).at(respond.to + state - 1);
        Product::new(1, Block::new(1, 1), column.transposed(), column)
            .adding(!first)
            .run(&self.sums, errors, errors)?;
        match wanted {
            true => self.backward(chunk, &path, weights, first),
            false => Ok(()),
        }
    }

    /// [Z_l]_{d+1, n+1} after each layer, `(B)` each.
    pub(super) fn responses(&mut self, chunk: &Chunk, weights: &Tensor) -> Result<Vec<Tensor>> {
        let path = self.forward(chunk, weights, true)?;
        let (b, state) = (self.sizes.prompts, self.sizes.state());
        path.iter().map(|s| s.reshape((b, state))?.narrow(1, state - 1, 1)?.flatten_all()).collect()
    }
}

/// Numbers of a prompt's S: with joined heads a one follows, which the map's last row is added by.
pub(super) fn each(sizes: &Sizes) -> usize {
    sizes.square() + usize::from(sizes.joined())
}

/// A chunk's tokens on the device.
pub(super) struct Chunk {
    /// No other chunk of this process has it.
    pub(super) id: usize,
    /// `(B t w)`, filled up with zeros, and `(B)`.
    pub(super) tokens: Tensor,
    pub(super) answers: Tensor,
    /// Prompts without the filling.
    pub(super) prompts: usize,
    /// 1 / n.
    pub(super) share: f64,
}
