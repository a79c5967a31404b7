//! One panel as shapes: title, axes, series, legend, colour bar.

use super::axes::{Axis, Spread, Ticks, ticks};
use super::font;
use super::heatmap::{Colours, Heat};
use super::legend::{self, Area, BAND, Entry, GUIDE_INK, GUIDE_LINE, LINE, Sizes, WHISKER};
use super::palette::{GRID, TEXT};
use super::panel::{Mark, Place};
use super::ready::{Ready, Series, bar_half};
use super::shape::{Shape, Side, clip, dash, simplify};
use crate::display::{Error, number};

/// Text sizes of a figure in logical pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fonts {
    pub tick: f64,
    pub label: f64,
    pub title: f64,
}

impl Fonts {
    pub fn new(factor: f64) -> Fonts {
        Fonts {
            tick: 15.0 * factor,
            label: 16.0 * factor,
            title: 17.0 * factor,
        }
    }
}

const TICK: f64 = 5.0;
const MINOR: f64 = 3.0;
const SMALLEST_PLOT: f64 = 60.0;

/// Height a panel's legend needs below its axes; 0 if it fits inside or there is none.
pub(crate) fn legend_height(ready: &Ready, area: Area, fonts: Fonts) -> Result<f64, Error> {
    Ok(Plan::new(ready, area, fonts, 0.0)?.below)
}

/// Draws a panel into an area. `reserve` is kept free below the axes, so that the axes of one row of panels line up.
pub(crate) fn panel(
    ready: &Ready,
    area: Area,
    fonts: Fonts,
    reserve: f64,
    shapes: &mut Vec<Shape>,
) -> Result<(), Error> {
    let plan = Plan::new(ready, area, fonts, reserve)?;
    let sizes = Sizes { text: fonts.tick };
    plan.frame.draw(ready, shapes);
    match plan.corner {
        Some(place) => legend::boxed(&plan.entries, place, sizes, shapes),
        None if plan.below > 0.0 => {
            legend::below(
                &plan.entries,
                (area.0, area.2),
                plan.frame.legend_top,
                sizes,
                shapes,
            );
        }
        None => {}
    }
    Ok(())
}

/// Where the axes and the legend of a panel go.
struct Plan {
    frame: Frame,
    entries: Vec<Entry>,
    corner: Option<Area>,
    below: f64,
}

impl Plan {
    fn new(ready: &Ready, area: Area, fonts: Fonts, reserve: f64) -> Result<Plan, Error> {
        let entries = match ready.panel.place {
            Place::Nowhere => Vec::new(),
            _ => legend::entries(&ready.series),
        };
        let sizes = Sizes { text: fonts.tick };
        let mut frame = Frame::new(ready, area, fonts, reserve)?;
        if entries.is_empty() {
            return Ok(Plan {
                frame,
                entries,
                corner: None,
                below: 0.0,
            });
        }
        if ready.panel.place == Place::Auto && ready.panel.heat.is_none() {
            let size = sizes.column(&entries);
            let plot = frame.plot;
            let fits = size.0 < 0.62 * (plot.2 - plot.0) && size.1 < 0.55 * (plot.3 - plot.1);
            if fits {
                let (place, covered) = legend::best_corner(plot, size, &frame.covered(ready));
                if covered == 0 {
                    return Ok(Plan {
                        frame,
                        entries,
                        corner: Some(place),
                        below: 0.0,
                    });
                }
            }
        }
        let below = sizes.below_height(&entries, area.2 - area.0);
        if below > reserve {
            frame = Frame::new(ready, area, fonts, below)?;
        }
        Ok(Plan {
            frame,
            entries,
            corner: None,
            below,
        })
    }
}

/// The placed axes of a panel.
struct Frame {
    area: Area,
    plot: Area,
    fonts: Fonts,
    x: Axis,
    y: Axis,
    x_ticks: Ticks,
    y_ticks: Ticks,
    bar: Option<(Axis, Ticks)>,
    legend_top: f64,
}

