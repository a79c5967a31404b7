//! Check that a variable still has the shape that its type had when it was stored.
//!
//! A reader changes a field from `f32` to `f64` and runs the struct's cell again. The compiler tells types of one path apart by
//! the names of their fields, not by the fields' types, so a variable that was made before would be read as what it is not.
//! Here the definitions themselves are compared, and such a variable is given up, as evcxr does where it notices. What no text
//! tells, as a file that is included, the store notices by the value's size.

use std::collections::{BTreeMap, BTreeSet};

use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, NodeOrToken, SourceFile, SyntaxKind, SyntaxNode, SyntaxToken, WalkEvent};

use super::compiled::{Move, Way, words};
use workbench_base::fingerprint::fingerprint;

/// What the definitions that a type is made of say, each as a number that stands for its text. Imports and the types and
/// constants of impls are told by a word before their names: see [`still`].
pub type Shape = BTreeMap<String, u64>;

const IMPORT: &str = "use ";
const IMPL: &str = "impl ";

/// Whether values of a type that was made of `before` are what one that is made of `now` expects. An import or an impl that has
/// come since is no change: nothing that compiled before it can rest on it.
pub fn still(before: &Shape, now: &Shape) -> bool {
    let may_come = |key: &str| key.starts_with(IMPORT) || key.starts_with(IMPL);
    let mut keys = before.keys().chain(now.keys());
    keys.all(|key| match (before.get(key), now.get(key)) {
        (Some(before), Some(now)) => before == now,
        _ => may_come(key),
    })
}

/// The reader's definitions that decide what a value looks like in memory.
#[derive(Debug, Default)]
pub struct Definitions {
    /// By name.
    items: BTreeMap<String, Definition>,
    /// By the name that they bring.
    imports: BTreeMap<String, Definition>,
    /// Of each impl the header and what may decide a layout: types, constants and functions that the compiler computes.
    impls: Vec<(String, Definition)>,
}

#[derive(Debug)]
struct Definition {
    text: String,
    /// The names that it mentions; those of its own fields are none of them.
    mentions: BTreeSet<String>,
}

impl Definitions {
    /// Reads the definitions of a cell and of the cells before it, which evcxr writes into each cell's source.
    pub fn read(code: &str) -> Definitions {
        let file = SourceFile::parse(code, Edition::Edition2024).tree();
        let mut definitions = Definitions::default();
        for item in file.items() {
            let name = match &item {
                ast::Item::Struct(item) => item.name(),
                ast::Item::Enum(item) => item.name(),
                ast::Item::Union(item) => item.name(),
                ast::Item::TypeAlias(item) => item.name(),
                ast::Item::Trait(item) => item.name(),
                ast::Item::Const(item) => item.name(),
                ast::Item::Static(item) => item.name(),
                ast::Item::Module(item) => item.name(),
                ast::Item::MacroRules(item) => item.name(),
                ast::Item::Fn(item) if item.const_token().is_some() => item.name(),
                ast::Item::Use(item) => {
                    definitions.imports.extend(import(item));
                    continue;
                }
                ast::Item::Impl(item) => {
                    definitions.impls.extend(decisive_part(item));
                    continue;
                }
                _ => continue,
            };
            if let Some(name) = name {
                let definition = Definition::of(item.syntax());
                definitions.items.insert(name.text().to_string(), definition);
            }
        }
        definitions
    }

    /// What all definitions say that the type `of` is made of; nothing where none is the reader's own.
    pub fn shape(&self, of: &str) -> Option<Shape> {
        let mut shape = Shape::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = words(of).filter(|word| self.items.contains_key(*word)).collect();
        while let Some(word) = open.pop() {
            if !seen.insert(word) {
                continue;
            }
            let item = self.items.get(word).map(|item| (word.to_owned(), item));
            let import = self.imports.get(word).map(|item| (format!("{IMPORT}{word}"), item));
            let of_word = self.impls.iter().filter(|(header, _)| words(header).any(|of| of == word));
            let impls = of_word.map(|(header, part)| (format!("{IMPL}{header}"), part));
            for (key, Definition { text, mentions }) in item.into_iter().chain(import).chain(impls) {
                shape.insert(key, fingerprint(text.as_bytes()));
                open.extend(mentions.iter().map(String::as_str));
            }
        }
        (!shape.is_empty()).then_some(shape)
    }

