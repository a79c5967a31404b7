//! Derivatives by matrices, gathered from several units at a time.
//!
//! $$ \frac{\partial L}{\partial W}\mathrel{+}=\sum_{\text{units}}d_y\,x^\top,\quad y=Wx+b $$
//!
//! A unit by itself reads and writes a whole matrix of sums for one product of each entry. Here a tile of sums stays in registers while
//! units pass, in their order, so the sums are those that unit after unit would leave, to the last bit.

use crate::number::CellNumber;

/// Units whose derivatives are kept until they are gathered: their inputs to one layer fit the nearest cache.
pub(crate) const UNITS: usize = 8;
/// Rows and columns of a tile.
const TILE: usize = 4;

/// What the adjoints of one step left of some units: the tapes, and derivatives by what their layers gave.
#[derive(Clone, Copy, Debug)]
pub struct Gathered<'a, N> {
    /// The tapes of the units' windows, one after the other.
    pub tapes: &'a [N],
    /// Numbers on the tapes of one unit's window.
    pub window: usize,
    /// Where the step begins on them.
    pub start: usize,
    /// [`Cell::derived_len`](super::Cell::derived_len) numbers of each unit.
    pub derived: &'a [N],
    /// How many these are.
    pub each: usize,
}

impl<'a, N: CellNumber> Gathered<'a, N> {
    fn units(&self) -> usize {
        self.derived.len() / self.each
    }

    /// `len` inputs of one unit to a layer: `x` counts from the start of the step's tape.
    #[inline(always)]
    fn inputs(&self, unit: usize, x: usize, len: usize) -> &'a [N] {
        let from = unit * self.window + self.start + x;
        &self.tapes[from..from + len]
    }

    /// `len` derivatives by what it gave: `y` counts from the unit's first.
    #[inline(always)]
    fn derivatives(&self, unit: usize, y: usize, len: usize) -> &'a [N] {
        let from = unit * self.each + y;
        &self.derived[from..from + len]
    }

    /// Adds $\sum d_y\,x^\top$ to a matrix row by row, for the inputs at `x` of the tapes and the derivatives at `y`.
    #[inline(always)]
    pub(crate) fn add(&self, matrix: &mut [N], columns: usize, x: usize, y: usize) {
        let rows = matrix.len() / columns;
        let (whole_rows, whole_columns) = (rows / TILE * TILE, columns / TILE * TILE);
        for row in (0..whole_rows).step_by(TILE) {
            for column in (0..whole_columns).step_by(TILE) {
                let mut sums = [[N::zero(); TILE]; TILE];
                for (i, sums) in sums.iter_mut().enumerate() {
                    let from = (row + i) * columns + column;
                    sums.copy_from_slice(&matrix[from..from + TILE]);
                }
                for unit in 0..self.units() {
                    let (x, d) = (self.inputs(unit, x + column, TILE), self.derivatives(unit, y + row, TILE));
                    for (sums, d) in sums.iter_mut().zip(d) {
                        for (sum, x) in sums.iter_mut().zip(x) {
                            *sum = sum.plus(*d, *x);
                        }
                    }
                }
                for (i, sums) in sums.iter().enumerate() {
                    let from = (row + i) * columns + column;
                    matrix[from..from + TILE].copy_from_slice(sums);
                }
            }
        }
        for row in 0..rows {
            let from = if row < whole_rows { whole_columns } else { 0 };
            for column in from..columns {
                let sum = &mut matrix[row * columns + column];
                for unit in 0..self.units() {
                    *sum = sum.plus(self.derivatives(unit, y + row, 1)[0], self.inputs(unit, x + column, 1)[0]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_and_their_edges_leave_the_bits_of_unit_after_unit() {
        for (rows, columns) in [(4, 4), (7, 6), (3, 9), (16, 2), (1, 5)] {
            // Two steps a window, of which the second is asked; three numbers before the input, two before the derivative.
            let (tape, units) = (columns + 3, 5);
            let number = |i: usize| (0.37 * i as f64).sin();
            let tapes: Vec<f64> = (0..units * 2 * tape).map(number).collect();
            let derived: Vec<f64> = (0..units * (rows + 2)).map(|i| number(7 * i + 1)).collect();
            let mut sums: Vec<f64> = (0..rows * columns).map(|i| number(i + 5)).collect();
            let mut right = sums.clone();
            for u in 0..units {
                for r in 0..rows {
                    for c in 0..columns {
                        let (d, x) = (derived[u * (rows + 2) + 2 + r], tapes[(2 * u + 1) * tape + 3 + c]);
                        right[r * columns + c] = right[r * columns + c].plus(d, x);
                    }
                }
            }
            let gathered = Gathered { tapes: &tapes, window: 2 * tape, start: tape, derived: &derived, each: rows + 2 };
            gathered.add(&mut sums, columns, 3, 2);
            assert_eq!(sums, right, "{rows} rows, {columns} columns");
        }
    }
}
