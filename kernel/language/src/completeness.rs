//! Completeness of a cell (finished, goes on, wrong): what a console asks before it runs what was typed.

use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxToken};

use super::context::without_commands;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completeness {
    /// It can run.
    Complete,
    /// It goes on; the next line begins with this indent.
    Incomplete(String),
    /// Nothing that is added can make it right.
    Invalid,
}

/// Tells whether a cell is finished. Brackets in strings, characters and comments do not count.
pub fn is_complete(source: &str) -> Completeness {
    let rust = without_commands(source);
    let parsed = SourceFile::parse(&rust, Edition::Edition2024);
    let tokens: Vec<SyntaxToken> =
        parsed.syntax_node().descendants_with_tokens().filter_map(|t| t.into_token()).collect();
    let mut open = Vec::new();
    for token in &tokens {
        match token.kind() {
            SyntaxKind::L_PAREN => open.push(SyntaxKind::R_PAREN),
            SyntaxKind::L_BRACK => open.push(SyntaxKind::R_BRACK),
            SyntaxKind::L_CURLY => open.push(SyntaxKind::R_CURLY),
            closing @ (SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY)
                if open.pop() != Some(closing) =>
            {
                return Completeness::Invalid;
            }
            SyntaxKind::STRING | SyntaxKind::BYTE_STRING | SyntaxKind::C_STRING | SyntaxKind::COMMENT
                if is_open(token.text()) =>
            {
                return Completeness::Incomplete(String::new());
            }
            _ => {}
        }
    }
    let indent = " ".repeat(4 * open.len());
    if !open.is_empty() {
        return Completeness::Incomplete(indent);
    }
    let Some(last) = tokens.iter().rev().find(|t| !t.kind().is_trivia()) else {
        return Completeness::Complete;
    };
    if lacks_a_name(&tokens) {
        return Completeness::Invalid;
    }
    if goes_on(&tokens, last) {
        return Completeness::Incomplete(indent);
    }
    let wrapped = SourceFile::parse(&format!("fn evcxr() {{\n{rust}\n}}"), Edition::Edition2024);
    if wrapped.errors().is_empty() {
        Completeness::Complete
    } else {
        // `fn f()` and `if x` lack their block, `let x` its value or its semicolon.
        let with = |end: &str| {
            let text = format!("fn evcxr() {{\n{rust}\n{end}\n}}");
            SourceFile::parse(&text, Edition::Edition2024).errors().is_empty()
        };
        if with("{}") || with("fn f() {}") || with("struct S;") {
            Completeness::Incomplete(indent)
        } else {
            // evcxr takes a missing semicolon after the last statement.
            if with(";") { Completeness::Complete } else { Completeness::Invalid }
        }
    }
}

/// Whether a word of the language stands where an item has its name: no text that follows makes that right.
fn lacks_a_name(tokens: &[SyntaxToken]) -> bool {
    let words: Vec<SyntaxKind> = tokens.iter().map(SyntaxToken::kind).filter(|kind| !kind.is_trivia()).collect();
    words.windows(2).any(|pair| {
        matches!(
            pair,
            [
                SyntaxKind::FN_KW | SyntaxKind::STRUCT_KW | SyntaxKind::ENUM_KW | SyntaxKind::TRAIT_KW,
                SyntaxKind::FN_KW
                    | SyntaxKind::STRUCT_KW
                    | SyntaxKind::ENUM_KW
                    | SyntaxKind::TRAIT_KW
                    | SyntaxKind::LET_KW
            ]
        )
    })
}

/// Whether a string or block comment has no end.
fn is_open(text: &str) -> bool {
    if text.starts_with("/*") {
        let (mut depth, mut rest) = (0i32, text);
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("/*") {
                depth += 1;
                rest = after;
            } else if let Some(after) = rest.strip_prefix("*/") {
                depth -= 1;
                rest = after;
            } else {
                let mut chars = rest.chars();
                chars.next();
                rest = chars.as_str();
            }
        }
        return depth > 0;
    }
    if text.starts_with("//") {
        return false;
    }
    let body = text.trim_start_matches(['b', 'c']);
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.bytes().take_while(|b| *b == b'#').count();
        let end = format!("\"{}", "#".repeat(hashes));
        return raw.get(hashes + 1..).is_none_or(|inner| !inner.ends_with(&end));
    }
    let Some(inner) = body.strip_prefix('"') else {
        return false;
    };
    let mut escaped = false;
    for c in inner.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return false,
            _ => escaped = false,
        }
    }
    true
}

