//! Heat maps: cells, colours and the colour bar.

use std::collections::BTreeMap;

use ndarray::Array2;

use super::axes::{self, Axis, Spread};
use super::palette::{self, Rgb};
use super::shape::Shape;
use crate::Error;

/// Colour of a cell without a value.
const MISSING: Rgb = (190, 190, 190);
/// Most cells drawn as rectangles; more become an image.
const MOST_RECTS: usize = 1200;

#[derive(Clone, Debug)]
pub(crate) struct Heat {
    pub values: Array2<f64>,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub label: String,
    pub log: bool,
    pub signed: bool,
    pub limits: Option<(f64, f64)>,
    /// Whether the colour bar is drawn.
    pub bar: bool,
    /// Row and column of the cells to be framed.
    pub marked: Vec<(usize, usize)>,
}

/// The scale between values and colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colours {
    pub spread: Spread,
    pub signed: bool,
    pub low: f64,
    pub high: f64,
    /// Cells without a colour.
    pub missing: usize,
}

impl Colours {
    pub fn of(&self, value: f64) -> Option<Rgb> {
        if !value.is_finite() || (self.spread == Spread::Log && value <= 0.0) {
            return None;
        }
        let axis = Axis { spread: self.spread, low: self.low, high: self.high, from: 0.0, to: 1.0 };
        Some(self.at(axis.pixel(value)))
    }

    pub fn at(&self, unit: f64) -> Rgb {
        if self.signed { palette::diverging(unit) } else { palette::sequential(unit) }
    }
}

impl Heat {
    pub fn new(values: &Array2<f64>, x: Vec<f64>, y: Vec<f64>, label: &str) -> Result<Heat, Error> {
        let (rows, columns) = values.dim();
        let fail = |problem: String| Err(Error::HeatMap { label: label.to_string(), problem });
        if rows == 0 || columns == 0 {
            return fail(format!("the matrix is {rows} x {columns}; give it at least one row and one column"));
        }
        let fill = |centres: Vec<f64>, n: usize| {
            if centres.is_empty() { (0..n).map(|i| i as f64).collect() } else { centres }
        };
        let (x, y) = (fill(x, columns), fill(y, rows));
        for (name, centres, n) in [("x", &x, columns), ("y", &y, rows)] {
            if centres.len() != n {
                return fail(format!(
                    "{} {name} centres for a matrix of {rows} rows and {columns} columns; give {n} or none",
                    centres.len()
                ));
            }
            let increasing = centres.windows(2).all(|w| w[0] < w[1]) && centres.iter().all(|v| v.is_finite());
            if !increasing {
                return fail(format!("the {name} centres are not finite and increasing; sort them with the matrix"));
            }
        }
        let values = values.clone();
        Ok(Heat {
            values,
            x,
            y,
            label: label.to_string(),
            log: false,
            signed: false,
            limits: None,
            bar: true,
            marked: Vec::new(),
        })
    }

    /// Row and column of the cell that holds the point (x, y) on axes of these spreads.
    pub fn cell_at(&self, (x, y): (f64, f64), (x_spread, y_spread): (Spread, Spread)) -> Option<(usize, usize)> {
        let find = |centres: &[f64], spread, v: f64| {
            let edges = Heat::edges(centres, spread);
            edges.windows(2).position(|w| w[0] <= v && v <= w[1])
        };
        Some((find(&self.y, y_spread, y)?, find(&self.x, x_spread, x)?))
    }

    /// The frames of the marked cells: a black line with a white one around it, to be seen on any colour.
    pub fn frames(&self, x_axis: &Axis, y_axis: &Axis) -> Vec<Shape> {
        let across = Heat::edges(&self.x, x_axis.spread);
        let down = Heat::edges(&self.y, y_axis.spread);
        let mut shapes = Vec::new();
        for (rgb, width, inset) in [(palette::WHITE, 4.0, 2.0), ((0, 0, 0), 2.0, 1.0)] {
            for &(row, column) in &self.marked {
                let (x0, x1) = (x_axis.pixel(across[column]) + inset, x_axis.pixel(across[column + 1]) - inset);
                let (y0, y1) = (y_axis.pixel(down[row + 1]) + inset, y_axis.pixel(down[row]) - inset);
                shapes.push(Shape::Path {
                    points: vec![(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0), (x1, y0)],
                    rgb,
                    width,
                });
            }
        }
        shapes
    }

