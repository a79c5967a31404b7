//! Endless loops, as far as they can be told without types.
//!
//! The compiler leaves out what comes after such code, and with it the types of the variables before it: see
//! [`super::marks::ENDLESS`].

use ra_ap_syntax::ast::{self, AstNode, HasLoopBody};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

/// Whether an expression never comes to its end.
pub fn is_endless(expression: &ast::Expr) -> bool {
    match expression {
        ast::Expr::MacroExpr(call) => {
            let path = call.macro_call().and_then(|call| call.path());
            let name = path.and_then(|path| Some(path.segment()?.name_ref()?.text().to_string()));
            matches!(name.as_deref(), Some("panic" | "unreachable" | "todo" | "unimplemented"))
        }
        ast::Expr::LoopExpr(repeat) => !is_left(repeat),
        ast::Expr::CallExpr(call) => match call.expr() {
            Some(ast::Expr::PathExpr(path)) => {
                let text = path.syntax().text().to_string();
                text.ends_with("process::exit") || text.ends_with("process::abort")
            }
            _ => false,
        },
        ast::Expr::ParenExpr(inner) => inner.expr().is_some_and(|inner| is_endless(&inner)),
        ast::Expr::BlockExpr(block) => block_is_endless(block),
        ast::Expr::IfExpr(choice) => {
            choice.then_branch().is_some_and(|block| block_is_endless(&block))
                && choice.else_branch().is_some_and(|branch| match branch {
                    ast::ElseBranch::Block(block) => block_is_endless(&block),
                    ast::ElseBranch::IfExpr(choice) => is_endless(&choice.into()),
                })
        }
        ast::Expr::MatchExpr(choice) => {
            let arms = choice.match_arm_list().into_iter().flat_map(|list| list.arms());
            let ends: Vec<bool> = arms.map(|arm| arm.expr().is_some_and(|arm| is_endless(&arm))).collect();
            !ends.is_empty() && ends.into_iter().all(|endless| endless)
        }
        _ => false,
    }
}

fn block_is_endless(block: &ast::BlockExpr) -> bool {
    // Another block may be left by its label, or is run elsewhere.
    let plain = block.label().is_none()
        && block.async_token().is_none()
        && block.const_token().is_none()
        && block.try_block_modifier().is_none();
    let Some(list) = block.stmt_list().filter(|_| plain) else {
        return false;
    };
    let statements = list.statements().filter_map(|statement| match statement {
        ast::Stmt::ExprStmt(statement) => statement.expr(),
        ast::Stmt::LetStmt(statement) => statement.initializer(),
        ast::Stmt::Item(_) => None,
    });
    statements.chain(list.tail_expr()).any(|expression| is_endless(&expression))
}

/// Whether a `break` leaves this loop.
fn is_left(repeat: &ast::LoopExpr) -> bool {
    let label = |text: Option<String>| text.map(|text| text.trim_end_matches(':').trim().to_owned());
    let own = label(repeat.label().map(|label| label.syntax().text().to_string()));
    let Some(body) = repeat.loop_body() else { return false };
    body.syntax().descendants().any(|node| match node.kind() {
        SyntaxKind::BREAK_EXPR => {
            let of = ast::BreakExpr::cast(node.clone()).and_then(|leave| leave.lifetime());
            match label(of.map(|of| of.syntax().text().to_string())) {
                None => !is_of_another(&node, body.syntax()),
                named => named == own,
            }
        }
        // What a macro makes of it, its own text does not tell.
        SyntaxKind::TOKEN_TREE => {
            let mut inside = node.children_with_tokens();
            inside.any(|token| token.kind() == SyntaxKind::BREAK_KW)
        }
        _ => false,
    })
}

/// Whether a loop or a function within `body` stands around the `break`.
fn is_of_another(leave: &SyntaxNode, body: &SyntaxNode) -> bool {
    let mut around = leave.ancestors().skip(1).take_while(|node| node != body);
    around.any(|node| {
        matches!(
            node.kind(),
            SyntaxKind::LOOP_EXPR
                | SyntaxKind::WHILE_EXPR
                | SyntaxKind::FOR_EXPR
                | SyntaxKind::CLOSURE_EXPR
                | SyntaxKind::FN
        )
    })
}

/// Whether the compiler alone knows that an expression never comes to its end: a call, or code that holds one. Other macros may
/// declare what later statements use.
pub fn may_be_endless(expression: &ast::Expr) -> bool {
    match expression {
        ast::Expr::CallExpr(_)
        | ast::Expr::MethodCallExpr(_)
        | ast::Expr::IfExpr(_)
        | ast::Expr::MatchExpr(_)
        | ast::Expr::BlockExpr(_)
        | ast::Expr::LoopExpr(_) => true,
        ast::Expr::MacroExpr(call) => {
            let path = call.macro_call().and_then(|call| call.path());
            path.is_some_and(|path| path.syntax().text().to_string().starts_with("assert"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ra_ap_syntax::{Edition, SourceFile};

    fn endless(code: &str) -> bool {
        let file = SourceFile::parse(&format!("fn f() {{ {code} }}"), Edition::Edition2024);
        assert!(file.errors().is_empty(), "{code}");
        let body = file.tree().syntax().descendants().find_map(ast::StmtList::cast);
        is_endless(&body.unwrap().tail_expr().unwrap())
    }

    #[test]
    fn code_whose_every_way_ends_nowhere_is_endless() {
        for code in [
            "panic!(\"no\")",
            "(todo!())",
            "{ f(); panic!() }",
            "{ let x: u8 = todo!(); x }",
            "unsafe { std::process::abort() }",
            "if a { panic!() } else if b { todo!() } else { std::process::exit(1) }",
            "match a { 0 => panic!(), _ => { unreachable!() } }",
        ] {
            assert!(endless(code), "{code}");
        }
        for code in [
            "if a { panic!() }",
            "if a { panic!() } else { 1 }",
            "match a { 0 => panic!(), _ => 1 }",
            "match a {}",
            "async { panic!() }",
            "'a: { break 'a; panic!() }",
            "{ let f = || panic!(); }",
        ] {
            assert!(!endless(code), "{code}");
        }
    }

    #[test]
    fn a_break_counts_for_the_loop_that_it_leaves() {
        for code in [
            "loop { for i in 0..3 { if i == 1 { break; } } }",
            "loop { while a { break } let f = || loop { break }; }",
            "loop { 'b: loop { break 'b } }",
        ] {
            assert!(endless(code), "{code}");
        }
        for code in [
            "loop { break 3 }",
            "loop { if a { break } else { loop {} } }",
            "'a: loop { for i in 0..3 { break 'a; } }",
            "loop { select! { a => break } }",
        ] {
            assert!(!endless(code), "{code}");
        }
    }
}
