//! A cell's text before it is parsed: which of its lines are evcxr's, and whether it can be parsed at all.

use ra_ap_parser::LexedStr;
use ra_ap_syntax::{Edition, SyntaxKind};

/// Deepest nesting of brackets that is parsed, and most operators of one expression.
const DEPTH: usize = 300;
const OPERATORS: usize = 1000;

/// Whether the source is nested so deeply that a parser that descends into it could use up its stack. A stack that is used
/// up ends the kernel, and the variables with it; nothing that people write comes near. What stands in strings and comments
/// does not count.
pub fn is_too_deep(source: &str) -> bool {
    let tokens = LexedStr::new(Edition::Edition2024, source);
    let (mut depth, mut operators) = (0_usize, 0_usize);
    for index in 0..tokens.len() {
        match tokens.kind(index) {
            SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => depth += 1,
            SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY => {
                depth = depth.saturating_sub(1);
                operators = 0;
            }
            SyntaxKind::SEMICOLON | SyntaxKind::COMMA => operators = 0,
            SyntaxKind::AMP
            | SyntaxKind::MINUS
            | SyntaxKind::BANG
            | SyntaxKind::STAR
            | SyntaxKind::PIPE
            | SyntaxKind::L_ANGLE
            | SyntaxKind::EQ => operators += 1,
            _ => {}
        }
        if depth > DEPTH || operators > OPERATORS {
            return true;
        }
    }
    false
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
                let name: String = rest
                    .trim_start()
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
                    .collect();
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
    fn depth_counts_open_brackets_and_operators_only() {
        for open in ["(", "[", "{", "if x {", "&", "-", "!", "x(", "a::<", "|x| "] {
            assert!(is_too_deep(&open.repeat(2000)), "{open}");
            assert!(!is_too_deep(&open.repeat(40)), "{open}");
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

    #[test]
    fn places_have_lines() {
        let lines = Lines::of("a\n\nbc\n");
        let numbers: Vec<usize> = (0..7).map(|at| lines.number(at)).collect();
        assert_eq!(numbers, [1, 1, 2, 3, 3, 3, 4]);
    }

    #[test]
    fn commands_stand_before_the_first_line_of_rust() {
        let blank = |source: &str| without_commands(source).0;
        assert_eq!(
            blank("// why\n!ls\n :dep a\nlet x = 1;"),
            "// why\n   \n       \nlet x = 1;"
        );
        for rust in ["let x =\n!true;", "let x\n: u8 = 1;", "let w = std::vec\n::Vec::new();"] {
            assert_eq!(blank(rust), rust);
        }
    }
}
