//! The house: which room sees which, how long a file may be, and that a name has one meaning in all rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Rooms that are no paper's, and one that sees another's, with those below that each may depend on. A paper's room sees the ground.
/// `record` is what a run leaves on disk, which the kernel knows, too.
const ROOMS: [(&str, &[&str]); 6] = [
    ("ground", &[]),
    ("display", &["ground", "record"]),
    ("ledger", &["display", "ground", "record"]),
    // Its memories are made of random features.
    ("optimizer", &["features", "ground"]),
    ("tensors", &["ground", "memformer"]),
    ("variables", &["ground", "optimizer"]),
];
/// What stands on them: what runs checks does not know any document. The checks of one see its room and what is below.
const ABOVE: [(&str, &[&str]); 7] = [
    ("checks/list", &[]),
    ("checks/vocabulary", &["ground", "ledger"]),
    ("checks/heavy_tailed", &["checks_vocabulary", "display", "ground", "ledger", "memory"]),
    // The random features and the learned optimizer are one document.
    ("checks/mnemosyne", &["checks_vocabulary", "display", "features", "ground", "ledger", "optimizer"]),
    ("sweep", &["display", "ground", "memformer", "memory", "optimizer", "record"]),
    ("program", &["ledger", "record"]),
    ("verify", &["checks", "ledger", "program", "sweep"]),
];
/// The kernel's crates, its benchmarks and fuzz targets, with those below that each depends on: no room is among them.
const KERNEL: [(&str, &[&str]); 15] = [
    ("machine", &[]),
    ("record", &[]),
    ("base", &["record"]),
    ("setup", &["base", "machine", "record"]),
    ("language", &["base", "setup"]),
    ("eval", &["base", "record", "setup"]),
    ("jupyter", &["base", "eval", "language", "setup"]),
    ("client", &["base"]),
    ("run", &["base", "client", "record", "setup"]),
    ("queries", &["base", "record", "run", "setup"]),
    ("pages", &["base", "queries", "record", "setup"]),
    ("tools", &["base", "pages", "queries", "record", "run", "setup"]),
    ("", &["base", "client", "eval", "jupyter", "machine", "pages", "queries", "record", "run", "setup", "tools"]),
    ("bench", &["base", "client", "eval", "pages", "record", "setup"]),
    ("fuzz", &["base", "eval", "jupyter", "language", "queries", "record"]),
];
/// The most lines of a crate of the kernel.
const LARGEST: usize = 15_000;
/// The most lines of a file.
const LONGEST: usize = 500;
/// One notion each, in rooms that do not see each other: the errors of numeric rooms, of display and of the ledger; the method Adam as
/// a memory, as a rival of first-order methods and as an optimizer of anything; dual numbers with all partial derivatives and with one.
const SHARED: [&str; 4] = ["Adam", "AdamSettings", "Dual", "Error"];

/// Functions of the ground that several rooms re-export.
const HANDED_ON: [&str; 1] = ["fraction_matrix"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders below one that hold this file.
fn with(folder: &str, file: &str) -> Vec<String> {
    let inside = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap());
    let found = inside.filter(|entry| entry.path().join(file).is_file());
    found.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// All rooms, those of papers among them: the folders with a table of statements.
fn rooms() -> BTreeMap<String, Vec<String>> {
    let papers = with(".", "statements.md").into_iter().map(|room| (room, vec!["ground".to_owned()]));
    papers.chain(listed(&ROOMS)).collect()
}

/// What each member of the workspace may depend on.
fn house() -> BTreeMap<String, Vec<String>> {
    let checks = with("checks", "build.rs").into_iter().map(|room| {
        let mut below = ["checks_vocabulary", "display", "ground", "ledger", &room].map(str::to_owned).to_vec();
        below.sort();
        (format!("checks/{room}"), below)
    });
    rooms().into_iter().chain(checks).chain(listed(&ABOVE)).collect()
}

fn listed(part: &[(&str, &[&str])]) -> impl Iterator<Item = (String, Vec<String>)> {
    part.iter().map(|(room, below)| ((*room).to_owned(), below.iter().map(|name| (*name).to_owned()).collect()))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
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
        let mut words = line.strip_prefix("pub ")?.split(|c: char| !c.is_alphanumeric() && c != '_');
        match words.next()? {
            "struct" | "enum" | "trait" | "type" | "union" => words.next(),
            _ => None,
        }
    })
}

/// The functions that a room shows on its front page.
fn shown_functions(text: &str) -> impl Iterator<Item = &str> {
    let lists = text.split("\npub use ").skip(1);
    let leaves = lists.flat_map(|rest| {
        let list = rest.split(';').next().unwrap_or_default();
        let braced = list.split_once('{').map(|(_, inside)| inside.trim_end_matches('}'));
        braced.unwrap_or_else(|| list.rsplit("::").next().unwrap_or_default()).split(',')
    });
    let names = leaves.filter_map(|leaf| leaf.split_whitespace().last());
    names.filter(|name| name.starts_with(|c: char| c.is_lowercase()))
}

/// The types that a room shows of the record, under the names that it gives them.
fn of_the_record(text: &str) -> impl Iterator<Item = &str> {
    let lists = text.split("pub use workbench_record::{").skip(1);
    let leaves = lists.flat_map(|rest| rest.split('}').next().unwrap_or_default().split(','));
    let names = leaves.filter_map(|leaf| leaf.split_whitespace().last());
    names.filter(|name| name.starts_with(char::is_uppercase))
}

