//! One declaration: from its syntax to an [`Item`] with signature, first line of documentation, types and place.

use std::collections::BTreeSet;

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName, HasTypeBounds, HasVisibility};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

use super::cfg;
use super::item::{Generic, Item, Kind, Place};

/// Longest first paragraph that is kept.
const LONGEST_DOC: usize = 240;
/// Longest signature that is kept.
const LONGEST_SIGNATURE: usize = 400;

/// Where a node is.
pub(super) fn place(node: &SyntaxNode, file: u32) -> Place {
    let range = node.text_range();
    Place { file, start: range.start().into(), end: range.end().into() }
}

/// The attributes before a node, as text.
pub(super) fn attributes(node: &SyntaxNode) -> Vec<String> {
    node.children().filter_map(ast::Attr::cast).map(|a| a.syntax().text().to_string()).collect()
}

/// The traits that attributes derive.
pub(super) fn derives(attributes: &[String]) -> Vec<String> {
    attributes
        .iter()
        .filter_map(|a| a.strip_prefix("#[derive(")?.strip_suffix(")]"))
        .flat_map(|list| list.split(','))
        .map(|name| name.rsplit("::").next().unwrap_or(name).trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Whether a node is `pub` without limits.
pub(super) fn is_public(node: &impl HasVisibility) -> bool {
    node.visibility().is_some_and(|v| v.syntax().text() == "pub")
}

/// A node's text in one line, without comments and attributes.
pub fn text_of(node: &SyntaxNode) -> String {
    let mut out = String::new();
    for token in node.descendants_with_tokens().filter_map(|t| t.into_token()) {
        match token.kind() {
            SyntaxKind::COMMENT => {}
            SyntaxKind::WHITESPACE => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ => out.push_str(token.text()),
        }
    }
    let out = out.trim().to_owned();
    out.replace("( ", "(").replace(" )", ")").replace(",)", ")")
}

/// First paragraph in one line, cut where it is long.
pub(super) fn first_paragraph(text: &str) -> Option<String> {
    let paragraph: Vec<&str> = text
        .lines()
        .map(str::trim)
        .skip_while(|l| l.is_empty())
        .take_while(|l| !l.is_empty() && !l.starts_with("```") && !l.starts_with('#'))
        .collect();
    let mut line = paragraph.join(" ");
    if line.is_empty() {
        return None;
    }
    if let Some((at, _)) = line.char_indices().nth(LONGEST_DOC) {
        line.truncate(at);
        line.push('…');
    }
    Some(line)
}

fn doc_line(node: &SyntaxNode) -> String {
    let mut text = String::new();
    for child in node.children_with_tokens() {
        match child.kind() {
            SyntaxKind::COMMENT => {
                let comment = child.as_token().map(|t| t.text().to_owned()).unwrap_or_default();
                if let Some(line) = comment.strip_prefix("///").filter(|l| !l.starts_with('/')) {
                    text.push_str(line);
                    text.push('\n');
                } else if let Some(block) = comment.strip_prefix("/**").and_then(|c| c.strip_suffix("*/")) {
                    text.push_str(block);
                    text.push('\n');
                }
            }
            SyntaxKind::WHITESPACE | SyntaxKind::ATTR => {}
            _ => break,
        }
    }
    first_paragraph(&text).unwrap_or_default()
}

/// The `//!` lines at the beginning of a module in braces.
pub(super) fn docs_inside(list: &SyntaxNode) -> String {
    list.children_with_tokens()
        .filter_map(|t| t.into_token())
        .filter_map(|t| t.text().strip_prefix("//!").map(str::to_owned))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The `//!` lines of a file.
pub fn module_docs(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .skip_while(|l| l.is_empty() || (l.starts_with("//") && !l.starts_with("//!")))
        .map_while(|l| l.strip_prefix("//!").or_else(|| l.is_empty().then_some("")))
        .map(|l| l.strip_prefix(' ').unwrap_or(l))
        .collect::<Vec<_>>()
        .join("\n")
        .trim()
        .to_owned()
}

/// An item of which only name, kind, documentation and place are known.
pub(super) fn bare(name: &ast::Name, kind: Kind, node: &SyntaxNode, file: u32) -> Item {
    Item {
        name: name.text().trim_start_matches("r#").to_owned(),
        kind,
        public: true,
        signature: String::new(),
        doc: doc_line(node),
        place: place(node, file),
        generics: Vec::new(),
        ty: String::new(),
        inputs: Vec::new(),
        members: Vec::new(),
        derives: Vec::new(),
        module: None,
    }
}

/// The declaration in one line: without documentation, attributes, visibility, body and fields.
fn signature(node: &SyntaxNode) -> String {
    let mut out = String::new();
    for child in node.children_with_tokens() {
        match child.kind() {
            SyntaxKind::COMMENT | SyntaxKind::ATTR | SyntaxKind::VISIBILITY | SyntaxKind::SEMICOLON => {}
            SyntaxKind::BLOCK_EXPR
            | SyntaxKind::RECORD_FIELD_LIST
            | SyntaxKind::VARIANT_LIST
            | SyntaxKind::ASSOC_ITEM_LIST => break,
            SyntaxKind::WHITESPACE => {
                if !out.is_empty() && !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            _ => match child.as_node() {
                Some(node) => out.push_str(&text_of(node)),
                None => out.push_str(child.as_token().map(|t| t.text()).unwrap_or_default()),
            },
        }
    }
    // Whether a parameter may be changed inside is no business of the caller.
    let mut out = out.trim().trim_end_matches(',').replace("(mut ", "(").replace(", mut ", ", ");
    if let Some((at, _)) = out.char_indices().nth(LONGEST_SIGNATURE) {
        out.truncate(at);
        out.push('…');
    }
    out
}

/// An item with its declaration and generic parameters.
pub(super) fn declared<N: HasName + HasVisibility + HasGenericParams>(node: &N, kind: Kind, file: u32) -> Option<Item> {
    let mut found = bare(&node.name()?, kind, node.syntax(), file);
    found.public = is_public(node);
    found.signature = signature(node.syntax());
    found.generics = generics(node);
    Some(found)
}

/// A constant or static of a type.
pub(super) fn constant<N: HasName + HasVisibility>(node: &N, ty: Option<ast::Type>, file: u32) -> Option<Item> {
    let mut found = bare(&node.name()?, Kind::Constant, node.syntax(), file);
    found.public = is_public(node);
    found.signature = signature(node.syntax());
    found.ty = ty.map(|t| text_of(t.syntax())).unwrap_or_default();
    Some(found)
}

/// A function; `without_self` is its kind where it takes no `self`.
pub(super) fn function(node: &ast::Fn, file: u32, without_self: Kind) -> Option<Item> {
    let mut found = declared(node, without_self, file)?;
    if attributes(node.syntax()).iter().any(|a| a.contains("doc(hidden)")) {
        // For the crate's own macros: not meant to be called.
        return None;
    }
    let list = node.param_list();
    if list.as_ref().is_some_and(|l| l.self_param().is_some()) {
        found.kind = Kind::Method;
    }
    found.inputs = list
        .into_iter()
        .flat_map(|l| l.params())
        .map(|p| p.ty().map(|t| text_of(t.syntax())).unwrap_or_default())
        .collect();
    found.ty = match node.ret_type().and_then(|r| r.ty()) {
        Some(ty) => text_of(ty.syntax()),
        None => "()".to_owned(),
    };
    Some(found)
}

/// A variant of an enum.
pub(super) fn variant(node: &ast::Variant, file: u32) -> Option<Item> {
    let mut found = bare(&node.name()?, Kind::Variant, node.syntax(), file);
    found.signature = text_of_without_docs(node.syntax());
    found.members = fields(node.field_list(), file, true, &BTreeSet::new());
    Some(found)
}

fn text_of_without_docs(node: &SyntaxNode) -> String {
    let mut out = String::new();
    for child in node.children_with_tokens() {
        if matches!(child.kind(), SyntaxKind::COMMENT | SyntaxKind::ATTR) {
            continue;
        }
        match child.as_node() {
            Some(node) => out.push_str(&text_of(node)),
            None => out.push_str(child.as_token().map(|t| t.text()).unwrap_or_default()),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fields; the public ones, or `all`.
pub(super) fn fields(list: Option<ast::FieldList>, file: u32, all: bool, features: &BTreeSet<String>) -> Vec<Item> {
    match list {
        Some(ast::FieldList::RecordFieldList(list)) => list
            .fields()
            .filter(|f| all || is_public(f))
            .filter(|f| cfg::holds(attributes(f.syntax()).iter().map(String::as_str), features))
            .filter_map(|f| {
                let mut found = bare(&f.name()?, Kind::Field, f.syntax(), file);
                found.ty = f.ty().map(|t| text_of(t.syntax())).unwrap_or_default();
                found.signature = format!("{}: {}", found.name, found.ty);
                Some(found)
            })
            .collect(),
        Some(ast::FieldList::TupleFieldList(list)) => list
            .fields()
            .enumerate()
            .filter(|(_, f)| all || is_public(f))
            .map(|(i, f)| {
                let ty = f.ty().map(|t| text_of(t.syntax())).unwrap_or_default();
                Item {
                    name: i.to_string(),
                    kind: Kind::Field,
                    public: true,
                    signature: format!("{i}: {ty}"),
                    doc: doc_line(f.syntax()),
                    place: place(f.syntax(), file),
                    generics: Vec::new(),
                    ty,
                    inputs: Vec::new(),
                    members: Vec::new(),
                    derives: Vec::new(),
                    module: None,
                }
            })
            .collect(),
        None => Vec::new(),
    }
}

/// Traits in a list of bounds.
pub(super) fn bounds(list: Option<ast::TypeBoundList>) -> Vec<String> {
    list.into_iter()
        .flat_map(|l| l.bounds())
        .map(|b| text_of(b.syntax()))
        .filter(|b| !b.starts_with('\'') && !b.starts_with('?'))
        .collect()
}

/// Generic parameters with their bounds.
pub(super) fn generics(node: &impl HasGenericParams) -> Vec<Generic> {
    let mut found: Vec<Generic> = node
        .generic_param_list()
        .into_iter()
        .flat_map(|l| l.type_or_const_params())
        .filter_map(|p| match p {
            ast::TypeOrConstParam::Type(p) => {
                Some(Generic { name: p.name()?.text().to_string(), bounds: bounds(p.type_bound_list()) })
            }
            ast::TypeOrConstParam::Const(p) => Some(Generic { name: p.name()?.text().to_string(), bounds: Vec::new() }),
        })
        .collect();
    for predicate in node.where_clause().into_iter().flat_map(|w| w.predicates()) {
        let Some(ty) = predicate.ty() else { continue };
        let name = text_of(ty.syntax());
        if let Some(generic) = found.iter_mut().find(|g| g.name == name) {
            generic.bounds.extend(bounds(predicate.type_bound_list()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PIECES, parsed};

    fn first<N: AstNode>(text: &str) -> N {
        parsed(text).descendants().filter_map(N::cast).last().unwrap()
    }

    #[test]
    fn a_function_has_its_types_and_its_first_paragraph() {
        let text = "/// Adds.\n///\n/// More.\npub fn add<T: Copy>(a: T, /* why */ b: &[f64]) -> Vec<T> { todo!() }";
        let item = function(&first(text), 0, Kind::Function).unwrap();
        assert_eq!((item.name.as_str(), item.ty.as_str(), item.public), ("add", "Vec<T>", true));
        assert_eq!((item.doc.as_str(), item.inputs), ("Adds.", vec!["T".to_owned(), "&[f64]".to_owned()]));
    }

    #[test]
    fn fields_derives_and_text_are_read() {
        let text = "#[derive(Debug, std::clone::Clone)]\nstruct P { /// Across.\n pub x: f64, y: Vec<u8> }";
        let node: ast::Struct = first(text);
        assert_eq!(derives(&attributes(node.syntax())), ["Debug", "Clone"]);
        let names = |all: bool| {
            let found = fields(node.field_list(), 0, all, &BTreeSet::new());
            found.iter().map(|field| field.signature.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(false), ["x: f64"]);
        assert_eq!(names(true), ["x: f64", "y: Vec<u8>"]);
        assert_eq!(text_of(first::<ast::Type>("let a: Vec< // why\n u8> = b;").syntax()), "u8");
    }

    proptest::proptest! {
        #[test]
        fn any_declaration_is_read_or_left(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24)
        ) {
            for node in parsed(&pieces.concat()).descendants() {
                text_of(&node);
                attributes(&node);
                ast::Fn::cast(node.clone()).map(|node| function(&node, 0, Kind::Function));
                ast::Variant::cast(node.clone()).map(|node| variant(&node, 0));
                if let Some(node) = ast::Struct::cast(node) {
                    fields(node.field_list(), 0, true, &BTreeSet::new());
                    generics(&node);
                }
            }
        }
    }
}
