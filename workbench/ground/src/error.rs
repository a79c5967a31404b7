//! What can go wrong in a numeric room, each with the next thing to try.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::work::Stopped;

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
    #[error(
        "{op}: {left_name} = {} does not match {right_name} = {}; {next}",
        extent(left),
        extent(right)
    )]
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
    #[error(
        "{op}: {name}{} = {value} is not finite; find where it came from, or remove or replace it",
        place(at)
    )]
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
    /// Numbers that grew beyond all bounds. What was computed so far keeps its state before the step.
    #[error("{op}: diverged at step {step}: {name} {value:.3e}{}; {next}", at_rate(*rate))]
    Diverged {
        /// The operation.
        op: &'static str,
        /// The step at which this was seen; the first is 1.
        step: u64,
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
        steps: u64,
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

impl Error {
    /// [`Error::Parameter`].
    pub fn parameter(op: &'static str, name: &'static str, value: f64, allowed: &'static str) -> Error {
        Error::Parameter {
            op,
            name,
            value,
            allowed,
        }
    }

    /// [`Error::Zero`].
    pub fn zero(op: &'static str, name: &'static str) -> Error {
        Error::Zero { op, name }
    }

    /// [`Error::Empty`].
    pub fn empty(op: &'static str, what: &'static str, next: &'static str) -> Error {
        Error::Empty { op, what, next }
    }

    /// [`Error::TooFew`].
    pub fn too_few(
        op: &'static str,
        what: impl Into<String>,
        found: usize,
        needed: usize,
        next: &'static str,
    ) -> Error {
        let what = what.into();
        Error::TooFew {
            op,
            what,
            found,
            needed,
            next,
        }
    }

    /// [`Error::TooMany`].
    pub fn too_many(op: &'static str, what: &'static str, count: f64, limit: f64, next: &'static str) -> Error {
        Error::TooMany {
            op,
            what,
            count,
            limit,
            next,
        }
    }

    /// [`Error::NoSuch`].
    pub fn no_such(op: &'static str, what: &'static str, index: usize, len: usize) -> Error {
        Error::NoSuch { op, what, index, len }
    }

    /// [`Error::Shape`], of two names with sizes or shapes.
    pub fn shape<L: Extent, R: Extent>(
        op: &'static str,
        (left_name, left): (&'static str, L),
        (right_name, right): (&'static str, R),
        next: &'static str,
    ) -> Error {
        Error::Shape {
            op,
            left_name,
            left: left.sizes(),
            right_name,
            right: right.sizes(),
            next,
        }
    }

    /// [`Error::NotFinite`].
    pub fn not_finite(op: &'static str, name: &'static str, at: &[usize], value: f64) -> Error {
        let at = at.to_vec();
        Error::NotFinite { op, name, at, value }
    }

    /// [`Error::Entry`], of an array with one axis.
    pub fn entry(op: &'static str, name: &'static str, index: usize, value: f64, allowed: &'static str) -> Error {
        Error::Entry {
            op,
            name,
            at: vec![index],
            value,
            allowed,
        }
    }

    /// [`Error::Unavailable`].
    pub fn unavailable(op: &'static str, what: &'static str, instead: &'static str) -> Error {
        Error::Unavailable { op, what, instead }
    }

    /// [`Error::Refused`].
    pub fn refused(op: &'static str, problem: impl Into<String>, next: impl Into<Cow<'static, str>>) -> Error {
        let (problem, next) = (problem.into(), next.into());
        Error::Refused { op, problem, next }
    }

    /// [`Error::File`].
    pub fn file(op: &'static str, path: &Path, problem: impl ToString, next: &'static str) -> Error {
        Error::File {
            op,
            path: path.to_path_buf(),
            problem: problem.to_string(),
            next,
        }
    }

    /// For `map_err`: names the operation that called as well, [`Error::During`]. A request to stop passes as it is.
    pub fn during(op: &'static str) -> impl Fn(Error) -> Error {
        move |error| match error {
            Error::Stopped(stopped) => Error::Stopped(stopped),
            error => Error::During {
                op,
                source: Arc::new(error),
            },
        }
    }

    /// For `map_err`: an error of another library, [`Error::Outside`].
    pub fn outside<E: Into<Box<Foreign>>>(
        op: &'static str,
        next: impl Into<Cow<'static, str>>,
    ) -> impl FnOnce(E) -> Error {
        let next = next.into();
        move |source| Error::Outside {
            op,
            source: Arc::from(source.into()),
            next,
        }
    }

    /// For `map_err`: a matrix computation that failed, [`Error::Outside`].
    pub fn linear_algebra<E: Into<Box<Foreign>>>(op: &'static str) -> impl FnOnce(E) -> Error {
        Error::outside(
            op,
            "look for entries that are not finite or a matrix that is nearly singular; a ridge or another draw may help",
        )
    }
}

/// A size, or the sizes of an array along its axes.
pub trait Extent: PartialEq {
    /// One number for each axis.
    fn sizes(&self) -> Vec<usize>;
}

impl Extent for usize {
    fn sizes(&self) -> Vec<usize> {
        vec![*self]
    }
}

impl Extent for (usize, usize) {
    fn sizes(&self) -> Vec<usize> {
        vec![self.0, self.1]
    }
}

impl Extent for &[usize] {
    fn sizes(&self) -> Vec<usize> {
        self.to_vec()
    }
}

fn extent(sizes: &[usize]) -> String {
    match sizes {
        [size] => size.to_string(),
        _ => format!(
            "({})",
            sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        ),
    }
}

fn place(at: &[usize]) -> String {
    if at.is_empty() {
        String::new()
    } else {
        format!("{at:?}")
    }
}

fn at_rate(rate: Option<f64>) -> String {
    rate.map_or_else(String::new, |rate| format!(" at learning rate {rate:.3e}"))
}

fn rounded(count: f64) -> String {
    if count.abs() < 1e9 {
        count.to_string()
    } else {
        format!("{count:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OP: &str = "fit";

    fn says(error: Error, parts: &[&str]) {
        let text = error.to_string();
        for part in parts {
            assert!(text.contains(part), "{text:?} lacks {part:?}");
        }
    }

    #[test]
    fn messages_name_operation_value_and_remedy() {
        says(
            Error::parameter(OP, "alpha", 0.5, "alpha > 1"),
            &["fit: alpha = 0.5 is not allowed; use alpha > 1"],
        );
        says(Error::zero(OP, "runs"), &["fit: runs is zero; use at least 1"]);
        says(
            Error::empty(OP, "the memory", "store a pattern first"),
            &["the memory is empty; store a pattern first"],
        );
        says(
            Error::too_few(OP, "points", 2, 3, "add one"),
            &["2 points, needs at least 3; add one"],
        );
        says(
            Error::no_such(OP, "class", 7, 3),
            &["no class at position 7, there are 3"],
        );
        says(
            Error::unavailable(OP, "CUDA", "use the CPU"),
            &["CUDA is not available; use the CPU"],
        );
        says(
            Error::refused(OP, "r = 3 is odd", format!("use r = {}", 4)),
            &["fit: r = 3 is odd; use r = 4"],
        );
        says(
            Error::file(OP, Path::new("a/b"), "damaged", "delete it"),
            &["fit: a/b: damaged; delete it"],
        );
        says(
            Error::not_finite(OP, "W", &[1, 2], f64::NAN),
            &["fit: W[1, 2] = NaN is not finite"],
        );
        says(
            Error::not_finite(OP, "the loss", &[], f64::INFINITY),
            &["the loss = inf is not finite"],
        );
        says(
            Error::entry(OP, "x", 4, -1.0, "positive numbers"),
            &["x[4] = -1 is not allowed; use positive numbers"],
        );
    }

    #[test]
    fn both_shapes_are_shown_and_counts_stay_readable() {
        let shape: &[usize] = &[3, 4];
        says(
            Error::shape(OP, ("W", shape), ("keys", (5, 6)), "agree"),
            &["W = (3, 4)", "keys = (5, 6); agree"],
        );
        says(
            Error::shape(OP, ("x", 3), ("y", 4), "agree"),
            &["x = 3 does not match y = 4"],
        );
        says(
            Error::too_many(OP, "types", 65.0, 64.0, "less"),
            &["65 types (limit 64); less"],
        );
        says(
            Error::too_many(OP, "types", 1e300, 2e7, "less"),
            &["1.000e300 types (limit 20000000)"],
        );
    }

    #[test]
    fn a_divergence_names_step_value_and_rate() {
        let at = |rate| Error::Diverged {
            op: OP,
            step: 7,
            name: "loss",
            value: 1e30,
            rate,
            next: "lower the rate".into(),
        };
        says(
            at(Some(0.5)),
            &["at step 7: loss 1.000e30 at learning rate 5.000e-1; lower the rate"],
        );
        says(at(None), &["loss 1.000e30; lower the rate"]);
    }

    #[test]
    fn what_was_called_keeps_its_name_and_its_source() {
        let inner = Error::empty("mean", "values", "pass at least one value");
        let outer = Error::during(OP)(inner.clone());
        assert_eq!(outer.to_string(), format!("fit: {inner}"));
        let source = std::error::Error::source(&outer).map(ToString::to_string);
        assert_eq!(source, Some(inner.to_string()));
        let stopped = Stopped {
            operation: "mean",
            done: 1,
            of: 2,
        };
        assert!(matches!(Error::during(OP)(stopped.into()), Error::Stopped(s) if s == stopped));
        let foreign = "x".parse::<u64>().map_err(Error::linear_algebra(OP)).unwrap_err();
        says(foreign.clone(), &["fit: invalid digit", "nearly singular"]);
        assert!(std::error::Error::source(&foreign).is_some());
    }

    #[test]
    fn it_can_be_kept_and_sent() {
        fn keeps<T: std::error::Error + Clone + Send + Sync + 'static>(_: T) {}
        keeps(Error::zero(OP, "n"));
    }
}
