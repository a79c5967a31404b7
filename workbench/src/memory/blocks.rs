//! Long passes cut into blocks, so that a computation can be stopped between two of them.

use std::ops::Range;

/// Operations between two looks at the wish to stop: some hundredths of a second.
const BLOCK_OPERATIONS: usize = 1 << 27;

/// The ranges that cover `0..n` when each item takes `cost` operations.
pub(crate) fn blocks(n: usize, cost: usize) -> impl Iterator<Item = Range<usize>> {
    let length = (BLOCK_OPERATIONS / cost.max(1)).max(1);
    (0..n)
        .step_by(length)
        .map(move |from| from..n.min(from.saturating_add(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_in_one_block() {
        for (n, cost) in [(0, 1), (1, 0), (10, usize::MAX), (1000, BLOCK_OPERATIONS / 300), (5, 1)] {
            let all: Vec<usize> = blocks(n, cost).flatten().collect();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
        assert_eq!(blocks(1000, BLOCK_OPERATIONS / 300).next(), Some(0..300));
    }
}
