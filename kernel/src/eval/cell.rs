//! A cell's source, made ready for evcxr: each new variable gets a placeholder type (see [`crate::eval::types`]),
//! the last expression is shown in one compilation, and the cell tells when it begins, shows its value and ends.
//!
//! Lines keep their numbers; inserted text is remembered so that columns can be told in the reader's terms.

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{Edition, SourceFile, TextRange};

use super::marks::{AROUND, BEGIN, DONE, ENDLESS, PLACEHOLDER, VALUE};

/// A cell after preparation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The code for evcxr.
    pub code: String,
    /// Insertions as (offset in `code`, length), in order.
    insertions: Vec<(usize, usize)>,
    /// The crates named by `:dep` lines.
    pub dependencies: Vec<String>,
}

impl Prepared {
    /// The reader's column (1-based, in characters) of a position in the prepared code.
    pub fn reader_column(&self, line: usize, column: usize) -> usize {
        let start: usize = self
            .code
            .split_inclusive('\n')
            .take(line.saturating_sub(1))
            .map(str::len)
            .sum();
        let Some(text) = self.code.get(start..) else {
            return column;
        };
        let offset = start
            + text
                .chars()
                .take(column.saturating_sub(1))
                .map(char::len_utf8)
                .sum::<usize>();
        // Inserted text is ASCII: bytes and characters agree.
        let shift: usize = self
            .insertions
            .iter()
            .filter(|(at, _)| *at >= start && *at < offset)
            .map(|(at, length)| (*length).min(offset - at))
            .sum();
        column.saturating_sub(shift).max(1)
    }
}

/// Deepest nesting of brackets that is parsed, and most operators of one expression.
const DEPTH: usize = 300;
const OPERATORS: usize = 1000;

/// Whether the source is nested so deeply that a parser that descends into it could use up its stack. A stack that is used
/// up ends the kernel, and the variables with it; nothing that people write comes near.
pub fn is_too_deep(source: &str) -> bool {
    let (mut depth, mut operators) = (0_usize, 0_usize);
    for line in source.lines() {
        let code = line.split("//").next().unwrap_or_default();
        for c in code.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            match c {
                ';' | ',' | ')' | ']' | '}' => operators = 0,
                '&' | '-' | '!' | '*' | '|' | '<' | '=' => operators += 1,
                _ => {}
            }
            if depth > DEPTH || operators > OPERATORS {
                return true;
            }
        }
    }
    false
}

/// Prepares `source`; `next_type` numbers the placeholders of the session. Source that is nested too deeply stays as it is.
pub fn prepare(source: &str, next_type: &mut usize) -> Prepared {
    let (rust, dependencies) = without_commands(source);
    let mut edits: Vec<(usize, String)> = Vec::new();
    if !is_too_deep(&rust)
        && let Some(statements) = Statements::parse(&rust)
    {
        statements.edit(next_type, &mut edits);
    }
    edits.sort_by_key(|(at, _)| *at);
    let mut code = String::with_capacity(source.len() + 128);
    let mut insertions = Vec::new();
    let mut last = 0;
    for (at, text) in edits {
        code.push_str(&source[last..at]);
        insertions.push((code.len(), text.len()));
        code.push_str(&text);
        last = at;
    }
    code.push_str(&source[last..]);
    Prepared {
        code,
        insertions,
        dependencies,
    }
}

