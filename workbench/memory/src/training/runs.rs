//! Runs of a study of descents.

use super::measures::{Measures, Quantity};
use super::method::Method;
use crate::error_curve::ErrorCurve;
use ndarray::{Array2, Array3};
use workbench_ground::Error;
use workbench_ground::check::position;
use workbench_ground::stats::{Estimate, Runs};
use workbench_ground::tabulated::{Columns, Tabulated};

/// What one descent left behind, record by record.
#[derive(Clone, Debug, Default)]
pub(super) struct Descent {
    pub measures: Vec<Measures>,
    pub tables: Vec<Kept>,
}

impl Descent {
    /// One quantity at all records, as a row.
    pub fn row(&self, quantity: Quantity) -> Vec<f64> {
        self.measures.iter().map(|m| m.get(quantity)).collect()
    }
}

/// One row for each run.
pub(super) fn stack(rows: &[Vec<f64>]) -> Array2<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    Array2::from_shape_fn((rows.len(), columns), |(i, j)| rows[i][j])
}

/// The recorded numbers of a [`TrainingStudy`](crate::TrainingStudy).
///
/// Methods are named by their labels, dimensions by d, records by their position among the recorded steps. Methods with one label are
/// refused when they are asked for.
#[derive(Clone, Debug)]
pub struct TrainingRuns {
    methods: Vec<Method>,
    dims: Vec<usize>,
    /// By run, then method and dimension, dimensions innermost.
    descents: Vec<Vec<Descent>>,
    /// Errors at the last records, on the axes `method` and `d`.
    last: Runs,
}

/// Tables kept at a recorded step.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub scores: Array2<f64>,
    pub coefficients: Option<Array2<f64>>,
}

impl TrainingRuns {
    pub(super) fn new(
        methods: Vec<Method>,
        dims: Vec<usize>,
        descents: Vec<Vec<Descent>>,
    ) -> Result<TrainingRuns, Error> {
        let last = Array3::from_shape_fn((descents.len(), methods.len(), dims.len()), |(run, method, dim)| {
            let descent = &descents[run][method * dims.len() + dim];
            descent.row(Quantity::Error).last().copied().unwrap_or(f64::NAN)
        });
        let axes = vec![
            ("method", methods.iter().map(|m| m.label_text().into()).collect()),
            ("d", dims.iter().map(|&d| d.into()).collect()),
        ];
        Ok(TrainingRuns { methods, dims, descents, last: Runs::new(axes, last.into_dyn())? })
    }

    /// Generalization errors at the last records, `(run, method, dimension)`, on the axes `method` and `d`.
    pub fn last(&self) -> &Runs {
        &self.last
    }

    /// One quantity, `(run, record)`.
    ///
    /// **Errors**: no such method or dimension.
    pub fn values(&self, quantity: Quantity, method: &str, dim: usize) -> Result<Array2<f64>, Error> {
        let place = self.place(method, dim)?;
        let rows: Vec<Vec<f64>> = self.descents.iter().map(|run| run[place].row(quantity)).collect();
        Ok(stack(&rows))
    }

    /// Generalization errors, `(run, record)`.
    ///
    /// **Errors**: no such method or dimension.
    pub fn errors(&self, method: &str, dim: usize) -> Result<Array2<f64>, Error> {
        self.values(Quantity::Error, method, dim)
    }

    /// Generalization errors at the last record, one for each run.
    ///
    /// **Errors**: no such method or dimension.
    pub fn final_errors(&self, method: &str, dim: usize) -> Result<Vec<f64>, Error> {
        self.last.select("method", method)?.select("d", dim)?.cell()
    }

    /// The recorded steps of a method.
    ///
    /// **Errors**: no such method.
    pub fn steps(&self, method: &str) -> Result<Vec<f64>, Error> {
        let recorded = self.methods[self.last.place("method", method)?].recorded();
        Ok(recorded.iter().map(|&s| s as f64).collect())
    }

    /// The samples processed at the recorded steps of a method; its steps for population gradients.
    ///
    /// **Errors**: no such method.
    pub fn samples(&self, method: &str) -> Result<Vec<f64>, Error> {
        let batch = self.methods[self.last.place("method", method)?].batch_size();
        let steps = self.steps(method)?;
        Ok(steps.iter().map(|s| s * batch.unwrap_or(1) as f64).collect())
    }

    /// A quantity along the processed samples, runs as units.
    ///
    /// **Errors**: no such method or dimension.
    pub fn curve(&self, quantity: Quantity, method: &str, dim: usize) -> Result<ErrorCurve, Error> {
        let curve = ErrorCurve::new(self.samples(method)?, self.values(quantity, method, dim)?)?;
        Ok(curve.named("samples", quantity.name()))
    }