    /// The code, with the check of each variable whose type has another shape than in `shapes` made to fail.
    pub fn refuse_changed(&self, code: &str, shapes: &BTreeMap<String, Shape>) -> String {
        code.split_inclusive('\n')
            .map(|line| match Move::parse(line.trim_end_matches('\n')) {
                Some(Move { way: Way::Check, name, of })
                    if shapes.get(name).is_some_and(|before| !still(before, &self.shape(of).unwrap_or_default())) =>
                {
                    format!("vars_ok &= ::evcxr_cell::store::changed(stringify!({name}));\n")
                }
                _ => line.to_owned(),
            })
            .collect()
    }
}

impl Definition {
    fn of(item: &SyntaxNode) -> Definition {
        let mut definition = Definition { text: String::new(), mentions: BTreeSet::new() };
        for token in essence(item) {
            definition.text.push_str(token.text());
            definition.text.push(' ');
            // What a macro is given may be anything.
            let mentions = token.kind() == SyntaxKind::IDENT
                && token
                    .parent()
                    .is_some_and(|parent| matches!(parent.kind(), SyntaxKind::NAME_REF | SyntaxKind::TOKEN_TREE));
            if mentions {
                definition.mentions.insert(token.text().to_owned());
            }
        }
        definition
    }
}

/// An import as evcxr writes it, of one name.
fn import(item: &ast::Use) -> Option<(String, Definition)> {
    let tree = item.use_tree()?;
    let name = match tree.rename().and_then(|rename| rename.name()) {
        Some(name) => name.text().to_string(),
        None => tree.path()?.segment()?.name_ref()?.text().to_string(),
    };
    (tree.star_token().is_none() && tree.use_tree_list().is_none()).then(|| (name, Definition::of(item.syntax())))
}

/// The header of an impl and its items on which a layout may rest; nothing where it has none of them.
fn decisive_part(item: &ast::Impl) -> Option<(String, Definition)> {
    let items = item.assoc_item_list()?;
    let parts = items.assoc_items().filter(|item| match item {
        ast::AssocItem::Fn(function) => function.const_token().is_some(),
        _ => true,
    });
    let parts: Vec<Definition> = parts.map(|part| Definition::of(part.syntax())).collect();
    let end = items.syntax().text_range().start();
    let header = essence(item.syntax()).take_while(|token| token.text_range().start() < end);
    let header: Vec<String> = header.map(|token| token.text().to_owned()).collect();
    let part = Definition {
        text: parts.iter().map(|part| part.text.as_str()).collect(),
        mentions: parts.into_iter().flat_map(|part| part.mentions).collect(),
    };
    (!part.text.is_empty()).then(|| (header.join(" "), part))
}

