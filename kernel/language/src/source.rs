//! From sources to the index: a crate's files, module by module, without compiling anything.
//!
//! Only what a reader can name is kept: public items of other crates, everything of the cells. What macros generate is
//! not seen; `std`, of which macros write much, comes from [`super::standard`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use ra_ap_syntax::ast::{self, AstNode, HasName, HasTypeBounds};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode};

use super::cfg;
use super::declare::{
    attributes, bare, bounds, constant, declared, derives, docs_inside, fields, first_paragraph, function, generics,
    is_public, module_docs, text_of, variant,
};
use super::item::{Crate, File, Impl, Item, Kind, Module, Place, Use};

/// Reads sources into a [`Crate`].
#[derive(Debug, Clone)]
pub struct Collector {
    found: Crate,
    features: BTreeSet<String>,
    /// Whether private items are kept.
    private: bool,
}

impl Collector {
    /// For a crate compiled with `features`.
    pub fn new(name: &str, features: BTreeSet<String>) -> Collector {
        let mut collector =
            Collector { found: Crate { name: name.to_owned(), ..Crate::default() }, features, private: false };
        collector.found.modules.push(Module::default());
        collector
    }

    /// Keeps private items too.
    pub fn with_private(mut self) -> Collector {
        self.private = true;
        self
    }

    /// The crate whose root file is `root`.
    pub fn read(mut self, root: &Path) -> Crate {
        let folder = root.parent().map(Path::to_path_buf).unwrap_or_default();
        self.file(root, 0, &folder);
        self.found.finish()
    }

    /// A crate of one text.
    pub fn text(mut self, text: &str) -> Crate {
        self.add_text(text, 0);
        self.found.finish()
    }

    /// Statements of a cell: their items go to module `module`.
    pub fn cell(&mut self, cell: &str, module: u32) {
        let wrapped = format!("{CELL_BEGIN}{cell}\n}}");
        let parsed = SourceFile::parse(&wrapped, Edition::Edition2024);
        let file = self.add_file(File::Text(Arc::from(wrapped.as_str())));
        let Some(list) = parsed
            .tree()
            .syntax()
            .descendants()
            .find_map(ast::Fn::cast)
            .and_then(|f| f.body())
            .and_then(|b| b.stmt_list())
        else {
            return;
        };
        let items = list.syntax().children().filter_map(ast::Item::cast);
        self.items(items, module, file, Path::new(""));
    }

    /// A new module inside `parent`.
    pub fn module(&mut self, parent: u32, name: &str) -> u32 {
        let around = &self.found.modules[parent as usize].path;
        let path = if around.is_empty() { name.to_owned() } else { format!("{around}::{name}") };
        self.found.modules.push(Module { path, parent: Some(parent), ..Module::default() });
        u32::try_from(self.found.modules.len() - 1).unwrap_or(0)
    }

    /// What was collected.
    pub fn finish(self) -> Crate {
        self.found.finish()
    }

    fn add_file(&mut self, file: File) -> u32 {
        self.found.files.push(file);
        u32::try_from(self.found.files.len() - 1).unwrap_or(0)
    }

    fn add_text(&mut self, text: &str, module: u32) {
        let parsed = SourceFile::parse(text, Edition::Edition2024).tree();
        let file = self.add_file(File::Text(Arc::from(text)));
        let items = parsed.syntax().children().filter_map(ast::Item::cast);
        self.items(items, module, file, Path::new(""));
    }

    fn file(&mut self, path: &Path, module: u32, folder: &Path) {
        let Ok(text) = std::fs::read_to_string(path) else {
            return;
        };
        let (length, time) = stamp(path);
        let file = self.add_file(File::Disk(path.to_path_buf(), length, time));
        let tree = SourceFile::parse(&text, Edition::Edition2024).tree();
        if !cfg::holds(attributes(tree.syntax()).iter().map(String::as_str), &self.features) {
            return;
        }
        let items = tree.syntax().children().filter_map(ast::Item::cast);
        self.items(items, module, file, folder);
    }

    fn items(&mut self, items: impl Iterator<Item = ast::Item>, module: u32, file: u32, folder: &Path) {
        for item in items {
            let attributes = attributes(item.syntax());
            if !cfg::holds(attributes.iter().map(String::as_str), &self.features) {
                continue;
            }
            self.item(item, &attributes, module, file, folder);
        }
    }

