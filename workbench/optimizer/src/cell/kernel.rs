//! A cell run over all units of the parameters, block by block.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;
use workbench_ground::by_registers;
use workbench_ground::lanes::{Instructions, PortableSingle, Precision};
#[cfg(target_arch = "x86_64")]
use workbench_ground::lanes::{S8, S16};
use workbench_ground::room;

use super::{Cell, units};
use crate::Layout;
use crate::number::{Packed, Wide};

/// Blocks that one task takes at least, so that handing out tasks costs little beside them.
pub(crate) const TASK: usize = 32;
/// Steps that write fewer numbers than this to their tapes are done by the thread that has them: they take as long as to wake another.
const LITTLE: usize = 1 << 13;

/// A cell set to work on all units of a layout, over numbers that do not show.
///
/// [`Cell::runner`] makes it where the type of the cell is known, so that its kernels are compiled once, with the cell, and not again in
/// each crate or notebook that steps it.
#[derive(Debug)]
pub struct Runner(pub(crate) Box<dyn Kernel>);

impl Runner {
    /// Of any cell. Double precision takes one number after the other: the definition. Single precision takes as many coordinates side by
    /// side as the registers hold; units of several coordinates have double precision only.
    pub fn of<C: Cell>(cell: &C, weights: &[f64], layout: &Layout, precision: Precision) -> Runner {
        if precision == Precision::Double {
            return Runner::double(cell, weights, layout);
        }
        macro_rules! over {
            ($registers:ident) => {
                Runner::over::<C, Wide<$registers>>(cell, weights, layout)
            };
        }
        by_registers!(Single, Instructions::here(), over)
    }

    /// In double precision; for cells whose units have several coordinates.
    pub fn double<C: Cell>(cell: &C, weights: &[f64], layout: &Layout) -> Runner {
        Runner::over::<C, f64>(cell, weights, layout)
    }

    fn over<C: Cell, N: Packed>(cell: &C, weights: &[f64], layout: &Layout) -> Runner {
        Runner(Box::new(Blocks::<C, N>::new(cell.clone(), weights, layout)))
    }
}

/// What steps all units. It hides over which numbers a cell is run.
pub(crate) trait Kernel: std::fmt::Debug + Send + Sync {
    /// The update of each number from its gradient; the state goes on.
    fn step(&mut self, time: u64, gradient: &[f64], update: &mut [f64]);

    /// The state, unit by unit, whatever the width of the registers.
    fn state(&self) -> Vec<f64>;

    /// Takes a state of the right length.
    fn set_state(&mut self, state: &[f64]);

    /// Numbers of the state.
    fn state_len(&self) -> usize;
}

/// Units side by side in the numbers `N`, with their states.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<C: Cell, N: Packed> {
    pub cell: C,
    pub weights: Vec<N::Shared>,
    /// The coordinates of each block: [`Packed::WIDTH`] units of one coordinate, or one larger unit.
    pub places: Vec<Range<usize>>,
    /// State of each block, one after the other; of a cell without state one number that nobody looks at.
    pub state: Vec<N>,
}

impl<C: Cell, N: Packed> Blocks<C, N> {
    /// For cells with units of several coordinates `N` must be one number wide.
    pub fn new(cell: C, weights: &[f64], layout: &Layout) -> Blocks<C, N> {
        let places: Vec<Range<usize>> = if cell.unit() == 1 {
            let len = layout.len();
            (0..len).step_by(N::WIDTH).map(|start| start..(start + N::WIDTH).min(len)).collect()
        } else {
            units(layout, cell.unit())
        };
        Blocks {
            weights: weights.iter().map(|w| N::shared(*w)).collect(),
            state: room(places.len() * cell.state_len().max(1), N::zero()),
            places,
            cell,
        }
    }

    /// Numbers `N` that the coordinates of a block fill.
    pub fn coordinates(&self) -> usize {
        self.cell.unit()
    }

    /// The numbers of one block.
    #[inline(always)]
    pub fn pack(&self, place: &Range<usize>, values: &[f64], out: &mut [N]) -> usize {
        if self.cell.unit() == 1 {
            out[0] = N::pack(&values[place.clone()]);
            return 1;
        }
        for (out, value) in out.iter_mut().zip(&values[place.clone()]) {
            *out = N::of(*value);
        }
        place.len()
    }

