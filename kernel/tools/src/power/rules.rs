//! Mutation rules of one expression: each operator's rules, from syntax alone.
//!
//! A rewritten expression has the type of the written one wherever the syntax can tell; where it cannot, the compiler refuses it and
//! another site is drawn. No rule can make a program allocate without bound: what is made smaller stays at least 0.

use ra_ap_syntax::ast::{
    self, ArithOp, AstNode, BinaryOp, HasArgList, HasGenericArgs, LiteralKind, RangeItem, RangeOp, UnaryOp,
};

use super::operator::Operator;

/// Floats that are factors; smaller and larger ones are guards and tolerances.
const FACTORS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;
/// What draws one number from a stream.
const DRAWS: [&str; 5] = ["normal", "uniform", "sign", "below", "permutation"];
/// Summaries of a list of numbers.
const SUMMARIES: [&str; 4] = ["mean", "median", "quantile", "log_mean_exp"];

/// The wrong forms of an expression, with the kind of mistake that each is.
pub fn rewrites(expr: &ast::Expr) -> Vec<(Operator, String)> {
    match expr {
        ast::Expr::BinExpr(binary) => of_binary(binary),
        ast::Expr::PrefixExpr(prefix) => of_prefix(prefix),
        ast::Expr::Literal(literal) => of_literal(literal),
        ast::Expr::MethodCallExpr(call) => of_method(call),
        ast::Expr::CallExpr(call) => of_call(call),
        ast::Expr::RangeExpr(range) => of_range(range),
        ast::Expr::ArrayExpr(array) => of_pair(array),
        ast::Expr::RefExpr(lent) => of_lent(lent),
        _ => Vec::new(),
    }
}

fn text(node: &impl AstNode) -> String {
    node.syntax().text().to_string()
}

/// The text, in parentheses where something binds to a part of it.
fn closed(expr: &ast::Expr) -> String {
    match expr {
        ast::Expr::PathExpr(_)
        | ast::Expr::Literal(_)
        | ast::Expr::ParenExpr(_)
        | ast::Expr::MethodCallExpr(_)
        | ast::Expr::CallExpr(_)
        | ast::Expr::FieldExpr(_)
        | ast::Expr::IndexExpr(_) => text(expr),
        _ => format!("({})", text(expr)),
    }
}

/// The text of what is left of a product, as a value where it is lent.
fn alone(expr: &ast::Expr) -> String {
    match expr {
        ast::Expr::RefExpr(lent) => {
            lent.expr().map(|inner| format!("{}.to_owned()", closed(&inner))).unwrap_or_default()
        }
        _ => text(expr),
    }
}

