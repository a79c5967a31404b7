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

/// A background on which white text is readable. Any two are told apart by those who see fewer colours, too; a misprint is not a refutation.
pub(crate) fn colour(row: &Row) -> &'static str {
    match (row.verdict, row.kind) {
        (Verdict::Holds, _) => "#124d3e",
        (Verdict::HoldsWithChange, Some(Kind::Misprint)) => "#3c32ad",
        (Verdict::HoldsWithChange, Some(Kind::Weaker)) => "#a42bea",
        (Verdict::HoldsWithChange, _) => "#387398",
        (Verdict::Fails, _) => "#793003",
        (Verdict::Inconclusive, Some(Kind::Against)) => "#9a6b11",
        (Verdict::Inconclusive, _) => "#6e6740",
        (Verdict::NotTested, _) => "#676d71",
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

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_record::Scale;

    /// What the light of a colour becomes in eyes without the red, the green or the blue cones (Machado, Oliveira and Fernandes, 2009).
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    /// Red, green and blue as amounts of light.
    fn light(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn through(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0))
    }

    /// CIE Lab, in which a distance of 2.3 can just be seen side by side.
    fn lab(v: [f64; 3]) -> [f64; 3] {
        const XYZ: [[f64; 3]; 3] = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]];
        let [x, y, z] = through(&XYZ, v).map(|t| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn white_words_are_read_on_every_colour_and_no_two_look_alike_to_anybody() {
        let kinds = [
            (Verdict::Holds, None),
            (Verdict::HoldsWithChange, Some(Kind::Misprint)),
            (Verdict::HoldsWithChange, Some(Kind::Weaker)),
            (Verdict::HoldsWithChange, Some(Kind::Step)),
            (Verdict::Fails, None),
            (Verdict::Inconclusive, Some(Kind::Against)),
            (Verdict::Inconclusive, Some(Kind::Undecided)),
            (Verdict::NotTested, None),
        ];
        let rows = kinds.map(|(verdict, kind)| Row { verdict, kind, ..Row::blank("m/a", Scale::Quick, 1) });
        for (at, row) in rows.iter().enumerate() {
            let of = light(colour(row));
            let contrast = 1.05 / (0.2126 * of[0] + 0.7152 * of[1] + 0.0722 * of[2] + 0.05);
            assert!(contrast >= 4.5, "{contrast} under the words of {}", badge(row));
            for (other, eye) in rows[..at].iter().flat_map(|other| EYES.map(|eye| (other, eye))) {
                let [a, b] = [row, other].map(|row| lab(through(&eye, light(colour(row)))));
                let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                assert!(apart >= 12.0, "{apart} between {} and {}", badge(row), badge(other));
                assert_ne!(badge(row).split('>').nth(1), badge(other).split('>').nth(1), "words tell them apart, too");
            }
        }
    }
}
