//! Errors along one axis (dimension, data size, number of inputs), unit by unit.

use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::LeastSquaresSvd;
use workbench_ground::Error;
use workbench_ground::check::{entries, position, same, within};
use workbench_ground::stats::{Estimate, Label, PowerFit, Runs, Stream, bootstrap, mean, power_fit_runs};
use workbench_ground::tabulated::{Columns, Tabulated};

/// Bootstrap replicates behind an interval of a slope or amplitude; at 99.9 % the ends rest on the two outermost values of a
/// thousand on each side.
const REPLICATES: usize = 2000;

/// Errors at increasing `x`, one row per independent unit (a run or a draw).
///
/// Units are common to all points, so that slopes and ratios are paired.
///
/// **Shapes**: `runs` is `(unit, point)`.
///
/// ```
/// use workbench_memory::ErrorCurve;
/// use ndarray::array;
/// let curve = ErrorCurve::new(vec![1.0, 10.0], array![[0.5, 0.05], [0.3, 0.03]])?;
/// assert!((curve.means()[1] - 0.04).abs() < 1e-15);
/// # Ok::<(), workbench_memory::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorCurve {
    x: Vec<f64>,
    runs: Array2<f64>,
    /// What x and the values are called in a table.
    names: [&'static str; 2],
}

/// Fit of $\mathrm{error}=c\,x^s(\ln x)^k$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolylogFit {
    /// The power s of x.
    pub exponent: Estimate,
    /// The power k of the logarithm.
    pub log_power: Estimate,
}

/// One row: both powers.
impl Tabulated for PolylogFit {
    fn columns(&self) -> Result<Columns, Error> {
        Ok(Columns::new("Power of x times power of ln x")
            .with("exponent", [self.exponent])
            .with("log power", [self.log_power]))
    }
}

impl ErrorCurve {
    /// A curve from its points and the errors of each unit.
    ///
    /// **Errors**: as many columns as points are needed.
    pub fn new(x: Vec<f64>, runs: Array2<f64>) -> Result<ErrorCurve, Error> {
        let columns = ("columns of runs", runs.ncols());
        same("ErrorCurve::new", ("points", x.len()), columns)?;
        let names = ["x", "error"];
        Ok(ErrorCurve { x, runs, names })
    }

    /// The same curve with other names for x and its values, under which it shows itself.
    pub fn named(self, x: &'static str, values: &'static str) -> ErrorCurve {
        ErrorCurve { names: [x, values], ..self }
    }

    /// A curve from one column of unit errors for each point.
    ///
    /// **Errors**: columns of different lengths, or not as many as points.
    pub fn from_columns(x: Vec<f64>, columns: &[Array1<f64>]) -> Result<ErrorCurve, Error> {
        let units = columns.first().map_or(0, Array1::len);
        for column in columns {
            let first = ("units of the first", units);
            same("ErrorCurve::from_columns", ("units of a column", column.len()), first)?;
        }
        ErrorCurve::new(x, Array2::from_shape_fn((units, columns.len()), |(i, j)| columns[j][i]))
    }

    /// The points.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Errors, `(unit, point)`.
    pub fn runs(&self) -> &Array2<f64> {
        &self.runs
    }

    /// The errors, unit by unit on the axis that is named as x is: `x` until [`ErrorCurve::named`] says otherwise.
    ///
    /// **Shapes**: values `(unit, point)`.
    ///
    /// **Errors**: an x that is called as a column of the table of [`Runs`].
    pub fn labelled(&self) -> Result<Runs, Error> {
        let points = self.x.iter().copied().map(Label::from).collect();
        Runs::new(vec![(self.names[0], points)], self.runs.clone().into_dyn())
    }

    /// Mean error at each point.
    pub fn means(&self) -> Vec<f64> {
        self.runs.mean_axis(Axis(0)).unwrap_or_default().to_vec()
    }

    /// Mean error at the point `i` with the house interval.
    ///
    /// **Errors**: no such point, fewer than two units.
    pub fn at(&self, i: usize) -> Result<Estimate, Error> {
        position("ErrorCurve::at", "point", i, self.x.len())?;
        mean(&self.runs.column(i).to_vec())
    }

