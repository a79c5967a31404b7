//! Claims that a cell records, by a scan of its Rust source for `.record("id"`, `.not_tested("id"` and `.check(module::Name`.
//!
//! Comments and string contents are skipped, so prose about a claim does not count as its check.

/// A call found in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// A claim id written as a string literal.
    Id(String),
    /// The path of a check's type.
    Check(String),
    /// A call on `ledger` whose first argument is not a string literal, so its id is not known.
    Opaque(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Word(String),
    Text(String),
    Mark(char),
}

/// The calls of `record` and `not_tested` in a cell, in order.
pub(crate) fn calls(source: &str) -> Vec<Call> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    for at in 1..tokens.len() {
        let Token::Word(method) = &tokens[at] else {
            continue;
        };
        if !matches!(method.as_str(), "record" | "not_tested" | "check")
            || tokens[at - 1] != Token::Mark('.')
            || tokens.get(at + 1) != Some(&Token::Mark('('))
        {
            continue;
        }
        let mut argument = at + 2;
        while tokens.get(argument) == Some(&Token::Mark('&')) {
            argument += 1;
        }
        if method == "check" {
            if tokens[at.saturating_sub(2)] == Token::Word("ledger".to_string()) {
                found.push(match path(&tokens[argument..]) {
                    Some(path) => Call::Check(path),
                    None => Call::Opaque(method.clone()),
                });
            }
            continue;
        }
        // A literal followed by a dot is not the id as it stands.
        let whole = matches!(tokens.get(argument + 1), Some(Token::Mark(',' | ')')) | None);
        match tokens.get(argument) {
            Some(Token::Text(id)) if whole => found.push(Call::Id(id.clone())),
            _ => {
                let receiver = at.checked_sub(2).map(|i| &tokens[i]);
                if receiver == Some(&Token::Word("ledger".to_string())) {
                    found.push(Call::Opaque(method.clone()));
                }
            }
        }
    }
    found
}

/// The path that an expression begins with, up to the name of a type: of `a::Name { .. }` and `a::Name::default()` it is `a::Name`.
fn path(tokens: &[Token]) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for token in tokens {
        match token {
            Token::Word(word) => {
                parts.push(word);
                if word.starts_with(char::is_uppercase) {
                    return Some(parts.join("::"));
                }
            }
            Token::Mark(':') => {}
            _ => return None,
        }
    }
    None
}

/// The tokens of Rust code without comments and white space.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let next = chars.get(at + 1).copied();
        if c.is_whitespace() {
            at += 1;
        } else if c == '/' && next == Some('/') {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if c == '/' && next == Some('*') {
            at = after_block_comment(&chars, at);
        } else if c == '"' {
            let (text, after) = quoted(&chars, at);
            tokens.push(Token::Text(text));
            at = after;
        } else if c == '\'' {
            let after = after_tick(&chars, at);
            // A character literal is one word; the tick of a lifetime stands alone.
            match after - at {
                1 => tokens.push(Token::Mark('\'')),
                _ => tokens.push(Token::Word(chars[at..after.min(chars.len())].iter().collect())),
            }
            at = after;
        } else if c.is_alphanumeric() || c == '_' {
            let start = at;
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                at += 1;
            }
            let word: String = chars[start..at].iter().collect();
            match (word.as_str(), chars.get(at)) {
                ("r" | "br" | "cr", Some('"' | '#')) => match raw(&chars, at) {
                    Some((text, after)) => {
                        tokens.push(Token::Text(text));
                        at = after;
                    }
                    // `r#match` is a word with a prefix.
                    None => at += 1,
                },
                ("b" | "c", Some('"')) => {
                    let (text, after) = quoted(&chars, at);
                    tokens.push(Token::Text(text));
                    at = after;
                }
                _ => tokens.push(Token::Word(word)),
            }
        } else {
            tokens.push(Token::Mark(c));
            at += 1;
        }
    }
    tokens
}

