//! A plotters backend that writes compact SVG.
//!
//! Text is drawn as glyph outlines of the embedded font, each defined once and reused, so the file needs no fonts.
//! Neighbouring shapes of one style share one `path`. Numbers have at most one decimal; paths use relative steps.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write as _;

use base64::Engine as _;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use super::encode::encode;
use super::font;
use super::palette::Rgb;
use super::shape::{SUB, Shape, baseline, draw};
use crate::{Error, escape};

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// The figure as an SVG document with an accessible title and description.
pub(crate) fn render(
    shapes: &[Shape],
    (width, height): (u32, u32),
    title: &str,
    description: &str,
) -> Result<String, Error> {
    let mut page =
        Page { size: (width, height), body: String::new(), chars: BTreeSet::new(), pending: None, in_crisp: false };
    draw(Backend { page: &mut page }, shapes)?;
    page.close();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         style=\"max-width:100%;height:auto\">\n\
         <title>{}</title>\n<desc>{}</desc>\n<defs>\n",
        escape::html(title),
        escape::html(description)
    );
    for &c in &page.chars {
        glyph(&mut out, c);
    }
    out.push_str("</defs>\n<path fill=\"#fff\" d=\"M0 0h");
    let _ = writeln!(out, "{width}v{height}H0z\"/>\n<g fill=\"none\" stroke-linejoin=\"round\">");
    out.push_str(&page.body);
    out.push_str("</g>\n</svg>\n");
    Ok(out)
}

/// One glyph definition. The id depends only on the character, so two figures on one page agree on its meaning.
fn glyph(out: &mut String, c: char) {
    let _ = write!(out, "<path id=\"wb{:x}\" d=\"", c as u32);
    let mut at = (0.0, 0.0);
    let mut open = false;
    let steps = |out: &mut String, command: char, points: &[(f64, f64)], at: &mut (f64, f64)| {
        out.push(command);
        let mut first = true;
        for &(x, y) in points {
            // Font outlines have y upwards, SVG downwards.
            let (dx, dy) = (x - at.0, -(y - at.1));
            for v in [dx, dy] {
                let v = v.round() as i64;
                if !first && v >= 0 {
                    out.push(' ');
                }
                let _ = write!(out, "{v}");
                first = false;
            }
        }
        if let Some(&last) = points.last() {
            *at = (last.0.round(), last.1.round());
        }
    };
    for stroke in font::outline(c) {
        match stroke {
            font::Stroke::Move(x, y) => {
                if open {
                    out.push('z');
                }
                open = true;
                // Absolute, because closing a contour moves the current point.
                let _ = write!(out, "M{} {}", x.round(), -y.round());
                at = (x.round(), y.round());
            }
            font::Stroke::Line(x, y) => steps(out, 'l', &[(x, y)], &mut at),
            font::Stroke::Quad(a, b, x, y) => steps(out, 'q', &[(a, b), (x, y)], &mut at),
            font::Stroke::Cubic(a, b, c, d, x, y) => steps(out, 'c', &[(a, b), (c, d), (x, y)], &mut at),
        }
    }
    if open {
        out.push('z');
    }
    out.push_str("\"/>\n");
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Stroke { rgb: Rgb, alpha: f64, width: u32 },
    Dots { rgb: Rgb, alpha: f64, radius: u32 },
    Fill { rgb: Rgb, alpha: f64, crisp: bool },
}

struct Page {
    size: (u32, u32),
    body: String,
    chars: BTreeSet<char>,
    pending: Option<(Style, String)>,
    in_crisp: bool,
}

impl Page {
    /// The path data that shapes of this style are added to. Translucent shapes never share a path, as overlaps would
    /// look different.
    fn path(&mut self, style: Style) -> &mut String {
        let alpha = match style {
            Style::Stroke { alpha, .. } | Style::Dots { alpha, .. } | Style::Fill { alpha, .. } => alpha,
        };
        let same = alpha >= 1.0 && self.pending.as_ref().is_some_and(|(s, _)| *s == style);
        if !same {
            self.flush();
        }
        &mut self.pending.get_or_insert_with(|| (style, String::new())).1
    }

    /// Opens or closes the group of rectangles.
    fn crisp(&mut self, wanted: bool) {
        if wanted != self.in_crisp {
            self.body.push_str(if wanted { "<g shape-rendering=\"crispEdges\">\n" } else { "</g>\n" });
            self.in_crisp = wanted;
        }
    }

    /// Ends the path and the group being written, before anything else is added.
    fn close(&mut self) {
        self.flush();
        self.crisp(false);
    }

