//! One name has one meaning in all rooms: a reader who has met a type in one of them is not misled in the next.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const ROOMS: [&str; 10] = [
    "ground",
    "display",
    "ledger",
    "features",
    "gradient_memory",
    "memory",
    "memformer",
    "optimizer",
    "tensors",
    "variables",
];
/// One notion each, in rooms that do not see each other: the errors of display and ledger, which are no numeric ones; the method Adam as
/// a memory, as a rival of first-order methods and as an optimizer of anything; dual numbers with all partial derivatives and with one.
const SHARED: [&str; 4] = ["Adam", "AdamSettings", "Dual", "Error"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The types that a file makes public at its top level, its tests apart.
fn public_types(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    lines.filter_map(|line| {
        let mut words = line
            .strip_prefix("pub ")?
            .split(|c: char| !c.is_alphanumeric() && c != '_');
        match words.next()? {
            "struct" | "enum" | "trait" | "type" => words.next().map(str::to_owned),
            _ => None,
        }
    })
}

#[test]
fn a_type_s_name_is_used_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for room in ROOMS {
        let mut files = Vec::new();
        sources(&root.join(room).join("src"), &mut files);
        assert!(!files.is_empty(), "{room}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let file = file.strip_prefix(root).unwrap().to_owned();
            for name in public_types(&text) {
                places.entry(name).or_default().push(file.clone());
            }
        }
    }
    assert!(places.len() > 300, "{}", places.len());
    let twice: Vec<_> = places
        .iter()
        .filter(|(name, files)| files.len() > 1 && !SHARED.contains(&name.as_str()))
        .collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn names_are_read_from_lines_of_their_own() {
    let text = "pub struct A<T> {\n    pub enum B {}\npub trait C: D {\npub(crate) struct E;\npub type F = A<u8>;\n#[cfg(test)]\npub struct G;\n";
    assert_eq!(public_types(text).collect::<Vec<_>>(), ["A", "C", "F"]);
}