fn float(expr: &ast::Expr) -> Option<f64> {
    match expr {
        ast::Expr::Literal(literal) => match literal.kind() {
            LiteralKind::FloatNumber(number) => number.value_string().parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn integer(expr: &ast::Expr) -> Option<u128> {
    match expr {
        ast::Expr::Literal(literal) => match literal.kind() {
            LiteralKind::IntNumber(number) => number.value().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a divisor is a count that was made a float.
fn is_count(divisor: &ast::Expr) -> bool {
    let text = text(divisor);
    [" as f64", " as f32", "f64::from(", "f32::from("].iter().any(|mark| text.contains(mark))
}

fn of_binary(binary: &ast::BinExpr) -> Vec<(Operator, String)> {
    let (Some(left), Some(right), Some(operation)) = (binary.lhs(), binary.rhs(), binary.op_kind()) else {
        return Vec::new();
    };
    let (a, b) = (text(&left), text(&right));
    let whole = integer(&left).is_some() || integer(&right).is_some();
    let about_lengths = [&a, &b].iter().any(|side| side.contains(".len()"));
    match operation {
        BinaryOp::ArithOp(ArithOp::Add) if integer(&right) == Some(1) => vec![(Operator::OffByOne, a)],
        BinaryOp::ArithOp(ArithOp::Sub) if integer(&right) == Some(1) => vec![(Operator::OffByOne, a)],
        BinaryOp::ArithOp(_) if whole => Vec::new(),
        BinaryOp::ArithOp(ArithOp::Add) if !about_lengths => {
            vec![(Operator::Sign, format!("{a} - {}", closed(&right)))]
        }
        BinaryOp::ArithOp(ArithOp::Sub) if !about_lengths => {
            vec![(Operator::Sign, format!("{a} + {}", closed(&right)))]
        }
        // A literal is changed by itself.
        BinaryOp::ArithOp(ArithOp::Mul) if float(&left).is_none() && float(&right).is_none() => {
            vec![(Operator::Factor, alone(&left)), (Operator::Factor, alone(&right))]
        }
        BinaryOp::ArithOp(ArithOp::Div) if is_count(&right) => {
            vec![(Operator::MissingN, a.clone()), (Operator::Average, format!("{a} / ({b} + 1.0)"))]
        }
        BinaryOp::Assignment { op: Some(ArithOp::Add) } if !whole && !about_lengths => {
            vec![(Operator::Sign, format!("{a} -= {b}"))]
        }
        BinaryOp::Assignment { op: Some(ArithOp::Sub) } if !whole && !about_lengths => {
            vec![(Operator::Sign, format!("{a} += {b}"))]
        }
        BinaryOp::Assignment { op: Some(ArithOp::Div) } if is_count(&right) => {
            vec![(Operator::MissingN, "()".to_string()), (Operator::Average, format!("{a} /= {b} + 1.0"))]
        }
        BinaryOp::Assignment { op: Some(ArithOp::Mul) } if !whole => vec![(Operator::Factor, "()".to_string())],
        _ => Vec::new(),
    }
}

fn of_prefix(prefix: &ast::PrefixExpr) -> Vec<(Operator, String)> {
    match (prefix.op_kind(), prefix.expr()) {
        (Some(UnaryOp::Neg), Some(inner)) if integer(&inner).is_none() => vec![(Operator::Sign, text(&inner))],
        _ => Vec::new(),
    }
}

/// A float that multiplies or divides: 1 for another number, 2 for 1.
fn of_literal(literal: &ast::Literal) -> Vec<(Operator, String)> {
    let expr = ast::Expr::Literal(literal.clone());
    let parent = literal.syntax().parent().and_then(ast::BinExpr::cast);
    let operation = parent.and_then(|parent| parent.op_kind());
    let is_factor = matches!(operation, Some(BinaryOp::ArithOp(ArithOp::Mul | ArithOp::Div)));
    match float(&expr) {
        Some(value) if is_factor && FACTORS.contains(&value) => {
            let LiteralKind::FloatNumber(number) = literal.kind() else {
                return Vec::new();
            };
            let other = if value == 1.0 { "2.0" } else { "1.0" };
            let suffix = number.suffix().unwrap_or_default();
            vec![(Operator::Factor, format!("{other}{suffix}"))]
        }
        _ => Vec::new(),
    }
}

fn of_method(call: &ast::MethodCallExpr) -> Vec<(Operator, String)> {
    let (Some(receiver), Some(name)) = (call.receiver(), call.name_ref()) else {
        return Vec::new();
    };
    let arguments: Vec<ast::Expr> = call.arg_list().into_iter().flat_map(|list| list.args()).collect();
    let on = text(&receiver);
    let name = name.text().to_string();
    match (name.as_str(), arguments.as_slice()) {
        ("powi", [power]) => vec![(Operator::Exponent, format!("{on}.powi({} + 1)", text(power)))],
        ("powf", [power]) => vec![(Operator::Exponent, format!("{on}.powf(2.0 * {})", closed(power)))],
        ("sqrt" | "cbrt", []) => vec![(Operator::Exponent, on)],
        ("t", []) => vec![(Operator::Transposed, format!("{on}.view()"))],
        // The product of a list with itself has no other way round.
        ("dot", [other]) if !on.ends_with(".t()") && text(other).trim_start_matches('&') != on => {
            vec![(Operator::Transposed, format!("{}.t().dot({})", closed(&receiver), text(other)))]
        }
        ("take" | "skip", [count]) => vec![(Operator::OffByOne, format!("{on}.{name}({} + 1)", closed(count)))],
        ("sum", []) => {
            let types = call.generic_arg_list().map(|list| text(&list)).unwrap_or_default();
            vec![(Operator::Average, format!("{on}.skip(1).sum{types}()"))]
        }
        ("replicate" | "restart_replicate", [name, _]) => {
            vec![(Operator::Randomness, format!("{on}.restart_replicate({}, 0)", text(name)))]
        }
        (draw, _) if DRAWS.contains(&draw) => {
            let list = call.arg_list().map(|list| text(&list)).unwrap_or_default();
            vec![(Operator::Randomness, format!("{on}.clone().{draw}{list}"))]
        }
        _ => Vec::new(),
    }
}

fn of_call(call: &ast::CallExpr) -> Vec<(Operator, String)> {
    let Some(callee) = call.expr().map(|callee| text(&callee)) else {
        return Vec::new();
    };
    let arguments: Vec<ast::Expr> = call.arg_list().into_iter().flat_map(|list| list.args()).collect();
    let short = callee.rsplit("::").next().unwrap_or(&callee);
    match arguments.as_slice() {
        [axis] if short == "Axis" => match integer(axis) {
            Some(0) => vec![(Operator::Average, format!("{callee}(1)"))],
            Some(1) => vec![(Operator::Average, format!("{callee}(0)"))],
            _ => Vec::new(),
        },
        [numbers, rest @ ..] if SUMMARIES.contains(&short) => {
            let list = match numbers {
                ast::Expr::RefExpr(lent) => lent.expr().map(|inner| closed(&inner)).unwrap_or_default(),
                other => closed(other),
            };
            let rest: String = rest.iter().map(|other| format!(", {}", text(other))).collect();
            vec![(Operator::Average, format!("{callee}(&{list}[1..]{rest})"))]
        }
        _ => Vec::new(),
    }
}

fn of_range(range: &ast::RangeExpr) -> Vec<(Operator, String)> {
    let (Some(end), Some(operation)) = (range.end(), range.op_kind()) else {
        return Vec::new();
    };
    let start = range.start();
    let sign = match operation {
        RangeOp::Exclusive => "..",
        RangeOp::Inclusive => "..=",
    };
    let from = start.as_ref().map(text).unwrap_or_default();
    let shorter = match integer(&end) {
        Some(0) => None,
        Some(_) if !text(&end).chars().all(|sign| sign.is_ascii_digit()) => None,
        Some(value) => Some((value - 1).to_string()),
        None => Some(format!("{}.saturating_sub(1)", closed(&end))),
    };
    let mut found = Vec::new();
    found.extend(shorter.map(|to| (Operator::OffByOne, format!("{from}{sign}{to}"))));
    let later = match start.as_ref().map(|start| (integer(start), text(start))) {
        Some((Some(0), text)) if text == "0" => Some("1"),
        Some((Some(1), text)) if text == "1" => Some("0"),
        _ => None,
    };
    found.extend(later.map(|from| (Operator::OffByOne, format!("{from}{sign}{}", text(&end)))));
    found
}

/// `m[[i, j]]`, by its pair.
fn of_pair(array: &ast::ArrayExpr) -> Vec<(Operator, String)> {
    let index = array.syntax().parent().and_then(ast::IndexExpr::cast);
    let is_index = index.and_then(|index| index.index()).is_some_and(|index| index.syntax() == array.syntax());
    let parts: Vec<String> = array.exprs().map(|expr| text(&expr)).collect();
    match parts.as_slice() {
        [a, b] if is_index && a != b => vec![(Operator::Transposed, format!("[{b}, {a}]"))],
        _ => Vec::new(),
    }
}

/// `&mut stream` handed to what draws from it: the numbers come again in the next call.
fn of_lent(lent: &ast::RefExpr) -> Vec<(Operator, String)> {
    let is_argument = lent.syntax().parent().is_some_and(|parent| ast::ArgList::can_cast(parent.kind()));
    match lent.expr() {
        Some(inner @ (ast::Expr::PathExpr(_) | ast::Expr::FieldExpr(_)))
            if is_argument && lent.mut_token().is_some() =>
        {
            let name = text(&inner);
            let last = name.rsplit('.').next().unwrap_or(&name);
            let draws = ["stream", "rng", "data", "noise", "draws"].iter().any(|word| last.contains(word));
            match draws {
                true => vec![(Operator::Randomness, format!("&mut {name}.clone()"))],
                false => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ra_ap_syntax::{Edition, SourceFile};

    /// All wrong forms within an expression, from the outside in.
    fn of(source: &str) -> Vec<(Operator, String)> {
        let file = SourceFile::parse(&format!("fn f() {{ let _ = {source}; }}"), Edition::Edition2024);
        assert!(file.errors().is_empty(), "{source}");
        let nodes = file.tree().syntax().descendants().filter_map(ast::Expr::cast);
        nodes.filter(|expr| !matches!(expr, ast::Expr::BlockExpr(_))).flat_map(|expr| rewrites(&expr)).collect()
    }

    fn one(source: &str, operator: Operator, after: &str) {
        let found = of(source);
        assert!(found.contains(&(operator, after.to_string())), "{source}: {after} not in {found:?}");
    }

    #[test]
    fn every_kind_of_mistake_is_made() {
        one("a + b * c", Operator::Sign, "a - (b * c)");
        one("a - b", Operator::Sign, "a + b");
        one("-x.powi(2)", Operator::Sign, "x.powi(2)");
        one("a += b", Operator::Sign, "a -= b");
        one("2.0 * x", Operator::Factor, "1.0");
        one("1.0 / x", Operator::Factor, "2.0");
        one("0.5f32 * x", Operator::Factor, "1.0f32");
        one("a * b", Operator::Factor, "a");
        one("&a * &b", Operator::Factor, "a.to_owned()");
        one("x.powi(2)", Operator::Exponent, "x.powi(2 + 1)");
        one("x.powf(-a)", Operator::Exponent, "x.powf(2.0 * (-a))");
        one("(a * a).sqrt()", Operator::Exponent, "(a * a)");
        one("w.t()", Operator::Transposed, "w.view()");
        one("w.dot(&x)", Operator::Transposed, "w.t().dot(&x)");
        one("w[[i, j]]", Operator::Transposed, "[j, i]");
        one("s / n as f64", Operator::MissingN, "s");
        one("s /= n as f64", Operator::MissingN, "()");
        one("s / n as f64", Operator::Average, "s / (n as f64 + 1.0)");
        one("x.iter().sum::<f64>()", Operator::Average, "x.iter().skip(1).sum::<f64>()");
        one("w.mean_axis(Axis(0))", Operator::Average, "Axis(1)");
        one("stats::mean(&xs)", Operator::Average, "stats::mean(&xs[1..])");
        one("1..n", Operator::OffByOne, "1..n.saturating_sub(1)");
        one("0..=a + b", Operator::OffByOne, "0..=(a + b).saturating_sub(1)");
        one("0..n", Operator::OffByOne, "1..n");
        one("0..8", Operator::OffByOne, "0..7");
        one("n - 1", Operator::OffByOne, "n");
        one("x.iter().take(k)", Operator::OffByOne, "x.iter().take(k + 1)");
        one("s.replicate(&name, i)", Operator::Randomness, "s.restart_replicate(&name, 0)");
        one("stream.normal()", Operator::Randomness, "stream.clone().normal()");
        one("draw(&mut stream, n)", Operator::Randomness, "&mut stream.clone()");
    }

    #[test]
    fn what_is_no_arithmetic_of_the_method_stays() {
        for source in [
            "1e-12 * x",
            "w[[i, i]]",
            "x.len() + y.len()",
            "i + 2",
            "..",
            "draw(&mut other)",
            "[i, j]",
            "row.dot(&row)",
            "\"2.0\"",
            "!x",
        ] {
            let found: Vec<_> = of(source).into_iter().filter(|(_, after)| after != "x").collect();
            assert!(found.is_empty(), "{source}: {found:?}");
        }
    }

    #[test]
    fn a_literal_keeps_its_suffix_and_a_pattern_is_none() {
        assert_eq!(of("2.5f64 * x")[0], (Operator::Factor, "1.0f64".to_string()));
        assert!(of("match x { 2.0 => y, _ => z }").is_empty());
    }
}
