//! Retention of each pair in a memory: measured over many seeded runs.

use std::sync::{Mutex, PoisonError};

use ndarray::{Array1, Array2};
use rayon::prelude::*;

use super::UpdateRule;
use super::stream::row;
use crate::Error;
use workbench_ground::check::{above_zero, same};
use workbench_ground::stats::{self, Estimate, Label, Runs, Streams, paired_difference, unit_sphere};
use workbench_ground::tabulated::{Columns, Tabulated};
use workbench_ground::work::{self, Observer, Step, Stopped, Unwatched};

pub(crate) const OP: &str = "retention";

/// Retention of chosen pairs, run by run: the rows are independent runs, the columns positions (ages or ranks).
///
/// For a pair (x, v) and the final memory W, the *overlap* is $\langle Wx,v\rangle/\lVert v\rVert^2$ (1 kept in full, 0 gone) and
/// the *error* is $\lVert Wx-v\rVert/\lVert v\rVert$. The overlap is linear in W, so it has exact expectations; the error also depends on
/// the interference of other pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Retention {
    rule: String,
    /// What the positions are: ages or ranks.
    axis: &'static str,
    positions: Vec<f64>,
    overlaps: Array2<f64>,
    errors: Array2<f64>,
    totals: Vec<f64>,
    asked: usize,
}

impl Retention {
    /// Name of the rule.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Ages or ranks of the columns.
    pub fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// The position of this age, for the methods that ask for one.
    ///
    /// **Errors**: an age that was not asked for (the message lists those there are), an experiment over ranks.
    ///
    /// ```
    /// use workbench_gradient_memory::{DeltaRule, retention_by_age};
    /// let (rule, streams) = (DeltaRule::new(4, 4, 1.0)?, workbench_ground::stats::Streams::new(1));
    /// let kept = retention_by_age(&rule, 12, &[0, 11], 50, &streams, "ages")?;
    /// assert!(kept.contrast(kept.of_age(0)?, kept.of_age(11)?)?.low > 0.5);
    /// # Ok::<(), workbench_gradient_memory::Error>(())
    /// ```
    pub fn of_age(&self, age: usize) -> Result<usize, Error> {
        self.of("age", age)
    }

    /// The position of this rank, as [`Retention::of_age`].
    ///
    /// **Errors**: a rank that was not asked for, an experiment over ages.
    pub fn of_rank(&self, rank: usize) -> Result<usize, Error> {
        self.of("rank", rank)
    }

    fn of(&self, axis: &'static str, value: usize) -> Result<usize, Error> {
        let found = self.positions.iter().position(|&position| position == value as f64);
        found.filter(|_| axis == self.axis).ok_or_else(|| {
            let there: Vec<String> = self.positions.iter().map(f64::to_string).collect();
            let problem = format!("no {axis} {value}; there are the {}s {}", self.axis, there.join(", "));
            Error::refused(OP, problem, "ask for one of these")
        })
    }

    /// Overlaps, (runs, positions).
    pub fn overlaps(&self) -> &Array2<f64> {
        &self.overlaps
    }

    /// The overlaps, run by run on the axis `age` or `rank`.
    ///
    /// **Shapes**: values (runs, positions).
    ///
    /// **Errors**: none for a retention that was measured.
    pub fn labelled(&self) -> Result<Runs, Error> {
        let positions = self.positions.iter().copied().map(Label::from).collect();
        Runs::new(vec![(self.axis, positions)], self.overlaps.clone().into_dyn())
    }

    /// Runs finished and runs asked for; they differ after a stop.
    pub fn runs(&self) -> (usize, usize) {
        (self.overlaps.nrows(), self.asked)
    }

    /// Mean overlap at position `i` with its interval.
    ///
    /// **Errors**: a position that is not there, fewer than two runs.
    pub fn at(&self, i: usize) -> Result<Estimate, Error> {
        stats::mean(&self.column(&self.overlaps, i)?)
    }