/// The source with evcxr's command lines blanked (same length), and the crates that `:dep` lines name.
fn without_commands(source: &str) -> (String, Vec<String>) {
    let mut rust = String::with_capacity(source.len());
    let mut dependencies = Vec::new();
    for line in source.split_inclusive('\n') {
        let text = line.trim_start();
        if text.starts_with(':') && !text.starts_with("::") || text.starts_with('!') {
            if let Some(rest) = text.strip_prefix(":dep ") {
                let name: String = rest
                    .trim_start()
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
                    .collect();
                dependencies.push(name);
            }
            rust.extend(line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        } else {
            rust.push_str(line);
        }
    }
    (rust, dependencies)
}

const WRAPPER: &str = "fn evcxr() {\n";

struct Statements {
    list: ast::StmtList,
}

impl Statements {
    /// The statements of the cell, or nothing when it does not parse: then evcxr reports why.
    fn parse(rust: &str) -> Option<Statements> {
        let parsed = SourceFile::parse(&format!("{WRAPPER}{rust}\n}}"), Edition::Edition2024);
        if !parsed.errors().is_empty() {
            return None;
        }
        let function = parsed.tree().syntax().descendants().find_map(ast::Fn::cast)?;
        Some(Statements {
            list: function.body()?.stmt_list()?,
        })
    }

    fn edit(&self, next_type: &mut usize, edits: &mut Vec<(usize, String)>) {
        let tail = self.list.tail_expr();
        let first_run = self
            .list
            .statements()
            .find(|s| !matches!(s, ast::Stmt::Item(_)))
            .map(|s| s.syntax().text_range())
            .or_else(|| tail.as_ref().map(|t| t.syntax().text_range()));
        let Some(first_run) = first_run else { return };
        edits.push((start(first_run), BEGIN.seen.to_owned()));
        for statement in self.list.statements() {
            match statement {
                ast::Stmt::LetStmt(statement) => annotate(&statement, next_type, edits),
                ast::Stmt::ExprStmt(statement) if statement.expr().is_some_and(|e| is_endless(&e)) => {
                    enclose(statement.syntax().text_range(), edits);
                }
                _ => {}
            }
        }
        let last = self.list.statements().last().map(|s| end(s.syntax().text_range()));
        match tail {
            Some(tail) if is_endless(&tail) => {
                let range = tail.syntax().text_range();
                enclose(range, edits);
                edits.push((end(range), DONE.seen.to_owned()));
            }
            Some(tail) => {
                let range = tail.syntax().text_range();
                let (before, announce, show) = AROUND;
                edits.push((start(range), before.to_owned()));
                // On a line of its own: a comment may follow the expression on the same line.
                edits.push((end(range), format!("{announce}{}{show}{}", VALUE.seen, DONE.seen)));
            }
            None => edits.push((last.unwrap_or_default(), DONE.seen.to_owned())),
        }
    }
}

/// Whether an expression never comes to its end, as far as can be told without types.
fn is_endless(expression: &ast::Expr) -> bool {
    let last_name = |path: Option<ast::Path>| path?.segment()?.name_ref().map(|name| name.text().to_string());
    match expression {
        ast::Expr::MacroExpr(call) => {
            let name = last_name(call.macro_call().and_then(|call| call.path()));
            matches!(
                name.as_deref(),
                Some("panic" | "unreachable" | "todo" | "unimplemented")
            )
        }
        ast::Expr::LoopExpr(repeat) => {
            let mut inside = repeat.syntax().descendants();
            !inside.any(|node| ast::BreakExpr::can_cast(node.kind()))
        }
        ast::Expr::CallExpr(call) => match call.expr() {
            Some(ast::Expr::PathExpr(path)) => {
                let text = path.syntax().text().to_string();
                text.ends_with("process::exit") || text.ends_with("process::abort")
            }
            _ => false,
        },
        _ => false,
    }
}

fn enclose(range: TextRange, edits: &mut Vec<(usize, String)>) {
    edits.push((start(range), ENDLESS.0.to_owned()));
    edits.push((end(range), ENDLESS.1.to_owned()));
}

fn start(range: TextRange) -> usize {
    usize::from(range.start()) - WRAPPER.len()
}

fn end(range: TextRange) -> usize {
    usize::from(range.end()) - WRAPPER.len()
}

fn placeholder(next_type: &mut usize) -> String {
    let name = format!("{PLACEHOLDER}{next_type}");
    *next_type += 1;
    name
}

/// Gives a `let` without a full type its placeholder; a pattern is followed by one binding for each of its names.
fn annotate(statement: &ast::LetStmt, next_type: &mut usize, edits: &mut Vec<(usize, String)>) {
    let Some(pattern) = statement.pat() else {
        return;
    };
    match (&pattern, statement.ty()) {
        (ast::Pat::IdentPat(_), None) => {
            let at = end(pattern.syntax().text_range());
            edits.push((at, format!(": {}", placeholder(next_type))));
        }
        (ast::Pat::IdentPat(_), Some(ty)) => {
            // A partial type still guides inference: keep it, and bind the name again with the placeholder.
            if ty.syntax().text().to_string().contains('_') {
                rebind(&pattern, statement, next_type, edits);
            }
        }
        _ => rebind(&pattern, statement, next_type, edits),
    }
}

fn rebind(pattern: &ast::Pat, statement: &ast::LetStmt, next_type: &mut usize, edits: &mut Vec<(usize, String)>) {
    let mut text = String::new();
    for name in pattern.syntax().descendants().filter_map(ast::IdentPat::cast) {
        let Some(ident) = name.name() else { continue };
        let mutable = if name.mut_token().is_some() { "mut " } else { "" };
        text.push_str(&format!("let {mutable}{ident}: {} = {ident};", placeholder(next_type)));
    }
    edits.push((end(statement.syntax().text_range()), text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(source: &str) -> String {
        prepare(source, &mut 0).code
    }

    #[test]
    fn a_let_gets_a_placeholder_and_the_value_is_shown() {
        let code = prepared("let x = 1;\nx + 1 // two");
        assert_eq!(
            code,
            format!(
                "{}let x: EvcxrType0 = 1;\n{}x + 1{}{}{}{} // two",
                BEGIN.seen, AROUND.0, AROUND.1, VALUE.seen, AROUND.2, DONE.seen
            )
        );
    }

    #[test]
    fn an_explicit_type_is_left_alone() {
        assert!(!prepared("let x: u8 = 1;").contains(PLACEHOLDER));
    }

    #[test]
    fn patterns_are_bound_again_one_by_one() {
        let code = prepared("let (mut a, Some(b)) = f() else { return };");
        assert!(
            code.contains("let mut a: EvcxrType0 = a;let b: EvcxrType1 = b;"),
            "{code}"
        );
    }

    #[test]
    fn items_and_commands_alone_are_not_touched() {
        for source in [
            ":dep workbench = { path = \"../workbench\" }\nuse a::b;\nfn f() {}",
            ":vars",
            "",
        ] {
            assert_eq!(prepared(source), source);
        }
    }

    #[test]
    fn dependencies_are_named() {
        let cell = prepare(":dep workbench = { path = \"../workbench\" }\n:dep rand\n1", &mut 0);
        assert_eq!(cell.dependencies, ["workbench", "rand"]);
    }

    #[test]
    fn what_follows_an_endless_statement_can_be_reached() {
        let (open, close) = ENDLESS;
        for endless in [
            "panic!(\"{x}\");",
            "std::unreachable!()",
            "loop { x += 1; }",
            "std::process::exit(1);",
        ] {
            let code = prepared(&format!("let x = 1;\n{endless}"));
            assert!(code.contains(&format!("{open}{endless}{close}{}", DONE.seen)), "{code}");
        }
        for ends in [
            "loop { break 3 }",
            "if x == 1 { panic!() }",
            "exit(1);",
            "let y = panic!();",
        ] {
            assert!(!prepared(&format!("let x = 1;\n{ends}")).contains(open), "{ends}");
        }
    }

    #[test]
    fn depth_counts_open_brackets_and_operators_only() {
        for open in ["(", "[", "{", "if x {", "&", "-", "!", "x(", "a::<", "|x| "] {
            assert!(is_too_deep(&open.repeat(2000)), "{open}");
            assert!(!is_too_deep(&open.repeat(40)), "{open}");
        }
        let table = "[1.0, -2.0, (3.0, &x)],\n".repeat(10_000);
        assert!(!is_too_deep(&format!("let t = [{table}];")));
        assert!(!is_too_deep(
            &"// ----------------------------------------\n".repeat(1000)
        ));
    }

    #[test]
    fn a_cell_that_does_not_parse_is_left_to_the_compiler() {
        assert_eq!(prepared("let x = ;"), "let x = ;");
    }

    #[test]
    fn columns_are_told_in_the_readers_terms() {
        let cell = prepare("let abc = 1;\nabc + q", &mut 0);
        let line = cell.code.lines().nth(1).unwrap();
        let column = line.find('q').unwrap() + 1;
        assert_eq!(cell.reader_column(2, column), 7);
    }
}
