//! The best threshold P for a weighting scheme, found on the exact expected error.

use crate::data::target::Target;
use crate::data::zipf::Zipf;
use crate::error_curve::ErrorCurve;
use crate::generalization::expected_error::ConditionalDraws;
use crate::store::profile::Profile;
use crate::store::scheme::Scheme;
use ndarray::{Array1, Array2, Axis, s};
use workbench_ground::Error;
use workbench_ground::check::{positive, same, within};
use workbench_ground::stats::{CONFIDENCE, Estimate, Label, Runs, Stream, largest_of, least_of, mean};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{self, Observer, Step, Unwatched};

/// Thresholds from `low` to `high`, each about `ratio` times the one before, without repeats.
///
/// **Source**: the P of Eq. 5.
///
/// **Errors**: `low` zero or above `high`, a ratio that is not above 1.
///
/// ```
/// use workbench_memory::geometric_thresholds;
/// assert_eq!(geometric_thresholds(1, 16, 2.0)?, vec![1, 2, 4, 8, 16]);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
pub fn geometric_thresholds(low: usize, high: usize, ratio: f64) -> Result<Vec<usize>, Error> {
    const OP: &str = "geometric_thresholds";
    positive(OP, "low", low)?;
    within(OP, "high", high as f64, high >= low, "at least the low end")?;
    within(OP, "ratio", ratio, ratio > 1.0, "a finite ratio > 1")?;
    let mut list = vec![low];
    let mut next = low as f64;
    loop {
        next *= ratio;
        let p = next.round() as usize;
        if p > high {
            return Ok(list);
        }
        if list.last() != Some(&p) {
            list.push(p);
        }
    }
}

/// Expected errors of one scheme at one dimension along a list of thresholds, on common draws.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdProfile {
    dim: usize,
    thresholds: Vec<usize>,
    errors: Array2<f64>,
}

impl ThresholdProfile {
    /// Evaluates `scheme.top(P)` for every P of the list.
    ///
    /// **Errors**: as [`Profile::population`]; fewer than three thresholds; [`Error::Stopped`].
    pub fn compute(
        draws: &ConditionalDraws,
        law: &Zipf,
        target: &Target,
        scheme: &Scheme,
        dim: usize,
        thresholds: &[usize],
    ) -> Result<ThresholdProfile, Error> {
        ThresholdProfile::told(draws, law, target, scheme, dim, thresholds, &mut || ())
    }

    /// As [`ThresholdProfile::compute`], with a call after each threshold.
    fn told(
        draws: &ConditionalDraws,
        law: &Zipf,
        target: &Target,
        scheme: &Scheme,
        dim: usize,
        thresholds: &[usize],
        tell: &mut dyn FnMut(),
    ) -> Result<ThresholdProfile, Error> {
        const OP: &str = "ThresholdProfile::compute";
        let (n, allowed) = (thresholds.len(), "at least three thresholds");
        within(OP, "number of thresholds", n as f64, n >= 3, allowed)?;
        let mut errors = Array2::zeros((draws.len(), thresholds.len()));
        for (done, (mut column, &p)) in errors.columns_mut().into_iter().zip(thresholds).enumerate() {
            work::check(OP, done, thresholds.len())?;
            let profile = Profile::population(law, target, &scheme.clone().top(p)?, dim)?;
            column.assign(&draws.expected_error(&profile, dim)?);
            tell();
        }
        Ok(ThresholdProfile { dim, thresholds: thresholds.to_vec(), errors })
    }

    /// One profile for each dimension, over thresholds from 1 to `32 d`.
    ///
    /// Cost: `60` profiles a dimension at a ratio of 1.5.
    pub fn over_dims(
        draws: &ConditionalDraws,
        law: &Zipf,
        target: &Target,
        scheme: &Scheme,
        dims: &[usize],
        ratio: f64,
    ) -> Result<Vec<ThresholdProfile>, Error> {
        ThresholdProfile::over_dims_watched(draws, law, target, scheme, dims, ratio, &mut Unwatched)
    }

    /// [`ThresholdProfile::over_dims`], telling `observer` after each threshold of each dimension.
    ///
    /// **Errors**: as [`ThresholdProfile::compute`]; a zero dimension, a ratio that is not above 1.
    pub fn over_dims_watched(
        draws: &ConditionalDraws,
        law: &Zipf,
        target: &Target,
        scheme: &Scheme,
        dims: &[usize],
        ratio: f64,
        observer: &mut dyn Observer,
    ) -> Result<Vec<ThresholdProfile>, Error> {
        let lists = dims
            .iter()
            .map(|d| geometric_thresholds(1, d.saturating_mul(32), ratio))
            .collect::<Result<Vec<_>, Error>>()?;
        let (mut done, of) = (0, lists.iter().map(Vec::len).sum::<usize>());
        let mut tell = || {
            done += 1;
            observer.observe(Step { done, of, value: None });
        };
        dims.iter()
            .zip(&lists)
            .map(|(&d, list)| ThresholdProfile::told(draws, law, target, scheme, d, list, &mut tell))
            .collect()
    }

