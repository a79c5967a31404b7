//! Letters of drawings, as fine as a screen shows them: outlines drawn in a square of 512 units and not of 2048, with short names.

use std::fmt::Write;

/// How many units of a font become one.
const COARSER: f64 = 4.0;
/// How the display of figures names the outlines of letters.
const NAME: &str = "wb";

/// A drawing of the display with coarser letters and without its description, which nobody sees in a picture; nothing where it has no
/// letters, or others than the display draws.
pub fn lean(drawing: &str) -> Option<String> {
    if !drawing.contains(&format!("<path id=\"{NAME}")) {
        return None;
    }
    let mut parts = drawing.split('<');
    let mut out = parts.next()?.to_string();
    let mut told = false;
    for part in parts {
        told = (told || part.starts_with("desc>")) && !part.starts_with("/desc>");
        if told {
            continue;
        }
        if let Some(rest) = part.strip_prefix("/desc>") {
            out += rest;
            continue;
        }
        out.push('<');
        if let Some(rest) = part.strip_prefix(&format!("path id=\"{NAME}")) {
            let (name, rest) = rest.split_once("\" d=\"")?;
            let (outline, rest) = rest.split_once('"')?;
            let _ = write!(out, "path id=\"{name}\" d=\"{}\"{rest}", coarser(outline)?);
        } else if let Some(rest) = part.strip_prefix(&format!("use href=\"#{NAME}")) {
            let (name, rest) = rest.split_once('"')?;
            let _ = write!(out, "use href=\"#{name}\"");
            if rest.starts_with(" x=\"") {
                out += &scaled(rest, " x=\"", '"', 1.0 / COARSER)?;
            } else if rest.starts_with(" transform=\"translate(") {
                out += &moved(rest)?;
            } else {
                out += rest;
            }
        } else if part.starts_with("g fill=") && part.contains("scale(") {
            out += &scaled(part, "scale(", ')', COARSER)?;
        } else {
            out += part;
        }
    }
    Some(out)
}

/// A text whose number between `open` and `close` is multiplied.
fn scaled(text: &str, open: &str, close: char, factor: f64) -> Option<String> {
    let (before, rest) = text.split_once(open)?;
    let (number, after) = rest.split_once(close)?;
    Some(format!("{before}{open}{}{close}{after}", written(factor * number.parse::<f64>().ok()?)))
}

/// A letter that is set higher or lower: its place, in units of the font.
fn moved(rest: &str) -> Option<String> {
    let (before, inside) = rest.split_once("translate(")?;
    let (place, after) = inside.split_once(')')?;
    let (x, y) = place.split_once(' ')?;
    let [x, y] = [x, y].map(|number| number.parse::<f64>().ok().map(|number| written(number / COARSER)));
    Some(format!("{before}translate({} {}){after}", x?, y?))
}

/// A number with at most six digits behind the point, none where it is large, and without the zero before it.
fn written(x: f64) -> String {
    let text = if x.abs() >= 100.0 { format!("{x:.0}") } else { format!("{x:.6}") };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text.strip_prefix("0.") {
        Some(digits) => format!(".{digits}"),
        None => text.to_string(),
    }
}

/// An outline of `M`, and of `l`, `q` and `z` from where the last piece ended: each place is rounded by itself, so errors do not add up.
fn coarser(outline: &str) -> Option<String> {
    let (mut exact, mut drawn) = ((0.0, 0.0), (0.0, 0.0));
    let mut out = String::new();
    let starts = outline.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([outline.len()]);
    for (from, to) in starts.zip(ends) {
        let (command, numbers) = (&outline[from..from + 1], numbers(&outline[from + 1..to])?);
        let places: Vec<(f64, f64)> = numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let round = |(x, y): (f64, f64)| ((x / COARSER).round(), (y / COARSER).round());
        let ahead = |by: (f64, f64)| (exact.0 + by.0, exact.1 + by.1);
        let step = |to: (f64, f64)| (to.0 - drawn.0, to.1 - drawn.1);
        let end = match (command, &places[..]) {
            ("z", []) => {
                out.push('z');
                continue;
            }
            ("M", [to]) => {
                let (x, y) = round(*to);
                let _ = write!(out, "M{}", joined(&[x, y]));
                *to
            }
            ("l", [by]) => {
                match step(round(ahead(*by))) {
                    (0.0, 0.0) => {}
                    (0.0, y) => out += &format!("v{y}"),
                    (x, 0.0) => out += &format!("h{x}"),
                    (x, y) => out += &format!("l{}", joined(&[x, y])),
                }
                ahead(*by)
            }
            ("q", [bend, by]) => {
                let (bend, to) = (step(round(ahead(*bend))), step(round(ahead(*by))));
                let _ = write!(out, "q{}", joined(&[bend.0, bend.1, to.0, to.1]));
                ahead(*by)
            }
            _ => return None,
        };
        (exact, drawn) = (end, round(end));
    }
    Some(out)
}

/// Numbers apart by blanks or signs.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let spaced = text.replace('-', " -");
    spaced.split_whitespace().map(|number| number.parse().ok()).collect()
}

/// Whole numbers; a sign keeps them apart as well as a blank.
fn joined(numbers: &[f64]) -> String {
    let mut out = String::new();
    for number in numbers {
        // Minus zero is written as zero.
        let text = format!("{}", number + 0.0);
        if !out.is_empty() && !text.starts_with('-') {
            out.push(' ');
        }
        out += &text;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_rounded_and_their_errors_do_not_add_up() {
        assert_eq!(coarser("M8 -4l4 0l0 8l-4 0z").unwrap(), "M2-1h1v2h-1z");
        assert_eq!(coarser("M0 0q4 4 8 0l0 0z").unwrap(), "M0 0q1 1 2 0z");
        // Forty steps of 1.5 units are fifteen of four.
        let steps = format!("M0 0{}", "l1.5 0".repeat(40));
        let drawn: f64 = coarser(&steps).unwrap().split('h').skip(1).map(|step| step.parse::<f64>().unwrap()).sum();
        assert_eq!(drawn, 15.0);
        assert_eq!(coarser("M0 0c1 1 2 2 3 3z"), None);
    }

    #[test]
    fn a_drawing_keeps_its_places() {
        let drawing = "<svg><title>t</title><desc>x < y</desc><defs><path id=\"wb41\" d=\"M8 -4l4 0z\"/></defs>\
                       <g fill=\"#222\" transform=\"translate(10 30.7)scale(.010413)\"><use href=\"#wb41\"/>\
                       <use href=\"#wb41\" x=\"2025\"/><use href=\"#wb41\" transform=\"translate(800 -400)scale(.7)\"/></g></svg>";
        let lean = lean(&drawing.replace("x < y", "x")).unwrap();
        assert_eq!(
            lean,
            "<svg><title>t</title><defs><path id=\"41\" d=\"M2-1h1z\"/></defs>\
             <g fill=\"#222\" transform=\"translate(10 30.7)scale(.041652)\"><use href=\"#41\"/>\
             <use href=\"#41\" x=\"506\"/><use href=\"#41\" transform=\"translate(200 -100)scale(.7)\"/></g></svg>"
        );
        assert_eq!(super::lean("<svg><path d=\"M0 0\"/></svg>"), None);
    }
}