    /// Mean relative error at position `i` with its interval.
    ///
    /// **Errors**: as [`Retention::at`].
    pub fn error_at(&self, i: usize) -> Result<Estimate, Error> {
        stats::mean(&self.column(&self.errors, i)?)
    }

    /// Mean overlaps, one for each position.
    pub fn means(&self) -> Vec<f64> {
        self.overlaps.mean_axis(ndarray::Axis(0)).map_or(Vec::new(), |m| m.to_vec())
    }

    /// Mean relative errors, one for each position.
    pub fn mean_errors(&self) -> Vec<f64> {
        self.errors.mean_axis(ndarray::Axis(0)).map_or(Vec::new(), |m| m.to_vec())
    }

    /// Lower ends of the intervals of the mean overlaps.
    ///
    /// **Errors**: as [`Retention::at`].
    pub fn low(&self) -> Result<Vec<f64>, Error> {
        (0..self.positions.len()).map(|i| Ok(self.at(i)?.low)).collect()
    }

    /// Upper ends of the intervals of the mean overlaps.
    ///
    /// **Errors**: as [`Retention::at`].
    pub fn high(&self) -> Result<Vec<f64>, Error> {
        (0..self.positions.len()).map(|i| Ok(self.at(i)?.high)).collect()
    }

    /// The sum of the overlaps of *all* pairs of the stream, averaged over runs: what the memory holds altogether. For an
    /// experiment over ranks, the sum over all items.
    ///
    /// For a rule that is linear in the values, with values of mean zero, its expectation is that of the trace of the memory
    /// trained on the same keys with $v=x$, which is at most about d_k for a rule that corrects its errors.
    ///
    /// **Errors**: fewer than two runs.
    pub fn total(&self) -> Result<Estimate, Error> {
        stats::mean(&self.totals)
    }

    /// Mean of (overlap at `i` minus overlap at `j`), run by run.
    ///
    /// **Errors**: as [`Retention::at`].
    pub fn contrast(&self, i: usize, j: usize) -> Result<Estimate, Error> {
        paired_difference(&self.column(&self.overlaps, i)?, &self.column(&self.overlaps, j)?)
    }

    /// Mean of (overlap here minus overlap there) at position `i`, paired by run: both saw the same data.
    ///
    /// **Errors**: as [`Retention::at`]; another number of runs.
    pub fn minus(&self, other: &Retention, i: usize) -> Result<Estimate, Error> {
        paired_difference(&self.column(&self.overlaps, i)?, &other.column(&other.overlaps, i)?)
    }

    /// The greatest distance of the mean overlaps from `theory`, in half-widths of their 99.9 % intervals: about 1 or less for a
    /// right theory at one position, a little more as the worst of many; NaN where the theory gives no number.
    ///
    /// **Errors**: as [`Retention::at`]; a theory of another length.
    pub fn worst_distance(&self, theory: &[f64]) -> Result<f64, Error> {
        let measured = ("the positions", self.positions.len());
        same(OP, ("the theory", theory.len()), measured)?;
        let mut distances = Vec::with_capacity(theory.len());
        for (i, expected) in theory.iter().enumerate() {
            let seen = self.at(i)?;
            distances.push((seen.value - expected).abs() / seen.half_width().max(1e-12));
        }
        Ok(stats::largest_of(distances))
    }

    fn column(&self, of: &Array2<f64>, i: usize) -> Result<Vec<f64>, Error> {
        if i < self.positions.len() {
            return Ok(of.column(i).to_vec());
        }
        let allowed = "an index of the positions, counted from 0";
        Err(Error::parameter(OP, "position", i as f64, allowed))
    }
}

/// One run: overlap and error at each position, and the sum of all overlaps.
pub(crate) type Run = (Array1<f64>, Array1<f64>, f64);

