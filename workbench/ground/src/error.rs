//! Errors of a numeric room, each with the next thing to try.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use crate::work::Stopped;

mod make;
#[cfg(test)]
mod tests;

pub(crate) use make::Extent;

/// An error of another crate, kept whole.
type Foreign = dyn std::error::Error + Send + Sync;

/// What a numeric room refuses or cannot finish. All of them share this type, so that `?` leads from any of them into any other.
///
/// Every message names the operation, the value or both shapes, what is allowed and the next thing to try. [`crate::check`] has the
/// usual refusals, each in one line.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The user asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A number outside the range in which the operation is defined.
    #[error("{op}: {name} = {value} is not allowed; use {allowed}")]
    Parameter {
        /// The operation.
        op: &'static str,
        /// The parameter.
        name: &'static str,
        /// The refused value.
        value: f64,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// A count that must be positive is zero.
    #[error("{op}: {name} is zero; use at least 1")]
    Zero {
        /// The operation.
        op: &'static str,
        /// The count.
        name: &'static str,
    },
    /// Nothing to work on.
    #[error("{op}: {what} is empty; {next}")]
    Empty {
        /// The operation.
        op: &'static str,
        /// What is empty.
        what: &'static str,
        /// The next thing to try.
        next: &'static str,
    },
    /// Less of something than the operation needs.
    #[error("{op}: {found} {what}, needs at least {needed}; {next}")]
    TooFew {
        /// The operation.
        op: &'static str,
        /// What there is too little of.
        what: String,
        /// How much came.
        found: usize,
        /// How much it needs.
        needed: usize,
        /// The next thing to try.
        next: &'static str,
    },
    /// An enumeration or a grid beyond what is sensible.
    #[error("{op}: would visit {} {what} (limit {}); {next}", rounded(*count), rounded(*limit))]
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
        next: &'static str,
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
    /// Two sizes or shapes that must agree do not.
    #[error("{op}: {left_name} = {} does not match {right_name} = {}; {next}", extent(left), extent(right))]
    Shape {
        /// The operation.
        op: &'static str,
        /// The first of the two.
        left_name: &'static str,
        /// Its size, or its shape.
        left: Vec<usize>,
        /// The second.
        right_name: &'static str,
        /// Its size, or its shape.
        right: Vec<usize>,
        /// The next thing to try.
        next: &'static str,
    },
    /// An entry is NaN or infinite.
    #[error("{op}: {name}{} = {value} is not finite; find where it came from, or remove or replace it", place(at))]
    NotFinite {
        /// The operation.
        op: &'static str,
        /// The array.
        name: &'static str,
        /// Where the first such entry stands: its position in row-major order, or one number for each axis; none for a single number.
        at: Vec<usize>,
        /// The entry.
        value: f64,
    },
    /// An entry is outside the range in which the operation is defined.
    #[error("{op}: {name}{} = {value} is not allowed; use {allowed}", place(at))]
    Entry {
        /// The operation.
        op: &'static str,
        /// The array.
        name: &'static str,
        /// Where the first such entry stands, as in [`Error::NotFinite`].
        at: Vec<usize>,
        /// The entry.
        value: f64,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// Numbers that grew beyond all bounds.
    #[error("{op}: diverged at step {step}: {name} {value:.3e}{}; {next}", at_rate(*rate))]
    Diverged {
        /// The operation.
        op: &'static str,
        /// The step at which this was seen.
        step: usize,
        /// The quantity that grew.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The learning rate in use, if the operation knows it.
        rate: Option<f64>,
        /// What the quantity was or may be at most, and the next thing to try.
        next: Cow<'static, str>,
    },
    /// An iteration ended before it reached its tolerance.
    #[error("{op}: residual {residual:e} after {steps} steps, above the tolerance {tolerance:e}; {next}")]
    NotConverged {
        /// The operation.
        op: &'static str,
        /// Steps or evaluations spent.
        steps: usize,
        /// What was left.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
        /// The next thing to try.
        next: Cow<'static, str>,
    },
    /// A request that the method, the model or the machine cannot serve.
    #[error("{op}: {what} is not available; {instead}")]
    Unavailable {
        /// The operation.
        op: &'static str,
        /// What was asked for.
        what: &'static str,
        /// What to use instead.
        instead: &'static str,
    },
    /// What one method alone asks of its input.
    #[error("{op}: {problem}; {next}")]
    Refused {
        /// The operation.
        op: &'static str,
        /// What is wrong, with the values.
        problem: String,
        /// The next thing to try.
        next: Cow<'static, str>,
    },
    /// A file that cannot be written, read or used.
    #[error("{op}: {}: {problem}; {next}", path.display())]
    File {
        /// The operation.
        op: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// The next thing to try.
        next: &'static str,
    },
    /// An operation that this one calls refused what it was given.
    #[error("{op}: {source}")]
    During {
        /// The operation that called.
        op: &'static str,
        /// The error of the one that was called.
        source: Arc<Error>,
    },
    /// Another library failed.
    #[error("{op}: {source}; {next}")]
    Outside {
        /// The operation.
        op: &'static str,
        /// The error of the library.
        source: Arc<Foreign>,
        /// The next thing to try.
        next: Cow<'static, str>,
    },
}

fn extent(sizes: &[usize]) -> String {
    match sizes {
        [size] => size.to_string(),
        _ => format!("({})", sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn place(at: &[usize]) -> String {
    if at.is_empty() { String::new() } else { format!("{at:?}") }
}

fn at_rate(rate: Option<f64>) -> String {
    rate.map_or_else(String::new, |rate| format!(" at learning rate {rate:.3e}"))
}

fn rounded(count: f64) -> String {
    if count.abs() < 1e9 { count.to_string() } else { format!("{count:.3e}") }
}
