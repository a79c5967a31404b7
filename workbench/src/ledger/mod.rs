//! Claims, evidence and verdicts.
//!
//! `notebooks/claims.toml` is the [`Registry`]: what each document says and how it is checked. A notebook
//! opens a [`Ledger`], measures, and records [`Evidence`] made of [`Finding`]s; the [`Verdict`] is derived
//! from them and a [`Row`] is written to `ledger.csv` at once.
//!
//! ```no_run
//! use workbench::ledger::{Evidence, Finding, Ledger};
//! use workbench::stats::Estimate;
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
//! | `registry` | `claims.toml` |
//! | `finding`, `evidence`, `verdict` | from numbers to a verdict |
//! | `session`, `settings` | the open ledger of a notebook |
//! | `row`, `store`, `baseline` | `ledger.csv` and `expected.csv` |
//! | `card`, `summary` | what a notebook shows |
//! | `frame`, `export` | the tables for a paper |
//! | `scan`, `audit`, `problem`, `coverage` | do ids, cells, rows and verdicts agree |

mod audit;
mod baseline;
mod card;
mod coverage;
mod error;
mod evidence;
mod export;
mod finding;
mod frame;
mod near;
mod number;
mod problem;
mod registry;
mod row;
mod scan;
mod session;
mod settings;
mod show;
mod store;
mod summary;
mod verdict;

pub use audit::Audit;
pub use baseline::{Baseline, EXPECTED_COLUMNS};
pub use card::{Committed, VerdictCard};
pub use coverage::{Coverage, PaperCoverage};
pub use error::Error;
pub use evidence::Evidence;
pub use export::{export, latex, markdown};
pub use finding::{Finding, Outcome};
pub use frame::frame;
pub use problem::Problem;
pub use registry::{Claim, Paper, Registry};
pub use row::{COLUMNS, Row};
pub use session::Ledger;
pub use settings::Settings;
pub use store::Store;
pub use summary::Summary;
pub use verdict::{Scale, Verdict};
