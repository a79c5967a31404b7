//! A figure: panels in a grid, a title, a caption, and its forms as SVG, PNG and text.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::axes::Spread;
use super::font;
use super::layout::{self, Fonts};
use super::palette::{FAINT, TEXT};
use super::panel::{Mark, Panel};
use super::ready::{Ready, ready};
use super::shape::{Shape, Side};
use super::{raster, svg};
use crate::{Bundle, Error, Mime, bundle, escape, export, number};

/// Image pixels per logical pixel of a PNG.
pub(crate) const PNG_SCALE: f64 = 1.5;
const MARGIN: f64 = 10.0;

/// One or more panels with a title and a caption that says how to read them.
///
/// As the last expression of a cell it shows an SVG with a PNG twin and a plain-text summary. Bad input never panics: the
/// first error is kept and shown as a message.
///
/// ```
/// use workbench_display::{Figure, Panel};
/// let x: Vec<f64> = (1..50).map(f64::from).collect();
/// let y: Vec<f64> = x.iter().map(|x| 1.0 / x).collect();
/// let figure = Figure::new("Decay")
///     .panel(Panel::new("").x_label("step").y_label("loss").log_y().line("loss", &x, &y))
///     .caption("The loss falls as 1/step.");
/// assert!(figure.svg()?.len() < 60_000);
/// assert!(figure.text()?.contains("loss: line, 49 points"));
/// # Ok::<(), workbench_display::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    title: String,
    caption: String,
    panels: Vec<Panel>,
    columns: Option<usize>,
    size: Option<(u32, u32)>,
    error: Option<Error>,
}

impl Figure {
    /// A figure without panels.
    pub fn new(title: &str) -> Figure {
        Figure {
            title: title.to_string(),
            caption: String::new(),
            panels: Vec::new(),
            columns: None,
            size: None,
            error: None,
        }
    }

    /// Adds a panel.
    pub fn panel(mut self, panel: Panel) -> Figure {
        self.panels.push(panel);
        self
    }

    /// The title above the panels.
    pub fn title(mut self, title: &str) -> Figure {
        self.title = title.to_string();
        self
    }

    /// Labels of the two axes of the panel added last.
    pub fn labels(mut self, x: &str, y: &str) -> Figure {
        if let Some(panel) = self.panels.pop() {
            self.panels.push(panel.x_label(x).y_label(y));
        }
        self
    }

    /// Panels per row, 1 to 6. Without it: one panel alone, two or four in rows of two, else rows of three.
    pub fn columns(mut self, columns: usize) -> Figure {
        if (1..=6).contains(&columns) {
            self.columns = Some(columns);
        } else {
            self.fail("columns", columns.to_string(), "1 to 6");
        }
        self
    }

    /// A caption below the panels that says how to read them.
    pub fn caption(mut self, caption: &str) -> Figure {
        self.caption = caption.to_string();
        self
    }

    /// Width and height of the whole figure in pixels, each 120 to 4000.
    pub fn size(mut self, width: u32, height: u32) -> Figure {
        if (120..=4000).contains(&width) && (120..=4000).contains(&height) {
            self.size = Some((width, height));
        } else {
            self.fail("size", format!("{width} x {height}"), "120 to 4000 each");
        }
        self
    }

    fn fail(&mut self, name: &'static str, value: String, allowed: &'static str) {
        self.error.get_or_insert(Error::Setting { operation: "figure", name, value, allowed });
    }

    /// The figure as an SVG document whose text needs no fonts.
    ///
    /// **Errors**: the first bad input given to the figure or one of its panels, or a size too small for its panels.
    pub fn svg(&self) -> Result<String, Error> {
        let scene = self.scene()?;
        svg::render(&scene.shapes, scene.size, self.name(), scene.description())
    }

