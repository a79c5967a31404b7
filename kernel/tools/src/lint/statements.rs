//! From statement to item: a table on the front page of each paper's room.
//!
//! A check's file is named after its statement, and its `use` lines say which items of a room it calls. So the table follows from the
//! registry and the sources of the checks; `workbench/ROOM/statements.md` is written whole, and the room's front page includes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{Edition, SourceFile};
use workbench_record::Registry;

use super::map::Map;
use crate::inert::inert;
use workbench_base::error::{Error, Result};
use workbench_setup::paths::paper_rooms;

/// What the checks of all papers use: no paper's room.
const SHARED: [&str; 5] = ["checks_vocabulary", "display", "ground", "ledger", "record"];

/// Above each table.
const HEAD: &str = "<!-- written by `cargo workbench lint notebooks --write` -->\n\n\
    # From statement to item\n\n\
    What the check of each statement calls, in the order of the document; `cargo workbench list CLAIM` has its verdict.\n\n\
    | statement | items | claim |\n| --- | --- | --- |\n";

/// The head of a table, with which a new room begins.
pub fn begun() -> &'static str {
    HEAD
}

/// The tables of all rooms as they stand below the project's root and as they should.
///
/// # Errors
/// If the source of a check cannot be read.
pub fn statements(registry: &Registry, root: &Path) -> Result<Vec<Map>> {
    let mut calls = Calls::default();
    let rooms = paper_rooms(root).into_iter();
    let mut tables: BTreeMap<String, String> = rooms.map(|room| (room, HEAD.to_owned())).collect();
    for claim in registry.claims() {
        // What was not tested calls nothing.
        let Some(check) = registry.checks().of(&claim.id) else {
            continue;
        };
        for (room, items) in calls.of(&root.join(&check.file))? {
            let Some(table) = tables.get_mut(room.as_str()) else {
                continue;
            };
            let links: Vec<String> = items.iter().map(|item| format!("[`{item}`]")).collect();
            let place = inert(&claim.place).replace('|', "\\|");
            *table += &format!("| {place} | {} | `{}` |\n", links.join(", "), claim.id);
        }
    }
    let maps = tables.into_iter().map(|(room, text)| {
        let file = Path::new("workbench").join(room).join("statements.md");
        let found = std::fs::read_to_string(root.join(&file)).ok();
        Map { current: found.as_ref() == Some(&text), file, text }
    });
    Ok(maps.collect())
}

/// Items by room, each once and in order.
type Items = BTreeMap<String, Vec<String>>;

/// What files of checks call, each read once.
#[derive(Default)]
struct Calls(BTreeMap<PathBuf, File>);

#[derive(Clone, Default)]
struct File {
    items: Items,
    /// The files beside it whose helpers it uses.
    helpers: Vec<String>,
}

impl Calls {
    /// The items that a file calls; where it leaves that to files beside it, theirs.
    fn of(&mut self, path: &Path) -> Result<Items> {
        let file = self.file(path)?;
        if !file.items.is_empty() {
            return Ok(file.items);
        }
        let mut items = Items::new();
        for helper in &file.helpers {
            let path = path.with_file_name(helper).with_extension("rs");
            if !path.is_file() {
                continue;
            }
            for (room, found) in self.file(&path)?.items {
                merge(items.entry(room).or_default(), found);
            }
        }
        Ok(items)
    }

    fn file(&mut self, path: &Path) -> Result<File> {
        if let Some(file) = self.0.get(path) {
            return Ok(file.clone());
        }
        let text = std::fs::read_to_string(path).map_err(|source| Error::io("read", path, source))?;
        let file = File::of(&text);
        self.0.insert(path.to_path_buf(), file.clone());
        Ok(file)
    }
}

impl File {
    fn of(text: &str) -> File {
        let mut file = File::default();
        let tree = SourceFile::parse(text, Edition::Edition2024).tree();
        for node in tree.syntax().descendants() {
            let is_test = |module: ast::Module| module.name().is_some_and(|name| name.text() == "tests");
            if node.ancestors().filter_map(ast::Module::cast).any(is_test) {
                continue;
            }
            if let Some(used) = ast::Use::cast(node.clone()).and_then(|used| used.use_tree()) {
                let mut paths = Vec::new();
                leaves(&used, "", &mut paths);
                paths.iter().for_each(|path| file.see(path));
            } else if let Some(path) = ast::Path::cast(node)
                && path.parent_path().is_none()
                && !path.syntax().ancestors().any(|above| ast::Use::can_cast(above.kind()))
            {
                file.see(&plain(&path));
            }
        }
        file.items.values_mut().for_each(|items| items.sort());
        file
    }

