//! Sites of faults: the expressions of the rooms' methods that have a wrong form of the same type.
//!
//! Left out are tests, what the compiler evaluates, the insides of macros, words to a reader, sizes of what is only reserved, and the parts
//! of the ground that compute nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxNode};
use serde::{Deserialize, Serialize};
use workbench_record::Checks;

use super::house::House;
use super::operator::Operator;
use super::rules::rewrites;
use workbench_base::error::{Error, Result};

/// What computes nothing: errors, the way to the kernel, stopping.
const NO_METHODS: [&str; 6] = [
    "ground/src/channel",
    "ground/src/check",
    "ground/src/error",
    "ground/src/lib",
    "ground/src/rehearsal",
    "ground/src/work",
];
/// Functions that speak, and calls that only reserve or refuse.
const SPEAKING: [&str; 1] = ["fmt"];
const IDLE_CALLS: [&str; 4] = ["with_capacity", "reserve", "Err", "progress"];

/// An expression and a wrong form of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The room, a folder of `workbench/`.
    pub room: String,
    /// The file, below the root.
    pub file: String,
    /// Its line there, from 1.
    pub line: usize,
    /// Its bytes.
    pub bytes: (usize, usize),
    /// The bytes of the function that it stands in.
    pub function: (usize, usize),
    /// The kind of mistake.
    pub operator: Operator,
    /// What is written.
    pub before: String,
    /// What is planted.
    pub after: String,
    /// Which of the sites that read the same in this file it is, from 0.
    pub nth: usize,
}

impl Site {
    /// What the site is drawn by: an edit elsewhere, and lines that move, change nothing.
    pub fn name(&self) -> String {
        let Site { file, before, after, nth, .. } = self;
        format!("{file}\0{}\0{before}\0{after}\0{nth}", self.operator.text())
    }

    /// Whether two sites cannot be planted together.
    pub fn overlaps(&self, other: &Site) -> bool {
        self.file == other.file && self.bytes.0 < other.bytes.1 && other.bytes.0 < self.bytes.1
    }
}

/// All sites of the rooms below a workspace's root, file by file.
///
/// # Errors
/// [`Error::Io`] if a source cannot be read.
pub fn all(root: &Path) -> Result<Vec<Site>> {
    let mut found = Vec::new();
    let house = House::of(root);
    // In a package of one's own checks stand beside the methods, and its program beside both.
    let checks = Checks::read(root);
    let judges: BTreeSet<&Path> =
        checks.iter().map(|check| check.file.as_path()).chain([Path::new("src/main.rs")]).collect();
    for (room, sources) in &house.rooms {
        let source = root.join(sources);
        let mut files = BTreeMap::new();
        read(&source, &mut files)?;
        let tests = test_modules(&files);
        for (path, text) in &files {
            let Ok(place) = path.strip_prefix(root) else { continue };
            let file = place.to_string_lossy().replace('\\', "/");
            let inside = file.strip_prefix("workbench/").unwrap_or(&file);
            let is_test = tests.iter().any(|module| path.starts_with(module) || path.with_extension("") == *module);
            if !is_test && !judges.contains(place) && !NO_METHODS.iter().any(|part| inside.starts_with(part)) {
                found.extend(of_file(room, &file, text));
            }
        }
    }
    Ok(found)
}

fn read(folder: &Path, files: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    let failed = |source| Error::io("list the sources in", folder, source);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            read(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
            files.insert(path, text);
        }
    }
    Ok(())
}

/// The modules that exist for tests only, as files and folders without ending.
fn test_modules(files: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (path, text) in files {
        let name = path.file_stem().unwrap_or_default();
        let folder = match name == "lib" || name == "mod" || name == "main" {
            true => path.parent().unwrap_or(path).to_path_buf(),
            false => path.with_extension(""),
        };
        let file = SourceFile::parse(text, Edition::Edition2024).tree();
        let modules = file.syntax().descendants().filter_map(ast::Module::cast);
        found.extend(
            modules
                .filter(|module| module.item_list().is_none() && is_test(module))
                .filter_map(|module| Some(folder.join(module.name()?.text()))),
        );
    }
    found
}

