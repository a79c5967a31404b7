//! Learned rivals of the memory cell.
//!
//! | rival | here |
//! | --- | --- |
//! | the LSTM optimizer of \[2\] | [`Lstm`], [`LstmForm::default`] |
//! | RNNprop: inputs scaled by running means, bounded updates | [`LstmForm::rnnprop`] |
//! | either with as many weights as another cell | [`LstmForm::matching`] |
//! | attention over a cache, averages, no memory | [`Memory`](crate::cell::Memory) in the cell's own form |

mod lstm;
mod scaled;
#[cfg(test)]
mod tests;

pub use lstm::{Inputs, Lstm, LstmForm, Output};
