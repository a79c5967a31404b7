//! A plotters backend that paints an anti-aliased RGB image, with the same layout and text as the SVG.

use std::convert::Infallible;

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use super::encode::encode;
use super::font;
use super::shape::{SUB, Shape, baseline, draw};
use crate::Error;

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// The figure as a PNG file, `scale` image pixels per logical pixel.
pub(crate) fn render(shapes: &[Shape], (width, height): (u32, u32), scale: f64) -> Result<Vec<u8>, Error> {
    let size = ((f64::from(width) * scale).round() as usize, (f64::from(height) * scale).round() as usize);
    let mut canvas = Canvas { size, scale, rgb: vec![255; size.0 * size.1 * 3] };
    draw(Backend { canvas: &mut canvas, size: (width, height) }, shapes)?;
    encode(&canvas.rgb, (size.0 as u32, size.1 as u32))
}

struct Canvas {
    size: (usize, usize),
    scale: f64,
    rgb: Vec<u8>,
}

impl Canvas {
    fn pixel(&mut self, x: i64, y: i64, color: BackendColor, cover: f64) {
        if x < 0 || y < 0 || x >= self.size.0 as i64 || y >= self.size.1 as i64 {
            return;
        }
        let at = (y as usize * self.size.0 + x as usize) * 3;
        // Sixteen levels of cover are smooth to the eye and keep the file small.
        let alpha = color.alpha * (cover.min(1.0) * 16.0).round() / 16.0;
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip([color.rgb.0, color.rgb.1, color.rgb.2]) {
            *old = (f64::from(*old) + alpha * (f64::from(new) - f64::from(*old))).round() as u8;
        }
    }

    /// Fills closed contours given in image pixels. Contours of one orientation that overlap count once.
    fn fill(&mut self, contours: &[Vec<(f64, f64)>], color: BackendColor) {
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        for &(x, y) in contours.iter().flatten() {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        if low.0 > high.0 || color.alpha <= 0.0 {
            return;
        }
        // One pixel of room on every side keeps the rasteriser inside its buffer.
        let origin = (low.0.floor() - 1.0, low.1.floor() - 1.0);
        let size = ((high.0 - origin.0).ceil() as usize + 2, (high.1 - origin.1).ceil() as usize + 2);
        let mut raster = Rasterizer::new(size.0, size.1);
        let local = |&(x, y): &(f64, f64)| -> Point { point((x - origin.0) as f32, (y - origin.1) as f32) };
        for contour in contours {
            for (i, p) in contour.iter().enumerate() {
                raster.draw_line(local(p), local(&contour[(i + 1) % contour.len()]));
            }
        }
        let (left, top) = (origin.0 as i64, origin.1 as i64);
        raster.for_each_pixel_2d(|x, y, cover| {
            if cover > 0.0 {
                self.pixel(left + i64::from(x), top + i64::from(y), color, f64::from(cover));
            }
        });
    }
}

/// The outline of a thick line as pieces of one orientation: a box per segment and a disc per joint.
fn thick(points: &[(f64, f64)], width: f64) -> Vec<Vec<(f64, f64)>> {
    let half = width / 2.0;
    let mut pieces = Vec::new();
    for (i, pair) in points.windows(2).enumerate() {
        let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
        let length = (bx - ax).hypot(by - ay);
        if length == 0.0 {
            continue;
        }
        let (nx, ny) = (-(by - ay) / length * half, (bx - ax) / length * half);
        pieces.push(vec![(ax - nx, ay - ny), (bx - nx, by - ny), (bx + nx, by + ny), (ax + nx, ay + ny)]);
        if i > 0 && width > 1.5 {
            pieces.push(disc(ax, ay, half));
        }
    }
    pieces
}

fn disc(x: f64, y: f64, radius: f64) -> Vec<(f64, f64)> {
    let corners = (8.0 + 4.0 * radius) as usize;
    (0..corners)
        .map(|i| {
            let (sin, cos) = (i as f64 / corners as f64 * std::f64::consts::TAU).sin_cos();
            (x + radius * cos, y + radius * sin)
        })
        .collect()
}

/// A glyph's contours with curves flattened, mapped to image pixels.
fn glyph(c: char, place: &dyn Fn(f64, f64) -> (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    const STEPS: i32 = 6;
    let mut contours: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut at = (0.0, 0.0);
    for stroke in font::outline(c) {
        if let font::Stroke::Move(x, y) = stroke {
            contours.push(vec![place(x, y)]);
            at = (x, y);
            continue;
        }
        let Some(contour) = contours.last_mut() else {
            continue;
        };
        match stroke {
            font::Stroke::Move(..) => {}
            font::Stroke::Line(x, y) => {
                contour.push(place(x, y));
                at = (x, y);
            }
            font::Stroke::Quad(cx, cy, x, y) => {
                for i in 1..=STEPS {
                    let t = f64::from(i) / f64::from(STEPS);
                    let u = 1.0 - t;
                    let mix = |a: f64, b: f64, c: f64| u * u * a + 2.0 * u * t * b + t * t * c;
                    contour.push(place(mix(at.0, cx, x), mix(at.1, cy, y)));
                }
                at = (x, y);
            }
            font::Stroke::Cubic(cx, cy, dx, dy, x, y) => {
                for i in 1..=STEPS {
                    let t = f64::from(i) / f64::from(STEPS);
                    let u = 1.0 - t;
                    let mix = |a: f64, b: f64, c: f64, d: f64| {
                        u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
                    };
                    contour.push(place(mix(at.0, cx, dx, x), mix(at.1, cy, dy, y)));
                }
                at = (x, y);
            }
        }
    }
    contours
}

struct Backend<'a> {
    canvas: &'a mut Canvas,
    size: (u32, u32),
}

impl Backend<'_> {
    fn place(&self, (x, y): BackendCoord) -> (f64, f64) {
        let scale = self.canvas.scale / SUB;
        (f64::from(x) * scale, f64::from(y) * scale)
    }
}

