//! `#[cfg(...)]`: whether an item is compiled at all, given a crate's features.

use std::collections::BTreeSet;

/// Whether attributes (each as text) leave an item in.
pub fn holds<'a>(attributes: impl IntoIterator<Item = &'a str>, features: &BTreeSet<String>) -> bool {
    attributes.into_iter().all(|attribute| {
        let text: String = attribute.chars().filter(|c| !c.is_whitespace()).collect();
        match text.trim_start_matches(['#', '!', '[']).strip_prefix("cfg(").and_then(|t| t.strip_suffix(")]")) {
            Some(condition) => condition_holds(condition, features),
            None => true,
        }
    })
}

fn condition_holds(condition: &str, features: &BTreeSet<String>) -> bool {
    for (name, all) in [("all(", true), ("any(", false)] {
        if let Some(inner) = condition.strip_prefix(name).and_then(|t| t.strip_suffix(')')) {
            let mut parts = split(inner).into_iter().map(|part| condition_holds(part, features));
            return if all { parts.all(|p| p) } else { parts.any(|p| p) };
        }
    }
    if let Some(inner) = condition.strip_prefix("not(").and_then(|t| t.strip_suffix(')')) {
        return !condition_holds(inner, features);
    }
    match condition.split_once('=') {
        Some(("feature", value)) => features.contains(value.trim_matches('"')),
        Some(("target_os", value)) => value.trim_matches('"') == std::env::consts::OS,
        Some(("target_arch", value)) => value.trim_matches('"') == std::env::consts::ARCH,
        Some(("target_family", value)) => value.trim_matches('"') == std::env::consts::FAMILY,
        Some(("target_pointer_width", value)) => value.trim_matches('"') == "64",
        Some(("target_endian", value)) => value.trim_matches('"') == "little",
        Some(("target_has_atomic", _)) => true,
        Some(_) => false,
        None => matches!(condition, "unix" | "panic" | "true" | "overflow_checks"),
    }
}

/// The parts between commas of this level.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if start < text.len() {
        parts.push(&text[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_decide() {
        let on: BTreeSet<String> = ["lazy".to_owned()].into();
        let holds = |text: &str| holds([text], &on);
        assert!(holds("#[cfg(feature = \"lazy\")]"));
        assert!(!holds("#[cfg(feature = \"pivot\")]"));
        assert!(holds("#[cfg(any(feature = \"pivot\", all(unix, feature = \"lazy\")))]"));
        assert!(!holds("#[cfg(not(any(feature = \"lazy\", windows)))]"));
        assert!(!holds("#[cfg(test)]"));
        assert!(holds("#[inline]"));
        assert!(holds("#[cfg_attr(docsrs, doc(cfg(feature = \"pivot\")))]"));
    }
}