/// The tokens of a definition without blanks, comments and what it derives.
fn essence(item: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    let mut walk = item.preorder_with_tokens();
    std::iter::from_fn(move || {
        while let Some(event) = walk.next() {
            match event {
                WalkEvent::Enter(NodeOrToken::Node(node)) => {
                    let derives = ast::Attr::cast(node).is_some_and(|attr| {
                        let text = attr.syntax().text().to_string();
                        words(&text).next() == Some("derive")
                    });
                    if derives {
                        walk.skip_subtree();
                    }
                }
                WalkEvent::Enter(NodeOrToken::Token(token))
                    if !matches!(token.kind(), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT) =>
                {
                    return Some(token);
                }
                _ => {}
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(code: &str, of: &str) -> Option<Shape> {
        Definitions::read(code).shape(of)
    }

    #[test]
    fn a_field_of_another_type_is_another_shape() {
        let first = shape("struct P(f32);", "Vec<P>");
        assert!(first.is_some());
        assert_ne!(first, shape("struct P(f64);", "Vec<P>"));
        assert_eq!(first, shape("#[derive(Clone)]\n/// A point.\nstruct P ( f32 ) ;", "Vec<P>"));
        assert_eq!(first, shape("struct P(f32); struct Q; fn f() {}", "Vec<P>"));
        assert_ne!(first, shape("#[repr(packed)] struct P(f32);", "Vec<P>"));
    }

    #[test]
    fn shapes_reach_into_what_a_type_is_made_of() {
        let code = |n: u8| format!("const N: usize = {n}; type Row = [f64; N]; enum E {{ A(Row), B }} trait T {{}}");
        assert_ne!(shape(&code(2), "Option<E>"), shape(&code(3), "Option<E>"));
        assert_eq!(shape(&code(2), "Box<dyn T>"), shape(&code(3), "Box<dyn T>"));
        assert_ne!(shape("trait T {}", "Box<dyn T>"), shape("trait T { fn f(&self); }", "Box<dyn T>"));
        assert_ne!(shape("mod m { pub struct S(u8); }", "m::S"), shape("mod m { pub struct S(u16); }", "m::S"));
    }

    #[track_caller]
    fn changes(before: &str, now: &str, whether: bool) {
        let [before, now] = [before, now].map(|code| shape(code, "Vec<S>").unwrap());
        assert_eq!(!still(&before, &now), whether, "{before:?}, {now:?}");
    }

    #[test]
    fn what_the_compiler_computes_decides_a_shape() {
        for code in [
            "const fn n() -> usize { # } struct S(pub [f64; n()]);",
            "const fn n() -> usize { # } const N: usize = n(); struct S([f64; N]);",
            "static M: usize = #; const N: usize = M; struct S([f64; N]);",
            "struct A; impl A { const N: usize = #; } struct S([f64; A::N]);",
            "struct A; impl A { const fn n() -> usize { # } } struct S([f64; A::n()]);",
            "trait T { type Of; } impl T for u8 { type Of = [f64; #]; } struct S(<u8 as T>::Of);",
            "struct A; impl Iterator for A { type Item = [f64; #]; } struct S(std::iter::Peekable<A>);",
            "macro_rules! of { () => { [f64; #] } } struct S(of!());",
            "use a::N# as N; struct S([f64; N]);",
        ] {
            changes(&code.replace('#', "2"), &code.replace('#', "4"), true);
            changes(&code.replace('#', "2"), &code.replace('#', "2 /* still */"), false);
        }
    }

    #[test]
    fn what_decides_no_layout_is_no_change() {
        let plain = "struct S { mean: f64 }";
        for more in [
            "use stats::mean;",
            "const fn mean() -> f64 { 1.0 }",
            "impl std::ops::Add for S { type Output = S; }",
            "impl S { fn f(&self) {} const N: u8 = 1; }",
            "fn f(s: S) -> S { s }",
        ] {
            changes(plain, &format!("{plain} {more}"), false);
        }
        let method = |body: &str| format!("{plain} impl S {{ fn f(&self) -> f64 {{ {body} }} }}");
        changes(&method("1.0"), &method("2.0"), false);
        // The name came with `use a::*` before; where it becomes the reader's own, it is another.
        let made = "struct S(L);";
        changes(made, &format!("use a::L; {made}"), false);
        changes(&format!("use a::L; {made}"), &format!("struct L; {made}"), true);
        changes(&format!("struct L; {made}"), &format!("use a::L; {made}"), true);
    }

    #[test]
    fn types_of_libraries_have_no_shape_here() {
        assert_eq!(shape("struct P(f32);", "std::vec::Vec<f64>"), None);
    }

    #[test]
    fn only_a_changed_variable_is_refused() {
        let code = "vars_ok &= evcxr_variable_store.check_variable::<P>(stringify!(p));\n\
            vars_ok &= evcxr_variable_store.check_variable::<Q>(stringify!(q));\n\
            struct P(f64);\nstruct Q;\n";
        let definitions = Definitions::read("struct P(f64);\nstruct Q;\n");
        let old = Definitions::read("struct P(f32);\nstruct Q;\n");
        let shapes = ["P", "Q"].map(|name| (name.to_lowercase(), old.shape(name).unwrap())).into();
        let refused = definitions.refuse_changed(code, &shapes);
        assert!(refused.contains("changed(stringify!(p))") && !refused.contains("<P>"), "{refused}");
        assert!(refused.contains("check_variable::<Q>"), "{refused}");
        assert_eq!(refused.lines().count(), code.lines().count());
        assert_eq!(old.refuse_changed(code, &shapes), code);
    }
}
