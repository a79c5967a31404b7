//! A thinned history of the reported values, and its figure.

use std::time::{Duration, Instant};

use super::super::{Bundle, Error, Figure, Mime, PALETTE, Panel};

/// Points kept of each value; every second one is dropped when there are more.
const MOST_POINTS: usize = 512;
/// A curve is drawn at most this often.
const LEAST_GAP: Duration = Duration::from_millis(250);
/// Time between two drawings, in units of the time that the last one took.
const SHARE: u32 = 20;

pub(crate) struct Curve {
    log: bool,
    series: Vec<Series>,
    /// When the next drawing is due.
    due: Option<Instant>,
}

#[derive(Clone)]
struct Series {
    /// Step and value of every `stride`-th report.
    points: Vec<(f64, f64)>,
    stride: usize,
    reports: usize,
    last: (f64, f64),
}

impl Curve {
    pub fn new(log: bool) -> Curve {
        Curve { log, series: Vec::new(), due: None }
    }

    pub fn emptied(self) -> Curve {
        Curve::new(self.log)
    }

    /// Adds a value of the series `index`, which is at most the number of series. More series than colours are not drawn.
    pub fn push(&mut self, index: usize, step: usize, value: f64) {
        if index >= PALETTE.len() {
            return;
        }
        while self.series.len() <= index {
            self.series.push(Series { points: Vec::new(), stride: 1, reports: 0, last: (0.0, 0.0) });
        }
        self.series[index].push((step as f64, value));
    }

    /// Whether a drawing is due.
    pub fn due(&self, now: Instant) -> bool {
        self.series.iter().any(|s| s.points.len() > 1) && self.due.is_none_or(|due| now >= due)
    }

    /// Whether there is something to draw.
    pub fn drawable(&self) -> bool {
        !self.series.is_empty()
    }

    /// Sets when the next drawing is due after one that took `cost`.
    pub fn drawn(&mut self, now: Instant, cost: Duration) {
        self.due = Some(now + LEAST_GAP.max(cost * SHARE));
    }

    /// The figure. `names` are those of the series.
    pub fn figure(&self, title: &str, unit: &str, names: &[(String, f64)]) -> Figure {
        let single = super::state::singular(unit);
        let label = match names {
            [(name, _)] => name.as_str(),
            _ => "value",
        };
        let mut panel = Panel::new("").x_label(single).y_label(label);
        if self.log {
            panel = panel.log_y();
        }
        for ((name, _), series) in names.iter().zip(&self.series) {
            let (x, y): (Vec<f64>, Vec<f64>) = series.shown().unzip();
            panel = if x.len() == 1 { panel.points(name, &x, &y) } else { panel.line(name, &x, &y) };
        }
        if names.len() == 1 {
            panel = panel.no_legend();
        }
        // The legend of several values may stand below the axes.
        let height = 320 + 26 * self.series.len().saturating_sub(1) as u32;
        let caption = format!("What the loop reported, {single} by {single}, as it ran.");
        Figure::new(title).panel(panel).size(640, height).caption(&caption)
    }
}

impl Series {
    fn push(&mut self, point: (f64, f64)) {
        self.last = point;
        if self.reports.is_multiple_of(self.stride) {
            if self.points.len() == MOST_POINTS {
                let mut keep = false;
                self.points.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.stride *= 2;
            }
            self.points.push(point);
        }
        self.reports += 1;
    }

    /// The kept points and the last one.
    fn shown(&self) -> impl Iterator<Item = (f64, f64)> {
        let more = self.points.last().is_some_and(|last| last.0 < self.last.0);
        self.points.iter().copied().chain(more.then_some(self.last))
    }
}

/// A figure on its way: without a PNG, whose encoding takes longer than the rest.
pub(crate) fn on_the_way(figure: &Figure) -> Result<Bundle, Error> {
    Ok(Bundle::new(&figure.text()?).with(Mime::Svg, &figure.svg()?))
}

/// A figure whose loop is over: what a trace shows is no result, so it stays folded.
pub(crate) fn folded(figure: &Figure, name: &str) -> Result<Bundle, Error> {
    figure.folded(&format!("{name}: what the loop reported on its way"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_is_thinned_evenly_and_ends_with_the_last_value() {
        let mut curve = Curve::new(false);
        for step in 1..=100_000usize {
            curve.push(0, step, step as f64);
        }
        let shown: Vec<f64> = curve.series[0].shown().map(|p| p.0).collect();
        assert!((MOST_POINTS / 2..=MOST_POINTS + 1).contains(&shown.len()));
        assert_eq!((shown[0], *shown.last().unwrap()), (1.0, 100_000.0));
        let gaps: Vec<f64> = shown.windows(2).map(|w| w[1] - w[0]).collect();
        let (last, even) = gaps.split_last().unwrap();
        assert!(even.iter().all(|gap| *gap == 256.0) && *last <= 256.0, "{gaps:?}");
    }

    #[test]
    fn a_finished_trace_is_folded_and_has_a_text() {
        let mut curve = Curve::new(false);
        (1..4).for_each(|step| curve.push(0, step, step as f64));
        let figure = curve.figure("training", "steps", &[("loss".to_owned(), 3.0)]);
        let bundle = folded(&figure, "a < b").unwrap();
        let html = bundle.get(Mime::Html).unwrap();
        assert!(
            html.starts_with("<details><summary>a &lt; b: ") && html.contains("src=\"data:image/svg+xml;base64,"),
            "{html}"
        );
        assert!(bundle.get(Mime::Plain).unwrap().contains("training"));
    }

    #[test]
    fn one_point_nan_and_many_series_can_be_drawn() {
        let mut curve = Curve::new(true);
        let names: Vec<(String, f64)> = (0..12).map(|i| (format!("v{i}"), 0.0)).collect();
        for step in 1..4 {
            for index in 0..12 {
                curve.push(index, step, if step == 2 { f64::NAN } else { step as f64 });
            }
        }
        assert_eq!(curve.series.len(), PALETTE.len());
        assert!(curve.figure("t", "steps", &names).to_bundle().is_ok());
        let mut one = Curve::new(false);
        one.push(0, 1, 2.0);
        assert!(one.figure("t", "epochs", &names[..1]).svg().is_ok());
        assert!(!one.due(Instant::now()) && one.drawable());
    }
}
