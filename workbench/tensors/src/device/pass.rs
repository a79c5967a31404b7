//! Forward and back through all layers, for many prompts at once.
//!
//! Tokens are rows T `(t, w)`, keys first, the query last. With S = T_keys^T T_keys / n and M = (sum_h P_h S Q_h)^T a layer adds G = T M,
//! or what registers make of it. Without registers T_{l+1} = T_l (I + M_l). With them T_{l+1} = T_0 + sum_j Gamma_lj o G_j, where
//! Gamma_lj adds up the weights Gamma_j^k of Eq. 3.4 over k = j..=l: one weighted sum of a stack, whatever the kind of register.
//!
//! Back, X_l is the adjoint of T_l, and that of G_j is sum_l Gamma_lj o X_{l+1}, which is the same sum of the stack of adjoints.

use super::plan::{Cover, Sizes};
use super::product::{Block, Product};
use super::weights::Places;
use crate::processor::dtype;
use candle_core::{Device, Result, Tensor, bail};

/// Room for one chunk, kept from step to step: a pass allocates next to nothing.
pub(super) struct Room {
    pub(super) sizes: Sizes,
    /// The chunk whose tokens are in the stack and whose first moments are known.
    held: Option<u64>,
    /// T_1 to T_L, unless the sums of the stack make them anew.
    states: Vec<Tensor>,
    /// T_0, G_0 to G_{L-1}; X_1 to X_L; the adjoint of one G.
    registers: Option<(Tensor, Tensor, Tensor)>,
    /// X by turns, without registers.
    turns: [Tensor; 2],
    /// The adjoint of T_L without registers: nothing but the errors at the query's response.
    seed: Tensor,
    /// S_l, followed by a one; M_l.
    moments: Tensor,
    maps: Tensor,
    factors: Factors,
    /// Sums by groups.
    of_maps: Tensor,
    of_weights: Tensor,
    /// The squared errors and the gradient.
    pub(super) sums: Tensor,
    ones: Tensor,
}

/// What belongs to P S Q.
enum Factors {
    /// The adjoints of all M and of one S, when heads are one matrix.
    Joined(Tensor, Tensor),
    /// S P^T of all heads, the adjoints of M and of its product with Q; S's. Those in another order are made anew.
    Apart([Tensor; 4]),
}

impl Room {
    /// Empty room.
    pub(super) fn new(sizes: Sizes, device: &Device) -> Result<Room> {
        let (square, state, depth, heads) = (sizes.square(), sizes.state(), sizes.depth, sizes.heads);
        let dtype = dtype(sizes.precision);
        let one = |numbers: usize| Tensor::zeros(numbers, dtype, device);
        let room = |numbers: usize| one(numbers * sizes.prompts);
        let places = Places::new(sizes);
        let registers = match sizes.cover {
            Cover::None => None,
            _ => Some((room((depth + 1) * state)?, room(depth * state)?, room(state)?)),
        };
        let made =
            matches!(sizes.cover, Cover::Rows | Cover::Entries) || (sizes.cover == Cover::None && !sizes.joined());
        let turning = if registers.is_none() { state } else { 0 };
        let moments = Tensor::ones(depth * sizes.prompts * each(&sizes), dtype, device)?;
        Ok(Room {
            sizes,
            held: None,
            states: (0..if made { 0 } else { depth })
                .map(|_| room(state))
                .collect::<Result<_>>()?,
            registers,
            turns: [room(turning)?, room(turning)?],
            seed: room(turning)?,
            moments,
            maps: room(depth * square)?,
            factors: match sizes.joined() {
                true => Factors::Joined(room(depth * square)?, room(square)?),
                false => Factors::Apart([
                    room(heads * square)?,
                    room(square)?,
                    room(heads * square)?,
                    room(square)?,
                ]),
            },
            of_maps: one(depth * sizes.groups * places.map_sum_len())?,
            of_weights: one(sizes.groups * places.weight_sum_len().max(1))?,
            sums: one(places.sums_len())?,
            ones: Tensor::ones(sizes.groups, dtype, device)?,
        })
    }

