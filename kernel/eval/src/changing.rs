//! Mutation of variables by an expression, as far as its text tells.
//!
//! A method changes what it is called on where its value is dropped (`list.push(1);`), or where it is one of those that do by their
//! names. On the way to it (`list.iter_mut().for_each(f)`) one that only looks ends the search. Dropped is the value of a statement, and
//! what is written without `;` at the end of a loop's body or of an `if` without `else`.

use ra_ap_syntax::ast::{self, AstNode, HasLoopBody};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

/// Methods that change what they are called on, or lend it to be changed, also where their value is used.
const CHANGING: [&str; 45] = [
    "append",
    "as_mut",
    "clear",
    "dedup",
    "dedup_by",
    "dedup_by_key",
    "drain",
    "entry",
    "extend",
    "extend_from_slice",
    "fetch_add",
    "fetch_sub",
    "fill",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "insert_str",
    "lock",
    "next",
    "next_back",
    "pop",
    "pop_back",
    "pop_first",
    "pop_front",
    "pop_last",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "random",
    "random_bool",
    "random_range",
    "remove",
    "resize",
    "retain",
    "reverse",
    "set",
    "shuffle",
    "sort",
    "sort_by",
    "sort_by_key",
    "split_off",
    "swap",
    "take",
    "truncate",
];
/// Methods that give something else, or lend what they are called on to be looked at.
const LOOKING: [&str; 22] = [
    "as_ref",
    "as_slice",
    "as_str",
    "as_view",
    "borrow",
    "bytes",
    "chars",
    "chunks",
    "clone",
    "cloned",
    "copied",
    "get",
    "into_iter",
    "iter",
    "keys",
    "lines",
    "read",
    "to_owned",
    "to_string",
    "to_vec",
    "values",
    "windows",
];

/// What becomes of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is a place that is written to, or lent to be.
    Place,
    /// Its value is dropped: a call is made for what it does.
    Dropped,
    /// Its value is used.
    Taken,
}

/// The variables that are changed. What a part of the expression changes, such as a call in a chain, is asked of that part.
pub fn roots(expression: &ast::Expr, how: Use) -> Vec<String> {
    match (expression, how) {
        (ast::Expr::TupleExpr(parts), Use::Place) => parts.fields().flat_map(|part| roots(&part, how)).collect(),
        (ast::Expr::ArrayExpr(parts), Use::Place) => parts.exprs().flat_map(|part| roots(&part, how)).collect(),
        (_, Use::Place) => place(expression, true).into_iter().collect(),
        (ast::Expr::MethodCallExpr(call), _) => {
            let named = name(call);
            let dropped = how == Use::Dropped;
            let does = dropped || CHANGING.contains(&named.as_str()) || named.contains("_mut");
            let receiver = call.receiver().filter(|_| does);
            receiver.and_then(|of| place(&of, dropped)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What becomes of the value of a call.
pub fn of_call(call: &ast::MethodCallExpr) -> Use {
    if is_dropped(call.syntax()) { Use::Dropped } else { Use::Taken }
}

/// Whether nobody gets the value of an expression, or of the part of one that has its value, by what it stands in.
fn is_dropped(part: &SyntaxNode) -> bool {
    let Some(around) = part.parent() else {
        return false;
    };
    let is = |other: Option<SyntaxNode>| other.as_ref() == Some(part);
    let body = |turns: &dyn HasLoopBody| turns.loop_body().map(|body| body.syntax().clone());
    match around.kind() {
        SyntaxKind::EXPR_STMT => true,
        SyntaxKind::FOR_EXPR => ast::ForExpr::cast(around).is_some_and(|turns| is(body(&turns))),
        SyntaxKind::WHILE_EXPR => ast::WhileExpr::cast(around).is_some_and(|turns| is(body(&turns))),
        SyntaxKind::LOOP_EXPR => ast::LoopExpr::cast(around).is_some_and(|turns| is(body(&turns))),
        SyntaxKind::IF_EXPR => ast::IfExpr::cast(around.clone()).is_some_and(|branch| {
            let condition = branch.condition().map(|condition| condition.syntax().clone());
            !is(condition) && (!has_else(&branch) || is_dropped(&around))
        }),
        SyntaxKind::MATCH_EXPR => part.kind() == SyntaxKind::MATCH_ARM_LIST && is_dropped(&around),
        SyntaxKind::MATCH_ARM => part.kind() != SyntaxKind::MATCH_GUARD && is_dropped(&around),
        SyntaxKind::BLOCK_EXPR
        | SyntaxKind::STMT_LIST
        | SyntaxKind::MATCH_ARM_LIST
        | SyntaxKind::TRY_EXPR
        | SyntaxKind::PAREN_EXPR => is_dropped(&around),
        _ => false,
    }
}

/// Whether an `if` and all that follow it in an `else if` have a last `else`.
fn has_else(branch: &ast::IfExpr) -> bool {
    match branch.else_branch() {
        Some(ast::ElseBranch::IfExpr(next)) => has_else(&next),
        Some(ast::ElseBranch::Block(_)) => true,
        None => false,
    }
}

fn name(call: &ast::MethodCallExpr) -> String {
    call.name_ref().map(|name| name.text().to_string()).unwrap_or_default()
}

/// The variable that a place such as `x.field[0]`, or with `calls` `x.last_mut().unwrap()`, is part of.
fn place(expression: &ast::Expr, calls: bool) -> Option<String> {
    let mut expression = expression.clone();
    loop {
        expression = match &expression {
            ast::Expr::PathExpr(path) => {
                let text = path.syntax().text().to_string();
                return (!text.contains(':') && text != "self").then_some(text);
            }
            ast::Expr::FieldExpr(field) => field.expr()?,
            ast::Expr::IndexExpr(index) => index.base()?,
            ast::Expr::PrefixExpr(prefix) => prefix.expr()?,
            ast::Expr::ParenExpr(inner) => inner.expr()?,
            ast::Expr::TryExpr(inner) => inner.expr()?,
            ast::Expr::MethodCallExpr(call) if calls && !LOOKING.contains(&name(call).as_str()) => call.receiver()?,
            _ => return None,
        };
    }
}
