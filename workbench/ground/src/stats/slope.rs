//! Power laws: straight-line fits of ln y against ln x inside a window.

use super::student::student_quantile;
use super::window::{POSITIVE, check_window, slopes_between};
use super::{CONFIDENCE, Error, Estimate};
use crate::check;
use crate::tabulated::{Columns, Tabulated};

/// Points that a fit needs: two parameters and at least one degree of freedom for the spread.
pub(crate) const FIT_POINTS: usize = 3;

/// A fitted power law y = exp(intercept) x^slope.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerFit {
    /// Exponent, d ln y / d ln x.
    pub slope: Estimate,
    /// ln y at ln x = 0.
    pub intercept: Estimate,
    /// Standard deviation of ln y about the line, sqrt(sum r^2 / (m - 2)) over the m points.
    pub residual: f64,
    /// The window of x that was fitted, ends included.
    pub window: (f64, f64),
    /// Slopes between neighbouring points of the window, as (geometric mean of their x, slope), by rising x.
    pub local_slopes: Vec<(f64, f64)>,
}

impl PowerFit {
    /// The fitted y at `x`, for the line in a figure.
    ///
    /// NaN for negative x.
    pub fn predict(&self, x: f64) -> f64 {
        (self.intercept.value + self.slope.value * x.ln()).exp()
    }
}

/// One row: the line, the spread about it and the window.
impl Tabulated for PowerFit {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Power law")
            .with("slope", [self.slope])
            .with("intercept", [self.intercept])
            .with("residual", [self.residual])
            .with("from", [self.window.0])
            .with("to", [self.window.1]))
    }
}

/// Points of a window with logarithms taken, sorted by x.
pub(super) struct Logs {
    pub(super) x: Vec<f64>,
    pub(super) ln_x: Vec<f64>,
    pub(super) ln_y: Vec<f64>,
    /// Where each point stood in the input.
    pub(super) index: Vec<usize>,
}

/// Indices of `x` inside the window by rising x, after all checks on x and window.
fn inside(op: &'static str, x: &[f64], window: (f64, f64)) -> Result<Vec<usize>, Error> {
    check_window(op, window)?;
    check::data(op, "x", x, 1)?;
    check::entries(op, "x", x, |v| v > 0.0, POSITIVE)?;
    let (low, high) = window;
    let mut index: Vec<usize> = (0..x.len()).filter(|&i| low <= x[i] && x[i] <= high).collect();
    if index.len() < FIT_POINTS {
        let what = format!("points in the window ({low}, {high})");
        let next = "widen it or measure at more x";
        return Err(Error::too_few(op, what, index.len(), FIT_POINTS, next));
    }
    index.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    if x[index[0]] == x[index[index.len() - 1]] {
        let problem = format!("all x in the window equal {}", x[index[0]]);
        return Err(Error::refused(op, problem, "a slope needs at least two different x"));
    }
    Ok(index)
}

pub(super) fn logs(op: &'static str, x: &[f64], y: &[f64], window: (f64, f64)) -> Result<Logs, Error> {
    check::same(op, ("x", x.len()), ("y", y.len()))?;
    let index = inside(op, x, window)?;
    check::data(op, "y", y, 1)?;
    // Outside the window a value may be anything finite.
    if let Some(&i) = index.iter().find(|&&i| y[i] <= 0.0) {
        return Err(Error::entry(op, "y", i, y[i], POSITIVE));
    }
    Ok(Logs {
        x: index.iter().map(|&i| x[i]).collect(),
        ln_x: index.iter().map(|&i| x[i].ln()).collect(),
        ln_y: index.iter().map(|&i| y[i].ln()).collect(),
        index,
    })
}

/// A least-squares line, with the mean of ln x and the sum of squares of ln x about it.
pub(super) struct Line {
    pub(super) slope: f64,
    pub(super) intercept: f64,
    pub(super) centre: f64,
    pub(super) spread: f64,
}