    /// Through the layers: T_0 to T_L.
    fn forward(&mut self, chunk: &Chunk, weights: &Tensor) -> Result<Path> {
        let (sizes, places) = (self.sizes, Places::new(self.sizes));
        let (w, t, b, state) = (sizes.width, sizes.tokens, sizes.prompts, sizes.state());
        let fresh = self.held != Some(chunk.id);
        if fresh && let Some((stack, ..)) = &self.registers {
            stack.slice_set(&chunk.tokens, 0, 0)?;
        }
        self.held = Some(chunk.id);
        let mut path = Path {
            states: vec![chunk.tokens.clone()],
            read: Vec::new(),
        };
        for l in 0..sizes.depth {
            let now = path.states[l].clone();
            if l > 0 || fresh {
                let keys = Block::new(t - 1, w).every(state);
                let to = Block::new(w, w).at(l * b * each(&sizes)).every(each(&sizes));
                Product::new(b, to, keys.turned(), keys)
                    .times(chunk.share)
                    .run(&self.moments, &now, &now)?;
            }
            if let Some(read) = self.map(l, weights)? {
                path.read.push(read);
            }
            let (map, tokens) = (self.map_block(l), Block::new(t, w).every(state));
            match &self.registers {
                None if sizes.joined() => {
                    let next = &self.states[l];
                    Product::new(b, tokens, tokens, map).run(next, &now, &self.maps)?;
                    path.states.push(next.clone());
                }
                None => {
                    let next = now.copy()?;
                    Product::new(b, tokens, tokens, map)
                        .adding(true)
                        .run(&next, &now, &self.maps)?;
                    path.states.push(next);
                }
                Some((stack, ..)) => {
                    let to = tokens.at((l + 1) * b * state);
                    Product::new(b, to, tokens, map).run(stack, &now, &self.maps)?;
                    let next = self.weigh(stack, (0, l + 2), weights, places.after(l), self.states.get(l))?;
                    path.states.push(next);
                }
            }
        }
        Ok(path)
    }

    /// M_l from S_l; S P^T with its axes turned when heads are apart.
    fn map(&self, l: usize, weights: &Tensor) -> Result<Option<Tensor>> {
        let (sizes, places) = (self.sizes, Places::new(self.sizes));
        let (w, b, heads, square) = (sizes.width, sizes.prompts, sizes.heads, sizes.square());
        let Factors::Apart([read, ..]) = &self.factors else {
            let from = Block::new(b, square + 1).at(l * b * (square + 1));
            let (to, joined) = (
                Block::new(b, square).at(l * b * square),
                Block::new(square + 1, square).at(places.map(l)),
            );
            Product::new(1, to, from, joined).run(&self.maps, &self.moments, weights)?;
            return Ok(None);
        };
        let (tall, all) = (Block::new(b * w, w).at(l * b * square), Block::new(b * w, heads * w));
        let p = Block::new(w, heads * w).at(places.map(l));
        Product::new(1, all, tall, p).run(read, &self.moments, weights)?;
        let read = self.turn(read)?;
        let q = Block::new(heads * w, w).at(places.q(l));
        Product::new(1, tall, all, q).run(&self.maps, &read, weights)?;
        Ok(Some(read))
    }

    /// `(B, w, H, w)` with its second and last axes exchanged.
    fn turn(&self, x: &Tensor) -> Result<Tensor> {
        let Sizes {
            prompts, width, heads, ..
        } = self.sizes;
        x.reshape((prompts, width, heads, width))?
            .transpose(1, 3)?
            .contiguous()?
            .flatten_all()
    }

    /// M_l: kept as it is with joined heads, transposed with heads apart.
    fn map_block(&self, l: usize) -> Block {
        let (w, square) = (self.sizes.width, self.sizes.square());
        let block = Block::new(w, w).at(l * self.sizes.prompts * square).every(square);
        if self.sizes.joined() { block } else { block.turned() }
    }

    /// Weighted sum of `count` states of a stack from `first` on; numbers as weights are one product, into `to`.
    fn weigh(
        &self,
        stack: &Tensor,
        (first, count): (usize, usize),
        weights: &Tensor,
        at: usize,
        to: Option<&Tensor>,
    ) -> Result<Tensor> {
        let Sizes {
            prompts,
            tokens,
            width,
            cover,
            ..
        } = self.sizes;
        let all = prompts * self.sizes.state();
        if let Some(to) = to {
            let (row, terms) = (Block::new(1, count).at(at), Block::new(count, all).at(first * all));
            Product::new(1, Block::new(1, all), row, terms).run(to, weights, stack)?;
            return Ok(to.clone());
        }
        let rows = if cover == Cover::Entries { tokens } else { 1 };
        let each = self.sizes.weight();
        let weights = weights.narrow(0, at, count * each)?.reshape((count, 1, rows, width))?;
        let terms = stack
            .narrow(0, first * all, count * all)?
            .reshape((count, prompts, tokens, width))?;
        let terms = terms.broadcast_mul(&weights)?;
        match count {
            1 => terms,
            _ => terms.sum(0)?,
        }
        .flatten_all()
    }

