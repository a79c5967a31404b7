//! Texts with formulas between dollar signs: where they are, and the whole as LaTeX or Markdown.

use super::formula::{for_latex, for_markdown};
use super::math::is_sound;
use workbench_record::signs::{self, Sign};

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    Words(&'a str),
    /// What stands between two dollar signs.
    Formula(&'a str),
}

/// The parts of a text. A dollar sign opens a formula if no white space follows, and closes it if none precedes and no digit
/// follows; a pair with nothing between, and one without its partner, are words.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(open) = rest[from..].find('$').map(|at| from + at) {
        from = open + 1;
        let begins = rest[from..].starts_with(|c: char| !c.is_whitespace() && c != '$');
        let Some(close) = rest[from..].find('$').map(|at| from + at).filter(|_| begins) else {
            // Two in a row open nothing together.
            from += usize::from(rest[from..].starts_with('$'));
            continue;
        };
        let ends = !rest[..close].ends_with(char::is_whitespace);
        if !ends || rest[close + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        parts.push(Part::Words(&rest[..open]));
        parts.push(Part::Formula(&rest[from..close]));
        rest = &rest[close + 1..];
        from = 0;
    }
    parts.push(Part::Words(rest));
    parts
}

/// The text for a Markdown table: formulas stay formulas, everything else is shown as it is. A formula that could not be set is
/// shown as its source.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Words(words) => words.chars().for_each(|c| match c {
                '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '$' | '~' | '#' => out.extend(['\\', c]),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                c if c.is_whitespace() || c.is_control() => out.push(' '),
                c => out.push(c),
            }),
            Part::Formula(source) if is_sound(source) => {
                out.push_str(&format!("${}$", for_markdown(&one_line(source))));
            }
            // No backtick is sound, so some may stand in the source: a longer fence keeps them inside.
            Part::Formula(source) => {
                let longest = source.split(|c| c != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat(2.max(longest + 1));
                out.push_str(&format!("{fence} ${}$ {fence}", one_line(source).replace('|', "\\|")));
            }
        }
    }
    out
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text for LaTeX, in ASCII: formulas stay formulas, numbers and signs are set as mathematics, everything else is escaped. A
/// formula that could not be set is shown as its source, a sign that is not known as its number in Unicode.
pub(super) fn latex(text: &str) -> String {
    let mut setter = Setter::default();
    for part in parts(text) {
        match part {
            Part::Words(words) => setter.words(words),
            Part::Formula(source) if is_sound(source) => setter.math(&for_latex(&one_line(source))),
            Part::Formula(source) => {
                setter.text("\\texttt{");
                setter.words(&format!("${}$", one_line(source)));
                setter.text("}");
            }
        }
    }
    setter.finish()
}

/// Writes text, and between dollar signs what is mathematics; neighbours share one pair.
#[derive(Default)]
struct Setter {
    out: String,
    formula: String,
    /// The script that the formula ends with, with its sign: what follows in the same script goes into it.
    script: Option<char>,
}

impl Setter {
    fn text(&mut self, text: &str) {
        self.close();
        self.out.push_str(text);
    }

    fn close(&mut self) {
        if !self.formula.is_empty() {
            self.out.push_str(&format!("${}$", self.formula));
            self.formula.clear();
        }
        self.script = None;
    }

    fn math(&mut self, source: &str) {
        self.script = None;
        if !self.formula.is_empty() {
            // Keeps commands apart, and scripts from the base before.
            self.formula.push_str("{}");
        }
        self.formula.push_str(source);
    }

    fn script(&mut self, kind: char, source: &str) {
        if self.script == Some(kind) && self.formula.pop().is_some() {
            self.formula.push_str(source);
        } else {
            if self.script.is_some() {
                self.formula.push_str("{}");
            }
            self.formula.push_str(&format!("{kind}{{{source}"));
            self.script = Some(kind);
        }
        self.formula.push('}');
    }

    fn words(&mut self, words: &str) {
        let mut rest = words;
        let mut before = ' ';
        while let Some(c) = rest.chars().next() {
            let starts = !before.is_alphanumeric() && !"._-+\\".contains(before);
            if let Some((number, length)) = number(rest).filter(|_| starts) {
                self.math(&number);
                rest = &rest[length..];
                before = '0';
                continue;
            }
            rest = &rest[c.len_utf8()..];
            // An accent that stands after its letter.
            let accent = rest.chars().next().and_then(|next| match signs::sign(next) {
                Some(Sign::Accent(accent)) => Some((accent, next.len_utf8())),
                _ => None,
            });
            let base = signs::in_math(c).map(str::to_string).or_else(|| c.is_ascii_alphabetic().then(|| c.to_string()));
            match (accent, base) {
                (Some((accent, length)), Some(base)) => {
                    self.math(&format!("{accent}{{{base}}}"));
                    rest = &rest[length..];
                }
                _ => self.sign(c),
            }
            before = c;
        }
    }