/// Retention by age: `pairs` fresh pairs, each seen once, then every pair is asked for.
///
/// Keys and values are uniform on their unit spheres, drawn anew in each run from the stream `(name, run)`; two rules given one
/// name see the same data. The rule is restarted from zero in each run; its own state is not touched. Age 0 is the last pair.
///
/// **Source**: ours. **Shapes**: dimensions are those of the rule's weights; `ages` below `pairs`.
///
/// **Errors**: as [`UpdateRule::step`]; `pairs`, `runs` or `ages` empty; an age that is not there. It can be stopped: then the
/// runs that finished are returned, or [`Error::Stopped`] if there are fewer than two. Cost O(runs pairs d_v d_k), in parallel.
///
/// ```
/// use workbench_gradient_memory::{DeltaRule, retention_by_age};
/// let rule = DeltaRule::new(4, 4, 1.0)?;
/// let kept = retention_by_age(&rule, 12, &[0, 11], 50, &workbench_ground::stats::Streams::new(1), "ages")?;
/// assert!((kept.at(0)?.value - 1.0).abs() < 1e-12); // the newest pair is answered in full
/// assert!(kept.at(1)?.high < 0.3); // the oldest is nearly gone
/// # Ok::<(), workbench_gradient_memory::Error>(())
/// ```
pub fn retention_by_age(
    rule: &dyn UpdateRule,
    pairs: usize,
    ages: &[usize],
    runs: usize,
    streams: &Streams,
    name: &str,
) -> Result<Retention, Error> {
    retention_by_age_watched(rule, pairs, ages, runs, streams, name, &mut Unwatched)
}

/// [`retention_by_age`], telling `observer` after each finished run.
///
/// **Source**: ours. **Errors**: as [`retention_by_age`].
pub fn retention_by_age_watched(
    rule: &dyn UpdateRule,
    pairs: usize,
    ages: &[usize],
    runs: usize,
    streams: &Streams,
    name: &str,
    observer: &mut (dyn Observer + Send),
) -> Result<Retention, Error> {
    above_zero(OP, "pairs", pairs as f64)?;
    check_positions("age", ages, pairs)?;
    let (d_v, d_k) = rule.weights().dim();
    let one = |i: usize| -> Result<Run, Error> {
        let mut stream = streams.restart_replicate(name, i)?;
        let keys = unit_sphere(&mut stream, pairs, d_k);
        let values = unit_sphere(&mut stream, pairs, d_v);
        let order: Vec<usize> = (0..pairs).collect();
        let at: Vec<usize> = ages.iter().map(|a| pairs - 1 - a).collect();
        trained(rule, &keys, &values, &order, &at)
    };
    collect_watched(rule.name(), ("age", ages), runs, &one, observer)
}

/// Feeds the items in the given order to a fresh copy of the rule and reads all of them out.
pub(crate) fn trained(
    rule: &dyn UpdateRule,
    keys: &Array2<f64>,
    values: &Array2<f64>,
    order: &[usize],
    at: &[usize],
) -> Result<Run, Error> {
    let mut rule = rule.boxed();
    rule.restart(&Array2::zeros(rule.weights().dim()))?;
    for (t, &item) in order.iter().enumerate() {
        work::check(OP, t, order.len())?;
        rule.step(&row(keys, item), &row(values, item))?;
    }
    Ok(readout(rule.weights(), keys, values, at))
}

pub(crate) fn readout(w: &Array2<f64>, keys: &Array2<f64>, values: &Array2<f64>, at: &[usize]) -> Run {
    let outputs = keys.dot(&w.t());
    let overlap = |i: usize| outputs.row(i).dot(&values.row(i)) / values.row(i).dot(&values.row(i));
    let error = |i: usize| {
        let gap = &outputs.row(i) - &values.row(i);
        (gap.dot(&gap) / values.row(i).dot(&values.row(i))).sqrt()
    };
    let total = (0..keys.nrows()).map(overlap).sum();
    (at.iter().map(|&i| overlap(i)).collect(), at.iter().map(|&i| error(i)).collect(), total)
}

pub(crate) fn check_positions(name: &'static str, positions: &[usize], limit: usize) -> Result<(), Error> {
    if positions.is_empty() {
        let what = "the list of ages or ranks";
        return Err(Error::empty(OP, what, "give at least one"));
    }
    match positions.iter().find(|p| **p >= limit) {
        None => Ok(()),
        Some(&value) => Err(Error::parameter(
            OP,
            name,
            value as f64,
            "an age below the number of pairs, or a rank from 1 to the number of items",
        )),
    }
}

