//! A placed panel as shapes: grid, series, axes, colour bar.

use super::font;
use super::heatmap::{Colours, Heat};
use super::layout::{BAR_GAP, BAR_WIDTH, Frame, TICK};
use super::legend::{self, BAND, GUIDE_INK, GUIDE_LINE, LINE, WHISKER};
use super::lines::{clip, dash, simplify};
use super::palette::{GRID, Rgb, TEXT};
use super::panel::Mark;
use super::ready::{Ready, Series};
use super::shape::{Shape, Side};

const MINOR: f64 = 3.0;

impl Frame {
    pub(super) fn draw(&self, ready: &Ready, shapes: &mut Vec<Shape>) {
        let (left, top, right, bottom) = self.plot;
        match (&ready.panel.heat, &ready.colours) {
            (Some(heat), Some(colours)) => {
                shapes.extend(heat.cells(&self.x, &self.y, colours));
                shapes.extend(heat.frames(&self.x, &self.y));
                self.colour_bar(heat, colours, shapes);
            }
            _ => {
                for (v, _) in &self.x_ticks.major {
                    let x = self.x.pixel(*v);
                    shapes.push(Shape::line((x, top), (x, bottom), GRID, 1.0));
                }
                for (v, _) in &self.y_ticks.major {
                    let y = self.y.pixel(*v);
                    shapes.push(Shape::line((left, y), (right, y), GRID, 1.0));
                }
            }
        }
        let order = |mark: Mark| match mark {
            Mark::Band => 0,
            Mark::Bars => 1,
            Mark::AcrossAt | Mark::UpAt => 2,
            Mark::Line => 3,
            Mark::Theory => 4,
            Mark::Whiskers => 5,
            Mark::Points => 6,
        };
        let mut series: Vec<&Series> = ready.series.iter().collect();
        series.sort_by_key(|s| order(s.mark));
        for s in series {
            self.series(s, shapes);
        }
        self.axes(ready, shapes);
    }

    fn series(&self, s: &Series, shapes: &mut Vec<Shape>) {
        let rgb = s.rgb;
        match s.mark {
            Mark::Band => {
                for run in &s.runs {
                    self.band(run.iter().map(|p| (self.foot(p.x, p.low), self.pixel(p.x, p.high))), rgb, shapes);
                }
            }
            Mark::Bars => {
                for p in s.spots() {
                    let (x0, y0, x1, y1) = self.bar_area(s, p.x, p.y);
                    if x1 > x0 && y1 > y0 {
                        shapes.push(Shape::Rect { x0, y0, x1, y1, rgb, alpha: 1.0 });
                    }
                }
            }
            Mark::Line => {
                shapes.extend(self.lines(s).into_iter().map(|points| Shape::Path { points, rgb, width: LINE }));
                self.lone(s, shapes);
            }
            Mark::Theory | Mark::AcrossAt | Mark::UpAt => {
                let width = if s.mark == Mark::Theory { LINE } else { GUIDE_LINE };
                for line in self.lines(s) {
                    let pieces = dash(&line, s.dash.unwrap_or(&[7.0, 4.0]));
                    shapes.extend(pieces.into_iter().map(|points| Shape::Path { points, rgb, width }));
                }
            }
            Mark::Whiskers => {
                for p in s.spots() {
                    let (a, b) = (self.foot(p.x, p.low), self.pixel(p.x, p.high));
                    for points in clip(&[a, b], self.plot) {
                        shapes.push(Shape::Path { points, rgb, width: WHISKER });
                    }
                    for (x, y) in [a, b] {
                        if self.inside((x, y)) && p.low.is_some() {
                            shapes.push(Shape::line((x - 3.5, y), (x + 3.5, y), rgb, WHISKER));
                        }
                    }
                }
                self.points(s, shapes);
            }
            Mark::Points => self.points(s, shapes),
        }
    }

    /// Runs of a single point would be invisible as a line.
    fn lone(&self, s: &Series, shapes: &mut Vec<Shape>) {
        for run in s.runs.iter().filter(|run| run.len() == 1) {
            let (x, y) = self.pixel(run[0].x, run[0].y);
            if self.inside((x, y)) {
                shapes.push(Shape::Dot { x, y, radius: LINE, rgb: s.rgb });
            }
        }
    }

