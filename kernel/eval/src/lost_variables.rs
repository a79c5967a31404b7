//! Fate of variables that a session no longer has, so that an error about one can say it.
//!
//! A language with moves takes variables away where other notebooks keep them: `df.lazy()` takes `df`, and an error leaves
//! the variables of its cell behind. The compiler then only knows that there is no such name.

use std::collections::BTreeMap;

use ra_ap_syntax::{Edition, NodeOrToken, SourceFile, SyntaxKind, SyntaxNode, SyntaxToken};

use super::cell::Prepared;
use workbench_base::source;

/// Why a variable is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Why {
    /// A cell moved it, in this statement.
    Moved(String),
    /// Its cell ended in an error.
    Unfinished,
    /// Its type has no name.
    Nameless,
    /// Its process ended.
    Process,
}

/// A variable that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lost {
    cell: usize,
    why: Why,
}

/// The variables that are gone, by name.
#[derive(Debug, Default)]
pub struct LostVariables {
    lost: BTreeMap<String, Lost>,
}

/// How a cell came out, as far as variables go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    /// To its end.
    Whole,
    /// An error or a panic left it.
    Partly,
    /// The process that ran it ended.
    Died,
}

impl LostVariables {
    /// Notes what a cell did to the variables: `before` and `after` are those that there were, `nameless` those that the cell
    /// made for itself alone.
    pub fn note(
        &mut self,
        cell: usize,
        ran: Ran,
        prepared: &Prepared,
        [before, after, nameless]: [&[String]; 3],
        source: &str,
    ) {
        let made = prepared.makes.iter().map(|(name, _)| name);
        let mut names: Vec<&String> = before.iter().chain(made).chain(nameless).collect();
        names.sort();
        names.dedup();
        for name in names {
            if after.contains(name) {
                self.lost.remove(name);
                continue;
            }
            let makes = prepared.makes.iter().any(|(made, _)| made == name);
            let why = match ran {
                Ran::Died => Why::Process,
                Ran::Partly if makes => Why::Unfinished,
                _ if nameless.contains(name) => Why::Nameless,
                _ => match statement_that_takes(name, source) {
                    Some(statement) => Why::Moved(statement),
                    None => continue,
                },
            };
            self.lost.insert(name.clone(), Lost { cell, why });
        }
    }

    /// What to tell of a name that the compiler does not find.
    pub fn explain(&self, name: &str) -> Option<String> {
        let Lost { cell, why } = self.lost.get(name)?;
        Some(match why {
            Why::Moved(statement) => format!(
                "cell [{cell}] moved `{name}`, in `{statement}`, so it is gone. Write `{name}.clone()` there, or lend it with \
                 `&{name}` if that is enough, and run the cell that makes `{name}` again."
            ),
            Why::Unfinished => format!(
                "cell [{cell}] was to make `{name}` and ended in an error: a cell's new variables are kept when it has run to its end."
            ),
            Why::Nameless => format!(
                "the type of `{name}` has no name that could be written down (a closure, or something that holds one), so it lived in \
                 cell [{cell}] only. Box it there, as in `let {name}: Box<dyn Fn(f64) -> f64> = Box::new(|x| x + 1.0);`, or write a `fn`."
            ),
            Why::Process => {
                format!("the process that held `{name}` ended in cell [{cell}]: run the cell that makes it again.")
            }
        })
    }
}

/// The statement that takes a variable, in one line: of those that name it other than to lend it, the last.
fn statement_that_takes(name: &str, source: &str) -> Option<String> {
    let (rust, _) = source::without_commands(source);
    let file = SourceFile::parse(&format!("fn _() {{\n{rust}\n}}"), Edition::Edition2024);
    let tokens = file.syntax_node().descendants_with_tokens();
    let tokens = tokens.filter_map(NodeOrToken::into_token);
    let names: Vec<SyntaxToken> = tokens
        .filter(|token| token.kind() == SyntaxKind::IDENT && token.text() == name && before(token) != SyntaxKind::DOT)
        .collect();
    let token = names.iter().rfind(|token| !lends(token)).or(names.last())?;
    let in_block = |node: &SyntaxNode| node.parent().is_some_and(|list| list.kind() == SyntaxKind::STMT_LIST);
    let around = token.parent_ancestors().find(in_block);
    let statement = around.map(|node| node.text().to_string()).unwrap_or_default();
    let statement: Vec<&str> = statement.split_whitespace().collect();
    let statement = statement.join(" ");
    if (1..=LONGEST).contains(&statement.chars().count()) && !statement.contains("//") {
        return Some(statement);
    }
    // The wrapper has a line of its own.
    let at = usize::from(token.text_range().start());
    let line = file.syntax_node().text().to_string()[..at].matches('\n').count().checked_sub(1)?;
    Some(source.lines().nth(line)?.trim().to_owned())
}

