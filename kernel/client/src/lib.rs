//! The Jupyter client of the runner, the tests and the benchmarks: one for all.
//!
//! Messages are read and written as the JSON that is sent, so that what the protocol crate has no type for is seen too, and
//! down to their frames, so that a test can send what no honest client sends. Who wants types asks a message for them.
//!
//! | file | idea |
//! | --- | --- |
//! | `process` | a kernel process: ports, connection file, log, group, end |
//! | `message` | frames read as messages, and what belongs to one request |
//! | `peer` | the sockets of one client: sending, receiving, the first greeting |
//! | `cells` | one cell after the other, each with a limit and an outcome: what the runner and the times of `bench` need |
//! | `talk` | every message, for programs that wait for what they hear: what tests and the table of features need |
//! | `process_tree` | the processes that a kernel started |
//!
//! A cell goes out as an `execute_request`; what comes back for it (output, a question, the reply, idle) is gathered into an outcome, or, where
//! it takes too long, the kernel is interrupted and then ended. A verdict passes unread, as a card: its row in a table the cell
//! writes itself.

#![warn(missing_docs)]

mod cells;
mod error;
mod message;
mod peer;
mod process;
mod process_tree;
mod talk;

#[cfg(test)]
mod fake_kernel;
#[cfg(test)]
mod tests;

pub use cells::{Client, Executed, Outcome};
pub use error::ClientError;
pub use jupyter_protocol::connection_info::Transport;
pub use message::{Channel, Exchange, Message, execute_request, without_colours};
pub use peer::Peer;
pub use process::{Interrupt, KernelCommand, Process};
pub use process_tree::descendants;
pub use talk::Talk;
