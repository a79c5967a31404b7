//! Display of a notebook: tables from polars frames, figures drawn through plotters, and the MIME bundles that carry them.
//!
//! A value whose type has a method `evcxr_display(&self)` shows itself as the last expression of a cell. [`Figure`] and
//! [`Table`] have one; [`ShowTable`] gives one to a bare `DataFrame`, a `Series` and every [`Tabular`] struct, [`ShowResult`] to every
//! [`Tabulated`] result of a paper's room.
//! While such a method runs, all that it prints in the form of evcxr's frames is shown as what the frame says: a display of your own that
//! prints data which it did not make escapes it, or prints none.
//!
//! [`Live`] is an output that is updated in place and [`Progress`] one that follows a loop; [`input()`] asks the person at the
//! keyboard. Under our kernel they use its channel, elsewhere they fall back to what a terminal can do.
//!
//! [`Sketch`] is the drawing of an object: boxes, arrows and grids with their names.
//!
//! Figures draw all text with an embedded font (see `workbench/assets/`), so they look the same on every machine.

#![warn(missing_docs)]

mod bundle;
mod describe;
mod error;
#[doc(hidden)]
pub mod escape;
mod estimate;
mod export;
mod figure;
mod film;
mod frame;
mod input;
mod live;
mod mime;
mod number;
mod progress;
#[cfg(test)]
mod properties;
mod show;
mod sketch;
mod table;

pub use bundle::{Bundle, emit};
pub use describe::describe;
pub use error::Error;
pub use figure::{Figure, Numbers, PALETTE, Panel, use_embedded_font};
pub use film::Film;
pub use frame::{columns, frame, matrix_frame};
pub use input::{input, password};
pub use live::{Live, Showable, clear};
pub use mime::{Mime, OtherMime};
pub use number::significant;
pub use progress::{Progress, Steps};
pub use show::{ShowResult, ShowTable, Tabular};
pub use sketch::{Sketch, Spot};
pub use table::Table;
pub use workbench_ground::tabulated::{ColumnEntry, Columns, Tabulated, Values};
