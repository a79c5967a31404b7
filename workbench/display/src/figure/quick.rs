//! Figures in one call, and estimates as they are.

use workbench_ground::stats::Estimate;
use workbench_ground::tabulated::{Columns, Values};

use super::{Figure, Numbers, Panel};
use crate::Error;

impl Panel {
    /// A solid line on two logarithmic axes, on which a power law is straight. **Shapes** `x`, `y`: n values each.
    pub fn loglog<X: Numbers + ?Sized, Y: Numbers + ?Sized>(self, name: &str, x: &X, y: &Y) -> Panel {
        self.log_x().log_y().line(name, x, y)
    }

    /// Points with the intervals of the estimates as error bars. **Shapes** `x`, `estimates`: n values each.
    ///
    /// ```
    /// use workbench_display::{Figure, Panel};
    /// use workbench_ground::stats::Estimate;
    /// let error = [Estimate::new(0.5, 0.4, 0.6, 20, 0.999)?, Estimate::new(0.25, 0.2, 0.3, 20, 0.999)?];
    /// let panel = Panel::new("").x_label("d").y_label("error").estimates("measured", &[64, 128], &error);
    /// assert!(Figure::new("Error").panel(panel).text()?.contains("with error bars, 2 points"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn estimates<X: Numbers + ?Sized>(self, name: &str, x: &X, estimates: &[Estimate]) -> Panel {
        let [value, low, high] = parts(estimates);
        self.error_bars(name, x, &value, &low, &high)
    }

    /// A line through the estimates and a band over their intervals. **Shapes** `x`, `estimates`: n values each.
    pub fn estimated_line<X: Numbers + ?Sized>(self, name: &str, x: &X, estimates: &[Estimate]) -> Panel {
        let [value, low, high] = parts(estimates);
        self.band(name, x, &low, &high).line(name, x, &value)
    }
}

fn parts(estimates: &[Estimate]) -> [Vec<f64>; 3] {
    let part = |f: fn(&Estimate) -> f64| estimates.iter().map(f).collect();
    [part(|e| e.value), part(|e| e.low), part(|e| e.high)]
}

impl Figure {
    /// A figure of one solid line, where no panel is needed. **Shapes** `x`, `y`: n values each.
    ///
    /// ```
    /// use workbench_display::Figure;
    /// let d = [64, 128, 256];
    /// let figure = Figure::loglog(&d, &[0.5, 0.36, 0.25]).labels("dimension d", "error").title("Scaling");
    /// assert!(figure.text()?.contains("x: dimension d, "));
    /// # Ok::<(), workbench_display::Error>(())
    /// ```
    pub fn line<X: Numbers + ?Sized, Y: Numbers + ?Sized>(x: &X, y: &Y) -> Figure {
        Figure::new("").panel(Panel::new("").line("", x, y))
    }

    /// A figure of separate points; see [`Figure::line`].
    pub fn points<X: Numbers + ?Sized, Y: Numbers + ?Sized>(x: &X, y: &Y) -> Figure {
        Figure::new("").panel(Panel::new("").points("", x, y))
    }

    /// A figure of one solid line on two logarithmic axes; see [`Figure::line`].
    pub fn loglog<X: Numbers + ?Sized, Y: Numbers + ?Sized>(x: &X, y: &Y) -> Figure {
        Figure::new("").panel(Panel::new("").loglog("", x, y))
    }

