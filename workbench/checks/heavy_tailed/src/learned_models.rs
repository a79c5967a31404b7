//! Figure 11, middle and right: the models that are trained there, and the sweep over d that both panels read.

use std::sync::Arc;

use ndarray::Array1;
use workbench_ground::stats::{Estimate, paired_difference};
use workbench_ledger::{Failure, Setting, Sheet};
use workbench_memory::{DescentRule, ErrorCurve, LearnedRuns, LearnedTraining, Readout, TrainedParts};

use super::learned_embeddings::{CLASSES, INPUTS, law, target};

/// A model and what of it is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Only W (blue).
    Memory,
    /// e and u, with W at its random start (orange).
    Embeddings,
    /// e, u and W, the other reading of orange.
    Everything,
    /// `u_y^T ReLU(e_x)` with e and u (green).
    Relu,
}

impl Model {
    /// All of them, in the order of the legend.
    pub const ALL: [Model; 4] = [Model::Memory, Model::Embeddings, Model::Everything, Model::Relu];

    /// Its name in labels.
    pub fn name(self) -> &'static str {
        match self {
            Model::Memory => "W",
            Model::Embeddings => "e, u",
            Model::Everything => "W, e, u",
            Model::Relu => "ReLU, e, u",
        }
    }

    /// Base rates of Adam in `d` dimensions. Those who are compared in error choose from several: W, which is the rival, and ReLU, which
    /// falls behind it at d = 4 and has five there. With learned embeddings the first rate ends without error.
    pub fn rates(self, d: usize) -> &'static [f64] {
        match self {
            Model::Memory => &[1.0, 10.0],
            Model::Relu if d == 4 => &[0.01, 0.03, 0.1, 0.3, 1.0],
            Model::Relu => &[0.03, 0.3],
            Model::Embeddings | Model::Everything => &[0.3],
        }
    }

    /// A training with the budget of the caption, 1000 updates with batches of 1000, plain descent at rate one.
    ///
    /// # Errors
    /// None.
    pub fn training(self, d: usize) -> Result<LearnedTraining, Failure> {
        let (readout, parts) = match self {
            Model::Memory => (Readout::Linear, TrainedParts::Memory),
            Model::Embeddings => (Readout::Linear, TrainedParts::Embeddings),
            Model::Everything => (Readout::Linear, TrainedParts::Everything),
            Model::Relu => (Readout::Relu, TrainedParts::Embeddings),
        };
        Ok(LearnedTraining::new(law()?, target(CLASSES)?, d, readout, parts).look_every(10))
    }
}

/// Runs of one model, by dimension, each at its best rate.
pub struct Trained {
    /// The dimensions.
    pub dims: Vec<usize>,
    /// The base rates.
    pub rates: Vec<f64>,
    /// The runs.
    pub runs: Vec<LearnedRuns>,
}

impl Trained {
    /// Final errors in the dimension at this position.
    pub fn last(&self, dim: usize) -> Vec<f64> {
        self.runs[dim].last()
    }

    /// Final errors along d.
    ///
    /// # Errors
    /// None.
    pub fn curve(&self) -> Result<ErrorCurve, Failure> {
        let columns: Vec<Array1<f64>> = self.runs.iter().map(|runs| Array1::from(runs.last())).collect();
        Ok(ErrorCurve::from_columns(self.dims.iter().map(|d| *d as f64).collect(), &columns)?)
    }
}

/// Dimensions of the sweep. Where W is trained besides the embeddings, those up to 16 answer the question.
fn dims(setting: &Setting, model: Model) -> Vec<usize> {
    let dims = setting.scale().pick(vec![2, 4, 8, 16, 32], vec![2, 4, 8, 16, 32, 64]);
    let last = if model == Model::Everything { 16 } else { 64 };
    dims.into_iter().filter(|d| *d <= last).collect()
}

