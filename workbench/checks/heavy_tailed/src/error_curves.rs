//! The runs of Figures 8 and 9, taken from the sweep `error-curves` where there is one, or else computed.
//!
//! The sweep's tasks are runs of these figures: the same law, target, schemes, dimensions and data sizes, with draws that are named by
//! sweep, point and replicate, and are not those of the checks.

use std::sync::Arc;

use ndarray::Array4;
use workbench_ledger::{Failure, Setting, Sourced, Swept};
use workbench_memory::{Errors, Experiment, Samples, Scheme, Zipf};

use super::exponents::target;

/// The sweep's name.
const SWEEP: &str = "error-curves";

/// A figure's experiment: what is computed, and where the sweep has it.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Inputs N.
    pub inputs: usize,
    /// Exponent of the law.
    pub alpha: f64,
    /// The schemes, each with the sweep's column of its errors.
    pub schemes: Vec<(&'static str, Scheme)>,
    /// Dimensions.
    pub dims: Vec<usize>,
    /// Data sizes.
    pub samples: Vec<Samples>,
    /// Independent runs.
    pub runs: usize,
    /// The name of the random stream.
    pub stream: &'static str,
}

impl Curves {
    /// The errors, run by run; the name tells these curves from others that the process keeps.
    ///
    /// # Errors
    /// Sizes that the experiment refuses.
    pub fn errors(&self, setting: &Setting, name: &str) -> Result<Arc<Sourced<Errors>>, Failure> {
        let experiment = self.experiment()?;
        let take = |rows: &Swept| {
            let values = self.values(rows)?;
            experiment.found(values).map_err(|error| error.to_string())
        };
        setting.swept(name, SWEEP, take, |own| Ok(experiment.run(own.streams(), self.stream)?))
    }

    /// What is computed where there is no sweep.
    ///
    /// # Errors
    /// Sizes that the experiment refuses.
    pub fn experiment(&self) -> Result<Experiment, Failure> {
        Ok(Experiment::new(Zipf::new(self.alpha, self.inputs)?, target()?)
            .schemes(self.schemes.iter().map(|(_, scheme)| scheme.clone()).collect())
            .dims(self.dims.clone())
            .samples(self.samples.clone())
            .runs(self.runs))
    }

    /// Errors by scheme, data size, run and dimension: a replicate of the sweep is a run.
    ///
    /// # Errors
    /// What the sweep does not have.
    pub fn values(&self, rows: &Swept) -> Result<Array4<f64>, String> {
        let shape = (self.schemes.len(), self.samples.len(), self.runs, self.dims.len());
        let mut values = Array4::from_elem(shape, f64::NAN);
        for (s, (column, _)) in self.schemes.iter().enumerate() {
            for (t, samples) in self.samples.iter().enumerate() {
                for (d, dim) in self.dims.iter().enumerate() {
                    let at = [
                        // The sweep has the figures enlarged too, at sizes that the document does not print.
                        ("times", 1.0),
                        ("inputs", self.inputs as f64),
                        ("alpha", self.alpha),
                        ("samples", samples.size()),
                        ("dimension", *dim as f64),
                    ];
                    for (run, error) in rows.first(self.runs, column, &at)?.into_iter().enumerate() {
                        values[[s, t, run, d]] = error;
                    }
                }
            }
        }
        match values.iter().all(|error| error.is_finite()) {
            true => Ok(values),
            false => Err("it has errors that are no numbers".into()),
        }
    }
}