/// The members of the workspace that a part of a manifest names, in order and without `workbench-`; the façade is `workbench`.
fn members(manifest: &str, part: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| *line != part).skip(1);
    let own = lines.take_while(|line| !line.starts_with('['));
    let names = own.filter_map(|line| line.split([' ', '.', '=']).next());
    let own = names.filter(|name| *name == "workbench" || name.starts_with("workbench-"));
    let mut own: Vec<String> =
        own.map(|name| name.strip_prefix("workbench-").unwrap_or(name).replace('-', "_")).collect();
    own.sort();
    own
}

fn manifest(member: &str) -> String {
    std::fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap()
}

#[test]
fn a_room_depends_on_what_is_below_it_and_the_kernel_on_no_room() {
    const PART: &str = "[dependencies]";
    for (room, below) in house() {
        assert_eq!(members(&manifest(&room), PART), below, "{room}");
    }
    for (member, below) in KERNEL {
        assert_eq!(members(&manifest(&format!("../kernel/{member}")), PART), below, "kernel/{member}");
    }
    let all: BTreeSet<&str> = KERNEL.iter().map(|(member, _)| *member).collect();
    for member in with("../kernel", "Cargo.toml") {
        assert!(all.contains(member.as_str()), "kernel/{member} stands in no list");
    }
}

/// With the façade among them, a test of the ground would first build every check.
#[test]
fn tests_and_examples_of_a_room_need_no_more_than_the_room() {
    const PART: &str = "[dev-dependencies]";
    for (room, below) in house() {
        let needs = members(&manifest(&room), PART);
        assert!(needs.iter().all(|name| below.contains(name)), "{room}: {needs:?}");
    }
    let kernel = KERNEL.map(|(member, _)| format!("../kernel/{member}"));
    for member in kernel.iter().map(String::as_str).chain(["checks"]) {
        let needs = members(&manifest(member), PART);
        assert!(!needs.contains(&"workbench".to_owned()), "{member}: {needs:?}");
    }
}

#[test]
fn no_file_is_long() {
    let mut files = Vec::new();
    sources(root(), &mut files);
    sources(&root().join("../kernel"), &mut files);
    assert!(files.len() > 500, "{}", files.len());
    let lines = |file: &PathBuf| std::fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<&PathBuf> = files.iter().filter(|file| lines(file) > LONGEST).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn no_crate_of_the_kernel_is_large() {
    let lines = |member: &str| {
        let mut files = Vec::new();
        sources(&root().join("../kernel").join(member).join("src"), &mut files);
        files.iter().map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum::<usize>()
    };
    let crates = KERNEL.iter().map(|(member, _)| *member).filter(|member| *member != "fuzz");
    let sizes: Vec<(&str, usize)> = crates.map(|member| (member, lines(member))).collect();
    assert!(sizes.iter().map(|(_, lines)| lines).sum::<usize>() > 30_000, "{sizes:?}");
    assert!(sizes.iter().all(|(_, lines)| *lines <= LARGEST), "{sizes:?}");
}

#[test]
fn a_type_s_name_is_used_once() {
    let root = root();
    let mut places: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (room, _) in rooms() {
        let mut files = Vec::new();
        sources(&root.join(&room).join("src"), &mut files);
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
    let twice: Vec<_> =
        places.iter().filter(|(name, files)| files.len() > 1 && !SHARED.contains(&name.as_str())).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn a_function_s_name_is_used_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (room, _) in rooms() {
        let text = std::fs::read_to_string(root().join(&room).join("src/lib.rs")).unwrap();
        for name in shown_functions(&text).filter(|name| !HANDED_ON.contains(name)) {
            places.entry(name.to_owned()).or_default().push(room.clone());
        }
    }
    assert!(places.contains_key("masked_softmax_attention") && places.len() > 100, "{places:#?}");
    let twice: Vec<_> = places.iter().filter(|(_, rooms)| rooms.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn members_are_read_from_the_part_that_is_asked_for() {
    let text = "[dependencies]\nworkbench-ground = { workspace = true }\nndarray = \"1\"\nworkbench-checks-memformer.workspace = true\n\n\
        [dev-dependencies]\n# A remark.\nworkbench = { path = \"..\" }\nworkbenches = \"1\"\n\n[lints]\nworkspace = true\n";
    assert_eq!(members(text, "[dependencies]"), ["checks_memformer", "ground"]);
    assert_eq!(members(text, "[dev-dependencies]"), ["workbench"]);
    assert_eq!(members(text, "[build-dependencies]"), Vec::<String>::new());
}

#[test]
fn names_are_read_from_lines_of_their_own() {
    let text = "pub struct A<T> {\n    pub enum B {}\npub trait C: D {\npub(crate) struct E;\n#[cfg(test)]\npub struct G;\npub type F = A<u8>;\n";
    assert_eq!(public_types(text).collect::<Vec<_>>(), ["A", "C", "F"]);
    let text = "pub use workbench_record::{\n    Claim, Error as RecordError, Run as RecordRun, recorded_in,\n};\npub use own::Own;\n";
    assert_eq!(of_the_record(text).collect::<Vec<_>>(), ["Claim", "RecordError", "RecordRun"]);
    let text = "//! Text.\npub use a::{\n    B, c, d as e,\n};\nuse own::f;\npub use g::h::i;\npub use j::K;\n";
    assert_eq!(shown_functions(text).collect::<Vec<_>>(), ["c", "e", "i"]);
}
