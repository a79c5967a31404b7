//! Section 3, Effect of key hyperparameters: the setting of Figure 5 and what its panels share.
//!
//! N = 100, M = 5, alpha = 2, f_*(x) = x mod M; parameters start as Appendix C.1 says. The captions give neither the number of samples nor
//! step sizes. Step sizes are those that the document names elsewhere (0.001 and 0.1 in Figure 4, 1 in Figure 3, 10 in Figures 3, 4, 6,
//! 7 and 14); samples are the thousand of Figures 10 and 11, and ten thousand beside it.

use std::sync::Arc;

use ndarray::Array2;
use workbench_display::{Figure, Panel, Table, columns};
use workbench_ground::stats::{Estimate, mean, paired_difference, paired_difference_at};
use workbench_ledger::{Failure, Setting};
use workbench_memory::{ErrorCurve, Method, Parametrization, Target, TrainingRuns, TrainingStudy, Zipf};

/// Number of inputs N.
pub const INPUTS: usize = 100;
/// Samples of a descent.
pub const SAMPLES: usize = 1000;

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

/// A dimension as a part of N.
pub fn of_inputs(d: usize) -> String {
    match (d.is_multiple_of(INPUTS), INPUTS.is_multiple_of(d)) {
        (true, _) if d == INPUTS => "d = N".to_string(),
        (true, _) => format!("d = {}N", d / INPUTS),
        (_, true) => format!("d = N/{}", INPUTS / d),
        _ => format!("d = {d}"),
    }
}

/// Step sizes of Figure 5, left, ascending: two small ones, one, the big one of the document, and one beyond.
pub const RATES: [f64; 5] = [0.001, 0.1, 1.0, 10.0, 100.0];
/// Its dimensions.
pub const DIMS: [usize; 5] = [10, 20, 50, 100, 200];
/// Samples with batch one at which the error is read.
pub const READS: [usize; 2] = [SAMPLES, 10 * SAMPLES];
/// Comparisons of Figure 5, left, that share the level.
pub const AMONG: usize = 17;

/// Descents of Figure 5, left, each with its own embeddings, first weights and data.
pub struct Descents(Vec<Part>);

/// Descents in some of the dimensions, read at some of the numbers of samples.
struct Part {
    dims: &'static [usize],
    reads: &'static [usize],
    runs: TrainingRuns,
}

/// The name of descent at a rate.
pub fn at_rate(rate: f64) -> String {
    format!("γ = {rate}")
}

/// What is compared: a larger rate minus a smaller one.
pub fn at(d: usize, samples: usize, [a, b]: [f64; 2]) -> String {
    format!("{}, {samples} samples: γ = {a} minus γ = {b}", of_inputs(d))
}

fn part(
    own: &Setting,
    name: &str,
    rates: &[f64],
    (dims, reads): (&'static [usize], &'static [usize]),
    runs: usize,
) -> Result<Part, Failure> {
    let method = |rate: &f64| {
        let method = Method::sgd(*rate)?.steps(reads[reads.len() - 1]).without_moments();
        Ok(method.record(reads.to_vec()).label(&at_rate(*rate)))
    };
    let methods = rates.iter().map(method).collect::<Result<_, Failure>>()?;
    Ok(Part { dims, reads, runs: study(methods, dims, runs)?.run(own.streams(), name)? })
}

/// The descents of all step sizes and dimensions. Errors hardly scatter in many dimensions: at quick scale few runs are read there after
/// many samples.
///
/// # Errors
/// A descent that diverges.
pub fn descents(setting: &Setting) -> Result<Arc<Descents>, Failure> {
    setting.shared("Fig. 5 left", |own| {
        let (runs, wide) = own.scale().pick((120, 2), (200, DIMS.len()));
        let mut parts = vec![part(own, "Fig. 5 left", &RATES, (&DIMS[..wide], &READS), runs)?];
        if wide < DIMS.len() {
            parts.push(part(own, "Fig. 5 left, wide", &RATES, (&DIMS[wide..], &READS[..1]), runs)?);
            parts.push(part(own, "Fig. 5 left, wide, many samples", &RATES, (&DIMS[wide..], &READS[1..]), 24)?);
        }
        Ok(Descents(parts))
    })
}

/// Descents of the three middle rates in the smallest dimension, where a large step now and then loses a frequent input and errors scatter.
///
/// # Errors
/// A descent that diverges.
pub fn narrow(setting: &Setting, runs: usize) -> Result<Arc<Descents>, Failure> {
    setting.shared(&format!("Fig. 5 left, narrow, {runs}"), |own| {
        Ok(Descents(vec![part(own, "the turn at d = 10", &RATES[1..4], (&DIMS[..1], &READS), runs)?]))
    })
}

