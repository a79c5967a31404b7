//! The shapes of a laid-out figure, and the step that sends them through a plotters backend.
//!
//! Layout works in logical pixels (f64). plotters backends take whole numbers, so our backends count tenths of a logical
//! pixel: [`SUB`] units each. One layout therefore gives the same picture in SVG and in PNG.

use plotters::prelude::{Circle, DrawingBackend, IntoDrawingArea, PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBAColor, ShapeStyle, TextStyle};

use super::font;
use super::palette::Rgb;
use crate::display::Error;

/// Backend units per logical pixel.
pub(crate) const SUB: f64 = 10.0;

/// Where the given point lies on a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    Left,
    Middle,
    Right,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// An open line.
    Path {
        points: Vec<(f64, f64)>,
        rgb: Rgb,
        width: f64,
    },
    /// A filled area.
    Polygon {
        points: Vec<(f64, f64)>,
        rgb: Rgb,
        alpha: f64,
    },
    /// A filled rectangle with sides along the axes.
    Rect {
        x0: f64,
        y0: f64,
        x1: f64,
        y1: f64,
        rgb: Rgb,
        alpha: f64,
    },
    /// A filled disc.
    Dot {
        x: f64,
        y: f64,
        radius: f64,
        rgb: Rgb,
    },
    /// A line of text centred on `y` (capitals); `turned` text runs upwards and is centred on `x`.
    Text {
        x: f64,
        y: f64,
        text: String,
        size: f64,
        rgb: Rgb,
        side: Side,
        turned: bool,
    },
    /// An RGB image, one pixel per logical pixel.
    Image {
        x: f64,
        y: f64,
        width: u32,
        height: u32,
        rgb: Vec<u8>,
    },
}

impl Shape {
    pub fn text(x: f64, y: f64, text: &str, size: f64, rgb: Rgb, side: Side) -> Shape {
        Shape::Text {
            x,
            y,
            text: text.to_string(),
            size,
            rgb,
            side,
            turned: false,
        }
    }

    pub fn line(a: (f64, f64), b: (f64, f64), rgb: Rgb, width: f64) -> Shape {
        Shape::Path {
            points: vec![a, b],
            rgb,
            width,
        }
    }

    /// Left, top, right, bottom of a text; `None` for other shapes.
    #[cfg(test)]
    pub fn text_box(&self) -> Option<(f64, f64, f64, f64)> {
        let Shape::Text {
            x,
            y,
            text,
            size,
            side,
            turned,
            ..
        } = self
        else {
            return None;
        };
        let width = font::width(text, *size);
        let before = match side {
            Side::Left => 0.0,
            Side::Middle => width / 2.0,
            Side::Right => width,
        };
        let half = size * font::CAP / 2.0;
        Some(if *turned {
            (x - half, y - (width - before), x + half, y + before)
        } else {
            (x - before, y - half, x - before + width, y + half)
        })
    }
}

fn units(value: f64) -> i32 {
    (value * SUB).round() as i32
}

fn point(&(x, y): &(f64, f64)) -> (i32, i32) {
    (units(x), units(y))
}

fn ink((r, g, b): Rgb, alpha: f64, width: f64, filled: bool) -> ShapeStyle {
    ShapeStyle {
        color: RGBAColor(r, g, b, alpha),
        filled,
        stroke_width: units(width).max(1) as u32,
    }
}

