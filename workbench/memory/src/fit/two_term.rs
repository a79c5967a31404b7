//! Joint fit of a memory term and a data term.

use ndarray::{Array1, Array2, Array3, Axis};
use ndarray_linalg::Solve;
use workbench_ground::Error;
use workbench_ground::check::{entries, positive, same, within};
use workbench_ground::stats::{CONFIDENCE, Estimate, Stream, largest_of, least_of};
use workbench_ground::work;

/// Parameters of $\mathrm{error}=a\,d^{-b}+c\,T^{-e}$, with bootstrap intervals over runs.
///
/// **Source**: the law drawn dashed in Fig. 1, with constants and exponents free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoTermFit {
    /// Amplitude a of the memory term.
    pub memory_amplitude: Estimate,
    /// Exponent b of the memory term.
    pub memory_exponent: Estimate,
    /// Amplitude c of the data term.
    pub data_amplitude: Estimate,
    /// Exponent e of the data term.
    pub data_exponent: Estimate,
    /// Root mean square of $\ln\mathrm{error}-\ln\mathrm{fit}$.
    pub residual: f64,
    /// Largest $\lvert\ln\mathrm{error}-\ln\mathrm{fit}\rvert$.
    pub worst: f64,
}

/// Fits $a\,d^{-b}+c\,T^{-e}$ to errors by least squares of logarithms.
///
/// **Source**: the law drawn dashed in Fig. 1, with constants and exponents free.
///
/// **Shapes**: `errors` is `(run, dimension, data size)`; data sizes may be infinite.
///
/// **Errors**: fewer than three dimensions or data sizes, sizes that do not match, means that are not positive,
/// [`Error::Stopped`] between two replicates.
///
/// Cost: some tens of passes over the grid for each replicate.
pub fn two_term_fit(
    dims: &[f64],
    sizes: &[f64],
    errors: &Array3<f64>,
    replicates: usize,
    stream: &mut Stream,
) -> Result<TwoTermFit, Error> {
    const OP: &str = "two_term_fit";
    let (runs, n_dims, n_sizes) = errors.dim();
    positive(OP, "runs", runs)?;
    positive(OP, "replicates", replicates)?;
    for (left_name, left, right_name, right) in [
        ("dims", dims.len(), "errors", n_dims),
        ("sizes", sizes.len(), "errors", n_sizes),
    ] {
        same(OP, (left_name, left), (right_name, right))?;
        within(OP, left_name, left as f64, left >= 3, "at least three points")?;
    }
    let whole = errors.mean_axis(Axis(0)).unwrap_or_default();
    let allowed = "positive means; narrow the grid";
    entries(OP, "mean error", &whole, |e| e.is_finite() && e > 0.0, allowed)?;
    let start = [
        whole[[0, n_sizes - 1]].ln() + dims[0].ln(),
        1.0,
        whole[[n_dims - 1, 0]].ln() + 0.5 * sizes[0].ln(),
        0.5,
    ];
    let best = minimise(dims, sizes, &whole.mapv(f64::ln), start);
    let mut samples: [Vec<f64>; 4] = Default::default();
    for done in 0..replicates {
        work::check(OP, done as u64, replicates as u64)?;
        let mut mean = Array2::<f64>::zeros((n_dims, n_sizes));
        for _ in 0..runs {
            mean += &errors.index_axis(Axis(0), stream.below(runs as u64) as usize);
        }
        mean /= runs as f64;
        if mean.iter().all(|&e| e > 0.0) {
            let theta = minimise(dims, sizes, &mean.mapv(f64::ln), best);
            samples.iter_mut().zip(theta).for_each(|(list, v)| list.push(v));
        }
    }
    let interval = |k: usize, f: fn(f64) -> f64| {
        let mut list = samples[k].clone();
        list.sort_by(f64::total_cmp);
        let at = |q: f64| list[((q * list.len() as f64) as usize).min(list.len() - 1)];
        let tail = 0.5 * (1.0 - CONFIDENCE);
        let (low, high) = if list.is_empty() {
            (f64::NAN, f64::NAN)
        } else {
            (at(tail), at(1.0 - tail))
        };
        Estimate::new(
            f(best[k]),
            f(least_of([low, best[k]])),
            f(largest_of([high, best[k]])),
            runs as u64,
            CONFIDENCE,
        )
    };
    let residuals = residuals(dims, sizes, &whole.mapv(f64::ln), &best);
    Ok(TwoTermFit {
        memory_amplitude: interval(0, f64::exp)?,
        memory_exponent: interval(1, |v| v)?,
        data_amplitude: interval(2, f64::exp)?,
        data_exponent: interval(3, |v| v)?,
        residual: (residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64).sqrt(),
        worst: largest_of(residuals.iter().map(|r| r.abs())),
    })
}

