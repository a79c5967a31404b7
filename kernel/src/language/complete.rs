//! Completion: what may stand where the cursor is.

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

use super::View;
use super::context::{MARK, Parsed, byte_offset, char_offset, is_command, without_commands, word_at};
use super::infer::{Infer, Target};
use super::item::{Item, Kind};
use super::members::Member;
use super::ty::Ty;
use super::types::{Env, named};
use super::world::{Res, Scope};

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
    rank: u8,
}

/// Words of the language that a cell may use.
const KEYWORDS: [&str; 33] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "false", "fn", "for", "if",
    "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "struct", "trait", "true",
    "type", "unsafe", "use", "where", "while",
];

/// Commands of a session.
const COMMANDS: [(&str, &str); 9] = [
    (
        ":dep",
        "Loads a crate, as in `:dep workbench = { path = \"../workbench\" }`.",
    ),
    (":vars", "Lists variables and their types."),
    (":clear", "Drops all variables and definitions."),
    (":help", "Lists all commands."),
    (":version", "Tells the version of evcxr."),
    (":timing", "Tells how long each cell takes."),
    (":types", "Shows the type of each value."),
    (":explain", "Explains the last compile error."),
    (":show_deps", "Lists the crates that were loaded."),
];

/// Traits that can be derived.
const DERIVES: [&str; 9] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

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
        parsed
            .token(start)
            .map_or_else(Vec::new, |token| Finder::new(view).at(&token))
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
    Completions {
        start: char_offset(source, start),
        end: char_offset(source, end),
        items,
    }
}

fn candidate(text: &str, kind: &'static str, signature: String, doc: &str, rank: u8) -> Completion {
    Completion {
        text: text.to_owned(),
        kind,
        signature,
        doc: doc.to_owned(),
        rank,
    }
}

fn of_item(name: &str, item: &Item, rank: u8) -> Completion {
    candidate(name, item.kind.word(), item.signature.clone(), &item.doc, rank)
}

fn commands(view: &View, before: &str) -> Vec<Completion> {
    if before.trim().is_empty() {
        let all = COMMANDS.iter();
        return all
            .map(|(name, doc)| candidate(name, "keyword", (*name).to_owned(), doc, 0))
            .collect();
    }
    if before.trim() == ":dep" {
        let names = view
            .world
            .names()
            .filter(|(n, _)| !["std", "core", "alloc", "cells"].contains(n));
        return names
            .map(|(n, _)| candidate(n, "module", format!("crate {n}"), "", 0))
            .collect();
    }
    Vec::new()
}

struct Finder<'v> {
    view: &'v View,
    infer: Infer<'v>,
}

