//! The legend: its entries, and a place where it covers no data.

use super::font;
use super::lines::dash;
use super::palette::{FAINT, Rgb, TEXT, WHITE};
use super::panel::Mark;
use super::ready::Series;
use super::shape::{Shape, Side};

/// One legend entry: every mark that shares a name.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub name: String,
    pub parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub mark: Mark,
    pub rgb: Rgb,
    pub marker: usize,
    pub dash: Option<&'static [f64]>,
}

/// A rectangle: left, top, right, bottom.
pub(crate) type Area = (f64, f64, f64, f64);

pub(crate) fn entries(series: &[Series]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for s in series.iter().filter(|s| !s.name.is_empty()) {
        let part = Part { mark: s.mark, rgb: s.rgb, marker: s.marker, dash: s.dash };
        match entries.iter_mut().find(|e| e.name == s.name) {
            Some(entry) => entry.parts.push(part),
            None => entries.push(Entry { name: s.name.clone(), parts: vec![part] }),
        }
    }
    entries
}

/// Sizes of a legend for one text size.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub text: f64,
}

impl Sizes {
    fn swatch(self) -> f64 {
        self.text * 1.9
    }
    fn gap(self) -> f64 {
        self.text * 0.5
    }
    fn row(self) -> f64 {
        self.text * 1.45
    }
    fn pad(self) -> f64 {
        self.text * 0.45
    }
    fn entry(self, name: &str) -> f64 {
        self.swatch() + self.gap() + font::width(name, self.text)
    }

    /// Width and height of a legend with one entry per row.
    pub fn column(self, entries: &[Entry]) -> (f64, f64) {
        let widest = entries.iter().map(|e| self.entry(&e.name)).fold(0.0, f64::max);
        (widest + 2.0 * self.pad(), entries.len() as f64 * self.row() + 2.0 * self.pad() * 0.5)
    }

    /// Rows of entry indices that fit a width.
    fn rows(self, entries: &[Entry], width: f64) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> = Vec::new();
        let mut used = f64::INFINITY;
        for (i, entry) in entries.iter().enumerate() {
            let wide = self.entry(&entry.name) + 2.0 * self.gap();
            match rows.last_mut() {
                Some(row) if used + wide <= width => {
                    row.push(i);
                    used += wide;
                }
                _ => {
                    rows.push(vec![i]);
                    used = wide;
                }
            }
        }
        rows
    }

    pub fn below_height(self, entries: &[Entry], width: f64) -> f64 {
        self.rows(entries, width).len() as f64 * self.row() + self.pad()
    }
}

/// The place inside `plot` where a legend covers fewest of the `points`, and how many it covers.
pub(crate) fn best_corner(plot: Area, (width, height): (f64, f64), points: &[(f64, f64)]) -> (Area, usize) {
    let inset = 8.0;
    let (left, right) = (plot.0 + inset, plot.2 - inset - width);
    let (top, bottom) = (plot.1 + inset, plot.3 - inset - height);
    let (middle, centre) = ((left + right) / 2.0, (top + bottom) / 2.0);
    let places = [
        (right, top),
        (left, top),
        (left, bottom),
        (right, bottom),
        (right, centre),
        (left, centre),
        (middle, top),
        (middle, bottom),
    ];
    let covered = |&(x, y): &(f64, f64)| {
        let near = 5.0;
        points
            .iter()
            .filter(|p| p.0 > x - near && p.0 < x + width + near && p.1 > y - near && p.1 < y + height + near)
            .count()
    };
    let (mut best, mut fewest) = (places[0], usize::MAX);
    for place in places {
        let count = covered(&place);
        if count < fewest {
            (best, fewest) = (place, count);
        }
    }
    ((best.0, best.1, best.0 + width, best.1 + height), fewest)
}

/// A legend with one entry per row in a box.
pub(crate) fn boxed(entries: &[Entry], area: Area, sizes: Sizes, shapes: &mut Vec<Shape>) {
    let (x0, y0, x1, y1) = area;
    shapes.push(Shape::Rect { x0, y0, x1, y1, rgb: WHITE, alpha: 0.85 });
    for (i, entry) in entries.iter().enumerate() {
        let y = y0 + sizes.pad() * 0.5 + (i as f64 + 0.5) * sizes.row();
        one(entry, x0 + sizes.pad(), y, sizes, f64::INFINITY, shapes);
    }
}

/// A legend in rows below the axes, starting at `top`.
pub(crate) fn below(entries: &[Entry], (left, right): (f64, f64), top: f64, sizes: Sizes, shapes: &mut Vec<Shape>) {
    for (i, row) in sizes.rows(entries, right - left).into_iter().enumerate() {
        let total: f64 = row.iter().map(|&e| sizes.entry(&entries[e].name) + 2.0 * sizes.gap()).sum();
        let mut x = left + ((right - left - total) / 2.0).max(0.0) + sizes.gap();
        let y = top + (i as f64 + 0.5) * sizes.row();
        for e in row {
            one(&entries[e], x, y, sizes, right - x, shapes);
            x += sizes.entry(&entries[e].name) + 2.0 * sizes.gap();
        }
    }
}