    fn flush(&mut self) {
        let Some((style, data)) = self.pending.take() else {
            return;
        };
        // One group for all rectangles in a row says that their edges are not to be softened, or cells show seams.
        self.crisp(matches!(style, Style::Fill { crisp: true, .. }));
        self.body.push_str("<path ");
        match style {
            Style::Stroke { rgb, alpha, width } => {
                let _ = write!(self.body, "stroke=\"{}\" stroke-width=\"{}\"", colour(rgb), tenths(width as i32));
                opacity(&mut self.body, "stroke", alpha);
            }
            Style::Dots { rgb, alpha, radius } => {
                let width = tenths(2 * radius as i32);
                let _ =
                    write!(self.body, "stroke=\"{}\" stroke-width=\"{width}\" stroke-linecap=\"round\"", colour(rgb));
                opacity(&mut self.body, "stroke", alpha);
            }
            Style::Fill { rgb, alpha, .. } => {
                let _ = write!(self.body, "fill=\"{}\"", colour(rgb));
                opacity(&mut self.body, "fill", alpha);
            }
        }
        let _ = writeln!(self.body, " d=\"{data}\"/>");
    }
}

fn opacity(out: &mut String, what: &str, alpha: f64) {
    if alpha < 1.0 {
        let _ = write!(out, " {what}-opacity=\"{}\"", (alpha * 100.0).round() / 100.0);
    }
}

