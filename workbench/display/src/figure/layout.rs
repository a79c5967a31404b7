//! Layout of a panel: margins from the sizes of labels, ticks that fit, a legend that covers no data.

use super::axes::{Axis, Spread, Ticks, ticks};
use super::font;
use super::legend::{self, Area, Entry, Sizes};
use super::lines::{clip, simplify};
use super::panel::{Mark, Place};
use super::ready::{Ready, Series, bar_half};
use super::shape::Shape;
use crate::{Error, number};

/// Text sizes of a figure in logical pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fonts {
    pub tick: f64,
    pub label: f64,
    pub title: f64,
}

impl Fonts {
    pub fn new(factor: f64) -> Fonts {
        Fonts { tick: 15.0 * factor, label: 16.0 * factor, title: 17.0 * factor }
    }
}

pub(super) const TICK: f64 = 5.0;
const SMALLEST_PLOT: f64 = 60.0;
pub(super) const BAR_GAP: f64 = 14.0;
pub(super) const BAR_WIDTH: f64 = 15.0;

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
            legend::below(&plan.entries, (area.0, area.2), plan.frame.legend_top, sizes, shapes);
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
            return Ok(Plan { frame, entries, corner: None, below: 0.0 });
        }
        if ready.panel.place == Place::Auto && ready.panel.heat.is_none() {
            let size = sizes.column(&entries);
            let plot = frame.plot;
            let fits = size.0 < 0.62 * (plot.2 - plot.0) && size.1 < 0.55 * (plot.3 - plot.1);
            if fits {
                let (place, covered) = legend::best_corner(plot, size, &frame.covered(ready));
                if covered == 0 {
                    return Ok(Plan { frame, entries, corner: Some(place), below: 0.0 });
                }
            }
        }
        let below = sizes.below_height(&entries, area.2 - area.0);
        if below > reserve {
            frame = Frame::new(ready, area, fonts, below)?;
        }
        Ok(Plan { frame, entries, corner: None, below })
    }
}

/// The placed axes of a panel.
pub(super) struct Frame {
    pub(super) area: Area,
    pub(super) plot: Area,
    pub(super) fonts: Fonts,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) x_ticks: Ticks,
    pub(super) y_ticks: Ticks,
    pub(super) bar: Option<(Axis, Ticks)>,
    pub(super) legend_top: f64,
}

