//! Results of an experiment, run by run.

use crate::data::samples::Samples;
use crate::error_curve::ErrorCurve;
use crate::store::scheme::Scheme;
use ndarray::Array2;
use workbench_ground::Error;
use workbench_ground::stats::{Estimate, Label, Runs, proportion};
use workbench_ground::tabulated::{Columns, Tabulated};

/// Errors of an [`Experiment`](crate::Experiment), run by run: cells are named by scheme, data size and dimension.
///
/// **Source**: Eq. 3, of the memories of Eq. 1 to 5.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    pub(super) runs: Runs,
    pub(super) schemes: Vec<Scheme>,
    pub(super) dims: Vec<usize>,
    pub(super) samples: Vec<Samples>,
}

impl From<&Scheme> for Label {
    fn from(scheme: &Scheme) -> Label {
        Label::Text(scheme.label())
    }
}

impl From<Samples> for Label {
    fn from(samples: Samples) -> Label {
        Label::Number(samples.size())
    }
}

impl Errors {
    /// All values, `(run, scheme, data size, dimension)`, on the axes `scheme`, `T` (infinite for the population) and `d`.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// The dimensions as numbers, for fits and figures.
    pub fn dims(&self) -> Vec<f64> {
        self.dims.iter().map(|&d| d as f64).collect()
    }

    /// The data sizes as numbers, infinite for the population.
    pub fn sizes(&self) -> Vec<f64> {
        self.samples.iter().map(Samples::size).collect()
    }

    /// Errors along the dimensions, runs as units.
    ///
    /// **Errors**: no such scheme or data size.
    pub fn over_dims(&self, scheme: &Scheme, samples: Samples) -> Result<ErrorCurve, Error> {
        let errors = self.of(scheme)?.select("T", samples)?;
        Ok(ErrorCurve::new(self.dims(), errors.along()?)?.named("d", "error"))
    }

    /// Errors along the data sizes, runs as units.
    ///
    /// **Errors**: no such scheme or dimension.
    pub fn over_samples(&self, scheme: &Scheme, dim: usize) -> Result<ErrorCurve, Error> {
        let errors = self.of(scheme)?.select("d", dim)?;
        Ok(ErrorCurve::new(self.sizes(), errors.along()?)?.named("T", "error"))
    }

    /// Mean over runs of one cell, with the house interval.
    ///
    /// **Errors**: no such scheme, dimension or data size, a single run.
    pub fn mean(&self, scheme: &Scheme, dim: usize, samples: Samples) -> Result<Estimate, Error> {
        self.of(scheme)?.select("d", dim)?.select("T", samples)?.mean()
    }

    /// Mean over runs of the error of scheme `a` minus that of scheme `b`, paired, with the house interval.
    ///
    /// **Errors**: as [`Errors::mean`].
    pub fn difference(&self, a: &Scheme, b: &Scheme, dim: usize, samples: Samples) -> Result<Estimate, Error> {
        [a, b].map(|scheme| self.known(scheme)).into_iter().collect::<Result<(), Error>>()?;
        let errors = self.runs.select("d", dim)?.select("T", samples)?;
        errors.paired_difference("scheme", a, b)
    }

    /// Share of runs with an error of exactly zero, with an exact binomial interval.
    ///
    /// **Errors**: no such scheme, dimension or data size.
    pub fn zero_share(&self, scheme: &Scheme, dim: usize, samples: Samples) -> Result<Estimate, Error> {
        let errors = self.of(scheme)?.select("d", dim)?.select("T", samples)?.cell()?;
        let zeros = errors.iter().filter(|e| **e == 0.0).count();
        proportion(zeros, errors.len())
    }

    /// Means over runs, `(dimension, data size)`, for a map.
    ///
    /// **Errors**: no such scheme.
    pub fn map(&self, scheme: &Scheme) -> Result<Array2<f64>, Error> {
        let errors = self.of(scheme)?;
        let mut means = Array2::zeros((self.dims.len(), self.samples.len()));
        for (d, &dim) in self.dims.iter().enumerate() {
            for (t, &samples) in self.samples.iter().enumerate() {
                let cell = errors.select("T", samples)?.select("d", dim)?.cell()?;
                means[[d, t]] = cell.iter().sum::<f64>() / cell.len() as f64;
            }
        }
        Ok(means)
    }

    fn of(&self, scheme: &Scheme) -> Result<Runs, Error> {
        self.known(scheme)?;
        self.runs.select("scheme", scheme)
    }

    /// Refuses a scheme that shares the name of one that was run, as all explicit weights of one number do, and is another.
    fn known(&self, scheme: &Scheme) -> Result<(), Error> {
        let label = scheme.label();
        let named = self.schemes.iter().any(|other| other.label() == label);
        if named && !self.schemes.contains(scheme) {
            let problem = format!("the scheme \"{label}\" that was run has other weights");
            return Err(Error::refused("Errors", problem, "ask with one of the schemes of the experiment"));
        }
        Ok(())
    }
}

/// One row for each scheme, data size and dimension, as [`Runs`] has it.
impl Tabulated for Errors {
    fn columns(&self) -> Result<Columns, Error> {
        let mut columns = self.runs.columns()?;
        columns.title = "Generalization errors".to_string();
        Ok(columns)
    }
}
