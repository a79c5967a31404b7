//! The nearest names to a mistyped one.

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
///
/// Cost: `len(a) * len(b)`.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j - 1] + cost).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Up to `most` of `names` that read like `asked`, nearest first; empty if none does.
///
/// A name is near if at most a third of the asked letters differ (never fewer than two), or if it
/// ends with what was asked, as when the part before the slash was forgotten.
pub(crate) fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let limit = (asked.chars().count() / 3).max(2);
    let tail = asked.rsplit('/').next().unwrap_or(asked);
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let distance = edit_distance(asked, name);
            let same_tail = !tail.is_empty() && name.rsplit('/').next() == Some(tail);
            match (same_tail, distance <= limit) {
                (true, _) => Some((0, name)),
                (false, true) => Some((distance, name)),
                (false, false) => None,
            }
        })
        .collect();
    near.sort();
    // A clear winner stands alone: ids of one family differ by a digit, and a list of them is noise.
    let best = near.first().map_or(0, |n| n.0);
    near.iter()
        .take_while(|n| n.0 <= best + 1)
        .take(most)
        .map(|n| n.1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_done_by_hand() {
        assert_eq!(edit_distance("", ""), 0);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("flaw", "lawn"), 2);
        assert_eq!(edit_distance("ab", "ba"), 1);
        assert_eq!(edit_distance("größe", "grösse"), 2);
    }

    #[test]
    fn suggests_near_names_only() {
        let names = ["memory/rate", "memory/energy", "features/rate"];
        let near = |asked| nearest(asked, names.iter().copied(), 3);
        assert_eq!(near("memory/rat"), ["memory/rate"]);
        assert_eq!(near("rate"), ["features/rate", "memory/rate"]);
        assert!(near("zzzzzzzz").is_empty());
    }
}
