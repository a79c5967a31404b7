//! Cursor context: offsets in characters, the word around it, and the cell as one parsable text.

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{Edition, NodeOrToken, SourceFile, SyntaxKind, SyntaxNode, SyntaxToken, TextSize, TokenAtOffset};

use super::source::CELL_BEGIN;

/// Stands for the word that is being written.
pub const MARK: &str = "evcxr_cursor";

/// Byte offset of a position counted in characters (Unicode scalar values, as the protocol counts since 5.2).
pub fn byte_offset(code: &str, chars: usize) -> usize {
    code.char_indices().nth(chars).map_or(code.len(), |(at, _)| at)
}

/// The position in characters of a byte offset.
pub fn char_offset(code: &str, bytes: usize) -> usize {
    code.char_indices().take_while(|(at, _)| *at < bytes).count()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The word around a byte offset: where it starts and ends. Empty when the cursor touches none.
pub fn word_at(code: &str, offset: usize) -> (usize, usize) {
    let before: usize = code[..offset].chars().rev().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
    let after: usize = code[offset..].chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
    (offset - before, offset + after)
}

/// Whether a line is one of evcxr's commands.
pub fn is_command(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with(':') && !text.starts_with("::") || text.starts_with('!')
}

/// The cell without command lines, each byte of which becomes a space.
pub fn without_commands(source: &str) -> String {
    workbench_base::source::without_commands(source).0
}

/// The crates that `:dep` lines name. As in evcxr, such lines stand before the first line of Rust.
pub fn dependencies(source: &str) -> impl Iterator<Item = String> {
    let named = workbench_base::source::without_commands(source).1;
    named.into_iter().map(|name| name.replace('-', "_"))
}

/// A cell inside a function, parsed, with its macro calls turned into calls.
pub struct Parsed {
    /// The tree.
    pub root: SyntaxNode,
}

impl Parsed {
    /// Parses a cell; byte offsets of the cell stay true after [`Parsed::shift`].
    pub fn new(rust: &str) -> Parsed {
        let mut text = format!("{CELL_BEGIN}{rust}\n}}");
        let mut root = parse(&text);
        // Each round opens one level of nested macro calls.
        for _ in 0..6 {
            match opened(&text, &root) {
                Some(new) => {
                    text = new;
                    root = parse(&text);
                }
                None => break,
            }
        }
        Parsed { root }
    }

    /// The place in the tree of a byte offset of the cell.
    pub fn shift(offset: usize) -> TextSize {
        TextSize::try_from(CELL_BEGIN.len() + offset).unwrap_or_default()
    }

    /// The token at a byte offset of the cell: the word the cursor touches, or what stands before it.
    pub fn token(&self, offset: usize) -> Option<SyntaxToken> {
        let at = Parsed::shift(offset).min(self.root.text_range().end());
        match self.root.token_at_offset(at) {
            TokenAtOffset::None => None,
            TokenAtOffset::Single(token) => Some(token),
            TokenAtOffset::Between(left, right) => {
                let word = |t: &SyntaxToken| t.text().starts_with(is_word);
                Some(if word(&right) && !word(&left) { right } else { left })
            }
        }
    }
}

fn parse(text: &str) -> SyntaxNode {
    SourceFile::parse(text, Edition::Edition2024).tree().syntax().clone()
}

/// `name!(a, b)` becomes `name_(a, b)`, so that arguments parse as expressions; nothing when there is no such call.
/// The text keeps its length.
fn opened(text: &str, root: &SyntaxNode) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut changed = false;
    for call in root.descendants().filter_map(ast::MacroCall::cast) {
        let (Some(tree), Some(bang)) = (call.token_tree(), call.excl_token()) else {
            continue;
        };
        let Some(open) = tree.left_delimiter_token() else {
            continue;
        };
        let adjacent = call.path().is_some_and(|p| p.syntax().text_range().end() == bang.text_range().start());
        if open.kind() == SyntaxKind::L_CURLY || !adjacent {
            continue;
        }
        let at = |token: &SyntaxToken| usize::from(token.text_range().start());
        bytes[at(&bang)] = b'_';
        bytes[at(&open)] = b'(';
        if let Some(close) = tree.right_delimiter_token() {
            bytes[at(&close)] = b')';
        }
        // `vec![0; n]`
        for token in tree.syntax().children_with_tokens().filter_map(NodeOrToken::into_token) {
            if token.kind() == SyntaxKind::SEMICOLON {
                bytes[at(&token)] = b',';
            }
        }
        changed = true;
    }
    // Only ASCII bytes were exchanged for ASCII bytes.
    changed.then(|| String::from_utf8(bytes).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_from_any_place_in_them() {
        let code = "let größe = alpha + 1;";
        let start = code.find("alpha").unwrap();
        for offset in start..=start + 5 {
            assert_eq!(word_at(code, offset), (start, start + 5));
        }
        let wide = code.find("größe").unwrap();
        assert_eq!(word_at(code, wide + 2), (wide, wide + "größe".len()));
        assert_eq!(word_at("a + b", 2), (2, 2));
    }

    #[test]
    fn offsets_count_characters() {
        let code = "𝛼ß = x";
        assert_eq!(byte_offset(code, 2), 6);
        assert_eq!(char_offset(code, 6), 2);
        assert_eq!(byte_offset(code, 99), code.len());
    }

    #[test]
    fn macro_arguments_become_expressions() {
        let parsed = Parsed::new("println!(\"{}\", vec![x.len(); 2].first());");
        let calls = parsed.root.descendants().filter_map(ast::MethodCallExpr::cast).count();
        assert_eq!(calls, 2);
        assert!(parsed.root.text().to_string().contains("vec_(x.len(), 2)"));
    }

    #[test]
    fn commands_are_blank() {
        assert_eq!(without_commands(":vars\nlet x = 1;"), "     \nlet x = 1;");
        assert_eq!(without_commands("::std::f()"), "::std::f()");
    }
}
