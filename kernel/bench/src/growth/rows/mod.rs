//! The rows: computations, each along one of its sizes, with the cost that its documentation states.

mod features;
mod free;
mod gradient_memory;
mod memformer;
mod memory;
mod optimizer;

/// A computation along one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthRow {
    /// The name that `workbench/examples/bench_growth` knows it by.
    pub name: &'static str,
    /// The room.
    pub room: &'static str,
    /// What is computed.
    pub what: &'static str,
    /// The size that varies.
    pub axis: &'static str,
    /// File of the function, below `workbench/`.
    pub file: &'static str,
    /// Function or type whose documentation states the cost.
    pub item: &'static str,
    /// The cost as it stands there.
    pub cost: &'static str,
    /// Its exponent in the size, of time.
    pub time: f64,
    /// Of memory, inputs and results among it; none where what is stated mixes several parts.
    pub memory: Option<f64>,
    /// The least size.
    pub least: usize,
    /// The largest, in units of the least: sixteen, or less where more would cross from one cache into the next.
    pub span: f64,
}

/// Sizes of a row: enough degrees of freedom that an interval at 99.9 % decides.
pub const SIZES: usize = 9;

/// A row, from its parts.
const fn row(
    (room, name): (&'static str, &'static str),
    (what, axis): (&'static str, &'static str),
    (file, item, cost): (&'static str, &'static str, &'static str),
    (time, memory): (f64, Option<f64>),
    least: usize,
    span: f64,
) -> GrowthRow {
    GrowthRow { name, room, what, axis, file, item, cost, time, memory, least, span }
}

impl GrowthRow {
    /// Its sizes, from the least to the largest by one factor, rounded to even ones: hyperbolic features come in pairs.
    pub fn sizes(&self) -> [usize; SIZES] {
        let factor = |at: usize| self.span.powf(at as f64 / (SIZES - 1) as f64);
        std::array::from_fn(|at| 2 * (self.least as f64 * factor(at) / 2.0).round() as usize)
    }
}

const FLAT: Option<f64> = Some(0.0);
const LINEAR: Option<f64> = Some(1.0);
const SQUARE: Option<f64> = Some(2.0);

/// All of them, room by room.
pub fn all() -> Vec<&'static GrowthRow> {
    let rooms = [memory::ROWS, features::ROWS, gradient_memory::ROWS, memformer::ROWS, free::ROWS, optimizer::ROWS];
    rooms.into_iter().flatten().collect()
}