    /// Mean error at the point with this x, such as a dimension, with the house interval; the first if there are two.
    ///
    /// **Errors**: no such point (the message lists those there are), fewer than two units.
    ///
    /// ```
    /// use workbench_memory::ErrorCurve;
    /// use ndarray::array;
    /// let curve = ErrorCurve::new(vec![64.0, 256.0], array![[0.5, 0.1], [0.3, 0.3]])?;
    /// assert!((curve.at_x(256.0)?.value - 0.2).abs() < 1e-15);
    /// # Ok::<(), workbench_memory::Error>(())
    /// ```
    pub fn at_x(&self, x: f64) -> Result<Estimate, Error> {
        let Some(i) = self.x.iter().position(|&point| point == x) else {
            let there: Vec<String> = self.x.iter().map(f64::to_string).collect();
            let problem = format!("no {} {x}; there are {}", self.names[0], there.join(", "));
            return Err(Error::refused("ErrorCurve::at_x", problem, "ask at one of these"));
        };
        self.at(i)
    }

    /// Lower ends of the intervals of the mean, kept above a thousandth of the mean so that they can be drawn on a log axis.
    pub fn low(&self) -> Result<Vec<f64>, Error> {
        (0..self.x.len()).map(|i| self.at(i).map(|e| e.low.max(1e-3 * e.value))).collect()
    }

    /// Upper ends of the intervals of the mean.
    pub fn high(&self) -> Result<Vec<f64>, Error> {
        (0..self.x.len()).map(|i| self.at(i).map(|e| e.high)).collect()
    }

    /// Standard deviation between units at each point.
    pub fn deviations(&self) -> Vec<f64> {
        self.runs.std_axis(Axis(0), 1.0).to_vec()
    }

    /// One standard deviation between units below and above the mean, the lower end kept above a tenth of the mean so that it
    /// can be drawn on a log axis.
    pub fn spread(&self) -> [Vec<f64>; 2] {
        let pairs = || self.means().into_iter().zip(self.deviations());
        [pairs().map(|(m, s)| (m - s).max(0.1 * m)).collect(), pairs().map(|(m, s)| m + s).collect()]
    }

    /// The curve times a factor at each point, for example $d^{\alpha-1}$.
    ///
    /// **Errors**: one factor per point is needed.
    pub fn times(&self, factors: &[f64]) -> Result<ErrorCurve, Error> {
        let here = ("points", self.x.len());
        same("ErrorCurve::times", ("factors", factors.len()), here)?;
        let factors = Array1::from(factors.to_vec());
        Ok(ErrorCurve { runs: &self.runs * &factors, ..self.clone() })
    }

    /// The points with `low <= x <= high`.
    ///
    /// **Errors**: a window that holds no point.
    pub fn between(&self, low: f64, high: f64) -> Result<ErrorCurve, Error> {
        let inside: Vec<usize> = (0..self.x.len()).filter(|&i| (low..=high).contains(&self.x[i])).collect();
        let allowed = "a window that holds points";
        within("ErrorCurve::between", "low end", low, !inside.is_empty(), allowed)?;
        ErrorCurve::new(inside.iter().map(|&i| self.x[i]).collect(), self.runs.select(Axis(1), &inside))
    }

