//! Completion: what may stand where the cursor is.

use super::View;
use super::context::{MARK, Parsed, byte_offset, char_offset, is_command, without_commands, word_at};
use super::finder::Finder;
use super::item::Item;

/// Candidates for one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completions {
    /// Where the word begins, in characters.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What may stand there, the most likely first.
    pub items: Vec<Completion>,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The word.
    pub text: String,
    /// What it is: `method`, `function`, `variable`, ...
    pub kind: &'static str,
    /// Its declaration.
    pub signature: String,
    /// First paragraph of its documentation.
    pub doc: String,
    pub(super) rank: u8,
}

/// Words of the language that a cell may use.
pub(super) const KEYWORDS: [&str; 33] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "false", "fn", "for", "if",
    "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "struct", "trait", "true",
    "type", "unsafe", "use", "where", "while",
];

/// Commands of a session.
const COMMANDS: [(&str, &str); 10] = [
    (":dep", "Loads a crate, as in `:dep workbench = { path = \"../workbench\" }`."),
    (":vars", "Lists variables and their types."),
    (":stale", "Runs all cells again whose outputs are out of date."),
    (":clear", "Drops all variables and definitions."),
    (":help", "Lists all commands."),
    (":version", "Tells the version of evcxr."),
    (":timing", "Tells how long each cell takes."),
    (":types", "Shows the type of each value."),
    (":explain", "Explains the last compile error."),
    (":show_deps", "Lists the crates that were loaded."),
];

