//! Associative memories, random features, gradient descent as memory and learned first-order methods, for Rust
//! notebooks in which every claim of a paper is recomputed in front of the reader.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`gradient_memory`] | gradient steps as associative memory, and the rules beyond them |
//! | [`memory`] | associative memories with random embeddings on heavy-tailed data |
//! | [`memformer`] | linear transformers with memory registers that learn first-order methods |
//! | [`optimizer`] | learned optimizers with compact memories, their rivals, and tasks |
//! | [`features`] | positive random features of the softmax kernel and memories made of them |
//! | [`stats`] | intervals, slope fits, paired tests, quadrature, named random streams |
//! | [`checks`] | the check of each statement, under the statement's name |
//! | [`ledger`] | claims, evidence, verdicts, export |
//! | [`display`] | tables, figures and the MIME bundles that carry them |
//! | [`work`] | stopping and watching long computations |
//! | [`exact`] | exact fractions of any size |
//! | [`timing`] | one fixed routine, for the benchmark |
//! | [`prelude`] | what a notebook needs, in one line |
//!
//! Where things of the field are, under the names that it gives them; the page of each module has a table from the documents' symbols to
//! items, and one from equation, theorem and figure to items and claims.
//!
//! | looked for | here |
//! | --- | --- |
//! | gradient descent with momentum, heavy ball; NAG, accelerated gradient descent | [`memformer::SingleMemory`], [`gradient_memory::HeavyBall`]; [`memformer::nesterov`] |
//! | conjugate gradients (CG, CGD, PCG) | [`memformer::conjugate_gradient`], [`memformer::preconditioned_conjugate_gradient`] |
//! | GD++, Newton | [`memformer::gd_plus_plus`], [`memformer::newton_step`] |
//! | linear attention, softmax attention | [`memformer::attention`], [`features::LinearAttention`], [`features::softmax_attention`] |
//! | FAVOR+, FAVOR++, Performer, random features | [`features::FeatureMap`], [`features::MapKind`] |
//! | Hopfield networks, dense associative memories | [`features::compact`], [`memory::AssociativeMemory`] |
//! | mixture of experts, gates | [`memformer::Gated`] |
//! | delta rule, LMS, NLMS, RLS | [`gradient_memory`] |
//! | Adam, AdaGrad, RMSProp, SGD | [`optimizer::classical`], [`memformer::adam`], [`memory::DescentRule`] |
//! | KV cache | [`optimizer::cell::Memory`] |
//! | learned optimizers, meta-training | [`optimizer::Learned`], [`optimizer::meta`] |
//! | Zipf's law, scaling laws, muP | [`memory::Zipf`], [`memory::ErrorCurve`], [`memory::WidthRates`] |
//!
//! Each module is a crate of its own, which sees only what it may: the papers' rooms know nothing of display, ledger or each
//! other (but for the optimizer, whose memories are made of [`features`]), and all stand on `workbench-ground`. This crate puts them under
//! one name, as one shared object for notebooks. Examples on the pages of a module name its crate: `workbench_memory::Zipf` there is
//! `workbench::memory::Zipf` here, and `workbench_ground::stats` is `workbench::stats`.
//!
//! The numeric modules share one error type, each under its own name (`memory::Error`, `stats::Error`, ...), so `?` leads from any of them
//! into any other.
//!
//! The feature `tensors`, off unless asked for, adds what works on tensors of candle: memformers with free P and Q in `tensors`, the
//! optimizers on the variables of a model in `variables`. `cuda` lets them train on an NVIDIA GPU, and building it needs the CUDA toolkit.
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

pub mod prelude;
pub mod timing;

// Modules and not renamed crates: the compiler names the types of variables by these paths.

/// The check of each statement, under the statement's name.
pub mod checks {
    #[doc(inline)]
    pub use workbench_checks::*;
}

/// Tables, figures and the MIME bundles that carry them.
pub mod display {
    #[doc(inline)]
    pub use workbench_display::*;
}

/// Positive random features of the softmax kernel and memories made of them.
pub mod features {
    #[doc(inline)]
    pub use workbench_features::*;
}

/// Gradient steps as associative memory, and the rules beyond them.
pub mod gradient_memory {
    #[doc(inline)]
    pub use workbench_gradient_memory::*;
}

/// Claims, evidence, verdicts, export.
pub mod ledger {
    #[doc(inline)]
    pub use workbench_ledger::*;
}

/// Linear transformers with memory registers that learn first-order methods.
pub mod memformer {
    #[doc(inline)]
    pub use workbench_memformer::*;
}

/// Associative memories with random embeddings on heavy-tailed data.
pub mod memory {
    #[doc(inline)]
    pub use workbench_memory::*;
}

/// Learned optimizers with compact memories, their rivals, and tasks to train them on.
pub mod optimizer {
    #[doc(inline)]
    pub use workbench_optimizer::*;
}

/// Memformers with free P and Q as tensors, on the machine's cores or a GPU.
#[cfg(feature = "tensors")]
pub mod tensors {
    #[doc(inline)]
    pub use workbench_tensors::*;
}

/// Learned and classical optimizers on the variables of a candle model.
#[cfg(feature = "tensors")]
pub mod variables {
    #[doc(inline)]
    pub use workbench_variables::*;
}

pub use workbench_ground::{exact, stats, work};

// The crates whose types appear in this one's signatures, for cells to use without naming versions.
#[cfg(feature = "tensors")]
pub use candle_core;
pub use ndarray;
pub use ndarray_linalg;
pub use plotters;
pub use polars;
pub use rand;

#[cfg(test)]
mod tests {
    use crate::{features, gradient_memory, memformer, memory, stats};

    /// Cells name the error by the room they work in, and use `?` on results of others.
    #[test]
    fn every_numeric_room_has_the_one_error_under_its_name() {
        fn of_statistics() -> Result<f64, stats::Error> {
            Ok(stats::mean(&[])?.value)
        }
        fn of_memory() -> Result<f64, memory::Error> {
            Ok(memory::Zipf::new(2.0, 5)?.probability(1) + of_statistics()?)
        }
        fn of_features() -> Result<f64, features::Error> {
            of_memory()
        }
        fn of_compact() -> Result<f64, features::compact::Error> {
            Ok(features::a_hat(0.5)? + of_features()?)
        }
        fn of_gradients() -> Result<f64, gradient_memory::Error> {
            of_compact()
        }
        fn of_memformers() -> Result<f64, memformer::Error> {
            of_gradients()
        }
        let error = of_memformers().unwrap_err();
        assert!(matches!(error, stats::Error::Empty { op: "mean", .. }), "{error}");
    }
}
