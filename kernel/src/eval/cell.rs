//! A cell's source, made ready for evcxr: each new variable gets a placeholder type (see [`crate::eval::types`]),
//! the last expression is shown in one compilation, and the cell tells when it begins, shows its value and ends.
//!
//! Lines keep their numbers; inserted text is remembered so that columns can be told in the reader's terms.

use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasLoopBody, HasName};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode, TextRange};

use super::marks::{AROUND, AT, BEGIN, DONE, ENDLESS, PLACEHOLDER, SHOWS, TURN, UNKEPT, VALUE};
use super::text::{self, Lines};

/// A cell after preparation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The code for evcxr.
    pub code: String,
    /// Insertions as (offset in `code`, length), in order.
    insertions: Vec<(usize, usize)>,
    /// The crates named by `:dep` lines.
    pub dependencies: Vec<String>,
    /// The reader's line of each numbered statement.
    pub statements: Vec<usize>,
    /// The variables that the cell makes, each with the line on which its statement ends.
    pub makes: Vec<(String, usize)>,
}

/// How much is done to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// What nearly every cell needs.
    Usual,
    /// Also calls whose end the compiler does not believe in: it leaves out what comes after them, and with it the variables' types.
    EndlessCalls,
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

/// Prepares `source`; `next_type` numbers the placeholders of the session. Source that is nested too deeply stays as it is.
pub fn prepare(source: &str, care: Care, next_type: &mut usize) -> Prepared {
    let (rust, dependencies) = text::without_commands(source);
    let lines = Lines::of(&rust);
    let mut edits: Vec<(usize, String)> = Vec::new();
    let (mut starts, mut makes) = (Vec::new(), Vec::new());
    if !text::is_too_deep(&rust)
        && let Some(statements) = Statements::parse(&rust)
    {
        starts = statements.edit(care, next_type, &mut edits);
        makes = statements.makes(&lines);
    }
    edits.sort_by_key(|(at, _)| *at);
    let statements = starts.iter().map(|at| lines.number(*at)).collect();
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
        statements,
        makes,
    }
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

    /// Adds the insertions to `edits`; where several stand at one place, they come in the order in which they are added. Returns
    /// where each numbered statement begins.
    fn edit(&self, care: Care, next_type: &mut usize, edits: &mut Vec<(usize, String)>) -> Vec<usize> {
        edits.extend(self.turns().map(|at| (at, TURN.to_owned())));
        let tail = self.list.tail_expr();
        let ran: Vec<ast::Stmt> = self
            .list
            .statements()
            .filter(|s| !matches!(s, ast::Stmt::Item(_)))
            .collect();
        let starts: Vec<usize> = ran
            .iter()
            .map(|s| start(s.syntax().text_range()))
            .chain(tail.as_ref().map(|t| start(t.syntax().text_range())))
            .collect();
        let Some(first) = starts.first() else { return starts };
        let shows = self.shows();
        edits.extend(shows.iter().map(|range| (end(*range), SHOWS.1.to_owned())));
        edits.push((*first, BEGIN.seen.to_owned()));
        let numbered = starts.iter().enumerate();
        edits.extend(numbered.map(|(number, at)| (*at, format!("{}{number}{}", AT.0, AT.1))));
        for statement in ran {
            match statement {
                ast::Stmt::LetStmt(statement) => annotate(&statement, next_type, edits),
                ast::Stmt::ExprStmt(statement)
                    if statement
                        .expr()
                        .is_some_and(|e| is_endless(&e) || care == Care::EndlessCalls && is_call(&e)) =>
                {
                    enclose(statement.syntax().text_range(), edits);
                }
                _ => {}
            }
        }
        let last = self.list.statements().last().map(|s| end(s.syntax().text_range()));
        match tail {
            Some(tail) if is_endless(&tail) || care == Care::EndlessCalls && is_assertion(&tail) => {
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
        edits.extend(shows.iter().map(|range| (start(*range), SHOWS.0.to_owned())));
        starts
    }

    /// Where the bodies of loops begin, also in functions. What the compiler computes itself calls nothing of ours.
    fn turns(&self) -> impl Iterator<Item = usize> {
        let loops = self.list.syntax().descendants().filter_map(|node| {
            let body = match node.kind() {
                SyntaxKind::LOOP_EXPR => ast::LoopExpr::cast(node.clone())?.loop_body(),
                SyntaxKind::WHILE_EXPR => ast::WhileExpr::cast(node.clone())?.loop_body(),
                SyntaxKind::FOR_EXPR => ast::ForExpr::cast(node.clone())?.loop_body(),
                _ => None,
            };
            let list = body?.stmt_list()?;
            let has_attributes = list.syntax().children().any(|child| ast::Attr::can_cast(child.kind()));
            (!has_attributes && !is_computed_by_the_compiler(&node)).then_some(list)
        });
        loops.filter_map(|list| Some(end(list.l_curly_token()?.text_range())))
    }

    /// The reader's own calls of `evcxr_display`.
    fn shows(&self) -> Vec<TextRange> {
        let calls = self.list.syntax().descendants().filter_map(ast::MethodCallExpr::cast);
        let of_display = calls.filter(|call| {
            call.name_ref().is_some_and(|name| name.text() == "evcxr_display")
                && call.arg_list().is_some_and(|list| list.args().next().is_none())
        });
        of_display.map(|call| call.syntax().text_range()).collect()
    }

    /// The variables that the statements bind, and the lines on which these end.
    fn makes(&self, lines: &Lines) -> Vec<(String, usize)> {
        let mut makes = Vec::new();
        for statement in self.list.statements() {
            let ast::Stmt::LetStmt(statement) = statement else {
                continue;
            };
            let line = lines.number(end(statement.syntax().text_range()));
            let names = statement.pat().into_iter().flat_map(|pattern| {
                let names = pattern.syntax().descendants().filter_map(ast::IdentPat::cast);
                names
                    .filter_map(|name| Some(name.name()?.text().to_string()))
                    .collect::<Vec<_>>()
            });
            makes.extend(names.map(|name| (name, line)));
        }
        makes
    }
}

/// Whether code stands in a constant, a length, or a function that may be used in one.
fn is_computed_by_the_compiler(node: &SyntaxNode) -> bool {
    node.ancestors().any(|around| match around.kind() {
        SyntaxKind::CONST
        | SyntaxKind::STATIC
        | SyntaxKind::ARRAY_TYPE
        | SyntaxKind::ARRAY_EXPR
        | SyntaxKind::CONST_ARG
        | SyntaxKind::VARIANT => true,
        SyntaxKind::FN => ast::Fn::cast(around).is_some_and(|function| function.const_token().is_some()),
        SyntaxKind::BLOCK_EXPR => ast::BlockExpr::cast(around).is_some_and(|block| block.const_token().is_some()),
        _ => false,
    })
}

/// Whether an expression is a call, of which only the compiler knows whether it returns.
fn is_call(expression: &ast::Expr) -> bool {
    match expression {
        ast::Expr::CallExpr(_) | ast::Expr::MethodCallExpr(_) => true,
        // Other macros may declare what later statements use.
        _ => is_assertion(expression),
    }
}

fn is_assertion(expression: &ast::Expr) -> bool {
    let ast::Expr::MacroExpr(call) = expression else {
        return false;
    };
    let path = call.macro_call().and_then(|call| call.path());
    path.is_some_and(|path| path.syntax().text().to_string().starts_with("assert"))
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

fn placeholder(prefix: &str, next_type: &mut usize) -> String {
    let name = format!("{prefix}{next_type}");
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
            let is_closure = matches!(statement.initializer(), Some(ast::Expr::ClosureExpr(_)));
            let of = if is_closure { UNKEPT } else { PLACEHOLDER };
            edits.push((at, format!(": {}", placeholder(of, next_type))));
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
        text.push_str(&format!(
            "let {mutable}{ident}: {} = {ident};",
            placeholder(PLACEHOLDER, next_type)
        ));
    }
    edits.push((end(statement.syntax().text_range()), text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(source: &str) -> String {
        prepare(source, Care::Usual, &mut 0).code
    }

    #[test]
    fn a_let_gets_a_placeholder_and_the_value_is_shown() {
        let code = prepared("let x = 1;\nx + 1 // two");
        assert_eq!(
            code,
            format!(
                "{}{}0{}let x: EvcxrType0 = 1;\n{}1{}{}x + 1{}{}{}{} // two",
                BEGIN.seen, AT.0, AT.1, AT.0, AT.1, AROUND.0, AROUND.1, VALUE.seen, AROUND.2, DONE.seen
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
        let cell = prepare(
            ":dep workbench = { path = \"../workbench\" }\n:dep rand\n1",
            Care::Usual,
            &mut 0,
        );
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
            let code = prepared(&format!("let x = 1;\n{endless}")).replace(TURN, "");
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
    fn calls_that_may_never_end_are_enclosed_where_asked() {
        let (open, _) = ENDLESS;
        for call in ["fail();", "assert!(false, \"no\");", "x.give_up();"] {
            let source = format!("let x = 1;\n{call}");
            assert!(!prepared(&source).contains(open), "{call}");
            let careful = prepare(&source, Care::EndlessCalls, &mut 0).code;
            assert!(careful.contains(&format!("{open}{call}")), "{careful}");
        }
    }

    #[test]
    fn a_closure_is_no_variable_for_later_cells() {
        let code = prepared("let f = |x: f64| x + 1.0;\nlet g: fn(f64) -> f64 = |x| x;");
        assert!(
            code.contains(&format!("let f: {UNKEPT}0 = ")) && !code.contains(PLACEHOLDER),
            "{code}"
        );
    }

    #[test]
    fn statements_and_what_they_make_have_lines() {
        let cell = prepare(
            "fn f() {}\nlet (a, b) = (1,\n 2);\na;\n\nlet c = 3;\nc",
            Care::Usual,
            &mut 0,
        );
        assert_eq!(cell.statements, [2, 4, 6, 7]);
        let made: Vec<(&str, usize)> = cell.makes.iter().map(|(name, line)| (name.as_str(), *line)).collect();
        assert_eq!(made, [("a", 3), ("b", 3), ("c", 6)]);
    }

    #[test]
    fn a_call_that_shows_by_itself_is_marked() {
        let code = prepared("for x in all { x.evcxr_display(); }\nlast.evcxr_display()");
        let (open, close) = SHOWS;
        for call in ["x.evcxr_display()", "last.evcxr_display()"] {
            assert!(code.contains(&format!("{open}{call}{close}")), "{code}");
        }
        let tail = format!(
            "{}{}{open}last.evcxr_display(){close}{}",
            format_args!("{}1{}", AT.0, AT.1),
            AROUND.0,
            AROUND.1
        );
        assert!(code.contains(&tail), "{code}");
    }

    #[test]
    fn loops_have_a_place_where_they_can_be_stopped() {
        let code = prepared("for i in 0.. { while let Some(x) = f(i) { loop{break} } }\nfn g() { loop {} }");
        assert_eq!(code.matches(TURN).count(), 4, "{code}");
        assert!(code.contains(&format!("loop{{{TURN}break}}")), "{code}");
        for computed in [
            "const N: u8 = { loop { break 1 } };",
            "const fn f() { while true {} }",
            "let a = [0; { loop { break 3 } }];",
            "let b = const { loop { break 3 } };",
            "macro_rules! m { () => { loop {} } }",
            "loop { #![allow(unused)] }",
        ] {
            assert!(!prepared(computed).contains(TURN), "{computed}");
        }
    }

    #[test]
    fn a_cell_that_does_not_parse_is_left_to_the_compiler() {
        assert_eq!(prepared("let x = ;"), "let x = ;");
    }

    #[test]
    fn columns_are_told_in_the_readers_terms() {
        let cell = prepare("let abc = 1;\nabc + q", Care::Usual, &mut 0);
        let line = cell.code.lines().nth(1).unwrap();
        let column = line.find('q').unwrap() + 1;
        assert_eq!(cell.reader_column(2, column), 7);
    }
}
