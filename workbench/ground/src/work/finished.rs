//! Parts that are computed side by side: how many are finished, told and asked from any thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Observer, Step, Stopped, check};

/// How many of an operation's parts are finished.
///
/// ```
/// use workbench_ground::work::{Finished, Seen};
/// let mut seen = Seen::default();
/// let finished = Finished::new("demo", 8, &mut seen);
/// std::thread::scope(|threads| {
///     for _ in 0..8 {
///         threads.spawn(|| finished.one());
///     }
/// });
/// assert!(finished.go_on().is_ok());
/// assert_eq!(seen.0.iter().map(|step| step.done).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
/// ```
pub struct Finished<'a> {
    operation: &'static str,
    of: usize,
    done: AtomicUsize,
    observer: Mutex<&'a mut (dyn Observer + Send)>,
}

impl<'a> Finished<'a> {
    /// None of `of` parts yet.
    pub fn new(operation: &'static str, of: usize, observer: &'a mut (dyn Observer + Send)) -> Finished<'a> {
        Finished { operation, of, done: AtomicUsize::new(0), observer: Mutex::new(observer) }
    }

    /// One part more, told to the observer, who sees the numbers rise.
    pub fn one(&self) {
        let mut observer = self.observer.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted under the lock: that is why they rise.
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        observer.observe(Step { done, of: self.of, value: None });
    }

    /// Whether to go on, as [`check`] asks it.
    ///
    /// **Errors**: [`Stopped`] with the number of finished parts.
    pub fn go_on(&self) -> Result<(), Stopped> {
        check(self.operation, self.done.load(Ordering::Relaxed), self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Unwatched;

    #[test]
    fn a_stop_says_how_many_are_finished() {
        let mut nobody = Unwatched;
        let finished = Finished::new("parts", 5, &mut nobody);
        crate::rehearsal::stop_after(1, || {
            finished.one();
            assert!(finished.go_on().is_ok());
            finished.one();
            let stopped = finished.go_on().unwrap_err();
            assert_eq!((stopped.operation, stopped.done, stopped.of), ("parts", 2, 5));
        });
    }
}