/// Draws the shapes in order on a plotters backend whose unit is 1/[`SUB`] of a logical pixel.
pub(crate) fn draw<B: DrawingBackend>(backend: B, shapes: &[Shape]) -> Result<(), Error> {
    font::use_embedded_font();
    let area = backend.into_drawing_area();
    for shape in shapes {
        let done = match shape {
            Shape::Path { points, rgb, width } => {
                let points: Vec<(i32, i32)> = points.iter().map(point).collect();
                area.draw(&PathElement::new(points, ink(*rgb, 1.0, *width, false)))
            }
            Shape::Polygon { points, rgb, alpha } => {
                let points: Vec<(i32, i32)> = points.iter().map(point).collect();
                area.draw(&Polygon::new(points, ink(*rgb, *alpha, 0.1, true)))
            }
            Shape::Rect {
                x0,
                y0,
                x1,
                y1,
                rgb,
                alpha,
            } => {
                let corners = [point(&(*x0, *y0)), point(&(*x1, *y1))];
                area.draw(&Rectangle::new(corners, ink(*rgb, *alpha, 0.1, true)))
            }
            Shape::Dot { x, y, radius, rgb } => area.draw(&Circle::new(
                point(&(*x, *y)),
                units(*radius),
                ink(*rgb, 1.0, 0.1, true),
            )),
            Shape::Text {
                x,
                y,
                text,
                size,
                rgb,
                side,
                turned,
            } => {
                let font = ("sans-serif", size * SUB).into();
                let mut style = TextStyle {
                    font,
                    color: plotters_backend::BackendColor {
                        alpha: 1.0,
                        rgb: *rgb,
                    },
                    pos: Pos::new(
                        match side {
                            Side::Left => HPos::Left,
                            Side::Middle => HPos::Center,
                            Side::Right => HPos::Right,
                        },
                        VPos::Center,
                    ),
                };
                if *turned {
                    style.font = style.font.transform(FontTransform::Rotate270);
                }
                area.draw_text(text, &style, point(&(*x, *y)))
            }
            Shape::Image {
                x,
                y,
                width,
                height,
                rgb,
            } => {
                use plotters::element::BitMapElement;
                let (x, y) = point(&(*x, *y));
                match BitMapElement::with_ref((x, y), (*width, *height), rgb.as_slice()) {
                    Some(image) => area.draw(&image),
                    None => Ok(()),
                }
            }
        };
        done.map_err(|e| Error::Draw {
            message: e.to_string(),
        })?;
    }
    area.present().map_err(|e| Error::Draw {
        message: e.to_string(),
    })
}

/// The start of a text's baseline and whether it runs upwards, from the arguments of a backend's `draw_text`.
///
/// `pos` and `size` are in backend units; vertical centring is on the height of capitals.
pub(crate) fn baseline<S: plotters_backend::BackendTextStyle>(
    text: &str,
    style: &S,
    pos: (i32, i32),
) -> (f64, f64, bool) {
    let size = style.size();
    let width = font::width(text, size);
    let anchor = style.anchor();
    let along = match anchor.h_pos {
        HPos::Left => 0.0,
        HPos::Center => -width / 2.0,
        HPos::Right => -width,
    };
    let down = match anchor.v_pos {
        VPos::Top => size * font::CAP,
        VPos::Center => size * font::CAP / 2.0,
        VPos::Bottom => 0.0,
    };
    let (x, y) = (f64::from(pos.0), f64::from(pos.1));
    match style.transform() {
        FontTransform::Rotate270 | FontTransform::Rotate90 => (x + down, y - along, true),
        _ => (x + along, y + down, false),
    }
}

/// Parts of a polyline that lie inside a rectangle (left, top, right, bottom).
pub(crate) fn clip(points: &[(f64, f64)], area: (f64, f64, f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut parts: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut part: Vec<(f64, f64)> = Vec::new();
    for pair in points.windows(2) {
        let Some((a, b)) = clip_segment(pair[0], pair[1], area) else {
            if part.len() > 1 {
                parts.push(std::mem::take(&mut part));
            }
            part.clear();
            continue;
        };
        if part.last() != Some(&a) {
            if part.len() > 1 {
                parts.push(std::mem::take(&mut part));
            }
            part = vec![a];
        }
        part.push(b);
    }
    if part.len() > 1 {
        parts.push(part);
    }
    parts
}

/// Liang-Barsky clipping of one segment.
fn clip_segment(
    a: (f64, f64),
    b: (f64, f64),
    (left, top, right, bottom): (f64, f64, f64, f64),
) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (slope, room) in [
        (-dx, a.0 - left),
        (dx, right - a.0),
        (-dy, a.1 - top),
        (dy, bottom - a.1),
    ] {
        if slope == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if slope < 0.0 {
            enter = enter.max(room / slope);
        } else {
            leave = leave.min(room / slope);
        }
    }
    if enter > leave {
        return None;
    }
    let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
    let first = if enter > 0.0 { at(enter) } else { a };
    let last = if leave < 1.0 { at(leave) } else { b };
    Some((first, last))
}

