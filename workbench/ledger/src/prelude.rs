//! Prelude of notebooks in a project of one's own, which re-exports it: tables and figures, the ledger, statistics, arrays and frames.

pub use crate::{Evidence, Finding, Ledger, Outcome, Scale, Verdict, VerdictCard};
pub use ndarray::{self, Array1, Array2, Axis, array, s};
pub use polars::prelude::{ChunkAgg, Column, DataFrame, IntoColumn, IntoLazy, NamedFrom, Series, col, lit};
pub use workbench_display::{
    self as display, Bundle, Columns, Figure, Film, Live, Panel, Progress, ShowResult, ShowTable, Table, Tabular,
    Tabulated, describe, emit, frame,
};
pub use workbench_ground::stats::{
    self, Estimate, PowerFit, Stream, Streams, bootstrap, mean, median, normal_array2, paired_difference, power_fit,
    power_fit_runs, proportion, quantile, unit_sphere, zeta_tail,
};
