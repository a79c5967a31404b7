//! Where a log-log plot is straight: local slopes and the choice of a window.

use super::Error;
use crate::{check, work};

pub(crate) fn check_window(op: &'static str, (low, high): (f64, f64)) -> Result<(), Error> {
    if low > 0.0 && low < high && high.is_finite() {
        Ok(())
    } else {
        let problem = format!("the window ({low}, {high}) is not positive, finite and increasing");
        Err(Error::refused(op, problem, "give it in units of x"))
    }
}

/// What has a logarithm.
pub(super) const POSITIVE: &str = "positive numbers: narrow the window, or average more runs so that they are";

/// Slopes between neighbours of points sorted by ln x; neighbours with equal x are skipped.
pub(crate) fn slopes_between(ln_x: &[f64], ln_y: &[f64]) -> Vec<(f64, f64)> {
    ln_x.windows(2)
        .zip(ln_y.windows(2))
        .filter(|(a, _)| a[1] > a[0])
        .map(|(a, b)| ((0.5 * (a[0] + a[1])).exp(), (b[1] - b[0]) / (a[1] - a[0])))
        .collect()
}

/// Positive points by rising x, as (x, ln x, ln y).
fn sorted_logs(op: &'static str, x: &[f64], y: &[f64]) -> Result<Vec<(f64, f64, f64)>, Error> {
    check::same(op, ("x", x.len()), ("y", y.len()))?;
    check::data(op, "x", x, 2)?;
    check::data(op, "y", y, 2)?;
    check::entries(op, "x", x, |v| v > 0.0, POSITIVE)?;
    check::entries(op, "y", y, |v| v > 0.0, POSITIVE)?;
    let mut points: Vec<_> = x.iter().zip(y).map(|(&x, &y)| (x, x.ln(), y.ln())).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(points)
}

/// Local exponents: d ln y / d ln x between neighbouring points, as (geometric mean of the two x, slope), by rising x.
///
/// **Shapes**: x, y (m), any order, m >= 2; at most m - 1 slopes, fewer where x repeats.
///
/// **Errors**: [`Error::Shape`], [`Error::Empty`], [`Error::TooFew`], [`Error::NotFinite`], [`Error::Entry`] for what is not positive.
///
/// ```
/// let slopes = workbench::stats::local_slopes(&[1.0, 4.0, 16.0], &[1.0, 2.0, 2.0])?;
/// assert!((slopes[0].0 - 2.0).abs() < 1e-12 && (slopes[0].1 - 0.5).abs() < 1e-12 && slopes[1].1 == 0.0);
/// # Ok::<(), workbench::stats::Error>(())
/// ```
pub fn local_slopes(x: &[f64], y: &[f64]) -> Result<Vec<(f64, f64)>, Error> {
    let points = sorted_logs("local_slopes", x, y)?;
    let ln_x: Vec<f64> = points.iter().map(|p| p.1).collect();
    let ln_y: Vec<f64> = points.iter().map(|p| p.2).collect();
    Ok(slopes_between(&ln_x, &ln_y))
}

/// The widest window over which the log-log plot is straight.
///
/// In each run of at least `min_points` neighbouring points a parabola ln y = a + b u + c u^2, u = ln x, is fitted; its slope changes by
/// 2 |c| (u_last - u_first) across the run. The widest run in ln x whose change is at most `tolerance` wins; of equals, the one at
/// larger x.
///
/// A window chosen by looking at the data makes the interval of a later fit too narrow: choose it on pilot runs, then fix it.
///
/// **Ranges**: `min_points >= 4` (a parabola through 3 points leaves no freedom); `tolerance > 0`, in units of the exponent.
///
/// **Errors**: those of [`local_slopes`]; [`Error::Parameter`]; [`Error::Refused`] if no run is straight enough. Cost O(m^3).
///
/// ```
/// let x: Vec<f64> = (0..12).map(|k| 2f64.powi(k)).collect();
/// let y: Vec<f64> = x.iter().map(|v| v.powf(-0.5) + 0.05).collect(); // a floor bends the far end
/// let (low, high) = workbench::stats::straight_window(&x, &y, 4, 0.1)?;
/// assert_eq!(low, 1.0);
/// assert!(high < 2048.0);
/// # Ok::<(), workbench::stats::Error>(())
/// ```
pub fn straight_window(x: &[f64], y: &[f64], min_points: usize, tolerance: f64) -> Result<(f64, f64), Error> {
    let op = "straight_window";
    check::within(op, "min_points", min_points as f64, min_points >= 4, "4 or more")?;
    let allowed = "a positive, finite change of slope, such as 0.1";
    check::within(op, "tolerance", tolerance, tolerance > 0.0, allowed)?;
    let points = sorted_logs(op, x, y)?;
    if points.len() < min_points {
        let next = "add data, or lower min_points";
        return Err(Error::too_few(op, "points", points.len(), min_points, next));
    }
    let mut best: Option<(f64, (f64, f64))> = None;
    for first in 0..=points.len() - min_points {
        work::check(op, first as u64, (points.len() - min_points + 1) as u64)?;
        for last in first + min_points - 1..points.len() {
            let run = &points[first..=last];
            let width = points[last].1 - points[first].1;
            // Rounding must not prefer one of two equally wide runs.
            let wider = best.is_none_or(|(w, _)| width >= w * (1.0 - 1e-12));
            if wider && slope_change(run).is_some_and(|change| change <= tolerance) {
                best = Some((width, (points[first].0, points[last].0)));
            }
        }
    }
    best.map(|(_, window)| window).ok_or_else(|| {
        let problem = format!("no {min_points} neighbouring points keep their slope within {tolerance}");
        Error::refused(op, problem, "allow more bend, or measure further out")
    })
}

