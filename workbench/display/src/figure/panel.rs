//! One panel of a figure: axes, series and how they are drawn.

use ndarray::{Array1, Array2};

use super::axes::Spread;
use super::heatmap::Heat;
use super::palette::PALETTE;
use crate::Error;

/// Something that can be drawn as numbers: slices, vectors and arrays of floats or integers.
pub trait Numbers {
    /// The values as floats.
    fn to_floats(&self) -> Vec<f64>;
}

macro_rules! numbers_for {
    ($($number:ty),+) => {$(
        impl Numbers for [$number] {
            fn to_floats(&self) -> Vec<f64> { self.iter().map(|&v| v as f64).collect() }
        }
        impl Numbers for Vec<$number> {
            fn to_floats(&self) -> Vec<f64> { self.as_slice().to_floats() }
        }
        impl<const N: usize> Numbers for [$number; N] {
            fn to_floats(&self) -> Vec<f64> { self.as_slice().to_floats() }
        }
        impl Numbers for Array1<$number> {
            fn to_floats(&self) -> Vec<f64> { self.iter().map(|&v| v as f64).collect() }
        }
    )+};
}

numbers_for!(f64, f32, i32, i64, u32, u64, usize);

impl<T: Numbers + ?Sized> Numbers for &T {
    fn to_floats(&self) -> Vec<f64> {
        (**self).to_floats()
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mark {
    Line,
    Points,
    /// Points with a vertical bar from `low` to `high`.
    Whiskers,
    Band,
    Theory,
    Bars,
    AcrossAt,
    UpAt,
}

#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub name: String,
    pub mark: Mark,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    /// Palette index, when chosen by the caller.
    pub colour: Option<usize>,
}

/// Where the legend goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// In a corner that covers no data, else below the axes.
    Auto,
    Below,
    Nowhere,
}

/// A panel: a title, two labelled axes and any number of series, or a heat map.
///
/// Builders take and return the panel. The first bad input is kept and reported when the figure is shown or saved, so a
/// chain never stops in the middle. Series of one name share a colour and one legend entry (a band with its line, say).
/// Points that cannot be drawn (not finite, or not positive on a log axis) are left out, counted, and the count is printed
/// under the figure; a series with nothing left is an error. In any text, `^{..}` raises and `_{..}` lowers.
///
/// ```
/// use workbench_display::{Figure, Panel};
/// let d = [64, 128, 256, 512];
/// let error = [0.5, 0.36, 0.25, 0.18];
/// let rate: Vec<f64> = d.iter().map(|&d| 4.0 / f64::from(d).sqrt()).collect();
/// let panel = Panel::new("Error against dimension")
///     .x_label("dimension d")
///     .y_label("relative error")
///     .log_x()
///     .log_y()
///     .points("measured", &d, &error)
///     .theory("4 d^{−1/2}", &d, &rate);
/// let svg = Figure::new("Scaling").panel(panel).caption("Lower is better.").svg()?;
/// assert!(svg.starts_with("<svg"));
/// # Ok::<(), workbench_display::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Panel {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) x_spread: Spread,
    pub(crate) y_spread: Spread,
    pub(crate) x_limits: Option<(f64, f64)>,
    pub(crate) y_limits: Option<(f64, f64)>,
    pub(crate) layers: Vec<Layer>,
    pub(crate) heat: Option<Heat>,
    pub(crate) place: Place,
    pub(crate) error: Option<Error>,
}

impl Panel {
    /// An empty panel with linear axes.
    pub fn new(title: &str) -> Panel {
        Panel {
            title: title.to_string(),
            x_label: String::new(),
            y_label: String::new(),
            x_spread: Spread::Linear,
            y_spread: Spread::Linear,
            x_limits: None,
            y_limits: None,
            layers: Vec::new(),
            heat: None,
            place: Place::Auto,
            error: None,
        }
    }

    /// Label of the horizontal axis, with its unit.
    pub fn x_label(mut self, label: &str) -> Panel {
        self.x_label = label.to_string();
        self
    }

    /// Label of the vertical axis, with its unit.
    pub fn y_label(mut self, label: &str) -> Panel {
        self.y_label = label.to_string();
        self
    }

