//! Long computations that can be stopped and watched. At the bottom of the crate: it knows nothing of display or kernels.
//!
//! A computation that may take longer than a moment asks [`stop_requested`] at least every tenth of a second. What it does then
//! depends on what it has: an optimizer or a simulation returns the best state so far and says how far it came; a computation
//! whose parts mean nothing alone returns [`Stopped`], through [`check`].

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// True when the user has asked the running cell to stop. Cost: one relaxed load.
#[inline]
pub fn stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Asks running computations to stop, as an interrupt of the kernel does. For programs and tests.
pub fn request_stop() {
    STOP.store(true, Ordering::Relaxed);
}

/// Takes the request back, as the kernel does before each cell.
pub fn clear_stop() {
    STOP.store(false, Ordering::Relaxed);
}

/// A computation ended early because the user asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation}: stopped as you asked, after {done} of {of} steps; run the cell again for the whole result")]
pub struct Stopped {
    /// What was running.
    pub operation: &'static str,
    /// Steps that were finished.
    pub done: u64,
    /// Steps that were asked for.
    pub of: u64,
}

/// `Err` when a stop was requested; for computations whose partial results mean nothing.
///
/// ```
/// use workbench::work;
/// assert!(work::check("exact error", 3, 10).is_ok());
/// work::request_stop();
/// assert_eq!(work::check("exact error", 3, 10).unwrap_err().done, 3);
/// work::clear_stop();
/// ```
///
/// **Errors** [`Stopped`] with the numbers given.
#[inline]
pub fn check(operation: &'static str, done: u64, of: u64) -> Result<(), Stopped> {
    if stop_requested() {
        return Err(Stopped { operation, done, of });
    }
    Ok(())
}

/// Where a computation stands: what an [`Observer`] is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Steps finished.
    pub done: u64,
    /// Steps in all.
    pub of: u64,
    /// The quantity that the computation is about, such as the loss; `None` when there is none yet.
    pub value: Option<f64>,
}

/// Watches a long computation. Called often: an implementation that shows something limits its own rate.
pub trait Observer {
    /// Called after each step, or each block of steps.
    fn observe(&mut self, step: Step);
}

/// An observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    fn observe(&mut self, _: Step) {}
}