    /// Log-log fit of the mean over units, with bootstrap intervals over units.
    pub fn fit(&self, stream: &mut Stream) -> Result<PowerFit, Error> {
        let window = self.x.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &x| (low.min(x), high.max(x)));
        power_fit_runs(&self.x, &self.runs, window, REPLICATES, stream)
    }

    /// Slope of $\ln\mathrm{error}$ against $\ln x$.
    ///
    /// ```
    /// use workbench_ground::stats::Streams;
    /// use workbench_memory::{ErrorCurve, power_law};
    /// use ndarray::{Array1, Array2};
    /// let x = vec![1.0, 2.0, 4.0, 8.0];
    /// let y = power_law(&x, 0.35, -0.25);
    /// let curve = ErrorCurve::new(x, Array2::from_shape_fn((9, 4), |(i, j)| y[j] * (1.0 + 0.01 * i as f64)))?;
    /// let slope = curve.slope(&mut Streams::new(1).stream("bootstrap")?)?;
    /// assert!((slope.value + 0.25).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slope(&self, stream: &mut Stream) -> Result<Estimate, Error> {
        Ok(self.fit(stream)?.slope)
    }

    /// Slope of $\ln(\mathrm{error}/\mathrm{error}_{\mathrm{base}})$ against $\ln x$, units paired.
    ///
    /// **Errors**: curves on other points or with other units.
    pub fn relative_slope(&self, base: &ErrorCurve, stream: &mut Stream) -> Result<Estimate, Error> {
        for (left_name, left, right) in
            [("points", self.x.len(), base.x.len()), ("units", self.runs.nrows(), base.runs.nrows())]
        {
            same("ErrorCurve::relative_slope", (left_name, left), ("of the base", right))?;
        }
        let x: Vec<Vec<f64>> = self.x.iter().map(|x| vec![1.0, x.ln()]).collect();
        let all: Vec<usize> = (0..self.x.len()).collect();
        self.bootstrapped(stream, &mut |units| {
            let (a, b) = (self.resampled(units), base.resampled(units));
            let y: Vec<f64> = all.iter().map(|&i| (a[i] / b[i]).ln()).collect();
            least_squares(&x, &y)[1]
        })
    }

    /// The constant c of $\mathrm{error}=c\,x^{-\mathrm{exponent}}$ for a given exponent: geometric mean of
    /// $\mathrm{error}\cdot x^{\mathrm{exponent}}$ over the points.
    pub fn amplitude(&self, exponent: f64, stream: &mut Stream) -> Result<Estimate, Error> {
        self.bootstrapped(stream, &mut |units| {
            let means = self.resampled(units);
            let sum: f64 = means.iter().zip(&self.x).map(|(e, x)| e.ln() + exponent * x.ln()).sum();
            (sum / means.len() as f64).exp()
        })
    }

    /// Fit of $\mathrm{error}=c\,x^s(\ln x)^k$: tells a power of x from a power of its logarithm.
    ///
    /// **Errors**: fewer than four points, or a point at `x <= 1`.
    pub fn polylog_fit(&self, stream: &mut Stream) -> Result<PolylogFit, Error> {
        const OP: &str = "ErrorCurve::polylog_fit";
        let allowed = "at least four points";
        within(OP, "points", self.x.len() as f64, self.x.len() >= 4, allowed)?;
        entries(OP, "x", &self.x, |x| x > 1.0, "points above 1")?;
        let x: Vec<Vec<f64>> = self.x.iter().map(|x| vec![1.0, x.ln(), x.ln().ln()]).collect();
        let mut coefficient = |k: usize| {
            self.bootstrapped(stream, &mut |units| {
                let y: Vec<f64> = self.resampled(units).iter().map(|e| e.ln()).collect();
                least_squares(&x, &y)[k]
            })
        };
        Ok(PolylogFit { exponent: coefficient(1)?, log_power: coefficient(2)? })
    }

    /// $\mathrm{amplitude}\cdot x^{\mathrm{exponent}}$ at the points of the curve, for a dashed line beside it.
    pub fn law(&self, amplitude: f64, exponent: f64) -> Vec<f64> {
        power_law(&self.x, amplitude, exponent)
    }

    /// The same errors over other points, for example $d/N$ in place of $d$.
    ///
    /// **Errors**: one new point per old one is needed.
    pub fn over(&self, x: &[f64]) -> Result<ErrorCurve, Error> {
        ErrorCurve::new(x.to_vec(), self.runs.clone())
    }

    /// Where the mean error first falls through `level`, linear in logarithms between points, with a bootstrap interval.
    ///
    /// **Errors**: the mean does not cross the level on the curve.
    pub fn crossing(&self, level: f64, stream: &mut Stream) -> Result<Estimate, Error> {
        let at = |means: &[f64]| {
            means.windows(2).position(|w| w[0] >= level && w[1] < level).map(|i| {
                let share =
                    if means[i + 1] > 0.0 { (means[i] / level).ln() / (means[i] / means[i + 1]).ln() } else { 0.0 };
                (self.x[i].ln() + share * (self.x[i + 1] / self.x[i]).ln()).exp()
            })
        };
        let allowed = "a level that the mean error crosses downwards; extend the grid";
        let refused = Error::parameter("ErrorCurve::crossing", "level", level, allowed);
        let whole = at(&self.means()).ok_or(refused)?;
        self.bootstrapped(stream, &mut |units| at(&self.resampled(units)).unwrap_or(whole))
    }

    fn resampled(&self, units: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; self.x.len()];
        for &u in units {
            sums.iter_mut().zip(self.runs.row(u)).for_each(|(s, e)| *s += e);
        }
        sums.iter().map(|s| s / units.len() as f64).collect()
    }

    fn bootstrapped(&self, stream: &mut Stream, statistic: &mut dyn FnMut(&[usize]) -> f64) -> Result<Estimate, Error> {
        bootstrap(self.runs.nrows(), REPLICATES, stream, statistic)
    }
}