/// The same line with the points left out that lie within `tolerance` of it (Douglas-Peucker).
pub(crate) fn simplify(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    if points.len() < 3 {
        return points.to_vec();
    }
    let mut keep = vec![false; points.len()];
    keep[0] = true;
    keep[points.len() - 1] = true;
    let mut stack = vec![(0, points.len() - 1)];
    while let Some((first, last)) = stack.pop() {
        let (a, b) = (points[first], points[last]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy);
        let mut worst = (0.0, first);
        for (i, p) in points.iter().enumerate().take(last).skip(first + 1) {
            let (px, py) = (p.0 - a.0, p.1 - a.1);
            let along = if length > 0.0 {
                (px * dx + py * dy) / length
            } else {
                0.0
            };
            // Beyond the ends the distance is to the end point, so that a line going back on itself is kept.
            let distance = if length == 0.0 || along < 0.0 {
                px.hypot(py)
            } else if along > length {
                (p.0 - b.0).hypot(p.1 - b.1)
            } else {
                (px * dy - py * dx).abs() / length
            };
            if distance > worst.0 {
                worst = (distance, i);
            }
        }
        if worst.0 > tolerance {
            keep[worst.1] = true;
            stack.push((first, worst.1));
            stack.push((worst.1, last));
        }
    }
    points
        .iter()
        .zip(keep)
        .filter(|(_, keep)| *keep)
        .map(|(p, _)| *p)
        .collect()
}

/// Pieces of a line of the lengths in `pattern`, drawn and skipped in turn.
pub(crate) fn dash(points: &[(f64, f64)], pattern: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let Some(&start) = points.first() else {
        return pieces;
    };
    let (mut step, mut left) = (0, pattern[0]);
    let mut piece = vec![start];
    let mut at = start;
    for &end in &points[1..] {
        loop {
            let (dx, dy) = (end.0 - at.0, end.1 - at.1);
            let length = dx.hypot(dy);
            if length < left {
                left -= length;
                piece.push(end);
                at = end;
                break;
            }
            let part = if length > 0.0 { left / length } else { 1.0 };
            at = (at.0 + part * dx, at.1 + part * dy);
            piece.push(at);
            if step % 2 == 0 && piece.len() > 1 {
                pieces.push(std::mem::take(&mut piece));
            }
            piece = vec![at];
            step = (step + 1) % pattern.len();
            left = pattern[step];
        }
    }
    if step % 2 == 0 && piece.last() != piece.first() {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_only_what_is_inside() {
        let area = (0.0, 0.0, 10.0, 10.0);
        let parts = clip(
            &[
                (-5.0, 5.0),
                (5.0, 5.0),
                (15.0, 5.0),
                (15.0, 20.0),
                (5.0, 20.0),
                (5.0, 5.0),
            ],
            area,
        );
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0], [(0.0, 5.0), (5.0, 5.0), (10.0, 5.0)]);
        assert_eq!(parts[1], [(5.0, 10.0), (5.0, 5.0)]);
        assert!(clip(&[(-1.0, -1.0), (-2.0, 5.0)], area).is_empty());
    }

    #[test]
    fn simplifying_stays_within_the_tolerance() {
        let curve: Vec<(f64, f64)> = (0..1000)
            .map(|i| (f64::from(i) * 0.5, 100.0 * (f64::from(i) * 0.01).sin()))
            .collect();
        let fewer = simplify(&curve, 0.1);
        assert!(fewer.len() < 200, "{}", fewer.len());
        assert_eq!((fewer[0], fewer[fewer.len() - 1]), (curve[0], curve[999]));
        assert_eq!(
            simplify(&[(0.0, 0.0), (5.0, 0.0), (10.0, 0.0)], 0.1).len(),
            2
        );
        assert_eq!(
            simplify(&[(0.0, 0.0), (10.0, 0.0), (0.0, 0.0)], 0.1).len(),
            3
        );
    }

    #[test]
    fn dashes_have_the_given_lengths_across_corners() {
        let pieces = dash(&[(0.0, 0.0), (5.0, 0.0), (5.0, 25.0)], &[6.0, 4.0]);
        let length = |p: &Vec<(f64, f64)>| -> f64 {
            p.windows(2)
                .map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1))
                .sum()
        };
        assert_eq!(pieces.len(), 3);
        assert!(pieces.iter().all(|p| (length(p) - 6.0).abs() < 1e-9));
        assert_eq!(pieces[0], [(0.0, 0.0), (5.0, 0.0), (5.0, 1.0)]);
    }
}
