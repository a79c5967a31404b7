//! A cell's source, made ready for evcxr: each new variable gets a placeholder type (see [`crate::types`]),
//! the last expression is shown in one compilation, and the cell tells when it begins, shows its value and ends.
//!
//! Lines keep their numbers; inserted text is remembered so that columns can be told in the reader's terms.

use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasLoopBody};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode, TextRange};

use super::bindings::{annotate, bound, enclose_initializer};
use super::endless::{is_endless, may_be_endless};
use super::marks::{AROUND, AT, BEGIN, DONE, ENDLESS, SHOWS, TURN, VALUE};
use super::{impls, statics};
use workbench_base::source::{self, Lines};

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

impl Care {
    /// Whether this code is enclosed in [`ENDLESS`].
    pub fn encloses(self, expression: &ast::Expr) -> bool {
        is_endless(expression) || self == Care::EndlessCalls && may_be_endless(expression)
    }
}

impl Prepared {
    /// The reader's column (1-based, in characters) of a position in the prepared code.
    pub fn reader_column(&self, line: usize, column: usize) -> usize {
        let start = self.offset(line, 1).unwrap_or_default();
        let Some(offset) = self.offset(line, column) else {
            return column;
        };
        // Inserted text is ASCII: bytes and characters agree.
        let shift: usize = self
            .insertions
            .iter()
            .filter(|(at, _)| *at >= start && *at < offset)
            .map(|(at, length)| (*length).min(offset - at))
            .sum();
        column.saturating_sub(shift).max(1)
    }

    /// Whether inserted text stands at a position in the prepared code.
    pub fn is_inserted(&self, line: usize, column: usize) -> bool {
        let offset = self.offset(line, column);
        let holds = |(at, length): &(usize, usize)| offset.is_some_and(|offset| (*at..at + length).contains(&offset));
        self.insertions.iter().any(holds)
    }

    /// Where a position is in the prepared code, which ends after it.
    fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let before = self.code.split_inclusive('\n').take(line.saturating_sub(1));
        let start: usize = before.map(str::len).sum();
        let along = self.code.get(start..)?.chars().take(column.saturating_sub(1));
        Some(start + along.map(char::len_utf8).sum::<usize>())
    }
}

/// Prepares `source`; `next_type` numbers the placeholders of the session. Source that is nested too deeply stays as it is.
pub fn prepare(source: &str, care: Care, next_type: &mut usize) -> Prepared {
    let (rust, dependencies) = source::without_commands(source);
    let lines = Lines::of(&rust);
    let mut edits: Vec<(usize, String)> = Vec::new();
    let (mut starts, mut makes) = (Vec::new(), Vec::new());
    if !source::is_too_deep(&rust)
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
    Prepared { code, insertions, dependencies, statements, makes }
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
        Some(Statements { list: function.body()?.stmt_list()? })
    }

    /// Adds the insertions to `edits`; where several stand at one place, they come in the order in which they are added. Returns
    /// where each numbered statement begins.
    fn edit(&self, care: Care, next_type: &mut usize, edits: &mut Vec<(usize, String)>) -> Vec<usize> {
        edits.extend(self.turns().map(|at| (at, TURN.to_owned())));
        let names = impls::names(&self.list).into_iter();
        edits.extend(names.map(|(at, name)| (at - WRAPPER.len(), name)));
        statics::keep(self.list.syntax(), next_type, edits);
        let tail = self.list.tail_expr();
        let ran: Vec<ast::Stmt> = self.list.statements().filter(|s| !matches!(s, ast::Stmt::Item(_))).collect();
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
                ast::Stmt::LetStmt(statement) => {
                    annotate(&statement, next_type, edits);
                    enclose_initializer(&statement, care, edits);
                }
                ast::Stmt::ExprStmt(statement) if statement.expr().is_some_and(|e| care.encloses(&e)) => {
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
                let (open, close) = if care.encloses(&tail) { ENDLESS } else { ("", "") };
                edits.push((start(range), format!("{open}{before}")));
                let show = format!("{announce}{}{show}{close}{}", VALUE.seen, DONE.seen);
                edits.push((end(range), show));
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
            makes.extend(bound(&statement).map(|name| (name, line)));
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

pub(super) fn enclose(range: TextRange, edits: &mut Vec<(usize, String)>) {
    edits.push((start(range), ENDLESS.0.to_owned()));
    edits.push((end(range), ENDLESS.1.to_owned()));
}

pub(super) fn start(range: TextRange) -> usize {
    usize::from(range.start()) - WRAPPER.len()
}

pub(super) fn end(range: TextRange) -> usize {
    usize::from(range.end()) - WRAPPER.len()
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
    fn items_and_commands_alone_are_not_touched() {
        for source in [":dep workbench = { path = \"../workbench\" }\nuse a::b;\nfn f() {}", ":vars", ""] {
            assert_eq!(prepared(source), source);
        }
    }

    #[test]
    fn dependencies_are_named() {
        let cell = prepare(":dep workbench = { path = \"../workbench\" }\n:dep rand\n1", Care::Usual, &mut 0);
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
            "if x == 1 { panic!() } else { todo!() }",
        ] {
            let code = prepared(&format!("let x = 1;\n{endless}")).replace(TURN, "");
            assert!(code.contains(&format!("{open}{endless}{close}{}", DONE.seen)), "{code}");
        }
        for ends in ["loop { break 3 }", "if x == 1 { panic!() }", "exit(1);", "let y = panic!();"] {
            assert!(!prepared(&format!("let x = 1;\n{ends}")).contains(open), "{ends}");
        }
    }

    #[test]
    fn calls_that_may_never_end_are_enclosed_where_asked() {
        let (open, _) = ENDLESS;
        let careful = |source: &str| prepare(source, Care::EndlessCalls, &mut 0).code;
        for call in ["fail();", "assert!(false, \"no\");", "x.give_up();", "if x == 1 { fail() };"] {
            let source = format!("let x = 1;\n{call}");
            assert!(!prepared(&source).contains(open), "{call}");
            assert!(careful(&source).contains(&format!("{open}{call}")), "{}", careful(&source));
        }
        let shown = careful("let x = 1;\nfail()");
        assert!(shown.contains(&format!("{open}{}fail(){}", AROUND.0, AROUND.1)), "{shown}");
    }

    #[test]
    fn statements_and_what_they_make_have_lines() {
        let cell = prepare("fn f() {}\nlet (a, b) = (1,\n 2);\na;\n\nlet c = 3;\nc", Care::Usual, &mut 0);
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
        let tail =
            format!("{}{}{open}last.evcxr_display(){close}{}", format_args!("{}1{}", AT.0, AT.1), AROUND.0, AROUND.1);
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