/// A statement of more characters is told by the line on which the variable stands.
const LONGEST: usize = 80;

/// Whether the code at a name borrows or copies what it stands for.
fn lends(token: &SyntaxToken) -> bool {
    let next = |token: &SyntaxToken| std::iter::successors(token.next_token(), SyntaxToken::next_token).find(is_solid);
    let clones = next(token)
        .filter(|dot| dot.kind() == SyntaxKind::DOT)
        .and_then(|dot| next(&dot))
        .is_some_and(|method| method.text() == "clone");
    clones || matches!(before(token), SyntaxKind::AMP | SyntaxKind::MUT_KW)
}

/// The kind of what stands before a token.
fn before(token: &SyntaxToken) -> SyntaxKind {
    let mut before = std::iter::successors(token.prev_token(), SyntaxToken::prev_token);
    before.find(is_solid).map_or(SyntaxKind::EOF, |token| token.kind())
}

fn is_solid(token: &SyntaxToken) -> bool {
    !token.kind().is_trivia()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Care, prepare};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn noted(source: &str, ran: Ran, before: &[&str], after: &[&str]) -> LostVariables {
        let mut lost = LostVariables::default();
        let cell = prepare(source, Care::Usual, &mut 0);
        let (before, after) = (names(before), names(after));
        lost.note(4, ran, &cell, [&before, &after, &[]], source);
        lost
    }

    #[test]
    fn a_moved_variable_is_told_with_its_cell_and_what_to_write() {
        let lost =
            noted("let n = df.len();\nlet lazy = wrap(df); // df goes", Ran::Whole, &["df", "x"], &["x", "n", "lazy"]);
        let told = lost.explain("df").unwrap();
        assert!(
            told.contains("cell [4] moved `df`, in `let lazy = wrap(df);") && told.contains("`df.clone()`"),
            "{told}"
        );
        assert_eq!(lost.explain("x"), None);
    }

    #[test]
    fn the_statement_that_takes_a_variable_is_found_by_its_tokens() {
        for (source, told) in [
            ("drop(df);\nlet s = \"df\"; // df", "drop(df);"),
            ("drop(df);\nlet n = other.df + f(&mut df) + df.clone();", "drop(df);"),
            ("let lazy = wrap(\n    df,\n    1,\n);\nlet s = 1;", "let lazy = wrap( df, 1, );"),
            ("// a\nif yes {\n    keep(df); // gone\n}\nlet s = 1;", "keep(df);"),
            (":dep a = \"1\"\nuse a::b;\nwrap(df)", "wrap(df)"),
        ] {
            assert_eq!(statement_that_takes("df", source).as_deref(), Some(told), "{source}");
        }
        let long = format!("let long = wrap(\n    df,\n    {},\n);", "1 + ".repeat(40) + "1");
        assert_eq!(statement_that_takes("df", &long).as_deref(), Some("df,"));
    }

    #[test]
    fn what_an_error_left_behind_is_told_until_it_is_made_again() {
        let mut lost = noted("let a = 1;\nfail()?;", Ran::Partly, &[], &[]);
        assert!(lost.explain("a").unwrap().contains("ended in an error"));
        let cell = prepare("let a = 1;", Care::Usual, &mut 0);
        lost.note(5, Ran::Whole, &cell, [&[], &names(&["a"]), &[]], "let a = 1;");
        assert_eq!(lost.explain("a"), None);
    }
}
