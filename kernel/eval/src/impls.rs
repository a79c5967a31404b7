//! Impls that begin a cell, named so that one that is run again takes the place of the one before.
//!
//! evcxr keeps the definitions of a session by name. An impl has none: it goes with the named item before it in its cell, and
//! where there is no such item it is added to what there is, so that a second run of the cell defines everything twice. Here an
//! empty type alias stands before such an impl, with a name that is made of what the impl is for. A method that is defined anew
//! replaces that method alone, as a function does: each item of an impl without a trait is an impl of its own. One with attributes, or
//! whose head is not ASCII, stays whole and is named after the first of its items in the order of the alphabet, so that another such
//! impl for the same type, in another cell, does not replace it.

use std::collections::BTreeMap;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};

use workbench_base::fingerprint::fingerprint;

/// The insertions for the impls among a cell's statements, as places in the parsed text.
pub fn names(list: &ast::StmtList) -> Vec<(usize, String)> {
    let mut names = Names::default();
    for statement in list.statements() {
        match statement {
            ast::Stmt::Item(ast::Item::Impl(item)) => names.name(&item),
            // evcxr keeps the impls that follow with it.
            ast::Stmt::Item(item) if !matches!(item, ast::Item::MacroRules(_)) && has_name(item.syntax()) => break,
            _ => {}
        }
    }
    names.insertions
}

#[derive(Default)]
struct Names {
    insertions: Vec<(usize, String)>,
    /// How often a name was given in this cell: two that define the same are the compiler's to refuse.
    given: BTreeMap<u64, usize>,
}

impl Names {
    fn name(&mut self, item: &ast::Impl) {
        let header = header(item);
        let items: Vec<ast::AssocItem> =
            item.assoc_item_list().map_or_else(Vec::new, |list| list.assoc_items().collect());
        let is_whole = item.trait_().is_some() || has_attributes(item) || !header.is_ascii();
        let named = match items.first() {
            Some(first) if item.trait_().is_none() => {
                let names = items.iter().map(name_of);
                // One that stays whole has the same name in whichever order its items come.
                let first = names.min().filter(|_| is_whole).unwrap_or_else(|| name_of(first));
                format!("{header} {first}")
            }
            _ => header.clone(),
        };
        let alias = self.alias(&named);
        self.insertions.push((start(item.syntax()), alias));
        if is_whole {
            return;
        }
        for item in items.iter().skip(1) {
            let alias = self.alias(&format!("{header} {}", name_of(item)));
            self.insertions.push((start(item.syntax()), format!("}}{alias}{header}{{")));
        }
    }

    fn alias(&mut self, of: &str) -> String {
        let number = fingerprint(of.as_bytes());
        let given = self.given.entry(number).or_default();
        *given += 1;
        format!("type EvcxrImpl{number:016x}x{given}=();")
    }
}

/// What stands before the items, in one line.
fn header(item: &ast::Impl) -> String {
    let mut words = Vec::new();
    for part in item.syntax().children_with_tokens() {
        match part {
            NodeOrToken::Node(node) if node.kind() == SyntaxKind::ASSOC_ITEM_LIST => break,
            NodeOrToken::Node(node) if node.kind() == SyntaxKind::ATTR => {}
            NodeOrToken::Node(node) => {
                let tokens = node.descendants_with_tokens().filter_map(NodeOrToken::into_token);
                words.extend(tokens.filter(|token| !token.kind().is_trivia()).map(|token| token.text().to_owned()));
            }
            NodeOrToken::Token(token) if !token.kind().is_trivia() => words.push(token.text().to_owned()),
            NodeOrToken::Token(_) => {}
        }
    }
    words.join(" ")
}

fn has_attributes(item: &ast::Impl) -> bool {
    let has = |node: &SyntaxNode| node.children().any(|child| ast::Attr::can_cast(child.kind()));
    has(item.syntax()) || item.assoc_item_list().is_some_and(|list| has(list.syntax()))
}

fn has_name(item: &SyntaxNode) -> bool {
    item.children().any(|child| ast::Name::can_cast(child.kind()))
}

fn name_of(item: &ast::AssocItem) -> String {
    let name = match item {
        ast::AssocItem::Const(item) => item.name(),
        ast::AssocItem::Fn(item) => item.name(),
        ast::AssocItem::TypeAlias(item) => item.name(),
        ast::AssocItem::MacroCall(_) => None,
    };
    name.map_or_else(|| item.syntax().text().to_string(), |name| name.text().to_string())
}

fn start(node: &SyntaxNode) -> usize {
    node.text_range().start().into()
}

#[cfg(test)]
mod tests {
    use crate::cell::{Care, prepare};

    /// The prepared cell with its names left out, and the names.
    fn named(source: &str) -> (String, Vec<String>) {
        let code = prepare(source, Care::Usual, &mut 0).code;
        let mut names = Vec::new();
        let mut rest = code.as_str();
        let mut plain = String::new();
        while let Some((before, after)) = rest.split_once("type EvcxrImpl") {
            let (name, after) = after.split_once("=();").unwrap();
            plain.push_str(before);
            names.push(name.to_owned());
            rest = after;
        }
        (plain + rest, names)
    }

    #[test]
    fn an_impl_has_the_name_of_its_header_and_each_method_one_of_its_own() {
        let (code, first) = named("impl<T> P<T>\nwhere T: Copy {\n    fn a() {}\n    /// B.\n    fn b() {}\n}");
        assert_eq!(
            code,
            "impl<T> P<T>\nwhere T: Copy {\n    fn a() {}\n    }impl < T > P < T > where T : Copy{/// B.\n    fn b() {}\n}"
        );
        let (_, second) = named("impl<T> P<T> where T: Copy { fn b() { f(); } fn a() { g(); } }");
        assert_eq!([&first[1], &first[0]], [&second[0], &second[1]]);
        let (_, other) = named("impl<T> P<T> { fn a() {} }");
        assert!(!first.contains(&other[0]));
        let (code, of_trait) = named("impl T for P { type X = u8; fn f() {} }");
        assert_eq!((code.matches("impl").count(), of_trait.len()), (1, 1));
        assert_eq!(named("impl T for P {}").1, of_trait);
    }

    #[test]
    fn what_is_defined_twice_in_one_cell_stays_for_the_compiler_to_refuse() {
        let (_, names) = named("impl P { fn a() {} }\nimpl P { fn a() {} }");
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn an_impl_behind_an_item_is_kept_with_it() {
        for source in ["struct P;\nimpl P { fn a() {} fn b() {} }", "use a::b;\nfn f() {}\nimpl T for P {}"] {
            assert_eq!(named(source), (source.to_owned(), Vec::new()));
        }
        assert_eq!(named("use a::b;\nimpl T for P {}").1.len(), 1);
    }

    #[test]
    fn an_impl_with_attributes_stays_whole() {
        let (code, names) = named("#[rustfmt::skip]\nimpl P { fn a() {} fn b() {} }");
        assert_eq!((code.matches("impl").count(), names.len()), (1, 1));
    }

    #[test]
    fn an_impl_that_stays_whole_has_one_name_in_any_order_of_its_items() {
        for head in ["impl Größe", "#[rustfmt::skip]\nimpl P"] {
            let (_, names) = named(&format!("{head} {{ fn a() {{}} fn b() {{}} }}"));
            let (_, again) = named(&format!("{head} {{ fn b() {{}} fn a() {{}} }}"));
            assert_eq!((names.len(), &names), (1, &again));
            // Another cell's impl for the type.
            assert_ne!(named(&format!("{head} {{ fn c() {{}} }}")).1, names);
        }
    }
}
