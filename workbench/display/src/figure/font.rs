//! The embedded font: text widths and glyph outlines.

use std::sync::OnceLock;

use ab_glyph::{Font as _, FontRef, OutlineCurve, Point};

static BYTES: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");

/// Height of capitals and digits in units of the font size.
pub(crate) const CAP: f64 = 0.729;

fn font() -> &'static FontRef<'static> {
    static FONT: OnceLock<FontRef<'static>> = OnceLock::new();
    // The bytes are part of the program and a test reads them, so parsing cannot fail at run time.
    FONT.get_or_init(|| FontRef::try_from_slice(BYTES).expect("the embedded font is a valid font"))
}

/// Registers the embedded font with plotters under the names `sans-serif`, `serif` and `monospace`, for drawing with
/// plotters directly on a machine without system fonts. Figures do this by themselves.
///
/// ```
/// workbench_display::use_embedded_font();
/// ```
pub fn use_embedded_font() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        for name in ["sans-serif", "serif", "monospace"] {
            for style in [plotters::style::FontStyle::Normal, plotters::style::FontStyle::Bold] {
                // The same bytes were parsed by `font`; a refusal here would only affect direct use of plotters.
                let _ = plotters::style::register_font(name, style, BYTES);
            }
        }
    });
}

/// A character of a laid-out line of text, in units of the font size.
pub(crate) struct Placed {
    pub c: char,
    /// Start along the baseline.
    pub x: f64,
    /// Height of its baseline above that of the text.
    pub rise: f64,
    pub scale: f64,
}

/// Characters of a text in their places, and its width, in units of the font size.
///
/// `^{..}` raises and `_{..}` lowers what is in the braces, so that exponents such as `n^{−1/2}` can be written.
pub(crate) fn place(text: &str) -> (Vec<Placed>, f64) {
    const SMALL: f64 = 0.7;
    let em = units_per_em();
    let mut placed = Vec::with_capacity(text.len());
    let (mut x, mut rise, mut scale) = (0.0, 0.0, 1.0);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if (c == '^' || c == '_') && scale == 1.0 && chars.peek() == Some(&'{') {
            chars.next();
            (rise, scale) = (if c == '^' { 0.36 } else { -0.16 }, SMALL);
            continue;
        }
        if c == '}' && scale < 1.0 {
            (rise, scale) = (0.0, 1.0);
            continue;
        }
        placed.push(Placed { c, x, rise, scale });
        x += advance(c) / em * scale;
    }
    (placed, x)
}

/// Width of a text in the unit of `size`.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    place(text).1 * size
}

pub(crate) fn units_per_em() -> f64 {
    f64::from(font().units_per_em().unwrap_or(2048.0))
}

/// Whether the font can draw a character.
#[cfg(test)]
pub(crate) fn has(c: char) -> bool {
    font().glyph_id(c).0 != 0
}

/// Advance of a character in font units.
pub(crate) fn advance(c: char) -> f64 {
    let font = font();
    f64::from(font.h_advance_unscaled(font.glyph_id(c)))
}

/// One piece of a glyph's outline in font units, y upwards.
pub(crate) enum Stroke {
    Move(f64, f64),
    Line(f64, f64),
    Quad(f64, f64, f64, f64),
    Cubic(f64, f64, f64, f64, f64, f64),
}

/// Outline of a character as closed contours, each beginning with a move; empty for a space.
pub(crate) fn outline(c: char) -> Vec<Stroke> {
    let font = font();
    let Some(outline) = font.outline(font.glyph_id(c)) else {
        return Vec::new();
    };
    let mut strokes = Vec::with_capacity(outline.curves.len() + 4);
    let mut at: Option<Point> = None;
    let xy = |p: &Point| (f64::from(p.x), f64::from(p.y));
    for curve in &outline.curves {
        let (start, end) = match curve {
            OutlineCurve::Line(a, b) => (a, b),
            OutlineCurve::Quad(a, _, b) => (a, b),
            OutlineCurve::Cubic(a, _, _, b) => (a, b),
        };
        if at != Some(*start) {
            let (x, y) = xy(start);
            strokes.push(Stroke::Move(x, y));
        }
        let (x, y) = xy(end);
        strokes.push(match curve {
            OutlineCurve::Line(..) => Stroke::Line(x, y),
            OutlineCurve::Quad(_, c, _) => Stroke::Quad(xy(c).0, xy(c).1, x, y),
            OutlineCurve::Cubic(_, c, d, _) => Stroke::Cubic(xy(c).0, xy(c).1, xy(d).0, xy(d).1, x, y),
        });
        at = Some(*end);
    }
    strokes
}

/// `text` broken at spaces into lines no wider than `most`; a word that is wider alone is cut with "…".
pub(crate) fn wrap(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let longer = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
            if !line.is_empty() && width(&longer, size) > most {
                lines.push(fit(&line, size, most));
                line = word.to_string();
            } else {
                line = longer;
            }
        }
        if !line.is_empty() {
            lines.push(fit(&line, size, most));
        }
    }
    lines
}

/// `text`, shortened with "…" if it is wider than `most`.
pub(crate) fn fit(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    let mut kept: String = text.to_string();
    while kept.pop().is_some() {
        let shorter = format!("{}…", kept.trim_end());
        if width(&shorter, size) <= most {
            return shorter;
        }
    }
    "…".to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_signs_figures_need() {
        for c in "AZaz09 αβγλμσπΩΔ∝≤≥≈×·∞√∑∈±−…–—⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺₀₁₂₉ₙᐟ⁄→↔‖éü∂∇ℝ".chars()
        {
            assert!(has(c), "{c} is missing");
        }
        assert!(!has('漢'));
    }

    #[test]
    fn widths_add_up_and_scale() {
        let one = width("ab", 10.0);
        assert!((one - width("a", 10.0) - width("b", 10.0)).abs() < 1e-9);
        assert!((width("ab", 20.0) - 2.0 * one).abs() < 1e-9);
    }

    #[test]
    fn braces_raise_and_lower_and_other_signs_stay() {
        let (placed, wide) = place("n^{−1/2} + x_{i}^2");
        let text: String = placed.iter().map(|p| p.c).collect();
        assert_eq!(text, "n−1/2 + xi^2");
        assert!(placed[1].rise > 0.0 && placed[1].scale < 1.0 && placed[5].scale == 1.0);
        assert!(placed[9].rise < 0.0 && placed[10].rise == 0.0);
        assert!(wide < width("n−1/2 + xi^2", 1.0));
        // An unclosed brace raises the rest.
        assert_eq!(place("a^{bc").0.len(), 3);
    }

    #[test]
    fn outlines_are_closed_contours() {
        // "8" has one outer contour and two holes.
        let moves = outline('8').iter().filter(|s| matches!(s, Stroke::Move(..))).count();
        assert_eq!(moves, 3);
        assert!(outline(' ').is_empty());
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_word() {
        let text = "a caption of several words that has to be broken into more than one line";
        let lines = wrap(text, 14.0, 150.0);
        assert!(lines.len() > 2 && lines.iter().all(|l| width(l, 14.0) <= 150.0));
        assert_eq!(lines.join(" "), text);
        let cut = fit("averyveryverylongword", 14.0, 60.0);
        assert!(cut.ends_with('…') && width(&cut, 14.0) <= 60.0);
    }
}
