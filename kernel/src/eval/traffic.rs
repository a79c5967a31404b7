//! Which names a cell makes, changes and mentions, as far as its text tells: what rests on what between cells.

use std::collections::{BTreeMap, BTreeSet};

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, TextRange};

use super::text;

/// The names of a cell.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// Variables and items that it makes or changes.
    pub writes: BTreeSet<String>,
    /// Names that it mentions and has not made before itself; which of them mean anything, the session knows.
    pub reads: BTreeSet<String>,
}

impl Traffic {
    /// The names of a cell's source; none where it does not parse.
    pub fn of(source: &str) -> Traffic {
        let (rust, _) = text::without_commands(source);
        let mut traffic = Traffic::default();
        if text::is_too_deep(&rust) {
            return traffic;
        }
        let file = SourceFile::parse(&format!("fn cell() {{\n{rust}\n}}"), Edition::Edition2024);
        let body = file
            .tree()
            .syntax()
            .descendants()
            .find_map(ast::Fn::cast)
            .and_then(|f| f.body());
        let (Some(body), true) = (body, file.errors().is_empty()) else {
            return traffic;
        };
        // For each name, where the cell's own bindings stand and the statements that end them.
        let mut made: BTreeMap<String, Vec<(TextRange, TextRange)>> = BTreeMap::new();
        for statement in body.statements() {
            match statement {
                ast::Stmt::LetStmt(bound) => {
                    let names = bound.pat().into_iter().flat_map(|pattern| {
                        let names = pattern.syntax().descendants().filter_map(ast::IdentPat::cast);
                        names.filter_map(|name| name.name()).collect::<Vec<_>>()
                    });
                    let whole = bound.syntax().text_range();
                    for name in names {
                        let places = made.entry(name.text().to_string()).or_default();
                        places.push((name.syntax().text_range(), whole));
                    }
                }
                ast::Stmt::Item(item) => {
                    let name = item.syntax().children().find_map(ast::Name::cast);
                    if let Some(name) = name {
                        traffic.writes.insert(name.text().to_string());
                    }
                }
                ast::Stmt::ExprStmt(statement) => {
                    // A call whose value nobody takes is made for what it does to its receiver.
                    if let Some(ast::Expr::MethodCallExpr(call)) = statement.expr() {
                        traffic.writes.extend(call.receiver().as_ref().and_then(root));
                    }
                }
            }
        }
        for node in body.syntax().descendants() {
            if let Some(assignment) = ast::BinExpr::cast(node.clone()) {
                if matches!(assignment.op_kind(), Some(ast::BinaryOp::Assignment { .. })) {
                    traffic.writes.extend(assignment.lhs().as_ref().and_then(root));
                }
            } else if let Some(lent) = ast::RefExpr::cast(node)
                && lent.mut_token().is_some()
            {
                traffic.writes.extend(lent.expr().as_ref().and_then(root));
            }
        }
        let tokens = body
            .syntax()
            .descendants_with_tokens()
            .filter_map(|element| element.into_token());
        for token in tokens.filter(|token| token.kind() == SyntaxKind::IDENT) {
            let (name, at) = (token.text(), token.text_range());
            let holds = |(binding, whole): &(TextRange, TextRange)| *binding == at || whole.end() <= at.start();
            let own = made.get(name).is_some_and(|places| places.iter().any(holds));
            if !own {
                traffic.reads.insert(name.to_owned());
            }
        }
        traffic.writes.extend(made.into_keys());
        traffic
    }
}

/// The variable that a place such as `x.field[0]` is part of.
fn root(place: &ast::Expr) -> Option<String> {
    match place {
        ast::Expr::PathExpr(path) => {
            let text = path.syntax().text().to_string();
            (!text.contains(':')).then_some(text)
        }
        ast::Expr::FieldExpr(field) => root(&field.expr()?),
        ast::Expr::IndexExpr(index) => root(&index.base()?),
        ast::Expr::PrefixExpr(prefix) => root(&prefix.expr()?),
        ast::Expr::ParenExpr(inner) => root(&inner.expr()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, writes: &[&str], reads: &[&str], not: &[&str]) {
        let traffic = Traffic::of(source);
        assert_eq!(
            traffic.writes.iter().map(String::as_str).collect::<Vec<_>>(),
            writes,
            "{source}"
        );
        for name in reads {
            assert!(traffic.reads.contains(*name), "{name} in {source}");
        }
        for name in not {
            assert!(!traffic.reads.contains(*name), "{name} in {source}");
        }
    }

    #[test]
    fn what_is_made_and_what_is_read() {
        check("let (a, b) = f(x);\na + b", &["a", "b"], &["x", "f"], &["a", "b"]);
        check("let x = x + 1;\nx", &["x"], &["x"], &[]);
        check("fn g() -> f64 { h() }\nstruct S;", &["S", "g"], &["h"], &[]);
        check("println!(\"{}\", inside)", &[], &["inside"], &[]);
    }

    #[test]
    fn what_is_changed() {
        check("w[0].v += 1.0; *q = 2;", &["q", "w"], &["w", "q"], &[]);
        check("fill(&mut all); all.len()", &["all"], &["all"], &[]);
        check("list.push(1);", &["list"], &["list"], &[]);
        check("list.len()", &[], &["list"], &[]);
    }
}
