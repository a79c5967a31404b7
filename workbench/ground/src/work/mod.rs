//! Long computations that can be stopped and watched. At the bottom of the crate: it knows nothing of display.
//!
//! A computation that may take longer than a moment asks [`stop_requested`] at least every tenth of a second. What it does then
//! depends on what it has: an optimizer or a simulation returns the best state so far and calls [`stopped`] to say how far it came; a
//! computation whose parts mean nothing alone returns [`Stopped`], through [`check`].
//!
//! What can be watched has two names, `x` and `x_watched` (`run` and `run_watched`): the second takes an [`Observer`] last and tells it
//! how far it is. Where runs go side by side, the observer has to be `Send`, and [`Finished`] tells it.
//!
//! ```
//! use workbench_ground::work;
//! let mut total = 0usize;
//! for i in 0..1_000_000 {
//!     if work::stop_requested() {
//!         work::stopped("sum", i, Some(1_000_000));
//!         break;
//!     }
//!     total += i;
//! }
//! assert_eq!(total, 499_999_500_000);
//! ```

mod finished;
mod request;

use std::sync::{Mutex, PoisonError};

pub use finished::Finished;
pub use request::{cell, clear_stop, overdue, request_stop, stop_requested};

/// A computation ended early because the user asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation}: stopped as you asked, after {done} of {of} steps; run the cell again for the whole result")]
pub struct Stopped {
    /// What was running.
    pub operation: &'static str,
    /// Steps that were finished.
    pub done: usize,
    /// Steps that were asked for.
    pub of: usize,
}

/// How a run that keeps what it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// All steps are done.
    Done,
    /// A stop was requested: what was computed is kept, and the run goes on from here when asked again.
    Stopped,
}

/// `Err` when a stop was requested; for computations whose partial results mean nothing.
///
/// ```
/// use workbench_ground::work;
/// assert!(work::check("exact error", 3, 10).is_ok());
/// work::request_stop();
/// assert_eq!(work::check("exact error", 3, 10).unwrap_err().done, 3);
/// work::clear_stop();
/// ```
///
/// **Errors**: [`Stopped`] with the numbers given. Cost: that of [`stop_requested`].
#[inline]
pub fn check(operation: &'static str, done: usize, of: usize) -> Result<(), Stopped> {
    if stop_requested() {
        return Err(Stopped { operation, done, of });
    }
    Ok(())
}

/// Tells the kernel that a computation of this cell ended early on request and kept what it had, for the message that ends the cell.
/// `of` is `None` for a computation without a known end. Each operation is told once per cell; without our kernel nothing is sent.
///
/// A message of this kind is the only thing that this module writes, and it does so itself: a computation that stops in a cell which
/// shows nothing must be heard too.
#[cold]
pub fn stopped(operation: &str, done: usize, of: Option<usize>) {
    /// More names than this in one cell say nothing to a reader.
    const MOST: usize = 16;
    static TOLD: Mutex<(u32, Vec<String>)> = Mutex::new((0, Vec::new()));
    if crate::channel::host() != crate::channel::Host::Kernel {
        return;
    }
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.0 != cell() {
        *told = (cell(), Vec::new());
    }
    if told.1.len() < MOST && !told.1.iter().any(|name| name == operation) {
        told.1.push(operation.to_string());
        let of = of.map_or_else(String::new, |of| of.to_string());
        crate::channel::signal(
            "stopped",
            &[("operation", operation.into()), ("done", done.to_string().into()), ("of", of.into())],
        );
    }
}

/// Where a computation stands: what an [`Observer`] is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Steps finished.
    pub done: usize,
    /// Steps in all.
    pub of: usize,
    /// The quantity that the computation is about, such as the loss; `None` when there is none yet.
    pub value: Option<f64>,
}

/// Watches a long computation: `&mut progress` of the display, `&mut` an observer of one's own, or `&mut Unwatched`.
///
/// Called often: an implementation that shows something limits its own rate.
pub trait Observer {
    /// Called after each step, or each block of steps.
    fn observe(&mut self, step: Step);

    /// Called before the first step by a computation that knows what the value of its steps is, such as "loss". Does nothing by default.
    fn value_is(&mut self, _name: &str) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Observer for Unwatched {
    fn observe(&mut self, _: Step) {}
}

/// An observer that keeps what it was told.
#[derive(Clone, Debug, Default)]
pub struct Seen(pub Vec<Step>);

impl Observer for Seen {
    fn observe(&mut self, step: Step) {
        self.0.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsed_stop_is_seen_on_this_thread_only() {
        crate::rehearsal::stop_after(2, || {
            assert!(check("a", 0, 9).is_ok() && check("a", 1, 9).is_ok());
            let error = check("a", 2, 9).unwrap_err();
            assert_eq!((error.operation, error.done, error.of), ("a", 2, 9));
            assert!(error.to_string().contains("after 2 of 9 steps"));
            assert!(!std::thread::spawn(stop_requested).join().unwrap());
            assert!(stop_requested(), "the request stays");
        });
        assert!(!stop_requested());
    }

    #[test]
    fn looks_are_counted() {
        let (result, looks) = crate::rehearsal::count(|| (0..7).filter(|_| stop_requested()).count());
        assert_eq!((result, looks), (0, 7));
    }
}
