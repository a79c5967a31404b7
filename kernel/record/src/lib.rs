//! Record on disk: verdicts with what they were derived from, who computed them, and who may write.
//!
//! Cells write it, the runner judges by it, the commands read it. This crate knows no display, no plots and no polars, and
//! neither the runner nor the crate that cells call.
//!
//! | file | holds |
//! | --- | --- |
//! | `registry` | `claims.toml`: what the documents say, what rests on what |
//! | `row`, `finding`, `run` | the lines of `ledger.csv`, the findings (a file for each scale) and `notes.csv`, `runs.csv` |
//! | `table` | a typed table as a CSV file |
//! | `store`, `held`, `lock`, `atomic` | the tables of a folder, what is put into them, who may write them, how |
//! | `baseline` | `expected.csv`, the committed verdicts |
//! | `digest`, `stale` | what a row was computed from, and whether that is what stands there today |
//! | `program` | what messages and pages call this program |
//! | `number`, `words` | numbers and texts with equations as people read them |
//! | `signs`, `formulas` | signs outside ASCII as commands of LaTeX; what is a formula in plain words |
//! | `cells`, `scan`, `checks` | notebook files, which claims a cell records, which files hold checks |
//! | `answer` | of a claim that does not hold as printed, the number against it and the one that is right |
//! | `family` | one family-wise level for all findings of a run |
//! | `audit`, `problem`, `coverage` | do registry, notebooks, rows and verdicts agree |

mod answer;
pub mod atomic;
mod audit;
mod baseline;
pub mod cells;
pub mod checks;
mod coverage;
pub mod digest;
mod error;
mod family;
mod finding;
pub mod formulas;
mod held;
mod lock;
pub mod near;
pub mod number;
mod problem;
mod program;
#[cfg(test)]
mod properties;
mod registry;
mod row;
mod run;
mod scan;
mod seeds;
pub mod signs;
mod stale;
mod store;
pub mod table;
mod verdict;
pub mod words;

pub use answer::{expected_text, number_of_change, printed_and_right};
pub use atomic::Stamp;
pub use audit::Audit;
pub use baseline::Baseline;
pub use cells::Cells;
pub use checks::{CheckFile, Checks};
pub use coverage::{Coverage, PaperCoverage};
pub use error::Error;
pub use family::{Family, LEVEL};
pub use finding::{FindingLine, Note, Outcome, Role};
pub use held::Held;
pub use lock::Lock;
pub use problem::Problem;
pub use program::{CALLED, is_checkout, program, program_of, unprintable};
pub use registry::{Claim, Paper, Registry};
pub use row::Row;
pub use run::Run;
pub use seeds::{seconds, seeds};
pub use stale::{Stale, Today};
pub use store::{Entry, Store, Tables, save_fallback};
pub use table::{Key, Line};
pub use verdict::{Kind, Scale, Verdict};