/// Ordinary least squares on centred columns (LAPACK); the first column is the constant. Columns that depend on each
/// other, or a decomposition that does not converge, give NaN, which the interval functions refuse.
fn least_squares(x: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let (n, k) = (x.len() as f64, x[0].len());
    let means: Vec<f64> = (0..k).map(|j| x.iter().map(|r| r[j]).sum::<f64>() / n).collect();
    let my = y.iter().sum::<f64>() / n;
    let a = Array2::from_shape_fn((x.len(), k - 1), |(i, j)| x[i][j + 1] - means[j + 1]);
    let b: Array1<f64> = y.iter().map(|y| y - my).collect();
    let mut beta = vec![f64::NAN; k];
    if let Ok(found) = a.least_squares(&b)
        && usize::try_from(found.rank) == Ok(k - 1)
    {
        beta[1..].copy_from_slice(&found.solution.to_vec());
        beta[0] = my - (1..k).map(|j| beta[j] * means[j]).sum::<f64>();
    }
    beta
}

/// $2^{\mathrm{from}},2^{\mathrm{from}+\mathrm{step}},\dots,2^{\mathrm{to}}$.
///
/// **Source**: the logarithmic axes of Fig. 1, 8 and 9.
///
/// **Errors**: an empty range or a power beyond $2^{62}$.
pub fn powers_of_two(from: u32, to: u32, step: u32) -> Result<Vec<usize>, Error> {
    let fits = to <= 62 && from <= to && step > 0;
    let allowed = "from <= to <= 62 and a positive step";
    within("powers_of_two", "to", f64::from(to), fits, allowed)?;
    Ok((from..=to).step_by(step as usize).map(|k| 1usize << k).collect())
}

/// Whole numbers spread evenly in logarithm, `per_decade` of them, without repeats.
///
/// **Source**: the logarithmic axes of Fig. 1, 8 and 9.
///
/// **Errors**: a low end of zero or above the high end, no points per decade.
pub fn log_grid(low: usize, high: usize, per_decade: usize) -> Result<Vec<usize>, Error> {
    let fits = low > 0 && high >= low && per_decade > 0;
    within("log_grid", "low", low as f64, fits, "1 <= low <= high, per_decade >= 1")?;
    let steps = ((high as f64 / low as f64).log10() * per_decade as f64).round().max(1.0) as usize;
    let ratio = (high as f64 / low as f64).powf(1.0 / steps as f64);
    let mut list: Vec<usize> = (0..=steps).map(|k| (low as f64 * ratio.powi(k as i32)).round() as usize).collect();
    list.dedup();
    Ok(list)
}

/// $\mathrm{amplitude}\cdot x^{\mathrm{exponent}}$ at each point, for the dashed line of a figure.
///
/// **Source**: the dashed lines of Fig. 1 and 9.
pub fn power_law(x: &[f64], amplitude: f64, exponent: f64) -> Vec<f64> {
    x.iter().map(|x| amplitude * x.powf(exponent)).collect()
}