impl Descents {
    /// Errors of one rate in one dimension after so many samples.
    ///
    /// # Errors
    /// No such descents.
    pub fn errors(&self, rate: f64, d: usize, samples: usize) -> Result<Vec<f64>, Failure> {
        let part = self.0.iter().find(|part| part.dims.contains(&d) && part.reads.contains(&samples));
        let part = part.ok_or("no descents in this dimension are read there")?;
        let read = part.reads.iter().position(|read| *read == samples).unwrap_or_default();
        Ok(part.runs.errors(&at_rate(rate), d)?.column(read).to_vec())
    }

    /// Error at rate `a` minus that at rate `b`, with the level divided among so many comparisons.
    ///
    /// # Errors
    /// No such descents.
    pub fn difference(&self, [a, b]: [f64; 2], d: usize, samples: usize, among: usize) -> Result<Estimate, Failure> {
        let (a, b) = (self.errors(a, d, samples)?, self.errors(b, d, samples)?);
        Ok(paired_difference_at(&a, &b, 1.0 - 0.001 / among as f64)?)
    }

    /// Mean errors of a rate, one for each dimension.
    fn means(&self, rate: f64, samples: usize) -> Result<Vec<f64>, Failure> {
        DIMS.iter().map(|d| Ok(mean(&self.errors(rate, *d, samples)?)?.value)).collect()
    }

    /// Mean errors, a row for each dimension.
    ///
    /// # Errors
    /// None where all dimensions are read at this number of samples.
    pub fn table(&self, samples: usize) -> Result<Table, Failure> {
        let names = RATES.map(at_rate);
        let mut list = vec![("d", DIMS.map(|d| d as i64).to_vec().into())];
        for (name, rate) in names.iter().zip(RATES) {
            list.push((name.as_str(), self.means(rate, samples)?.into()));
        }
        Ok(Table::new(columns(list)?)
            .title(&format!("Mean error after {samples} samples, N = {INPUTS}"))
            .caption("Batch one, parameters started as in Appendix C.1.")
            .digits(2))
    }

    /// Error against the step size, a curve for each dimension, at both numbers of samples.
    ///
    /// # Errors
    /// None where all dimensions are read at both.
    pub fn figure(&self) -> Result<Figure, Failure> {
        let mut figure = Figure::new("The best step lies inside of the range in every dimension").columns(2);
        for samples in READS {
            let means = RATES.iter().map(|rate| self.means(*rate, samples)).collect::<Result<Vec<_>, _>>()?;
            let mut panel =
                Panel::new(&format!("{samples} samples")).x_label("step size γ").y_label("error").log_x().log_y();
            for (k, d) in DIMS.into_iter().enumerate() {
                let along: Vec<f64> = means.iter().map(|of_rate| of_rate[k]).collect();
                panel = panel.line(&of_inputs(d), &RATES, &along);
            }
            figure = figure.panel(panel.legend_below());
        }
        Ok(figure.caption("Means over runs, batch one. The lowest point of a curve is its best step; it moves with d and with the number of samples."))
    }
}

/// Adds a curve with the 99.9 % intervals of its means.
///
/// # Errors
/// A single run.
pub fn banded(panel: Panel, name: &str, curve: &ErrorCurve, colour: usize) -> Result<Panel, Failure> {
    let (x, low, high) = (curve.x(), curve.low()?, curve.high()?);
    Ok(panel.band("", x, &low, &high).colour(colour).line(name, x, &curve.means()).colour(colour))
}

/// Error at rate `a` minus that at rate `b` for d = N/10 if classes were those of inputs counted from zero: a label that is one off. The
/// label is one that the memory was not taught, so what stores more has to look worse.
///
/// # Errors
/// A descent that diverges.
pub fn counted_from_zero(setting: &Setting, rates: [f64; 2]) -> Result<Estimate, Failure> {
    let method = |rate: f64| Ok(Method::sgd(rate)?.steps(SAMPLES).label(&at_rate(rate)));
    let methods = rates.into_iter().map(method).collect::<Result<_, Failure>>()?;
    let runs = study(methods, &DIMS[..1], 200)?.keep_tables().run(setting.streams(), "labels one off")?;
    let [a, b] = rates.map(at_rate);
    labels_one_off(&runs, [&a, &b])
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