    /// The thresholds.
    pub fn thresholds(&self) -> &[usize] {
        &self.thresholds
    }

    /// Errors, `(draw, threshold)`.
    pub fn errors(&self) -> &Array2<f64> {
        &self.errors
    }

    /// The errors on the axis `threshold`; the draws are the runs.
    ///
    /// **Shapes**: values `(draw, threshold)`.
    ///
    /// **Errors**: none for a profile that was computed.
    pub fn labelled(&self) -> Result<Runs, Error> {
        let thresholds = self.thresholds.iter().copied().map(Label::from).collect();
        Runs::new(vec![("threshold", thresholds)], self.errors.clone().into_dyn())
    }

    /// The dimension.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The best threshold, between grid points by a parabola in $\ln P$.
    pub fn best(&self) -> f64 {
        self.refine(&self.errors.mean_axis(Axis(0)).unwrap_or_default()).exp()
    }

    /// Error at the best threshold, per draw: half of the draws choose P, the other half score it, and the other way round,
    /// so that the minimum is not taken over noise.
    pub fn error_at_best(&self) -> Array1<f64> {
        let half = self.errors.nrows() / 2;
        let choose = |rows: ndarray::ArrayView2<f64>| argmin(&rows.mean_axis(Axis(0)).unwrap_or_default());
        let by_first = choose(self.errors.slice(s![..half.max(1), ..]));
        let by_second = choose(self.errors.slice(s![half.., ..]));
        let mut scored = self.errors.column(by_second).to_owned();
        scored.slice_mut(s![half..]).assign(&self.errors.slice(s![half.., by_first]));
        scored
    }

    /// `ln P` at the minimum of `means`.
    fn refine(&self, means: &Array1<f64>) -> f64 {
        let x = |i: usize| (self.thresholds[i] as f64).ln();
        let i = argmin(means);
        if i == 0 || i + 1 == means.len() {
            return x(i);
        }
        let (x0, x1, x2) = (x(i - 1), x(i), x(i + 1));
        let (left, right) = ((means[i] - means[i - 1]) / (x1 - x0), (means[i + 1] - means[i]) / (x2 - x1));
        if right <= left {
            return x1;
        }
        // Zero of the slope that runs linearly between the midpoints of the two intervals.
        let (a, b) = (0.5 * (x0 + x1), 0.5 * (x1 + x2));
        (a - left * (b - a) / (right - left)).clamp(x0, x2)
    }
}

/// One row for each threshold: the mean error over draws.
impl Tabulated for ThresholdProfile {
    fn columns(&self) -> Result<Columns, Error> {
        let errors = self.errors.columns().into_iter().map(|draws| mean(&draws.to_vec()));
        let errors = errors.collect::<Result<Vec<Estimate>, Error>>()?;
        Ok(Columns::new(&format!("Expected error, d = {}", self.dim))
            .x("threshold", &self.thresholds)
            .with("error", errors)
            .log_x())
    }
}

/// Errors at the best threshold of each dimension, scored on held-out draws; see [`ThresholdProfile::error_at_best`].
///
/// **Source**: Theorem 2, the "optimal performance" over P.
///
/// **Errors**: profiles with different numbers of draws.
pub fn best_threshold_curve(profiles: &[ThresholdProfile]) -> Result<ErrorCurve, Error> {
    let columns: Vec<Array1<f64>> = profiles.iter().map(ThresholdProfile::error_at_best).collect();
    ErrorCurve::from_columns(profiles.iter().map(|p| p.dim as f64).collect(), &columns)
}

/// The exponent of d in the best threshold: slope of $\ln P^\ast$ against $\ln d$, with a bootstrap interval over draws.
///
/// **Source**: Theorem 2, the power of d in the optimal P.
///
/// **Errors**: fewer than two profiles, profiles with different numbers of draws, no replicates, [`Error::Stopped`].
pub fn threshold_exponent(
    profiles: &[ThresholdProfile],
    replicates: usize,
    stream: &mut Stream,
) -> Result<Estimate, Error> {
    const OP: &str = "threshold_exponent";
    positive(OP, "replicates", replicates)?;
    let allowed = "at least two dimensions";
    within(OP, "profiles", profiles.len() as f64, profiles.len() >= 2, allowed)?;
    let n = profiles[0].errors.nrows();
    for profile in profiles {
        same(OP, ("draws", profile.errors.nrows()), ("draws of the first profile", n))?;
    }
    let x: Vec<f64> = profiles.iter().map(|p| (p.dim as f64).ln()).collect();
    let slope = |weights: &Array1<f64>| {
        let y: Vec<f64> = profiles.iter().map(|p| p.refine(&(weights.dot(&p.errors) / n as f64))).collect();
        let (mx, my) = (x.iter().sum::<f64>() / x.len() as f64, y.iter().sum::<f64>() / y.len() as f64);
        let sxy: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
        sxy / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>()
    };
    let value = slope(&Array1::ones(n));
    let mut slopes: Vec<f64> = (0..replicates)
        .map(|done| {
            work::check(OP, done, replicates)?;
            let mut weights = Array1::zeros(n);
            for _ in 0..n {
                weights[stream.below(n as u64) as usize] += 1.0;
            }
            Ok(slope(&weights))
        })
        .collect::<Result<_, Error>>()?;
    slopes.sort_by(f64::total_cmp);
    let at = |q: f64| slopes[((q * replicates as f64) as usize).min(replicates - 1)];
    let tail = 0.5 * (1.0 - CONFIDENCE);
    Estimate::new(value, least_of([at(tail), value]), largest_of([at(1.0 - tail), value]), n as u64, CONFIDENCE)
}

