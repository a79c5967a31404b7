//! The standard library.
pub mod prelude {
    pub use crate::boxed::Box; pub use crate::string::{String, ToString}; pub use crate::vec::Vec;
    pub use crate::option::Option::{self, Some, None}; pub use crate::result::Result::{self, Ok, Err};
    pub use crate::clone::Clone; pub use crate::cmp::{Eq, Ord, PartialEq, PartialOrd};
    pub use crate::convert::{AsRef, From, Into, TryFrom, TryInto}; pub use crate::default::Default;
    pub use crate::iter::{DoubleEndedIterator, ExactSizeIterator, Extend, FromIterator, IntoIterator, Iterator};
    pub use crate::ops::{Drop, Fn, FnMut, FnOnce}; pub use crate::borrow::ToOwned; pub use crate::mem::drop;
    pub use crate::marker::{Copy, Send, Sized, Sync};
    pub use crate::{println, print, eprintln, eprint, format, vec, assert, assert_eq, assert_ne, debug_assert, panic, todo, unimplemented, unreachable, dbg, write, writeln, matches, include_str, env, concat, stringify};
    pub use crate::primitives::*;
}
pub use macros::*;
pub mod macros {
    /// Prints a line to standard output.
    #[macro_export] macro_rules! println { () => {} }
    /// Prints to standard output without a newline.
    #[macro_export] macro_rules! print { () => {} }
    /// Prints a line to standard error.
    #[macro_export] macro_rules! eprintln { () => {} }
    /// Prints to standard error without a newline.
    #[macro_export] macro_rules! eprint { () => {} }
    /// Makes a `String` from a format: `format!("{x:.3}")`.
    #[macro_export] macro_rules! format { () => {} }
    /// Makes a `Vec`: `vec![1, 2]` or `vec![0.0; n]`.
    #[macro_export] macro_rules! vec { () => {} }
    /// Fails the cell when a condition is false.
    #[macro_export] macro_rules! assert { () => {} }
    /// Fails the cell when two values differ, and shows both.
    #[macro_export] macro_rules! assert_eq { () => {} }
    /// Fails the cell when two values are equal.
    #[macro_export] macro_rules! assert_ne { () => {} }
    /// Like `assert!`, in debug builds only.
    #[macro_export] macro_rules! debug_assert { () => {} }
    /// Ends the cell with a message.
    #[macro_export] macro_rules! panic { () => {} }
    /// Stands for code that is still to be written.
    #[macro_export] macro_rules! todo { () => {} }
    /// Stands for code that will not be written.
    #[macro_export] macro_rules! unimplemented { () => {} }
    /// Marks code that is never reached.
    #[macro_export] macro_rules! unreachable { () => {} }
    /// Prints an expression with its value and gives the value back.
    #[macro_export] macro_rules! dbg { () => {} }
    /// Writes a format into a writer.
    #[macro_export] macro_rules! write { () => {} }
    /// Writes a format and a newline into a writer.
    #[macro_export] macro_rules! writeln { () => {} }
    /// Whether a value matches a pattern.
    #[macro_export] macro_rules! matches { () => {} }
    /// The text of a file, at compile time.
    #[macro_export] macro_rules! include_str { () => {} }
    /// An environment variable, at compile time.
    #[macro_export] macro_rules! env { () => {} }
    /// Joins literals into one string.
    #[macro_export] macro_rules! concat { () => {} }
    /// The text of an expression.
    #[macro_export] macro_rules! stringify { () => {} }
}
pub mod primitives {}
/// Dropping, swapping and replacing values.
pub mod mem {
    /// Ends a value's life.
    pub fn drop<T>(value: T);
    /// Exchanges two values.
    pub fn swap<T>(a: &mut T, b: &mut T);
    /// Puts a value in place of another, which is returned.
    pub fn replace<T>(place: &mut T, value: T) -> T;
    /// Takes a value and leaves its default.
    pub fn take<T: Default>(place: &mut T) -> T;
    /// Size of a type in bytes.
    pub fn size_of<T>() -> usize;
}
pub mod marker {
    /// Values that are copied instead of moved.
    pub trait Copy: Clone {}
    /// Values that may move to another thread.
    pub trait Send {}
    /// Values that several threads may read.
    pub trait Sync {}
    /// Types of known size.
    pub trait Sized {}
}
/// Copying values on request.
pub mod clone {
    /// Values of which a copy can be made.
    pub trait Clone {
        /// A copy of the value.
        fn clone(&self) -> Self;
    }
    impl Clone for f64 {} impl Clone for f32 {} impl Clone for bool {} impl Clone for char {} impl<T> Clone for crate::vec::Vec<T> {}
    impl Clone for crate::string::String {} impl<T> Clone for crate::option::Option<T> {} impl<T, E> Clone for crate::result::Result<T, E> {}
    impl<T> Clone for crate::boxed::Box<T> {} impl<T> Clone for crate::rc::Rc<T> {} impl<T> Clone for crate::sync::Arc<T> {}
    impl<K, V> Clone for crate::collections::HashMap<K, V> {} impl<K, V> Clone for crate::collections::BTreeMap<K, V> {}
    impl<T> Clone for crate::collections::HashSet<T> {} impl<T> Clone for crate::collections::BTreeSet<T> {} impl<T> Clone for crate::ops::Range<T> {}
}
/// Comparing and ordering.
pub mod cmp {
    /// Values that can be told equal.
    pub trait PartialEq<Rhs = Self> {
        /// Whether two values are equal.
        fn eq(&self, other: &Rhs) -> bool;
        /// Whether two values differ.
        fn ne(&self, other: &Rhs) -> bool;
    }
    /// Equality that is reflexive.
    pub trait Eq: PartialEq {}
    /// Values of which some are ordered.
    pub trait PartialOrd<Rhs = Self>: PartialEq {
        /// The order of two values, if they have one.
        fn partial_cmp(&self, other: &Rhs) -> crate::option::Option<Ordering>;
    }
    /// Values that are all ordered.
    pub trait Ord: Eq {
        /// The order of two values.
        fn cmp(&self, other: &Self) -> Ordering;
        /// The larger of two values.
        fn max(self, other: Self) -> Self;
        /// The smaller of two values.
        fn min(self, other: Self) -> Self;
        /// The value, moved into an interval.
        fn clamp(self, min: Self, max: Self) -> Self;
    }
    /// Less, equal or greater.
    #[derive(Clone, Copy, Debug)]
    pub enum Ordering { /// Smaller.
        Less, /// Equal.
        Equal, /// Larger.
        Greater }
    impl Ordering {
        /// The opposite order.
        pub fn reverse(self) -> Ordering;
        /// This order, or another where the values are equal.
        pub fn then(self, other: Ordering) -> Ordering;
        /// This order, or that of a function where the values are equal.
        pub fn then_with<F: FnOnce() -> Ordering>(self, f: F) -> Ordering;
        /// Whether it is `Less`.
        pub fn is_lt(self) -> bool;
        /// Whether it is `Greater`.
        pub fn is_gt(self) -> bool;
    }
    /// Turns an order round: `sort_by_key(|x| Reverse(*x))`.
    pub struct Reverse<T>(pub T);
    /// The larger of two values.
    pub fn max<T: Ord>(a: T, b: T) -> T;
    /// The smaller of two values.
    pub fn min<T: Ord>(a: T, b: T) -> T;
}
/// Conversions.
pub mod convert {
    /// Conversion that always works, into `Self`.
    pub trait From<T> {
        /// Converts.
        fn from(value: T) -> Self;
    }
    /// Conversion that always works, from `Self`.
    pub trait Into<T> {
        /// Converts.
        fn into(self) -> T;
    }
    /// Conversion that may fail, into `Self`.
    pub trait TryFrom<T> {
        /// Converts, or tells why not.
        fn try_from(value: T) -> crate::result::Result<Self, Self::Error>;
    }
    /// Conversion that may fail, from `Self`.
    pub trait TryInto<T> {
        /// Converts, or tells why not.
        fn try_into(self) -> crate::result::Result<T, Self::Error>;
    }
    /// A cheap view as another type.
    pub trait AsRef<T> {
        /// The view.
        fn as_ref(&self) -> &T;
    }
}
/// Default values.
pub mod default {
    /// Types with a default value.
    pub trait Default {
        /// The default value.
        fn default() -> Self;
    }
    impl Default for crate::string::String {} impl<T> Default for crate::vec::Vec<T> {} impl<T> Default for crate::option::Option<T> {}
    impl<K, V> Default for crate::collections::HashMap<K, V> {} impl<K, V> Default for crate::collections::BTreeMap<K, V> {}
    impl Default for f64 {} impl Default for f32 {} impl Default for bool {}
}
pub mod borrow {
    /// Owned values from borrowed ones.
    pub trait ToOwned {
        type Owned;
        /// An owned copy.
        fn to_owned(&self) -> Self::Owned;
    }
    impl ToOwned for str { type Owned = crate::string::String; }
    impl<T> ToOwned for [T] { type Owned = crate::vec::Vec<T>; }
    /// Borrowed, or owned where it was changed.
    pub enum Cow<'a, B> { Borrowed(&'a B), Owned(B) }
    impl<'a, B> crate::ops::Deref for Cow<'a, B> { type Target = B; }
}
/// Operators and function traits.
pub mod ops {
    /// Behaves like a reference to another type.
    pub trait Deref { type Target; fn deref(&self) -> &Self::Target; }
    /// `value[index]`.
    pub trait Index<Idx> { type Output; fn index(&self, index: Idx) -> &Self::Output; }
    /// Called when a value ends.
    pub trait Drop { fn drop(&mut self); }
    /// A function that can be called again and again.
    pub trait Fn<Args> { type Output; }
    /// A function that may change what it holds.
    pub trait FnMut<Args> { type Output; }
    /// A function that can be called once.
    pub trait FnOnce<Args> { type Output; }
    /// `a + b`.
    pub trait Add<Rhs = Self> { type Output; fn add(self, rhs: Rhs) -> Self::Output; }
    /// `a - b`.
    pub trait Sub<Rhs = Self> { type Output; fn sub(self, rhs: Rhs) -> Self::Output; }
    /// `a * b`.
    pub trait Mul<Rhs = Self> { type Output; fn mul(self, rhs: Rhs) -> Self::Output; }
    /// `a / b`.
    pub trait Div<Rhs = Self> { type Output; fn div(self, rhs: Rhs) -> Self::Output; }
    /// `-a`.
    pub trait Neg { type Output; fn neg(self) -> Self::Output; }
    /// `start..end`.
    #[derive(Clone, Debug)]
    pub struct Range<Idx> { /// First value.
        pub start: Idx, /// One past the last value.
        pub end: Idx }
    impl<Idx> Range<Idx> {
        /// Whether a value is in it.
        pub fn contains(&self, item: &Idx) -> bool;
        /// Whether it has no values.
        pub fn is_empty(&self) -> bool;
    }
    impl<A> crate::iter::Iterator for Range<A> { type Item = A; }
    impl<T> Index<usize> for crate::vec::Vec<T> { type Output = T; }
    impl<K, V> Index<&K> for crate::collections::HashMap<K, V> { type Output = V; }
    impl<K, V> Index<&K> for crate::collections::BTreeMap<K, V> { type Output = V; }
    impl Deref for crate::string::String { type Target = str; }
    impl<T> Deref for crate::vec::Vec<T> { type Target = [T]; }
    impl<T> Deref for crate::boxed::Box<T> { type Target = T; }
    impl<T> Deref for crate::rc::Rc<T> { type Target = T; }
    impl<T> Deref for crate::sync::Arc<T> { type Target = T; }
}
/// Files, paths and environment.
pub mod path {
    /// A path.
    pub struct Path;
    impl Path {
        /// A path from text.
        pub fn new(text: &str) -> &Path;
        /// This path followed by another.
        pub fn join(&self, path: &str) -> PathBuf;
        /// The folder it is in.
        pub fn parent(&self) -> crate::option::Option<&Path>;
        /// Whether it exists.
        pub fn exists(&self) -> bool;
        /// Whether it is a file.
        pub fn is_file(&self) -> bool;
        /// Whether it is a folder.
        pub fn is_dir(&self) -> bool;
        /// For printing.
        pub fn display(&self) -> Display;
        /// An owned copy.
        pub fn to_path_buf(&self) -> PathBuf;
        /// The same path with another extension.
        pub fn with_extension(&self, extension: &str) -> PathBuf;
    }
    pub struct Display;
    /// An owned path.
    #[derive(Clone, Debug)]
    pub struct PathBuf;
    impl PathBuf {
        /// An empty path.
        pub fn new() -> PathBuf;
        /// Adds a part.
        pub fn push(&mut self, path: &str);
    }
    impl crate::ops::Deref for PathBuf { type Target = Path; }
}
/// Reading and writing files.
pub mod fs {
    /// The text of a file.
    pub fn read_to_string(path: &str) -> crate::result::Result<crate::string::String, crate::io::Error>;
    /// The bytes of a file.
    pub fn read(path: &str) -> crate::result::Result<crate::vec::Vec<u8>, crate::io::Error>;
    /// Writes a file.
    pub fn write(path: &str, contents: &str) -> crate::result::Result<(), crate::io::Error>;
    /// Makes a folder and those around it.
    pub fn create_dir_all(path: &str) -> crate::result::Result<(), crate::io::Error>;
    /// Removes a file.
    pub fn remove_file(path: &str) -> crate::result::Result<(), crate::io::Error>;
}
/// Input and output.
pub mod io {
    /// What went wrong.
    pub struct Error;
}
/// The process's environment.
pub mod env {
    /// The folder for temporary files.
    pub fn temp_dir() -> crate::path::PathBuf;
    /// The current folder.
    pub fn current_dir() -> crate::result::Result<crate::path::PathBuf, crate::io::Error>;
    /// An environment variable.
    pub fn var(key: &str) -> crate::result::Result<crate::string::String, VarError>;
    /// Why there is no such variable.
    pub struct VarError;
}
/// Time.
pub mod time {
    /// A length of time.
    #[derive(Clone, Copy, Debug)]
    pub struct Duration;
    impl Duration {
        /// Seconds as a number.
        pub fn as_secs_f64(&self) -> f64;
        /// Whole seconds.
        pub fn as_secs(&self) -> u64;
        /// Whole milliseconds.
        pub fn as_millis(&self) -> u128;
        /// So many seconds.
        pub fn from_secs(secs: u64) -> Duration;
        /// So many milliseconds.
        pub fn from_millis(millis: u64) -> Duration;
        /// So many seconds, with a fraction.
        pub fn from_secs_f64(secs: f64) -> Duration;
    }
    /// A point in time, for measuring.
    #[derive(Clone, Copy, Debug)]
    pub struct Instant;
    impl Instant {
        /// Now.
        pub fn now() -> Instant;
        /// How long ago it was.
        pub fn elapsed(&self) -> Duration;
        /// How long after another instant it is.
        pub fn duration_since(&self, earlier: Instant) -> Duration;
    }
}
/// Threads.
pub mod thread {
    /// Waits.
    pub fn sleep(duration: crate::time::Duration);
}
/// Hints for the compiler.
pub mod hint {
    /// Keeps a value from being optimised away.
    pub fn black_box<T>(value: T) -> T;
}
pub mod f64 { pub use crate::floats::consts; }
pub mod f32 { pub use crate::floats::consts; }
mod floats {
    /// Mathematical constants.
    pub mod consts {
        /// π.
        pub const PI: f64 = 3.14;
        /// 2π.
        pub const TAU: f64 = 6.28;
        /// Euler's number.
        pub const E: f64 = 2.71;
        /// √2.
        pub const SQRT_2: f64 = 1.41;
        /// 1/√2.
        pub const FRAC_1_SQRT_2: f64 = 0.70;
        /// π/2.
        pub const FRAC_PI_2: f64 = 1.57;
        /// 1/π.
        pub const FRAC_1_PI: f64 = 0.31;
        /// ln 2.
        pub const LN_2: f64 = 0.69;
        /// ln 10.
        pub const LN_10: f64 = 2.30;
    }
}
/// Shared ownership in one thread.
pub mod rc {
    /// A counted pointer for one thread.
    pub struct Rc<T>;
    impl<T> Rc<T> {
        /// Moves a value behind a counted pointer.
        pub fn new(value: T) -> Rc<T>;
    }
}
/// Sharing between threads.
pub mod sync {
    /// A counted pointer for several threads.
    pub struct Arc<T>;
    impl<T> Arc<T> {
        /// Moves a value behind a counted pointer.
        pub fn new(value: T) -> Arc<T>;
    }
}
/// Values behind a pointer.
pub mod boxed {
    /// A value behind a pointer.
    pub struct Box<T>;
    impl<T> Box<T> {
        /// Moves a value behind a pointer.
        pub fn new(value: T) -> Box<T>;
    }
}