fn is_test(item: &impl HasAttrs) -> bool {
    item.attrs().any(|attribute| attribute.syntax().text().to_string().contains("test"))
}

/// The sites of one file.
pub fn of_file(room: &str, file: &str, text: &str) -> Vec<Site> {
    let parsed = SourceFile::parse(text, Edition::Edition2024);
    if !parsed.errors().is_empty() {
        return Vec::new();
    }
    let (mut found, mut alike) = (Vec::new(), BTreeMap::new());
    for expr in parsed.tree().syntax().descendants().filter_map(ast::Expr::cast) {
        let Some(function) = function(expr.syntax()) else {
            continue;
        };
        for (operator, after) in rewrites(&expr) {
            let counts_positions = matches!(operator, Operator::Sign | Operator::Factor);
            if counts_positions && is_position(expr.syntax()) {
                continue;
            }
            let range = expr.syntax().text_range();
            let before = expr.syntax().text().to_string();
            let nth: &mut usize = alike.entry((operator, before.clone(), after.clone())).or_default();
            found.push(Site {
                room: room.to_string(),
                file: file.to_string(),
                line: text[..usize::from(range.start())].matches('\n').count() + 1,
                bytes: (range.start().into(), range.end().into()),
                function,
                operator,
                before,
                after,
                nth: *nth,
            });
            *nth += 1;
        }
    }
    found
}

/// The bytes of the function that a node is run in; none where it is not run, or not for its value.
fn function(node: &SyntaxNode) -> Option<(usize, usize)> {
    let mut function = None;
    for above in node.ancestors() {
        if let Some(item) = ast::Fn::cast(above.clone()) {
            let name = item.name().map(|name| name.text().to_string()).unwrap_or_default();
            if item.const_token().is_some() || is_test(&item) || SPEAKING.contains(&name.as_str()) {
                return None;
            }
            let range = item.syntax().text_range();
            function.get_or_insert((range.start().into(), range.end().into()));
        } else if let Some(module) = ast::Module::cast(above.clone()) {
            if is_test(&module) {
                return None;
            }
        } else if ast::Impl::cast(above.clone()).is_some_and(|item| is_test(&item)) || is_not_run(&above) {
            return None;
        }
    }
    function
}

/// Whether the compiler evaluates what is below, or nobody looks at its value.
fn is_not_run(node: &SyntaxNode) -> bool {
    if let Some(call) = ast::CallExpr::cast(node.clone()) {
        let callee = call.expr().map(|callee| callee.syntax().text().to_string()).unwrap_or_default();
        return callee.starts_with("Error::") || IDLE_CALLS.iter().any(|name| callee.rsplit("::").next() == Some(name));
    }
    if let Some(call) = ast::MethodCallExpr::cast(node.clone()) {
        return call.name_ref().is_some_and(|name| IDLE_CALLS.contains(&name.text()));
    }
    let constant_block = ast::BlockExpr::cast(node.clone()).is_some_and(|block| block.const_token().is_some());
    let repeated = ast::ArrayExpr::cast(node.clone()).is_some_and(|array| array.semicolon_token().is_some());
    constant_block
        || repeated
        || ast::Const::can_cast(node.kind())
        || ast::Static::can_cast(node.kind())
        || ast::ArrayType::can_cast(node.kind())
        || ast::ConstArg::can_cast(node.kind())
        || ast::Variant::can_cast(node.kind())
        || ast::Attr::can_cast(node.kind())
        || ast::MacroCall::can_cast(node.kind())
}

