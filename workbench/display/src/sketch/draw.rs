//! Where the parts of a drawing stand on its page, and the shapes that they are made of.

use super::{End, Kind, Part, Sketch};
use crate::figure::{FAINT, GRID, Rgb, Shape, Side, TEXT, WHITE, spoken, text_width};
use crate::{Error, PALETTE};

/// Logical pixels of one unit: the height of a box of two lines.
pub(super) const UNIT: f64 = 50.0;
/// Sizes of names and of what they hold, and the height of a line.
const NAME: f64 = 15.0;
const HOLDS: f64 = 13.0;
const LINE: f64 = 19.0;
/// Widest drawing; a wider one is made smaller, to no less than [`SMALLEST`] of its size.
pub(super) const WIDEST: f64 = 760.0;
const SMALLEST: f64 = 0.6;
const MARGIN: f64 = 8.0;

impl Sketch {
    /// Shapes in their places, and the size of the page.
    pub(super) fn scene(&self) -> Result<(Vec<Shape>, (u32, u32)), Error> {
        let fail = |problem: String| Error::Sketch { title: self.title.clone(), problem };
        if let Some(problem) = &self.problem {
            return Err(fail(problem.clone()));
        }
        if self.parts.is_empty() {
            return Err(fail("nothing is drawn; place a box with .block(name, holds, x, y)".into()));
        }
        for part in &self.parts {
            let (x, y) = part.at;
            let (width, height) = part.size.unwrap_or((1.0, 1.0));
            if ![x, y].iter().all(|v| v.abs() <= 1e3) || ![width, height].iter().all(|v| (0.1..=1e3).contains(v)) {
                let problem =
                    format!("\"{}\" is at ({x}, {y}), {width} x {height} units; choose numbers below 1000", part.name);
                return Err(fail(problem));
            }
        }
        let mut shapes = Vec::new();
        for (parts, label) in &self.frames {
            self.framed(parts, label, &mut shapes);
        }
        for part in &self.parts {
            part.draw(&mut shapes);
        }
        for (from, to, label) in &self.arrows {
            self.joined(from, to, label, &mut shapes).map_err(fail)?;
        }
        let (mut l, mut t, mut r, mut b) = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
        for shape in &shapes {
            let bounds = shape.bounds();
            (l, t, r, b) = (l.min(bounds.0), t.min(bounds.1), r.max(bounds.2), b.max(bounds.3));
        }
        if !self.title.is_empty() {
            let title = Shape::text(l, t - 1.4 * LINE, &self.title, NAME * 1.1, TEXT, Side::Left);
            (r, t) = (r.max(title.bounds().2), title.bounds().1);
            shapes.push(title);
        }
        let width = r - l + 2.0 * MARGIN;
        let by = (WIDEST / width).min(1.0);
        if by < SMALLEST {
            let most = (WIDEST / SMALLEST / UNIT).floor();
            return Err(fail(format!(
                "it is {:.0} units wide; on a page {most} can be read, so bring things nearer",
                width / UNIT
            )));
        }
        let shapes = shapes.into_iter().map(|shape| shape.moved((MARGIN - l, MARGIN - t), by)).collect();
        Ok((shapes, ((width * by).ceil() as u32, ((b - t + 2.0 * MARGIN) * by).ceil() as u32)))
    }

    fn framed(&self, parts: &[usize], label: &str, shapes: &mut Vec<Shape>) {
        let (mut l, mut t, mut r, mut b) = (f64::MAX, f64::MAX, f64::MIN, f64::MIN);
        for part in parts.iter().map(|at| &self.parts[*at]) {
            let ((x, y), (w, h)) = (part.centre(), part.outer());
            (l, t, r, b) = (l.min(x - w), t.min(y - h), r.max(x + w), b.max(y + h));
        }
        (l, t, r, b) = (l - 14.0, t - 14.0, r + 14.0, b + 14.0);
        shapes.push(Shape::Rect { x0: l, y0: t, x1: r, y1: b, rgb: FAINT, alpha: 0.07 });
        shapes.push(outline((l, t, r, b), GRID));
        lines(label, (l + r) / 2.0, t - 0.5 * LINE, HOLDS, FAINT, shapes);
    }