pub(crate) fn collect(
    rule: String,
    positions: (&'static str, &[usize]),
    runs: usize,
    one: &(dyn Fn(usize) -> Result<Run, Error> + Sync),
) -> Result<Retention, Error> {
    collect_watched(rule, positions, runs, one, &mut Unwatched)
}

fn collect_watched(
    rule: String,
    (axis, positions): (&'static str, &[usize]),
    runs: usize,
    one: &(dyn Fn(usize) -> Result<Run, Error> + Sync),
    observer: &mut (dyn Observer + Send),
) -> Result<Retention, Error> {
    above_zero(OP, "runs", runs as f64)?;
    // Counted under the lock, so that the observer sees the numbers rise.
    let told = Mutex::new((0, observer));
    let finished: Vec<Result<Run, Error>> = (0..runs)
        .into_par_iter()
        .map(|i| {
            work::check(OP, i, runs)?;
            let run = one(i)?;
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.0 += 1;
            let (done, of) = (told.0, runs);
            told.1.observe(Step { done, of, value: None });
            Ok(run)
        })
        .collect();
    let mut done = Vec::with_capacity(finished.len());
    for run in finished {
        match run {
            Err(Error::Stopped(_)) => {}
            other => done.push(other?),
        }
    }
    let n = done.len();
    if n < runs.min(2) {
        return Err(Error::Stopped(Stopped { operation: OP, done: n, of: runs }));
    }
    let matrix =
        |pick: fn(&Run) -> &Array1<f64>| Array2::from_shape_fn((n, positions.len()), |(i, j)| pick(&done[i])[j]);
    Ok(Retention {
        rule,
        axis,
        positions: positions.iter().map(|p| *p as f64).collect(),
        overlaps: matrix(|run| &run.0),
        errors: matrix(|run| &run.1),
        totals: done.iter().map(|run| run.2).collect(),
        asked: runs,
    })
}

/// One row for each position: the mean overlap over runs.
impl Tabulated for Retention {
    fn columns(&self) -> Result<Columns, Error> {
        let overlaps = (0..self.positions.len()).map(|i| self.at(i));
        let overlaps = overlaps.collect::<Result<Vec<Estimate>, Error>>()?;
        Ok(Columns::new(&format!("What {} retains", self.rule))
            .x(self.axis, &self.positions)
            .with("retention", overlaps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        DeltaRule, HeavyBall, Hebbian, Loss, RecursiveLeastSquares, geometric_retention, least_squares_retention,
        momentum_retention,
    };

    fn boxed(rule: impl UpdateRule + 'static) -> Box<dyn UpdateRule> {
        Box::new(rule)
    }

    const AGES: [usize; 4] = [0, 5, 20, 59];
    /// Four positions at 99.9 %: the worst of them stays below this but for seeds that would be seen once in ten thousand.
    const FAR: f64 = 1.3;

    fn kept(rule: Box<dyn UpdateRule>) -> Retention {
        retention_by_age(&rule, 60, &AGES, 1000, &Streams::new(3), "ages").unwrap()
    }

    #[test]
    fn ages_follow_the_theory_and_not_its_twins() {
        let d = 12;
        let delta = kept(boxed(DeltaRule::new(6, d, 0.5).unwrap()));
        let theory = |factor: f64| geometric_retention(0.5, factor, &AGES);
        assert!(delta.worst_distance(&theory(1.0 - 0.5 / 12.0)).unwrap() < FAR);
        assert!(delta.worst_distance(&theory(1.0 - 1.0 / 12.0)).unwrap() > 2.0, "step size dropped");
        assert!(delta.worst_distance(&theory(1.0 - 0.5 / 6.0)).unwrap() > 2.0, "d_v for d_k");
        let hebbian = kept(boxed(Hebbian::new(6, d, 0.5).unwrap()));
        assert!(hebbian.worst_distance(&theory(1.0)).unwrap() < FAR);
        assert!(hebbian.minus(&delta, 3).unwrap().low > 0.3);
        let ball = kept(boxed(HeavyBall::new(6, d, 0.2, 0.7, Loss::Squared).unwrap()));
        assert!(ball.worst_distance(&momentum_retention(0.2, 0.7, d, &AGES).unwrap()).unwrap() < FAR);
        assert!(ball.worst_distance(&momentum_retention(0.2, 0.6, d, &AGES).unwrap()).unwrap() > 2.0);
        let exact = kept(boxed(RecursiveLeastSquares::new(6, d, 1.0, 1e-8).unwrap()));
        assert!(exact.worst_distance(&least_squares_retention(1.0, d, 60, &AGES).unwrap()).unwrap() < FAR);
        // Leverages sum to d.
        let total = exact.total().unwrap();
        assert!((total.value - 12.0).abs() < FAR * total.half_width() && total.half_width() < 1.0, "{total}");
        assert!(delta.contrast(0, 3).unwrap().low > 0.2 && delta.error_at(0).unwrap().value < 0.6);
        assert!(delta.low().unwrap()[3] <= delta.means()[3] && delta.means()[3] <= delta.high().unwrap()[3]);
        assert_eq!(delta.runs(), (1000, 1000));
        assert!(delta.rule().contains("delta") && delta.mean_errors().len() == 4);
    }

    #[test]
    fn every_run_is_told_and_changes_nothing() {
        struct Seen(Vec<Step>);
        impl Observer for Seen {
            fn observe(&mut self, step: Step) {
                self.0.push(step);
            }
        }
        let (rule, streams) = (boxed(DeltaRule::new(2, 3, 0.5).unwrap()), Streams::new(1));
        let mut seen = Seen(Vec::new());
        let watched = retention_by_age_watched(&rule, 5, &[0, 4], 7, &streams, "x", &mut seen).unwrap();
        assert_eq!(watched, retention_by_age(&rule, 5, &[0, 4], 7, &streams, "x").unwrap());
        let told: Vec<(usize, usize)> = seen.0.iter().map(|step| (step.done, step.of)).collect();
        assert_eq!(told, (1..=7).map(|i| (i, 7)).collect::<Vec<_>>());
    }

    #[test]
    fn bad_input() {
        let rule = boxed(DeltaRule::new(2, 2, 0.5).unwrap());
        let streams = Streams::new(1);
        let age = |pairs, ages: &[usize], runs| retention_by_age(&rule, pairs, ages, runs, &streams, "x").map(|_| ());
        assert!(matches!(age(0, &[0], 2), Err(Error::Parameter { .. })));
        assert!(matches!(age(3, &[], 2), Err(Error::Empty { .. })));
        assert!(matches!(age(3, &[3], 2), Err(Error::Parameter { .. })));
        assert!(matches!(age(3, &[0], 0), Err(Error::Parameter { .. })));
        let wild = boxed(DeltaRule::new(2, 2, 1e3).unwrap());
        let error = retention_by_age(&wild, 200, &[0], 2, &streams, "x").unwrap_err();
        assert!(matches!(error, Error::Diverged { .. }), "{error}");
        let kept = retention_by_age(&rule, 3, &[0, 1], 3, &streams, "x").unwrap();
        assert_eq!((kept.of_age(1).unwrap(), kept.of_age(0).unwrap()), (1, 0));
        let older = kept.labelled().unwrap().select("age", 1_usize).unwrap();
        assert_eq!(older.mean().unwrap(), kept.at(1).unwrap());
        let said = |refused: Result<usize, Error>| refused.unwrap_err().to_string();
        assert!(said(kept.of_age(2)).contains("no age 2; there are the ages 0, 1"));
        assert!(said(kept.of_rank(1)).contains("no rank 1; there are the ages 0, 1"));
        assert!(kept.at(2).is_err() && kept.worst_distance(&[1.0]).is_err());
        assert!(kept.worst_distance(&[0.5, f64::NAN]).unwrap().is_nan());
    }
}
