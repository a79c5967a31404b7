//! Decay of the spread of a curve's units.

use crate::error_curve::ErrorCurve;
use workbench_ground::Error;
use workbench_ground::stats::{Estimate, Stream, bootstrap};

/// Resamples behind the interval, as for the slope of the means.
const REPLICATES: usize = 2000;

impl ErrorCurve {
    /// Slope of the logarithm of the standard deviation between units against $\ln x$, with a bootstrap interval over units.
    ///
    /// **Errors**: fewer than two units or points, a point where all units agree.
    ///
    /// ```
    /// use workbench_ground::stats::{Streams, normal_array2};
    /// use workbench_memory::ErrorCurve;
    /// let streams = Streams::new(1);
    /// let x = vec![1.0, 4.0, 16.0];
    /// let mut runs = normal_array2(&mut streams.stream("runs")?, 400, 3);
    /// for (mut column, x) in runs.columns_mut().into_iter().zip(&x) {
    ///     column /= f64::sqrt(*x);
    /// }
    /// let slope = ErrorCurve::new(x, runs)?.deviation_slope(&mut streams.stream("bootstrap")?)?;
    /// assert!(slope.contains(-0.5) && slope.half_width() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deviation_slope(&self, stream: &mut Stream) -> Result<Estimate, Error> {
        let x: Vec<f64> = self.x().iter().map(|x| x.ln()).collect();
        let centre = x.iter().sum::<f64>() / x.len() as f64;
        let square: f64 = x.iter().map(|x| (x - centre).powi(2)).sum();
        let runs = self.runs();
        bootstrap(runs.nrows(), REPLICATES, stream, &mut |units: &[usize]| {
            let count = units.len() as f64;
            let along = x.iter().enumerate().map(|(j, x)| {
                let values = || units.iter().map(|unit| runs[[*unit, j]]);
                let mean = values().sum::<f64>() / count;
                let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
                (x - centre) * 0.5 * variance.ln()
            });
            along.sum::<f64>() / square
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};
    use workbench_ground::stats::Streams;

    #[test]
    fn two_points_by_hand() {
        let stream = &mut Streams::new(1).stream("b").unwrap();
        // Units that alternate by one at the first point and by a tenth at the second.
        let runs = Array2::from_shape_fn((200, 2), |(i, j)| 5.0 + [1.0, 0.1][j] * if i % 2 == 0 { 1.0 } else { -1.0 });
        let curve = ErrorCurve::new(vec![1.0, 10.0], runs).unwrap();
        let slope = curve.deviation_slope(stream).unwrap();
        assert!((slope.value + 1.0).abs() < 1e-9, "{slope:?}");
        // Units that agree have no deviation to take the logarithm of.
        let level = ErrorCurve::new(vec![1.0, 10.0], array![[1.0, 5.0], [1.0, 5.2]]).unwrap();
        assert!(level.deviation_slope(stream).is_err());
    }
}