    /// The curves of a result: a line for each column of numbers, a line with a band for estimates. Other columns are left out.
    ///
    /// **Errors**: [`Error::EmptyFigure`] without a column of numbers that is x, or without another one.
    pub(crate) fn of_columns(columns: &Columns) -> Result<Figure, Error> {
        let numbers = |values: &Values| -> Option<Vec<f64>> {
            match values {
                Values::Floats(v) => Some(v.iter().map(|x| x.unwrap_or(f64::NAN)).collect()),
                Values::Integers(v) => Some(v.iter().map(|n| n.map_or(f64::NAN, |n| n as f64)).collect()),
                Values::Estimates(v) => Some(v.iter().map(|e| e.map_or(f64::NAN, |e| e.value)).collect()),
                Values::Strings(_) | Values::Booleans(_) => None,
            }
        };
        let refused = |problem| Error::EmptyFigure { title: columns.title.clone(), problem };
        let across = columns.x.and_then(|x| columns.list.get(x));
        let (label, x) = across
            .and_then(|(label, x)| Some((label, numbers(x)?)))
            .ok_or_else(|| refused("no column of numbers is x; show it as a table, with .table()"))?;
        let mut panel = Panel::new("").x_label(label);
        panel = if columns.log_x { panel.log_x() } else { panel };
        panel = if columns.log_y { panel.log_y() } else { panel };
        let mut names = Vec::new();
        let others = columns.list.iter().enumerate().filter(|(k, _)| Some(*k) != columns.x);
        for (name, values) in others.map(|(_, column)| column) {
            let Some(y) = numbers(values) else { continue };
            names.push(name);
            panel = match values {
                Values::Estimates(v) => {
                    let known: Vec<Estimate> = v.iter().map(|e| e.unwrap_or(Estimate::exact(f64::NAN))).collect();
                    panel.estimated_line(name, &x, &known)
                }
                _ => panel.line(name, &x, &y),
            };
        }
        match names[..] {
            [] => Err(refused("no column of numbers beside x; show it as a table, with .table()")),
            [name] => Ok(Figure::new(&columns.title).panel(panel.y_label(name))),
            _ => Ok(Figure::new(&columns.title).panel(panel)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_drawn_with_their_intervals() {
        let estimates =
            [Estimate::new(2.0, 1.0, 4.0, 9, 0.999).unwrap(), Estimate::new(3.0, 2.5, 3.5, 9, 0.999).unwrap()];
        let text = |panel: Panel| Figure::new("").panel(panel).text().unwrap();
        let points = text(Panel::new("").estimates("measured", &[1, 2], &estimates));
        assert!(points.contains("measured: with error bars, 2 points, x 1.000 to 2.000, y 1.000 to 4.000"), "{points}");
        let line = text(Panel::new("").estimated_line("measured", &[1, 2], &estimates));
        assert!(line.contains("measured: band, 2 points") && line.contains("measured: line, 2 points"), "{line}");
        let short = Panel::new("").estimates("measured", &[1], &estimates);
        assert!(matches!(short.error, Some(Error::SeriesLength { found: 2, expected: 1, .. })));
    }

    #[test]
    fn one_call_makes_a_figure() {
        let (x, y) = ([1.0, 10.0, 100.0], [1.0, 0.1, 0.01]);
        let text = Figure::line(&x, &y).labels("t", "loss").title("Decay").text().unwrap();
        assert!(text.starts_with("Figure: Decay\n  x: t, ") && !text.contains("log"), "{text}");
        assert!(text.contains("  y: loss, "), "{text}");
        let text = Figure::loglog(&x, &y).text().unwrap();
        assert_eq!(text.matches(", log").count(), 2, "{text}");
        assert!(Figure::points(&x, &y).text().unwrap().contains("separate, 3 points"));
        assert!(matches!(Figure::new("").labels("t", "loss").text(), Err(Error::EmptyFigure { .. })));
    }

    #[test]
    fn columns_become_curves_over_x() {
        let estimates = [Estimate::exact(0.5), Estimate::exact(0.25)];
        let columns =
            Columns::new("Errors").with("method", ["a", "b"]).x("d", [64, 128]).with("error", estimates).log_y();
        let text = Figure::of_columns(&columns).unwrap().text().unwrap();
        assert!(text.contains("  x: d, ") && text.contains("  y: error, ") && text.contains("error: band"), "{text}");
        let several = columns.clone().with("bound", [Some(1.0), None]);
        let text = Figure::of_columns(&several).unwrap().text().unwrap();
        assert!(text.contains("  y: no label") && text.contains("bound: line, 1 point,"), "{text}");
        for broken in
            [Columns::new("").with("y", [1.0]), Columns::new("").x("x", ["a"]), Columns::new("").x("x", [1.0])]
        {
            assert!(matches!(Figure::of_columns(&broken), Err(Error::EmptyFigure { .. })));
        }
    }
}
