//! The names in a macro's arguments: expressions where they can be read as such, words in what is a language of the macro's own, and
//! the names in its format.

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{AstToken, SyntaxKind, SyntaxNode, SyntaxToken};

use super::{Walk, body};
use crate::changing::Use;
use crate::formats;

/// Macros whose first argument is written to.
const WRITING: [&str; 2] = ["write", "writeln"];
/// Macros whose strings are text and no formats.
const LITERAL: [&str; 7] = ["vec", "concat", "dbg", "stringify", "include_str", "matches", "env"];

impl Walk {
    pub(super) fn macro_call(&mut self, call: &ast::MacroCall) {
        let Some(path) = call.path() else { return };
        self.path(&path);
        let name = path.segment().and_then(|segment| segment.name_ref());
        let name = name.map(|name| name.text().to_string()).unwrap_or_default();
        let Some(tree) = call.token_tree() else { return };
        let formats = !LITERAL.contains(&name.as_str());
        let text = tree.syntax().text().to_string();
        let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        let list = body(&format!("[{inside}];")).and_then(|body| body.statements().next());
        let arguments: Vec<ast::Expr> = match list {
            Some(ast::Stmt::ExprStmt(list)) => match list.expr() {
                Some(ast::Expr::ArrayExpr(list)) => list.exprs().collect(),
                _ => return self.words(tree.syntax(), formats),
            },
            _ => return self.words(tree.syntax(), formats),
        };
        if WRITING.contains(&name.as_str()) {
            self.change_all(arguments.first(), Use::Place);
        }
        self.inside(|walk| {
            let mut literals = Vec::new();
            for (index, argument) in arguments.into_iter().enumerate() {
                match &argument {
                    ast::Expr::Literal(literal) => {
                        literals.extend(literal.syntax().first_token().map(|token| (index, token)));
                    }
                    // A name that is given to the format.
                    ast::Expr::BinExpr(named)
                        if matches!(named.op_kind(), Some(ast::BinaryOp::Assignment { op: None })) =>
                    {
                        walk.maybe(named.rhs());
                        named.lhs().iter().for_each(|name| walk.bind(&name.syntax().text().to_string()));
                    }
                    _ => walk.maybe(Some(argument)),
                }
            }
            let place = format_place(&name);
            let mut strings = literals.iter().filter(|(_, token)| token.kind() == SyntaxKind::STRING);
            let format = strings.find(|(index, _)| place.is_none_or(|place| place == *index));
            if let Some((_, format)) = format.filter(|_| formats) {
                walk.format(format);
            }
        });
    }

    /// Words in what is not looked into: a macro's own language, for one.
    pub(super) fn words(&mut self, node: &SyntaxNode, formats: bool) {
        let tokens = node.descendants_with_tokens().filter_map(|element| element.into_token());
        let tokens: Vec<SyntaxToken> = tokens.filter(|token| !token.kind().is_trivia()).collect();
        let kind = |index: Option<usize>| index.and_then(|index| tokens.get(index)).map(SyntaxToken::kind);
        for (index, token) in tokens.iter().enumerate() {
            let (before, last) = (kind(index.checked_sub(1)), kind(index.checked_sub(2)));
            let (next, after) = (kind(Some(index + 1)), kind(Some(index + 2)));
            use SyntaxKind::{COLON, COLON2, DOLLAR, DOT, IDENT, STRING};
            let part = match before {
                Some(DOT) => last != Some(DOT),
                Some(COLON) => last == Some(COLON),
                before => matches!(before, Some(COLON2 | DOLLAR)),
            };
            let label = next == Some(COLON) && after != Some(COLON);
            match token.kind() {
                IDENT if !part && !label => self.read(token.text()),
                STRING if formats => self.format(token),
                _ => {}
            }
        }
    }

    /// The names that a format string mentions.
    fn format(&mut self, token: &SyntaxToken) {
        let Some(text) =
            ast::String::cast(token.clone()).and_then(|text| text.value().ok().map(|text| text.into_owned()))
        else {
            return;
        };
        for name in formats::names(&text) {
            self.read(&name);
        }
    }
}

/// Which argument of a macro is its format, where that is known; with another macro it is the first string.
fn format_place(name: &str) -> Option<usize> {
    match name {
        "write" | "writeln" | "assert" | "debug_assert" => Some(1),
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => Some(2),
        _ => None,
    }
}
