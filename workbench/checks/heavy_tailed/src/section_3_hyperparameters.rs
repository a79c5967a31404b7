//! Section 3, Effect of key hyperparameters: the setting of Figure 5 and what its panels share.
//!
//! N = 100, M = 5, alpha = 2, f_*(x) = x mod M; parameters start as Appendix C.1 says. The captions give neither the number of samples nor
//! step sizes. Step sizes are those that the document names elsewhere (0.001 and 0.1 in Figure 4, 1 in Figure 3, 10 in Figures 3, 4, 6,
//! 7 and 14); samples are the thousand of Figures 10 and 11, and ten thousand beside it.

use std::ops::Range;
use std::sync::Arc;

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, paired_difference, paired_difference_at};
use workbench_ledger::{Failure, Finding, Setting};
use workbench_memory::{Method, Parametrization, Target, TrainingRuns, TrainingStudy, Zipf};

use crate::vocabulary::by_scale;

/// Number of inputs N.
pub const INPUTS: usize = 100;
/// Samples of a descent.
pub const SAMPLES: usize = 1000;
/// Runs of the descents that are judged by wrong labels.
const ONE_OFF: usize = 200;

/// Law of the inputs and target.
///
/// # Errors
/// None with these numbers.
pub fn figure_5() -> Result<(Zipf, Target), Failure> {
    Ok((Zipf::new(2.0, INPUTS)?, Target::modulo(5)?))
}

/// Descents that start as Appendix C.1 says.
///
/// # Errors
/// None with these numbers.
pub fn study(methods: Vec<Method>, dims: &[usize], runs: usize) -> Result<TrainingStudy, Failure> {
    let (law, target) = figure_5()?;
    Ok(TrainingStudy::new(law, target)
        .methods(methods)
        .dims(dims.to_vec())
        .runs(runs)
        .parametrization(Parametrization::MaximalUpdate))
}

/// A difference of errors that is to be negative.
pub fn lower(label: impl Into<String>, difference: Estimate) -> Finding {
    Finding::at_most(label, 0.0, difference).unit("runs")
}

/// A difference of errors that is to be positive.
pub fn higher(label: impl Into<String>, difference: Estimate) -> Finding {
    Finding::at_least(label, 0.0, difference).unit("runs")
}

/// A dimension as a part of N.
pub fn of_inputs(d: usize) -> String {
    match (d.is_multiple_of(INPUTS), INPUTS.is_multiple_of(d)) {
        (true, _) if d == INPUTS => "d = N".to_string(),
        (true, _) => format!("d = {}N", d / INPUTS),
        (_, true) => format!("d = N/{}", INPUTS / d),
        _ => format!("d = {d}"),
    }
}

/// The sweep over step sizes of Figure 5, left.
#[derive(Clone, Debug)]
pub struct StepSizes {
    /// Step sizes, ascending: two small ones, one, the big one of the document, and one beyond.
    pub rates: [f64; 5],
    /// Dimensions.
    pub dims: [usize; 5],
    /// Samples with batch one at which the error is read.
    pub samples: [usize; 2],
    /// Runs, each with its own embeddings, first weights and data; by scale if 0.
    pub runs: usize,
    /// Runs in the smallest dimension, where a large step now and then loses a frequent input and errors scatter; by scale if 0.
    pub narrow: usize,
}

impl Default for StepSizes {
    fn default() -> StepSizes {
        StepSizes {
            rates: [0.001, 0.1, 1.0, 10.0, 100.0],
            dims: [10, 20, 50, 100, 200],
            samples: [SAMPLES, 10 * SAMPLES],
            runs: 0,
            narrow: 0,
        }
    }
}

/// Dimensions from which on few runs are read after many samples at quick scale: errors hardly scatter there.
const WIDE: usize = 2;
/// Those runs.
const FEW: usize = 24;

/// Descents of the sweep.
pub struct Descents(Vec<Part>);

/// Descents in some of the dimensions, read at some of the numbers of samples.
struct Part {
    dims: Range<usize>,
    reads: Range<usize>,
    runs: TrainingRuns,
}

