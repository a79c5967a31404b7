//! The runs of Figures 8 and 9, taken from the sweep `error-curves` where there is one, or else computed.
//!
//! The sweep's tasks are runs of these figures: the same law, target, schemes, dimensions and data sizes, with draws that are named by
//! sweep, point and replicate, and are not those of the checks.

use std::sync::Arc;

use ndarray::Array4;
use workbench_ledger::{Failure, Setting, Sourced, Swept};
use workbench_memory::{Errors, Experiment, Samples, Scheme, Zipf};

use super::sections_b_2_to_b_4::target;

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

    fn experiment(&self) -> Result<Experiment, Failure> {
        Ok(Experiment::new(Zipf::new(self.alpha, self.inputs)?, target()?)
            .schemes(self.schemes.iter().map(|(_, scheme)| scheme.clone()).collect())
            .dims(self.dims.clone())
            .samples(self.samples.clone())
            .runs(self.runs))
    }

    /// Errors by scheme, data size, run and dimension: a replicate of the sweep is a run.
    fn values(&self, rows: &Swept) -> Result<Array4<f64>, String> {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Two runs, two dimensions, two data sizes; each error says where it belongs, and an enlarged figure stands between.
    fn rows() -> Swept {
        let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for run in [1.0, 2.0] {
            for times in [1.0, 10.0] {
                for samples in [10.0, f64::INFINITY] {
                    for dim in [5.0, 7.0] {
                        let place = run / 8.0 + dim / 100.0 + if samples == 10.0 { 0.5 } else { 0.0 };
                        let row = [
                            ("times", times),
                            ("inputs", 20.0),
                            ("alpha", 0.5),
                            ("samples", samples),
                            ("dimension", dim),
                            ("error_equal", if times == 1.0 { place } else { 9.0 }),
                            ("error_none", f64::NAN),
                        ];
                        for (name, value) in row {
                            columns.entry(name.into()).or_default().push(value);
                        }
                    }
                }
            }
        }
        Swept::new("a test", columns)
    }

    fn curves() -> Curves {
        Curves {
            inputs: 20,
            alpha: 0.5,
            schemes: vec![("error_equal", Scheme::uniform())],
            dims: vec![5, 7],
            samples: vec![Samples::Population, Samples::Draws(10)],
            runs: 2,
            stream: "test",
        }
    }

    #[test]
    fn every_error_comes_to_its_place_and_is_read_as_if_it_had_been_computed() {
        let values = curves().values(&rows()).unwrap();
        for ((_, t, run, d), error) in values.indexed_iter() {
            let expected = [0.125, 0.25][run] + [0.05, 0.07][d] + [0.0, 0.5][t];
            assert!((error - expected).abs() < 1e-15, "{t} {run} {d}: {error}");
        }
        let errors = curves().experiment().unwrap().found(values).unwrap();
        assert_eq!(
            (errors.dims(), errors.sizes()),
            (vec![5.0, 7.0], vec![f64::INFINITY, 10.0])
        );
        assert!(
            (errors.mean(&Scheme::uniform(), 7, Samples::Draws(10)).unwrap().value - (0.1875 + 0.07 + 0.5)).abs()
                < 1e-12
        );
    }

    #[test]
    fn what_the_sweep_does_not_have_is_said() {
        let why = |change: fn(&mut Curves)| {
            let mut other = curves();
            change(&mut other);
            other.values(&rows()).unwrap_err()
        };
        assert!(why(|curves| curves.dims.push(8)).contains("dimension = 8"));
        assert!(why(|curves| curves.runs = 3).contains("2 of the 3 replicates"));
        assert!(why(|curves| curves.alpha = 1.0).contains("alpha = 1"));
        assert!(why(|curves| curves.schemes[0].0 = "error_none").contains("no numbers"));
    }
}