    /// Edges of the cells along an axis: half way between centres, the outer ones as far out as in.
    pub fn edges(centres: &[f64], spread: Spread) -> Vec<f64> {
        let log = spread == Spread::Log;
        let inner: Vec<f64> = if log { centres.iter().map(|v| v.ln()).collect() } else { centres.to_vec() };
        let n = inner.len();
        let half = |a: f64, b: f64| (b - a) / 2.0;
        let mut edges = Vec::with_capacity(n + 1);
        if n == 1 {
            let reach = if log { std::f64::consts::LN_2 / 2.0 } else { 0.5 };
            edges.extend([inner[0] - reach, inner[0] + reach]);
        } else {
            edges.push(inner[0] - half(inner[0], inner[1]));
            edges.extend(inner.windows(2).map(|w| w[0] + half(w[0], w[1])));
            edges.push(inner[n - 1] + half(inner[n - 2], inner[n - 1]));
        }
        if log { edges.into_iter().map(f64::exp).collect() } else { edges }
    }

    pub fn colours(&self) -> Result<Colours, Error> {
        let spread = if self.log { Spread::Log } else { Spread::Linear };
        let usable = |v: &&f64| v.is_finite() && (!self.log || **v > 0.0);
        let missing = self.values.iter().filter(|v| !usable(v)).count();
        if missing == self.values.len() {
            let problem = if self.log {
                "no cell is finite and positive; leave log_colour out or check the values"
            } else {
                "no cell is finite; check the values"
            };
            return Err(Error::HeatMap { label: self.label.clone(), problem: problem.to_string() });
        }
        let used = self.values.iter().filter(usable);
        let (mut low, mut high) =
            used.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        if self.signed {
            let most = low.abs().max(high.abs());
            (low, high) = (-most, most);
        }
        if let Some(limits) = self.limits {
            (low, high) = limits;
            let sound = low.is_finite() && high.is_finite() && low < high && (!self.log || low > 0.0);
            if !sound {
                let problem = format!(
                    "colour limits ({low}, {high}) must be finite and increasing, and positive with log_colour"
                );
                return Err(Error::HeatMap { label: self.label.clone(), problem });
            }
        }
        if self.signed && self.log {
            let problem = "signed and logarithmic colours exclude each other; choose one".to_string();
            return Err(Error::HeatMap { label: self.label.clone(), problem });
        }
        if low >= high {
            (low, high) = axes::range(spread, low, high, 0.0);
        }
        Ok(Colours { spread, signed: self.signed, low, high, missing })
    }

    /// The cells as shapes; neighbours of one colour in a row are merged, large maps become one image.
    pub fn cells(&self, x_axis: &Axis, y_axis: &Axis, colours: &Colours) -> Vec<Shape> {
        let clamp = |axis: &Axis, v: f64| {
            let (low, high) = (axis.from.min(axis.to), axis.from.max(axis.to));
            axis.pixel(v).round().clamp(low.round(), high.round())
        };
        let across: Vec<f64> = Heat::edges(&self.x, x_axis.spread).into_iter().map(|v| clamp(x_axis, v)).collect();
        let down: Vec<f64> = Heat::edges(&self.y, y_axis.spread).into_iter().map(|v| clamp(y_axis, v)).collect();
        let colour = |row: usize, column: usize| colours.of(self.values[(row, column)]).unwrap_or(MISSING);
        let (rows, columns) = self.values.dim();
        if rows * columns > MOST_RECTS {
            return self.image(&across, &down, &colour);
        }
        // Grouped by colour, as the SVG shares one path among neighbours of one colour.
        let mut groups: BTreeMap<Rgb, Vec<Shape>> = BTreeMap::new();
        for row in 0..rows {
            let (y1, y0) = (down[row], down[row + 1]);
            let mut start = 0;
            for column in 1..=columns {
                let rgb = colour(row, start);
                if column < columns && colour(row, column) == rgb {
                    continue;
                }
                let (x0, x1) = (across[start], across[column]);
                if x1 > x0 && y1 > y0 {
                    groups.entry(rgb).or_default().push(Shape::Rect { x0, y0, x1, y1, rgb, alpha: 1.0 });
                }
                start = column;
            }
        }
        groups.into_values().flatten().collect()
    }