    fn joined(&self, from: &End, to: &End, label: &str, shapes: &mut Vec<Shape>) -> Result<(), String> {
        let place = |end: &End| match end {
            End::Part(at) => (self.parts[*at].centre(), self.parts[*at].outer()),
            End::Point(x, y) => ((x * UNIT, y * UNIT), (0.0, 0.0)),
        };
        let ((a, half_a), (b, half_b)) = (place(from), place(to));
        if let (End::Part(one), End::Part(two)) = (from, to)
            && one == two
        {
            let (x, top, out) = (0.5 * half_a.0, a.1 - half_a.1, a.1 - half_a.1 - 24.0);
            let points = vec![(a.0 + x, top), (a.0 + x, out), (a.0 - x, out), (a.0 - x, top)];
            shapes.push(Shape::Path { points, rgb: TEXT, width: 1.4 });
            head((a.0 - x, top), (0.0, 1.0), shapes);
            lines(label, a.0, out - 0.6 * LINE, HOLDS, TEXT, shapes);
            return Ok(());
        }
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let far = dx.hypot(dy);
        // How far along the arrow the border of a rectangle is.
        let border = |half: (f64, f64)| (half.0 / dx.abs()).min(half.1 / dy.abs()) * far + 3.0;
        let (start, end) = (border(half_a), far - border(half_b));
        if (end - start).max(0.0) < 6.0 {
            return Err(format!("the arrow \"{label}\" has no length; move its two ends apart"));
        }
        let (ux, uy) = (dx / far, dy / far);
        let at = |along: f64| (a.0 + along * ux, a.1 + along * uy);
        shapes.push(Shape::line(at(start), at(end - 5.0), TEXT, 1.4));
        head(at(end), (ux, uy), shapes);
        let (x, y) = at((start + end) / 2.0);
        match (ux.abs(), uy.abs()) {
            _ if label.is_empty() => {}
            (_, small) if small < 0.3 => lines(label, x, y - 0.55 * LINE, HOLDS, TEXT, shapes),
            (small, _) if small < 0.3 => shapes.push(Shape::text(x + 8.0, y, label, HOLDS, TEXT, Side::Left)),
            _ => {
                let (w, h) = (text_width(label, HOLDS) / 2.0 + 3.0, LINE / 2.0);
                shapes.push(Shape::Rect { x0: x - w, y0: y - h, x1: x + w, y1: y + h, rgb: WHITE, alpha: 1.0 });
                lines(label, x, y, HOLDS, TEXT, shapes);
            }
        }
        Ok(())
    }
}

impl Part {
    pub(super) fn centre(&self) -> (f64, f64) {
        (self.at.0 * UNIT, self.at.1 * UNIT)
    }

    /// Half of width and height without the words around a grid.
    pub(super) fn half(&self) -> (f64, f64) {
        let widest = |text: &str, size| text.lines().map(|line| text_width(line, size)).fold(0.0, f64::max);
        let (wide, high) = match (&self.kind, self.size) {
            (Kind::Block | Kind::Grid { .. }, Some((width, height))) => (width * UNIT, height * UNIT),
            (Kind::Grid { rows, columns, .. }, None) => {
                let cell =
                    (200.0 / (*rows).max(*columns) as f64).clamp(3.0, if self.labels.is_empty() { 16.0 } else { 30.0 });
                (*columns as f64 * cell, *rows as f64 * cell)
            }
            (Kind::Block, None) => {
                let count = (self.name.lines().count() + self.holds.lines().count()) as f64;
                (widest(&self.name, NAME).max(widest(&self.holds, HOLDS)) + 24.0, count * LINE + 12.0)
            }
            (Kind::Words, _) => (widest(&self.name, HOLDS) + 6.0, self.name.lines().count() as f64 * LINE),
        };
        (wide / 2.0, high / 2.0)
    }

    /// Half of width and height with the name above a grid and what it holds below: where arrows end.
    fn outer(&self) -> (f64, f64) {
        let (wide, high) = self.half();
        let around = self.name.lines().count().max(self.holds.lines().count()) as f64;
        let copies = (self.copies - 1) as f64 * 5.0;
        match self.kind {
            Kind::Grid { .. } => (wide + copies, high + copies + around * LINE),
            _ => (wide + copies, high + copies),
        }
    }

    fn draw(&self, shapes: &mut Vec<Shape>) {
        let ((x, y), (w, h)) = (self.centre(), self.half());
        for copy in (0..self.copies).rev().filter(|_| !matches!(self.kind, Kind::Words)) {
            let by = 5.0 * copy as f64;
            let (x0, y0, x1, y1) = (x - w + by, y - h - by, x + w + by, y + h - by);
            shapes.push(Shape::Rect { x0, y0, x1, y1, rgb: tint(self.rgb, 0.13), alpha: 1.0 });
            if copy > 0 || matches!(self.kind, Kind::Block) {
                shapes.push(outline((x0, y0, x1, y1), self.rgb));
            }
        }
        let (above, below) = (self.name.lines().count() as f64, self.holds.lines().count() as f64);
        match &self.kind {
            Kind::Words => lines(&self.name, x, y, HOLDS, TEXT, shapes),
            Kind::Block => {
                lines(&self.name, x, y - below * LINE / 2.0, NAME, TEXT, shapes);
                lines(&self.holds, x, y + above * LINE / 2.0, HOLDS, FAINT, shapes);
            }
            Kind::Grid { rows, columns, values } => {
                self.cells((*rows, *columns), values, shapes);
                let up = if self.copies > 1 { 5.0 * (self.copies - 1) as f64 } else { 0.0 };
                lines(&self.name, x, y - h - up - (above / 2.0 + 0.05) * LINE, NAME, TEXT, shapes);
                lines(&self.holds, x, y + h + (below / 2.0 + 0.1) * LINE, HOLDS, FAINT, shapes);
            }
        }
    }

