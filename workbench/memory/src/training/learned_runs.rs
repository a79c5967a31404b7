//! Results of training runs with learned embeddings: errors, first steps without error, divergences, models.

use super::learned::LearnedMemory;
use ndarray::Array2;
use workbench_ground::Error;
use workbench_ground::stats::{Estimate, Label, Runs, mean, proportion};
use workbench_ground::tabulated::{Columns, Tabulated};

/// Where a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    /// The step, counted from 1, at which the divergence was seen.
    pub step: usize,
    /// The norm of all parameters there.
    pub norm: f64,
}

/// What the runs of a [`LearnedTraining`](crate::LearnedTraining) left.
#[derive(Clone, Debug)]
pub struct LearnedRuns {
    pub(super) record: Vec<usize>,
    pub(super) errors: Array2<f64>,
    pub(super) first_zero: Vec<Option<usize>>,
    pub(super) diverged: Vec<Option<Divergence>>,
    pub(super) starts: Vec<LearnedMemory>,
    pub(super) models: Vec<LearnedMemory>,
}

impl LearnedRuns {
    /// The recorded steps.
    pub fn steps(&self) -> Vec<usize> {
        self.record.clone()
    }

    /// Errors, `(runs, recorded steps)`.
    pub fn errors(&self) -> &Array2<f64> {
        &self.errors
    }

    /// The errors, run by run on the axis `step`.
    ///
    /// **Shapes**: values `(run, recorded step)`.
    ///
    /// **Errors**: none for runs that [`LearnedTraining::run`](crate::LearnedTraining::run) made.
    pub fn labelled(&self) -> Result<Runs, Error> {
        let steps = self.record.iter().copied().map(Label::from).collect();
        Runs::new(vec![("step", steps)], self.errors.clone().into_dyn())
    }

    /// The errors of all runs at the last recorded step.
    pub fn last(&self) -> Vec<f64> {
        self.errors.column(self.errors.ncols() - 1).to_vec()
    }

    /// The mean error at the last recorded step.
    ///
    /// **Errors**: fewer than two runs.
    pub fn mean_error(&self) -> Result<Estimate, Error> {
        mean(&self.last())
    }

    /// The share of runs whose error is exactly zero at the last recorded step.
    ///
    /// **Errors**: none for runs that [`LearnedTraining::run`](crate::LearnedTraining::run) made.
    pub fn zero_share(&self) -> Result<Estimate, Error> {
        let zeros = self.last().iter().filter(|e| **e == 0.0).count();
        proportion(zeros, self.errors.nrows())
    }

    /// For each run, the first step (among those looked at) with error exactly zero.
    pub fn first_zero(&self) -> Vec<Option<usize>> {
        self.first_zero.clone()
    }

    /// For each run, where it was stopped because its parameters grew beyond a norm of 1e9: the step at which this was seen, and the norm.
    pub fn diverged(&self) -> Vec<Option<Divergence>> {
        self.diverged.clone()
    }

    /// The share of runs that had not yet had error zero, at each of the given steps.
    pub fn surviving(&self, steps: &[usize]) -> Vec<f64> {
        let alive = |s: usize| self.first_zero.iter().filter(|z| z.is_none_or(|z| z > s)).count();
        steps.iter().map(|s| alive(*s) as f64 / self.first_zero.len() as f64).collect()
    }

    /// The model of run `i` before training.
    ///
    /// **Errors**: no such run.
    pub fn start(&self, i: usize) -> Result<LearnedMemory, Error> {
        nth(&self.starts, i)
    }

    /// The model of run `i` after training.
    ///
    /// **Errors**: no such run.
    pub fn model(&self, i: usize) -> Result<LearnedMemory, Error> {
        nth(&self.models, i)
    }

    /// The number of runs.
    pub fn len(&self) -> usize {
        self.models.len()
    }

    /// Whether there are no runs; never for a training that ran.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }
}

fn nth(models: &[LearnedMemory], index: usize) -> Result<LearnedMemory, Error> {
    models.get(index).cloned().ok_or(Error::no_such("LearnedRuns", "run", index, models.len()))
}

/// One row for each recorded step: the mean error over runs.
impl Tabulated for LearnedRuns {
    fn columns(&self) -> Result<Columns, Error> {
        let errors = self.errors.columns().into_iter().map(|runs| mean(&runs.to_vec()));
        let errors = errors.collect::<Result<Vec<Estimate>, Error>>()?;
        Ok(Columns::new("Error while training").x("step", &self.record).with("error", errors))
    }
}
