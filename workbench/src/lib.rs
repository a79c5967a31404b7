//! Associative memories, random features, gradient descent as memory and learned first-order methods, for Rust
//! notebooks in which every claim of a paper is recomputed in front of the reader.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`gradient_memory`] | gradient steps as associative memory, and the rules beyond them |
//! | [`memory`] | associative memories with random embeddings on heavy-tailed data |
//! | [`memformer`] | linear transformers with memory registers that learn first-order methods |
//! | [`features`] | positive random features of the softmax kernel and memories made of them |
//! | [`stats`] | intervals, slope fits, paired tests, quadrature, named random streams |
//! | [`ledger`] | claims, evidence, verdicts, export |
//! | [`display`] | tables, figures and the MIME bundles that carry them |
//! | [`work`] | stopping and watching long computations |
//! | [`timing`] | one fixed routine, for the benchmark |
//! | [`prelude`] | what a notebook needs, in one line |
//!
//! Papers' modules know nothing of display, ledger or each other; what two of them share moves down to `stats`.
//!
//! ```
//! use workbench::prelude::*;
//!
//! let streams = Streams::new(1);
//! let draws = normal_array2(&mut streams.stream("draws")?, 1, 1000);
//! let mean = mean(&draws.row(0).to_vec())?;
//! assert!(mean.contains(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod display;
pub mod features;
pub mod gradient_memory;
pub mod ledger;
pub mod memformer;
pub mod memory;
pub mod prelude;
pub mod stats;
pub mod timing;
pub mod work;

// The crates whose types appear in this one's signatures, for cells to use without naming versions.
pub use candle_core;
pub use ndarray;
pub use ndarray_linalg;
pub use plotters;
pub use polars;
pub use rand;