    /// Forward, and the sum of squared errors; the gradient's sums too if they are wanted. Later chunks add to earlier ones.
    pub(super) fn run(&mut self, chunk: &Chunk, weights: &Tensor, first: bool, wanted: bool) -> Result<()> {
        let path = self.forward(chunk, weights)?;
        let (b, state) = (self.sizes.prompts, self.sizes.state());
        // The response of the query is the last number of a prompt's state.
        let errors = chunk.answers.copy()?;
        let column = Block::new(b, 1);
        let responses = column.rows_every(state).at(state - 1);
        let one = Block::new(1, 1);
        let last = &path.states[self.sizes.depth];
        Product::new(1, column, responses, one)
            .adding(true)
            .run(&errors, last, &self.ones)?;
        Product::new(1, one, column.turned(), column)
            .adding(!first)
            .run(&self.sums, &errors, &errors)?;
        if wanted {
            let (last, at) = match &self.registers {
                None => (&self.seed, 0),
                Some((_, adjoints, _)) => (adjoints, (self.sizes.depth - 1) * b * state),
            };
            Product::new(1, responses.at(at + state - 1), column, one).run(last, &errors, &self.ones)?;
            self.backward(chunk, &path, weights, first)?;
        }
        Ok(())
    }

    /// [Z_l]_{d+1, n+1} after each layer, `(B)` each.
    pub(super) fn responses(&mut self, chunk: &Chunk, weights: &Tensor) -> Result<Vec<Tensor>> {
        let path = self.forward(chunk, weights)?;
        let (b, state) = (self.sizes.prompts, self.sizes.state());
        path.states
            .iter()
            .map(|s| s.reshape((b, state))?.narrow(1, state - 1, 1)?.flatten_all())
            .collect()
    }

    fn backward(&self, chunk: &Chunk, path: &Path, weights: &Tensor, first: bool) -> Result<()> {
        let sizes = self.sizes;
        let (w, t, b, state) = (sizes.width, sizes.tokens, sizes.prompts, sizes.state());
        let tokens = Block::new(t, w).every(state);
        let mut ahead = self.seed.clone();
        for l in (0..sizes.depth).rev() {
            let now = &path.states[l];
            let given = match &self.registers {
                None => ahead.clone(),
                Some((_, adjoints, given)) => {
                    let to = (sizes.cover == Cover::Number).then_some(given);
                    self.weigh(adjoints, (l, sizes.depth - l), weights, Places::new(sizes).of(l), to)?
                }
            };
            let of_moments = self.back_through_map(chunk, (l, now, &given), path.read.get(l), weights, first)?;
            let Some(of_moments) = of_moments else { break };
            let map = self.map_block(l).turned();
            let (to, at) = match &self.registers {
                Some((_, adjoints, _)) => (adjoints.clone(), (l - 1) * b * state),
                None if sizes.joined() => (self.turns[l % 2].clone(), 0),
                None => (ahead.copy()?, 0),
            };
            let adds = self.registers.is_none() && !sizes.joined();
            Product::new(b, tokens.at(at), tokens, map)
                .adding(adds)
                .run(&to, &given, &self.maps)?;
            // The keys' part, by way of S: T (dS + dS^T) / n.
            let keys = Block::new(t - 1, w).every(state);
            let square = Block::new(w, w).every(sizes.square());
            let part = Product::new(b, keys.at(at), keys, square).adding(true);
            match sizes.joined() {
                true => part.run(&to, now, &of_moments)?,
                false => {
                    let part = part.times(chunk.share);
                    part.run(&to, now, &of_moments)?;
                    Product {
                        b: square.turned(),
                        ..part
                    }
                    .run(&to, now, &of_moments)?;
                }
            }
            ahead = to;
        }
        self.finish(first)
    }

    /// The sums for the gradient of P and Q of layer l, or what they will be made of; then the adjoint of S_l, which no one needs at l = 0.
    fn back_through_map(
        &self,
        chunk: &Chunk,
        (l, now, given): (usize, &Tensor, &Tensor),
        read: Option<&Tensor>,
        weights: &Tensor,
        first: bool,
    ) -> Result<Option<Tensor>> {
        let (sizes, places) = (self.sizes, Places::new(self.sizes));
        let Sizes {
            width: w,
            tokens: t,
            prompts: b,
            heads,
            groups,
            ..
        } = sizes;
        let (square, tokens) = (sizes.square(), Block::new(t, w).every(sizes.state()));
        let of_map = |to: Block| Product::new(b, to.every(square), tokens.turned(), tokens);
        let [p_read, of_maps, of_read, of_moments] = match &self.factors {
            Factors::Apart(rooms) => rooms,
            Factors::Joined(of_maps, of_moments) => {
                of_map(Block::new(w, w).at(l * b * square)).run(of_maps, now, given)?;
                if l == 0 {
                    return Ok(None);
                }
                let from = Block::new(b, square).at(l * b * square);
                let joined = Block::new(square, square).at(places.map(l)).turned();
                let back = Product::new(1, Block::new(b, square), from, joined).times(2.0 * chunk.share);
                back.run(of_moments, of_maps, weights)?;
                return Ok(Some(of_moments.clone()));
            }
        };
        let Some(read) = read else {
            bail!("{} numbers of heads apart were not kept", p_read.elem_count())
        };
        of_map(Block::new(w, w).turned()).run(of_maps, now, given)?;
        let (tall, all, len) = (Block::new(b * w, w), Block::new(b * w, heads * w), places.map_sum_len());
        let group = |columns: usize| Block::new(b / groups * w, columns).every(b / groups * w * columns);
        let to = |rows: usize, columns: usize| Block::new(rows, columns).at(l * groups * len).every(len);
        let of_q = to(heads * w, w).at(l * groups * len + heads * square);
        Product::new(groups, of_q, group(heads * w).turned(), group(w))
            .adding(!first)
            .run(&self.of_maps, read, of_maps)?;
        let q = Block::new(heads * w, w).at(places.q(l)).turned();
        Product::new(1, all, tall, q).run(of_read, of_maps, weights)?;
        let of_read = self.turn(of_read)?;
        let moments = group(w).at(l * b * square).turned();
        let of_p = Product::new(groups, to(w, heads * w), moments, group(heads * w)).adding(!first);
        of_p.run(&self.of_maps, &self.moments, &of_read)?;
        if l == 0 {
            return Ok(None);
        }
        let p = Block::new(w, heads * w).at(places.map(l)).turned();
        Product::new(1, tall, all, p).run(of_moments, &of_read, weights)?;
        Ok(Some(of_moments.clone()))
    }

