//! Inside a room, too, arrows point one way: no two of its modules use each other, directly or around.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Not the ledger: a session gives settings, whose plan stands on the card, whose row an error carries; its files are one module.
/// Papers' rooms, which are found by their tables of statements, stand beside these.
const ROOMS: [&str; 4] = ["ground", "display", "tensors", "variables"];

/// The most modules of a crate of the kernel that use each other around: a cell's way has turns, and they stay in sight.
const LARGEST: usize = 5;

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

/// A file without its comments and without the tests at its end.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let own = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = own.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of a `use`, with its braces taken apart: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<String> {
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let inside = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in inside.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (c, depth) {
            (',', 0) => parts.push(String::new()),
            _ => parts.last_mut().unwrap().push(c),
        }
    }
    let whole = |part: &String| paths(&format!("{}{}", head.trim(), part.trim()));
    parts.iter().filter(|part| !part.trim().is_empty()).flat_map(whole).collect()
}

/// What follows `use `, up to the semicolon, with braces taken apart.
fn uses(code: &str) -> Vec<String> {
    let after = code.split("use ").skip(1);
    after.flat_map(|rest| paths(rest.split(';').next().unwrap_or_default())).collect()
}

/// The module of a room that a file stands in.
fn top(inside: &Path) -> String {
    let first = inside.iter().next().and_then(|top| top.to_str()).unwrap_or_default();
    first.trim_end_matches(".rs").to_owned()
}

/// The modules of a room, and which of them each one uses, with the place.
fn arrows(room: &Path) -> BTreeMap<String, BTreeMap<String, String>> {
    let front = code(&room.join("lib.rs"));
    let lines = front.lines().filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'));
    let modules: BTreeSet<&str> = lines.collect();
    // Names that the front page hands on are used as `crate::Name`.
    let mut home: BTreeMap<String, String> = modules.iter().map(|m| ((*m).to_owned(), (*m).to_owned())).collect();
    for path in uses(&front) {
        let path = path.strip_prefix("self::").unwrap_or(&path);
        let (first, last) = (path.split("::").next().unwrap_or_default(), path.rsplit("::").next().unwrap_or_default());
        if modules.contains(first) {
            home.insert(last.rsplit(" as ").next().unwrap_or_default().to_owned(), first.to_owned());
        }
    }
    let mut files = Vec::new();
    sources(room, &mut files);
    let mut tests = BTreeSet::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let declared = text.split("#[cfg(test)]\n").skip(1);
        let declared = declared.filter_map(|rest| rest.lines().next()?.split_once("mod ")?.1.strip_suffix(';'));
        tests.extend(declared.map(|name| format!("{name}.rs")));
        let module = top(file.strip_prefix(room).unwrap());
        let exported = text.split("#[macro_export]\nmacro_rules! ").skip(1);
        let exported = exported.filter_map(|rest| rest.split(' ').next());
        home.extend(exported.map(|name| (name.to_owned(), module.clone())));
    }
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for file in files {
        let inside = file.strip_prefix(room).unwrap();
        let module = &*top(inside);
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !modules.contains(module) || tests.contains(name) {
            continue;
        }
        let depth = inside.iter().count() - usize::from(name == "mod.rs");
        let text = code(&file).replace(&"super::".repeat(depth), "crate::");
        let named = text.split("crate::").skip(1);
        let named = named.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default());
        let mut named: Vec<String> = named.map(str::to_owned).collect();
        let handed = uses(&text);
        let handed = handed.iter().filter_map(|path| path.strip_prefix("crate::"));
        named.extend(handed.map(|path| path.split("::").next().unwrap_or_default().to_owned()));
        for to in named.iter().filter_map(|name| home.get(name)).filter(|to| *to != module) {
            let from = found.entry(module.to_owned()).or_default();
            from.insert(to.clone(), inside.display().to_string());
        }
    }
    found
}