impl Frame {
    fn new(ready: &Ready, area: Area, fonts: Fonts, legend: f64) -> Result<Frame, Error> {
        let (x0, y0, x1, y1) = area;
        let panel = ready.panel;
        let tick_height = fonts.tick;
        let title = if panel.title.is_empty() {
            fonts.tick * 0.6
        } else {
            fonts.title * 1.55
        };
        let x_label = if panel.x_label.is_empty() {
            0.0
        } else {
            fonts.label * 1.45
        };
        let y_label = if panel.y_label.is_empty() {
            0.0
        } else {
            fonts.label * 1.5
        };
        let bottom = y1 - legend - x_label - tick_height - TICK - 7.0;
        let mut top = y0 + title;
        // The y ticks depend on the height only, so they come first and give the left margin. A common factor of the
        // ticks is written above the axis and takes room there.
        let heat_rows = panel.heat.as_ref().map(|h| h.y.as_slice());
        let find = |top: f64| {
            let most = ((bottom - top) / (tick_height * 2.1)).clamp(2.0, 9.0) as usize;
            let bar = ready
                .colours
                .as_ref()
                .map(|c| ticks(c.spread, c.low, c.high, most.min(7)));
            (upright_ticks(panel.y_spread, ready.y, heat_rows, most), bar)
        };
        let (mut y_ticks, mut bar_ticks) = find(top);
        if y_ticks.factor.is_some() || bar_ticks.as_ref().is_some_and(|b| b.factor.is_some()) {
            top += tick_height * 1.2;
            (y_ticks, bar_ticks) = find(top);
        }
        let widest = |t: &Ticks| {
            t.major
                .iter()
                .map(|(_, l)| font::width(l, fonts.tick))
                .fold(0.0, f64::max)
        };
        let left = x0 + y_label + widest(&y_ticks) + TICK + 6.0;
        let bar_room = bar_ticks.as_ref().map_or(0.0, |t| {
            let label = panel.heat.as_ref().is_some_and(|h| !h.label.is_empty());
            BAR_GAP
                + BAR_WIDTH
                + TICK
                + 4.0
                + widest(t)
                + if label { fonts.label * 1.5 } else { 0.0 }
        });
        let mut right = x1
            - bar_room
            - if bar_room > 0.0 {
                2.0
            } else {
                fonts.tick * 0.7
            };
        let mut x_ticks = Ticks::default();
        // The last x label may reach over the right end; two rounds settle it.
        for _ in 0..2 {
            if right - left < SMALLEST_PLOT || bottom - top < SMALLEST_PLOT {
                return Err(Error::Setting {
                    operation: "figure",
                    name: "size",
                    value: format!("{:.0} x {:.0} for a panel", x1 - x0, y1 - y0),
                    allowed: "a size that leaves each panel about 200 x 180 pixels",
                });
            }
            let axis = Axis {
                spread: panel.x_spread,
                low: ready.x.0,
                high: ready.x.1,
                from: left,
                to: right,
            };
            x_ticks = level_ticks(
                &axis,
                panel.heat.as_ref().map(|h| h.x.as_slice()),
                fonts.tick,
            );
            let reach = x_ticks
                .major
                .iter()
                .map(|(v, l)| axis.pixel(*v) + font::width(l, fonts.tick) / 2.0)
                .fold(0.0, f64::max);
            if reach <= x1 - bar_room {
                break;
            }
            right -= reach - (x1 - bar_room);
        }
        let (left, right, top, bottom) = (left.round(), right.round(), top.round(), bottom.round());
        Ok(Frame {
            area,
            plot: (left, top, right, bottom),
            fonts,
            x: Axis {
                spread: panel.x_spread,
                low: ready.x.0,
                high: ready.x.1,
                from: left,
                to: right,
            },
            y: Axis {
                spread: panel.y_spread,
                low: ready.y.0,
                high: ready.y.1,
                from: bottom,
                to: top,
            },
            x_ticks,
            y_ticks,
            bar: ready.colours.as_ref().zip(bar_ticks).map(|(c, ticks)| {
                (
                    Axis {
                        spread: c.spread,
                        low: c.low,
                        high: c.high,
                        from: bottom,
                        to: top,
                    },
                    ticks,
                )
            }),
            legend_top: y1 - legend + 4.0,
        })
    }

    fn pixel(&self, x: f64, y: f64) -> (f64, f64) {
        // Far outside values are pulled in to keep the arithmetic of clipping exact enough.
        let pull = |v: f64| v.clamp(-1e6, 1e6);
        (pull(self.x.pixel(x)), pull(self.y.pixel(y)))
    }

