//! The ground of the kernel's crates: what all of them say, read and leave in the same way. It knows none of them.
//!
//! A command of the front door reads its options with [`args`], tells its steps through [`progress`], and ends in [`ending`] with the
//! status that its [`error`] asks for. A notebook that it works on is a file of [`notebook`]: parsed to be checked and read, and written
//! back byte for byte with the outputs of a run. A cell of it is looked at as text by [`source`] before anything parses it: which of its
//! lines are commands, and whether its nesting would use up a parser's stack; [`knobs`] are the values that it allows to be turned. An
//! interrupt of a running cell is a word in the shared file of [`control`], to which the cell and, through [`stoppable`], compilers and builds
//! listen. Keys and tokens lie in folders of [`private`], which [`scratch`] makes and takes away again. [`names`] is what kernel and clients
//! agree on, [`text`] how words reach a page.

#![warn(missing_docs)]

pub mod args;
pub mod control;
pub mod ending;
pub mod error;
pub mod fingerprint;
pub mod knobs;
pub mod names;
pub mod notebook;
pub mod private;
pub mod progress;
pub mod scratch;
pub mod source;
pub mod stoppable;
pub mod text;
