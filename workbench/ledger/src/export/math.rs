//! Formulas that can go into a LaTeX file without breaking it.

use super::formula::pieces;
use super::vocabulary::{DELIMITERS, ENVIRONMENTS, FONTS, LETTERS, ONE, OPERATORS, SHORT, SIZES, TWO, WORDS, among};
use workbench_record::signs;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A command without its backslash.
    Command(&'a str),
    /// Any other sign but white space.
    Sign(char),
}

/// The tokens of a formula with the places where they begin.
fn tokens(source: &str) -> Vec<(usize, Token<'_>)> {
    let mut at = 0;
    let mut tokens = Vec::new();
    for piece in pieces(source) {
        if let Some(name) = piece.strip_prefix('\\') {
            tokens.push((at, Token::Command(name)));
        } else {
            let signs = piece.chars().filter(|c| !c.is_whitespace());
            tokens.extend(signs.map(|c| (at, Token::Sign(c))));
        }
        at += piece.len();
    }
    tokens
}

/// Whether LaTeX with amsmath and amssymb takes this between dollar signs: known commands with their arguments, balanced
/// braces, environments and delimiters, one script of a kind on each base. It refuses what it does not know.
pub(super) fn is_sound(source: &str) -> bool {
    let mut reader = Reader { source, tokens: tokens(source), at: 0 };
    !reader.tokens.is_empty() && reader.list(End::Nothing, false) && reader.at == reader.tokens.len()
}

/// What closes a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End<'a> {
    Nothing,
    Brace,
    Bracket,
    Right,
    Environment(&'a str),
}

struct Reader<'a> {
    source: &'a str,
    tokens: Vec<(usize, Token<'a>)>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|(_, token)| *token)
    }

    /// A list up to its end, which is consumed. `aligned` is whether `&` and `\\` may stand in it.
    fn list(&mut self, end: End, aligned: bool) -> bool {
        // Whether the base that was read last carries an index, and an exponent.
        let mut scripts = (false, false);
        loop {
            let Some(token) = self.peek() else {
                return end == End::Nothing;
            };
            match token {
                Token::Sign('}') => {
                    self.at += 1;
                    return end == End::Brace;
                }
                Token::Sign(']') if end == End::Bracket => {
                    self.at += 1;
                    return true;
                }
                Token::Command("right") => {
                    self.at += 1;
                    return end == End::Right && self.delimiter();
                }
                Token::Command("end") => {
                    self.at += 1;
                    return matches!((end, self.name()), (End::Environment(open), Some(closed)) if open == closed);
                }
                Token::Sign('&') | Token::Command("\\") => {
                    if !aligned {
                        return false;
                    }
                    self.at += 1;
                    scripts = (false, false);
                }
                Token::Sign('_') => {
                    self.at += 1;
                    if std::mem::replace(&mut scripts.0, true) || !self.script() {
                        return false;
                    }
                }
                Token::Sign('^') => {
                    self.at += 1;
                    if std::mem::replace(&mut scripts.1, true) || !self.script() {
                        return false;
                    }
                }
                Token::Sign('\'') => {
                    // Primes take a following exponent along; after one they are a second.
                    if scripts.1 {
                        return false;
                    }
                    while self.peek() == Some(Token::Sign('\'')) {
                        self.at += 1;
                    }
                    if self.peek() == Some(Token::Sign('^')) {
                        self.at += 1;
                        if !self.script() {
                            return false;
                        }
                    }
                    scripts.1 = true;
                }
                _ => {
                    if !self.atom() {
                        return false;
                    }
                    scripts = (false, false);
                }
            }
        }
    }

    /// A sign, a group or a command with its arguments.
    fn atom(&mut self) -> bool {
        match self.next() {
            Some(Token::Sign('{')) => self.list(End::Brace, false),
            Some(Token::Sign(c)) => plain(c),
            Some(Token::Command("left")) => self.delimiter() && self.list(End::Right, false),
            Some(Token::Command("begin")) => match self.name() {
                Some(name) if among(ENVIRONMENTS, name) => self.list(End::Environment(name), true),
                _ => false,
            },
            Some(Token::Command(name)) => self.command(name),
            None => false,
        }
    }

    fn command(&mut self, name: &str) -> bool {
        if among(TWO, name) {
            return self.argument() && self.argument();
        }
        if among(WORDS, name) {
            return self.words();
        }
        if name == "sqrt" && self.peek() == Some(Token::Sign('[')) {
            self.at += 1;
            return self.list(End::Bracket, false) && self.argument();
        }
        if among(ONE, name) || among(FONTS, name) {
            return self.argument();
        }
        if among(SIZES, name) {
            return self.delimiter();
        }
        name == " " || among(LETTERS, name) || among(OPERATORS, name) || among(SHORT, name)
    }

    /// What a command or a script is about: one sign, one command, or a group.
    fn argument(&mut self) -> bool {
        match self.peek() {
            None | Some(Token::Sign('}' | '^' | '_' | '&' | '\'')) => false,
            Some(Token::Command("right" | "end" | "\\" | "left" | "begin")) => false,
            Some(_) => self.atom(),
        }
    }

    /// What an exponent or an index may be without braces, and what [`for_latex`](super::formula::for_latex) puts them around.
    fn script(&mut self) -> bool {
        match self.peek() {
            Some(Token::Command("operatorname")) => false,
            Some(Token::Command(name)) => {
                let fits = [LETTERS, OPERATORS, FONTS, WORDS].iter().any(|list| among(list, name));
                (fits || "%#&_${}".contains(name)) && self.atom()
            }
            _ => self.argument(),
        }
    }

    /// A delimiter after `\left` or `\right`.
    fn delimiter(&mut self) -> bool {
        match self.next() {
            Some(Token::Sign(c)) => "()[]|/.<>".contains(c),
            Some(Token::Command(name)) => among(DELIMITERS, name),
            None => false,
        }
    }

    /// `{name}`.
    fn name(&mut self) -> Option<&'a str> {
        let (open, _) = *self.tokens.get(self.at).filter(|(_, token)| *token == Token::Sign('{'))?;
        let inside = &self.source[open + 1..];
        let name = &inside[..inside.find('}')?];
        // Its letters and the two braces, if nothing else is in it; else what follows does not fit.
        self.at += name.len() + 2;
        Some(name)
    }

    /// `{words}`, without anything that text would treat specially.
    fn words(&mut self) -> bool {
        if self.next() != Some(Token::Sign('{')) {
            return false;
        }
        loop {
            match self.next() {
                Some(Token::Sign('}')) => return true,
                Some(Token::Sign(c)) if c.is_ascii_alphanumeric() || ".,;:()+-=/*'!?".contains(c) => {}
                _ => return false,
            }
        }
    }
}