    fn item(&mut self, item: ast::Item, attributes: &[String], module: u32, file: u32, folder: &Path) {
        match item {
            ast::Item::Module(node) => self.sub_module(&node, attributes, module, file, folder),
            ast::Item::Use(node) => {
                let public = is_public(&node);
                if let Some(tree) = node.use_tree() {
                    self.use_tree(&tree, &[], public, module);
                }
            }
            ast::Item::ExternCrate(node) => {
                if let Some(name) = node.name_ref() {
                    let alias = node.rename().and_then(|r| r.name()).map(|n| text_of(n.syntax()));
                    let entry = Use {
                        path: vec!["::".to_owned(), text_of(name.syntax())],
                        name: Some(alias.unwrap_or_else(|| text_of(name.syntax()))),
                        public: is_public(&node),
                        target: OnceLock::new(),
                    };
                    self.found.modules[module as usize].uses.push(entry);
                }
            }
            ast::Item::Impl(node) => self.impl_block(&node, module, file),
            ast::Item::MacroRules(node) => {
                if let Some(name) = node.name() {
                    let exported = attributes.iter().any(|a| a.contains("macro_export"));
                    let mut found = bare(&name, Kind::Macro, node.syntax(), file);
                    found.signature = format!("macro_rules! {}", found.name);
                    found.public = exported;
                    self.push(found, if exported { 0 } else { module });
                }
            }
            ast::Item::Fn(node) => {
                if let Some(found) = function(&node, file, Kind::Function) {
                    self.push(found, module);
                }
            }
            ast::Item::Struct(node) => {
                if let Some(mut found) = declared(&node, Kind::Struct, file) {
                    found.members = fields(node.field_list(), file, self.private, &self.features);
                    found.derives = derives(attributes);
                    self.push(found, module);
                }
            }
            ast::Item::Union(node) => {
                if let Some(found) = declared(&node, Kind::Struct, file) {
                    self.push(found, module);
                }
            }
            ast::Item::Enum(node) => {
                if let Some(mut found) = declared(&node, Kind::Enum, file) {
                    found.members = node
                        .variant_list()
                        .into_iter()
                        .flat_map(|list| list.variants())
                        .filter(|v| self.compiled(v.syntax()))
                        .filter_map(|v| variant(&v, file))
                        .collect();
                    found.derives = derives(attributes);
                    self.push(found, module);
                }
            }
            ast::Item::Trait(node) => {
                if let Some(mut found) = declared(&node, Kind::Trait, file) {
                    found.inputs = bounds(node.type_bound_list());
                    found.members = self.members(node.assoc_item_list(), file, true);
                    self.push(found, module);
                }
            }
            ast::Item::TypeAlias(node) => {
                if let Some(mut found) = declared(&node, Kind::Alias, file) {
                    found.ty = node.ty().map(|t| text_of(t.syntax())).unwrap_or_default();
                    self.push(found, module);
                }
            }
            ast::Item::Const(node) => {
                if let Some(found) = constant(&node, node.ty(), file) {
                    self.push(found, module);
                }
            }
            ast::Item::Static(node) => {
                if let Some(found) = constant(&node, node.ty(), file) {
                    self.push(found, module);
                }
            }
            ast::Item::MacroDef(node) => {
                if let Some(name) = node.name() {
                    let mut found = bare(&name, Kind::Macro, node.syntax(), file);
                    found.signature = format!("macro {}", found.name);
                    found.public = is_public(&node);
                    self.push(found, module);
                }
            }
            ast::Item::MacroCall(_) | ast::Item::ExternBlock(_) | ast::Item::AsmExpr(_) => {}
        }
    }

    fn compiled(&self, node: &SyntaxNode) -> bool {
        cfg::holds(attributes(node).iter().map(String::as_str), &self.features)
    }

    /// A redefinition replaces, as in a session.
    fn push(&mut self, item: Item, module: u32) {
        let items = &mut self.found.modules[module as usize].items;
        if self.private
            && let Some(old) = items.iter_mut().find(|i| i.name == item.name && i.kind == item.kind)
        {
            *old = item;
            return;
        }
        let hidden = !self.private && !item.public;
        if !(hidden && matches!(item.kind, Kind::Function | Kind::Constant | Kind::Macro)) {
            items.push(item);
        }
    }

