//! The nearest names to a mistyped one.

/// Up to `most` of `names` that read like `asked`, nearest first; empty if none does.
///
/// A name is near if at most a third of the asked letters differ (never fewer than two), or if it
/// ends with what was asked, as when the part before the slash was forgotten.
pub fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let limit = (asked.chars().count() / 3).max(2);
    let tail = asked.rsplit('/').next().unwrap_or(asked);
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let distance = strsim::osa_distance(asked, name);
            let same_tail = !tail.is_empty() && name.rsplit('/').next() == Some(tail);
            match (same_tail, distance <= limit) {
                (true, _) => Some((0, name)),
                (false, true) => Some((distance, name)),
                (false, false) => None,
            }
        })
        .collect();
    near.sort_unstable();
    // A clear winner stands alone: ids of one family differ by a digit, and a list of them is noise.
    let best = near.first().map_or(0, |n| n.0);
    near.iter().take_while(|n| n.0 <= best + 1).take(most).map(|n| n.1).collect()
}

/// "; did you mean `a` or `b`?"; empty without names.
pub fn question(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    format!("; did you mean {}?", quoted.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_near_names_only() {
        let names = ["memory/rate", "memory/energy", "features/rate"];
        let near = |asked| nearest(asked, names.iter().copied(), 3);
        assert_eq!(near("memory/rat"), ["memory/rate"]);
        assert_eq!(near("rate"), ["features/rate", "memory/rate"]);
        assert!(near("zzzzzzzz").is_empty());
    }
}