    fn points(&self, s: &Series, shapes: &mut Vec<Shape>) {
        let count = s.spots().count();
        let (radius, kind) = match count {
            0..=120 => (self.fonts.tick * 0.27, s.marker),
            121..=1000 => (2.2, 0),
            _ => (1.4, 0),
        };
        let mut seen = std::collections::HashSet::new();
        for p in s.spots() {
            let (x, y) = self.pixel(p.x, p.y);
            // Points on the same half pixel look the same; one of them is enough.
            let place = ((2.0 * x).round() as i64, (2.0 * y).round() as i64);
            if self.inside((x, y)) && seen.insert(place) {
                shapes.push(legend::marker(x, y, radius, kind, s.rgb));
            }
        }
    }

    fn inside(&self, (x, y): (f64, f64)) -> bool {
        let (left, top, right, bottom) = self.plot;
        x >= left - 0.5 && x <= right + 0.5 && y >= top - 0.5 && y <= bottom + 0.5
    }

    /// A band as one polygon, cut at the sides of the plot and held between top and bottom.
    fn band(&self, pairs: impl Iterator<Item = ((f64, f64), (f64, f64))>, rgb: Rgb, shapes: &mut Vec<Shape>) {
        let (left, top, right, bottom) = self.plot;
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (a, b) in pairs {
            low.push(a);
            high.push(b);
        }
        if low.len() == 1 {
            low.push((low[0].0 + 2.0, low[0].1));
            high.push((high[0].0 + 2.0, high[0].1));
        }
        let tall = (left, -1e7, right, 1e7);
        for (low, high) in clip(&low, tall).into_iter().zip(clip(&high, tall)) {
            let held = |line: Vec<(f64, f64)>| -> Vec<(f64, f64)> { simplify(&hold(&line, top, bottom), 0.15) };
            let mut points = held(low);
            points.extend(held(high).into_iter().rev());
            shapes.push(Shape::Polygon { points, rgb, alpha: BAND });
        }
    }

    fn colour_bar(&self, heat: &Heat, colours: &Colours, shapes: &mut Vec<Shape>) {
        let Some((axis, ticks)) = &self.bar else {
            return;
        };
        let (_, top, right, bottom) = self.plot;
        let (x0, x1) = (right + BAR_GAP, right + BAR_GAP + BAR_WIDTH);
        const STEPS: i32 = 64;
        for i in 0..STEPS {
            let at = |i: i32| (bottom + (top - bottom) * f64::from(i) / f64::from(STEPS)).round();
            let rgb = colours.at((f64::from(i) + 0.5) / f64::from(STEPS));
            shapes.push(Shape::Rect { x0, y0: at(i + 1), x1, y1: at(i), rgb, alpha: 1.0 });
        }
        let outline = vec![(x0, top), (x1, top), (x1, bottom), (x0, bottom), (x0, top)];
        shapes.push(Shape::Path { points: outline, rgb: GUIDE_INK, width: 1.0 });
        for (v, label) in &ticks.major {
            let y = axis.pixel(*v);
            shapes.push(Shape::line((x1, y), (x1 + TICK, y), GUIDE_INK, 1.0));
            shapes.push(Shape::text(x1 + TICK + 4.0, y, label, self.fonts.tick, TEXT, Side::Left));
        }
        if let Some(factor) = &ticks.factor {
            let y = top - self.fonts.tick * 0.8;
            shapes.push(Shape::text(x0, y, factor, self.fonts.tick, TEXT, Side::Left));
        }
        if !heat.label.is_empty() {
            let x = self.area.2 - self.fonts.label * 0.6;
            turned(x, (top + bottom) / 2.0, &heat.label, self.fonts.label, bottom - top, shapes);
        }
    }

