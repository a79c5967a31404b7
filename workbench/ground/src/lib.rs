//! Ground of the papers' rooms, the display and the ledger.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`Error`] | what a numeric room refuses or cannot finish: one type for all of them |
//! | [`check`] | the usual refusals, each in one line |
//! | [`stats`] | intervals, slope fits, paired tests, quadrature, named random streams |
//! | [`work`] | stopping and watching long computations |
//! | [`AdamStep`] | Adam as a tool: one update |
//! | `exact` | exact fractions of any size, behind the feature of that name |
//! | [`counted`] | floats that count what is done with them |
//! | [`tabulated`] | results as named columns, for tables and figures |
//! | [`lanes`] | vectors as wide as the processor's registers |
//! | [`room`] | room for many numbers, in large pages |
//! | [`channel`] | the way from the process that runs a cell to the kernel |
//! | [`rehearsal`] | stopping rehearsed in tests of the rooms |

#![warn(missing_docs)]

mod adam;
pub mod channel;
pub mod check;
pub mod counted;
mod error;
mod estimate;
#[cfg(feature = "exact")]
pub mod exact;
mod extremes;
pub mod lanes;
pub mod rehearsal;
mod room;
pub mod stats;
pub mod tabulated;
pub mod work;

pub use adam::AdamStep;
pub use error::Error;
pub use room::room;
pub use tabulated::{Columns, Tabulated};
