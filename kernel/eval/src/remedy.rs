//! Remedies for messages of libraries and of the system that name none.

/// Signs, of which one is in the message, and what to do then.
const REMEDIES: [(&[&str], &str); 4] = [
    (
        &["No space left", "os error 28", "File too large", "os error 27", "Disk quota", "os error 122"],
        "The disk is full, or what you may use of it: free some space (`df -h` shows where the temporary folder and the project's \
         target/ are), then run the cell again. The variables that there were are kept.",
    ),
    (
        &["ShapeError/IncompatibleShape"],
        "The shapes of two arrays do not fit, and ndarray does not say which: `a.shape()` and `b.shape()` show them. Shapes are compared \
         from the last axis on; lengths have to be equal, or one of them 1 (`b.insert_axis(Axis(1))` makes a column of a vector).",
    ),
    (
        &["ndarray: index out of bounds"],
        "An index is not smaller than the length of its axis: `a.shape()` shows the lengths, and `a.get([i, j])` asks without a panic.",
    ),
    (&["not found: \""], "The frame has no column of this name: `df.get_column_names()` lists those that it has."),
];

/// What to do, if one of `texts` is known to need it.
pub(super) fn remedy<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Option<&'static str> {
    REMEDIES.iter().find_map(|(signs, remedy)| {
        let known = |text: &str| signs.iter().any(|sign| text.contains(sign));
        texts.clone().any(known).then_some(*remedy)
    })
}

/// What the compiler says where two crates of one name meet; the name follows.
pub(super) const TWO_VERSIONS: &str = "different versions of crate `";

/// What to do where types of two versions of a crate meet, by the project's lock file.
pub(super) fn two_versions<'t>(mut texts: impl Iterator<Item = &'t str>, lock: &str) -> Option<String> {
    let name = texts.find_map(|text| text.split_once(TWO_VERSIONS)?.1.split('`').next())?;
    let lock: toml::Table = lock.parse().ok()?;
    let packages = lock.get("package")?.as_array()?;
    let of_it = packages.iter().filter_map(|package| {
        let package_name = package.get("name")?.as_str()?;
        let version = package.get("version")?.as_str()?;
        (package_name.replace('-', "_") == name).then(|| format!("`:dep {package_name} = \"={version}\"`"))
    });
    let asks: Vec<String> = of_it.collect();
    (!asks.is_empty()).then(|| {
        format!(
            "There are two of the crate {name}: the project's, and one that a `:dep` line brings; their types only look the same. Take the \
             project's, {}, with no more features than it has there, or a version of the crate that needs {name} which can do with this one.",
            asks.join(" or ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_versions_of_a_crate_the_projects_is_named() {
        let lock = "[[package]]\nname = \"two-words\"\nversion = \"1.2.3\"\n[[package]]\nname = \"other\"\nversion = \"2.0.0\"\n";
        let of = |text| two_versions([text].into_iter(), lock);
        let told = of("there are multiple different versions of crate `two_words` in the dependency graph").unwrap();
        assert!(told.contains("`:dep two-words = \"=1.2.3\"`"), "{told}");
        assert_eq!(of("two different versions of crate `absent` are being used"), None);
        assert_eq!(of("mismatched types"), None);
    }

    #[test]
    fn messages_that_need_it_and_no_others() {
        let of = |text| remedy([text].into_iter());
        let shapes = "called `Result::unwrap()` on an `Err` value: ShapeError/IncompatibleShape: incompatible shapes";
        assert!(of(shapes).is_some_and(|text| text.contains("a.shape()")));
        assert!(of("not found: \"zz\" not found").is_some_and(|text| text.contains("get_column_names")));
        assert!(of("writing x: No space left on device (os error 28)").is_some_and(|text| text.contains("df -h")));
        assert_eq!(of("cannot find value `x` in this scope: not found in this scope"), None);
        assert_eq!(of("ndarray: inputs 2 × 3 and 2 × 3 are not compatible"), None);
    }
}