fn argmin(values: &Array1<f64>) -> usize {
    values.iter().enumerate().fold(0, |best, (i, &v)| if v < values[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;
    use workbench_ground::tabulated::Values;
    use workbench_ground::work::Seen;

    fn parabola(dim: usize, center: f64) -> ThresholdProfile {
        let thresholds = geometric_thresholds(1, 4096, 2.0).unwrap();
        let errors =
            Array2::from_shape_fn((4, thresholds.len()), |(_, j)| 1.0 + ((thresholds[j] as f64).ln() - center).powi(2));
        ThresholdProfile { dim, thresholds, errors }
    }

    #[test]
    fn finds_the_minimum_of_a_parabola() {
        let profile = parabola(10, 3.3);
        assert!((profile.best().ln() - 3.3).abs() < 1e-12);
        let mut stream = Streams::new(1).stream("b").unwrap();
        let profiles: Vec<_> = [16usize, 64, 256].iter().map(|&d| parabola(d, 0.6 * (d as f64).ln() + 1.0)).collect();
        let slope = threshold_exponent(&profiles, 50, &mut stream).unwrap();
        assert!((slope.value - 0.6).abs() < 1e-12 && slope.half_width() < 1e-12);
    }

    #[test]
    fn error_at_best_is_scored_on_the_other_half() {
        // Rows 0, 1 prefer the first threshold by luck, rows 2, 3 the second: each is scored at the other's choice.
        let errors = ndarray::array![[0.1, 0.5, 9.0], [0.2, 0.6, 9.0], [0.8, 0.3, 9.0], [0.9, 0.4, 9.0]];
        let profile = ThresholdProfile { dim: 8, thresholds: vec![1, 2, 3], errors };
        assert_eq!(profile.error_at_best(), ndarray::array![0.5, 0.6, 0.8, 0.9]);
        let second = profile.labelled().unwrap().select("threshold", 2_usize).unwrap();
        assert_eq!(second.cell().unwrap(), profile.errors().column(1).to_vec());
        let columns = profile.columns().unwrap();
        let names: Vec<&str> = columns.list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names, columns.x, columns.log_x), (vec!["threshold", "error"], Some(0), true));
        let Values::Estimates(errors) = &columns.list[1].1 else {
            panic!("no estimates");
        };
        assert!((errors[1].unwrap().value - 0.45).abs() < 1e-15);
    }

    #[test]
    fn every_threshold_is_told_and_changes_nothing() {
        let draws = ConditionalDraws::new(5, 4, &mut Streams::new(1).stream("d").unwrap()).unwrap();
        let (law, target) = (Zipf::infinite(2.0).unwrap(), Target::modulo(5).unwrap());
        let (scheme, dims, mut seen) = (Scheme::uniform(), [4, 8], Seen::default());
        let plain = ThresholdProfile::over_dims(&draws, &law, &target, &scheme, &dims, 4.0).unwrap();
        let watched =
            ThresholdProfile::over_dims_watched(&draws, &law, &target, &scheme, &dims, 4.0, &mut seen).unwrap();
        assert_eq!(watched, plain);
        let of = plain.iter().map(|profile| profile.thresholds().len()).sum::<usize>();
        let told: Vec<(usize, usize)> = seen.0.iter().map(|step| (step.done, step.of)).collect();
        assert_eq!(told, (1..=of).map(|done| (done, of)).collect::<Vec<_>>());
    }

    #[test]
    fn refuses_bad_input() {
        assert!(geometric_thresholds(0, 4, 2.0).is_err());
        assert!(geometric_thresholds(5, 4, 2.0).is_err());
        assert!(geometric_thresholds(1, 4, 1.0).is_err());
        let streams = Streams::new(1);
        let draws = ConditionalDraws::new(5, 4, &mut streams.stream("d").unwrap()).unwrap();
        let (law, target) = (Zipf::infinite(2.0).unwrap(), Target::modulo(5).unwrap());
        assert!(ThresholdProfile::compute(&draws, &law, &target, &Scheme::uniform(), 8, &[1, 2]).is_err());
        assert!(threshold_exponent(&[parabola(8, 1.0)], 10, &mut streams.stream("b").unwrap()).is_err());
    }
}
