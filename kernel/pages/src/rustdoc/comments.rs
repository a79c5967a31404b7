//! The formulas of doc comments, by what Markdown leaves of them on a page.
//!
//! Markdown takes `\,` for a comma, and `_` and `*` for emphasis, so a page does not hold the formula any more. The sources do: a formula
//! is looked up by what is the same on both sides.

use std::collections::HashMap;
use std::path::PathBuf;

use super::below;
use crate::export::formulas::{decoded, mathml};
use workbench_base::error::{Error, Result};

/// The formulas of all doc comments, set.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    set: HashMap<(String, bool), (String, String)>,
    wrong: Vec<String>,
}

impl Formulas {
    /// Reads all sources below these folders.
    ///
    /// # Errors
    /// If a source cannot be read.
    pub fn read(folders: &[PathBuf]) -> Result<Formulas> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for folder in folders {
            below(folder, "rs", &mut paths)?;
        }
        let mut formulas = Formulas::default();
        for path in paths {
            let source = std::fs::read_to_string(&path).map_err(|source| Error::io("read", &path, source))?;
            formulas.add(&path.display().to_string(), &source);
        }
        Ok(formulas)
    }

    /// Takes in the formulas of a source.
    pub fn add(&mut self, place: &str, source: &str) {
        for comment in comments(source) {
            for (tex, display) in formulas_of(&comment) {
                self.add_formula(place, &tex, display);
            }
        }
    }

    fn add_formula(&mut self, place: &str, tex: &str, display: bool) {
        // A comment may have `&lt;` where Markdown would see a tag.
        let tex = &decoded(tex);
        let Some(math) = mathml(tex, display) else {
            return self.wrong.push(format!("{place}: not all of this is known: {tex}"));
        };
        let key = (seen(&unescaped(tex)), display);
        match self.set.get(&key) {
            Some((other, known)) if *known != math => {
                let text = format!("{place}: on a page this looks like another formula: {tex} and {other}");
                self.wrong.push(text);
            }
            _ => {
                self.set.insert(key, (tex.clone(), math));
            }
        }
    }

    /// The MathML of a formula that a page shows so, with `$$` around it or `$`.
    pub fn mathml(&self, shown: &str, display: bool) -> Option<&str> {
        let found = self.set.get(&(seen(shown), display));
        found.map(|(_, math)| math.as_str())
    }

    /// Formulas that cannot be set, each with its place.
    pub fn wrong(&self) -> &[String] {
        &self.wrong
    }
}

/// What is the same in a formula and in what a page shows of it: all but spaces, signs of emphasis, and the forms of quotes and dashes.
fn seen(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '_' | '*' | '~' => {}
            '\u{2018}' | '\u{2019}' => out.push('\''),
            '\u{201c}' | '\u{201d}' => out.push('"'),
            '\u{2013}' => out.push_str("--"),
            '\u{2014}' => out.push_str("---"),
            '\u{2026}' => out.push_str("..."),
            c if c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

/// The text without the backslashes that Markdown takes away.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, signs.peek()) {
            ('\\', Some(next)) if next.is_ascii_punctuation() => out.extend(signs.next()),
            _ => out.push(sign),
        }
    }
    out
}

/// The doc comments of a source, each paragraph by itself and without code blocks.
fn comments(source: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut fenced = false;
    for line in source.lines() {
        let line = line.trim_start();
        let doc = match line.strip_prefix("///") {
            Some(doc) if !doc.starts_with('/') => Some(doc),
            _ => line.strip_prefix("//!"),
        };
        let text = doc.map_or("", str::trim);
        if doc.is_none() {
            fenced = false;
        }
        if text.starts_with("```") {
            fenced = !fenced;
        }
        match paragraphs.last_mut() {
            Some(last) if !text.is_empty() && !fenced && !text.starts_with("```") => {
                last.push_str(text);
                last.push('\n');
            }
            Some(last) if last.is_empty() => {}
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs
}

/// The formulas of a paragraph, and whether each stands on a line of its own; dollars in code are none.
fn formulas_of(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '$', '\\']) {
        let from = &rest[at..];
        let run = |sign: char| from.len() - from.trim_start_matches(sign).len();
        rest = match from.as_bytes()[0] {
            b'\\' => from.get(2..).unwrap_or(""),
            b'`' => {
                let ticks = &from[..run('`')];
                let inner = &from[ticks.len()..];
                inner.find(ticks).map_or(inner, |end| &inner[end + ticks.len()..])
            }
            _ => {
                let sign = if run('$') > 1 { "$$" } else { "$" };
                let inner = &from[sign.len()..];
                match inner.find(sign) {
                    Some(end) => {
                        found.push((inner[..end].trim().to_owned(), sign == "$$"));
                        &inner[end + sign.len()..]
                    }
                    None => inner,
                }
            }
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_those_of_doc_comments_outside_of_code() {
        let source = "/// Let $a_i$ and `$no$`, \\$5.\n/// $$ x\n///   = y $$\n///\n/// ```\n/// let s = \"$b$\";\n/// ```\n/// And $c$.\n// $d$\nfn f() { \"$e$\" }\n    //! $g$\n";
        let found: Vec<_> = comments(source).iter().flat_map(|text| formulas_of(text)).collect();
        let formula = |text: &str, display| (text.to_owned(), display);
        assert_eq!(found, [formula("a_i", false), formula("x\n= y", true), formula("c", false), formula("g", false)]);
    }

    #[test]
    fn a_page_and_its_source_have_one_key() {
        assert_eq!(seen(&unescaped("a\\,b_{i}^* - x'")), seen("a,b{i}^ - x\u{2019}"));
        let mut formulas = Formulas::default();
        formulas.add("a.rs", "/// $a\\,b$ and $a\\, b$");
        assert!(formulas.wrong().is_empty(), "{formulas:?}");
        assert!(formulas.mathml("a,b", false).is_some() && formulas.mathml("a,b", true).is_none());
        formulas.add("c.rs", "/// $a&lt;b$");
        assert!(formulas.mathml("a<b", false).is_some_and(|math| math.contains("<mo>&lt;</mo>")), "{formulas:?}");
        formulas.add("b.rs", "/// $a,b$ and $\\nosuchcommand$");
        assert_eq!(formulas.wrong().len(), 2, "{formulas:?}");
    }
}
