//! The words, marks and colours that verdicts are shown with.

use workbench_record::{Kind, Outcome, Row, Verdict};

use workbench_display::{Bundle, Mime, emit, escape};

/// A mark that tells verdicts apart without colour.
pub(crate) fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "✓",
        Verdict::HoldsWithChange => "≈",
        Verdict::Fails => "✗",
        Verdict::Inconclusive => "?",
        Verdict::NotTested => "–",
    }
}

/// A background on which white text is readable, distinct for the colour-blind; a misprint is not a refutation.
pub(crate) fn colour(row: &Row) -> &'static str {
    match (row.verdict, row.kind) {
        (Verdict::Holds, _) => "#00694f",
        (Verdict::HoldsWithChange, Some(Kind::Misprint)) => "#00646e",
        (Verdict::HoldsWithChange, Some(Kind::Weaker)) => "#6a3d9a",
        (Verdict::HoldsWithChange, _) => "#005a92",
        (Verdict::Fails, _) => "#a83c00",
        (Verdict::Inconclusive, Some(Kind::Against)) => "#8a4b00",
        (Verdict::Inconclusive, _) => "#6d5a00",
        (Verdict::NotTested, _) => "#5b6066",
    }
}

/// Where the text of a column stands.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Left,
    /// At the left, on one line.
    Short,
    /// At the right, on one line, as numbers do.
    Right,
}

/// A table of ready HTML cells, with a name for those who do not see it. Colour and spacing are said on every element, since viewers
/// strip style sheets. The first column with a heading names its row.
pub(crate) fn table(name: &str, columns: &[(&str, Side)], rows: &[Vec<String>]) -> String {
    let names = columns.iter().position(|(heading, _)| !heading.is_empty());
    let line = |head: bool, cells: &[String]| {
        let mut out = String::from("<tr>");
        for (at, ((_, side), cell)) in columns.iter().zip(cells).enumerate() {
            let side = match side {
                Side::Left => "left",
                Side::Short => "left;white-space:nowrap",
                Side::Right => "right;white-space:nowrap",
            };
            let tag = if head && !cell.is_empty() { "th" } else { "td" };
            let role = if !head && Some(at) == names { " role=\"rowheader\"" } else { "" };
            out += &format!("<{tag}{role} style=\"text-align:{side};padding:2px 12px 2px 0\">{cell}</{tag}>");
        }
        out + "</tr>"
    };
    let head: Vec<String> = columns.iter().map(|(name, _)| escape::html(name)).collect();
    let body: String = rows.iter().map(|cells| line(false, cells)).collect();
    format!(
        "<table aria-label=\"{}\" style=\"color:inherit;margin:4px 0\"><thead>{}</thead><tbody>{body}</tbody></table>",
        escape::html(name),
        line(true, &head)
    )
}

pub(crate) fn outcome_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Supports => "✓",
        Outcome::Contradicts => "✗",
        Outcome::Undecided => "?",
    }
}

/// The verdict as a coloured word; a change by its kind.
pub(crate) fn badge(row: &Row) -> String {
    let word = row.verdict.word(row.kind);
    format!(
        "<span style=\"background:{};color:#fff;border-radius:3px;padding:1px 7px;white-space:nowrap\">{} {word}</span>",
        colour(row),
        mark(row.verdict),
    )
}

/// Sends a result to the notebook in two forms.
pub(crate) fn show(html: &str, text: &str) {
    emit(&Bundle::new(text).with(Mime::Html, html));
}