    /// Writes what [`Blocks::pack`] reads.
    #[inline(always)]
    pub fn unpack(&self, values: &[N], out: &mut [f64]) {
        if self.cell.unit() == 1 {
            values[0].unpack(out);
            return;
        }
        for (out, value) in out.iter_mut().zip(values) {
            value.unpack(std::slice::from_mut(out));
        }
    }
}

/// Does all tasks, of which each block writes `tape_len` numbers: side by side if they are worth it.
pub(crate) fn spread<T: Send>(tasks: Vec<T>, tape_len: usize, work: impl Fn(T) + Sync + Send) {
    if tasks.len() * TASK * tape_len < LITTLE {
        tasks.into_iter().for_each(work);
        return;
    }
    let tasks: Vec<Mutex<Option<T>>> = tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
    side_by_side(tasks.len(), &|i| {
        let task = tasks[i].lock().ok().and_then(|mut task| task.take());
        task.into_iter().for_each(&work);
    });
}

/// What rayon makes of it is compiled once, and not for each cell and kind of number.
fn side_by_side(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// [`TASK`] blocks each, with the part of `values` that holds their coordinates: units stand in the order of the coordinates.
pub(crate) fn hand_out<'p, 'v>(
    places: &'p [Range<usize>],
    mut values: &'v mut [f64],
) -> Vec<(&'p [Range<usize>], &'v mut [f64])> {
    let mut parts = Vec::with_capacity(places.len() / TASK + 1);
    for places in places.chunks(TASK) {
        let numbers = places.iter().map(Range::len).sum();
        let (part, after) = values.split_at_mut(numbers);
        parts.push((places, part));
        values = after;
    }
    parts
}

impl<C: Cell, N: Packed> Kernel for Blocks<C, N> {
    fn step(&mut self, time: u64, gradient: &[f64], update: &mut [f64]) {
        let (len, tape_len, width) = (self.cell.state_len(), self.cell.tape_len(), self.coordinates());
        let mut state = std::mem::take(&mut self.state);
        let own = &*self;
        let parts = hand_out(&own.places, update).into_iter();
        let tasks = parts.zip(state.chunks_mut(TASK * len.max(1)));
        spread(tasks.collect(), tape_len, |((places, mut out), states)| {
            N::vectorize(
                #[inline(always)]
                || {
                    let mut tape = vec![N::zero(); tape_len];
                    let (mut g, mut u) = (vec![N::zero(); width], vec![N::zero(); width]);
                    for (place, state) in places.iter().zip(states.chunks_exact_mut(len.max(1))) {
                        let n = own.pack(place, gradient, &mut g);
                        own.cell.step(&own.weights, time, &g[..n], &mut state[..len], &mut tape, &mut u[..n]);
                        let (now, after) = std::mem::take(&mut out).split_at_mut(place.len());
                        own.unpack(&u[..n], now);
                        out = after;
                    }
                },
            );
        });
        self.state = state;
    }

    fn state(&self) -> Vec<f64> {
        let len = self.cell.state_len();
        let mut out = Vec::with_capacity(self.state_len());
        let mut lanes = vec![0.0; N::WIDTH];
        for (place, state) in self.places.iter().zip(self.state.chunks(len.max(1))) {
            let wide = if self.cell.unit() == 1 { place.len() } else { 1 };
            let start = out.len();
            out.resize(start + wide * len, 0.0);
            for (i, number) in state[..len].iter().enumerate() {
                number.unpack(&mut lanes);
                for (unit, lane) in lanes[..wide].iter().enumerate() {
                    out[start + unit * len + i] = *lane;
                }
            }
        }
        out
    }

    fn set_state(&mut self, values: &[f64]) {
        let len = self.cell.state_len();
        let (mut start, single) = (0, self.cell.unit() == 1);
        let mut lanes = vec![0.0; N::WIDTH];
        for (place, state) in self.places.iter().zip(self.state.chunks_mut(len.max(1))) {
            let wide = if single { place.len() } else { 1 };
            for (i, number) in state[..len].iter_mut().enumerate() {
                for (unit, lane) in lanes[..wide].iter_mut().enumerate() {
                    *lane = values[start + unit * len + i];
                }
                *number = N::pack(&lanes[..wide]);
            }
            start += wide * len;
        }
    }

    fn state_len(&self) -> usize {
        let units: usize =
            if self.cell.unit() == 1 { self.places.iter().map(Range::len).sum() } else { self.places.len() };
        units * self.cell.state_len()
    }
}