impl DrawingBackend for Backend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.size.0 * SUB as u32, self.size.1 * SUB as u32)
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
        if fill {
            // Whole pixels: neighbouring cells of a heat map meet without a seam.
            let whole = |p: BackendCoord| {
                let (x, y) = self.place(p);
                (x.round(), y.round())
            };
            let corners = corners.map(whole).to_vec();
            self.canvas.fill(&[corners], style.color());
            Ok(())
        } else {
            self.draw_path([corners[0], corners[1], corners[2], corners[3], corners[0]], style)
        }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        let points: Vec<(f64, f64)> = path.into_iter().map(|p| self.place(p)).collect();
        let width = f64::from(style.stroke_width()) * self.canvas.scale / SUB;
        self.canvas.fill(&thick(&points, width), style.color());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        let (x, y) = self.place(center);
        let mut ring = disc(x, y, f64::from(radius) * self.canvas.scale / SUB);
        if fill {
            self.canvas.fill(&[ring], style.color());
        } else {
            ring.extend(ring.first().copied());
            let width = f64::from(style.stroke_width()) * self.canvas.scale / SUB;
            self.canvas.fill(&thick(&ring, width), style.color());
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, vert: I, style: &S) -> Done {
        let points: Vec<(f64, f64)> = vert.into_iter().map(|p| self.place(p)).collect();
        self.canvas.fill(&[points], style.color());
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, pos: BackendCoord) -> Done {
        let (x, y, turned) = baseline(text, style, pos);
        let scale = self.canvas.scale / SUB;
        let units = font::units_per_em();
        let em = style.size() * scale / units;
        let (x, y) = (x * scale, y * scale);
        for p in font::place(text).0 {
            let contours = glyph(p.c, &|gx, gy| {
                let (along, up) = ((p.x * units + gx * p.scale) * em, (p.rise * units + gy * p.scale) * em);
                if turned { (x - up, y - along) } else { (x + along, y - up) }
            });
            self.canvas.fill(&contours, style.color());
        }
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
    fn blit_bitmap(&mut self, pos: BackendCoord, (width, height): (u32, u32), src: &[u8]) -> Done {
        let (x, y) = self.place(pos);
        let scale = self.canvas.scale;
        let (left, top) = (x.round() as i64, y.round() as i64);
        let across = (f64::from(width) * scale).round() as i64;
        let down = (f64::from(height) * scale).round() as i64;
        for row in 0..down {
            let from_row = ((row as f64 / scale) as usize).min(height as usize - 1);
            for column in 0..across {
                let from_column = ((column as f64 / scale) as usize).min(width as usize - 1);
                let at = (from_row * width as usize + from_column) * 3;
                let color = BackendColor { alpha: 1.0, rgb: (src[at], src[at + 1], src[at + 2]) };
                self.canvas.pixel(left + column, top + row, color, 1.0);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::Side;
    use super::*;

    fn paint(shapes: &[Shape], size: (u32, u32), scale: f64) -> (u32, u32, Vec<u8>) {
        let bytes = render(shapes, size, scale).unwrap();
        let mut decoder = png::Decoder::new(bytes.as_slice());
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size()];
        let info = reader.next_frame(&mut rgb).unwrap();
        (info.width, info.height, rgb)
    }

    #[test]
    fn a_rectangle_covers_exactly_its_pixels() {
        let rect = Shape::Rect { x0: 2.0, y0: 1.0, x1: 5.0, y1: 3.0, rgb: (0, 0, 0), alpha: 1.0 };
        let (width, height, rgb) = paint(&[rect], (10, 6), 1.0);
        assert_eq!((width, height), (10, 6));
        let black = |x: usize, y: usize| rgb[(y * 10 + x) * 3] == 0;
        let count = (0..6).flat_map(|y| (0..10).map(move |x| (x, y))).filter(|&(x, y)| black(x, y)).count();
        assert_eq!(count, 6);
        assert!(black(2, 1) && black(4, 2) && !black(5, 2) && !black(2, 3));
    }

    #[test]
    fn a_line_has_its_width_and_overlaps_of_one_line_count_once() {
        let line = Shape::Path { points: vec![(0.0, 5.0), (10.0, 5.0), (20.0, 5.0)], rgb: (0, 0, 0), width: 2.0 };
        let (_, _, rgb) = paint(&[line], (20, 10), 2.0);
        let column: Vec<u8> = (0..20).map(|y| rgb[(y * 40 + 20) * 3]).collect();
        assert_eq!(column.iter().filter(|&&v| v == 0).count(), 4, "{column:?}");
        assert_eq!(column.iter().filter(|&&v| v == 255).count(), 16);
    }

    #[test]
    fn text_and_shapes_beyond_the_edge_are_cut_without_harm() {
        let text = Shape::text(-20.0, 2.0, "edge", 30.0, (0, 0, 0), Side::Left);
        let far = Shape::line((-50.0, -50.0), (100.0, 100.0), (0, 0, 0), 3.0);
        let (_, _, rgb) = paint(&[text, far], (20, 10), 1.0);
        assert!(rgb.iter().any(|&v| v < 100));
    }

    #[test]
    fn a_translucent_area_mixes_with_what_is_below() {
        let area =
            Shape::Polygon { points: vec![(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)], rgb: (0, 0, 0), alpha: 0.5 };
        let (_, _, rgb) = paint(&[area], (4, 4), 1.0);
        assert!(rgb[3 * 5].abs_diff(128) <= 1);
    }
}
