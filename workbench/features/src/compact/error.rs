//! What can go wrong with sign patterns and compact memories, and what to try next.

/// Errors of the compact associative memory.
///
/// Every message names the operation, the value that was refused and the next thing to try.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An entry of a pattern that is neither plus nor minus one.
    #[error("{op}: entry {index} is {value}; patterns have entries +1 and -1 only, take the sign first")]
    NotASign {
        /// The operation that refused the vector.
        op: &'static str,
        /// Position of the first bad entry.
        index: usize,
        /// Its value.
        value: f64,
    },
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
    /// A ball so large that balls around two memories may meet.
    #[error(
        "{op}: rho = {rho} is not below tau / 2 = {half}; shrink the ball, or take patterns that are further apart"
    )]
    BallTooLarge {
        /// The operation that refused the ball.
        op: &'static str,
        /// Relative radius of the ball.
        rho: f64,
        /// Half the relative distance of the memories.
        half: f64,
    },
    /// A count that must be positive is zero.
    #[error("{op}: {name} is zero; use at least 1")]
    Zero {
        /// The operation that refused the value.
        op: &'static str,
        /// The count's name.
        name: &'static str,
    },
    /// Two sizes that must agree do not.
    #[error("{op}: {left_name} = {left} does not match {right_name} = {right}; use vectors of one length N")]
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
    /// A position that does not exist.
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
    /// An enumeration or a grid beyond what is sensible.
    #[error("{op}: would visit {count:.3e} {what} (limit {limit:.0e}); {remedy}")]
    TooMany {
        /// The operation.
        op: &'static str,
        /// What would be visited.
        what: &'static str,
        /// How many.
        count: f64,
        /// The limit.
        limit: f64,
        /// The next thing to try.
        remedy: &'static str,
    },
    /// A memory without patterns was asked for something that needs one.
    #[error("{op}: the memory is empty; store a pattern first")]
    Empty {
        /// The operation.
        op: &'static str,
    },
    /// The feature map refused its input.
    #[error("{op}: {source}")]
    Features {
        /// The operation.
        op: &'static str,
        /// The underlying error.
        #[source]
        source: crate::Error,
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
    /// The user asked to stop.
    #[error(transparent)]
    Stopped(#[from] workbench_ground::work::Stopped),
}

pub(crate) fn positive(op: &'static str, name: &'static str, n: usize) -> Result<(), Error> {
    if n == 0 { Err(Error::Zero { op, name }) } else { Ok(()) }
}

pub(crate) fn same(op: &'static str, left: (&'static str, usize), right: (&'static str, usize)) -> Result<(), Error> {
    if left.1 == right.1 {
        return Ok(());
    }
    Err(Error::Shape {
        op,
        left_name: left.0,
        left: left.1,
        right_name: right.0,
        right: right.1,
    })
}

pub(crate) fn position(op: &'static str, what: &'static str, index: usize, len: usize) -> Result<(), Error> {
    if index < len {
        Ok(())
    } else {
        Err(Error::NoSuch { op, what, index, len })
    }
}

pub(crate) fn within(
    op: &'static str,
    name: &'static str,
    value: f64,
    ok: bool,
    allowed: &'static str,
) -> Result<(), Error> {
    // `ok` is false for NaN as long as it is written as a comparison that must hold.
    if ok && value.is_finite() {
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

pub(crate) fn stats(op: &'static str) -> impl Fn(workbench_ground::stats::Error) -> Error {
    move |source| Error::Stats { op, source }
}

pub(crate) fn features(op: &'static str) -> impl Fn(crate::Error) -> Error {
    move |source| Error::Features { op, source }
}
