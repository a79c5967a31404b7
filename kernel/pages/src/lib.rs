//! Pages that people read: the record as a site, notebooks as HTML and on paper, the crates' own documentation with its equations.
//!
//! A verdict comes in as a row of the record with its findings. [`site`] puts it on the page of its claim, with its numbers, a picture of
//! them, what it rests on and what has changed since, and on the pages that list many; Sphinx sets them. [`export`] has the record's own
//! program write it as tables, and takes notebooks, with the outputs that their cells left, to pages and to paper. [`rustdoc`] has cargo
//! write the pages of the crates and sets the equations in their comments. All formulas are set by one module, and all links by another, so
//! that a claim looks alike wherever it stands.

#![warn(missing_docs)]

pub mod export;
pub mod rustdoc;
pub mod site;

#[cfg(test)]
#[path = "../../setup/src/system/fake.rs"]
mod fake;
#[cfg(test)]
#[allow(dead_code, reason = "these tests need a part of it")]
#[path = "../../queries/src/fixtures.rs"]
mod fixtures;
