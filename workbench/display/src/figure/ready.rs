//! From what the caller gave to what can be drawn: unusable points left out and counted, colours given, ranges found.

use super::axes::{self, Spread};
use super::heatmap::{Colours, Heat};
use super::palette::{self, GUIDE, Rgb};
use super::panel::{Layer, Mark, Panel};
use crate::Error;

/// Dash patterns of theory lines and of guide lines, in pixels.
const DASHES: [&[f64]; 3] = [&[7.0, 4.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];
/// Level and upright lines, in the order of their names.
const GUIDES: [&[f64]; 3] = [&[3.0, 3.0], &[9.0, 4.0], &[9.0, 3.0, 2.0, 3.0]];
/// Room around the data at each end, as a share of the range.
const ROOM: f64 = 0.04;

/// A usable point. `low` and `high` are the ends of its bar or band; a `low` of `None` reaches down to the axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub x: f64,
    pub y: f64,
    pub low: Option<f64>,
    pub high: f64,
}

/// A series ready to be drawn.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub name: String,
    pub mark: Mark,
    pub rgb: Rgb,
    pub marker: usize,
    pub dash: Option<&'static [f64]>,
    /// Usable points in runs; a line breaks between runs.
    pub runs: Vec<Vec<Spot>>,
}

/// A panel ready to be laid out.
pub(crate) struct Ready<'a> {
    pub panel: &'a Panel,
    pub series: Vec<Series>,
    pub colours: Option<Colours>,
    pub x: (f64, f64),
    pub y: (f64, f64),
    /// What was left out, in words.
    pub notes: Vec<String>,
}

impl Series {
    pub fn spots(&self) -> impl Iterator<Item = &Spot> {
        self.runs.iter().flatten()
    }
}

impl Ready<'_> {
    /// Whether every point lies at a whole number of the level axis, as steps and layers do.
    pub fn counts(&self) -> bool {
        let placed = |series: &&Series| !matches!(series.mark, Mark::AcrossAt | Mark::UpAt);
        let mut spots = self.series.iter().filter(placed).flat_map(Series::spots).peekable();
        self.panel.heat.is_none() && spots.peek().is_some() && spots.all(|spot| spot.x == spot.x.round())
    }
}

