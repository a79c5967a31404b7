//! What can go wrong in the room of memformers, and what to try next.

use std::path::PathBuf;

/// Errors of the `memformer` room.
///
/// Every message names the operation, the value or the shapes that were refused and the next thing to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A count that must be positive is zero.
    #[error("{op}: {name} is zero; use at least 1")]
    Zero {
        /// The operation that refused the value.
        op: &'static str,
        /// The parameter's name.
        name: &'static str,
    },
    /// A number is outside the range in which the operation is defined.
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
    /// Two arrays whose shapes must agree do not.
    #[error("{op}: {name} has shape {got:?} where {wanted:?} is needed; rebuild it from the same B, n, d and L")]
    Shape {
        /// The operation that compared the shapes.
        op: &'static str,
        /// The array that does not fit.
        name: &'static str,
        /// Its shape.
        got: Vec<usize>,
        /// The shape that fits.
        wanted: Vec<usize>,
    },
    /// Data that are not finite.
    #[error("{op}: {name} has an entry {value}; remove the prompts that hold it, or look where it came from")]
    NotFinite {
        /// The operation that refused the data.
        op: &'static str,
        /// The array.
        name: &'static str,
        /// The first such entry.
        value: f64,
    },
    /// A covariance that is not symmetric.
    #[error(
        "{op}: the covariance is not symmetric, entries ({row}, {column}) and ({column}, {row}) differ by {difference:e}; use (C + C^T) / 2"
    )]
    NotSymmetric {
        /// The operation that refused the matrix.
        op: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Its column.
        column: usize,
        /// The difference.
        difference: f64,
    },
    /// A covariance that is not positive definite.
    #[error(
        "{op}: the covariance has the eigenvalue {smallest:e}; all must be positive, since targets have its inverse as covariance"
    )]
    NotPositive {
        /// The operation that refused the matrix.
        op: &'static str,
        /// Its smallest eigenvalue.
        smallest: f64,
    },
    /// A name or position that does not exist.
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
    /// A training run whose loss or gradient left the numbers.
    #[error(
        "{op}: diverged at step {step}, loss {loss:e} (best so far {best:e}); lower the learning rate {rate:e}, clip the gradient or start closer to zero"
    )]
    Diverged {
        /// The operation.
        op: &'static str,
        /// The step at which it was seen.
        step: u64,
        /// The loss there.
        loss: f64,
        /// The least loss before.
        best: f64,
        /// The learning rate in use.
        rate: f64,
    },
    /// A checkpoint that cannot be written, read or used.
    #[error("{op}: {path}: {problem}; delete the file to start anew, or give another path")]
    Checkpoint {
        /// The operation.
        op: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A request that the model or device cannot serve.
    #[error("{op}: {what} is not available; {instead}")]
    Unavailable {
        /// The operation.
        op: &'static str,
        /// What was asked for.
        what: &'static str,
        /// What to use instead.
        instead: &'static str,
    },
    /// A device that is not there or does not start.
    #[error("{op}: CUDA device {index} does not start: {source}; look at `nvidia-smi`, or use `Processor::Cpu`")]
    Device {
        /// The operation.
        op: &'static str,
        /// The device's number.
        index: usize,
        /// The underlying error.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The computation ended early because the user asked for it.
    #[error(transparent)]
    Stopped(#[from] workbench_ground::work::Stopped),
    /// A matrix computation failed.
    #[error("{op}: {source}; look for entries that are not finite or a matrix that is nearly singular")]
    LinearAlgebra {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: ndarray_linalg::error::LinalgError,
    },
    /// A tensor library refused its input.
    #[error("{op}: {source}; check the shapes of the tensors")]
    Tensor {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A statistical routine refused its input.
    #[error("{op}: {source}")]
    Stats {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: workbench_ground::stats::Error,
    },
}

impl From<workbench_ground::stats::Error> for Error {
    fn from(source: workbench_ground::stats::Error) -> Error {
        match source {
            workbench_ground::stats::Error::Stopped(stopped) => Error::Stopped(stopped),
            source => Error::Stats {
                op: "statistics of memformers",
                source,
            },
        }
    }
}

/// Refuses zero counts.
pub fn positive(op: &'static str, name: &'static str, value: usize) -> Result<(), Error> {
    if value == 0 {
        Err(Error::Zero { op, name })
    } else {
        Ok(())
    }
}

/// Refuses an array whose shape is not the one needed.
pub fn same_shape(op: &'static str, name: &'static str, got: &[usize], wanted: &[usize]) -> Result<(), Error> {
    if got == wanted {
        Ok(())
    } else {
        Err(Error::Shape {
            op,
            name,
            got: got.to_vec(),
            wanted: wanted.to_vec(),
        })
    }
}

/// Refuses entries that are not finite.
pub fn finite<'a>(
    op: &'static str,
    name: &'static str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<(), Error> {
    match values.into_iter().find(|v| !v.is_finite()) {
        Some(&value) => Err(Error::NotFinite { op, name, value }),
        None => Ok(()),
    }
}

/// Wraps an error of a matrix computation.
pub fn linalg(op: &'static str) -> impl Fn(ndarray_linalg::error::LinalgError) -> Error {
    move |source| Error::LinearAlgebra { op, source }
}
