//! The words, marks and colours that verdicts are shown with.

use super::Verdict;
use super::finding::Outcome;

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

/// A background on which white text is readable, distinct for the colour-blind.
pub(crate) fn colour(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "#00694f",
        Verdict::HoldsWithChange => "#005a92",
        Verdict::Fails => "#a83c00",
        Verdict::Inconclusive => "#6d5a00",
        Verdict::NotTested => "#5b6066",
    }
}

pub(crate) fn outcome_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Supports => "✓",
        Outcome::Contradicts => "✗",
        Outcome::Undecided => "?",
    }
}

/// The verdict as a coloured word.
pub(crate) fn badge(verdict: Verdict) -> String {
    format!(
        "<span style=\"background:{};color:#fff;border-radius:3px;padding:1px 7px;white-space:nowrap\">{} {}</span>",
        colour(verdict),
        mark(verdict),
        verdict
    )
}

pub(crate) fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Sends a result to the notebook in two forms.
pub(crate) fn show(html: &str, text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    // A reader that has gone away is not an error of the cell.
    let _ = write!(
        out,
        "EVCXR_BEGIN_CONTENT text/plain\n{text}\nEVCXR_END_CONTENT\nEVCXR_BEGIN_CONTENT text/html\n{html}\nEVCXR_END_CONTENT\n"
    )
    .and_then(|()| out.flush());
}
