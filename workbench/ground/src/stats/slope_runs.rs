//! Power laws through the mean of independent runs.

use ndarray::Array2;

use super::bootstrap::resample;
use super::slope::{line, logs, residual};
use super::window::slopes_between;
use super::{CONFIDENCE, Error, PowerFit, Stream};
use crate::check;

/// Power law through the mean of independent runs, with bootstrap intervals over runs, at the house confidence.
///
/// The line is fitted to ln of the column means by ordinary least squares; runs (rows) are resampled whole, so the points of one run
/// may depend on each other in any way. See [`super::bootstrap()`] for the interval.
///
/// **Shapes**: x (m); `runs` (n_runs, m), n_runs >= 2. `slope.n` counts runs. Single values may be zero or negative; means inside the
/// window must be positive, in every resample.
///
/// **Errors**: as [`power_fit`](super::power_fit) for the means; [`Error::TooFew`] runs, [`Error::Parameter`] for `replicates` (at least 1999),
/// [`Error::Refused`] if a resample has a mean that is not positive. Cost O(replicates n_runs m).
///
/// ```
/// use workbench_ground::stats::{Streams, normal_array2, power_fit_runs};
/// let streams = Streams::new(1);
/// let x = [1.0, 2.0, 4.0, 8.0];
/// let mut runs = normal_array2(&mut streams.stream("noise")?, 30, 4).mapv(|z| (0.1 * z).exp());
/// for (mut column, x) in runs.columns_mut().into_iter().zip(x) {
///     column *= 1.0 / x;
/// }
/// let fit = power_fit_runs(&x, &runs, (1.0, 8.0), 2000, &mut streams.stream("bootstrap")?)?;
/// assert!(fit.slope.contains(-1.0) && fit.slope.n == 30);
/// # Ok::<(), workbench_ground::stats::Error>(())
/// ```
pub fn power_fit_runs(
    x: &[f64],
    runs: &Array2<f64>,
    window: (f64, f64),
    replicates: usize,
    stream: &mut Stream,
) -> Result<PowerFit, Error> {
    power_fit_runs_at(x, runs, window, replicates, stream, CONFIDENCE)
}

