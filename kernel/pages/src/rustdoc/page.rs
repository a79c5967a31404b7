//! A page of rustdoc with its formulas set.

use super::comments::Formulas;
use crate::export::formulas::{decoded, element_end};

/// Elements that Markdown makes of signs inside formulas.
const INLINE: [&str; 4] = ["em", "strong", "del", "a"];

/// Fonts with the sizes of brackets, of those that systems have. rustdoc gives each paragraph a scroll bar of its own where a line is
/// higher than the text's; here the paragraph grows, and only what is too wide scrolls.
const STYLE: &str = "<style>math{font-family:\"Latin Modern Math\",\"STIX Two Math\",\"Cambria Math\",\"TeX Gyre Termes Math\",\
    \"DejaVu Math TeX Gyre\",math}.docblock>p:has(math){overflow-y:hidden;padding-block:.2em}</style>";

/// A page, and what became of its formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typeset {
    /// The page.
    pub text: String,
    /// How many formulas were set.
    pub set: usize,
    /// Where a dollar still stands: its beginning.
    pub left: Vec<String>,
}

/// The page with its formulas in MathML. Code, and formulas that are set already, stay as they are.
pub fn typeset(page: &str, formulas: &Formulas) -> Typeset {
    let begin = page.find("<body").unwrap_or(page.len());
    let mut out = Typeset::default();
    let mut owed = Owed::default();
    let mut rest = &page[begin..];
    while let Some(at) = rest.find(['<', '$']) {
        out.text.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('<') {
            let end = element_end(rest);
            if !owed.takes(&rest[..end]) {
                out.text.push_str(&rest[..end]);
            }
            rest = &rest[end..];
            continue;
        }
        let sign = if rest.starts_with("$$") { "$$" } else { "$" };
        let found = formula(rest, sign);
        let math = found.as_ref().and_then(|found| formulas.mathml(&found.shown, sign == "$$"));
        match (found, math) {
            (Some(found), Some(math)) => {
                out.text.push_str(math);
                found.tags.iter().for_each(|tag| owed.drop(tag, &mut out.text));
                out.set += 1;
                rest = &rest[found.length..];
            }
            _ => {
                let text: String = rest.chars().take(60).collect();
                out.left.push(text.replace('\n', " "));
                out.text.push_str(sign);
                rest = &rest[sign.len()..];
            }
        }
    }
    out.text.push_str(rest);
    let head = &page[..begin];
    let head = match out.set > 0 && !head.contains(STYLE) {
        true => head.replacen("</head>", &format!("{STYLE}</head>"), 1),
        false => head.to_owned(),
    };
    out.text.insert_str(0, &head);
    out
}

/// A formula as a page has it.
struct Shown<'a> {
    /// From the first dollar to behind the last.
    length: usize,
    shown: String,
    /// The tags inside.
    tags: Vec<&'a str>,
}

/// The formula that begins here; it ends in the paragraph in which it begins.
fn formula<'a>(text: &'a str, sign: &str) -> Option<Shown<'a>> {
    let (mut at, mut shown, mut tags) = (sign.len(), String::new(), Vec::new());
    loop {
        let next = at + text[at..].find(['<', '$'])?;
        shown.push_str(&decoded(&text[at..next]));
        if text[next..].starts_with(sign) {
            return Some(Shown { length: next + sign.len(), shown, tags });
        }
        let tag = &text[next..next + element_end(&text[next..])];
        name(tag)?;
        tags.push(tag);
        at = next + tag.len();
    }
}

/// The name of an inline element's tag, and whether it closes.
fn name(tag: &str) -> Option<(&'static str, bool)> {
    let inner = tag.strip_prefix('<')?.strip_suffix('>')?;
    let (word, closes) = inner.strip_prefix('/').map_or((inner, false), |word| (word, true));
    let word = word.split_whitespace().next()?;
    let known = INLINE.into_iter().find(|name| *name == word)?;
    Some((known, closes))
}

/// Tags whose other half was inside a formula: emphasis may begin in one and end in the next.
#[derive(Default)]
struct Owed(Vec<&'static str>);

impl Owed {
    /// A tag inside a formula goes; a closing one whose opening one stands on the page stays behind it.
    fn drop(&mut self, tag: &str, page: &mut String) {
        match name(tag) {
            Some((name, false)) => self.0.push(name),
            Some(_) if !self.takes(tag) => page.push_str(tag),
            _ => {}
        }
    }

    /// Whether this tag closes one that went.
    fn takes(&mut self, tag: &str) -> bool {
        let Some((name, true)) = name(tag) else { return false };
        let open = self.0.iter().rposition(|open| *open == name);
        open.map(|at| self.0.remove(at)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formulas(comment: &str) -> Formulas {
        let mut formulas = Formulas::default();
        formulas.add("a.rs", comment);
        assert!(formulas.wrong().is_empty(), "{formulas:?}");
        formulas
    }

    #[test]
    fn what_markdown_took_from_a_formula_comes_back() {
        let known = formulas("/// $\\mathbf x_i\\,y$ and $\\{z\\}_k<w_j$: $$ a'=\\tfrac12 $$");
        let page = "<title>$a$</title></head><body title=\"$b$\"><p>$\\mathbf x<em>i,y$ and ${z}_k&lt;w</em>j$: $$ a’=\\tfrac12 $$</p>\
                    <pre>$c$</pre><code>$d$</code>";
        let set = typeset(page, &known);
        assert_eq!((set.set, set.left.len()), (3, 0), "{set:?}");
        assert!(!set.text.contains("em>"), "{}", set.text);
        assert!(set.text.contains("</math> and <math"), "{}", set.text);
        assert!(set.text.contains("display=\"block\""), "{}", set.text);
        for kept in ["<title>$a$</title>", "\"$b$\"", "<pre>$c$</pre>", "<code>$d$</code>"] {
            assert!(set.text.contains(kept), "{kept}: {}", set.text);
        }
        assert!(set.text.contains(&format!("</title>{STYLE}</head>")), "{}", set.text);
        assert_eq!(typeset(&set.text, &known).text, set.text, "set once");
    }

    #[test]
    fn a_tag_never_stands_alone() {
        let known = formulas("/// $a_b$ $c_d$");
        let set = typeset("<body><p><em>so $a</em>b$, $c<em>d$ and</em> on", &known);
        assert!(set.text.contains("<em>so <math"), "{}", set.text);
        assert_eq!(set.text.matches("<em>").count(), 1, "{}", set.text);
        assert_eq!(set.text.matches("</em>").count(), 1, "{}", set.text);
    }

    #[test]
    fn what_is_no_formula_of_the_sources_is_told() {
        let known = formulas("/// $a$");
        let set = typeset("<body><p>5 $ and $b$, or $a</p><p>$</p>", &known);
        assert_eq!(set.set, 0);
        assert_eq!(set.left.len(), 5, "{set:?}");
        assert_eq!(set.text, "<body><p>5 $ and $b$, or $a</p><p>$</p>");
    }
}
