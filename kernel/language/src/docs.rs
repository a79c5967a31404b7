//! Documentation in full and source text, read from an item's file when asked.

use super::declare::module_docs;
use super::item::{File, Item, Kind, Place};
use super::source::stamp;
use super::world::World;
use workbench_base::names::CRATE;

/// The text of an item; nothing when its file has changed since it was indexed.
pub fn source_text(world: &World, krate: usize, place: Place) -> Option<String> {
    let file = world.krate(krate).files.get(place.file as usize)?;
    let (start, end) = (place.start as usize, place.end as usize);
    match file {
        File::Text(text) => text.get(start..end).map(str::to_owned),
        File::Disk(path, length, time) => {
            if stamp(path) != (*length, *time) {
                return None;
            }
            std::fs::read_to_string(path).ok()?.get(start..end).map(str::to_owned)
        }
    }
}

/// The whole documentation of an item as Markdown.
pub fn documentation(world: &World, krate: usize, item: &Item) -> String {
    let text = source_text(world, krate, item.place);
    let found = match (&text, item.kind) {
        (Some(text), Kind::Module) if item.place.start == 0 => module_docs(text),
        (Some(text), _) => outer_docs(text),
        (None, _) => String::new(),
    };
    if found.is_empty() { item.doc.clone() } else { as_cells_name_it(&runnable(&found), &public_names(world)) }
}

/// Crates that cells reach through the one they load, and under which path: `workbench_memory` is `workbench::memory` there, and one whose
/// modules it shows as its own (`workbench_ground`) is `workbench`.
fn public_names(world: &World) -> Vec<(String, String)> {
    let loaded = world.names().find(|(name, _)| *name == CRATE);
    let Some((name, number)) = loaded else {
        return Vec::new();
    };
    let modules = &world.krate(number).modules;
    let rooms = world.crates().filter_map(|(_, krate)| {
        let room = krate.name.strip_prefix(name)?.strip_prefix('_')?;
        let shown = modules.iter().any(|module| module.path == room);
        let public = if shown { format!("{name}::{room}") } else { name.to_owned() };
        Some((krate.name.clone(), public))
    });
    rooms.collect()
}

/// An example as a cell may run it.
fn as_cells_name_it(text: &str, names: &[(String, String)]) -> String {
    names.iter().fold(text.to_owned(), |text, (own, public)| text.replace(&format!("{own}::"), &format!("{public}::")))
}

/// An item's source without its documentation and with the indent of its first line taken off.
pub fn source(world: &World, krate: usize, item: &Item) -> Option<String> {
    let text = source_text(world, krate, item.place)?;
    let lines: Vec<&str> = text.lines().skip_while(|l| l.trim_start().starts_with("///")).collect();
    let indent = lines
        .iter()
        .skip(1)
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start().len())
        .min()
        .unwrap_or(0);
    let cut = |l: &&str| {
        let blank = l.len() - l.trim_start().len();
        l[blank.min(indent)..].to_owned()
    };
    Some(lines.iter().map(cut).collect::<Vec<_>>().join("\n"))
}

/// The `///` lines and `#[doc = "..."]` attributes before an item.
pub fn outer_docs(text: &str) -> String {
    let mut lines = Vec::new();
    let mut depth = 0i32;
    let mut block = false;
    for line in text.lines().map(str::trim) {
        if block {
            block = !line.ends_with("*/");
            lines.push(line.trim_end_matches("*/").trim_start_matches('*').trim().to_owned());
            continue;
        }
        if depth == 0 {
            if let Some(doc) = line.strip_prefix("///").filter(|l| !l.starts_with('/')) {
                lines.push(doc.strip_prefix(' ').unwrap_or(doc).to_owned());
                continue;
            }
            if let Some(doc) = line.strip_prefix("/**") {
                block = !doc.ends_with("*/");
                lines.push(doc.trim_end_matches("*/").trim().to_owned());
                continue;
            }
            if let Some(doc) = line.strip_prefix("#[doc = \"").and_then(|l| l.strip_suffix("\"]")) {
                lines.push(doc.trim_start().to_owned());
                continue;
            }
            if line.starts_with("//") || line.is_empty() {
                continue;
            }
            if !line.starts_with("#[") {
                break;
            }
        }
        for c in line.chars() {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
        }
        depth = depth.max(0);
    }
    lines.join("\n").trim().to_owned()
}

/// Code blocks of documentation, told to be Rust and without the lines that rustdoc hides.
pub(super) fn runnable(docs: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut inside: Option<bool> = None;
    for line in docs.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            match inside {
                Some(_) => {
                    inside = None;
                    out.push("```".to_owned());
                }
                None => {
                    let words = ["", "rust", "no_run", "ignore", "should_panic", "compile_fail"];
                    let rust = language.split(',').all(|w| words.contains(&w.trim()) || w.starts_with("edition"));
                    inside = Some(rust);
                    out.push(if rust { "```rust".to_owned() } else { format!("```{language}") });
                }
            }
            continue;
        }
        let line = &match inside {
            Some(_) => line.to_owned(),
            None => without_links(line),
        };
        let hidden = inside == Some(true) && (line.trim() == "#" || line.trim_start().starts_with("# "));
        if !hidden {
            out.push(line.to_owned());
        }
    }
    out.join("\n")
}

/// Links to other items go nowhere in a notebook: what they show stays.
fn without_links(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('[') {
        let Some(length) = rest[start..].find(']') else { break };
        let (shown, after) = (&rest[start + 1..start + length], &rest[start + length + 1..]);
        let target = after.strip_prefix('(').and_then(|t| t.find(')').map(|end| (&t[..end], &t[end + 1..])));
        out.push_str(&rest[..start]);
        match target {
            Some((to, after)) if !to.contains("://") => {
                out.push_str(shown);
                rest = after;
            }
            None if shown.starts_with('`') && shown.ends_with('`') => {
                out.push_str(shown);
                rest = after;
            }
            _ => {
                out.push_str(&rest[start..=start + length]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_name_what_cells_load() {
        let names = [("shop_fruit", "shop::fruit"), ("shop_ground", "shop")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let example = "use shop_fruit::Pear;\nuse shop_ground::{stats::mean, work};\nlet shop_fruits = 1;";
        let shown = "use shop::fruit::Pear;\nuse shop::{stats::mean, work};\nlet shop_fruits = 1;";
        assert_eq!(as_cells_name_it(example, &names), shown);
    }

    #[test]
    fn documentation_stands_before_the_item() {
        let text = "/// One.\n///\n/// ```\n/// # hidden();\n/// shown();\n/// ```\n#[must_use]\n#[cfg(\n  all(unix)\n)]\n// note\n/// Last.\npub fn f() {\n    /// not this\n}";
        let docs = outer_docs(text);
        assert_eq!(docs, "One.\n\n```\n# hidden();\nshown();\n```\nLast.");
        assert_eq!(runnable(&docs), "One.\n\n```rust\nshown();\n```\nLast.");
        assert_eq!(
            without_links("see [`A::b`], [c](d::c), [site](https://x.y) and [1.5, 2]"),
            "see `A::b`, c, [site](https://x.y) and [1.5, 2]"
        );
        // JupyterLab sets formulas; a reader of plain text sees their TeX.
        let formula = "Let $\\mathbb E[X_i\\,Y]$ be.\n\n$$ a_{i}^* $$";
        assert_eq!(runnable(formula), formula);
        assert_eq!(outer_docs("/** Block.\n * more\n */\nfn f() {}").lines().next(), Some("Block."));
    }
}
