//! Figures drawn through plotters backends of our own: compact SVG and anti-aliased PNG from one layout.
//!
//! The way of a figure: [`Panel`] and [`Figure`] collect input; `ready` leaves out what cannot be drawn and finds ranges;
//! `layout` places the parts of a panel and `paint` turns them into shapes in logical pixels; `shape` sends the shapes through plotters; `svg` and `raster` are
//! the two backends. A sketch makes shapes of its own and goes the same way from there.

mod axes;
mod encode;
#[allow(clippy::module_inception)]
mod figure;
mod font;
mod heatmap;
mod layout;
mod legend;
mod lines;
mod paint;
mod palette;
mod panel;
mod quick;
mod raster;
mod ready;
mod shape;
mod svg;

pub(crate) use encode::indexed;
pub use figure::Figure;
pub(crate) use figure::{PNG_SCALE, spoken};
pub use font::use_embedded_font;
pub(crate) use font::width as text_width;
pub use palette::PALETTE;
pub(crate) use palette::{FAINT, GRID, Rgb, TEXT, WHITE};
pub use panel::{Numbers, Panel};
pub(crate) use raster::render as render_png;
pub(crate) use shape::{Shape, Side};
pub(crate) use svg::render as render_svg;
#[cfg(test)]
pub(crate) use svg::tests::well_formed;
