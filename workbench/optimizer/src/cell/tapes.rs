//! The steps of a window with what their adjoint needs, block by block.

use workbench_ground::by_registers;
use workbench_ground::lanes::{Instructions, PortableSingle, Precision};
#[cfg(target_arch = "x86_64")]
use workbench_ground::lanes::{S8, S16};
use workbench_ground::room;

use super::kernel::{Blocks, Kernel, TASK, hand_out, spread};
use super::{Cell, Downward, Gathered, UNITS, Window};
use crate::Layout;
use crate::number::{Packed, Wide};

/// A window in numbers that do not show what the cell is run over.
pub(crate) trait Engine: Kernel {
    fn set_weights(&mut self, weights: &[f64]);
    /// Makes room for the tapes of so many steps, from here on.
    fn open(&mut self, steps: usize, adjoint: bool);
    /// One step, its tape kept.
    fn forward(&mut self, time: u64, at: usize, gradient: &[f64], update: &mut [f64]);
    /// The adjoints of some steps, from the last to the first, each with its $\partial L/\partial u$; what the last of them leaves of
    /// $\partial L/\partial g$ is written. Steps that are given together find states and tapes of their units in the caches.
    fn backward(&mut self, time: u64, steps_back: &[(usize, &[f64])], d_gradient: &mut [f64]);
    /// What was gathered for the trained weights.
    fn gradient(&self) -> Vec<f64>;
}

/// Sums and scratch of some blocks; always the same blocks, so that the sums do not depend on the number of threads.
#[derive(Clone, Debug)]
struct Part<N> {
    weights: Vec<N>,
    carry: Vec<N>,
    scratch: Vec<N>,
    derived: Vec<N>,
}

#[derive(Debug)]
struct Taped<C: Cell, N: Packed> {
    blocks: Blocks<C, N>,
    steps: usize,
    before: Vec<N>,
    tapes: Vec<N>,
    parts: Vec<Part<N>>,
}

impl<C: Cell, N: Packed> Kernel for Taped<C, N> {
    fn step(&mut self, time: u64, gradient: &[f64], update: &mut [f64]) {
        self.blocks.step(time, gradient, update);
    }
    fn state(&self) -> Vec<f64> {
        self.blocks.state()
    }
    fn set_state(&mut self, state: &[f64]) {
        self.blocks.set_state(state);
    }
    fn state_len(&self) -> usize {
        self.blocks.state_len()
    }
}

impl<C: Cell, N: Packed> Engine for Taped<C, N> {
    fn set_weights(&mut self, weights: &[f64]) {
        self.blocks.weights = weights.iter().map(|w| N::shared(*w)).collect();
    }

    fn open(&mut self, steps: usize, adjoint: bool) {
        self.steps = steps;
        if !adjoint {
            return;
        }
        let (cell, blocks) = (&self.blocks.cell, self.blocks.places.len());
        let (numbers, tapes) = (self.blocks.state.len(), blocks * steps * cell.tape_len());
        if self.before.len() != numbers {
            self.before = room(numbers, N::zero());
        }
        self.before.copy_from_slice(&self.blocks.state);
        if self.tapes.len() != tapes {
            self.tapes = room(tapes, N::zero());
        }
        let zeros = |len: usize| vec![N::zero(); len];
        self.parts.resize_with(blocks.div_ceil(TASK), || Part {
            weights: Vec::new(),
            carry: Vec::new(),
            scratch: zeros(cell.scratch_len()),
            derived: zeros(UNITS * cell.derived_len()),
        });
        for part in &mut self.parts {
            part.weights.clear();
            part.weights.resize(cell.weights().len(), N::zero());
            part.carry.clear();
            part.carry.resize(TASK * cell.carry_len(steps).max(1), N::zero());
        }
    }

    fn forward(&mut self, time: u64, at: usize, gradient: &[f64], update: &mut [f64]) {
        let mut state = std::mem::take(&mut self.blocks.state);
        let (blocks, steps) = (&self.blocks, self.steps);
        let (len, tape_len) = (blocks.cell.state_len(), blocks.cell.tape_len());
        let parts = hand_out(&blocks.places, update).into_iter();
        let states = state.chunks_mut(TASK * len.max(1));
        let tapes = self.tapes.chunks_mut(TASK * steps * tape_len);
        let tasks = parts.zip(states).zip(tapes);
        spread(tasks.collect(), tape_len, |(((places, mut out), states), tapes)| {
            N::vectorize(
                #[inline(always)]
                || {
                    let mut g = vec![N::zero(); blocks.coordinates()];
                    let mut u = g.clone();
                    let each = states.chunks_exact_mut(len.max(1));
                    for ((place, state), tapes) in places.iter().zip(each).zip(tapes.chunks_exact_mut(steps * tape_len))
                    {
                        let n = blocks.pack(place, gradient, &mut g);
                        let tape = &mut tapes[at * tape_len..(at + 1) * tape_len];
                        let state = &mut state[..len];
                        blocks.cell.step(&blocks.weights, time, &g[..n], state, tape, &mut u[..n]);
                        let (now, after) = std::mem::take(&mut out).split_at_mut(place.len());
                        blocks.unpack(&u[..n], now);
                        out = after;
                    }
                },
            );
        });
        self.blocks.state = state;
    }