/// Signs that stand for themselves; those outside ASCII only if a command is known for them.
fn plain(c: char) -> bool {
    match c {
        '$' | '%' | '#' | '"' | '`' => false,
        c if c.is_ascii() => !c.is_ascii_control(),
        c => signs::in_math(c).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_registry_says_is_sound() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../notebooks/claims.toml");
        let registry = workbench_record::Registry::read(&path).unwrap();
        let mut formulas = 0;
        for claim in registry.claims() {
            for (place, piece) in claim.says.split('$').enumerate() {
                formulas += place % 2;
                assert!(place % 2 == 0 || is_sound(piece), "{}: {piece}", claim.id);
            }
        }
        assert!(formulas > 900, "{formulas} formulas");
    }

    #[test]
    fn what_would_break_a_file_is_refused() {
        for source in [
            "x",
            "x_1^2",
            "x'^2",
            "x''",
            "f'_k",
            "\\frac12",
            "\\frac{a}{b}",
            "\\sqrt[3]{x}",
            "\\mathbb R^{d\\times d}",
            "\\left(\\tfrac{1}{2}\\right]",
            "\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}^{-1}",
            "\\{x\\mid y\\}",
            "a<b>c",
            "\\|x\\|_2^2",
            "\\mathrm{if}\\ x",
            "ρ≤1",
            "\\bigl(x\\bigr)",
            "\\lambda_\\max",
            "x_\\mathrm{in}",
            "\\text{for all n}",
            "{}^{2}",
            "x^\\top",
        ] {
            assert!(is_sound(source), "{source}");
        }
        for source in [
            "",
            " ",
            "{",
            "}",
            "x^",
            "x_",
            "x^}",
            "x^a^b",
            "x_a_b",
            "x^2'",
            "\\frac{a}",
            "\\frac",
            "\\nosuch",
            "\\left(x",
            "x\\right)",
            "\\left(x}\\right)",
            "\\begin{pmatrix}a",
            "\\begin{pmatrix}a\\end{matrix}",
            "\\begin{document}\\end{document}",
            "a&b",
            "a\\\\b",
            "50%",
            "#1",
            "\\",
            "\\text{a_b}",
            "\\text",
            "\\sqrt[3",
            "x☃",
            "\\input{x}",
            "\\def\\x{}",
            "a\"b",
            "\\mathbf^",
            "\\bigl x",
            "x^\\hat a",
            "x\\limits_a",
        ] {
            assert!(!is_sound(source), "{source}");
        }
    }
}
