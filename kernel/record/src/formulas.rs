//! Formulas in plain words: `the factor is 2^ρ` says in a terminal what `the factor is $2^{\rho}$` says on a page.
//!
//! A run of words is a formula if each could stand in one, single letters, numbers, names of functions and signs, and if one of them can
//! stand nowhere else: an index, a power, a relation, a Greek letter. What stands between dollars or backticks is left as it is.

use super::signs::{self, Sign};

const FUNCTIONS: [&str; 10] = ["cos", "cosh", "erf", "exp", "inf", "ln", "log", "max", "min", "sup"];
/// Signs that ask for something on either side.
const BETWEEN: &str = "=<>≤≥≠≃≈∈→±+-−·×∝/";
/// ASCII signs that stand in formulas and in words.
const NEUTRAL: &str = "()[]{}'|/+-*,.:;<>=";

/// What a word can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    /// Either: `d`, `2`, `p(x)`.
    Either,
    Formula,
}

/// The text with its formulas between dollar signs.
pub fn with_formulas(text: &str) -> String {
    if text.contains(['$', '`']) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(2 * text.len());
    // Byte ranges of words.
    let words: Vec<(usize, usize)> = text
        .split_whitespace()
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word.len()))
        .map(|(at, length)| (at, at + length))
        .collect();
    let (mut copied, mut next) = (0, 0);
    while next < words.len() {
        let end = run(text, &words, next);
        if let Some((from, to)) = formula_of(text, &words[next..end]) {
            let (before, formula, after) = unwrapped(&text[from..to]);
            out += &text[copied..from];
            match tex(formula) {
                Some(tex) => out += &format!("{before}${}${after}", tex.trim()),
                None => out += &text[from..to],
            }
            copied = to;
        }
        next = end.max(next + 1);
    }
    out + &text[copied..]
}

/// Where the words from `first` on stop being able to stand in one formula.
fn run(text: &str, words: &[(usize, usize)], first: usize) -> usize {
    let mut end = first;
    while let Some((from, to)) = words.get(end).filter(|(from, to)| kind(&text[*from..*to]) != Kind::Word) {
        end += 1;
        let so_far = &text[words[first].0..*to];
        let inside = count(so_far, "([{⟨") + angles(so_far).0 > count(so_far, ")]}⟩") + angles(so_far).1;
        if text[*from..*to].ends_with([',', ';', ':', '.']) && !inside {
            break;
        }
    }
    end
}

/// The formula in a run: without articles at its ends; none where nothing is a formula for certain.
fn formula_of(text: &str, run: &[(usize, usize)]) -> Option<(usize, usize)> {
    let word = |at: usize| &text[run[at].0..run[at].1];
    let mut all = 0..run.len();
    // An `a` beside a sign is a variable.
    let is_sign = |at: usize| word(at).chars().all(|c| BETWEEN.contains(c));
    let is_article = |at: usize, beside: usize| {
        ["a", "A", "I"].contains(&word(at).trim_matches(['(', ')', ',', '.', ';'])) && !is_sign(beside)
    };
    while all.len() > 1 && is_article(all.start, all.start + 1) {
        all.start += 1;
    }
    while all.len() > 1 && is_article(all.end - 1, all.end - 2) {
        all.end -= 1;
    }
    let certain = all.clone().any(|at| kind(word(at)) == Kind::Formula);
    certain.then(|| (run[all.start].0, run[all.end - 1].1))
}

fn kind(word: &str) -> Kind {
    let core = word.trim_matches(['(', ')', ',', '.', ';', ':', '[', ']']);
    let letters = || core.split(|c: char| !c.is_ascii_alphabetic()).filter(|part| !part.is_empty());
    let known = |part: &str| part.len() == 1 || FUNCTIONS.contains(&part) || (part.len() == 2 && part.starts_with('d'));
    let foreign = |c: char| {
        !c.is_ascii()
            && signs::in_math(c).is_none()
            && !matches!(signs::sign(c), Some(Sign::Super(_) | Sign::Sub(_) | Sign::Accented("\\^", _)))
    };
    if core.is_empty() || word.chars().any(foreign) || word.contains(['"', '%', '#', '&', '\\', '~', '?', '!', '@']) {
        return Kind::Word;
    }
    let is_certain = |c: char| "_^=<>".contains(c) || (!c.is_ascii() && !"−·×–".contains(c));
    // An index may be a word: x_min.
    let named = core.contains(['_', '^']);
    if core.chars().any(is_certain) && (named || letters().all(known)) || ["ln", "log", "exp", "erf"].contains(&core) {
        return Kind::Formula;
    }
    let may = |c: char| c.is_ascii_alphanumeric() || NEUTRAL.contains(c) || !c.is_ascii();
    match core.chars().all(may) && letters().all(known) {
        true => Kind::Either,
        false => Kind::Word,
    }
}

fn count(text: &str, of: &str) -> usize {
    text.chars().filter(|c| of.contains(*c)).count()
}

/// How many `<` stand as brackets, before what they hold, and how many `>`.
fn angles(text: &str) -> (usize, usize) {
    let opens = text.split('<').skip(1).filter(|after| after.starts_with(|c: char| !c.is_whitespace())).count();
    let before: Vec<&str> = text.split('>').collect();
    let closes = before.iter().rev().skip(1).filter(|before| before.ends_with(|c: char| !c.is_whitespace())).count();
    (opens, closes)
}