    fn sign(&mut self, c: char) {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => self.text(&format!("\\{c}")),
            '\\' => self.text("\\textbackslash{}"),
            '~' => self.text("\\textasciitilde{}"),
            '^' => self.text("\\textasciicircum{}"),
            '<' | '>' | '|' => self.math(&c.to_string()),
            // As a number, since its name needs a font encoding, and so that neighbours form no ligature.
            '"' | '`' => self.text(&format!("\\char{}{{}}", c as u32)),
            '-' if self.formula.is_empty() && self.out.ends_with('-') => self.text("{}-"),
            c if c.is_whitespace() || c.is_control() => self.text(" "),
            c if c.is_ascii() => self.text(c.encode_utf8(&mut [0; 4])),
            c => match signs::sign(c) {
                Some(Sign::Math(command)) => self.math(command),
                Some(Sign::Text(command)) => self.text(command),
                Some(Sign::Accented(accent, letter)) => self.text(&format!("{accent}{{{letter}}}")),
                Some(Sign::Super(source)) => self.script('^', source),
                Some(Sign::Sub(source)) => self.script('_', source),
                Some(Sign::Accent(_)) | None => self.text(&format!("\\texttt{{[U+{:04X}]}}", c as u32)),
            },
        }
    }

    fn finish(mut self) -> String {
        self.close();
        self.out
    }
}

/// A number that a text begins with, as mathematics, and its length; none for one that text shows as well.
fn number(text: &str) -> Option<(String, usize)> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with('-'));
    let mut end = sign + digits(sign);
    if end == sign {
        return None;
    }
    if text[end..].starts_with('.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let mantissa = &text[..end];
    let mut power = None;
    if text[end..].starts_with(['e', 'E']) {
        let signed = end + 1 + usize::from(text[end + 1..].starts_with(['-', '+']));
        if digits(signed) > 0 {
            power = Some(text[end + 1..signed + digits(signed)].trim_start_matches('+'));
            end = signed + digits(signed);
        }
    }
    // "2d" and "1-based" are words.
    if text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    match power {
        Some(power) if mantissa == "1" => Some((format!("10^{{{power}}}"), end)),
        Some(power) => Some((format!("{mantissa}\\times 10^{{{power}}}"), end)),
        None => (sign == 1).then(|| (mantissa.to_string(), end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollar_signs_are_paired_as_readers_of_markdown_do() {
        use Part::{Formula as F, Words as W};
        assert_eq!(parts("a $x$ b"), [W("a "), F("x"), W(" b")]);
        assert_eq!(parts("$x$$y$"), [W(""), F("x"), W(""), F("y"), W("")]);
        for words in ["", "costs $5 and $6", "a $ b $ c", "alone $", "$$", "a $$x$$ b", "$ x$"] {
            let found = parts(words);
            assert!(!found.iter().any(|part| matches!(part, F("5 and " | " x"))), "{words}: {found:?}");
        }
        assert_eq!(parts("costs $5 and $6"), [W("costs $5 and $6")]);
        assert_eq!(parts("$$"), [W("$$")]);
    }

    #[test]
    fn markdown_keeps_formulas_and_shows_the_rest() {
        assert_eq!(markdown("a|b, $|x|$"), "a\\|b, $\\vert x\\vert$");
        assert_eq!(markdown("x_1*y_2 <b> & `c`"), "x\\_1\\*y\\_2 &lt;b&gt; &amp; \\`c\\`");
        assert_eq!(markdown("for 5 $ only\nand"), "for 5 \\$ only and");
        assert_eq!(markdown("wrong $x^{a|b$"), "wrong `` $x^{a\\|b$ ``");
        assert_eq!(markdown("no tag $`` <b>$"), "no tag ``` $`` <b>$ ```");
    }

    #[test]
    fn latex_is_ascii_and_escaped() {
        for (text, expected) in [
            ("100 % of $x_i$ & more", "100 \\% of $x_i$ \\& more"),
            ("\\^~", "\\textbackslash{}\\textasciicircum{}\\textasciitilde{}"),
            ("-0.5 ± 2.5e-3 on a-b", "$-0.5$ $\\pm$ $2.5\\times 10^{-3}$ on a-b"),
            ("[-0.53, 1e-12]", "[$-0.53$, $10^{-12}$]"),
            ("0.5, 2d, x-1, 3.", "0.5, 2d, x-1, 3."),
            ("α≤β", "$\\alpha{}\\le{}\\beta$"),
            ("10⁻¹² and x₀²", "10$^{-12}$ and x$_{0}{}^{2}$"),
            ("Ȳ, x̂ and θ̄", "\\={Y}, $\\hat{x}$ and $\\bar{\\theta}$"),
            ("\"q\" -- ☃", "\\char34{}q\\char34{} -{}- \\texttt{[U+2603]}"),
            ("a<b|c", "a$<$b$|$c"),
            ("broken $x^{$ and {", "broken \\texttt{\\$x\\textasciicircum{}\\{\\$} and \\{"),
            ("“so” – done…", "``so'' -- done\\ldots{}"),
            ("only $5", "only \\$5"),
        ] {
            assert_eq!(latex(text), expected);
        }
    }
}
