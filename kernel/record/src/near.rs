//! The nearest names to a mistyped one.

/// Up to `most` of `names` that read like `asked`, nearest first; empty if none does.
///
/// A name is near if at most a third of the asked letters differ (two at least, and never all of them), or if it
/// ends with what was asked, as when the part before the slash was forgotten. Where both have a slash, each part is near by itself: ids of
/// one paper are not alike because of their paper.
pub fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let tail = asked.rsplit('/').next().unwrap_or(asked);
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let distance = match (asked.split_once('/'), name.split_once('/')) {
                (Some((paper, own)), Some((other, name))) => {
                    apart(paper, other).and_then(|papers| Some(papers + apart(own, name)?))
                }
                _ => apart(asked, name),
            };
            let same_tail = !tail.is_empty() && name.rsplit('/').next() == Some(tail);
            if same_tail { Some((0, name)) } else { distance.map(|distance| (distance, name)) }
        })
        .collect();
    near.sort_unstable();
    // A clear winner stands alone: ids of one family differ by a digit, and a list of them is noise.
    let best = near.first().map_or(0, |n| n.0);
    near.iter().take_while(|n| n.0 <= best + 1).take(most).map(|n| n.1).collect()
}

/// How many letters differ, where few enough do.
fn apart(asked: &str, name: &str) -> Option<usize> {
    let letters = asked.chars().count();
    let limit = (letters / 3).max(2).min(letters.saturating_sub(1));
    Some(strsim::osa_distance(asked, name)).filter(|distance| *distance <= limit)
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
        assert_eq!(near("memry/rates"), ["memory/rate"]);
        assert!(near("memory/nope").is_empty(), "a paper in common is no likeness");
    }
}