fn colour((r, g, b): Rgb) -> String {
    if r % 17 == 0 && g % 17 == 0 && b % 17 == 0 {
        format!("#{:x}{:x}{:x}", r / 17, g / 17, b / 17)
    } else {
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// A count of tenths as a decimal number in its shortest form: 125 is `12.5`, -3 is `-.3`.
fn tenths(value: i32) -> String {
    let (sign, size) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
    match (size / 10, size % 10) {
        (whole, 0) => format!("{}{whole}", if whole == 0 { "" } else { sign }),
        (0, rest) => format!("{sign}.{rest}"),
        (whole, rest) => format!("{sign}{whole}.{rest}"),
    }
}

/// Adds `M` and relative line steps through the points.
fn polyline(data: &mut String, points: &[BackendCoord], close: bool) {
    let Some(&(x, y)) = points.first() else {
        return;
    };
    let _ = write!(data, "M{} {}", tenths(x), tenths(y));
    let mut at = (x, y);
    let mut command = ' ';
    for &(x, y) in &points[1..] {
        let (dx, dy) = (x - at.0, y - at.1);
        at = (x, y);
        if dx == 0 && dy == 0 {
            continue;
        }
        let (next, numbers): (char, Vec<String>) = if dy == 0 {
            ('h', vec![tenths(dx)])
        } else if dx == 0 {
            ('v', vec![tenths(dy)])
        } else {
            ('l', vec![tenths(dx), tenths(dy)])
        };
        let mut fresh = next != command;
        if fresh {
            data.push(next);
            command = next;
        }
        for number in numbers {
            if !fresh && !number.starts_with('-') {
                data.push(' ');
            }
            data.push_str(&number);
            fresh = false;
        }
    }
    if close {
        data.push('z');
    }
}

struct Backend<'a> {
    page: &'a mut Page,
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.page.size;
        (width * SUB as u32, height * SUB as u32)
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Done {
        self.draw_rect((x, y), (x + 1, y + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S, fill: bool) -> Done {
        let corners = [a, (b.0, a.1), b, (a.0, b.1)];
        if !fill {
            return self.draw_path([corners[0], corners[1], corners[2], corners[3], corners[0]], style);
        }
        let BackendColor { alpha, rgb } = style.color();
        polyline(self.page.path(Style::Fill { rgb, alpha, crisp: true }), &corners, true);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        let points: Vec<BackendCoord> = path.into_iter().collect();
        let BackendColor { alpha, rgb } = style.color();
        polyline(self.page.path(Style::Stroke { rgb, alpha, width: style.stroke_width() }), &points, false);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        if !fill {
            let ring = (0..=48).map(|i| {
                let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 48.0).sin_cos();
                let r = f64::from(radius);
                (center.0 + (r * cos).round() as i32, center.1 + (r * sin).round() as i32)
            });
            return self.draw_path(ring.collect::<Vec<_>>(), style);
        }
        let BackendColor { alpha, rgb } = style.color();
        let data = self.page.path(Style::Dots { rgb, alpha, radius });
        let _ = write!(data, "M{} {}h0", tenths(center.0), tenths(center.1));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, vert: I, style: &S) -> Done {
        let points: Vec<BackendCoord> = vert.into_iter().collect();
        let BackendColor { alpha, rgb } = style.color();
        polyline(self.page.path(Style::Fill { rgb, alpha, crisp: false }), &points, true);
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, pos: BackendCoord) -> Done {
        self.page.close();
        let (x, y, turned) = baseline(text, style, pos);
        let scale = style.size() / SUB / font::units_per_em();
        let body = &mut self.page.body;
        let _ = write!(
            body,
            "<g fill=\"{}\" transform=\"translate({} {}){}scale({})\">",
            colour(style.color().rgb),
            tenths(x.round() as i32),
            tenths(y.round() as i32),
            if turned { "rotate(-90)" } else { "" },
            format!("{scale:.6}").trim_end_matches('0').trim_start_matches('0')
        );
        let em = font::units_per_em();
        for p in font::place(text).0.iter().filter(|p| !p.c.is_whitespace()) {
            let (x, c) = ((p.x * em).round() as i64, p.c as u32);
            if p.scale == 1.0 {
                let _ = write!(body, "<use xlink:href=\"#wb{c:x}\" x=\"{x}\"/>");
            } else {
                let (y, scale) = ((-p.rise * em).round() as i64, p.scale);
                let _ = write!(body, "<use xlink:href=\"#wb{c:x}\" transform=\"translate({x} {y})scale({scale})\"/>");
            }
            self.page.chars.insert(p.c);
        }
        body.push_str("</g>\n");
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let size = style.size();
        Ok((font::width(text, size).ceil() as u32, (size * font::CAP).ceil() as u32))
    }

    /// One image pixel is one logical pixel, [`SUB`] backend units.
    fn blit_bitmap(&mut self, (x, y): BackendCoord, (width, height): (u32, u32), src: &[u8]) -> Done {
        self.page.close();
        let Ok(png) = encode(src, (width, height)) else {
            return Ok(());
        };
        let _ = writeln!(
            self.page.body,
            "<image x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" image-rendering=\"pixelated\" \
             xlink:href=\"data:image/png;base64,{}\"/>",
            tenths(x),
            tenths(y),
            base64::engine::general_purpose::STANDARD.encode(png)
        );
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::shape::Side;
    use super::*;

    /// Checks that tags nest and close and that attributes are quoted; returns the element names in order.
    pub(crate) fn well_formed(svg: &str) -> Vec<String> {
        let (mut names, mut open): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut rest = svg;
        while let Some(at) = rest.find('<') {
            assert!(!rest[..at].contains('>') && !rest[..at].contains('"') || !rest[..at].contains('>'));
            let end = at + rest[at..].find('>').expect("a tag is closed");
            let tag = &rest[at + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "quotes in <{tag}>");
            let name: String = tag.trim_start_matches('/').chars().take_while(|c| c.is_alphanumeric()).collect();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name));
            } else {
                names.push(name.clone());
                if !tag.ends_with('/') {
                    open.push(name);
                }
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?} not closed");
        assert!(rest.trim().is_empty());
        names
    }

    #[test]
    fn numbers_take_their_shortest_form() {
        let forms: Vec<String> = [0, 5, -5, 10, -10, 125, -1203].into_iter().map(tenths).collect();
        assert_eq!(forms, ["0", ".5", "-.5", "1", "-1", "12.5", "-120.3"]);
        assert_eq!(colour((0, 255, 17)), "#0f1");
        assert_eq!(colour((0, 114, 178)), "#0072b2");
    }

    #[test]
    fn paths_of_one_style_share_one_element() {
        let line = |y: f64| Shape::line((0.0, y), (10.0, y + 0.5), (0, 0, 0), 1.5);
        let svg = render(&[line(1.0), line(2.0), line(3.0)], (20, 10), "t", "d").unwrap();
        assert!(svg.contains("d=\"M0 1l10 .5M0 2l10 .5M0 3l10 .5\""), "{svg}");
        well_formed(&svg);
    }

    #[test]
    fn text_is_outlines_defined_once_and_the_words_stay_readable_for_machines() {
        let text = |x| Shape::text(x, 5.0, "aa√", 10.0, (0, 0, 0), Side::Left);
        let svg = render(&[text(0.0), text(50.0)], (100, 20), "A & B", "rate ∝ <d>").unwrap();
        let names = well_formed(&svg);
        assert_eq!(names.iter().filter(|n| *n == "use").count(), 6);
        assert_eq!(svg.matches("<path id=").count(), 2);
        assert!(!svg.contains("<text"));
        assert!(svg.contains("<title>A &amp; B</title>") && svg.contains("<desc>rate ∝ &lt;d&gt;</desc>"));
    }

    #[test]
    fn an_image_is_embedded_and_translucent_areas_stay_apart() {
        let image = Shape::Image { x: 0.0, y: 0.0, width: 2, height: 1, rgb: vec![255, 0, 0, 0, 255, 0] };
        let area = Shape::Polygon { points: vec![(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)], rgb: (0, 0, 0), alpha: 0.2 };
        let svg = render(&[area.clone(), area, image], (20, 10), "", "").unwrap();
        assert_eq!(svg.matches("fill-opacity=\"0.2\"").count(), 2);
        assert!(svg.contains("data:image/png;base64,iVBOR"));
        well_formed(&svg);
    }
}
