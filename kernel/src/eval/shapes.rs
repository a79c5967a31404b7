//! Whether a variable still has the shape that its type had when it was stored.
//!
//! A reader changes a field from `f32` to `f64` and runs the struct's cell again. The compiler tells types of one path apart by
//! the names of their fields, not by the fields' types, so a variable that was made before would be read as what it is not.
//! Here the definitions themselves are compared, and such a variable is given up, as evcxr does where it notices.

use std::collections::{BTreeMap, BTreeSet};

use ra_ap_syntax::ast::{self, AstNode, HasModuleItem, HasName};
use ra_ap_syntax::{Edition, NodeOrToken, SourceFile, SyntaxKind, SyntaxNode, WalkEvent};

use super::compiled::{Move, Way, words};
use super::sources::fingerprint;

/// The reader's definitions that decide what a value looks like in memory, by name.
#[derive(Debug, Default)]
pub struct Definitions {
    texts: BTreeMap<String, String>,
}

impl Definitions {
    /// Reads the definitions of a cell and of the cells before it, which evcxr writes into each cell's source.
    pub fn read(code: &str) -> Definitions {
        let file = SourceFile::parse(code, Edition::Edition2024).tree();
        let texts = file.items().filter_map(|item| {
            let name = match &item {
                ast::Item::Struct(item) => item.name(),
                ast::Item::Enum(item) => item.name(),
                ast::Item::Union(item) => item.name(),
                ast::Item::TypeAlias(item) => item.name(),
                ast::Item::Trait(item) => item.name(),
                ast::Item::Const(item) => item.name(),
                ast::Item::Module(item) => item.name(),
                _ => None,
            }?;
            Some((name.text().to_string(), essence(item.syntax())))
        });
        Definitions { texts: texts.collect() }
    }

    /// A number that stands for all definitions that the type `of` is made of; nothing where none is the reader's own.
    pub fn shape(&self, of: &str) -> Option<u64> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = words(of).collect();
        while let Some(word) = open.pop() {
            if let Some((name, text)) = self.texts.get_key_value(word)
                && found.insert(name)
            {
                open.extend(words(text));
            }
        }
        let all: Vec<&str> = found.iter().map(|name| self.texts[*name].as_str()).collect();
        (!all.is_empty()).then(|| fingerprint(all.join("\n").as_bytes()))
    }

    /// The code, with the check of each variable whose type has another shape than in `shapes` made to fail.
    pub fn refuse_changed(&self, code: &str, shapes: &BTreeMap<String, u64>) -> String {
        code.split_inclusive('\n')
            .map(|line| match Move::parse(line.trim_end_matches('\n')) {
                Some(Move {
                    way: Way::Check,
                    name,
                    of,
                }) if shapes.get(name).is_some_and(|shape| self.shape(of) != Some(*shape)) => {
                    format!("vars_ok &= ::evcxr_cell::store::changed(stringify!({name}));\n")
                }
                _ => line.to_owned(),
            })
            .collect()
    }
}

/// A definition without blanks, comments and what it derives.
fn essence(item: &SyntaxNode) -> String {
    let mut out = Vec::new();
    let mut walk = item.preorder_with_tokens();
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
                out.push(token.text().to_string());
            }
            _ => {}
        }
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(code: &str, of: &str) -> Option<u64> {
        Definitions::read(code).shape(of)
    }

    #[test]
    fn a_field_of_another_type_is_another_shape() {
        let first = shape("struct P(f32);", "Vec<P>");
        assert!(first.is_some());
        assert_ne!(first, shape("struct P(f64);", "Vec<P>"));
        assert_eq!(
            first,
            shape("#[derive(Clone)]\n/// A point.\nstruct P ( f32 ) ;", "Vec<P>")
        );
        assert_eq!(first, shape("struct P(f32); struct Q; fn f() {}", "Vec<P>"));
        assert_ne!(first, shape("#[repr(packed)] struct P(f32);", "Vec<P>"));
    }

    #[test]
    fn shapes_reach_into_what_a_type_is_made_of() {
        let code = |n: u8| format!("const N: usize = {n}; type Row = [f64; N]; enum E {{ A(Row), B }} trait T {{}}");
        assert_ne!(shape(&code(2), "Option<E>"), shape(&code(3), "Option<E>"));
        assert_eq!(shape(&code(2), "Box<dyn T>"), shape(&code(3), "Box<dyn T>"));
        assert_ne!(
            shape("trait T {}", "Box<dyn T>"),
            shape("trait T { fn f(&self); }", "Box<dyn T>")
        );
        assert_ne!(
            shape("mod m { pub struct S(u8); }", "m::S"),
            shape("mod m { pub struct S(u16); }", "m::S")
        );
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
        let shapes = ["P", "Q"]
            .map(|name| (name.to_lowercase(), old.shape(name).unwrap()))
            .into();
        let refused = definitions.refuse_changed(code, &shapes);
        assert!(
            refused.contains("changed(stringify!(p))") && !refused.contains("<P>"),
            "{refused}"
        );
        assert!(refused.contains("check_variable::<Q>"), "{refused}");
        assert_eq!(refused.lines().count(), code.lines().count());
        assert_eq!(old.refuse_changed(code, &shapes), code);
    }
}