pub(crate) fn ready(panel: &Panel) -> Result<Ready<'_>, Error> {
    if let Some(error) = &panel.error {
        return Err(error.clone());
    }
    if panel.layers.is_empty() && panel.heat.is_none() {
        return Err(Error::EmptyFigure {
            title: panel.title.clone(),
            problem: "a panel has nothing to draw; add a line, points, a band or a heat map",
        });
    }
    let mut notes = Vec::new();
    let mut series = Vec::with_capacity(panel.layers.len());
    let looks = looks(&panel.layers);
    for (layer, (rgb, marker, dash)) in panel.layers.iter().zip(looks) {
        let runs = usable(panel, layer, &mut notes)?;
        series.push(Series { name: layer.name.clone(), mark: layer.mark, rgb, marker, dash, runs });
    }
    let colours = panel.heat.as_ref().map(Heat::colours).transpose()?;
    if let (Some(heat), Some(colours)) = (&panel.heat, &colours)
        && colours.missing > 0
    {
        let why = if heat.log { "not finite or not positive" } else { "not finite" };
        notes.push(format!("{} of {} cells {why}, drawn grey.", colours.missing, heat.values.len()));
    }
    let x = limits(panel, "x", panel.x_spread, panel.x_limits, &series)?;
    let y = limits(panel, "y", panel.y_spread, panel.y_limits, &series)?;
    for s in &series {
        let outside = s.spots().filter(|p| beyond(s.mark, p, x, y)).count();
        if outside > 0 && matches!(s.mark, Mark::Points | Mark::Whiskers) {
            // Points and bars of a line carry no name of their own, and are the same points.
            let whose = if s.name.is_empty() { String::new() } else { format!(" of “{}”", s.name) };
            let note = format!("{outside} of {} points{whose} outside the axes.", s.spots().count());
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    Ok(Ready { panel, series, colours, x, y, notes })
}

fn beyond(mark: Mark, p: &Spot, x: (f64, f64), y: (f64, f64)) -> bool {
    let out = |v: f64, (low, high): (f64, f64)| v < low || v > high;
    match mark {
        Mark::AcrossAt => out(p.y, y),
        Mark::UpAt => out(p.x, x),
        _ => out(p.x, x) || out(p.y, y),
    }
}

/// Colour, marker and dash of every layer. Layers of one name share a colour.
fn looks(layers: &[Layer]) -> Vec<(Rgb, usize, Option<&'static [f64]>)> {
    let mut names: Vec<(&str, usize)> = Vec::new();
    let taken: Vec<usize> = layers.iter().filter_map(|l| l.colour).collect();
    let mut next = 0;
    let (mut theories, mut guides) = (0, Vec::new());
    let mut looks = Vec::with_capacity(layers.len());
    for layer in layers {
        if matches!(layer.mark, Mark::AcrossAt | Mark::UpAt) {
            let rgb = layer.colour.map_or(GUIDE, palette::series);
            let at = guides.iter().position(|name| *name == layer.name).unwrap_or(guides.len());
            if at == guides.len() {
                guides.push(layer.name.as_str());
            }
            looks.push((rgb, 0, Some(GUIDES[at % GUIDES.len()])));
            continue;
        }
        let known = names.iter().find(|(name, _)| *name == layer.name && !name.is_empty()).map(|(_, i)| *i);
        let theory = layer.mark == Mark::Theory;
        let dash = theory.then(|| DASHES[theories % DASHES.len()]);
        // The first theory line is black (index 6), which no measured series takes by itself.
        let index = layer.colour.or(known).unwrap_or_else(|| {
            if theory && theories == 0 {
                return 6;
            }
            while (next == 6 || taken.contains(&next)) && next < palette::PALETTE.len() {
                next += 1;
            }
            next += 1;
            next - 1
        });
        theories += usize::from(theory);
        if known.is_none() {
            names.push((&layer.name, index));
        }
        looks.push((palette::series(index), index, dash));
    }
    looks
}

fn usable(panel: &Panel, layer: &Layer, notes: &mut Vec<String>) -> Result<Vec<Vec<Spot>>, Error> {
    let (log_x, log_y) = (panel.x_spread == Spread::Log, panel.y_spread == Spread::Log);
    let (mut runs, mut run) = (Vec::new(), Vec::new());
    let (mut infinite, mut negative, mut clipped) = (0, 0, 0);
    let spread_out = matches!(layer.mark, Mark::Band | Mark::Whiskers);
    for i in 0..layer.x.len() {
        let x = layer.x[i];
        let high = if spread_out { layer.high[i] } else { layer.y[i] };
        let low = if spread_out { layer.low[i] } else { layer.y[i] };
        let y = if layer.mark == Mark::Band { high } else { layer.y[i] };
        let (needs_x, needs_y) = (layer.mark != Mark::AcrossAt, layer.mark != Mark::UpAt);
        let finite = (!needs_x || x.is_finite()) && (!needs_y || [y, low, high].iter().all(|v| v.is_finite()));
        let positive = (!needs_x || !log_x || x > 0.0) && (!needs_y || !log_y || (y > 0.0 && high > 0.0));
        if finite && positive {
            let reaches_axis = log_y && needs_y && low <= 0.0;
            clipped += usize::from(reaches_axis);
            run.push(Spot { x, y, low: (!reaches_axis).then_some(low), high });
            continue;
        }
        if finite {
            negative += 1;
        } else {
            infinite += 1;
        }
        if !run.is_empty() {
            runs.push(std::mem::take(&mut run));
        }
    }
    if !run.is_empty() {
        runs.push(run);
    }
    let mut reasons = Vec::new();
    if infinite > 0 {
        reasons.push(format!("{infinite} not finite"));
    }
    if negative > 0 {
        reasons.push(format!("{negative} not positive on a log axis"));
    }
    let (name, total) = (layer.name.clone(), layer.x.len());
    if runs.is_empty() {
        let remedy =
            if negative > 0 { "use a linear axis or check the signs" } else { "check where the values come from" };
        return Err(Error::NothingToDraw { series: name, total, reason: reasons.join(", "), remedy });
    }
    if !reasons.is_empty() {
        notes.push(format!("“{name}”: {} of {total} points left out ({}).", infinite + negative, reasons.join(", ")));
    }
    if clipped > 0 {
        notes.push(format!("“{name}”: {clipped} of {total} lower ends not positive, drawn down to the axis."));
    }
    Ok(runs)
}

fn limits(
    panel: &Panel,
    axis: &'static str,
    spread: Spread,
    fixed: Option<(f64, f64)>,
    series: &[Series],
) -> Result<(f64, f64), Error> {
    let upright = axis == "y";
    if let Some((low, high)) = fixed {
        let positive = spread == Spread::Linear || low > 0.0;
        if low.is_finite() && high.is_finite() && low < high && positive {
            return Ok((low, high));
        }
        let remedy = if positive { "give finite limits with low < high" } else { "a log axis needs limits above zero" };
        return Err(Error::Limits { axis, low, high, remedy });
    }
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut see = |v: f64| {
        low = low.min(v);
        high = high.max(v);
    };
    let mut room = ROOM;
    if let Some(heat) = &panel.heat {
        let centres = if upright { &heat.y } else { &heat.x };
        if spread == Spread::Log && centres[0] <= 0.0 {
            let problem = format!("the {axis} centres start at {} on a log axis; use positive centres", centres[0]);
            return Err(Error::HeatMap { label: heat.label.clone(), problem });
        }
        Heat::edges(centres, spread).into_iter().for_each(&mut see);
        // The map fills the axes; series drawn on it are cut at its edge.
        room = 0.0;
    }
    for s in series.iter().filter(|_| panel.heat.is_none()) {
        let half = bar_half(s);
        for p in s.spots() {
            match (upright, s.mark) {
                (true, Mark::UpAt) | (false, Mark::AcrossAt) => {}
                (true, Mark::Bars) if spread == Spread::Linear => {
                    see(0.0);
                    see(p.y);
                }
                (true, _) => {
                    see(p.y);
                    see(p.high);
                    p.low.into_iter().for_each(&mut see);
                }
                (false, Mark::Bars) if spread == Spread::Linear => {
                    see(p.x - half);
                    see(p.x + half);
                }
                (false, _) => see(p.x),
            }
        }
    }
    if low > high {
        // Only guide lines of the other direction.
        (low, high) = if spread == Spread::Log { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    let (start, end) = axes::range(spread, low, high, room);
    if !(end - start).is_finite() || !(end / start).is_finite() && spread == Spread::Log {
        let remedy = "the values span more than a float can hold; rescale them or give limits";
        return Err(Error::Limits { axis, low, high, remedy });
    }
    Ok((start, end))
}

/// Half the width of a bar, in values: 0.4 of the smallest distance between centres.
pub(crate) fn bar_half(series: &Series) -> f64 {
    let mut x: Vec<f64> = series.spots().map(|p| p.x).collect();
    x.sort_by(f64::total_cmp);
    let closest = x.windows(2).map(|w| w[1] - w[0]).filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
    if closest.is_finite() { 0.4 * closest } else { 0.4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_points_break_the_line_and_are_counted() {
        let y = [1.0, f64::NAN, 2.0, -1.0, 3.0, 0.0];
        let panel = Panel::new("").log_y().line("a", &[1, 2, 3, 4, 5, 6], &y);
        let ready = ready(&panel).unwrap();
        assert_eq!(ready.series[0].runs.len(), 3);
        assert_eq!(ready.notes, ["“a”: 3 of 6 points left out (1 not finite, 2 not positive on a log axis)."]);
    }

    #[test]
    fn points_outside_the_axes_are_counted_once_with_their_name_if_they_have_one() {
        let (x, y) = ([1.0, 2.0, 3.0], [0.5, 7.0, 0.5]);
        let panel = Panel::new("").y_limits(0.0, 1.0).points("", &x, &y).points("", &x, &y).points("a", &x, &y);
        let notes = ready(&panel).unwrap().notes;
        assert_eq!(notes, ["1 of 3 points outside the axes.", "1 of 3 points of “a” outside the axes."]);
    }

    #[test]
    fn a_series_with_nothing_left_is_an_error() {
        let panel = Panel::new("").log_y().line("a", &[1, 2], &[-1.0, 0.0]);
        let error = ready(&panel).err().unwrap().to_string();
        assert!(error.contains("none of the 2 points of \"a\"") && error.contains("linear axis"), "{error}");
        assert!(matches!(ready(&Panel::new("t")), Err(Error::EmptyFigure { .. })));
    }

    #[test]
    fn one_name_has_one_colour_and_theory_is_black_and_dashed() {
        let (x, y) = ([1.0, 2.0], [1.0, 2.0]);
        let panel = Panel::new("").band("a", &x, &y, &y).line("a", &x, &y).line("b", &x, &y).theory("t", &x, &y);
        let ready = ready(&panel).unwrap();
        let rgb: Vec<Rgb> = ready.series.iter().map(|s| s.rgb).collect();
        assert_eq!(rgb[0], rgb[1]);
        assert_ne!(rgb[1], rgb[2]);
        assert_eq!(rgb[3], (0, 0, 0));
        assert!(ready.series[3].dash.is_some() && ready.series[2].dash.is_none());
    }

    #[test]
    fn a_band_that_reaches_zero_on_a_log_axis_goes_down_to_the_axis() {
        let panel = Panel::new("").log_y().band("a", &[1.0, 2.0], &[-0.5, 0.5], &[1.0, 2.0]);
        let ready = ready(&panel).unwrap();
        assert_eq!(ready.series[0].runs[0][0].low, None);
        assert!(ready.notes[0].contains("1 of 2 lower ends"));
        assert!(ready.y.0 > 0.4);
    }

    #[test]
    fn limits_are_checked() {
        let panel = Panel::new("").log_x().x_limits(0.0, 1.0).line("a", &[1.0], &[1.0]);
        assert!(matches!(ready(&panel), Err(Error::Limits { axis: "x", .. })));
        let panel = Panel::new("").y_limits(2.0, 1.0).line("a", &[1.0], &[1.0]);
        assert!(matches!(ready(&panel), Err(Error::Limits { axis: "y", .. })));
        let panel = Panel::new("").y_limits(0.0, 1.0).points("a", &[1.0, 2.0], &[0.5, 5.0]);
        assert!(ready(&panel).unwrap().notes[0].contains("1 of 2 points"));
    }
}
