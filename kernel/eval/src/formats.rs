//! Names that a format string mentions.

/// `{name}`, `{name:spec}`, and `{:width$.precision$}`.
pub fn names(text: &str) -> Vec<String> {
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let mut names = Vec::new();
    let text = text.replace("{{", "");
    for hole in text.split('{').skip(1) {
        let Some((hole, _)) = hole.split_once('}') else {
            continue;
        };
        let (name, spec) = hole.split_once(':').unwrap_or((hole, ""));
        names.extend(Some(name.trim()).filter(is_name).map(str::to_owned));
        let sizes = spec.split('$').rev().skip(1);
        let last_word = |part: &str| {
            let start = part.rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
            part[start.map_or(0, |at| at + part[at..].chars().next().map_or(1, char::len_utf8))..].to_owned()
        };
        names.extend(sizes.map(last_word).filter(|name| is_name(&name.as_str())));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_are_mentioned_and_escaped_braces_are_not() {
        assert_eq!(names("{x} {} {0} {{y}} {z:?}"), ["x", "z"]);
        let mut sizes = names("{:>width$.deep$} {v:1$}");
        sizes.sort();
        assert_eq!(sizes, ["deep", "v", "width"]);
        assert_eq!(names("{ open {größe:.3}"), ["größe"]);
        assert_eq!(names("}{"), [""; 0]);
    }
}
