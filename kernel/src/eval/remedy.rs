//! What to do about messages of libraries and of the system that do not say it themselves.

/// Signs, of which one is in the message, and what to do then.
const REMEDIES: [(&[&str], &str); 4] = [
    (
        &[
            "No space left",
            "os error 28",
            "File too large",
            "os error 27",
            "Disk quota",
            "os error 122",
        ],
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
    (
        &["not found: \""],
        "The frame has no column of this name: `df.get_column_names()` lists those that it has.",
    ),
];

/// What to do, if one of `texts` is known to need it.
pub(super) fn remedy<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Option<&'static str> {
    REMEDIES.iter().find_map(|(signs, remedy)| {
        let known = |text: &str| signs.iter().any(|sign| text.contains(sign));
        texts.clone().any(known).then_some(*remedy)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