    fn backward(&mut self, time: u64, steps_back: &[(usize, &[f64])], d_gradient: &mut [f64]) {
        let (blocks, steps) = (&self.blocks, self.steps);
        let (len, tape_len) = (blocks.cell.state_len(), blocks.cell.tape_len());
        let (carry_len, derived_len) = (blocks.cell.carry_len(steps), blocks.cell.derived_len());
        let parts = hand_out(&blocks.places, d_gradient).into_iter();
        let states = self.before.chunks(TASK * len.max(1));
        let tapes = self.tapes.chunks(TASK * steps * tape_len);
        let tasks = parts.zip(states).zip(tapes).zip(&mut self.parts);
        spread(tasks.collect(), tape_len, |((((places, whole), states), tapes), part)| {
            N::vectorize(
                #[inline(always)]
                || {
                    let mut d_u = vec![N::zero(); blocks.coordinates()];
                    let mut d_g = d_u.clone();
                    for (at, d_update) in steps_back {
                        let (at, mut out, mut waiting) = (*at, &mut whole[..], 0);
                        for (i, place) in places.iter().enumerate() {
                            let n = blocks.pack(place, d_update, &mut d_u);
                            let carry = i * carry_len.max(1);
                            let down = Downward {
                                update: &d_u[..n],
                                gradient: &mut d_g[..n],
                                weights: &mut part.weights,
                                carry: &mut part.carry[carry..carry + carry_len],
                                scratch: &mut part.scratch,
                                derived: &mut part.derived[waiting * derived_len..(waiting + 1) * derived_len],
                            };
                            let window = Window {
                                time,
                                state: &states[i * len.max(1)..i * len.max(1) + len],
                                tapes: &tapes[i * steps * tape_len..(i + 1) * steps * tape_len],
                            };
                            blocks.cell.adjoint(&blocks.weights, window, at, down);
                            waiting += 1;
                            if derived_len > 0 && (waiting == UNITS || i + 1 == places.len()) {
                                let gathered = Gathered {
                                    tapes: &tapes[(i + 1 - waiting) * steps * tape_len..(i + 1) * steps * tape_len],
                                    window: steps * tape_len,
                                    start: at * tape_len,
                                    derived: &part.derived[..waiting * derived_len],
                                    each: derived_len,
                                };
                                blocks.cell.gather(gathered, &mut part.weights);
                            }
                            waiting %= UNITS;
                            let (now, after) = std::mem::take(&mut out).split_at_mut(place.len());
                            blocks.unpack(&d_g[..n], now);
                            out = after;
                        }
                    }
                },
            );
        });
    }

    fn gradient(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.blocks.cell.trained()];
        N::vectorize(
            #[inline(always)]
            || {
                for part in &self.parts {
                    for (sum, w) in sums.iter_mut().zip(&part.weights) {
                        *sum += w.total();
                    }
                }
            },
        );
        sums
    }
}

/// A cell set to work on windows of a layout, over numbers that do not show; see [`Runner`](crate::Runner).
#[derive(Debug)]
pub struct Tapes(pub(crate) Box<dyn Engine>);

impl Tapes {
    /// Of any cell. Units of several coordinates have double precision only.
    pub fn of<C: Cell>(cell: &C, weights: &[f64], layout: &Layout, precision: Precision) -> Tapes {
        if precision == Precision::Double {
            return Tapes::double(cell, weights, layout);
        }
        macro_rules! over {
            ($registers:ident) => {
                Tapes::over::<C, Wide<$registers>>(cell, weights, layout)
            };
        }
        by_registers!(Single, Instructions::here(), over)
    }

    /// In double precision; for cells whose units have several coordinates.
    pub fn double<C: Cell>(cell: &C, weights: &[f64], layout: &Layout) -> Tapes {
        Tapes::over::<C, f64>(cell, weights, layout)
    }

    fn over<C: Cell, N: Packed>(cell: &C, weights: &[f64], layout: &Layout) -> Tapes {
        Tapes(Box::new(Taped {
            blocks: Blocks::<C, N>::new(cell.clone(), weights, layout),
            steps: 0,
            before: Vec::new(),
            tapes: Vec::new(),
            parts: Vec::new(),
        }))
    }
}