fn residuals(dims: &[f64], sizes: &[f64], logs: &Array2<f64>, theta: &[f64; 4]) -> Vec<f64> {
    logs.indexed_iter()
        .map(|((i, j), y)| {
            let memory = (theta[0] - theta[1] * dims[i].ln()).exp();
            let data = if sizes[j].is_finite() {
                (theta[2] - theta[3] * sizes[j].ln()).exp()
            } else {
                0.0
            };
            (memory + data).ln() - y
        })
        .collect()
}

/// Levenberg-Marquardt on `(ln a, b, ln c, e)`.
fn minimise(dims: &[f64], sizes: &[f64], logs: &Array2<f64>, start: [f64; 4]) -> [f64; 4] {
    let cost = |theta: &[f64; 4]| residuals(dims, sizes, logs, theta).iter().map(|r| r * r).sum::<f64>();
    let (mut theta, mut damping) = (start, 1e-3);
    let mut current = cost(&theta);
    for _ in 0..100 {
        let (mut normal, mut gradient) = (Array2::<f64>::zeros((4, 4)), Array1::<f64>::zeros(4));
        for ((i, j), y) in logs.indexed_iter() {
            let (ld, lt) = (dims[i].ln(), sizes[j].ln());
            let memory = (theta[0] - theta[1] * ld).exp();
            let data = if sizes[j].is_finite() {
                (theta[2] - theta[3] * lt).exp()
            } else {
                0.0
            };
            let (total, share) = (memory + data, memory / (memory + data));
            let slope = [
                share,
                -share * ld,
                1.0 - share,
                if sizes[j].is_finite() { -(1.0 - share) * lt } else { 0.0 },
            ];
            let r = total.ln() - y;
            for a in 0..4 {
                gradient[a] += slope[a] * r;
                for b in 0..4 {
                    normal[[a, b]] += slope[a] * slope[b];
                }
            }
        }
        normal.diag_mut().mapv_inplace(|v| v * (1.0 + damping) + 1e-14);
        // The damped matrix is positive definite; where rounding says otherwise the search has gone as far as it can.
        let Ok(step) = normal.solve_into(gradient) else { break };
        let trial: [f64; 4] = std::array::from_fn(|k| theta[k] - step[k]);
        let value = cost(&trial);
        if value < current {
            let gain = current - value;
            (theta, current, damping) = (trial, value, damping * 0.3);
            if gain < 1e-14 * (1.0 + current) {
                break;
            }
        } else {
            damping *= 5.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    theta
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    #[test]
    fn recovers_a_law_with_noise() {
        let (dims, sizes) = (
            [10.0, 30.0, 100.0, 300.0, 1000.0],
            [10.0, 100.0, 1000.0, 1e4, f64::INFINITY],
        );
        let mut stream = Streams::new(2).stream("noise").unwrap();
        let errors = Array3::from_shape_fn((50, 5, 5), |(_, i, j)| {
            let t: f64 = sizes[j];
            let clean = 3.0 / dims[i] + 0.7 * if t.is_finite() { t.powf(-0.5) } else { 0.0 };
            clean * (1.0 + 0.1 * stream.normal())
        });
        let fit = two_term_fit(&dims, &sizes, &errors, 1000, &mut stream).unwrap();
        assert!(
            fit.memory_exponent.contains(1.0) && fit.data_exponent.contains(0.5),
            "{fit:?}"
        );
        assert!(
            fit.memory_amplitude.contains(3.0) && fit.data_amplitude.contains(0.7),
            "{fit:?}"
        );
        assert!(!fit.memory_exponent.contains(0.5) && !fit.data_exponent.contains(1.0));
        assert!(fit.worst < 0.2);
    }

    #[test]
    fn without_a_resample_that_can_be_fitted_there_is_no_interval() {
        let x: [f64; 3] = [10.0, 30.0, 100.0];
        // One of four resamples takes the second run twice, where no mean is positive.
        let errors = Array3::from_shape_fn((2, 3, 3), |(run, i, j)| {
            (3.0 / x[i] + 0.7 * x[j].powf(-0.5)) * [3.0, -1.0][run]
        });
        let fit = |k: u64| two_term_fit(&x, &x, &errors, 1, &mut Streams::new(k).stream("resamples").unwrap());
        let refused = (1..=40).filter(|k| fit(*k).is_err()).count();
        assert!((1..40).contains(&refused), "{refused}");
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(2).stream("noise").unwrap();
        let x = [1.0, 2.0, 3.0];
        assert!(matches!(
            two_term_fit(&x, &x[..2], &Array3::ones((2, 3, 3)), 9, &mut stream),
            Err(Error::Shape { .. })
        ));
        assert!(matches!(
            two_term_fit(&x[..2], &x, &Array3::ones((2, 2, 3)), 9, &mut stream),
            Err(Error::Parameter { .. })
        ));
        assert!(matches!(
            two_term_fit(&x, &x, &Array3::zeros((2, 3, 3)), 9, &mut stream),
            Err(Error::Entry { .. })
        ));
        assert!(matches!(
            two_term_fit(&x, &x, &Array3::ones((2, 3, 3)), 0, &mut stream),
            Err(Error::Zero { .. })
        ));
    }
}
