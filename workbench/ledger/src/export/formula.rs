//! Formulas, once they are known to be sound, in the form that LaTeX and Markdown take.

use super::vocabulary::{OPERATORS, among};
use workbench_record::signs;

/// A formula in pieces: a command with its backslash, or one sign.
pub(super) fn pieces(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let mut length = first.len_utf8();
        if first == '\\' {
            let name = &rest[1..];
            length += match name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len()) {
                0 => name.chars().next().map_or(0, char::len_utf8),
                letters => letters,
            };
        }
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(piece)
    })
}

/// A sound formula for LaTeX, in ASCII.
pub(super) fn for_latex(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut in_script = false;
    for piece in pieces(source) {
        let command = piece.chars().next().and_then(signs::in_math).unwrap_or(piece);
        let bare = !command.starts_with('\\') || (!in_script && !command.contains('{'));
        let known = piece.strip_prefix('\\').is_some_and(|name| !among(OPERATORS, name));
        append(&mut out, &if bare || known { command.to_string() } else { format!("{{{command}}}") });
        in_script = piece == "^" || piece == "_" || (in_script && piece.trim().is_empty());
    }
    out
}

/// The formula for Markdown: without the signs that a table (`|`), emphasis (`*`) or tags (`<`) would take, and without escapes
/// of punctuation, which some readers of Markdown resolve before the formula is seen.
pub(super) fn for_markdown(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for piece in pieces(source) {
        append(
            &mut out,
            match piece {
                "\\|" => "\\Vert",
                "\\{" => "\\lbrace",
                "\\}" => "\\rbrace",
                "\\," => "\\thinspace",
                "\\;" | "\\:" | "\\>" => "\\enspace",
                "\\!" => "",
                "\\\\" => "\\cr",
                "|" => "\\vert",
                "<" => "\\lt",
                ">" => "\\gt",
                "*" => "\\ast",
                same => same,
            },
        );
    }
    out
}

/// Appends a piece; a command ends where no letter follows.
fn append(out: &mut String, piece: &str) {
    if piece.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let letters = out.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        // An even number of backslashes is line breaks, of which none is open.
        let slashes = letters.len() - letters.trim_end_matches('\\').len();
        if slashes % 2 == 1 && letters.len() < out.len() {
            out.push(' ');
        }
    }
    out.push_str(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latex_gets_braces_and_commands() {
        assert_eq!(for_latex("x_\\max^\\top+y_i"), "x_{\\max}^\\top+y_i");
        assert_eq!(for_latex("ρx≤1^α"), "\\rho x\\le1^{\\alpha}");
        assert_eq!(for_latex("\\hat ℝ\\mathbf x"), "\\hat {\\mathbb{R}}\\mathbf x");
    }

    #[test]
    fn markdown_sees_no_sign_of_its_own() {
        assert_eq!(for_markdown("\\|x\\|<|y|, a^*"), "\\Vert x\\Vert\\lt\\vert y\\vert, a^\\ast");
        assert_eq!(for_markdown("\\{a,\\,b\\}"), "\\lbrace a,\\thinspace b\\rbrace");
        assert_eq!(for_markdown("\\mathbf x_i\\%"), "\\mathbf x_i\\%");
        assert_eq!(for_markdown("\\begin{matrix}1\\\\2\\end{matrix}"), "\\begin{matrix}1\\cr2\\end{matrix}");
        assert_eq!(for_markdown("x\\"), "x\\");
    }
}