    /// The figure as a PNG file with 1.5 image pixels per pixel of the figure.
    ///
    /// **Errors**: as for [`Figure::svg`].
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let scene = self.scene()?;
        raster::render(&scene.shapes, scene.size, PNG_SCALE)
    }

    /// The figure in words: panels, axes, series with their ranges, caption, and what was left out.
    ///
    /// **Errors**: as for [`Figure::svg`].
    pub fn text(&self) -> Result<String, Error> {
        Ok(self.scene()?.text)
    }

    /// All three forms as a bundle.
    ///
    /// **Errors**: as for [`Figure::svg`].
    pub fn to_bundle(&self) -> Result<Bundle, Error> {
        let scene = self.scene()?;
        let svg = svg::render(&scene.shapes, scene.size, self.name(), scene.description())?;
        let png = raster::render(&scene.shapes, scene.size, PNG_SCALE)?;
        Ok(Bundle::new(&scene.text).with(Mime::Svg, &svg).with_png(&png))
    }

    /// The figure behind a summary that opens it, for what a reader may pass over. It is a picture of its own, since the parts of drawings on
    /// one page may not have the same names.
    ///
    /// **Errors**: as for [`Figure::svg`].
    pub fn folded(&self, summary: &str) -> Result<Bundle, Error> {
        let (text, picture) = (self.text()?, STANDARD.encode(self.svg()?));
        let folded = format!(
            "<details><summary>{}</summary>\n<img alt=\"{}\" src=\"data:image/svg+xml;base64,{picture}\"></details>",
            escape::html(summary),
            escape::html(&text)
        );
        Ok(Bundle::new(&text).with(Mime::Html, &folded))
    }

    /// Saves the figure in the format named by the ending, `.svg` or `.png`, atomically. Missing folders are made.
    ///
    /// **Errors**: [`Error::Format`] for another ending, [`Error::Write`] if the file cannot be written, else as for
    /// [`Figure::svg`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        export::save_image(path.as_ref(), || self.svg(), || self.png())
    }

    /// Shows the figure as the output of a notebook cell; an error is shown as its message.
    pub fn evcxr_display(&self) {
        bundle::show(self.to_bundle());
    }

    /// The title, or that of the first panel.
    fn name(&self) -> &str {
        match self.panels.first() {
            Some(panel) if self.title.is_empty() => &panel.title,
            _ => &self.title,
        }
    }

    fn scene(&self) -> Result<Scene, Error> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if self.panels.is_empty() {
            let problem = "there is no panel; add one with .panel(Panel::new(..))";
            return Err(Error::EmptyFigure { title: self.title.clone(), problem });
        }
        let readies = self.panels.iter().map(ready).collect::<Result<Vec<Ready>, Error>>()?;
        let count = readies.len();
        let columns = self.columns.unwrap_or(match count {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        });
        let columns = columns.min(count);
        let rows = count.div_ceil(columns);
        let default_width = match columns {
            1 => 720,
            2 => 960,
            _ => 360 * columns as u32,
        };
        let width = self.size.map_or(default_width, |(width, _)| width);
        // More columns are shown smaller on a page of given width, so their text is larger.
        let factor = match columns {
            1 => 1.0,
            2 => 1.08,
            _ => 1.12,
        };
        let fonts = Fonts::new(factor);
        let inner = f64::from(width) - 2.0 * MARGIN;
        let notes: Vec<&String> = readies.iter().flat_map(|r| &r.notes).collect();
        let caption_lines = font::wrap(&self.caption, fonts.tick, inner);
        let note_size = fonts.tick * 0.88;
        let note_lines: Vec<String> = notes.iter().flat_map(|n| font::wrap(n, note_size, inner)).collect();
        let title_lines = font::wrap(&self.title, fonts.title * 1.12, inner);
        let head = MARGIN + title_lines.len() as f64 * fonts.title * 1.5;
        let line = fonts.tick * 1.4;
        let foot_lines = caption_lines.len() + note_lines.len();
        let foot = MARGIN + foot_lines as f64 * line + if foot_lines > 0 { 6.0 } else { 0.0 };
        let gap = fonts.tick * 1.3;
        let panel_width = (inner - gap * (columns as f64 - 1.0)) / columns as f64;
        let ratio = if columns == 1 { 0.6 } else { 0.8 };
        let height = self.size.map_or_else(
            || head + foot + rows as f64 * panel_width * ratio + (rows as f64 - 1.0) * gap,
            |(_, height)| f64::from(height),
        );
        let panel_height = (height - head - foot - gap * (rows as f64 - 1.0)) / rows as f64;
        let mut shapes = Vec::new();
        for (i, text) in title_lines.iter().enumerate() {
            let y = MARGIN + (i as f64 + 0.45) * fonts.title * 1.5;
            shapes.push(Shape::text(MARGIN, y, text, fonts.title * 1.12, TEXT, Side::Left));
        }
        let place = |i: usize| {
            let x = MARGIN + (i % columns) as f64 * (panel_width + gap);
            let y = head + (i / columns) as f64 * (panel_height + gap);
            (x, y, x + panel_width, y + panel_height)
        };
        let mut reserve = vec![0.0_f64; rows];
        for (i, ready) in readies.iter().enumerate() {
            let row = &mut reserve[i / columns];
            *row = row.max(layout::legend_height(ready, place(i), fonts)?);
        }
        for (i, ready) in readies.iter().enumerate() {
            layout::panel(ready, place(i), fonts, reserve[i / columns], &mut shapes)?;
        }
        let foot_top = height - foot + 6.0;
        let lines =
            caption_lines.iter().map(|l| (l, fonts.tick, TEXT)).chain(note_lines.iter().map(|l| (l, note_size, FAINT)));
        for (i, (text, size, rgb)) in lines.enumerate() {
            let y = foot_top + (i as f64 + 0.5) * line;
            shapes.push(Shape::text(MARGIN, y, text, size, rgb, Side::Left));
        }
        let text = self.words(&readies);
        Ok(Scene { shapes, size: (width, height.round() as u32), text })
    }

    fn words(&self, readies: &[Ready]) -> String {
        let mut lines = vec![format!("Figure: {}", self.name())];
        for (i, ready) in readies.iter().enumerate() {
            let panel = ready.panel;
            if readies.len() > 1 || (!panel.title.is_empty() && !self.title.is_empty()) {
                lines.push(format!("Panel {}: {}", i + 1, panel.title).trim_end().trim_end_matches(':').to_string());
            }
            lines.push(format!("  x: {}", axis_words(&panel.x_label, panel.x_spread, ready.x)));
            lines.push(format!("  y: {}", axis_words(&panel.y_label, panel.y_spread, ready.y)));
            if let (Some(heat), Some(colours)) = (&panel.heat, &ready.colours) {
                let (rows, columns) = heat.values.dim();
                let scale = if heat.log { ", log colours" } else { "" };
                let label = spoken(if heat.label.is_empty() { "cells" } else { &heat.label });
                lines.push(format!(
                    "  {label}: heat map, {rows} rows × {columns} columns, {}{scale}",
                    span(colours.low, colours.high)
                ));
                for &(row, column) in &heat.marked {
                    let (x, y) = (heat.x[column], heat.y[row]);
                    let place = format!("x = {}, y = {}", number::significant(x, 4), number::significant(y, 4));
                    lines.push(format!("  framed cell: {place}"));
                }
            }
            for s in &ready.series {
                lines.push(format!("  {}", series_words(s)));
            }
        }
        if !self.caption.is_empty() {
            lines.push(self.caption.clone());
        }
        lines.extend(readies.iter().flat_map(|r| r.notes.iter().cloned()));
        lines.join("\n")
    }
}

