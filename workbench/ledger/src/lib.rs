//! Claims, evidence and verdicts.
//!
//! `notebooks/claims.toml` is the [`Registry`]: what each document says and how it is checked. A notebook
//! opens a [`Ledger`], measures, and records [`Evidence`] made of [`Finding`]s; the [`Verdict`] is derived
//! from them and a [`Row`] is written to `ledger.csv` at once, its findings beside it.
//!
//! ```no_run
//! use workbench_ground::stats::Estimate;
//! use workbench_ledger::{Evidence, Finding, Ledger};
//! let ledger = Ledger::open("heavy-tailed-scaling-laws")?;
//! let slope = Estimate::new(-0.51, -0.53, -0.49, 20, 0.999)?;
//! let card = ledger.record(
//!     "heavy-tailed/thm-1",
//!     Evidence::of(Finding::equals("slope of the error", -0.5, 0.05, slope))
//!         .twin(Finding::equals("the exponent without the half", -1.0, 0.05, slope)),
//! )?;
//! println!("{}", card.text());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | holds |
//! | --- | --- |
//! | `finding`, `evidence`, `entry` | from numbers to a verdict and what is written down |
//! | `check`, `margin` | a computation that speaks about one claim, and what is fixed before it runs |
//! | `own` | the same for claims of one's own |
//! | `swept` | what a check may take in place of computing |
//! | `session`, `settings` | the open ledger of a notebook |
//! | `card`, `summary`, `show` | what a notebook shows |
//! | [`Frames`], `export` | the tables as frames and files |
//!
//! What lies on disk (registry, tables, committed verdicts, digests, audit) is the crate `workbench-record`, which the runner
//! shares; its types are re-exported here.

#![warn(missing_docs)]

// The check that a new claim begins with names the crate as its reader does.
#[cfg(test)]
extern crate self as workbench_ledger;

mod card;
mod check;
mod command;
mod entry;
mod error;
mod evidence;
mod export;
mod finding;
mod frame;
mod known;
mod margin;
mod own;
pub mod prelude;
mod session;
mod setting;
mod settings;
mod shared;
mod sheet;
mod show;
mod summary;
mod swept;
mod words;

pub use card::{Committed, VerdictCard};
pub use check::{Check, CheckCard, Checked, Failure, Turned};
pub use command::command;
pub use error::Error;
pub use evidence::Evidence;
pub use export::export;
pub use finding::Finding;
pub use frame::Frames;
pub use margin::{Allowance, Margin, Origin};
pub use session::Ledger;
pub use setting::Setting;
pub use settings::Settings;
pub use sheet::{Cases, Done, Knob, Says, Sheet, Turn, Value};
pub use summary::Summary;
pub use swept::{Sourced, Sweeps, Swept};
pub use workbench_record::{
    Baseline, Cells, CheckFile, Checks, Claim, Entry, Error as RecordError, FindingLine, Note, Outcome, Paper,
    Registry, Role, Row, Run as RecordRun, Scale, Store, Tables, Verdict,
};