/// The name of descent at a rate.
pub fn at_rate(rate: f64) -> String {
    format!("γ = {rate}")
}

impl StepSizes {
    /// Descent with batch one at a rate, read at these of the two numbers of samples.
    fn method(&self, rate: f64, reads: &Range<usize>) -> Result<Method, Failure> {
        let samples = self.samples[reads.clone()].to_vec();
        let method = Method::sgd(rate)?.steps(self.samples[reads.end - 1]).without_moments();
        Ok(method.record(samples).label(&at_rate(rate)))
    }

    fn part(
        &self,
        own: &Setting,
        name: &str,
        rates: &[f64],
        (dims, reads): (Range<usize>, Range<usize>),
        runs: usize,
    ) -> Result<Part, Failure> {
        let methods = rates.iter().map(|rate| self.method(*rate, &reads));
        let methods = methods.collect::<Result<Vec<_>, Failure>>()?;
        let runs = study(methods, &self.dims[dims.clone()], runs)?.run(own.streams(), name)?;
        Ok(Part { dims, reads, runs })
    }

    /// The descents of all step sizes and dimensions, computed once.
    ///
    /// # Errors
    /// A descent that diverges.
    pub fn descents(&self, setting: &Setting) -> Result<Arc<Descents>, Failure> {
        let runs = by_scale(self.runs, setting.scale().pick(120, 200));
        let (all, wide) = (self.dims.len(), setting.scale().pick(WIDE, self.dims.len()));
        setting.shared(&format!("Fig. 5 left {self:?}"), |own| {
            let part = |name: &str, of, runs| self.part(own, name, &self.rates, of, runs);
            let mut parts = vec![part("Fig. 5 left", (0..wide, 0..2), runs)?];
            if wide < all {
                parts.push(part("Fig. 5 left, wide", (wide..all, 0..1), runs)?);
                parts.push(part("Fig. 5 left, wide, many samples", (wide..all, 1..2), FEW.min(runs))?);
            }
            Ok(Descents(parts))
        })
    }

    /// Error at rate `a` minus that at rate `b` in the smallest dimension, from more runs, for any two of the three middle rates.
    ///
    /// # Errors
    /// A descent that diverges, another rate.
    pub fn narrow(
        &self,
        setting: &Setting,
        [a, b]: [usize; 2],
        read: usize,
        among: usize,
    ) -> Result<Estimate, Failure> {
        let count = by_scale(self.narrow, setting.scale().pick(400, 1000));
        let runs = setting.shared(&format!("Fig. 5 left, narrow {self:?}"), |own| {
            let part = self.part(own, "the turn at d = 10", &self.rates[1..4], (0..1, 0..2), count)?;
            Ok(Descents(vec![part]))
        })?;
        self.difference(&runs, [a, b], 0, read, among)
    }

    /// Errors of one rate in one dimension, read at the first or second number of samples.
    ///
    /// # Errors
    /// No such position.
    pub fn errors(&self, runs: &Descents, rate: usize, dim: usize, read: usize) -> Result<Vec<f64>, Failure> {
        let part = runs.0.iter().find(|part| part.dims.contains(&dim) && part.reads.contains(&read));
        let part = part.ok_or("no descents in this dimension are read there")?;
        let errors = part.runs.errors(&at_rate(self.rates[rate]), self.dims[dim])?;
        Ok(errors.column(read - part.reads.start).to_vec())
    }

    /// Error at rate `a` minus that at rate `b`, with the level divided among so many comparisons.
    ///
    /// # Errors
    /// No such position.
    pub fn difference(
        &self,
        runs: &Descents,
        [a, b]: [usize; 2],
        dim: usize,
        read: usize,
        among: usize,
    ) -> Result<Estimate, Failure> {
        let (a, b) = (self.errors(runs, a, dim, read)?, self.errors(runs, b, dim, read)?);
        Ok(paired_difference_at(&a, &b, 1.0 - 0.001 / among as f64)?)
    }