    fn sub_module(&mut self, node: &ast::Module, attributes: &[String], module: u32, file: u32, folder: &Path) {
        let Some(name) = node.name() else { return };
        let mut found = bare(&name, Kind::Module, node.syntax(), file);
        found.public = is_public(node);
        found.signature = format!("mod {}", found.name);
        let number = self.module(module, &found.name);
        found.module = Some(number);
        let inner = folder.join(&found.name);
        match node.item_list() {
            Some(list) => {
                found.doc = first_paragraph(&docs_inside(list.syntax())).unwrap_or(found.doc);
                let items = list.syntax().children().filter_map(ast::Item::cast);
                self.items(items, number, file, &inner);
            }
            None => {
                let named = attributes.iter().find_map(|a| a.strip_prefix("#[path")).and_then(|a| a.split('"').nth(1));
                let candidates: Vec<(PathBuf, PathBuf)> = match named {
                    Some(path) => {
                        let path = folder.join(path);
                        let around = path.parent().map(Path::to_path_buf).unwrap_or_default();
                        vec![(path, around)]
                    }
                    None => vec![
                        (folder.join(format!("{}.rs", found.name)), inner.clone()),
                        (inner.join("mod.rs"), inner.clone()),
                    ],
                };
                let Some((path, around)) = candidates.into_iter().find(|(path, _)| path.is_file()) else {
                    return;
                };
                let at = self.found.files.len();
                self.file(&path, number, &around);
                if self.found.files.len() > at {
                    if found.doc.is_empty()
                        && let Ok(text) = std::fs::read_to_string(&path)
                    {
                        found.doc = first_paragraph(&module_docs(&text)).unwrap_or_default();
                    }
                    // The module's text is its file.
                    let length = std::fs::metadata(&path).map_or(0, |m| m.len());
                    found.place = Place {
                        file: u32::try_from(at).unwrap_or(0),
                        start: 0,
                        end: u32::try_from(length).unwrap_or(u32::MAX),
                    };
                }
            }
        }
        self.push(found, module);
    }

    fn use_tree(&mut self, tree: &ast::UseTree, prefix: &[String], public: bool, module: u32) {
        let mut path = prefix.to_vec();
        if let Some(written) = tree.path() {
            let global = path.is_empty() && text_of(written.syntax()).starts_with("::");
            if global {
                path.push("::".to_owned());
            }
            path.extend(written.segments().map(|s| text_of(s.syntax())).map(|s| s.trim_start_matches("r#").to_owned()));
        }
        if let Some(list) = tree.use_tree_list() {
            for inner in list.use_trees() {
                self.use_tree(&inner, &path, public, module);
            }
            return;
        }
        let name = if tree.star_token().is_some() {
            None
        } else {
            if path.last().is_some_and(|s| s == "self") {
                path.pop();
            }
            match tree.rename() {
                Some(rename) => rename.name().map(|n| text_of(n.syntax())).or(Some("_".to_owned())),
                None => path.last().cloned(),
            }
        };
        self.found.modules[module as usize].uses.push(Use { path, name, public, target: OnceLock::new() });
    }

    fn impl_block(&mut self, node: &ast::Impl, module: u32, file: u32) {
        let Some(subject) = node.self_ty() else { return };
        if node.syntax().children_with_tokens().any(|t| t.kind() == SyntaxKind::BANG) {
            return;
        }
        let of = node.trait_().map(|t| text_of(t.syntax()));
        let mut members = self.members(node.assoc_item_list(), file, of.is_some());
        if of.is_some() {
            members.retain(|m| m.kind == Kind::AssociatedType);
        } else if members.is_empty() {
            return;
        }
        self.found.impls.push(Impl {
            module,
            subject: text_of(subject.syntax()),
            of,
            generics: generics(node),
            members,
        });
    }

    fn members(&self, list: Option<ast::AssocItemList>, file: u32, all: bool) -> Vec<Item> {
        let mut found = Vec::new();
        for item in list.into_iter().flat_map(|l| l.assoc_items()) {
            if !self.compiled(item.syntax()) {
                continue;
            }
            let member = match item {
                ast::AssocItem::Fn(node) => function(&node, file, Kind::Associated),
                ast::AssocItem::Const(node) => constant(&node, node.ty(), file),
                ast::AssocItem::TypeAlias(node) => declared(&node, Kind::AssociatedType, file).map(|mut found| {
                    found.ty = node.ty().map(|t| text_of(t.syntax())).unwrap_or_default();
                    found.inputs = bounds(node.type_bound_list());
                    found
                }),
                ast::AssocItem::MacroCall(_) => None,
            };
            found.extend(member.filter(|m| all || self.private || m.public));
        }
        found
    }
}

/// What stands before a cell, so that its statements parse.
pub const CELL_BEGIN: &str = "fn evcxr() {\n";

