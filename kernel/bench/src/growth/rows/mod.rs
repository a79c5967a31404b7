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
    /// Sizes.
    pub sizes: [usize; 5],
}

/// A row, with its sizes as the least and a factor.
#[allow(clippy::too_many_arguments)]
const fn row(
    (room, name): (&'static str, &'static str),
    (what, axis): (&'static str, &'static str),
    (file, item, cost): (&'static str, &'static str, &'static str),
    (time, memory): (f64, Option<f64>),
    least: usize,
    factor: usize,
) -> GrowthRow {
    let [a, b, c, d] = [factor, factor.pow(2), factor.pow(3), factor.pow(4)];
    let sizes = [least, a * least, b * least, c * least, d * least];
    GrowthRow { name, room, what, axis, file, item, cost, time, memory, sizes }
}

impl GrowthRow {
    /// The same from its least size to four times as much, by factors of the square root of two: where twice as much would cross from one cache
    /// into the next.
    const fn by_half_steps(self) -> GrowthRow {
        let least = self.sizes[0];
        GrowthRow { sizes: [least, least * 181 / 128, 2 * least, least * 181 / 64, 4 * least], ..self }
    }
}

/// From a million to a hundred million, by half decades.
const MILLIONS: [usize; 5] = [1_000_000, 3_162_278, 10_000_000, 31_622_777, 100_000_000];

const FLAT: Option<f64> = Some(0.0);
const LINEAR: Option<f64> = Some(1.0);
const SQUARE: Option<f64> = Some(2.0);

/// All of them, room by room.
pub fn all() -> Vec<&'static GrowthRow> {
    let rooms = [memory::ROWS, features::ROWS, gradient_memory::ROWS, memformer::ROWS, free::ROWS, optimizer::ROWS];
    rooms.into_iter().flatten().collect()
}
