//! Room for the numbers of one step, kept between steps.

use ndarray::Array2;

/// What a step needs besides the state: made once, and filled anew by every step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Counts of the rows of a batch, scaled.
    pub weights: Vec<f64>,
    /// Corrections of all rows, and what they change in the scores of their own input.
    pub deltas: Vec<f64>,
    pub changes: Vec<f64>,
    /// Scores of one input.
    pub own: Vec<f64>,
    pub inputs: Vec<u32>,
    /// Corrections summed over inputs, what they change in `U W`, and the product of both, `(M, d)`.
    pub sums: Array2<f64>,
    pub moved: Array2<f64>,
    pub product: Array2<f64>,
}

/// `out` as so many zeros.
pub(super) fn zeros<T: Clone + Default>(out: &mut Vec<T>, len: usize) {
    out.clear();
    out.resize(len, T::default());
}
