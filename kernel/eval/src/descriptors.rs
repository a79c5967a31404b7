//! File descriptors that the process for cells is given beside its own three.

/// What cells write, as a pipe to the kernel.
pub const CELL_OUT: i32 = 200;
/// See [`CELL_OUT`].
pub const CELL_ERR: i32 = 201;
/// What the process says to evcxr.
pub const PROTOCOL_OUT: i32 = 202;
/// See [`PROTOCOL_OUT`].
pub const PROTOCOL_ERR: i32 = 203;
/// The answers of the reader to what a cell asks.
pub const ANSWERS: i32 = 204;
/// The orders of evcxr.
pub const PROTOCOL_IN: i32 = 205;