/// Traits that can be derived.
pub(super) const DERIVES: [&str; 9] =
    ["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// Candidates at a position of a cell, counted in characters.
pub fn complete(view: &View, source: &str, cursor: usize) -> Completions {
    let offset = byte_offset(source, cursor);
    let (mut start, end) = word_at(source, offset);
    let line_start = source[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = source[line_start..].lines().next().unwrap_or_default();
    let mut items = if is_command(line) {
        if source[..start].ends_with(':') && source[line_start..start].trim() == ":" {
            start -= 1;
        }
        commands(view, &source[line_start..start])
    } else {
        let mut rust = without_commands(source);
        rust.replace_range(start..end, MARK);
        let parsed = Parsed::new(&rust);
        parsed.token(start).map_or_else(Vec::new, |token| Finder::new(view).at(&token))
    };
    let prefix = source[start..offset].to_lowercase();
    items.retain(|item| item.text.to_lowercase().starts_with(&prefix) && item.text != MARK);
    if !prefix.starts_with('_') {
        items.retain(|item| !item.text.starts_with('_'));
    }
    if !source[end..].starts_with('!') {
        for item in items.iter_mut().filter(|i| i.kind == "macro") {
            item.text.push('!');
        }
    }
    let exact = &source[start..offset];
    items.sort_by(|a, b| {
        let key = |c: &Completion| (c.rank, !c.text.starts_with(exact), c.text.clone());
        key(a).cmp(&key(b))
    });
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| seen.insert(item.text.clone()));
    Completions { start: char_offset(source, start), end: char_offset(source, end), items }
}

pub(super) fn candidate(text: &str, kind: &'static str, signature: String, doc: &str, rank: u8) -> Completion {
    Completion { text: text.to_owned(), kind, signature, doc: doc.to_owned(), rank }
}

pub(super) fn of_item(name: &str, item: &Item, rank: u8) -> Completion {
    candidate(name, item.kind.word(), item.signature.clone(), &item.doc, rank)
}

fn commands(view: &View, before: &str) -> Vec<Completion> {
    if before.trim().is_empty() {
        let all = COMMANDS.iter();
        return all.map(|(name, doc)| candidate(name, "keyword", (*name).to_owned(), doc, 0)).collect();
    }
    if before.trim() == ":dep" {
        let names = view.world.names().filter(|(n, _)| !["std", "core", "alloc", "cells"].contains(n));
        return names.map(|(n, _)| candidate(n, "module", format!("crate {n}"), "", 0)).collect();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::language;

    /// Completes at `§`, or at `|` where there is none.
    fn at(cell: &str) -> Completions {
        at_with(cell, &[])
    }

    fn at_with(cell: &str, variables: &[(&str, &str)]) -> Completions {
        let language = language();
        let variables = variables.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
        language.ran("", variables);
        let mark = if cell.contains('§') { '§' } else { '|' };
        let cursor = cell.chars().position(|c| c == mark).unwrap();
        language.complete(&cell.replacen(mark, "", 1), cursor)
    }

    fn names(found: &Completions) -> Vec<&str> {
        found.items.iter().map(|c| c.text.as_str()).collect()
    }

    const MEMORY: (&str, &str) = ("memory", "workbench::memory::AssociativeMemory");

    #[test]
    fn members_of_a_variable_have_signature_and_documentation() {
        let found = at_with("memory.|", &[MEMORY]);
        assert_eq!(names(&found)[..3], ["weights", "retrieve", "scores"]);
        assert!(names(&found).contains(&"clone"), "{:?}", names(&found));
        assert!(!names(&found).contains(&"secret"));
        assert_eq!(found.items[0].signature, "weights: Vec<f64>");
        assert_eq!(found.items[1].signature, "fn retrieve(&self, input: usize) -> Option<String>");
        assert_eq!(found.items[1].doc, "The most likely output of an input.");
        assert_eq!(found.items[1].kind, "method");
    }

    #[test]
    fn the_whole_word_is_replaced_from_any_place_in_it() {
        for cell in ["1; memory.|scores()", "1; memory.sc|ores()", "1; memory.scores|()"] {
            let found = at_with(cell, &[MEMORY]);
            assert_eq!((found.start, found.end), (10, 16), "{cell}");
            assert!(names(&found).contains(&"scores"), "{cell}");
        }
        let found = at_with("\"größe 𝛼\"; mem|", &[MEMORY]);
        assert_eq!((found.start, found.end), (11, 14));
        assert_eq!(names(&found)[0], "memory");
    }

    #[test]
    fn types_list_functions_and_enums_their_variants() {
        assert_eq!(names(&at("use workbench::memory::*; Zipf::|"))[..2], ["LIMIT", "infinite"]);
        assert_eq!(names(&at("workbench::memory::Error::|"))[..2], ["Other", "Small"]);
        assert_eq!(names(&at("Figure::n|")), ["new"]);
        assert_eq!(names(&at("Vec::<f64>::with_c|")), ["with_capacity"]);
    }

    #[test]
    fn modules_list_their_items() {
        assert_eq!(names(&at("stats::|")), ["Estimate", "mean"]);
        assert_eq!(names(&at("workbench::display::|")), ["Figure", "Panel", "ShowTable"]);
        assert_eq!(names(&at("workbench::m|")), ["memory"]);
        assert_eq!(names(&at("use workbench::memory::{Zipf, A|};")), ["AssociativeMemory"]);
        assert_eq!(names(&at(":dep workbench = { path = \"..\" }\nuse work|")), ["workbench"]);
    }

    #[test]
    fn a_bare_word_lists_variables_items_keywords_and_crates() {
        let language = language();
        language.ran("/// Twice.\nfn double(x: f64) -> f64 { 2.0 * x }", vec![("d".into(), "f64".into())]);
        let found = language.complete("let dim = 3;\nd", 14);
        let names: Vec<&str> = found.items.iter().map(|c| c.text.as_str()).collect();
        assert_eq!(names[..4], ["d", "dim", "display", "double"], "{names:?}");
        let double = found.items.iter().find(|c| c.text == "double").unwrap();
        assert_eq!((double.kind, double.doc.as_str()), ("function", "Twice."));
        for word in ["wh", "pri", "workb", "Fig", "Str", "f6"] {
            assert!(!language.complete(word, word.len()).items.is_empty(), "{word}");
        }
    }

    #[test]
    fn chains_are_followed() {
        assert_eq!(names(&at("Figure::new(\"x\").pan|")), ["panel"]);
        assert_eq!(names(&at("Figure::new(\"x\").panel(Panel::new(\"y\").li|")), ["line"]);
        assert_eq!(
            names(&at("let m = workbench::memory::AssociativeMemory::store(&[1.0], 0.1)?;\nm.sco|")),
            ["scores"]
        );
        assert_eq!(
            names(&at_with("memory.scores().iter().ma|", &[MEMORY])),
            ["map", "map_while", "max", "max_by", "max_by_key"]
        );
        assert_eq!(names(&at_with("memory.retrieve(1).unwrap().is_e|", &[MEMORY])), ["is_empty"]);
        assert_eq!(names(&at_with("println!(\"{}\", memory.sc|);", &[MEMORY])), ["scores"]);
        assert_eq!(
            names(&at_with(
                "for m in &all { m.sc| }",
                &[("all", "std::vec::Vec<workbench::memory::AssociativeMemory>")]
            )),
            ["scores"]
        );
        assert_eq!(names(&at("mean(&[1.0])?.lo|")), ["low"]);
        assert_eq!(names(&at("vec![1.0].show|")), ["show_table"]);
    }

    #[test]
    fn a_cells_own_types_are_known_inside_and_out() {
        let cell = "struct Law { alpha: f64 }\nimpl Law { fn new() -> Law { Law { alpha: 1.0 } } fn tail(&self) -> f64 { self.§ } }";
        assert_eq!(names(&at(cell)), ["alpha", "tail"]);
        let cell = "struct Law { alpha: f64 }\nimpl Law { fn new() -> Law { Self::§ } }";
        assert_eq!(names(&at(cell)), ["new"]);
        let cell = "struct Law { alpha: f64 }\nimpl Law { fn tail(&self) -> f64 { 1.0 } }\nlet law = Law { alpha: 1.0 };\nlaw.§";
        assert_eq!(names(&at(cell)), ["alpha", "tail"]);
    }

    #[test]
    fn closures_know_their_parameters() {
        let all = [("all", "std::vec::Vec<workbench::memory::AssociativeMemory>")];
        assert_eq!(names(&at_with("all.iter().filter(|m| true).map(|m| m.sc§)", &all)), ["scores"]);
        assert_eq!(names(&at_with("all.iter().map(|m| m.scores()).next().unwrap().is_e§", &all)), ["is_empty"]);
        let collected = "all.iter().map(|m| m.scores()).collect::<Vec<_>>().first().unwrap().is_e§";
        assert_eq!(names(&at_with(collected, &all)), ["is_empty"]);
    }

    #[test]
    fn fields_of_records_patterns_and_commands() {
        assert_eq!(names(&at("let e = workbench::memory::Error::Small { n: 1, | };")), ["limit"]);
        assert_eq!(names(&at("match e { workbench::memory::Error::O| => 1 }")), ["Other"]);
        assert_eq!(names(&at(":de|")), [":dep"]);
        assert_eq!(names(&at(":dep work|")), ["workbench"]);
        assert_eq!(names(&at("#[derive(De|)] struct S;")), ["Debug", "Default"]);
        for nothing in ["\"memo|\"", "// memo|", "let mem| = 1;", "nothing.at_all.|", "fn na|"] {
            assert!(at(nothing).items.is_empty(), "{nothing}: {:?}", at(nothing));
        }
    }
}
