//! Cells: recurrent maps from a gradient to an update, the same for every unit of the parameters.
//!
//! | module or item | what it is |
//! | --- | --- |
//! | [`Cell`] | one step, and the adjoint of a step within a window |
//! | [`Mnemosyne`], [`Form`] | temporal encoders around a memory, coordinate by coordinate |
//! | [`Steady`], [`StepLaw`] | a rule that stands still where the gradient does, with steps of a set length |
//! | [`TensorWise`] | the same encoders with one memory for each chunk of a tensor |
//! | [`Memory`] | the compact memory, and what it is held against: a cache with attention, averages, none |
//! | [`Runner`], [`Tapes`] | a cell set to work on all units of a layout: step by step, and in windows with their adjoint |
//! | [`count`] | exact counts of parameters and state, under every reading |

pub mod count;
mod encoder;
mod gather;
mod kernel;
mod layers;
mod memory;
mod mnemosyne;
mod places;
mod stack;
mod steady;
mod tapes;
mod tensor_scale;
mod tensor_wise;
#[cfg(test)]
pub(crate) mod tests;

use std::fmt::Debug;
use std::ops::Range;

use workbench_ground::lanes::Precision;
use workbench_ground::stats::Stream;

use crate::number::CellNumber;
use crate::{Error, Layout};

pub use gather::Gathered;
pub(crate) use gather::UNITS;
pub use kernel::Runner;
pub(crate) use layers::{Linear, product};
pub use memory::Memory;
pub use mnemosyne::{Form, Mnemosyne};
pub(crate) use places::{Places, uniform};
pub use steady::{Steady, SteadyForm};
pub use tapes::Tapes;
pub use tensor_scale::StepLaw;
pub(crate) use tensor_scale::{Normed, TensorScale};
pub use tensor_wise::TensorWise;

/// A recurrent map with weights $\phi$ that a learned optimizer applies to each unit of the parameters:
/// $(u_t,s_t)=C_\phi(g_t,s_{t-1})$, with $s_0=0$.
///
/// A unit is one coordinate, or for cells with [`Cell::unit`] above 1 a chunk of a tensor. A step leaves on its tape what the adjoint
/// needs; a window is a run of steps whose tapes are kept, together with the state before the first of them.
///
/// **Source**: B.1, "coordinate-wise", "interfaces with the rest of the system similarly to any RNN-cell".
pub trait Cell: Clone + Debug + Send + Sync + 'static {
    /// The name of the form, as `mnemosyne`.
    fn name(&self) -> &'static str;

    /// What tells one form from another, as numbers.
    fn settings(&self) -> Vec<f64>;

    /// The weights: what is trained first, then what stays as it was drawn.
    fn weights(&self) -> &Layout;

    /// How many weights are trained.
    fn trained(&self) -> usize;

    /// Starting values of all weights.
    ///
    /// **Errors**: a factorisation that fails while projections are drawn.
    fn start(&self, stream: &mut Stream) -> Result<Vec<f64>, Error>;

    /// How long the steps are that the cell's answers become, where it answers with directions; none where it answers with updates.
    /// Such a cell is shown gradients in units of their tensor, and counts them as given: [`Derivative::Stopped`] only.
    ///
    /// [`Derivative::Stopped`]: crate::meta::Derivative::Stopped
    fn step_law(&self) -> Option<StepLaw> {
        None
    }

    /// Coordinates of one unit at most.
    fn unit(&self) -> usize {
        1
    }

    /// Numbers that a unit remembers.
    fn state_len(&self) -> usize;

    /// Numbers on the tape of one step of one unit.
    fn tape_len(&self) -> usize;

    /// Numbers that the adjoint of one unit hands from step to step of a window.
    fn carry_len(&self, steps: usize) -> usize;

    /// Numbers of scratch that the adjoint needs.
    fn scratch_len(&self) -> usize;

    /// Numbers that the adjoint of one unit leaves for [`Cell::gather`]; none where it adds all of $\partial L/\partial\phi$ itself.
    fn derived_len(&self) -> usize {
        0
    }

    /// One step of one unit. `time` counts the steps before it.
    ///
    /// **Shapes**: `gradient` and `update` hold the unit's coordinates, `state` [`Cell::state_len`], `tape` [`Cell::tape_len`] numbers.
    fn step<N: CellNumber>(
        &self,
        weights: &[N::Shared],
        time: u64,
        gradient: &[N],
        state: &mut [N],
        tape: &mut [N],
        update: &mut [N],
    );

    /// Sets the cell to work on a layout: [`Runner::of`], or [`Runner::double`] for units of several coordinates.
    fn runner(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Runner;

    /// The same for windows with adjoints: [`Tapes::of`] or [`Tapes::double`].
    fn tapes(&self, weights: &[f64], layout: &Layout, precision: Precision) -> Tapes;

    /// The adjoint of step `at` of a window, to be called from the last step to the first.
    ///
    /// `down` holds $\partial L/\partial u$ of this step; $\partial L/\partial\phi$ is added to `down.weights`, but for what
    /// [`Cell::gather`] adds, and $\partial L/\partial g$ of this step written to `down.gradient`. The state before the window counts as
    /// given.
    fn adjoint<N: CellNumber>(&self, weights: &[N::Shared], window: Window<'_, N>, at: usize, down: Downward<'_, N>);

    /// Adds what the adjoints of some units left of $\partial L/\partial\phi$ to `d_weights`.
    fn gather<N: CellNumber>(&self, _from: Gathered<'_, N>, _d_weights: &mut [N]) {}
}

/// A run of steps of one unit, as its adjoint sees it.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a, N> {
    /// Steps taken before the window.
    pub time: u64,
    /// The state before the window.
    pub state: &'a [N],
    /// The tapes of its steps, one after the other.
    pub tapes: &'a [N],
}

impl<'a, N> Window<'a, N> {
    /// The tape of one step.
    pub(crate) fn tape(&self, at: usize, len: usize) -> &'a [N] {
        &self.tapes[at * len..(at + 1) * len]
    }
}

/// Derivatives of a loss: what comes into the adjoint of a step and what leaves it.
#[derive(Debug)]
pub struct Downward<'a, N> {
    /// $\partial L/\partial u$ of the unit's coordinates.
    pub update: &'a [N],
    /// $\partial L/\partial g$ of the unit's coordinates, written.
    pub gradient: &'a mut [N],
    /// $\partial L/\partial\phi$ of the trained weights, added to.
    pub weights: &'a mut [N],
    /// What goes from step to step: zero before the last step of the window.
    pub carry: &'a mut [N],
    /// Scratch.
    pub scratch: &'a mut [N],
    /// Written for [`Cell::gather`]: [`Cell::derived_len`] numbers.
    pub derived: &'a mut [N],
}

/// The units of a layout: chunks of at most `unit` numbers that do not cross from one tensor into the next.
pub(crate) fn units(layout: &Layout, unit: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for tensor in layout.tensors() {
        for start in tensor.range.clone().step_by(unit.max(1)) {
            out.push(start..(start + unit.max(1)).min(tensor.range.end));
        }
    }
    out
}