fn one(entry: &Entry, x: f64, y: f64, sizes: Sizes, most: f64, shapes: &mut Vec<Shape>) {
    let (end, middle) = (x + sizes.swatch(), x + sizes.swatch() / 2.0);
    for part in &entry.parts {
        swatch(part, (x, middle, end), y, sizes, shapes);
    }
    let at = end + sizes.gap();
    let name = font::fit(&entry.name, sizes.text, most - sizes.swatch() - sizes.gap());
    shapes.push(Shape::text(at, y, &name, sizes.text, TEXT, Side::Left));
}

fn swatch(part: &Part, (x, middle, end): (f64, f64, f64), y: f64, sizes: Sizes, shapes: &mut Vec<Shape>) {
    let half = sizes.text * 0.32;
    match part.mark {
        Mark::Line => shapes.push(Shape::line((x, y), (end, y), part.rgb, LINE)),
        Mark::Theory | Mark::AcrossAt | Mark::UpAt => {
            let width = if part.mark == Mark::Theory { LINE } else { GUIDE_LINE };
            let pattern = part.dash.unwrap_or(&[7.0, 4.0]);
            let ends = match part.mark {
                Mark::UpAt => [(middle, y - sizes.text * 0.5), (middle, y + sizes.text * 0.5)],
                _ => [(x, y), (end, y)],
            };
            let pieces = dash(&ends, pattern);
            shapes.extend(pieces.into_iter().map(|points| Shape::Path { points, rgb: part.rgb, width }));
        }
        Mark::Band => {
            let points = vec![(x, y - half), (end, y - half), (end, y + half), (x, y + half)];
            shapes.push(Shape::Polygon { points, rgb: part.rgb, alpha: BAND });
        }
        Mark::Bars => {
            let (x0, x1) = (middle - half * 1.4, middle + half * 1.4);
            shapes.push(Shape::Rect { x0, y0: y - half, x1, y1: y + half, rgb: part.rgb, alpha: 1.0 });
        }
        Mark::Points => shapes.push(marker(middle, y, sizes.text * 0.27, part.marker, part.rgb)),
        Mark::Whiskers => {
            shapes.push(Shape::line((middle, y - 1.4 * half), (middle, y + 1.4 * half), part.rgb, WHISKER));
            shapes.push(marker(middle, y, sizes.text * 0.27, part.marker, part.rgb));
        }
    }
}

/// Widths of lines and the strength of a band, in pixels and as a share.
pub(crate) const LINE: f64 = 2.2;
pub(crate) const GUIDE_LINE: f64 = 1.3;
pub(crate) const WHISKER: f64 = 1.5;
pub(crate) const BAND: f64 = 0.22;

/// A point's marker: disc, square, triangle, diamond or inverted triangle, so that series differ without colour.
pub(crate) fn marker(x: f64, y: f64, radius: f64, kind: usize, rgb: Rgb) -> Shape {
    let polygon = |corners: &[(f64, f64)]| Shape::Polygon {
        points: corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect(),
        rgb,
        alpha: 1.0,
    };
    match kind % 5 {
        0 => Shape::Dot { x, y, radius, rgb },
        1 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => polygon(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
        3 => polygon(&[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)]),
        _ => polygon(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
    }
}

/// Colour of guide lines and frames.
pub(crate) const GUIDE_INK: Rgb = FAINT;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corner_without_data_is_chosen() {
        let plot = (0.0, 0.0, 400.0, 300.0);
        // A falling line leaves the top right free, a rising one the top left.
        let falling: Vec<(f64, f64)> = (0..100).map(|i| (4.0 * f64::from(i), 3.0 * f64::from(i))).collect();
        let (area, covered) = best_corner(plot, (120.0, 60.0), &falling);
        assert_eq!((area.2, area.1, covered), (392.0, 8.0, 0));
        let rising: Vec<(f64, f64)> = falling.iter().map(|(x, y)| (*x, 300.0 - y)).collect();
        let (area, covered) = best_corner(plot, (120.0, 60.0), &rising);
        assert_eq!((area.0, area.1, covered), (8.0, 8.0, 0));
        let everywhere: Vec<(f64, f64)> =
            (0..1200).map(|i| (f64::from(i % 40) * 10.0, f64::from(i / 40) * 10.0)).collect();
        assert!(best_corner(plot, (120.0, 60.0), &everywhere).1 > 0);
    }

    #[test]
    fn rows_below_fit_the_width() {
        let names = ["one", "another name", "a third and longer name", "four"];
        let entries: Vec<Entry> = names.iter().map(|n| Entry { name: (*n).to_string(), parts: Vec::new() }).collect();
        let sizes = Sizes { text: 14.0 };
        let rows = sizes.rows(&entries, 260.0);
        assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), 4);
        assert!(rows.len() > 1 && sizes.rows(&entries, 2000.0).len() == 1);
    }
}