/// Position of d = 4.
pub const FOUR: usize = 1;
/// Position of d = 8.
pub const EIGHT: usize = 2;
/// Position of d = 16.
pub const SIXTEEN: usize = 3;
/// Position of d = 32.
pub const THIRTY_TWO: usize = 4;

/// W alone and the non-linear model at d = 4, in more runs.
pub struct AtFour {
    /// Only W.
    pub memory: LearnedRuns,
    /// The non-linear model.
    pub relu: LearnedRuns,
    /// Its rate.
    pub relu_rate: f64,
}

fn mean_error(runs: &LearnedRuns) -> f64 {
    runs.last().iter().sum::<f64>() / runs.len() as f64
}

/// Runs for each model and dimension.
fn run_count(s: &Sheet) -> Result<usize, Failure> {
    s.knob("runs", s.scale().pick(12, 16), 2..)
}

fn one(own: &Setting, training: LearnedTraining, d: usize, runs: usize) -> Result<LearnedRuns, Failure> {
    Ok(training.run(own.streams(), &format!("Fig. 11, d = {d}"), runs)?)
}

/// Adam at the best of its rates in each dimension, by the mean error. Runs of all models share start and data.
///
/// # Errors
/// A wish to stop.
pub fn adam(s: &Sheet, model: Model) -> Result<Arc<Trained>, Failure> {
    let count = run_count(s)?;
    s.shared(&format!("Adam, {model:?}, {count} runs"), |own| {
        let (mut rates, mut runs) = (Vec::new(), Vec::new());
        let dims = dims(own, model);
        for &d in &dims {
            let at = |rate: f64| one(own, model.training(d)?.rule(DescentRule::ADAM).rate(rate)?, d, count);
            let tried =
                model.rates(d).iter().map(|rate| Ok((*rate, at(*rate)?))).collect::<Result<Vec<_>, Failure>>()?;
            let best = tried.into_iter().reduce(|a, b| if mean_error(&b.1) < mean_error(&a.1) { b } else { a });
            let (rate, kept) = best.ok_or("no rates to choose from")?;
            rates.push(rate);
            runs.push(kept);
        }
        Ok(Trained { dims, rates, runs })
    })
}

/// Plain descent at rate one, which leaves errors above zero, in the dimensions before 64, in twice as many runs: slopes scatter.
///
/// # Errors
/// A wish to stop.
pub fn plain(s: &Sheet, model: Model) -> Result<Arc<ErrorCurve>, Failure> {
    let count = 2 * run_count(s)?;
    s.shared(&format!("plain, {model:?}, {count} runs"), |own| along_d(own, count, |d| model.training(d)))
}

/// Final errors along the dimensions from 4 to 32 of any training.
///
/// # Errors
/// A wish to stop.
pub fn slowly(s: &Sheet, training: impl Fn(usize) -> Result<LearnedTraining, Failure>) -> Result<ErrorCurve, Failure> {
    along_d(s, 2 * run_count(s)?, training)
}

fn along_d(
    own: &Setting,
    runs: usize,
    training: impl Fn(usize) -> Result<LearnedTraining, Failure>,
) -> Result<ErrorCurve, Failure> {
    let dims = [4, 8, 16, 32];
    let errors = |d: usize| Ok(Array1::from(one(own, training(d)?, d, runs)?.last()));
    let columns = dims.into_iter().map(errors).collect::<Result<Vec<_>, Failure>>()?;
    Ok(ErrorCurve::from_columns(dims.map(|d| d as f64).to_vec(), &columns)?)
}

