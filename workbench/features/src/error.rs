//! What can go wrong with random features, and what to try next.

/// Errors of the `features` room.
///
/// Every message names the operation, the value that was refused and the next thing to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is outside the range in which the method is defined.
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
    /// A hyperbolic map with an odd number of features.
    #[error("{op}: r = {r} is odd, but hyperbolic features come in pairs exp(+w.z), exp(-w.z); use r = {}", r + 1)]
    OddFeatures {
        /// The operation that refused the value.
        op: &'static str,
        /// The refused number of features.
        r: usize,
    },
    /// Two lengths that must agree do not.
    #[error("{op}: {left_name} = {left} does not match {right_name} = {right}; give both the same length")]
    Shape {
        /// The operation that compared the lengths.
        op: &'static str,
        /// Name of the first length.
        left_name: &'static str,
        /// First length.
        left: usize,
        /// Name of the second length.
        right_name: &'static str,
        /// Second length.
        right: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{op}: {name}[{index}] = {value} is not finite; remove or replace it")]
    NotFinite {
        /// The operation that refused the value.
        op: &'static str,
        /// The argument's name.
        name: &'static str,
        /// Position in row-major order.
        index: usize,
        /// The refused value.
        value: f64,
    },
    /// Even the logarithm of the result is no finite number.
    #[error(
        "{op}: the logarithm of the result overflows (squared norm {norm2:e}); scale the vectors below length 1e150"
    )]
    BeyondLogSpace {
        /// The operation.
        op: &'static str,
        /// The squared norm that overflowed.
        norm2: f64,
    },
    /// A memory was asked before anything was stored.
    #[error("{op}: the memory is empty; absorb at least one pattern first")]
    EmptyMemory {
        /// The operation.
        op: &'static str,
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
    /// A factorisation failed.
    #[error("{op}: the factorisation failed ({source}); draw again from another stream")]
    Factorisation {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: ndarray_linalg::error::LinalgError,
    },
    /// The user asked the computation to stop.
    #[error(transparent)]
    Stopped(#[from] workbench_ground::work::Stopped),
}

impl From<workbench_ground::stats::Error> for Error {
    fn from(source: workbench_ground::stats::Error) -> Error {
        Error::Stats {
            op: "numerical routine of random features",
            source,
        }
    }
}

/// Refuses zero counts.
pub(crate) fn positive(op: &'static str, name: &'static str, value: usize) -> Result<(), Error> {
    if value == 0 {
        Err(Error::Zero { op, name })
    } else {
        Ok(())
    }
}

/// Refuses two lengths that differ.
pub(crate) fn same(
    op: &'static str,
    (left_name, left): (&'static str, usize),
    (right_name, right): (&'static str, usize),
) -> Result<(), Error> {
    if left == right {
        return Ok(());
    }
    Err(Error::Shape {
        op,
        left_name,
        left,
        right_name,
        right,
    })
}

/// Refuses entries that are not finite.
pub(crate) fn finite<'a>(
    op: &'static str,
    name: &'static str,
    values: impl IntoIterator<Item = &'a f64>,
) -> Result<(), Error> {
    for (index, &value) in values.into_iter().enumerate() {
        if !value.is_finite() {
            return Err(Error::NotFinite { op, name, index, value });
        }
    }
    Ok(())
}

/// Refuses a number outside a range, or NaN.
pub(crate) fn within(
    op: &'static str,
    name: &'static str,
    value: f64,
    inside: bool,
    allowed: &'static str,
) -> Result<(), Error> {
    if inside && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Parameter {
            op,
            name,
            value,
            allowed,
        })
    }
}