    /// Makes the horizontal axis logarithmic.
    pub fn log_x(mut self) -> Panel {
        self.x_spread = Spread::Log;
        self
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(mut self) -> Panel {
        self.y_spread = Spread::Log;
        self
    }

    /// Fixes the range of the horizontal axis. Lines are cut at it; points outside are left out and counted.
    pub fn x_limits(mut self, low: f64, high: f64) -> Panel {
        self.x_limits = Some((low, high));
        self
    }

    /// Fixes the range of the vertical axis. Lines are cut at it; points outside are left out and counted.
    pub fn y_limits(mut self, low: f64, high: f64) -> Panel {
        self.y_limits = Some((low, high));
        self
    }

    /// A solid line. **Shapes** `x`, `y`: n values each.
    pub fn line<X: Numbers + ?Sized, Y: Numbers + ?Sized>(self, name: &str, x: &X, y: &Y) -> Panel {
        self.layer(name, Mark::Line, x.to_floats(), vec![("y", y.to_floats())])
    }

    /// Separate points. **Shapes** `x`, `y`: n values each.
    pub fn points<X: Numbers + ?Sized, Y: Numbers + ?Sized>(self, name: &str, x: &X, y: &Y) -> Panel {
        self.layer(name, Mark::Points, x.to_floats(), vec![("y", y.to_floats())])
    }

    /// Points with error bars from `low` to `high`. **Shapes** n values each.
    pub fn error_bars<X, Y, L, H>(self, name: &str, x: &X, y: &Y, low: &L, high: &H) -> Panel
    where
        X: Numbers + ?Sized,
        Y: Numbers + ?Sized,
        L: Numbers + ?Sized,
        H: Numbers + ?Sized,
    {
        let inputs = vec![("y", y.to_floats()), ("low", low.to_floats()), ("high", high.to_floats())];
        self.layer(name, Mark::Whiskers, x.to_floats(), inputs)
    }

    /// A translucent band between `low` and `high`, for a confidence interval. **Shapes** n values each.
    pub fn band<X, L, H>(self, name: &str, x: &X, low: &L, high: &H) -> Panel
    where
        X: Numbers + ?Sized,
        L: Numbers + ?Sized,
        H: Numbers + ?Sized,
    {
        let inputs = vec![("low", low.to_floats()), ("high", high.to_floats())];
        self.layer(name, Mark::Band, x.to_floats(), inputs)
    }

    /// A dashed line for a prediction; its formula is its legend entry. **Shapes** `x`, `y`: n values each.
    ///
    /// Theory lines are black, each further one with another dash and colour; [`Panel::colour`] changes that.
    pub fn theory<X: Numbers + ?Sized, Y: Numbers + ?Sized>(self, formula: &str, x: &X, y: &Y) -> Panel {
        self.layer(formula, Mark::Theory, x.to_floats(), vec![("y", y.to_floats())])
    }

    /// Bars from zero (from the axis, on a log axis) to `y`, centred on `x`. **Shapes** n values each.
    pub fn bars<X: Numbers + ?Sized, Y: Numbers + ?Sized>(self, name: &str, x: &X, y: &Y) -> Panel {
        self.layer(name, Mark::Bars, x.to_floats(), vec![("y", y.to_floats())])
    }

    /// A thin level line across the panel; an empty name gives no legend entry.
    pub fn hline(self, name: &str, y: f64) -> Panel {
        self.layer(name, Mark::AcrossAt, vec![0.0], vec![("y", vec![y])])
    }

    /// A thin upright line; an empty name gives no legend entry.
    pub fn vline(self, name: &str, x: f64) -> Panel {
        self.layer(name, Mark::UpAt, vec![x], vec![("y", vec![0.0])])
    }

    /// Sets the colour of the series added last: an index into [`PALETTE`].
    pub fn colour(mut self, index: usize) -> Panel {
        if index >= PALETTE.len() {
            self.fail(Error::Setting {
                operation: "panel",
                name: "colour",
                value: index.to_string(),
                allowed: "0 to 7",
            });
        }
        if let Some(layer) = self.layers.last_mut() {
            layer.colour = Some(index);
        }
        self
    }

    /// A heat map with a colour bar. **Shapes** `values`: (n_y, n_x), row 0 at the smallest `y`; `x`: n_x centres of the
    /// columns; `y`: n_y centres of the rows, both strictly increasing. Empty `x` or `y` stand for 0, 1, 2, ...
    ///
    /// Cells reach half way to their neighbours (in the logarithm on a log axis), so lines and points can be drawn on the
    /// same axes. Cells that are not finite are grey and counted.
    pub fn heatmap<X: Numbers + ?Sized, Y: Numbers + ?Sized>(
        mut self,
        values: &Array2<f64>,
        x: &X,
        y: &Y,
        bar_label: &str,
    ) -> Panel {
        match Heat::new(values, x.to_floats(), y.to_floats(), bar_label) {
            Ok(heat) => self.heat = Some(heat),
            Err(error) => self.fail(error),
        }
        self
    }

    /// Makes the colours of the heat map logarithmic; values that are not positive are grey and counted.
    pub fn log_colour(self) -> Panel {
        self.on_heat("log_colour", |heat| heat.log = true)
    }

    /// Uses blue, white and vermilion for negative, zero and positive values of the heat map.
    pub fn signed_colour(self) -> Panel {
        self.on_heat("signed_colour", |heat| heat.signed = true)
    }

    /// Fixes the values at the two ends of the colour bar. Values beyond take the end colours.
    pub fn colour_limits(self, low: f64, high: f64) -> Panel {
        self.on_heat("colour_limits", move |heat| heat.limits = Some((low, high)))
    }

    /// Leaves the colour bar of the heat map out, for small multiples whose scale another panel or the caption gives.
    pub fn no_colour_bar(self) -> Panel {
        self.on_heat("no_colour_bar", |heat| heat.bar = false)
    }

    /// Draws a black frame around the cell of the heat map that holds the point (`x`, `y`). It has no legend entry.
    ///
    /// A point outside the map is an error.
    pub fn mark_cell(mut self, x: f64, y: f64) -> Panel {
        let spreads = (self.x_spread, self.y_spread);
        match self.heat.as_ref().map(|heat| heat.cell_at((x, y), spreads)) {
            Some(None) => {
                let label = self.title.clone();
                let problem = format!("mark_cell({x}, {y}) lies outside the map; give a point in one of its cells");
                self.fail(Error::HeatMap { label, problem });
                self
            }
            cell => self.on_heat("mark_cell", |heat| heat.marked.extend(cell.flatten())),
        }
    }

    /// Puts the legend below the axes.
    pub fn legend_below(mut self) -> Panel {
        self.place = Place::Below;
        self
    }

    /// Leaves the legend out.
    pub fn no_legend(mut self) -> Panel {
        self.place = Place::Nowhere;
        self
    }

    fn on_heat(mut self, operation: &'static str, change: impl FnOnce(&mut Heat)) -> Panel {
        match &mut self.heat {
            Some(heat) => change(heat),
            None => self.fail(Error::HeatMap {
                label: self.title.clone(),
                problem: format!("{operation} needs a heat map; call .heatmap(..) first"),
            }),
        }
        self
    }

    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    fn layer(mut self, name: &str, mark: Mark, x: Vec<f64>, inputs: Vec<(&'static str, Vec<f64>)>) -> Panel {
        if x.is_empty() {
            self.fail(Error::EmptySeries { series: name.to_string() });
            return self;
        }
        let mut layer =
            Layer { name: name.to_string(), mark, x, y: Vec::new(), low: Vec::new(), high: Vec::new(), colour: None };
        for (what, values) in inputs {
            if values.len() != layer.x.len() {
                let (found, expected) = (values.len(), layer.x.len());
                self.fail(Error::SeriesLength { series: name.to_string(), what, found, expected });
                return self;
            }
            match what {
                "low" => layer.low = values,
                "high" => layer.high = values,
                _ => layer.y = values,
            }
        }
        self.layers.push(layer);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_numbers_are_taken() {
        let panel = Panel::new("")
            .line("a", &[1, 2], &[1.0, 2.0])
            .line("b", &vec![1_usize, 2], &Array1::from(vec![1.0, 2.0]))
            .line("c", &[1_u64, 2][..], &[1.0_f32, 2.0]);
        assert!(panel.error.is_none());
        assert_eq!(panel.layers[1].x, [1.0, 2.0]);
    }

    #[test]
    fn the_first_bad_input_is_kept() {
        let panel =
            Panel::new("").line("a", &[1.0, 2.0], &[1.0]).points("b", &[0.0; 0], &[0.0; 0]).line("c", &[1.0], &[1.0]);
        assert!(matches!(panel.error, Some(Error::SeriesLength { found: 1, expected: 2, .. })));
        let panel = Panel::new("").points("b", &[0.0; 0], &[0.0; 0]);
        assert!(matches!(panel.error, Some(Error::EmptySeries { .. })));
        assert!(matches!(Panel::new("").log_colour().error, Some(Error::HeatMap { .. })));
        assert!(matches!(Panel::new("").mark_cell(0.0, 0.0).error, Some(Error::HeatMap { .. })));
        let map = Panel::new("map").heatmap(&Array2::zeros((2, 3)), &[1.0, 2.0, 3.0], &[0.0, 1.0], "");
        assert!(map.clone().mark_cell(3.0, 1.0).no_colour_bar().error.is_none());
        let error = map.mark_cell(4.0, 1.0).error.unwrap();
        assert!(error.to_string().contains("(4, 1) lies outside"), "{error}");
        assert!(matches!(Panel::new("").colour(8).error, Some(Error::Setting { .. })));
    }
}
