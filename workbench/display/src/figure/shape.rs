//! The shapes of a laid-out figure, and the step that sends them through a plotters backend.
//!
//! Layout works in logical pixels (f64). plotters backends take whole numbers, so our backends count tenths of a logical
//! pixel: [`SUB`] units each. One layout therefore gives the same picture in SVG and in PNG.

use plotters::prelude::{Circle, DrawingBackend, IntoDrawingArea, PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, RGBAColor, ShapeStyle, TextStyle};

use super::font;
use super::palette::Rgb;
use crate::Error;

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
    Path { points: Vec<(f64, f64)>, rgb: Rgb, width: f64 },
    /// A filled area.
    Polygon { points: Vec<(f64, f64)>, rgb: Rgb, alpha: f64 },
    /// A filled rectangle with sides along the axes.
    Rect { x0: f64, y0: f64, x1: f64, y1: f64, rgb: Rgb, alpha: f64 },
    /// A filled disc.
    Dot { x: f64, y: f64, radius: f64, rgb: Rgb },
    /// A line of text centred on `y` (capitals); `turned` text runs upwards and is centred on `x`.
    Text { x: f64, y: f64, text: String, size: f64, rgb: Rgb, side: Side, turned: bool },
    /// An RGB image, one pixel per logical pixel.
    Image { x: f64, y: f64, width: u32, height: u32, rgb: Vec<u8> },
}

impl Shape {
    pub fn text(x: f64, y: f64, text: &str, size: f64, rgb: Rgb, side: Side) -> Shape {
        Shape::Text { x, y, text: text.to_string(), size, rgb, side, turned: false }
    }

    pub fn line(a: (f64, f64), b: (f64, f64), rgb: Rgb, width: f64) -> Shape {
        Shape::Path { points: vec![a, b], rgb, width }
    }

    /// Left, top, right, bottom of a text; `None` for other shapes.
    pub fn text_box(&self) -> Option<(f64, f64, f64, f64)> {
        let Shape::Text { x, y, text, size, side, turned, .. } = self else {
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

    /// Left, top, right, bottom.
    pub fn bounds(&self) -> (f64, f64, f64, f64) {
        match self {
            Shape::Path { points, .. } | Shape::Polygon { points, .. } => {
                points.iter().fold((f64::MAX, f64::MAX, f64::MIN, f64::MIN), |(l, t, r, b), (x, y)| {
                    (l.min(*x), t.min(*y), r.max(*x), b.max(*y))
                })
            }
            Shape::Rect { x0, y0, x1, y1, .. } => (*x0, *y0, *x1, *y1),
            Shape::Dot { x, y, radius, .. } => (x - radius, y - radius, x + radius, y + radius),
            // Room for what hangs below the line.
            Shape::Text { size, .. } => {
                self.text_box().map_or((0.0, 0.0, 0.0, 0.0), |(l, t, r, b)| (l, t, r, b + 0.25 * size))
            }
            Shape::Image { x, y, width, height, .. } => (*x, *y, x + f64::from(*width), y + f64::from(*height)),
        }
    }

    /// The shape moved, then made larger by a factor. An image keeps its size.
    pub fn moved(mut self, (dx, dy): (f64, f64), by: f64) -> Shape {
        let place = |x: &mut f64, y: &mut f64| (*x, *y) = ((*x + dx) * by, (*y + dy) * by);
        match &mut self {
            Shape::Path { points, .. } | Shape::Polygon { points, .. } => {
                points.iter_mut().for_each(|(x, y)| place(x, y));
            }
            Shape::Rect { x0, y0, x1, y1, .. } => {
                place(x0, y0);
                place(x1, y1);
            }
            Shape::Dot { x, y, radius, .. } => {
                place(x, y);
                *radius *= by;
            }
            Shape::Text { x, y, size, .. } => {
                place(x, y);
                *size *= by;
            }
            Shape::Image { x, y, .. } => place(x, y),
        }
        self
    }
}

fn units(value: f64) -> i32 {
    (value * SUB).round() as i32
}

fn point(&(x, y): &(f64, f64)) -> (i32, i32) {
    (units(x), units(y))
}

fn ink((r, g, b): Rgb, alpha: f64, width: f64, filled: bool) -> ShapeStyle {
    ShapeStyle { color: RGBAColor(r, g, b, alpha), filled, stroke_width: units(width).max(1) as u32 }
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
            Shape::Rect { x0, y0, x1, y1, rgb, alpha } => {
                let corners = [point(&(*x0, *y0)), point(&(*x1, *y1))];
                area.draw(&Rectangle::new(corners, ink(*rgb, *alpha, 0.1, true)))
            }
            Shape::Dot { x, y, radius, rgb } => {
                area.draw(&Circle::new(point(&(*x, *y)), units(*radius), ink(*rgb, 1.0, 0.1, true)))
            }
            Shape::Text { x, y, text, size, rgb, side, turned } => {
                let font = ("sans-serif", size * SUB).into();
                let mut style = TextStyle {
                    font,
                    color: plotters_backend::BackendColor { alpha: 1.0, rgb: *rgb },
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
            Shape::Image { x, y, width, height, rgb } => {
                use plotters::element::BitMapElement;
                let (x, y) = point(&(*x, *y));
                match BitMapElement::with_ref((x, y), (*width, *height), rgb.as_slice()) {
                    Some(image) => area.draw(&image),
                    None => Ok(()),
                }
            }
        };
        done.map_err(|e| Error::Draw { message: e.to_string() })?;
    }
    area.present().map_err(|e| Error::Draw { message: e.to_string() })
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
