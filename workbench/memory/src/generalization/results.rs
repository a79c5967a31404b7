//! What an experiment found, run by run.

use crate::{Error, ErrorCurve, Samples};
use ndarray::{Array2, Array3, Array4, s};
use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use workbench_ground::check::position;
use workbench_ground::stats::{Estimate, mean, paired_difference, proportion};

/// Errors of an [`Experiment`](crate::Experiment), run by run.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    pub(crate) values: Array4<f64>,
    pub(crate) schemes: Vec<String>,
    pub(crate) dims: Vec<usize>,
    pub(crate) samples: Vec<Samples>,
}

impl Errors {
    /// All values, `(scheme, data size, run, dimension)`.
    pub fn values(&self) -> &Array4<f64> {
        &self.values
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
    pub fn over_dims(&self, scheme: usize, sample: usize) -> Result<ErrorCurve, Error> {
        self.inside(scheme, sample, 0)?;
        ErrorCurve::new(self.dims(), self.values.slice(s![scheme, sample, .., ..]).to_owned())
    }

    /// Errors along the data sizes, runs as units.
    pub fn over_samples(&self, scheme: usize, dim: usize) -> Result<ErrorCurve, Error> {
        self.inside(scheme, 0, dim)?;
        ErrorCurve::new(self.sizes(), self.values.slice(s![scheme, .., .., dim]).t().to_owned())
    }

    /// Errors of one scheme, `(run, dimension, data size)`, the shape that [`crate::two_term_fit`] takes.
    pub fn grid(&self, scheme: usize) -> Result<Array3<f64>, Error> {
        self.inside(scheme, 0, 0)?;
        Ok(self
            .values
            .slice(s![scheme, .., .., ..])
            .permuted_axes([1, 2, 0])
            .to_owned())
    }

    /// The runs of one cell of the grid.
    pub fn cell(&self, scheme: usize, dim: usize, sample: usize) -> Result<Vec<f64>, Error> {
        self.inside(scheme, sample, dim)?;
        Ok(self.values.slice(s![scheme, sample, .., dim]).to_vec())
    }

    /// Mean over runs of one cell, with the house interval.
    pub fn mean(&self, scheme: usize, dim: usize, sample: usize) -> Result<Estimate, Error> {
        mean(&self.cell(scheme, dim, sample)?)
    }

    /// Mean over runs of the error of scheme `a` minus that of scheme `b`, paired, with the house interval.
    pub fn difference(&self, a: usize, b: usize, dim: usize, sample: usize) -> Result<Estimate, Error> {
        paired_difference(&self.cell(a, dim, sample)?, &self.cell(b, dim, sample)?)
    }

    /// Share of runs with an error of exactly zero, with an exact binomial interval.
    pub fn zero_share(&self, scheme: usize, dim: usize, sample: usize) -> Result<Estimate, Error> {
        let errors = self.cell(scheme, dim, sample)?;
        let zeros = errors.iter().filter(|e| **e == 0.0).count();
        proportion(zeros as u64, errors.len() as u64)
    }

    /// Means over runs, `(dimension, data size)`, for a map.
    pub fn map(&self, scheme: usize) -> Result<Array2<f64>, Error> {
        self.inside(scheme, 0, 0)?;
        let (_, samples, runs, dims) = self.values.dim();
        Ok(Array2::from_shape_fn((dims, samples), |(d, t)| {
            self.values.slice(s![scheme, t, .., d]).sum() / runs as f64
        }))
    }

    /// One row per cell of the grid: scheme, T, d, mean, low, high, deviation between runs, runs.
    ///
    /// **Errors**: a single run has no deviation.
    pub fn to_frame(&self) -> Result<DataFrame, Error> {
        let (mut scheme, mut size, mut dim) = (Vec::new(), Vec::new(), Vec::new());
        let (mut value, mut low, mut high, mut deviation) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (si, label) in self.schemes.iter().enumerate() {
            for (ti, t) in self.samples.iter().enumerate() {
                for (di, &d) in self.dims.iter().enumerate() {
                    let estimate = self.mean(si, di, ti)?;
                    scheme.push(label.clone());
                    size.push(t.size());
                    dim.push(d as u64);
                    value.push(estimate.value);
                    low.push(estimate.low);
                    high.push(estimate.high);
                    deviation.push(self.values.slice(s![si, ti, .., di]).std(1.0));
                }
            }
        }
        let rows = dim.len();
        let runs = vec![self.values.dim().2 as u64; rows];
        let columns: Vec<Column> = vec![
            Series::new("scheme".into(), scheme).into(),
            Series::new("T".into(), size).into(),
            Series::new("d".into(), dim).into(),
            Series::new("error".into(), value).into(),
            Series::new("low".into(), low).into(),
            Series::new("high".into(), high).into(),
            Series::new("deviation".into(), deviation).into(),
            Series::new("runs".into(), runs).into(),
        ];
        DataFrame::new(rows, columns).map_err(Error::outside(
            "Errors::to_frame",
            "check that all columns have one length",
        ))
    }

    fn inside(&self, scheme: usize, sample: usize, dim: usize) -> Result<(), Error> {
        let (schemes, samples, _, dims) = self.values.dim();
        for (what, index, len) in [
            ("scheme", scheme, schemes),
            ("data size", sample, samples),
            ("dimension", dim, dims),
        ] {
            position("Errors", what, index, len)?;
        }
        Ok(())
    }
}
