//! Text on its way into a page: HTML, Markdown and LaTeX, with the equations between dollars left as they are.

pub use workbench_record::words::markdown;
use workbench_record::words::{Piece, escaped, pieces};

/// Text inside HTML, on one line, because an empty line ends HTML inside Markdown; dollars stay, so that equations in it are set.
pub fn html(text: &str) -> String {
    crate::text::html(text).replace('\n', " ")
}

/// Plain words with equations as LaTeX.
pub fn latex(text: &str) -> String {
    let written = |piece: Piece| match piece {
        Piece::Math(math) => math.to_string(),
        Piece::Words(words) => escaped(words, |c| match c {
            '\\' => Some("\\textbackslash{}".to_string()),
            '~' => Some("\\textasciitilde{}".to_string()),
            '^' => Some("\\textasciicircum{}".to_string()),
            '<' | '>' | '|' => Some(format!("${c}$")),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => Some(format!("\\{c}")),
            _ => None,
        }),
    };
    pieces(text).into_iter().map(written).collect()
}

/// The beginning of a text, at most so many characters, at the end of a word where there is one.
pub fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    let cut: String = text.chars().take(most.saturating_sub(1)).collect();
    let whole = text[cut.len()..].starts_with(' ');
    let kept = match cut.rfind(' ') {
        Some(at) if !whole && at > cut.len() / 2 => &cut[..at],
        _ => &cut,
    };
    format!("{}…", kept.trim_end_matches([',', ' ', ':']))
}

/// The name of a claim without its document.
pub fn name(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_left_alone_and_words_are_escaped() {
        let text = r"If $a_1<b$ then 5 % of *x_2* & $$\sum_i$$ cost $3";
        assert_eq!(latex(text), r"If $a_1<b$ then 5 \% of *x\_2* \& $$\sum_i$$ cost \$3");
        assert_eq!(html("a < b\n& c"), "a &lt; b &amp; c");
    }

    #[test]
    fn long_texts_end_with_a_word() {
        assert_eq!(short("Proof of Lemma 3, Eqs. 24-26", 18), "Proof of Lemma 3…");
        assert_eq!(short("Lemma 3", 18), "Lemma 3");
        assert_eq!(short("abcdefghij", 5), "abcd…");
        assert_eq!((name("m/a"), name("a")), ("a", "a"));
    }
}