/// Whether the last token asks for more: an operator, a dot, a comma, an attribute.
fn goes_on(tokens: &[SyntaxToken], last: &SyntaxToken) -> bool {
    let kind = last.kind();
    let operator = matches!(
        last.text(),
        "=" | "+"
            | "-"
            | "*"
            | "/"
            | "%"
            | "&"
            | "|"
            | "^"
            | "<"
            | "."
            | ","
            | ":"
            | "::"
            | "->"
            | "=>"
            | "&&"
            | "||"
            | "=="
            | "!="
            | "<="
            | ">="
            | "+="
            | "-="
            | "*="
            | "/="
            | "as"
            | "let"
            | "mut"
            | "else"
            | "in"
            | "return"
            | "use"
            | "mod"
            | "fn"
            | "pub"
            | "struct"
            | "enum"
            | "impl"
            | "trait"
            | "if"
            | "match"
            | "while"
            | "for"
            | "loop"
            | "unsafe"
            | "const"
            | "static"
            | "where"
    );
    if operator {
        // `return` alone is a statement.
        return last.text() != "return";
    }
    // An attribute without its item.
    if kind == SyntaxKind::R_BRACK {
        let mut depth = 0;
        for (i, token) in tokens.iter().enumerate().rev() {
            match token.kind() {
                SyntaxKind::R_BRACK => depth += 1,
                SyntaxKind::L_BRACK => {
                    depth -= 1;
                    if depth == 0 {
                        return i > 0 && tokens[i - 1].kind() == SyntaxKind::POUND;
                    }
                }
                _ => {}
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incomplete(source: &str) -> Option<usize> {
        match is_complete(source) {
            Completeness::Incomplete(indent) => Some(indent.len()),
            _ => None,
        }
    }

    #[test]
    fn finished_cells_are_complete() {
        for source in [
            "",
            "1 + 1",
            "let x = 1;",
            "let s = \"}\"; // {",
            "let s = r#\"a \" { \"#;",
            "/* { /* [ */ */ let c = '{';",
            ":dep workbench = { path = \"../workbench\" }\nuse workbench::prelude::*;",
            ":vars",
            "#[derive(Debug)]\nstruct S { x: f64 }",
            "for i in 0..3 { println!(\"{i}\") }",
            "let f: Box<dyn Fn(f64) -> f64> = Box::new(|x| x);",
            "fn f<'a>(x: &'a str) -> &'a str { x }",
            "x?",
        ] {
            assert_eq!(is_complete(source), Completeness::Complete, "{source}");
        }
    }

    #[test]
    fn unfinished_cells_go_on() {
        for (source, indent) in [
            ("fn f() {", 4),
            ("fn f() {\n    if x {", 8),
            ("let v = vec![1, (2", 8),
            ("let s = \"no end", 0),
            ("let s = \"escaped \\\"", 0),
            ("let s = r#\"no end\"", 0),
            ("/* no end", 0),
            ("/* /* */", 0),
            ("let x =", 0),
            ("x\n    .iter().", 0),
            ("#[derive(Debug)]", 0),
            ("fn f(x: f64) -> f64", 0),
            ("if x > 1.0", 0),
            ("let s = \"{\"; g(", 4),
        ] {
            assert_eq!(incomplete(source), Some(indent), "{source}: {:?}", is_complete(source));
        }
    }

    #[test]
    fn wrong_cells_are_invalid() {
        for source in ["fn fn", "struct enum", "}", "let x = }", "f(]", "let = 3;", "fn f() { ) }", "\"{\" }"] {
            assert_eq!(is_complete(source), Completeness::Invalid, "{source}");
        }
    }
}