pub(super) fn line(ln_x: &[f64], ln_y: &[f64]) -> Line {
    let average = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (centre, level) = (average(ln_x), average(ln_y));
    let (mut spread, mut cross) = (0.0, 0.0);
    for (a, b) in ln_x.iter().zip(ln_y) {
        spread += (a - centre) * (a - centre);
        cross += (a - centre) * (b - level);
    }
    let slope = cross / spread;
    Line { slope, intercept: level - slope * centre, centre, spread }
}

/// Residual standard deviation with m - 2 degrees of freedom.
pub(super) fn residual(fit: &Line, data: &Logs) -> f64 {
    let squares: f64 =
        (0..data.ln_x.len()).map(|i| (data.ln_y[i] - fit.intercept - fit.slope * data.ln_x[i]).powi(2)).sum();
    (squares / (data.ln_x.len() - 2) as f64).sqrt()
}

/// Least-squares power law through (x, y) inside `window`, with Student t intervals, at the house confidence.
///
/// ln y = intercept + slope ln x + noise, by ordinary least squares.
///
/// **Shapes**: x, y (m), any order; `window` = (low, high) in units of x, ends included, at least 3 points.
/// The interval assumes independent noise of one size in ln y about a true straight line. If the points bend, or share runs, it says
/// too much: look at `local_slopes`, and use [`super::power_fit_runs`] for points that share runs.
///
/// **Errors**: [`Error::Shape`], [`Error::TooFew`] points in the window, [`Error::NotFinite`] anywhere, [`Error::Entry`] for any x
/// and for y inside the window that is not positive, [`Error::Refused`] for a bad window or equal x. Cost O(m log m).
///
/// ```
/// let x = [2.0, 4.0, 8.0, 16.0];
/// let y = x.map(|v: f64| 3.0 * v.powf(-0.5));
/// let fit = workbench_ground::stats::power_fit(&x, &y, (1.0, 100.0))?;
/// assert!((fit.slope.value + 0.5).abs() < 1e-12);
/// assert!((fit.predict(4.0) - 1.5).abs() < 1e-12);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn power_fit(x: &[f64], y: &[f64], window: (f64, f64)) -> Result<PowerFit, Error> {
    power_fit_at(x, y, window, CONFIDENCE)
}

