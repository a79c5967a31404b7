//! Text on its way into a page: HTML, Markdown and LaTeX, with the equations between dollars left as they are.

use workbench_record::words::{self, Piece, escaped, pieces};

use crate::export::formulas::mathml;

/// Plain words with equations as Markdown, on one line: no line of a text begins a block of its own.
pub fn markdown(text: &str) -> String {
    words::markdown(&text.replace(['\n', '\r'], " "))
}

/// Text inside HTML, on one line, because an empty line ends HTML inside Markdown; dollars stay, so that equations in it are set.
pub fn html(text: &str) -> String {
    workbench_base::text::html(text).replace('\n', " ")
}

/// Plain words with equations as LaTeX. An equation with commands that nobody knows is shown as it is written: LaTeX would carry them
/// out, and some read files.
pub fn latex(text: &str) -> String {
    let written = |piece: Piece| match piece {
        Piece::Math(math) if sets_only(math) => math.to_string(),
        Piece::Math(words) | Piece::Words(words) => escaped(words, |c| match c {
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

/// Whether an equation sets signs and does nothing else: each of its commands has a form in MathML.
fn sets_only(math: &str) -> bool {
    const DEFINE: [&str; 7] = ["^^", "%", "\\def", "\\gdef", "\\let", "\\newcommand", "\\renewcommand"];
    let tex = math.trim_matches('$').replace("\\operatorname*", "\\operatorname");
    let plain = tex.replace("\\%", "");
    !DEFINE.iter().any(|word| plain.contains(word)) && mathml(&tex, false).is_some()
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

/// Whether a page can be called so: its name stands in addresses, and in a script of the theme as it is.
pub fn is_address(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || " -_.+,()".contains(c))
}

/// A table of ready lines that can be scrolled where it is wider than the page.
pub fn table(caption: &str, columns: &[&str], lines: &str) -> String {
    let heads: String = columns
        .iter()
        .map(|column| match column.is_empty() {
            true => "<td></td>".to_string(),
            false => format!("<th scope=\"col\">{}</th>", html(column)),
        })
        .collect();
    format!(
        "<div class=\"wb-table\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table><thead><tr>{heads}</tr></thead>\
         <tbody>{lines}</tbody></table></div>",
        html(caption)
    )
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
    fn no_equation_holds_a_tag_a_line_of_its_own_or_a_command_to_carry_out() {
        let text = "If $a<b$\n<script>, $</p>\n```{raw} html\n$ or $1<2$";
        assert_eq!(markdown(text), r"If $a< b$ \<script\>, $< /p> ```{raw} html $ or $1<2$");
        assert_eq!(latex(r"see $\alpha\le\operatorname*{max}_i x_i$"), r"see $\alpha\le\operatorname*{max}_i x_i$");
        for worst in [
            r"$\input{/etc/passwd}$",
            r"$\text{\input{/etc/passwd}}$",
            r"$$\immediate\write18{ls}$$",
            r"$\begin{input}{/etc/passwd}$",
            r"$^^5cinput{/etc/passwd}$",
            r"$\def\x{\input{/etc/passwd}}$",
            r"$x%\input{/etc/passwd}$",
        ] {
            let said = latex(worst);
            assert!(said.contains("textbackslash") || said.contains("textasciicircum"), "{said}");
            assert!(!said.contains(r"\input") && !said.contains(r"\write"), "{said}");
        }
    }

    #[test]
    fn long_texts_end_with_a_word() {
        assert_eq!(short("Proof of Lemma 3, Eqs. 24-26", 18), "Proof of Lemma 3…");
        assert_eq!(short("Lemma 3", 18), "Lemma 3");
        assert_eq!(short("abcdefghij", 5), "abcd…");
        assert_eq!((name("m/a"), name("a")), ("a", "a"));
    }
}
