//! Formulas for readers without scripts: beside the TeX that MathJax sets stands the same formula in MathML, which browsers set by
//! themselves and show only where no script runs.

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Parser, Storage, push_mathml};

/// Elements whose text is none to MathJax either, and drawings.
const LEFT_ALONE: [&str; 8] = ["script", "style", "pre", "code", "textarea", "noscript", "svg", "math"];
/// What the template's style hides where no script runs.
const TEX: &str = "workbench-tex";

/// The page with MathML beside every formula of its body. A formula that has none keeps its TeX alone.
pub fn with_mathml(page: &str) -> String {
    let mut out = String::with_capacity(page.len() + page.len() / 8);
    let begin = page.find("<body").unwrap_or(page.len());
    out.push_str(&page[..begin]);
    let mut rest = &page[begin..];
    while let Some(open) = rest.find('<') {
        out.push_str(&set(&rest[..open]));
        rest = &rest[open..];
        let end = element_end(rest);
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    out.push_str(&set(rest));
    out
}

/// Where a tag ends, or the whole element if its text is left alone, or a comment. `text` begins with `<`.
pub(crate) fn element_end(text: &str) -> usize {
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |end| end + 3);
    }
    let mut quote = None;
    let tag = text.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            _ => {}
        }
        None
    });
    let Some(tag) = tag else {
        return text.len();
    };
    let name: String = text[1..tag].chars().take_while(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    if !LEFT_ALONE.contains(&name.as_str()) || text[..tag].ends_with("/>") {
        return tag;
    }
    let closes = |at: &usize| {
        let closing = text[at + 2..].get(..name.len());
        closing.is_some_and(|closing| closing.eq_ignore_ascii_case(&name))
    };
    let ends = text[tag..].match_indices("</").map(|(at, _)| tag + at);
    ends.into_iter().find(closes).unwrap_or(text.len())
}

/// A text with its formulas in both forms.
fn set(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('$') {
        let sign = if rest[open..].starts_with("$$") { "$$" } else { "$" };
        let inner = &rest[open + sign.len()..];
        let close = inner.match_indices(sign).map(|(at, _)| at).find(|at| !inner[..*at].ends_with('\\'));
        let escaped = rest[..open].ends_with('\\');
        match close {
            Some(close) if !escaped => {
                let end = open + 2 * sign.len() + close;
                out.push_str(&rest[..open]);
                match mathml(&decoded(&inner[..close]), sign == "$$") {
                    Some(math) => out.push_str(&format!(
                        "<span class=\"{TEX}\">{}</span><noscript>{math}</noscript>",
                        &rest[open..end]
                    )),
                    None => out.push_str(&rest[open..end]),
                }
                rest = &rest[end..];
            }
            _ => {
                out.push_str(&rest[..open + 1]);
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The characters that a text of HTML stands for, of those that are escaped in formulas.
pub(crate) fn decoded(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign))
}

/// A formula in MathML; none if the converter does not know all of it. Its number, as in `\tag{3}`, stands behind it.
pub(crate) fn mathml(tex: &str, display: bool) -> Option<String> {
    let (body, number) = match tex.split_once("\\tag{") {
        Some((body, rest)) => {
            let (number, after) = rest.split_once('}')?;
            if number.contains('\\') {
                return None;
            }
            (format!("{body}{after}"), Some(number))
        }
        None => (tex.to_owned(), None),
    };
    let storage = Storage::new();
    let events: Vec<_> = Parser::new(&body, &storage).collect();
    if events.iter().any(Result::is_err) {
        return None;
    }
    let config = RenderConfig {
        display_mode: if display { DisplayMode::Block } else { DisplayMode::Inline },
        ..RenderConfig::default()
    };
    let mut math = String::new();
    push_mathml(&mut math, events.into_iter(), config).ok()?;
    // `\operatorname*` and its like come out as their own source.
    if math.contains('\\') {
        return None;
    }
    // The converter writes these signs as they are.
    let mut math = math.replace("><<", ">&lt;<").replace(">&<", ">&amp;<");
    if !is_plain(&math) {
        return None;
    }
    if let Some(number) = number {
        math.push_str(&format!(" ({})", workbench_base::text::html(number)));
    }
    Some(math)
}

/// Whether a text is elements of MathML and nothing else: no tag that a word of the formula could have made, no address, no script.
fn is_plain(math: &str) -> bool {
    math.split('<').skip(1).all(|part| {
        let Some((tag, _)) = part.split_once('>') else {
            return false;
        };
        let tag = tag.trim_start_matches('/');
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        let named =
            name.starts_with('m') && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        named && ![" on", "href", "src"].iter().any(|word| tag.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_a_formula_becomes_an_element() {
        let worst = r"</noscript><img src=x onerror=alert(1)>";
        for tex in [
            format!(r"\text{{{worst}}}"),
            format!(r"\mathrm{{{worst}}}"),
            format!(r"\operatorname{{{worst}}}"),
            format!(r"x\tag{{{worst}}}"),
            worst.to_string(),
            r"\href{javascript:alert(1)}{x}".to_string(),
            r"\not<x".to_string(),
        ] {
            let page = format!("<body>${}$</body>", workbench_base::text::html(&tex));
            let set = with_mathml(&page);
            assert!(!set.contains("<img") && !set.contains("href="), "{tex}: {set}");
            assert_eq!(set.matches("</noscript>").count(), set.matches("<noscript>").count(), "{tex}: {set}");
        }
        assert!(is_plain("<math display=\"block\"><mi>x</mi><mspace width=\"1em\" /></math>"));
        for text in ["<math><img></math>", "<mi onclick=\"x\">a</mi>", "<mi href=\"x\">a</mi>", "<mi", "<mi><</mi>"] {
            assert!(!is_plain(text), "{text}");
        }
    }

    #[test]
    fn formulas_of_the_body_get_mathml_and_code_keeps_its_dollars() {
        let page = "<head><title>$a$</title></head><body><p title=\"$b$ > c\">let $x<y$ and \\$5, $$\\frac12\\tag{3.1}$$</p>\
                    <pre>$c$</pre><script>if (a < b) '$d$'</script><!-- $e$ --></body>";
        let page = page.replace("x<y", "x&lt;y");
        let set = with_mathml(&page);
        assert_eq!(set.matches("<math").count(), 2, "{set}");
        assert!(set.contains("<span class=\"workbench-tex\">$x&lt;y$</span><noscript><math"), "{set}");
        assert!(set.contains("<mo>&lt;</mo>"), "{set}");
        assert!(set.contains("<mfrac>") && set.contains("</math> (3.1)</noscript>"), "{set}");
        for kept in ["<title>$a$</title>", "\"$b$ > c\"", "\\$5", "<pre>$c$</pre>", "'$d$'", "<!-- $e$ -->"] {
            assert!(set.contains(kept), "{kept}: {set}");
        }
    }

    #[test]
    fn what_the_converter_does_not_know_and_what_is_no_formula_stays() {
        for text in [
            "<body>$\\nosuchcommand$</body>",
            "<body>$\\operatorname*{arg\\,min}_W\\sum_i x_i$</body>",
            "<body>5 $ and no more</body>",
            "<body>a < b",
            "",
            "<body><!-- $a$",
        ] {
            assert_eq!(with_mathml(text), text);
        }
    }
}