    /// Takes in a path: an item of a room, or one of a file beside this.
    fn see(&mut self, path: &str) {
        let Some((first, rest)) = path.split_once("::") else {
            return;
        };
        if first == "super" || first == "crate" {
            let helper = rest.split("::").next().unwrap_or(rest).to_owned();
            if !self.helpers.contains(&helper) {
                self.helpers.push(helper);
            }
        } else if let Some(room) = first.strip_prefix("workbench_").filter(|room| !SHARED.contains(room)) {
            // All rooms have the one error.
            if rest != "Error" {
                merge(self.items.entry(room.to_owned()).or_default(), vec![rest.to_owned()]);
            }
        }
    }
}

fn merge(items: &mut Vec<String>, more: Vec<String>) {
    for item in more {
        if !items.contains(&item) {
            items.push(item);
        }
    }
}

/// The paths that a tree of `use` names; a module stands for what is taken of it by `self` or `*`.
fn leaves(tree: &ast::UseTree, before: &str, paths: &mut Vec<String>) {
    let own = tree.path().map(|path| plain(&path)).unwrap_or_default();
    let path = match (before, own.as_str()) {
        ("", own) => own.to_owned(),
        (before, "self" | "") => before.to_owned(),
        (before, own) => format!("{before}::{own}"),
    };
    match tree.use_tree_list() {
        Some(list) => list.use_trees().for_each(|tree| leaves(&tree, &path, paths)),
        None => paths.push(path),
    }
}

/// A path without its generics.
fn plain(path: &ast::Path) -> String {
    let name = path.segment().and_then(|segment| segment.name_ref());
    let name = name.map(|name| name.text().to_string()).unwrap_or_default();
    match path.qualifier() {
        Some(before) => format!("{}::{name}", plain(&before)),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_setup::paths::Workspace;

    #[test]
    fn a_file_s_paths_say_what_it_calls() {
        let file = File::of(
            "use workbench_memory::{Zipf, theory::{self, Load}, Error};\nuse super::helper::{a, b};\nuse crate::other::c;\n\
             use workbench_ledger::Check;\nfn f() { workbench_optimizer::cell::count::<f64>(1); workbench_memory::Zipf; }\n\
             mod tests { use workbench_features::Draws; }",
        );
        assert_eq!(file.items["memory"], ["Zipf", "theory", "theory::Load"]);
        assert_eq!(file.items["optimizer"], ["cell::count"]);
        assert_eq!(file.items.len(), 2);
        assert_eq!(file.helpers, ["helper", "other"]);
    }

    #[test]
    fn front_pages_have_the_tables_of_today() {
        let workspace = Workspace::find().unwrap();
        let registry = Registry::read(&workspace.notebooks().join("claims.toml")).unwrap();
        let tables = statements(&registry, workspace.root()).unwrap();
        let mut rows = String::new();
        for table in &tables {
            assert!(table.current, "{}: `cargo workbench lint notebooks --write`", table.file.display());
            let front = workspace.root().join(&table.file).with_file_name("src/lib.rs");
            let front = std::fs::read_to_string(front).unwrap();
            assert!(front.contains("#![doc = include_str!(\"../statements.md\")]"), "{}", table.file.display());
            rows += &table.text;
        }
        // A check that is not written yet calls nothing.
        let begun = super::super::placeholders::begun(&registry, workspace.root());
        let written = |check: &&workbench_record::CheckFile| !begun.iter().any(|claim| claim.id == check.claim);
        let missing = |id: &&str| !rows.contains(&format!("| `{id}` |"));
        let checked = registry.checks().iter().filter(written).map(|check| check.claim.as_str());
        assert_eq!(checked.filter(missing).collect::<Vec<_>>(), [] as [&str; 0]);
    }
}
