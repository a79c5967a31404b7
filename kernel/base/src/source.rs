//! A cell's text before it is parsed: which of its lines are evcxr's, and whether it can be parsed at all.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SyntaxKind};

/// Deepest nesting of brackets that is parsed, and most signs and keywords of one expression and those around it.
const DEPTH: usize = 300;
const SIGNS: usize = 2000;

/// Whether the source is nested so deeply that a parser that descends into it could use up its stack, or whoever takes its tree
/// down again. A stack that is used up ends the kernel, and the variables with it; nothing that people write comes near. What
/// stands in strings and comments does not count.
///
/// Any sign or keyword may hold what follows, or what stands before it: `-x`, `return x`, `fn() -> x`, `x.f()`, `else if x {}`.
pub fn is_too_deep(source: &str) -> bool {
    let tokens = LexedStr::new(Edition::Edition2024, source);
    let solid: Vec<SyntaxKind> =
        (0..tokens.len()).map(|index| tokens.kind(index)).filter(|kind| !kind.is_trivia()).collect();
    // Of the text outside of brackets, and of each bracket that is open.
    let mut levels = vec![0_usize];
    let mut signs = 0_usize;
    for (index, kind) in solid.iter().enumerate() {
        match kind {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => levels.push(0),
            SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY => {
                signs -= levels.pop().unwrap_or_default();
                if levels.is_empty() {
                    levels.push(0);
                }
                let next = solid.get(index + 1);
                let ends = *kind == SyntaxKind::R_CURLY && next.is_none_or(|next| !goes_on(*next));
                if ends {
                    signs -= levels.last_mut().map_or(0, std::mem::take);
                }
            }
            SyntaxKind::SEMICOLON | SyntaxKind::COMMA => signs -= levels.last_mut().map_or(0, std::mem::take),
            kind if holds(*kind) => {
                signs += 1;
                if let Some(level) = levels.last_mut() {
                    *level += 1;
                }
            }
            _ => {}
        }
        if levels.len() > DEPTH || signs > SIGNS {
            return true;
        }
    }
    false
}

/// Whether what a block ends goes on behind it with this: another statement or item begins with other words and signs.
fn goes_on(next: SyntaxKind) -> bool {
    let begins = [SyntaxKind::POUND, SyntaxKind::COLON, SyntaxKind::DOLLAR];
    matches!(next, SyntaxKind::ELSE_KW | SyntaxKind::AS_KW) || next.is_punct() && !begins.contains(&next)
}

/// Whether a sign or a keyword may stand between an expression or a type and what it is a part of.
fn holds(kind: SyntaxKind) -> bool {
    let names = [SyntaxKind::SELF_KW, SyntaxKind::SELF_TYPE_KW, SyntaxKind::TRUE_KW, SyntaxKind::FALSE_KW];
    (kind.is_punct() || kind.is_keyword(Edition::Edition2024)) && !names.contains(&kind)
}

/// The source with evcxr's command lines blanked (same length), and the crates that `:dep` lines name.
///
/// As in evcxr, commands stand before the first line of Rust: a later line may well begin with `!` or `:`.
pub fn without_commands(source: &str) -> (String, Vec<String>) {
    let mut rust = String::with_capacity(source.len());
    let mut dependencies = Vec::new();
    let mut in_rust = false;
    for line in source.split_inclusive('\n') {
        let text = line.trim_start_matches(' ');
        let is_command = line.starts_with('!') || text.starts_with(':') && !text.starts_with("::");
        if !in_rust && is_command {
            if let Some(rest) = text.strip_prefix(":dep ") {
                let name: String =
                    rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).collect();
                dependencies.push(name);
            }
            rust.extend(line.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        } else {
            in_rust |= !(line.starts_with("//") || line.trim().is_empty());
            rust.push_str(line);
        }
    }
    (rust, dependencies)
}

/// A bracket without its partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lonely {
    /// The bracket.
    pub bracket: char,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// Whether it opens something.
    pub opens: bool,
}

/// The bracket of a cell that nothing closes or that closes nothing; brackets in strings and comments are none.
///
/// Of two that do not fit, the open one is at fault if one around it waits for the other.
pub fn lonely_bracket(source: &str) -> Option<Lonely> {
    let rust = without_commands(source).0;
    let tokens = LexedStr::new(Edition::Edition2024, &rust);
    let mut open: Vec<(SyntaxKind, usize)> = Vec::new();
    let mut found = None;
    for index in 0..tokens.len() {
        let (kind, at) = (tokens.kind(index), tokens.text_range(index).start);
        let closes = match kind {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => {
                open.push((kind, at));
                continue;
            }
            SyntaxKind::R_PAREN => SyntaxKind::L_PAREN,
            SyntaxKind::R_BRACK => SyntaxKind::L_BRACK,
            SyntaxKind::R_CURLY => SyntaxKind::L_CURLY,
            _ => continue,
        };
        match open.pop() {
            Some((kind, _)) if kind == closes => {}
            Some((_, inner)) if open.iter().any(|(kind, _)| *kind == closes) => {
                found = Some((inner, true));
                break;
            }
            _ => {
                found = Some((at, false));
                break;
            }
        }
    }
    let (at, opens) = found.or_else(|| open.last().map(|(_, at)| (*at, true)))?;
    let before = &rust[..at];
    Some(Lonely {
        bracket: rust[at..].chars().next()?,
        line: before.matches('\n').count() + 1,
        column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
        opens,
    })
}