    /// Points that a legend must not cover, dense enough that a line cannot pass between them.
    fn covered(&self, ready: &Ready) -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        for s in &ready.series {
            match s.mark {
                Mark::Points => points.extend(s.spots().map(|p| self.pixel(p.x, p.y))),
                Mark::Whiskers => {
                    for p in s.spots() {
                        let (a, b) = (self.foot(p.x, p.low), self.pixel(p.x, p.high));
                        sample(&[a, b], &mut points);
                    }
                }
                Mark::Band => {
                    for run in &s.runs {
                        let low: Vec<_> = run.iter().map(|p| self.foot(p.x, p.low)).collect();
                        let high: Vec<_> = run.iter().map(|p| self.pixel(p.x, p.high)).collect();
                        for step in 0..=4 {
                            let t = f64::from(step) / 4.0;
                            let mid: Vec<_> = low
                                .iter()
                                .zip(&high)
                                .map(|(a, b)| (a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)))
                                .collect();
                            sample(&mid, &mut points);
                        }
                    }
                }
                Mark::Bars => {
                    for p in s.spots() {
                        let (x0, y0, x1, y1) = self.bar_area(s, p.x, p.y);
                        sample(&[(x0, y1), (x0, y0), (x1, y0), (x1, y1)], &mut points);
                        sample(&[((x0 + x1) / 2.0, y0), ((x0 + x1) / 2.0, y1)], &mut points);
                    }
                }
                _ => {
                    for line in self.lines(s) {
                        sample(&line, &mut points);
                    }
                }
            }
        }
        points
    }

    fn foot(&self, x: f64, low: Option<f64>) -> (f64, f64) {
        match low {
            Some(low) => self.pixel(x, low),
            None => (self.pixel(x, self.y.high).0, self.y.from),
        }
    }

    fn bar_area(&self, s: &Series, x: f64, y: f64) -> Area {
        let half = bar_half(s);
        let (x0, x1) = match self.x.spread {
            Spread::Linear => (self.x.pixel(x - half), self.x.pixel(x + half)),
            Spread::Log => (self.x.pixel(x) - 5.0, self.x.pixel(x) + 5.0),
        };
        let base = match self.y.spread {
            Spread::Linear => self.y.pixel(0.0).clamp(self.y.to, self.y.from),
            Spread::Log => self.y.from,
        };
        let end = self.y.pixel(y).clamp(self.y.to, self.y.from);
        let (left, right) = (
            x0.clamp(self.x.from, self.x.to),
            x1.clamp(self.x.from, self.x.to),
        );
        (left, end.min(base), right, end.max(base))
    }

    /// The visible parts of a line-like series in pixels.
    fn lines(&self, s: &Series) -> Vec<Vec<(f64, f64)>> {
        let (left, top, right, bottom) = self.plot;
        match s.mark {
            Mark::AcrossAt => s
                .spots()
                .map(|p| self.y.pixel(p.y))
                .filter(|y| (top..=bottom).contains(y))
                .map(|y| vec![(left, y), (right, y)])
                .collect(),
            Mark::UpAt => s
                .spots()
                .map(|p| self.x.pixel(p.x))
                .filter(|x| (left..=right).contains(x))
                .map(|x| vec![(x, bottom), (x, top)])
                .collect(),
            _ => s
                .runs
                .iter()
                .flat_map(|run| {
                    let points: Vec<_> = run.iter().map(|p| self.pixel(p.x, p.y)).collect();
                    clip(&points, self.plot)
                })
                .map(|part| simplify(&part, 0.15))
                .collect(),
        }
    }

    fn draw(&self, ready: &Ready, shapes: &mut Vec<Shape>) {
        let (left, top, right, bottom) = self.plot;
        match (&ready.panel.heat, &ready.colours) {
            (Some(heat), Some(colours)) => {
                shapes.extend(heat.cells(&self.x, &self.y, colours));
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
                    self.band(
                        run.iter()
                            .map(|p| (self.foot(p.x, p.low), self.pixel(p.x, p.high))),
                        rgb,
                        shapes,
                    );
                }
            }
            Mark::Bars => {
                for p in s.spots() {
                    let (x0, y0, x1, y1) = self.bar_area(s, p.x, p.y);
                    if x1 > x0 && y1 > y0 {
                        shapes.push(Shape::Rect {
                            x0,
                            y0,
                            x1,
                            y1,
                            rgb,
                            alpha: 1.0,
                        });
                    }
                }
            }
            Mark::Line => {
                shapes.extend(self.lines(s).into_iter().map(|points| Shape::Path {
                    points,
                    rgb,
                    width: LINE,
                }));
                self.lone(s, shapes);
            }
            Mark::Theory | Mark::AcrossAt | Mark::UpAt => {
                let width = if s.mark == Mark::Theory {
                    LINE
                } else {
                    GUIDE_LINE
                };
                for line in self.lines(s) {
                    let pieces = dash(&line, s.dash.unwrap_or(&[7.0, 4.0]));
                    shapes.extend(pieces.into_iter().map(|points| Shape::Path {
                        points,
                        rgb,
                        width,
                    }));
                }
            }
            Mark::Whiskers => {
                for p in s.spots() {
                    let (a, b) = (self.foot(p.x, p.low), self.pixel(p.x, p.high));
                    for points in clip(&[a, b], self.plot) {
                        shapes.push(Shape::Path {
                            points,
                            rgb,
                            width: WHISKER,
                        });
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
                shapes.push(Shape::Dot {
                    x,
                    y,
                    radius: LINE,
                    rgb: s.rgb,
                });
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
    fn band(
        &self,
        pairs: impl Iterator<Item = ((f64, f64), (f64, f64))>,
        rgb: super::palette::Rgb,
        shapes: &mut Vec<Shape>,
    ) {
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
            let held = |line: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
                simplify(&hold(&line, top, bottom), 0.15)
            };
            let mut points = held(low);
            points.extend(held(high).into_iter().rev());
            shapes.push(Shape::Polygon {
                points,
                rgb,
                alpha: BAND,
            });
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
            shapes.push(Shape::Rect {
                x0,
                y0: at(i + 1),
                x1,
                y1: at(i),
                rgb,
                alpha: 1.0,
            });
        }
        let outline = vec![(x0, top), (x1, top), (x1, bottom), (x0, bottom), (x0, top)];
        shapes.push(Shape::Path {
            points: outline,
            rgb: GUIDE_INK,
            width: 1.0,
        });
        for (v, label) in &ticks.major {
            let y = axis.pixel(*v);
            shapes.push(Shape::line((x1, y), (x1 + TICK, y), GUIDE_INK, 1.0));
            shapes.push(Shape::text(
                x1 + TICK + 4.0,
                y,
                label,
                self.fonts.tick,
                TEXT,
                Side::Left,
            ));
        }
        if let Some(factor) = &ticks.factor {
            let y = top - self.fonts.tick * 0.8;
            shapes.push(Shape::text(
                x0,
                y,
                factor,
                self.fonts.tick,
                TEXT,
                Side::Left,
            ));
        }
        if !heat.label.is_empty() {
            let x = self.area.2 - self.fonts.label * 0.6;
            turned(
                x,
                (top + bottom) / 2.0,
                &heat.label,
                self.fonts.label,
                bottom - top,
                shapes,
            );
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
        shapes.push(Shape::Path {
            points: spine,
            rgb: ink,
            width: 1.2,
        });
        let size = self.fonts.tick;
        let row = bottom + TICK + 4.0 + size * 0.5;
        for (v, label) in &self.x_ticks.major {
            shapes.push(Shape::text(
                self.x.pixel(*v),
                row,
                label,
                size,
                TEXT,
                Side::Middle,
            ));
        }
        for (v, label) in &self.y_ticks.major {
            shapes.push(Shape::text(
                left - TICK - 4.0,
                self.y.pixel(*v),
                label,
                size,
                TEXT,
                Side::Right,
            ));
        }
        if let Some(factor) = &self.y_ticks.factor {
            shapes.push(Shape::text(
                left,
                top - size * 0.8,
                factor,
                size,
                TEXT,
                Side::Left,
            ));
        }
        let panel = ready.panel;
        let mut x_label = panel.x_label.clone();
        if let Some(factor) = &self.x_ticks.factor {
            // The factor joins the label, so that it cannot collide with the last tick.
            x_label = if x_label.is_empty() {
                factor.clone()
            } else {
                format!("{x_label}  [{factor}]")
            };
        }
        if !x_label.is_empty() {
            let y = if panel.x_label.is_empty() {
                row + size
            } else {
                row + size * 0.5 + self.fonts.label * 0.85
            };
            let (text, fitted) = shrink(&x_label, self.fonts.label, self.area.2 - self.area.0);
            let half = font::width(&text, fitted) / 2.0;
            let x = ((left + right) / 2.0).clamp(
                self.area.0 + half,
                (self.area.2 - half).max(self.area.0 + half),
            );
            shapes.push(Shape::text(x, y, &text, fitted, TEXT, Side::Middle));
        }
        if !panel.y_label.is_empty() {
            let x = self.area.0 + self.fonts.label * 0.6;
            turned(
                x,
                (top + bottom) / 2.0,
                &panel.y_label,
                self.fonts.label,
                bottom - top + 40.0,
                shapes,
            );
        }
        if !panel.title.is_empty() {
            let (text, size) = shrink(&panel.title, self.fonts.title, self.area.2 - left);
            let y = self.area.1 + self.fonts.title * 0.6;
            shapes.push(Shape::text(left, y, &text, size, TEXT, Side::Left));
        }
    }
}

const BAR_GAP: f64 = 14.0;
const BAR_WIDTH: f64 = 15.0;

/// A text at a smaller size if it is too wide, cut with "…" if that is not enough.
fn shrink(text: &str, size: f64, most: f64) -> (String, f64) {
    let smaller = size * (most / font::width(text, size).max(1e-9)).clamp(0.75, 1.0);
    (font::fit(text, smaller, most), smaller)
}

fn turned(x: f64, y: f64, text: &str, size: f64, most: f64, shapes: &mut Vec<Shape>) {
    let (text, size) = shrink(text, size, most);
    shapes.push(Shape::Text {
        x,
        y,
        text,
        size,
        rgb: TEXT,
        side: Side::Middle,
        turned: true,
    });
}

/// Points along a line every few pixels.
fn sample(line: &[(f64, f64)], points: &mut Vec<(f64, f64)>) {
    for pair in line.windows(2) {
        let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        let steps = (dx.hypot(dy) / 4.0).ceil().clamp(1.0, 2000.0) as usize;
        points.extend((0..steps).map(|i| {
            let t = i as f64 / steps as f64;
            (pair[0].0 + t * dx, pair[0].1 + t * dy)
        }));
    }
    points.extend(line.last().copied());
}

/// A line held between two heights, with the crossings added so that its slope is right up to them.
fn hold(line: &[(f64, f64)], top: f64, bottom: f64) -> Vec<(f64, f64)> {
    let mut held = Vec::with_capacity(line.len());
    for (i, &(x, y)) in line.iter().enumerate() {
        if let Some(&(px, py)) = i.checked_sub(1).and_then(|i| line.get(i)) {
            let mut crossings: Vec<f64> = [top, bottom]
                .into_iter()
                .map(|edge| (edge - py) / (y - py))
                .filter(|t| *t > 0.0 && *t < 1.0)
                .collect();
            crossings.sort_by(f64::total_cmp);
            held.extend(
                crossings
                    .into_iter()
                    .map(|t| (px + t * (x - px), (py + t * (y - py)).clamp(top, bottom))),
            );
        }
        held.push((x, y.clamp(top, bottom)));
    }
    held
}

/// Ticks of an upright axis; the rows of a heat map if there are few.
fn upright_ticks(
    spread: Spread,
    (low, high): (f64, f64),
    centres: Option<&[f64]>,
    most: usize,
) -> Ticks {
    match centres {
        Some(centres) if centres.len() <= most + 2 => at_centres(centres, low, high),
        _ => ticks(spread, low, high, most),
    }
}

fn at_centres(centres: &[f64], low: f64, high: f64) -> Ticks {
    let inside = centres.iter().filter(|v| **v >= low && **v <= high);
    Ticks {
        major: inside.map(|&v| (v, number::short(v, 4))).collect(),
        minor: Vec::new(),
        factor: None,
    }
}

/// Ticks of a level axis with as many labels as fit side by side.
fn level_ticks(axis: &Axis, centres: Option<&[f64]>, size: f64) -> Ticks {
    let fits = |t: &Ticks| {
        t.major.windows(2).all(|w| {
            let half = |l: &str| font::width(l, size) / 2.0;
            (axis.pixel(w[1].0) - axis.pixel(w[0].0)).abs()
                >= half(&w[0].1) + half(&w[1].1) + size * 0.7
        })
    };
    if let Some(centres) = centres.filter(|c| c.len() <= 16) {
        let found = at_centres(centres, axis.low, axis.high);
        if fits(&found) {
            return found;
        }
    }
    let mut most = ((axis.length() / (size * 3.0)) as usize).clamp(2, 10);
    loop {
        let found = ticks(axis.spread, axis.low, axis.high, most);
        if most == 2 || fits(&found) {
            return found;
        }
        most -= 1;
    }
}