/// Whether a node is part of an index or of a range: its arithmetic is about places.
fn is_position(node: &SyntaxNode) -> bool {
    let mut below = node.clone();
    for above in node.ancestors().skip(1) {
        if ast::RangeExpr::can_cast(above.kind()) {
            return true;
        }
        if let Some(index) = ast::IndexExpr::cast(above.clone())
            && index.index().is_some_and(|index| *index.syntax() == below)
        {
            return true;
        }
        if ast::Stmt::can_cast(above.kind()) || ast::BlockExpr::can_cast(above.kind()) {
            return false;
        }
        below = above;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before(text: &str) -> Vec<String> {
        of_file("memory", "workbench/memory/src/a.rs", text).into_iter().map(|site| site.before).collect()
    }

    #[test]
    fn only_what_is_run_for_its_value_is_a_site() {
        let text = "
const A: f64 = 2.0 * B;
static C: f64 = -1.0;
const fn d(x: f64) -> f64 { -x }
#[test]
fn e(x: f64) -> f64 { -x }
#[cfg(test)]
mod tests { fn f(x: f64) -> f64 { -x } }
fn fmt(x: f64) -> f64 { -x }
fn g(x: f64, n: usize) -> Result<f64, Error> {
    let v: Vec<f64> = Vec::with_capacity(n + 1);
    let w = [0.0; N + 1];
    let y = const { -x };
    println!(\"{}\", -x);
    if y < 0.0 { return Err(Error::bad(n + 1)); }
    let z = v[a + b] + x;
    Ok(-z)
}";
        assert_eq!(before(text), ["v[a + b] + x", "-z"]);
    }

    #[test]
    fn a_site_knows_its_line_its_function_and_its_like() {
        let text = "fn f(x: f64) -> f64 {\n    let y = -x;\n    -x\n}\n";
        let sites = of_file("memory", "a.rs", text);
        assert_eq!(sites.len(), 2);
        assert_eq!((sites[0].line, sites[1].line), (2, 3));
        assert_eq!(&text[sites[1].bytes.0..sites[1].bytes.1], "-x");
        assert_eq!(sites[0].function, (0, text.len() - 1));
        assert_eq!((sites[0].nth, sites[1].nth), (0, 1));
        assert_ne!(sites[0].name(), sites[1].name());
        assert!(!sites[0].overlaps(&sites[1]) && sites[0].overlaps(&sites[0]));
    }

    #[test]
    fn modules_for_tests_are_known_by_where_they_are_declared() {
        let files = BTreeMap::from([
            (PathBuf::from("src/lib.rs"), "#[cfg(test)]\nmod slow;\nmod a;".to_string()),
            (PathBuf::from("src/a.rs"), "#[cfg(test)]\nmod tests;\nmod b;".to_string()),
        ]);
        let found = test_modules(&files);
        assert_eq!(found, [PathBuf::from("src/a/tests"), PathBuf::from("src/slow")]);
    }

    #[test]
    fn in_a_package_of_ones_own_methods_are_sites_and_what_judges_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let check = "pub const CHECK: Check =\n    Check { claim: \"p/a\", run };\nfn run(x: f64) -> f64 { -x }\n";
        for (file, text) in [
            ("Cargo.toml", "[package]\nname = \"p\"\n[package.metadata.jupyter]\nlibrary = true\n"),
            ("notebooks/claims.toml", ""),
            ("src/lib.rs", "pub mod a;\npub mod method;\n"),
            ("src/main.rs", "fn main() { f(-1.0); }\n"),
            ("src/a.rs", check),
            ("src/method.rs", "pub fn f(x: f64) -> f64 {\n    x.sqrt()\n}\n"),
        ] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let sites = all(folder.path()).unwrap();
        assert!(!sites.is_empty() && sites.iter().all(|site| site.file == "src/method.rs"), "{sites:?}");
        assert_eq!(House::of(folder.path()).faults_for(&sites[0].room), "crate::faults");
    }

    #[test]
    fn every_room_of_the_project_has_sites_of_many_kinds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let sites = all(&root).unwrap();
        for (room, _) in House::of(&root).rooms {
            let own: Vec<Operator> = sites.iter().filter(|site| site.room == room).map(|site| site.operator).collect();
            let kinds: std::collections::BTreeSet<Operator> = own.iter().copied().collect();
            // A room that has just been begun has few or none.
            assert!(own.len() < 100 || kinds.len() >= 5, "{room}: {kinds:?}");
        }
        assert!(sites.iter().all(|site| !site.file.contains("tests")));
    }
}