/// One row for each point: the mean over units.
impl Tabulated for ErrorCurve {
    fn columns(&self) -> Result<Columns, Error> {
        let errors = (0..self.x.len()).map(|i| self.at(i)).collect::<Result<Vec<_>, _>>()?;
        let [x, values] = self.names;
        let columns = Columns::new(values).x(x, &self.x).with(values, errors);
        Ok(columns.log_x().log_y())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbench_ground::stats::Streams;

    fn law(f: fn(f64) -> f64) -> ErrorCurve {
        let x: Vec<f64> = (4..14).map(|k| f64::from(1 << k)).collect();
        let mut noise = Streams::new(3).stream("noise").unwrap();
        let runs = Array2::from_shape_fn((60, x.len()), |(_, j)| f(x[j]) * (1.0 + 0.05 * noise.normal()));
        ErrorCurve::new(x, runs).unwrap()
    }

    #[test]
    fn recovers_powers_and_logarithms() {
        let streams = Streams::new(4);
        let mut stream = streams.stream("b").unwrap();
        let power = law(|x| 0.35 * x.powf(-0.25));
        let slope = power.slope(&mut stream).unwrap();
        assert!(slope.contains(-0.25) && !slope.contains(-0.5) && !slope.contains(-0.125));
        let amplitude = power.amplitude(0.25, &mut stream).unwrap();
        assert!(amplitude.contains(0.35) && !amplitude.contains(0.5));
        let logs = law(|x| x.ln().powi(2) / x);
        let fit = logs.polylog_fit(&mut stream).unwrap();
        assert!(fit.exponent.contains(-1.0) && fit.log_power.contains(2.0), "{fit:?}");
        assert_eq!(fit.columns().unwrap().list[1].1, [fit.log_power].into());
        assert!(logs.slope(&mut stream).unwrap().low > -0.9, "one power alone is biased by logs");
        let crossing = power.crossing(0.1, &mut stream).unwrap();
        assert!(crossing.contains((0.1f64 / 0.35).powi(-4)), "{crossing:?}");
        let flat = power.times(&power.x().iter().map(|x| x.powf(0.25)).collect::<Vec<_>>()).unwrap();
        let relative = power.relative_slope(&flat, &mut stream).unwrap();
        assert!((relative.value + 0.25).abs() < 1e-12, "paired units cancel: {relative:?}");
    }

    #[test]
    fn grids() {
        assert_eq!(powers_of_two(2, 8, 3).unwrap(), vec![4, 32, 256]);
        assert_eq!(log_grid(1, 1000, 1).unwrap(), vec![1, 10, 100, 1000]);
        assert!(powers_of_two(5, 4, 1).is_err() && powers_of_two(1, 63, 1).is_err() && log_grid(0, 4, 1).is_err());
    }

    #[test]
    fn refuses_bad_input() {
        let mut stream = Streams::new(4).stream("b").unwrap();
        assert!(matches!(ErrorCurve::new(vec![1.0], Array2::zeros((3, 2))), Err(Error::Shape { .. })));
        assert!(ErrorCurve::from_columns(vec![1.0, 2.0], &[Array1::zeros(2), Array1::zeros(3)]).is_err());
        let curve = law(|x| 1.0 / x);
        assert!(matches!(curve.at(99), Err(Error::NoSuch { .. })));
        assert_eq!(curve.at_x(64.0).unwrap(), curve.at(2).unwrap());
        let labelled = curve.clone().named("d", "error").labelled().unwrap();
        assert_eq!(labelled.select("d", 64.0).unwrap().mean().unwrap(), curve.at(2).unwrap());
        let said = curve.between(16.0, 64.0).unwrap().at_x(17.0).unwrap_err().to_string();
        assert!(said.contains("no x 17; there are 16, 32, 64"), "{said}");
        assert!(curve.times(&[1.0]).is_err());
        assert!(curve.crossing(2.0, &mut stream).is_err());
        assert!(curve.over(&[1.0]).is_err());
        assert!(curve.between(1e9, 1e10).is_err());
        assert_eq!(curve.between(16.0, 64.0).unwrap().x(), [16.0, 32.0, 64.0]);
        assert!(curve.between(16.0, 64.0).unwrap().polylog_fit(&mut stream).is_err());
    }
}
