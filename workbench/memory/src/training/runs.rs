//! What a study of descents found, run by run.

use super::measures::Quantity;
use super::method::Method;
use super::study::{Descent, stack};
use crate::{Error, ErrorCurve};
use ndarray::Array2;
use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use workbench_ground::check::position;
use workbench_ground::stats::{Estimate, mean, paired_difference};

/// The recorded numbers of a [`TrainingStudy`](crate::TrainingStudy).
///
/// Methods and dimensions are named by their position in the study, records by their position among the recorded steps.
#[derive(Clone, Debug)]
pub struct TrainingRuns {
    methods: Vec<Method>,
    dims: Vec<usize>,
    /// By run, then method and dimension, dimensions innermost.
    descents: Vec<Vec<Descent>>,
}

/// Tables kept at a recorded step.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub scores: Array2<f64>,
    pub coefficients: Option<Array2<f64>>,
}

impl TrainingRuns {
    pub(super) fn new(methods: Vec<Method>, dims: Vec<usize>, descents: Vec<Vec<Descent>>) -> TrainingRuns {
        TrainingRuns {
            methods,
            dims,
            descents,
        }
    }

    /// One quantity, `(run, record)`.
    ///
    /// **Errors**: no such method or dimension.
    pub fn values(&self, quantity: Quantity, method: usize, dim: usize) -> Result<Array2<f64>, Error> {
        self.inside(method, dim)?;
        let rows: Vec<Vec<f64>> = self
            .descents
            .iter()
            .map(|run| run[method * self.dims.len() + dim].row(quantity))
            .collect();
        Ok(stack(&rows))
    }

    /// Generalization errors, `(run, record)`.
    ///
    /// **Errors**: no such method or dimension.
    pub fn errors(&self, method: usize, dim: usize) -> Result<Array2<f64>, Error> {
        self.values(Quantity::Error, method, dim)
    }

    /// Generalization errors at the last record, one for each run.
    ///
    /// **Errors**: no such method or dimension.
    pub fn final_errors(&self, method: usize, dim: usize) -> Result<Vec<f64>, Error> {
        let errors = self.errors(method, dim)?;
        Ok(errors.column(errors.ncols() - 1).to_vec())
    }

    /// The recorded steps of a method.
    ///
    /// **Errors**: no such method.
    pub fn steps(&self, method: usize) -> Result<Vec<f64>, Error> {
        self.inside(method, 0)?;
        Ok(self.methods[method].recorded().iter().map(|&s| s as f64).collect())
    }

    /// The samples processed at the recorded steps of a method; its steps for population gradients.
    ///
    /// **Errors**: no such method.
    pub fn samples(&self, method: usize) -> Result<Vec<f64>, Error> {
        let batch = self.steps(method).map(|_| self.methods[method].batch_size())?;
        Ok(self
            .steps(method)?
            .iter()
            .map(|s| s * batch.unwrap_or(1) as f64)
            .collect())
    }

    /// A quantity along the processed samples, runs as units.
    ///
    /// **Errors**: no such method or dimension.
    pub fn curve(&self, quantity: Quantity, method: usize, dim: usize) -> Result<ErrorCurve, Error> {
        ErrorCurve::new(self.samples(method)?, self.values(quantity, method, dim)?)
    }

    /// Errors at the last record along the dimensions, runs as units.
    ///
    /// **Errors**: no such method.
    pub fn over_dims(&self, method: usize) -> Result<ErrorCurve, Error> {
        let columns = (0..self.dims.len())
            .map(|dim| Ok(self.final_errors(method, dim)?.into()))
            .collect::<Result<Vec<_>, Error>>()?;
        ErrorCurve::from_columns(self.dims.iter().map(|&d| d as f64).collect(), &columns)
    }

    /// Mean error at the last record, with the house interval.
    ///
    /// **Errors**: no such method or dimension, a single run.
    pub fn mean(&self, method: usize, dim: usize) -> Result<Estimate, Error> {
        mean(&self.final_errors(method, dim)?)
    }

    /// Error of method `a` minus that of method `b` at their last records, paired by runs, with the house interval.
    ///
    /// **Errors**: no such method or dimension, a single run.
    pub fn difference(&self, a: usize, b: usize, dim: usize) -> Result<Estimate, Error> {
        paired_difference(&self.final_errors(a, dim)?, &self.final_errors(b, dim)?)
    }

