//! The iterator that a [`Progress`] follows.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Progress;
use super::state::End;
use workbench_ground::work;

/// Looks at the clock are spread so that this much time passes between two of them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
/// Most steps between two looks: when steps suddenly take a hundred times longer, the display still follows.
const MOST_STEPS: u32 = 256;

/// Items of an iterator, whose steps a [`Progress`] shows; made by [`Progress::over`].
///
/// Ends early when a stop is requested. Shows the last state when it ends or is dropped.
pub struct Steps<I: Iterator> {
    items: I,
    progress: Progress,
    /// Steps finished.
    done: usize,
    of: Option<usize>,
    /// A step has begun: its item was handed out.
    open: bool,
    began: bool,
    ended: bool,
    /// Steps until the next look at the clock, and between looks.
    left: u32,
    stride: u32,
    last: Instant,
}

impl<I: Iterator> Steps<I> {
    pub(super) fn new(progress: Progress, items: I) -> Steps<I> {
        let of = match items.size_hint() {
            (low, Some(high)) if low == high => Some(high),
            _ => progress.shared.state().of,
        };
        Steps {
            items,
            progress,
            done: 0,
            of,
            open: false,
            began: false,
            ended: false,
            left: 0,
            stride: 1,
            last: Instant::now(),
        }
    }

    /// The part of a step that is not done at every step. Whether to go on.
    #[cold]
    fn look(&mut self) -> bool {
        if self.ended {
            return false;
        }
        if !self.began {
            self.began = true;
            self.progress.begin(self.of);
        }
        // A request that comes during the last step changes nothing.
        if work::stop_requested() && self.of != Some(self.done) {
            self.end(End::Stopped);
            return false;
        }
        let now = Instant::now();
        let passed = now.duration_since(self.last);
        self.last = now;
        if passed < BETWEEN_LOOKS {
            self.stride = (self.stride * 2).min(MOST_STEPS);
        } else if passed > 4 * BETWEEN_LOOKS {
            self.stride = (self.stride / 4).max(1);
        }
        self.left = self.stride;
        self.progress.look(now);
        true
    }

    fn end(&mut self, end: End) {
        if !self.ended {
            self.ended = true;
            self.left = 0;
            self.progress.end(self.done, end);
        }
    }
}

impl<I: Iterator> Iterator for Steps<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.done += usize::from(self.open);
        self.open = false;
        self.progress.shared.done.store(self.done, Ordering::Relaxed);
        if (self.left == 0 || work::stop_requested()) && !self.look() {
            return None;
        }
        self.left = self.left.wrapping_sub(1);
        let item = self.items.next();
        self.open = item.is_some();
        if item.is_none() {
            self.end(End::Complete);
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // A stop can end the loop at any time.
        (0, self.items.size_hint().1)
    }
}

impl<I: Iterator> Drop for Steps<I> {
    fn drop(&mut self) {
        if self.began && !self.ended {
            let in_step = self.open.then_some(self.done + 1);
            self.end(End::Left { in_step });
        }
    }
}