    /// Error at rate `a` minus that at rate `b` if classes were those of inputs counted from zero: a label that is one off. The label is
    /// one that the memory was not taught, so what stores more has to look worse.
    ///
    /// # Errors
    /// A descent that diverges.
    pub fn counted_from_zero(&self, setting: &Setting, [a, b]: [usize; 2]) -> Result<Estimate, Failure> {
        let method = |rate: f64| -> Result<Method, Failure> {
            Ok(Method::sgd(rate)?.steps(self.samples[0]).label(&at_rate(rate)))
        };
        let (a, b) = (self.rates[a], self.rates[b]);
        let runs = study(vec![method(a)?, method(b)?], &self.dims[..1], ONE_OFF)?.keep_tables();
        let runs = runs.run(setting.streams(), "labels one off")?;
        labels_one_off(&runs, [&at_rate(a), &at_rate(b)])
    }

    /// Mean errors, a row for each dimension.
    ///
    /// # Errors
    /// No such position.
    pub fn table(&self, runs: &Descents, read: usize) -> Result<Table, Failure> {
        let mut list = vec![("d", self.dims.map(|d| d as i64).to_vec().into())];
        let names = self.rates.map(|rate| format!("γ = {rate}"));
        for (k, name) in names.iter().enumerate() {
            list.push((name.as_str(), self.means(runs, k, read)?.into()));
        }
        Ok(Table::new(columns(list)?)
            .title(&format!("Mean error after {} samples, N = {INPUTS}", self.samples[read]))
            .caption("Batch one, parameters started as in Appendix C.1.")
            .digits(2))
    }

    fn means(&self, runs: &Descents, rate: usize, read: usize) -> Result<Vec<f64>, Failure> {
        let mean = |dim: usize| -> Result<f64, Failure> {
            let errors = self.errors(runs, rate, dim, read)?;
            Ok(errors.iter().sum::<f64>() / errors.len() as f64)
        };
        (0..self.dims.len()).map(mean).collect()
    }

    /// Error against the step size, a curve for each dimension, at both numbers of samples.
    ///
    /// # Errors
    /// No such position.
    pub fn figure(&self, runs: &Descents) -> Result<Figure, Failure> {
        let mut figure = Figure::new("The best step lies inside of the range in every dimension").columns(2);
        for (read, samples) in self.samples.iter().enumerate() {
            let mut panel =
                Panel::new(&format!("{samples} samples")).x_label("step size γ").y_label("error").log_x().log_y();
            for (dim, d) in self.dims.iter().enumerate() {
                let means = (0..self.rates.len()).map(|rate| Ok(self.means(runs, rate, read)?[dim]));
                let means = means.collect::<Result<Vec<f64>, Failure>>()?;
                panel = panel.line(&of_inputs(*d), &self.rates, &means);
            }
            figure = figure.panel(panel.legend_below());
        }
        Ok(figure.caption("Means over runs, batch one. The lowest point of a curve is its best step; it moves with d and with the number of samples."))
    }
}

/// Error of method `a` minus that of method `b` if classes were those of inputs counted from zero, in the first dimension of runs that
/// kept the tables of their end.
///
/// # Errors
/// Tables that were not kept.
pub fn labels_one_off(runs: &TrainingRuns, [a, b]: [&str; 2]) -> Result<Estimate, Failure> {
    let p = figure_5()?.0.probabilities(INPUTS);
    let first = runs.dims().first().copied().unwrap_or_default();
    let error = |method: &str, run: usize| -> Result<f64, Failure> {
        let scores = runs.scores(method, first, run, 0)?;
        let missed = answers(&scores).into_iter().enumerate().filter(|(x, y)| x % 5 != *y);
        Ok(missed.map(|(x, _)| p[x]).sum())
    };
    let errors = |method: &str| {
        let all = (0..runs.n_runs()).map(|run| error(method, run));
        all.collect::<Result<Vec<_>, _>>()
    };
    Ok(paired_difference(&errors(a)?, &errors(b)?)?)
}

/// The class of the largest score of each input, for scores `(N, M)`.
pub fn answers(scores: &Array2<f64>) -> Vec<usize> {
    let best = |row: ndarray::ArrayView1<f64>| (0..row.len()).fold(0, |b, y| if row[y] > row[b] { y } else { b });
    scores.outer_iter().map(best).collect()
}
