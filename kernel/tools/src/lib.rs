//! Tools for who works on claims and methods: what holds a checkout, or a reader's own project, to its own rules.
//!
//! A claim begins with [`new`]: its row in the registry, its check, its section of a notebook. [`lint`] reads the notebooks as a reader would,
//! and holds the numbers in their prose to the record: a verdict's findings come in as tables, and what comes out is a complaint with its
//! place. [`power`] asks what a verdict is worth: it plants a fault in a method, has the checks judged again, and names the faults that no
//! verdict has caught. [`mod@test`] is all of it before a change is sent: format, lints, tests, every notebook through the runner, the record
//! beside the committed one, site and JupyterLab in a browser. [`bundle`] takes the comparison of a GPU with the processor to a machine that
//! has nothing of the project.

#![warn(missing_docs)]

pub mod bundle;
mod inert;
pub mod lint;
pub mod new;
pub mod power;
pub mod test;

#[cfg(test)]
#[path = "../../setup/src/system/fake.rs"]
mod fake;
#[cfg(test)]
#[allow(dead_code, reason = "these tests need a part of it")]
#[path = "../../queries/src/fixtures.rs"]
mod fixtures;