impl<'v> Finder<'v> {
    fn new(view: &'v View) -> Finder<'v> {
        Finder {
            view,
            infer: Infer::new(&view.world, view.scope, &view.variables),
        }
    }

    fn from(&self) -> usize {
        self.view.scope.0
    }

    fn at(&self, token: &SyntaxToken) -> Vec<Completion> {
        if !token.text().contains(MARK) || matches!(token.kind(), SyntaxKind::STRING | SyntaxKind::COMMENT) {
            return Vec::new();
        }
        let Some(node) = token.parent() else { return Vec::new() };
        if let Some(attribute) = node.ancestors().find_map(ast::Attr::cast) {
            let derive = attribute.syntax().text().to_string().contains("derive");
            let all = DERIVES.iter().filter(|_| derive);
            return all
                .map(|d| candidate(d, "trait", format!("trait {d}"), "", 0))
                .collect();
        }
        let Some(around) = node.parent() else { return Vec::new() };
        if let Some(call) = ast::MethodCallExpr::cast(around.clone()) {
            return call
                .receiver()
                .map_or_else(Vec::new, |r| self.dotted(&self.infer.expr(&r)));
        }
        if let Some(field) = ast::FieldExpr::cast(around.clone()) {
            return field
                .expr()
                .map_or_else(Vec::new, |r| self.dotted(&self.infer.expr(&r)));
        }
        if let Some(record) = node.ancestors().take(5).find_map(ast::RecordExprField::cast)
            && record.colon_token().is_none()
            && let Some(record) = record.syntax().ancestors().find_map(ast::RecordExpr::cast)
        {
            let written: Vec<String> = record
                .record_expr_field_list()
                .into_iter()
                .flat_map(|l| l.fields())
                .filter_map(|f| f.field_name().map(|n| n.text().to_string()))
                .collect();
            return self.fields_of(record.path(), &written);
        }
        if let Some(record) = node.ancestors().take(4).find_map(ast::RecordPat::cast) {
            return self.fields_of(record.path(), &[]);
        }
        if let Some(segment) = ast::PathSegment::cast(around.clone()) {
            let path = segment.parent_path();
            if let Some(tree) = path.syntax().ancestors().find_map(ast::UseTree::cast) {
                return self.imported(&tree, &path);
            }
            return match path.qualifier() {
                Some(qualifier) => self.qualified(&qualifier),
                None => self.bare(&around),
            };
        }
        // A pattern may begin with the name of a variant; the name of a definition is the writer's own.
        if ast::IdentPat::can_cast(around.kind()) && around.ancestors().any(|n| ast::MatchArm::can_cast(n.kind())) {
            let mut found = self.bare(&around);
            found.retain(|c| !matches!(c.kind, "variable" | "keyword" | "function" | "macro" | "method"));
            return found;
        }
        Vec::new()
    }

    fn member(&self, member: &Member<'_>) -> Completion {
        let mut rank = match (member.item.kind, member.of) {
            (Kind::Field, _) => 0,
            (_, None) => 1,
            (_, Some(_)) => 6,
        };
        if member.item.signature.starts_with("unsafe") {
            rank += 3;
        }
        let mut found = of_item(&member.item.name, member.item, rank);
        if member.item.kind == Kind::Field {
            let ty = self.infer.world.result(member, &[], &[]);
            if !ty.is_unknown() {
                found.signature = format!("{}: {}", found.text, self.infer.world.show(&ty));
            }
        }
        found
    }

    fn dotted(&self, ty: &Ty) -> Vec<Completion> {
        let world = self.infer.world;
        if let Ty::Tuple(parts) = ty.behind() {
            let shown = |p: &Ty| world.show(p);
            let fields = parts.iter().enumerate();
            return fields
                .map(|(i, p)| candidate(&i.to_string(), "property", format!("{i}: {}", shown(p)), "", 0))
                .collect();
        }
        let found = world.dotted(ty, &self.infer.traits, self.from());
        found.iter().map(|member| self.member(member)).collect()
    }

    fn fields_of(&self, path: Option<ast::Path>, written: &[String]) -> Vec<Completion> {
        let world = self.infer.world;
        let Some(path) = path else { return Vec::new() };
        let members: Vec<(&Item, Scope, Env)> = match self.infer.path(&path) {
            Some(Target::Variant(def, number)) => {
                let item = world.item(def);
                let variant = item.members.get(number).into_iter();
                variant
                    .flat_map(|v| &v.members)
                    .map(|m| (m, (def.krate, def.module), named(item, &[])))
                    .collect()
            }
            _ => {
                let ty = self.infer.prefix_type(&path).unwrap_or(Ty::Unknown);
                let fields = world.fields(&ty, self.from()).into_iter();
                fields.map(|f| (f.item, f.scope, f.env)).collect()
            }
        };
        members
            .into_iter()
            .filter(|(m, ..)| !written.contains(&m.name))
            .map(|(m, ..)| of_item(&m.name, m, 0))
            .collect()
    }

    /// After `use`.
    fn imported(&self, tree: &ast::UseTree, path: &ast::Path) -> Vec<Completion> {
        let mut segments = Vec::new();
        let mut trees: Vec<ast::UseTree> = tree.syntax().ancestors().filter_map(ast::UseTree::cast).collect();
        trees.reverse();
        let names = |path: &ast::Path| {
            let all = path.segments().map(|s| s.syntax().text().to_string());
            all.collect::<Vec<_>>()
        };
        for outer in trees.iter().filter(|t| *t != tree) {
            segments.extend(outer.path().iter().flat_map(names));
        }
        segments.extend(path.qualifier().iter().flat_map(names));
        if segments.is_empty() {
            let mut found = self.crates();
            found.extend(self.listed(self.view.scope, self.from(), 1));
            return found;
        }
        let mut found = Vec::new();
        for res in self.infer.world.path(self.view.scope, &segments) {
            found.extend(self.inside(&res));
        }
        found
    }

    fn inside(&self, res: &Res) -> Vec<Completion> {
        match res {
            Res::Module(krate, module) => self.listed((*krate, *module), self.from(), 0),
            Res::Item(def) => {
                let members = &self.infer.world.item(*def).members;
                let variants = members.iter().filter(|m| m.kind == Kind::Variant);
                variants.map(|m| of_item(&m.name, m, 0)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn listed(&self, scope: Scope, from: usize, rank: u8) -> Vec<Completion> {
        let world = self.infer.world;
        world
            .list(scope, from)
            .into_iter()
            .filter_map(|(name, res)| self.shown(&name, &res, rank))
            .collect()
    }

    fn shown(&self, name: &str, res: &Res, rank: u8) -> Option<Completion> {
        let world = self.infer.world;
        Some(match res {
            Res::Item(def) => of_item(name, world.item(*def), rank),
            Res::Variant(def, number) => of_item(name, world.item(*def).members.get(*number)?, rank),
            Res::Primitive(name) => candidate(name, "type", name.clone(), "", rank),
            Res::Module(krate, module) => {
                let doc = super::inspect::module_item(world, (*krate, *module)).map_or("", |i| i.doc.as_str());
                candidate(
                    name,
                    "module",
                    format!("mod {}", world.path_of((*krate, *module))),
                    doc,
                    rank,
                )
            }
        })
    }

    fn crates(&self) -> Vec<Completion> {
        let loaded = |name: &str| ["std", "core", "alloc"].contains(&name) || self.view.dependencies.contains(name);
        let names = self.infer.world.names().filter(|(name, _)| loaded(name));
        names
            .map(|(name, _)| candidate(name, "module", format!("crate {name}"), "", 5))
            .collect()
    }

    /// After `path::`.
    fn qualified(&self, qualifier: &ast::Path) -> Vec<Completion> {
        let world = self.infer.world;
        let segments: Vec<String> = qualifier
            .segments()
            .map(|s| {
                s.name_ref()
                    .map_or_else(|| s.syntax().text().to_string(), |n| n.text().to_string())
            })
            .collect();
        let mut found = Vec::new();
        for res in world.path(self.view.scope, &segments) {
            found.extend(self.inside(&res));
        }
        if let Some(ty) = self.infer.prefix_type(qualifier) {
            for member in world.functions(&ty, &self.infer.traits, self.from()) {
                let mut one = self.member(&member);
                // Functions without `self` are what a type's path is written for.
                if member.item.kind == Kind::Method {
                    one.rank += 2;
                }
                found.push(one);
            }
        }
        found
    }

    /// A word on its own.
    fn bare(&self, node: &SyntaxNode) -> Vec<Completion> {
        let world = self.infer.world;
        let type_position = node.ancestors().take(3).any(|n| ast::PathType::can_cast(n.kind()));
        let mut found = Vec::new();
        if !type_position {
            let mut names = self.infer.locals(node);
            names.extend(self.infer.variables.keys().cloned());
            for name in names {
                let ty = self.infer.variable(&name, node).unwrap_or(Ty::Unknown);
                let shown = match world.show(&ty) {
                    unknown if unknown == "_" => name.clone(),
                    known => format!("{name}: {known}"),
                };
                let doc = match ty.behind() {
                    Ty::Adt(def, _) => world.item(*def).doc.as_str(),
                    _ => "",
                };
                found.push(candidate(&name, "variable", shown, doc, 0));
            }
        }
        found.extend(self.listed(self.view.scope, self.from(), 1));
        if let Some(parent) = world.module(self.view.scope).parent {
            found.extend(self.listed((self.from(), parent), self.from(), 1));
        }
        if let Some(prelude) = world.prelude() {
            found.extend(self.listed(prelude, usize::MAX, 3));
        }
        found.extend(self.crates());
        let primitives = super::ty::PRIMITIVES.iter();
        found.extend(primitives.map(|p| candidate(p, "type", (*p).to_owned(), "", 4)));
        if type_position {
            found.retain(|c| matches!(c.kind, "struct" | "enum" | "trait" | "type" | "module"));
        } else {
            found.extend(KEYWORDS.iter().map(|k| candidate(k, "keyword", (*k).to_owned(), "", 2)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::testing::language;

    /// Completes at `§`, or at `|` where there is none.
    fn at(cell: &str) -> Completions {
        at_with(cell, &[])
    }

    fn at_with(cell: &str, variables: &[(&str, &str)]) -> Completions {
        let language = language();
        let variables = variables
            .iter()
            .map(|(n, t)| ((*n).to_owned(), (*t).to_owned()))
            .collect();
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
        assert_eq!(
            found.items[1].signature,
            "fn retrieve(&self, input: usize) -> Option<String>"
        );
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
        assert_eq!(
            names(&at("use workbench::memory::*; Zipf::|"))[..2],
            ["LIMIT", "infinite"]
        );
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
        assert_eq!(
            names(&at(":dep workbench = { path = \"..\" }\nuse work|")),
            ["workbench"]
        );
    }

    #[test]
    fn a_bare_word_lists_variables_items_keywords_and_crates() {
        let language = language();
        language.ran(
            "/// Twice.\nfn double(x: f64) -> f64 { 2.0 * x }",
            vec![("d".into(), "f64".into())],
        );
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
            names(&at(
                "let m = workbench::memory::AssociativeMemory::store(&[1.0], 0.1)?;\nm.sco|"
            )),
            ["scores"]
        );
        assert_eq!(
            names(&at_with("memory.scores().iter().ma|", &[MEMORY])),
            ["map", "map_while", "max", "max_by", "max_by_key"]
        );
        assert_eq!(
            names(&at_with("memory.retrieve(1).unwrap().is_e|", &[MEMORY])),
            ["is_empty"]
        );
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
        assert_eq!(
            names(&at_with("all.iter().filter(|m| true).map(|m| m.sc§)", &all)),
            ["scores"]
        );
        assert_eq!(
            names(&at_with("all.iter().map(|m| m.scores()).next().unwrap().is_e§", &all)),
            ["is_empty"]
        );
        let collected = "all.iter().map(|m| m.scores()).collect::<Vec<_>>().first().unwrap().is_e§";
        assert_eq!(names(&at_with(collected, &all)), ["is_empty"]);
    }

    #[test]
    fn fields_of_records_patterns_and_commands() {
        assert_eq!(
            names(&at("let e = workbench::memory::Error::Small { n: 1, | };")),
            ["limit"]
        );
        assert_eq!(names(&at("match e { workbench::memory::Error::O| => 1 }")), ["Other"]);
        assert_eq!(names(&at(":de|")), [":dep"]);
        assert_eq!(names(&at(":dep work|")), ["workbench"]);
        assert_eq!(names(&at("#[derive(De|)] struct S;")), ["Debug", "Default"]);
        for nothing in ["\"memo|\"", "// memo|", "let mem| = 1;", "nothing.at_all.|", "fn na|"] {
            assert!(at(nothing).items.is_empty(), "{nothing}: {:?}", at(nothing));
        }
    }
}
