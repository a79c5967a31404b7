//! Learning rates, chosen on seeds of their own.

use rayon::prelude::*;

use workbench_ground::check;
use workbench_ground::stats::Streams;
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{Finished, Observer, Unwatched};

use super::{Protocol, Purpose, Run, run};
use crate::Error;
use crate::task::Task;

/// `count` rates from `low` to `high` in equal ratios, both among them.
///
/// ```
/// use workbench_optimizer::score::rates;
/// let grid = rates(1e-3, 1e1, 5)?;
/// assert!((grid[1] - 1e-2).abs() < 1e-15 && (grid[4] - 10.0).abs() < 1e-12);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// **Errors**: rates that are not positive, `high` not above `low`, fewer than two.
pub fn rates(low: f64, high: f64, count: usize) -> Result<Vec<f64>, Error> {
    const OP: &str = "score::rates";
    check::above_zero(OP, "low", low)?;
    check::within(OP, "high", high, high > low, "a rate above the lowest")?;
    check::within(OP, "count", count as f64, count >= 2, "at least 2")?;
    let ratio = libm::log(high / low) / (count - 1) as f64;
    Ok((0..count).map(|i| low * libm::exp(i as f64 * ratio)).collect())
}

/// What tuning found.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The rates of the grid.
    pub rates: Vec<f64>,
    /// For each rate, the mean over tasks and seeds of what was measured; infinite if any run diverged.
    pub scores: Vec<f64>,
    /// The rate with the lowest score; of equal ones the first.
    pub best: f64,
    /// Whether that rate is the lowest or the highest of the grid: widen it and tune again.
    pub at_edge: bool,
}

/// One row for each rate of the grid: its score, and whether it is the best.
impl Tabulated for Tuned {
    fn columns(&self) -> Result<Columns, Error> {
        let best: Vec<bool> = self.rates.iter().map(|rate| *rate == self.best).collect();
        Ok(Columns::new("Rates").x("rate", &self.rates).with("score", &self.scores).with("best", best).log_x())
    }
}

/// Runs a fresh optimizer for each rate, task and tuning seed (0 to `seeds`, of [`Purpose::Tuning`]), and takes the rate whose mean
/// `measure` is lowest. With one task this is the best rate for it; with several, the best single rate for all.
///
/// `make` gives an optimizer of a rate; `measure` should be the quantity that is tested later, as the logarithm of [`Run::last`].
///
/// ```
/// use workbench_ground::stats::Streams;
/// use workbench_optimizer::score::{Protocol, rates, tune};
/// use workbench_optimizer::tasks::NoisyQuadratic;
/// let task = NoisyQuadratic::new(4, 1.0, 0.0, 1)?;
/// let protocol = Protocol { steps: 5, every: 5, batches: 1 };
/// let make = |rate: f64| {
///     move |_: usize, theta: &mut [f64], gradient: &[f64]| {
///         theta.iter_mut().zip(gradient).for_each(|(t, g)| *t -= rate * g);
///         Ok(())
///     }
/// };
/// let tuned = tune(&[&task], &protocol, &Streams::new(1), 3, &rates(1e-2, 1e2, 5)?, make, |run| run.last())?;
/// assert!((tuned.best - 1.0).abs() < 1e-9 && !tuned.at_edge);
/// # Ok::<(), workbench_optimizer::Error>(())
/// ```
///
/// **Errors**: no tasks, seeds or rates, no rate without a divergence, those of [`run`]. Cost: rates x tasks x seeds runs, side by side
/// on the threads of the pool; the result does not depend on their number.
pub fn tune<T, O>(
    tasks: &[&T],
    protocol: &Protocol,
    streams: &Streams,
    seeds: u64,
    rates: &[f64],
    make: impl Fn(f64) -> O + Sync,
    measure: impl Fn(&Run) -> f64 + Sync,
) -> Result<Tuned, Error>
where
    T: Task + ?Sized,
    O: FnMut(usize, &mut [f64], &[f64]) -> Result<(), Error>,
{
    tune_watched(tasks, protocol, streams, seeds, rates, make, measure, &mut Unwatched)
}

