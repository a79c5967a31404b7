//! One name has one meaning in all rooms: a reader who has met a type in one of them is not misled in the next.

use std::collections::{BTreeMap, BTreeSet};
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
/// One notion each, in rooms that do not see each other: the errors of numeric rooms, of display and of the ledger; the method Adam as
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

/// The types that a file makes public at its top level; what stands under `#[cfg(test)]` there is left out.
fn public_types(text: &str) -> impl Iterator<Item = &str> {
    let before = std::iter::once("").chain(text.lines());
    text.lines().zip(before).filter_map(|(line, before)| {
        if before.starts_with("#[cfg(test)]") {
            return None;
        }
        let mut words = line
            .strip_prefix("pub ")?
            .split(|c: char| !c.is_alphanumeric() && c != '_');
        match words.next()? {
            "struct" | "enum" | "trait" | "type" | "union" => words.next(),
            _ => None,
        }
    })
}

/// The types that a room shows of the record, under the names that it gives them.
fn of_the_record(text: &str) -> impl Iterator<Item = &str> {
    let lists = text.split("pub use workbench_record::{").skip(1);
    let leaves = lists.flat_map(|rest| rest.split('}').next().unwrap_or_default().split(','));
    let names = leaves.filter_map(|leaf| leaf.split_whitespace().last());
    names.filter(|name| name.starts_with(char::is_uppercase))
}

#[test]
fn a_type_s_name_is_used_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut places: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for room in ROOMS {
        let mut files = Vec::new();
        sources(&root.join(room).join("src"), &mut files);
        assert!(!files.is_empty(), "{room}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for name in public_types(&text).chain(of_the_record(&text)) {
                let file = file.strip_prefix(root).unwrap().to_owned();
                places.entry(name.to_owned()).or_default().insert(file);
            }
        }
    }
    assert!(places.contains_key("RecordRun") && places.len() > 300, "{places:#?}");
    for name in SHARED {
        assert!(places[name].len() > 1, "{name} is not shared any more");
    }
    let twice: Vec<_> = places
        .iter()
        .filter(|(name, files)| files.len() > 1 && !SHARED.contains(&name.as_str()))
        .collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn names_are_read_from_lines_of_their_own() {
    let text = "pub struct A<T> {\n    pub enum B {}\npub trait C: D {\npub(crate) struct E;\n#[cfg(test)]\npub struct G;\npub type F = A<u8>;\n";
    assert_eq!(public_types(text).collect::<Vec<_>>(), ["A", "C", "F"]);
    let text = "pub use workbench_record::{\n    Claim, Error as RecordError, Run as RecordRun, recorded_in,\n};\npub use own::Own;\n";
    assert_eq!(
        of_the_record(text).collect::<Vec<_>>(),
        ["Claim", "RecordError", "RecordRun"]
    );
}
