//! Prelude of a notebook, in one line: `use workbench::prelude::*;`.
//!
//! Free functions of the papers' modules are not here: cells call them by their module, as in `memory::cap_bound`, so that
//! a reader sees which paper a line belongs to. No alias of `Result` is here, because a glob import of one breaks the
//! code that evcxr generates.

pub use crate::display::{
    self, Bundle, Columns, Figure, Film, Live, Panel, Progress, ShowResult, ShowTable, Sketch, Table, Tabular,
    Tabulated, describe, emit, frame,
};
pub use crate::ledger::{self, Evidence, Finding, Ledger, Outcome, Scale, Verdict, VerdictCard};
pub use crate::stats::{
    self, Estimate, PowerFit, Stream, Streams, bootstrap, mean, median, normal_array2, paired_difference, power_fit,
    power_fit_runs, proportion, quantile, unit_sphere, zeta_tail,
};
pub use ndarray::{self, Array1, Array2, Axis, array, s};
pub use polars::prelude::{ChunkAgg, Column, DataFrame, IntoColumn, IntoLazy, NamedFrom, Series, col, lit};
