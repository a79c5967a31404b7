//! Retrieval: asynchronous flips until none is wanted.

use super::{Error, Signs};
use workbench_ground::check::positive;
use workbench_ground::stats::Stream;
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work;

/// Which sign of the energy change makes a flip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dynamics {
    /// Flip when the energy falls.
    Descend,
    /// Flip when the energy rises; for comparison.
    Ascend,
}

/// Where the updates ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retrieval {
    /// The last state.
    pub state: Signs,
    /// Flips made.
    pub flips: usize,
    /// Sweeps over all entries, the last one without a flip if `converged`.
    pub sweeps: usize,
    /// Whether a whole sweep wanted no flip: the state is a fixed point.
    pub converged: bool,
}

/// One row: what it took, without the state.
impl Tabulated for Retrieval {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Retrieval")
            .with("flips", [self.flips])
            .with("sweeps", [self.sweeps])
            .with("converged", [self.converged]))
    }
}

/// A state in an energy landscape that can be walked one flip at a time.
pub(crate) trait Landscape {
    /// A number with the sign of the energy change of flip `i`.
    fn change(&self, i: usize) -> f64;
    /// Makes the flip.
    fn flip(&mut self, i: usize);
    fn state(&self) -> &Signs;
}

pub(crate) fn retrieve(
    op: &'static str,
    mut walker: impl Landscape,
    dynamics: Dynamics,
    sweeps: usize,
    stream: &mut Stream,
) -> Result<Retrieval, Error> {
    positive(op, "the number of sweeps", sweeps)?;
    let n = walker.state().dim();
    let mut flips = 0;
    for sweep in 1..=sweeps {
        let before = flips;
        for i in stream.permutation(n) {
            work::check(op, sweep - 1, sweeps)?;
            let change = walker.change(i);
            // A change of exactly zero wants no flip under either of them.
            let wanted = match dynamics {
                Dynamics::Descend => change < 0.0,
                Dynamics::Ascend => change > 0.0,
            };
            if wanted {
                walker.flip(i);
                flips += 1;
            }
        }
        if flips == before {
            return Ok(Retrieval { state: walker.state().clone(), flips, sweeps: sweep, converged: true });
        }
    }
    Ok(Retrieval { state: walker.state().clone(), flips, sweeps, converged: false })
}
