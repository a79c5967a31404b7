//! One order for what evcxr writes in an order that differs from process to process: the definitions of all cells, and its own lines for
//! variables.
//!
//! The order means nothing to the compiler, but a definition that can panic carries the numbers of its lines. In one order, two sessions
//! with the same cells compile the same texts, and what one has compiled serves the other ([`super::kept`]). What the compiler says is
//! told in evcxr's own lines again. Macros stand first: code sees only those that are written before it.

use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};
use ra_ap_syntax::{Edition, SourceFile, TextRange};

use super::compiled::Move;
use workbench_base::source::Lines;

/// Words of the first item that is not the reader's: the type of errors, the store, or the cell's function.
const EVCXRS: [&str; 3] = ["EvcxrUserCodeError", "evcxr_internal_runtime", "run_user_code_"];
const MACRO: &str = "macro_rules!";

/// A text in its one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered {
    /// The text.
    pub code: String,
    /// For each of its lines, from 0, the line of evcxr's text.
    pub lines: Vec<usize>,
}

impl Ordered {
    /// Puts what evcxr wrote into the one order.
    pub fn of(code: &str) -> Ordered {
        let all: Vec<&str> = code.split_inclusive('\n').collect();
        let mut lines: Vec<usize> = (0..all.len()).collect();
        if let Some(definitions) = definitions(code) {
            let mut parts: Vec<&[usize]> = Vec::new();
            let mut rest = &lines[definitions[0].0..];
            for (begin, end) in &definitions {
                let part;
                (part, rest) = rest.split_at(end - begin);
                parts.push(part);
            }
            parts.sort_by_cached_key(|part| {
                let text: String = part.iter().map(|line| all[*line]).collect();
                (!text.contains(MACRO), text)
            });
            let ordered = parts.concat();
            let begin = definitions[0].0;
            lines[begin..begin + ordered.len()].copy_from_slice(&ordered);
        }
        let of = |line: usize| all[line].trim_end_matches('\n');
        let moves = |line: &usize| of(*line).is_empty() || Move::parse(of(*line)).is_some();
        for run in lines.chunk_by_mut(|a, b| moves(a) && moves(b)) {
            run.sort_by_key(|line| of(*line));
        }
        Ordered { code: lines.iter().map(|line| all[*line]).collect(), lines }
    }
}

/// The lines of each definition, with the comments before it: from, and up to. Nothing where there is none, or where two share a line.
fn definitions(code: &str) -> Option<Vec<(usize, usize)>> {
    let file = SourceFile::parse(code, Edition::Edition2024).tree();
    let lines = Lines::of(code);
    // From 0; the last line of a range is that of its last byte.
    let first = |range: TextRange| lines.number(range.start().into()) - 1;
    let last = |range: TextRange| lines.number(usize::from(range.end()).saturating_sub(1)) - 1;
    let attributes = file.syntax().children().filter(|node| ast::Attr::can_cast(node.kind()));
    let mut begin = attributes.map(|attribute| last(attribute.text_range()) + 1).max().unwrap_or(0);
    let mut found = Vec::new();
    for item in file.items() {
        let text = item.syntax().text().to_string();
        if EVCXRS.iter().any(|word| text.contains(word)) {
            break;
        }
        let range = item.syntax().text_range();
        if first(range) < begin {
            return None;
        }
        let end = last(range) + 1;
        found.push((begin, end));
        begin = end;
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "#![allow(dead_code)]\n";
    const FOOT: &str = "#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_3() {\n}\n";

    fn ordered(definitions: &str, moves: &str) -> Ordered {
        Ordered::of(&format!("{HEAD}{definitions}{FOOT}{moves}"))
    }

    #[test]
    fn definitions_have_one_order_and_lines_know_where_they_were() {
        let (uses, point) = ("use a::b;\n", "// A point.\n#[derive(Debug)]\nstruct P {\n    x: f64,\n}\n");
        let function = "fn f(v: &[u8]) -> u8 {\n    v[0]\n}\n";
        let first = ordered(&format!("{uses}{point}{function}"), "");
        let second = ordered(&format!("{function}{uses}{point}"), "");
        assert_eq!(first.code, second.code);
        let written = format!("{HEAD}{function}{uses}{point}{FOOT}");
        let written: Vec<&str> = written.lines().collect();
        let back: Vec<&str> = second.lines.iter().map(|line| written[*line]).collect();
        assert_eq!(back, second.code.lines().collect::<Vec<_>>());
        assert!(first.code.starts_with(HEAD) && first.code.ends_with(FOOT));
        assert_ne!(first.code, ordered(&format!("{uses}{function}"), "").code);
    }

    #[test]
    fn a_macro_stands_before_what_uses_it() {
        let (made, used) = ("macro_rules! m { () => { 1 } }\n", "const N: u8 = m!();\n");
        let code = ordered(&format!("{used}{made}"), "").code;
        assert!(code.find(made).unwrap() < code.find(used).unwrap(), "{code}");
    }

    #[test]
    fn what_shares_a_line_or_stands_alone_is_left() {
        for code in ["struct B; struct A;\n", ""] {
            let whole = format!("{HEAD}{code}{FOOT}");
            assert_eq!(ordered(code, "").code, whole);
        }
        // What is evcxr's stays where it is, and what follows it.
        let ends = format!("{FOOT}use b::c;\nuse a::b;\n");
        assert_eq!(Ordered::of(&ends).code, ends);
        assert_eq!(Ordered::of("").code, "");
        assert_eq!(Ordered::of("let x = ;").code, "let x = ;");
    }

    #[test]
    fn neighbouring_lines_of_variables_have_one_order() {
        let line = |name: &str| format!("let {name} = evcxr_variable_store.take_variable::<u8>(stringify!({name}));\n");
        let (a, b, c) = (line("a"), line("b"), line("c"));
        let one = ordered("", &format!("{b}\n{a}a + b\n{c}"));
        let foot = FOOT.lines().count() + 1;
        assert_eq!(one.lines[foot..], [foot + 1, foot + 2, foot, foot + 3, foot + 4]);
        assert_eq!(one.code, ordered("", &format!("{a}{b}\na + b\n{c}")).code);
        assert_ne!(one.code, ordered("", &format!("{a}{b}\nb + a\n{c}")).code);
    }
}