/// [`power_fit_runs`] at another confidence in (0, 1).
///
/// **Errors**: as [`power_fit_runs`], and [`Error::Parameter`] for the confidence.
pub fn power_fit_runs_at(
    x: &[f64],
    runs: &Array2<f64>,
    window: (f64, f64),
    replicates: usize,
    stream: &mut Stream,
    confidence: f64,
) -> Result<PowerFit, Error> {
    let op = "power_fit_runs";
    check::same(op, ("x", x.len()), ("columns of runs", runs.ncols()))?;
    let n = runs.nrows();
    if n == 0 {
        return Err(Error::empty(op, "the table of runs", "pass at least one run"));
    }
    check::finite_matrix(op, "runs", runs)?;
    let means: Vec<f64> = runs.columns().into_iter().map(|c| c.sum() / n as f64).collect();
    let data = logs(op, x, &means, window)?;
    let mut sums = vec![0.0; data.x.len()];
    let mut ln_mean = vec![0.0; data.x.len()];
    // Rows of the window only, contiguous, in the order of the fit.
    let kept: Vec<f64> = runs.rows().into_iter().flat_map(|row| data.index.iter().map(move |&j| row[j])).collect();
    let width = data.x.len();
    let mut parameters = |units: &[usize]| {
        sums.fill(0.0);
        for &r in units {
            for (sum, value) in sums.iter_mut().zip(&kept[r * width..(r + 1) * width]) {
                *sum += value;
            }
        }
        for (l, sum) in ln_mean.iter_mut().zip(&sums) {
            *l = (sum / units.len() as f64).ln();
        }
        let fit = line(&data.ln_x, &ln_mean);
        [fit.slope, fit.intercept]
    };
    let [slope, intercept] = resample(op, n, replicates, stream, &mut parameters, confidence)?;
    let fit = line(&data.ln_x, &data.ln_y);
    Ok(PowerFit {
        slope,
        intercept,
        residual: residual(&fit, &data),
        window,
        local_slopes: slopes_between(&data.ln_x, &data.ln_y),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Streams, normal_array2, power_fit};

    const ALL: (f64, f64) = (1e-9, 1e9);

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got} against {want}");
    }

    #[test]
    fn runs_fit_the_mean_of_runs() {
        let x = [1.0f64, 2.0, 4.0, 8.0, 16.0];
        let mut runs = normal_array2(&mut Streams::new(2).stream("runs").unwrap(), 40, 5);
        for ((_, j), v) in runs.indexed_iter_mut() {
            *v = x[j].powf(-0.7) * (1.0 + 0.2 * *v);
        }
        let means: Vec<f64> = runs.columns().into_iter().map(|c| c.mean().unwrap()).collect();
        let mut s = Streams::new(2).stream("boot").unwrap();
        let fit = power_fit_runs(&x, &runs, ALL, 1999, &mut s).unwrap();
        let plain = power_fit(&x, &means, ALL).unwrap();
        close(fit.slope.value, plain.slope.value, 1e-12);
        close(fit.residual, plain.residual, 1e-9);
        assert!(fit.slope.contains(-0.7) && fit.slope.n == 40);
        // Sampling error of the slope: 0.2 / sqrt(40) / sqrt(sum (ln x - mean)^2) = 0.0144; 3.3 to 3.7 of these on each side.
        assert!((0.035..0.065).contains(&fit.slope.half_width()), "{}", fit.slope);
    }

    #[test]
    fn slopes_cover_as_often_as_they_say() {
        // 400 fits of 10 runs that tilt as a whole, at 95 %: 20 +- 4.4 misses.
        let mut s = Streams::new(3).stream("cover").unwrap();
        let x: Vec<f64> = (0..6).map(|k| 2f64.powi(k)).collect();
        let mut run_misses = 0;
        for _ in 0..400 {
            let mut runs = normal_array2(&mut s, 10, 6);
            for mut row in runs.rows_mut() {
                let tilt = 0.1 * s.normal();
                for (v, x) in row.iter_mut().zip(&x) {
                    *v = x.powf(-0.5) * (1.0 + tilt * (x.ln() - 1.7) + 0.05 * *v);
                }
            }
            let fit = power_fit_runs_at(&x, &runs, ALL, 399, &mut s, 0.95).unwrap();
            run_misses += usize::from(!fit.slope.contains(-0.5));
        }
        assert!((2..=42).contains(&run_misses), "{run_misses}");
    }

    #[test]
    fn bad_input_is_refused() {
        let x = [1.0, 2.0, 4.0, 8.0];
        let y = [1.0, 0.5, 0.25, 0.125];
        let is = |r: Result<PowerFit, Error>, text: &str| {
            let error = r.unwrap_err();
            assert!(format!("{error:?}").starts_with(text), "{error:?} is not {text}");
        };
        let mut s = Streams::new(1).stream("bad").unwrap();
        let runs = Array2::from_shape_fn((5, 4), |(_, j)| y[j]);
        is(power_fit_runs(&x[..3], &runs, ALL, 2000, &mut s), "Shape");
        is(power_fit_runs(&x, &Array2::zeros((0, 4)), ALL, 2000, &mut s), "Empty");
        is(power_fit_runs(&x, &runs.slice(ndarray::s![..1, ..]).to_owned(), ALL, 2000, &mut s), "TooFew");
        is(power_fit_runs(&x, &runs, ALL, 0, &mut s), "Parameter");
        is(power_fit_runs(&x, &runs.mapv(|v| v - 0.5), ALL, 2000, &mut s), "Entry");
        let mut holed = runs.clone();
        holed[[3, 1]] = f64::NAN;
        is(power_fit_runs(&x, &holed, ALL, 2000, &mut s), "NotFinite");
        let mut swinging = runs;
        swinging[[0, 0]] = -3.0; // the mean is positive, some resample's is not
        is(
            power_fit_runs(&x, &swinging, ALL, 2000, &mut s),
            "Refused { op: \"power_fit_runs\", problem: \"the statistic is",
        );
    }
}
