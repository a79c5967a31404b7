//! Long passes cut into blocks, so that a computation can be stopped between two of them.

use std::ops::Range;
use workbench_ground::work::{self, Stopped};

/// Operations of a block: some hundredths of a second.
const OPERATIONS: usize = if cfg!(test) { 1 << 12 } else { 1 << 27 };

/// The ranges that cover `0..n` when each item takes `cost` operations.
pub(crate) fn blocks(n: usize, cost: usize) -> impl Iterator<Item = Range<usize>> {
    let length = (OPERATIONS / cost.max(1)).max(1);
    (0..n).step_by(length).map(move |from| from..n.min(from.saturating_add(length)))
}

/// As [`blocks`], with an error in place of a block when a stop is requested. The first block comes in any case: a pass that is over in a
/// moment is finished, so that a loop of such passes ends between two of its steps and not within one. A loop that does not look by
/// itself is ended by the pass that begins when the request has stood for a while.
pub(crate) fn watched_blocks(
    op: &'static str,
    n: usize,
    cost: usize,
) -> impl Iterator<Item = Result<Range<usize>, Stopped>> {
    blocks(n, cost).map(move |block| {
        if block.start > 0 || work::overdue() {
            work::check(op, block.start, n)?;
        }
        Ok(block)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_one_block() {
        for (n, cost) in [(0, 1), (1, 0), (10, usize::MAX), (1000, OPERATIONS / 300), (5, 1)] {
            let all: Vec<usize> = blocks(n, cost).flatten().collect();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
        assert_eq!(blocks(1000, OPERATIONS / 300).next(), Some(0..OPERATIONS / (OPERATIONS / 300)));
    }

    #[test]
    fn a_short_pass_is_finished() {
        let pass = |n| {
            workbench_ground::rehearsal::stop_after(0, || {
                watched_blocks("pass", n, OPERATIONS / 4).collect::<Result<Vec<_>, _>>()
            })
        };
        assert_eq!(pass(4).unwrap(), vec![0..4; 1]);
        let stopped = pass(5).unwrap_err();
        assert_eq!((stopped.done, stopped.of), (4, 5));
    }
}