    fn cells(&self, (rows, columns): (usize, usize), values: &[f64], shapes: &mut Vec<Shape>) {
        let ((x, y), (w, h)) = (self.centre(), self.half());
        let most = values.iter().filter(|v| v.is_finite()).fold(1.0, |most: f64, v| most.max(v.abs()));
        let (wide, high) = (2.0 * w / columns as f64, 2.0 * h / rows as f64);
        // Both signs in the first colour look as in figures with signed colours: orange above 0, blue below.
        let signed = values.iter().any(|value| *value < 0.0);
        let [blue, orange] = [PALETTE[0], PALETTE[1]];
        let above = if signed && self.rgb == blue { orange } else { self.rgb };
        let below = if above == orange { blue } else { orange };
        for (at, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let (left, top) = (x - w + (at % columns) as f64 * wide, y - h + (at / columns) as f64 * high);
            let (x1, y1) = (left + wide, top + high);
            let rgb = tint(if *value < 0.0 { below } else { above }, value.abs() / most);
            shapes.push(Shape::Rect { x0: left, y0: top, x1, y1, rgb, alpha: 1.0 });
            if wide.min(high) >= 6.0 {
                shapes.push(outline((left, top, x1, y1), (170, 170, 170)));
            }
            let ink = if value.abs() / most > 0.6 && self.rgb != PALETTE[7] { WHITE } else { TEXT };
            if let Some(label) = self.labels.get(at) {
                lines(label, left + wide / 2.0, top + high / 2.0, HOLDS, ink, shapes);
            }
        }
        shapes.push(outline((x - w, y - h, x + w, y + h), self.rgb));
    }

    pub(super) fn listed(&self) -> String {
        let one = |text: &str| spoken(&text.replace('\n', " "));
        let copies = if self.copies > 1 { format!(", {} copies", self.copies) } else { String::new() };
        let holds = if self.holds.is_empty() { String::new() } else { format!(": {}", one(&self.holds)) };
        match &self.kind {
            Kind::Words => format!("  words: {}", one(&self.name)),
            Kind::Block => format!("  box {}{holds}{copies}", one(&self.name)),
            Kind::Grid { rows, columns, values } => {
                let shaded = values.iter().filter(|v| v.is_finite() && **v != 0.0).count();
                let labels: Vec<&str> =
                    self.labels.iter().map(|label| label.as_str()).filter(|l| !l.is_empty()).collect();
                let said =
                    if labels.is_empty() { String::new() } else { format!(", in its cells: {}", labels.join(" ")) };
                let cells = format!("{rows} rows × {columns} columns of cells, {shaded} shaded");
                format!("  grid {}{holds}{copies}, {cells}{said}", one(&self.name))
            }
        }
    }
}

/// Lines of text around a centre.
fn lines(text: &str, x: f64, y: f64, size: f64, rgb: Rgb, shapes: &mut Vec<Shape>) {
    let above = (text.lines().count() as f64 - 1.0) / 2.0;
    for (at, line) in text.lines().enumerate() {
        shapes.push(Shape::text(x, y + (at as f64 - above) * LINE, line, size, rgb, Side::Middle));
    }
}

fn outline((x0, y0, x1, y1): (f64, f64, f64, f64), rgb: Rgb) -> Shape {
    Shape::Path { points: vec![(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], rgb, width: 1.2 }
}

fn head((x, y): (f64, f64), (ux, uy): (f64, f64), shapes: &mut Vec<Shape>) {
    let back = (x - 9.0 * ux, y - 9.0 * uy);
    let points = vec![(x, y), (back.0 - 4.5 * uy, back.1 + 4.5 * ux), (back.0 + 4.5 * uy, back.1 - 4.5 * ux)];
    shapes.push(Shape::Polygon { points, rgb: TEXT, alpha: 1.0 });
}

/// A colour on white, by a share of it.
fn tint(rgb: Rgb, share: f64) -> Rgb {
    let mix = |c: u8| (255.0 - share * (255.0 - f64::from(c))).round() as u8;
    (mix(rgb.0), mix(rgb.1), mix(rgb.2))
}