/// Past a block comment, which may hold others.
fn after_block_comment(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

/// The content of a string literal that opens at `at`, and the place after it.
fn quoted(chars: &[char], at: usize) -> (String, usize) {
    let mut text = String::new();
    let mut i = at + 1;
    while i < chars.len() {
        match chars[i] {
            '"' => return (text, i + 1),
            '\\' => {
                // Ids hold no escapes; both letters are kept, so that the literal is seen whole.
                text.push('\\');
                text.extend(chars.get(i + 1));
                i += 2;
            }
            c => {
                text.push(c);
                i += 1;
            }
        }
    }
    (text, i)
}

/// The content of a raw string whose hashes or quote begin at `at`, and the place after it.
fn raw(chars: &[char], at: usize) -> Option<(String, usize)> {
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    if chars.get(at + hashes) != Some(&'"') {
        return None;
    }
    let start = at + hashes + 1;
    let mut i = start;
    while i < chars.len() {
        if chars[i] == '"' && chars[i + 1..].iter().take_while(|c| **c == '#').count() >= hashes {
            return Some((chars[start..i].iter().collect(), i + 1 + hashes));
        }
        i += 1;
    }
    Some((chars[start..].iter().collect(), i))
}

/// Past a character literal, or past the tick of a lifetime.
fn after_tick(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => {
            let close = chars.get(at + 3..).unwrap_or_default().iter().take(12).position(|c| *c == '\'');
            close.map_or(at + 2, |i| at + 3 + i + 1)
        }
        (Some(_), Some('\'')) => at + 3,
        _ => at + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(source: &str) -> Vec<String> {
        calls(source)
            .into_iter()
            .map(|c| match c {
                Call::Id(id) => id,
                Call::Check(path) => format!("!{path}"),
                Call::Opaque(method) => format!("?{method}"),
            })
            .collect()
    }

    #[test]
    fn finds_calls_in_any_layout() {
        assert_eq!(ids("ledger.record(\"m/a\", e)?"), ["m/a"]);
        assert_eq!(ids("ledger\n  .record(\n    \"m/a\",\n e)?"), ["m/a"]);
        assert_eq!(ids("ledger.not_tested(r#\"m/b\"#, \"why\")?"), ["m/b"]);
        assert_eq!(ids("ledger.record(&\"m/a\", x); l.record(\"m/b\", y)"), ["m/a", "m/b"]);
        assert_eq!(ids("ledger.check(a::b::Rate { n: 3, ..document() })?"), ["!a::b::Rate"]);
        assert_eq!(ids("ledger.check(b::Rate::default())?"), ["!b::Rate"]);
        assert_eq!(ids("ledger.check(rate)"), ["?check"]);
        assert!(ids("protocol.check()?").is_empty());
        assert_eq!(ids("ledger.record(/* the rate */ \"m/a\", e)"), ["m/a"]);
    }

    #[test]
    fn skips_comments_strings_and_other_calls() {
        assert!(ids("// ledger.record(\"m/a\", e)").is_empty());
        assert!(ids("/* /* */ ledger.record(\"m/a\", e) */").is_empty());
        assert!(ids("let s = \"ledger.record(\\\"m/a\\\", e)\";").is_empty());
        assert!(ids("let s = r\"ledger.record(\";").is_empty());
        assert!(ids("record(\"m/a\")").is_empty());
        assert!(ids("trace.record(3); ledger.preview(\"m/a\", e)").is_empty());
    }

    #[test]
    fn characters_and_lifetimes_do_not_swallow_code() {
        let source = "let q = '\"'; let n = '\\''; fn f<'a>(x: &'a str) {} ledger.record(\"m/a\", e)";
        assert_eq!(ids(source), ["m/a"]);
        assert_eq!(ids("let r#match = 1; ledger.record(\"m/a\", e)"), ["m/a"]);
        assert_eq!(ids("let c = '\\"), Vec::<String>::new());
        assert_eq!(ids("'"), Vec::<String>::new());
    }

    #[test]
    fn an_id_that_cannot_be_read_is_reported() {
        assert_eq!(ids("ledger.record(id, e)"), ["?record"]);
        assert_eq!(ids("ledger.record(&format!(\"m/{x}\"), e)"), ["?record"]);
        assert_eq!(ids("ledger.record(\"m/\".trim(), e)"), ["?record"]);
    }
}
