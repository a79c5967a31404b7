//! What can go wrong in the heavy-tailed memory model, and what to try next.

/// Errors of the `memory` room.
///
/// Every message names the operation, the value that was refused and the next thing to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is outside the range in which the model is defined.
    #[error("{op}: {name} = {value} is not allowed; use {allowed}")]
    Parameter {
        /// The operation that refused the value.
        op: &'static str,
        /// The parameter's name.
        name: &'static str,
        /// The refused value.
        value: f64,
        /// The allowed range, as text.
        allowed: &'static str,
    },
    /// A count that must be positive is zero.
    #[error("{op}: {name} is zero; use at least 1")]
    Zero {
        /// The operation that refused the value.
        op: &'static str,
        /// The parameter's name.
        name: &'static str,
    },
    /// A Zipf law on infinitely many inputs that cannot be normalised.
    #[error("Zipf law: alpha = {alpha} has no normaliser on infinitely many inputs; take alpha > 1 or a finite N")]
    NotSummable {
        /// The exponent.
        alpha: f64,
    },
    /// A threshold larger than the number of inputs.
    #[error(
        "{op}: threshold P = {threshold} exceeds the number of inputs N = {n_inputs}; lower P or use the scheme without threshold"
    )]
    ThresholdBeyondInputs {
        /// The operation that refused the value.
        op: &'static str,
        /// The threshold.
        threshold: u64,
        /// The number of inputs.
        n_inputs: u64,
    },
    /// Weights that store nothing, or that are not finite.
    #[error("{op}: the weights {problem}; give finite weights that are not all zero")]
    Weights {
        /// The operation that refused the weights.
        op: &'static str,
        /// What is wrong with them.
        problem: &'static str,
    },
    /// Two sizes that must agree do not.
    #[error("{op}: {left_name} = {left} does not match {right_name} = {right}; rebuild both from the same N, M and d")]
    Shape {
        /// The operation that compared the sizes.
        op: &'static str,
        /// Name of the first size.
        left_name: &'static str,
        /// First size.
        left: usize,
        /// Name of the second size.
        right_name: &'static str,
        /// Second size.
        right: usize,
    },
    /// An operation that needs finitely many inputs was given infinitely many.
    #[error(
        "{op}: needs finitely many inputs; build the law with `Zipf::new(alpha, n_inputs)` or use `expected_error`"
    )]
    InfiniteInputs {
        /// The operation.
        op: &'static str,
    },
    /// An operation would enumerate more inputs than is sensible.
    #[error(
        "{op}: would enumerate {n_inputs} inputs (limit {limit}); use a periodic target and a power scheme, which need no enumeration"
    )]
    TooManyInputs {
        /// The operation.
        op: &'static str,
        /// Requested number of inputs.
        n_inputs: u64,
        /// The limit.
        limit: u64,
    },
    /// A name or position that the experiment does not have.
    #[error("{op}: no {what} at position {index}, there are {len}; positions start at 0")]
    NoSuch {
        /// The operation.
        op: &'static str,
        /// What was looked for.
        what: &'static str,
        /// The position asked for.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// A descent whose weights grew beyond all bounds.
    #[error(
        "{op}: the weights diverged at step {step}: norm {norm:.3e} beyond {limit:.1e} at learning rate {rate:.3e}; lower the rate or let it decay"
    )]
    Diverged {
        /// The operation.
        op: &'static str,
        /// The step after which this was seen, counted from 1.
        step: u64,
        /// The Frobenius norm of the weights.
        norm: f64,
        /// The norm that counts as diverged.
        limit: f64,
        /// The learning rate of that step.
        rate: f64,
    },
    /// A table of data that cannot be read.
    #[error("{op}: {path}: {problem}; see datasets/README.md for the files that come with the notebooks")]
    Table {
        /// The operation.
        op: &'static str,
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The computation ended early because the user asked for it.
    #[error(transparent)]
    Stopped(#[from] workbench_ground::work::Stopped),
    /// A statistical routine refused its input.
    #[error("{op}: {source}")]
    Stats {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: workbench_ground::stats::Error,
    },
    /// A table could not be built.
    #[error("{op}: {source}; check that all columns have one length")]
    Frame {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: polars::error::PolarsError,
    },
}

impl From<workbench_ground::stats::Error> for Error {
    fn from(source: workbench_ground::stats::Error) -> Error {
        match source {
            workbench_ground::stats::Error::Stopped(stopped) => Error::Stopped(stopped),
            source => Error::Stats {
                op: "statistics of memory errors",
                source,
            },
        }
    }
}

/// Refuses zero counts.
pub(crate) fn positive(op: &'static str, name: &'static str, value: u64) -> Result<(), Error> {
    if value == 0 {
        Err(Error::Zero { op, name })
    } else {
        Ok(())
    }
}
