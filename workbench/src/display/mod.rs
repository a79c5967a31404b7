//! What a notebook shows: tables from polars frames, figures drawn through plotters, and the MIME bundles that carry them.
//!
//! A value whose type has a method `evcxr_display(&self)` shows itself as the last expression of a cell. [`Figure`] and
//! [`Table`] have one; [`ShowTable`] gives one to a bare `DataFrame`, a `Series` and every [`Tabular`] struct.
//!
//! Figures draw all text with an embedded font (see `workbench/assets/`), so they look the same on every machine.

mod bundle;
mod describe;
mod error;
pub(crate) mod escape;
mod estimate;
mod export;
mod figure;
mod frame;
mod html;
mod number;
mod show;
mod table;
mod text;

pub use bundle::{Bundle, Mime, emit};
pub use describe::describe;
pub use error::Error;
pub use figure::{Figure, Numbers, PALETTE, Panel, use_embedded_font};
pub use frame::{Values, columns, frame, matrix_frame};
pub use number::significant;
pub use show::{ShowTable, Tabular};
pub use table::Table;