/// Change of slope across a run by its least-squares parabola; `None` if x takes fewer than three values.
fn slope_change(run: &[(f64, f64, f64)]) -> Option<f64> {
    let m = run.len() as f64;
    let centre = run.iter().map(|p| p.1).sum::<f64>() / m;
    let half = 0.5 * (run[run.len() - 1].1 - run[0].1);
    if half <= 0.0 {
        return None;
    }
    // u is scaled to order one. q = u^2 - alpha u - beta is orthogonal to 1 and u, so c = <q, ln y> / <q, q>.
    let u = |p: &(f64, f64, f64)| (p.1 - centre) / half;
    let moment = |k: i32| run.iter().map(|p| u(p).powi(k)).sum::<f64>() / m;
    let (m2, m3) = (moment(2), moment(3));
    let q = |p: &(f64, f64, f64)| u(p).powi(2) - m3 / m2 * u(p) - m2;
    let norm = run.iter().map(|p| q(p).powi(2)).sum::<f64>();
    if norm <= 1e-20 * m {
        return None;
    }
    let c = run.iter().map(|p| q(p) * p.2).sum::<f64>() / norm;
    // u runs over a length of 2, and d u = d ln x / half.
    Some(4.0 * c.abs() / half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Streams;

    fn grid(n: i32) -> Vec<f64> {
        (0..n).map(|k| 1.5f64.powi(k)).collect()
    }

    #[test]
    fn local_slopes_of_a_power_law_are_its_exponent() {
        let mut x = grid(8);
        x.reverse();
        let y: Vec<f64> = x.iter().map(|v| 2.0 * v.powf(1.3)).collect();
        let slopes = local_slopes(&x, &y).unwrap();
        assert_eq!(slopes.len(), 7);
        assert!(slopes.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(slopes.iter().all(|s| (s.1 - 1.3).abs() < 1e-12));
        assert_eq!(
            local_slopes(&[1.0, 1.0, 2.0], &[1.0, 2.0, 4.0]).unwrap().len(),
            1,
            "equal x are skipped"
        );
    }

    #[test]
    fn slope_change_of_a_parabola_is_exact() {
        let run: Vec<_> = [0.0, 0.3, 1.0, 1.1, 2.0]
            .map(|u: f64| (u.exp(), u, 1.0 - 0.5 * u + 0.25 * u * u))
            .to_vec();
        assert!(
            (slope_change(&run).unwrap() - 1.0).abs() < 1e-12,
            "2 c width = 2 * 0.25 * 2"
        );
    }

    #[test]
    fn the_window_leaves_out_the_bend() {
        // Exponent -1 up to x = 38, then -2: windows over the kink bend by much more than 0.2.
        let x = grid(18);
        let kink = x[9];
        let y: Vec<f64> = x
            .iter()
            .map(|&v| if v <= kink { 1.0 / v } else { kink / (v * v) })
            .collect();
        let (low, high) = straight_window(&x, &y, 4, 0.2).unwrap();
        assert!(
            low == x[0] && high >= kink && high < x[12] || low >= x[7] && high == x[17],
            "({low}, {high})"
        );
        // All of a straight line, with noise.
        let mut s = Streams::new(1).stream("noise").unwrap();
        let y: Vec<f64> = x.iter().map(|v| v.powf(-0.5) * (0.01 * s.normal()).exp()).collect();
        assert_eq!(straight_window(&x, &y, 4, 0.1).unwrap(), (x[0], x[17]));
    }

    #[test]
    fn bad_input_is_refused() {
        let x = grid(8);
        let y = grid(8);
        assert!(matches!(local_slopes(&x, &y[1..]), Err(Error::Shape { .. })));
        assert!(matches!(local_slopes(&[], &[]), Err(Error::Empty { .. })));
        assert!(matches!(local_slopes(&[1.0], &[1.0]), Err(Error::TooFew { .. })));
        assert!(matches!(
            local_slopes(&[1.0, f64::NAN], &[1.0, 1.0]),
            Err(Error::NotFinite { name: "x", .. })
        ));
        assert!(matches!(
            local_slopes(&[1.0, 2.0], &[0.0, 1.0]),
            Err(Error::Entry { name: "y", .. })
        ));
        assert!(matches!(
            straight_window(&x, &y, 3, 0.1),
            Err(Error::Parameter { name: "min_points", .. })
        ));
        for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let r = straight_window(&x, &y, 4, tolerance);
            assert!(
                matches!(r, Err(Error::Parameter { name: "tolerance", .. })),
                "{tolerance}"
            );
        }
        assert!(matches!(straight_window(&x, &y, 9, 0.1), Err(Error::TooFew { .. })));
        let bent: Vec<f64> = x.iter().map(|v| (-v).exp()).collect();
        assert!(matches!(
            straight_window(&x, &bent, 4, 1e-3),
            Err(Error::Refused { problem, .. }) if problem.starts_with("no 4 neighbouring points")
        ));
        assert!(matches!(
            straight_window(&[2.0; 5], &[1.0; 5], 4, 0.1),
            Err(Error::Refused { problem, .. }) if problem.starts_with("no 4 neighbouring points")
        ));
    }
}