/// [`tune`], telling `observer` after each finished run.
///
/// **Errors**: as [`tune`].
// What `tune` takes, and the observer last.
#[allow(clippy::too_many_arguments)]
pub fn tune_watched<T, O>(
    tasks: &[&T],
    protocol: &Protocol,
    streams: &Streams,
    seeds: u64,
    rates: &[f64],
    make: impl Fn(f64) -> O + Sync,
    measure: impl Fn(&Run) -> f64 + Sync,
    observer: &mut (dyn Observer + Send),
) -> Result<Tuned, Error>
where
    T: Task + ?Sized,
    O: FnMut(usize, &mut [f64], &[f64]) -> Result<(), Error>,
{
    const OP: &str = "score::tune";
    check::positive(OP, "number of tasks", tasks.len())?;
    check::positive(OP, "number of seeds", seeds)?;
    check::positive(OP, "number of rates", rates.len())?;
    let cases: Vec<(usize, &T, u64)> = (0..rates.len())
        .flat_map(|rate| tasks.iter().map(move |task| (rate, *task)))
        .flat_map(|(rate, task)| (0..seeds).map(move |seed| (rate, task, seed)))
        .collect();
    let finished = Finished::new(OP, cases.len(), observer);
    let measured: Result<Vec<f64>, Error> = cases
        .par_iter()
        .map(|&(rate, task, seed)| {
            let run = run(task, protocol, (streams, Purpose::Tuning, seed), make(rates[rate]))?;
            let score = if run.diverged.is_some() { f64::INFINITY } else { measure(&run) };
            finished.one();
            Ok(score)
        })
        .collect();
    let each = tasks.len() * seeds as usize;
    let mean = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / each as f64;
        if mean.is_nan() { f64::INFINITY } else { mean }
    };
    let scores: Vec<f64> = measured?.chunks_exact(each).map(mean).collect();
    let best = (0..rates.len()).fold(0, |best, at| if scores[at] < scores[best] { at } else { best });
    if scores[best] == f64::INFINITY {
        let problem = format!("no rate between {:e} and {:e} without a divergence", rates[0], rates[rates.len() - 1]);
        return Err(Error::refused(OP, problem, "try lower rates"));
    }
    Ok(Tuned { best: rates[best], at_edge: best == 0 || best + 1 == rates.len(), rates: rates.to_vec(), scores })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::NoisyQuadratic;
    use workbench_ground::tabulated::Values;
    use workbench_ground::work::Seen;

    fn make(rate: f64) -> impl FnMut(usize, &mut [f64], &[f64]) -> Result<(), Error> {
        move |_, theta, gradient| {
            theta.iter_mut().zip(gradient).for_each(|(t, g)| *t -= rate * g);
            Ok(())
        }
    }

    const PROTOCOL: Protocol = Protocol { steps: 200, every: 200, batches: 1 };

    #[test]
    fn the_best_rate_of_a_bowl_is_found() {
        // Eigenvalues 1 and 1/4: the rate that shrinks both alike is 2 / (1 + 1/4) = 1.6; rates above 2 diverge in the end.
        let task = NoisyQuadratic::new(2, 4.0, 0.0, 1).unwrap();
        let grid = [0.4, 0.8, 1.6, 3.2, 1e9];
        let tuned = tune(&[&task], &PROTOCOL, &Streams::new(1), 2, &grid, make, |run| run.last().ln()).unwrap();
        assert_eq!((tuned.best, tuned.at_edge, tuned.scores[4]), (1.6, false, f64::INFINITY));
        let columns = tuned.columns().unwrap();
        assert_eq!((columns.x, columns.log_x, columns.list.len()), (Some(0), true, 3));
        assert_eq!(columns.list[2].1, Values::from([false, false, true, false, false]));
        let mut seen = Seen::default();
        let watched =
            tune_watched(&[&task], &PROTOCOL, &Streams::new(1), 2, &grid, make, |run| run.last().ln(), &mut seen);
        assert_eq!(watched.unwrap(), tuned);
        let told: Vec<(usize, usize)> = seen.0.iter().map(|step| (step.done, step.of)).collect();
        assert_eq!(told, (1..=10).map(|done| (done, 10)).collect::<Vec<_>>());
        let again = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again =
            again.install(|| tune(&[&task], &PROTOCOL, &Streams::new(1), 2, &grid, make, |run| run.last().ln()));
        assert_eq!(again.unwrap(), tuned);
        let edge = tune(&[&task], &PROTOCOL, &Streams::new(1), 2, &grid[..2], make, |run| run.last()).unwrap();
        assert!(edge.at_edge && edge.best == 0.8);
    }

    #[test]
    fn one_rate_for_all_is_a_compromise_and_nothing_is_refused() {
        let (steep, flat) =
            (NoisyQuadratic::new(1, 1.0, 0.0, 1).unwrap(), NoisyQuadratic::new(4, 100.0, 0.0, 1).unwrap());
        let tune = |tasks: &[&NoisyQuadratic], rates: &[f64], seeds| {
            tune(tasks, &PROTOCOL, &Streams::new(1), seeds, rates, make, |run| (run.last() + 1e-300).ln())
        };
        let grid = rates(0.01, 1.0, 3).unwrap();
        assert!((tune(&[&steep, &flat], &grid, 2).unwrap().best - 1.0).abs() < 1e-12);
        assert!(tune(&[], &grid, 2).is_err() && tune(&[&steep], &[], 2).is_err() && tune(&[&steep], &grid, 0).is_err());
        assert!(tune(&[&steep], &[1e9, 1e10], 1).unwrap_err().to_string().contains("lower rates"));
        assert!(rates(0.0, 1.0, 3).is_err() && rates(1.0, 1.0, 3).is_err() && rates(1.0, 2.0, 1).is_err());
    }
}