/// [`power_fit`] at another confidence in (0, 1).
///
/// **Errors**: as [`power_fit`], and [`Error::Parameter`] for the confidence.
pub fn power_fit_at(x: &[f64], y: &[f64], window: (f64, f64), confidence: f64) -> Result<PowerFit, Error> {
    const OP: &str = "power_fit";
    check::confidence(OP, confidence)?;
    let data = logs(OP, x, y, window)?;
    let fit = line(&data.ln_x, &data.ln_y);
    let sigma = residual(&fit, &data);
    let m = data.x.len();
    let t = student_quantile(0.5 + 0.5 * confidence, (m - 2) as f64);
    let interval = |value: f64, se: f64| Estimate::new(value, value - t * se, value + t * se, m as u64, confidence);
    Ok(PowerFit {
        slope: interval(fit.slope, sigma / fit.spread.sqrt())?,
        intercept: interval(fit.intercept, sigma * (1.0 / m as f64 + fit.centre * fit.centre / fit.spread).sqrt())?,
        residual: sigma,
        window,
        local_slopes: slopes_between(&data.ln_x, &data.ln_y),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Streams;

    include!("testdata/slope.in");

    const ALL: (f64, f64) = (1e-9, 1e9);

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got} against {want}");
    }

    /// statsmodels OLS; see `testdata/outside.py`.
    #[test]
    fn matches_statsmodels() {
        let fit = power_fit(&X, &Y, ALL).unwrap();
        close(fit.slope.value, FIT.0, 1e-12);
        close(fit.slope.low, FIT.1, 1e-11);
        close(fit.slope.high, FIT.2, 1e-11);
        close(fit.intercept.value, FIT.3, 1e-11);
        close(fit.intercept.low, FIT.4, 1e-11);
        close(fit.intercept.high, FIT.5, 1e-10);
        close(fit.residual, FIT.6, 1e-11);
        let shown = fit.columns().unwrap();
        assert_eq!(shown.list[0].1, [fit.slope].into());
        assert!(shown.x.is_none() && shown.list.iter().all(|(_, values)| values.len() == 1));
    }

    #[test]
    fn an_exact_power_law_is_found_in_any_order_and_only_inside_the_window() {
        let x = [16.0, 2.0, 8.0, 4.0, 1000.0, 0.001];
        let mut y = x.map(|v: f64| 3.0 * v.powf(-1.5));
        y[4] = 7.0;
        y[5] = -1.0; // outside the window a value may be anything finite
        let fit = power_fit(&x, &y, (2.0, 16.0)).unwrap();
        close(fit.slope.value, -1.5, 1e-12);
        close(fit.intercept.value, 3f64.ln(), 1e-12);
        assert!(fit.residual < 1e-14 && fit.slope.n == 4 && fit.window == (2.0, 16.0));
        assert_eq!(fit.local_slopes.len(), 3);
        close(fit.local_slopes[0].0, 8f64.sqrt(), 1e-12);
        assert!(fit.local_slopes.iter().all(|s| (s.1 + 1.5).abs() < 1e-12));
        // A change of units of y moves only the intercept; inverting y flips the slope.
        let flipped = power_fit(&x[..4], &y.map(|v| 10.0 / v)[..4], ALL).unwrap();
        close(flipped.slope.value, 1.5, 1e-12);
    }

    #[test]
    fn slopes_cover_as_often_as_they_say() {
        // 2000 fits to independent noise at 99 %: 20 +- 4.5 misses.
        let mut s = Streams::new(3).stream("cover").unwrap();
        let x: Vec<f64> = (0..6).map(|k| 2f64.powi(k)).collect();
        let mut misses = 0;
        for _ in 0..2000 {
            let y: Vec<f64> = x.iter().map(|v| v.powf(-0.5) * (0.3 * s.normal()).exp()).collect();
            misses += usize::from(!power_fit_at(&x, &y, ALL, 0.99).unwrap().slope.contains(-0.5));
        }
        assert!((2..=42).contains(&misses), "{misses}");
    }

    #[test]
    fn bad_input_is_refused() {
        let x = [1.0, 2.0, 4.0, 8.0];
        let y = [1.0, 0.5, 0.25, 0.125];
        let is = |r: Result<PowerFit, Error>, text: &str| {
            let error = r.unwrap_err();
            assert!(format!("{error:?}").starts_with(text), "{error:?} is not {text}");
        };
        is(power_fit(&x, &y[..3], ALL), "Shape");
        is(power_fit(&[], &[], ALL), "Empty");
        is(
            power_fit(&x, &y, (2.5, 9.0)),
            "TooFew { op: \"power_fit\", what: \"points in the window (2.5, 9)\", found: 2, needed: 3",
        );
        for window in [(4.0, 1.0), (0.0, 5.0), (-1.0, 5.0), (1.0, f64::INFINITY), (f64::NAN, 5.0), (2.0, 2.0)] {
            is(power_fit(&x, &y, window), "Refused { op: \"power_fit\", problem: \"the window (");
        }
        is(power_fit(&[1.0, 2.0, f64::NAN, 8.0], &y, ALL), "NotFinite");
        is(power_fit(&[1.0, 2.0, 0.0, 8.0], &y, ALL), "Entry { op: \"power_fit\", name: \"x\", at: [2]");
        is(power_fit(&x, &[1.0, -0.5, 0.25, 0.125], ALL), "Entry { op: \"power_fit\", name: \"y\", at: [1]");
        is(power_fit(&x, &[1.0, 0.0, 0.25, 0.125], ALL), "Entry");
        is(power_fit(&x, &[1.0, f64::INFINITY, 0.25, 0.125], ALL), "NotFinite");
        is(power_fit(&[3.0; 4], &y, ALL), "Refused { op: \"power_fit\", problem: \"all x in the window equal 3");
        is(power_fit_at(&x, &y, ALL, 0.0), "Parameter { op: \"power_fit\", name: \"confidence\"");
        assert!(power_fit(&x, &y, ALL).unwrap().predict(-1.0).is_nan());
    }
}