/// Where the lines of a text begin, after the first one.
#[derive(Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// The lines of `text`.
    pub fn of(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// The line (1-based) of a place.
    pub fn number(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_open_brackets_signs_and_keywords_only() {
        for open in [
            "(",
            "[",
            "{",
            "if x {",
            "&",
            "-",
            "!",
            "x(",
            "a::<",
            "|x| ",
            "return ",
            "break ",
            "else if a {} ",
            "fn() -> ",
            "x.f().",
            "x? ",
            "1 + ",
            "x as ",
            "if ",
            "a::",
        ] {
            assert!(is_too_deep(&open.repeat(3000)), "{open}");
            assert!(!is_too_deep(&open.repeat(40)), "{open}");
        }
        for flat in
            ["fn f(a: &T) -> &T { -1 }\n", "if a.b() {}\n", "impl A for B {}\n", "f(-x, !y);\n", "A::B => { 1 }\n"]
        {
            assert!(!is_too_deep(&flat.repeat(10_000)), "{flat}");
        }
        let table = "[1.0, -2.0, (3.0, &x)],\n".repeat(10_000);
        assert!(!is_too_deep(&format!("let t = [{table}];")));
        for quiet in ["// ----(((-----------------\n", "/* ((( */\n"] {
            assert!(!is_too_deep(&quiet.repeat(1000)), "{quiet}");
        }
        for (open, close) in [("r\"", "\""), ("r#\"", "\"#"), ("\"", "\"")] {
            let picture = "+--[(((((|=====|\n".repeat(300);
            assert!(!is_too_deep(&format!("let s = {open}{picture}{close};")), "{open}");
        }
    }

    /// What just passes is read and taken down within half of the stack of the thread that reads cells.
    #[test]
    fn what_is_not_too_deep_does_not_use_up_the_stack() {
        use ra_ap_syntax::SourceFile;

        for (open, close) in [
            ("(", ")"),
            ("{", "}"),
            ("if x {", "}"),
            ("f(", ")"),
            ("-", ""),
            ("return ", ""),
            ("|x| ", ""),
            ("1 + ", ""),
            ("x.f().", ""),
            ("if a {} else ", ""),
            ("loop { match x { _ => ", "}}"),
        ] {
            let code = |times: usize| format!("fn f() {{ {}{{}}{} }}", open.repeat(times), close.repeat(times));
            let most = (1..3000).take_while(|times| !is_too_deep(&code(*times))).last().unwrap();
            let code = code(most);
            let read = move || drop(SourceFile::parse(&code, Edition::Edition2024).tree());
            let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(read).unwrap();
            assert!(thread.join().is_ok(), "{open}");
        }
        let types = |times: usize| format!("type T = {}u8;", "fn() -> ".repeat(times));
        let most = (1..3000).take_while(|times| !is_too_deep(&types(*times))).last().unwrap();
        drop(SourceFile::parse(&types(most), Edition::Edition2024).tree());
    }

    #[test]
    fn a_bracket_without_its_partner_is_found_in_the_readers_own_text() {
        let found = |source: &str| lonely_bracket(source).map(|it| (it.bracket, it.line, it.column, it.opens));
        assert_eq!(found("let x = f(1, [2]);\n{ x }"), None);
        assert_eq!(found("let é = 1;\nlet x = f(é;\nx"), Some(('(', 2, 10, true)));
        assert_eq!(found("{\n  f(1;\n}"), Some(('(', 2, 4, true)));
        assert_eq!(found("f(1));"), Some((')', 1, 5, false)));
        assert_eq!(found("let a = [1, 2);\n"), Some((')', 1, 14, false)));
        assert_eq!(found("fn f() {\n  g(\")\"); // )\n"), Some(('{', 1, 8, true)));
        assert_eq!(found(":dep a = { x\nlet y = (1, 2);"), None, "a command is no Rust");
    }

    #[test]
    fn places_have_lines() {
        let lines = Lines::of("a\n\nbc\n");
        let numbers: Vec<usize> = (0..7).map(|at| lines.number(at)).collect();
        assert_eq!(numbers, [1, 1, 2, 3, 3, 3, 4]);
    }

    #[test]
    fn commands_stand_before_the_first_line_of_rust() {
        let blank = |source: &str| without_commands(source).0;
        assert_eq!(blank("// why\n!ls\n :dep a\nlet x = 1;"), "// why\n   \n       \nlet x = 1;");
        for rust in ["let x =\n!true;", "let x\n: u8 = 1;", "let w = std::vec\n::Vec::new();"] {
            assert_eq!(blank(rust), rust);
        }
    }
}
