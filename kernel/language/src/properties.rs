//! Properties of the text of any cell: commands and dependencies, offsets, items that are found where they are written.

use proptest::prelude::*;

use super::context::{byte_offset, char_offset, dependencies, without_commands, word_at};
use super::source::Collector;

proptest! {
    /// A `:dep` line before the first line of Rust names its crate however it is written, a later one is no command; without its
    /// commands a cell has the same length and lines.
    #[test]
    fn dependency_lines_are_read(
        name in "[a-z][a-z0-9_-]{0,8}",
        rest in " = \"1\"| = \\{ path = \"../x\" \\}|",
        before in "( {0,3}\n|// größe\n|:sccache 1\n){0,3} {0,3}",
        code in "(let x = 1;|fn f\\(\\) \\{\\}) {0,2}"
    ) {
        let cell = format!("{before}:dep {name}{rest}\n{code}\n:dep later\n");
        prop_assert_eq!(dependencies(&cell).collect::<Vec<_>>(), [name.replace('-', "_")]);
        let rust = without_commands(&cell);
        prop_assert_eq!(rust.len(), cell.len());
        prop_assert_eq!(rust.matches('\n').count(), cell.matches('\n').count());
        let line = format!(":dep {name}{rest}\n");
        prop_assert!(rust.contains(&code) && !rust.contains(&line));
    }

    /// Counted in characters or bytes, a place is the same place; a word stands around the place that was asked about.
    #[test]
    fn places_agree(text in "\\PC{0,30}|[a-zü_1 .]{0,20}", at in 0usize..40) {
        let chars = at.min(text.chars().count());
        let bytes = byte_offset(&text, chars);
        prop_assert!(text.is_char_boundary(bytes));
        prop_assert_eq!(char_offset(&text, bytes), chars);
        let (from, to) = word_at(&text, bytes);
        prop_assert!(from <= bytes && bytes <= to && text.is_char_boundary(from) && text.is_char_boundary(to));
    }

    /// Public items are found with the names, kinds of result and first paragraphs that were written, whatever stands around them.
    #[test]
    fn items_are_found(names in prop::collection::hash_set("[a-z]{4,8}_q", 1..5), doc in "[A-Za-z ]{1,20}", noise in "(struct P;|use a::b;|// x|mod m \\{\\})?") {
        let text: String = names
            .iter()
            .map(|name| format!("{noise}\n/// D {doc}\n///\n/// More.\npub fn {name}(x: f64) -> u32 {{ 0 }}\n"))
            .collect();
        let found = Collector::new("a", Default::default()).text(&text);
        let items = &found.modules[0].items;
        for name in &names {
            let item = items.iter().find(|item| item.name == *name);
            prop_assert!(item.is_some_and(|item| item.ty == "u32" && item.inputs == ["f64"]), "{name} in {text}");
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(item.map(|item| words(&item.doc)), Some(words(&format!("D {doc}"))));
        }
    }
}