/// What `from` reaches.
fn reached(arrows: &BTreeMap<String, BTreeMap<String, String>>, from: &str) -> BTreeSet<String> {
    let (mut all, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(module) = next.pop() {
        for to in arrows.get(&module).into_iter().flat_map(BTreeMap::keys) {
            if all.insert(to.clone()) {
                next.push(to.clone());
            }
        }
    }
    all
}

/// Each arrow that comes back.
fn circles(room: &Path) -> Vec<String> {
    let arrows = arrows(room);
    let mut circles = Vec::new();
    for (module, to) in &arrows {
        let back = to.iter().filter(|(other, _)| reached(&arrows, other).contains(module));
        circles.extend(back.map(|(other, file)| format!("{module} uses {other} in {file}")));
    }
    circles
}

#[test]
fn modules_of_a_room_do_not_go_in_circles() {
    let folders = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap().map(|entry| entry.unwrap());
    let rooms: Vec<PathBuf> = folders
        .filter(|entry| {
            ROOMS.iter().any(|room| entry.file_name() == *room) || entry.path().join("statements.md").is_file()
        })
        .map(|entry| entry.path())
        .collect();
    let arrows: usize = rooms.iter().map(|room| arrows(&room.join("src")).len()).sum();
    assert!(rooms.len() > ROOMS.len() && arrows > 50, "{arrows} in {rooms:?}");
    for room in rooms {
        let circles = circles(&room.join("src"));
        assert!(circles.is_empty(), "{}: arrows that come back: {circles:#?}", room.display());
    }
}

/// The modules that use each other around, by what belongs together.
fn largest_circle(room: &Path) -> BTreeSet<String> {
    let arrows = arrows(room);
    let circle = |module: &String| -> BTreeSet<String> {
        let others = reached(&arrows, module);
        others.into_iter().filter(|other| reached(&arrows, other).contains(module)).collect()
    };
    arrows.keys().map(circle).max_by_key(BTreeSet::len).unwrap_or_default()
}

#[test]
fn circles_in_the_kernel_s_crates_are_small() {
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel");
    let folders = std::fs::read_dir(kernel).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let crates: Vec<PathBuf> = folders.filter(|folder| folder.join("lib.rs").is_file()).collect();
    assert!(crates.len() > 10, "{crates:?}");
    for folder in crates {
        let circle = largest_circle(&folder);
        assert!(circle.len() <= LARGEST, "{}: {circle:?}", folder.display());
    }
}

#[test]
fn a_planted_circle_is_found() {
    let room = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = room.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("lib.rs", "mod a;\npub mod b;\nmod c;\npub use self::a::{One as First, Two};\npub use c::x;\n");
    write("a.rs", "use super::b::Part;\n#[cfg(test)]\nmod tests {\n    use crate::x;\n}\n");
    write("b/mod.rs", "mod part;\n#[cfg(test)]\nmod trial;\n");
    write("b/part.rs", "pub struct Part; // crate::First\n");
    write("b/trial.rs", "use crate::First;\n");
    write("c.rs", "use crate::{First, b::Part};\n");
    assert_eq!(circles(room.path()), Vec::<String>::new());
    assert!(largest_circle(room.path()).is_empty());
    for arrow in ["use crate::First;\n", "fn f(t: super::super::Two) {}\n", "use crate::{b, x};\n"] {
        write("b/part.rs", arrow);
        assert!(!circles(room.path()).is_empty(), "{arrow}");
        assert!(largest_circle(room.path()).len() > 1, "{arrow}");
    }
}

#[test]
fn trees_of_uses_are_taken_apart() {
    assert_eq!(uses("pub use a::{b, c::{d, e}};\nuse crate::x;"), ["a::b", "a::c::d", "a::c::e", "crate::x"]);
    let circle = [("a", "b"), ("b", "c"), ("c", "a")];
    let arrows = circle.map(|(from, to)| (from.to_owned(), BTreeMap::from([(to.to_owned(), String::new())])));
    assert!(reached(&BTreeMap::from(arrows), "b").contains("b"));
}
