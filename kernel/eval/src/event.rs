//! Events of a running cell: what it shows, asks, and is called.

use super::channel::Output;
use super::input::Question;
use super::output::Stream;

/// What a running cell shows or asks.
#[derive(Debug)]
pub enum Event {
    /// Text on one of the streams.
    Text(Stream, String),
    /// One rich output.
    Show(Output),
    /// The outputs of the cell go; with `true` when the next one comes.
    Clear(bool),
    /// The cell waits for a line of the reader's.
    Ask(Question),
}

/// Receives what a running cell shows, as it happens.
pub type Sink = dyn Fn(Event) + Send + Sync;

/// Names the cell to the code that runs in it (see the ledger).
#[derive(Debug, Clone, Default)]
pub struct CellName {
    /// The notebook format's cell id, where the front end tells it.
    pub id: String,
    /// The execution number.
    pub count: usize,
}