/// Length and time of a file, zero where they cannot be read.
pub fn stamp(path: &Path) -> (u64, u128) {
    let Ok(meta) = path.metadata() else { return (0, 0) };
    let time =
        meta.modified().ok().and_then(|t| t.duration_since(SystemTime::UNIX_EPOCH).ok()).map_or(0, |d| d.as_nanos());
    (meta.len(), time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        //! The crate.
        /// A law.
        /// Second line.
        ///
        /// More.
        #[derive(Debug, Clone)]
        pub struct Law<T: Copy> where T: Into<f64> { /// The exponent.
            pub alpha: T, hidden: u8 }
        impl<T: Copy> Law<T> {
            /// Makes one.
            pub fn new(alpha: T, /* why */ n: u64) -> Result<Self, Error> { todo!() }
            pub fn tail(&self, d: u64) -> f64 { 0.0 }
            fn private(&self) {}
        }
        impl<T> std::ops::Deref for Law<T> { type Target = T; fn deref(&self) -> &T { todo!() } }
        pub enum Error { /// Too small.
            Small { n: u64 }, Other(String) }
        #[cfg(test)] mod tests {}
        #[cfg(feature = "on")] pub fn on() {}
        #[cfg(feature = "off")] pub fn off() {}
        pub mod inner { //! Inside.
            pub use super::{Law as Rule, Error::*}; pub const N: usize = 3; }
    "#;

    #[test]
    fn items_are_collected_with_signature_and_documentation() {
        let krate = Collector::new("demo", ["on".to_owned()].into()).text(TEXT);
        let root = &krate.modules[0];
        let law = &root.items[0];
        assert_eq!(law.doc, "A law. Second line.");
        assert_eq!(law.signature, "struct Law<T: Copy> where T: Into<f64>");
        assert_eq!(law.generics[0].bounds, ["Copy", "Into<f64>"]);
        assert_eq!(law.derives, ["Debug", "Clone"]);
        assert_eq!(law.members.len(), 1);
        assert_eq!(law.members[0].doc, "The exponent.");
        let names: Vec<&str> = root.items.iter().map(|i| i.name.as_str()).collect();
        assert_eq!(names, ["Law", "Error", "on", "inner"]);
        assert_eq!(root.items[1].members[0].signature, "Small { n: u64 }");
        assert_eq!(root.items[3].doc, "Inside.");

        let methods = &krate.impls[0].members;
        assert_eq!(methods.len(), 2);
        assert_eq!(methods[0].signature, "fn new(alpha: T, n: u64) -> Result<Self, Error>");
        assert_eq!(methods[0].kind, Kind::Associated);
        assert_eq!(methods[1].kind, Kind::Method);
        assert_eq!(krate.impls[1].of.as_deref(), Some("std::ops::Deref"));
        assert_eq!(krate.impls[1].members[0].ty, "T");
        let uses = &krate.modules[1].uses;
        assert_eq!(uses[0].name.as_deref(), Some("Rule"));
        assert_eq!((uses[1].path.join("::").as_str(), &uses[1].name), ("super::Error", &None));
    }

    #[test]
    fn a_cell_may_redefine() {
        let mut collector = Collector::new("cell", BTreeSet::new()).with_private();
        collector.cell("use a::b;\nfn f() -> u8 { 1 }\nlet x = 1;", 0);
        collector.cell("/// New.\nfn f() -> f64 { 1.0 }", 0);
        let krate = collector.finish();
        assert_eq!(krate.modules[0].items.len(), 1);
        assert_eq!(krate.modules[0].items[0].signature, "fn f() -> f64");
        assert_eq!(krate.modules[0].items[0].doc, "New.");
    }

    #[test]
    fn modules_are_found_in_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("lib.rs", "pub mod a; mod b; #[path = \"odd/c2.rs\"] pub mod c;");
        write("a.rs", "//! About a.\n\npub mod deep;");
        write("a/deep.rs", "pub fn f() {}");
        write("b/mod.rs", "pub fn g() {}");
        write("odd/c2.rs", "pub fn h() {}");
        let krate = Collector::new("demo", BTreeSet::new()).read(&folder.path().join("lib.rs"));
        let paths: Vec<(&str, usize)> = krate.modules.iter().map(|m| (m.path.as_str(), m.items.len())).collect();
        assert_eq!(paths, [("", 3), ("a", 1), ("a::deep", 1), ("b", 1), ("c", 1)]);
        assert_eq!(krate.modules[0].items[0].doc, "About a.");
    }
}