/// A formula without the punctuation and the brackets around it that belong to the sentence.
fn unwrapped(text: &str) -> (&str, &str, &str) {
    let (mut from, mut to) = (0, text.len());
    loop {
        let inside = &text[from..to];
        let (opened, closed) = (count(inside, "([{"), count(inside, ")]}"));
        if inside.ends_with([',', '.', ';', ':']) || (inside.ends_with(')') && closed > opened) {
            to -= 1;
        } else if inside.starts_with('(') && opened > closed {
            from += 1;
        } else {
            return (&text[..from], inside, &text[to..]);
        }
    }
}

/// A formula as TeX; none where a sign is not known or a bracket has no partner.
fn tex(source: &str) -> Option<String> {
    let mut out = String::new();
    let (opens, closes) = angles(source);
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '_' | '^' => {
                let (script, after) = script(after)?;
                out += &format!("{c}{{{}}}", tex(script)?);
                after
            }
            '√' => {
                let (under, after) = script(after)?;
                out += &format!("\\sqrt{{{}}}", tex(under)?);
                after
            }
            '<' if opens == closes && after.starts_with(|c: char| !c.is_whitespace()) => {
                out += "\\langle ";
                after
            }
            '>' if opens == closes && out.ends_with(|c: char| !c.is_whitespace()) => {
                out += "\\rangle ";
                after
            }
            '{' | '}' => {
                out.extend(['\\', c]);
                after
            }
            'a'..='z' | 'A'..='Z' => {
                let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let (word, after) = rest.split_at(length);
                out += &match FUNCTIONS.contains(&word) {
                    true if word == "erf" => "\\operatorname{erf}".to_owned(),
                    true => format!("\\{word} "),
                    false if length > 2 => format!("\\mathrm{{{word}}}"),
                    false => word.to_owned(),
                };
                after
            }
            _ if c.is_ascii_digit() || c == ' ' || NEUTRAL.contains(c) => {
                out.push(c);
                after
            }
            _ => {
                out += &match (signs::in_math(c), signs::sign(c)?) {
                    (Some(command), _) if command.ends_with(|c: char| c.is_ascii_alphabetic()) => format!("{command} "),
                    (Some(command), _) => command.to_owned(),
                    (None, Sign::Super(raised)) => format!("^{{{raised}}}"),
                    (None, Sign::Sub(lowered)) => format!("_{{{lowered}}}"),
                    (None, Sign::Accented("\\^", letter)) => format!("\\hat{{{letter}}}"),
                    _ => return None,
                };
                after
            }
        };
    }
    Some(out)
}

/// What an index, a power or a root holds, and what comes after it: a group in brackets, or a sign with letters and digits.
fn script(text: &str) -> Option<(&str, &str)> {
    let (open, close) = match text.chars().next()? {
        '{' => ('{', '}'),
        '(' => ('(', ')'),
        first => {
            let sign = if "+-−".contains(first) { first.len_utf8() } else { 0 };
            let letter = |c: char| c.is_ascii_alphanumeric() || "∞*".contains(c) || ('α'..='ω').contains(&c);
            let length = text[sign..].find(|c| !letter(c)).map_or(text.len(), |length| sign + length);
            return (length > sign).then(|| text.split_at(length));
        }
    };
    let mut depth = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == open) - i32::from(c == close);
        (depth == 0).then_some(at)
    })?;
    Some((&text[1..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::with_formulas;

    #[test]
    fn formulas_are_set_and_words_stay() {
        for (plain, set) in [
            ("the key is x_{t+1}", "the key is $x_{t+1}$"),
            ("the factor is 2^ρ", r"the factor is $2^{\rho }$"),
            ("the error is that of f_1, not of f_0", "the error is that of $f_{1}$, not of $f_{0}$"),
            ("holds for -1/2 ≤ a ≤ 0 and for no other a", r"holds for $-1/2 \le  a \le  0$ and for no other a"),
            ("the range is (0, f(1)], and β is α", r"the range is (0, f(1)], and $\beta$ is $\alpha$"),
            ("of size (M - 1)^(-1/2), half", "of size $(M - 1)^{-1/2}$, half"),
            ("(equality when p(1) > 1/2), and", "(equality when $p(1) > 1/2$), and"),
            ("the set is {x ≥ (d/‖q‖²)^{1/2ρα}}", r"the set is $\{x \ge  (d/\Vert q\Vert ^{2})^{1/2\rho \alpha }\}$"),
            ("so Â = (1/ρ-1)/8; Eq. 11 itself is right", r"so $\hat{A} = (1/\rho -1)/8$; Eq. 11 itself is right"),
            ("a √π is there", r"a $\sqrt{\pi }$ is there"),
            ("a number of its own, Theorem 2, B.3", "a number of its own, Theorem 2, B.3"),
            (
                "both signs turned: g = <θ, x> - <w, x>, as",
                r"both signs turned: $g = \langle \theta , x\rangle  - \langle w, x\rangle$, as",
            ),
            ("A = e_c e_cᵀ in the c-th", r"$A = e_{c} e_{c}^{\top }$ in the c-th"),
            ("for d = N/10 a step of 8 ln M", r"for $d = N/10$ a step of $8 \ln  M$"),
            ("$x_1$ and y_1", "$x_1$ and y_1"),
            ("", ""),
        ] {
            assert_eq!(with_formulas(plain), set, "{plain}");
        }
    }

    #[test]
    fn no_text_is_lost() {
        for text in ["x_", "a ^ b", "√", "((x_1", "x_1))", "a_{b", "–≤–", "  two  spaces x_1  ", "100 % of x_2 & y"]
        {
            let set = with_formulas(text).replace(['$', ' ', '{', '}'], "");
            assert!(set.len() >= text.replace([' ', '{', '}'], "").len(), "{text}: {set}");
        }
    }
}
