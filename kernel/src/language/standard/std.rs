// Written by from_docs.py from the pages of Rust 1.95.0. Declarations for the index: nothing compiles them.
pub mod prelude {
pub use crate::{borrow::ToOwned, boxed::Box, clone::Clone, cmp::Eq, cmp::Ord, cmp::PartialEq, cmp::PartialOrd, convert::AsMut, convert::AsRef, convert::From, convert::Into, convert::TryFrom, convert::TryInto, default::Default, iter::DoubleEndedIterator, iter::ExactSizeIterator, iter::Extend, iter::FromIterator, iter::IntoIterator, iter::Iterator, marker::Copy, marker::Send, marker::Sized, marker::Sync, marker::Unpin, mem::align_of, mem::align_of_val, mem::drop, mem::size_of, mem::size_of_val, ops::Drop, ops::Fn, ops::FnMut, ops::FnOnce, option::Option, option::Option::None, option::Option::Some, result::Result, result::Result::Err, result::Result::Ok, string::String, string::ToString, vec::Vec, assert, assert_eq, assert_ne, cfg, cfg_select, column, compile_error, concat, dbg, debug_assert, debug_assert_eq, debug_assert_ne, env, eprint, eprintln, file, format, format_args, include, include_bytes, include_str, is_x86_feature_detected, line, matches, module_path, option_env, panic, print, println, stringify, thread_local, todo, unimplemented, unreachable, vec, write, writeln};
}
mod primitives {
use {std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::hash::Hash, std::net::IpAddr, std::net::Ipv4Addr, std::net::Ipv6Addr, std::net::SocketAddr, std::net::ToSocketAddrs, std::num::TryFromIntError, std::ops::BitAnd, std::ops::BitOr, std::ops::BitXor, std::ops::Bound, std::ops::Not, std::ops::RangeBounds, std::option, std::process::Termination, std::simd::Mask, std::simd::MaskElement, std::str::FromStr, std::str::ParseBoolError, std::vec::IntoIter};
/// True or false.
pub type prim_bool = bool;
/// A Unicode scalar value.
pub type prim_char = char;
/// A floating-point number of 32 bits.
pub type prim_f32 = f32;
/// A floating-point number of 64 bits.
pub type prim_f64 = f64;
/// A signed integer of 32 bits.
pub type prim_i32 = i32;
/// A signed integer of 64 bits.
pub type prim_i64 = i64;
/// Borrowed text in UTF-8.
pub type prim_str = str;
/// An unsigned integer of 32 bits.
pub type prim_u32 = u32;
/// An unsigned integer of 64 bits.
pub type prim_u64 = u64;
/// A byte.
pub type prim_u8 = u8;
/// An unsigned integer as wide as a pointer: lengths and indices.
pub type prim_usize = usize;
impl bool {
    /// `Some` of a value when true.
    pub fn then_some<T>(self, t: T) -> Option<T>;
    /// `Some` of a function's value when true.
    pub fn then<T, F>(self, f: F) -> Option<T> where F: FnOnce() -> T;
}
impl<T, const N: usize> BitAnd<Mask<T, N>> for bool where T: MaskElement { type Output = Mask<T, N>; }
impl<T, const N: usize> BitOr<Mask<T, N>> for bool where T: MaskElement { type Output = Mask<T, N>; }
impl<T, const N: usize> BitXor<Mask<T, N>> for bool where T: MaskElement { type Output = Mask<T, N>; }
impl Clone for bool {}
impl Debug for bool {}
impl Default for bool {}
impl Display for bool {}
impl FromStr for bool { type Err = ParseBoolError; }
impl Hash for bool {}
impl Not for bool { type Output = bool; }
impl Ord for bool {}
impl PartialEq for bool {}
impl PartialOrd for bool {}
impl TryFrom<i128> for bool { type Error = TryFromIntError; }
impl Copy for bool {}
impl Eq for bool {}
impl<A, B> Debug for (A, B) where A: Debug, B: Debug {}
impl<A, B, C> Debug for (A, B, C) where A: Debug, B: Debug, C: Debug {}
impl<A, B> Default for (A, B) where A: Default, B: Default {}
impl<A, B, C> Default for (A, B, C) where A: Default, B: Default, C: Default {}
impl<A, B> Extend for (A, B) where A: Extend, B: Extend {}
impl<A, B, C> Extend for (A, B, C) where A: Extend, B: Extend, C: Extend {}
impl<A, B> From for (A, B) where A: From, B: From {}
impl<A, B, C> From for (A, B, C) where A: From, B: From, C: From {}
impl<A, B> FromIterator for (A, B) where A: FromIterator, B: FromIterator {}
impl<A, B, C> FromIterator for (A, B, C) where A: FromIterator, B: FromIterator, C: FromIterator {}
impl<A, B> Hash for (A, B) where A: Hash, B: Hash {}
impl<A, B, C> Hash for (A, B, C) where A: Hash, B: Hash, C: Hash {}
impl<A, B> Ord for (A, B) where A: Ord, B: Ord {}
impl<A, B, C> Ord for (A, B, C) where A: Ord, B: Ord, C: Ord {}
impl<A, B> PartialEq for (A, B) where A: PartialEq, B: PartialEq {}
impl<A, B, C> PartialEq for (A, B, C) where A: PartialEq, B: PartialEq, C: PartialEq {}
impl<A, B> PartialOrd for (A, B) where A: PartialOrd, B: PartialOrd {}
impl<A, B, C> PartialOrd for (A, B, C) where A: PartialOrd, B: PartialOrd, C: PartialOrd {}
impl<'a, T> RangeBounds<T> for (Bound<&'a T>, Bound<&'a T>) {}
impl<T> RangeBounds<T> for (Bound<T>, Bound<T>) {}
impl ToSocketAddrs for (&str, u16) { type Iter = IntoIter<SocketAddr>; }
impl ToSocketAddrs for (IpAddr, u16) { type Iter = option::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (Ipv4Addr, u16) { type Iter = option::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (Ipv6Addr, u16) { type Iter = option::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (String, u16) { type Iter = IntoIter<SocketAddr>; }
impl<A, B> Eq for (A, B) where A: Eq, B: Eq {}
impl<A, B, C> Eq for (A, B, C) where A: Eq, B: Eq, C: Eq {}
impl Debug for () {}
impl Default for () {}
impl Extend<()> for () {}
impl FromIterator<()> for () {}
impl Hash for () {}
impl Ord for () {}
impl PartialEq for () {}
impl PartialOrd for () {}
impl Termination for () {}
impl Eq for () {}
}
/// Fails the cell when a condition is false.
pub macro assert { () => {} }
/// Fails the cell when two values differ, and shows both.
pub macro assert_eq { () => {} }
/// Fails the cell when two values are equal.
pub macro assert_ne { () => {} }
pub macro cfg { () => {} }
pub macro cfg_select { () => {} }
pub macro column { () => {} }
pub macro compile_error { () => {} }
/// Joins literals into one string.
pub macro concat { () => {} }
/// Prints an expression with its value and gives the value back.
pub macro dbg { () => {} }
/// Like `assert!`, in debug builds only.
pub macro debug_assert { () => {} }
pub macro debug_assert_eq { () => {} }
pub macro debug_assert_ne { () => {} }
/// An environment variable, at compile time.
pub macro env { () => {} }
/// Prints to standard error without a newline.
pub macro eprint { () => {} }
/// Prints a line to standard error.
pub macro eprintln { () => {} }
pub macro file { () => {} }
/// Makes a `String` from a format: `format!("{x:.3}")`.
pub macro format { () => {} }
pub macro format_args { () => {} }
pub macro include { () => {} }
pub macro include_bytes { () => {} }
/// The text of a file, at compile time.
pub macro include_str { () => {} }
pub macro is_x86_feature_detected { () => {} }
pub macro line { () => {} }
/// Whether a value matches a pattern.
pub macro matches { () => {} }
pub macro module_path { () => {} }
pub macro option_env { () => {} }
/// Ends the cell with a message.
pub macro panic { () => {} }
/// Prints to standard output without a newline.
pub macro print { () => {} }
/// Prints a line to standard output.
pub macro println { () => {} }
/// The text of an expression.
pub macro stringify { () => {} }
pub macro thread_local { () => {} }
/// Stands for code that is still to be written.
pub macro todo { () => {} }
/// Stands for code that will not be written.
pub macro unimplemented { () => {} }
/// Marks code that is never reached.
pub macro unreachable { () => {} }
/// Makes a `Vec`: `vec![1, 2]` or `vec![0.0; n]`.
pub macro vec { () => {} }
/// Writes a format into a writer.
pub macro write { () => {} }
/// Writes a format and a newline into a writer.
pub macro writeln { () => {} }
pub mod any {
use {std::fmt::Debug, std::hash::Hash};
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct TypeId;
pub trait Any: 'static {
    fn type_id(&self) -> TypeId;
}
pub fn type_name<T>() -> &'static str;
pub fn type_name_of_val<T>(_val: &T) -> &'static str;
impl TypeId {
    pub fn of<T>() -> TypeId where T: 'static;
}
impl dyn Any {
    pub fn is<T>(&self) -> bool where T: Any;
    pub fn downcast_ref<T>(&self) -> Option<&T> where T: Any;
    pub fn downcast_mut<T>(&mut self) -> Option<&mut T> where T: Any;
}
impl dyn Any + Send {
    pub fn is<T>(&self) -> bool where T: Any;
    pub fn downcast_ref<T>(&self) -> Option<&T> where T: Any;
    pub fn downcast_mut<T>(&mut self) -> Option<&mut T> where T: Any;
}
impl dyn Any + Sync + Send {
    pub fn is<T>(&self) -> bool where T: Any;
    pub fn downcast_ref<T>(&self) -> Option<&T> where T: Any;
    pub fn downcast_mut<T>(&mut self) -> Option<&mut T> where T: Any;
}
impl Box<dyn Any> {
    pub fn downcast<T>(self) -> Result<Box<T>, Box<dyn Any>> where T: Any;
}
impl Box<dyn Any + Send> {
    pub fn downcast<T>(self) -> Result<Box<T>, Box<dyn Any + Send>> where T: Any;
}
impl Box<dyn Any + Sync + Send> {
    pub fn downcast<T>(self) -> Result<Box<T>, Box<dyn Any + Sync + Send>> where T: Any;
}
}
pub mod array {
use {std::bstr::ByteStr, std::convert::Infallible, std::error, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::hash::Hash, std::mem::MaybeUninit, std::ops::Index, std::simd::Mask, std::simd::MaskElement, std::slice::Iter, std::slice::IterMut};
pub struct IntoIter<T, const N: usize>;
#[derive(Clone, Debug, Copy)]
pub struct TryFromSliceError;
pub fn from_fn<T, const N: usize, F>(f: F) -> [T; N] where F: FnMut(usize) -> T;
pub fn from_mut<T>(s: &mut T) -> &mut [T; 1];
pub fn from_ref<T>(s: &T) -> &[T; 1];
pub fn repeat<T, const N: usize>(val: T) -> [T; N] where T: Clone;
impl<T, const N: usize> IntoIter<T, N> {
    pub fn as_slice(&self) -> &[T];
    pub fn as_mut_slice(&mut self) -> &mut [T];
}
impl<T, const N: usize> Clone for IntoIter<T, N> where T: Clone {}
impl<T, const N: usize> Default for IntoIter<T, N> {}
impl<T, const N: usize> DoubleEndedIterator for IntoIter<T, N> {}
impl<T, const N: usize> ExactSizeIterator for IntoIter<T, N> {}
impl<T, const N: usize> Iterator for IntoIter<T, N> { type Item = T; }
impl Display for TryFromSliceError {}
impl error::Error for TryFromSliceError {}
impl From<Infallible> for TryFromSliceError {}
impl<T, const N: usize> [T; N] {
    pub fn map<F, U>(self, f: F) -> [U; N] where F: FnMut(T) -> U;
    pub fn as_slice(&self) -> &[T];
    pub fn as_mut_slice(&mut self) -> &mut [T];
    pub fn each_ref(&self) -> [&T; N];
    pub fn each_mut(&mut self) -> [&mut T; N];
}
impl<T, const N: usize> AsMut<[T]> for [T; N] {}
impl<T, const N: usize> AsRef<[T]> for [T; N] {}
impl<T, const N: usize> Clone for [T; N] where T: Clone {}
impl<T, const N: usize> Debug for [T; N] where T: Debug {}
impl<T> Default for [T; 32] where T: Default {}
impl<T> Default for [T; 31] where T: Default {}
impl<T> Default for [T; 30] where T: Default {}
impl<T> Default for [T; 29] where T: Default {}
impl<T> Default for [T; 28] where T: Default {}
impl<T> Default for [T; 27] where T: Default {}
impl<T> Default for [T; 26] where T: Default {}
impl<T> Default for [T; 25] where T: Default {}
impl<T> Default for [T; 24] where T: Default {}
impl<T> Default for [T; 23] where T: Default {}
impl<T> Default for [T; 22] where T: Default {}
impl<T> Default for [T; 21] where T: Default {}
impl<T> Default for [T; 20] where T: Default {}
impl<T> Default for [T; 19] where T: Default {}
impl<T> Default for [T; 18] where T: Default {}
impl<T> Default for [T; 17] where T: Default {}
impl<T> Default for [T; 16] where T: Default {}
impl<T> Default for [T; 15] where T: Default {}
impl<T> Default for [T; 14] where T: Default {}
impl<T> Default for [T; 13] where T: Default {}
impl<T> Default for [T; 12] where T: Default {}
impl<T> Default for [T; 11] where T: Default {}
impl<T> Default for [T; 10] where T: Default {}
impl<T> Default for [T; 9] where T: Default {}
impl<T> Default for [T; 8] where T: Default {}
impl<T> Default for [T; 7] where T: Default {}
impl<T> Default for [T; 6] where T: Default {}
impl<T> Default for [T; 5] where T: Default {}
impl<T> Default for [T; 4] where T: Default {}
impl<T> Default for [T; 3] where T: Default {}
impl<T> Default for [T; 2] where T: Default {}
impl<T> Default for [T; 1] where T: Default {}
impl<T> Default for [T; 0] {}
impl<T, const N: usize> From<Mask<T, N>> for [bool; N] where T: MaskElement {}
impl<T, const N: usize> From<MaybeUninit<[T; N]>> for [MaybeUninit<T>; N] {}
impl<T, const N: usize> Hash for [T; N] where T: Hash {}
impl<T, I, const N: usize> Index<I> for [T; N] { type Output = <[T] as Index<I>>::Output; }
impl<'a, T, const N: usize> IntoIterator for &'a [T; N] { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T, const N: usize> IntoIterator for &'a mut [T; N] { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T, const N: usize> IntoIterator for [T; N] { type Item = T; type IntoIter = IntoIter<T, N>; }
impl<T, const N: usize> Ord for [T; N] where T: Ord {}
impl<T, U, const N: usize> PartialEq<[U]> for [T; N] where T: PartialEq<U> {}
impl<T, U, const N: usize> PartialEq<[U; N]> for [T] where T: PartialEq<U> {}
impl<const N: usize> PartialEq<ByteStr> for [u8; N] {}
impl<T, const N: usize> PartialOrd for [T; N] where T: PartialOrd {}
impl<T, const N: usize> TryFrom<Vec<T>> for [T; N] { type Error = Vec<T>; }
impl<T, const N: usize> Copy for [T; N] where T: Copy {}
impl<T, const N: usize> Eq for [T; N] where T: Eq {}
}
pub mod ascii {
use {std::fmt::Debug, std::fmt::Display};
#[derive(Clone, Debug)]
pub struct EscapeDefault;
pub fn escape_default(c: u8) -> EscapeDefault;
impl Display for EscapeDefault {}
impl DoubleEndedIterator for EscapeDefault {}
impl ExactSizeIterator for EscapeDefault {}
impl Iterator for EscapeDefault { type Item = u8; }
}
pub mod backtrace {
use {std::fmt::Debug, std::fmt::Display};
#[derive(Debug)]
pub struct Backtrace;
#[derive(Debug, PartialEq, Eq)]
pub enum BacktraceStatus {
    Unsupported,
    Disabled,
    Captured,
}
impl Backtrace {
    pub fn capture() -> Backtrace;
    pub fn force_capture() -> Backtrace;
    pub fn disabled() -> Backtrace;
    pub fn status(&self) -> BacktraceStatus;
}
impl Display for Backtrace {}
}
pub mod borrow {
use {std::bstr::ByteStr, std::bstr::ByteString, std::ffi::CStr, std::ffi::CString, std::ffi::OsStr, std::ffi::OsString, std::fmt::Display, std::hash::Hash, std::ops::Deref, std::path::Path, std::path::PathBuf};
/// Borrowed, or owned where it was changed.
pub enum Cow<'a, B> where B: 'a + ToOwned {
    Borrowed(&'a B),
    Owned(<B as ToOwned>::Owned),
}
pub trait Borrow<Borrowed> {
    fn borrow(&self) -> &Borrowed;
}
pub trait BorrowMut<Borrowed>: Borrow<Borrowed> {
    fn borrow_mut(&mut self) -> &mut Borrowed;
}
/// Owned values from borrowed ones.
pub trait ToOwned {
    type Owned: Borrow<Self>;
    /// An owned copy.
    fn to_owned(&self) -> Self::Owned;
    fn clone_into(&self, target: &mut Self::Owned);
}
impl<B> Cow<'_, B> where B: ToOwned {
    pub fn to_mut(&mut self) -> &mut <B as ToOwned>::Owned;
    pub fn into_owned(self) -> <B as ToOwned>::Owned;
}
impl<B> Clone for Cow<'_, B> where B: ToOwned {}
impl<B> Default for Cow<'_, B> where B: ToOwned {}
impl<B> Deref for Cow<'_, B> where B: ToOwned { type Target = B; }
impl<B> Display for Cow<'_, B> where B: Display + ToOwned {}
impl<'a> From<ByteString> for Cow<'a, ByteStr> {}
impl<'a> From<CString> for Cow<'a, CStr> {}
impl<'a> From<OsString> for Cow<'a, OsStr> {}
impl<'a> From<PathBuf> for Cow<'a, Path> {}
impl<'a> From<String> for Cow<'a, str> {}
impl<'a, T> From<Vec<T>> for Cow<'a, [T]> where T: Clone {}
impl<B> Hash for Cow<'_, B> where B: Hash + ToOwned {}
impl<B> Ord for Cow<'_, B> where B: Ord + ToOwned {}
impl PartialEq<ByteString> for Cow<'_, [u8]> {}
impl PartialEq<ByteString> for Cow<'_, ByteStr> {}
impl PartialEq<ByteString> for Cow<'_, str> {}
impl PartialEq<CStr> for Cow<'_, CStr> {}
impl<'a, 'b, B, C> PartialEq<Cow<'b, C>> for Cow<'a, B> where B: PartialEq<C> + ToOwned, C: ToOwned {}
impl PartialOrd<ByteString> for Cow<'_, [u8]> {}
impl PartialOrd<ByteString> for Cow<'_, ByteStr> {}
impl PartialOrd<ByteString> for Cow<'_, str> {}
impl PartialOrd<OsStr> for Cow<'_, OsStr> {}
impl PartialOrd<OsStr> for Cow<'_, Path> {}
impl<'a, B> PartialOrd for Cow<'a, B> where B: PartialOrd + ToOwned {}
impl<B> Eq for Cow<'_, B> where B: Eq + ToOwned {}
impl<T> ToOwned for T where T: Clone { type Owned = T; }
}
/// Values behind a pointer.
pub mod boxed {
use {std::any::Any, std::borrow::Cow, std::bstr::ByteStr, std::error::Error, std::ffi::CStr, std::ffi::CString, std::ffi::OsStr, std::fmt::Display, std::hash::Hash, std::mem::MaybeUninit, std::ops::Deref, std::ops::DerefMut, std::path::Path, std::pin::Pin, std::slice::Iter, std::slice::IterMut, std::vec::IntoIter};
/// A value behind a pointer.
pub struct Box<T>;
impl Box<dyn Any> {
    pub fn downcast<T>(self) -> Result<Box<T>, Box<dyn Any>> where T: Any;
}
impl Box<dyn Any + Send> {
    pub fn downcast<T>(self) -> Result<Box<T>, Box<dyn Any + Send>> where T: Any;
}
impl Box<dyn Any + Sync + Send> {
    pub fn downcast<T>(self) -> Result<Box<T>, Box<dyn Any + Sync + Send>> where T: Any;
}
impl<T> Box<T> {
    /// Moves a value behind a pointer.
    pub fn new(x: T) -> Box<T>;
    pub fn new_uninit() -> Box<MaybeUninit<T>>;
    pub fn new_zeroed() -> Box<MaybeUninit<T>>;
    pub fn pin(x: T) -> Pin<Box<T>>;
}
impl<T> Box<[T]> {
    pub fn new_uninit_slice(len: usize) -> Box<[MaybeUninit<T>]>;
    pub fn new_zeroed_slice(len: usize) -> Box<[MaybeUninit<T>]>;
}
impl<T> Box<MaybeUninit<T>> {
    pub unsafe fn assume_init(self) -> Box<T>;
    pub fn write(boxed: Box<MaybeUninit<T>>, value: T) -> Box<T>;
}
impl<T> Box<T> {
    pub unsafe fn from_raw(raw: *mut T) -> Box<T>;
    pub fn into_raw(b: Box<T>) -> *mut T;
    pub fn leak<'a>(b: Box<T>) -> &'a mut T where A: 'a;
    pub fn into_pin(boxed: Box<T>) -> Pin<Box<T>> where A: 'static;
}
impl<T> Clone for Box<[T]> where T: Clone {}
impl Clone for Box<ByteStr> {}
impl Clone for Box<CStr> {}
impl Clone for Box<OsStr> {}
impl Clone for Box<Path> {}
impl<T> Clone for Box<T> where T: Clone {}
impl<T> Default for Box<[T]> {}
impl Default for Box<CStr> {}
impl Default for Box<OsStr> {}
impl<T> Default for Box<T> where T: Default {}
impl<T> Deref for Box<T> { type Target = T; }
impl<T> DerefMut for Box<T> {}
impl<T> Display for Box<T> where T: Display {}
impl<T, const N: usize> From<[T; N]> for Box<[T]> {}
impl From<Box<[u8]>> for Box<ByteStr> {}
impl From<Box<ByteStr>> for Box<[u8]> {}
impl From<CString> for Box<CStr> {}
impl From<Cow<'_, OsStr>> for Box<OsStr> {}
impl From<Cow<'_, Path>> for Box<Path> {}
impl From<Cow<'_, str>> for Box<str> {}
impl<'a, 'b> From<Cow<'b, str>> for Box<dyn Error + 'a> {}
impl<'a, 'b> From<Cow<'b, str>> for Box<dyn Error + Sync + Send + 'a> {}
impl<T> From<T> for Box<T> {}
impl<T> Hash for Box<T> where T: Hash {}
impl<'a, I> IntoIterator for &'a Box<[I]> { type IntoIter = Iter<'a, I>; type Item = &'a I; }
impl<'a, I> IntoIterator for &'a mut Box<[I]> { type IntoIter = IterMut<'a, I>; type Item = &'a mut I; }
impl<T> Ord for Box<T> where T: Ord {}
impl<T> PartialEq for Box<T> where T: PartialEq {}
impl<T> PartialOrd for Box<T> where T: PartialOrd {}
impl<T> Eq for Box<T> where T: Eq {}
}
pub mod cell {
use {std::error::Error, std::fmt::Debug, std::fmt::Display, std::ops::Deref, std::ops::DerefMut};
#[derive(Debug)]
pub struct BorrowError;
#[derive(Debug)]
pub struct BorrowMutError;
pub struct Cell<T>;
pub struct LazyCell<T, F = fn() -> T>;
pub struct OnceCell<T>;
pub struct Ref<'b, T> where T: 'b;
pub struct RefCell<T>;
pub struct RefMut<'b, T> where T: 'b;
pub struct UnsafeCell<T>;
impl Display for BorrowError {}
impl Error for BorrowError {}
impl Display for BorrowMutError {}
impl Error for BorrowMutError {}
impl<T> Cell<T> {
    pub fn new(value: T) -> Cell<T>;
    pub fn set(&self, val: T);
    pub fn swap(&self, other: &Cell<T>);
    pub fn replace(&self, val: T) -> T;
    pub fn into_inner(self) -> T;
}
impl<T> Cell<T> where T: Copy {
    pub fn get(&self) -> T;
    pub fn update(&self, f: impl FnOnce(T) -> T);
}
impl<T> Cell<T> {
    pub fn as_ptr(&self) -> *mut T;
    pub fn get_mut(&mut self) -> &mut T;
    pub fn from_mut(t: &mut T) -> &Cell<T>;
}
impl<T> Cell<T> where T: Default {
    pub fn take(&self) -> T where T: Default;
}
impl<T> Cell<[T]> {
    pub fn as_slice_of_cells(&self) -> &[Cell<T>];
}
impl<T, const N: usize> Cell<[T; N]> {
    pub fn as_array_of_cells(&self) -> &[Cell<T>; N];
}
impl<T> AsRef<[Cell<T>]> for Cell<[T]> {}
impl<T, const N: usize> AsRef<[Cell<T>]> for Cell<[T; N]> {}
impl<T> Clone for Cell<T> where T: Copy {}
impl<T> Default for Cell<T> where T: Default {}
impl<T> From<T> for Cell<T> {}
impl<T> Ord for Cell<T> where T: Ord + Copy {}
impl<T> PartialEq for Cell<T> where T: PartialEq + Copy {}
impl<T> PartialOrd for Cell<T> where T: PartialOrd + Copy {}
impl<T> Eq for Cell<T> where T: Eq + Copy {}
impl<T, F> LazyCell<T, F> where F: FnOnce() -> T {
    pub fn new(f: F) -> LazyCell<T, F>;
    pub fn force(this: &LazyCell<T, F>) -> &T;
    pub fn force_mut(this: &mut LazyCell<T, F>) -> &mut T;
}
impl<T, F> LazyCell<T, F> {
    pub fn get_mut(this: &mut LazyCell<T, F>) -> Option<&mut T>;
    pub fn get(this: &LazyCell<T, F>) -> Option<&T>;
}
impl<T> Default for LazyCell<T> where T: Default {}
impl<T, F> Deref for LazyCell<T, F> where F: FnOnce() -> T { type Target = T; }
impl<T, F> DerefMut for LazyCell<T, F> where F: FnOnce() -> T {}
impl<T> OnceCell<T> {
    pub fn new() -> OnceCell<T>;
    pub fn get(&self) -> Option<&T>;
    pub fn get_mut(&mut self) -> Option<&mut T>;
    pub fn set(&self, value: T) -> Result<(), T>;
    pub fn get_or_init<F>(&self, f: F) -> &T where F: FnOnce() -> T;
    pub fn into_inner(self) -> Option<T>;
    pub fn take(&mut self) -> Option<T>;
}
impl<T> Clone for OnceCell<T> where T: Clone {}
impl<T> Default for OnceCell<T> {}
impl<T> From<T> for OnceCell<T> {}
impl<T> PartialEq for OnceCell<T> where T: PartialEq {}
impl<T> Eq for OnceCell<T> where T: Eq {}
impl<'b, T> Ref<'b, T> {
    pub fn clone(orig: &Ref<'b, T>) -> Ref<'b, T>;
    pub fn map<U, F>(orig: Ref<'b, T>, f: F) -> Ref<'b, U> where F: FnOnce(&T) -> &U;
    pub fn filter_map<U, F>(orig: Ref<'b, T>, f: F) -> Result<Ref<'b, U>, Ref<'b, T>> where F: FnOnce(&T) -> Option<&U>;
    pub fn map_split<U, V, F>(orig: Ref<'b, T>, f: F) -> (Ref<'b, U>, Ref<'b, V>) where F: FnOnce(&T) -> (&U, &V);
}
impl<T> Deref for Ref<'_, T> { type Target = T; }
impl<T> Display for Ref<'_, T> where T: Display {}
impl<T> RefCell<T> {
    pub fn new(value: T) -> RefCell<T>;
    pub fn into_inner(self) -> T;
    pub fn replace(&self, t: T) -> T;
    pub fn replace_with<F>(&self, f: F) -> T where F: FnOnce(&mut T) -> T;
    pub fn swap(&self, other: &RefCell<T>);
    pub fn borrow(&self) -> Ref<'_, T>;
    pub fn try_borrow(&self) -> Result<Ref<'_, T>, BorrowError>;
    pub fn borrow_mut(&self) -> RefMut<'_, T>;
    pub fn try_borrow_mut(&self) -> Result<RefMut<'_, T>, BorrowMutError>;
    pub fn as_ptr(&self) -> *mut T;
    pub fn get_mut(&mut self) -> &mut T;
    pub unsafe fn try_borrow_unguarded(&self) -> Result<&T, BorrowError>;
}
impl<T> RefCell<T> where T: Default {
    pub fn take(&self) -> T;
}
impl<T> Clone for RefCell<T> where T: Clone {}
impl<T> Default for RefCell<T> where T: Default {}
impl<T> From<T> for RefCell<T> {}
impl<T> Ord for RefCell<T> where T: Ord {}
impl<T> PartialEq for RefCell<T> where T: PartialEq {}
impl<T> PartialOrd for RefCell<T> where T: PartialOrd {}
impl<T> Eq for RefCell<T> where T: Eq {}
impl<'b, T> RefMut<'b, T> {
    pub fn map<U, F>(orig: RefMut<'b, T>, f: F) -> RefMut<'b, U> where F: FnOnce(&mut T) -> &mut U;
    pub fn filter_map<U, F>(orig: RefMut<'b, T>, f: F) -> Result<RefMut<'b, U>, RefMut<'b, T>> where F: FnOnce(&mut T) -> Option<&mut U>;
    pub fn map_split<U, V, F>(orig: RefMut<'b, T>, f: F) -> (RefMut<'b, U>, RefMut<'b, V>) where F: FnOnce(&mut T) -> (&mut U, &mut V);
}
impl<T> Deref for RefMut<'_, T> { type Target = T; }
impl<T> DerefMut for RefMut<'_, T> {}
impl<T> Display for RefMut<'_, T> where T: Display {}
impl<T> UnsafeCell<T> {
    pub fn new(value: T) -> UnsafeCell<T>;
    pub fn into_inner(self) -> T;
    pub fn from_mut(value: &mut T) -> &mut UnsafeCell<T>;
    pub fn get(&self) -> *mut T;
    pub fn get_mut(&mut self) -> &mut T;
    pub fn raw_get(this: *const UnsafeCell<T>) -> *mut T;
}
impl<T> Default for UnsafeCell<T> where T: Default {}
impl<T> From<T> for UnsafeCell<T> {}
}
pub mod char {
use {std::array::IntoIter, std::ascii::Char, std::error::Error, std::fmt::Debug, std::fmt::Display, std::hash::Hash, std::str::FromStr};
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub struct CharTryFromError;
pub struct DecodeUtf16<I> where I: Iterator<Item = u16>;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeUtf16Error;
#[derive(Clone, Debug)]
pub struct EscapeDebug;
#[derive(Clone, Debug)]
pub struct EscapeDefault;
#[derive(Clone, Debug)]
pub struct EscapeUnicode;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseCharError;
#[derive(Clone, Debug)]
pub struct ToLowercase;
#[derive(Clone, Debug)]
pub struct ToUppercase;
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub struct TryFromCharError;
pub const MAX: char = char::MAX;
pub const REPLACEMENT_CHARACTER: char = char::REPLACEMENT_CHARACTER;
pub const UNICODE_VERSION: (u8, u8, u8);
pub fn decode_utf16<I>(iter: I) -> DecodeUtf16<<I as IntoIterator>::IntoIter> where I: IntoIterator<Item = u16>;
pub fn from_digit(num: u32, radix: u32) -> Option<char>;
pub fn from_u32(i: u32) -> Option<char>;
pub unsafe fn from_u32_unchecked(i: u32) -> char;
impl Display for CharTryFromError {}
impl Error for CharTryFromError {}
impl<I> Clone for DecodeUtf16<I> where I: Clone + Iterator<Item = u16> {}
impl<I> Iterator for DecodeUtf16<I> where I: Iterator<Item = u16> { type Item = Result<char, DecodeUtf16Error>; }
impl DecodeUtf16Error {
    pub fn unpaired_surrogate(&self) -> u16;
}
impl Display for DecodeUtf16Error {}
impl Error for DecodeUtf16Error {}
impl Display for EscapeDebug {}
impl ExactSizeIterator for EscapeDebug {}
impl Iterator for EscapeDebug { type Item = char; }
impl Display for EscapeDefault {}
impl ExactSizeIterator for EscapeDefault {}
impl Iterator for EscapeDefault { type Item = char; }
impl Display for EscapeUnicode {}
impl ExactSizeIterator for EscapeUnicode {}
impl Iterator for EscapeUnicode { type Item = char; }
impl Display for ParseCharError {}
impl Error for ParseCharError {}
impl Display for ToLowercase {}
impl DoubleEndedIterator for ToLowercase {}
impl ExactSizeIterator for ToLowercase {}
impl Iterator for ToLowercase { type Item = char; }
impl Display for ToUppercase {}
impl DoubleEndedIterator for ToUppercase {}
impl ExactSizeIterator for ToUppercase {}
impl Iterator for ToUppercase { type Item = char; }
impl Display for TryFromCharError {}
impl Error for TryFromCharError {}
impl char {
    pub const MIN: char;
    pub const MAX: char;
    pub const MAX_LEN_UTF8: usize;
    pub const MAX_LEN_UTF16: usize;
    pub const REPLACEMENT_CHARACTER: char;
    pub const UNICODE_VERSION: (u8, u8, u8);
    pub fn decode_utf16<I>(iter: I) -> DecodeUtf16<<I as IntoIterator>::IntoIter> where I: IntoIterator<Item = u16>;
    pub fn from_u32(i: u32) -> Option<char>;
    pub unsafe fn from_u32_unchecked(i: u32) -> char;
    pub fn from_digit(num: u32, radix: u32) -> Option<char>;
    pub fn is_digit(self, radix: u32) -> bool;
    /// Its value as a digit of a base.
    pub fn to_digit(self, radix: u32) -> Option<u32>;
    pub fn escape_unicode(self) -> EscapeUnicode;
    pub fn escape_debug(self) -> EscapeDebug;
    pub fn escape_default(self) -> EscapeDefault;
    /// Bytes it takes in UTF-8.
    pub fn len_utf8(self) -> usize;
    pub fn len_utf16(self) -> usize;
    pub fn encode_utf8(self, dst: &mut [u8]) -> &mut str;
    pub fn encode_utf16(self, dst: &mut [u16]) -> &mut [u16];
    /// Whether it is a letter.
    pub fn is_alphabetic(self) -> bool;
    pub fn is_lowercase(self) -> bool;
    pub fn is_uppercase(self) -> bool;
    /// Whether it is white space.
    pub fn is_whitespace(self) -> bool;
    /// Whether it is a letter or a digit.
    pub fn is_alphanumeric(self) -> bool;
    pub fn is_control(self) -> bool;
    pub fn is_numeric(self) -> bool;
    pub fn to_lowercase(self) -> ToLowercase;
    pub fn to_uppercase(self) -> ToUppercase;
    pub fn is_ascii(&self) -> bool;
    /// In ASCII upper case.
    pub fn to_ascii_uppercase(&self) -> char;
    /// In ASCII lower case.
    pub fn to_ascii_lowercase(&self) -> char;
    pub fn eq_ignore_ascii_case(&self, other: &char) -> bool;
    pub fn make_ascii_uppercase(&mut self);
    pub fn make_ascii_lowercase(&mut self);
    pub fn is_ascii_alphabetic(&self) -> bool;
    pub fn is_ascii_uppercase(&self) -> bool;
    pub fn is_ascii_lowercase(&self) -> bool;
    pub fn is_ascii_alphanumeric(&self) -> bool;
    /// Whether it is an ASCII digit.
    pub fn is_ascii_digit(&self) -> bool;
    pub fn is_ascii_hexdigit(&self) -> bool;
    pub fn is_ascii_punctuation(&self) -> bool;
    pub fn is_ascii_graphic(&self) -> bool;
    pub fn is_ascii_whitespace(&self) -> bool;
    pub fn is_ascii_control(&self) -> bool;
}
impl Clone for char {}
impl Debug for char {}
impl Default for char {}
impl Display for char {}
impl From<Char> for char {}
impl FromStr for char { type Err = ParseCharError; }
impl Hash for char {}
impl Ord for char {}
impl PartialEq for char {}
impl PartialOrd for char {}
impl TryFrom<u32> for char { type Error = CharTryFromError; }
impl Copy for char {}
impl Eq for char {}
}
/// Copying values on request.
pub mod clone {
/// Values of which a copy can be made.
pub trait Clone: Sized {
    /// A copy of the value.
    fn clone(&self) -> Self;
    fn clone_from(&mut self, source: &Self);
}
impl Clone for ! {}
}
/// Comparing and ordering.
pub mod cmp {
use {std::fmt::Debug, std::hash::Hash, std::marker::FnPtr};
/// Turns an order round: `sort_by_key(|x| Reverse(*x))`.
pub struct Reverse<T>(pub T);
/// Less, equal or greater.
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub enum Ordering {
    /// Smaller.
    Less,
    /// Equal.
    Equal,
    /// Larger.
    Greater,
}
/// Equality that is reflexive.
pub trait Eq: PartialEq {}
/// Values that are all ordered.
pub trait Ord: Eq + PartialOrd {
    /// The order of two values.
    fn cmp(&self, other: &Self) -> Ordering;
    /// The larger of two values.
    fn max(self, other: Self) -> Self;
    /// The smaller of two values.
    fn min(self, other: Self) -> Self;
    /// The value, moved into an interval.
    fn clamp(self, min: Self, max: Self) -> Self;
}
/// Values that can be told equal.
pub trait PartialEq<Rhs = Self> {
    /// Whether two values are equal.
    fn eq(&self, other: &Rhs) -> bool;
    /// Whether two values differ.
    fn ne(&self, other: &Rhs) -> bool;
}
/// Values of which some are ordered.
pub trait PartialOrd<Rhs = Self>: PartialEq<Rhs> {
    /// The order of two values, if they have one.
    fn partial_cmp(&self, other: &Rhs) -> Option<Ordering>;
    fn lt(&self, other: &Rhs) -> bool;
    fn le(&self, other: &Rhs) -> bool;
    fn gt(&self, other: &Rhs) -> bool;
    fn ge(&self, other: &Rhs) -> bool;
}
/// The larger of two values.
pub fn max<T>(v1: T, v2: T) -> T where T: Ord;
pub fn max_by<T, F>(v1: T, v2: T, compare: F) -> T where F: FnOnce(&T, &T) -> Ordering;
pub fn max_by_key<T, F, K>(v1: T, v2: T, f: F) -> T where F: FnMut(&T) -> K, K: Ord;
/// The smaller of two values.
pub fn min<T>(v1: T, v2: T) -> T where T: Ord;
pub fn min_by<T, F>(v1: T, v2: T, compare: F) -> T where F: FnOnce(&T, &T) -> Ordering;
pub fn min_by_key<T, F, K>(v1: T, v2: T, f: F) -> T where F: FnMut(&T) -> K, K: Ord;
impl<T> Clone for Reverse<T> where T: Clone {}
impl<T> Default for Reverse<T> where T: Default {}
impl<T> Hash for Reverse<T> where T: Hash {}
impl<T> Ord for Reverse<T> where T: Ord {}
impl<T> PartialEq for Reverse<T> where T: PartialEq {}
impl<T> PartialOrd for Reverse<T> where T: PartialOrd {}
impl<T> Copy for Reverse<T> where T: Copy {}
impl<T> Eq for Reverse<T> where T: Eq {}
impl Ordering {
    pub fn is_eq(self) -> bool;
    pub fn is_ne(self) -> bool;
    /// Whether it is `Less`.
    pub fn is_lt(self) -> bool;
    /// Whether it is `Greater`.
    pub fn is_gt(self) -> bool;
    pub fn is_le(self) -> bool;
    pub fn is_ge(self) -> bool;
    /// The opposite order.
    pub fn reverse(self) -> Ordering;
    /// This order, or another where the values are equal.
    pub fn then(self, other: Ordering) -> Ordering;
    /// This order, or that of a function where the values are equal.
    pub fn then_with<F>(self, f: F) -> Ordering where F: FnOnce() -> Ordering;
}
impl Eq for ! {}
impl<F> Eq for F where F: FnPtr {}
impl Ord for ! {}
impl<F> Ord for F where F: FnPtr {}
impl PartialEq for ! {}
impl<F> PartialEq for F where F: FnPtr {}
impl PartialOrd for ! {}
impl<F> PartialOrd for F where F: FnPtr {}
}
/// Maps and sets.
pub mod collections {
use {std::borrow::Borrow, std::cmp::Ordering, std::collections::binary_heap::Drain, std::collections::binary_heap::PeekMut, std::collections::btree_map::Entry, std::collections::btree_map::ExtractIf, std::collections::btree_map::IntoIter, std::collections::btree_map::IntoKeys, std::collections::btree_map::IntoValues, std::collections::btree_map::Iter, std::collections::btree_map::IterMut, std::collections::btree_map::Keys, std::collections::btree_map::OccupiedEntry, std::collections::btree_map::Range, std::collections::btree_map::RangeMut, std::collections::btree_map::Values, std::collections::btree_map::ValuesMut, std::collections::btree_set::Difference, std::collections::btree_set::Intersection, std::collections::btree_set::SymmetricDifference, std::collections::btree_set::Union, std::error, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::hash::BuildHasher, std::hash::Hash, std::hash::RandomState, std::io::BufRead, std::io::Read, std::io::Write, std::ops::Index, std::ops::RangeBounds};
/// A map in order of its keys.
pub struct BTreeMap<K, V>;
/// A set in order.
pub struct BTreeSet<T>;
pub struct BinaryHeap<T>;
/// A map by hash; its order is not fixed.
pub struct HashMap<K, V, S = RandomState>;
/// A set by hash.
pub struct HashSet<T, S = RandomState>;
pub struct LinkedList<T>;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryReserveError;
/// A queue with two ends.
pub struct VecDeque<T>;
impl<K, V> BTreeMap<K, V> {
    /// An empty map.
    pub fn new() -> BTreeMap<K, V>;
    pub fn clear(&mut self);
    /// The value of a key.
    pub fn get<Q>(&self, key: &Q) -> Option<&V> where K: Borrow<Q> + Ord, Q: Ord;
    pub fn get_key_value<Q>(&self, k: &Q) -> Option<(&K, &V)> where K: Borrow<Q> + Ord, Q: Ord;
    /// The pair with the smallest key.
    pub fn first_key_value(&self) -> Option<(&K, &V)> where K: Ord;
    pub fn first_entry(&mut self) -> Option<OccupiedEntry<'_, K, V>> where K: Ord;
    pub fn pop_first(&mut self) -> Option<(K, V)> where K: Ord;
    /// The pair with the largest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> where K: Ord;
    pub fn last_entry(&mut self) -> Option<OccupiedEntry<'_, K, V>> where K: Ord;
    pub fn pop_last(&mut self) -> Option<(K, V)> where K: Ord;
    /// Whether a key is there.
    pub fn contains_key<Q>(&self, key: &Q) -> bool where K: Borrow<Q> + Ord, Q: Ord;
    /// The value of a key, to change it.
    pub fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V> where K: Borrow<Q> + Ord, Q: Ord;
    /// Puts in a value and gives back the old one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> where K: Ord;
    /// Removes a key and gives its value.
    pub fn remove<Q>(&mut self, key: &Q) -> Option<V> where K: Borrow<Q> + Ord, Q: Ord;
    pub fn remove_entry<Q>(&mut self, key: &Q) -> Option<(K, V)> where K: Borrow<Q> + Ord, Q: Ord;
    pub fn retain<F>(&mut self, f: F) where K: Ord, F: FnMut(&K, &mut V) -> bool;
    pub fn append(&mut self, other: &mut BTreeMap<K, V>) where K: Ord, A: Clone;
    pub fn range<T, R>(&self, range: R) -> Range<'_, K, V> where T: Ord, K: Borrow<T> + Ord, R: RangeBounds<T>;
    pub fn range_mut<T, R>(&mut self, range: R) -> RangeMut<'_, K, V> where T: Ord, K: Borrow<T> + Ord, R: RangeBounds<T>;
    /// The place of a key: `*map.entry(k).or_insert(0) += 1`.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> where K: Ord;
    pub fn split_off<Q>(&mut self, key: &Q) -> BTreeMap<K, V> where Q: Ord, K: Borrow<Q> + Ord, A: Clone;
    pub fn extract_if<F, R>(&mut self, range: R, pred: F) -> ExtractIf<'_, K, V, R, F> where K: Ord, R: RangeBounds<K>, F: FnMut(&K, &mut V) -> bool;
    pub fn into_keys(self) -> IntoKeys<K, V>;
    pub fn into_values(self) -> IntoValues<K, V>;
    /// Its pairs, in order.
    pub fn iter(&self) -> Iter<'_, K, V>;
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V>;
    /// Its keys, in order.
    pub fn keys(&self) -> Keys<'_, K, V>;
    /// Its values, in order of the keys.
    pub fn values(&self) -> Values<'_, K, V>;
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V>;
    /// Number of keys.
    pub fn len(&self) -> usize;
    /// Whether there are none.
    pub fn is_empty(&self) -> bool;
}
impl<K, V> Clone for BTreeMap<K, V> where K: Clone, V: Clone {}
impl<K, V> Default for BTreeMap<K, V> {}
impl<K, V> Extend<(K, V)> for BTreeMap<K, V> where K: Ord {}
impl<K, V, const N: usize> From<[(K, V); N]> for BTreeMap<K, V> where K: Ord {}
impl<K, V> FromIterator<(K, V)> for BTreeMap<K, V> where K: Ord {}
impl<K, V> Hash for BTreeMap<K, V> where K: Hash, V: Hash {}
impl<'a, K, V> IntoIterator for &'a BTreeMap<K, V> { type Item = (&'a K, &'a V); type IntoIter = Iter<'a, K, V>; }
impl<'a, K, V> IntoIterator for &'a mut BTreeMap<K, V> { type Item = (&'a K, &'a mut V); type IntoIter = IterMut<'a, K, V>; }
impl<K, V> IntoIterator for BTreeMap<K, V> { type Item = (K, V); type IntoIter = IntoIter<K, V>; }
impl<K, V> Ord for BTreeMap<K, V> where K: Ord, V: Ord {}
impl<K, V> PartialEq for BTreeMap<K, V> where K: PartialEq, V: PartialEq {}
impl<K, V> PartialOrd for BTreeMap<K, V> where K: PartialOrd, V: PartialOrd {}
impl<K, V> Eq for BTreeMap<K, V> where K: Eq, V: Eq {}
impl<K, Q, V> Index<&Q> for BTreeMap<K, V> where K: Borrow<Q> + Ord, Q: Ord { type Output = V; }
impl<T> BTreeSet<T> {
    /// An empty set.
    pub fn new() -> BTreeSet<T>;
    pub fn range<K, R>(&self, range: R) -> std::collections::btree_set::Range<'_, T> where K: Ord, T: Borrow<K> + Ord, R: RangeBounds<K>;
    pub fn difference<'a>(&'a self, other: &'a BTreeSet<T>) -> Difference<'a, T> where T: Ord;
    pub fn symmetric_difference<'a>(&'a self, other: &'a BTreeSet<T>) -> SymmetricDifference<'a, T> where T: Ord;
    pub fn intersection<'a>(&'a self, other: &'a BTreeSet<T>) -> Intersection<'a, T> where T: Ord;
    pub fn union<'a>(&'a self, other: &'a BTreeSet<T>) -> Union<'a, T> where T: Ord;
    pub fn clear(&mut self) where A: Clone;
    /// Whether a value is there.
    pub fn contains<Q>(&self, value: &Q) -> bool where T: Borrow<Q> + Ord, Q: Ord;
    pub fn get<Q>(&self, value: &Q) -> Option<&T> where T: Borrow<Q> + Ord, Q: Ord;
    pub fn is_disjoint(&self, other: &BTreeSet<T>) -> bool where T: Ord;
    pub fn is_subset(&self, other: &BTreeSet<T>) -> bool where T: Ord;
    pub fn is_superset(&self, other: &BTreeSet<T>) -> bool where T: Ord;
    pub fn first(&self) -> Option<&T> where T: Ord;
    pub fn last(&self) -> Option<&T> where T: Ord;
    pub fn pop_first(&mut self) -> Option<T> where T: Ord;
    pub fn pop_last(&mut self) -> Option<T> where T: Ord;
    /// Puts in a value; whether it was new.
    pub fn insert(&mut self, value: T) -> bool where T: Ord;
    pub fn replace(&mut self, value: T) -> Option<T> where T: Ord;
    /// Removes a value; whether it was there.
    pub fn remove<Q>(&mut self, value: &Q) -> bool where T: Borrow<Q> + Ord, Q: Ord;
    pub fn take<Q>(&mut self, value: &Q) -> Option<T> where T: Borrow<Q> + Ord, Q: Ord;
    pub fn retain<F>(&mut self, f: F) where T: Ord, F: FnMut(&T) -> bool;
    pub fn append(&mut self, other: &mut BTreeSet<T>) where T: Ord, A: Clone;
    pub fn split_off<Q>(&mut self, value: &Q) -> BTreeSet<T> where Q: Ord, T: Borrow<Q> + Ord, A: Clone;
    pub fn extract_if<F, R>(&mut self, range: R, pred: F) -> std::collections::btree_set::ExtractIf<'_, T, R, F> where T: Ord, R: RangeBounds<T>, F: FnMut(&T) -> bool;
    /// Its values, in order.
    pub fn iter(&self) -> std::collections::btree_set::Iter<'_, T>;
    /// Number of values.
    pub fn len(&self) -> usize;
    /// Whether there are none.
    pub fn is_empty(&self) -> bool;
}
impl<T> Clone for BTreeSet<T> where T: Clone {}
impl<T> Default for BTreeSet<T> {}
impl<T> Extend<T> for BTreeSet<T> where T: Ord {}
impl<T, const N: usize> From<[T; N]> for BTreeSet<T> where T: Ord {}
impl<T> FromIterator<T> for BTreeSet<T> where T: Ord {}
impl<T> Hash for BTreeSet<T> where T: Hash {}
impl<'a, T> IntoIterator for &'a BTreeSet<T> { type Item = &'a T; type IntoIter = std::collections::btree_set::Iter<'a, T>; }
impl<T> IntoIterator for BTreeSet<T> { type Item = T; type IntoIter = std::collections::btree_set::IntoIter<T>; }
impl<T> Ord for BTreeSet<T> where T: Ord {}
impl<T> PartialEq for BTreeSet<T> where T: PartialEq {}
impl<T> PartialOrd for BTreeSet<T> where T: PartialOrd {}
impl<T> Eq for BTreeSet<T> where T: Eq {}
impl<T> BinaryHeap<T> {
    pub fn new() -> BinaryHeap<T>;
    pub fn with_capacity(capacity: usize) -> BinaryHeap<T>;
}
impl<T> BinaryHeap<T> where T: Ord {
    pub fn peek_mut(&mut self) -> Option<PeekMut<'_, T>>;
    pub fn pop(&mut self) -> Option<T>;
    pub fn push(&mut self, item: T);
    pub fn into_sorted_vec(self) -> Vec<T>;
    pub fn append(&mut self, other: &mut BinaryHeap<T>);
    pub fn retain<F>(&mut self, f: F) where F: FnMut(&T) -> bool;
}
impl<T> BinaryHeap<T> {
    pub fn iter(&self) -> std::collections::binary_heap::Iter<'_, T>;
    pub fn peek(&self) -> Option<&T>;
    pub fn capacity(&self) -> usize;
    pub fn reserve_exact(&mut self, additional: usize);
    pub fn reserve(&mut self, additional: usize);
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
    pub fn as_slice(&self) -> &[T];
    pub fn into_vec(self) -> Vec<T>;
    pub fn len(&self) -> usize;
    pub fn is_empty(&self) -> bool;
    pub fn drain(&mut self) -> Drain<'_, T>;
    pub fn clear(&mut self);
}
impl<T> Clone for BinaryHeap<T> where T: Clone {}
impl<T> Default for BinaryHeap<T> {}
impl<T> Extend<T> for BinaryHeap<T> where T: Ord {}
impl<T, const N: usize> From<[T; N]> for BinaryHeap<T> where T: Ord {}
impl<T> FromIterator<T> for BinaryHeap<T> where T: Ord {}
impl<'a, T> IntoIterator for &'a BinaryHeap<T> { type Item = &'a T; type IntoIter = std::collections::binary_heap::Iter<'a, T>; }
impl<T> IntoIterator for BinaryHeap<T> { type Item = T; type IntoIter = std::collections::binary_heap::IntoIter<T>; }
impl<K, V> HashMap<K, V, RandomState> {
    /// An empty map.
    pub fn new() -> HashMap<K, V, RandomState>;
    pub fn with_capacity(capacity: usize) -> HashMap<K, V, RandomState>;
}
impl<K, V, S> HashMap<K, V, S> {
    pub fn with_hasher(hash_builder: S) -> HashMap<K, V, S>;
    pub fn with_capacity_and_hasher(capacity: usize, hasher: S) -> HashMap<K, V, S>;
    pub fn capacity(&self) -> usize;
    /// Its keys.
    pub fn keys(&self) -> std::collections::hash_map::Keys<'_, K, V>;
    pub fn into_keys(self) -> std::collections::hash_map::IntoKeys<K, V>;
    /// Its values.
    pub fn values(&self) -> std::collections::hash_map::Values<'_, K, V>;
    /// Its values, to change them.
    pub fn values_mut(&mut self) -> std::collections::hash_map::ValuesMut<'_, K, V>;
    pub fn into_values(self) -> std::collections::hash_map::IntoValues<K, V>;
    /// Its pairs.
    pub fn iter(&self) -> std::collections::hash_map::Iter<'_, K, V>;
    pub fn iter_mut(&mut self) -> std::collections::hash_map::IterMut<'_, K, V>;
    /// Number of keys.
    pub fn len(&self) -> usize;
    /// Whether there are none.
    pub fn is_empty(&self) -> bool;
    pub fn drain(&mut self) -> std::collections::hash_map::Drain<'_, K, V>;
    pub fn extract_if<F>(&mut self, pred: F) -> std::collections::hash_map::ExtractIf<'_, K, V, F> where F: FnMut(&K, &mut V) -> bool;
    pub fn retain<F>(&mut self, f: F) where F: FnMut(&K, &mut V) -> bool;
    /// Removes everything.
    pub fn clear(&mut self);
    pub fn hasher(&self) -> &S;
}
impl<K, V, S> HashMap<K, V, S> where K: Eq + Hash, S: BuildHasher {
    pub fn reserve(&mut self, additional: usize);
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
    /// The place of a key: `*map.entry(k).or_insert(0) += 1`.
    pub fn entry(&mut self, key: K) -> std::collections::hash_map::Entry<'_, K, V>;
    /// The value of a key.
    pub fn get<Q>(&self, k: &Q) -> Option<&V> where K: Borrow<Q>, Q: Hash + Eq;
    pub fn get_key_value<Q>(&self, k: &Q) -> Option<(&K, &V)> where K: Borrow<Q>, Q: Hash + Eq;
    pub fn get_disjoint_mut<Q, const N: usize>(&mut self, ks: [&Q; N]) -> [Option<&mut V>; N] where K: Borrow<Q>, Q: Hash + Eq;
    pub unsafe fn get_disjoint_unchecked_mut<Q, const N: usize>(&mut self, ks: [&Q; N]) -> [Option<&mut V>; N] where K: Borrow<Q>, Q: Hash + Eq;
    /// Whether a key is there.
    pub fn contains_key<Q>(&self, k: &Q) -> bool where K: Borrow<Q>, Q: Hash + Eq;
    /// The value of a key, to change it.
    pub fn get_mut<Q>(&mut self, k: &Q) -> Option<&mut V> where K: Borrow<Q>, Q: Hash + Eq;
    /// Puts in a value and gives back the old one.
    pub fn insert(&mut self, k: K, v: V) -> Option<V>;
    /// Removes a key and gives its value.
    pub fn remove<Q>(&mut self, k: &Q) -> Option<V> where K: Borrow<Q>, Q: Hash + Eq;
    pub fn remove_entry<Q>(&mut self, k: &Q) -> Option<(K, V)> where K: Borrow<Q>, Q: Hash + Eq;
}
impl<K, V, S> Clone for HashMap<K, V, S> where K: Clone, V: Clone, S: Clone {}
impl<K, V, S> Default for HashMap<K, V, S> where S: Default {}
impl<K, V, S> Extend<(K, V)> for HashMap<K, V, S> where K: Eq + Hash, S: BuildHasher {}
impl<K, V, const N: usize> From<[(K, V); N]> for HashMap<K, V, RandomState> where K: Eq + Hash {}
impl<K, V, S> FromIterator<(K, V)> for HashMap<K, V, S> where K: Eq + Hash, S: BuildHasher + Default {}
impl<'a, K, V, S> IntoIterator for &'a HashMap<K, V, S> { type Item = (&'a K, &'a V); type IntoIter = std::collections::hash_map::Iter<'a, K, V>; }
impl<'a, K, V, S> IntoIterator for &'a mut HashMap<K, V, S> { type Item = (&'a K, &'a mut V); type IntoIter = std::collections::hash_map::IterMut<'a, K, V>; }
impl<K, V, S> IntoIterator for HashMap<K, V, S> { type Item = (K, V); type IntoIter = std::collections::hash_map::IntoIter<K, V>; }
impl<K, V, S> PartialEq for HashMap<K, V, S> where K: Eq + Hash, V: PartialEq, S: BuildHasher {}
impl<K, V, S> Eq for HashMap<K, V, S> where K: Eq + Hash, V: Eq, S: BuildHasher {}
impl<K, Q, V, S> Index<&Q> for HashMap<K, V, S> where K: Eq + Hash + Borrow<Q>, Q: Eq + Hash, S: BuildHasher { type Output = V; }
impl<T> HashSet<T, RandomState> {
    /// An empty set.
    pub fn new() -> HashSet<T, RandomState>;
    pub fn with_capacity(capacity: usize) -> HashSet<T, RandomState>;
}
impl<T, S> HashSet<T, S> {
    pub fn with_hasher(hasher: S) -> HashSet<T, S>;
    pub fn with_capacity_and_hasher(capacity: usize, hasher: S) -> HashSet<T, S>;
    pub fn capacity(&self) -> usize;
    /// Its values.
    pub fn iter(&self) -> std::collections::hash_set::Iter<'_, T>;
    /// Number of values.
    pub fn len(&self) -> usize;
    /// Whether there are none.
    pub fn is_empty(&self) -> bool;
    pub fn drain(&mut self) -> std::collections::hash_set::Drain<'_, T>;
    pub fn extract_if<F>(&mut self, pred: F) -> std::collections::hash_set::ExtractIf<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn retain<F>(&mut self, f: F) where F: FnMut(&T) -> bool;
    pub fn clear(&mut self);
    pub fn hasher(&self) -> &S;
}
impl<T, S> HashSet<T, S> where T: Eq + Hash, S: BuildHasher {
    pub fn reserve(&mut self, additional: usize);
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
    pub fn difference<'a>(&'a self, other: &'a HashSet<T, S>) -> std::collections::hash_set::Difference<'a, T, S>;
    pub fn symmetric_difference<'a>(&'a self, other: &'a HashSet<T, S>) -> std::collections::hash_set::SymmetricDifference<'a, T, S>;
    pub fn intersection<'a>(&'a self, other: &'a HashSet<T, S>) -> std::collections::hash_set::Intersection<'a, T, S>;
    pub fn union<'a>(&'a self, other: &'a HashSet<T, S>) -> std::collections::hash_set::Union<'a, T, S>;
    /// Whether a value is there.
    pub fn contains<Q>(&self, value: &Q) -> bool where T: Borrow<Q>, Q: Hash + Eq;
    pub fn get<Q>(&self, value: &Q) -> Option<&T> where T: Borrow<Q>, Q: Hash + Eq;
    pub fn is_disjoint(&self, other: &HashSet<T, S>) -> bool;
    pub fn is_subset(&self, other: &HashSet<T, S>) -> bool;
    pub fn is_superset(&self, other: &HashSet<T, S>) -> bool;
    /// Puts in a value; whether it was new.
    pub fn insert(&mut self, value: T) -> bool;
    pub fn replace(&mut self, value: T) -> Option<T>;
    /// Removes a value; whether it was there.
    pub fn remove<Q>(&mut self, value: &Q) -> bool where T: Borrow<Q>, Q: Hash + Eq;
    pub fn take<Q>(&mut self, value: &Q) -> Option<T> where T: Borrow<Q>, Q: Hash + Eq;
}
impl<T, S> Clone for HashSet<T, S> where T: Clone, S: Clone {}
impl<T, S> Default for HashSet<T, S> where S: Default {}
impl<T, S> Extend<T> for HashSet<T, S> where T: Eq + Hash, S: BuildHasher {}
impl<T, const N: usize> From<[T; N]> for HashSet<T, RandomState> where T: Eq + Hash {}
impl<T, S> FromIterator<T> for HashSet<T, S> where T: Eq + Hash, S: BuildHasher + Default {}
impl<'a, T, S> IntoIterator for &'a HashSet<T, S> { type Item = &'a T; type IntoIter = std::collections::hash_set::Iter<'a, T>; }
impl<T, S> IntoIterator for HashSet<T, S> { type Item = T; type IntoIter = std::collections::hash_set::IntoIter<T>; }
impl<T, S> PartialEq for HashSet<T, S> where T: Eq + Hash, S: BuildHasher {}
impl<T, S> Eq for HashSet<T, S> where T: Eq + Hash, S: BuildHasher {}
impl<T> LinkedList<T> {
    pub fn new() -> LinkedList<T>;
    pub fn append(&mut self, other: &mut LinkedList<T>);
    pub fn iter(&self) -> std::collections::linked_list::Iter<'_, T>;
    pub fn iter_mut(&mut self) -> std::collections::linked_list::IterMut<'_, T>;
    pub fn is_empty(&self) -> bool;
    pub fn len(&self) -> usize;
    pub fn clear(&mut self);
    pub fn contains(&self, x: &T) -> bool where T: PartialEq;
    pub fn front(&self) -> Option<&T>;
    pub fn front_mut(&mut self) -> Option<&mut T>;
    pub fn back(&self) -> Option<&T>;
    pub fn back_mut(&mut self) -> Option<&mut T>;
    pub fn push_front(&mut self, elt: T);
    pub fn push_front_mut(&mut self, elt: T) -> &mut T;
    pub fn pop_front(&mut self) -> Option<T>;
    pub fn push_back(&mut self, elt: T);
    pub fn push_back_mut(&mut self, elt: T) -> &mut T;
    pub fn pop_back(&mut self) -> Option<T>;
    pub fn split_off(&mut self, at: usize) -> LinkedList<T> where A: Clone;
    pub fn extract_if<F>(&mut self, filter: F) -> std::collections::linked_list::ExtractIf<'_, T, F> where F: FnMut(&mut T) -> bool;
}
impl<T> Clone for LinkedList<T> where T: Clone {}
impl<T> Default for LinkedList<T> {}
impl<T> Extend<T> for LinkedList<T> {}
impl<T, const N: usize> From<[T; N]> for LinkedList<T> {}
impl<T> FromIterator<T> for LinkedList<T> {}
impl<T> Hash for LinkedList<T> where T: Hash {}
impl<'a, T> IntoIterator for &'a LinkedList<T> { type Item = &'a T; type IntoIter = std::collections::linked_list::Iter<'a, T>; }
impl<'a, T> IntoIterator for &'a mut LinkedList<T> { type Item = &'a mut T; type IntoIter = std::collections::linked_list::IterMut<'a, T>; }
impl<T> IntoIterator for LinkedList<T> { type Item = T; type IntoIter = std::collections::linked_list::IntoIter<T>; }
impl<T> Ord for LinkedList<T> where T: Ord {}
impl<T> PartialEq for LinkedList<T> where T: PartialEq {}
impl<T> PartialOrd for LinkedList<T> where T: PartialOrd {}
impl<T> Eq for LinkedList<T> where T: Eq {}
impl Display for TryReserveError {}
impl error::Error for TryReserveError {}
impl From<TryReserveErrorKind> for TryReserveError {}
impl<T> VecDeque<T> {
    /// An empty queue.
    pub fn new() -> VecDeque<T>;
    pub fn with_capacity(capacity: usize) -> VecDeque<T>;
    pub fn get(&self, index: usize) -> Option<&T>;
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T>;
    pub fn swap(&mut self, i: usize, j: usize);
    pub fn capacity(&self) -> usize;
    pub fn reserve_exact(&mut self, additional: usize);
    pub fn reserve(&mut self, additional: usize);
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
    pub fn truncate(&mut self, len: usize);
    /// An iterator over references.
    pub fn iter(&self) -> std::collections::vec_deque::Iter<'_, T>;
    pub fn iter_mut(&mut self) -> std::collections::vec_deque::IterMut<'_, T>;
    pub fn as_slices(&self) -> (&[T], &[T]);
    pub fn as_mut_slices(&mut self) -> (&mut [T], &mut [T]);
    /// Number of elements.
    pub fn len(&self) -> usize;
    pub fn is_empty(&self) -> bool;
    pub fn range<R>(&self, range: R) -> std::collections::vec_deque::Iter<'_, T> where R: RangeBounds<usize>;
    pub fn range_mut<R>(&mut self, range: R) -> std::collections::vec_deque::IterMut<'_, T> where R: RangeBounds<usize>;
    pub fn drain<R>(&mut self, range: R) -> std::collections::vec_deque::Drain<'_, T> where R: RangeBounds<usize>;
    pub fn clear(&mut self);
    pub fn contains(&self, x: &T) -> bool where T: PartialEq;
    pub fn front(&self) -> Option<&T>;
    pub fn front_mut(&mut self) -> Option<&mut T>;
    pub fn back(&self) -> Option<&T>;
    pub fn back_mut(&mut self) -> Option<&mut T>;
    /// Takes the first element.
    pub fn pop_front(&mut self) -> Option<T>;
    /// Takes the last element.
    pub fn pop_back(&mut self) -> Option<T>;
    pub fn pop_front_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T>;
    pub fn pop_back_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T>;
    /// Adds an element at the front.
    pub fn push_front(&mut self, value: T);
    pub fn push_front_mut(&mut self, value: T) -> &mut T;
    /// Adds an element at the end.
    pub fn push_back(&mut self, value: T);
    pub fn push_back_mut(&mut self, value: T) -> &mut T;
    pub fn swap_remove_front(&mut self, index: usize) -> Option<T>;
    pub fn swap_remove_back(&mut self, index: usize) -> Option<T>;
    pub fn insert(&mut self, index: usize, value: T);
    pub fn insert_mut(&mut self, index: usize, value: T) -> &mut T;
    pub fn remove(&mut self, index: usize) -> Option<T>;
    pub fn split_off(&mut self, at: usize) -> VecDeque<T> where A: Clone;
    pub fn append(&mut self, other: &mut VecDeque<T>);
    pub fn retain<F>(&mut self, f: F) where F: FnMut(&T) -> bool;
    pub fn retain_mut<F>(&mut self, f: F) where F: FnMut(&mut T) -> bool;
    pub fn resize_with(&mut self, new_len: usize, generator: impl FnMut() -> T);
    pub fn make_contiguous(&mut self) -> &mut [T];
    pub fn rotate_left(&mut self, n: usize);
    pub fn rotate_right(&mut self, n: usize);
    pub fn binary_search(&self, x: &T) -> Result<usize, usize> where T: Ord;
    pub fn binary_search_by<'a, F>(&'a self, f: F) -> Result<usize, usize> where F: FnMut(&'a T) -> Ordering;
    pub fn binary_search_by_key<'a, B, F>(&'a self, b: &B, f: F) -> Result<usize, usize> where F: FnMut(&'a T) -> B, B: Ord;
    pub fn partition_point<P>(&self, pred: P) -> usize where P: FnMut(&T) -> bool;
}
impl<T> VecDeque<T> where T: Clone {
    pub fn resize(&mut self, new_len: usize, value: T);
}
impl BufRead for VecDeque<u8> {}
impl<T> Clone for VecDeque<T> where T: Clone {}
impl<T> Default for VecDeque<T> {}
impl<T> Extend<T> for VecDeque<T> {}
impl<T, const N: usize> From<[T; N]> for VecDeque<T> {}
impl<T> FromIterator<T> for VecDeque<T> {}
impl<T> Hash for VecDeque<T> where T: Hash {}
impl<T> Index<usize> for VecDeque<T> { type Output = T; }
impl<'a, T> IntoIterator for &'a VecDeque<T> { type Item = &'a T; type IntoIter = std::collections::vec_deque::Iter<'a, T>; }
impl<'a, T> IntoIterator for &'a mut VecDeque<T> { type Item = &'a mut T; type IntoIter = std::collections::vec_deque::IterMut<'a, T>; }
impl<T> IntoIterator for VecDeque<T> { type Item = T; type IntoIter = std::collections::vec_deque::IntoIter<T>; }
impl<T> Ord for VecDeque<T> where T: Ord {}
impl<T, U, const N: usize> PartialEq<[U; N]> for VecDeque<T> where T: PartialEq<U> {}
impl<T> PartialOrd for VecDeque<T> where T: PartialOrd {}
impl Read for VecDeque<u8> {}
impl Write for VecDeque<u8> {}
impl<T> Eq for VecDeque<T> where T: Eq {}
pub mod binary_heap {
use {std::ops::Deref, std::ops::DerefMut};
pub use std::collections::BinaryHeap;
pub struct Drain<'a, T> where T: 'a;
pub struct IntoIter<T>;
pub struct Iter<'a, T> where T: 'a;
pub struct PeekMut<'a, T> where T: 'a + Ord;
impl<T> DoubleEndedIterator for Drain<'_, T> {}
impl<T> ExactSizeIterator for Drain<'_, T> {}
impl<T> Iterator for Drain<'_, T> { type Item = T; }
impl<T> Clone for IntoIter<T> where T: Clone {}
impl<T> Default for IntoIter<T> {}
impl<T> DoubleEndedIterator for IntoIter<T> {}
impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<T> Clone for Iter<'_, T> {}
impl<T> Default for Iter<'_, T> {}
impl<'a, T> DoubleEndedIterator for Iter<'a, T> {}
impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> PeekMut<'a, T> where T: Ord {
    pub fn pop(this: PeekMut<'a, T>) -> T;
}
impl<T> Deref for PeekMut<'_, T> where T: Ord { type Target = T; }
impl<T> DerefMut for PeekMut<'_, T> where T: Ord {}
}
pub mod btree_map {
use {std::ops::RangeBounds};
pub use std::collections::BTreeMap;
pub struct ExtractIf<'a, K, V, R, F>;
pub struct IntoIter<K, V>;
pub struct IntoKeys<K, V>;
pub struct IntoValues<K, V>;
pub struct Iter<'a, K, V> where K: 'a, V: 'a;
pub struct IterMut<'a, K, V> where K: 'a, V: 'a;
pub struct Keys<'a, K, V>;
pub struct OccupiedEntry<'a, K, V>;
pub struct Range<'a, K, V> where K: 'a, V: 'a;
pub struct RangeMut<'a, K, V> where K: 'a, V: 'a;
pub struct VacantEntry<'a, K, V>;
pub struct Values<'a, K, V>;
pub struct ValuesMut<'a, K, V>;
/// The place of a key in a map.
pub enum Entry<'a, K, V> where K: 'a, V: 'a {
    Vacant(VacantEntry<'a, K, V>),
    Occupied(OccupiedEntry<'a, K, V>),
}
impl<K, V, R, F> Iterator for ExtractIf<'_, K, V, R, F> where K: PartialOrd, R: RangeBounds<K>, F: FnMut(&K, &mut V) -> bool { type Item = (K, V); }
impl<K, V> Default for IntoIter<K, V> {}
impl<K, V> DoubleEndedIterator for IntoIter<K, V> {}
impl<K, V> ExactSizeIterator for IntoIter<K, V> {}
impl<K, V> Iterator for IntoIter<K, V> { type Item = (K, V); }
impl<K, V> Default for IntoKeys<K, V> {}
impl<K, V> DoubleEndedIterator for IntoKeys<K, V> {}
impl<K, V> ExactSizeIterator for IntoKeys<K, V> {}
impl<K, V> Iterator for IntoKeys<K, V> { type Item = K; }
impl<K, V> Default for IntoValues<K, V> {}
impl<K, V> DoubleEndedIterator for IntoValues<K, V> {}
impl<K, V> ExactSizeIterator for IntoValues<K, V> {}
impl<K, V> Iterator for IntoValues<K, V> { type Item = V; }
impl<K, V> Clone for Iter<'_, K, V> {}
impl<'a, K, V> Default for Iter<'a, K, V> {}
impl<'a, K, V> DoubleEndedIterator for Iter<'a, K, V> {}
impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}
impl<'a, K, V> Iterator for Iter<'a, K, V> { type Item = (&'a K, &'a V); }
impl<'a, K, V> Default for IterMut<'a, K, V> {}
impl<'a, K, V> DoubleEndedIterator for IterMut<'a, K, V> {}
impl<K, V> ExactSizeIterator for IterMut<'_, K, V> {}
impl<'a, K, V> Iterator for IterMut<'a, K, V> { type Item = (&'a K, &'a mut V); }
impl<K, V> Clone for Keys<'_, K, V> {}
impl<K, V> Default for Keys<'_, K, V> {}
impl<'a, K, V> DoubleEndedIterator for Keys<'a, K, V> {}
impl<K, V> ExactSizeIterator for Keys<'_, K, V> {}
impl<'a, K, V> Iterator for Keys<'a, K, V> { type Item = &'a K; }
impl<'a, K, V> OccupiedEntry<'a, K, V> where K: Ord {
    pub fn key(&self) -> &K;
    pub fn remove_entry(self) -> (K, V);
    pub fn get(&self) -> &V;
    pub fn get_mut(&mut self) -> &mut V;
    pub fn into_mut(self) -> &'a mut V;
    pub fn insert(&mut self, value: V) -> V;
    pub fn remove(self) -> V;
}
impl<K, V> Clone for Range<'_, K, V> {}
impl<K, V> Default for Range<'_, K, V> {}
impl<'a, K, V> DoubleEndedIterator for Range<'a, K, V> {}
impl<'a, K, V> Iterator for Range<'a, K, V> { type Item = (&'a K, &'a V); }
impl<K, V> Default for RangeMut<'_, K, V> {}
impl<'a, K, V> DoubleEndedIterator for RangeMut<'a, K, V> {}
impl<'a, K, V> Iterator for RangeMut<'a, K, V> { type Item = (&'a K, &'a mut V); }
impl<'a, K, V> VacantEntry<'a, K, V> where K: Ord {
    pub fn key(&self) -> &K;
    pub fn into_key(self) -> K;
    pub fn insert(self, value: V) -> &'a mut V;
    pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V>;
}
impl<K, V> Clone for Values<'_, K, V> {}
impl<K, V> Default for Values<'_, K, V> {}
impl<'a, K, V> DoubleEndedIterator for Values<'a, K, V> {}
impl<K, V> ExactSizeIterator for Values<'_, K, V> {}
impl<'a, K, V> Iterator for Values<'a, K, V> { type Item = &'a V; }
impl<K, V> Default for ValuesMut<'_, K, V> {}
impl<'a, K, V> DoubleEndedIterator for ValuesMut<'a, K, V> {}
impl<K, V> ExactSizeIterator for ValuesMut<'_, K, V> {}
impl<'a, K, V> Iterator for ValuesMut<'a, K, V> { type Item = &'a mut V; }
impl<'a, K, V> Entry<'a, K, V> where K: Ord {
    /// The value, put in first where there is none.
    pub fn or_insert(self, default: V) -> &'a mut V;
    /// The value, made by a function where there is none.
    pub fn or_insert_with<F>(self, default: F) -> &'a mut V where F: FnOnce() -> V;
    pub fn or_insert_with_key<F>(self, default: F) -> &'a mut V where F: FnOnce(&K) -> V;
    pub fn key(&self) -> &K;
    pub fn and_modify<F>(self, f: F) -> Entry<'a, K, V> where F: FnOnce(&mut V);
    pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V>;
}
impl<'a, K, V> Entry<'a, K, V> where K: Ord, V: Default {
    /// The value, the type's default where there is none.
    pub fn or_default(self) -> &'a mut V;
}
}
pub mod btree_set {
use {std::ops::RangeBounds};
pub use std::collections::BTreeSet;
pub struct Difference<'a, T> where T: 'a;
pub struct ExtractIf<'a, T, R, F>;
pub struct Intersection<'a, T> where T: 'a;
pub struct IntoIter<T>;
pub struct Iter<'a, T> where T: 'a;
pub struct Range<'a, T> where T: 'a;
pub struct SymmetricDifference<'a, T>() where T: 'a;
pub struct Union<'a, T>() where T: 'a;
impl<T> Clone for Difference<'_, T> {}
impl<'a, T> Iterator for Difference<'a, T> where T: Ord { type Item = &'a T; }
impl<T, R, F> Iterator for ExtractIf<'_, T, R, F> where T: PartialOrd, R: RangeBounds<T>, F: FnMut(&T) -> bool { type Item = T; }
impl<T> Clone for Intersection<'_, T> {}
impl<'a, T> Iterator for Intersection<'a, T> where T: Ord { type Item = &'a T; }
impl<T> Default for IntoIter<T> {}
impl<T> DoubleEndedIterator for IntoIter<T> {}
impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<T> Clone for Iter<'_, T> {}
impl<T> Default for Iter<'_, T> {}
impl<'a, T> DoubleEndedIterator for Iter<'a, T> {}
impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<T> Clone for Range<'_, T> {}
impl<T> Default for Range<'_, T> {}
impl<'a, T> DoubleEndedIterator for Range<'a, T> {}
impl<'a, T> Iterator for Range<'a, T> { type Item = &'a T; }
impl<T> Clone for SymmetricDifference<'_, T> {}
impl<'a, T> Iterator for SymmetricDifference<'a, T> where T: Ord { type Item = &'a T; }
impl<T> Clone for Union<'_, T> {}
impl<'a, T> Iterator for Union<'a, T> where T: Ord { type Item = &'a T; }
}
pub mod hash_map {
pub use std::hash::DefaultHasher;
pub struct Drain<'a, K: 'a, V: 'a>;
pub struct ExtractIf<'a, K, V, F>;
pub use std::collections::HashMap;
pub struct IntoIter<K, V>;
pub struct IntoKeys<K, V>;
pub struct IntoValues<K, V>;
pub struct Iter<'a, K: 'a, V: 'a>;
pub struct IterMut<'a, K: 'a, V: 'a>;
pub struct Keys<'a, K: 'a, V: 'a>;
pub struct OccupiedEntry<'a, K: 'a, V: 'a>;
pub use std::hash::RandomState;
pub struct VacantEntry<'a, K: 'a, V: 'a>;
pub struct Values<'a, K: 'a, V: 'a>;
pub struct ValuesMut<'a, K: 'a, V: 'a>;
/// The place of a key in a map.
pub enum Entry<'a, K: 'a, V: 'a> {
    Occupied(OccupiedEntry<'a, K, V>),
    Vacant(VacantEntry<'a, K, V>),
}
impl<K, V> ExactSizeIterator for Drain<'_, K, V> {}
impl<'a, K, V> Iterator for Drain<'a, K, V> { type Item = (K, V); }
impl<K, V, F> Iterator for ExtractIf<'_, K, V, F> where F: FnMut(&K, &mut V) -> bool { type Item = (K, V); }
impl<K, V> Default for IntoIter<K, V> {}
impl<K, V> ExactSizeIterator for IntoIter<K, V> {}
impl<K, V> Iterator for IntoIter<K, V> { type Item = (K, V); }
impl<K, V> Default for IntoKeys<K, V> {}
impl<K, V> ExactSizeIterator for IntoKeys<K, V> {}
impl<K, V> Iterator for IntoKeys<K, V> { type Item = K; }
impl<K, V> Default for IntoValues<K, V> {}
impl<K, V> ExactSizeIterator for IntoValues<K, V> {}
impl<K, V> Iterator for IntoValues<K, V> { type Item = V; }
impl<K, V> Clone for Iter<'_, K, V> {}
impl<K, V> Default for Iter<'_, K, V> {}
impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}
impl<'a, K, V> Iterator for Iter<'a, K, V> { type Item = (&'a K, &'a V); }
impl<K, V> Default for IterMut<'_, K, V> {}
impl<K, V> ExactSizeIterator for IterMut<'_, K, V> {}
impl<'a, K, V> Iterator for IterMut<'a, K, V> { type Item = (&'a K, &'a mut V); }
impl<K, V> Clone for Keys<'_, K, V> {}
impl<K, V> Default for Keys<'_, K, V> {}
impl<K, V> ExactSizeIterator for Keys<'_, K, V> {}
impl<'a, K, V> Iterator for Keys<'a, K, V> { type Item = &'a K; }
impl<'a, K, V> OccupiedEntry<'a, K, V> {
    pub fn key(&self) -> &K;
    pub fn remove_entry(self) -> (K, V);
    pub fn get(&self) -> &V;
    pub fn get_mut(&mut self) -> &mut V;
    pub fn into_mut(self) -> &'a mut V;
    pub fn insert(&mut self, value: V) -> V;
    pub fn remove(self) -> V;
}
impl<'a, K: 'a, V: 'a> VacantEntry<'a, K, V> {
    pub fn key(&self) -> &K;
    pub fn into_key(self) -> K;
    pub fn insert(self, value: V) -> &'a mut V;
    pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V>;
}
impl<K, V> Clone for Values<'_, K, V> {}
impl<K, V> Default for Values<'_, K, V> {}
impl<K, V> ExactSizeIterator for Values<'_, K, V> {}
impl<'a, K, V> Iterator for Values<'a, K, V> { type Item = &'a V; }
impl<K, V> Default for ValuesMut<'_, K, V> {}
impl<K, V> ExactSizeIterator for ValuesMut<'_, K, V> {}
impl<'a, K, V> Iterator for ValuesMut<'a, K, V> { type Item = &'a mut V; }
impl<'a, K, V> Entry<'a, K, V> {
    /// The value, put in first where there is none.
    pub fn or_insert(self, default: V) -> &'a mut V;
    /// The value, made by a function where there is none.
    pub fn or_insert_with<F: FnOnce() -> V>(self, default: F) -> &'a mut V;
    pub fn or_insert_with_key<F: FnOnce(&K) -> V>(self, default: F) -> &'a mut V;
    pub fn key(&self) -> &K;
    pub fn and_modify<F>(self, f: F) -> Self where F: FnOnce(&mut V);
    pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V>;
}
impl<'a, K, V: Default> Entry<'a, K, V> {
    /// The value, the type's default where there is none.
    pub fn or_default(self) -> &'a mut V;
}
}
pub mod hash_set {
use {std::hash::BuildHasher, std::hash::Hash};
pub struct Difference<'a, T: 'a, S: 'a>;
pub struct Drain<'a, K: 'a>;
pub struct ExtractIf<'a, K, F>;
pub use std::collections::HashSet;
pub struct Intersection<'a, T: 'a, S: 'a>;
pub struct IntoIter<K>;
pub struct Iter<'a, K: 'a>;
pub struct SymmetricDifference<'a, T: 'a, S: 'a>;
pub struct Union<'a, T: 'a, S: 'a>;
impl<T, S> Clone for Difference<'_, T, S> {}
impl<'a, T, S> Iterator for Difference<'a, T, S> where T: Eq + Hash, S: BuildHasher { type Item = &'a T; }
impl<K> ExactSizeIterator for Drain<'_, K> {}
impl<'a, K> Iterator for Drain<'a, K> { type Item = K; }
impl<K, F> Iterator for ExtractIf<'_, K, F> where F: FnMut(&K) -> bool { type Item = K; }
impl<T, S> Clone for Intersection<'_, T, S> {}
impl<'a, T, S> Iterator for Intersection<'a, T, S> where T: Eq + Hash, S: BuildHasher { type Item = &'a T; }
impl<K> Default for IntoIter<K> {}
impl<K> ExactSizeIterator for IntoIter<K> {}
impl<K> Iterator for IntoIter<K> { type Item = K; }
impl<K> Clone for Iter<'_, K> {}
impl<K> Default for Iter<'_, K> {}
impl<K> ExactSizeIterator for Iter<'_, K> {}
impl<'a, K> Iterator for Iter<'a, K> { type Item = &'a K; }
impl<T, S> Clone for SymmetricDifference<'_, T, S> {}
impl<'a, T, S> Iterator for SymmetricDifference<'a, T, S> where T: Eq + Hash, S: BuildHasher { type Item = &'a T; }
impl<T, S> Clone for Union<'_, T, S> {}
impl<'a, T, S> Iterator for Union<'a, T, S> where T: Eq + Hash, S: BuildHasher { type Item = &'a T; }
}
pub mod linked_list {
pub struct ExtractIf<'a, T, F> where T: 'a, F: 'a;
pub struct IntoIter<T>;
pub struct Iter<'a, T> where T: 'a;
pub struct IterMut<'a, T> where T: 'a;
pub use std::collections::LinkedList;
impl<T, F> Iterator for ExtractIf<'_, T, F> where F: FnMut(&mut T) -> bool { type Item = T; }
impl<T> Clone for IntoIter<T> where T: Clone {}
impl<T> Default for IntoIter<T> {}
impl<T> DoubleEndedIterator for IntoIter<T> {}
impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<T> Clone for Iter<'_, T> {}
impl<T> Default for Iter<'_, T> {}
impl<'a, T> DoubleEndedIterator for Iter<'a, T> {}
impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<T> Default for IterMut<'_, T> {}
impl<'a, T> DoubleEndedIterator for IterMut<'a, T> {}
impl<T> ExactSizeIterator for IterMut<'_, T> {}
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
}
pub mod vec_deque {
pub struct Drain<'a, T> where T: 'a;
pub struct IntoIter<T>;
pub struct Iter<'a, T> where T: 'a;
pub struct IterMut<'a, T> where T: 'a;
pub use std::collections::VecDeque;
impl<T> DoubleEndedIterator for Drain<'_, T> {}
impl<T> ExactSizeIterator for Drain<'_, T> {}
impl<T> Iterator for Drain<'_, T> { type Item = T; }
impl<T> Clone for IntoIter<T> where T: Clone {}
impl<T> DoubleEndedIterator for IntoIter<T> {}
impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<T> Clone for Iter<'_, T> {}
impl<T> Default for Iter<'_, T> {}
impl<'a, T> DoubleEndedIterator for Iter<'a, T> {}
impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<T> Default for IterMut<'_, T> {}
impl<'a, T> DoubleEndedIterator for IterMut<'a, T> {}
impl<T> ExactSizeIterator for IterMut<'_, T> {}
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
}
}
/// Conversions.
pub mod convert {
use {std::error::Error, std::fmt::Debug, std::fmt::Display, std::hash::Hash, std::process::Termination};
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub enum Infallible {}
pub trait AsMut<T> {
    fn as_mut(&mut self) -> &mut T;
}
/// A cheap view as another type.
pub trait AsRef<T> {
    /// The view.
    fn as_ref(&self) -> &T;
}
/// Conversion that always works, into `Self`.
pub trait From<T>: Sized {
    /// Converts.
    fn from(value: T) -> Self;
}
/// Conversion that always works, from `Self`.
pub trait Into<T>: Sized {
    /// Converts.
    fn into(self) -> T;
}
/// Conversion that may fail, into `Self`.
pub trait TryFrom<T>: Sized {
    type Error;
    /// Converts, or tells why not.
    fn try_from(value: T) -> Result<Self, Self::Error>;
}
/// Conversion that may fail, from `Self`.
pub trait TryInto<T>: Sized {
    type Error;
    /// Converts, or tells why not.
    fn try_into(self) -> Result<T, Self::Error>;
}
pub fn identity<T>(x: T) -> T;
impl Display for Infallible {}
impl Error for Infallible {}
impl From<!> for Infallible {}
impl Termination for Infallible {}
}
/// Default values.
pub mod default {
/// Types with a default value.
pub trait Default: Sized {
    /// The default value.
    fn default() -> Self;
}
}
/// The process's environment.
pub mod env {
use {std::error::Error, std::ffi::OsStr, std::ffi::OsString, std::fmt::Debug, std::fmt::Display, std::io, std::path::Path, std::path::PathBuf};
#[derive(Debug)]
pub struct Args;
#[derive(Debug)]
pub struct ArgsOs;
#[derive(Debug)]
pub struct JoinPathsError;
pub struct SplitPaths<'a>;
#[derive(Debug)]
pub struct Vars;
#[derive(Debug)]
pub struct VarsOs;
/// Why there is no such variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VarError {
    NotPresent,
    NotUnicode(OsString),
}
pub fn args() -> Args;
pub fn args_os() -> ArgsOs;
/// The current folder.
pub fn current_dir() -> io::Result<PathBuf>;
pub fn current_exe() -> io::Result<PathBuf>;
pub fn home_dir() -> Option<PathBuf>;
pub fn join_paths<I, T>(paths: I) -> Result<OsString, JoinPathsError> where I: IntoIterator<Item = T>, T: AsRef<OsStr>;
pub unsafe fn remove_var<K: AsRef<OsStr>>(key: K);
pub fn set_current_dir<P: AsRef<Path>>(path: P) -> io::Result<()>;
pub unsafe fn set_var<K: AsRef<OsStr>, V: AsRef<OsStr>>(key: K, value: V);
pub fn split_paths<T: AsRef<OsStr> + ?Sized>(unparsed: &T) -> SplitPaths<'_>;
/// The folder for temporary files.
pub fn temp_dir() -> PathBuf;
/// An environment variable.
pub fn var<K: AsRef<OsStr>>(key: K) -> Result<String, VarError>;
pub fn var_os<K: AsRef<OsStr>>(key: K) -> Option<OsString>;
pub fn vars() -> Vars;
pub fn vars_os() -> VarsOs;
impl DoubleEndedIterator for Args {}
impl ExactSizeIterator for Args {}
impl Iterator for Args { type Item = String; }
impl DoubleEndedIterator for ArgsOs {}
impl ExactSizeIterator for ArgsOs {}
impl Iterator for ArgsOs { type Item = OsString; }
impl Display for JoinPathsError {}
impl Error for JoinPathsError {}
impl<'a> Iterator for SplitPaths<'a> { type Item = PathBuf; }
impl Iterator for Vars { type Item = (String, String); }
impl Iterator for VarsOs { type Item = (OsString, OsString); }
impl Display for VarError {}
impl Error for VarError {}
pub mod consts {
pub const ARCH: &str = "x86_64";
pub const DLL_EXTENSION: &str;
pub const DLL_PREFIX: &str;
pub const DLL_SUFFIX: &str;
pub const EXE_EXTENSION: &str;
pub const EXE_SUFFIX: &str;
pub const FAMILY: &str;
pub const OS: &str;
}
}
pub mod error {
use {std::fmt::Debug, std::fmt::Display};
pub trait Error: Debug + Display {
    fn source(&self) -> Option<&(dyn Error + 'static)>;
}
impl dyn Error {
    pub fn is<T>(&self) -> bool where T: Error + 'static;
    pub fn downcast_ref<T>(&self) -> Option<&T> where T: Error + 'static;
    pub fn downcast_mut<T>(&mut self) -> Option<&mut T> where T: Error + 'static;
}
impl dyn Error + Send {
    pub fn is<T>(&self) -> bool where T: Error + 'static;
    pub fn downcast_ref<T>(&self) -> Option<&T> where T: Error + 'static;
    pub fn downcast_mut<T>(&mut self) -> Option<&mut T> where T: Error + 'static;
}
impl dyn Error + Sync + Send {
    pub fn is<T>(&self) -> bool where T: Error + 'static;
    pub fn downcast_ref<T>(&self) -> Option<&T> where T: Error + 'static;
    pub fn downcast_mut<T>(&mut self) -> Option<&mut T> where T: Error + 'static;
}
impl dyn Error {
    pub fn downcast<T>(self: Box<dyn Error>) -> Result<Box<T>, Box<dyn Error>> where T: Error + 'static;
}
impl dyn Error + Send {
    pub fn downcast<T>(self: Box<dyn Error + Send>) -> Result<Box<T>, Box<dyn Error + Send>> where T: Error + 'static;
}
impl dyn Error + Sync + Send {
    pub fn downcast<T>(self: Box<dyn Error + Sync + Send>) -> Result<Box<T>, Box<dyn Error + Sync + Send>> where T: Error + 'static;
}
impl Error for ! {}
}
pub mod f32 {
pub mod consts {
pub const E: f32 = 2.71828182845904523536028747135266250_f32;
pub const EULER_GAMMA: f32 = 0.577215664901532860606512090082402431_f32;
pub const FRAC_1_PI: f32 = 0.318309886183790671537767526745028724_f32;
pub const FRAC_1_SQRT_2: f32 = 0.707106781186547524400844362104849039_f32;
pub const FRAC_2_PI: f32 = 0.636619772367581343075535053490057448_f32;
pub const FRAC_2_SQRT_PI: f32 = 1.12837916709551257389615890312154517_f32;
pub const FRAC_PI_2: f32 = 1.57079632679489661923132169163975144_f32;
pub const FRAC_PI_3: f32 = 1.04719755119659774615421446109316763_f32;
pub const FRAC_PI_4: f32 = 0.785398163397448309615660845819875721_f32;
pub const FRAC_PI_6: f32 = 0.52359877559829887307710723054658381_f32;
pub const FRAC_PI_8: f32 = 0.39269908169872415480783042290993786_f32;
pub const GOLDEN_RATIO: f32 = 1.618033988749894848204586834365638118_f32;
pub const LN_2: f32 = 0.693147180559945309417232121458176568_f32;
pub const LN_10: f32 = 2.30258509299404568401799145468436421_f32;
pub const LOG2_10: f32 = 3.32192809488736234787031942948939018_f32;
pub const LOG2_E: f32 = 1.44269504088896340735992468100189214_f32;
pub const LOG10_2: f32 = 0.301029995663981195213738894724493027_f32;
pub const LOG10_E: f32 = 0.434294481903251827651128918916605082_f32;
pub const PI: f32 = 3.14159265358979323846264338327950288_f32;
pub const SQRT_2: f32 = 1.41421356237309504880168872420969808_f32;
pub const TAU: f32 = 6.28318530717958647692528676655900577_f32;
}
}
pub mod f64 {
/// Mathematical constants.
pub mod consts {
/// Euler's number.
pub const E: f64 = 2.71828182845904523536028747135266250_f64;
pub const EULER_GAMMA: f64 = 0.577215664901532860606512090082402431_f64;
/// 1/π.
pub const FRAC_1_PI: f64 = 0.318309886183790671537767526745028724_f64;
/// 1/√2.
pub const FRAC_1_SQRT_2: f64 = 0.707106781186547524400844362104849039_f64;
pub const FRAC_2_PI: f64 = 0.636619772367581343075535053490057448_f64;
pub const FRAC_2_SQRT_PI: f64 = 1.12837916709551257389615890312154517_f64;
/// π/2.
pub const FRAC_PI_2: f64 = 1.57079632679489661923132169163975144_f64;
pub const FRAC_PI_3: f64 = 1.04719755119659774615421446109316763_f64;
pub const FRAC_PI_4: f64 = 0.785398163397448309615660845819875721_f64;
pub const FRAC_PI_6: f64 = 0.52359877559829887307710723054658381_f64;
pub const FRAC_PI_8: f64 = 0.39269908169872415480783042290993786_f64;
pub const GOLDEN_RATIO: f64 = 1.618033988749894848204586834365638118_f64;
/// ln 2.
pub const LN_2: f64 = 0.693147180559945309417232121458176568_f64;
/// ln 10.
pub const LN_10: f64 = 2.30258509299404568401799145468436421_f64;
pub const LOG2_10: f64 = 3.32192809488736234787031942948939018_f64;
pub const LOG2_E: f64 = 1.44269504088896340735992468100189214_f64;
pub const LOG10_2: f64 = 0.301029995663981195213738894724493027_f64;
pub const LOG10_E: f64 = 0.434294481903251827651128918916605082_f64;
/// π.
pub const PI: f64 = 3.14159265358979323846264338327950288_f64;
/// √2.
pub const SQRT_2: f64 = 1.41421356237309504880168872420969808_f64;
/// 2π.
pub const TAU: f64 = 6.28318530717958647692528676655900577_f64;
}
}
pub mod ffi {
use {std::borrow::Cow, std::collections::TryReserveError, std::convert::Infallible, std::error, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::fmt::Write, std::hash::Hash, std::ops::Deref, std::ops::DerefMut, std::ops::Index, std::ops::RangeFrom, std::ops::RangeFull, std::os::wasi::ffi, std::str::FromStr, std::str::Utf8Error};
#[derive(Debug, Hash, Ord, PartialEq, PartialOrd, Eq)]
pub struct CStr;
#[derive(Clone, Debug, Default, Hash, Ord, PartialEq, PartialOrd, Eq)]
pub struct CString;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromBytesUntilNulError;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromVecWithNulError;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntoStringError;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NulError;
#[derive(Debug, Hash, Ord, PartialEq, PartialOrd, Eq)]
pub struct OsStr;
#[derive(Clone, Debug, Default, Hash, Ord, PartialEq, PartialOrd, Eq)]
pub struct OsString;
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub enum FromBytesWithNulError {
    InteriorNul,
    NotNulTerminated,
}
#[derive(Debug)]
pub enum c_void {}
pub type c_char = i8;
pub type c_double = f64;
pub type c_float = f32;
pub type c_int = i32;
pub type c_long = i64;
pub type c_longlong = i64;
pub type c_schar = i8;
pub type c_short = i16;
pub type c_uchar = u8;
pub type c_uint = u32;
pub type c_ulong = u64;
pub type c_ulonglong = u64;
pub type c_ushort = u16;
impl CStr {
    pub unsafe fn from_ptr<'a>(ptr: *const i8) -> &'a CStr;
    pub fn from_bytes_until_nul(bytes: &[u8]) -> Result<&CStr, FromBytesUntilNulError>;
    pub fn from_bytes_with_nul(bytes: &[u8]) -> Result<&CStr, FromBytesWithNulError>;
    pub unsafe fn from_bytes_with_nul_unchecked(bytes: &[u8]) -> &CStr;
    pub fn as_ptr(&self) -> *const i8;
    pub fn count_bytes(&self) -> usize;
    pub fn is_empty(&self) -> bool;
    pub fn to_bytes(&self) -> &[u8];
    pub fn to_bytes_with_nul(&self) -> &[u8];
    pub fn to_str(&self) -> Result<&str, Utf8Error>;
    pub fn to_string_lossy(&self) -> Cow<'_, str>;
    pub fn into_c_string(self: Box<CStr>) -> CString;
}
impl AsRef<CStr> for CStr {}
impl AsRef<CStr> for CString {}
impl Index<RangeFrom<usize>> for CStr { type Output = CStr; }
impl PartialEq<CStr> for CString {}
impl ToOwned for CStr { type Owned = CString; }
impl From<&CStr> for CString {}
impl CString {
    pub fn new<T>(t: T) -> Result<CString, NulError> where T: Into<Vec<u8>>;
    pub unsafe fn from_vec_unchecked(v: Vec<u8>) -> CString;
    pub unsafe fn from_raw(ptr: *mut i8) -> CString;
    pub fn into_raw(self) -> *mut i8;
    pub fn into_string(self) -> Result<String, IntoStringError>;
    pub fn into_bytes(self) -> Vec<u8>;
    pub fn into_bytes_with_nul(self) -> Vec<u8>;
    pub fn as_bytes(&self) -> &[u8];
    pub fn as_bytes_with_nul(&self) -> &[u8];
    pub fn as_c_str(&self) -> &CStr;
    pub fn into_boxed_c_str(self) -> Box<CStr>;
    pub unsafe fn from_vec_with_nul_unchecked(v: Vec<u8>) -> CString;
    pub fn from_vec_with_nul(v: Vec<u8>) -> Result<CString, FromVecWithNulError>;
}
impl AsRef<CStr> for CString {}
impl Deref for CString { type Target = CStr; }
impl From<Box<CStr>> for CString {}
impl FromStr for CString { type Err = NulError; }
impl Index<RangeFull> for CString { type Output = CStr; }
impl Display for FromBytesUntilNulError {}
impl error::Error for FromBytesUntilNulError {}
impl FromVecWithNulError {
    pub fn as_bytes(&self) -> &[u8];
    pub fn into_bytes(self) -> Vec<u8>;
}
impl Display for FromVecWithNulError {}
impl error::Error for FromVecWithNulError {}
impl IntoStringError {
    pub fn into_cstring(self) -> CString;
    pub fn utf8_error(&self) -> Utf8Error;
}
impl Display for IntoStringError {}
impl error::Error for IntoStringError {}
impl NulError {
    pub fn nul_position(&self) -> usize;
    pub fn into_vec(self) -> Vec<u8>;
}
impl Display for NulError {}
impl error::Error for NulError {}
impl OsStr {
    pub fn new<S: AsRef<OsStr> + ?Sized>(s: &S) -> &OsStr;
    pub unsafe fn from_encoded_bytes_unchecked(bytes: &[u8]) -> &Self;
    pub fn to_str(&self) -> Option<&str>;
    pub fn to_string_lossy(&self) -> Cow<'_, str>;
    pub fn to_os_string(&self) -> OsString;
    pub fn is_empty(&self) -> bool;
    pub fn len(&self) -> usize;
    pub fn into_os_string(self: Box<Self>) -> OsString;
    pub fn as_encoded_bytes(&self) -> &[u8];
    pub fn make_ascii_lowercase(&mut self);
    pub fn make_ascii_uppercase(&mut self);
    pub fn to_ascii_lowercase(&self) -> OsString;
    pub fn to_ascii_uppercase(&self) -> OsString;
    pub fn is_ascii(&self) -> bool;
    pub fn eq_ignore_ascii_case<S: AsRef<OsStr>>(&self, other: S) -> bool;
    pub fn display(&self) -> std::ffi::os_str::Display<'_>;
}
impl AsRef<OsStr> for OsStr {}
impl AsRef<OsStr> for OsString {}
impl PartialEq<OsStr> for OsString {}
impl PartialOrd<OsStr> for OsString {}
impl ToOwned for OsStr { type Owned = OsString; }
impl<'a> Extend<&'a OsStr> for OsString {}
impl<'a> FromIterator<&'a OsStr> for OsString {}
impl OsString {
    pub fn new() -> OsString;
    pub unsafe fn from_encoded_bytes_unchecked(bytes: Vec<u8>) -> Self;
    pub fn as_os_str(&self) -> &OsStr;
    pub fn into_encoded_bytes(self) -> Vec<u8>;
    pub fn into_string(self) -> Result<String, OsString>;
    pub fn push<T: AsRef<OsStr>>(&mut self, s: T);
    pub fn with_capacity(capacity: usize) -> OsString;
    pub fn clear(&mut self);
    pub fn capacity(&self) -> usize;
    pub fn reserve(&mut self, additional: usize);
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn reserve_exact(&mut self, additional: usize);
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
    pub fn into_boxed_os_str(self) -> Box<OsStr>;
    pub fn leak<'a>(self) -> &'a mut OsStr;
}
impl AsRef<OsStr> for OsString {}
impl Deref for OsString { type Target = OsStr; }
impl DerefMut for OsString {}
impl<'a> Extend<Cow<'a, OsStr>> for OsString {}
impl From<Box<OsStr>> for OsString {}
impl<'a> FromIterator<Cow<'a, OsStr>> for OsString {}
impl FromStr for OsString { type Err = Infallible; }
impl Index<RangeFull> for OsString { type Output = OsStr; }
impl Write for OsString {}
impl Display for FromBytesWithNulError {}
impl error::Error for FromBytesWithNulError {}
pub mod c_str {
pub use std::ffi::CStr;
pub use std::ffi::CString;
pub use std::ffi::FromBytesUntilNulError;
pub use std::ffi::FromVecWithNulError;
pub use std::ffi::IntoStringError;
pub use std::ffi::NulError;
pub use std::ffi::FromBytesWithNulError;
}
pub mod os_str {
use {std::fmt};
pub struct Display<'a>;
pub use std::ffi::OsStr;
pub use std::ffi::OsString;
impl fmt::Display for Display<'_> {}
}
}
pub mod fmt {
use {std::char, std::error, std::hash::Hash, std::marker, std::mem::type_info::FnPtr, std::result, std::str};
pub struct Arguments<'a>;
pub struct DebugList<'a, 'b> where 'b: 'a;
pub struct DebugMap<'a, 'b> where 'b: 'a;
pub struct DebugSet<'a, 'b> where 'b: 'a;
pub struct DebugStruct<'a, 'b> where 'b: 'a;
pub struct DebugTuple<'a, 'b> where 'b: 'a;
#[derive(Clone, Debug, Default, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct Error;
pub struct Formatter<'a>;
pub struct FromFn<F>;
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub enum Alignment {
    Left,
    Right,
    Center,
}
pub trait Binary {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait Debug {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait Display {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait LowerExp {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait LowerHex {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait Octal {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait Pointer {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait UpperExp {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait UpperHex {
    fn fmt(&self, f: &mut Formatter<'_>) -> result::Result<(), Error>;
}
pub trait Write {
    fn write_str(&mut self, s: &str) -> result::Result<(), Error>;
    fn write_char(&mut self, c: char) -> result::Result<(), Error>;
    fn write_fmt(&mut self, args: Arguments<'_>) -> result::Result<(), Error>;
}
pub fn format(args: Arguments<'_>) -> String;
pub fn from_fn<F>(f: F) -> FromFn<F> where F: Fn(&mut Formatter<'_>) -> result::Result<(), Error>;
pub fn write(output: &mut dyn Write, fmt: Arguments<'_>) -> result::Result<(), Error>;
pub type Result = result::Result<(), Error>;
impl<'a> Arguments<'a> {
    pub fn as_str(&self) -> Option<&'static str>;
}
impl<'a> Clone for Arguments<'a> {}
impl Display for Arguments<'_> {}
impl<'a> Copy for Arguments<'a> {}
impl<'a, 'b> DebugList<'a, 'b> where 'b: 'a {
    pub fn entry(&mut self, entry: &dyn Debug) -> &mut DebugList<'a, 'b>;
    pub fn entries<D, I>(&mut self, entries: I) -> &mut DebugList<'a, 'b> where D: Debug, I: IntoIterator<Item = D>;
    pub fn finish_non_exhaustive(&mut self) -> result::Result<(), Error>;
    pub fn finish(&mut self) -> result::Result<(), Error>;
}
impl<'a, 'b> DebugMap<'a, 'b> where 'b: 'a {
    pub fn entry(&mut self, key: &dyn Debug, value: &dyn Debug) -> &mut DebugMap<'a, 'b>;
    pub fn key(&mut self, key: &dyn Debug) -> &mut DebugMap<'a, 'b>;
    pub fn value(&mut self, value: &dyn Debug) -> &mut DebugMap<'a, 'b>;
    pub fn entries<K, V, I>(&mut self, entries: I) -> &mut DebugMap<'a, 'b> where K: Debug, V: Debug, I: IntoIterator<Item = (K, V)>;
    pub fn finish_non_exhaustive(&mut self) -> result::Result<(), Error>;
    pub fn finish(&mut self) -> result::Result<(), Error>;
}
impl<'a, 'b> DebugSet<'a, 'b> where 'b: 'a {
    pub fn entry(&mut self, entry: &dyn Debug) -> &mut DebugSet<'a, 'b>;
    pub fn entries<D, I>(&mut self, entries: I) -> &mut DebugSet<'a, 'b> where D: Debug, I: IntoIterator<Item = D>;
    pub fn finish_non_exhaustive(&mut self) -> result::Result<(), Error>;
    pub fn finish(&mut self) -> result::Result<(), Error>;
}
impl<'a, 'b> DebugStruct<'a, 'b> where 'b: 'a {
    pub fn field(&mut self, name: &str, value: &dyn Debug) -> &mut DebugStruct<'a, 'b>;
    pub fn finish_non_exhaustive(&mut self) -> result::Result<(), Error>;
    pub fn finish(&mut self) -> result::Result<(), Error>;
}
impl<'a, 'b> DebugTuple<'a, 'b> where 'b: 'a {
    pub fn field(&mut self, value: &dyn Debug) -> &mut DebugTuple<'a, 'b>;
    pub fn finish_non_exhaustive(&mut self) -> result::Result<(), Error>;
    pub fn finish(&mut self) -> result::Result<(), Error>;
}
impl Display for Error {}
impl error::Error for Error {}
impl<'a> Formatter<'a> {
    pub fn pad_integral(&mut self, is_nonnegative: bool, prefix: &str, buf: &str) -> result::Result<(), Error>;
    pub fn pad(&mut self, s: &str) -> result::Result<(), Error>;
    pub fn write_str(&mut self, data: &str) -> result::Result<(), Error>;
    pub fn write_fmt(&mut self, fmt: Arguments<'_>) -> result::Result<(), Error>;
    pub fn fill(&self) -> char;
    pub fn align(&self) -> Option<Alignment>;
    pub fn width(&self) -> Option<usize>;
    pub fn precision(&self) -> Option<usize>;
    pub fn sign_plus(&self) -> bool;
    pub fn sign_minus(&self) -> bool;
    pub fn alternate(&self) -> bool;
    pub fn sign_aware_zero_pad(&self) -> bool;
    pub fn debug_struct<'b>(&'b mut self, name: &str) -> DebugStruct<'b, 'a>;
    pub fn debug_tuple<'b>(&'b mut self, name: &str) -> DebugTuple<'b, 'a>;
    pub fn debug_list<'b>(&'b mut self) -> DebugList<'b, 'a>;
    pub fn debug_set<'b>(&'b mut self) -> DebugSet<'b, 'a>;
    pub fn debug_map<'b>(&'b mut self) -> DebugMap<'b, 'a>;
}
impl Write for Formatter<'_> {}
impl<F> Display for FromFn<F> where F: Fn(&mut Formatter<'_>) -> result::Result<(), Error> {}
impl Debug for ! {}
impl<F> Debug for F where F: marker::FnPtr {}
impl Display for ! {}
impl<F> Pointer for F where F: marker::FnPtr {}
}
/// Reading and writing files.
pub mod fs {
use {std::error, std::ffi::OsString, std::fmt::Debug, std::fmt::Display, std::hash::Hash, std::io, std::io::Error, std::io::IsTerminal, std::io::Read, std::io::Seek, std::io::Write, std::os::fd::OwnedFd, std::path::Path, std::path::PathBuf, std::time::SystemTime};
#[derive(Debug)]
pub struct DirBuilder;
#[derive(Debug)]
pub struct DirEntry;
#[derive(Debug)]
pub struct File;
#[derive(Clone, Debug, Default, Copy)]
pub struct FileTimes;
#[derive(Clone, Debug, Hash, PartialEq, Copy, Eq)]
pub struct FileType;
#[derive(Clone, Debug)]
pub struct Metadata;
#[derive(Clone, Debug)]
pub struct OpenOptions;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permissions;
#[derive(Debug)]
pub struct ReadDir;
#[derive(Debug)]
pub enum TryLockError {
    Error(Error),
    WouldBlock,
}
pub fn canonicalize<P: AsRef<Path>>(path: P) -> io::Result<PathBuf>;
pub fn copy<P: AsRef<Path>, Q: AsRef<Path>>(from: P, to: Q) -> io::Result<u64>;
pub fn create_dir<P: AsRef<Path>>(path: P) -> io::Result<()>;
/// Makes a folder and those around it.
pub fn create_dir_all<P: AsRef<Path>>(path: P) -> io::Result<()>;
pub fn exists<P: AsRef<Path>>(path: P) -> io::Result<bool>;
pub fn hard_link<P: AsRef<Path>, Q: AsRef<Path>>(original: P, link: Q) -> io::Result<()>;
pub fn metadata<P: AsRef<Path>>(path: P) -> io::Result<Metadata>;
/// The bytes of a file.
pub fn read<P: AsRef<Path>>(path: P) -> io::Result<Vec<u8>>;
pub fn read_dir<P: AsRef<Path>>(path: P) -> io::Result<ReadDir>;
pub fn read_link<P: AsRef<Path>>(path: P) -> io::Result<PathBuf>;
/// The text of a file.
pub fn read_to_string<P: AsRef<Path>>(path: P) -> io::Result<String>;
pub fn remove_dir<P: AsRef<Path>>(path: P) -> io::Result<()>;
pub fn remove_dir_all<P: AsRef<Path>>(path: P) -> io::Result<()>;
/// Removes a file.
pub fn remove_file<P: AsRef<Path>>(path: P) -> io::Result<()>;
pub fn rename<P: AsRef<Path>, Q: AsRef<Path>>(from: P, to: Q) -> io::Result<()>;
pub fn set_permissions<P: AsRef<Path>>(path: P, perm: Permissions) -> io::Result<()>;
pub fn symlink_metadata<P: AsRef<Path>>(path: P) -> io::Result<Metadata>;
/// Writes a file.
pub fn write<P: AsRef<Path>, C: AsRef<[u8]>>(path: P, contents: C) -> io::Result<()>;
impl DirBuilder {
    pub fn new() -> DirBuilder;
    pub fn recursive(&mut self, recursive: bool) -> &mut Self;
    pub fn create<P: AsRef<Path>>(&self, path: P) -> io::Result<()>;
}
impl DirEntry {
    pub fn path(&self) -> PathBuf;
    pub fn metadata(&self) -> io::Result<Metadata>;
    pub fn file_type(&self) -> io::Result<FileType>;
    pub fn file_name(&self) -> OsString;
}
impl File {
    pub fn open<P: AsRef<Path>>(path: P) -> io::Result<File>;
    pub fn create<P: AsRef<Path>>(path: P) -> io::Result<File>;
    pub fn create_new<P: AsRef<Path>>(path: P) -> io::Result<File>;
    pub fn options() -> OpenOptions;
    pub fn sync_all(&self) -> io::Result<()>;
    pub fn sync_data(&self) -> io::Result<()>;
    pub fn lock(&self) -> io::Result<()>;
    pub fn lock_shared(&self) -> io::Result<()>;
    pub fn try_lock(&self) -> Result<(), TryLockError>;
    pub fn try_lock_shared(&self) -> Result<(), TryLockError>;
    pub fn unlock(&self) -> io::Result<()>;
    pub fn set_len(&self, size: u64) -> io::Result<()>;
    pub fn metadata(&self) -> io::Result<Metadata>;
    pub fn try_clone(&self) -> io::Result<File>;
    pub fn set_permissions(&self, perm: Permissions) -> io::Result<()>;
    pub fn set_times(&self, times: FileTimes) -> io::Result<()>;
    pub fn set_modified(&self, time: SystemTime) -> io::Result<()>;
}
impl From<OwnedFd> for File {}
impl IsTerminal for File {}
impl Read for File {}
impl Seek for File {}
impl Write for File {}
impl FileTimes {
    pub fn new() -> Self;
    pub fn set_accessed(self, t: SystemTime) -> Self;
    pub fn set_modified(self, t: SystemTime) -> Self;
}
impl FileType {
    pub fn is_dir(&self) -> bool;
    pub fn is_file(&self) -> bool;
    pub fn is_symlink(&self) -> bool;
}
impl Metadata {
    pub fn file_type(&self) -> FileType;
    pub fn is_dir(&self) -> bool;
    pub fn is_file(&self) -> bool;
    pub fn is_symlink(&self) -> bool;
    pub fn len(&self) -> u64;
    pub fn permissions(&self) -> Permissions;
    pub fn modified(&self) -> io::Result<SystemTime>;
    pub fn accessed(&self) -> io::Result<SystemTime>;
    pub fn created(&self) -> io::Result<SystemTime>;
}
impl OpenOptions {
    pub fn new() -> Self;
    pub fn read(&mut self, read: bool) -> &mut Self;
    pub fn write(&mut self, write: bool) -> &mut Self;
    pub fn append(&mut self, append: bool) -> &mut Self;
    pub fn truncate(&mut self, truncate: bool) -> &mut Self;
    pub fn create(&mut self, create: bool) -> &mut Self;
    pub fn create_new(&mut self, create_new: bool) -> &mut Self;
    pub fn open<P: AsRef<Path>>(&self, path: P) -> io::Result<File>;
}
impl Permissions {
    pub fn readonly(&self) -> bool;
    pub fn set_readonly(&mut self, readonly: bool);
}
impl Iterator for ReadDir { type Item = Result<DirEntry, Error>; }
impl Display for TryLockError {}
impl error::Error for TryLockError {}
}
pub mod future {
use {std::pin::Pin, std::task::Context, std::task::Poll};
pub struct Pending<T>;
pub struct PollFn<F>;
pub struct Ready<T>;
pub trait Future {
    type Output;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output>;
}
pub trait IntoFuture {
    type Output;
    type IntoFuture: Future<Output = Self::Output>;
    fn into_future(self) -> Self::IntoFuture;
}
pub fn pending<T>() -> Pending<T>;
pub fn poll_fn<T, F>(f: F) -> PollFn<F> where F: FnMut(&mut Context<'_>) -> Poll<T>;
pub fn ready<T>(t: T) -> Ready<T>;
impl<T> Clone for Pending<T> {}
impl<T> Future for Pending<T> { type Output = T; }
impl<T, F> Future for PollFn<F> where F: FnMut(&mut Context<'_>) -> Poll<T> { type Output = T; }
impl<T> Ready<T> {
    pub fn into_inner(self) -> T;
}
impl<T> Clone for Ready<T> where T: Clone {}
impl<T> Future for Ready<T> { type Output = T; }
impl<F> IntoFuture for F where F: Future { type Output = <F as Future>::Output; type IntoFuture = F; }
}
pub mod hash {
use {std::fmt::Debug, std::marker::FnPtr};
pub struct BuildHasherDefault<H>;
#[derive(Clone, Debug, Default)]
pub struct DefaultHasher;
#[derive(Clone, Debug, Default)]
pub struct RandomState;
pub trait BuildHasher {
    type Hasher: Hasher;
    fn build_hasher(&self) -> Self::Hasher;
    fn hash_one<T>(&self, x: T) -> u64 where T: Hash, Self::Hasher: Hasher;
}
pub trait Hash {
    fn hash<H>(&self, state: &mut H) where H: Hasher;
    fn hash_slice<H>(data: &[Self], state: &mut H) where H: Hasher;
}
pub trait Hasher {
    fn finish(&self) -> u64;
    fn write(&mut self, bytes: &[u8]);
    fn write_u8(&mut self, i: u8);
    fn write_u16(&mut self, i: u16);
    fn write_u32(&mut self, i: u32);
    fn write_u64(&mut self, i: u64);
    fn write_u128(&mut self, i: u128);
    fn write_usize(&mut self, i: usize);
    fn write_i8(&mut self, i: i8);
    fn write_i16(&mut self, i: i16);
    fn write_i32(&mut self, i: i32);
    fn write_i64(&mut self, i: i64);
    fn write_i128(&mut self, i: i128);
    fn write_isize(&mut self, i: isize);
}
impl<H> BuildHasherDefault<H> {
    pub fn new() -> BuildHasherDefault<H>;
}
impl<H> BuildHasher for BuildHasherDefault<H> where H: Default + Hasher { type Hasher = H; }
impl<H> Clone for BuildHasherDefault<H> {}
impl<H> Default for BuildHasherDefault<H> {}
impl<H> PartialEq for BuildHasherDefault<H> {}
impl<H> Eq for BuildHasherDefault<H> {}
impl DefaultHasher {
    pub fn new() -> DefaultHasher;
}
impl Hasher for DefaultHasher {}
impl RandomState {
    pub fn new() -> RandomState;
}
impl BuildHasher for RandomState { type Hasher = DefaultHasher; }
impl Hash for ! {}
impl<F> Hash for F where F: FnPtr {}
}
/// Hints for the compiler.
pub mod hint {
pub unsafe fn assert_unchecked(cond: bool);
/// Keeps a value from being optimised away.
pub fn black_box<T>(dummy: T) -> T;
pub fn cold_path();
pub fn select_unpredictable<T>(condition: bool, true_val: T, false_val: T) -> T;
pub fn spin_loop();
pub unsafe fn unreachable_unchecked() -> !;
}
/// Input and output.
pub mod io {
use {std::error, std::fmt::Arguments, std::fmt::Debug, std::fmt::Display, std::hash::Hash, std::ops::Deref, std::ops::DerefMut, std::os::fd::OwnedFd, std::result};
pub struct BufReader<R: ?Sized>;
pub struct BufWriter<W: ?Sized + Write>;
pub struct Bytes<R>;
pub struct Chain<T, U>;
pub struct Cursor<T>;
#[derive(Clone, Debug, Default, Copy)]
pub struct Empty;
/// What went wrong.
#[derive(Debug)]
pub struct Error;
pub struct IntoInnerError<W>;
pub struct IoSlice<'a>;
pub struct IoSliceMut<'a>;
pub struct LineWriter<W: ?Sized + Write>;
pub struct Lines<B>;
#[derive(Debug)]
pub struct PipeReader;
#[derive(Debug)]
pub struct PipeWriter;
#[derive(Debug)]
pub struct Repeat;
#[derive(Clone, Debug, Default, Copy)]
pub struct Sink;
pub struct Split<B>;
#[derive(Debug)]
pub struct Stderr;
pub struct StderrLock<'a>;
#[derive(Debug)]
pub struct Stdin;
pub struct StdinLock<'a>;
#[derive(Debug)]
pub struct Stdout;
pub struct StdoutLock<'a>;
pub struct Take<T>;
#[derive(Debug)]
pub struct WriterPanicked;
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub enum ErrorKind {
    NotFound,
    PermissionDenied,
    ConnectionRefused,
    ConnectionReset,
    HostUnreachable,
    NetworkUnreachable,
    ConnectionAborted,
    NotConnected,
    AddrInUse,
    AddrNotAvailable,
    NetworkDown,
    BrokenPipe,
    AlreadyExists,
    WouldBlock,
    NotADirectory,
    IsADirectory,
    DirectoryNotEmpty,
    ReadOnlyFilesystem,
    StaleNetworkFileHandle,
    InvalidInput,
    InvalidData,
    TimedOut,
    WriteZero,
    StorageFull,
    NotSeekable,
    QuotaExceeded,
    FileTooLarge,
    ResourceBusy,
    ExecutableFileBusy,
    Deadlock,
    CrossesDevices,
    TooManyLinks,
    InvalidFilename,
    ArgumentListTooLong,
    Interrupted,
    Unsupported,
    UnexpectedEof,
    OutOfMemory,
    Other,
}
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub enum SeekFrom {
    Start(u64),
    End(i64),
    Current(i64),
}
pub trait BufRead: Read {
    fn fill_buf(&mut self) -> Result<&[u8]>;
    fn consume(&mut self, amount: usize);
    fn read_until(&mut self, byte: u8, buf: &mut Vec<u8>) -> Result<usize>;
    fn skip_until(&mut self, byte: u8) -> Result<usize>;
    fn read_line(&mut self, buf: &mut String) -> Result<usize>;
    fn split(self, byte: u8) -> Split<Self>;
    fn lines(self) -> Lines<Self>;
}
pub trait IsTerminal: Sealed {
    fn is_terminal(&self) -> bool;
}
pub trait Read {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize>;
    fn read_vectored(&mut self, bufs: &mut [IoSliceMut<'_>]) -> Result<usize>;
    fn read_to_end(&mut self, buf: &mut Vec<u8>) -> Result<usize>;
    fn read_to_string(&mut self, buf: &mut String) -> Result<usize>;
    fn read_exact(&mut self, buf: &mut [u8]) -> Result<()>;
    fn by_ref(&mut self) -> &mut Self;
    fn bytes(self) -> Bytes<Self>;
    fn chain<R: Read>(self, next: R) -> Chain<Self, R>;
    fn take(self, limit: u64) -> Take<Self>;
}
pub trait Seek {
    fn seek(&mut self, pos: SeekFrom) -> Result<u64>;
    fn rewind(&mut self) -> Result<()>;
    fn stream_position(&mut self) -> Result<u64>;
    fn seek_relative(&mut self, offset: i64) -> Result<()>;
}
pub trait Write {
    fn write(&mut self, buf: &[u8]) -> Result<usize>;
    fn flush(&mut self) -> Result<()>;
    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> Result<usize>;
    fn write_all(&mut self, buf: &[u8]) -> Result<()>;
    fn write_fmt(&mut self, args: Arguments<'_>) -> Result<()>;
    fn by_ref(&mut self) -> &mut Self;
}
pub fn copy<R, W>(reader: &mut R, writer: &mut W) -> Result<u64> where R: Read, W: Write;
pub fn empty() -> Empty;
pub fn pipe() -> Result<(PipeReader, PipeWriter)>;
pub fn read_to_string<R: Read>(reader: R) -> Result<String>;
pub fn repeat(byte: u8) -> Repeat;
pub fn sink() -> Sink;
pub fn stderr() -> Stderr;
pub fn stdin() -> Stdin;
pub fn stdout() -> Stdout;
pub type Result<T> = result::Result<T, Error>;
impl<R: Read> BufReader<R> {
    pub fn new(inner: R) -> BufReader<R>;
    pub fn with_capacity(capacity: usize, inner: R) -> BufReader<R>;
}
impl<R: ?Sized> BufReader<R> {
    pub fn get_ref(&self) -> &R;
    pub fn get_mut(&mut self) -> &mut R;
    pub fn buffer(&self) -> &[u8];
    pub fn capacity(&self) -> usize;
    pub fn into_inner(self) -> R where R: Sized;
}
impl<R: ?Sized + Seek> BufReader<R> {
    pub fn seek_relative(&mut self, offset: i64) -> Result<()>;
}
impl<R: ?Sized + Read> BufRead for BufReader<R> {}
impl<R: ?Sized + Read> Read for BufReader<R> {}
impl<R: ?Sized + Seek> Seek for BufReader<R> {}
impl<W: Write> BufWriter<W> {
    pub fn new(inner: W) -> BufWriter<W>;
    pub fn with_capacity(capacity: usize, inner: W) -> BufWriter<W>;
    pub fn into_inner(self) -> result::Result<W, IntoInnerError<BufWriter<W>>>;
    pub fn into_parts(self) -> (W, result::Result<Vec<u8>, WriterPanicked>);
}
impl<W: ?Sized + Write> BufWriter<W> {
    pub fn get_ref(&self) -> &W;
    pub fn get_mut(&mut self) -> &mut W;
    pub fn buffer(&self) -> &[u8];
    pub fn capacity(&self) -> usize;
}
impl<W: ?Sized + Write + Seek> Seek for BufWriter<W> {}
impl<W: ?Sized + Write> Write for BufWriter<W> {}
impl<R: Read> Iterator for Bytes<R> { type Item = result::Result<u8, Error>; }
impl<T, U> Chain<T, U> {
    pub fn into_inner(self) -> (T, U);
    pub fn get_ref(&self) -> (&T, &U);
    pub fn get_mut(&mut self) -> (&mut T, &mut U);
}
impl<T: BufRead, U: BufRead> BufRead for Chain<T, U> {}
impl<T: Read, U: Read> Read for Chain<T, U> {}
impl<T> Cursor<T> {
    pub fn new(inner: T) -> Cursor<T>;
    pub fn into_inner(self) -> T;
    pub fn get_ref(&self) -> &T;
    pub fn get_mut(&mut self) -> &mut T;
    pub fn position(&self) -> u64;
    pub fn set_position(&mut self, pos: u64);
}
impl<T> BufRead for Cursor<T> where T: AsRef<[u8]> {}
impl<T> Clone for Cursor<T> where T: Clone {}
impl<T: Default> Default for Cursor<T> {}
impl<T: PartialEq> PartialEq for Cursor<T> {}
impl<T> Read for Cursor<T> where T: AsRef<[u8]> {}
impl<T> Seek for Cursor<T> where T: AsRef<[u8]> {}
impl Write for Cursor<&mut [u8]> {}
impl Write for Cursor<&mut Vec<u8>> {}
impl<const N: usize> Write for Cursor<[u8; N]> {}
impl Write for Cursor<Box<[u8]>> {}
impl Write for Cursor<Vec<u8>> {}
impl<T: Eq> Eq for Cursor<T> {}
impl BufRead for Empty {}
impl Read for Empty {}
impl Seek for Empty {}
impl Write for Empty {}
impl Error {
    pub fn new<E>(kind: ErrorKind, error: E) -> Error where E: Into<Box<dyn error::Error + Send + Sync>>;
    pub fn other<E>(error: E) -> Error where E: Into<Box<dyn error::Error + Send + Sync>>;
    pub fn last_os_error() -> Error;
    pub fn from_raw_os_error(code: RawOsError) -> Error;
    pub fn raw_os_error(&self) -> Option<RawOsError>;
    pub fn get_ref(&self) -> Option<&(dyn error::Error + Send + Sync + 'static)>;
    pub fn get_mut(&mut self) -> Option<&mut (dyn error::Error + Send + Sync + 'static)>;
    pub fn into_inner(self) -> Option<Box<dyn error::Error + Send + Sync>>;
    pub fn downcast<E>(self) -> result::Result<E, Self> where E: error::Error + Send + Sync + 'static;
    pub fn kind(&self) -> ErrorKind;
}
impl Display for Error {}
impl error::Error for Error {}
impl From<ErrorKind> for Error {}
impl<W> IntoInnerError<W> {
    pub fn error(&self) -> &Error;
    pub fn into_inner(self) -> W;
    pub fn into_error(self) -> Error;
    pub fn into_parts(self) -> (Error, W);
}
impl<W> Display for IntoInnerError<W> {}
impl<W: Send + Debug> error::Error for IntoInnerError<W> {}
impl<'a> IoSlice<'a> {
    pub fn new(buf: &'a [u8]) -> IoSlice<'a>;
    pub fn advance(&mut self, n: usize);
    pub fn advance_slices(bufs: &mut &mut [IoSlice<'a>], n: usize);
}
impl<'a> Clone for IoSlice<'a> {}
impl<'a> Deref for IoSlice<'a> { type Target = [u8]; }
impl<'a> Copy for IoSlice<'a> {}
impl<'a> IoSliceMut<'a> {
    pub fn new(buf: &'a mut [u8]) -> IoSliceMut<'a>;
    pub fn advance(&mut self, n: usize);
    pub fn advance_slices(bufs: &mut &mut [IoSliceMut<'a>], n: usize);
}
impl<'a> Deref for IoSliceMut<'a> { type Target = [u8]; }
impl<'a> DerefMut for IoSliceMut<'a> {}
impl<W: Write> LineWriter<W> {
    pub fn new(inner: W) -> LineWriter<W>;
    pub fn with_capacity(capacity: usize, inner: W) -> LineWriter<W>;
    pub fn get_mut(&mut self) -> &mut W;
    pub fn into_inner(self) -> result::Result<W, IntoInnerError<LineWriter<W>>>;
}
impl<W: ?Sized + Write> LineWriter<W> {
    pub fn get_ref(&self) -> &W;
}
impl<W: ?Sized + Write> Write for LineWriter<W> {}
impl<B: BufRead> Iterator for Lines<B> { type Item = result::Result<String, Error>; }
impl PipeReader {
    pub fn try_clone(&self) -> Result<Self>;
}
impl From<OwnedFd> for PipeReader {}
impl Read for PipeReader {}
impl PipeWriter {
    pub fn try_clone(&self) -> Result<Self>;
}
impl From<OwnedFd> for PipeWriter {}
impl Write for PipeWriter {}
impl Read for Repeat {}
impl Write for Sink {}
impl<B: BufRead> Iterator for Split<B> { type Item = result::Result<Vec<u8>, Error>; }
impl Stderr {
    pub fn lock(&self) -> StderrLock<'static>;
}
impl IsTerminal for Stderr {}
impl Write for Stderr {}
impl IsTerminal for StderrLock<'_> {}
impl Write for StderrLock<'_> {}
impl Stdin {
    pub fn lock(&self) -> StdinLock<'static>;
    pub fn read_line(&self, buf: &mut String) -> Result<usize>;
    pub fn lines(self) -> Lines<StdinLock<'static>>;
}
impl IsTerminal for Stdin {}
impl Read for Stdin {}
impl BufRead for StdinLock<'_> {}
impl IsTerminal for StdinLock<'_> {}
impl Read for StdinLock<'_> {}
impl Stdout {
    pub fn lock(&self) -> StdoutLock<'static>;
}
impl IsTerminal for Stdout {}
impl Write for Stdout {}
impl IsTerminal for StdoutLock<'_> {}
impl Write for StdoutLock<'_> {}
impl<T> Take<T> {
    pub fn limit(&self) -> u64;
    pub fn set_limit(&mut self, limit: u64);
    pub fn into_inner(self) -> T;
    pub fn get_ref(&self) -> &T;
    pub fn get_mut(&mut self) -> &mut T;
}
impl<T: BufRead> BufRead for Take<T> {}
impl<T: Read> Read for Take<T> {}
impl<T: Seek> Seek for Take<T> {}
impl WriterPanicked {
    pub fn into_inner(self) -> Vec<u8>;
}
impl Display for WriterPanicked {}
impl error::Error for WriterPanicked {}
impl Display for ErrorKind {}
pub mod prelude {
pub use std::io::BufRead;
pub use std::io::Read;
pub use std::io::Seek;
pub use std::io::Write;
}
}
/// Iterators.
pub mod iter {
use {std::array::IntoIter, std::cmp::Ordering, std::ops::Try};
pub struct Chain<A, B>;
pub struct Cloned<I>;
pub struct Copied<I>;
pub struct Cycle<I>;
pub struct Empty<T>;
pub struct Enumerate<I>;
pub struct Filter<I, P>;
pub struct FilterMap<I, F>;
pub struct FlatMap<I, U, F> where U: IntoIterator;
pub struct Flatten<I> where I: Iterator, <I as Iterator>::Item: IntoIterator;
pub struct FromFn<F>;
pub struct Fuse<I>;
pub struct Inspect<I, F>;
pub struct Map<I, F>;
pub struct MapWhile<I, P>;
pub struct Once<T>;
pub struct OnceWith<F>;
pub struct Peekable<I> where I: Iterator;
pub struct Repeat<A>;
pub struct RepeatN<A>;
pub struct RepeatWith<F>;
pub struct Rev<T>;
pub struct Scan<I, St, F>;
pub struct Skip<I>;
pub struct SkipWhile<I, P>;
pub struct StepBy<I>;
pub struct Successors<T, F>;
pub struct Take<I>;
pub struct TakeWhile<I, P>;
pub struct Zip<A, B>;
/// Iterators that can run from both ends.
pub trait DoubleEndedIterator: Iterator {
    /// The next value from the end.
    fn next_back(&mut self) -> Option<Self::Item>;
    fn nth_back(&mut self, n: usize) -> Option<Self::Item>;
    fn try_rfold<B, F, R>(&mut self, init: B, f: F) -> R where F: FnMut(B, Self::Item) -> R, R: Try<Output = B>;
    fn rfold<B, F>(self, init: B, f: F) -> B where F: FnMut(B, Self::Item) -> B;
    fn rfind<P>(&mut self, predicate: P) -> Option<Self::Item> where P: FnMut(&Self::Item) -> bool;
}
/// Iterators that know their length.
pub trait ExactSizeIterator: Iterator {
    /// Number of values left.
    fn len(&self) -> usize;
}
/// Collections that take the values of an iterator.
pub trait Extend<A> {
    /// Adds all values of an iterator.
    fn extend<T>(&mut self, iter: T) where T: IntoIterator<Item = A>;
}
/// Collections that an iterator can be collected into.
pub trait FromIterator<A>: Sized {
    /// Collects an iterator.
    fn from_iter<T>(iter: T) -> Self where T: IntoIterator<Item = A>;
}
pub trait FusedIterator: Iterator {}
/// What a `for` loop can run over.
pub trait IntoIterator {
    type Item;
    type IntoIter: Iterator<Item = Self::Item>;
    /// An iterator over the values.
    fn into_iter(self) -> Self::IntoIter;
}
/// A sequence of values, made as they are asked for.
pub trait Iterator {
    type Item;
    /// The next value.
    fn next(&mut self) -> Option<Self::Item>;
    fn size_hint(&self) -> (usize, Option<usize>);
    /// Number of values.
    fn count(self) -> usize;
    /// The last value.
    fn last(self) -> Option<Self::Item>;
    /// The value after so many others.
    fn nth(&mut self, n: usize) -> Option<Self::Item>;
    /// Every so many values.
    fn step_by(self, step: usize) -> StepBy<Self>;
    /// The values of this one, then those of another.
    fn chain<U>(self, other: U) -> Chain<Self, <U as IntoIterator>::IntoIter> where U: IntoIterator<Item = Self::Item>;
    /// Pairs with the values of another.
    fn zip<U>(self, other: U) -> Zip<Self, <U as IntoIterator>::IntoIter> where U: IntoIterator;
    /// A function of each value.
    fn map<B, F>(self, f: F) -> Map<Self, F> where F: FnMut(Self::Item) -> B;
    /// Calls a function with each value.
    fn for_each<F>(self, f: F) where F: FnMut(Self::Item);
    /// The values that satisfy a condition.
    fn filter<P>(self, predicate: P) -> Filter<Self, P> where P: FnMut(&Self::Item) -> bool;
    /// The values of a function that gives some.
    fn filter_map<B, F>(self, f: F) -> FilterMap<Self, F> where F: FnMut(Self::Item) -> Option<B>;
    /// Values with their numbers, from zero.
    fn enumerate(self) -> Enumerate<Self>;
    /// Lets the next value be seen before it is taken.
    fn peekable(self) -> Peekable<Self>;
    /// Leaves out values as long as a condition holds.
    fn skip_while<P>(self, predicate: P) -> SkipWhile<Self, P> where P: FnMut(&Self::Item) -> bool;
    /// The values as long as a condition holds.
    fn take_while<P>(self, predicate: P) -> TakeWhile<Self, P> where P: FnMut(&Self::Item) -> bool;
    /// The values of a function as long as it gives some.
    fn map_while<B, P>(self, predicate: P) -> MapWhile<Self, P> where P: FnMut(Self::Item) -> Option<B>;
    /// Leaves out so many values.
    fn skip(self, n: usize) -> Skip<Self>;
    /// The first so many values.
    fn take(self, n: usize) -> Take<Self>;
    /// A function of each value and a state.
    fn scan<St, B, F>(self, initial_state: St, f: F) -> Scan<Self, St, F> where F: FnMut(&mut St, Self::Item) -> Option<B>;
    /// The values of the iterators that a function gives, one after the other.
    fn flat_map<U, F>(self, f: F) -> FlatMap<Self, U, F> where U: IntoIterator, F: FnMut(Self::Item) -> U;
    /// The values of the iterators in this one, one after the other.
    fn flatten(self) -> Flatten<Self> where Self::Item: IntoIterator;
    fn fuse(self) -> Fuse<Self>;
    /// Calls a function with each value that passes.
    fn inspect<F>(self, f: F) -> Inspect<Self, F> where F: FnMut(&Self::Item);
    fn by_ref(&mut self) -> &mut Self;
    /// Collects into a collection: `.collect::<Vec<_>>()`.
    fn collect<B>(self) -> B where B: FromIterator<Self::Item>;
    /// Two collections: values that satisfy a condition, and the others.
    fn partition<B, F>(self, f: F) -> (B, B) where B: Default + Extend<Self::Item>, F: FnMut(&Self::Item) -> bool;
    fn try_fold<B, F, R>(&mut self, init: B, f: F) -> R where F: FnMut(B, Self::Item) -> R, R: Try<Output = B>;
    fn try_for_each<F, R>(&mut self, f: F) -> R where F: FnMut(Self::Item) -> R, R: Try<Output = ()>;
    /// Combines all values, beginning with one of your own.
    fn fold<B, F>(self, init: B, f: F) -> B where F: FnMut(B, Self::Item) -> B;
    /// Combines all values with each other.
    fn reduce<F>(self, f: F) -> Option<Self::Item> where F: FnMut(Self::Item, Self::Item) -> Self::Item;
    /// Whether all values satisfy a condition.
    fn all<F>(&mut self, f: F) -> bool where F: FnMut(Self::Item) -> bool;
    /// Whether some value satisfies a condition.
    fn any<F>(&mut self, f: F) -> bool where F: FnMut(Self::Item) -> bool;
    /// The first value that satisfies a condition.
    fn find<P>(&mut self, predicate: P) -> Option<Self::Item> where P: FnMut(&Self::Item) -> bool;
    /// The first value that a function gives.
    fn find_map<B, F>(&mut self, f: F) -> Option<B> where F: FnMut(Self::Item) -> Option<B>;
    /// Number of the first value that satisfies a condition.
    fn position<P>(&mut self, predicate: P) -> Option<usize> where P: FnMut(Self::Item) -> bool;
    fn rposition<P>(&mut self, predicate: P) -> Option<usize> where P: FnMut(Self::Item) -> bool, Self: ExactSizeIterator + DoubleEndedIterator;
    /// The largest value.
    fn max(self) -> Option<Self::Item> where Self::Item: Ord;
    /// The smallest value.
    fn min(self) -> Option<Self::Item> where Self::Item: Ord;
    /// The value with the largest key.
    fn max_by_key<B, F>(self, f: F) -> Option<Self::Item> where B: Ord, F: FnMut(&Self::Item) -> B;
    /// The largest value by a comparison, as in `.max_by(|a, b| a.total_cmp(b))`.
    fn max_by<F>(self, compare: F) -> Option<Self::Item> where F: FnMut(&Self::Item, &Self::Item) -> Ordering;
    /// The value with the smallest key.
    fn min_by_key<B, F>(self, f: F) -> Option<Self::Item> where B: Ord, F: FnMut(&Self::Item) -> B;
    /// The smallest value by a comparison.
    fn min_by<F>(self, compare: F) -> Option<Self::Item> where F: FnMut(&Self::Item, &Self::Item) -> Ordering;
    /// The values from the last to the first.
    fn rev(self) -> Rev<Self> where Self: DoubleEndedIterator;
    /// Collects pairs into a pair of collections.
    fn unzip<A, B, FromA, FromB>(self) -> (FromA, FromB) where FromA: Default + Extend<A>, FromB: Default + Extend<B>, Self: Iterator<Item = (A, B)>;
    /// Copies of values behind references.
    fn copied<'a, T>(self) -> Copied<Self> where T: Copy + 'a, Self: Iterator<Item = &'a T>;
    /// Clones of values behind references.
    fn cloned<'a, T>(self) -> Cloned<Self> where T: Clone + 'a, Self: Iterator<Item = &'a T>;
    /// The values again and again.
    fn cycle(self) -> Cycle<Self> where Self: Clone;
    /// The sum of all values: `.sum::<f64>()`.
    fn sum<S>(self) -> S where S: Sum<Self::Item>;
    /// The product of all values.
    fn product<P>(self) -> P where P: Product<Self::Item>;
    /// The order of two sequences.
    fn cmp<I>(self, other: I) -> Ordering where I: IntoIterator<Item = Self::Item>, Self::Item: Ord;
    fn partial_cmp<I>(self, other: I) -> Option<Ordering> where I: IntoIterator, Self::Item: PartialOrd<<I as IntoIterator>::Item>;
    fn eq<I>(self, other: I) -> bool where I: IntoIterator, Self::Item: PartialEq<<I as IntoIterator>::Item>;
    fn ne<I>(self, other: I) -> bool where I: IntoIterator, Self::Item: PartialEq<<I as IntoIterator>::Item>;
    fn lt<I>(self, other: I) -> bool where I: IntoIterator, Self::Item: PartialOrd<<I as IntoIterator>::Item>;
    fn le<I>(self, other: I) -> bool where I: IntoIterator, Self::Item: PartialOrd<<I as IntoIterator>::Item>;
    fn gt<I>(self, other: I) -> bool where I: IntoIterator, Self::Item: PartialOrd<<I as IntoIterator>::Item>;
    fn ge<I>(self, other: I) -> bool where I: IntoIterator, Self::Item: PartialOrd<<I as IntoIterator>::Item>;
    /// Whether the values are in order.
    fn is_sorted(self) -> bool where Self::Item: PartialOrd;
    fn is_sorted_by<F>(self, compare: F) -> bool where F: FnMut(&Self::Item, &Self::Item) -> bool;
    fn is_sorted_by_key<F, K>(self, f: F) -> bool where F: FnMut(Self::Item) -> K, K: PartialOrd;
}
pub trait Product<A = Self>: Sized {
    fn product<I>(iter: I) -> Self where I: Iterator<Item = A>;
}
pub trait Sum<A = Self>: Sized {
    fn sum<I>(iter: I) -> Self where I: Iterator<Item = A>;
}
pub fn chain<A, B>(a: A, b: B) -> Chain<<A as IntoIterator>::IntoIter, <B as IntoIterator>::IntoIter> where A: IntoIterator, B: IntoIterator<Item = <A as IntoIterator>::Item>;
/// No values.
pub fn empty<T>() -> Empty<T>;
/// The values of a function as long as it gives some.
pub fn from_fn<T, F>(f: F) -> FromFn<F> where F: FnMut() -> Option<T>;
/// One value.
pub fn once<T>(value: T) -> Once<T>;
pub fn once_with<A, F>(make: F) -> OnceWith<F> where F: FnOnce() -> A;
/// One value again and again.
pub fn repeat<T>(elt: T) -> Repeat<T> where T: Clone;
/// One value so many times.
pub fn repeat_n<T>(element: T, count: usize) -> RepeatN<T> where T: Clone;
pub fn repeat_with<A, F>(repeater: F) -> RepeatWith<F> where F: FnMut() -> A;
/// Each value from the one before.
pub fn successors<T, F>(first: Option<T>, succ: F) -> Successors<T, F> where F: FnMut(&T) -> Option<T>;
pub fn zip<A, B>(a: A, b: B) -> Zip<<A as IntoIterator>::IntoIter, <B as IntoIterator>::IntoIter> where A: IntoIterator, B: IntoIterator;
impl<A, B> Clone for Chain<A, B> where A: Clone, B: Clone {}
impl<A, B> Default for Chain<A, B> where A: Default, B: Default {}
impl<A, B> DoubleEndedIterator for Chain<A, B> where A: DoubleEndedIterator, B: DoubleEndedIterator<Item = <A as Iterator>::Item> {}
impl<A, B> Iterator for Chain<A, B> where A: Iterator, B: Iterator<Item = <A as Iterator>::Item> { type Item = <A as Iterator>::Item; }
impl<I> Clone for Cloned<I> where I: Clone {}
impl<I> Default for Cloned<I> where I: Default {}
impl<'a, I, T> DoubleEndedIterator for Cloned<I> where I: DoubleEndedIterator<Item = &'a T> {}
impl<'a, I, T> ExactSizeIterator for Cloned<I> where I: ExactSizeIterator<Item = &'a T> {}
impl<'a, I, T> Iterator for Cloned<I> where I: Iterator<Item = &'a T> { type Item = T; }
impl<I> Clone for Copied<I> where I: Clone {}
impl<I> Default for Copied<I> where I: Default {}
impl<'a, I, T> DoubleEndedIterator for Copied<I> where I: DoubleEndedIterator<Item = &'a T> {}
impl<'a, I, T> ExactSizeIterator for Copied<I> where I: ExactSizeIterator<Item = &'a T> {}
impl<'a, I, T> Iterator for Copied<I> where I: Iterator<Item = &'a T> { type Item = T; }
impl<I> Clone for Cycle<I> where I: Clone {}
impl<I> Iterator for Cycle<I> where I: Clone + Iterator { type Item = <I as Iterator>::Item; }
impl<T> Clone for Empty<T> {}
impl<T> Default for Empty<T> {}
impl<T> DoubleEndedIterator for Empty<T> {}
impl<T> ExactSizeIterator for Empty<T> {}
impl<T> Iterator for Empty<T> { type Item = T; }
impl<I> Clone for Enumerate<I> where I: Clone {}
impl<I> Default for Enumerate<I> where I: Default {}
impl<I> DoubleEndedIterator for Enumerate<I> where I: ExactSizeIterator + DoubleEndedIterator {}
impl<I> ExactSizeIterator for Enumerate<I> where I: ExactSizeIterator {}
impl<I> Iterator for Enumerate<I> where I: Iterator { type Item = (usize, <I as Iterator>::Item); }
impl<I, P> Clone for Filter<I, P> where I: Clone, P: Clone {}
impl<I, P> DoubleEndedIterator for Filter<I, P> where I: DoubleEndedIterator, P: FnMut(&<I as Iterator>::Item) -> bool {}
impl<I, P> Iterator for Filter<I, P> where I: Iterator, P: FnMut(&<I as Iterator>::Item) -> bool { type Item = <I as Iterator>::Item; }
impl<I, F> Clone for FilterMap<I, F> where I: Clone, F: Clone {}
impl<B, I, F> DoubleEndedIterator for FilterMap<I, F> where I: DoubleEndedIterator, F: FnMut(<I as Iterator>::Item) -> Option<B> {}
impl<B, I, F> Iterator for FilterMap<I, F> where I: Iterator, F: FnMut(<I as Iterator>::Item) -> Option<B> { type Item = B; }
impl<I, U, F> Clone for FlatMap<I, U, F> where I: Clone, F: Clone, U: Clone + IntoIterator {}
impl<I, U, F> DoubleEndedIterator for FlatMap<I, U, F> where I: DoubleEndedIterator, F: FnMut(<I as Iterator>::Item) -> U, U: IntoIterator {}
impl<I, U, F> Iterator for FlatMap<I, U, F> where I: Iterator, U: IntoIterator, F: FnMut(<I as Iterator>::Item) -> U { type Item = <U as IntoIterator>::Item; }
impl<I, U> Clone for Flatten<I> where I: Clone + Iterator, U: Clone + Iterator {}
impl<I> Default for Flatten<I> where I: Default + Iterator {}
impl<I, U> DoubleEndedIterator for Flatten<I> where I: DoubleEndedIterator, U: DoubleEndedIterator {}
impl<I, U> Iterator for Flatten<I> where I: Iterator, U: Iterator { type Item = <<I as Iterator>::Item as IntoIterator>::Item; }
impl<F> Clone for FromFn<F> where F: Clone {}
impl<T, F> Iterator for FromFn<F> where F: FnMut() -> Option<T> { type Item = T; }
impl<I> Clone for Fuse<I> where I: Clone {}
impl<I> Default for Fuse<I> where I: Default {}
impl<I> DoubleEndedIterator for Fuse<I> where I: DoubleEndedIterator {}
impl<I> ExactSizeIterator for Fuse<I> where I: ExactSizeIterator {}
impl<I> Iterator for Fuse<I> where I: Iterator { type Item = <I as Iterator>::Item; }
impl<I, F> Clone for Inspect<I, F> where I: Clone, F: Clone {}
impl<I, F> DoubleEndedIterator for Inspect<I, F> where I: DoubleEndedIterator, F: FnMut(&<I as Iterator>::Item) {}
impl<I, F> ExactSizeIterator for Inspect<I, F> where I: ExactSizeIterator, F: FnMut(&<I as Iterator>::Item) {}
impl<I, F> Iterator for Inspect<I, F> where I: Iterator, F: FnMut(&<I as Iterator>::Item) { type Item = <I as Iterator>::Item; }
impl<I, F> Clone for Map<I, F> where I: Clone, F: Clone {}
impl<B, I, F> DoubleEndedIterator for Map<I, F> where I: DoubleEndedIterator, F: FnMut(<I as Iterator>::Item) -> B {}
impl<B, I, F> ExactSizeIterator for Map<I, F> where I: ExactSizeIterator, F: FnMut(<I as Iterator>::Item) -> B {}
impl<B, I, F> Iterator for Map<I, F> where I: Iterator, F: FnMut(<I as Iterator>::Item) -> B { type Item = B; }
impl<I, P> Clone for MapWhile<I, P> where I: Clone, P: Clone {}
impl<B, I, P> Iterator for MapWhile<I, P> where I: Iterator, P: FnMut(<I as Iterator>::Item) -> Option<B> { type Item = B; }
impl<T> Clone for Once<T> where T: Clone {}
impl<T> DoubleEndedIterator for Once<T> {}
impl<T> ExactSizeIterator for Once<T> {}
impl<T> Iterator for Once<T> { type Item = T; }
impl<F> Clone for OnceWith<F> where F: Clone {}
impl<A, F> DoubleEndedIterator for OnceWith<F> where F: FnOnce() -> A {}
impl<A, F> ExactSizeIterator for OnceWith<F> where F: FnOnce() -> A {}
impl<A, F> Iterator for OnceWith<F> where F: FnOnce() -> A { type Item = A; }
impl<I> Peekable<I> where I: Iterator {
    pub fn peek(&mut self) -> Option<&<I as Iterator>::Item>;
    pub fn peek_mut(&mut self) -> Option<&mut <I as Iterator>::Item>;
    pub fn next_if(&mut self, func: impl FnOnce(&<I as Iterator>::Item) -> bool) -> Option<<I as Iterator>::Item>;
    pub fn next_if_eq<T>(&mut self, expected: &T) -> Option<<I as Iterator>::Item> where <I as Iterator>::Item: PartialEq<T>;
    pub fn next_if_map<R>(&mut self, f: impl FnOnce(<I as Iterator>::Item) -> Result<R, <I as Iterator>::Item>) -> Option<R>;
    pub fn next_if_map_mut<R>(&mut self, f: impl FnOnce(&mut <I as Iterator>::Item) -> Option<R>) -> Option<R>;
}
impl<I> Clone for Peekable<I> where I: Clone + Iterator {}
impl<I> DoubleEndedIterator for Peekable<I> where I: DoubleEndedIterator {}
impl<I> ExactSizeIterator for Peekable<I> where I: ExactSizeIterator {}
impl<I> Iterator for Peekable<I> where I: Iterator { type Item = <I as Iterator>::Item; }
impl<A> Clone for Repeat<A> where A: Clone {}
impl<A> DoubleEndedIterator for Repeat<A> where A: Clone {}
impl<A> Iterator for Repeat<A> where A: Clone { type Item = A; }
impl<A> Clone for RepeatN<A> where A: Clone {}
impl<A> DoubleEndedIterator for RepeatN<A> where A: Clone {}
impl<A> ExactSizeIterator for RepeatN<A> where A: Clone {}
impl<A> Iterator for RepeatN<A> where A: Clone { type Item = A; }
impl<F> Clone for RepeatWith<F> where F: Clone {}
impl<A, F> Iterator for RepeatWith<F> where F: FnMut() -> A { type Item = A; }
impl<F> Copy for RepeatWith<F> where F: Copy {}
impl<T> Clone for Rev<T> where T: Clone {}
impl<I> Default for Rev<I> where I: Default {}
impl<I> DoubleEndedIterator for Rev<I> where I: DoubleEndedIterator {}
impl<I> ExactSizeIterator for Rev<I> where I: ExactSizeIterator + DoubleEndedIterator {}
impl<I> Iterator for Rev<I> where I: DoubleEndedIterator { type Item = <I as Iterator>::Item; }
impl<I, St, F> Clone for Scan<I, St, F> where I: Clone, St: Clone, F: Clone {}
impl<B, I, St, F> Iterator for Scan<I, St, F> where I: Iterator, F: FnMut(&mut St, <I as Iterator>::Item) -> Option<B> { type Item = B; }
impl<I> Clone for Skip<I> where I: Clone {}
impl<I> DoubleEndedIterator for Skip<I> where I: DoubleEndedIterator + ExactSizeIterator {}
impl<I> ExactSizeIterator for Skip<I> where I: ExactSizeIterator {}
impl<I> Iterator for Skip<I> where I: Iterator { type Item = <I as Iterator>::Item; }
impl<I, P> Clone for SkipWhile<I, P> where I: Clone, P: Clone {}
impl<I, P> Iterator for SkipWhile<I, P> where I: Iterator, P: FnMut(&<I as Iterator>::Item) -> bool { type Item = <I as Iterator>::Item; }
impl<I> Clone for StepBy<I> where I: Clone {}
impl<I> DoubleEndedIterator for StepBy<I> where I: DoubleEndedIterator + ExactSizeIterator {}
impl<I> ExactSizeIterator for StepBy<I> where I: ExactSizeIterator {}
impl<I> Iterator for StepBy<I> where I: Iterator { type Item = <I as Iterator>::Item; }
impl<T, F> Clone for Successors<T, F> where T: Clone, F: Clone {}
impl<T, F> Iterator for Successors<T, F> where F: FnMut(&T) -> Option<T> { type Item = T; }
impl<I> Clone for Take<I> where I: Clone {}
impl<I> DoubleEndedIterator for Take<I> where I: DoubleEndedIterator + ExactSizeIterator {}
impl<I> ExactSizeIterator for Take<I> where I: ExactSizeIterator {}
impl<I> Iterator for Take<I> where I: Iterator { type Item = <I as Iterator>::Item; }
impl<I, P> Clone for TakeWhile<I, P> where I: Clone, P: Clone {}
impl<I, P> Iterator for TakeWhile<I, P> where I: Iterator, P: FnMut(&<I as Iterator>::Item) -> bool { type Item = <I as Iterator>::Item; }
impl<A, B> Clone for Zip<A, B> where A: Clone, B: Clone {}
impl<A, B> DoubleEndedIterator for Zip<A, B> where A: DoubleEndedIterator + ExactSizeIterator, B: DoubleEndedIterator + ExactSizeIterator {}
impl<A, B> ExactSizeIterator for Zip<A, B> where A: ExactSizeIterator, B: ExactSizeIterator {}
impl<A, B> Iterator for Zip<A, B> where A: Iterator, B: Iterator { type Item = (<A as Iterator>::Item, <B as Iterator>::Item); }
impl<I> IntoIterator for I where I: Iterator { type Item = <I as Iterator>::Item; type IntoIter = I; }
}
pub mod marker {
use {std::fmt::Debug, std::hash::Hash};
pub struct PhantomData<T>;
#[derive(Clone, Debug, Default, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct PhantomPinned;
/// Values that are copied instead of moved.
pub trait Copy: Clone {}
/// Values that may move to another thread.
pub unsafe auto trait Send {}
/// Types of known size.
pub trait Sized {}
/// Values that several threads may read.
pub unsafe auto trait Sync {}
pub auto trait Unpin {}
impl<T> Clone for PhantomData<T> {}
impl<T> Default for PhantomData<T> {}
impl<T> Hash for PhantomData<T> {}
impl<T> Ord for PhantomData<T> {}
impl<T> PartialEq for PhantomData<T> {}
impl<T> PartialOrd for PhantomData<T> {}
impl<T> Copy for PhantomData<T> {}
impl<T> Eq for PhantomData<T> {}
impl Copy for ! {}
}
/// Dropping, swapping and replacing values.
pub mod mem {
use {std::hash::Hash, std::ops::Deref, std::ops::DerefMut};
pub macro offset_of { () => {} }
pub struct Discriminant<T>;
pub struct ManuallyDrop<T>;
pub fn align_of<T>() -> usize;
pub fn align_of_val<T>(val: &T) -> usize;
pub fn discriminant<T>(v: &T) -> Discriminant<T>;
/// Ends a value's life.
pub fn drop<T>(_x: T);
pub fn forget<T>(t: T);
pub fn needs_drop<T>() -> bool;
/// Puts a value in place of another, which is returned.
pub fn replace<T>(dest: &mut T, src: T) -> T;
/// Size of a type in bytes.
pub fn size_of<T>() -> usize;
pub fn size_of_val<T>(val: &T) -> usize;
/// Exchanges two values.
pub fn swap<T>(x: &mut T, y: &mut T);
/// Takes a value and leaves its default.
pub fn take<T>(dest: &mut T) -> T where T: Default;
pub unsafe fn transmute<Src, Dst>(src: Src) -> Dst;
pub unsafe fn transmute_copy<Src, Dst>(src: &Src) -> Dst;
pub unsafe fn zeroed<T>() -> T;
pub union MaybeUninit<T> {}
impl<T> Clone for Discriminant<T> {}
impl<T> Hash for Discriminant<T> {}
impl<T> PartialEq for Discriminant<T> {}
impl<T> Copy for Discriminant<T> {}
impl<T> Eq for Discriminant<T> {}
impl<T> ManuallyDrop<T> {
    pub fn new(value: T) -> ManuallyDrop<T>;
    pub fn into_inner(slot: ManuallyDrop<T>) -> T;
    pub unsafe fn take(slot: &mut ManuallyDrop<T>) -> T;
    pub unsafe fn drop(slot: &mut ManuallyDrop<T>);
}
impl<T> Clone for ManuallyDrop<T> where T: Clone {}
impl<T> Default for ManuallyDrop<T> where T: Default {}
impl<T> Deref for ManuallyDrop<T> { type Target = T; }
impl<T> DerefMut for ManuallyDrop<T> {}
impl<T> Hash for ManuallyDrop<T> where T: Hash {}
impl<T> Ord for ManuallyDrop<T> where T: Ord {}
impl<T> PartialEq for ManuallyDrop<T> where T: PartialEq {}
impl<T> PartialOrd for ManuallyDrop<T> where T: PartialOrd {}
impl<T> Copy for ManuallyDrop<T> where T: Copy {}
impl<T> Eq for ManuallyDrop<T> where T: Eq {}
impl<T> MaybeUninit<T> {
    pub fn new(val: T) -> MaybeUninit<T>;
    pub fn uninit() -> MaybeUninit<T>;
    pub fn zeroed() -> MaybeUninit<T>;
    pub fn write(&mut self, val: T) -> &mut T;
    pub fn as_ptr(&self) -> *const T;
    pub fn as_mut_ptr(&mut self) -> *mut T;
    pub unsafe fn assume_init(self) -> T;
    pub unsafe fn assume_init_read(&self) -> T;
    pub unsafe fn assume_init_drop(&mut self);
    pub unsafe fn assume_init_ref(&self) -> &T;
    pub unsafe fn assume_init_mut(&mut self) -> &mut T;
}
impl<T, const N: usize> AsMut<[MaybeUninit<T>]> for MaybeUninit<[T; N]> {}
impl<T, const N: usize> AsRef<[MaybeUninit<T>]> for MaybeUninit<[T; N]> {}
impl<T> Clone for MaybeUninit<T> where T: Copy {}
impl<T, const N: usize> From<[MaybeUninit<T>; N]> for MaybeUninit<[T; N]> {}
impl<T> Copy for MaybeUninit<T> where T: Copy {}
}
pub mod net {
use {std::array::IntoIter, std::error::Error, std::fmt::Debug, std::fmt::Display, std::hash::Hash, std::io, std::io::Read, std::io::Write, std::ops::BitAnd, std::ops::BitOr, std::ops::Not, std::option, std::os::fd::OwnedFd, std::slice::Iter, std::str::FromStr, std::time::Duration};
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddrParseError;
pub struct Incoming<'a>;
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct Ipv4Addr;
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct Ipv6Addr;
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct SocketAddrV4;
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct SocketAddrV6;
#[derive(Debug)]
pub struct TcpListener;
#[derive(Debug)]
pub struct TcpStream;
#[derive(Debug)]
pub struct UdpSocket;
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub enum IpAddr {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub enum Shutdown {
    Read,
    Write,
    Both,
}
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub enum SocketAddr {
    V4(SocketAddrV4),
    V6(SocketAddrV6),
}
pub trait ToSocketAddrs {
    type Iter: Iterator<Item = SocketAddr>;
    fn to_socket_addrs(&self) -> io::Result<Self::Iter>;
}
impl Display for AddrParseError {}
impl Error for AddrParseError {}
impl<'a> Iterator for Incoming<'a> { type Item = Result<TcpStream, io::Error>; }
impl Ipv4Addr {
    pub const BITS: u32;
    pub const LOCALHOST: Ipv4Addr;
    pub const UNSPECIFIED: Ipv4Addr;
    pub const BROADCAST: Ipv4Addr;
    pub fn new(a: u8, b: u8, c: u8, d: u8) -> Ipv4Addr;
    pub fn to_bits(self) -> u32;
    pub fn from_bits(bits: u32) -> Ipv4Addr;
    pub fn octets(&self) -> [u8; 4];
    pub fn from_octets(octets: [u8; 4]) -> Ipv4Addr;
    pub fn is_unspecified(&self) -> bool;
    pub fn is_loopback(&self) -> bool;
    pub fn is_private(&self) -> bool;
    pub fn is_link_local(&self) -> bool;
    pub fn is_multicast(&self) -> bool;
    pub fn is_broadcast(&self) -> bool;
    pub fn is_documentation(&self) -> bool;
    pub fn to_ipv6_compatible(&self) -> Ipv6Addr;
    pub fn to_ipv6_mapped(&self) -> Ipv6Addr;
}
impl BitAnd for Ipv4Addr { type Output = Ipv4Addr; }
impl BitOr for Ipv4Addr { type Output = Ipv4Addr; }
impl Display for Ipv4Addr {}
impl From<[u8; 4]> for Ipv4Addr {}
impl FromStr for Ipv4Addr { type Err = AddrParseError; }
impl Not for Ipv4Addr { type Output = Ipv4Addr; }
impl Ipv6Addr {
    pub const BITS: u32;
    pub const LOCALHOST: Ipv6Addr;
    pub const UNSPECIFIED: Ipv6Addr;
    pub fn new(a: u16, b: u16, c: u16, d: u16, e: u16, f: u16, g: u16, h: u16) -> Ipv6Addr;
    pub fn to_bits(self) -> u128;
    pub fn from_bits(bits: u128) -> Ipv6Addr;
    pub fn segments(&self) -> [u16; 8];
    pub fn from_segments(segments: [u16; 8]) -> Ipv6Addr;
    pub fn is_unspecified(&self) -> bool;
    pub fn is_loopback(&self) -> bool;
    pub fn is_unique_local(&self) -> bool;
    pub fn is_unicast_link_local(&self) -> bool;
    pub fn is_multicast(&self) -> bool;
    pub fn to_ipv4_mapped(&self) -> Option<Ipv4Addr>;
    pub fn to_ipv4(&self) -> Option<Ipv4Addr>;
    pub fn to_canonical(&self) -> IpAddr;
    pub fn octets(&self) -> [u8; 16];
    pub fn from_octets(octets: [u8; 16]) -> Ipv6Addr;
}
impl BitAnd for Ipv6Addr { type Output = Ipv6Addr; }
impl BitOr for Ipv6Addr { type Output = Ipv6Addr; }
impl Display for Ipv6Addr {}
impl From<[u16; 8]> for Ipv6Addr {}
impl FromStr for Ipv6Addr { type Err = AddrParseError; }
impl Not for Ipv6Addr { type Output = Ipv6Addr; }
impl SocketAddrV4 {
    pub fn new(ip: Ipv4Addr, port: u16) -> SocketAddrV4;
    pub fn ip(&self) -> &Ipv4Addr;
    pub fn set_ip(&mut self, new_ip: Ipv4Addr);
    pub fn port(&self) -> u16;
    pub fn set_port(&mut self, new_port: u16);
}
impl Display for SocketAddrV4 {}
impl FromStr for SocketAddrV4 { type Err = AddrParseError; }
impl ToSocketAddrs for SocketAddrV4 { type Iter = option::IntoIter<SocketAddr>; }
impl SocketAddrV6 {
    pub fn new(ip: Ipv6Addr, port: u16, flowinfo: u32, scope_id: u32) -> SocketAddrV6;
    pub fn ip(&self) -> &Ipv6Addr;
    pub fn set_ip(&mut self, new_ip: Ipv6Addr);
    pub fn port(&self) -> u16;
    pub fn set_port(&mut self, new_port: u16);
    pub fn flowinfo(&self) -> u32;
    pub fn set_flowinfo(&mut self, new_flowinfo: u32);
    pub fn scope_id(&self) -> u32;
    pub fn set_scope_id(&mut self, new_scope_id: u32);
}
impl Display for SocketAddrV6 {}
impl FromStr for SocketAddrV6 { type Err = AddrParseError; }
impl ToSocketAddrs for SocketAddrV6 { type Iter = option::IntoIter<SocketAddr>; }
impl TcpListener {
    pub fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<TcpListener>;
    pub fn local_addr(&self) -> io::Result<SocketAddr>;
    pub fn try_clone(&self) -> io::Result<TcpListener>;
    pub fn accept(&self) -> io::Result<(TcpStream, SocketAddr)>;
    pub fn incoming(&self) -> Incoming<'_>;
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()>;
    pub fn ttl(&self) -> io::Result<u32>;
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()>;
}
impl From<OwnedFd> for TcpListener {}
impl TcpStream {
    pub fn connect<A: ToSocketAddrs>(addr: A) -> io::Result<TcpStream>;
    pub fn connect_timeout(addr: &SocketAddr, timeout: Duration) -> io::Result<TcpStream>;
    pub fn peer_addr(&self) -> io::Result<SocketAddr>;
    pub fn local_addr(&self) -> io::Result<SocketAddr>;
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()>;
    pub fn try_clone(&self) -> io::Result<TcpStream>;
    pub fn set_read_timeout(&self, dur: Option<Duration>) -> io::Result<()>;
    pub fn set_write_timeout(&self, dur: Option<Duration>) -> io::Result<()>;
    pub fn read_timeout(&self) -> io::Result<Option<Duration>>;
    pub fn write_timeout(&self) -> io::Result<Option<Duration>>;
    pub fn peek(&self, buf: &mut [u8]) -> io::Result<usize>;
    pub fn set_nodelay(&self, nodelay: bool) -> io::Result<()>;
    pub fn nodelay(&self) -> io::Result<bool>;
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()>;
    pub fn ttl(&self) -> io::Result<u32>;
    pub fn take_error(&self) -> io::Result<Option<io::Error>>;
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()>;
}
impl From<OwnedFd> for TcpStream {}
impl Read for TcpStream {}
impl Write for TcpStream {}
impl UdpSocket {
    pub fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<UdpSocket>;
    pub fn recv_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)>;
    pub fn peek_from(&self, buf: &mut [u8]) -> io::Result<(usize, SocketAddr)>;
    pub fn send_to<A: ToSocketAddrs>(&self, buf: &[u8], addr: A) -> io::Result<usize>;
    pub fn peer_addr(&self) -> io::Result<SocketAddr>;
    pub fn local_addr(&self) -> io::Result<SocketAddr>;
    pub fn try_clone(&self) -> io::Result<UdpSocket>;
    pub fn set_read_timeout(&self, dur: Option<Duration>) -> io::Result<()>;
    pub fn set_write_timeout(&self, dur: Option<Duration>) -> io::Result<()>;
    pub fn read_timeout(&self) -> io::Result<Option<Duration>>;
    pub fn write_timeout(&self) -> io::Result<Option<Duration>>;
    pub fn set_broadcast(&self, broadcast: bool) -> io::Result<()>;
    pub fn broadcast(&self) -> io::Result<bool>;
    pub fn set_multicast_loop_v4(&self, multicast_loop_v4: bool) -> io::Result<()>;
    pub fn multicast_loop_v4(&self) -> io::Result<bool>;
    pub fn set_multicast_ttl_v4(&self, multicast_ttl_v4: u32) -> io::Result<()>;
    pub fn multicast_ttl_v4(&self) -> io::Result<u32>;
    pub fn set_multicast_loop_v6(&self, multicast_loop_v6: bool) -> io::Result<()>;
    pub fn multicast_loop_v6(&self) -> io::Result<bool>;
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()>;
    pub fn ttl(&self) -> io::Result<u32>;
    pub fn join_multicast_v4(&self, multiaddr: &Ipv4Addr, interface: &Ipv4Addr) -> io::Result<()>;
    pub fn join_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()>;
    pub fn leave_multicast_v4(&self, multiaddr: &Ipv4Addr, interface: &Ipv4Addr) -> io::Result<()>;
    pub fn leave_multicast_v6(&self, multiaddr: &Ipv6Addr, interface: u32) -> io::Result<()>;
    pub fn take_error(&self) -> io::Result<Option<io::Error>>;
    pub fn connect<A: ToSocketAddrs>(&self, addr: A) -> io::Result<()>;
    pub fn send(&self, buf: &[u8]) -> io::Result<usize>;
    pub fn recv(&self, buf: &mut [u8]) -> io::Result<usize>;
    pub fn peek(&self, buf: &mut [u8]) -> io::Result<usize>;
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()>;
}
impl From<OwnedFd> for UdpSocket {}
impl IpAddr {
    pub fn is_unspecified(&self) -> bool;
    pub fn is_loopback(&self) -> bool;
    pub fn is_multicast(&self) -> bool;
    pub fn is_ipv4(&self) -> bool;
    pub fn is_ipv6(&self) -> bool;
    pub fn to_canonical(&self) -> IpAddr;
}
impl Display for IpAddr {}
impl From<[u16; 8]> for IpAddr {}
impl FromStr for IpAddr { type Err = AddrParseError; }
impl SocketAddr {
    pub fn new(ip: IpAddr, port: u16) -> SocketAddr;
    pub fn ip(&self) -> IpAddr;
    pub fn set_ip(&mut self, new_ip: IpAddr);
    pub fn port(&self) -> u16;
    pub fn set_port(&mut self, new_port: u16);
    pub fn is_ipv4(&self) -> bool;
    pub fn is_ipv6(&self) -> bool;
}
impl Display for SocketAddr {}
impl<I> From<(I, u16)> for SocketAddr where I: Into<IpAddr> {}
impl FromStr for SocketAddr { type Err = AddrParseError; }
impl ToSocketAddrs for SocketAddr { type Iter = option::IntoIter<SocketAddr>; }
}
pub mod num {
use {std::ascii::Char, std::ascii::EscapeDefault, std::char::TryFromCharError, std::cmp::Ordering, std::convert::FloatToInt, std::error, std::fmt::Binary, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::fmt::LowerExp, std::fmt::LowerHex, std::fmt::Octal, std::fmt::UpperExp, std::fmt::UpperHex, std::hash::Hash, std::iter::Product, std::iter::Sum, std::ops::Add, std::ops::BitAnd, std::ops::BitOr, std::ops::BitXor, std::ops::Div, std::ops::Mul, std::ops::Neg, std::ops::Not, std::ops::Rem, std::ops::Shl, std::ops::Shr, std::ops::Sub, std::ptr::Alignment, std::str::FromStr, std::time::Duration};
pub struct NonZero<T>() where T: ZeroablePrimitive;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFloatError;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIntError;
pub struct Saturating<T>(pub T);
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub struct TryFromIntError;
pub struct Wrapping<T>(pub T);
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub enum FpCategory {
    Nan,
    Infinite,
    Zero,
    Subnormal,
    Normal,
}
#[derive(Clone, Debug, Hash, PartialEq, Copy, Eq)]
pub enum IntErrorKind {
    Empty,
    InvalidDigit,
    PosOverflow,
    NegOverflow,
    Zero,
}
pub type NonZeroI8 = NonZero<i8>;
pub type NonZeroI16 = NonZero<i16>;
pub type NonZeroI32 = NonZero<i32>;
pub type NonZeroI64 = NonZero<i64>;
pub type NonZeroI128 = NonZero<i128>;
pub type NonZeroIsize = NonZero<isize>;
pub type NonZeroU8 = NonZero<u8>;
pub type NonZeroU16 = NonZero<u16>;
pub type NonZeroU32 = NonZero<u32>;
pub type NonZeroU64 = NonZero<u64>;
pub type NonZeroU128 = NonZero<u128>;
pub type NonZeroUsize = NonZero<usize>;
impl<T> NonZero<T> where T: ZeroablePrimitive {
    pub fn new(n: T) -> Option<NonZero<T>>;
    pub unsafe fn new_unchecked(n: T) -> NonZero<T>;
    pub fn get(self) -> T;
}
impl<T> NonZero<T> {
    pub const BITS: u32;
    pub const MIN: NonZero<T>;
    pub const MAX: NonZero<T>;
    pub fn leading_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn count_ones(self) -> NonZero<u32>;
    pub fn checked_add(self, other: T) -> Option<NonZero<T>>;
    pub fn saturating_add(self, other: T) -> NonZero<T>;
    pub fn checked_next_power_of_two(self) -> Option<NonZero<T>>;
    pub fn ilog2(self) -> u32;
    pub fn ilog10(self) -> u32;
    pub fn midpoint(self, rhs: NonZero<T>) -> NonZero<T>;
    pub fn is_power_of_two(self) -> bool;
    pub fn isqrt(self) -> NonZero<T>;
    pub fn cast_signed(self) -> NonZero<i8>;
    pub fn checked_mul(self, other: NonZero<T>) -> Option<NonZero<T>>;
    pub fn saturating_mul(self, other: NonZero<T>) -> NonZero<T>;
    pub fn checked_pow(self, other: u32) -> Option<NonZero<T>>;
    pub fn saturating_pow(self, other: u32) -> NonZero<T>;
    pub fn div_ceil(self, rhs: NonZero<T>) -> NonZero<T>;
    pub fn abs(self) -> NonZero<T>;
    pub fn checked_abs(self) -> Option<NonZero<T>>;
    pub fn overflowing_abs(self) -> (NonZero<T>, bool);
    pub fn saturating_abs(self) -> NonZero<T>;
    pub fn wrapping_abs(self) -> NonZero<T>;
    pub fn unsigned_abs(self) -> NonZero<u8>;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
    pub fn checked_neg(self) -> Option<NonZero<T>>;
    pub fn overflowing_neg(self) -> (NonZero<T>, bool);
    pub fn saturating_neg(self) -> NonZero<T>;
    pub fn wrapping_neg(self) -> NonZero<T>;
    pub fn cast_unsigned(self) -> NonZero<u8>;
}
impl<T> Binary for NonZero<T> where T: ZeroablePrimitive + Binary {}
impl<T> BitOr<T> for NonZero<T> where T: ZeroablePrimitive + BitOr<Output = T> { type Output = NonZero<T>; }
impl<T> Clone for NonZero<T> where T: ZeroablePrimitive {}
impl<T> Display for NonZero<T> where T: ZeroablePrimitive + Display {}
impl From<Alignment> for NonZero<usize> {}
impl From<NonZero<i16>> for NonZero<i128> {}
impl From<NonZero<i16>> for NonZero<i32> {}
impl From<NonZero<i16>> for NonZero<i64> {}
impl From<NonZero<i16>> for NonZero<isize> {}
impl From<NonZero<i8>> for NonZero<i16> {}
impl From<NonZero<u16>> for NonZero<u128> {}
impl From<NonZero<u16>> for NonZero<u32> {}
impl From<NonZero<u16>> for NonZero<u64> {}
impl From<NonZero<u8>> for NonZero<u16> {}
impl FromStr for NonZero<i128> { type Err = ParseIntError; }
impl FromStr for NonZero<i16> { type Err = ParseIntError; }
impl FromStr for NonZero<i32> { type Err = ParseIntError; }
impl FromStr for NonZero<i64> { type Err = ParseIntError; }
impl FromStr for NonZero<i8> { type Err = ParseIntError; }
impl FromStr for NonZero<isize> { type Err = ParseIntError; }
impl FromStr for NonZero<u128> { type Err = ParseIntError; }
impl FromStr for NonZero<u16> { type Err = ParseIntError; }
impl FromStr for NonZero<u32> { type Err = ParseIntError; }
impl FromStr for NonZero<u64> { type Err = ParseIntError; }
impl FromStr for NonZero<u8> { type Err = ParseIntError; }
impl FromStr for NonZero<usize> { type Err = ParseIntError; }
impl<T> Hash for NonZero<T> where T: ZeroablePrimitive + Hash {}
impl<T> LowerExp for NonZero<T> where T: ZeroablePrimitive + LowerExp {}
impl<T> LowerHex for NonZero<T> where T: ZeroablePrimitive + LowerHex {}
impl Neg for NonZero<i128> { type Output = NonZero<i128>; }
impl Neg for NonZero<i16> { type Output = NonZero<i16>; }
impl Neg for NonZero<i32> { type Output = NonZero<i32>; }
impl Neg for NonZero<i64> { type Output = NonZero<i64>; }
impl Neg for NonZero<i8> { type Output = NonZero<i8>; }
impl Neg for NonZero<isize> { type Output = NonZero<isize>; }
impl<T> Octal for NonZero<T> where T: ZeroablePrimitive + Octal {}
impl<T> Ord for NonZero<T> where T: ZeroablePrimitive + Ord {}
impl<T> PartialEq for NonZero<T> where T: ZeroablePrimitive + PartialEq {}
impl<T> PartialOrd for NonZero<T> where T: ZeroablePrimitive + PartialOrd {}
impl TryFrom<NonZero<i128>> for NonZero<i16> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<i32> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<i64> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<i8> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<isize> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<u128> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<u16> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<u32> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<u64> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<u8> { type Error = TryFromIntError; }
impl TryFrom<NonZero<i128>> for NonZero<usize> { type Error = TryFromIntError; }
impl TryFrom<NonZero<isize>> for NonZero<i128> { type Error = TryFromIntError; }
impl<T> UpperExp for NonZero<T> where T: ZeroablePrimitive + UpperExp {}
impl<T> UpperHex for NonZero<T> where T: ZeroablePrimitive + UpperHex {}
impl<T> Copy for NonZero<T> where T: ZeroablePrimitive {}
impl<T> Eq for NonZero<T> where T: ZeroablePrimitive + Eq {}
impl Display for ParseFloatError {}
impl error::Error for ParseFloatError {}
impl ParseIntError {
    pub fn kind(&self) -> &IntErrorKind;
}
impl Display for ParseIntError {}
impl error::Error for ParseIntError {}
impl Saturating<usize> {
    pub const MIN: Saturating<usize>;
    pub const MAX: Saturating<usize>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<usize>;
    pub fn rotate_right(self, n: u32) -> Saturating<usize>;
    pub fn swap_bytes(self) -> Saturating<usize>;
    pub fn reverse_bits(self) -> Saturating<usize>;
    pub fn from_be(x: Saturating<usize>) -> Saturating<usize>;
    pub fn from_le(x: Saturating<usize>) -> Saturating<usize>;
    pub fn to_be(self) -> Saturating<usize>;
    pub fn to_le(self) -> Saturating<usize>;
    pub fn pow(self, exp: u32) -> Saturating<usize>;
}
impl Saturating<u8> {
    pub const MIN: Saturating<u8>;
    pub const MAX: Saturating<u8>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<u8>;
    pub fn rotate_right(self, n: u32) -> Saturating<u8>;
    pub fn swap_bytes(self) -> Saturating<u8>;
    pub fn reverse_bits(self) -> Saturating<u8>;
    pub fn from_be(x: Saturating<u8>) -> Saturating<u8>;
    pub fn from_le(x: Saturating<u8>) -> Saturating<u8>;
    pub fn to_be(self) -> Saturating<u8>;
    pub fn to_le(self) -> Saturating<u8>;
    pub fn pow(self, exp: u32) -> Saturating<u8>;
}
impl Saturating<u16> {
    pub const MIN: Saturating<u16>;
    pub const MAX: Saturating<u16>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<u16>;
    pub fn rotate_right(self, n: u32) -> Saturating<u16>;
    pub fn swap_bytes(self) -> Saturating<u16>;
    pub fn reverse_bits(self) -> Saturating<u16>;
    pub fn from_be(x: Saturating<u16>) -> Saturating<u16>;
    pub fn from_le(x: Saturating<u16>) -> Saturating<u16>;
    pub fn to_be(self) -> Saturating<u16>;
    pub fn to_le(self) -> Saturating<u16>;
    pub fn pow(self, exp: u32) -> Saturating<u16>;
}
impl Saturating<u32> {
    pub const MIN: Saturating<u32>;
    pub const MAX: Saturating<u32>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<u32>;
    pub fn rotate_right(self, n: u32) -> Saturating<u32>;
    pub fn swap_bytes(self) -> Saturating<u32>;
    pub fn reverse_bits(self) -> Saturating<u32>;
    pub fn from_be(x: Saturating<u32>) -> Saturating<u32>;
    pub fn from_le(x: Saturating<u32>) -> Saturating<u32>;
    pub fn to_be(self) -> Saturating<u32>;
    pub fn to_le(self) -> Saturating<u32>;
    pub fn pow(self, exp: u32) -> Saturating<u32>;
}
impl Saturating<u64> {
    pub const MIN: Saturating<u64>;
    pub const MAX: Saturating<u64>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<u64>;
    pub fn rotate_right(self, n: u32) -> Saturating<u64>;
    pub fn swap_bytes(self) -> Saturating<u64>;
    pub fn reverse_bits(self) -> Saturating<u64>;
    pub fn from_be(x: Saturating<u64>) -> Saturating<u64>;
    pub fn from_le(x: Saturating<u64>) -> Saturating<u64>;
    pub fn to_be(self) -> Saturating<u64>;
    pub fn to_le(self) -> Saturating<u64>;
    pub fn pow(self, exp: u32) -> Saturating<u64>;
}
impl Saturating<u128> {
    pub const MIN: Saturating<u128>;
    pub const MAX: Saturating<u128>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<u128>;
    pub fn rotate_right(self, n: u32) -> Saturating<u128>;
    pub fn swap_bytes(self) -> Saturating<u128>;
    pub fn reverse_bits(self) -> Saturating<u128>;
    pub fn from_be(x: Saturating<u128>) -> Saturating<u128>;
    pub fn from_le(x: Saturating<u128>) -> Saturating<u128>;
    pub fn to_be(self) -> Saturating<u128>;
    pub fn to_le(self) -> Saturating<u128>;
    pub fn pow(self, exp: u32) -> Saturating<u128>;
}
impl Saturating<isize> {
    pub const MIN: Saturating<isize>;
    pub const MAX: Saturating<isize>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<isize>;
    pub fn rotate_right(self, n: u32) -> Saturating<isize>;
    pub fn swap_bytes(self) -> Saturating<isize>;
    pub fn reverse_bits(self) -> Saturating<isize>;
    pub fn from_be(x: Saturating<isize>) -> Saturating<isize>;
    pub fn from_le(x: Saturating<isize>) -> Saturating<isize>;
    pub fn to_be(self) -> Saturating<isize>;
    pub fn to_le(self) -> Saturating<isize>;
    pub fn pow(self, exp: u32) -> Saturating<isize>;
}
impl Saturating<i8> {
    pub const MIN: Saturating<i8>;
    pub const MAX: Saturating<i8>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<i8>;
    pub fn rotate_right(self, n: u32) -> Saturating<i8>;
    pub fn swap_bytes(self) -> Saturating<i8>;
    pub fn reverse_bits(self) -> Saturating<i8>;
    pub fn from_be(x: Saturating<i8>) -> Saturating<i8>;
    pub fn from_le(x: Saturating<i8>) -> Saturating<i8>;
    pub fn to_be(self) -> Saturating<i8>;
    pub fn to_le(self) -> Saturating<i8>;
    pub fn pow(self, exp: u32) -> Saturating<i8>;
}
impl Saturating<i16> {
    pub const MIN: Saturating<i16>;
    pub const MAX: Saturating<i16>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<i16>;
    pub fn rotate_right(self, n: u32) -> Saturating<i16>;
    pub fn swap_bytes(self) -> Saturating<i16>;
    pub fn reverse_bits(self) -> Saturating<i16>;
    pub fn from_be(x: Saturating<i16>) -> Saturating<i16>;
    pub fn from_le(x: Saturating<i16>) -> Saturating<i16>;
    pub fn to_be(self) -> Saturating<i16>;
    pub fn to_le(self) -> Saturating<i16>;
    pub fn pow(self, exp: u32) -> Saturating<i16>;
}
impl Saturating<i32> {
    pub const MIN: Saturating<i32>;
    pub const MAX: Saturating<i32>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<i32>;
    pub fn rotate_right(self, n: u32) -> Saturating<i32>;
    pub fn swap_bytes(self) -> Saturating<i32>;
    pub fn reverse_bits(self) -> Saturating<i32>;
    pub fn from_be(x: Saturating<i32>) -> Saturating<i32>;
    pub fn from_le(x: Saturating<i32>) -> Saturating<i32>;
    pub fn to_be(self) -> Saturating<i32>;
    pub fn to_le(self) -> Saturating<i32>;
    pub fn pow(self, exp: u32) -> Saturating<i32>;
}
impl Saturating<i64> {
    pub const MIN: Saturating<i64>;
    pub const MAX: Saturating<i64>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<i64>;
    pub fn rotate_right(self, n: u32) -> Saturating<i64>;
    pub fn swap_bytes(self) -> Saturating<i64>;
    pub fn reverse_bits(self) -> Saturating<i64>;
    pub fn from_be(x: Saturating<i64>) -> Saturating<i64>;
    pub fn from_le(x: Saturating<i64>) -> Saturating<i64>;
    pub fn to_be(self) -> Saturating<i64>;
    pub fn to_le(self) -> Saturating<i64>;
    pub fn pow(self, exp: u32) -> Saturating<i64>;
}
impl Saturating<i128> {
    pub const MIN: Saturating<i128>;
    pub const MAX: Saturating<i128>;
    pub const BITS: u32;
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    pub fn trailing_zeros(self) -> u32;
    pub fn rotate_left(self, n: u32) -> Saturating<i128>;
    pub fn rotate_right(self, n: u32) -> Saturating<i128>;
    pub fn swap_bytes(self) -> Saturating<i128>;
    pub fn reverse_bits(self) -> Saturating<i128>;
    pub fn from_be(x: Saturating<i128>) -> Saturating<i128>;
    pub fn from_le(x: Saturating<i128>) -> Saturating<i128>;
    pub fn to_be(self) -> Saturating<i128>;
    pub fn to_le(self) -> Saturating<i128>;
    pub fn pow(self, exp: u32) -> Saturating<i128>;
}
impl Saturating<isize> {
    pub fn leading_zeros(self) -> u32;
    pub fn abs(self) -> Saturating<isize>;
    pub fn signum(self) -> Saturating<isize>;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
}
impl Saturating<i8> {
    pub fn leading_zeros(self) -> u32;
    pub fn abs(self) -> Saturating<i8>;
    pub fn signum(self) -> Saturating<i8>;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
}
impl Saturating<i16> {
    pub fn leading_zeros(self) -> u32;
    pub fn abs(self) -> Saturating<i16>;
    pub fn signum(self) -> Saturating<i16>;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
}
impl Saturating<i32> {
    pub fn leading_zeros(self) -> u32;
    pub fn abs(self) -> Saturating<i32>;
    pub fn signum(self) -> Saturating<i32>;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
}
impl Saturating<i64> {
    pub fn leading_zeros(self) -> u32;
    pub fn abs(self) -> Saturating<i64>;
    pub fn signum(self) -> Saturating<i64>;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
}
impl Saturating<i128> {
    pub fn leading_zeros(self) -> u32;
    pub fn abs(self) -> Saturating<i128>;
    pub fn signum(self) -> Saturating<i128>;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
}
impl Saturating<usize> {
    pub fn leading_zeros(self) -> u32;
    pub fn is_power_of_two(self) -> bool;
}
impl Saturating<u8> {
    pub fn leading_zeros(self) -> u32;
    pub fn is_power_of_two(self) -> bool;
}
impl Saturating<u16> {
    pub fn leading_zeros(self) -> u32;
    pub fn is_power_of_two(self) -> bool;
}
impl Saturating<u32> {
    pub fn leading_zeros(self) -> u32;
    pub fn is_power_of_two(self) -> bool;
}
impl Saturating<u64> {
    pub fn leading_zeros(self) -> u32;
    pub fn is_power_of_two(self) -> bool;
}
impl Saturating<u128> {
    pub fn leading_zeros(self) -> u32;
    pub fn is_power_of_two(self) -> bool;
}
impl Add for Saturating<i128> { type Output = Saturating<i128>; }
impl Add for Saturating<i16> { type Output = Saturating<i16>; }
impl Add for Saturating<i32> { type Output = Saturating<i32>; }
impl Add for Saturating<i64> { type Output = Saturating<i64>; }
impl Add for Saturating<i8> { type Output = Saturating<i8>; }
impl Add for Saturating<isize> { type Output = Saturating<isize>; }
impl Add for Saturating<u128> { type Output = Saturating<u128>; }
impl Add for Saturating<u16> { type Output = Saturating<u16>; }
impl Add for Saturating<u32> { type Output = Saturating<u32>; }
impl Add for Saturating<u64> { type Output = Saturating<u64>; }
impl Add for Saturating<u8> { type Output = Saturating<u8>; }
impl Add for Saturating<usize> { type Output = Saturating<usize>; }
impl<T> Binary for Saturating<T> where T: Binary {}
impl BitAnd for Saturating<i128> { type Output = Saturating<i128>; }
impl BitAnd for Saturating<i16> { type Output = Saturating<i16>; }
impl BitAnd for Saturating<i32> { type Output = Saturating<i32>; }
impl BitAnd for Saturating<i64> { type Output = Saturating<i64>; }
impl BitAnd for Saturating<i8> { type Output = Saturating<i8>; }
impl BitAnd for Saturating<isize> { type Output = Saturating<isize>; }
impl BitAnd for Saturating<u128> { type Output = Saturating<u128>; }
impl BitAnd for Saturating<u16> { type Output = Saturating<u16>; }
impl BitAnd for Saturating<u32> { type Output = Saturating<u32>; }
impl BitAnd for Saturating<u64> { type Output = Saturating<u64>; }
impl BitAnd for Saturating<u8> { type Output = Saturating<u8>; }
impl BitAnd for Saturating<usize> { type Output = Saturating<usize>; }
impl BitOr for Saturating<i128> { type Output = Saturating<i128>; }
impl BitOr for Saturating<i16> { type Output = Saturating<i16>; }
impl BitOr for Saturating<i32> { type Output = Saturating<i32>; }
impl BitOr for Saturating<i64> { type Output = Saturating<i64>; }
impl BitOr for Saturating<i8> { type Output = Saturating<i8>; }
impl BitOr for Saturating<isize> { type Output = Saturating<isize>; }
impl BitOr for Saturating<u128> { type Output = Saturating<u128>; }
impl BitOr for Saturating<u16> { type Output = Saturating<u16>; }
impl BitOr for Saturating<u32> { type Output = Saturating<u32>; }
impl BitOr for Saturating<u64> { type Output = Saturating<u64>; }
impl BitOr for Saturating<u8> { type Output = Saturating<u8>; }
impl BitOr for Saturating<usize> { type Output = Saturating<usize>; }
impl BitXor for Saturating<i128> { type Output = Saturating<i128>; }
impl BitXor for Saturating<i16> { type Output = Saturating<i16>; }
impl BitXor for Saturating<i32> { type Output = Saturating<i32>; }
impl BitXor for Saturating<i64> { type Output = Saturating<i64>; }
impl BitXor for Saturating<i8> { type Output = Saturating<i8>; }
impl BitXor for Saturating<isize> { type Output = Saturating<isize>; }
impl BitXor for Saturating<u128> { type Output = Saturating<u128>; }
impl BitXor for Saturating<u16> { type Output = Saturating<u16>; }
impl BitXor for Saturating<u32> { type Output = Saturating<u32>; }
impl BitXor for Saturating<u64> { type Output = Saturating<u64>; }
impl BitXor for Saturating<u8> { type Output = Saturating<u8>; }
impl BitXor for Saturating<usize> { type Output = Saturating<usize>; }
impl<T> Clone for Saturating<T> where T: Clone {}
impl<T> Default for Saturating<T> where T: Default {}
impl<T> Display for Saturating<T> where T: Display {}
impl Div for Saturating<i128> { type Output = Saturating<i128>; }
impl Div for Saturating<i16> { type Output = Saturating<i16>; }
impl Div for Saturating<i32> { type Output = Saturating<i32>; }
impl Div for Saturating<i64> { type Output = Saturating<i64>; }
impl Div for Saturating<i8> { type Output = Saturating<i8>; }
impl Div for Saturating<isize> { type Output = Saturating<isize>; }
impl Div for Saturating<u128> { type Output = Saturating<u128>; }
impl Div for Saturating<u16> { type Output = Saturating<u16>; }
impl Div for Saturating<u32> { type Output = Saturating<u32>; }
impl Div for Saturating<u64> { type Output = Saturating<u64>; }
impl Div for Saturating<u8> { type Output = Saturating<u8>; }
impl Div for Saturating<usize> { type Output = Saturating<usize>; }
impl<T> Hash for Saturating<T> where T: Hash {}
impl<T> LowerHex for Saturating<T> where T: LowerHex {}
impl Mul for Saturating<i128> { type Output = Saturating<i128>; }
impl Mul for Saturating<i16> { type Output = Saturating<i16>; }
impl Mul for Saturating<i32> { type Output = Saturating<i32>; }
impl Mul for Saturating<i64> { type Output = Saturating<i64>; }
impl Mul for Saturating<i8> { type Output = Saturating<i8>; }
impl Mul for Saturating<isize> { type Output = Saturating<isize>; }
impl Mul for Saturating<u128> { type Output = Saturating<u128>; }
impl Mul for Saturating<u16> { type Output = Saturating<u16>; }
impl Mul for Saturating<u32> { type Output = Saturating<u32>; }
impl Mul for Saturating<u64> { type Output = Saturating<u64>; }
impl Mul for Saturating<u8> { type Output = Saturating<u8>; }
impl Mul for Saturating<usize> { type Output = Saturating<usize>; }
impl Neg for Saturating<i128> { type Output = Saturating<i128>; }
impl Neg for Saturating<i16> { type Output = Saturating<i16>; }
impl Neg for Saturating<i32> { type Output = Saturating<i32>; }
impl Neg for Saturating<i64> { type Output = Saturating<i64>; }
impl Neg for Saturating<i8> { type Output = Saturating<i8>; }
impl Neg for Saturating<isize> { type Output = Saturating<isize>; }
impl Not for Saturating<i128> { type Output = Saturating<i128>; }
impl Not for Saturating<i16> { type Output = Saturating<i16>; }
impl Not for Saturating<i32> { type Output = Saturating<i32>; }
impl Not for Saturating<i64> { type Output = Saturating<i64>; }
impl Not for Saturating<i8> { type Output = Saturating<i8>; }
impl Not for Saturating<isize> { type Output = Saturating<isize>; }
impl Not for Saturating<u128> { type Output = Saturating<u128>; }
impl Not for Saturating<u16> { type Output = Saturating<u16>; }
impl Not for Saturating<u32> { type Output = Saturating<u32>; }
impl Not for Saturating<u64> { type Output = Saturating<u64>; }
impl Not for Saturating<u8> { type Output = Saturating<u8>; }
impl Not for Saturating<usize> { type Output = Saturating<usize>; }
impl<T> Octal for Saturating<T> where T: Octal {}
impl<T> Ord for Saturating<T> where T: Ord {}
impl<T> PartialEq for Saturating<T> where T: PartialEq {}
impl<T> PartialOrd for Saturating<T> where T: PartialOrd {}
impl Product for Saturating<u128> {}
impl Product for Saturating<u16> {}
impl Product for Saturating<u32> {}
impl Product for Saturating<u64> {}
impl Product for Saturating<u8> {}
impl Product for Saturating<usize> {}
impl Rem for Saturating<i128> { type Output = Saturating<i128>; }
impl Rem for Saturating<i16> { type Output = Saturating<i16>; }
impl Rem for Saturating<i32> { type Output = Saturating<i32>; }
impl Rem for Saturating<i64> { type Output = Saturating<i64>; }
impl Rem for Saturating<i8> { type Output = Saturating<i8>; }
impl Rem for Saturating<isize> { type Output = Saturating<isize>; }
impl Rem for Saturating<u128> { type Output = Saturating<u128>; }
impl Rem for Saturating<u16> { type Output = Saturating<u16>; }
impl Rem for Saturating<u32> { type Output = Saturating<u32>; }
impl Rem for Saturating<u64> { type Output = Saturating<u64>; }
impl Rem for Saturating<u8> { type Output = Saturating<u8>; }
impl Rem for Saturating<usize> { type Output = Saturating<usize>; }
impl Sub for Saturating<i128> { type Output = Saturating<i128>; }
impl Sub for Saturating<i16> { type Output = Saturating<i16>; }
impl Sub for Saturating<i32> { type Output = Saturating<i32>; }
impl Sub for Saturating<i64> { type Output = Saturating<i64>; }
impl Sub for Saturating<i8> { type Output = Saturating<i8>; }
impl Sub for Saturating<isize> { type Output = Saturating<isize>; }
impl Sub for Saturating<u128> { type Output = Saturating<u128>; }
impl Sub for Saturating<u16> { type Output = Saturating<u16>; }
impl Sub for Saturating<u32> { type Output = Saturating<u32>; }
impl Sub for Saturating<u64> { type Output = Saturating<u64>; }
impl Sub for Saturating<u8> { type Output = Saturating<u8>; }
impl Sub for Saturating<usize> { type Output = Saturating<usize>; }
impl Sum for Saturating<u128> {}
impl Sum for Saturating<u16> {}
impl Sum for Saturating<u32> {}
impl Sum for Saturating<u64> {}
impl Sum for Saturating<u8> {}
impl Sum for Saturating<usize> {}
impl<T> UpperHex for Saturating<T> where T: UpperHex {}
impl<T> Copy for Saturating<T> where T: Copy {}
impl<T> Eq for Saturating<T> where T: Eq {}
impl Display for TryFromIntError {}
impl error::Error for TryFromIntError {}
impl From<!> for TryFromIntError {}
impl Wrapping<usize> {
    pub fn reverse_bits(self) -> Wrapping<usize>;
}
impl Wrapping<u8> {
    pub fn reverse_bits(self) -> Wrapping<u8>;
}
impl Wrapping<u16> {
    pub fn reverse_bits(self) -> Wrapping<u16>;
}
impl Wrapping<u32> {
    pub fn reverse_bits(self) -> Wrapping<u32>;
}
impl Wrapping<u64> {
    pub fn reverse_bits(self) -> Wrapping<u64>;
}
impl Wrapping<u128> {
    pub fn reverse_bits(self) -> Wrapping<u128>;
}
impl Wrapping<isize> {
    pub fn reverse_bits(self) -> Wrapping<isize>;
}
impl Wrapping<i8> {
    pub fn reverse_bits(self) -> Wrapping<i8>;
}
impl Wrapping<i16> {
    pub fn reverse_bits(self) -> Wrapping<i16>;
}
impl Wrapping<i32> {
    pub fn reverse_bits(self) -> Wrapping<i32>;
}
impl Wrapping<i64> {
    pub fn reverse_bits(self) -> Wrapping<i64>;
}
impl Wrapping<i128> {
    pub fn reverse_bits(self) -> Wrapping<i128>;
}
impl Add for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Add for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Add for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Add for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Add for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Add for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Add for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Add for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Add for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Add for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Add for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Add for Wrapping<usize> { type Output = Wrapping<usize>; }
impl<T> Binary for Wrapping<T> where T: Binary {}
impl BitAnd for Wrapping<i128> { type Output = Wrapping<i128>; }
impl BitAnd for Wrapping<i16> { type Output = Wrapping<i16>; }
impl BitAnd for Wrapping<i32> { type Output = Wrapping<i32>; }
impl BitAnd for Wrapping<i64> { type Output = Wrapping<i64>; }
impl BitAnd for Wrapping<i8> { type Output = Wrapping<i8>; }
impl BitAnd for Wrapping<isize> { type Output = Wrapping<isize>; }
impl BitAnd for Wrapping<u128> { type Output = Wrapping<u128>; }
impl BitAnd for Wrapping<u16> { type Output = Wrapping<u16>; }
impl BitAnd for Wrapping<u32> { type Output = Wrapping<u32>; }
impl BitAnd for Wrapping<u64> { type Output = Wrapping<u64>; }
impl BitAnd for Wrapping<u8> { type Output = Wrapping<u8>; }
impl BitAnd for Wrapping<usize> { type Output = Wrapping<usize>; }
impl BitOr for Wrapping<i128> { type Output = Wrapping<i128>; }
impl BitOr for Wrapping<i16> { type Output = Wrapping<i16>; }
impl BitOr for Wrapping<i32> { type Output = Wrapping<i32>; }
impl BitOr for Wrapping<i64> { type Output = Wrapping<i64>; }
impl BitOr for Wrapping<i8> { type Output = Wrapping<i8>; }
impl BitOr for Wrapping<isize> { type Output = Wrapping<isize>; }
impl BitOr for Wrapping<u128> { type Output = Wrapping<u128>; }
impl BitOr for Wrapping<u16> { type Output = Wrapping<u16>; }
impl BitOr for Wrapping<u32> { type Output = Wrapping<u32>; }
impl BitOr for Wrapping<u64> { type Output = Wrapping<u64>; }
impl BitOr for Wrapping<u8> { type Output = Wrapping<u8>; }
impl BitOr for Wrapping<usize> { type Output = Wrapping<usize>; }
impl BitXor for Wrapping<i128> { type Output = Wrapping<i128>; }
impl BitXor for Wrapping<i16> { type Output = Wrapping<i16>; }
impl BitXor for Wrapping<i32> { type Output = Wrapping<i32>; }
impl BitXor for Wrapping<i64> { type Output = Wrapping<i64>; }
impl BitXor for Wrapping<i8> { type Output = Wrapping<i8>; }
impl BitXor for Wrapping<isize> { type Output = Wrapping<isize>; }
impl BitXor for Wrapping<u128> { type Output = Wrapping<u128>; }
impl BitXor for Wrapping<u16> { type Output = Wrapping<u16>; }
impl BitXor for Wrapping<u32> { type Output = Wrapping<u32>; }
impl BitXor for Wrapping<u64> { type Output = Wrapping<u64>; }
impl BitXor for Wrapping<u8> { type Output = Wrapping<u8>; }
impl BitXor for Wrapping<usize> { type Output = Wrapping<usize>; }
impl<T> Clone for Wrapping<T> where T: Clone {}
impl<T> Default for Wrapping<T> where T: Default {}
impl<T> Display for Wrapping<T> where T: Display {}
impl Div for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Div for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Div for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Div for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Div for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Div for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Div for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Div for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Div for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Div for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Div for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Div for Wrapping<usize> { type Output = Wrapping<usize>; }
impl<T> Hash for Wrapping<T> where T: Hash {}
impl<T> LowerHex for Wrapping<T> where T: LowerHex {}
impl Mul for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Mul for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Mul for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Mul for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Mul for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Mul for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Mul for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Mul for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Mul for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Mul for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Mul for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Mul for Wrapping<usize> { type Output = Wrapping<usize>; }
impl Neg for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Neg for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Neg for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Neg for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Neg for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Neg for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Neg for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Neg for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Neg for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Neg for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Neg for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Neg for Wrapping<usize> { type Output = Wrapping<usize>; }
impl Not for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Not for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Not for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Not for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Not for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Not for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Not for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Not for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Not for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Not for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Not for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Not for Wrapping<usize> { type Output = Wrapping<usize>; }
impl<T> Octal for Wrapping<T> where T: Octal {}
impl<T> Ord for Wrapping<T> where T: Ord {}
impl<T> PartialEq for Wrapping<T> where T: PartialEq {}
impl<T> PartialOrd for Wrapping<T> where T: PartialOrd {}
impl Product for Wrapping<i128> {}
impl Product for Wrapping<i16> {}
impl Product for Wrapping<i32> {}
impl Product for Wrapping<i64> {}
impl Product for Wrapping<i8> {}
impl Product for Wrapping<isize> {}
impl Product for Wrapping<u128> {}
impl Product for Wrapping<u16> {}
impl Product for Wrapping<u32> {}
impl Product for Wrapping<u64> {}
impl Product for Wrapping<u8> {}
impl Product for Wrapping<usize> {}
impl Rem for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Rem for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Rem for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Rem for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Rem for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Rem for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Rem for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Rem for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Rem for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Rem for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Rem for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Rem for Wrapping<usize> { type Output = Wrapping<usize>; }
impl Shl<usize> for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Shl<usize> for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Shl<usize> for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Shl<usize> for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Shl<usize> for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Shl<usize> for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Shl<usize> for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Shl<usize> for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Shl<usize> for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Shl<usize> for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Shl<usize> for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Shl<usize> for Wrapping<usize> { type Output = Wrapping<usize>; }
impl Shr<usize> for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Shr<usize> for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Shr<usize> for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Shr<usize> for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Shr<usize> for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Shr<usize> for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Shr<usize> for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Shr<usize> for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Shr<usize> for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Shr<usize> for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Shr<usize> for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Shr<usize> for Wrapping<usize> { type Output = Wrapping<usize>; }
impl Sub for Wrapping<i128> { type Output = Wrapping<i128>; }
impl Sub for Wrapping<i16> { type Output = Wrapping<i16>; }
impl Sub for Wrapping<i32> { type Output = Wrapping<i32>; }
impl Sub for Wrapping<i64> { type Output = Wrapping<i64>; }
impl Sub for Wrapping<i8> { type Output = Wrapping<i8>; }
impl Sub for Wrapping<isize> { type Output = Wrapping<isize>; }
impl Sub for Wrapping<u128> { type Output = Wrapping<u128>; }
impl Sub for Wrapping<u16> { type Output = Wrapping<u16>; }
impl Sub for Wrapping<u32> { type Output = Wrapping<u32>; }
impl Sub for Wrapping<u64> { type Output = Wrapping<u64>; }
impl Sub for Wrapping<u8> { type Output = Wrapping<u8>; }
impl Sub for Wrapping<usize> { type Output = Wrapping<usize>; }
impl Sum for Wrapping<i128> {}
impl Sum for Wrapping<i16> {}
impl Sum for Wrapping<i32> {}
impl Sum for Wrapping<i64> {}
impl Sum for Wrapping<i8> {}
impl Sum for Wrapping<isize> {}
impl Sum for Wrapping<u128> {}
impl Sum for Wrapping<u16> {}
impl Sum for Wrapping<u32> {}
impl Sum for Wrapping<u64> {}
impl Sum for Wrapping<u8> {}
impl Sum for Wrapping<usize> {}
impl<T> UpperHex for Wrapping<T> where T: UpperHex {}
impl<T> Copy for Wrapping<T> where T: Copy {}
impl<T> Eq for Wrapping<T> where T: Eq {}
impl INT {
    /// The smallest value.
    pub const MIN: INT;
    /// The largest value.
    pub const MAX: INT;
    /// Number of bits.
    pub const BITS: u32;
    /// Number of ones in binary.
    pub fn count_ones(self) -> u32;
    pub fn count_zeros(self) -> u32;
    /// Zeros before the first one in binary.
    pub fn leading_zeros(self) -> u32;
    /// Zeros after the last one in binary.
    pub fn trailing_zeros(self) -> u32;
    pub fn leading_ones(self) -> u32;
    pub fn trailing_ones(self) -> u32;
    pub fn rotate_left(self, n: u32) -> INT;
    pub fn rotate_right(self, n: u32) -> INT;
    pub fn swap_bytes(self) -> INT;
    pub fn reverse_bits(self) -> INT;
    pub fn from_be(x: INT) -> INT;
    pub fn from_le(x: INT) -> INT;
    pub fn to_be(self) -> INT;
    pub fn to_le(self) -> INT;
    /// Sum, or none when it does not fit.
    pub fn checked_add(self, rhs: INT) -> Option<INT>;
    pub fn strict_add(self, rhs: INT) -> INT;
    pub unsafe fn unchecked_add(self, rhs: INT) -> INT;
    /// Difference, or none when it does not fit.
    pub fn checked_sub(self, rhs: INT) -> Option<INT>;
    pub fn strict_sub(self, rhs: INT) -> INT;
    pub unsafe fn unchecked_sub(self, rhs: INT) -> INT;
    /// Product, or none when it does not fit.
    pub fn checked_mul(self, rhs: INT) -> Option<INT>;
    pub fn strict_mul(self, rhs: INT) -> INT;
    pub unsafe fn unchecked_mul(self, rhs: INT) -> INT;
    pub fn checked_div(self, rhs: INT) -> Option<INT>;
    pub fn strict_div(self, rhs: INT) -> INT;
    pub fn checked_div_euclid(self, rhs: INT) -> Option<INT>;
    pub fn strict_div_euclid(self, rhs: INT) -> INT;
    pub fn checked_rem(self, rhs: INT) -> Option<INT>;
    pub fn strict_rem(self, rhs: INT) -> INT;
    pub fn checked_rem_euclid(self, rhs: INT) -> Option<INT>;
    pub fn strict_rem_euclid(self, rhs: INT) -> INT;
    pub fn checked_neg(self) -> Option<INT>;
    pub fn strict_neg(self) -> INT;
    pub fn checked_shl(self, rhs: u32) -> Option<INT>;
    pub fn strict_shl(self, rhs: u32) -> INT;
    pub unsafe fn unchecked_shl(self, rhs: u32) -> INT;
    pub fn unbounded_shl(self, rhs: u32) -> INT;
    pub fn checked_shr(self, rhs: u32) -> Option<INT>;
    pub fn strict_shr(self, rhs: u32) -> INT;
    pub unsafe fn unchecked_shr(self, rhs: u32) -> INT;
    pub fn unbounded_shr(self, rhs: u32) -> INT;
    pub fn checked_pow(self, exp: u32) -> Option<INT>;
    pub fn strict_pow(self, exp: u32) -> INT;
    /// Sum, cut at the limits of the type.
    pub fn saturating_add(self, rhs: INT) -> INT;
    /// Difference, cut at the limits of the type.
    pub fn saturating_sub(self, rhs: INT) -> INT;
    /// Product, cut at the limits of the type.
    pub fn saturating_mul(self, rhs: INT) -> INT;
    pub fn saturating_div(self, rhs: INT) -> INT;
    pub fn saturating_pow(self, exp: u32) -> INT;
    /// Sum modulo the size of the type.
    pub fn wrapping_add(self, rhs: INT) -> INT;
    pub fn wrapping_sub(self, rhs: INT) -> INT;
    /// Product modulo the size of the type.
    pub fn wrapping_mul(self, rhs: INT) -> INT;
    pub fn wrapping_div(self, rhs: INT) -> INT;
    pub fn wrapping_div_euclid(self, rhs: INT) -> INT;
    pub fn wrapping_rem(self, rhs: INT) -> INT;
    pub fn wrapping_rem_euclid(self, rhs: INT) -> INT;
    pub fn wrapping_neg(self) -> INT;
    pub fn wrapping_shl(self, rhs: u32) -> INT;
    pub fn wrapping_shr(self, rhs: u32) -> INT;
    pub fn wrapping_pow(self, exp: u32) -> INT;
    pub fn overflowing_add(self, rhs: INT) -> (INT, bool);
    pub fn overflowing_sub(self, rhs: INT) -> (INT, bool);
    pub fn overflowing_mul(self, rhs: INT) -> (INT, bool);
    pub fn overflowing_div(self, rhs: INT) -> (INT, bool);
    pub fn overflowing_div_euclid(self, rhs: INT) -> (INT, bool);
    pub fn overflowing_rem(self, rhs: INT) -> (INT, bool);
    pub fn overflowing_rem_euclid(self, rhs: INT) -> (INT, bool);
    pub fn overflowing_neg(self) -> (INT, bool);
    pub fn overflowing_shl(self, rhs: u32) -> (INT, bool);
    pub fn overflowing_shr(self, rhs: u32) -> (INT, bool);
    pub fn overflowing_pow(self, exp: u32) -> (INT, bool);
    /// The value to a power.
    pub fn pow(self, exp: u32) -> INT;
    pub fn isqrt(self) -> INT;
    pub fn div_euclid(self, rhs: INT) -> INT;
    /// Remainder that is never negative.
    pub fn rem_euclid(self, rhs: INT) -> INT;
    pub fn ilog(self, base: INT) -> u32;
    /// Whole logarithm to base 2.
    pub fn ilog2(self) -> u32;
    /// Whole logarithm to base 10.
    pub fn ilog10(self) -> u32;
    pub fn checked_ilog(self, base: INT) -> Option<u32>;
    pub fn checked_ilog2(self) -> Option<u32>;
    pub fn checked_ilog10(self) -> Option<u32>;
    pub fn to_be_bytes(self) -> [u8; BYTES];
    pub fn to_le_bytes(self) -> [u8; BYTES];
    pub fn to_ne_bytes(self) -> [u8; BYTES];
    pub fn from_be_bytes(bytes: [u8; BYTES]) -> INT;
    pub fn from_le_bytes(bytes: [u8; BYTES]) -> INT;
    pub fn from_ne_bytes(bytes: [u8; BYTES]) -> INT;
    pub fn midpoint(self, rhs: INT) -> INT;
    pub fn from_str_radix(src: &str, radix: u32) -> Result<INT, ParseIntError>;
}
impl Add for INT { type Output = INT; }
impl Binary for INT {}
impl BitAnd for INT { type Output = INT; }
impl BitOr for INT { type Output = INT; }
impl BitXor for INT { type Output = INT; }
impl Clone for INT {}
impl Debug for INT {}
impl Default for INT {}
impl Display for INT {}
impl FromStr for INT { type Err = ParseIntError; }
impl Hash for INT {}
impl LowerExp for INT {}
impl LowerHex for INT {}
impl Not for INT { type Output = INT; }
impl Octal for INT {}
impl Ord for INT {}
impl PartialEq for INT {}
impl PartialOrd for INT {}
impl Product for INT {}
impl Sub for INT { type Output = INT; }
impl Sum for INT {}
impl UpperExp for INT {}
impl UpperHex for INT {}
impl Copy for INT {}
impl Eq for INT {}
impl Signed {
    pub fn cast_unsigned(self) -> Unsigned;
    pub fn checked_add_unsigned(self, rhs: Unsigned) -> Option<Signed>;
    pub fn strict_add_unsigned(self, rhs: Unsigned) -> Signed;
    pub fn checked_sub_unsigned(self, rhs: Unsigned) -> Option<Signed>;
    pub fn strict_sub_unsigned(self, rhs: Unsigned) -> Signed;
    pub unsafe fn unchecked_neg(self) -> Signed;
    pub fn checked_abs(self) -> Option<Signed>;
    pub fn strict_abs(self) -> Signed;
    pub fn checked_isqrt(self) -> Option<Signed>;
    pub fn saturating_add_unsigned(self, rhs: Unsigned) -> Signed;
    pub fn saturating_sub_unsigned(self, rhs: Unsigned) -> Signed;
    pub fn saturating_neg(self) -> Signed;
    pub fn saturating_abs(self) -> Signed;
    pub fn wrapping_add_unsigned(self, rhs: Unsigned) -> Signed;
    pub fn wrapping_sub_unsigned(self, rhs: Unsigned) -> Signed;
    pub fn wrapping_abs(self) -> Signed;
    pub fn unsigned_abs(self) -> Unsigned;
    pub fn overflowing_add_unsigned(self, rhs: Unsigned) -> (Signed, bool);
    pub fn overflowing_sub_unsigned(self, rhs: Unsigned) -> (Signed, bool);
    pub fn overflowing_abs(self) -> (Signed, bool);
    pub fn abs(self) -> Signed;
    /// Absolute difference of two values.
    pub fn abs_diff(self, other: Signed) -> Unsigned;
    pub fn signum(self) -> Signed;
    pub fn is_positive(self) -> bool;
    pub fn is_negative(self) -> bool;
}
impl Div for Signed { type Output = Signed; }
impl From<bool> for Signed {}
impl Mul for Signed { type Output = Signed; }
impl Neg for Signed { type Output = Signed; }
impl Rem for Signed { type Output = Signed; }
impl Unsigned {
    pub fn cast_signed(self) -> Signed;
    pub fn checked_add_signed(self, rhs: Signed) -> Option<Unsigned>;
    pub fn strict_add_signed(self, rhs: Signed) -> Unsigned;
    pub fn checked_sub_signed(self, rhs: Signed) -> Option<Unsigned>;
    pub fn strict_sub_signed(self, rhs: Signed) -> Unsigned;
    pub fn checked_signed_diff(self, rhs: Unsigned) -> Option<Signed>;
    pub fn saturating_add_signed(self, rhs: Signed) -> Unsigned;
    pub fn saturating_sub_signed(self, rhs: Signed) -> Unsigned;
    pub fn wrapping_add_signed(self, rhs: Signed) -> Unsigned;
    pub fn wrapping_sub_signed(self, rhs: Signed) -> Unsigned;
    pub fn carrying_add(self, rhs: Unsigned, carry: bool) -> (Unsigned, bool);
    pub fn overflowing_add_signed(self, rhs: Signed) -> (Unsigned, bool);
    pub fn borrowing_sub(self, rhs: Unsigned, borrow: bool) -> (Unsigned, bool);
    pub fn overflowing_sub_signed(self, rhs: Signed) -> (Unsigned, bool);
    /// Absolute difference of two values.
    pub fn abs_diff(self, other: Unsigned) -> Unsigned;
    pub fn carrying_mul(self, rhs: Unsigned, carry: Unsigned) -> (Unsigned, Unsigned);
    pub fn carrying_mul_add(self, rhs: Unsigned, carry: Unsigned, add: Unsigned) -> (Unsigned, Unsigned);
    /// Quotient rounded up.
    pub fn div_ceil(self, rhs: Unsigned) -> Unsigned;
    pub fn next_multiple_of(self, rhs: Unsigned) -> Unsigned;
    pub fn checked_next_multiple_of(self, rhs: Unsigned) -> Option<Unsigned>;
    pub fn is_multiple_of(self, rhs: Unsigned) -> bool;
    /// Whether it is a power of two.
    pub fn is_power_of_two(self) -> bool;
    /// The next power of two.
    pub fn next_power_of_two(self) -> Unsigned;
    pub fn checked_next_power_of_two(self) -> Option<Unsigned>;
}
impl Div<NonZero<Unsigned>> for Unsigned { type Output = Unsigned; }
impl Rem<NonZero<Unsigned>> for Unsigned { type Output = Unsigned; }
impl Shl<i128> for Unsigned { type Output = Unsigned; }
impl Shr<i128> for Unsigned { type Output = Unsigned; }
impl FLOAT {
    /// Rounded down.
    pub fn floor(self) -> FLOAT;
    /// Rounded up.
    pub fn ceil(self) -> FLOAT;
    /// Rounded to the nearest whole number.
    pub fn round(self) -> FLOAT;
    pub fn round_ties_even(self) -> FLOAT;
    /// The whole part.
    pub fn trunc(self) -> FLOAT;
    /// The part after the point.
    pub fn fract(self) -> FLOAT;
    /// self * a + b with one rounding.
    pub fn mul_add(self, a: FLOAT, b: FLOAT) -> FLOAT;
    pub fn div_euclid(self, rhs: FLOAT) -> FLOAT;
    /// Remainder that is never negative.
    pub fn rem_euclid(self, rhs: FLOAT) -> FLOAT;
    /// To a whole power.
    pub fn powi(self, n: i32) -> FLOAT;
    /// To a power.
    pub fn powf(self, n: FLOAT) -> FLOAT;
    /// Square root.
    pub fn sqrt(self) -> FLOAT;
    /// e to the number.
    pub fn exp(self) -> FLOAT;
    /// 2 to the number.
    pub fn exp2(self) -> FLOAT;
    /// Natural logarithm.
    pub fn ln(self) -> FLOAT;
    /// Logarithm to a base.
    pub fn log(self, base: FLOAT) -> FLOAT;
    /// Logarithm to base 2.
    pub fn log2(self) -> FLOAT;
    /// Logarithm to base 10.
    pub fn log10(self) -> FLOAT;
    /// Cube root.
    pub fn cbrt(self) -> FLOAT;
    /// Length of the hypotenuse.
    pub fn hypot(self, other: FLOAT) -> FLOAT;
    /// Sine.
    pub fn sin(self) -> FLOAT;
    /// Cosine.
    pub fn cos(self) -> FLOAT;
    /// Tangent.
    pub fn tan(self) -> FLOAT;
    /// Inverse sine.
    pub fn asin(self) -> FLOAT;
    /// Inverse cosine.
    pub fn acos(self) -> FLOAT;
    /// Inverse tangent.
    pub fn atan(self) -> FLOAT;
    /// Angle of the point (other, self).
    pub fn atan2(self, other: FLOAT) -> FLOAT;
    /// Sine and cosine.
    pub fn sin_cos(self) -> (FLOAT, FLOAT);
    /// e to the number minus 1, exact near 0.
    pub fn exp_m1(self) -> FLOAT;
    /// Natural logarithm of 1 plus the number, exact near 0.
    pub fn ln_1p(self) -> FLOAT;
    /// Hyperbolic sine.
    pub fn sinh(self) -> FLOAT;
    /// Hyperbolic cosine.
    pub fn cosh(self) -> FLOAT;
    /// Hyperbolic tangent.
    pub fn tanh(self) -> FLOAT;
    pub fn asinh(self) -> FLOAT;
    pub fn acosh(self) -> FLOAT;
    pub fn atanh(self) -> FLOAT;
    pub const RADIX: u32;
    pub const MANTISSA_DIGITS: u32;
    pub const DIGITS: u32;
    /// Distance from 1 to the next number.
    pub const EPSILON: FLOAT;
    /// The smallest finite number.
    pub const MIN: FLOAT;
    /// The smallest positive normal number.
    pub const MIN_POSITIVE: FLOAT;
    /// The largest finite number.
    pub const MAX: FLOAT;
    pub const MIN_EXP: i32;
    pub const MAX_EXP: i32;
    pub const MIN_10_EXP: i32;
    pub const MAX_10_EXP: i32;
    /// Not a number.
    pub const NAN: FLOAT;
    /// Infinity.
    pub const INFINITY: FLOAT;
    /// Minus infinity.
    pub const NEG_INFINITY: FLOAT;
    /// Whether it is NaN.
    pub fn is_nan(self) -> bool;
    /// Whether it is infinite.
    pub fn is_infinite(self) -> bool;
    /// Whether it is neither infinite nor NaN.
    pub fn is_finite(self) -> bool;
    pub fn is_subnormal(self) -> bool;
    pub fn is_normal(self) -> bool;
    pub fn classify(self) -> FpCategory;
    pub fn is_sign_positive(self) -> bool;
    /// Whether its sign is negative.
    pub fn is_sign_negative(self) -> bool;
    pub fn next_up(self) -> FLOAT;
    pub fn next_down(self) -> FLOAT;
    /// 1 over the number.
    pub fn recip(self) -> FLOAT;
    /// Radians to degrees.
    pub fn to_degrees(self) -> FLOAT;
    /// Degrees to radians.
    pub fn to_radians(self) -> FLOAT;
    /// The larger of two numbers.
    pub fn max(self, other: FLOAT) -> FLOAT;
    /// The smaller of two numbers.
    pub fn min(self, other: FLOAT) -> FLOAT;
    pub fn midpoint(self, other: FLOAT) -> FLOAT;
    pub unsafe fn to_int_unchecked<Int>(self) -> Int where FLOAT: FloatToInt<Int>;
    pub fn to_be_bytes(self) -> [u8; BYTES];
    pub fn to_le_bytes(self) -> [u8; BYTES];
    pub fn to_ne_bytes(self) -> [u8; BYTES];
    pub fn from_be_bytes(bytes: [u8; BYTES]) -> FLOAT;
    pub fn from_le_bytes(bytes: [u8; BYTES]) -> FLOAT;
    pub fn from_ne_bytes(bytes: [u8; BYTES]) -> FLOAT;
    /// Order of two numbers that also places NaN.
    pub fn total_cmp(&self, other: &FLOAT) -> Ordering;
    /// The number, moved into an interval.
    pub fn clamp(self, min: FLOAT, max: FLOAT) -> FLOAT;
    /// Absolute value.
    pub fn abs(self) -> FLOAT;
    /// 1 or -1 with the number's sign.
    pub fn signum(self) -> FLOAT;
    pub fn copysign(self, sign: FLOAT) -> FLOAT;
}
impl Add for FLOAT { type Output = FLOAT; }
impl Clone for FLOAT {}
impl Debug for FLOAT {}
impl Default for FLOAT {}
impl Display for FLOAT {}
impl Div for FLOAT { type Output = FLOAT; }
impl From<bool> for FLOAT {}
impl FromStr for FLOAT { type Err = ParseFloatError; }
impl LowerExp for FLOAT {}
impl Mul for FLOAT { type Output = FLOAT; }
impl Neg for FLOAT { type Output = FLOAT; }
impl PartialEq for FLOAT {}
impl PartialOrd for FLOAT {}
impl Product for FLOAT {}
impl Rem for FLOAT { type Output = FLOAT; }
impl Sub for FLOAT { type Output = FLOAT; }
impl Sum for FLOAT {}
impl UpperExp for FLOAT {}
impl Copy for FLOAT {}
impl Shl<i128> for i8 { type Output = i8; }
impl Shr<i128> for i8 { type Output = i8; }
impl TryFrom<i128> for i8 { type Error = TryFromIntError; }
impl Shl<i128> for i16 { type Output = i16; }
impl Shr<i128> for i16 { type Output = i16; }
impl TryFrom<i128> for i16 { type Error = TryFromIntError; }
impl Shl<i128> for i32 { type Output = i32; }
impl Shr<i128> for i32 { type Output = i32; }
impl TryFrom<i128> for i32 { type Error = TryFromIntError; }
impl Shl<i128> for i64 { type Output = i64; }
impl Shr<i128> for i64 { type Output = i64; }
impl TryFrom<i128> for i64 { type Error = TryFromIntError; }
impl Shl<i16> for i128 { type Output = i128; }
impl Shr<i16> for i128 { type Output = i128; }
impl TryFrom<isize> for i128 { type Error = TryFromIntError; }
impl Shl<i128> for isize { type Output = isize; }
impl Shr<i128> for isize { type Output = isize; }
impl TryFrom<i128> for isize { type Error = TryFromIntError; }
impl u8 {
    pub fn is_ascii(&self) -> bool;
    pub fn to_ascii_uppercase(&self) -> u8;
    pub fn to_ascii_lowercase(&self) -> u8;
    pub fn eq_ignore_ascii_case(&self, other: &u8) -> bool;
    pub fn make_ascii_uppercase(&mut self);
    pub fn make_ascii_lowercase(&mut self);
    pub fn is_ascii_alphabetic(&self) -> bool;
    pub fn is_ascii_uppercase(&self) -> bool;
    pub fn is_ascii_lowercase(&self) -> bool;
    pub fn is_ascii_alphanumeric(&self) -> bool;
    pub fn is_ascii_digit(&self) -> bool;
    pub fn is_ascii_hexdigit(&self) -> bool;
    pub fn is_ascii_punctuation(&self) -> bool;
    pub fn is_ascii_graphic(&self) -> bool;
    pub fn is_ascii_whitespace(&self) -> bool;
    pub fn is_ascii_control(&self) -> bool;
    pub fn escape_ascii(self) -> EscapeDefault;
}
impl From<Char> for u8 {}
impl Mul for u8 { type Output = u8; }
impl TryFrom<char> for u8 { type Error = TryFromCharError; }
impl From<Char> for u16 {}
impl Mul for u16 { type Output = u16; }
impl TryFrom<char> for u16 { type Error = TryFromCharError; }
impl From<Char> for u32 {}
impl Mul<Duration> for u32 { type Output = Duration; }
impl TryFrom<i128> for u32 { type Error = TryFromIntError; }
impl From<Char> for u64 {}
impl Mul for u64 { type Output = u64; }
impl TryFrom<i128> for u64 { type Error = TryFromIntError; }
impl From<Char> for u128 {}
impl Mul for u128 { type Output = u128; }
impl TryFrom<i128> for u128 { type Error = TryFromIntError; }
impl From<Alignment> for usize {}
impl Mul for usize { type Output = usize; }
impl TryFrom<char> for usize { type Error = TryFromCharError; }
impl f32 {
    /// Its bits.
    pub fn to_bits(self) -> u32;
    pub fn from_bits(v: u32) -> f32;
}
impl f64 {
    /// Its bits.
    pub fn to_bits(self) -> u64;
    pub fn from_bits(v: u64) -> f64;
}
}
/// Operators and function traits.
pub mod ops {
use {std::fmt::Debug, std::hash::Hash, std::iter::Step, std::marker::Tuple, std::num::NonZero, std::num::ZeroablePrimitive, std::range};
/// `start..end`.
pub struct Range<Idx> {
    /// First value.
    pub start: Idx,
    /// One past the last value.
    pub end: Idx,
}
pub struct RangeFrom<Idx> {
    pub start: Idx,
}
#[derive(Clone, Debug, Default, Hash, PartialEq, Copy, Eq)]
pub struct RangeFull;
pub struct RangeInclusive<Idx>;
pub struct RangeTo<Idx> {
    pub end: Idx,
}
pub struct RangeToInclusive<Idx> {
    pub end: Idx,
}
pub enum Bound<T> {
    Included(T),
    Excluded(T),
    Unbounded,
}
pub enum ControlFlow<B, C = ()> {
    Continue(C),
    Break(B),
}
/// `a + b`.
pub trait Add<Rhs = Self> {
    type Output;
    fn add(self, rhs: Rhs) -> Self::Output;
}
pub trait AddAssign<Rhs = Self> {
    fn add_assign(&mut self, rhs: Rhs);
}
pub trait AsyncFn<Args>: AsyncFnMut<Args> where Args: Tuple {}
pub trait AsyncFnMut<Args>: AsyncFnOnce<Args> where Args: Tuple {}
pub trait AsyncFnOnce<Args> where Args: Tuple {}
pub trait BitAnd<Rhs = Self> {
    type Output;
    fn bitand(self, rhs: Rhs) -> Self::Output;
}
pub trait BitAndAssign<Rhs = Self> {
    fn bitand_assign(&mut self, rhs: Rhs);
}
pub trait BitOr<Rhs = Self> {
    type Output;
    fn bitor(self, rhs: Rhs) -> Self::Output;
}
pub trait BitOrAssign<Rhs = Self> {
    fn bitor_assign(&mut self, rhs: Rhs);
}
pub trait BitXor<Rhs = Self> {
    type Output;
    fn bitxor(self, rhs: Rhs) -> Self::Output;
}
pub trait BitXorAssign<Rhs = Self> {
    fn bitxor_assign(&mut self, rhs: Rhs);
}
/// Behaves like a reference to another type.
pub trait Deref {
    type Target: ?Sized;
    fn deref(&self) -> &Self::Target;
}
pub trait DerefMut: Deref {
    fn deref_mut(&mut self) -> &mut Self::Target;
}
/// `a / b`.
pub trait Div<Rhs = Self> {
    type Output;
    fn div(self, rhs: Rhs) -> Self::Output;
}
pub trait DivAssign<Rhs = Self> {
    fn div_assign(&mut self, rhs: Rhs);
}
/// Called when a value ends.
pub trait Drop {
    fn drop(&mut self);
}
/// A function that can be called again and again.
pub trait Fn<Args>: FnMut<Args> where Args: Tuple {}
/// A function that may change what it holds.
pub trait FnMut<Args>: FnOnce<Args> where Args: Tuple {}
/// A function that can be called once.
pub trait FnOnce<Args> where Args: Tuple {
    type Output;
}
/// `value[index]`.
pub trait Index<Idx> {
    type Output: ?Sized;
    fn index(&self, index: Idx) -> &Self::Output;
}
pub trait IndexMut<Idx>: Index<Idx> {
    fn index_mut(&mut self, index: Idx) -> &mut Self::Output;
}
/// `a * b`.
pub trait Mul<Rhs = Self> {
    type Output;
    fn mul(self, rhs: Rhs) -> Self::Output;
}
pub trait MulAssign<Rhs = Self> {
    fn mul_assign(&mut self, rhs: Rhs);
}
/// `-a`.
pub trait Neg {
    type Output;
    fn neg(self) -> Self::Output;
}
pub trait Not {
    type Output;
    fn not(self) -> Self::Output;
}
pub trait RangeBounds<T> {
    fn start_bound(&self) -> Bound<&T>;
    fn end_bound(&self) -> Bound<&T>;
    fn contains<U>(&self, item: &U) -> bool where T: PartialOrd<U>, U: PartialOrd<T>;
}
pub trait Rem<Rhs = Self> {
    type Output;
    fn rem(self, rhs: Rhs) -> Self::Output;
}
pub trait RemAssign<Rhs = Self> {
    fn rem_assign(&mut self, rhs: Rhs);
}
pub trait Shl<Rhs = Self> {
    type Output;
    fn shl(self, rhs: Rhs) -> Self::Output;
}
pub trait ShlAssign<Rhs = Self> {
    fn shl_assign(&mut self, rhs: Rhs);
}
pub trait Shr<Rhs = Self> {
    type Output;
    fn shr(self, rhs: Rhs) -> Self::Output;
}
pub trait ShrAssign<Rhs = Self> {
    fn shr_assign(&mut self, rhs: Rhs);
}
/// `a - b`.
pub trait Sub<Rhs = Self> {
    type Output;
    fn sub(self, rhs: Rhs) -> Self::Output;
}
pub trait SubAssign<Rhs = Self> {
    fn sub_assign(&mut self, rhs: Rhs);
}
impl<Idx> Range<Idx> where Idx: PartialOrd {
    /// Whether a value is in it.
    pub fn contains<U>(&self, item: &U) -> bool where Idx: PartialOrd<U>, U: PartialOrd<Idx>;
    /// Whether it has no values.
    pub fn is_empty(&self) -> bool where Idx: PartialOrd;
}
impl<Idx> Clone for Range<Idx> where Idx: Clone {}
impl<Idx> Default for Range<Idx> where Idx: Default {}
impl<A> DoubleEndedIterator for Range<A> where A: Step {}
impl ExactSizeIterator for Range<i16> {}
impl ExactSizeIterator for Range<i32> {}
impl ExactSizeIterator for Range<i8> {}
impl ExactSizeIterator for Range<isize> {}
impl ExactSizeIterator for Range<u16> {}
impl ExactSizeIterator for Range<u32> {}
impl ExactSizeIterator for Range<u8> {}
impl ExactSizeIterator for Range<usize> {}
impl<T> From<range::Range<T>> for Range<T> {}
impl<Idx> Hash for Range<Idx> where Idx: Hash {}
impl<A> Iterator for Range<A> where A: Step { type Item = A; }
impl<Idx> PartialEq for Range<Idx> where Idx: PartialEq {}
impl<T> RangeBounds<T> for Range<&T> {}
impl<T> RangeBounds<T> for Range<T> {}
impl<Idx> Eq for Range<Idx> where Idx: Eq {}
impl<Idx> RangeFrom<Idx> where Idx: PartialOrd {
    pub fn contains<U>(&self, item: &U) -> bool where Idx: PartialOrd<U>, U: PartialOrd<Idx>;
}
impl<Idx> Clone for RangeFrom<Idx> where Idx: Clone {}
impl<T> From<range::RangeFrom<T>> for RangeFrom<T> {}
impl<Idx> Hash for RangeFrom<Idx> where Idx: Hash {}
impl<A> Iterator for RangeFrom<A> where A: Step { type Item = A; }
impl<Idx> PartialEq for RangeFrom<Idx> where Idx: PartialEq {}
impl<T> RangeBounds<T> for RangeFrom<&T> {}
impl<T> RangeBounds<T> for RangeFrom<T> {}
impl<Idx> Eq for RangeFrom<Idx> where Idx: Eq {}
impl<T> RangeBounds<T> for RangeFull {}
impl<Idx> RangeInclusive<Idx> {
    pub fn new(start: Idx, end: Idx) -> RangeInclusive<Idx>;
    pub fn start(&self) -> &Idx;
    pub fn end(&self) -> &Idx;
    pub fn into_inner(self) -> (Idx, Idx);
}
impl<Idx> RangeInclusive<Idx> where Idx: PartialOrd {
    pub fn contains<U>(&self, item: &U) -> bool where Idx: PartialOrd<U>, U: PartialOrd<Idx>;
    pub fn is_empty(&self) -> bool where Idx: PartialOrd;
}
impl<Idx> Clone for RangeInclusive<Idx> where Idx: Clone {}
impl<A> DoubleEndedIterator for RangeInclusive<A> where A: Step {}
impl ExactSizeIterator for RangeInclusive<i16> {}
impl ExactSizeIterator for RangeInclusive<i8> {}
impl ExactSizeIterator for RangeInclusive<u16> {}
impl ExactSizeIterator for RangeInclusive<u8> {}
impl<T> From<range::RangeInclusive<T>> for RangeInclusive<T> {}
impl<Idx> Hash for RangeInclusive<Idx> where Idx: Hash {}
impl<A> Iterator for RangeInclusive<A> where A: Step { type Item = A; }
impl<Idx> PartialEq for RangeInclusive<Idx> where Idx: PartialEq {}
impl<T> RangeBounds<T> for RangeInclusive<&T> {}
impl<T> RangeBounds<T> for RangeInclusive<T> {}
impl<Idx> Eq for RangeInclusive<Idx> where Idx: Eq {}
impl<Idx> RangeTo<Idx> where Idx: PartialOrd {
    pub fn contains<U>(&self, item: &U) -> bool where Idx: PartialOrd<U>, U: PartialOrd<Idx>;
}
impl<Idx> Clone for RangeTo<Idx> where Idx: Clone {}
impl<Idx> Hash for RangeTo<Idx> where Idx: Hash {}
impl<Idx> PartialEq for RangeTo<Idx> where Idx: PartialEq {}
impl<T> RangeBounds<T> for RangeTo<&T> {}
impl<T> RangeBounds<T> for RangeTo<T> {}
impl<Idx> Copy for RangeTo<Idx> where Idx: Copy {}
impl<Idx> Eq for RangeTo<Idx> where Idx: Eq {}
impl<Idx> RangeToInclusive<Idx> where Idx: PartialOrd {
    pub fn contains<U>(&self, item: &U) -> bool where Idx: PartialOrd<U>, U: PartialOrd<Idx>;
}
impl<Idx> Clone for RangeToInclusive<Idx> where Idx: Clone {}
impl<T> From<range::RangeToInclusive<T>> for RangeToInclusive<T> {}
impl<Idx> Hash for RangeToInclusive<Idx> where Idx: Hash {}
impl<Idx> PartialEq for RangeToInclusive<Idx> where Idx: PartialEq {}
impl<T> RangeBounds<T> for RangeToInclusive<&T> {}
impl<T> RangeBounds<T> for RangeToInclusive<T> {}
impl<Idx> Copy for RangeToInclusive<Idx> where Idx: Copy {}
impl<Idx> Eq for RangeToInclusive<Idx> where Idx: Eq {}
impl<T> Bound<T> {
    pub fn as_ref(&self) -> Bound<&T>;
    pub fn map<U, F>(self, f: F) -> Bound<U> where F: FnOnce(T) -> U;
}
impl<T> Bound<&T> where T: Clone {
    pub fn cloned(self) -> Bound<T> where T: Clone;
}
impl<T> Clone for Bound<T> where T: Clone {}
impl<T> Hash for Bound<T> where T: Hash {}
impl<T> PartialEq for Bound<T> where T: PartialEq {}
impl<T> Copy for Bound<T> where T: Copy {}
impl<T> Eq for Bound<T> where T: Eq {}
impl<B, C> ControlFlow<B, C> {
    pub fn is_break(&self) -> bool;
    pub fn is_continue(&self) -> bool;
    pub fn break_value(self) -> Option<B>;
    pub fn map_break<T, F>(self, f: F) -> ControlFlow<T, C> where F: FnOnce(B) -> T;
    pub fn continue_value(self) -> Option<C>;
    pub fn map_continue<T, F>(self, f: F) -> ControlFlow<B, T> where F: FnOnce(C) -> T;
}
impl<B, C> Clone for ControlFlow<B, C> where B: Clone, C: Clone {}
impl<B, C> Hash for ControlFlow<B, C> where B: Hash, C: Hash {}
impl<B, C> PartialEq for ControlFlow<B, C> where B: PartialEq, C: PartialEq {}
impl<B, C> Copy for ControlFlow<B, C> where B: Copy, C: Copy {}
impl<B, C> Eq for ControlFlow<B, C> where B: Eq, C: Eq {}
impl<T> BitOr<NonZero<T>> for T where T: ZeroablePrimitive + BitOr<Output = T> { type Output = NonZero<T>; }
impl Not for ! { type Output = !; }
}
/// Values that may be missing.
pub mod option {
use {std::hash::Hash, std::iter::Product, std::iter::Sum, std::ops::Deref, std::ops::DerefMut, std::pin::Pin};
pub struct IntoIter<A>;
pub struct Iter<'a> where A: 'a;
pub struct IterMut<'a> where A: 'a;
/// A value, or none.
pub enum Option<T> {
    /// No value.
    None,
    /// A value.
    Some(T),
}
impl<A> Clone for IntoIter<A> where A: Clone {}
impl<A> DoubleEndedIterator for IntoIter<A> {}
impl<A> ExactSizeIterator for IntoIter<A> {}
impl<A> Iterator for IntoIter<A> { type Item = A; }
impl Clone for Iter<'_> {}
impl<'a> DoubleEndedIterator for Iter<'a> {}
impl ExactSizeIterator for Iter<'_> {}
impl<'a> Iterator for Iter<'a> { type Item = &'a A; }
impl<'a> DoubleEndedIterator for IterMut<'a> {}
impl ExactSizeIterator for IterMut<'_> {}
impl<'a> Iterator for IterMut<'a> { type Item = &'a mut A; }
impl<T> Option<T> {
    /// Whether there is a value.
    pub fn is_some(&self) -> bool;
    /// Whether there is a value and it satisfies a condition.
    pub fn is_some_and(self, f: impl FnOnce(T) -> bool) -> bool;
    /// Whether there is none.
    pub fn is_none(&self) -> bool;
    pub fn is_none_or(self, f: impl FnOnce(T) -> bool) -> bool;
    /// A reference to the value.
    pub fn as_ref(&self) -> Option<&T>;
    /// A mutable reference to the value.
    pub fn as_mut(&mut self) -> Option<&mut T>;
    pub fn as_pin_ref(self: Pin<&Option<T>>) -> Option<Pin<&T>>;
    pub fn as_pin_mut(self: Pin<&mut Option<T>>) -> Option<Pin<&mut T>>;
    pub fn as_slice(&self) -> &[T];
    pub fn as_mut_slice(&mut self) -> &mut [T];
    /// The value; fails with a message when there is none.
    pub fn expect(self, msg: &str) -> T;
    /// The value; fails when there is none.
    pub fn unwrap(self) -> T;
    /// The value, or another one.
    pub fn unwrap_or(self, default: T) -> T;
    /// The value, or that of a function.
    pub fn unwrap_or_else<F>(self, f: F) -> T where F: FnOnce() -> T;
    /// The value, or the type's default.
    pub fn unwrap_or_default(self) -> T where T: Default;
    pub unsafe fn unwrap_unchecked(self) -> T;
    /// A function of the value.
    pub fn map<U, F>(self, f: F) -> Option<U> where F: FnOnce(T) -> U;
    pub fn inspect<F>(self, f: F) -> Option<T> where F: FnOnce(&T);
    /// A function of the value, or a default.
    pub fn map_or<U, F>(self, default: U, f: F) -> U where F: FnOnce(T) -> U;
    pub fn map_or_else<U, D, F>(self, default: D, f: F) -> U where D: FnOnce() -> U, F: FnOnce(T) -> U;
    /// The value as `Ok`, or an error.
    pub fn ok_or<E>(self, err: E) -> Result<T, E>;
    /// The value as `Ok`, or the error of a function.
    pub fn ok_or_else<E, F>(self, err: F) -> Result<T, E> where F: FnOnce() -> E;
    /// The value as a reference to what it dereferences to.
    pub fn as_deref(&self) -> Option<&<T as Deref>::Target> where T: Deref;
    pub fn as_deref_mut(&mut self) -> Option<&mut <T as Deref>::Target> where T: DerefMut;
    /// An iterator over the value.
    pub fn iter(&self) -> Iter<'_, T>;
    pub fn iter_mut(&mut self) -> IterMut<'_, T>;
    /// The second option when there is a value.
    pub fn and<U>(self, optb: Option<U>) -> Option<U>;
    /// A function of the value that may give none.
    pub fn and_then<U, F>(self, f: F) -> Option<U> where F: FnOnce(T) -> Option<U>;
    /// The value if it satisfies a condition.
    pub fn filter<P>(self, predicate: P) -> Option<T> where P: FnOnce(&T) -> bool;
    /// The value, or another option.
    pub fn or(self, optb: Option<T>) -> Option<T>;
    /// The value, or the option of a function.
    pub fn or_else<F>(self, f: F) -> Option<T> where F: FnOnce() -> Option<T>;
    pub fn xor(self, optb: Option<T>) -> Option<T>;
    pub fn insert(&mut self, value: T) -> &mut T;
    pub fn get_or_insert(&mut self, value: T) -> &mut T;
    pub fn get_or_insert_default(&mut self) -> &mut T where T: Default;
    /// The value, put in first where there is none.
    pub fn get_or_insert_with<F>(&mut self, f: F) -> &mut T where F: FnOnce() -> T;
    /// Takes the value and leaves none.
    pub fn take(&mut self) -> Option<T>;
    pub fn take_if<P>(&mut self, predicate: P) -> Option<T> where P: FnOnce(&mut T) -> bool;
    /// Puts in a value and gives back the old one.
    pub fn replace(&mut self, value: T) -> Option<T>;
    /// Both values as a pair.
    pub fn zip<U>(self, other: Option<U>) -> Option<(T, U)>;
}
impl<T, U> Option<(T, U)> {
    pub fn unzip(self) -> (Option<T>, Option<U>);
}
impl<T> Option<&T> {
    /// A copy of the value behind the reference.
    pub fn copied(self) -> Option<T> where T: Copy;
    /// A clone of the value behind the reference.
    pub fn cloned(self) -> Option<T> where T: Clone;
}
impl<T, E> Option<Result<T, E>> {
    pub fn transpose(self) -> Result<Option<T>, E>;
}
impl<T> Option<Option<T>> {
    pub fn flatten(self) -> Option<T>;
}
impl<T> Clone for Option<T> where T: Clone {}
impl<T> Default for Option<T> {}
impl<T> From<T> for Option<T> {}
impl<A, V> FromIterator<Option<A>> for Option<V> where V: FromIterator<A> {}
impl<T> Hash for Option<T> where T: Hash {}
impl<'a, T> IntoIterator for &'a Option<T> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T> IntoIterator for &'a mut Option<T> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T> IntoIterator for Option<T> { type Item = T; type IntoIter = IntoIter<T>; }
impl<T> Ord for Option<T> where T: Ord {}
impl<T> PartialEq for Option<T> where T: PartialEq {}
impl<T> PartialOrd for Option<T> where T: PartialOrd {}
impl<T, U> Product<Option<U>> for Option<T> where T: Product<U> {}
impl<T, U> Sum<Option<U>> for Option<T> where T: Sum<U> {}
impl<T> Copy for Option<T> where T: Copy {}
impl<T> Eq for Option<T> where T: Eq {}
}
pub mod panic {
use {std::any::Any, std::ffi::CStr, std::fmt::Display, std::hash::Hash, std::ops::Deref, std::ops::DerefMut, std::thread};
pub struct AssertUnwindSafe<T>(pub T);
pub struct Location<'a>;
pub struct PanicHookInfo<'a>;
pub auto trait RefUnwindSafe {}
pub auto trait UnwindSafe {}
pub fn catch_unwind<F: FnOnce() -> R + UnwindSafe, R>(f: F) -> thread::Result<R>;
pub fn panic_any<M: 'static + Any + Send>(msg: M) -> !;
pub fn resume_unwind(payload: Box<dyn Any + Send>) -> !;
pub fn set_hook(hook: Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>);
pub fn take_hook() -> Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;
impl<T> Default for AssertUnwindSafe<T> where T: Default {}
impl<T> Deref for AssertUnwindSafe<T> { type Target = T; }
impl<T> DerefMut for AssertUnwindSafe<T> {}
impl<'a> Location<'a> {
    pub fn caller() -> &'static Location<'static>;
    pub fn file(&self) -> &'a str;
    pub fn file_as_c_str(&self) -> &'a CStr;
    pub fn line(&self) -> u32;
    pub fn column(&self) -> u32;
}
impl<'a> Clone for Location<'a> {}
impl Display for Location<'_> {}
impl Hash for Location<'_> {}
impl Ord for Location<'_> {}
impl PartialEq for Location<'_> {}
impl PartialOrd for Location<'_> {}
impl<'a> Copy for Location<'a> {}
impl Eq for Location<'_> {}
impl<'a> PanicHookInfo<'a> {
    pub fn payload(&self) -> &(dyn Any + Send);
    pub fn payload_as_str(&self) -> Option<&str>;
    pub fn location(&self) -> Option<&Location<'_>>;
}
impl Display for PanicHookInfo<'_> {}
}
/// Files, paths and environment.
pub mod path {
use {std::array::IntoIter, std::borrow::Cow, std::collections::TryReserveError, std::convert::Infallible, std::error::Error, std::ffi::OsStr, std::ffi::OsString, std::fmt, std::fmt::Debug, std::fs::Metadata, std::fs::ReadDir, std::hash::Hash, std::io, std::ops::Deref, std::ops::DerefMut, std::str::FromStr};
pub struct Ancestors<'a>;
pub struct Components<'a>;
pub struct Display<'a>;
pub struct Iter<'a>;
/// A path.
#[derive(Debug, Hash, Ord, PartialEq, PartialOrd, Eq)]
pub struct Path;
/// An owned path.
#[derive(Clone, Debug, Default, Hash, Ord, PartialEq, PartialOrd, Eq)]
pub struct PathBuf;
pub struct PrefixComponent<'a>;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StripPrefixError;
pub enum Component<'a> {
    Prefix(PrefixComponent<'a>),
    RootDir,
    CurDir,
    ParentDir,
    Normal(&'a OsStr),
}
pub enum Prefix<'a> {
    Verbatim(&'a OsStr),
    VerbatimUNC(&'a OsStr, &'a OsStr),
    VerbatimDisk(u8),
    DeviceNS(&'a OsStr),
    UNC(&'a OsStr, &'a OsStr),
    Disk(u8),
}
pub const MAIN_SEPARATOR: char = crate::sys::path::MAIN_SEP;
pub const MAIN_SEPARATOR_STR: &str;
pub fn absolute<P: AsRef<Path>>(path: P) -> io::Result<PathBuf>;
pub fn is_separator(c: char) -> bool;
impl<'a> Clone for Ancestors<'a> {}
impl<'a> Iterator for Ancestors<'a> { type Item = &'a Path; }
impl<'a> Copy for Ancestors<'a> {}
impl<'a> Components<'a> {
    pub fn as_path(&self) -> &'a Path;
}
impl AsRef<OsStr> for Components<'_> {}
impl<'a> Clone for Components<'a> {}
impl<'a> DoubleEndedIterator for Components<'a> {}
impl<'a> Iterator for Components<'a> { type Item = Component<'a>; }
impl Ord for Components<'_> {}
impl<'a> PartialEq for Components<'a> {}
impl<'a> PartialOrd for Components<'a> {}
impl Eq for Components<'_> {}
impl fmt::Display for Display<'_> {}
impl<'a> Iter<'a> {
    pub fn as_path(&self) -> &'a Path;
}
impl AsRef<OsStr> for Iter<'_> {}
impl<'a> Clone for Iter<'a> {}
impl<'a> DoubleEndedIterator for Iter<'a> {}
impl<'a> Iterator for Iter<'a> { type Item = &'a OsStr; }
impl Path {
    /// A path from text.
    pub fn new<S: AsRef<OsStr> + ?Sized>(s: &S) -> &Path;
    pub fn as_os_str(&self) -> &OsStr;
    pub fn as_mut_os_str(&mut self) -> &mut OsStr;
    pub fn to_str(&self) -> Option<&str>;
    pub fn to_string_lossy(&self) -> Cow<'_, str>;
    /// An owned copy.
    pub fn to_path_buf(&self) -> PathBuf;
    pub fn is_absolute(&self) -> bool;
    pub fn is_relative(&self) -> bool;
    pub fn has_root(&self) -> bool;
    /// The folder it is in.
    pub fn parent(&self) -> Option<&Path>;
    pub fn ancestors(&self) -> Ancestors<'_>;
    pub fn file_name(&self) -> Option<&OsStr>;
    pub fn strip_prefix<P>(&self, base: P) -> Result<&Path, StripPrefixError> where P: AsRef<Path>;
    pub fn starts_with<P: AsRef<Path>>(&self, base: P) -> bool;
    pub fn ends_with<P: AsRef<Path>>(&self, child: P) -> bool;
    pub fn file_stem(&self) -> Option<&OsStr>;
    pub fn file_prefix(&self) -> Option<&OsStr>;
    pub fn extension(&self) -> Option<&OsStr>;
    /// This path followed by another.
    pub fn join<P: AsRef<Path>>(&self, path: P) -> PathBuf;
    pub fn with_file_name<S: AsRef<OsStr>>(&self, file_name: S) -> PathBuf;
    /// The same path with another extension.
    pub fn with_extension<S: AsRef<OsStr>>(&self, extension: S) -> PathBuf;
    pub fn with_added_extension<S: AsRef<OsStr>>(&self, extension: S) -> PathBuf;
    pub fn components(&self) -> Components<'_>;
    pub fn iter(&self) -> Iter<'_>;
    /// For printing.
    pub fn display(&self) -> Display<'_>;
    pub fn metadata(&self) -> io::Result<Metadata>;
    pub fn symlink_metadata(&self) -> io::Result<Metadata>;
    pub fn canonicalize(&self) -> io::Result<PathBuf>;
    pub fn read_link(&self) -> io::Result<PathBuf>;
    pub fn read_dir(&self) -> io::Result<ReadDir>;
    /// Whether it exists.
    pub fn exists(&self) -> bool;
    pub fn try_exists(&self) -> io::Result<bool>;
    /// Whether it is a file.
    pub fn is_file(&self) -> bool;
    /// Whether it is a folder.
    pub fn is_dir(&self) -> bool;
    pub fn is_symlink(&self) -> bool;
    pub fn into_path_buf(self: Box<Self>) -> PathBuf;
}
impl AsRef<OsStr> for Path {}
impl AsRef<Path> for PathBuf {}
impl<'a> IntoIterator for &'a Path { type Item = &'a OsStr; type IntoIter = Iter<'a>; }
impl PartialEq<Path> for PathBuf {}
impl PartialOrd<Path> for PathBuf {}
impl ToOwned for Path { type Owned = PathBuf; }
impl PathBuf {
    /// An empty path.
    pub fn new() -> PathBuf;
    pub fn with_capacity(capacity: usize) -> PathBuf;
    pub fn as_path(&self) -> &Path;
    pub fn leak<'a>(self) -> &'a mut Path;
    /// Adds a part.
    pub fn push<P: AsRef<Path>>(&mut self, path: P);
    pub fn pop(&mut self) -> bool;
    pub fn set_file_name<S: AsRef<OsStr>>(&mut self, file_name: S);
    pub fn set_extension<S: AsRef<OsStr>>(&mut self, extension: S) -> bool;
    pub fn add_extension<S: AsRef<OsStr>>(&mut self, extension: S) -> bool;
    pub fn as_mut_os_string(&mut self) -> &mut OsString;
    pub fn into_os_string(self) -> OsString;
    pub fn into_boxed_path(self) -> Box<Path>;
    pub fn capacity(&self) -> usize;
    pub fn clear(&mut self);
    pub fn reserve(&mut self, additional: usize);
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn reserve_exact(&mut self, additional: usize);
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
}
impl AsRef<OsStr> for PathBuf {}
impl Deref for PathBuf { type Target = Path; }
impl DerefMut for PathBuf {}
impl<P: AsRef<Path>> Extend<P> for PathBuf {}
impl From<Box<Path>> for PathBuf {}
impl<P: AsRef<Path>> FromIterator<P> for PathBuf {}
impl FromStr for PathBuf { type Err = Infallible; }
impl<'a> IntoIterator for &'a PathBuf { type Item = &'a OsStr; type IntoIter = Iter<'a>; }
impl<'a> PrefixComponent<'a> {
    pub fn kind(&self) -> Prefix<'a>;
    pub fn as_os_str(&self) -> &'a OsStr;
}
impl<'a> Clone for PrefixComponent<'a> {}
impl Hash for PrefixComponent<'_> {}
impl Ord for PrefixComponent<'_> {}
impl<'a> PartialEq for PrefixComponent<'a> {}
impl<'a> PartialOrd for PrefixComponent<'a> {}
impl<'a> Copy for PrefixComponent<'a> {}
impl<'a> Eq for PrefixComponent<'a> {}
impl fmt::Display for StripPrefixError {}
impl Error for StripPrefixError {}
impl<'a> Component<'a> {
    pub fn as_os_str(self) -> &'a OsStr;
}
impl AsRef<OsStr> for Component<'_> {}
impl<'a> Clone for Component<'a> {}
impl<'a> Hash for Component<'a> {}
impl<'a> Ord for Component<'a> {}
impl<'a> PartialEq for Component<'a> {}
impl<'a> PartialOrd for Component<'a> {}
impl<'a> Copy for Component<'a> {}
impl<'a> Eq for Component<'a> {}
impl<'a> Prefix<'a> {
    pub fn is_verbatim(&self) -> bool;
}
impl<'a> Clone for Prefix<'a> {}
impl<'a> Hash for Prefix<'a> {}
impl<'a> Ord for Prefix<'a> {}
impl<'a> PartialEq for Prefix<'a> {}
impl<'a> PartialOrd for Prefix<'a> {}
impl<'a> Copy for Prefix<'a> {}
impl<'a> Eq for Prefix<'a> {}
}
pub mod pin {
use {std::fmt::Display, std::hash::Hash, std::ops::Deref, std::ops::DerefMut, std::rc::Rc, std::sync::Arc};
pub macro pin { () => {} }
pub struct Pin<Ptr>;
impl<Ptr> Pin<Ptr> where Ptr: Deref, <Ptr as Deref>::Target: Unpin {
    pub fn new(pointer: Ptr) -> Pin<Ptr>;
    pub fn into_inner(pin: Pin<Ptr>) -> Ptr;
}
impl<Ptr> Pin<Ptr> where Ptr: Deref {
    pub unsafe fn new_unchecked(pointer: Ptr) -> Pin<Ptr>;
    pub fn as_ref(&self) -> Pin<&<Ptr as Deref>::Target> where Ptr: Deref;
}
impl<Ptr> Pin<Ptr> where Ptr: DerefMut {
    pub fn as_mut(&mut self) -> Pin<&mut <Ptr as Deref>::Target> where Ptr: DerefMut;
    pub fn as_deref_mut(self: Pin<&mut Pin<Ptr>>) -> Pin<&mut <Ptr as Deref>::Target> where Ptr: DerefMut;
    pub fn set(&mut self, value: <Ptr as Deref>::Target) where <Ptr as Deref>::Target: Sized;
}
impl<Ptr> Pin<Ptr> where Ptr: Deref {
    pub unsafe fn into_inner_unchecked(pin: Pin<Ptr>) -> Ptr;
}
impl<'a, T> Pin<&'a T> {
    pub unsafe fn map_unchecked<U, F>(self, func: F) -> Pin<&'a U> where F: FnOnce(&T) -> &U;
    pub fn get_ref(self) -> &'a T;
}
impl<'a, T> Pin<&'a mut T> {
    pub fn into_ref(self) -> Pin<&'a T>;
    pub fn get_mut(self) -> &'a mut T where T: Unpin;
    pub unsafe fn get_unchecked_mut(self) -> &'a mut T;
    pub unsafe fn map_unchecked_mut<U, F>(self, func: F) -> Pin<&'a mut U> where F: FnOnce(&mut T) -> &mut U;
}
impl<T> Pin<&'static T> {
    pub fn static_ref(r: &'static T) -> Pin<&'static T>;
}
impl<T> Pin<&'static mut T> {
    pub fn static_mut(r: &'static mut T) -> Pin<&'static mut T>;
}
impl<Ptr> Clone for Pin<Ptr> where Ptr: Clone {}
impl<T> Default for Pin<Arc<T>> {}
impl<T> Default for Pin<Box<T>> {}
impl<T> Default for Pin<Rc<T>> {}
impl<Ptr> Deref for Pin<Ptr> where Ptr: Deref { type Target = <Ptr as Deref>::Target; }
impl<Ptr> DerefMut for Pin<Ptr> where Ptr: Deref {}
impl<Ptr> Display for Pin<Ptr> where Ptr: Display {}
impl<T> From<Box<T>> for Pin<Box<T>> {}
impl<Ptr> Hash for Pin<Ptr> where Ptr: Deref {}
impl<Ptr> Ord for Pin<Ptr> where Ptr: Deref {}
impl<Ptr, Q> PartialEq<Pin<Q>> for Pin<Ptr> where Ptr: Deref, Q: Deref {}
impl<Ptr, Q> PartialOrd<Pin<Q>> for Pin<Ptr> where Ptr: Deref, Q: Deref {}
impl<Ptr> Copy for Pin<Ptr> where Ptr: Copy {}
impl<Ptr> Eq for Pin<Ptr> where Ptr: Deref {}
}
pub mod process {
use {std::ffi::OsStr, std::fmt::Debug, std::fmt::Display, std::io, std::io::Read, std::io::Write, std::os::fd::OwnedFd, std::path::Path};
#[derive(Debug)]
pub struct Child {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}
#[derive(Debug)]
pub struct ChildStderr;
#[derive(Debug)]
pub struct ChildStdin;
#[derive(Debug)]
pub struct ChildStdout;
#[derive(Debug)]
pub struct Command;
pub struct CommandArgs<'a>;
pub struct CommandEnvs<'a>;
#[derive(Clone, Debug, Default, PartialEq, Copy)]
pub struct ExitCode;
#[derive(Clone, Debug, Default, PartialEq, Copy, Eq)]
pub struct ExitStatus;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}
#[derive(Debug)]
pub struct Stdio;
pub trait Termination {
    fn report(self) -> ExitCode;
}
pub fn abort() -> !;
pub fn exit(code: i32) -> !;
pub fn id() -> u32;
impl Child {
    pub fn kill(&mut self) -> io::Result<()>;
    pub fn id(&self) -> u32;
    pub fn wait(&mut self) -> io::Result<ExitStatus>;
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>>;
    pub fn wait_with_output(self) -> io::Result<Output>;
}
impl From<OwnedFd> for ChildStderr {}
impl Read for ChildStderr {}
impl From<OwnedFd> for ChildStdin {}
impl Write for ChildStdin {}
impl From<OwnedFd> for ChildStdout {}
impl Read for ChildStdout {}
impl Command {
    pub fn new<S: AsRef<OsStr>>(program: S) -> Command;
    pub fn arg<S: AsRef<OsStr>>(&mut self, arg: S) -> &mut Command;
    pub fn args<I, S>(&mut self, args: I) -> &mut Command where I: IntoIterator<Item = S>, S: AsRef<OsStr>;
    pub fn env<K, V>(&mut self, key: K, val: V) -> &mut Command where K: AsRef<OsStr>, V: AsRef<OsStr>;
    pub fn envs<I, K, V>(&mut self, vars: I) -> &mut Command where I: IntoIterator<Item = (K, V)>, K: AsRef<OsStr>, V: AsRef<OsStr>;
    pub fn env_remove<K: AsRef<OsStr>>(&mut self, key: K) -> &mut Command;
    pub fn env_clear(&mut self) -> &mut Command;
    pub fn current_dir<P: AsRef<Path>>(&mut self, dir: P) -> &mut Command;
    pub fn stdin<T: Into<Stdio>>(&mut self, cfg: T) -> &mut Command;
    pub fn stdout<T: Into<Stdio>>(&mut self, cfg: T) -> &mut Command;
    pub fn stderr<T: Into<Stdio>>(&mut self, cfg: T) -> &mut Command;
    pub fn spawn(&mut self) -> io::Result<Child>;
    pub fn output(&mut self) -> io::Result<Output>;
    pub fn status(&mut self) -> io::Result<ExitStatus>;
    pub fn get_program(&self) -> &OsStr;
    pub fn get_args(&self) -> CommandArgs<'_>;
    pub fn get_envs(&self) -> CommandEnvs<'_>;
    pub fn get_current_dir(&self) -> Option<&Path>;
}
impl<'a> ExactSizeIterator for CommandArgs<'a> {}
impl<'a> Iterator for CommandArgs<'a> { type Item = &'a OsStr; }
impl<'a> ExactSizeIterator for CommandEnvs<'a> {}
impl<'a> Iterator for CommandEnvs<'a> { type Item = (&'a OsStr, Option<&'a OsStr>); }
impl ExitCode {
    pub const SUCCESS: ExitCode;
    pub const FAILURE: ExitCode;
}
impl From<u8> for ExitCode {}
impl Termination for ExitCode {}
impl ExitStatus {
    pub fn success(&self) -> bool;
    pub fn code(&self) -> Option<i32>;
}
impl Display for ExitStatus {}
impl From<ExitStatusError> for ExitStatus {}
impl Stdio {
    pub fn piped() -> Stdio;
    pub fn inherit() -> Stdio;
    pub fn null() -> Stdio;
}
impl From<ChildStderr> for Stdio {}
impl Termination for ! {}
}
pub mod ptr {
use {std::fmt::Pointer, std::hash::Hash, std::hash::Hasher, std::marker::FnPtr, std::num::NonZero};
pub macro addr_of { () => {} }
pub macro addr_of_mut { () => {} }
pub struct NonNull<T>;
pub fn addr_eq<T, U>(p: *const T, q: *const U) -> bool;
pub unsafe fn copy<T>(src: *const T, dst: *mut T, count: usize);
pub unsafe fn copy_nonoverlapping<T>(src: *const T, dst: *mut T, count: usize);
pub fn dangling<T>() -> *const T;
pub fn dangling_mut<T>() -> *mut T;
pub unsafe fn drop_in_place<T>(to_drop: *mut T);
pub fn eq<T>(a: *const T, b: *const T) -> bool;
pub fn fn_addr_eq<T, U>(f: T, g: U) -> bool where T: FnPtr, U: FnPtr;
pub fn from_mut<T>(r: &mut T) -> *mut T;
pub fn from_ref<T>(r: &T) -> *const T;
pub fn hash<T, S>(hashee: *const T, into: &mut S) where S: Hasher;
pub fn null<T>() -> *const T where T: Thin;
pub fn null_mut<T>() -> *mut T where T: Thin;
pub unsafe fn read<T>(src: *const T) -> T;
pub unsafe fn read_unaligned<T>(src: *const T) -> T;
pub unsafe fn read_volatile<T>(src: *const T) -> T;
pub unsafe fn replace<T>(dst: *mut T, src: T) -> T;
pub fn slice_from_raw_parts<T>(data: *const T, len: usize) -> *const [T];
pub fn slice_from_raw_parts_mut<T>(data: *mut T, len: usize) -> *mut [T];
pub unsafe fn swap<T>(x: *mut T, y: *mut T);
pub unsafe fn swap_nonoverlapping<T>(x: *mut T, y: *mut T, count: usize);
pub fn with_exposed_provenance<T>(addr: usize) -> *const T;
pub fn with_exposed_provenance_mut<T>(addr: usize) -> *mut T;
pub fn without_provenance<T>(addr: usize) -> *const T;
pub fn without_provenance_mut<T>(addr: usize) -> *mut T;
pub unsafe fn write<T>(dst: *mut T, src: T);
pub unsafe fn write_bytes<T>(dst: *mut T, val: u8, count: usize);
pub unsafe fn write_unaligned<T>(dst: *mut T, src: T);
pub unsafe fn write_volatile<T>(dst: *mut T, src: T);
impl<T> NonNull<T> {
    pub fn without_provenance(addr: NonZero<usize>) -> NonNull<T>;
    pub fn dangling() -> NonNull<T>;
    pub fn with_exposed_provenance(addr: NonZero<usize>) -> NonNull<T>;
    pub unsafe fn new_unchecked(ptr: *mut T) -> NonNull<T>;
    pub fn new(ptr: *mut T) -> Option<NonNull<T>>;
    pub fn from_ref(r: &T) -> NonNull<T>;
    pub fn from_mut(r: &mut T) -> NonNull<T>;
    pub fn addr(self) -> NonZero<usize>;
    pub fn expose_provenance(self) -> NonZero<usize>;
    pub fn with_addr(self, addr: NonZero<usize>) -> NonNull<T>;
    pub fn map_addr(self, f: impl FnOnce(NonZero<usize>) -> NonZero<usize>) -> NonNull<T>;
    pub fn as_ptr(self) -> *mut T;
    pub unsafe fn as_ref<'a>(&self) -> &'a T;
    pub unsafe fn as_mut<'a>(&mut self) -> &'a mut T;
    pub fn cast<U>(self) -> NonNull<U>;
    pub unsafe fn offset(self, count: isize) -> NonNull<T>;
    pub unsafe fn byte_offset(self, count: isize) -> NonNull<T>;
    pub unsafe fn add(self, count: usize) -> NonNull<T>;
    pub unsafe fn byte_add(self, count: usize) -> NonNull<T>;
    pub unsafe fn sub(self, count: usize) -> NonNull<T>;
    pub unsafe fn byte_sub(self, count: usize) -> NonNull<T>;
    pub unsafe fn offset_from(self, origin: NonNull<T>) -> isize;
    pub unsafe fn byte_offset_from<U>(self, origin: NonNull<U>) -> isize;
    pub unsafe fn offset_from_unsigned(self, subtracted: NonNull<T>) -> usize;
    pub unsafe fn byte_offset_from_unsigned<U>(self, origin: NonNull<U>) -> usize;
    pub unsafe fn read(self) -> T;
    pub unsafe fn read_volatile(self) -> T;
    pub unsafe fn read_unaligned(self) -> T;
    pub unsafe fn copy_to(self, dest: NonNull<T>, count: usize);
    pub unsafe fn copy_to_nonoverlapping(self, dest: NonNull<T>, count: usize);
    pub unsafe fn copy_from(self, src: NonNull<T>, count: usize);
    pub unsafe fn copy_from_nonoverlapping(self, src: NonNull<T>, count: usize);
    pub unsafe fn drop_in_place(self);
    pub unsafe fn write(self, val: T);
    pub unsafe fn write_bytes(self, val: u8, count: usize);
    pub unsafe fn write_volatile(self, val: T);
    pub unsafe fn write_unaligned(self, val: T);
    pub unsafe fn replace(self, src: T) -> T;
    pub unsafe fn swap(self, with: NonNull<T>);
    pub fn align_offset(self, align: usize) -> usize;
    pub fn is_aligned(self) -> bool;
}
impl<T> NonNull<[T]> {
    pub fn slice_from_raw_parts(data: NonNull<T>, len: usize) -> NonNull<[T]>;
    pub fn len(self) -> usize;
    pub fn is_empty(self) -> bool;
}
impl<T> Clone for NonNull<T> {}
impl<T> Hash for NonNull<T> {}
impl<T> Ord for NonNull<T> {}
impl<T> PartialEq for NonNull<T> {}
impl<T> PartialOrd for NonNull<T> {}
impl<T> Pointer for NonNull<T> {}
impl<T> Copy for NonNull<T> {}
impl<T> Eq for NonNull<T> {}
impl<T> From<&T> for NonNull<T> {}
}
pub mod range {
use {std::array::IntoIter, std::hash::Hash, std::iter::Step, std::ops, std::ops::RangeBounds};
pub struct RangeInclusive<Idx> {
    pub start: Idx,
    pub last: Idx,
}
pub struct RangeInclusiveIter<A>;
impl<Idx> RangeInclusive<Idx> where Idx: PartialOrd {
    pub fn contains<U>(&self, item: &U) -> bool where Idx: PartialOrd<U>, U: PartialOrd<Idx>;
    pub fn is_empty(&self) -> bool where Idx: PartialOrd;
}
impl<Idx> RangeInclusive<Idx> where Idx: Step {
    pub fn iter(&self) -> RangeInclusiveIter<Idx>;
}
impl<Idx> Clone for RangeInclusive<Idx> where Idx: Clone {}
impl<T> From<ops::RangeInclusive<T>> for RangeInclusive<T> {}
impl<Idx> Hash for RangeInclusive<Idx> where Idx: Hash {}
impl<A> IntoIterator for RangeInclusive<A> where A: Step { type Item = A; type IntoIter = RangeInclusiveIter<A>; }
impl<Idx> PartialEq for RangeInclusive<Idx> where Idx: PartialEq {}
impl<T> RangeBounds<T> for RangeInclusive<&T> {}
impl<T> RangeBounds<T> for RangeInclusive<T> {}
impl<Idx> Copy for RangeInclusive<Idx> where Idx: Copy {}
impl<Idx> Eq for RangeInclusive<Idx> where Idx: Eq {}
impl<A> Clone for RangeInclusiveIter<A> where A: Clone {}
impl<A> DoubleEndedIterator for RangeInclusiveIter<A> where A: Step {}
impl ExactSizeIterator for RangeInclusiveIter<i8> {}
impl ExactSizeIterator for RangeInclusiveIter<u8> {}
impl<A> Iterator for RangeInclusiveIter<A> where A: Step { type Item = A; }
}
/// Shared ownership in one thread.
pub mod rc {
use {std::any::Any, std::clone::CloneToUninit, std::ffi::CStr, std::fmt::Display, std::hash::Hash, std::mem::MaybeUninit, std::ops::Deref, std::pin::Pin};
/// A counted pointer for one thread.
pub struct Rc<T>;
pub struct Weak<T>;
impl<T> Rc<T> {
    /// Moves a value behind a counted pointer.
    pub fn new(value: T) -> Rc<T>;
    pub fn new_cyclic<F>(data_fn: F) -> Rc<T> where F: FnOnce(&Weak<T>) -> T;
    pub fn new_uninit() -> Rc<MaybeUninit<T>>;
    pub fn new_zeroed() -> Rc<MaybeUninit<T>>;
    pub fn pin(value: T) -> Pin<Rc<T>>;
    pub fn try_unwrap(this: Rc<T>) -> Result<T, Rc<T>>;
    pub fn into_inner(this: Rc<T>) -> Option<T>;
}
impl<T> Rc<[T]> {
    pub fn new_uninit_slice(len: usize) -> Rc<[MaybeUninit<T>]>;
    pub fn new_zeroed_slice(len: usize) -> Rc<[MaybeUninit<T>]>;
}
impl<T> Rc<MaybeUninit<T>> {
    pub unsafe fn assume_init(self) -> Rc<T>;
}
impl<T> Rc<T> {
    pub unsafe fn from_raw(ptr: *const T) -> Rc<T>;
    pub fn into_raw(this: Rc<T>) -> *const T;
    pub unsafe fn increment_strong_count(ptr: *const T);
    pub unsafe fn decrement_strong_count(ptr: *const T);
    pub fn as_ptr(this: &Rc<T>) -> *const T;
    pub fn downgrade(this: &Rc<T>) -> Weak<T> where A: Clone;
    pub fn weak_count(this: &Rc<T>) -> usize;
    pub fn strong_count(this: &Rc<T>) -> usize;
    pub fn get_mut(this: &mut Rc<T>) -> Option<&mut T>;
    pub fn ptr_eq(this: &Rc<T>, other: &Rc<T>) -> bool;
}
impl<T> Rc<T> where T: CloneToUninit {
    pub fn make_mut(this: &mut Rc<T>) -> &mut T;
}
impl<T> Rc<T> where T: Clone {
    pub fn unwrap_or_clone(this: Rc<T>) -> T;
}
impl Rc<dyn Any> {
    pub fn downcast<T>(self) -> Result<Rc<T>, Rc<dyn Any>> where T: Any;
}
impl<T> Clone for Rc<T> {}
impl<T> Default for Rc<[T]> {}
impl Default for Rc<CStr> {}
impl<T> Default for Rc<T> where T: Default {}
impl<T> Deref for Rc<T> { type Target = T; }
impl<T> Display for Rc<T> where T: Display {}
impl<T, const N: usize> From<[T; N]> for Rc<[T]> {}
impl<T> From<Box<T>> for Rc<T> {}
impl<T> Hash for Rc<T> where T: Hash {}
impl<T> Ord for Rc<T> where T: Ord {}
impl<T> PartialEq for Rc<T> where T: PartialEq {}
impl<T> PartialOrd for Rc<T> where T: PartialOrd {}
impl<T> Eq for Rc<T> where T: Eq {}
impl<T> Weak<T> {
    pub fn new() -> Weak<T>;
    pub unsafe fn from_raw(ptr: *const T) -> Weak<T>;
    pub fn into_raw(self) -> *const T;
    pub fn as_ptr(&self) -> *const T;
    pub fn upgrade(&self) -> Option<Rc<T>> where A: Clone;
    pub fn strong_count(&self) -> usize;
    pub fn weak_count(&self) -> usize;
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool;
}
impl<T> Clone for Weak<T> {}
impl<T> Default for Weak<T> {}
}
/// Values or errors.
pub mod result {
use {std::fmt::Debug, std::hash::Hash, std::iter::Product, std::iter::Sum, std::ops::Deref, std::ops::DerefMut, std::process::Termination};
pub struct IntoIter<T>;
pub struct Iter<'a, T> where T: 'a;
pub struct IterMut<'a, T> where T: 'a;
/// A value, or an error.
pub enum Result<T, E> {
    /// A value.
    Ok(T),
    /// An error.
    Err(E),
}
impl<T> Clone for IntoIter<T> where T: Clone {}
impl<T> DoubleEndedIterator for IntoIter<T> {}
impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<T> Clone for Iter<'_, T> {}
impl<'a, T> DoubleEndedIterator for Iter<'a, T> {}
impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> DoubleEndedIterator for IterMut<'a, T> {}
impl<T> ExactSizeIterator for IterMut<'_, T> {}
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
impl<T, E> Result<T, E> {
    /// Whether it is a value.
    pub fn is_ok(&self) -> bool;
    /// Whether it is a value that satisfies a condition.
    pub fn is_ok_and<F>(self, f: F) -> bool where F: FnOnce(T) -> bool;
    /// Whether it is an error.
    pub fn is_err(&self) -> bool;
    pub fn is_err_and<F>(self, f: F) -> bool where F: FnOnce(E) -> bool;
    /// The value, if there is one.
    pub fn ok(self) -> Option<T>;
    /// The error, if there is one.
    pub fn err(self) -> Option<E>;
    /// References to value or error.
    pub fn as_ref(&self) -> Result<&T, &E>;
    pub fn as_mut(&mut self) -> Result<&mut T, &mut E>;
    /// A function of the value.
    pub fn map<U, F>(self, op: F) -> Result<U, E> where F: FnOnce(T) -> U;
    /// A function of the value, or a default.
    pub fn map_or<U, F>(self, default: U, f: F) -> U where F: FnOnce(T) -> U;
    pub fn map_or_else<U, D, F>(self, default: D, f: F) -> U where D: FnOnce(E) -> U, F: FnOnce(T) -> U;
    /// A function of the error.
    pub fn map_err<F, O>(self, op: O) -> Result<T, F> where O: FnOnce(E) -> F;
    pub fn inspect<F>(self, f: F) -> Result<T, E> where F: FnOnce(&T);
    pub fn inspect_err<F>(self, f: F) -> Result<T, E> where F: FnOnce(&E);
    pub fn as_deref(&self) -> Result<&<T as Deref>::Target, &E> where T: Deref;
    pub fn as_deref_mut(&mut self) -> Result<&mut <T as Deref>::Target, &mut E> where T: DerefMut;
    /// An iterator over the value.
    pub fn iter(&self) -> Iter<'_, T>;
    pub fn iter_mut(&mut self) -> IterMut<'_, T>;
    /// The value; fails with a message on an error.
    pub fn expect(self, msg: &str) -> T where E: Debug;
    /// The value; fails on an error. In a cell `?` is shorter and keeps the error's message.
    pub fn unwrap(self) -> T where E: Debug;
    /// The value, or the type's default.
    pub fn unwrap_or_default(self) -> T where T: Default;
    pub fn expect_err(self, msg: &str) -> E where T: Debug;
    /// The error; fails on a value.
    pub fn unwrap_err(self) -> E where T: Debug;
    pub fn and<U>(self, res: Result<U, E>) -> Result<U, E>;
    /// A function of the value that may fail.
    pub fn and_then<U, F>(self, op: F) -> Result<U, E> where F: FnOnce(T) -> Result<U, E>;
    pub fn or<F>(self, res: Result<T, F>) -> Result<T, F>;
    /// A function of the error that may mend it.
    pub fn or_else<F, O>(self, op: O) -> Result<T, F> where O: FnOnce(E) -> Result<T, F>;
    /// The value, or another one.
    pub fn unwrap_or(self, default: T) -> T;
    /// The value, or a function of the error.
    pub fn unwrap_or_else<F>(self, op: F) -> T where F: FnOnce(E) -> T;
    pub unsafe fn unwrap_unchecked(self) -> T;
    pub unsafe fn unwrap_err_unchecked(self) -> E;
}
impl<T, E> Result<&T, E> {
    pub fn copied(self) -> Result<T, E> where T: Copy;
    pub fn cloned(self) -> Result<T, E> where T: Clone;
}
impl<T, E> Result<Option<T>, E> {
    pub fn transpose(self) -> Option<Result<T, E>>;
}
impl<T, E> Result<Result<T, E>, E> {
    pub fn flatten(self) -> Result<T, E>;
}
impl<T, E> Clone for Result<T, E> where T: Clone, E: Clone {}
impl<A, E, V> FromIterator<Result<A, E>> for Result<V, E> where V: FromIterator<A> {}
impl<T, E> Hash for Result<T, E> where T: Hash, E: Hash {}
impl<'a, T, E> IntoIterator for &'a Result<T, E> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T, E> IntoIterator for &'a mut Result<T, E> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T, E> IntoIterator for Result<T, E> { type Item = T; type IntoIter = IntoIter<T>; }
impl<T, E> Ord for Result<T, E> where T: Ord, E: Ord {}
impl<T, E> PartialEq for Result<T, E> where T: PartialEq, E: PartialEq {}
impl<T, E> PartialOrd for Result<T, E> where T: PartialOrd, E: PartialOrd {}
impl<T, U, E> Product<Result<U, E>> for Result<T, E> where T: Product<U> {}
impl<T, U, E> Sum<Result<U, E>> for Result<T, E> where T: Sum<U> {}
impl<T: Termination, E: Debug> Termination for Result<T, E> {}
impl<T, E> Copy for Result<T, E> where T: Copy, E: Copy {}
impl<T, E> Eq for Result<T, E> where T: Eq, E: Eq {}
}
/// Slices.
pub mod slice {
use {std::array::IntoIter, std::array::TryFromSliceError, std::bstr::ByteStr, std::cmp::Ordering, std::error, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::hash::Hash, std::mem::MaybeUninit, std::ops::OneSidedRange, std::ops::Range, std::ops::RangeBounds, std::range, std::str::Utf8Chunks};
pub struct ArrayWindows<'a, T, const N: usize> where T: 'a;
pub struct ChunkBy<'a, T, P> where T: 'a;
pub struct ChunkByMut<'a, T, P> where T: 'a;
pub struct Chunks<'a, T> where T: 'a;
pub struct ChunksExact<'a, T> where T: 'a;
pub struct ChunksExactMut<'a, T> where T: 'a;
pub struct ChunksMut<'a, T> where T: 'a;
pub struct EscapeAscii<'a>;
pub struct Iter<'a, T> where T: 'a;
pub struct IterMut<'a, T> where T: 'a;
pub struct RChunks<'a, T> where T: 'a;
pub struct RChunksExact<'a, T> where T: 'a;
pub struct RChunksExactMut<'a, T> where T: 'a;
pub struct RChunksMut<'a, T> where T: 'a;
pub struct RSplit<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct RSplitMut<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct RSplitN<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct RSplitNMut<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct Split<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct SplitInclusive<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct SplitInclusiveMut<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct SplitMut<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct SplitN<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct SplitNMut<'a, T, P> where T: 'a, P: FnMut(&T) -> bool;
pub struct Windows<'a, T> where T: 'a;
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GetDisjointMutError {
    IndexOutOfBounds,
    OverlappingIndices,
}
pub unsafe trait SliceIndex<T>: Sealed {
    type Output: ?Sized;
}
pub fn from_mut<T>(s: &mut T) -> &mut [T];
pub unsafe fn from_raw_parts<'a, T>(data: *const T, len: usize) -> &'a [T];
pub unsafe fn from_raw_parts_mut<'a, T>(data: *mut T, len: usize) -> &'a mut [T];
pub fn from_ref<T>(s: &T) -> &[T];
impl<T, const N: usize> Clone for ArrayWindows<'_, T, N> {}
impl<'a, T, const N: usize> DoubleEndedIterator for ArrayWindows<'a, T, N> {}
impl<T, const N: usize> ExactSizeIterator for ArrayWindows<'_, T, N> {}
impl<'a, T, const N: usize> Iterator for ArrayWindows<'a, T, N> { type Item = &'a [T; N]; }
impl<'a, T, P> Clone for ChunkBy<'a, T, P> where P: Clone {}
impl<'a, T, P> DoubleEndedIterator for ChunkBy<'a, T, P> where P: FnMut(&T, &T) -> bool {}
impl<'a, T, P> Iterator for ChunkBy<'a, T, P> where P: FnMut(&T, &T) -> bool { type Item = &'a [T]; }
impl<'a, T, P> DoubleEndedIterator for ChunkByMut<'a, T, P> where P: FnMut(&T, &T) -> bool {}
impl<'a, T, P> Iterator for ChunkByMut<'a, T, P> where P: FnMut(&T, &T) -> bool { type Item = &'a mut [T]; }
impl<T> Clone for Chunks<'_, T> {}
impl<'a, T> DoubleEndedIterator for Chunks<'a, T> {}
impl<T> ExactSizeIterator for Chunks<'_, T> {}
impl<'a, T> Iterator for Chunks<'a, T> { type Item = &'a [T]; }
impl<'a, T> ChunksExact<'a, T> {
    pub fn remainder(&self) -> &'a [T];
}
impl<T> Clone for ChunksExact<'_, T> {}
impl<'a, T> DoubleEndedIterator for ChunksExact<'a, T> {}
impl<T> ExactSizeIterator for ChunksExact<'_, T> {}
impl<'a, T> Iterator for ChunksExact<'a, T> { type Item = &'a [T]; }
impl<'a, T> ChunksExactMut<'a, T> {
    pub fn into_remainder(self) -> &'a mut [T];
}
impl<'a, T> DoubleEndedIterator for ChunksExactMut<'a, T> {}
impl<T> ExactSizeIterator for ChunksExactMut<'_, T> {}
impl<'a, T> Iterator for ChunksExactMut<'a, T> { type Item = &'a mut [T]; }
impl<'a, T> DoubleEndedIterator for ChunksMut<'a, T> {}
impl<T> ExactSizeIterator for ChunksMut<'_, T> {}
impl<'a, T> Iterator for ChunksMut<'a, T> { type Item = &'a mut [T]; }
impl<'a> Clone for EscapeAscii<'a> {}
impl<'a> Display for EscapeAscii<'a> {}
impl<'a> DoubleEndedIterator for EscapeAscii<'a> {}
impl<'a> Iterator for EscapeAscii<'a> { type Item = u8; }
impl<'a, T> Iter<'a, T> {
    pub fn as_slice(&self) -> &'a [T];
}
impl<T> AsRef<[T]> for Iter<'_, T> {}
impl<T> Clone for Iter<'_, T> {}
impl<T> Default for Iter<'_, T> {}
impl<'a, T> DoubleEndedIterator for Iter<'a, T> {}
impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<'a, T> Iterator for Iter<'a, T> { type Item = &'a T; }
impl<'a, T> IterMut<'a, T> {
    pub fn into_slice(self) -> &'a mut [T];
    pub fn as_slice(&self) -> &[T];
}
impl<T> AsRef<[T]> for IterMut<'_, T> {}
impl<T> Default for IterMut<'_, T> {}
impl<'a, T> DoubleEndedIterator for IterMut<'a, T> {}
impl<T> ExactSizeIterator for IterMut<'_, T> {}
impl<'a, T> Iterator for IterMut<'a, T> { type Item = &'a mut T; }
impl<T> Clone for RChunks<'_, T> {}
impl<'a, T> DoubleEndedIterator for RChunks<'a, T> {}
impl<T> ExactSizeIterator for RChunks<'_, T> {}
impl<'a, T> Iterator for RChunks<'a, T> { type Item = &'a [T]; }
impl<'a, T> RChunksExact<'a, T> {
    pub fn remainder(&self) -> &'a [T];
}
impl<'a, T> Clone for RChunksExact<'a, T> {}
impl<'a, T> DoubleEndedIterator for RChunksExact<'a, T> {}
impl<'a, T> ExactSizeIterator for RChunksExact<'a, T> {}
impl<'a, T> Iterator for RChunksExact<'a, T> { type Item = &'a [T]; }
impl<'a, T> RChunksExactMut<'a, T> {
    pub fn into_remainder(self) -> &'a mut [T];
}
impl<'a, T> DoubleEndedIterator for RChunksExactMut<'a, T> {}
impl<T> ExactSizeIterator for RChunksExactMut<'_, T> {}
impl<'a, T> Iterator for RChunksExactMut<'a, T> { type Item = &'a mut [T]; }
impl<'a, T> DoubleEndedIterator for RChunksMut<'a, T> {}
impl<T> ExactSizeIterator for RChunksMut<'_, T> {}
impl<'a, T> Iterator for RChunksMut<'a, T> { type Item = &'a mut [T]; }
impl<T, P> Clone for RSplit<'_, T, P> where P: Clone + FnMut(&T) -> bool {}
impl<'a, T, P> DoubleEndedIterator for RSplit<'a, T, P> where P: FnMut(&T) -> bool {}
impl<'a, T, P> Iterator for RSplit<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a [T]; }
impl<'a, T, P> DoubleEndedIterator for RSplitMut<'a, T, P> where P: FnMut(&T) -> bool {}
impl<'a, T, P> Iterator for RSplitMut<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a mut [T]; }
impl<'a, T, P> Iterator for RSplitN<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a [T]; }
impl<'a, T, P> Iterator for RSplitNMut<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a mut [T]; }
impl<T, P> Clone for Split<'_, T, P> where P: Clone + FnMut(&T) -> bool {}
impl<'a, T, P> DoubleEndedIterator for Split<'a, T, P> where P: FnMut(&T) -> bool {}
impl<'a, T, P> Iterator for Split<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a [T]; }
impl<T, P> Clone for SplitInclusive<'_, T, P> where P: Clone + FnMut(&T) -> bool {}
impl<'a, T, P> DoubleEndedIterator for SplitInclusive<'a, T, P> where P: FnMut(&T) -> bool {}
impl<'a, T, P> Iterator for SplitInclusive<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a [T]; }
impl<'a, T, P> DoubleEndedIterator for SplitInclusiveMut<'a, T, P> where P: FnMut(&T) -> bool {}
impl<'a, T, P> Iterator for SplitInclusiveMut<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a mut [T]; }
impl<'a, T, P> DoubleEndedIterator for SplitMut<'a, T, P> where P: FnMut(&T) -> bool {}
impl<'a, T, P> Iterator for SplitMut<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a mut [T]; }
impl<'a, T, P> Iterator for SplitN<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a [T]; }
impl<'a, T, P> Iterator for SplitNMut<'a, T, P> where P: FnMut(&T) -> bool { type Item = &'a mut [T]; }
impl<T> Clone for Windows<'_, T> {}
impl<'a, T> DoubleEndedIterator for Windows<'a, T> {}
impl<T> ExactSizeIterator for Windows<'_, T> {}
impl<'a, T> Iterator for Windows<'a, T> { type Item = &'a [T]; }
impl Display for GetDisjointMutError {}
impl error::Error for GetDisjointMutError {}
impl<T> Box<[T]> {
    pub fn new_uninit_slice(len: usize) -> Box<[MaybeUninit<T>]>;
    pub fn new_zeroed_slice(len: usize) -> Box<[MaybeUninit<T>]>;
}
impl<T> Box<[MaybeUninit<T>]> {
    pub unsafe fn assume_init(self) -> Box<[T]>;
}
impl<T> [MaybeUninit<T>] {
    pub fn write_copy_of_slice(&mut self, src: &[T]) -> &mut [T] where T: Copy;
    pub fn write_clone_of_slice(&mut self, src: &[T]) -> &mut [T] where T: Clone;
    pub unsafe fn assume_init_drop(&mut self);
    pub unsafe fn assume_init_ref(&self) -> &[T];
    pub unsafe fn assume_init_mut(&mut self) -> &mut [T];
}
impl [u8] {
    pub fn is_ascii(&self) -> bool;
    pub fn eq_ignore_ascii_case(&self, other: &[u8]) -> bool;
    pub fn make_ascii_uppercase(&mut self);
    pub fn make_ascii_lowercase(&mut self);
    pub fn escape_ascii(&self) -> EscapeAscii<'_>;
    pub fn trim_ascii_start(&self) -> &[u8];
    pub fn trim_ascii_end(&self) -> &[u8];
    pub fn trim_ascii(&self) -> &[u8];
}
impl<T> [T] {
    /// Number of elements.
    pub fn len(&self) -> usize;
    /// Whether there are none.
    pub fn is_empty(&self) -> bool;
    /// The first element.
    pub fn first(&self) -> Option<&T>;
    pub fn first_mut(&mut self) -> Option<&mut T>;
    /// The first element and the rest.
    pub fn split_first(&self) -> Option<(&T, &[T])>;
    pub fn split_first_mut(&mut self) -> Option<(&mut T, &mut [T])>;
    pub fn split_last(&self) -> Option<(&T, &[T])>;
    pub fn split_last_mut(&mut self) -> Option<(&mut T, &mut [T])>;
    /// The last element.
    pub fn last(&self) -> Option<&T>;
    pub fn last_mut(&mut self) -> Option<&mut T>;
    pub fn first_chunk<const N: usize>(&self) -> Option<&[T; N]>;
    pub fn first_chunk_mut<const N: usize>(&mut self) -> Option<&mut [T; N]>;
    pub fn split_first_chunk<const N: usize>(&self) -> Option<(&[T; N], &[T])>;
    pub fn split_first_chunk_mut<const N: usize>(&mut self) -> Option<(&mut [T; N], &mut [T])>;
    pub fn split_last_chunk<const N: usize>(&self) -> Option<(&[T], &[T; N])>;
    pub fn split_last_chunk_mut<const N: usize>(&mut self) -> Option<(&mut [T], &mut [T; N])>;
    pub fn last_chunk<const N: usize>(&self) -> Option<&[T; N]>;
    pub fn last_chunk_mut<const N: usize>(&mut self) -> Option<&mut [T; N]>;
    /// The element at a position, if there is one.
    pub fn get(&self, index: usize) -> Option<&T>;
    /// The element at a position, to change it.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T>;
    pub unsafe fn get_unchecked<I>(&self, index: I) -> &<I as SliceIndex<[T]>>::Output where I: SliceIndex<[T]>;
    pub unsafe fn get_unchecked_mut<I>(&mut self, index: I) -> &mut <I as SliceIndex<[T]>>::Output where I: SliceIndex<[T]>;
    pub fn as_ptr(&self) -> *const T;
    pub fn as_mut_ptr(&mut self) -> *mut T;
    pub fn as_ptr_range(&self) -> Range<*const T>;
    pub fn as_mut_ptr_range(&mut self) -> Range<*mut T>;
    pub fn as_array<const N: usize>(&self) -> Option<&[T; N]>;
    pub fn as_mut_array<const N: usize>(&mut self) -> Option<&mut [T; N]>;
    /// Exchanges two elements.
    pub fn swap(&mut self, a: usize, b: usize);
    /// Turns the order round.
    pub fn reverse(&mut self);
    /// An iterator over references.
    pub fn iter(&self) -> Iter<'_, T>;
    /// An iterator over mutable references.
    pub fn iter_mut(&mut self) -> IterMut<'_, T>;
    /// Overlapping windows of a length.
    pub fn windows(&self, size: usize) -> Windows<'_, T>;
    /// Pieces of a length, the last one may be shorter.
    pub fn chunks(&self, chunk_size: usize) -> Chunks<'_, T>;
    pub fn chunks_mut(&mut self, chunk_size: usize) -> ChunksMut<'_, T>;
    /// Pieces of exactly a length.
    pub fn chunks_exact(&self, chunk_size: usize) -> ChunksExact<'_, T>;
    pub fn chunks_exact_mut(&mut self, chunk_size: usize) -> ChunksExactMut<'_, T>;
    pub unsafe fn as_chunks_unchecked<const N: usize>(&self) -> &[[T; N]];
    pub fn as_chunks<const N: usize>(&self) -> (&[[T; N]], &[T]);
    pub fn as_rchunks<const N: usize>(&self) -> (&[T], &[[T; N]]);
    pub unsafe fn as_chunks_unchecked_mut<const N: usize>(&mut self) -> &mut [[T; N]];
    pub fn as_chunks_mut<const N: usize>(&mut self) -> (&mut [[T; N]], &mut [T]);
    pub fn as_rchunks_mut<const N: usize>(&mut self) -> (&mut [T], &mut [[T; N]]);
    pub fn array_windows<const N: usize>(&self) -> ArrayWindows<'_, T, N>;
    pub fn rchunks(&self, chunk_size: usize) -> RChunks<'_, T>;
    pub fn rchunks_mut(&mut self, chunk_size: usize) -> RChunksMut<'_, T>;
    pub fn rchunks_exact(&self, chunk_size: usize) -> RChunksExact<'_, T>;
    pub fn rchunks_exact_mut(&mut self, chunk_size: usize) -> RChunksExactMut<'_, T>;
    pub fn chunk_by<F>(&self, pred: F) -> ChunkBy<'_, T, F> where F: FnMut(&T, &T) -> bool;
    pub fn chunk_by_mut<F>(&mut self, pred: F) -> ChunkByMut<'_, T, F> where F: FnMut(&T, &T) -> bool;
    /// The two parts at a position.
    pub fn split_at(&self, mid: usize) -> (&[T], &[T]);
    pub fn split_at_mut(&mut self, mid: usize) -> (&mut [T], &mut [T]);
    pub unsafe fn split_at_unchecked(&self, mid: usize) -> (&[T], &[T]);
    pub unsafe fn split_at_mut_unchecked(&mut self, mid: usize) -> (&mut [T], &mut [T]);
    pub fn split_at_checked(&self, mid: usize) -> Option<(&[T], &[T])>;
    pub fn split_at_mut_checked(&mut self, mid: usize) -> Option<(&mut [T], &mut [T])>;
    pub fn split<F>(&self, pred: F) -> Split<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn split_mut<F>(&mut self, pred: F) -> SplitMut<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn split_inclusive<F>(&self, pred: F) -> SplitInclusive<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn split_inclusive_mut<F>(&mut self, pred: F) -> SplitInclusiveMut<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn rsplit<F>(&self, pred: F) -> RSplit<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn rsplit_mut<F>(&mut self, pred: F) -> RSplitMut<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn splitn<F>(&self, n: usize, pred: F) -> SplitN<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn splitn_mut<F>(&mut self, n: usize, pred: F) -> SplitNMut<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn rsplitn<F>(&self, n: usize, pred: F) -> RSplitN<'_, T, F> where F: FnMut(&T) -> bool;
    pub fn rsplitn_mut<F>(&mut self, n: usize, pred: F) -> RSplitNMut<'_, T, F> where F: FnMut(&T) -> bool;
    /// Whether it contains a value.
    pub fn contains(&self, x: &T) -> bool where T: PartialEq;
    /// Whether it begins with another slice.
    pub fn starts_with(&self, needle: &[T]) -> bool where T: PartialEq;
    pub fn ends_with(&self, needle: &[T]) -> bool where T: PartialEq;
    pub fn strip_prefix<P>(&self, prefix: &P) -> Option<&[T]> where P: SlicePattern<Item = T>, T: PartialEq;
    pub fn strip_suffix<P>(&self, suffix: &P) -> Option<&[T]> where P: SlicePattern<Item = T>, T: PartialEq;
    /// Position of a value in a sorted slice, or where it would go.
    pub fn binary_search(&self, x: &T) -> Result<usize, usize> where T: Ord;
    pub fn binary_search_by<'a, F>(&'a self, f: F) -> Result<usize, usize> where F: FnMut(&'a T) -> Ordering;
    pub fn binary_search_by_key<'a, B, F>(&'a self, b: &B, f: F) -> Result<usize, usize> where F: FnMut(&'a T) -> B, B: Ord;
    /// Sorts; equal elements may change places.
    pub fn sort_unstable(&mut self) where T: Ord;
    pub fn sort_unstable_by<F>(&mut self, compare: F) where F: FnMut(&T, &T) -> Ordering;
    pub fn sort_unstable_by_key<K, F>(&mut self, f: F) where F: FnMut(&T) -> K, K: Ord;
    pub fn select_nth_unstable(&mut self, index: usize) -> (&mut [T], &mut T, &mut [T]) where T: Ord;
    pub fn select_nth_unstable_by<F>(&mut self, index: usize, compare: F) -> (&mut [T], &mut T, &mut [T]) where F: FnMut(&T, &T) -> Ordering;
    pub fn select_nth_unstable_by_key<K, F>(&mut self, index: usize, f: F) -> (&mut [T], &mut T, &mut [T]) where F: FnMut(&T) -> K, K: Ord;
    /// Rotates left by so many places.
    pub fn rotate_left(&mut self, mid: usize);
    pub fn rotate_right(&mut self, k: usize);
    /// Fills with clones of a value.
    pub fn fill(&mut self, value: T) where T: Clone;
    pub fn fill_with<F>(&mut self, f: F) where F: FnMut() -> T;
    pub fn clone_from_slice(&mut self, src: &[T]) where T: Clone;
    /// Copies from a slice of the same length.
    pub fn copy_from_slice(&mut self, src: &[T]) where T: Copy;
    pub fn copy_within<R>(&mut self, src: R, dest: usize) where R: RangeBounds<usize>, T: Copy;
    pub fn swap_with_slice(&mut self, other: &mut [T]);
    pub unsafe fn align_to<U>(&self) -> (&[T], &[U], &[T]);
    pub unsafe fn align_to_mut<U>(&mut self) -> (&mut [T], &mut [U], &mut [T]);
    pub fn is_sorted(&self) -> bool where T: PartialOrd;
    pub fn is_sorted_by<'a, F>(&'a self, compare: F) -> bool where F: FnMut(&'a T, &'a T) -> bool;
    pub fn is_sorted_by_key<'a, F, K>(&'a self, f: F) -> bool where F: FnMut(&'a T) -> K, K: PartialOrd;
    /// Position of the first element of a sorted slice for which a condition fails.
    pub fn partition_point<P>(&self, pred: P) -> usize where P: FnMut(&T) -> bool;
    pub fn split_off<'a, R>(self: &mut &'a [T], range: R) -> Option<&'a [T]> where R: OneSidedRange<usize>;
    pub fn split_off_mut<'a, R>(self: &mut &'a mut [T], range: R) -> Option<&'a mut [T]> where R: OneSidedRange<usize>;
    pub fn split_off_first<'a>(self: &mut &'a [T]) -> Option<&'a T>;
    pub fn split_off_first_mut<'a>(self: &mut &'a mut [T]) -> Option<&'a mut T>;
    pub fn split_off_last<'a>(self: &mut &'a [T]) -> Option<&'a T>;
    pub fn split_off_last_mut<'a>(self: &mut &'a mut [T]) -> Option<&'a mut T>;
    pub unsafe fn get_disjoint_unchecked_mut<I, const N: usize>(&mut self, indices: [I; N]) -> [&mut <I as SliceIndex<[T]>>::Output; N] where I: GetDisjointMutIndex + SliceIndex<[T]>;
    pub fn get_disjoint_mut<I, const N: usize>(&mut self, indices: [I; N]) -> Result<[&mut <I as SliceIndex<[T]>>::Output; N], GetDisjointMutError> where I: GetDisjointMutIndex + SliceIndex<[T]>;
    pub fn element_offset(&self, element: &T) -> Option<usize>;
}
impl<T, const N: usize> [[T; N]] {
    pub fn as_flattened(&self) -> &[T];
    pub fn as_flattened_mut(&mut self) -> &mut [T];
}
impl [u8] {
    pub fn utf8_chunks(&self) -> Utf8Chunks<'_>;
}
impl<T> [T] {
    /// Sorts; equal elements keep their order.
    pub fn sort(&mut self) where T: Ord;
    /// Sorts by a comparison, as in `v.sort_by(f64::total_cmp)`.
    pub fn sort_by<F>(&mut self, compare: F) where F: FnMut(&T, &T) -> Ordering;
    /// Sorts by a key.
    pub fn sort_by_key<K, F>(&mut self, f: F) where F: FnMut(&T) -> K, K: Ord;
    pub fn sort_by_cached_key<K, F>(&mut self, f: F) where F: FnMut(&T) -> K, K: Ord;
    /// A vector of clones.
    pub fn to_vec(&self) -> Vec<T> where T: Clone;
    pub fn into_vec(self: Box<[T]>) -> Vec<T>;
    pub fn repeat(&self, n: usize) -> Vec<T> where T: Copy;
    /// The elements one after the other.
    pub fn concat(&self) -> Vec<T>;
    /// The elements one after the other, with a separator between them.
    pub fn join(&self, separator: &str) -> String;
}
impl [u8] {
    pub fn to_ascii_uppercase(&self) -> Vec<u8>;
    pub fn to_ascii_lowercase(&self) -> Vec<u8>;
}
impl<T> AsMut<[T]> for [T] {}
impl<T, const N: usize> AsMut<[T]> for [T; N] {}
impl<T> AsRef<[T]> for [T] {}
impl<T, const N: usize> AsRef<[T]> for [T; N] {}
impl<T> Debug for [T] where T: Debug {}
impl<T> Hash for [T] where T: Hash {}
impl<'a, T> IntoIterator for &'a [T] { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T> IntoIterator for &'a mut [T] { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T> Ord for [T] where T: Ord {}
impl<T, U> PartialEq<[U]> for [T] where T: PartialEq<U> {}
impl<T, U, const N: usize> PartialEq<[U]> for [T; N] where T: PartialEq<U> {}
impl PartialEq<ByteStr> for [u8] {}
impl<T> PartialOrd for [T] where T: PartialOrd {}
impl<T> ToOwned for [T] where T: Clone { type Owned = Vec<T>; }
impl<T> Eq for [T] where T: Eq {}
impl<T, const N: usize> TryFrom<&[T]> for [T; N] where T: Copy { type Error = TryFromSliceError; }
}
pub mod str {
use {std::array::IntoIter, std::bstr::ByteStr, std::error, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::hash::Hash, std::net::SocketAddr, std::net::ToSocketAddrs, std::ops::Range, std::range, std::slice::SliceIndex, std::str::pattern::DoubleEndedSearcher, std::str::pattern::Pattern, std::str::pattern::ReverseSearcher, std::vec};
pub struct Bytes<'a>;
pub struct CharIndices<'a>;
pub struct Chars<'a>;
pub struct EncodeUtf16<'a>;
pub struct EscapeDebug<'a>;
pub struct EscapeDefault<'a>;
pub struct EscapeUnicode<'a>;
pub struct Lines<'a>;
pub struct MatchIndices<'a, P>() where P: Pattern;
pub struct Matches<'a, P>() where P: Pattern;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseBoolError;
pub struct RMatchIndices<'a, P>() where P: Pattern;
pub struct RMatches<'a, P>() where P: Pattern;
pub struct RSplit<'a, P>() where P: Pattern;
pub struct RSplitN<'a, P>() where P: Pattern;
pub struct RSplitTerminator<'a, P>() where P: Pattern;
pub struct Split<'a, P>() where P: Pattern;
pub struct SplitAsciiWhitespace<'a>;
pub struct SplitInclusive<'a, P>() where P: Pattern;
pub struct SplitN<'a, P>() where P: Pattern;
pub struct SplitTerminator<'a, P>() where P: Pattern;
pub struct SplitWhitespace<'a>;
pub struct Utf8Chunk<'a>;
pub struct Utf8Chunks<'a>;
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub struct Utf8Error;
pub trait FromStr: Sized {
    type Err;
    fn from_str(s: &str) -> Result<Self, Self::Err>;
}
pub unsafe fn from_boxed_utf8_unchecked(v: Box<[u8]>) -> Box<str>;
pub fn from_utf8(v: &[u8]) -> Result<&str, Utf8Error>;
pub fn from_utf8_mut(v: &mut [u8]) -> Result<&mut str, Utf8Error>;
pub unsafe fn from_utf8_unchecked(v: &[u8]) -> &str;
pub unsafe fn from_utf8_unchecked_mut(v: &mut [u8]) -> &mut str;
impl<'a> Clone for Bytes<'a> {}
impl DoubleEndedIterator for Bytes<'_> {}
impl ExactSizeIterator for Bytes<'_> {}
impl Iterator for Bytes<'_> { type Item = u8; }
impl<'a> CharIndices<'a> {
    pub fn as_str(&self) -> &'a str;
    pub fn offset(&self) -> usize;
}
impl<'a> Clone for CharIndices<'a> {}
impl<'a> DoubleEndedIterator for CharIndices<'a> {}
impl<'a> Iterator for CharIndices<'a> { type Item = (usize, char); }
impl<'a> Chars<'a> {
    pub fn as_str(&self) -> &'a str;
}
impl<'a> Clone for Chars<'a> {}
impl<'a> DoubleEndedIterator for Chars<'a> {}
impl<'a> Iterator for Chars<'a> { type Item = char; }
impl<'a> Clone for EncodeUtf16<'a> {}
impl<'a> Iterator for EncodeUtf16<'a> { type Item = u16; }
impl<'a> Clone for EscapeDebug<'a> {}
impl<'a> Display for EscapeDebug<'a> {}
impl<'a> Iterator for EscapeDebug<'a> { type Item = char; }
impl<'a> Clone for EscapeDefault<'a> {}
impl<'a> Display for EscapeDefault<'a> {}
impl<'a> Iterator for EscapeDefault<'a> { type Item = char; }
impl<'a> Clone for EscapeUnicode<'a> {}
impl<'a> Display for EscapeUnicode<'a> {}
impl<'a> Iterator for EscapeUnicode<'a> { type Item = char; }
impl<'a> Clone for Lines<'a> {}
impl<'a> DoubleEndedIterator for Lines<'a> {}
impl<'a> Iterator for Lines<'a> { type Item = &'a str; }
impl<'a, P> Clone for MatchIndices<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for MatchIndices<'a, P> where P: Pattern {}
impl<'a, P> Iterator for MatchIndices<'a, P> where P: Pattern { type Item = (usize, &'a str); }
impl<'a, P> Clone for Matches<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for Matches<'a, P> where P: Pattern {}
impl<'a, P> Iterator for Matches<'a, P> where P: Pattern { type Item = &'a str; }
impl Display for ParseBoolError {}
impl error::Error for ParseBoolError {}
impl<'a, P> Clone for RMatchIndices<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for RMatchIndices<'a, P> where P: Pattern {}
impl<'a, P> Iterator for RMatchIndices<'a, P> where P: Pattern { type Item = (usize, &'a str); }
impl<'a, P> Clone for RMatches<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for RMatches<'a, P> where P: Pattern {}
impl<'a, P> Iterator for RMatches<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a, P> Clone for RSplit<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for RSplit<'a, P> where P: Pattern {}
impl<'a, P> Iterator for RSplit<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a, P> Clone for RSplitN<'a, P> where P: Pattern {}
impl<'a, P> Iterator for RSplitN<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a, P> Clone for RSplitTerminator<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for RSplitTerminator<'a, P> where P: Pattern {}
impl<'a, P> Iterator for RSplitTerminator<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a, P> Clone for Split<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for Split<'a, P> where P: Pattern {}
impl<'a, P> Iterator for Split<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a> Clone for SplitAsciiWhitespace<'a> {}
impl<'a> DoubleEndedIterator for SplitAsciiWhitespace<'a> {}
impl<'a> Iterator for SplitAsciiWhitespace<'a> { type Item = &'a str; }
impl<'a, P> Clone for SplitInclusive<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for SplitInclusive<'a, P> where P: Pattern {}
impl<'a, P> Iterator for SplitInclusive<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a, P> Clone for SplitN<'a, P> where P: Pattern {}
impl<'a, P> Iterator for SplitN<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a, P> Clone for SplitTerminator<'a, P> where P: Pattern {}
impl<'a, P> DoubleEndedIterator for SplitTerminator<'a, P> where P: Pattern {}
impl<'a, P> Iterator for SplitTerminator<'a, P> where P: Pattern { type Item = &'a str; }
impl<'a> Clone for SplitWhitespace<'a> {}
impl<'a> DoubleEndedIterator for SplitWhitespace<'a> {}
impl<'a> Iterator for SplitWhitespace<'a> { type Item = &'a str; }
impl<'a> Utf8Chunk<'a> {
    pub fn valid(&self) -> &'a str;
    pub fn invalid(&self) -> &'a [u8];
}
impl<'a> Clone for Utf8Chunk<'a> {}
impl<'a> PartialEq for Utf8Chunk<'a> {}
impl<'a> Eq for Utf8Chunk<'a> {}
impl<'a> Clone for Utf8Chunks<'a> {}
impl<'a> Iterator for Utf8Chunks<'a> { type Item = Utf8Chunk<'a>; }
impl Utf8Error {
    pub fn valid_up_to(&self) -> usize;
    pub fn error_len(&self) -> Option<usize>;
}
impl Display for Utf8Error {}
impl error::Error for Utf8Error {}
impl str {
    /// Length in bytes.
    pub fn len(&self) -> usize;
    /// Whether it has no characters.
    pub fn is_empty(&self) -> bool;
    pub fn from_utf8(v: &[u8]) -> Result<&str, Utf8Error>;
    pub fn from_utf8_mut(v: &mut [u8]) -> Result<&mut str, Utf8Error>;
    pub unsafe fn from_utf8_unchecked(v: &[u8]) -> &str;
    pub unsafe fn from_utf8_unchecked_mut(v: &mut [u8]) -> &mut str;
    pub fn is_char_boundary(&self, index: usize) -> bool;
    pub fn floor_char_boundary(&self, index: usize) -> usize;
    pub fn ceil_char_boundary(&self, index: usize) -> usize;
    /// Its bytes as a slice.
    pub fn as_bytes(&self) -> &[u8];
    pub unsafe fn as_bytes_mut(&mut self) -> &mut [u8];
    pub fn as_ptr(&self) -> *const u8;
    pub fn as_mut_ptr(&mut self) -> *mut u8;
    /// The part in a range of bytes, if it lies between characters.
    pub fn get(&self, range: Range<usize>) -> Option<&str>;
    pub fn get_mut<I>(&mut self, i: I) -> Option<&mut <I as SliceIndex<str>>::Output> where I: SliceIndex<str>;
    pub unsafe fn get_unchecked<I>(&self, i: I) -> &<I as SliceIndex<str>>::Output where I: SliceIndex<str>;
    pub unsafe fn get_unchecked_mut<I>(&mut self, i: I) -> &mut <I as SliceIndex<str>>::Output where I: SliceIndex<str>;
    /// The two parts at a byte position.
    pub fn split_at(&self, mid: usize) -> (&str, &str);
    pub fn split_at_mut(&mut self, mid: usize) -> (&mut str, &mut str);
    pub fn split_at_checked(&self, mid: usize) -> Option<(&str, &str)>;
    pub fn split_at_mut_checked(&mut self, mid: usize) -> Option<(&mut str, &mut str)>;
    /// Its characters.
    pub fn chars(&self) -> Chars<'_>;
    /// Its characters with their byte positions.
    pub fn char_indices(&self) -> CharIndices<'_>;
    /// Its bytes.
    pub fn bytes(&self) -> Bytes<'_>;
    /// The words between white space.
    pub fn split_whitespace(&self) -> SplitWhitespace<'_>;
    pub fn split_ascii_whitespace(&self) -> SplitAsciiWhitespace<'_>;
    /// Its lines.
    pub fn lines(&self) -> Lines<'_>;
    pub fn encode_utf16(&self) -> EncodeUtf16<'_>;
    /// Whether it contains a pattern.
    pub fn contains<P>(&self, pat: P) -> bool where P: Pattern;
    /// Whether it begins with a pattern.
    pub fn starts_with<P>(&self, pat: P) -> bool where P: Pattern;
    /// Whether it ends with a pattern.
    pub fn ends_with<P>(&self, pat: P) -> bool where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    /// Byte position of a pattern.
    pub fn find<P>(&self, pat: P) -> Option<usize> where P: Pattern;
    /// Byte position of the last occurrence of a pattern.
    pub fn rfind<P>(&self, pat: P) -> Option<usize> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    /// The parts between separators.
    pub fn split<P>(&self, pat: P) -> Split<'_, P> where P: Pattern;
    pub fn split_inclusive<P>(&self, pat: P) -> SplitInclusive<'_, P> where P: Pattern;
    pub fn rsplit<P>(&self, pat: P) -> RSplit<'_, P> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    pub fn split_terminator<P>(&self, pat: P) -> SplitTerminator<'_, P> where P: Pattern;
    pub fn rsplit_terminator<P>(&self, pat: P) -> RSplitTerminator<'_, P> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    /// The parts between separators, at most so many.
    pub fn splitn<P>(&self, n: usize, pat: P) -> SplitN<'_, P> where P: Pattern;
    pub fn rsplitn<P>(&self, n: usize, pat: P) -> RSplitN<'_, P> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    /// The parts before and after the first separator.
    pub fn split_once<P>(&self, delimiter: P) -> Option<(&str, &str)> where P: Pattern;
    /// The parts before and after the last separator.
    pub fn rsplit_once<P>(&self, delimiter: P) -> Option<(&str, &str)> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    pub fn matches<P>(&self, pat: P) -> Matches<'_, P> where P: Pattern;
    pub fn rmatches<P>(&self, pat: P) -> RMatches<'_, P> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    pub fn match_indices<P>(&self, pat: P) -> MatchIndices<'_, P> where P: Pattern;
    pub fn rmatch_indices<P>(&self, pat: P) -> RMatchIndices<'_, P> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    /// Without white space at both ends.
    pub fn trim(&self) -> &str;
    /// Without white space at the beginning.
    pub fn trim_start(&self) -> &str;
    /// Without white space at the end.
    pub fn trim_end(&self) -> &str;
    /// Without a pattern at both ends, however often.
    pub fn trim_matches<P>(&self, pat: P) -> &str where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> DoubleEndedSearcher<'a>;
    pub fn trim_start_matches<P>(&self, pat: P) -> &str where P: Pattern;
    /// Without a prefix, if it has it.
    pub fn strip_prefix<P>(&self, prefix: P) -> Option<&str> where P: Pattern;
    /// Without a suffix, if it has it.
    pub fn strip_suffix<P>(&self, suffix: P) -> Option<&str> where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    pub fn trim_end_matches<P>(&self, pat: P) -> &str where P: Pattern, <P as Pattern>::Searcher<'a>: for<'a> ReverseSearcher<'a>;
    /// Read as a value: `text.parse::<f64>()?`.
    pub fn parse<F>(&self) -> Result<F, <F as FromStr>::Err> where F: FromStr;
    pub fn is_ascii(&self) -> bool;
    pub fn eq_ignore_ascii_case(&self, other: &str) -> bool;
    pub fn make_ascii_uppercase(&mut self);
    pub fn make_ascii_lowercase(&mut self);
    pub fn trim_ascii_start(&self) -> &str;
    pub fn trim_ascii_end(&self) -> &str;
    pub fn trim_ascii(&self) -> &str;
    pub fn escape_debug(&self) -> EscapeDebug<'_>;
    pub fn escape_default(&self) -> EscapeDefault<'_>;
    pub fn escape_unicode(&self) -> EscapeUnicode<'_>;
    pub fn into_boxed_bytes(self: Box<str>) -> Box<[u8]>;
    /// With each occurrence of a pattern replaced.
    pub fn replace<P>(&self, from: P, to: &str) -> String where P: Pattern;
    pub fn replacen<P>(&self, pat: P, to: &str, count: usize) -> String where P: Pattern;
    /// In lower case.
    pub fn to_lowercase(&self) -> String;
    /// In upper case.
    pub fn to_uppercase(&self) -> String;
    pub fn into_string(self: Box<str>) -> String;
    /// Repeated so many times.
    pub fn repeat(&self, n: usize) -> String;
    pub fn to_ascii_uppercase(&self) -> String;
    pub fn to_ascii_lowercase(&self) -> String;
}
impl AsMut<str> for str {}
impl AsRef<[u8]> for str {}
impl Debug for str {}
impl Display for str {}
impl Hash for str {}
impl Ord for str {}
impl PartialEq<ByteStr> for str {}
impl PartialOrd for str {}
impl ToOwned for str { type Owned = String; }
impl ToSocketAddrs for str { type Iter = vec::IntoIter<SocketAddr>; }
impl Eq for str {}
}
/// Text.
pub mod string {
use {std::array::IntoIter, std::borrow::Cow, std::bstr::ByteString, std::collections::TryReserveError, std::convert::Infallible, std::error, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::fmt::Write, std::hash::Hash, std::net::SocketAddr, std::net::ToSocketAddrs, std::ops::Add, std::ops::Deref, std::ops::DerefMut, std::ops::Index, std::ops::RangeBounds, std::slice::SliceIndex, std::str::FromStr, std::str::Utf8Error, std::vec};
pub struct Drain<'a>;
/// Bytes that are no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromUtf8Error;
#[derive(Debug)]
pub struct FromUtf16Error;
/// Growable text in UTF-8.
#[derive(Clone, Debug, Default, Hash, Ord, PartialEq, PartialOrd, Eq)]
pub struct String;
/// Values with a textual form.
pub trait ToString {
    /// The value as text.
    fn to_string(&self) -> String;
}
pub type ParseError = Infallible;
impl<'a> Drain<'a> {
    pub fn as_str(&self) -> &str;
}
impl<'a> AsRef<[u8]> for Drain<'a> {}
impl DoubleEndedIterator for Drain<'_> {}
impl Iterator for Drain<'_> { type Item = char; }
impl FromUtf8Error {
    pub fn as_bytes(&self) -> &[u8];
    pub fn into_bytes(self) -> Vec<u8>;
    pub fn utf8_error(&self) -> Utf8Error;
}
impl Display for FromUtf8Error {}
impl error::Error for FromUtf8Error {}
impl Display for FromUtf16Error {}
impl error::Error for FromUtf16Error {}
impl String {
    /// Empty text.
    pub fn new() -> String;
    /// Empty text with room for so many bytes.
    pub fn with_capacity(capacity: usize) -> String;
    /// Text from bytes in UTF-8.
    pub fn from_utf8(vec: Vec<u8>) -> Result<String, FromUtf8Error>;
    pub fn from_utf8_lossy(v: &[u8]) -> Cow<'_, str>;
    pub fn from_utf16(v: &[u16]) -> Result<String, FromUtf16Error>;
    pub fn from_utf16_lossy(v: &[u16]) -> String;
    pub fn into_raw_parts(self) -> (*mut u8, usize, usize);
    pub unsafe fn from_raw_parts(buf: *mut u8, length: usize, capacity: usize) -> String;
    pub unsafe fn from_utf8_unchecked(bytes: Vec<u8>) -> String;
    /// Its bytes.
    pub fn into_bytes(self) -> Vec<u8>;
    /// The text as a slice.
    pub fn as_str(&self) -> &str;
    pub fn as_mut_str(&mut self) -> &mut str;
    /// Adds text at the end.
    pub fn push_str(&mut self, string: &str);
    pub fn extend_from_within<R>(&mut self, src: R) where R: RangeBounds<usize>;
    /// Room without growing, in bytes.
    pub fn capacity(&self) -> usize;
    pub fn reserve(&mut self, additional: usize);
    pub fn reserve_exact(&mut self, additional: usize);
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
    /// Adds a character at the end.
    pub fn push(&mut self, ch: char);
    pub fn as_bytes(&self) -> &[u8];
    /// Cuts to so many bytes.
    pub fn truncate(&mut self, new_len: usize);
    /// Takes the last character.
    pub fn pop(&mut self) -> Option<char>;
    /// Removes the character at a byte position.
    pub fn remove(&mut self, idx: usize) -> char;
    pub fn retain<F>(&mut self, f: F) where F: FnMut(char) -> bool;
    /// Puts a character at a byte position.
    pub fn insert(&mut self, idx: usize, ch: char);
    /// Puts text at a byte position.
    pub fn insert_str(&mut self, idx: usize, string: &str);
    pub unsafe fn as_mut_vec(&mut self) -> &mut Vec<u8>;
    pub fn len(&self) -> usize;
    pub fn is_empty(&self) -> bool;
    pub fn split_off(&mut self, at: usize) -> String;
    /// Removes everything.
    pub fn clear(&mut self);
    pub fn drain<R>(&mut self, range: R) -> Drain<'_> where R: RangeBounds<usize>;
    pub fn replace_range<R>(&mut self, range: R, replace_with: &str) where R: RangeBounds<usize>;
    pub fn into_boxed_str(self) -> Box<str>;
    pub fn leak<'a>(self) -> &'a mut str;
}
impl AsMut<str> for String {}
impl AsRef<[u8]> for String {}
impl Deref for String { type Target = str; }
impl DerefMut for String {}
impl Display for String {}
impl Extend<Box<str>> for String {}
impl From<Box<str>> for String {}
impl FromIterator<Box<str>> for String {}
impl FromStr for String { type Err = Infallible; }
impl<I> Index<I> for String where I: SliceIndex<str> { type Output = str; }
impl ToSocketAddrs for String { type Iter = vec::IntoIter<SocketAddr>; }
impl TryFrom<ByteString> for String { type Error = FromUtf8Error; }
impl Write for String {}
impl Add<&str> for String { type Output = str; }
impl<T> ToString for T where T: Display {}
}
/// Sharing between threads.
pub mod sync {
use {std::any::Any, std::bstr::ByteStr, std::clone::CloneToUninit, std::error::Error, std::ffi::CStr, std::fmt::Debug, std::fmt::Display, std::hash::Hash, std::mem::MaybeUninit, std::ops::Deref, std::ops::DerefMut, std::pin::Pin, std::time::Duration};
/// A counted pointer for several threads.
pub struct Arc<T>;
#[derive(Debug)]
pub struct Barrier;
#[derive(Debug)]
pub struct BarrierWaitResult;
#[derive(Debug, Default)]
pub struct Condvar;
pub struct LazyLock<T, F = fn() -> T>;
pub struct Mutex<T: ?Sized>;
pub struct MutexGuard<'a, T: ?Sized + 'a>;
#[derive(Debug)]
pub struct Once;
pub struct OnceLock<T>;
#[derive(Debug)]
pub struct OnceState;
pub struct PoisonError<T>;
pub struct RwLock<T: ?Sized>;
pub struct RwLockReadGuard<'rwlock, T: ?Sized + 'rwlock>;
pub struct RwLockWriteGuard<'rwlock, T: ?Sized + 'rwlock>;
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub struct WaitTimeoutResult;
pub struct Weak<T>;
pub enum TryLockError<T> {
    Poisoned(PoisonError<T>),
    WouldBlock,
}
pub type LockResult<T> = Result<T, PoisonError<T>>;
pub type TryLockResult<Guard> = Result<Guard, TryLockError<Guard>>;
impl<T> Arc<T> {
    /// Moves a value behind a counted pointer.
    pub fn new(data: T) -> Arc<T>;
    pub fn new_cyclic<F>(data_fn: F) -> Arc<T> where F: FnOnce(&Weak<T>) -> T;
    pub fn new_uninit() -> Arc<MaybeUninit<T>>;
    pub fn new_zeroed() -> Arc<MaybeUninit<T>>;
    pub fn pin(data: T) -> Pin<Arc<T>>;
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>>;
    pub fn into_inner(this: Arc<T>) -> Option<T>;
}
impl<T> Arc<[T]> {
    pub fn new_uninit_slice(len: usize) -> Arc<[MaybeUninit<T>]>;
    pub fn new_zeroed_slice(len: usize) -> Arc<[MaybeUninit<T>]>;
}
impl<T> Arc<MaybeUninit<T>> {
    pub unsafe fn assume_init(self) -> Arc<T>;
}
impl<T> Arc<T> {
    pub unsafe fn from_raw(ptr: *const T) -> Arc<T>;
    pub fn into_raw(this: Arc<T>) -> *const T;
    pub unsafe fn increment_strong_count(ptr: *const T);
    pub unsafe fn decrement_strong_count(ptr: *const T);
    pub fn as_ptr(this: &Arc<T>) -> *const T;
    pub fn downgrade(this: &Arc<T>) -> Weak<T> where A: Clone;
    pub fn weak_count(this: &Arc<T>) -> usize;
    pub fn strong_count(this: &Arc<T>) -> usize;
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool;
}
impl<T> Arc<T> where T: CloneToUninit {
    pub fn make_mut(this: &mut Arc<T>) -> &mut T;
}
impl<T> Arc<T> where T: Clone {
    pub fn unwrap_or_clone(this: Arc<T>) -> T;
}
impl<T> Arc<T> {
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T>;
}
impl Arc<dyn Any + Sync + Send> {
    pub fn downcast<T>(self) -> Result<Arc<T>, Arc<dyn Any + Sync + Send>> where T: Any + Send + Sync;
}
impl<T> Clone for Arc<T> {}
impl<T> Default for Arc<[T]> {}
impl Default for Arc<CStr> {}
impl<T> Default for Arc<T> where T: Default {}
impl<T> Deref for Arc<T> { type Target = T; }
impl<T> Display for Arc<T> where T: Display {}
impl<T, const N: usize> From<[T; N]> for Arc<[T]> {}
impl From<Arc<[u8]>> for Arc<ByteStr> {}
impl From<Arc<ByteStr>> for Arc<[u8]> {}
impl<T> From<Box<T>> for Arc<T> {}
impl<T> Hash for Arc<T> where T: Hash {}
impl<T> Ord for Arc<T> where T: Ord {}
impl<T> PartialEq for Arc<T> where T: PartialEq {}
impl<T> PartialOrd for Arc<T> where T: PartialOrd {}
impl<T> Eq for Arc<T> where T: Eq {}
impl Barrier {
    pub fn new(n: usize) -> Barrier;
    pub fn wait(&self) -> BarrierWaitResult;
}
impl BarrierWaitResult {
    pub fn is_leader(&self) -> bool;
}
impl Condvar {
    pub fn new() -> Condvar;
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>>;
    pub fn wait_while<'a, T, F>(&self, guard: MutexGuard<'a, T>, condition: F) -> LockResult<MutexGuard<'a, T>> where F: FnMut(&mut T) -> bool;
    pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, dur: Duration) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>;
    pub fn wait_timeout_while<'a, T, F>(&self, guard: MutexGuard<'a, T>, dur: Duration, condition: F) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> where F: FnMut(&mut T) -> bool;
    pub fn notify_one(&self);
    pub fn notify_all(&self);
}
impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    pub fn new(f: F) -> LazyLock<T, F>;
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T;
    pub fn force(this: &LazyLock<T, F>) -> &T;
}
impl<T, F> LazyLock<T, F> {
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T>;
    pub fn get(this: &LazyLock<T, F>) -> Option<&T>;
}
impl<T: Default> Default for LazyLock<T> {}
impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> { type Target = T; }
impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {}
impl<T> Mutex<T> {
    pub fn new(t: T) -> Mutex<T>;
}
impl<T: ?Sized> Mutex<T> {
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>>;
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>>;
    pub fn is_poisoned(&self) -> bool;
    pub fn clear_poison(&self);
    pub fn into_inner(self) -> LockResult<T> where T: Sized;
    pub fn get_mut(&mut self) -> LockResult<&mut T>;
}
impl<T: Default> Default for Mutex<T> {}
impl<T> From<T> for Mutex<T> {}
impl<T: ?Sized> Deref for MutexGuard<'_, T> { type Target = T; }
impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {}
impl<T: ?Sized + Display> Display for MutexGuard<'_, T> {}
impl Once {
    pub fn new() -> Once;
    pub fn call_once<F>(&self, f: F) where F: FnOnce();
    pub fn call_once_force<F>(&self, f: F) where F: FnOnce(&OnceState);
    pub fn is_completed(&self) -> bool;
    pub fn wait(&self);
    pub fn wait_force(&self);
}
impl<T> OnceLock<T> {
    pub fn new() -> OnceLock<T>;
    pub fn get(&self) -> Option<&T>;
    pub fn get_mut(&mut self) -> Option<&mut T>;
    pub fn wait(&self) -> &T;
    pub fn set(&self, value: T) -> Result<(), T>;
    pub fn get_or_init<F>(&self, f: F) -> &T where F: FnOnce() -> T;
    pub fn into_inner(self) -> Option<T>;
    pub fn take(&mut self) -> Option<T>;
}
impl<T: Clone> Clone for OnceLock<T> {}
impl<T> Default for OnceLock<T> {}
impl<T> From<T> for OnceLock<T> {}
impl<T: PartialEq> PartialEq for OnceLock<T> {}
impl<T: Eq> Eq for OnceLock<T> {}
impl OnceState {
    pub fn is_poisoned(&self) -> bool;
}
impl<T> PoisonError<T> {
    pub fn new(data: T) -> PoisonError<T>;
    pub fn into_inner(self) -> T;
    pub fn get_ref(&self) -> &T;
    pub fn get_mut(&mut self) -> &mut T;
}
impl<T> Display for PoisonError<T> {}
impl<T> Error for PoisonError<T> {}
impl<T> RwLock<T> {
    pub fn new(t: T) -> RwLock<T>;
}
impl<T: ?Sized> RwLock<T> {
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>>;
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>>;
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>>;
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>>;
    pub fn is_poisoned(&self) -> bool;
    pub fn clear_poison(&self);
    pub fn into_inner(self) -> LockResult<T> where T: Sized;
    pub fn get_mut(&mut self) -> LockResult<&mut T>;
}
impl<T: Default> Default for RwLock<T> {}
impl<T> From<T> for RwLock<T> {}
impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> { type Target = T; }
impl<T: ?Sized + Display> Display for RwLockReadGuard<'_, T> {}
impl<'rwlock, T: ?Sized> RwLockWriteGuard<'rwlock, T> {
    pub fn downgrade(s: Self) -> RwLockReadGuard<'rwlock, T>;
}
impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> { type Target = T; }
impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {}
impl<T: ?Sized + Display> Display for RwLockWriteGuard<'_, T> {}
impl WaitTimeoutResult {
    pub fn timed_out(&self) -> bool;
}
impl<T> Weak<T> {
    pub fn new() -> Weak<T>;
    pub unsafe fn from_raw(ptr: *const T) -> Weak<T>;
    pub fn into_raw(self) -> *const T;
    pub fn as_ptr(&self) -> *const T;
    pub fn upgrade(&self) -> Option<Arc<T>> where A: Clone;
    pub fn strong_count(&self) -> usize;
    pub fn weak_count(&self) -> usize;
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool;
}
impl<T> Clone for Weak<T> {}
impl<T> Default for Weak<T> {}
impl<T> Display for TryLockError<T> {}
impl<T> Error for TryLockError<T> {}
impl<T> From<PoisonError<T>> for TryLockError<T> {}
pub mod atomic {
use {std::fmt::Debug, std::fmt::Pointer, std::hash::Hash};
#[derive(Debug, Default)]
pub struct AtomicBool;
#[derive(Debug, Default)]
pub struct AtomicI8;
#[derive(Debug, Default)]
pub struct AtomicI16;
#[derive(Debug, Default)]
pub struct AtomicI32;
#[derive(Debug, Default)]
pub struct AtomicI64;
#[derive(Debug, Default)]
pub struct AtomicIsize;
pub struct AtomicPtr<T>;
#[derive(Debug, Default)]
pub struct AtomicU8;
#[derive(Debug, Default)]
pub struct AtomicU16;
#[derive(Debug, Default)]
pub struct AtomicU32;
#[derive(Debug, Default)]
pub struct AtomicU64;
#[derive(Debug, Default)]
pub struct AtomicUsize;
#[derive(Clone, Debug, Hash, PartialEq, Copy, Eq)]
pub enum Ordering {
    Relaxed,
    Release,
    Acquire,
    AcqRel,
    SeqCst,
}
pub fn compiler_fence(order: Ordering);
pub fn fence(order: Ordering);
impl AtomicBool {
    pub fn new(v: bool) -> AtomicBool;
    pub unsafe fn from_ptr<'a>(ptr: *mut bool) -> &'a AtomicBool;
    pub fn get_mut(&mut self) -> &mut bool;
    pub fn into_inner(self) -> bool;
    pub fn load(&self, order: Ordering) -> bool;
    pub fn store(&self, val: bool, order: Ordering);
    pub fn swap(&self, val: bool, order: Ordering) -> bool;
    pub fn compare_exchange(&self, current: bool, new: bool, success: Ordering, failure: Ordering) -> Result<bool, bool>;
    pub fn compare_exchange_weak(&self, current: bool, new: bool, success: Ordering, failure: Ordering) -> Result<bool, bool>;
    pub fn fetch_and(&self, val: bool, order: Ordering) -> bool;
    pub fn fetch_nand(&self, val: bool, order: Ordering) -> bool;
    pub fn fetch_or(&self, val: bool, order: Ordering) -> bool;
    pub fn fetch_xor(&self, val: bool, order: Ordering) -> bool;
    pub fn fetch_not(&self, order: Ordering) -> bool;
    pub fn as_ptr(&self) -> *mut bool;
    pub fn try_update(&self, set_order: Ordering, fetch_order: Ordering, f: impl FnMut(bool) -> Option<bool>) -> Result<bool, bool>;
    pub fn update(&self, set_order: Ordering, fetch_order: Ordering, f: impl FnMut(bool) -> bool) -> bool;
}
impl From<bool> for AtomicBool {}
impl<T> AtomicPtr<T> {
    pub fn new(p: *mut T) -> AtomicPtr<T>;
    pub unsafe fn from_ptr<'a>(ptr: *mut *mut T) -> &'a AtomicPtr<T>;
    pub fn get_mut(&mut self) -> &mut *mut T;
    pub fn into_inner(self) -> *mut T;
    pub fn load(&self, order: Ordering) -> *mut T;
    pub fn store(&self, ptr: *mut T, order: Ordering);
    pub fn swap(&self, ptr: *mut T, order: Ordering) -> *mut T;
    pub fn compare_exchange(&self, current: *mut T, new: *mut T, success: Ordering, failure: Ordering) -> Result<*mut T, *mut T>;
    pub fn compare_exchange_weak(&self, current: *mut T, new: *mut T, success: Ordering, failure: Ordering) -> Result<*mut T, *mut T>;
    pub fn try_update(&self, set_order: Ordering, fetch_order: Ordering, f: impl FnMut(*mut T) -> Option<*mut T>) -> Result<*mut T, *mut T>;
    pub fn update(&self, set_order: Ordering, fetch_order: Ordering, f: impl FnMut(*mut T) -> *mut T) -> *mut T;
    pub fn fetch_ptr_add(&self, val: usize, order: Ordering) -> *mut T;
    pub fn fetch_ptr_sub(&self, val: usize, order: Ordering) -> *mut T;
    pub fn fetch_byte_add(&self, val: usize, order: Ordering) -> *mut T;
    pub fn fetch_byte_sub(&self, val: usize, order: Ordering) -> *mut T;
    pub fn fetch_or(&self, val: usize, order: Ordering) -> *mut T;
    pub fn fetch_and(&self, val: usize, order: Ordering) -> *mut T;
    pub fn fetch_xor(&self, val: usize, order: Ordering) -> *mut T;
    pub fn as_ptr(&self) -> *mut *mut T;
}
impl<T> Default for AtomicPtr<T> {}
impl<T> From<*mut T> for AtomicPtr<T> {}
impl<T> Pointer for AtomicPtr<T> {}
impl ATOMIC {
    pub fn new(v: INT) -> ATOMIC;
    pub unsafe fn from_ptr<'a>(ptr: *mut INT) -> &'a ATOMIC;
    pub fn get_mut(&mut self) -> &mut INT;
    pub fn into_inner(self) -> INT;
    pub fn load(&self, order: Ordering) -> INT;
    pub fn store(&self, val: INT, order: Ordering);
    pub fn swap(&self, val: INT, order: Ordering) -> INT;
    pub fn compare_exchange(&self, current: INT, new: INT, success: Ordering, failure: Ordering) -> Result<INT, INT>;
    pub fn compare_exchange_weak(&self, current: INT, new: INT, success: Ordering, failure: Ordering) -> Result<INT, INT>;
    pub fn fetch_add(&self, val: INT, order: Ordering) -> INT;
    pub fn fetch_sub(&self, val: INT, order: Ordering) -> INT;
    pub fn fetch_and(&self, val: INT, order: Ordering) -> INT;
    pub fn fetch_nand(&self, val: INT, order: Ordering) -> INT;
    pub fn fetch_or(&self, val: INT, order: Ordering) -> INT;
    pub fn fetch_xor(&self, val: INT, order: Ordering) -> INT;
    pub fn try_update(&self, set_order: Ordering, fetch_order: Ordering, f: impl FnMut(INT) -> Option<INT>) -> Result<INT, INT>;
    pub fn update(&self, set_order: Ordering, fetch_order: Ordering, f: impl FnMut(INT) -> INT) -> INT;
    pub fn fetch_max(&self, val: INT, order: Ordering) -> INT;
    pub fn fetch_min(&self, val: INT, order: Ordering) -> INT;
    pub fn as_ptr(&self) -> *mut INT;
}
impl From<INT> for ATOMIC {}
}
pub mod mpsc {
use {std::error::Error, std::fmt::Debug, std::fmt::Display, std::time::Duration};
pub struct IntoIter<T>;
pub struct Iter<'a, T: 'a>;
pub struct Receiver<T>;
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub struct RecvError;
pub struct SendError<T>(pub T);
pub struct Sender<T>;
pub struct SyncSender<T>;
pub struct TryIter<'a, T: 'a>;
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub enum RecvTimeoutError {
    Timeout,
    Disconnected,
}
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub enum TryRecvError {
    Empty,
    Disconnected,
}
pub enum TrySendError<T> {
    Full(T),
    Disconnected(T),
}
pub fn channel<T>() -> (Sender<T>, Receiver<T>);
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>);
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<'a, T> Iterator for Iter<'a, T> { type Item = T; }
impl<T> Receiver<T> {
    pub fn try_recv(&self) -> Result<T, TryRecvError>;
    pub fn recv(&self) -> Result<T, RecvError>;
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError>;
    pub fn iter(&self) -> Iter<'_, T>;
    pub fn try_iter(&self) -> TryIter<'_, T>;
}
impl<'a, T> IntoIterator for &'a Receiver<T> { type Item = T; type IntoIter = Iter<'a, T>; }
impl<T> IntoIterator for Receiver<T> { type Item = T; type IntoIter = IntoIter<T>; }
impl Display for RecvError {}
impl Error for RecvError {}
impl<T: Clone> Clone for SendError<T> {}
impl<T> Display for SendError<T> {}
impl<T> Error for SendError<T> {}
impl<T: PartialEq> PartialEq for SendError<T> {}
impl<T: Copy> Copy for SendError<T> {}
impl<T: Eq> Eq for SendError<T> {}
impl<T> Sender<T> {
    pub fn send(&self, t: T) -> Result<(), SendError<T>>;
}
impl<T> Clone for Sender<T> {}
impl<T> SyncSender<T> {
    pub fn send(&self, t: T) -> Result<(), SendError<T>>;
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>>;
}
impl<T> Clone for SyncSender<T> {}
impl<'a, T> Iterator for TryIter<'a, T> { type Item = T; }
impl Display for RecvTimeoutError {}
impl Error for RecvTimeoutError {}
impl From<RecvError> for RecvTimeoutError {}
impl Display for TryRecvError {}
impl Error for TryRecvError {}
impl From<RecvError> for TryRecvError {}
impl<T: Clone> Clone for TrySendError<T> {}
impl<T> Display for TrySendError<T> {}
impl<T> Error for TrySendError<T> {}
impl<T> From<SendError<T>> for TrySendError<T> {}
impl<T: PartialEq> PartialEq for TrySendError<T> {}
impl<T: Copy> Copy for TrySendError<T> {}
impl<T: Eq> Eq for TrySendError<T> {}
}
}
pub mod task {
use {std::fmt::Debug, std::hash::Hash, std::sync::Arc};
pub macro ready { () => {} }
pub struct Context<'a>;
#[derive(Debug, PartialEq)]
pub struct RawWaker;
#[derive(Clone, Debug, PartialEq, Copy)]
pub struct RawWakerVTable;
#[derive(Clone, Debug)]
pub struct Waker;
pub enum Poll<T> {
    Ready(T),
    Pending,
}
pub trait Wake {
    fn wake(self: Arc<Self>);
    fn wake_by_ref(self: &Arc<Self>);
}
impl<'a> Context<'a> {
    pub fn from_waker(waker: &'a Waker) -> Context<'a>;
    pub fn waker(&self) -> &'a Waker;
}
impl RawWaker {
    pub fn new(data: *const (), vtable: &'static RawWakerVTable) -> RawWaker;
}
impl<W> From<Arc<W>> for RawWaker where W: Wake + Send + Sync + 'static {}
impl RawWakerVTable {
    pub fn new(clone: unsafe fn(*const ()) -> RawWaker, wake: unsafe fn(*const ()), wake_by_ref: unsafe fn(*const ()), drop: unsafe fn(*const ())) -> RawWakerVTable;
}
impl Waker {
    pub fn wake(self);
    pub fn wake_by_ref(&self);
    pub fn will_wake(&self, other: &Waker) -> bool;
    pub unsafe fn new(data: *const (), vtable: &'static RawWakerVTable) -> Waker;
    pub unsafe fn from_raw(waker: RawWaker) -> Waker;
    pub fn noop() -> &'static Waker;
    pub fn data(&self) -> *const ();
    pub fn vtable(&self) -> &'static RawWakerVTable;
}
impl AsRef<LocalWaker> for Waker {}
impl<W> From<Arc<W>> for Waker where W: Wake + Send + Sync + 'static {}
impl<T> Poll<T> {
    pub fn map<U, F>(self, f: F) -> Poll<U> where F: FnOnce(T) -> U;
    pub fn is_ready(&self) -> bool;
    pub fn is_pending(&self) -> bool;
}
impl<T, E> Poll<Result<T, E>> {
    pub fn map_ok<U, F>(self, f: F) -> Poll<Result<U, E>> where F: FnOnce(T) -> U;
    pub fn map_err<U, F>(self, f: F) -> Poll<Result<T, U>> where F: FnOnce(E) -> U;
}
impl<T, E> Poll<Option<Result<T, E>>> {
    pub fn map_ok<U, F>(self, f: F) -> Poll<Option<Result<U, E>>> where F: FnOnce(T) -> U;
    pub fn map_err<U, F>(self, f: F) -> Poll<Option<Result<T, U>>> where F: FnOnce(E) -> U;
}
impl<T> Clone for Poll<T> where T: Clone {}
impl<T> From<T> for Poll<T> {}
impl<T> Hash for Poll<T> where T: Hash {}
impl<T> Ord for Poll<T> where T: Ord {}
impl<T> PartialEq for Poll<T> where T: PartialEq {}
impl<T> PartialOrd for Poll<T> where T: PartialOrd {}
impl<T> Copy for Poll<T> where T: Copy {}
impl<T> Eq for Poll<T> where T: Eq {}
}
/// Threads.
pub mod thread {
use {std::any::Any, std::cell::Cell, std::cell::RefCell, std::error::Error, std::fmt::Debug, std::fmt::Display, std::hash::Hash, std::io, std::num::NonZero, std::result, std::time::Duration};
#[derive(Clone, Debug, PartialEq, Copy, Eq)]
pub struct AccessError;
#[derive(Debug)]
pub struct Builder;
pub struct JoinHandle<T>;
pub struct LocalKey<T: 'static>;
pub struct Scope<'scope, 'env: 'scope>;
pub struct ScopedJoinHandle<'scope, T>;
#[derive(Clone, Debug)]
pub struct Thread;
#[derive(Clone, Debug, Hash, PartialEq, Copy, Eq)]
pub struct ThreadId;
pub fn available_parallelism() -> io::Result<NonZero<usize>>;
pub fn current() -> Thread;
pub fn panicking() -> bool;
pub fn park();
pub fn park_timeout(dur: Duration);
pub fn scope<'env, F, T>(f: F) -> T where F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T;
/// Waits.
pub fn sleep(dur: Duration);
pub fn spawn<F, T>(f: F) -> JoinHandle<T> where F: FnOnce() -> T + Send + 'static, T: Send + 'static;
pub fn yield_now();
pub type Result<T> = result::Result<T, Box<dyn Any + Send + 'static>>;
impl Display for AccessError {}
impl Error for AccessError {}
impl Builder {
    pub fn new() -> Builder;
    pub fn name(self, name: String) -> Builder;
    pub fn stack_size(self, size: usize) -> Builder;
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>> where F: FnOnce() -> T + Send + 'static, T: Send + 'static;
    pub unsafe fn spawn_unchecked<F, T>(self, f: F) -> io::Result<JoinHandle<T>> where F: FnOnce() -> T + Send, T: Send;
    pub fn spawn_scoped<'scope, 'env, F, T>(self, scope: &'scope Scope<'scope, 'env>, f: F) -> io::Result<ScopedJoinHandle<'scope, T>> where F: FnOnce() -> T + Send + 'scope, T: Send + 'scope;
}
impl<T> JoinHandle<T> {
    pub fn thread(&self) -> &Thread;
    pub fn join(self) -> Result<T>;
    pub fn is_finished(&self) -> bool;
}
impl<T: 'static> LocalKey<T> {
    pub fn with<F, R>(&'static self, f: F) -> R where F: FnOnce(&T) -> R;
    pub fn try_with<F, R>(&'static self, f: F) -> result::Result<R, AccessError> where F: FnOnce(&T) -> R;
}
impl<T: 'static> LocalKey<Cell<T>> {
    pub fn set(&'static self, value: T);
    pub fn get(&'static self) -> T where T: Copy;
    pub fn take(&'static self) -> T where T: Default;
    pub fn replace(&'static self, value: T) -> T;
}
impl<T: 'static> LocalKey<RefCell<T>> {
    pub fn with_borrow<F, R>(&'static self, f: F) -> R where F: FnOnce(&T) -> R;
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R where F: FnOnce(&mut T) -> R;
    pub fn set(&'static self, value: T);
    pub fn take(&'static self) -> T where T: Default;
    pub fn replace(&'static self, value: T) -> T;
}
impl<'scope, 'env> Scope<'scope, 'env> {
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T> where F: FnOnce() -> T + Send + 'scope, T: Send + 'scope;
}
impl<'scope, T> ScopedJoinHandle<'scope, T> {
    pub fn thread(&self) -> &Thread;
    pub fn join(self) -> Result<T>;
    pub fn is_finished(&self) -> bool;
}
impl Thread {
    pub fn unpark(&self);
    pub fn id(&self) -> ThreadId;
    pub fn name(&self) -> Option<&str>;
}
}
/// Time.
pub mod time {
use {std::error, std::fmt::Debug, std::fmt::Display, std::fmt::Error, std::hash::Hash, std::iter::Sum, std::ops::Add, std::ops::Div, std::ops::Mul, std::ops::Sub};
/// A length of time.
#[derive(Clone, Debug, Default, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct Duration;
/// A point in time, for measuring.
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct Instant;
#[derive(Clone, Debug, Hash, Ord, PartialEq, PartialOrd, Copy, Eq)]
pub struct SystemTime;
#[derive(Clone, Debug)]
pub struct SystemTimeError;
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryFromFloatSecsError;
pub const UNIX_EPOCH: SystemTime;
impl Duration {
    pub const ZERO: Duration;
    pub const MAX: Duration;
    pub fn new(secs: u64, nanos: u32) -> Duration;
    /// So many seconds.
    pub fn from_secs(secs: u64) -> Duration;
    /// So many milliseconds.
    pub fn from_millis(millis: u64) -> Duration;
    pub fn from_micros(micros: u64) -> Duration;
    pub fn from_nanos(nanos: u64) -> Duration;
    pub fn from_nanos_u128(nanos: u128) -> Duration;
    pub fn from_hours(hours: u64) -> Duration;
    pub fn from_mins(mins: u64) -> Duration;
    pub fn is_zero(&self) -> bool;
    /// Whole seconds.
    pub fn as_secs(&self) -> u64;
    pub fn subsec_millis(&self) -> u32;
    pub fn subsec_micros(&self) -> u32;
    pub fn subsec_nanos(&self) -> u32;
    /// Whole milliseconds.
    pub fn as_millis(&self) -> u128;
    pub fn as_micros(&self) -> u128;
    pub fn as_nanos(&self) -> u128;
    pub fn abs_diff(self, other: Duration) -> Duration;
    pub fn checked_add(self, rhs: Duration) -> Option<Duration>;
    pub fn saturating_add(self, rhs: Duration) -> Duration;
    pub fn checked_sub(self, rhs: Duration) -> Option<Duration>;
    pub fn saturating_sub(self, rhs: Duration) -> Duration;
    pub fn checked_mul(self, rhs: u32) -> Option<Duration>;
    pub fn saturating_mul(self, rhs: u32) -> Duration;
    pub fn checked_div(self, rhs: u32) -> Option<Duration>;
    /// Seconds as a number.
    pub fn as_secs_f64(&self) -> f64;
    pub fn as_secs_f32(&self) -> f32;
    /// So many seconds, with a fraction.
    pub fn from_secs_f64(secs: f64) -> Duration;
    pub fn from_secs_f32(secs: f32) -> Duration;
    pub fn mul_f64(self, rhs: f64) -> Duration;
    pub fn mul_f32(self, rhs: f32) -> Duration;
    pub fn div_f64(self, rhs: f64) -> Duration;
    pub fn div_f32(self, rhs: f32) -> Duration;
    pub fn div_duration_f64(self, rhs: Duration) -> f64;
    pub fn div_duration_f32(self, rhs: Duration) -> f32;
    pub fn try_from_secs_f32(secs: f32) -> Result<Duration, TryFromFloatSecsError>;
    pub fn try_from_secs_f64(secs: f64) -> Result<Duration, TryFromFloatSecsError>;
}
impl Add for Duration { type Output = Duration; }
impl Div<u32> for Duration { type Output = Duration; }
impl Mul<u32> for Duration { type Output = Duration; }
impl Sub for Duration { type Output = Duration; }
impl Sum for Duration {}
impl Instant {
    /// Now.
    pub fn now() -> Instant;
    /// How long after another instant it is.
    pub fn duration_since(&self, earlier: Instant) -> Duration;
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration>;
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration;
    /// How long ago it was.
    pub fn elapsed(&self) -> Duration;
    pub fn checked_add(&self, duration: Duration) -> Option<Instant>;
    pub fn checked_sub(&self, duration: Duration) -> Option<Instant>;
}
impl Add<Duration> for Instant { type Output = Instant; }
impl Sub<Duration> for Instant { type Output = Instant; }
impl SystemTime {
    pub const UNIX_EPOCH: SystemTime;
    pub fn now() -> SystemTime;
    pub fn duration_since(&self, earlier: SystemTime) -> Result<Duration, SystemTimeError>;
    pub fn elapsed(&self) -> Result<Duration, SystemTimeError>;
    pub fn checked_add(&self, duration: Duration) -> Option<SystemTime>;
    pub fn checked_sub(&self, duration: Duration) -> Option<SystemTime>;
}
impl Add<Duration> for SystemTime { type Output = SystemTime; }
impl Sub<Duration> for SystemTime { type Output = SystemTime; }
impl SystemTimeError {
    pub fn duration(&self) -> Duration;
}
impl Display for SystemTimeError {}
impl error::Error for SystemTimeError {}
impl Display for TryFromFloatSecsError {}
impl error::Error for TryFromFloatSecsError {}
}
/// Growable arrays.
pub mod vec {
use {std::collections::TryReserveError, std::collections::VecDeque, std::hash::Hash, std::io::Write, std::mem::MaybeUninit, std::ops::Deref, std::ops::DerefMut, std::ops::RangeBounds, std::slice::Iter, std::slice::IterMut};
pub struct Drain<'a, T> where T: 'a;
pub struct ExtractIf<'a, T, F>;
pub struct IntoIter<T>;
pub struct Splice<'a, I> where I: Iterator + 'a;
/// A growable array.
pub struct Vec<T>;
impl<'a, T> Drain<'a, T> {
    pub fn as_slice(&self) -> &[T];
}
impl<'a, T> AsRef<[T]> for Drain<'a, T> {}
impl<T> DoubleEndedIterator for Drain<'_, T> {}
impl<T> ExactSizeIterator for Drain<'_, T> {}
impl<T> Iterator for Drain<'_, T> { type Item = T; }
impl<T, F> Iterator for ExtractIf<'_, T, F> where F: FnMut(&mut T) -> bool { type Item = T; }
impl<T> IntoIter<T> {
    pub fn as_slice(&self) -> &[T];
    pub fn as_mut_slice(&mut self) -> &mut [T];
}
impl<T> AsRef<[T]> for IntoIter<T> {}
impl<T> Clone for IntoIter<T> where T: Clone {}
impl<T> Default for IntoIter<T> {}
impl<T> DoubleEndedIterator for IntoIter<T> {}
impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> Iterator for IntoIter<T> { type Item = T; }
impl<I> DoubleEndedIterator for Splice<'_, I> where I: Iterator {}
impl<I> ExactSizeIterator for Splice<'_, I> where I: Iterator {}
impl<I> Iterator for Splice<'_, I> where I: Iterator { type Item = <I as Iterator>::Item; }
impl<T> Vec<T> {
    /// An empty vector.
    pub fn new() -> Vec<T>;
    /// An empty vector with room for so many elements.
    pub fn with_capacity(capacity: usize) -> Vec<T>;
    pub unsafe fn from_raw_parts(ptr: *mut T, length: usize, capacity: usize) -> Vec<T>;
    pub fn into_raw_parts(self) -> (*mut T, usize, usize);
    /// Adds an element at the end.
    pub fn push(&mut self, value: T);
    pub fn push_mut(&mut self, value: T) -> &mut T;
    /// Room without growing.
    pub fn capacity(&self) -> usize;
    /// Makes room for more elements.
    pub fn reserve(&mut self, additional: usize);
    pub fn reserve_exact(&mut self, additional: usize);
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), TryReserveError>;
    pub fn shrink_to_fit(&mut self);
    pub fn shrink_to(&mut self, min_capacity: usize);
    pub fn into_boxed_slice(self) -> Box<[T]>;
    /// Cuts to so many elements.
    pub fn truncate(&mut self, len: usize);
    /// As a slice.
    pub fn as_slice(&self) -> &[T];
    pub fn as_mut_slice(&mut self) -> &mut [T];
    pub fn as_ptr(&self) -> *const T;
    pub fn as_mut_ptr(&mut self) -> *mut T;
    pub unsafe fn set_len(&mut self, new_len: usize);
    /// Removes the element at a position and puts the last one there.
    pub fn swap_remove(&mut self, index: usize) -> T;
    /// Puts an element at a position and shifts the rest.
    pub fn insert(&mut self, index: usize, element: T);
    pub fn insert_mut(&mut self, index: usize, element: T) -> &mut T;
    /// Removes the element at a position and shifts the rest.
    pub fn remove(&mut self, index: usize) -> T;
    /// Keeps the elements that satisfy a condition.
    pub fn retain<F>(&mut self, f: F) where F: FnMut(&T) -> bool;
    pub fn retain_mut<F>(&mut self, f: F) where F: FnMut(&mut T) -> bool;
    pub fn dedup_by_key<F, K>(&mut self, key: F) where F: FnMut(&mut T) -> K, K: PartialEq;
    pub fn dedup_by<F>(&mut self, same_bucket: F) where F: FnMut(&mut T, &mut T) -> bool;
    /// Takes the last element.
    pub fn pop(&mut self) -> Option<T>;
    pub fn pop_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T>;
    /// Moves all elements of another vector to the end of this one.
    pub fn append(&mut self, other: &mut Vec<T>);
    /// Removes a range and gives its elements.
    pub fn drain<R>(&mut self, range: R) -> Drain<'_, T> where R: RangeBounds<usize>;
    /// Removes everything.
    pub fn clear(&mut self);
    pub fn len(&self) -> usize;
    pub fn is_empty(&self) -> bool;
    /// Splits off everything from a position on.
    pub fn split_off(&mut self, at: usize) -> Vec<T> where A: Clone;
    pub fn resize_with<F>(&mut self, new_len: usize, f: F) where F: FnMut() -> T;
    pub fn leak<'a>(self) -> &'a mut [T] where A: 'a;
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>];
}
impl<T> Vec<T> where T: Clone {
    /// Makes it so long, with clones of a value where it grows.
    pub fn resize(&mut self, new_len: usize, value: T);
    /// Adds clones of the elements of a slice at the end.
    pub fn extend_from_slice(&mut self, other: &[T]);
    pub fn extend_from_within<R>(&mut self, src: R) where R: RangeBounds<usize>;
}
impl<T, const N: usize> Vec<[T; N]> {
    pub fn into_flattened(self) -> Vec<T>;
}
impl<T> Vec<T> where T: PartialEq {
    /// Removes equal neighbours.
    pub fn dedup(&mut self);
}
impl<T> Vec<T> {
    pub fn splice<R, I>(&mut self, range: R, replace_with: I) -> Splice<'_, <I as IntoIterator>::IntoIter> where R: RangeBounds<usize>, I: IntoIterator<Item = T>;
    pub fn extract_if<F, R>(&mut self, range: R, filter: F) -> ExtractIf<'_, T, F> where F: FnMut(&mut T) -> bool, R: RangeBounds<usize>;
}
impl<T> AsMut<[T]> for Vec<T> {}
impl<T> AsRef<[T]> for Vec<T> {}
impl<T> Clone for Vec<T> where T: Clone {}
impl<T> Default for Vec<T> {}
impl<T> Deref for Vec<T> { type Target = [T]; }
impl<T> DerefMut for Vec<T> {}
impl<T> Extend<T> for Vec<T> {}
impl<T, const N: usize> From<[T; N]> for Vec<T> {}
impl<T> From<Vec<T>> for VecDeque<T> {}
impl<T> FromIterator<T> for Vec<T> {}
impl<T> Hash for Vec<T> where T: Hash {}
impl<'a, T> IntoIterator for &'a Vec<T> { type Item = &'a T; type IntoIter = Iter<'a, T>; }
impl<'a, T> IntoIterator for &'a mut Vec<T> { type Item = &'a mut T; type IntoIter = IterMut<'a, T>; }
impl<T> IntoIterator for Vec<T> { type Item = T; type IntoIter = IntoIter<T>; }
impl<T> Ord for Vec<T> where T: Ord {}
impl<T, U> PartialEq<[U]> for Vec<T> where T: PartialEq<U> {}
impl<T, U> PartialEq<Vec<U>> for VecDeque<T> where T: PartialEq<U> {}
impl<T, A1, A2> PartialOrd<Vec<T, A2>> for Vec<T, A1> where T: PartialOrd {}
impl Write for Vec<u8> {}
impl<T> Eq for Vec<T> where T: Eq {}
}