    /// The score table `(N, M)` of one run at one record; kept by [`TrainingStudy::keep_tables`](crate::TrainingStudy::keep_tables).
    ///
    /// **Errors**: no such position, or tables that were not kept.
    pub fn scores(&self, method: usize, dim: usize, run: usize, record: usize) -> Result<Array2<f64>, Error> {
        Ok(self.kept(method, dim, run, record)?.scores.clone())
    }

    /// The coefficient table `(N, M)` of one run at one record; zero for methods without one.
    ///
    /// **Errors**: no such position, or tables that were not kept.
    pub fn coefficients(&self, method: usize, dim: usize, run: usize, record: usize) -> Result<Array2<f64>, Error> {
        let kept = self.kept(method, dim, run, record)?;
        Ok(kept
            .coefficients
            .clone()
            .unwrap_or_else(|| Array2::zeros(kept.scores.dim())))
    }

    /// The number of runs.
    pub fn n_runs(&self) -> usize {
        self.descents.len()
    }

    /// The dimensions.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// The names of the methods.
    pub fn labels(&self) -> Vec<String> {
        self.methods.iter().map(|m| m.label_text().to_string()).collect()
    }

    /// One row for each method, dimension and record: means over runs of all quantities, interval and deviation of the error.
    ///
    /// **Errors**: a single run has no deviation.
    pub fn to_frame(&self) -> Result<DataFrame, Error> {
        const MEANS: [(&str, Quantity); 6] = [
            ("loss", Quantity::Loss),
            ("recalled", Quantity::Recalled),
            ("norm", Quantity::Norm),
            ("update_norm", Quantity::UpdateNorm),
            ("gradient_norm", Quantity::GradientNorm),
            ("gradient_variance", Quantity::GradientVariance),
        ];
        let (mut names, mut ints) = (Vec::new(), vec![Vec::new(); 2]);
        let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); 5 + MEANS.len()];
        for (i, method) in self.methods.iter().enumerate() {
            for (j, &d) in self.dims.iter().enumerate() {
                let (steps, samples) = (method.recorded(), self.samples(i)?);
                let curve = self.curve(Quantity::Error, i, j)?;
                let deviations = curve.deviations();
                let means = MEANS
                    .iter()
                    .map(|(_, q)| Ok(self.curve(*q, i, j)?.means()))
                    .collect::<Result<Vec<_>, Error>>()?;
                for (k, &step) in steps.iter().enumerate() {
                    let error = curve.at(k)?;
                    names.push(method.label_text().to_string());
                    ints[0].push(d as u64);
                    ints[1].push(step);
                    let row = [samples[k], error.value, error.low, error.high, deviations[k]];
                    for (column, value) in numbers
                        .iter_mut()
                        .zip(row.into_iter().chain(means.iter().map(|m| m[k])))
                    {
                        column.push(value);
                    }
                }
            }
        }
        let rows = names.len();
        let mut columns: Vec<Column> = vec![Series::new("method".into(), names).into()];
        for (name, column) in ["d", "step"].into_iter().zip(ints) {
            columns.push(Series::new(name.into(), column).into());
        }
        let heads = ["samples", "error", "low", "high", "deviation"];
        for (name, column) in heads.into_iter().chain(MEANS.iter().map(|(n, _)| *n)).zip(numbers) {
            columns.push(Series::new(name.into(), column).into());
        }
        DataFrame::new(rows, columns).map_err(Error::outside(
            "TrainingRuns::to_frame",
            "check that all columns have one length",
        ))
    }

    fn inside(&self, method: usize, dim: usize) -> Result<(), Error> {
        position("TrainingRuns", "method", method, self.methods.len())?;
        position("TrainingRuns", "dimension", dim, self.dims.len())
    }

    fn kept(&self, method: usize, dim: usize, run: usize, record: usize) -> Result<&Kept, Error> {
        self.inside(method, dim)?;
        position("TrainingRuns", "run", run, self.descents.len())?;
        let tables = &self.descents[run][method * self.dims.len() + dim].tables;
        let op = "TrainingRuns";
        position(op, "kept table (ask the study to keep_tables)", record, tables.len())?;
        Ok(&tables[record])
    }
}