impl Frame {
    fn new(ready: &Ready, area: Area, fonts: Fonts, legend: f64) -> Result<Frame, Error> {
        let (x0, y0, x1, y1) = area;
        let panel = ready.panel;
        let tick_height = fonts.tick;
        let title = if panel.title.is_empty() { fonts.tick * 0.6 } else { fonts.title * 1.55 };
        let x_label = if panel.x_label.is_empty() { 0.0 } else { fonts.label * 1.45 };
        let y_label = if panel.y_label.is_empty() { 0.0 } else { fonts.label * 1.5 };
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
                .filter(|_| panel.heat.as_ref().is_some_and(|heat| heat.bar))
                .map(|c| ticks(c.spread, c.low, c.high, most.min(7)));
            (upright_ticks(panel.y_spread, ready.y, heat_rows, most), bar)
        };
        let (mut y_ticks, mut bar_ticks) = find(top);
        if y_ticks.factor.is_some() || bar_ticks.as_ref().is_some_and(|b| b.factor.is_some()) {
            top += tick_height * 1.2;
            (y_ticks, bar_ticks) = find(top);
        }
        let widest = |t: &Ticks| t.major.iter().map(|(_, l)| font::width(l, fonts.tick)).fold(0.0, f64::max);
        let left = x0 + y_label + widest(&y_ticks) + TICK + 6.0;
        let bar_room = bar_ticks.as_ref().map_or(0.0, |t| {
            let label = panel.heat.as_ref().is_some_and(|h| !h.label.is_empty());
            BAR_GAP + BAR_WIDTH + TICK + 4.0 + widest(t) + if label { fonts.label * 1.5 } else { 0.0 }
        });
        let mut right = x1 - bar_room - if bar_room > 0.0 { 2.0 } else { fonts.tick * 0.7 };
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
            let axis = Axis { spread: panel.x_spread, low: ready.x.0, high: ready.x.1, from: left, to: right };
            x_ticks = level_ticks(&axis, panel.heat.as_ref().map(|h| h.x.as_slice()), ready.counts(), fonts.tick);
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
            x: Axis { spread: panel.x_spread, low: ready.x.0, high: ready.x.1, from: left, to: right },
            y: Axis { spread: panel.y_spread, low: ready.y.0, high: ready.y.1, from: bottom, to: top },
            x_ticks,
            y_ticks,
            bar: ready
                .colours
                .as_ref()
                .zip(bar_ticks)
                .map(|(c, ticks)| (Axis { spread: c.spread, low: c.low, high: c.high, from: bottom, to: top }, ticks)),
            legend_top: y1 - legend + 4.0,
        })
    }

    pub(super) fn pixel(&self, x: f64, y: f64) -> (f64, f64) {
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

    pub(super) fn foot(&self, x: f64, low: Option<f64>) -> (f64, f64) {
        match low {
            Some(low) => self.pixel(x, low),
            None => (self.pixel(x, self.y.high).0, self.y.from),
        }
    }

    pub(super) fn bar_area(&self, s: &Series, x: f64, y: f64) -> Area {
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
        let (left, right) = (x0.clamp(self.x.from, self.x.to), x1.clamp(self.x.from, self.x.to));
        (left, end.min(base), right, end.max(base))
    }

    /// The visible parts of a line-like series in pixels.
    pub(super) fn lines(&self, s: &Series) -> Vec<Vec<(f64, f64)>> {
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

/// Ticks of an upright axis; the rows of a heat map if there are few.
fn upright_ticks(spread: Spread, (low, high): (f64, f64), centres: Option<&[f64]>, most: usize) -> Ticks {
    match centres {
        Some(centres) if centres.len() <= most + 2 => at_centres(centres, low, high),
        _ => ticks(spread, low, high, most),
    }
}

fn at_centres(centres: &[f64], low: f64, high: f64) -> Ticks {
    let inside = centres.iter().filter(|v| **v >= low && **v <= high);
    Ticks { major: inside.map(|&v| (v, number::short(v, 4))).collect(), minor: Vec::new(), factor: None }
}

/// Ticks of a level axis with as many labels as fit side by side; whole numbers where it `counts`.
fn level_ticks(axis: &Axis, centres: Option<&[f64]>, counts: bool, size: f64) -> Ticks {
    let fits = |t: &Ticks| {
        t.major.windows(2).all(|w| {
            let half = |l: &str| font::width(l, size) / 2.0;
            (axis.pixel(w[1].0) - axis.pixel(w[0].0)).abs() >= half(&w[0].1) + half(&w[1].1) + size * 0.7
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
        let found = if counts { found.whole() } else { found };
        if most == 2 || fits(&found) {
            return found;
        }
        most -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::panel::Panel;
    use super::super::ready::ready;
    use super::*;

    const AREA: Area = (0.0, 0.0, 700.0, 420.0);

    fn plan(panel: &Panel) -> Plan {
        Plan::new(&ready(panel).unwrap(), AREA, Fonts::new(1.0), 0.0).unwrap()
    }

    #[test]
    fn a_legend_lies_in_a_corner_without_data_or_below() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let of = |f: &dyn Fn(f64) -> f64| -> Vec<f64> { x.iter().map(|&v| f(v)).collect() };
        let falling = Panel::new("").line("falling", &x, &of(&|v| -v));
        let rising = Panel::new("").points("rising", &x, &of(&|v| v));
        let band = Panel::new("").band("band", &x, &of(&|v| v * 0.5), &of(&|v| v + 10.0));
        for panel in [falling, rising, band] {
            let ready = ready(&panel).unwrap();
            let plan = plan(&panel);
            let (left, top, right, bottom) = plan.corner.expect("there is an empty corner");
            let hit = |&(x, y): &(f64, f64)| x > left && x < right && y > top && y < bottom;
            assert!(!plan.frame.covered(&ready).iter().any(hit));
            let plot = plan.frame.plot;
            assert!(left >= plot.0 && top >= plot.1 && right <= plot.2 && bottom <= plot.3);
        }
        let wild = Panel::new("").line("wild", &x, &of(&|v| (v * 1.3).sin()));
        let plan = plan(&wild);
        assert!(plan.corner.is_none() && plan.below > 0.0);
        assert!(plan.frame.legend_top > plan.frame.plot.3 + 20.0);
    }

    #[test]
    fn a_line_between_far_points_is_not_covered_either() {
        // Only the two ends are data points, yet the line between them crosses the top left and the bottom right.
        let panel = Panel::new("").line("diagonal", &[0.0, 1.0], &[1.0, 0.0]).line("level", &[0.0, 1.0], &[0.95, 0.95]);
        let ready = ready(&panel).unwrap();
        let plan = plan(&panel);
        let (left, top, right, bottom) = plan.corner.expect("the bottom left is empty");
        let points = plan.frame.covered(&ready);
        assert!(points.len() > 100);
        assert!(!points.iter().any(|&(x, y)| x > left && x < right && y > top && y < bottom));
    }

    #[test]
    fn reserved_room_lines_axes_up() {
        let panel = Panel::new("t").x_label("x").line("a", &[0.0, 1.0], &[0.0, 1.0]);
        let ready = ready(&panel).unwrap();
        let free = Plan::new(&ready, AREA, Fonts::new(1.0), 0.0).unwrap();
        let kept = Plan::new(&ready, AREA, Fonts::new(1.0), 50.0).unwrap();
        assert_eq!(free.frame.plot.3 - kept.frame.plot.3, 50.0);
    }

    #[test]
    fn labels_of_a_level_axis_never_touch() {
        for (low, high) in [(0.0, 1.0), (0.99991, 0.99999), (-123456.0, 98765.0), (1e-7, 1e-3)] {
            for spread in [Spread::Linear, Spread::Log] {
                if spread == Spread::Log && low <= 0.0 {
                    continue;
                }
                for to in [150.0, 320.0, 700.0] {
                    let axis = Axis { spread, low, high, from: 0.0, to };
                    let found = level_ticks(&axis, None, false, 15.0);
                    assert!(found.major.len() >= 2 || to < 200.0, "{low} {high} {to}");
                    for pair in found.major.windows(2) {
                        let half = |l: &str| font::width(l, 15.0) / 2.0;
                        let gap = axis.pixel(pair[1].0) - axis.pixel(pair[0].0);
                        assert!(gap > half(&pair[0].1) + half(&pair[1].1) || to < 200.0, "{low} {high} {to}");
                    }
                }
            }
        }
    }
}
