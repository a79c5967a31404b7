//! Stopping rehearsed in unit tests: after a counted number of looks, on the calling thread only, so that tests that run beside it in
//! the same process go on. A computation on several threads is rehearsed in a pool of one thread.

use std::cell::Cell;

thread_local! {
    static LOOKS: Cell<Option<usize>> = const { Cell::new(None) };
}

/// What [`crate::work::stop_requested`] answers during a rehearsal.
pub fn answer() -> Option<bool> {
    let left = LOOKS.get()?;
    LOOKS.set(Some(left.saturating_sub(1)));
    Some(left == 0)
}

/// Runs `work` with a stop requested after `looks` looks.
pub fn stop_after<T>(looks: usize, work: impl FnOnce() -> T) -> T {
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            LOOKS.set(None);
        }
    }
    LOOKS.set(Some(looks));
    let _end = End;
    work()
}

/// How often `work` looks, for tests of the interval between looks.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, usize) {
    const MANY: usize = usize::MAX / 2;
    stop_after(MANY, || {
        let result = work();
        (result, MANY - LOOKS.get().unwrap_or(MANY))
    })
}
