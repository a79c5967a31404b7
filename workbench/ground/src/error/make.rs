//! Errors in one line each.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::{Error, Foreign};

impl Error {
    /// [`Error::Parameter`].
    pub fn parameter(op: &'static str, name: &'static str, value: f64, allowed: &'static str) -> Error {
        Error::Parameter { op, name, value, allowed }
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
        Error::TooFew { op, what, found, needed, next }
    }

    /// [`Error::TooMany`].
    pub fn too_many(op: &'static str, what: &'static str, count: f64, limit: f64, next: &'static str) -> Error {
        Error::TooMany { op, what, count, limit, next }
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
        Error::Shape { op, left_name, left: left.sizes(), right_name, right: right.sizes(), next }
    }

    /// [`Error::NotFinite`].
    pub fn not_finite(op: &'static str, name: &'static str, at: &[usize], value: f64) -> Error {
        let at = at.to_vec();
        Error::NotFinite { op, name, at, value }
    }

    /// [`Error::Entry`], of an array with one axis.
    pub fn entry(op: &'static str, name: &'static str, index: usize, value: f64, allowed: &'static str) -> Error {
        Error::Entry { op, name, at: vec![index], value, allowed }
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
        Error::File { op, path: path.to_path_buf(), problem: problem.to_string(), next }
    }

    /// For `map_err`: names the operation that called as well, [`Error::During`]. A request to stop passes as it is.
    pub fn during(op: &'static str) -> impl Fn(Error) -> Error {
        move |error| match error {
            Error::Stopped(stopped) => Error::Stopped(stopped),
            error => Error::During { op, source: Arc::new(error) },
        }
    }

    /// For `map_err`: an error of another library, [`Error::Outside`].
    pub fn outside<E: Into<Box<Foreign>>>(
        op: &'static str,
        next: impl Into<Cow<'static, str>>,
    ) -> impl FnOnce(E) -> Error {
        let next = next.into();
        move |source| Error::Outside { op, source: Arc::from(source.into()), next }
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