    /// The sums by groups that take all layers at once.
    fn finish(&self, first: bool) -> Result<()> {
        let Sizes {
            prompts: b,
            depth,
            groups,
            ..
        } = self.sizes;
        let (square, state, each) = (self.sizes.square(), self.sizes.state(), each(&self.sizes));
        if let Factors::Joined(of_maps, _) = &self.factors {
            let per = b / groups;
            let to = Block::new(square, square).every(square * square);
            let moments = Block::new(per, square).rows_every(each).every(per * each).turned();
            let adjoints = Block::new(per, square).every(per * square);
            let sum = Product::new(depth * groups, to, moments, adjoints).adding(!first);
            sum.run(&self.of_maps, &self.moments, of_maps)?;
        }
        let Some((stack, adjoints, _)) = &self.registers else {
            return Ok(());
        };
        let entries = self.sizes.weight();
        let rows = b / groups * state / entries;
        let to = Block::new(depth, depth).every(depth * depth);
        if entries == 1 {
            let all = Block::new(depth, rows).rows_every(b * state).every(rows);
            let sum = Product::new(groups, to, all, all.at(b * state).turned()).adding(!first);
            return sum.run(&self.of_weights, adjoints, stack);
        }
        // Entries that share no weight first, then layers, then what is summed.
        let order = |x: &Tensor, from: usize| -> Result<Tensor> {
            let x = x
                .narrow(0, from, depth * b * state)?
                .reshape((depth, groups, rows, entries))?;
            x.permute((1, 3, 0, 2))?.contiguous()?.flatten_all()
        };
        let all = Block::new(depth, rows).every(depth * rows);
        let sum = Product::new(groups * entries, to, all, all.turned()).adding(!first);
        sum.run(&self.of_weights, &order(adjoints, 0)?, &order(stack, b * state)?)
    }

    /// The groups' sums together: the gradient, to be read from `sums`.
    pub(super) fn add_up(&self) -> Result<()> {
        let (places, groups, depth) = (Places::new(self.sizes), self.sizes.groups, self.sizes.depth);
        let (len, all) = (places.map_sum_len(), Block::new(1, groups));
        let (to, from) = (
            Block::new(1, len).at(places.map_sum(0)).every(len),
            Block::new(groups, len).every(groups * len),
        );
        Product::new(depth, to, all, from).run(&self.sums, &self.ones, &self.of_maps)?;
        match places.weight_sum_len() {
            0 => Ok(()),
            len => {
                let (to, from) = (Block::new(1, len).at(places.weight_sum()), Block::new(groups, len));
                Product::new(1, to, all, from).run(&self.sums, &self.ones, &self.of_weights)
            }
        }
    }
}

/// Numbers of a prompt's S: with joined heads a one follows, which the map's last row is added by.
fn each(sizes: &Sizes) -> usize {
    sizes.square() + usize::from(sizes.joined())
}

/// A chunk's tokens on the device.
pub(super) struct Chunk {
    /// No other chunk of this process has it.
    pub(super) id: u64,
    /// `(B t w)`, filled up with zeros, and `(B)`.
    pub(super) tokens: Tensor,
    pub(super) answers: Tensor,
    /// Prompts without the filling.
    pub(super) prompts: usize,
    /// 1 / n.
    pub(super) share: f64,
}

/// What the way forward leaves for the way back.
struct Path {
    states: Vec<Tensor>,
    /// S P^T in the order that Q's gradient takes, when heads are apart.
    read: Vec<Tensor>,
}