/// W alone and the non-linear model at d = 4, at the rates that were best there.
///
/// # Errors
/// A wish to stop.
pub fn at_four(s: &Sheet) -> Result<Arc<AtFour>, Failure> {
    let (memory, relu, count) = (adam(s, Model::Memory)?, adam(s, Model::Relu)?, run_count(s)?);
    s.shared(&format!("d = 4, {count} runs"), |own| {
        let count = count * own.scale().pick(5, 10);
        let of = |model: Model, rate: f64| -> Result<LearnedRuns, Failure> {
            let training = model.training(4)?.rule(DescentRule::ADAM).rate(rate)?;
            Ok(training.run(own.streams(), "ReLU at d = 4", count)?)
        };
        Ok(AtFour {
            memory: of(Model::Memory, memory.rates[FOUR])?,
            relu: of(Model::Relu, relu.rates[FOUR])?,
            relu_rate: relu.rates[FOUR],
        })
    })
}

/// Final errors of the non-linear model and of W alone at one of the dimensions, at the rates that were best there, in so many times as many
/// runs of their own.
///
/// # Errors
/// A wish to stop.
pub fn again_at(s: &Sheet, dim: usize, times: usize) -> Result<[Vec<f64>; 2], Failure> {
    let count = times * run_count(s)?;
    let of = |model: Model| -> Result<Vec<f64>, Failure> {
        let trained = adam(s, model)?;
        let (d, rate) = (trained.dims[dim], trained.rates[dim]);
        let training = model.training(d)?.rule(DescentRule::ADAM).rate(rate)?;
        Ok(training.run(s.streams(), &format!("zero error at d = {d}"), count)?.last())
    };
    Ok([of(Model::Relu)?, of(Model::Memory)?])
}

impl AtFour {
    /// Inputs of a run that have a positive coordinate at the start.
    ///
    /// # Errors
    /// No such run.
    pub fn alive(&self, run: usize) -> Result<Vec<bool>, Failure> {
        let start = self.relu.start(run)?;
        let alive = start.inputs.outer_iter().map(|e| e.iter().any(|e| *e > 0.0));
        Ok(alive.collect())
    }

    /// Error of the non-linear model over inputs with a positive coordinate at the start, less the whole error of W.
    ///
    /// # Errors
    /// None.
    pub fn alive_less_memory(&self) -> Result<Estimate, Failure> {
        let p = law()?.probabilities(INPUTS);
        let labels = target(CLASSES)?.labels(INPUTS);
        let missed = |run: usize| -> Result<f64, Failure> {
            let alive = self.alive(run)?;
            let margins = self.relu.model(run)?.margins(&labels)?;
            let lost = |x: &usize| alive[*x] && margins[*x] <= 0.0;
            Ok((0..INPUTS).filter(lost).map(|x| p[x]).sum())
        };
        let errors = (0..self.relu.len()).map(missed).collect::<Result<Vec<_>, _>>()?;
        Ok(paired_difference(&errors, &self.memory.last())?)
    }

    /// The rate of the non-linear model, and whether it lies inside of those that were tried.
    pub fn rate(&self) -> String {
        let tried = Model::Relu.rates(4);
        let inside = tried[0] < self.relu_rate && self.relu_rate < tried[tried.len() - 1];
        let inside = if inside { "inside" } else { "at an end" };
        format!("{} of {tried:?}, {inside}", self.relu_rate)
    }
}

/// The non-linear model less W alone at d = 4, by error.
///
/// # Errors
/// None.
pub fn relu_less_memory(four: &AtFour) -> Result<Estimate, Failure> {
    Ok(paired_difference(&four.relu.last(), &four.memory.last())?)
}

/// Errors of one model less those of another on the same starts and data, in the dimension where this is largest.
///
/// # Errors
/// Curves with other dimensions or runs.
pub fn largest_gap(a: &ErrorCurve, b: &ErrorCurve) -> Result<Estimate, Failure> {
    let gap = |j: usize| paired_difference(&a.runs().column(j).to_vec(), &b.runs().column(j).to_vec());
    let gaps = (0..a.x().len()).map(gap).collect::<Result<Vec<_>, _>>()?;
    let largest = gaps.into_iter().reduce(|a, b| if b.high > a.high { b } else { a });
    Ok(largest.ok_or("no dimensions to compare in")?)
}