    /// Errors at the last record along the dimensions, runs as units.
    ///
    /// **Errors**: no such method.
    pub fn over_dims(&self, method: &str) -> Result<ErrorCurve, Error> {
        let errors = self.last.select("method", method)?;
        let curve = ErrorCurve::new(self.dims.iter().map(|&d| d as f64).collect(), errors.along()?)?;
        Ok(curve.named("d", Quantity::Error.name()))
    }

    /// Mean error at the last record, with the house interval.
    ///
    /// **Errors**: no such method or dimension, a single run.
    pub fn mean(&self, method: &str, dim: usize) -> Result<Estimate, Error> {
        self.last.select("d", dim)?.select("method", method)?.mean()
    }

    /// Error of method `a` minus that of method `b` at their last records, paired by runs, with the house interval.
    ///
    /// **Errors**: no such method or dimension, a single run.
    pub fn difference(&self, a: &str, b: &str, dim: usize) -> Result<Estimate, Error> {
        self.last.select("d", dim)?.paired_difference("method", a, b)
    }

    /// The score table `(N, M)` of one run at one record; kept by [`TrainingStudy::keep_tables`](crate::TrainingStudy::keep_tables).
    ///
    /// **Errors**: no such method, dimension, run or record, or tables that were not kept.
    pub fn scores(&self, method: &str, dim: usize, run: usize, record: usize) -> Result<Array2<f64>, Error> {
        Ok(self.kept(method, dim, run, record)?.scores.clone())
    }

    /// The coefficient table `(N, M)` of one run at one record; zero for methods without one.
    ///
    /// **Errors**: as [`TrainingRuns::scores`].
    pub fn coefficients(&self, method: &str, dim: usize, run: usize, record: usize) -> Result<Array2<f64>, Error> {
        let kept = self.kept(method, dim, run, record)?;
        Ok(kept.coefficients.clone().unwrap_or_else(|| Array2::zeros(kept.scores.dim())))
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

    /// Where a run keeps what a method did in a dimension.
    fn place(&self, method: &str, dim: usize) -> Result<usize, Error> {
        Ok(self.last.place("method", method)? * self.dims.len() + self.last.place("d", dim)?)
    }

    fn kept(&self, method: &str, dim: usize, run: usize, record: usize) -> Result<&Kept, Error> {
        const OP: &str = "TrainingRuns";
        let place = self.place(method, dim)?;
        position(OP, "run", run, self.descents.len())?;
        let tables = &self.descents[run][place].tables;
        position(OP, "kept table (ask the study to keep_tables)", record, tables.len())?;
        Ok(&tables[record])
    }
}

/// One row for each method, dimension and record: the error with its interval and its deviation between runs, means of all other
/// quantities.
impl Tabulated for TrainingRuns {
    fn columns(&self) -> Result<Columns, Error> {
        const MEANS: [(&str, Quantity); 6] = [
            ("loss", Quantity::Loss),
            ("recalled", Quantity::Recalled),
            ("norm", Quantity::Norm),
            ("update norm", Quantity::UpdateNorm),
            ("gradient norm", Quantity::GradientNorm),
            ("gradient variance", Quantity::GradientVariance),
        ];
        let (mut labels, mut dims, mut steps, mut samples) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut errors, mut deviations) = (Vec::new(), Vec::new());
        let mut means = MEANS.map(|_| Vec::new());
        for method in &self.methods {
            let label = method.label_text();
            let (recorded, seen) = (method.recorded(), self.samples(label)?);
            for &d in &self.dims {
                let curve = self.curve(Quantity::Error, label, d)?;
                labels.extend(vec![label.to_string(); recorded.len()]);
                dims.extend(vec![d; recorded.len()]);
                steps.extend(recorded.iter().copied());
                samples.extend(seen.iter().copied());
                for k in 0..recorded.len() {
                    errors.push(curve.at(k)?);
                }
                deviations.extend(curve.deviations());
                for (column, (_, quantity)) in means.iter_mut().zip(MEANS) {
                    column.extend(self.curve(quantity, label, d)?.means());
                }
            }
        }
        let columns = Columns::new("Descents")
            .with("method", labels)
            .with("d", dims)
            .with("step", steps)
            .with("samples", samples)
            .with("error", errors)
            .with("deviation", deviations);
        let means = MEANS.iter().zip(means);
        Ok(means.fold(columns, |columns, ((name, _), means)| columns.with(name, means)))
    }
}