    fn axes(&self, ready: &Ready, shapes: &mut Vec<Shape>) {
        let (left, top, right, bottom) = self.plot;
        let ink = GUIDE_INK;
        for v in &self.x_ticks.minor {
            let x = self.x.pixel(*v);
            shapes.push(Shape::line((x, bottom), (x, bottom + MINOR), ink, 1.0));
        }
        for v in &self.y_ticks.minor {
            let y = self.y.pixel(*v);
            shapes.push(Shape::line((left - MINOR, y), (left, y), ink, 1.0));
        }
        for (v, _) in &self.x_ticks.major {
            let x = self.x.pixel(*v);
            shapes.push(Shape::line((x, bottom), (x, bottom + TICK), ink, 1.0));
        }
        for (v, _) in &self.y_ticks.major {
            let y = self.y.pixel(*v);
            shapes.push(Shape::line((left - TICK, y), (left, y), ink, 1.0));
        }
        let mut spine = vec![(left, top), (left, bottom), (right, bottom)];
        if ready.panel.heat.is_some() {
            spine.extend([(right, top), (left, top)]);
        }
        shapes.push(Shape::Path { points: spine, rgb: ink, width: 1.2 });
        let size = self.fonts.tick;
        let row = bottom + TICK + 4.0 + size * 0.5;
        for (v, label) in &self.x_ticks.major {
            shapes.push(Shape::text(self.x.pixel(*v), row, label, size, TEXT, Side::Middle));
        }
        for (v, label) in &self.y_ticks.major {
            shapes.push(Shape::text(left - TICK - 4.0, self.y.pixel(*v), label, size, TEXT, Side::Right));
        }
        if let Some(factor) = &self.y_ticks.factor {
            shapes.push(Shape::text(left, top - size * 0.8, factor, size, TEXT, Side::Left));
        }
        let panel = ready.panel;
        let mut x_label = panel.x_label.clone();
        if let Some(factor) = &self.x_ticks.factor {
            // The factor joins the label, so that it cannot collide with the last tick.
            x_label = if x_label.is_empty() { factor.clone() } else { format!("{x_label}  [{factor}]") };
        }
        if !x_label.is_empty() {
            let y = if panel.x_label.is_empty() { row + size } else { row + size * 0.5 + self.fonts.label * 0.85 };
            let (text, fitted) = shrink(&x_label, self.fonts.label, self.area.2 - self.area.0);
            let half = font::width(&text, fitted) / 2.0;
            let x = ((left + right) / 2.0).clamp(self.area.0 + half, (self.area.2 - half).max(self.area.0 + half));
            shapes.push(Shape::text(x, y, &text, fitted, TEXT, Side::Middle));
        }
        if !panel.y_label.is_empty() {
            let x = self.area.0 + self.fonts.label * 0.6;
            turned(x, (top + bottom) / 2.0, &panel.y_label, self.fonts.label, bottom - top + 40.0, shapes);
        }
        if !panel.title.is_empty() {
            let (text, size) = shrink(&panel.title, self.fonts.title, self.area.2 - left);
            let y = self.area.1 + self.fonts.title * 0.6;
            shapes.push(Shape::text(left, y, &text, size, TEXT, Side::Left));
        }
    }
}

/// A text at a smaller size if it is too wide, cut with "…" if that is not enough.
fn shrink(text: &str, size: f64, most: f64) -> (String, f64) {
    let smaller = size * (most / font::width(text, size).max(1e-9)).clamp(0.75, 1.0);
    (font::fit(text, smaller, most), smaller)
}

fn turned(x: f64, y: f64, text: &str, size: f64, most: f64, shapes: &mut Vec<Shape>) {
    let (text, size) = shrink(text, size, most);
    shapes.push(Shape::Text { x, y, text, size, rgb: TEXT, side: Side::Middle, turned: true });
}

/// A line held between two heights, with the crossings added so that its slope is right up to them.
fn hold(line: &[(f64, f64)], top: f64, bottom: f64) -> Vec<(f64, f64)> {
    let mut held = Vec::with_capacity(line.len());
    for (i, &(x, y)) in line.iter().enumerate() {
        if let Some(&(px, py)) = i.checked_sub(1).and_then(|i| line.get(i)) {
            let mut crossings: Vec<f64> =
                [top, bottom].into_iter().map(|edge| (edge - py) / (y - py)).filter(|t| *t > 0.0 && *t < 1.0).collect();
            crossings.sort_by(f64::total_cmp);
            held.extend(crossings.into_iter().map(|t| (px + t * (x - px), (py + t * (y - py)).clamp(top, bottom))));
        }
        held.push((x, y.clamp(top, bottom)));
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_line_keeps_its_slope_up_to_the_edge() {
        let held = hold(&[(0.0, 5.0), (10.0, -5.0), (20.0, 5.0)], 0.0, 10.0);
        assert_eq!(held, [(0.0, 5.0), (5.0, 0.0), (10.0, 0.0), (15.0, 0.0), (20.0, 5.0)]);
    }

    #[test]
    fn a_long_label_first_shrinks_and_then_is_cut() {
        let (text, size) = shrink("a label of some length", 16.0, font::width("a label of some length", 14.0));
        assert_eq!(text, "a label of some length");
        assert!((size - 14.0).abs() < 1e-6);
        let (text, size) = shrink("a label of some length", 16.0, 40.0);
        assert!(text.ends_with('…') && size == 12.0 && font::width(&text, size) <= 40.0);
    }
}