    fn image(&self, across: &[f64], down: &[f64], colour: &dyn Fn(usize, usize) -> Rgb) -> Vec<Shape> {
        let (rows, columns) = self.values.dim();
        let (left, right) = (across[0], across[columns]);
        let (bottom, top) = (down[0], down[rows]);
        let (width, height) = ((right - left) as usize, (bottom - top) as usize);
        let mut rgb = vec![255; width * height * 3];
        for row in 0..rows {
            for column in 0..columns {
                let (r, g, b) = colour(row, column);
                for y in (down[row + 1] - top) as usize..(down[row] - top) as usize {
                    for x in (across[column] - left) as usize..(across[column + 1] - left) as usize {
                        let at = (y * width + x) * 3;
                        rgb[at..at + 3].copy_from_slice(&[r, g, b]);
                    }
                }
            }
        }
        vec![Shape::Image { x: left, y: top, width: width as u32, height: height as u32, rgb }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_half_way_in_value_or_in_logarithm() {
        assert_eq!(Heat::edges(&[0.0, 1.0, 3.0], Spread::Linear), [-0.5, 0.5, 2.0, 4.0]);
        let edges = Heat::edges(&[1.0, 4.0], Spread::Log);
        assert!(edges.iter().zip([0.5, 2.0, 8.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(Heat::edges(&[5.0], Spread::Linear), [4.5, 5.5]);
    }

    #[test]
    fn bad_shapes_are_refused_with_numbers() {
        let error = Heat::new(&Array2::zeros((0, 3)), vec![], vec![], "m").unwrap_err();
        assert!(error.to_string().contains("0 x 3"));
        let error = Heat::new(&Array2::zeros((2, 3)), vec![1.0], vec![], "m").unwrap_err();
        assert!(error.to_string().contains("1 x centres"));
        let error = Heat::new(&Array2::zeros((2, 2)), vec![2.0, 1.0], vec![], "m").unwrap_err();
        assert!(error.to_string().contains("increasing"));
        let heat = Heat::new(&Array2::from_elem((2, 2), f64::NAN), vec![], vec![], "m").unwrap();
        assert!(heat.colours().is_err());
    }

    #[test]
    fn cells_are_found_by_any_point_in_them() {
        let heat = Heat::new(&Array2::zeros((2, 3)), vec![1.0, 2.0, 3.0], vec![], "m").unwrap();
        let linear = (Spread::Linear, Spread::Linear);
        assert_eq!(heat.cell_at((3.4, -0.4), linear), Some((0, 2)));
        assert_eq!(heat.cell_at((1.0, 1.0), linear), Some((1, 0)));
        assert_eq!(heat.cell_at((1.45, 1.0), linear), Some((1, 0)));
        assert_eq!(heat.cell_at((1.45, 1.0), (Spread::Log, Spread::Linear)), Some((1, 1)));
        assert_eq!(heat.cell_at((3.6, 0.0), linear), None);
        assert_eq!(heat.cell_at((f64::NAN, 0.0), linear), None);
    }

    #[test]
    fn missing_cells_are_counted_and_signed_maps_are_even() {
        let mut values = Array2::from_shape_fn((2, 2), |(i, j)| (i + j) as f64 - 3.0);
        values[(0, 0)] = f64::NAN;
        let mut heat = Heat::new(&values, vec![], vec![], "m").unwrap();
        heat.signed = true;
        let colours = heat.colours().unwrap();
        assert_eq!((colours.low, colours.high, colours.missing), (-2.0, 2.0, 1));
        assert_eq!(colours.of(f64::NAN), None);
    }

    #[test]
    fn cells_tile_the_axes_once_in_both_forms() {
        let area = |n: usize| -> (f64, usize) {
            let values = Array2::from_shape_fn((n, n), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
            let heat = Heat::new(&values, vec![], vec![], "m").unwrap();
            let (low, high) = (-0.5, n as f64 - 0.5);
            let x = Axis { spread: Spread::Linear, low, high, from: 10.0, to: 310.0 };
            let y = Axis { spread: Spread::Linear, low, high, from: 220.0, to: 20.0 };
            let shapes = heat.cells(&x, &y, &heat.colours().unwrap());
            let total = shapes
                .iter()
                .map(|s| match s {
                    Shape::Rect { x0, y0, x1, y1, .. } => (x1 - x0) * (y1 - y0),
                    Shape::Image { width, height, .. } => f64::from(width * height),
                    _ => 0.0,
                })
                .sum();
            (total, shapes.len())
        };
        assert_eq!(area(10).0, 60_000.0);
        assert_eq!(area(50), (60_000.0, 1));
    }

    #[test]
    fn the_first_row_is_at_the_bottom() {
        let values = ndarray::array![[0.0, 0.0], [1.0, 1.0]];
        let heat = Heat::new(&values, vec![], vec![], "m").unwrap();
        let x = Axis { spread: Spread::Linear, low: -0.5, high: 1.5, from: 0.0, to: 20.0 };
        let y = Axis { spread: Spread::Linear, low: -0.5, high: 1.5, from: 20.0, to: 0.0 };
        let cells = heat.cells(&x, &y, &heat.colours().unwrap());
        let dark = palette::sequential(0.0);
        let found = cells.iter().any(|s| matches!(s, Shape::Rect { y0, rgb, .. } if *rgb == dark && *y0 == 10.0));
        assert!(found, "{cells:?}");
    }
}
