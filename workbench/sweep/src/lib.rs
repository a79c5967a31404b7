//! Grids of parameters times seeds that outgrow one machine: planned once, computed in shards by any scheduler, merged to one table.
//!
//! | in words | here |
//! | --- | --- |
//! | a grid of typed points, replicates, one function from a point and its draws to columns | [`Sweep`] |
//! | what is computed, from which commit, in how many shards; written once, edited never | [`Plan`] |
//! | the draws of one point and one replicate, named by seed, sweep, point and replicate | [`Draws`] |
//! | one process, one part of the tasks, one Parquet file | [`compute`] |
//! | which shards are there and sound, whatever a scheduler believes | [`states`] |
//! | one table in the order of the plan, the same bytes for every number of shards | [`merge`] |
//! | the table in place of computing, for a check | [`Sweep::result`] |
//!
//! [`running`] says how shards are run, here and on clusters; [`cost`] what the documents' grids cost on 1, 100 and 10,000 cores.
//! The papers' rooms know nothing of sweeps: those of [`sweeps`] are plain functions over what the rooms offer to everybody.

#![warn(missing_docs)]

mod blas;
pub mod cli;
mod compute;
mod draws;
mod error;
mod merge;
mod origin;
mod plan;
mod result;
mod shard;
pub mod slurm;
mod status;
mod sweep;
pub mod sweeps;
mod table;

pub use compute::{Computed, How, compute};
pub use draws::{Draws, name_of};
pub use error::{Error, Result};
pub use merge::{DATA, Merged, TIMES, merge};
pub use origin::{SOURCE, commit};
pub use plan::{FILE, Plan, Wanted, data_folder, shards_folder};
pub use result::{Found, Taken};
pub use shard::file;
pub use status::{State, missing, ranges, report, states};
pub use sweep::{AnySweep, Column, Kind, Rows, Sweep};

#[doc = include_str!("../pages/running.md")]
pub mod running {}

#[doc = include_str!("../pages/cost.md")]
pub mod cost {}
