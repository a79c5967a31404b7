//! Bindings of a cell's `let`: each new variable gets a placeholder type, also the names inside of a pattern.

use ra_ap_syntax::ast::{self, AstNode, HasName};

use super::cell::{Care, enclose, end, start};
use super::endless::is_endless;
use super::marks::{ABSENT, PLACEHOLDER, UNKEPT};

/// The names of the variables that a `let` binds.
pub fn bound(statement: &ast::LetStmt) -> impl Iterator<Item = String> {
    let names = names_in(statement).into_iter().filter(|name| !is_constant(name, statement));
    names.filter_map(|name| Some(name.name()?.text().to_string()))
}

fn placeholder(prefix: &str, next_type: &mut usize) -> String {
    let name = format!("{prefix}{next_type}");
    *next_type += 1;
    name
}

/// Gives a `let` without a full type its placeholder; a pattern is followed by one binding for each of its names.
pub fn annotate(statement: &ast::LetStmt, next_type: &mut usize, edits: &mut Vec<(usize, String)>) {
    let Some(pattern) = statement.pat() else {
        return;
    };
    let is_name = matches!(&pattern, ast::Pat::IdentPat(name) if name.pat().is_none() && !is_constant(name, statement));
    match statement.ty() {
        None if is_name => {
            let at = end(pattern.syntax().text_range());
            let is_closure = matches!(statement.initializer(), Some(ast::Expr::ClosureExpr(_)));
            let of = if is_closure { UNKEPT } else { PLACEHOLDER };
            edits.push((at, format!(": {}", placeholder(of, next_type))));
        }
        // A partial type still guides inference: keep it, and bind the name again with the placeholder.
        Some(ty) if is_name && is_full(&ty) => {}
        _ => rebind(statement, next_type, edits),
    }
}

fn rebind(statement: &ast::LetStmt, next_type: &mut usize, edits: &mut Vec<(usize, String)>) {
    let mut text = String::new();
    for name in names_in(statement) {
        let Some(ident) = name.name() else { continue };
        if is_constant(&name, statement) {
            // With a path before it, evcxr does not take it for a variable either.
            let path = if ident.text() == "None" { "::std::option::Option::" } else { "self::" };
            edits.push((start(name.syntax().text_range()), path.to_owned()));
            continue;
        }
        let mutable = if name.mut_token().is_some() { "mut " } else { "" };
        text.push_str(&format!("let {mutable}{ident}: {} = {ident};", placeholder(PLACEHOLDER, next_type)));
    }
    edits.push((end(statement.syntax().text_range()), text));
}

fn is_full(ty: &ast::Type) -> bool {
    !ty.syntax().text().to_string().contains('_')
}

/// The names in a `let`'s pattern.
fn names_in(statement: &ast::LetStmt) -> Vec<ast::IdentPat> {
    let pattern = statement.pat();
    let nodes = pattern.iter().flat_map(|pattern| pattern.syntax().descendants());
    nodes.filter_map(ast::IdentPat::cast).collect()
}

/// Whether a name in a pattern that may not fit, as `None`, is compared with and not bound, as its letters tell.
fn is_constant(name: &ast::IdentPat, statement: &ast::LetStmt) -> bool {
    let plain = name.pat().is_none() && name.mut_token().is_none() && name.ref_token().is_none();
    let text = name.name().map(|name| name.text().to_string()).unwrap_or_default();
    plain && statement.let_else().is_some() && text.starts_with(char::is_uppercase) && text.contains(char::is_lowercase)
}

/// Encloses what a `let` binds where that never comes to its end. A type that is left open is nobody's then.
pub fn enclose_initializer(statement: &ast::LetStmt, care: Care, edits: &mut Vec<(usize, String)>) {
    let Some(value) = statement.initializer().filter(|_| statement.let_else().is_none()) else {
        return;
    };
    let absent = match statement.ty() {
        Some(ty) if is_full(&ty) && care.encloses(&value) => ABSENT[0],
        None if care == Care::EndlessCalls && is_endless(&value) => ABSENT[1],
        _ => return,
    };
    let range = value.syntax().text_range();
    enclose(range, edits);
    edits.push((end(range), absent.to_owned()));
}

#[cfg(test)]
mod tests {
    use super::super::cell::prepare;
    use super::super::marks::ENDLESS;
    use super::*;

    fn prepared(source: &str) -> String {
        prepare(source, Care::Usual, &mut 0).code
    }

    #[test]
    fn an_explicit_type_is_left_alone() {
        assert!(!prepared("let x: u8 = 1;").contains(PLACEHOLDER));
    }

    #[test]
    fn patterns_are_bound_again_one_by_one() {
        let code = prepared("let (mut a, Some(b)) = f() else { return };");
        assert!(code.contains("let mut a: EvcxrType0 = a;let b: EvcxrType1 = b;"), "{code}");
    }

    #[test]
    fn names_inside_of_a_name_are_bound_too() {
        let cell = prepare("let all @ [a, ..] = f();", Care::Usual, &mut 0);
        let again = "let all: EvcxrType0 = all;let a: EvcxrType1 = a;";
        assert!(cell.code.contains(&format!("let all @ [a, ..] = f();{again}")), "{}", cell.code);
        assert_eq!(cell.makes.len(), 2);
    }

    #[test]
    fn a_constant_in_a_pattern_is_no_variable() {
        let cell = prepare("let (None, Some(Plus), b, M) = f() else { return };", Care::Usual, &mut 0);
        for part in [
            "let (::std::option::Option::None, Some(self::Plus), b, M) = f()",
            "let b: EvcxrType0 = b;let M: EvcxrType1 = M;",
        ] {
            assert!(cell.code.contains(part), "{}", cell.code);
        }
        let made: Vec<&str> = cell.makes.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(made, ["b", "M"]);
        assert!(prepared("let Plus = 1;").contains("let Plus: EvcxrType0 = 1;"));
    }

    #[test]
    fn what_follows_a_value_that_is_never_made_can_be_reached() {
        let (open, close) = ENDLESS;
        let code = prepared("let x: u8 = todo!();");
        assert!(code.contains(&format!("let x: u8 = {open}todo!(){close}{};", ABSENT[0])), "{code}");
        let careful = |source: &str| prepare(source, Care::EndlessCalls, &mut 0).code;
        assert!(careful("let x: u8 = f();").contains(&format!("{open}f(){close}{};", ABSENT[0])));
        assert!(careful("let x = todo!();").contains(&format!("{open}todo!(){close}{};", ABSENT[1])));
        for left in ["let x = f();", "let x: Vec<_> = f();", "let Some(x) = f() else { panic!() };"] {
            assert!(!careful(left).contains(open), "{left}");
        }
    }

    #[test]
    fn a_closure_is_no_variable_for_later_cells() {
        let code = prepared("let f = |x: f64| x + 1.0;\nlet g: fn(f64) -> f64 = |x| x;");
        assert!(code.contains(&format!("let f: {UNKEPT}0 = ")) && !code.contains(PLACEHOLDER), "{code}");
    }
}