impl Panel {
    /// Shows the panel as a figure of its own.
    pub fn evcxr_display(&self) {
        Figure::new("").panel(self.clone()).evcxr_display();
    }
}

struct Scene {
    shapes: Vec<Shape>,
    size: (u32, u32),
    text: String,
}

impl Scene {
    /// The words below the title.
    fn description(&self) -> &str {
        self.text.split_once('\n').map_or("", |(_, rest)| rest)
    }
}

fn span(low: f64, high: f64) -> String {
    format!("{} to {}", number::significant(low, 4), number::significant(high, 4))
}

fn axis_words(label: &str, spread: Spread, (low, high): (f64, f64)) -> String {
    let log = if spread == Spread::Log { ", log" } else { "" };
    let label = if label.is_empty() { "no label" } else { label };
    format!("{}, {}{log}", spoken(label), span(low, high))
}

fn series_words(s: &super::ready::Series) -> String {
    let fold = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        span(low, high)
    };
    let count = s.spots().count();
    let plural = if count == 1 { "" } else { "s" };
    let name = match s.name.is_empty() {
        true => String::new(),
        false => format!("{}: ", spoken(&s.name)),
    };
    let kind = match s.mark {
        Mark::Line => "line",
        Mark::Points => "separate",
        Mark::Whiskers => "with error bars,",
        Mark::Band => "band",
        Mark::Theory => "dashed theory line",
        Mark::Bars => "bars",
        Mark::AcrossAt => {
            let y = s.spots().next().map_or(f64::NAN, |p| p.y);
            return format!("{name}level line at y = {}", number::significant(y, 4));
        }
        Mark::UpAt => {
            let x = s.spots().next().map_or(f64::NAN, |p| p.x);
            return format!("{name}upright line at x = {}", number::significant(x, 4));
        }
    };
    let x = fold(&mut s.spots().map(|p| p.x));
    let y = fold(&mut s.spots().flat_map(|p| [p.low.unwrap_or(p.high), p.high, p.y]));
    format!("{name}{kind}, {count} point{plural}, x {x}, y {y}{}", ends(s)).replace(",,", ",")
}

/// Where a series begins and ends, which its range does not say.
fn ends(s: &super::ready::Series) -> String {
    let mut spots: Vec<_> = s.spots().collect();
    spots.sort_by(|a, b| a.x.total_cmp(&b.x));
    match (spots.first(), spots.last()) {
        (Some(first), Some(last)) if first.x < last.x && s.mark != Mark::Bars => format!(
            ", from {} at the left to {} at the right",
            number::significant(first.y, 4),
            number::significant(last.y, 4)
        ),
        _ => String::new(),
    }
}

/// A label without the braces that raise and lower: `d^{−1/2}` is `d^(−1/2)`.
pub(crate) fn spoken(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    let mut rest = label;
    while let Some(at) = rest.find(['^', '_']) {
        let (before, raised) = rest.split_at(at + 1);
        out.push_str(before);
        rest = raised;
        let Some((inside, after)) = raised.strip_prefix('{').and_then(|raised| raised.split_once('}')) else {
            continue;
        };
        match inside.chars().count() {
            1 => out.push_str(inside),
            _ => out.push_str(&format!("({inside})")),
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests;
