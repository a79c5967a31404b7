//! What can go wrong when memories are fitted or updated, and what to try next.

use ndarray::Array2;

/// Errors of the `gradient_memory` room.
///
/// Every message names the operation, the value or both shapes, and the next thing to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two arrays whose sizes must agree do not.
    #[error(
        "{op}: {left_name} has shape ({}, {}) and {right_name} has shape ({}, {}), which do not agree in {axis}; W is (d_v, d_k), keys are (n, d_k), values are (n, d_v)",
        left[0], left[1], right[0], right[1]
    )]
    Shape {
        /// The operation.
        op: &'static str,
        /// Name of the first array.
        left_name: &'static str,
        /// Its shape.
        left: [usize; 2],
        /// Name of the second array.
        right_name: &'static str,
        /// Its shape.
        right: [usize; 2],
        /// Which size disagrees.
        axis: &'static str,
    },
    /// A number is outside the range in which the operation is defined.
    #[error("{op}: {name} = {value} is not allowed; use {allowed}")]
    Parameter {
        /// The operation.
        op: &'static str,
        /// The parameter.
        name: &'static str,
        /// The refused value.
        value: f64,
        /// The allowed range, as text.
        allowed: &'static str,
    },
    /// Nothing to work on.
    #[error("{op}: {what} is empty; give at least one")]
    Empty {
        /// The operation.
        op: &'static str,
        /// What is empty.
        what: &'static str,
    },
    /// An entry is NaN or infinite.
    #[error("{op}: {what}[{row}, {column}] = {value} is not finite; clean the data or lower the step size")]
    NotFinite {
        /// The operation.
        op: &'static str,
        /// The array.
        what: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// A value that the loss has no meaning for.
    #[error("{op}: row {row} of the values is no target for this loss; use {allowed}")]
    Target {
        /// The operation.
        op: &'static str,
        /// The row.
        row: usize,
        /// What is allowed, as text.
        allowed: &'static str,
    },
    /// A normalised update divides by the length of the key.
    #[error("{op}: key {row} is zero and has no direction; drop it or use a positive epsilon")]
    ZeroKey {
        /// The operation.
        op: &'static str,
        /// The row of the key.
        row: usize,
    },
    /// A normalised update knows one pair at a time.
    #[error("{op}: a batch of {rows} pairs; give one pair at a time, in the order of the stream")]
    OnePair {
        /// The operation.
        op: &'static str,
        /// Rows given.
        rows: usize,
    },
    /// The weights grew without bound. The memory keeps its state before the step.
    #[error("{op}: diverged at step {step}, where the norm of the weights would be {norm:e}; lower the step size")]
    Diverged {
        /// The rule.
        op: &'static str,
        /// The step that was not taken; the first is 1.
        step: u64,
        /// Frobenius norm that the weights would have had.
        norm: f64,
    },
    /// An iteration ended before it reached its tolerance.
    #[error(
        "{op}: residual {residual:e} after {steps} steps, above the tolerance {tolerance:e}; allow more steps or loosen it"
    )]
    NotConverged {
        /// The operation.
        op: &'static str,
        /// Steps taken.
        steps: u64,
        /// What was left.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
    },
    /// A function that leaves the rational numbers was asked for exactly.
    #[error("{op}: {function} has no exact value in rational numbers; use a polynomial loss here, or f64")]
    NotExact {
        /// The operation.
        op: &'static str,
        /// The function.
        function: &'static str,
    },
    /// Numerator or denominator left 128 bits.
    #[error("{op}: a rational number outgrew 128 bits; use smaller matrices, fewer steps or simpler entries")]
    Overflow {
        /// The operation.
        op: &'static str,
    },
    /// A matrix decomposition failed.
    #[error("{op}: {source}; look at the condition number of the keys, or add a ridge")]
    Linalg {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: ndarray_linalg::error::LinalgError,
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
    /// The user asked the computation to stop before it had anything to show.
    #[error(transparent)]
    Stopped(#[from] workbench_ground::work::Stopped),
}

impl From<workbench_ground::stats::Error> for Error {
    fn from(source: workbench_ground::stats::Error) -> Error {
        let op = "statistics of retention";
        Error::Stats { op, source }
    }
}

/// The two sizes of a matrix, for messages.
pub(crate) fn shape<S>(a: &Array2<S>) -> [usize; 2] {
    [a.nrows(), a.ncols()]
}

/// Refuses NaN and infinities.
pub(crate) fn finite(op: &'static str, what: &'static str, a: &Array2<f64>) -> Result<(), Error> {
    match a.indexed_iter().find(|(_, v)| !v.is_finite()) {
        None => Ok(()),
        Some(((row, column), &value)) => Err(Error::NotFinite {
            op,
            what,
            row,
            column,
            value,
        }),
    }
}

/// Refuses arrays of different shape.
pub(crate) fn same_shape<S>(
    op: &'static str,
    left_name: &'static str,
    left: &Array2<S>,
    right_name: &'static str,
    right: &Array2<S>,
) -> Result<(), Error> {
    if left.dim() == right.dim() {
        return Ok(());
    }
    Err(Error::Shape {
        op,
        left_name,
        left: shape(left),
        right_name,
        right: shape(right),
        axis: "both sizes",
    })
}

/// Refuses batches that are empty or do not fit: keys (n, d_k), values (n, d_v), n >= 1.
pub(crate) fn paired<S>(op: &'static str, keys: &Array2<S>, values: &Array2<S>) -> Result<(), Error> {
    if keys.nrows() != values.nrows() {
        return Err(Error::Shape {
            op,
            left_name: "keys",
            left: shape(keys),
            right_name: "values",
            right: shape(values),
            axis: "the number of pairs n",
        });
    }
    for (what, empty) in [
        ("the batch of keys", keys.is_empty()),
        ("the batch of values", values.is_empty()),
    ] {
        if empty {
            return Err(Error::Empty { op, what });
        }
    }
    Ok(())
}

/// Refuses batches that do not fit the weights.
pub(crate) fn fits<S>(op: &'static str, w: &Array2<S>, keys: &Array2<S>, values: &Array2<S>) -> Result<(), Error> {
    paired(op, keys, values)?;
    for (right_name, right, mine, theirs, axis) in [
        ("keys", shape(keys), w.ncols(), keys.ncols(), "the key dimension d_k"),
        (
            "values",
            shape(values),
            w.nrows(),
            values.ncols(),
            "the value dimension d_v",
        ),
    ] {
        if mine != theirs {
            return Err(Error::Shape {
                op,
                left_name: "W",
                left: shape(w),
                right_name,
                right,
                axis,
            });
        }
    }
    Ok(())
}

/// [`fits`], with every entry finite.
pub(crate) fn fits_finite(
    op: &'static str,
    w: &Array2<f64>,
    keys: &Array2<f64>,
    values: &Array2<f64>,
) -> Result<(), Error> {
    fits(op, w, keys, values)?;
    finite(op, "keys", keys)?;
    finite(op, "values", values)
}

/// Refuses what is not a positive finite number.
pub(crate) fn positive(op: &'static str, name: &'static str, value: f64) -> Result<f64, Error> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    let allowed = "a finite number above 0";
    Err(Error::Parameter {
        op,
        name,
        value,
        allowed,
    })
}

/// Refuses what is not in [0, infinity).
pub(crate) fn not_negative(op: &'static str, name: &'static str, value: f64) -> Result<f64, Error> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    let allowed = "a finite number, 0 or above";
    Err(Error::Parameter {
        op,
        name,
        value,
        allowed,
    })
}

/// Refuses what is not in [0, 1).
pub(crate) fn fraction(op: &'static str, name: &'static str, value: f64) -> Result<f64, Error> {
    if (0.0..1.0).contains(&value) {
        return Ok(value);
    }
    let allowed = "a number in [0, 1)";
    Err(Error::Parameter {
        op,
        name,
        value,
        allowed,
    })
}

/// Names the decomposition that failed.
pub(crate) fn linalg(op: &'static str) -> impl Fn(ndarray_linalg::error::LinalgError) -> Error {
    move |source| Error::Linalg { op, source }
}
